//! Keys order as values do, rows give back what went in, and damaged bytes never panic.

use std::cmp::Ordering;

use proptest::prelude::*;
use values::collation;
use values::convert::convert;
use values::datum::Value;
use values::decimal::Decimal;
use values::key::{decode_part, encode_part, encode_text_prefix, is_reversible, skip_part};
use values::row::{RowColumn, RowError, RowLayout, RowRef};
use values::temporal::{Date, DateTime, Time, Timestamp, Zone};
use values::types::{Collation, ColumnType, IntWidth, LobSize};

#[test]
fn a_decimal_of_more_digits_than_its_column_is_damage_in_a_key() {
    let ty = ColumnType::Decimal { precision: 9, scale: 4 };
    // 0x7fffffff below zero: ten digits, which the four bytes have room for.
    let read = decode_part(&ty, false, None, &[0, 0, 0, 0]);
    assert!(read.is_err(), "{read:?}");
}

#[test]
fn a_zero_with_a_sign_is_damage_in_a_key() {
    for (ty, bytes) in [(ColumnType::Float(None), 4), (ColumnType::Double(None), 8)] {
        let mut image = vec![0xff; bytes];
        image[0] = 0x7f;
        let read = decode_part(&ty, false, None, &image);
        assert!(read.is_err(), "{read:?}");
    }
}

fn any_type() -> impl Strategy<Value = ColumnType> {
    let width = prop_oneof![
        Just(IntWidth::Tiny),
        Just(IntWidth::Small),
        Just(IntWidth::Medium),
        Just(IntWidth::Int),
        Just(IntWidth::Big)
    ];
    let collation = prop_oneof![
        Just(Collation::Binary),
        Just(Collation::Utf8Mb4Bin),
        Just(Collation::Utf8Mb4GeneralCi),
        Just(Collation::Utf8Mb4UnicodeCi),
        Just(Collation::Utf8Mb4Unicode520Ci),
        Just(Collation::Utf8Mb40900AiCi),
        Just(Collation::Utf8Mb40900AsCi),
        Just(Collation::Utf8Mb40900AsCs),
        Just(Collation::Utf8Mb40900Bin)
    ];
    let text = collation.prop_flat_map(|collation| {
        prop_oneof![
            (0u32..12).prop_map(move |chars| ColumnType::Char { chars, collation }),
            (0u32..12).prop_map(move |chars| ColumnType::VarChar { chars, collation }),
            Just(ColumnType::Text { size: LobSize::Normal, collation }),
        ]
    });
    let fsp = 0u8..=6;
    prop_oneof![
        3 => (width, any::<bool>())
            .prop_map(|(width, unsigned)| ColumnType::Int { width, unsigned, boolean: false }),
        1 => Just(ColumnType::Float(None)),
        1 => Just(ColumnType::Double(None)),
        2 => (1u8..=65).prop_flat_map(|precision| (Just(precision), 0..=precision.min(30)))
            .prop_map(|(precision, scale)| ColumnType::Decimal { precision, scale }),
        4 => text,
        1 => (0u32..12).prop_map(|bytes| ColumnType::Binary { bytes }),
        1 => (0u32..12).prop_map(|bytes| ColumnType::VarBinary { bytes }),
        1 => Just(ColumnType::Blob { size: LobSize::Normal }),
        1 => Just(ColumnType::Date),
        1 => fsp.clone().prop_map(|fsp| ColumnType::Time { fsp }),
        1 => fsp.clone().prop_map(|fsp| ColumnType::DateTime { fsp }),
        1 => fsp.prop_map(|fsp| ColumnType::Timestamp { fsp }),
        1 => Just(ColumnType::Year),
        1 => Just(ColumnType::Enum {
            values: (0..300).map(|at| format!("word {at}")).collect(),
            collation: Collation::Utf8Mb4GeneralCi,
        }),
    ]
}

/// Text of characters that matter to order: spaces, what is below them, case, accents, several
/// lengths of UTF-8.
fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let character = prop_oneof![
        Just(' '),
        Just(' '),
        Just('\0'),
        Just('\t'),
        Just('!'),
        Just('a'),
        Just('A'),
        Just('b'),
        Just('ä'),
        Just('ß'),
        Just('ж'),
        Just('\u{FFFF}'),
        Just('😀'),
        any::<char>()
    ];
    prop::collection::vec(character, 0..9).prop_map(|text| text.iter().collect::<String>().into())
}

/// Anything that `convert` makes a value of a type from, ends of ranges included.
fn any_value(ty: &ColumnType) -> BoxedStrategy<Value> {
    let anything = match ty {
        ColumnType::Int { unsigned: true, .. } => {
            prop_oneof![any::<u64>().prop_map(Value::UInt), (0u64..400).prop_map(Value::UInt)]
                .boxed()
        }
        ColumnType::Int { .. } => {
            prop_oneof![any::<i64>().prop_map(Value::Int), (-200i64..200).prop_map(Value::Int)]
                .boxed()
        }
        ColumnType::Float(_) | ColumnType::Double(_) => prop_oneof![
            any::<f64>().prop_map(Value::Double),
            (-3i64..3).prop_map(|value| Value::Double(value as f64 / 2.0))
        ]
        .boxed(),
        ColumnType::Decimal { .. } => prop_oneof![
            (any::<i128>(), 0u8..40)
                .prop_map(|(unscaled, scale)| Value::Decimal(Decimal::from_i128(unscaled, scale))),
            (-300i64..300, 0u8..3)
                .prop_map(|(n, scale)| Value::Decimal(Decimal::from_i128(n.into(), scale))),
        ]
        .boxed(),
        ColumnType::Date | ColumnType::DateTime { .. } => (0u16..=9999, 0u8..=12, 0u8..=31)
            .prop_flat_map(|(year, month, day)| {
                (Just(Date::new(year, month, day).unwrap_or(Date::ZERO)), 0i64..86_400_000_000)
            })
            .prop_map(|(date, clock)| {
                let clock = Time::from_micros(clock).unwrap();
                let (hour, minute) = (clock.hours() as u8, clock.minute());
                let value = DateTime::new(date, hour, minute, clock.second(), clock.fraction());
                Value::DateTime(value.unwrap())
            })
            .boxed(),
        ColumnType::Time { .. } => prop_oneof![
            (Time::MIN.micros()..=Time::MAX.micros())
                .prop_map(|micros| Value::Time(Time::from_micros(micros).unwrap())),
            (-3_000_000i64..3_000_000)
                .prop_map(|micros| Value::Time(Time::from_micros(micros).unwrap())),
        ]
        .boxed(),
        ColumnType::Timestamp { .. } => prop_oneof![
            Just(Value::Timestamp(Timestamp::ZERO)),
            (Timestamp::MIN.micros()..=Timestamp::MAX.micros())
                .prop_map(|micros| Value::Timestamp(Timestamp::from_micros(micros)))
        ]
        .boxed(),
        ColumnType::Year => (1890i64..2200).prop_map(Value::Int).boxed(),
        ColumnType::Enum { .. } => (0u16..=300).prop_map(Value::Enum).boxed(),
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
            prop::collection::vec(prop_oneof![Just(0), Just(1), Just(255), any::<u8>()], 0..12)
                .prop_map(Value::Bytes)
                .boxed()
        }
        _ => any_text().prop_map(Value::Bytes).boxed(),
    };
    let ty = ty.clone();
    let value = anything.prop_map(move |value| convert(&ty, value.as_datum(), Zone::UTC).value);
    prop_oneof![1 => Just(Value::Null), 9 => value].boxed()
}

/// Types, the rows of values, and the prefix that applies to strings.
type Sample = (Vec<ColumnType>, Vec<Vec<Value>>);

fn any_sample(columns: usize, rows: usize) -> impl Strategy<Value = Sample> {
    prop::collection::vec(any_type(), 1..=columns).prop_flat_map(move |types| {
        let row: Vec<_> = types.iter().map(any_value).collect();
        (Just(types), prop::collection::vec(row, rows))
    })
}

/// What a prefix part keeps of a value.
fn cut(ty: &ColumnType, prefix: Option<u32>, value: &Value) -> Value {
    match (value, prefix) {
        (Value::Bytes(bytes), Some(prefix)) if ty.is_text() => {
            let text = std::str::from_utf8(bytes).unwrap();
            Value::Bytes(text.chars().take(prefix as usize).collect::<String>().into())
        }
        (Value::Bytes(bytes), Some(prefix)) => {
            Value::Bytes(bytes[..bytes.len().min(prefix as usize)].to_vec())
        }
        _ => value.clone(),
    }
}

/// The order of values that keys must have.
fn order(ty: &ColumnType, a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::UInt(a), Value::UInt(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap(),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b).unwrap(),
        (Value::Decimal(a), Value::Decimal(b)) => a.cmp(b),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Time(a), Value::Time(b)) => a.cmp(b),
        (Value::DateTime(a), Value::DateTime(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp(b),
        (Value::Year(a), Value::Year(b)) | (Value::Enum(a), Value::Enum(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => {
            let collation = ty.collation().expect("strings have a collation");
            collation::compare(collation, a, b)
        }
        _ => panic!("two kinds of values in one column: {a:?} {b:?}"),
    }
}

/// The prefix of a string type; others have none.
fn prefix_of(ty: &ColumnType, prefix: Option<u32>) -> Option<u32> {
    if ty.is_text() || ty.is_binary_string() { prefix } else { None }
}

fn key(types: &[ColumnType], prefix: Option<u32>, row: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    for (ty, value) in types.iter().zip(row) {
        encode_part(ty, true, prefix_of(ty, prefix), value.as_datum(), &mut out);
    }
    out
}

fn columns(types: &[ColumnType]) -> impl Iterator<Item = RowColumn<'_>> {
    types.iter().enumerate().map(|(slot, ty)| RowColumn { slot: slot as u16, ty, absent: None })
}

fn layout_of(types: &[ColumnType]) -> RowLayout {
    RowLayout::new(types, columns(types))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn keys_order_as_their_values(
        (types, rows) in any_sample(3, 2),
        prefix in prop::option::of(0u32..4),
    ) {
        let by_values = types.iter().zip(rows[0].iter().zip(&rows[1]))
            .map(|(ty, (a, b))| {
                let prefix = prefix_of(ty, prefix);
                order(ty, &cut(ty, prefix, a), &cut(ty, prefix, b))
            })
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal);
        let (a, b) = (key(&types, prefix, &rows[0]), key(&types, prefix, &rows[1]));
        prop_assert_eq!(a.cmp(&b), by_values);
        // No key of other values begins with this one.
        prop_assert!(a == b || !a.starts_with(&b) && !b.starts_with(&a));
    }

    #[test]
    fn parts_of_keys_say_where_they_end_and_what_they_hold(
        (types, rows) in any_sample(4, 1),
        prefix in prop::option::of(0u32..4),
    ) {
        let bytes = key(&types, prefix, &rows[0]);
        let mut rest = bytes.as_slice();
        for (ty, value) in types.iter().zip(&rows[0]) {
            let prefix = prefix_of(ty, prefix);
            let length = skip_part(ty, true, prefix, rest).unwrap();
            if is_reversible(ty, prefix) || value.is_null() {
                let (decoded, used) = decode_part(ty, true, prefix, rest).unwrap();
                prop_assert_eq!(used, length);
                prop_assert_eq!(&decoded, value);
            }
            rest = &rest[length..];
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn keys_begin_with_the_beginning_of_their_text(
        (ty, text) in any_type()
            .prop_filter("a string", |ty| ty.is_text() || ty.is_binary_string())
            .prop_flat_map(|ty| { let text = any_value(&ty); (Just(ty), text) }),
        length in 0usize..9,
        prefix in prop::option::of(0u32..4),
    ) {
        let Value::Bytes(text) = text else { return Ok(()) };
        let mut length = length.min(text.len());
        while ty.is_text() && std::str::from_utf8(&text[..length]).is_err() {
            length -= 1;
        }
        let (mut whole, mut start) = (Vec::new(), Vec::new());
        encode_part(&ty, true, prefix, Value::Bytes(text.clone()).as_datum(), &mut whole);
        encode_text_prefix(&ty, true, prefix, &text[..length], &mut start);
        prop_assert!(whole.starts_with(&start), "{whole:?} {start:?}");
    }

    #[test]
    fn rows_give_back_what_went_in((types, rows) in any_sample(12, 1), version: u64) {
        let layout = layout_of(&types);
        let data: Vec<_> = rows[0].iter().map(Value::as_datum).collect();
        let mut bytes = b"before".to_vec();
        layout.encode(&data, version, &mut bytes);
        let row = RowRef::new(&layout, &bytes[6..]).unwrap();
        prop_assert_eq!(row.version(), version);
        prop_assert_eq!(row.values().unwrap(), data.clone());
        for (position, datum) in data.iter().enumerate() {
            prop_assert_eq!(row.is_null(position), datum.is_null());
        }
    }

    #[test]
    fn rows_of_fewer_slots_are_read_by_later_layouts(
        (types, rows) in any_sample(12, 1),
        kept in 0usize..12,
    ) {
        let kept = kept.min(types.len());
        let data: Vec<_> = rows[0].iter().map(Value::as_datum).collect();
        let mut bytes = Vec::new();
        layout_of(&types[..kept]).encode(&data[..kept], 1, &mut bytes);
        // A column that was dropped leaves its slot.
        let first = usize::from(kept > 1);
        let later = columns(&types).enumerate().skip(first).map(|(at, column)| RowColumn {
            absent: (at >= kept).then_some(&b"1"[..]),
            ..column
        });
        let layout = RowLayout::new(&types, later);
        let row = RowRef::new(&layout, &bytes).unwrap();
        for position in 0..types.len() - first {
            let expected = match data[..kept].get(position + first) {
                Some(datum) => datum.to_value(),
                None => convert(&types[position + first], Value::Bytes(b"1".to_vec()).as_datum(),
                    Zone::UTC).value,
            };
            prop_assert_eq!(row.column(position).unwrap().to_value(), expected);
        }
        if kept < types.len() {
            let mut newer = Vec::new();
            layout_of(&types).encode(&data, 1, &mut newer);
            let layout = layout_of(&types[..kept]);
            let refused = RowRef::new(&layout, &newer);
            prop_assert!(matches!(refused, Err(RowError::Later)));
        }
    }

    #[test]
    fn damaged_rows_and_keys_never_panic(
        (types, rows) in any_sample(6, 1),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        length in prop::option::of(any::<prop::sample::Index>()),
        noise in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let layout = layout_of(&types);
        let data: Vec<_> = rows[0].iter().map(Value::as_datum).collect();
        let mut row = Vec::new();
        layout.encode(&data, 7, &mut row);
        let mut key = key(&types, None, &rows[0]);
        for bytes in [&mut row, &mut key] {
            for (at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if let Some(length) = length {
                bytes.truncate(length.index(bytes.len()));
            }
        }
        for bytes in [&row, &noise] {
            if let Ok(row) = RowRef::new(&layout, bytes) {
                for position in 0..types.len() {
                    // Either a value or an error.
                    let _ = row.column(position);
                }
            }
        }
        for bytes in [&key, &noise] {
            let mut rest = bytes.as_slice();
            for ty in &types {
                let _ = decode_part(ty, true, None, rest);
                let Ok(length) = skip_part(ty, true, None, rest) else { break };
                rest = &rest[length..];
            }
        }
    }
}

#[test]
fn rows_above_64_kib_have_wider_ends() {
    let types = [
        ColumnType::Text { size: LobSize::Medium, collation: Collation::Utf8Mb4Bin },
        ColumnType::Blob { size: LobSize::Long },
        ColumnType::Year,
    ];
    let layout = layout_of(&types);
    for length in [65_534, 65_535, 65_536, 300_000] {
        let text = vec![b'x'; length];
        let data = [Value::Bytes(text), Value::Bytes(b"y".to_vec()), Value::Year(2024)];
        let data = data.each_ref().map(Value::as_datum);
        let mut bytes = Vec::new();
        layout.encode(&data, 1, &mut bytes);
        assert_eq!(bytes[1], u8::from(length + 1 > 65_535));
        assert_eq!(RowRef::new(&layout, &bytes).unwrap().values().unwrap(), data);
    }
}

#[test]
fn bytes_on_disk_are_what_the_drawings_say() {
    let key = |ty: &ColumnType, value: Value| {
        let mut out = Vec::new();
        encode_part(ty, false, None, value.as_datum(), &mut out);
        out
    };
    let int = ColumnType::Int { width: IntWidth::Int, unsigned: false, boolean: false };
    assert_eq!(key(&int, Value::Int(-1)), [0x7F, 0xFF, 0xFF, 0xFF]);
    let ci = ColumnType::VarChar { chars: 9, collation: Collation::Utf8Mb4GeneralCi };
    let text = |text: &str| Value::Bytes(text.as_bytes().to_vec());
    assert_eq!(key(&ci, text("a\t")), [0x41, 0x09, 0x20, 0x02]);
    assert_eq!(key(&ci, text("ä b ")), [0x41, 0x20, 0x03, 0x42, 0x20, 0x02]);
    assert_eq!(key(&ci, text("😀")), [0xEF, 0xBF, 0xBD, 0x20, 0x02]);
    let blob = ColumnType::VarBinary { bytes: 9 };
    assert_eq!(key(&blob, Value::Bytes(vec![1, 0])), [1, 0, 0xFF, 0, 1]);
    let decimal = ColumnType::Decimal { precision: 4, scale: 2 };
    assert_eq!(key(&decimal, Value::Decimal(Decimal::from_i128(-100, 2))), [0x7F, 0x9C]);
    assert_eq!(
        key(&ColumnType::Date, Value::Date(Date::new(2024, 1, 31).unwrap())),
        [0x0F, 0xD0, 0x3F]
    );

    let types = [int, ci, ColumnType::Year, ColumnType::Blob { size: LobSize::Tiny }];
    let layout = layout_of(&types);
    let data = [Value::Int(258), text("hi"), Value::Null, Value::Bytes(vec![7])];
    let mut row = Vec::new();
    layout.encode(&data.each_ref().map(Value::as_datum), 3, &mut row);
    let expected = [
        &[1, 0, 4, 0][..],
        &[3, 0, 0, 0, 0, 0, 0, 0],
        &[0b0100],
        &[2, 1, 0, 0, 0, 0],
        &[2, 0, 3, 0],
        b"hi\x07",
    ];
    assert_eq!(row, expected.concat());
}
