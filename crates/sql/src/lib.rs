//! SQL in MySQL's dialect, over `rows`.
//!
//! ```text
//! text -> syntax::scan (shape, literals) -> plan known? (`plan_cache`)          the quick way
//!                                        -> syntax -> plan::bind -> optimize -> executor  short queries
//!                                                                -> plan::long             long queries
//!                                        -> syntax -> write
//! other statements -> syntax -> session::admin, ddl, show, load
//! ```
//! `session` is the door's side: what a connection can do. `docs/sql.md` says what is supported and
//! where it differs from MySQL.
//!
//! Not here: what a query means (crate `plan`), running it (`executor`, and `analytic`, which a
//! server hands over when it starts), statements as text (`syntax`), values of expressions
//! (`expression`), accounts (`access`), wire protocols, sockets.

mod ddl;
mod event_schedule;
mod events;
#[doc(hidden)]
pub mod fuzzing;
mod load;
mod plan_cache;
mod reply;
mod server;
mod session;
mod show;
mod statement_server;
mod system_schema;
mod write;

pub use ddl::make_rules;
pub use events::EventScheduler;
pub use load::LoadLocal;
pub use reply::{OkFigures, Parameter, PreparedReply, Reply};
pub use server::{
    AnsweredRequests, ClientActivity, ClientListing, ClientUser, CommandWord, DoorClients,
    DoorProcess, DoorWork, KeyRequest, LogOptions, SERVER_VERSION, SERVER_VERSION as VERSION, Sql,
    SqlOptions, StageProgress, StatementProgress,
};
pub use session::{Session, SessionCommand, limit_reached};
pub use syntax::STATEMENT_STACK_BYTES;
pub use syntax::scan::client_text::ClientText;
