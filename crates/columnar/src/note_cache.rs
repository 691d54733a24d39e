//! The note cache of a columnar index: rows that its notes name, and their places, as the last
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
//! Not here: reading notes (`index::notes`), what a query makes of them (`scan`).

use std::cmp::Ordering::{Equal, Greater, Less};
use std::collections::VecDeque;
use std::sync::Arc;

use crate::keys::Place;

/// Rows that are kept, at most.
pub(crate) const ROWS_MAX: usize = 1 << 16;

/// A row that notes name.
#[derive(Debug)]
pub(crate) struct ChangedRow {
    pub key: Vec<u8>,
    /// What the last of the notes says.
    pub now: RowNow,
    /// The version of that.
    pub last_note: u64,
}

/// What became of a row.
#[derive(Debug)]
pub(crate) enum RowNow {
    /// It has to be looked up, and may be gone.
    Unknown,
    Gone,
    /// The columns that the index has, as `Table::layout_kept` reads them.
    Columns(Box<[u8]>),
}

/// A row that notes name, and its place.
#[derive(Clone, Debug)]
pub(crate) struct NotedRow {
    pub row: Arc<ChangedRow>,
    /// Where the index has it as it was.
    pub place: Option<Place>,
}

/// What a commit of the mover made of a row.
pub(crate) struct MovedRow {
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
pub(crate) struct NotedState {
    /// The version of the table by which the notes were read.
    pub version: u64,
    /// The state: how often the mover had moved rows, and the store's own number.
    pub moves: u64,
    pub sequence: u64,
    /// Below this version there will not be a further note.
    pub settled: u64,
    /// The same of snapshots with a higher number than this.
    pub settling: (u64, u64),
    /// By their keys, ascending.
    pub rows: Arc<[NotedRow]>,
}

/// What is kept of a state, and what the mover has done since.
pub(crate) struct NotesBase {
    pub state: Arc<NotedState>,
    since: Vec<Arc<[MovedRow]>>,
}

impl NotesBase {
    /// The rows of the state that notes still name.
    pub fn left(&self) -> Arc<[NotedRow]> {
        let rows = Arc::clone(&self.state.rows);
        self.since.iter().fold(rows, |rows, moved| without(&rows, moved))
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
    /// What is kept of a state before another one, if all that the mover has done in between is
    /// known.
    pub fn base(&self, version: u64, moves: u64, sequence: u64) -> Option<NotesBase> {
        let base = self.last.as_ref().filter(|base| {
            base.version == version && base.sequence <= sequence && base.moves <= moves
        })?;
        let since: Vec<Arc<[MovedRow]>> = (self.moves.iter())
            .filter(|(number, _)| (base.moves + 1..=moves).contains(number))
            .map(|(_, moved)| Arc::clone(moved))
            .collect();
        let is_known = since.len() as u64 == moves - base.moves;
        is_known.then(|| NotesBase { state: Arc::clone(base), since })
    }

    /// Keeps what a state shows, if it is a later one.
    pub fn keep(&mut self, noted: NotedState) {
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
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Before a commit of the mover, what it will be.
    pub fn expect(&mut self, number: u64, moved: Arc<[MovedRow]>) {
        debug_assert!(moved.is_sorted_by(|a, b| a.key < b.key));
        self.moved += moved.len();
        self.moves.push_back((number, moved));
        while self.moved > ROWS_MAX {
            self.forget_first();
        }
    }

    /// It did not take place, or nobody knows.
    pub fn expect_no_more(&mut self, number: u64) {
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
