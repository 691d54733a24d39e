//! What is made of a table's rows beside those who write to it: new indexes, or a copy of the table.
//!
//! Invariants
//! 1. What a row has in it depends on the row alone, and on numbers that it was given (`copying`):
//!    so what it had is found again, to be removed.
//! 2. No two rows have the same key in it, unless both are told apart by it (`Made::unique`).
//!
//! Not here: who reads the rows of one state (`fill`), and those that have changed since (`follow`).

use std::sync::Arc;

use values::datum::Datum;

use crate::bulk::RowSorter;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::table::Table;
use crate::transaction::duplicate;

/// Something that a row has in what is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// Its key in the store.
    pub key: Vec<u8>,
    /// Its value in the store.
    pub value: Vec<u8>,
    /// What it is.
    pub what: MadeWhat,
    /// Whether another row could have the same key, which is an error then.
    pub unique: bool,
}

/// What a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MadeWhat {
    /// The row itself.
    Row,
    /// The entry of an index, by position; member indexes follow upon the others.
    Entry(usize),
    /// What is remembered of it until the change is over.
    Memory,
}

/// Which state of a row is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowSeen {
    /// One that was followed already.
    Before,
    /// The present one.
    Now,
}

/// What is made of rows.
pub(super) trait Making: Sync {
    /// The table whose rows are read.
    fn table(&self) -> &Arc<Table>;

    /// The table as it will be, which has the keys that are made.
    fn next(&self) -> &Arc<Table>;

    /// Whether the rows have to come in the order of their keys.
    fn is_in_order(&self) -> bool;

    /// Whether two rows could have the same key.
    fn is_unique(&self) -> bool;

    /// Gives a sorter what a row has; a greater number for each row that comes.
    ///
    /// # Errors
    /// Those of the row, which does not fit; those of the sorter.
    fn sort(&self, number: u64, row_key: &[u8], row: &[u8], sorter: &mut RowSorter) -> Result<()>;

    /// All rows of the first state were sorted.
    ///
    /// # Errors
    /// Those of the store.
    fn end_sorting(&self) -> Result<()>;

    /// All that a row has, by ascending keys; nothing of one that nobody can see any more.
    ///
    /// # Errors
    /// Those of the row, which does not fit; those of the store.
    fn made_of(&self, row_key: &[u8], row: &[u8], seen: RowSeen) -> Result<Vec<Made>>;

    /// The error for a row whose key in an index another row has.
    ///
    /// # Errors
    /// As `made_of`.
    fn duplicate(&self, index: usize, row_key: &[u8], row: &[u8]) -> Result<Error>;
}

/// The entries of some indexes of a row with all its columns, behind those that are there.
///
/// # Errors
/// `TooLarge`.
pub(super) fn push_entries(
    table: &Table,
    row_key: &[u8],
    row: &[Datum<'_>],
    wanted: &dyn Fn(usize) -> bool,
    made: &mut Vec<Made>,
) -> Result<()> {
    for index in (1..table.codecs.len()).filter(|index| wanted(*index)) {
        let entry = table.entry(index, row, row_key)?;
        let what = MadeWhat::Entry(index);
        made.push(Made { key: entry.key, value: entry.value, what, unique: entry.unique });
    }
    if table.member_codecs.is_empty() {
        return Ok(());
    }
    for entry in table.member_entries(row, row_key)? {
        let index = table.codecs.len() + entry.index;
        if wanted(index) {
            let what = MadeWhat::Entry(index);
            made.push(Made { key: entry.key, value: entry.value.to_vec(), what, unique: false });
        }
    }
    Ok(())
}

/// New indexes of rows that stay as they are.
pub(super) struct NewIndexes<'a> {
    /// The table with them; its layout reads the rows.
    pub next: &'a Arc<Table>,
    /// Which are new.
    pub indexes: &'a [usize],
}

impl Making for NewIndexes<'_> {
    fn table(&self) -> &Arc<Table> {
        self.next
    }

    fn next(&self) -> &Arc<Table> {
        self.next
    }

    fn is_in_order(&self) -> bool {
        false
    }

    fn is_unique(&self) -> bool {
        let codecs = &self.next.codecs;
        self.indexes.iter().any(|index| codecs.get(*index).is_some_and(|codec| codec.unique))
    }

    fn sort(&self, number: u64, row_key: &[u8], row: &[u8], sorter: &mut RowSorter) -> Result<()> {
        let row = row_at(self.next, row_key, row)?.values()?;
        sorter.add_entries(number, &row, row_key, self.indexes)
    }

    fn end_sorting(&self) -> Result<()> {
        Ok(())
    }

    fn made_of(&self, row_key: &[u8], row: &[u8], _: RowSeen) -> Result<Vec<Made>> {
        let row = row_at(self.next, row_key, row)?.values()?;
        let mut made = Vec::new();
        let is_new = |index| self.indexes.contains(&index);
        push_entries(self.next, row_key, &row, &is_new, &mut made)?;
        made.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(made)
    }

    fn duplicate(&self, index: usize, row_key: &[u8], row: &[u8]) -> Result<Error> {
        Ok(duplicate(self.next, index, &row_at(self.next, row_key, row)?.values()?))
    }
}
