//! `data_lock_waits` and `data_locks`: who waits for a row lock, and who has it, and which ranges
//! are locked. Of locks that nobody waits for so many are listed and no more, as there may be
//! millions, and without their keys, which nobody keeps.
//!
//! Not here: waits for changes of a table's definition.

use rows::Table;
use rows::locked_row::LockedRow;
use rows::row_lock_wait::{LockMode, RowLockWait, WaitKind};
use rows::schema::TableId;
use rows::store::LockedRange;
use values::datum::Value;

use crate::server::Process;
use crate::show::{Listing, number, text};
use crate::system_schema::ListingContext;
use plan::listing::AskedTables;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

const ENGINE: &str = "INNODB";
/// Most ranges that are listed.
const RANGES_MAX: usize = 10_000;
/// Most locks that nobody waits for that are listed.
const LOCKS_MAX: usize = 10_000;

/// The columns of `data_lock_waits`.
const WAITS: [&str; 11] = [
    "ENGINE",
    "REQUESTING_ENGINE_LOCK_ID",
    "REQUESTING_ENGINE_TRANSACTION_ID#",
    "REQUESTING_THREAD_ID#",
    "REQUESTING_EVENT_ID#",
    "REQUESTING_OBJECT_INSTANCE_BEGIN#",
    "BLOCKING_ENGINE_LOCK_ID",
    "BLOCKING_ENGINE_TRANSACTION_ID#",
    "BLOCKING_THREAD_ID#",
    "BLOCKING_EVENT_ID#",
    "BLOCKING_OBJECT_INSTANCE_BEGIN#",
];

/// The columns of `data_locks`.
const LOCKS: [&str; 15] = [
    "ENGINE",
    "ENGINE_LOCK_ID",
    "ENGINE_TRANSACTION_ID#",
    "THREAD_ID#",
    "EVENT_ID#",
    "OBJECT_SCHEMA",
    "OBJECT_NAME",
    "PARTITION_NAME",
    "SUBPARTITION_NAME",
    "INDEX_NAME",
    "OBJECT_INSTANCE_BEGIN#",
    "LOCK_TYPE",
    "LOCK_MODE",
    "LOCK_STATUS",
    "LOCK_DATA",
];

/// What a transaction's part in a lock is called.
fn lock_id(owner: u64, wait: &RowLockWait) -> Value {
    text(format!("{owner}:{:016x}", wait.lock))
}

/// A connection's number and that of its statement; NULL for a transaction that is none's.
fn event_of(owner: u64, connections: &HashMap<u64, Arc<Process>>) -> [Value; 2] {
    match connections.get(&owner) {
        Some(process) => [number(u64::from(process.id)), number(process.statement_number())],
        None => [Value::Null, Value::Null],
    }
}

/// `data_lock_waits`: a line for each transaction that waits and each that it waits for.
pub(super) fn waits(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&WAITS);
    if asked.are_none() {
        return listing;
    }
    let connections = facts.sql.processes().by_lock_owner();
    for wait in facts.sql.engine().store().row_lock_waits() {
        for holder in &wait.holders {
            let [thread, event] = event_of(wait.waiting, &connections);
            let [blocking_thread, blocking_event] = event_of(*holder, &connections);
            listing.push(vec![
                text(ENGINE),
                lock_id(wait.waiting, &wait),
                number(wait.waiting),
                thread,
                event,
                number(wait.lock),
                lock_id(*holder, &wait),
                number(*holder),
                blocking_thread,
                blocking_event,
                number(wait.lock),
            ]);
        }
    }
    listing
}

/// `data_locks`: each lock that is waited for, as those have it who do, and as those want it who
/// wait, the locks that nobody waits for, and ranges that are locked.
pub(super) fn locks(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&LOCKS);
    if asked.are_none() {
        return listing;
    }
    let connections = facts.sql.processes().by_lock_owner();
    let engine = facts.sql.engine();
    let ranges = engine.store().locked_ranges(RANGES_MAX);
    let mut told = BTreeSet::new();
    for wait in engine.store().row_lock_waits() {
        let Some(row) = engine.locked_row(&wait.key) else { continue };
        let of_holder = |holder: u64| match wait.kind {
            WaitKind::Key => record_mode(wait.held),
            WaitKind::Inserted => record_mode(LockMode::Exclusive),
            WaitKind::Insert => {
                let is_it =
                    |range: &&LockedRange| range.owner == holder && range.range.contains(&wait.key);
                gap_mode(ranges.iter().find(is_it).map_or(LockMode::Exclusive, |range| range.mode))
            }
        };
        let wanted = match wait.kind {
            WaitKind::Key => record_mode(wait.mode),
            WaitKind::Inserted => record_mode(LockMode::Exclusive),
            WaitKind::Insert => "X,GAP,INSERT_INTENTION",
        };
        let holders = wait.holders.iter().map(|holder| (*holder, of_holder(*holder), "GRANTED"));
        for (owner, mode, status) in holders.chain([(wait.waiting, wanted, "WAITING")]) {
            if told.insert((owner, wait.lock)) {
                let id = lock_id(owner, &wait);
                listing.push(line((id, wait.lock), &row, (owner, mode, status), &connections));
            }
        }
    }
    // Whatever was waited for a moment ago is told already.
    let held_locks = engine.store().held_row_locks(LOCKS_MAX);
    let tables: HashMap<TableId, Arc<Table>> = match held_locks.is_empty() {
        true => HashMap::new(),
        false => engine.catalog().all_tables().into_iter().map(|one| (one.id, one)).collect(),
    };
    for held in held_locks {
        let Some(table) = tables.get(&held.place.table) else { continue };
        let row = LockedRow {
            table: Arc::clone(table),
            index: held.place.index.and_then(|id| table.index_of_id(id)),
            values: String::new(),
        };
        for owner in held.holders {
            if told.insert((owner, held.lock)) {
                let id = text(format!("{owner}:{:016x}", held.lock));
                let how = (owner, record_mode(held.mode), "GRANTED");
                listing.push(line((id, held.lock), &row, how, &connections));
            }
        }
    }
    for (number, locked) in ranges.iter().enumerate() {
        let Some(row) = engine.locked_range(&locked.range) else { continue };
        let id = (text(format!("{}:range:{number}", locked.owner)), number as u64);
        let how = (locked.owner, gap_mode(locked.mode), "GRANTED");
        listing.push(line(id, &row, how, &connections));
    }
    listing
}

fn record_mode(mode: LockMode) -> &'static str {
    match mode {
        LockMode::Exclusive => "X,REC_NOT_GAP",
        LockMode::Shared => "S,REC_NOT_GAP",
    }
}

fn gap_mode(mode: LockMode) -> &'static str {
    match mode {
        LockMode::Exclusive => "X,GAP",
        LockMode::Shared => "S,GAP",
    }
}

fn line(
    (id, place): (Value, u64),
    row: &LockedRow,
    (owner, mode, status): (u64, &str, &str),
    connections: &HashMap<u64, Arc<Process>>,
) -> Vec<Value> {
    let [thread, event] = event_of(owner, connections);
    let bare = row.values.strip_prefix('(').and_then(|values| values.strip_suffix(')'));
    let values = bare.unwrap_or(&row.values);
    let (index, lock_type, mode, data) = match row.index {
        Some(index) => {
            let name = text(&row.table.index_at(index).name);
            let data = if values.is_empty() { Value::Null } else { text(values) };
            (name, "RECORD", mode, data)
        }
        None => (Value::Null, "TABLE", mode.split(',').next().unwrap_or(mode), Value::Null),
    };
    vec![
        text(ENGINE),
        id,
        number(owner),
        thread,
        event,
        text(row.table.database.clone()),
        text(row.table.name.clone()),
        Value::Null,
        Value::Null,
        index,
        number(place),
        text(lock_type),
        text(mode),
        text(status),
        data,
    ]
}
