//! Doors: one folder per protocol. Bytes in, bytes out; sockets belong to the server.
//!
//! Every door folder holds the same files: `command` (what can be asked), `decode` (bytes to
//! commands), `execute` (commands to row operations; the only place a door meets `rows` or
//! `sql`), `encode` (answers to bytes).
//!
//! Not here: event loops, listeners, threads (crate `server`), what a row is (crate `rows`).

mod accesses;
pub mod accounts;
pub mod conversation;
pub mod encrypted;
pub mod failed_logins;
mod foreign;
#[doc(hidden)]
pub mod fuzzing;
pub mod handlersocket;
mod http_basic;
pub mod input;
mod key_requests;
mod log_text;
pub mod logins;
pub mod memcached;
pub mod mysql;
mod own_table;
mod peer;
pub mod site;
pub mod tyrant;

pub use accounts::{DoorAccounts, DoorPrincipal, PasswordLogin};
pub use conversation::{Conversation, LeaveNotice, Next, Pending, Report, Turn, Urgency};
pub use encrypted::EncryptedConversation;
pub use failed_logins::FailedLogins;
pub use http_basic::basic_login;
pub use input::Input;
pub use logins::{DoorClient, DoorLogins, LoginOutcome, WithoutLogin};
