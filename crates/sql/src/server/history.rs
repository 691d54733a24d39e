//! What becomes of statements: each one that ends is counted with others like it (`digests`) and
//! with those of its account (`statement_sums`), logged if it took long (`slow_log`), and told to
//! the audit log.
//!
//! Invariants
//! 1. A statement is noted once, when it is answered: a stream of rows with its last row, or when
//!    it is given up.
//!
//! Not here: what runs (`processes`), figures of doors (crate `server`).

use std::sync::Arc;
use std::time::Duration;

use access::AccessControl;
use access::audit::{AuditClass, AuditEvent, AuditLog, AuditSubject};

use super::digests::{StatementDigests, StatementShape};
use super::slow_log::SlowRule;
use super::statement_logs::StatementLogs;
use super::statement_sums::AccountSums;

/// How a statement ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementOutcome {
    /// 0, or the number of its error.
    pub status: u16,
    /// Its warnings.
    pub warnings: u64,
    /// Rows that it changed.
    pub affected: u64,
    /// Rows that it gave.
    pub sent: u64,
    /// Rows that it looked at.
    pub examined: u64,
    /// Microseconds that it waited for locks.
    pub lock_micros: u64,
    /// Microseconds that its threads waited for disks.
    pub disk_micros: u64,
    /// The most bytes of memory that its connection had meanwhile.
    pub memory_bytes: u64,
    /// Whether it read all rows of a table, since no index answered what it asked.
    pub is_table_scan: bool,
}

/// A statement that is over, or a stream of rows that goes on after the call.
#[derive(Clone, Copy, Debug)]
pub struct StatementKind {
    /// Which digest it has.
    pub digest: u64,
    /// From when on it is slow.
    pub slow: SlowRule,
    /// What it is to the audit log.
    pub class: AuditClass,
    /// Whether the audit log watches a table of it.
    pub table_watch: TableWatch,
}

/// Whether the audit log, where it chooses statements by their tables, watches one of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableWatch {
    /// It is not known which tables there are.
    #[default]
    Unknown,
    /// No table is.
    Unwatched,
    /// One is.
    Watched,
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
    /// Text of what EXECUTE carried out; empty otherwise.
    pub executed: &'a [u8],
    /// Its plan in a few words; empty where that is not known.
    pub plan: &'a str,
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
    accounts: AccountSums,
    logs: StatementLogs,
    access: Arc<AccessControl>,
    has_digests: bool,
}

impl StatementHistory {
    /// Nothing yet, of a server with this much memory for clients, in bytes.
    pub fn new(
        memory_bytes: usize,
        logs: StatementLogs,
        access: Arc<AccessControl>,
    ) -> StatementHistory {
        let (digests, accounts) = (StatementDigests::within(memory_bytes), AccountSums::default());
        StatementHistory { digests, accounts, logs, access, has_digests: true }
    }

    /// The same without digests: `performance_schema = OFF`.
    #[must_use]
    pub fn without_digests(self) -> StatementHistory {
        StatementHistory { has_digests: false, ..self }
    }

    /// Whether statements and requests are counted by digest.
    #[inline]
    pub fn has_digests(&self) -> bool {
        self.has_digests
    }

    /// The digest of a statement in a database; none in particular where there are no digests.
    pub fn digest_of(&self, schema: Option<&str>, of: &StatementShape<'_>) -> u64 {
        if self.has_digests { self.digests.of(schema, of) } else { 0 }
    }

    /// Statements by digest.
    pub fn digests(&self) -> &StatementDigests {
        &self.digests
    }

    /// What the statements of connections took that are gone.
    pub fn accounts(&self) -> &AccountSums {
        &self.accounts
    }

    /// The slow log and the general log.
    pub fn logs(&self) -> &StatementLogs {
        &self.logs
    }

    /// About how much memory all of it takes.
    pub fn memory_bytes(&self) -> usize {
        self.digests.memory_bytes() + self.logs.memory_bytes()
    }

    /// A statement has ended.
    pub fn note(&self, ended: &EndedStatement<'_>) {
        if self.has_digests {
            self.digests.note(ended);
        }
        self.logs.slow().note(ended);
        if let Some(audit) = self.access.audit() {
            tell(audit, ended);
        }
    }
}

/// Tells the audit log of a statement.
fn tell(audit: &AuditLog, ended: &EndedStatement<'_>) {
    let (user, host, database) = ended.of;
    let StatementKind { class, table_watch, .. } = ended.kind;
    let is_chosen = match class {
        AuditClass::Statements => table_watch != TableWatch::Unwatched,
        _ => true,
    };
    // A definition may read as well: CREATE TABLE ... AS SELECT.
    let is_read = table_watch == TableWatch::Watched && audit.wants(AuditClass::Statements, user);
    let class = match is_chosen && audit.wants(class, user) {
        true => class,
        false if is_read => AuditClass::Statements,
        false => return,
    };
    let query = String::from_utf8_lossy(ended.text);
    let executed = String::from_utf8_lossy(ended.executed);
    let of = AuditSubject { connection: ended.connection, door: "sql", user, host };
    let event = AuditEvent::Query {
        class,
        database,
        query: &query,
        executed: Some(&*executed).filter(|text| !text.is_empty()),
        status: ended.outcome.status,
        micros: u64::try_from(ended.took.as_micros()).unwrap_or(u64::MAX),
    };
    audit.note(&of, &event);
}
