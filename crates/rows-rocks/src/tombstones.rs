//! Tombstones and old versions of rows: entries that scans step over without showing them.
//!
//! A row that is written a thousand times has a thousand entries in the write buffer, and each scan
//! steps over all of them. In a queue, whose rows come and go, nearly all entries are tombstones,
//! in files as well. (Measured: sysbench's ranges took three times as long after ten seconds of its
//! writes; the first row of a queue 970 us instead of 100.) When a write buffer becomes a file only
//! the last version of a row stays, and compaction removes tombstones. So both are done early, once
//! scans have lost about as much time as it costs: at worst scans and tidying up together take
//! twice as long as the scans alone.
//!
//! RocksDB counts what it steps over, by thread. Its own rule (`memtable_op_scan_flush_trigger`)
//! looks at one scan only, so a single scan, once a second, would make a file each time; and it
//! compacts nothing.
//!
//! Invariants
//! 1. A cursor counts only what it stepped over on the thread where it was made; a cursor that
//!    moves to another thread counts nothing.
//! 2. An entry is counted by one cursor, and only if no cursor has shown it.
//!
//! Not here: the work itself (`writing`, `reclaim`).

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rocksdb::{PerfContext, PerfMetric};
use rows::store::KeyRange;

use crate::options::FILES_PER_COMPACTION;

/// Entries passed over that cost as much as an empty file, with its syncs: 15 ms at 0.3 us each.
const ENTRIES_WORTH_A_FILE: u64 = 50_000;
/// Bytes written or compacted (50 MB a second) at the cost of passing over one entry.
const BYTES_PER_ENTRY: u64 = 16;
/// What a compaction of new files meets below, at most.
const COMPACTED_BYTES_MAX: u64 = 128 << 20;
/// What a compaction of the smallest range meets: files are compacted whole.
const FILE_BYTES: u64 = 64 << 20;
/// A scan that passed over fewer entries does not say where.
const WORTH_A_PLACE: u64 = 16;

/// What all scans passed over.
#[derive(Default)]
pub(crate) struct Tombstones {
    /// In write buffers, since these were last written to a file for it.
    in_buffers: AtomicU64,
    /// In files, since a compaction for it.
    in_files: AtomicU64,
    /// Where in files, since then.
    place: Mutex<Option<KeyRange>>,
    /// How often files and compactions were wanted.
    pub files: AtomicU64,
    pub compactions: AtomicU64,
}

/// What it would cost to tidy up.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sizes {
    /// Bytes of the write buffers.
    pub buffered: u64,
    /// Bytes of all data files.
    pub files: u64,
}

impl Sizes {
    /// What a compaction of new files meets.
    pub(crate) fn compacted(self) -> u64 {
        self.files.min(COMPACTED_BYTES_MAX)
    }
}

impl Tombstones {
    /// Whether so much was passed over that the write buffers should become files. Begins to count
    /// again when they should.
    pub(crate) fn wants_file(&self, sizes: Sizes) -> bool {
        let compacted = sizes.compacted() / FILES_PER_COMPACTION;
        let wants = self.in_buffers.load(Ordering::Relaxed) >= worth(sizes.buffered + compacted);
        if wants {
            self.in_buffers.store(0, Ordering::Relaxed);
            self.files.fetch_add(1, Ordering::Relaxed);
        }
        wants
    }

    /// The range to be compacted, if so much was passed over that this should be. `bytes_of` says
    /// how large a range is. Begins to count again when it should.
    pub(crate) fn wants_compaction(
        &self,
        sizes: Sizes,
        bytes_of: impl FnOnce(&KeyRange) -> u64,
    ) -> Option<KeyRange> {
        let passed = self.in_files.load(Ordering::Relaxed);
        if passed < worth(sizes.buffered + sizes.files.min(FILE_BYTES)) {
            return None;
        }
        let place = self.place.lock().clone()?;
        if passed < worth(sizes.buffered + bytes_of(&place)) {
            return None;
        }
        self.forget();
        self.compactions.fetch_add(1, Ordering::Relaxed);
        Some(place)
    }

    /// Begins to count again, so that places of long ago do not make a range larger than it is.
    pub(crate) fn forget(&self) {
        *self.place.lock() = None;
        self.in_buffers.store(0, Ordering::Relaxed);
        self.in_files.store(0, Ordering::Relaxed);
    }

    /// Adds what a cursor passed over within a range. Says whether it may be time to tidy up.
    fn add(&self, in_buffers: u64, in_files: u64, range: impl FnOnce() -> KeyRange) -> bool {
        let of_buffers = self.in_buffers.fetch_add(in_buffers, Ordering::Relaxed) + in_buffers;
        let of_files = self.in_files.fetch_add(in_files, Ordering::Relaxed) + in_files;
        // While another scan notes its range this one is left out: there will be more scans.
        if in_files >= WORTH_A_PLACE
            && let Some(mut place) = self.place.try_lock()
        {
            let range = range();
            match &mut *place {
                Some(place) => extend(place, range),
                none => *none = Some(range),
            }
        }
        of_buffers.max(of_files) >= ENTRIES_WORTH_A_FILE
    }
}

/// Entries passed over that cost as much as so many bytes written or compacted.
fn worth(bytes: u64) -> u64 {
    ENTRIES_WORTH_A_FILE + bytes / BYTES_PER_ENTRY
}

fn extend(place: &mut KeyRange, range: KeyRange) {
    if range.start < place.start {
        place.start = range.start;
    }
    // No end is behind every other.
    if !place.end.is_empty() && (range.end.is_empty() || range.end > place.end) {
        place.end = range.end;
    }
}

/// The count of one cursor. RocksDB counts what all cursors of a thread step over together, and a
/// join has several at a time: entries that another cursor showed meanwhile were not passed over.
pub(crate) struct PassCount {
    began: PassedEntries,
}

thread_local! {
    /// Entries that cursors have shown on this thread.
    static SHOWN: Cell<u64> = const { Cell::new(0) };
    /// Entries passed over on this thread that some cursor has counted.
    static COUNTED: Cell<u64> = const { Cell::new(0) };
}

impl PassCount {
    pub(crate) fn begin() -> PassCount {
        PassCount { began: PassedEntries::so_far() }
    }

    /// A cursor shows an entry.
    #[inline]
    pub(crate) fn show() {
        SHOWN.set(SHOWN.get() + 1);
    }

    /// Ends the count and adds it to all others'; `range` is what the cursor went through. Says
    /// whether it may be time to tidy up.
    pub(crate) fn end(&self, hidden: &Tombstones, range: impl FnOnce() -> KeyRange) -> bool {
        let (began, now) = (&self.began, PassedEntries::so_far());
        if now.thread != began.thread {
            return false;
        }
        // Leaving an entry that was shown counts as well.
        let others = (now.shown - began.shown) + (now.counted - began.counted);
        let passed = now.entries.saturating_sub(began.entries + others);
        let in_buffers = now.in_buffers.saturating_sub(began.in_buffers).min(passed);
        COUNTED.set(now.counted + passed);
        passed > 0 && hidden.add(in_buffers, passed - in_buffers, range)
    }
}

/// Entries that a thread's scans have met since it began.
struct PassedEntries {
    /// An address that no other thread has meanwhile.
    thread: usize,
    /// Those passed over, and those left that were shown.
    entries: u64,
    /// Steps of cursors within write buffers, over what is shown as well.
    in_buffers: u64,
    shown: u64,
    counted: u64,
}

impl PassedEntries {
    fn so_far() -> PassedEntries {
        thread_local!(static CONTEXT: PerfContext = PerfContext::default());
        let of = |context: &PerfContext| PassedEntries {
            thread: std::ptr::from_ref(context).addr(),
            entries: context.metric(PerfMetric::InternalKeySkippedCount)
                + context.metric(PerfMetric::InternalDeleteSkippedCount),
            in_buffers: context.metric(PerfMetric::NextOnMemtableCount)
                + context.metric(PerfMetric::PrevOnMemtableCount),
            shown: SHOWN.get(),
            counted: COUNTED.get(),
        };
        // A thread that is ending counts nothing any more.
        CONTEXT.try_with(of).unwrap_or(PassedEntries::NOTHING)
    }

    const NOTHING: PassedEntries =
        PassedEntries { thread: 0, entries: 0, in_buffers: 0, shown: 0, counted: 0 };
}

#[cfg(test)]
mod tests {
    use rows::store::{Batch, Change, Cursor, Direction, Durability, Reach, Read, Store};

    use crate::{RocksOptions, RocksStore};

    use super::*;

    fn range(start: &str, end: &str) -> KeyRange {
        KeyRange { start: start.into(), end: end.into() }
    }

    #[test]
    fn a_file_is_wanted_when_scans_lost_as_much_as_it_costs() {
        let hidden = Tombstones::default();
        let of = |buffered, files| Sizes { buffered, files };
        assert!(!hidden.add(ENTRIES_WORTH_A_FILE - 1, 0, || range("a", "b")));
        assert!(!hidden.wants_file(of(0, 0)));
        assert!(hidden.add(1, 0, || range("a", "b")));
        assert!(!hidden.wants_file(of(BYTES_PER_ENTRY * 10, 0)), "a full buffer costs more");
        assert!(hidden.add(10, 0, || range("a", "b")));
        let files = FILES_PER_COMPACTION * BYTES_PER_ENTRY * 11;
        assert!(!hidden.wants_file(of(0, files)), "so do full files");
        assert!(hidden.wants_file(of(BYTES_PER_ENTRY * 10, 0)));
        assert!(!hidden.wants_file(of(0, 0)), "counted anew");
    }

    #[test]
    fn a_compaction_is_wanted_of_all_places_where_scans_lost_time() {
        let hidden = Tombstones::default();
        let of = |files| Sizes { buffered: 0, files };
        hidden.add(0, WORTH_A_PLACE - 1, || range("0", ""));
        hidden.add(0, ENTRIES_WORTH_A_FILE, || range("m", "n"));
        hidden.add(0, WORTH_A_PLACE, || range("b", "c"));
        assert_eq!(hidden.wants_compaction(of(1 << 20), |_| 0), None, "files are compacted whole");
        assert_eq!(hidden.wants_compaction(of(0), |_| 1 << 20), None, "the range is large");
        assert_eq!(hidden.wants_compaction(of(0), |_| 0), Some(range("b", "n")));
        assert_eq!(hidden.wants_compaction(of(0), |_| 0), None, "counted anew");
        hidden.add(0, ENTRIES_WORTH_A_FILE, || range("m", ""));
        hidden.add(0, WORTH_A_PLACE, || range("k", "z"));
        assert_eq!(hidden.wants_compaction(of(0), |_| 0), Some(range("k", "")));
    }

    #[test]
    fn a_cursor_that_moved_to_another_thread_counts_nothing() {
        let passing = PassCount { began: PassedEntries { thread: 1, ..PassedEntries::NOTHING } };
        let hidden = Tombstones::default();
        assert!(!passing.end(&hidden, KeyRange::default));
        assert_eq!(hidden.in_files.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn what_one_cursor_shows_no_other_has_passed_over() {
        const ROWS: u64 = 100;
        let directory = tempfile::tempdir().unwrap();
        let store = RocksStore::open(directory.path(), &RocksOptions::default()).unwrap();
        let key = |number: u64| number.to_be_bytes().to_vec();
        let write = |changes| store.write(&Batch { changes }, Durability::Os).unwrap();
        write((0..ROWS).map(|number| Change::put(key(number), vec![1])).collect());
        let all = KeyRange { start: key(0), end: key(ROWS) };
        let scan = || store.scan(&all, Direction::Forward, Reach::Disk).unwrap();
        let end = |mut cursor: Box<dyn Cursor + '_>| while cursor.advance().unwrap() {};
        let counted = || {
            let Tombstones { in_buffers, in_files, .. } = &store.shared().tombstones;
            in_buffers.load(Ordering::Relaxed) + in_files.load(Ordering::Relaxed)
        };
        // One inside another, and several by turns.
        let mut outer = scan();
        while outer.advance().unwrap() {
            end(scan());
        }
        drop(outer);
        let (mut one, mut other) = (scan(), scan());
        while one.advance().unwrap() && other.advance().unwrap() {}
        drop(one);
        drop(other);
        assert!(counted() < 10, "{} of {ROWS} rows were passed over", counted());
        // Those that went are counted, and by one of the cursors alone.
        write((0..ROWS / 2).map(|number| Change::delete(key(number))).collect());
        let mut outer = scan();
        assert!(outer.advance().unwrap());
        end(scan());
        drop(outer);
        assert!((ROWS..2 * ROWS + 10).contains(&counted()), "{} were passed over", counted());
    }
}
