//! A range is removed, its files are deleted, and the power is cut at any moment of that: what is
//! left is all of the range, or its removal and nothing. So where the store lists what it has to
//! do, and where whoever removed the range has a note of it.
//!
//! The child is this test program again, on the file layer of crate `faults`.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use faults::{Disk, Journal, Kind, Layer};
use rows::ingestion::TableStore;
use rows::store::{
    Batch, Change, Direction, Durability, KeyRange, Reach, Read, Store, StoreUpkeep,
};
use rows_rocks::{RocksOptions, RocksStore};

const DIRECTORY: &str = "ROWS_ROCKS_DROPPED_DIRECTORY";
/// There where the child keeps a note.
const NOTED: &str = "ROWS_ROCKS_DROPPED_NOTED";
/// Rows that are in the log, and rows in files of their own.
const LOGGED: u32 = 50;
const IN_FILES: u32 = 5000;
/// Written in one with the removal.
const REMOVED: &str = "removed";
/// The same, and gone when the space has come back.
const NOTE: &str = "note";
/// Disks made at each moment.
const SEEDS: u64 = 2;

fn open(directory: &Path) -> RocksStore {
    let options = RocksOptions { memory_bytes: 8 << 20, ..RocksOptions::default() };
    RocksStore::open(directory, &options).expect("the store opens")
}

fn range() -> KeyRange {
    KeyRange { start: b"a".to_vec(), end: b"c".to_vec() }
}

fn key(prefix: &str, number: u32) -> Vec<u8> {
    format!("{prefix}{number:08}").into_bytes()
}

/// The child's part; without the environment, nothing.
#[test]
fn a_child_removes_a_range_and_has_its_files_deleted() {
    let Ok(directory) = env::var(DIRECTORY) else {
        return;
    };
    let directory = Path::new(&directory);
    let store = open(&directory.join("rows"));
    let mut entries = (0..IN_FILES).map(|number| Ok((key("b", number), vec![7; 100])));
    assert_eq!(store.ingest(&mut entries).expect("the ingestion"), u64::from(IN_FILES));
    let changes = (0..LOGGED).map(|number| Change::put(key("a", number), vec![7; 100])).collect();
    store.write(&Batch { changes }, Durability::EveryCommit).expect("the rows");
    // In the journal this tells where the removal begins.
    fs::write(directory.join("removing"), b"").expect("a file");
    let mut changes = vec![Change::DeleteRange(range()), Change::put(REMOVED, Vec::new())];
    let is_noted = env::var(NOTED).is_ok();
    if is_noted {
        changes.push(Change::put(NOTE, Vec::new()));
    }
    store.write(&Batch { changes }, Durability::Os).expect("the removal");
    match is_noted {
        true => reclaim_noted(&store),
        false => store.reclaim(&[range()]).expect("the reclaiming begins"),
    }
    wait_for_reclaiming(&store);
}

fn reclaim_noted(store: &RocksStore) {
    let forgotten = Batch { changes: vec![Change::delete(NOTE)] };
    store.reclaim_noted(&[range()], forgotten).expect("the reclaiming begins");
}

fn has(store: &RocksStore, key: &str) -> bool {
    store.get(key.as_bytes(), Reach::Disk, &mut Vec::new()).expect("a look-up")
}

fn wait_for_reclaiming(store: &RocksStore) {
    let pending =
        || store.status().figures.iter().any(|(name, n)| name.contains("reclaim") && *n > 0);
    while pending() {
        std::thread::yield_now();
    }
}

/// How many rows of the range are there, and whether its removal is.
fn left(directory: &Path) -> (u32, bool) {
    let store = open(directory);
    // What an interrupted process did not finish goes on by itself.
    wait_for_reclaiming(&store);
    if has(&store, NOTE) {
        let changes = vec![Change::DeleteRange(range())];
        store.write(&Batch { changes }, Durability::Os).expect("the removal");
        reclaim_noted(&store);
        wait_for_reclaiming(&store);
        assert!(!has(&store, NOTE), "what is done is noted");
    }
    let mut cursor = store.scan(&range(), Direction::Forward, Reach::Disk).expect("a scan");
    let mut rows = 0;
    while cursor.advance().expect("the next row") {
        rows += 1;
    }
    (rows, has(&store, REMOVED))
}

#[test]
fn a_power_cut_no_longer_takes_rows_of_a_range_whose_removal_it_takes_back() {
    cut_the_power(false);
}

#[test]
fn a_power_cut_leaves_all_of_a_range_or_a_note_that_it_is_removed() {
    cut_the_power(true);
}

fn cut_the_power(is_noted: bool) {
    let base = tempfile::tempdir().expect("a directory");
    let root = base.path().join("disk");
    fs::create_dir(&root).expect("the root");
    let layer = Layer::new(&root, &base.path().join("layer")).expect("the layer");
    let layer = layer.recording(Duration::ZERO, Duration::ZERO).expect("the layer");
    let mut child = Command::new(env::current_exe().expect("this program"));
    child.args(["--exact", "a_child_removes_a_range_and_has_its_files_deleted"]);
    layer.beneath(child.env(DIRECTORY, &root));
    if is_noted {
        child.env(NOTED, "");
    }
    assert!(child.status().expect("the child").success());
    let (mut disk, mut removing, mut all, mut none) = (Disk::default(), false, 0, 0);
    let journal = Journal::open(layer.journal().expect("it is kept")).expect("the journal");
    for (position, record) in journal.enumerate() {
        disk.take(&record);
        removing |= matches!(&record.kind, Kind::Open { path, .. } if path == "removing");
        if !removing || record.kind == Kind::Tick {
            continue;
        }
        for seed in 0..SEEDS {
            let on_disk = base.path().join("left");
            disk.cut(seed + SEEDS * position as u64, &on_disk).expect("the disk");
            match left(&on_disk.join("rows")) {
                (0, true) => none += 1,
                (rows, false) if rows == LOGGED + IN_FILES => all += 1,
                left => panic!("{left:?} is left after record {position}, seed {seed}"),
            }
            fs::remove_dir_all(&on_disk).expect("no longer needed");
        }
    }
    assert!(all > 0 && none > 0, "{all} cuts left all, {none} nothing");
}
