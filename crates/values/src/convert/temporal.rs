//! DATE, TIME, DATETIME and TIMESTAMP.
//!
//! Fractions of a second round half up to the column's digits, as in MySQL (MariaDB cuts them); to
//! none at all for a DATE, whose day is then the next one at the end of a day.

use super::{Converted, Issue};
use crate::datum::{Datum, Value};
use crate::decimal::Decimal;
use crate::temporal::{
    Date, DateTime, Fraction, NotRead, ReadDateTime, Time, Timestamp, Zone, number_to_datetime,
    number_to_time, read_datetime_or_why, read_time_or_why,
};
use crate::types::ColumnType;

/// A time with a date, on its way into a column.
#[derive(Clone, Copy)]
struct Moment {
    value: DateTime,
    issue: Option<Issue>,
    note: bool,
}

impl Moment {
    fn of(value: DateTime) -> Moment {
        Moment { value, issue: None, note: false }
    }
}

/// A column's value of text.
pub(super) fn from_text(ty: &ColumnType, text: &[u8], zone: Zone) -> Converted {
    if let ColumnType::Time { fsp } = ty {
        return time_from_text(*fsp, text, zone);
    }
    match read_datetime_or_why(text) {
        Ok(read) => store(ty, moment(read, zone), zone),
        Err(NotRead::NoSuchDay) => beyond(ty),
        Err(_) => incorrect(ty),
    }
}

/// What was read, on the clock of the session.
fn moment(read: ReadDateTime, zone: Zone) -> Moment {
    let shifted = read
        .offset
        .and_then(|offset| zone.datetime_at(Zone::ahead(offset).instant_of(read.value)?));
    Moment {
        value: shifted.unwrap_or(read.value),
        issue: read.garbage.then_some(Issue::Truncated),
        note: false,
    }
}

/// Zero, for what is no value of the type.
fn incorrect(ty: &ColumnType) -> Converted {
    let (value, what) = match ty {
        ColumnType::Date => (Value::Date(Date::ZERO), "date"),
        ColumnType::Time { .. } => (Value::Time(Time::ZERO), "time"),
        ColumnType::Timestamp { .. } => (Value::Timestamp(Timestamp::ZERO), "datetime"),
        _ => (Value::DateTime(DateTime::ZERO), "datetime"),
    };
    Converted::with(value, Issue::Incorrect { what })
}

/// Zero, for what the calendar does not reach.
fn beyond(ty: &ColumnType) -> Converted {
    Converted { issue: Some(Issue::OutOfRange), ..incorrect(ty) }
}

/// A moment as a value of a DATE, TIME, DATETIME or TIMESTAMP column.
fn store(ty: &ColumnType, moment: Moment, zone: Zone) -> Converted {
    let Moment { value, issue, note, .. } = moment;
    match ty {
        ColumnType::Date => match rounded_day(value, 0) {
            Some(rounded) => {
                let lost = (note || rounded.time() != Time::ZERO) && issue.is_none();
                Converted { value: Value::Date(rounded.date()), issue, note: lost }
            }
            None => Converted::with(Value::Date(Date::ZERO), Issue::OutOfRange),
        },
        ColumnType::Time { fsp } => {
            // A day's last half second is its 24:00:00.
            let time = value.time();
            let rounded = time.round(*fsp).unwrap_or_else(|| time.truncate(*fsp));
            Converted { value: Value::Time(rounded), issue, note }
        }
        ColumnType::DateTime { fsp } => match rounded_day(value, *fsp) {
            Some(value) => Converted { value: Value::DateTime(value), issue, note },
            None => Converted::with(Value::DateTime(DateTime::ZERO), Issue::OutOfRange),
        },
        ColumnType::Timestamp { fsp } => timestamp(*fsp, moment, zone),
        _ => incorrect(ty),
    }
}

/// A moment with so many digits of a fraction; `None` past the calendar's end, and where the day
/// zero would get a time of day that nobody said.
fn rounded_day(value: DateTime, fsp: u8) -> Option<DateTime> {
    let rounded = value.round(fsp)?;
    let is_zero = value.date().is_zero() && value.time().micros() < 1_000_000;
    (!is_zero || rounded.time() <= value.time()).then_some(rounded)
}

fn timestamp(fsp: u8, moment: Moment, zone: Zone) -> Converted {
    let Moment { value, issue, note, .. } = moment;
    let zero = Value::Timestamp(Timestamp::ZERO);
    let rounded = rounded_day(value, fsp);
    if rounded.is_some_and(|rounded| !rounded.is_zero() && rounded.date().has_zero_part()) {
        return Converted::with(zero, Issue::OutOfRange);
    }
    match rounded.and_then(|rounded| rounded.to_timestamp(zone)) {
        Some(instant) if rounded.is_some_and(|rounded| zone.leaves_out(rounded)) => {
            Converted::with(Value::Timestamp(instant), Issue::LeftOut)
        }
        Some(instant) => Converted { value: Value::Timestamp(instant), issue, note },
        None => Converted::with(zero, Issue::OutOfRange),
    }
}

fn fit_time(fsp: u8, value: Time) -> Converted {
    let rounded =
        value.round(fsp).filter(|rounded| rounded.micros().abs() <= Time::LONGEST.micros());
    match rounded {
        Some(value) => Converted::clean(Value::Time(value)),
        None => beyond_time(value.is_negative()),
    }
}

fn time_from_text(fsp: u8, text: &[u8], zone: Zone) -> Converted {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Converted::clean(Value::Time(Time::ZERO));
    }
    let read = match read_time_or_why(text) {
        Ok(read) => read,
        Err(why) => {
            let is_time = why != NotRead::Unlike;
            let issue = is_time.then_some(Issue::OutOfRange);
            let converted = incorrect(&ColumnType::Time { fsp });
            return Converted { issue: issue.or(converted.issue), ..converted };
        }
    };
    if read.out_of_range {
        return beyond_time(read.value.is_negative());
    }
    let mut converted = fit_time(fsp, read.on_clock_of(zone));
    if converted.issue.is_none() {
        converted.issue = read.garbage.then_some(Issue::Truncated);
        converted.note = read.lost && !read.garbage;
    }
    converted
}

/// A column's value of anything but NULL and text.
pub(super) fn from_datum(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> Converted {
    let is_time = matches!(ty, ColumnType::Time { .. });
    match datum {
        Datum::Date(value) => store(ty, Moment::of(DateTime::from_date(value)), zone),
        Datum::DateTime(value) => store(ty, Moment::of(value), zone),
        Datum::Timestamp(value) => match ty {
            // The instant itself, not what a clock shows of it.
            ColumnType::Timestamp { fsp } => {
                let rounded = value.round(*fsp).unwrap_or_else(|| value.truncate(*fsp));
                Converted::clean(Value::Timestamp(rounded))
            }
            _ => store(ty, Moment::of(value.to_datetime(zone)), zone),
        },
        Datum::Time(value) if is_time => fit_time(ty.fsp(), value),
        Datum::Time(_) => incorrect(ty),
        Datum::Int(value) => from_number(ty, value, Fraction::default(), zone),
        Datum::UInt(value) | Datum::Set(value) => match i64::try_from(value) {
            Ok(value) => from_number(ty, value, Fraction::default(), zone),
            Err(_) => from_number(ty, i64::MAX, Fraction::default(), zone),
        },
        Datum::Year(value) | Datum::Enum(value) => {
            from_number(ty, i64::from(value), Fraction::default(), zone)
        }
        Datum::Float(value) => from_double(ty, f64::from(value), zone),
        Datum::Double(value) => from_double(ty, value, zone),
        Datum::Decimal(value) => from_decimal(ty, value, zone),
        Datum::Bytes(text) => from_text(ty, text, zone),
        Datum::Null => Converted::clean(Value::Null),
    }
}

/// Numbers that a TIME column takes for a date with a time.
const DATE_NUMBERS: std::ops::Range<i64> = 10_000_000_000..LAST_MOMENT;
/// The last moment of the calendar.
const LAST_MOMENT: i64 = 99_991_231_235_959;

fn from_number(ty: &ColumnType, number: i64, fraction: Fraction, zone: Zone) -> Converted {
    match ty {
        ColumnType::Time { fsp } if !DATE_NUMBERS.contains(&number) => {
            time_from_number(*fsp, number, fraction, number < 0)
        }
        ColumnType::Time { .. } => match number_to_datetime(number, Fraction::default()) {
            Some((value, true)) => store(ty, Moment { note: true, ..Moment::of(value) }, zone),
            Some((value, false)) => {
                let time = value.with_micros(fraction.micros).time();
                let time = fraction.on_time(time, false).unwrap_or(time);
                Converted { note: true, ..fit_time(ty.fsp(), time) }
            }
            None => beyond_time(false),
        },
        _ => match number_to_datetime(number, fraction) {
            Some((value, date_only)) => {
                // A day has no fraction of a second.
                let issue = (date_only && fraction.micros > 0).then_some(Issue::Truncated);
                store(ty, Moment { issue, ..Moment::of(value) }, zone)
            }
            None if !(0..=LAST_MOMENT).contains(&number) => beyond(ty),
            None => incorrect(ty),
        },
    }
}

fn time_from_number(fsp: u8, number: i64, fraction: Fraction, negative: bool) -> Converted {
    match number_to_time(number, fraction, negative) {
        Some((value, false)) => fit_time(fsp, value),
        Some((_, true)) => beyond_time(negative),
        // Its minutes or seconds are 60 or more.
        None => Converted::with(Value::Time(Time::ZERO), Issue::OutOfRange),
    }
}

fn beyond_time(is_negative: bool) -> Converted {
    Converted::with(Value::Time(Time::longest(is_negative)), Issue::OutOfRange)
}

fn from_double(ty: &ColumnType, value: f64, zone: Zone) -> Converted {
    match (Decimal::from_f64(value), ty) {
        (Some(value), _) => from_decimal(ty, value, zone),
        (None, ColumnType::Time { .. }) if !value.is_nan() => beyond_time(value < 0.0),
        (None, _) => beyond(ty),
    }
}

/// The digits before the point are the date's or time's, those behind it a second's fraction.
fn from_decimal(ty: &ColumnType, value: Decimal, zone: Zone) -> Converted {
    match (Fraction::split(value), ty) {
        (Some((0, fraction)), ColumnType::Time { fsp }) => {
            time_from_number(*fsp, 0, fraction, value.is_negative())
        }
        (Some((0, _)), _) if value.is_negative() => beyond(ty),
        (Some((whole, fraction)), _) => from_number(ty, whole, fraction, zone),
        (None, ColumnType::Time { .. }) => beyond_time(value.is_negative()),
        _ => beyond(ty),
    }
}
