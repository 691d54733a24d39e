//! A cache in front of a database, as applications build it, with its races: a reader that missed
//! may put an old row into the cache after a writer has deleted the copy.

use super::keys::push_get;
use super::tables::Sql;
use super::{DoorAnswer, GameDoor, TransactionStep, judged, take_value};
use crate::experiments::game::session::GameTurn;
use crate::experiments::game::world::{World, account_key, player_key};
use crate::generator::Lanes;
use crate::protocols::memcached::{self, MemcachedValue, push_store};

/// Where a step with a cache in front stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AsideState {
    /// The cache was asked.
    Cache,
    /// The database was asked.
    Database,
    /// What the database said is being put into the cache.
    Fill,
    /// The database has the change; the cached copy is being deleted.
    Delete,
}

/// Read-through, delete on update: what applications do, with its races.
pub struct CacheAside {
    state: AsideState,
}

const CACHE: usize = 0;
const DATABASE: usize = 1;

impl CacheAside {
    /// A client before its first step.
    pub fn new() -> CacheAside {
        CacheAside { state: AsideState::Cache }
    }

    fn key(step: TransactionStep, turn: &GameTurn) -> Vec<u8> {
        match step {
            TransactionStep::Look => account_key("", &turn.player.email),
            TransactionStep::Read | TransactionStep::Write => player_key("", turn.id),
        }
    }

    fn ask_database(&mut self, step: TransactionStep, turn: &GameTurn, lanes: &mut Lanes) {
        self.state = AsideState::Database;
        Sql { lane: DATABASE }.ask(step, turn, lanes);
    }

    /// The database has answered: the cache follows.
    fn after_database(&mut self, step: TransactionStep, turn: &GameTurn, lanes: &mut Lanes) {
        let key = Self::key(step, turn);
        let out = lanes.out(CACHE);
        if step == TransactionStep::Write {
            self.state = AsideState::Delete;
            out.extend_from_slice(b"delete ");
            out.extend_from_slice(&key);
            out.extend_from_slice(b"\r\n");
            return;
        }
        self.state = AsideState::Fill;
        let mut value = Vec::new();
        if step == TransactionStep::Look {
            World::account_value(&turn.account.0, &turn.account.1, &mut value);
        } else {
            World::player_value(&turn.player, &mut value);
        }
        push_store(out, "set", &key, None, &value);
    }
}

impl GameDoor for CacheAside {
    fn ask(&mut self, step: TransactionStep, turn: &GameTurn, lanes: &mut Lanes) {
        if step == TransactionStep::Write {
            self.ask_database(step, turn, lanes);
        } else {
            self.state = AsideState::Cache;
            push_get(lanes.out(CACHE), &Self::key(step, turn));
        }
    }

    fn answer(
        &mut self,
        step: TransactionStep,
        turn: &mut GameTurn,
        _lane: usize,
        input: &[u8],
        lanes: &mut Lanes,
    ) -> DoorAnswer {
        match self.state {
            AsideState::Cache => match memcached::value(input) {
                MemcachedValue::Incomplete => DoorAnswer::Incomplete,
                MemcachedValue::Refused(bytes) => DoorAnswer::Refused(bytes),
                MemcachedValue::Hit { value, bytes, .. } => take_value(step, turn, value, bytes),
                MemcachedValue::Miss(bytes) => {
                    self.ask_database(step, turn, lanes);
                    DoorAnswer::More(bytes)
                }
            },
            AsideState::Database => match Sql::take(step, turn, input) {
                DoorAnswer::Done(bytes) => {
                    self.after_database(step, turn, lanes);
                    DoorAnswer::More(bytes)
                }
                other => other,
            },
            AsideState::Fill => judged(memcached::judge_line(b"STORED\r\n", input)),
            AsideState::Delete => {
                // Somebody else may have deleted it before.
                let absent = b"NOT_FOUND\r\n";
                if input.starts_with(absent) {
                    return DoorAnswer::Done(absent.len());
                }
                judged(memcached::judge_line(b"DELETED\r\n", input))
            }
        }
    }
}
