//! Whether a columnar index has of every row what the row says.
//!
//! Not here: what is checked of columnar tables (`crate::check`).

use std::sync::Arc;

use rows::error::Result;
use rows::store::{Direction, Reach, Read};
use rows::table::Table;
use values::row::RowRef;

use super::delta::{ChangedRows, LOOKUPS, places_of};
use super::settled::notes_range;
use crate::keys::{self, PLACES};
use crate::reader::{Columns, Reader};
use crate::state::State;
use crate::tables::KnownTable;

/// Compares a columnar index with its table; what does not fit, in words.
pub(crate) fn check_index(
    known: &KnownTable,
    columns: &Columns,
    view: &dyn Read,
    state: &State,
) -> Result<Vec<String>> {
    let table = known.table();
    let mut damages = Vec::new();
    let noted = ChangedRows::read(known, view, &notes_range(known, view)?, usize::MAX)?.rows;
    let of = Comparison { known, table: &table, reader: Reader { columns, inner: view }, state };
    // Those that are there without a row, or whose rows a note names, are counted below.
    let mut right = 0;
    let mut some: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut cursor = view.scan(&table.index_range(0), Direction::Forward, Reach::Disk)?;
    loop {
        let more = cursor.advance()?;
        if more && noted.binary_search_by(|row| row.key[..].cmp(cursor.key())).is_err() {
            some.push((cursor.key().to_vec(), cursor.value().to_vec()));
        }
        if !more || some.len() == LOOKUPS {
            right += of.compare(&some, &mut damages)?;
            some.clear();
        }
        if !more {
            break;
        }
    }
    drop(cursor);
    let with_note = noted
        .chunks(LOOKUPS)
        .map(|rows| places_of(known, view, rows.iter().map(|row| &row.key[..])));
    let with_note = with_note.collect::<Result<Vec<_>>>()?;
    let with_note = with_note.iter().flatten().flatten().count() as u64;
    let mut places = 0;
    let mut cursor =
        view.scan(&keys::range(known.home, PLACES), Direction::Forward, Reach::Disk)?;
    while cursor.advance()? {
        places += 1;
    }
    if places != right + with_note {
        let rows = right + with_note;
        damages.push(format!("the columnar index has {places} places for {rows} rows"));
    }
    let alive = state.rows();
    if alive != places {
        damages.push(format!("segments of the columnar index have {alive} rows, places {places}"));
    }
    Ok(damages)
}

struct Comparison<'a> {
    known: &'a KnownTable,
    table: &'a Arc<Table>,
    reader: Reader<'a>,
    state: &'a State,
}

impl Comparison<'_> {
    /// Compares rows with what the index has of them; how many it has.
    fn compare(&self, rows: &[(Vec<u8>, Vec<u8>)], damages: &mut Vec<String>) -> Result<u64> {
        let row_keys = rows.iter().map(|(key, _)| &key[..]);
        let places = places_of(self.known, self.reader.inner, row_keys)?;
        let mut right = 0;
        for ((_, row), place) in rows.iter().zip(places) {
            let Some(place) = place else {
                damages.push("a row has no place in the columnar index".to_owned());
                continue;
            };
            right += 1;
            let row = RowRef::new(&self.table.layout, row)?;
            let live = self.state.segments.binary_search_by_key(&place.segment, |live| live.id);
            let live = live.ok().map(|at| &self.state.segments[at]);
            let is_there = live.is_some_and(|live| {
                place.position < live.segment.sealed && !live.dead.has(place.position)
            });
            let Some(live) = live.filter(|_| is_there) else {
                damages.push("a row has a place in the columnar index that is dead".to_owned());
                continue;
            };
            for &at in self.table.columns_kept().unwrap_or_default() {
                let of = &self.table.columns[at];
                let column = self.reader.stored_column(self.known.home, live, of.slot)?;
                let kept = column.datum(&of.ty, place.position as usize)?;
                if kept.to_value() != row.column(at)?.to_value() {
                    let name = &of.name;
                    damages.push(format!("the columnar index has another {name} than a row"));
                }
            }
        }
        Ok(right)
    }
}
