//! How a loop waits for a row lock that is freed soon: the conversation stays where it is, and has
//! its turn again when the lock's holder has let it go.
//!
//! Most locks are held for as long as a transaction of a few statements takes. To hand a
//! conversation to a thread that may wait, to wake that thread when the lock is free, and to take
//! the conversation back is four changes of threads, and costs more than the statement. So the
//! table of locks tells the loop when the lock is free (`Store::watch_refused`). What takes longer
//! than `LOCK_WAIT_MAX`, is wanted by many already or would close a circle is waited for in the
//! pool, in turn, with time limits, and there a circle is told.
//! (docs/decisions/0069-lock-waits-in-loops.md and 0152-circles-of-waits-in-loops.md)
//!
//! Invariants
//! 1. A connection whose phase is `Locked` gets its turn, or goes to the pool, within
//!    `LOCK_WAIT_MAX` of its first refusal.
//! 2. A waker that comes too late only costs a look.
//! 3. A connection that goes to the pool keeps its waker no longer: by that others know whether it
//!    waits. Whoever is woken is on no lock's list any more.
//!
//! Not here: who has a lock, and who is next (`rows::locks`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use rows::store::LockWaker;

use super::connection::Phase;
use super::event_loop::EventLoop;
use super::limits::LOCK_WAIT_MAX;
use super::mailbox::Message;
use super::poller::{Poller, Token};

impl<P: Poller> EventLoop<P> {
    /// Waits for the lock that the conversation was refused in the turn that has just ended.
    /// `false`: it is one for the pool.
    pub(super) fn begin_lock_wait(&mut self, token: Token) -> bool {
        let at = self.turn_at;
        let Some(connection) = self.slots.get(token) else {
            return false;
        };
        let until = *connection.lock_until.get_or_insert(at + LOCK_WAIT_MAX);
        if until <= at {
            return false;
        }
        let mailbox = Arc::clone(&self.mailbox);
        let waker: LockWaker = Arc::new(move || mailbox.post(Message::Unlocked(token)));
        if !self.shared.engine.store().watch_refused(&waker) {
            return false;
        }
        connection.lock_watch = Some(waker);
        connection.phase = Phase::Locked;
        self.lock_waits.insert((until, token));
        let door = connection.door;
        self.counters().doors[door].lock_waits.add(1);
        true
    }

    /// A lock is free that the connection waits for, or once waited for.
    pub(super) fn note_unlocked(&mut self, token: Token) {
        if let Some(until) = self.lock_wait_of(token) {
            self.lock_waits.remove(&(until, token));
            self.go_on(token);
        }
    }

    /// Sends those to the pool that have waited long enough.
    pub(super) fn end_lock_waits(&mut self, now: Instant) {
        while let Some(&(until, token)) = self.lock_waits.first()
            && until <= now
        {
            self.lock_waits.pop_first();
            if self.lock_wait_of(token) == Some(until) {
                self.offload(token);
            }
        }
    }

    /// How long the loop may sleep for those who wait.
    pub(super) fn lock_waits_left(&self) -> Option<Duration> {
        let (until, _) = self.lock_waits.first()?;
        Some(until.saturating_duration_since(Instant::now()))
    }

    /// Until when the connection waits, if it does.
    fn lock_wait_of(&mut self, token: Token) -> Option<Instant> {
        let connection = self.slots.get(token)?;
        connection.lock_until.filter(|_| connection.phase == Phase::Locked)
    }
}
