//! Tokens to values of a column, coerced as the original stores them: silently.
//!
//! Invariants
//! 1. Keys, filter values and stored values are coerced alike, so a client finds what it wrote.
//! 2. Fractions of seconds are cut to the column's digits, where SQL rounds them.
//! 3. A distance from UTC behind a time (`+01:00`) is ignored, where SQL applies it.
//!
//! Not here: escapes (`decode`), the coercions themselves (`values::convert`).

use std::borrow::Cow;

use rows::alter::implicit_default;
use rows::schema::{Column, DefaultValue};
use values::convert::{Issue, from_text};
use values::{ColumnType, DateTime, Datum, Value, Zone};

use crate::handlersocket::command::HandlerSocketRefusal;
use crate::handlersocket::decode::unescape;

/// A text as a value of a column.
///
/// # Errors
/// `JSON` when the column is JSON and the text is none.
pub fn stored(column: &Column, text: &[u8]) -> Result<Value, HandlerSocketRefusal> {
    let converted = column.from_text(&as_read(&column.ty, text), Zone::UTC);
    match converted.issue {
        Some(Issue::InvalidJson(_)) => Err(HandlerSocketRefusal::JSON),
        _ => Ok(converted.value),
    }
}

/// A key token as a value of a column; NULL where none is allowed is the empty value.
///
/// # Errors
/// `ESCAPE` for a token with a broken escape.
pub fn key_value(column: &Column, token: &[u8]) -> Result<Value, HandlerSocketRefusal> {
    match unescape(token)? {
        Some(text) => Ok(from_text(&column.ty, &as_read(&column.ty, &text), Zone::UTC).value),
        None if column.nullable => Ok(Value::Null),
        // Not the implicit default: that of an ENUM is its first member.
        None => Ok(from_text(&column.ty, b"", Zone::UTC).value),
    }
}

/// What stands in a column that an insert does not give: its DEFAULT as in SQL, and the zero
/// value where that is NULL but must not be. `now` is the time in microseconds.
pub fn default_value(column: &Column, now: u64) -> Value {
    match &column.default {
        // The engine makes the value up.
        _ if column.auto_increment => Value::Null,
        DefaultValue::Literal(Some(text)) => from_text(&column.ty, text, Zone::UTC).value,
        DefaultValue::CurrentTimestamp => current_time(column, now),
        // The engine fills it in when the rest of the row is there.
        DefaultValue::Expression(_) | DefaultValue::Dropped => Value::Null,
        DefaultValue::None | DefaultValue::Literal(None) if column.nullable => Value::Null,
        DefaultValue::None | DefaultValue::Literal(None) => zero(column),
    }
}

fn current_time(column: &Column, now: u64) -> Value {
    match DateTime::from_micros(now as i64) {
        Some(now) => values::convert::convert(&column.ty, Datum::DateTime(now), Zone::UTC).value,
        None => zero(column),
    }
}

fn zero(column: &Column) -> Value {
    from_text(&column.ty, &implicit_default(&column.ty), Zone::UTC).value
}

/// A text as the original reads it: without what it does not read of a time, and with `?` for each
/// byte that belongs to no character, where a text of SQL ends.
fn as_read<'t>(ty: &ColumnType, text: &'t [u8]) -> Cow<'t, [u8]> {
    match ty {
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. } => {
            whole_characters(text)
        }
        ColumnType::Date
        | ColumnType::Time { .. }
        | ColumnType::DateTime { .. }
        | ColumnType::Timestamp { .. } => cut_fraction(ty, without_offset(text)),
        _ => Cow::Borrowed(text),
    }
}

fn whole_characters(text: &[u8]) -> Cow<'_, [u8]> {
    if std::str::from_utf8(text).is_ok() {
        return Cow::Borrowed(text);
    }
    let mut whole = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        whole.extend_from_slice(chunk.valid().as_bytes());
        whole.resize(whole.len() + chunk.invalid().len(), b'?');
    }
    Cow::Owned(whole)
}

/// The text without a `+01:00` at its end, if a date and a time to the second stand before it.
fn without_offset(text: &[u8]) -> &[u8] {
    let Some((before, [b'+' | b'-', h1, h2, b':', m1, m2])) =
        text.trim_ascii_end().split_last_chunk()
    else {
        return text;
    };
    let numbers =
        before.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty()).count();
    let offset = [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit());
    if offset && numbers >= 6 { before } else { text }
}

/// The text without the digits of a second's fraction that the column does not keep.
fn cut_fraction<'t>(ty: &ColumnType, text: &'t [u8]) -> Cow<'t, [u8]> {
    let fsp = match ty {
        ColumnType::Date => &0,
        ColumnType::Time { fsp } | ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => {
            fsp
        }
        _ => return Cow::Borrowed(text),
    };
    let Some(dot) = text.iter().rposition(|byte| *byte == b'.') else {
        return Cow::Borrowed(text);
    };
    // Only what follows the seconds is a fraction: '2020-01-02 03.04.05' has none.
    let colons = text[..dot].iter().filter(|byte| **byte == b':').count();
    let plain = text[..dot].iter().all(|byte| byte.is_ascii_digit() || b" +-".contains(byte));
    let digits = text[dot + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits <= usize::from(*fsp) || !(colons == 2 || (colons == 0 && plain)) {
        return Cow::Borrowed(text);
    }
    let mut cut = text[..dot + 1 + usize::from(*fsp)].to_vec();
    cut.extend_from_slice(&text[dot + 1 + digits..]);
    Cow::Owned(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_behind_the_seconds_are_cut() {
        let cut = |text: &str| {
            let out = cut_fraction(&ColumnType::DateTime { fsp: 2 }, text.as_bytes()).into_owned();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(cut("2020-01-02 03:04:05.6789Z"), "2020-01-02 03:04:05.67Z");
        assert_eq!(cut("2020-01-02 03.04.0555"), "2020-01-02 03.04.0555");
        assert_eq!(cut("20200102030405.999"), "20200102030405.99");
    }

    #[test]
    fn only_an_offset_behind_the_seconds_is_dropped() {
        let plain = |text: &str| String::from_utf8(without_offset(text.as_bytes()).into()).unwrap();
        assert_eq!(plain("2020-01-02 03:04:05+01:00"), "2020-01-02 03:04:05");
        assert_eq!(plain("2020-01-02 03:04:05.5-13:59 "), "2020-01-02 03:04:05.5");
        assert_eq!(plain("2020-01-02-03:04"), "2020-01-02-03:04");
        assert_eq!(plain("2020-01-02 03:04:05"), "2020-01-02 03:04:05");
        assert_eq!(plain("+01:00"), "+01:00");
    }
}
