//! Values that say of which kind they are, one after the other: for temporary files of rows whose
//! types nobody has to know.
//!
//! ```text
//! kind     u8, as below; all numbers little-endian
//! content  none of NULL; 8 bytes of integers, DOUBLE, times and SET; 4 of FLOAT and DATE; 2 of YEAR and ENUM;
//!          of DECIMAL its digits in 32 bytes and its scale in one; of bytes their length in 4, and they
//! ```
//! Only the process that has written them reads them, so these numbers may change.
//!
//! Not here: stored rows (`row`), keys (`key`).

use ethnum::I256;

use crate::datum::{Datum, Value};
use crate::decimal::Decimal;
use crate::temporal::{Date, DateTime, Time, Timestamp};

const NULL: u8 = 0;
const INT: u8 = 1;
const UINT: u8 = 2;
const FLOAT: u8 = 3;
const DOUBLE: u8 = 4;
const DECIMAL: u8 = 5;
const BYTES: u8 = 6;
const DATE: u8 = 7;
const TIME: u8 = 8;
const DATE_TIME: u8 = 9;
const TIMESTAMP: u8 = 10;
const YEAR: u8 = 11;
const ENUM: u8 = 12;
const SET: u8 = 13;

/// Appends a value.
pub fn write(datum: Datum<'_>, out: &mut Vec<u8>) {
    let mut put = |kind: u8, content: &[u8]| {
        out.push(kind);
        out.extend_from_slice(content);
    };
    match datum {
        Datum::Null => put(NULL, &[]),
        Datum::Int(v) => put(INT, &v.to_le_bytes()),
        Datum::UInt(v) => put(UINT, &v.to_le_bytes()),
        Datum::Float(v) => put(FLOAT, &v.to_le_bytes()),
        Datum::Double(v) => put(DOUBLE, &v.to_le_bytes()),
        Datum::Decimal(v) => {
            put(DECIMAL, &v.unscaled().to_le_bytes());
            out.push(v.scale());
        }
        Datum::Bytes(v) => {
            put(BYTES, &(v.len() as u32).to_le_bytes());
            out.extend_from_slice(v);
        }
        Datum::Date(v) => put(DATE, &v.packed().to_le_bytes()),
        Datum::Time(v) => put(TIME, &v.micros().to_le_bytes()),
        Datum::DateTime(v) => put(DATE_TIME, &v.packed().to_le_bytes()),
        Datum::Timestamp(v) => put(TIMESTAMP, &v.micros().to_le_bytes()),
        Datum::Year(v) => put(YEAR, &v.to_le_bytes()),
        Datum::Enum(v) => put(ENUM, &v.to_le_bytes()),
        Datum::Set(v) => put(SET, &v.to_le_bytes()),
    }
}

/// Takes a value from the front; `None` where there is none that `write` has made.
pub fn read(bytes: &mut &[u8]) -> Option<Value> {
    let [kind] = take(bytes)?;
    Some(match kind {
        NULL => Value::Null,
        INT => Value::Int(i64::from_le_bytes(take(bytes)?)),
        UINT => Value::UInt(u64::from_le_bytes(take(bytes)?)),
        FLOAT => Value::Float(f32::from_le_bytes(take(bytes)?)),
        DOUBLE => Value::Double(f64::from_le_bytes(take(bytes)?)),
        DECIMAL => {
            let unscaled = I256::from_le_bytes(take(bytes)?);
            let [scale] = take(bytes)?;
            Value::Decimal(Decimal::new(unscaled, scale)?)
        }
        BYTES => {
            let length = u32::from_le_bytes(take(bytes)?) as usize;
            let (text, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            Value::Bytes(text.to_vec())
        }
        DATE => Value::Date(Date::trusted(u32::from_le_bytes(take(bytes)?))),
        TIME => Value::Time(Time::from_micros(i64::from_le_bytes(take(bytes)?))?),
        DATE_TIME => Value::DateTime(DateTime::trusted(u64::from_le_bytes(take(bytes)?))),
        TIMESTAMP => Value::Timestamp(Timestamp::from_micros(u64::from_le_bytes(take(bytes)?))),
        YEAR => Value::Year(u16::from_le_bytes(take(bytes)?)),
        ENUM => Value::Enum(u16::from_le_bytes(take(bytes)?)),
        SET => Value::Set(u64::from_le_bytes(take(bytes)?)),
        _ => return None,
    })
}

/// The next so many bytes.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind_come_back_as_they_were() {
        let date = Date::new(2024, 2, 29).unwrap();
        let values = [
            Value::Null,
            Value::Int(-5),
            Value::UInt(u64::MAX),
            Value::Float(1.5),
            Value::Double(-0.25),
            Value::Decimal(Decimal::parse(b"-12345678901234567890123456789.000000001").unwrap()),
            Value::Decimal(Decimal::largest(65, 30)),
            Value::Bytes(b"a\0b".to_vec()),
            Value::Bytes(Vec::new()),
            Value::Date(date),
            Value::Time(Time::new(true, 838, 59, 59, 1).unwrap()),
            Value::DateTime(DateTime::new(date, 23, 59, 59, 999_999).unwrap()),
            Value::Timestamp(Timestamp::from_micros(1_700_000_000_000_001)),
            Value::Year(1999),
            Value::Set(1 << 63 | 5),
            Value::Enum(7),
        ];
        let mut bytes = Vec::new();
        values.iter().for_each(|value| write(value.as_datum(), &mut bytes));
        let mut left = &bytes[..];
        for value in &values {
            assert_eq!(read(&mut left).as_ref(), Some(value));
        }
        assert!(left.is_empty());
        assert_eq!(read(&mut left), None, "nothing is left");
        assert_eq!(read(&mut &bytes[bytes.len() - 2..]), None, "cut off");
    }
}
