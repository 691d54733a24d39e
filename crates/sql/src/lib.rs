//! SQL in MySQL's dialect, over `rows`.
//!
//! ```text
//! text -> scan (shape, literals) -> plan known? -> point, write        the quick way
//!                                -> parse -> point, write: bind -> the same
//!                                -> parse -> bind -> optimize -> executor   short queries
//!                                         -> bind -> analytic               long queries
//! other statements -> parse -> session::admin, ddl, show, load
//! ```
//! `session` is the door's side: what a connection can do. `docs/sql.md` says what is supported
//! and where it differs from MySQL.
//!
//! Not here: wire protocols, sockets, users.

mod analytic;
mod bind;
mod context;
mod ddl;
mod error;
mod estimate;
mod events;
mod executor;
mod file_table;
mod files;
#[doc(hidden)]
pub mod fuzzing;
mod index_use;
mod information_schema;
mod load;
mod optimize;
mod panics;
mod parse;
mod plan;
mod point;
mod reply;
mod scan;
mod server;
mod session;
mod show;
mod tree;
mod variables;
mod write;

pub use analytic::on_query_thread_start;
pub use error::{Result, SqlError};
pub use events::EventScheduler;
pub use load::LoadLocal;
pub use reply::{
    ColumnFlags, Done, How, Pace, Parameter, Prepared, Reply, ResultColumn, RowSource, RowStream,
};
pub use server::{
    SERVER_VERSION, SERVER_VERSION as VERSION, Sql, SqlOptions, StageProgress, StatementProgress,
};
pub use session::Session;
