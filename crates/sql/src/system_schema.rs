//! The databases that the server has of itself: they are found by name as others are, and their
//! tables are made when a statement reads them.
//!
//! Invariants
//! 1. No statement makes, changes or drops them or a table in them: `refuse_changes`.
//!
//! Not here: their tables (`information_schema`, `performance_schema`).

pub mod information_schema;
pub mod performance_schema;

use values::ErrorCode;
use values::datum::Value;

use crate::context::SqlContext;
use crate::error::{Result, SqlError};
use crate::reply::ResultColumn;
use crate::server::Sql;
use crate::show::Listing;
use crate::tree::CatalogListing;
use information_schema::AskedTables;

/// A database of the server's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemSchema {
    /// The catalog.
    Information,
    /// What the server does.
    Performance,
}

impl SystemSchema {
    /// All of them, by name.
    pub const ALL: [SystemSchema; 2] = [SystemSchema::Information, SystemSchema::Performance];

    /// The one of this name, in either case.
    pub fn of(database: &str) -> Option<SystemSchema> {
        SystemSchema::ALL.into_iter().find(|schema| database.eq_ignore_ascii_case(schema.name()))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            SystemSchema::Information => "information_schema",
            SystemSchema::Performance => "performance_schema",
        }
    }

    /// Its tables, in order.
    pub fn tables(self) -> &'static [&'static str] {
        match self {
            SystemSchema::Information => &information_schema::TABLES,
            SystemSchema::Performance => &performance_schema::TABLES,
        }
    }

    /// What SHOW FULL TABLES says that they are.
    pub fn table_kind(self) -> &'static str {
        match self {
            SystemSchema::Information => "SYSTEM VIEW",
            SystemSchema::Performance => "BASE TABLE",
        }
    }

    /// That it has no such table, as MySQL says it of each.
    pub fn unknown_table(self, table: &str) -> SqlError {
        match self {
            SystemSchema::Information => SqlError::new(
                ErrorCode::UnknownTable,
                format!("Unknown table '{table}' in information_schema"),
            ),
            SystemSchema::Performance => SqlError::new(
                ErrorCode::NoSuchTable,
                format!("Table '{}.{table}' doesn't exist", self.name()),
            ),
        }
    }

    /// How its tables are named in the columns of their results.
    fn shown_table(self, table: &str) -> String {
        match self {
            SystemSchema::Information => table.to_ascii_uppercase(),
            SystemSchema::Performance => table.to_ascii_lowercase(),
        }
    }
}

/// Whether a database of this name is the server's own.
pub fn is_own_name(database: &str) -> bool {
    SystemSchema::of(database).is_some()
}

/// Refuses what would make, change or drop one of these databases.
///
/// # Errors
/// 1044, as MySQL answers whoever asks.
pub fn refuse_changes(database: &str, user: &str) -> Result<()> {
    let Some(schema) = SystemSchema::of(database) else { return Ok(()) };
    let (name, host) = user.rsplit_once('@').unwrap_or((user, "%"));
    Err(SqlError::new(
        ErrorCode::DbaccessDenied,
        format!("Access denied for user '{name}'@'{host}' to database '{}'", schema.name()),
    ))
}

/// TRUNCATE of a table: what it counts is set back to nothing.
///
/// # Errors
/// 1044 for what counts nothing.
pub fn truncate(sql: &Sql, schema: SystemSchema, table: &str, user: &str) -> Result<()> {
    match schema {
        SystemSchema::Performance if performance_schema::truncate(sql, table) => Ok(()),
        _ => refuse_changes(schema.name(), user),
    }
}

/// A table by name, without regard to case: its columns and rows; `None` when there is none.
///
/// # Errors
/// Those of reading what a table is like.
pub fn table(
    facts: &SqlContext,
    listing: &CatalogListing,
) -> Result<Option<(Vec<ResultColumn>, Vec<Vec<Value>>)>> {
    let Some(made) = made(facts, listing, &AskedTables::all())? else { return Ok(None) };
    Ok(Some((described(made.columns, listing), made.rows)))
}

/// The columns of a table by name.
///
/// # Errors
/// As `table`; `unknown_table` when there is none; 1142 for one that the statement's principal may
/// not read.
pub fn columns_of(facts: &SqlContext, listing: &CatalogListing) -> Result<Vec<ResultColumn>> {
    if listing.schema == SystemSchema::Performance {
        performance_schema::check_readable(facts, &listing.name)?;
    }
    match made(facts, listing, &AskedTables::none())? {
        Some(made) => Ok(described(made.columns, listing)),
        None => Err(listing.schema.unknown_table(&listing.name)),
    }
}

/// The rows of a table by name, at least those about the tables that are asked for.
///
/// # Errors
/// As `table`.
pub fn rows_about(
    facts: &SqlContext,
    listing: &CatalogListing,
    asked: &AskedTables<'_>,
) -> Result<Vec<Vec<Value>>> {
    Ok(made(facts, listing, asked)?.map(|made| made.rows).unwrap_or_default())
}

fn made(
    facts: &SqlContext,
    listing: &CatalogListing,
    asked: &AskedTables<'_>,
) -> Result<Option<Listing>> {
    match listing.schema {
        SystemSchema::Information => information_schema::made(facts, listing, asked),
        SystemSchema::Performance => performance_schema::made(facts, &listing.name, asked),
    }
}

/// Columns as those of a table of its database.
fn described(mut columns: Vec<ResultColumn>, listing: &CatalogListing) -> Vec<ResultColumn> {
    let shown = listing.schema.shown_table(&listing.name);
    for column in &mut columns {
        column.name = column.name.to_ascii_uppercase();
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
