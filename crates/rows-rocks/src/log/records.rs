//! Records of a log file: whole ones, and damaged places between them.
//!
//! A log is blocks of 32 KiB; a block is fragments; a record is one fragment or a chain of them:
//! ```text
//! 4 bytes   CRC-32C of type and data, masked        fragment types: 1 whole record
//! 2 bytes   length of the data                                      2 first of a chain
//! 1 byte    type                                                    3 in its middle
//! data                                                              4 its last
//! ```
//! A block's last bytes, too few for a fragment's head, are zeros. Source: RocksDB's
//! `db/log_format.h`; recycled and compressed logs, which have other types, are not used. The
//! MANIFEST has the same form.
//!
//! Invariants
//! 1. After a damaged place reading goes on with the next fragment whose checksum is right,
//!    wherever in the block it begins: one wrong bit costs one record.
//! 2. Memory: one block, whatever the file's size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::marks::HEAD_BYTES;

const BLOCK_BYTES: usize = 32 << 10;
const FRAGMENT_HEAD: usize = 7;
const WHOLE: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;
/// Types of recycled logs. RocksDB 11.8 reads on for ever when it meets one in another log.
const RECYCLED: [u8; 6] = [5, 6, 7, 8, 11, 131];

/// What comes next in a log file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A whole record, of which `Records::head` has the beginning.
    Record,
    /// Bytes that are no record.
    Damage(Damage),
    /// The file ends here.
    End,
}

/// A place without a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    /// Where in the file it begins.
    pub place: u64,
    /// Where in the file a fragment of a type that no crash leaves begins.
    pub alien: Option<u64>,
}

/// A log file being read.
pub(super) struct Records {
    file: File,
    block: Vec<u8>,
    /// Where in the file the block begins.
    start: u64,
    /// Where in the block the next fragment begins.
    at: usize,
    /// The beginning of a record whose last fragment is still to come, and where it begins.
    open: Option<(u64, Vec<u8>)>,
    /// The last thing given was damage: what follows it belongs to it until a record begins.
    lost: bool,
    /// The beginning of the last record.
    head: Vec<u8>,
}

/// A fragment with a right checksum, by its place in the block.
struct Fragment {
    kind: u8,
    start: usize,
    end: usize,
}

impl Records {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<Records> {
        let file = File::open(path)?;
        let block = Vec::with_capacity(BLOCK_BYTES);
        let mut records =
            Records { file, block, start: 0, at: 0, open: None, lost: false, head: Vec::new() };
        records.fill()?;
        Ok(records)
    }

    /// The first bytes of the last record, `HEAD_BYTES` at most.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Moves to the next record or damaged place.
    pub fn next(&mut self) -> io::Result<Next> {
        loop {
            let place = self.start + self.at as u64;
            if self.block.len() - self.at < FRAGMENT_HEAD {
                let torn_head = self.block[self.at..].iter().any(|byte| *byte != 0);
                let more = self.block.len() == BLOCK_BYTES && self.advance()?;
                let torn = match (&self.open, more) {
                    (Some((begun, _)), false) => Some(*begun),
                    _ => torn_head.then_some(place),
                };
                if let Some(damage) = torn.and_then(|place| self.damage(place, None)) {
                    return Ok(damage);
                }
                if more {
                    continue;
                }
                return Ok(Next::End);
            }
            let Some(fragment) = self.fragment_at(self.at) else {
                let place = self.open.take().map_or(place, |(place, _)| place);
                let alien = RECYCLED.contains(&self.block[self.at + FRAGMENT_HEAD - 1]);
                let alien = alien.then_some(self.start + self.at as u64);
                self.find_again();
                match self.damage(place, alien) {
                    Some(damage) => return Ok(damage),
                    None => continue,
                }
            };
            self.at = fragment.end;
            if let Some(next) = self.take(fragment, place) {
                return Ok(next);
            }
        }
    }

    /// Adds a fragment to what is open.
    fn take(&mut self, fragment: Fragment, place: u64) -> Option<Next> {
        let data = &self.block[fragment.start..fragment.end];
        let head = data[..data.len().min(HEAD_BYTES)].to_vec();
        let begins = matches!(fragment.kind, WHOLE | FIRST);
        if begins && let Some((torn, _)) = self.open.take() {
            // Its last fragment never came: the place is told first, then this one again.
            self.at = fragment.start - FRAGMENT_HEAD;
            return self.damage(torn, None);
        }
        match (fragment.kind, &mut self.open) {
            (FIRST, _) => self.open = Some((place, head)),
            (WHOLE, _) => return Some(self.record(head)),
            (MIDDLE | LAST, Some((_, open))) => {
                open.extend_from_slice(&head[..head.len().min(HEAD_BYTES - open.len())]);
                if fragment.kind == LAST
                    && let Some((_, head)) = self.open.take()
                {
                    return Some(self.record(head));
                }
            }
            // The rest of a record whose beginning is lost.
            (MIDDLE | LAST, None) => return self.damage(place, None),
            // Types that only say how to read the log; none that we make it write.
            _ => {}
        }
        None
    }

    fn record(&mut self, head: Vec<u8>) -> Next {
        self.lost = false;
        self.head = head;
        Next::Record
    }

    /// Damage is told once for each place, however many fragments it takes.
    fn damage(&mut self, place: u64, alien: Option<u64>) -> Option<Next> {
        let told = std::mem::replace(&mut self.lost, true);
        (!told).then_some(Next::Damage(Damage { place, alien }))
    }

    /// The fragment that begins at this byte of the block, if it is sound.
    fn fragment_at(&self, at: usize) -> Option<Fragment> {
        let head = self.block.get(at..at + FRAGMENT_HEAD)?;
        let length = usize::from(u16::from_le_bytes([head[4], head[5]]));
        let (start, end) = (at + FRAGMENT_HEAD, at + FRAGMENT_HEAD + length);
        let sum = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let covered = self.block.get(start - 1..end)?;
        (head[6] != 0 && masked(crc32c::crc32c(covered)) == sum).then_some(Fragment {
            kind: head[6],
            start,
            end,
        })
    }

    /// Moves to the next sound beginning of a record in this block, or to the next block.
    fn find_again(&mut self) {
        let begins = |at: &usize| {
            matches!(self.block.get(at + FRAGMENT_HEAD - 1), Some(&(WHOLE | FIRST)))
                && self.fragment_at(*at).is_some()
        };
        let found = (self.at + 1..self.block.len()).find(begins);
        self.at = found.unwrap_or(self.block.len());
    }

    /// The next block; `false` at the file's end.
    fn advance(&mut self) -> io::Result<bool> {
        self.start += BLOCK_BYTES as u64;
        self.fill()
    }

    fn fill(&mut self) -> io::Result<bool> {
        self.block.clear();
        self.at = 0;
        let taken = Read::take(&mut self.file, BLOCK_BYTES as u64).read_to_end(&mut self.block)?;
        Ok(taken > 0)
    }
}

/// RocksDB stores checksums turned and shifted, since bytes with checksums in them get others.
fn masked(sum: u32) -> u32 {
    sum.rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rocksdb::{DB, Options, WriteBatch};

    use super::super::marks::Head;
    use super::*;

    const RECORDS: u64 = 400;

    /// A log as RocksDB writes it: records of many sizes, some over several blocks.
    fn log() -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        options.create_if_missing(true);
        let database = DB::open(&options, directory.path()).unwrap();
        for number in 0..RECORDS {
            let mut batch = WriteBatch::default();
            let bytes = if number % 50 == 7 { 70_000 } else { (number * 37 % 900) as usize };
            batch.put(number.to_be_bytes(), vec![number as u8; bytes]);
            database.write(batch).unwrap();
        }
        drop(database);
        let path = super::super::verdict::files(directory.path()).unwrap().remove(0).1;
        (directory, path)
    }

    fn read(path: &Path) -> (Vec<u64>, Vec<u64>) {
        let mut records = Records::open(path).unwrap();
        let (mut sequences, mut damages) = (Vec::new(), Vec::new());
        loop {
            match records.next().unwrap() {
                Next::Record => {
                    let head = Head::read(records.head()).expect("a batch");
                    sequences.push(head.sequence);
                }
                Next::Damage(damage) => damages.push(damage.place),
                Next::End => return (sequences, damages),
            }
        }
    }

    #[test]
    fn every_record_of_a_real_log_is_read() {
        let (_directory, path) = log();
        let (sequences, damages) = read(&path);
        assert_eq!(sequences, (1..=RECORDS).collect::<Vec<_>>());
        assert!(damages.is_empty(), "{damages:?}");
    }

    #[test]
    fn one_wrong_bit_costs_one_record_wherever_it_is() {
        let (_directory, path) = log();
        let sound = fs::read(&path).unwrap();
        for position in (0..sound.len()).step_by(769) {
            let mut bytes = sound.clone();
            bytes[position] ^= 1 << (position % 8);
            fs::write(&path, bytes).unwrap();
            let (sequences, damages) = read(&path);
            // Bytes that fill a block up are in no record.
            let lost = RECORDS as usize - sequences.len();
            assert!(lost <= 1, "{lost} records by a bit of byte {position}");
            assert_eq!(damages.len(), 1, "byte {position}: {damages:?}");
        }
    }

    #[test]
    fn a_log_cut_anywhere_is_whole_records_and_at_most_one_torn_one() {
        let (_directory, path) = log();
        let sound = fs::read(&path).unwrap();
        for length in (0..sound.len()).step_by(997) {
            fs::write(&path, &sound[..length]).unwrap();
            let (sequences, damages) = read(&path);
            assert!(sequences.iter().copied().eq(1..=sequences.len() as u64), "cut at {length}");
            assert!(damages.len() <= 1, "{damages:?}");
        }
    }

    #[test]
    fn zeros_where_a_record_was_are_damage_and_not_the_end() {
        let (_directory, path) = log();
        let mut bytes = fs::read(&path).unwrap();
        bytes[2000..2600].fill(0);
        fs::write(&path, bytes).unwrap();
        let (sequences, damages) = read(&path);
        assert_eq!(damages.len(), 1);
        assert_eq!(sequences.last(), Some(&RECORDS));
    }
}
