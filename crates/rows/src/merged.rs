//! Several ranges of an index at once, in the order of what stands behind their leading parts.
//!
//! ```text
//! state IN ('new', 'open') ORDER BY made LIMIT 10, index (state, made)
//!   new  | 3  7  9 ..      one cursor each, the least `made` of all is the next entry
//!   open | 1  4  8 ..
//! ```
//!
//! Invariants
//! 1. Within a range the leading parts are the same in all entries, so what is behind them is in
//!    order.
//! 2. Of entries that have the same behind their leading parts, those of earlier ranges come first,
//!    backward those of later ones.
//!
//! Not here: which ranges are read like this (crate `sql`).

use std::cmp::Ordering;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::store::{Cursor, Direction, KeyRange, Reach, Read};
use crate::table::Table;

/// What is read of an index.
#[derive(Clone, Copy, Debug)]
pub enum Span<'r> {
    /// A range, in its order.
    One(&'r KeyRange),
    /// Ranges, each with one value of so many leading parts, in the order of what is behind these.
    Merged(&'r [KeyRange], usize),
}

impl Span<'_> {
    /// A cursor on it; `None` if it holds nothing.
    ///
    /// # Errors
    /// Those of the view.
    pub(crate) fn scan<'v>(
        self,
        engine: &'v Engine,
        view: &'v dyn Read,
        table: &'v Table,
        index: usize,
        direction: Direction,
        reach: Reach,
    ) -> Result<Option<Box<dyn Cursor + 'v>>> {
        let scan = |range| engine.scan(view, table, index, range, direction, reach);
        match self {
            Span::One(range) if range.is_empty() => Ok(None),
            Span::One(range) => scan(range).map(Some),
            Span::Merged(ranges, behind) => {
                let mut cursors = Vec::with_capacity(ranges.len());
                for range in ranges.iter().filter(|range| !range.is_empty()) {
                    cursors.push(RangeCursor { entries: scan(range)?, head: 0 });
                }
                let order = Vec::with_capacity(cursors.len());
                let parts = Parts { table, index, behind };
                Ok(Some(Box::new(MergedRanges { cursors, parts, direction, order, begun: false })))
            }
        }
    }
}

/// One of the ranges.
struct RangeCursor<'v> {
    entries: Box<dyn Cursor + 'v>,
    /// Bytes of the leading parts; zero before the first entry.
    head: usize,
}

/// The leading parts.
#[derive(Clone, Copy)]
struct Parts<'v> {
    table: &'v Table,
    index: usize,
    behind: usize,
}

struct MergedRanges<'v> {
    cursors: Vec<RangeCursor<'v>>,
    parts: Parts<'v>,
    direction: Direction,
    /// The cursors that are on an entry, that of the next one last.
    order: Vec<usize>,
    begun: bool,
}

impl RangeCursor<'_> {
    fn advance(&mut self, parts: Parts<'_>) -> Result<bool> {
        if !self.entries.advance()? {
            return Ok(false);
        }
        if self.head == 0 {
            let key = self.entries.key();
            let head = parts.table.head_bytes(parts.index, parts.behind, key);
            self.head =
                head.ok_or_else(|| Error::Corrupt { key: key.to_vec(), why: "index entry" })?;
        }
        Ok(true)
    }

    /// What is behind the leading parts.
    fn tail(&self) -> &[u8] {
        self.entries.key().get(self.head..).unwrap_or_default()
    }
}

impl MergedRanges<'_> {
    /// Moves a cursor, and finds its place among the others.
    fn move_on(&mut self, at: usize) -> Result<()> {
        if !self.cursors[at].advance(self.parts)? {
            return Ok(());
        }
        let tail = self.cursors[at].tail();
        let comes_later = |other: &usize| {
            let order = self.cursors[*other].tail().cmp(tail).then(other.cmp(&at));
            match self.direction {
                Direction::Forward => order == Ordering::Greater,
                Direction::Backward => order == Ordering::Less,
            }
        };
        let place = self.order.partition_point(comes_later);
        self.order.insert(place, at);
        Ok(())
    }
}

impl Cursor for MergedRanges<'_> {
    fn advance(&mut self) -> Result<bool> {
        if self.begun {
            if let Some(at) = self.order.pop() {
                self.move_on(at)?;
            }
        } else {
            self.begun = true;
            (0..self.cursors.len()).try_for_each(|at| self.move_on(at))?;
        }
        Ok(!self.order.is_empty())
    }

    fn key(&self) -> &[u8] {
        self.entry().0
    }

    fn value(&self) -> &[u8] {
        self.entry().1
    }

    fn entry(&self) -> (&[u8], &[u8]) {
        self.order.last().map_or((&[], &[]), |at| self.cursors[*at].entries.entry())
    }
}
