//! What somebody may do: the grants of an account and its active roles, looked up by what is asked.
//!
//! Invariants
//! 1. Privileges on an object are those on everything, on its database and on itself together; of
//!    several patterns that a database is like, the most specific of each grantee counts alone
//!    (MySQL 8.4 manual, 8.2.7).
//! 2. Equal rights have equal numbers, and different ones different numbers, within one process: a
//!    plan that was made under a number is right for all who hold it.
//!
//! Not here: who holds them (`Principal` is made in `grants`), asking at the right places (`sql`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::account::{Account, AccountName, TableGrant};
use crate::host::{is_like, rank};
use crate::privilege::{Privilege, PrivilegeSet, SYSTEM_USER};
use crate::usage::AccountMeter;

/// The number of rights to everything.
pub const UNLIMITED: u64 = 0;

/// The number of `NONE`.
pub const NOTHING: u64 = u64::MAX;

/// No rights at all.
pub static NONE: Rights = Rights {
    number: NOTHING,
    global: PrivilegeSet::NONE,
    dynamic: BTreeSet::new(),
    grantees: Vec::new(),
    active_roles: Vec::new(),
};

/// What somebody may do.
#[derive(Debug)]
pub struct Rights {
    /// The number that stands for them.
    pub number: u64,
    /// On everything.
    global: PrivilegeSet,
    dynamic: BTreeSet<String>,
    grantees: Vec<GranteeRights>,
    /// The roles that are active, without those that these have in turn.
    pub active_roles: Vec<AccountName>,
}

/// What one account or role has on databases and tables.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GranteeRights {
    /// The most specific pattern first.
    databases: Vec<(String, PrivilegeSet)>,
    tables: BTreeMap<String, BTreeMap<String, TableGrant>>,
}

/// What of a table's columns may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnAccess {
    /// All.
    All,
    /// Those that `Rights::has_column` names.
    Some,
    /// None.
    None,
}

/// Whose rights they are.
#[derive(Clone, Debug)]
pub struct Principal {
    /// The account; `None`: one of the settings file, or the server itself.
    pub account: Option<AccountName>,
    /// Active roles.
    pub roles: Vec<AccountName>,
    /// What it may do.
    pub rights: Arc<Rights>,
    /// The version of the accounts that this is from.
    pub version: u64,
    /// When it logged in: seconds since the epoch; 0 for one that never did (a definer).
    pub logged_in_at: u64,
    /// Whether it must set a password first.
    pub is_expired: bool,
    /// What counts what it does; `None`: nothing has a limit.
    pub meter: Option<Arc<AccountMeter>>,
}

impl Rights {
    /// The right to everything.
    pub fn unlimited() -> Rights {
        Rights {
            number: UNLIMITED,
            global: PrivilegeSet::EVERYTHING,
            dynamic: BTreeSet::new(),
            grantees: Vec::new(),
            active_roles: Vec::new(),
        }
    }

    /// Those of an account with roles.
    pub(crate) fn of<'a>(grantees: impl Iterator<Item = &'a Account>, number: u64) -> Rights {
        let mut rights = Rights { number, ..Rights::unlimited() };
        rights.global = PrivilegeSet::NONE;
        for account in grantees {
            rights.global = rights.global.with(account.global);
            rights.dynamic.extend(account.dynamic.keys().cloned());
            let mut databases: Vec<_> =
                account.databases.iter().map(|(name, set)| (name.clone(), *set)).collect();
            databases.sort_by(|a, b| rank(&a.0).cmp(&rank(&b.0)).then_with(|| a.0.cmp(&b.0)));
            let granted = GranteeRights { databases, tables: account.tables.clone() };
            if !rights.grantees.contains(&granted) {
                rights.grantees.push(granted);
            }
        }
        rights
    }

    /// No rights at all.
    pub(crate) fn none() -> Rights {
        Rights { global: PrivilegeSet::NONE, ..Rights::unlimited() }.numbered(NOTHING)
    }

    pub(crate) fn numbered(self, number: u64) -> Rights {
        Rights { number, ..self }
    }

    /// Whether these allow what others do.
    pub(crate) fn is_same(&self, other: &Rights) -> bool {
        self.global == other.global
            && self.dynamic == other.dynamic
            && self.grantees == other.grantees
    }

    /// Whether a privilege is granted on everything.
    #[inline]
    pub fn has_global(&self, privilege: Privilege) -> bool {
        self.global.has(privilege)
    }

    /// What is granted on everything.
    pub fn global(&self) -> PrivilegeSet {
        self.global
    }

    /// Whether a dynamic privilege is granted; SUPER stands for all of them but SYSTEM_USER, which
    /// protects accounts from those who have SUPER, and rights to everything stand for all.
    pub fn has_dynamic(&self, name: &str) -> bool {
        self.number == UNLIMITED
            || self.dynamic.contains(name)
            || self.has_global(Privilege::Super) && name != SYSTEM_USER
    }

    /// What is granted on all of a database.
    pub fn on_database(&self, database: &str) -> PrivilegeSet {
        let most_specific = |granted: &GranteeRights| {
            let found = granted.databases.iter().find(|(pattern, _)| is_like(pattern, database));
            found.map_or(PrivilegeSet::NONE, |(_, set)| *set)
        };
        self.grantees.iter().map(most_specific).fold(self.global, PrivilegeSet::with)
    }

    /// What is granted on all of a table.
    pub fn on_table(&self, database: &str, table: &str) -> PrivilegeSet {
        let of_table = self.grants_on(database, table).map(|grant| grant.whole);
        of_table.fold(self.on_database(database), PrivilegeSet::with)
    }

    /// What is granted on a table or on some of its columns.
    pub fn on_some_of(&self, database: &str, table: &str) -> PrivilegeSet {
        let of_columns = self.grants_on(database, table).map(TableGrant::any_column);
        of_columns.fold(self.on_table(database, table), PrivilegeSet::with)
    }

    fn grants_on(&self, database: &str, table: &str) -> impl Iterator<Item = &TableGrant> {
        self.grantees.iter().filter_map(move |granted| granted.tables.get(database)?.get(table))
    }

    /// Whether a privilege is granted on a column, on its table, or further around.
    pub fn has_column(
        &self,
        database: &str,
        table: &str,
        column: &str,
        privilege: Privilege,
    ) -> bool {
        self.on_table(database, table).has(privilege)
            || self.grants_on(database, table).any(|grant| grant.column(column).has(privilege))
    }

    /// On which of a table's columns a privilege is granted.
    pub fn columns(&self, database: &str, table: &str, privilege: Privilege) -> ColumnAccess {
        if self.on_table(database, table).has(privilege) {
            ColumnAccess::All
        } else if self.on_some_of(database, table).has(privilege) {
            ColumnAccess::Some
        } else {
            ColumnAccess::None
        }
    }

    /// Whether a database may be seen: something is granted on it or within it.
    pub fn sees_database(&self, database: &str) -> bool {
        self.has_global(Privilege::ShowDatabases)
            || !visible(self.on_database(database)).is_empty()
            || self.grantees.iter().any(|granted| {
                granted.tables.get(database).is_some_and(|tables| !tables.is_empty())
            })
    }

    /// Whether a column may be seen: something is granted on it or on all of its table.
    pub fn sees_column(&self, database: &str, table: &str, column: &str) -> bool {
        const OF_COLUMNS: [Privilege; 4] =
            [Privilege::Select, Privilege::Insert, Privilege::Update, Privilege::References];
        OF_COLUMNS.iter().any(|privilege| self.has_column(database, table, column, *privilege))
    }

    /// Whether a table may be seen: something is granted on it or on one of its columns.
    pub fn sees_table(&self, database: &str, table: &str) -> bool {
        !visible(self.on_some_of(database, table)).is_empty()
    }
}

/// What shows that objects are there: privileges that are about objects.
fn visible(set: PrivilegeSet) -> PrivilegeSet {
    let global_only: PrivilegeSet = Privilege::ALL
        .iter()
        .copied()
        .filter(|privilege| privilege.narrowest() == crate::privilege::Level::Global)
        .collect();
    set.without(global_only)
}
