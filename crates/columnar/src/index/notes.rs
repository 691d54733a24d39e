//! The rows that notes name in a state of the store, and their places: those that are cached, and
//! those that notes name which have come since.
//!
//! Not here: what is cached (`note_cache`), reading notes (`delta`), what a query makes of them
//! (`scan`).

use std::sync::Arc;

use rows::error::{Error, Result};
use rows::store::{Change, Reach, Read};
use rows::table::Table;

use super::delta::{ChangedRows, LOOKUPS, places_of};
use super::settled::notes_range;
use crate::keys::{self, Home, MOVES, Place};
use crate::note_cache::{ChangedRow, NotedRow, NotedState, ROWS_MAX};
use crate::tables::KnownTable;

/// A state whose notes are wanted.
pub(super) struct NotesOf<'a> {
    pub known: &'a KnownTable,
    pub table: &'a Table,
    pub view: &'a dyn Read,
    /// The snapshot's number (`Tables::at_moment`).
    pub number: u64,
}

impl NotesOf<'_> {
    /// The rows that notes name, with their places; `None` when there are more than so many.
    /// `settling` gives what `NotedState` has of it, as of now.
    ///
    /// # Errors
    /// Those of reading notes and places in the store. What was remembered of earlier states
    /// stays.
    pub fn read(
        &self,
        rows_max: usize,
        settling: impl FnOnce() -> (u64, u64),
    ) -> Result<Option<Arc<[NotedRow]>>> {
        let moves = moves_in(self.known.home, self.view)?;
        let sequence = self.view.sequence();
        let base = sequence.and_then(|sequence| {
            // What is held is not looked through under the lock.
            let base = self.known.kept_notes.lock().base(self.table.version, moves, sequence)?;
            let rows = base.left();
            Some((base.state, rows))
        });
        let mut range = notes_range(self.known, self.view)?;
        let mut settled = 0;
        let mut kept: Arc<[NotedRow]> = Arc::default();
        if let Some((base, rows)) = base {
            let first = keys::note(self.known.home, base.settled);
            range.start = range.start.max(first);
            settled = if self.number > base.settling.1 { base.settling.0 } else { base.settled };
            kept = rows;
        }
        // Those kept may be among those read.
        let changed = ChangedRows::read(self.known, self.view, &range, rows_max)?;
        if !changed.is_all {
            return Ok(None);
        }
        let rows = match changed.rows.is_empty() {
            true => kept,
            false => self.with(&kept, changed.rows)?,
        };
        if rows.len() > rows_max {
            return Ok(None);
        }
        if let Some(sequence) = sequence.filter(|_| rows.len() <= ROWS_MAX) {
            let (version, rows) = (self.table.version, Arc::clone(&rows));
            let settling = settling();
            let noted = NotedState { version, moves, sequence, settled, settling, rows };
            self.known.kept_notes.lock().keep(noted);
        }
        Ok(Some(rows))
    }

    /// Rows with others, which have come later.
    fn with(&self, kept: &[NotedRow], come: Vec<ChangedRow>) -> Result<Arc<[NotedRow]>> {
        let place_of = |row: &ChangedRow| {
            let at = kept.binary_search_by(|kept| kept.row.key.cmp(&row.key)).ok()?;
            Some(kept[at].place)
        };
        let mut places: Vec<Option<Option<Place>>> = come.iter().map(place_of).collect();
        let unknown: Vec<usize> = (0..come.len()).filter(|at| places[*at].is_none()).collect();
        for some in unknown.chunks(LOOKUPS) {
            let row_keys = some.iter().map(|at| &come[*at].key[..]);
            for (at, place) in some.iter().zip(places_of(self.known, self.view, row_keys)?) {
                places[*at] = Some(place);
            }
        }
        let come = come
            .into_iter()
            .zip(places)
            .map(|(row, place)| NotedRow { row: Arc::new(row), place: place.flatten() });
        let mut come = come.peekable();
        let mut rows = Vec::with_capacity(kept.len() + come.len());
        for kept in kept {
            rows.extend(std::iter::from_fn(|| come.next_if(|come| come.row.key < kept.row.key)));
            match come.next_if(|come| come.row.key == kept.row.key) {
                Some(later) => rows.push(later),
                None => rows.push(kept.clone()),
            }
        }
        rows.extend(come);
        Ok(rows.into())
    }
}

/// How often the mover had moved rows in a state.
pub(super) fn moves_in(home: Home, view: &dyn Read) -> Result<u64> {
    let (key, mut value) = (keys::prefix(home, MOVES), Vec::new());
    if !view.get(&key, Reach::Disk, &mut value)? {
        return Ok(0);
    }
    let number = value.as_slice().try_into().map(u64::from_le_bytes);
    number.map_err(|_| Error::Corrupt { key, why: "a number of moves does not decode" })
}

/// What is to be written with each commit of the mover.
pub(super) fn count_move(home: Home, number: u64) -> Change {
    Change::put(keys::prefix(home, MOVES), number.to_le_bytes().to_vec())
}
