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

use std::io::{ErrorKind, Read};
use std::sync::Arc;

use ::rows::bulk::{BulkLoad, OnDuplicate};
use ::rows::engine::Engine;
use ::rows::store::{Durability, LockWait};
use values::{CharacterSet, ErrorCode, StreamDecoder};

use crate::Session;
use crate::error::{Result, SqlError};
use crate::reply::OkFigures;
use crate::server::Running;

use batches::Batches;
use lines::Splitter;
use parallel::ParallelLoad;
use rows::Loader;

use expression::KillMark;
pub(crate) use inserts::InsertLoad;
pub(crate) use query::{QueryInsert, each_row};
pub(crate) use rows::{Goal, LoadOutcome, LoadPlan};
use syntax::load::LoadData;

/// Bytes of a file from which on it is large: some ten thousand rows.
const LARGE_BYTES: usize = 1 << 20;
/// Bytes of a file that are copied at a time.
const PIECE_BYTES_MAX: usize = 256 << 10;
/// The part of the memory for clients that the beginning of a file may take.
const BEGINNING_PART: usize = 64;

/// Bytes from which on a load counts as large.
fn large_bytes(engine: &Engine) -> usize {
    LARGE_BYTES.min(engine.budget().bytes_max() / BEGINNING_PART)
}

/// A LOAD DATA under way.
pub struct LoadLocal {
    file: String,
    /// Makes UTF-8 of the file where fields could not be told apart in its own character set: a
    /// second byte may be a backslash.
    decoder: Option<StreamDecoder>,
    splitter: Splitter,
    data: LoadData,
    plan: Arc<LoadPlan>,
    way: LoadWay,
    durability: Durability,
    wait: LockWait,
    /// Shows in the process list that the statement runs.
    running: Option<Running>,
}

/// Where rows go.
enum LoadWay {
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

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// The statement's error; what was gathered is given back. The rest of the file must still be
    /// read from the client; then `abandon`.
    pub fn feed(&mut self, session: &mut Session, bytes: &[u8]) -> Result<()> {
        let _working = KillMark::of_this_thread(&self.plan.facts.kill);
        let _telling = session.telling_waits();
        let fed = bytes.chunks(PIECE_BYTES_MAX).try_for_each(|piece| {
            match &mut self.decoder {
                None => self.splitter.push(piece)?,
                Some(decoder) => self.splitter.push(&decoder.decode(piece, false))?,
            }
            self.work(session)
        });
        if fed.is_err() {
            self.fail();
        }
        fed
    }

    /// The file is complete.
    ///
    /// # Errors
    /// The statement's error.
    pub fn finish(self, session: &mut Session) -> Result<OkFigures> {
        self.conclude(session).inspect_err(|error| session.note_load_error(error))
    }

    /// Reads all of a file of the server.
    ///
    /// # Errors
    /// The statement's error; 1024 when the file cannot be read on.
    pub(crate) fn read(mut self, session: &mut Session, mut file: impl Read) -> Result<OkFigures> {
        let mut piece = vec![0; PIECE_BYTES_MAX];
        loop {
            let read = match file.read(&mut piece) {
                Ok(0) => return self.conclude(session),
                Ok(bytes) => {
                    let alive = self.plan.facts.kill.check().map_err(SqlError::from);
                    alive.and_then(|()| self.feed(session, &piece[..bytes]))
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
                Err(error) => {
                    let message = format!("Error reading file '{}' ({error})", self.file);
                    Err(SqlError::new(ErrorCode::ErrorOnRead, message))
                }
            };
            if let Err(error) = read {
                self.fail();
                return session.end_load(self.take_loaded(), Err(error));
            }
        }
    }

    fn conclude(mut self, session: &mut Session) -> Result<OkFigures> {
        let kill = Arc::clone(&self.plan.facts.kill);
        let _working = KillMark::of_this_thread(&kill);
        let _telling = session.telling_waits();
        // Half a character that the file ends with.
        let rest = self
            .decoder
            .as_mut()
            .map_or(Ok(()), |decoder| self.splitter.push(&decoder.decode(&[], true)));
        if let Err(error) = rest {
            self.fail();
            return session.end_load(self.take_loaded(), Err(error));
        }
        let finished =
            match std::mem::replace(&mut self.way, LoadWay::Failed(LoadOutcome::default())) {
                LoadWay::Open => self.batches().and_then(|batches| self.finish_batches(batches)),
                LoadWay::Batches(batches) => self.finish_batches(batches),
                LoadWay::Own(mut loader) => {
                    let fed = feed_own(session, &mut self.splitter, &mut loader, true);
                    self.way = LoadWay::Failed(loader.take());
                    fed
                }
                LoadWay::Parallel(mut load) => {
                    let loaded = match load.feed(&mut self.splitter, true) {
                        Ok(()) => load.finish(),
                        Err(error) => {
                            load.give_up();
                            Err(error)
                        }
                    };
                    loaded.map(|loaded| self.way = LoadWay::Failed(loaded))
                }
                failed @ LoadWay::Failed(_) => {
                    self.way = failed;
                    Err(SqlError::other("a LOAD DATA that has failed goes on"))
                }
            };
        let loaded = self.take_loaded();
        session.end_load(loaded, finished)
    }

    /// Forgets what is not committed.
    pub fn abandon(mut self, session: &mut Session) {
        self.fail();
        let stopped =
            Err(SqlError::new(ErrorCode::QueryInterrupted, "Query execution was interrupted"));
        // The client has been told of the error that stopped it.
        if let Err(error) = session.end_load(self.take_loaded(), stopped) {
            session.note_load_error(&error);
        }
    }

    fn take_loaded(&mut self) -> LoadOutcome {
        match &mut self.way {
            LoadWay::Failed(loaded) => std::mem::take(loaded),
            _ => LoadOutcome::default(),
        }
    }

    fn fail(&mut self) {
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

    fn work(&mut self, session: &mut Session) -> Result<()> {
        if matches!(self.way, LoadWay::Open)
            && self.splitter.waiting() >= large_bytes(&self.plan.engine)
        {
            self.way = self.way_of_many()?;
        }
        match &mut self.way {
            LoadWay::Open | LoadWay::Failed(_) => Ok(()),
            LoadWay::Own(loader) => feed_own(session, &mut self.splitter, loader, false),
            LoadWay::Batches(batches) => batches.feed(&mut self.splitter, false),
            LoadWay::Parallel(load) => load.feed(&mut self.splitter, false),
        }
    }

    /// The way of a large file.
    fn way_of_many(&self) -> Result<LoadWay> {
        let LoadPlan { engine, table, on_duplicate, .. } = &*self.plan;
        let transaction = engine.begin(self.wait)?;
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

    fn batches(&self) -> Result<Batches> {
        Batches::new(&self.plan, self.durability, self.wait)
    }

    fn finish_batches(&mut self, mut batches: Batches) -> Result<()> {
        let finished = batches.feed(&mut self.splitter, true).and_then(|()| batches.finish());
        self.way = LoadWay::Failed(batches.take());
        finished
    }
}

/// Makes rows of the lines at hand within the session's transaction.
fn feed_own(
    session: &mut Session,
    splitter: &mut Splitter,
    loader: &mut Loader,
    last: bool,
) -> Result<()> {
    let plan = Arc::clone(loader.plan());
    session.writing_load(|transaction| {
        plan.asking(|subqueries| {
            while let Some(line) = splitter.next_line(last)? {
                loader.row(transaction, &line, subqueries)?;
            }
            Ok(())
        })
    })
}
