//! Single values: MySQL's as Arrow scalars and back.
//!
//! Invariants
//! 1. A scalar has exactly the Arrow type of the columns of its MySQL type, so that DataFusion
//!    never coerces one side of a comparison.
//!
//! Not here: columns (`columnar::arrow`).

use columnar::arrow::{
    DIGITS_128_MAX, decimal_from_128, decimal_from_256, unscaled_128, unscaled_256,
};
use datafusion::common::ScalarValue;
use values::datum::{Datum, Value};
use values::temporal::{Date, DateTime, Time, Timestamp};
use values::types::ColumnType;

/// The scalar of a value of the type's domain; of another kind of value: a NULL of the type.
pub(crate) fn scalar_of(ty: &ColumnType, value: &Value) -> ScalarValue {
    let datum = value.as_datum();
    match ty {
        ColumnType::Int { unsigned: false, .. } => ScalarValue::Int64(match datum {
            Datum::Int(v) => Some(v),
            Datum::UInt(v) => i64::try_from(v).ok(),
            _ => None,
        }),
        ColumnType::Int { unsigned: true, .. } | ColumnType::Bit { .. } => {
            ScalarValue::UInt64(match datum {
                Datum::UInt(v) => Some(v),
                Datum::Int(v) => u64::try_from(v).ok(),
                _ => None,
            })
        }
        ColumnType::Float(_) => ScalarValue::Float32(match datum {
            Datum::Float(v) => Some(v),
            _ => None,
        }),
        ColumnType::Double(_) => ScalarValue::Float64(match datum {
            Datum::Double(v) => Some(v),
            _ => None,
        }),
        ColumnType::Decimal { precision, scale } => decimal_scalar(*precision, *scale, datum),
        ColumnType::Date => ScalarValue::UInt32(match datum {
            Datum::Date(v) => Some(v.packed()),
            _ => None,
        }),
        ColumnType::Time { .. } => ScalarValue::Int64(match datum {
            Datum::Time(v) => Some(v.micros()),
            _ => None,
        }),
        ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => {
            ScalarValue::UInt64(match datum {
                Datum::DateTime(v) => Some(v.packed()),
                Datum::Timestamp(v) => Some(v.micros()),
                _ => None,
            })
        }
        ColumnType::Set { .. } => ScalarValue::UInt64(match datum {
            Datum::Set(v) => Some(v),
            _ => None,
        }),
        ColumnType::Year | ColumnType::Enum { .. } => ScalarValue::UInt16(match datum {
            Datum::Year(v) | Datum::Enum(v) => Some(v),
            _ => None,
        }),
        _ => ScalarValue::BinaryView(match datum {
            Datum::Bytes(v) => Some(v.to_vec()),
            _ => None,
        }),
    }
}

fn decimal_scalar(precision: u8, scale: u8, datum: Datum<'_>) -> ScalarValue {
    let value = match datum {
        Datum::Decimal(value) => Some(value),
        _ => None,
    };
    if precision <= DIGITS_128_MAX {
        let digits = value.and_then(|value| unscaled_128(value, scale));
        ScalarValue::Decimal128(digits, precision, scale as i8)
    } else {
        let digits = value.and_then(|value| unscaled_256(value, scale));
        ScalarValue::Decimal256(digits, precision, scale as i8)
    }
}

/// The value of a scalar that stands for `ty`; `None` when its Arrow type is not that of `ty`.
pub(crate) fn value_of(ty: &ColumnType, scalar: &ScalarValue) -> Option<Value> {
    if scalar.is_null() {
        return Some(Value::Null);
    }
    Some(match (ty, scalar) {
        (ColumnType::Int { .. }, ScalarValue::Int64(Some(v))) => Value::Int(*v),
        (ColumnType::Set { .. }, ScalarValue::UInt64(Some(v))) => Value::Set(*v),
        (ColumnType::Int { .. } | ColumnType::Bit { .. }, ScalarValue::UInt64(Some(v))) => {
            Value::UInt(*v)
        }
        (ColumnType::Float(_), ScalarValue::Float32(Some(v))) => Value::Float(*v),
        (ColumnType::Double(_), ScalarValue::Float64(Some(v))) => Value::Double(*v),
        (ColumnType::Decimal { scale, .. }, ScalarValue::Decimal128(Some(v), ..)) => {
            Value::Decimal(decimal_from_128(*v, *scale))
        }
        (ColumnType::Decimal { scale, .. }, ScalarValue::Decimal256(Some(v), ..)) => {
            Value::Decimal(decimal_from_256(*v, *scale))
        }
        (ColumnType::Date, ScalarValue::UInt32(Some(v))) => Value::Date(Date::from_packed(*v)?),
        (ColumnType::Time { .. }, ScalarValue::Int64(Some(v))) => {
            Value::Time(Time::from_micros(*v)?)
        }
        (ColumnType::DateTime { .. }, ScalarValue::UInt64(Some(v))) => {
            Value::DateTime(DateTime::from_packed(*v)?)
        }
        (ColumnType::Timestamp { .. }, ScalarValue::UInt64(Some(v))) => {
            Value::Timestamp(Timestamp::from_micros(*v))
        }
        (ColumnType::Year, ScalarValue::UInt16(Some(v))) => Value::Year(*v),
        (ColumnType::Enum { .. }, ScalarValue::UInt16(Some(v))) => Value::Enum(*v),
        (_, ScalarValue::BinaryView(Some(v)) | ScalarValue::Binary(Some(v))) => {
            Value::Bytes(v.clone())
        }
        _ => return None,
    })
}
