//! Replies to packets: OK, ERR, EOF, the requests of the connection phase, column definitions.
//!
//! Invariants
//! 1. Every function appends exactly one packet (`ResultHead` and `write_prepared`: as many as
//!    the protocol says) with the connection's next sequence number.
//!
//! Not here: rows (`row`), how types map to type codes (`column`).

use results::{ResultColumn, SqlError};
use sql::OkFigures;

use super::column;
use super::frame::Packets;
use values::CharacterSet;

use super::numbers::{capability, character_set, column_flag, type_code};

/// The largest error text that is sent, in bytes; MySQL's own limit.
const ERROR_BYTES_MAX: usize = 512;

/// Appends a length-encoded integer.
#[inline]
pub fn write_lenenc(out: &mut Vec<u8>, value: u64) {
    match value {
        0..=0xFA => out.push(value as u8),
        0xFB..=0xFFFF => {
            out.push(0xFC);
            out.extend_from_slice(&(value as u16).to_le_bytes());
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(0xFD);
            out.extend_from_slice(&value.to_le_bytes()[..3]);
        }
        _ => {
            out.push(0xFE);
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
}

/// Appends a string behind its length-encoded length.
#[inline]
pub fn write_lenenc_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_lenenc(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// OK.
pub fn write_ok(packets: &mut Packets<'_>, done: &OkFigures, status: u16) {
    write_ok_as(packets, 0x00, done, status);
}

fn write_ok_as(packets: &mut Packets<'_>, header: u8, done: &OkFigures, status: u16) {
    packets.packet(|out| {
        out.push(header);
        write_lenenc(out, done.affected);
        write_lenenc(out, done.last_insert_id);
        out.extend_from_slice(&status.to_le_bytes());
        out.extend_from_slice(&done.warnings.to_le_bytes());
        // Documented as the rest of the packet, but sent and read with its length.
        if !done.info.is_empty() {
            write_lenenc_bytes(out, done.info.as_bytes());
        }
    });
}

/// The end of rows: EOF, or OK under EOF's header where the connection prefers it.
pub fn write_end_of_rows(packets: &mut Packets<'_>, capabilities: u32, warnings: u16, status: u16) {
    if capabilities & capability::DEPRECATE_EOF != 0 {
        write_ok_as(packets, 0xFE, &OkFigures { warnings, ..OkFigures::default() }, status);
    } else {
        write_eof(packets, warnings, status);
    }
}

fn write_eof(packets: &mut Packets<'_>, warnings: u16, status: u16) {
    packets.packet(|out| {
        out.push(0xFE);
        out.extend_from_slice(&warnings.to_le_bytes());
        out.extend_from_slice(&status.to_le_bytes());
    });
}

/// ERR.
pub fn write_error(packets: &mut Packets<'_>, error: &SqlError, results: Option<CharacterSet>) {
    packets.packet(|out| {
        out.push(0xFF);
        out.extend_from_slice(&error.number().to_le_bytes());
        out.push(b'#');
        out.extend_from_slice(error.sqlstate());
        let message = error.message();
        let end = message.floor_char_boundary(ERROR_BYTES_MAX);
        let message = &message.as_bytes()[..end];
        match results {
            None => out.extend_from_slice(message),
            Some(set) => out.extend_from_slice(&set.encode_message(message)),
        }
    });
}

/// AuthSwitchRequest: use that method, on this scramble.
pub fn write_switch(packets: &mut Packets<'_>, method: &str, fresh: &[u8]) {
    packets.packet(|out| {
        out.push(0xFE);
        out.extend_from_slice(method.as_bytes());
        out.push(0);
        out.extend_from_slice(fresh);
    });
}

/// A message of MariaDB's methods, which has nothing in front.
pub fn write_plain(packets: &mut Packets<'_>, data: &[u8]) {
    packets.packet(|out| out.extend_from_slice(data));
}

/// AuthMoreData: a message of the authentication method.
pub fn write_more_data(packets: &mut Packets<'_>, data: &[u8]) {
    packets.packet(|out| {
        out.push(0x01);
        out.extend_from_slice(data);
    });
}

/// The request for a local file's content.
pub fn write_local_infile(packets: &mut Packets<'_>, name: &str) {
    packets.packet(|out| {
        out.push(0xFB);
        out.extend_from_slice(name.as_bytes());
    });
}

/// What comes before rows: the count, the definitions, and their EOF where there is one. Kept in
/// encoded form, because prepared statements send the same again and again.
#[derive(Debug)]
pub struct ResultHead {
    bytes: Vec<u8>,
    packets: u8,
}

/// The sequence number of a command's first reply, which a kept head begins with.
const FIRST_REPLY: u8 = 1;

impl ResultHead {
    /// Encodes the head for connections with `capabilities`.
    pub fn new(
        columns: &[ResultColumn],
        capabilities: u32,
        status: u16,
        results: Option<CharacterSet>,
    ) -> ResultHead {
        let mut bytes = Vec::new();
        let mut packets = Packets::new(&mut bytes, FIRST_REPLY);
        write_result_head(&mut packets, columns, capabilities, status, results);
        let count = packets.sequence().wrapping_sub(FIRST_REPLY);
        ResultHead { bytes, packets: count }
    }

    /// Appends it; `false` if this is not the first reply, and so the numbers do not fit.
    pub fn write(&self, packets: &mut Packets<'_>) -> bool {
        packets.ready_made(FIRST_REPLY, self.packets, &self.bytes)
    }
}

/// Appends what comes before rows; `results`: the character set of their texts, if it is none of
/// UTF-8.
pub fn write_result_head(
    packets: &mut Packets<'_>,
    columns: &[ResultColumn],
    capabilities: u32,
    status: u16,
    results: Option<CharacterSet>,
) {
    packets.packet(|out| write_lenenc(out, columns.len() as u64));
    for column in columns {
        write_column(packets, column, results);
    }
    if capabilities & capability::DEPRECATE_EOF == 0 {
        write_eof(packets, 0, status);
    }
}

/// One column definition.
pub fn write_column(
    packets: &mut Packets<'_>,
    result: &ResultColumn,
    results: Option<CharacterSet>,
) {
    let wire = column::wire(result, results);
    packets.packet(|out| {
        write_lenenc_bytes(out, b"def");
        for name in
            [&result.database, &result.table, &result.org_table, &result.name, &result.org_name]
        {
            match results {
                None => write_lenenc_bytes(out, name.as_bytes()),
                Some(set) => write_lenenc_bytes(out, &set.encode(name.as_bytes())),
            }
        }
        out.push(0x0C);
        out.extend_from_slice(&wire.character_set.to_le_bytes());
        out.extend_from_slice(&wire.length.to_le_bytes());
        out.push(wire.type_code);
        out.extend_from_slice(&wire.flags.to_le_bytes());
        out.push(wire.decimals);
        out.extend_from_slice(&[0, 0]);
    });
}

/// A column definition as COM_FIELD_LIST sends it: with the text of its default value.
pub fn write_listed_column(
    packets: &mut Packets<'_>,
    result: &ResultColumn,
    default: Option<&[u8]>,
    results: Option<CharacterSet>,
) {
    let mut column = Vec::new();
    write_column(&mut Packets::new(&mut column, 0), result, results);
    packets.packet(|out| {
        out.extend_from_slice(&column[super::frame::HEADER_BYTES..]);
        match default {
            Some(text) => match results {
                None => write_lenenc_bytes(out, text),
                Some(set) => write_lenenc_bytes(out, &set.encode(text)),
            },
            None => out.push(0xFB),
        }
    });
}

/// The answer to COM_STMT_PREPARE.
pub fn write_prepared(
    packets: &mut Packets<'_>,
    prepared: &sql::PreparedReply,
    capabilities: u32,
    status: u16,
    results: Option<CharacterSet>,
) {
    let eof = capabilities & capability::DEPRECATE_EOF == 0;
    packets.packet(|out| {
        out.push(0);
        out.extend_from_slice(&prepared.id.to_le_bytes());
        out.extend_from_slice(&(prepared.columns.len() as u16).to_le_bytes());
        out.extend_from_slice(&prepared.parameters.to_le_bytes());
        out.push(0);
        out.extend_from_slice(&[0, 0]);
    });
    for _ in 0..prepared.parameters {
        write_parameter_definition(packets);
    }
    if eof && prepared.parameters > 0 {
        write_eof(packets, 0, status);
    }
    for column in prepared.columns.iter() {
        write_column(packets, column, results);
    }
    if eof && !prepared.columns.is_empty() {
        write_eof(packets, 0, status);
    }
}

/// A parameter's definition. As in MySQL it says nothing: the client gives the types.
fn write_parameter_definition(packets: &mut Packets<'_>) {
    packets.packet(|out| {
        write_lenenc_bytes(out, b"def");
        for name in [&b""[..], b"", b"", b"?", b""] {
            write_lenenc_bytes(out, name);
        }
        out.push(0x0C);
        out.extend_from_slice(&character_set::BINARY.to_le_bytes());
        out.extend_from_slice(&0u32.to_le_bytes());
        out.push(type_code::VAR_STRING);
        out.extend_from_slice(&column_flag::BINARY.to_le_bytes());
        out.push(0);
        out.extend_from_slice(&[0, 0]);
    });
}
