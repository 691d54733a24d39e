//! Covering indexes: which columns can be read from an index's entries alone, and how.
//!
//! A case-insensitive text is not in a key, only what it is compared by. Where any text that
//! compares as equal will do (what is grouped by, say), the row is read when the key's bytes change
//! from one entry to the next, and its text stands for all entries with the same bytes, as long as
//! it is that of a row that counts.
//!
//! Entries come in order, so that one begins as the one before did: parts that are the same are not
//! read again.
//!
//! Invariants
//! 1. A wanted column's value is exactly what the row holds; an alike one's compares as equal.
//! 2. Rows that expire are not covered: an entry does not say when. Their entries may be asked all
//!    the same before a row is read (`entry_columns`).
//!
//! Not here: reading entries (`find`), choosing an index (crate `sql`).

use values::datum::Value;
use values::key;

use values::row::RowRef;

use super::keys::{PREFIX_BYTES, PartCodec};
use super::version::Table;
use crate::error::{Error, Result};

/// What is made of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Nothing.
    Skip,
    /// Its value is read.
    Read,
    /// The row is asked when its bytes change.
    Alike,
}

/// How columns are read from the entries of an index.
#[derive(Clone, Debug)]
pub struct Covering {
    index: usize,
    /// Of the index's leading parts, as many as have to be looked at.
    parts: Vec<Use>,
    /// Of the primary key's.
    primary: Vec<Use>,
}

/// A row as far as entries have told it, while they are gone through in order.
#[derive(Debug)]
pub struct CoveredRow {
    /// A place for every column of the table.
    values: Vec<Value>,
    /// The parts of the entry before, and where each ends.
    before: Vec<u8>,
    ends: Vec<usize>,
    /// The bytes of its alike parts when a row was asked for them.
    alike: Vec<u8>,
    /// Whether `values` are those of an entry.
    begun: bool,
    /// Whether they are those of the entry before as well.
    repeated: bool,
    /// How many leading parts are the same in all entries since somebody was told.
    same: usize,
    /// Room for the key and the bytes of a row that is asked.
    pub(crate) asked: (Vec<u8>, Vec<u8>),
}

impl CoveredRow {
    /// Of a table; without an entry so far.
    pub fn new(table: &Table) -> CoveredRow {
        CoveredRow {
            values: vec![Value::Null; table.columns.len()],
            before: Vec::new(),
            ends: Vec::new(),
            alike: Vec::new(),
            begun: false,
            repeated: false,
            same: 0,
            asked: Default::default(),
        }
    }

    /// The columns; those not covered are NULL.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Whether all of it is as the entry before has told it.
    pub(crate) fn is_repeated(&self) -> bool {
        self.repeated
    }

    /// How many leading parts the entry at hand has in common with the one that was told before it,
    /// which it is itself from now on.
    pub(crate) fn tell_same(&mut self) -> usize {
        std::mem::replace(&mut self.same, usize::MAX)
    }

    /// The entry at hand stands for no other.
    pub(crate) fn forget(&mut self) {
        self.begun = false;
    }

    /// How many parts of an entry are those of the entry before. No part is the beginning of
    /// another one, so that the same bytes are the same parts.
    fn same_parts(&self, entry: &[u8]) -> usize {
        let common = common_bytes(&self.before, entry);
        self.ends.iter().take_while(|end| **end <= common).count()
    }

    /// The bytes of a part of the entry at hand.
    fn part(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.before[start..self.ends[at]]
    }
}

impl Table {
    /// How these columns are read from the entries of an index: `wanted` as they are, `alike` up to
    /// what compares as equal. `None` if entries do not hold them all. Of the primary index it is
    /// the keys alone that are read.
    pub fn covering(&self, index: usize, wanted: &[usize], alike: &[usize]) -> Option<Covering> {
        match self.expiry_column().is_some() || self.recency().is_some() {
            true => None,
            false => self.told_by(index, wanted, alike),
        }
    }

    /// How these columns are read, as they are, from the entries of a secondary index whose rows
    /// are read next; `None` if entries do not hold them all.
    pub fn entry_columns(&self, index: usize, wanted: &[usize]) -> Option<Covering> {
        if index == 0 { None } else { self.told_by(index, wanted, &[]) }
    }

    fn told_by(&self, index: usize, wanted: &[usize], alike: &[usize]) -> Option<Covering> {
        let (own, primary) = (&self.codecs[index].parts[..], self.primary_parts());
        let parts = vec![Use::Skip; own.len()];
        let mut covering = Covering { index, parts, primary: Vec::new() };
        let reversible = |part: &PartCodec| key::is_reversible(&part.ty, part.prefix);
        let exact = |parts: &[PartCodec], column: usize| {
            parts.iter().position(|part| part.column == column && reversible(part))
        };
        for column in wanted.iter().chain(alike) {
            if let Some(at) = exact(own, *column) {
                covering.parts[at] = Use::Read;
            } else if let Some(at) = exact(primary, *column) {
                covering.primary.resize(primary.len(), Use::Skip);
                covering.primary[at] = Use::Read;
            } else {
                let whole = |part: &PartCodec| part.column == *column && part.prefix.is_none();
                let at = own.iter().position(whole)?;
                if index == 0 || wanted.contains(column) {
                    return None;
                }
                covering.parts[at] = Use::Alike;
            }
        }
        if covering.primary.is_empty() {
            // The primary key is behind all of the index's own parts.
            let used = covering.parts.iter().rposition(|part| *part != Use::Skip);
            covering.parts.truncate(used.map_or(0, |last| last + 1));
        }
        Some(covering)
    }
}

impl Table {
    /// Bytes of an entry before what stands behind so many of its parts.
    pub(crate) fn head_bytes(&self, index: usize, parts: usize, entry: &[u8]) -> Option<usize> {
        let parts = self.codecs.get(index)?.parts.get(..parts)?;
        let behind = skip_parts(parts, entry.get(PREFIX_BYTES..)?).ok()?;
        Some(entry.len() - behind.len())
    }
}

impl Covering {
    /// Nothing is read of the entries of an index but that they are there.
    pub fn of_nothing(index: usize) -> Covering {
        Covering { index, parts: Vec::new(), primary: Vec::new() }
    }

    /// Reads what is covered of an entry; whether the row has to be asked for the rest.
    ///
    /// # Errors
    /// `Corrupt`.
    pub(crate) fn read(
        &self,
        table: &Table,
        entry: &[u8],
        value: &[u8],
        row: &mut CoveredRow,
    ) -> Result<bool> {
        let codec = &table.codecs[self.index];
        let damaged = || Error::Corrupt { key: entry.to_vec(), why: "index entry" };
        let rest = entry.get(PREFIX_BYTES..).ok_or_else(damaged)?;
        let same = row.same_parts(rest);
        row.same = row.same.min(same);
        let behind = self.read_changed(&codec.parts, rest, same, row)?;
        if !self.primary.is_empty() {
            // A unique entry without NULLs ends with its own parts; its value is the primary key.
            let primary = if codec.unique && behind.is_empty() { value } else { behind };
            read_parts(&self.primary, table.primary_parts(), primary, row)?;
        }
        row.repeated = row.begun && same == self.parts.len() && self.primary.is_empty();
        let asks = match row.begun {
            true => self.is_other(same, row),
            false => self.alike_parts(0).next().is_some(),
        };
        row.begun |= !asks;
        Ok(asks)
    }

    /// The alike parts from one on.
    fn alike_parts(&self, from: usize) -> impl Iterator<Item = usize> {
        let parts = self.parts.iter().enumerate().skip(from);
        parts.filter(|(_, what)| **what == Use::Alike).map(|(at, _)| at)
    }

    /// Whether alike parts, of which the first so many parts have none that is new, are others than
    /// those that a row was asked for.
    fn is_other(&self, same: usize, row: &CoveredRow) -> bool {
        if self.alike_parts(same).next().is_none() {
            return false;
        }
        let mut asked = Some(&row.alike[..]);
        for at in self.alike_parts(0) {
            asked = asked.and_then(|rest| rest.strip_prefix(row.part(at)));
        }
        asked.is_none_or(|rest| !rest.is_empty())
    }

    /// Whether an entry tells the same as the one before, for which the row stands.
    pub(crate) fn repeats(&self, entry: &[u8], row: &CoveredRow) -> bool {
        let Some(rest) = entry.get(PREFIX_BYTES..).filter(|_| row.begun) else { return false };
        self.primary.is_empty() && rest.starts_with(&row.before)
    }

    /// Reads the parts behind the first so many, which are those of the entry before; what stands
    /// behind all of them.
    fn read_changed<'b>(
        &self,
        parts: &[PartCodec],
        bytes: &'b [u8],
        same: usize,
        row: &mut CoveredRow,
    ) -> Result<&'b [u8]> {
        row.ends.truncate(same);
        let start = row.ends.last().copied().unwrap_or(0);
        let mut at = start;
        for (what, part) in self.parts.iter().zip(parts).skip(same) {
            at += read_part(*what, part, &bytes[at..], row)?;
            row.ends.push(at);
        }
        row.before.truncate(start);
        row.before.extend_from_slice(&bytes[start..at]);
        Ok(&bytes[at..])
    }

    /// Takes the rest from the entry's row.
    ///
    /// # Errors
    /// `Corrupt`.
    pub(crate) fn ask(&self, table: &Table, from: &RowRef<'_>, row: &mut CoveredRow) -> Result<()> {
        for (part, what) in table.codecs[self.index].parts.iter().zip(&self.parts) {
            if *what == Use::Alike {
                row.values[part.column] = from.column(part.column)?.to_value();
            }
        }
        let mut alike = std::mem::take(&mut row.alike);
        alike.clear();
        self.alike_parts(0).for_each(|at| alike.extend_from_slice(row.part(at)));
        row.alike = alike;
        row.begun = true;
        Ok(())
    }

    /// Whether nothing is read of an entry: that it is there is all.
    pub fn only_counts(&self) -> bool {
        self.parts.is_empty() && self.primary.is_empty()
    }

    /// The columns that the index's parts tell, as far as they are looked at; `None` where the
    /// primary key behind them is.
    pub fn columns(&self, table: &Table) -> Option<Vec<Option<usize>>> {
        let parts = self.parts.iter().zip(&table.codecs[self.index].parts);
        let columns = parts.map(|(what, part)| (*what != Use::Skip).then_some(part.column));
        self.primary.is_empty().then(|| columns.collect())
    }

    /// How many of the index's leading parts tell these columns; `None` where one is told by the
    /// primary key behind them.
    pub fn parts_of(&self, table: &Table, columns: &[usize]) -> Option<usize> {
        let parts = &table.codecs[self.index].parts;
        let is_told = |at: usize, column| self.parts[at] != Use::Skip && parts[at].column == column;
        let last = |column: &usize| (0..self.parts.len()).find(|at| is_told(*at, *column));
        columns.iter().try_fold(0, |most, column| Some(most.max(last(column)? + 1)))
    }

    /// Which index.
    pub fn index(&self) -> usize {
        self.index
    }
}

/// What stands behind some parts.
fn skip_parts<'b>(parts: &[PartCodec], mut bytes: &'b [u8]) -> Result<&'b [u8]> {
    for part in parts {
        let length = part.skip(bytes)?;
        bytes = &bytes[length..];
    }
    Ok(bytes)
}

/// Reads consecutive parts; what stands behind them.
fn read_parts<'b>(
    uses: &[Use],
    parts: &[PartCodec],
    mut bytes: &'b [u8],
    row: &mut CoveredRow,
) -> Result<&'b [u8]> {
    for (what, part) in uses.iter().zip(parts) {
        let length = read_part(*what, part, bytes, row)?;
        bytes = &bytes[length..];
    }
    Ok(bytes)
}

/// Reads a part; its length.
fn read_part(what: Use, part: &PartCodec, bytes: &[u8], row: &mut CoveredRow) -> Result<usize> {
    Ok(match what {
        Use::Read => {
            let (value, length) = part.decode(bytes)?;
            row.values[part.column] = value;
            length
        }
        Use::Skip | Use::Alike => part.skip(bytes)?,
    })
}

/// How many bytes two keys have in common at their beginning.
fn common_bytes(one: &[u8], other: &[u8]) -> usize {
    const AT_ONCE: usize = 8;
    let chunks = one.chunks_exact(AT_ONCE).zip(other.chunks_exact(AT_ONCE));
    let same = chunks.take_while(|(a, b)| a == b).count() * AT_ONCE;
    same + one[same..].iter().zip(&other[same..]).take_while(|(a, b)| a == b).count()
}
