//! Statements and results in other character sets than UTF-8.
//!
//! Invariants
//! 1. A session of UTF-8 pays nothing but the question whether it is one.
//! 2. Bytes of binary columns and of BLOB parameters stay as they are.
//!
//! Not here: the character sets (`values::charset`), which ones a session has (crate `sql`).

use std::borrow::Cow;

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

/// How many bytes of a text, as it came, its first bytes in UTF-8 are made of.
#[expect(clippy::ptr_arg, reason = "whether it was converted matters as well")]
pub fn bytes_as_sent(
    set: CharacterSet,
    sent: &[u8],
    decoded: &Cow<'_, [u8]>,
    taken: usize,
) -> usize {
    match decoded {
        Cow::Borrowed(_) => taken,
        Cow::Owned(all) if taken >= all.len() => sent.len(),
        Cow::Owned(all) => set.encode(&all[..taken]).len().min(sent.len()),
    }
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
    fn rows_and_statements_of_a_latin1_session_were_utf8() {
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
        // The second statement of a text begins where it was sent, not where it is in UTF-8.
        let sent = b"SELECT '\xe4';SELECT 2";
        let decoded = latin1.decode(sent);
        assert_eq!(bytes_as_sent(latin1, sent, &decoded, 12), 11);
        assert_eq!(bytes_as_sent(latin1, sent, &decoded, decoded.len()), sent.len());
        assert_eq!(results_in(CharacterSet::UTF8MB4), None);
        assert_eq!(results_in(CharacterSet::BINARY), None);
    }
}
