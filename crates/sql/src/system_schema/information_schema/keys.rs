//! STATISTICS, KEY_COLUMN_USAGE, TABLE_CONSTRAINTS and CHECK_CONSTRAINTS: indexes, by column and as
//! constraints, and conditions.

use rows::engine::Engine;
use rows::table::Table;
use values::datum::Value;

use super::{AskedTables, CATALOG};
use crate::show::catalog::{approximate_rows, index_lines};
use crate::show::{Listing, number, text};

/// `sizes`: with the tables' numbers of rows.
pub(super) fn statistics(engine: &Engine, sizes: bool, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "NON_UNIQUE#",
        "INDEX_SCHEMA",
        "INDEX_NAME",
        "SEQ_IN_INDEX#",
        "COLUMN_NAME",
        "COLLATION",
        "CARDINALITY#",
        "SUB_PART#",
        "PACKED",
        "NULLABLE",
        "INDEX_TYPE",
        "COMMENT",
        "INDEX_COMMENT",
        "IS_VISIBLE",
        "EXPRESSION",
    ]);
    for table in asked.tables(engine) {
        let rows = if sizes { approximate_rows(engine, &table) } else { 0 };
        for mut line in index_lines(&table, rows).rows {
            let behind = line.split_off(2);
            let Some(non_unique) = line.pop() else { continue };
            let database = text(&table.database);
            let mut row =
                vec![text(CATALOG), database.clone(), text(&table.name), non_unique, database];
            row.extend(behind);
            listing.push(row);
        }
    }
    listing
}

pub(super) fn key_column_usage(engine: &Engine, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "CONSTRAINT_CATALOG",
        "CONSTRAINT_SCHEMA",
        "CONSTRAINT_NAME",
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "COLUMN_NAME",
        "ORDINAL_POSITION#",
        "POSITION_IN_UNIQUE_CONSTRAINT#",
        "REFERENCED_TABLE_SCHEMA",
        "REFERENCED_TABLE_NAME",
        "REFERENCED_COLUMN_NAME",
    ]);
    for table in asked.tables(engine) {
        for index in table.indexes.iter().filter(|index| index.unique) {
            for (n, part) in index.parts.iter().enumerate() {
                listing.push(vec![
                    text(CATALOG),
                    text(&table.database),
                    text(&index.name),
                    text(CATALOG),
                    text(&table.database),
                    text(&table.name),
                    text(&table.columns[part.column].name),
                    number(n as u64 + 1),
                    Value::Null,
                    Value::Null,
                    Value::Null,
                    Value::Null,
                ]);
            }
        }
    }
    listing
}

pub(super) fn table_constraints(engine: &Engine, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "CONSTRAINT_CATALOG",
        "CONSTRAINT_SCHEMA",
        "CONSTRAINT_NAME",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "CONSTRAINT_TYPE",
        "ENFORCED",
    ]);
    for table in asked.tables(engine) {
        for (n, index) in table.indexes.iter().enumerate() {
            if !index.unique || index.parts.is_empty() {
                continue;
            }
            listing.push(vec![
                text(CATALOG),
                text(&table.database),
                text(&index.name),
                text(&table.database),
                text(&table.name),
                text(if n == 0 { "PRIMARY KEY" } else { "UNIQUE" }),
                text("YES"),
            ]);
        }
        for (name, _) in checks_of(&table) {
            listing.push(vec![
                text(CATALOG),
                text(&table.database),
                text(name),
                text(&table.database),
                text(&table.name),
                text("CHECK"),
                text("YES"),
            ]);
        }
    }
    listing
}

/// CHECK_CONSTRAINTS, with the columns of MariaDB.
pub(super) fn check_constraints(engine: &Engine, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "CONSTRAINT_CATALOG",
        "CONSTRAINT_SCHEMA",
        "CONSTRAINT_NAME",
        "TABLE_NAME",
        "LEVEL",
        "CHECK_CLAUSE",
    ]);
    for table in asked.tables(engine) {
        let of_columns = table.columns.iter().filter(|column| column.check.is_some()).count();
        for (n, (name, condition)) in checks_of(&table).enumerate() {
            listing.push(vec![
                text(CATALOG),
                text(&table.database),
                text(name),
                text(&table.name),
                text(if n < of_columns { "Column" } else { "Table" }),
                text(condition),
            ]);
        }
    }
    listing
}

/// Names and conditions of a table's checks: those behind columns, under their names, then its own.
fn checks_of(table: &Table) -> impl Iterator<Item = (&str, &str)> {
    let of_columns = table.columns.iter().filter_map(|column| {
        column.check.as_ref().map(|condition| (column.name.as_str(), condition.as_str()))
    });
    let own = table.checks.iter().map(|check| (check.name.as_str(), check.condition.as_str()));
    of_columns.chain(own)
}
