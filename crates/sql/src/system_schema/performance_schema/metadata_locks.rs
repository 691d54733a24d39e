//! `metadata_locks`: which definitions are kept as they are by transactions that are open, and who
//! waits for one.
//!
//! Statements under way that are no part of such a transaction hold theirs unseen: they are in the
//! list of processes.
//!
//! Not here: the gates of tables (`rows::table`).

use std::collections::HashMap;
use std::sync::Arc;

use resources::waiting::Waiting;
use rows::schema::TableId;
use rows::table::Table;

use crate::server::{Process, Sql};
use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;

/// A connection that has a table's metadata lock, or waits for it.
pub struct MetadataLock {
    /// The connection.
    pub process: Arc<Process>,
    /// The table.
    pub table: Arc<Table>,
    /// Whether it waits.
    pub waits: bool,
}

/// All of them, those who have it first.
pub fn all(sql: &Sql) -> Vec<MetadataLock> {
    let tables: HashMap<TableId, Arc<Table>> =
        sql.engine().catalog().all_tables().into_iter().map(|table| (table.id, table)).collect();
    let (mut held, mut waiting) = (Vec::new(), Vec::new());
    for process in sql.processes().all() {
        for id in process.transaction().map(|open| open.tables).unwrap_or_default() {
            if let Some(table) = tables.get(&id).cloned() {
                held.push(MetadataLock { process: Arc::clone(&process), table, waits: false });
            }
        }
        if process.waits.current() == Some(Waiting::MetadataLock)
            && let Ok(id) = TableId::try_from(process.waits.table())
            && let Some(table) = tables.get(&id).cloned()
        {
            waiting.push(MetadataLock { process, table, waits: true });
        }
    }
    held.extend(waiting);
    held
}

/// `metadata_locks`.
pub(super) fn locks(facts: &ListingContext<'_>, filler: &mut TableFiller<'_>) {
    for lock in all(facts.sql) {
        filler.push(|column| {
            Some(match column {
                "OBJECT_TYPE" => text("TABLE"),
                "OBJECT_SCHEMA" => text(&lock.table.database),
                "OBJECT_NAME" => text(&lock.table.name),
                "OBJECT_INSTANCE_BEGIN" => number(u64::from(lock.table.id)),
                "LOCK_TYPE" => text(if lock.waits { "EXCLUSIVE" } else { "SHARED_WRITE" }),
                "LOCK_DURATION" => text("TRANSACTION"),
                "LOCK_STATUS" => text(if lock.waits { "PENDING" } else { "GRANTED" }),
                "OWNER_THREAD_ID" => number(u64::from(lock.process.id)),
                "OWNER_EVENT_ID" => number(lock.process.statement_number()),
                _ => return None,
            })
        });
    }
}
