//! Reading an Arrow column as datums.
//!
//! Invariants
//! 1. A reader is made for the MySQL type under which the column was built, so that the same
//!    Arrow type gives a DATETIME here and a BIGINT UNSIGNED there.
//!
//! Not here: the other direction (`write`).

use datafusion::arrow::array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, Decimal256Array, Float32Array,
    Float64Array, Int64Array, UInt16Array, UInt32Array, UInt64Array,
};
use datafusion::common::{DataFusionError, Result, internal_datafusion_err};
use rows::datum::Datum;
use rows::temporal::{Date, DateTime, Time, Timestamp};
use rows::types::ColumnType;

use super::scalar::{decimal_from_128, decimal_from_256};

/// One column of a batch, read by row.
pub(in crate::analytic) enum ColumnReader<'a> {
    Nothing,
    Truth(&'a BooleanArray),
    Int(&'a Int64Array),
    UInt(&'a UInt64Array),
    Float(&'a Float32Array),
    Double(&'a Float64Array),
    Narrow(&'a Decimal128Array, u8),
    Wide(&'a Decimal256Array, u8),
    Bytes(&'a BinaryViewArray),
    Date(&'a UInt32Array),
    Time(&'a Int64Array),
    DateTime(&'a UInt64Array),
    Timestamp(&'a UInt64Array),
    Year(&'a UInt16Array),
    Enum(&'a UInt16Array),
}

fn typed<T: 'static>(array: &ArrayRef) -> Result<&T> {
    array.as_any().downcast_ref::<T>().ok_or_else(|| {
        internal_datafusion_err!("column is {} where another was planned", array.data_type())
    })
}

impl<'a> ColumnReader<'a> {
    /// A reader of a column that was built for `ty`.
    pub(in crate::analytic) fn new(ty: &ColumnType, array: &'a ArrayRef) -> Result<Self> {
        use datafusion::arrow::datatypes::DataType;
        match array.data_type() {
            DataType::Null => return Ok(ColumnReader::Nothing),
            DataType::Boolean => return Ok(ColumnReader::Truth(typed(array)?)),
            _ => {}
        }
        Ok::<_, DataFusionError>(match ty {
            ColumnType::Int { unsigned: false, .. } => ColumnReader::Int(typed(array)?),
            ColumnType::Int { unsigned: true, .. } => ColumnReader::UInt(typed(array)?),
            ColumnType::Float => ColumnReader::Float(typed(array)?),
            ColumnType::Double => ColumnReader::Double(typed(array)?),
            ColumnType::Decimal { scale, .. } => match array.data_type() {
                DataType::Decimal256(..) => ColumnReader::Wide(typed(array)?, *scale),
                _ => ColumnReader::Narrow(typed(array)?, *scale),
            },
            ColumnType::Date => ColumnReader::Date(typed(array)?),
            ColumnType::Time { .. } => ColumnReader::Time(typed(array)?),
            ColumnType::DateTime { .. } => ColumnReader::DateTime(typed(array)?),
            ColumnType::Timestamp { .. } => ColumnReader::Timestamp(typed(array)?),
            ColumnType::Year => ColumnReader::Year(typed(array)?),
            ColumnType::Enum { .. } => ColumnReader::Enum(typed(array)?),
            _ => ColumnReader::Bytes(typed(array)?),
        })
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            ColumnReader::Nothing => true,
            ColumnReader::Truth(from) => from.is_null(row),
            ColumnReader::Int(from) | ColumnReader::Time(from) => from.is_null(row),
            ColumnReader::UInt(from)
            | ColumnReader::DateTime(from)
            | ColumnReader::Timestamp(from) => from.is_null(row),
            ColumnReader::Float(from) => from.is_null(row),
            ColumnReader::Double(from) => from.is_null(row),
            ColumnReader::Narrow(from, _) => from.is_null(row),
            ColumnReader::Wide(from, _) => from.is_null(row),
            ColumnReader::Bytes(from) => from.is_null(row),
            ColumnReader::Date(from) => from.is_null(row),
            ColumnReader::Year(from) | ColumnReader::Enum(from) => from.is_null(row),
        }
    }

    /// The value in a row of the batch.
    pub(in crate::analytic) fn datum(&self, row: usize) -> Datum<'a> {
        if self.is_null(row) {
            return Datum::Null;
        }
        match self {
            ColumnReader::Nothing => Datum::Null,
            ColumnReader::Truth(from) => Datum::Int(i64::from(from.value(row))),
            ColumnReader::Int(from) => Datum::Int(from.value(row)),
            ColumnReader::UInt(from) => Datum::UInt(from.value(row)),
            ColumnReader::Float(from) => Datum::Float(from.value(row)),
            ColumnReader::Double(from) => Datum::Double(from.value(row)),
            ColumnReader::Narrow(from, scale) => {
                Datum::Decimal(decimal_from_128(from.value(row), *scale))
            }
            ColumnReader::Wide(from, scale) => {
                Datum::Decimal(decimal_from_256(from.value(row), *scale))
            }
            ColumnReader::Bytes(from) => Datum::Bytes(from.value(row)),
            ColumnReader::Date(from) => {
                Datum::Date(Date::from_packed(from.value(row)).unwrap_or_default())
            }
            ColumnReader::Time(from) => {
                Datum::Time(Time::from_micros(from.value(row)).unwrap_or_default())
            }
            ColumnReader::DateTime(from) => {
                Datum::DateTime(DateTime::from_packed(from.value(row)).unwrap_or_default())
            }
            ColumnReader::Timestamp(from) => {
                Datum::Timestamp(Timestamp::from_micros(from.value(row)))
            }
            ColumnReader::Year(from) => Datum::Year(from.value(row)),
            ColumnReader::Enum(from) => Datum::Enum(from.value(row)),
        }
    }
}
