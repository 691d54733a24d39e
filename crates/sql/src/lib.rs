//! SQL in MySQL's dialect, over `rows`.
//!
//! ```text
//! text -> syntax::scan (shape, literals) -> plan known? -> point, write           the quick way
//!                                        -> syntax -> point, write: bind -> the same
//!                                        -> syntax -> bind -> optimize -> executor  short queries
//!                                                  -> bind -> LongQueries           long queries
//! other statements -> syntax -> session::admin, ddl, show, load
//! ```
//! `session` is the door's side: what a connection can do. `docs/sql.md` says what is supported and
//! where it differs from MySQL.
//!
//! Not here: how long queries are run (crate `analytic`, which a server hands over when it starts),
//! statements as text (crate `syntax`), values of expressions (crate `expression`), wire protocols,
//! sockets, users.

mod bind;
mod column_default;
mod context;
mod ddl;
mod encryption;
mod error;
mod estimate;
mod event_schedule;
mod events;
mod executor;
pub mod file_table;
mod files;
#[doc(hidden)]
pub mod fuzzing;
pub mod index_use;
mod keywords;
mod listing;
mod load;
mod long;
mod optimize;
mod panics;
mod plan;
mod point;
mod process_line;
mod relations;
mod reply;
mod results;
mod samples;
mod server;
mod session;
mod show;
mod statement_server;
mod system_schema;
mod terms;
pub mod tree;
mod variables;
mod write;

pub use context::{HoldNumber, QueryContext, SqlContext, StatementServer};
pub use ddl::make_rules;
pub use encryption::{ServerTls, SessionTls};
pub use error::{MemoryShortage, Result, SqlError};
pub use estimate::estimated_rows;
pub use events::EventScheduler;
pub use executor::RecursionRows;
pub use listing::AskedTables;
pub use load::LoadLocal;
pub use long::{HeldBack, Load, LongQueries};
pub use optimize::{BatchAccess, Sizes, in_batches};
pub use panics::error as panicked;
pub use process_line::ProcessLine;
pub use reply::{OkFigures, Parameter, PreparedReply, Reply};
pub use results::{ColumnFlags, How, Pace, ResultColumn, RowSource, RowStream, Sink};
pub use server::{
    SERVER_VERSION, SERVER_VERSION as VERSION, Sql, SqlOptions, StageProgress, StatementProgress,
};
pub use session::{Session, SessionCommand};
pub use tree::row_count;
pub use variables::Charsets;
