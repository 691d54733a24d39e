//! Reading an Arrow column as datums.
//!
//! Invariants
//! 1. A reader is made for the MySQL type under which the column was built, so that the same
//!    Arrow type gives a DATETIME here and a BIGINT UNSIGNED there.
//!
//! Not here: the other direction (`write`).

use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, Decimal256Array, Float32Array,
    Float64Array, Int64Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_schema::DataType;
use rows::error::{Error, Result};
use values::datum::Datum;
use values::temporal::{Date, DateTime, Time, Timestamp};
use values::types::ColumnType;

use super::decimal::{decimal_from_128, decimal_from_256};

/// One column of a batch, read by row.
pub struct ColumnReader<'a>(ArrowReader<'a>);

enum ArrowReader<'a> {
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
    Set(&'a UInt64Array),
}

fn typed<T: 'static>(array: &ArrayRef) -> Result<&T> {
    let why = "a column of another type than was planned";
    array.as_any().downcast_ref::<T>().ok_or(Error::Corrupt { key: Vec::new(), why })
}

impl<'a> ColumnReader<'a> {
    /// A reader of a column that was built for `ty`.
    ///
    /// # Errors
    /// `Corrupt` when it was built for another.
    pub fn new(ty: &ColumnType, array: &'a ArrayRef) -> Result<Self> {
        match array.data_type() {
            DataType::Null => return Ok(ColumnReader(ArrowReader::Nothing)),
            DataType::Boolean => return Ok(ColumnReader(ArrowReader::Truth(typed(array)?))),
            _ => {}
        }
        Ok(ColumnReader(match ty {
            ColumnType::Int { unsigned: false, .. } => ArrowReader::Int(typed(array)?),
            ColumnType::Int { unsigned: true, .. } => ArrowReader::UInt(typed(array)?),
            ColumnType::Float(_) => ArrowReader::Float(typed(array)?),
            ColumnType::Double(_) => ArrowReader::Double(typed(array)?),
            ColumnType::Decimal { scale, .. } => match array.data_type() {
                DataType::Decimal256(..) => ArrowReader::Wide(typed(array)?, *scale),
                _ => ArrowReader::Narrow(typed(array)?, *scale),
            },
            ColumnType::Date => ArrowReader::Date(typed(array)?),
            ColumnType::Time { .. } => ArrowReader::Time(typed(array)?),
            ColumnType::DateTime { .. } => ArrowReader::DateTime(typed(array)?),
            ColumnType::Timestamp { .. } => ArrowReader::Timestamp(typed(array)?),
            ColumnType::Year => ArrowReader::Year(typed(array)?),
            ColumnType::Enum { .. } => ArrowReader::Enum(typed(array)?),
            ColumnType::Set { .. } => ArrowReader::Set(typed(array)?),
            ColumnType::Bit { .. } => ArrowReader::UInt(typed(array)?),
            _ => ArrowReader::Bytes(typed(array)?),
        }))
    }

    fn is_null(&self, row: usize) -> bool {
        match &self.0 {
            ArrowReader::Nothing => true,
            ArrowReader::Truth(from) => from.is_null(row),
            ArrowReader::Int(from) | ArrowReader::Time(from) => from.is_null(row),
            ArrowReader::UInt(from)
            | ArrowReader::Set(from)
            | ArrowReader::DateTime(from)
            | ArrowReader::Timestamp(from) => from.is_null(row),
            ArrowReader::Float(from) => from.is_null(row),
            ArrowReader::Double(from) => from.is_null(row),
            ArrowReader::Narrow(from, _) => from.is_null(row),
            ArrowReader::Wide(from, _) => from.is_null(row),
            ArrowReader::Bytes(from) => from.is_null(row),
            ArrowReader::Date(from) => from.is_null(row),
            ArrowReader::Year(from) | ArrowReader::Enum(from) => from.is_null(row),
        }
    }

    /// The value in a row of the batch.
    pub fn datum(&self, row: usize) -> Datum<'a> {
        if self.is_null(row) {
            return Datum::Null;
        }
        match &self.0 {
            ArrowReader::Nothing => Datum::Null,
            ArrowReader::Truth(from) => Datum::Int(i64::from(from.value(row))),
            ArrowReader::Int(from) => Datum::Int(from.value(row)),
            ArrowReader::UInt(from) => Datum::UInt(from.value(row)),
            ArrowReader::Float(from) => Datum::Float(from.value(row)),
            ArrowReader::Double(from) => Datum::Double(from.value(row)),
            ArrowReader::Narrow(from, scale) => {
                Datum::Decimal(decimal_from_128(from.value(row), *scale))
            }
            ArrowReader::Wide(from, scale) => {
                Datum::Decimal(decimal_from_256(from.value(row), *scale))
            }
            ArrowReader::Bytes(from) => Datum::Bytes(from.value(row)),
            ArrowReader::Date(from) => {
                Datum::Date(Date::from_packed(from.value(row)).unwrap_or_default())
            }
            ArrowReader::Time(from) => {
                Datum::Time(Time::from_micros(from.value(row)).unwrap_or_default())
            }
            ArrowReader::DateTime(from) => {
                Datum::DateTime(DateTime::from_packed(from.value(row)).unwrap_or_default())
            }
            ArrowReader::Timestamp(from) => {
                Datum::Timestamp(Timestamp::from_micros(from.value(row)))
            }
            ArrowReader::Year(from) => Datum::Year(from.value(row)),
            ArrowReader::Enum(from) => Datum::Enum(from.value(row)),
            ArrowReader::Set(from) => Datum::Set(from.value(row)),
        }
    }
}
