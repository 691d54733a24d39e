//! Records by their keys.
//!
//! Not here: records in order (`scan`).

use rows::FoundRow;
use rows::cache::PREFETCH_MAX;
use values::RowRef;

use crate::memcached::rights::ItemRights;
use crate::tyrant::columns::Columns;
use crate::tyrant::command::{List, TyrantTrouble};
use crate::tyrant::execute::TyrantRows;

impl TyrantRows<'_, '_> {
    /// Shows the value of a record; `false` when there is none.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    #[inline]
    pub fn get(&mut self, key: &[u8], show: &mut dyn FnMut(&[u8])) -> Result<bool, TyrantTrouble> {
        let database = self.database;
        self.get_row(key, &mut |row| {
            show(&database.value(row)?);
            Ok(())
        })
    }

    /// The columns of a record of a table database.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    pub fn columns_of(&mut self, key: &[u8]) -> Result<Option<Columns>, TyrantTrouble> {
        let (database, mut columns) = (self.database, None);
        self.get_row(key, &mut |row| {
            columns = Some(database.columns(row)?);
            Ok(())
        })?;
        Ok(columns)
    }

    #[inline]
    fn get_row(
        &mut self,
        key: &[u8],
        show: &mut dyn FnMut(&RowRef<'_>) -> rows::Result<()>,
    ) -> Result<bool, TyrantTrouble> {
        self.may(ItemRights::READ, Some(key))?;
        self.may_read()?;
        self.row_key.clear();
        let database = self.database;
        if !database.push_row_key(key, self.row_key)? {
            return Ok(false);
        }
        let (engine, reach) = (self.turn.engine(), self.turn.reach());
        let row_key = std::mem::take(self.row_key);
        let view = self.view()?;
        let visit = &mut |found: FoundRow<'_>| show(&found.row);
        let found = engine.get(view, database.table(), &row_key, reach, visit);
        *self.row_key = row_key;
        Ok(found?)
    }

    /// Shows the records of those keys that have one. `show` gives the bytes of the reply so far.
    ///
    /// # Errors
    /// See `TyrantTrouble`; `Server` when the reply gets too large.
    pub fn get_many(
        &mut self,
        keys: List<'_>,
        show: &mut dyn FnMut(&[u8], &[u8]) -> usize,
    ) -> Result<(), TyrantTrouble> {
        let limits = self.turn.limits();
        if keys.len() > limits.rows_given || keys.bytes() > limits.bytes {
            self.needs_time()?;
        }
        let mut bytes = 0;
        let mut ahead = keys.iter();
        for (position, key) in keys.iter().enumerate() {
            if position % PREFETCH_MAX == 0 {
                self.look_ahead(&mut ahead.by_ref().take(PREFETCH_MAX));
            }
            self.get(key, &mut |value| bytes = show(key, value))?;
            self.check_reply(bytes)?;
        }
        Ok(())
    }

    /// Has the rows of keys fetched that are about to be read.
    pub fn look_ahead(&mut self, keys: &mut dyn Iterator<Item = &[u8]>) {
        self.batch.clear();
        for key in keys {
            self.batch.add(|out| self.database.push_row_key(key, out).unwrap_or(false));
        }
        self.turn.engine().cache().prefetch(self.batch.keys());
    }
}
