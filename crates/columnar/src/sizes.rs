//! What segments take: on disk by the store, before compression by what segments say of themselves.
//!
//! Not here: keys, places, recent rows and entries of other indexes, which are the store's like
//! those of any table (`rows::sizes`).

use std::any::Any;

use rows::error::Result;
use rows::sizes::PartSizes;
use rows::store::{Read, StoreUpkeep};
use rows::table::Table;

use crate::keys;
use crate::snapshot::ColumnSnapshot;
use crate::state::Live;

/// What segments take, and how many rows they have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentSizes {
    /// Rows that there still are.
    pub rows: u64,
    /// What they take.
    pub sizes: PartSizes,
}

/// What the segments of a columnar table take, or those of a table's columnar index, of which a
/// view of the store shows them. `None` where there are none, or the view does not show the store's
/// own state.
///
/// # Errors
/// `Corrupt`, `Store`.
pub fn segment_sizes_of(
    store: &dyn StoreUpkeep,
    view: &dyn Read,
    table: &Table,
) -> Result<Option<SegmentSizes>> {
    let beneath = view.beneath(&table.index_range(0));
    let Some(snapshot) = beneath.and_then(<dyn Any>::downcast_ref::<ColumnSnapshot>) else {
        return Ok(None);
    };
    let tables = &snapshot.columns.tables;
    let known = if table.columnar { tables.get(table.id) } else { tables.index_of(table.id) };
    let Some(known) = known else { return Ok(None) };
    let state = known.state_of(&*snapshot.inner, snapshot.moment)?;
    let sizes = PartSizes {
        disk_bytes: store.sizes(&keys::whole_range(known.home))?.disk_bytes,
        plain_bytes: state.segments.iter().map(plain_bytes).sum(),
    };
    let rows = state.segments.iter().map(|live| u64::from(live.rows())).sum();
    Ok(Some(SegmentSizes { rows, sizes }))
}

/// Of the rows of a segment that there still are, as if all were equally long.
fn plain_bytes(live: &Live) -> u64 {
    let all = u128::from(live.segment.plain_bytes) * u128::from(live.rows());
    all.checked_div(u128::from(live.segment.rows)).unwrap_or(0) as u64
}
