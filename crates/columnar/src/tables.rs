//! The columnar tables that there are, and what is known of each while the server runs.
//!
//! Invariants
//! 1. A table is known before a row of it is written (`Store::know`), and until its range of keys
//!    is removed.
//! 2. Who changes segments and dead rows says so before and after (`Changing`), so that what was
//!    read of them once is used again only by who would read the same.
//!
//! Not here: rows and segments (`reader`, `mover`).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use foldhash::fast::RandomState;
use parking_lot::{Mutex, RwLock};
use rows::schema::TableId;
use rows::table::Table;

use crate::keys::SegmentId;
use crate::state::State;

/// All columnar tables.
#[derive(Default)]
pub(crate) struct Tables {
    known: RwLock<HashMap<TableId, Arc<Known>, RandomState>>,
    /// How many; so that who has none pays nothing.
    count: AtomicUsize,
}

/// A columnar table.
pub(crate) struct Known {
    pub id: TableId,
    table: RwLock<Arc<Table>>,
    /// Held by the mover while it commits, and shared by who begins a scan of the latest state:
    /// so that its rows and its columns are of one state.
    pub moving: RwLock<()>,
    /// The next segment's number; 0 while not read from the store yet.
    pub next_segment: AtomicU32,
    /// About how many rows are no part of a segment.
    pub recent: AtomicI64,
    /// Rows written since the mover looked last.
    pub is_busy: AtomicBool,
    /// Whether segments may have lost rows since the mover looked last.
    pub is_worn: AtomicBool,
    changing: AtomicUsize,
    /// The store's number of states after the last change of segments or dead rows.
    changed: AtomicU64,
    /// The state that was read last.
    pub state: Mutex<Option<Arc<State>>>,
}

impl Tables {
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    #[inline]
    pub fn get(&self, id: TableId) -> Option<Arc<Known>> {
        if self.is_empty() {
            return None;
        }
        self.known.read().get(&id).cloned()
    }

    pub fn all(&self) -> Vec<Arc<Known>> {
        self.known.read().values().cloned().collect()
    }

    /// A version of a columnar table.
    pub fn know(&self, table: &Arc<Table>) {
        let mut known = self.known.write();
        match known.get(&table.id) {
            Some(known) => *known.table.write() = Arc::clone(table),
            None => {
                known.insert(table.id, Arc::new(Known::new(table)));
            }
        }
        self.count.store(known.len(), Ordering::Release);
    }

    /// Forgets tables whose keys are gone.
    pub fn forget(&self, is_gone: impl Fn(TableId) -> bool) {
        let mut known = self.known.write();
        known.retain(|id, _| !is_gone(*id));
        self.count.store(known.len(), Ordering::Release);
    }
}

impl Known {
    fn new(table: &Arc<Table>) -> Known {
        Known {
            id: table.id,
            table: RwLock::new(Arc::clone(table)),
            moving: RwLock::default(),
            next_segment: AtomicU32::new(0),
            recent: AtomicI64::new(0),
            is_busy: AtomicBool::new(true),
            is_worn: AtomicBool::new(true),
            changing: AtomicUsize::new(0),
            changed: AtomicU64::new(0),
            state: Mutex::default(),
        }
    }

    /// The version in use.
    pub fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read())
    }

    /// Takes so many numbers for segments.
    pub fn take_segments(&self, count: u32) -> SegmentId {
        self.next_segment.fetch_add(count, Ordering::SeqCst)
    }

    /// Says that segments or dead rows of the table are about to change.
    pub fn change(self: &Arc<Known>) -> Changing {
        self.changing.fetch_add(1, Ordering::SeqCst);
        Changing(Arc::clone(self))
    }

    /// Whether nothing has changed since the state with this number.
    pub fn is_unchanged_since(&self, sequence: u64) -> bool {
        self.changing.load(Ordering::SeqCst) == 0 && self.changed.load(Ordering::SeqCst) <= sequence
    }
}

/// A change that is under way.
pub(crate) struct Changing(Arc<Known>);

impl Changing {
    /// It has been made, or has failed; `sequence` is the store's since.
    pub fn finish(self, sequence: u64) {
        self.0.changed.fetch_max(sequence, Ordering::SeqCst);
    }
}

impl Drop for Changing {
    fn drop(&mut self) {
        self.0.changing.fetch_sub(1, Ordering::SeqCst);
    }
}
