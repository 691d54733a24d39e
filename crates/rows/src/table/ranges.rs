//! Ranges of keys: of a table, of an index, and those between which rows of a search lie.
//!
//! Invariants
//! 1. A range may hold rows that do not belong where an index keeps only a part of a value; it
//!    never lacks one that does.
//!
//! Not here: reading them (`find`).

use std::ops::Bound;

use values::datum::Datum;

use super::keys::{encode_part, key_prefix};
use super::version::Table;
use crate::error::Result;
use crate::schema::{IndexId, TableId};
use crate::store::{Direction, KeyRange};

/// Comparison of a find with the leading parts of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindOp {
    /// `=`
    Equal,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `<`, descending
    Less,
    /// `<=`, descending
    LessEqual,
}

impl Table {
    /// All keys of the table: rows and index entries.
    pub fn full_range(&self) -> KeyRange {
        prefixed(self.definition.id.to_be_bytes().to_vec())
    }

    /// All keys of an index; of the rows for index 0.
    pub fn index_range(&self, index: usize) -> KeyRange {
        prefixed(self.codec_at(index).prefix.to_vec())
    }

    /// The rows whose leading key parts (`key_parts`) equal `values`. A full key of a unique index
    /// gives a range of one key, which `find` answers by a single look-up.
    ///
    /// # Errors
    /// Those of encoding a key, as `row_key`.
    pub fn prefix_range(&self, index: usize, values: &[Datum<'_>]) -> Result<KeyRange> {
        let codec = &self.codecs[index];
        // A NULL in a NOT NULL column equals nothing; no key can be made of it.
        if self.key_parts(index).zip(values).any(|(p, v)| v.is_null() && !p.nullable) {
            return Ok(empty_range(&codec.prefix));
        }
        let start = self.encode_leading(index, values)?;
        let one = codec.unique
            && values.len() == codec.parts.len() + usize::from(index == 0 && self.has_hidden_key())
            && !values.iter().any(Datum::is_null);
        let end = if one {
            let mut end = Vec::with_capacity(start.len() + 1);
            end.extend_from_slice(&start);
            end.push(0);
            end
        } else {
            successor(&start)
        };
        Ok(KeyRange { start, end })
    }

    /// The range and direction of a HandlerSocket-style find on the leading key parts: `=`, `>=`
    /// and `>` go forward, `<=` and `<` backward. What is greater is what comes later in the index,
    /// as for InnoDB.
    ///
    /// # Errors
    /// As `prefix_range`.
    pub fn op_range(
        &self,
        index: usize,
        op: FindOp,
        values: &[Datum<'_>],
    ) -> Result<(KeyRange, Direction)> {
        if op == FindOp::Equal {
            return Ok((self.prefix_range(index, values)?, Direction::Forward));
        }
        let whole = self.index_range(index);
        let key = self.encode_leading(index, values)?;
        let after = successor(&key);
        Ok(match op {
            FindOp::Equal => unreachable!("answered above"),
            FindOp::Greater => (KeyRange { start: after, end: whole.end }, Direction::Forward),
            FindOp::GreaterEqual => (KeyRange { start: key, end: whole.end }, Direction::Forward),
            FindOp::Less => (KeyRange { start: whole.start, end: key }, Direction::Backward),
            FindOp::LessEqual => (KeyRange { start: whole.start, end: after }, Direction::Backward),
        })
    }

    /// The rows whose leading parts equal `equal` and whose next part lies between two bounds.
    /// With a bound on either side, rows with NULL in that part do not belong.
    ///
    /// # Errors
    /// As `prefix_range`.
    pub fn between_range(
        &self,
        index: usize,
        equal: &[Datum<'_>],
        lower: Bound<Datum<'_>>,
        upper: Bound<Datum<'_>>,
    ) -> Result<KeyRange> {
        let part =
            self.key_parts(index).nth(equal.len()).expect("a part behind those that are equal");
        let base = self.encode_leading(index, equal)?;
        let with = |value: Datum<'_>| -> Result<Vec<u8>> {
            let mut key = base.clone();
            encode_part(part, value, &mut key)?;
            Ok(key)
        };
        let bounded = !matches!((&lower, &upper), (Bound::Unbounded, Bound::Unbounded));
        // Bounds of a part are the same ones from the other side where it descends; NULL, which is
        // less than all values, is behind them there.
        let (lower, upper) = if part.descending { (upper, lower) } else { (lower, upper) };
        let leaves_null = bounded && part.nullable;
        let start = match lower {
            Bound::Included(value) => with(value)?,
            // Prefix parts cut values off, so rows above the bound may share its key.
            Bound::Excluded(value) if part.prefix.is_some() => with(value)?,
            Bound::Excluded(value) => successor(&with(value)?),
            Bound::Unbounded if leaves_null && !part.descending => successor(&with(Datum::Null)?),
            Bound::Unbounded => base.clone(),
        };
        let end = match upper {
            Bound::Included(value) => successor(&with(value)?),
            Bound::Excluded(value) if part.prefix.is_some() => successor(&with(value)?),
            Bound::Excluded(value) => with(value)?,
            Bound::Unbounded if leaves_null && part.descending => with(Datum::Null)?,
            Bound::Unbounded => successor(&base),
        };
        Ok(KeyRange { start, end })
    }
}

fn empty_range(prefix: &[u8]) -> KeyRange {
    KeyRange { start: prefix.to_vec(), end: prefix.to_vec() }
}

/// All keys of some table ids, in their order; ids that follow each other are one range.
pub(crate) fn table_ranges(mut ids: Vec<TableId>) -> Vec<KeyRange> {
    ids.sort_unstable();
    let first = |id: &TableId| id.to_be_bytes().to_vec();
    let after = |id: &TableId| id.checked_add(1).map(|next| first(&next)).unwrap_or_default();
    let runs = ids.chunk_by(|id, next| id.checked_add(1) == Some(*next));
    let range =
        |run: &[TableId]| Some(KeyRange { start: first(run.first()?), end: after(run.last()?) });
    runs.filter_map(range).collect()
}

/// All keys under an index's number, be there such an index or not.
pub(crate) fn index_range(table: TableId, index: IndexId) -> KeyRange {
    prefixed(key_prefix(table, index).to_vec())
}

pub(super) fn prefixed(start: Vec<u8>) -> KeyRange {
    let end = successor(&start);
    KeyRange { start, end }
}

/// The first key that does not start with `prefix`; empty when there is none.
pub fn successor(prefix: &[u8]) -> Vec<u8> {
    let mut next = prefix.to_vec();
    while let Some(last) = next.last_mut() {
        if *last < u8::MAX {
            *last += 1;
            return next;
        }
        next.pop();
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_successor_of_a_prefix_carries() {
        assert_eq!(successor(&[1, 2]), [1, 3]);
        assert_eq!(successor(&[1, 0xFF, 0xFF]), [2]);
        assert!(successor(&[0xFF]).is_empty());
    }
}
