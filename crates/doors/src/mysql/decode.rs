//! Packets to commands.
//!
//! Invariants
//! 1. Every payload decodes to a command or is `MalformedPayload`; an unknown command byte is a
//!    command of its own, because it has an answer of its own.
//!
//! Not here: parameters of prepared statements (`parameters`), logins (`handshake`).

use super::command::{MysqlCommand, code};
use super::cursor::{MalformedPayload, PayloadCursor};

/// The command in a payload.
///
/// # Errors
/// `MalformedPayload` when it is empty, or too short for its command.
pub fn command(payload: &[u8]) -> Result<MysqlCommand<'_>, MalformedPayload> {
    let mut cursor = PayloadCursor::new(payload);
    Ok(match cursor.u8()? {
        code::QUERY => MysqlCommand::Query(statement_text(cursor.rest())),
        code::STMT_EXECUTE => {
            let statement = cursor.u32()?;
            let kind = cursor.u8()?;
            // The iteration count, always 1.
            cursor.u32()?;
            MysqlCommand::Execute { statement, cursor: kind, parameters: cursor.rest() }
        }
        code::QUIT => MysqlCommand::Quit,
        code::INIT_DB => MysqlCommand::InitDb(cursor.rest()),
        code::FIELD_LIST => {
            MysqlCommand::FieldList { table: cursor.until_zero_or_end(), pattern: cursor.rest() }
        }
        // A client that names no part means all.
        code::REFRESH => MysqlCommand::Refresh(cursor.rest().first().copied().unwrap_or(0)),
        code::STATISTICS => MysqlCommand::Statistics,
        code::PROCESS_INFO => MysqlCommand::ProcessInfo,
        code::PROCESS_KILL => MysqlCommand::ProcessKill(cursor.u32()?),
        code::DEBUG => MysqlCommand::Debug,
        code::PING => MysqlCommand::Ping,
        code::CHANGE_USER => MysqlCommand::ChangeUser(cursor.rest()),
        code::RESET_CONNECTION => MysqlCommand::ResetConnection,
        code::SET_OPTION => match cursor.u16()? {
            0 => MysqlCommand::SetMultiStatements(true),
            1 => MysqlCommand::SetMultiStatements(false),
            _ => return Ok(MysqlCommand::Unknown(code::SET_OPTION)),
        },
        code::STMT_PREPARE => MysqlCommand::Prepare(statement_text(cursor.rest())),
        code::STMT_SEND_LONG_DATA => MysqlCommand::SendLongData {
            statement: cursor.u32()?,
            parameter: cursor.u16()?,
            data: cursor.rest(),
        },
        code::STMT_CLOSE => MysqlCommand::Close(cursor.u32()?),
        code::STMT_RESET => MysqlCommand::Reset(cursor.u32()?),
        code::STMT_FETCH => MysqlCommand::Fetch { statement: cursor.u32()?, rows: cursor.u32()? },
        unknown => MysqlCommand::Unknown(unknown),
    })
}

/// A statement without the NUL that some clients (mysqlslap) send behind it; MySQL takes a NUL at
/// the very end for the end.
fn statement_text(rest: &[u8]) -> &[u8] {
    rest.strip_suffix(b"\0").unwrap_or(rest)
}

/// The payload that decodes to a query of this text.
pub fn query(text: &[u8]) -> Vec<u8> {
    [&[code::QUERY], text].concat()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_are_cut_where_the_protocol_says() {
        assert_eq!(command(b"\x03SELECT 1"), Ok(MysqlCommand::Query(b"SELECT 1")));
        assert_eq!(command(b"\x03SELECT 1\0"), Ok(MysqlCommand::Query(b"SELECT 1")));
        assert_eq!(
            command(b"\x04t\0a%"),
            Ok(MysqlCommand::FieldList { table: b"t", pattern: b"a%" })
        );
        assert_eq!(
            command(b"\x17\x02\0\0\0\x01\x01\0\0\0rest"),
            Ok(MysqlCommand::Execute { statement: 2, cursor: 1, parameters: b"rest" })
        );
        assert_eq!(
            command(b"\x18\x02\0\0\0\x01\0piece"),
            Ok(MysqlCommand::SendLongData { statement: 2, parameter: 1, data: b"piece" })
        );
        assert_eq!(
            command(b"\x1c\x02\0\0\0\x0a\0\0\0"),
            Ok(MysqlCommand::Fetch { statement: 2, rows: 10 })
        );
        assert_eq!(command(b"\x1c\x02\0\0\0\x0a"), Err(MalformedPayload));
        assert_eq!(command(b"\x1b\x00\x00"), Ok(MysqlCommand::SetMultiStatements(true)));
        assert_eq!(command(b"\x12"), Ok(MysqlCommand::Unknown(0x12)));
        assert_eq!(command(b""), Err(MalformedPayload));
        assert_eq!(command(b"\x17\x02\0\0"), Err(MalformedPayload));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_command_or_malformed(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let _ = command(&bytes);
        }
    }
}
