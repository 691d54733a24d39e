//! Reading lengths of time: '10:11:12.5', '-34 22:59', '101112', a number, or the time of day of
//! a full date.
//!
//! Not here: rounding to a column's digits (`convert`).

use super::fraction::Fraction;
use super::parse::{Cursor, Days, NotRead, read_datetime_as};
use super::time::Time;

/// A length of time found at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadTime {
    /// The length, its fraction rounded to microseconds; the nearest there is when out of range.
    pub value: Time,
    /// Whether a day was left out.
    pub lost: bool,
    /// Whether it was beyond TIME's range.
    pub out_of_range: bool,
    /// Whether something other than spaces follows.
    pub garbage: bool,
    /// Whether it is the time of day of a full date.
    pub of_day: bool,
}

/// Texts shorter than this are never a date with a time.
const DATETIME_BYTES_MIN: usize = 12;

/// Reads a length of time at the beginning of `text`; `None` if there is none.
pub fn read_time(text: &[u8]) -> Option<ReadTime> {
    let mut cursor = Cursor::new(text);
    cursor.skip_spaces();
    let negative = cursor.skip(b'-');
    if !negative {
        cursor.skip(b'+');
    }
    cursor.skip_spaces();
    if !cursor.rest.first()?.is_ascii_digit() {
        return None;
    }
    if cursor.rest.len() >= DATETIME_BYTES_MIN && !negative {
        match of_datetime(cursor.rest) {
            Some(Ok(read)) => return Some(read),
            Some(Err(())) => return None,
            None => {}
        }
    }
    let [days, hours, minutes, seconds] = read_clock(&mut cursor)?;
    let mut fraction = Fraction::default();
    if cursor.skip(b'.') {
        fraction = cursor.fraction();
    }
    if has_exponent(cursor.rest) {
        return None;
    }
    let hours = days.checked_mul(24)?.checked_add(hours)?;
    if days > u64::from(u32::MAX) || hours > u64::from(u32::MAX) {
        return None;
    }
    if minutes > 59 || seconds > 59 {
        return None;
    }
    let value = Time::new(negative, hours as u32, minutes as u8, seconds as u8, fraction.micros)
        .and_then(|value| fraction.on_time(value, negative));
    Some(ReadTime {
        value: value.unwrap_or(if negative { Time::MIN } else { Time::MAX }),
        lost: false,
        out_of_range: value.is_none(),
        garbage: !cursor.at_end(),
        of_day: false,
    })
}

/// The time of day of a text that is a date; `None` if it is none, `Some(Err)` when it is one
/// that does not exist.
fn of_datetime(text: &[u8]) -> Option<Result<ReadTime, ()>> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // No length of time has hours of four digits.
    if text.get(digits) == Some(&b':') && digits != 4 {
        return None;
    }
    let (read, fraction) = match read_datetime_as(text, false, Days::Real) {
        Ok(read) => read,
        Err(NotRead::NoDate) => return None,
        Err(NotRead::NoSuchTime) => return Some(Err(())),
    };
    if read.date_only && read.garbage && !text.contains(&b':') {
        return None;
    }
    let value = read.value.time();
    Some(Ok(ReadTime {
        // The second behind a day's last is its 24:00:00.
        value: fraction.on_time(value, false).unwrap_or(value),
        lost: !read.value.date().is_zero(),
        out_of_range: false,
        garbage: read.garbage || read.offset.is_some(),
        of_day: true,
    }))
}

/// Days, hours, minutes and seconds: `D H:M:S`, `D H:M`, `D H`, `H:M:S`, `H:M` or `HMMSS`.
fn read_clock(cursor: &mut Cursor<'_>) -> Option<[u64; 4]> {
    let first = cursor.digits(usize::MAX)?;
    let spaces = cursor.skip_spaces();
    let digit = |at: usize| cursor.rest.get(at).is_some_and(u8::is_ascii_digit);
    let mut parts = [0; 4];
    let mut at;
    if spaces > 0 && cursor.rest.len() > 1 && digit(0) {
        parts[0] = first;
        at = 1;
    } else if cursor.rest.first() == Some(&b':') && digit(1) {
        parts[1] = first;
        at = 2;
        cursor.skip(b':');
    } else {
        return Some([0, first / 10_000, first / 100 % 100, first % 100]);
    }
    loop {
        parts[at] = cursor.digits(usize::MAX)?;
        at += 1;
        let more = cursor.rest.first() == Some(&b':')
            && cursor.rest.get(1).is_some_and(u8::is_ascii_digit);
        if at == 4 || !more {
            return Some(parts);
        }
        cursor.skip(b':');
    }
}

/// Whether an exponent follows, as in numbers, of which no time is made.
fn has_exponent(rest: &[u8]) -> bool {
    match rest {
        [b'e' | b'E', b'+' | b'-', digit, ..] | [b'e' | b'E', digit, ..] => digit.is_ascii_digit(),
        _ => false,
    }
}

/// The length that a number stands for, as -115959 or 8385959; `negative`: also where its digits
/// before the point are 0. `None` if there is none; the flag says whether it was beyond TIME's
/// range.
pub fn number_to_time(number: i64, fraction: Fraction, negative: bool) -> Option<(Time, bool)> {
    let magnitude = number.unsigned_abs();
    let (minutes, seconds) = ((magnitude / 100 % 100) as u8, (magnitude % 100) as u8);
    if minutes > 59 || seconds > 59 {
        return None;
    }
    let hours = u32::try_from(magnitude / 10_000).unwrap_or(u32::MAX);
    let value = Time::new(negative, hours, minutes, seconds, fraction.micros);
    match value.and_then(|value| fraction.on_time(value, negative)) {
        Some(value) => Some((value, false)),
        None => Some((if negative { Time::MIN } else { Time::MAX }, true)),
    }
}
