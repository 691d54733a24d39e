//! Bytes that stand for values: equal where SQL says equal, or in the order of ORDER BY.
//!
//! Invariants
//! 1. Parts are self-delimiting, so that several in a row never run into each other.
//! 2. -0 and 0 are one number.
//!
//! Not here: keys of indexes (`values::key`), whose bytes are used.

use std::collections::HashSet;

use expression::{as_signed, write_json_key};
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::key::encode_part;
use values::types::{Collation, ColumnType, LobSize};

use plan::tree::Class;

/// Keys of rows, each once.
pub type KeySet = HashSet<Vec<u8>, foldhash::fast::RandomState>;

/// What a key takes in a set besides its bytes, about.
pub const KEY_BYTES: usize = 48;

/// Appends a value of a type, as GROUP BY, DISTINCT and ORDER BY compare it.
pub fn push(ty: &ColumnType, datum: Datum<'_>, out: &mut Vec<u8>) {
    let datum = match datum {
        // Adding zero makes -0 of it 0.
        Datum::Double(v) => Datum::Double(v + 0.0),
        Datum::Float(v) => Datum::Float(v + 0.0),
        other => other,
    };
    // What an expression gives may be of another kind than its type, and one value has one key.
    let datum = match (ty, datum) {
        (ColumnType::Int { unsigned, .. }, Datum::Int(_) | Datum::UInt(_)) => {
            as_signed(datum, *unsigned).unwrap_or(datum)
        }
        (ColumnType::Decimal { .. }, Datum::Int(value)) => Datum::Decimal(Decimal::from(value)),
        (ColumnType::Decimal { .. }, Datum::UInt(value)) => Datum::Decimal(Decimal::from(value)),
        _ => datum,
    };
    match (ty, datum) {
        (_, Datum::Null) => out.push(0),
        (ColumnType::Json, Datum::Bytes(document)) => {
            out.push(1);
            write_json_key(document, out);
        }
        (_, Datum::Bytes(_)) => {
            let collation = ty.collation().unwrap_or(Collation::Binary);
            encode_part(&text_like(collation), true, None, datum, out);
        }
        (ColumnType::Enum { .. }, Datum::Enum(_)) | (ColumnType::Set { .. }, Datum::Set(_)) => {
            encode_part(ty, true, None, datum, out);
        }
        // A word's number, where an expression has lost the words.
        (_, Datum::Enum(_) | Datum::Set(_)) => {
            let datum = Datum::UInt(datum.listed_number().unwrap_or(0));
            encode_part(&expression::BIGINT_UNSIGNED, true, None, datum, out);
        }
        _ => encode_part(&own_type(ty, datum), true, None, datum, out),
    }
}

/// Appends an ordinal, in whose order NULL is below everything.
pub fn push_ordinal(ordinal: Option<u64>, out: &mut Vec<u8>) {
    match ordinal {
        None => out.push(0),
        Some(ordinal) => {
            out.push(1);
            out.extend_from_slice(&ordinal.to_be_bytes());
        }
    }
}

/// As `push`, in descending order.
pub fn push_descending(ty: &ColumnType, datum: Datum<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    push(ty, datum, out);
    turn_around(&mut out[start..]);
}

/// Makes bytes sort in descending order.
pub fn turn_around(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
}

/// Appends a value of a class of types as `=` compares it under a collation; `false` for NULL,
/// and for what is not of the class.
pub fn push_equal(class: Class, rule: Collation, datum: Datum<'_>, out: &mut Vec<u8>) -> bool {
    match (class, datum) {
        (Class::Integer, Datum::Int(v)) => {
            out.extend_from_slice(&i128::from(v).to_be_bytes());
        }
        (Class::Integer, Datum::UInt(v)) => {
            out.extend_from_slice(&i128::from(v).to_be_bytes());
        }
        (Class::Decimal, Datum::Decimal(_)) => {
            let wide = ColumnType::Decimal { precision: 65, scale: 30 };
            encode_part(&wide, false, None, datum, out);
        }
        (Class::Text | Class::Binary, Datum::Bytes(_)) => {
            encode_part(&text_like(rule), false, None, datum, out);
        }
        (Class::Date, Datum::Date(_)) => encode_part(&ColumnType::Date, false, None, datum, out),
        (Class::DateTime, Datum::DateTime(_)) => {
            encode_part(&ColumnType::DateTime { fsp: 6 }, false, None, datum, out);
        }
        _ => return false,
    }
    true
}

/// Appends the values of a row as `push_equal` does; `false` if one has no key, so that the row
/// equals nothing.
pub fn push_equal_row(row: &[Value], rules: &[(Class, Collation)], out: &mut Vec<u8>) -> bool {
    let mut pairs = row.iter().zip(rules);
    pairs.all(|(value, (class, rule))| push_equal(*class, *rule, value.as_datum(), out))
}

fn text_like(collation: Collation) -> ColumnType {
    match collation {
        Collation::Binary => ColumnType::Blob { size: LobSize::Long },
        collation => ColumnType::Text { size: LobSize::Long, collation },
    }
}

/// The type whose key bytes fit the value: what an expression gives may differ from its type.
fn own_type(ty: &ColumnType, datum: Datum<'_>) -> ColumnType {
    match datum {
        Datum::Int(_) => expression::BIGINT,
        Datum::UInt(_) => expression::BIGINT_UNSIGNED,
        Datum::Float(_) => ColumnType::Float(None),
        Datum::Double(_) => ColumnType::Double(None),
        Datum::Decimal(v) => match ty {
            ColumnType::Decimal { .. } => ColumnType::Decimal { precision: 65, scale: 30 },
            _ => ColumnType::Decimal { precision: 65, scale: v.scale().min(30) },
        },
        Datum::Date(_) => ColumnType::Date,
        Datum::Time(_) => ColumnType::Time { fsp: 6 },
        Datum::DateTime(_) => ColumnType::DateTime { fsp: 6 },
        Datum::Timestamp(_) => ColumnType::Timestamp { fsp: 6 },
        Datum::Year(_) => ColumnType::Year,
        Datum::Null | Datum::Bytes(_) | Datum::Enum(_) | Datum::Set(_) => ty.clone(),
    }
}
