//! What a column holds when a statement does not say.
//!
//! Not here: storing it (`write`), how it is shown (`ddl`).

use std::sync::Arc;

use expression::Node;
use results::{Result, SqlError};
use rows::schema::{Column, DefaultValue};
use rows::table::Table;
use values::convert::{convert, from_text};
use values::datum::{Datum, Value};
use values::temporal::{Date, DateTime, Time, Timestamp, Zone};
use values::types::ColumnType;

/// What a column holds when a statement does not say.
#[derive(Clone, Debug, PartialEq)]
pub enum Store {
    /// This value.
    Value(Value),
    /// The current time.
    Now,
    /// What this gives, computed over the rest of the row.
    Expression(Arc<Node>),
    /// There is no default: an error in strict mode, else the type's own empty value.
    Missing,
}

/// A table's defaults, by column.
///
/// # Errors
/// Those of the table's expressions, where a default is one.
pub fn defaults_of(table: &Table) -> Result<Vec<Store>> {
    (0..table.columns.len()).map(|position| default_at(table, position)).collect()
}

/// The default of one of a table's columns.
///
/// # Errors
/// As `defaults_of`.
pub fn default_at(table: &Table, position: usize) -> Result<Store> {
    let column = &table.columns[position];
    if let Some(known) = fixed_default_of(column) {
        return Ok(known);
    }
    let node = table.rules()?.and_then(|rules| rules.default_of(position));
    let node = node.ok_or_else(|| {
        SqlError::other(format!("the default of column '{}' was made no expression", column.name))
    })?;
    Ok(Store::Expression(Arc::new(node.clone())))
}

/// A column's default, unless it is computed over the rest of the row.
pub fn fixed_default_of(column: &Column) -> Option<Store> {
    Some(match &column.default {
        // A computed column is nobody's to give.
        _ if column.computed.is_some() => Store::Value(Value::Null),
        DefaultValue::Expression(_) => return None,
        DefaultValue::CurrentTimestamp => Store::Now,
        DefaultValue::Literal(None) => Store::Value(Value::Null),
        DefaultValue::Literal(Some(text)) => {
            Store::Value(from_text(&column.ty, text, Zone::UTC).value)
        }
        DefaultValue::Dropped => Store::Missing,
        DefaultValue::None if column.nullable || column.auto_increment => Store::Value(Value::Null),
        DefaultValue::None => Store::Missing,
    })
}

/// What MySQL stores in a NOT NULL column that was given nothing, outside of strict mode.
pub fn implied_default(ty: &ColumnType) -> Value {
    match ty {
        ColumnType::Enum { .. } => Value::Enum(1),
        _ => zero_value(ty),
    }
}

/// What a column that cannot be NULL has where NULL was given and let pass: zero, the empty text,
/// of an ENUM no word.
pub fn zero_value(ty: &ColumnType) -> Value {
    match ty {
        ColumnType::Int { unsigned: true, .. } => Value::UInt(0),
        ColumnType::Int { .. } => Value::Int(0),
        ColumnType::Float(_) => Value::Float(0.0),
        ColumnType::Double(_) => Value::Double(0.0),
        ColumnType::Decimal { scale, .. } => {
            Value::Decimal(values::decimal::Decimal::from_i128(0, *scale))
        }
        ColumnType::Binary { bytes } => Value::Bytes(vec![0; *bytes as usize]),
        ColumnType::Char { .. }
        | ColumnType::VarChar { .. }
        | ColumnType::Text { .. }
        | ColumnType::VarBinary { .. }
        | ColumnType::Blob { .. } => Value::Bytes(Vec::new()),
        ColumnType::Json => Value::Bytes(b"null".to_vec()),
        ColumnType::Date => Value::Date(Date::ZERO),
        ColumnType::Time { .. } => Value::Time(Time::ZERO),
        ColumnType::DateTime { .. } => Value::DateTime(DateTime::ZERO),
        ColumnType::Timestamp { .. } => Value::Timestamp(Timestamp::ZERO),
        ColumnType::Year => Value::Year(0),
        ColumnType::Enum { .. } => Value::Enum(0),
        ColumnType::Set { .. } => Value::Set(0),
        ColumnType::Bit { .. } => Value::UInt(0),
    }
}

/// The current time as a value of a column.
pub fn now_value(ty: &ColumnType, now: i64, zone: Zone) -> Value {
    match ty {
        ColumnType::Timestamp { fsp } => {
            Value::Timestamp(Timestamp::from_micros(now.max(0) as u64).truncate(*fsp))
        }
        _ => {
            let clock = zone.datetime_at(now).unwrap_or(DateTime::ZERO);
            let fsp = if let ColumnType::DateTime { fsp } = ty { *fsp } else { 0 };
            convert(ty, Datum::DateTime(clock.truncate(fsp)), zone).value
        }
    }
}
