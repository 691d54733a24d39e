//! Writing rows: insert, replace, insert-or-update, change, delete, each atomic with its index
//! entries and under the row's lock.
//!
//! Where to look: `life` is a transaction from its beginning to its commit, `operations` what can
//! be done with it. Below them `placing` puts rows and entries in, `changing` changes a locked row,
//! `unique` locks and looks for unique entries, `expired` clears away what is in a new row's place,
//! `ranges` locks what scans look at, `parents` and `children` obey foreign keys, `resumed` takes
//! over what was prepared before a restart, `counters` make
//! up numbers, `expected` finds out for many rows at once.
//!
//! Lock order within one operation: row key first, then its unique entries in index order, those
//! that it loses and those that it gets. Operations that meet in another order, as two that change
//! unique values crosswise, are a deadlock, which the lock table finds.
//!
//! Invariants
//! 1. An operation that fails leaves nothing in the transaction's buffer.
//! 2. A row is decided upon (exists? old values?) only after its lock is held, and from the latest
//!    committed state overlaid with the transaction's own writes.
//! 3. An expired row is absent: it is not shown, and goes when a new row takes its key.
//! 4. Each table written stays inside its gate until the transaction ends.
//!
//! Not here: when and how the buffer becomes durable (`commit`), conversion of foreign values
//! (`convert`), defaults (the door's or SQL's business).

mod changing;
mod children;
pub(crate) mod counters;
mod expected;
mod expired;
mod life;
mod number_rules;
mod operations;
mod outcome;
mod parents;
mod placing;
mod ranges;
mod resumed;
mod unique;

pub use counters::UnusedNumbers;
pub use expected::EXPECTED_MAX;
pub use life::Transaction;
pub use number_rules::NumberRules;
pub use outcome::{
    Alone, ChangeOutcome, InsertOutcome, ReplaceOutcome, RowChange, SeenRow, UpsertOutcome,
};
pub use placing::ROW_BYTES_MAX;
pub(crate) use placing::duplicate;
