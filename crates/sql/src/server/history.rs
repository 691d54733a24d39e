//! What becomes of statements: each one that ends is counted with others like it (`digests`), and
//! logged if it took long (`slow_log`).
//!
//! Invariants
//! 1. A statement is noted once, when it is answered: a stream of rows with its last row, or when
//!    it is given up.
//!
//! Not here: what runs (`processes`), figures of doors (crate `server`).

use std::time::Duration;

use super::digests::StatementDigests;
use super::slow_log::{SlowEntry, SlowLog};

/// How a statement ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementOutcome {
    /// Whether with an error.
    pub failed: bool,
    /// Its warnings.
    pub warnings: u64,
    /// Rows that it changed.
    pub affected: u64,
    /// Rows that it gave.
    pub sent: u64,
    /// Rows that it looked at.
    pub examined: u64,
}

/// A statement that is over, or a stream of rows that goes on after the call.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatementKind {
    /// Which digest it has.
    pub digest: u64,
    /// From when on it is logged as slow; `None`: never.
    pub slow_after: Option<Duration>,
}

/// A statement that has just ended, of a connection.
pub struct EndedStatement<'a> {
    /// What it was.
    pub kind: StatementKind,
    /// How it ended.
    pub outcome: StatementOutcome,
    /// How long it took.
    pub took: Duration,
    /// Its text, as far as the process list keeps it.
    pub text: &'a [u8],
    /// When it ended, microseconds since the epoch.
    pub now: u64,
    /// The connection's number.
    pub connection: u32,
    /// User, host and database.
    pub of: (&'a str, &'a str, Option<&'a str>),
}

/// What statements have taken.
#[derive(Debug)]
pub struct StatementHistory {
    digests: StatementDigests,
    slow: SlowLog,
}

impl StatementHistory {
    /// Nothing yet, of a server with this much memory for clients, in bytes.
    pub fn new(memory_bytes: usize, slow: SlowLog) -> StatementHistory {
        StatementHistory { digests: StatementDigests::within(memory_bytes), slow }
    }

    /// Statements by digest.
    pub fn digests(&self) -> &StatementDigests {
        &self.digests
    }

    /// The slow log.
    pub fn slow_log(&self) -> &SlowLog {
        &self.slow
    }

    /// A statement has ended.
    pub fn note(&self, ended: &EndedStatement<'_>) {
        self.digests.note(ended);
        if ended.kind.slow_after.is_some_and(|after| ended.took >= after) {
            self.slow.log(SlowEntry::of(ended));
        }
    }
}
