//! Whether rows, places and notes of columnar tables fit together, beyond what the engine's own check
//! of rows and entries sees.
//!
//! Not here: whether rows can be read and have their index entries (`rows::check`).

use std::collections::BTreeMap;

use rows::error::Result;
use rows::local::LocalStore;
use rows::store::{Direction, Reach, Read, Store};
use rows::table::PRIMARY;

use crate::index::check_index;
use crate::keys::{self, Place, RECENT};
use crate::state::State;
use crate::store::ColumnStore;
use crate::tables::Known;

impl<S: Store + LocalStore> ColumnStore<S> {
    /// Compares each columnar table's rows with its segments and notes; what does not fit, in words.
    ///
    /// # Errors
    /// Only what keeps the check from going on: `Store`, and `Corrupt` for a segment that does not
    /// decode.
    pub fn check(&self) -> Result<Vec<String>> {
        let mut damages = Vec::new();
        for known in self.columns.tables.all() {
            let (view, moment) = self.columns.tables.at_moment(|| self.inner.snapshot())?;
            let table = known.table();
            let state = State::of(&known, &*view, moment)?;
            for damage in check_table(&known, &*view, &state)? {
                damages.push(format!("{}.{}: {damage}", table.database, table.name));
            }
        }
        for known in self.columns.tables.all_indexes() {
            let (view, moment) = self.columns.tables.at_moment(|| self.inner.snapshot())?;
            let table = known.table();
            let state = State::of(&known, &*view, moment)?;
            for damage in check_index(&known, &self.columns, &*view, &state)? {
                damages.push(format!("{}.{}: {damage}", table.database, table.name));
            }
        }
        Ok(damages)
    }
}

fn check_table(known: &Known, view: &dyn Read, state: &State) -> Result<Vec<String>> {
    let mut damages = Vec::new();
    let mut places: BTreeMap<u32, u32> = BTreeMap::new();
    let (mut rows, mut notes) = (0u64, 0u64);
    let mut note = Vec::new();
    let mut cursor = view.scan(&keys::range(known.id, PRIMARY), Direction::Forward, Reach::Disk)?;
    while cursor.advance()? {
        let (key, value) = cursor.entry();
        let noted = view.get(&keys::recent(known.id, key), Reach::Disk, &mut note)?;
        match Place::of(value) {
            Some(place) => *places.entry(place.segment).or_default() += 1,
            None => rows += 1,
        }
        if noted == Place::of(value).is_some() {
            damages.push(match noted {
                true => "a row has a place and a note that it is recent".to_owned(),
                false => "a row has neither a place nor a note that it is recent".to_owned(),
            });
        }
    }
    drop(cursor);
    let mut cursor = view.scan(&keys::range(known.id, RECENT), Direction::Forward, Reach::Disk)?;
    while cursor.advance()? {
        notes += 1;
    }
    if notes != rows {
        damages.push(format!("{notes} notes of recent rows for {rows} such rows"));
    }
    for live in &state.segments {
        let placed = places.remove(&live.id).unwrap_or(0);
        if placed != live.rows() {
            let (id, alive) = (live.id, live.rows());
            damages.push(format!("segment {id} has {alive} rows, {placed} of which have a place"));
        }
    }
    for (id, placed) in places {
        damages.push(format!("{placed} rows have their place in segment {id}, which is not there"));
    }
    Ok(damages)
}
