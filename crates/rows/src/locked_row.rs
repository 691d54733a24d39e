//! The row that a lock is of, for those who look at locks from outside.
//!
//! Not here: locks (`locks`).

use std::sync::Arc;

use crate::check::{first_values, shown};
use crate::engine::Engine;
use crate::row_lock_wait::KeyPlace;
use crate::store::KeyRange;
use crate::table::Table;

/// What a locked key belongs to.
#[derive(Clone, Debug)]
pub struct LockedRow {
    /// The table.
    pub table: Arc<Table>,
    /// Which of its indexes the key is of; `None`: the whole table is locked.
    pub index: Option<usize>,
    /// The key's values; empty for a whole table.
    pub values: String,
}

/// What MySQL calls the end of an index.
const END_OF_INDEX: &str = "supremum pseudo-record";

impl Engine {
    /// What a locked range ends with: the values of the first key behind it, as far as it tells
    /// them. `None` where the table is gone.
    pub fn locked_range(&self, range: &KeyRange) -> Option<LockedRow> {
        let mut row = self.locked_row(&range.start)?;
        let index = row.index?;
        let ends = row.table.index_range(index).end;
        row.values = match range.end.is_empty() || range.end >= ends {
            true => END_OF_INDEX.to_owned(),
            false => first_values(&row.table, index, &range.end),
        };
        Some(row)
    }

    /// What a locked key belongs to; `None` where the table is gone.
    pub fn locked_row(&self, key: &[u8]) -> Option<LockedRow> {
        let place = KeyPlace::of(key);
        let table =
            self.catalog().all_tables().into_iter().find(|table| table.id == place.table)?;
        let index = place.index.and_then(|id| table.index_of_id(id));
        let values = index.map_or_else(String::new, |index| shown(&table, index, key));
        Some(LockedRow { table, index, values })
    }
}
