//! One state of a database, which a search reads from beginning to end: entries of indexes and rows
//! fit together in it, so that a record that is changed meanwhile is found once, as it was.
//!
//! Invariants
//! 1. A scan whose client has left ends after a few rows, also when none of them is wanted.
//! 2. In an event loop a scan ends after a few rows as well, as one that would have to wait.
//!
//! Not here: what is looked for (`search`).

use std::ops::ControlFlow;
use std::sync::Arc;

use resources::budget::Share;
use resources::interrupt;
use rows::store::{Direction, KeyRange, Reach, Read};
use rows::{Engine, Error, Flow, Lookup, Wait};
use values::RowRef;

use crate::tyrant::command::{TyrantFailure, TyrantTrouble};
use crate::tyrant::database::Database;
use crate::tyrant::execute::TyrantRows;

/// Records of which one asks whether the scan is to go on.
const UNASKED: usize = 256;

/// One state of a database.
pub struct Source<'a> {
    /// The rows' engine.
    pub engine: &'a Arc<Engine>,
    /// The database.
    pub database: &'a Database,
    /// The state.
    pub view: Arc<dyn Read>,
    reach: Reach,
}

/// Shown a key and a row; says whether to go on.
pub type Visit<'v> = dyn FnMut(&[u8], &RowRef<'_>) -> rows::Result<ControlFlow<()>> + 'v;

impl<'a> Source<'a> {
    /// The state of now, with what a script's call has written.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    pub fn of(rows: &mut TyrantRows<'a, '_>) -> Result<Source<'a>, TyrantTrouble> {
        rows.may_read()?;
        let (engine, reach, database) = (rows.turn.engine(), rows.turn.reach(), rows.database);
        let mut view = engine.store().snapshot()?;
        if *rows.wrote {
            view = rows.turn.transaction()?.frozen_at(view);
        }
        Ok(Source { engine, database, view, reach })
    }

    /// Leaves what is no work for an event loop to where it may take its time.
    ///
    /// # Errors
    /// `WouldWait`.
    pub fn needs_time(&self) -> rows::Result<()> {
        match self.reach {
            Reach::Memory => Err(Error::WouldWait(Wait::Disk)),
            Reach::Disk => Ok(()),
        }
    }

    /// Ends a search that nobody waits for any more, or one of an event loop that gets long.
    fn go_on(&self, visited: &mut usize) -> rows::Result<()> {
        *visited += 1;
        if *visited > self.reach.limits().rows_met {
            return Err(Error::WouldWait(Wait::Disk));
        }
        match visited.is_multiple_of(UNASKED) && interrupt::is_wanted() {
            true => Err(Error::LockTimeout),
            false => Ok(()),
        }
    }

    /// Visits rows in a range of an index.
    ///
    /// # Errors
    /// Those of the engine; what `visit` returns.
    pub fn scan(&self, index: usize, range: &KeyRange, visit: &mut Visit<'_>) -> rows::Result<()> {
        let (table, mut visited) = (self.database.table(), 0);
        let forward = Direction::Forward;
        self.engine.find(&*self.view, table, index, range, forward, self.reach, &mut |found| {
            self.go_on(&mut visited)?;
            Ok(flow(visit(&self.database.key(&found.row)?, &found.row)?))
        })
    }

    /// Visits rows by their entries in a range of a member index, each with what the entry says.
    ///
    /// # Errors
    /// As `scan`.
    pub fn scan_members(
        &self,
        range: &KeyRange,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8], &RowRef<'_>) -> rows::Result<ControlFlow<()>>,
    ) -> rows::Result<()> {
        let (view, table, mut visited) = (&*self.view, self.database.table(), 0);
        self.engine.find_members(view, table, range, direction, self.reach, &mut |said, found| {
            self.go_on(&mut visited)?;
            Ok(flow(visit(said, &self.database.key(&found.row)?, &found.row)?))
        })
    }

    /// Visits the rows of a lookup.
    ///
    /// # Errors
    /// As `scan`; `NoMemory`.
    pub fn look_up(
        &self,
        lookup: &Lookup,
        share: &mut Share,
        visit: &mut Visit<'_>,
    ) -> rows::Result<()> {
        // Others leap over entries without showing a row.
        if !matches!(lookup, Lookup::One(_)) {
            self.needs_time()?;
        }
        let (view, table, mut visited) = (&*self.view, self.database.table(), 0);
        self.engine.find_lookup(view, table, lookup, self.reach, share, &mut |found| {
            self.go_on(&mut visited)?;
            Ok(flow(visit(&self.database.key(&found.row)?, &found.row)?))
        })
    }

    /// How many records a lookup has, as far as entries know.
    ///
    /// # Errors
    /// As `look_up`.
    pub fn count_lookup(&self, lookup: &Lookup) -> rows::Result<u64> {
        let (view, table, mut share) =
            (&*self.view, self.database.table(), self.engine.budget().share());
        self.engine.count_lookup(view, table, lookup, self.reach, &mut share)
    }

    /// How many entries a range of a member index has.
    ///
    /// # Errors
    /// As `scan`.
    pub fn count_entries(&self, range: &KeyRange) -> rows::Result<u64> {
        self.engine.count_entries(&*self.view, range, self.reach)
    }
}

/// An error of a search; of one that was ended, that it was.
pub fn trouble(error: Error) -> TyrantTrouble {
    match error {
        Error::LockTimeout if interrupt::is_wanted() => {
            TyrantFailure::Server("interrupted".into()).into()
        }
        other => other.into(),
    }
}

fn flow(flow: ControlFlow<()>) -> Flow {
    if flow.is_continue() { Flow::Continue } else { Flow::Stop }
}
