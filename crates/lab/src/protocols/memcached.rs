//! memcached's text protocol: `get` of one or many keys, `set`.

use super::{Judgement, Reader, Writer, compare, line_end};
use crate::generator::Verdict;
use crate::users::{ROW_BYTES, User, Users, push_number};

/// Rows under the keys `user:ID`, columns joined by tabs.
pub struct MemcachedSession {
    users: Users,
    expected: Vec<u8>,
}

/// A value found in the reply to a `get` of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemcachedValue<'a> {
    /// No whole reply yet.
    Incomplete,
    /// The key is not there; length of the reply.
    Miss(usize),
    /// The value, its cas number if `gets` asked for it, and the length of the reply.
    Hit {
        /// The stored bytes.
        value: &'a [u8],
        /// The number that `cas` needs.
        cas: Option<u64>,
        /// Length of the reply.
        bytes: usize,
    },
    /// An error line; length of the reply.
    Refused(usize),
}

impl MemcachedSession {
    /// Look-ups and stores of these users' rows.
    pub fn new(users: Users) -> MemcachedSession {
        MemcachedSession { users, expected: Vec::new() }
    }

    /// The key of an id.
    pub fn key(out: &mut Vec<u8>, id: u32) {
        out.extend_from_slice(b"user:");
        push_number(out, u64::from(id));
    }
}

impl Reader for MemcachedSession {
    fn get(&mut self, ids: &[u32], out: &mut Vec<u8>) {
        out.extend_from_slice(b"get");
        for id in ids {
            out.push(b' ');
            Self::key(out, *id);
        }
        out.extend_from_slice(b"\r\n");
    }

    fn got(&mut self, ids: &[u32], version: u32, input: &[u8]) -> Judgement {
        self.expected.clear();
        for id in ids {
            self.expected.extend_from_slice(b"VALUE ");
            Self::key(&mut self.expected, *id);
            self.expected.extend_from_slice(b" 0 ");
            push_number(&mut self.expected, ROW_BYTES as u64);
            self.expected.extend_from_slice(b"\r\n");
            self.expected.extend_from_slice(self.users.row(*id, version).joined());
            self.expected.extend_from_slice(b"\r\n");
        }
        self.expected.extend_from_slice(b"END\r\n");
        compare(&self.expected, input).unwrap_or_else(|| reply_end(input))
    }
}

/// Appends a storage command: `set`, or `cas` with the number that `gets` gave.
pub fn push_store(out: &mut Vec<u8>, word: &str, key: &[u8], cas: Option<u64>, value: &[u8]) {
    out.extend_from_slice(word.as_bytes());
    out.push(b' ');
    out.extend_from_slice(key);
    out.extend_from_slice(b" 0 0 ");
    push_number(out, value.len() as u64);
    if let Some(cas) = cas {
        out.push(b' ');
        push_number(out, cas);
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

impl Writer for MemcachedSession {
    fn set(&mut self, id: u32, row: &User, out: &mut Vec<u8>) {
        out.extend_from_slice(b"set ");
        Self::key(out, id);
        out.extend_from_slice(b" 0 0 ");
        push_number(out, ROW_BYTES as u64);
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(row.joined());
        out.extend_from_slice(b"\r\n");
    }

    fn stored(&mut self, _id: u32, input: &[u8]) -> Judgement {
        judge_line(b"STORED\r\n", input)
    }
}

/// Judges a reply of one line.
pub fn judge_line(expected: &[u8], input: &[u8]) -> Judgement {
    compare(expected, input).unwrap_or_else(|| match line_end(input) {
        Some(bytes) => Judgement::Reply(bytes, Verdict::Refused),
        None => Judgement::Incomplete,
    })
}

/// Reads the reply to a `get` or `gets` of one key.
pub fn value(input: &[u8]) -> MemcachedValue<'_> {
    let Some(head) = line_end(input) else {
        return MemcachedValue::Incomplete;
    };
    let line = input[..head].trim_ascii_end();
    if line == b"END" {
        return MemcachedValue::Miss(head);
    }
    let mut words = line.split(|byte| *byte == b' ').skip(3);
    let length = words.next().and_then(crate::users::parse_number);
    let (Some(length), true) = (length, line.starts_with(b"VALUE ")) else {
        return MemcachedValue::Refused(head);
    };
    let cas = words.next().and_then(crate::users::parse_number);
    let length = length as usize;
    let bytes = head + length + b"\r\nEND\r\n".len();
    if input.len() < bytes {
        return MemcachedValue::Incomplete;
    }
    if !input[head + length..].starts_with(b"\r\nEND\r\n") {
        return MemcachedValue::Refused(bytes);
    }
    MemcachedValue::Hit { value: &input[head..head + length], cas, bytes }
}

/// Finds the end of a reply to `get` that is not the expected one.
fn reply_end(input: &[u8]) -> Judgement {
    let mut at = 0;
    loop {
        let Some(bytes) = line_end(&input[at..]) else {
            return Judgement::Incomplete;
        };
        let line = input[at..at + bytes].trim_ascii_end();
        at += bytes;
        if line == b"END" {
            return Judgement::Reply(at, Verdict::Wrong);
        }
        let length = line
            .strip_prefix(b"VALUE ")
            .and_then(|rest| rest.split(|byte| *byte == b' ').nth(2))
            .and_then(crate::users::parse_number);
        let Some(length) = length else {
            return Judgement::Reply(at, Verdict::Refused);
        };
        at += length as usize + 2;
        if at > input.len() {
            return Judgement::Incomplete;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: Users = Users { seed: 1, rows: 10 };

    #[test]
    fn a_right_reply_is_right_and_its_prefixes_are_incomplete() {
        let mut protocol = MemcachedSession::new(USERS);
        let mut reply = Vec::new();
        for id in [3, 4] {
            reply.extend_from_slice(format!("VALUE user:{id} 0 {ROW_BYTES}\r\n").as_bytes());
            reply.extend_from_slice(USERS.row(id, 0).joined());
            reply.extend_from_slice(b"\r\n");
        }
        reply.extend_from_slice(b"END\r\n");
        let found = protocol.got(&[3, 4], 0, &reply);
        assert_eq!(found, Judgement::Reply(reply.len(), Verdict::Right));
        for cut in 0..reply.len() {
            assert_eq!(
                protocol.got(&[3, 4], 0, &reply[..cut]),
                Judgement::Incomplete,
                "cut at {cut}"
            );
        }
        let found = protocol.got(&[4, 3], 0, &reply);
        assert_eq!(found, Judgement::Reply(reply.len(), Verdict::Wrong));
    }

    #[test]
    fn a_miss_is_wrong_and_an_error_is_refused() {
        let mut protocol = MemcachedSession::new(USERS);
        assert_eq!(protocol.got(&[3], 0, b"END\r\n"), Judgement::Reply(5, Verdict::Wrong));
        assert_eq!(protocol.got(&[3], 0, b"ERROR\r\nX"), Judgement::Reply(7, Verdict::Refused));
        assert_eq!(protocol.stored(3, b"STORED\r\n"), Judgement::Reply(8, Verdict::Right));
        let refused = b"SERVER_ERROR out of memory\r\n";
        assert_eq!(protocol.stored(3, refused), Judgement::Reply(refused.len(), Verdict::Refused));
    }

    #[test]
    fn a_value_is_read_with_its_cas() {
        let reply = b"VALUE k 0 2 77\r\n41\r\nEND\r\nrest";
        let hit = MemcachedValue::Hit { value: b"41", cas: Some(77), bytes: reply.len() - 4 };
        assert_eq!(value(reply), hit);
        assert_eq!(value(b"END\r\n"), MemcachedValue::Miss(5));
        assert_eq!(value(b"VALUE k 0 2\r\n41\r"), MemcachedValue::Incomplete);
        assert_eq!(value(b"ERROR\r\n"), MemcachedValue::Refused(7));
    }
}
