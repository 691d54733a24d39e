//! Keys of rows and the codecs of all keys of a table.
//!
//! Invariants
//! 1. Keys compare as bytes in the order of their values, those of descending parts in the
//!    opposite one.
//! 2. No key is longer than `KEY_BYTES_MAX`.
//!
//! Not here: how one part is encoded (`values::key`), index entries (`entries`).

use values::datum::{Datum, Value};
use values::key::{self, DamagedKey};
use values::types::ColumnType;

use crate::error::{Error, Result};
use crate::partition::PARTITION_BYTES;
use crate::schema::{Column, Index, IndexId, IndexState, TableDefinition, TableId};

use super::version::Table;

/// Bytes of a key before its first part.
pub const PREFIX_BYTES: usize = 6;
/// Most bytes an encoded key may have.
pub const KEY_BYTES_MAX: usize = 4096;
/// Number of the primary index.
pub const PRIMARY: IndexId = 1;

/// How one part of an index is encoded.
#[derive(Clone, Debug)]
pub struct PartCodec {
    /// Position of the column in the table.
    pub column: usize,
    /// Its type.
    pub ty: ColumnType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Only so many leading characters or bytes are in the key.
    pub prefix: Option<u32>,
    /// Greater values come first: all bits of the part are inverted. No part is the beginning of
    /// another one, so that inverted ones order the other way round.
    pub descending: bool,
}

impl PartCodec {
    /// Appends the part of a value.
    fn push(&self, value: Datum<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        key::encode_part(&self.ty, self.nullable, self.prefix, value, out);
        self.turn(&mut out[start..]);
    }

    /// Appends the beginning that the parts of all texts which begin so share.
    ///
    /// # Panics
    /// When the type is no string.
    pub fn push_beginning(&self, text: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        key::encode_text_prefix(&self.ty, self.nullable, self.prefix, text, out);
        self.turn(&mut out[start..]);
    }

    /// How many of these bytes the part takes.
    ///
    /// # Errors
    /// `DamagedKey`.
    #[inline]
    pub fn skip(&self, bytes: &[u8]) -> std::result::Result<usize, DamagedKey> {
        match self.descending {
            false => key::skip_part(&self.ty, self.nullable, self.prefix, bytes),
            true => key::skip_part(&self.ty, self.nullable, self.prefix, &inverted(bytes)),
        }
    }

    /// The value that a part has, and how many of these bytes it takes.
    ///
    /// # Errors
    /// `DamagedKey`.
    pub fn decode(&self, bytes: &[u8]) -> std::result::Result<(Value, usize), DamagedKey> {
        match self.descending {
            false => key::decode_part(&self.ty, self.nullable, self.prefix, bytes),
            true => key::decode_part(&self.ty, self.nullable, self.prefix, &inverted(bytes)),
        }
    }

    /// Whether a part that begins so is NULL.
    pub(super) fn is_null(&self, bytes: &[u8]) -> bool {
        let null = if self.descending { !0 } else { 0 };
        self.nullable && bytes.first() == Some(&null)
    }

    fn turn(&self, part: &mut [u8]) {
        if self.descending {
            part.iter_mut().for_each(|byte| *byte = !*byte);
        }
    }
}

fn inverted(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| !byte).collect()
}

/// An index with what its keys need.
#[derive(Clone, Debug)]
pub struct IndexCodec {
    pub(super) prefix: [u8; PREFIX_BYTES],
    /// The parts in order; before those of the definition the row's partition, if the table has
    /// some.
    pub parts: Vec<PartCodec>,
    /// Whether an entry without NULLs may exist only once.
    pub unique: bool,
    /// Whether readers may use it.
    pub ready: bool,
}

impl IndexCodec {
    /// Of an index of a table.
    pub(super) fn new(definition: &TableDefinition, index: &Index) -> IndexCodec {
        let part = |column: usize, prefix, descending| {
            let Column { ty, nullable, .. } = &definition.columns[column];
            PartCodec { column, ty: ty.clone(), nullable: *nullable, prefix, descending }
        };
        let of_partition = definition.partition_column().map(|at| part(at, None, false));
        let own = index.parts.iter().map(|of| part(of.column, of.prefix, of.descending));
        let parts = of_partition.into_iter().chain(own);
        IndexCodec {
            prefix: key_prefix(definition.id, index.id),
            parts: parts.collect(),
            unique: index.unique,
            ready: index.state == IndexState::Ready,
        }
    }
}

impl Table {
    /// The parts by which the keys of an index are found: its own, and behind those of one that is
    /// not unique the primary key's, which tell its entries apart.
    pub fn key_parts(&self, index: usize) -> impl Iterator<Item = &PartCodec> {
        let codec = self.codec_at(index);
        let behind: &[PartCodec] = if codec.unique { &[] } else { self.primary_parts() };
        codec.parts.iter().chain(behind)
    }

    /// The parts of the primary key that stand in other indexes' entries: all but the row's
    /// partition, which these begin with.
    pub(super) fn primary_parts(&self) -> &[PartCodec] {
        self.own_parts(0)
    }

    /// The parts of an index that its definition names: all but the row's partition.
    #[inline]
    pub fn own_parts(&self, index: usize) -> &[PartCodec] {
        &self.codecs[index].parts[usize::from(self.partition_column.is_some())..]
    }

    /// Bytes of a row's key before what stands in other indexes' entries.
    pub(crate) fn head_of_keys(&self) -> usize {
        PREFIX_BYTES + if self.partition_column.is_some() { PARTITION_BYTES } else { 0 }
    }

    /// The key of a row from its primary key values, in key order; for a table with a hidden
    /// key, the row id as `UInt`. In a table with partitions the values say which one it is in; a
    /// key of none is that of no row.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn row_key(&self, key_values: &[Datum<'_>]) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(PREFIX_BYTES + 24);
        self.push_row_key(key_values, &mut out)?;
        Ok(out)
    }

    /// The same, appended to a buffer.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn push_row_key(&self, key_values: &[Datum<'_>], out: &mut Vec<u8>) -> Result<()> {
        if self.partition_column.is_some() {
            let id = self.partition_of_key(0, key_values)?.unwrap_or_default();
            let mut values = Vec::with_capacity(key_values.len() + 1);
            values.push(Datum::UInt(u64::from(id)));
            values.extend_from_slice(key_values);
            return self.encode_leading_into(0, &values, out);
        }
        self.encode_leading_into(0, key_values, out)
    }

    /// Appends the key of a row of a table with a hidden key, whose columns are those of `row`.
    ///
    /// # Errors
    /// `TooLarge`.
    pub(crate) fn push_numbered_row_key(
        &self,
        row: &[Datum<'_>],
        row_id: u64,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.push_row_key_of(row, out)?;
        out.extend_from_slice(&row_id.to_be_bytes());
        Ok(())
    }

    /// The key that a row has once its columns are those of `row`: one with a hidden key keeps its
    /// number.
    ///
    /// # Errors
    /// `TooLarge`.
    pub(crate) fn moved_row_key(&self, row: &[Datum<'_>], row_key: &[u8]) -> Result<Vec<u8>> {
        let mut key = self.row_key_of(row)?;
        if self.has_hidden_key() {
            key.extend_from_slice(row_key.get(self.head_of_keys()..).unwrap_or_default());
        }
        Ok(key)
    }

    /// The key of a row from all its columns. Only for tables with a primary key.
    ///
    /// # Errors
    /// As `row_key`.
    pub fn row_key_of(&self, row: &[Datum<'_>]) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(PREFIX_BYTES + 24);
        self.push_row_key_of(row, &mut out)?;
        Ok(out)
    }

    /// The same, appended to a buffer.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn push_row_key_of(&self, row: &[Datum<'_>], out: &mut Vec<u8>) -> Result<()> {
        let codec = &self.codecs[0];
        out.extend_from_slice(&codec.prefix);
        for part in &codec.parts {
            encode_part(part, row[part.column], out)?;
        }
        Ok(())
    }

    /// Appends the key bytes of the leading parts of an index, the prefix in front.
    pub(super) fn encode_leading(&self, index: usize, values: &[Datum<'_>]) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(PREFIX_BYTES + 24);
        self.encode_leading_into(index, values, &mut out)?;
        Ok(out)
    }

    fn encode_leading_into(
        &self,
        index: usize,
        values: &[Datum<'_>],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let codec = &self.codecs[index];
        out.extend_from_slice(&codec.prefix);
        if index == 0 && codec.parts.is_empty() {
            if let [Datum::UInt(row_id), ..] = values {
                out.extend_from_slice(&row_id.to_be_bytes());
            }
            return Ok(());
        }
        let mut parts = self.key_parts(index);
        for value in values {
            let part = parts.next().expect("no more key values than the index has parts");
            encode_part(part, *value, out)?;
        }
        Ok(())
    }
}

pub(super) fn encode_part(part: &PartCodec, value: Datum<'_>, out: &mut Vec<u8>) -> Result<()> {
    part.push(value, out);
    if out.len() > KEY_BYTES_MAX {
        return Err(Error::TooLarge { what: "key", bytes: out.len(), bytes_max: KEY_BYTES_MAX });
    }
    Ok(())
}

pub(super) fn key_prefix(table: TableId, index: IndexId) -> [u8; PREFIX_BYTES] {
    let mut prefix = [0; PREFIX_BYTES];
    prefix[..4].copy_from_slice(&table.to_be_bytes());
    prefix[4..].copy_from_slice(&index.to_be_bytes());
    prefix
}
