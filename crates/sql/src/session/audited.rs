//! What the audit log is to have of a session's statements.
//!
//! Invariants
//! 1. A statement has the class of what it does, not of its first word: EXECUTE of a DROP TABLE is
//!    a definition, and so is one that was refused.
//! 2. Where statements are chosen by their tables, one of which it is not known what it touches is
//!    told of: it failed before it had a plan, or is planned only while it runs.
//!
//! Not here: the log (`access::audit`), the moment at which a statement is over
//! (`server::history`), which words of a statement are secret (`server::secrets`).

use access::audit::{AuditClass, AuditLog};
use rows::Table;
use syntax::TableName;
use syntax::account::AccountStatement;
use syntax::statement::Statement as Parsed;
use values::ErrorCode;

use super::Session;
use crate::plan_cache::Plan;
use results::{Result, SqlError};

/// What a statement is to the audit log.
fn class_of(parsed: &Parsed) -> AuditClass {
    match parsed {
        Parsed::Account(account) if matches!(**account, AccountStatement::SetRole(_)) => {
            AuditClass::Statements
        }
        Parsed::Account(_) | Parsed::Grant(_) => AuditClass::Grants,
        Parsed::CreateDatabase { .. }
        | Parsed::AlterDatabase { .. }
        | Parsed::DropDatabase { .. }
        | Parsed::CreateTable(_)
        | Parsed::AlterTable(_)
        | Parsed::DropTables { .. }
        | Parsed::RenameTables(_)
        | Parsed::Truncate(_)
        | Parsed::CreateIndex { .. }
        | Parsed::DropIndex { .. }
        | Parsed::CreateView(_)
        | Parsed::DropView { .. }
        | Parsed::CreateEvent(_)
        | Parsed::AlterEvent(_)
        | Parsed::DropEvent { .. } => AuditClass::Definitions,
        _ => AuditClass::Statements,
    }
}

impl Session {
    /// Notes what a parsed statement is.
    ///
    /// # Errors
    /// As `check_audit`.
    pub(super) fn note_class(&mut self, parsed: &Parsed) -> Result<()> {
        let class = class_of(parsed);
        if class == AuditClass::Statements {
            return self.watch_parsed(parsed);
        }
        self.audit_class = class;
        self.check_audit()
    }

    /// Refuses a statement that the audit log is to have and does not take.
    ///
    /// # Errors
    /// 3164.
    #[inline]
    pub(super) fn check_audit(&self) -> Result<()> {
        match self.sql.access().audit() {
            None => Ok(()),
            Some(audit) => {
                let user = self.user.rsplit_once('@').map_or(&*self.user, |(user, _)| user);
                // Of those that are chosen by their tables it is not known yet.
                let is_known =
                    self.audit_class != AuditClass::Statements || !audit.chooses_tables();
                match is_known && audit.wants(self.audit_class, user) && audit.refuses() {
                    true => Err(audit_aborts()),
                    false => Ok(()),
                }
            }
        }
    }
}

impl Session {
    /// Notes whether the audit log watches one of the tables of a plan; one that is made only when
    /// it runs may touch any.
    ///
    /// # Errors
    /// 3164 when the log is to have the statement and does not take it.
    #[inline]
    pub(super) fn watch_plan(&mut self, plan: &Plan) -> Result<()> {
        let chooses = self.sql.access().audit().is_some_and(|audit| audit.chooses_tables());
        if chooses { self.watch_tables_of(plan) } else { Ok(()) }
    }

    #[cold]
    fn watch_tables_of(&mut self, plan: &Plan) -> Result<()> {
        let Some(audit) = self.sql.access().audit() else { return Ok(()) };
        let is_watched = |table: &Table| audit.wants_table(&table.database, &table.name);
        self.is_watched = matches!(plan, Plan::Other) || plan.any_table(&is_watched);
        self.check_watched()
    }

    /// The same for a statement that has no plan.
    fn watch_parsed(&mut self, parsed: &Parsed) -> Result<()> {
        let Some(audit) = self.sql.access().audit().filter(|audit| audit.chooses_tables()) else {
            return Ok(());
        };
        let names: &[TableName] = match parsed {
            Parsed::Load(load) => std::slice::from_ref(&load.table),
            Parsed::LoadInserts(name) => std::slice::from_ref(name),
            Parsed::Maintain { tables, .. } | Parsed::Checksum { tables, .. } => tables,
            // They have plans of their own.
            Parsed::Explain { .. } | Parsed::Do(_) | Parsed::SetStatement { .. } => return Ok(()),
            _ => &[],
        };
        let is_watched = |name: &TableName| {
            // One without a database is refused.
            self.qualified(name).is_ok_and(|(database, table)| audit.wants_table(database, table))
        };
        self.is_watched = names.iter().any(is_watched);
        self.check_watched()
    }

    fn check_watched(&self) -> Result<()> {
        let user = self.user.rsplit_once('@').map_or(&*self.user, |(user, _)| user);
        let is_refused = |audit: &AuditLog| {
            self.is_watched && audit.wants(AuditClass::Statements, user) && audit.refuses()
        };
        match self.sql.access().audit().is_some_and(is_refused) {
            true => Err(audit_aborts()),
            false => Ok(()),
        }
    }
}

/// Error 3164.
pub(super) fn audit_aborts() -> SqlError {
    let message = "Aborted by Audit API ('the audit log cannot be written';1).";
    SqlError::new(ErrorCode::AuditApiAbort, message)
}
