//! Entries of multi-valued indexes: one for each element of a row's array.
//!
//! ```text
//! table id u32 | index id u16 | partition, if the table has some | parts | primary key parts
//!                                          value: u16, where the primary key begins
//! ```
//! Numbers are little-endian. The part of the array is the key of an element. Of a unique index
//! an entry without NULLs has the primary key parts as its value, as those of other indexes
//! (`entries`).
//!
//! Such an index has a position behind all indexes of the table, as every other that has several
//! entries for a row (`members`).
//!
//! Invariants
//! 1. An array that is NULL or empty has no entry; equal elements have one.
//!
//! Not here: arrays as values (`expression`, `typed_array`), writing entries (`transaction`).

use expression::element_keys;
use values::datum::Datum;
use values::row::RowRef;

use super::entries::IndexEntry;
use super::keys::{IndexCodec, KEY_BYTES_MAX, PREFIX_BYTES, encode_part};
use super::ranges::{prefixed, successor};
use super::version::Table;
use crate::error::{Error, Result};
use crate::schema::{Index, IndexId, MultiValuedIndex, TableDefinition};
use crate::store::KeyRange;

/// A multi-valued index with what its keys need.
#[derive(Clone, Debug)]
pub struct MultiValuedCodec {
    /// Its parts; that of the array has the type of its elements, and no NULLs.
    pub codec: IndexCodec,
    /// Which of these parts is the array.
    pub array: usize,
}

impl MultiValuedCodec {
    /// Of an index of a table, whose definition has been checked.
    pub(super) fn new(definition: &TableDefinition, of: &MultiValuedIndex) -> MultiValuedCodec {
        let mut codec = IndexCodec::new(definition, &of.index);
        let array = of.array + usize::from(definition.partition_column().is_some());
        if let Some(part) = codec.parts.get_mut(array) {
            (part.ty, part.nullable) = (of.element.clone(), false);
        }
        MultiValuedCodec { codec, array }
    }

    /// All entries.
    pub(super) fn all(&self) -> KeyRange {
        prefixed(self.codec.prefix.to_vec())
    }

    /// Whether a change of one of these columns may change entries.
    pub(super) fn has_one_of(&self, changed: &[usize]) -> bool {
        self.codec.parts.iter().any(|part| changed.contains(&part.column))
    }

    /// The entries of a row with such parts of a primary key, in the order of their keys.
    ///
    /// # Errors
    /// `TooLarge`.
    pub(crate) fn entries(&self, row: &[Datum<'_>], primary: &[u8]) -> Result<Vec<IndexEntry>> {
        let parts = &self.codec.parts;
        let Datum::Bytes(array) = row[parts[self.array].column] else { return Ok(Vec::new()) };
        let (mut head, mut tail) = (self.codec.prefix.to_vec(), Vec::new());
        let mut has_null = false;
        for (number, part) in parts.iter().enumerate() {
            if number == self.array {
                continue;
            }
            let out = if number < self.array { &mut head } else { &mut tail };
            has_null |= row[part.column].is_null();
            encode_part(part, row[part.column], out)?;
        }
        let unique = self.codec.unique && !has_null;
        let mut entries = Vec::new();
        for element in element_keys(array) {
            let bytes = head.len() + element.len() + tail.len();
            if bytes > KEY_BYTES_MAX {
                return Err(Error::TooLarge { what: "key", bytes, bytes_max: KEY_BYTES_MAX });
            }
            let mut key = Vec::with_capacity(bytes + primary.len());
            key.extend_from_slice(&head);
            key.extend_from_slice(element);
            key.extend_from_slice(&tail);
            let value = match unique {
                true => primary.to_vec(),
                false => (key.len() as u16).to_le_bytes().to_vec(),
            };
            if !unique {
                key.extend_from_slice(primary);
            }
            entries.push(IndexEntry { key, value, unique });
        }
        Ok(entries)
    }

    /// The entries of an element whose key is this, with these values of the parts before it, and
    /// of some behind it; a NULL in a part that has none equals nothing.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn range(
        &self,
        before: &[Datum<'_>],
        element: &[u8],
        behind: &[Datum<'_>],
    ) -> Result<KeyRange> {
        let mut start = self.codec.prefix.to_vec();
        for (part, value) in self.codec.parts.iter().zip(before) {
            encode_part(part, *value, &mut start)?;
        }
        start.extend_from_slice(element);
        for (part, value) in self.codec.parts[self.array + 1..].iter().zip(behind) {
            encode_part(part, *value, &mut start)?;
        }
        Ok(KeyRange { end: successor(&start), start })
    }
}

impl Table {
    /// The position of the first multi-valued index, behind those of all others.
    pub fn first_multi_valued(&self) -> usize {
        self.codecs.len() + self.member_codecs.len() + self.full_text_codecs.len()
    }

    /// The multi-valued index at a position, if it is one of such.
    #[inline]
    pub fn multi_valued_at(&self, index: usize) -> Option<&MultiValuedCodec> {
        if index < self.codecs.len() {
            return None;
        }
        self.multi_valued_codecs.get(index.checked_sub(self.first_multi_valued())?)
    }

    /// What the keys of an index need that has parts of columns, multi-valued ones included.
    ///
    /// # Panics
    /// Where there is none at the position.
    pub(crate) fn codec_at(&self, index: usize) -> &IndexCodec {
        match self.multi_valued_at(index) {
            Some(multi_valued) => &multi_valued.codec,
            None => &self.codecs[index],
        }
    }

    /// As `codec_at`; `None` where there is none.
    pub(crate) fn codec_if_any(&self, index: usize) -> Option<&IndexCodec> {
        self.codecs.get(index).or_else(|| self.multi_valued_at(index).map(|of| &of.codec))
    }

    /// An index that has parts of columns, by its position.
    ///
    /// # Panics
    /// Where there is none at the position.
    pub fn index_at(&self, index: usize) -> &Index {
        let behind = index.checked_sub(self.first_multi_valued());
        match behind.and_then(|at| self.multi_valued.get(at)) {
            Some(of) => &of.index,
            None => &self.indexes[index],
        }
    }

    /// The position of such an index, by the number that its keys have.
    pub fn index_of_id(&self, id: IndexId) -> Option<usize> {
        let arrays = self.multi_valued.iter().position(|of| of.index.id == id);
        let rows = self.indexes.iter().position(|index| index.id == id);
        rows.or(arrays.map(|at| self.first_multi_valued() + at))
    }

    /// The entries of a row in the multi-valued index at a position.
    ///
    /// # Errors
    /// `TooLarge`, `Corrupt`.
    pub fn entries_at(
        &self,
        index: usize,
        row: &RowRef<'_>,
        row_key: &[u8],
    ) -> Result<Vec<IndexEntry>> {
        let Some(codec) = self.multi_valued_at(index) else { return Ok(Vec::new()) };
        codec.entries(&row.values()?, row_key.get(self.head_of_keys()..).unwrap_or_default())
    }
}

const _: () = assert!(PREFIX_BYTES == 6, "drawn above");
