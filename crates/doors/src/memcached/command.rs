//! What can be asked at the memcached door, whichever of the three syntaxes asks, and what can
//! go wrong.
//!
//! Invariants
//! 1. A command borrows its bytes from the input.
//! 2. Expiry times are as the client gave them; `Moment::absolute` reads them.
//!
//! Not here: bytes (`text`, `meta`, `binary`), what commands do (`execute`).

use std::borrow::Cow;

use resources::interrupt;
use rows::Error;

/// Longest key.
pub const KEY_BYTES_MAX: usize = 250;
/// Expiry times above this are absolute Unix seconds; below, seconds from now.
const RELATIVE_MAX: i64 = 60 * 60 * 24 * 30;
/// One above the largest number of 32 bits. Clients that compute in such numbers without sign, as
/// libmemcached does, send -1 as one less than this.
const UNSIGNED_END: i64 = 1 << 32;

/// The present, in Unix seconds.
#[derive(Clone, Copy, Debug)]
pub struct Moment(pub i64);

impl Moment {
    /// A client's expiry time as an absolute Unix second; 0 is never, 1 long ago.
    ///
    /// The last 30 days that 32 bits can count are negative numbers that lost their sign.
    pub fn absolute(self, exptime: i64) -> i64 {
        match exptime {
            0 => 0,
            ..0 => 1,
            1..=RELATIVE_MAX => self.0.saturating_add(exptime),
            _ if (UNSIGNED_END - RELATIVE_MAX..UNSIGNED_END).contains(&exptime) => 1,
            _ => exptime,
        }
    }

    /// Whether an absolute expiry time has come.
    pub fn is_over(self, expires: i64) -> bool {
        expires != 0 && expires <= self.0
    }
}

/// A read.
#[derive(Clone, Debug, Default)]
pub struct Fetch<'a> {
    /// The key.
    pub key: &'a [u8],
    /// New expiry time for the item.
    pub touch: Option<i64>,
    /// Make an empty item with this expiry time when there is none.
    pub vivify: Option<i64>,
    /// Let one client recache the item when fewer seconds remain.
    pub recache: Option<i64>,
    /// Whether stale items and winners are told apart (meta only).
    pub wins: bool,
    /// Whether the access is not to be noted.
    pub unseen: bool,
    /// Whether an item that has expired is shown as well.
    pub expired_too: bool,
    /// Whether `recache` is judged by the expiry time before `touch`.
    pub recache_first: bool,
    /// The cas value to give the item that `touch` or `vivify` writes.
    pub new_cas: Option<u64>,
}

/// How a store treats what is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreMode {
    /// Overwrite.
    #[default]
    Set,
    /// Only when nothing is there.
    Add,
    /// Only when something is there.
    Replace,
    /// Behind what is there; flags and expiry stay.
    Append,
    /// Before what is there; flags and expiry stay.
    Prepend,
}

/// A write of a value.
#[derive(Clone, Debug, Default)]
pub struct Store<'a> {
    /// The key.
    pub key: &'a [u8],
    /// How.
    pub mode: StoreMode,
    /// The client's flags.
    pub flags: u32,
    /// When it expires.
    pub exptime: i64,
    /// The value.
    pub value: &'a [u8],
    /// Only when the item has this cas value.
    pub compare: Option<u64>,
    /// An older cas value stores all the same and marks the item stale.
    pub invalidate: bool,
    /// Append and prepend make the item, with this expiry time.
    pub vivify: Option<i64>,
    /// The cas value to give the item.
    pub new_cas: Option<u64>,
}

/// A removal.
#[derive(Clone, Debug, Default)]
pub struct Delete<'a> {
    /// The key.
    pub key: &'a [u8],
    /// Only when the item has this cas value.
    pub compare: Option<u64>,
    /// Mark it stale instead.
    pub invalidate: bool,
    /// Blank its value and flags instead.
    pub blank: bool,
    /// With `invalidate` or `blank`: the new expiry time.
    pub touch: Option<i64>,
    /// With `invalidate` or `blank`: the cas value to give the item.
    pub new_cas: Option<u64>,
}

/// Arithmetic.
#[derive(Clone, Debug, Default)]
pub struct Count<'a> {
    /// The key.
    pub key: &'a [u8],
    /// Whether to count down.
    pub down: bool,
    /// By how much.
    pub delta: u64,
    /// Value and expiry time of the item made when there is none.
    pub initial: Option<(u64, i64)>,
    /// New expiry time for the item.
    pub touch: Option<i64>,
    /// Only when the item has this cas value.
    pub compare: Option<u64>,
    /// The cas value to give the item.
    pub new_cas: Option<u64>,
}

/// How a write ended when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// Done; the item now has this cas value.
    Done(u64),
    /// There is no such item.
    Missing,
    /// The cas value does not fit.
    Exists,
    /// The mode forbids it.
    NotStored,
}

/// What `Store` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOutcome {
    /// How it ended.
    pub outcome: WriteOutcome,
    /// Bytes of the item's value when it was stored, and of the value that came when it was not.
    pub value_bytes: usize,
}

/// What `Count` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountOutcome {
    /// The number now.
    pub number: u64,
    /// Cas value of the item.
    pub cas: u64,
    /// Expiry time of the item before this request, absolute; 0 in an item that it made.
    pub expires_before: i64,
    /// Whether this request made it.
    pub made: bool,
}

/// An item as a reader sees it.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Its value.
    pub value: &'a [u8],
    /// The client's flags.
    pub flags: u32,
    /// Absolute Unix second, 0 for never.
    pub expires: i64,
    /// The same before this request; 0 in an item that it made.
    pub expires_before: i64,
    /// Whether this request made it.
    pub made: bool,
    /// Its cas value.
    pub cas: u64,
    /// Whether it is marked stale.
    pub stale: bool,
    /// Whether this reader is the one to refresh it.
    pub won: bool,
    /// Whether another reader was told to refresh it.
    pub taken: bool,
    /// Whether it was read since it was written.
    pub hit_before: bool,
    /// Seconds since it was last used.
    pub idle: i64,
}

/// An error reply, in no syntax yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemcachedRefusal {
    /// The value is above the limit.
    TooLarge,
    /// Arithmetic on something that is no number.
    NotNumeric,
    /// The client may not do that.
    Denied,
    /// The client's fault, as a sentence.
    Client(Cow<'static, str>),
    /// Ours, as a sentence.
    Server(Cow<'static, str>),
}

/// Why a command was not answered by its result.
#[derive(Debug)]
pub enum MemcachedTrouble {
    /// With an error reply.
    Refused(MemcachedRefusal),
    /// Not at all: it must be repeated where waiting is allowed, or after the commit.
    Wait,
    /// A table changed after it was looked up: repeat at once.
    Outdated,
}

impl From<MemcachedRefusal> for MemcachedTrouble {
    fn from(refusal: MemcachedRefusal) -> MemcachedTrouble {
        MemcachedTrouble::Refused(refusal)
    }
}

impl From<Error> for MemcachedTrouble {
    fn from(error: Error) -> MemcachedTrouble {
        match error {
            Error::WouldWait(_) => MemcachedTrouble::Wait,
            Error::SchemaChanged => MemcachedTrouble::Outdated,
            other => MemcachedTrouble::Refused(refusal_for(&other)),
        }
    }
}

/// An engine error in memcached's words.
pub fn refusal_for(error: &Error) -> MemcachedRefusal {
    let server = |words: &'static str| MemcachedRefusal::Server(Cow::Borrowed(words));
    match error {
        Error::TooLarge { .. } => MemcachedRefusal::TooLarge,
        Error::Value { column, .. } => {
            MemcachedRefusal::Client(format!("value does not fit column {column}").into())
        }
        Error::NullValue { column } | Error::NullsKept { column } => {
            MemcachedRefusal::Client(format!("column {column} cannot be null").into())
        }
        Error::Check { name, .. } => {
            MemcachedRefusal::Client(format!("value is against constraint {name}").into())
        }
        Error::NoParent { key, .. } => {
            let words = format!("value is against foreign key {}", key.name);
            MemcachedRefusal::Client(words.into())
        }
        Error::HasChildren { key, .. } => {
            MemcachedRefusal::Client(format!("item is needed by foreign key {}", key.name).into())
        }
        Error::CascadeTooDeep { .. } => {
            MemcachedRefusal::Client("foreign keys are nested too deep".into())
        }
        Error::CascadeDuplicate { index, .. } => {
            MemcachedRefusal::Client(format!("duplicate entry for key {index}").into())
        }
        // Its words may have the value in them, and the value a line's end.
        Error::Expression(_) => {
            MemcachedRefusal::Client("an expression of the table has no value".into())
        }
        Error::Duplicate { index, .. } => {
            MemcachedRefusal::Client(format!("duplicate entry for key {index}").into())
        }
        Error::LockTimeout if interrupt::is_wanted() => server("query execution was interrupted"),
        Error::LockTimeout | Error::WouldWait(_) | Error::LockedForReading { .. } => {
            server("row is locked, try again")
        }
        Error::Conflict => server("write conflict, try again"),
        Error::SchemaChanged => server("table definition changed, try again"),
        Error::NotFound { name, .. } => {
            MemcachedRefusal::Server(format!("no such table {name}").into())
        }
        Error::Exists { .. } | Error::Definition { .. } => server("bad table definition"),
        Error::NoMemory | Error::TransactionTooLarge { .. } => {
            server("out of memory storing object")
        }
        Error::Exhausted => server("auto-increment exhausted"),
        Error::Refused { why } => {
            MemcachedRefusal::Server(format!("not accepting writes: {why}").into())
        }
        Error::Newer { .. } => server("data of a newer version"),
        Error::DiskFull { .. } => server("disk full"),
        Error::Corrupt { .. } => server("stored bytes are damaged"),
        Error::Store { .. } => server("store failed"),
    }
}
