//! What a client says of itself at the end of its login: pairs of a name and a value, each with its
//! length in front, such as `program_name` and `_pid`.
//!
//! Invariants
//! 1. No more is kept than `ATTRIBUTE_BYTES_MAX`, as MySQL keeps it
//!    (`performance_schema_session_connect_attrs_size`); `_truncated` says how much was not.
//!
//! Not here: the packet around them (`handshake`), where they are shown (crate `sql`).

use super::cursor::PayloadCursor;

/// Bytes of names and values that are kept.
const ATTRIBUTE_BYTES_MAX: usize = 512;

/// The pairs of a packet, as far as it is well formed.
pub fn attributes(payload: &[u8]) -> Box<[(String, String)]> {
    let mut cursor = PayloadCursor::new(payload);
    let (mut pairs, mut kept, mut lost) = (Vec::new(), 0, 0);
    while !cursor.is_empty() {
        let (Ok(name), Ok(value)) = (cursor.lenenc_bytes(), cursor.lenenc_bytes()) else { break };
        let bytes = name.len() + value.len();
        if kept + bytes > ATTRIBUTE_BYTES_MAX {
            lost += bytes;
            continue;
        }
        kept += bytes;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        pairs.push((text(name), text(value)));
    }
    if lost > 0 {
        pairs.push(("_truncated".to_owned(), lost.to_string()));
    }
    pairs.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_as_far_as_they_are_whole_and_there_is_room() {
        let shown = |payload: &[u8]| {
            let pairs = attributes(payload);
            pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
        };
        assert_eq!(shown(b"\x04_pid\x0212\x03_os\x05Linux"), ["_pid=12", "_os=Linux"]);
        assert_eq!(shown(b"\x04_pid\x0212\x03_o"), ["_pid=12"]);
        assert!(shown(b"").is_empty());
        let mut long = b"\x01a\xfc\x90\x01".to_vec();
        long.extend_from_slice(&[b'x'; 400]);
        long.extend_from_slice(&long.clone());
        long.extend_from_slice(b"\x01b\x01c");
        let shown = shown(&long);
        assert_eq!(shown[1..], ["b=c", "_truncated=401"]);
    }
}
