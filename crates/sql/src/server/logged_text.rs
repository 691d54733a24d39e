//! The text of a prepared statement with its values in place of the `?`, as the logs have it (MySQL
//! 9.7's do), so that it can be run again.
//!
//! Not here: which log has it (`slow_log`, `general_log`), where the `?` stand (`syntax::scan`).

use values::codes::write_hex;
use values::datum::Datum;
use values::temporal::Zone;
use values::text::write_untyped;

/// Values are put in as long as the text has no more bytes; what comes behind stays `?`.
const BYTES_MAX: usize = 1 << 20;

/// The text with values in these places.
pub(crate) fn with_values(
    text: &[u8],
    places: &[u32],
    values: &[Datum<'_>],
    zone: Zone,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 8 * values.len());
    let mut written = 0;
    for (place, value) in places.iter().zip(values) {
        let place = *place as usize;
        out.extend_from_slice(&text[written..place]);
        written = place;
        let bytes = if let Datum::Bytes(bytes) = value { bytes.len() } else { 0 };
        if out.len() + bytes > BYTES_MAX {
            break;
        }
        write_literal(*value, zone, &mut out);
        written += 1;
    }
    out.extend_from_slice(&text[written..]);
    out
}

fn write_literal(value: Datum<'_>, zone: Zone, out: &mut Vec<u8>) {
    match value {
        Datum::Null => out.extend_from_slice(b"NULL"),
        Datum::Bytes(bytes) if std::str::from_utf8(bytes).is_err() => {
            out.extend_from_slice(b"0x");
            out.extend_from_slice(&write_hex(bytes, true));
        }
        Datum::Int(_)
        | Datum::UInt(_)
        | Datum::Float(_)
        | Datum::Double(_)
        | Datum::Decimal(_)
        | Datum::Year(_) => write_untyped(value, zone, out),
        _ => {
            let mut inside = Vec::new();
            write_untyped(value, zone, &mut inside);
            out.push(b'\'');
            for byte in inside {
                match byte {
                    0 => out.extend_from_slice(b"\\0"),
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\r' => out.extend_from_slice(b"\\r"),
                    b'\\' | b'\'' => out.extend_from_slice(&[b'\\', byte]),
                    _ => out.push(byte),
                }
            }
            out.push(b'\'');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(text: &str, places: &[u32], values: &[Datum<'_>]) -> String {
        let out = with_values(text.as_bytes(), places, values, Zone::UTC);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn values_stand_where_their_marks_were() {
        let text = "SELECT '?', ? + ?, ? FROM t";
        let values = [Datum::Int(-1), Datum::Double(1.5), Datum::Bytes(b"it's\n\\")];
        assert_eq!(
            text_of(text, &[12, 16, 19], &values),
            "SELECT '?', -1 + 1.5, 'it\\'s\\n\\\\' FROM t"
        );
        let values = [Datum::Null, Datum::Bytes(b"\xff\x00"), Datum::Bytes(b"")];
        assert_eq!(text_of("(?,?,?)", &[1, 3, 5], &values), "(NULL,0xFF00,'')");
    }

    #[test]
    fn what_is_too_long_stays_as_it_was_sent() {
        let long = vec![b'a'; BYTES_MAX];
        let values = [Datum::UInt(7), Datum::Bytes(&long), Datum::UInt(8)];
        assert_eq!(text_of("(?,?,?)", &[1, 3, 5], &values), "(7,?,?)");
    }
}
