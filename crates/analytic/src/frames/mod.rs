//! Functions over frames that move with the row at hand: `ROWS BETWEEN 400000 PRECEDING AND 400000
//! FOLLOWING`, `RANGE INTERVAL 1 DAY PRECEDING`, `ROWS BETWEEN CURRENT ROW AND UNBOUNDED
//! FOLLOWING`.
//!
//! ```text
//! function   the functions, as DataFusion calls them
//! totals     what is added up, and how two of them become one
//! blocks     a partition's values in blocks, in memory or in a file
//! bounds     which rows a frame has
//! values     the functions' values, row after row
//! ```
//! Frames only move on, so a partition's values are read twice beside its rows: where frames begin
//! and where they end. A total is that of the last rows of one block, of the blocks between, and of
//! the first rows of another one. So nothing that was added is taken away again, MIN and MAX cost
//! what SUM does, and no frame is too wide.
//!
//! Not here: frames of a few rows (`carried`), of the rows so far and of all rows
//! (`large_partition`).

mod blocks;
mod bounds;
mod function;
mod totals;
mod values;

pub(super) use function::{FrameEdge, FramedCall, FramedFunction, framed};
pub(super) use totals::Totalling;
pub(super) use values::{FramedRows, FramedValues};
