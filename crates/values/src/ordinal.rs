//! Ordinals: values of integers, dates and times as numbers of 64 bits, which order as the values
//! do.
//!
//! A value in flight is a `Datum` of 40 bytes, which is copied from hand to hand; an ordinal is a
//! register. Code that compares, groups or sums many rows takes them where the type has them.
//!
//! ```text
//! signed integers, TIME (microseconds)    the sign bit turned, so that negative ones come first
//! unsigned integers, YEAR                 themselves
//! DATE, DATETIME, TIMESTAMP               their packed number
//! ```
//!
//! Invariants
//! 1. Within one type two ordinals are equal, or in an order, exactly if their values are.
//!
//! Not here: ordinals of stored rows (`row::RowRef::ordinal`), of expressions (crate `expression`).

use crate::datum::{Datum, Value};
use crate::temporal::{Date, DateTime, Time, Timestamp};
use crate::types::ColumnType;

const SIGN: u64 = 1 << 63;

/// The ordinal of a signed number.
#[inline]
pub fn of_signed(value: i64) -> u64 {
    value as u64 ^ SIGN
}

/// The signed number that has an ordinal.
#[inline]
pub fn to_signed(ordinal: u64) -> i64 {
    (ordinal ^ SIGN) as i64
}

/// Whether values of a type have ordinals.
#[inline]
pub fn has_ordinals(ty: &ColumnType) -> bool {
    matches!(
        ty,
        ColumnType::Int { .. }
            | ColumnType::Date
            | ColumnType::Time { .. }
            | ColumnType::DateTime { .. }
            | ColumnType::Timestamp { .. }
            | ColumnType::Year
    )
}

/// The ordinal of a value; `None` for NULL, and for a value that has none.
#[inline]
pub fn ordinal_of(datum: &Datum<'_>) -> Option<u64> {
    Some(match datum {
        Datum::Int(v) => of_signed(*v),
        Datum::UInt(v) => *v,
        Datum::Date(v) => u64::from(v.packed()),
        Datum::Time(v) => of_signed(v.micros()),
        Datum::DateTime(v) => v.packed(),
        Datum::Timestamp(v) => v.micros(),
        Datum::Year(v) => u64::from(*v),
        _ => return None,
    })
}

/// The same of a value that is one of a type.
#[inline]
pub fn ordinal_within(ty: &ColumnType, datum: &Datum<'_>) -> Option<u64> {
    let is_of_type = matches!(
        (ty, datum),
        (ColumnType::Int { unsigned: false, .. }, Datum::Int(_))
            | (ColumnType::Int { unsigned: true, .. }, Datum::UInt(_))
            | (ColumnType::Date, Datum::Date(_))
            | (ColumnType::Time { .. }, Datum::Time(_))
            | (ColumnType::DateTime { .. }, Datum::DateTime(_))
            | (ColumnType::Timestamp { .. }, Datum::Timestamp(_))
            | (ColumnType::Year, Datum::Year(_))
    );
    if is_of_type { ordinal_of(datum) } else { None }
}

/// The value of a type that has an ordinal; `None` if none has it.
pub fn value_of(ty: &ColumnType, ordinal: u64) -> Option<Value> {
    Some(match ty {
        ColumnType::Int { unsigned: false, .. } => Value::Int(to_signed(ordinal)),
        ColumnType::Int { .. } => Value::UInt(ordinal),
        ColumnType::Date => Value::Date(Date::from_packed(u32::try_from(ordinal).ok()?)?),
        ColumnType::Time { .. } => Value::Time(Time::from_micros(to_signed(ordinal))?),
        ColumnType::DateTime { .. } => Value::DateTime(DateTime::from_packed(ordinal)?),
        ColumnType::Timestamp { .. } => Value::Timestamp(Timestamp::from_micros(ordinal)),
        ColumnType::Year => Value::Year(u16::try_from(ordinal).ok()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::IntWidth;

    #[test]
    fn ordinals_order_as_their_values_do_and_lead_back_to_them() {
        let int = |unsigned| ColumnType::Int { width: IntWidth::Big, unsigned, boolean: false };
        let time = |micros| Value::Time(Time::from_micros(micros).unwrap());
        let date = |packed| Value::Date(Date::from_packed(packed).unwrap());
        let day = |year: u32, month: u32, day: u32| year << 9 | month << 5 | day;
        let ascending = [
            (int(false), vec![Value::Int(i64::MIN), Value::Int(-1), Value::Int(0), Value::Int(7)]),
            (int(true), vec![Value::UInt(0), Value::UInt(1 << 63), Value::UInt(u64::MAX)]),
            (ColumnType::Time { fsp: 6 }, vec![time(-1_000_000), time(-1), time(0), time(5)]),
            (ColumnType::Year, vec![Value::Year(0), Value::Year(1901), Value::Year(2155)]),
            (ColumnType::Date, vec![date(0), date(day(2020, 2, 29)), date(day(2020, 3, 1))]),
        ];
        for (ty, values) in ascending {
            assert!(has_ordinals(&ty));
            let ordinals: Vec<u64> =
                values.iter().map(|v| ordinal_within(&ty, &v.as_datum()).unwrap()).collect();
            assert!(ordinals.is_sorted_by(|a, b| a < b), "{ty:?}");
            let back: Vec<Value> = ordinals.iter().map(|n| value_of(&ty, *n).unwrap()).collect();
            assert_eq!(back, values);
        }
    }

    #[test]
    fn what_is_not_of_the_type_has_no_ordinal() {
        assert_eq!(ordinal_within(&ColumnType::Date, &Datum::Int(5)), None);
        assert_eq!(ordinal_within(&ColumnType::Date, &Datum::Null), None);
        // The thirteenth month.
        assert_eq!(value_of(&ColumnType::Date, 2020 << 9 | 13 << 5 | 1), None);
        assert!(!has_ordinals(&ColumnType::Double(None)));
    }
}
