//! Reading dates: MySQL's many spellings, from text and from numbers.
//!
//! Parts in order year, month, day, hour, minute, second, fraction, either all digits
//! ('20240131235959.5', '240131') or with any punctuation between them ('2024-1-31', '24/01/31
//! 23.59'); `T` or spaces between day and hour; years of two digits mean 1970 to 2069. A distance
//! from UTC may follow a full time ('+05:30'), as in MySQL 8.
//!
//! Digits behind the microseconds round them half up while a moment is read (MySQL 9.7 answers so:
//! tests/oracle/sql/times.sql), so that what a column makes of it is rounded twice.
//!
//! Not here: rounding to a column's digits and what becomes of bad dates (`convert`).

use super::date::Date;
use super::datetime::DateTime;
use super::fraction::Fraction;
use crate::decimal::is_space;

/// A date found at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadDateTime {
    /// The time, its fraction rounded to microseconds.
    pub value: DateTime,
    /// Seconds ahead of UTC, if the text says so.
    pub offset: Option<i32>,
    /// Whether something other than spaces follows.
    pub garbage: bool,
    /// Whether it was a day without a time.
    pub date_only: bool,
}

/// What a byte means to the reader.
pub(super) struct Cursor<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Cursor<'a> {
        Cursor { rest }
    }

    pub(super) fn skip_spaces(&mut self) -> usize {
        let count = self.rest.iter().take_while(|byte| is_space(**byte)).count();
        self.rest = &self.rest[count..];
        count
    }

    pub(super) fn skip(&mut self, wanted: u8) -> bool {
        let found = self.rest.first() == Some(&wanted);
        self.rest = &self.rest[usize::from(found)..];
        found
    }

    /// Up to `most` digits as a number, kept below 2^40; `None` if there is none.
    pub(super) fn digits(&mut self, most: usize) -> Option<u64> {
        let count = self.rest.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        let value = digits
            .iter()
            .fold(0u64, |value, byte| (value * 10 + u64::from(byte - b'0')).min(1 << 40));
        (count > 0).then_some(value)
    }

    /// The digits of a fraction.
    pub(super) fn fraction(&mut self) -> Fraction {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        let micros = (0..6).fold(0, |micros, at| {
            micros * 10 + digits.get(at).map_or(0, |byte| u32::from(byte - b'0'))
        });
        let round_up = digits.get(6).is_some_and(|byte| *byte >= b'5');
        Fraction { micros, round_up }
    }

    /// The digits of a fraction of a length of time, of which the last one rounds, whatever stands
    /// before it (MySQL 9.7: tests/oracle/sql/functions-read-again.sql).
    pub(super) fn fraction_of_time(&mut self) -> Fraction {
        let before = self.rest;
        let fraction = self.fraction();
        let count = before.len() - self.rest.len();
        let round_up = count > 6 && before[count - 1] >= b'5';
        Fraction { round_up, ..fraction }
    }

    /// Whether nothing but spaces is left.
    pub(super) fn at_end(&self) -> bool {
        self.rest.iter().all(|byte| is_space(*byte))
    }
}

/// The parts read so far; what is missing is 0.
#[derive(Default)]
struct Parts {
    values: [u64; 6],
    count: usize,
}

/// Why reading parts stopped before the end.
enum Stop {
    /// The next byte does not belong to a date.
    Strange,
    /// The text is no date at all.
    NoDate,
}

/// Why a text is not read as a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotRead {
    /// It does not look like one.
    Unlike,
    /// It looks like one, but there is no such month or time of day.
    NoSuchTime,
    /// Its month has not so many days.
    NoSuchDay,
}

/// Which days there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Days {
    /// Those of the calendar.
    Real,
    /// Of every month 31.
    Bound,
}

/// Reads a date or a time with a date at the beginning of `text`. `None` if there is none or the
/// calendar has no such day.
pub fn read_datetime(text: &[u8]) -> Option<ReadDateTime> {
    read_datetime_or_why(text).ok()
}

/// The same, and why there is none.
///
/// # Errors
/// Each `NotRead`.
pub(crate) fn read_datetime_or_why(text: &[u8]) -> Result<ReadDateTime, NotRead> {
    rounded(read_datetime_as(text, true, Days::Real))
}

/// The same of what days are only compared with: it may be a day that its month has not, such as
/// the '2024-02-31' of those who want all of February.
pub fn read_bound(text: &[u8]) -> Option<ReadDateTime> {
    rounded(read_datetime_as(text, true, Days::Bound)).ok()
}

fn rounded(read: Result<(ReadDateTime, Fraction), NotRead>) -> Result<ReadDateTime, NotRead> {
    let (read, fraction) = read?;
    match fraction.round_up {
        true => {
            let value = fraction.on_datetime(read.value).ok_or(NotRead::NoSuchTime)?;
            Ok(ReadDateTime { value, ..read })
        }
        false => Ok(read),
    }
}

/// As `read_datetime`, with the fraction that is in the value, which is not rounded yet; without
/// `any_separator` only `T` and spaces may stand before the hour.
pub(super) fn read_datetime_as(
    text: &[u8],
    any_separator: bool,
    days: Days,
) -> Result<(ReadDateTime, Fraction), NotRead> {
    let mut cursor = Cursor::new(text);
    cursor.skip_spaces();
    cursor.skip(b'+');
    let mut parts = Parts::default();
    let year_digits;
    let stopped;
    let plain = plain_digits(cursor.rest);
    match plain {
        Some(digits) => {
            year_digits = if digits == 4 || digits == 8 || digits >= 14 { 4 } else { 2 };
            stopped = read_plain(&mut cursor, &mut parts, year_digits);
        }
        None => {
            let start = cursor.rest.len();
            parts.values[0] = cursor.digits(usize::MAX).ok_or(NotRead::Unlike)?;
            parts.count = 1;
            year_digits = start - cursor.rest.len();
            match read_separated(&mut cursor, &mut parts, any_separator) {
                Ok(()) => stopped = false,
                Err(Stop::Strange) => stopped = true,
                Err(Stop::NoDate) => return Err(NotRead::Unlike),
            }
        }
    }
    // A dotted text such as '0.0.0.5' is no day of the year 2000.
    let is_address = plain.is_some_and(|digits| digits < 3) && parts.values[1] == 0;
    if parts.count < 3 || is_address {
        return Err(NotRead::Unlike);
    }
    let mut fraction = Fraction::default();
    if !stopped && cursor.skip(b'.') {
        fraction = cursor.fraction();
    }
    let offset = if parts.count == 6 { read_offset(&mut cursor) } else { None };
    let zero = parts.values == [0; 6] && fraction.micros == 0;
    if year_digits == 2 && !zero {
        parts.values[0] += if parts.values[0] < 70 { 2000 } else { 1900 };
    }
    let read = ReadDateTime {
        value: valid(&parts.values, fraction.micros, days).ok_or_else(|| {
            match valid(&parts.values, fraction.micros, Days::Bound) {
                Some(_) => NotRead::NoSuchDay,
                None => NotRead::NoSuchTime,
            }
        })?,
        offset,
        garbage: stopped || !cursor.at_end(),
        date_only: parts.count == 3,
    };
    Ok((read, fraction))
}

/// Digits at the beginning, if nothing or a point follows them, but for a `T` among them.
fn plain_digits(text: &[u8]) -> Option<usize> {
    let count = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut digits = count(text);
    let mut at = digits;
    if text.get(at) == Some(&b'T') {
        let more = count(&text[at + 1..]);
        digits += more;
        at += 1 + more;
    }
    matches!(text.get(at), None | Some(b'.')).then_some(digits)
}

/// Reads parts of fixed width; says whether something did not fit.
fn read_plain(cursor: &mut Cursor<'_>, parts: &mut Parts, year_digits: usize) -> bool {
    for at in 0..6 {
        if at == 3 {
            cursor.skip(b'T');
            cursor.skip_spaces();
        }
        // Behind anything but the seconds a point is no fraction's.
        while at > 0 && cursor.rest.first().is_some_and(u8::is_ascii_punctuation) {
            cursor.rest = &cursor.rest[1..];
        }
        if cursor.rest.is_empty() {
            return false;
        }
        let Some(value) = cursor.digits(if at == 0 { year_digits } else { 2 }) else {
            return cursor.rest[0] != b'.';
        };
        parts.values[at] = value;
        parts.count = at + 1;
    }
    false
}

/// Reads the parts behind the year, each behind its separator.
fn read_separated(
    cursor: &mut Cursor<'_>,
    parts: &mut Parts,
    any_separator: bool,
) -> Result<(), Stop> {
    for at in 1..6 {
        let Some(next) = cursor.rest.first() else {
            return Ok(());
        };
        if at == 3 && is_space(*next) {
            cursor.skip_spaces();
        } else if at == 3 && *next == b'T' || next.is_ascii_punctuation() {
            if at == 3 && *next != b'T' && !any_separator {
                return Err(Stop::NoDate);
            }
            cursor.rest = &cursor.rest[1..];
        } else {
            return Err(Stop::Strange);
        }
        while any_separator && cursor.rest.first().is_some_and(u8::is_ascii_punctuation) {
            cursor.rest = &cursor.rest[1..];
        }
        if cursor.rest.is_empty() {
            return Ok(());
        }
        parts.values[at] = cursor.digits(usize::MAX).ok_or(Stop::Strange)?;
        parts.count = at + 1;
    }
    Ok(())
}

/// Reads a distance from UTC between -13:59 and +14:00 that ends the text.
fn read_offset(cursor: &mut Cursor<'_>) -> Option<i32> {
    let [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2, rest @ ..] = cursor.rest else {
        return None;
    };
    let digits = [*h1, *h2, *m1, *m2];
    if !digits.iter().all(u8::is_ascii_digit) || !Cursor::new(rest).at_end() {
        return None;
    }
    let [h1, h2, m1, m2] = digits.map(|byte| i32::from(byte - b'0'));
    let (hours, minutes) = (h1 * 10 + h2, m1 * 10 + m2);
    let seconds = hours * 3600 + minutes * 60;
    let most = if *sign == b'+' { 14 * 3600 } else { 14 * 3600 - 60 };
    if minutes > 59 || seconds > most {
        return None;
    }
    cursor.rest = rest;
    Some(if *sign == b'+' { seconds } else { -seconds })
}

/// The time of these parts, if there is one.
fn valid(parts: &[u64; 6], micros: u32, days: Days) -> Option<DateTime> {
    let small = |at: usize| u8::try_from(parts[at]).ok();
    let (year, month, day) = (u16::try_from(parts[0]).ok()?, small(1)?, small(2)?);
    let date = match days {
        Days::Real => Date::new(year, month, day)?,
        Days::Bound => Date::bound(year, month, day)?,
    };
    DateTime::new(date, small(3)?, small(4)?, small(5)?, micros)
}

/// The time that a number stands for: 240131, 20240131, 240131235959 or 20240131235959, and
/// whether it was a day without a time, which has no fraction. `None` if there is no such time.
pub fn number_to_datetime(number: i64, fraction: Fraction) -> Option<(DateTime, bool)> {
    number_to_datetime_as(number, fraction, Days::Real)
}

/// The same of what days are only compared with, as `read_bound`.
pub fn number_to_bound(number: i64, fraction: Fraction) -> Option<(DateTime, bool)> {
    number_to_datetime_as(number, fraction, Days::Bound)
}

fn number_to_datetime_as(number: i64, fraction: Fraction, days: Days) -> Option<(DateTime, bool)> {
    let (full, date_only) = match number {
        0 => (0, false),
        101..=691_231 => ((number + 20_000_000) * 1_000_000, true),
        700_101..=991_231 => ((number + 19_000_000) * 1_000_000, true),
        991_232..=99_991_231 => (number * 1_000_000, true),
        101_000_000..=691_231_235_959 => (number + 20_000_000_000_000, false),
        700_101_000_000..=991_231_235_959 => (number + 19_000_000_000_000, false),
        991_231_235_960.. => (number, false),
        _ => return None,
    };
    let full = full as u64;
    let (day, clock) = (full / 1_000_000, full % 1_000_000);
    let parts =
        [day / 10_000, day / 100 % 100, day % 100, clock / 10_000, clock / 100 % 100, clock % 100];
    let value = valid(&parts, 0, days)?;
    Some((if date_only { value } else { fraction.on_datetime(value)? }, date_only))
}
