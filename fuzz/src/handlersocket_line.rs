//! HandlerSocket lines: decoding, and the escapes of tokens.

use doors::fuzzing::handlersocket::{
    FILTERS_MAX, HandlerSocketCommand, VALUES_MAX, command, unescape,
};

use crate::memory::within;

/// Memory that a decoded line may take, whatever its length.
const LINE_MEMORY_MAX: usize = 3 * FILTERS_MAX * 64;

/// Decodes the input as one line.
pub fn check(input: &[u8]) {
    let line = input.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let decoded = within(LINE_MEMORY_MAX, || command(line));
    if let Ok(HandlerSocketCommand::Execute(request)) = &decoded {
        assert!(request.values.as_slice().len() <= VALUES_MAX);
        assert!(request.modify_values.as_slice().len() <= VALUES_MAX);
        assert!(request.filters.len() <= FILTERS_MAX);
        if let Some(list) = &request.list {
            let values: usize = list.values().map(|value| value.len() + 1).sum();
            assert!(list.came <= list.announced && values <= line.len() + 1);
            assert_eq!(list.values().count(), list.came);
        }
    }
    for token in line.split(|byte| *byte == b'\t') {
        unescaped(token);
    }
}

fn unescaped(token: &[u8]) {
    let Ok(Some(value)) = unescape(token) else { return };
    assert!(value.len() <= token.len());
    let mut escaped = Vec::new();
    for byte in value.iter().copied() {
        match byte {
            0..=0x0f => escaped.extend_from_slice(&[1, byte + 0x40]),
            _ => escaped.push(byte),
        }
    }
    let again = unescape(&escaped).expect("what was escaped");
    assert_eq!(again.as_deref(), Some(&*value));
}
