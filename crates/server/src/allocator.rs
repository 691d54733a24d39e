//! How the system's allocator keeps memory that was freed.
//!
//! glibc gives each thread that allocates an arena of its own, up to eight a core, and large
//! blocks a place in them once it has seen some: memory that was freed in one then serves no
//! other, and most of it never goes back. Measured with 256 MiB after a load of values of 100 KB
//! and reading them back: 487 MiB resident as it comes, 311 with few arenas, 228 with large
//! blocks outside of them as well.
//!
//! Not here: how much may be used (`rows::budget`, settings).

/// Blocks from this size on are mapped alone and go back when they are freed.
const ALONE_BYTES: libc::c_int = 128 * 1024;
/// Free bytes at the end of an arena that are given back.
const TRIM_BYTES: libc::c_int = 1024 * 1024;
/// Arenas: threads beyond share them. Small blocks come from each thread's own list first.
const ARENAS: libc::c_int = 4;

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
