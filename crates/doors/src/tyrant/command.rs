//! What can be asked in the binary protocol, and what can go wrong in any.
//!
//! Invariants
//! 1. A command borrows its bytes from the input.
//!
//! Not here: bytes (`decode`), what commands do (`execute`).

use std::borrow::Cow;

use rows::Error;

use crate::memcached::command as memcached;
use crate::tyrant::call::Call;

/// How a record is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutMode {
    /// Whatever is there.
    Over,
    /// Only when nothing is there.
    Keep,
    /// Behind what is there.
    Concatenate,
    /// Behind what is there, of which only so many last bytes stay.
    Shift(usize),
    /// Only when something is there.
    Replace,
    /// Behind what is there, if something is.
    Append,
    /// Before what is there, if something is.
    Prepend,
}

/// Keys, or arguments: each with its length in front, checked when they were decoded.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    bytes: &'a [u8],
    count: usize,
}

impl<'a> List<'a> {
    /// A list whose lengths are known to fit.
    pub(super) fn new(bytes: &'a [u8], count: usize) -> List<'a> {
        List { bytes, count }
    }

    /// The elements of an answer that `CountedReply` wrote.
    pub(super) fn of_answer(answer: &[u8], count: usize) -> List<'_> {
        List { bytes: &answer[5..], count }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Bytes of all of them, lengths included.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.bytes;
        std::iter::from_fn(move || {
            let (length, behind) = rest.split_first_chunk()?;
            let (item, behind) = behind.split_at(u32::from_be_bytes(*length) as usize);
            rest = behind;
            Some(item)
        })
    }
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub enum TyrantCommand<'a> {
    /// `put` and its kin.
    Put {
        /// How.
        mode: PutMode,
        /// The key.
        key: &'a [u8],
        /// The value.
        value: &'a [u8],
        /// Whether it is answered at all: `putnr` is not.
        answered: bool,
    },
    /// `out`: removes a record.
    Out(&'a [u8]),
    /// `get`.
    Get(&'a [u8]),
    /// `mget`.
    GetMany(List<'a>),
    /// `vsiz`: bytes of a value.
    ValueSize(&'a [u8]),
    /// `iterinit`.
    IterateFromStart,
    /// `iternext`.
    IterateNext,
    /// `fwmkeys`: keys that begin so.
    ForwardMatching {
        /// How they begin.
        prefix: &'a [u8],
        /// How many at most.
        keys_max: usize,
    },
    /// `addint`.
    AddInteger {
        /// The key.
        key: &'a [u8],
        /// By how much.
        by: i32,
    },
    /// `adddouble`.
    AddDouble {
        /// The key.
        key: &'a [u8],
        /// By how much.
        by: f64,
    },
    /// `ext`: a function of a script.
    Call(Call<'a>),
    /// `sync`.
    Sync,
    /// `optimize`.
    Optimize,
    /// `vanish`: removes all records.
    Vanish,
    /// `copy`: a backup, or a program to run.
    Copy(&'a [u8]),
    /// `restore`: from an update log.
    Restore,
    /// `setmst`: become the replica of a server.
    SetMaster,
    /// `rnum`: number of records.
    RecordCount,
    /// `size`: bytes of the database.
    DatabaseSize,
    /// `stat`.
    Stat,
    /// `misc`: a function by its name.
    Misc {
        /// Its name.
        name: &'a [u8],
        /// What it is given.
        arguments: List<'a>,
    },
    /// `repl`: feed a replica.
    Replicate,
}

impl TyrantCommand<'_> {
    /// Whether it changes records, as far as it says; a function of a script may.
    pub fn is_update(&self) -> bool {
        match self {
            TyrantCommand::Put { .. }
            | TyrantCommand::Out(_)
            | TyrantCommand::AddInteger { .. }
            | TyrantCommand::AddDouble { .. }
            | TyrantCommand::Call(_)
            | TyrantCommand::Optimize
            | TyrantCommand::Vanish
            | TyrantCommand::Restore => true,
            TyrantCommand::Misc { name, arguments } => {
                let begins = [&b"put"[..], b"out", b"add", b"vanish", b"setindex", b"optimize"];
                begins.iter().any(|word| name.starts_with(word))
                    || *name == b"search" && arguments.iter().any(|argument| argument == b"out")
            }
            TyrantCommand::Get(_)
            | TyrantCommand::GetMany(_)
            | TyrantCommand::ValueSize(_)
            | TyrantCommand::IterateFromStart
            | TyrantCommand::IterateNext
            | TyrantCommand::ForwardMatching { .. }
            | TyrantCommand::Sync
            | TyrantCommand::Copy(_)
            | TyrantCommand::SetMaster
            | TyrantCommand::RecordCount
            | TyrantCommand::DatabaseSize
            | TyrantCommand::Stat
            | TyrantCommand::Replicate => false,
        }
    }

    /// What the log calls it: as the original's statistics do, and a function by its name.
    pub fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            TyrantCommand::Put { answered: false, .. } => "putnr",
            TyrantCommand::Put { mode, .. } => match mode {
                PutMode::Over | PutMode::Replace | PutMode::Prepend => "put",
                PutMode::Keep => "putkeep",
                PutMode::Concatenate | PutMode::Append => "putcat",
                PutMode::Shift(_) => "putshl",
            },
            TyrantCommand::Out(_) => "out",
            TyrantCommand::Get(_) => "get",
            TyrantCommand::GetMany(_) => "mget",
            TyrantCommand::ValueSize(_) => "vsiz",
            TyrantCommand::IterateFromStart => "iterinit",
            TyrantCommand::IterateNext => "iternext",
            TyrantCommand::ForwardMatching { .. } => "fwmkeys",
            TyrantCommand::AddInteger { .. } => "addint",
            TyrantCommand::AddDouble { .. } => "adddouble",
            TyrantCommand::Call(call) => return String::from_utf8_lossy(call.name),
            TyrantCommand::Sync => "sync",
            TyrantCommand::Optimize => "optimize",
            TyrantCommand::Vanish => "vanish",
            TyrantCommand::Copy(_) => "copy",
            TyrantCommand::Restore => "restore",
            TyrantCommand::SetMaster => "setmst",
            TyrantCommand::RecordCount => "rnum",
            TyrantCommand::DatabaseSize => "size",
            TyrantCommand::Stat => "stat",
            TyrantCommand::Misc { name, .. } => return String::from_utf8_lossy(name),
            TyrantCommand::Replicate => "repl",
        })
    }
}

/// Why a command failed. In the protocol all of these are code 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TyrantFailure {
    /// There is no such record.
    Missing,
    /// There is such a record already, or it does not hold what the command needs.
    Exists,
    /// The client may not do that.
    Denied,
    /// The client's account is at a limit, as a sentence.
    Limited(String),
    /// It will not be done here, as a sentence.
    Refused(&'static str),
    /// It makes no sense, as a sentence.
    Invalid(Cow<'static, str>),
    /// Our fault or the machine's, as a sentence.
    Server(Cow<'static, str>),
}

impl TyrantFailure {
    /// The number and words by which Tokyo Cabinet calls it.
    pub fn words(&self) -> (u16, &str) {
        match self {
            TyrantFailure::Missing => (22, "no record found"),
            TyrantFailure::Exists => (21, "existing record"),
            TyrantFailure::Denied => (2, "access denied"),
            TyrantFailure::Limited(why) => (2, why),
            TyrantFailure::Refused(why) => (2, why),
            TyrantFailure::Invalid(why) => (2, why),
            TyrantFailure::Server(why) => (9999, why),
        }
    }
}

/// Why a command was not answered by its result.
#[derive(Debug)]
pub enum TyrantTrouble {
    /// It failed.
    Failed(TyrantFailure),
    /// Not at all: it must be repeated where waiting is allowed, or after the commit.
    Wait,
    /// A table changed after it was looked up: repeat at once.
    Outdated,
    /// The connection ends without an answer.
    Close,
}

impl From<TyrantFailure> for TyrantTrouble {
    fn from(failure: TyrantFailure) -> TyrantTrouble {
        TyrantTrouble::Failed(failure)
    }
}

impl From<Error> for TyrantTrouble {
    fn from(error: Error) -> TyrantTrouble {
        match error {
            Error::WouldWait(_) => TyrantTrouble::Wait,
            Error::SchemaChanged => TyrantTrouble::Outdated,
            other => TyrantTrouble::Failed(failure_for(&other)),
        }
    }
}

/// An engine error in the words that this door shares with memcached's.
pub fn failure_for(error: &Error) -> TyrantFailure {
    memcached::refusal_for(error).into()
}

impl From<memcached::MemcachedRefusal> for TyrantFailure {
    fn from(refusal: memcached::MemcachedRefusal) -> TyrantFailure {
        match refusal {
            memcached::MemcachedRefusal::TooLarge => {
                TyrantFailure::Invalid("record too large".into())
            }
            memcached::MemcachedRefusal::NotNumeric => TyrantFailure::Exists,
            memcached::MemcachedRefusal::Denied => TyrantFailure::Denied,
            memcached::MemcachedRefusal::Client(why) => TyrantFailure::Invalid(why),
            memcached::MemcachedRefusal::Server(why) => TyrantFailure::Server(why),
        }
    }
}
