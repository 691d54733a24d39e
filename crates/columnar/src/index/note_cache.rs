//! The note cache of a columnar index: the rows that its notes name, and their places, as the last
//! query found them. The next query reads from the store only what has come since.
//!
//! ```text
//! cached, of an earlier state
//!   - rows that the mover has sealed since         from what it says of each of its commits
//!   + rows that notes from `settled` on name       read in the state at hand
//! ```
//! The mover counts its commits in the store, within each commit, so that a state says exactly
//! which of them it shows, even if one is under way when a snapshot is taken.
//!
//! Invariants
//! 1. The result is what all notes of the state at hand come to. Where that cannot be told (an
//!    older state, a commit that is no longer remembered), all of them are read.
//! 2. At most `ROWS_MAX` rows are cached, and as many remembered of the mover's commits; none while
//!    no query uses the index.
//!
//! Not here: reading notes (`delta`), what a query makes of them (`scan`).

use std::cmp::Ordering::{Equal, Greater, Less};
use std::collections::VecDeque;
use std::sync::Arc;

use rows::error::{Error, Result};
use rows::store::{Change, Reach, Read};
use rows::table::Table;

use super::delta::{ChangedRow, ChangedRows, LOOKUPS, places_of};
use super::settled::notes_range;
use crate::keys::{self, Home, MOVES, Place};
use crate::tables::KnownTable;

/// Rows that are kept, at most.
const ROWS_MAX: usize = 1 << 16;

/// A row that notes name.
#[derive(Clone, Debug)]
pub(crate) struct NotedRow {
    pub row: Arc<ChangedRow>,
    /// Where the index has it as it was.
    pub place: Option<Place>,
}

/// What a commit of the mover made of a row.
pub(super) struct MovedRow {
    pub key: Box<[u8]>,
    /// Where it is now.
    pub place: Option<Place>,
    /// Version of the last of its notes that went; 0: none did.
    pub last_note: u64,
}

/// What is kept of one columnar index.
#[derive(Default)]
pub(crate) struct KeptNotes {
    last: Option<Arc<NotedState>>,
    /// Commits of the mover that came after it, by their numbers.
    moves: VecDeque<(u64, Arc<[MovedRow]>)>,
    /// Rows of all of these.
    moved: usize,
}

/// The rows that notes name in a state of the store.
struct NotedState {
    /// The version of the table by which the notes were read.
    version: u64,
    /// The state: how often the mover had moved rows, and the store's own number.
    moves: u64,
    sequence: u64,
    /// Below this version there will not be a further note.
    settled: u64,
    /// The same of snapshots with a higher number than this.
    settling: (u64, u64),
    /// By their keys, ascending.
    rows: Arc<[NotedRow]>,
}

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
        let base = sequence.and_then(|sequence| self.base(moves, sequence));
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

    /// What is kept of a state before this one, and which rows of it are left in this one.
    fn base(&self, moves: u64, sequence: u64) -> Option<(Arc<NotedState>, Arc<[NotedRow]>)> {
        let kept = self.known.kept_notes.lock();
        let base = kept.last.as_ref().filter(|base| {
            base.version == self.table.version && base.sequence <= sequence && base.moves <= moves
        })?;
        let base = Arc::clone(base);
        let since: Vec<Arc<[MovedRow]>> = (kept.moves.iter())
            .filter(|(number, _)| (base.moves + 1..=moves).contains(number))
            .map(|(_, moved)| Arc::clone(moved))
            .collect();
        drop(kept);
        if since.len() as u64 != moves - base.moves {
            return None;
        }
        let mut rows = Arc::clone(&base.rows);
        for moved in since {
            rows = without(&rows, &moved);
        }
        Some((base, rows))
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

/// The rows that notes still name after a commit of the mover.
fn without(rows: &[NotedRow], moved: &[MovedRow]) -> Arc<[NotedRow]> {
    let mut left = Vec::with_capacity(rows.len());
    let mut moved = moved.iter().peekable();
    for noted in rows {
        while moved.next_if(|moved| moved.key[..] < noted.row.key[..]).is_some() {}
        let of_row = moved.peek().filter(|moved| moved.key[..] == noted.row.key[..]);
        match of_row.map(|moved| (noted.row.last_note.cmp(&moved.last_note), moved.place)) {
            None => left.push(noted.clone()),
            Some((Less | Equal, _)) => {}
            Some((Greater, place)) => left.push(NotedRow { row: Arc::clone(&noted.row), place }),
        }
    }
    left.into()
}

impl KeptNotes {
    /// Keeps what a state shows, if it is a later one.
    fn keep(&mut self, noted: NotedState) {
        let is_later = |last: &Arc<NotedState>| {
            last.version != noted.version
                || last.sequence <= noted.sequence && last.moves <= noted.moves
        };
        if self.last.as_ref().is_none_or(is_later) {
            while self.moves.front().is_some_and(|(number, _)| *number <= noted.moves) {
                self.forget_first();
            }
            self.last = Some(Arc::new(noted));
        }
    }

    /// Whether there is anything that commits of the mover have to be told to.
    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Before a commit of the mover, what it will be.
    pub(super) fn expect(&mut self, number: u64, moved: Arc<[MovedRow]>) {
        debug_assert!(moved.is_sorted_by(|a, b| a.key < b.key));
        self.moved += moved.len();
        self.moves.push_back((number, moved));
        while self.moved > ROWS_MAX {
            self.forget_first();
        }
    }

    /// It did not take place, or nobody knows.
    pub(super) fn expect_no_more(&mut self, number: u64) {
        if self.moves.back().is_some_and(|(last, _)| *last == number)
            && let Some((_, moved)) = self.moves.pop_back()
        {
            self.moved -= moved.len();
        }
    }

    fn forget_first(&mut self) {
        if let Some((_, moved)) = self.moves.pop_front() {
            self.moved -= moved.len();
        }
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
