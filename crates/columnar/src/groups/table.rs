//! The groups found so far, and what leads rows to them.
//!
//! Rows come from segments (the module above), or as arrays that know the words of their texts, as
//! those of files do.
//!
//! Not here: where rows come from, how a key's values are numbered (`key`).

use std::sync::Arc;

use rows::error::Result;
use values::datum::{Datum, Value};
use values::types::ColumnType;

use super::array::ColumnArray;
use super::key::{Key, KeyCode, KeySpan};
use super::map::Map;
use super::{CodedGroups, GroupBatch};
use crate::column::{Column, Selection, number_of};
use crate::scan::{Batch, ColumnSource};

/// Groups, numbered as they come, and how many rows each has.
pub struct GroupTable {
    keys: Vec<Key>,
    map: Map,
    counts: Vec<i64>,
    /// About how many rows there are in all.
    rows: u64,
    /// The slots of the rows at hand.
    slots: Vec<u32>,
}

/// A key column that comes as arrays.
#[derive(Clone, Debug)]
pub struct ArrayKey {
    ty: ColumnType,
    span: KeySpan,
}

impl ArrayKey {
    /// A key of a type, some of whose values are at or between each of some pairs. `None` when
    /// the values have no numbers, or too many.
    pub fn new(
        ty: &ColumnType,
        extremes: impl Iterator<Item = (Value, Value)>,
    ) -> Option<ArrayKey> {
        let number = |value: &Value| number_of(ty, value.as_datum()).ok();
        let mut all_known = true;
        let ranges = extremes.map_while(|(low, high)| {
            let range = number(&low).zip(number(&high));
            all_known &= range.is_some();
            range
        });
        // A decimal comes as 128 bits, of which no numbers are made.
        if matches!(ty, ColumnType::Decimal { .. }) {
            return None;
        }
        let span = KeySpan::of(ty, ranges)?;
        (all_known || span == KeySpan::Texts).then(|| ArrayKey { ty: ty.clone(), span })
    }

    /// How many different values there are at most; `None` of texts.
    pub fn numbers(&self) -> Option<u64> {
        match self.span {
            KeySpan::Numbers(_, count) => Some(u64::from(count)),
            KeySpan::Texts => None,
        }
    }
}

impl GroupTable {
    pub(super) fn of(keys: Vec<Key>, rows: u64) -> GroupTable {
        let (map, counts, slots) = (Map::default(), Vec::new(), Vec::new());
        GroupTable { keys, map, counts, rows, slots }
    }

    /// No groups yet, by some keys, of about so many rows.
    pub fn new(keys: &[ArrayKey], rows: u64) -> GroupTable {
        let key = |key: &ArrayKey| Key::new(&key.ty, Datum::Null, key.span);
        GroupTable::of(keys.iter().map(key).collect(), rows)
    }

    /// How many groups there are since they were last drained.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many keys it has.
    pub(super) fn keys(&self) -> usize {
        self.keys.len()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let keys: usize = self.keys.iter().map(Key::bytes).sum();
        keys + self.map.bytes() + self.counts.capacity() * size_of::<i64>()
    }

    /// The groups, and forgets them.
    ///
    /// # Errors
    /// `Corrupt` when a column was stored for another type.
    pub fn drain(&mut self) -> Result<GroupBatch> {
        let counts = self.end();
        let keys = self.keys.iter_mut().map(Key::take).collect::<Result<_>>()?;
        Ok(GroupBatch { keys: Batch { columns: keys, rows: counts.len() }, counts })
    }

    /// As `drain`, where the same values need not be made for each group.
    ///
    /// # Errors
    /// As `drain`.
    pub fn drain_coded(&mut self) -> Result<CodedGroups> {
        self.end();
        let keys = self.keys.iter_mut().map(Key::take_coded).collect::<Result<_>>()?;
        Ok(CodedGroups { keys })
    }

    /// Ends the groups: how many rows each has that has any.
    fn end(&mut self) -> Vec<i64> {
        let mut counts = std::mem::take(&mut self.counts);
        if counts.contains(&0) {
            // Of groups whose rows were all dead there are none.
            let lives: Vec<bool> = counts.iter().map(|count| *count > 0).collect();
            self.keys.iter_mut().for_each(|key| key.retain(&lives));
            counts.retain(|count| *count > 0);
        }
        self.map = Map::default();
        counts
    }

    /// Puts rows into their groups, by their keys in order, and gives the group of each if that is
    /// `wanted`. `None`, and nothing is done, when a key's values have no numbers, or there would
    /// be more groups than can be numbered: the rows stand alone.
    ///
    /// # Errors
    /// `Corrupt` for an array of another type than its key.
    pub fn add(
        &mut self,
        arrays: &[ColumnArray],
        rows: usize,
        wanted: bool,
    ) -> Result<Option<Vec<usize>>> {
        let mut sources = Vec::with_capacity(arrays.len());
        for (key, array) in self.keys.iter().zip(arrays) {
            let column = match array {
                ColumnArray::Words(codes, words) => Some(Column::of_codes(codes, words)),
                ColumnArray::Plain(array) => match key.span() {
                    KeySpan::Numbers(first, count) => Column::of_integers(array, first, count),
                    KeySpan::Texts => None,
                },
            };
            let Some(column) = column else { return Ok(None) };
            sources.push(ColumnSource::Column(sources.len(), Arc::new(column)));
        }
        let Some(coded) = self.code(sources.iter())? else { return Ok(None) };
        Ok(Some(self.place(&coded, &Selection::Range(0..rows), &[], wanted)))
    }

    /// What the keys add to the slots of a segment's rows; `None` when they have no codes, or there
    /// would be more slots than numbers.
    pub(super) fn code<'s>(
        &mut self,
        sources: impl Iterator<Item = &'s ColumnSource> + Clone,
    ) -> Result<Option<Vec<KeyCode>>> {
        for (key, source) in self.keys.iter_mut().zip(sources.clone()) {
            if !key.learn(source) {
                return Ok(None);
            }
        }
        if !self.map.fit(&self.keys, self.rows) {
            return Ok(None);
        }
        let keys = self.keys.iter().zip(self.map.strides()).zip(sources);
        let coded = keys.map(|((key, stride), source)| key.coded(source, stride));
        coded.collect::<Result<_>>().map(Some)
    }

    /// As `place`, where there are no keys.
    pub(super) fn place_all(
        &mut self,
        selection: &Selection,
        dead: &[u32],
        wanted: bool,
    ) -> Result<Vec<usize>> {
        debug_assert!(self.keys.is_empty());
        let coded = self.code(std::iter::empty())?.unwrap_or_default();
        Ok(self.place(&coded, selection, dead, wanted))
    }

    /// Puts rows into their groups, and those that are `dead` out again. The group of each where
    /// that is wanted.
    pub(super) fn place(
        &mut self,
        coded: &[KeyCode],
        selection: &Selection,
        dead: &[u32],
        wanted: bool,
    ) -> Vec<usize> {
        let constant: u32 = coded.iter().map(KeyCode::constant).sum();
        let mut groups = Vec::new();
        if coded.iter().all(KeyCode::is_constant) {
            let group = self.map.group(constant, &mut self.keys, &mut self.counts);
            self.counts[group] += (selection.len() - dead.len()) as i64;
            if wanted {
                groups = vec![group; selection.len()];
            }
            return groups;
        }
        self.slots.clear();
        self.slots.resize(selection.len(), constant);
        coded.iter().for_each(|key| key.add(selection, &mut self.slots));
        let out = wanted.then_some(&mut groups);
        self.map.count(&self.slots, &mut self.keys, &mut self.counts, out);
        if !dead.is_empty() {
            self.slots.clear();
            self.slots.resize(dead.len(), constant);
            let dead = Selection::Rows(dead.to_vec());
            coded.iter().for_each(|key| key.add(&dead, &mut self.slots));
            for slot in &self.slots {
                let group = self.map.group(*slot, &mut self.keys, &mut self.counts);
                self.counts[group] -= 1;
            }
        }
        groups
    }
}
