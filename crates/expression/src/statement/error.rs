//! Why an expression has no value.
//!
//! Rules of evaluation name their errors as MySQL does (`DataOutOfRange`), so they are carried as
//! such; what MySQL has no name for is `UnknownError`, and is a fault of ours.
//!
//! Not here: numbers and SQLSTATE (`values::error_code`), and errors of everything else in a
//! statement (crate `sql`).

use std::sync::Arc;

use resources::budget::NoMemory;
use values::ErrorCode;
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
    /// The values that the statement holds together are more than it may have of that memory.
    #[error("the values of this statement need more memory than it may have")]
    ValuesTooLarge,
    /// A query that is a part of the expression failed in a way that only its runner knows what to
    /// do about.
    #[error(transparent)]
    Query(QueryError),
    /// What MySQL has a name and words for.
    #[error("{message}")]
    Failed {
        /// Which of MySQL's errors.
        code: ErrorCode,
        /// The words.
        message: String,
    },
}

/// An error of whoever runs queries within expressions, which passes through evaluation unchanged.
#[derive(Clone, Debug)]
pub struct QueryError(pub Arc<dyn std::error::Error + Send + Sync>);

impl std::fmt::Display for QueryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for QueryError {}

impl PartialEq for QueryError {
    fn eq(&self, other: &QueryError) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for QueryError {}

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
    /// An error of MySQL's.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Error {
        Error::Failed { code, message: message.into() }
    }

    /// 1105: an error without a number of its own.
    pub fn other(message: impl Into<String>) -> Error {
        Error::new(ErrorCode::UnknownError, message)
    }

    /// 1305.
    pub fn unknown_function(name: &str) -> Error {
        Error::new(ErrorCode::SpDoesNotExist, format!("FUNCTION {name} does not exist"))
    }

    /// 1582.
    pub fn parameter_count(name: &str) -> Error {
        let message = format!("Incorrect parameter count in the call to native function '{name}'");
        Error::new(ErrorCode::WrongParamcountToNativeFct, message)
    }

    /// 1318: as 1582, of a function in a schema.
    pub fn argument_count(name: &str, expected: usize, given: usize) -> Error {
        let message = format!(
            "Incorrect number of arguments for FUNCTION {name}; expected {expected}, got {given}"
        );
        Error::new(ErrorCode::SpWrongNoOfArgs, message)
    }

    /// 3158.
    pub fn null_member_name() -> Error {
        Error::new(
            ErrorCode::JsonDocumentNullKey,
            "JSON documents may not contain NULL member names.",
        )
    }
}
