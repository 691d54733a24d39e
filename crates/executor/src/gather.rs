//! Reading rows of an access path into memory, a piece at a time.
//!
//! Invariants
//! 1. A piece that fails (it would wait, say) leaves the place and the buffer as they were: the
//!    same piece can be read again elsewhere.
//! 2. Between pieces only the place is kept: the view must be the same one.
//! 3. What is gathered is drawn from the memory for clients, once it is more than a little.
//!
//! Not here: which ranges (`access`), when rows are read past the index (`sweep`), what becomes of
//! the rows (`select`, `write`).

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use expression::{KillMark, RowView};
use resources::budget::{Budget, SMALL_BYTES, Share};
use rows::cache::PREFETCH_MAX;
use rows::engine::Engine;
use rows::error::Error;
use rows::find::{EntryTest, EntryVerdict, Flow, FoundRow};
use rows::merged;
use rows::store::{Direction, KeyRange, Reach, Read};
use rows::table::{Covering, Table};
use values::datum::Value;
use values::row::RowRef;

use crate::sweep::{ASKED_AFTER, Course, RowSpan, Sweep};
use plan::point::RowCandidate;
use plan::point::{IndexRanges, Ranges};
use results::{Result, SqlError};

/// How many rows are looked at between two looks at the kill mark.
const KILL_CHECK_ROWS: u32 = 1024;

#[derive(Clone, Copy, Debug)]
struct KeySpan {
    key: u32,
    row: u32,
    end: u32,
}

/// Rows read: keys and bytes.
#[derive(Debug, Default)]
pub struct GatheredRows {
    bytes: Vec<u8>,
    spans: Vec<KeySpan>,
    /// Memory for all of it; a look-up of a few rows needs none.
    share: Option<Share>,
}

/// Bytes of one buffer: places in it have 32 bits.
const GATHERED_BYTES_MAX: usize = u32::MAX as usize;

impl GatheredRows {
    /// How many.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
    }

    /// Bytes drawn from the budget.
    pub fn drawn_bytes(&self) -> usize {
        self.share.as_ref().map_or(0, Share::bytes)
    }

    /// Adds a row.
    ///
    /// # Errors
    /// `NoMemory`; the row is not added then.
    pub fn push(&mut self, budget: &Arc<Budget>, key: &[u8], row: &[u8]) -> rows::Result<()> {
        let bytes = self.bytes.len() + key.len() + row.len();
        let memory = bytes + (self.spans.len() + 1) * size_of::<KeySpan>();
        if memory > SMALL_BYTES {
            if bytes > GATHERED_BYTES_MAX {
                return Err(Error::NoMemory);
            }
            self.share.get_or_insert_with(|| budget.share()).keep_up_with(memory)?;
        }
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(key);
        let middle = self.bytes.len() as u32;
        self.bytes.extend_from_slice(row);
        self.spans.push(KeySpan { key: start, row: middle, end: self.bytes.len() as u32 });
        Ok(())
    }

    /// A row's key.
    pub fn key(&self, n: usize) -> &[u8] {
        let span = self.spans[n];
        &self.bytes[span.key as usize..span.row as usize]
    }

    /// A row's bytes.
    pub fn row_bytes(&self, n: usize) -> &[u8] {
        let span = self.spans[n];
        &self.bytes[span.row as usize..span.end as usize]
    }

    /// A row.
    ///
    /// # Errors
    /// `Corrupt` when its bytes do not decode.
    pub fn row<'a>(&'a self, table: &'a Table, n: usize) -> Result<RowRef<'a>> {
        Ok(RowRef::new(&table.layout, self.row_bytes(n))?)
    }

    /// The rows in another order.
    pub fn reorder(&mut self, order: &[usize]) {
        self.spans = order.iter().map(|n| self.spans[*n]).collect();
    }

    /// The rows by their keys' order.
    pub fn in_key_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by(|a, b| self.key(*a).cmp(self.key(*b)));
        order
    }

    fn truncate(&mut self, rows: usize) {
        if let Some(span) = self.spans.get(rows) {
            self.bytes.truncate(span.key as usize);
            self.spans.truncate(rows);
        }
    }
}

/// A place within ranges of indexes.
#[derive(Debug)]
pub struct Gatherer {
    direction: Direction,
    /// Still to read, of each part the last range first; the last part is read first.
    found: Ranges,
    /// Matching rows still to pass over.
    offset: u64,
    /// Matching rows that were to be passed over at first.
    offset_at_first: u64,
    /// Matching rows still to take.
    limit: u64,
    kill: Option<Arc<KillMark>>,
    /// Matching rows that were wanted at first, passed over or taken.
    wanted: u64,
    /// Rows that were looked at where all may be read instead: those whose span is known.
    looked_at: u64,
    /// Entries that were asked for these.
    asked: u64,
    /// How entries are asked before their rows are read, if they are.
    by_entry: Option<Arc<Covering>>,
    sweep: Sweep,
}

/// How much one piece may hold.
#[derive(Clone, Copy, Debug)]
pub struct PieceLimits {
    /// Most bytes; the row that reaches it is the last.
    pub bytes_max: usize,
    /// Most rows.
    pub rows_max: usize,
    /// Most rows that may be looked at for it; when they are not enough, it is to be read where
    /// nobody waits.
    pub seen_max: u32,
}

impl PieceLimits {
    /// Everything there is.
    pub const ALL: PieceLimits =
        PieceLimits { bytes_max: usize::MAX, rows_max: usize::MAX, seen_max: u32::MAX };
}

/// Decides whether a candidate counts.
pub type Filter<'f> = dyn FnMut(RowView<'_>, RowCandidate) -> Result<bool> + 'f;

impl Gatherer {
    /// The beginning of what was found, in the given direction.
    pub fn new(mut found: Ranges, direction: Direction, offset: u64, limit: u64) -> Gatherer {
        if direction == Direction::Forward {
            found.first.ranges.reverse();
            found.others.iter_mut().for_each(|part| part.ranges.reverse());
        }
        Gatherer {
            direction,
            found,
            offset,
            offset_at_first: offset,
            limit,
            kill: None,
            wanted: offset.saturating_add(limit),
            looked_at: 0,
            asked: 0,
            by_entry: None,
            sweep: Sweep::Never,
        }
    }

    /// Asks entries before their rows are read: of a way that has one index alone.
    pub fn asking_entries(mut self, by_entry: Option<&Arc<Covering>>) -> Gatherer {
        self.by_entry = by_entry.cloned();
        self
    }

    /// Whether rows may come in any order: all of the table may be read then where many would have
    /// to be looked up. That begins with a piece, which ends early for it, so whoever locks rows
    /// has done so with those that were found before.
    pub fn in_any_order(mut self, is_any: bool) -> Gatherer {
        self.sweep = if is_any { Sweep::Allowed(RowSpan::default()) } else { Sweep::Never };
        self
    }

    /// Asks this mark from time to time.
    pub fn with_kill(mut self, kill: Arc<KillMark>) -> Gatherer {
        self.kill = Some(kill);
        self
    }

    /// How many matching rows were passed over so far.
    pub fn passed(&self) -> u64 {
        self.offset_at_first - self.offset
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.limit == 0 || self.found.iter().next().is_none()
    }

    /// Reads a piece behind what `out` holds, or less of it where rows may come in any order; the
    /// table is always the one that the ranges are of.
    ///
    /// # Errors
    /// `would_wait` as the reach demands, 1041 when there is no memory for so many rows, 1412 when
    /// the table changed, 1317 when killed, and what the filter returns.
    pub fn fill(
        &mut self,
        engine: &Engine,
        table: &Table,
        view: &dyn Read,
        reach: Reach,
        piece: PieceLimits,
        filter: Option<&mut Filter<'_>>,
        out: &mut GatheredRows,
    ) -> Result<()> {
        if self.looked_at >= ASKED_AFTER && self.sweep.is_open(&self.found, table, reach) {
            // As many as are wanted still, as far as those before tell.
            let left = self.offset.saturating_add(self.limit);
            let wanted = left.saturating_mul(self.looked_at) / (self.wanted - left).max(1);
            let course = Course { looked_up: self.looked_at, asked: self.asked, wanted };
            if self.sweep.ask(engine, table, view, &mut self.found, course)? {
                self.direction = Direction::Forward;
            }
        }
        let is_open = self.sweep.is_open(&self.found, table, reach);
        let (rows_before, offset_before, limit_before) = (out.len(), self.offset, self.limit);
        let result = self.fill_piece(engine, table, view, reach, piece, filter, out);
        match result {
            Ok(next) => {
                if let Some(kill) = &self.kill {
                    kill.owner_of_work().note_examined(u64::from(next.seen));
                }
                if is_open {
                    self.looked_at += u64::from(next.looked_up);
                    self.asked += u64::from(next.seen);
                }
                self.found.others.truncate(next.part);
                let ranges = &mut self.found.part_mut(next.part).ranges;
                ranges.truncate(next.ranges_left);
                if let (Some(from), Some(range)) = (next.from, ranges.last_mut()) {
                    match self.direction {
                        Direction::Forward => {
                            range.start = from;
                            range.start.push(0);
                        }
                        Direction::Backward => range.end = from,
                    }
                }
                Ok(())
            }
            Err(error) => {
                out.truncate(rows_before);
                (self.offset, self.limit) = (offset_before, limit_before);
                Err(error)
            }
        }
    }

    fn fill_piece(
        &mut self,
        engine: &Engine,
        table: &Table,
        view: &dyn Read,
        reach: Reach,
        piece: PieceLimits,
        mut filter: Option<&mut Filter<'_>>,
        out: &mut GatheredRows,
    ) -> Result<Next> {
        let is_open = self.sweep.is_open(&self.found, table, reach);
        let looked_at = self.looked_at;
        let mut part = self.found.others.len();
        let mut left = self.found.part(part).ranges.len();
        let (seen, mut looked_up) = (Cell::new(0u32), 0u32);
        let base = out.len();
        while self.limit > 0 && (left > 0 || part > 0) {
            if left == 0 {
                part -= 1;
                left = self.found.part(part).ranges.len();
                continue;
            }
            let IndexRanges { index, ranges } = self.found.part(part);
            if (ranges.len() - left).is_multiple_of(PREFETCH_MAX) {
                let batch = left.saturating_sub(PREFETCH_MAX)..left;
                engine.look_ahead(*index, &ranges[batch]);
            }
            let range = &ranges[left - 1];
            let failure = Cell::new(None);
            let mut from = None;
            let (offset, limit) = (&mut self.offset, &mut self.limit);
            let kill = self.kill.as_deref();
            let sweep = &mut self.sweep;
            // Whether it may go on to one more entry or row.
            let may_see = || {
                seen.set(seen.get().wrapping_add(1));
                let failed = if seen.get() > piece.seen_max {
                    Some(SqlError::WouldWait)
                } else if seen.get().is_multiple_of(KILL_CHECK_ROWS) {
                    kill.and_then(|kill| kill.check().err()).map(SqlError::from)
                } else {
                    None
                };
                let may = failed.is_none();
                failure.set(failed);
                may
            };
            let filter = RefCell::new(filter.as_deref_mut());
            let asks = *index > 0 && self.by_entry.is_some();
            let candidate = if asks { RowCandidate::RowOfEntry } else { RowCandidate::Row(part) };
            let mut ask = |told: &[Value]| {
                if !may_see() {
                    return Ok(EntryVerdict::Last);
                }
                let holds = match filter.borrow_mut().as_deref_mut() {
                    Some(filter) => filter(RowView::Values(told), RowCandidate::Entry),
                    None => Ok(true),
                };
                Ok(match holds {
                    Ok(true) => EntryVerdict::Taken,
                    Ok(false) => EntryVerdict::PassedOver,
                    Err(error) => {
                        failure.set(Some(error));
                        EntryVerdict::Last
                    }
                })
            };
            let mut visit = |found: FoundRow<'_>| {
                if !asks && !may_see() {
                    return Ok(Flow::Stop);
                }
                looked_up = looked_up.wrapping_add(1);
                let is_theirs = match sweep {
                    Sweep::Begun(entries) => entries.have(table, &found)?,
                    Sweep::Allowed(span) if is_open => {
                        span.add(found.key);
                        true
                    }
                    Sweep::Allowed(_) | Sweep::Never => true,
                };
                let counts = match filter.borrow_mut().as_deref_mut() {
                    Some(filter) if is_theirs => filter(RowView::Stored(&found.row), candidate),
                    _ => Ok(is_theirs),
                };
                match counts {
                    Ok(true) if *offset > 0 => *offset -= 1,
                    Ok(true) => {
                        out.push(engine.budget(), found.key, found.row.bytes())?;
                        *limit -= 1;
                    }
                    Ok(false) => {}
                    Err(error) => {
                        failure.set(Some(error));
                        return Ok(Flow::Stop);
                    }
                }
                if *limit == 0 {
                    return Ok(Flow::Stop);
                }
                let is_full = out.len() - base >= piece.rows_max
                    || out.len() > base && out.bytes.len() >= piece.bytes_max;
                if is_full || is_open && looked_at + u64::from(looked_up) >= ASKED_AFTER {
                    from = Some(place_of(table, *index, range, &found)?);
                    return Ok(Flow::Stop);
                }
                Ok(Flow::Continue)
            };
            let direction = self.direction;
            let by_entry = self.by_entry.as_deref().filter(|_| asks);
            let mut test = by_entry.map(|covering| EntryTest::new(table, covering, &mut ask));
            let (span, test) = (merged::Span::One(range), test.as_mut());
            engine.find_if(view, table, *index, span, direction, reach, test, &mut visit)?;
            if let Some(error) = failure.take() {
                return Err(error);
            }
            if from.is_some() {
                return Ok(Next { part, ranges_left: left, from, seen: seen.get(), looked_up });
            }
            left -= 1;
        }
        if self.limit == 0 {
            (part, left) = (0, 0);
        }
        Ok(Next { part, ranges_left: left, from: None, seen: seen.get(), looked_up })
    }
}

/// The key, in the index read, of a row that was found in a range.
fn place_of(
    table: &Table,
    index: usize,
    range: &KeyRange,
    found: &FoundRow<'_>,
) -> rows::Result<Vec<u8>> {
    if index == 0 {
        return Ok(found.key.to_vec());
    }
    if table.multi_valued_at(index).is_some() {
        let own = table.entries_at(index, &found.row, found.key)?;
        let within = own.into_iter().find(|entry| range.contains(&entry.key));
        let why = "an index entry that its row has not";
        let lost = || Error::Corrupt { key: found.key.to_vec(), why };
        return within.map(|entry| entry.key).ok_or_else(lost);
    }
    Ok(table.entry(index, &found.row.values()?, found.key)?.key)
}

/// Where the next piece begins.
struct Next {
    part: usize,
    ranges_left: usize,
    from: Option<Vec<u8>>,
    /// Entries that were asked, or rows that were looked at where none are.
    seen: u32,
    /// Rows that were looked at.
    looked_up: u32,
}
