//! Rows that are read as rows, into batches as those of segments: recent ones of a columnar table,
//! and those that were changed next to a columnar index.
//!
//! Not here: which rows were changed (`index`), the rows of segments (`scan`).

use std::ops::Range;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::BinaryViewBuilder;
use rows::error::{Error, Result};
use rows::store::{Direction, KeyRange, Reach};
use rows::table::Table;
use values::RowRef;

use super::{Batch, Batches, RECENT_ROWS, ScanRequest, Test};
use crate::arrow::ColumnWriter;
use crate::keys;
use crate::note_cache::RowNow;

/// Rows that are read as rows.
#[derive(Clone, Debug)]
pub(super) enum Recent {
    /// Those of a columnar table that are no part of a segment: from a note on.
    Noted(KeyRange),
    /// Some of those that were changed beside a columnar index.
    Changed(Range<usize>),
}

impl Batches {
    /// Rows that are no part of a segment, from a note on, and what is left of the notes.
    pub(super) fn read_noted(&self, range: KeyRange) -> Result<(Batch, Option<Recent>)> {
        let table = &self.of.table;
        let mut row_keys = Vec::new();
        let mut rest = None;
        let mut cursor = self.of.view.scan(&range, Direction::Forward, Reach::Disk)?;
        while cursor.advance()? {
            let note = cursor.key();
            if row_keys.len() == RECENT_ROWS.min(self.wanted.batch_rows) {
                let rest_of = KeyRange { start: note.to_vec(), end: range.end.clone() };
                rest = Some(Recent::Noted(rest_of));
                break;
            }
            row_keys.push(keys::row_of_recent(table.id, note));
        }
        drop(cursor);
        let mut batch = RowBatch::new(table, &self.wanted, row_keys.len());
        self.of.view.get_many(&row_keys, Reach::Disk, &mut |at, row| {
            let key = || row_keys[at].clone();
            let row = row.ok_or_else(|| Error::Corrupt { key: key(), why: "a row is missing" })?;
            batch.add(&row_keys[at], &RowRef::new(&table.layout, row)?)
        })?;
        Ok((batch.finish(), rest))
    }

    /// Rows that were changed, and which are left of these. Those of which the note does not say
    /// what they are now come last.
    pub(super) fn read_changed(&self, rows: Range<usize>) -> Result<(Batch, Option<Recent>)> {
        let table = &self.of.table;
        let changed = self.of.changed.as_deref().unwrap_or_default();
        let end = rows.end.min(rows.start + RECENT_ROWS.min(self.wanted.batch_rows));
        let rest = (end < rows.end).then_some(Recent::Changed(end..rows.end));
        let mut batch = RowBatch::new(table, &self.wanted, end - rows.start);
        let mut unknown = Vec::new();
        for noted in &changed[rows.start..end] {
            let key = &noted.row.key;
            match (&noted.row.now, table.layout_kept()) {
                (RowNow::Gone, _) => {}
                (RowNow::Columns(row), Some(layout)) => {
                    batch.add(key, &RowRef::new(layout, row)?)?;
                }
                _ => unknown.push(key.clone()),
            }
        }
        if !unknown.is_empty() {
            self.of.view.get_many(&unknown, Reach::Disk, &mut |at, row| match row {
                None => Ok(()),
                Some(row) => batch.add(&unknown[at], &RowRef::new(&table.layout, row)?),
            })?;
        }
        Ok((batch.finish(), rest))
    }
}

/// Rows that are read as rows, on their way into a batch.
struct RowBatch<'a> {
    table: &'a Table,
    tests: &'a [Test],
    /// By the positions wanted; none: the row's key.
    columns: Vec<(usize, Option<ColumnWriter>)>,
    keys: BinaryViewBuilder,
    rows: usize,
}

impl<'a> RowBatch<'a> {
    fn new(table: &'a Table, wanted: &'a ScanRequest, rows_max: usize) -> RowBatch<'a> {
        let column = |&at: &usize| {
            let column = table.columns.get(at);
            (at, column.map(|column| ColumnWriter::new(&column.ty, rows_max)))
        };
        let columns = wanted.positions.iter().map(column).collect();
        RowBatch { table, tests: &wanted.tests, columns, keys: BinaryViewBuilder::new(), rows: 0 }
    }

    /// Adds a row if all tests hold for it.
    fn add(&mut self, key: &[u8], row: &RowRef<'_>) -> Result<()> {
        for test in self.tests {
            if !test.holds_for(self.table, row.column(test.position)?) {
                return Ok(());
            }
        }
        for (position, writer) in &mut self.columns {
            match writer {
                Some(writer) => writer.append(row.column(*position)?)?,
                None => self.keys.append_value(key),
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn finish(mut self) -> Batch {
        let keys: ArrayRef = Arc::new(self.keys.finish());
        let array = |(_, writer): (usize, Option<ColumnWriter>)| {
            writer.map_or_else(|| Arc::clone(&keys), |mut writer| writer.finish())
        };
        Batch { columns: self.columns.into_iter().map(array).collect(), rows: self.rows }
    }
}
