//! SQL in MySQL's dialect, over `rows`.
//!
//! ```text
//! text -> scan (shape, literals) -> plan known? -> point, write        the quick way
//!                                -> parse -> bind -> plan -> the same
//!                                -> parse -> analytic                   every other SELECT
//! other statements -> parse -> session::admin, ddl, show, load
//! ```
//! `session` is the door's side: what a connection can do. `docs/sql.md` says what is supported
//! and where it differs from MySQL.
//!
//! Not here: wire protocols, sockets, users.

mod analytic;
mod context;
mod ddl;
mod error;
mod expression;
#[doc(hidden)]
pub mod fuzzing;
mod information_schema;
mod load;
mod mode;
mod parse;
mod plan;
mod point;
mod reply;
mod scan;
mod server;
mod session;
mod show;
mod variables;
mod warning;
mod write;

pub use error::{Result, SqlError};
pub use load::LoadLocal;
pub use reply::{
    ColumnFlags, Done, How, Pace, Parameter, Prepared, Reply, ResultColumn, RowSource, RowStream,
};
pub use server::{SERVER_VERSION, SERVER_VERSION as VERSION, Sql, SqlOptions};
pub use session::Session;
