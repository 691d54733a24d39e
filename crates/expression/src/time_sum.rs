//! Sums: of a time or a moment and a length of time (ADDTIME, SUBTIME), and of months, which are written as
//! `YYYYMM` or `YYMM` (PERIOD_ADD, PERIOD_DIFF).
//!
//! Not here: intervals (`moment`), types (`digits`).

use values::datum::Datum;
use values::temporal::{DateTime, Time};
use values::types::ColumnType;

use crate::function::{Function, int, whole};
use crate::node::Node;
use crate::scope::Scope;
use crate::value::{Cell, NULL, text_of};

/// Texts that are longer are moments.
const TIME_CHARS_MAX: usize = 10;

/// The value, or `None` when it is not one of these functions.
pub fn call<'a>(
    function: Function,
    node: &Node,
    cells: &[Cell<'a>],
    scope: &Scope<'a>,
) -> Option<Cell<'a>> {
    use Function as F;
    if !matches!(function, F::AddTime | F::SubTime | F::PeriodAdd | F::PeriodDiff) {
        return None;
    }
    if cells.iter().any(Cell::is_null) {
        return Some(NULL);
    }
    if matches!(function, F::AddTime | F::SubTime) {
        return Some(sum(function == F::SubTime, node, cells, scope).unwrap_or(NULL));
    }
    let number = |at: usize| whole(&cells[at], scope).unwrap_or(0);
    Some(int(match function {
        F::PeriodAdd if number(0) == 0 => return Some(NULL),
        F::PeriodAdd => period(months(number(0)).saturating_add(number(1))),
        _ => months(number(0)) - months(number(1)),
    }))
}

/// Whether a value is a day, with a time or without.
fn is_dated(cell: &Cell<'_>) -> bool {
    match cell.datum() {
        Datum::DateTime(_) | Datum::Timestamp(_) | Datum::Date(_) => true,
        Datum::Bytes(text) => text.len() > TIME_CHARS_MAX && text.contains(&b'-') && !is_days(text),
        _ => false,
    }
}

/// Whether a text begins with a number of days and a time, as lengths do.
fn is_days(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && text.get(digits) == Some(&b' ')
}

/// `None`: one of them is none, or what is added is a moment.
fn sum<'a>(
    takes_away: bool,
    node: &Node,
    cells: &[Cell<'a>],
    scope: &Scope<'a>,
) -> Option<Cell<'a>> {
    if is_dated(&cells[1]) {
        return None;
    }
    let length = scope.span(cells[1].datum())?.micros();
    let length = if takes_away { -length } else { length };
    let fsp = |micros: i64| if micros.rem_euclid(1_000_000) == 0 { 0 } else { 6 };
    let (value, ty) = if is_dated(&cells[0]) {
        let micros = scope.moment(cells[0].datum())?.to_micros()?.checked_add(length)?;
        let value = Datum::DateTime(DateTime::from_micros(micros)?);
        (value, ColumnType::DateTime { fsp: fsp(micros) })
    } else {
        let micros = scope.span(cells[0].datum())?.micros().saturating_add(length);
        let value = Time::from_micros(micros.clamp(Time::MIN.micros(), Time::MAX.micros()))?;
        (Datum::Time(value), ColumnType::Time { fsp: fsp(micros) })
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

/// The months of a period.
fn months(period: i64) -> i64 {
    match period {
        0 => 0,
        period => whole_year(period / 100) * 12 + period % 100 - 1,
    }
}

fn period(months: i64) -> i64 {
    match months {
        0 => 0,
        months => whole_year(months / 12).saturating_mul(100).saturating_add(months % 12 + 1),
    }
}
