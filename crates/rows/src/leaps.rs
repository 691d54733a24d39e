//! Leaping over the entries of an index: of all entries with the same leading parts only an end is
//! looked at, or both.
//!
//! ```text
//! DISTINCT tenant                 index (tenant, made): the first entry of each tenant
//! MAX(made) GROUP BY tenant       the first one backward
//! ```
//! A few entries are passed over by reading them, which is cheaper than a new cursor; behind these
//! the next leading parts are looked for.
//!
//! Invariants
//! 1. Of each value of the leading parts that the range has, the end is told; other entries may be
//!    told as well.
//!
//! Not here: which queries want no more (crate `sql`).

use values::datum::Value;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::find::Flow;
use crate::store::{Cursor, Direction, KeyRange, Reach, Read};
use crate::table::{CoveredRow, Covering, Table, successor};

/// Entries that are passed over before the rest is leapt over.
const PASSED_MAX: usize = 32;

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaps {
    /// How many leading parts make a difference.
    pub parts: usize,
    /// Whether the other end is wanted, too.
    pub both: bool,
}

/// Takes what an entry tells.
type EachLeap<'e> = dyn FnMut(&[Value]) -> Flow + 'e;

/// One run.
struct LeapRun<'l> {
    engine: &'l Engine,
    view: &'l dyn Read,
    table: &'l Table,
    covering: &'l Covering,
    direction: Direction,
    reach: Reach,
    row: CoveredRow,
}

/// What became of an entry.
#[derive(PartialEq, Eq)]
enum LeapEntry {
    Yes,
    /// Its row is gone since.
    Gone,
    /// No more are wanted.
    Last,
}

impl Engine {
    /// Visits the ends of all entries with the same leading parts in a range of a covering index:
    /// those that come first in a direction.
    ///
    /// # Errors
    /// As `find`.
    pub fn leap(
        &self,
        view: &dyn Read,
        table: &Table,
        covering: &Covering,
        range: &KeyRange,
        leaps: Leaps,
        direction: Direction,
        reach: Reach,
        each: &mut EachLeap<'_>,
    ) -> Result<()> {
        let row = CoveredRow::new(table);
        let mut run = LeapRun { engine: self, view, table, covering, direction, reach, row };
        let mut left = range.clone();
        while !left.is_empty() {
            let Some(head) = run.walk(&left, leaps, each)? else { break };
            let whole = KeyRange { start: head.clone(), end: successor(&head) };
            if leaps.both && !run.other_end(&left, &whole, each)? {
                break;
            }
            match direction {
                Direction::Forward if whole.end.is_empty() => break,
                Direction::Forward => left.start = whole.end,
                Direction::Backward => left.end = head,
            }
        }
        Ok(())
    }
}

impl<'l> LeapRun<'l> {
    fn scan(&self, range: &KeyRange, direction: Direction) -> Result<Box<dyn Cursor + 'l>> {
        let LeapRun { engine, view, table, covering, reach, .. } = *self;
        engine.scan(view, table, covering.index(), range, direction, reach)
    }

    /// Goes through a range until there are too many entries with the same leading parts, which it
    /// gives; `None` at the end.
    fn walk(
        &mut self,
        range: &KeyRange,
        leaps: Leaps,
        each: &mut EachLeap<'_>,
    ) -> Result<Option<Vec<u8>>> {
        let mut cursor = self.scan(range, self.direction)?;
        self.engine.check_readable(self.view, self.table, self.covering.index())?;
        let (mut head, mut passed) = (Vec::new(), 0);
        while cursor.advance()? {
            let (entry, value) = cursor.entry();
            if !head.is_empty() && entry.starts_with(&head) {
                passed += 1;
                if passed > PASSED_MAX {
                    return Ok(Some(head));
                }
                if !leaps.both {
                    continue;
                }
            } else {
                passed = 0;
                head.clear();
                let bytes = self.table.head_bytes(self.covering.index(), leaps.parts, entry);
                let damaged = || Error::Corrupt { key: entry.to_vec(), why: "index entry" };
                head.extend_from_slice(&entry[..bytes.ok_or_else(damaged)?]);
            }
            match self.tell(entry, value, each)? {
                LeapEntry::Yes => {}
                // The next one stands for these parts.
                LeapEntry::Gone => head.clear(),
                LeapEntry::Last => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Tells the last entry with the same leading parts; `false` when no more are wanted.
    fn other_end(
        &mut self,
        left: &KeyRange,
        whole: &KeyRange,
        each: &mut EachLeap<'_>,
    ) -> Result<bool> {
        let start = (&left.start).max(&whole.start).clone();
        let end = match (left.end.is_empty(), whole.end.is_empty()) {
            (true, _) => &whole.end,
            (_, true) => &left.end,
            _ => (&left.end).min(&whole.end),
        };
        let back = match self.direction {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
        };
        let range = KeyRange { start, end: end.clone() };
        let mut cursor = self.scan(&range, back)?;
        self.engine.check_readable(self.view, self.table, self.covering.index())?;
        while cursor.advance()? {
            let (entry, value) = cursor.entry();
            match self.tell(entry, value, each)? {
                LeapEntry::Yes => break,
                LeapEntry::Gone => {}
                LeapEntry::Last => return Ok(false),
            }
        }
        Ok(true)
    }

    fn tell(&mut self, entry: &[u8], value: &[u8], each: &mut EachLeap<'_>) -> Result<LeapEntry> {
        let LeapRun { engine, view, table, covering, reach, row, .. } = self;
        if !engine.read_covered(*view, table, covering, (entry, value), *reach, row)? {
            return Ok(LeapEntry::Gone);
        }
        Ok(if each(row.values()) == Flow::Stop { LeapEntry::Last } else { LeapEntry::Yes })
    }
}
