//! What the audit log is to have of a session's statements.
//!
//! Invariants
//! 1. A statement has the class of what it does, not of its first word: EXECUTE of a DROP TABLE is
//!    a definition, and so is one that was refused.
//!
//! Not here: the log (`access::audit`), the moment at which a statement is over
//! (`server::history`), which words of a statement are secret (`server::secrets`).

use access::audit::AuditClass;
use syntax::account::AccountStatement;
use syntax::statement::Statement as Parsed;
use values::ErrorCode;

use super::Session;
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
            return Ok(());
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
                match audit.wants(self.audit_class, user) && audit.refuses() {
                    true => Err(audit_aborts()),
                    false => Ok(()),
                }
            }
        }
    }
}

/// Error 3164.
pub(super) fn audit_aborts() -> SqlError {
    let message = "Aborted by Audit API ('the audit log cannot be written';1).";
    SqlError::new(ErrorCode::AuditApiAbort, message)
}
