//! The peers' languages: one file each, an encoder of requests and a judge of replies.
//!
//! Each protocol has a form that looks up rows of `user` and one that replaces them, so that all
//! are asked the same. A judge compares with the expected bytes first, which is what happens in a
//! good run; only a reply that differs is parsed, to find its end and to tell errors from lies.
//!
//! Not here: sockets and time (`generator`), what to ask and how often (`experiments`).

pub mod echo;
pub mod handlersocket;
pub mod memcached;
pub mod mysql;
pub mod resp;
pub mod tyrant;

use crate::generator::Verdict;
use crate::users::User;

/// What a judge found at the start of the unread bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// No whole reply yet.
    Incomplete,
    /// A whole reply of this many bytes.
    Reply(usize, Verdict),
}

/// Looks up rows of `user` by id.
pub trait Reader: Send {
    /// Appends one request for these ids (one, or a batch of different ones).
    fn get(&mut self, ids: &[u32], out: &mut Vec<u8>);

    /// Judges the reply to `get` of the same ids, whose rows must be of this version.
    fn got(&mut self, ids: &[u32], version: u32, input: &[u8]) -> Judgement;
}

/// Replaces and inserts rows of `user` by id.
pub trait Writer: Send {
    /// Appends one request that stores this row.
    fn set(&mut self, id: u32, row: &User, out: &mut Vec<u8>);

    /// Judges the reply to `set`.
    fn stored(&mut self, id: u32, input: &[u8]) -> Judgement;

    /// Appends one request that adds a row which is not there yet.
    fn insert(&mut self, id: u32, row: &User, out: &mut Vec<u8>) {
        self.set(id, row, out);
    }

    /// Judges the reply to `insert`.
    fn inserted(&mut self, id: u32, input: &[u8]) -> Judgement {
        self.stored(id, input)
    }
}

/// Compares with the bytes that must come. `None`: they differ, and parsing has to find the end.
fn compare(expected: &[u8], input: &[u8]) -> Option<Judgement> {
    if input.len() >= expected.len() {
        input.starts_with(expected).then_some(Judgement::Reply(expected.len(), Verdict::Right))
    } else {
        expected.starts_with(input).then_some(Judgement::Incomplete)
    }
}

/// Length of the first line with its line feed.
pub(crate) fn line_end(input: &[u8]) -> Option<usize> {
    input.iter().position(|byte| *byte == b'\n').map(|at| at + 1)
}
