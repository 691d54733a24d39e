//! Types of values that come as text alone: the narrowest one that all of a sample fit.
//!
//! ```text
//! nothing ── boolean ──────────────────┐
//!    ├────── integer ── long ── double ┼── text
//!    ├────── date ───── datetime ──────┤
//!    └────── json ─────────────────────┘
//! ```
//! Numbers that begin with a zero (`00123`) are text: they are codes, and would lose it.
//!
//! Not here: values behind the sample that do not fit, which are errors (`csv`, `json`).

use serde_json::Value;
use values::temporal::Zone;
use values::types::ColumnType;

use super::types::{BIGINT, BOOLEAN, TEXT};

/// What values may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Guess {
    /// There were none but NULLs.
    #[default]
    Nothing,
    Boolean,
    Integer,
    /// Integers of up to twenty digits.
    Long,
    Double,
    Date,
    /// Whether there are fractions of a second.
    DateTime(bool),
    Json,
    Text,
}

impl Guess {
    /// What a text that is not NULL may be.
    pub(super) fn of_text(text: &[u8]) -> Guess {
        if text.eq_ignore_ascii_case(b"true") || text.eq_ignore_ascii_case(b"false") {
            return Guess::Boolean;
        }
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
            return match digits {
                [b'0', _, ..] => Guess::Text,
                _ if std::str::from_utf8(text).is_ok_and(|text| text.parse::<i64>().is_ok()) => {
                    Guess::Integer
                }
                _ if digits.len() <= 20 => Guess::Long,
                _ => Guess::Text,
            };
        }
        if is_double(text) {
            return Guess::Double;
        }
        date_of(text).unwrap_or(Guess::Text)
    }

    /// What a value of JSON may be.
    pub(super) fn of_json(value: &Value) -> Guess {
        match value {
            Value::Null => Guess::Nothing,
            Value::Bool(_) => Guess::Boolean,
            Value::Number(number) if number.is_i64() => Guess::Integer,
            Value::Number(number) if number.is_u64() => Guess::Long,
            Value::Number(_) => Guess::Double,
            Value::String(_) => Guess::Text,
            Value::Array(_) | Value::Object(_) => Guess::Json,
        }
    }

    /// What holds values of both.
    pub(super) fn or(self, other: Guess) -> Guess {
        let (low, high) = if self <= other { (self, other) } else { (other, self) };
        match (low, high) {
            _ if low == high => low,
            (Guess::Nothing, high) => high,
            (Guess::Integer, Guess::Long | Guess::Double) | (Guess::Long, Guess::Double) => high,
            (Guess::Date | Guess::DateTime(_), Guess::DateTime(_)) => high,
            // What is no JSON by itself would have to be quoted.
            _ => Guess::Text,
        }
    }

    /// The type of a column of such values.
    pub(super) fn ty(self) -> ColumnType {
        match self {
            Guess::Boolean => BOOLEAN,
            Guess::Integer => BIGINT,
            Guess::Long => ColumnType::Decimal { precision: 20, scale: 0 },
            Guess::Double => ColumnType::Double(None),
            Guess::Date => ColumnType::Date,
            Guess::DateTime(fractions) => {
                ColumnType::DateTime { fsp: if fractions { 6 } else { 0 } }
            }
            Guess::Json => ColumnType::Json,
            Guess::Nothing | Guess::Text => TEXT,
        }
    }
}

/// A number with a point or an exponent. Names of what is no number (`inf`, `nan`) are text.
fn is_double(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let begins = digits.iter().find(|byte| **byte != b'.').is_some_and(u8::is_ascii_digit);
    let is_code = digits.len() > 1 && digits[0] == b'0' && digits[1] != b'.';
    let text = std::str::from_utf8(text).unwrap_or_default();
    begins && !is_code && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// `2024-01-31`, or that with a time behind a space or `T`.
fn date_of(text: &[u8]) -> Option<Guess> {
    let is_date = text.len() >= 10
        && text[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !is_date {
        return None;
    }
    let (ty, guess) = match text.get(10) {
        None => (ColumnType::Date, Guess::Date),
        Some(b' ' | b'T') if text.len() >= 19 => {
            (ColumnType::DateTime { fsp: 6 }, Guess::DateTime(text.len() > 19))
        }
        Some(_) => return None,
    };
    let read = values::convert::from_text(&ty, text, Zone::UTC);
    (read.issue.is_none() && !read.note).then_some(guess)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(texts: &[&str]) -> Guess {
        texts.iter().fold(Guess::Nothing, |all, text| all.or(Guess::of_text(text.as_bytes())))
    }

    #[test]
    fn a_column_has_the_narrowest_type_that_all_its_values_fit() {
        for (texts, expected) in [
            (&["1", "-20"][..], Guess::Integer),
            (&["1", "18446744073709551615"], Guess::Long),
            (&["1", "2.5", "1e3"], Guess::Double),
            (&["1", "007"], Guess::Text),
            (&["0.5", "-0.5", "0"], Guess::Double),
            (&["00.5"], Guess::Text),
            (&["true", "FALSE"], Guess::Boolean),
            (&["true", "1"], Guess::Text),
            (&["2024-01-31"], Guess::Date),
            (&["2024-01-31", "2024-01-31 10:00:00"], Guess::DateTime(false)),
            (&["2024-01-31T10:00:00.25"], Guess::DateTime(true)),
            (&["2024-13-31"], Guess::Text),
            (&["2024-01-31 99:00:00"], Guess::Text),
            (&["nan", "inf"], Guess::Text),
            (&["-", "."], Guess::Text),
            (&["123456789012345678901"], Guess::Text),
            (&[], Guess::Nothing),
        ] {
            assert_eq!(all(texts), expected, "{texts:?}");
        }
    }
}
