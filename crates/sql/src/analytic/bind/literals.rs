//! Literals and variables: values known when the statement is bound.
//!
//! Not here: parameters of prepared statements, which are literals by now.

use rows::convert;
use rows::datum::Value;
use rows::decimal::Decimal;
use rows::temporal::Zone;
use rows::types::{Collation, ColumnType};
use sqlparser::ast;

use super::arithmetic::decimal_type;
use super::typed::{BIGINT, BIGINT_UNSIGNED, Typed, firmness, varchar};
use crate::error::{Result, SqlError};

/// A literal.
pub(in crate::analytic) fn literal(value: &ast::Value, zone: Zone) -> Result<Typed> {
    use ast::Value as V;
    let _ = zone;
    Ok(match value {
        V::Null => Typed::null(),
        V::Boolean(truth) => Typed::known_truth(Some(*truth)),
        V::Number(text, _) => number(text)?,
        V::SingleQuotedString(text)
        | V::DoubleQuotedString(text)
        | V::NationalStringLiteral(text)
        | V::EscapedStringLiteral(text)
        | V::UnicodeStringLiteral(text)
        | V::TripleSingleQuotedString(text)
        | V::TripleDoubleQuotedString(text) => string(text.as_bytes().to_vec()),
        V::HexStringLiteral(digits) => bytes(unhex(digits)?),
        V::SingleQuotedByteStringLiteral(digits) | V::DoubleQuotedByteStringLiteral(digits) => {
            bytes(bits(digits)?)
        }
        other => return Err(SqlError::unsupported(other)),
    })
}

/// A text literal.
pub(in crate::analytic) fn string(text: Vec<u8>) -> Typed {
    let chars = text.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    Typed::literal(varchar(chars), Value::Bytes(text))
}

/// Bytes written as digits. Only these have the type BINARY among constants, which tells
/// arithmetic that they count as a number.
fn bytes(value: Vec<u8>) -> Typed {
    let ty = ColumnType::Binary { bytes: value.len() as u32 };
    Typed::literal(ty, Value::Bytes(value))
}

/// A numeric literal: an integer, a DECIMAL when it has a point, a DOUBLE with an exponent.
pub(in crate::analytic) fn number(text: &str) -> Result<Typed> {
    if let Ok(value) = text.parse::<i64>() {
        return Ok(Typed::literal(BIGINT, Value::Int(value)));
    }
    if let Ok(value) = text.parse::<u64>() {
        return Ok(Typed::literal(BIGINT_UNSIGNED, Value::UInt(value)));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return Ok(bytes(unhex(digits)?));
    }
    if text.contains(['e', 'E']) {
        let value: f64 = text.parse().map_err(|_| SqlError::syntax(text, 1))?;
        if !value.is_finite() {
            return Err(SqlError::new(
                1367,
                format!("Illegal double '{text}' value found during parsing"),
            ));
        }
        return Ok(Typed::literal(ColumnType::Double, Value::Double(value)));
    }
    match Decimal::parse(text.as_bytes()) {
        Some(value) => Ok(decimal(value)),
        None => {
            let value: f64 = text.parse().map_err(|_| SqlError::syntax(text, 1))?;
            Ok(Typed::literal(ColumnType::Double, Value::Double(value)))
        }
    }
}

/// A DECIMAL value with the digits it has.
pub(in crate::analytic) fn decimal(value: Decimal) -> Typed {
    let scale = value.scale().min(Decimal::SCALE_MAX);
    let value = value.rescale(scale).unwrap_or(value);
    let precision = value.whole_digits().max(1) + scale;
    Typed::literal(decimal_type(u32::from(precision), u32::from(scale)), Value::Decimal(value))
}

/// A value without a column: of a user variable, of a function of the session.
pub(in crate::analytic) fn value(value: Value) -> Typed {
    match value {
        Value::Null => Typed::null(),
        Value::Int(_) => Typed::literal(BIGINT, value),
        Value::UInt(_) => Typed::literal(BIGINT_UNSIGNED, value),
        Value::Float(v) => Typed::literal(ColumnType::Double, Value::Double(f64::from(v))),
        Value::Double(_) => Typed::literal(ColumnType::Double, value),
        Value::Decimal(v) => decimal(v),
        Value::Bytes(text) => match std::str::from_utf8(&text) {
            Ok(_) => string(text).firm(firmness::LITERAL),
            Err(_) => bytes(text),
        },
        Value::Date(_) => Typed::literal(ColumnType::Date, value),
        Value::Time(_) => Typed::literal(ColumnType::Time { fsp: 6 }, value),
        Value::DateTime(v) => {
            Typed::literal(ColumnType::DateTime { fsp: if v.micros() == 0 { 0 } else { 6 } }, value)
        }
        Value::Timestamp(v) => {
            let fsp = if v.micros() % 1_000_000 == 0 { 0 } else { 6 };
            Typed::literal(ColumnType::Timestamp { fsp }, value)
        }
        Value::Year(_) => Typed::literal(ColumnType::Year, value),
        Value::Enum(at) => Typed::literal(BIGINT, Value::Int(i64::from(at))),
    }
}

/// `DATE '2024-01-31'` and its kin; a bad one is error 1525.
pub(in crate::analytic) fn typed_text(ty: &ast::DataType, text: &str, zone: Zone) -> Result<Typed> {
    let fsp = text.rsplit_once('.').map_or(0, |(_, digits)| digits.len().min(6) as u8);
    let (ty, what) = match ty {
        ast::DataType::Date => (ColumnType::Date, "DATE"),
        ast::DataType::Time(..) => (ColumnType::Time { fsp }, "TIME"),
        ast::DataType::Datetime(_) | ast::DataType::Timestamp(..) => {
            (ColumnType::DateTime { fsp }, "DATETIME")
        }
        other => return Err(SqlError::unsupported(other)),
    };
    let converted = convert::from_text(&ty, text.as_bytes(), zone);
    if converted.issue.is_some() || converted.value.is_null() {
        return Err(SqlError::new(1525, format!("Incorrect {what} value: '{text}'")));
    }
    Ok(Typed::literal(ty, converted.value))
}

fn unhex(digits: &str) -> Result<Vec<u8>> {
    let padded = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_owned() };
    let pairs = padded.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(text, 16).ok()
    };
    pairs.map(byte).collect::<Option<_>>().ok_or_else(|| SqlError::syntax(digits, 1))
}

fn bits(digits: &str) -> Result<Vec<u8>> {
    let mut out = vec![0; digits.len().div_ceil(8)];
    for (at, digit) in digits.bytes().rev().enumerate() {
        match digit {
            b'0' => {}
            b'1' => {
                let place = out.len() - 1 - at / 8;
                out[place] |= 1 << (at % 8);
            }
            _ => return Err(SqlError::syntax(digits, 1)),
        }
    }
    Ok(out)
}

/// The collation of a COLLATE clause, checked.
pub(in crate::analytic) fn collation(name: &str) -> Result<Collation> {
    Collation::from_name(name)
        .ok_or_else(|| SqlError::new(1273, format!("Unknown collation: '{name}'")))
}
