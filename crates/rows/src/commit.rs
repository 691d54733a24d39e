//! Commits shared by all writers: those that need the disk wait together for one sync.
//!
//! A writer under `EveryCommit` hands its transaction to the committer's thread. That thread
//! takes all that wait, applies them with one sync, frees their locks and tells each. While it
//! syncs, the next ones gather. Writers that need no sync are applied by their own thread at
//! once: the store only has to hand the bytes to the operating system.
//!
//! Invariants
//! 1. A transaction's locks are held until its writes are visible (so under `EveryCommit` until
//!    they are durable), and free before its `done` is called.
//! 2. The row cache hears of every row before the store gets it and after (`Shared::write`).
//! 3. Every transaction handed over is answered exactly once, also when the committer stops.
//!
//! Not here: what the writes are (`transaction`), the once-a-second sync (the store's).

use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};

use crate::budget::Share;
use crate::cache::{RowCache, Written};
use crate::error::{Error, Result};
use crate::recency::{Sizes, Wake};
use crate::store::{Batch, Change, Durability, Store, StoreTransaction};
use crate::table::{GateGuard, PREFIX_BYTES, PRIMARY};
use crate::transaction::Transaction;

/// A transaction of more changes than this is a load: its rows are not for the row cache.
const MANY: usize = 1000;

type Done = Box<dyn FnOnce(Result<()>) + Send>;

struct Pending {
    store: Box<dyn StoreTransaction>,
    /// What was taken out of `store` already.
    batch: Option<Batch>,
    gates: Vec<GateGuard>,
    sizes: Sizes,
    /// Memory for the writes until they are the store's.
    _share: Share,
    durability: Durability,
    done: Done,
}

#[derive(Default)]
struct Queue {
    pending: Vec<Pending>,
    /// A round is under way: the store may be held up by its sync.
    committing: bool,
    stopped: bool,
}

struct Shared {
    queue: Mutex<Queue>,
    arrived: Condvar,
    store: Arc<dyn Store>,
    cache: Arc<RowCache>,
    wake: Arc<Wake>,
}

impl Shared {
    /// Counts the bytes that a transaction has added, and wakes the sweep if they are too many.
    fn count(&self, sizes: Sizes, result: &Result<()>) {
        if result.is_ok() && sizes.committed() {
            self.wake.wake();
        }
    }

    /// Gives batches to the store, and keeps the row cache in step.
    fn write(&self, batches: &[&Batch], durability: Durability) -> Result<()> {
        let write = || self.store.write_all(batches, durability).map(|()| true);
        self.write_announced(batches, write).map(|_| ())
    }

    /// The same if it does not wait; `false` when it would.
    fn try_write(&self, batch: &Batch, durability: Durability) -> Result<bool> {
        let batches = &[batch];
        self.write_announced(batches, || self.store.try_write_all(batches, durability))
    }

    fn write_announced(
        &self,
        batches: &[&Batch],
        write: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        if !self.cache.is_on() {
            return write();
        }
        let changes = || batches.iter().flat_map(|batch| &batch.changes).filter_map(row_change);
        changes().for_each(|(key, _)| self.cache.begin_write(key));
        let result = write();
        let done = matches!(result, Ok(true));
        let many = batches.iter().any(|batch| batch.changes.len() > MANY);
        for (key, row) in changes() {
            let written = match row {
                Some(row) if done && many => Written::RowOfMany(row),
                Some(row) if done => Written::Row(row),
                _ => Written::Nothing,
            };
            self.cache.end_write(key, written);
        }
        result
    }
}

/// The row that a change is about: its key, and its new bytes unless it is removed.
fn row_change(change: &Change) -> Option<(&[u8], Option<&[u8]>)> {
    let (key, row) = match change {
        Change::Put(key, row) => (key, Some(row.as_slice())),
        Change::Delete(key) => (key, None),
        // Only schema changes remove ranges: of tables whose ids nobody reads any more.
        Change::DeleteRange(_) => return None,
    };
    (key.get(4..PREFIX_BYTES) == Some(&PRIMARY.to_be_bytes()[..])).then_some((key, row))
}

/// The thread that commits for all, and the way to it.
pub struct Committer {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Committer {
    /// Starts the thread.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        cache: Arc<RowCache>,
        wake: Arc<Wake>,
    ) -> std::io::Result<Committer> {
        let (queue, arrived) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { queue, arrived, store, cache, wake });
        let of_thread = Arc::clone(&shared);
        let thread =
            std::thread::Builder::new().name("committer".into()).spawn(move || run(&of_thread))?;
        Ok(Committer { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Commits and returns when that is done.
    pub(crate) fn commit(&self, transaction: Transaction, durability: Durability) -> Result<()> {
        if transaction.is_empty() {
            return Ok(());
        }
        if durability < Durability::EveryCommit {
            return self.commit_here(transaction, durability);
        }
        let outcome = Arc::new((Mutex::new(None), Condvar::new()));
        let of_done = Arc::clone(&outcome);
        self.submit(
            transaction,
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

    /// Applies a transaction in the calling thread.
    fn commit_here(&self, transaction: Transaction, durability: Durability) -> Result<()> {
        let Transaction { mut store, gates, sizes, .. } = transaction;
        let result = match store.take_batch() {
            Some(batch) => self.shared.write(&[&batch], durability),
            None => {
                let result = store.commit(durability);
                self.shared.count(sizes, &result);
                return result;
            }
        };
        self.shared.count(sizes, &result);
        drop(store);
        drop(gates);
        result
    }

    /// Commits at once, if that does not wait for a disk, else hands the transaction over:
    /// `None`, and `done` is called in the committer's thread.
    pub(crate) fn commit_or_submit(
        &self,
        transaction: Transaction,
        durability: Durability,
        done: Done,
    ) -> Option<Result<()>> {
        let Transaction { mut store, gates, sizes, share, .. } = transaction;
        let busy = durability == Durability::EveryCommit || {
            let queue = self.shared.queue.lock();
            queue.committing || !queue.pending.is_empty()
        };
        let mut batch = None;
        if !busy {
            batch = store.take_batch();
            let written = batch.as_ref().map(|batch| self.shared.try_write(batch, durability));
            match written {
                Some(Ok(true)) => {
                    self.shared.count(sizes, &Ok(()));
                    return Some(Ok(()));
                }
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(false)) | None => {}
            }
        }
        self.queue(Pending { store, batch, gates, sizes, _share: share, durability, done });
        None
    }

    /// Hands a transaction over; `done` is called in the committer's thread.
    pub(crate) fn submit(&self, transaction: Transaction, durability: Durability, done: Done) {
        let Transaction { store, gates, sizes, share, .. } = transaction;
        self.queue(Pending { store, batch: None, gates, sizes, _share: share, durability, done });
    }

    fn queue(&self, pending: Pending) {
        let mut queue = self.shared.queue.lock();
        if queue.stopped {
            drop(queue);
            (pending.done)(Err(Error::Refused { why: "the server is stopping" }));
            return;
        }
        queue.pending.push(pending);
        drop(queue);
        self.shared.arrived.notify_one();
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

fn run(shared: &Shared) {
    let mut round = Vec::new();
    loop {
        let mut queue = shared.queue.lock();
        while queue.pending.is_empty() {
            if queue.stopped {
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
fn commit_round(shared: &Shared, round: &mut Vec<Pending>) {
    let durability = round.iter().map(|p| p.durability).max().unwrap_or(Durability::Os);
    let mut batches: Vec<Batch> = Vec::with_capacity(round.len());
    let mut batched = Vec::with_capacity(round.len());
    for mut pending in round.drain(..) {
        match pending.batch.take().or_else(|| pending.store.take_batch()) {
            Some(batch) => {
                batches.push(batch);
                batched.push(pending);
            }
            None => {
                let result = pending.store.commit(pending.durability);
                shared.count(pending.sizes, &result);
                drop(pending.gates);
                (pending.done)(result);
            }
        }
    }
    if batched.is_empty() {
        return;
    }
    let views: Vec<&Batch> = batches.iter().collect();
    let result = shared.write(&views, durability);
    for pending in &mut batched {
        shared.count(std::mem::take(&mut pending.sizes), &result);
    }
    let shared_error = result.err().map(Arc::new);
    for pending in batched {
        drop(pending.store);
        drop(pending.gates);
        (pending.done)(match &shared_error {
            None => Ok(()),
            Some(error) => Err(share(error)),
        });
    }
}

/// One failure, told to each writer of the round.
fn share(error: &Arc<Error>) -> Error {
    match &**error {
        Error::Refused { why } => Error::Refused { why },
        Error::Conflict => Error::Conflict,
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

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct SharedError(Arc<Error>);
