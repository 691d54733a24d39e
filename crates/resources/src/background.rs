//! What the server's threads are to the system: those that work in the background get a core when
//! nobody else wants one; those that never rest are told to the program when they start.
//!
//! Behind others in two ways. By niceness: on full cores such a thread gets a tenth of what another
//! gets. And by slices of a tenth of a millisecond: without them Linux (since 6.6) lets even a nice
//! thread finish a slice of 3 ms before it gives the core to one that has just become ready
//! (measured: look-ups beside long statements took 3 ms and more in one case of a hundred).
//!
//! Not here: who works in the background (`sql`'s analytic queries, the server's pool,
//! compactions), what the program does for threads that never rest (its allocator).

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::Duration;

/// How far behind others.
const NICENESS: i32 = 10;
/// The same of upkeep, which clients wait for in the end: on full cores such a thread gets a third
/// of what another gets.
pub const NICENESS_OF_UPKEEP: i32 = 5;
/// The shortest slice that the kernel grants. Kernels before 6.12 have one for all, and ignore it.
const SLICE_NANOS: u64 = 100_000;

/// What a thread that never rests does first.
static BUSY_THREAD_START: OnceLock<fn(usize)> = OnceLock::new();

/// Has every thread that works for clients all the time (event loops, long queries and statements)
/// and starts from now on call `begin` first, with the bytes that such work may use. Only the first
/// call counts.
pub fn on_busy_thread_start(begin: fn(usize)) {
    let _ = BUSY_THREAD_START.set(begin);
}

thread_local! {
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Called by such a thread when it starts, or with each long work; only the first call counts, and
/// says so.
pub fn begin_busy_thread(bytes_max: usize) -> bool {
    let is_first = !IS_BUSY.replace(true);
    if is_first && let Some(begin) = BUSY_THREAD_START.get() {
        begin(bytes_max);
    }
    is_first
}

/// How many cores the process may use, as it was when it was first asked: a thread that is pinned
/// to one would be told of that one alone.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The kernel's number of the calling thread; `None` where it does not say.
pub fn this_thread() -> Option<i32> {
    fn ask() -> Option<i32> {
        // <process>/task/<thread>
        let link = std::fs::read_link("/proc/thread-self").ok()?;
        link.file_name()?.to_str()?.parse().ok()
    }
    thread_local!(static NUMBER: Option<i32> = ask());
    NUMBER.with(|number| *number)
}

/// What a thread has got of the time in which it wanted a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreTime {
    /// On a core,
    pub ran: Duration,
    /// and ready to run, but others did.
    pub waited: Duration,
}

/// The time so far of a thread of this process; `None` where the kernel does not say.
pub fn core_time(thread: i32) -> Option<CoreTime> {
    let path = format!("/proc/self/task/{thread}/schedstat");
    let text = std::fs::read_to_string(path).ok()?;
    let mut nanos = text.split_ascii_whitespace().map(|nanos| nanos.parse().ok());
    let mut next = || nanos.next().flatten().map(Duration::from_nanos);
    Some(CoreTime { ran: next()?, waited: next()? })
}

/// Puts a thread of this process into the background, by the kernel's number of it; 0 is the
/// calling thread. Only a privileged process can take it back. Says whether it could be done;
/// everything works as well without.
pub fn give_way(thread: i32) -> bool {
    put_behind(thread, NICENESS)
}

/// The calling thread does upkeep (compactions): clients come before it, but not by so much that
/// what it owes them grows. As `give_way` otherwise.
pub fn give_way_to_clients() -> bool {
    put_behind(0, NICENESS_OF_UPKEEP)
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "neither the standard library nor rustix has this call")]
fn put_behind(thread: i32, niceness: i32) -> bool {
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: libc::SCHED_OTHER as u32,
        sched_flags: 0,
        sched_nice: niceness,
        sched_priority: 0,
        sched_runtime: SLICE_NANOS,
        sched_deadline: 0,
        sched_period: 0,
    };
    let no_flags: libc::c_uint = 0;
    // SAFETY: sched_setattr(pid, attr, flags) reads as many bytes behind the pointer as `size`
    // says, which are those of a value that lives until the call is over.
    unsafe { libc::syscall(libc::SYS_sched_setattr, thread, &raw const attributes, no_flags) == 0 }
}

/// Other systems have other ways.
#[cfg(not(target_os = "linux"))]
fn put_behind(_thread: i32, _niceness: i32) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_gave_way_is_nice_and_others_are_not() {
        // To Linux, who is not named is the calling thread.
        let niceness = || rustix::process::getpriority_process(None).expect("the kernel tells");
        let before = niceness();
        let other = std::thread::spawn(move || (give_way(0), niceness())).join().expect("it ends");
        assert_eq!(other, (true, NICENESS));
        let upkeep = std::thread::spawn(move || (give_way_to_clients(), niceness()));
        assert_eq!(upkeep.join().expect("it ends"), (true, NICENESS_OF_UPKEEP));
        assert_eq!(niceness(), before);
    }
}
