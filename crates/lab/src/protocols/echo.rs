//! The echo server's language: a line of a row's length comes back as it was sent.

use super::{Found, Reader, compare, line_end};
use crate::generator::Verdict;
use crate::users::Users;

/// Sends rows and expects them back: what any server with sockets could reach at most.
pub struct Echo {
    users: Users,
    expected: Vec<u8>,
}

impl Echo {
    /// An echo of rows of these users.
    pub fn new(users: Users) -> Echo {
        Echo { users, expected: Vec::new() }
    }

    fn write(users: &Users, ids: &[u32], version: u32, out: &mut Vec<u8>) {
        for id in ids {
            out.extend_from_slice(users.row(*id, version).joined());
        }
        out.push(b'\n');
    }
}

impl Reader for Echo {
    fn get(&mut self, ids: &[u32], out: &mut Vec<u8>) {
        Self::write(&self.users, ids, 0, out);
    }

    fn got(&mut self, ids: &[u32], version: u32, input: &[u8]) -> Found {
        self.expected.clear();
        Self::write(&self.users, ids, version, &mut self.expected);
        compare(&self.expected, input).unwrap_or_else(|| match line_end(input) {
            Some(bytes) => Found::Reply(bytes, Verdict::Wrong),
            None => Found::Incomplete,
        })
    }
}
