//! What can be read of damaged rows, written into an empty store.
//!
//! Definitions first, then sound tables byte by byte, then the rows that can be read of damaged
//! ones, with their index entries made again. The new store holds no damage, and nothing that the
//! old one did not have.
//!
//! Invariants
//! 1. Nothing is changed where it is read.
//! 2. A row of a damaged table is written with all of its index entries, or not at all.
//!
//! Not here: which tables are damaged (`check`), where the new store lies.

use std::collections::BTreeSet;

use crate::catalog::Catalog;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::ingestion::TableStore;
use crate::readable::read_all;
use crate::schema::TableId;
use crate::store::{Batch, Change, Direction, Durability, Reach, Store};
use crate::table::Table;

/// Bytes that are written at once, about.
const BATCH_BYTES: usize = 1 << 20;

/// What was written of a damaged table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SalvagedRows {
    /// Rows written.
    pub rows: u64,
    /// Rows that were found but do not decode.
    pub damaged: u64,
    /// Places where the store could not be read.
    pub gaps: u64,
}

impl Engine {
    /// Writes all definitions into an empty store, but for the columnar indexes of damaged tables,
    /// whose columns are not written. Gives the tables that lost one.
    ///
    /// # Errors
    /// Those of both stores.
    pub fn salvage_definitions(
        &self,
        damaged: &BTreeSet<TableId>,
        to: &dyn Store,
    ) -> Result<Vec<String>> {
        let snapshot = self.store().snapshot()?;
        let without_columns = |definition: &mut crate::schema::TableDefinition| {
            damaged.contains(&definition.id) && definition.columnar_index.take().is_some()
        };
        Catalog::copy(&*snapshot, to, without_columns)
    }

    /// Writes all that belongs to a sound table as it is.
    ///
    /// # Errors
    /// Those of both stores.
    pub fn salvage_whole(&self, table: &Table, to: &dyn TableStore) -> Result<()> {
        let snapshot = self.store().snapshot()?;
        let mut cursor = snapshot.scan(&table.full_range(), Direction::Forward, Reach::Disk)?;
        let mut more = cursor.advance()?;
        if !more {
            return Ok(());
        }
        let mut entries = std::iter::from_fn(|| {
            if !more {
                return None;
            }
            let entry = (cursor.key().to_vec(), cursor.value().to_vec());
            match cursor.advance() {
                Ok(goes_on) => {
                    more = goes_on;
                    Some(Ok(entry))
                }
                Err(error) => {
                    more = false;
                    Some(Err(error))
                }
            }
        });
        to.ingest(&mut entries).map(drop)
    }

    /// Writes the rows of a damaged table that can be read, with their entries, into another engine
    /// that has its definition.
    ///
    /// # Errors
    /// Those of the other store; `NotFound` when it lacks the table.
    pub fn salvage_rows(&self, table: &Table, to: &Engine) -> Result<SalvagedRows> {
        let snapshot = self.store().snapshot()?;
        let made = to.catalog().table(&table.database, &table.name)?;
        let (mut salvaged, mut batch, mut bytes) = (SalvagedRows::default(), Batch::default(), 0);
        let gaps = read_all(&*snapshot, &table.index_range(0), &mut |key, value| {
            match changes_of(&made, key, value) {
                Ok(changes) => {
                    salvaged.rows += 1;
                    bytes += key.len() + value.len();
                    batch.changes.extend(changes);
                }
                Err(Error::Corrupt { .. }) => salvaged.damaged += 1,
                Err(error) => return Err(error),
            }
            if bytes < BATCH_BYTES {
                return Ok(());
            }
            bytes = 0;
            to.store().write(&std::mem::take(&mut batch), Durability::Os)
        })?;
        to.store().write(&batch, Durability::Os)?;
        salvaged.gaps = gaps.len() as u64;
        Ok(salvaged)
    }
}

/// A row and its entries.
fn changes_of(table: &Table, key: &[u8], value: &[u8]) -> Result<Vec<Change>> {
    let row = row_at(table, key, value)?.values()?;
    let mut changes = vec![Change::put(key.to_vec(), value.to_vec())];
    for index in 1..table.codecs.len() {
        let entry = table.entry(index, &row, key)?;
        changes.push(Change::put(entry.key, entry.value));
    }
    let members = table.listed_entries(&row, key)?;
    changes.extend(members.into_iter().map(|entry| Change::put(entry.key, entry.value)));
    Ok(changes)
}
