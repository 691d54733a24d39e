//! One client of a loop: its socket, its conversation, its buffers, and what it waits for.
//!
//! Invariants
//! 1. `conversation` is `None` exactly while the phase is `Away`.
//! 2. Bytes of `output` from `held_from` on depend on a commit under way and are not sent.
//! 3. An idle connection holds no buffers: `shrink` gives them back.
//!
//! Not here: when it is served (`event_loop`).

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use doors::{Conversation, Input, LeaveNotice, Pending, Report};
use resources::budget::Share;
use resources::forecast::Forecast;
use rows::begun_reads::ReadPiece;
use rows::store::LockWaker;
use sql::{ClientActivity, ClientListing, DoorClients};
use tls::Acceptor;

use super::connection_places::{Admission, ConnectionPlace};
use super::limits::{BUFFER_BYTES_KEPT, BYTES_PER_SECOND_MIN, OUTPUT_BYTES_MAX};
use super::socket::Socket;

/// Memory of a connection without buffers, about.
const CONNECTION_BYTES: usize = 1024;
/// Turns for the pool, more than others, from which on the next is likely to be one, too.
const FOR_POOL_FROM: u8 = 4;

/// A client that has connected.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Number of the connection, counted from 1 over all doors.
    pub id: u32,
    /// The client's address; `None` when it came through a UNIX socket.
    pub address: Option<SocketAddr>,
    /// The user of the system that it runs as, where it came through a UNIX socket.
    pub uid: Option<u32>,
}

impl Peer {
    /// Where it comes from, for the log.
    pub fn shown(&self) -> String {
        shown_address(self.address)
    }
}

/// Where a client comes from, for the log.
pub fn shown_address(address: Option<SocketAddr>) -> String {
    address.map_or_else(|| "a UNIX socket".to_owned(), |address| address.to_string())
}

/// A door as the loops see it.
#[derive(Clone)]
pub struct Door {
    /// Its name in settings, logs and metrics.
    pub name: &'static str,
    /// Which places its clients take.
    pub admission: Admission,
    /// Its own limit as it is set while the server runs (SET GLOBAL max_connections).
    pub limit_set: Option<Arc<AtomicUsize>>,
    /// Makes the conversation with a client that has just connected.
    pub converse: Arc<dyn Fn(Peer) -> Box<dyn Conversation> + Send + Sync>,
    /// What a client is sent that comes when the server is full.
    pub refusal: Vec<u8>,
    /// What a client is told whose request there is no memory for.
    pub overload: Vec<u8>,
    /// What a client is told whose request cannot be served through a fault of ours.
    pub fault: Vec<u8>,
    /// A request that needs more bytes than this ends the connection. The conversation is
    /// expected to refuse such a request earlier, in its own words.
    pub input_bytes_max: usize,
    /// How TLS is spoken; `None` where it is not.
    pub tls: Option<DoorTls>,
    /// Where the process list shows its clients, if they speak no SQL.
    pub listed_in: Option<Arc<DoorClients>>,
}

/// How a door speaks TLS.
#[derive(Clone)]
pub struct DoorTls {
    /// What connections begin with.
    pub acceptor: Arc<Acceptor>,
    /// From the first byte on, to clients that show a certificate if there are authorities;
    /// otherwise when the client asks for it.
    pub from_first_byte: bool,
}

/// A client on its way from the acceptor to its loop.
pub struct Newcomer {
    /// Its non-blocking socket.
    pub socket: OwnedFd,
    /// Position of its door in the server's list.
    pub door: usize,
    /// The client.
    pub peer: Peer,
    /// Its place among all connections; none where nobody counts them.
    pub place: Option<ConnectionPlace>,
}

/// What a connection waits for. Only its loop moves it from one phase to the next:
///
/// ```text
///            a turn ends with            the phase   which ends when
///            ─────────────────────────   ─────────   ─────────────────────────────────
///            Next::Input ─────────────>  Ready       bytes come
///            Next::Again ─────────────>  Again       the output has been sent ─────────┐
///  accept    Next::Commit ────────────>  Held        the group is synced ──────────────┤
///    │       Next::Later ─────────────>  Postponed   the time is over ─────────────────┤
///    ▼       Next::Offload                                                             │
///  Ready ──┬───┬─ a block is missing ─>  Reading     it is read ───────────────────────┤
///    ▲     │   ├─ a row is locked ────>  Locked      it is free ───────────────────────┤
///    │     │   │                         │ not to be had, too many, after 10 ms        │
///    │     │   │                         ▼                                             │
///    │     │   └─ otherwise ──────────>  Away        the pool gives it back ───────────┤
///    │     │                                                                           │
///    └─────┼─────────────── another turn ──────────────────────────────────────────────┘
///          │ Next::Close, a fault, a limit of time or size, KILL, shutdown
///          └──────────────────────────>  Closing     the output has been sent
///                                        │
///                                        ▼
///                                        Lingering   the client ends, or 2 s are over: closed
/// ```
///
/// Bytes are received in `Ready` alone, and thrown away in `Lingering`; otherwise they stay in the
/// kernel, so that a client is slowed down while it waits. After `Next::Encrypt` another turn
/// follows at once, through TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Bytes from the client.
    Ready,
    /// Its output to leave; then the conversation goes on by itself.
    Again,
    /// Its conversation to come back from the pool.
    Away,
    /// A block of a file; then its turn begins again.
    Reading,
    /// A row lock; then its turn begins again.
    Locked,
    /// The commit that its replies depend on.
    Held,
    /// The time that the answer to a failed login is kept back.
    Postponed,
    /// Its output to leave; then it is closed.
    Closing,
    /// The client's last bytes, thrown away, so that closing does not destroy our last reply.
    Lingering,
}

/// Replies not sent yet.
#[derive(Default)]
pub struct Output {
    bytes: Vec<u8>,
    sent: usize,
    held_from: Option<usize>,
}

impl Output {
    /// Where replies are appended.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// The bytes that may be sent now.
    pub fn sendable(&self) -> &[u8] {
        &self.bytes[self.sent..self.held_from.unwrap_or(self.bytes.len())]
    }

    /// Bytes not sent yet, held ones included.
    pub fn unsent(&self) -> usize {
        self.bytes.len() - self.sent
    }

    /// Length of the buffer: a mark for `hold`.
    pub fn mark(&self) -> usize {
        self.bytes.len()
    }

    /// Keeps the bytes from the mark on back until `release` or `cut`.
    pub fn hold(&mut self, mark: usize) {
        self.held_from = Some(mark);
    }

    /// Lets the held bytes go.
    pub fn release(&mut self) {
        self.held_from = None;
    }

    /// Removes the held bytes.
    pub fn cut(&mut self) {
        if let Some(mark) = self.held_from.take() {
            self.bytes.truncate(mark);
        }
    }

    /// Notes that so many bytes were sent.
    ///
    /// What is left is moved to the front only when it is little: of a long reply the larger part
    /// would be moved many times.
    pub fn advance(&mut self, count: usize) {
        self.sent += count;
        if self.sent == self.bytes.len() {
            self.bytes.clear();
            self.sent = 0;
            self.held_from = self.held_from.map(|_| 0);
        } else if self.unsent() <= OUTPUT_BYTES_MAX && self.sent > self.bytes.len() / 2 {
            self.bytes.drain(..self.sent);
            self.held_from = self.held_from.map(|mark| mark - self.sent);
            self.sent = 0;
        }
    }

    /// Appends replies, without copying when there are none yet.
    pub fn append(&mut self, mut bytes: Vec<u8>) {
        if self.bytes.is_empty() {
            self.bytes = bytes;
        } else {
            self.bytes.append(&mut bytes);
        }
    }

    /// Gives memory back when nothing is waiting.
    pub fn shrink(&mut self) {
        self.give_up();
    }

    /// The memory, to be given back by who has the time; none while something is waiting.
    pub fn give_up(&mut self) -> Vec<u8> {
        match self.bytes.is_empty() && self.held_from.is_none() {
            true => std::mem::take(&mut self.bytes),
            false => Vec::new(),
        }
    }

    /// Bytes of memory held.
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }
}

/// One client of a loop.
pub struct Connection {
    /// Its socket.
    pub socket: Arc<Socket>,
    /// Position of its door.
    pub door: usize,
    /// The client.
    pub peer: Peer,
    /// Its place, held as long as it is open.
    pub place: Option<ConnectionPlace>,
    /// That the process list shows it.
    pub listing: Option<ClientListing>,
    /// The protocol's state.
    pub conversation: Option<Box<dyn Conversation>>,
    /// Tells a conversation that is away that its client has left.
    pub leave: Option<LeaveNotice>,
    /// Tells its client how far a conversation is that is away.
    pub reports: Option<Arc<dyn Report>>,
    /// What the client has sent and the conversation has not used.
    pub input: Input,
    /// What the client is to be sent.
    pub output: Output,
    /// What it waits for.
    pub phase: Phase,
    /// Whether its next request is likely to need a disk.
    pub forecast: Forecast,
    /// Reads that were made for the request in front.
    pub reads: u8,
    /// Until when it waits here for locks that the request in front needs.
    pub lock_until: Option<Instant>,
    /// Kept while it waits for that lock in its loop.
    pub lock_watch: Option<LockWaker>,
    /// What was read for its next turn.
    pub piece: Option<Box<dyn ReadPiece>>,
    /// There may be something to receive.
    pub readable: bool,
    /// The kernel has reported the end of the client's stream: after a short read another one
    /// is needed to see it.
    pub ended: bool,
    /// The client has sent its last byte and we have read it.
    pub finished: bool,
    /// The conversation wants a turn though no bytes came.
    pub due: bool,
    /// It stands in one of the loop's lists of connections to be served.
    pub queued: bool,
    /// It stands in the loop's list of connections to be sent to.
    pub sending: bool,
    /// The kernel reports room to send.
    pub watches_output: bool,
    /// When the loop learned of the last bytes that came while no answered request waited to be
    /// sent.
    pub begun_at: Instant,
    /// Requests answered since, whose replies have not all left.
    pub answered: u64,
    /// The loop's second at which bytes last moved.
    pub active_at: u32,
    /// The request that has begun and is not complete.
    pub begun: Option<BegunRequest>,
    /// The loop's second at which it was taken over from the acceptor.
    pub since: u32,
    /// Counts receipts, by `locality::RECEIPTS`.
    pub receipts: u8,
    /// Looks in a row that found its client at another core.
    pub astray: u8,
    /// The loop of the core where its client was at the last look.
    pub home: Option<usize>,
    /// What it holds of the memory for clients.
    pub memory: Share,
}

/// A request of which not all has come.
#[derive(Clone, Copy, Debug)]
pub struct BegunRequest {
    /// When its first bytes were there.
    since: Instant,
    /// Bytes that have come after those.
    bytes: usize,
    /// Whether only silence counts: it may be of any length.
    is_part: bool,
}

impl BegunRequest {
    /// Whether it has taken too long: longer than `time_max`, and than its bytes take on a slow
    /// line.
    pub fn is_late(&self, now: Instant, quiet: Duration, time_max: Duration) -> bool {
        let allowed = time_max + Duration::from_secs((self.bytes / BYTES_PER_SECOND_MIN) as u64);
        match self.is_part {
            true => quiet >= time_max,
            false => now.saturating_duration_since(self.since) >= allowed,
        }
    }
}

impl Connection {
    /// Notes what the conversation still waits for.
    #[inline]
    pub fn note_begun(&mut self, now: Instant) {
        let pending = self.conversation.as_ref().map(|each| each.pending(&self.input));
        self.begun = match (pending, self.begun) {
            (None | Some(Pending::Nothing), _) => None,
            (Some(_), Some(begun)) => Some(begun),
            (Some(kind), None) => {
                Some(BegunRequest { since: now, bytes: 0, is_part: kind == Pending::Part })
            }
        };
    }

    /// Counts bytes that have come.
    #[inline]
    pub fn count_begun(&mut self, bytes: usize) {
        if let Some(begun) = &mut self.begun {
            begun.bytes = begun.bytes.saturating_add(bytes);
        }
    }

    /// Another request is in front, or this one goes elsewhere.
    pub fn forget_waits(&mut self) {
        self.reads = 0;
        self.lock_until = None;
        self.lock_watch = None;
    }

    /// A connection that has just begun.
    pub fn new(
        newcomer: Newcomer,
        conversation: Box<dyn Conversation>,
        now: u32,
        memory: Share,
    ) -> Connection {
        Connection {
            socket: Arc::new(Socket::new(newcomer.socket)),
            door: newcomer.door,
            peer: newcomer.peer,
            place: newcomer.place,
            listing: None,
            conversation: Some(conversation),
            leave: None,
            reports: None,
            input: Input::new(),
            output: Output::default(),
            phase: Phase::Ready,
            forecast: Forecast::after(FOR_POOL_FROM),
            reads: 0,
            lock_until: None,
            lock_watch: None,
            piece: None,
            readable: true,
            ended: false,
            finished: false,
            due: false,
            queued: false,
            sending: false,
            watches_output: false,
            begun_at: Instant::now(),
            answered: 0,
            active_at: now,
            begun: None,
            since: now,
            receipts: 0,
            astray: 0,
            home: None,
            memory,
        }
    }

    /// Its socket, if a thread of the pool may answer at it: all that was said has left, and
    /// nothing is there that its loop would have to do meanwhile.
    pub fn socket_for_pool(&self) -> Option<Arc<Socket>> {
        let is_quiet = self.output.unsent() == 0
            && self.reports.is_none()
            && !(self.sending || self.readable || self.ended || self.finished);
        is_quiet.then(|| Arc::clone(&self.socket))
    }

    /// Whether there is something to send, or a buffer that is to be given back once it has been.
    pub fn has_to_be_sent(&self) -> bool {
        let buffers = self.input.capacity().max(self.output.capacity());
        self.output.unsent() > 0 || buffers > BUFFER_BYTES_KEPT
    }

    /// Counts what it holds now. What is away in the pool counts as it was.
    #[inline]
    pub fn count_memory(&mut self) {
        if let Some(conversation) = &mut self.conversation {
            let buffers = self.input.capacity() + self.output.capacity();
            let buffers = buffers + conversation.held_bytes();
            self.memory.set(CONNECTION_BYTES + buffers);
            conversation.note_buffers(buffers);
        }
    }

    /// Tells its client how far it is with what it does elsewhere; whether there is something to
    /// send. A client that has not taken the last report gets no other.
    pub fn tell_progress(&mut self, now: Instant) -> bool {
        match &self.reports {
            Some(reports) if self.output.unsent() == 0 => {
                reports.report(now, self.output.buffer());
                self.output.unsent() > 0
            }
            _ => false,
        }
    }

    /// Tells the process list what it does; `quiet_seconds`: since bytes last moved.
    pub fn note_activity(&self, now_micros: u64, quiet_seconds: u64) {
        let Some(listing) = &self.listing else { return };
        listing.process().note(ClientActivity {
            active_at: now_micros.saturating_sub(quiet_seconds * 1_000_000),
            state: match self.phase {
                Phase::Away => "executing",
                Phase::Reading => "reading",
                Phase::Locked => "Waiting for row lock",
                Phase::Held => "committing",
                Phase::Again if self.output.unsent() > 0 => "sending",
                _ => "",
            },
            memory_bytes: self.memory.bytes(),
        });
    }

    /// Whether KILL CONNECTION was said of it.
    pub fn is_killed(&self) -> bool {
        self.listing.as_ref().is_some_and(|listing| listing.process().is_killed())
            || self.conversation.as_ref().is_some_and(|each| each.is_killed())
    }

    /// Whether its bytes are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.conversation.as_ref().is_some_and(|each| each.is_encrypted())
    }

    /// Appends words of the server that are no answer to anything.
    pub fn tell(&mut self, words: &[u8]) {
        match &mut self.conversation {
            Some(conversation) => conversation.tell(words, self.output.buffer()),
            None => self.output.buffer().extend_from_slice(words),
        }
    }

    /// Gives back the memory of empty buffers.
    pub fn shrink(&mut self) {
        self.input.shrink();
        self.output.shrink();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use doors::{Next, Turn};
    use resources::budget::Budget;

    use super::*;

    #[test]
    fn a_request_that_trickles_in_is_late_and_a_large_one_has_its_time() {
        let begun = |bytes, is_part| BegunRequest { since: Instant::now(), bytes, is_part };
        let (second, time_max) = (Duration::from_secs(1), Duration::from_secs(30));
        let is_late = |begun: BegunRequest, after: u32, quiet: u32| {
            begun.is_late(begun.since + after * second, quiet * second, time_max)
        };
        assert!(!is_late(begun(0, false), 29, 29));
        assert!(is_late(begun(0, false), 30, 0));
        assert!(is_late(begun(BYTES_PER_SECOND_MIN - 1, false), 30, 0));
        assert!(!is_late(begun(10 * BYTES_PER_SECOND_MIN, false), 39, 39));
        assert!(is_late(begun(10 * BYTES_PER_SECOND_MIN, false), 40, 0));
        assert!(!is_late(begun(0, true), 3000, 29));
        assert!(is_late(begun(0, true), 30, 30));
    }

    #[test]
    fn held_bytes_are_not_sendable() {
        let mut output = Output::default();
        output.buffer().extend_from_slice(b"read");
        let mark = output.mark();
        output.buffer().extend_from_slice(b"written");
        output.hold(mark);
        assert_eq!(output.sendable(), b"read");
        output.advance(4);
        assert_eq!(output.sendable(), b"");
        output.release();
        assert_eq!(output.sendable(), b"written");
    }

    #[test]
    fn what_is_left_of_a_long_reply_is_not_moved_each_time_a_part_has_left() {
        let mut output = Output::default();
        output.append(vec![b'x'; 8 * OUTPUT_BYTES_MAX]);
        output.advance(6 * OUTPUT_BYTES_MAX);
        // The buffer is as long as it was: nothing was moved to its front.
        assert_eq!(output.mark(), 8 * OUTPUT_BYTES_MAX);
        output.advance(OUTPUT_BYTES_MAX);
        assert_eq!((output.mark(), output.unsent()), (OUTPUT_BYTES_MAX, OUTPUT_BYTES_MAX));
    }

    #[test]
    fn cut_bytes_are_exactly_the_held_ones_also_after_sending() {
        let mut output = Output::default();
        output.buffer().extend_from_slice(b"0123456789");
        output.hold(8);
        output.advance(7);
        output.cut();
        assert_eq!(output.sendable(), b"7");
        output.advance(1);
        output.shrink();
        assert_eq!((output.unsent(), output.capacity()), (0, 0));
    }

    struct Silent;

    impl Conversation for Silent {
        fn turn(&mut self, _: &mut Input, _: &mut Vec<u8>, _: &mut Turn<'_>) -> Next {
            Next::Input
        }

        fn commit_failed(&mut self, _: &rows::Error, _: &mut Vec<u8>) {}
    }

    struct Talkative;

    impl Report for Talkative {
        fn report(&self, _: Instant, out: &mut Vec<u8>) {
            out.extend_from_slice(b"still at it");
        }
    }

    #[test]
    fn who_has_not_taken_the_last_report_gets_no_other() {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let peer = Peer { id: 1, address: None, uid: None };
        let newcomer = Newcomer { socket: ours.into(), door: 0, peer, place: None };
        let share = Budget::new(1 << 20).share();
        let mut connection = Connection::new(newcomer, Box::new(Silent), 0, share);
        let now = Instant::now();
        assert!(!connection.tell_progress(now), "nothing is away");
        connection.reports = Some(Arc::new(Talkative));
        assert!(connection.tell_progress(now));
        for taken in [0, 5, 5] {
            connection.output.advance(taken);
            assert!(!connection.tell_progress(now));
            assert!(connection.output.unsent() <= 11);
        }
        connection.output.advance(1);
        assert!(connection.tell_progress(now));
        assert_eq!(connection.output.sendable(), b"still at it");
    }
}
