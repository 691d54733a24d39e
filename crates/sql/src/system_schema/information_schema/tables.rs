//! SCHEMATA, TABLES and TABLE_SIZES: databases, and the tables in them with their sizes.

use access::Privilege;
use rows::engine::Engine;
use rows::error::Error;
use values::datum::Value;
use values::types::{Collation, ColumnType};

use super::{AskedTables, CATALOG, shown_tables};
use crate::show::catalog::{database_names, table_status_line};
use crate::show::sizes::{ShownSizes, sizes_of};
use crate::show::{Listing, number, text};
use crate::system_schema::{ListedSchema, ListingContext, SystemSchema};
use results::Result;

pub(super) fn schemata(engine: &Engine) -> Listing {
    let mut listing = Listing::new(&[
        "CATALOG_NAME",
        "SCHEMA_NAME",
        "DEFAULT_CHARACTER_SET_NAME",
        "DEFAULT_COLLATION_NAME",
        "SQL_PATH",
        "DEFAULT_ENCRYPTION",
    ]);
    for name in database_names(engine) {
        let collation = engine.catalog().text_defaults(&name).collation;
        let collation = collation.unwrap_or(Collation::Utf8Mb4GeneralCi);
        listing.push(vec![
            text(CATALOG),
            text(name),
            text(collation.set_name()),
            text(collation.name()),
            Value::Null,
            text("NO"),
        ]);
    }
    listing
}

/// `sizes`: with the tables' sizes.
pub(super) fn tables(engine: &Engine, sizes: bool, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "TABLE_TYPE",
        "ENGINE",
        "VERSION#",
        "ROW_FORMAT",
        "TABLE_ROWS#",
        "AVG_ROW_LENGTH#",
        "DATA_LENGTH#",
        "MAX_DATA_LENGTH#",
        "INDEX_LENGTH#",
        "DATA_FREE#",
        "AUTO_INCREMENT#",
        "CREATE_TIME",
        "UPDATE_TIME",
        "CHECK_TIME",
        "TABLE_COLLATION",
        "CHECKSUM#",
        "CREATE_OPTIONS",
        "TABLE_COMMENT",
    ])
    .long_text(20);
    for column in [14, 15, 16] {
        listing.columns[column].ty = ColumnType::DateTime { fsp: 0 };
    }
    for table in shown_tables(engine, asked) {
        let mut row =
            vec![text(CATALOG), text(&table.database), text(&table.name), text("BASE TABLE")];
        row.extend(table_status_line(engine, &table, sizes).into_iter().skip(1));
        listing.push(row);
    }
    for view in asked.views(engine) {
        let mut row = vec![Value::Null; 21];
        row[..4].clone_from_slice(&[
            text(CATALOG),
            text(&view.database),
            text(&view.name),
            text("VIEW"),
        ]);
        row[20] = text("VIEW");
        listing.push(row);
    }
    let own = SystemSchema::ALL
        .into_iter()
        .filter(|schema| schema.is_everybodys())
        .flat_map(|schema| schema.tables().iter().map(move |name| (schema, *name)));
    for (schema, name) in own.filter(|(schema, name)| asked.has(schema.name(), name)) {
        let mut row = vec![Value::Null; 21];
        row[..4].clone_from_slice(&[
            text(CATALOG),
            text(schema.name()),
            text(name),
            text(schema.table_kind()),
        ]);
        row[20] = text("");
        listing.push(row);
    }
    listing
}

/// What MySQL does not have: the keys that much of what is asked by key is for, the hottest first.
/// Keys are rows' values: they are shown to those who may read the table.
pub(super) fn hot_keys(facts: &ListingContext<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "INDEX_NAME",
        "KEY_VALUES",
        "PERCENT#",
        "SAMPLES#",
    ]);
    for hot in facts.sql.engine().hot_keys() {
        let (database, name) = (&hot.table.database, &hot.table.name);
        if facts.rights.on_table(database, name).has(Privilege::Select) {
            listing.push(vec![
                text(database),
                text(name),
                text(&hot.index),
                text(&hot.values),
                number(hot.percent),
                number(hot.samples),
            ]);
        }
    }
    listing
}

/// What MySQL has no columns for: bytes before compression, beside those on disk.
pub(super) fn table_sizes(
    engine: &Engine,
    sizes: bool,
    asked: &AskedTables<'_>,
) -> Result<Listing> {
    let mut listing = Listing::new(&[
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "TABLE_ROWS#",
        "DATA_LENGTH#",
        "DATA_PLAIN_LENGTH#",
        "INDEX_LENGTH#",
        "INDEX_PLAIN_LENGTH#",
    ]);
    for table in asked.tables(engine) {
        let measured = if sizes { sizes_of(engine, &table) } else { Ok(ShownSizes::default()) };
        let shown = match measured {
            Ok(shown) => shown,
            // It is another one by now, or none.
            Err(Error::SchemaChanged) => continue,
            Err(error) => return Err(error.into()),
        };
        let (data, indexes) = (shown.sizes.data, shown.sizes.indexes);
        listing.push(vec![
            text(&table.database),
            text(&table.name),
            number(shown.rows),
            number(data.disk_bytes),
            number(data.plain_bytes),
            number(indexes.disk_bytes),
            number(indexes.plain_bytes),
        ]);
    }
    Ok(listing)
}
