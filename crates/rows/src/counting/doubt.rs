//! After a crash, tables whose numbers of rows may be behind are counted again, in the background.
//!
//! Numbers are written down once a second (`about`). A store that was not closed may have rows of a
//! later moment, in tables that were written to of late: their last writes are what the store has
//! read from its log again, and has in new files or in memory. All others are right as they are.
//!
//! Not here: starting the thread (`server`).

use std::sync::atomic::Ordering;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::table::Table;

/// Of more rows a second's writes are no hundredth.
const ROWS_MAX: u64 = 10_000_000;

impl Engine {
    /// Counts the tables whose numbers may be behind since a crash, one after the other; until
    /// `stop`, which is asked now and then. For a thread in the background.
    ///
    /// # Errors
    /// `Store`, `Corrupt`.
    pub fn count_doubted(&self, stop: &dyn Fn() -> bool) -> Result<()> {
        for table in self.catalog().all_tables() {
            let is_doubted = table.state.rows.doubted.swap(false, Ordering::Relaxed);
            if !is_doubted || !self.may_be_behind(&table)? {
                continue;
            }
            match self.count_rows(&table, stop) {
                Ok(None) => return Ok(()),
                // What became of the table counts again.
                Ok(Some(_)) | Err(Error::SchemaChanged) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn may_be_behind(&self, table: &Table) -> Result<bool> {
        // Segments say how many rows are in them.
        if table.columnar {
            return Ok(false);
        }
        let sizes = self.store().sizes(&table.index_range(0))?;
        let is_counted = self.row_count(table)?.is_some();
        Ok(sizes.all().0 <= ROWS_MAX && (sizes.new_entries > 0 || !is_counted))
    }
}
