//! Writing parts of keys.
//!
//! Not here: reading them back (`decode`), which parts an index has (`table`).

use super::text::{first_characters, write_text_key, write_text_start};
use crate::datum::Datum;
use crate::types::{Collation, ColumnType, IntWidth, decimal_bytes};

/// Stands before the bytes of a column that may be NULL.
pub(super) const NULL: u8 = 0;
/// Stands before the bytes of a value of a column that may be NULL.
pub(super) const VALUE: u8 = 1;
/// Ends a binary string; any byte 00 in it is followed by FF.
pub(super) const BYTES_END: [u8; 2] = [0x00, 0x01];
/// A byte 00 of a binary string.
pub(super) const BYTES_ZERO: [u8; 2] = [0x00, 0xFF];

/// Appends one part of a key.
///
/// `prefix` is the index part's: characters, or bytes of binary strings.
///
/// # Panics
/// When the datum is not of the column's domain (`convert` makes such), or is NULL although the
/// column is not `nullable`: a key that would not be found again must not be written.
#[inline]
pub fn encode_part(
    ty: &ColumnType,
    nullable: bool,
    prefix: Option<u32>,
    datum: Datum<'_>,
    out: &mut Vec<u8>,
) {
    if nullable {
        if datum.is_null() {
            return out.push(NULL);
        }
        out.push(VALUE);
    }
    match (ty, datum) {
        (ColumnType::Int { width, .. }, Datum::Int(value)) => push_signed(value, *width, out),
        (ColumnType::Int { width, .. }, Datum::UInt(value)) => push_unsigned(value, *width, out),
        (
            ColumnType::Char { collation, .. }
            | ColumnType::VarChar { collation, .. }
            | ColumnType::Text { collation, .. },
            Datum::Bytes(text),
        ) => push_text(*collation, cut_text(prefix, text), out),
        _ => encode_other(ty, prefix, datum, out),
    }
}

fn cut_text(prefix: Option<u32>, text: &[u8]) -> &[u8] {
    prefix.map_or(text, |chars| first_characters(text, chars as usize))
}

fn push_text(collation: Collation, text: &[u8], out: &mut Vec<u8>) {
    match collation.is_by_bytes() {
        true => push_bytes(text, out),
        false => write_text_key(collation, text, out),
    }
}

#[inline]
fn push_signed(value: i64, width: IntWidth, out: &mut Vec<u8>) {
    let flipped = value as u64 ^ 1 << (8 * width.bytes() - 1);
    push_unsigned(flipped, width, out);
}

#[inline]
fn push_unsigned(value: u64, width: IntWidth, out: &mut Vec<u8>) {
    match width {
        IntWidth::Tiny => out.push(value as u8),
        IntWidth::Small => out.extend_from_slice(&(value as u16).to_be_bytes()),
        IntWidth::Medium => out.extend_from_slice(&(value as u32).to_be_bytes()[1..]),
        IntWidth::Int => out.extend_from_slice(&(value as u32).to_be_bytes()),
        IntWidth::Big => out.extend_from_slice(&value.to_be_bytes()),
    }
}

/// Appends the lowest `count` bytes of a number, highest first.
fn push_low_bytes(value: u64, count: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&value.to_be_bytes()[8 - count..]);
}

fn encode_other(ty: &ColumnType, prefix: Option<u32>, datum: Datum<'_>, out: &mut Vec<u8>) {
    match (ty, datum) {
        (ColumnType::Float(_), Datum::Float(value)) => {
            let bits = if value == 0.0 { 0 } else { value.to_bits() };
            let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
            out.extend_from_slice(&ordered.to_be_bytes());
        }
        (ColumnType::Double(_), Datum::Double(value)) => {
            let bits = if value == 0.0 { 0 } else { value.to_bits() };
            let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
            out.extend_from_slice(&ordered.to_be_bytes());
        }
        (ColumnType::Decimal { precision, scale }, Datum::Decimal(value)) => {
            let (value, _) = value.fit(*precision, *scale);
            let bytes = value.unscaled().to_be_bytes();
            let start = out.len();
            out.extend_from_slice(&bytes[32 - decimal_bytes(*precision)..]);
            out[start] ^= 0x80;
        }
        (ColumnType::Date, Datum::Date(value)) => {
            push_low_bytes(u64::from(value.packed()), 3, out);
        }
        (ColumnType::Time { fsp: 0 }, Datum::Time(value)) => {
            let seconds = value.micros().div_euclid(1_000_000);
            push_low_bytes(seconds as u64 ^ 1 << 23, 3, out);
        }
        (ColumnType::Time { .. }, Datum::Time(value)) => {
            push_low_bytes(value.micros() as u64 ^ 1 << 47, 6, out);
        }
        (ColumnType::DateTime { fsp: 0 }, Datum::DateTime(value)) => {
            push_low_bytes(value.packed() >> 20, 5, out);
        }
        (ColumnType::DateTime { .. }, Datum::DateTime(value)) => {
            push_low_bytes(value.packed(), 8, out);
        }
        (ColumnType::Timestamp { fsp: 0 }, Datum::Timestamp(value)) => {
            push_low_bytes(value.micros() / 1_000_000, 5, out);
        }
        (ColumnType::Timestamp { .. }, Datum::Timestamp(value)) => {
            push_low_bytes(value.micros(), 8, out);
        }
        (ColumnType::Year, Datum::Year(value)) | (ColumnType::Enum { .. }, Datum::Enum(value)) => {
            out.extend_from_slice(&value.to_be_bytes());
        }
        (ColumnType::Set { .. }, Datum::Set(value))
        | (ColumnType::Bit { .. }, Datum::UInt(value)) => {
            push_low_bytes(value, ty.bits_bytes(), out);
        }
        (ColumnType::Binary { bytes: length }, Datum::Bytes(bytes)) => {
            let length = binary_part_bytes(*length, prefix);
            let bytes = &bytes[..bytes.len().min(length)];
            out.extend_from_slice(bytes);
            out.resize(out.len() + length - bytes.len(), 0);
        }
        (ColumnType::VarBinary { .. } | ColumnType::Blob { .. }, Datum::Bytes(bytes)) => {
            push_bytes(cut_bytes(prefix, bytes), out);
        }
        _ => panic!("a key of {} cannot hold {datum:?}", ty.mysql_type_name()),
    }
}

/// Bytes of a BINARY column's part.
pub(super) fn binary_part_bytes(length: u32, prefix: Option<u32>) -> usize {
    prefix.map_or(length, |prefix| prefix.min(length)) as usize
}

fn cut_bytes(prefix: Option<u32>, bytes: &[u8]) -> &[u8] {
    let length = prefix.map_or(bytes.len(), |prefix| bytes.len().min(prefix as usize));
    &bytes[..length]
}

fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    push_escaped(bytes, out);
    out.extend_from_slice(&BYTES_END);
}

fn push_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + BYTES_END.len());
    let mut rest = bytes;
    while let Some(zero) = memchr::memchr(0, rest) {
        out.extend_from_slice(&rest[..zero]);
        out.extend_from_slice(&BYTES_ZERO);
        rest = &rest[zero + 1..];
    }
    out.extend_from_slice(rest);
}

/// Appends the beginning that the parts of all values starting with `text` share, for
/// `LIKE 'text%'`. Parts of other values may share it too: each match is checked again.
///
/// # Panics
/// When the type is no string.
pub fn encode_text_prefix(
    ty: &ColumnType,
    nullable: bool,
    prefix: Option<u32>,
    text: &[u8],
    out: &mut Vec<u8>,
) {
    if nullable {
        out.push(VALUE);
    }
    match ty {
        ColumnType::Char { collation, .. }
        | ColumnType::VarChar { collation, .. }
        | ColumnType::Text { collation, .. } => match collation.is_by_bytes() {
            true => push_escaped(cut_text(prefix, text), out),
            false => write_text_start(*collation, cut_text(prefix, text), out),
        },
        ColumnType::Binary { bytes } => {
            let length = binary_part_bytes(*bytes, prefix);
            out.extend_from_slice(&text[..text.len().min(length)]);
        }
        ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
            push_escaped(cut_bytes(prefix, text), out);
        }
        _ => panic!("{} has no text to begin with", ty.mysql_type_name()),
    }
}
