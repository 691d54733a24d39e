//! One io_uring with its provided buffers, behind a safe interface.
//!
//! ```text
//! buffer ring   BUFFERS entries of 16 bytes: address, length, number; the first one's last two
//!               bytes are the tail, up to which the kernel may take buffers
//! user data     bits 56..: what (RECEIVE, SEND, WAKE) | 32..48: buffer of a send | 0..32: token
//! ```
//!
//! Invariants
//! 1. A buffer belongs to the kernel or to exactly one `Lent`: `receive` lends it, `give_back` and
//!    the completion of `send` return it. `Lent` can be neither copied nor made elsewhere.
//! 2. Ring and buffers live as long as the process, so no operation can outlive its memory.
//!
//! Not here: what a connection is (`uring`).

use std::alloc::{Layout, alloc_zeroed};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

use anyhow::{Context, Result, ensure};
use io_uring::types::{BufRingEntry, Fd, Fixed};
use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, cqueue, opcode, squeue};
use rustix::fd::{AsRawFd, BorrowedFd};
use rustix::net::SendFlags;

/// Buffers of a ring; a power of two.
const BUFFERS: u16 = 512;
/// Length of each: 32 pipelined look-ups fit.
const BUFFER_BYTES: usize = 4096;
const SUBMISSIONS: u32 = 1024;
const COMPLETIONS: u32 = 4096;
/// Sockets that can be registered with a ring.
const SOCKETS_MAX: u32 = 16_384;
const GROUP: u16 = 0;
const PAGE_BYTES: usize = 4096;

const RECEIVE: u64 = 1;
const SEND: u64 = 2;
const WAKE: u64 = 3;
const POLL_IN: u32 = 1;

/// Part of a buffer that holds received bytes.
#[derive(Debug)]
pub struct Lent {
    buffer: u16,
    from: u32,
    to: u32,
}

impl Lent {
    /// Forgets bytes that have been dealt with; `true` if none is left.
    pub fn advance(&mut self, bytes: usize) -> bool {
        self.from = self.to.min(self.from + bytes as u32);
        self.from == self.to
    }
}

/// What has been completed.
#[derive(Debug)]
pub enum Event {
    /// The watched descriptor is readable.
    Wake,
    /// Bytes came; `more` if the receive goes on by itself.
    Received { token: u32, lent: Lent, more: bool },
    /// The receive has ended because every buffer is lent.
    Starved { token: u32 },
    /// The peer sends no more, or the socket failed.
    Ended { token: u32 },
    /// A send took so many bytes, or failed.
    Sent { token: u32, lent: Lent, taken: io::Result<usize> },
}

/// A ring of one thread.
pub struct Ring {
    submitter: Submitter<'static>,
    submissions: SubmissionQueue<'static>,
    completions: CompletionQueue<'static>,
    /// `BUFFERS` entries.
    entries: NonNull<BufRingEntry>,
    /// `BUFFERS * BUFFER_BYTES` bytes.
    memory: NonNull<u8>,
    tail: u16,
    /// Buffers that the kernel has.
    free: u16,
    registered: bool,
    /// Sends under way by buffer.
    sending: Vec<Option<Lent>>,
}

impl Ring {
    /// A ring for the calling thread. `deferred`: completions are worked off when the thread waits;
    /// otherwise whenever it enters the kernel. `registered`: sockets and ring are known to the
    /// kernel by number.
    pub fn new(deferred: bool, registered: bool) -> Result<Ring> {
        let mut builder = IoUring::builder();
        builder.setup_single_issuer().setup_coop_taskrun().setup_submit_all();
        builder.setup_cqsize(COMPLETIONS);
        if deferred {
            builder.setup_defer_taskrun();
        }
        let ring = Box::leak(Box::new(builder.build(SUBMISSIONS).context("io_uring_setup")?));
        let (mut submitter, submissions, completions) = ring.split();
        let entries: NonNull<BufRingEntry> = pages(usize::from(BUFFERS) * 16)?.cast();
        let memory = pages(usize::from(BUFFERS) * BUFFER_BYTES)?;
        #[expect(unsafe_code, reason = "the kernel is given the address of the buffer ring")]
        // SAFETY: `entries` is page-aligned, has room for `BUFFERS` entries and is never freed.
        unsafe {
            let address = entries.as_ptr() as u64;
            submitter.register_buf_ring_with_flags(address, BUFFERS, GROUP, 0)
        }
        .context("provided buffers")?;
        if registered {
            submitter.register_files_sparse(SOCKETS_MAX).context("registered files")?;
            submitter.register_ring_fd().context("registered ring")?;
        }
        let sending = (0..BUFFERS).map(|_| None).collect();
        let mut ring = Ring {
            submitter,
            submissions,
            completions,
            entries,
            memory,
            tail: 0,
            free: 0,
            registered,
            sending,
        };
        for buffer in 0..BUFFERS {
            ring.give_back(Lent { buffer, from: 0, to: 0 });
        }
        Ok(ring)
    }

    /// Reports `Event::Wake` whenever this descriptor becomes readable.
    pub fn watch(&mut self, source: BorrowedFd<'static>) -> io::Result<()> {
        let poll = opcode::PollAdd::new(Fd(source.as_raw_fd()), POLL_IN).multi(true).build();
        self.push(&poll.user_data(WAKE << 56))
    }

    /// Makes a socket known under its token.
    pub fn register(&mut self, socket: BorrowedFd<'_>, token: u32) -> io::Result<()> {
        if self.registered {
            self.submitter.register_files_update(token, &[socket.as_raw_fd()])?;
        }
        Ok(())
    }

    /// Forgets a socket of which nothing is under way.
    pub fn forget(&mut self, token: u32) -> io::Result<()> {
        if self.registered {
            self.submitter.register_files_update(token, &[-1])?;
        }
        Ok(())
    }

    /// Receives from a socket until its end, into whatever buffers are free.
    pub fn receive(&mut self, socket: BorrowedFd<'_>, token: u32) -> io::Result<()> {
        let entry = if self.registered {
            opcode::RecvMulti::new(Fixed(token), GROUP).build()
        } else {
            opcode::RecvMulti::new(Fd(socket.as_raw_fd()), GROUP).build()
        };
        self.push(&entry.user_data(RECEIVE << 56 | u64::from(token)))
    }

    /// Sends the bytes of a buffer; they leave with the next `wait`.
    pub fn send(&mut self, socket: BorrowedFd<'_>, token: u32, lent: Lent) -> io::Result<()> {
        let bytes = self.bytes(&lent);
        let (start, length) = (bytes.as_ptr(), bytes.len() as u32);
        let flags = SendFlags::NOSIGNAL.bits() as i32;
        let entry = if self.registered {
            opcode::Send::new(Fixed(token), start, length).flags(flags).build()
        } else {
            opcode::Send::new(Fd(socket.as_raw_fd()), start, length).flags(flags).build()
        };
        let data = SEND << 56 | u64::from(lent.buffer) << 32 | u64::from(token);
        let buffer = usize::from(lent.buffer);
        self.sending[buffer] = Some(lent);
        self.push(&entry.user_data(data))
    }

    /// The received bytes.
    pub fn bytes(&self, lent: &Lent) -> &[u8] {
        let start = usize::from(lent.buffer) * BUFFER_BYTES + lent.from as usize;
        #[expect(unsafe_code, reason = "the buffers are shared with the kernel")]
        // SAFETY: `buffer < BUFFERS` and `from <= to <= BUFFER_BYTES` (the kernel's count, checked
        // in `received`), so the range lies in `memory`, which was zeroed at first and is never
        // freed. The kernel does not write to a lent buffer (invariant 1).
        unsafe {
            let length = (lent.to - lent.from) as usize;
            std::slice::from_raw_parts(self.memory.as_ptr().add(start), length)
        }
    }

    /// Returns a buffer to the kernel.
    pub fn give_back(&mut self, lent: Lent) {
        self.free += 1;
        let slot = usize::from(self.tail & (BUFFERS - 1));
        #[expect(unsafe_code, reason = "the buffer ring is shared with the kernel")]
        // SAFETY: `slot < BUFFERS`, so the entry lies in `entries`; the kernel reads entries before
        // the tail only, and there are as many slots as buffers, so this one was taken. The tail is
        // two aligned bytes inside the first entry; the kernel only loads it.
        unsafe {
            let entry = &mut *self.entries.as_ptr().add(slot);
            let start = self.memory.as_ptr().add(usize::from(lent.buffer) * BUFFER_BYTES);
            entry.set_addr(start as u64);
            entry.set_len(BUFFER_BYTES as u32);
            entry.set_bid(lent.buffer);
            self.tail = self.tail.wrapping_add(1);
            let tail = BufRingEntry::tail(self.entries.as_ptr()).cast_mut();
            AtomicU16::from_ptr(tail).store(self.tail, Ordering::Release);
        }
    }

    /// Whether the kernel has a buffer to receive into.
    pub fn can_receive(&self) -> bool {
        self.free > 0
    }

    /// Submits everything and waits for at least one completion.
    pub fn wait(&mut self, events: &mut Vec<Event>) -> Result<()> {
        self.submissions.sync();
        match self.submitter.submit_and_wait(1) {
            Ok(_) => {}
            // Interrupted, or completions must be taken first.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
            Err(error) => return Err(error).context("io_uring_enter"),
        }
        self.submissions.sync();
        self.completions.sync();
        while let Some(entry) = self.completions.next() {
            let (data, result, flags) = (entry.user_data(), entry.result(), entry.flags());
            let token = data as u32;
            events.push(match data >> 56 {
                RECEIVE => self.received(token, result, flags)?,
                SEND => {
                    let buffer = (data >> 32) as u16;
                    let lent = self.sending[usize::from(buffer)].take();
                    let lent = lent.context("a send was completed twice")?;
                    let failed = io::Error::from_raw_os_error(-result);
                    let taken = usize::try_from(result).map_err(|_| failed);
                    Event::Sent { token, lent, taken }
                }
                _ => {
                    ensure!(cqueue::more(flags), "the watch has ended ({result})");
                    Event::Wake
                }
            });
        }
        self.completions.sync();
        Ok(())
    }

    fn received(&mut self, token: u32, result: i32, flags: u32) -> Result<Event> {
        let starved = -rustix::io::Errno::NOBUFS.raw_os_error();
        let Some(buffer) = cqueue::buffer_select(flags) else {
            let starved = result == starved;
            return Ok(if starved { Event::Starved { token } } else { Event::Ended { token } });
        };
        ensure!(
            buffer < BUFFERS && (1..=BUFFER_BYTES as i32).contains(&result),
            "{result} bytes in buffer {buffer}"
        );
        self.free -= 1;
        let lent = Lent { buffer, from: 0, to: result as u32 };
        Ok(Event::Received { token, lent, more: cqueue::more(flags) })
    }

    fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        if self.submissions.is_full() {
            self.submissions.sync();
            self.submitter.submit()?;
            self.submissions.sync();
        }
        #[expect(unsafe_code, reason = "the kernel uses the addresses in an entry later")]
        // SAFETY: the only addresses are those of buffers (`send`), which are never freed and stay
        // lent in `sending` until the completion. Descriptors may be closed: the kernel looks them
        // up when it is entered, and fails the operation if there is none.
        let pushed = unsafe { self.submissions.push(entry) };
        pushed.map_err(|_| io::Error::other("the submission queue is full"))
    }
}

/// Zeroed memory on a page boundary, never freed.
fn pages(bytes: usize) -> Result<NonNull<u8>> {
    let layout = Layout::from_size_align(bytes, PAGE_BYTES)?;
    ensure!(bytes > 0, "no memory to be had");
    #[expect(unsafe_code, reason = "the kernel demands an alignment that Vec does not give")]
    // SAFETY: the size is not zero.
    let memory = unsafe { alloc_zeroed(layout) };
    NonNull::new(memory).context("no memory for buffers")
}
