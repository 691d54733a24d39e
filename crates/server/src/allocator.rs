//! The allocator of the whole process, RocksDB's C++ included: jemalloc.
//!
//! What is freed and not used again goes back to the system within 20 milliseconds, and threads do
//! not meet at its locks: a statement that runs in the background may be stopped by the kernel while
//! it holds one, and an event loop that needs it then waits for milliseconds.
//! (docs/decisions/0029-allocator.md)
//!
//! Of the program alone: who takes the library (tests, fuzz targets) may have another.
//!
//! Not here: how much may be used (`rows::budget`, settings).

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Read by jemalloc when the process starts: so many arenas that nearly every thread has its own;
/// threads of jemalloc's own see to what others have freed; pages that are free go back soon, but not
/// before a query that goes from batch to batch has had the time to take them again.
#[used]
#[expect(unsafe_code, reason = "jemalloc looks for its settings under this name")]
// SAFETY: no other symbol has this name in a program that is linked with jemalloc, and jemalloc takes
// it for a pointer to a text that a zero byte ends, which is the first word of this one.
#[unsafe(export_name = "malloc_conf")]
static SETTINGS: &[u8] =
    b"narenas:64,background_thread:true,dirty_decay_ms:20,muzzy_decay_ms:0,metadata_thp:disabled,tcache_max:65536,tcache_nslots_large:4\0";
