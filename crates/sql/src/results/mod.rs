//! What a statement gives: rows, and what is told of their columns.
//!
//! Not here: other ends of a statement (`reply`).

mod column;
mod stream;

pub use column::{ColumnFlags, ResultColumn};
pub use stream::{FoundRows, How, Pace, RowSource, RowStream, Sink, StreamFollower};
