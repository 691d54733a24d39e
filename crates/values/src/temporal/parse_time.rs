//! Reading lengths of time: '10:11:12.5', '-34 22:59', '101112', a number, or the time of day of
//! a full date.
//!
//! Not here: rounding to a column's digits (`convert`).

use super::datetime::DateTime;
use super::fraction::Fraction;
use super::parse::{Cursor, Days, NotRead, read_datetime_as};
use super::time::Time;
use super::zone::Zone;

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
    /// That date's moment, and the seconds of its zone east of UTC, where it names one. The length
    /// is that of the moment as it is written.
    pub offset: Option<(DateTime, i32)>,
}

impl ReadTime {
    /// The length; the time of day of a moment with a zone is that of another zone's clock.
    pub fn on_clock_of(self, zone: Zone) -> Time {
        let moved = self
            .offset
            .and_then(|(moment, offset)| zone.datetime_at(Zone::ahead(offset).instant_of(moment)?));
        moved.map_or(self.value, DateTime::time)
    }
}

/// Texts shorter than this are never a date with a time.
const DATETIME_BYTES_MIN: usize = 12;

/// Reads a length of time at the beginning of `text`; `None` if there is none.
pub fn read_time(text: &[u8]) -> Option<ReadTime> {
    read_time_or_why(text).ok()
}

/// The same, and why there is none.
///
/// # Errors
/// `NoSuchTime` for minutes or seconds above 59; `Unlike` for what does not look like a time.
pub(crate) fn read_time_or_why(text: &[u8]) -> Result<ReadTime, NotRead> {
    let mut cursor = Cursor::new(text);
    cursor.skip_spaces();
    let negative = cursor.skip(b'-');
    if !negative {
        cursor.skip(b'+');
    }
    cursor.skip_spaces();
    // What stands before a colon or a point may be left out, and all behind a sign.
    let begins_so = |byte: &u8| byte.is_ascii_digit() || *byte == b':' || *byte == b'.';
    if !cursor.rest.first().map_or(negative, begins_so) {
        return Err(NotRead::Unlike);
    }
    if cursor.rest.len() >= DATETIME_BYTES_MIN && !negative {
        match of_datetime(cursor.rest) {
            Some(Ok(read)) => return Ok(read),
            Some(Err(())) => return Err(NotRead::Unlike),
            None => {}
        }
    }
    let [days, hours, minutes, seconds] = read_clock(&mut cursor).ok_or(NotRead::Unlike)?;
    let mut fraction = Fraction::default();
    if cursor.skip(b'.') {
        fraction = cursor.fraction_of_time();
    }
    if has_exponent(cursor.rest) {
        return Err(NotRead::Unlike);
    }
    let hours = days.checked_mul(24).and_then(|of_days| of_days.checked_add(hours));
    let hours = hours.filter(|hours| days.max(*hours) <= u64::from(u32::MAX));
    let hours = hours.ok_or(NotRead::Unlike)?;
    if minutes > 59 || seconds > 59 {
        return Err(NotRead::NoSuchTime);
    }
    let value = Time::new(negative, hours as u32, minutes as u8, seconds as u8, fraction.micros)
        .and_then(|value| fraction.on_time(value, negative))
        .filter(|value| value.micros().abs() <= Time::LONGEST.micros());
    Ok(ReadTime {
        value: value.unwrap_or(Time::longest(negative)),
        lost: false,
        out_of_range: value.is_none(),
        garbage: !cursor.at_end(),
        of_day: false,
        offset: None,
    })
}

/// The time of day of a text that is a date; `None` if it is none, `Some(Err)` when it is one
/// that does not exist. Whether its month has the day is of no matter, as in MySQL 9.7.
fn of_datetime(text: &[u8]) -> Option<Result<ReadTime, ()>> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // No length of time has hours of four digits; of twelve digits without a sign a moment is made.
    match text.get(digits) {
        Some(b':') if digits != 4 => return None,
        Some(b'.') if text.get(digits + 1).is_some_and(u8::is_ascii_digit) && is_length(text) => {
            return None;
        }
        _ => {}
    }
    let (read, fraction) = match read_datetime_as(text, false, Days::Bound) {
        Ok(read) => read,
        Err(NotRead::Unlike) => return None,
        Err(NotRead::NoSuchTime | NotRead::NoSuchDay) => return Some(Err(())),
    };
    if read.date_only && read.garbage && !text.contains(&b':') {
        return None;
    }
    let value = read.value.time();
    Some(Ok(ReadTime {
        offset: read.offset.map(|offset| (read.value, offset)),
        // The second behind a day's last is its 24:00:00.
        value: fraction.on_time(value, false).unwrap_or(value),
        lost: !read.value.date().is_zero(),
        out_of_range: false,
        garbage: read.garbage,
        of_day: true,
    }))
}

/// Whether digits with a fraction are too few for a moment, and no other point follows.
fn is_length(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(text);
    let behind = whole + 1 + digits(&text[whole + 1..]);
    whole < DATETIME_BYTES_MIN && text.get(behind) != Some(&b'.')
}

/// Days, hours, minutes and seconds: `D H:M:S`, `D H:M`, `D H`, `H:M:S`, `H:M` or `HMMSS`.
fn read_clock(cursor: &mut Cursor<'_>) -> Option<[u64; 4]> {
    let first = cursor.digits(usize::MAX).unwrap_or(0);
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
    let hours = u32::try_from(magnitude / 10_000).unwrap_or(u32::MAX);
    // Whatever its minutes are then.
    let is_beyond = magnitude > Time::LONGEST.to_number().unsigned_abs();
    if !is_beyond && (minutes > 59 || seconds > 59) {
        return None;
    }
    let value = match is_beyond {
        true => None,
        false => Time::new(negative, hours, minutes, seconds, fraction.micros),
    };
    match value.and_then(|value| fraction.on_time(value, negative)) {
        Some(value) => Some((value, false)),
        None => Some((Time::longest(negative), true)),
    }
}
