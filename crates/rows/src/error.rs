//! Why a row operation did not happen, sorted by what the caller can do about it.
//!
//! Invariants
//! 1. Unless a variant says otherwise nothing was written.
//! 2. Doors translate every variant into their own words by an exhaustive `match`; none prints
//!    this type's text to a client as it is, except inside a server-error message.
//!
//! Not here: "incomplete input", which is a decoder's result and no error.

use std::fmt;

use resources::budget::NoMemory;
use resources::disk_room::is_disk_full;
use resources::spill::SpillFailure;
use values::convert::Issue;
use values::key::DamagedKey;
use values::row::RowError;

use crate::broken_rule::BrokenRule;
use crate::foreign_key::ForeignKey;
pub use crate::thing::Thing;

/// What stands in the way of a request that may not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The bytes are not in memory.
    Disk,
    /// Another writer holds the row.
    Lock,
    /// A schema change is under way on the table.
    Schema,
    /// The table is in cache mode and full; rows are leaving.
    Room,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wait::Disk => "a disk",
            Wait::Lock => "a row lock",
            Wait::Schema => "a schema change",
            Wait::Room => "room in the table",
        })
    }
}

impl Error {
    /// Whether it is about a row that has no partition, or one that its statement does not name.
    pub fn is_of_partition(&self) -> bool {
        use values::ErrorCode::{NoPartitionForValue, RowDoesNotMatchGivenPartitionSet};
        let codes = [NoPartitionForValue, RowDoesNotMatchGivenPartitionSet];
        matches!(self, Error::Expression(expression::Error::Failed { code, .. })
            if codes.contains(code))
    }

    /// The same, of bytes that were found under a key.
    #[must_use]
    pub fn at(self, key: &[u8]) -> Error {
        match self {
            Error::Corrupt { why, .. } => Error::Corrupt { key: key.to_vec(), why },
            error => error,
        }
    }
}

/// An error of a caller that is asked about rows, and ends their operation with it.
pub trait CallerError: From<Error> {
    /// Whether the operation will be repeated where it may wait.
    fn would_wait(&self) -> bool;
}

impl CallerError for Error {
    fn would_wait(&self) -> bool {
        matches!(self, Error::WouldWait(_))
    }
}

impl From<DamagedKey> for Error {
    #[cold]
    fn from(DamagedKey { why }: DamagedKey) -> Error {
        Error::Corrupt { key: Vec::new(), why }
    }
}

impl From<RowError> for Error {
    #[cold]
    fn from(error: RowError) -> Error {
        match error {
            RowError::Damaged { why } => Error::Corrupt { key: Vec::new(), why },
            RowError::Later => Error::SchemaChanged,
        }
    }
}

impl From<expression::Error> for Error {
    #[cold]
    fn from(error: expression::Error) -> Error {
        match error {
            expression::Error::Row(error) => error.into(),
            expression::Error::NoMemory(error) => error.into(),
            error => Error::Expression(error),
        }
    }
}

impl From<BrokenRule> for Error {
    #[cold]
    fn from(rule: BrokenRule) -> Error {
        Error::Definition(rule)
    }
}

impl From<NoMemory> for Error {
    #[cold]
    fn from(_: NoMemory) -> Error {
        Error::NoMemory
    }
}

impl From<SpillFailure> for Error {
    #[cold]
    fn from(failure: SpillFailure) -> Error {
        match is_disk_full(&failure.source) {
            true => Error::DiskFull { source: Box::new(failure.source) },
            false => Error::Store {
                doing: failure.doing,
                applied: Some(false),
                source: Box::new(failure.source),
            },
        }
    }
}

/// Result of a row operation; one that asks its caller about rows ends with the caller's own errors
/// as well.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a row operation did not happen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request may not wait here and would have to: repeat it where waiting is allowed.
    #[error("would wait for {0}")]
    WouldWait(Wait),
    /// The row's lock was not had in time. The caller may retry the transaction's last step.
    #[error("lock wait timeout")]
    LockTimeout,
    /// Waiting would have closed a circle of waiters, or the row changed under an optimistic
    /// store. The caller may retry the whole transaction.
    #[error("deadlock or write conflict")]
    Conflict,
    /// The table changed since the handle was opened; open it again.
    #[error("table definition changed")]
    SchemaChanged,
    /// The caller has the table locked for reading itself.
    #[error("{table} is locked for reading by whoever writes to it")]
    LockedForReading {
        /// The table, as `db.table`.
        table: String,
    },
    /// Another row has this key in a unique index.
    #[error("duplicate entry for key '{index}'")]
    Duplicate {
        /// Name of the table.
        table: String,
        /// Name of the index, `PRIMARY` for the primary key.
        index: String,
        /// The key columns' values as MySQL prints them, joined by `-`.
        entry: String,
    },
    /// A named thing does not exist.
    #[error("no such {what}: {name}")]
    NotFound {
        /// Its kind.
        what: Thing,
        /// Its name, tables as `db.table`.
        name: String,
    },
    /// A named thing exists already.
    #[error("{what} exists: {name}")]
    Exists {
        /// Its kind.
        what: Thing,
        /// Its name, tables as `db.table`.
        name: String,
    },
    /// A value does not fit its column.
    #[error("bad value for column '{column}': {issue:?}")]
    Value {
        /// The column's name.
        column: String,
        /// What is wrong.
        issue: Issue,
        /// The value as a text, of which messages show the beginning.
        value: String,
    },
    /// A NULL for a column that is NOT NULL.
    #[error("column '{column}' cannot be null")]
    NullValue {
        /// The column's name.
        column: String,
    },
    /// NULLs in a column of rows that are there, and that ALTER TABLE makes NOT NULL.
    #[error("column '{column}' has NULLs")]
    NullsKept {
        /// The column's name.
        column: String,
    },
    /// A row for which a condition of its table (CHECK) is false.
    #[error("condition '{name}' of {table} does not hold")]
    Check {
        /// The condition's name.
        name: String,
        /// The table, as `db.table`.
        table: String,
        /// Whether a view says so, which then has the name (`db.view`), of what is written through
        /// it.
        is_of_view: bool,
    },
    /// A row refers to one that is not there (FOREIGN KEY).
    #[error("foreign key '{name}' of {table} refers to a row that is not there", name = key.name)]
    NoParent {
        /// The table of the row, as `db.table`.
        table: String,
        /// Its foreign key.
        key: Box<ForeignKey>,
    },
    /// A row would go, or get another key, that others refer to (FOREIGN KEY).
    #[error("foreign key '{name}' of {table} refers to the row", name = key.name)]
    HasChildren {
        /// The table whose rows do, as `db.table`.
        table: String,
        /// Its foreign key.
        key: Box<ForeignKey>,
    },
    /// Rows would follow rows that follow rows, too often.
    #[error("rows that foreign keys make follow each other do so more than {depth_max} times")]
    CascadeTooDeep {
        /// How often they may.
        depth_max: usize,
    },
    /// A row that is to follow another one's key would have the key of a third.
    #[error("a row of {child} that follows one of {parent} is a duplicate for key '{index}'")]
    CascadeDuplicate {
        /// The table whose row has another key.
        parent: String,
        /// The table whose row is to follow.
        child: String,
        /// Name of the child's index.
        index: String,
        /// The key columns' values, as of `Duplicate`.
        entry: String,
    },
    /// An expression of a table's definition has no value, or is none.
    #[error("{0}")]
    Expression(expression::Error),
    /// A definition of a table breaks a rule.
    #[error("{0}")]
    Definition(BrokenRule),
    /// The request broke a stated limit; retrying cannot help.
    #[error("{what} of {bytes} bytes is above the limit of {bytes_max} bytes")]
    TooLarge {
        /// What was too large.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// The memory that clients together may use is in use (`budget`). Nothing was done.
    #[error("out of memory: clients use all that the server may give them")]
    NoMemory,
    /// What a transaction has locked and written leaves no memory for more, whatever was moved to
    /// temporary files. Rolled back, it gives all of it back.
    #[error(
        "the transaction holds {locks} row locks and {bytes} bytes of memory, and the server's \
         'memory' leaves no room for more"
    )]
    TransactionTooLarge {
        /// Row locks that it holds.
        locks: usize,
        /// Its bytes of memory.
        bytes: usize,
    },
    /// AUTO_INCREMENT has no further value in the column's range.
    #[error("auto-increment column exhausted")]
    Exhausted,
    /// The server is stopping or the store refuses writes since an earlier failure.
    #[error("not accepting writes: {why}")]
    Refused {
        /// Why, as a sentence part.
        why: &'static str,
    },
    /// What is stored has a later format than this version knows.
    #[error(
        "{what} has format {found}, and this version of rowhouse, {version}, knows formats up to {known}: \
         it was written by a newer version",
        version = env!("CARGO_PKG_VERSION")
    )]
    Newer {
        /// What is stored.
        what: &'static str,
        /// Its format.
        found: u32,
        /// The last one that is known.
        known: u32,
    },
    /// Stored bytes do not decode. Our fault, never the client's.
    #[error("stored bytes are damaged: {why}")]
    Corrupt {
        /// Key of the damaged entry, empty when unknown.
        key: Vec<u8>,
        /// What does not hold.
        why: &'static str,
    },
    /// The disk is full. What was acknowledged is untouched, reads go on, and the write may be
    /// repeated when there is space again.
    #[error("the disk is full: {source}")]
    DiskFull {
        /// The store's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The store failed. `applied` is `None` when nobody can know whether the write took place.
    #[error("store failed while {doing}: {source}")]
    Store {
        /// What was being done.
        doing: &'static str,
        /// Whether the write took place, if known.
        applied: Option<bool>,
        /// The store's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
