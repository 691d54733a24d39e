//! Index entries: what a row has in each index, and back from an entry to its row.
//!
//! Invariants
//! 1. An entry of a unique index without NULLs is found by its key parts alone.
//!
//! Not here: writing entries (`transaction`), reading through them (`find`).

use values::datum::Datum;
use values::row::RowRef;

use super::keys::{PREFIX_BYTES, encode_part};
use super::version::Table;
use crate::error::{Error, Result};

/// An index entry's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Its key in the store.
    pub key: Vec<u8>,
    /// Its value in the store.
    pub value: Vec<u8>,
    /// Whether the key alone must be unique.
    pub unique: bool,
}

impl Table {
    /// The entry of a secondary index for a row.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn entry(&self, index: usize, row: &[Datum<'_>], row_key: &[u8]) -> Result<IndexEntry> {
        let (mut key, mut value) = (Vec::with_capacity(row_key.len() + 24), Vec::new());
        let unique = self.push_entry(index, row, row_key, &mut key, &mut value)?;
        Ok(IndexEntry { key, value, unique })
    }

    /// As `push_entry_by`, of a row's values.
    ///
    /// # Errors
    /// `TooLarge`.
    pub(crate) fn push_entry(
        &self,
        index: usize,
        row: &[Datum<'_>],
        row_key: &[u8],
        key: &mut Vec<u8>,
        value: &mut Vec<u8>,
    ) -> Result<bool> {
        self.push_entry_by(index, |column| Ok(row[column]), row_key, key, value)
    }

    /// Puts a row's entry into buffers, which are cleared first; of the row only the index's
    /// columns are asked for, by their positions. Gives whether the key alone must be unique.
    ///
    /// # Errors
    /// `TooLarge`; those of a column.
    pub fn push_entry_by<'d>(
        &self,
        index: usize,
        column: impl Fn(usize) -> Result<Datum<'d>>,
        row_key: &[u8],
        key: &mut Vec<u8>,
        value: &mut Vec<u8>,
    ) -> Result<bool> {
        let codec = &self.codecs[index];
        key.clear();
        value.clear();
        key.extend_from_slice(&codec.prefix);
        let mut has_null = false;
        for part in &codec.parts {
            let datum = column(part.column)?;
            has_null |= datum.is_null();
            encode_part(part, datum, key)?;
        }
        let primary = row_key.get(self.head_of_keys()..).unwrap_or_default();
        let unique = codec.unique && !has_null;
        if unique {
            value.extend_from_slice(primary);
        } else {
            let parts_end = key.len() as u16;
            key.extend_from_slice(primary);
            value.extend_from_slice(&parts_end.to_le_bytes());
        }
        Ok(unique)
    }

    /// Puts the row key that an index entry points to into `row_key`, and gives the length of
    /// the entry's key without the primary key.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn entry_target(
        &self,
        index: usize,
        key: &[u8],
        value: &[u8],
        row_key: &mut Vec<u8>,
    ) -> Result<usize> {
        row_key.clear();
        row_key.extend_from_slice(&self.codecs[0].prefix);
        let damaged = |why| Error::Corrupt { key: key.to_vec(), why };
        // The partition is the entry's.
        let partition = key.get(PREFIX_BYTES..self.head_of_keys());
        row_key
            .extend_from_slice(partition.ok_or_else(|| damaged("index entry without partition"))?);
        // A unique entry's value is a primary key, the other form's is exactly two bytes. They
        // are told apart by the NULLs in the key, which only nullable parts can have.
        let codec = self.codec_at(index);
        if codec.unique && !self.entry_has_null(index, key)? {
            row_key.extend_from_slice(value);
            return Ok(key.len());
        }
        let value: [u8; 2] = value.try_into().map_err(|_| damaged("index entry value length"))?;
        let parts_end = usize::from(u16::from_le_bytes(value));
        if parts_end < PREFIX_BYTES || parts_end > key.len() {
            return Err(damaged("index entry points outside its key"));
        }
        row_key.extend_from_slice(&key[parts_end..]);
        Ok(parts_end)
    }

    fn entry_has_null(&self, index: usize, key: &[u8]) -> Result<bool> {
        let codec = self.codec_at(index);
        if codec.parts.iter().all(|part| !part.nullable) {
            return Ok(false);
        }
        let mut at = PREFIX_BYTES;
        for part in &codec.parts {
            let rest = key.get(at..).unwrap_or_default();
            if part.is_null(rest) {
                return Ok(true);
            }
            at += part.skip(rest)?;
        }
        Ok(false)
    }

    /// Whether a row has the key parts that an index entry claims.
    pub(crate) fn entry_matches(
        &self,
        index: usize,
        entry_parts: &[u8],
        row: &RowRef<'_>,
        scratch: &mut Vec<u8>,
    ) -> Result<bool> {
        if self.multi_valued_at(index).is_some() {
            let own = self.entries_at(index, row, &[])?;
            return Ok(own.iter().any(|entry| entry.key == entry_parts));
        }
        let codec = &self.codecs[index];
        scratch.clear();
        scratch.extend_from_slice(&codec.prefix);
        for part in &codec.parts {
            encode_part(part, row.column(part.column)?, scratch)?;
        }
        Ok(scratch.as_slice() == entry_parts)
    }
}
