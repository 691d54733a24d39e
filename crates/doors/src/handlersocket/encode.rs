//! Answers to bytes.
//!
//! ```text
//! answer = code TAB columns *(TAB value) LF
//! value  = 00 (NULL) | bytes, each of 00-0f as 01 (byte+40)
//! ```

use values::text::{write_text, write_u64};
use values::types::ColumnType;
use values::{Datum, Zone};

use crate::handlersocket::command::HandlerSocketRefusal;

/// `code TAB 1 TAB word LF`.
pub fn refusal(refusal: HandlerSocketRefusal, out: &mut Vec<u8>) {
    out.push(b'0' + refusal.0);
    out.extend_from_slice(b"\t1\t");
    out.extend_from_slice(refusal.1.as_bytes());
    out.push(b'\n');
}

/// `0 TAB 1 LF`.
pub fn done(out: &mut Vec<u8>) {
    out.extend_from_slice(b"0\t1\n");
}

/// `0 TAB 1 TAB number LF`.
pub fn number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"0\t1\t");
    write_u64(number, out);
    out.push(b'\n');
}

/// `0 TAB columns`, to be followed by values and a LF.
#[inline]
pub fn head(columns: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(b"0\t");
    write_u64(columns as u64, out);
}

/// `TAB value`.
#[inline]
pub fn value(ty: &ColumnType, datum: Datum<'_>, out: &mut Vec<u8>) {
    out.push(b'\t');
    match datum {
        Datum::Null => out.push(0),
        Datum::Bytes(bytes) => escaped(bytes, out),
        // Numbers, times and their like print without control bytes.
        Datum::UInt(number) if !matches!(ty, ColumnType::Bit { .. }) => write_u64(number, out),
        Datum::Enum(_) | Datum::Set(_) | Datum::UInt(_) => {
            let mut word = Vec::new();
            write_text(ty, datum, Zone::UTC, &mut word);
            escaped(&word, out);
        }
        other => write_text(ty, other, Zone::UTC, out),
    }
}

#[inline]
fn escaped(bytes: &[u8], out: &mut Vec<u8>) {
    // A run that needs no escapes is copied whole; the test over it is vectorised.
    let mut rest = bytes;
    if !rest.iter().fold(false, |found, byte| found | (*byte < 0x10)) {
        out.extend_from_slice(rest);
        return;
    }
    while let Some(at) = rest.iter().position(|byte| *byte < 0x10) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(&[1, rest[at] + 0x40]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}
