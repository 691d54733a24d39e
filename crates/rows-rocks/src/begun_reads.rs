//! Reads of files that loops begin and do not wait for, by io_uring.
//!
//! What a loop's look-up was refused (`page_cache`) is read into memory of its own, through the
//! kernel's page cache, and lent to the look-up that is then made again. All reads of a turn are
//! one system call, and no thread waits for any. Where io_uring is not allowed there is no ring,
//! and a request that would wait goes to a thread that may, as ever.
//!
//! Invariants
//! 1. The kernel writes into a buffer only while its read stands in `reads`; buffers of reads whose
//!    end nobody will see are never freed.
//! 2. A ring is used by the thread that has made it: the kernel allows no other.
//!
//! Not here: what is refused, and how it is lent (`page_cache`).

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use io_uring::{IoUring, opcode, types};
use rows::begun_reads::{Arrival, BegunReads, ReadPiece};

use crate::internals::page_cache::{OpenFile, lend, take_refused};

/// Reads under way at most; more of them are for threads that may wait.
const READS_MAX: u32 = 128;
/// A part of a file that is read so; with `READS_MAX` some two megabytes for each loop.
const BYTES_MAX: usize = 16 << 10;
/// `IORING_ENTER_GETEVENTS`: whatever has come is taken in the same system call.
const TAKE_WHAT_CAME: u32 = 1;

/// A part of a file, read or to be read.
struct Part {
    file: OpenFile,
    offset: u64,
    bytes: Vec<u8>,
}

impl ReadPiece for Part {
    fn lend_to(&self, turn: &mut dyn FnMut()) {
        lend(&self.file, self.offset, &self.bytes, turn);
    }
}

struct UnderWay {
    name: u64,
    part: Part,
}

/// The reads of one loop.
pub(crate) struct Ring {
    ring: IoUring,
    /// By the number that the kernel knows each by.
    reads: Vec<Option<UnderWay>>,
    free: Vec<u32>,
    /// Not handed to the kernel yet.
    queued: usize,
    under_way: usize,
    /// The kernel takes no more.
    is_broken: bool,
}

impl Ring {
    /// A ring of the calling thread, which writes to `wake` when something has come.
    ///
    /// # Errors
    /// The kernel has none, or does not allow it.
    pub(crate) fn new(wake: BorrowedFd<'_>) -> io::Result<Ring> {
        let mut builder = IoUring::builder();
        // Reads end in the thread that asks for them, when it asks; it can see whether any have.
        builder.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag();
        builder.setup_submit_all();
        let ring = builder.build(READS_MAX)?;
        ring.submitter().register_eventfd(wake.as_raw_fd())?;
        Ok(Ring {
            ring,
            reads: Vec::new(),
            free: Vec::new(),
            queued: 0,
            under_way: 0,
            is_broken: false,
        })
    }

    fn queue(&mut self, read: UnderWay, descriptor: i32) -> bool {
        let number = self.free.pop().unwrap_or(self.reads.len() as u32);
        let mut part = read.part;
        let (buffer, length) = (part.bytes.as_mut_ptr(), part.bytes.len() as u32);
        let entry = opcode::Read::new(types::Fd(descriptor), buffer, length)
            .offset(part.offset)
            .build()
            .user_data(u64::from(number));
        #[expect(unsafe_code, reason = "the kernel is given an address")]
        // SAFETY: the buffer stays where it is, untouched, until its read has ended: it stands in
        // `reads`, or is never freed. The descriptor stays open with `part.file`, and the kernel
        // has a hold of its own once the read was handed over.
        let is_queued = unsafe { self.ring.submission().push(&entry) }.is_ok();
        if !is_queued {
            self.free.push(number);
            return false;
        }
        let read = Some(UnderWay { name: read.name, part });
        match self.reads.get_mut(number as usize) {
            Some(free) => *free = read,
            None => self.reads.push(read),
        }
        self.queued += 1;
        self.under_way += 1;
        true
    }

    /// Hands over what is queued, and has the kernel say what has come.
    fn enter(&mut self) {
        #[expect(unsafe_code, reason = "a system call with numbers only")]
        // SAFETY: no argument is given beside flags.
        let entered = unsafe {
            self.ring.submitter().enter::<()>(self.queued as u32, 0, TAKE_WHAT_CAME, None)
        };
        match entered {
            Ok(count) => self.queued -= count.min(self.queued),
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted
                | io::ErrorKind::WouldBlock
                | io::ErrorKind::ResourceBusy
                | io::ErrorKind::OutOfMemory => {}
                _ => {
                    tracing::error!(%error, "io_uring fails; reads go to threads that wait");
                    self.is_broken = true;
                }
            },
        }
    }

    /// All reads arrive without having come.
    fn give_up(&mut self, arrivals: &mut Vec<Arrival>) {
        let reads = std::mem::take(&mut self.reads);
        arrivals
            .extend(reads.iter().flatten().map(|read| Arrival { name: read.name, piece: None }));
        // The kernel may still write into them.
        std::mem::forget(reads);
        self.free.clear();
        (self.queued, self.under_way) = (0, 0);
    }
}

impl BegunReads for Ring {
    fn begin(&mut self, name: u64) -> bool {
        let Some(refused) = take_refused() else {
            return false;
        };
        if refused.bytes > BYTES_MAX || self.under_way == READS_MAX as usize || self.is_broken {
            return false;
        }
        let bytes = vec![0; refused.bytes];
        let part = Part { file: refused.file, offset: refused.offset, bytes };
        self.queue(UnderWay { name, part }, refused.descriptor)
    }

    fn proceed(&mut self, arrivals: &mut Vec<Arrival>) {
        if self.under_way == 0 {
            return;
        }
        if self.queued > 0 || self.ring.submission().taskrun() {
            self.enter();
        }
        for entry in self.ring.completion() {
            let number = entry.user_data() as u32;
            let Some(read) = self.reads.get_mut(number as usize).and_then(Option::take) else {
                continue;
            };
            self.free.push(number);
            self.under_way -= 1;
            let is_whole = usize::try_from(entry.result()) == Ok(read.part.bytes.len());
            let piece = is_whole.then(|| Box::new(read.part) as Box<dyn ReadPiece>);
            arrivals.push(Arrival { name: read.name, piece });
        }
        if self.is_broken {
            self.give_up(arrivals);
        }
    }

    fn under_way(&self) -> usize {
        self.under_way
    }

    fn is_behind(&self) -> bool {
        self.queued > 0
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // Nobody is left to be told; a server that stops does not wait for a disk that hangs.
        self.give_up(&mut Vec::new());
    }
}
