//! SQL text out of a server and into one: `rowhouse dump` and `rowhouse load`.
//!
//! ```text
//! dump     client -> rows as text -> literal -> INSERTs of bounded size -> file
//! load     file -> split (statements, their lines) -> kind -> client, committed in batches
//! ```
//! Both are clients of the MySQL protocol, over any `Link`: a socket of a running server, or the
//! conversation of a server that lives in the same process.
//!
//! Invariants
//! 1. Memory is bounded by the largest statement or row, never by the file or the table.
//! 2. What is left out is said, never passed over in silence.
//!
//! Not here: how a server is found or opened (crate `server`), SQL's meaning (crate `sql`).

mod accounts;
mod client;
mod dump;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod kind;
mod literal;
mod loading;
mod login;
mod progress;
mod split;
mod wire;

pub use client::Client;
pub use dump::{DumpOptions, DumpTotals, TableChoice, dump};
pub use error::{Error, Result};
pub use loading::{LoadOptions, LoadTotals, load};
pub use login::{LinkEncryption, Login};
pub use progress::Progress;
pub use wire::Link;
