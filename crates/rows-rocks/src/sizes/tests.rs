//! What ranges are said to take, held against stores that have nothing else, and against a scan.

use std::path::Path;

use rows::ingestion::TableStore;
use rows::store::{
    Batch, Change, Direction, Durability, Reach, Read as _, Store as _, StoreUpkeep as _,
};
use tempfile::TempDir;

use super::*;
use crate::RocksStore;
use crate::internals::prefix_sizes::FileShares;
use crate::options::RocksOptions;

/// The rows of a table, or the entries of an index.
#[derive(Clone, Copy)]
struct Part {
    prefix: [u8; 6],
    rows: u64,
    value_bytes: usize,
    /// So many bytes in a hundred are the same in all values.
    alike: usize,
}

const PARTS: [Part; 5] = [
    Part { prefix: [0, 0, 0, 7, 0, 1], rows: 60_000, value_bytes: 60, alike: 70 },
    Part { prefix: [0, 0, 0, 7, 0, 2], rows: 400_000, value_bytes: 0, alike: 0 },
    Part { prefix: [0, 0, 0, 8, 0, 1], rows: 20_000, value_bytes: 200, alike: 0 },
    Part { prefix: [0, 0, 0, 9, 0, 1], rows: 300, value_bytes: 20_000, alike: 50 },
    Part { prefix: [0, 0, 1, 0, 0, 1], rows: 5_000, value_bytes: 3_000, alike: 95 },
];

impl Part {
    fn key(&self, row: u64) -> Vec<u8> {
        [&self.prefix[..], &row.to_be_bytes()].concat()
    }

    fn range(&self) -> KeyRange {
        let mut end = self.prefix;
        end[5] += 1;
        KeyRange { start: self.prefix.to_vec(), end: end.to_vec() }
    }

    fn value(&self, row: u64, bytes: usize) -> Vec<u8> {
        let number = (u64::from(self.prefix[3]) << 32) + row + 1;
        let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 24) as u8
        };
        let alike = bytes * self.alike / 100;
        (0..bytes).map(|at| if at < alike { b'a' } else { next() }).collect()
    }

    fn put(&self, row: u64, bytes: usize) -> Change {
        Change::put(self.key(row), self.value(row, bytes))
    }
}

struct House {
    store: RocksStore,
    directory: TempDir,
}

impl House {
    fn new() -> House {
        let directory = tempfile::tempdir().expect("a directory");
        // Nothing becomes a file before it is told to: a store of all would have others than one of
        // a part.
        let recovery_max = std::time::Duration::from_secs(10);
        let memory_bytes = 512 << 20;
        let options = RocksOptions { memory_bytes, recovery_max, ..RocksOptions::default() };
        let store = RocksStore::open(directory.path(), &options).expect("the store opens");
        House { store, directory }
    }

    fn write(&self, mut changes: impl Iterator<Item = Change>) {
        loop {
            let batch = Batch { changes: changes.by_ref().take(1_000).collect() };
            if batch.changes.is_empty() {
                return;
            }
            self.store.write(&batch, Durability::Os).expect("the write");
        }
    }

    fn flush(&self) {
        self.store.shared().database.flush().expect("the flush");
    }

    fn compact(&self) {
        self.store.shared().database.compact_range(None::<&[u8]>, None::<&[u8]>);
    }

    fn sizes(&self, range: &KeyRange) -> RangeSizes {
        self.store.sizes(range).expect("sizes")
    }

    /// Entries of a range, and the bytes of their keys and values, by going through them.
    fn scanned(&self, range: &KeyRange) -> (u64, u64) {
        let cursor = self.store.scan(range, Direction::Forward, Reach::Disk);
        let mut cursor = cursor.expect("the scan");
        let (mut entries, mut bytes) = (0, 0);
        while cursor.advance().expect("an entry") {
            entries += 1;
            bytes += (cursor.key().len() + cursor.value().len()) as u64;
        }
        (entries, bytes)
    }
}

/// Bytes of the files of tables in a directory.
fn file_bytes(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory).expect("the directory").flatten();
    let tables = files.filter(|file| file.path().extension().is_some_and(|end| end == "sst"));
    tables.map(|file| file.metadata().expect("a file").len()).sum()
}

fn assert_within_a_hundredth(told: u64, truth: u64, of: &str) {
    assert!(told.abs_diff(truth) * 100 <= truth, "{of}: {told} told, {truth} in truth");
}

/// What is done to each part: some of it reaches files of its own, and the last compaction brings
/// all of it together.
fn fill(house: &House, parts: &[Part]) {
    let each = |house: &House, of: &dyn Fn(&Part) -> Vec<Change>| {
        parts.iter().for_each(|part| house.write(of(part).into_iter()));
    };
    each(house, &|part| (0..part.rows / 2).map(|row| part.put(row, part.value_bytes)).collect());
    house.flush();
    each(house, &|part| {
        (part.rows / 2..part.rows).map(|row| part.put(row, part.value_bytes)).collect()
    });
    house.flush();
}

/// Longer values for a third of the rows, and a tenth of them removed.
fn change(house: &House, parts: &[Part]) {
    for part in parts {
        let thirds = (0..part.rows).step_by(3);
        house.write(thirds.map(|row| part.put(row, 2 * part.value_bytes)));
        let tenths = (0..part.rows).step_by(10);
        house.write(tenths.map(|row| Change::delete(part.key(row))));
    }
    house.flush();
}

/// Of each part in a store of all, and in stores of their own.
fn assert_as_alone(all: &House, alone: &[House], when: &str) {
    let mut sum = 0;
    for (part, house) in PARTS.iter().zip(alone) {
        let told = all.sizes(&part.range()).disk_bytes;
        sum += told;
        let truth = file_bytes(house.directory.path());
        assert_within_a_hundredth(told, truth, &format!("{when}, {:?}", part.prefix));
    }
    assert_eq!(sum, all.sizes(&KeyRange::default()).disk_bytes, "{when}");
    assert_eq!(sum, file_bytes(all.directory.path()), "{when}: all of the files");
}

#[test]
fn a_part_of_files_is_as_large_as_files_of_it_alone() {
    let all = House::new();
    let alone: Vec<House> = PARTS.iter().map(|_| House::new()).collect();
    let each = |of: &dyn Fn(&House, &[Part])| {
        of(&all, &PARTS);
        alone.iter().zip(&PARTS).for_each(|(house, part)| of(house, &[*part]));
    };
    each(&fill);
    assert_as_alone(&all, &alone, "filled");
    each(&change);
    assert_as_alone(&all, &alone, "changed");
    each(&|house, _| house.compact());
    assert_as_alone(&all, &alone, "compacted");
}

#[test]
fn bytes_before_compression_are_those_of_the_rows_that_a_scan_shows() {
    let all = House::new();
    let assert_as_scanned = |when: &str| {
        for part in PARTS {
            let (rows, bytes) = all.scanned(&part.range());
            let told = all.sizes(&part.range()).plain_bytes(rows);
            assert_within_a_hundredth(told, bytes, &format!("{when}, {:?}", part.prefix));
        }
    };
    fill(&all, &PARTS);
    assert_as_scanned("filled");
    change(&all, &PARTS);
    assert_as_scanned("changed");
    all.compact();
    assert_as_scanned("compacted");
    // To the byte, now that there is nothing else.
    for part in PARTS {
        let (rows, bytes) = all.scanned(&part.range());
        assert_eq!(all.sizes(&part.range()).plain_bytes(rows), bytes, "{:?}", part.prefix);
    }
}

#[test]
fn what_is_in_write_buffers_counts_by_its_keys_and_values() {
    let all = House::new();
    for part in PARTS {
        all.write((0..part.rows / 10).map(|row| part.put(row, part.value_bytes)));
        // Written again and removed: only the last counts.
        all.write((0..part.rows / 20).map(|row| part.put(row, part.value_bytes)));
        all.write((0..part.rows / 100).map(|row| Change::delete(part.key(row))));
    }
    for part in PARTS {
        let (rows, bytes) = all.scanned(&part.range());
        let sizes = all.sizes(&part.range());
        assert_eq!((sizes.disk_bytes, sizes.plain_bytes(rows)), (bytes, bytes));
    }
    assert_eq!(file_bytes(all.directory.path()), 0, "nothing was flushed");
}

#[test]
fn what_is_ingested_is_noted_as_well_and_what_is_dropped_is_gone() {
    let all = House::new();
    let part = PARTS[2];
    let entries = (0..part.rows).map(|row| Ok((part.key(row), part.value(row, part.value_bytes))));
    all.store.ingest(&mut entries.into_iter()).expect("the ingestion");
    let (rows, bytes) = all.scanned(&part.range());
    let sizes = all.sizes(&part.range());
    assert_eq!(sizes.plain_bytes(rows), bytes);
    assert_eq!(sizes.disk_bytes, file_bytes(all.directory.path()));
    let batch = Batch { changes: vec![Change::DeleteRange(part.range())] };
    all.store.write(&batch, Durability::Os).expect("the write");
    all.compact();
    assert_eq!(all.sizes(&part.range()).disk_bytes, 0);
}

/// Tables of fewer bytes than a block share one: what that came out at is divided by their bytes,
/// so each is told what it would take among its like, not in a file of its own, whose frame is
/// larger than itself.
#[test]
fn small_tables_are_told_their_part_of_the_blocks_they_share() {
    let all = House::new();
    let small = |table: u8, rows: u64| Part {
        prefix: [1, 0, 0, table, 0, 1],
        rows,
        value_bytes: 30,
        alike: 0,
    };
    for table in 0..200 {
        let part = small(table, 1 + u64::from(table) % 10);
        all.write((0..part.rows).map(|row| part.put(row, part.value_bytes)));
    }
    all.flush();
    let told = |table| all.sizes(&small(table, 0).range()).disk_bytes;
    assert_eq!((0..200).map(told).sum::<u64>(), file_bytes(all.directory.path()));
    for table in (0..200).step_by(10) {
        let (one, ten) = (told(table), told(table + 9));
        assert!((8 * one..=12 * one).contains(&ten), "{table}: {one} and {ten}");
    }
}

#[test]
fn a_range_within_rows_is_estimated() {
    let all = House::new();
    fill(&all, &PARTS);
    let part = PARTS[0];
    let half = KeyRange { start: part.key(part.rows / 2), end: part.range().end };
    let (whole, told) = (all.sizes(&part.range()).disk_bytes, all.sizes(&half).disk_bytes);
    assert!((whole * 2 / 5..=whole * 3 / 5).contains(&told), "{told} of {whole}");
    let none = KeyRange { start: part.range().end, end: part.range().start };
    assert_eq!(all.sizes(&none), RangeSizes::default());
}

/// Files of a version that noted nothing.
#[test]
fn files_without_notes_are_estimated() {
    let all = House::new();
    fill(&all, &PARTS);
    let shared = all.store.shared();
    let files = shares_of_files(&shared.database).expect("files");
    let unknown = files.into_iter().map(|file| FileShares { shares: None, ..file }).collect();
    let known = FileSizes::of(shared.files_version(), unknown);
    *shared.sizes.0.lock() = Some(Arc::new(known));
    let told = || PARTS.map(|part| all.sizes(&part.range()).disk_bytes);
    let estimated = told();
    assert_eq!(all.sizes(&KeyRange::default()).disk_bytes, file_bytes(all.directory.path()));
    *shared.sizes.0.lock() = None;
    for (estimated, noted) in estimated.into_iter().zip(told()) {
        assert!(estimated.abs_diff(noted) <= noted / 10 + (64 << 10), "{estimated} and {noted}");
    }
}
