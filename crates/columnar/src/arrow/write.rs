//! Building an Arrow column from datums.
//!
//! Invariants
//! 1. A datum of another kind than the column's type is a defect of ours and answered as
//!    damage, never as a panic: stored bytes may have any shape.
//!
//! Not here: which Arrow type is built (`types`).

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BinaryViewBuilder, Decimal128Builder, Decimal256Builder, Float32Builder, Float64Builder,
    Int64Builder, UInt16Builder, UInt32Builder, UInt64Builder,
};
use arrow_schema::DataType;
use rows::error::{Error, Result};
use values::datum::Datum;
use values::types::ColumnType;

use super::decimal::{unscaled_128, unscaled_256};
use super::types::{DIGITS_128_MAX, arrow_type};

/// Appends datums of one type and gives the Arrow column.
pub struct ColumnWriter(ArrowBuilder);

enum ArrowBuilder {
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
    Set(UInt64Builder),
}

impl ColumnWriter {
    /// An empty column with room for some values.
    pub fn new(ty: &ColumnType, capacity: usize) -> ColumnWriter {
        ColumnWriter(match ty {
            ColumnType::Int { unsigned: false, .. } => {
                ArrowBuilder::Int(Int64Builder::with_capacity(capacity))
            }
            ColumnType::Int { unsigned: true, .. } => {
                ArrowBuilder::UInt(UInt64Builder::with_capacity(capacity))
            }
            ColumnType::Float(_) => ArrowBuilder::Float(Float32Builder::with_capacity(capacity)),
            ColumnType::Double(_) => ArrowBuilder::Double(Float64Builder::with_capacity(capacity)),
            ColumnType::Decimal { precision, scale } => {
                decimal_writer(*precision, *scale, capacity)
            }
            ColumnType::Date => ArrowBuilder::Date(UInt32Builder::with_capacity(capacity)),
            ColumnType::Time { .. } => ArrowBuilder::Time(Int64Builder::with_capacity(capacity)),
            ColumnType::Bit { .. } => ArrowBuilder::UInt(UInt64Builder::with_capacity(capacity)),
            ColumnType::Set { .. } => ArrowBuilder::Set(UInt64Builder::with_capacity(capacity)),
            ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => {
                ArrowBuilder::Moment(UInt64Builder::with_capacity(capacity))
            }
            ColumnType::Year | ColumnType::Enum { .. } => {
                ArrowBuilder::Short(UInt16Builder::with_capacity(capacity))
            }
            _ => {
                debug_assert_eq!(arrow_type(ty), DataType::BinaryView);
                ArrowBuilder::Bytes(BinaryViewBuilder::with_capacity(capacity))
            }
        })
    }

    /// Appends NULL.
    pub fn append_null(&mut self) {
        match &mut self.0 {
            ArrowBuilder::Int(to) | ArrowBuilder::Time(to) => to.append_null(),
            ArrowBuilder::UInt(to) | ArrowBuilder::Moment(to) | ArrowBuilder::Set(to) => {
                to.append_null();
            }
            ArrowBuilder::Float(to) => to.append_null(),
            ArrowBuilder::Double(to) => to.append_null(),
            ArrowBuilder::Narrow(to, _) => to.append_null(),
            ArrowBuilder::Wide(to, _) => to.append_null(),
            ArrowBuilder::Bytes(to) => to.append_null(),
            ArrowBuilder::Date(to) => to.append_null(),
            ArrowBuilder::Short(to) => to.append_null(),
        }
    }

    /// Appends a value of the column's type, or NULL.
    ///
    /// # Errors
    /// `Corrupt` for a value of another kind.
    pub fn append(&mut self, datum: Datum<'_>) -> Result<()> {
        match (&mut self.0, datum) {
            (_, Datum::Null) => self.append_null(),
            (ArrowBuilder::Int(to), Datum::Int(value)) => to.append_value(value),
            (ArrowBuilder::UInt(to), Datum::UInt(value)) => to.append_value(value),
            (ArrowBuilder::Bytes(to), Datum::Bytes(value)) => to.append_value(value),
            (ArrowBuilder::Float(to), Datum::Float(value)) => to.append_value(value),
            (ArrowBuilder::Double(to), Datum::Double(value)) => to.append_value(value),
            (ArrowBuilder::Narrow(to, scale), Datum::Decimal(value)) => {
                to.append_value(unscaled_128(value, *scale).ok_or_else(wrong_kind)?);
            }
            (ArrowBuilder::Wide(to, scale), Datum::Decimal(value)) => {
                to.append_value(unscaled_256(value, *scale).ok_or_else(wrong_kind)?);
            }
            (ArrowBuilder::Date(to), Datum::Date(value)) => to.append_value(value.packed()),
            (ArrowBuilder::Time(to), Datum::Time(value)) => to.append_value(value.micros()),
            (ArrowBuilder::Moment(to), Datum::DateTime(value)) => to.append_value(value.packed()),
            (ArrowBuilder::Moment(to), Datum::Timestamp(value)) => to.append_value(value.micros()),
            (ArrowBuilder::Short(to), Datum::Year(value) | Datum::Enum(value)) => {
                to.append_value(value);
            }
            (ArrowBuilder::Set(to), Datum::Set(value)) => to.append_value(value),
            // Expressions may hand over the other signedness when the value fits.
            (ArrowBuilder::Int(to), Datum::UInt(value)) => {
                to.append_value(i64::try_from(value).map_err(|_| wrong_kind())?);
            }
            (ArrowBuilder::UInt(to), Datum::Int(value)) => {
                to.append_value(u64::try_from(value).map_err(|_| wrong_kind())?);
            }
            _ => return Err(wrong_kind()),
        }
        Ok(())
    }

    /// The column; the writer is empty afterwards.
    pub fn finish(&mut self) -> ArrayRef {
        match &mut self.0 {
            ArrowBuilder::Int(from) | ArrowBuilder::Time(from) => Arc::new(from.finish()),
            ArrowBuilder::UInt(from) | ArrowBuilder::Moment(from) | ArrowBuilder::Set(from) => {
                Arc::new(from.finish())
            }
            ArrowBuilder::Float(from) => Arc::new(from.finish()),
            ArrowBuilder::Double(from) => Arc::new(from.finish()),
            ArrowBuilder::Narrow(from, _) => Arc::new(from.finish()),
            ArrowBuilder::Wide(from, _) => Arc::new(from.finish()),
            ArrowBuilder::Bytes(from) => Arc::new(from.finish()),
            ArrowBuilder::Date(from) => Arc::new(from.finish()),
            ArrowBuilder::Short(from) => Arc::new(from.finish()),
        }
    }
}

fn decimal_writer(precision: u8, scale: u8, capacity: usize) -> ArrowBuilder {
    if precision <= DIGITS_128_MAX {
        let ty = DataType::Decimal128(precision, scale as i8);
        ArrowBuilder::Narrow(Decimal128Builder::with_capacity(capacity).with_data_type(ty), scale)
    } else {
        let ty = DataType::Decimal256(precision, scale as i8);
        ArrowBuilder::Wide(Decimal256Builder::with_capacity(capacity).with_data_type(ty), scale)
    }
}

fn wrong_kind() -> Error {
    Error::Corrupt { key: Vec::new(), why: "value of another type than its column" }
}
