//! How much memory a decoder asks for: an allocator that counts, per thread.
//!
//! Invariants
//! 1. `within` counts what its own thread allocates and has not freed yet, at the highest.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: isize) {
    // A thread that ends has no counters any more; nobody asks for them either.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        PEAK.with(|peak| peak.set(peak.get().max(held.get())));
    });
}

#[expect(unsafe_code, reason = "an allocator is an unsafe trait")]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs something that may hold so many bytes at a time at most.
///
/// # Panics
/// When it holds more.
pub fn within<T>(bytes_max: usize, run: impl FnOnce() -> T) -> T {
    let before = HELD.get();
    PEAK.set(before);
    let result = run();
    let taken = PEAK.get() - before;
    assert!(taken <= bytes_max as isize, "took {taken} bytes of memory, not {bytes_max}");
    result
}
