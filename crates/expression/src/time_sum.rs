//! Sums: of a time or a moment and a length of time (ADDTIME, SUBTIME), and of months, which are written as
//! `YYYYMM` or `YYMM` (PERIOD_ADD, PERIOD_DIFF).
//!
//! Not here: intervals (`moment`), types (`digits`).

use values::datum::Datum;
use values::temporal::{DateTime, Time};
use values::types::ColumnType;

use crate::compare::span;
use crate::evaluate::Scope;
use crate::function::{Function, int, whole};
use crate::node::Node;
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
pub(super) fn is_dated(cell: &Cell<'_>) -> bool {
    match cell.datum() {
        Datum::DateTime(_) | Datum::Timestamp(_) | Datum::Date(_) => true,
        Datum::Bytes(text) => text.len() > TIME_CHARS_MAX && text.contains(&b'-') && !is_days(text),
        _ => false,
    }
}

/// Whether a text begins with a number of days and a time, as lengths do.
fn is_days(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'-').count();
    text.get(digits) == Some(&b' ') && text[1..digits].iter().all(u8::is_ascii_digit)
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
    let length = span(cells[1].datum(), scope.zone)?.micros();
    let length = if takes_away { -length } else { length };
    let (fsp, ty);
    let value = if is_dated(&cells[0]) {
        let micros = scope.moment(cells[0].datum())?.to_micros()?.checked_add(length)?;
        let value = DateTime::from_micros(micros)?;
        fsp = if micros.rem_euclid(1_000_000) == 0 { 0 } else { 6 };
        ty = ColumnType::DateTime { fsp };
        Datum::DateTime(value)
    } else {
        let micros = span(cells[0].datum(), scope.zone)?.micros().saturating_add(length);
        let value = Time::from_micros(micros.clamp(Time::MIN.micros(), Time::MAX.micros()))?;
        fsp = if micros.rem_euclid(1_000_000) == 0 { 0 } else { 6 };
        ty = ColumnType::Time { fsp };
        Datum::Time(value)
    };
    if matches!(node.ty, ColumnType::DateTime { .. } | ColumnType::Time { .. }) {
        return Some(Cell::Plain(value));
    }
    let mut text = Vec::new();
    text_of(&ty, value, scope.zone, &mut text);
    Some(Cell::Owned(text))
}

/// Years of two digits are those from 1970 to 2069.
const CENTURY_FROM: i64 = 70;

/// The months of a period.
fn months(period: i64) -> i64 {
    if period == 0 {
        return 0;
    }
    let year = match period / 100 {
        year @ 0..CENTURY_FROM => year + 2000,
        year @ CENTURY_FROM..100 => year + 1900,
        year => year,
    };
    year * 12 + period % 100 - 1
}

fn period(months: i64) -> i64 {
    if months == 0 {
        return 0;
    }
    let year = match months / 12 {
        year @ 0..CENTURY_FROM => year + 2000,
        year @ CENTURY_FROM..100 => year + 1900,
        year => year,
    };
    year * 100 + months % 12 + 1
}
