//! Results and parameters in other character sets than UTF-8.
//!
//! Invariants
//! 1. A session of UTF-8 pays nothing but the question whether it is one.
//! 2. Bytes of binary columns and of BLOB parameters stay as they are.
//!
//! Not here: the character sets (`values::charset`), statements (`syntax::scan::client_text`),
//! which sets a session has (crate `sql`).

use results::ResultColumn;
use values::CharacterSet;
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::text::write_text;
use values::types::{Collation, ColumnType};

/// The character set that results have to be converted to; `None`: they are sent as they are.
pub fn results_in(set: CharacterSet) -> Option<CharacterSet> {
    (!set.is_utf8() && !set.is_binary()).then_some(set)
}

/// Whether a column's values are text, and so of a character set.
pub fn is_text(ty: &ColumnType) -> bool {
    match ty {
        ColumnType::Char { collation, .. }
        | ColumnType::VarChar { collation, .. }
        | ColumnType::Text { collation, .. }
        | ColumnType::Enum { collation, .. }
        | ColumnType::Set { collation, .. } => *collation != Collation::Binary,
        ColumnType::Json => true,
        _ => false,
    }
}

/// A row with its texts in a character set.
fn row_in(
    set: CharacterSet,
    columns: &[ResultColumn],
    row: &[Datum<'_>],
    zone: Zone,
) -> Vec<Value> {
    let converted = |(column, datum): (&ResultColumn, &Datum<'_>)| match datum {
        Datum::Null => Value::Null,
        Datum::Bytes(text) if is_text(&column.ty) => Value::Bytes(set.encode(text).into_owned()),
        Datum::Enum(_) | Datum::Set(_) if is_text(&column.ty) => {
            let mut word = Vec::new();
            write_text(&column.ty, *datum, zone, &mut word);
            Value::Bytes(set.encode(&word).into_owned())
        }
        other => other.to_value(),
    };
    columns.iter().zip(row).map(converted).collect()
}

/// Has a row written with its texts in the character set of results, if that is another one.
#[inline]
pub fn with_row_in<R>(
    results: Option<CharacterSet>,
    columns: &[ResultColumn],
    row: &[Datum<'_>],
    zone: Zone,
    write: impl FnOnce(&[Datum<'_>]) -> R,
) -> R {
    let Some(set) = results else { return write(row) };
    let values = row_in(set, columns, row, zone);
    write(&values.iter().map(Value::as_datum).collect::<Vec<_>>())
}

/// Texts among the parameters of a statement as UTF-8; `is_text` tells by the position.
pub fn decoded_parameters(
    set: CharacterSet,
    values: &[Datum<'_>],
    is_text: impl Fn(usize) -> bool,
) -> Vec<Value> {
    let decoded = |(at, value): (usize, &Datum<'_>)| match value {
        Datum::Bytes(text) if is_text(at) => Value::Bytes(set.decode(text).into_owned()),
        other => other.to_value(),
    };
    values.iter().enumerate().map(decoded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_parameters_of_a_latin1_session_were_utf8() {
        let latin1 = CharacterSet::parse("latin1").expect("known");
        let text = ColumnType::VarChar { chars: 9, collation: Collation::Utf8Mb4GeneralCi };
        let columns = [
            ResultColumn::computed("t", text, true),
            ResultColumn::computed("b", ColumnType::VarBinary { bytes: 9 }, true),
        ];
        let bytes = Datum::Bytes("ä".as_bytes());
        let row = row_in(latin1, &columns, &[bytes, bytes], Zone::UTC);
        let expected = [Value::Bytes(b"\xe4".to_vec()), Value::Bytes("ä".into())];
        assert_eq!(row, expected);
        let parameters = [Datum::Bytes(b"\xe4"), Datum::Bytes(b"\xe4"), Datum::Int(1)];
        let decoded = decoded_parameters(latin1, &parameters, |at| at == 0);
        let expected = [Value::Bytes("ä".into()), Value::Bytes(b"\xe4".to_vec()), Value::Int(1)];
        assert_eq!(decoded, expected);
        assert_eq!(results_in(CharacterSet::UTF8MB4), None);
        assert_eq!(results_in(CharacterSet::BINARY), None);
    }
}
