//! MySQL's protocol: packets, a blocking session for set-up, look-ups as text and
//! prepared, and prepared statements of any kind.
//!
//! The lab speaks without CLIENT_DEPRECATE_EOF, so a result is: column count, definitions, EOF,
//! rows, EOF. No request or row here reaches 16 MiB, so a packet is never continued.

mod packet;
mod prepared;
mod session;
mod statement;
mod text;

pub use packet::{ReplyOutcome, outcome};
pub(crate) use packet::{lenenc_bytes, push_packet};
pub use prepared::PreparedSession;
pub use session::{End, MysqlSession, TextRow};
pub use statement::{MysqlValue, ServerError, Statement, units};
pub use text::Text;
pub(crate) use text::judge_affected;
