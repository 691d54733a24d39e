//! The rows of a statement, taken piecewise.
//!
//! Invariants
//! 1. A `RowStream` owns what it reads from (snapshot or buffered rows): the session may go on,
//!    and a schema change does not disturb it.
//! 2. Datums given to a sink are in the domain of their `ResultColumn::ty`, so that
//!    `values::text::write_text` (or the binary protocol) prints them as MySQL does.
//!
//! Not here: wire formats (`doors::mysql`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use resources::turn_limits::TurnLimits;
use rows::store::Reach;
use values::datum::Datum;
use values::temporal::Zone;

use super::ResultColumn;
use crate::error::{Result, SqlError};
use crate::panics;

/// Where a statement runs, and so what it may do.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionMode {
    /// Whether the caller's thread may wait (for disk, locks, commits, long work).
    pub may_wait: bool,
    /// How far reads may go.
    pub reach: Reach,
}

impl ExecutionMode {
    /// In an event loop: only what is at hand.
    pub const LOOP: ExecutionMode = ExecutionMode { may_wait: false, reach: Reach::Memory };
    /// On a thread of its own, where waiting is allowed.
    pub const POOL: ExecutionMode = ExecutionMode { may_wait: true, reach: Reach::Disk };

    /// What may be done in a turn.
    pub fn limits(self) -> &'static TurnLimits {
        if self.may_wait { &TurnLimits::POOL } else { &TurnLimits::LOOP }
    }
}

/// What a sink wants after a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The next row.
    More,
    /// A pause: `RowStream::next` returns, and goes on with the next row when called again.
    Pause,
}

/// Takes one row; the slice is as long as the columns.
pub type Sink<'a> = dyn FnMut(&[Datum<'_>]) -> Result<Pace> + 'a;

/// Where the rows of a stream come from.
pub trait RowSource: Send {
    /// Gives rows to `sink` until it pauses or there are no more; `false` at the end.
    /// `SqlError::WouldWait` when it may not wait for the next row: call again elsewhere;
    /// rows given before are not repeated.
    fn next(&mut self, how: ExecutionMode, sink: &mut Sink<'_>) -> Result<bool>;

    /// Waits until the first row is there, or it is known that there is none: an error that comes
    /// before is one of a statement of which nothing was sent.
    fn begin(&mut self, _how: ExecutionMode) -> Result<()> {
        Ok(())
    }

    /// Bytes of memory for clients (`resources::budget`) that rows which are ready have drawn.
    fn drawn_bytes(&self) -> usize {
        0
    }

    /// Whether all rows that are to come have been found already.
    fn is_gathered(&self) -> bool {
        false
    }

    /// How many rows OFFSET has passed over, where that is known before the first row is given.
    fn passed(&self) -> u64 {
        0
    }
}

/// Follows a stream of rows to its end: when it is dropped, the rows are over.
pub trait StreamFollower: Send {
    /// Rows were given to the client.
    fn sent(&mut self, rows: u64);

    /// The rows end with this error.
    fn fail(&mut self, error: &SqlError);
}

/// How many rows a session's last query has found (`FOUND_ROWS()`), as far as they have been given.
#[derive(Clone, Debug, Default)]
pub struct FoundRows(Arc<AtomicU64>);

impl FoundRows {
    /// How many so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// So many from now on.
    pub fn set(&self, rows: u64) {
        self.0.store(rows, Ordering::Relaxed);
    }
}

/// Rows of a result, taken piecewise.
pub struct RowStream {
    columns: Arc<[ResultColumn]>,
    zone: Zone,
    source: Box<dyn RowSource>,
    /// Told of rows that are given; it goes with the last one.
    follower: Option<Box<dyn StreamFollower>>,
    /// Where rows are counted as they are given, and how many OFFSET passes over before the first.
    found: Option<(FoundRows, u64)>,
}

impl RowStream {
    /// A stream of a source's rows; `zone` is where TIMESTAMP values are to be shown.
    pub fn new(columns: Arc<[ResultColumn]>, zone: Zone, source: Box<dyn RowSource>) -> RowStream {
        RowStream { columns, zone, source, follower: None, found: None }
    }

    /// The columns; the same `Arc` for each execution of one cached plan, so that a door can
    /// keep their encoded form.
    pub fn columns(&self) -> &Arc<[ResultColumn]> {
        &self.columns
    }

    /// The zone in which TIMESTAMP values are to be shown.
    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// Gives rows to `sink` until it pauses or there are no more; `false` at the end.
    ///
    /// # Errors
    /// Those of the statement, which is over then, and of `sink`.
    pub fn next(&mut self, how: ExecutionMode, sink: &mut Sink<'_>) -> Result<bool> {
        let mut given = 0;
        let more = panics::caught(b"(its rows)", || {
            self.source.next(how, &mut |row| {
                let pace = sink(row)?;
                given += 1;
                Ok(pace)
            })
        });
        if let Some((found, offset)) = &mut self.found {
            if given > 0 {
                found.set(found.get() + std::mem::take(offset) + given);
            } else if *offset > 0 {
                found.set(self.source.passed());
            }
        }
        if let Some(follower) = &mut self.follower {
            follower.sent(given);
            match more {
                Ok(true) | Err(SqlError::WouldWait) => {}
                Ok(false) => self.follower = None,
                Err(ref error) => follower.fail(error),
            }
        }
        more
    }

    /// Waits until the first row is there, or it is known that there is none.
    ///
    /// # Errors
    /// Those of the statement.
    pub fn begin(&mut self, how: ExecutionMode) -> Result<()> {
        panics::caught(b"(its rows)", || self.source.begin(how))
    }

    /// Has rows counted from now on as they are given: how many there are is not known before. So
    /// many are passed over by OFFSET, and count (MySQL 9.7: tests/oracle/sql/found-rows.sql).
    pub fn count_into(mut self, found: &FoundRows, offset: u64) -> RowStream {
        found.set(0);
        self.found = Some((found.clone(), offset));
        self
    }

    /// Has this told of the rows that are given; it is dropped with the last one.
    pub fn follow(&mut self, follower: Box<dyn StreamFollower>) {
        self.follower = Some(follower);
    }

    /// Whether all rows that are to come have been found already.
    pub fn is_gathered(&self) -> bool {
        self.source.is_gathered()
    }

    /// Bytes of memory for clients that rows which are ready have drawn.
    pub fn drawn_bytes(&self) -> usize {
        self.source.drawn_bytes()
    }
}

impl std::fmt::Debug for RowStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowStream").field("columns", &self.columns).finish_non_exhaustive()
    }
}
