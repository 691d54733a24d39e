//! Giving way: a thread of the pool that has worked for long lets short requests come first.
//!
//! The loops answer most requests within microseconds, but on full cores the kernel gives a
//! statement that parses or computes for a second slices as long as theirs, and look-ups wait for
//! the end of one (measured: 3 to 4 ms for one in a hundred). So a watch looks at the pool's threads
//! while any is at work, and puts one that has used half of the time since the last look behind all
//! others, for the rest of its errand.
//!
//! Invariants
//! 1. Who holds row locks does not give way: others wait for them.
//! 2. A thread that gave way goes after its errand: only a privileged process may undo it. What it
//!    started would stay behind others, too, so it starts no thread in its place.
//! 3. While no thread is at work the watch sleeps, or is not there.
//!
//! Not here: queries that are run analytically, on threads that give way from the start (`sql`).

use std::sync::Arc;
use std::thread::Builder;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rows::background::give_way;

use super::limits::POOL_THREAD_IDLE;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Threads that are looked at in one look: each costs some 10 us.
const LOOKED_AT_MAX: usize = 32;

/// The watch over a pool's threads.
#[derive(Default)]
pub struct Watch {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    working: Vec<Working>,
    /// The watch has a thread, and it waits for work.
    is_there: bool,
    sleeps: bool,
}

struct Working {
    /// Its number; none where the kernel has no `/proc`.
    thread: Option<i32>,
    /// The last look and the CPU time of the thread then; none before the first.
    looked: Option<(Instant, Duration)>,
    gave_way: bool,
}

/// An errand under way, on the thread that made this.
pub struct Watched<'a> {
    watch: &'a Watch,
    thread: Option<i32>,
}

impl Watch {
    /// The calling thread begins on an errand that may give way.
    pub fn begin(self: &Arc<Watch>) -> Watched<'_> {
        let thread = this_thread();
        let mut state = self.state.lock();
        state.working.push(Working { thread, looked: None, gave_way: false });
        if !state.is_there {
            state.is_there = true;
            let watch = Arc::clone(self);
            let started = Builder::new().name("rowhouse-watch".into()).spawn(move || watch.look());
            // Without, nobody gives way; the next errand tries again.
            state.is_there = started.is_ok();
        } else if state.sleeps {
            self.work.notify_one();
        }
        Watched { watch: self, thread }
    }

    fn look(&self) {
        let mut state = self.state.lock();
        loop {
            if state.working.is_empty() {
                state.sleeps = true;
                let waited = self.work.wait_for(&mut state, POOL_THREAD_IDLE);
                state.sleeps = false;
                if waited.timed_out() && state.working.is_empty() {
                    state.is_there = false;
                    return;
                }
            }
            MutexGuard::unlocked(&mut state, || std::thread::sleep(LOOK_EVERY));
            // Those that wait are many at times, each in its turn then.
            let count = state.working.len().min(LOOKED_AT_MAX);
            state.working.iter_mut().take(count).for_each(Working::look);
            state.working.rotate_left(count);
        }
    }
}

impl Working {
    fn look(&mut self) {
        let Some(thread) = self.thread.filter(|_| !self.gave_way) else { return };
        let now = Instant::now();
        let used = cpu_time(thread);
        if let (Some((at, before)), Some(used)) = (self.looked, used)
            && used.saturating_sub(before) > (now - at) / 2
        {
            self.gave_way = give_way(thread);
        }
        self.looked = used.map(|used| (now, used));
    }
}

impl Watched<'_> {
    /// Ends the errand; says whether the thread gave way.
    pub fn end(self) -> bool {
        let mut state = self.watch.state.lock();
        let place = state.working.iter().position(|working| working.thread == self.thread);
        place.is_some_and(|place| state.working.swap_remove(place).gave_way)
    }
}

/// The number of the calling thread.
fn this_thread() -> Option<i32> {
    fn ask() -> Option<i32> {
        // <process>/task/<thread>
        let link = std::fs::read_link("/proc/thread-self").ok()?;
        link.file_name()?.to_str()?.parse().ok()
    }
    thread_local!(static NUMBER: Option<i32> = ask());
    NUMBER.with(|number| *number)
}

/// CPU time that a thread of this process has used; `None` where the kernel does not say.
fn cpu_time(thread: i32) -> Option<Duration> {
    let path = format!("/proc/self/task/{thread}/schedstat");
    let text = std::fs::read_to_string(path).ok()?;
    let nanos = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Works on an errand for a while, on a thread of its own; says whether that gave way.
    fn gives_way(work: impl Fn() + Send + 'static) -> bool {
        let watch = Arc::new(Watch::default());
        let worker = std::thread::spawn(move || {
            let errand = watch.begin();
            work();
            errand.end()
        });
        worker.join().expect("the worker ends")
    }

    #[test]
    fn who_computes_for_long_gives_way_and_who_waits_does_not() {
        // However busy the machine is: a second of CPU time is enough.
        assert!(gives_way(|| {
            let used = || this_thread().and_then(cpu_time).expect("the kernel tells");
            let began = used();
            while used() < began + Duration::from_secs(1) {
                let spin = Instant::now();
                while spin.elapsed() < Duration::from_millis(1) {}
            }
        }));
        assert!(!gives_way(|| std::thread::sleep(Duration::from_millis(100))));
    }
}
