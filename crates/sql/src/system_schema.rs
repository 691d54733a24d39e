//! The databases that the server has of itself: they are found by name as others are, and their
//! tables are made when a statement reads them.
//!
//! Invariants
//! 1. No statement makes, changes or drops them or a table in them: `refuse_changes`. Clients may
//!    have stored tables of their own in `sys`, beside its views, as in MySQL.
//!
//! Not here: their tables (`information_schema`, `mysql`, `performance_schema`, `sys`).

pub mod information_schema;
mod listed_columns;
pub mod mysql;
pub mod performance_schema;
pub mod sys;

use std::ops::Deref;

use values::ErrorCode;
use values::datum::Value;

use crate::server::Sql;
use crate::show::Listing;
use plan::context::SqlContext;
use plan::listing::{AskedTables, SystemSchema};
use plan::tree::CatalogListing;
use results::{Result, ResultColumn, SqlError};

/// Where a table of the server's own is made: for a statement of a server.
pub struct ListingContext<'a> {
    /// The server.
    pub sql: &'a Sql,
    /// The statement's surroundings.
    pub facts: &'a SqlContext,
}

impl Deref for ListingContext<'_> {
    type Target = SqlContext;

    fn deref(&self) -> &SqlContext {
        self.facts
    }
}

/// What is said of one of these databases.
pub trait ListedSchema: Copy {
    /// Its tables, in order.
    fn tables(self) -> &'static [&'static str];

    /// What SHOW FULL TABLES says that they are.
    fn table_kind(self) -> &'static str;

    /// That it has no such table, as MySQL says it of each.
    fn unknown_table(self, table: &str) -> SqlError;

    /// How its tables are named in the columns of their results.
    fn shown_table(self, table: &str) -> String;
}

impl ListedSchema for SystemSchema {
    fn tables(self) -> &'static [&'static str] {
        match self {
            SystemSchema::Information => &information_schema::TABLES,
            SystemSchema::Mysql => mysql::names(),
            SystemSchema::Performance => &performance_schema::TABLES,
            SystemSchema::Sys => &sys::TABLES,
        }
    }

    fn table_kind(self) -> &'static str {
        match self {
            // In MySQL those of `sys` are stored; here whoever dumps it has nothing of them to
            // dump.
            SystemSchema::Information | SystemSchema::Sys => "SYSTEM VIEW",
            SystemSchema::Mysql | SystemSchema::Performance => "BASE TABLE",
        }
    }

    fn unknown_table(self, table: &str) -> SqlError {
        match self {
            SystemSchema::Information => SqlError::new(
                ErrorCode::UnknownTable,
                format!("Unknown table '{table}' in information_schema"),
            ),
            SystemSchema::Mysql | SystemSchema::Performance | SystemSchema::Sys => SqlError::new(
                ErrorCode::NoSuchTable,
                format!("Table '{}.{table}' doesn't exist", self.name()),
            ),
        }
    }

    fn shown_table(self, table: &str) -> String {
        match self {
            SystemSchema::Information => table.to_ascii_uppercase(),
            SystemSchema::Mysql => table.to_owned(),
            SystemSchema::Performance | SystemSchema::Sys => table.to_ascii_lowercase(),
        }
    }
}

/// Refuses what would make, change or drop one of these databases.
///
/// # Errors
/// 1044, 3552 of those that not everybody sees, as MySQL answers whoever asks.
pub fn refuse_changes(database: &str, user: &str) -> Result<()> {
    let Some(schema) = SystemSchema::of(database) else { return Ok(()) };
    if !schema.is_everybodys() {
        let message = format!("Access to system schema '{}' is rejected.", schema.name());
        return Err(SqlError::new(ErrorCode::NoSystemSchemaAccess, message));
    }
    let (name, host) = user.rsplit_once('@').unwrap_or((user, "%"));
    Err(SqlError::new(
        ErrorCode::DbaccessDenied,
        format!("Access denied for user '{name}'@'{host}' to database '{}'", schema.name()),
    ))
}

/// TRUNCATE of a table: what it counts is set back to nothing.
///
/// # Errors
/// 1044, 1142 for what counts nothing.
pub fn truncate(sql: &Sql, schema: SystemSchema, table: &str, user: &str) -> Result<()> {
    match schema {
        SystemSchema::Performance => performance_schema::truncate(sql, table, user),
        SystemSchema::Mysql if mysql::truncate(sql, table) => Ok(()),
        _ => refuse_changes(schema.name(), user),
    }
}

/// The columns of a table by name.
///
/// # Errors
/// Those of reading what a table is like; `unknown_table` when there is none; 1142 for one that the
/// statement's principal may not read.
pub fn columns_of(
    facts: &ListingContext<'_>,
    listing: &CatalogListing,
) -> Result<Vec<ResultColumn>> {
    if listing.schema == SystemSchema::Performance {
        performance_schema::check_readable(facts, &listing.name)?;
    }
    if listing.schema == SystemSchema::Sys {
        sys::check_readable(facts, &listing.name)?;
    }
    match made(facts, listing, &AskedTables::none())? {
        Some(made) if listing.schema == SystemSchema::Mysql => Ok(made.columns),
        Some(made) if listing.schema == SystemSchema::Sys => {
            Ok(described_as_named(made.columns, listing))
        }
        Some(made) => Ok(described(made.columns, listing)),
        None => Err(listing.schema.unknown_table(&listing.name)),
    }
}

/// The rows of a table by name, at least those about the tables that are asked for.
///
/// # Errors
/// Those of reading what a table is like.
pub fn rows_about(
    facts: &ListingContext<'_>,
    listing: &CatalogListing,
    asked: &AskedTables<'_>,
) -> Result<Vec<Vec<Value>>> {
    Ok(made(facts, listing, asked)?.map(|made| made.rows).unwrap_or_default())
}

fn made(
    facts: &ListingContext<'_>,
    listing: &CatalogListing,
    asked: &AskedTables<'_>,
) -> Result<Option<Listing>> {
    match listing.schema {
        SystemSchema::Information => information_schema::made(facts, listing, asked),
        SystemSchema::Mysql => mysql::made(facts, &listing.name, asked),
        SystemSchema::Performance => performance_schema::made(facts, &listing.name, asked),
        SystemSchema::Sys => Ok(sys::made(facts, &listing.name, asked)),
    }
}

/// Columns as those of a table of its database, their names in capital letters.
fn described(mut columns: Vec<ResultColumn>, listing: &CatalogListing) -> Vec<ResultColumn> {
    // InnoDB's have names of their own case.
    let is_innodbs = listing.name.to_ascii_uppercase().starts_with("INNODB_");
    for column in columns.iter_mut().filter(|_| !is_innodbs) {
        column.name = column.name.to_ascii_uppercase();
    }
    described_as_named(columns, listing)
}

/// Columns as those of a table of its database.
fn described_as_named(
    mut columns: Vec<ResultColumn>,
    listing: &CatalogListing,
) -> Vec<ResultColumn> {
    let shown = listing.schema.shown_table(&listing.name);
    for column in &mut columns {
        if information_schema::is_cased(&column.name) {
            column.tell_case_apart();
        }
        column.org_name.clone_from(&column.name);
        column.table.clone_from(&shown);
        column.org_table.clone_from(&shown);
        column.database = listing.schema.name().to_string();
    }
    columns
}
