//! LOCK TABLES, UNLOCK TABLES and FLUSH TABLES WITH READ LOCK in a session: which tables it has
//! locked, what it may do meanwhile, and waiting for those that others have locked for writing.
//!
//! A statement that changes definitions, and LOAD DATA, lay the locks down while they run: they
//! keep others out themselves.
//!
//! Invariants
//! 1. Under LOCK TABLES a statement uses tables that are locked, and no others (1100), but for
//!    temporary ones and the server's own. Once a view is locked any table may be read: which ones
//!    it reads is its definition's business.
//! 2. Whoever ends a session, or begins a transaction, gives up what LOCK TABLES has locked.
//!
//! Not here: how a table is locked (`rows::table_locks`), what other doors do: they write as others
//! do, and read what is committed.

use std::cell::RefCell;
use std::sync::Arc;

use rows::table::Table;
use rows::table_locks::{TableLockKind, TableLocks};
use syntax::TableName;
use syntax::statement::Statement as Parsed;
use values::ErrorCode;

use super::Session;
use crate::plan_cache::Plan;
use crate::reply::Reply;
use results::{ExecutionMode, Result, SqlError};

/// What a session has locked.
pub(super) struct SessionTableLocks {
    locks: Arc<TableLocks>,
    /// What LOCK TABLES named; `None` for FLUSH TABLES WITH READ LOCK.
    named: Option<TablesLockedByName>,
}

/// What a LOCK TABLES named.
struct TablesLockedByName {
    tables: Vec<(TableName, bool)>,
    /// Whether there is a view among them.
    has_views: bool,
}

impl SessionTableLocks {
    /// The locks, for a transaction.
    pub(super) fn locks(&self) -> Arc<TableLocks> {
        Arc::clone(&self.locks)
    }
}

impl Session {
    /// LOCK TABLES: behind those who write, until UNLOCK TABLES.
    pub(super) fn lock_tables(&mut self, tables: &[(TableName, bool)]) -> Result<Reply> {
        self.commit_open()?;
        self.table_locks = None;
        self.table_locks = Some(self.locked(tables)?);
        Ok(self.done(0))
    }

    fn locked(&mut self, tables: &[(TableName, bool)]) -> Result<SessionTableLocks> {
        let (mut wanted, mut has_views) = (Vec::new(), false);
        for (name, for_writing) in tables {
            if self.view(name)?.is_some() {
                has_views = true;
                continue;
            }
            self.definition(name)?;
            let Ok(table) = self.table(name) else { continue };
            if table.is_temporary() {
                continue;
            }
            let kind = if *for_writing { TableLockKind::Write } else { TableLockKind::Read };
            wanted.push((table, kind));
        }
        let (engine, patience) = (self.sql.engine(), self.patience());
        let locks = Arc::new(self.unless_killed(engine.lock_tables(&wanted, &patience))??);
        let named = Some(TablesLockedByName { tables: tables.to_vec(), has_views });
        Ok(SessionTableLocks { locks, named })
    }

    /// FLUSH TABLES WITH READ LOCK: nobody writes to these tables until UNLOCK TABLES, or the end
    /// of the session; all of them without names.
    pub(super) fn flush_with_read_lock(&mut self, names: &[TableName]) -> Result<Reply> {
        self.commit_open()?;
        self.table_locks = None;
        let (engine, patience) = (self.sql.engine(), self.patience());
        let locks = match names {
            [] => self.unless_killed(engine.lock_all_for_reading(&patience))??,
            names => {
                let of = |name| self.table(name).map(|table| (table, TableLockKind::Read));
                let tables = names.iter().map(of).collect::<Result<Vec<_>>>()?;
                self.unless_killed(engine.lock_tables(&tables, &patience))??
            }
        };
        self.table_locks = Some(SessionTableLocks { locks: Arc::new(locks), named: None });
        Ok(self.done(0))
    }

    /// FLUSH TABLES: nothing is kept of a table that is not its definition.
    ///
    /// # Errors
    /// As `check_locked_for_writing`.
    pub(super) fn flush_tables(&self, names: &[TableName]) -> Result<Reply> {
        names.iter().try_for_each(|name| self.check_locked_for_writing(name))?;
        let tables = self.tables_locked_by_name().unwrap_or_default();
        match tables.iter().find(|(_, for_writing)| names.is_empty() && !for_writing) {
            Some((name, _)) => Err(read_locked(&name.table)),
            None => Ok(self.done(0)),
        }
    }

    /// What LOCK TABLES has locked, and whether for writing; `None`: it was not said.
    fn tables_locked_by_name(&self) -> Option<&[(TableName, bool)]> {
        let named = self.table_locks.as_ref()?.named.as_ref()?;
        Some(&named.tables)
    }

    /// Whether LOCK TABLES has locked a table for writing; `None`: not at all.
    fn is_locked_for_writing(&self, name: &TableName) -> Option<bool> {
        let asked = self.qualified(name).ok()?;
        let mut tables = self.tables_locked_by_name()?.iter();
        let is_it = |one: &TableName| self.qualified(one).is_ok_and(|found| found == asked);
        tables.find(|(one, _)| is_it(one)).map(|(_, for_writing)| *for_writing)
    }

    /// Refuses a table that the session may not change under its LOCK TABLES.
    ///
    /// # Errors
    /// 1100 for one that is not among those that LOCK TABLES has locked, 1099 for one that it has
    /// locked for reading.
    fn check_locked_for_writing(&self, name: &TableName) -> Result<()> {
        if self.tables_locked_by_name().is_none() || self.temporary_table(name)?.is_some() {
            return Ok(());
        }
        match self.is_locked_for_writing(name) {
            Some(true) => Ok(()),
            Some(false) => Err(read_locked(&name.table)),
            None => Err(not_locked(&name.table)),
        }
    }

    /// Refuses a change of definitions that the session's LOCK TABLES does not cover.
    ///
    /// # Errors
    /// As `check_locked_for_writing`; 1100 for a new table, 1192 for what is no table.
    pub(super) fn check_definition_under_locks(&self, parsed: &Parsed) -> Result<()> {
        if self.tables_locked_by_name().is_none() {
            return Ok(());
        }
        match parsed {
            Parsed::CreateDatabase { .. }
            | Parsed::AlterDatabase { .. }
            | Parsed::DropDatabase { .. }
            | Parsed::CreateView(_)
            | Parsed::DropView { .. }
            | Parsed::CreateEvent(_)
            | Parsed::AlterEvent(_)
            | Parsed::DropEvent { .. } => Err(locked_or_active()),
            Parsed::CreateTable(create)
                if !create.temporary && self.is_locked_for_writing(&create.name).is_none() =>
            {
                Err(not_locked(&create.name.table))
            }
            Parsed::AlterTable(alter) => self.check_locked_for_writing(&alter.name),
            Parsed::Truncate(name)
            | Parsed::CreateIndex { table: name, .. }
            | Parsed::DropIndex { table: name, .. } => self.check_locked_for_writing(name),
            Parsed::DropTables { names, temporary: false, .. } => {
                names.iter().try_for_each(|name| self.check_locked_for_writing(name))
            }
            Parsed::RenameTables(pairs) => {
                pairs.iter().try_for_each(|(from, _)| self.check_locked_for_writing(from))
            }
            _ => Ok(()),
        }
    }

    /// UNLOCK TABLES.
    pub(super) fn unlock_tables(&mut self) -> Result<Reply> {
        if self.table_locks.as_ref().is_some_and(|held| held.named.is_some()) {
            self.commit_open()?;
        }
        self.table_locks = None;
        Ok(self.done(0))
    }

    /// A transaction begins, which gives up what LOCK TABLES has locked.
    pub(super) fn give_up_named_locks(&mut self) {
        self.table_locks = self.table_locks.take().filter(|held| held.named.is_none());
    }

    /// Error 1223 for who would wait for its own FLUSH TABLES WITH READ LOCK.
    pub(super) fn check_flushed(&self) -> Result<()> {
        match &self.table_locks {
            Some(SessionTableLocks { named: None, .. }) => Err(SqlError::new(
                ErrorCode::CantUpdateWithReadlock,
                "Can't execute the query because you have a conflicting read lock",
            )),
            _ => Ok(()),
        }
    }

    /// Gives up what LOCK TABLES has locked, for a statement that keeps others out itself.
    ///
    /// # Errors
    /// As `check_flushed`; those of committing.
    pub(super) fn lay_locks_down(&mut self) -> Result<Option<Vec<(TableName, bool)>>> {
        self.check_flushed()?;
        if self.table_locks.is_none() {
            return Ok(None);
        }
        self.commit_open()?;
        let named = self.table_locks.take().and_then(|held| held.named);
        Ok(named.map(|named| named.tables))
    }

    /// Locks again what was laid down, of what is still there; if nothing is, LOCK TABLES is over.
    ///
    /// # Errors
    /// 1205 when others do not leave in time: nothing is locked then.
    pub(super) fn take_locks_up(&mut self, held: Option<Vec<(TableName, bool)>>) -> Result<()> {
        let Some(mut tables) = held else { return Ok(()) };
        tables.retain(|(name, _)| self.definition(name).is_ok());
        if tables.is_empty() {
            return Ok(());
        }
        self.table_locks = Some(self.locked(&tables)?);
        Ok(())
    }

    /// Whether a plan may use its tables now, behind those who have them locked for writing.
    ///
    /// # Errors
    /// 1100 for a table that is not among those that the session has locked; 1205 when others do
    /// not unlock theirs in time.
    #[inline]
    pub(super) fn check_locks(&self, plan: &Plan, how: ExecutionMode) -> Result<()> {
        if !self.may_meet_locks() {
            return Ok(());
        }
        let checked = RefCell::new(Ok(()));
        plan.any_table(&|table| {
            let outcome = self.check_lock(table, how);
            let is_last = outcome.is_err();
            *checked.borrow_mut() = outcome;
            is_last
        });
        checked.into_inner()
    }

    /// The same for the tables of a query that was bound.
    ///
    /// # Errors
    /// As `check_locks`.
    pub(super) fn check_locks_of(&self, tables: &[Arc<Table>], how: ExecutionMode) -> Result<()> {
        match self.may_meet_locks() {
            true => tables.iter().try_for_each(|table| self.check_lock(table, how)),
            false => Ok(()),
        }
    }

    /// The tables that it has locked.
    pub(super) fn own_table_locks(&self) -> Option<Arc<TableLocks>> {
        self.table_locks.as_ref().map(SessionTableLocks::locks)
    }

    fn may_meet_locks(&self) -> bool {
        self.table_locks.is_some() || self.sql.engine().has_write_locks()
    }

    fn check_lock(&self, table: &Table, how: ExecutionMode) -> Result<()> {
        if table.is_temporary() {
            return Ok(());
        }
        if let Some(SessionTableLocks { locks, named: Some(named) }) = &self.table_locks {
            if locks.has(table) {
                return Ok(());
            }
            if !named.has_views {
                return Err(not_locked(&table.name));
            }
        }
        let patience = how.may_wait.then(|| self.patience());
        match self.sql.engine().await_readable(table, patience.as_ref()) {
            Err(error) => Err(self.told_apart(error.into())),
            Ok(()) => Ok(()),
        }
    }
}

/// Error 1192.
fn locked_or_active() -> SqlError {
    SqlError::new(
        ErrorCode::LockOrActiveTransaction,
        "Can't execute the given command because you have active locked tables or an active \
         transaction",
    )
}

/// Error 1099.
fn read_locked(table: &str) -> SqlError {
    let message = format!("Table '{table}' was locked with a READ lock and can't be updated");
    SqlError::new(ErrorCode::TableNotLockedForWrite, message)
}

/// Error 1100.
fn not_locked(table: &str) -> SqlError {
    let message = format!("Table '{table}' was not locked with LOCK TABLES");
    SqlError::new(ErrorCode::TableNotLocked, message)
}
