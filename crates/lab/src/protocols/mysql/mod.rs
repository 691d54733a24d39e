//! MySQL's protocol: packets, a blocking session for set-up, and look-ups as text and prepared.
//!
//! The lab speaks without CLIENT_DEPRECATE_EOF, so a result is: column count, definitions, EOF,
//! rows, EOF. No request or row here reaches 16 MiB, so a packet is never continued.

mod packet;
mod prepared;
mod session;
mod text;

pub use packet::{Outcome, outcome};
pub(crate) use packet::{lenenc_bytes, push_packet};
pub use prepared::Prepared;
pub use session::Session;
pub use text::Text;
pub(crate) use text::judge_affected;
