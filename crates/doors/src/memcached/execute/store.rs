//! Values put: set, add, replace, append, prepend, with or without a comparison of cas values.

use crate::memcached::command::{
    MemcachedRefusal, MemcachedTrouble, Store, StoreMode, StoreOutcome, WriteOutcome,
};
use crate::memcached::execute::MemcachedRows;
use crate::memcached::execute::write::ItemDecision;
use crate::memcached::item::Contents;
use crate::memcached::rights::ItemRights;

/// What a store needs.
fn needed(store: &Store<'_>) -> ItemRights {
    let change = match store.mode {
        StoreMode::Set if store.compare.is_some() => ItemRights::UPDATE,
        StoreMode::Set => ItemRights::UPDATE.and(ItemRights::INSERT),
        StoreMode::Add => ItemRights::INSERT,
        StoreMode::Replace => ItemRights::UPDATE.and(ItemRights::FIND),
        StoreMode::Append | StoreMode::Prepend => ItemRights::UPDATE
            .and(ItemRights::READ)
            .and_if(store.vivify.is_some(), ItemRights::INSERT),
    };
    change.and_if(store.compare.is_some(), ItemRights::FIND)
}

impl MemcachedRows<'_, '_> {
    /// Stores a value.
    ///
    /// # Errors
    /// See `MemcachedTrouble`.
    pub fn store(
        &mut self,
        store: &Store<'_>,
        want_cas: bool,
    ) -> Result<StoreOutcome, MemcachedTrouble> {
        let now = self.now;
        let mut value_bytes = store.value.len();
        let contents = |stale: bool| Contents {
            value: Some(store.value.to_vec()),
            flags: Some(store.flags),
            // What is stored from an outdated copy lives no longer for it.
            expires: (!stale).then(|| now.absolute(store.exptime)),
            stale: Some(stale),
            keeps_winner: stale,
            ..Contents::default()
        };
        let bytes_max = self.shared.options.item_bytes_max;
        let written =
            self.write(needed(store), store.key, store.new_cas, want_cas, &mut |old| {
                let Some(old) = old else {
                    let make = match store.mode {
                        StoreMode::Append | StoreMode::Prepend => store.vivify,
                        StoreMode::Replace => None,
                        StoreMode::Set | StoreMode::Add => Some(store.exptime),
                    };
                    let missing = match (store.compare, make) {
                        (Some(_), _)
                            if matches!(store.mode, StoreMode::Set | StoreMode::Replace) =>
                        {
                            Some(WriteOutcome::Missing)
                        }
                        (_, None) => Some(WriteOutcome::NotStored),
                        _ => None,
                    };
                    return Ok(match (missing, make) {
                        (Some(outcome), _) => ItemDecision::Keep(outcome),
                        (None, exptime) => ItemDecision::Put(Contents {
                            expires: exptime.map(|exptime| now.absolute(exptime)),
                            ..contents(false)
                        }),
                    });
                };
                if store.mode == StoreMode::Add {
                    return Ok(ItemDecision::Keep(WriteOutcome::NotStored));
                }
                let mut stale = false;
                if let Some(compare) = store.compare
                    && compare != old.cas
                {
                    let whole = matches!(store.mode, StoreMode::Set | StoreMode::Replace);
                    if !(whole && store.invalidate && compare < old.cas) {
                        return Ok(ItemDecision::Keep(WriteOutcome::Exists));
                    }
                    stale = true;
                }
                let joined = match store.mode {
                    StoreMode::Append => [old.value, store.value].concat(),
                    StoreMode::Prepend => [store.value, old.value].concat(),
                    _ => return Ok(ItemDecision::Put(contents(stale))),
                };
                if joined.len() > bytes_max {
                    return Err(MemcachedRefusal::TooLarge.into());
                }
                value_bytes = joined.len();
                let (value, stale) = (Some(joined), Some(false));
                Ok(ItemDecision::Put(Contents { value, stale, ..Contents::default() }))
            })?;
        self.shared.prefixes.count_set(store.key);
        let counters = &self.shared.counters;
        counters.cmd_set.add();
        if store.compare.is_some() {
            match written.outcome {
                WriteOutcome::Done(_) => counters.cas_hits.add(),
                WriteOutcome::Missing => counters.cas_misses.add(),
                WriteOutcome::Exists => counters.cas_badval.add(),
                WriteOutcome::NotStored => {}
            }
        }
        if matches!(written.outcome, WriteOutcome::Done(_)) {
            counters.total_items.add();
        }
        Ok(StoreOutcome { outcome: written.outcome, value_bytes })
    }

    /// A value that was too large came for this key: the old one must not be read any more. It
    /// stays where the client may not remove it.
    ///
    /// # Errors
    /// See `MemcachedTrouble`.
    pub fn discard_for(&mut self, key: &[u8]) -> Result<(), MemcachedTrouble> {
        self.shared.counters.store_too_large.add();
        self.write(ItemRights::DELETE, key, None, false, &mut |old| {
            Ok(match old {
                Some(_) => ItemDecision::Remove,
                None => ItemDecision::Keep(WriteOutcome::Missing),
            })
        })?;
        Ok(())
    }
}
