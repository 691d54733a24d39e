//! XA: a session's global transaction, from XA START to XA PREPARE, and the end of those that are
//! prepared, whoever began them.
//!
//! ```text
//!               XA START        XA END          XA PREPARE
//! NON-EXISTING ─────────> ACTIVE ─────> IDLE ─────────────> the engine's, by its name alone
//!      ▲                   │  ▲  RESUME  │
//!      │       a deadlock  │  └──────────┤
//!      │                   ▼             │
//!      └────────── ROLLBACK ONLY         │
//!      └──────────────────────────────────  XA COMMIT ONE PHASE, XA ROLLBACK
//! ```
//! States and errors are those of MySQL 9.7 with `xa_detach_on_prepare`, asked of it: a prepared
//! transaction is no session's, and temporary tables stay outside.
//!
//! Invariants
//! 1. Nothing but XA END, XA PREPARE, XA COMMIT and XA ROLLBACK ends a global transaction: what
//!    would commit implicitly is refused.
//! 2. One whose writes were rolled back is never committed, whatever is written afterwards.
//!
//! Not here: prepared transactions (`rows::prepared`), the grammar (`syntax::xa`).

use expression::{BIGINT_UNSIGNED, text_type};
use rows::prepared::{OwnXid, Xid};
use syntax::account::AccountStatement;
use syntax::show::Subject;
use syntax::statement::Statement as Parsed;
use syntax::xa::{XaStartMode, XaStatement, XidSpec};
use values::ErrorCode;
use values::codes::write_hex;
use values::datum::Value;

use super::Session;
use crate::reply::Reply;
use crate::show::{Listing, number};
use expression::Level;
use results::{Result, ResultColumn, SqlError};

/// A global transaction that is a session's.
pub(super) struct XaBranch {
    own: OwnXid,
    state: XaState,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum XaState {
    Active,
    Idle,
    /// Its writes were rolled back, for a reason that has this code.
    RolledBack(ErrorCode),
}

/// Characters that XA RECOVER gives of a name, in hexadecimal.
const DATA_CHARS: u32 = 2 * 128 + 2;

impl Session {
    /// The state of the session's global transaction, if it has one.
    fn xa_state(&self) -> Option<XaState> {
        let branch = self.xa.as_ref()?;
        Some(match branch.state {
            XaState::Active | XaState::Idle if self.open.is_none() => {
                XaState::RolledBack(ErrorCode::XaRbrollback)
            }
            state => state,
        })
    }

    /// Error 1399, in this state.
    fn refused_by_state(state: Option<XaState>) -> SqlError {
        let state = match state {
            None => "NON-EXISTING",
            Some(XaState::Active) => "ACTIVE",
            Some(XaState::Idle) => "IDLE",
            Some(XaState::RolledBack(_)) => "ROLLBACK ONLY",
        };
        let message = format!(
            "XAER_RMFAIL: The command cannot be executed when global transaction is in the  \
             {state} state"
        );
        SqlError::new(ErrorCode::XaerRmfail, message)
    }

    /// Refuses what commits implicitly while there is a global transaction.
    ///
    /// # Errors
    /// 1399.
    pub(super) fn check_no_xa(&self) -> Result<()> {
        match self.xa_state() {
            None => Ok(()),
            state => Err(Self::refused_by_state(state)),
        }
    }

    /// Refuses what is about tables where the global transaction takes no more.
    fn check_xa_takes(&self) -> Result<()> {
        match self.xa_state() {
            None | Some(XaState::Active) => Ok(()),
            Some(XaState::RolledBack(code)) => Err(rolled_back(code)),
            state => Err(Self::refused_by_state(state)),
        }
    }

    /// A deadlock has rolled the transaction back.
    pub(super) fn note_xa_deadlock(&mut self) {
        self.set_xa_state(XaState::RolledBack(ErrorCode::XaRbdeadlock));
    }

    /// Refuses a statement that the session's global transaction does not allow.
    ///
    /// # Errors
    /// 1399, 1402, 1614, 4091.
    #[inline]
    pub(super) fn check_xa(&self, parsed: &Parsed) -> Result<()> {
        if self.xa.is_none() { Ok(()) } else { self.check_in_xa(parsed) }
    }

    #[cold]
    fn check_in_xa(&self, parsed: &Parsed) -> Result<()> {
        match parsed {
            Parsed::CreateTable(create) if create.temporary => Err(temporary_in_xa()),
            Parsed::DropTables { temporary: true, names, .. } => {
                let is_there = |name| self.temporary_table(name).is_ok_and(|found| found.is_some());
                if names.iter().any(is_there) { Err(temporary_in_xa()) } else { Ok(()) }
            }
            Parsed::Load(load) => {
                self.check_xa_takes()?;
                match self.temporary_table(&load.table)? {
                    Some(_) => Err(temporary_in_xa()),
                    None => Ok(()),
                }
            }
            Parsed::Show(show) => match show.subject {
                Subject::Warnings { .. } | Subject::WarningCount { .. } => Ok(()),
                _ => self.check_xa_takes(),
            },
            Parsed::RollbackTo(name) | Parsed::Release(name) => {
                self.find_savepoint(name)?;
                self.check_xa_takes()
            }
            Parsed::Explain(_)
            | Parsed::Checksum { .. }
            | Parsed::Savepoint(_)
            | Parsed::Handler(_) => self.check_xa_takes(),
            Parsed::Account(account) if matches!(**account, AccountStatement::SetRole(_)) => Ok(()),
            // What these do is looked at where it is planned.
            Parsed::Set(_)
            | Parsed::SetStatement { .. }
            | Parsed::Do(_)
            | Parsed::Use(_)
            | Parsed::Kill { .. }
            | Parsed::UnlockTables
            | Parsed::LockInstance
            | Parsed::UnlockInstance
            | Parsed::Prepare { .. }
            | Parsed::Execute { .. }
            | Parsed::ExecuteImmediate { .. }
            | Parsed::Deallocate(_)
            | Parsed::Signal(_)
            | Parsed::Resignal
            | Parsed::GetDiagnostics(_)
            | Parsed::Xa(_) => Ok(()),
            Parsed::CreateDatabase { .. }
            | Parsed::DropDatabase { .. }
            | Parsed::AlterDatabase { .. }
            | Parsed::CreateTable(_)
            | Parsed::AlterTable(_)
            | Parsed::DropTables { .. }
            | Parsed::CreateView(_)
            | Parsed::DropView { .. }
            | Parsed::Truncate(_)
            | Parsed::RenameTables(_)
            | Parsed::CreateEvent(_)
            | Parsed::AlterEvent(_)
            | Parsed::DropEvent { .. }
            | Parsed::Account(_)
            | Parsed::Grant(_)
            | Parsed::CreateIndex { .. }
            | Parsed::DropIndex { .. }
            | Parsed::Begin { .. }
            | Parsed::Commit { .. }
            | Parsed::Rollback { .. }
            | Parsed::LockTables(_)
            | Parsed::ReadLock(_)
            | Parsed::Flush
            | Parsed::FlushTables(_)
            | Parsed::FlushLogs
            | Parsed::FlushPrivileges
            | Parsed::FlushUserResources
            | Parsed::ReloadTls
            | Parsed::Maintain { .. }
            | Parsed::LoadInserts(_) => self.check_no_xa(),
        }
    }

    /// Whether a global transaction may take these tables.
    ///
    /// # Errors
    /// Those of `check_xa`.
    #[cold]
    pub(super) fn check_xa_tables(&self, is_any: bool, is_temporary: bool) -> Result<()> {
        if is_any {
            self.check_xa_takes()?;
        }
        if is_temporary { Err(temporary_in_xa()) } else { Ok(()) }
    }

    /// XA START and its kin.
    pub(super) fn xa(&mut self, statement: &XaStatement) -> Result<Reply> {
        match statement {
            XaStatement::Start { xid, mode } => self.xa_start(xid, *mode)?,
            XaStatement::End { xid, suspend } => self.xa_end(xid, *suspend)?,
            XaStatement::Prepare(xid) => self.xa_prepare(xid)?,
            XaStatement::Commit { xid, one_phase } => self.xa_commit(xid, *one_phase)?,
            XaStatement::Rollback(xid) => self.xa_rollback(xid)?,
            XaStatement::Recover { convert } => {
                let listing = self.xa_recover(*convert)?;
                return Ok(self.listed(listing));
            }
        }
        Ok(self.done(0))
    }

    /// Whether the session's global transaction is called so.
    fn is_own_xid(&self, xid: &XidSpec) -> bool {
        self.xa.as_ref().is_some_and(|branch| *branch.own.xid() == named(xid))
    }

    fn set_xa_state(&mut self, state: XaState) {
        if let Some(branch) = &mut self.xa {
            branch.state = state;
        }
    }

    fn xa_start(&mut self, xid: &XidSpec, mode: XaStartMode) -> Result<()> {
        match (self.xa_state(), mode) {
            (Some(XaState::Idle), XaStartMode::Resume) if !self.is_own_xid(xid) => {
                return Err(unknown_xid());
            }
            (Some(XaState::Idle), XaStartMode::Resume) => {
                self.set_xa_state(XaState::Active);
                return Ok(());
            }
            (_, XaStartMode::Join | XaStartMode::Resume) => return Err(invalid()),
            (None, XaStartMode::New) => {}
            (state, XaStartMode::New) => return Err(Self::refused_by_state(state)),
        }
        if self.open.is_some() {
            let message = "XAER_OUTSIDE: Some work is done outside global transaction";
            return Err(SqlError::new(ErrorCode::XaerOutside, message));
        }
        let Some(own) = self.sql.engine().global_transactions().open(named(xid)) else {
            let message = "XAER_DUPID: The XID already exists";
            return Err(SqlError::new(ErrorCode::XaerDupid, message));
        };
        self.open_transaction(None)?;
        self.xa = Some(XaBranch { own, state: XaState::Active });
        Ok(())
    }

    fn xa_end(&mut self, xid: &XidSpec, suspend: bool) -> Result<()> {
        match self.xa_state() {
            _ if suspend => Err(invalid()),
            Some(XaState::Active) if !self.is_own_xid(xid) => Err(unknown_xid()),
            Some(XaState::Active) => {
                self.set_xa_state(XaState::Idle);
                Ok(())
            }
            Some(XaState::RolledBack(code)) => Err(rolled_back(code)),
            state => Err(Self::refused_by_state(state)),
        }
    }

    fn xa_prepare(&mut self, xid: &XidSpec) -> Result<()> {
        match self.xa_state() {
            Some(XaState::Idle) if self.is_own_xid(xid) => {}
            Some(XaState::Idle) => return Err(unknown_xid()),
            state => return Err(Self::refused_by_state(state)),
        }
        let branch = self.xa.take().ok_or_else(unknown_xid)?;
        let transaction = self.take_open().ok_or_else(unknown_xid)?;
        // Its locks are no connection's from now on.
        self.process.begin_transaction(None);
        Ok(self.sql.engine().prepare(branch.own, transaction)?)
    }

    fn xa_commit(&mut self, xid: &XidSpec, one_phase: bool) -> Result<()> {
        if !self.is_own_xid(xid) {
            return self.end_prepared(xid, |engine, xid| engine.commit_prepared(xid));
        }
        match self.xa_state() {
            Some(XaState::RolledBack(code)) => {
                self.forget_xa();
                Err(rolled_back(code))
            }
            Some(XaState::Idle) if one_phase => {
                self.xa = None;
                self.commit_open()
            }
            state => Err(Self::refused_by_state(state)),
        }
    }

    fn xa_rollback(&mut self, xid: &XidSpec) -> Result<()> {
        if !self.is_own_xid(xid) {
            return self.end_prepared(xid, |engine, xid| engine.rollback_prepared(xid));
        }
        match self.xa_state() {
            state @ Some(XaState::Active) => Err(Self::refused_by_state(state)),
            _ => {
                self.forget_xa();
                Ok(())
            }
        }
    }

    /// Rolls the session's global transaction back.
    fn forget_xa(&mut self) {
        self.open = None;
        self.xa = None;
    }

    /// Ends a prepared transaction, which is no session's.
    fn end_prepared(
        &self,
        xid: &XidSpec,
        end: impl FnOnce(&rows::Engine, &Xid) -> rows::Result<bool>,
    ) -> Result<()> {
        self.check_no_xa()?;
        if self.open.is_some() {
            return Err(Self::refused_by_state(None));
        }
        if end(self.sql.engine(), &named(xid))? { Ok(()) } else { Err(unknown_xid()) }
    }

    /// XA RECOVER: the names of all that are prepared.
    fn xa_recover(&self, convert: bool) -> Result<Listing> {
        if !self.principal.rights.has_dynamic("XA_RECOVER_ADMIN") {
            let message = "XAER_RMERR: Fatal error occurred in the transaction branch - check your \
                           data for consistency";
            let denied = SqlError::privilege_needed("XA_RECOVER_ADMIN");
            let why = (denied.code(), denied.into_message());
            self.warnings.borrow_mut().push(Level::Error, why.0, why.1);
            return Err(SqlError::new(ErrorCode::XaerRmerr, message));
        }
        let numbers = ["formatID", "gtrid_length", "bqual_length"];
        let mut columns: Vec<ResultColumn> = numbers
            .iter()
            .map(|name| ResultColumn::computed(*name, BIGINT_UNSIGNED, false))
            .collect();
        columns.push(ResultColumn::computed("data", text_type(DATA_CHARS), false));
        let mut listing = Listing { columns, ..Listing::default() };
        for xid in self.sql.engine().global_transactions().prepared() {
            let name = [&xid.global[..], &xid.branch].concat();
            let data = match convert {
                true => [b"0x", &write_hex(&name, true)[..]].concat(),
                false => name,
            };
            listing.push(vec![
                number(xid.format),
                number(xid.global.len() as u64),
                number(xid.branch.len() as u64),
                Value::Bytes(data),
            ]);
        }
        Ok(listing)
    }
}

fn named(XidSpec { global, branch, format }: &XidSpec) -> Xid {
    Xid { global: global.clone(), branch: branch.clone(), format: *format }
}

/// Error 1397.
fn unknown_xid() -> SqlError {
    SqlError::new(ErrorCode::XaerNota, "XAER_NOTA: Unknown XID")
}

/// Error 1398.
fn invalid() -> SqlError {
    let message = "XAER_INVAL: Invalid arguments (or unsupported command)";
    SqlError::new(ErrorCode::XaerInval, message)
}

/// Error 4091.
fn temporary_in_xa() -> SqlError {
    let message = "XA: Temporary tables cannot be accessed inside XA transactions when \
                   xa_detach_on_prepare=ON";
    SqlError::new(ErrorCode::XaTempTable, message)
}

/// Error 1402, or 1614.
fn rolled_back(code: ErrorCode) -> SqlError {
    let message = match code {
        ErrorCode::XaRbdeadlock => {
            "XA_RBDEADLOCK: Transaction branch was rolled back: deadlock was detected"
        }
        _ => "XA_RBROLLBACK: Transaction branch was rolled back",
    };
    SqlError::new(code, message)
}
