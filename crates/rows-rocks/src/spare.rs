//! Cursors that are used again: of a reader that scans many small ranges, such as the inner side of a
//! join.
//!
//! To make an iterator of RocksDB costs more than to look for a key with it: it has one for each
//! write buffer, file of the first level and further level. So an iterator over all keys is kept
//! and sent to the next range.
//!
//! The first scan has a cursor with bounds, which is the better one: it may be the only scan. An
//! iterator that is kept has none, and might pass over very many deleted entries behind the end of
//! a range. After `SKIPPED_MAX` of them it gives up, and a cursor with bounds goes on where it was.
//!
//! Invariants
//! 1. Iterators are kept only while scans are expected: each holds the write buffers and files of
//!    the moment when it was made.
//! 2. A cursor shows what one with bounds would show.
//!
//! Not here: cursors with bounds (`reading`).

use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rocksdb::{DB, DBRawIterator, ErrorKind, Snapshot};
use rows::error::Result;
use rows::store::{Cursor, Direction, KeyRange, Reach};

use crate::failure::of_read;
use crate::hidden::Passing;
use crate::reading::{State, read_options, scan};
use crate::store::Shared;

/// Entries that no reader sees any more, after which an iterator without bounds gives up.
const SKIPPED_MAX: u64 = 64;
/// Most iterators kept: as many as joins are deep, rarely more.
const SPARES_MAX: usize = 8;

/// Iterators of one snapshot that wait for their next range.
#[derive(Default)]
pub(crate) struct Spares {
    /// How many expect scans.
    expected: AtomicUsize,
    /// Scans begun since they are expected.
    begun: AtomicUsize,
    waiting: Mutex<Vec<(Reach, DBRawIterator<'static>)>>,
}

impl Spares {
    /// Whether the scan that begins is one of several.
    pub(crate) fn are_of_use(&self) -> bool {
        self.is_expected() && self.begun.fetch_add(1, Ordering::Relaxed) > 0
    }

    fn is_expected(&self) -> bool {
        self.expected.load(Ordering::Relaxed) > 0
    }

    /// Scans are expected, or one less who expects them.
    pub(crate) fn expect(&self, expected: bool) {
        if expected {
            self.expected.fetch_add(1, Ordering::Relaxed);
        } else if self.expected.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.begun.store(0, Ordering::Relaxed);
            self.waiting.lock().clear();
        }
    }

    /// One that was kept.
    fn take(&self, reach: Reach) -> Option<DBRawIterator<'static>> {
        let mut waiting = self.waiting.lock();
        let at = waiting.iter().rposition(|(own, _)| *own == reach)?;
        Some(waiting.swap_remove(at).1)
    }

    fn put(&self, reach: Reach, entries: DBRawIterator<'static>) {
        let mut waiting = self.waiting.lock();
        if self.is_expected() && waiting.len() < SPARES_MAX {
            waiting.push((reach, entries));
        }
    }
}

/// A cursor on a range whose iterator will be used again.
pub(crate) struct SpareCursor<'a> {
    /// There until the cursor is dropped.
    entries: Option<DBRawIterator<'static>>,
    range: KeyRange,
    direction: Direction,
    reach: Reach,
    state: State,
    /// The entry that was shown last.
    last: Vec<u8>,
    /// What goes on where the iterator gave up.
    instead: Option<Box<dyn Cursor + 'a>>,
    passing: Passing,
    origin: Origin<'a>,
}

/// Where a cursor comes from.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub shared: &'a Shared,
    pub snapshot: &'a Snapshot<'static>,
    pub spares: &'a Spares,
    /// The database of `shared`, for iterators that are kept beside it.
    pub database: &'static DB,
}

impl<'a> SpareCursor<'a> {
    pub(crate) fn new(
        origin: Origin<'a>,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> SpareCursor<'a> {
        let entries = origin.spares.take(reach).unwrap_or_else(|| origin.entries(reach));
        SpareCursor {
            entries: Some(entries),
            range: range.clone(),
            direction,
            reach,
            state: State::first(range),
            last: Vec::new(),
            instead: None,
            passing: Passing::begin(),
            origin,
        }
    }

    /// Goes on with a cursor that has bounds.
    fn go_on(&mut self) -> Result<bool> {
        let mut rest = self.range.clone();
        if self.state == State::On {
            match self.direction {
                Direction::Forward => {
                    rest.start.clone_from(&self.last);
                    rest.start.push(0);
                }
                Direction::Backward => rest.end.clone_from(&self.last),
            }
        }
        let Origin { shared, snapshot, .. } = self.origin;
        let cursor = scan(shared, Some(snapshot), &rest, self.direction, self.reach);
        self.instead.insert(cursor).advance()
    }
}

impl Origin<'_> {
    fn entries(&self, reach: Reach) -> DBRawIterator<'static> {
        let mut options = read_options(Some(self.snapshot), reach);
        options.set_max_skippable_internal_keys(SKIPPED_MAX);
        self.database.raw_iterator_opt(options)
    }
}

impl Drop for SpareCursor<'_> {
    fn drop(&mut self) {
        let range = || self.range.clone();
        if self.passing.end(&self.origin.shared.hidden, range) {
            self.origin.shared.syncing.note_hidden();
        }
        if let Some(entries) = self.entries.take() {
            self.origin.spares.put(self.reach, entries);
        }
    }
}

impl Cursor for SpareCursor<'_> {
    fn advance(&mut self) -> Result<bool> {
        if let Some(instead) = &mut self.instead {
            return instead.advance();
        }
        let Some(entries) = &mut self.entries else { return Ok(false) };
        match (self.state, self.direction) {
            (State::Done, _) => return Ok(false),
            (State::Before, Direction::Forward) => entries.seek(&self.range.start),
            (State::Before, Direction::Backward) if self.range.end.is_empty() => {
                entries.seek_to_last();
            }
            (State::Before, Direction::Backward) => {
                entries.seek_for_prev(&self.range.end);
                if entries.key() == Some(&self.range.end) {
                    entries.prev();
                }
            }
            (State::On, direction) => {
                self.last.clear();
                self.last.extend_from_slice(entries.key().unwrap_or_default());
                match direction {
                    Direction::Forward => entries.next(),
                    Direction::Backward => entries.prev(),
                }
            }
        }
        if let Some(key) = entries.key() {
            let within = match self.direction {
                Direction::Forward => self.range.end.is_empty() || *key < *self.range.end,
                Direction::Backward => *key >= *self.range.start,
            };
            self.state = if within { State::On } else { State::Done };
            self.passing.shown += 1;
            return Ok(within);
        }
        match entries.status() {
            Ok(()) => {
                self.state = State::Done;
                Ok(false)
            }
            // It gave up, or what it needs is not in memory, which the other will find out.
            Err(error) if error.kind() == ErrorKind::Incomplete => self.go_on(),
            Err(error) => Err(of_read("scanning", error)),
        }
    }

    fn key(&self) -> &[u8] {
        self.entry().0
    }

    fn value(&self) -> &[u8] {
        self.entry().1
    }

    fn entry(&self) -> (&[u8], &[u8]) {
        match (&self.instead, &self.entries) {
            (Some(instead), _) => instead.entry(),
            (None, Some(entries)) => entries.item().unwrap_or_default(),
            (None, None) => Default::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rows::store::{Batch, Change, Durability, ExpectedScans, Store};

    use crate::{RocksOptions, RocksStore};

    use super::*;

    fn shown(mut cursor: Box<dyn Cursor + '_>) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut entries = Vec::new();
        while cursor.advance().unwrap() {
            assert_eq!(cursor.entry(), (cursor.key(), cursor.value()));
            entries.push((cursor.key().to_vec(), cursor.value().to_vec()));
        }
        assert!(!cursor.advance().unwrap(), "the end is the end");
        entries
    }

    fn key(number: u16) -> Vec<u8> {
        number.to_be_bytes().to_vec()
    }

    /// A store of the even numbers below 2,000, some of them in files; those of 400 to 1,500 are
    /// deleted, but for each hundredth.
    fn store(directory: &std::path::Path) -> RocksStore {
        let store = RocksStore::open(directory, &RocksOptions::default()).unwrap();
        let write = |changes| store.write(&Batch { changes }, Durability::Os).unwrap();
        let put = |number: u16| Change::put(key(number), vec![number as u8]);
        write((0..2_000).step_by(4).map(put).collect());
        store.snapshot().unwrap();
        write((2..2_000).step_by(4).map(put).collect());
        let gone = (400..1_500).step_by(2).filter(|number| number % 100 != 0);
        write(gone.map(|number| Change::delete(key(number))).collect());
        store
    }

    #[test]
    fn a_cursor_that_is_used_again_shows_what_one_with_bounds_shows() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(directory.path());
        let (plain, again) = (store.snapshot().unwrap(), store.snapshot().unwrap());
        // What is written later, neither shows.
        let changes = (0..2_000).map(|number| Change::put(key(number), b"new".to_vec())).collect();
        store.write(&Batch { changes }, Durability::Os).unwrap();
        let expected = ExpectedScans::of(&*again);
        let end = prop_oneof![Just(None), (0u16..2_100).prop_map(Some)];
        let backward = any::<bool>();
        proptest!(|(start in 0u16..2_100, end in end, backward in backward, memory in any::<bool>())| {
            let range = KeyRange { start: key(start), end: end.map(key).unwrap_or_default() };
            let direction = if backward { Direction::Backward } else { Direction::Forward };
            let reach = if memory { Reach::Memory } else { Reach::Disk };
            let cursor = plain.scan(&range, direction, Reach::Disk).unwrap();
            let other = again.scan(&range, direction, reach).unwrap();
            prop_assert_eq!(shown(other), shown(cursor));
        });
        // Several at once, each with a place of its own.
        let all = KeyRange::default();
        let mut outer = again.scan(&all, Direction::Forward, Reach::Disk).unwrap();
        let mut seen = 0;
        while outer.advance().unwrap() {
            let from = KeyRange { start: outer.key().to_vec(), end: Vec::new() };
            let mut inner = again.scan(&from, Direction::Forward, Reach::Disk).unwrap();
            assert!(inner.advance().unwrap());
            assert_eq!(inner.entry(), outer.entry());
            seen += 1;
        }
        drop(outer);
        assert_eq!(seen, shown(plain.scan(&all, Direction::Forward, Reach::Disk).unwrap()).len());
        drop(expected);
    }

    #[test]
    fn iterators_are_kept_only_while_scans_are_expected() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(directory.path());
        let spares = Spares::default();
        let snapshot = crate::snapshot::RocksSnapshot::new(store.shared());
        let origin = Origin { spares: &spares, ..snapshot.origin() };
        assert!(!spares.are_of_use());
        let range = KeyRange { start: key(3), end: key(9) };
        let scan = || {
            let cursor = SpareCursor::new(origin, &range, Direction::Forward, Reach::Disk);
            assert_eq!(shown(Box::new(cursor)).len(), 3);
        };
        scan();
        assert!(spares.take(Reach::Disk).is_none(), "nobody expects a scan");
        spares.expect(true);
        spares.expect(true);
        assert!(!spares.are_of_use(), "the first scan may be the only one");
        assert!(spares.are_of_use());
        scan();
        scan();
        assert_eq!(spares.waiting.lock().len(), 1, "the second used that of the first");
        assert!(spares.take(Reach::Memory).is_none(), "it reads from the disk");
        scan();
        spares.expect(false);
        assert_eq!(spares.waiting.lock().len(), 1, "someone still expects them");
        spares.expect(false);
        assert!(spares.waiting.lock().is_empty());
    }
}
