//! Numbers from text: what was read prints as a text that reads the same.

use values::convert::from_text;
use values::decimal::Decimal;
use values::text::write_text;
use values::types::IntWidth;
use values::{ColumnType, Zone};

use crate::memory::within;
use crate::shapes::byte;

/// Reads the input as numbers of several types.
pub fn check(mut input: &[u8]) {
    let choice = byte(&mut input);
    let precision = 1 + choice % 65;
    let types = [
        ColumnType::Int { width: IntWidth::Tiny, unsigned: false, boolean: false },
        ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false },
        ColumnType::Int { width: IntWidth::Big, unsigned: true, boolean: false },
        ColumnType::Float(None),
        ColumnType::Double(None),
        ColumnType::Decimal { precision, scale: (choice / 2).min(30).min(precision) },
    ];
    for ty in types {
        let read = within(1024, || from_text(&ty, input, Zone::UTC));
        let mut text = Vec::new();
        write_text(&ty, read.value.as_datum(), Zone::UTC, &mut text);
        let again = from_text(&ty, &text, Zone::UTC);
        assert_eq!(again.issue, None, "{ty:?}: {}", text.escape_ascii());
        // A FLOAT prints six digits, as in MySQL: not all that it holds.
        if ty != ColumnType::Float(None) {
            assert_eq!(again.value, read.value, "{ty:?}: {}", text.escape_ascii());
        }
    }
    if let Some(decimal) = within(1024, || Decimal::parse(input)) {
        let mut text = Vec::new();
        decimal.write(&mut text);
        assert_eq!(Decimal::parse(&text), Some(decimal), "{}", text.escape_ascii());
    }
}
