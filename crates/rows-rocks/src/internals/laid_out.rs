//! The log laid out ahead: zeros behind its end, which the next records overwrite.
//!
//! The sync of a file that has grown writes the file's new size, too, and on most file systems
//! waits for their journal; that is half of the time that a small commit takes. A sync of bytes
//! that were there already writes them and nothing else. So zeros are appended to the log, a chunk
//! at a time, when what was laid out is nearly used up.
//!
//! RocksDB knows nothing of it: it writes where its own count says, cuts the file off there when it
//! closes it, and a checkpoint copies as much of it as it has counted. What a crash leaves is cut
//! off before RocksDB opens the log (`holes`).
//!
//! Invariants
//! 1. No byte of a record is ever overwritten. The zeros are written through a handle that appends,
//!    which the system does as one step with finding the file's end (POSIX, `open`, O_APPEND), and
//!    all that RocksDB has written lies before that end. This holds whichever thread writes
//!    meanwhile, and also if the log is one that RocksDB has done with.
//! 2. Nothing fails because of it, and nobody waits for it but the commit that lays out.
//! 3. It costs room that RocksDB has taken for the log before, or there is plenty.
//!
//! Not here: which writes are worth it (`writing`); zeros that a crash leaves (`holes`), and what
//! tells them from damage (`log::verdict`).

use std::fs::{File, OpenOptions};
use std::io::{Result, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::internals::log_files::numbered_logs;

/// Bytes of zeros at a time. Larger ones are no faster, and hold up the commit that writes them.
pub(crate) const CHUNK_BYTES: usize = 256 << 10;
/// Less than this left, and the next chunk is written.
const LEFT_MIN: u64 = 64 << 10;
/// Larger batches lay nothing out: they are written at the disk's speed, and zeros take half of it.
const BATCH_BYTES_MAX: u64 = 64 << 10;
/// So many commits lie between two looks whether RocksDB has begun another log; and before a log
/// is laid out at all, so that whoever commits now and then has no zeros to write.
const COMMITS_PER_LOOK: u32 = 4;

/// Zeros, all that is ever written here.
static ZEROS: [u8; CHUNK_BYTES] = [0; CHUNK_BYTES];

/// What is laid out of the log that is written to.
pub(crate) struct LaidOut {
    directory: PathBuf,
    /// Off where a later log would not say how this one ended: zeros that a crash left could
    /// then be taken for damage.
    is_on: bool,
    state: Mutex<LayoutState>,
    /// Bytes of zeros that were written, since the store was opened.
    pub bytes: AtomicU64,
}

#[derive(Default)]
struct LayoutState {
    /// The log, opened for appending; `None` when it is not known which one it is.
    log: Option<File>,
    /// Bytes that are laid out in it, or somewhat more.
    left: u64,
    commits: u32,
    /// Entries in RocksDB's active write buffer when it was last asked: fewer of them later mean
    /// another buffer, and with it another log.
    entries: u64,
}

impl LaidOut {
    /// For the logs of a directory.
    pub(crate) fn new(directory: &Path, is_on: bool) -> LaidOut {
        let (state, bytes) = (Mutex::default(), AtomicU64::new(0));
        LaidOut { directory: directory.to_path_buf(), is_on, state, bytes }
    }

    /// Before a batch of so many bytes is written and synced. `entries` says how many entries the
    /// active write buffer has, `has_room` whether the disk has room for a chunk.
    pub(crate) fn before_write(
        &self,
        bytes: u64,
        entries: impl FnOnce() -> u64,
        has_room: impl FnOnce() -> bool,
    ) {
        if !self.is_on {
            return;
        }
        // One commits at a time, nearly always; who does not has nothing to gain by waiting.
        let Some(mut state) = self.state.try_lock() else { return };
        state.left = state.left.saturating_sub(bytes);
        state.commits += 1;
        let is_low = state.left < LEFT_MIN && bytes <= BATCH_BYTES_MAX && state.log.is_some();
        if !is_low && state.commits < COMMITS_PER_LOOK {
            return;
        }
        state.commits = 0;
        state.look(entries());
        if state.left >= LEFT_MIN || bytes > BATCH_BYTES_MAX {
            return;
        }
        let laid_out = if has_room() { self.lay_out(&mut state) } else { Ok(()) };
        if let Err(error) = laid_out {
            tracing::debug!("the log was not laid out: {error}");
            state.log = None;
        }
        // Where nothing was laid out it is tried again after as many bytes.
        state.left = state.left.max(CHUNK_BYTES as u64);
    }

    fn lay_out(&self, state: &mut LayoutState) -> Result<()> {
        let log = match &mut state.log {
            Some(log) => log,
            none => none.insert(open_newest(&self.directory)?),
        };
        state.left = zeros_at_end(log)?;
        if state.left < LEFT_MIN {
            log.write_all(&ZEROS)?;
            self.bytes.fetch_add(CHUNK_BYTES as u64, Ordering::Relaxed);
            state.left += CHUNK_BYTES as u64;
        }
        Ok(())
    }
}

impl LayoutState {
    /// Forgets a log that RocksDB no longer writes to.
    fn look(&mut self, entries: u64) {
        if entries < std::mem::replace(&mut self.entries, entries) {
            self.log = None;
            self.left = 0;
        }
    }
}

/// The log that RocksDB writes to. Should it begin another one at this moment, zeros at the end of
/// this one harm nobody.
fn open_newest(directory: &Path) -> Result<File> {
    let newest = numbered_logs(directory)?.pop().ok_or(std::io::ErrorKind::NotFound)?;
    OpenOptions::new().read(true).append(true).open(newest.1)
}

/// How many zeros a file ends with, as far as it matters. A record's own zeros count, too: they
/// are few, and only a guess is wanted.
fn zeros_at_end(file: &File) -> Result<u64> {
    const PIECE: usize = 4 << 10;
    let mut piece = [0; PIECE];
    let size = file.metadata()?.len();
    let mut zeros = 0;
    while zeros < size && zeros < LEFT_MIN {
        let bytes = PIECE.min((size - zeros) as usize);
        let piece = &mut piece[..bytes];
        file.read_exact_at(piece, size - zeros - bytes as u64)?;
        let found = piece.iter().rev().take_while(|byte| **byte == 0).count();
        zeros += found as u64;
        if found < bytes {
            break;
        }
    }
    Ok(zeros)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::AtomicBool;

    use super::*;

    const RECORD: usize = 100;

    /// A directory with one log, which ends with other bytes than zeros.
    fn directory() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("000007.log");
        fs::write(&log, [1; RECORD]).unwrap();
        (directory, log)
    }

    fn commit(laid_out: &LaidOut, times: u32, bytes: u64, entries: u64) {
        for _ in 0..times {
            laid_out.before_write(bytes, || entries, || true);
        }
    }

    fn size(log: &Path) -> usize {
        fs::metadata(log).unwrap().len() as usize
    }

    #[test]
    fn a_log_is_laid_out_after_some_commits_and_again_when_it_is_nearly_used_up() {
        let (directory, log) = directory();
        let laid_out = LaidOut::new(directory.path(), true);
        commit(&laid_out, COMMITS_PER_LOOK - 1, 10, 1);
        assert_eq!(size(&log), RECORD, "few commits are not worth it");
        commit(&laid_out, 1, 10, 1);
        assert_eq!(size(&log), RECORD + CHUNK_BYTES);
        commit(&laid_out, 1000, 100, 1);
        assert_eq!(size(&log), RECORD + CHUNK_BYTES, "there is enough left");
        // What RocksDB would have written by now.
        let used = OpenOptions::new().write(true).open(&log).unwrap();
        used.write_all_at(&[1; CHUNK_BYTES - 5000], RECORD as u64).unwrap();
        commit(&laid_out, 1000, 100, 1);
        assert_eq!(size(&log), RECORD + 2 * CHUNK_BYTES);
        assert_eq!(laid_out.bytes.load(Ordering::Relaxed), 2 * CHUNK_BYTES as u64);
    }

    #[test]
    fn a_new_log_is_noticed_by_the_new_write_buffer() {
        let (directory, log) = directory();
        let laid_out = LaidOut::new(directory.path(), true);
        commit(&laid_out, COMMITS_PER_LOOK, 10, 500);
        let next = directory.path().join("000012.log");
        fs::write(&next, [2; RECORD]).unwrap();
        commit(&laid_out, COMMITS_PER_LOOK, 10, 600);
        assert_eq!(size(&next), RECORD, "nobody has said so yet");
        commit(&laid_out, COMMITS_PER_LOOK, 10, 3);
        assert_eq!(size(&next), RECORD + CHUNK_BYTES);
        assert_eq!(size(&log), RECORD + CHUNK_BYTES);
    }

    #[test]
    fn large_batches_a_full_disk_and_logs_without_a_chain_lay_nothing_out() {
        let (directory, log) = directory();
        let laid_out = LaidOut::new(directory.path(), true);
        commit(&laid_out, 100, BATCH_BYTES_MAX + 1, 1);
        for _ in 0..100 {
            laid_out.before_write(10, || 1, || false);
        }
        commit(&LaidOut::new(directory.path(), false), 100, 10, 1);
        assert_eq!(size(&log), RECORD);
        let missing = LaidOut::new(&directory.path().join("missing"), true);
        commit(&missing, 100, 10, 1);
        // With room again it is tried again, after some bytes.
        commit(&laid_out, 3000, 100, 1);
        assert_eq!(size(&log), RECORD + CHUNK_BYTES);
    }

    /// The proof of invariant 1 is the system's promise; this would show a system without it.
    #[test]
    fn zeros_that_are_laid_out_while_another_thread_writes_never_overwrite_a_record() {
        let (directory, log) = directory();
        let done = AtomicBool::new(false);
        let written = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    open_newest(directory.path()).unwrap().write_all(&ZEROS[..999]).unwrap();
                }
            });
            // As RocksDB does: at a place of its own, whatever the file's size is meanwhile.
            let mut file = OpenOptions::new().write(true).open(&log).unwrap();
            let mut written = Vec::new();
            for number in 0..4000usize {
                let record = vec![1 + (number % 255) as u8; 1 + number * 7919 % 9000];
                file.write_all(&record).unwrap();
                written.extend(record);
            }
            done.store(true, Ordering::Relaxed);
            written
        });
        let bytes = fs::read(&log).unwrap();
        assert!(bytes[..written.len()] == written, "a record was overwritten");
        assert!(bytes[written.len()..].iter().all(|byte| *byte == 0));
    }
}
