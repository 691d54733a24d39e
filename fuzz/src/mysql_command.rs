//! MySQL's command packets: decoding copies nothing.

use doors::fuzzing::mysql::{Command, command, query};

use crate::memory::within;

/// Decodes the input as a payload.
pub fn check(input: &[u8]) {
    let decoded = within(0, || command(input));
    let borrowed = match decoded {
        Ok(
            Command::InitDb(bytes)
            | Command::Query(bytes)
            | Command::ChangeUser(bytes)
            | Command::Prepare(bytes)
            | Command::Execute { parameters: bytes, .. }
            | Command::SendLongData { data: bytes, .. },
        ) => bytes.len(),
        Ok(Command::FieldList { table, pattern }) => table.len() + pattern.len(),
        _ => 0,
    };
    assert!(borrowed < input.len().max(1), "more than came");
    let text = input.strip_suffix(b"\0").unwrap_or(input);
    assert_eq!(command(&query(input)), Ok(Command::Query(text)));
}
