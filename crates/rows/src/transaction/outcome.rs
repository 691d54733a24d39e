//! What operations did, and what callers want done with a row that is shown to them.

use values::datum::Value;

/// What an insert did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsertOutcome {
    /// The value made up for the AUTO_INCREMENT column, if it was.
    pub generated: Option<u64>,
}

/// What a replace did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplaceOutcome {
    /// Rows that had to go.
    pub deleted: usize,
    /// The value made up for the AUTO_INCREMENT column, if it was.
    pub generated: Option<u64>,
}

/// What an insert-or-update did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpsertOutcome {
    /// There was no such row.
    Inserted {
        /// The value made up for the AUTO_INCREMENT column, if it was.
        generated: Option<u64>,
    },
    /// The existing row was changed.
    Updated,
    /// The existing row stays as it was.
    Unchanged,
    /// The existing row was deleted.
    Deleted,
}

/// That nobody else was inside a table, as of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alone(pub(super) u64);

/// A row as it was read by a writer that was alone in the table then.
#[derive(Clone, Copy, Debug)]
pub struct SeenRow<'a> {
    /// Its bytes, as they were in the latest state with the transaction's own writes over it.
    pub bytes: &'a [u8],
    /// As of before they were read.
    pub alone: Alone,
}

/// What to do with a row that is locked and shown to the caller.
#[derive(Clone, Debug, PartialEq)]
pub enum RowChange {
    /// Leave it.
    Keep,
    /// Set columns, by position, to values of their domain.
    Set(Vec<(usize, Value)>),
    /// As `Set`, and written with a new version even if it has these values already: for those
    /// whose clients are told of versions.
    SetAnew(Vec<(usize, Value)>),
    /// Remove it.
    Delete,
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeOutcome {
    /// It was not there any more.
    Missing,
    /// It stays as it was: kept, or set to what it had.
    Unchanged,
    /// It has new values, or a new version of the same ones if that was asked for.
    Updated,
    /// It is gone.
    Deleted,
}
