//! Why an expression has no value.
//!
//! Rules of evaluation name their errors by MySQL's numbers (1690: out of range), so they are carried
//! as such; what has no number of its own is 1105, and is a fault of ours.
//!
//! Not here: SQLSTATE, and errors of everything else in a statement (crate `sql`).

use resources::budget::NoMemory;
use values::row::RowError;

/// Most bytes of a message. MySQL cuts at 512.
const MESSAGE_BYTES_MAX: usize = 1024;

/// A message that repeats no megabytes of a value.
#[must_use]
pub fn shortened(mut message: String) -> String {
    if message.len() > MESSAGE_BYTES_MAX {
        message.truncate(message.floor_char_boundary(MESSAGE_BYTES_MAX));
        message.shrink_to_fit();
    }
    message
}

/// Result of an evaluation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It would take long, or has to wait, in an event loop: nothing was done, and the statement is
    /// to be repeated where it may.
    #[error("would take long in an event loop")]
    WouldWait,
    /// A stored row cannot be read.
    #[error(transparent)]
    Row(RowError),
    /// Clients use all memory that they may.
    #[error(transparent)]
    NoMemory(NoMemory),
    /// What MySQL has a number and words for.
    #[error("{message}")]
    Failed {
        /// MySQL's number.
        number: u16,
        /// The words.
        message: String,
    },
}

impl From<RowError> for Error {
    #[cold]
    fn from(error: RowError) -> Error {
        Error::Row(error)
    }
}

impl From<NoMemory> for Error {
    #[cold]
    fn from(error: NoMemory) -> Error {
        Error::NoMemory(error)
    }
}

impl Error {
    /// An error by number.
    pub fn new(number: u16, message: impl Into<String>) -> Error {
        Error::Failed { number, message: message.into() }
    }

    /// 1105: an error without a number of its own.
    pub fn other(message: impl Into<String>) -> Error {
        Error::new(1105, message)
    }

    /// 1305.
    pub fn unknown_function(name: &str) -> Error {
        Error::new(1305, format!("FUNCTION {name} does not exist"))
    }

    /// 1582.
    pub fn parameter_count(name: &str) -> Error {
        let message = format!("Incorrect parameter count in the call to native function '{name}'");
        Error::new(1582, message)
    }

    /// 3158.
    pub fn null_member_name() -> Error {
        Error::new(3158, "JSON documents may not contain NULL member names.")
    }
}
