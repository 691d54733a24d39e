//! A client's socket, and how a thread of the pool answers at it.
//!
//! While a conversation is in the pool, its replies may be sent from there, and its loop need not
//! be woken for having it back: what the client asks next wakes it anyway, and it looks into its
//! mailbox first. Where requests go to disk again and again this saves the larger half of what
//! handing conversations to and fro costs (docs/decisions/0053-reads-from-disk.md).
//!
//! Invariants
//! 1. Only one thread sends: the pool's while a conversation is there whose task has the socket,
//!    the loop's otherwise. A task has it only if everything said before has left.
//! 2. A conversation that the loop waits for wakes it: the loop says so (`await_back`) before it
//!    looks into its mailbox and sleeps, and the pool asks (`is_awaited`) after it has put it
//!    there.
//!
//! Not here: receiving (`poller`), sending by the loop (`sending`).

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::net::SendFlags;

use super::limits::SEND_BYTES_MAX;

/// A non-blocking socket.
pub struct Socket {
    socket: OwnedFd,
    awaited: AtomicBool,
}

impl Socket {
    /// A client's, of which nothing is in the pool.
    pub fn new(socket: OwnedFd) -> Socket {
        Socket { socket, awaited: AtomicBool::new(false) }
    }

    /// The conversation goes to the pool, and its loop has nothing to do with it until it is back.
    pub fn send_away(&self) {
        self.awaited.store(false, Ordering::SeqCst);
    }

    /// The loop has something to do with it as soon as it is back.
    pub fn await_back(&self) {
        self.awaited.store(true, Ordering::SeqCst);
    }

    /// Whether its loop waits for it.
    pub fn is_awaited(&self) -> bool {
        self.awaited.load(Ordering::SeqCst)
    }

    /// Sends from the front of `replies`; says how many bytes left. What did not is the loop's to
    /// send, and to find out why.
    pub fn answer(&self, replies: &[u8]) -> usize {
        let piece = &replies[..replies.len().min(SEND_BYTES_MAX)];
        rustix::net::send(self, piece, SendFlags::NOSIGNAL).unwrap_or(0)
    }

    /// Ends it for both sides, whoever still has it.
    pub fn break_off(&self) {
        let _ = rustix::net::shutdown(self, rustix::net::Shutdown::Both);
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
