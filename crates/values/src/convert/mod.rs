//! Making any value a value of a column's domain, as MySQL does when it stores one.
//!
//! The result is what MySQL stores without strict mode, and what was wrong on the way; a strict
//! caller refuses the latter. NULL stays NULL: whether it is allowed is the caller's affair, like
//! MySQL's modes NO_ZERO_DATE and NO_ZERO_IN_DATE (`Date::is_zero`, `Date::has_zero_part`): dates
//! with zero parts are converted without an issue, but for TIMESTAMP, which has only the zero
//! date.
//!
//! Not here: reading dates (`temporal`) and decimals (`decimal`), printing (`text`).

mod bits;
mod dispatch;
mod integer;
mod json;
mod number;
mod plain;
mod stored;
mod strings;
mod temporal;
#[cfg(test)]
mod tests;
mod words;

pub use dispatch::{convert, from_text};
pub use plain::plain_of_text;
pub use stored::{assign_from, convert_from, of_today};
pub use strings::first_unstorable;

use crate::datum::Value;
use crate::types::ColumnType;

/// What is wrong with a value for its column. The numbers are those of MySQL's warnings; where
/// strict mode's error has another, both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issue {
    /// Out of the type's range, 1264; the nearest value was taken (YEAR, TIMESTAMP: zero). For
    /// temporal types the error is 1292.
    OutOfRange,
    /// Too long for the column, 1265 and 1406; cut.
    TooLong,
    /// Something behind the value was left out, or no word of the ENUM or SET, 1265. For temporal
    /// types the error is 1292.
    Truncated,
    /// No value of the type at all, 1366; temporal types 1265 and 1292. Zero was taken.
    Incorrect {
        /// What it should be, in MySQL's words: `integer`, `decimal`, `double`, `date`,
        /// `datetime`, `time`.
        what: &'static str,
    },
    /// A time that the zone's clock leaves out, 1292; a warning of it is 1299. The moment at which
    /// the clock is set forward was taken.
    LeftOut,
    /// Not UTF-8, or not in the column's character set, 1366; each such byte or character became
    /// `?`.
    InvalidUtf8,
    /// Not JSON, 3140: an error in every mode. The value is NULL.
    InvalidJson,
}

impl Issue {
    /// The same as an error of strict mode: what follows a time of day makes it an incorrect one,
    /// and a number of too many bits is too long.
    pub fn as_error(self, ty: &ColumnType) -> Issue {
        match (self, ty) {
            (Issue::Truncated, ColumnType::Time { .. }) => Issue::Incorrect { what: "time" },
            (Issue::OutOfRange, ColumnType::Bit { .. }) => Issue::TooLong,
            (issue, _) => issue.for_type(ty),
        }
    }

    /// The same as MySQL tells it of a column of some type: a time out of its range is an incorrect
    /// one.
    pub fn for_type(self, ty: &ColumnType) -> Issue {
        match (self, ty) {
            (Issue::OutOfRange, ColumnType::Time { .. }) => Issue::Incorrect { what: "time" },
            (Issue::OutOfRange, ColumnType::Date) => Issue::Incorrect { what: "date" },
            (Issue::OutOfRange, ColumnType::DateTime { .. } | ColumnType::Timestamp { .. }) => {
                Issue::Incorrect { what: "datetime" }
            }
            (issue, _) => issue,
        }
    }
}

/// A value of the column's domain, and what was wrong on the way to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The value; of the domain also when there is an issue.
    pub value: Value,
    /// What a strict caller makes an error, and another a warning.
    pub issue: Option<Issue>,
    /// Whether digits or spaces were lost of which MySQL only notes (level Note, 1265) that they
    /// were, in strict mode too.
    pub note: bool,
}

impl Converted {
    /// A value as it should be.
    fn clean(value: Value) -> Converted {
        Converted { value, issue: None, note: false }
    }

    fn with(value: Value, issue: Issue) -> Converted {
        Converted { value, issue: Some(issue), note: false }
    }

    fn noted(value: Value, note: bool) -> Converted {
        Converted { value, issue: None, note }
    }
}
