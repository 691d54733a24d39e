//! Functions of days and times.
//!
//! Not here: intervals (`moment`), and their operators (`evaluate`).

use values::ErrorCode;
use values::datum::Datum;
use values::decimal::Decimal;
use values::temporal::{Date, DateTime, Time, Zone, days_in_month};
use values::text::write_untyped;
use values::types::ColumnType;

use crate::functions::call::{Call, int, whole};
use crate::functions::time::format::{format, format_time};
use crate::functions::time::parse::parse;
use crate::functions::time::sum::{is_dated, time_within_range};
use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::statement::limits::Room;
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};
use crate::value::moment::{Unit, day_of_year, extract, week, weekday};

/// Days from 0000-01-01 to 1970-01-01, plus one: TO_DAYS('0000-01-01') is 1.
const EPOCH_DAYS: i64 = 719_528;
const SECOND: i64 = 1_000_000;
/// The first instant that functions of seconds since 1970 do not know, 3001-01-19 (MySQL 8.0
/// manual, 14.7).
const UNIX_END: i64 = 32_536_771_200 * SECOND;

/// The current time, as clocks in the session's zone show it.
fn now(scope: &Scope<'_>, zone: Zone) -> Result<DateTime> {
    Ok(zone.datetime_at(scope.context()?.now).unwrap_or(DateTime::ZERO))
}

/// Room for what a pattern prints: a code of two bytes is eleven at most.
fn printed_room(cells: &[Cell<'_>], scope: &Scope<'_>) -> Result<Option<Room>> {
    match cells.get(1).map(Cell::datum) {
        Some(Datum::Bytes(pattern)) => scope.limits.take(pattern.len().saturating_mul(6)).map(Some),
        _ => Ok(None),
    }
}

/// NOW, CURDATE, CURTIME and the like.
pub(crate) fn current<'a>(call: &Call<'_, 'a>, _: &[Cell<'a>]) -> Result<Cell<'a>> {
    use Function as F;
    let Call { function, node, scope, .. } = *call;
    let is_utc = matches!(function, F::UtcTimestamp | F::UtcDate | F::UtcTime);
    let now = now(scope, if is_utc { Zone::UTC } else { scope.zone })?;
    Ok(Cell::Plain(match node.ty {
        ColumnType::Date => Datum::Date(now.date()),
        ColumnType::Time { fsp } => Datum::Time(now.time().truncate(fsp)),
        _ => Datum::DateTime(now.truncate(node.ty.fsp())),
    }))
}

/// YEAR, MONTH or DAY, of whole tables more often than any other: first of what is a date already.
pub(crate) fn part_of_date<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let unit = match call.function {
        Function::Year => Unit::Year,
        Function::Month => Unit::Month,
        _ => Unit::Day,
    };
    let value = match cells[0].datum() {
        Datum::Date(date) => Some(DateTime::from_date(date)),
        Datum::DateTime(value) => Some(value),
        Datum::Null => None,
        other => early_day(call, other).or_else(|| call.scope.day(other)),
    };
    Ok(value.map_or(NULL, |value| int(extract(unit, value))))
}

/// The day that a number below 101 says where parts of a day may be missing: one of the year 2000
/// (MySQL 9.7: tests/oracle/sql/days-of-small-numbers.sql).
fn early_day(call: &Call<'_, '_>, datum: Datum<'_>) -> Option<DateTime> {
    let number = match datum {
        // Bits are a text.
        _ if matches!(call.arguments[0].ty, ColumnType::Bit { .. }) => return None,
        Datum::Int(number) => number,
        Datum::UInt(number) => i64::try_from(number).ok()?,
        Datum::Decimal(number) => number.truncate(0)?.to_i64()?,
        Datum::Double(number) if (0.0..101.0).contains(&number) => number as i64,
        Datum::Float(number) if (0.0..101.0).contains(&number) => number as i64,
        _ => return None,
    };
    let number = u8::try_from(number).ok().filter(|number| *number <= 100)?;
    Date::new(2000, number / 100, number % 100).map(DateTime::from_date)
}

/// UNIX_TIMESTAMP.
pub(crate) fn unix_timestamp<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { node, scope, .. } = *call;
    let Some(cell) = cells.first() else {
        return Ok(int(scope.context()?.now / SECOND));
    };
    if cell.is_null() {
        return Ok(NULL);
    }
    let micros = match cell.datum() {
        Datum::Timestamp(value) => Some(value.micros() as i64),
        other => scope.moment(other).and_then(|value| scope.zone.instant_of(value)),
    };
    let micros = micros.filter(|micros| (0..UNIX_END).contains(micros)).unwrap_or(0);
    let seconds = Decimal::from_i128(i128::from(micros), 6);
    Ok(match node.ty {
        ColumnType::Decimal { scale, .. } => {
            Cell::Plain(Datum::Decimal(seconds.rescale(scale).unwrap_or(seconds)))
        }
        _ if micros % SECOND == 0 => int(micros / SECOND),
        // Of a `?` whose digits were not known.
        _ => Cell::Plain(Datum::Decimal(seconds)),
    })
}

/// FROM_UNIXTIME.
pub(crate) fn from_unix_time<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let _printed = printed_room(cells, call.scope)?;
    Ok(moment_of_unix(call, cells))
}

/// The second argument as a text: the form that a moment is shown in. `None` where it is NULL.
fn pattern_of<'b>(
    call: &Call<'_, '_>,
    cells: &'b [Cell<'_>],
    buffer: &'b mut Vec<u8>,
) -> Option<&'b [u8]> {
    let cell = cells.get(1).filter(|cell| !cell.is_null())?;
    Some(call.arguments[1].bytes_of(cell.datum(), call.scope.zone, buffer))
}

/// A moment in the form that the second argument says.
fn shown_moment<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>], value: DateTime) -> Cell<'a> {
    let mut buffer = Vec::new();
    let pattern = pattern_of(call, cells, &mut buffer);
    let shown = pattern.and_then(|pattern| format(pattern, value, call.scope.time_names()));
    shown.map_or(NULL, Cell::Owned)
}

fn moment_of_unix<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Cell<'a> {
    let scope = call.scope;
    let Some(number) = scope.number(&cells[0]) else { return NULL };
    let seconds = number.to_decimal().and_then(|value| value.rescale(6));
    let micros = seconds.and_then(|value| i64::try_from(value.unscaled()).ok());
    let is_beyond = |micros: i64| micros >= UNIX_END;
    if micros.map_or(number.to_f64() > 0.0, is_beyond) {
        scope.distrust(ErrorCode::TruncatedWrongValue, || {
            let mut text = Vec::new();
            write_untyped(number.datum(), scope.zone, &mut text);
            format!("Truncated incorrect unixtime value: '{}'", String::from_utf8_lossy(&text))
        });
        return NULL;
    }
    let Some(micros) = micros.filter(|micros| *micros >= 0) else { return NULL };
    let Some(value) = scope.zone.datetime_at(micros) else { return NULL };
    match cells.get(1) {
        None => Cell::Plain(Datum::DateTime(value)),
        Some(_) => shown_moment(call, cells, value),
    }
}

/// WEEK and YEARWEEK: a mode that is NULL is mode 0, and default_week_format is of WEEK alone
/// (MySQL 9.7 manual, 14.7).
pub(crate) fn week_of<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, scope, .. } = *call;
    let day = match cells[0].datum() {
        Datum::Null => None,
        other => scope.day(other),
    };
    let Some(day) = day else { return Ok(NULL) };
    let mode = match (cells.get(1), function) {
        (Some(cell), _) => whole(cell, scope).unwrap_or(0) as u8,
        (None, Function::Week) => scope.context.map_or(0, |context| context.week_format),
        (None, _) => 0,
    };
    Ok(match function {
        Function::Week => week(day.date(), mode).map_or(NULL, |(week, _)| int(i64::from(week))),
        _ => week(day.date(), mode | 2)
            .map_or(NULL, |(week, year)| int(i64::from(year) * 100 + i64::from(week))),
    })
}

/// Functions of a day.
pub(crate) fn of_days<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    use Function as F;
    let Call { function, scope, .. } = *call;
    let value = match function {
        F::TimestampOf | F::ToSeconds | F::DateFormat => scope.moment(cells[0].datum()),
        F::DateOf | F::Quarter | F::MonthName | F::LastDay => {
            let datum = cells[0].datum();
            early_day(call, datum).or_else(|| scope.day(datum))
        }
        _ => scope.day(cells[0].datum()),
    };
    let Some(value) = value else { return Ok(NULL) };
    let date = value.date();
    Ok(match function {
        // Others take a day apart that the mode would not have stored.
        F::DateOf | F::TimestampOf if scope.mode.refuses_day(date, value.is_zero()) => NULL,
        F::DateOf => Cell::Plain(Datum::Date(date)),
        F::TimestampOf => timestamp_of(value, cells, scope),
        F::Quarter => int(extract(Unit::Quarter, value)),
        F::DayOfWeek => weekday(date).map_or(NULL, |day| int(i64::from((day + 1) % 7 + 1))),
        F::Weekday => weekday(date).map_or(NULL, |day| int(i64::from(day))),
        F::DayOfYear => day_of_year(date).map_or(NULL, |day| int(i64::from(day))),
        F::WeekOfYear => week(date, 3).map_or(NULL, |(week, _)| int(i64::from(week))),
        F::DayName => weekday(date).map_or(NULL, |day| {
            Cell::Owned(scope.time_names().days[usize::from(day)].as_bytes().to_vec())
        }),
        F::MonthName => match date.month() {
            0 => NULL,
            month => {
                let name = scope.time_names().months[usize::from(month) - 1];
                Cell::Owned(name.as_bytes().to_vec())
            }
        },
        F::LastDay => {
            let last = days_in_month(date.year(), date.month());
            match Date::new(date.year(), date.month(), last) {
                Some(day) if date.month() > 0 => Cell::Plain(Datum::Date(day)),
                _ => NULL,
            }
        }
        F::DateDiff => {
            let other = scope.moment(cells[1].datum()).and_then(|value| value.date().days());
            match date.days().zip(other) {
                Some((a, b)) => int(i64::from(a) - i64::from(b)),
                None => NULL,
            }
        }
        F::ToDays => date.days().map_or(NULL, |days| int(i64::from(days) + EPOCH_DAYS)),
        F::ToSeconds => value
            .to_micros()
            .map_or(NULL, |micros| int(micros.div_euclid(SECOND) + EPOCH_DAYS * 86_400)),
        _ => {
            let _printed = printed_room(cells, scope)?;
            shown_moment(call, cells, value)
        }
    })
}

/// What a clock in another zone shows. What neither shows between 1970 and 3001 stays as it is
/// (MySQL 8.0 manual, 14.7).
pub(crate) fn convert_tz<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let scope = call.scope;
    let zone = |cell: &Cell<'_>| match cell.datum() {
        Datum::Bytes(name) if name.eq_ignore_ascii_case(b"system") => Some(Zone::of_system()),
        Datum::Bytes(name) => Zone::parse(std::str::from_utf8(name).ok()?),
        _ => None,
    };
    let (Some(from), Some(to)) = (zone(&cells[1]), zone(&cells[2])) else { return Ok(NULL) };
    let Some(shown) = scope.moment(cells[0].datum()) else { return Ok(NULL) };
    let Some(instant) = from.instant_of(shown) else { return Ok(NULL) };
    let converted = match instant {
        SECOND..UNIX_END => to.datetime_at(instant),
        _ => Some(shown),
    };
    Ok(converted.map_or(NULL, |value| Cell::Plain(Datum::DateTime(value))))
}

fn timestamp_of<'a>(value: DateTime, cells: &[Cell<'a>], scope: &Scope<'a>) -> Cell<'a> {
    let Some(cell) = cells.get(1) else { return Cell::Plain(Datum::DateTime(value)) };
    // Of another moment its time of day is added.
    let sum = scope
        .span(cell.datum())
        .and_then(|time| DateTime::from_micros(value.to_micros()?.checked_add(time.micros())?));
    sum.map_or(NULL, |value| Cell::Plain(Datum::DateTime(value)))
}

/// Functions of a time of day or a length of time.
pub(crate) fn of_times<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    use Function as F;
    let Call { function, node, scope, .. } = *call;
    let time = |micros: i64, shown: &dyn Fn() -> String| {
        let time = time_within_range(micros);
        if time.micros() != micros {
            scope.distrust_length(&shown());
        }
        Cell::Plain(Datum::Time(time.truncate(node.ty.fsp())))
    };
    match function {
        F::SecToTime => {
            let shown = || {
                let mut text = Vec::new();
                write_untyped(cells[0].datum(), scope.zone, &mut text);
                String::from_utf8_lossy(&text).into_owned()
            };
            return Ok(match micros_of(&cells[0], scope) {
                None => NULL,
                // The last second has its fraction, which no other function makes.
                Some(micros) if micros.abs() / SECOND == Time::MAX.micros() / SECOND => {
                    let last = Time::from_micros(micros).unwrap_or(Time::LONGEST);
                    Cell::Plain(Datum::Time(last.truncate(node.ty.fsp())))
                }
                Some(micros) => time(micros, &shown),
            });
        }
        F::MakeTime => {
            let part = |n: usize| whole(&cells[n], scope).unwrap_or(0);
            let (hours, minutes) = (part(0), part(1));
            let Some(seconds) = micros_of(&cells[2], scope) else { return Ok(NULL) };
            // 59.9999999 is rounded to a minute.
            let is_below = scope.number(&cells[2]).is_some_and(|number| number.to_f64() < 60.0);
            if !(0..60).contains(&minutes) || seconds < 0 || !is_below {
                return Ok(NULL);
            }
            let whole = i64::try_from(hours.unsigned_abs()).unwrap_or(i64::MAX);
            let length = whole.saturating_mul(3600).saturating_add(minutes * 60);
            let length = length.saturating_mul(SECOND).saturating_add(seconds);
            let length = if hours < 0 { -length } else { length };
            // It is shown without its sign.
            let fraction = |micros: i64| match micros % SECOND {
                0 => String::new(),
                micros => format!(".{micros:06}").trim_end_matches('0').to_owned(),
            };
            let shown = || {
                let (whole, rest) = (seconds / SECOND, fraction(seconds));
                format!("{}:{minutes:02}:{whole:02}{rest}", hours.unsigned_abs())
            };
            return Ok(time(length, &shown));
        }
        F::TimeDiff => {
            let difference = match (is_dated(&cells[0]), is_dated(&cells[1])) {
                (true, true) => {
                    let micros = |cell: &Cell<'_>| scope.moment(cell.datum())?.to_micros();
                    micros(&cells[0]).zip(micros(&cells[1])).map(|(a, b)| a - b)
                }
                (false, false) => {
                    let span = |cell: &Cell<'_>| scope.span_or_moment(cell.datum());
                    let micros = |cell: &Cell<'_>| Some(span(cell)?.micros());
                    micros(&cells[0]).zip(micros(&cells[1])).map(|(a, b)| a - b)
                }
                // A time of day and a day with a time have no difference.
                _ => None,
            };
            return Ok(difference.map_or(NULL, |micros| time(micros, &|| shown_length(micros))));
        }
        _ => {}
    }
    let value = match function {
        F::TimeFormat => scope.span_or_moment(cells[0].datum()),
        _ => scope.span(cells[0].datum()),
    };
    let Some(value) = value else { return Ok(NULL) };
    Ok(match function {
        F::TimeOf => Cell::Plain(Datum::Time(value)),
        F::Hour => int(i64::from(value.hours())),
        F::Minute => int(i64::from(value.minute())),
        F::Second => int(i64::from(value.second())),
        F::Microsecond => int(i64::from(value.fraction())),
        F::TimeToSec => int(value.micros() / SECOND),
        _ => {
            let _printed = printed_room(cells, scope)?;
            let mut buffer = Vec::new();
            let pattern = pattern_of(call, cells, &mut buffer);
            pattern.and_then(|pattern| format_time(pattern, value)).map_or(NULL, Cell::Owned)
        }
    })
}

/// A length of time as it is written, however long it is.
fn shown_length(micros: i64) -> String {
    let (sign, length) = (if micros < 0 { "-" } else { "" }, micros.unsigned_abs());
    let seconds = length / SECOND.unsigned_abs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let shown = format!("{sign}{hours:02}:{minutes:02}:{seconds:02}");
    match length % SECOND.unsigned_abs() {
        0 => shown,
        fraction => format!("{shown}.{fraction:06}"),
    }
}

/// A number of seconds in microseconds.
fn micros_of(cell: &Cell<'_>, scope: &Scope<'_>) -> Option<i64> {
    let number = scope.number(cell)?;
    let micros = number.to_decimal().and_then(|seconds| {
        let micros = seconds.rescale(6)?.unscaled();
        i64::try_from(micros).ok()
    });
    Some(micros.unwrap_or(if number.to_f64() < 0.0 { i64::MIN + 1 } else { i64::MAX }))
}

/// MAKEDATE and FROM_DAYS.
pub(crate) fn making_days<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, scope, .. } = *call;
    let Some(first) = whole(&cells[0], scope) else { return Ok(NULL) };
    let days = if function == Function::FromDays {
        if !(1..3_652_425).contains(&first) {
            scope.distrust_beyond("DATE", "from_days");
            return Ok(NULL);
        }
        first - EPOCH_DAYS
    } else {
        let Some(day) = whole(&cells[1], scope).filter(|day| *day > 0) else { return Ok(NULL) };
        let year = match first {
            0..70 => first + 2000,
            70..100 => first + 1900,
            year => year,
        };
        let Ok(year) = u16::try_from(year) else { return Ok(NULL) };
        i64::from(values::temporal::days_from_civil(year, 1, 1)) + day - 1
    };
    let date = i32::try_from(days).ok().and_then(Date::from_days);
    Ok(date.map_or(NULL, |date| Cell::Plain(Datum::Date(date))))
}

/// STR_TO_DATE.
pub(crate) fn str_to_date<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { node, arguments, scope, .. } = *call;
    let mut buffer = Vec::new();
    let text = match cells[0].datum() {
        Datum::Null => return Ok(NULL),
        datum => arguments[0].bytes_of(datum, scope.zone, &mut buffer),
    };
    let Datum::Bytes(pattern) = cells[1].datum() else { return Ok(NULL) };
    let is_time = matches!(node.ty, ColumnType::Time { .. });
    let read = parse(text, pattern).filter(|read| {
        let (date, mode) = (read.date, scope.mode);
        let is_time = is_time && date.is_zero();
        // Year 0 is no part that is zero elsewhere.
        let has_zero = date.has_zero_part() || date.year() == 0;
        is_time || !mode.no_zero_date() && !mode.refuses_day(date, date.is_zero()) || !has_zero
    });
    Ok(match read {
        Some(read) if node.ty == ColumnType::Date => Cell::Plain(Datum::Date(read.date)),
        Some(read) if is_time => {
            // Days are hours of it.
            let days = i64::from(read.date.day()) * 86_400 * SECOND;
            let time = time_within_range(read.time.micros() + days);
            Cell::Plain(Datum::Time(time))
        }
        Some(read) => read.datetime().map_or(NULL, |value| Cell::Plain(Datum::DateTime(value))),
        None => {
            scope.distrust(ErrorCode::WrongValueForType, || {
                let text = String::from_utf8_lossy(text);
                format!("Incorrect datetime value: '{text}' for function str_to_date")
            });
            NULL
        }
    })
}
