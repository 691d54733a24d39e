//! Texts that are values already, as most fields of a load are: nothing is to be cut, copied or
//! said of them.
//!
//! Invariants
//! 1. What is given here is what `from_text` gives, without an issue and without a note: `tests`
//!    compares.
//!
//! Not here: any other text (`dispatch`).

use super::integer::read_plain;
use super::strings::end_of_bytes;
use crate::datum::Datum;
use crate::key::trim_spaces;
use crate::temporal::{Date, DateTime};
use crate::types::{Collation, ColumnType};

/// The value of the column's domain that a text is; `None` if `from_text` has to look at it.
pub fn plain_of_text<'t>(ty: &ColumnType, text: &'t [u8]) -> Option<Datum<'t>> {
    let is_text =
        |collation: &Collation| collation.set().has_all(text) && std::str::from_utf8(text).is_ok();
    match ty {
        ColumnType::Int { width, unsigned: false, .. } => {
            let value = read_plain(text)?;
            (width.min()..=width.max()).contains(&value).then_some(Datum::Int(value))
        }
        ColumnType::Int { width, .. } => {
            let value = u64::try_from(read_plain(text)?).ok()?;
            (value <= width.unsigned_max()).then_some(Datum::UInt(value))
        }
        // No text has more characters than bytes.
        ColumnType::VarChar { chars, collation } => {
            (text.len() <= *chars as usize && is_text(collation)).then_some(Datum::Bytes(text))
        }
        ColumnType::Char { chars, collation } => {
            let fits = text.len() <= *chars as usize && trim_spaces(text).len() == text.len();
            (fits && is_text(collation)).then_some(Datum::Bytes(text))
        }
        ColumnType::Text { size, collation } => {
            let fits = end_of_bytes(text, size.bytes_max(), collation.set()) == text.len();
            (fits && is_text(collation)).then_some(Datum::Bytes(text))
        }
        ColumnType::VarBinary { bytes } => {
            (text.len() <= *bytes as usize).then_some(Datum::Bytes(text))
        }
        ColumnType::Date => Some(Datum::Date(date(text.try_into().ok()?)?)),
        ColumnType::DateTime { fsp: 0 } => {
            let (day, clock) = text.split_first_chunk()?;
            let &[b' ', h1, h2, b':', m1, m2, b':', s1, s2] = clock else { return None };
            let (hour, minute, second) = (two(h1, h2)?, two(m1, m2)?, two(s1, s2)?);
            Some(Datum::DateTime(DateTime::new(date(day)?, hour, minute, second, 0)?))
        }
        _ => None,
    }
}

/// A day written as 2024-01-31.
fn date(text: &[u8; 10]) -> Option<Date> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return None };
    let year = u16::from(two(y1, y2)?) * 100 + u16::from(two(y3, y4)?);
    Date::new(year, two(m1, m2)?, two(d1, d2)?)
}

fn two(ten: u8, one: u8) -> Option<u8> {
    let (ten, one) = (ten.wrapping_sub(b'0'), one.wrapping_sub(b'0'));
    (ten <= 9 && one <= 9).then_some(ten * 10 + one)
}
