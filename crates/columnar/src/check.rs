//! Whether rows, places and notes of columnar tables fit together, beyond what the engine's own
//! check of rows and entries sees.
//!
//! Not here: whether rows can be read and have their index entries (`rows::check`).

use std::collections::BTreeMap;
use std::sync::Arc;

use rows::error::Result;
use rows::ingestion::TableStore;
use rows::local::LocalStore;
use rows::store::{Direction, Reach, Read};
use rows::table::{PRIMARY, Table};

use crate::index::check_index;
use crate::keys::{self, Place, RECENT};
use crate::state::State;
use crate::store::ColumnStore;
use crate::tables::KnownTable;

impl<S: TableStore + LocalStore> ColumnStore<S> {
    /// Compares each columnar table's rows with its segments and notes, and each columnar index
    /// with its table; what does not fit, or cannot be read, in words, by table.
    ///
    /// # Errors
    /// Only what keeps the check from going on, as a store that has no snapshots.
    pub fn check(&self) -> Result<Vec<(Arc<Table>, String)>> {
        let mut damages = Vec::new();
        let tables = self.columns.tables.all().into_iter().map(|known| (known, false));
        let indexes = self.columns.tables.all_indexes().into_iter().map(|known| (known, true));
        for (known, is_index) in tables.chain(indexes) {
            let (view, moment) = self.columns.tables.at_moment(|| self.inner.snapshot())?;
            let table = known.table();
            let found = known.state_of(&*view, moment).and_then(|state| match is_index {
                true => check_index(&known, &self.columns, &*view, &state),
                false => check_table(&known, &*view, &state),
            });
            let found = found.unwrap_or_else(|error| vec![format!("its segments: {error}")]);
            damages.extend(found.into_iter().map(|damage| (Arc::clone(&table), damage)));
        }
        Ok(damages)
    }
}

fn check_table(known: &KnownTable, view: &dyn Read, state: &State) -> Result<Vec<String>> {
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
