//! Records of RocksDB's log files: whole ones, and damaged places between them.
//!
//! Invariants
//! 1. After a damaged place reading goes on with the next record whose first fragment is sound,
//!    wherever in the block it begins: one wrong bit costs one record.
//! 2. What fills a block up is in no record and never damage: RocksDB does not read it either.
//! 3. Memory: one block, and the beginning of one record.
//!
//! Not here: the bytes of a fragment (`fragments`), what records and damage mean (`log`,
//! `manifest`).

use std::io;
use std::path::Path;

use crate::internals::fragments::{
    Blocks, FIRST, Fragment, HEAD_BYTES, LAST, MIDDLE, PREDECESSOR, WHOLE,
};

/// What comes next in a log file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LogItem {
    /// A whole record, of which `Records::head` has the beginning.
    Record,
    /// Bytes that are no record.
    Damage(RecordDamage),
    /// The file ends here.
    End,
}

/// A place without a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordDamage {
    /// Where in the file it begins.
    pub place: u64,
    /// Where in the file a fragment of a type that no crash leaves begins.
    pub alien: Option<u64>,
}

/// What a log says of the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Predecessor {
    /// The other log's number.
    pub number: u64,
    /// How long its records were, all together: what a file has behind them is none of it.
    pub bytes: u64,
}

/// A log file being read.
pub(crate) struct Records {
    blocks: Blocks,
    /// Where in the block the next fragment begins.
    at: usize,
    /// The beginning of a record whose last fragment is still to come, and where it begins.
    open: Option<(u64, Vec<u8>)>,
    /// The last thing given was damage: what follows it belongs to it until a record begins.
    lost: bool,
    /// The beginning of the last record.
    head: Vec<u8>,
    head_bytes_max: usize,
    predecessor: Option<Predecessor>,
}

impl Predecessor {
    fn read(bytes: &[u8]) -> Option<Predecessor> {
        let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        Some(Predecessor { number: number(0)?, bytes: number(8)? })
    }
}

impl Records {
    /// Opens a file, of whose records the first `head_bytes_max` bytes will be asked for.
    ///
    /// # Errors
    /// Those of opening and reading the file.
    pub fn open(path: &Path, head_bytes_max: usize) -> io::Result<Records> {
        let blocks = Blocks::open(path)?;
        let head = Vec::new();
        let predecessor = None;
        Ok(Records { blocks, at: 0, open: None, lost: false, head, head_bytes_max, predecessor })
    }

    /// What was said of the log before since this was asked last; it is the first thing in a log.
    pub fn take_predecessor(&mut self) -> Option<Predecessor> {
        self.predecessor.take()
    }

    /// The first bytes of the last record.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Moves to the next record or damaged place.
    ///
    /// # Errors
    /// Those of reading the file. Damaged bytes are no error, but `LogItem`'s to tell.
    pub fn next(&mut self) -> io::Result<LogItem> {
        loop {
            let place = self.place();
            let Some(fragment) = Fragment::read(self.blocks.block(), self.at) else {
                match self.end_block(place)? {
                    Some(next) => return Ok(next),
                    None => continue,
                }
            };
            let next = match fragment.is_sound(self.blocks.block()) {
                true => self.take(fragment, place),
                false => {
                    let alien = fragment.is_recycled().then_some(place);
                    let place = self.open.take().map_or(place, |(place, _)| place);
                    self.find_again();
                    self.damage(place, alien)
                }
            };
            if let Some(next) = next {
                return Ok(next);
            }
        }
    }

    /// Where in the file the next fragment begins.
    fn place(&self) -> u64 {
        self.blocks.start() + self.at as u64
    }

    /// Moves to the next block; at the file's end tells what is cut short, then the end.
    fn end_block(&mut self, place: u64) -> io::Result<Option<LogItem>> {
        let is_full = self.blocks.is_full();
        let torn_head = !is_full && self.blocks.block()[self.at..].iter().any(|byte| *byte != 0);
        if is_full && self.blocks.advance()? {
            self.at = 0;
            return Ok(None);
        }
        self.at = self.blocks.block().len();
        let torn = match &self.open {
            Some((begun, _)) => Some(*begun),
            None => torn_head.then_some(place),
        };
        let damage = torn.and_then(|place| self.damage(place, None));
        Ok(damage.or(Some(LogItem::End)))
    }

    /// Adds a fragment to what is open.
    fn take(&mut self, fragment: Fragment, place: u64) -> Option<LogItem> {
        if fragment.begins()
            && let Some((torn, _)) = self.open.take()
        {
            // Its last fragment never came: the place is told first, then this one again.
            return self.damage(torn, None);
        }
        self.at = fragment.data().end;
        let data = &self.blocks.block()[fragment.data()];
        let head = data[..data.len().min(self.head_bytes_max)].to_vec();
        match (fragment.kind, &mut self.open) {
            (FIRST, _) => self.open = Some((place, head)),
            (WHOLE, _) => return Some(self.record(head)),
            (MIDDLE | LAST, Some((_, open))) => {
                let room = self.head_bytes_max - open.len();
                open.extend_from_slice(&head[..head.len().min(room)]);
                if fragment.kind == LAST
                    && let Some((_, head)) = self.open.take()
                {
                    return Some(self.record(head));
                }
            }
            // The rest of a record whose beginning is lost.
            (MIDDLE | LAST, None) => return self.damage(place, None),
            (PREDECESSOR, _) => self.predecessor = Predecessor::read(data),
            // Types that only say how to read the log; none that we make it write.
            _ => {}
        }
        None
    }

    fn record(&mut self, head: Vec<u8>) -> LogItem {
        self.lost = false;
        self.head = head;
        LogItem::Record
    }

    /// Damage is told once for each place, however many fragments it takes.
    fn damage(&mut self, place: u64, alien: Option<u64>) -> Option<LogItem> {
        let told = std::mem::replace(&mut self.lost, true);
        (!told).then_some(LogItem::Damage(RecordDamage { place, alien }))
    }

    /// Moves to the next sound beginning of a record in this block, or to the block's end.
    fn find_again(&mut self) {
        let block = self.blocks.block();
        let begins = |at: &usize| {
            Fragment::read(block, *at)
                .is_some_and(|fragment| fragment.begins() && fragment.is_sound(block))
        };
        let found = (self.at + 1..block.len().saturating_sub(HEAD_BYTES - 1)).find(begins);
        self.at = found.unwrap_or(block.len());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rocksdb::{DB, Options, WriteBatch};

    use super::*;
    use crate::internals::fragments::{BLOCK_BYTES, written};
    use crate::internals::log_files::logs;

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
        let path = logs(directory.path()).unwrap().remove(0);
        (directory, path)
    }

    fn read(path: &Path) -> (Vec<u64>, Vec<u64>) {
        let mut records = Records::open(path, 8).unwrap();
        let (mut sequences, mut damages) = (Vec::new(), Vec::new());
        loop {
            match records.next().unwrap() {
                LogItem::Record => {
                    // What a batch begins with.
                    let head = records.head().try_into().expect("a number");
                    sequences.push(u64::from_le_bytes(head));
                }
                LogItem::Damage(damage) => damages.push(damage.place),
                LogItem::End => return (sequences, damages),
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
            let lost = RECORDS as usize - sequences.len();
            assert!(lost <= 1, "{lost} records by a bit of byte {position}");
            // Bytes that fill a block up are in no record.
            assert_eq!(damages.len(), lost, "byte {position}: {damages:?}");
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

    /// A file of these bytes, read.
    fn read_bytes(bytes: &[u8]) -> (Vec<u64>, Vec<u64>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), bytes).unwrap();
        read(file.path())
    }

    #[test]
    fn a_record_may_begin_with_an_empty_fragment_at_the_end_of_a_block() {
        let filler = vec![0; BLOCK_BYTES - 2 * HEAD_BYTES];
        let mut bytes = [written(WHOLE, &filler), written(FIRST, b"")].concat();
        assert_eq!(bytes.len(), BLOCK_BYTES);
        let begun = (BLOCK_BYTES - HEAD_BYTES) as u64;
        assert_eq!(read_bytes(&bytes), (vec![0], vec![begun]), "its end is missing");
        bytes.extend(written(LAST, &9u64.to_le_bytes()));
        assert_eq!(read_bytes(&bytes), (vec![0, 9], vec![]));
    }

    #[test]
    fn what_fills_a_block_up_is_no_damage_but_a_head_cut_short_by_the_end_is() {
        let filler = vec![0; BLOCK_BYTES - HEAD_BYTES - 3];
        let mut bytes = [written(WHOLE, &filler), vec![0, 8, 0]].concat();
        assert_eq!(read_bytes(&bytes), (vec![0], vec![]));
        bytes.extend(written(WHOLE, &9u64.to_le_bytes()));
        assert_eq!(read_bytes(&bytes), (vec![0, 9], vec![]));
        let end = bytes.len() as u64;
        bytes.extend([0, 8, 0]);
        assert_eq!(read_bytes(&bytes), (vec![0, 9], vec![end]));
    }

    #[test]
    fn a_chain_without_an_end_or_a_beginning_costs_no_other_record() {
        let number = |number: u64| number.to_le_bytes();
        let chain = |kind| written(kind, &number(5));
        let whole = |of| written(WHOLE, &number(of));
        let bytes = [whole(1), chain(FIRST), whole(2), chain(LAST), whole(3)].concat();
        let places = vec![whole(1).len() as u64, 3 * whole(1).len() as u64];
        assert_eq!(read_bytes(&bytes), (vec![1, 2, 3], places));
    }
}
