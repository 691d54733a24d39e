//! Entries that no compressor makes smaller, and files that the kernel does not have in memory.
//!
//! Invariants
//! 1. No page of the files is in memory before the store is opened on them. The kernel takes the
//!    wish to forget pages as advice, and passes over those that it is moving or writing just then:
//!    it is asked again until all have gone.
//!
//! Not here: what is promised of them (`files`, `begun_reads`).

use std::fs;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use rows::ingestion::TableStore;
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
    let deadline = Instant::now() + Duration::from_secs(120);
    for file in fs::read_dir(directory).expect("the directory") {
        let path = file.expect("a file").path();
        let file = fs::File::open(&path).expect("the file opens");
        file.sync_all().expect("the file is synced");
        loop {
            fadvise(&file, 0, None, Advice::DontNeed).expect("the kernel takes advice");
            let pages = pages_in_memory(&file);
            if pages == 0 {
                break;
            }
            assert!(Instant::now() < deadline, "{pages} pages of {} stay", path.display());
            std::thread::yield_now();
        }
    }
}

/// How many pages of a file the kernel has in memory.
#[expect(unsafe_code, reason = "the kernel tells it of mapped memory")]
fn pages_in_memory(file: &fs::File) -> usize {
    let metadata = file.metadata().expect("its length");
    let length = metadata.len() as usize;
    if !metadata.is_file() || length == 0 {
        return 0;
    }
    // SAFETY: asks for a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a page");
    let mut pages = vec![0u8; length.div_ceil(page)];
    // SAFETY: the mapping is new, as long as the file, never read, and undone before the function
    // ends; a byte of `pages` is there for each page of it.
    let told = unsafe {
        let (access, kind) = (libc::PROT_READ, libc::MAP_SHARED);
        let mapped = libc::mmap(null_mut(), length, access, kind, file.as_raw_fd(), 0);
        assert!(mapped != libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
        let told = libc::mincore(mapped, length, pages.as_mut_ptr());
        libc::munmap(mapped, length);
        told
    };
    assert_eq!(told, 0, "the kernel says what it has");
    pages.iter().filter(|page| **page & 1 == 1).count()
}
