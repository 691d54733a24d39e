//! What all versions of one table share: which of them is current, its gate, its counters.
//!
//! The gate lets writers in side by side, and a schema change when no writer is inside. A writer
//! that is alone inside may claim the table, and the next one comes in when it has left.
//!
//! Invariants
//! 1. A writer that leaves behind writes moves `writers_left` before anybody learns that the
//!    transaction is over.
//! 2. Waiting for the gate has a time limit, and ends when the client that waits has gone.
//! 3. One definition of a table is changed at a time, also while the gate is open for the writers
//!    beside that change (`Altering`).
//! 4. Whether changes are noted is the same for a writer from its coming in to its leaving, but
//!    that it may end (`log_changes`).
//!
//! Not here: what the counters count (`transaction`), what a version is (`version`), what is noted
//! of a change (`changes`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};
use resources::waiting::{Waiting, during_of};

use super::changes::NotedColumns;
use super::count::RowCount;
use super::counted::CountedRows;
use crate::error::{Error, Result, Wait};
use crate::foreign_key::{Follower, References};
use crate::recency::Recency;
use crate::schema::{IndexId, TableDefinition, TableId};

/// How long somebody waits without a look at whether that was given up.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Versions of before that are known; who reads by one that has ended earlier is told so.
const ENDED_VERSIONS_MAX: usize = 16;
/// How long a table may still seem claimed when the locks of its owner are free already.
const LEAVING: Duration = Duration::from_millis(10);

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

/// Whether writers come in, and who is inside. Two things are independent: the gate, and whether
/// a definition is being changed (`altering`), which one change at a time holds from `alter` on.
///
/// ```text
///              enter: writers + 1          close, with writers inside
///           ┌────────────────────┐       ┌──────────────────────────────┐
///           ▼                    │       │                              ▼
///  ┌──────────────┐  enter  ┌────┴───────┴─┐  time is over:   ┌──────────────────┐
///  │     open,    ├────────>│     open,    │<───── opened ────┤      closing:    │
///  │ nobody inside│<────────┤ writers >= 1 │                  │ nobody comes in  │
///  └──┬────────▲──┘  last   └──┬────────▲──┘                  └────────┬─────────┘
///     │        │     leaves    │ claim  │ it leaves                    │ last leaves
///     │        │               ▼ (alone)│                              ▼
///     │        │          ┌─────────────┴┐                    ┌──────────────────┐
///     │        │          │   claimed:   │                    │      closed:     │
///     │        │          │ others: None │                    │ writers wait     │
///     │        │          └──────────────┘                    └──┬───────────▲───┘
///     │        └──────── ClosedGate dropped ────────────────────┘           │
///     └──────────────────── close, nobody inside ───────────────────────────┘
/// ```
///
/// `enter` gives `None` while the table is claimed, and waits or is refused while the gate is
/// closing or closed. A claimed table is closed as one with a writer inside. While some share the
/// gate (`share`), it is as closed to writers, and those who would close it wait.
#[derive(Debug, Default)]
struct Gate {
    writers: usize,
    closed: bool,
    /// Whether who has it closed keeps readers out as well.
    whole: bool,
    /// How many keep writers out together.
    shared: usize,
    /// A definition is being changed; the gate may be open meanwhile.
    altering: bool,
    /// The one writer inside wants no other.
    claimed: bool,
    /// Writers belong to the generation in which they came in.
    generation: u64,
    /// How many are inside of generations before this one.
    earlier: usize,
    /// A version that no write of this generation is below.
    begun_at: u64,
    /// What `settled_below` has said last.
    settled_below: u64,
}

impl Gate {
    fn lets_nobody_in(&self) -> bool {
        self.closed || self.shared > 0
    }
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

    /// How many have left behind writes, while nobody is inside and the gate is open.
    pub(crate) fn still(&self) -> Option<u64> {
        let gate = self.gate.lock();
        let is_still = gate.writers == 0 && !gate.lets_nobody_in();
        is_still.then(|| self.changes())
    }

    /// How many have left behind writes of theirs.
    #[inline]
    pub(crate) fn changes(&self) -> u64 {
        self.writers_left.load(Ordering::Acquire)
    }

    /// How many have left behind writes, while there is one inside: for this one to learn later
    /// whether another has written meanwhile.
    pub(crate) fn alone(&self) -> Option<u64> {
        let gate = self.gate.lock();
        (gate.writers == 1).then(|| self.changes())
    }

    /// Enters the table `id` as a writer; without patience only if that needs no waiting. `None`
    /// while another writer has claimed the table.
    ///
    /// # Errors
    /// `WouldWait(Schema)` or `LockTimeout` while a schema change has the gate closed.
    pub(crate) fn enter(
        self: &Arc<Self>,
        id: TableId,
        patience: Option<&Patience>,
    ) -> Result<Option<GateGuard>> {
        let mut gate = self.gate.lock();
        while gate.lets_nobody_in() {
            let patience = patience.ok_or(Error::WouldWait(Wait::Schema))?;
            if self.waited_out(&mut gate, patience) {
                return Err(Error::LockTimeout);
            }
        }
        Ok(self.let_in(&mut gate, id, false))
    }

    /// The same for the one who has the gate closed.
    pub(crate) fn enter_closed(self: &Arc<Self>, id: TableId) -> Option<GateGuard> {
        self.let_in(&mut self.gate.lock(), id, true)
    }

    fn let_in(self: &Arc<Self>, gate: &mut Gate, id: TableId, owns: bool) -> Option<GateGuard> {
        if gate.claimed {
            return None;
        }
        gate.writers += 1;
        let (state, generation) = (Arc::clone(self), gate.generation);
        Some(GateGuard { state, id, owns, claims: false, writes: false, generation })
    }

    /// Waits until nobody keeps readers out; without patience only if that needs no waiting.
    ///
    /// # Errors
    /// `WouldWait(Schema)` or `LockTimeout` while somebody does.
    pub(crate) fn await_readable(&self, patience: Option<&Patience>) -> Result<()> {
        let mut gate = self.gate.lock();
        while gate.whole {
            let patience = patience.ok_or(Error::WouldWait(Wait::Schema))?;
            if self.waited_out(&mut gate, patience) {
                return Err(Error::LockTimeout);
            }
        }
        Ok(())
    }

    /// A version below which nobody who is inside, or comes in, notes a change: all notes below it
    /// are in the store, or will never be. `next` gives one that no write has.
    pub(crate) fn settled_below(&self, next: impl FnOnce() -> u64) -> u64 {
        let mut gate = self.gate.lock();
        if gate.earlier == 0 {
            gate.settled_below = gate.begun_at;
            gate.generation += 1;
            gate.earlier = gate.writers;
            gate.begun_at = next();
        }
        gate.settled_below
    }

    /// Lets a writer that has claimed the table leave, whose locks are free already.
    pub(crate) fn let_leave(&self) {
        let mut gate = self.gate.lock();
        if gate.claimed {
            self.gate_moved.wait_for(&mut gate, LEAVING);
        }
    }

    /// Begins to change the definition, behind whoever else does.
    ///
    /// # Errors
    /// `LockTimeout` when another change is not over in time.
    pub(crate) fn alter(self: &Arc<Self>, patience: &Patience) -> Result<Altering> {
        let mut gate = self.gate.lock();
        while gate.altering {
            if self.waited_out(&mut gate, patience) {
                return Err(Error::LockTimeout);
            }
        }
        gate.altering = true;
        Ok(Altering(Arc::clone(self)))
    }

    /// Begins to change the definition, with the gate closed until it is done.
    ///
    /// # Errors
    /// As `alter` and `close`.
    pub(crate) fn close_to_alter(self: &Arc<Self>, patience: &Patience) -> Result<ClosedGate> {
        let altering = self.alter(patience)?;
        let mut closed = self.close(patience)?;
        closed._altering = Some(altering);
        Ok(closed)
    }

    /// Closes the gate and waits until the writers inside have left: for those who change no
    /// definition, and for whoever has begun to with `alter`.
    ///
    /// # Errors
    /// `LockTimeout` when somebody else has it closed, or writers do not leave in time; the gate
    /// is then as it was.
    pub(crate) fn close(self: &Arc<Self>, patience: &Patience) -> Result<ClosedGate> {
        let mut gate = self.gate.lock();
        while gate.lets_nobody_in() {
            if self.waited_out(&mut gate, patience) {
                return Err(Error::LockTimeout);
            }
        }
        gate.closed = true;
        let closed = ClosedGate { state: Arc::clone(self), _altering: None };
        self.await_leaving(gate, patience, closed)
    }

    /// The same, and keeps readers out who ask (`await_readable`).
    ///
    /// # Errors
    /// As `close`.
    pub(crate) fn close_whole(self: &Arc<Self>, patience: &Patience) -> Result<ClosedGate> {
        let closed = self.close(patience)?;
        self.gate.lock().whole = true;
        Ok(closed)
    }

    /// Keeps writers out, beside others who do, and waits until those inside have left.
    ///
    /// # Errors
    /// As `close`.
    pub(crate) fn share(self: &Arc<Self>, patience: &Patience) -> Result<SharedGate> {
        let mut gate = self.gate.lock();
        while gate.closed {
            if self.waited_out(&mut gate, patience) {
                return Err(Error::LockTimeout);
            }
        }
        gate.shared += 1;
        let shared = SharedGate(Arc::clone(self));
        self.await_leaving(gate, patience, shared)
    }

    /// Waits until the writers inside have left a gate that lets nobody in; what keeps it so is
    /// dropped if they do not.
    fn await_leaving<C>(
        &self,
        mut gate: MutexGuard<'_, Gate>,
        patience: &Patience,
        closed: C,
    ) -> Result<C> {
        while gate.writers > 0 {
            if self.waited_out(&mut gate, patience) {
                drop(gate);
                drop(closed);
                return Err(Error::LockTimeout);
            }
        }
        Ok(closed)
    }

    /// Waits until the gate moves, or it is time to look again; whether patience is at its end.
    fn waited_out(&self, gate: &mut MutexGuard<'_, Gate>, patience: &Patience) -> bool {
        let Some(look) = patience.next_look() else { return true };
        let table = u64::from(self.kept.read().table);
        during_of(Waiting::MetadataLock, table, || self.gate_moved.wait_until(gate, look));
        false
    }
}

/// A writer inside the gate; leaving is dropping it.
#[derive(Debug)]
pub struct GateGuard {
    state: Arc<TableState>,
    id: TableId,
    /// Whether the gate is closed for whoever this is.
    owns: bool,
    claims: bool,
    /// Whether there are changes to be seen when it leaves.
    writes: bool,
    generation: u64,
}

impl GateGuard {
    /// Has changes committed, perhaps: those who remember what they have read are told when it
    /// leaves.
    pub(crate) fn note_writes(&mut self) {
        self.writes = true;
    }

    pub(crate) fn is_of(&self, state: &Arc<TableState>) -> bool {
        Arc::ptr_eq(&self.state, state)
    }

    /// The table that was entered; it stays the same while there is a writer inside.
    pub(crate) fn id(&self) -> TableId {
        self.id
    }

    pub(crate) fn claims(&self) -> bool {
        self.claims
    }

    /// Keeps others out from now on, if there are none and nobody waits to change the table.
    pub(crate) fn claim(&mut self) -> bool {
        let mut gate = self.state.gate.lock();
        if gate.writers == 1 && (self.owns || !gate.lets_nobody_in()) {
            gate.claimed = true;
            self.claims = true;
        }
        self.claims
    }
}

impl Drop for GateGuard {
    fn drop(&mut self) {
        if self.writes {
            self.state.writers_left.fetch_add(1, Ordering::Release);
        }
        let mut gate = self.state.gate.lock();
        gate.writers -= 1;
        if self.generation < gate.generation {
            gate.earlier -= 1;
        }
        if self.claims {
            gate.claimed = false;
        }
        if self.claims || gate.lets_nobody_in() && gate.writers == 0 {
            self.state.gate_moved.notify_all();
        }
    }
}

/// The right to change a definition; dropping it gives it to the next.
#[derive(Debug)]
pub(crate) struct Altering(Arc<TableState>);

impl Drop for Altering {
    fn drop(&mut self) {
        self.0.gate.lock().altering = false;
        self.0.gate_moved.notify_all();
    }
}

/// A gate without writers; dropping it opens the gate.
#[derive(Debug)]
pub(crate) struct ClosedGate {
    state: Arc<TableState>,
    _altering: Option<Altering>,
}

impl ClosedGate {
    pub(crate) fn is_of(&self, state: &Arc<TableState>) -> bool {
        Arc::ptr_eq(&self.state, state)
    }
}

impl Drop for ClosedGate {
    fn drop(&mut self) {
        let mut gate = self.state.gate.lock();
        (gate.closed, gate.whole) = (false, false);
        drop(gate);
        self.state.gate_moved.notify_all();
    }
}

/// A gate that lets no writers in, for one of perhaps several; the last that is dropped opens it.
#[derive(Debug)]
pub(crate) struct SharedGate(Arc<TableState>);

impl SharedGate {
    pub(crate) fn is_of(&self, state: &Arc<TableState>) -> bool {
        Arc::ptr_eq(&self.0, state)
    }
}

impl Drop for SharedGate {
    fn drop(&mut self) {
        self.0.gate.lock().shared -= 1;
        self.0.gate_moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Patience {
        Patience::at_most(Duration::from_millis(5))
    }

    fn enter(state: &Arc<TableState>) -> Result<Option<GateGuard>> {
        state.enter(1, None)
    }

    #[test]
    fn a_closed_gate_lets_nobody_in_and_waits_for_those_inside() {
        let state = Arc::new(TableState::default());
        let inside = enter(&state).unwrap();
        assert!(matches!(state.close(&soon()), Err(Error::LockTimeout)));
        drop(inside);
        let closed = state.close(&soon()).unwrap();
        assert!(matches!(enter(&state), Err(Error::WouldWait(Wait::Schema))));
        drop(closed);
        enter(&state).unwrap();
    }

    #[test]
    fn those_who_share_a_gate_keep_writers_out_until_the_last_has_left() {
        let state = Arc::new(TableState::default());
        let (one, other) = (state.share(&soon()).unwrap(), state.share(&soon()).unwrap());
        assert!(matches!(enter(&state), Err(Error::WouldWait(Wait::Schema))));
        assert!(matches!(state.close(&soon()), Err(Error::LockTimeout)));
        drop(one);
        assert!(matches!(enter(&state), Err(Error::WouldWait(Wait::Schema))));
        drop(other);
        let inside = enter(&state).unwrap();
        assert!(matches!(state.share(&soon()), Err(Error::LockTimeout)));
        drop(inside);
        enter(&state).unwrap();
    }

    #[test]
    fn who_has_a_gate_closed_to_all_goes_in_and_out_and_readers_wait() {
        let state = Arc::new(TableState::default());
        let whole = state.close_whole(&soon()).unwrap();
        let mut own = state.enter_closed(1).unwrap();
        assert!(own.claim(), "nobody else is inside");
        drop(own);
        assert!(enter(&state).is_err());
        assert!(matches!(state.await_readable(None), Err(Error::WouldWait(Wait::Schema))));
        assert!(matches!(state.await_readable(Some(&soon())), Err(Error::LockTimeout)));
        assert!(matches!(state.share(&soon()), Err(Error::LockTimeout)));
        drop(whole);
        state.await_readable(None).unwrap();
        let _altering = state.close(&soon()).unwrap();
        state.await_readable(None).expect("a schema change keeps no reader out");
    }

    #[test]
    fn a_writer_that_is_alone_may_keep_others_out_until_it_leaves() {
        let state = Arc::new(TableState::default());
        let (mut one, other) = (enter(&state).unwrap().unwrap(), enter(&state).unwrap());
        assert!(!one.claim(), "not while another is inside");
        drop(other);
        assert!(one.claim());
        assert!(enter(&state).unwrap().is_none());
        assert!(matches!(state.close(&soon()), Err(Error::LockTimeout)));
        drop(one);
        assert!(enter(&state).unwrap().is_some());
    }

    #[test]
    fn a_writer_is_alone_until_another_comes_in_and_as_before_unless_that_one_writes() {
        let state = Arc::new(TableState::default());
        let one = enter(&state).unwrap();
        let before = state.alone();
        assert!(before.is_some());
        let other = enter(&state).unwrap();
        assert_eq!(state.alone(), None);
        drop(other);
        assert_eq!(state.alone(), before, "it has written nothing");
        let mut other = enter(&state).unwrap().unwrap();
        other.note_writes();
        drop(other);
        assert!(state.alone().is_some_and(|now| Some(now) != before), "it has written, perhaps");
        drop(one);
        assert_eq!(state.alone(), None);
    }

    #[test]
    fn what_is_settled_waits_for_writers_that_came_in_before() {
        let state = Arc::new(TableState::default());
        let mut version = 10;
        let mut settled = || {
            version += 10;
            state.settled_below(|| version)
        };
        assert_eq!(settled(), 0, "nothing is known of writers before the first question");
        let slow = enter(&state).unwrap();
        assert_eq!(settled(), 20, "it came in behind it");
        // It may note changes with any version from 20 on.
        for _ in 0..3 {
            drop(enter(&state).unwrap());
            assert_eq!(settled(), 20);
        }
        drop(slow);
        assert_eq!(settled(), 30, "the moment of the last turn");
        assert_eq!(settled(), 70);
        assert_eq!(settled(), 80);
    }

    #[test]
    fn a_definition_is_changed_by_one_at_a_time_while_writers_come_and_go() {
        let state = Arc::new(TableState::default());
        let altering = state.alter(&soon()).unwrap();
        drop(enter(&state).unwrap());
        assert!(matches!(state.alter(&soon()), Err(Error::LockTimeout)));
        drop(state.close(&soon()).unwrap());
        drop(altering);
        state.alter(&soon()).unwrap();
    }

    #[test]
    fn a_schema_change_that_is_given_up_waits_no_longer() {
        let state = Arc::new(TableState::default());
        let _inside = enter(&state).unwrap();
        let patience = Patience::at_most(Duration::from_secs(3600)).unless(Arc::new(|| true));
        assert!(matches!(state.close(&patience), Err(Error::LockTimeout)));
    }

    #[test]
    fn a_writer_that_is_told_to_stop_waits_no_longer_for_a_schema_change() {
        let state = Arc::new(TableState::default());
        let _closed = state.close(&soon()).unwrap();
        let patience = Patience::at_most(Duration::from_secs(3600)).unless(Arc::new(|| true));
        assert!(matches!(state.enter(1, Some(&patience)), Err(Error::LockTimeout)));
    }
}
