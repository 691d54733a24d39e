//! An account or a role: how it logs in, and what it was granted.
//!
//! Invariants
//! 1. Users' names compare with case, hosts without: hosts are kept in lower case.
//! 2. Grants are by name: they outlive what they are on, as in MySQL.
//!
//! Not here: what follows from the grants (`rights`), changing them (`edit`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits::AccountLimits;
use crate::lock_rule::LockRule;
use crate::password_policy::{EarlierPassword, PasswordPolicy, PolicyDefaults};
use crate::privilege::{PrivilegeSet, SYSTEM_USER};
use crate::secret::{self, NO_PASSWORD, Plugin};
use crate::tls_need::TlsNeed;

/// The name of an account or a role.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AccountName {
    /// The user; empty: anybody.
    pub user: String,
    /// The pattern of hosts.
    pub host: String,
}

impl AccountName {
    /// Of a text such as `app` or `app@10.0.%`; without a host it is `%`, as in statements.
    pub fn parse(text: &str) -> AccountName {
        let (user, host) = text.rsplit_once('@').unwrap_or((text, "%"));
        AccountName::new(user, host)
    }

    /// A name, its host in lower case.
    pub fn new(user: impl Into<String>, host: &str) -> AccountName {
        AccountName { user: user.into(), host: host.to_lowercase() }
    }

    /// As `CURRENT_USER()` gives it.
    pub fn plain(&self) -> String {
        format!("{}@{}", self.user, self.host)
    }

    /// Within single quotes, as errors name it.
    pub fn in_error(&self) -> String {
        format!("'{}'@'{}'", self.user, self.host)
    }
}

/// Quoted, as SHOW GRANTS shows it.
impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |name: &str| name.replace('`', "``");
        write!(f, "`{}`@`{}`", quoted(&self.user), quoted(&self.host))
    }
}

/// An account. Its name stands beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// By what it proves its password.
    pub plugin: Plugin,
    /// What is stored of its password.
    pub stored: String,
    /// Further ways to log in, which are tried in their order (IDENTIFIED VIA a OR b).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<LoginWay>,
    /// The password before, which holds until it is discarded (RETAIN CURRENT PASSWORD).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retained: Option<String>,
    /// ACCOUNT LOCK: nobody logs in. A role is locked.
    #[serde(default)]
    pub locked: bool,
    /// PASSWORD EXPIRE: all that it may do is set a password.
    #[serde(default)]
    pub expired: bool,
    /// REQUIRE: how its connections must be encrypted.
    #[serde(default, skip_serializing_if = "TlsNeed::is_none")]
    pub tls_need: TlsNeed,
    /// How long its passwords hold, and which may not come again.
    #[serde(default, skip_serializing_if = "PasswordPolicy::is_default")]
    pub password_policy: PasswordPolicy,
    /// When its password was set: seconds since the epoch; `None`: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_set_at: Option<u64>,
    /// The passwords that may not come again, the last first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_passwords: Vec<EarlierPassword>,
    /// FAILED_LOGIN_ATTEMPTS, PASSWORD_LOCK_TIME.
    #[serde(default, skip_serializing_if = "LockRule::is_default")]
    pub lock_rule: LockRule,
    /// ATTRIBUTE, COMMENT: an object of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// How much it may use.
    #[serde(default, skip_serializing_if = "AccountLimits::is_none")]
    pub limits: AccountLimits,
    /// Privileges on everything.
    #[serde(default)]
    pub global: PrivilegeSet,
    /// Dynamic privileges, and whether each may be granted on.
    #[serde(default)]
    pub dynamic: BTreeMap<String, bool>,
    /// By pattern of databases.
    #[serde(default)]
    pub databases: BTreeMap<String, PrivilegeSet>,
    /// By database and table.
    #[serde(default)]
    pub tables: BTreeMap<String, BTreeMap<String, TableGrant>>,
    /// Roles.
    #[serde(default)]
    pub roles: Vec<RoleGrant>,
    /// The roles that are active when it logs in.
    #[serde(default)]
    pub default_roles: DefaultRoles,
}

/// A further way to log in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginWay {
    /// By what a password is proved.
    pub plugin: Plugin,
    /// What is stored of it.
    pub stored: String,
}

/// What is granted on a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableGrant {
    /// On all of it.
    pub whole: PrivilegeSet,
    /// On columns, by their names as they were written.
    #[serde(default)]
    pub columns: BTreeMap<String, PrivilegeSet>,
}

/// A role that was granted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RoleGrant {
    /// Its name.
    pub role: AccountName,
    /// WITH ADMIN OPTION.
    pub admin: bool,
}

/// Roles that are active after a login.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DefaultRoles {
    /// None.
    #[default]
    None,
    /// All that are granted, also later: what earlier versions stored for ALL.
    All,
    /// These, of those that are granted.
    Some(BTreeSet<AccountName>),
}

impl Account {
    /// One without rights, which logs in by a stored password.
    pub fn new(plugin: Plugin, stored: String) -> Account {
        Account {
            plugin,
            stored,
            alternatives: Vec::new(),
            retained: None,
            locked: false,
            expired: false,
            tls_need: TlsNeed::None,
            password_policy: PasswordPolicy::default(),
            password_set_at: None,
            earlier_passwords: Vec::new(),
            lock_rule: LockRule::default(),
            attribute: None,
            limits: AccountLimits::default(),
            global: PrivilegeSet::NONE,
            dynamic: BTreeMap::new(),
            databases: BTreeMap::new(),
            tables: BTreeMap::new(),
            roles: Vec::new(),
            default_roles: DefaultRoles::None,
        }
    }

    /// A role: nobody can log in as it.
    pub fn role() -> Account {
        Account { locked: true, expired: true, ..Account::new(Plugin::CachingSha2, String::new()) }
    }

    /// `root` of a fresh server: everything, without a password.
    pub fn root() -> Account {
        let dynamic = crate::privilege::DYNAMIC.iter().map(|name| ((*name).to_owned(), true));
        Account {
            global: PrivilegeSet::EVERYTHING,
            dynamic: dynamic.collect(),
            ..Account::new(Plugin::CachingSha2, String::new())
        }
    }

    /// Whether everybody may come in as it, who comes from its hosts.
    pub fn is_open(&self) -> bool {
        let mut ways = self.ways();
        ways.any(|(plugin, stored)| plugin.has_passwords() && stored.is_empty())
    }

    /// The way whose password SET PASSWORD changes, and RETAIN CURRENT PASSWORD keeps: the first
    /// that has one.
    pub fn password_way(&self) -> Option<(Plugin, &str)> {
        self.ways().find(|(plugin, _)| plugin.has_passwords())
    }

    /// Its place among `ways`.
    pub fn password_place(&self) -> Option<usize> {
        self.ways().position(|(plugin, _)| plugin.has_passwords())
    }

    /// Another password for that way.
    pub fn store_password(&mut self, stored: String) {
        match self.password_place() {
            None => {}
            Some(0) => self.stored = stored,
            Some(place) => self.alternatives[place - 1].stored = stored,
        }
    }

    /// All ways to log in, with what is stored for each.
    pub fn ways(&self) -> impl Iterator<Item = (Plugin, &str)> {
        let further = self.alternatives.iter().map(|way| (way.plugin, &*way.stored));
        std::iter::once((self.plugin, &*self.stored)).chain(further)
    }

    /// Whether all that one may do who logged in at this second of the epoch is to set a password.
    pub fn is_expired(&self, logged_in_at: u64, defaults: &PolicyDefaults) -> bool {
        let is_outlived = |set_at| self.password_policy.is_outlived(set_at, logged_in_at, defaults);
        let has_password = self.password_way().is_some();
        self.expired || has_password && self.password_set_at.is_some_and(is_outlived)
    }

    /// Whether a password is one of those that may not come again.
    pub fn bars_password(&self, password: &str, now: u64, defaults: &PolicyDefaults) -> bool {
        let policy = &self.password_policy;
        let mut earlier = self.earlier_passwords.iter().enumerate();
        earlier.any(|(place, earlier)| {
            policy.is_barred(place, earlier, now, defaults)
                && earlier.all().any(|stored| secret::is_stored_of(stored, password))
        })
    }

    /// Its passwords were set just now; earlier ones that may come again are forgotten.
    pub fn note_password_set(&mut self, now: u64, defaults: &PolicyDefaults) {
        self.password_set_at = Some(now);
        self.expired = false;
        let is_password = |(plugin, stored): &(Plugin, &str)| {
            plugin.has_passwords() && !stored.is_empty() && *stored != NO_PASSWORD
        };
        let all = self.ways().filter(is_password).map(|(_, stored)| stored.to_owned());
        let mut all = all.collect::<Vec<_>>().into_iter();
        if let Some(stored) = all.next() {
            let further = all.collect();
            self.earlier_passwords.insert(0, EarlierPassword { stored, further, set_at: now });
        }
        let policy = self.password_policy.clone();
        let mut place = 0;
        self.earlier_passwords.retain(|earlier| {
            place += 1;
            policy.is_barred(place - 1, earlier, now, defaults)
        });
    }

    /// Whether nobody changes it but others of its kind.
    pub fn is_system_user(&self) -> bool {
        self.dynamic.contains_key(SYSTEM_USER)
    }

    /// All privileges go, on everything and on all within; roles stay.
    pub fn lose_privileges(&mut self) {
        self.global = PrivilegeSet::NONE;
        self.dynamic.clear();
        self.databases.clear();
        self.tables.clear();
    }

    /// What was granted on a table.
    pub fn table(&self, database: &str, table: &str) -> Option<&TableGrant> {
        self.tables.get(database)?.get(table)
    }

    /// Of some roles that it has those that it names to be active after a login.
    pub fn default_roles_of(&self, granted: &[RoleGrant]) -> Vec<AccountName> {
        let granted = granted.iter().map(|grant| &grant.role);
        match &self.default_roles {
            DefaultRoles::None => Vec::new(),
            DefaultRoles::All => granted.cloned().collect(),
            DefaultRoles::Some(names) => granted.filter(|r| names.contains(r)).cloned().collect(),
        }
    }
}

impl TableGrant {
    /// Whether nothing is left of it.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.columns.is_empty()
    }

    /// What is granted on a column alone; names of columns compare without case.
    pub fn column(&self, name: &str) -> PrivilegeSet {
        let found = self.columns.iter().find(|(column, _)| column.eq_ignore_ascii_case(name));
        found.map_or(PrivilegeSet::NONE, |(_, set)| *set)
    }

    /// What is granted on some column.
    pub fn any_column(&self) -> PrivilegeSet {
        self.columns.values().fold(PrivilegeSet::NONE, |sum, set| sum.with(*set))
    }
}
