//! Reading parts of keys, from bytes that may be damaged.
//!
//! Not here: text of case-insensitive keys, which is not in them.

use ethnum::I256;

use super::encode::{BYTES_END, BYTES_ZERO, NULL, VALUE, binary_part_bytes};
use super::leveled::skip_leveled_key;
use super::text::{read_bin_key, skip_sequence_key, skip_text_key};
use crate::collation::{LeveledRule, SequenceRule};
use crate::datum::Value;
use crate::decimal::{Decimal, pow10};
use crate::temporal::{Date, DateTime, Time, Timestamp};
use crate::types::{Collation, ColumnType, decimal_bytes};

/// Bytes that are no part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct DamagedKey {
    /// What does not hold.
    pub why: &'static str,
}

fn corrupt(why: &'static str) -> DamagedKey {
    DamagedKey { why }
}

/// Whether `decode_part` gives back exactly what a row holds. Not so for prefixes, and for text
/// whose key has lost case or trailing spaces.
pub fn is_reversible(ty: &ColumnType, prefix: Option<u32>) -> bool {
    match ty {
        ColumnType::Json => false,
        ColumnType::Char { collation, .. } => {
            prefix.is_none() && (collation.is_by_bytes() || collation.is_by_code_points())
        }
        ColumnType::VarChar { collation, .. } | ColumnType::Text { collation, .. } => {
            prefix.is_none() && collation.is_by_bytes()
        }
        _ => prefix.is_none(),
    }
}

/// Reads one part: its value, and the bytes it takes. Text of `utf8mb4_bin` comes without the
/// spaces at its end.
///
/// # Errors
/// For bytes that no value has, and for case-insensitive text.
pub fn decode_part(
    ty: &ColumnType,
    nullable: bool,
    prefix: Option<u32>,
    bytes: &[u8],
) -> Result<(Value, usize), DamagedKey> {
    let (body, marker) = match split_marker(nullable, bytes)? {
        Some(split) => split,
        None => return Ok((Value::Null, 1)),
    };
    let length = body_bytes(ty, prefix, body)?;
    // The length was found in these bytes.
    let value = decode_body(ty, &body[..length])?;
    Ok((value, marker + length))
}

/// Bytes that one part takes.
///
/// # Errors
/// When the bytes end too early or no part begins like this.
#[inline]
pub fn skip_part(
    ty: &ColumnType,
    nullable: bool,
    prefix: Option<u32>,
    bytes: &[u8],
) -> Result<usize, DamagedKey> {
    match split_marker(nullable, bytes)? {
        None => Ok(1),
        Some((body, marker)) => Ok(marker + body_bytes(ty, prefix, body)?),
    }
}

/// The bytes behind the marker and the marker's length; `None` for NULL.
fn split_marker(nullable: bool, bytes: &[u8]) -> Result<Option<(&[u8], usize)>, DamagedKey> {
    if !nullable {
        return Ok(Some((bytes, 0)));
    }
    match bytes {
        [NULL, ..] => Ok(None),
        [VALUE, body @ ..] => Ok(Some((body, 1))),
        _ => Err(corrupt("a key part has no NULL marker")),
    }
}

/// Bytes of the value at the beginning of `body`, all of them present.
fn body_bytes(ty: &ColumnType, prefix: Option<u32>, body: &[u8]) -> Result<usize, DamagedKey> {
    let length = match ty {
        ColumnType::Binary { bytes } => binary_part_bytes(*bytes, prefix),
        ColumnType::Char { collation, .. }
        | ColumnType::VarChar { collation, .. }
        | ColumnType::Text { collation, .. } => {
            let found = match (LeveledRule::of(*collation), SequenceRule::of(*collation)) {
                _ if collation.is_by_bytes() => skip_bytes(body),
                (Some(rule), _) => skip_leveled_key(rule, body),
                (None, Some(rule)) => skip_sequence_key(rule, body),
                (None, None) => skip_text_key(body),
            };
            return found.ok_or(corrupt("a text in a key has no end"));
        }
        ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
            return skip_bytes(body).ok_or(corrupt("a binary string in a key has no end"));
        }
        ColumnType::Json => return Err(corrupt("JSON in a key")),
        _ => ty.fixed_bytes().ok_or(corrupt("a key part of unknown length"))?,
    };
    if body.len() < length {
        return Err(corrupt("a key ends within a part"));
    }
    Ok(length)
}

fn skip_bytes(body: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(0, &body[at..])?;
        let pair = body.get(at..at + 2)?;
        at += 2;
        if pair == BYTES_END {
            return Some(at);
        }
        if pair != BYTES_ZERO {
            return None;
        }
    }
}

fn read_bytes(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = &body[..body.len() - BYTES_END.len()];
    while let Some(zero) = memchr::memchr(0, rest) {
        out.extend_from_slice(&rest[..=zero]);
        rest = &rest[(zero + 2).min(rest.len())..];
    }
    out.extend_from_slice(rest);
    out
}

/// A number of up to 8 bytes, highest first.
fn unsigned(body: &[u8]) -> u64 {
    body.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// A number of up to 8 bytes, highest first, sign bit flipped.
fn signed(body: &[u8]) -> i64 {
    let bits = 8 * body.len();
    let flipped = unsigned(body) ^ 1 << (bits - 1);
    (flipped << (64 - bits)) as i64 >> (64 - bits)
}

/// Zeros are equal, so keys have none with a sign.
fn is_minus_zero(value: f64) -> bool {
    value == 0.0 && value.is_sign_negative()
}

/// The value of a body of the right length.
fn decode_body(ty: &ColumnType, body: &[u8]) -> Result<Value, DamagedKey> {
    let bad = || corrupt("a key part is no value of its type");
    Ok(match ty {
        ColumnType::Int { unsigned: true, .. } => Value::UInt(unsigned(body)),
        ColumnType::Int { .. } => Value::Int(signed(body)),
        ColumnType::Float(_) => {
            let bits = unsigned(body) as u32;
            let bits = if bits >> 31 == 1 { bits ^ 1 << 31 } else { !bits };
            let value = f32::from_bits(bits);
            if is_minus_zero(value.into()) {
                return Err(bad());
            }
            Value::Float(value)
        }
        ColumnType::Double(_) => {
            let bits = unsigned(body);
            let bits = if bits >> 63 == 1 { bits ^ 1 << 63 } else { !bits };
            let value = f64::from_bits(bits);
            if is_minus_zero(value) {
                return Err(bad());
            }
            Value::Double(value)
        }
        ColumnType::Decimal { precision, scale } => {
            Value::Decimal(decimal(body, *precision, *scale).ok_or_else(bad)?)
        }
        ColumnType::Date => Value::Date(Date::from_packed(unsigned(body) as u32).ok_or_else(bad)?),
        ColumnType::Time { fsp: 0 } => {
            Value::Time(Time::from_micros(signed(body) * 1_000_000).ok_or_else(bad)?)
        }
        ColumnType::Time { .. } => Value::Time(Time::from_micros(signed(body)).ok_or_else(bad)?),
        ColumnType::DateTime { fsp } => {
            let packed = if *fsp == 0 { unsigned(body) << 20 } else { unsigned(body) };
            Value::DateTime(DateTime::from_packed(packed).ok_or_else(bad)?)
        }
        ColumnType::Timestamp { fsp } => {
            let unit = if *fsp == 0 { 1_000_000 } else { 1 };
            let micros = unsigned(body).checked_mul(unit).ok_or_else(bad)?;
            Value::Timestamp(Timestamp::from_micros(micros))
        }
        ColumnType::Year => Value::Year(unsigned(body) as u16),
        ColumnType::Enum { .. } => Value::Enum(unsigned(body) as u16),
        ColumnType::Set { .. } => Value::Set(unsigned(body)),
        ColumnType::Bit { .. } => Value::UInt(unsigned(body)),
        ColumnType::Binary { .. } => Value::Bytes(body.to_vec()),
        ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => Value::Bytes(read_bytes(body)),
        ColumnType::Char { collation, .. }
        | ColumnType::VarChar { collation, .. }
        | ColumnType::Text { collation, .. } => match collation.comparing() {
            Collation::Binary | Collation::Utf8Mb40900Bin => Value::Bytes(read_bytes(body)),
            Collation::Utf8Mb4Bin => Value::Bytes(read_bin_key(body).ok_or_else(bad)?.0),
            _ => {
                return Err(corrupt("a key of weights does not hold its text"));
            }
        },
        ColumnType::Json => return Err(corrupt("JSON in a key")),
    })
}

fn decimal(body: &[u8], precision: u8, scale: u8) -> Option<Decimal> {
    debug_assert_eq!(body.len(), decimal_bytes(precision));
    let negative = body[0] & 0x80 == 0;
    let mut bytes = if negative { [0xFF; 32] } else { [0; 32] };
    let start = bytes.len() - body.len();
    bytes[start..].copy_from_slice(body);
    bytes[start] ^= 0x80;
    let unscaled = I256::from_be_bytes(bytes);
    // The bytes have room for more digits than the column.
    (unscaled.unsigned_abs() < pow10(precision)).then(|| Decimal::new(unscaled, scale))?
}
