//! The allocator of the whole process, RocksDB's C++ included: jemalloc.
//!
//! What is freed goes back to the system at once, and threads do not meet at its locks: a statement
//! that runs in the background may be stopped by the kernel while it holds one, and an event loop
//! that needs it then waits for milliseconds. Event loops, threads of long queries and those that
//! carry out long statements alone keep what is free for a moment, as the next turn, the columns of
//! the next batch or the next statement want it again. (docs/decisions/0029-allocator.md)
//!
//! The program alone has it: tests and fuzz targets, which take the library, may have another one.
//!
//! Not here: how much may be used (`resources::budget`, settings).

use std::cell::Cell;
use std::ffi::{CString, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::Mutex;

use tikv_jemalloc_sys::mallctl;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Read by jemalloc when the process starts: so many arenas that nearly every thread has its own;
/// threads of jemalloc's own see to what others have freed; pages that are free go back at once,
/// but for a few blocks of the size of a batch's columns, which each thread that runs queries needs
/// next. The store's blocks lie together in slabs of 64 KiB: where each look-up puts another block
/// in the place of one, a slab of a few is empty again and again, and was given back and taken
/// again (docs/decisions/0053).
#[used]
#[expect(unsafe_code, reason = "jemalloc looks for its settings under this name")]
// SAFETY: no other symbol has this name in a program that is linked with jemalloc, and jemalloc
// takes it for a pointer to a text that a zero byte ends, which is the first word of this one.
#[unsafe(export_name = "malloc_conf")]
static SETTINGS: &[u8] =
    b"narenas:64,background_thread:true,dirty_decay_ms:0,muzzy_decay_ms:0,metadata_thp:disabled,tcache_max:65536,tcache_nslots_large:4,slab_sizes:4096-8192:16\0";

/// How long such threads keep pages that are free, in milliseconds.
const KEPT_MS: isize = 20;
/// Bytes that such threads may use from which on a part of them may be there twice for that long.
const BYTES_MIN: usize = 128 << 20;

/// Arenas whose threads have ended: jemalloc never gives one back.
static WITHOUT_THREAD: Mutex<Vec<c_uint>> = Mutex::new(Vec::new());

/// An arena whose free pages stay for a moment; another thread's when it is dropped.
struct KeptArena(c_uint);

thread_local! {
    static KEPT: Cell<Option<KeptArena>> = const { Cell::new(None) };
}

impl Drop for KeptArena {
    fn drop(&mut self) {
        if let Ok(mut arenas) = WITHOUT_THREAD.lock() {
            arenas.push(self.0);
        }
    }
}

/// Gives the thread that calls it, one of several that may use so many bytes together, an arena of
/// its own whose free pages stay for a moment. Where jemalloc refuses, it stays as it is.
pub fn keep_free_pages(bytes_max: usize) {
    if bytes_max < BYTES_MIN {
        return;
    }
    let known = WITHOUT_THREAD.lock().ok().and_then(|mut arenas| arenas.pop());
    let Some(arena) = known.or_else(new_arena) else { return };
    KEPT.set(Some(KeptArena(arena)));
    set(c"thread.arena", arena);
}

/// An arena whose free pages stay for a moment.
fn new_arena() -> Option<c_uint> {
    let mut arena: c_uint = 0;
    let mut arena_bytes = size_of::<c_uint>();
    let (name, to) = (c"arenas.create", std::ptr::from_mut(&mut arena).cast::<c_void>());
    #[expect(unsafe_code, reason = "jemalloc is asked by names and pointers")]
    // SAFETY: the name is a text that a zero byte ends; jemalloc writes a number of the arena's
    // type, of which the size is given, and reads nothing.
    let made = unsafe { mallctl(name.as_ptr(), to, &raw mut arena_bytes, null_mut(), 0) };
    let decay = CString::new(format!("arena.{arena}.dirty_decay_ms")).ok()?;
    (made == 0 && set(&decay, KEPT_MS)).then_some(arena)
}

/// Sets one of jemalloc's values, which is of this type.
fn set<T: Copy>(name: &std::ffi::CStr, value: T) -> bool {
    let mut value = value;
    let from = std::ptr::from_mut(&mut value).cast::<c_void>();
    #[expect(unsafe_code, reason = "jemalloc is asked by names and pointers")]
    // SAFETY: the name is a text that a zero byte ends; jemalloc reads as many bytes as the value
    // has, refuses another size than that of its own type, and writes nothing.
    unsafe {
        mallctl(name.as_ptr(), null_mut(), null_mut(), from, size_of::<T>()) == 0
    }
}
