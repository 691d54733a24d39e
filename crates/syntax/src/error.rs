//! Why a text is no statement.
//!
//! Not here: SQLSTATE, and what else can be wrong with a statement (crate `sql`).

use values::ErrorCode;

/// The largest part of a statement that a syntax error repeats, in characters, as in MySQL.
const NEAR_CHARS_MAX: usize = 80;

/// Result of reading a statement or a part of one.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a text is no statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// What the thread works on is to end (`resources::interrupt`).
    #[error("interrupted")]
    Interrupted,
    /// It has more literals and words than there is memory for.
    #[error("a statement with more literals and words than there is memory for")]
    TooLarge,
    /// What MySQL has a name and words for.
    #[error("{message}")]
    Failed {
        /// Which of MySQL's errors.
        code: ErrorCode,
        /// The words.
        message: String,
    },
}

impl Error {
    /// An error of MySQL's.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Error {
        Error::Failed { code, message: message.into() }
    }

    /// 1064 at a place in the statement.
    pub fn syntax(near: &str, line: u64) -> Error {
        let near: String = near.chars().take(NEAR_CHARS_MAX).collect();
        Error::new(
            ErrorCode::ParseError,
            format!(
                "You have an error in your SQL syntax; check the manual that corresponds to your \
                 MySQL server version for the right syntax to use near '{near}' at line {line}"
            ),
        )
    }

    /// There is no binary log that could begin again.
    pub fn no_log_to_reset() -> Error {
        Error::new(ErrorCode::BinlogClosed, "Binlog closed, cannot RESET MASTER")
    }

    /// 1235: MySQL knows it, this server does not.
    pub fn unsupported(what: impl std::fmt::Display) -> Error {
        Error::new(
            ErrorCode::NotSupportedYet,
            format!("This version of Rowhouse doesn't yet support '{what}'"),
        )
    }
}

/// What is said of a statement whose parts are nested too deeply.
pub fn too_deep() -> Error {
    Error::new(ErrorCode::StackOverrun, "Thread stack overrun: the statement is nested too deeply")
}
