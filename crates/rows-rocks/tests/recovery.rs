//! How long opening takes after a crash at full write speed: bounded by the setting, whatever
//! the rows and however many there are; on a machine that is slow at the moment, by the time in
//! which the rows of the log were written.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rows::store::{Batch, Change, Direction, Durability, KeyRange, Reach, Read, Store};
use rows_rocks::{RocksOptions, RocksStore};

/// Smallest rows, of which a log holds the most.
const VALUE_BYTES: usize = 8;
const BATCH_ROWS: u64 = 16;

fn open(directory: &Path, recovery_max: Duration) -> RocksStore {
    let memory_bytes = 1 << 30;
    let options = RocksOptions { memory_bytes, recovery_max, ..RocksOptions::default() };
    RocksStore::open(directory, &options).expect("the store opens")
}

fn log_bytes(directory: &Path) -> u64 {
    let files = fs::read_dir(directory).expect("a directory").flatten();
    let logs = files.filter(|file| file.path().extension().is_some_and(|end| end == "log"));
    logs.filter_map(|log| log.metadata().ok()).map(|log| log.len()).sum()
}

/// Writes until the log has been cut off by checkpoints several times, and leaves in `crashed`
/// the files of the moment in which it was longest. Says how long a byte of the log took to be
/// written, in seconds.
fn crash_when_the_log_is_longest(lived: &Path, crashed: &Path, recovery_max: Duration) -> f64 {
    let store = open(lived, recovery_max);
    let (mut longest, mut cuts, mut before, mut number) = (0, 0, 0, 0u64);
    let (mut written, mut took) = (0, Duration::ZERO);
    while cuts < 4 {
        let began = Instant::now();
        for _ in 0..1000 {
            let changes = (number..number + BATCH_ROWS).map(|number| {
                let key = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
                Change::put(key.to_vec(), vec![number as u8; VALUE_BYTES])
            });
            store.write(&Batch { changes: changes.collect() }, Durability::Os).expect("writes");
            number += BATCH_ROWS;
        }
        let bytes = log_bytes(lived);
        if bytes > before {
            written += bytes - before;
            took += began.elapsed();
        }
        cuts += u64::from(bytes < before);
        // Copying is slow: only near the longest seen.
        if bytes > longest + longest / 8 || cuts == 3 && bytes > longest * 9 / 10 {
            copy(lived, crashed);
            longest = log_bytes(crashed);
        }
        before = bytes;
    }
    took.as_secs_f64() / written as f64
}

/// The files as a crash of the process at this moment leaves them. Files that vanish meanwhile
/// are no longer needed.
fn copy(from: &Path, to: &Path) {
    if to.exists() {
        fs::remove_dir_all(to).expect("removed");
    }
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory").flatten() {
        let _ = fs::copy(entry.path(), to.join(entry.file_name()));
    }
}

#[test]
fn opening_after_a_crash_at_full_speed_takes_no_longer_than_was_set() {
    for seconds in [1, 2] {
        let recovery_max = Duration::from_secs(seconds);
        let home = tempfile::tempdir().unwrap();
        let (lived, crashed) = (home.path().join("lived"), home.path().join("crashed"));
        let written = crash_when_the_log_is_longest(&lived, &crashed, recovery_max);
        let bytes = log_bytes(&crashed);
        let began = Instant::now();
        let store = open(&crashed, recovery_max);
        let first = store.scan(&KeyRange::default(), Direction::Forward, Reach::Disk);
        assert!(first.expect("begins").advance().expect("reads"));
        let took = began.elapsed();
        let written = Duration::from_secs_f64(bytes as f64 * written);
        eprintln!(
            "set {recovery_max:?}: a log of {} MiB, written in {written:?}, was open after {took:?}",
            bytes >> 20
        );
        // The bound is of bytes; machines that run tests share their processors and caches.
        assert!(bytes <= seconds * (34 << 20), "{bytes} bytes of log");
        assert!(took < (recovery_max * 2).max(written * 2), "{took:?}");
    }
}
