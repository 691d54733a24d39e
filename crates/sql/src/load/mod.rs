//! LOAD DATA LOCAL INFILE: a file that comes in pieces of any size becomes rows.
//!
//! `lines` cuts the bytes into lines and fields, `rows` makes rows of them.
//!
//! All or nothing, or bounded memory: both cannot be had for a file of any size. Outside of a
//! transaction, rows are committed in batches of about `BATCH_BYTES`, so a load that ends with an
//! error (or whose client goes away) leaves the batches before it; the error says how many rows
//! those are. Inside of an open transaction the rows belong to it, are held in memory like its
//! other writes, and go with it if it is rolled back.
//!
//! Not here: the grammar (`parse::load`), the wire (`doors::mysql`).

pub(crate) mod lines;
mod rows;

use std::sync::mpsc::{Receiver, channel};

use ::rows::store::{Durability, LockWait};
use ::rows::transaction::Transaction;

use crate::Session;
use crate::error::{Result, SqlError};
use crate::parse::load::LoadData;
use crate::reply::Done;
use crate::server::Running;

use lines::Splitter;

pub(crate) use rows::{Goal, LoadPlan, Loader};

/// Bytes of writes that are committed together.
const BATCH_BYTES: usize = 16 << 20;

/// A LOAD DATA under way.
pub struct LoadLocal {
    file: String,
    splitter: Splitter,
    loader: Loader,
    /// The batch that is gathered; `None` when rows go into the session's own transaction.
    batch: Option<Transaction>,
    /// The commit of the batch before.
    committing: Option<Receiver<::rows::Result<()>>>,
    durability: Durability,
    wait: LockWait,
    /// Shows in the process list that the statement runs.
    running: Option<Running>,
}

impl LoadLocal {
    pub(crate) fn new(
        load: LoadData,
        plan: LoadPlan,
        own: bool,
        durability: Durability,
        wait: LockWait,
    ) -> Result<LoadLocal> {
        let share = plan.engine.budget().share();
        let splitter = Splitter::new(load.format.clone(), load.skip_lines, share)?;
        let batch = if own { None } else { Some(plan.engine.begin(wait)?) };
        Ok(LoadLocal {
            file: load.file,
            splitter,
            loader: Loader::new(plan),
            batch,
            committing: None,
            durability,
            wait,
            running: None,
        })
    }

    /// Lets the statement run until this is finished or given up.
    pub(crate) fn keep_running(&mut self, running: Running) {
        self.running = Some(running);
    }

    /// The file's name as the statement gives it, for the client.
    pub fn file_name(&self) -> &str {
        &self.file
    }

    /// Bytes of memory for clients that the line at hand has drawn.
    pub fn drawn_bytes(&self) -> usize {
        self.splitter.drawn_bytes()
    }

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// The statement's error; what was gathered is given back. The rest of the file must still be
    /// read from the client; then `abandon`.
    pub fn feed(&mut self, session: &mut Session, bytes: &[u8]) -> Result<()> {
        let fed = self.splitter.push(bytes).and_then(|()| self.work(session, false));
        if fed.is_err() {
            self.splitter.clear();
            self.batch = None;
        }
        fed
    }

    /// The file is complete.
    ///
    /// # Errors
    /// The statement's error.
    pub fn finish(mut self, session: &mut Session) -> Result<Done> {
        let result = self.work(session, true).and_then(|()| self.commit_rest());
        session.end_load(&mut self.loader, result)
    }

    /// Forgets what is not committed.
    pub fn abandon(mut self, session: &mut Session) {
        self.batch = None;
        let stopped = Err(SqlError::new(1317, "Query execution was interrupted"));
        // The client has been told of the error that stopped it.
        drop(session.end_load(&mut self.loader, stopped));
    }

    fn work(&mut self, session: &mut Session, last: bool) -> Result<()> {
        loop {
            let own = self.batch.is_none();
            let (splitter, loader) = (&mut self.splitter, &mut self.loader);
            // Several loads at once must fit.
            let bytes_max = BATCH_BYTES.min(session.sql().engine().budget().bytes_max() / 16);
            let full = if own {
                session.writing_load(|transaction| {
                    gather(splitter, loader, transaction, last, usize::MAX)
                })?
            } else if let Some(batch) = &mut self.batch {
                gather(splitter, loader, batch, last, bytes_max)?
            } else {
                false
            };
            if !full {
                return Ok(());
            }
            self.commit_batch()?;
        }
    }

    /// Hands the batch to the committer and begins the next, while the one before may still be
    /// on its way.
    fn commit_batch(&mut self) -> Result<()> {
        self.await_commit()?;
        let next = self.loader.engine().begin(self.wait)?;
        if let Some(batch) = self.batch.replace(next) {
            let (sender, receiver) = channel();
            let done = move |result| drop(sender.send(result));
            batch.commit_later(self.durability, Box::new(done));
            self.committing = Some(receiver);
        }
        Ok(())
    }

    fn await_commit(&mut self) -> Result<()> {
        let Some(receiver) = self.committing.take() else { return Ok(()) };
        match receiver.recv() {
            Ok(result) => Ok(result?),
            Err(_) => Err(SqlError::new(1030, "Got error from storage engine: commit was lost")),
        }
    }

    fn commit_rest(&mut self) -> Result<()> {
        self.await_commit()?;
        if let Some(batch) = self.batch.take()
            && !batch.is_empty()
        {
            batch.commit(self.durability)?;
        }
        Ok(())
    }
}

/// Makes rows of the lines at hand; `true` when the batch is full.
fn gather(
    splitter: &mut Splitter,
    loader: &mut Loader,
    transaction: &mut Transaction,
    last: bool,
    bytes_max: usize,
) -> Result<bool> {
    while let Some(line) = splitter.next_line(last)? {
        loader.row(transaction, &line)?;
        if transaction.bytes() >= bytes_max {
            return Ok(true);
        }
    }
    Ok(false)
}
