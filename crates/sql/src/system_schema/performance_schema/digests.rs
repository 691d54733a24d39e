//! `events_statements_summary_by_digest`: statements that differ in their literals alone, together;
//! and how many took how long (`events_statements_histogram_*`).
//!
//! Not here: how they are counted (`server::digests`).

use values::datum::Value;
use values::temporal::Timestamp;

use super::sums::{picoseconds, sum_value};
use crate::server::{DigestLine, DigestSum};
use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;

/// The statements, in no order.
pub(super) fn summary(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    for digest in facts.sql.history().digests().lines() {
        table.push(|column| value(&digest, column));
    }
}

fn value(digest: &DigestLine, column: &str) -> Option<Value> {
    let (sum, sample) = (&digest.sum, digest.sum.sample.as_ref());
    match column {
        "SCHEMA_NAME" => digest.schema.as_ref().map(text),
        "DIGEST" => Some(text(&digest.digest)),
        "DIGEST_TEXT" => Some(text(&digest.text)),
        "FIRST_SEEN" => Some(moment(sum.first_seen)),
        "LAST_SEEN" => Some(moment(sum.last_seen)),
        "QUANTILE_95" => Some(picoseconds(sum.quantile_micros(0.95))),
        "QUANTILE_99" => Some(picoseconds(sum.quantile_micros(0.99))),
        "QUANTILE_999" => Some(picoseconds(sum.quantile_micros(0.999))),
        "QUERY_SAMPLE_TEXT" => sample.map(|sample| text(&sample.text)),
        "QUERY_SAMPLE_SEEN" => sample.map(|sample| moment(sample.seen)),
        "QUERY_SAMPLE_TIMER_WAIT" => sample.map(|sample| picoseconds(sample.micros)),
        _ => sum_value(&sum.statements, column),
    }
}

/// `events_statements_histogram_by_digest`: a line for each bucket of each digest.
pub(super) fn histograms(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    for digest in facts.sql.history().digests().lines() {
        buckets(&digest.sum, table, |column| match column {
            "SCHEMA_NAME" => digest.schema.as_ref().map(text),
            "DIGEST" => Some(text(&digest.digest)),
            _ => None,
        });
    }
}

/// `events_statements_histogram_global`: of all statements.
pub(super) fn histogram(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    let mut all = DigestSum::default();
    facts.sql.history().digests().lines().iter().for_each(|digest| all.add(&digest.sum));
    buckets(&all, table, |_| None);
}

/// A line for each bucket. There are fewer than in MySQL, and each is half a power of two wide.
fn buckets(sum: &DigestSum, table: &mut TableFiller<'_>, of: impl Fn(&str) -> Option<Value>) {
    let all = sum.statements.count.max(1);
    let (mut least, mut so_far) = (0, 0);
    for (at, (most, count)) in sum.buckets().enumerate() {
        so_far += count;
        table.push(|column| match column {
            "BUCKET_NUMBER" => Some(number(at as u64)),
            "BUCKET_TIMER_LOW" => Some(picoseconds(least)),
            "BUCKET_TIMER_HIGH" => Some(picoseconds(most)),
            "COUNT_BUCKET" => Some(number(count)),
            "COUNT_BUCKET_AND_LOWER" => Some(number(so_far)),
            "BUCKET_QUANTILE" => Some(Value::Double(so_far as f64 / all as f64)),
            _ => of(column),
        });
        least = most;
    }
}

/// Microseconds since the epoch as a moment.
pub(super) fn moment(micros: u64) -> Value {
    Value::Timestamp(Timestamp::from_micros(micros))
}
