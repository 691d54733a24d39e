//! The MySQL door: MySQL's client/server protocol, version 10.
//!
//! ```text
//! bytes -> frame -> handshake, auth          the connection phase
//!               \-> decode -> execute        the command phase: `sql::Session` does the work
//!                              | parameters  values of prepared statements
//!          frame <- encode, column, row <-+
//! ```
//! `conversation` holds these together as a state machine that can stop at any packet, any
//! statement of a packet, and any row.
//!
//! Not here: SQL (crate `sql`), sockets (crate `server`), TLS (`encrypted`); compression is not
//! announced.

mod attributes;
mod auth;
mod charset;
mod column;
pub(crate) mod command;
mod conversation;
mod cursor;
pub(crate) mod decode;
mod encode;
mod execute;
pub(crate) mod frame;
pub(crate) mod handshake;
mod login;
pub(crate) mod numbers;
mod open_cursor;
pub(crate) mod parameters;
mod reports;
mod row;

pub(crate) use auth::PasswordVerdict;
pub use auth::{Account, Secret, Users};
pub use conversation::{Mysql, MysqlDoor, TlsUse};
