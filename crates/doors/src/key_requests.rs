//! The requests by key of a client, added up by kind until they are answered, for the digests and
//! the slow log.
//!
//! What a request does with which table is noted where its rights are asked, in a place of the
//! thread: a request begins and ends in one.
//!
//! Invariants
//! 1. Noting a request writes to memory of the thread and of the client alone, and reads no clock.
//! 2. A request has the kind of the first thing that it asks for; one that is begun again counts
//!    once (`forget`).
//!
//! Not here: digests themselves (`sql::server`), how long requests took (crate `server`).

use std::cell::Cell;
use std::time::Duration;

use rows::Table;
use sql::{AnsweredRequests, KeyRequest, Sql};

/// Most kinds whose digests a client remembers.
const KNOWN_MAX: usize = 16;

/// What a request has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AskedRequest {
    /// In the words of the audit log.
    operation: &'static str,
    table: u32,
    index: Option<u16>,
    allowed: bool,
}

thread_local! {
    static ASKED: Cell<Option<AskedRequest>> = const { Cell::new(None) };
}

/// The request in front asks for something in a table, by an index or by its key, and may have it
/// or not.
#[inline]
pub fn note(operation: &'static str, table: &Table, index: Option<usize>, allowed: bool) {
    if ASKED.get().is_none() {
        let index = index.and_then(|index| u16::try_from(index).ok());
        ASKED.set(Some(AskedRequest { operation, table: table.id, index, allowed }));
    }
}

/// The request in front is begun again, or another one is.
#[inline]
pub fn forget() {
    ASKED.set(None);
}

/// Requests of one kind that are not answered yet.
#[derive(Clone, Copy, Debug)]
struct PendingRequests {
    asked: AskedRequest,
    count: u64,
}

/// What a client has asked for and is not answered yet, and the digests that it knows.
#[derive(Debug, Default)]
pub struct KeyRequestTally {
    pending: Vec<PendingRequests>,
    /// Digests, as of this generation of them.
    known: Vec<(AskedRequest, u64)>,
    generation: u64,
}

/// A door's word for what a request does.
fn word_of(door: &str, operation: &'static str) -> &'static str {
    match (door, operation) {
        ("handlersocket", "read") => "find",
        ("memcached" | "tyrant", "read") => "get",
        ("memcached", "write") => "set",
        ("memcached", "insert") => "add",
        ("tyrant", "write") => "put",
        ("tyrant", "insert") => "putkeep",
        ("tyrant", "delete") => "out",
        (_, word) => word,
    }
}

/// A door without what tells its ports apart.
fn base_of(door: &'static str) -> &'static str {
    door.strip_suffix("-write").unwrap_or(door)
}

impl KeyRequestTally {
    /// The request in front is over; its answer is still to leave.
    #[inline]
    pub fn add(&mut self) {
        let Some(asked) = ASKED.take() else { return };
        match self.pending.iter_mut().find(|pending| pending.asked == asked) {
            Some(pending) => pending.count += 1,
            None => self.pending.push(PendingRequests { asked, count: 1 }),
        }
    }

    /// All that was asked at a door is answered, this long after it came. `log` is told of what
    /// took long.
    pub fn answer(
        &mut self,
        (sql, door): (&Sql, &'static str),
        took: Duration,
        log: impl Fn(&AnsweredRequests),
    ) {
        let all: u64 = self.pending.iter().map(|pending| pending.count).sum();
        if all == 0 {
            return;
        }
        let each = took / u32::try_from(all).unwrap_or(u32::MAX);
        let now = sql.engine().clock().unix_micros();
        let are_slow = sql.are_slow_requests(took);
        let mut pending = std::mem::take(&mut self.pending);
        for PendingRequests { asked, count } in pending.drain(..) {
            let digest = self.digest_of(sql, door, asked);
            let denied = if asked.allowed { 0 } else { count };
            let answered = AnsweredRequests { digest, count, denied, each, took, now };
            sql.note_requests(&answered);
            if are_slow {
                log(&answered);
            }
        }
        self.pending = pending;
    }

    /// Forgets what was asked: nobody is to be told.
    pub fn clear(&mut self) {
        self.pending.clear();
    }

    fn digest_of(&mut self, sql: &Sql, door: &'static str, asked: AskedRequest) -> u64 {
        let generation = sql.digest_generation();
        if self.generation != generation {
            self.generation = generation;
            self.known.clear();
        }
        if let Some((_, digest)) = self.known.iter().find(|(kind, _)| *kind == asked) {
            return *digest;
        }
        let door = base_of(door);
        let kind = KeyRequest {
            door,
            operation: word_of(door, asked.operation),
            table: asked.table,
            index: asked.index,
        };
        let digest = sql.digest_of_requests(&kind);
        if self.known.len() >= KNOWN_MAX {
            self.known.remove(0);
        }
        self.known.push((asked, digest));
        digest
    }
}
