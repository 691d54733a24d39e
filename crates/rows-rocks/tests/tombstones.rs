//! What scans must pass over goes away while they run: versions of rows that are written again
//! and again, and marks of rows that came and went. Snapshots keep what they saw.

use std::time::{Duration, Instant};

use rows::store::{
    Batch, Change, Direction, Durability, KeyRange, Reach, Read, Store, StoreUpkeep,
};
use rows_rocks::{RocksOptions, RocksStore};

const PATIENCE: Duration = Duration::from_secs(60);
const VALUE: [u8; 100] = [7; 100];

fn write(store: &RocksStore, change: Change) {
    store.write(&Batch { changes: vec![change] }, Durability::Os).expect("written");
}

fn figure(store: &RocksStore, name: &str) -> u64 {
    let figures = store.status().figures;
    figures.into_iter().find(|(figure, _)| figure == name).expect("a figure").1
}

fn scan(reader: &dyn Read, limit: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let all = KeyRange::default();
    let mut cursor = reader.scan(&all, Direction::Forward, Reach::Disk).expect("a cursor");
    let mut found = Vec::new();
    while found.len() < limit && cursor.advance().expect("a step") {
        found.push((cursor.key().to_vec(), cursor.value().to_vec()));
    }
    found
}

/// Works until the store has done `name`, counting the rounds.
fn work_until(store: &RocksStore, name: &str, mut round: impl FnMut(u64)) -> u64 {
    let began = Instant::now();
    let mut rounds = 0;
    while figure(store, name) == 0 {
        assert!(began.elapsed() < PATIENCE, "no {name} after {rounds} rounds");
        for _ in 0..100 {
            round(rounds);
            rounds += 1;
        }
    }
    rounds
}

#[test]
fn the_first_row_of_a_queue_was_behind_the_marks_of_all_before_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = RocksStore::open(directory.path(), &RocksOptions::default()).expect("opened");
    write(&store, Change::put(b"first".to_vec(), VALUE.to_vec()));
    let before = store.snapshot().expect("a snapshot");
    let key = |number: u64| format!("row {number:09}").into_bytes();
    write(&store, Change::delete(b"first".to_vec()));
    write(&store, Change::put(key(0), VALUE.to_vec()));
    let rounds = work_until(&store, "early-compactions", |number| {
        write(&store, Change::put(key(number + 1), VALUE.to_vec()));
        assert_eq!(scan(&store, 1), [(key(number), VALUE.to_vec())]);
        write(&store, Change::delete(key(number)));
    });
    assert_eq!(scan(&store, usize::MAX), [(key(rounds), VALUE.to_vec())]);
    assert_eq!(scan(&*before, usize::MAX), [(b"first".to_vec(), VALUE.to_vec())]);
}

#[test]
fn rows_that_are_written_again_and_again_were_passed_over_in_every_version() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = RocksStore::open(directory.path(), &RocksOptions::default()).expect("opened");
    let key = |number: u64| vec![b'k', (number % 200) as u8];
    let value = |number: u64| [&number.to_be_bytes()[..], &VALUE].concat();
    (0..200).for_each(|number| write(&store, Change::put(key(number), value(number))));
    let (before, then) = (store.snapshot().expect("a snapshot"), scan(&store, usize::MAX));
    let rounds = work_until(&store, "early-flushes", |number| {
        write(&store, Change::put(key(number), value(number)));
        if number % 10 == 0 {
            assert_eq!(scan(&store, usize::MAX).len(), 200);
        }
    });
    for (found, value) in scan(&store, usize::MAX) {
        let number = u64::from_be_bytes(value[..8].try_into().expect("eight bytes"));
        assert_eq!(found, key(number));
        assert!(number + 200 >= rounds, "the last version");
    }
    assert_eq!(scan(&*before, usize::MAX), then);
}
