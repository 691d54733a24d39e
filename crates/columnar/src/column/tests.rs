//! Columns there and back, for every type, and from bytes that are damaged.

use proptest::prelude::{any, proptest};
use proptest::test_runner::Config;
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::temporal::{Date, DateTime, Time, Timestamp};
use values::types::{Collation, ColumnType, IntWidth};

use super::{Column, Encoder, Gather, Selection};
use crate::arrow::ColumnReader;

/// A type, and a value of it for each number.
type Kind = (ColumnType, fn(i64) -> Value);

fn kinds() -> Vec<Kind> {
    let int = |unsigned| ColumnType::Int { width: IntWidth::Big, unsigned, boolean: false };
    let text = ColumnType::VarChar { chars: 100, collation: Collation::Utf8Mb4GeneralCi };
    let decimal = |precision, scale| ColumnType::Decimal { precision, scale };
    vec![
        (int(false), Value::Int),
        (int(true), |n| Value::UInt(n as u64)),
        (ColumnType::Float(None), |n| Value::Float(n as f32)),
        (ColumnType::Double(None), |n| Value::Double(n as f64 / 3.0)),
        (decimal(18, 2), |n| Value::Decimal(Decimal::from_i128(i128::from(n) % 1_000_000, 2))),
        (decimal(38, 4), |n| Value::Decimal(Decimal::from_i128(i128::from(n) * 1000, 4))),
        (decimal(60, 1), |n| Value::Decimal(Decimal::from_i128(i128::from(n), 1))),
        (text.clone(), |n| Value::Bytes(format!("word {}", n % 5).into_bytes())),
        (text, |n| Value::Bytes(format!("a text that occurs once, {n}").into_bytes())),
        (ColumnType::Date, |n| {
            let packed = ((2000 + n.rem_euclid(50)) << 9 | 5 << 5 | 6) as u32;
            Value::Date(Date::from_packed(packed).unwrap_or_default())
        }),
        (ColumnType::DateTime { fsp: 0 }, |n| {
            let packed = (n.unsigned_abs() % 1000) << 20;
            Value::DateTime(DateTime::from_packed(packed).unwrap_or_default())
        }),
        (ColumnType::Timestamp { fsp: 6 }, |n| {
            Value::Timestamp(Timestamp::from_micros(n.unsigned_abs() % (1 << 50)))
        }),
        (ColumnType::Time { fsp: 6 }, |n| {
            Value::Time(Time::from_micros(n % 1_000_000_000).unwrap_or_default())
        }),
        (ColumnType::Year, |n| Value::Year(1970 + (n.unsigned_abs() % 100) as u16)),
    ]
}

fn encoded(ty: &ColumnType, values: &[Value]) -> Vec<u8> {
    let mut gather = Gather::new(ty);
    for value in values {
        gather.append(value.as_datum()).expect("a value of the type");
    }
    gather.finish(&mut Encoder::new().expect("it begins")).expect("it compresses").bytes
}

/// The same value in every way that a column is read.
fn check(ty: &ColumnType, values: &[Value]) {
    let column = Column::decode(&encoded(ty, values), values.len(), None).expect("it decodes");
    let odd: Vec<u32> = (0..values.len() as u32).filter(|row| row % 2 == 1).collect();
    for selection in [Selection::Range(0..values.len()), Selection::Rows(odd)] {
        let array = column.array(ty, &selection).expect("of the type");
        let reader = ColumnReader::new(ty, &array).expect("of the type");
        let mut at = 0;
        selection
            .try_each(|row| {
                assert_eq!(reader.datum(at).to_value(), values[row], "row {row} of {ty:?}");
                assert_eq!(column.datum(ty, row)?.to_value(), values[row]);
                at += 1;
                Ok(())
            })
            .expect("no error of its own");
    }
}

proptest! {
    #![proptest_config(Config { cases: 64, failure_persistence: None, ..Config::default() })]

    #[test]
    fn values_come_back(
        numbers in proptest::collection::vec((any::<i64>(), 0..6u8), 0..300),
        narrow in 0..64u32,
        ascending in any::<bool>(),
    ) {
        let mut numbers: Vec<(i64, u8)> =
            numbers.into_iter().map(|(number, null)| (number >> narrow, null)).collect();
        if ascending {
            numbers.sort_unstable();
        }
        for (ty, value) in kinds() {
            let with_nulls = |&(number, null): &(i64, u8)| match null {
                0 => Value::Null,
                _ => value(number),
            };
            check(&ty, &numbers.iter().map(with_nulls).collect::<Vec<_>>());
            check(&ty, &numbers.iter().map(|(number, _)| value(*number)).collect::<Vec<_>>());
            check(&ty, &numbers.iter().map(|_| Value::Null).collect::<Vec<_>>());
        }
    }

    /// The store's checksums stand before this: whatever passes them must not end the server.
    #[test]
    fn damaged_bytes_are_an_error_or_other_values(
        at in any::<proptest::sample::Index>(),
        byte in any::<u8>(),
        kind in 0..14usize,
    ) {
        let (ty, value) = kinds().swap_remove(kind);
        let values: Vec<Value> = (0..100).map(value).collect();
        let mut bytes = encoded(&ty, &values);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(column) = Column::decode(&bytes, values.len(), None) {
            let read = column.array(&ty, &Selection::Range(0..values.len()));
            let _ = read.map(|array| array.len());
            for row in 0..values.len() {
                let _ = column.datum(&ty, row).map(|datum: Datum<'_>| datum.is_null());
            }
        }
        assert!(Column::decode(&bytes[..at], values.len(), None).is_err() || at == bytes.len());
    }

    #[test]
    fn tests_keep_the_rows_that_they_hold_for(
        numbers in proptest::collection::vec(-300..300i64, 1..200),
        low in -400..400i64,
        width in 0..200i64,
        shift in 0..50u32,
        nulls in any::<bool>(),
    ) {
        let ty = &kinds()[0].0;
        let value = |number: &i64| match number % 7 {
            0 => Value::Null,
            _ => Value::Int(number << shift),
        };
        let values: Vec<Value> = numbers.iter().map(value).collect();
        let column = Column::decode(&encoded(ty, &values), values.len(), None).unwrap();
        let flip = 1 << 63;
        let (low, high) = (low << shift, (low + width) << shift);
        let range = (low as u64 ^ flip, high as u64 ^ flip);
        let mut selection = Selection::Range(0..values.len());
        column.retain(&[range], flip, nulls, &[], &mut selection);
        let mut kept = Vec::new();
        selection.try_each(|row| { kept.push(row); Ok(()) }).unwrap();
        let holds = |row: &usize| match values[*row] {
            Value::Int(number) => (low..=high).contains(&number),
            _ => nulls,
        };
        assert_eq!(kept, (0..values.len()).filter(holds).collect::<Vec<_>>());
    }
}
