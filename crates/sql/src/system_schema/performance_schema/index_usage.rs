//! `table_io_waits_summary_by_index_usage`: how often each index was asked since the server
//! started.
//!
//! Counts are those of a sample, but never 0 where an index was used; times and writes by index are
//! not counted.
//!
//! Not here: the sample (`rows::asked_keys`).

use plan::listing::AskedTables;

use super::empty::{OBJECT, WAITS};
use crate::show::{Listing, number, text};
use crate::system_schema::ListingContext;

/// Reads of an index, by what they are called here.
const READS: [&str; 3] = ["COUNT_STAR#", "COUNT_READ#", "COUNT_FETCH#"];

/// A line for each index.
pub(super) fn usage(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[&OBJECT[..], &["INDEX_NAME"], &WAITS].concat());
    if asked.are_none() {
        return listing;
    }
    let uses = facts.sql.engine().asked_keys().uses();
    for table in facts.sql.engine().catalog().all_tables() {
        for index in &table.indexes {
            let count = uses.get(&(table.id, index.id)).copied().unwrap_or(0);
            let mut row =
                vec![text("TABLE"), text(&table.database), text(&table.name), text(&index.name)];
            row.extend(
                WAITS.iter().map(|name| number(if READS.contains(name) { count } else { 0 })),
            );
            listing.push(row);
        }
    }
    listing
}
