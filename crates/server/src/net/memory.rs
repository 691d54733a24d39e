//! What a loop does when clients together use more memory than they may.
//!
//! First replies are sent before further requests are served, and connections that hold much wait;
//! clients that read what they asked for give the memory back within a turn or two. When it does
//! not come back in `GRACE`, the connections that hold most are closed, largest first, in their
//! protocol's words, until there is room again. Those that are taking a reply just now, whom
//! nothing can be told in the midst of it, go last, and have `TAKING_GRACE` for it, or less where
//! far more is in use than may be. Small requests are served throughout.
//!
//! Invariants
//! 1. A connection that waits here stands in `waiting` and nowhere else.
//! 2. No client that holds less than `SMALL_BYTES` waits or is closed, unless far more is in use
//!    than may be: then nobody is served until the largest are gone.
//!
//! Not here: the sum (`resources::budget`), what others take of it (transactions, statements).

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use doors::Input;
use resources::budget::SMALL_BYTES;

use super::connection::Phase;
use super::event_loop::EventLoop;
use super::poller::{Poller, Token};

/// How long connections that wait for memory sleep.
pub(super) const MEMORY_PAUSE: Duration = Duration::from_millis(5);
/// How long too much memory may be in use before somebody has to go.
const GRACE: Duration = Duration::from_millis(200);
/// The same for those who are taking a reply.
const TAKING_GRACE: Duration = Duration::from_secs(2);

/// More memory is in use than should be.
#[derive(Clone, Copy)]
pub(super) struct MemoryExcess {
    since: Instant,
    /// When the largest were closed last.
    closed_at: Instant,
}

impl<P: Poller> EventLoop<P> {
    /// At the beginning of a turn: lets those go on who waited, and closes the largest when
    /// waiting has not helped.
    pub(super) fn keep_memory(&mut self, now: Instant) {
        let budget = self.shared.engine.budget();
        let (used, most) = (budget.used(), budget.bytes_max());
        if used <= most {
            self.over = None;
        } else {
            let over = *self.over.get_or_insert(MemoryExcess { since: now, closed_at: now });
            // Far above there is no time to wait for slow clients.
            let far = used - most > most / 4;
            if far || now.duration_since(over.closed_at) >= GRACE {
                self.over = Some(MemoryExcess { closed_at: now, ..over });
                let since = now.duration_since(over.since);
                let taking_too =
                    since >= TAKING_GRACE || far && (since >= GRACE || used - most > most / 2);
                self.close_largest(taking_too);
            }
        }
        self.runnable.append(&mut self.waiting);
    }

    /// Whether the connection has to wait for memory; then it is served later.
    pub(super) fn waits_for_memory(&mut self, token: Token) -> bool {
        if !self.shared.engine.budget().is_over() {
            return false;
        }
        self.send_all();
        let budget = self.shared.engine.budget();
        let (used, most) = (budget.used(), budget.bytes_max());
        if used <= most {
            return false;
        }
        let far = used - most > most / 4;
        let Some(connection) = self.slots.get(token) else {
            return false;
        };
        let asks = matches!(connection.phase, Phase::Ready | Phase::Again);
        if !asks || (connection.memory.bytes() <= SMALL_BYTES && !far) {
            return false;
        }
        connection.queued = true;
        self.waiting.push(token);
        true
    }

    fn close_largest(&mut self, taking_too: bool) {
        let mut large = Vec::new();
        let now = self.now;
        for token in self.slots.tokens() {
            if let Some(connection) = self.slots.get(token) {
                let may_go = !matches!(connection.phase, Phase::Away | Phase::Held);
                let drawn = connection.conversation.as_ref().map_or(0, |each| each.drawn_bytes());
                let bytes = connection.memory.bytes() + drawn;
                let takes = connection.output.unsent() > 0 && now - connection.active_at <= 1;
                if may_go && bytes > SMALL_BYTES && (taking_too || !takes) {
                    large.push((!takes, bytes, token));
                }
            }
        }
        large.sort_unstable();
        let budget = self.shared.engine.budget().clone();
        for (waits, bytes, token) in large.into_iter().rev() {
            // Nobody is cut off in the midst of a reply for more room than is needed.
            let most = if waits { budget.bytes_max() / 4 * 3 } else { budget.bytes_max() };
            if budget.used() <= most {
                break;
            }
            let is_cut = self.slots.get(token).is_some_and(|each| each.output.unsent() > 0);
            self.tell_of_memory(token, bytes, is_cut);
            self.give_up(token);
        }
    }

    /// Tells the log which connection is closed because it holds much of the memory; not of each,
    /// where many are.
    fn tell_of_memory(&mut self, token: Token, bytes: usize, is_cut: bool) {
        let metrics = self.shared.metrics.clone();
        metrics.closed_for_memory.fetch_add(1, Ordering::Relaxed);
        let Some(more) = metrics.memory_lines.next(self.turn_at) else { return };
        let Some(connection) = self.slots.get(token) else { return };
        let (id, door, peer) = (connection.peer.id, connection.door, connection.peer.shown());
        let user = connection.conversation.as_ref().and_then(|each| each.user().map(str::to_owned));
        tracing::warn!(
            connection = id,
            door = metrics.doors[door],
            peer,
            user = user.unwrap_or_default(),
            bytes,
            is_cut,
            more,
            "out of memory for clients: closing one that holds much of it"
        );
    }

    /// Tells a client that there is no memory for its request, and closes.
    fn give_up(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        if connection.output.unsent() > 0 {
            // It does not read what it was sent: nothing more can be told.
            return self.close(token);
        }
        connection.input = Input::new();
        connection.output.shrink();
        connection.tell(&self.shared.doors[connection.door].overload);
        connection.conversation = None;
        connection.memory.set(0);
        connection.phase = Phase::Closing;
        self.send_later(token);
    }
}
