//! How the system's allocator keeps memory that was freed.
//!
//! glibc gives each thread that allocates an arena of its own, up to eight a core, and large
//! blocks a place in them once it has seen some: memory that was freed in one then serves no
//! other, and most of it never goes back. Measured with 256 MiB after a load of values of 100 KB
//! and reading them back: 487 MiB resident as it comes, 311 with few arenas, 228 with large
//! blocks outside of them as well.
//!
//! Small blocks still stay where they were freed: those of the block cache come and go in whatever
//! arena the thread has that reads, and each arena grows to what was there once. Measured with
//! 256 MiB: 84 MB in use, 236 MB in arenas after two scans by different threads. So what is free in
//! them is given back while more is resident than should be.
//!
//! Not here: how much may be used (`rows::budget`, settings).

use std::thread::Builder;
use std::time::{Duration, Instant};
use std::{fs, io};

/// Blocks from this size on are mapped alone and go back when they are freed.
const ALONE_BYTES: libc::c_int = 128 * 1024;
/// Free bytes at the end of an arena that are given back.
const TRIM_BYTES: libc::c_int = 1024 * 1024;
/// Arenas: threads beyond share them. Small blocks come from each thread's own list first.
const ARENAS: libc::c_int = 4;

/// The part of the memory, in hundredths, above which free memory is given back.
const GIVE_BACK_ABOVE: u64 = 85;
/// How often is looked, when much is resident and when little is.
const LOOK_OFTEN: Duration = Duration::from_millis(50);
const LOOK_RARELY: Duration = Duration::from_millis(500);
/// What must have come since the last time, unless that is long ago: to go through all arenas takes
/// milliseconds, in which others wait for them.
const GROWN_BYTES: u64 = 8 << 20;
const AGAIN_AFTER: Duration = Duration::from_secs(2);

/// Makes freed memory go back to the system, or serve all threads.
#[cfg(target_env = "gnu")]
#[expect(unsafe_code, reason = "the allocator is set by a C function")]
pub fn keep_to_what_is_used() {
    // SAFETY: `mallopt` takes two numbers and touches nothing but the allocator's own settings,
    // under the allocator's lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, ALONE_BYTES);
        libc::mallopt(libc::M_TRIM_THRESHOLD, TRIM_BYTES);
        libc::mallopt(libc::M_ARENA_MAX, ARENAS);
    }
}

/// Other C libraries have no such settings.
#[cfg(not(target_env = "gnu"))]
pub fn keep_to_what_is_used() {}

/// Starts a thread that gives free memory back to the system while much of `memory` is resident.
///
/// # Errors
/// When the thread cannot be had.
pub fn give_back_within(memory: u64) -> io::Result<()> {
    let limit = memory / 100 * GIVE_BACK_ABOVE;
    let watch = move || {
        let (mut left, mut at) = (0, Instant::now());
        loop {
            let Some(resident) = resident() else { return };
            let is_time = resident > left + GROWN_BYTES || at.elapsed() > AGAIN_AFTER;
            if resident > limit && is_time {
                give_back();
                left = self::resident().unwrap_or(resident);
                at = Instant::now();
            }
            let near = resident > limit / 4 * 3;
            std::thread::sleep(if near { LOOK_OFTEN } else { LOOK_RARELY });
        }
    };
    Builder::new().name("allocator".into()).spawn(watch).map(drop)
}

/// Bytes that the process has resident; `None` where the system does not say.
fn resident() -> Option<u64> {
    let pages = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

#[cfg(target_env = "gnu")]
#[expect(unsafe_code, reason = "the allocator is asked by a C function")]
fn give_back() {
    // SAFETY: `malloc_trim` gives back whole pages of which the allocator uses nothing, under its
    // own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(target_env = "gnu"))]
fn give_back() {}
