//! Statements that would change tables of the server's own database `mysql`.
//!
//! Invariants
//! 1. None of them does: they are refused, whoever asks, and accounts are written by CREATE USER,
//!    GRANT and their like. Only the logs may be emptied, by TRUNCATE.
//! 2. A dump of all databases loads all the same. What it says of these tables is passed over with
//!    a warning, in a session that checks neither unique nor foreign keys: a dump begins by
//!    switching these checks off.
//!
//! Not here: the tables (`system_schema::mysql`), rights (`authorization`).

use syntax::TableName;
use syntax::change::{Change, single_table};
use syntax::statement::Statement as Parsed;
use values::ErrorCode;

use super::Session;
use crate::system_schema::mysql::is_log;
use plan::listing::SystemSchema;
use plan::variables::definition;
use results::{Result, SqlError};

impl Session {
    /// Whether a statement is passed over, because a dump says it of tables that the server keeps.
    ///
    /// # Errors
    /// 1036 for whoever else would change such a table.
    pub(super) fn passes_over(&self, parsed: &Parsed) -> Result<bool> {
        let names: Vec<&TableName> = match parsed {
            Parsed::CreateTable(create) => vec![&create.name],
            Parsed::AlterTable(alter) => vec![&alter.name],
            Parsed::CreateView(create) => vec![&create.name],
            Parsed::DropTables { names, .. } | Parsed::DropView { names, .. } => {
                names.iter().collect()
            }
            Parsed::LockTables(tables) => tables.iter().map(|(name, _)| name).collect(),
            // The logs may be emptied.
            Parsed::Truncate(name) if is_log(&name.table) => return Ok(false),
            Parsed::Truncate(name) | Parsed::LoadInserts(name) => vec![name],
            Parsed::RenameTables(pairs) => pairs.iter().flat_map(|(a, b)| [a, b]).collect(),
            Parsed::CreateIndex { table, .. } | Parsed::DropIndex { table, .. } => vec![table],
            Parsed::Load(load) => vec![&load.table],
            _ => return Ok(false),
        };
        let is_own = |name: &&&TableName| self.is_kept_by_server(name);
        let Some(own) = names.iter().find(is_own) else { return Ok(false) };
        if self.loads_a_dump() && names.iter().all(|name| self.is_kept_by_server(name)) {
            let error = kept_by_server(own);
            self.warn_all([error]);
            return Ok(true);
        }
        match parsed {
            // Those that are read are locked as others are.
            Parsed::LockTables(_) => Ok(false),
            _ => Err(kept_by_server(own)),
        }
    }

    /// Why INSERT or REPLACE is passed over, if it is.
    ///
    /// # Errors
    /// As `passes_over`, of UPDATE and DELETE too.
    pub(super) fn why_passed_over(&self, change: &Change) -> Result<Option<SqlError>> {
        let name = match change {
            Change::Insert(insert) => Some(insert.table.clone()),
            Change::Update(update) => single_table(&update.tables).map(|(_, name, _)| name),
            Change::Delete(delete) => match &delete.targets[..] {
                [] => single_table(&delete.tables).map(|(_, name, _)| name),
                targets => targets.iter().find(|name| self.is_kept_by_server(name)).cloned(),
            },
        };
        let Some(own) = name.filter(|name| self.is_kept_by_server(name)) else { return Ok(None) };
        match self.loads_a_dump() && matches!(change, Change::Insert(_)) {
            true => Ok(Some(kept_by_server(&own))),
            false => Err(kept_by_server(&own)),
        }
    }

    fn is_kept_by_server(&self, name: &TableName) -> bool {
        let database = name.database.as_deref().or(self.database.as_deref());
        database.and_then(SystemSchema::of) == Some(SystemSchema::Mysql)
    }

    /// Whether the session has begun as a dump does.
    fn loads_a_dump(&self) -> bool {
        let unique = definition("unique_checks").map(|unique| self.variables.text(unique));
        !self.variables.foreign_keys && unique.as_deref() == Some("OFF")
    }
}

fn kept_by_server(name: &TableName) -> SqlError {
    let message = format!(
        "Table '{}' is read only: the server keeps it. Accounts and privileges are written by \
         CREATE USER, ALTER USER, DROP USER, GRANT and REVOKE",
        name.table
    );
    SqlError::new(ErrorCode::OpenAsReadonly, message)
}
