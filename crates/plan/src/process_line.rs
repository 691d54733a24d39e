//! What the process list shows of a connection.
//!
//! Not here: the list (`server::processes`).

use std::borrow::Cow;

/// A line of SHOW PROCESSLIST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessLine {
    /// The connection's number.
    pub id: u32,
    /// User name.
    pub user: String,
    /// The user whose own connection it is; `None` where `user` says that there is no name.
    pub owner: Option<String>,
    /// Where from.
    pub host: String,
    /// Current database.
    pub database: Option<String>,
    /// `Query` or `Sleep`; `Killed` for what is left of a statement that was answered; the door's
    /// name for a client that speaks no SQL.
    pub command: &'static str,
    /// Microseconds since the epoch when that began.
    pub since: u64,
    /// Which statement of the connection that is.
    pub number: u64,
    /// What a statement is at, in MySQL's words where it has some.
    pub state: Cow<'static, str>,
    /// The statement's text.
    pub info: Option<String>,
    /// Bytes that the connection has of the memory for clients.
    pub memory_bytes: usize,
}

impl ProcessLine {
    /// Whether it is a connection of this user.
    pub fn belongs_to(&self, user: &str) -> bool {
        self.owner.as_deref() == Some(user)
    }
}
