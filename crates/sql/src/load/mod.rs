//! Many rows at once: LOAD DATA INFILE, a file of the server, or with LOCAL one that comes from the
//! client, in pieces of any size; and the rows of a query (`query`).
//!
//! `lines` cuts the bytes into lines and fields, `rows` makes rows of them. Three ways lead from
//! there into the table:
//!
//! | when | how | after an error |
//! |---|---|---|
//! | within an open transaction | row by row, as its other writes (`Loader`) | the rows are undone |
//! | a large file, and nobody else writes to the table | on all cores, past the transactions (`parallel`) | nothing is there |
//! | otherwise | row by row, committed in batches of about `BATCH_BYTES` (`batches`) | the batches before stay |
//!
//! How large a file is shows only as it comes, so its beginning is kept until it is known.
//!
//! Not here: the grammar (`syntax::load`), the wire (`doors::mysql`).

mod batches;
mod filler;
mod inserts;
pub(crate) mod lines;
mod noted;
mod parallel;
mod query;
mod rows;

use std::sync::Arc;

use ::rows::bulk::{BulkLoad, OnDuplicate};
use ::rows::engine::Engine;
use ::rows::store::{Durability, LockWait};
use values::{CharacterSet, StreamDecoder};

use crate::server::Running;
use results::Result;

use batches::Batches;
use lines::Splitter;
use parallel::ParallelLoad;

pub(crate) use inserts::InsertLoad;
pub(crate) use query::{QueryInsert, each_row};
pub(crate) use rows::{Goal, LoadOutcome, LoadPlan, Loader};
use syntax::load::LoadData;

/// Bytes of a file from which on it is large: some ten thousand rows.
const LARGE_BYTES: usize = 1 << 20;
/// The part of the memory for clients that the beginning of a file may take.
const BEGINNING_PART: usize = 64;

/// Bytes from which on a load counts as large.
pub(crate) fn large_bytes(engine: &Engine) -> usize {
    LARGE_BYTES.min(engine.budget().bytes_max() / BEGINNING_PART)
}

/// A LOAD DATA under way.
pub struct LoadLocal {
    pub(crate) file: String,
    /// Makes UTF-8 of the file where fields could not be told apart in its own character set: a
    /// second byte may be a backslash.
    pub(crate) decoder: Option<StreamDecoder>,
    pub(crate) splitter: Splitter,
    data: LoadData,
    pub(crate) plan: Arc<LoadPlan>,
    pub(crate) way: LoadWay,
    durability: Durability,
    wait: LockWait,
    /// Shows in the process list that the statement runs.
    running: Option<Running>,
}

/// Where rows go.
pub(crate) enum LoadWay {
    /// That is not known yet: the beginning of the file is in the splitter.
    Open,
    /// Into the session's own transaction.
    Own(Loader),
    Batches(Batches),
    Parallel(ParallelLoad),
    /// Nowhere: the statement has failed, and this is left of it.
    Failed(LoadOutcome),
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
        let splitter = splitter.with_fields_max(plan.goals.len());
        let plan = Arc::new(plan);
        let way = if own { LoadWay::Own(Loader::new(&plan)) } else { LoadWay::Open };
        let file = load.file.clone();
        let decoder = plan.recoded.and_then(CharacterSet::stream_decoder);
        Ok(LoadLocal {
            file,
            decoder,
            splitter,
            data: load,
            plan,
            way,
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

    pub(crate) fn take_loaded(&mut self) -> LoadOutcome {
        match &mut self.way {
            LoadWay::Failed(loaded) => std::mem::take(loaded),
            _ => LoadOutcome::default(),
        }
    }

    pub(crate) fn fail(&mut self) {
        self.splitter.clear();
        let left = match &mut self.way {
            LoadWay::Failed(_) => return,
            LoadWay::Own(loader) => loader.take(),
            LoadWay::Batches(batches) => batches.take(),
            LoadWay::Parallel(load) => {
                load.give_up();
                LoadOutcome::default()
            }
            LoadWay::Open => LoadOutcome::default(),
        };
        self.way = LoadWay::Failed(left);
    }

    /// The way of a large file.
    pub(crate) fn way_of_many(&self) -> Result<LoadWay> {
        let LoadPlan { table, on_duplicate, .. } = &*self.plan;
        let transaction = self.plan.begin(self.wait)?;
        // Under IGNORE each row is forgiven what the table's conditions say of it.
        let forgives = *on_duplicate == OnDuplicate::Ignore && table.rules()?.is_some();
        // Sub-queries are run where the rows are made one after the other.
        let bulk = match forgives || self.plan.asked.is_some() {
            true => None,
            false => BulkLoad::begin(transaction, table, *on_duplicate)?,
        };
        let Some(bulk) = bulk else {
            return Ok(LoadWay::Batches(self.batches()?));
        };
        if let Some(running) = &self.running {
            running.show(bulk.progress());
        }
        Ok(LoadWay::Parallel(ParallelLoad::begin(bulk, &self.plan, &self.data.format)?))
    }

    pub(crate) fn batches(&self) -> Result<Batches> {
        Batches::new(&self.plan, self.durability, self.wait)
    }

    pub(crate) fn finish_batches(&mut self, mut batches: Batches) -> Result<()> {
        let finished = batches.feed(&mut self.splitter, true).and_then(|()| batches.finish());
        self.way = LoadWay::Failed(batches.take());
        finished
    }
}
