//! A load row by row, committed in batches: of small files, and into tables in others' use.
//!
//! All or nothing, or bounded memory: both cannot be had for a file of any size that goes through
//! transactions. So a load that ends with an error (or whose client goes away) leaves the batches
//! before it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use rows::store::{Durability, LockWait};
use rows::transaction::Transaction;
use values::ErrorCode;

use super::lines::Splitter;
use super::rows::{LoadOutcome, LoadPlan, Loader};
use results::{Result, SqlError};

/// Bytes of writes that are committed together.
const BATCH_BYTES: usize = 16 << 20;
/// The part of the memory for clients that they may take: several loads at once must fit.
const BATCH_PART: usize = 16;

/// Rows that are written one by one.
pub(crate) struct Batches {
    plan: Arc<LoadPlan>,
    loader: Loader,
    /// The batch that is gathered.
    batch: Transaction,
    /// The commit of the batch before.
    committing: Option<Receiver<rows::Result<()>>>,
    durability: Durability,
    wait: LockWait,
}

impl Batches {
    /// Begins with an empty batch.
    ///
    /// # Errors
    /// `Store`.
    pub fn new(plan: &Arc<LoadPlan>, durability: Durability, wait: LockWait) -> Result<Batches> {
        Ok(Batches {
            loader: Loader::new(plan),
            batch: plan.begin(wait)?,
            committing: None,
            plan: Arc::clone(plan),
            durability,
            wait,
        })
    }

    /// Writes the lines at hand; with `last` there are no more.
    ///
    /// # Errors
    /// The statement's error.
    pub fn feed(&mut self, splitter: &mut Splitter, last: bool) -> Result<()> {
        let bytes_max = BATCH_BYTES.min(self.plan.engine.budget().bytes_max() / BATCH_PART);
        let plan = Arc::clone(&self.plan);
        plan.asking(|subqueries| {
            while let Some(line) = splitter.next_line(last)? {
                self.loader.row(&mut self.batch, &line, subqueries)?;
                if self.batch.bytes() >= bytes_max {
                    self.commit_batch()?;
                }
            }
            Ok(())
        })
    }

    /// Commits what is left.
    ///
    /// # Errors
    /// As `feed`.
    pub fn finish(&mut self) -> Result<()> {
        self.await_commit()?;
        if !self.batch.is_empty() {
            let rest = std::mem::replace(&mut self.batch, self.plan.begin(self.wait)?);
            rest.commit(self.durability)?;
        }
        Ok(())
    }

    /// Takes the result out.
    pub fn take(&mut self) -> LoadOutcome {
        self.loader.take()
    }

    /// Hands the batch to the committer and begins the next, while the one before may still be
    /// on its way.
    fn commit_batch(&mut self) -> Result<()> {
        self.await_commit()?;
        let next = self.plan.begin(self.wait)?;
        let batch = std::mem::replace(&mut self.batch, next);
        let (sender, receiver) = channel();
        let done = move |result| drop(sender.send(result));
        batch.commit_later(self.durability, Box::new(done));
        self.committing = Some(receiver);
        Ok(())
    }

    fn await_commit(&mut self) -> Result<()> {
        let Some(receiver) = self.committing.take() else { return Ok(()) };
        match receiver.recv() {
            Ok(result) => Ok(result?),
            Err(_) => Err(SqlError::new(
                ErrorCode::GetErrno,
                "Got error from storage engine: commit was lost",
            )),
        }
    }
}
