//! Rows of results: the text form (COM_QUERY) and the binary form (COM_STMT_EXECUTE).
//!
//! ```text
//! text     each value as a length-encoded string, NULL as 0xFB
//! binary   0 | NULL bitmap, (n+9)/8, first bit at 2 | values that are not NULL
//! ```
//!
//! Invariants
//! 1. A row appends straight to the output; nothing is allocated for it.
//! 2. Binary values have the form that the column's type code announces, whatever the datum.
//!
//! Not here: type codes (`column`), the text of a value (`values::text`).

use results::{ResultColumn, SqlError};
use values::ErrorCode;
use values::datum::Datum;
use values::temporal::{Date, DateTime, Time, Zone};
use values::text::{fill_with_zeros, write_text};
use values::types::{ColumnType, IntWidth};

use super::encode::{write_lenenc, write_lenenc_bytes};

/// NULL in a text row.
const NULL: u8 = 0xFB;
/// The NULL bitmap of binary rows begins with this many unused bits.
const NULL_OFFSET: usize = 2;

/// Appends a text row's payload.
pub fn write_text_row(out: &mut Vec<u8>, columns: &[ResultColumn], row: &[Datum<'_>], zone: Zone) {
    for (column, &datum) in columns.iter().zip(row) {
        match datum {
            Datum::Null => out.push(NULL),
            Datum::Bytes(bytes) => write_lenenc_bytes(out, bytes),
            _ if column.flags.zerofill > 0 => write_zerofilled(out, column, datum, zone),
            _ => write_as_text(out, &column.ty, datum, zone),
        }
    }
}

/// Appends a number's text behind its length, with zeros in front.
#[cold]
fn write_zerofilled(out: &mut Vec<u8>, column: &ResultColumn, datum: Datum<'_>, zone: Zone) {
    let mut text = Vec::new();
    write_text(&column.ty, datum, zone, &mut text);
    fill_with_zeros(&mut text, 0, column.flags.zerofill);
    write_lenenc_bytes(out, &text);
}

/// Appends a binary row's payload.
///
/// # Errors
/// Those of values that cannot be written in their column's type; `out` has the beginning of the
/// row then.
pub fn write_binary_row(
    out: &mut Vec<u8>,
    columns: &[ResultColumn],
    row: &[Datum<'_>],
    zone: Zone,
) -> Result<(), SqlError> {
    out.push(0);
    let bitmap = out.len();
    out.resize(bitmap + (columns.len() + NULL_OFFSET).div_ceil(8), 0);
    for (position, (column, &datum)) in columns.iter().zip(row).enumerate() {
        if datum.is_null() {
            let bit = position + NULL_OFFSET;
            out[bitmap + bit / 8] |= 1 << (bit % 8);
        } else {
            write_binary(out, column, datum, zone)?;
        }
    }
    Ok(())
}

fn write_binary(
    out: &mut Vec<u8>,
    column: &ResultColumn,
    datum: Datum<'_>,
    zone: Zone,
) -> Result<(), SqlError> {
    match (&column.ty, datum) {
        (ColumnType::Int { width, .. }, Datum::Int(value)) => write_int(out, *width, value),
        (ColumnType::Int { width, .. }, Datum::UInt(value)) => write_int(out, *width, value as i64),
        (ColumnType::Year, Datum::Year(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (ColumnType::Float(_), Datum::Float(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (ColumnType::Double(_), Datum::Double(value)) => {
            out.extend_from_slice(&value.to_le_bytes())
        }
        (ColumnType::Double(_), Datum::Float(value)) => {
            out.extend_from_slice(&(value as f64).to_le_bytes());
        }
        (ColumnType::Date, Datum::Date(value)) => write_date(out, value),
        (ColumnType::Time { .. }, Datum::Time(value)) => write_time(out, value),
        (ColumnType::DateTime { .. } | ColumnType::Timestamp { .. }, Datum::DateTime(value)) => {
            write_moment(out, value);
        }
        (ColumnType::DateTime { .. } | ColumnType::Timestamp { .. }, Datum::Timestamp(value)) => {
            write_moment(out, value.to_datetime(zone));
        }
        (
            ColumnType::Int { .. }
            | ColumnType::Year
            | ColumnType::Float(_)
            | ColumnType::Double(_)
            | ColumnType::Date
            | ColumnType::Time { .. }
            | ColumnType::DateTime { .. }
            | ColumnType::Timestamp { .. },
            _,
        ) => {
            let message = format!("Internal error: column '{}' has another type", column.name);
            return Err(SqlError::new(ErrorCode::InternalError, message));
        }
        (_, Datum::Bytes(bytes)) => write_lenenc_bytes(out, bytes),
        (ty, datum) => write_as_text(out, ty, datum, zone),
    }
    Ok(())
}

/// Appends a value's text behind its length, which is known only afterwards.
fn write_as_text(out: &mut Vec<u8>, ty: &ColumnType, datum: Datum<'_>, zone: Zone) {
    let start = out.len();
    out.push(0);
    write_text(ty, datum, zone, out);
    let length = out.len() - start - 1;
    if length < NULL as usize {
        out[start] = length as u8;
    } else {
        // Only words of an ENUM or SET are ever that long.
        let text = out.split_off(start + 1);
        out.truncate(start);
        write_lenenc(out, text.len() as u64);
        out.extend_from_slice(&text);
    }
}

fn write_int(out: &mut Vec<u8>, width: IntWidth, value: i64) {
    let bytes = value.to_le_bytes();
    let count = match width {
        IntWidth::Tiny => 1,
        IntWidth::Small => 2,
        IntWidth::Medium | IntWidth::Int => 4,
        IntWidth::Big => 8,
    };
    out.extend_from_slice(&bytes[..count]);
}

fn write_date(out: &mut Vec<u8>, date: Date) {
    if date.is_zero() {
        out.push(0);
        return;
    }
    let year = date.year().to_le_bytes();
    out.extend_from_slice(&[4, year[0], year[1], date.month(), date.day()]);
}

fn write_moment(out: &mut Vec<u8>, moment: DateTime) {
    let (hour, minute, second) = (moment.hour(), moment.minute(), moment.second());
    let micros = moment.micros();
    if micros == 0 && (hour, minute, second) == (0, 0, 0) {
        return write_date(out, moment.date());
    }
    let year = moment.year().to_le_bytes();
    let length = if micros == 0 { 7 } else { 11 };
    out.extend_from_slice(&[length, year[0], year[1], moment.month(), moment.day()]);
    out.extend_from_slice(&[hour, minute, second]);
    if micros != 0 {
        out.extend_from_slice(&micros.to_le_bytes());
    }
}

fn write_time(out: &mut Vec<u8>, time: Time) {
    let micros = time.fraction();
    if time == Time::ZERO {
        out.push(0);
        return;
    }
    out.extend_from_slice(&[if micros == 0 { 8 } else { 12 }, time.is_negative() as u8]);
    out.extend_from_slice(&(time.hours() / 24).to_le_bytes());
    out.extend_from_slice(&[(time.hours() % 24) as u8, time.minute(), time.second()]);
    if micros != 0 {
        out.extend_from_slice(&micros.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use values::types::Collation;

    fn columns(types: &[ColumnType]) -> Vec<ResultColumn> {
        types.iter().map(|ty| ResultColumn::computed("c", ty.clone(), true)).collect()
    }

    fn int(width: IntWidth) -> ColumnType {
        ColumnType::Int { width, unsigned: false, boolean: false }
    }

    fn binary(types: &[ColumnType], row: &[Datum<'_>]) -> Vec<u8> {
        let mut out = Vec::new();
        write_binary_row(&mut out, &columns(types), row, Zone::UTC).expect("types fit");
        out
    }

    #[test]
    fn a_number_with_zerofill_has_zeros_in_front_as_text() {
        let ty = ColumnType::Decimal { precision: 8, scale: 2 };
        let mut column = ResultColumn::computed("x", ty, true);
        column.flags.zerofill = 9;
        let mut out = Vec::new();
        let value = values::decimal::Decimal::from_i128(150, 2);
        let columns = [column];
        write_text_row(&mut out, &columns, &[Datum::Decimal(value)], Zone::UTC);
        write_text_row(&mut out, &columns, &[Datum::Null], Zone::UTC);
        assert_eq!(out, b"\x09000001.50\xfb");
    }

    #[test]
    fn a_text_row_is_lengths_and_texts() {
        let text = ColumnType::VarChar { chars: 300, collation: Collation::Utf8Mb4Bin };
        let types = [int(IntWidth::Int), text.clone(), text];
        let long = [b'x'; 300];
        let row = [Datum::Int(-12), Datum::Null, Datum::Bytes(&long)];
        let mut out = Vec::new();
        write_text_row(&mut out, &columns(&types), &row, Zone::UTC);
        assert_eq!(&out[..8], b"\x03-12\xFB\xFC\x2C\x01");
        assert_eq!(out.len(), 8 + 300);
    }

    #[test]
    fn a_word_longer_than_250_bytes_gets_a_longer_length() {
        let word = "w".repeat(251);
        let collation = Collation::Utf8Mb4GeneralCi;
        let types = [ColumnType::Enum { values: vec![word.clone()], collation }];
        let mut out = Vec::new();
        write_text_row(&mut out, &columns(&types), &[Datum::Enum(1)], Zone::UTC);
        assert_eq!(out, [&[0xFC, 251, 0][..], word.as_bytes()].concat());
    }

    #[test]
    fn binary_nulls_are_bits_from_the_third_on() {
        let types: Vec<ColumnType> = (0..7).map(|_| int(IntWidth::Tiny)).collect();
        let mut row = [Datum::Int(1); 7];
        row[0] = Datum::Null;
        row[6] = Datum::Null;
        assert_eq!(binary(&types, &row), [0, 0b100, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn binary_integers_take_their_types_width() {
        let widths = [IntWidth::Tiny, IntWidth::Small, IntWidth::Medium, IntWidth::Big];
        let types = widths.map(int);
        let row = [Datum::Int(-1), Datum::Int(-2), Datum::Int(3), Datum::UInt(4)];
        let expected = [0, 0, 0xFF, 0xFE, 0xFF, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(binary(&types, &row), expected);
    }

    #[test]
    fn binary_times_are_as_short_as_they_can_be() {
        let day = Date::new(2024, 2, 29).expect("a leap day");
        let moment =
            |hour, micros| Datum::DateTime(DateTime::new(day, hour, 0, 0, micros).expect("valid"));
        let ty = ColumnType::DateTime { fsp: 6 };
        let types = [ty.clone(), ty.clone(), ty.clone(), ty];
        let row = [moment(0, 0), moment(1, 0), moment(0, 5), Datum::DateTime(DateTime::ZERO)];
        let expected = [
            &[0, 0][..],
            &[4, 0xE8, 7, 2, 29],
            &[7, 0xE8, 7, 2, 29, 1, 0, 0],
            &[11, 0xE8, 7, 2, 29, 0, 0, 0, 5, 0, 0, 0],
            &[0],
        ];
        assert_eq!(binary(&types, &row), expected.concat());
        let duration = Time::new(true, 49, 2, 3, 0).expect("valid");
        let types = [ColumnType::Time { fsp: 0 }];
        let expected = [0, 0, 8, 1, 2, 0, 0, 0, 1, 2, 3];
        assert_eq!(binary(&types, &[Datum::Time(duration)]), expected);
    }

    #[test]
    fn a_value_of_another_type_is_an_error_and_no_damaged_row() {
        let error = write_binary_row(
            &mut Vec::new(),
            &columns(&[int(IntWidth::Int)]),
            &[Datum::Bytes(b"x")],
            Zone::UTC,
        );
        assert_eq!(error.map_err(|error| error.code().number()), Err(1815));
    }
}
