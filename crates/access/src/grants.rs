//! All accounts at one moment: which of them a login means, and what it may do.
//!
//! Invariants
//! 1. A login means the account whose host is the most specific of those that fit both the client's
//!    host and its name; of accounts with the same host the named one comes before the anonymous
//!    (MySQL 8.4 manual, 8.2.6).
//!
//! Not here: proving the password (`doors::mysql`), changes (`edit`).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::account::{Account, AccountName, RoleGrant};
use crate::host::{Peer, is_for, rank};
use crate::rights::Rights;

/// Accounts by name.
pub type Accounts = BTreeMap<AccountName, Arc<Account>>;

/// All accounts at one moment.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// How many changes there were before; it only grows.
    pub version: u64,
    accounts: Accounts,
    /// `@@mandatory_roles`: every account has them, as far as they are there.
    mandatory: Vec<AccountName>,
    /// In the order in which a login tries them.
    order: Vec<AccountName>,
}

impl Grants {
    /// These accounts.
    pub fn new(version: u64, accounts: Accounts) -> Grants {
        let mut order: Vec<AccountName> = accounts.keys().cloned().collect();
        order.sort_by(|a, b| {
            rank(&a.host)
                .cmp(&rank(&b.host))
                .then_with(|| a.user.is_empty().cmp(&b.user.is_empty()))
                .then_with(|| a.cmp(b))
        });
        Grants { version, accounts, mandatory: Vec::new(), order }
    }

    /// The same accounts, each of which has these roles as well.
    #[must_use]
    pub fn with_mandatory(self, mandatory: Vec<AccountName>) -> Grants {
        Grants { mandatory, ..self }
    }

    /// The roles that every account has, also those that are not there.
    pub fn mandatory(&self) -> &[AccountName] {
        &self.mandatory
    }

    /// The mandatory roles that are there.
    pub fn present_mandatory(&self) -> impl Iterator<Item = &AccountName> {
        self.mandatory.iter().filter(|role| self.accounts.contains_key(role))
    }

    /// The roles that an account may activate: those that were granted to it and the mandatory
    /// ones, sorted.
    pub fn granted_roles(&self, name: &AccountName) -> Vec<RoleGrant> {
        let Some(account) = self.accounts.get(name) else { return Vec::new() };
        let mut granted = account.roles.clone();
        for role in self.present_mandatory() {
            if !granted.iter().any(|grant| grant.role == *role) {
                granted.push(RoleGrant { role: role.clone(), admin: false });
            }
        }
        granted.sort();
        granted
    }

    /// Of the roles that an account may activate those that it names for its logins.
    pub fn default_roles(&self, name: &AccountName) -> Vec<AccountName> {
        let granted = self.granted_roles(name);
        self.accounts.get(name).map_or_else(Vec::new, |own| own.default_roles_of(&granted))
    }

    /// The roles that are active after a login: the mandatory ones, and those that the account
    /// names for that or, if `all`, all that it has (mysqld 9.7 activates mandatory roles so).
    pub fn roles_at_login(&self, name: &AccountName, all: bool) -> Vec<AccountName> {
        let Some(account) = self.accounts.get(name) else { return Vec::new() };
        let granted = self.granted_roles(name);
        let named = account.default_roles_of(&granted);
        let is_active =
            |role: &AccountName| all || named.contains(role) || self.mandatory.contains(role);
        granted.into_iter().map(|grant| grant.role).filter(is_active).collect()
    }

    /// An account.
    pub fn account(&self, name: &AccountName) -> Option<&Arc<Account>> {
        self.accounts.get(name)
    }

    /// All of them.
    pub fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// The account that a client means which calls itself `user`.
    pub fn login(&self, user: &str, peer: &Peer<'_>) -> Option<(&AccountName, &Arc<Account>)> {
        let fits = |name: &&AccountName| {
            (name.user.is_empty() || name.user == user) && is_for(&name.host, peer)
        };
        let name = self.order.iter().find(fits)?;
        Some((name, self.accounts.get(name)?))
    }

    /// The roles of an account, those that roles have among them, each once.
    pub fn roles_of(&self, name: &AccountName) -> Vec<AccountName> {
        self.with_nested(self.direct_roles(name).iter().map(|g| g.role.clone()).collect())
    }

    /// The roles that an account may use, the mandatory ones and those that roles have among them.
    pub fn usable_roles_of(&self, name: &AccountName) -> Vec<AccountName> {
        self.with_nested(self.granted_roles(name).into_iter().map(|grant| grant.role).collect())
    }

    fn direct_roles(&self, name: &AccountName) -> &[RoleGrant] {
        self.accounts.get(name).map_or(&[], |account| &account.roles)
    }

    fn with_nested(&self, mut found: Vec<AccountName>) -> Vec<AccountName> {
        let mut at = 0;
        while at < found.len() {
            for grant in self.direct_roles(&found[at].clone()) {
                if !found.contains(&grant.role) {
                    found.push(grant.role.clone());
                }
            }
            at += 1;
        }
        found
    }

    /// Whether one of two roles has the other, directly or not.
    pub fn has_role(&self, name: &AccountName, role: &AccountName) -> bool {
        self.roles_of(name).contains(role)
    }

    /// What an account may do with some roles active: those of them that it still has.
    pub fn rights(&self, name: &AccountName, active: &[AccountName], number: u64) -> Rights {
        let granted = self.granted_roles(name);
        let is_granted = |role: &&AccountName| granted.iter().any(|grant| grant.role == **role);
        let active: Vec<AccountName> = active.iter().filter(is_granted).cloned().collect();
        let mut all = vec![name.clone()];
        for role in &active {
            all.push(role.clone());
            all.extend(self.roles_of(role));
        }
        all.dedup();
        let accounts = all.iter().filter_map(|name| self.accounts.get(name)).map(|a| &**a);
        let mut rights = Rights::of(accounts, number);
        rights.active_roles = active;
        rights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privilege::{Privilege, PrivilegeSet};
    use crate::rights::ColumnAccess;
    use crate::secret::Plugin;

    fn account() -> Account {
        Account::new(Plugin::CachingSha2, String::new())
    }

    fn grants(accounts: Vec<(AccountName, Account)>) -> Grants {
        let accounts = accounts.into_iter().map(|(name, account)| (name, Arc::new(account)));
        Grants::new(1, accounts.collect())
    }

    #[test]
    fn the_most_specific_host_decides_and_then_the_name() {
        let names = [("bob", "%"), ("", "10.1.2.3"), ("bob", "10.1.%"), ("ann", "%")];
        let names = names.map(|(user, host)| AccountName::new(user, host));
        let grants = grants(names.iter().cloned().map(|name| (name, account())).collect());
        let login =
            |user, host| grants.login(user, &Peer::from(host)).map(|(name, _)| name.plain());
        assert_eq!(login("bob", "10.1.9.9").as_deref(), Some("bob@10.1.%"));
        assert_eq!(login("bob", "10.2.9.9").as_deref(), Some("bob@%"));
        assert_eq!(login("bob", "10.1.2.3").as_deref(), Some("@10.1.2.3"), "as MySQL's FAQ warns");
        assert_eq!(login("eve", "10.2.9.9"), None);
    }

    #[test]
    fn of_patterns_the_most_specific_counts_alone_and_a_role_adds_its_own() {
        let (bob, role) = (AccountName::new("bob", "%"), AccountName::new("r", "%"));
        let mut own = account();
        own.databases.insert("t%".into(), PrivilegeSet::of(Privilege::Select));
        own.databases.insert("tes%".into(), PrivilegeSet::of(Privilege::Insert));
        own.roles.push(RoleGrant { role: role.clone(), admin: false });
        let mut of_role = Account::role();
        of_role.databases.insert("%".into(), PrivilegeSet::of(Privilege::Delete));
        let grants = grants(vec![(bob.clone(), own), (role.clone(), of_role)]);
        let rights = grants.rights(&bob, &[], 1);
        let can = |rights: &Rights, privilege| rights.on_database("test").has(privilege);
        assert!(can(&rights, Privilege::Insert) && !can(&rights, Privilege::Select));
        assert!(rights.on_database("tx").has(Privilege::Select));
        assert!(!can(&rights, Privilege::Delete));
        let rights = grants.rights(&bob, &[role], 1);
        assert!(can(&rights, Privilege::Delete) && can(&rights, Privilege::Insert));
        let stranger = AccountName::new("x", "%");
        let rights = grants.rights(&bob, &[stranger], 1);
        assert!(!can(&rights, Privilege::Delete), "a role that it has not");
    }

    #[test]
    fn a_column_is_reached_by_its_table_or_by_itself() {
        let bob = AccountName::new("bob", "%");
        let mut own = account();
        let tables = own.tables.entry("d".into()).or_default();
        let grant = tables.entry("t".into()).or_default();
        grant.columns.insert("a".into(), PrivilegeSet::of(Privilege::Select));
        grant.whole = PrivilegeSet::of(Privilege::Insert);
        let rights = grants(vec![(bob.clone(), own)]).rights(&bob, &[], 1);
        assert!(rights.has_column("d", "t", "A", Privilege::Select));
        assert!(!rights.has_column("d", "t", "b", Privilege::Select));
        assert_eq!(rights.columns("d", "t", Privilege::Select), ColumnAccess::Some);
        assert_eq!(rights.columns("d", "t", Privilege::Insert), ColumnAccess::All);
        assert_eq!(rights.columns("d", "u", Privilege::Insert), ColumnAccess::None);
        assert!(rights.sees_database("d") && rights.sees_table("d", "t"));
        assert!(!rights.sees_database("e") && !rights.sees_table("d", "u"));
    }
}
