//! Changes of accounts, as one statement makes them: all of them or none.
//!
//! Invariants
//! 1. A change that fails leaves the accounts as they were, since it works on a copy.
//! 2. REVOKE works by name: what it is on need not exist any more.
//!
//! Not here: whether somebody may make the change (`sql`), storing it (`control`).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::account::{Account, AccountName, DefaultRoles, RoleGrant};
use crate::grants::{Accounts, Grants};
use crate::privilege::PrivilegeSet;

/// Why accounts were not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// There is such an account already.
    Exists(AccountName),
    /// There is no such account.
    Missing(AccountName),
    /// Nothing of this was granted to it.
    NotGranted(AccountName),
    /// Nothing of this was granted to it on a table.
    NotGrantedOnTable(AccountName, String),
    /// A role would have itself.
    Circle(AccountName, AccountName),
}

/// What privileges are granted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantTarget {
    /// Everything.
    Global,
    /// Databases that are like this pattern.
    Database(String),
    /// A table.
    Table(String, String),
}

/// What is granted or revoked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantedPrivileges {
    /// On all of the target.
    pub whole: PrivilegeSet,
    /// On columns of a table.
    pub columns: Vec<(String, PrivilegeSet)>,
    /// Dynamic ones.
    pub dynamic: Vec<String>,
    /// WITH GRANT OPTION.
    pub grant_option: bool,
    /// Whether it was written as ALL: of what is not there nothing is said.
    pub all: bool,
}

/// Accounts under change.
#[derive(Debug)]
pub struct Edit {
    accounts: Accounts,
    /// Roles that every account has, as far as they are there.
    mandatory: Vec<AccountName>,
    changed: BTreeSet<AccountName>,
    unblocked: BTreeSet<AccountName>,
}

impl Edit {
    /// Of the accounts that there are.
    pub fn of(grants: &Grants) -> Edit {
        Edit {
            accounts: grants.accounts().clone(),
            mandatory: grants.mandatory().to_vec(),
            changed: BTreeSet::new(),
            unblocked: BTreeSet::new(),
        }
    }

    /// The accounts, those that were changed, and those whose failed logins are forgotten.
    pub(crate) fn finish(self) -> (Accounts, BTreeSet<AccountName>, BTreeSet<AccountName>) {
        (self.accounts, self.changed, self.unblocked)
    }

    /// What has failed of an account's logins is forgotten, and it is open again.
    pub fn unblock(&mut self, name: &AccountName) {
        self.unblocked.insert(name.clone());
    }

    /// Whether there is such an account.
    pub fn has(&self, name: &AccountName) -> bool {
        self.accounts.contains_key(name)
    }

    /// An account, to be changed.
    ///
    /// # Errors
    /// `Missing`.
    pub fn account(&mut self, name: &AccountName) -> Result<&mut Account, EditError> {
        let found = self.accounts.get_mut(name);
        let account = found.ok_or_else(|| EditError::Missing(name.clone()))?;
        self.changed.insert(name.clone());
        Ok(Arc::make_mut(account))
    }

    /// A new account.
    ///
    /// # Errors
    /// `Exists`.
    pub fn create(&mut self, name: AccountName, account: Account) -> Result<(), EditError> {
        if self.has(&name) {
            return Err(EditError::Exists(name));
        }
        self.changed.insert(name.clone());
        self.accounts.insert(name, Arc::new(account));
        Ok(())
    }

    /// An account goes, also as a role of others.
    ///
    /// # Errors
    /// `Missing`.
    pub fn drop_account(&mut self, name: &AccountName) -> Result<(), EditError> {
        if self.accounts.remove(name).is_none() {
            return Err(EditError::Missing(name.clone()));
        }
        self.changed.insert(name.clone());
        self.unblocked.insert(name.clone());
        self.each_holder(name, |account| {
            account.roles.retain(|grant| grant.role != *name);
            if let DefaultRoles::Some(roles) = &mut account.default_roles {
                roles.remove(name);
            }
        });
        Ok(())
    }

    /// An account gets another name, also as a role of others.
    ///
    /// # Errors
    /// `Missing`, `Exists` of the new name.
    pub fn rename(&mut self, from: &AccountName, to: &AccountName) -> Result<(), EditError> {
        if self.has(to) {
            return Err(EditError::Exists(to.clone()));
        }
        let account = self.accounts.remove(from).ok_or_else(|| EditError::Missing(from.clone()))?;
        self.changed.extend([from.clone(), to.clone()]);
        self.unblocked.insert(from.clone());
        self.accounts.insert(to.clone(), account);
        self.each_holder(from, |account| {
            for grant in account.roles.iter_mut().filter(|grant| grant.role == *from) {
                grant.role = to.clone();
            }
            if let DefaultRoles::Some(roles) = &mut account.default_roles
                && roles.remove(from)
            {
                roles.insert(to.clone());
            }
        });
        Ok(())
    }

    /// The roles that an account may activate.
    pub fn granted_roles(&self, name: &AccountName) -> Vec<AccountName> {
        let grants = self.as_grants();
        grants.granted_roles(name).into_iter().map(|grant| grant.role).collect()
    }

    fn as_grants(&self) -> Grants {
        Grants::new(0, self.accounts.clone()).with_mandatory(self.mandatory.clone())
    }

    fn each_holder(&mut self, role: &AccountName, mut change: impl FnMut(&mut Account)) {
        for (name, account) in &mut self.accounts {
            let is_default = matches!(&account.default_roles, DefaultRoles::Some(names)
                if names.contains(role));
            if is_default || account.roles.iter().any(|grant| grant.role == *role) {
                change(Arc::make_mut(account));
                self.changed.insert(name.clone());
            }
        }
    }

    /// Grants privileges.
    ///
    /// # Errors
    /// `Missing`.
    pub fn grant(
        &mut self,
        name: &AccountName,
        target: &GrantTarget,
        granted: &GrantedPrivileges,
    ) -> Result<(), EditError> {
        use crate::privilege::Privilege::GrantOption;
        let account = self.account(name)?;
        let option = match granted.grant_option {
            true => PrivilegeSet::of(GrantOption),
            false => PrivilegeSet::NONE,
        };
        let whole = granted.whole.with(option);
        match target {
            GrantTarget::Global => {
                let statics = !granted.whole.is_empty() || granted.dynamic.is_empty();
                if statics {
                    account.global = account.global.with(whole);
                }
                for name in &granted.dynamic {
                    let own = account.dynamic.entry(name.clone()).or_default();
                    *own |= granted.grant_option;
                }
            }
            GrantTarget::Database(_) if whole.is_empty() => {}
            GrantTarget::Database(pattern) => {
                let own = account.databases.entry(pattern.clone()).or_default();
                *own = own.with(whole);
            }
            GrantTarget::Table(database, table) => {
                if whole.is_empty() && granted.columns.is_empty() {
                    return Ok(());
                }
                let tables = account.tables.entry(database.clone()).or_default();
                let own = tables.entry(table.clone()).or_default();
                own.whole = own.whole.with(whole);
                for (column, set) in &granted.columns {
                    let known = own.columns.keys().find(|name| name.eq_ignore_ascii_case(column));
                    let column = known.unwrap_or(column).clone();
                    let of_column = own.columns.entry(column).or_default();
                    *of_column = of_column.with(*set);
                }
            }
        }
        Ok(())
    }

    /// Takes privileges back.
    ///
    /// # Errors
    /// `Missing`; `NotGranted` and `NotGrantedOnTable` where there is nothing on the target to take
    /// back. Of privileges on everything nothing has to be there, as in MySQL.
    pub fn revoke(
        &mut self,
        name: &AccountName,
        target: &GrantTarget,
        revoked: &GrantedPrivileges,
    ) -> Result<(), EditError> {
        use crate::privilege::Privilege::GrantOption;
        let account = self.account(name)?;
        let option = match revoked.grant_option {
            true => PrivilegeSet::of(GrantOption),
            false => PrivilegeSet::NONE,
        };
        let whole = revoked.whole.with(option);
        match target {
            // MySQL 9.7 takes with ALL on everything what was granted within, and GRANT OPTION.
            GrantTarget::Global if revoked.all => account.lose_privileges(),
            GrantTarget::Global => {
                account.global = account.global.without(whole);
                for name in &revoked.dynamic {
                    account.dynamic.remove(name);
                }
            }
            GrantTarget::Database(pattern) => {
                let Some(own) = account.databases.get_mut(pattern) else {
                    return Err(EditError::NotGranted(name.clone()));
                };
                *own = own.without(whole);
                if own.is_empty() {
                    account.databases.remove(pattern);
                }
            }
            GrantTarget::Table(database, table) => {
                let missing = || EditError::NotGrantedOnTable(name.clone(), table.clone());
                let tables = account.tables.get_mut(database).ok_or_else(missing)?;
                let own = tables.get_mut(table).ok_or_else(missing)?;
                let held = own.whole.with(own.any_column());
                let is_held = revoked.all
                    || held.has_all(whole)
                        && revoked.columns.iter().all(|(name, set)| own.column(name).has_all(*set));
                if !is_held {
                    return Err(missing());
                }
                own.whole = own.whole.without(whole);
                // What is taken from all of a table is taken from its columns too.
                own.columns.values_mut().for_each(|set| *set = set.without(whole));
                for (column, set) in &revoked.columns {
                    for (name, own) in &mut own.columns {
                        if name.eq_ignore_ascii_case(column) {
                            *own = own.without(*set);
                        }
                    }
                }
                own.columns.retain(|_, set| !set.is_empty());
                if own.is_empty() {
                    tables.remove(table);
                }
                if tables.is_empty() {
                    account.tables.remove(database);
                }
            }
        }
        Ok(())
    }

    /// Takes all privileges back, on everything and all within; roles stay.
    ///
    /// # Errors
    /// `Missing`.
    pub fn revoke_all(&mut self, name: &AccountName) -> Result<(), EditError> {
        self.account(name)?.lose_privileges();
        Ok(())
    }

    /// Grants a role.
    ///
    /// # Errors
    /// `Missing`, of either; `Circle`.
    pub fn grant_role(
        &mut self,
        role: &AccountName,
        to: &AccountName,
        admin: bool,
    ) -> Result<(), EditError> {
        if !self.has(role) {
            return Err(EditError::Missing(role.clone()));
        }
        let present = self.as_grants();
        if role == to || present.has_role(role, to) {
            return Err(EditError::Circle(role.clone(), to.clone()));
        }
        let account = self.account(to)?;
        match account.roles.iter_mut().find(|grant| grant.role == *role) {
            Some(grant) => grant.admin |= admin,
            None => account.roles.push(RoleGrant { role: role.clone(), admin }),
        }
        account.roles.sort();
        Ok(())
    }

    /// Takes a role back; one that was not granted is no error, as in MySQL.
    ///
    /// # Errors
    /// `Missing`, of either.
    pub fn revoke_role(&mut self, role: &AccountName, from: &AccountName) -> Result<(), EditError> {
        if !self.has(role) {
            return Err(EditError::Missing(role.clone()));
        }
        let account = self.account(from)?;
        account.roles.retain(|grant| grant.role != *role);
        if let DefaultRoles::Some(roles) = &mut account.default_roles {
            roles.remove(role);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privilege::Privilege;
    use crate::secret::Plugin;

    fn edit(names: &[&str]) -> (Edit, Vec<AccountName>) {
        let names: Vec<AccountName> = names.iter().map(|n| AccountName::new(*n, "%")).collect();
        let mut edit = Edit::of(&Grants::default());
        for name in &names {
            let account = Account::new(Plugin::CachingSha2, String::new());
            edit.create(name.clone(), account).unwrap();
        }
        (edit, names)
    }

    fn of_columns(columns: &[&str]) -> GrantedPrivileges {
        let select = PrivilegeSet::of(Privilege::Select);
        let columns = columns.iter().map(|name| ((*name).to_owned(), select)).collect();
        GrantedPrivileges { columns, ..GrantedPrivileges::default() }
    }

    fn whole(privilege: Privilege) -> GrantedPrivileges {
        GrantedPrivileges { whole: PrivilegeSet::of(privilege), ..GrantedPrivileges::default() }
    }

    #[test]
    fn what_is_revoked_from_a_table_leaves_nothing_behind_in_its_columns() {
        let (mut edit, names) = edit(&["bob"]);
        let target = GrantTarget::Table("d".into(), "t".into());
        edit.grant(&names[0], &target, &of_columns(&["a", "B"])).unwrap();
        assert!(edit.revoke(&names[0], &target, &of_columns(&["c"])).is_err(), "never granted");
        assert!(edit.revoke(&names[0], &target, &whole(Privilege::Insert)).is_err());
        edit.revoke(&names[0], &target, &of_columns(&["A"])).unwrap();
        let all = GrantedPrivileges {
            whole: PrivilegeSet::all(crate::Level::Table),
            all: true,
            ..GrantedPrivileges::default()
        };
        edit.revoke(&names[0], &target, &all).unwrap();
        assert!(edit.account(&names[0]).unwrap().tables.is_empty());
        let again = edit.revoke(&names[0], &target, &all);
        assert!(matches!(again, Err(EditError::NotGrantedOnTable(..))));
    }

    #[test]
    fn roles_follow_their_names_and_make_no_circle() {
        let (mut edit, names) = edit(&["bob", "r", "s"]);
        edit.grant_role(&names[1], &names[0], false).unwrap();
        edit.grant_role(&names[2], &names[1], false).unwrap();
        assert!(matches!(edit.grant_role(&names[1], &names[2], true), Err(EditError::Circle(..))));
        assert!(matches!(edit.grant_role(&names[0], &names[0], true), Err(EditError::Circle(..))));
        let t = AccountName::new("t", "%");
        edit.rename(&names[1], &t).unwrap();
        assert_eq!(edit.account(&names[0]).unwrap().roles[0].role, t);
        edit.drop_account(&t).unwrap();
        assert!(edit.account(&names[0]).unwrap().roles.is_empty());
        assert_eq!(edit.drop_account(&t), Err(EditError::Missing(t)));
    }
}
