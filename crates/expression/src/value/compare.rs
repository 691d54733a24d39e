//! Comparing values of any two kinds, as MySQL does.
//!
//! Texts compare under a collation; a time compares with a text or a number that is read as a
//! time; numbers compare exactly where both are exact, else as doubles; a text against a number is
//! a double; JSON compares with the JSON that the other side would be.

use std::cmp::Ordering;

use values::SqlMode;
use values::collation;
use values::convert::{Issue, convert};
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::temporal::{
    Date, DateTime, Fraction, ReadDateTime, ReadTime, Time, Zone, number_to_bound,
    number_to_datetime, read_datetime, read_time,
};
use values::types::{Collation, ColumnType};

use crate::value::cell::text_of;
use crate::value::json::conversion::json_order;
use crate::value::moments_read::read_kept;
use crate::value::number::Number;
use crate::value::types::UNTYPED;

/// A number above has a time of day behind its day.
const DAYS_ALONE_MAX: u32 = 99_999_999;

/// Whether a text says a day that the calendar has and the mode allows, as what is compared with
/// days is to be; if so, whether that is all of the text.
pub fn is_day_of_mode(text: &[u8], mode: SqlMode) -> Option<bool> {
    let read = read_kept(text)?;
    let day = read.value.date();
    let is_real = day.has_zero_part() || mode.allows_invalid_dates() || day.is_real();
    (is_real && !mode.refuses_day(day, read.value.is_zero())).then_some(!read.garbage)
}

/// Whether a number says a day, as what is compared with days is to be; a day behind the last one
/// of its month is one, and so is 0. A day alone has no fraction.
pub fn says_day(number: Datum<'_>) -> bool {
    let of_day = |(number, _): (Number, bool)| {
        let number = number.to_f64();
        number < f64::from(DAYS_ALONE_MAX) && number.fract() != 0.0
    };
    let has_fraction = Number::of(number, Zone::UTC).is_some_and(of_day);
    let day = bound(number, Zone::UTC).filter(|_| !has_fraction);
    day.is_some_and(|day| day.is_zero() || !day.date().has_zero_part())
}

/// Whether a number says a time of day, or a length of time.
pub fn says_time(number: Datum<'_>) -> bool {
    span(number, Zone::UTC).is_some()
}

/// The time of day, or length of time, that a text says as a whole.
pub fn time_of_whole(text: &[u8]) -> Option<Time> {
    let whole = |read: &ReadTime| !read.garbage && !read.out_of_range && read.offset.is_none();
    read_time(text).filter(whole).map(|read| read.value)
}

/// What a text that stands among others beside a time of day is there: what is none is zero (MySQL
/// 9.7: tests/oracle/sql/words-beside-days.sql).
pub fn as_time_among(datum: Datum<'_>) -> Datum<'_> {
    match datum {
        Datum::Bytes(text) => Datum::Time(read_time(text).map_or(Time::ZERO, |read| read.value)),
        other => other,
    }
}

/// The order of two values; `None` if one is NULL. The types are the nodes', for ENUM and SET.
pub fn compare(
    (a, a_ty): (Datum<'_>, &ColumnType),
    (b, b_ty): (Datum<'_>, &ColumnType),
    rule: Collation,
    zone: Zone,
) -> Option<Ordering> {
    match (a, b) {
        (Datum::Null, _) | (_, Datum::Null) => None,
        (Datum::Int(x), Datum::Int(y)) => Some(x.cmp(&y)),
        (Datum::UInt(x), Datum::UInt(y)) => Some(x.cmp(&y)),
        (Datum::Date(x), Datum::Date(y)) => Some(x.cmp(&y)),
        (Datum::Time(x), Datum::Time(y)) => Some(x.cmp(&y)),
        (Datum::DateTime(x), Datum::DateTime(y)) => Some(x.cmp(&y)),
        (Datum::Timestamp(x), Datum::Timestamp(y)) => Some(x.cmp(&y)),
        _ if *a_ty == ColumnType::Json || *b_ty == ColumnType::Json => {
            Some(json_order((a, a_ty), (b, b_ty), zone))
        }
        (Datum::Bytes(x), Datum::Bytes(y)) => Some(collation::compare(rule, x, y)),
        (Datum::Enum(x), Datum::Enum(y)) if x == y && a_ty == b_ty => Some(Ordering::Equal),
        (Datum::Set(x), Datum::Set(y)) if x == y && a_ty == b_ty => Some(Ordering::Equal),
        // An ENUM or SET is its words beside anything but a number.
        (Datum::Enum(_) | Datum::Set(_), _) if !is_number(b) => {
            let mut word = Vec::new();
            text_of(a_ty, a, zone, &mut word);
            compare((Datum::Bytes(&word), &UNTYPED), (b, b_ty), rule, zone)
        }
        (_, Datum::Enum(_) | Datum::Set(_)) if !is_number(a) => {
            let mut word = Vec::new();
            text_of(b_ty, b, zone, &mut word);
            compare((a, a_ty), (Datum::Bytes(&word), &UNTYPED), rule, zone)
        }
        // A text that says no time is compared with the text of one (MySQL 9.7:
        // tests/oracle/sql/words-beside-days.sql).
        (Datum::Time(x), Datum::Bytes(text)) => Some(match time_of_whole(text) {
            Some(y) => x.cmp(&y),
            None => {
                let mut shown = Vec::new();
                text_of(a_ty, a, zone, &mut shown);
                collation::compare(rule, &shown, text)
            }
        }),
        (Datum::Bytes(_), Datum::Time(_)) => {
            compare((b, b_ty), (a, a_ty), rule, zone).map(Ordering::reverse)
        }
        // What is no day counts as zero, here and below.
        _ if is_moment(a) && is_moment(b) => Some(moment(a, zone)?.cmp(&moment(b, zone)?)),
        (_, Datum::Bytes(_)) if is_moment(a) => {
            Some(moment(a, zone)?.cmp(&bound(b, zone).unwrap_or(DateTime::ZERO)))
        }
        (Datum::Bytes(_), _) if is_moment(b) => {
            compare((b, b_ty), (a, a_ty), rule, zone).map(Ordering::reverse)
        }
        (_, Datum::Time(_)) if is_number(a) => {
            compare((b, b_ty), (a, a_ty), rule, zone).map(Ordering::reverse)
        }
        // Without a fraction it is a whole number, beside one of those.
        (Datum::Time(_), Datum::Int(_) | Datum::UInt(_))
            if *a_ty == (ColumnType::Time { fsp: 0 }) || is_huge(b) =>
        {
            numbers(a, b, zone)
        }
        (Datum::Time(x), _) if is_number(b) => Some(x.cmp(&span(b, zone).unwrap_or(Time::ZERO))),
        // 20240131 is that day.
        _ if is_moment(a) && is_number(b) => match bound(b, zone) {
            Some(bound) => Some(moment(a, zone)?.cmp(&bound)),
            // No day: both are numbers.
            None => numbers(a, b, zone),
        },
        _ if is_number(a) && is_moment(b) => {
            compare((b, b_ty), (a, a_ty), rule, zone).map(Ordering::reverse)
        }
        _ => numbers(a, b, zone),
    }
}

/// As `compare`, beside an operator: numbers within `tolerance` of each other are equal there.
pub fn compare_shown(
    (a, a_ty): (Datum<'_>, &ColumnType),
    (b, b_ty): (Datum<'_>, &ColumnType),
    rule: Collation,
    zone: Zone,
) -> Option<Ordering> {
    if let Some(tolerance) = tolerance((Some(a), a_ty), (Some(b), b_ty))
        && let (Some((x, _)), Some((y, _))) = (Number::of(a, zone), Number::of(b, zone))
        && (x.to_f64() - y.to_f64()).abs() < tolerance
    {
        return Some(Ordering::Equal);
    }
    compare((a, a_ty), (b, b_ty), rule, zone)
}

/// By how much two numbers may differ that an operator takes for equal: less than half of the last
/// digit that either shows. `None`: they must not differ, since neither is a FLOAT or DOUBLE, or
/// one has no fixed number of digits. A FLOAT is itself beside an exact number (MySQL 9.7:
/// tests/oracle/sql/shown-digits.sql).
pub fn tolerance(
    (a, a_ty): (Option<Datum<'_>>, &ColumnType),
    (b, b_ty): (Option<Datum<'_>>, &ColumnType),
) -> Option<f64> {
    let is_exact = |datum, ty: &ColumnType| match ty {
        ColumnType::Float(_) | ColumnType::Double(_) => false,
        ColumnType::Int { .. } | ColumnType::Year | ColumnType::Decimal { .. } => true,
        _ => !matches!(datum, Some(Datum::Double(_) | Datum::Float(_))),
    };
    // Beside an exact number only a DOUBLE may differ.
    let is_against = |ty: &ColumnType, is_other_exact: bool| {
        is_other_exact && !matches!(ty, ColumnType::Double(_))
    };
    let (is_a_exact, is_b_exact) = (is_exact(a, a_ty), is_exact(b, b_ty));
    if is_against(a_ty, is_b_exact) || is_against(b_ty, is_a_exact) {
        return None;
    }
    let digits = shown_digits(a, a_ty)?.max(shown_digits(b, b_ty)?);
    Some(5.0 / 10_f64.powi(i32::from(digits) + 1))
}

/// Digits behind the point that a number is shown with, if their number is fixed.
fn shown_digits(datum: Option<Datum<'_>>, ty: &ColumnType) -> Option<u8> {
    match (ty, datum) {
        (
            ColumnType::Int { .. }
            | ColumnType::Year
            | ColumnType::Decimal { .. }
            | ColumnType::Float(_)
            | ColumnType::Double(_),
            _,
        ) => ty.decimals(),
        (_, Some(Datum::Int(_) | Datum::UInt(_))) if !ty.is_temporal() => Some(0),
        (_, Some(Datum::Decimal(value))) => Some(value.scale()),
        _ => None,
    }
}

fn is_number(datum: Datum<'_>) -> bool {
    is_plain_number(datum) || matches!(datum, Datum::Year(_))
}

/// Whether a value is a number and nothing else: a year is one as well.
pub(crate) fn is_plain_number(datum: Datum<'_>) -> bool {
    matches!(
        datum,
        Datum::Int(_) | Datum::UInt(_) | Datum::Decimal(_) | Datum::Double(_) | Datum::Float(_)
    )
}

/// Whether a value is a day, or a day with its time.
pub(crate) fn is_moment(datum: Datum<'_>) -> bool {
    matches!(datum, Datum::Date(_) | Datum::DateTime(_) | Datum::Timestamp(_))
}

/// A point in time as a clock in `zone` shows it.
pub fn moment(datum: Datum<'_>, zone: Zone) -> Option<DateTime> {
    moment_as(datum, zone, read_datetime, number_to_datetime)
}

/// What a day or a moment is compared with: of a text or a number also a day that its month has
/// not, which lies behind all of the month's (MariaDB 10.11 answers so:
/// tests/oracle/sql/bounds.sql).
pub(crate) fn bound(datum: Datum<'_>, zone: Zone) -> Option<DateTime> {
    moment_as(datum, zone, read_kept, number_to_bound)
}

fn moment_as(
    datum: Datum<'_>,
    zone: Zone,
    read: fn(&[u8]) -> Option<ReadDateTime>,
    of_number: fn(i64, Fraction) -> Option<(DateTime, bool)>,
) -> Option<DateTime> {
    let whole = |number: i64| of_number(number, Fraction::default()).map(|(value, _)| value);
    let exact = |number: Decimal| {
        let (number, fraction) = Fraction::split(number).filter(|_| !number.is_negative())?;
        of_number(number, fraction).map(|(value, _)| value)
    };
    match datum {
        Datum::Date(v) => Some(DateTime::from_date(v)),
        Datum::DateTime(v) => Some(v),
        Datum::Timestamp(v) => Some(v.to_datetime(zone)),
        // Its first day.
        Datum::Year(v) => Date::new(v, 1, 1).map(DateTime::from_date),
        Datum::Bytes(text) => {
            let read = read(text)?;
            let elsewhere = read
                .offset
                .and_then(|offset| zone.datetime_at(Zone::ahead(offset).instant_of(read.value)?));
            Some(elsewhere.unwrap_or(read.value))
        }
        Datum::Int(v) => whole(v),
        Datum::UInt(v) => whole(i64::try_from(v).ok()?),
        Datum::Decimal(v) => exact(v),
        Datum::Double(v) => exact(Decimal::from_f64(v)?),
        Datum::Float(v) => exact(Decimal::from_f64(v.into())?),
        _ => None,
    }
}

/// A length of time.
pub fn span(datum: Datum<'_>, zone: Zone) -> Option<Time> {
    match datum {
        Datum::Time(v) => Some(v),
        Datum::Bytes(text) => read_time(text).map(|read| read.on_clock_of(zone)),
        Datum::DateTime(v) => Some(v.time()),
        Datum::Timestamp(v) => Some(v.to_datetime(zone).time()),
        // A year is a day of it.
        Datum::Date(_) | Datum::Year(_) => Some(Time::ZERO),
        // No number of a time or a day, and none that is beyond its kind.
        _ if is_huge(datum) => None,
        Datum::Int(_) | Datum::UInt(_) | Datum::Decimal(_) | Datum::Double(_) | Datum::Float(_) => {
            let converted = convert(&ColumnType::Time { fsp: 6 }, datum, zone);
            match (converted.value, converted.issue) {
                (_, Some(Issue::Incorrect { .. } | Issue::OutOfRange)) => None,
                (Value::Time(value), _) => Some(value),
                _ => None,
            }
        }
        Datum::Null | Datum::Enum(_) | Datum::Set(_) => None,
    }
}

/// Whether it is an exact number that no BIGINT holds.
fn is_huge(datum: Datum<'_>) -> bool {
    match datum {
        Datum::UInt(v) => i64::try_from(v).is_err(),
        Datum::Decimal(v) => v.truncate(0).and_then(|whole| whole.to_i64()).is_none(),
        _ => false,
    }
}

fn numbers(a: Datum<'_>, b: Datum<'_>, zone: Zone) -> Option<Ordering> {
    // A time compares with a number as its own number.
    let (x, y) = (Number::of(a, zone)?.0, Number::of(b, zone)?.0);
    match (x, y) {
        (Number::Double(x), y) => Some(order(x, y.to_f64())),
        (x, Number::Double(y)) => Some(order(x.to_f64(), y)),
        (Number::Decimal(_), _) | (_, Number::Decimal(_)) => {
            Some(x.to_decimal()?.cmp(&y.to_decimal()?))
        }
        _ => Some(x.to_i128().cmp(&y.to_i128())),
    }
}

fn order(x: f64, y: f64) -> Ordering {
    x.partial_cmp(&y).unwrap_or_else(|| x.total_cmp(&y))
}
