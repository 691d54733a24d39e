//! RocksDB's own threads, made known to the program when they first write a file.
//!
//! A flush or a compaction makes and drops buffers of some kilobytes to megabytes all the time. Where what
//! is free goes back to the system at once, each of them is taken from it anew, page by page, and the
//! other cores are interrupted for each that is given back: a tenth of what INSERTs in batches cost.
//!
//! Invariants
//! 1. A thread is told once, however many stores it works for: RocksDB has the same threads for all
//!    stores of a process.
//!
//! Not here: what the program does for such threads (`rows::background`).

use std::cell::Cell;
use std::ffi::c_void;

use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, Options};
use rows::background::begin_busy_thread;

thread_local! {
    static HAS_BEGUN: Cell<bool> = const { Cell::new(false) };
}

/// Has the threads that write files under these options tell the program so, where the store has so many bytes
/// of memory.
#[expect(unsafe_code, reason = "RocksDB takes listeners in C only")]
pub(crate) fn note_busy_threads(options: &mut Options, memory_bytes: usize) {
    // A number that needs no memory of its own, so there is nothing to be freed.
    let state = std::ptr::without_provenance_mut(memory_bytes);
    // SAFETY: every callback is a function that may be called by any thread at any time and looks at none of
    // the pointers. The options live throughout the call, and own the listener from then on.
    unsafe {
        let listener = ffi::rocksdb_eventlistener_create(
            state,
            Some(nothing_to_free),
            Some(work_begins),
            Some(not_of_interest),
            Some(work_begins),
            Some(not_of_interest),
            Some(part_passes),
            Some(part_passes),
            Some(not_of_interest),
            Some(error_passes),
            Some(part_passes),
            Some(part_passes),
        );
        ffi::rocksdb_options_add_eventlistener(options.as_raw_ptr(), listener);
    }
}

/// Of a flush or a compaction, in its thread.
extern "C" fn work_begins<T>(state: *mut c_void, _: *mut ffi::rocksdb_t, _: *const T) {
    if !HAS_BEGUN.replace(true) {
        begin_busy_thread(state.addr());
    }
}

extern "C" fn nothing_to_free(_: *mut c_void) {}

extern "C" fn not_of_interest<T>(_: *mut c_void, _: *mut ffi::rocksdb_t, _: *const T) {}

extern "C" fn part_passes<T>(_: *mut c_void, _: *const T) {}

extern "C" fn error_passes<T>(_: *mut c_void, _: u32, _: *mut T) {}
