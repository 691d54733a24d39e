//! DATE, TIME, DATETIME and TIMESTAMP.
//!
//! Fractions of a second round half up to the column's digits, as in MySQL (MariaDB cuts them); to
//! none at all for a DATE, whose day is then the next one at the end of a day.

use super::{Converted, Issue};
use crate::datum::{Datum, Value};
use crate::decimal::Decimal;
use crate::temporal::{
    Date, DateTime, Fraction, ReadDateTime, Time, Timestamp, Zone, number_to_datetime,
    number_to_time, read_datetime, read_time,
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
        return time_from_text(*fsp, text);
    }
    match read_datetime(text) {
        Some(read) => store(ty, moment(read, zone), zone),
        None => incorrect(ty),
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

/// A moment as a value of a DATE, TIME, DATETIME or TIMESTAMP column.
fn store(ty: &ColumnType, moment: Moment, zone: Zone) -> Converted {
    let Moment { value, issue, note, .. } = moment;
    match ty {
        ColumnType::Date => match value.round(0) {
            Some(rounded) => {
                // A fraction alone is not worth a note.
                let has_time = value.time().micros() >= 1_000_000 && rounded.time() != Time::ZERO;
                let lost = (note || has_time) && issue.is_none();
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
        ColumnType::DateTime { fsp } => match value.round(*fsp) {
            Some(value) => Converted { value: Value::DateTime(value), issue, note },
            None => Converted::with(Value::DateTime(DateTime::ZERO), Issue::OutOfRange),
        },
        ColumnType::Timestamp { fsp } => timestamp(*fsp, moment, zone),
        _ => incorrect(ty),
    }
}

fn timestamp(fsp: u8, moment: Moment, zone: Zone) -> Converted {
    let Moment { value, issue, note, .. } = moment;
    let zero = Value::Timestamp(Timestamp::ZERO);
    if !value.is_zero() && value.date().has_zero_part() {
        return Converted::with(zero, Issue::Incorrect { what: "datetime" });
    }
    let rounded = value.round(fsp);
    match rounded.and_then(|rounded| rounded.to_timestamp(zone)) {
        Some(instant) if rounded.is_some_and(|rounded| zone.leaves_out(rounded)) => {
            Converted::with(Value::Timestamp(instant), Issue::LeftOut)
        }
        Some(instant) => Converted { value: Value::Timestamp(instant), issue, note },
        None => Converted::with(zero, Issue::OutOfRange),
    }
}

fn fit_time(fsp: u8, value: Time) -> Converted {
    match value.round(fsp) {
        Some(value) => Converted::clean(Value::Time(value)),
        None => Converted::with(Value::Time(value.truncate(fsp)), Issue::OutOfRange),
    }
}

fn time_from_text(fsp: u8, text: &[u8]) -> Converted {
    let Some(read) = read_time(text) else {
        return incorrect(&ColumnType::Time { fsp });
    };
    if read.out_of_range {
        return beyond_time(fsp, read.value);
    }
    let mut converted = fit_time(fsp, read.value);
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
const DATE_NUMBERS: std::ops::Range<i64> = 10_000_000..99_991_231_235_959;

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
            None => incorrect(ty),
        },
        _ => match number_to_datetime(number, fraction) {
            Some((value, date_only)) => {
                // A day has no fraction of a second.
                let note = date_only && fraction.micros > 0;
                store(ty, Moment { note, ..Moment::of(value) }, zone)
            }
            None => incorrect(ty),
        },
    }
}

fn time_from_number(fsp: u8, number: i64, fraction: Fraction, negative: bool) -> Converted {
    match number_to_time(number, fraction, negative) {
        Some((value, false)) => fit_time(fsp, value),
        Some((value, true)) => beyond_time(fsp, value),
        None => incorrect(&ColumnType::Time { fsp }),
    }
}

fn beyond_time(fsp: u8, limit: Time) -> Converted {
    Converted::with(Value::Time(limit.truncate(fsp)), Issue::OutOfRange)
}

fn from_double(ty: &ColumnType, value: f64, zone: Zone) -> Converted {
    match (Decimal::from_f64(value), ty) {
        (Some(value), _) => from_decimal(ty, value, zone),
        (None, ColumnType::Time { fsp }) if !value.is_nan() => {
            beyond_time(*fsp, if value < 0.0 { Time::MIN } else { Time::MAX })
        }
        _ => incorrect(ty),
    }
}

/// The digits before the point are the date's or time's, those behind it a second's fraction.
fn from_decimal(ty: &ColumnType, value: Decimal, zone: Zone) -> Converted {
    match (Fraction::split(value), ty) {
        (Some((0, fraction)), ColumnType::Time { fsp }) => {
            time_from_number(*fsp, 0, fraction, value.is_negative())
        }
        (Some((0, _)), _) if value.is_negative() => incorrect(ty),
        (Some((whole, fraction)), _) => from_number(ty, whole, fraction, zone),
        (None, ColumnType::Time { fsp }) => {
            beyond_time(*fsp, if value.is_negative() { Time::MIN } else { Time::MAX })
        }
        _ => incorrect(ty),
    }
}
