//! Players and accounts as values under keys: memcached, Redis, Tyrant.

use super::{DoorAnswer, GameDoor, TransactionStep, judged, take_value};
use crate::experiments::game::session::GameTurn;
use crate::experiments::game::world::{Player, World, account_key, player_key};
use crate::generator::Lanes;
use crate::protocols::memcached::{self, MemcachedValue, push_store};
use crate::protocols::resp::{self, Scalar};
use crate::protocols::tyrant;

fn changed(player: &Player) -> Vec<u8> {
    let mut value = Vec::new();
    World::player_value(&Player { score: player.score + 1, ..player.clone() }, &mut value);
    value
}

/// memcached's keys.
pub struct CacheKeys {
    prefix: &'static str,
    cas: bool,
    /// The number that the last `gets` gave.
    number: u64,
    /// The write was too late and reads the player again.
    rereads: bool,
}

impl CacheKeys {
    /// Players and accounts under keys with this prefix.
    pub fn new(prefix: &'static str, cas: bool) -> CacheKeys {
        CacheKeys { prefix, cas, number: 0, rereads: false }
    }

    fn read(&self, turn: &GameTurn, out: &mut Vec<u8>) {
        let word = if self.cas { b"gets " } else { &b"get "[..] };
        out.extend_from_slice(word);
        out.extend_from_slice(&player_key(self.prefix, turn.id));
        out.extend_from_slice(b"\r\n");
    }

    fn write(&self, turn: &GameTurn, out: &mut Vec<u8>) {
        let (key, value) = (player_key(self.prefix, turn.id), changed(&turn.player));
        let (word, number) = if self.cas { ("cas", Some(self.number)) } else { ("set", None) };
        push_store(out, word, &key, number, &value);
    }

    fn take(&mut self, step: TransactionStep, turn: &mut GameTurn, input: &[u8]) -> DoorAnswer {
        match memcached::value(input) {
            MemcachedValue::Incomplete => DoorAnswer::Incomplete,
            MemcachedValue::Miss(bytes) => DoorAnswer::Absent(bytes),
            MemcachedValue::Refused(bytes) => DoorAnswer::Refused(bytes),
            MemcachedValue::Hit { value, cas, bytes } => {
                self.number = cas.unwrap_or(0);
                take_value(step, turn, value, bytes)
            }
        }
    }
}

impl GameDoor for CacheKeys {
    fn ask(&mut self, step: TransactionStep, turn: &GameTurn, lanes: &mut Lanes) {
        let out = lanes.out(0);
        match step {
            TransactionStep::Read => self.read(turn, out),
            TransactionStep::Write => self.write(turn, out),
            TransactionStep::Look => push_get(out, &account_key(self.prefix, &turn.player.email)),
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
        if step != TransactionStep::Write {
            return self.take(step, turn, input);
        }
        if self.rereads {
            let answer = self.take(step, turn, input);
            if let DoorAnswer::Done(bytes) = answer {
                self.rereads = false;
                self.write(turn, lanes.out(0));
                return DoorAnswer::More(bytes);
            }
            return answer;
        }
        const TOO_LATE: &[u8] = b"EXISTS\r\n";
        if self.cas && input.starts_with(TOO_LATE) {
            self.rereads = true;
            self.read(turn, lanes.out(0));
            return DoorAnswer::More(TOO_LATE.len());
        }
        judged(memcached::judge_line(b"STORED\r\n", input))
    }
}

/// Appends a `get`.
pub fn push_get(out: &mut Vec<u8>, key: &[u8]) {
    out.extend_from_slice(b"get ");
    out.extend_from_slice(key);
    out.extend_from_slice(b"\r\n");
}

/// Redis's keys.
pub struct RedisKeys;

impl GameDoor for RedisKeys {
    fn ask(&mut self, step: TransactionStep, turn: &GameTurn, lanes: &mut Lanes) {
        let out = lanes.out(0);
        let player = player_key("", turn.id);
        match step {
            TransactionStep::Read => resp::push_command(out, &[b"GET", &player]),
            TransactionStep::Write => {
                resp::push_command(out, &[b"SET", &player, &changed(&turn.player)]);
            }
            TransactionStep::Look => {
                resp::push_command(out, &[b"GET", &account_key("", &turn.player.email)]);
            }
        }
    }

    fn answer(
        &mut self,
        step: TransactionStep,
        turn: &mut GameTurn,
        _lane: usize,
        input: &[u8],
        _lanes: &mut Lanes,
    ) -> DoorAnswer {
        match resp::scalar(input) {
            Scalar::Incomplete => DoorAnswer::Incomplete,
            Scalar::Nil(bytes) => DoorAnswer::Absent(bytes),
            Scalar::Refused(bytes) => DoorAnswer::Refused(bytes),
            Scalar::Text(b"OK", bytes) if step == TransactionStep::Write => DoorAnswer::Done(bytes),
            Scalar::Text(_, bytes) if step == TransactionStep::Write => DoorAnswer::Refused(bytes),
            Scalar::Text(value, bytes) => take_value(step, turn, value, bytes),
        }
    }
}

/// Records at a Tyrant door.
pub struct TyrantKeys;

impl GameDoor for TyrantKeys {
    fn ask(&mut self, step: TransactionStep, turn: &GameTurn, lanes: &mut Lanes) {
        let out = lanes.out(0);
        let player = player_key("", turn.id);
        match step {
            TransactionStep::Read => tyrant::push_get(out, &player),
            TransactionStep::Write => tyrant::push_put(out, &player, &changed(&turn.player)),
            TransactionStep::Look => tyrant::push_get(out, &account_key("", &turn.player.email)),
        }
    }

    fn answer(
        &mut self,
        step: TransactionStep,
        turn: &mut GameTurn,
        _lane: usize,
        input: &[u8],
        _lanes: &mut Lanes,
    ) -> DoorAnswer {
        if step == TransactionStep::Write {
            return judged(tyrant::judge_put(input));
        }
        match tyrant::value(input) {
            tyrant::TyrantValue::Incomplete => DoorAnswer::Incomplete,
            tyrant::TyrantValue::Miss(bytes) => DoorAnswer::Absent(bytes),
            tyrant::TyrantValue::Hit(value, bytes) => take_value(step, turn, value, bytes),
        }
    }
}
