//! STATISTICS, KEY_COLUMN_USAGE, REFERENTIAL_CONSTRAINTS, TABLE_CONSTRAINTS and CHECK_CONSTRAINTS:
//! indexes, by column and as constraints, foreign keys, and conditions.

use rows::engine::Engine;
use rows::foreign_key::ForeignKey;
use rows::schema::IndexPart;
use rows::table::Table;
use syntax::definition_text;
use values::datum::Value;

use super::{AskedTables, CATALOG, shown_tables};
use crate::ddl::quoted_text;
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
    for table in shown_tables(engine, asked) {
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
    for table in shown_tables(engine, asked) {
        for index in table.indexes_with_parts().filter(|index| index.unique) {
            let is_named = |part: &IndexPart| table.part_expression(part).is_none();
            for (n, part) in index.parts.iter().enumerate().filter(|(_, part)| is_named(part)) {
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
        for key in keys_by_name(&table) {
            for (n, (column, parent)) in key.columns.iter().zip(&key.parent_columns).enumerate() {
                listing.push(vec![
                    text(CATALOG),
                    text(&table.database),
                    text(&key.name),
                    text(CATALOG),
                    text(&table.database),
                    text(&table.name),
                    text(column),
                    number(n as u64 + 1),
                    number(n as u64 + 1),
                    text(&key.parent_database),
                    text(&key.parent_table),
                    text(parent),
                ]);
            }
        }
    }
    listing
}

pub(super) fn referential_constraints(engine: &Engine, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "CONSTRAINT_CATALOG",
        "CONSTRAINT_SCHEMA",
        "CONSTRAINT_NAME",
        "UNIQUE_CONSTRAINT_CATALOG",
        "UNIQUE_CONSTRAINT_SCHEMA",
        "UNIQUE_CONSTRAINT_NAME",
        "MATCH_OPTION",
        "UPDATE_RULE",
        "DELETE_RULE",
        "TABLE_NAME",
        "REFERENCED_TABLE_NAME",
    ]);
    for table in asked.tables(engine) {
        for key in keys_by_name(&table) {
            let parent = engine.catalog().table(&key.parent_database, &key.parent_table).ok();
            let unique = parent.as_ref().and_then(|parent| {
                let at = parent.unique_index_of(&key.parent_columns)?;
                Some(text(&parent.indexes[at].name))
            });
            listing.push(vec![
                text(CATALOG),
                text(&table.database),
                text(&key.name),
                text(CATALOG),
                text(&key.parent_database),
                unique.unwrap_or(Value::Null),
                text("NONE"),
                text(key.on_update.words()),
                text(key.on_delete.words()),
                text(&table.name),
                text(&key.parent_table),
            ]);
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
    for table in shown_tables(engine, asked) {
        for (n, index) in table.indexes_with_parts().enumerate() {
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
        for key in keys_by_name(&table) {
            listing.push(vec![
                text(CATALOG),
                text(&table.database),
                text(&key.name),
                text(&table.database),
                text(&table.name),
                text("FOREIGN KEY"),
                text("YES"),
            ]);
        }
        for check in &table.checks {
            listing.push(vec![
                text(CATALOG),
                text(&table.database),
                text(&check.name),
                text(&table.database),
                text(&table.name),
                text("CHECK"),
                text(if check.unenforced { "NO" } else { "YES" }),
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
        for check in &table.checks {
            listing.push(vec![
                text(CATALOG),
                text(&table.database),
                text(&check.name),
                text(&table.name),
                text("Table"),
                text(quoted_text(&definition_text(&check.condition))),
            ]);
        }
    }
    listing
}

/// A table's foreign keys in the order in which they are shown.
fn keys_by_name(table: &Table) -> Vec<&ForeignKey> {
    let mut keys: Vec<&ForeignKey> = table.foreign_keys.iter().collect();
    keys.sort_by_key(|key| key.name.to_lowercase());
    keys
}
