//! MySQL's packets and the shapes of replies.
//!
//! ```text
//! packet:  length (3 bytes, little endian)  sequence (1)  payload
//! reply:   OK (00 ..) | error (FF code '#'state text) | LOCAL INFILE (FB name)
//!          | count, definitions.., EOF (FE, < 9 bytes), rows.., EOF
//! ```

const HEADER_BYTES: usize = 4;

/// A whole reply to a command, or that it is not whole yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyOutcome {
    /// No whole reply yet.
    Incomplete,
    /// A statement without rows.
    Done {
        /// Length of the reply.
        bytes: usize,
        /// Rows affected.
        affected: u64,
        /// The first number that AUTO_INCREMENT gave, 0 where it gave none.
        first_id: u64,
        /// The server's remark, such as LOAD DATA's counts.
        info: String,
    },
    /// A result with rows, each of which was shown to the caller.
    Rows {
        /// Length of the reply.
        bytes: usize,
        /// Number of rows.
        rows: usize,
    },
    /// The server asks for a file's contents.
    LocalFile {
        /// Length of the reply.
        bytes: usize,
    },
    /// An error.
    Refused {
        /// Length of the reply.
        bytes: usize,
        /// MySQL's error number.
        code: u16,
        /// The message.
        message: String,
    },
}

/// Splits the first packet off: its payload and its length with the header.
pub fn packet(input: &[u8]) -> Option<(&[u8], usize)> {
    let header = input.get(..HEADER_BYTES)?;
    let length =
        usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16;
    let payload = input.get(HEADER_BYTES..HEADER_BYTES + length)?;
    Some((payload, HEADER_BYTES + length))
}

/// Appends one packet, whose payload `fill` writes.
pub fn push_packet(out: &mut Vec<u8>, sequence: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0, 0, 0, sequence]);
    fill(out);
    let length = out.len() - start - HEADER_BYTES;
    assert!(length < 0xff_ffff, "the lab sends no continued packets");
    out[start..start + 3].copy_from_slice(&(length as u32).to_le_bytes()[..3]);
}

/// Reads a whole reply; `row` sees the payload of every row.
pub fn outcome(input: &[u8], row: &mut impl FnMut(&[u8])) -> ReplyOutcome {
    let Some((head, mut at)) = packet(input) else {
        return ReplyOutcome::Incomplete;
    };
    match head.first() {
        Some(0x00) => {
            let (affected, rest) = lenenc(&head[1..]).unwrap_or((0, b""));
            let (first_id, rest) = lenenc(rest).unwrap_or((0, b""));
            let info = rest.get(4..).unwrap_or_default();
            let info = String::from_utf8_lossy(info).into_owned();
            return ReplyOutcome::Done { bytes: at, affected, first_id, info };
        }
        Some(0xfb) => return ReplyOutcome::LocalFile { bytes: at },
        Some(0xff) | None => return refused(head, at),
        Some(_) => {}
    }
    let columns = lenenc(head).map_or(0, |(count, _)| count);
    for _ in 0..columns {
        match packet(&input[at..]) {
            Some((_, bytes)) => at += bytes,
            None => return ReplyOutcome::Incomplete,
        }
    }
    match packet(&input[at..]) {
        Some((_, bytes)) => at += bytes,
        None => return ReplyOutcome::Incomplete,
    }
    let mut rows = 0;
    loop {
        let Some((payload, bytes)) = packet(&input[at..]) else {
            return ReplyOutcome::Incomplete;
        };
        at += bytes;
        match payload.first() {
            Some(0xfe) if payload.len() < 9 => return ReplyOutcome::Rows { bytes: at, rows },
            Some(0xff) => return refused(payload, at),
            _ => {
                row(payload);
                rows += 1;
            }
        }
    }
}

fn refused(payload: &[u8], bytes: usize) -> ReplyOutcome {
    let code = payload.get(1..3).map_or(0, |code| u16::from_le_bytes([code[0], code[1]]));
    let message = payload.get(3..).unwrap_or_default();
    ReplyOutcome::Refused { bytes, code, message: String::from_utf8_lossy(message).into_owned() }
}

/// A length-encoded number and what follows it; `None` also for SQL's NULL.
pub fn lenenc(input: &[u8]) -> Option<(u64, &[u8])> {
    let (&first, rest) = input.split_first()?;
    let width = match first {
        0..=0xfa => return Some((u64::from(first), rest)),
        0xfc => 2,
        0xfd => 3,
        0xfe => 8,
        _ => return None,
    };
    let mut number = [0u8; 8];
    number[..width].copy_from_slice(rest.get(..width)?);
    Some((u64::from_le_bytes(number), &rest[width..]))
}

/// A length-encoded string and what follows it.
pub fn lenenc_bytes(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = lenenc(input)?;
    let length = length as usize;
    (length <= rest.len()).then(|| rest.split_at(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_with_rows_is_read_whole_or_not_at_all() {
        let mut reply = Vec::new();
        push_packet(&mut reply, 1, |out| out.push(1));
        push_packet(&mut reply, 2, |out| out.extend_from_slice(b"definition"));
        push_packet(&mut reply, 3, |out| out.extend_from_slice(&[0xfe, 0, 0, 2, 0]));
        push_packet(&mut reply, 4, |out| out.extend_from_slice(b"\x02ab"));
        push_packet(&mut reply, 5, |out| out.extend_from_slice(&[0xfe, 0, 0, 2, 0]));
        for cut in 0..reply.len() {
            assert_eq!(outcome(&reply[..cut], &mut |_| {}), ReplyOutcome::Incomplete);
        }
        let mut seen = Vec::new();
        let whole = outcome(&reply, &mut |row| seen.push(row.to_vec()));
        assert_eq!(whole, ReplyOutcome::Rows { bytes: reply.len(), rows: 1 });
        assert_eq!(seen, [b"\x02ab"]);
    }

    #[test]
    fn ok_and_error_are_told_apart() {
        let mut reply = Vec::new();
        push_packet(&mut reply, 1, |out| out.extend_from_slice(b"\x00\x05\x07\x02\x00\x00\x00"));
        let done = ReplyOutcome::Done {
            bytes: reply.len(),
            affected: 5,
            first_id: 7,
            info: String::new(),
        };
        assert_eq!(outcome(&reply, &mut |_| {}), done);
        reply.clear();
        push_packet(&mut reply, 1, |out| out.extend_from_slice(b"\xff\x26\x04#23000Duplicate"));
        let refused = ReplyOutcome::Refused {
            bytes: reply.len(),
            code: 1062,
            message: "#23000Duplicate".to_owned(),
        };
        assert_eq!(outcome(&reply, &mut |_| {}), refused);
    }

    #[test]
    fn length_encoded_strings_of_every_width_are_read() {
        for length in [0usize, 250, 251, 65_535, 65_536] {
            let mut input = Vec::new();
            match length {
                0..=250 => input.push(length as u8),
                251..=65_535 => {
                    input.push(0xfc);
                    input.extend_from_slice(&(length as u16).to_le_bytes());
                }
                _ => {
                    input.push(0xfd);
                    input.extend_from_slice(&(length as u32).to_le_bytes()[..3]);
                }
            }
            input.extend(std::iter::repeat_n(b'x', length));
            input.push(b'!');
            let (bytes, rest) = lenenc_bytes(&input).unwrap();
            assert_eq!((bytes.len(), rest), (length, &b"!"[..]));
        }
        assert_eq!(lenenc_bytes(b"\x05abc"), None);
    }
}
