//! A loop's mailbox: what other threads tell it, and how they wake it.
//!
//! Invariants
//! 1. A message posted is seen by the loop's next `take`, and the loop does not sleep past it:
//!    it announces its sleep, then looks into the box once more; a poster that finds the sleep
//!    announced wakes it.
//!    A message that is posted quietly is seen by a `take` as well, but ends no sleep.
//! 2. A loop that is awake is not woken: posting then costs no system call.
//!
//! Not here: what the loop does with a message (`event_loop`).

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use doors::{Conversation, Input, Next, Urgency};
use parking_lot::Mutex;
use rustix::event::EventfdFlags;

use super::balance::Order;
use super::connection::{Connection, Newcomer};
use super::poller::Token;
use super::socket::Socket;

/// A conversation on its way to the pool or back, with what it works on.
pub struct Task {
    /// Whose conversation it is.
    pub token: Token,
    /// The conversation; `None` on the way back when it panicked.
    pub conversation: Option<Box<dyn Conversation>>,
    /// Which threads it may have.
    pub urgency: Urgency,
    /// What its client has sent.
    pub input: Input,
    /// Replies made in the pool and not sent; empty on the way there.
    pub out: Vec<u8>,
    /// Where the pool may send them itself.
    pub socket: Option<Arc<Socket>>,
    /// Bytes that it has sent there.
    pub sent: usize,
    /// How its turn in the pool ended.
    pub next: Next,
    /// Requests it answered there.
    pub requests: u64,
    /// Reads of files that its loop would have had made by itself.
    pub reads_in_loop: u64,
    /// A loop could not have served them: more was read from files, or much was written.
    pub was_for_pool: bool,
}

/// What a loop is told by other threads.
pub enum Message {
    /// A client has connected.
    Newcomer(Newcomer),
    /// A conversation comes back from the pool.
    Back(Task),
    /// A group's commit has ended.
    Committed {
        /// The loop's number of the group.
        group: u64,
        /// How it ended.
        result: rows::Result<()>,
    },
    /// A lock is free that the connection was refused.
    Unlocked(Token),
    /// Give connections to another loop.
    Give(Order),
    /// A connection comes from another loop.
    Moved(Box<Connection>),
    /// Finish what is in flight, close everything, and end, at the latest at this moment.
    Stop(Instant),
}

/// Messages for one loop.
pub struct Mailbox {
    messages: Mutex<Vec<Message>>,
    asleep: AtomicBool,
    wake: OwnedFd,
}

impl Mailbox {
    /// An empty mailbox.
    ///
    /// # Errors
    /// When the system gives no further file.
    pub fn new() -> io::Result<Mailbox> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Mailbox {
            messages: Mutex::new(Vec::new()),
            asleep: AtomicBool::new(false),
            wake: rustix::event::eventfd(0, flags)?,
        })
    }

    /// Adds a message and sees to it that the loop finds it.
    pub fn post(&self, message: Message) {
        self.post_quietly(message);
        self.wake();
    }

    /// Adds a message that the loop will find when it wakes the next time, which is within a
    /// second.
    pub fn post_quietly(&self, message: Message) {
        self.messages.lock().push(message);
    }

    /// Ends the loop's sleep.
    pub fn wake(&self) {
        if self.asleep.swap(false, Ordering::SeqCst) {
            // The counter is never read: edge-triggered polling reports every write, and at one
            // write per sleep it does not fill up in the age of the universe.
            let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
        }
    }

    /// Announces that the loop is about to sleep; `false` when a message is waiting.
    pub fn fall_asleep(&self) -> bool {
        self.asleep.store(true, Ordering::SeqCst);
        if self.messages.lock().is_empty() {
            return true;
        }
        self.asleep.store(false, Ordering::SeqCst);
        false
    }

    /// Ends the sleep and moves all messages to `into`.
    pub fn take(&self, into: &mut Vec<Message>) {
        self.asleep.store(false, Ordering::SeqCst);
        into.append(&mut self.messages.lock());
    }
}

impl AsFd for Mailbox {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
