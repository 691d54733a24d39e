//! `table_io_waits_summary_by_index_usage` and `_by_table`: how often each index and each table was
//! asked since the server started.
//!
//! Counts are those of a sample, but never 0 where an index was used; times and writes are not
//! counted.
//!
//! Not here: the sample (`rows::asked_keys`).

use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;
use rows::table::Table;
use values::datum::Value;

fn value(table: &Table, count: u64, column: &str) -> Option<Value> {
    match column {
        "OBJECT_TYPE" => Some(text("TABLE")),
        "OBJECT_SCHEMA" => Some(text(&table.database)),
        "OBJECT_NAME" => Some(text(&table.name)),
        // Reads, by what they are called here.
        "COUNT_STAR" | "COUNT_READ" | "COUNT_FETCH" => Some(number(count)),
        _ => None,
    }
}

/// A line for each index.
pub(super) fn by_index(facts: &ListingContext<'_>, filler: &mut TableFiller<'_>) {
    let uses = facts.sql.engine().asked_keys().uses();
    for table in facts.sql.engine().catalog().all_tables() {
        for index in table.indexes_with_parts() {
            let count = uses.get(&(table.id, index.id)).copied().unwrap_or(0);
            filler.push(|column| match column {
                "INDEX_NAME" => Some(text(&index.name)),
                _ => value(&table, count, column),
            });
        }
    }
}

/// A line for each table.
pub(super) fn by_table(facts: &ListingContext<'_>, filler: &mut TableFiller<'_>) {
    let uses = facts.sql.engine().asked_keys().uses();
    for table in facts.sql.engine().catalog().all_tables() {
        let of_index = |index: &rows::schema::Index| uses.get(&(table.id, index.id));
        let count = table.indexes_with_parts().filter_map(of_index).sum();
        filler.push(|column| value(&table, count, column));
    }
}
