//! How each variant reads a player, writes it back and looks an account up.
//!
//! Writes do what a careful application would do at that door: SQL and HandlerSocket add in one
//! operation; `gets+cas` tries again when somebody else was quicker; `get+set` writes back what was
//! read plus one, which loses updates under concurrency, and the lab counts how many.

mod cache_aside;
mod keys;
mod tables;

use super::session::Turn;
use super::world::World;
use crate::generator::{Lanes, Verdict};
use crate::protocols::Found;
use cache_aside::CacheAside;
use keys::{Keys, RedisKeys, TyrantKeys};
use tables::{HandlerSocket, Sql};

/// The three steps of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Read the player.
    Read,
    /// Write it back, changed.
    Write,
    /// Look the account up.
    Look,
}

/// What came of the unread bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// No whole reply yet.
    Incomplete,
    /// A whole reply of this many bytes; the step needs another, which was asked for.
    More(usize),
    /// The step is done; what it read is in the turn.
    Done(usize),
    /// There is no such row.
    Absent(usize),
    /// An error.
    Refused(usize),
}

/// One connection of a variant.
pub trait Door: Send {
    /// Writes the step's first request.
    fn ask(&mut self, step: Step, turn: &Turn, lanes: &mut Lanes);

    /// Takes a reply.
    fn answer(
        &mut self,
        step: Step,
        turn: &mut Turn,
        lane: usize,
        input: &[u8],
        lanes: &mut Lanes,
    ) -> Answer;
}

/// memcached alone.
pub fn keys(prefix: &'static str, cas: bool) -> Box<dyn Door> {
    Box::new(Keys::new(prefix, cas))
}

/// Redis alone.
pub fn redis() -> Box<dyn Door> {
    Box::new(RedisKeys)
}

/// Tyrant's binary protocol.
pub fn tyrant() -> Box<dyn Door> {
    Box::new(TyrantKeys)
}

/// Statements in text.
pub fn sql() -> Box<dyn Door> {
    Box::new(Sql { lane: 0 })
}

/// HandlerSocket: lane 0 reads, lane 1 writes.
pub fn handlersocket() -> Box<dyn Door> {
    Box::new(HandlerSocket)
}

/// memcached (lane 0) in front of SQL (lane 1).
pub fn cache_aside() -> Box<dyn Door> {
    Box::new(CacheAside::new())
}

/// What `handlersocket` opens at the reading and at the writing port.
pub fn handlersocket_indexes(database: &str) -> (Vec<String>, Vec<String>) {
    let player = format!("1\t{database}\tplayer\tPRIMARY\temail,score,note");
    let account = format!("2\t{database}\taccount\tPRIMARY\taccount_id,note");
    let score = format!("1\t{database}\tplayer\tPRIMARY\tscore");
    (vec![player, account], vec![score])
}

fn judged(found: Found) -> Answer {
    match found {
        Found::Incomplete => Answer::Incomplete,
        Found::Reply(bytes, Verdict::Right) => Answer::Done(bytes),
        Found::Reply(bytes, _) => Answer::Refused(bytes),
    }
}

/// Puts a value into the turn.
fn take_value(step: Step, turn: &mut Turn, value: &[u8], bytes: usize) -> Answer {
    if step == Step::Look {
        match World::parse_account(value) {
            Some((id, note)) => turn.account = (id.to_vec(), note.to_vec()),
            None => return Answer::Refused(bytes),
        }
    } else {
        match World::parse_player(value) {
            Some(player) => turn.player = player,
            None => return Answer::Refused(bytes),
        }
    }
    Answer::Done(bytes)
}
