//! What concerns the whole table: its size, emptying it, syncing.
//!
//! Not here: statistics as text (`stat`).

use crate::tyrant::command::Trouble;
use crate::tyrant::execute::Rows;

impl Rows<'_, '_> {
    /// About how many records there are: exact while the server runs, near it after a crash.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn record_count(&mut self) -> Result<u64, Trouble> {
        self.may_read()?;
        self.needs_time()?;
        let (engine, table) = (self.turn.engine(), self.database.table());
        if let Some(count) = engine.row_count(table)? {
            return Ok(count);
        }
        Ok(engine.count_rows(table, &|| false)?.unwrap_or(0))
    }

    /// About how many bytes the table takes.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn database_bytes(&mut self) -> Result<u64, Trouble> {
        self.may_read()?;
        self.needs_time()?;
        Ok(self.turn.engine().approximate_bytes(self.database.table())?)
    }

    /// Makes everything durable that was written before.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn sync(&mut self) -> Result<(), Trouble> {
        self.may_read()?;
        self.needs_time()?;
        Ok(self.turn.engine().store().sync()?)
    }

    /// Removes all records.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn vanish(&mut self) -> Result<(), Trouble> {
        if *self.wrote || !self.turn.may_wait_for_writers() {
            return Err(Trouble::Wait);
        }
        let (engine, table) = (self.turn.engine(), self.database.table());
        Ok(engine.truncate_table(&table.database, &table.name, &engine.patience())?)
    }
}
