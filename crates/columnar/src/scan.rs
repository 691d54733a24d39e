//! Scans by column: of the rows of a table that a view shows, some columns, in batches.
//!
//! First come the rows of segments, from which tests leave out whole segments by what is known of
//! them, and rows before any other column is looked at; then the recent ones.
//!
//! Invariants
//! 1. Each row of the view comes once, whatever is sealed or merged meanwhile.
//! 2. What is read are the rows for which all tests hold.
//!
//! Not here: how a part is read (`batches`, `recent`), what becomes of the batches.

mod batches;
mod recent;

use std::any::Any;
use std::ops::Bound;
use std::sync::Arc;

use arrow_array::ArrayRef;
use rows::error::{Error, Result};
use rows::schema::Column as TableColumn;
use rows::store::{Direction, Reach, Read};
use rows::table::Table;
use values::datum::{Datum, Value};

use crate::column::{Column, Shape, number_of, shape_of};
use crate::keys::{self, RECENT};
use crate::note_cache::NotedRow;
use crate::reader::{Columns, Reader};
use crate::segment::SegmentColumn;
use crate::snapshot::ColumnSnapshot;
use crate::state::{Live, State};
use crate::tables::KnownTable;

pub use batches::Batches;
pub(crate) use batches::{ColumnSource, Reading, Step};
use recent::Recent;

/// Recent rows that are looked up at once.
pub(crate) const RECENT_ROWS: usize = 1024;

/// A columnar table as a view shows it.
#[derive(Clone)]
pub struct TableColumns {
    view: Arc<dyn Read>,
    columns: Arc<Columns>,
    known: Arc<KnownTable>,
    table: Arc<Table>,
    state: Arc<State>,
    /// Whether there are rows that are in no segment; of a columnar table.
    has_recent: bool,
    /// Of a columnar index: rows that are in no segment as they are now.
    changed: Option<Arc<[NotedRow]>>,
}

/// A condition on one column that is or is not true of its numbers.
#[derive(Clone, Debug)]
pub struct Test {
    position: usize,
    slot: u16,
    /// So that signed numbers order as unsigned ones.
    flip: u64,
    /// Inclusive, flipped.
    ranges: Vec<(u64, u64)>,
    /// Whether it holds for NULL.
    nulls: bool,
}

/// What to read of a table.
#[derive(Clone)]
pub struct ScanRequest {
    /// Positions of columns in the table; the number of columns stands for the row's key.
    pub positions: Arc<[usize]>,
    /// All of which must hold.
    pub tests: Arc<[Test]>,
    /// Rows of a batch.
    pub batch_rows: usize,
}

/// Some columns of some rows.
pub struct Batch {
    /// In the order wanted.
    pub columns: Vec<ArrayRef>,
    /// How many.
    pub rows: usize,
}

impl Test {
    /// That a column's value is among some, if these are given, and between two bounds. `None`
    /// for what cannot be told by numbers.
    pub fn new(
        (position, column): (usize, &TableColumn),
        among: Option<&[Value]>,
        lower: Bound<&Value>,
        upper: Bound<&Value>,
    ) -> Option<Test> {
        let Shape::Number { unsigned } = shape_of(&column.ty) else { return None };
        let flip = if unsigned { 0 } else { 1 << 63 };
        let number = |value: &Value| {
            number_of(&column.ty, value.as_datum()).ok().map(|number| number ^ flip)
        };
        let lowest = match lower {
            Bound::Unbounded => 0,
            Bound::Included(value) => number(value)?,
            Bound::Excluded(value) => number(value)?.checked_add(1)?,
        };
        let highest = match upper {
            Bound::Unbounded => u64::MAX,
            Bound::Included(value) => number(value)?,
            Bound::Excluded(value) => number(value)?.checked_sub(1)?,
        };
        let is_open = matches!((lower, upper), (Bound::Unbounded, Bound::Unbounded));
        let (ranges, nulls) = match among {
            None if is_open => return None,
            None => (vec![(lowest, highest)], false),
            Some(values) => {
                let numbers = values.iter().filter(|value| !value.is_null()).map(number);
                let numbers = numbers.collect::<Option<Vec<u64>>>()?;
                let within = numbers.into_iter().filter(|n| (lowest..=highest).contains(n));
                let ranges = within.map(|number| (number, number)).collect();
                (ranges, is_open && values.iter().any(Value::is_null))
            }
        };
        Some(Test { position, slot: column.slot, flip, ranges, nulls })
    }

    fn holds_for(&self, table: &Table, datum: Datum<'_>) -> bool {
        if datum.is_null() {
            return self.nulls;
        }
        let number = number_of(&table.columns[self.position].ty, datum);
        number.is_ok_and(|number| {
            let number = number ^ self.flip;
            self.ranges.iter().any(|(min, max)| (*min..=*max).contains(&number))
        })
    }

    /// Whether it holds for every row of a segment.
    fn holds_in(&self, column: &SegmentColumn) -> bool {
        let in_range = column.range.is_some_and(|(smallest, largest)| {
            let (smallest, largest) = (smallest ^ self.flip, largest ^ self.flip);
            self.ranges.iter().any(|(min, max)| *min <= smallest && largest <= *max)
        });
        in_range && (self.nulls || column.nulls == 0)
    }

    /// Whether it may hold for a row of a segment.
    fn may_hold_in(&self, column: &SegmentColumn) -> bool {
        let in_range = column.range.is_some_and(|(smallest, largest)| {
            let (smallest, largest) = (smallest ^ self.flip, largest ^ self.flip);
            self.ranges.iter().any(|(min, max)| *min <= largest && smallest <= *max)
        });
        in_range || self.nulls && column.nulls > 0
    }
}

/// What a view shows of a columnar table by column; `None` when the table is none, when the view
/// has writes of its own over it, and when its rows expire: which have done so is seen of rows.
///
/// # Errors
/// `Corrupt`, `Store`.
pub fn columns_of(view: &dyn Read, table: &Table) -> Result<Option<TableColumns>> {
    match table.expiry_column() {
        Some(_) => Ok(None),
        None => stored_columns_of(view, table),
    }
}

/// As `columns_of`, expired rows included.
///
/// # Errors
/// `Corrupt`, `Store`.
pub fn stored_columns_of(view: &dyn Read, table: &Table) -> Result<Option<TableColumns>> {
    if !table.columnar {
        return Ok(None);
    }
    let beneath = view.beneath(&table.index_range(0));
    match beneath.and_then(<dyn Any>::downcast_ref::<ColumnSnapshot>) {
        Some(_) if !table.is_shown_by(view) => Err(Error::SchemaChanged),
        Some(snapshot) => TableColumns::of(snapshot, table),
        None => Ok(None),
    }
}

impl TableColumns {
    pub(crate) fn of(snapshot: &ColumnSnapshot, table: &Table) -> Result<Option<TableColumns>> {
        let Some(known) = snapshot.columns.tables.get(table.id) else { return Ok(None) };
        let state = known.state_of(&*snapshot.inner, snapshot.moment)?;
        let has_recent = known.has_recent(&*snapshot.inner, snapshot.moment)?;
        let (view, columns) = (Arc::clone(&snapshot.inner), Arc::clone(&snapshot.columns));
        let table = known.table();
        Ok(Some(TableColumns { view, columns, known, table, state, has_recent, changed: None }))
    }

    /// Of a columnar index, whose segments show none of the changed rows.
    pub(crate) fn of_index(
        snapshot: &ColumnSnapshot,
        known: Arc<KnownTable>,
        state: Arc<State>,
        changed: Arc<[NotedRow]>,
    ) -> TableColumns {
        let (view, columns) = (Arc::clone(&snapshot.inner), Arc::clone(&snapshot.columns));
        let (table, changed) = (known.table(), Some(changed));
        TableColumns { view, columns, known, table, state, has_recent: false, changed }
    }

    /// How many rows are read as rows, at most; of a columnar index.
    pub fn changed(&self) -> usize {
        self.changed.as_ref().map_or(0, |rows| rows.len())
    }

    /// How many rows there are, if that is known without a look at them.
    ///
    /// # Errors
    /// `Store`.
    pub fn rows_known(&self) -> Result<Option<u64>> {
        match &self.changed {
            Some(changed) if !changed.is_empty() => Ok(None),
            Some(_) => Ok(Some(self.state.rows())),
            None => self.rows().map(Some),
        }
    }

    /// The table's version in use.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Whether there are rows that are in no segment.
    pub(crate) fn has_recent(&self) -> bool {
        self.has_recent
    }

    pub(crate) fn view(&self) -> &dyn Read {
        &*self.view
    }

    pub(crate) fn segments(&self) -> impl Iterator<Item = &Live> {
        self.state.segments.iter()
    }

    /// A column that a segment has.
    pub(crate) fn stored_column(&self, live: &Live, slot: u16) -> Result<Arc<Column>> {
        let reader = Reader { columns: &self.columns, inner: &*self.view };
        reader.stored_column(self.known.home, live, slot)
    }

    /// How many rows there are.
    ///
    /// # Errors
    /// `Store`.
    pub fn rows(&self) -> Result<u64> {
        if !self.has_recent {
            return Ok(self.state.rows());
        }
        let range = keys::range(self.known.id, RECENT);
        let mut cursor = self.view.scan(&range, Direction::Forward, Reach::Disk)?;
        let mut recent = 0;
        while cursor.advance()? {
            recent += 1;
        }
        Ok(self.state.rows() + recent)
    }

    /// Divides the table into so many parts or fewer; `tests` as in `ScanRequest`.
    pub fn parts(&self, count: usize, tests: &[Test]) -> Vec<Part> {
        let may_hold = |live: &&Live| {
            tests.iter().all(|test| match live.segment.column(test.slot) {
                Some(column) => test.may_hold_in(column),
                None => true,
            })
        };
        let wanted: Vec<&Live> = self.state.segments.iter().filter(may_hold).collect();
        let count = count.min(wanted.len()).max(1);
        let mut parts: Vec<Part> = vec![Part::default(); count];
        for (at, live) in wanted.into_iter().enumerate() {
            parts[at % count].segments.push(live.clone());
        }
        match &self.changed {
            // The last one has the fewest segments.
            None => {
                if let Some(last) = parts.last_mut().filter(|_| self.has_recent) {
                    last.recent = Some(Recent::Noted(keys::range(self.known.id, RECENT)));
                }
            }
            Some(changed) => {
                let each = changed.len().div_ceil(parts.len());
                for (part, first) in parts.iter_mut().zip((0..).step_by(each.max(1))) {
                    let rows = first.min(changed.len())..(first + each).min(changed.len());
                    part.recent = Some(Recent::Changed(rows));
                }
            }
        }
        parts
    }

    /// Reads a part.
    pub fn read(self, part: Part, wanted: ScanRequest) -> Batches {
        Batches::new(self, part, wanted)
    }
}

/// A part of a table.
#[derive(Clone, Debug, Default)]
pub struct Part {
    segments: Vec<Live>,
    recent: Option<Recent>,
}

impl Part {
    pub(crate) fn segments(&self) -> &[Live] {
        &self.segments
    }

    /// About how many rows.
    pub fn rows(&self) -> u64 {
        self.segments.iter().map(|live| u64::from(live.rows())).sum()
    }
}
