//! What concerns the whole table: its size, emptying it, syncing, copying.
//!
//! Not here: statistics as text (`stat`).

use resources::interrupt;
use resources::turn_limits::TurnLimits;
use rows::foreign_key::ForeignKeyChecks;

use crate::memcached::rights::ItemRights;
use crate::tyrant::command::{TyrantFailure, TyrantTrouble};
use crate::tyrant::execute::{KeyCursor, TyrantRows};

impl TyrantRows<'_, '_> {
    /// About how many records there are: near it after a crash, and with rows that have expired
    /// until they are swept.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    pub fn record_count(&mut self) -> Result<u64, TyrantTrouble> {
        self.may(ItemRights::FIND, None)?;
        self.may_read()?;
        self.needs_time()?;
        let (engine, table) = (self.turn.engine(), self.database.table());
        if let Some(count) = engine.row_count(table)? {
            return Ok(count);
        }
        let interrupted = || TyrantFailure::Server("interrupted".into());
        Ok(engine.count_rows(table, &interrupt::is_wanted)?.ok_or_else(interrupted)?)
    }

    /// How many bytes the table takes on disk, and in write buffers.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    pub fn database_bytes(&mut self) -> Result<u64, TyrantTrouble> {
        self.may(ItemRights::FIND, None)?;
        self.may_read()?;
        self.needs_time()?;
        let range = self.database.table().full_range();
        Ok(self.turn.engine().store().sizes(&range)?.disk_bytes)
    }

    /// Makes everything durable that was written before.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    pub fn sync(&mut self) -> Result<(), TyrantTrouble> {
        self.may_read()?;
        self.needs_time()?;
        Ok(self.turn.engine().store().sync()?)
    }

    /// Takes a backup of everything that was written before, tables of others included.
    ///
    /// # Errors
    /// `Invalid` where no copies are taken; see `TyrantTrouble`.
    pub fn copy(&mut self, path: &[u8]) -> Result<(), TyrantTrouble> {
        self.may(ItemRights::COPY, None)?;
        let Some(copy) = &self.shared.options.copy else {
            let why =
                "the setting tyrant-copies names no directory; `rowhouse backup` takes backups";
            return self.refuse("copy", why);
        };
        self.may_read()?;
        self.needs_time()?;
        let path = std::str::from_utf8(path);
        let path = path.map_err(|_| TyrantFailure::Invalid("the path is no UTF-8".into()))?;
        copy(path, self.turn.engine()).map_err(|why| {
            tracing::warn!(path, why, "a copy was not taken");
            TyrantFailure::Server(why.into()).into()
        })
    }

    /// Removes all records.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    pub fn vanish(&mut self) -> Result<(), TyrantTrouble> {
        self.may(ItemRights::DROP, None)?;
        if self.reads_own {
            return self.remove_all();
        }
        if *self.wrote || !self.turn.may_wait_for_writers() {
            return Err(TyrantTrouble::Wait);
        }
        let (engine, table) = (self.turn.engine(), self.database.table());
        Ok(engine.truncate_table(
            &table.database,
            &table.name,
            ForeignKeyChecks::On,
            &engine.patience(),
        )?)
    }

    /// Removes all records one by one: so it can be rolled back.
    fn remove_all(&mut self) -> Result<(), TyrantTrouble> {
        let mut cursor = KeyCursor::default();
        cursor.restart();
        loop {
            let records = self.next_records(&mut cursor, TurnLimits::LOOP.rows_seen)?;
            if records.is_empty() {
                return Ok(());
            }
            for (key, _) in records {
                match self.out(&key) {
                    // Another has removed it meanwhile.
                    Ok(()) | Err(TyrantTrouble::Failed(TyrantFailure::Missing)) => {}
                    Err(trouble) => return Err(trouble),
                }
            }
        }
    }
}
