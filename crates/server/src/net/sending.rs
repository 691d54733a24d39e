//! Sending of a loop: one write per connection and turn, more when the client is slow.
//!
//! Invariants
//! 1. A write is of `SEND_BYTES_MAX` at most, so that a long reply delays no other client: the
//!    kernel takes megabytes at once, and on one machine it also does the receiver's part
//!    meanwhile.
//!
//! Not here: which bytes may be sent (`connection::Output`).

use std::os::fd::AsFd;
use std::time::Instant;

use super::connection::Phase;
use super::event_loop::EventLoop;
use super::limits::{BUFFER_BYTES_KEPT, OUTPUT_BYTES_MAX, SEND_BYTES_MAX};
use super::poller::{Poller, Token};

impl<P: Poller> EventLoop<P> {
    /// The conversation goes on when its output has left.
    pub(super) fn await_output(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        connection.phase = Phase::Again;
        self.send_later(token);
    }

    /// Has the connection looked at when replies are sent.
    pub(super) fn send_later(&mut self, token: Token) {
        if let Some(connection) = self.slots.get(token)
            && !connection.sending
        {
            connection.sending = true;
            self.to_send.push(token);
        }
    }

    /// Sends what may be sent, one write per connection.
    pub(super) fn send_all(&mut self) {
        let mut tokens = std::mem::take(&mut self.to_send);
        if tokens.is_empty() {
            return;
        }
        let now = Instant::now();
        for token in tokens.drain(..) {
            self.send(token, now);
        }
        // Those with more to send than was sent in one turn.
        tokens.append(&mut self.to_send);
        self.to_send = tokens;
    }

    fn send(&mut self, token: Token, now: Instant) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        connection.sending = false;
        let sendable = connection.output.sendable().len();
        if sendable > 0 {
            let socket = connection.socket.as_fd();
            let piece = sendable.min(SEND_BYTES_MAX);
            let sent = match self.poller.send(socket, &connection.output.sendable()[..piece]) {
                Ok(sent) => sent,
                Err(error) => {
                    tracing::debug!(connection = connection.peer.id, %error, "send failed");
                    return self.close(token);
                }
            };
            let was_blocked = connection.output.unsent() > OUTPUT_BYTES_MAX;
            connection.output.advance(sent);
            if sent > 0 {
                connection.active_at = self.now;
            }
            if sent < piece && !connection.watches_output {
                connection.watches_output = true;
                if self.poller.watch_output(socket, token).is_err() {
                    return self.close(token);
                }
            }
            if sent == piece && piece < sendable {
                connection.sending = true;
                self.to_send.push(token);
            }
            let may_go_on = was_blocked && connection.output.unsent() <= OUTPUT_BYTES_MAX;
            if may_go_on && !connection.queued {
                connection.queued = true;
                self.next.push(token);
            }
            let door = connection.door;
            self.counters().doors[door].sent_bytes.add(sent as u64);
        }
        self.note_latency(token, now);
        self.sent_all(token);
    }

    /// Notes how long the requests took whose replies have left, if all have.
    pub(super) fn note_latency(&mut self, token: Token, now: Instant) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        if connection.answered == 0 || connection.output.unsent() > 0 {
            return;
        }
        let requests = std::mem::take(&mut connection.answered);
        let took = now.saturating_duration_since(connection.begun_at);
        // What is still in the input came while these were answered.
        connection.begun_at = now;
        if let Some(conversation) = &mut connection.conversation {
            conversation.note_answered(took);
        }
        let door = connection.door;
        self.counters().doors[door].latencies.note(took, requests);
    }

    /// What follows when a connection's output has left.
    fn sent_all(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        if connection.output.unsent() > 0 {
            connection.count_memory();
            return;
        }
        if connection.output.capacity() > BUFFER_BYTES_KEPT && connection.phase != Phase::Again {
            self.shared.pool.discard(connection.output.give_up());
        }
        if connection.input.capacity() > BUFFER_BYTES_KEPT {
            self.shared.pool.discard(connection.input.give_up());
        }
        connection.count_memory();
        match connection.phase {
            Phase::Again if !connection.queued => {
                connection.queued = true;
                self.next.push(token);
            }
            Phase::Closing => self.finish(token),
            _ => {}
        }
    }
}
