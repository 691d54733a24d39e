//! Temporary tables of a session: CREATE TEMPORARY TABLE, DROP, TRUNCATE and ALTER TABLE of one.
//!
//! Invariants
//! 1. Making and dropping one by its own statement commits nothing; TRUNCATE, ALTER TABLE and DROP
//!    TABLE without TEMPORARY do (MySQL 9.7 manual, 15.3.3).
//! 2. They go with the session.
//!
//! Not here: how names are looked up (`plan::relations`), where rows are (`rows::temporary`).

use std::sync::Arc;

use rows::AlterOutcome;
use rows::alter::{Alteration, ConversionRules};
use rows::ddl::NewTable;
use rows::table::Table;
use syntax::TableName;
use syntax::table::CreateTable;
use values::ErrorCode;

use super::Session;
use crate::ddl;
use crate::reply::Reply;
use plan::relations::{Relations, TemporaryNames};
use results::{Result, SqlError};

impl Session {
    /// What names mean in this session.
    pub(crate) fn relations(&self) -> Relations<'_> {
        let (catalog, temporary) = (self.sql.engine().catalog(), self.temporary.as_deref());
        Relations { catalog, temporary }
    }

    /// A temporary table by name.
    pub(super) fn temporary_table(&self, name: &TableName) -> Result<Option<Arc<Table>>> {
        let (database, table) = self.qualified(name)?;
        Ok(self.temporary.as_ref().and_then(|own| own.find(database, table)).cloned())
    }

    fn names_of_temporary(&mut self) -> &mut TemporaryNames {
        Arc::make_mut(self.temporary.get_or_insert_default())
    }

    /// Forgets a temporary table's name.
    fn take_temporary(&mut self, database: &str, name: &str) -> Option<Arc<Table>> {
        let names = Arc::make_mut(self.temporary.as_mut()?);
        let taken = names.remove(database, name);
        if names.is_empty() {
            self.temporary = None;
        }
        taken
    }

    /// Drops a temporary table by name; `false` when there is none.
    pub(super) fn drop_temporary(&mut self, database: &str, name: &str) -> bool {
        let dropped = self.take_temporary(database, name);
        if let Some(table) = &dropped {
            self.sql.engine().drop_temporary_table(table);
            self.note_temporary(false);
        }
        dropped.is_some()
    }

    pub(super) fn create_temporary(&mut self, create: &CreateTable) -> Result<Reply> {
        let engine = Arc::clone(self.sql.engine());
        let (database, name) = self.qualified(&create.name)?;
        let (database, name) = (database.to_owned(), name.to_owned());
        if !engine.catalog().has_database(&database) {
            return Err(SqlError::unknown_database(&database));
        }
        let is_there = self.temporary_table(&create.name)?.is_some();
        if is_there && create.or_replace {
            self.check_replaced(create, &database, &name)?;
        } else if is_there {
            let message = format!("Table '{name}' already exists");
            if create.if_not_exists {
                self.note(ErrorCode::TableExists, message);
                return Ok(self.done(0));
            }
            return Err(SqlError::new(ErrorCode::TableExists, message));
        }
        let (stream, given) = self.rows_to_make_of(create)?.unzip();
        let given = given.unwrap_or_default();
        let new = match &create.like {
            Some(like) => new_like(&*self.base_table(like)?, &database, &name),
            None => self.table_made_of(create, &database, &given)?,
        };
        self.check_has_primary_key(&new)?;
        let table = engine.create_temporary_table(new)?;
        self.drop_temporary(&database, &name);
        self.names_of_temporary().add(Arc::clone(&table));
        self.note_temporary(true);
        let Some(stream) = stream else { return Ok(self.done(0)) };
        let filled = self.fill_table(&table, stream, create.on_duplicate);
        if filled.is_err() {
            self.drop_temporary(&database, &name);
        }
        filled
    }

    /// TRUNCATE TABLE of a temporary table.
    pub(super) fn truncate_temporary(&mut self, table: &Table) -> Result<Reply> {
        let emptied = self.sql.engine().truncate_temporary_table(table)?;
        self.names_of_temporary().add(emptied);
        Ok(self.done(0))
    }

    /// Alters a temporary table, which may get another name by that.
    pub(super) fn alter_temporary(
        &mut self,
        table: &Arc<Table>,
        alterations: Vec<Alteration>,
        session: ConversionRules,
    ) -> Result<AlterOutcome> {
        for alteration in &alterations {
            if let Alteration::RenameTable { database, name } = alteration
                && (database, name) != (&table.database, &table.name)
                && self.temporary.as_ref().is_some_and(|own| own.find(database, name).is_some())
            {
                let message = format!("Table '{name}' already exists");
                return Err(SqlError::new(ErrorCode::TableExists, message));
            }
        }
        let engine = Arc::clone(self.sql.engine());
        let kill = Arc::clone(&self.process.kill);
        // A KILL is told as that by `unless_killed`.
        let stop = || kill.check().map_err(|_| rows::Error::LockTimeout);
        let altered = engine.alter_temporary_table(table, alterations, session, &stop);
        let (renewed, outcome) = self.unless_killed(altered)??;
        self.take_temporary(&table.database, &table.name);
        self.names_of_temporary().add(renewed);
        Ok(outcome)
    }
}

/// A temporary table like another one, but for how that is stored.
fn new_like(source: &Table, database: &str, name: &str) -> NewTable {
    let mut new = ddl::new_table_like(source, database, name);
    if source.columnar {
        new.engine = rows::ddl::ENGINE.to_owned();
    }
    new.columnar_index = None;
    new.retention.bytes_max = 0;
    new
}
