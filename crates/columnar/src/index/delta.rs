//! What a view shows of a columnar index: its segments without the rows that notes name, and the
//! keys of these.
//!
//! Not here: reading them (`scan`).

use std::any::Any;
use std::sync::Arc;

use rows::error::{Error, Result};
use rows::store::{Direction, Reach, Read};
use rows::table::{PREFIX_BYTES, Table};

use crate::keys::{self, NOTES, Place};
use crate::scan::TableColumns;
use crate::state::{Live, State};
use crate::store::ColumnSnapshot;
use crate::tables::Known;

/// Rows whose places are looked up at once.
pub(super) const LOOKUPS: usize = 1024;

/// What a view shows of the columnar index of a table, of which it has the columns that
/// `Table::columns_kept` says. `None` when there is none; when the view does not show it, or has
/// writes of its own over the rows; and when more than so many changes are not in segments yet.
///
/// # Errors
/// `Corrupt`, `Store`.
pub fn index_columns_of(
    view: &dyn Read,
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
    let Some(known) = snapshot.columns.tables.index_of(table.id) else { return Ok(None) };
    if known.table().version != table.version {
        return Ok(None);
    }
    let Some(keys) = changed_rows(&known, &*snapshot.inner, changes_max)? else { return Ok(None) };
    let state = State::of(&known, &*snapshot.inner, snapshot.moment)?;
    let segments = without(&known, &*snapshot.inner, &state, &keys)?;
    let state = Arc::new(State { moment: state.moment, segments });
    Ok(Some(TableColumns::of_index(snapshot, known, state, keys.into())))
}

/// The keys of the rows that notes name, in order; `None` when there are more notes than so many.
pub(super) fn changed_rows(
    known: &Known,
    view: &dyn Read,
    changes_max: usize,
) -> Result<Option<Vec<Vec<u8>>>> {
    let prefix = keys::prefix(known.id, rows::table::PRIMARY);
    let mut row_keys = Vec::new();
    let mut cursor = view.scan(&keys::range(known.home, NOTES), Direction::Forward, Reach::Disk)?;
    while cursor.advance()? {
        if row_keys.len() == changes_max {
            return Ok(None);
        }
        row_keys.push(row_of_note(&prefix, cursor.value()));
    }
    drop(cursor);
    row_keys.sort_unstable();
    row_keys.dedup();
    Ok(Some(row_keys))
}

/// The key of the row that a note is about.
pub(super) fn row_of_note(prefix: &[u8], value: &[u8]) -> Vec<u8> {
    debug_assert_eq!(prefix.len(), PREFIX_BYTES);
    [prefix, value].concat()
}

/// The segments without the rows with these keys.
fn without(
    known: &Known,
    view: &dyn Read,
    state: &State,
    row_keys: &[Vec<u8>],
) -> Result<Vec<Live>> {
    let mut segments = state.segments.clone();
    let mut hidden: Vec<Place> = Vec::with_capacity(row_keys.len());
    for row_keys in row_keys.chunks(LOOKUPS) {
        hidden.extend(places_of(known, view, row_keys)?.into_iter().flatten());
    }
    hidden.sort_unstable_by_key(|place| (place.segment, place.position));
    for places in hidden.chunk_by(|a, b| a.segment == b.segment) {
        let at = segments.binary_search_by_key(&places[0].segment, |live| live.id);
        let at = at.map_err(|_| no_segment(known, places[0]))?;
        let live = &mut segments[at];
        let mut dead: Vec<u32> = live.dead.to_vec();
        dead.extend(places.iter().map(|place| place.position));
        // Two ascending runs.
        dead.sort();
        live.dead = dead.into();
    }
    Ok(segments)
}

/// The places of rows, by their keys.
pub(super) fn places_of(
    known: &Known,
    view: &dyn Read,
    row_keys: &[Vec<u8>],
) -> Result<Vec<Option<Place>>> {
    let keys: Vec<Vec<u8>> = row_keys.iter().map(|key| keys::place(known.home, key)).collect();
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

fn no_segment(known: &Known, place: Place) -> Error {
    let key = keys::segment(known.home, place.segment);
    Error::Corrupt { key, why: "a row has a place in no segment" }
}
