//! Consumers of performance_schema: where MySQL lets counts go, and whether there are any here.
//!
//! Not here: what is counted (`digests`, `statement_sums`), the table of them (`system_schema`).

/// Where counts may go, and whether there are any here.
pub const CONSUMERS: [(&str, bool); 16] = [
    ("events_stages_current", false),
    ("events_stages_history", false),
    ("events_stages_history_long", false),
    ("events_statements_cpu", false),
    ("events_statements_current", true),
    ("events_statements_history", true),
    ("events_statements_history_long", false),
    ("events_transactions_current", true),
    ("events_transactions_history", false),
    ("events_transactions_history_long", false),
    ("events_waits_current", false),
    ("events_waits_history", false),
    ("events_waits_history_long", false),
    ("global_instrumentation", true),
    ("statements_digest", true),
    ("thread_instrumentation", true),
];

/// Whether there are counts for a consumer; `None` when there is no such consumer.
pub fn is_consumer_enabled(name: &str) -> Option<bool> {
    let known = CONSUMERS.iter().find(|(consumer, _)| consumer.eq_ignore_ascii_case(name));
    known.map(|(_, is_there)| *is_there)
}
