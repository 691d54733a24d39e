//! What a client may do with the items of a place: a small set that each request is compared with.
//!
//! | request | needs |
//! |---|---|
//! | `get`, `mg`, `me`, lists of keys | SELECT on key, value, flags, expiry time |
//! | `set` | INSERT on all of these, UPDATE on all but the key |
//! | `add`, and what makes a missing item | INSERT |
//! | `replace`, `set` with a cas value | UPDATE, SELECT on the key |
//! | `append`, `prepend`, `incr`, `decr` | UPDATE, SELECT |
//! | `touch` | UPDATE on the expiry time, SELECT on the key |
//! | `gat`, `mg` with `T` | UPDATE on the expiry time, SELECT |
//! | `delete` | DELETE, SELECT on the key |
//! | `md` with `I` or `x` | UPDATE, SELECT on the key |
//!
//! Tyrant's records are items, too; what its commands need stands in `tyrant::execute`.
//!
//! Invariants
//! 1. A request needs what the statement of SQL would that does the same.
//!
//! Not here: privileges themselves (crate `access`), what is asked beside items (`execute`,
//! `stats`).

use access::{Privilege, Rights};

use crate::memcached::place::MemcachedPlace;

/// A set of what may be done with items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemRights(u16);

impl ItemRights {
    /// Nothing.
    pub const NONE: ItemRights = ItemRights(0);
    /// SELECT on the key.
    pub const FIND: ItemRights = ItemRights(1);
    /// SELECT on all that an item has.
    pub const READ: ItemRights = ItemRights(1 | 2);
    /// INSERT on all of it.
    pub const INSERT: ItemRights = ItemRights(4);
    /// UPDATE on the expiry time.
    pub const RETOUCH: ItemRights = ItemRights(8);
    /// UPDATE on all but the key.
    pub const UPDATE: ItemRights = ItemRights(8 | 16);
    /// DELETE on the table.
    pub const DELETE: ItemRights = ItemRights(32);
    /// DROP on the table: all of them are removed at once.
    pub const DROP: ItemRights = ItemRights(64);
    /// INDEX on the table.
    pub const INDEX: ItemRights = ItemRights(128);
    /// EXECUTE on the database: functions of scripts are called.
    pub const EXECUTE: ItemRights = ItemRights(256);
    /// BACKUP_ADMIN: all tables are copied.
    pub const COPY: ItemRights = ItemRights(512);

    /// These and those.
    #[must_use]
    pub const fn and(self, others: ItemRights) -> ItemRights {
        ItemRights(self.0 | others.0)
    }

    /// These, and others where they are needed.
    #[must_use]
    pub const fn and_if(self, needed: bool, others: ItemRights) -> ItemRights {
        if needed { self.and(others) } else { self }
    }

    /// Whether they are enough for what is needed.
    #[inline]
    pub const fn allow(self, needed: ItemRights) -> bool {
        self.0 & needed.0 == needed.0
    }

    /// What a request does that needs these, in a word; `None`: it looks for a key and shows
    /// nothing.
    pub fn operation(self) -> Option<&'static str> {
        let has = |right: ItemRights| self.allow(right);
        Some(match self.0 {
            0 | 1 => return None,
            _ if has(ItemRights::DROP) => "truncate",
            _ if has(ItemRights::INDEX) => "index",
            _ if has(ItemRights::EXECUTE) => "execute",
            _ if has(ItemRights::COPY) => "copy",
            _ if has(ItemRights::DELETE) => "delete",
            _ if has(ItemRights::INSERT) && has(ItemRights::RETOUCH) => "write",
            _ if has(ItemRights::INSERT) => "insert",
            _ if has(ItemRights::RETOUCH) => "update",
            _ => "read",
        })
    }

    /// Those on the items of a place.
    pub fn of(place: &MemcachedPlace, rights: &Rights) -> ItemRights {
        let (database, table) = (&*place.table.database, &*place.table.name);
        let has = |column: usize, privilege| {
            let name = &*place.table.columns[column].name;
            rights.has_column(database, table, name, privilege)
        };
        let keys: Vec<usize> = place.table.own_parts(0).iter().map(|part| part.column).collect();
        let expires: Vec<usize> = place.expires.into_iter().collect();
        let more = [place.flags, place.expires, place.stale].into_iter().flatten();
        let contents: Vec<usize> = place.values.iter().copied().chain(more).collect();
        let has_all = |columns: &[usize], privilege| {
            rights.on_some_of(database, table).has(privilege)
                && columns.iter().all(|column| has(*column, privilege))
        };
        let finds = has_all(&keys, Privilege::Select);
        let reads = finds && has_all(&contents, Privilege::Select);
        let inserts = has_all(&keys, Privilege::Insert) && has_all(&contents, Privilege::Insert);
        let on_table = rights.on_table(database, table);
        let executes = rights.on_database(database).has(Privilege::Execute);
        ItemRights::NONE
            .and_if(finds, ItemRights::FIND)
            .and_if(reads, ItemRights::READ)
            .and_if(inserts, ItemRights::INSERT)
            .and_if(has_all(&expires, Privilege::Update), ItemRights::RETOUCH)
            .and_if(has_all(&contents, Privilege::Update), ItemRights::UPDATE)
            .and_if(on_table.has(Privilege::Delete), ItemRights::DELETE)
            .and_if(on_table.has(Privilege::Drop), ItemRights::DROP)
            .and_if(on_table.has(Privilege::Index), ItemRights::INDEX)
            .and_if(executes, ItemRights::EXECUTE)
            .and_if(rights.has_dynamic("BACKUP_ADMIN"), ItemRights::COPY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_allows_what_is_in_it_alone() {
        let both = ItemRights::FIND.and(ItemRights::DELETE);
        assert!(both.allow(ItemRights::DELETE) && both.allow(ItemRights::NONE));
        assert!(!both.allow(ItemRights::READ) && !both.allow(ItemRights::UPDATE));
        assert!(ItemRights::READ.allow(ItemRights::FIND));
        assert!(ItemRights::UPDATE.allow(ItemRights::RETOUCH));
        assert_eq!(ItemRights::FIND.operation(), None);
        assert_eq!(ItemRights::READ.operation(), Some("read"));
        assert_eq!(both.operation(), Some("delete"));
        let puts = ItemRights::INSERT.and(ItemRights::UPDATE);
        assert_eq!(puts.operation(), Some("write"));
    }
}
