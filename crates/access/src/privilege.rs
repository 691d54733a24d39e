//! The privileges there are: their names, the levels at which each can be granted, and sets of
//! them.
//!
//! Invariants
//! 1. The order of the table is that in which MySQL shows privileges (SHOW GRANTS of 9.7).
//! 2. Stored sets are lists of names, so that the order may change.
//!
//! Not here: to whom they are granted (`account`).

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a privilege is granted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Everything: `*.*`.
    Global,
    /// A database, or all that are like a pattern.
    Database,
    /// A table.
    Table,
    /// A column.
    Column,
}

/// Makes the table: a name, the words, and the narrowest level.
macro_rules! table {
    ($($name:ident $words:literal $level:ident;)*) => {
        /// A privilege.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Privilege {
            $(
                #[doc = concat!("`", $words, "`.")]
                $name,
            )*
        }

        impl Privilege {
            /// All of them, in the order in which they are shown.
            pub const ALL: &'static [Privilege] = &[$(Privilege::$name),*];

            /// As statements call it.
            pub const fn words(self) -> &'static str {
                match self {
                    $(Privilege::$name => $words,)*
                }
            }

            /// The narrowest level at which it can be granted.
            pub const fn narrowest(self) -> Level {
                match self {
                    $(Privilege::$name => Level::$level,)*
                }
            }
        }
    };
}

table! {
    Select "SELECT" Column;
    Insert "INSERT" Column;
    Update "UPDATE" Column;
    Delete "DELETE" Table;
    Create "CREATE" Table;
    Drop "DROP" Table;
    Reload "RELOAD" Global;
    Shutdown "SHUTDOWN" Global;
    Process "PROCESS" Global;
    File "FILE" Global;
    References "REFERENCES" Column;
    Index "INDEX" Table;
    Alter "ALTER" Table;
    ShowDatabases "SHOW DATABASES" Global;
    Super "SUPER" Global;
    CreateTemporaryTables "CREATE TEMPORARY TABLES" Database;
    LockTables "LOCK TABLES" Database;
    Execute "EXECUTE" Database;
    ReplicationSlave "REPLICATION SLAVE" Global;
    ReplicationClient "REPLICATION CLIENT" Global;
    CreateView "CREATE VIEW" Table;
    ShowView "SHOW VIEW" Table;
    CreateRoutine "CREATE ROUTINE" Database;
    AlterRoutine "ALTER ROUTINE" Database;
    CreateUser "CREATE USER" Global;
    Event "EVENT" Database;
    Trigger "TRIGGER" Table;
    CreateTablespace "CREATE TABLESPACE" Global;
    CreateRole "CREATE ROLE" Global;
    DropRole "DROP ROLE" Global;
    GrantOption "GRANT OPTION" Table;
}

/// Dynamic privileges: those of MySQL 9.7 that say something about this server, and those that
/// dumps of its accounts name.
pub const DYNAMIC: &[&str] = &[
    "ALLOW_NONEXISTENT_DEFINER",
    "APPLICATION_PASSWORD_ADMIN",
    "AUDIT_ABORT_EXEMPT",
    "AUDIT_ADMIN",
    "AUTHENTICATION_POLICY_ADMIN",
    "BACKUP_ADMIN",
    "BINLOG_ADMIN",
    "BINLOG_ENCRYPTION_ADMIN",
    "CLONE_ADMIN",
    "CONNECTION_ADMIN",
    "CREATE_SPATIAL_REFERENCE_SYSTEM",
    "ENCRYPTION_KEY_ADMIN",
    "FIREWALL_EXEMPT",
    "FLUSH_OPTIMIZER_COSTS",
    "FLUSH_PRIVILEGES",
    "FLUSH_STATUS",
    "FLUSH_TABLES",
    "FLUSH_USER_RESOURCES",
    "GROUP_REPLICATION_ADMIN",
    "GROUP_REPLICATION_STREAM",
    "INNODB_REDO_LOG_ARCHIVE",
    "INNODB_REDO_LOG_ENABLE",
    "MANAGE_DATA_MASKING_POLICY",
    "OPTIMIZE_LOCAL_TABLE",
    "PASSWORDLESS_USER_ADMIN",
    "PERSIST_RO_VARIABLES_ADMIN",
    "REPLICATION_APPLIER",
    "REPLICATION_SLAVE_ADMIN",
    "RESOURCE_GROUP_ADMIN",
    "RESOURCE_GROUP_USER",
    "ROLE_ADMIN",
    "SENSITIVE_VARIABLES_OBSERVER",
    "SERVICE_CONNECTION_ADMIN",
    "SESSION_VARIABLES_ADMIN",
    "SET_ANY_DEFINER",
    "SHOW_ROUTINE",
    "SYSTEM_USER",
    "SYSTEM_VARIABLES_ADMIN",
    "TABLE_ENCRYPTION_ADMIN",
    "TELEMETRY_LOG_ADMIN",
    "TRANSACTION_GTID_TAG",
    "XA_RECOVER_ADMIN",
];

/// The dynamic privilege whose holders are changed by nobody without it.
pub const SYSTEM_USER: &str = "SYSTEM_USER";

/// The dynamic privilege of a name in any case.
pub fn dynamic(name: &str) -> Option<&'static str> {
    DYNAMIC.iter().copied().find(|known| known.eq_ignore_ascii_case(name))
}

impl Privilege {
    /// Whether it can be granted at a level.
    pub fn is_of(self, level: Level) -> bool {
        level <= self.narrowest()
    }

    const fn bit(self) -> u64 {
        1 << self as u64
    }
}

/// Some privileges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PrivilegeSet(u64);

impl PrivilegeSet {
    /// None.
    pub const NONE: PrivilegeSet = PrivilegeSet(0);
    /// All, GRANT OPTION too.
    pub const EVERYTHING: PrivilegeSet = PrivilegeSet(u64::MAX);

    /// One.
    pub const fn of(privilege: Privilege) -> PrivilegeSet {
        PrivilegeSet(privilege.bit())
    }

    /// What ALL means at a level: GRANT OPTION is not part of it.
    pub fn all(level: Level) -> PrivilegeSet {
        let of_level = |privilege: &&Privilege| {
            privilege.is_of(level) && **privilege != Privilege::GrantOption
        };
        Privilege::ALL.iter().filter(of_level).copied().collect()
    }

    /// Whether one is in it.
    #[inline]
    pub const fn has(self, privilege: Privilege) -> bool {
        self.0 & privilege.bit() != 0
    }

    /// Whether all of another are in it.
    pub const fn has_all(self, other: PrivilegeSet) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of another is in it.
    pub const fn has_any(self, other: PrivilegeSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it has none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those of both.
    pub const fn with(self, other: PrivilegeSet) -> PrivilegeSet {
        PrivilegeSet(self.0 | other.0)
    }

    /// Without those of another.
    pub const fn without(self, other: PrivilegeSet) -> PrivilegeSet {
        PrivilegeSet(self.0 & !other.0)
    }

    /// Those in it, in the order in which they are shown.
    pub fn iter(self) -> impl Iterator<Item = Privilege> {
        Privilege::ALL.iter().copied().filter(move |privilege| self.has(*privilege))
    }
}

impl FromIterator<Privilege> for PrivilegeSet {
    fn from_iter<I: IntoIterator<Item = Privilege>>(privileges: I) -> PrivilegeSet {
        let one = |sum: PrivilegeSet, privilege| sum.with(PrivilegeSet::of(privilege));
        privileges.into_iter().fold(PrivilegeSet::NONE, one)
    }
}

impl Serialize for PrivilegeSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Privilege::words))
    }
}

impl<'de> Deserialize<'de> for PrivilegeSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PrivilegeSet, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        let one = |name: &String| {
            let mut all = Privilege::ALL.iter().copied();
            all.find(|privilege| privilege.words() == name)
                .ok_or_else(|| D::Error::custom(format!("unknown privilege {name}")))
        };
        names.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_stored_by_names() {
        let set: PrivilegeSet = [Privilege::Select, Privilege::GrantOption].into_iter().collect();
        let stored = serde_json::to_string(&set).unwrap();
        assert_eq!(stored, r#"["SELECT","GRANT OPTION"]"#);
        assert_eq!(serde_json::from_str::<PrivilegeSet>(&stored).unwrap(), set);
        assert!(serde_json::from_str::<PrivilegeSet>(r#"["FLY"]"#).is_err());
    }

    #[test]
    fn all_is_what_can_be_granted_at_a_level() {
        let all = PrivilegeSet::all(Level::Column);
        let words: Vec<&str> = all.iter().map(Privilege::words).collect();
        assert_eq!(words, ["SELECT", "INSERT", "UPDATE", "REFERENCES"]);
        assert!(!PrivilegeSet::all(Level::Global).has(Privilege::GrantOption));
        assert!(PrivilegeSet::all(Level::Database).has(Privilege::Event));
        assert!(!PrivilegeSet::all(Level::Database).has(Privilege::File));
    }
}
