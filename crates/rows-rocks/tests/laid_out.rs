//! A log that is laid out ahead (`laid_out`): crashes at any moment of it, damage in it, new logs,
//! and backups taken meanwhile.
//!
//! A crash of the process is a copy of the directory while nobody writes: the log still has its
//! zeros then. Full disks are in `disk_full`, power cuts in `power_cut` and in the server's
//! `crash`.

mod writer;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use rows::error::Error;
use rows::store::{
    Batch, Change, Direction, Durability, KeyRange, Reach, Read, Store, StoreUpkeep,
};
use rows_rocks::{Backups, DamagedLog, RocksOptions, RocksStore, Sharing};
use writer::{Writer, check_prefix, open, write_if_told};

/// As many zeros as no record ends with.
const MANY: usize = 1000;
/// Commits until a log is laid out, and some more.
const COMMITS: u64 = 100;

fn put(number: u64, value: Vec<u8>) -> Batch {
    Batch { changes: vec![Change::put(number.to_be_bytes().to_vec(), value)] }
}

/// Rows end with another byte than zero, so that the end of a record is seen.
fn commit(store: &RocksStore, numbers: std::ops::Range<u64>) {
    for number in numbers {
        store.write(&put(number, vec![7; 100]), Durability::EveryCommit).expect("written");
    }
}

fn laid_out(store: &RocksStore) -> u64 {
    let figures = store.status().figures;
    figures.iter().find(|(name, _)| name == "log-bytes-laid-out").expect("a figure").1
}

fn logs(directory: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(directory).expect("a directory").flatten().map(|entry| entry.path());
    let mut logs: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "log")).collect();
    logs.sort();
    logs
}

/// The newest log and how many of its bytes lie before the zeros at its end.
fn newest(directory: &Path) -> (PathBuf, usize, Vec<u8>) {
    let path = logs(directory).pop().expect("a log");
    let bytes = fs::read(&path).expect("readable");
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    (path, end, bytes)
}

fn ends_with_zeros(log: &Path) -> bool {
    fs::read(log).expect("readable").ends_with(&[0; MANY])
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory").flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

fn numbers(store: &RocksStore) -> BTreeSet<u64> {
    let mut cursor =
        store.scan(&KeyRange::default(), Direction::Forward, Reach::Disk).expect("the scan");
    let mut numbers = BTreeSet::new();
    while cursor.advance().expect("the cursor moves") {
        numbers.insert(u64::from_be_bytes(cursor.key().try_into().expect("eight bytes")));
    }
    numbers
}

/// A directory as a crash behind `COMMITS` commits leaves it.
fn crashed() -> tempfile::TempDir {
    let (lived, left) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open(lived.path());
    commit(&store, 0..COMMITS);
    copy(lived.path(), left.path());
    assert!(ends_with_zeros(&newest(left.path()).0));
    left
}

#[test]
fn small_synced_commits_lay_the_log_out_and_closing_cuts_it_off() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    commit(&store, 0..COMMITS);
    assert!(laid_out(&store) > 0 && ends_with_zeros(&newest(directory.path()).0));
    drop(store);
    let (log, end, bytes) = newest(directory.path());
    // A mark is the last record; its number ends with some zeros.
    assert!(bytes.len() - end < 8, "{} has {} of {end} bytes", log.display(), bytes.len());
    assert_eq!(numbers(&open(directory.path())).len() as u64, COMMITS);
}

#[test]
fn unsynced_and_large_writes_lay_nothing_out() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    for number in 0..COMMITS {
        store.write(&put(number, vec![7; 100]), Durability::EverySecond).expect("written");
        store.write(&put(number, vec![7; 70_000]), Durability::EveryCommit).expect("written");
    }
    assert_eq!(laid_out(&store), 0);
}

#[test]
fn a_crash_loses_nothing_whether_there_are_zeros_or_a_torn_record_at_the_end() {
    let left = crashed();
    let (log, end, bytes) = newest(left.path());
    let found = |bytes: &[u8]| {
        let directory = tempfile::tempdir().unwrap();
        copy(left.path(), directory.path());
        fs::write(directory.path().join(log.file_name().unwrap()), bytes).unwrap();
        let store = open(directory.path());
        store.verify().expect("sound checksums");
        numbers(&store).len() as u64
    };
    assert_eq!(found(&bytes), COMMITS);
    // Laid out once more, and nothing written since.
    assert_eq!(found(&[&bytes[..], &[0; 256 << 10]].concat()), COMMITS);
    // A record that was under way and never acknowledged: its beginning, its end, or a wrong bit.
    for torn in [end - 90..end, end - 130..end - 60, end - 20..end - 10] {
        let mut bytes = bytes.clone();
        bytes[torn.clone()].fill(0);
        assert_eq!(found(&bytes), COMMITS - 1, "{torn:?}");
    }
    let mut wrong = bytes.clone();
    wrong[end - 50] ^= 1;
    assert_eq!(found(&wrong), COMMITS - 1);
}

#[test]
fn damage_before_the_zeros_is_refused_and_nothing_is_changed() {
    let left = crashed();
    let (log, end, sound) = newest(left.path());
    for length in [1, 80, 512] {
        let mut bytes = sound.clone();
        bytes[end / 2] ^= 1;
        bytes[end / 2 + 1..end / 2 + length].fill(0);
        fs::write(&log, &bytes).unwrap();
        // Twice: a refusal leaves what the next one needs.
        for _ in 0..2 {
            let refused = RocksStore::open(left.path(), &RocksOptions::default()).err();
            let Some(Error::Store { source, .. }) = refused else { panic!("{refused:?}") };
            let damaged = source.downcast_ref::<DamagedLog>().expect("damage of the log");
            assert_eq!(damaged.file, log);
            assert!(damaged.place <= (end / 2) as u64 && damaged.lost.is_some(), "{damaged}");
            assert!(fs::read(&log).unwrap() == bytes, "the log was changed");
        }
    }
}

#[test]
fn each_new_log_is_laid_out() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let mut seen = BTreeSet::new();
    for number in 0..4000 {
        store.write(&put(number, vec![7; 1000]), Durability::EveryCommit).expect("written");
        if number % 20 == 0 {
            let (log, end, bytes) = newest(directory.path());
            if bytes.len() - end > MANY {
                seen.insert(log);
            }
        }
    }
    assert!(seen.len() > 2, "{seen:?}");
    // What is left of the others has gone with them.
    assert!(logs(directory.path()).len() <= 4);
    drop(store);
    assert_eq!(numbers(&open(directory.path())).len(), 4000);
}

#[test]
fn a_child_writes_until_it_is_killed() {
    write_if_told();
}

/// Rows so large that the log is changed every few of them: a kill then often leaves several
/// logs, of which those before the last have zeros at their ends, too.
#[test]
fn a_kill_amid_new_logs_loses_nothing_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let (mut several, mut last) = (0, 0);
    for round in 0..12 {
        let child = "a_child_writes_until_it_is_killed";
        let every_commit = Durability::EveryCommit;
        let mut writer = Writer::start_wide(child, directory.path(), every_commit, 5000);
        let mut acknowledged = 0;
        let mut wait = || acknowledged = writer.next().expect("the child writes");
        (0..100).for_each(|_| wait());
        // Until there is a new log, while the one before is still being written to a file.
        while logs(directory.path()).len() < 2 {
            wait();
        }
        (0..round % 4).for_each(|_| wait());
        writer.kill();
        acknowledged = std::iter::from_fn(|| writer.next()).last().unwrap_or(acknowledged);
        let logs = logs(directory.path());
        several += usize::from(logs[..logs.len() - 1].iter().any(|log| ends_with_zeros(log)));
        last = check_prefix(&open(directory.path())).max(last);
        assert!(last >= acknowledged, "{acknowledged} was acknowledged, {last} is there");
    }
    eprintln!("{several} of 12 kills left zeros at the end of a log before the last");
}

#[test]
fn a_backup_while_eight_writers_commit_has_what_was_acknowledged_before_it() {
    const WRITERS: u64 = 8;
    let home = tempfile::tempdir().unwrap();
    let store = open(&home.path().join("rows"));
    let backups = Backups::to_write(&home.path().join("backups")).expect("a directory");
    let done = AtomicBool::new(false);
    let acknowledged: Vec<AtomicU64> = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (store, done, acknowledged) = (&store, &done, &acknowledged[writer as usize]);
            scope.spawn(move || {
                for number in 1.. {
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                    let batch = put(writer << 32 | number, vec![7; 300]);
                    store.write(&batch, Durability::EveryCommit).expect("written");
                    acknowledged.store(number, Ordering::Release);
                }
            });
        }
        let enough = |least: u64| {
            while acknowledged.iter().any(|count| count.load(Ordering::Acquire) < least) {
                thread::yield_now();
            }
        };
        for round in 1..=6 {
            enough(round * 60);
            assert!(laid_out(&store) > 0);
            let before: Vec<u64> =
                acknowledged.iter().map(|count| count.load(Ordering::Acquire)).collect();
            let frozen = home.path().join("frozen");
            store.checkpoint(&frozen).expect("the checkpoint");
            // RocksDB copies what it has counted, and no zeros.
            for log in logs(&frozen) {
                assert!(!ends_with_zeros(&log), "{}", log.display());
            }
            backups.add(&frozen, Sharing::Links, &mut |_, _| {}).expect("a backup");
            fs::remove_dir_all(&frozen).expect("removed");
            let restored = home.path().join("restored");
            let backup = backups.get(None).expect("a backup");
            backups.restore(&backup, &restored, &mut |_, _| {}).expect("restored");
            let there = numbers(&open(&restored));
            for (writer, before) in (0..WRITERS).zip(before) {
                let own: Vec<u64> =
                    there.range(writer << 32..(writer + 1) << 32).copied().collect();
                assert!(own.len() as u64 >= before, "{before} acknowledged, {} there", own.len());
                assert!(own.iter().copied().eq((1..=own.len() as u64).map(|n| writer << 32 | n)));
            }
            fs::remove_dir_all(&restored).expect("removed");
        }
        done.store(true, Ordering::Relaxed);
    });
}
