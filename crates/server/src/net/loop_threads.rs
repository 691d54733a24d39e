//! The threads that run the event loops: one more than there are loops.
//!
//! A loop without other clients to serve makes a commit itself, sync included, in its own thread
//! (`commits`). While it does, the loop is parked here. A sync that takes longer than expected does
//! not delay the loop's clients: the spare thread, which stands by as long as such commits are
//! made, takes the loop over and runs it; the thread that is stuck in the sync posts its result to
//! the loop's mailbox, and becomes the spare one.
//!
//! Invariants
//! 1. A parked loop is run on by exactly one thread: its own, or the one that took it over.
//! 2. No loop is held up by its own commit for longer than about two ticks: loops commit by
//!    themselves only while a thread stands by (`stands_by`).
//! 3. While no loop commits by itself, the spare thread sleeps.
//!
//! Not here: when a loop commits by itself (`commits`), whether it may (`rows::commit`).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::mailbox::{Mailbox, Message};

/// How often parked loops are looked at.
const TICK: Duration = Duration::from_millis(1);
/// After so many ticks in which no loop was parked, the spare thread sleeps.
const QUIET_TICKS: u32 = 20;

/// Why a loop gives its thread back.
pub enum Pause {
    /// It has stopped.
    Stopped,
    /// A commit is to be made in this thread.
    Commit {
        /// The loop's number of the group.
        group: u64,
        /// Makes it.
        commit: Box<dyn FnOnce() -> rows::Result<()> + Send>,
    },
}

/// A loop as its threads see it.
pub trait Serving: Send {
    /// From now on the calling thread runs it.
    fn begin_thread(&mut self);
    /// Takes turns until there is a pause.
    fn take_turns(&mut self) -> io::Result<Pause>;
    /// The commit that it paused for is made.
    fn committed(&mut self, group: u64, result: rows::Result<()>);
    /// Where it is told things while another thread may have it.
    fn mailbox(&self) -> Arc<Mailbox>;
}

/// What the threads of all loops share.
pub struct LoopThreads {
    state: Mutex<LoopThreadsState>,
    changed: Condvar,
    stands_by: AtomicBool,
}

struct LoopThreadsState {
    parked: Vec<ParkedLoop>,
    /// Names the parked ones.
    parks: u64,
    /// Ticks of the thread that stands by.
    ticks: u64,
    /// It looks at every tick instead of sleeping.
    ticking: bool,
    /// Loops that have not stopped.
    loops: usize,
}

struct ParkedLoop {
    name: u64,
    since_tick: u64,
    event_loop: Box<dyn Serving>,
}

impl LoopThreads {
    /// What the threads of so many loops share, without a thread yet.
    pub fn new(loops: usize) -> LoopThreads {
        let state =
            LoopThreadsState { parked: Vec::new(), parks: 0, ticks: 0, ticking: false, loops };
        LoopThreads {
            state: Mutex::new(state),
            changed: Condvar::new(),
            stands_by: AtomicBool::new(false),
        }
    }

    /// Whether a thread would take over a loop that is held up.
    pub fn stands_by(&self) -> bool {
        self.stands_by.load(Ordering::Relaxed)
    }

    /// A thread's work until its loop, or with none every loop, has stopped.
    ///
    /// # Errors
    /// Those of the loops.
    pub fn work(&self, first: Option<Box<dyn Serving>>) -> io::Result<()> {
        let mut next = first;
        while let Some(event_loop) = next.or_else(|| self.stand_by()) {
            if self.run(event_loop)? {
                return Ok(());
            }
            next = None;
        }
        Ok(())
    }

    /// Runs a loop until it stops, or another thread has it: `false`.
    fn run(&self, mut event_loop: Box<dyn Serving>) -> io::Result<bool> {
        event_loop.begin_thread();
        loop {
            match event_loop.take_turns()? {
                Pause::Stopped => {
                    let mut state = self.state.lock();
                    state.loops -= 1;
                    if state.loops == 0 {
                        self.changed.notify_all();
                    }
                    return Ok(true);
                }
                Pause::Commit { group, commit } => {
                    let mailbox = event_loop.mailbox();
                    let name = self.park(event_loop);
                    let result = commit();
                    match self.take_back(name) {
                        Some(back) => event_loop = back,
                        None => {
                            mailbox.post(Message::Committed { group, result });
                            return Ok(false);
                        }
                    }
                    event_loop.committed(group, result);
                }
            }
        }
    }

    fn park(&self, event_loop: Box<dyn Serving>) -> u64 {
        let mut state = self.state.lock();
        state.parks += 1;
        let (name, since_tick) = (state.parks, state.ticks);
        state.parked.push(ParkedLoop { name, since_tick, event_loop });
        let asleep = !state.ticking;
        drop(state);
        if asleep {
            self.changed.notify_one();
        }
        name
    }

    fn take_back(&self, name: u64) -> Option<Box<dyn Serving>> {
        let mut state = self.state.lock();
        let at = state.parked.iter().position(|parked| parked.name == name)?;
        Some(state.parked.swap_remove(at).event_loop)
    }

    /// Waits for a loop that is held up; `None` when all have stopped.
    fn stand_by(&self) -> Option<Box<dyn Serving>> {
        let mut state = self.state.lock();
        self.stands_by.store(true, Ordering::Relaxed);
        let (mut parks, mut quiet) = (state.parks, 0);
        let taken = loop {
            if state.loops == 0 {
                break None;
            }
            // Parked for a whole tick at least.
            let now = state.ticks;
            let late = state.parked.iter().position(|parked| parked.since_tick + 1 < now);
            if let Some(at) = late {
                break Some(state.parked.swap_remove(at).event_loop);
            }
            quiet = if state.parks == parks && state.parked.is_empty() { quiet + 1 } else { 0 };
            parks = state.parks;
            state.ticking = quiet < QUIET_TICKS;
            if state.ticking {
                self.changed.wait_for(&mut state, TICK);
                state.ticks += 1;
            } else {
                self.changed.wait(&mut state);
            }
        };
        state.ticking = false;
        self.stands_by.store(false, Ordering::Relaxed);
        taken
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;

    use super::*;

    /// Pauses for one commit, which ends when the test says so, then stops when it is told to.
    struct Loop {
        mailbox: Arc<Mailbox>,
        commit: Option<Receiver<()>>,
        threads: Sender<thread::ThreadId>,
        committed: Sender<u64>,
        stop: Receiver<()>,
    }

    impl Serving for Loop {
        fn begin_thread(&mut self) {
            self.threads.send(thread::current().id()).unwrap();
        }

        fn take_turns(&mut self) -> io::Result<Pause> {
            if let Some(end) = self.commit.take() {
                let commit = Box::new(move || end.recv().map_err(|_| rows::Error::Conflict));
                return Ok(Pause::Commit { group: 7, commit });
            }
            self.stop.recv().unwrap();
            Ok(Pause::Stopped)
        }

        fn committed(&mut self, group: u64, result: rows::Result<()>) {
            assert!(result.is_ok());
            self.committed.send(group).unwrap();
        }

        fn mailbox(&self) -> Arc<Mailbox> {
            Arc::clone(&self.mailbox)
        }
    }

    struct Bench {
        loop_threads: Arc<LoopThreads>,
        mailbox: Arc<Mailbox>,
        end_commit: Sender<()>,
        stop: Sender<()>,
        threads: Receiver<thread::ThreadId>,
        committed: Receiver<u64>,
        running: Vec<thread::JoinHandle<()>>,
    }

    /// A loop whose commit ends at once, or when it is said; a spare thread, or none.
    fn bench(end_at_once: bool, spare: bool) -> Bench {
        let (end_commit, commit) = channel();
        let (stop, stopped) = channel();
        let (threads_in, threads) = channel();
        let (committed_in, committed) = channel();
        let mailbox = Arc::new(Mailbox::new().unwrap());
        if end_at_once {
            end_commit.send(()).unwrap();
        }
        let event_loop = Loop {
            mailbox: Arc::clone(&mailbox),
            commit: Some(commit),
            threads: threads_in,
            committed: committed_in,
            stop: stopped,
        };
        let loop_threads = Arc::new(LoopThreads::new(1));
        let mut firsts: Vec<Option<Box<dyn Serving>>> = vec![Some(Box::new(event_loop))];
        if spare {
            firsts.push(None);
        }
        let running = firsts.into_iter().map(|first| {
            let loop_threads = Arc::clone(&loop_threads);
            thread::spawn(move || loop_threads.work(first).unwrap())
        });
        let running = running.collect();
        Bench { loop_threads, mailbox, end_commit, stop, threads, committed, running }
    }

    impl Bench {
        fn stop(self) {
            self.stop.send(()).unwrap();
            self.running.into_iter().for_each(|each| each.join().unwrap());
            assert!(!self.loop_threads.stands_by());
        }
    }

    #[test]
    fn a_loop_goes_on_in_its_thread_after_a_quick_commit() {
        let bench = bench(true, false);
        assert_eq!(bench.committed.recv().unwrap(), 7);
        bench.threads.recv().unwrap();
        assert!(bench.threads.try_recv().is_err(), "one thread had it");
        bench.stop();
    }

    #[test]
    fn a_loop_whose_commit_takes_long_is_taken_over_and_told_of_its_end_through_the_mailbox() {
        let bench = bench(false, true);
        let first = bench.threads.recv().unwrap();
        assert_ne!(bench.threads.recv().unwrap(), first);
        assert!(!bench.loop_threads.stands_by(), "the spare thread runs the loop");
        bench.end_commit.send(()).unwrap();
        let mut messages = Vec::new();
        while messages.is_empty() {
            thread::yield_now();
            bench.mailbox.take(&mut messages);
        }
        assert!(matches!(messages[..], [Message::Committed { group: 7, result: Ok(()) }]));
        while !bench.loop_threads.stands_by() {
            thread::yield_now();
        }
        assert!(bench.committed.try_recv().is_err(), "told once");
        bench.stop();
    }
}
