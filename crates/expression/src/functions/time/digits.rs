//! How many digits of a second's fraction a function's result has.
//!
//! A literal has those that it is written with, another text six; numbers those behind their
//! point (`time_precision` and `datetime_precision` in MySQL's item.cc).

use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::types::ColumnType;

use crate::row::scope::Environment;
use crate::tree::node::{Kind, Node};
use crate::value::moments_read::read_kept;
use crate::value::types::{BIGINT, text_type};

/// Digits of the fraction of a node read as a time.
pub fn fraction_digits(node: &Node) -> u8 {
    if let Some(digits) = known_digits(node) {
        return digits;
    }
    if matches!(node.kind, Kind::Constant(Value::Null)) {
        return 0;
    }
    match &node.ty {
        ColumnType::Time { fsp } | ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => {
            *fsp
        }
        ColumnType::Decimal { scale, .. } => (*scale).min(6),
        ColumnType::Int { .. } | ColumnType::Date | ColumnType::Year | ColumnType::Bit { .. } => 0,
        _ => 6,
    }
}

/// Characters of a day with a time and six digits of a second.
const SUM_CHARS: u32 = 26;

/// Those of a text that is known before the statement runs.
fn known_digits(node: &Node) -> Option<u8> {
    let mut known = node.is_text() && node.is_constant();
    node.visit(&mut |node| known &= !matches!(node.kind, Kind::Parameter(_)));
    if !known {
        return None;
    }
    let environment = Environment::bare(&[], Zone::UTC);
    let cell = node.evaluate(&environment.scope()).ok()?;
    let Datum::Bytes(text) = cell.datum() else { return None };
    Some(written_digits(text))
}

/// Digits of the fraction that a text is written with.
pub(crate) fn written_digits(text: &[u8]) -> u8 {
    let point = text.iter().rposition(|&byte| byte == b'.');
    let behind = point.map_or(&[][..], |at| &text[at + 1..]);
    behind.iter().take_while(|byte| byte.is_ascii_digit()).count().min(6) as u8
}

/// As `fraction_digits`, where a number is asked for: a text may have any fraction.
pub fn number_digits(node: &Node) -> u8 {
    if node.is_text() && !matches!(node.kind, Kind::Constant(Value::Null)) {
        return 6;
    }
    fraction_digits(node)
}

fn digits_at(arguments: &[Node], at: usize) -> u8 {
    arguments.get(at).map_or(0, fraction_digits)
}

/// As many digits as one of the first two arguments has.
fn most_digits(arguments: &[Node]) -> u8 {
    digits_at(arguments, 0).max(digits_at(arguments, 1))
}

/// The digits that a constant argument asks for (`NOW(3)`).
fn asked_digits(arguments: &[Node]) -> u8 {
    match arguments.first().map(|node| &node.kind) {
        Some(Kind::Constant(Value::Int(digits))) => (*digits).clamp(0, 6) as u8,
        Some(Kind::Constant(Value::UInt(digits))) => (*digits).min(6) as u8,
        _ => 0,
    }
}

/// The result of CURTIME and UTC_TIME.
pub(crate) fn asked_time(arguments: &[Node]) -> ColumnType {
    ColumnType::Time { fsp: asked_digits(arguments) }
}

/// The result of NOW and the like.
pub(crate) fn asked_moment(arguments: &[Node]) -> ColumnType {
    ColumnType::DateTime { fsp: asked_digits(arguments) }
}

/// The result of TIME.
pub(crate) fn time(arguments: &[Node]) -> ColumnType {
    ColumnType::Time { fsp: digits_at(arguments, 0) }
}

/// The result of TIMEDIFF.
pub(crate) fn difference(arguments: &[Node]) -> ColumnType {
    ColumnType::Time { fsp: most_digits(arguments) }
}

/// The result of SEC_TO_TIME.
pub(crate) fn of_seconds(arguments: &[Node]) -> ColumnType {
    ColumnType::Time { fsp: arguments.first().map_or(0, number_digits) }
}

/// The result of MAKETIME.
pub(crate) fn made_time(arguments: &[Node]) -> ColumnType {
    ColumnType::Time { fsp: arguments.get(2).map_or(0, number_digits) }
}

/// The result of ADDTIME and SUBTIME.
pub(crate) fn sum(arguments: &[Node]) -> ColumnType {
    let fsp = most_digits(arguments);
    match arguments.first().map(|node| &node.ty) {
        Some(ColumnType::Time { .. }) => ColumnType::Time { fsp },
        Some(ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. }) => {
            ColumnType::DateTime { fsp }
        }
        // What it is shows only when the text is read.
        _ => text_type(SUM_CHARS),
    }
}

/// The result of TIMESTAMP.
pub(crate) fn sum_moment(arguments: &[Node]) -> ColumnType {
    ColumnType::DateTime { fsp: most_digits(arguments) }
}

/// The result of CONVERT_TZ.
pub(crate) fn moment(arguments: &[Node]) -> ColumnType {
    ColumnType::DateTime { fsp: digits_at(arguments, 0) }
}

/// The result of FROM_UNIXTIME: a format makes text of it.
pub(crate) fn from_unix_time(arguments: &[Node]) -> ColumnType {
    match arguments {
        [_, _] => text_type(255),
        _ => ColumnType::DateTime { fsp: arguments.first().map_or(0, number_digits) },
    }
}

/// The result of UNIX_TIMESTAMP.
pub(crate) fn unix_time(arguments: &[Node]) -> ColumnType {
    // A literal that says no day has those of a text of which nothing is known (MySQL 9.7:
    // tests/oracle/sql/calls.py).
    let says_none = arguments.first().is_some_and(|node| match &node.kind {
        Kind::Constant(Value::Bytes(text)) => read_kept(text).is_none(),
        _ => false,
    });
    match if says_none { 6 } else { digits_at(arguments, 0) } {
        0 => BIGINT,
        digits => ColumnType::Decimal { precision: 10 + digits, scale: digits },
    }
}

/// What a pattern of STR_TO_DATE reads: a day, a time or both.
pub(crate) fn pattern(arguments: &[Node]) -> ColumnType {
    let Some(Kind::Constant(Value::Bytes(pattern))) = arguments.get(1).map(|node| &node.kind)
    else {
        return ColumnType::DateTime { fsp: 6 };
    };
    let has =
        |codes: &[u8]| pattern.windows(2).any(|pair| pair[0] == b'%' && codes.contains(&pair[1]));
    // A day of the month alone is one of a length of time.
    let day = has(b"MVUXYWabcjmvuxyw");
    let fsp = if has(b"f") { 6 } else { 0 };
    match (day, fsp > 0 || has(b"HISThiklrs")) {
        (true, true) => ColumnType::DateTime { fsp },
        (false, true) => ColumnType::Time { fsp },
        _ => ColumnType::Date,
    }
}
