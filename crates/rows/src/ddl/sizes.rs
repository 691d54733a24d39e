//! How long a row and a key may be by their definition, as in MySQL: a table that is made here can
//! be loaded there.
//!
//! Invariants
//! 1. What is too long already, made by an earlier version, may stay as long as it is.
//!
//! Not here: the limits of the rows and entries themselves (`values::row`, `values::key`).

use values::types::ColumnType;

use crate::broken_rule::BrokenRule;
use crate::error::Result;
use crate::schema::{Column, Index, TableDefinition};

/// Most bytes of an index entry's columns, as in InnoDB.
const KEY_BYTES_MAX: u64 = 3072;
/// Most bytes of a row but for its long texts, as in MySQL.
const ROW_BYTES_MAX: u64 = 65_535;
/// What a row has of a long text besides its length: where it is.
const REFERENCE_BYTES: u64 = 8;

/// Checks the lengths of a definition; `before` is the table's, if it is changed.
pub(crate) fn check_sizes(
    definition: &TableDefinition,
    before: Option<&TableDefinition>,
) -> Result<()> {
    let bytes = row_bytes(definition);
    if bytes > ROW_BYTES_MAX
        && !definition.columnar
        && before.is_none_or(|before| row_bytes(before) < bytes)
    {
        return Err(BrokenRule::RowTooLong.into());
    }
    for index in &definition.indexes {
        let bytes = key_bytes(definition, index);
        let was_so = before.is_some_and(|before| {
            let mut known = before.indexes.iter().filter(|known| known.id == index.id);
            known.any(|known| key_bytes(before, known) >= bytes)
        });
        if bytes > KEY_BYTES_MAX && !was_so {
            return Err(BrokenRule::KeyTooLong(KEY_BYTES_MAX).into());
        }
    }
    Ok(())
}

fn row_bytes(definition: &TableDefinition) -> u64 {
    let columns = || definition.columns.iter().filter(|column| !column.is_of_index());
    let nullable = columns().filter(|column| column.nullable).count() as u64;
    nullable.div_ceil(8) + columns().map(column_bytes).sum::<u64>()
}

fn column_bytes(column: &Column) -> u64 {
    let length_bytes = |bytes: u64| if bytes < 256 { 1 } else { 2 };
    match &column.ty {
        ColumnType::Text { size, .. } | ColumnType::Blob { size } => {
            let length = u64::from(64 - size.bytes_max().leading_zeros()).div_ceil(8);
            REFERENCE_BYTES + length
        }
        ColumnType::Json => REFERENCE_BYTES + 4,
        ColumnType::VarChar { .. } | ColumnType::VarBinary { .. } => {
            let bytes = part_bytes(column, None);
            bytes + length_bytes(bytes)
        }
        _ => part_bytes(column, None),
    }
}

fn key_bytes(definition: &TableDefinition, index: &Index) -> u64 {
    let parts = index.parts.iter();
    parts.map(|part| part_bytes(&definition.columns[part.column], part.prefix.map(u64::from))).sum()
}

/// Most bytes of a column's value in an entry; `prefix` in characters.
fn part_bytes(column: &Column, prefix: Option<u64>) -> u64 {
    let of_text = |chars: u64| {
        let set = column.ty.collation().map(|collation| collation.set());
        prefix.unwrap_or(chars).min(chars) * u64::from(set.map_or(1, |set| set.bytes_max()))
    };
    match &column.ty {
        ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => {
            of_text(u64::from(*chars))
        }
        ColumnType::Text { size, .. } => of_text(size.bytes_max()),
        ColumnType::Blob { size } => prefix.unwrap_or(size.bytes_max()),
        ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } => {
            prefix.unwrap_or(u64::from(*bytes))
        }
        // As many as MySQL's have, whatever is stored here.
        ColumnType::Time { fsp } => 3 + fraction_bytes(*fsp),
        ColumnType::DateTime { fsp } => 5 + fraction_bytes(*fsp),
        ColumnType::Timestamp { fsp } => 4 + fraction_bytes(*fsp),
        ColumnType::Year => 1,
        ColumnType::Enum { values, .. } if values.len() < 256 => 1,
        ty => ty.fixed_bytes().unwrap_or(0) as u64,
    }
}

fn fraction_bytes(fsp: u8) -> u64 {
    u64::from(fsp.div_ceil(2))
}
