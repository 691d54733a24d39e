//! What a view shows of a columnar index: its segments without the rows that notes name, and what
//! the notes say of these.
//!
//! Not here: reading them (`scan`).

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rows::Engine;
use rows::error::{Error, Result};
use rows::store::{Direction, KeyRange, Reach, Read};
use rows::table::{ColumnNote, NotedRow, PREFIX_BYTES, Table};

use super::notes::NotesOf;
use crate::keys::{self, Place};
use crate::note_cache::{self, ChangedRow, RowNow};
use crate::scan::TableColumns;
use crate::snapshot::ColumnSnapshot;
use crate::state::{Live, State};
use crate::tables::KnownTable;

/// Rows whose places are looked up at once.
pub(super) const LOOKUPS: usize = 1024;

/// What a view shows of the columnar index of a table, of which it has the columns that
/// `Table::columns_kept` says. `None` when there is none; when the view does not show it, or has
/// writes of its own over the rows; and when more than so many changes are not in segments yet.
///
/// # Errors
/// `SchemaChanged` when all rows were stored again since the view; `Corrupt`, `Store`.
pub fn index_columns_of(
    view: &dyn Read,
    engine: &Engine,
    table: &Table,
    changes_max: usize,
) -> Result<Option<TableColumns>> {
    // What is hidden when its time has come is hidden from who reads rows alone.
    if table.columnar_index.is_none() || table.expiry_column().is_some() {
        return Ok(None);
    }
    let beneath = view.beneath(&table.index_range(0));
    let snapshot = beneath.and_then(<dyn Any>::downcast_ref::<ColumnSnapshot>);
    let Some(snapshot) = snapshot.filter(|_| table.columns_are_shown_by(view)) else {
        return Ok(None);
    };
    // The rows were copied since, and the index with them.
    if !table.is_shown_by(view) {
        return Err(Error::SchemaChanged);
    }
    let Some(known) = snapshot.columns.tables.index_of(table.id) else { return Ok(None) };
    known.looks_unasked.store(0, Ordering::Relaxed);
    if known.table().version != table.version {
        return Ok(None);
    }
    // What is settled is what was written before the question before. So it is asked twice, and few
    // writers are inside for as long as notes are read.
    engine.notes_settled_below(table);
    let settling = || {
        // In this order: a snapshot that begins later has a higher number, and shows all of it.
        let settled = engine.notes_settled_below(table);
        (settled, snapshot.columns.tables.snapshots_begun())
    };
    let number = snapshot.moment.number;
    let notes = NotesOf { known: &known, table, view: &*snapshot.inner, number };
    let Some(noted) = notes.read(changes_max, settling)? else { return Ok(None) };
    let state = known.state_of(&*snapshot.inner, snapshot.moment)?;
    let segments = without(&known, &state, &noted)?;
    let state = Arc::new(State { moment: state.moment, segments });
    Ok(Some(TableColumns::of_index(snapshot, known, state, noted)))
}

/// Rows that notes name.
#[derive(Default)]
pub(super) struct ChangedRows {
    /// By their keys, ascending.
    pub rows: Vec<ChangedRow>,
    /// Versions of the notes, ascending, those of each row one behind the other.
    versions: Vec<u64>,
    /// Where among these the ones of each row end.
    ends: Vec<usize>,
    /// Whether these are all notes that there are.
    pub is_all: bool,
}

impl ChangedRows {
    /// The first notes of a range that a view shows, up to so many, by row.
    ///
    /// # Errors
    /// Those of reading the store, and `Corrupt` when a note or the row that it names does not
    /// decode.
    pub fn read(
        known: &KnownTable,
        view: &dyn Read,
        range: &KeyRange,
        notes_max: usize,
    ) -> Result<ChangedRows> {
        let prefix = keys::prefix(known.id, rows::table::PRIMARY);
        debug_assert_eq!(prefix.len(), PREFIX_BYTES);
        let table = known.table();
        let mut changed = ChangedRows::default();
        let mut notes: Vec<(Vec<u8>, u64, RowNow)> = Vec::new();
        let mut cursor = view.scan(range, Direction::Forward, Reach::Disk)?;
        loop {
            if !cursor.advance()? {
                changed.is_all = true;
                break;
            }
            if notes.len() == notes_max {
                break;
            }
            let (key, value) = cursor.entry();
            let damaged = || Error::Corrupt { key: key.to_vec(), why: "a note without a version" };
            let version = keys::version_of_note(known.home, key).ok_or_else(damaged)?;
            let note = ColumnNote::read(&table, value).map_err(|error| error.at(key))?;
            let now = match note.row {
                NotedRow::Unknown => RowNow::Unknown,
                NotedRow::Gone => RowNow::Gone,
                NotedRow::Columns(row) => RowNow::Columns(row.into()),
            };
            notes.push(([&prefix, note.primary].concat(), version, now));
        }
        drop(cursor);
        notes.sort_unstable_by(|(a, first, _), (b, second, _)| (a, first).cmp(&(b, second)));
        changed.versions.reserve(notes.len());
        for (key, last_note, now) in notes {
            match changed.rows.last_mut() {
                Some(row) if row.key == key => (row.now, row.last_note) = (now, last_note),
                _ => {
                    changed.rows.push(ChangedRow { key, now, last_note });
                    changed.ends.push(changed.versions.len());
                }
            }
            changed.versions.push(last_note);
            if let Some(end) = changed.ends.last_mut() {
                *end = changed.versions.len();
            }
        }
        Ok(changed)
    }

    /// The versions of a row's notes.
    pub fn notes_of(&self, row: usize) -> &[u64] {
        let first = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.versions[first..self.ends[row]]
    }
}

/// The segments without these rows.
fn without(known: &KnownTable, state: &State, rows: &[note_cache::NotedRow]) -> Result<Vec<Live>> {
    let mut segments = state.segments.clone();
    let mut hidden: Vec<Place> = rows.iter().filter_map(|row| row.place).collect();
    hidden.sort_unstable_by_key(|place| (place.segment, place.position));
    for places in hidden.chunk_by(|a, b| a.segment == b.segment) {
        let at = segments.binary_search_by_key(&places[0].segment, |live| live.id);
        let at = at.map_err(|_| no_segment(known, places[0]))?;
        let live = &mut segments[at];
        let rows: Vec<u32> = places.iter().map(|place| place.position).collect();
        live.dead = live.dead.with(&rows);
    }
    Ok(segments)
}

/// The places of rows, by their keys.
pub(super) fn places_of<'k>(
    known: &KnownTable,
    view: &dyn Read,
    row_keys: impl Iterator<Item = &'k [u8]>,
) -> Result<Vec<Option<Place>>> {
    let keys: Vec<Vec<u8>> = row_keys.map(|key| keys::place(known.home, key)).collect();
    let mut places = Vec::with_capacity(keys.len());
    view.get_many(&keys, Reach::Disk, &mut |at, value| {
        let place = value.map(|value| {
            let damaged = || Error::Corrupt { key: keys[at].clone(), why: "not a place" };
            Place::of_bare(value).ok_or_else(damaged)
        });
        places.push(place.transpose()?);
        Ok(())
    })?;
    Ok(places)
}

fn no_segment(known: &KnownTable, place: Place) -> Error {
    let key = keys::segment(known.home, place.segment);
    Error::Corrupt { key, why: "a row has a place in no segment" }
}
