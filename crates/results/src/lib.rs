//! What a statement comes to: rows with what is told of their columns, or an error.
//!
//! Not here: other ends of a statement (`sql::reply`), bytes on the wire (crate `doors`).

mod column;
mod error;
pub mod panics;
mod stream;

pub use column::{ColumnFlags, ResultColumn};
pub use error::{MemoryShortage, Result, SqlError, value_error};
pub use stream::{ExecutionMode, FoundRows, Pace, RowSource, RowStream, Sink, StreamFollower};
