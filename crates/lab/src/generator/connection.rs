//! One client on the wire: its sockets, its buffers, and the requests in flight.
//!
//! Invariants
//! 1. Requests of a turn leave in one write per lane; a lane asks for writability only while a
//!    write is cut short.
//! 2. `started` holds one instant per request in flight, oldest first.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use super::{ClientSession, Progress, Sample, Verdict, Wire};

/// What one read asks for at most.
const READ_BYTES: usize = 64 * 1024;
/// A reply longer than this is refused: no workload here asks for so much.
const REPLY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Bytes to be sent, one buffer per lane.
pub struct Lanes {
    buffers: Vec<Vec<u8>>,
}

impl Lanes {
    /// The buffer that a request for this lane is appended to.
    pub fn out(&mut self, lane: usize) -> &mut Vec<u8> {
        &mut self.buffers[lane]
    }
}

/// A session with its connected sockets, one per lane.
pub struct Client<S> {
    /// The side that writes requests and judges replies.
    pub session: S,
    /// Connected sockets, past any handshake.
    pub streams: Vec<Wire>,
}

impl<S> Client<S> {
    /// A client with one socket.
    pub fn new(session: S, stream: impl Into<Wire>) -> Client<S> {
        Client { session, streams: vec![stream.into()] }
    }

    /// A client with several, one for each lane.
    pub fn with_lanes(session: S, streams: Vec<TcpStream>) -> Client<S> {
        Client { session, streams: streams.into_iter().map(Wire::from).collect() }
    }
}

struct Lane {
    stream: Wire,
    input: Vec<u8>,
    /// Unread bytes are `input[from..to]`.
    from: usize,
    to: usize,
    sent: usize,
    /// Writability is awaited.
    waits_to_write: bool,
}

/// What a turn did to the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The connection lives; `true` if some lane's wish for writability changed.
    Open(bool),
    /// A socket failed or was closed by the server.
    Broken,
}

/// The window that counts, and whether new requests may start.
#[derive(Debug, Clone, Copy)]
pub struct CountedWindow {
    /// From when on requests count.
    pub from: Instant,
    /// Until when they count, and are started.
    pub to: Instant,
    /// Requests in flight.
    pub depth: usize,
}

/// A session in motion.
pub struct ClientConnection<S> {
    /// The side that writes requests and judges replies.
    pub session: S,
    lanes: Vec<Lane>,
    out: Lanes,
    started: VecDeque<Instant>,
    /// The session has no further requests.
    pub finished: bool,
}

impl<S: ClientSession> ClientConnection<S> {
    /// Puts a client's sockets into motion.
    ///
    /// # Errors
    /// Of the sockets.
    pub fn new(client: Client<S>) -> io::Result<ClientConnection<S>> {
        let mut lanes = Vec::with_capacity(client.streams.len());
        for stream in client.streams {
            stream.socket().set_nonblocking(true)?;
            stream.socket().set_nodelay(true)?;
            let input = Vec::new();
            lanes.push(Lane { stream, input, from: 0, to: 0, sent: 0, waits_to_write: false });
        }
        let out = Lanes { buffers: lanes.iter().map(|_| Vec::new()).collect() };
        let started = VecDeque::new();
        Ok(ClientConnection { session: client.session, lanes, out, started, finished: false })
    }

    /// The sockets with their wish for writability, for registration.
    pub fn streams(&self) -> impl Iterator<Item = (&TcpStream, bool)> {
        self.lanes.iter().map(|lane| (lane.stream.socket(), lane.waits_to_write))
    }

    /// Requests sent and not yet answered.
    pub fn in_flight(&self) -> usize {
        self.started.len()
    }

    /// Starts requests up to the depth and sends them.
    pub fn fill(
        &mut self,
        window: &CountedWindow,
        now: Instant,
        sample: &mut Sample,
    ) -> TurnOutcome {
        self.start_requests(window, now);
        self.flush(sample)
    }

    /// Takes what a lane received, judges it, starts what may follow, and sends that.
    pub fn turn(
        &mut self,
        lane: usize,
        readable: bool,
        window: &CountedWindow,
        sample: &mut Sample,
    ) -> TurnOutcome {
        if readable {
            match self.lanes[lane].fill() {
                Ok(()) => {}
                Err(error) => {
                    sample.note_bad(&format!("connection failed ({error})"), b"");
                    return TurnOutcome::Broken;
                }
            }
            let now = Instant::now();
            self.judge(lane, now, window, sample);
            self.start_requests(window, now);
        }
        self.flush(sample)
    }

    /// Ends the connection in the middle: with what was asked unanswered, and, if `half` says so,
    /// with half of a further request sent.
    pub fn leave(mut self, half: bool) -> S {
        self.out.buffers.iter_mut().for_each(Vec::clear);
        if half && self.session.start(&mut self.out) {
            for (lane, out) in self.lanes.iter_mut().zip(&self.out.buffers) {
                // The server need not get it: nobody waits for the answer.
                let _ = lane.stream.write(&out[..out.len() / 2]);
                let _ = lane.stream.send_rest();
            }
        }
        self.session
    }

    fn start_requests(&mut self, window: &CountedWindow, now: Instant) {
        while self.started.len() < window.depth && now < window.to && !self.finished {
            if self.session.start(&mut self.out) {
                self.started.push_back(now);
            } else {
                self.finished = true;
            }
        }
    }

    fn judge(&mut self, index: usize, now: Instant, window: &CountedWindow, sample: &mut Sample) {
        loop {
            let lane = &mut self.lanes[index];
            let input = &lane.input[lane.from..lane.to];
            if input.is_empty() {
                (lane.from, lane.to) = (0, 0);
                return;
            }
            match self.session.reply(index, input, &mut self.out) {
                Progress::Incomplete => return,
                Progress::Step(bytes) => lane.from += bytes,
                Progress::Done { bytes, rows, verdict } => {
                    let began = self.started.pop_front();
                    match (verdict, began) {
                        (_, None) => {
                            sample.wrong += 1;
                            sample.note_bad("reply without a request", &input[..bytes]);
                        }
                        (Verdict::Right, Some(_)) => {}
                        (Verdict::Wrong, Some(_)) => {
                            sample.wrong += 1;
                            sample.note_bad("wrong", &input[..bytes]);
                        }
                        (Verdict::Refused, Some(_)) => {
                            sample.refused += 1;
                            sample.note_bad("refused", &input[..bytes]);
                        }
                    }
                    if let Some(began) = began
                        && now >= window.from
                        && now < window.to
                    {
                        sample.count((now - began).as_nanos() as u64, rows);
                    }
                    lane.from += bytes;
                }
            }
        }
    }

    fn flush(&mut self, sample: &mut Sample) -> TurnOutcome {
        let mut changed = false;
        for (lane, out) in self.lanes.iter_mut().zip(&mut self.out.buffers) {
            match lane.flush(out) {
                Ok(waits) => {
                    changed |= waits != lane.waits_to_write;
                    lane.waits_to_write = waits;
                }
                Err(error) => {
                    sample.note_bad(&format!("connection failed ({error})"), b"");
                    return TurnOutcome::Broken;
                }
            }
        }
        TurnOutcome::Open(changed)
    }
}

impl Lane {
    /// What came, into room behind the unread bytes: one read, and what was decrypted beside it.
    fn fill(&mut self) -> io::Result<()> {
        loop {
            let read = self.read_once()?;
            if read == 0 || matches!(self.stream, Wire::Plain(_)) {
                return Ok(());
            }
        }
    }

    /// Bytes of one read; none if none are there.
    fn read_once(&mut self) -> io::Result<usize> {
        if self.input.len() - self.to < READ_BYTES {
            self.input.copy_within(self.from..self.to, 0);
            self.to -= self.from;
            self.from = 0;
            if self.input.len() - self.to < READ_BYTES {
                if self.to > REPLY_BYTES_MAX {
                    return Err(io::Error::other("a reply is longer than any request asks for"));
                }
                self.input.resize((self.to + READ_BYTES).next_power_of_two(), 0);
            }
        }
        match self.stream.read(&mut self.input[self.to..]) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => {
                self.to += bytes;
                Ok(bytes)
            }
            Err(error) if is_transient(&error) => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Sends what waits; `true` if some is left.
    fn flush(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        while self.sent < out.len() {
            match self.stream.write(&out[self.sent..]) {
                Ok(bytes) => self.sent += bytes,
                // What encrypts it has no more room until some is gone.
                Err(error) if is_transient(&error) => {
                    if matches!(self.stream, Wire::Plain(_)) || self.stream.send_rest()? {
                        return Ok(true);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        out.clear();
        self.sent = 0;
        self.stream.send_rest()
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
