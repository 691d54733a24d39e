//! Tests of parameter decoding.

use proptest::prelude::*;

use super::*;

fn decode<'a>(
    statement: &'a mut Statement,
    payload: &'a [u8],
) -> Result<Vec<Datum<'a>>, ParameterError> {
    let mut values = Vec::new();
    statement.decode(payload, &mut values).map(|()| values)
}

/// A payload with one parameter of a type.
fn one(code: u8, flags: u8, value: &[u8]) -> Vec<u8> {
    [&[0, 1, code, flags], value].concat()
}

#[test]
fn integers_keep_their_sign_or_its_absence() {
    let cases: [(u8, u8, &[u8], Datum<'_>); 6] = [
        (type_code::TINY, 0, &[0xFF], Datum::Int(-1)),
        (type_code::TINY, 0x80, &[0xFF], Datum::UInt(255)),
        (type_code::SHORT, 0x80, &[0xFE, 0xFF], Datum::UInt(65534)),
        (type_code::LONG, 0, &[0, 0, 0, 0x80], Datum::Int(i32::MIN as i64)),
        (type_code::LONG, 0x80, &[0, 0, 0, 0x80], Datum::UInt(1 << 31)),
        (type_code::LONGLONG, 0x80, &[0xFF; 8], Datum::UInt(u64::MAX)),
    ];
    for (code, flags, bytes, expected) in cases {
        let mut statement = Statement::new(1);
        assert_eq!(decode(&mut statement, &one(code, flags, bytes)), Ok(vec![expected]));
    }
}

#[test]
fn moments_and_durations_of_every_length_are_read() {
    let mut statement = Statement::new(1);
    let day = Date::new(2024, 2, 29).expect("a leap day");
    let payload = one(type_code::DATE, 0, &[4, 0xE8, 7, 2, 29]);
    assert_eq!(decode(&mut statement, &payload), Ok(vec![Datum::Date(day)]));
    let payload = one(type_code::DATETIME, 0, &[11, 0xE8, 7, 2, 29, 23, 59, 58, 1, 0, 0, 0]);
    let moment = DateTime::new(day, 23, 59, 58, 1).expect("valid");
    assert_eq!(decode(&mut statement, &payload), Ok(vec![Datum::DateTime(moment)]));
    let payload = one(type_code::DATETIME, 0, &[0]);
    assert_eq!(decode(&mut statement, &payload), Ok(vec![Datum::DateTime(DateTime::ZERO)]));
    let payload = one(type_code::DATETIME, 0, &[4, 0xE8, 7, 13, 29]);
    assert_eq!(decode(&mut statement, &payload), Ok(vec![Datum::DateTime(DateTime::ZERO)]));
    let payload = one(type_code::TIME, 0, &[8, 1, 1, 0, 0, 0, 2, 3, 4]);
    let duration = Time::new(true, 26, 3, 4, 0).expect("valid");
    assert_eq!(decode(&mut statement, &payload), Ok(vec![Datum::Time(duration)]));
    let longest = Time::new(false, 838, 59, 59, 0).expect("valid");
    let payload = one(type_code::TIME, 0, &[8, 0, 0xFF, 0xFF, 0xFF, 0xFF, 2, 3, 4]);
    assert_eq!(decode(&mut statement, &payload), Ok(vec![Datum::Time(longest)]));
    let payload = one(type_code::TIME, 0, &[3, 0, 0, 0]);
    assert_eq!(decode(&mut statement, &payload), Err(ParameterError::Malformed));
}

#[test]
fn types_stay_bound_for_the_next_execution() {
    let mut statement = Statement::new(2);
    let first = [0, 1, type_code::TINY, 0, type_code::VAR_STRING, 0, 7, 2, b'a', b'b'];
    let expected = vec![Datum::Int(7), Datum::Bytes(b"ab")];
    assert_eq!(decode(&mut statement, &first), Ok(expected));
    let second = [0b10, 0, 9];
    assert_eq!(decode(&mut statement, &second), Ok(vec![Datum::Int(9), Datum::Null]));
    let mut unbound = Statement::new(2);
    assert_eq!(decode(&mut unbound, &second), Err(ParameterError::Arguments));
}

#[test]
fn long_data_take_the_place_of_a_value_until_reset() {
    let mut statement = Statement::new(1);
    statement.append(0, b"long ", 100);
    statement.append(0, b"data", 100);
    let payload = one(type_code::BLOB, 0, b"");
    assert_eq!(decode(&mut statement, &payload), Ok(vec![Datum::Bytes(b"long data")]));
    statement.append(0, b"more than there is room for", 3);
    assert_eq!(decode(&mut statement, &payload), Err(ParameterError::TooLong));
    assert_eq!(statement.long_data_bytes(), 0);
    statement.reset();
    let payload = one(type_code::BLOB, 0, &[1, b'x']);
    assert_eq!(decode(&mut statement, &payload), Ok(vec![Datum::Bytes(b"x")]));
    statement.append(1, b"no such parameter", 100);
    assert_eq!(decode(&mut statement, &payload), Err(ParameterError::Arguments));
}

proptest! {
    #[test]
    fn any_bytes_are_parameters_or_an_error(
        count in 0u16..40,
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut statement = Statement::new(count);
        let _ = decode(&mut statement, &bytes);
    }

    #[test]
    fn any_value_bytes_behind_valid_types_are_values_or_an_error(
        code in any::<u8>(),
        flags in any::<u8>(),
        bytes in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut statement = Statement::new(1);
        let _ = decode(&mut statement, &one(code, flags, &bytes));
    }
}
