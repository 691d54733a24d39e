//! Tokyo Tyrant: its binary protocol, and the parts of memcached's text and of HTTP that it speaks
//! on the same port, on rows.
//!
//! - `command`: what can be asked, and what can go wrong
//! - `decode`: bytes to commands
//! - `execute`: commands to row operations
//! - `misc`: the functions of the command `misc`, by their names
//! - `encode`: answers to bytes
//! - `text`, `http`: the other two protocols, each decoding and encoding; `site`: whose page asks
//!   by HTTP
//! - `database`: the table that the door opens on, and its rows as records
//! - `columns`: the columns of a record; `table`: the functions of table databases; `indexes`:
//!   theirs
//! - `query`, `condition`: which records are wanted; `search`: how they are found, with `access`,
//!   `ways` and `lookup`, which say where, `source`, `walk` and `everywhere`, which look, and
//!   `hits`; `tally` counts without looking
//! - `lua`: functions of scripts
//! - `door`: one client's conversation
//! - `shared`: settings and counters of all conversations; `stat`: what `stat` tells
//!
//! Where we differ from the original on purpose: `docs/tyrant-differences.md`.

mod access;
mod call;
mod columns;
mod command;
mod condition;
mod database;
mod decode;
mod door;
mod encode;
mod everywhere;
mod execute;
mod hits;
mod http;
mod indexes;
mod login;
mod lookup;
mod lua;
mod misc;
mod query;
mod search;
mod shared;
mod source;
mod stat;
mod table;
mod tally;
mod text;
mod walk;
mod ways;

pub use database::{DatabaseName, prepare};
pub use door::Tyrant;
pub use encode::FAILED;
pub use lua::{Clockwork, Periodic, ScriptOptions, Scripts};
pub use shared::{Copy, TyrantOptions, TyrantShared};
