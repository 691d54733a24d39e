//! DATE, TIME, DATETIME and TIMESTAMP.
//!
//! Fractions of a second round half up to the column's digits, as in MySQL (MariaDB cuts them).

use super::{Converted, Issue};
use crate::datum::{Datum, Value};
use crate::decimal::Decimal;
use crate::temporal::{
    Date, DateTime, ReadDateTime, Time, Timestamp, Zone, number_to_datetime, number_to_time,
    read_datetime, read_time,
};
use crate::types::ColumnType;

/// A time with a date, on its way into a column.
#[derive(Clone, Copy)]
struct Moment {
    value: DateTime,
    /// Whether digits behind the microseconds round up.
    round_up: bool,
    issue: Option<Issue>,
    note: bool,
}

impl Moment {
    fn of(value: DateTime) -> Moment {
        Moment { value, round_up: false, issue: None, note: false }
    }

    /// The moment with `fsp` digits of its fraction; `None` past the calendar's end.
    fn rounded(&self, fsp: u8) -> Option<DateTime> {
        if fsp < 6 || !self.round_up {
            return self.value.round(fsp);
        }
        match self.value.micros() {
            999_999 => self.value.round(0),
            micros => {
                let value = self.value;
                DateTime::new(
                    value.date(),
                    value.hour(),
                    value.minute(),
                    value.second(),
                    micros + 1,
                )
            }
        }
    }
}

/// A day's length, which no time of day has.
const DAY: Time = match Time::from_micros(86_400_000_000) {
    Some(day) => day,
    None => Time::MAX,
};

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
    let shifted = read.offset.and_then(|offset| {
        let shift = i64::from(zone.offset_seconds) - i64::from(offset);
        DateTime::from_micros(read.value.to_micros()? + shift * 1_000_000)
    });
    Moment {
        value: shifted.unwrap_or(read.value),
        round_up: read.round_up,
        issue: read.garbage.then_some(Issue::Truncated),
        note: read.digits_lost && !read.garbage,
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
        ColumnType::Date => {
            // A fraction alone is not worth a note.
            let has_time = value.time().micros() >= 1_000_000;
            let lost = (note || has_time) && issue.is_none();
            Converted { value: Value::Date(value.date()), issue, note: lost }
        }
        ColumnType::Time { fsp } => {
            let lost = (note || !value.date().is_zero()) && issue.is_none();
            let rounded = moment.rounded(*fsp).unwrap_or_else(|| value.truncate(*fsp));
            Converted { value: Value::Time(rounded.time()), issue, note: lost }
        }
        ColumnType::DateTime { fsp } => match moment.rounded(*fsp) {
            Some(value) => Converted { value: Value::DateTime(value), issue, note },
            None => {
                Converted::with(Value::DateTime(value.truncate(*fsp)), Issue::OutOfRange)
            }
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
    match moment.rounded(fsp).and_then(|rounded| rounded.to_timestamp(zone)) {
        Some(instant) => Converted { value: Value::Timestamp(instant), issue, note },
        None => Converted::with(zero, Issue::OutOfRange),
    }
}

fn fit_time(fsp: u8, value: Time, round_up: bool) -> Converted {
    let raised = match (fsp, round_up) {
        (6, true) => Time::from_micros(value.micros() + if value.is_negative() { -1 } else { 1 }),
        _ => Some(value),
    };
    match raised.and_then(|raised| raised.round(fsp)) {
        Some(value) => Converted::clean(Value::Time(value)),
        None => Converted::with(Value::Time(value.truncate(fsp)), Issue::OutOfRange),
    }
}

fn time_from_text(fsp: u8, text: &[u8]) -> Converted {
    let Some(read) = read_time(text) else {
        return incorrect(&ColumnType::Time { fsp });
    };
    if read.out_of_range {
        return Converted::with(Value::Time(read.value.truncate(fsp)), Issue::OutOfRange);
    }
    let mut converted = fit_time(fsp, read.value, read.round_up);
    if read.of_day && converted.value == Value::Time(DAY) {
        converted.value = Value::Time(Time::ZERO);
    }
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
        Datum::Time(value) if is_time => fit_time(ty.fsp(), value, false),
        Datum::Time(_) => incorrect(ty),
        Datum::Int(value) => from_number(ty, value, 0, zone),
        Datum::UInt(value) => match i64::try_from(value) {
            Ok(value) => from_number(ty, value, 0, zone),
            Err(_) => from_number(ty, i64::MAX, 0, zone),
        },
        Datum::Year(value) | Datum::Enum(value) => from_number(ty, i64::from(value), 0, zone),
        Datum::Float(value) => from_double(ty, f64::from(value), zone),
        Datum::Double(value) => from_double(ty, value, zone),
        Datum::Decimal(value) => from_decimal(ty, value, zone),
        Datum::Bytes(text) => from_text(ty, text, zone),
        Datum::Null => Converted::clean(Value::Null),
    }
}

fn from_number(ty: &ColumnType, number: i64, micros: u32, zone: Zone) -> Converted {
    if let ColumnType::Time { fsp } = ty {
        return match number_to_time(number, micros) {
            Some((value, false)) => fit_time(*fsp, value, false),
            Some((value, true)) => {
                Converted::with(Value::Time(value.truncate(*fsp)), Issue::OutOfRange)
            }
            None => incorrect(ty),
        };
    }
    match number_to_datetime(number, micros) {
        Some((value, _)) => store(ty, Moment::of(value), zone),
        None => incorrect(ty),
    }
}

fn from_double(ty: &ColumnType, value: f64, zone: Zone) -> Converted {
    match Decimal::from_f64(value) {
        Some(value) => from_decimal(ty, value, zone),
        None => incorrect(ty),
    }
}

/// The digits before the point are the date's or time's, those behind it a second's fraction.
fn from_decimal(ty: &ColumnType, value: Decimal, zone: Zone) -> Converted {
    let parts = || {
        let whole = value.truncate(0)?;
        let fraction = value.checked_sub(whole)?.abs().truncate(6)?;
        Some((whole.to_i64()?, fraction.unscaled().as_u32()))
    };
    match parts() {
        Some((0, micros)) if value.is_negative() => from_small_negative(ty, micros),
        Some((whole, micros)) => from_number(ty, whole, micros, zone),
        None => incorrect(ty),
    }
}

/// A number between -1 and 0, whose sign is not in its whole part.
fn from_small_negative(ty: &ColumnType, micros: u32) -> Converted {
    match (ty, Time::from_micros(-i64::from(micros))) {
        (ColumnType::Time { fsp }, Some(value)) => fit_time(*fsp, value, false),
        _ => incorrect(ty),
    }
}
