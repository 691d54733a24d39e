//! Tokyo Tyrant's binary protocol: `get`, `mget` and `put` of rows under the keys `user:ID`,
//! columns joined by tabs.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;

use anyhow::{Result, ensure};

use super::memcached::MemcachedSession;
use super::{Judgement, Reader, Writer, compare};
use crate::generator::Verdict;
use crate::users::{ROW_BYTES, User, Users};

const MAGIC: u8 = 0xc8;
const PUT: u8 = 0x10;
const GET: u8 = 0x30;
const GET_MANY: u8 = 0x31;
const MISC: u8 = 0x90;
/// The code of a request that was done.
const DONE: u8 = 0;
const LENGTH_BYTES: usize = 4;

/// What a `get` of one key has given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TyrantValue<'a> {
    /// No whole reply yet.
    Incomplete,
    /// The key is not there, or it failed; length of the reply.
    Miss(usize),
    /// The stored bytes, and the length of the reply.
    Hit(&'a [u8], usize),
}

/// Rows as records.
pub struct Tyrant {
    users: Users,
    key: Vec<u8>,
    expected: Vec<u8>,
}

impl Tyrant {
    /// Look-ups and stores of these users' rows.
    pub fn new(users: Users) -> Tyrant {
        Tyrant { users, key: Vec::new(), expected: Vec::new() }
    }

    fn set_key(&mut self, id: u32) {
        self.key.clear();
        MemcachedSession::key(&mut self.key, id);
    }
}

fn push_length(out: &mut Vec<u8>, length: usize) {
    out.extend_from_slice(&(length as u32).to_be_bytes());
}

/// The length at a place, if all of it has come.
fn length_at(input: &[u8], at: usize) -> Option<usize> {
    let bytes = input.get(at..at + LENGTH_BYTES)?;
    Some(u32::from_be_bytes(bytes.try_into().expect("four bytes")) as usize)
}

/// Appends a `get`.
pub fn push_get(out: &mut Vec<u8>, key: &[u8]) {
    out.extend_from_slice(&[MAGIC, GET]);
    push_length(out, key.len());
    out.extend_from_slice(key);
}

/// Appends a `put`.
pub fn push_put(out: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    out.extend_from_slice(&[MAGIC, PUT]);
    push_length(out, key.len());
    push_length(out, value.len());
    out.extend_from_slice(key);
    out.extend_from_slice(value);
}

/// Calls a function of `misc` and waits for what it gives.
///
/// # Errors
/// When the connection ends, or the function fails.
pub fn misc(stream: &mut TcpStream, name: &[u8], arguments: &[&[u8]]) -> Result<Vec<Vec<u8>>> {
    let mut request = vec![MAGIC, MISC];
    push_length(&mut request, name.len());
    push_length(&mut request, 0);
    push_length(&mut request, arguments.len());
    request.extend_from_slice(name);
    for argument in arguments {
        push_length(&mut request, argument.len());
        request.extend_from_slice(argument);
    }
    stream.write_all(&request)?;
    let mut reply = BufReader::new(stream);
    let mut code = [0];
    reply.read_exact(&mut code)?;
    let mut length = [0; LENGTH_BYTES];
    reply.read_exact(&mut length)?;
    let mut elements = Vec::new();
    for _ in 0..u32::from_be_bytes(length) {
        reply.read_exact(&mut length)?;
        let mut element = vec![0; u32::from_be_bytes(length) as usize];
        reply.read_exact(&mut element)?;
        elements.push(element);
    }
    ensure!(code == [DONE], "{} failed", name.escape_ascii());
    Ok(elements)
}

/// Reads the reply to a `get`.
pub fn value(input: &[u8]) -> TyrantValue<'_> {
    match (input.first(), length_at(input, 1)) {
        (None, _) | (Some(&DONE), None) => TyrantValue::Incomplete,
        (Some(&DONE), Some(length)) => {
            let start = 1 + LENGTH_BYTES;
            let value = input.get(start..start + length);
            value.map_or(TyrantValue::Incomplete, |value| TyrantValue::Hit(value, start + length))
        }
        _ => TyrantValue::Miss(1),
    }
}

/// Judges the reply to a `put`.
pub fn judge_put(input: &[u8]) -> Judgement {
    match input.first() {
        None => Judgement::Incomplete,
        Some(&DONE) => Judgement::Reply(1, Verdict::Right),
        Some(_) => Judgement::Reply(1, Verdict::Refused),
    }
}

impl Reader for Tyrant {
    fn get(&mut self, ids: &[u32], out: &mut Vec<u8>) {
        if let [id] = ids {
            self.set_key(*id);
            return push_get(out, &self.key);
        }
        out.extend_from_slice(&[MAGIC, GET_MANY]);
        push_length(out, ids.len());
        for id in ids {
            self.set_key(*id);
            push_length(out, self.key.len());
            out.extend_from_slice(&self.key);
        }
    }

    fn got(&mut self, ids: &[u32], version: u32, input: &[u8]) -> Judgement {
        let mut expected = std::mem::take(&mut self.expected);
        expected.clear();
        expected.push(DONE);
        if ids.len() > 1 {
            push_length(&mut expected, ids.len());
        }
        for id in ids {
            if ids.len() > 1 {
                self.set_key(*id);
                push_length(&mut expected, self.key.len());
            }
            push_length(&mut expected, ROW_BYTES);
            if ids.len() > 1 {
                expected.extend_from_slice(&self.key);
            }
            expected.extend_from_slice(self.users.row(*id, version).joined());
        }
        let found = compare(&expected, input).unwrap_or_else(|| reply_end(input, ids.len() > 1));
        self.expected = expected;
        found
    }
}

/// Finds the end of a reply that is not the expected one.
fn reply_end(input: &[u8], many: bool) -> Judgement {
    let Some(code) = input.first() else { return Judgement::Incomplete };
    if *code != DONE {
        // Of `mget` a number follows whatever the code.
        let bytes = if many { 1 + LENGTH_BYTES } else { 1 };
        return match input.len() >= bytes {
            true => Judgement::Reply(bytes, Verdict::Refused),
            false => Judgement::Incomplete,
        };
    }
    let mut at = 1;
    let records = if many {
        at += LENGTH_BYTES;
        length_at(input, 1)
    } else {
        Some(1)
    };
    let Some(records) = records else { return Judgement::Incomplete };
    for _ in 0..records {
        let lengths = if many { 2 } else { 1 };
        let mut bytes = 0;
        for _ in 0..lengths {
            let Some(length) = length_at(input, at) else { return Judgement::Incomplete };
            bytes += length;
            at += LENGTH_BYTES;
        }
        at += bytes;
    }
    if at > input.len() { Judgement::Incomplete } else { Judgement::Reply(at, Verdict::Wrong) }
}

impl Writer for Tyrant {
    fn set(&mut self, id: u32, row: &User, out: &mut Vec<u8>) {
        self.set_key(id);
        push_put(out, &self.key, row.joined());
    }

    fn stored(&mut self, _id: u32, input: &[u8]) -> Judgement {
        judge_put(input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: Users = Users { seed: 1, rows: 10 };

    fn reply(ids: &[u32]) -> Vec<u8> {
        let mut reply = vec![DONE];
        if ids.len() > 1 {
            push_length(&mut reply, ids.len());
        }
        for id in ids {
            let key = format!("user:{id}");
            if ids.len() > 1 {
                push_length(&mut reply, key.len());
            }
            push_length(&mut reply, ROW_BYTES);
            if ids.len() > 1 {
                reply.extend_from_slice(key.as_bytes());
            }
            reply.extend_from_slice(USERS.row(*id, 0).joined());
        }
        reply
    }

    #[test]
    fn a_right_reply_is_right_and_its_prefixes_are_incomplete() {
        let mut protocol = Tyrant::new(USERS);
        for ids in [&[3][..], &[3, 4]] {
            let reply = reply(ids);
            assert_eq!(protocol.got(ids, 0, &reply), Judgement::Reply(reply.len(), Verdict::Right));
            for cut in 0..reply.len() {
                assert_eq!(
                    protocol.got(ids, 0, &reply[..cut]),
                    Judgement::Incomplete,
                    "cut at {cut}"
                );
            }
            let other: Vec<u32> = ids.iter().map(|id| id + 1).collect();
            let wrong = Judgement::Reply(reply.len(), Verdict::Wrong);
            assert_eq!(protocol.got(&other, 0, &reply), wrong);
        }
    }

    #[test]
    fn a_miss_and_a_failure_are_refused() {
        let mut protocol = Tyrant::new(USERS);
        assert_eq!(protocol.got(&[3], 0, &[1, 9]), Judgement::Reply(1, Verdict::Refused));
        assert_eq!(
            protocol.got(&[3, 4], 0, &[1, 0, 0, 0, 0]),
            Judgement::Reply(5, Verdict::Refused)
        );
        assert_eq!(protocol.got(&[3, 4], 0, &[0; 5]), Judgement::Reply(5, Verdict::Wrong));
        assert_eq!(protocol.stored(3, &[1]), Judgement::Reply(1, Verdict::Refused));
        assert_eq!(protocol.stored(3, &[0]), Judgement::Reply(1, Verdict::Right));
    }
}
