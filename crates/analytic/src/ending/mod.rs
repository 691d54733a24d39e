//! The end of a statement as DataFusion's operators hear of it.
//!
//! Aborting a task ends it where it waits, and DataFusion's operators do not wait for long
//! stretches: a grouping that fills its table from a cross join, or writes it to a file, goes on
//! until it has finished. Nor do the tasks that an operator has started end with the one that was
//! aborted. So each execution of a plan is one [`Execution`], which all that it does asks whether
//! it is to go on:
//!
//! ```text
//! node    every batch of every operator, wherever another operator, or a task of one, takes it
//! filter  every comparison of rows within a join, of which a batch may need millions
//! pool    every request for memory
//! files   every temporary file, and every piece that is written to or read from one
//! ```
//!
//! While an operator is asked for a batch, its thread works for the execution
//! (`resources::interrupt`), so that our own kernels, scans and the layers below ask as well.
//!
//! Invariants
//! 1. What asks after the end gets an error, never the end of the rows.
//! 2. An execution is there as long as anything of it is: a task, a stream, memory, a file. The
//!    last one that goes takes it along.
//!
//! What asks nobody is short or bounded by the memory that it works on: one batch of an operator,
//! and the sort of a grouping's table before it is written, at most a third of the memory for
//! queries.
//!
//! Not here: who ends a statement (crate `sql`), what becomes of its rows (`stream`).

mod execution;
mod files;
mod filter;
mod node;
mod pool;

use datafusion::common::Result;
use resources::interrupt;
use results::SqlError;
use values::ErrorCode;

use super::failure::raise;

pub(super) use execution::{Execution, Executions};
pub(super) use node::interruptible;

/// Asks whether what this thread works for is to go on.
///
/// # Errors
/// 1317 when it is not.
pub(super) fn check() -> Result<()> {
    match interrupt::is_wanted() {
        true => Err(raise(SqlError::new(
            ErrorCode::QueryInterrupted,
            "Query execution was interrupted",
        ))),
        false => Ok(()),
    }
}
