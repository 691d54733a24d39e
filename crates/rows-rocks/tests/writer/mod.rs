//! A child process that writes numbered batches and acknowledges each, and the check of what is
//! found after its sudden end. Used by `crash` and `power_cut`.
//!
//! The child is the test program again, told by the environment to write. It acknowledges each
//! write on its standard output, which the parent reads; so the parent knows what was promised.
//! From time to time it also says up to which write the log must have been synced. It counts syncs
//! for that, and no seconds: a machine that pauses, or a slow disk, breaks no promise.

#![allow(dead_code, reason = "each test uses its own part")]

use std::collections::VecDeque;
use std::env;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rows::store::{
    Batch, Change, Direction, Durability, KeyRange, Reach, Read, Store, StoreUpkeep,
};
use rows_rocks::{RocksOptions, RocksStore};

const DIRECTORY: &str = "ROWS_ROCKS_WRITER_DIRECTORY";
const DURABILITY: &str = "ROWS_ROCKS_WRITER_DURABILITY";
const REPEATS: &str = "ROWS_ROCKS_WRITER_REPEATS";
/// How often a value repeats its number, unless that is said.
const REPEATS_USUAL: usize = 20;
/// Begins a line that says up to which number the log was synced.
const SYNCED: &str = "synced ";
/// Writes between two looks at how often the log was synced.
const LOOK_EVERY: u64 = 64;
const DURABILITIES: [Durability; 3] =
    [Durability::Os, Durability::EverySecond, Durability::EveryCommit];

pub fn open(directory: &Path) -> RocksStore {
    let options = RocksOptions { memory_bytes: 8 << 20, ..RocksOptions::default() };
    RocksStore::open(directory, &options).expect("the store opens")
}

/// The batch of one number: an entry for it, and the latest number, in one.
fn batch(number: u64, repeats: usize) -> Batch {
    let value = number.to_string().repeat(repeats);
    Batch {
        changes: vec![
            Change::put(key(number), value.into_bytes()),
            Change::put(b"latest".to_vec(), number.to_be_bytes().to_vec()),
        ],
    }
}

/// Keys that do not ascend with the numbers, as rows of a real table.
fn key(number: u64) -> Vec<u8> {
    let scattered = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [&b"n"[..], &scattered.to_be_bytes(), &number.to_be_bytes()].concat()
}

fn latest(store: &RocksStore) -> u64 {
    let mut value = Vec::new();
    match store.get(b"latest", Reach::Disk, &mut value).expect("the look-up") {
        true => u64::from_be_bytes(value[..].try_into().expect("eight bytes")),
        false => 0,
    }
}

/// The child's part: writes until it is killed. Without the environment, nothing.
pub fn write_if_told() {
    let (Ok(directory), Ok(name)) = (env::var(DIRECTORY), env::var(DURABILITY)) else {
        return;
    };
    let named = DURABILITIES.into_iter().find(|durability| format!("{durability:?}") == name);
    let durability = named.expect("a durability");
    let repeats = env::var(REPEATS).ok().and_then(|text| text.parse().ok());
    let repeats = repeats.unwrap_or(REPEATS_USUAL);
    let store = open(Path::new(&directory));
    let mut out = std::io::stdout().lock();
    let mut looks = VecDeque::new();
    for number in latest(&store) + 1.. {
        store.write(&batch(number, repeats), durability).expect("the write");
        writeln!(out, "{number}").and_then(|()| out.flush()).expect("the parent listens");
        if number % LOOK_EVERY == 0
            && let Some(synced) = synced(&store, &mut looks, number)
        {
            writeln!(out, "{SYNCED}{synced}").and_then(|()| out.flush()).expect("listens");
        }
    }
}

/// Up to which number the log was synced, if that is more than before, when `number` has been
/// written. `looks` are counts of syncs, each with the last number that was written by then: of
/// the syncs behind one the first may have begun earlier, the second has not.
fn synced(store: &RocksStore, looks: &mut VecDeque<(u64, u64)>, number: u64) -> Option<u64> {
    let figures = store.status().figures;
    let syncs = figures.iter().find(|(name, _)| name == "log-syncs").expect("a figure").1;
    looks.retain(|(count, _)| *count < syncs);
    looks.push_back((syncs, number));
    let mut covered = None;
    while let Some((_, number)) = looks.pop_front_if(|(count, _)| *count + 2 <= syncs) {
        covered = Some(number);
    }
    covered
}

/// A running child.
pub struct Writer {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    synced: u64,
}

impl Writer {
    /// Starts the test `child` of this program, which must call `write_if_told`.
    pub fn start(child: &str, directory: &Path, durability: Durability) -> Writer {
        Self::start_wide(child, directory, durability, REPEATS_USUAL)
    }

    /// The same with values that repeat their numbers so often.
    pub fn start_wide(
        child: &str,
        directory: &Path,
        durability: Durability,
        repeats: usize,
    ) -> Writer {
        let mut child = Command::new(env::current_exe().expect("this program"))
            .args(["--exact", child, "--nocapture"])
            .env(DIRECTORY, directory)
            .env(DURABILITY, format!("{durability:?}"))
            .env(REPEATS, repeats.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the child starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        Writer { child, lines, synced: 0 }
    }

    /// The next number acknowledged; `None` after the child's end.
    pub fn next(&mut self) -> Option<u64> {
        let synced = &mut self.synced;
        self.lines.find_map(|line| {
            let line = line.expect("a line");
            // The last line may be cut off.
            if let Some(Ok(number)) = line.strip_prefix(SYNCED).map(str::parse) {
                *synced = number;
            }
            // The test harness prints lines of its own.
            line.parse().ok()
        })
    }

    /// Up to which number the log was synced before the one that came last.
    pub fn synced(&self) -> u64 {
        self.synced
    }

    /// Kills the child at once. What is still to be read was acknowledged too.
    pub fn kill(&mut self) {
        self.child.kill().expect("the kill");
        assert!(!self.child.wait().expect("the child's end").success());
    }
}

/// Everything up to some number is there, nothing above; the number is given.
pub fn check_prefix(store: &RocksStore) -> u64 {
    let latest = latest(store);
    let mut found = 0;
    let mut cursor =
        store.scan(&KeyRange::default(), Direction::Forward, Reach::Disk).expect("the scan");
    while cursor.advance().expect("the cursor moves") {
        if cursor.key() == b"latest" {
            continue;
        }
        let number = cursor.key()[9..].try_into().map(u64::from_be_bytes).expect("eight bytes");
        assert!(number <= latest, "{number} came without the rest of its batch");
        let value = number.to_string();
        let repeats = cursor.value().len() / value.len();
        assert!(repeats > 0 && cursor.value() == value.repeat(repeats).as_bytes(), "{number}");
        found += 1;
    }
    assert_eq!(found, latest, "a number is missing below the latest one");
    store.verify().expect("sound checksums");
    latest
}
