//! What the page shows of what SQL answers: a few statements for each view.
//!
//! Invariants
//! 1. Each runs as a session of the user, who sees what SQL lets this user see. A part that fails
//!    says why, and the others are shown.
//!
//! Not here: figures of the doors, settings of the program (`door`), how answers are written
//! (`answers`).

/// A view's parts: names, and the statements that answer them.
pub type ViewParts = &'static [(&'static str, &'static str)];

/// The views by name.
const VIEWS: &[(&str, ViewParts)] = &[
    ("statements", &[("statements", STATEMENTS)]),
    (
        "waiting",
        &[
            ("connections", CONNECTIONS),
            ("waits", LOCK_WAITS),
            ("definitions", DEFINITION_WAITS),
            ("last", LAST_STATEMENTS),
        ],
    ),
    (
        "tables",
        &[
            ("tables", TABLES),
            ("hot_keys", HOT_KEYS),
            ("unused", UNUSED_KEYS),
            ("redundant", REDUNDANT_KEYS),
        ],
    ),
    ("work", &[("running", RUNNING), ("events", EVENTS)]),
    ("variables", &[("variables", "SHOW GLOBAL VARIABLES")]),
    ("top", TOP),
];

/// What `rowhouse top` shows besides figures, in a few lines each.
pub const TOP: ViewParts = &[("statements", TOP_STATEMENTS), ("waits", TOP_WAITS)];

/// A view by its name.
pub fn find(name: &str) -> Option<ViewParts> {
    VIEWS.iter().find(|(known, _)| *known == name).map(|(_, parts)| *parts)
}

const STATEMENTS: &str = "
    SELECT schema_name, digest_text, count_star, sum_timer_wait, avg_timer_wait, quantile_99,
           sum_errors, sum_warnings, sum_rows_examined, sum_rows_sent, sum_rows_affected, last_seen,
           query_sample_text
    FROM performance_schema.events_statements_summary_by_digest
    ORDER BY sum_timer_wait DESC LIMIT 200";

const TOP_STATEMENTS: &str = "
    SELECT LEFT(digest_text, 200) AS statement, schema_name AS db, count_star AS times,
           sum_timer_wait DIV 1000000 AS total_us, avg_timer_wait DIV 1000000 AS average_us,
           quantile_99 DIV 1000000 AS p99_us, sum_rows_sent AS rows_sent,
           sum_rows_examined AS rows_examined, sum_errors AS errors
    FROM performance_schema.events_statements_summary_by_digest
    ORDER BY sum_timer_wait DESC LIMIT 20";

const TOP_WAITS: &str = "
    SELECT w.requesting_thread_id AS waiting, r.processlist_user AS waiting_user,
           r.processlist_time AS seconds, LEFT(r.processlist_info, 200) AS statement,
           w.blocking_thread_id AS holding, b.processlist_user AS holding_user,
           b.processlist_command AS holding_command, b.processlist_time AS holding_seconds,
           LEFT(s.sql_text, 200) AS holding_statement
    FROM performance_schema.data_lock_waits w
    LEFT JOIN performance_schema.threads r ON r.thread_id = w.requesting_thread_id
    LEFT JOIN performance_schema.threads b ON b.thread_id = w.blocking_thread_id
    LEFT JOIN performance_schema.events_statements_current s
      ON s.thread_id = w.blocking_thread_id
    ORDER BY r.processlist_time DESC LIMIT 20";

const CONNECTIONS: &str = "
    SELECT id, user, host, db, command, time, state, info, memory_used
    FROM information_schema.processlist ORDER BY state = '', time DESC LIMIT 500";

/// Connections are known by their numbers in `threads`, too.
const LOCK_WAITS: &str = "
    SELECT requesting_thread_id, blocking_thread_id
    FROM performance_schema.data_lock_waits LIMIT 500";

/// Waits for a table's definition, each with whose open transaction keeps it as it is.
const DEFINITION_WAITS: &str = "
    SELECT waiting_thread_id AS requesting_thread_id, blocking_thread_id
    FROM sys.schema_table_lock_waits LIMIT 500";

/// What idle connections did last, of those with an open transaction.
const LAST_STATEMENTS: &str = "
    SELECT s.thread_id, LEFT(s.sql_text, 1000) AS sql_text,
           t.timer_wait DIV 1000000000000 AS seconds
    FROM performance_schema.events_transactions_current t
    JOIN performance_schema.events_statements_current s ON s.thread_id = t.thread_id
    WHERE s.end_event_id IS NOT NULL LIMIT 500";

const TABLES: &str = "
    SELECT s.table_schema, s.table_name, t.engine, s.table_rows, s.data_length, s.index_length,
           s.data_plain_length + s.index_plain_length AS plain_length
    FROM information_schema.table_sizes s
    JOIN information_schema.tables t
      ON t.table_schema = s.table_schema AND t.table_name = s.table_name
    ORDER BY s.data_length + s.index_length DESC LIMIT 200";

const HOT_KEYS: &str = "
    SELECT table_schema, table_name, index_name, key_values, percent
    FROM information_schema.hot_keys ORDER BY percent DESC";

const UNUSED_KEYS: &str = "
    SELECT object_schema, object_name, index_name FROM sys.schema_unused_indexes
    ORDER BY object_schema, object_name, index_name LIMIT 500";

const REDUNDANT_KEYS: &str = "
    SELECT table_schema, table_name, redundant_index_name, redundant_index_columns,
           dominant_index_name, dominant_index_columns
    FROM sys.schema_redundant_indexes
    ORDER BY table_schema, table_name, redundant_index_name LIMIT 500";

const RUNNING: &str = "
    SELECT id, user, db, time, state, info, memory_used FROM information_schema.processlist
    WHERE command <> 'Sleep' AND state <> '' AND id <> CONNECTION_ID() ORDER BY time DESC LIMIT 100";

const EVENTS: &str = "
    SELECT event_schema, event_name, status, interval_value, interval_field, execute_at,
           last_executed, runs, failures, last_error_number, last_error
    FROM information_schema.events ORDER BY event_schema, event_name LIMIT 200";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_found_by_its_name() {
        assert_eq!(find("waiting").unwrap().len(), 4);
        assert!(find("").is_none() && find("../now").is_none());
    }
}
