//! A transaction's life: begun, entering tables, marked and rolled back, committed.
//!
//! Invariants
//! 1. A table is entered before anything of it is locked or written.
//! 2. What a failed step has written is forgotten; its locks stay until the end.
//! 3. Memory for writes and locks is had before there are more than a little more: writes that are
//!    too many go to files, and a table in which too many rows are locked is locked whole as soon
//!    as nobody else writes in it.
//!
//! Not here: what is written (`operations`), the commit itself (`commit`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use resources::budget::{SMALL_BYTES, Share};
use values::temporal::Zone;

use super::counters::UnusedNumbers;
use super::expected::ExpectedRows;
use super::number_rules::NumberRules;
use crate::commit::{Lead, TransactionWrites, note_large};
use crate::engine::Engine;
use crate::error::{Error, Result, Wait};
use crate::rules::{Computing, Lenience};
use crate::schema::TableId;
use crate::store::{Durability, LockWait, Reach, Read, Savepoint, StoreTransaction};
use crate::table::{GateGuard, GivenUp, Patience, SizesMoved, Table};
use crate::table_locks::{TableLockKind, TableLocks};

/// Writes that become visible and durable together.
pub struct Transaction {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Box<dyn StoreTransaction>,
    pub(crate) gates: Vec<GateGuard>,
    /// Changes of the bytes of tables in cache mode.
    pub(crate) sizes: SizesMoved,
    /// Memory for what is buffered, once it is more than a little.
    pub(crate) share: Share,
    pub(super) wait: LockWait,
    /// A locked row key that was found to have no row, and got none since: most often of a row
    /// that comes in next.
    pub(super) absent: Option<Vec<u8>>,
    pub(super) expected: ExpectedRows,
    /// A row's or an entry's key and value while they are made.
    pub(super) scratch: (Vec<u8>, Vec<u8>),
    /// How AUTO_INCREMENT values are made.
    pub(super) number_rules: NumberRules,
    /// The AUTO_INCREMENT value of the next row that leaves it to the engine, if it is said.
    pub(super) next_number: Option<u64>,
    /// Numbers of rows of the statement that were not put in, if its next rows are to have them.
    pub(super) unused_numbers: Option<UnusedNumbers>,
    /// What is told of columns that are computed leniently, if they are.
    pub(super) lenience: Option<Lenience>,
    /// The zone in which its errors show points in time.
    pub(super) zone: Zone,
    /// Whether foreign keys are obeyed.
    pub(super) obeys_foreign_keys: bool,
    /// Whether what its scans have looked at stays as it is (`ranges`).
    pub(super) locks_ranges: bool,
    /// Whole transactions of others that are committed together with this one.
    pub(crate) others: Vec<Transaction>,
    /// Ends its waits for changes of definitions.
    given_up: Option<GivenUp>,
    /// Tables that its session has locked.
    table_locks: Option<Arc<TableLocks>>,
    /// Bytes of locks at which it is tried to have fewer.
    widen_at: usize,
}

/// The part of the memory for clients that the writes of one transaction may take before they go
/// to a file.
const WRITES_PART: usize = 8;
/// The part that its locks may take before a table is locked whole.
const LOCKS_PART: usize = 16;
/// A table with fewer locks is not worth it.
const LOCKS_MIN: usize = 1000;
/// How long a transaction waits when others have the memory, if its waits can be ended: their
/// statements end.
const ROOM_WAIT: Duration = Duration::from_secs(5);
/// The same of any other with many locks: who moves rows in the background is in a table, which
/// could be locked whole, for moments only.
const WIDEN_WAIT: Duration = Duration::from_millis(400);
/// Between two looks.
const ROOM_REST: Duration = Duration::from_millis(2);

impl Engine {
    /// Starts a transaction whose locks are waited for as `wait` says.
    ///
    /// # Errors
    /// Those of the store, when it cannot begin one.
    pub fn begin(self: &Arc<Self>, wait: LockWait) -> Result<Transaction> {
        let store = self.store().begin()?;
        Ok(Transaction {
            engine: Arc::clone(self),
            store,
            gates: Vec::new(),
            sizes: SizesMoved::default(),
            share: self.budget().share(),
            wait,
            absent: None,
            expected: ExpectedRows::default(),
            scratch: Default::default(),
            number_rules: NumberRules::default(),
            lenience: None,
            next_number: None,
            unused_numbers: None,
            zone: Zone::UTC,
            obeys_foreign_keys: true,
            locks_ranges: false,
            others: Vec::new(),
            given_up: None,
            table_locks: None,
            widen_at: self.budget().bytes_max() / LOCKS_PART,
        })
    }
}

impl Transaction {
    /// Has it go into tables that these locks keep for its session, and keeps them meanwhile.
    pub fn go_by(&mut self, locks: Arc<TableLocks>) {
        self.table_locks = Some(locks);
    }

    /// Has AUTO_INCREMENT values made so, until it is said otherwise. A transaction may be shared:
    /// whoever changes the rules puts the default back when its rows are in.
    pub fn number_by(&mut self, rules: NumberRules) {
        self.number_rules = rules;
    }

    /// Has the rows of a statement get this AUTO_INCREMENT value and those behind it, whatever the
    /// counter says (`insert_id`). Gives what was said before: `None` once a row has got one.
    pub fn number_from(&mut self, first: Option<u64>) -> Option<u64> {
        std::mem::replace(&mut self.next_number, first)
    }

    /// Has the next row get the first of these AUTO_INCREMENT values, which other rows of its
    /// statement did not use, and keeps its own if it does not use that either; `None`: no numbers
    /// are kept. Gives those that are kept by now.
    pub fn number_again(&mut self, unused: Option<UnusedNumbers>) -> Option<UnusedNumbers> {
        std::mem::replace(&mut self.unused_numbers, unused)
    }

    /// Has columns that rows make computed leniently, until it is said otherwise. Gives what was
    /// told since it was said before.
    pub fn compute_with(&mut self, lenience: Option<Lenience>) -> Option<Lenience> {
        std::mem::replace(&mut self.lenience, lenience)
    }

    /// How strictly columns that rows make are computed.
    pub(super) fn computing(&self) -> Computing<'_> {
        Computing::of(self.lenience.as_ref())
    }

    /// Has its errors show points in time in a zone, until it is said otherwise.
    pub fn show_times_in(&mut self, zone: Zone) {
        self.zone = zone;
    }

    /// The latest committed state with this transaction's writes on top.
    pub fn view(&self) -> &dyn Read {
        &*self.store
    }

    /// `snapshot` with this transaction's writes on top.
    pub fn view_at<'a>(&'a self, snapshot: &'a dyn Read) -> Box<dyn Read + 'a> {
        self.store.view_at(snapshot)
    }

    /// As `view_at`, with a copy of the writes made so far, so that it outlives the transaction.
    pub fn frozen_at(&self, snapshot: Arc<dyn Read>) -> Arc<dyn Read> {
        if self.is_empty() { snapshot } else { self.store.frozen_at(snapshot) }
    }

    /// Marks this point.
    pub fn savepoint(&self) -> Savepoint {
        self.store.savepoint()
    }

    /// Forgets what was written since the mark; locks stay.
    pub fn rollback_to(&mut self, savepoint: Savepoint) {
        // It may have been this transaction's own removal that made a row absent.
        self.absent = None;
        self.expected.forget_keys();
        self.sizes.rollback_to(savepoint.0);
        self.store.rollback_to(savepoint);
    }

    /// Changes how locks are waited for from now on.
    pub fn set_wait(&mut self, wait: LockWait) {
        self.wait = wait;
    }

    /// Statements of several clients are done in it (`StoreTransaction::serve_many`).
    pub(crate) fn serve_many(&mut self) {
        self.store.serve_many();
    }

    /// Has other transactions committed together with this one: with one sync, and one result.
    pub(crate) fn commit_with(&mut self, others: Vec<Transaction>) {
        self.others.extend(others);
    }

    /// Has it wait no longer for changes of definitions once this says so.
    pub fn give_up_if(&mut self, given_up: GivenUp) {
        self.given_up = Some(given_up);
    }

    /// What it is called among those who wait for row locks (`Store::row_lock_waits`).
    pub fn lock_owner(&self) -> Option<u64> {
        self.store.lock_owner()
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.store.is_empty() && self.others.iter().all(Transaction::is_empty)
    }

    /// Whether some of its writes lie in files: reading them waits for the disk.
    pub fn is_spilled(&self) -> bool {
        self.store.is_spilled()
    }

    /// Bytes of memory for what is written and locked so far.
    pub fn bytes(&self) -> usize {
        self.store.bytes()
    }

    /// Commits and returns when the writes are as durable as asked.
    ///
    /// # Errors
    /// `Store` and `Refused`; `Conflict` from stores that find conflicts late.
    pub fn commit(self, durability: Durability) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        note_large(self.bytes());
        let engine = Arc::clone(&self.engine);
        // What writes files of its own is not waited for by others.
        let apart = self.is_spilled();
        engine.committer().commit(self.into_writes(), apart, durability)
    }

    /// As `commit`, in the calling thread, which has the right to.
    ///
    /// # Errors
    /// As `commit`.
    pub fn commit_by(self, lead: Lead, durability: Durability) -> Result<()> {
        // The engine's end waits for whoever leads, so it must not come before this is over.
        let _engine = Arc::clone(&self.engine);
        lead.commit(self.into_writes(), durability)
    }

    /// Commits at once, if that does not wait for a disk. `None`: it would, so it is done in the
    /// committer's thread, which calls `done`.
    pub fn commit_or_later(
        self,
        durability: Durability,
        done: Box<dyn FnOnce(Result<()>) + Send>,
    ) -> Option<Result<()>> {
        let engine = Arc::clone(&self.engine);
        engine.committer().commit_or_submit(self.into_writes(), durability, done)
    }

    /// Commits in the committer's thread and calls `done` there; locks are free by then.
    pub fn commit_later(self, durability: Durability, done: Box<dyn FnOnce(Result<()>) + Send>) {
        let engine = Arc::clone(&self.engine);
        engine.committer().submit(self.into_writes(), durability, done);
    }

    /// The writes of this transaction and of those to be committed with it.
    fn into_writes(self) -> Vec<TransactionWrites> {
        let reach = self.reach();
        let Transaction { store, gates, sizes, share, others, .. } = self;
        let mut all = Vec::with_capacity(1 + others.len());
        all.push(TransactionWrites::new(store, gates, sizes, share, reach));
        all.extend(others.into_iter().flat_map(Transaction::into_writes));
        all
    }

    /// Enters to add a row, which a full table in cache mode takes when others have left it.
    pub(super) fn enter_to_add(&mut self, table: &Arc<Table>) -> Result<()> {
        if let Some(recency) = table.recency()
            && recency.is_crowded()
            && self.engine.wake().is_attached()
        {
            match self.reach() {
                Reach::Memory => return Err(Error::WouldWait(Wait::Room)),
                Reach::Disk => recency.wait_for_room(),
            }
        }
        self.enter(table)
    }

    /// The tables that were entered: their definitions stay as they are until the end.
    pub fn entered(&self) -> impl ExactSizeIterator<Item = TableId> {
        self.gates.iter().map(GateGuard::id)
    }

    /// Enters a table, as all that lock rows of it do: its definition stays as it is until the end.
    ///
    /// # Errors
    /// Those of waiting while it changes; `SchemaChanged` where it is another by now.
    pub fn enter(&mut self, table: &Arc<Table>) -> Result<()> {
        if !self.gates.iter().any(|gate| gate.is_of(&table.state)) {
            let gate = self.gate(table)?;
            self.gates.push(gate);
        }
        self.make_room(0)?;
        if table.is_temporary() {
            self.make_room_of(table)?;
        }
        if table.is_current() { Ok(()) } else { Err(Error::SchemaChanged) }
    }

    /// Enters a table and locks it whole, if nobody else writes in it just now: others wait then
    /// until this transaction is over. `false`: it is entered as always.
    pub(crate) fn lock_whole(&mut self, table: &Arc<Table>) -> Result<bool> {
        self.enter(table)?;
        let Some(gate) = self.gates.iter_mut().find(|gate| gate.is_of(&table.state)) else {
            return Ok(false);
        };
        let name = gate.id().to_be_bytes();
        Ok(gate.claims() || self.store.lock_table(name, &mut || gate.claim()))
    }

    /// Goes through the table's gate, behind whoever has the table locked whole.
    fn gate(&mut self, table: &Table) -> Result<GateGuard> {
        let patience = match self.wait {
            LockWait::Never => None,
            LockWait::AtMost(time) => {
                let patience = Patience::at_most(time);
                Some(match &self.given_up {
                    Some(given_up) => patience.unless(Arc::clone(given_up)),
                    None => patience,
                })
            }
        };
        let own_lock = self.table_locks.as_ref().and_then(|locks| locks.kind_of(&table.state));
        if own_lock == Some(TableLockKind::Read) {
            let table = format!("{}.{}", table.database, table.name);
            return Err(Error::LockedForReading { table });
        }
        loop {
            let entered = match own_lock {
                Some(_) => table.state.enter_closed(table.id),
                None => table.state.enter(table.id, patience.as_ref())?,
            };
            if let Some(gate) = entered {
                return Ok(gate);
            }
            let wait = match &patience {
                None => LockWait::Never,
                Some(patience) => LockWait::AtMost(patience.left()),
            };
            self.store.await_table(table.id.to_be_bytes(), wait)?;
            match wait {
                // Its locks are free, and it is about to leave.
                LockWait::Never => return Err(Error::WouldWait(Wait::Schema)),
                LockWait::AtMost(Duration::ZERO) => return Err(Error::LockTimeout),
                LockWait::AtMost(_) => table.state.let_leave(),
            }
        }
    }

    /// Takes memory for so many more bytes of writes: for the buffer, and for the copy that the
    /// store makes of it when it is committed. Of what is in files nothing is copied.
    pub(super) fn make_room(&mut self, more: usize) -> Result<()> {
        let wanted = |this: &Transaction| {
            let copied = this.store.spillable_bytes() + more;
            this.store.bytes() + more + copied + this.sizes.bytes()
        };
        if wanted(self) <= self.share.bytes() + SMALL_BYTES {
            return Ok(());
        }
        if self.reach() == Reach::Memory {
            // Where waiting is allowed there may be room in a file.
            return self.share.grow_to(wanted(self)).map_err(|_| Error::WouldWait(Wait::Disk));
        }
        if self.store.lock_bytes() > self.widen_at {
            self.widen_locks();
        }
        if self.store.spillable_bytes() > self.engine.budget().bytes_max() / WRITES_PART {
            self.spill()?;
        }
        if self.share.grow_to(wanted(self)).is_ok() {
            return Ok(());
        }
        self.spill()?;
        let begun = Instant::now();
        loop {
            self.widen_locks();
            if self.share.grow_to(wanted(self)).is_ok() {
                return Ok(());
            }
            let others = self.engine.budget().used().saturating_sub(self.share.bytes());
            if others == 0 || begun.elapsed() >= self.room_wait() || self.is_given_up() {
                let (locks, bytes) = (self.store.locks(), self.store.bytes() + more);
                return Err(Error::TransactionTooLarge { locks, bytes });
            }
            std::thread::sleep(ROOM_REST);
        }
    }

    /// Has what is committed of a temporary table go to a file, if it is too much.
    fn make_room_of(&self, table: &Table) -> Result<()> {
        let (Some(directory), budget) = (self.engine.spill(), self.engine.budget()) else {
            return Ok(());
        };
        let temporary = self.engine.temporary();
        let is_large = temporary.is_large(table.id, budget.bytes_max(), budget.is_over());
        match (is_large, self.reach()) {
            (false, _) => Ok(()),
            (true, Reach::Memory) => Err(Error::WouldWait(Wait::Disk)),
            (true, Reach::Disk) => temporary.spill(table.id, directory),
        }
    }

    /// How long it waits for memory that others have.
    fn room_wait(&self) -> Duration {
        match &self.given_up {
            Some(_) => ROOM_WAIT,
            None if self.store.locks() >= LOCKS_MIN => WIDEN_WAIT,
            None => Duration::ZERO,
        }
    }

    /// Moves the writes to a file, if there is a place for files.
    fn spill(&mut self) -> Result<()> {
        if let Some(directory) = self.engine.spill() {
            self.store.spill(directory)?;
            self.share.set(self.share.bytes().min(2 * self.store.bytes()));
        }
        Ok(())
    }

    /// Locks tables whole in which many rows are locked and nobody else writes.
    fn widen_locks(&mut self) {
        for gate in self.gates.iter_mut().filter(|gate| !gate.claims()) {
            let table = gate.id().to_be_bytes();
            if self.store.locks_of(table) >= LOCKS_MIN {
                self.store.lock_table(table, &mut || gate.claim());
            }
        }
        // Where others write as well, it is tried again when there are a sixteenth more.
        let bytes = self.store.lock_bytes();
        let least = self.engine.budget().bytes_max() / LOCKS_PART;
        self.widen_at = least.max(bytes + bytes / 16);
        self.share.set(self.share.bytes().min(2 * self.store.bytes()));
    }

    fn is_given_up(&self) -> bool {
        self.given_up.as_ref().is_some_and(|given_up| given_up())
    }

    /// How far its reads reach: into memory only, where locks are not waited for either.
    pub fn reach(&self) -> Reach {
        match self.wait {
            LockWait::Never => Reach::Memory,
            LockWait::AtMost(_) => Reach::Disk,
        }
    }

    /// Reads a row that this transaction has locked: as it wrote it, else from the row cache,
    /// which has the latest committed state, else from the store.
    pub(super) fn read_locked(&self, row_key: &[u8], value: &mut Vec<u8>) -> Result<bool> {
        match self.store.own_write(row_key, value)? {
            Some(found) => Ok(found),
            None => self.engine.read_row(self.engine.latest(), row_key, self.reach(), value),
        }
    }

    pub(super) fn atomically<T, E>(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let start = self.store.savepoint();
        let result = operation(self);
        if result.is_err() {
            self.rollback_to(start);
        }
        result
    }
}
