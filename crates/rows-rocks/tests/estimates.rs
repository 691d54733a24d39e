//! How many entries ranges are thought to have, while they are in write buffers and when they are
//! in files.

use std::sync::Arc;

use rows::ingestion::TableStore;
use rows::store::{Batch, Change, Durability, KeyRange, Store, StoreUpkeep};
use rows::{Engine, EngineOptions};
use rows_rocks::{RocksOptions, RocksStore};

const ENTRIES: u64 = 30_000;

/// The key of an entry of an index.
fn key(number: u64) -> Vec<u8> {
    [&[0, 0, 0, 9, 0, 1][..], &number.to_be_bytes()].concat()
}

fn range(from: u64, to: u64) -> KeyRange {
    KeyRange { start: key(from), end: key(to) }
}

/// A value of some length that does not compress.
fn value(number: u64) -> Vec<u8> {
    let mut random = number;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as u8
    };
    (0..1000).map(|_| next()).collect()
}

#[test]
fn entries_in_write_buffers_are_counted_as_far_as_that_is_quick() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(RocksStore::open(directory.path(), &RocksOptions::default()).unwrap());
    let engine = Engine::open(Arc::clone(&store) as Arc<dyn TableStore>, EngineOptions::default());
    let engine = engine.unwrap();
    for first in (0..ENTRIES).step_by(1000) {
        let put = |number| Change::put(key(number), b"short".to_vec());
        let changes = (first..first + 1000).map(put).collect();
        store.write(&Batch { changes }, Durability::Os).unwrap();
    }
    assert_eq!(store.file_bytes(&range(0, ENTRIES)).unwrap(), 0, "nothing was flushed");
    let about =
        |from, to| engine.entries_about(engine.latest(), &range(from, to), ENTRIES).unwrap();
    assert_eq!(about(5, 5), 0);
    assert_eq!(about(10, 40), 30);
    assert_eq!(about(7_000, 9_510), 2_510);
    let many = about(1_000, 25_000);
    assert!((4_096..=ENTRIES).contains(&many), "{many}");
}

#[test]
fn entries_in_files_are_measured() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(RocksStore::open(directory.path(), &RocksOptions::default()).unwrap());
    store.ingest(&mut (0..ENTRIES).map(|number| Ok((key(number), value(number))))).unwrap();
    let engine = Engine::open(store as Arc<dyn TableStore>, EngineOptions::default()).unwrap();
    let about =
        |from, to| engine.entries_about(engine.latest(), &range(from, to), ENTRIES).unwrap();
    assert_eq!(about(10, 2_010), 2_000);
    let third = about(10_000, 20_000);
    assert!((8_000..=12_000).contains(&third), "{third}");
    let all = about(0, ENTRIES);
    assert!((27_000..=ENTRIES).contains(&all), "{all}");
}
