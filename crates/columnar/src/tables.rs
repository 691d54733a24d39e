//! The columnar tables that there are, and what is known of each while the server runs.
//!
//! Invariants
//! 1. A table is known before a row of it is written (`Store::know`), and until its range of keys
//!    is removed.
//! 2. A change of segments and dead rows is announced before and after (`ChangeGuard`). A snapshot
//!    that was taken while none was under way has the number of the last change that it shows
//!    (its *moment*), so that what was read of a table once is used again only by a reader that
//!    would read the same. The store's own numbers do not serve: files that it takes over may leave
//!    them as they were.
//! 3. So is one that makes rows recent, or recent rows no more so, but apart: rows come in all the
//!    time, and segments stay as they are meanwhile.
//!
//! 4. A state of segments that was read by one view serves another only if nothing changed in
//!    between (`KnownTable::state_of`).
//!
//! Not here: rows and segments (`reader`, `mover`).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use foldhash::fast::RandomState;
use parking_lot::{Mutex, RwLock};
use rows::error::Result;
use rows::schema::TableId;
use rows::store::{Direction, KeyRange, Reach, Read};
use rows::table::Table;

use crate::keys::{self, COLUMNS, Home, RECENT, SEGMENTS, SegmentId};
use crate::note_cache::KeptNotes;
use crate::state::{self, State};

/// All columnar tables.
#[derive(Default)]
pub(crate) struct Tables {
    known: RwLock<HashMap<TableId, Arc<KnownTable>, RandomState>>,
    /// Columnar indexes of tables of rows, by table.
    indexes: RwLock<HashMap<TableId, Arc<KnownTable>, RandomState>>,
    indexes_count: AtomicUsize,
    /// How many; so that who has none pays nothing.
    count: AtomicUsize,
    /// Of segments and dead rows.
    changes: Arc<Changes>,
    /// Changes of the set of recent rows.
    recent_changes: Arc<Changes>,
    /// How many snapshots were begun.
    snapshots: AtomicU64,
}

/// Changes of one kind, of all tables.
#[derive(Default)]
struct Changes {
    under_way: AtomicUsize,
    /// How many there were.
    last: AtomicU64,
}

impl Changes {
    /// The last one, if none is under way.
    fn quiet(&self) -> Option<u64> {
        let last = self.last.load(Ordering::SeqCst);
        (self.under_way.load(Ordering::SeqCst) == 0).then_some(last)
    }
}

/// The last changes that a snapshot shows, each kind if it was a quiet one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Moment {
    /// Of segments and dead rows.
    pub segments: Option<u64>,
    /// Changes of the set of recent rows.
    pub recent: Option<u64>,
    /// How many snapshots had been begun when this one was.
    pub number: u64,
}

/// A columnar table, or a columnar index.
pub(crate) struct KnownTable {
    pub id: TableId,
    /// Whose keys its segments have.
    pub home: Home,
    table: RwLock<Arc<Table>>,
    /// Held by the mover while it commits, and shared by who begins a scan of the latest state:
    /// so that its rows and its columns are of one state.
    pub moving: RwLock<()>,
    /// Whether the mover has looked at it since the start.
    pub has_begun: AtomicBool,
    /// The next segment's number; 0 while not read from the store yet.
    pub next_segment: AtomicU32,
    /// About how many rows are no part of a segment.
    pub recent: AtomicI64,
    /// Rows written since the mover looked last.
    pub is_busy: AtomicBool,
    /// Whether segments may have lost rows since the mover looked last.
    pub is_worn: AtomicBool,
    /// Of a columnar index: `Table::changes` when the mover looked last.
    pub changes_seen: AtomicU64,
    /// Of a columnar index: how often the mover has looked since a query last asked for it.
    pub looks_unasked: AtomicU32,
    /// Of a columnar index: names what the mover has settled since the start; 0 before it has.
    pub settled_since: AtomicU64,
    /// Of a columnar index: how often its rows were moved; 0 before the mover has looked.
    pub moves: AtomicU64,
    /// Of a columnar index: what queries have made of its notes.
    pub kept_notes: Mutex<KeptNotes>,
    /// The number of the last change here.
    changed: Arc<AtomicU64>,
    /// The same of which rows are recent.
    recent_changed: Arc<AtomicU64>,
    /// One more than the last moment at which none was seen to be recent; 0: there was no such.
    none_recent: AtomicU64,
    /// The state that was read last.
    state: Mutex<Option<Arc<State>>>,
}

impl Tables {
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    #[inline]
    pub fn get(&self, id: TableId) -> Option<Arc<KnownTable>> {
        if self.is_empty() {
            return None;
        }
        self.known.read().get(&id).cloned()
    }

    /// The columnar table whose row has this key.
    pub fn of_row(&self, key: &[u8]) -> Option<Arc<KnownTable>> {
        self.get(keys::table_of_row(key)?)
    }

    /// Takes a snapshot, with its moment.
    ///
    /// # Errors
    /// Those of `snapshot`.
    pub fn at_moment<T>(&self, snapshot: impl FnOnce() -> Result<T>) -> Result<(T, Moment)> {
        let number = self.snapshots_begun();
        let quiet = || Moment {
            segments: self.changes.quiet(),
            recent: self.recent_changes.quiet(),
            number,
        };
        let before = quiet();
        let snapshot = snapshot()?;
        let after = quiet();
        let moment = Moment {
            segments: before.segments.filter(|_| before.segments == after.segments),
            recent: before.recent.filter(|_| before.recent == after.recent),
            number,
        };
        Ok((snapshot, moment))
    }

    /// The number of a snapshot that begins now: all that begin later have higher ones.
    pub fn snapshots_begun(&self) -> u64 {
        self.snapshots.fetch_add(1, Ordering::SeqCst)
    }

    /// Says that segments or dead rows of a table are about to change.
    pub fn change(&self, known: &KnownTable) -> ChangeGuard {
        ChangeGuard::begin(&self.changes, &known.changed)
    }

    /// Says that which rows of a table are recent is about to change.
    pub fn change_recent(&self, known: &KnownTable) -> ChangeGuard {
        ChangeGuard::begin(&self.recent_changes, &known.recent_changed)
    }

    pub fn all(&self) -> Vec<Arc<KnownTable>> {
        self.known.read().values().cloned().collect()
    }

    /// A version of a columnar table.
    pub fn know(&self, table: &Arc<Table>) {
        let mut known = self.known.write();
        match known.get(&table.id) {
            Some(known) => *known.table.write() = Arc::clone(table),
            None => {
                known.insert(table.id, Arc::new(KnownTable::new(table, table.id.into())));
            }
        }
        self.count.store(known.len(), Ordering::Release);
    }

    /// A version of a table of rows: its columnar index, if it has one.
    pub fn know_index(&self, table: &Arc<Table>) {
        let Some(index) = &table.columnar_index else {
            self.forget_index(table.id);
            return;
        };
        let home = Home { table: table.id, index: Some(index.id) };
        let mut indexes = self.indexes.write();
        match indexes.get(&table.id) {
            Some(known) if known.home == home => *known.table.write() = Arc::clone(table),
            _ => drop(indexes.insert(table.id, Arc::new(KnownTable::new(table, home)))),
        }
        self.indexes_count.store(indexes.len(), Ordering::Release);
    }

    /// Whether there are columnar indexes.
    pub fn has_indexes(&self) -> bool {
        self.indexes_count.load(Ordering::Acquire) > 0
    }

    /// The columnar index of a table.
    pub fn index_of(&self, id: TableId) -> Option<Arc<KnownTable>> {
        self.indexes.read().get(&id).cloned()
    }

    /// All columnar indexes.
    pub fn all_indexes(&self) -> Vec<Arc<KnownTable>> {
        self.indexes.read().values().cloned().collect()
    }

    /// Forgets tables whose keys are gone.
    pub fn forget(&self, ids: &Range<TableId>) {
        let mut known = self.known.write();
        known.retain(|id, _| !ids.contains(id));
        self.count.store(known.len(), Ordering::Release);
        drop(known);
        if self.has_indexes() {
            let mut indexes = self.indexes.write();
            indexes.retain(|id, _| !ids.contains(id));
            self.indexes_count.store(indexes.len(), Ordering::Release);
        }
    }

    fn forget_index(&self, id: TableId) {
        if self.has_indexes() {
            let mut indexes = self.indexes.write();
            indexes.remove(&id);
            self.indexes_count.store(indexes.len(), Ordering::Release);
        }
    }
}

impl KnownTable {
    fn new(table: &Arc<Table>, home: Home) -> KnownTable {
        KnownTable {
            id: table.id,
            home,
            changes_seen: AtomicU64::new(u64::MAX),
            table: RwLock::new(Arc::clone(table)),
            moving: RwLock::default(),
            has_begun: AtomicBool::new(false),
            next_segment: AtomicU32::new(0),
            recent: AtomicI64::new(0),
            is_busy: AtomicBool::new(true),
            is_worn: AtomicBool::new(true),
            // Long ago: nobody has asked yet.
            looks_unasked: AtomicU32::new(u32::MAX / 2),
            settled_since: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            kept_notes: Mutex::default(),
            changed: Arc::default(),
            recent_changed: Arc::default(),
            none_recent: AtomicU64::new(0),
            state: Mutex::default(),
        }
    }

    /// The version in use.
    pub fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read())
    }

    /// Reads the number of the next segment, once per start.
    ///
    /// # Errors
    /// Those of reading.
    pub fn load_next_segment(&self, store: &dyn Read) -> Result<()> {
        if self.next_segment.load(Ordering::SeqCst) != 0 {
            return Ok(());
        }
        let mut last = 0;
        for kind in [SEGMENTS, COLUMNS] {
            let range: KeyRange = keys::range(self.home, kind);
            let mut cursor = store.scan(&range, Direction::Backward, Reach::Disk)?;
            if cursor.advance()?
                && let Some((id, _)) = keys::segment_of(self.home, cursor.key())
            {
                last = last.max(id);
            }
        }
        // Whoever was first has perhaps taken some already.
        let (was, next) = (Ordering::SeqCst, Ordering::SeqCst);
        let _ = self.next_segment.compare_exchange(0, last + 1, was, next);
        Ok(())
    }

    /// Takes so many numbers for segments.
    pub fn take_segments(&self, count: u32) -> SegmentId {
        self.next_segment.fetch_add(count, Ordering::SeqCst)
    }

    /// Whether nothing has changed since a moment.
    fn is_unchanged_since(&self, moment: u64) -> bool {
        self.changed.load(Ordering::SeqCst) <= moment
    }

    /// The state that a view shows, taken at a moment.
    ///
    /// # Errors
    /// Those of reading the list of segments; the state that was remembered stays.
    pub fn state_of(&self, view: &dyn Read, moment: Moment) -> Result<Arc<State>> {
        let Some(moment) = moment.segments else {
            return Ok(Arc::new(State { moment: 0, segments: state::read(self.home, view)? }));
        };
        let mut last = self.state.lock();
        if let Some(state) = &*last
            && self.is_unchanged_since(moment.min(state.moment))
        {
            return Ok(Arc::clone(state));
        }
        let state = Arc::new(State { moment, segments: state::read(self.home, view)? });
        if last.as_ref().is_none_or(|last| last.moment <= moment) {
            *last = Some(Arc::clone(&state));
        }
        Ok(state)
    }

    /// Whether a view shows recent rows. That it shows none is remembered: notes that are gone are
    /// passed over by every scan of them until the store's next flush.
    ///
    /// # Errors
    /// Those of looking for one in the store.
    pub fn has_recent(&self, view: &dyn Read, moment: Moment) -> Result<bool> {
        let is_as_at = |then: u64| self.recent_changed.load(Ordering::SeqCst) <= then;
        let seen = self.none_recent.load(Ordering::SeqCst).checked_sub(1);
        if let (Some(seen), Some(now)) = (seen, moment.recent)
            && is_as_at(seen.min(now))
        {
            return Ok(false);
        }
        let range = keys::range(self.id, RECENT);
        let has = view.scan(&range, Direction::Forward, Reach::Disk)?.advance()?;
        if let Some(now) = moment.recent.filter(|_| !has) {
            self.none_recent.fetch_max(now + 1, Ordering::SeqCst);
        }
        Ok(has)
    }
}

/// A change that is under way; it is over, made or not, when this is dropped.
pub(crate) struct ChangeGuard {
    changes: Arc<Changes>,
    /// The number of the table's last one.
    last: Arc<AtomicU64>,
}

impl ChangeGuard {
    fn begin(changes: &Arc<Changes>, last: &Arc<AtomicU64>) -> ChangeGuard {
        changes.under_way.fetch_add(1, Ordering::SeqCst);
        ChangeGuard { changes: Arc::clone(changes), last: Arc::clone(last) }
    }
}

impl Drop for ChangeGuard {
    fn drop(&mut self) {
        let number = self.changes.last.fetch_add(1, Ordering::SeqCst) + 1;
        self.last.fetch_max(number, Ordering::SeqCst);
        self.changes.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}
