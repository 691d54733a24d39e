//! Commands to row operations, the same for all three syntaxes.
//!
//! Invariants
//! 1. A command that would wait in a loop leaves nothing in the group and nothing marked.
//! 2. A read-modify-write decides under the row's lock, from the row as it then is.
//! 3. A read after a write of the same turn waits for the commit.
//!
//! Not here: bytes (`text`, `meta`, `binary`), rows to items (`item`).

use rows::cache::KeyBatch;
use rows::store::Reach;
use rows::{Changed, Datum, Engine, RowChange, RowRef, Transaction, Value};

use crate::conversation::Turn;
use crate::memcached::command::{
    Count, Counted, Delete, Fetch, Item, Moment, Outcome, Refusal, Store, StoreMode, Trouble,
};
use crate::memcached::item::{self, Contents};
use crate::memcached::place::{Place, Places};
use crate::memcached::shared::Shared;

/// What commands run on during one turn.
pub struct Rows<'a, 't> {
    /// What all conversations share.
    pub shared: &'a Shared,
    /// Where items lie.
    pub places: &'a Places,
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

/// What to do with an item under its lock.
enum Decision {
    Keep(Outcome),
    Put(Contents),
    Remove,
}

/// The row of an item that was just written.
struct Written {
    outcome: Outcome,
    version: u64,
}

impl Rows<'_, '_> {
    fn place<'p, 'k>(places: &'p Places, key: &'k [u8]) -> Result<(&'p Place, &'k [u8]), Trouble> {
        places.of(key).map_err(|why| Refusal::Server(why.into()).into())
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

    /// Shows the item of a key; `false` when there is none.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn fetch(
        &mut self,
        fetch: &Fetch<'_>,
        show: &mut dyn FnMut(&Item<'_>),
    ) -> Result<bool, Trouble> {
        let counters = &self.shared.counters;
        if fetch.touch.is_some() || fetch.vivify.is_some() {
            return self.fetch_and_write(fetch, show);
        }
        if *self.wrote {
            return Err(Trouble::Wait);
        }
        let (place, key) = Self::place(self.places, fetch.key)?;
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
    ) -> Result<bool, Trouble> {
        let now = self.now;
        // Mostly there is an item: then nothing needs to be locked or written.
        let look_first = fetch.touch.is_none() && !*self.wrote;
        if look_first && self.fetch(&Fetch { vivify: None, ..fetch.clone() }, show)? {
            return Ok(true);
        }
        let (mut made, mut expires_before) = (false, 0);
        let written = self.write(fetch.key, fetch.new_cas, true, &mut |old| match old {
            Some(item) => {
                expires_before = item.expires;
                Ok(match fetch.touch {
                    Some(touch) => Decision::Put(Contents::touched(now.absolute(touch))),
                    None => Decision::Keep(Outcome::Done(0)),
                })
            }
            None => Ok(match fetch.vivify {
                Some(exptime) => {
                    made = true;
                    Decision::Put(Contents {
                        value: Some(Vec::new()),
                        flags: Some(0),
                        expires: Some(now.absolute(exptime)),
                        stale: Some(false),
                        ..Contents::default()
                    })
                }
                None => Decision::Keep(Outcome::Missing),
            }),
        })?;
        let counters = &self.shared.counters;
        if fetch.touch.is_some() {
            counters.cmd_touch.add();
            match written.outcome {
                Outcome::Missing => counters.touch_misses.add(),
                _ => counters.touch_hits.add(),
            }
        }
        match written.outcome {
            // Counted by the look before.
            _ if look_first => {}
            Outcome::Missing => counters.get_misses.add(),
            _ if made => counters.get_misses.add(),
            _ => counters.get_hits.add(),
        }
        if written.outcome == Outcome::Missing {
            return Ok(false);
        }
        let (place, key) = Self::place(self.places, fetch.key)?;
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

    /// Runs `decide` on the item under its lock and does what it says.
    fn write(
        &mut self,
        key: &[u8],
        new_cas: Option<u64>,
        want_cas: bool,
        decide: &mut dyn FnMut(Option<&Item<'_>>) -> Result<Decision, Trouble>,
    ) -> Result<Written, Trouble> {
        let (place, key) = Self::place(self.places, key)?;
        let (shared, now) = (self.shared, self.now);
        let Some(row_key) = item::row_key(place, key)? else {
            return match decide(None)? {
                Decision::Put(_) => {
                    Err(Refusal::Client("key does not fit the container".into()).into())
                }
                Decision::Keep(outcome) => Ok(Written { outcome, version: 0 }),
                Decision::Remove => Ok(Written { outcome: Outcome::Missing, version: 0 }),
            };
        };
        let engine = self.turn.engine();
        let reach = self.turn.reach();
        let transaction = self.turn.transaction()?;
        let start = transaction.savepoint();
        let (mut keeps_read, mut keeps_winner) = (false, false);
        let mut decide = |old: Option<&Item<'_>>| {
            let decision = decide(old)?;
            if let (Decision::Put(contents), Some(old)) = (&decision, old) {
                keeps_read = contents.keeps_read;
                keeps_winner = contents.keeps_winner && old.taken;
            }
            Ok(decision)
        };
        let written = write_locked(transaction, engine, place, key, &row_key, &mut |row| {
            let Some(row) = row else { return decide(None) };
            let mut decision = None;
            let fetch = Fetch { unseen: true, ..Fetch::default() };
            sight(shared, place, now, &row_key, row, &fetch, None, &mut |item| {
                decision = Some(decide(Some(item)));
            })?;
            decision.unwrap_or_else(|| decide(None))
        });
        let mut outcome = match written {
            Ok(outcome) => outcome,
            Err(trouble) => {
                transaction.rollback_to(start);
                return Err(trouble);
            }
        };
        let mut version = 0;
        if matches!(outcome, Outcome::Done(_)) {
            *self.wrote = true;
            if !keeps_read {
                shared.marks.note_access(&row_key, false, now.0);
            }
            if want_cas || keeps_winner || new_cas.is_some() {
                engine.get_stored(
                    transaction.view(),
                    &place.table,
                    &row_key,
                    reach,
                    &mut |at| {
                        version = at.row.version();
                        Ok(())
                    },
                )?;
                let forced = shared.marks.of(&row_key, version).forced_cas;
                if keeps_winner {
                    shared.marks.change(&row_key, version, |mark| mark.won = true);
                }
                if let Some(cas) = new_cas {
                    shared.marks.change(&row_key, version, |mark| mark.forced_cas = Some(cas));
                }
                outcome = Outcome::Done(new_cas.or(forced).unwrap_or(version));
            }
        }
        Ok(Written { outcome, version })
    }

    /// Stores a value.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn store(&mut self, store: &Store<'_>, want_cas: bool) -> Result<Outcome, Trouble> {
        let now = self.now;
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
            let (value, stale) = (Some(joined), Some(false));
            Ok(Decision::Put(Contents { value, stale, ..Contents::default() }))
        })?;
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
        Ok(written.outcome)
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

    /// Removes an item, or marks or blanks it.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn delete(&mut self, delete: &Delete<'_>, want_cas: bool) -> Result<Outcome, Trouble> {
        let now = self.now;
        let marks = Self::place(self.places, delete.key)?.0.stale.is_some();
        let written = self.write(delete.key, delete.new_cas, want_cas, &mut |old| {
            let Some(old) = old else { return Ok(Decision::Keep(Outcome::Missing)) };
            if delete.compare.is_some_and(|compare| compare != old.cas) {
                return Ok(Decision::Keep(Outcome::Exists));
            }
            // Without a column for the mark the item must go: it may not pass as fresh.
            if !(delete.blank || delete.invalidate && marks) {
                return Ok(Decision::Remove);
            }
            Ok(Decision::Put(Contents {
                value: delete.blank.then(Vec::new),
                flags: delete.blank.then_some(0),
                expires: delete.touch.map(|exptime| now.absolute(exptime)),
                stale: delete.invalidate.then_some(true),
                keeps_read: true,
                ..Contents::default()
            }))
        })?;
        match written.outcome {
            Outcome::Missing => self.shared.counters.delete_misses.add(),
            _ => self.shared.counters.delete_hits.add(),
        }
        Ok(written.outcome)
    }

    /// Counts up or down.
    ///
    /// # Errors
    /// `NotNumeric`; see `Trouble`.
    pub fn count(
        &mut self,
        count: &Count<'_>,
        want_cas: bool,
    ) -> Result<Result<Counted, Outcome>, Trouble> {
        let now = self.now;
        let (mut number, mut expires_before, mut made) = (0, 0, false);
        let written = self.write(count.key, count.new_cas, want_cas, &mut |old| {
            let Some(old) = old else {
                let Some((initial, exptime)) = count.initial else {
                    return Ok(Decision::Keep(Outcome::Missing));
                };
                (number, made) = (initial, true);
                return Ok(Decision::Put(Contents {
                    value: Some(initial.to_string().into_bytes()),
                    flags: Some(0),
                    expires: Some(now.absolute(exptime)),
                    stale: Some(false),
                    ..Contents::default()
                }));
            };
            if old.value.is_empty() {
                return Err(Refusal::NotNumeric.into());
            }
            if count.compare.is_some_and(|compare| compare != old.cas) {
                return Ok(Decision::Keep(Outcome::Exists));
            }
            let before = leading_number(old.value).ok_or(Refusal::NotNumeric)?;
            number = match count.down {
                false => before.wrapping_add(count.delta),
                true => before.saturating_sub(count.delta),
            };
            expires_before = old.expires;
            // A shorter number is padded in place, as clients of the original see it; for a
            // longer one the item is made anew.
            let mut digits = number.to_string().into_bytes();
            let in_place = digits.len() <= old.value.len();
            digits.resize(digits.len().max(old.value.len()), b' ');
            Ok(Decision::Put(Contents {
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
            Outcome::Done(cas) => {
                hits.add();
                Ok(Counted { number, cas, expires_before, made })
            }
            other => {
                if other == Outcome::Missing {
                    misses.add();
                }
                Err(other)
            }
        })
    }

    /// Sets a new expiry time.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn touch(
        &mut self,
        key: &[u8],
        exptime: i64,
        show: &mut dyn FnMut(&Item<'_>),
    ) -> Result<bool, Trouble> {
        let now = self.now;
        let (place, _) = Self::place(self.places, key)?;
        if place.expires.is_none() {
            return Err(Refusal::Client("the container has no expiry column".into()).into());
        }
        let written = self.write(key, None, false, &mut |old| {
            Ok(match old {
                Some(item) => {
                    show(item);
                    Decision::Put(Contents::touched(now.absolute(exptime)))
                }
                None => Decision::Keep(Outcome::Missing),
            })
        })?;
        let counters = &self.shared.counters;
        counters.cmd_touch.add();
        let touched = matches!(written.outcome, Outcome::Done(_));
        if touched {
            self.note_read(key)?;
            counters.touch_hits.add()
        } else {
            counters.touch_misses.add()
        }
        Ok(touched)
    }

    /// A touch counts as a read.
    fn note_read(&self, key: &[u8]) -> Result<(), Trouble> {
        let (place, key) = Self::place(self.places, key)?;
        if let Some(row_key) = item::row_key(place, key)? {
            self.shared.marks.note_access(&row_key, true, self.now.0);
        }
        Ok(())
    }

    /// Empties the built-in table, now or at a later second.
    ///
    /// # Errors
    /// See `Trouble`.
    pub fn flush(&mut self, delay: i64) -> Result<(), Trouble> {
        if delay > 0 {
            self.shared.flush_at(self.now.absolute(delay));
            self.shared.counters.cmd_flush.add();
            return Ok(());
        }
        // Emptying the table waits for all who write to it: this turn must not be one of them.
        if !self.turn.may_wait() || *self.wrote || !self.turn.group().end_if_empty() {
            return Err(Trouble::Wait);
        }
        self.shared.flush_at(0);
        self.turn.engine().truncate_table("kv", "cache")?;
        self.shared.counters.cmd_flush.add();
        Ok(())
    }
}

/// The number that a value begins with, read as the original does: spaces may come before it,
/// and what follows a space or a zero byte is not looked at.
fn leading_number(value: &[u8]) -> Option<u64> {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | 0x0b);
    super::text::unsigned(value.trim_ascii_start().split(is_end).next()?)
}

/// What a row came to for a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Nothing,
    Expired,
    Item,
}

/// Shows a row as an item, unless it has expired.
fn sight(
    shared: &Shared,
    place: &Place,
    now: Moment,
    row_key: &[u8],
    row: &RowRef<'_>,
    fetch: &Fetch<'_>,
    // The expiry time before this request, if that has set a new one.
    before: Option<i64>,
    show: &mut dyn FnMut(&Item<'_>),
) -> rows::Result<Sight> {
    let (flags, expires, stale) = item::attributes(place, row)?;
    if !fetch.expired_too && now.is_over(expires) {
        return Ok(Sight::Expired);
    }
    let expires_before = before.unwrap_or(expires);
    let value = item::value(place, row)?;
    let version = row.version();
    let mark = shared.marks.of(row_key, version);
    let mut shown = Item {
        value: &value,
        flags,
        expires,
        expires_before,
        made: false,
        cas: mark.forced_cas.unwrap_or(version),
        stale,
        won: false,
        taken: mark.won,
        hit_before: false,
        idle: 0,
    };
    if fetch.wins {
        let (read, last) = shared.marks.access(row_key);
        shown.hit_before = read;
        shown.idle = (now.0 - last.unwrap_or(shared.started)).max(0);
        let expires = if fetch.recache_first { expires_before } else { expires };
        let recache = fetch
            .recache
            .is_some_and(|below| expires != 0 && expires.saturating_sub(now.0) < below);
        if (stale || recache) && !mark.won {
            // Two readers may have come here at once; one of them wins.
            shown.won = shared
                .marks
                .change(row_key, version, |mark| !std::mem::replace(&mut mark.won, true));
            shown.taken = !shown.won;
        }
    }
    if !fetch.unseen {
        shared.marks.note_access(row_key, true, now.0);
    }
    show(&shown);
    Ok(Sight::Item)
}

/// Locks the row, asks `decide`, and does what it says.
fn write_locked(
    transaction: &mut Transaction,
    engine: &Engine,
    place: &Place,
    key: &[u8],
    row_key: &[u8],
    decide: &mut dyn FnMut(Option<&RowRef<'_>>) -> Result<Decision, Trouble>,
) -> Result<Outcome, Trouble> {
    let mut failed = None;
    let mut kept = None;
    let changed = transaction.change_row(&place.table, row_key, &mut |row| {
        let decision = decide(Some(&row));
        Ok(match decision {
            Err(trouble) => {
                failed = Some(trouble);
                RowChange::Keep
            }
            Ok(Decision::Keep(outcome)) => {
                kept = Some(outcome);
                RowChange::Keep
            }
            Ok(Decision::Remove) => RowChange::Delete,
            Ok(Decision::Put(contents)) => match item::sets(place, contents) {
                Ok(sets) => RowChange::Set(sets),
                Err(refusal) => {
                    failed = Some(refusal.into());
                    RowChange::Keep
                }
            },
        })
    })?;
    if let Some(trouble) = failed {
        return Err(trouble);
    }
    if let Some(outcome) = kept {
        return Ok(outcome);
    }
    match changed {
        Changed::Updated | Changed::Deleted => Ok(Outcome::Done(0)),
        Changed::Unchanged if place.built_in => {
            // The same contents once more are a write, with a cas value of its own.
            rewrite(transaction, engine, place, row_key)?;
            Ok(Outcome::Done(0))
        }
        Changed::Unchanged => Ok(Outcome::Done(0)),
        Changed::Missing => match decide(None)? {
            Decision::Keep(outcome) => Ok(outcome),
            Decision::Remove => Ok(Outcome::Missing),
            Decision::Put(contents) => {
                let row = item::row(place, engine, key, contents)?;
                let datums: Vec<Datum<'_>> = row.iter().map(Value::as_datum).collect();
                transaction.insert(&place.table, &datums)?;
                Ok(Outcome::Done(0))
            }
        },
    }
}

/// Gives a row a new version. The row is locked.
fn rewrite(
    transaction: &mut Transaction,
    engine: &Engine,
    place: &Place,
    row_key: &[u8],
) -> Result<(), Trouble> {
    let mut values: Vec<Value> = Vec::new();
    engine.get_stored(transaction.view(), &place.table, row_key, Reach::Memory, &mut |found| {
        values = found.row.values()?.iter().map(Datum::to_value).collect();
        Ok(())
    })?;
    let datums: Vec<Datum<'_>> = values.iter().map(Value::as_datum).collect();
    transaction.replace(&place.table, &datums)?;
    Ok(())
}
