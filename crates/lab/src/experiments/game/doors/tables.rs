//! Players and accounts as rows of tables: SQL in text, HandlerSocket.

use super::{DoorAnswer, GameDoor, TransactionStep, judged};
use crate::experiments::game::session::GameTurn;
use crate::experiments::game::world::Player;
use crate::generator::Lanes;
use crate::protocols::handlersocket as hs;
use crate::protocols::mysql::{ReplyOutcome, judge_affected, lenenc_bytes, outcome, push_packet};
use crate::users::parse_number;

const COM_QUERY: u8 = 3;

/// Statements in text.
pub struct Sql {
    /// Where they go.
    pub lane: usize,
}

impl Sql {
    fn statement(step: TransactionStep, turn: &GameTurn) -> String {
        let id = turn.id;
        match step {
            TransactionStep::Read => {
                format!("SELECT email, score, note FROM player WHERE player_id={id}")
            }
            TransactionStep::Write => {
                format!("UPDATE player SET score=score+1 WHERE player_id={id}")
            }
            TransactionStep::Look => {
                let email = String::from_utf8_lossy(&turn.player.email);
                format!("SELECT account_id, note FROM account WHERE email='{email}'")
            }
        }
    }

    /// Takes a reply.
    pub fn take(step: TransactionStep, turn: &mut GameTurn, input: &[u8]) -> DoorAnswer {
        if step == TransactionStep::Write {
            return judged(judge_affected(outcome(input, &mut |_| {}), 1));
        }
        let mut right = false;
        let seen = outcome(input, &mut |mut payload| {
            let mut columns = Vec::new();
            while let Some((column, rest)) = lenenc_bytes(payload) {
                columns.push(column);
                payload = rest;
            }
            match (step, &columns[..]) {
                (TransactionStep::Read, [email, score, note]) => {
                    let (email, note) = (email.to_vec(), note.to_vec());
                    if let Some(score) = parse_number(score) {
                        turn.player = Player { email, score, note };
                        right = true;
                    }
                }
                (TransactionStep::Look, [id, note]) => {
                    turn.account = (id.to_vec(), note.to_vec());
                    right = true;
                }
                _ => {}
            }
        });
        match seen {
            ReplyOutcome::Incomplete => DoorAnswer::Incomplete,
            ReplyOutcome::Rows { bytes, rows: 0 } => DoorAnswer::Absent(bytes),
            ReplyOutcome::Rows { bytes, rows: 1 } if right => DoorAnswer::Done(bytes),
            ReplyOutcome::Rows { bytes, .. }
            | ReplyOutcome::Done { bytes, .. }
            | ReplyOutcome::LocalFile { bytes }
            | ReplyOutcome::Refused { bytes, .. } => DoorAnswer::Refused(bytes),
        }
    }
}

impl GameDoor for Sql {
    fn ask(&mut self, step: TransactionStep, turn: &GameTurn, lanes: &mut Lanes) {
        push_packet(lanes.out(self.lane), 0, |out| {
            out.push(COM_QUERY);
            out.extend_from_slice(Self::statement(step, turn).as_bytes());
        });
    }

    fn answer(
        &mut self,
        step: TransactionStep,
        turn: &mut GameTurn,
        _lane: usize,
        input: &[u8],
        _lanes: &mut Lanes,
    ) -> DoorAnswer {
        Self::take(step, turn, input)
    }
}

/// HandlerSocket: lane 0 reads, lane 1 writes.
pub struct HandlerSocketTable;

impl GameDoor for HandlerSocketTable {
    fn ask(&mut self, step: TransactionStep, turn: &GameTurn, lanes: &mut Lanes) {
        let id = turn.id;
        match step {
            TransactionStep::Read => {
                lanes.out(0).extend_from_slice(format!("1\t=\t1\t{id}\n").as_bytes());
            }
            TransactionStep::Write => {
                let request = format!("1\t=\t1\t{id}\t1\t0\t+\t1\n");
                lanes.out(1).extend_from_slice(request.as_bytes());
            }
            TransactionStep::Look => {
                let out = lanes.out(0);
                out.extend_from_slice(b"2\t=\t1\t");
                out.extend_from_slice(&turn.player.email);
                out.push(b'\n');
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
        if step == TransactionStep::Write {
            return judged(hs::judge_line(b"0\t1\t1\n", input));
        }
        let Some(end) = input.iter().position(|byte| *byte == b'\n') else {
            return DoorAnswer::Incomplete;
        };
        let bytes = end + 1;
        let tokens: Vec<&[u8]> = input[..end].split(|byte| *byte == b'\t').collect();
        match (step, &tokens[..]) {
            (_, [b"0", _]) => DoorAnswer::Absent(bytes),
            (TransactionStep::Read, [b"0", b"3", email, score, note]) => {
                match parse_number(score) {
                    Some(score) => {
                        turn.player = Player { email: email.to_vec(), score, note: note.to_vec() };
                        DoorAnswer::Done(bytes)
                    }
                    None => DoorAnswer::Refused(bytes),
                }
            }
            (TransactionStep::Look, [b"0", b"2", id, note]) => {
                turn.account = (id.to_vec(), note.to_vec());
                DoorAnswer::Done(bytes)
            }
            _ => DoorAnswer::Refused(bytes),
        }
    }
}
