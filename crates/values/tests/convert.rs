//! Text, numbers and times stored in columns become what MySQL makes of it.
//!
//! `recorded/text.tsv` and `recorded/datum.tsv` were recorded from MySQL 9.7 by the scripts next
//! to them. Differences we chose are listed.

use values::convert::{Converted, Issue, convert, from_text};
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::temporal::{Zone, read_datetime, read_time};
use values::text::write_text;
use values::types::{Collation, ColumnType, IntWidth, LobSize};

/// Types, text, and why ours is another.
const DIFFERENCES: &[(&str, &[u8], &str)] = &[
    (INTS, b"1e", "a letter is no part of a number"),
    (INTS, b"1e+", "as above"),
    (INTS, b"\n1.5", "a line feed is a space before a number with a point, too"),
    (DOUBLES, b"-0", "no column holds a negative zero"),
    (DOUBLES, b"-0.0", "as above"),
    (DECIMALS, b"1e400", "beyond DOUBLE is out of range like all that is beyond DECIMAL"),
    (DECIMALS, b"-1e400", "as above"),
    (DECIMALS, b"1.7976931348623157e308", "as above"),
    (DECIMALS, b"1.8e308", "as above"),
    (DECIMALS, b"1e-400", "a small number is a number"),
    (TIMES, b"0", "it is no day, as other digits are none"),
    (TIMES, b"9999-12-31 23:59:59.999999", "the calendar's end is a range's, MySQL says 1441"),
    (TIMES, b"+2024-01-02", "a sign may stand before a day, as MariaDB has it"),
    (CLOCKS, b"+2024-01-02", "as above"),
    (CLOCKS, b"+10:11:12", "as above"),
    (CLOCKS, b"2024-01-02 -3:00:00", "a time of day has no sign"),
    (CLOCKS, b"2024-01-02 03:04:05+02:00", "a time of day is in no zone"),
    (CLOCKS, b"2024-01-02 03:04:05-05:30", "as above"),
    (CLOCKS, b"2024-01-02 03:04:05.25+00:00", "as above"),
    (CLOCKS, b"10:11:12 abc", "what follows a time is cut off, with a space before it, too"),
    (CLOCKS, b"2024-01-02 abc", "as above"),
    (CLOCKS, b"1e3", "a number with an exponent is no time, which is said"),
    (CLOCKS, b"1e0", "as above"),
    (CLOCKS, b"10:11:12.5e3", "as above"),
    (CLOCKS, b"9999999999", "a time that is none is told of, however long it is"),
    (CLOCKS, b"99999999999", "as above"),
    (CLOCKS, b"12345678901", "as above"),
    (CLOCKS, b"4294967296:00:00", "as above"),
    (CLOCKS, b"2024-01-02T03:04:05", "a T stands before a time of day for TIME, too"),
    (CLOCKS, b"2024-01-02T03:04:05Z", "as above"),
    (CLOCKS, b"2024-01-02t03:04:05", "as above"),
    (CLOCKS, b"2024-001-002", "a day alone has no time of day"),
    (CLOCKS, b"2024.01.02.03.04.05", "whatever stands between its parts a moment has one"),
];

const INTS: &str = "TINYINT SMALLINT MEDIUMINT INT BIGINT YEAR";
const TIMES: &str = "DATE DATETIME TIMESTAMP";
const CLOCKS: &str = "TIME";
const DOUBLES: &str = "FLOAT DOUBLE";
const DECIMALS: &str = "DECIMAL";
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
    let Some(issue) = converted.issue else {
        return (if converted.note { "n1265" } else { "0" }, "0");
    };
    let number = |issue: Issue| match issue {
        Issue::OutOfRange => "1264",
        Issue::Truncated => "1265",
        Issue::TooLong => "1406",
        Issue::Incorrect { .. } if ty.is_temporal() => "1292",
        Issue::Incorrect { .. } | Issue::InvalidUtf8 => "1366",
        Issue::InvalidJson(_) | Issue::NoJsonText => "3140",
        Issue::JsonOfBytes => "3144",
        Issue::LeftOut => "1299",
    };
    let warning = match number(issue.as_warning(ty)) {
        "1265" if issue.is_only_noted(ty) => "n1265",
        number => number,
    };
    (warning, number(issue.as_error(ty)))
}

#[test]
fn text_becomes_what_mysql_stores() {
    let recording = include_str!("recorded/text.tsv");
    let mut wrong = Vec::new();
    for line in recording.lines() {
        let [name, text, stored, warning, error] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("five fields");
        // Of bytes that are no text the parser warns before the column does (1300).
        let (ty, text) = (column_type(name), unhex(text));
        let converted = from_text(&ty, &text, Zone::UTC);
        let mut printed = Vec::new();
        write_text(&ty, converted.value.as_datum(), Zone::UTC, &mut printed);
        let (own_warning, own_error) = numbers(&ty, &converted);
        // MySQL ends a text before bytes that are none; here each of them is a question mark, as at
        // the original's HandlerSocket.
        let is_cut = warning == "1300" && ty.is_text() && printed.starts_with(&unhex(stored));
        let same = (printed == unhex(stored) || is_cut)
            && (own_warning == warning || warning == "1300")
            && own_error == error;
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
    (INTS, "TIMESTAMP'9999-12-31 23:59:59.75'", "the calendar's end is a range's, not 1441"),
    (TIMES, "TIMESTAMP'9999-12-31 23:59:59.75'", "as above"),
    ("TIMESTAMP", "0.5", "what is no TIMESTAMP is out of its range, whatever it was written as"),
    ("TIMESTAMP", "1e10", "as above"),
    ("TIMESTAMP", "0.4", "as above"),
    ("TIMESTAMP", "0.1e0", "as above"),
    ("TIMESTAMP", "100000", "as above"),
    ("TIMESTAMP", "8390000", "as above"),
    ("TIMESTAMP", "1000000", "as above"),
    ("TIMESTAMP", "10000000", "as above"),
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
fn numbers_and_times_become_what_mysql_stores() {
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
