//! Players and accounts as values under keys: memcached, Redis, Tyrant.

use super::{Answer, Door, Step, judged, take_value};
use crate::experiments::game::session::Turn;
use crate::experiments::game::world::{Player, World, account_key, player_key};
use crate::generator::Lanes;
use crate::protocols::memcached::{self, Value, push_store};
use crate::protocols::resp::{self, Scalar};
use crate::protocols::tyrant;

fn changed(player: &Player) -> Vec<u8> {
    let mut value = Vec::new();
    World::player_value(&Player { score: player.score + 1, ..player.clone() }, &mut value);
    value
}

/// memcached's keys.
pub struct Keys {
    prefix: &'static str,
    cas: bool,
    /// The number that the last `gets` gave.
    number: u64,
    /// The write was too late and reads the player anew.
    rereads: bool,
}

impl Keys {
    /// Players and accounts under keys with this prefix.
    pub fn new(prefix: &'static str, cas: bool) -> Keys {
        Keys { prefix, cas, number: 0, rereads: false }
    }

    fn read(&self, turn: &Turn, out: &mut Vec<u8>) {
        let word = if self.cas { b"gets " } else { &b"get "[..] };
        out.extend_from_slice(word);
        out.extend_from_slice(&player_key(self.prefix, turn.id));
        out.extend_from_slice(b"\r\n");
    }

    fn write(&self, turn: &Turn, out: &mut Vec<u8>) {
        let (key, value) = (player_key(self.prefix, turn.id), changed(&turn.player));
        let (word, number) = if self.cas { ("cas", Some(self.number)) } else { ("set", None) };
        push_store(out, word, &key, number, &value);
    }

    fn take(&mut self, step: Step, turn: &mut Turn, input: &[u8]) -> Answer {
        match memcached::value(input) {
            Value::Incomplete => Answer::Incomplete,
            Value::Miss(bytes) => Answer::Absent(bytes),
            Value::Refused(bytes) => Answer::Refused(bytes),
            Value::Hit { value, cas, bytes } => {
                self.number = cas.unwrap_or(0);
                take_value(step, turn, value, bytes)
            }
        }
    }
}

impl Door for Keys {
    fn ask(&mut self, step: Step, turn: &Turn, lanes: &mut Lanes) {
        let out = lanes.out(0);
        match step {
            Step::Read => self.read(turn, out),
            Step::Write => self.write(turn, out),
            Step::Look => push_get(out, &account_key(self.prefix, &turn.player.email)),
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
        if step != Step::Write {
            return self.take(step, turn, input);
        }
        if self.rereads {
            let answer = self.take(step, turn, input);
            if let Answer::Done(bytes) = answer {
                self.rereads = false;
                self.write(turn, lanes.out(0));
                return Answer::More(bytes);
            }
            return answer;
        }
        const TOO_LATE: &[u8] = b"EXISTS\r\n";
        if self.cas && input.starts_with(TOO_LATE) {
            self.rereads = true;
            self.read(turn, lanes.out(0));
            return Answer::More(TOO_LATE.len());
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

impl Door for RedisKeys {
    fn ask(&mut self, step: Step, turn: &Turn, lanes: &mut Lanes) {
        let out = lanes.out(0);
        let player = player_key("", turn.id);
        match step {
            Step::Read => resp::push_command(out, &[b"GET", &player]),
            Step::Write => {
                resp::push_command(out, &[b"SET", &player, &changed(&turn.player)]);
            }
            Step::Look => {
                resp::push_command(out, &[b"GET", &account_key("", &turn.player.email)]);
            }
        }
    }

    fn answer(
        &mut self,
        step: Step,
        turn: &mut Turn,
        _lane: usize,
        input: &[u8],
        _lanes: &mut Lanes,
    ) -> Answer {
        match resp::scalar(input) {
            Scalar::Incomplete => Answer::Incomplete,
            Scalar::Nil(bytes) => Answer::Absent(bytes),
            Scalar::Refused(bytes) => Answer::Refused(bytes),
            Scalar::Text(b"OK", bytes) if step == Step::Write => Answer::Done(bytes),
            Scalar::Text(_, bytes) if step == Step::Write => Answer::Refused(bytes),
            Scalar::Text(value, bytes) => take_value(step, turn, value, bytes),
        }
    }
}

/// Records at a Tyrant door.
pub struct TyrantKeys;

impl Door for TyrantKeys {
    fn ask(&mut self, step: Step, turn: &Turn, lanes: &mut Lanes) {
        let out = lanes.out(0);
        let player = player_key("", turn.id);
        match step {
            Step::Read => tyrant::push_get(out, &player),
            Step::Write => tyrant::push_put(out, &player, &changed(&turn.player)),
            Step::Look => tyrant::push_get(out, &account_key("", &turn.player.email)),
        }
    }

    fn answer(
        &mut self,
        step: Step,
        turn: &mut Turn,
        _lane: usize,
        input: &[u8],
        _lanes: &mut Lanes,
    ) -> Answer {
        if step == Step::Write {
            return judged(tyrant::judge_put(input));
        }
        match tyrant::value(input) {
            tyrant::Value::Incomplete => Answer::Incomplete,
            tyrant::Value::Miss(bytes) => Answer::Absent(bytes),
            tyrant::Value::Hit(value, bytes) => take_value(step, turn, value, bytes),
        }
    }
}
