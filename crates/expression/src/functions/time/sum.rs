//! Sums: of a time or a moment and a length of time (ADDTIME, SUBTIME), and of months, which are
//! written as `YYYYMM` or `YYMM` (PERIOD_ADD, PERIOD_DIFF).
//!
//! Not here: intervals (`moment`), types (`digits`).

use values::ErrorCode;
use values::datum::Datum;
use values::temporal::{DateTime, Time};
use values::types::ColumnType;

use crate::functions::call::{Call, int, whole};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::tree::node::Node;
use crate::value::cell::{Cell, NULL, text_of};
use crate::value::moment::is_dated_text;

/// A length of time in microseconds, as a TIME; longer ones become the longest of a column.
pub(crate) fn time_within_range(micros: i64) -> Time {
    let longest = Time::LONGEST.micros();
    Time::from_micros(micros.clamp(-longest, longest)).unwrap_or(Time::ZERO)
}

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, node, scope, .. } = *call;
    use Function as F;
    if matches!(function, F::AddTime | F::SubTime) {
        return Ok(sum(function == F::SubTime, node, cells, scope).unwrap_or(NULL));
    }
    let number = |at: usize| whole(&cells[at], scope).unwrap_or(0);
    let months_of = |at: usize| {
        months(number(at)).ok_or_else(|| {
            let name = function.name().to_lowercase();
            Error::new(ErrorCode::WrongArguments, format!("Incorrect arguments to {name}"))
        })
    };
    Ok(int(match function {
        F::PeriodAdd => period(months_of(0)?.saturating_add(number(1))),
        _ => months_of(0)? - months_of(1)?,
    }))
}

/// Numbers of so many digits are of a day with a time.
const DATED_NUMBERS: std::ops::RangeFrom<i64> = 10_000_000..;

/// Whether a value is a day, with a time or without.
pub(crate) fn is_dated(cell: &Cell<'_>) -> bool {
    match cell.datum() {
        Datum::DateTime(_) | Datum::Timestamp(_) | Datum::Date(_) => true,
        Datum::Bytes(text) => is_dated_text(text),
        Datum::Int(number) => DATED_NUMBERS.contains(&number),
        Datum::UInt(number) => i64::try_from(number).is_ok_and(|n| DATED_NUMBERS.contains(&n)),
        Datum::Decimal(number) => {
            let whole = number.truncate(0).and_then(|whole| whole.to_i64());
            whole.is_some_and(|n| DATED_NUMBERS.contains(&n))
        }
        Datum::Double(number) => DATED_NUMBERS.contains(&(number as i64)),
        _ => false,
    }
}

/// A year is a number of seconds and minutes here.
fn as_summand<'c>(cell: &'c Cell<'_>) -> Datum<'c> {
    match cell.datum() {
        Datum::Year(year) => Datum::Int(i64::from(year)),
        datum => datum,
    }
}

/// `None`: one of them is none. Of a moment that is added its time of day counts.
fn sum<'a>(
    takes_away: bool,
    node: &Node,
    cells: &[Cell<'a>],
    scope: &Scope<'a>,
) -> Option<Cell<'a>> {
    let length = scope.span(as_summand(&cells[1]))?.micros();
    let length = if takes_away { -length } else { length };
    let fsp = |micros: i64| if micros.rem_euclid(1_000_000) == 0 { 0 } else { 6 };
    let (value, ty) = if is_dated(&cells[0]) {
        let micros = scope.moment(cells[0].datum())?.to_micros()?.checked_add(length)?;
        let Some(moment) = DateTime::from_micros(micros) else {
            if micros > 0 {
                scope.distrust_beyond("DATETIME", if takes_away { "subtime" } else { "addtime" });
            }
            return None;
        };
        let value = Datum::DateTime(moment);
        (value, ColumnType::DateTime { fsp: fsp(micros) })
    } else {
        let value = scope.span_or_moment(as_summand(&cells[0]))?;
        let micros = value.micros().saturating_add(length);
        let value = time_within_range(micros);
        if value.micros() != micros {
            scope.distrust_beyond("TIME", if takes_away { "subtime" } else { "addtime" });
        }
        (Datum::Time(value), ColumnType::Time { fsp: fsp(value.micros()) })
    };
    if matches!(node.ty, ColumnType::DateTime { .. } | ColumnType::Time { .. }) {
        return Some(Cell::Plain(value));
    }
    let mut text = Vec::new();
    text_of(&ty, value, scope.zone, &mut text);
    Some(Cell::Owned(text))
}

/// A year that is written with two digits is one from 1970 to 2069.
fn whole_year(year: i64) -> i64 {
    match year {
        0..70 => year + 2000,
        70..100 => year + 1900,
        year => year,
    }
}

/// The months of a period; `None` for what is none.
fn months(period: i64) -> Option<i64> {
    let (year, month) = (period / 100, period % 100);
    let is_period = period > 0 && (1..=12).contains(&month);
    is_period.then(|| whole_year(year) * 12 + month - 1)
}

fn period(months: i64) -> i64 {
    match months {
        0 => 0,
        months => whole_year(months / 12).saturating_mul(100).saturating_add(months % 12 + 1),
    }
}
