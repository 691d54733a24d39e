//! Bytes of clients as lines of the log show them.
//!
//! Not here: how many lines there may be (`resources::log_rate`).

/// A client's bytes as a line shows them: they can neither end it nor change how it looks, and are
/// cut.
pub fn shown(bytes: &[u8], bytes_max: usize) -> String {
    let cut = &bytes[..bytes.len().min(bytes_max)];
    let mut text = String::with_capacity(cut.len());
    for letter in String::from_utf8_lossy(cut).chars() {
        match letter {
            '\t' => text.push('\t'),
            // Line and paragraph separators are none of `is_control`.
            '\u{2028}' | '\u{2029}' => text.extend(letter.escape_unicode()),
            _ if letter.is_control() => text.extend(letter.escape_default()),
            _ => text.push(letter),
        }
    }
    if cut.len() < bytes.len() {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clients_bytes_made_lines_of_their_own() {
        let forged = b"x\n2026-01-01 ERROR all is lost\r\x1b[2J\xff\t\xe2\x80\xa8";
        assert_eq!(
            shown(forged, 100),
            "x\\n2026-01-01 ERROR all is lost\\r\\u{1b}[2J\u{fffd}\t\\u{2028}"
        );
        assert_eq!(shown(b"abcdef", 3), "abc...");
    }
}
