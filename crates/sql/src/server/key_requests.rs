//! Requests by key at the doors that speak no SQL, as the digests and the slow log have them:
//! `memcached get kv.cache`, `handlersocket find house.user.PRIMARY`.
//!
//! A connection adds its requests up until they are answered (crate `doors`), and tells of those of
//! one kind at once: so noting them costs the same for one and for a hundred that a client had sent
//! in a row.
//!
//! Invariants
//! 1. Requests that were answered together have taken an equal part of their time each.
//! 2. Neither a key nor a value is told.
//!
//! Not here: what is noted when (crate `doors`), sums (`digests`), the log (`slow_log`).

use std::time::Duration;

use rows::schema::TableId;

use super::Sql;

/// What requests have in common that are one digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyRequest {
    /// The door.
    pub door: &'static str,
    /// What they do, in the door's word.
    pub operation: &'static str,
    /// The number of their table.
    pub table: TableId,
    /// The number of the index that they name, if they name one.
    pub index: Option<u16>,
}

/// Requests of one kind that were answered together.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredRequests {
    /// Their digest.
    pub digest: u64,
    /// How many there were.
    pub count: u64,
    /// Those of them that the client may not make.
    pub denied: u64,
    /// What each of them took.
    pub each: Duration,
    /// From when their client sent them until all that was answered with them had left.
    pub took: Duration,
    /// When that was, microseconds since the epoch.
    pub now: u64,
}

impl Sql {
    /// Whether requests by key are told of.
    #[inline]
    pub fn notes_key_requests(&self) -> bool {
        self.history().has_digests()
    }

    /// How often all digests were forgotten.
    #[inline]
    pub fn digest_generation(&self) -> u64 {
        self.history().digests().generation()
    }

    /// The digest of a kind of requests, which has a name from now on.
    pub fn digest_of_requests(&self, kind: &KeyRequest) -> u64 {
        self.history().digests().of_requests(kind, || self.name_of_requests(kind))
    }

    /// The database, and what the digest is called.
    fn name_of_requests(&self, kind: &KeyRequest) -> (Option<String>, String) {
        let tables = self.engine().catalog().all_tables();
        let Some(table) = tables.into_iter().find(|table| table.id == kind.table) else {
            return (None, format!("{} {}", kind.door, kind.operation));
        };
        let mut text =
            format!("{} {} {}.{}", kind.door, kind.operation, table.database, table.name);
        let index = kind.index.and_then(|index| table.indexes.get(usize::from(index)));
        if let Some(index) = index {
            text.push('.');
            text.push_str(&index.name);
        }
        (Some(table.database.clone()), text)
    }

    /// Requests of one kind were answered.
    pub fn note_requests(&self, answered: &AnsweredRequests) {
        self.history().digests().note_requests(answered);
    }

    /// Whether requests that took so long are slow.
    #[inline]
    pub fn are_slow_requests(&self, took: Duration) -> bool {
        self.history().logs().slow().is_slow_request(took)
    }

    /// Slow requests of one kind were answered: of a connection, of a user and host.
    pub fn log_slow_requests(
        &self,
        answered: &AnsweredRequests,
        connection: u32,
        of: (&str, &str),
    ) {
        let history = self.history();
        if let Some((_, text)) = history.digests().name_of(answered.digest) {
            history.logs().slow().note_requests(answered, text, connection, of);
        }
    }
}
