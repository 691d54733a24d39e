//! COLUMNS: each column of each table, with its type in words and in numbers.

use rows::schema::Column;
use syntax::definition_text;
use values::CharacterSet;
use values::datum::Value;
use values::temporal::Zone;
use values::types::{Collation, ColumnType, IntWidth};

use super::views::columns_of_view;
use super::{AskedTables, CATALOG, shown_tables};
use crate::ddl::{default_text, quoted_text};
use crate::show::catalog::{extra_words, key_word};
use crate::show::{Listing, maybe, number, text};
use crate::system_schema::{ListedSchema, ListingContext, columns_of};
use plan::listing::SystemSchema;
use plan::tree::CatalogListing;

pub(super) fn columns(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let engine = facts.sql.engine();
    let mut listing = Listing::new(&[
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "COLUMN_NAME",
        "ORDINAL_POSITION#",
        "COLUMN_DEFAULT",
        "IS_NULLABLE",
        "DATA_TYPE",
        "CHARACTER_MAXIMUM_LENGTH#",
        "CHARACTER_OCTET_LENGTH#",
        "NUMERIC_PRECISION#",
        "NUMERIC_SCALE#",
        "DATETIME_PRECISION#",
        "CHARACTER_SET_NAME",
        "COLLATION_NAME",
        "COLUMN_TYPE",
        "COLUMN_KEY",
        "EXTRA",
        "PRIVILEGES",
        "COLUMN_COMMENT",
        "GENERATION_EXPRESSION",
        "SRS_ID#",
    ])
    .long_text(5)
    .long_text(15);
    for table in shown_tables(engine, asked) {
        for (position, column) in table.named_columns().iter().enumerate() {
            let names = (&*table.database, &*table.name, position);
            let key = (key_word(&table, position), extra_words(column));
            listing.push(column_line(names, column, key, facts.zone));
        }
    }
    for view in asked.views(engine) {
        // One that names what is not there any more has no columns.
        let columns = columns_of_view(facts, &view).unwrap_or_default();
        for (position, column) in columns.iter().enumerate() {
            let names = (&*view.database, &*view.name, position);
            listing.push(column_line(names, column, ("", String::new()), facts.zone));
        }
    }
    for schema in SystemSchema::ALL.into_iter().filter(|schema| schema.is_everybodys()) {
        for table in schema.tables().iter().filter(|table| asked.has(schema.name(), table)) {
            // Those that the statement's principal may not read have none to show.
            let columns = columns_of(facts, &CatalogListing::named(schema, table));
            for (position, shown) in columns.unwrap_or_default().iter().enumerate() {
                let mut column = Column::new(&shown.name, shown.ty.clone());
                column.nullable = shown.nullable;
                let names = (schema.name(), *table, position);
                let mut line = column_line(names, &column, ("", String::new()), facts.zone);
                line[PRIVILEGES] = text("select");
                listing.push(line);
            }
        }
    }
    listing
}

/// Where a line has what may be done with the column.
const PRIVILEGES: usize = 18;

/// The line of a column of a table or a view, with its words for Key and Extra.
fn column_line(
    (database, table, position): (&str, &str, usize),
    column: &Column,
    (key, extra): (&str, String),
    zone: Zone,
) -> Vec<Value> {
    let collation = column
        .ty
        .collation()
        .filter(|collation| *collation != Collation::Binary)
        .filter(|_| column.ty != ColumnType::Json);
    let (chars, octets) = lengths(&column.ty);
    let (precision, scale, fraction) = precisions(&column.ty);
    vec![
        text(CATALOG),
        text(database),
        text(table),
        text(&column.name),
        number(position as u64 + 1),
        maybe(default_text(column, zone)),
        text(if column.nullable { "YES" } else { "NO" }),
        text(data_type(&column.ty)),
        chars,
        octets,
        precision,
        scale,
        fraction,
        maybe(collation.map(|collation| collation.set_name())),
        maybe(collation.map(|collation| collation.name())),
        text(column.mysql_type_name()),
        text(key),
        text(extra),
        text("select,insert,update,references"),
        text(&column.comment),
        text(column.computed.as_ref().map_or_else(String::new, |computed| {
            quoted_text(&definition_text(&computed.expression))
        })),
        Value::Null,
    ]
}

/// The type's first word.
fn data_type(ty: &ColumnType) -> String {
    let whole = ty.mysql_type_name();
    let end = whole.find(['(', ' ']).unwrap_or(whole.len());
    whole[..end].to_string()
}

/// CHARACTER_MAXIMUM_LENGTH and CHARACTER_OCTET_LENGTH.
fn lengths(ty: &ColumnType) -> (Value, Value) {
    let set = ty.collation().map_or(CharacterSet::UTF8MB4, Collation::set);
    let each = u64::from(set.bytes_max());
    match ty {
        ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => {
            (number(u64::from(*chars)), number(u64::from(*chars) * each))
        }
        ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } => {
            (number(u64::from(*bytes)), number(u64::from(*bytes)))
        }
        ColumnType::Text { size, .. } | ColumnType::Blob { size } => {
            let bytes = size.bytes_max();
            (number(bytes / u64::from(set.bytes_min())), number(bytes))
        }
        ColumnType::Enum { .. } | ColumnType::Set { .. } => {
            let longest = ty.listed_chars() as u64;
            (number(longest), number(longest * each))
        }
        _ => (Value::Null, Value::Null),
    }
}

/// NUMERIC_PRECISION, NUMERIC_SCALE and DATETIME_PRECISION.
fn precisions(ty: &ColumnType) -> (Value, Value, Value) {
    let whole = |digits: u64| (number(digits), number(0), Value::Null);
    let fraction = |fsp: u8| (Value::Null, Value::Null, number(u64::from(fsp)));
    match ty {
        ColumnType::Int { width, unsigned, .. } => whole(match width {
            IntWidth::Tiny => 3,
            IntWidth::Small => 5,
            IntWidth::Medium => 7,
            IntWidth::Int => 10,
            IntWidth::Big => 19 + u64::from(*unsigned),
        }),
        ColumnType::Float(Some(digits)) | ColumnType::Double(Some(digits)) => {
            (number(u64::from(digits.precision)), number(u64::from(digits.scale)), Value::Null)
        }
        ColumnType::Float(None) => (number(12), Value::Null, Value::Null),
        ColumnType::Double(None) => (number(22), Value::Null, Value::Null),
        ColumnType::Decimal { precision, scale } => {
            (number(u64::from(*precision)), number(u64::from(*scale)), Value::Null)
        }
        ColumnType::Bit { bits } => (number(u64::from(*bits)), Value::Null, Value::Null),
        ColumnType::Time { fsp } | ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => {
            fraction(*fsp)
        }
        _ => (Value::Null, Value::Null, Value::Null),
    }
}
