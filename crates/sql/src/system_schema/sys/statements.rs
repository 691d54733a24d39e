//! `statement_analysis`: statements by digest, those first that took most.

use plan::listing::AskedTables;
use values::datum::Value;
use values::temporal::Timestamp;
use values::types::ColumnType;

use super::amounts::time;
use crate::show::{Listing, maybe, number, text};
use crate::system_schema::ListingContext;

/// Characters of a statement, as MySQL shortens it: its beginning and its end.
const STATEMENT_CHARS_MAX: usize = 64;

/// The statements.
pub(super) fn analysis(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "query",
        "db",
        "full_scan",
        "exec_count#",
        "err_count#",
        "warn_count#",
        "total_latency",
        "max_latency",
        "avg_latency",
        "lock_latency",
        "cpu_latency",
        "rows_sent#",
        "rows_sent_avg#",
        "rows_examined#",
        "rows_examined_avg#",
        "rows_affected#",
        "rows_affected_avg#",
        "tmp_tables#",
        "tmp_disk_tables#",
        "rows_sorted#",
        "sort_merge_passes#",
        "max_controlled_memory",
        "max_total_memory",
        "digest",
        "first_seen",
        "last_seen",
    ]);
    for column in &mut listing.columns[24..] {
        column.ty = ColumnType::Timestamp { fsp: 6 };
    }
    if asked.are_none() {
        return listing;
    }
    let mut lines = facts.sql.history().digests().lines();
    lines.sort_by_key(|line| std::cmp::Reverse(line.sum.micros));
    for line in lines {
        let sum = &line.sum;
        let each = |all: u64| number((all as f64 / sum.count.max(1) as f64).round() as u64);
        let moment = |micros| Value::Timestamp(Timestamp::from_micros(micros));
        listing.push(vec![
            text(shortened(&line.text)),
            maybe(line.schema.as_ref()),
            text(""),
            number(sum.count),
            number(sum.errors),
            number(sum.warnings),
            time(sum.micros),
            time(sum.micros_max),
            time(sum.micros / sum.count.max(1)),
            time(0),
            time(0),
            number(sum.sent),
            each(sum.sent),
            number(sum.examined),
            each(sum.examined),
            number(sum.affected),
            each(sum.affected),
            number(0),
            number(0),
            number(0),
            number(0),
            text("   0 bytes"),
            text("   0 bytes"),
            text(&line.digest),
            moment(sum.first_seen),
            moment(sum.last_seen),
        ]);
    }
    listing
}

/// A statement as `sys.format_statement` shortens it.
pub(super) fn shortened(statement: &str) -> String {
    let chars: Vec<char> = statement.chars().collect();
    if chars.len() <= STATEMENT_CHARS_MAX {
        return statement.to_owned();
    }
    let half = (STATEMENT_CHARS_MAX - 4) / 2;
    let (begin, end) = (&chars[..half], &chars[chars.len() - half..]);
    begin.iter().chain(&[' ', '.', '.', '.', ' ']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_statement_keeps_its_beginning_and_its_end() {
        assert_eq!(shortened("SELECT ?"), "SELECT ?");
        let long = format!("SELECT {} FROM `t`", "`a` , ".repeat(30));
        let short = shortened(&long);
        assert!(short.starts_with("SELECT `a`") && short.ends_with("FROM `t`"), "{short}");
        assert!(short.contains(" ... ") && short.chars().count() == 65, "{short}");
    }
}
