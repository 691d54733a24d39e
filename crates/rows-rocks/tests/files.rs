//! What RocksStore promises of its files and its memory beyond `trait Store`.

mod cold_files;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cold_files::{cold, entries, key, value};
use rows::error::{Error, Wait};
use rows::ingestion::TableStore;
use rows::store::{
    Batch, Change, Direction, Durability, KeyRange, LoopStore, Reach, Read, Store, StoreUpkeep,
};
use rows_rocks::{DamagedLog, DamagedManifest, FORMAT_FILE, RocksOptions, RocksStore};

fn open(directory: &Path) -> RocksStore {
    try_open(directory).expect("the store opens")
}

fn try_open(directory: &Path) -> rows::Result<RocksStore> {
    let options = RocksOptions { memory_bytes: 8 << 20, ..RocksOptions::default() };
    RocksStore::open(directory, &options)
}

fn count(store: &RocksStore) -> u64 {
    let mut cursor =
        store.scan(&KeyRange::default(), Direction::Forward, Reach::Disk).expect("the scan");
    let mut count = 0;
    while cursor.advance().expect("the cursor moves") {
        count += 1;
    }
    count
}

/// The largest file with an extension.
fn largest(directory: &Path, extension: &str) -> PathBuf {
    let entries = fs::read_dir(directory).expect("the directory").flatten();
    let files = entries.map(|entry| entry.path());
    files
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .max_by_key(|path| fs::metadata(path).map_or(0, |metadata| metadata.len()))
        .expect("such a file")
}

fn damage(path: &Path, position: usize) {
    let mut bytes = fs::read(path).expect("the file");
    bytes[position] ^= 0x40;
    fs::write(path, bytes).expect("the damage");
}

#[test]
/// Batched look-ups once read from disk all the same.
fn reads_that_may_not_wait_find_what_is_in_memory_and_refuse_the_rest() {
    const ENTRIES: u64 = 40_000;
    let (_directory, store) = cold(ENTRIES, open);
    let mut found = Vec::new();
    let mut refused = 0;
    let mut waits = store.disk_waits();
    for number in (0..ENTRIES).step_by(97) {
        match store.get(&key(number), Reach::Memory, &mut found) {
            Ok(there) => assert!(there && found == value(number)),
            Err(Error::WouldWait(Wait::Disk)) => refused += 1,
            Err(other) => panic!("{other}"),
        }
        assert_eq!(store.disk_waits(), waits, "a read that may not wait did");
        assert!(store.get(&key(number), Reach::Disk, &mut found).unwrap());
        waits = store.disk_waits();
        assert!(store.get(&key(number), Reach::Memory, &mut found).unwrap());
        assert_eq!(found, value(number));
    }
    assert!(refused > 300, "{refused}: forty megabytes do not fit in eight");
    let all = KeyRange::default();
    let mut cursor = store.scan(&all, Direction::Backward, Reach::Memory).unwrap();
    let ended = loop {
        match cursor.advance() {
            Ok(true) => {}
            ended => break ended,
        }
    };
    assert!(matches!(ended, Err(Error::WouldWait(Wait::Disk))));
    let keys: Vec<Vec<u8>> = (0..ENTRIES).step_by(1000).map(key).collect();
    let many = store.get_many(&keys, Reach::Memory, &mut |_, _| Ok(()));
    assert!(matches!(many, Err(Error::WouldWait(Wait::Disk))));
}

#[test]
fn what_the_kernel_has_in_memory_is_read_without_waiting_but_not_without_end() {
    const ENTRIES: u64 = 40_000;
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = open(directory.path());
    store.ingest(&mut entries(ENTRIES)).unwrap();
    assert_eq!(
        count(&store),
        ENTRIES,
        "files are written past the page cache, and read through it"
    );
    let mut found = Vec::new();
    let mut waits = store.disk_waits();
    store.begin_turn(false);
    let mut turns = 1;
    for number in (0..ENTRIES).step_by(7) {
        let mut there = store.get(&key(number), Reach::Memory, &mut found);
        if matches!(there, Err(Error::WouldWait(Wait::Disk))) {
            store.begin_turn(false);
            turns += 1;
            there = store.get(&key(number), Reach::Memory, &mut found);
        }
        if matches!(there, Err(Error::WouldWait(Wait::Disk))) {
            // The kernel has had another use for the page: then it is not in memory indeed.
            there = store.get(&key(number), Reach::Disk, &mut found);
            assert!(store.disk_waits() > waits, "it was refused, and in memory");
            waits = store.disk_waits();
        }
        assert!(there.unwrap() && found == value(number));
    }
    assert_eq!(store.disk_waits(), waits);
    assert!((20..100).contains(&turns), "{turns}: five thousand blocks are many turns' work");
}

#[test]
fn memory_stays_within_what_was_given() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    for start in (0..40_000).step_by(100) {
        let changes = (start..start + 100).map(|number| Change::put(key(number), value(number)));
        store.write(&Batch { changes: changes.collect() }, Durability::Os).unwrap();
        let memory = store.status().memory_bytes;
        assert!(memory <= 10 << 20, "{memory}");
    }
    assert_eq!(count(&store), 40_000);
    assert!(store.status().memory_bytes <= 10 << 20);
}

#[test]
fn a_damaged_data_file_is_found_by_verify_and_never_read_as_data() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    store.ingest(&mut entries(5_000)).unwrap();
    store.verify().unwrap();
    drop(store);
    damage(&largest(directory.path(), "sst"), 1_000_000);
    let store = open(directory.path());
    assert!(matches!(store.verify(), Err(Error::Store { .. })));
    let mut found = Vec::new();
    let mut unreadable = 0;
    for number in 0..5_000 {
        match store.get(&key(number), Reach::Disk, &mut found) {
            Ok(there) => assert!(there && found == value(number)),
            Err(_) => unreadable += 1,
        }
    }
    assert!((1..100).contains(&unreadable), "{unreadable}");
}

/// A thousand rows, one a write, in a log that is as a crash of the process leaves it: one log,
/// so the write buffer must be larger than the rows.
fn crashed(durability: Durability) -> tempfile::TempDir {
    let (lived, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = RocksOptions { memory_bytes: 32 << 20, ..RocksOptions::default() };
    let store = RocksStore::open(lived.path(), &options).expect("the store opens");
    for number in 0..1_000 {
        let changes = vec![Change::put(key(number), value(number))];
        store.write(&Batch { changes }, durability).unwrap();
    }
    for entry in fs::read_dir(lived.path()).unwrap().flatten() {
        fs::copy(entry.path(), crashed.path().join(entry.file_name())).unwrap();
    }
    crashed
}

#[test]
fn a_log_that_is_damaged_where_it_was_synced_is_refused_and_left_as_it_is() {
    let directory = crashed(Durability::EveryCommit);
    let log = largest(directory.path(), "log");
    damage(&log, 500_000);
    let before = fs::read(&log).unwrap();
    for _ in 0..2 {
        let Err(Error::Store { source, .. }) = try_open(directory.path()) else {
            panic!("synced writes are missing");
        };
        let damaged = source.downcast_ref::<DamagedLog>().expect("says what is damaged");
        assert_eq!(damaged.file, log);
        assert!((498_000..=500_000).contains(&damaged.place), "{damaged}");
        let (first, last) = damaged.lost.expect("names the writes");
        assert!((400..600).contains(&first) && first == last, "{damaged}");
        assert_eq!(fs::read(&log).unwrap(), before);
    }
    let options = RocksOptions {
        memory_bytes: 8 << 20,
        gives_up_damaged_log: true,
        ..RocksOptions::default()
    };
    let store = RocksStore::open(directory.path(), &options).unwrap();
    assert!((400..600).contains(&count(&store)));
    drop(store);
    open(directory.path());
}

#[test]
fn a_log_of_a_stopped_store_is_refused_wherever_it_is_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let changes = vec![Change::put(key(1), value(1))];
    store.write(&Batch { changes }, Durability::Os).unwrap();
    drop(store);
    damage(&largest(directory.path(), "log"), 300);
    assert!(try_open(directory.path()).is_err(), "the only row would be lost");
}

#[test]
fn a_log_cut_short_by_a_crash_is_replayed_up_to_the_cut() {
    let directory = crashed(Durability::EveryCommit);
    let log = largest(directory.path(), "log");
    let bytes = fs::read(&log).unwrap();
    // Behind the last record are the zeros that were laid out for the next ones.
    let end = bytes.iter().rposition(|byte| *byte != 0).expect("records");
    fs::write(&log, &bytes[..end - 300]).unwrap();
    assert_eq!(count(&open(directory.path())), 999);
}

#[test]
fn a_log_torn_where_it_was_not_synced_is_replayed_up_to_the_tear() {
    let directory = crashed(Durability::Os);
    damage(&largest(directory.path(), "log"), 500_000);
    let store = open(directory.path());
    let there = count(&store);
    assert!((400..600).contains(&there), "{there}");
    let mut found = Vec::new();
    for number in 0..there {
        assert!(store.get(&key(number), Reach::Disk, &mut found).unwrap());
        assert_eq!(found, value(number));
    }
    store.verify().unwrap();
}

#[test]
fn a_newer_or_foreign_directory_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    drop(open(directory.path()));
    let format = directory.path().join(FORMAT_FILE);
    let sound = fs::read(&format).unwrap();
    damage(&format, 3);
    let names = || {
        let entries = fs::read_dir(directory.path()).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    assert!(matches!(try_open(directory.path()), Err(Error::Corrupt { .. })));
    fs::remove_file(&format).unwrap();
    assert!(matches!(try_open(directory.path()), Err(Error::Refused { .. })));
    fs::write(&format, sound).unwrap();
    assert_eq!(names(), before);
    open(directory.path());
}

#[test]
fn a_directory_that_lost_its_database_is_not_taken_for_an_empty_one() {
    let directory = tempfile::tempdir().unwrap();
    drop(open(directory.path()));
    fs::remove_file(directory.path().join("CURRENT")).unwrap();
    assert!(matches!(try_open(directory.path()), Err(Error::Store { .. })));
}

#[test]
fn reclaiming_goes_on_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    store.ingest(&mut entries(20_000)).unwrap();
    let range = KeyRange { start: key(100), end: key(19_900) };
    let changes = vec![Change::DeleteRange(range.clone())];
    store.write(&Batch { changes }, Durability::Os).unwrap();
    store.reclaim(&[range]).unwrap();
    // At once: the compaction is cut short, or has not begun.
    drop(store);
    let store = open(directory.path());
    let deadline = Instant::now() + Duration::from_secs(60);
    while store.status().disk_bytes > 2_000_000 {
        assert!(Instant::now() < deadline, "{:?}", store.status());
        std::thread::yield_now();
    }
    assert_eq!(count(&store), 200);
}

#[test]
fn a_store_that_is_only_looked_at_is_not_compacted() {
    let directory = tempfile::tempdir().unwrap();
    let options = RocksOptions { memory_bytes: 8 << 20, compacts: false, ..Default::default() };
    let store = RocksStore::open(directory.path(), &options).unwrap();
    // The same keys again and again, in every file once or twice: compacted, once.
    for round in 0..20 {
        for number in 0..1000 {
            let changes = vec![Change::put(key(number), value(number + round * 1000))];
            store.write(&Batch { changes }, Durability::Os).unwrap();
        }
    }
    drop(store);
    // How much lies there depends on how many buffers were waiting when a flush began: what a
    // buffer writes over in one before it is left out of their file.
    let store = RocksStore::open(directory.path(), &options).unwrap();
    let written = store.status().disk_bytes;
    drop(store);
    let store = RocksStore::open(directory.path(), &options).unwrap();
    assert_eq!(count(&store), 1000);
    // Lists and logs of the store itself come and go.
    assert!(store.status().disk_bytes > written / 8 * 7, "{written}: {:?}", store.status());
    drop(store);
    let store = open(directory.path());
    let deadline = Instant::now() + Duration::from_secs(60);
    while store.status().disk_bytes > written * 3 / 4 {
        assert!(Instant::now() < deadline, "{written}: {:?}", store.status());
        std::thread::yield_now();
    }
}

#[test]
fn files_of_an_interrupted_ingestion_are_removed() {
    let directory = tempfile::tempdir().unwrap();
    drop(open(directory.path()));
    let leftover = directory.path().join("ingest");
    fs::create_dir(&leftover).unwrap();
    fs::write(leftover.join("0.sst"), b"half a file").unwrap();
    let store = open(directory.path());
    assert!(!leftover.join("0.sst").exists());
    store.ingest(&mut entries(10)).unwrap();
    assert_eq!(count(&store), 10);
}

#[test]
fn sizes_of_ranges_are_about_right_with_and_without_an_end() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    store.ingest(&mut entries(20_000)).unwrap();
    let all = store.approximate_bytes(&KeyRange::default()).unwrap();
    assert!((15_000_000..25_000_000).contains(&all), "{all}");
    let half = KeyRange { start: key(10_000), end: Vec::new() };
    let half = store.approximate_bytes(&half).unwrap();
    assert!((7_000_000..13_000_000).contains(&half), "{half}");
}

/// RocksDB's reader once went round for ever on a record of a type that only recycled logs have.
#[test]
fn a_log_or_list_of_files_with_a_type_of_recycled_logs_is_refused_and_not_read_for_ever() {
    for name in ["log", "MANIFEST"] {
        let directory = crashed(Durability::Os);
        let file = match name {
            "log" => largest(directory.path(), "log"),
            _ => directory
                .path()
                .join(fs::read_to_string(directory.path().join("CURRENT")).unwrap().trim_end()),
        };
        let mut bytes = fs::read(&file).unwrap();
        // The second record's type: behind the first one's head and data.
        let second = 7 + usize::from(u16::from_le_bytes([bytes[4], bytes[5]]));
        assert_eq!(bytes[second + 6], 1);
        bytes[second + 6] = 5;
        fs::write(&file, bytes).unwrap();
        let Err(Error::Store { source, .. }) = try_open(directory.path()) else {
            panic!("{name} is damaged");
        };
        let place = second as u64;
        match name {
            "log" => {
                let damaged = source.downcast_ref().expect("says what is damaged");
                assert_eq!(DamagedLog { file, place, lost: None }, *damaged);
            }
            _ => {
                let damaged = source.downcast_ref().expect("says what is damaged");
                assert_eq!(DamagedManifest { file, place }, *damaged);
                let says = damaged.to_string();
                assert!(says.contains("rowhouse restore") && !says.contains("rowhouse salvage"));
            }
        }
    }
}

#[test]
fn a_checkpoint_goes_on_giving_space_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(&directory.path().join("data"));
    store.ingest(&mut entries(400)).expect("ingested");
    for number in 0..200 {
        let range = KeyRange { start: key(number), end: key(number + 1) };
        let removal = Batch { changes: vec![Change::DeleteRange(range.clone())] };
        store.write(&removal, Durability::Os).expect("removed");
        store.reclaim(&[range]).expect("begun");
    }
    let copy = directory.path().join("copy");
    store.checkpoint(&copy).expect("the checkpoint");
    let listed = fs::read_to_string(copy.join("RECLAIM")).expect("the list");
    assert!(listed.lines().count() > 0, "nothing is left to reclaim");
    let copy = open(&copy);
    let deadline = Instant::now() + Duration::from_secs(60);
    let pending = || {
        let figures = copy.status().figures;
        let figure = figures.into_iter().find(|(name, _)| name == "ranges-to-reclaim");
        figure.expect("a figure").1
    };
    while pending() > 0 {
        assert!(Instant::now() < deadline, "not reclaimed");
        std::thread::yield_now();
    }
    assert_eq!(count(&copy), 200);
}
