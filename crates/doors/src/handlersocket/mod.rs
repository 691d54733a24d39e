//! HandlerSocket: the tab-separated line protocol of the MySQL plugin of that name.
//!
//! - `command`: what can be asked, and the errors with their codes and words
//! - `decode`: lines to commands
//! - `execute`: commands to row operations
//! - `find`: the reading half of `execute`
//! - `handle`: an opened index
//! - `coerce`: tokens to values of a column
//! - `modify`: the writing half of `execute`
//! - `encode`: answers to bytes
//!
//! Measured behaviour of the original: `docs/handlersocket-behaviour.md`; where we differ on
//! purpose: `docs/handlersocket-differences.md`.

pub(crate) mod coerce;
pub(crate) mod command;
pub(crate) mod decode;
mod encode;
mod execute;
mod find;
mod handle;
mod modify;

pub use execute::{HandlerSocket, LINE_BYTES_MAX, PortAccess};
