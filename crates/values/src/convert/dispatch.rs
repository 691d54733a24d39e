//! Which conversion a type needs.

use super::{Converted, bits, integer, number, strings, temporal, words};
use crate::datum::{Datum, Value};
use crate::temporal::Zone;
use crate::types::ColumnType;

/// Makes any datum a value of the column's domain.
///
/// `Datum::Bytes` is text (for binary columns: bytes). `zone` is the session's, for TIMESTAMP and
/// what is made of one. A TIME for a column with a date is `Incorrect`: the day would be today's,
/// which only the caller knows. An ENUM or SET from another column counts as its number.
pub fn convert(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> Converted {
    if datum.is_null() {
        return Converted::clean(Value::Null);
    }
    if let Datum::Bytes(text) = datum {
        return from_text(ty, text, zone);
    }
    match ty {
        ColumnType::Int { width, unsigned, .. } => {
            integer::from_datum(*width, *unsigned, datum, zone)
        }
        ColumnType::Float(digits) => number::float(number::double_of(datum, zone), *digits),
        ColumnType::Double(digits) => number::double(number::double_of(datum, zone), *digits),
        ColumnType::Decimal { precision, scale } => {
            number::decimal_from_datum(*precision, *scale, datum, zone)
        }
        ColumnType::Char { .. }
        | ColumnType::VarChar { .. }
        | ColumnType::Text { .. }
        | ColumnType::Binary { .. }
        | ColumnType::VarBinary { .. }
        | ColumnType::Blob { .. }
        | ColumnType::Json => {
            let mut text = Vec::with_capacity(32);
            crate::text::write_untyped(datum, zone, &mut text);
            from_text(ty, &text, zone)
        }
        ColumnType::Date
        | ColumnType::Time { .. }
        | ColumnType::DateTime { .. }
        | ColumnType::Timestamp { .. } => temporal::from_datum(ty, datum, zone),
        ColumnType::Year => integer::year_from_datum(datum, zone),
        ColumnType::Enum { values, .. } => words::enum_from_datum(values.len(), datum, zone),
        ColumnType::Set { .. } => words::set_from_datum(ty.bits_max(), datum, zone),
        ColumnType::Bit { .. } => bits::from_datum(ty.bits_max(), datum, zone),
    }
}

/// Makes text (a string literal, a field of LOAD DATA, a protocol's token) a value of the
/// column's domain.
pub fn from_text(ty: &ColumnType, text: &[u8], zone: Zone) -> Converted {
    match ty {
        ColumnType::Int { width, unsigned, .. } => integer::from_text(*width, *unsigned, text),
        ColumnType::Float(digits) => number::float_from_text(text, *digits),
        ColumnType::Double(digits) => number::double_from_text(text, *digits),
        ColumnType::Decimal { precision, scale } => {
            number::decimal_from_text(*precision, *scale, text)
        }
        ColumnType::Char { chars, collation } => {
            strings::char_from_text(*chars, text, collation.set())
        }
        ColumnType::VarChar { chars, collation } => {
            strings::varchar_from_text(*chars, text, collation.set())
        }
        ColumnType::Text { size, collation } => {
            strings::text_from_text(*size, text, collation.set())
        }
        ColumnType::Binary { bytes } => strings::binary_from_bytes(*bytes, text),
        ColumnType::VarBinary { bytes } => strings::varbinary_from_bytes(*bytes as usize, text),
        ColumnType::Blob { size } => strings::varbinary_from_bytes(size.bytes_max() as usize, text),
        ColumnType::Date
        | ColumnType::Time { .. }
        | ColumnType::DateTime { .. }
        | ColumnType::Timestamp { .. } => temporal::from_text(ty, text, zone),
        ColumnType::Year => integer::year_from_text(text),
        ColumnType::Enum { values, collation } => words::enum_from_text(values, *collation, text),
        ColumnType::Set { values, collation } => {
            words::set_from_text(values, *collation, ty.bits_max(), text)
        }
        ColumnType::Bit { .. } => bits::from_bytes(ty.bits_max(), text),
        ColumnType::Json => strings::json_from_text(text),
    }
}
