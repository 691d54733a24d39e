//! `mysql`: the database in which MySQL keeps accounts and what else it needs of itself, as clients
//! read it.
//!
//! ```text
//! tables.sql   what each table is like, as in MySQL 9.7
//! accounts     rows about accounts, roles and what they were granted
//! logs         rows of the slow log and the general log
//! server       rows about the rest: names of time zones, sizes of tables
//! ```
//!
//! Invariants
//! 1. Nothing is stored: each row is made of what the server has when a statement reads it. What it
//!    has nothing of has no rows, and a column of which nothing is known is NULL, 0 or empty.
//! 2. A table is read by those who have SELECT on it, as others are (`plan::bind`).
//!
//! Not here: refusing to write to them (`session::own_tables`).

mod accounts;
mod logs;
mod server;

pub use accounts::{column_members, table_members};
pub use logs::{is_log, truncate};

use std::sync::{Arc, LazyLock};

use rows::alter::ConversionRules;
use rows::ddl::listed_table;
use rows::foreign_key::ForeignKeyChecks;
use rows::table::Table;
use syntax::Cursor;
use syntax::statement::{Statement, statement};
use values::datum::Value;
use values::full_text::TextRules;
use values::types::TextDefaults;
use values::{SqlMode, Zone};

use super::ListingContext;
use crate::ddl::{make_rules, new_table};
use crate::show::Listing;
use plan::listing::{AskedTables, SystemSchema};
use results::{Result, ResultColumn};

/// The tables there are, by name.
static TABLES: LazyLock<Vec<Arc<Table>>> = LazyLock::new(|| {
    let statements = include_str!("mysql/tables.sql").split(";\n");
    let texts = statements.filter(|text| !text.trim().is_empty());
    texts.map(|text| defined(text).expect("the program's own text is right")).collect()
});

static NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| TABLES.iter().map(|table| table.name.as_str()).collect());

/// The table that a CREATE TABLE is about.
fn defined(text: &str) -> Result<Arc<Table>> {
    let rules = ConversionRules {
        zone: Zone::UTC,
        mode: SqlMode::default(),
        now: 0,
        foreign_key_checks: ForeignKeyChecks::On,
    };
    let mut cursor = Cursor::new(text, rules.mode)?;
    let Statement::CreateTable(create) = statement(&mut cursor)? else {
        return Err(cursor.syntax().into());
    };
    let (text_rules, text) = (TextRules::default(), TextDefaults::default());
    let new = new_table(&create, SystemSchema::Mysql.name(), &[], rules, text_rules, text)?;
    Ok(Arc::new(listed_table(new, make_rules)?))
}

/// All of them, by name.
pub fn tables() -> &'static [Arc<Table>] {
    &TABLES
}

/// Their names.
pub fn names() -> &'static [&'static str] {
    &NAMES
}

/// The one of this name.
pub fn table(name: &str) -> Option<&'static Arc<Table>> {
    TABLES.iter().find(|table| table.name == name)
}

/// Those that a reader of `information_schema` asks for.
pub fn asked_tables(asked: &AskedTables<'_>) -> impl Iterator<Item = &'static Arc<Table>> {
    TABLES.iter().filter(|table| asked.has(&table.database, &table.name))
}

/// A table by its name, with its rows where something is asked of them.
///
/// # Errors
/// Those of reading what a table is like.
pub fn made(
    facts: &ListingContext<'_>,
    name: &str,
    asked: &AskedTables<'_>,
) -> Result<Option<Listing>> {
    let Some(table) = table(name) else { return Ok(None) };
    let described = |(at, column): (usize, &rows::schema::Column)| {
        ResultColumn::of_table(table, at, column.name.clone(), &table.name)
    };
    let columns = table.columns.iter().enumerate().map(described).collect();
    let mut rows = match asked.are_none() {
        true => Vec::new(),
        false => match accounts::rows(facts, table).or_else(|| logs::rows(facts.sql, table)) {
            Some(rows) => rows,
            None => server::rows(facts, table)?,
        },
    };
    if !is_log(name) {
        sort_by_key(table, &mut rows);
    }
    Ok(Some(Listing { columns, rows, ..Listing::default() }))
}

/// Brings rows into the order of the primary key, in which MySQL gives them.
fn sort_by_key(table: &Table, rows: &mut [Vec<Value>]) {
    let parts = &table.indexes[0].parts;
    let bytes = |value: &Value| match value {
        Value::Bytes(text) => text.clone(),
        Value::UInt(number) => number.to_be_bytes().to_vec(),
        _ => Vec::new(),
    };
    let key = |row: &Vec<Value>| -> Vec<Vec<u8>> {
        parts.iter().map(|part| bytes(&row[part.column])).collect()
    };
    rows.sort_by_cached_key(key);
}

/// A row of values by their columns' names; columns without one are as if nothing was given.
fn row_of(table: &Table, value: impl Fn(&str) -> Option<Value>) -> Vec<Value> {
    let or_nothing = |column: &rows::schema::Column| match value(&column.name) {
        Some(value) => value,
        None if column.nullable => Value::Null,
        None => plan::column_default::implied_default(&column.ty),
    };
    table.columns.iter().map(or_nothing).collect()
}
