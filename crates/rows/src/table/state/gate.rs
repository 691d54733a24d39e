//! The gate of a table: it lets writers in side by side, and a schema change when no writer is
//! inside. A writer that is alone inside may claim the table, and the next one comes in when it has
//! left.
//!
//! Invariants
//! 1. Waiting for the gate has a time limit, and ends when the client that waits has gone.
//! 2. One definition of a table is changed at a time, also while the gate is open for the writers
//!    beside that change (`Altering`).
//!
//! Not here: what writers leave behind (`state`), what is noted of a change (`changes`).

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::MutexGuard;
use resources::waiting::{Waiting, during_of};

use super::{Patience, TableState};
use crate::error::{Error, Result, Wait};
use crate::schema::TableId;

/// How long a table may still seem claimed when the locks of its owner are free already.
const LEAVING: Duration = Duration::from_millis(10);

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
pub(super) struct Gate {
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
    /// How many have left behind writes, while nobody is inside and the gate is open.
    pub(crate) fn still(&self) -> Option<u64> {
        let gate = self.gate.lock();
        let is_still = gate.writers == 0 && !gate.lets_nobody_in();
        is_still.then(|| self.changes())
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
        self.enter_but_while(Gate::lets_nobody_in, id, patience)
    }

    /// The same for the one who has the gate closed.
    pub(crate) fn enter_closed(self: &Arc<Self>, id: TableId) -> Option<GateGuard> {
        self.let_in(&mut self.gate.lock(), id, true)
    }

    /// The same for one of those who share the gate, when the others have given it up.
    ///
    /// # Errors
    /// `LockTimeout` when they do not in time.
    pub(crate) fn enter_shared(
        self: &Arc<Self>,
        id: TableId,
        patience: &Patience,
    ) -> Result<Option<GateGuard>> {
        self.enter_but_while(|gate| gate.closed || gate.shared > 1, id, Some(patience))
    }

    fn enter_but_while(
        self: &Arc<Self>,
        is_shut: impl Fn(&Gate) -> bool,
        id: TableId,
        patience: Option<&Patience>,
    ) -> Result<Option<GateGuard>> {
        let mut gate = self.gate.lock();
        while is_shut(&gate) {
            let patience = patience.ok_or(Error::WouldWait(Wait::Schema))?;
            if self.waited_out(&mut gate, patience) {
                return Err(Error::LockTimeout);
            }
        }
        Ok(self.let_in(&mut gate, id, false))
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
        assert!(matches!(state.enter_shared(1, &soon()), Err(Error::LockTimeout)));
        drop(one);
        assert!(matches!(enter(&state), Err(Error::WouldWait(Wait::Schema))));
        let inside = state.enter_shared(1, &soon()).unwrap();
        assert!(matches!(state.share(&soon()), Err(Error::LockTimeout)), "one is inside");
        drop(inside);
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
