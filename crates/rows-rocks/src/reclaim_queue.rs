//! Ranges whose space is to be given back, and the file `RECLAIM`, in which those are listed that
//! nobody else has a note of: one line each, so that a restart goes on with them.
//! ```text
//! <start in hex> <end in hex, or -> <xxh3 of both>
//! ```
//!
//! Invariants
//! 1. A line whose checksum does not hold is ignored: its space comes back later, by ordinary
//!    compaction. No file is ever deleted for a range that was not asked for.
//!
//! Not here: giving it back (`reclaim`).

use std::collections::VecDeque;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use parking_lot::{Condvar, Mutex};
use rows::error::Result;
use rows::store::{Batch, KeyRange};
use xxhash_rust::xxh3::xxh3_64;

use crate::format::write_synced;
use crate::internals::failure::of_file;

pub(crate) const RECLAIM_FILE: &str = "RECLAIM";

/// What is to be reclaimed.
pub(crate) struct Reclaiming {
    pub queue: Mutex<Queue>,
    pub changed: Condvar,
}

/// The ranges that are not yet done, in the order in which they came.
pub(crate) struct Queue {
    /// The first of them are being worked on.
    pub ranges: VecDeque<PendingRange>,
    /// Where scans have too much to pass over.
    pub crowded: Option<KeyRange>,
    pub stopped: bool,
}

impl Reclaiming {
    /// With what an earlier process did not finish.
    pub(crate) fn load(directory: &Path) -> Result<Reclaiming> {
        let bytes = match fs::read(directory.join(RECLAIM_FILE)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(of_file("reading RECLAIM", error));
            }
            read => read.unwrap_or_default(),
        };
        let text = String::from_utf8_lossy(&bytes);
        let ranges = text.lines().filter_map(range).map(PendingRange::listed).collect();
        Ok(Reclaiming {
            queue: Mutex::new(Queue { ranges, crowded: None, stopped: false }),
            changed: Condvar::new(),
        })
    }

    pub(crate) fn stop(&self) {
        self.queue.lock().stopped = true;
        self.changed.notify_all();
    }

    /// What the file says of the ranges that are not yet done.
    pub(crate) fn text(&self) -> String {
        self.queue.lock().text(|_| true)
    }

    /// Has a range compacted once what was asked before is done; in place of another that has not
    /// begun. A store that does not compact does not take it up.
    pub(crate) fn begin_compacting(&self, range: KeyRange) {
        self.queue.lock().crowded = Some(range);
        self.changed.notify_one();
    }

    /// How many ranges are not yet done.
    pub(crate) fn pending(&self) -> usize {
        self.queue.lock().ranges.len()
    }
}

/// A range that is not yet done.
#[derive(Clone)]
pub(crate) struct PendingRange {
    pub range: KeyRange,
    /// Whether it is listed in the file.
    pub is_listed: bool,
    /// Removes the note of it, and of those before it.
    pub forgotten: Batch,
}

impl PendingRange {
    pub fn listed(range: KeyRange) -> PendingRange {
        PendingRange { range, is_listed: true, forgotten: Batch::default() }
    }
}

impl Queue {
    /// Writes the ranges down that are to be listed.
    ///
    /// # Errors
    /// Those of the file.
    pub fn save(&self, directory: &Path) -> Result<()> {
        let text = self.text(|pending| pending.is_listed);
        write_synced(directory, RECLAIM_FILE, text.as_bytes())
    }

    fn text(&self, is_told: impl Fn(&PendingRange) -> bool) -> String {
        self.ranges.iter().filter(|pending| is_told(pending)).map(|all| line(&all.range)).collect()
    }
}

fn line(range: &KeyRange) -> String {
    let both = format!("{} {}", hex(&range.start), hex(&range.end));
    format!("{both} {:016x}\n", xxh3_64(both.as_bytes()))
}

fn range(line: &str) -> Option<KeyRange> {
    let (both, checksum) = line.rsplit_once(' ')?;
    if checksum != format!("{:016x}", xxh3_64(both.as_bytes())) {
        return None;
    }
    let (start, end) = both.split_once(' ')?;
    Some(KeyRange { start: bytes(start)?, end: bytes(end)? })
}

/// Bytes as hex digits; none as `-`, so that a line always has three words.
fn hex(bytes: &[u8]) -> String {
    match bytes {
        [] => "-".to_string(),
        bytes => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    if hex == "-" {
        return Some(Vec::new());
    }
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range_of(start: &[u8], end: &[u8]) -> KeyRange {
        KeyRange { start: start.to_vec(), end: end.to_vec() }
    }

    #[test]
    fn ranges_are_read_back_from_their_lines() {
        for written in [range_of(b"", b""), range_of(b"\0\xff", b""), range_of(b"a b", b"\n")] {
            assert_eq!(range(line(&written).trim_end()), Some(written));
        }
    }

    #[test]
    fn a_damaged_line_is_no_range() {
        let sound = line(&range_of(b"table 7", b"table 8"));
        for position in 0..sound.len() - 1 {
            let mut bytes = sound.clone().into_bytes();
            bytes[position] ^= 1;
            let damaged = String::from_utf8_lossy(&bytes).into_owned();
            assert_eq!(range(damaged.trim_end()), None, "byte {position}");
            assert_eq!(range(&sound[..position]), None);
        }
    }
}
