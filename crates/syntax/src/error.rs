//! Why a text is no statement.
//!
//! Not here: SQLSTATE, and what else can be wrong with a statement (crate `sql`).

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
    /// What MySQL has a number and words for.
    #[error("{message}")]
    Failed {
        /// MySQL's number.
        number: u16,
        /// The words.
        message: String,
    },
}

impl Error {
    /// An error by number.
    pub fn new(number: u16, message: impl Into<String>) -> Error {
        Error::Failed { number, message: message.into() }
    }

    /// 1064 at a place in the statement.
    pub fn syntax(near: &str, line: u64) -> Error {
        let near: String = near.chars().take(NEAR_CHARS_MAX).collect();
        Error::new(
            1064,
            format!(
                "You have an error in your SQL syntax; check the manual that corresponds to your \
                 MySQL server version for the right syntax to use near '{near}' at line {line}"
            ),
        )
    }

    /// 1235: MySQL knows it, this server does not.
    pub fn unsupported(what: impl std::fmt::Display) -> Error {
        Error::new(1235, format!("This version of Rowhouse doesn't yet support '{what}'"))
    }
}
