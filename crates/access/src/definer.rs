//! The rights of an account under which something was bound that others run: the query of a view.
//!
//! Invariants
//! 1. As long as no account has changed since they were last looked at, asking whether they are the
//!    present ones compares one number.
//!
//! Not here: what is bound under them (crate `sql`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::account::AccountName;
use crate::control::AccessControl;
use crate::rights::Rights;

/// The rights of an account, with what tells whether they have changed.
#[derive(Debug)]
pub struct DefinerRights {
    access: Arc<AccessControl>,
    account: AccountName,
    rights: Arc<Rights>,
    /// The version of the accounts at which they were the same.
    version: AtomicU64,
}

impl DefinerRights {
    /// Those that an account has with the roles of its login; `None` if it is not there.
    pub fn of(access: &Arc<AccessControl>, account: &AccountName) -> Option<DefinerRights> {
        let roles = access.roles_at_login(account);
        let principal = access.principal(account, &roles)?;
        Some(DefinerRights {
            access: Arc::clone(access),
            account: account.clone(),
            rights: principal.rights,
            version: AtomicU64::new(principal.version),
        })
    }

    /// What the account may do.
    pub fn rights(&self) -> &Arc<Rights> {
        &self.rights
    }

    /// Whether the account still has exactly these.
    pub fn is_current(&self) -> bool {
        // Nothing else is read by this: what is bound was bound under `rights`.
        if self.version.load(Ordering::Relaxed) == self.access.version() {
            return true;
        }
        let Some(now) = DefinerRights::of(&self.access, &self.account) else { return false };
        let is_same = now.rights.number == self.rights.number;
        if is_same {
            self.version.store(now.version.into_inner(), Ordering::Relaxed);
        }
        is_same
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Account;
    use crate::edit::{Edit, EditError, GrantTarget, GrantedPrivileges};
    use crate::privilege::{Privilege, PrivilegeSet};
    use crate::secret::Plugin;

    #[test]
    fn they_are_current_until_the_account_has_others_or_is_gone() {
        let access = Arc::new(AccessControl::load(&[]).unwrap());
        let change = |work: &dyn Fn(&mut Edit) -> Result<(), EditError>| {
            access.change(work, |_| Ok(())).unwrap();
        };
        let [ann, bob] = ["ann", "bob"].map(|name| AccountName::new(name, "%"));
        assert!(DefinerRights::of(&access, &ann).is_none());
        for name in [&ann, &bob] {
            change(&|edit| edit.create(name.clone(), Account::new(Plugin::Native, String::new())));
        }
        let rights = DefinerRights::of(&access, &ann).unwrap();
        let whole = PrivilegeSet::of(Privilege::Select);
        let select = GrantedPrivileges { whole, ..GrantedPrivileges::default() };
        let database = GrantTarget::Database("d".into());
        change(&|edit| edit.grant(&bob, &database, &select));
        assert!(rights.is_current(), "another account has changed");
        assert!(rights.is_current());
        change(&|edit| edit.grant(&ann, &database, &select));
        assert!(!rights.is_current());
        let rights = DefinerRights::of(&access, &ann).unwrap();
        assert!(rights.rights().on_database("d").has(Privilege::Select));
        change(&|edit| edit.drop_account(&ann));
        assert!(!rights.is_current());
    }
}
