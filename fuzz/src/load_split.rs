//! SQL text into statements: the same ones however the file is read.

use load::fuzzing::statements;

use crate::memory::within;
use crate::shapes::byte;

/// Splits the input at once and in pieces whose size its first byte says, with a limit on
/// statements that its second byte may make small.
pub fn check(mut input: &[u8]) {
    let size = 1 + usize::from(byte(&mut input));
    let limit = usize::from(byte(&mut input));
    let at_once = statements(input, input.len().max(1), usize::MAX);
    // What is read, each statement once more, and what is said of it.
    let memory_max = 16 * input.len() + 32 * size + (16 << 10);
    let in_pieces = within(memory_max, || statements(input, size, usize::MAX));
    assert_eq!(at_once, in_pieces, "pieces of {size}");
    let (found, _) = &at_once;
    let lines = input.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    let (mut line_before, mut rest) = (1, input);
    for (line, text) in found {
        assert!(line_before <= *line && *line <= lines, "line {line}");
        assert!(!text.is_empty() && *text == text.trim_ascii(), "{}", text.escape_ascii());
        let at = rest.windows(text.len()).position(|part| part == text);
        rest = &rest[at.expect("statements come in the file's order") + text.len()..];
        line_before = *line;
    }
    limited(input, size, limit, found);
}

/// With a limit the statements in front of the first one that is too long are the same.
fn limited(input: &[u8], size: usize, limit: usize, all: &[(u64, Vec<u8>)]) {
    let (found, end) = statements(input, size, limit);
    assert!(all.starts_with(&found), "others than without a limit");
    // A piece is read before its length is looked at.
    let short = all.iter().all(|(_, text)| text.len() <= limit);
    assert!(!short || end.is_err() || found.len() == all.len());
}
