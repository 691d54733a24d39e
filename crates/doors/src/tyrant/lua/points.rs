//! How often a state asks whether it is to go on: at every so many of the points where Luau would.
//!
//! Luau calls back at every call, return and turn of a loop, and in pattern matching. What `mlua`
//! does around a function of ours, so that it may raise errors, takes longer than ten turns of a
//! small loop. So a function of this file stands before it, which counts and goes on.
//!
//! Invariants
//! 1. Once a state is to end, every point asks, so that no script catches the error and goes on.
//!
//! Not here: what is asked (`state`).

#![expect(unsafe_code, reason = "mlua has no way to be asked seldom")]

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::OnceLock;

use mlua::Lua;
use mlua::ffi::{self, lua_State};

/// Points of which one asks.
const UNASKED: u32 = 64;

/// What Luau calls at a point.
type AtPoint = unsafe extern "C-unwind" fn(*mut lua_State, c_int);

/// What `mlua` has called there: one function for all states, which finds the state's closure.
static ASKS: OnceLock<AtPoint> = OnceLock::new();

thread_local! {
    /// Points of this thread's state until the next one that asks.
    static LEFT: Cell<u32> = const { Cell::new(0) };
    /// How many that are then.
    static EVERY: Cell<u32> = const { Cell::new(0) };
}

/// From now on this thread's state asks at some points.
pub fn ask_seldom() {
    EVERY.set(UNASKED);
}

/// From now on this thread's state asks at every point.
pub fn ask_always() {
    EVERY.set(0);
    LEFT.set(0);
}

/// Asks at the next point: what comes before it takes long.
pub fn ask_soon() {
    LEFT.set(0);
}

/// Stands before the interrupt that a state was given.
///
/// # Errors
/// `MemoryError`.
pub fn stand_before(lua: &Lua) -> mlua::Result<()> {
    // SAFETY: `swap` leaves the stack as it is, says so, and raises no error.
    let swap = unsafe { lua.create_c_function(swap)? };
    swap.call::<_, ()>(())
}

unsafe extern "C-unwind" fn swap(state: *mut lua_State) -> c_int {
    // SAFETY: `state` is one of Luau's, which is calling this; its callbacks live as long as it
    // does, and only the thread that runs it reads or writes them.
    unsafe {
        let callbacks = ffi::lua_callbacks(state);
        if let Some(asks) = (*callbacks).interrupt {
            let _ = ASKS.set(asks);
            (*callbacks).interrupt = Some(at_point);
        }
    }
    0
}

unsafe extern "C-unwind" fn at_point(state: *mut lua_State, collecting: c_int) {
    // Steps of the garbage collector are no place for errors.
    if collecting >= 0 {
        return;
    }
    match LEFT.get() {
        0 => LEFT.set(EVERY.get()),
        left => return LEFT.set(left - 1),
    }
    if let Some(asks) = ASKS.get() {
        // SAFETY: called as Luau would have called it, with what Luau has given. It may unwind by
        // an exception of Luau's; nothing here is to be dropped.
        unsafe { asks(state, collecting) }
    }
}
