//! An item under its lock: looked at, decided upon, and written or removed.
//!
//! Invariants
//! 1. What was decided happens wholly, or the transaction is as it was before.
//!
//! Not here: the decisions (`fetch`, `store`, `change`).

use rows::{ChangeOutcome, Engine, RowChange, Transaction};
use values::RowRef;
use values::{Datum, Value};

use crate::memcached::command::{Fetch, Item, MemcachedRefusal, MemcachedTrouble, WriteOutcome};
use crate::memcached::execute::MemcachedRows;
use crate::memcached::execute::sight::sight;
use crate::memcached::item::{self, Contents};
use crate::memcached::place::MemcachedPlace;
use crate::memcached::rights::ItemRights;

/// What to do with an item under its lock.
pub(super) enum ItemDecision {
    Keep(WriteOutcome),
    Put(Contents),
    Remove,
}

/// The row of an item that was just written.
pub(super) struct WrittenItem {
    pub outcome: WriteOutcome,
    pub version: u64,
}

impl MemcachedRows<'_, '_> {
    /// Runs `decide` on the item under its lock and does what it says, if the client may do what
    /// is needed.
    #[inline]
    pub(super) fn write(
        &mut self,
        needed: ItemRights,
        key: &[u8],
        new_cas: Option<u64>,
        want_cas: bool,
        decide: &mut dyn FnMut(Option<&Item<'_>>) -> Result<ItemDecision, MemcachedTrouble>,
    ) -> Result<WrittenItem, MemcachedTrouble> {
        let (place, key) = Self::place(self.places, key, needed)?;
        let (shared, now) = (self.shared, self.now);
        let Some(row_key) = item::row_key(place, key)? else {
            return match decide(None)? {
                ItemDecision::Put(_) => {
                    Err(MemcachedRefusal::Client("key does not fit the container".into()).into())
                }
                ItemDecision::Keep(outcome) => Ok(WrittenItem { outcome, version: 0 }),
                ItemDecision::Remove => {
                    Ok(WrittenItem { outcome: WriteOutcome::Missing, version: 0 })
                }
            };
        };
        let engine = self.turn.engine();
        let transaction = self.turn.transaction()?;
        let start = transaction.savepoint();
        let (mut changes, mut gone) = (false, false);
        let (mut keeps_read, mut keeps_winner) = (false, false);
        let mut version = 0;
        let mut decide = |old: Option<&Item<'_>>| {
            let decision = decide(old)?;
            changes = !matches!(decision, ItemDecision::Keep(_));
            gone = matches!(decision, ItemDecision::Remove);
            if let (ItemDecision::Put(contents), Some(old)) = (&decision, old) {
                keeps_read = contents.keeps_read;
                keeps_winner = contents.keeps_winner && old.taken;
            }
            Ok(decision)
        };
        let written = write_locked(transaction, engine, place, key, &row_key, &mut |row| {
            let Some(row) = row else { return decide(None) };
            version = row.version();
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
        if matches!(outcome, WriteOutcome::Done(_)) {
            *self.wrote = true;
            if changes && !keeps_read {
                shared.marks.note_access(&row_key, false, now.0);
            }
            // What stays as it was keeps its cas value, too.
            let new_cas = new_cas.filter(|_| changes);
            if want_cas || keeps_winner || new_cas.is_some() {
                // The row was shown under its lock: it is not read again, which could wait.
                version = match transaction.version_given(&place.table, &row_key)? {
                    Some(given) => given,
                    None if gone => 0,
                    None => version,
                };
                let forced = shared.marks.of(&row_key, version).forced_cas;
                if keeps_winner {
                    shared.marks.change(&row_key, version, |mark| mark.won = true);
                }
                if let Some(cas) = new_cas {
                    shared.marks.change(&row_key, version, |mark| mark.forced_cas = Some(cas));
                }
                outcome = WriteOutcome::Done(new_cas.or(forced).unwrap_or(version));
            }
        }
        Ok(WrittenItem { outcome, version })
    }
}

/// Locks the row, asks `decide`, and does what it says.
fn write_locked(
    transaction: &mut Transaction,
    engine: &Engine,
    place: &MemcachedPlace,
    key: &[u8],
    row_key: &[u8],
    decide: &mut dyn FnMut(Option<&RowRef<'_>>) -> Result<ItemDecision, MemcachedTrouble>,
) -> Result<WriteOutcome, MemcachedTrouble> {
    let mut kept = None;
    let changed = transaction.change_row(&place.table, row_key, &mut |row| {
        Ok::<_, MemcachedTrouble>(match decide(Some(&row))? {
            ItemDecision::Keep(outcome) => {
                kept = Some(outcome);
                RowChange::Keep
            }
            ItemDecision::Remove => RowChange::Delete,
            // The same contents once more are a write, with a cas value of its own.
            ItemDecision::Put(contents) if place.raw => {
                RowChange::SetAnew(item::sets(place, contents)?)
            }
            ItemDecision::Put(contents) => RowChange::Set(item::sets(place, contents)?),
        })
    })?;
    if let Some(outcome) = kept {
        return Ok(outcome);
    }
    match changed {
        ChangeOutcome::Updated | ChangeOutcome::Deleted | ChangeOutcome::Unchanged => {
            Ok(WriteOutcome::Done(0))
        }
        ChangeOutcome::Missing => match decide(None)? {
            ItemDecision::Keep(outcome) => Ok(outcome),
            ItemDecision::Remove => Ok(WriteOutcome::Missing),
            ItemDecision::Put(contents) => {
                let row = item::row(place, engine, key, contents)?;
                let datums: Vec<Datum<'_>> = row.iter().map(Value::as_datum).collect();
                transaction.insert(&place.table, &datums)?;
                Ok(WriteOutcome::Done(0))
            }
        },
    }
}
