//! A LOAD DATA of a session, fed with its file piece by piece.
//!
//! Invariants
//! 1. A load that failed keeps nothing of what was not committed; the session takes over its
//!    figures and warnings once.
//!
//! Not here: making rows of a file (`load`).

use std::io::{ErrorKind, Read};
use std::sync::Arc;

use expression::KillMark;
use values::ErrorCode;

use super::Session;
use crate::load::lines::Splitter;
use crate::load::{LoadLocal, LoadOutcome, LoadWay, Loader, large_bytes};
use crate::reply::OkFigures;
use results::{Result, SqlError};

/// Bytes of a file that are copied at a time.
const PIECE_BYTES_MAX: usize = 256 << 10;

impl LoadLocal {
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
