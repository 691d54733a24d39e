//! A `ColumnStore` keeps every promise of `trait Store` that the store beneath keeps.

use std::path::Path;
use std::sync::Arc;

use columnar::ColumnStore;
use rows::error::Result;
use rows::ingestion::TableStore;
use rows_rocks::{RocksOptions, RocksStore};

fn open(directory: &Path) -> Result<Arc<dyn TableStore>> {
    let options = RocksOptions { memory_bytes: 8 << 20, ..RocksOptions::default() };
    Ok(Arc::new(ColumnStore::new(RocksStore::open(directory, &options)?, 4 << 20)))
}

rows::store_conformance! { persists: true, open: open }
