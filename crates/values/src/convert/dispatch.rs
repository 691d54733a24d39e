//! Which conversion a type needs.

use super::{Converted, Issue, integer, number, strings, temporal};
use crate::collation::equal;
use crate::datum::{Datum, Value};
use crate::temporal::Zone;
use crate::types::{Collation, ColumnType};

/// Makes any datum a value of the column's domain.
///
/// `Datum::Bytes` is text (for binary columns: bytes). `zone` is the session's, for TIMESTAMP and
/// what is made of one. A TIME for a column with a date is `Incorrect`: the day would be today's,
/// which only the caller knows. An ENUM from another column counts as its position.
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
        ColumnType::Enum { values, .. } => enum_from_datum(values.len(), datum, zone),
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
        ColumnType::Char { chars, .. } => strings::char_from_text(*chars, text),
        ColumnType::VarChar { chars, .. } => strings::varchar_from_text(*chars, text),
        ColumnType::Text { size, .. } => strings::text_from_text(*size, text),
        ColumnType::Binary { bytes } => strings::binary_from_bytes(*bytes, text),
        ColumnType::VarBinary { bytes } => strings::varbinary_from_bytes(*bytes as usize, text),
        ColumnType::Blob { size } => strings::varbinary_from_bytes(size.bytes_max() as usize, text),
        ColumnType::Date
        | ColumnType::Time { .. }
        | ColumnType::DateTime { .. }
        | ColumnType::Timestamp { .. } => temporal::from_text(ty, text, zone),
        ColumnType::Year => integer::year_from_text(text),
        ColumnType::Enum { values, collation } => enum_from_text(values, *collation, text),
        ColumnType::Json => strings::json_from_text(text),
    }
}

/// A word of the list, without regard to spaces at its end, or else a position in digits.
fn enum_from_text(words: &[String], collation: Collation, text: &[u8]) -> Converted {
    let no_word = Converted::with(Value::Enum(0), Issue::Truncated);
    if std::str::from_utf8(text).is_err() {
        return no_word;
    }
    let exact = words.iter().position(|word| word.as_bytes() == text);
    let found = exact.or_else(|| {
        let trimmed = crate::key::trim_spaces(text);
        words.iter().position(|word| equal(collation, word.as_bytes(), trimmed))
    });
    if let Some(at) = found {
        return Converted::clean(Value::Enum(at as u16 + 1));
    }
    let digits = text.trim_ascii();
    let position = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    match position {
        Some(position @ 1..) if usize::from(position) <= words.len() => {
            Converted::clean(Value::Enum(position))
        }
        _ => no_word,
    }
}

fn enum_from_datum(words: usize, datum: Datum<'_>, zone: Zone) -> Converted {
    let whole = match datum {
        // Fractions are cut off, not rounded.
        Datum::Double(value) => Some(value as i128),
        Datum::Float(value) => Some(value as i128),
        Datum::Decimal(value) => value.truncate(0).and_then(|whole| whole.to_i128()),
        _ => integer::whole_of(datum, zone),
    };
    let position = whole.and_then(|whole| usize::try_from(whole).ok());
    match position {
        // The invalid value '' is a value of the domain when it is already one.
        Some(0) if matches!(datum, Datum::Enum(_)) => Converted::clean(Value::Enum(0)),
        Some(position @ 1..) if position <= words => Converted::clean(Value::Enum(position as u16)),
        _ => Converted::with(Value::Enum(0), Issue::Truncated),
    }
}
