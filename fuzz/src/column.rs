//! Columns of segments: damaged bytes are told, what is read of them in every way is the same, and
//! values come back as they were stored.

use columnar::arrow::ColumnReader;
use columnar::fuzzing::{StoredColumn, encode, segment};
use values::ColumnType;
use values::datum::Value;
use values::decimal::Decimal;
use values::temporal::{Date, DateTime, Time, Timestamp};

use crate::memory::within;
use crate::shapes::{byte, column_type};

/// What a compressed byte may stand for.
const BYTES_PER_BYTE_MAX: usize = 1 << 15;
/// Bytes that are held for one of the payload: a text's length becomes a view of 16.
const BYTES_PER_PAYLOAD_BYTE: usize = 8;
/// Bytes that are held for a row, whatever was stored of it: what follows from another column is
/// made of few bytes for every row.
const ROW_BYTES: usize = 96;

/// Reads the input as a column of a type and with as many rows as its first bytes say; or makes
/// values of it, and damages what they are stored as.
pub fn check(mut input: &[u8]) {
    let ty = column_type(byte(&mut input));
    let way = byte(&mut input);
    let rows = usize::from(byte(&mut input));
    if way & 1 == 0 {
        if let Ok(written) = segment(input) {
            assert_eq!(segment(&written).expect("what was written"), written);
        }
        return read(&ty, input, rows);
    }
    let (at, to) = (usize::from(byte(&mut input)) << 4, byte(&mut input));
    let values = values(&ty, input, rows);
    let mut stored = encode(&ty, &values).expect("values of the type");
    let column = StoredColumn::decode(&stored, rows).expect("what was stored");
    let back = column.values(&ty, rows).expect("of the type");
    assert_eq!(format!("{back:?}"), format!("{values:?}"));
    read(&ty, &stored, rows);
    let at = (at | usize::from(way >> 4)) % stored.len();
    stored[at] = to;
    read(&ty, &stored, rows);
    stored.truncate(at);
    read(&ty, &stored, rows);
}

/// Reads a column in all ways.
fn read(ty: &ColumnType, stored: &[u8], rows: usize) {
    let payload = stored.len() * BYTES_PER_BYTE_MAX * BYTES_PER_PAYLOAD_BYTE;
    let decoded = within(payload + rows * ROW_BYTES + 1024, || StoredColumn::decode(stored, rows));
    let Ok(column) = decoded else { return };
    let one_by_one = column.values(ty, rows);
    for all in [true, false] {
        let kept = column.retained(rows, (3, u64::MAX / 2), all);
        assert!(kept.is_sorted() && kept.iter().all(|row| *row < rows));
        let Ok(array) = column.array(ty, rows, all) else { continue };
        let Ok(values) = &one_by_one else { continue };
        let reader = ColumnReader::new(ty, &array).expect("the type that was asked for");
        let wanted = (0..rows).filter(|row| all || row % 3 != 1);
        for (at, row) in wanted.enumerate() {
            let found = reader.datum(at).to_value();
            assert_eq!(format!("{found:?}"), format!("{:?}", values[row]));
        }
    }
}

/// As many values of a type; some are NULL, many the same as others.
fn values(ty: &ColumnType, mut input: &[u8], rows: usize) -> Vec<Value> {
    let width = usize::from(byte(&mut input) % 9);
    let mut next = || {
        let (bytes, rest) = input.split_at(width.min(input.len()));
        input = rest;
        let mut number = [0; 8];
        number[..bytes.len()].copy_from_slice(bytes);
        (bytes, i64::from_le_bytes(number))
    };
    let value = |(bytes, number): (&[u8], i64)| {
        if number % 7 == 3 {
            return Value::Null;
        }
        let unsigned = number.unsigned_abs();
        match ty {
            ColumnType::Int { unsigned: false, .. } => Value::Int(number),
            ColumnType::Int { .. } => Value::UInt(number as u64),
            ColumnType::Float(_) => Value::Float(number as f32),
            ColumnType::Double(_) => Value::Double(number as f64),
            ColumnType::Decimal { precision, scale } => {
                let digits = i128::from(number) % 10i128.pow(u32::from((*precision).min(18)));
                Value::Decimal(Decimal::from_i128(digits, *scale))
            }
            ColumnType::Date => Value::Date(Date::from_packed(number as u32).unwrap_or_default()),
            ColumnType::Time { .. } => {
                Value::Time(Time::from_micros(number % 1_000_000_000_000).unwrap_or_default())
            }
            ColumnType::DateTime { .. } => {
                Value::DateTime(DateTime::from_packed(unsigned).unwrap_or_default())
            }
            ColumnType::Timestamp { .. } => {
                Value::Timestamp(Timestamp::from_micros(unsigned % (1 << 51)))
            }
            ColumnType::Year => Value::Year(1901 + (unsigned % 255) as u16),
            ColumnType::Enum { .. } => Value::Enum(unsigned as u16 % 5),
            _ => Value::Bytes(bytes.to_vec()),
        }
    };
    (0..rows).map(|_| value(next())).collect()
}
