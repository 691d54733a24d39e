//! Commands to row operations, the same for all three syntaxes.
//!
//! - `fetch`: reads, also those that write; `sight`: a row as a reader sees it
//! - `store`: values put; `change`: items removed, counted, touched
//! - `write`: what all of these have in common, an item decided upon under its lock
//!
//! Invariants
//! 1. A command that would wait in a loop leaves nothing in the group and nothing marked.
//! 2. A read-modify-write decides under the row's lock, from the row as it then is.
//! 3. A read after a write of the same turn waits for the commit.
//! 4. No command reaches an item but through `place`, which asks what the client may do.
//!
//! Not here: bytes (`text`, `meta`, `binary`), rows to items (`item`).

mod change;
mod fetch;
mod sight;
mod store;
mod write;

use access::{Privilege, Rights};
use rows::cache::KeyBatch;
use rows::foreign_key::ForeignKeyChecks;

use crate::conversation::Turn;
use crate::memcached::command::{MemcachedRefusal, MemcachedTrouble, Moment};
use crate::memcached::item;
use crate::memcached::place::{MemcachedPlace, Places};
use crate::memcached::rights::ItemRights;
use crate::memcached::shared::MemcachedShared;

/// What commands run on during one turn.
pub struct MemcachedRows<'a, 't> {
    /// What all conversations share.
    pub shared: &'a MemcachedShared,
    /// Where items lie, and what the client may do with them.
    pub places: &'a Places,
    /// What it may do besides.
    pub rights: &'a Rights,
    /// The turn.
    pub turn: &'a mut Turn<'t>,
    /// The present.
    pub now: Moment,
    /// Whether this turn has written into the group.
    pub wrote: &'a mut bool,
    /// A buffer for row keys.
    pub row_key: &'a mut Vec<u8>,
    /// A buffer for keys that are read soon.
    pub batch: &'a mut KeyBatch,
}

impl MemcachedRows<'_, '_> {
    /// The place of a key, where the client may do what is needed.
    #[inline]
    fn place<'p, 'k>(
        places: &'p Places,
        key: &'k [u8],
        needed: ItemRights,
    ) -> Result<(&'p MemcachedPlace, &'k [u8]), MemcachedTrouble> {
        let (place, key) = places.of(key).map_err(|why| MemcachedRefusal::Server(why.into()))?;
        place.ask(needed, Some(key))?;
        Ok((place, key))
    }

    /// Whether all keys of the built-in table may be listed.
    pub fn may_list(&self) -> bool {
        self.places.home().is_none_or(|home| home.rights.allow(ItemRights::READ))
    }

    /// Whether what the door counts may be set back, or counted otherwise.
    pub fn may_reset(&self) -> bool {
        self.rights.has_global(Privilege::Reload)
    }

    /// Has the rows of keys fetched that are about to be read.
    pub fn look_ahead(&mut self, keys: &[&[u8]]) {
        self.batch.clear();
        for key in keys {
            if let Ok((place, key)) = self.places.of(key) {
                self.batch.add(|out| item::push_row_key(place, key, out).unwrap_or(false));
            }
        }
        self.turn.engine().cache().prefetch(self.batch.keys());
    }

    /// Empties the built-in table, now or at a later second.
    ///
    /// # Errors
    /// See `MemcachedTrouble`.
    pub fn flush(&mut self, delay: i64) -> Result<(), MemcachedTrouble> {
        // As TRUNCATE TABLE.
        match self.places.home() {
            Some(home) => home.ask(ItemRights::DROP, None)?,
            None if !self.rights.on_table("kv", "cache").has(Privilege::Drop) => {
                return Err(MemcachedRefusal::Denied.into());
            }
            None => {}
        }
        if delay > 0 {
            self.shared.flush_at(self.now.absolute(delay));
            self.shared.counters.cmd_flush.add();
            return Ok(());
        }
        if *self.wrote || !self.turn.may_wait_for_writers() {
            return Err(MemcachedTrouble::Wait);
        }
        self.shared.flush_at(0);
        self.turn.engine().truncate_table(
            "kv",
            "cache",
            ForeignKeyChecks::On,
            &self.turn.engine().patience(),
        )?;
        self.shared.counters.cmd_flush.add();
        Ok(())
    }
}
