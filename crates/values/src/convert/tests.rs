//! What the recordings of `tests/values_convert.rs` do not reach.

use super::*;
use crate::datum::Datum;
use crate::json::JsonFault;
use crate::temporal::{DateTime, Zone, read_datetime};
use crate::types::{Collation, ColumnType, LobSize};

fn text(ty: &ColumnType, text: &str) -> Converted {
    from_text(ty, text.as_bytes(), Zone::UTC)
}

#[test]
fn a_number_assigned_to_a_text_has_the_digits_that_there_is_room_for() {
    let assigned = |chars, datum, from: &ColumnType| {
        let ty = ColumnType::VarChar { chars, collation: Collation::Utf8Mb4GeneralCi };
        let converted = assign_from(&ty, datum, from, Zone::UTC);
        let Value::Bytes(text) = converted.value else { panic!("no text") };
        (String::from_utf8(text).expect("text"), converted.issue)
    };
    for (value, chars, text) in [
        (0.1, 30, "0.1"),
        (123456.789, 12, "123456.789"),
        (123456.789123456, 12, "123456.78912"),
        (123456.789, 4, "1e5"),
        (2e7, 4, "2e7"),
        (-2.25, 4, "-2.2"),
        (-0.75, 4, "-0.8"),
        (2.5, 2, "2"),
        (0.1, 2, "0"),
    ] {
        let given = assigned(chars, Datum::Double(value), &ColumnType::Double(None));
        assert_eq!(given, (text.to_string(), None), "{value} in {chars}");
    }
    let cut = assigned(2, Datum::Double(1e10), &ColumnType::Double(None));
    assert_eq!(cut, ("10".to_string(), Some(Issue::TooLong)));
    let float = |chars| assigned(chars, Datum::Float(0.1), &ColumnType::Float(None)).0;
    assert_eq!((float(30).as_str(), float(12).as_str()), ("0.10000000149011612", "0.1000000015"));
    assert_eq!(assigned(4, Datum::Year(0), &ColumnType::Year), ("0".to_string(), None));
    assert_eq!(assigned(4, Datum::Year(2024), &ColumnType::Year).0, "2024");
    let long = ColumnType::Text { size: LobSize::Normal, collation: Collation::Utf8Mb4GeneralCi };
    let kept = assign_from(&long, Datum::Year(0), &ColumnType::Year, Zone::UTC);
    assert_eq!(kept.value, Value::Bytes(b"0000".to_vec()));
}

#[test]
fn json_is_stored_as_mysql_prints_it_if_it_is_json() {
    for (valid, stored) in [
        ("{\"b\":[1,2.5e3,null],\"a\" : {}} ", "{\"a\": {}, \"b\": [1, 2500.0, null]}"),
        ("\"\\u00e4\"", "\"ä\""),
        (" 1", "1"),
        ("[ ]", "[]"),
    ] {
        let converted = text(&ColumnType::Json, valid);
        assert_eq!(converted, Converted::clean(Value::Bytes(stored.into())));
    }
    let refused = |text: &[u8]| {
        let converted = from_text(&ColumnType::Json, text, Zone::UTC);
        assert_eq!(converted.value, Value::Null);
        match converted.issue {
            Some(Issue::InvalidJson(fault)) => fault,
            other => panic!("{other:?} of {text:?}"),
        }
    };
    for wrong in ["", "{a: 1}", "[1,]", "nan", "[1] 2", "'a'"] {
        assert_ne!(refused(wrong.as_bytes()), JsonFault::TooDeep, "{wrong}");
    }
    assert_ne!(refused(b"\"\xff\""), JsonFault::TooDeep);
    assert_eq!(refused("[".repeat(100_000).as_bytes()), JsonFault::TooDeep);
}

#[test]
fn long_text_is_cut_between_characters() {
    let ty = ColumnType::Text { size: LobSize::Tiny, collation: Collation::Utf8Mb4GeneralCi };
    let converted = text(&ty, &"ä".repeat(128));
    assert_eq!(converted.value, Value::Bytes("ä".repeat(127).into()));
    assert_eq!(converted.issue, Some(Issue::TooLong));
    let blob = ColumnType::Blob { size: LobSize::Tiny };
    let converted = text(&blob, &"ä".repeat(128));
    assert!(matches!(converted.value, Value::Bytes(bytes) if bytes.len() == 255));
}

#[test]
fn instants_are_read_and_shown_in_the_sessions_zone() {
    let zone = Zone::ahead(7200);
    let ty = ColumnType::Timestamp { fsp: 0 };
    let stored = from_text(&ty, b"2024-01-02 03:04:05", zone).value;
    let shown = |value: &Value, zone| {
        let mut out = Vec::new();
        crate::text::write_text(&ty, value.as_datum(), zone, &mut out);
        String::from_utf8(out).expect("a time is ASCII")
    };
    assert_eq!(shown(&stored, zone), "2024-01-02 03:04:05");
    assert_eq!(shown(&stored, Zone::UTC), "2024-01-02 01:04:05");
    // The text's own distance from UTC wins over the session's.
    let stored = from_text(&ty, b"2024-01-02 03:04:05+01:00", zone).value;
    assert_eq!(shown(&stored, Zone::UTC), "2024-01-02 02:04:05");
    let datetime = ColumnType::DateTime { fsp: 0 };
    let wall = convert(&datetime, stored.as_datum(), zone).value;
    assert_eq!(wall, Value::DateTime(read_datetime(b"2024-01-02 04:04:05").unwrap().value));
    let back = convert(&ty, wall.as_datum(), zone).value;
    assert_eq!(back, stored);
}

#[test]
fn a_time_of_day_alone_has_no_date() {
    let time = convert(&ColumnType::Time { fsp: 0 }, Datum::Int(101112), Zone::UTC).value;
    let converted = convert(&ColumnType::DateTime { fsp: 0 }, time.as_datum(), Zone::UTC);
    assert_eq!(converted.value, Value::DateTime(DateTime::ZERO));
    assert_eq!(converted.issue, Some(Issue::Incorrect { what: "datetime" }));
}

#[test]
fn no_column_holds_a_negative_zero_or_what_is_no_number() {
    for ty in [ColumnType::Float(None), ColumnType::Double(None)] {
        for zero in [Datum::Double(-0.0), Datum::Bytes(b"-0"), Datum::Double(-1e-400)] {
            match convert(&ty, zero, Zone::UTC).value {
                Value::Float(value) => assert!(value.is_sign_positive()),
                Value::Double(value) => assert!(value.is_sign_positive()),
                other => panic!("{other:?}"),
            }
        }
        let issue = convert(&ty, Datum::Double(f64::NAN), Zone::UTC).issue;
        assert!(matches!(issue, Some(Issue::Incorrect { what: "FLOAT" | "DOUBLE" })));
        let issue = convert(&ty, Datum::Double(f64::INFINITY), Zone::UTC).issue;
        assert_eq!(issue, Some(Issue::OutOfRange));
    }
}

mod plain {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::convert::plain_of_text;
    use crate::types::IntWidth;

    fn types() -> impl Strategy<Value = ColumnType> {
        let collation = Collation::Utf8Mb4GeneralCi;
        let int = |width, unsigned| ColumnType::Int { width, unsigned, boolean: false };
        select(vec![
            int(IntWidth::Tiny, false),
            int(IntWidth::Small, true),
            int(IntWidth::Medium, false),
            int(IntWidth::Big, false),
            int(IntWidth::Big, true),
            ColumnType::Char { chars: 3, collation },
            ColumnType::VarChar { chars: 3, collation },
            ColumnType::Text { size: LobSize::Tiny, collation },
            ColumnType::VarBinary { bytes: 3 },
            ColumnType::Date,
            ColumnType::DateTime { fsp: 0 },
            ColumnType::DateTime { fsp: 3 },
            ColumnType::Year,
            ColumnType::Double(None),
            ColumnType::Json,
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn texts_are_what_they_are_when_they_are_looked_at(
            ty in types(),
            text in "-?[0-9]{0,20}|[0-9]{4}-[01][0-9]-[0-3][0-9]( [0-2][0-9]:[0-6][0-9]:[0-6][0-9])?\
                |[0-9ä .:-]{0,12}|(\\PC){0,4}",
        ) {
            if let Some(datum) = plain_of_text(&ty, text.as_bytes()) {
                let looked_at = from_text(&ty, text.as_bytes(), Zone::UTC);
                prop_assert_eq!(looked_at, Converted::clean(datum.to_value()), "{}", text);
            }
        }

        #[test]
        fn bytes_that_are_no_text_are_looked_at(ty in types(), mut text in "[0-9a-z]{0,2}") {
            let mut bytes = std::mem::take(&mut text).into_bytes();
            bytes.push(0xff);
            let has_any_bytes = matches!(ty, ColumnType::VarBinary { .. });
            prop_assert!(has_any_bytes || plain_of_text(&ty, &bytes).is_none());
        }
    }

    #[test]
    fn the_usual_texts_are_not_looked_at() {
        let collation = Collation::Utf8Mb4GeneralCi;
        let int = ColumnType::Int { width: IntWidth::Int, unsigned: false, boolean: false };
        assert_eq!(plain_of_text(&int, b"-17"), Some(Datum::Int(-17)));
        assert_eq!(
            plain_of_text(&ColumnType::VarChar { chars: 9, collation }, "älter".as_bytes()),
            Some(Datum::Bytes("älter".as_bytes()))
        );
        let day = read_datetime(b"2024-02-29").unwrap().value.date();
        assert_eq!(plain_of_text(&ColumnType::Date, b"2024-02-29"), Some(Datum::Date(day)));
        assert_eq!(plain_of_text(&ColumnType::Date, b"2023-02-29"), None);
    }
}
