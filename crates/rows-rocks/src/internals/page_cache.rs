//! Files of tables, read from the kernel's page cache first.
//!
//! Data that outgrow the store's cache are in the page cache for as long as the machine has memory.
//! A loop takes them from there itself: what it costs is a system call and decompressing a block, a
//! third of handing the conversation to a thread that may wait
//! (`docs/decisions/0057-page-cache.md`).
//!
//! 1. A read with `memory_only` never waits for a disk: it asks the kernel with `RWF_NOWAIT`.
//! 2. Where a kernel or a file system does not know that, every such read is refused as if nothing
//!    were there.
//!
//! What a loop was refused can be read for it, and is then lent to it (`begun_reads`).
//!
//! The other half is `page_cache.cc`. Not here: what is read (`reading`).

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::time::Duration;

use resources::interrupt;
use rocksdb::{Env, ReadOptions};

#[expect(unsafe_code, reason = "RocksDB takes file systems in C++ only")]
unsafe extern "C" {
    fn rowhouse_page_cache_env(tell_wait: extern "C" fn(u64)) -> *mut c_void;
    safe fn rowhouse_page_cache_waits() -> u64;
    safe fn rowhouse_page_cache_begin_turn(quick: u64, can_begin_reads: bool);
    safe fn rowhouse_page_cache_take_refused(into: &mut RawRefused) -> bool;
    fn rowhouse_page_cache_close(file: *const c_void);
    fn rowhouse_page_cache_lend(file: *const c_void, offset: u64, from: *const u8, bytes: usize);
}

/// So many blocks a loop takes from the page cache for one conversation at a time: a millisecond's
/// work.
const BLOCKS_A_TURN: u64 = 128;

/// What a store is opened with, so that its tables are read so.
#[expect(unsafe_code, reason = "as above")]
pub(crate) fn env() -> Env {
    // SAFETY: it has just been made, nobody else has it, and it has the form that the crate
    // expects.
    unsafe { Env::from_raw(rowhouse_page_cache_env(note_wait).cast()) }
}

/// A read of the calling thread has waited so long for a disk.
extern "C" fn note_wait(nanoseconds: u64) {
    interrupt::note_disk_wait(Duration::from_nanos(nanoseconds));
}

/// Restricts reads to what is in memory: the store's, or the kernel's. Others time out.
pub(crate) fn memory_only(options: &mut ReadOptions) {
    // Any time says it; RocksDB does nothing with it but hand it on.
    options.set_io_timeout(1);
}

/// How many reads of the calling thread have had to wait for a disk so far.
pub(crate) fn disk_waits() -> u64 {
    rowhouse_page_cache_waits()
}

/// The calling thread may take as many blocks as one turn has from the page cache. A thread that
/// never says so takes any number. Whether it can have read what it is refused (`take_refused`).
pub(crate) fn begin_turn(can_begin_reads: bool) {
    rowhouse_page_cache_begin_turn(BLOCKS_A_TURN, can_begin_reads);
}

/// A file of a table that stays open.
pub(crate) struct OpenFile(NonNull<c_void>);

// SAFETY: it is a counted reference to what never changes; the count is atomic.
#[expect(unsafe_code, reason = "a pointer of C++")]
unsafe impl Send for OpenFile {}

impl Drop for OpenFile {
    #[expect(unsafe_code, reason = "as above")]
    fn drop(&mut self) {
        // SAFETY: it came from `take_refused`, and is given back once.
        unsafe { rowhouse_page_cache_close(self.0.as_ptr()) }
    }
}

/// As `page_cache.cc` has it.
#[repr(C)]
struct RawRefused {
    file: *const c_void,
    offset: u64,
    bytes: usize,
    descriptor: i32,
}

/// A part of a file that a read wanted and did not get.
pub(crate) struct RefusedRead {
    pub(crate) file: OpenFile,
    pub(crate) offset: u64,
    pub(crate) bytes: usize,
    /// Of the file, as long as that is open.
    pub(crate) descriptor: i32,
}

/// What the calling thread was refused last in this turn, if its file is still there.
pub(crate) fn take_refused() -> Option<RefusedRead> {
    let mut raw = RawRefused { file: ptr::null(), offset: 0, bytes: 0, descriptor: -1 };
    if !rowhouse_page_cache_take_refused(&mut raw) {
        return None;
    }
    let file = OpenFile(NonNull::new(raw.file.cast_mut())?);
    Some(RefusedRead { file, offset: raw.offset, bytes: raw.bytes, descriptor: raw.descriptor })
}

/// Lets the calling thread's reads find these bytes of the file while `turn` runs.
pub(crate) fn lend(file: &OpenFile, offset: u64, bytes: &[u8], turn: &mut dyn FnMut()) {
    struct TakenBack;
    impl Drop for TakenBack {
        #[expect(unsafe_code, reason = "the other side has pointers")]
        fn drop(&mut self) {
            // SAFETY: nothing is lent any more.
            unsafe { rowhouse_page_cache_lend(ptr::null(), 0, ptr::null(), 0) }
        }
    }
    let _taken_back = TakenBack;
    // SAFETY: file and bytes outlive what `_taken_back` ends, also when `turn` panics.
    #[expect(unsafe_code, reason = "the other side has pointers")]
    unsafe {
        rowhouse_page_cache_lend(file.0.as_ptr(), offset, bytes.as_ptr(), bytes.len());
    }
    turn();
}
