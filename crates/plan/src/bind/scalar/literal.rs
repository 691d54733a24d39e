//! Literals: numbers, strings and the places of those that were taken out of the statement.

use expression::{Kind, Node, TRUTH, UNTYPED};
use sqlparser::ast::{DataType, Expr, Value as Literal};
use syntax::cursor::Place;
use syntax::types::{character_set, with_collation};
use values::ErrorCode;
use values::codes::from_hex;
use values::convert::from_text;
use values::datum::Value;
use values::decimal::Decimal;
use values::temporal::Zone;
use values::types::{Collation, ColumnType};

use super::{Bound, Names, bind, needs_literals, of_connection, unsupported};
use results::SqlError;

pub(super) fn literal(value: &Literal, names: &Names<'_>) -> Bound<Node> {
    Ok(match value {
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
            if place.is_digits {
                return Ok(Node::digits_parameter(number));
            }
            parameter(number, names)
        }
        other => return unsupported(other),
    })
}

fn parameter(number: u16, names: &Names<'_>) -> Node {
    let (ty, nullable) = names.resolver.map_or((UNTYPED, true), |known| known.literal(number));
    Node::new(Kind::Parameter(number), ty, nullable)
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
            Some(Place { number, count, .. }) => {
                let first = number.saturating_sub(names.parameter_base);
                nodes.reserve_exact(usize::from(count));
                let place = |nth| parameter(first.saturating_add(nth), names);
                nodes.extend((0..count).map(|nth| of_connection(place(nth), names.mode)));
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
pub(super) fn typed_text(ty: &DataType, value: &Literal) -> Bound<Node> {
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
    let converted = from_text(&ty, text.as_bytes(), Zone::UTC);
    if converted.issue.is_some() {
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
