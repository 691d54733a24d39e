//! One Tyrant client's conversation: takes turns, keeps the order.
//!
//! Invariants
//! 1. A request that must wait stays in the input, and nothing of it is in `out`.
//! 2. What makes no sense ends the connection without an answer, behind the answers to what came
//!    before it.
//!
//! Not here: requests (`decode`), what they do (`execute`).

use std::sync::Arc;

use rows::cache::{KeyBatch, PREFETCH_MAX};
use rows::error::Error;

use crate::conversation::{Conversation, Next, Turn};
use crate::input::Input;
use crate::tyrant::command::{Command, Failure, Trouble, failure_for};
use crate::tyrant::database::Database;
use crate::tyrant::decode::{self, Decoded, Decoder, MAGIC};
use crate::tyrant::encode::{self, FAILED};
use crate::tyrant::execute::{Cursor, Rows};
use crate::tyrant::shared::Shared;

/// Requests of one connection in one turn, so that others get theirs.
const REQUESTS_PER_TURN: usize = 256;
/// Bytes of replies after which the turn ends.
const OUT_BYTES_PER_TURN: usize = 256 * 1024;
/// Times a request is repeated because its table changes under it.
const REPEATS_MAX: usize = 16;

/// What a served request did to the conversation.
#[derive(Clone, Copy, Debug)]
enum Served {
    /// Not complete yet.
    More,
    /// Answered; it took so many bytes of the input.
    Done(usize, Failing),
    /// The connection ends; what is in `out` is sent first.
    Close,
}

/// How a request is told that it failed.
#[derive(Clone, Copy, Debug)]
enum Failing {
    /// Not at all.
    Silent,
    /// By the code.
    Code,
    /// By the code and an empty list.
    Misc,
}

impl Failing {
    fn of(command: &Command<'_>) -> Failing {
        match command {
            Command::Put { answered: false, .. } => Failing::Silent,
            Command::Misc { .. } => Failing::Misc,
            _ => Failing::Code,
        }
    }

    fn tell(self, out: &mut Vec<u8>) {
        match self {
            Failing::Silent => {}
            Failing::Code => out.push(FAILED),
            Failing::Misc => encode::misc_failed(out),
        }
    }
}

/// One client's conversation.
pub struct Tyrant {
    shared: Arc<Shared>,
    decoder: Decoder,
    /// The table, as of this turn or an earlier one.
    database: Option<Database>,
    cursor: Cursor,
    last_failure: Option<Failure>,
    /// Requests answered in this turn.
    answered: Vec<Failing>,
    /// Whether one of them wrote into the group, or met what others wrote into it.
    wrote: bool,
    /// Requests in front of the input whose rows were fetched ahead.
    ahead: usize,
    /// A buffer for row keys.
    row_key: Vec<u8>,
    /// A buffer for keys that are read soon.
    batch: KeyBatch,
}

impl Tyrant {
    /// A new client's conversation.
    pub fn new(shared: Arc<Shared>) -> Tyrant {
        Tyrant {
            decoder: Decoder::new(shared.options.request_bytes_max),
            shared,
            database: None,
            cursor: Cursor::default(),
            last_failure: None,
            answered: Vec::new(),
            wrote: false,
            ahead: 0,
            row_key: Vec::new(),
            batch: KeyBatch::default(),
        }
    }

    /// Serves the request in front.
    fn request(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<Served, Trouble> {
        if bytes[0] != MAGIC {
            return Ok(Served::Close);
        }
        let (command, consumed) = match self.decoder.decode(bytes) {
            Decoded::More => return Ok(Served::More),
            Decoded::Senseless => return Ok(Served::Close),
            Decoded::Request { command, consumed } => (command, consumed),
        };
        // What follows is no request: an old client has sent `copy`, and this its path's length.
        if matches!(command, Command::Vanish) && bytes.get(consumed) == Some(&0) {
            self.shared.log_refusal("vanish", "it is the copy of an old client");
            return Ok(Served::Close);
        }
        let failing = Failing::of(&command);
        let mark = out.len();
        let outcome = self.repeat(&command, bytes, out, turn);
        let failure = match outcome {
            Ok(()) => None,
            Err(Trouble::Failed(failure)) => Some(failure),
            Err(other) => return Err(other),
        };
        self.shared.counters.note(&command, failure.is_none());
        if failure.is_some() {
            out.truncate(mark);
            failing.tell(out);
            self.last_failure = failure;
        }
        Ok(Served::Done(consumed, failing))
    }

    /// Runs a command, again while tables change under it.
    fn repeat(
        &mut self,
        command: &Command<'_>,
        bytes: &[u8],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<(), Trouble> {
        let mark = out.len();
        for _ in 0..REPEATS_MAX {
            if !self.database.as_ref().is_some_and(Database::is_current) {
                self.database = None;
                let name = &self.shared.options.database;
                self.database = Some(Database::open(turn.engine(), name)?);
            }
            let mut rows = Rows {
                shared: &self.shared,
                database: self.database.as_ref().expect("opened above"),
                turn,
                wrote: &mut self.wrote,
                cursor: &mut self.cursor,
                last_failure: self.last_failure.as_ref(),
                row_key: &mut self.row_key,
                batch: &mut self.batch,
            };
            if self.ahead == 0 {
                self.ahead = look_ahead(bytes, &mut rows);
            }
            match rows.execute(command, out) {
                Err(Trouble::Outdated) => out.truncate(mark),
                other => return other,
            }
        }
        match turn.may_wait() {
            false => Err(Trouble::Wait),
            true => Err(Failure::Server("the table is being changed, try again".into()).into()),
        }
    }

    /// What the turn comes to: replies that depend on the group come before everything else.
    fn next_or(&self, next: Next) -> Next {
        if self.wrote { Next::Commit } else { next }
    }
}

/// Has the rows fetched that the `get`s in front of the input ask for; gives the number of
/// requests after which it is worth looking again.
fn look_ahead(mut bytes: &[u8], rows: &mut Rows<'_, '_>) -> usize {
    let mut keys = [&[][..]; PREFETCH_MAX];
    let mut count = 0;
    while count < PREFETCH_MAX
        && let Some((key, rest)) = decode::get_ahead(bytes)
    {
        keys[count] = key;
        count += 1;
        bytes = rest;
    }
    if count > 1 {
        rows.look_ahead(&mut keys[..count].iter().copied());
    }
    count.max(1)
}

impl Conversation for Tyrant {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        self.answered.clear();
        self.wrote = false;
        self.ahead = 0;
        let out_start = out.len();
        for _ in 0..REQUESTS_PER_TURN {
            if input.is_empty() {
                return self.next_or(Next::Input);
            }
            let mark = out.len();
            let served = self.request(input.bytes(), out, turn);
            // Of a request that is repeated later nothing is told yet.
            self.wrote |=
                turn.take_dependence() && !matches!(served, Err(Trouble::Wait | Trouble::Outdated));
            match served {
                Ok(Served::More) => return self.next_or(Next::Input),
                Ok(Served::Done(consumed, failing)) => {
                    input.consume(consumed);
                    self.ahead = self.ahead.saturating_sub(1);
                    self.answered.push(failing);
                    turn.served(1);
                }
                // What came before is committed first; then the request is met again.
                Ok(Served::Close) | Err(Trouble::Close) => {
                    out.truncate(mark);
                    return self.next_or(Next::Close);
                }
                Err(Trouble::Wait | Trouble::Outdated | Trouble::Failed(_)) => {
                    out.truncate(mark);
                    return self.next_or(Next::Offload);
                }
            }
            if out.len() - out_start > OUT_BYTES_PER_TURN {
                break;
            }
        }
        self.next_or(Next::Again)
    }

    fn commit_failed(&mut self, error: &Error, out: &mut Vec<u8>) {
        for failing in &self.answered {
            failing.tell(out);
        }
        self.last_failure = Some(failure_for(error));
    }
}
