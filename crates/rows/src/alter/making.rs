//! What is made of a table's rows while other clients write to it: new indexes, or a copy of the
//! table.
//!
//! Invariants
//! 1. What a row has in it depends on the row alone, and on numbers that it was given (`copying`):
//!    so what it had is found again, to be removed.
//! 2. No two rows have the same key in it, unless both are told apart by it (`MadeEntry::unique`).
//!
//! Not here: who reads the rows of one state (`fill`), and those that have changed since
//! (`follow`).

use std::sync::Arc;

use values::datum::Datum;
use values::temporal::Zone;

use crate::bulk::RowSorter;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::schema::TableDefinition;
use crate::table::{NotedColumns, Table};
use crate::transaction::duplicate;

/// Something that a row has in what is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MadeEntry {
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
    /// The table whose rows are read, and changed meanwhile: its state knows of the writers.
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

    /// All rows of a range were sorted: so many, whose numbers follow upon `before`.
    fn end_range(&self, before: u64, rows: u64) {
        let _ = (before, rows);
    }

    /// All rows of the first state were sorted.
    ///
    /// # Errors
    /// Those of the store.
    fn end_sorting(&self) -> Result<()>;

    /// All that a row has, by ascending keys; nothing of one that nobody can see any more.
    ///
    /// # Errors
    /// Those of the row, which does not fit; those of the store.
    fn made_of(&self, row_key: &[u8], row: &[u8], seen: RowSeen) -> Result<Vec<MadeEntry>>;

    /// Whether the notes of changes say all that has to be known of a row.
    fn is_in_notes(&self) -> bool {
        false
    }

    /// As `made_of`, of what a note says of a row. Only where notes say all.
    ///
    /// # Errors
    /// As `made_of`.
    fn made_of_note(&self, row_key: &[u8], noted: &[u8]) -> Result<Vec<MadeEntry>> {
        let _ = noted;
        Err(Error::Corrupt { key: row_key.to_vec(), why: "a note that says too little" })
    }

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
    made: &mut Vec<MadeEntry>,
) -> Result<()> {
    for index in (1..table.codecs.len()).filter(|index| wanted(*index)) {
        let entry = table.entry(index, row, row_key)?;
        let what = MadeWhat::Entry(index);
        made.push(MadeEntry { key: entry.key, value: entry.value, what, unique: entry.unique });
    }
    if table.listed_codecs() == 0 {
        return Ok(());
    }
    for entry in table.listed_entries(row, row_key)? {
        let index = table.codecs.len() + entry.index;
        if wanted(index) {
            let what = MadeWhat::Entry(index);
            made.push(MadeEntry { key: entry.key, value: entry.value, what, unique: entry.unique });
        }
    }
    Ok(())
}

/// New indexes of rows that stay as they are.
pub(super) struct NewIndexes<'a> {
    /// The table as it is.
    pub table: &'a Arc<Table>,
    /// The table with them; its layout reads the rows.
    pub next: &'a Arc<Table>,
    /// Which are new.
    pub indexes: &'a [usize],
    /// The columns of which changes are noted, by their positions in the table as it is;
    /// none: of all.
    pub noted: Option<&'a NotedColumns>,
    /// For each column of the table with the indexes its position in the table as it is.
    pub origins: &'a [Option<usize>],
}

/// Of a table the columns that new indexes of `next` are made of, if it has all of them as they
/// will be: changes of others need not be noted. `origins` is as in `NewIndexes`.
pub(super) fn noted_columns(
    table: &Table,
    next: &TableDefinition,
    indexes: &[usize],
    origins: &[Option<usize>],
) -> Option<NotedColumns> {
    let first_member = next.indexes.len();
    let first_full_text = first_member + next.members.len();
    let first_multi_valued = first_full_text + next.full_texts.len();
    let mut wanted = Vec::new();
    for &at in indexes {
        if (first_member..first_full_text).contains(&at) {
            wanted.push(next.column(&next.members[at - first_member].column)?);
        } else if (first_full_text..first_multi_valued).contains(&at) {
            let names = &next.full_texts[at - first_full_text].columns;
            let columns: Option<Vec<usize>> = names.iter().map(|name| next.column(name)).collect();
            wanted.extend(columns?);
        } else {
            let index = match at.checked_sub(first_multi_valued) {
                Some(at) => &next.multi_valued.get(at)?.index,
                None => &next.indexes[at],
            };
            wanted.extend(index.parts.iter().map(|part| part.column));
            wanted.extend(next.partition_column());
        }
    }
    // Entries of members, words and elements are made of the whole row.
    let wants_values = indexes.iter().all(|at| *at < first_member);
    let origin = |position: usize| {
        let origin = origins[position]?;
        (table.columns[origin].ty == next.columns[position].ty).then_some(origin)
    };
    let positions: Option<Vec<usize>> = wanted.into_iter().map(origin).collect();
    Some(NotedColumns::new(table, positions?, wants_values))
}

impl Making for NewIndexes<'_> {
    fn table(&self) -> &Arc<Table> {
        self.table
    }

    fn next(&self) -> &Arc<Table> {
        self.next
    }

    fn is_in_order(&self) -> bool {
        false
    }

    fn is_unique(&self) -> bool {
        let mut codecs = self.indexes.iter().filter_map(|index| self.next.codec_if_any(*index));
        codecs.any(|codec| codec.unique)
    }

    fn sort(&self, number: u64, row_key: &[u8], row: &[u8], sorter: &mut RowSorter) -> Result<()> {
        sorter.add_entries(number, &row_at(self.next, row_key, row)?, row_key, self.indexes)
    }

    fn end_sorting(&self) -> Result<()> {
        Ok(())
    }

    fn made_of(&self, row_key: &[u8], row: &[u8], _: RowSeen) -> Result<Vec<MadeEntry>> {
        let row = row_at(self.next, row_key, row)?.values()?;
        let mut made = Vec::new();
        let is_new = |index| self.indexes.contains(&index);
        push_entries(self.next, row_key, &row, &is_new, &mut made)?;
        made.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(made)
    }

    fn is_in_notes(&self) -> bool {
        self.noted.is_some_and(NotedColumns::has_values)
    }

    fn made_of_note(&self, row_key: &[u8], noted: &[u8]) -> Result<Vec<MadeEntry>> {
        let (next, column) = (self.next, self.columns_in(row_key, noted)?);
        let entry = |index: &usize| {
            let (mut key, mut value) = (Vec::with_capacity(row_key.len() + 24), Vec::new());
            let unique = next.push_entry_by(*index, &column, row_key, &mut key, &mut value)?;
            Ok(MadeEntry { key, value, what: MadeWhat::Entry(*index), unique })
        };
        let mut made = self.indexes.iter().map(entry).collect::<Result<Vec<MadeEntry>>>()?;
        made.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(made)
    }

    fn duplicate(&self, index: usize, row_key: &[u8], row: &[u8]) -> Result<Error> {
        if !self.is_in_notes() {
            let row = row_at(self.next, row_key, row)?.values()?;
            return Ok(duplicate(self.next, index, &row, Zone::UTC));
        }
        let column = self.columns_in(row_key, row)?;
        let mut values = vec![Datum::Null; self.next.columns.len()];
        for part in &self.next.codecs[index].parts {
            values[part.column] = column(part.column)?;
        }
        Ok(duplicate(self.next, index, &values, Zone::UTC))
    }
}

impl<'a> NewIndexes<'a> {
    /// The columns of the new indexes in what a note says of a row, by their positions in `next`.
    fn columns_in<'n>(
        &self,
        row_key: &'n [u8],
        noted: &'n [u8],
    ) -> Result<impl Fn(usize) -> Result<Datum<'n>>>
    where
        'a: 'n,
    {
        let damaged = || Error::Corrupt { key: row_key.to_vec(), why: "a note says nothing" };
        let row = self.noted.and_then(|columns| columns.read(noted)).ok_or_else(damaged)?;
        let origins = self.origins;
        Ok(move |position: usize| {
            let origin = origins[position].ok_or_else(damaged)?;
            Ok(row.column(origin)?)
        })
    }
}
