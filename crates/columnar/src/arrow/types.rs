//! The Arrow type that carries each of MySQL's types.
//!
//! Not here: values (`read`, `write`).

use arrow_schema::DataType;
use values::types::ColumnType;

/// Digits that fit a 128-bit decimal.
pub const DIGITS_128_MAX: u8 = 38;

/// The Arrow type of a column of this type.
pub fn arrow_type(ty: &ColumnType) -> DataType {
    match ty {
        ColumnType::Int { unsigned: false, .. } | ColumnType::Time { .. } => DataType::Int64,
        ColumnType::Int { unsigned: true, .. }
        | ColumnType::Set { .. }
        | ColumnType::Bit { .. }
        | ColumnType::DateTime { .. }
        | ColumnType::Timestamp { .. } => DataType::UInt64,
        ColumnType::Float(_) => DataType::Float32,
        ColumnType::Double(_) => DataType::Float64,
        ColumnType::Decimal { precision, scale } if *precision <= DIGITS_128_MAX => {
            DataType::Decimal128(*precision, *scale as i8)
        }
        ColumnType::Decimal { precision, scale } => DataType::Decimal256(*precision, *scale as i8),
        ColumnType::Char { .. }
        | ColumnType::VarChar { .. }
        | ColumnType::Text { .. }
        | ColumnType::Json
        | ColumnType::Binary { .. }
        | ColumnType::VarBinary { .. }
        | ColumnType::Blob { .. } => DataType::BinaryView,
        ColumnType::Date => DataType::UInt32,
        ColumnType::Year | ColumnType::Enum { .. } => DataType::UInt16,
    }
}
