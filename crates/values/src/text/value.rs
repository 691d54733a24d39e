//! Any value as text.
//!
//! Not here: quoting and escaping, which each door does in its own way.

use super::float::{write_f32, write_f64, write_fixed};
use crate::datum::Datum;
use crate::digits::{write_i64, write_u64};
use crate::temporal::Zone;
use crate::types::ColumnType;

/// Appends what MySQL prints for a column's value; NULL appends nothing.
///
/// The datum is of the column's domain. `zone` is the session's and matters to TIMESTAMP only.
#[inline]
pub fn write_text(ty: &ColumnType, datum: Datum<'_>, zone: Zone, out: &mut Vec<u8>) {
    match datum {
        Datum::Int(value) => write_i64(value, out),
        Datum::UInt(value) if !matches!(ty, ColumnType::Bit { .. }) => write_u64(value, out),
        Datum::Bytes(bytes) => out.extend_from_slice(bytes),
        _ => write_other(ty, datum, zone, out),
    }
}

/// Puts zeros in front of a number's text, which begins at a place of `out`, until it has so many
/// characters: ZEROFILL.
pub fn fill_with_zeros(out: &mut Vec<u8>, start: usize, width: u8) {
    let zeros = (start + usize::from(width)).saturating_sub(out.len());
    out.splice(start..start, std::iter::repeat_n(b'0', zeros));
}

fn write_other(ty: &ColumnType, datum: Datum<'_>, zone: Zone, out: &mut Vec<u8>) {
    match (datum, ty) {
        (Datum::Enum(position), ColumnType::Enum { .. }) => {
            out.extend_from_slice(ty.enum_word(position).as_bytes());
        }
        (Datum::Set(members), ColumnType::Set { .. }) => ty.write_members(members, out),
        (Datum::UInt(number), ColumnType::Bit { .. }) => {
            out.extend_from_slice(&number.to_be_bytes()[8 - ty.bits_bytes()..]);
        }
        (
            Datum::Double(value),
            ColumnType::Float(Some(digits)) | ColumnType::Double(Some(digits)),
        ) => {
            write_fixed(value, digits.scale, out);
        }
        (
            Datum::Float(value),
            ColumnType::Float(Some(digits)) | ColumnType::Double(Some(digits)),
        ) => {
            write_fixed(f64::from(value), digits.scale, out);
        }
        (Datum::Time(value), ColumnType::Time { fsp }) => value.write(*fsp, out),
        (Datum::DateTime(value), ColumnType::DateTime { fsp }) => value.write(*fsp, out),
        (Datum::Timestamp(value), ColumnType::Timestamp { fsp }) => {
            value.to_datetime(zone).write(*fsp, out);
        }
        (Datum::Decimal(value), ColumnType::Decimal { scale, .. }) => {
            value.rescale(*scale).unwrap_or(value).write(out);
        }
        _ => write_untyped(datum, zone, out),
    }
}

/// Appends an expression's result, which has no column: fractions of a second have six digits or,
/// when they are zero, none.
pub fn write_untyped(datum: Datum<'_>, zone: Zone, out: &mut Vec<u8>) {
    let digits = |micros: u32| if micros == 0 { 0 } else { 6 };
    match datum {
        Datum::Null => {}
        Datum::Int(value) => write_i64(value, out),
        Datum::UInt(value) => write_u64(value, out),
        Datum::Float(value) => write_f32(value, out),
        Datum::Double(value) => write_f64(value, out),
        Datum::Decimal(value) => value.write(out),
        Datum::Bytes(bytes) => out.extend_from_slice(bytes),
        Datum::Date(value) => value.write(out),
        Datum::Time(value) => value.write(digits(value.fraction()), out),
        Datum::DateTime(value) => value.write(digits(value.micros()), out),
        Datum::Timestamp(value) => {
            let value = value.to_datetime(zone);
            value.write(digits(value.micros()), out);
        }
        Datum::Year(value) => {
            let pair = |value: u16| [b'0' + (value / 10 % 10) as u8, b'0' + (value % 10) as u8];
            out.extend_from_slice(&pair(value / 100));
            out.extend_from_slice(&pair(value % 100));
        }
        Datum::Enum(position) => write_u64(u64::from(position), out),
        Datum::Set(members) => write_u64(members, out),
    }
}
