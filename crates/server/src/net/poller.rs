//! Where an event loop meets the kernel: which sockets are ready, and bytes in and out.
//!
//! The loop is generic over `Poller`, so that another kernel interface can be measured against
//! this one without touching it. The trait speaks of bytes moved rather than of readiness alone:
//! an interface that completes reads and writes by itself can hand over what it has already
//! received, and take a whole buffer to send.
//!
//! Invariants
//! 1. Readiness is reported once per change (edge-triggered): the loop remembers a socket as
//!    readable until `receive` has said `drained`. A connection that may not be read at the moment
//!    (its conversation is in the pool, its reader is slow) therefore costs no system call.
//! 2. `receive` takes at most `READ_BYTES`, `send` never blocks.
//!
//! Not here: what the bytes mean, whose turn it is (`event_loop`).

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use doors::Input;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::net::{RecvFlags, SendFlags};

/// Bytes that one `receive` takes at most: what one connection may bring into one turn.
pub const READ_BYTES: usize = 64 * 1024;
/// Events that one `wait` reports at most; the rest follow in the next turn.
const EVENTS_MAX: usize = 1024;

/// Which of a loop's sockets is meant: chosen by the loop, given back in events.
pub type Token = u64;

/// A change that the kernel reports of a socket.
#[derive(Clone, Copy, Debug)]
pub struct Ready {
    /// The socket's token.
    pub token: Token,
    /// There is something to receive, be it the end of the stream or an error.
    pub readable: bool,
    /// A `send` that was cut short can go on.
    pub writable: bool,
    /// The peer has sent its last byte, or is gone.
    pub ended: bool,
}

/// What `receive` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveOutcome {
    /// So many bytes were added to the input; `drained` when there are no more for now.
    Bytes {
        /// Number of bytes added, 0 when there was nothing.
        count: usize,
        /// Nothing is left to read until the next event.
        drained: bool,
    },
    /// The peer sends no more.
    End,
}

/// The kernel interface of one event loop, which may move between threads (`loop_threads`).
pub trait Poller: Send {
    /// Begins to watch a socket for bytes to receive.
    fn add(&mut self, socket: BorrowedFd<'_>, token: Token) -> io::Result<()>;
    /// Ends the watch of a socket.
    fn remove(&mut self, socket: BorrowedFd<'_>) -> io::Result<()>;
    /// Watches a socket also for room to send.
    fn watch_output(&mut self, socket: BorrowedFd<'_>, token: Token) -> io::Result<()>;
    /// Waits for events, at most as long as `timeout` says, and appends them to `ready`.
    fn wait(&mut self, timeout: Option<Duration>, ready: &mut Vec<Ready>) -> io::Result<()>;
    /// Appends received bytes to `input`.
    fn receive(&mut self, socket: BorrowedFd<'_>, input: &mut Input) -> io::Result<ReceiveOutcome>;
    /// Sends from the front of `bytes`; gives the number of bytes taken, 0 when there is no room.
    fn send(&mut self, socket: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize>;
}

/// epoll, one `recv` per ready socket and one `send` per reply.
pub struct Epoll {
    epoll: OwnedFd,
    /// Shared by all connections of the loop, so that an idle connection needs no buffer.
    buffer: Vec<u8>,
}

impl Epoll {
    /// A poller that watches nothing yet.
    ///
    /// # Errors
    /// When the system gives no further file.
    pub fn new() -> io::Result<Epoll> {
        Ok(Epoll {
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            buffer: Vec::with_capacity(READ_BYTES),
        })
    }
}

impl Poller for Epoll {
    fn add(&mut self, socket: BorrowedFd<'_>, token: Token) -> io::Result<()> {
        let flags = epoll::EventFlags::IN | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        Ok(epoll::add(&self.epoll, socket, epoll::EventData::new_u64(token), flags)?)
    }

    fn remove(&mut self, socket: BorrowedFd<'_>) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, socket)?)
    }

    fn watch_output(&mut self, socket: BorrowedFd<'_>, token: Token) -> io::Result<()> {
        let flags = epoll::EventFlags::IN
            | epoll::EventFlags::OUT
            | epoll::EventFlags::RDHUP
            | epoll::EventFlags::ET;
        Ok(epoll::modify(&self.epoll, socket, epoll::EventData::new_u64(token), flags)?)
    }

    fn wait(&mut self, timeout: Option<Duration>, ready: &mut Vec<Ready>) -> io::Result<()> {
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: timeout.as_secs() as i64,
            tv_nsec: timeout.subsec_nanos().into(),
        });
        // On the stack: events cannot move between threads, and the poller does.
        let mut room = [const { MaybeUninit::<epoll::Event>::uninit() }; EVENTS_MAX];
        let events = match epoll::wait(self.epoll.as_fd(), &mut room, timeout.as_ref()) {
            Ok((events, _)) => events,
            Err(rustix::io::Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let broken = epoll::EventFlags::HUP | epoll::EventFlags::ERR;
        let ended = broken | epoll::EventFlags::RDHUP;
        ready.extend(events.iter().map(|event| {
            // The structure is packed: its fields are copied before they are used.
            let (flags, data) = (event.flags, event.data);
            Ready {
                token: data.u64(),
                readable: flags.intersects(epoll::EventFlags::IN | ended),
                writable: flags.intersects(epoll::EventFlags::OUT | broken),
                ended: flags.intersects(ended),
            }
        }));
        Ok(())
    }

    fn receive(&mut self, socket: BorrowedFd<'_>, input: &mut Input) -> io::Result<ReceiveOutcome> {
        self.buffer.clear();
        match rustix::net::recv(socket, spare_capacity(&mut self.buffer), RecvFlags::empty()) {
            Ok((_, 0)) => Ok(ReceiveOutcome::End),
            Ok((_, count)) => {
                input.extend(&self.buffer);
                Ok(ReceiveOutcome::Bytes { count, drained: count < READ_BYTES })
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {
                Ok(ReceiveOutcome::Bytes { count: 0, drained: true })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn send(&mut self, socket: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
        match rustix::net::send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(count) => Ok(count),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    #[test]
    fn bytes_are_reported_once_and_received() {
        let mut poller = Epoll::new().unwrap();
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        poller.add(ours.as_fd(), 7).unwrap();
        theirs.write_all(b"hello").unwrap();
        let mut ready = Vec::new();
        poller.wait(Some(Duration::from_secs(5)), &mut ready).unwrap();
        assert_eq!((ready.len(), ready[0].token, ready[0].readable), (1, 7, true));
        let mut input = Input::new();
        let received = poller.receive(ours.as_fd(), &mut input).unwrap();
        assert_eq!(received, ReceiveOutcome::Bytes { count: 5, drained: true });
        assert_eq!(input.bytes(), b"hello");
        ready.clear();
        poller.wait(Some(Duration::ZERO), &mut ready).unwrap();
        assert!(ready.is_empty());
    }

    #[test]
    fn the_end_of_a_stream_is_told_from_silence() {
        let mut poller = Epoll::new().unwrap();
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let mut input = Input::new();
        let silence = poller.receive(ours.as_fd(), &mut input).unwrap();
        assert_eq!(silence, ReceiveOutcome::Bytes { count: 0, drained: true });
        drop(theirs);
        assert_eq!(poller.receive(ours.as_fd(), &mut input).unwrap(), ReceiveOutcome::End);
    }
}
