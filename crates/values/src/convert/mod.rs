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
mod in_mode;
mod integer;
mod number;
mod plain;
mod stored;
mod strings;
mod temporal;
#[cfg(test)]
mod tests;
mod words;

pub use dispatch::{convert, from_text};
pub use in_mode::read_in_mode;
pub use plain::plain_of_text;
pub use stored::{assign_from, convert_from, of_today};
pub use strings::first_unstorable;

use crate::datum::Value;
use crate::json::JsonFault;
use crate::types::ColumnType;

/// What is wrong with a value for its column. The numbers are those of MySQL's warnings
/// (`as_warning`); where strict mode's error has another (`as_error`), both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issue {
    /// Out of the type's range, or a day that its month has not, 1264; the nearest value was taken
    /// (YEAR and days: zero). For temporal types the error is 1292.
    OutOfRange,
    /// Too long for the column, 1265 and 1406; cut.
    TooLong,
    /// Something behind the value was left out, or no word of the ENUM or SET, 1265. For temporal
    /// types the error is 1292, for DECIMAL 1366; FLOAT and DOUBLE have 1366 for both.
    Truncated,
    /// No value of the type at all, 1366; temporal types 1265 and 1292. Zero was taken.
    Incorrect {
        /// What it should be, in MySQL's words: `integer`, `decimal`, `FLOAT`, `DOUBLE`, `date`,
        /// `datetime`, `time`.
        what: &'static str,
    },
    /// A time that the zone's clock leaves out, 1292; a warning of it is 1299. The moment at which
    /// the clock is set forward was taken.
    LeftOut,
    /// Not UTF-8, or not in the column's character set, 1366; each such byte or character became
    /// `?`.
    InvalidUtf8,
    /// Not JSON, 3140 or 3157: an error in every mode. The value is NULL.
    InvalidJson(JsonFault),
    /// A number or a moment where JSON is wanted, 3140: an error in every mode.
    NoJsonText,
    /// Bytes of no character set where JSON is wanted, 3144: an error in every mode.
    JsonOfBytes,
}

impl Issue {
    /// Whether it is an error in every mode, and with IGNORE.
    pub fn is_always_refused(self) -> bool {
        matches!(self, Issue::InvalidJson(_) | Issue::NoJsonText | Issue::JsonOfBytes)
    }

    /// The same as an error of strict mode: whatever is wrong with a moment makes it an incorrect
    /// one, and a number of too many bits is too long.
    pub fn as_error(self, ty: &ColumnType) -> Issue {
        let what = moment_word(ty);
        match (self, ty) {
            (Issue::OutOfRange | Issue::Truncated | Issue::Incorrect { .. }, _)
                if !what.is_empty() =>
            {
                Issue::Incorrect { what }
            }
            (Issue::TooLong, _) | (Issue::OutOfRange, ColumnType::Bit { .. }) => Issue::TooLong,
            (Issue::Truncated, ColumnType::Decimal { .. }) => Issue::Incorrect { what: "decimal" },
            (issue, _) => issue.as_warning(ty),
        }
    }

    /// The same as a warning without strict mode: what is no moment was cut away, as what a text
    /// has no room for is, and what follows a FLOAT or DOUBLE makes it an incorrect one.
    pub fn as_warning(self, ty: &ColumnType) -> Issue {
        match (self, ty) {
            (Issue::Incorrect { .. }, _) if !moment_word(ty).is_empty() => Issue::Truncated,
            (Issue::TooLong, _) => Issue::Truncated,
            (Issue::Truncated, ColumnType::Float(_)) => Issue::Incorrect { what: "FLOAT" },
            (Issue::Truncated, ColumnType::Double(_)) => Issue::Incorrect { what: "DOUBLE" },
            (issue, _) => issue,
        }
    }

    /// Whether without strict mode it is only noted: what follows a DECIMAL.
    pub fn is_only_noted(self, ty: &ColumnType) -> bool {
        self == Issue::Truncated && matches!(ty, ColumnType::Decimal { .. })
    }

    /// What is said of a value of which nothing that matters was lost: in strict mode the moment is
    /// named, though it was taken.
    pub fn of_note(ty: &ColumnType, strict: bool) -> Issue {
        match strict {
            true if !moment_word(ty).is_empty() => Issue::Incorrect { what: moment_word(ty) },
            _ => Issue::Truncated,
        }
    }
}

/// What messages call a value of a temporal type; empty for other types.
fn moment_word(ty: &ColumnType) -> &'static str {
    match ty {
        ColumnType::Date => "date",
        ColumnType::Time { .. } => "time",
        ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => "datetime",
        _ => "",
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
