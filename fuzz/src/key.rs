//! Parts of stored keys: damaged bytes are told, and what is read is what would be written.

use values::ColumnType;
use values::datum::Value;
use values::key::{decode_part, encode_part, is_reversible, skip_part};

use crate::memory::within;
use crate::shapes::{byte, column_type};

/// Reads the input as a part of a column whose type its first bytes say.
pub fn check(mut input: &[u8]) {
    let ty = column_type(byte(&mut input));
    let options = byte(&mut input);
    let nullable = options & 1 != 0;
    let prefix = (options & 2 != 0).then_some(u32::from(options / 4));
    // What collations are told by is made at its first use, and stays.
    _ = (skip_part(&ty, nullable, prefix, input), decode_part(&ty, nullable, prefix, input));
    let skipped = within(0, || skip_part(&ty, nullable, prefix, input));
    let decoded = within(16 * input.len() + 1024, || decode_part(&ty, nullable, prefix, input));
    let Ok((value, bytes)) = decoded else { return };
    assert_eq!(skipped.expect("what can be read"), bytes);
    assert!(bytes <= input.len());
    if !is_reversible(&ty, prefix) {
        return;
    }
    let mut value = value;
    if let (ColumnType::Char { .. }, Value::Bytes(text)) = (&ty, &mut value) {
        // No key has spaces at the end of its text; bytes that nobody wrote may.
        let end = text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
        text.truncate(end);
    }
    let mut again = Vec::new();
    encode_part(&ty, nullable, prefix, value.as_datum(), &mut again);
    let (second, _) = decode_part(&ty, nullable, prefix, &again).expect("what was written");
    assert_eq!(format!("{second:?}"), format!("{value:?}"));
}
