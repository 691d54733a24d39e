//! Rows by their entries in member indexes: those of a range in order, or those that several parts
//! have in common.
//!
//! Entries of one part lie in the order of their rows' keys. So the rows that have several parts
//! are found by going through the entries of all of them side by side, each leaping to where the
//! others are; and the rows that have one of several by merging them.
//!
//! Invariants
//! 1. The view is one state, a snapshot or one below a transaction's writes: an entry in it has its
//!    row, as it says, and a row that moves meanwhile is found once.
//! 2. Rows of a lookup come in the order of their keys, each once.
//!
//! Not here: which parts are looked for (crate `doors`), what entries are (`table::members`).

use std::cmp::Reverse;

use resources::budget::Share;

use crate::bulk::go_on;
use crate::engine::Engine;
use crate::error::Result;
use crate::find::{Flow, FoundRow, Visit};
use crate::store::{Cursor, Direction, KeyRange, Reach, Read};
use crate::table::{PREFIX_BYTES, Table};

/// Entries that are passed over one by one before a leap.
const STEPS_MAX: usize = 8;
/// Most parts of which the rows are compared: the rarest. What is found is asked once more.
const COMPARED_MAX: usize = 3;
/// What a row's key takes besides its bytes.
const KEY_BYTES: usize = 32;

/// Which rows are wanted, as far as entries know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Those with entries in this range, which all have one part.
    One(KeyRange),
    /// Those with entries in this range, where a row may have several.
    Many(KeyRange),
    /// Those that each of these names.
    All(Vec<Lookup>),
    /// Those that one of these names.
    Any(Vec<Lookup>),
}

impl Engine {
    /// Visits the rows of the entries in a range of a member index, in their order, each with what
    /// precedes the primary key in its entry.
    ///
    /// # Errors
    /// As `find`.
    pub fn find_members(
        &self,
        view: &dyn Read,
        table: &Table,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
        visit: &mut dyn FnMut(&[u8], FoundRow<'_>) -> Result<Flow>,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let mut cursor = view.scan(range, direction, reach)?;
        let (mut row_key, mut flow, mut count) = (Vec::new(), Flow::Continue, 0);
        while flow == Flow::Continue && cursor.advance()? {
            count += 1;
            go_on(count)?;
            let (entry, value) = cursor.entry();
            let end = table.member_target(entry, value, &mut row_key)?;
            self.get(view, table, &row_key, reach, &mut |found| {
                flow = visit(&entry[..end], found)?;
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Visits the rows of a lookup. `share` has what is remembered of them.
    ///
    /// # Errors
    /// As `find`; `NoMemory`.
    pub fn find_lookup(
        &self,
        view: &dyn Read,
        table: &Table,
        lookup: &Lookup,
        reach: Reach,
        share: &mut Share,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        let mut row_key = table.index_range(0).start;
        self.each_key(view, table, lookup, reach, share, &mut |key| {
            row_key.truncate(PREFIX_BYTES);
            row_key.extend_from_slice(key);
            let mut flow = Flow::Continue;
            self.get(view, table, &row_key, reach, &mut |found| {
                flow = visit(found)?;
                Ok(())
            })?;
            Ok(flow)
        })
    }

    /// How many rows entries name, which are not looked at.
    ///
    /// # Errors
    /// As `find_lookup`.
    pub fn count_lookup(
        &self,
        view: &dyn Read,
        table: &Table,
        lookup: &Lookup,
        reach: Reach,
        share: &mut Share,
    ) -> Result<u64> {
        let mut count = 0;
        self.each_key(view, table, lookup, reach, share, &mut |_| {
            count += 1;
            Ok(Flow::Continue)
        })?;
        Ok(count)
    }

    /// How many entries there are in a range.
    ///
    /// # Errors
    /// As `find`.
    pub fn count_entries(&self, view: &dyn Read, range: &KeyRange, reach: Reach) -> Result<u64> {
        if range.is_empty() {
            return Ok(0);
        }
        let (mut cursor, mut count) = (view.scan(range, Direction::Forward, reach)?, 0);
        while cursor.advance()? {
            count += 1;
            go_on(count)?;
        }
        Ok(count)
    }

    fn each_key(
        &self,
        view: &dyn Read,
        table: &Table,
        lookup: &Lookup,
        reach: Reach,
        share: &mut Share,
        visit: &mut dyn FnMut(&[u8]) -> Result<Flow>,
    ) -> Result<()> {
        let mut keys = self.keys(view, table, lookup, reach, share)?;
        let (mut at, mut count) = (Vec::new(), 0);
        while keys.seek(&at)? {
            count += 1;
            go_on(count)?;
            if visit(keys.key())? == Flow::Stop {
                break;
            }
            at.clear();
            at.extend_from_slice(keys.key());
            at.push(0);
        }
        Ok(())
    }

    /// About how many entries the rarest part of a lookup has, in indexes of about so many.
    ///
    /// # Errors
    /// `Store`.
    pub fn lookup_about(&self, view: &dyn Read, lookup: &Lookup, all: u64) -> Result<u64> {
        let each = |of: &[Lookup]| {
            of.iter().map(|one| self.lookup_about(view, one, all)).collect::<Result<Vec<u64>>>()
        };
        match lookup {
            Lookup::One(range) | Lookup::Many(range) => self.entries_about(view, range, all),
            Lookup::All(all) => Ok(each(all)?.into_iter().min().unwrap_or(u64::MAX)),
            Lookup::Any(any) => Ok(each(any)?.into_iter().sum()),
        }
    }

    fn keys<'v>(
        &self,
        view: &'v dyn Read,
        table: &Table,
        lookup: &Lookup,
        reach: Reach,
        share: &mut Share,
    ) -> Result<Box<dyn KeyStream + 'v>> {
        Ok(match lookup {
            Lookup::One(range) => {
                let (range, part_bytes) = (range.clone(), range.start.len());
                Box::new(OnePart { view, range, part_bytes, reach, cursor: None, ended: false })
            }
            Lookup::Many(range) => Box::new(sorted(view, table, range, reach, share)?),
            Lookup::All(all) => {
                let mut rarest = Vec::with_capacity(all.len());
                for lookup in all {
                    // Of few, all are compared, and it does not matter which of them leads.
                    let few = all.len() <= COMPARED_MAX;
                    let entries = match few {
                        true => 0,
                        false => self.lookup_about(view, lookup, u64::MAX)?,
                    };
                    rarest.push((entries, lookup));
                }
                // Several parts of one range, which have to be sorted, only if there are no others.
                rarest.sort_by_key(|(entries, of)| (matches!(of, Lookup::Many(_)), *entries));
                let of = rarest.into_iter().take(COMPARED_MAX);
                let keys = of.map(|(_, lookup)| self.keys(view, table, lookup, reach, share));
                Box::new(InAll { of: keys.collect::<Result<_>>()? })
            }
            Lookup::Any(any) => {
                let keys = any.iter().map(|lookup| self.keys(view, table, lookup, reach, share));
                Box::new(InAny { of: keys.collect::<Result<_>>()?, begun: false })
            }
        })
    }
}

/// Primary keys in order.
trait KeyStream {
    /// Moves to the first one from `at` on, which is never before an earlier one; `false` at the
    /// end.
    fn seek(&mut self, at: &[u8]) -> Result<bool>;
    /// The one that was moved to.
    fn key(&self) -> &[u8];
}

/// Those of entries of one part.
struct OnePart<'v> {
    view: &'v dyn Read,
    range: KeyRange,
    /// Of the entries' keys before the primary key.
    part_bytes: usize,
    reach: Reach,
    cursor: Option<Box<dyn Cursor + 'v>>,
    ended: bool,
}

impl KeyStream for OnePart<'_> {
    fn seek(&mut self, at: &[u8]) -> Result<bool> {
        if let Some(cursor) = &mut self.cursor {
            for _ in 0..STEPS_MAX {
                if &cursor.key()[self.part_bytes..] >= at {
                    return Ok(true);
                }
                if !cursor.advance()? {
                    self.ended = true;
                    break;
                }
            }
        }
        if !self.ended {
            self.range.start.truncate(self.part_bytes);
            self.range.start.extend_from_slice(at);
            let mut cursor = self.view.scan(&self.range, Direction::Forward, self.reach)?;
            self.ended = !cursor.advance()?;
            self.cursor = Some(cursor);
        }
        if self.ended {
            self.cursor = None;
        }
        Ok(!self.ended)
    }

    fn key(&self) -> &[u8] {
        self.cursor.as_ref().map_or(&[], |cursor| &cursor.key()[self.part_bytes..])
    }
}

/// Those of entries of several parts, once each.
struct SortedKeys {
    keys: Vec<Vec<u8>>,
    at: usize,
}

fn sorted(
    view: &dyn Read,
    table: &Table,
    range: &KeyRange,
    reach: Reach,
    share: &mut Share,
) -> Result<SortedKeys> {
    let (mut keys, mut row_key) = (Vec::new(), Vec::new());
    let (before, mut bytes, mut count) = (share.bytes(), 0, 0);
    let mut cursor = view.scan(range, Direction::Forward, reach)?;
    while cursor.advance()? {
        count += 1;
        go_on(count)?;
        let (entry, value) = cursor.entry();
        table.member_target(entry, value, &mut row_key)?;
        bytes += row_key.len() + KEY_BYTES;
        share.keep_up_with(before + bytes)?;
        keys.push(row_key[PREFIX_BYTES..].to_vec());
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(SortedKeys { keys, at: 0 })
}

impl KeyStream for SortedKeys {
    fn seek(&mut self, at: &[u8]) -> Result<bool> {
        self.at += self.keys[self.at..].partition_point(|key| &key[..] < at);
        Ok(self.at < self.keys.len())
    }

    fn key(&self) -> &[u8] {
        self.keys.get(self.at).map_or(&[], Vec::as_slice)
    }
}

/// Those that are in all.
struct InAll<'v> {
    of: Vec<Box<dyn KeyStream + 'v>>,
}

impl KeyStream for InAll<'_> {
    fn seek(&mut self, at: &[u8]) -> Result<bool> {
        let Some((first, others)) = self.of.split_first_mut() else { return Ok(false) };
        let mut at = at.to_vec();
        let mut count = 0;
        loop {
            count += 1;
            go_on(count)?;
            if !first.seek(&at)? {
                return Ok(false);
            }
            at.clear();
            at.extend_from_slice(first.key());
            let mut agree = true;
            for other in &mut *others {
                if !other.seek(&at)? {
                    return Ok(false);
                }
                if other.key() != &at[..] {
                    at.clear();
                    at.extend_from_slice(other.key());
                    agree = false;
                    break;
                }
            }
            if agree {
                return Ok(true);
            }
        }
    }

    fn key(&self) -> &[u8] {
        self.of.first().map_or(&[], |keys| keys.key())
    }
}

/// Those that are in any, the one with the smallest key last.
struct InAny<'v> {
    of: Vec<Box<dyn KeyStream + 'v>>,
    /// Whether they were moved once.
    begun: bool,
}

impl KeyStream for InAny<'_> {
    fn seek(&mut self, at: &[u8]) -> Result<bool> {
        let begun = std::mem::replace(&mut self.begun, true);
        let mut position = 0;
        while let Some(keys) = self.of.get_mut(position) {
            if (begun && keys.key() >= at) || keys.seek(at)? {
                position += 1;
            } else {
                self.of.swap_remove(position);
            }
        }
        self.of.sort_by(|one, other| Reverse(one.key()).cmp(&Reverse(other.key())));
        Ok(!self.of.is_empty())
    }

    fn key(&self) -> &[u8] {
        self.of.last().map_or(&[], |keys| keys.key())
    }
}
