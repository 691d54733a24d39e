//! The pool: threads that serve conversations where waiting is allowed.
//!
//! A loop hands a conversation over with its input (`Next::Offload`), and gets it back through
//! its mailbox. Threads come when work waits and none is idle, and leave after a quiet while.
//!
//! Invariants
//! 1. There are at most `POOL_THREADS_MAX` threads; work beyond that waits in a queue, in order.
//! 2. Every errand comes back to its loop, also when the conversation panics.
//! 3. The writes of a pool turn are committed, or have failed, before the errand goes back: its
//!    replies can be sent as they are.
//!
//! Not here: what is done with the replies (`event_loop`).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use doors::Turn;
use parking_lot::{Condvar, Mutex};
use rows::{Engine, Group};

use super::limits::{POOL_THREAD_IDLE, POOL_THREADS_MAX};
use super::mailbox::{Errand, Mailbox, Message};

/// Threads that may wait.
pub struct Pool {
    engine: Arc<Engine>,
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<(Errand, Arc<Mailbox>)>,
    threads: usize,
    idle: usize,
    stopped: bool,
}

impl Pool {
    /// A pool without threads yet.
    pub fn new(engine: Arc<Engine>) -> Arc<Pool> {
        let state = Mutex::new(State::default());
        Arc::new(Pool { engine, state, work: Condvar::new() })
    }

    /// Gives the errand to a thread; it comes back to `home`.
    pub fn submit(self: &Arc<Pool>, errand: Errand, home: Arc<Mailbox>) {
        let mut state = self.state.lock();
        state.queue.push_back((errand, home));
        if state.queue.len() <= state.idle {
            self.work.notify_one();
            return;
        }
        if state.threads < POOL_THREADS_MAX {
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
                    && let Some((errand, home)) = state.queue.pop_front()
                {
                    drop(state);
                    self.serve(errand, &home);
                }
            }
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

    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some((errand, home)) = state.queue.pop_front() {
                drop(state);
                self.serve(errand, &home);
                state = self.state.lock();
                continue;
            }
            if state.stopped {
                state.threads -= 1;
                return;
            }
            state.idle += 1;
            let waited = self.work.wait_for(&mut state, POOL_THREAD_IDLE);
            state.idle -= 1;
            if waited.timed_out() && state.queue.is_empty() {
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
