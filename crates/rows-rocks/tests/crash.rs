//! A process that writes is killed; everything it acknowledged is there afterwards, and nothing
//! by halves.
//!
//! The child is this test program again, told by the environment to write. It acknowledges each
//! write on its standard output, which the parent reads; so the parent knows what was promised.
//! A kill leaves what the operating system holds, so this proves nothing about syncs: see
//! `power_cut`.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use rows::store::{Batch, Change, Direction, Durability, KeyRange, Reach, Read, Store};
use rows_rocks::{RocksOptions, RocksStore};

const DIRECTORY: &str = "ROWS_ROCKS_CRASH_DIRECTORY";
const DURABILITY: &str = "ROWS_ROCKS_CRASH_DURABILITY";

/// Kills per durability; each on the directory that the one before left.
const KILLS: usize = 4;
/// Acknowledgements before a kill: enough under the last two to fill several write buffers.
const ACKNOWLEDGED: [(Durability, u64); 3] = [
    (Durability::Os, 30_000),
    (Durability::EverySecond, 30_000),
    (Durability::EveryCommit, 300),
];

fn open(directory: &Path) -> RocksStore {
    let options = RocksOptions {
        memory_bytes: 8 << 20,
        ..RocksOptions::default()
    };
    RocksStore::open(directory, &options).expect("the store opens")
}

fn durability(name: &str) -> Durability {
    let names = ACKNOWLEDGED.iter().map(|(durability, _)| *durability);
    names
        .into_iter()
        .find(|durability| format!("{durability:?}") == name)
        .expect("a durability")
}

/// The batch of one number: an entry for it, and the latest number, in one.
fn batch(number: u64) -> Batch {
    let value = number.to_string().repeat(20);
    Batch {
        changes: vec![
            Change::Put(key(number), value.into_bytes()),
            Change::Put(b"latest".to_vec(), number.to_be_bytes().to_vec()),
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
    match store
        .get(b"latest", Reach::Disk, &mut value)
        .expect("the look-up")
    {
        true => u64::from_be_bytes(value[..].try_into().expect("eight bytes")),
        false => 0,
    }
}

/// The child's part; without the environment, nothing.
#[test]
fn a_child_writes_until_it_is_killed() {
    let (Ok(directory), Ok(name)) = (env::var(DIRECTORY), env::var(DURABILITY)) else {
        return;
    };
    let durability = durability(&name);
    let store = open(Path::new(&directory));
    let mut out = std::io::stdout().lock();
    for number in latest(&store) + 1.. {
        store.write(&batch(number), durability).expect("the write");
        writeln!(out, "{number}")
            .and_then(|()| out.flush())
            .expect("the parent listens");
    }
}

/// Lets a child write until it acknowledged `count` numbers; gives the last one acknowledged.
fn write_and_kill(directory: &Path, durability: Durability, count: u64) -> u64 {
    let mut child = Command::new(env::current_exe().expect("this program"))
        .args([
            "--exact",
            "a_child_writes_until_it_is_killed",
            "--nocapture",
        ])
        .env(DIRECTORY, directory)
        .env(DURABILITY, format!("{durability:?}"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the child starts");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut acknowledged = 0;
    let mut seen = 0;
    // Lines still in the pipe after the kill were acknowledged too.
    for line in lines {
        let Ok(number) = line.expect("a line").parse() else {
            continue;
        };
        acknowledged = number;
        seen += 1;
        if seen == count {
            child.kill().expect("the kill");
        }
    }
    assert!(!child.wait().expect("the child's end").success());
    assert!(seen >= count);
    acknowledged
}

/// Everything up to some number is there, nothing above; the number is given.
fn check_prefix(store: &RocksStore) -> u64 {
    let latest = latest(store);
    let mut found = 0;
    let mut cursor = store
        .scan(&KeyRange::default(), Direction::Forward, Reach::Disk)
        .expect("the scan");
    while cursor.advance().expect("the cursor moves") {
        if cursor.key() == b"latest" {
            continue;
        }
        let number = cursor.key()[9..]
            .try_into()
            .map(u64::from_be_bytes)
            .expect("eight bytes");
        assert!(
            number <= latest,
            "{number} came without the rest of its batch"
        );
        assert_eq!(cursor.value(), number.to_string().repeat(20).as_bytes());
        found += 1;
    }
    assert_eq!(found, latest, "a number is missing below the latest one");
    latest
}

fn nothing_acknowledged_is_lost(durability: Durability, count: u64) {
    let directory = tempfile::tempdir().expect("a directory");
    let mut last = 0;
    for _ in 0..KILLS {
        let acknowledged = write_and_kill(directory.path(), durability, count);
        assert!(acknowledged > last);
        let store = open(directory.path());
        last = check_prefix(&store);
        assert!(
            last >= acknowledged,
            "{acknowledged} was acknowledged, {last} is there"
        );
        store.verify().expect("sound checksums");
    }
}

#[test]
fn a_kill_loses_nothing_acknowledged_under_os() {
    nothing_acknowledged_is_lost(ACKNOWLEDGED[0].0, ACKNOWLEDGED[0].1);
}

#[test]
fn a_kill_loses_nothing_acknowledged_under_every_second() {
    nothing_acknowledged_is_lost(ACKNOWLEDGED[1].0, ACKNOWLEDGED[1].1);
}

#[test]
fn a_kill_loses_nothing_acknowledged_under_every_commit() {
    nothing_acknowledged_is_lost(ACKNOWLEDGED[2].0, ACKNOWLEDGED[2].1);
}
