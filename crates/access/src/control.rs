//! The accounts of a server: the present ones, their version, and changes of them.
//!
//! Invariants
//! 1. The store is changed before memory is, by one batch for a statement; two changes follow one
//!    another.
//! 2. A principal is right as long as its version is the present one; asking for that takes no
//!    lock.
//! 3. As long as nothing is stored of it, there is `root@localhost` without a password, unless the
//!    settings file names users. A record without an account says that it was dropped.
//!
//! Not here: the store (`rows::catalog`), what statements change (`edit`).

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};
use resources::clock::{Clock, SystemClock};

use crate::account::{Account, AccountName};
use crate::audit::{AuditClass, AuditLog};
use crate::edit::Edit;
use crate::grants::{Accounts, Grants};
use crate::lock_rule::LoginBlock;
use crate::login_lock::LoginLocks;
use crate::password_policy::PolicyDefaults;
use crate::rights::{Principal, Rights, UNLIMITED};
use crate::usage::{AccountSeat, AccountUsages, LimitReached};

/// Rights that are remembered, so that equal ones have one number.
const RIGHTS_MAX: usize = 1024;

/// A record to store, by its key; without a value it is an account that was dropped.
pub type RecordChange = (Vec<u8>, Vec<u8>);

/// The accounts of a server.
pub struct AccessControl {
    present: RwLock<Arc<Grants>>,
    version: AtomicU64,
    changes: Mutex<()>,
    /// By account and active roles.
    rights: Mutex<HashMap<(AccountName, Vec<AccountName>), Arc<Rights>>>,
    numbers: AtomicU64,
    unlimited: Arc<Rights>,
    usages: AccountUsages,
    audit: OnceLock<AuditLog>,
    has_own_users: AtomicBool,
    /// `@@activate_all_roles_on_login`.
    activates_all_roles: AtomicBool,
    locks: LoginLocks,
    defaults: RwLock<PolicyDefaults>,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for AccessControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccessControl").field("version", &self.version).finish_non_exhaustive()
    }
}

/// `root` of a fresh server.
pub fn first_account() -> AccountName {
    AccountName::new("root", "localhost")
}

/// Key and value of a record.
fn record(name: &AccountName, account: Option<&Account>) -> RecordChange {
    let key = serde_json::to_vec(name).expect("a name is plain data");
    (key, serde_json::to_vec(&account).expect("an account is plain data"))
}

impl AccessControl {
    /// The accounts of stored records.
    ///
    /// # Errors
    /// Why a record, given by its place, does not decode.
    pub fn load(records: &[RecordChange]) -> Result<AccessControl, (usize, &'static str)> {
        let mut accounts = Accounts::new();
        accounts.insert(first_account(), Arc::new(Account::root()));
        for (at, (key, value)) in records.iter().enumerate() {
            let name: AccountName =
                serde_json::from_slice(key).map_err(|_| (at, "account name does not decode"))?;
            let account: Option<Account> =
                serde_json::from_slice(value).map_err(|_| (at, "account does not decode"))?;
            match account {
                Some(account) => accounts.insert(name, Arc::new(account)),
                None => accounts.remove(&name),
            };
        }
        Ok(AccessControl {
            present: RwLock::new(Arc::new(Grants::new(1, accounts))),
            version: AtomicU64::new(1),
            changes: Mutex::default(),
            rights: Mutex::default(),
            numbers: AtomicU64::new(UNLIMITED),
            unlimited: Arc::new(Rights::unlimited()),
            usages: AccountUsages::default(),
            audit: OnceLock::new(),
            has_own_users: AtomicBool::new(false),
            activates_all_roles: AtomicBool::new(false),
            locks: LoginLocks::default(),
            defaults: RwLock::default(),
            clock: Arc::new(SystemClock),
        })
    }

    /// The same by another clock.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> AccessControl {
        AccessControl { clock, ..self }
    }

    /// Now: seconds since the epoch.
    pub fn now(&self) -> u64 {
        self.clock.unix_micros() / 1_000_000
    }

    /// What the server's variables say of passwords.
    pub fn policy_defaults(&self) -> PolicyDefaults {
        *self.defaults.read()
    }

    /// Changes what the server's variables say of passwords.
    pub fn change_policy_defaults(&self, change: impl FnOnce(&mut PolicyDefaults)) {
        change(&mut self.defaults.write());
    }

    /// Takes note of a login of an account: whether its password was proved.
    ///
    /// # Errors
    /// The account is locked after failed logins, since this one if need be.
    pub fn note_login(&self, name: &AccountName, is_proven: bool) -> Result<(), LoginBlock> {
        let rule = self.grants().account(name).map(|account| account.lock_rule);
        match rule.filter(|rule| rule.is_active()) {
            Some(rule) => self.locks.note(name, rule, is_proven, self.now()),
            None => Ok(()),
        }
    }

    /// Whether an account is locked after failed logins.
    pub fn is_blocked(&self, name: &AccountName, account: &Account) -> bool {
        self.locks.block(name, account.lock_rule, self.now()).is_some()
    }

    /// FLUSH PRIVILEGES: failed logins of all accounts are forgotten.
    pub fn forget_failed_logins(&self) {
        self.locks.forget_all();
    }

    /// The settings file names users: there is no `root` without a password but a stored one.
    pub fn close_first_account(&self) {
        self.has_own_users.store(true, Ordering::Relaxed);
    }

    /// Whether an account is `root` of a fresh server, and closed.
    pub fn is_closed(&self, name: &AccountName, account: &Account) -> bool {
        self.has_own_users.load(Ordering::Relaxed) && account.is_open() && *name == first_account()
    }

    /// Whether nobody has an account but `root` of a fresh server.
    pub fn is_fresh(&self) -> bool {
        let is_first = |(name, account): (&AccountName, &Arc<Account>)| {
            *name == first_account() && account.is_open()
        };
        self.grants().accounts().iter().all(is_first)
    }

    /// All accounts now.
    pub fn grants(&self) -> Arc<Grants> {
        Arc::clone(&self.present.read())
    }

    /// The version of the accounts now.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Events go to this log from now on; a second one is not taken.
    pub fn begin_audit(&self, log: AuditLog) {
        let _ = self.audit.set(log);
    }

    /// The audit log, if there is one.
    #[inline]
    pub fn audit(&self) -> Option<&AuditLog> {
        self.audit.get()
    }

    /// What accounts use.
    pub fn usages(&self) -> &AccountUsages {
        &self.usages
    }

    /// A connection of an account begins, at any door; it is counted until the seat is dropped.
    ///
    /// # Errors
    /// The limit that it is beyond.
    pub fn admit(&self, name: &AccountName) -> Result<AccountSeat, LimitReached> {
        let is_unaudited =
            |log: &AuditLog| log.wants(AuditClass::Logins, &name.user) && log.refuses();
        if self.audit().is_some_and(is_unaudited) {
            return Err(LimitReached::Unaudited);
        }
        let grants = self.grants();
        let limits = grants.account(name).map(|account| account.limits).unwrap_or_default();
        self.usages.admit(name, &limits)
    }

    /// One who may do everything, and is no account.
    pub fn superuser(&self) -> Principal {
        Principal {
            account: None,
            roles: Vec::new(),
            rights: Arc::clone(&self.unlimited),
            version: self.version(),
            logged_in_at: 0,
            is_expired: false,
            meter: None,
        }
    }

    /// An account with some of its roles active, which has not logged in; `None` when it is not
    /// there any more.
    pub fn principal(&self, name: &AccountName, roles: &[AccountName]) -> Option<Principal> {
        self.principal_since(name, roles, 0)
    }

    fn principal_since(
        &self,
        name: &AccountName,
        roles: &[AccountName],
        logged_in_at: u64,
    ) -> Option<Principal> {
        let grants = self.grants();
        let account = grants.account(name)?;
        let has = grants.granted_roles(name);
        let granted = |role: &&AccountName| has.iter().any(|grant| grant.role == **role);
        let roles: Vec<AccountName> = roles.iter().filter(granted).cloned().collect();
        let fresh = grants.rights(name, &roles, UNLIMITED);
        let mut known = self.rights.lock();
        if known.len() >= RIGHTS_MAX {
            known.clear();
        }
        let key = (name.clone(), roles.clone());
        let rights = match known.get(&key).filter(|rights| rights.is_same(&fresh)) {
            Some(rights) => Arc::clone(rights),
            None => {
                let number = 1 + self.numbers.fetch_add(1, Ordering::Relaxed);
                let rights = Arc::new(fresh.numbered(number));
                known.insert(key, Arc::clone(&rights));
                rights
            }
        };
        Some(Principal {
            account: Some(name.clone()),
            roles,
            rights,
            version: grants.version,
            logged_in_at,
            is_expired: account.is_expired(logged_in_at, &self.policy_defaults()),
            meter: self.usages.meter(name, &account.limits),
        })
    }

    /// An account with some of its roles active; one that is not there any more may do nothing.
    fn acting(&self, name: &AccountName, roles: &[AccountName], logged_in_at: u64) -> Principal {
        self.principal_since(name, roles, logged_in_at).unwrap_or_else(|| Principal {
            account: Some(name.clone()),
            roles: Vec::new(),
            rights: Arc::new(Rights::none()),
            version: self.version(),
            logged_in_at,
            is_expired: false,
            meter: None,
        })
    }

    /// The roles of an account that are active after a login.
    pub fn roles_at_login(&self, name: &AccountName) -> Vec<AccountName> {
        self.grants().roles_at_login(name, self.activates_all_roles.load(Ordering::Relaxed))
    }

    /// An account as it is after a login, with the roles that are active then.
    pub fn at_login(&self, name: &AccountName) -> Principal {
        self.acting(name, &self.roles_at_login(name), self.now())
    }

    /// The same principal with other roles active.
    pub fn with_roles(&self, principal: &Principal, roles: &[AccountName]) -> Principal {
        match &principal.account {
            Some(name) => self.acting(name, roles, principal.logged_in_at),
            None => self.superuser(),
        }
    }

    /// The same principal with what it may do now.
    pub fn renewed(&self, principal: &Principal) -> Principal {
        self.with_roles(principal, &principal.roles)
    }

    /// Changes accounts: `work` says how, `store` keeps the records. Nothing is changed when either
    /// fails.
    ///
    /// # Errors
    /// Those of `work` and `store`.
    pub fn change<T, E>(
        &self,
        work: impl FnOnce(&mut Edit) -> Result<T, E>,
        store: impl FnOnce(&[RecordChange]) -> Result<(), E>,
    ) -> Result<T, E> {
        let _one = self.changes.lock();
        let present = self.grants();
        let mut edit = Edit::of(&present);
        let result = work(&mut edit)?;
        let (accounts, changed, unblocked) = edit.finish();
        let unblock = || unblocked.iter().for_each(|name| self.locks.forget(name));
        if changed.is_empty() {
            unblock();
            return Ok(result);
        }
        let records: Vec<RecordChange> = changed
            .iter()
            .map(|name| record(name, accounts.get(name).map(|account| &**account)))
            .collect();
        store(&records)?;
        self.usages.forget_gone(|name| accounts.contains_key(name), accounts.len());
        self.publish(accounts, present.mandatory().to_vec());
        unblock();
        Ok(result)
    }

    /// Sets `@@activate_all_roles_on_login`.
    pub fn activate_all_roles_at_login(&self, all: bool) {
        let _one = self.changes.lock();
        self.activates_all_roles.store(all, Ordering::Relaxed);
        // Definers have their roles as after a login.
        let present = self.grants();
        self.publish(present.accounts().clone(), present.mandatory().to_vec());
    }

    /// Sets `@@mandatory_roles`, which holds for the next request of every connection.
    pub fn set_mandatory_roles(&self, roles: Vec<AccountName>) {
        let _one = self.changes.lock();
        let accounts = self.grants().accounts().clone();
        self.publish(accounts, roles);
    }

    /// What is there from now on, as the next version; the caller holds `changes`.
    fn publish(&self, accounts: Accounts, mandatory: Vec<AccountName>) {
        let version = self.version() + 1;
        let grants = Grants::new(version, accounts).with_mandatory(mandatory);
        *self.present.write() = Arc::new(grants);
        self.version.store(version, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{EditError, GrantTarget, GrantedPrivileges};
    use crate::privilege::{Privilege, PrivilegeSet};
    use crate::secret::Plugin;

    fn select() -> GrantedPrivileges {
        let whole = PrivilegeSet::of(Privilege::Select);
        GrantedPrivileges { whole, ..GrantedPrivileges::default() }
    }

    #[test]
    fn a_change_is_stored_before_it_holds_and_rights_go_with_the_version() {
        let control = AccessControl::load(&[]).unwrap();
        let bob = AccountName::new("bob", "%");
        let failed = control.change(
            |edit| edit.create(bob.clone(), Account::new(Plugin::Native, String::new())),
            |_| Err(EditError::Missing(bob.clone())),
        );
        assert!(failed.is_err() && control.principal(&bob, &[]).is_none());
        let mut stored = Vec::new();
        let mut change = |work: &dyn Fn(&mut Edit) -> Result<(), EditError>| {
            control.change(work, |records| {
                stored.extend_from_slice(records);
                Ok(())
            })
        };
        let account = || Account::new(Plugin::Native, String::new());
        change(&|edit| edit.create(bob.clone(), account())).unwrap();
        let before = control.principal(&bob, &[]).unwrap();
        let database = GrantTarget::Database("d".into());
        change(&|edit| edit.grant(&bob, &database, &select())).unwrap();
        assert_ne!(before.version, control.version());
        let with = control.principal(&bob, &[]).unwrap();
        assert!(with.rights.on_database("d").has(Privilege::Select));
        assert_ne!(before.rights.number, with.rights.number);
        change(&|edit| edit.drop_account(&first_account())).unwrap();
        let later = control.principal(&bob, &[]).unwrap();
        assert_eq!(later.rights.number, with.rights.number, "nothing changed for bob");

        // Of records with one key the last is what the store has.
        let again = AccessControl::load(&stored).unwrap();
        assert!(again.grants().account(&first_account()).is_none(), "dropped for good");
        let bob = again.principal(&bob, &[]).unwrap();
        assert!(bob.rights.on_database("d").has(Privilege::Select));
    }

    #[test]
    fn a_damaged_record_is_named() {
        let damaged = vec![(b"{}".to_vec(), b"null".to_vec())];
        assert_eq!(AccessControl::load(&damaged).unwrap_err().0, 0);
    }
}
