//! A cache in front of a database, as applications build it, with its races: a reader that missed
//! may put an old row into the cache after a writer has deleted the copy.

use super::keys::push_get;
use super::tables::Sql;
use super::{Answer, Door, Step, judged, take_value};
use crate::experiments::game::session::Turn;
use crate::experiments::game::world::{World, account_key, player_key};
use crate::generator::Lanes;
use crate::protocols::memcached::{self, Value, push_store};

/// Where a step with a cache in front stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
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
    state: Aside,
}

const CACHE: usize = 0;
const DATABASE: usize = 1;

impl CacheAside {
    /// A client before its first step.
    pub fn new() -> CacheAside {
        CacheAside { state: Aside::Cache }
    }

    fn key(step: Step, turn: &Turn) -> Vec<u8> {
        match step {
            Step::Look => account_key("", &turn.player.email),
            Step::Read | Step::Write => player_key("", turn.id),
        }
    }

    fn ask_database(&mut self, step: Step, turn: &Turn, lanes: &mut Lanes) {
        self.state = Aside::Database;
        Sql { lane: DATABASE }.ask(step, turn, lanes);
    }

    /// The database has answered: the cache follows.
    fn after_database(&mut self, step: Step, turn: &Turn, lanes: &mut Lanes) {
        let key = Self::key(step, turn);
        let out = lanes.out(CACHE);
        if step == Step::Write {
            self.state = Aside::Delete;
            out.extend_from_slice(b"delete ");
            out.extend_from_slice(&key);
            out.extend_from_slice(b"\r\n");
            return;
        }
        self.state = Aside::Fill;
        let mut value = Vec::new();
        if step == Step::Look {
            World::account_value(&turn.account.0, &turn.account.1, &mut value);
        } else {
            World::player_value(&turn.player, &mut value);
        }
        push_store(out, "set", &key, None, &value);
    }
}

impl Door for CacheAside {
    fn ask(&mut self, step: Step, turn: &Turn, lanes: &mut Lanes) {
        if step == Step::Write {
            self.ask_database(step, turn, lanes);
        } else {
            self.state = Aside::Cache;
            push_get(lanes.out(CACHE), &Self::key(step, turn));
        }
    }

    fn answer(
        &mut self,
        step: Step,
        turn: &mut Turn,
        _lane: usize,
        input: &[u8],
        lanes: &mut Lanes,
    ) -> Answer {
        match self.state {
            Aside::Cache => match memcached::value(input) {
                Value::Incomplete => Answer::Incomplete,
                Value::Refused(bytes) => Answer::Refused(bytes),
                Value::Hit { value, bytes, .. } => take_value(step, turn, value, bytes),
                Value::Miss(bytes) => {
                    self.ask_database(step, turn, lanes);
                    Answer::More(bytes)
                }
            },
            Aside::Database => match Sql::take(step, turn, input) {
                Answer::Done(bytes) => {
                    self.after_database(step, turn, lanes);
                    Answer::More(bytes)
                }
                other => other,
            },
            Aside::Fill => judged(memcached::judge_line(b"STORED\r\n", input)),
            Aside::Delete => {
                // Somebody else may have deleted it before.
                let absent = b"NOT_FOUND\r\n";
                if input.starts_with(absent) {
                    return Answer::Done(absent.len());
                }
                judged(memcached::judge_line(b"DELETED\r\n", input))
            }
        }
    }
}
