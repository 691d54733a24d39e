//! Scans, of the latest state or of a snapshot: most by an iterator that is used again (`spare`),
//! those of ranges without an end, and those that go through much, by one of their own.
//!
//! Not here: look-ups (`reading`).

use rocksdb::{DBRawIterator, ReadOptions, Snapshot};
use rows::error::Result;
use rows::store::{Cursor, Direction, KeyRange, Reach};

use crate::internals::failure::of_read;
use crate::internals::spare::{IteratorStep, LATEST, Spare};
use crate::open_database::OpenDatabase;
use crate::reading::{CursorState, read_options};
use crate::tombstones::PassCount;

/// Bytes that are read at once by who goes through much.
const READ_AHEAD: usize = 256 << 10;

/// A cursor on the latest state, or on a snapshot, which must outlive it.
pub(crate) fn scan<'a>(
    shared: &'a OpenDatabase,
    snapshot: Option<&Snapshot<'_>>,
    range: &KeyRange,
    direction: Direction,
    reach: Reach,
) -> Box<dyn Cursor + 'a> {
    if range.end.is_empty() || range.is_empty() {
        return cursor(shared, read_options(snapshot, reach), range, direction);
    }
    let moment = snapshot.map(Snapshot::sequence_number);
    Box::new(SpareCursor::new(shared, range, direction, moment, reach))
}

/// A cursor on a snapshot, for `Read::scan_once`.
pub(crate) fn scan_once<'a>(
    shared: &'a OpenDatabase,
    snapshot: &Snapshot<'_>,
    range: &KeyRange,
) -> Box<dyn Cursor + 'a> {
    let mut options = read_options(Some(snapshot), Reach::Disk);
    options.fill_cache(false);
    options.set_readahead_size(READ_AHEAD);
    cursor(shared, options, range, Direction::Forward)
}

fn cursor<'a>(
    shared: &'a OpenDatabase,
    mut options: ReadOptions,
    range: &KeyRange,
    direction: Direction,
) -> Box<dyn Cursor + 'a> {
    options.set_iterate_lower_bound(&range.start[..]);
    if !range.end.is_empty() {
        options.set_iterate_upper_bound(&range.end[..]);
    }
    let state = CursorState::first(range);
    let entries = shared.database.raw_iterator_opt(options);
    let (range, passing) = (range.clone(), PassCount::begin());
    Box::new(RocksCursor { entries, range, direction, state, passing, shared })
}

impl OpenDatabase {
    /// Counts what a cursor passed over that goes away: it has gone through its range up to a key,
    /// or to its end.
    pub(crate) fn end_passing(
        &self,
        passing: &PassCount,
        (range, direction): (&KeyRange, Direction),
        at: Option<&[u8]>,
    ) {
        let gone_through = || {
            let KeyRange { start, end } = range.clone();
            match (at.map(<[u8]>::to_vec), direction) {
                (Some(key), Direction::Forward) => KeyRange { start, end: key },
                (Some(key), Direction::Backward) => KeyRange { start: key, end },
                (None, _) => KeyRange { start, end },
            }
        };
        if passing.end(&self.tombstones, gone_through) {
            self.syncing.note_hidden();
        }
    }
}

struct RocksCursor<'a> {
    entries: DBRawIterator<'a>,
    range: KeyRange,
    direction: Direction,
    state: CursorState,
    passing: PassCount,
    shared: &'a OpenDatabase,
}

impl Drop for RocksCursor<'_> {
    fn drop(&mut self) {
        let range = (&self.range, self.direction);
        self.shared.end_passing(&self.passing, range, self.entries.key());
    }
}

impl Cursor for RocksCursor<'_> {
    fn advance(&mut self) -> Result<bool> {
        match self.state.step(self.direction) {
            Some(IteratorStep::First) => self.entries.seek_to_first(),
            Some(IteratorStep::Last) => self.entries.seek_to_last(),
            Some(IteratorStep::Next) => self.entries.next(),
            Some(IteratorStep::Previous) => self.entries.prev(),
            None => return Ok(false),
        }
        if self.entries.valid() {
            self.state = CursorState::On;
            PassCount::show();
            return Ok(true);
        }
        self.state = CursorState::Done;
        match self.entries.status() {
            Ok(()) => Ok(false),
            Err(error) => Err(of_read("scanning", error)),
        }
    }

    fn key(&self) -> &[u8] {
        self.entries.key().unwrap_or_default()
    }

    fn value(&self) -> &[u8] {
        self.entries.value().unwrap_or_default()
    }

    fn entry(&self) -> (&[u8], &[u8]) {
        self.entries.item().unwrap_or_default()
    }
}

/// A cursor on a range whose iterator will be used again.
struct SpareCursor<'a> {
    /// There until the cursor is dropped, or has failed.
    spare: Option<Spare>,
    direction: Direction,
    state: CursorState,
    passing: PassCount,
    shared: &'a OpenDatabase,
}

impl<'a> SpareCursor<'a> {
    /// On a range that is not empty and has an end, as of `moment`, which the caller has a snapshot
    /// of for as long, or as of now.
    fn new(
        shared: &'a OpenDatabase,
        range: &KeyRange,
        direction: Direction,
        moment: Option<u64>,
        reach: Reach,
    ) -> SpareCursor<'a> {
        let passing = PassCount::begin();
        let moment = moment.unwrap_or(LATEST);
        let spare = shared.spares.sent_to(&shared.database, range, moment, reach);
        SpareCursor { spare: Some(spare), direction, state: CursorState::Before, passing, shared }
    }
}

impl Drop for SpareCursor<'_> {
    fn drop(&mut self) {
        let Some(spare) = self.spare.take() else { return };
        let at = (self.state == CursorState::On).then(|| spare.entry().0);
        self.shared.end_passing(&self.passing, (&spare.range, self.direction), at);
        self.shared.spares.put(spare);
        self.shared.syncing.note_spares();
    }
}

impl Cursor for SpareCursor<'_> {
    fn advance(&mut self) -> Result<bool> {
        let Some(spare) = &mut self.spare else { return Ok(false) };
        let Some(step) = self.state.step(self.direction) else { return Ok(false) };
        let found = spare.step(step);
        match found {
            Ok(true) => {
                self.state = CursorState::On;
                PassCount::show();
            }
            Ok(false) => self.state = CursorState::Done,
            Err(_) => self.spare = None,
        }
        found
    }

    fn key(&self) -> &[u8] {
        self.entry().0
    }

    fn value(&self) -> &[u8] {
        self.entry().1
    }

    fn entry(&self) -> (&[u8], &[u8]) {
        self.spare.as_ref().map(Spare::entry).unwrap_or_default()
    }
}
