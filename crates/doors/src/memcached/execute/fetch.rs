//! Reads of items, also those that set a new expiry time or make what is missing.
//!
//! Not here: what a row is to a reader (`sight`).

use crate::memcached::command::{Fetch, Item, MemcachedTrouble, WriteOutcome};
use crate::memcached::execute::MemcachedRows;
use crate::memcached::execute::sight::{Sight, sight};
use crate::memcached::execute::write::ItemDecision;
use crate::memcached::item::{self, Contents};
use crate::memcached::rights::ItemRights;

impl MemcachedRows<'_, '_> {
    /// Shows the item of a key; `false` when there is none.
    ///
    /// # Errors
    /// See `MemcachedTrouble`.
    #[inline]
    pub fn fetch(
        &mut self,
        fetch: &Fetch<'_>,
        show: &mut dyn FnMut(&Item<'_>),
    ) -> Result<bool, MemcachedTrouble> {
        let found = self.fetch_item(fetch, show)?;
        self.shared.prefixes.count_get(fetch.key, found);
        Ok(found)
    }

    fn fetch_item(
        &mut self,
        fetch: &Fetch<'_>,
        show: &mut dyn FnMut(&Item<'_>),
    ) -> Result<bool, MemcachedTrouble> {
        let counters = &self.shared.counters;
        if fetch.touch.is_some() || fetch.vivify.is_some() {
            return self.fetch_and_write(fetch, show);
        }
        if *self.wrote {
            return Err(MemcachedTrouble::Wait);
        }
        let (place, key) = Self::place(self.places, fetch.key, ItemRights::READ)?;
        self.row_key.clear();
        if !item::push_row_key(place, key, self.row_key)? {
            counters.get_misses.add();
            return Ok(false);
        }
        let (shared, now, row_key) = (self.shared, self.now, &*self.row_key);
        let mut found = Sight::Nothing;
        let engine = self.turn.engine();
        engine.get_stored(
            engine.latest(),
            &place.table,
            row_key,
            self.turn.reach(),
            &mut |at| {
                found = sight(shared, place, now, row_key, &at.row, fetch, None, show)?;
                Ok(())
            },
        )?;
        match found {
            Sight::Item => {
                counters.get_hits.add();
                if !fetch.unseen {
                    place.table.note_use(row_key);
                }
            }
            Sight::Expired => {
                counters.get_expired.add();
                counters.get_misses.add();
            }
            Sight::Nothing => counters.get_misses.add(),
        }
        Ok(found == Sight::Item)
    }

    /// A read that also writes: a new expiry time, or an item where there was none.
    fn fetch_and_write(
        &mut self,
        fetch: &Fetch<'_>,
        show: &mut dyn FnMut(&Item<'_>),
    ) -> Result<bool, MemcachedTrouble> {
        let now = self.now;
        // Mostly there is an item: then nothing needs to be locked or written.
        let look_first = fetch.touch.is_none() && !*self.wrote;
        if look_first && self.fetch_item(&Fetch { vivify: None, ..fetch.clone() }, show)? {
            return Ok(true);
        }
        let (mut made, mut expires_before) = (false, 0);
        let needed = ItemRights::READ
            .and_if(fetch.touch.is_some(), ItemRights::RETOUCH)
            .and_if(fetch.vivify.is_some(), ItemRights::INSERT);
        let written = self.write(needed, fetch.key, fetch.new_cas, true, &mut |old| match old {
            Some(item) => {
                expires_before = item.expires;
                Ok(match fetch.touch {
                    Some(touch) => ItemDecision::Put(Contents::touched(now.absolute(touch))),
                    None => ItemDecision::Keep(WriteOutcome::Done(0)),
                })
            }
            None => Ok(match fetch.vivify {
                Some(exptime) => {
                    made = true;
                    ItemDecision::Put(Contents {
                        value: Some(Vec::new()),
                        flags: Some(0),
                        expires: Some(now.absolute(exptime)),
                        stale: Some(false),
                        ..Contents::default()
                    })
                }
                None => ItemDecision::Keep(WriteOutcome::Missing),
            }),
        })?;
        let counters = &self.shared.counters;
        if fetch.touch.is_some() {
            counters.cmd_touch.add();
            match written.outcome {
                WriteOutcome::Missing => counters.touch_misses.add(),
                _ => counters.touch_hits.add(),
            }
        }
        match written.outcome {
            // Counted by the look before.
            _ if look_first => {}
            WriteOutcome::Missing => counters.get_misses.add(),
            _ if made => counters.get_misses.add(),
            _ => counters.get_hits.add(),
        }
        if written.outcome == WriteOutcome::Missing {
            return Ok(false);
        }
        let (place, key) = Self::place(self.places, fetch.key, needed)?;
        let Some(row_key) = item::row_key(place, key)? else { return Ok(false) };
        if made {
            self.shared.marks.change(&row_key, written.version, |mark| mark.won = true);
        }
        let (shared, engine, reach) = (self.shared, self.turn.engine(), self.turn.reach());
        let transaction = self.turn.transaction()?;
        let mut shown = false;
        engine.get_stored(transaction.view(), &place.table, &row_key, reach, &mut |at| {
            let mut show_made = |item: &Item<'_>| match made {
                // The maker of an item is its winner.
                true => show(&Item { made, won: true, taken: false, ..*item }),
                false => show(item),
            };
            // A touch into the past still answers with what was there.
            let fetch = &Fetch { expired_too: true, ..fetch.clone() };
            let (row, before) = (&at.row, Some(expires_before));
            let seen = sight(shared, place, now, &row_key, row, fetch, before, &mut show_made)?;
            shown = seen == Sight::Item;
            Ok(())
        })?;
        Ok(shown)
    }
}
