//! The bytes that `docs/tour.md` shows are those that are stored.

use crate::common::*;
use rows::store::{Direction, KeyRange, Reach};
use values::convert::from_text;
use values::{ColumnType, Datum, Value, Zone};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn one_user_is_one_row_and_one_index_entry() {
    let engine = engine();
    let t = table(
        &engine,
        "user",
        vec![
            column("user_id", int(), false),
            column("user_name", text(50), true),
            column("user_email", text(80), true),
            column("created", ColumnType::DateTime { fsp: 0 }, true),
        ],
        vec![index("PRIMARY", true, &["user_id"]), index("user_name", false, &["user_name"])],
    );
    let created =
        from_text(&ColumnType::DateTime { fsp: 0 }, b"2024-01-02 03:04:05", Zone::UTC).value;
    let row: [Value; 4] = [
        Value::Int(101),
        Value::Bytes(b"Joe".to_vec()),
        Value::Bytes(b"joe@x.com".to_vec()),
        created,
    ];
    let row: Vec<Datum<'_>> = row.iter().map(Value::as_datum).collect();
    let mut tx = begin(&engine);
    tx.insert(&t, &row).unwrap();
    commit(tx);

    let mut stored = Vec::new();
    let all = KeyRange { start: vec![0, 0, 0, 1], end: Vec::new() };
    let mut cursor = engine.store().scan(&all, Direction::Forward, Reach::Disk).unwrap();
    while cursor.advance().unwrap() {
        let mut value = cursor.value().to_vec();
        if value.len() > 12 {
            // The version comes from the clock.
            value[4..12].fill(0);
        }
        stored.push(format!("{} {}", hex(cursor.key()), hex(&value)));
    }
    let expected: Vec<String> = include_str!("../../../docs/tour.md")
        .lines()
        .filter(|line| line.starts_with("00000001"))
        .map(String::from)
        .collect();
    assert_eq!(stored, expected, "docs/tour.md shows other bytes");
}
