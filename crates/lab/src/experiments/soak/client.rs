//! A client of the soak: chooses what to ask, says it as its door wants it, judges the reply, and
//! keeps its ledger.
//!
//! Invariants
//! 1. One request is in flight at a time.
//! 2. A reply is right only when what it shows is whole and, of an own row, the last acknowledged
//!    value. What was refused has changed nothing.
//!
//! Not here: sockets, leaving, time (`load`).

use clap::ValueEnum;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::phases::Work;
use super::values::{
    COUNTERS, HOT, KnownValue, OWN, OwnRows, REPEATED, REPEATED_BYTES, REPEATED_FROM, push_value,
    recognize,
};
use crate::generator::{ClientSession, Lanes, Progress, Verdict};
use crate::protocols::handlersocket as hs;
use crate::protocols::memcached::{self, MemcachedValue, judge_line};
use crate::protocols::mysql::{ReplyOutcome, judge_affected, lenenc_bytes, outcome, push_packet};
use crate::protocols::{Judgement, line_end};
use crate::users::{mix, parse_number, push_number};

const COM_QUERY: u8 = 3;
const BYTES_MIN: f64 = 10.0;
/// The version of hot values: their writers do not know each other's.
const HOT_VERSIONS: u32 = 1_000_000;

/// Where a client comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClientDoor {
    /// memcached, through containers.
    Memcached,
    /// HandlerSocket's port for writing.
    #[value(name = "handlersocket")]
    HandlerSocket,
    /// SQL in text.
    Mysql,
}

/// What was asked and is not answered.
#[derive(Debug, Clone, Copy)]
enum PendingRequest {
    /// An own row, or with `None` a hot one.
    Read(Option<usize>, u32),
    /// An own row, or with `None` one of all.
    Set(Option<usize>),
    Count(usize),
    /// BEGIN, two sets, COMMIT: the step whose reply is awaited, and whether one was refused.
    Transact {
        rows: [usize; 2],
        step: usize,
        refused: bool,
    },
}

/// Counts of a client's increments.
#[derive(Debug, Clone, Copy, Default)]
pub struct IncrementCounts {
    /// Acknowledged.
    pub surely: u64,
    /// Sent by a client that left.
    pub perhaps: u64,
}

/// A client of the soak.
pub struct Visitor {
    /// Where it comes in.
    pub door: ClientDoor,
    /// Its own rows.
    pub ledger: OwnRows,
    /// What it has added to each counter.
    pub counted: [IncrementCounts; COUNTERS],
    work: Work,
    random: SmallRng,
    asked: Option<PendingRequest>,
    value: Vec<u8>,
}

impl Visitor {
    /// A client with the rows of a slot.
    pub fn new(slot: u32, seed: u64, work: Work) -> Visitor {
        Visitor {
            door: ClientDoor::Memcached,
            ledger: OwnRows::new(slot),
            counted: [IncrementCounts::default(); COUNTERS],
            work,
            random: SmallRng::seed_from_u64(mix(seed ^ mix(u64::from(slot)))),
            asked: None,
            value: Vec::new(),
        }
    }

    /// Comes in again elsewhere, for something else.
    pub fn come(&mut self, door: ClientDoor, work: Work) {
        (self.door, self.work, self.asked) = (door, work, None);
    }

    /// It leaves without the reply to what it asked, if it asked anything.
    pub fn leaves(&mut self) {
        if let Some(PendingRequest::Count(counter)) = self.asked {
            self.counted[counter].perhaps += 1;
        }
        self.ledger.leaves();
        self.asked = None;
    }

    /// A length between the shortest and the longest, all magnitudes alike.
    fn bytes(&mut self) -> u32 {
        let most = f64::from(self.work.bytes_max);
        (BYTES_MIN * (most / BYTES_MIN).powf(self.random.random_range(0.0..1.0))) as u32
    }

    /// An own row whose value is known.
    fn own(&mut self) -> Option<(usize, KnownValue)> {
        let row = self.random.random_range(0..OWN as usize);
        self.ledger.known(row).map(|known| (row, known))
    }

    fn is_hot(&mut self) -> bool {
        self.random.random_range(0..100) < self.work.hot_percent
    }

    fn hot(&mut self) -> u32 {
        self.random.random_range(1..=HOT)
    }

    fn ask(&mut self, out: &mut Vec<u8>) -> PendingRequest {
        let Work { read, set, repeat, count, transact, .. } = self.work;
        let choice = self.random.random_range(0..read + set + repeat + count + transact);
        let upto = [read, read + set, read + set + repeat, read + set + repeat + count];
        match upto.iter().position(|most| choice < *most) {
            Some(0) => self.ask_read(out),
            Some(1) => self.ask_set(out),
            Some(2) => self.ask_repeat(out),
            Some(_) => {
                let counter = self.random.random_range(0..COUNTERS);
                self.push_count(counter, out);
                PendingRequest::Count(counter)
            }
            None => self.ask_transaction(out),
        }
    }

    fn ask_read(&mut self, out: &mut Vec<u8>) -> PendingRequest {
        let own = if self.is_hot() { None } else { self.own() };
        let (row, id) = match own {
            Some((row, _)) => (Some(row), self.ledger.id(row)),
            None => (None, self.hot()),
        };
        self.push_read(id, out);
        PendingRequest::Read(row, id)
    }

    fn ask_set(&mut self, out: &mut Vec<u8>) -> PendingRequest {
        let bytes = self.bytes();
        match if self.is_hot() { None } else { self.own() } {
            Some((row, known)) => {
                self.set_own(row, KnownValue { version: known.version + 1, bytes }, out);
                PendingRequest::Set(Some(row))
            }
            None => {
                let version = self.random.random_range(1..HOT_VERSIONS);
                let id = self.hot();
                self.push_set(id, KnownValue { version, bytes }, out);
                PendingRequest::Set(None)
            }
        }
    }

    fn ask_repeat(&mut self, out: &mut Vec<u8>) -> PendingRequest {
        let number = self.random.random_range(0..REPEATED);
        let known = KnownValue { version: 0, bytes: REPEATED_BYTES };
        let id = REPEATED_FROM + number;
        match self.door {
            // Keys without a container: what most clients of a memcached have.
            ClientDoor::Memcached => {
                let value = self.fill(id, known);
                memcached::push_store(out, "set", format!("k{id}").as_bytes(), None, &value);
                self.value = value;
            }
            _ => self.push_set(id, known, out),
        }
        PendingRequest::Set(None)
    }

    fn ask_transaction(&mut self, out: &mut Vec<u8>) -> PendingRequest {
        if self.door != ClientDoor::Mysql {
            return self.ask_set(out);
        }
        match (self.own(), self.own()) {
            (Some((one, _)), Some((other, _))) if one < other => {
                push_query(out, b"BEGIN");
                PendingRequest::Transact { rows: [one, other], step: 0, refused: false }
            }
            _ => self.ask_set(out),
        }
    }

    fn fill(&mut self, id: u32, known: KnownValue) -> Vec<u8> {
        let mut value = std::mem::take(&mut self.value);
        value.clear();
        push_value(&mut value, id, known);
        value
    }

    fn set_own(&mut self, row: usize, known: KnownValue, out: &mut Vec<u8>) {
        self.ledger.sends(row, known);
        let id = self.ledger.id(row);
        self.push_set(id, known, out);
    }

    fn push_read(&self, id: u32, out: &mut Vec<u8>) {
        match self.door {
            ClientDoor::Memcached => out.extend_from_slice(format!("get soak:{id}\r\n").as_bytes()),
            ClientDoor::HandlerSocket => {
                out.extend_from_slice(format!("1\t=\t1\t{id}\n").as_bytes())
            }
            ClientDoor::Mysql => {
                push_query(out, format!("SELECT v FROM soak.rows WHERE id = {id}").as_bytes());
            }
        }
    }

    fn push_set(&mut self, id: u32, known: KnownValue, out: &mut Vec<u8>) {
        let value = self.fill(id, known);
        match self.door {
            ClientDoor::Memcached => {
                memcached::push_store(out, "set", format!("soak:{id}").as_bytes(), None, &value);
            }
            ClientDoor::HandlerSocket => {
                out.extend_from_slice(b"1\t=\t1\t");
                push_number(out, u64::from(id));
                out.extend_from_slice(b"\t1\t0\tU\t");
                out.extend_from_slice(&value);
                out.push(b'\n');
            }
            ClientDoor::Mysql => push_packet(out, 0, |out| {
                out.push(COM_QUERY);
                out.extend_from_slice(b"UPDATE soak.rows SET v = '");
                out.extend_from_slice(&value);
                out.extend_from_slice(format!("' WHERE id = {id}").as_bytes());
            }),
        }
        self.value = value;
    }

    fn push_count(&self, counter: usize, out: &mut Vec<u8>) {
        let text = match self.door {
            ClientDoor::Memcached => format!("incr soakn:{counter} 1\r\n"),
            ClientDoor::HandlerSocket => format!("2\t=\t1\t{counter}\t1\t0\t+\t1\n"),
            ClientDoor::Mysql => {
                let text = format!("UPDATE soak.counters SET n = n + 1 WHERE id = {counter}");
                return push_query(out, text.as_bytes());
            }
        };
        out.extend_from_slice(text.as_bytes());
    }

    /// A value that was read: of an own row the last acknowledged, of a hot one a whole one.
    fn is_right(&self, row: Option<usize>, id: u32, value: &[u8]) -> bool {
        let Some(found) = recognize(id, value) else { return false };
        match row {
            Some(row) => self.ledger.known(row).is_some_and(|known| known.version == found.version),
            None => true,
        }
    }

    fn judge_read(&self, row: Option<usize>, id: u32, input: &[u8]) -> Judgement {
        let verdict = |right| if right { Verdict::Right } else { Verdict::Wrong };
        match self.door {
            ClientDoor::Memcached => match memcached::value(input) {
                MemcachedValue::Incomplete => Judgement::Incomplete,
                MemcachedValue::Miss(bytes) => Judgement::Reply(bytes, Verdict::Wrong),
                MemcachedValue::Refused(bytes) => Judgement::Reply(bytes, Verdict::Refused),
                MemcachedValue::Hit { value, bytes, .. } => {
                    Judgement::Reply(bytes, verdict(self.is_right(row, id, value)))
                }
            },
            ClientDoor::HandlerSocket => match line_end(input) {
                None => Judgement::Incomplete,
                Some(bytes) => match input[..bytes - 1].strip_prefix(b"0\t1") {
                    None => Judgement::Reply(bytes, Verdict::Refused),
                    Some(rest) => {
                        let value = rest.strip_prefix(b"\t").unwrap_or_default();
                        Judgement::Reply(bytes, verdict(self.is_right(row, id, value)))
                    }
                },
            },
            ClientDoor::Mysql => {
                let mut right = false;
                let seen = outcome(input, &mut |payload| {
                    let value = lenenc_bytes(payload).map(|(value, _)| value);
                    right = value.is_some_and(|value| self.is_right(row, id, value));
                });
                match seen {
                    ReplyOutcome::Incomplete => Judgement::Incomplete,
                    ReplyOutcome::Refused { bytes, .. } => {
                        Judgement::Reply(bytes, Verdict::Refused)
                    }
                    ReplyOutcome::Rows { bytes, .. }
                    | ReplyOutcome::Done { bytes, .. }
                    | ReplyOutcome::LocalFile { bytes } => Judgement::Reply(bytes, verdict(right)),
                }
            }
        }
    }

    fn judge_set(&self, input: &[u8]) -> Judgement {
        match self.door {
            ClientDoor::Memcached => judge_line(b"STORED\r\n", input),
            ClientDoor::HandlerSocket => hs::judge_line(b"0\t1\t1\n", input),
            ClientDoor::Mysql => judge_affected(outcome(input, &mut |_| {}), 1),
        }
    }

    fn judge_count(&self, input: &[u8]) -> Judgement {
        match (self.door, line_end(input)) {
            (ClientDoor::Memcached, None) => Judgement::Incomplete,
            (ClientDoor::Memcached, Some(bytes)) => {
                let is_number = parse_number(input[..bytes].trim_ascii_end()).is_some();
                let verdict = if is_number { Verdict::Right } else { Verdict::Refused };
                Judgement::Reply(bytes, verdict)
            }
            _ => self.judge_set(input),
        }
    }

    /// The reply to a step of a transaction: the next step, or the end.
    fn go_on(&mut self, asked: PendingRequest, input: &[u8], out: &mut Vec<u8>) -> Progress {
        let PendingRequest::Transact { rows, step, refused } = asked else {
            unreachable!("a transaction")
        };
        let (bytes, verdict) = match outcome(input, &mut |_| {}) {
            ReplyOutcome::Incomplete => {
                self.asked = Some(asked);
                return Progress::Incomplete;
            }
            ReplyOutcome::Refused { bytes, .. } => (bytes, Verdict::Refused),
            ReplyOutcome::Done { bytes, .. } => (bytes, Verdict::Right),
            ReplyOutcome::Rows { bytes, .. } | ReplyOutcome::LocalFile { bytes } => {
                (bytes, Verdict::Wrong)
            }
        };
        let refused = refused || verdict != Verdict::Right;
        if step == 3 {
            for row in rows {
                self.ledger.answered(row, !refused);
            }
            let verdict = if refused { Verdict::Refused } else { verdict };
            return Progress::Done { bytes, rows: 1, verdict };
        }
        match (refused, rows.get(step)) {
            (false, Some(&row)) => {
                let version = self.ledger.known(row).map_or(0, |known| known.version) + 1;
                let known = KnownValue { version, bytes: self.bytes() };
                self.set_own(row, known, out);
                self.asked = Some(PendingRequest::Transact { rows, step: step + 1, refused });
            }
            (false, None) => {
                push_query(out, b"COMMIT");
                self.asked = Some(PendingRequest::Transact { rows, step: 3, refused });
            }
            (true, _) => {
                push_query(out, b"ROLLBACK");
                self.asked = Some(PendingRequest::Transact { rows, step: 3, refused });
            }
        }
        Progress::Step(bytes)
    }
}

fn push_query(out: &mut Vec<u8>, text: &[u8]) {
    push_packet(out, 0, |out| {
        out.push(COM_QUERY);
        out.extend_from_slice(text);
    });
}

impl ClientSession for Visitor {
    fn start(&mut self, lanes: &mut Lanes) -> bool {
        self.asked = Some(self.ask(lanes.out(0)));
        true
    }

    fn reply(&mut self, _lane: usize, input: &[u8], lanes: &mut Lanes) -> Progress {
        let Some(asked) = self.asked.take() else {
            // Bytes that nobody asked for: taken whole, and counted as wrong by the connection.
            return Progress::Done { bytes: input.len(), rows: 0, verdict: Verdict::Wrong };
        };
        let found = match asked {
            PendingRequest::Read(row, id) => self.judge_read(row, id, input),
            PendingRequest::Set(_) => self.judge_set(input),
            PendingRequest::Count(_) => self.judge_count(input),
            PendingRequest::Transact { .. } => return self.go_on(asked, input, lanes.out(0)),
        };
        let Judgement::Reply(bytes, verdict) = found else {
            self.asked = Some(asked);
            return Progress::Incomplete;
        };
        let right = verdict == Verdict::Right;
        match asked {
            PendingRequest::Set(Some(row)) => self.ledger.answered(row, right),
            PendingRequest::Count(counter) if right => self.counted[counter].surely += 1,
            _ => {}
        }
        Progress::Done { bytes, rows: 1, verdict }
    }
}
