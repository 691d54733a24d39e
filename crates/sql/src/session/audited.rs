//! What the audit log is to have of a session's statements.
//!
//! Invariants
//! 1. A statement has the class of what it does, not of its first word: EXECUTE of a DROP TABLE is
//!    a definition, and so is one that was refused.
//! 2. Where statements are chosen by their tables, one of which it is not known what it touches is
//!    told of: it failed before its tables were found.
//! 3. Tables are noted where a query is bound, and where a plan is taken that was made earlier, so
//!    that no way to read passes by: what EXECUTE carries out, the value of SET, INTO, definitions.
//!    What is noted once stays noted until the statement is over.
//! 4. A statement that changes a table is one of the tables, too, whose rows follow its own by
//!    foreign keys (ON DELETE CASCADE and its kin), whether it has rows there or not.
//!
//! Not here: the log (`access::audit`), the moment at which a statement is over
//! (`server::history`), which words of a statement are secret (`server::secrets`).

use std::sync::Arc;

use access::audit::{AuditClass, AuditLog};
use rows::Table;
use rows::foreign_key::Follower;
use syntax::TableName;
use syntax::account::AccountStatement;
use syntax::load::DuplicateSpec;
use syntax::statement::Statement as Parsed;
use values::ErrorCode;

use super::Session;
use crate::plan_cache::Plan;
use crate::server::TableWatch;
use plan::bind::scalar::Bound;
use plan::tree::BoundQuery;
use results::{Result, SqlError};

/// What a statement is to the audit log.
pub(super) fn class_of(parsed: &Parsed) -> AuditClass {
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
    pub(super) fn watch_plan(&self, plan: &Plan) -> Result<()> {
        match self.choosing_audit() {
            Some(audit) => self.watch_tables_of(plan, audit),
            None => Ok(()),
        }
    }

    #[cold]
    fn watch_tables_of(&self, plan: &Plan, audit: &AuditLog) -> Result<()> {
        match plan {
            // It is bound when it runs.
            Plan::ByText => Ok(()),
            plan => {
                let is_watched = plan.any_table(&|table| is_watched(audit, table));
                self.note_tables(is_watched || plan.any_changed(&|table| is_followed(audit, table)))
            }
        }
    }

    /// The same for a query that was bound, or could not be.
    ///
    /// # Errors
    /// Why it could not; 3164 as for a plan.
    pub(super) fn watch_bound(&self, bound: Bound<BoundQuery>) -> Bound<BoundQuery> {
        let Some(audit) = self.choosing_audit() else { return bound };
        match &bound {
            Ok(query) => {
                self.note_tables(query.tables.iter().any(|table| is_watched(audit, table)))?;
            }
            Err(_) if self.table_watch.get() == TableWatch::Unwatched => {
                self.table_watch.set(TableWatch::Unknown);
            }
            Err(_) => {}
        }
        bound
    }

    /// The audit log, if it chooses statements by their tables.
    fn choosing_audit(&self) -> Option<&AuditLog> {
        self.sql.access().audit().filter(|audit| audit.chooses_tables())
    }

    /// The same for a statement that has no plan.
    fn watch_parsed(&self, parsed: &Parsed) -> Result<()> {
        let Some(audit) = self.choosing_audit() else { return Ok(()) };
        let handled = match parsed {
            Parsed::Handler(handler) => self.table_of_handler(handler),
            _ => None,
        };
        let names: &[TableName] = match parsed {
            Parsed::Handler(_) => handled.as_slice(),
            Parsed::Load(load) => std::slice::from_ref(&load.table),
            Parsed::LoadInserts(name) => std::slice::from_ref(name),
            Parsed::Maintain { tables, .. } | Parsed::Checksum { tables, .. } => tables,
            // It is the statement within that has tables.
            Parsed::Explain { .. }
            | Parsed::SetStatement { .. }
            | Parsed::Execute { .. }
            | Parsed::ExecuteImmediate { .. } => return Ok(()),
            // What queries these have are bound.
            _ => &[],
        };
        let is_chosen = |name: &TableName| {
            // One without a database is refused.
            self.qualified(name).is_ok_and(|(database, table)| audit.wants_table(database, table))
        };
        // REPLACE removes rows, and with them those of tables that follow.
        let replaced = match parsed {
            Parsed::Load(load) if matches!(load.on_duplicate, DuplicateSpec::Replace) => {
                self.table(&load.table).ok()
            }
            _ => None,
        };
        let is_followed = |table: Arc<Table>| is_followed(audit, &table);
        self.note_tables(names.iter().any(is_chosen) || replaced.is_some_and(is_followed))
    }

    /// The statement has these tables, besides those that are known already.
    fn note_tables(&self, is_watched: bool) -> Result<()> {
        if is_watched {
            self.table_watch.set(TableWatch::Watched);
        } else if self.table_watch.get() == TableWatch::Unknown {
            self.table_watch.set(TableWatch::Unwatched);
        }
        let user = self.user.rsplit_once('@').map_or(&*self.user, |(user, _)| user);
        let is_refused = |audit: &AuditLog| {
            self.table_watch.get() == TableWatch::Watched
                && audit.wants(AuditClass::Statements, user)
                && audit.refuses()
        };
        match self.sql.access().audit().is_some_and(is_refused) {
            true => Err(audit_aborts()),
            false => Ok(()),
        }
    }
}

fn is_watched(audit: &AuditLog, table: &Table) -> bool {
    audit.wants_table(&table.database, &table.name)
}

/// Whether a table that is watched has rows that go or change with those of this one.
fn is_followed(audit: &AuditLog, table: &Table) -> bool {
    let is_watched = |one: &Follower| audit.wants_table(&one.database, &one.table);
    table.followers().iter().any(is_watched)
}

/// Error 3164.
pub(super) fn audit_aborts() -> SqlError {
    let message = "Aborted by Audit API ('the audit log cannot be written';1).";
    SqlError::new(ErrorCode::AuditApiAbort, message)
}
