//! memcached's meta commands: every line is one.

use crate::memcached_text::tell;
use crate::shapes::byte;

/// Tells the input, each of whose lines is made a meta command by its first byte.
pub fn check(mut input: &[u8]) {
    let seed = byte(&mut input);
    let mut lines = Vec::new();
    for line in input.split(|byte| *byte == b'\n') {
        let (first, rest) = line.split_first().unwrap_or((&b'n', &[]));
        lines.extend_from_slice(&[b'm', b"gsdane"[usize::from(*first) % 6]]);
        lines.extend_from_slice(rest);
        lines.extend_from_slice(b"\r\n");
        // The block of data that the line announces, so that it is not read from further lines.
        if lines.len() % 3 == 0 {
            lines.extend_from_slice(b"12\r\n");
        }
    }
    let (answer, _) = tell(&lines, seed);
    assert!(answer.is_empty() || answer.ends_with(b"\r\n"), "{}", answer.escape_ascii());
}
