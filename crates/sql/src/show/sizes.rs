//! How many rows a table has and what it takes, for SHOW TABLE STATUS and `information_schema`.
//!
//! Not here: what is counted as whose (`rows::sizes`, `columnar::segment_sizes_of`).

use columnar::{segment_sizes_of, stored_columns_of};
use rows::engine::Engine;
use rows::error::Result;
use rows::sizes::TableSizes;
use rows::table::Table;

use super::catalog::approximate_rows;

/// A table's rows, and what they and its indexes take.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShownSizes {
    /// How many rows there are.
    pub rows: u64,
    /// Bytes of one before compression, on average; in a columnar table as it has them in segments,
    /// of which 0 are without any.
    pub row_length: u64,
    /// What they take.
    pub sizes: TableSizes,
}

/// Of a table; a columnar index is one of its indexes, segments of a columnar table are its rows.
///
/// # Errors
/// `Store`, `Corrupt`, `SchemaChanged`.
pub fn sizes_of(engine: &Engine, table: &Table) -> Result<ShownSizes> {
    if !table.columnar && table.columnar_index.is_none() {
        let rows = approximate_rows(engine, table);
        return Ok(shown(rows, engine.table_sizes(table, rows)?));
    }
    let view = engine.store().snapshot()?;
    let rows = match stored_columns_of(&*view, table)? {
        Some(columns) => columns.rows()?,
        None => approximate_rows(engine, table),
    };
    let segments = segment_sizes_of(&**engine.store(), &*view, table)?.unwrap_or_default();
    let mut sizes = engine.table_sizes(table, rows)?;
    if !table.columnar {
        sizes.indexes += segments.sizes;
        return Ok(shown(rows, sizes));
    }
    sizes.data.disk_bytes += segments.sizes.disk_bytes;
    // What the store has of it are places mostly, which are not what anybody put into the table.
    // Rows that are in no segment yet are taken for as long as the others, where there are others.
    let of_segments = u128::from(segments.sizes.plain_bytes) * u128::from(rows);
    if let Some(bytes) = of_segments.checked_div(u128::from(segments.rows)) {
        sizes.data.plain_bytes = bytes as u64;
    }
    let row_length = segments.sizes.plain_bytes.checked_div(rows).unwrap_or(0);
    Ok(ShownSizes { row_length, ..shown(rows, sizes) })
}

fn shown(rows: u64, sizes: TableSizes) -> ShownSizes {
    let row_length = sizes.data.plain_bytes.checked_div(rows).unwrap_or(0);
    ShownSizes { rows, row_length, sizes }
}
