//! The echo server's language: a line of a row's length comes back as it was sent.

use super::{Judgement, Reader, compare, line_end};
use crate::generator::Verdict;
use crate::users::Users;

/// Sends rows and expects them back: what any server with sockets could reach at most.
pub struct EchoSession {
    users: Users,
    expected: Vec<u8>,
}

impl EchoSession {
    /// An echo of rows of these users.
    pub fn new(users: Users) -> EchoSession {
        EchoSession { users, expected: Vec::new() }
    }

    fn write(users: &Users, ids: &[u32], version: u32, out: &mut Vec<u8>) {
        for id in ids {
            out.extend_from_slice(users.row(*id, version).joined());
        }
        out.push(b'\n');
    }
}

impl Reader for EchoSession {
    fn get(&mut self, ids: &[u32], out: &mut Vec<u8>) {
        Self::write(&self.users, ids, 0, out);
    }

    fn got(&mut self, ids: &[u32], version: u32, input: &[u8]) -> Judgement {
        self.expected.clear();
        Self::write(&self.users, ids, version, &mut self.expected);
        compare(&self.expected, input).unwrap_or_else(|| match line_end(input) {
            Some(bytes) => Judgement::Reply(bytes, Verdict::Wrong),
            None => Judgement::Incomplete,
        })
    }
}
