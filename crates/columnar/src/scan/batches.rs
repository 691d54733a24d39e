//! The rows of a part in batches: of each segment the wanted columns of the rows that pass the
//! tests, then the recent rows.
//!
//! Invariants
//! 1. A column of a segment is decoded for the rows that are left when all tests were made, and no
//!    others.
//! 2. A test that holds for all rows of a segment, or for none, is made without looking at them.
//!
//! Not here: which segments a part has (`scan`), recent rows (`recent`), sums and groups of rows
//! (`groups`).

use std::ops::Range;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::BinaryViewBuilder;
use rows::error::Result;
use values::datum::{Datum, Value};
use values::types::ColumnType;

use super::recent::Recent;
use super::{Batch, Part, ScanRequest, TableColumns};
use crate::arrow::ColumnWriter;
use crate::build::OWN_NUMBER;
use crate::column::{Column, Selection};
use crate::dead_rows::{alive, dead_in};
use crate::keys::ROW_ID_SLOT;
use crate::state::Live;

/// An iterator over the batches of a part; an error is the last that it gives.
pub struct Batches {
    pub(super) of: TableColumns,
    pub(super) wanted: ScanRequest,
    segments: std::vec::IntoIter<Live>,
    current: Option<Reading>,
    /// What is left of the recent rows.
    recent: Option<Recent>,
}

/// A segment that is being read.
pub(crate) struct Reading {
    pub live: Live,
    next: usize,
    /// Those that do not hold for all of its rows.
    pub tests: Vec<(usize, Arc<Column>)>,
    pub columns: Vec<ColumnSource>,
}

/// What comes next in a part.
pub(crate) enum Step {
    /// A segment, of which nothing was read.
    Segment(Reading),
    /// Rows.
    Rows(Batch),
}

/// Where a wanted column of a segment comes from.
pub(crate) enum ColumnSource {
    Column(usize, Arc<Column>),
    /// The segment is older than the column.
    Absent(usize),
    /// The row's key, from the hidden row id.
    RowId(Arc<Column>),
    /// The row's key, from the columns of the primary key.
    Key(Vec<(usize, Option<Arc<Column>>)>),
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        self.step().transpose()
    }
}

impl Batches {
    pub(super) fn new(of: TableColumns, part: Part, wanted: ScanRequest) -> Batches {
        let Part { segments, recent } = part;
        Batches { of, wanted, segments: segments.into_iter(), current: None, recent }
    }

    fn step(&mut self) -> Result<Option<Batch>> {
        loop {
            match self.begin_step()? {
                None => return Ok(None),
                Some(Step::Segment(reading)) => self.current = Some(reading),
                Some(Step::Rows(batch)) if batch.rows > 0 => return Ok(Some(batch)),
                Some(Step::Rows(_)) => {}
            }
        }
    }

    /// What comes next; `None` at the end. Batches may be empty.
    pub(crate) fn begin_step(&mut self) -> Result<Option<Step>> {
        if let Some(mut reading) = self.current.take() {
            let Some(selection) = self.select(&mut reading) else {
                return Ok(Some(Step::Rows(Batch { columns: Vec::new(), rows: 0 })));
            };
            let batch = self.arrays(reading.columns.iter(), &selection)?;
            self.current = Some(reading);
            return Ok(Some(Step::Rows(batch)));
        }
        if let Some(live) = self.segments.next() {
            return Ok(Some(Step::Segment(self.begin(live)?)));
        }
        let Some(recent) = self.recent.take() else { return Ok(None) };
        let (batch, rest) = match recent {
            Recent::Noted(range) => self.read_noted(range)?,
            Recent::Changed(rows) => self.read_changed(rows)?,
        };
        self.recent = rest;
        Ok(Some(Step::Rows(batch)))
    }

    /// The type of a wanted column.
    pub(crate) fn type_of(&self, wanted: usize) -> &ColumnType {
        &self.of.table.columns[self.wanted.positions[wanted]].ty
    }

    /// What rows of a segment that is older than a column have there, given by its position.
    pub(crate) fn absent(&self, at: usize) -> Datum<'_> {
        self.of.table.layout.absent(at)
    }

    fn column(&self, live: &Live, slot: u16) -> Result<Option<Arc<Column>>> {
        match live.segment.column(slot) {
            None => Ok(None),
            Some(_) => self.of.stored_column(live, slot).map(Some),
        }
    }

    fn begin(&self, live: Live) -> Result<Reading> {
        let table = &self.of.table;
        let stored = |at: usize| self.column(&live, table.columns[at].slot);
        let mut columns = Vec::with_capacity(self.wanted.positions.len());
        for &at in &*self.wanted.positions {
            columns.push(if at < table.columns.len() {
                stored(at)?
                    .map_or(ColumnSource::Absent(at), |column| ColumnSource::Column(at, column))
            } else if let Some(ids) = self.column(&live, ROW_ID_SLOT)? {
                ColumnSource::RowId(ids)
            } else {
                let parts = table.codecs[0].parts.iter();
                let parts = parts.map(|part| Ok((part.column, stored(part.column)?)));
                ColumnSource::Key(parts.collect::<Result<_>>()?)
            });
        }
        let mut tests = Vec::new();
        let mut next = 0;
        for (number, test) in self.wanted.tests.iter().enumerate() {
            if live.segment.column(test.slot).is_some_and(|column| test.holds_in(column)) {
                continue;
            }
            match stored(test.position)? {
                Some(column) => tests.push((number, column)),
                // All of its rows have the same value there.
                None if !test.holds_for(table, table.layout.absent(test.position)) => {
                    next = live.segment.sealed as usize;
                }
                None => {}
            }
        }
        Ok(Reading { live, next, tests, columns })
    }

    /// The next rows of a segment, those that are dead as well, where no test is to be made of
    /// them; `None` at its end.
    pub(crate) fn next_range(&self, reading: &mut Reading) -> Option<Range<usize>> {
        let sealed = reading.live.segment.sealed as usize;
        let start = reading.next;
        reading.next = (start + self.wanted.batch_rows).min(sealed);
        (start < sealed).then_some(start..reading.next)
    }

    /// The wanted ones among the next rows of a segment; `None` at its end.
    pub(crate) fn select(&self, reading: &mut Reading) -> Option<Selection> {
        let sealed = reading.live.segment.sealed as usize;
        while reading.next < sealed {
            let end = (reading.next + self.wanted.batch_rows).min(sealed);
            let rows = std::mem::replace(&mut reading.next, end)..end;
            // Rows one behind the other are tested fastest, those among them that are dead as well.
            let mut selection = match reading.tests.is_empty() {
                true => alive(rows, &reading.live.dead),
                false => Selection::Range(rows),
            };
            let mut dead = dead_in(&selection, &reading.live.dead);
            for (number, column) in &reading.tests {
                let test = &self.wanted.tests[*number];
                column.retain(&test.ranges, test.flip, test.nulls, &dead, &mut selection);
                dead.clear();
            }
            if selection.len() > 0 {
                return Some(selection);
            }
        }
        None
    }

    /// Some columns of some rows of a segment.
    pub(crate) fn arrays<'a>(
        &self,
        columns: impl Iterator<Item = &'a ColumnSource>,
        selection: &Selection,
    ) -> Result<Batch> {
        let columns = columns.map(|source| self.array(source, selection));
        Ok(Batch { columns: columns.collect::<Result<_>>()?, rows: selection.len() })
    }

    fn array(&self, source: &ColumnSource, selection: &Selection) -> Result<ArrayRef> {
        let table = &self.of.table;
        match source {
            ColumnSource::Column(at, column) => column.array(&table.columns[*at].ty, selection),
            ColumnSource::Absent(at) => {
                let absent = table.layout.absent(*at);
                let mut writer = ColumnWriter::new(&table.columns[*at].ty, selection.len());
                (0..selection.len()).try_for_each(|_| writer.append(absent))?;
                Ok(writer.finish())
            }
            ColumnSource::RowId(ids) => self.keys(selection, |row, key| {
                let id = ids.datum(&OWN_NUMBER, row)?;
                table.push_row_key(&[id], key)
            }),
            ColumnSource::Key(parts) => self.keys(selection, |row, key| {
                let part = |(at, column): &(usize, Option<Arc<Column>>)| match column {
                    Some(column) => column.datum(&table.columns[*at].ty, row).map(|d| d.to_value()),
                    None => Ok(table.layout.absent(*at).to_value()),
                };
                let values = parts.iter().map(part).collect::<Result<Vec<Value>>>()?;
                let datums: Vec<Datum<'_>> = values.iter().map(Value::as_datum).collect();
                table.push_row_key(&datums, key)
            }),
        }
    }

    fn keys(
        &self,
        selection: &Selection,
        push: impl Fn(usize, &mut Vec<u8>) -> Result<()>,
    ) -> Result<ArrayRef> {
        let mut keys = BinaryViewBuilder::with_capacity(selection.len());
        let mut key = Vec::new();
        selection.try_each(|row| {
            key.clear();
            push(row, &mut key)?;
            keys.append_value(&key);
            Ok(())
        })?;
        Ok(Arc::new(keys.finish()))
    }
}
