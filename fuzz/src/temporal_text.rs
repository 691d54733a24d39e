//! Dates and times from text: what was read prints as a text that reads the same.

use values::convert::from_text;
use values::text::write_text;
use values::{ColumnType, Zone};

use crate::memory::within;
use crate::shapes::byte;

/// Reads the input as each temporal type.
pub fn check(mut input: &[u8]) {
    let fsp = byte(&mut input) % 7;
    let types = [
        ColumnType::Date,
        ColumnType::Time { fsp },
        ColumnType::DateTime { fsp },
        ColumnType::Timestamp { fsp },
        ColumnType::Year,
    ];
    for ty in types {
        let read = within(256, || from_text(&ty, input, Zone::UTC));
        let mut text = Vec::new();
        write_text(&ty, read.value.as_datum(), Zone::UTC, &mut text);
        let again = from_text(&ty, &text, Zone::UTC);
        assert_eq!(again.value, read.value, "{ty:?}: {}", text.escape_ascii());
        assert_eq!(again.issue, None, "{ty:?}: {}", text.escape_ascii());
    }
}
