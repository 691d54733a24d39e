//! Why a dump or a load did not come to its end.

use std::io;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Sorted by who can do something about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server refused a statement.
    #[error("ERROR {number} ({state}): {message}")]
    Server {
        /// MySQL's error number.
        number: u16,
        /// SQLSTATE.
        state: String,
        /// The server's words.
        message: String,
    },
    /// The file cannot be loaded as it is.
    #[error("{0}")]
    File(String),
    /// What is to be dumped is not there, or changed meanwhile.
    #[error("{0}")]
    Source(String),
    /// As `source`, at a line of the file that is loaded.
    #[error("{file} line {line}: {source}")]
    At {
        /// The file's name.
        file: String,
        /// Where the statement begins, from 1.
        line: u64,
        /// What was wrong.
        source: Box<Error>,
    },
    /// The connection broke.
    #[error("the connection to the server broke: {0}")]
    Connection(#[source] io::Error),
    /// The server sent what the protocol does not know.
    #[error("the server's answer is not understood: {0}")]
    Protocol(&'static str),
    /// A file could not be read or written.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}
