//! HandlerSocket: find by primary key, IN lists, insert, find and modify; authentication.
//!
//! Index number 1 of a connection is `user.PRIMARY` with name, email and creation time opened;
//! index number 2, for inserts, has the id before them.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::{Judgement, Reader, Writer, compare, line_end};
use crate::generator::Verdict;
use crate::users::{User, Users, push_number};

/// The columns that look-ups read, as `P` wants them.
pub const USER_COLUMNS: &str = "user_name,user_email,created";

/// A server that does not answer the opening of an index in this time is left out.
const REPLY_WAIT: Duration = Duration::from_secs(10);

/// Rows of `user` by primary key.
pub struct HandlerSocketSession {
    users: Users,
    expected: Vec<u8>,
}

impl HandlerSocketSession {
    /// Look-ups and updates of these users' rows.
    pub fn new(users: Users) -> HandlerSocketSession {
        HandlerSocketSession { users, expected: Vec::new() }
    }
}

/// Connects, authenticates if there is a secret, and opens the listed indexes, in order: each is
/// `number TAB database TAB table TAB index TAB columns`.
pub fn connect(port: u16, secret: Option<&str>, indexes: &[String]) -> Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port)).context("HandlerSocket connect")?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(REPLY_WAIT))?;
    let mut replies = BufReader::new(stream.try_clone()?);
    let mut ask = |request: String| -> Result<()> {
        (&stream).write_all(request.as_bytes())?;
        let mut line = String::new();
        replies.read_line(&mut line)?;
        ensure!(line == "0\t1\n", "HandlerSocket answered {line:?} to {request:?}");
        Ok(())
    };
    if let Some(secret) = secret {
        ask(format!("A\t1\t{secret}\n"))?;
    }
    for index in indexes {
        ask(format!("P\t{index}\n"))?;
    }
    stream.set_read_timeout(None)?;
    Ok(stream)
}

/// The index that `HandlerSocketSession` uses, for `connect`.
pub fn user_index(database: &str) -> String {
    format!("1\t{database}\tuser\tPRIMARY\t{USER_COLUMNS}")
}

/// The index that inserts use, for `connect`: number 2, all columns.
pub fn insert_index(database: &str) -> String {
    format!("2\t{database}\tuser\tPRIMARY\tuser_id,{USER_COLUMNS}")
}

impl Reader for HandlerSocketSession {
    fn get(&mut self, ids: &[u32], out: &mut Vec<u8>) {
        if let [id] = ids {
            out.extend_from_slice(b"1\t=\t1\t");
            push_number(out, u64::from(*id));
        } else {
            out.extend_from_slice(b"1\t=\t1\t\t");
            push_number(out, ids.len() as u64);
            out.extend_from_slice(b"\t0\t@\t0\t");
            push_number(out, ids.len() as u64);
            for id in ids {
                out.push(b'\t');
                push_number(out, u64::from(*id));
            }
        }
        out.push(b'\n');
    }

    fn got(&mut self, ids: &[u32], version: u32, input: &[u8]) -> Judgement {
        self.expected.clear();
        self.expected.extend_from_slice(b"0\t3");
        for id in ids {
            self.expected.push(b'\t');
            self.expected.extend_from_slice(self.users.row(*id, version).joined());
        }
        self.expected.push(b'\n');
        judge_line(&self.expected, input)
    }
}

impl Writer for HandlerSocketSession {
    fn set(&mut self, id: u32, row: &User, out: &mut Vec<u8>) {
        out.extend_from_slice(b"1\t=\t1\t");
        push_number(out, u64::from(id));
        out.extend_from_slice(b"\t1\t0\tU\t");
        out.extend_from_slice(row.joined());
        out.push(b'\n');
    }

    fn stored(&mut self, _id: u32, input: &[u8]) -> Judgement {
        judge_line(b"0\t1\t1\n", input)
    }

    fn insert(&mut self, id: u32, row: &User, out: &mut Vec<u8>) {
        out.extend_from_slice(b"2\t+\t4\t");
        push_number(out, u64::from(id));
        out.push(b'\t');
        out.extend_from_slice(row.joined());
        out.push(b'\n');
    }

    fn inserted(&mut self, _id: u32, input: &[u8]) -> Judgement {
        judge_line(b"0\t1\n", input)
    }
}

/// Judges a reply by the line that must come.
pub fn judge_line(expected: &[u8], input: &[u8]) -> Judgement {
    compare(expected, input).unwrap_or_else(|| match line_end(input) {
        Some(bytes) if input.starts_with(b"0\t") => Judgement::Reply(bytes, Verdict::Wrong),
        Some(bytes) => Judgement::Reply(bytes, Verdict::Refused),
        None => Judgement::Incomplete,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: Users = Users { seed: 1, rows: 10 };

    #[test]
    fn a_right_reply_is_right_and_its_prefixes_are_incomplete() {
        let mut protocol = HandlerSocketSession::new(USERS);
        let rows = [3, 4].map(|id| USERS.row(id, 0).joined().to_vec()).join(&b'\t');
        let reply = [b"0\t3\t", &rows[..], b"\n"].concat();
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
        let mut protocol = HandlerSocketSession::new(USERS);
        assert_eq!(protocol.got(&[3], 0, b"0\t3\n"), Judgement::Reply(4, Verdict::Wrong));
        let refused = b"2\t1\tstmtnum\n";
        assert_eq!(
            protocol.got(&[3], 0, refused),
            Judgement::Reply(refused.len(), Verdict::Refused)
        );
    }

    #[test]
    fn requests_are_written_as_the_protocol_has_them() {
        let mut protocol = HandlerSocketSession::new(USERS);
        let mut out = Vec::new();
        protocol.get(&[7], &mut out);
        protocol.get(&[7, 8, 9], &mut out);
        assert_eq!(out, b"1\t=\t1\t7\n1\t=\t1\t\t3\t0\t@\t0\t3\t7\t8\t9\n");
    }
}
