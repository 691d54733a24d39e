//! Literals: numbers, strings and the places of those that were taken out of the statement.

use expression::{Kind, Node, RESULT_BYTES_MAX, TRUTH, UNTYPED};
use sqlparser::ast::{DataType, Expr, Value as Literal};
use syntax::placeholder::{Place, PlaceKind};
use syntax::types::{character_set, with_collation};
use values::codes::from_hex;
use values::convert::{convert, read_in_mode};
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::temporal::{Zone, read_datetime, read_time};
use values::types::{Collation, ColumnType};
use values::{ErrorCode, SqlMode};

use super::{Bound, Names, bind, needs_literals, of_connection, unsupported};
use results::SqlError;

pub(super) fn literal(value: &Literal, names: &Names<'_>) -> Bound<Node> {
    Ok(match value {
        // A word of the grammar: `GET_FORMAT(DATE, ..)`.
        Literal::Number(word, _) if word.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            Node::constant(Value::Bytes(word.as_bytes().to_vec()))
        }
        Literal::Number(digits, _) => number(digits)?,
        Literal::SingleQuotedString(text) | Literal::DoubleQuotedString(text) => {
            Node::constant(Value::Bytes(text.as_bytes().to_vec()))
        }
        Literal::NationalStringLiteral(text) => {
            let text = Node::constant(Value::Bytes(text.as_bytes().to_vec()));
            let rule = Collation::default_of(character_set("utf8mb3")?);
            Node { ty: with_collation(&text.ty, rule), ..text }
        }
        Literal::HexStringLiteral(digits) => {
            let bytes = from_hex(digits.as_bytes());
            Node::digits_literal(bytes.ok_or_else(|| SqlError::syntax(digits, 1))?)
        }
        Literal::SingleQuotedByteStringLiteral(bits) => {
            let value = u64::from_str_radix(&format!("0{bits}"), 2)
                .map_err(|_| SqlError::syntax(&format!("b'{bits}'"), 1))?;
            Node::digits_literal(value.to_be_bytes()[8 - bits.len().div_ceil(8)..].to_vec())
        }
        Literal::Boolean(value) => {
            Node::new(Kind::Constant(Value::Int(i64::from(*value))), TRUTH, false)
        }
        Literal::Null => Node::constant(Value::Null),
        Literal::Placeholder(name) => {
            let place = Place::of(name);
            let number = place.number.saturating_sub(names.parameter_base);
            match place.kind {
                PlaceKind::Any => parameter(number, names),
                PlaceKind::Digits => Node::digits_parameter(number),
                PlaceKind::Bytes => bytes_parameter(number),
            }
        }
        other => return unsupported(other),
    })
}

fn parameter(number: u16, names: &Names<'_>) -> Node {
    let (ty, nullable) = names.resolver.map_or((UNTYPED, true), |known| known.literal(number));
    Node::new(Kind::Parameter(number), ty, nullable)
}

/// A literal of more digits than a number has: bytes, of no character set.
fn bytes_parameter(number: u16) -> Node {
    Node::new(Kind::Parameter(number), ColumnType::VarBinary { bytes: RESULT_BYTES_MAX }, false)
}

/// The items of a list, where a word may stand for many places.
pub(super) fn items(list: &[Expr], names: &Names<'_>) -> Bound<Vec<Node>> {
    let mut nodes = Vec::with_capacity(list.len());
    for item in list {
        let place = match item {
            Expr::Value(value) => match &value.value {
                Literal::Placeholder(name) => Some(Place::of(name)),
                _ => None,
            },
            _ => None,
        };
        match place.filter(|place| place.count > 1) {
            Some(Place { number, count, kind }) => {
                let first = number.saturating_sub(names.parameter_base);
                nodes.reserve_exact(usize::from(count));
                let place = |nth| match kind {
                    PlaceKind::Bytes => bytes_parameter(first.saturating_add(nth)),
                    _ => of_connection(parameter(first.saturating_add(nth), names), names.mode),
                };
                nodes.extend((0..count).map(place));
            }
            None => nodes.push(bind(item, names)?),
        }
    }
    Ok(nodes)
}

/// `TIMESTAMP '2024-01-31 10:00:00.5'` and its kin, with the digits of its fraction.
///
/// # Errors
/// 1525 for a text that says no such time.
pub(super) fn typed_text(ty: &DataType, value: &Literal, mode: SqlMode) -> Bound<Node> {
    let (Literal::SingleQuotedString(text) | Literal::DoubleQuotedString(text)) = value else {
        return needs_literals(value);
    };
    let fraction = text.trim_end().rsplit_once('.').map_or(0, |(_, digits)| digits.len());
    let fsp = fraction.min(6) as u8;
    let (ty, what) = match ty {
        DataType::Date => (ColumnType::Date, "DATE"),
        DataType::Time(..) => (ColumnType::Time { fsp }, "TIME"),
        DataType::Datetime(_) | DataType::Timestamp(..) => {
            (ColumnType::DateTime { fsp }, "DATETIME")
        }
        other => return unsupported(other),
    };
    let said = Datum::Bytes(text.as_bytes());
    let read = match mode.allows_invalid_dates() {
        true => read_in_mode(mode, &ty, said, Zone::UTC),
        false => None,
    };
    let converted = convert(&ty, read.as_ref().map_or(said, Value::as_datum), Zone::UTC);
    // A day has no time, a moment has one, and a time no day.
    let has_time = || read_datetime(text.as_bytes()).map(|read| !read.date_only);
    let is_of_kind = match ty {
        ColumnType::Date => has_time() != Some(true),
        ColumnType::Time { .. } => !read_time(text.as_bytes()).is_some_and(|read| read.of_day),
        _ => has_time() != Some(false),
    };
    if converted.issue.is_some() || !is_of_kind || mode.refuses_value(&converted.value) {
        return Err(SqlError::new(
            ErrorCode::WrongValue,
            format!("Incorrect {what} value: '{text}'"),
        )
        .into());
    }
    Ok(Node::new(Kind::Constant(converted.value), ty, false))
}

fn number(digits: &str) -> Bound<Node> {
    if let Ok(value) = digits.parse::<i64>() {
        return Ok(Node::constant(Value::Int(value)));
    }
    if let Ok(value) = digits.parse::<u64>() {
        return Ok(Node::constant(Value::UInt(value)));
    }
    if !digits.contains(['e', 'E'])
        && let Some(value) = Decimal::parse(digits.as_bytes())
    {
        return Ok(Node::constant(Value::Decimal(value)));
    }
    match digits.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Node::constant(Value::Double(value))),
        Ok(_) => {
            let message = format!("Illegal double '{digits}' value found during parsing");
            Err(SqlError::new(ErrorCode::IllegalValueForType, message).into())
        }
        Err(_) => Err(SqlError::syntax(digits, 1).into()),
    }
}
