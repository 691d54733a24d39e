//! What requests by key do with the tables that the audit log watches, until they are answered.
//!
//! Invariants
//! 1. It is noted where a request's rights are asked, so that no request passes it by. A client
//!    that is not watched has none of this.
//! 2. A request that is repeated elsewhere is noted there alone (`forget`).
//! 3. What foreign keys do to tables that follow one (ON DELETE CASCADE and its kin) is told with
//!    the request that changes that one, as far as they may: without keys.
//! 4. Keys are told, values never: all of a request, in as many lines as they need, up to a
//!    mebibyte of them. What is beyond that is counted.
//!
//! Not here: lines and their file (`access::audit`), which requests there are (the doors).

use std::sync::Arc;

use access::LimitReached;
use access::audit::{AuditClass, AuditEvent, AuditSubject};
use parking_lot::Mutex;
use rows::Table;
use rows::foreign_key::Follower;
use values::ErrorCode;

use crate::accounts::DoorAccounts;

/// Bytes of keys that one line tells.
const KEY_BYTES_MAX: usize = 4096;
/// Bytes of keys that are told of a request.
const ALL_KEY_BYTES_MAX: usize = 1 << 20;

/// Operations after which rows of other tables may follow.
const CHANGES: [&str; 3] = ["write", "update", "delete"];

/// What a client's request has done so far.
#[derive(Debug)]
pub struct ClientAccesses {
    accounts: Arc<DoorAccounts>,
    pending: Mutex<PendingAccesses>,
}

/// What is not told yet.
#[derive(Debug, Default)]
struct PendingAccesses {
    accesses: Vec<TableAccess>,
    /// Bytes of their keys.
    key_bytes: usize,
}

/// What was done with a table: a line.
#[derive(Debug)]
struct TableAccess {
    database: String,
    table: String,
    operation: &'static str,
    allowed: bool,
    keys: Vec<String>,
    key_bytes: usize,
    key_count: u64,
}

impl ClientAccesses {
    /// Those of a user, if the audit log is to have them.
    pub fn of(accounts: &Arc<DoorAccounts>, user: &str) -> Option<Arc<ClientAccesses>> {
        let wants = accounts.audit()?.wants(AuditClass::Operations, user);
        wants.then(|| {
            let accounts = Arc::clone(accounts);
            Arc::new(ClientAccesses { accounts, pending: Mutex::default() })
        })
    }

    /// Whether these are the same client's.
    #[inline]
    pub fn are_same(some: Option<&Arc<Self>>, others: Option<&Arc<Self>>) -> bool {
        some.map(Arc::as_ptr) == others.map(Arc::as_ptr)
    }

    /// The request in front does something with a table, by a key or by none, or may not.
    ///
    /// # Errors
    /// When the audit log takes no lines, and nothing is to be done without.
    pub fn note(
        &self,
        table: &Arc<Table>,
        operation: &'static str,
        key: Option<&[u8]>,
        allowed: bool,
    ) -> Result<(), LimitReached> {
        let Some(audit) = self.accounts.audit() else { return Ok(()) };
        let is_watched = audit.wants_table(&table.database, &table.name);
        let changes = CHANGES.contains(&operation) && allowed;
        let followers = changes.then(|| table.followers());
        let follows = |follower: &&Follower| audit.wants_table(&follower.database, &follower.table);
        let mut followers = followers.iter().flat_map(|all| all.iter()).filter(follows).peekable();
        if !is_watched && followers.peek().is_none() {
            return Ok(());
        }
        if audit.refuses() {
            return Err(LimitReached::Unaudited);
        }
        let mut pending = self.pending.lock();
        if is_watched {
            pending.note((&table.database, &table.name), operation, key, allowed);
        }
        for Follower { database, table } in followers {
            pending.note((database, table), "cascade", None, allowed);
        }
        Ok(())
    }

    /// The request in front is begun again.
    pub fn forget(&self) {
        *self.pending.lock() = PendingAccesses::default();
    }

    /// The request in front of a client is answered: the audit log is told what it did.
    pub fn tell(&self, of: &AuditSubject<'_>) {
        let pending = std::mem::take(&mut *self.pending.lock());
        let Some(audit) = self.accounts.audit() else { return };
        for access in pending.accesses {
            let status = match access.allowed {
                true => 0,
                false => ErrorCode::TableaccessDenied.number(),
            };
            let event = AuditEvent::Access {
                database: &access.database,
                table: &access.table,
                operation: access.operation,
                keys: &access.keys,
                key_count: access.key_count,
                status,
            };
            audit.note(of, &event);
        }
    }
}

impl PendingAccesses {
    fn note(
        &mut self,
        (database, table): (&str, &str),
        operation: &'static str,
        key: Option<&[u8]>,
        allowed: bool,
    ) {
        let key = key.map(|key| String::from_utf8_lossy(&key[..key.len().min(KEY_BYTES_MAX)]));
        let length = key.as_ref().map_or(0, |key| key.len());
        let is_told = self.key_bytes + length <= ALL_KEY_BYTES_MAX;
        let is_same = |access: &TableAccess| {
            access.operation == operation
                && access.allowed == allowed
                && access.database == database
                && access.table == table
        };
        let last = self.accesses.iter().rposition(is_same);
        let has_key =
            |access: &TableAccess| access.keys.last().map(String::as_str) == key.as_deref();
        let has_room = |access: &TableAccess| {
            !is_told || access.keys.is_empty() || access.key_bytes + length <= KEY_BYTES_MAX
        };
        let at = match last {
            // A request may ask several times for what it does with one key.
            Some(at) if has_key(&self.accesses[at]) => return,
            Some(at) if has_room(&self.accesses[at]) => at,
            _ => {
                let (database, table) = (database.to_owned(), table.to_owned());
                let (keys, key_bytes, key_count) = (Vec::new(), 0, 0);
                self.accesses.push(TableAccess {
                    database,
                    table,
                    operation,
                    allowed,
                    keys,
                    key_bytes,
                    key_count,
                });
                self.accesses.len() - 1
            }
        };
        let Some(key) = key else { return };
        let access = &mut self.accesses[at];
        access.key_count += 1;
        if is_told {
            access.key_bytes += length;
            access.keys.push(key.into_owned());
            self.key_bytes += length;
        }
    }
}
