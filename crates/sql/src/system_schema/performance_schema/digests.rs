//! `events_statements_summary_by_digest`: statements that differ in their literals alone, together.
//!
//! Not here: how they are counted (`server::digests`).

use values::datum::Value;
use values::temporal::Timestamp;
use values::types::ColumnType;

use crate::server::DigestLine;
use crate::show::{Listing, maybe, number, text};
use crate::system_schema::ListingContext;
use plan::listing::AskedTables;

/// The columns, as in MySQL.
const COLUMNS: [&str; 39] = [
    "SCHEMA_NAME",
    "DIGEST",
    "DIGEST_TEXT",
    "COUNT_STAR#",
    "SUM_TIMER_WAIT#",
    "MIN_TIMER_WAIT#",
    "AVG_TIMER_WAIT#",
    "MAX_TIMER_WAIT#",
    "SUM_LOCK_TIME#",
    "SUM_ERRORS#",
    "SUM_WARNINGS#",
    "SUM_ROWS_AFFECTED#",
    "SUM_ROWS_SENT#",
    "SUM_ROWS_EXAMINED#",
    "SUM_CREATED_TMP_DISK_TABLES#",
    "SUM_CREATED_TMP_TABLES#",
    "SUM_SELECT_FULL_JOIN#",
    "SUM_SELECT_FULL_RANGE_JOIN#",
    "SUM_SELECT_RANGE#",
    "SUM_SELECT_RANGE_CHECK#",
    "SUM_SELECT_SCAN#",
    "SUM_SORT_MERGE_PASSES#",
    "SUM_SORT_RANGE#",
    "SUM_SORT_ROWS#",
    "SUM_SORT_SCAN#",
    "SUM_NO_INDEX_USED#",
    "SUM_NO_GOOD_INDEX_USED#",
    "SUM_CPU_TIME#",
    "MAX_CONTROLLED_MEMORY#",
    "MAX_TOTAL_MEMORY#",
    "COUNT_SECONDARY#",
    "FIRST_SEEN",
    "LAST_SEEN",
    "QUANTILE_95#",
    "QUANTILE_99#",
    "QUANTILE_999#",
    "QUERY_SAMPLE_TEXT",
    "QUERY_SAMPLE_SEEN",
    "QUERY_SAMPLE_TIMER_WAIT#",
];

/// The statements, in no order.
pub(super) fn summary(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&COLUMNS).long_text(2);
    for (column, name) in listing.columns.iter_mut().zip(COLUMNS) {
        if name.ends_with("_SEEN") {
            column.ty = ColumnType::Timestamp { fsp: 6 };
        }
    }
    if asked.are_none() {
        return listing;
    }
    for digest in facts.sql.history().digests().lines() {
        listing.push(row(&digest));
    }
    listing
}

fn row(digest: &DigestLine) -> Vec<Value> {
    let (sum, sample) = (&digest.sum, digest.sum.sample.as_ref());
    let cell = |name: &str| match name {
        "SCHEMA_NAME" => maybe(digest.schema.as_ref()),
        "DIGEST" => text(&digest.digest),
        "DIGEST_TEXT" => text(&digest.text),
        "COUNT_STAR#" => number(sum.count),
        "SUM_TIMER_WAIT#" => picoseconds(sum.micros),
        "MIN_TIMER_WAIT#" => picoseconds(sum.micros_min),
        "AVG_TIMER_WAIT#" => picoseconds(sum.micros / sum.count.max(1)),
        "MAX_TIMER_WAIT#" => picoseconds(sum.micros_max),
        "SUM_ERRORS#" => number(sum.errors),
        "SUM_WARNINGS#" => number(sum.warnings),
        "SUM_ROWS_AFFECTED#" => number(sum.affected),
        "SUM_ROWS_SENT#" => number(sum.sent),
        "SUM_ROWS_EXAMINED#" => number(sum.examined),
        "FIRST_SEEN" => moment(sum.first_seen),
        "LAST_SEEN" => moment(sum.last_seen),
        "QUANTILE_95#" => picoseconds(sum.quantile_micros(0.95)),
        "QUANTILE_99#" => picoseconds(sum.quantile_micros(0.99)),
        "QUANTILE_999#" => picoseconds(sum.quantile_micros(0.999)),
        "QUERY_SAMPLE_TEXT" => maybe(sample.map(|sample| &*sample.text)),
        "QUERY_SAMPLE_SEEN" => sample.map_or(Value::Null, |sample| moment(sample.seen)),
        "QUERY_SAMPLE_TIMER_WAIT#" => {
            sample.map_or(Value::Null, |sample| picoseconds(sample.micros))
        }
        // What is not counted.
        _ => number(0),
    };
    COLUMNS.iter().map(|name| cell(name)).collect()
}

/// Microseconds as MySQL's performance schema has times.
pub(super) fn picoseconds(micros: u64) -> Value {
    number(micros.saturating_mul(1_000_000))
}

/// Microseconds since the epoch as a moment.
fn moment(micros: u64) -> Value {
    Value::Timestamp(Timestamp::from_micros(micros))
}
