//! Finding rows: one by key, or a range of an index in either direction.
//!
//! Invariants
//! 1. A row is visited only if it has the key that the index entry claims; entries that a
//!    concurrent writer has just outdated are passed over.
//! 2. Rows come in index order.
//! 3. Expired rows are visited too: `expiry` wraps what is here for everyone else.
//! 4. With `Reach::Memory` a find either visits what it must or ends with `WouldWait(Disk)`; visits
//!    made before that are to be thrown away by the caller.
//! 5. A snapshot older than the last rebuild is refused (`SchemaChanged`), unless the reader holds
//!    that version of the table.
//! 6. What was not found was not there: of a table or an index that goes meanwhile the find ends
//!    with `SchemaChanged`. Indexes that come, and others that go, end none.
//! 7. A find by a covering index reads no rows, and none of its entries is outdated.
//!
//! Not here: turning conditions into ranges (`Table::*_range`), filters (the visitor's).

use std::cell::Cell;

use values::datum::Value;

use values::row::RowRef;

use crate::cache::{LATEST, Miss};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::merged::Span;
use crate::store::{Direction, KeyRange, Reach, Read};
use crate::table::{CoveredRow, Covering, Table};
use crate::temporary_ids::is_temporary_key;

/// Whether a find goes on after a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Visit the next row.
    Continue,
    /// That was the last.
    Stop,
}

/// What became of an entry of a covering index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryVerdict {
    /// It counts; visit the next one.
    Taken,
    /// It does not count: no other entry may be taken for its equal.
    PassedOver,
    /// That was the last.
    Last,
}

/// What an entry of a covering index tells.
#[derive(Clone, Copy, Debug)]
pub struct CoveredEntry<'a> {
    /// The entry: its key and its value.
    pub entry: (&'a [u8], &'a [u8]),
    /// The columns; those not covered are NULL.
    pub values: &'a [Value],
    /// Whether they are those of the entry before, which was taken.
    pub repeated: bool,
    /// How many of the index's leading parts are those of the entry that was told before, taken or
    /// not.
    pub same_parts: usize,
}

/// A row that was found.
#[derive(Clone, Copy, Debug)]
pub struct FoundRow<'a> {
    /// Its key in the store; stays valid as long as the row keeps its primary key.
    pub key: &'a [u8],
    /// Its columns.
    pub row: RowRef<'a>,
}

/// A question that is asked of each entry of a secondary index before its row is read.
pub struct EntryTest<'t> {
    covering: &'t Covering,
    row: CoveredRow,
    /// `Taken`: the row is read; `PassedOver`: it is not.
    ask: &'t mut dyn FnMut(&[Value]) -> Result<EntryVerdict>,
}

impl<'t> EntryTest<'t> {
    /// One that is about the columns of `covering`, which come from `Table::entry_columns`.
    pub fn new(
        table: &Table,
        covering: &'t Covering,
        ask: &'t mut dyn FnMut(&[Value]) -> Result<EntryVerdict>,
    ) -> EntryTest<'t> {
        EntryTest { covering, row: CoveredRow::new(table), ask }
    }

    fn ask(&mut self, table: &Table, (entry, value): (&[u8], &[u8])) -> Result<EntryVerdict> {
        self.covering.read(table, entry, value, &mut self.row)?;
        (self.ask)(self.row.values())
    }
}

/// Visits each row of a find.
pub type Visit<'v> = dyn FnMut(FoundRow<'_>) -> Result<Flow> + 'v;

impl Engine {
    /// As `find`, expired rows included.
    ///
    /// # Errors
    /// As `find`.
    pub fn find_stored(
        &self,
        view: &dyn Read,
        table: &Table,
        index: usize,
        span: Span<'_>,
        direction: Direction,
        reach: Reach,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        self.find_stored_if(view, table, index, span, direction, reach, None, visit)
    }

    /// As `find_stored`, but of a secondary index only rows whose entries pass a test.
    ///
    /// # Errors
    /// As `find`, and whatever the test returns.
    pub(crate) fn find_stored_if(
        &self,
        view: &dyn Read,
        table: &Table,
        index: usize,
        span: Span<'_>,
        direction: Direction,
        reach: Reach,
        mut test: Option<&mut EntryTest<'_>>,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        let point = match span {
            Span::One(range) => range.is_point().then_some(&*range.start),
            _ => None,
        };
        self.note_asked(table, index, point);
        if let Span::One(range) = span
            && range.is_point()
            && table.codec_at(index).unique
        {
            self.check_readable(view, table, index)?;
            return self.find_point(view, table, index, &range.start, reach, test, visit);
        }
        let Some(mut cursor) = span.scan(self, view, table, index, direction, reach)? else {
            return Ok(());
        };
        self.check_readable(view, table, index)?;
        if index == 0 {
            while cursor.advance()? {
                let (key, value) = cursor.entry();
                let row = row_at(table, key, value)?;
                if visit(FoundRow { key, row })? == Flow::Stop {
                    break;
                }
            }
            return Ok(());
        }
        let (mut row_key, mut value, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
        while cursor.advance()? {
            let (entry, value_of_entry) = cursor.entry();
            if let Some(test) = &mut test {
                match test.ask(table, (entry, value_of_entry))? {
                    EntryVerdict::Taken => {}
                    EntryVerdict::PassedOver => continue,
                    EntryVerdict::Last => break,
                }
            }
            let parts_end = table.entry_target(index, entry, value_of_entry, &mut row_key)?;
            if !self.read_row(view, &row_key, reach, &mut value)? {
                self.check_readable(view, table, index)?;
                continue;
            }
            let row = row_at(table, &row_key, &value)?;
            if !table.entry_matches(index, &entry[..parts_end], &row, &mut scratch)? {
                continue;
            }
            if visit(FoundRow { key: &row_key, row })? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    /// Visits the entries of a covering index in order; their rows are read only where
    /// `covering` has to ask them.
    ///
    /// # Errors
    /// As `find`.
    pub fn find_covered(
        &self,
        view: &dyn Read,
        table: &Table,
        covering: &Covering,
        span: Span<'_>,
        direction: Direction,
        reach: Reach,
        row: &mut CoveredRow,
        visit: &mut dyn FnMut(CoveredEntry<'_>) -> Result<EntryVerdict>,
    ) -> Result<()> {
        // One cursor sees one state: its entries are those of rows that are all there in it.
        let index = covering.index();
        self.note_asked(table, index, None);
        let Some(mut cursor) = span.scan(self, view, table, index, direction, reach)? else {
            return Ok(());
        };
        self.check_readable(view, table, covering.index())?;
        while cursor.advance()? {
            if covering.only_counts() {
                let (entry, values) = (cursor.entry(), row.values());
                match visit(CoveredEntry { entry, values, repeated: false, same_parts: 0 })? {
                    EntryVerdict::Taken | EntryVerdict::PassedOver => continue,
                    EntryVerdict::Last => break,
                }
            }
            let entry = cursor.entry();
            if !self.read_covered(view, table, covering, entry, reach, row)? {
                continue;
            }
            let same_parts = row.tell_same();
            let (values, repeated) = (row.values(), row.is_repeated());
            match visit(CoveredEntry { entry, values, repeated, same_parts })? {
                EntryVerdict::Taken => {}
                EntryVerdict::PassedOver => row.forget(),
                EntryVerdict::Last => break,
            }
        }
        Ok(())
    }

    /// As `find_covered`, but tells of entries with the same values together: how many there are,
    /// of many in pieces. `each` may end it.
    ///
    /// # Errors
    /// As `find`.
    pub fn count_runs(
        &self,
        view: &dyn Read,
        table: &Table,
        covering: &Covering,
        span: Span<'_>,
        direction: Direction,
        reach: Reach,
        row: &mut CoveredRow,
        each: &mut dyn FnMut(&[Value], u64) -> Flow,
    ) -> Result<()> {
        let index = covering.index();
        self.note_asked(table, index, None);
        let Some(mut cursor) = span.scan(self, view, table, index, direction, reach)? else {
            return Ok(());
        };
        self.check_readable(view, table, covering.index())?;
        let mut run = 0;
        while cursor.advance()? {
            let entry = cursor.entry();
            let is_next = run > 0 && covering.repeats(entry.0, row);
            let is_told = run > 0 && !is_next || run == COUNTED_AT_ONCE;
            if is_told && each(row.values(), std::mem::take(&mut run)) == Flow::Stop {
                return Ok(());
            }
            run +=
                u64::from(is_next || self.read_covered(view, table, covering, entry, reach, row)?);
        }
        if run > 0 {
            each(row.values(), run);
        }
        Ok(())
    }

    /// Reads what an entry and, as far as it has to be asked, its row tell; `false` if the row is
    /// gone since the cursor began, where the latest state is read.
    pub(crate) fn read_covered(
        &self,
        view: &dyn Read,
        table: &Table,
        covering: &Covering,
        (entry, value): (&[u8], &[u8]),
        reach: Reach,
        row: &mut CoveredRow,
    ) -> Result<bool> {
        if !covering.read(table, entry, value, row)? {
            return Ok(true);
        }
        let (mut key, mut bytes) = std::mem::take(&mut row.asked);
        table.entry_target(covering.index(), entry, value, &mut key)?;
        let found = self.read_row(view, &key, reach, &mut bytes)?;
        if found {
            covering.ask(table, &row_at(table, &key, &bytes)?, row)?;
        } else {
            self.check_readable(view, table, covering.index())?;
            row.forget();
        }
        row.asked = (key, bytes);
        Ok(found)
    }

    /// How many entries a range of an index has, none of them outdated. `each` is told of every few
    /// hundred, and may end it.
    ///
    /// # Errors
    /// As `find`.
    pub fn count_covered(
        &self,
        view: &dyn Read,
        table: &Table,
        index: usize,
        range: &KeyRange,
        reach: Reach,
        each: &mut dyn FnMut(u64) -> Flow,
    ) -> Result<u64> {
        if range.is_empty() {
            return Ok(0);
        }
        self.note_asked(table, index, None);
        let mut cursor = self.scan(view, table, index, range, Direction::Forward, reach)?;
        self.check_readable(view, table, index)?;
        let mut entries = 0u64;
        while cursor.advance()? {
            entries += 1;
            if entries.is_multiple_of(COUNTED_AT_ONCE) && each(COUNTED_AT_ONCE) == Flow::Stop {
                return Ok(entries);
            }
        }
        each(entries % COUNTED_AT_ONCE);
        Ok(entries)
    }

    /// Has the rows fetched into the processor's caches that a batch of look-ups by primary key
    /// is about to visit, so that the batch waits for memory once and not once a row. Of no use
    /// for a single one; looks at the first `PREFETCH_MAX`.
    pub fn look_ahead(&self, index: usize, ranges: &[KeyRange]) {
        if index == 0 && ranges.len() > 1 {
            self.cache().prefetch(ranges.iter().map(|range| range.start.as_slice()));
        }
    }

    /// Counts that an index is asked, and for which key.
    #[inline]
    pub(crate) fn note_asked(&self, table: &Table, index: usize, key: Option<&[u8]>) {
        let of = (table.id, table.index_at(index).id);
        self.asked_keys().note(of, key, || self.unix_seconds());
    }

    fn find_point(
        &self,
        view: &dyn Read,
        table: &Table,
        index: usize,
        key: &[u8],
        reach: Reach,
        test: Option<&mut EntryTest<'_>>,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        if index == 0 {
            return self.visit_row(view, table, key, reach, &mut |found| visit(found).map(|_| ()));
        }
        let mut value = Vec::new();
        if !view.get(key, reach, &mut value)? {
            return self.check_readable(view, table, index);
        }
        if let Some(test) = test
            && test.ask(table, (key, &value))? != EntryVerdict::Taken
        {
            return Ok(());
        }
        let mut row_key = Vec::with_capacity(value.len() + crate::table::PREFIX_BYTES);
        table.entry_target(index, key, &value, &mut row_key)?;
        if self.read_row(view, &row_key, reach, &mut value)? {
            let row = row_at(table, &row_key, &value)?;
            let mut scratch = Vec::new();
            if table.entry_matches(index, key, &row, &mut scratch)? {
                visit(FoundRow { key: &row_key, row })?;
            }
        }
        Ok(())
    }

    /// As `get`, an expired row included.
    ///
    /// # Errors
    /// As `find`.
    pub fn get_stored(
        &self,
        view: &dyn Read,
        table: &Table,
        row_key: &[u8],
        reach: Reach,
        visit: &mut dyn FnMut(FoundRow<'_>) -> Result<()>,
    ) -> Result<bool> {
        self.note_asked(table, 0, Some(row_key));
        self.check_readable(view, table, 0)?;
        let mut seen = false;
        self.visit_row(view, table, row_key, reach, &mut |found| {
            seen = true;
            visit(found)
        })?;
        Ok(seen)
    }

    /// Whether a view shows the rows of this version of the table, and the entries of one of its
    /// indexes, by its position. They are removed after they have ceased to be the current
    /// version's, so what was not found before this said yes was not there.
    #[inline]
    pub(crate) fn check_readable(
        &self,
        view: &dyn Read,
        table: &Table,
        index: usize,
    ) -> Result<()> {
        let is_latest = || std::ptr::addr_eq(view, self.latest());
        if table.is_current() && (is_latest() || table.is_shown_by(view)) {
            return Ok(());
        }
        match !is_latest() && table.is_kept_for(view, table.index_at(index).id) {
            true => Ok(()),
            false => Err(Error::SchemaChanged),
        }
    }

    /// Visits one row, its bytes in a buffer that the thread keeps for the next.
    fn visit_row(
        &self,
        view: &dyn Read,
        table: &Table,
        row_key: &[u8],
        reach: Reach,
        visit: &mut dyn FnMut(FoundRow<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut value = ROW_BUFFER.take();
        let result =
            self.read_row(view, row_key, reach, &mut value).and_then(|found| match found {
                true => visit(FoundRow { key: row_key, row: row_at(table, row_key, &value)? }),
                false => self.check_readable(view, table, 0),
            });
        if value.capacity() <= ROW_BUFFER_BYTES_MAX {
            ROW_BUFFER.set(value);
        }
        result
    }

    /// Reads a row's bytes: as the reader itself has written them, from the row cache if the row
    /// there is that of the view's state, else from the view.
    pub(crate) fn read_row(
        &self,
        view: &dyn Read,
        row_key: &[u8],
        reach: Reach,
        value: &mut Vec<u8>,
    ) -> Result<bool> {
        match self.cached_row(view, row_key, value)? {
            CachedRow::Known(found) => Ok(found),
            CachedRow::Unknown => view.get(row_key, reach, value),
            CachedRow::Missed(miss) => {
                let found = view.get(row_key, reach, value)?;
                if found {
                    self.cache().fill(miss, row_key, value);
                }
                Ok(found)
            }
        }
    }

    /// A row as the reader itself has written it, or as the row cache has it.
    pub(crate) fn cached_row(
        &self,
        view: &dyn Read,
        row_key: &[u8],
        value: &mut Vec<u8>,
    ) -> Result<CachedRow> {
        if !self.cache().is_on() || is_temporary_key(row_key) {
            return Ok(CachedRow::Unknown);
        }
        let at = if std::ptr::addr_eq(view, self.latest()) {
            LATEST
        } else {
            if let Some(found) = view.own_write(row_key, value)? {
                return Ok(CachedRow::Known(found));
            }
            let Some(sequence) = view.sequence() else { return Ok(CachedRow::Unknown) };
            sequence
        };
        Ok(match self.cache().get(row_key, at, value) {
            Ok(()) => CachedRow::Known(true),
            Err(miss) => CachedRow::Missed(miss),
        })
    }
}

/// What is known of a row before the store is asked.
pub(crate) enum CachedRow {
    /// Whether it is there.
    Known(bool),
    /// The row cache may have it when the store has told it.
    Missed(Miss),
    /// It is a matter of the store alone.
    Unknown,
}

/// Entries that are counted between two looks at who asked for them.
const COUNTED_AT_ONCE: u64 = 256;

/// Most bytes of a row buffer that a thread keeps.
const ROW_BUFFER_BYTES_MAX: usize = 64 * 1024;

thread_local! {
    static ROW_BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

pub(crate) fn row_at<'a>(table: &'a Table, key: &[u8], value: &'a [u8]) -> Result<RowRef<'a>> {
    RowRef::new(&table.layout, value).map_err(|error| Error::from(error).at(key))
}
