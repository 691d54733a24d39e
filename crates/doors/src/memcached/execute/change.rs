//! Items changed by what they are: removed, marked or blanked, counted, touched.

use crate::memcached::command::{
    Count, CountOutcome, Delete, Item, MemcachedRefusal, MemcachedTrouble, WriteOutcome,
};
use crate::memcached::execute::MemcachedRows;
use crate::memcached::execute::write::ItemDecision;
use crate::memcached::item::{self, Contents};
use crate::memcached::rights::ItemRights;
use crate::memcached::text::unsigned;

impl MemcachedRows<'_, '_> {
    /// Removes an item, or marks or blanks it.
    ///
    /// # Errors
    /// See `MemcachedTrouble`.
    pub fn delete(
        &mut self,
        delete: &Delete<'_>,
        want_cas: bool,
    ) -> Result<WriteOutcome, MemcachedTrouble> {
        let now = self.now;
        let (place, _) = Self::place(self.places, delete.key, ItemRights::FIND)?;
        let marks = place.stale.is_some();
        // Without a column for the mark the item must go: it may not pass as fresh.
        let stays = delete.blank || delete.invalidate && marks;
        let change = if stays { ItemRights::UPDATE } else { ItemRights::DELETE };
        let needed = ItemRights::FIND.and(change);
        let written = self.write(needed, delete.key, delete.new_cas, want_cas, &mut |old| {
            let Some(old) = old else { return Ok(ItemDecision::Keep(WriteOutcome::Missing)) };
            if delete.compare.is_some_and(|compare| compare != old.cas) {
                return Ok(ItemDecision::Keep(WriteOutcome::Exists));
            }
            if !stays {
                return Ok(ItemDecision::Remove);
            }
            Ok(ItemDecision::Put(Contents {
                value: delete.blank.then(Vec::new),
                flags: delete.blank.then_some(0),
                // What is blanked is a new item, which lives for ever unless it is told otherwise.
                expires: match (delete.touch, delete.blank) {
                    (None, true) => Some(0),
                    (touch, _) => touch.map(|exptime| now.absolute(exptime)),
                },
                stale: delete.invalidate.then_some(true),
                keeps_read: true,
                ..Contents::default()
            }))
        })?;
        self.shared.prefixes.count_delete(delete.key);
        match written.outcome {
            WriteOutcome::Missing => self.shared.counters.delete_misses.add(),
            _ => self.shared.counters.delete_hits.add(),
        }
        Ok(written.outcome)
    }

    /// Counts up or down.
    ///
    /// # Errors
    /// `NotNumeric`; see `MemcachedTrouble`.
    pub fn count(
        &mut self,
        count: &Count<'_>,
        want_cas: bool,
    ) -> Result<Result<CountOutcome, WriteOutcome>, MemcachedTrouble> {
        let now = self.now;
        let (mut number, mut expires_before, mut made) = (0, 0, false);
        let needed = ItemRights::READ
            .and(ItemRights::UPDATE)
            .and_if(count.initial.is_some(), ItemRights::INSERT);
        let written = self.write(needed, count.key, count.new_cas, want_cas, &mut |old| {
            let Some(old) = old else {
                let Some((initial, exptime)) = count.initial else {
                    return Ok(ItemDecision::Keep(WriteOutcome::Missing));
                };
                (number, made) = (initial, true);
                return Ok(ItemDecision::Put(Contents {
                    value: Some(initial.to_string().into_bytes()),
                    flags: Some(0),
                    expires: Some(now.absolute(exptime)),
                    stale: Some(false),
                    ..Contents::default()
                }));
            };
            if old.value.is_empty() {
                return Err(MemcachedRefusal::NotNumeric.into());
            }
            if count.compare.is_some_and(|compare| compare != old.cas) {
                return Ok(ItemDecision::Keep(WriteOutcome::Exists));
            }
            let before = leading_number(old.value).ok_or(MemcachedRefusal::NotNumeric)?;
            number = match count.down {
                false => before.wrapping_add(count.delta),
                true => before.saturating_sub(count.delta),
            };
            expires_before = old.expires;
            // A shorter number is padded in place, as clients of the original see it; for a
            // longer one the item is made again.
            let mut digits = number.to_string().into_bytes();
            let in_place = digits.len() <= old.value.len();
            digits.resize(digits.len().max(old.value.len()), b' ');
            Ok(ItemDecision::Put(Contents {
                value: Some(digits),
                expires: count.touch.map(|exptime| now.absolute(exptime)),
                stale: (!in_place).then_some(false),
                keeps_read: in_place,
                keeps_winner: in_place,
                ..Contents::default()
            }))
        })?;
        let counters = &self.shared.counters;
        let (hits, misses) = match count.down {
            false => (&counters.incr_hits, &counters.incr_misses),
            true => (&counters.decr_hits, &counters.decr_misses),
        };
        Ok(match written.outcome {
            WriteOutcome::Done(cas) => {
                hits.add();
                Ok(CountOutcome { number, cas, expires_before, made })
            }
            other => {
                if other == WriteOutcome::Missing {
                    misses.add();
                }
                Err(other)
            }
        })
    }

    /// Sets a new expiry time.
    ///
    /// # Errors
    /// See `MemcachedTrouble`.
    pub fn touch(
        &mut self,
        key: &[u8],
        exptime: i64,
        show: &mut dyn FnMut(&Item<'_>),
    ) -> Result<bool, MemcachedTrouble> {
        let now = self.now;
        let needed = ItemRights::FIND.and(ItemRights::RETOUCH);
        let (place, _) = Self::place(self.places, key, needed)?;
        if place.expires.is_none() {
            return Err(
                MemcachedRefusal::Client("the container has no expiry column".into()).into()
            );
        }
        let written = self.write(needed, key, None, false, &mut |old| {
            Ok(match old {
                Some(item) => {
                    show(item);
                    ItemDecision::Put(Contents::touched(now.absolute(exptime)))
                }
                None => ItemDecision::Keep(WriteOutcome::Missing),
            })
        })?;
        let counters = &self.shared.counters;
        counters.cmd_touch.add();
        let touched = matches!(written.outcome, WriteOutcome::Done(_));
        if touched {
            self.note_read(key)?;
            counters.touch_hits.add()
        } else {
            counters.touch_misses.add()
        }
        Ok(touched)
    }

    /// A touch counts as a read.
    fn note_read(&self, key: &[u8]) -> Result<(), MemcachedTrouble> {
        let (place, key) = Self::place(self.places, key, ItemRights::NONE)?;
        if let Some(row_key) = item::row_key(place, key)? {
            self.shared.marks.note_access(&row_key, true, self.now.0);
        }
        Ok(())
    }
}

/// The number that a value begins with, read as the original does: spaces may come before it,
/// and what follows a space or a zero byte is not looked at.
fn leading_number(value: &[u8]) -> Option<u64> {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | 0x0b);
    unsigned(value.trim_ascii_start().split(is_end).next()?)
}
