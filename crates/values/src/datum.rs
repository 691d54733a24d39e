//! Values: `Datum` borrows its bytes, `Value` owns them.
//!
//! Invariants
//! 1. A datum read from a row is in its column's domain (range, length, scale); only `convert`
//!    makes such values from foreign ones.
//! 2. Text is UTF-8 in `Datum::Bytes`, like binary strings: the column's type tells them apart.
//!
//! Not here: MySQL's text forms (`text`), conversions (`convert`), ordering under a collation
//! (`key`, `collation`).

use crate::decimal::Decimal;
use crate::temporal::{Date, DateTime, Time, Timestamp};

/// One value, bytes borrowed from a row, a request or a literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Datum<'a> {
    /// SQL NULL.
    Null,
    /// A signed integer (every signed integer column).
    Int(i64),
    /// An unsigned integer (every unsigned integer column), and the number of a BIT.
    UInt(u64),
    /// FLOAT.
    Float(f32),
    /// DOUBLE.
    Double(f64),
    /// DECIMAL.
    Decimal(Decimal),
    /// CHAR, VARCHAR, TEXT, JSON (UTF-8) and BINARY, VARBINARY, BLOB.
    Bytes(&'a [u8]),
    /// DATE.
    Date(Date),
    /// TIME.
    Time(Time),
    /// DATETIME.
    DateTime(DateTime),
    /// TIMESTAMP.
    Timestamp(Timestamp),
    /// YEAR; 0 is 0000.
    Year(u16),
    /// ENUM: 1-based position in the type's list, 0 for ''.
    Enum(u16),
    /// SET: a bit for each member of the type's list, the first the lowest.
    Set(u64),
}

/// One value that owns its bytes; otherwise as `Datum`.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A signed integer.
    Int(i64),
    /// An unsigned integer, and the number of a BIT.
    UInt(u64),
    /// FLOAT.
    Float(f32),
    /// DOUBLE.
    Double(f64),
    /// DECIMAL.
    Decimal(Decimal),
    /// Text or binary string.
    Bytes(Vec<u8>),
    /// DATE.
    Date(Date),
    /// TIME.
    Time(Time),
    /// DATETIME.
    DateTime(DateTime),
    /// TIMESTAMP.
    Timestamp(Timestamp),
    /// YEAR.
    Year(u16),
    /// ENUM.
    Enum(u16),
    /// SET.
    Set(u64),
}

impl Value {
    /// The same value, borrowed.
    #[inline]
    pub fn as_datum(&self) -> Datum<'_> {
        match self {
            Value::Null => Datum::Null,
            Value::Int(v) => Datum::Int(*v),
            Value::UInt(v) => Datum::UInt(*v),
            Value::Float(v) => Datum::Float(*v),
            Value::Double(v) => Datum::Double(*v),
            Value::Decimal(v) => Datum::Decimal(*v),
            Value::Bytes(v) => Datum::Bytes(v),
            Value::Date(v) => Datum::Date(*v),
            Value::Time(v) => Datum::Time(*v),
            Value::DateTime(v) => Datum::DateTime(*v),
            Value::Timestamp(v) => Datum::Timestamp(*v),
            Value::Year(v) => Datum::Year(*v),
            Value::Enum(v) => Datum::Enum(*v),
            Value::Set(v) => Datum::Set(*v),
        }
    }

    /// Whether this is SQL NULL.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}

impl Datum<'_> {
    /// Whether it is a number that stands for words of its type: ENUM, SET.
    #[inline]
    pub fn is_listed(&self) -> bool {
        matches!(self, Datum::Enum(_) | Datum::Set(_))
    }

    /// The number behind an ENUM's or a SET's words; `None` for other kinds.
    #[inline]
    pub fn listed_number(&self) -> Option<u64> {
        match *self {
            Datum::Enum(position) => Some(u64::from(position)),
            Datum::Set(members) => Some(members),
            _ => None,
        }
    }

    /// The same value with bytes of its own.
    #[inline]
    pub fn to_value(&self) -> Value {
        match *self {
            Datum::Null => Value::Null,
            Datum::Int(v) => Value::Int(v),
            Datum::UInt(v) => Value::UInt(v),
            Datum::Float(v) => Value::Float(v),
            Datum::Double(v) => Value::Double(v),
            Datum::Decimal(v) => Value::Decimal(v),
            Datum::Bytes(v) => Value::Bytes(v.to_vec()),
            Datum::Date(v) => Value::Date(v),
            Datum::Time(v) => Value::Time(v),
            Datum::DateTime(v) => Value::DateTime(v),
            Datum::Timestamp(v) => Value::Timestamp(v),
            Datum::Year(v) => Value::Year(v),
            Datum::Enum(v) => Value::Enum(v),
            Datum::Set(v) => Value::Set(v),
        }
    }

    /// Whether this is SQL NULL.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self, Datum::Null)
    }
}
