//! Files of tables, read from the kernel's page cache first.
//!
//! Data that outgrow the store's cache are in the page cache for as long as the machine has memory. A
//! loop takes them from there itself: what it costs is a system call and decompressing a block, a third
//! of handing the conversation to a thread that may wait (`docs/decisions/0057-page-cache.md`).
//!
//! 1. A read with `memory_only` never waits for a disk: it asks the kernel with `RWF_NOWAIT`.
//! 2. Where a kernel or a file system does not know that, every such read is refused as if nothing
//!    were there.
//!
//! The other half is `page_cache.cc`. Not here: what is read (`reading`).

use rocksdb::{Env, ReadOptions};

#[expect(unsafe_code, reason = "RocksDB takes file systems in C++ only")]
unsafe extern "C" {
    fn rowhouse_page_cache_env() -> *mut std::ffi::c_void;
    safe fn rowhouse_page_cache_waits() -> u64;
    safe fn rowhouse_page_cache_begin_turn(quick: u64);
}

/// So many blocks a loop takes from the page cache for one conversation at a time: a millisecond's work.
const BLOCKS_A_TURN: u64 = 128;

/// What a store is opened with, so that its tables are read so.
#[expect(unsafe_code, reason = "as above")]
pub(crate) fn env() -> Env {
    // SAFETY: it has just been made, nobody else has it, and it has the form that the crate expects.
    unsafe { Env::from_raw(rowhouse_page_cache_env().cast()) }
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

/// The calling thread may take as many blocks as one turn has from the page cache. A thread that never
/// says so takes any number.
pub(crate) fn begin_turn() {
    rowhouse_page_cache_begin_turn(BLOCKS_A_TURN);
}
