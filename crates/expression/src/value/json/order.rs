//! The order of JSON documents (MySQL 8.0 manual, 13.5, "Comparison and Ordering of JSON Values"),
//! and bytes that stand for them in GROUP BY, DISTINCT and ORDER BY.
//!
//! null is below numbers, these below texts, objects, arrays, false and true. Numbers compare by
//! their value, whatever their form; texts by their bytes; arrays element by element; objects by
//! how many members they have.
//!
//! ORDER BY has shorter arrays before longer ones, as MySQL has it, though `<` does not. MySQL
//! leaves arrays and objects of one length as they come; here what they hold decides.
//!
//! Invariants
//! 1. Documents have the same key exactly if they are equal.
//! 2. A key delimits itself: no key is the beginning of another.
//!
//! Not here: what is JSON beside a value of SQL (`values::json`), which places ask for
//! keys.

use std::cmp::Ordering;

use values::decimal::Decimal;
use values::json::Json;

/// Kinds of values, from the lowest.
fn rank(value: &Json) -> u8 {
    match value {
        Json::Null => 0,
        Json::Int(_) | Json::UInt(_) | Json::Double(_) | Json::Decimal(_) => 1,
        Json::String(_) => 2,
        Json::Object(_) => 3,
        Json::Array(_) => 4,
        Json::Bool(_) => 5,
    }
}

/// The order of two documents.
pub(crate) fn order(a: &Json, b: &Json) -> Ordering {
    match (a, b) {
        (Json::String(x), Json::String(y)) => x.cmp(y),
        (Json::Bool(x), Json::Bool(y)) => x.cmp(y),
        (Json::Array(x), Json::Array(y)) => {
            let orders = x.iter().zip(y).map(|(x, y)| order(x, y));
            first_of(orders).unwrap_or_else(|| x.len().cmp(&y.len()))
        }
        (Json::Object(x), Json::Object(y)) => x.len().cmp(&y.len()).then_with(|| {
            let orders = x.iter().zip(y.iter()).map(|((name, value), (other, beside))| {
                name.cmp(other).then_with(|| order(value, beside))
            });
            first_of(orders).unwrap_or(Ordering::Equal)
        }),
        (a, b) => match rank(a).cmp(&rank(b)) {
            Ordering::Equal => numbers(a, b),
            other => other,
        },
    }
}

/// Whether two documents are equal.
pub(crate) fn equal(a: &Json, b: &Json) -> bool {
    order(a, b).is_eq()
}

fn first_of(mut orders: impl Iterator<Item = Ordering>) -> Option<Ordering> {
    orders.find(|order| order.is_ne())
}

fn numbers(a: &Json, b: &Json) -> Ordering {
    let whole = |value: &Json| match value {
        Json::Int(value) => i128::from(*value),
        Json::UInt(value) => i128::from(*value),
        _ => 0,
    };
    let doubles = |x: f64, y: f64| x.partial_cmp(&y).unwrap_or(Ordering::Equal);
    match (a, b) {
        (Json::Decimal(_), _) | (_, Json::Decimal(_)) => match (exact(a), exact(b)) {
            (Some(x), Some(y)) => x.cmp(&y),
            _ => doubles(double(a), double(b)),
        },
        (Json::Double(x), Json::Double(y)) => doubles(*x, *y),
        (Json::Double(x), b) => beside_whole(*x, whole(b)),
        (a, Json::Double(y)) => beside_whole(*y, whole(a)).reverse(),
        _ => whole(a).cmp(&whole(b)),
    }
}

/// The order of a double and a number of 64 bits, of which neither loses a digit.
fn beside_whole(value: f64, whole: i128) -> Ordering {
    let before_point = (value.trunc() as i128).cmp(&whole);
    before_point.then_with(|| value.fract().partial_cmp(&0.0).unwrap_or(Ordering::Equal))
}

fn exact(value: &Json) -> Option<Decimal> {
    match value {
        Json::Decimal(value) => Some(**value),
        Json::Double(value) => Decimal::from_f64(*value),
        Json::Int(value) => Some(Decimal::from_i128(i128::from(*value), 0)),
        Json::UInt(value) => Some(Decimal::from_i128(i128::from(*value), 0)),
        _ => None,
    }
}

fn double(value: &Json) -> f64 {
    match value {
        Json::Int(value) => *value as f64,
        Json::UInt(value) => *value as f64,
        Json::Double(value) => *value,
        Json::Decimal(value) => value.to_f64(),
        _ => 0.0,
    }
}

/// Appends the key of a text that is a document; of one that is none, which no column holds, the
/// text.
///
/// ```text
/// 1  null
/// 2  a number: 0 below zero, 1 zero, 2 above it; then two bytes of exponent and eight of mantissa, inverted
///    below zero
/// 3  a text: its bytes, of which 00 is 00 ff, then 00 00
/// 4  an object: four bytes of length, each name as a text, and its value
/// 5  an array: four bytes of length, and its elements
/// 6  false, 7 true
/// ```
pub fn write_json_key(text: &[u8], out: &mut Vec<u8>) {
    write_key_of(text, true, out);
}

/// The same in the order of `<`, as MIN and MAX have it: instead of its length an array has a zero
/// behind its elements.
pub fn write_json_comparison_key(text: &[u8], out: &mut Vec<u8>) {
    write_key_of(text, false, out);
}

fn write_key_of(text: &[u8], by_length: bool, out: &mut Vec<u8>) {
    match Json::read(text) {
        Ok(document) => write_key(&document, by_length, out),
        Err(_) => write_text_key(text, out),
    }
}

fn write_key(value: &Json, by_length: bool, out: &mut Vec<u8>) {
    let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    match value {
        Json::Null => out.push(1),
        Json::Int(value) => write_number(*value < 0, value.unsigned_abs(), 0, out),
        Json::UInt(value) => write_number(false, *value, 0, out),
        Json::Double(value) => write_double(*value, out),
        Json::Decimal(value) => write_double(value.to_f64(), out),
        Json::String(text) => write_text_key(text.as_bytes(), out),
        Json::Object(members) => {
            out.push(4);
            out.extend_from_slice(&length(members.len()));
            for (name, value) in members.iter() {
                write_text_key(name.as_bytes(), out);
                write_key(value, by_length, out);
            }
        }
        Json::Array(items) => {
            out.push(5);
            if by_length {
                out.extend_from_slice(&length(items.len()));
            }
            items.iter().for_each(|item| write_key(item, by_length, out));
            if !by_length {
                out.push(0);
            }
        }
        Json::Bool(truth) => out.push(if *truth { 7 } else { 6 }),
    }
}

fn write_text_key(text: &[u8], out: &mut Vec<u8>) {
    out.push(3);
    for byte in text {
        out.push(*byte);
        if *byte == 0 {
            out.push(0xff);
        }
    }
    out.extend_from_slice(&[0, 0]);
}

/// A double as its sign, mantissa and exponent.
fn write_double(value: f64, out: &mut Vec<u8>) {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (mantissa, exponent) = match exponent {
        0 => (fraction, -1074),
        exponent => (fraction | 1 << 52, exponent - 1075),
    };
    write_number(value < 0.0, mantissa, exponent, out);
}

/// `mantissa * 2^exponent`, in the one form in which the mantissa's highest bit is set.
fn write_number(is_negative: bool, mantissa: u64, exponent: i32, out: &mut Vec<u8>) {
    out.push(2);
    if mantissa == 0 {
        out.push(1);
        return;
    }
    let shift = mantissa.leading_zeros();
    // From -1137 to 960.
    let biased = (exponent - shift as i32 + 0x4000) as u16;
    let (mut biased, mut mantissa) = (biased, mantissa << shift);
    if is_negative {
        (biased, mantissa) = (!biased, !mantissa);
    }
    out.push(if is_negative { 0 } else { 2 });
    out.extend_from_slice(&biased.to_be_bytes());
    out.extend_from_slice(&mantissa.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Json {
        Json::read(text.as_bytes()).expect(text)
    }

    fn key(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        write_json_key(text.as_bytes(), &mut out);
        out
    }

    /// In the order of ORDER BY in MySQL 9.7.
    const RISING: [&str; 28] = [
        "null",
        "-1e300",
        "-9223372036854775808",
        "-3",
        "-2.5",
        "-5e-324",
        "0",
        "5e-324",
        "1.5",
        "9",
        "10",
        "9007199254740992",
        "9007199254740993",
        "18446744073709551615",
        "1e300",
        r#""""#,
        r#""10""#,
        r#""B""#,
        r#""a""#,
        r#""a\u0000b""#,
        r#""ab""#,
        "{}",
        r#"{"b": 0}"#,
        r#"{"a": 0, "c": 1}"#,
        "[]",
        "[3]",
        "[1, 2]",
        "false",
    ];

    #[test]
    fn keys_stand_in_the_order_of_the_manual_and_not_of_the_texts() {
        for pair in RISING.windows(2) {
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
        assert!(key("false") < key("true"));
    }

    #[test]
    fn what_compares_is_in_the_same_order_but_for_arrays_of_different_lengths() {
        for (at, low) in RISING.iter().enumerate() {
            for high in &RISING[at + 1..] {
                let expected = match (*low, *high) {
                    ("[3]", "[1, 2]") => Ordering::Greater,
                    _ => Ordering::Less,
                };
                assert_eq!(order(&read(low), &read(high)), expected, "{low} {high}");
                let key = |text: &str| {
                    let mut out = Vec::new();
                    write_json_comparison_key(text.as_bytes(), &mut out);
                    out
                };
                assert_eq!(key(low).cmp(&key(high)), expected, "{low} {high}");
            }
        }
    }

    #[test]
    fn equal_documents_have_one_key_however_they_are_written() {
        for (a, b) in [
            ("10", "10.0"),
            ("-0.0", "0"),
            ("1e2", "100"),
            (r#"{"a": 1, "bb": [1,2]}"#, r#"{"bb":[1.0,2],"a":1}"#),
            (r#""\u0061""#, r#""a""#),
        ] {
            assert_eq!(key(a), key(b), "{a} {b}");
            assert!(equal(&read(a), &read(b)), "{a} {b}");
        }
        assert_ne!(key("9007199254740993"), key("9007199254740992"));
        assert_ne!(key("[1, 2]"), key("[2, 1]"));
        assert_ne!(key("null"), key(r#""null""#));
    }

    #[test]
    fn a_decimal_compares_with_what_it_is() {
        let decimal =
            |text: &str| Json::Decimal(Box::new(Decimal::parse(text.as_bytes()).expect(text)));
        assert!(equal(&decimal("1.50"), &read("1.5")));
        assert_eq!(order(&decimal("0.1"), &read("1")), Ordering::Less);
        assert_eq!(order(&decimal("2.5"), &read("1e300")), Ordering::Less);
    }
}
