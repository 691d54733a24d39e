//! How many digits of a second's fraction a function's result has.
//!
//! A literal has those that it is written with, another text six; numbers those behind their
//! point (`time_precision` and `datetime_precision` in MySQL's item.cc).

use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::types::ColumnType;

use crate::functions::function::Function;
use crate::row::scope::Environment;
use crate::tree::node::{Kind, Node, text_type};

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
        ColumnType::Int { .. } | ColumnType::Date | ColumnType::Year => 0,
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
    let point = text.iter().rposition(|&byte| byte == b'.');
    let behind = point.map_or(&[][..], |at| &text[at + 1..]);
    Some(behind.iter().take_while(|byte| byte.is_ascii_digit()).count().min(6) as u8)
}

/// As `fraction_digits`, where a number is asked for: a text may have any fraction.
pub fn number_digits(node: &Node) -> u8 {
    if node.is_text() && !matches!(node.kind, Kind::Constant(Value::Null)) {
        return 6;
    }
    fraction_digits(node)
}

/// The type of a function that gives a time.
pub fn time_result(function: Function, arguments: &[Node]) -> ColumnType {
    let of = |at: usize| arguments.get(at).map_or(0, fraction_digits);
    if matches!(function, Function::AddTime | Function::SubTime) {
        let fsp = of(0).max(of(1));
        return match arguments.first().map(|node| &node.ty) {
            Some(ColumnType::Time { .. }) => ColumnType::Time { fsp },
            Some(ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. }) => {
                ColumnType::DateTime { fsp }
            }
            // What it is shows only when the text is read.
            _ => text_type(SUM_CHARS),
        };
    }
    let fsp = match function {
        Function::TimeDiff => of(0).max(of(1)),
        Function::SecToTime => arguments.first().map_or(0, number_digits),
        Function::MakeTime => arguments.get(2).map_or(0, number_digits),
        _ => of(0),
    };
    ColumnType::Time { fsp }
}

/// The type of a function that gives a day with a time; `said` is the digits asked for.
pub fn datetime_result(
    function: Function,
    arguments: &[Node],
    said: impl Fn() -> u8,
) -> ColumnType {
    let of = |at: usize| arguments.get(at).map_or(0, fraction_digits);
    let fsp = match function {
        Function::Now | Function::SysDate | Function::UtcTimestamp => said(),
        Function::StrToDate => return str_to_date_result(arguments),
        Function::ConvertTz => of(0),
        Function::FromUnixTime => arguments.first().map_or(0, number_digits),
        _ => of(0).max(of(1)),
    };
    ColumnType::DateTime { fsp }
}

/// What a pattern of STR_TO_DATE reads: a day, a time or both.
fn str_to_date_result(arguments: &[Node]) -> ColumnType {
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
