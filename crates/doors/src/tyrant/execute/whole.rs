//! What concerns the whole table: its size, emptying it, syncing, copying.
//!
//! Not here: statistics as text (`stat`).

use resources::interrupt;

use crate::tyrant::command::{Failure, Trouble};
use crate::tyrant::execute::{Cursor, Rows, SCAN_IN_LOOP_MAX};

impl Rows<'_, '_> {
    /// About how many records there are: near it after a crash, and with rows that have expired until
    /// they are swept.
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
        let interrupted = || Failure::Server("interrupted".into());
        Ok(engine.count_rows(table, &interrupt::is_wanted)?.ok_or_else(interrupted)?)
    }

    /// How many bytes the table takes on disk, and in write buffers.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn database_bytes(&mut self) -> Result<u64, Trouble> {
        self.may_read()?;
        self.needs_time()?;
        let range = self.database.table().full_range();
        Ok(self.turn.engine().store().sizes(&range)?.disk_bytes)
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

    /// Takes a backup of everything that was written before, tables of others included.
    ///
    /// # Errors
    /// `Invalid` where no copies are taken; see `Trouble`.
    pub fn copy(&mut self, path: &[u8]) -> Result<(), Trouble> {
        let Some(copy) = &self.shared.options.copy else {
            let why =
                "the setting tyrant-copies names no directory; `rowhouse backup` takes backups";
            return self.refuse("copy", why);
        };
        self.may_read()?;
        self.needs_time()?;
        let path = std::str::from_utf8(path);
        let path = path.map_err(|_| Failure::Invalid("the path is no UTF-8".into()))?;
        copy(path, self.turn.engine()).map_err(|why| {
            tracing::warn!(path, why, "a copy was not taken");
            Failure::Server(why.into()).into()
        })
    }

    /// Removes all records.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn vanish(&mut self) -> Result<(), Trouble> {
        if self.reads_own {
            return self.remove_all();
        }
        if *self.wrote || !self.turn.may_wait_for_writers() {
            return Err(Trouble::Wait);
        }
        let (engine, table) = (self.turn.engine(), self.database.table());
        Ok(engine.truncate_table(&table.database, &table.name, &engine.patience())?)
    }

    /// Removes all records one by one: so it can be rolled back.
    fn remove_all(&mut self) -> Result<(), Trouble> {
        let mut cursor = Cursor::default();
        cursor.restart();
        loop {
            let records = self.next_records(&mut cursor, SCAN_IN_LOOP_MAX)?;
            if records.is_empty() {
                return Ok(());
            }
            for (key, _) in records {
                match self.out(&key) {
                    // Another has removed it meanwhile.
                    Ok(()) | Err(Trouble::Failed(Failure::Missing)) => {}
                    Err(trouble) => return Err(trouble),
                }
            }
        }
    }
}
