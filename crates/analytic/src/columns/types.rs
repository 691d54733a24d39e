//! MySQL's types sorted by what DataFusion can do with them.
//!
//! Invariants
//! 1. Types of one class are converted into each other without loss of meaning.
//!
//! Not here: type rules of operators (`plan::bind`).

use values::types::{Collation, ColumnType};

/// What kind of value a type holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Integers, BIT.
    Int,
    /// DECIMAL.
    Decimal,
    /// FLOAT, DOUBLE.
    Real,
    /// Text with a collation, JSON.
    Text,
    /// Bytes.
    Binary,
    /// DATE.
    Date,
    /// TIME.
    Time,
    /// DATETIME, TIMESTAMP.
    DateTime,
    /// YEAR.
    Year,
    /// ENUM.
    Enum,
    /// SET.
    Set,
}

impl Class {
    /// DATE, DATETIME, TIMESTAMP.
    pub(crate) fn is_dated(self) -> bool {
        matches!(self, Class::Date | Class::DateTime)
    }

    /// Types whose values are numbers.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Class::Int | Class::Decimal | Class::Real | Class::Year)
    }

    /// Text or bytes.
    pub(crate) fn is_string(self) -> bool {
        matches!(self, Class::Text | Class::Binary)
    }
}

/// The class of a type.
pub(crate) fn class_of(ty: &ColumnType) -> Class {
    match ty {
        ColumnType::Int { .. } | ColumnType::Bit { .. } => Class::Int,
        ColumnType::Float(_) | ColumnType::Double(_) => Class::Real,
        ColumnType::Decimal { .. } => Class::Decimal,
        ColumnType::Char { collation, .. }
        | ColumnType::VarChar { collation, .. }
        | ColumnType::Text { collation, .. } => match collation {
            Collation::Binary => Class::Binary,
            _ => Class::Text,
        },
        ColumnType::Json => Class::Text,
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
            Class::Binary
        }
        ColumnType::Date => Class::Date,
        ColumnType::Time { .. } => Class::Time,
        ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => Class::DateTime,
        ColumnType::Year => Class::Year,
        ColumnType::Enum { .. } => Class::Enum,
        ColumnType::Set { .. } => Class::Set,
    }
}

/// Whether values are text or bytes.
pub(crate) fn is_string(ty: &ColumnType) -> bool {
    class_of(ty).is_string()
}

/// How values of the type compare as text; `Binary` for what is no text.
pub(crate) fn collation_of(ty: &ColumnType) -> Collation {
    match ty {
        ColumnType::Char { collation, .. }
        | ColumnType::VarChar { collation, .. }
        | ColumnType::Text { collation, .. }
        | ColumnType::Enum { collation, .. }
        | ColumnType::Set { collation, .. } => *collation,
        ColumnType::Json => Collation::Utf8Mb4Bin,
        _ => Collation::Binary,
    }
}
