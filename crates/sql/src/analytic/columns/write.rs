//! Building an Arrow column from datums.
//!
//! Invariants
//! 1. A datum of another kind than the column's type is a defect of ours and answered as
//!    damage, never as a panic: stored bytes may have any shape.
//!
//! Not here: which Arrow type is built (`types`).

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BinaryViewBuilder, Decimal128Builder, Decimal256Builder, Float32Builder,
    Float64Builder, Int64Builder, UInt16Builder, UInt32Builder, UInt64Builder,
};
use datafusion::arrow::datatypes::DataType;
use rows::datum::Datum;
use rows::error::{Error, Result};
use rows::types::ColumnType;

use super::scalar::{unscaled_128, unscaled_256};
use super::types::{DIGITS_128_MAX, arrow_type};

/// Appends datums of one type and gives the Arrow column.
pub(in crate::analytic) enum ColumnWriter {
    Int(Int64Builder),
    UInt(UInt64Builder),
    Float(Float32Builder),
    Double(Float64Builder),
    Narrow(Decimal128Builder, u8),
    Wide(Decimal256Builder, u8),
    Bytes(BinaryViewBuilder),
    Date(UInt32Builder),
    Time(Int64Builder),
    Moment(UInt64Builder),
    Short(UInt16Builder),
}

impl ColumnWriter {
    /// An empty column with room for some values.
    pub(in crate::analytic) fn new(ty: &ColumnType, capacity: usize) -> ColumnWriter {
        match ty {
            ColumnType::Int { unsigned: false, .. } => {
                ColumnWriter::Int(Int64Builder::with_capacity(capacity))
            }
            ColumnType::Int { unsigned: true, .. } => {
                ColumnWriter::UInt(UInt64Builder::with_capacity(capacity))
            }
            ColumnType::Float => ColumnWriter::Float(Float32Builder::with_capacity(capacity)),
            ColumnType::Double => ColumnWriter::Double(Float64Builder::with_capacity(capacity)),
            ColumnType::Decimal { precision, scale } => {
                decimal_writer(*precision, *scale, capacity)
            }
            ColumnType::Date => ColumnWriter::Date(UInt32Builder::with_capacity(capacity)),
            ColumnType::Time { .. } => ColumnWriter::Time(Int64Builder::with_capacity(capacity)),
            ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => {
                ColumnWriter::Moment(UInt64Builder::with_capacity(capacity))
            }
            ColumnType::Year | ColumnType::Enum { .. } => {
                ColumnWriter::Short(UInt16Builder::with_capacity(capacity))
            }
            _ => {
                debug_assert_eq!(arrow_type(ty), DataType::BinaryView);
                ColumnWriter::Bytes(BinaryViewBuilder::with_capacity(capacity))
            }
        }
    }

    /// Appends NULL.
    pub(in crate::analytic) fn append_null(&mut self) {
        match self {
            ColumnWriter::Int(to) | ColumnWriter::Time(to) => to.append_null(),
            ColumnWriter::UInt(to) | ColumnWriter::Moment(to) => to.append_null(),
            ColumnWriter::Float(to) => to.append_null(),
            ColumnWriter::Double(to) => to.append_null(),
            ColumnWriter::Narrow(to, _) => to.append_null(),
            ColumnWriter::Wide(to, _) => to.append_null(),
            ColumnWriter::Bytes(to) => to.append_null(),
            ColumnWriter::Date(to) => to.append_null(),
            ColumnWriter::Short(to) => to.append_null(),
        }
    }

    /// Appends a value of the column's type, or NULL.
    pub(in crate::analytic) fn append(&mut self, datum: Datum<'_>) -> Result<()> {
        match (&mut *self, datum) {
            (_, Datum::Null) => self.append_null(),
            (ColumnWriter::Int(to), Datum::Int(value)) => to.append_value(value),
            (ColumnWriter::UInt(to), Datum::UInt(value)) => to.append_value(value),
            (ColumnWriter::Bytes(to), Datum::Bytes(value)) => to.append_value(value),
            (ColumnWriter::Float(to), Datum::Float(value)) => to.append_value(value),
            (ColumnWriter::Double(to), Datum::Double(value)) => to.append_value(value),
            (ColumnWriter::Narrow(to, scale), Datum::Decimal(value)) => {
                to.append_value(unscaled_128(value, *scale).ok_or_else(wrong_kind)?);
            }
            (ColumnWriter::Wide(to, scale), Datum::Decimal(value)) => {
                to.append_value(unscaled_256(value, *scale).ok_or_else(wrong_kind)?);
            }
            (ColumnWriter::Date(to), Datum::Date(value)) => to.append_value(value.packed()),
            (ColumnWriter::Time(to), Datum::Time(value)) => to.append_value(value.micros()),
            (ColumnWriter::Moment(to), Datum::DateTime(value)) => to.append_value(value.packed()),
            (ColumnWriter::Moment(to), Datum::Timestamp(value)) => to.append_value(value.micros()),
            (ColumnWriter::Short(to), Datum::Year(value) | Datum::Enum(value)) => {
                to.append_value(value);
            }
            // Expressions may hand over the other signedness when the value fits.
            (ColumnWriter::Int(to), Datum::UInt(value)) => {
                to.append_value(i64::try_from(value).map_err(|_| wrong_kind())?);
            }
            (ColumnWriter::UInt(to), Datum::Int(value)) => {
                to.append_value(u64::try_from(value).map_err(|_| wrong_kind())?);
            }
            _ => return Err(wrong_kind()),
        }
        Ok(())
    }

    /// The column; the writer is empty afterwards.
    pub(in crate::analytic) fn finish(&mut self) -> ArrayRef {
        match self {
            ColumnWriter::Int(from) | ColumnWriter::Time(from) => Arc::new(from.finish()),
            ColumnWriter::UInt(from) | ColumnWriter::Moment(from) => Arc::new(from.finish()),
            ColumnWriter::Float(from) => Arc::new(from.finish()),
            ColumnWriter::Double(from) => Arc::new(from.finish()),
            ColumnWriter::Narrow(from, _) => Arc::new(from.finish()),
            ColumnWriter::Wide(from, _) => Arc::new(from.finish()),
            ColumnWriter::Bytes(from) => Arc::new(from.finish()),
            ColumnWriter::Date(from) => Arc::new(from.finish()),
            ColumnWriter::Short(from) => Arc::new(from.finish()),
        }
    }
}

fn decimal_writer(precision: u8, scale: u8, capacity: usize) -> ColumnWriter {
    if precision <= DIGITS_128_MAX {
        let ty = DataType::Decimal128(precision, scale as i8);
        ColumnWriter::Narrow(Decimal128Builder::with_capacity(capacity).with_data_type(ty), scale)
    } else {
        let ty = DataType::Decimal256(precision, scale as i8);
        ColumnWriter::Wide(Decimal256Builder::with_capacity(capacity).with_data_type(ty), scale)
    }
}

fn wrong_kind() -> Error {
    Error::Corrupt { key: Vec::new(), why: "value of another type than its column" }
}
