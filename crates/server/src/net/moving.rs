//! Moving connections from one loop to another, as the balance orders.
//!
//! Invariants
//! 1. A connection moves only between two requests: nothing of it is in the pool, in a commit, in
//!    a list of this turn, or waiting to be sent.
//! 2. It takes along what its client has sent so far; what comes while it moves stays with the
//!    kernel, which reports it to the new loop.
//!
//! Not here: when, and how many (`balance`).

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::balance::{Order, PERIOD};
use super::connection::{Connection, Phase};
use super::event_loop::EventLoop;
use super::mailbox::Message;
use super::poller::{Poller, Token};

/// Connections that one order moves at most; the next period brings the next order.
const MOVES_MAX: usize = 256;
/// The CPU time of the thread that opened it.
pub struct CpuClock(File);

impl CpuClock {
    /// The calling thread's clock, where the kernel has one.
    pub fn open() -> Option<CpuClock> {
        File::open("/proc/thread-self/schedstat").ok().map(CpuClock)
    }

    fn spent(&self) -> Option<Duration> {
        let mut text = [0; 128];
        let length = self.0.read_at(&mut text, 0).ok()?;
        // Nanoseconds on a core, nanoseconds waiting for one, times.
        let nanos = str::from_utf8(&text[..length]).ok()?.split(' ').next()?;
        Some(Duration::from_nanos(nanos.parse().ok()?))
    }
}

/// CPU time is noted this many times in a period.
const NOTES: u32 = 8;

impl<P: Poller> EventLoop<P> {
    /// Notes this loop's CPU time, and passes on what the balance orders.
    pub(super) fn keep_balance(&mut self, now: Instant) {
        if now.duration_since(self.last_note) < PERIOD / NOTES {
            return;
        }
        self.last_note = now;
        let Some(spent) = self.cpu_clock.as_ref().and_then(CpuClock::spent) else {
            return self.shared.balance.serve_with_all();
        };
        self.shared.balance.note(self.number, spent);
        for order in self.shared.balance.decide(now) {
            if order.from == self.number {
                self.give_away(order);
            } else if let Some(mailbox) = self.shared.mailboxes.get(order.from) {
                mailbox.post(Message::Give(order));
            }
        }
    }

    /// Gives connections in use to another loop.
    pub(super) fn give_away(&mut self, order: Order) {
        let in_use = self.now.saturating_sub(1);
        let mut tokens = self.slots.tokens();
        tokens.retain(|token| {
            self.slots.get(*token).is_some_and(|c| c.active_at >= in_use && is_movable(c))
        });
        let shared = self.shared.clone();
        for token in tokens.into_iter().step_by(order.one_of).take(MOVES_MAX) {
            shared.balance.unless_frozen(|| self.hand_over(token, order.to));
        }
    }

    fn hand_over(&mut self, token: Token, to: usize) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        if let Err(error) = self.poller.remove(connection.socket.as_fd()) {
            tracing::warn!(connection = connection.peer.id, %error, "a connection stays");
            return;
        }
        if let Some(connection) = self.slots.remove(token) {
            self.counters().live.fetch_sub(1, Ordering::Relaxed);
            self.shared.metrics.loops[to].live.fetch_add(1, Ordering::Relaxed);
            self.counters().moved.add(1);
            self.shared.mailboxes[to].post(Message::Moved(connection));
        }
    }

    /// Takes over a connection that another loop has served so far.
    pub(super) fn adopt(&mut self, mut connection: Box<Connection>) {
        connection.active_at = self.now;
        connection.watches_output = false;
        let token = self.slots.insert(connection);
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        // What has come meanwhile is reported at once.
        if let Err(error) = self.poller.add(connection.socket.as_fd(), token) {
            tracing::warn!(connection = connection.peer.id, %error, "cannot watch a connection");
            self.close(token);
        }
    }
}

fn is_movable(connection: &Connection) -> bool {
    connection.phase == Phase::Ready
        && !connection.readable
        && !connection.queued
        && !connection.sending
        && !connection.due
        && !connection.finished
        && connection.output.unsent() == 0
}
