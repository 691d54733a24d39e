//! Values put: set, add, replace, append, prepend, with or without a comparison of cas values.

use crate::memcached::command::{Outcome, Refusal, Store, StoreMode, Stored, Trouble};
use crate::memcached::execute::Rows;
use crate::memcached::execute::write::Decision;
use crate::memcached::item::Contents;

impl Rows<'_, '_> {
    /// Stores a value.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn store(&mut self, store: &Store<'_>, want_cas: bool) -> Result<Stored, Trouble> {
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
        let written = self.write(store.key, store.new_cas, want_cas, &mut |old| {
            let Some(old) = old else {
                let make = match store.mode {
                    StoreMode::Append | StoreMode::Prepend => store.vivify,
                    StoreMode::Replace => None,
                    StoreMode::Set | StoreMode::Add => Some(store.exptime),
                };
                let missing = match (store.compare, make) {
                    (Some(_), _) if matches!(store.mode, StoreMode::Set | StoreMode::Replace) => {
                        Some(Outcome::Missing)
                    }
                    (_, None) => Some(Outcome::NotStored),
                    _ => None,
                };
                return Ok(match (missing, make) {
                    (Some(outcome), _) => Decision::Keep(outcome),
                    (None, exptime) => Decision::Put(Contents {
                        expires: exptime.map(|exptime| now.absolute(exptime)),
                        ..contents(false)
                    }),
                });
            };
            if store.mode == StoreMode::Add {
                return Ok(Decision::Keep(Outcome::NotStored));
            }
            let mut stale = false;
            if let Some(compare) = store.compare
                && compare != old.cas
            {
                let whole = matches!(store.mode, StoreMode::Set | StoreMode::Replace);
                if !(whole && store.invalidate && compare < old.cas) {
                    return Ok(Decision::Keep(Outcome::Exists));
                }
                stale = true;
            }
            let joined = match store.mode {
                StoreMode::Append => [old.value, store.value].concat(),
                StoreMode::Prepend => [store.value, old.value].concat(),
                _ => return Ok(Decision::Put(contents(stale))),
            };
            if joined.len() > bytes_max {
                return Err(Refusal::TooLarge.into());
            }
            value_bytes = joined.len();
            let (value, stale) = (Some(joined), Some(false));
            Ok(Decision::Put(Contents { value, stale, ..Contents::default() }))
        })?;
        self.shared.prefixes.count_set(store.key);
        let counters = &self.shared.counters;
        counters.cmd_set.add();
        if store.compare.is_some() {
            match written.outcome {
                Outcome::Done(_) => counters.cas_hits.add(),
                Outcome::Missing => counters.cas_misses.add(),
                Outcome::Exists => counters.cas_badval.add(),
                Outcome::NotStored => {}
            }
        }
        if matches!(written.outcome, Outcome::Done(_)) {
            counters.total_items.add();
        }
        Ok(Stored { outcome: written.outcome, value_bytes })
    }

    /// A value that was too large came for this key: the old one must not be read any more.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn discard_for(&mut self, key: &[u8]) -> Result<(), Trouble> {
        self.shared.counters.store_too_large.add();
        self.write(key, None, false, &mut |old| {
            Ok(match old {
                Some(_) => Decision::Remove,
                None => Decision::Keep(Outcome::Missing),
            })
        })?;
        Ok(())
    }
}
