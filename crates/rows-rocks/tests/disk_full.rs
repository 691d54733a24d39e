//! A disk runs full: writes fail with a clear error, reads go on, nothing acknowledged is lost,
//! and writes are accepted again once there is space, without a restart.
//!
//! The child is this test program again, in a mount namespace of its own with a small file
//! system in memory. Where namespaces are not allowed to the user the test says so and passes.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use faults::on_small_disk;
use rows::error::Error;
use rows::store::{Batch, Change, Durability, Reach, Read, Store, StoreUpkeep};
use rows_rocks::{RocksOptions, RocksStore};

const DIRECTORY: &str = "ROWS_ROCKS_FULL_DIRECTORY";
const DISK_MEGABYTES: usize = 64;
/// Files that a disk with few of them has.
const FILES_MAX: usize = 100;
const BALLAST_MEGABYTES: usize = 24;
/// Nothing has to be recovered from, since the last room was kept; the rest is a slow machine's.
const RESUMES_WITHIN: Duration = Duration::from_secs(60);

fn open(directory: &Path) -> RocksStore {
    let options = RocksOptions { memory_bytes: 8 << 20, ..RocksOptions::default() };
    RocksStore::open(directory, &options).expect("the store opens")
}

/// A value that does not compress.
fn value(number: u64) -> Vec<u8> {
    let mut random = number;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as u8
    };
    (0..1000).map(|_| next()).collect()
}

fn write(store: &RocksStore, number: u64) -> rows::Result<()> {
    write_with(store, number, 100)
}

/// One of so many is synced.
fn write_with(store: &RocksStore, number: u64, synced: u64) -> rows::Result<()> {
    let changes = vec![Change::put(number.to_be_bytes().to_vec(), value(number))];
    let durability = match number % synced {
        0 => Durability::EveryCommit,
        _ => Durability::EverySecond,
    };
    store.write(&Batch { changes }, durability)
}

fn check(store: &RocksStore, acknowledged: &BTreeMap<u64, ()>) {
    let mut found = Vec::new();
    for number in acknowledged.keys() {
        assert!(store.get(&number.to_be_bytes(), Reach::Disk, &mut found).expect("the look-up"));
        assert_eq!(found, value(*number));
    }
}

/// The child's part; without the environment, nothing.
#[test]
fn a_child_fills_its_small_disk() {
    fill(100);
}

/// The same; the log is laid out for each commit.
#[test]
fn a_child_fills_its_small_disk_and_syncs_every_commit() {
    fill(1);
}

fn fill(synced: u64) {
    let write = |store: &RocksStore, number| write_with(store, number, synced);
    let Ok(disk) = env::var(DIRECTORY) else {
        return;
    };
    let disk = Path::new(&disk);
    let data = disk.join("data");
    fs::write(disk.join("ballast"), vec![1; BALLAST_MEGABYTES << 20]).expect("the ballast");
    let store = open(&data);
    let mut acknowledged = BTreeMap::new();
    let mut number = 0;
    let refused = loop {
        match write(&store, number) {
            Ok(()) => acknowledged.insert(number, ()),
            Err(error) => break error,
        };
        number += 1;
        assert!(number < (DISK_MEGABYTES << 10) as u64, "the disk must run full");
    };
    assert!(matches!(refused, Error::DiskFull { .. }), "{refused}");
    let figures = store.status().figures;
    let laid_out = figures.iter().find(|(name, _)| name == "log-bytes-laid-out").expect("one").1;
    assert!(synced > 1 || laid_out > 0, "the log was never laid out");
    check(&store, &acknowledged);
    fs::remove_file(disk.join("ballast")).expect("space again");
    let deadline = Instant::now() + RESUMES_WITHIN;
    number += 1;
    while let Err(error) = write(&store, number) {
        assert!(Instant::now() < deadline, "{error}");
        assert!(matches!(error, Error::DiskFull { .. }), "{error}");
        std::thread::yield_now();
    }
    acknowledged.insert(number, ());
    for number in number + 1..number + 2000 {
        write(&store, number).expect("writes go on");
        acknowledged.insert(number, ());
    }
    check(&store, &acknowledged);
    drop(store);
    let store = open(&data);
    check(&store, &acknowledged);
    store.verify().expect("sound checksums");
}

/// The child's part; without the environment, nothing.
#[test]
fn a_child_takes_the_last_files() {
    let Ok(disk) = env::var(DIRECTORY) else {
        return;
    };
    let disk = Path::new(&disk);
    let store = open(&disk.join("data"));
    write(&store, 1).expect("there is room");
    let taken: Vec<_> = (0..FILES_MAX).map(|number| disk.join(number.to_string())).collect();
    let made = taken.iter().take_while(|path| fs::write(path, b"").is_ok()).count();
    assert!(made < FILES_MAX, "the disk must have no file left");
    let deadline = Instant::now() + RESUMES_WITHIN;
    let mut number = 2;
    // Until the disk is looked at.
    let refused = loop {
        match write(&store, number) {
            Ok(()) => number += 1,
            Err(error) => break error,
        }
        assert!(Instant::now() < deadline, "nothing is refused");
    };
    assert!(matches!(refused, Error::DiskFull { .. }), "{refused}");
    for path in &taken[..made] {
        fs::remove_file(path).expect("made above");
    }
    // Until it is looked at once more.
    while let Err(error) = write(&store, number) {
        assert!(Instant::now() < deadline, "{error}");
        assert!(matches!(error, Error::DiskFull { .. }), "{error}");
        std::thread::yield_now();
    }
}

#[test]
fn a_full_disk_refuses_writes_until_there_is_space_and_loses_nothing() {
    on_small_disk(&format!("size={DISK_MEGABYTES}m"), DIRECTORY, "a_child_fills_its_small_disk");
}

#[test]
fn a_full_disk_under_a_log_that_is_laid_out_refuses_writes_and_loses_nothing() {
    let child = "a_child_fills_its_small_disk_and_syncs_every_commit";
    on_small_disk(&format!("size={DISK_MEGABYTES}m"), DIRECTORY, child);
}

#[test]
fn a_disk_without_files_left_refuses_writes_until_there_are_some() {
    let options = format!("size=64m,nr_inodes={FILES_MAX}");
    on_small_disk(&options, DIRECTORY, "a_child_takes_the_last_files");
}
