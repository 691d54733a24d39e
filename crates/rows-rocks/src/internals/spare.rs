//! Iterators that are used again, by the next scan of any client.
//!
//! To make an iterator of RocksDB costs more than to look for a key with it, and to take it apart
//! as much again: it has one for each write buffer, file of the first level and further level, and
//! the database's lock is taken for it. So an iterator is kept when its cursor goes, and sent to
//! the next range, of the latest state or of a snapshot (`spare.cc`).
//!
//! Invariants
//! 1. A cursor shows what one with an iterator of its own would show.
//! 2. An iterator that nobody used for `SYNC_EVERY` goes, or else soon after: it holds the write
//!    buffers and files of the moment when it was used last.
//! 3. After an error an iterator is not used again.
//!
//! Not here: the cursors (`cursors`), among them those on ranges without an end, and those that go
//! through much.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::NonNull;

use librocksdb_sys as ffi;
use parking_lot::Mutex;
use rocksdb::{AsRawPtr, DB, ErrorKind};
use rows::error::Result;
use rows::store::{KeyRange, Reach};

use crate::internals::failure::of_read_kind;

/// Where an iterator goes next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IteratorStep {
    First,
    Last,
    Next,
    Previous,
}

/// The state of now, whenever that is; as `spare.cc` has it. Others are the numbers of their last
/// writes.
pub(crate) const LATEST: u64 = u64::MAX;
/// Most iterators that wait: as many as joins are deep, for some of them at a time.
const SPARES_MAX: usize = 16;

#[expect(unsafe_code, reason = "RocksDB sends iterators to snapshots in C++ only")]
unsafe extern "C" {
    fn rowhouse_spare_new(database: *mut ffi::rocksdb_t, memory_only: bool) -> *mut c_void;
    fn rowhouse_spare_free(spare: *mut c_void);
    fn rowhouse_spare_show(
        spare: *mut c_void,
        moment: u64,
        begin: *const u8,
        begin_bytes: usize,
        end: *const u8,
        end_bytes: usize,
    ) -> bool;
    fn rowhouse_spare_step(spare: *mut c_void, step: c_int, entry: *mut RawEntry) -> c_int;
    fn rowhouse_spare_failure(spare: *mut c_void, bytes: *mut usize) -> *const c_char;
}

/// As `spare.cc` has it, like all numbers below.
#[repr(C)]
struct RawEntry {
    key: *const u8,
    key_bytes: usize,
    value: *const u8,
    value_bytes: usize,
}

impl RawEntry {
    const NONE: RawEntry = RawEntry {
        key: NonNull::dangling().as_ptr(),
        key_bytes: 0,
        value: NonNull::dangling().as_ptr(),
        value_bytes: 0,
    };
}

/// An iterator between two bounds.
pub(crate) struct Spare {
    iterator: NonNull<c_void>,
    /// What it goes through; the iterator reads these bytes.
    pub range: KeyRange,
    reach: Reach,
    /// Since somebody looked whether it is.
    is_used: bool,
    /// Where it is: bytes of the iterator, until its next step.
    entry: RawEntry,
}

// SAFETY: an iterator may be used by any thread, if by one at a time, and so may the bytes of its
// entry.
#[expect(unsafe_code, reason = "pointers of C++")]
unsafe impl Send for Spare {}

impl Drop for Spare {
    #[expect(unsafe_code, reason = "as above")]
    fn drop(&mut self) {
        // SAFETY: it was made by `new`, and goes once.
        unsafe { rowhouse_spare_free(self.iterator.as_ptr()) }
    }
}

impl Spare {
    #[expect(unsafe_code, reason = "as above")]
    fn new(database: &DB, reach: Reach) -> Spare {
        // SAFETY: the database is open. It outlives its spares: `OpenDatabase` drops those first,
        // and cursors borrow `OpenDatabase`.
        let iterator = unsafe { rowhouse_spare_new(database.as_raw_ptr(), reach == Reach::Memory) };
        Spare {
            iterator: NonNull::new(iterator).expect("`new` gives an address"),
            range: KeyRange::default(),
            reach,
            is_used: true,
            entry: RawEntry::NONE,
        }
    }

    /// Sends it to a range as of `moment`, which somebody has a snapshot of, or as of now. Says
    /// whether that went well.
    #[expect(unsafe_code, reason = "as above")]
    fn show(&mut self, range: &KeyRange, moment: u64) -> bool {
        self.range.start.clone_from(&range.start);
        self.range.end.clone_from(&range.end);
        self.entry = RawEntry::NONE;
        let KeyRange { start, end } = &self.range;
        // SAFETY: the bounds' bytes are kept beside the iterator and change only here, before each
        // first step.
        unsafe {
            rowhouse_spare_show(
                self.iterator.as_ptr(),
                moment,
                start.as_ptr(),
                start.len(),
                end.as_ptr(),
                end.len(),
            )
        }
    }

    /// `false` at the end.
    #[expect(unsafe_code, reason = "as above")]
    pub(crate) fn step(&mut self, step: IteratorStep) -> Result<bool> {
        let step = match step {
            IteratorStep::First => 0,
            IteratorStep::Last => 1,
            IteratorStep::Next => 2,
            IteratorStep::Previous => 3,
        };
        // SAFETY: it has been sent to a range before; what comes out is read below as `spare.cc`
        // gives it.
        let found =
            unsafe { rowhouse_spare_step(self.iterator.as_ptr(), step, &raw mut self.entry) };
        let kind = match found {
            0 => return Ok(true),
            1 => {
                self.entry = RawEntry::NONE;
                return Ok(false);
            }
            2 => ErrorKind::TimedOut,
            3 => ErrorKind::Corruption,
            _ => ErrorKind::Unknown,
        };
        self.entry = RawEntry::NONE;
        let mut bytes = 0;
        // SAFETY: so many bytes from there on are the iterator's until its next step.
        let text = unsafe {
            let text = rowhouse_spare_failure(self.iterator.as_ptr(), &raw mut bytes);
            std::slice::from_raw_parts(text.cast::<u8>(), bytes)
        };
        Err(of_read_kind("scanning", kind, String::from_utf8_lossy(text).into_owned()))
    }

    /// Key and value, empty where there is none.
    #[expect(unsafe_code, reason = "as above")]
    pub(crate) fn entry(&self) -> (&[u8], &[u8]) {
        let RawEntry { key, key_bytes, value, value_bytes } = self.entry;
        // SAFETY: the iterator keeps these bytes until its next step, which takes it mutably;
        // without an entry they are no bytes at a well-formed address.
        unsafe {
            (
                std::slice::from_raw_parts(key, key_bytes),
                std::slice::from_raw_parts(value, value_bytes),
            )
        }
    }
}

/// Iterators of a store that wait for their next range.
#[derive(Default)]
pub(crate) struct Spares {
    waiting: Mutex<Vec<Spare>>,
}

impl Spares {
    /// One that goes through a range that has an end, as of `moment`.
    pub(crate) fn sent_to(
        &self,
        database: &DB,
        range: &KeyRange,
        moment: u64,
        reach: Reach,
    ) -> Spare {
        if let Some(mut spare) = self.take(reach)
            && spare.show(range, moment)
        {
            return spare;
        }
        let mut spare = Spare::new(database, reach);
        // What is wrong with it its first step says.
        spare.show(range, moment);
        spare
    }

    /// The one that was used last.
    fn take(&self, reach: Reach) -> Option<Spare> {
        let mut waiting = self.waiting.lock();
        let at = waiting.iter().rposition(|spare| spare.reach == reach)?;
        Some(waiting.remove(at))
    }

    pub(crate) fn put(&self, mut spare: Spare) {
        spare.is_used = true;
        let mut waiting = self.waiting.lock();
        let oldest = (waiting.len() >= SPARES_MAX).then(|| waiting.remove(0));
        waiting.push(spare);
        drop(waiting);
        drop(oldest);
    }

    /// Lets those go that nobody used since this was called last. Says whether there are others.
    pub(crate) fn retire(&self) -> bool {
        let mut waiting = self.waiting.lock();
        let (used, unused) =
            std::mem::take(&mut *waiting).into_iter().partition::<Vec<_>, _>(|spare| spare.is_used);
        *waiting = used;
        waiting.iter_mut().for_each(|spare| spare.is_used = false);
        let some_wait = !waiting.is_empty();
        drop(waiting);
        drop(unused);
        some_wait
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use rows::ingestion::TableStore;
    use rows::store::{Batch, Change, Cursor, Direction, Durability, Read, Store};

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

    fn write(store: &RocksStore, changes: Vec<Change>) {
        store.write(&Batch { changes }, Durability::Os).unwrap();
    }

    fn put(number: u16, value: u8) -> Change {
        Change::put(key(number), vec![value])
    }

    fn waiting(store: &RocksStore) -> usize {
        store.shared().spares.waiting.lock().len()
    }

    /// What is done to a store, and what is looked at.
    #[derive(Clone, Debug)]
    enum Event {
        Put(u16, u8),
        Remove(u16, u16),
        /// Rows behind all others, which may get no sequence number of their own.
        Ingest,
        Flush,
        Compact,
        Snapshot,
        /// All snapshots.
        Forget,
        /// Of one of the snapshots, or the latest state.
        Scan {
            of: prop::sample::Index,
            start: u16,
            end: u16,
            backward: bool,
            memory: bool,
        },
    }

    fn event() -> impl Strategy<Value = Event> {
        let number = || 0u16..40;
        let end = prop_oneof![number(), Just(u16::MAX)];
        prop_oneof![
            4 => (number(), any::<u8>()).prop_map(|(number, value)| Event::Put(number, value)),
            2 => (number(), number()).prop_map(|(start, end)| Event::Remove(start, end)),
            2 => Just(Event::Ingest),
            1 => Just(Event::Flush),
            1 => Just(Event::Compact),
            2 => Just(Event::Snapshot),
            2 => Just(Event::Forget),
            6 => (any::<prop::sample::Index>(), number(), end, any::<bool>(), any::<bool>())
                .prop_map(|(of, start, end, backward, memory)| {
                    Event::Scan { of, start, end, backward, memory }
                }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Beside a map: what scans show of old states and of the latest, whichever iterator comes,
        /// with rows and whole ranges that were removed before and after, in write buffers and in
        /// files.
        #[test]
        fn cursors_show_their_state_whatever_their_iterator_showed_before(
            events in prop::collection::vec(event(), 1..60),
        ) {
            type Rows = std::collections::BTreeMap<Vec<u8>, Vec<u8>>;
            let directory = tempfile::tempdir().unwrap();
            let store = RocksStore::open(directory.path(), &RocksOptions::default()).unwrap();
            let mut rows = Rows::new();
            let mut snapshots: Vec<(Arc<dyn Read>, Rows)> = Vec::new();
            for event in events {
                match event {
                    Event::Put(number, value) => {
                        write(&store, vec![put(number, value)]);
                        rows.insert(key(number), vec![value]);
                    }
                    Event::Remove(start, end) => {
                        let range = KeyRange { start: key(start), end: key(end) };
                        write(&store, vec![Change::DeleteRange(range.clone())]);
                        rows.retain(|key, _| *key < range.start || *key >= range.end);
                    }
                    Event::Ingest => {
                        let behind = 1000 + rows.len() as u16 * 10;
                        let of = |number: u16| (key(behind + number), vec![1]);
                        let new: Vec<_> = (0..3).map(of).collect();
                        store.ingest(&mut new.iter().cloned().map(Ok)).unwrap();
                        rows.extend(new);
                    }
                    Event::Forget => snapshots.clear(),
                    Event::Flush => store.shared().database.flush().unwrap(),
                    Event::Compact => {
                        store.shared().database.compact_range(None::<&[u8]>, None::<&[u8]>);
                    }
                    Event::Snapshot => {
                        snapshots.push((store.snapshot().unwrap(), rows.clone()));
                    }
                    Event::Scan { of, start, end, backward, memory } => {
                        let range = KeyRange { start: key(start), end: key(end) };
                        let direction =
                            if backward { Direction::Backward } else { Direction::Forward };
                        let reach = if memory { Reach::Memory } else { Reach::Disk };
                        let (reader, expected): (&dyn Read, &Rows) =
                            match snapshots.get(of.index(snapshots.len() + 1)) {
                                Some((snapshot, rows)) => (&**snapshot, rows),
                                None => (&store, &rows),
                            };
                        let is_within = |key: &&Vec<u8>| range.start <= **key && **key < range.end;
                        let mut expected: Vec<_> = expected
                            .iter()
                            .filter(|(key, _)| is_within(key))
                            .map(|(key, value)| (key.clone(), value.clone()))
                            .collect();
                        if backward {
                            expected.reverse();
                        }
                        let cursor = reader.scan(&range, direction, reach).unwrap();
                        prop_assert_eq!(shown(cursor), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn what_was_removed_later_is_still_there_for_an_old_snapshot() {
        let directory = tempfile::tempdir().unwrap();
        let store = RocksStore::open(directory.path(), &RocksOptions::default()).unwrap();
        write(&store, (0..10).map(|number| put(number, 1)).collect());
        let old = store.snapshot().unwrap();
        let all = KeyRange { start: key(0), end: key(10) };
        write(&store, vec![Change::DeleteRange(all.clone())]);
        let rows = |reader: &dyn Read| {
            shown(reader.scan(&all, Direction::Forward, Reach::Disk).unwrap()).len()
        };
        for flushed in [false, true] {
            if flushed {
                store.shared().database.flush().unwrap();
            }
            for _ in 0..2 {
                assert_eq!(rows(&store), 0);
                assert_eq!(rows(&*old), 10, "flushed: {flushed}");
            }
        }
    }

    #[test]
    fn cursors_at_once_have_iterators_of_their_own_which_the_next_ones_take() {
        let directory = tempfile::tempdir().unwrap();
        let store = RocksStore::open(directory.path(), &RocksOptions::default()).unwrap();
        write(&store, (0..200).map(|number| put(number, 1)).collect());
        let snapshot = store.snapshot().unwrap();
        let all = KeyRange { start: key(0), end: key(200) };
        let mut outer = snapshot.scan(&all, Direction::Forward, Reach::Disk).unwrap();
        let mut seen = 0;
        while outer.advance().unwrap() {
            let from = KeyRange { start: outer.key().to_vec(), end: key(200) };
            let mut inner = snapshot.scan(&from, Direction::Forward, Reach::Disk).unwrap();
            assert!(inner.advance().unwrap());
            assert_eq!(inner.entry(), outer.entry());
            drop(inner);
            assert_eq!(waiting(&store), 1, "the second scan used that of the first");
            seen += 1;
        }
        assert_eq!(seen, 200);
        drop(outer);
        assert_eq!(waiting(&store), 2);
        drop(store.scan(&all, Direction::Backward, Reach::Memory).unwrap());
        assert_eq!(waiting(&store), 3, "another reach is another iterator");
        let many: Vec<_> = (0..2 * SPARES_MAX)
            .map(|_| store.scan(&all, Direction::Forward, Reach::Disk).unwrap())
            .collect();
        drop(many);
        assert_eq!(waiting(&store), SPARES_MAX);
    }

    #[test]
    fn iterators_that_nobody_uses_go_and_give_back_what_they_hold() {
        let directory = tempfile::tempdir().unwrap();
        let store = RocksStore::open(directory.path(), &RocksOptions::default()).unwrap();
        let range = KeyRange { start: key(0), end: key(9) };
        let scan = |store: &RocksStore| {
            drop(store.scan(&range, Direction::Forward, Reach::Memory).unwrap());
        };
        scan(&store);
        assert!(store.shared().spares.retire(), "it was used just now");
        scan(&store);
        assert!(store.shared().spares.retire(), "and again");
        // Nobody calls any more: the store's own thread does.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while waiting(&store) > 0 {
            assert!(std::time::Instant::now() < deadline, "an iterator stays for ever");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}
