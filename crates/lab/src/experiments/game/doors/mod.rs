//! How each variant reads a player, writes it back and looks an account up.
//!
//! Writes do what a careful application would do at that door: SQL and HandlerSocket add in one
//! operation; `gets+cas` tries again when somebody else was quicker; `get+set` writes back what was
//! read plus one, which loses updates under concurrency, and the lab counts how many.

mod cache_aside;
mod keys;
mod tables;

use super::session::GameTurn;
use super::world::World;
use crate::generator::{Lanes, Verdict};
use crate::protocols::Judgement;
use cache_aside::CacheAside;
use keys::{CacheKeys, RedisKeys, TyrantKeys};
use tables::{HandlerSocketTable, Sql};

/// The three steps of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionStep {
    /// Read the player.
    Read,
    /// Write it back, changed.
    Write,
    /// Look the account up.
    Look,
}

/// What came of the unread bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoorAnswer {
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
pub trait GameDoor: Send {
    /// Writes the step's first request.
    fn ask(&mut self, step: TransactionStep, turn: &GameTurn, lanes: &mut Lanes);

    /// Takes a reply.
    fn answer(
        &mut self,
        step: TransactionStep,
        turn: &mut GameTurn,
        lane: usize,
        input: &[u8],
        lanes: &mut Lanes,
    ) -> DoorAnswer;
}

/// memcached alone.
pub fn keys(prefix: &'static str, cas: bool) -> Box<dyn GameDoor> {
    Box::new(CacheKeys::new(prefix, cas))
}

/// Redis alone.
pub fn redis() -> Box<dyn GameDoor> {
    Box::new(RedisKeys)
}

/// Tyrant's binary protocol.
pub fn tyrant() -> Box<dyn GameDoor> {
    Box::new(TyrantKeys)
}

/// Statements in text.
pub fn sql() -> Box<dyn GameDoor> {
    Box::new(Sql { lane: 0 })
}

/// HandlerSocket: lane 0 reads, lane 1 writes.
pub fn handlersocket() -> Box<dyn GameDoor> {
    Box::new(HandlerSocketTable)
}

/// memcached (lane 0) in front of SQL (lane 1).
pub fn cache_aside() -> Box<dyn GameDoor> {
    Box::new(CacheAside::new())
}

/// What `handlersocket` opens at the reading and at the writing port.
pub fn handlersocket_indexes(database: &str) -> (Vec<String>, Vec<String>) {
    let player = format!("1\t{database}\tplayer\tPRIMARY\temail,score,note");
    let account = format!("2\t{database}\taccount\tPRIMARY\taccount_id,note");
    let score = format!("1\t{database}\tplayer\tPRIMARY\tscore");
    (vec![player, account], vec![score])
}

fn judged(found: Judgement) -> DoorAnswer {
    match found {
        Judgement::Incomplete => DoorAnswer::Incomplete,
        Judgement::Reply(bytes, Verdict::Right) => DoorAnswer::Done(bytes),
        Judgement::Reply(bytes, _) => DoorAnswer::Refused(bytes),
    }
}

/// Puts a value into the turn.
fn take_value(
    step: TransactionStep,
    turn: &mut GameTurn,
    value: &[u8],
    bytes: usize,
) -> DoorAnswer {
    if step == TransactionStep::Look {
        match World::parse_account(value) {
            Some((id, note)) => turn.account = (id.to_vec(), note.to_vec()),
            None => return DoorAnswer::Refused(bytes),
        }
    } else {
        match World::parse_player(value) {
            Some(player) => turn.player = player,
            None => return DoorAnswer::Refused(bytes),
        }
    }
    DoorAnswer::Done(bytes)
}
