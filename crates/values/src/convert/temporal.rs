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
            micros => Some(self.value.with_micros(micros + 1)),
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
    let shifted = read
        .offset
        .and_then(|offset| zone.datetime_at(Zone::ahead(offset).instant_of(read.value)?));
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
            None => Converted::with(Value::DateTime(value.truncate(*fsp)), Issue::OutOfRange),
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
    let rounded = moment.rounded(fsp);
    match rounded.and_then(|rounded| rounded.to_timestamp(zone)) {
        Some(instant) if rounded.is_some_and(|rounded| zone.leaves_out(rounded)) => {
            Converted::with(Value::Timestamp(instant), Issue::LeftOut)
        }
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
        return beyond_time(fsp, read.value);
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
    let Fraction { micros, round_up } = fraction;
    match ty {
        ColumnType::Time { fsp } if !DATE_NUMBERS.contains(&number) => {
            match number_to_time(number, micros) {
                Some((value, false)) => fit_time(*fsp, value, round_up),
                Some((value, true)) => beyond_time(*fsp, value),
                None => incorrect(ty),
            }
        }
        _ => match number_to_datetime(number, 0) {
            Some((value, date_only)) => {
                let mut moment = Moment { round_up, ..Moment::of(value) };
                if date_only {
                    // A day has no fraction of a second.
                    moment.note = micros > 0;
                    moment.round_up = false;
                } else {
                    moment.value = value.with_micros(micros);
                }
                store(ty, moment, zone)
            }
            None => incorrect(ty),
        },
    }
}

fn beyond_time(fsp: u8, limit: Time) -> Converted {
    Converted::with(Value::Time(limit.truncate(fsp)), Issue::OutOfRange)
}

/// What stands behind a number's point, as a fraction of a second.
#[derive(Clone, Copy, Default)]
struct Fraction {
    micros: u32,
    /// Whether the next digit is 5 or more.
    round_up: bool,
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
    let parts = || {
        let whole = value.truncate(0)?;
        let digits = value.checked_sub(whole)?.abs().truncate(7)?.unscaled().as_u32();
        Some((whole.to_i64(), Fraction { micros: digits / 10, round_up: digits % 10 >= 5 }))
    };
    match (parts(), ty) {
        (Some((Some(0), fraction)), _) if value.is_negative() => from_small_negative(ty, fraction),
        (Some((Some(whole), fraction)), _) => from_number(ty, whole, fraction, zone),
        (_, ColumnType::Time { fsp }) => {
            beyond_time(*fsp, if value.is_negative() { Time::MIN } else { Time::MAX })
        }
        _ => incorrect(ty),
    }
}

/// A number between -1 and 0, whose sign is not in its whole part.
fn from_small_negative(ty: &ColumnType, fraction: Fraction) -> Converted {
    match (ty, Time::from_micros(-i64::from(fraction.micros))) {
        (ColumnType::Time { fsp }, Some(value)) => fit_time(*fsp, value, fraction.round_up),
        _ => incorrect(ty),
    }
}
