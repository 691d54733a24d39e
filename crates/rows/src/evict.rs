//! Eviction: rows of a table in cache mode leave, the least recently used first, until the table
//! is within its limit.
//!
//! A hand goes round the table in the order of its keys. Of the rows that it passes, those leave
//! that have not been used for as long as the oldest quarter of all rows, the oldest first; rows
//! of which no use is known come before all others. If a whole round was not enough, the older
//! half goes, then any. So about every fourth row that is looked at leaves, and one that is used
//! more often than most never does.
//!
//! Invariants
//! 1. It runs in a thread that may wait, and takes only rows that nobody holds.
//! 2. A row that is used between the look and its removal stays.
//! 3. A row that has expired leaves as such, however recently it was used.
//!
//! Not here: when rows were used (`recency`), when rows are evicted (`sweep`).

use std::sync::Arc;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::expiry::Expiry;
use crate::find::row_at;
use crate::recency::{Recency, UNKNOWN};
use crate::removal::{RemovedRows, remove};
use crate::store::{Direction, Reach};
use crate::table::Table;

/// Rows looked at between two looks at how much is left to do.
const CHUNK_ROWS: usize = 4096;
/// Looking at rows ends early when so many times the excess could leave.
const CHOICE: u64 = 4;
/// An eviction ends this part of the limit below it, so that not every write begins one.
const SLACK_PART: u64 = 32;
/// The parts that leave, each if too few left by the one before.
const PARTS: [usize; 3] = [4, 2, 1];
/// Times that the hand reaches the end of the table before that is decided: it began somewhere.
const ENDS: usize = 2;
/// Too few: less than one row in so many.
const FEW_PART: usize = 32;

/// Counts the bytes of the rows that there are. Takes as long as reading them.
///
/// # Errors
/// `SchemaChanged`, `Store`.
pub(crate) fn count(engine: &Engine, table: &Table, recency: &Recency) -> Result<()> {
    let base = recency.base();
    let snapshot = engine.store().snapshot()?;
    let mut cursor = snapshot.scan(&table.index_range(0), Direction::Forward, Reach::Disk)?;
    let (mut bytes, mut rows) = (0, 0);
    while cursor.advance()? {
        bytes += (cursor.key().len() + cursor.value().len()) as i64;
        rows += 1;
    }
    if !table.is_current() {
        return Err(Error::SchemaChanged);
    }
    recency.set_counted(base, bytes, rows);
    Ok(())
}

/// Lets rows leave until the table is within its limit. `hand` is where the last eviction
/// stopped.
///
/// # Errors
/// `SchemaChanged`, `Corrupt`, `Store`; what was removed before stays removed.
pub(crate) fn evict(
    engine: &Arc<Engine>,
    table: &Arc<Table>,
    recency: &Recency,
    hand: &mut Vec<u8>,
) -> Result<RemovedRows> {
    let mut removed = RemovedRows::default();
    let enough = recency.bytes_max() - recency.bytes_max() / SLACK_PART;
    if recency.bytes() <= recency.bytes_max() {
        return Ok(removed);
    }
    let mut parts = PARTS.into_iter();
    while let Some(part) = parts.next() {
        let mut epoch = recency.epoch();
        let mut old = age_to_leave(recency, part);
        let mut round = Round::default();
        while round.ends < ENDS {
            let excess = recency.bytes().saturating_sub(enough);
            if excess == 0 {
                removed.add(round.removed);
                return Ok(removed);
            }
            let chunk = LeavingRows { expiry: engine.expiry(table), old, excess };
            chunk.evict(engine, table, recency, hand, &mut round)?;
            recency.tell_room();
            if recency.epoch() != epoch {
                epoch = recency.epoch();
                old = age_to_leave(recency, part);
            }
        }
        removed.add(round.removed);
        // Others may write as fast as rows leave: that is no reason to be less choosy.
        if round.removed.evicted * FEW_PART > round.looked {
            parts = PARTS.into_iter();
        }
    }
    Ok(removed)
}

/// What the hand has done since a choice was made.
#[derive(Debug, Default)]
struct Round {
    looked: usize,
    /// How often it came to the end of the table.
    ends: usize,
    removed: RemovedRows,
}

/// The age from which rows leave when the oldest `1 / part` are to.
fn age_to_leave(recency: &Recency, part: usize) -> u16 {
    if part == 1 { 0 } else { recency.age_of_oldest(part) }
}

/// Which rows leave.
struct LeavingRows {
    expiry: Option<Expiry>,
    /// Those not used for so many epochs,
    old: u16,
    /// until they have so many bytes.
    excess: u64,
}

/// A row that may leave.
struct Candidate {
    age: u16,
    bytes: u64,
    key: Vec<u8>,
}

impl LeavingRows {
    /// Looks at some rows from the hand on, removes those that are to leave, and moves the hand.
    fn evict(
        &self,
        engine: &Arc<Engine>,
        table: &Arc<Table>,
        recency: &Recency,
        hand: &mut Vec<u8>,
        round: &mut Round,
    ) -> Result<()> {
        let is_over = |row: &values::row::RowRef<'_>| match self.expiry {
            Some(expiry) => expiry.is_over(row),
            None => Ok(false),
        };
        let mut range = table.index_range(0);
        let first = range.start.clone();
        // The hand may still point into an earlier key range of the table.
        if *hand > range.start && *hand < range.end {
            range.start.clone_from(hand);
        }
        let (mut looked, mut bytes, mut found) = (0, 0, Vec::new());
        let mut cursor = engine.latest().scan(&range, Direction::Forward, Reach::Disk)?;
        let mut ended = true;
        while cursor.advance()? {
            let (key, value) = (cursor.key(), cursor.value());
            let over = is_over(&row_at(table, key, value)?)?;
            let age = if over { UNKNOWN } else { recency.age(key) };
            if age >= self.old {
                let size = (key.len() + value.len()) as u64;
                bytes += size;
                found.push(Candidate { age, bytes: size, key: key.to_vec() });
            }
            looked += 1;
            if looked == CHUNK_ROWS || bytes >= self.excess.saturating_mul(CHOICE) {
                hand.clear();
                hand.extend_from_slice(key);
                hand.push(0);
                ended = false;
                break;
            }
        }
        drop(cursor);
        if ended {
            *hand = first;
        }
        let leaving = self.choose(found);
        let mut expired = 0;
        let mut may_go = |key: &[u8], row: &values::row::RowRef<'_>| {
            let over = is_over(row)?;
            expired += usize::from(over);
            Ok(over || recency.age(key) >= self.old)
        };
        let gone = remove(engine, table, &leaving, &mut may_go)?;
        let left = RemovedRows { expired: expired.min(gone), evicted: gone - expired.min(gone) };
        recency.add_evictions(left.evicted as u64);
        round.removed.add(left);
        round.looked += looked;
        round.ends += usize::from(ended);
        Ok(())
    }

    /// The oldest that have the bytes of the excess.
    fn choose(&self, mut found: Vec<Candidate>) -> Vec<Vec<u8>> {
        found.sort_by_key(|candidate| std::cmp::Reverse(candidate.age));
        let mut bytes = 0;
        let mut leaving = Vec::new();
        for candidate in found {
            if bytes >= self.excess {
                break;
            }
            bytes += candidate.bytes;
            leaving.push(candidate.key);
        }
        // In the order of keys again: neighbours are removed together.
        leaving.sort_unstable();
        leaving
    }
}
