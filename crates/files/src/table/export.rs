//! A column of ours as one that other programs read, by the type that `types::written_as` says.
//!
//! Invariants
//! 1. What other programs have no value for is an error: dates with a day or month of zero.
//!
//! Not here: the way back (`convert`).

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray, StringViewBuilder};
use arrow::compute::cast;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, DurationMicrosecondType, Int64Type,
    TimestampMicrosecondType, UInt16Type, UInt32Type, UInt64Type,
};
use values::temporal::{Date, DateTime};
use values::types::ColumnType;

use super::convert::ConvertResult;
use super::types::written_as;

/// The column of values of `ty`.
pub(super) fn exported(ty: &ColumnType, array: &ArrayRef) -> ConvertResult<ArrayRef> {
    Ok(match ty {
        ColumnType::Int { .. } => match written_as(ty) {
            same if same == *array.data_type() => Arc::clone(array),
            other => cast(array, &other)?,
        },
        ColumnType::Date => {
            let day = |packed| Date::from_packed(packed).and_then(Date::days);
            Arc::new(moments::<_, Date32Type>(array.as_primitive::<UInt32Type>(), day)?)
        }
        ColumnType::DateTime { .. } => {
            let micros = |packed| DateTime::from_packed(packed).and_then(DateTime::to_micros);
            let array = array.as_primitive::<UInt64Type>();
            Arc::new(moments::<_, TimestampMicrosecondType>(array, micros)?)
        }
        ColumnType::Timestamp { .. } => {
            // Zero is no instant.
            let micros = |micros: u64| i64::try_from(micros).ok().filter(|micros| *micros > 0);
            let array = array.as_primitive::<UInt64Type>();
            let array = moments::<_, TimestampMicrosecondType>(array, micros)?;
            Arc::new(array.with_timezone("UTC"))
        }
        ColumnType::Time { .. } => {
            let micros = array.as_primitive::<Int64Type>();
            Arc::new(micros.reinterpret_cast::<DurationMicrosecondType>())
        }
        ColumnType::Enum { .. } => {
            let positions = array.as_primitive::<UInt16Type>();
            let mut words = StringViewBuilder::with_capacity(positions.len());
            for position in positions {
                words.append_option(position.map(|position| ty.enum_word(position)));
            }
            Arc::new(words.finish())
        }
        ColumnType::Set { .. } => {
            let members = array.as_primitive::<UInt64Type>();
            let mut texts = StringViewBuilder::with_capacity(members.len());
            let mut text = Vec::new();
            for members in members {
                text.clear();
                ty.write_members(members.unwrap_or(0), &mut text);
                texts.append_option(members.map(|_| String::from_utf8_lossy(&text)));
            }
            Arc::new(texts.finish())
        }
        _ if written_as(ty) == DataType::Utf8View => {
            Arc::new(array.as_binary_view().clone().to_string_view()?)
        }
        _ => Arc::clone(array),
    })
}

/// The values by a function that has one for each but those with zeros.
fn moments<F: ArrowPrimitiveType, T: ArrowPrimitiveType>(
    array: &PrimitiveArray<F>,
    moment: impl Fn(F::Native) -> Option<T::Native>,
) -> ConvertResult<PrimitiveArray<T>> {
    array.try_unary(|value| {
        moment(value).ok_or_else(|| {
            arrow::error::ArrowError::ParseError(
                "a date with zeros, for which there is no other; NULLIF() makes it NULL".to_owned(),
            )
        })
    })
}
