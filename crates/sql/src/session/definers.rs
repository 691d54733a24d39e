//! The accounts that views and events belong to: who may name one, and what may become of it.
//!
//! Invariants
//! 1. Nobody has something run with the rights of an account that he could not change either.
//! 2. What belongs to an account that is not there comes to nobody who makes one of that name, but
//!    to those who may make such definitions.
//!
//! Not here: what definers may do (`view_rights`, `events`).

use access::{AccountName, Privilege};
use expression::Level;
use values::ErrorCode;

use super::Session;
use results::{Result, SqlError};

/// The privilege to have definers that are not there.
const ALLOW_MISSING: &str = "ALLOW_NONEXISTENT_DEFINER";

impl Session {
    /// Whose a definition is, `name@host`, and whether that is an account, whose rights count then.
    /// A user of the settings file makes definitions that may do everything, but for itself alone.
    pub(super) fn definer_of(&self, named: Option<&str>) -> (String, bool) {
        let own = self.account_name();
        match named {
            Some(named) if named != own => (named.to_owned(), true),
            _ => (own, self.principal.account.is_some()),
        }
    }

    /// A note that an account that something is to belong to is not there.
    pub(super) fn note_missing_definer(&self, definer: &str, is_by_account: bool) {
        let grants = self.sql.access().grants();
        if is_by_account && grants.account(&AccountName::parse(definer)).is_none() {
            let (code, message) = SqlError::no_definer(definer).into_warning();
            self.warnings.borrow_mut().push(Level::Note, code, message);
        }
    }

    /// Refuses what is to belong to another account.
    pub(super) fn check_definer(&self, definer: Option<&str>) -> Result<()> {
        let Some(definer) = definer.filter(|definer| *definer != self.account_name()) else {
            return Ok(());
        };
        self.check_global(&[Privilege::Super], &["SET_ANY_DEFINER"], "SUPER or SET_ANY_DEFINER")?;
        let definer = AccountName::parse(definer);
        if self.sql.access().grants().account(&definer).is_none() {
            let words = format!("SUPER or {ALLOW_MISSING}");
            return self.check_global(&[Privilege::Super], &[ALLOW_MISSING], &words);
        }
        self.check_touched(&[definer])
    }

    /// Refuses to make or to unmake accounts that views or events belong to; a warning for those
    /// who may have definers that are not there.
    ///
    /// # Errors
    /// 4006.
    pub(super) fn check_no_definers<'n>(
        &self,
        doing: &str,
        names: impl Iterator<Item = &'n AccountName>,
    ) -> Result<()> {
        let may_have = self.check_global(&[Privilege::Super], &[ALLOW_MISSING], "").is_ok();
        for name in names {
            let Some(what) = self.defines(name) else { continue };
            let tail = format!("is referenced as a definer account in {what}.");
            if !may_have {
                let message =
                    format!("Operation {doing} failed for {} as it {tail}", name.in_error());
                return Err(SqlError::new(ErrorCode::CannotUserReferencedAsDefiner, message));
            }
            let message = format!("User {} {tail}", name.in_error());
            let code = ErrorCode::UserReferencedAsDefiner;
            self.warnings.borrow_mut().push(Level::Warning, code, message);
        }
        Ok(())
    }

    /// What belongs to an account.
    fn defines(&self, name: &AccountName) -> Option<&'static str> {
        let (catalog, plain) = (self.sql.engine().catalog(), name.plain());
        let has_view = |database: &String| {
            catalog.views(database).iter().any(|view| view.is_by_account && view.definer == plain)
        };
        if catalog.databases().iter().any(has_view) {
            return Some("a view");
        }
        let mut events = catalog.events().into_iter();
        events.any(|event| event.is_by_account && event.definer == plain).then_some("an event")
    }
}
