//! Statements that would change tables of the server's own databases.
//!
//! Invariants
//! 1. None of them does: they are refused, whoever asks, and accounts are written by CREATE USER,
//!    GRANT and their like. TRUNCATE alone empties the logs, and what performance_schema counts.
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
use crate::system_schema::{ListedSchema as _, performance_schema, refuse_changes, sys};
use crate::write::{not_insertable, not_updatable};
use plan::listing::{SystemSchema, is_everybodys};
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
        self.refuse_definition(parsed, &names)?;
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
        let verb = match change {
            Change::Insert(_) => "INSERT",
            Change::Update(_) => "UPDATE",
            Change::Delete(_) => "DELETE",
        };
        if let Some(name) = &name {
            self.refuse_write(name, verb)?;
        }
        let Some(own) = name.filter(|name| self.is_kept_by_server(name)) else { return Ok(None) };
        match self.loads_a_dump() && matches!(change, Change::Insert(_)) {
            true => Ok(Some(kept_by_server(&own))),
            false => Err(kept_by_server(&own)),
        }
    }

    /// Refuses what would make, change or drop tables of the databases that everybody sees, in
    /// MySQL's words.
    fn refuse_definition(&self, parsed: &Parsed, names: &[&TableName]) -> Result<()> {
        for name in names {
            let database = name.database.as_deref().or(self.database.as_deref());
            let Some(database) = database.filter(|database| is_everybodys(database)) else {
                continue;
            };
            match parsed {
                // Those that are read are locked as others are; TRUNCATE empties some; temporary
                // tables are the session's own.
                Parsed::LockTables(_)
                | Parsed::Truncate(_)
                | Parsed::DropTables { temporary: true, .. } => {}
                Parsed::LoadInserts(_) | Parsed::Load(_) => self.refuse_write(name, "INSERT")?,
                Parsed::DropTables { .. } => match SystemSchema::of(database) {
                    Some(SystemSchema::Performance) => {
                        return Err(performance_schema::denied("DROP", &self.user, &name.table));
                    }
                    _ => refuse_changes(database, &self.user)?,
                },
                _ => refuse_changes(database, &self.user)?,
            }
        }
        Ok(())
    }

    /// Refuses a write to a table or view of the server's but those of `mysql`.
    fn refuse_write(&self, name: &TableName, verb: &str) -> Result<()> {
        let Ok((database, table)) = self.qualified(name) else { return Ok(()) };
        match SystemSchema::of_table(&self.relations(), database, table) {
            Some(SystemSchema::Information) => refuse_changes(database, &self.user),
            Some(SystemSchema::Performance) => {
                Err(performance_schema::why_not_written(verb, &self.user, table))
            }
            Some(SystemSchema::Sys) if !sys::TABLES.contains(&table) => {
                Err(SystemSchema::Sys.unknown_table(table))
            }
            Some(SystemSchema::Sys) if verb == "INSERT" => Err(not_insertable(table)),
            Some(SystemSchema::Sys) => Err(not_updatable(table, verb)),
            Some(SystemSchema::Mysql) | None => Ok(()),
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
