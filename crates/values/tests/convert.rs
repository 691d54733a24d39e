//! Text, numbers and times stored in columns become what MariaDB makes of it.
//!
//! `recorded/text.tsv` and `values/datum.tsv` were recorded from MariaDB 10.11 by the scripts next
//! to them, with rounding of fractions of a second as MySQL does it. Differences we chose are
//! listed.

use values::convert::{Converted, Issue, convert, from_text};
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::temporal::{Zone, read_datetime, read_time};
use values::text::write_text;
use values::types::{Collation, ColumnType, IntWidth, LobSize};

/// Types, text, and why ours is another.
const DIFFERENCES: &[(&str, &[u8], &str)] = &[
    (INTS, b"1.2.3", "the digit behind the second point is no digit of the number"),
    (INTS, b"1e-400", "a small number is a number"),
    (INTS, b"-99999999999999999999", "the nearest to a negative number is 0, not the largest"),
    (INTS, b"-1e400", "as above"),
    (INTS, b"-1e39", "as above"),
    (TIMES, b"2024-01-02 03:04:05+02:00", "MySQL 8 reads the distance from UTC"),
    (TIMES, b"2024-01-02 03:04:05-05:30", "as above"),
    (TIMES, b"2024-01-02 03:04:05.25+00:00", "as above"),
    ("TIMESTAMP(2)", b"1970-01-01 00:00:00.5", "the first TIMESTAMP is a second later"),
    ("TIMESTAMP(2)", b"9999-12-31 23:59:59.999999", "the zero date has no fraction"),
    (CLOCKS, b"2024-01-02 23:59:59.999999", "rounding up a time of day ends at 24:00:00"),
    (CLOCKS, b"9999-12-31 23:59:59.999999", "as above"),
    (CLOCKS, b"2024-01-02 23:59:59.9999999", "as above"),
    ("DATE", b"2024-01-02 23:59:59.999999", "MySQL rounds a DATE to the next day"),
    ("DATE DATETIME", b"9999-12-31 23:59:59.999999", "as above, and past the end it is zero"),
    (TIMES, b"2024-01-02 23:59:59.9999999", "as above; and it notes no digits that are lost"),
    (TIMES, b"2024-01-02 03:04:05.1234567", "as above"),
    (TIMES, b"2024-01-02 03:04:05.0000005", "as above"),
    (CLOCKS, b"10:11:12.1234567", "as above"),
    (CLOCKS, b"10:11:12.9999999", "as above"),
    (TEXTS, b"\xed\xa0\x80", "surrogates are not UTF-8"),
];

const INTS: &str = "TINYINT SMALLINT MEDIUMINT INT BIGINT YEAR";
const TIMES: &str = "DATE DATETIME TIMESTAMP";
const CLOCKS: &str = "TIME";
const TEXTS: &str = "CHAR VARCHAR TEXT";
const STRINGS: &str = "CHAR VARCHAR TEXT BINARY VARBINARY";

fn unhex(digits: &str) -> Vec<u8> {
    let pair = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex digits");
    (0..digits.len()).step_by(2).map(pair).collect()
}

fn number(from: &str) -> u32 {
    from.parse().expect("a number in a type")
}

/// The type behind a name as the recording has it.
fn column_type(name: &str) -> ColumnType {
    let (base, rest) = name.split_at(name.find(['(', ' ']).unwrap_or(name.len()));
    let arguments = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let arguments: Vec<&str> = arguments.map_or(vec![], |(list, _)| list.split(',').collect());
    let first = || arguments.first().map_or(0, |argument| number(argument));
    let collation = match name.contains("utf8mb4_bin") {
        true => Collation::Utf8Mb4Bin,
        false => Collation::Utf8Mb4GeneralCi,
    };
    let int =
        |width| ColumnType::Int { width, unsigned: name.ends_with("UNSIGNED"), boolean: false };
    match base {
        "TINYINT" => int(IntWidth::Tiny),
        "SMALLINT" => int(IntWidth::Small),
        "MEDIUMINT" => int(IntWidth::Medium),
        "INT" => int(IntWidth::Int),
        "BIGINT" => int(IntWidth::Big),
        "FLOAT" => ColumnType::Float(None),
        "DOUBLE" => ColumnType::Double(None),
        "DECIMAL" => {
            ColumnType::Decimal { precision: first() as u8, scale: number(arguments[1]) as u8 }
        }
        "DATE" => ColumnType::Date,
        "TIME" => ColumnType::Time { fsp: first() as u8 },
        "DATETIME" => ColumnType::DateTime { fsp: first() as u8 },
        "TIMESTAMP" => ColumnType::Timestamp { fsp: first() as u8 },
        "YEAR" => ColumnType::Year,
        "CHAR" => ColumnType::Char { chars: first(), collation },
        "VARCHAR" => ColumnType::VarChar { chars: first(), collation },
        "TEXT" => ColumnType::Text { size: LobSize::Normal, collation },
        "BINARY" => ColumnType::Binary { bytes: first() },
        "VARBINARY" => ColumnType::VarBinary { bytes: first() },
        "BLOB" => ColumnType::Blob { size: LobSize::Normal },
        "ENUM" => {
            let values = arguments.iter().map(|word| word.trim_matches('\'').to_string());
            ColumnType::Enum { values: values.collect(), collation }
        }
        _ => panic!("a type the recording does not have: {name}"),
    }
}

/// The numbers of MySQL's warning and of strict mode's error.
fn numbers(ty: &ColumnType, converted: &Converted) -> (&'static str, &'static str) {
    let temporal = ty.is_temporal();
    match converted.issue {
        None if converted.note => ("n1265", "0"),
        None => ("0", "0"),
        Some(Issue::OutOfRange) if temporal => ("1264", "1292"),
        Some(Issue::OutOfRange) => ("1264", "1264"),
        Some(Issue::Truncated | Issue::Incorrect { .. }) if temporal => ("1265", "1292"),
        Some(Issue::Truncated) => ("1265", "1265"),
        Some(Issue::TooLong) => ("1265", "1406"),
        Some(Issue::Incorrect { .. } | Issue::InvalidUtf8) => ("1366", "1366"),
        Some(Issue::InvalidJson) => ("3140", "3140"),
        Some(Issue::LeftOut) => ("1299", "1292"),
    }
}

#[test]
fn text_becomes_what_mariadb_stores() {
    let recording = include_str!("recorded/text.tsv");
    let mut wrong = Vec::new();
    for line in recording.lines() {
        let [name, text, stored, warning, error] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("five fields");
        let (ty, text) = (column_type(name), unhex(text));
        let converted = from_text(&ty, &text, Zone::UTC);
        let mut printed = Vec::new();
        write_text(&ty, converted.value.as_datum(), Zone::UTC, &mut printed);
        let same = printed == unhex(stored) && numbers(&ty, &converted) == (warning, error);
        let base = name.split(['(', ' ']).next().unwrap_or(name);
        let chosen = DIFFERENCES.iter().any(|(types, chosen, _)| {
            *chosen == text && types.split(' ').any(|ty| ty == base || ty == name)
        });
        if !same && !chosen {
            wrong.push(format!(
                "{name} {:?}: {:?} {:?}, not {:?} {warning} {error}",
                String::from_utf8_lossy(&text),
                String::from_utf8_lossy(&printed),
                numbers(&ty, &converted),
                String::from_utf8_lossy(&unhex(stored)),
            ));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Types, literal, and why ours is another.
const DATUM_DIFFERENCES: &[(&str, &str, &str)] = &[
    (INTS, "-0.4", "0 is in range"),
    (INTS, "TIME'-10:11:12.75'", "MySQL rounds fractions of a second in whole numbers, too"),
    (INTS, "TIMESTAMP'2024-01-31 23:59:59.75'", "as above; and a date has a year"),
    ("YEAR", "DATE'2024-01-31'", "a date has a year"),
    ("YEAR", "DATE'0000-00-00'", "as above"),
    ("YEAR", "TIMESTAMP'2024-01-31 23:59:59'", "as above"),
    ("YEAR", "TIMESTAMP'2024-01-31 00:00:00'", "as above"),
    ("TIMESTAMP(1)", "TIMESTAMP'9999-12-31 23:59:59.75'", "the zero date has no fraction"),
    (CLOCKS, "20240131235959.5", "rounding up a time of day ends at 24:00:00"),
    (CLOCKS, "20240131235959.9999999", "as above"),
    (CLOCKS, "240131235959.75e0", "as above"),
    (CLOCKS, "TIMESTAMP'2024-01-31 23:59:59.75'", "as above"),
    (CLOCKS, "TIMESTAMP'9999-12-31 23:59:59.75'", "as above"),
    ("DATE", "20240131235959.5", "MySQL rounds a DATE to the next day"),
    ("DATE", "20240131235959.9999999", "as above"),
    ("DATE", "240131235959.75e0", "as above"),
    ("DATE", "TIMESTAMP'2024-01-31 23:59:59.75'", "as above"),
    ("DATE DATETIME", "TIMESTAMP'9999-12-31 23:59:59.75'", "past the end it is zero"),
    (CLOCKS, "DATE'2024-01-31'", "MySQL notes no day that is lost"),
    (CLOCKS, "DATE'9999-12-31'", "as above"),
    (CLOCKS, "TIMESTAMP'2024-01-31 23:59:59'", "as above"),
    (CLOCKS, "TIMESTAMP'2024-01-31 00:00:00'", "as above"),
    (CLOCKS, "20240230", "there is no such day"),
    (STRINGS, "TIMESTAMP'2024-01-31 23:59:59.75'", "a datum does not know the literal's digits"),
    (STRINGS, "TIMESTAMP'9999-12-31 23:59:59.75'", "as above"),
    (STRINGS, "TIME'-10:11:12.75'", "as above"),
];

/// The value of an SQL literal.
fn literal(text: &str) -> Value {
    if let Some((kind, quoted)) = text.split_once('\'') {
        let quoted = quoted.trim_end_matches('\'').as_bytes();
        return match kind {
            "TIME" => Value::Time(read_time(quoted).expect("a time").value),
            _ => {
                let value = read_datetime(quoted).expect("a date").value;
                if kind == "DATE" { Value::Date(value.date()) } else { Value::DateTime(value) }
            }
        };
    }
    if text.contains('e') {
        return Value::Double(text.parse().expect("a double"));
    }
    if text.contains('.') {
        return Value::Decimal(Decimal::parse(text.as_bytes()).expect("a decimal"));
    }
    match text.parse() {
        Ok(value) => Value::Int(value),
        Err(_) => Value::UInt(text.parse().expect("a whole number")),
    }
}

#[test]
fn numbers_and_times_become_what_mariadb_stores() {
    let recording = include_str!("recorded/datum.tsv");
    let mut wrong = Vec::new();
    for line in recording.lines() {
        let [name, text, stored, warning, error] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("five fields");
        let (ty, value) = (column_type(name), literal(text));
        let converted = convert(&ty, value.as_datum(), Zone::UTC);
        let mut printed = Vec::new();
        write_text(&ty, converted.value.as_datum(), Zone::UTC, &mut printed);
        let same = printed == unhex(stored) && numbers(&ty, &converted) == (warning, error);
        let base = name.split(['(', ' ']).next().unwrap_or(name);
        let chosen = DATUM_DIFFERENCES.iter().any(|(types, chosen, _)| {
            *chosen == text && types.split(' ').any(|ty| ty == base || ty == name)
        });
        if !same && !chosen {
            wrong.push(format!(
                "{name} {text}: {:?} {:?}, not {:?} {warning} {error}",
                String::from_utf8_lossy(&printed),
                numbers(&ty, &converted),
                String::from_utf8_lossy(&unhex(stored)),
            ));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn null_stays_null() {
    assert_eq!(convert(&ColumnType::Date, Datum::Null, Zone::UTC).value, Value::Null);
}
