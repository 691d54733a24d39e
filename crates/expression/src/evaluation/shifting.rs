//! Times plus and minus intervals, and EXTRACT, over nodes.
//!
//! Not here: the arithmetic of times (`moment`), functions of times (`time::calls`, `time::sum`).

use values::ErrorCode;
use values::datum::Datum;
use values::temporal::{Fraction, Time, number_to_datetime, read_datetime};
use values::types::ColumnType;

use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::tree::node::Node;
use crate::value::cell::{Cell, NULL};
use crate::value::compare::span;
use crate::value::moment::is_dated_text as is_dated;
use crate::value::moment::{Interval, Unit, compound, extract, extract_of_time, shift, simple};
use crate::value::number::Number;

/// The interval that `INTERVAL amount unit` is.
fn interval(amount: &Node, unit: Unit, scope: &Scope<'_>) -> Result<Option<Interval>> {
    let cell = amount.evaluate(scope)?;
    if cell.is_null() {
        return Ok(None);
    }
    if let Unit::Compound(large, small) = unit {
        let mut text = Vec::new();
        amount.write_text(cell.datum(), scope.zone, &mut text);
        return Ok(compound(large, small, &String::from_utf8_lossy(&text)));
    }
    let number = match unit {
        Unit::Second => scope.number(&cell),
        _ => scope.integer(&cell),
    };
    let Some(number) = number else { return Ok(None) };
    let (mut whole, mut fraction) = (number.to_i128(), 0i128);
    if unit == Unit::Second {
        let micros = match number {
            Number::Int(_) | Number::UInt(_) => whole.saturating_mul(1_000_000),
            other => (other.to_f64() * 1e6).round() as i128,
        };
        (whole, fraction) = (micros / 1_000_000, micros % 1_000_000);
    }
    let whole = i64::try_from(whole).ok();
    Ok(whole.and_then(|whole| simple(unit, whole, fraction as i64)))
}

/// A time with an interval added, or taken off with `minus`.
///
/// # Errors
/// Those of evaluating the time or the interval.
pub fn shift_node<'a>(
    node: &'a Node,
    a: &'a Node,
    amount: &'a Node,
    unit: Unit,
    minus: bool,
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    let base = a.evaluate(scope)?;
    let Some(mut length) = interval(amount, unit, scope)? else { return Ok(NULL) };
    if minus {
        length = length.negate();
    }
    if let Datum::Time(time) = base.datum()
        && matches!(node.ty, ColumnType::Time { .. })
    {
        let moved = time.micros().checked_add(length.micros);
        let Some(time) = moved.and_then(Time::from_micros) else {
            scope.distrust_beyond("TIME", "date_add");
            return Ok(NULL);
        };
        return Ok(Cell::Plain(Datum::Time(time)));
    }
    let Some(from) = scope.moment(base.datum()) else { return Ok(NULL) };
    // No day is so many days behind another that is none.
    if from.date().has_zero_part() || !from.date().is_real() {
        return Ok(NULL);
    }
    let Some(moved) = shift(from, length) else {
        if node.ty == ColumnType::Date {
            scope.distrust_beyond("DATE", "date_add");
            return Ok(NULL);
        }
        scope.distrust(ErrorCode::DatetimeFunctionOverflow, || {
            "Datetime function: datetime field overflow".to_string()
        });
        return Ok(NULL);
    };
    let day_in = match base.datum() {
        Datum::Date(_) => true,
        Datum::Bytes(text) => read_datetime(text).is_some_and(|read| read.date_only),
        Datum::Int(number) => {
            number_to_datetime(number, Fraction::default()).is_some_and(|(_, date_only)| date_only)
        }
        _ => false,
    };
    let text_in = !matches!(
        base.datum(),
        Datum::Date(_) | Datum::DateTime(_) | Datum::Timestamp(_) | Datum::Time(_)
    );
    if day_in && unit.is_of_days() {
        if text_in && !matches!(node.ty, ColumnType::Date) {
            let mut text = Vec::new();
            moved.date().write(&mut text);
            return Ok(Cell::Owned(text));
        }
        return Ok(Cell::Plain(Datum::Date(moved.date())));
    }
    if text_in && !matches!(node.ty, ColumnType::DateTime { .. }) {
        let mut text = Vec::new();
        moved.write(if moved.micros() == 0 { 0 } else { 6 }, &mut text);
        return Ok(Cell::Owned(text));
    }
    Ok(Cell::Plain(Datum::DateTime(moved)))
}

/// A unit's part of a time: EXTRACT.
///
/// # Errors
/// Those of evaluating the time.
pub fn extract_node<'a>(unit: Unit, a: &'a Node, scope: &Scope<'a>) -> Result<Cell<'a>> {
    let cell = a.evaluate(scope)?;
    let clock = match cell.datum() {
        // Of a day's parts it is one of today.
        Datum::Time(time) if unit.is_of_span() => Some(time),
        // '10:11:12' is no date here.
        Datum::Bytes(text) if unit.is_of_span() && !is_dated(text) => {
            span(cell.datum(), scope.zone)
        }
        _ => None,
    };
    let part = match clock {
        Some(time) => extract_of_time(unit, time),
        None => match scope.moment(cell.datum()) {
            Some(moment) => Some(extract(unit, moment)),
            // A number that says no day, such as one below 0.
            None if unit.is_of_span() && !matches!(cell.datum(), Datum::Bytes(_)) => {
                span(cell.datum(), scope.zone).and_then(|time| extract_of_time(unit, time))
            }
            None => None,
        },
    };
    Ok(part.map_or(NULL, |value| Cell::Plain(Datum::Int(value))))
}
