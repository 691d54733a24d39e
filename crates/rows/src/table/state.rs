//! What all versions of one table share: which of them is current, its gate, its counters.
//!
//! Invariants
//! 1. A writer that leaves behind writes moves `writers_left` before anybody learns that the
//!    transaction is over.
//! 2. Whether changes are noted is the same for a writer from its coming in to its leaving, but
//!    that it may end (`log_changes`).
//!
//! Not here: who comes in when (`gate`), what the counters count (`transaction`), what a version
//! is (`version`), what is noted of a change (`changes`).

mod gate;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, RwLock};

pub use gate::GateGuard;
pub(crate) use gate::{ClosedGate, SharedGate};

use gate::Gate;

use super::count::RowCount;
use super::counted::CountedRows;
use super::kept_numbers::KeptNumbers;
use super::noted_columns::NotedColumns;
use crate::foreign_key::{Follower, References};
use crate::recency::Recency;
use crate::schema::{IndexId, TableDefinition, TableId};

/// How long somebody waits without a look at whether that was given up.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Versions of before that are known; who reads by one that has ended earlier is told so.
const ENDED_VERSIONS_MAX: usize = 16;

/// Says that whoever waits need not any more: its client has gone, or was told to stop.
pub type GivenUp = Arc<dyn Fn() -> bool + Send + Sync>;

/// How long a schema change waits for those who write, or they for it.
#[derive(Clone)]
pub struct Patience {
    time: Duration,
    deadline: Option<Instant>,
    given_up: Option<GivenUp>,
}

impl Patience {
    /// From now on this long.
    pub fn at_most(time: Duration) -> Patience {
        Patience { time, deadline: Instant::now().checked_add(time), given_up: None }
    }

    /// As much of it once more, for somebody's next wait.
    #[must_use]
    pub(crate) fn anew(&self) -> Patience {
        Patience { given_up: self.given_up.clone(), ..Patience::at_most(self.time) }
    }

    /// And no longer than until `given_up` says so.
    #[must_use]
    pub fn unless(mut self, given_up: GivenUp) -> Patience {
        self.given_up = Some(given_up);
        self
    }

    /// What is left of it.
    pub(crate) fn left(&self) -> Duration {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.map_or(Duration::MAX, left)
    }

    /// The moment of the next look; `None` when there is no patience left.
    fn next_look(&self) -> Option<Instant> {
        let now = Instant::now();
        let is_over = self.deadline.is_some_and(|deadline| now >= deadline);
        if is_over || self.given_up.as_ref().is_some_and(|given_up| given_up()) {
            return None;
        }
        let look = now + LOOK_EVERY;
        Some(self.deadline.map_or(look, |deadline| deadline.min(look)))
    }
}

/// What all versions of one table share.
#[derive(Debug, Default)]
pub struct TableState {
    pub(super) current_version: AtomicU64,
    /// The column by which a container lets rows expire, if the definition names none: the
    /// version of the table that counts the columns, then a position + 1; 0 for none.
    pub(super) expiry_of_container: AtomicU64,
    /// Of the version in use, in cache mode.
    recency: Mutex<Option<Arc<Recency>>>,
    /// Counts transactions that wrote here and are over; moved before they are acknowledged.
    writers_left: AtomicU64,
    gate: Mutex<Gate>,
    gate_moved: Condvar,
    /// The number under which writers note which rows they change; 0 while nobody wants to know.
    changes_to: AtomicU16,
    /// The columns of which they note changes; none: all of them.
    noted_columns: RwLock<Option<Arc<NotedColumns>>>,
    /// The number of the columnar index for which writers note which rows they change; 0 for none.
    columns_to: AtomicU16,
    /// The store's state from which on the columnar index is there.
    columns_since: AtomicU64,
    /// The store's state from which on the rows and entries of this version are there; snapshots
    /// of earlier ones do not show them.
    readable_since: AtomicU64,
    /// What the version in use has: nothing else of earlier versions is sure to be there.
    kept: RwLock<StoredState>,
    /// About how many rows there are.
    pub(crate) rows: RowCount,
    /// How many there were when somebody counted them.
    pub(crate) counted: CountedRows,
    /// Next AUTO_INCREMENT value; 0 while not read from the rows yet.
    pub(crate) auto_increment: AtomicU64,
    /// One more than the AUTO_INCREMENT value of the last row that was stored when that was looked
    /// for; 0 while not read.
    pub(crate) stored_to: AtomicU64,
    /// One more than the highest AUTO_INCREMENT value that a row came with since the server
    /// started.
    pub(crate) given_to: AtomicU64,
    /// The next AUTO_INCREMENT values that are written down; read with the counter.
    pub(crate) kept_numbers: KeptNumbers,
    /// The foreign keys of all tables that refer to this one.
    references: RwLock<References>,
    /// Whether there are any.
    is_referenced: AtomicBool,
    /// The tables whose rows follow its own.
    followers: RwLock<Arc<[Follower]>>,
    /// Next hidden row id; 0 while not read from the rows yet.
    pub(crate) row_id: AtomicU64,
}

/// What is stored of a table.
#[derive(Debug, Default)]
struct StoredState {
    /// The number under which its rows are, and those of its indexes.
    table: TableId,
    indexes: Vec<IndexId>,
    /// Of some versions before, the store's last state of which each was the one to read.
    ended: VecDeque<(u64, u64)>,
}

impl TableState {
    /// Whether operations use this version.
    #[inline]
    pub(crate) fn is_version(&self, version: u64) -> bool {
        self.current_version.load(Ordering::Acquire) == version
    }

    /// Marks a version as the one that operations must use; `u64::MAX` when dropped.
    pub(crate) fn set_version(&self, version: u64) {
        self.current_version.store(version, Ordering::Release);
    }

    /// The recency for a version of the table: the one there is, if it still fits.
    pub(super) fn recency(&self, definition: &TableDefinition) -> Option<Arc<Recency>> {
        let (id, bytes_max) = (definition.id, definition.retention.bytes_max);
        let mut recency = self.recency.lock();
        if bytes_max == 0 {
            *recency = None;
        } else if !recency.as_ref().is_some_and(|known| known.is_of(id, bytes_max)) {
            *recency = Some(Arc::new(Recency::new(id, bytes_max)));
        }
        recency.clone()
    }

    /// From now on these refer to the table: with its gate closed, or where there are no rows that
    /// they could refer to.
    pub(crate) fn set_references(&self, references: References, followers: Arc<[Follower]>) {
        self.is_referenced.store(!references.is_empty(), Ordering::Release);
        *self.references.write() = references;
        *self.followers.write() = followers;
    }

    /// Whether foreign keys refer to the table.
    #[inline]
    pub(crate) fn is_referenced(&self) -> bool {
        self.is_referenced.load(Ordering::Acquire)
    }

    /// The foreign keys that refer to the table.
    pub(crate) fn references(&self) -> References {
        Arc::clone(&self.references.read())
    }

    /// The tables whose rows follow its own.
    pub(crate) fn followers(&self) -> Arc<[Follower]> {
        Arc::clone(&self.followers.read())
    }

    /// Makes counters be read from the rows again.
    pub(crate) fn reset_counters(&self) {
        self.auto_increment.store(0, Ordering::SeqCst);
        self.kept_numbers.reset();
        self.stored_to.store(0, Ordering::SeqCst);
        self.row_id.store(0, Ordering::SeqCst);
    }

    /// Has writers note the rows that they change, under a number of an index that is none: with
    /// the gate closed, so that no change goes by unnoted. `columns`: changes of these alone.
    pub(crate) fn log_changes(
        &self,
        _closed: &ClosedGate,
        log: IndexId,
        columns: Option<Arc<NotedColumns>>,
    ) {
        *self.noted_columns.write() = columns;
        self.changes_to.store(log, Ordering::Release);
    }

    /// Nobody wants to know any more. Writers inside may have noted changes that are still to be
    /// committed.
    pub(crate) fn log_no_changes(&self) {
        self.changes_to.store(0, Ordering::Release);
        *self.noted_columns.write() = None;
    }

    /// The columns of which writers note changes; none: all of them.
    pub(super) fn noted_columns(&self) -> Option<Arc<NotedColumns>> {
        self.noted_columns.read().clone()
    }

    /// Where a writer inside the gate notes which rows it changes.
    #[inline]
    pub(crate) fn changes_to(&self) -> Option<IndexId> {
        match self.changes_to.load(Ordering::Acquire) {
            0 => None,
            log => Some(log),
        }
    }

    /// Has writers note the rows that they change for a columnar index: with the gate closed, or
    /// before there are writers.
    pub(crate) fn tell_columns(&self, index: Option<IndexId>) {
        self.columns_to.store(index.unwrap_or(0), Ordering::Release);
    }

    /// The columnar index for which a writer inside the gate notes the rows that it changes.
    #[inline]
    pub(crate) fn columns_to(&self) -> Option<IndexId> {
        match self.columns_to.load(Ordering::Acquire) {
            0 => None,
            index => Some(index),
        }
    }

    /// A new columnar index is there from this state of the store on.
    pub(crate) fn set_columns_since(&self, sequence: u64) {
        self.columns_since.store(sequence, Ordering::Release);
    }

    /// The first state of the store that shows the columnar index.
    #[inline]
    pub(crate) fn columns_since(&self) -> u64 {
        self.columns_since.load(Ordering::Acquire)
    }

    /// What was stored again is there from this state of the store on.
    pub(crate) fn set_readable_since(&self, sequence: u64) {
        self.readable_since.store(sequence, Ordering::Release);
    }

    /// The first state of the store that shows this version's rows and entries.
    #[inline]
    pub(crate) fn readable_since(&self) -> u64 {
        self.readable_since.load(Ordering::Acquire)
    }

    /// The version that comes into use has these rows and entries; what others have had is removed
    /// later than this is said.
    pub(crate) fn keep(&self, definition: &TableDefinition) {
        let mut kept = self.kept.write();
        kept.table = definition.id;
        kept.indexes.clear();
        kept.indexes.extend(definition.stored_indexes());
    }

    /// Another version is about to take the place of this one, of which the store's state is the
    /// last.
    pub(crate) fn end_version(&self, version: u64, state: Option<u64>) {
        let Some(state) = state else { return };
        let mut kept = self.kept.write();
        if kept.ended.len() == ENDED_VERSIONS_MAX {
            kept.ended.pop_front();
        }
        kept.ended.push_back((version, state));
    }

    /// Rows come or go past writers: what was counted before is not so any more.
    pub(crate) fn note_rows_at_once(&self) {
        self.writers_left.fetch_add(1, Ordering::Release);
    }

    /// Whether this is a state of before another version took the place of this one.
    pub(super) fn was_read_at(&self, version: u64, state: u64) -> bool {
        let kept = self.kept.read();
        let mut ended = kept.ended.iter();
        ended.any(|(known, last)| *known == version && state <= *last)
    }

    /// The table is no more.
    pub(crate) fn drop_all(&self) {
        *self.kept.write() = StoredState::default();
        self.set_version(u64::MAX);
    }

    /// Whether these are stored, all of them.
    pub(super) fn keeps(&self, table: TableId, mut indexes: impl Iterator<Item = IndexId>) -> bool {
        let kept = self.kept.read();
        kept.table == table && indexes.all(|index| kept.indexes.contains(&index))
    }

    /// How many have left behind writes of theirs.
    #[inline]
    pub(crate) fn changes(&self) -> u64 {
        self.writers_left.load(Ordering::Acquire)
    }
}
