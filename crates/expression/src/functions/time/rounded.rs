//! A constant beside a column of TIME: it has the digits that it would have in the column, so that
//! `t = '10:00:00.5'` finds 10:00:01 in a column without a fraction (MySQL 9.7:
//! tests/oracle/sql/times-beside-columns.sql).
//!
//! Not here: which constants stand beside such a column (`functions::make`).

use values::convert::{Issue, convert};
use values::datum::{Datum, Value};

use crate::functions::call::Call;
use crate::statement::error::Result;
use crate::value::cell::{Cell, text_of};
use crate::value::compare::time_of_whole;
use crate::value::number::Number;

/// The text or number with the digits of the column whose type the second argument has; what is no
/// time stays as it is.
pub(crate) fn beside_time<'a>(call: &Call<'_, 'a>) -> Result<Cell<'a>> {
    let cell = call.arguments[0].evaluate(call.scope)?;
    let (column, zone) = (&call.arguments[1].ty, call.scope.zone);
    if matches!(cell.datum(), Datum::Bytes(text) if time_of_whole(text).is_none()) {
        return Ok(cell);
    }
    let converted = convert(column, cell.datum(), zone);
    let time = match (converted.value, converted.issue) {
        (_, Some(Issue::Incorrect { .. } | Issue::OutOfRange)) => return Ok(cell),
        (Value::Time(time), _) => Datum::Time(time),
        _ => return Ok(cell),
    };
    if let Datum::Bytes(_) = cell.datum() {
        let mut text = Vec::new();
        text_of(column, time, zone, &mut text);
        return Ok(Cell::Owned(text));
    }
    let Some((number, _)) = Number::of(time, zone) else { return Ok(cell) };
    let is_exact = !matches!(cell.datum(), Datum::Double(_) | Datum::Float(_));
    Ok(match number.to_decimal() {
        Some(number) if is_exact => Cell::Plain(Datum::Decimal(number)),
        _ => Cell::Plain(Datum::Double(number.to_f64())),
    })
}
