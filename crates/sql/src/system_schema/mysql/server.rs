//! Rows about the server itself: the time zones that it knows by name, and how large tables are.
//!
//! Not here: accounts (`accounts`).

use rows::table::Table;
use values::Zone;
use values::datum::Value;

use super::row_of;
use crate::show::sizes::sizes_of;
use crate::show::{number, text};
use crate::system_schema::ListingContext;
use plan::listing::AskedTables;
use results::Result;

/// InnoDB tells sizes in pages of so many bytes.
const PAGE_BYTES: u64 = 16 << 10;

/// The rows of a table; none of those that this server has nothing to say in.
///
/// # Errors
/// Those of reading what a table is like.
pub(super) fn rows(facts: &ListingContext<'_>, table: &Table) -> Result<Vec<Vec<Value>>> {
    match table.name.as_str() {
        "time_zone" => Ok(zones(|_, number| {
            row_of(table, |column| match column {
                "Time_zone_id" => Some(number.clone()),
                _ => Some(text("N")),
            })
        })),
        "time_zone_name" => Ok(zones(|name, number| {
            row_of(table, |column| match column {
                "Time_zone_id" => Some(number.clone()),
                _ => Some(text(name)),
            })
        })),
        "innodb_table_stats" => table_sizes(facts, table),
        _ => Ok(Vec::new()),
    }
}

fn zones(row: impl Fn(&str, Value) -> Vec<Value>) -> Vec<Vec<Value>> {
    Zone::names().zip(1..).map(|(name, id)| row(name, number(id))).collect()
}

/// `innodb_table_stats`: about how many rows each table has, and its pages.
fn table_sizes(facts: &ListingContext<'_>, table: &Table) -> Result<Vec<Vec<Value>>> {
    let engine = facts.sql.engine();
    let mut rows = Vec::new();
    for stored in AskedTables::all().tables(engine) {
        let shown = match sizes_of(engine, &stored) {
            Ok(shown) => shown,
            // It is another one by now, or none.
            Err(rows::Error::SchemaChanged) => continue,
            Err(error) => return Err(error.into()),
        };
        let pages = |bytes: u64| Some(number(bytes.div_ceil(PAGE_BYTES)));
        rows.push(row_of(table, |column| match column {
            "database_name" => Some(text(&stored.database)),
            "table_name" => Some(text(&stored.name)),
            "n_rows" => Some(number(shown.rows)),
            "clustered_index_size" => pages(shown.sizes.data.disk_bytes),
            "sum_of_other_index_sizes" => pages(shown.sizes.indexes.disk_bytes),
            _ => None,
        }));
    }
    Ok(rows)
}
