//! MySQL's command packets: decoding copies nothing.

use doors::fuzzing::mysql::{MysqlCommand, command, query};

use crate::memory::within;

/// Decodes the input as a payload.
pub fn check(input: &[u8]) {
    let decoded = within(0, || command(input));
    let borrowed = match decoded {
        Ok(
            MysqlCommand::InitDb(bytes)
            | MysqlCommand::Query(bytes)
            | MysqlCommand::ChangeUser(bytes)
            | MysqlCommand::Prepare(bytes)
            | MysqlCommand::Execute { parameters: bytes, .. }
            | MysqlCommand::SendLongData { data: bytes, .. },
        ) => bytes.len(),
        Ok(MysqlCommand::FieldList { table, pattern }) => table.len() + pattern.len(),
        _ => 0,
    };
    assert!(borrowed < input.len().max(1), "more than came");
    let text = input.strip_suffix(b"\0").unwrap_or(input);
    assert_eq!(command(&query(input)), Ok(MysqlCommand::Query(text)));
}
