//! A range is removed, its files are deleted, and the power is cut at any moment of that: what is
//! left is all of the range, or its removal and nothing.
//!
//! The child is this test program again, on the file layer of crate `faults`.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use faults::{Disk, Journal, Kind, Layer};
use rows::store::{Batch, Change, Direction, Durability, KeyRange, Reach, Read, Store};
use rows_rocks::{RocksOptions, RocksStore};

const DIRECTORY: &str = "ROWS_ROCKS_DROPPED_DIRECTORY";
/// Rows that are in the log, and rows in files of their own.
const LOGGED: u32 = 50;
const IN_FILES: u32 = 5000;
/// Written in one with the removal.
const REMOVED: &str = "removed";
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
    let changes = vec![Change::DeleteRange(range()), Change::put(REMOVED, Vec::new())];
    store.write(&Batch { changes }, Durability::Os).expect("the removal");
    store.reclaim(&[range()]).expect("the reclaiming begins");
    wait_for_reclaiming(&store);
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
    let mut cursor = store.scan(&range(), Direction::Forward, Reach::Disk).expect("a scan");
    let mut rows = 0;
    while cursor.advance().expect("the next row") {
        rows += 1;
    }
    (rows, store.get(REMOVED.as_bytes(), Reach::Disk, &mut Vec::new()).expect("a look-up"))
}

#[test]
fn a_power_cut_no_longer_takes_rows_of_a_range_whose_removal_it_takes_back() {
    let base = tempfile::tempdir().expect("a directory");
    let root = base.path().join("disk");
    fs::create_dir(&root).expect("the root");
    let layer = Layer::new(&root, &base.path().join("layer")).expect("the layer");
    let layer = layer.recording(Duration::ZERO, Duration::ZERO).expect("the layer");
    let mut child = Command::new(env::current_exe().expect("this program"));
    child.args(["--exact", "a_child_removes_a_range_and_has_its_files_deleted"]);
    layer.beneath(child.env(DIRECTORY, &root));
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
