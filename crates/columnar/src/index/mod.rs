//! Columnar indexes: some columns of a table of rows, kept in segments next to the rows.
//!
//! Writers know nothing of segments. Each leaves a note of the row that it changed, in its own
//! transaction and without a look at anything (`rows::table`). What a state of the store shows
//! of the index is
//! ```text
//! rows of segments that are not dead, but those that a note names       by column
//! rows that a note names, as they are in that state                     by row
//! ```
//! The mover takes notes: in one commit the places of their rows are dead, rows of a new segment
//! take their places, and the notes go.
//!
//! Invariants
//! 1. In every state, a row that no note names is in the place that the index has for it, as it
//!    is; or in none, and then it does not exist.
//! 2. A note's key is never used again, so it is removed without a look; a row that was changed
//!    after the mover read it has another note, in every state that shows the change. So the mover
//!    and writers need no locks against each other.
//! 3. Only the mover changes segments, places and dead rows, and within the table's gate, so
//!    that nothing is written behind a definition that has no such index any more.
//!
//! Not here: what a query makes of it (`scan`), when it is worth it (SQL's planner), how writers
//! note what they change (`rows::table`), the making of an index while they write (`rows::alter`).

mod check;
mod delta;
mod mover;
mod notes;
mod settled;

pub(crate) use check::check_index;
pub use delta::index_columns_of;
