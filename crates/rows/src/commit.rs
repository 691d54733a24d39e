//! Commits shared by all writers: those that need the disk wait together for one sync.
//!
//! Under `EveryCommit` one thread at a time commits. A writer that comes while nobody does takes
//! the lead: it writes and syncs in its own thread, without a change of threads (`Lead`). Those
//! that come meanwhile queue; the committer's thread then takes all of them, applies them with one
//! sync, frees their locks and tells each. While it syncs, the next ones gather. Writers that need
//! no sync are applied by their own thread at once: the store only has to hand the bytes to the
//! operating system. (docs/decisions/0021-commits-in-place.md)
//!
//! Invariants
//! 1. A transaction's locks are held until its writes are visible (so under `EveryCommit` until
//!    they are durable), and free before its `done` is called.
//! 2. The row cache hears of every row before the store gets it and after
//!    (`CommitterShared::write`).
//! 3. Every transaction handed over is answered exactly once, also when the committer stops.
//! 4. No writer takes the lead past those that wait: while one is queued, the next one queues too.
//!
//! Not here: what the writes are (`transaction`), the once-a-second sync (the store's).

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use resources::background::begin_busy_thread;
use resources::budget::Share;
use resources::interrupt;

use crate::cache::{RowCache, WriteEffect};
use crate::error::{Error, Result};
use crate::recency::Wake;
use crate::store::{
    Batch, Change, Durability, KeyRange, Reach, SortedWrite, Store, StoreTransaction,
};
use crate::table::{GateGuard, PREFIX_BYTES, PRIMARY, SizesMoved};
use crate::temporary_ids::is_temporary_key;

/// More changes of one client are a load, whose rows are not for the row cache; in a group of an
/// event loop there may be those of many clients.
const MANY: usize = 64;
const MANY_OF_GROUP: usize = 1000;

/// Commits that take longer than this, of late, are not for threads that may not wait.
const QUICK: Duration = Duration::from_millis(1);
/// A commit's part in what is remembered of how long they take.
const PACE_PART: u64 = 8;

/// Writes and locks of more bytes are more than an event loop makes in a statement, about.
const LARGE_BYTES: usize = 8 << 10;

thread_local! {
    /// Large transactions that this thread has committed.
    static LARGE: Cell<u64> = const { Cell::new(0) };
}

/// Counts a transaction of so many bytes if it is a large one.
pub(crate) fn note_large(bytes: usize) {
    if bytes > LARGE_BYTES {
        LARGE.set(LARGE.get() + 1);
    }
}

/// How many transactions the calling thread has committed and waited for that wrote more than
/// statements in event loops do, about: more of them are likely to follow from the same client.
pub fn large_commits() -> u64 {
    LARGE.get()
}

type CommitCallback = Box<dyn FnOnce(Result<()>) + Send>;

/// What one transaction has written, on its way to the store, and what it holds until then.
pub(crate) struct TransactionWrites {
    store: Box<dyn StoreTransaction>,
    /// Taken out of `store` by the thread that has put it in, whose memory it is; `None`: the store
    /// commits it only by itself.
    batch: Option<Batch>,
    /// From how many changes on it is a load.
    many: usize,
    gates: Vec<GateGuard>,
    sizes: SizesMoved,
    /// Memory for the writes until they are the store's.
    _share: Share,
}

impl TransactionWrites {
    /// Those of a transaction with this reach, in the thread that has made them.
    pub fn new(
        mut store: Box<dyn StoreTransaction>,
        mut gates: Vec<GateGuard>,
        mut sizes: SizesMoved,
        share: Share,
        reach: Reach,
    ) -> TransactionWrites {
        let many = match reach {
            Reach::Memory => MANY_OF_GROUP,
            Reach::Disk => MANY,
        };
        sizes.write_numbers(&mut *store);
        let batch = store.take_batch();
        if batch.as_ref().is_none_or(|batch| !batch.changes.is_empty()) {
            gates.iter_mut().for_each(GateGuard::note_writes);
        }
        TransactionWrites { store, batch, many, gates, sizes, _share: share }
    }
}

/// A batch on its way to the store.
struct StoreBatch {
    batch: Batch,
    /// Its rows are those of a load.
    of_load: bool,
}

impl StoreBatch {
    fn new(batch: Batch, many: usize) -> StoreBatch {
        StoreBatch { of_load: batch.changes.len() > many, batch }
    }

    /// Its changes of rows: whether it is a load, the row's key, its bytes.
    fn rows(&self) -> impl Iterator<Item = (bool, &[u8], Option<&[u8]>)> {
        let rows = self.batch.changes.iter().filter_map(row_change);
        rows.map(|(key, row)| (self.of_load, key, row))
    }
}

struct Pending {
    writes: Vec<TransactionWrites>,
    durability: Durability,
    done: CommitCallback,
}

#[derive(Default)]
struct Queue {
    pending: Vec<Pending>,
    /// Somebody commits, the committer's thread or a `Lead`: the store may be held up by a sync.
    committing: bool,
    stopped: bool,
}

struct CommitterShared {
    queue: Mutex<Queue>,
    arrived: Condvar,
    store: Arc<dyn Store>,
    cache: Arc<RowCache>,
    wake: Arc<Wake>,
    pace: Pace,
}

/// How long commits with a sync take, of late.
struct Pace(AtomicU64);

impl Pace {
    /// Not quick until some were.
    fn unknown() -> Pace {
        Pace(AtomicU64::new(QUICK.as_nanos() as u64))
    }

    fn note(&self, took: Duration) {
        // One thread at a time commits; should two meet, one of them is not remembered.
        let before = self.0.load(Ordering::Relaxed);
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX) / PACE_PART;
        self.0.store((before - before / PACE_PART).saturating_add(took), Ordering::Relaxed);
    }

    fn is_quick(&self) -> bool {
        self.0.load(Ordering::Relaxed) < QUICK.as_nanos() as u64
    }
}

impl CommitterShared {
    /// Counts the bytes that a transaction has added, and wakes the sweep if they are too many.
    fn count(&self, sizes: SizesMoved, result: &Result<()>) {
        if result.is_ok() && sizes.committed() {
            self.wake.wake();
        }
    }

    /// Gives batches to the store, and keeps the row cache in step.
    fn write(&self, batches: &[StoreBatch], durability: Durability) -> Result<()> {
        let began = (durability == Durability::EveryCommit).then(Instant::now);
        let views: Vec<&Batch> = batches.iter().map(|taken| &taken.batch).collect();
        let write = || self.store.write_all(&views, durability).map(|()| true);
        let result = self.write_announced(batches, write).map(|_| ());
        if let Some(began) = began {
            self.pace.note(began.elapsed());
        }
        result
    }

    /// Commits in the calling thread.
    fn commit(&self, writes: Vec<TransactionWrites>, durability: Durability) -> Result<()> {
        let mut batches = Vec::with_capacity(writes.len());
        let (held, own) = self.take_batches(writes, durability, &mut batches);
        let result = self.write_taken(&batches, durability);
        self.let_go(held, &result);
        own.and(result)
    }

    /// Takes the batches out of writes, and gives back what is held until they are the store's.
    /// What the store commits only by itself is committed on the way.
    fn take_batches(
        &self,
        writes: Vec<TransactionWrites>,
        durability: Durability,
        batches: &mut Vec<StoreBatch>,
    ) -> (Vec<TransactionWrites>, Result<()>) {
        let mut held = Vec::with_capacity(writes.len());
        let mut own = Ok(());
        for mut writes in writes {
            match writes.batch.take() {
                Some(batch) => {
                    batches.push(StoreBatch::new(batch, writes.many));
                    held.push(writes);
                }
                None => {
                    let TransactionWrites { mut store, gates, sizes, .. } = writes;
                    let result = self.apply_apart(&mut *store, &gates, durability);
                    drop(store);
                    self.count(sizes, &result);
                    drop(gates);
                    own = own.and(result);
                }
            }
        }
        (held, own)
    }

    fn write_taken(&self, batches: &[StoreBatch], durability: Durability) -> Result<()> {
        if batches.is_empty() { Ok(()) } else { self.write(batches, durability) }
    }

    /// Frees what was held for writes that are the store's now.
    fn let_go(&self, held: Vec<TransactionWrites>, result: &Result<()>) {
        for TransactionWrites { store, gates, sizes, .. } in held {
            self.count(sizes, result);
            drop(store);
            drop(gates);
        }
    }

    /// As `write` if that does not wait; `false` when it would.
    fn try_write(&self, taken: &StoreBatch, durability: Durability) -> Result<bool> {
        let write = || self.store.try_write_all(&[&taken.batch], durability);
        self.write_announced(std::slice::from_ref(taken), write)
    }

    /// Applies what is no batch, and keeps the row cache in step: by tables, since its rows may be
    /// more than there is memory for.
    fn apply_apart(
        &self,
        store: &mut dyn StoreTransaction,
        gates: &[GateGuard],
        durability: Durability,
    ) -> Result<()> {
        if !self.cache.is_on() {
            return store.apply(durability);
        }
        let tables: Vec<_> = gates.iter().map(GateGuard::id).collect();
        self.cache.begin_tables(&tables);
        let result = store.apply(durability);
        self.cache.end_tables(self.store.sequence().unwrap_or(0));
        result
    }

    fn write_announced(
        &self,
        batches: &[StoreBatch],
        write: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        if !self.cache.is_on() {
            return write();
        }
        let changes = || batches.iter().flat_map(StoreBatch::rows);
        changes().for_each(|(_, key, _)| self.cache.begin_write(key));
        let result = write();
        let done = matches!(result, Ok(true));
        let sequence = self.store.sequence().unwrap_or(0);
        for (of_load, key, row) in changes() {
            let written = match row {
                Some(row) if done && of_load => WriteEffect::RowOfMany(row),
                Some(row) if done => WriteEffect::Row(row),
                _ => WriteEffect::Nothing,
            };
            self.cache.end_write(key, written, sequence);
        }
        result
    }
}

/// The row that a change is about: its key, and its new bytes unless it is removed.
fn row_change(change: &Change) -> Option<(&[u8], Option<&[u8]>)> {
    let (key, row) = match change {
        Change::Put(key, row) => (key, Some(&row[..])),
        Change::Delete(key) => (key, None),
        // Only schema changes remove ranges: of tables whose ids nobody reads any more.
        Change::DeleteRange(_) => return None,
    };
    // Rows of temporary tables are never cached.
    let is_row = key.get(4..PREFIX_BYTES) == Some(&PRIMARY.to_be_bytes()[..]);
    (is_row && !is_temporary_key(key)).then_some((key, row))
}

/// The thread that commits for all, and the way to it.
pub struct Committer {
    shared: Arc<CommitterShared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Committer {
    /// Starts the thread; so many bytes may be used for clients.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        cache: Arc<RowCache>,
        wake: Arc<Wake>,
        client_bytes: usize,
    ) -> std::io::Result<Committer> {
        let (queue, arrived) = (Mutex::default(), Condvar::new());
        let pace = Pace::unknown();
        let shared = Arc::new(CommitterShared { queue, arrived, store, cache, wake, pace });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("committer".into()).spawn(move || {
            begin_busy_thread(client_bytes);
            run(&of_thread);
        })?;
        Ok(Committer { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Commits and returns when that is done. `apart`: it shares no sync, and nobody waits behind
    /// it.
    pub(crate) fn commit(
        &self,
        writes: Vec<TransactionWrites>,
        apart: bool,
        durability: Durability,
    ) -> Result<()> {
        if durability < Durability::EveryCommit {
            return self.shared.commit(writes, durability);
        }
        interrupt::on_disk(|| self.commit_synced(writes, apart, durability))
    }

    /// As `commit`, where that means a sync.
    fn commit_synced(
        &self,
        writes: Vec<TransactionWrites>,
        apart: bool,
        durability: Durability,
    ) -> Result<()> {
        if apart {
            return self.shared.commit(writes, durability);
        }
        if let Some(lead) = self.lead() {
            return lead.commit(writes, durability);
        }
        let outcome = Arc::new((Mutex::new(None), Condvar::new()));
        let of_done = Arc::clone(&outcome);
        self.submit(
            writes,
            durability,
            Box::new(move |result| {
                *of_done.0.lock() = Some(result);
                of_done.1.notify_one();
            }),
        );
        let mut result = outcome.0.lock();
        loop {
            match result.take() {
                Some(result) => return result,
                None => outcome.1.wait(&mut result),
            }
        }
    }

    /// Applies the writes of a transaction that keeps its locks until it is dropped: so that it is
    /// as it was when that fails. Durable on return.
    pub(crate) fn apply(
        &self,
        store: &mut dyn StoreTransaction,
        gates: &[GateGuard],
    ) -> Result<()> {
        if store.is_spilled() {
            return self.shared.apply_apart(store, gates, Durability::EveryCommit);
        }
        let change = |write: Result<SortedWrite>| match write? {
            (key, Some(value)) => Ok(Change::put(key, value)),
            (key, None) => Ok(Change::delete(key)),
        };
        let writes = store.writes_in(&KeyRange::default()).map(change);
        let batch = Batch { changes: writes.collect::<Result<_>>()? };
        self.shared.write(&[StoreBatch::new(batch, MANY)], Durability::EveryCommit)
    }

    /// Counts what such a transaction has added to tables.
    pub(crate) fn count(&self, sizes: SizesMoved) {
        self.shared.count(sizes, &Ok(()));
    }

    /// The right to commit, if nobody commits or waits for it.
    fn lead(&self) -> Option<Lead> {
        let mut queue = self.shared.queue.lock();
        if queue.committing || queue.stopped || !queue.pending.is_empty() {
            return None;
        }
        queue.committing = true;
        Some(Lead { shared: Arc::clone(&self.shared) })
    }

    /// The same for those who may not wait for long: not when syncs have been slow of late.
    pub(crate) fn quick_lead(&self) -> Option<Lead> {
        if self.shared.pace.is_quick() { self.lead() } else { None }
    }

    /// Commits at once, if that does not wait for a disk, else hands the transaction over:
    /// `None`, and `done` is called in the committer's thread.
    pub(crate) fn commit_or_submit(
        &self,
        mut writes: Vec<TransactionWrites>,
        durability: Durability,
        done: CommitCallback,
    ) -> Option<Result<()>> {
        let busy = durability == Durability::EveryCommit || {
            let queue = self.shared.queue.lock();
            queue.committing || !queue.pending.is_empty()
        };
        if let [only] = &mut writes[..]
            && !busy
        {
            let taken = only.batch.take().map(|batch| StoreBatch::new(batch, only.many));
            let written = taken.as_ref().map(|taken| self.shared.try_write(taken, durability));
            only.batch = taken.map(|taken| taken.batch);
            match written {
                Some(Ok(true)) => {
                    self.shared.let_go(writes, &Ok(()));
                    return Some(Ok(()));
                }
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(false)) | None => {}
            }
        }
        self.queue(Pending { writes, durability, done });
        None
    }

    /// Hands a transaction over; `done` is called in the committer's thread.
    pub(crate) fn submit(
        &self,
        writes: Vec<TransactionWrites>,
        durability: Durability,
        done: CommitCallback,
    ) {
        self.queue(Pending { writes, durability, done });
    }

    fn queue(&self, pending: Pending) {
        let mut queue = self.shared.queue.lock();
        if queue.stopped {
            drop(queue);
            (pending.done)(Err(Error::Refused { why: "the server is stopping" }));
            return;
        }
        queue.pending.push(pending);
        // The thread that commits looks after those that came meanwhile, or has it done.
        let committing = queue.committing;
        drop(queue);
        if !committing {
            self.shared.arrived.notify_one();
        }
    }

    /// Commits what was handed over so far and stops; later submissions are refused.
    pub(crate) fn stop(&self) {
        self.shared.queue.lock().stopped = true;
        self.shared.arrived.notify_one();
        if let Some(thread) = self.thread.lock().take() {
            // The thread only ends by itself; a panic there was printed already.
            let _ = thread.join();
        }
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The right to commit, which one thread has at a time: the others queue until it is given back.
pub struct Lead {
    shared: Arc<CommitterShared>,
}

impl Lead {
    /// Commits in the calling thread: writes, and syncs if the durability asks for it.
    pub(crate) fn commit(
        self,
        writes: Vec<TransactionWrites>,
        durability: Durability,
    ) -> Result<()> {
        self.shared.commit(writes, durability)
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        let mut queue = self.shared.queue.lock();
        queue.committing = false;
        let has_more = !queue.pending.is_empty() || queue.stopped;
        drop(queue);
        if has_more {
            self.shared.arrived.notify_one();
        }
    }
}

fn run(shared: &CommitterShared) {
    let mut round = Vec::new();
    loop {
        let mut queue = shared.queue.lock();
        while queue.committing || queue.pending.is_empty() {
            if queue.stopped && !queue.committing {
                return;
            }
            shared.arrived.wait(&mut queue);
        }
        std::mem::swap(&mut round, &mut queue.pending);
        queue.committing = true;
        drop(queue);
        commit_round(shared, &mut round);
        shared.queue.lock().committing = false;
    }
}

/// Commits everything in `round` and answers each.
fn commit_round(shared: &CommitterShared, round: &mut Vec<Pending>) {
    let durability = round.iter().map(|p| p.durability).max().unwrap_or(Durability::Os);
    let mut batches = Vec::with_capacity(round.len());
    let mut waiting = Vec::with_capacity(round.len());
    for Pending { writes, durability, done } in round.drain(..) {
        let (held, own) = shared.take_batches(writes, durability, &mut batches);
        waiting.push((held, own, done));
    }
    let result = shared.write_taken(&batches, durability).map_err(Arc::new);
    let again = || result.as_ref().copied().map_err(share);
    for (held, own, done) in waiting {
        shared.let_go(held, &again());
        done(own.and_then(|()| again()));
    }
}

/// One failure, told to each writer of the round.
fn share(error: &Arc<Error>) -> Error {
    match &**error {
        Error::Refused { why } => Error::Refused { why },
        Error::Conflict => Error::Conflict,
        Error::DiskFull { .. } => {
            Error::DiskFull { source: Box::new(SharedError(Arc::clone(error))) }
        }
        Error::Store { doing, applied, .. } => {
            let source = Box::new(SharedError(Arc::clone(error)));
            Error::Store { doing, applied: *applied, source }
        }
        _ => {
            let source = Box::new(SharedError(Arc::clone(error)));
            Error::Store { doing: "committing", applied: None, source }
        }
    }
}

/// The cause of a failure that several are told: what their own error says before it is left out.
#[derive(Debug)]
struct SharedError(Arc<Error>);

impl std::fmt::Display for SharedError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &*self.0 {
            Error::DiskFull { source } | Error::Store { source, .. } => source.fmt(f),
            error => error.fmt(f),
        }
    }
}

impl std::error::Error for SharedError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_that_several_are_told_of_is_no_longer_said_twice() {
        let error = Arc::new(Error::DiskFull { source: "no room for another log".into() });
        assert_eq!(share(&error).to_string(), "the disk is full: no room for another log");
        let (doing, applied) = ("syncing the log", None);
        let error = Arc::new(Error::Store { doing, applied, source: "the disk is gone".into() });
        assert_eq!(
            share(&error).to_string(),
            "store failed while syncing the log: the disk is gone"
        );
    }
}
