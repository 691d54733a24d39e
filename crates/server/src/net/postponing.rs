//! Answers that a loop keeps back for a while: those to logins that have failed.
//!
//! No thread waits meanwhile, and the client's further requests stay where they are.
//!
//! Invariants
//! 1. A connection whose phase is `Postponed` stands in `postponed`, with the time at which it goes
//!    on.
//!
//! Not here: how long (`doors::FailedLogins`).

use std::time::{Duration, Instant};

use super::connection::Phase;
use super::event_loop::EventLoop;
use super::poller::{Poller, Token};

impl<P: Poller> EventLoop<P> {
    /// Keeps back what the conversation has answered from the mark on, and its next turn.
    pub(super) fn postpone(&mut self, token: Token, mark: usize, time: Duration) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        connection.phase = Phase::Postponed;
        connection.output.hold(mark);
        self.postponed.insert((self.turn_at + time, token));
    }

    /// Lets those go on who have waited long enough.
    pub(super) fn end_postponing(&mut self, now: Instant) {
        while let Some(&(until, token)) = self.postponed.first()
            && until <= now
        {
            self.postponed.pop_first();
            let Some(connection) = self.slots.get(token) else { continue };
            if connection.phase == Phase::Postponed {
                connection.output.release();
                self.send_later(token);
                self.go_on(token);
            }
        }
    }

    /// How long the loop may sleep for those who wait.
    pub(super) fn postponed_left(&self) -> Option<Duration> {
        let (until, _) = self.postponed.first()?;
        Some(until.saturating_duration_since(Instant::now()))
    }
}
