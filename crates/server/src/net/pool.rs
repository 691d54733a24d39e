//! The pool: threads that serve conversations where waiting is allowed.
//!
//! A loop hands a conversation over with its input (`Next::Offload`), and gets it back through
//! its mailbox. Threads come when work waits and none is idle, and leave after a quiet while.
//!
//! Invariants
//! 1. There are at most `POOL_THREADS_MAX` threads at work, and further ones for transactions that
//!    hold row locks (`threads_max`); work beyond that waits in a queue, in order. So threads that
//!    all wait for one lock do not keep its holder from the COMMIT that would free it.
//! 2. Every errand comes back to its loop, also when the conversation panics.
//! 3. A conversation is served here once and goes back, however its turn ended.
//! 4. The writes of a pool turn are committed, or have failed, before the errand goes back: its
//!    replies can be sent as they are.
//! 5. A thread that worked for long gave way to others (`giving_way`), and goes unless work waits.
//!
//! Not here: what is done with the replies (`event_loop`).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use doors::{Turn, Urgency};
use parking_lot::{Condvar, Mutex};
use rows::{Engine, Group};

use super::giving_way::{Watch, Watched};
use super::limits::{COMMIT_THREADS, POOL_THREAD_IDLE, POOL_THREADS_MAX};
use super::mailbox::{Errand, Mailbox, Message};

/// Buffers from this size on are not given back by loops.
const DISCARDED_BYTES_MIN: usize = 1 << 20;

/// Threads that may wait.
pub struct Pool {
    engine: Arc<Engine>,
    state: Mutex<State>,
    work: Condvar,
    watch: Arc<Watch>,
}

#[derive(Default)]
struct State {
    /// By urgency.
    queues: [VecDeque<(Errand, Arc<Mailbox>)>; 3],
    /// Buffers that are of no use any more.
    discarded: Vec<Vec<u8>>,
    threads: usize,
    idle: usize,
    stopped: bool,
}

/// Threads that may be at work when one more begins on such an errand. A COMMIT waits for nobody
/// else, so the last few threads always come back.
fn threads_max(urgency: Urgency) -> usize {
    match urgency {
        Urgency::Ordinary => POOL_THREADS_MAX,
        Urgency::HoldsLocks => 2 * POOL_THREADS_MAX,
        Urgency::FreesLocks => 2 * POOL_THREADS_MAX + COMMIT_THREADS,
    }
}

impl State {
    fn busy(&self) -> usize {
        self.threads - self.idle
    }

    /// The most urgent errand that a thread may begin on, while `busy` others are at work.
    fn next(&mut self, busy: usize) -> Option<(Errand, Arc<Mailbox>)> {
        use Urgency::{FreesLocks, HoldsLocks, Ordinary};
        for urgency in [FreesLocks, HoldsLocks, Ordinary] {
            if busy < threads_max(urgency)
                && let Some(errand) = self.queues[urgency as usize].pop_front()
            {
                return Some(errand);
            }
        }
        None
    }

    fn is_empty(&self) -> bool {
        self.discarded.is_empty() && self.queues.iter().all(VecDeque::is_empty)
    }
}

impl Pool {
    /// A pool without threads yet.
    pub fn new(engine: Arc<Engine>) -> Arc<Pool> {
        let state = Mutex::new(State::default());
        Arc::new(Pool { engine, state, work: Condvar::new(), watch: Arc::default() })
    }

    /// Gives the errand to a thread; it comes back to `home`.
    pub fn submit(self: &Arc<Pool>, errand: Errand, home: Arc<Mailbox>) {
        let mut state = self.state.lock();
        let urgency = errand.urgency;
        state.queues[urgency as usize].push_back((errand, home));
        let waiting: usize = state.queues.iter().map(VecDeque::len).sum();
        if waiting <= state.idle {
            self.work.notify_one();
            return;
        }
        if state.threads < threads_max(urgency) {
            state.threads += 1;
            drop(state);
            let pool = self.clone();
            let started = thread::Builder::new().name("rowhouse-pool".into());
            if let Err(error) = started.spawn(move || pool.work()) {
                let mut state = self.state.lock();
                state.threads -= 1;
                tracing::warn!(%error, threads = state.threads, "no further pool thread");
                // With no thread at all nobody would ever take the errand: serve it here, as a
                // server that is slow in a machine without threads rather than one that hangs.
                if state.threads == 0
                    && let Some((errand, home)) = state.next(0)
                {
                    drop(state);
                    self.serve(errand, &home);
                }
            }
        }
    }

    /// Gives a buffer's memory back: a large one's takes milliseconds, in which a loop would hold up
    /// its clients.
    pub fn discard(&self, buffer: Vec<u8>) {
        if buffer.capacity() < DISCARDED_BYTES_MIN {
            return;
        }
        let mut state = self.state.lock();
        if state.threads > 0 {
            state.discarded.push(buffer);
            self.work.notify_one();
        }
    }

    /// Sends idle threads away, and those at work when they are done.
    pub fn stop(&self) {
        self.state.lock().stopped = true;
        self.work.notify_all();
    }

    /// Number of threads now.
    pub fn threads(&self) -> usize {
        self.state.lock().threads
    }

    fn work(self: &Arc<Pool>) {
        let mut state = self.state.lock();
        loop {
            if !state.discarded.is_empty() {
                let discarded = std::mem::take(&mut state.discarded);
                drop(state);
                drop(discarded);
                state = self.state.lock();
            }
            let others = state.busy() - 1;
            if let Some((errand, home)) = state.next(others) {
                drop(state);
                let watched = (errand.urgency == Urgency::Ordinary).then(|| self.watch.begin());
                self.serve(errand, &home);
                let gave_way = watched.is_some_and(Watched::end);
                state = self.state.lock();
                // Errands wait only while there are as many threads as may be.
                if gave_way && state.is_empty() {
                    state.threads -= 1;
                    return;
                }
                continue;
            }
            if state.stopped {
                state.threads -= 1;
                return;
            }
            state.idle += 1;
            let waited = self.work.wait_for(&mut state, POOL_THREAD_IDLE);
            state.idle -= 1;
            if waited.timed_out() && state.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    fn serve(&self, mut errand: Errand, home: &Mailbox) {
        if let Some(mut conversation) = errand.conversation.take() {
            let served = catch_unwind(AssertUnwindSafe(|| {
                let mut group = Group::new();
                let mut turn = Turn::in_pool(&self.engine, &mut group);
                let next = conversation.turn(&mut errand.input, &mut errand.out, &mut turn);
                let requests = turn.requests();
                let committed = match group.take() {
                    Some((transaction, durability)) => transaction.commit(durability),
                    None => Ok(()),
                };
                if let Err(error) = committed {
                    errand.out.clear();
                    conversation.commit_failed(&error, &mut errand.out);
                }
                (conversation, next, requests)
            }));
            match served {
                Ok((conversation, next, requests)) => {
                    errand.conversation = Some(conversation);
                    errand.next = next;
                    errand.requests = requests;
                }
                Err(_) => errand.out.clear(),
            }
        }
        home.post(Message::Back(errand));
    }
}
