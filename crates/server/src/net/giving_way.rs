//! Giving way: a pool thread that has worked for long gets a lower priority, so that short requests
//! come first.
//!
//! The loops answer most requests within microseconds, but on full cores the kernel gives a
//! statement that parses or computes for a second slices as long as theirs, and look-ups wait for
//! the end of one (measured: 3 to 4 ms for one in a hundred). So a watch looks at the pool's
//! threads while any is at work, and puts one that has used half of the time since the last look
//! behind all others, for the rest of its task.
//!
//! Invariants
//! 1. A thread that holds row locks does not give way: others wait for them.
//! 2. A thread that gave way goes after its task: only a privileged process may undo it. What it
//!    started would stay behind others, too, so it starts no thread in its place.
//! 3. While no thread is at work the watch sleeps, or is not there. Threads take no lock to say
//!    that they begin and end: most tasks take less time than a lock that several want at once.
//!
//! Not here: queries that are run analytically, on threads that give way from the start (`sql`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Builder;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use resources::background::{core_time, give_way, this_thread};

use super::limits::POOL_THREAD_IDLE;
use super::locality;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Threads that are looked at in one look: each costs some 10 us.
const LOOKED_AT_MAX: usize = 32;

/// The watch over a pool's threads.
pub struct Watch {
    state: Mutex<WatchState>,
    work: Condvar,
    /// The watch has no thread, or it sleeps: who begins on a task rouses it.
    is_away: AtomicBool,
}

#[derive(Default)]
struct WatchState {
    workers: Vec<WatchedWorker>,
    /// The watch has a thread.
    is_there: bool,
}

/// A thread of the pool, as the watch sees it.
struct WatchedWorker {
    worker: Arc<WorkerShared>,
    /// The task at the last look.
    task: u64,
    /// When that was, and the CPU time of the thread then; none at the first look at a task.
    looked: Option<(Instant, Duration)>,
}

/// What a thread and the watch share.
struct WorkerShared {
    /// Its number; none where the kernel has no `/proc`.
    thread: Option<i32>,
    /// The task it is at, twice its number; one more once it has given way. 0: none.
    task: AtomicU64,
}

/// A thread of the pool that tells the watch when it is at work.
pub struct Worker {
    watch: Arc<Watch>,
    shared: Arc<WorkerShared>,
    tasks: u64,
}

impl Default for Watch {
    fn default() -> Watch {
        let (state, work) = (Mutex::default(), Condvar::new());
        Watch { state, work, is_away: AtomicBool::new(true) }
    }
}

impl Watch {
    /// The calling thread, which has nothing to do yet.
    pub fn worker(self: &Arc<Watch>) -> Worker {
        let shared = Arc::new(WorkerShared { thread: this_thread(), task: AtomicU64::new(0) });
        let watched = WatchedWorker { worker: Arc::clone(&shared), task: 0, looked: None };
        self.state.lock().workers.push(watched);
        Worker { watch: Arc::clone(self), shared, tasks: 0 }
    }

    fn rouse(self: &Arc<Watch>) {
        let mut state = self.state.lock();
        self.is_away.store(false, Ordering::SeqCst);
        if state.is_there {
            self.work.notify_one();
            return;
        }
        let watch = Arc::clone(self);
        let started = Builder::new().name("rowhouse-watch".into()).spawn(move || watch.look());
        // Without, nobody gives way; the next task tries again.
        state.is_there = started.is_ok();
        self.is_away.store(!state.is_there, Ordering::SeqCst);
    }

    fn look(&self) {
        locality::roam();
        let mut state = self.state.lock();
        loop {
            MutexGuard::unlocked(&mut state, || std::thread::sleep(LOOK_EVERY));
            // Those at work are many at times, each in its turn then.
            let mut looked_at = 0;
            let workers = state.workers.len();
            for place in 0..workers {
                looked_at += usize::from(state.workers[place].look());
                if looked_at == LOOKED_AT_MAX {
                    state.workers.rotate_left(place + 1);
                    break;
                }
            }
            if looked_at > 0 {
                continue;
            }
            // A thread that begins after this finds it away; one that began before is found at
            // work.
            self.is_away.store(true, Ordering::SeqCst);
            if state.workers.iter().any(|watched| watched.worker.is_at_work()) {
                self.is_away.store(false, Ordering::SeqCst);
                continue;
            }
            let waited = self.work.wait_for(&mut state, POOL_THREAD_IDLE);
            if waited.timed_out() && self.is_away.load(Ordering::SeqCst) {
                state.is_there = false;
                return;
            }
        }
    }
}

impl WorkerShared {
    fn is_at_work(&self) -> bool {
        self.task.load(Ordering::SeqCst) != 0
    }
}

impl WatchedWorker {
    /// Puts the thread behind all others if it has worked for long; whether it is at work. At one
    /// that has just begun nothing is asked of the kernel: most tasks are over at the next look.
    fn look(&mut self) -> bool {
        let task = self.worker.task.load(Ordering::SeqCst);
        let before = self.looked.take();
        let is_same = std::mem::replace(&mut self.task, task) == task;
        let Some(thread) = self.worker.thread.filter(|_| is_same && task.is_multiple_of(2)) else {
            return task != 0;
        };
        if task == 0 {
            return false;
        }
        let (now, used) = (Instant::now(), core_time(thread).map(|time| time.ran));
        if let (Some((at, before)), Some(used)) = (before, used)
            && used.saturating_sub(before) > (now - at) / 2
        {
            // Said first, so that the thread hears of it at the end of this task.
            let (said, unless) = (task + 1, Ordering::SeqCst);
            if self.worker.task.compare_exchange(task, said, unless, unless).is_ok() {
                give_way(thread);
            }
        }
        self.looked = used.map(|used| (now, used));
        true
    }
}

impl Worker {
    /// Begins on a task that may give way.
    pub fn begin(&mut self) {
        self.tasks += 1;
        self.shared.task.store(2 * self.tasks, Ordering::SeqCst);
        if self.watch.is_away.load(Ordering::SeqCst) {
            self.watch.rouse();
        }
    }

    /// Ends the task, if it was one that may; says whether the thread gave way.
    pub fn end(&mut self) -> bool {
        !self.shared.task.swap(0, Ordering::SeqCst).is_multiple_of(2)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut state = self.watch.state.lock();
        state.workers.retain(|watched| !Arc::ptr_eq(&watched.worker, &self.shared));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Works on a task for a while, on a thread of its own; says whether that gave way.
    fn gives_way(work: impl Fn() + Send + 'static) -> bool {
        let watch = Arc::new(Watch::default());
        let worker = std::thread::spawn(move || {
            let mut worker = watch.worker();
            worker.begin();
            work();
            worker.end()
        });
        worker.join().expect("the worker ends")
    }

    #[test]
    fn who_computes_for_long_gives_way_and_who_waits_does_not() {
        // However busy the machine is: a second of CPU time is enough.
        assert!(gives_way(|| {
            let used = || this_thread().and_then(core_time).expect("the kernel tells").ran;
            let began = used();
            while used() < began + Duration::from_secs(1) {
                let spin = Instant::now();
                while spin.elapsed() < Duration::from_millis(1) {}
            }
        }));
        assert!(!gives_way(|| std::thread::sleep(Duration::from_millis(100))));
    }
}
