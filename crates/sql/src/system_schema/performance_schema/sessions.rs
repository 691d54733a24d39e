//! Connections and what they run, under MySQL's columns.

use std::time::Duration;

use values::datum::Value;

use super::digests::picoseconds;
use crate::show::{self, Listing, maybe, number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::information_schema::{renamed, seen_lines};
use plan::listing::AskedTables;
use plan::process_line::ProcessLine;

/// `processlist`: as SHOW FULL PROCESSLIST.
pub(super) fn processlist(facts: &ListingContext<'_>) -> Listing {
    let names = ["ID", "USER", "HOST", "DB", "COMMAND", "TIME", "STATE", "INFO", "MEMORY_USED"];
    renamed(show::processes(facts.sql, seen_lines(facts), true), &names)
}

/// How long a connection has been at what it does.
fn so_far(facts: &ListingContext<'_>, line: &ProcessLine) -> Duration {
    let now = facts.sql.engine().clock().unix_micros();
    Duration::from_micros(now.saturating_sub(line.since))
}

/// `threads`: a line for each connection, by whose number they are known.
pub(super) fn threads(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "THREAD_ID#",
        "NAME",
        "TYPE",
        "PROCESSLIST_ID#",
        "PROCESSLIST_USER",
        "PROCESSLIST_HOST",
        "PROCESSLIST_DB",
        "PROCESSLIST_COMMAND",
        "PROCESSLIST_TIME#",
        "PROCESSLIST_STATE",
        "PROCESSLIST_INFO",
        "PARENT_THREAD_ID#",
        "ROLE",
        "INSTRUMENTED",
        "HISTORY",
        "CONNECTION_TYPE",
        "THREAD_OS_ID#",
        "RESOURCE_GROUP",
        "EXECUTION_ENGINE",
        "CONTROLLED_MEMORY#",
        "MAX_CONTROLLED_MEMORY#",
        "TOTAL_MEMORY#",
        "MAX_TOTAL_MEMORY#",
        "TELEMETRY_ACTIVE",
    ])
    .long_text(10);
    if asked.are_none() {
        return listing;
    }
    let sessions = facts.sql.processes().lines().into_iter().map(|line| ("sql", line));
    let doors = facts.sql.door_clients().lines().into_iter().map(|line| (line.command, line));
    for (speaks, line) in sessions.chain(doors) {
        let id = number(u64::from(line.id));
        let time = number(so_far(facts, &line).as_secs());
        let memory = number(line.memory_bytes as u64);
        listing.push(vec![
            id.clone(),
            text(format!("thread/{speaks}/one_connection")),
            text("FOREGROUND"),
            id,
            text(line.user),
            text(line.host),
            maybe(line.database),
            text(line.command),
            time,
            text(line.state),
            maybe(line.info),
            Value::Null,
            Value::Null,
            text("YES"),
            text("NO"),
            Value::Null,
            Value::Null,
            Value::Null,
            text("PRIMARY"),
            memory.clone(),
            memory.clone(),
            memory.clone(),
            memory,
            text("NO"),
        ]);
    }
    listing
}

/// `events_statements_current`: the statements that run, with how long they have.
pub(super) fn statements(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let names = [
        "THREAD_ID#",
        "EVENT_ID#",
        "END_EVENT_ID#",
        "EVENT_NAME",
        "SOURCE",
        "TIMER_START#",
        "TIMER_END#",
        "TIMER_WAIT#",
        "LOCK_TIME#",
        "SQL_TEXT",
        "DIGEST",
        "DIGEST_TEXT",
        "CURRENT_SCHEMA",
        "OBJECT_TYPE",
        "OBJECT_SCHEMA",
        "OBJECT_NAME",
        "OBJECT_INSTANCE_BEGIN#",
        "MYSQL_ERRNO#",
        "RETURNED_SQLSTATE",
        "MESSAGE_TEXT",
        "ERRORS#",
        "WARNINGS#",
        "ROWS_AFFECTED#",
        "ROWS_SENT#",
        "ROWS_EXAMINED#",
        "CREATED_TMP_DISK_TABLES#",
        "CREATED_TMP_TABLES#",
        "SELECT_FULL_JOIN#",
        "SELECT_FULL_RANGE_JOIN#",
        "SELECT_RANGE#",
        "SELECT_RANGE_CHECK#",
        "SELECT_SCAN#",
        "SORT_MERGE_PASSES#",
        "SORT_RANGE#",
        "SORT_ROWS#",
        "SORT_SCAN#",
        "NO_INDEX_USED#",
        "NO_GOOD_INDEX_USED#",
        "NESTING_EVENT_ID#",
        "NESTING_EVENT_TYPE",
        "NESTING_EVENT_LEVEL#",
        "STATEMENT_ID#",
        "CPU_TIME#",
        "MAX_CONTROLLED_MEMORY#",
        "MAX_TOTAL_MEMORY#",
        "EXECUTION_ENGINE",
    ];
    let mut listing = Listing::new(&names).long_text(9).long_text(11);
    if asked.are_none() {
        return listing;
    }
    for line in facts.sql.processes().lines() {
        let Some(info) = &line.info else { continue };
        let took = picoseconds(so_far(facts, &line).as_micros() as u64);
        let row = names.iter().map(|name| match *name {
            "THREAD_ID#" => number(u64::from(line.id)),
            "EVENT_ID#" => number(line.number),
            "EVENT_NAME" => text("statement/sql"),
            "TIMER_WAIT#" => took.clone(),
            "SQL_TEXT" => text(info),
            "CURRENT_SCHEMA" => maybe(line.database.as_ref()),
            name if name.ends_with('#') && !NULLS.contains(&name) => number(0),
            _ => Value::Null,
        });
        listing.push(row.collect());
    }
    listing
}

/// Numbers that are NULL where there are none.
const NULLS: [&str; 4] =
    ["END_EVENT_ID#", "TIMER_END#", "OBJECT_INSTANCE_BEGIN#", "NESTING_EVENT_ID#"];
