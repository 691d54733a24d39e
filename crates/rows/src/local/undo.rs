//! What was buffered before each write, so that writes can be taken back from the end.
//!
//! ```text
//! key            bytes
//! before         bytes of the value, if there was one
//! key length     u32
//! before length  u32
//! kind           u8: 0 nothing was buffered, 1 a removal, 2 a value
//! ```
//! The lengths stand behind, because it is read from the end. What has been spilled stays in the
//! order in which it was written, one chunk for each time.
//!
//! Invariants
//! 1. A position names the state before the write that follows it, wherever its bytes are.

use std::sync::Arc;

use bytes::Bytes;
use resources::spill::{SpillDirectory, SpillFile};

use crate::error::Result;
use crate::run::Write;

const TAIL_BYTES: usize = 9;

/// The log.
#[derive(Default)]
pub(super) struct UndoLog {
    /// What is not spilled.
    recent: Vec<u8>,
    spilled: Option<SpillFile>,
    /// Ends of the chunks in the file.
    ends: Vec<usize>,
}

impl UndoLog {
    fn spilled_bytes(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The present position.
    pub fn position(&self) -> usize {
        self.spilled_bytes() + self.recent.len()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.recent.len() + self.ends.len() * size_of::<usize>()
    }

    /// Notes what was buffered under a key.
    pub fn push(&mut self, key: &[u8], before: &Write) {
        let value = before.value();
        self.recent.extend_from_slice(key);
        self.recent.extend_from_slice(value);
        self.recent.extend_from_slice(&(key.len() as u32).to_le_bytes());
        self.recent.extend_from_slice(&(value.len() as u32).to_le_bytes());
        self.recent.push(before.kind());
    }

    /// Takes the last note out; `None` when there is none.
    ///
    /// # Errors
    /// Of reading the file.
    pub fn pop(&mut self) -> Result<Option<(Bytes, Write)>> {
        if self.recent.is_empty() && !self.load()? {
            return Ok(None);
        }
        let tail = self.recent.len() - TAIL_BYTES;
        let number = |at: usize| {
            let bytes = self.recent[at..at + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes) as usize
        };
        let (key_length, value_length) = (number(tail), number(tail + 4));
        let kind = self.recent[tail + 8];
        let start = tail - key_length - value_length;
        let key = Bytes::copy_from_slice(&self.recent[start..start + key_length]);
        let before = Write::of(kind, &self.recent[start + key_length..tail]);
        self.recent.truncate(start);
        Ok(Some((key, before)))
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = UndoLog::default();
    }

    /// Moves what is in memory to the file.
    ///
    /// # Errors
    /// Of the file; the log is then as it was.
    pub fn spill(&mut self, directory: &Arc<SpillDirectory>) -> Result<()> {
        if self.recent.is_empty() {
            return Ok(());
        }
        if self.spilled.is_none() {
            self.spilled = Some(directory.file("undo")?);
        }
        let at = self.spilled_bytes();
        let file = self.spilled.as_ref().expect("made above");
        file.write_at(&self.recent, at as u64)?;
        self.ends.push(at + self.recent.len());
        self.recent = Vec::new();
        Ok(())
    }

    /// Takes the last chunk back into memory; `false` when there is none.
    fn load(&mut self) -> Result<bool> {
        let Some((&end, rest)) = self.ends.split_last() else { return Ok(false) };
        let start = rest.last().copied().unwrap_or(0);
        let file = self.spilled.as_ref().expect("chunks are in a file");
        let mut chunk = vec![0; end - start];
        file.read_at(&mut chunk, start as u64)?;
        self.recent = chunk;
        self.ends.pop();
        Ok(true)
    }
}
