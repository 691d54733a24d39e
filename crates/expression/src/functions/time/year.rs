//! A literal beside a column of YEAR: it means the year that it would be in the column, so that
//! `y = 99` finds 1999 (MySQL 9.7: tests/oracle/sql/types.sql).
//!
//! Not here: which literals stand beside such a column (`functions::make`).

use values::datum::Datum;

use crate::functions::call::{Call, int};
use crate::statement::error::Result;
use crate::value::cell::{Cell, NULL};
use crate::value::number::Number;

/// The year that a number or a text means, or that a day is in; what is none stays the number that
/// it is.
pub(crate) fn beside_year<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let datum = cells[0].datum();
    match datum {
        Datum::Date(day) => return Ok(int(i64::from(day.year()))),
        Datum::DateTime(moment) => return Ok(int(i64::from(moment.date().year()))),
        _ => {}
    }
    // Of one or two digits it is one of a hundred years, 0 among them.
    let is_short = match datum {
        Datum::Bytes(text) => {
            let digits = text.trim_ascii_start().iter().take_while(|byte| byte.is_ascii_digit());
            matches!(digits.count(), 1..=2)
        }
        _ => false,
    };
    // What is no number is told when the statement begins (`plan::compared_texts`).
    let Some((number, _)) = Number::of(datum, call.scope.zone) else { return Ok(NULL) };
    Ok(int(match number.to_f64().round() as i64 {
        0 if is_short => 2000,
        year @ 1..70 => 2000 + year,
        year @ 70..100 => 1900 + year,
        other => other,
    }))
}
