//! Commands to row operations: the conversation, and the order of checks.
//!
//! Invariants
//! 1. A request that would wait in a loop leaves no byte in `out` and nothing in the group.
//! 2. Checks run in the original's order, so a client with several mistakes hears of the same
//!    one first. Those that the original does not know, of privileges, come when it is known what
//!    a request wants.
//!
//! Not here: finds (`find`), writes (`modify`), lines (`decode`), answers (`encode`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use memchr::memchr;
use resources::interrupt;
use rows::cache::{KeyBatch, PREFETCH_MAX};
use rows::{Engine, Error};
use sql::DoorProcess;
use tls::Encryption;

use crate::conversation::{Conversation, Next, Turn, Urgency};
use crate::foreign;
use crate::handlersocket::command::{
    HandlerSocketCommand, HandlerSocketRefusal, IndexRequest, VALUES_MAX, find_op,
};
use crate::handlersocket::decode::{self, unescape};
use crate::handlersocket::encode;
use crate::handlersocket::handle::Handle;
use crate::input::Input;
use crate::logins::{DoorClient, DoorLogins, LoginOutcome};

/// Longest line; a longer one is answered and the connection closed.
pub const LINE_BYTES_MAX: usize = 64 << 20;
/// Highest number an index can be opened under.
pub const HANDLES_MAX: u32 = 65_535;
/// Requests of one connection in one turn, so that others get theirs.
const REQUESTS_PER_TURN: usize = 256;
/// Bytes of replies after which the turn ends.
const OUT_BYTES_PER_TURN: usize = 256 * 1024;

/// What a port allows.
#[derive(Clone, Debug)]
pub struct PortAccess {
    /// Whether writes are allowed (the port 9999).
    pub writable: bool,
    /// The secret to be shown first, if there is one. An account's password does as well.
    pub secret: Option<String>,
    /// How clients come in, and whom those act as that show the secret or need none.
    pub logins: Arc<DoorLogins>,
}

/// One client's conversation.
pub struct HandlerSocket {
    access: Arc<PortAccess>,
    client: DoorClient,
    handles: BTreeMap<u32, Handle>,
    /// Bytes in front of the input in which no line ends, so that a long line that comes in
    /// pieces is searched once.
    searched: usize,
    /// Requests answered in this turn.
    answered: usize,
    /// Whether one of them wrote into the group, or met what others wrote into it.
    wrote: bool,
    /// Requests in front of the input whose rows were fetched ahead.
    ahead: usize,
    /// A buffer for keys that are read soon.
    batch: KeyBatch,
}

/// How a request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerTime {
    /// At once.
    Now,
    /// After the group's commit.
    AfterCommit,
}

/// Why a request was not answered by its result.
pub(super) enum HandlerSocketFailure {
    /// With an error reply.
    Refused(HandlerSocketRefusal),
    /// With an error reply that comes so late.
    Denied(Duration),
    /// Not at all: it must be repeated where waiting is allowed.
    Wait,
    /// The table changed after its handle was refreshed: repeat at once.
    Outdated,
}

impl From<HandlerSocketRefusal> for HandlerSocketFailure {
    fn from(refusal: HandlerSocketRefusal) -> HandlerSocketFailure {
        HandlerSocketFailure::Refused(refusal)
    }
}

impl From<Error> for HandlerSocketFailure {
    fn from(error: Error) -> HandlerSocketFailure {
        HandlerSocketFailure::Refused(match error {
            Error::WouldWait(_) => return HandlerSocketFailure::Wait,
            Error::SchemaChanged => return HandlerSocketFailure::Outdated,
            other => refusal_for(&other),
        })
    }
}

/// The original's number for an engine error.
fn refusal_for(error: &Error) -> HandlerSocketRefusal {
    match error {
        Error::Duplicate { .. } => HandlerSocketRefusal::DUPLICATE,
        Error::NoMemory | Error::TransactionTooLarge { .. } => HandlerSocketRefusal::MEMORY,
        Error::LockTimeout if interrupt::is_wanted() => HandlerSocketRefusal::INTERRUPTED,
        Error::Exhausted => HandlerSocketRefusal::EXHAUSTED,
        Error::LockTimeout | Error::WouldWait(_) | Error::LockedForReading { .. } => {
            HandlerSocketRefusal::LOCK_TIMEOUT
        }
        Error::Conflict => HandlerSocketRefusal::DEADLOCK,
        Error::TooLarge { .. }
        | Error::Value { .. }
        | Error::NullValue { .. }
        | Error::NullsKept { .. } => HandlerSocketRefusal::TOO_BIG,
        Error::NoParent { .. } => HandlerSocketRefusal::NO_PARENT,
        Error::HasChildren { .. }
        | Error::CascadeTooDeep { .. }
        | Error::CascadeDuplicate { .. } => HandlerSocketRefusal::HAS_CHILDREN,
        Error::Check { .. } | Error::Expression(_) => HandlerSocketRefusal::CHECK,
        Error::NotFound { .. }
        | Error::Exists { .. }
        | Error::Definition { .. }
        | Error::SchemaChanged => HandlerSocketRefusal::OPEN_TABLE,
        Error::Corrupt { .. } => HandlerSocketRefusal::DAMAGED,
        Error::Refused { .. } | Error::Newer { .. } => HandlerSocketRefusal::REFUSED,
        Error::DiskFull { .. } => HandlerSocketRefusal::DISK_FULL,
        Error::Store { .. } => HandlerSocketRefusal::STORE,
    }
}

impl HandlerSocket {
    /// A conversation at a port with this access; `peer`: `None` for a client of this machine.
    pub fn new(access: Arc<PortAccess>, peer: Option<IpAddr>) -> HandlerSocket {
        let logins = Arc::clone(&access.logins);
        let client = match access.secret {
            Some(_) => DoorClient::with_secret(logins, peer),
            None => DoorClient::new(logins, peer),
        };
        HandlerSocket {
            access,
            client,
            handles: BTreeMap::new(),
            searched: 0,
            answered: 0,
            wrote: false,
            ahead: 0,
            batch: KeyBatch::default(),
        }
    }

    /// Serves one line.
    fn line(
        &mut self,
        line: &[u8],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<AnswerTime, HandlerSocketFailure> {
        let command = match decode::command(line)? {
            // What is told late is told alone, behind the commit of what came before.
            HandlerSocketCommand::Auth { .. } if self.wrote => {
                return Err(HandlerSocketFailure::Wait);
            }
            HandlerSocketCommand::Auth { kind, key } => {
                return self.authorise(kind, key, out, turn.may_wait());
            }
            other => other,
        };
        if !self.client.is_in() {
            return Err(self.why_out().into());
        }
        self.client.renew();
        let counted = self.client.count_request(|| match &command {
            HandlerSocketCommand::Execute(request) => {
                request.op == b"+" || !request.modify.is_empty()
            }
            _ => false,
        });
        if counted.is_err() {
            return Err(HandlerSocketRefusal::LIMIT.into());
        }
        match command {
            HandlerSocketCommand::Open { id, database, table, index, columns, filter_columns } => {
                let opened = [database, table, index, columns, filter_columns];
                let handle = Handle::open(turn.engine(), &self.client, opened)?;
                if id > HANDLES_MAX {
                    return Err(HandlerSocketRefusal::HANDLE_LIMIT.into());
                }
                self.handles.insert(id, handle);
                encode::done(out);
                Ok(AnswerTime::Now)
            }
            HandlerSocketCommand::Execute(request) => self.execute(&request, out, turn),
            HandlerSocketCommand::Auth { .. } => unreachable!("answered above"),
        }
    }

    /// Why it may not ask for anything.
    fn why_out(&self) -> HandlerSocketRefusal {
        match self.client.beyond() {
            Some(_) => HandlerSocketRefusal::LIMIT,
            None => HandlerSocketRefusal::UNAUTHORISED,
        }
    }

    fn authorise(
        &mut self,
        kind: &[u8],
        key: &[u8],
        out: &mut Vec<u8>,
        may_wait: bool,
    ) -> Result<AnswerTime, HandlerSocketFailure> {
        if kind != b"1" {
            return Err(HandlerSocketRefusal::AUTH_KIND.into());
        }
        let key = unescape(key)?.unwrap_or_default();
        let (user, password) = match key.iter().position(|byte| *byte == b':') {
            Some(at) => (String::from_utf8_lossy(&key[..at]), Some(&key[at + 1..])),
            None => (Cow::Borrowed(""), None),
        };
        let is_secret = |secret: &String| same_secret(secret.as_bytes(), &key);
        let is_fresh = self.client.accounts().are_fresh();
        let is_in = match (&self.access.secret, password) {
            (Some(secret), _) if is_secret(secret) => self.client.show_secret(),
            // As the original has it: any key will do where none is needed. Where there are
            // accounts, what looks like a login is one.
            (None, None) => self.client.go_without(),
            (None, Some(_)) if is_fresh => self.client.go_without(),
            // An account without a password is no way around the secret.
            (Some(_), None | Some(b"")) => false,
            (_, Some(password)) => match self.client.log_in(&user, password, may_wait) {
                LoginOutcome::Accepted => true,
                LoginOutcome::Denied(delay) => return Err(HandlerSocketFailure::Denied(delay)),
                LoginOutcome::Limited => false,
                LoginOutcome::Wait => return Err(HandlerSocketFailure::Wait),
            },
        };
        if self.client.beyond().is_some() {
            return Err(HandlerSocketRefusal::LIMIT.into());
        }
        if !is_in {
            return Err(HandlerSocketFailure::Denied(self.client.deny(&user)));
        }
        encode::done(out);
        Ok(AnswerTime::Now)
    }

    fn execute(
        &mut self,
        request: &IndexRequest<'_>,
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<AnswerTime, HandlerSocketFailure> {
        let engine = turn.engine();
        let handle = self.handles.get_mut(&request.id).ok_or(HandlerSocketRefusal::HANDLE)?;
        handle.refresh(engine, &self.client)?;
        let values_max = match request.op {
            b"+" => VALUES_MAX.max(handle.columns.len()),
            _ => VALUES_MAX,
        };
        if request.announced > values_max {
            return Err(HandlerSocketRefusal::VALUES.into());
        }
        if let Some(list) = &request.list
            && (list.announced == 0 || list.came < list.announced)
        {
            return Err(HandlerSocketRefusal::IN_EMPTY.into());
        }
        for filter in &request.filters {
            if filter.kind.len() != 1 {
                return Err(HandlerSocketRefusal::FILTER_TYPE.into());
            }
            if filter.column as usize >= handle.filter_columns.len() {
                return Err(HandlerSocketRefusal::FILTER_COLUMN.into());
            }
        }
        let op = match request.op {
            b"+" | b"S" => None,
            token => Some(find_op(token).ok_or(HandlerSocketRefusal::OPERATOR)?),
        };
        if request.announced == 0 {
            return Err(HandlerSocketRefusal::KEY_EMPTY.into());
        }
        let Some(op) = op else {
            if request.op == b"S" {
                return Err(HandlerSocketRefusal::UNFINISHED.into());
            }
            if !self.access.writable {
                return Err(HandlerSocketRefusal::READ_ONLY.into());
            }
            handle.ask(request)?;
            return handle.insert(request, out, turn);
        };
        if !request.modify.is_empty() {
            if !self.access.writable {
                return Err(HandlerSocketRefusal::READ_ONLY.into());
            }
            if !matches!(request.modify[0], b'U' | b'D' | b'+' | b'-') {
                return Err(HandlerSocketRefusal::MODIFY.into());
            }
        }
        if request.announced > handle.table.own_parts(handle.index).len() {
            return Err(HandlerSocketRefusal::KEY_LONG.into());
        }
        handle.ask(request)?;
        let filters = handle.filters(request)?;
        if request.modify.is_empty() {
            if self.wrote {
                // The rows written in this turn are not visible yet.
                return Err(HandlerSocketFailure::Wait);
            }
            handle.find(request, op, &filters, out, turn)
        } else {
            handle.modify(request, op, &filters, out, turn)
        }
    }
}

impl Conversation for HandlerSocket {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        self.answered = 0;
        self.wrote = false;
        self.ahead = 0;
        if self.client.is_given_up() {
            return Next::Close;
        }
        let _work = self.client.begin_turn(turn.may_wait());
        let _memory = self.client.draw(turn.may_wait());
        let out_start = out.len();
        for _ in 0..REQUESTS_PER_TURN {
            let bytes = input.bytes();
            let Some(end) = memchr(b'\n', &bytes[self.searched..]) else {
                self.searched = bytes.len();
                if bytes.len() > LINE_BYTES_MAX && !self.wrote {
                    encode::refusal(HandlerSocketRefusal::LINE_LENGTH, out);
                    return Next::Close;
                }
                if !self.wrote && self.client.check_memory().is_err() {
                    encode::refusal(HandlerSocketRefusal::LIMIT, out);
                    return Next::Close;
                }
                return self.next_or(Next::Input);
            };
            let end = self.searched + end;
            if self.ahead == 0 {
                self.look_ahead(input.bytes(), turn.engine());
            }
            self.ahead -= 1;
            let line = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
            let mark = out.len();
            let served = loop {
                match self.line(line, out, turn) {
                    Err(HandlerSocketFailure::Outdated) => {
                        out.truncate(mark);
                        self.client.forget_accesses();
                    }
                    other => break other,
                }
            };
            // Of a request that is repeated later nothing is told yet.
            self.wrote |=
                turn.take_dependence() && !matches!(served, Err(HandlerSocketFailure::Wait));
            match served {
                Ok(AnswerTime::Now) => {}
                Ok(AnswerTime::AfterCommit) => self.wrote = true,
                // What comes behind it was written by a web page.
                Err(HandlerSocketFailure::Refused(HandlerSocketRefusal::COMMAND))
                    if foreign::begins(line) =>
                {
                    return self.next_or(Next::Close);
                }
                Err(HandlerSocketFailure::Refused(refusal)) => {
                    out.truncate(mark);
                    encode::refusal(refusal, out);
                }
                Err(HandlerSocketFailure::Denied(delay)) => {
                    encode::refusal(HandlerSocketRefusal::UNAUTHORISED, out);
                    input.consume(end + 1);
                    self.searched = 0;
                    turn.served(1);
                    return Next::Later(delay);
                }
                Err(HandlerSocketFailure::Wait | HandlerSocketFailure::Outdated) => {
                    out.truncate(mark);
                    self.client.forget_accesses();
                    return self.next_or(Next::Offload);
                }
            }
            input.consume(end + 1);
            self.client.end_request();
            self.searched = 0;
            self.answered += 1;
            turn.served(1);
            if out.len() - out_start > OUT_BYTES_PER_TURN {
                break;
            }
        }
        self.next_or(Next::Again)
    }

    fn urgency(&self, input: &Input) -> Urgency {
        match input.bytes() {
            // A login with a slow hash: a request that waits for a disk begins otherwise.
            [b'A', b'\t', ..] => Urgency::Handshake,
            _ => Urgency::Ordinary,
        }
    }

    fn is_known(&self) -> bool {
        self.client.is_in()
    }

    fn user(&self) -> Option<&str> {
        self.client.user()
    }

    fn note_answered(&mut self, took: Duration) {
        self.client.note_answered(took);
    }

    fn note_buffers(&mut self, bytes: usize) {
        self.client.note_buffers(bytes);
    }

    fn note_encryption(&mut self, encryption: &Arc<Encryption>) {
        self.client.note_encryption(encryption);
    }

    fn be_listed(&mut self, process: &Arc<DoorProcess>) {
        self.client.be_listed(process);
    }

    fn commit_failed(&mut self, error: &Error, out: &mut Vec<u8>) {
        // Also for those that did not write: their replies were cut off with the others.
        for _ in 0..self.answered {
            encode::refusal(refusal_for(error), out);
        }
    }
}

impl HandlerSocket {
    /// Has the rows fetched that the finds in front of the input ask for by primary key.
    fn look_ahead(&mut self, bytes: &[u8], engine: &Engine) {
        self.ahead = 0;
        self.batch.clear();
        let mut rest = bytes;
        while self.ahead < PREFETCH_MAX
            && let Some(end) = memchr(b'\n', rest)
        {
            let line = &rest[..end];
            rest = &rest[end + 1..];
            self.ahead += 1;
            if self.ahead == 1 && rest.is_empty() {
                return;
            }
            if let Some((id, key)) = decode::equal_key(line)
                && let Some(handle) = self.handles.get(&id)
            {
                self.batch.add(|out| handle.push_row_key(key, out));
            }
        }
        engine.cache().prefetch(self.batch.keys());
    }

    /// What the turn comes to: replies that depend on the group come before everything else.
    fn next_or(&self, next: Next) -> Next {
        if self.wrote { Next::Commit } else { next }
    }
}

/// Compares in a time that does not depend on where the difference is.
fn same_secret(secret: &[u8], shown: &[u8]) -> bool {
    secret.len() == shown.len()
        && secret.iter().zip(shown).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}
