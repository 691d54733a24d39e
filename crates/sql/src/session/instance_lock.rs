//! LOCK INSTANCE FOR BACKUP in a session: nobody else changes definitions or accounts while a
//! backup is made, and rows change as before.
//!
//! Invariants
//! 1. It ends by UNLOCK INSTANCE or with the session; neither a transaction nor LOCK TABLES has to
//!    do with it, and no statement that takes or gives it commits (MySQL 9.7 answers so).
//! 2. Several sessions may have it at once, and who alone has it may change definitions.
//! 3. Temporary tables are the session's own, and no backup has them.
//!
//! Not here: how definitions are kept as they are (`rows::table_locks`).

use access::audit::AuditClass;
use rows::table_locks::DefinitionsEntered;
use syntax::TableName;
use syntax::statement::Statement as Parsed;

use super::Session;
use super::audited::class_of;
use crate::reply::Reply;
use results::Result;

impl Session {
    /// LOCK INSTANCE FOR BACKUP: behind the definitions that are being changed.
    ///
    /// # Errors
    /// 1205 when they are not done in time.
    pub(super) fn lock_instance(&mut self) -> Result<Reply> {
        if self.instance_lock.is_none() {
            let locked = self.sql.engine().lock_definitions(&self.patience());
            self.instance_lock = Some(self.unless_killed(locked)??);
        }
        Ok(self.done(0))
    }

    /// UNLOCK INSTANCE.
    pub(super) fn unlock_instance(&mut self) -> Result<Reply> {
        self.instance_lock = None;
        Ok(self.done(0))
    }

    /// Keeps backups from beginning while a statement changes definitions, behind those that are
    /// being made; `None` for a statement that changes none.
    ///
    /// # Errors
    /// 1205 when a backup does not end in time.
    pub(super) fn enter_definitions(&self, parsed: &Parsed) -> Result<Option<DefinitionsEntered>> {
        if !self.changes_definitions(parsed)? {
            return Ok(None);
        }
        let own = self.instance_lock.as_ref();
        let entered = self.sql.engine().enter_definitions(own, &self.patience());
        Ok(Some(self.unless_killed(entered)??))
    }

    fn changes_definitions(&self, parsed: &Parsed) -> Result<bool> {
        let is_kept = |name: &TableName| Ok(self.temporary_table(name)?.is_none());
        match parsed {
            Parsed::CreateTable(create) => Ok(!create.temporary),
            Parsed::DropTables { temporary: true, .. } => Ok(false),
            Parsed::DropTables { names, .. } => {
                names.iter().try_fold(false, |any, name| Ok(any || is_kept(name)?))
            }
            Parsed::AlterTable(alter) => is_kept(&alter.name),
            Parsed::Truncate(table)
            | Parsed::CreateIndex { table, .. }
            | Parsed::DropIndex { table, .. } => is_kept(table),
            parsed => Ok(class_of(parsed) != AuditClass::Statements),
        }
    }
}
