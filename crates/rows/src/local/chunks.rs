//! Where the bytes of buffered writes lie: many in one allocation, which serves the thread's next
//! transaction again.
//!
//! A transaction is filled by one thread and committed by another one, mostly. An allocation for
//! each key and each value would be freed there, and go back to the system page by page, to be
//! taken from it again by the next statement: that was a fifth of the CPU time of INSERTs of 100
//! rows (`docs/decisions/0059-rows-of-a-batch.md`).
//!
//! Invariants
//! 1. A chunk is filled again only when nobody holds any bytes of it.
//! 2. A transaction that writes little holds little: chunks double, and the one that waits for the
//!    thread's next transaction is no larger than what the last one needed.

use std::cell::Cell;

use bytes::{Bytes, BytesMut};

/// Size of chunks.
const CHUNK_MIN: usize = 512;
const CHUNK_MAX: usize = 32 << 10;
/// Keys and values from this size on stay in the allocation that they come in.
const APART_MIN: usize = 4 << 10;

thread_local! {
    /// The last chunk of the thread's last transaction.
    static SPARE: Cell<Option<ByteChunk>> = const { Cell::new(None) };
}

/// Bytes are appended to the last chunk.
#[derive(Default)]
pub(super) struct Chunks {
    last: ByteChunk,
    /// Bytes that were kept, whether anybody still wants them: what is taken back leaves its place
    /// empty until its whole chunk is free.
    kept: usize,
}

/// One allocation, or none yet.
#[derive(Default)]
struct ByteChunk {
    /// What is left of it.
    free: BytesMut,
    size: usize,
}

impl Chunks {
    /// Keeps these bytes.
    pub fn keep(&mut self, bytes: Vec<u8>) -> Bytes {
        if bytes.len() >= APART_MIN {
            return bytes.into();
        }
        self.kept += bytes.len();
        if self.last.free.capacity() < bytes.len() {
            self.begin(bytes.len());
        }
        let free = &mut self.last.free;
        free.extend_from_slice(&bytes);
        free.split().freeze()
    }

    /// Begins a chunk with room for so many bytes.
    fn begin(&mut self, least: usize) {
        let mut size = 2 * self.last.size;
        if size == 0
            && let Some(mut spare) = SPARE.take()
        {
            if spare.size >= least && spare.free.try_reclaim(spare.size) {
                self.last = spare;
                return;
            }
            size = spare.size;
        }
        let size = size.clamp(CHUNK_MIN, CHUNK_MAX).max(least);
        self.last = ByteChunk { free: BytesMut::with_capacity(size), size };
    }

    /// Bytes of memory for what was kept, but for a chunk's.
    pub fn bytes(&self) -> usize {
        self.kept
    }

    /// Nothing of what was kept is wanted here any more: leaves the chunk to the thread's next
    /// transaction.
    pub fn finish(&mut self) {
        self.kept = 0;
        let chunk = std::mem::take(&mut self.last);
        if chunk.size > 0 {
            SPARE.set(Some(chunk));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many values of 100 bytes.
    fn kept(count: u8) -> Vec<Bytes> {
        let mut chunks = Chunks::default();
        let kept = (0..count).map(|number| chunks.keep(vec![number; 100])).collect();
        chunks.finish();
        kept
    }

    #[test]
    fn a_chunk_serves_the_next_transaction_only_once_nobody_holds_bytes_of_it() {
        drop(kept(4));
        let first = kept(4);
        let place = first[0].as_ptr();
        let second = kept(4);
        assert_ne!(second[0].as_ptr(), place);
        let whole: Vec<Vec<u8>> = (0..4).map(|number| vec![number; 100]).collect();
        assert_eq!(first, whole);
        assert_eq!(second, whole);
        let place = second[0].as_ptr();
        drop(second);
        let third = kept(5);
        assert_eq!(third[0].as_ptr(), place, "filled again from its beginning");
        assert_eq!(first, whole);
    }

    #[test]
    fn chunks_grow_with_what_a_transaction_writes_and_what_is_large_lies_apart() {
        drop(kept(1));
        let spare = SPARE.take().expect("one is left");
        assert_eq!(spare.size, CHUNK_MIN);
        drop(kept(255));
        let spare = SPARE.take().expect("one is left");
        assert_eq!(spare.size, CHUNK_MIN << 5);
        let mut chunks = Chunks::default();
        let large = vec![7; APART_MIN];
        let place = large.as_ptr();
        assert_eq!(chunks.keep(large).as_ptr(), place);
        chunks.finish();
        assert!(SPARE.take().is_none());
    }
}
