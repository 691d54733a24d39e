//! Entries that no compressor makes smaller, and files that the kernel does not have in memory.
//!
//! Not here: what is promised of them (`files`, `begun_reads`).

use std::fs;
use std::path::Path;

use rows::store::Store;
use rows_rocks::RocksStore;
use rustix::fs::{Advice, fadvise};

const VALUE_BYTES: usize = 1000;

pub fn key(number: u64) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

/// A value that does not compress.
pub fn value(number: u64) -> Vec<u8> {
    let mut random = number;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as u8
    };
    (0..VALUE_BYTES).map(|_| next()).collect()
}

pub fn entries(count: u64) -> impl Iterator<Item = rows::Result<(Vec<u8>, Vec<u8>)>> {
    (0..count).map(|number| Ok((key(number), value(number))))
}

/// A store with so many entries, of which nothing is in memory.
pub fn cold(count: u64, open: impl Fn(&Path) -> RocksStore) -> (tempfile::TempDir, RocksStore) {
    // Not where temporary files are: those may be all memory.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = open(directory.path());
    store.ingest(&mut entries(count)).unwrap();
    drop(store);
    leave_page_cache(directory.path());
    let store = open(directory.path());
    (directory, store)
}

/// Has the kernel forget what it has in memory of the files.
fn leave_page_cache(directory: &Path) {
    for file in fs::read_dir(directory).expect("the directory") {
        let file = fs::File::open(file.expect("a file").path()).expect("the file opens");
        file.sync_all().expect("the file is synced");
        fadvise(&file, 0, None, Advice::DontNeed).expect("the kernel takes advice");
    }
}
