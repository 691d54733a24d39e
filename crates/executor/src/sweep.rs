//! Reading all rows of a table instead of looking up those that many entries of an index point to.
//!
//! A row behind an entry of a secondary index is a look-up of its own, which costs several times as
//! much as the next row in the order of the keys. How many entries a range has is asked only when
//! that matters: after thousands of them. Those that are left are found among the rows then, by the
//! entry that each row has.
//!
//! Invariants
//! 1. A row is found either by the index before, or among the rows after: both go by its entry.
//!    Where others write meanwhile, that is so for rows that stay as they were, or were locked when
//!    found.
//!
//! Not here: whose rows may come in any order (the callers of `Gatherer::in_any_order`).

use rows::engine::Engine;
use rows::find::FoundRow;
use rows::store::{KeyRange, Reach, Read};
use rows::table::Table;

use plan::estimate::estimated_rows;
use plan::point::{IndexRanges, Ranges};
use results::Result;

/// Entries that are looked up before it is asked how many are left.
pub(super) const ASKED_AFTER: u64 = 4096;
/// What a look-up costs, in rows that are read one after the other and turned into an entry.
/// Measured: 1.2 us for one from the row cache, 5.5 us from blocks in memory; 0.4 us for a row. At
/// this share of a table, a seventh, either choice is at most some 2.5 times as slow as the other
/// would be.
const LOOK_UP_ROWS: u64 = 7;
/// Rows of which each next one is so near are looked up as cheaply as they are read: the order of
/// the index is that of the rows (a time, a number that ascends with the key).
const NEAR_ROWS: u64 = 2;
/// In how many ranges a row's entry is looked for.
const RANGES_MAX: usize = 8;

/// Whether a gatherer may read all rows, and does.
#[derive(Debug)]
pub(super) enum Sweep {
    /// It may not, or it was found not to be worth it.
    Never,
    /// It may, once it was asked whether that is worth it; where the rows lie that it has met.
    Allowed(RowSpan),
    /// It does: for the rows of these entries.
    Begun(Entries),
}

impl Sweep {
    /// Whether it is to be asked, after so many look-ups.
    pub fn is_open(&self, found: &Ranges, table: &Table, reach: Reach) -> bool {
        let first = found.first.index;
        let has_one_entry = table.multi_valued_at(first).is_none();
        let is_allowed = matches!(self, Sweep::Allowed(_)) && has_one_entry;
        is_allowed && first > 0 && reach == Reach::Disk && !table.columnar
    }

    /// Begins if so many entries are left that it is worth it, and says so; the ranges are those of
    /// all rows then.
    ///
    /// # Errors
    /// Of the store.
    pub fn ask(
        &mut self,
        engine: &Engine,
        table: &Table,
        view: &dyn Read,
        found: &mut Ranges,
        Course { looked_up, asked, wanted }: Course,
    ) -> Result<bool> {
        let Sweep::Allowed(span) = std::mem::replace(self, Sweep::Never) else { return Ok(false) };
        if !found.others.is_empty() || found.first.ranges.len() > RANGES_MAX {
            return Ok(false);
        }
        // What a transaction has added is in no count.
        let size = estimated_rows(engine, view, table)?.max(looked_up);
        let mut left = 0;
        for range in &found.first.ranges {
            left += engine.entries_about(view, range, size)?;
        }
        let left = left.saturating_mul(looked_up) / asked.max(looked_up).max(1);
        if left.min(wanted).saturating_mul(LOOK_UP_ROWS) <= size {
            return Ok(false);
        }
        let between = KeyRange { start: span.first, end: span.last };
        if engine.entries_about(view, &between, size)? <= looked_up * NEAR_ROWS {
            return Ok(false);
        }
        let rows = IndexRanges { index: 0, ranges: vec![table.index_range(0)] };
        let IndexRanges { index, ranges } = std::mem::replace(&mut found.first, rows);
        *self = Sweep::Begun(Entries { index, ranges, key: Vec::new(), value: Vec::new() });
        Ok(true)
    }
}

/// How a gatherer has fared so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    /// Rows that were looked up,
    pub looked_up: u64,
    /// of so many entries, which were asked before,
    pub asked: u64,
    /// and no more of either are wanted than so many.
    pub wanted: u64,
}

/// The first and the last of some rows' keys.
#[derive(Debug, Default)]
pub(super) struct RowSpan {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl RowSpan {
    /// One more row.
    pub fn add(&mut self, key: &[u8]) {
        if self.last.is_empty() || *key < *self.first {
            key.clone_into(&mut self.first);
        }
        if *key > *self.last {
            key.clone_into(&mut self.last);
        }
    }
}

/// Entries of an index.
#[derive(Debug)]
pub(super) struct Entries {
    index: usize,
    ranges: Vec<KeyRange>,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Entries {
    /// Whether a row's entry is among them.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn have(&mut self, table: &Table, found: &FoundRow<'_>) -> rows::Result<bool> {
        let Entries { index, ranges, key, value } = self;
        table.push_entry_by(
            *index,
            |column| Ok(found.row.column(column)?),
            found.key,
            key,
            value,
        )?;
        Ok(ranges.iter().any(|range| range.contains(key)))
    }
}
