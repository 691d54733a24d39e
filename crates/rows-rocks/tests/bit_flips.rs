//! Single wrong bits in every kind of file of a data directory: each is refused, or found when
//! the bytes are read, or does no harm. None gives a wrong answer, a missing row included.
//!
//! `ROWHOUSE_FLIPS=10000` sets how many bits; which ones follows from the number of the flip.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rows::store::{
    Batch, Change, Direction, Durability, KeyRange, Reach, Read, Store, StoreUpkeep,
};
use rows_rocks::{RocksOptions, RocksStore};

const FLIPS: u64 = 600;
/// First bytes of keys of a removed range.
const RECLAIMED: std::ops::Range<u8> = 0x40..0x50;

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

fn open(directory: &Path) -> rows::Result<RocksStore> {
    let options = RocksOptions { memory_bytes: 16 << 20, ..RocksOptions::default() };
    RocksStore::open(directory, &options)
}

/// Well mixed numbers, the same in every run.
fn random(number: u64) -> u64 {
    let mixed = (number ^ (number >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (mixed >> 32)
}

/// A directory with data files of several levels, a range that is being reclaimed, and a log
/// with small, large and removed rows, as a stopped server leaves it.
fn build(directory: &Path) -> Rows {
    let mut rows = Rows::new();
    for life in 0..4 {
        let store = open(directory).expect("opens");
        for number in 0..300u64 {
            let key = random(number * 4 + life).to_be_bytes().to_vec();
            // Nothing comes into a range that is being reclaimed: its numbers are not used again.
            if life == 3 && RECLAIMED.contains(&key[0]) {
                continue;
            }
            let bytes = if number % 60 == 9 { 9000 } else { (random(number) % 120) as usize };
            let value = vec![number as u8; bytes];
            let mut changes = vec![Change::put(key.clone(), value.clone())];
            rows.insert(key, value);
            if number % 7 == 3
                && let Some(old) = rows.keys().nth(number as usize / 3).cloned()
            {
                rows.remove(&old);
                changes.push(Change::delete(old));
            }
            let durability = match number % 3 {
                0 => Durability::EveryCommit,
                1 => Durability::EverySecond,
                _ => Durability::Os,
            };
            store.write(&Batch { changes }, durability).expect("writes");
        }
        if life == 2 {
            let range = KeyRange { start: vec![RECLAIMED.start], end: vec![RECLAIMED.end] };
            let changes = vec![Change::DeleteRange(range.clone())];
            store.write(&Batch { changes }, Durability::EveryCommit).expect("writes");
            rows.retain(|key, _| !RECLAIMED.contains(&key[0]));
            store.reclaim(std::slice::from_ref(&range)).expect("begins");
        }
    }
    rows
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory").flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

/// What a flip led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Refused,
    FoundOnReading,
    Harmless,
    Wrong,
}

/// Opens the directory and reads everything, in every way there is.
fn look(directory: &Path, rows: &Rows) -> (Outcome, String) {
    let store = match open(directory) {
        Ok(store) => store,
        Err(error) => return (Outcome::Refused, with_sources(&error)),
    };
    let mut wrong = Vec::new();
    let mut failures = Vec::new();
    let mut found = Vec::new();
    for (key, value) in rows {
        match store.get(key, Reach::Disk, &mut found) {
            Ok(true) if found == *value => {}
            Ok(there) => wrong.push(format!("{key:02x?} there: {there}")),
            Err(error) => failures.push(with_sources(&error)),
        }
    }
    for direction in [Direction::Forward, Direction::Backward] {
        let mut scanned = Rows::new();
        let mut cursor = store.scan(&KeyRange::default(), direction, Reach::Disk).expect("begins");
        loop {
            match cursor.advance() {
                Ok(true) => {
                    scanned.insert(cursor.key().to_vec(), cursor.value().to_vec());
                }
                Ok(false) if scanned == *rows => break,
                Ok(false) => {
                    wrong.push(format!("{} rows of {}", scanned.len(), rows.len()));
                    break;
                }
                Err(error) => {
                    if scanned.iter().any(|(key, value)| rows.get(key) != Some(value)) {
                        wrong.push("a wrong row before the error".to_string());
                    }
                    failures.push(with_sources(&error));
                    break;
                }
            }
        }
    }
    if let Err(error) = store.verify() {
        failures.push(with_sources(&error));
    }
    match (wrong.pop(), failures.pop()) {
        (Some(what), _) => (Outcome::Wrong, what),
        (None, Some(failure)) => (Outcome::FoundOnReading, failure),
        (None, None) => (Outcome::Harmless, String::new()),
    }
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(&format!(": {inner}"));
        source = inner.source();
    }
    text
}

/// The kind of a file: its name without its number.
fn kind(path: &Path) -> String {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    match path.extension() {
        Some(extension) => extension.to_string_lossy().into_owned(),
        None => name.split('-').next().unwrap_or_default().to_string(),
    }
}

#[test]
fn a_wrong_bit_in_any_file_is_never_a_wrong_answer() {
    let flips = std::env::var("ROWHOUSE_FLIPS").ok().and_then(|text| text.parse().ok());
    let flips = flips.unwrap_or(FLIPS);
    let home = tempfile::tempdir().unwrap();
    let sound = home.path().join("sound");
    let rows = build(&sound);
    let mut files: Vec<PathBuf> =
        fs::read_dir(&sound).unwrap().flatten().map(|entry| entry.path()).collect();
    files.retain(|file| fs::metadata(file).is_ok_and(|metadata| metadata.len() > 0));
    files.sort();
    assert_eq!(look(&sound_copy(&home, &sound), &rows).0, Outcome::Harmless, "undamaged");
    let mut outcomes: BTreeMap<(String, Outcome), u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for flip in 0..flips {
        // Files in turn, so that small ones have their share.
        let file = &files[flip as usize % files.len()];
        let directory = home.path().join("damaged");
        copy(&sound, &directory);
        let damaged = directory.join(file.file_name().expect("a name"));
        let mut bytes = fs::read(&damaged).unwrap();
        let bit = random(flip) % (bytes.len() as u64 * 8);
        bytes[bit as usize / 8] ^= 1 << (bit % 8);
        fs::write(&damaged, &bytes).unwrap();
        let (outcome, why) = look(&directory, &rows);
        let name = damaged.file_name().expect("a name").to_string_lossy().into_owned();
        let place = format!("flip {flip}: bit {} of byte {} of {name}", bit % 8, bit / 8);
        match outcome {
            Outcome::Wrong => wrong.push(format!("{place}: {why}")),
            Outcome::Refused | Outcome::FoundOnReading => {
                let says =
                    why.contains(&name) || why.contains("MANIFEST") || why.contains("FORMAT");
                assert!(says, "{place}: the error names no file: {why}");
            }
            Outcome::Harmless => {}
        }
        *outcomes.entry((kind(&damaged), outcome)).or_default() += 1;
        fs::remove_dir_all(&directory).unwrap();
    }
    for ((kind, outcome), count) in &outcomes {
        eprintln!("{kind:>10} {count:6} {outcome:?}");
    }
    assert!(wrong.is_empty(), "{} wrong of {flips}:\n{}", wrong.len(), wrong.join("\n"));
    let kinds: Vec<&String> = outcomes.keys().map(|(kind, _)| kind).collect();
    for needed in ["sst", "log", "MANIFEST", "CURRENT", "FORMAT"] {
        assert!(kinds.iter().any(|kind| *kind == needed), "no {needed} file was there");
    }
}

/// The sound directory is opened as a copy: opening changes it.
fn sound_copy(home: &tempfile::TempDir, sound: &Path) -> PathBuf {
    let copied = home.path().join("copy");
    copy(sound, &copied);
    copied
}
