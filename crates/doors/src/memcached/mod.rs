//! memcached: classic text, meta and binary commands on rows.
//!
//! - `command`: what can be asked, in no syntax, and what can go wrong
//! - `execute`: commands to row operations, the same for all syntaxes
//! - `text`, `meta`, `binary`: the three syntaxes, each decoding and encoding
//! - `door`: one client's conversation
//! - `place`: the built-in table and containers; `item`: rows to items
//! - `login`, `sasl`: who the client is; `rights`: what it may do with items
//! - `listing`: lists of all keys
//! - `marks`, `prefixes`, `shared`, `stats`: what conversations share
//!
//! Where we differ from the original on purpose: `docs/memcached-differences.md`.

mod binary;
pub(crate) mod command;
mod door;
mod execute;
pub(crate) mod item;
mod listing;
mod login;
mod marks;
mod meta;
pub(crate) mod place;
mod prefixes;
pub(crate) mod rights;
mod sasl;
mod shared;
mod stats;
pub(crate) mod text;

pub use door::Memcached;
pub use place::prepare;
pub use shared::{MemcachedOptions, MemcachedShared};
