//! How connections of a loop begin and end: welcome, idle limits, lingering, the server's stop.
//!
//! Invariants
//! 1. A connection that is closed by us sees all of its output, then the end of the stream, and
//!    may still send for `LINGER_SECONDS`: closing a socket with unread bytes would make the
//!    kernel throw away the reply that says why.
//! 2. At a stop every request that has arrived is answered first; a connection that waits for
//!    its next request is closed. What is not answered when the time for that is over ends.
//!
//! Not here: turns (`event_loop`).

use std::os::fd::AsFd;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use doors::Input;

use super::connection::{Connection, Newcomer, Phase};
use super::event_loop::EventLoop;
use super::limits::LINGER_SECONDS;
use super::poller::{Poller, ReceiveOutcome, Token};

impl<P: Poller> EventLoop<P> {
    /// Takes a client over from the acceptor.
    pub(super) fn welcome(&mut self, newcomer: Newcomer) {
        let (door, peer) = (newcomer.door, newcomer.peer);
        let its_door = &self.shared.doors[door];
        let mut conversation = (its_door.converse)(peer);
        let listing = its_door.listed_in.as_ref().map(|clients| {
            let now = self.shared.engine.clock().unix_micros();
            let address = peer.address.map(|address| address.ip());
            clients.join(peer.id, its_door.name, address.filter(|ip| !ip.is_loopback()), now)
        });
        if let Some(listing) = &listing {
            conversation.be_listed(listing.process());
        }
        if let Some(tls) = its_door.tls.as_ref().filter(|tls| tls.from_first_byte) {
            let Some(encrypted) = its_door.inside_tls(conversation, tls) else {
                // `opened` has not been counted, but the acceptor has counted it among the live.
                self.counters().live.fetch_sub(1, Ordering::Relaxed);
                return;
            };
            conversation = encrypted;
        }
        let mut greeting = Vec::new();
        conversation.greet(&mut greeting);
        let memory = self.shared.engine.budget().share();
        let mut connection = Connection::new(newcomer, conversation, self.now, memory);
        connection.listing = listing;
        connection.output.append(greeting);
        let token = self.slots.insert(Box::new(connection));
        self.counters().doors[door].opened.add(1);
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        if let Err(error) = self.poller.add(connection.socket.as_fd(), token) {
            tracing::warn!(connection = peer.id, %error, "cannot watch a connection");
            return self.close(token);
        }
        tracing::debug!(connection = peer.id, door = self.shared.doors[door].name, "opened");
        connection.queued = true;
        self.runnable.push(token);
        self.send_later(token);
    }

    /// Closes a connection at once.
    pub(super) fn close(&mut self, token: Token) {
        let Some(connection) = self.slots.remove(token) else {
            return;
        };
        let (door, id) = (connection.door, connection.peer.id);
        // Its place is free before the figures say that it is gone.
        drop(connection);
        let counters = self.counters();
        counters.doors[door].closed.add(1);
        counters.live.fetch_sub(1, Ordering::Relaxed);
        tracing::debug!(connection = id, "closed");
    }

    /// Ends a connection whose output has left.
    pub(super) fn finish(&mut self, token: Token) {
        let stopping = self.stop_at.is_some();
        let now = self.now;
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        let heard_out = connection.finished || (stopping && !connection.readable);
        if heard_out
            || rustix::net::shutdown(&connection.socket, rustix::net::Shutdown::Write).is_err()
        {
            return self.close(token);
        }
        connection.phase = Phase::Lingering;
        connection.active_at = now;
        connection.input = Input::new();
        connection.output.shrink();
        self.linger(token);
    }

    /// Throws away what a client sends that was told good-bye.
    pub(super) fn linger(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        if !connection.readable {
            return;
        }
        let mut thrown_away = Input::new();
        match self.poller.receive(connection.socket.as_fd(), &mut thrown_away) {
            Ok(ReceiveOutcome::Bytes { count, drained }) => {
                connection.readable = !drained || (connection.ended && count > 0);
                if connection.readable && !connection.queued {
                    connection.queued = true;
                    self.next.push(token);
                }
            }
            Ok(ReceiveOutcome::End) | Err(_) => self.close(token),
        }
    }

    /// Tells those who are served elsewhere, and were not done in time, that nobody waits for them.
    pub(super) fn abandon(&mut self) {
        for token in self.slots.tokens() {
            let Some(connection) = self.slots.get(token) else {
                continue;
            };
            if connection.phase == Phase::Away {
                // The pool may have the socket as well, and must not answer at it any more.
                connection.socket.break_off();
            }
            if let Some(leave) = &connection.leave {
                leave();
            }
        }
    }

    /// Looks after buffers, reports and time limits; about once a second.
    pub(super) fn tick(&mut self) {
        let idle_max = self.shared.limits.idle.as_secs();
        let stalled_max = self.shared.limits.stalled.as_secs();
        let login_max = self.shared.limits.login.as_secs();
        let request_max = self.shared.limits.request;
        let (now, at) = (self.now, self.turn_at);
        let now_micros = self.shared.engine.clock().unix_micros();
        for token in self.slots.tokens() {
            let Some(connection) = self.slots.get(token) else {
                continue;
            };
            let quiet = u64::from(now - connection.active_at);
            if quiet >= 1 {
                connection.shrink();
                connection.count_memory();
            }
            if connection.tell_progress(at) && !connection.sending {
                connection.sending = true;
                self.to_send.push(token);
            }
            connection.note_activity(now_micros, quiet);
            let killed = connection.is_killed();
            if killed
                && connection.phase == Phase::Away
                && let Some(leave) = &connection.leave
            {
                leave();
            }
            // Bytes that come one by one do not prolong it.
            let unknown = connection.conversation.as_ref().is_some_and(|each| !each.is_known());
            let late =
                login_max > 0 && u64::from(now.saturating_sub(connection.since)) >= login_max;
            let unsent = !connection.output.sendable().is_empty();
            let begun = connection.begun.filter(|_| !request_max.is_zero());
            let silence = Duration::from_secs(quiet);
            let amid = begun.is_some_and(|begun| begun.is_late(at, silence, request_max));
            let why = match connection.phase {
                Phase::Lingering if quiet >= u64::from(LINGER_SECONDS) => "told good-bye",
                _ if unsent && stalled_max > 0 && quiet >= stalled_max => "takes no output",
                Phase::Ready | Phase::Again | Phase::Reading | Phase::Locked | Phase::Postponed
                    if killed =>
                {
                    "killed"
                }
                Phase::Ready if unknown && late => "did not log in",
                Phase::Ready if amid && !unsent => "did not send its request to the end",
                Phase::Ready if !unsent && idle_max > 0 && quiet >= idle_max => "idle",
                _ => continue,
            };
            tracing::debug!(connection = connection.peer.id, why, "closing");
            self.close(token);
        }
    }

    /// Answers what has arrived, then closes.
    pub(super) fn begin_stop(&mut self, at: Instant) {
        self.stop_at = Some(at);
        for token in self.slots.tokens() {
            let Some(connection) = self.slots.get(token) else {
                continue;
            };
            match connection.phase {
                Phase::Lingering | Phase::Postponed => self.close(token),
                Phase::Away => connection.socket.await_back(),
                Phase::Ready if !connection.queued => {
                    // What the kernel holds has arrived, even if its event has not.
                    connection.readable = true;
                    connection.queued = true;
                    self.runnable.push(token);
                }
                _ => {}
            }
        }
    }
}
