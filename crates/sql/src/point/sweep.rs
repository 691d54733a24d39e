//! Reading all rows of a table instead of looking up those that many entries of an index point to.
//!
//! A row behind an entry of a secondary index is a look-up of its own, which costs several times as
//! much as the next row in the order of the keys. How many entries a range has is asked only when
//! that matters: after thousands of them. Those that are left are found among the rows then, by the
//! entry that each row has.
//!
//! Invariants
//! 1. A row is found either by the index before, or among the rows after: both go by its entry.
//!
//! Not here: whose rows may come in any order (the callers of `Gatherer::in_any_order`).

use rows::engine::Engine;
use rows::find::Found;
use rows::store::{KeyRange, Reach, Read};
use rows::table::Table;

use super::ranges::{IndexRanges, Ranges};
use crate::error::Result;
use crate::estimate::estimated_rows;

/// Entries that are looked up before it is asked how many there are.
const LOOKED_UP_FIRST: u64 = 4096;
/// What a look-up costs, in rows that are read one after the other and turned into an entry. Measured:
/// 1.2 us for one from the row cache, 5.5 us from blocks in memory; 0.4 us for a row. At this share of a
/// table, a seventh, either choice is at most some 2.5 times as slow as the other would be.
const LOOK_UP_ROWS: u64 = 7;
/// In how many ranges a row's entry is looked for.
const RANGES_MAX: usize = 8;

/// Whether a gatherer may read all rows, and does.
#[derive(Debug)]
pub(super) enum Sweep {
    /// It may not, or it was found not to be worth it.
    Never,
    /// It may, once it was asked whether that is worth it.
    Allowed,
    /// It does: for the rows of these entries.
    Begun(Entries),
}

/// How far a gatherer has come, and what is wanted of it.
pub(super) struct Course {
    /// Rows that were looked at.
    pub looked_at: u64,
    /// Those that counted, passed over by an OFFSET or taken.
    pub counted: u64,
    /// Those that are to count still, at most.
    pub wanted: u64,
}

impl Sweep {
    /// After how many look-ups it has to be asked.
    pub fn asks_after(&self, found: &Ranges, table: &Table, reach: Reach) -> Option<u64> {
        let is_asked = matches!(self, Sweep::Allowed)
            && found.first.index > 0
            && reach == Reach::Disk
            && !table.columnar;
        is_asked.then_some(LOOKED_UP_FIRST)
    }

    /// Begins if so many entries are left that it is worth it, and says so; the ranges are those of all
    /// rows then.
    ///
    /// # Errors
    /// Of the store.
    pub fn ask(
        &mut self,
        engine: &Engine,
        table: &Table,
        view: &dyn Read,
        found: &mut Ranges,
        course: &Course,
    ) -> Result<bool> {
        *self = Sweep::Never;
        if !found.others.is_empty() || found.first.ranges.len() > RANGES_MAX {
            return Ok(false);
        }
        let size = estimated_rows(engine, view, table)?;
        let mut left = 0;
        for range in &found.first.ranges {
            left += engine.entries_about(view, range, size)?;
        }
        // Who wants few of them has them sooner, as far as those before tell.
        let wanted = course.wanted.saturating_mul(course.looked_at) / course.counted.max(1);
        if left.min(wanted).saturating_mul(LOOK_UP_ROWS) <= size {
            return Ok(false);
        }
        let rows = IndexRanges { index: 0, ranges: vec![table.index_range(0)] };
        let IndexRanges { index, ranges } = std::mem::replace(&mut found.first, rows);
        *self = Sweep::Begun(Entries { index, ranges, key: Vec::new(), value: Vec::new() });
        Ok(true)
    }

    /// The entries for whose rows all rows are read.
    pub fn entries(&mut self) -> Option<&mut Entries> {
        match self {
            Sweep::Begun(entries) => Some(entries),
            Sweep::Never | Sweep::Allowed => None,
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
    pub fn have(&mut self, table: &Table, found: &Found<'_>) -> rows::Result<bool> {
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
