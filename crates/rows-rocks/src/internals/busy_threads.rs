//! RocksDB's own threads, made known to the program when they first write a file; those of
//! compactions give way to clients.
//!
//! A flush or a compaction makes and drops buffers of some kilobytes to megabytes all the time.
//! Where what is free goes back to the system at once, each of them is taken from it again, page by
//! page, and the other cores are interrupted for each that is given back: a tenth of what INSERTs
//! in batches cost.
//!
//! A compaction would take a core from the loops for seconds, and with it half of their rate
//! (TPC-C, 2 cores). How far writers may run ahead of it is bounded (`pace`), so it may be put
//! behind them. (docs/decisions/0079-compactions-behind-clients.md)
//!
//! Invariants
//! 1. A thread is told once, however many stores it works for: RocksDB has the same threads for all
//!    stores of a process.
//!
//! Not here: what the program does for such threads (`resources::background`).

use std::ffi::c_void;

use librocksdb_sys as ffi;
use resources::background::{begin_busy_thread, give_way_to_clients};
use rocksdb::{AsRawPtr, Options};

/// Has the threads that write files under these options tell the program so, where the store has so
/// many bytes of memory.
#[expect(unsafe_code, reason = "RocksDB takes listeners in C only")]
pub(crate) fn note_busy_threads(options: &mut Options, memory_bytes: usize) {
    // A number that needs no memory of its own, so there is nothing to be freed.
    let state = std::ptr::without_provenance_mut(memory_bytes);
    // SAFETY: every callback is a function that may be called by any thread at any time and looks
    // at none of the pointers. The options live throughout the call, and own the listener from then
    // on.
    unsafe {
        let listener = ffi::rocksdb_eventlistener_create(
            state,
            Some(nothing_to_free),
            Some(work_begins),
            Some(not_of_interest),
            Some(compaction_begins),
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

/// Of a flush, in its thread.
extern "C" fn work_begins<T>(state: *mut c_void, _: *mut ffi::rocksdb_t, _: *const T) {
    begin_busy_thread(state.addr());
}

/// Of a compaction, in its thread, which makes no flushes; threads that it starts for parts of the
/// compaction inherit how far behind others it is.
extern "C" fn compaction_begins<T>(state: *mut c_void, _: *mut ffi::rocksdb_t, _: *const T) {
    if begin_busy_thread(state.addr()) {
        give_way_to_clients();
    }
}

extern "C" fn nothing_to_free(_: *mut c_void) {}

extern "C" fn not_of_interest<T>(_: *mut c_void, _: *mut ffi::rocksdb_t, _: *const T) {}

extern "C" fn part_passes<T>(_: *mut c_void, _: *const T) {}

extern "C" fn error_passes<T>(_: *mut c_void, _: u32, _: *mut T) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use resources::background::NICENESS_OF_UPKEEP;
    use rocksdb::DB;
    use rustix::process::{Pid, getpriority_process};

    use super::*;

    /// How nice the threads of this name are, of all of this process.
    fn niceness_of(name: &str) -> Vec<i32> {
        let threads = fs::read_dir("/proc/self/task").expect("the kernel tells").flatten();
        let named = threads.filter(|thread| {
            fs::read_to_string(thread.path().join("comm")).is_ok_and(|comm| comm.trim() == name)
        });
        let niceness = |thread: fs::DirEntry| {
            let number = thread.file_name().to_str()?.parse().ok()?;
            getpriority_process(Pid::from_raw(number)).ok()
        };
        named.filter_map(niceness).collect()
    }

    #[test]
    fn threads_of_compactions_give_way_and_those_of_flushes_do_not() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut options = Options::default();
        options.create_if_missing(true);
        // Flushes have threads of their own.
        options.set_max_background_jobs(4);
        note_busy_threads(&mut options, 1 << 20);
        let database = DB::open(&options, directory.path()).expect("it opens");
        for round in 0..2_u8 {
            (0..100_u8).for_each(|key| database.put([key], [round]).expect("it is written"));
            database.flush().expect("it is flushed");
        }
        database.compact_range(None::<&[u8]>, None::<&[u8]>);
        let of_flushes = niceness_of("rocksdb:high");
        let own = getpriority_process(None).expect("the kernel tells");
        let of_compactions = niceness_of("rocksdb:low");
        assert!(of_compactions.contains(&NICENESS_OF_UPKEEP), "a compaction was made");
        assert!(!of_flushes.is_empty() && of_flushes.iter().all(|nice| *nice == own));
    }
}
