//! Redis's protocol (RESP2): GET, MGET, SET, in the array form that clients send.

use super::{Judgement, Reader, Writer, compare, line_end};
use crate::generator::Verdict;
use crate::users::{User, Users, parse_number, push_number};

/// Rows under the keys `user:ID`, columns joined by tabs.
pub struct Resp {
    users: Users,
    expected: Vec<u8>,
    key: Vec<u8>,
}

impl Resp {
    /// Look-ups and stores of these users' rows.
    pub fn new(users: Users) -> Resp {
        Resp { users, expected: Vec::new(), key: Vec::new() }
    }

    fn push_key(&mut self, id: u32, out: &mut Vec<u8>) {
        self.key.clear();
        super::memcached::MemcachedSession::key(&mut self.key, id);
        push_bulk(out, &self.key);
    }
}

impl Reader for Resp {
    fn get(&mut self, ids: &[u32], out: &mut Vec<u8>) {
        push_count(out, b'*', ids.len() + 1);
        push_bulk(out, if ids.len() == 1 { b"GET" } else { b"MGET" });
        for id in ids {
            self.push_key(*id, out);
        }
    }

    fn got(&mut self, ids: &[u32], version: u32, input: &[u8]) -> Judgement {
        self.expected.clear();
        if ids.len() > 1 {
            push_count(&mut self.expected, b'*', ids.len());
        }
        for id in ids {
            push_bulk(&mut self.expected, self.users.row(*id, version).joined());
        }
        compare(&self.expected, input).unwrap_or_else(|| judge_other(input))
    }
}

impl Writer for Resp {
    fn set(&mut self, id: u32, row: &User, out: &mut Vec<u8>) {
        push_count(out, b'*', 3);
        push_bulk(out, b"SET");
        self.push_key(id, out);
        push_bulk(out, row.joined());
    }

    fn stored(&mut self, _id: u32, input: &[u8]) -> Judgement {
        compare(b"+OK\r\n", input).unwrap_or_else(|| judge_other(input))
    }
}

fn push_count(out: &mut Vec<u8>, kind: u8, count: usize) {
    out.push(kind);
    push_number(out, count as u64);
    out.extend_from_slice(b"\r\n");
}

/// Appends a string with its length.
pub fn push_bulk(out: &mut Vec<u8>, bytes: &[u8]) {
    push_count(out, b'$', bytes.len());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

/// Appends a command of several words.
pub fn push_command(out: &mut Vec<u8>, words: &[&[u8]]) {
    push_count(out, b'*', words.len());
    for word in words {
        push_bulk(out, word);
    }
}

/// One reply that is not an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar<'a> {
    /// No whole reply yet.
    Incomplete,
    /// A string, a status or the digits of a number, and the length of the reply.
    Text(&'a [u8], usize),
    /// Nothing there.
    Nil(usize),
    /// An error.
    Refused(usize),
}

/// Reads one reply that is not an array.
pub fn scalar(input: &[u8]) -> Scalar<'_> {
    let Some(head) = line_end(input) else {
        return Scalar::Incomplete;
    };
    let line = input[1..head].trim_ascii_end();
    match input[0] {
        b'+' | b':' => Scalar::Text(line, head),
        b'$' if line == b"-1" => Scalar::Nil(head),
        b'$' => match parse_number(line).map(|length| length as usize) {
            Some(length) if input.len() < head + length + 2 => Scalar::Incomplete,
            Some(length) => Scalar::Text(&input[head..head + length], head + length + 2),
            None => Scalar::Refused(head),
        },
        _ => Scalar::Refused(head),
    }
}

/// Finds the end of a reply that is not the expected one.
fn judge_other(input: &[u8]) -> Judgement {
    if input.first() != Some(&b'*') {
        return match scalar(input) {
            Scalar::Incomplete => Judgement::Incomplete,
            Scalar::Text(_, bytes) | Scalar::Nil(bytes) => Judgement::Reply(bytes, Verdict::Wrong),
            Scalar::Refused(bytes) => Judgement::Reply(bytes, Verdict::Refused),
        };
    }
    let Some(mut at) = line_end(input) else {
        return Judgement::Incomplete;
    };
    let count = parse_number(input[1..at].trim_ascii_end()).unwrap_or(0);
    for _ in 0..count {
        match scalar(&input[at..]) {
            Scalar::Incomplete => return Judgement::Incomplete,
            Scalar::Text(_, bytes) | Scalar::Nil(bytes) | Scalar::Refused(bytes) => at += bytes,
        }
    }
    Judgement::Reply(at, Verdict::Wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: Users = Users { seed: 1, rows: 10 };

    #[test]
    fn a_right_reply_is_right_and_its_prefixes_are_incomplete() {
        let mut protocol = Resp::new(USERS);
        let mut reply = b"*2\r\n".to_vec();
        for id in [3, 4] {
            push_bulk(&mut reply, USERS.row(id, 0).joined());
        }
        let found = protocol.got(&[3, 4], 0, &reply);
        assert_eq!(found, Judgement::Reply(reply.len(), Verdict::Right));
        for cut in 0..reply.len() {
            assert_eq!(
                protocol.got(&[3, 4], 0, &reply[..cut]),
                Judgement::Incomplete,
                "cut at {cut}"
            );
            assert_eq!(
                protocol.got(&[4, 3], 0, &reply[..cut]),
                Judgement::Incomplete,
                "cut at {cut}"
            );
        }
        let found = protocol.got(&[4, 3], 0, &reply);
        assert_eq!(found, Judgement::Reply(reply.len(), Verdict::Wrong));
    }

    #[test]
    fn a_miss_is_wrong_and_an_error_is_refused() {
        let mut protocol = Resp::new(USERS);
        assert_eq!(protocol.got(&[3], 0, b"$-1\r\n"), Judgement::Reply(5, Verdict::Wrong));
        assert_eq!(protocol.got(&[3], 0, b"-ERR x\r\nX"), Judgement::Reply(8, Verdict::Refused));
        assert_eq!(protocol.stored(3, b"+OK\r\n"), Judgement::Reply(5, Verdict::Right));
    }
}
