//! The parser: any text is a statement or an error, and shapes are statements like their texts.

use syntax::Cursor;
use syntax::statement::statement;

use crate::memory::within;
use crate::sql_scan::modes;

/// Memory that one byte of a statement may take while it is parsed: a token is 100 bytes and more.
const BYTES_PER_BYTE: usize = 4096;

/// Parses the input in several modes.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    for mode in modes() {
        within(BYTES_PER_BYTE * (text.len() + 64), || {
            if let Ok(mut cursor) = Cursor::new(text, mode) {
                let _ = statement(&mut cursor);
            }
        });
    }
}
