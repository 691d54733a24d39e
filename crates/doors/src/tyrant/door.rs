//! One Tyrant client's conversation: takes turns, keeps the order.
//!
//! Invariants
//! 1. A request that must wait stays in the input, and nothing of it is in `out`.
//! 2. What makes no sense ends the connection without an answer, behind the answers to what came
//!    before it.
//!
//! 3. The first byte of each request says in which protocol it is: `C8` is binary, a letter begins
//!    a line of text or of HTTP.
//!
//! Not here: requests (`decode`, `text`, `http`), what they do (`execute`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use access::rights::NOTHING;
use memchr::memchr;
use resources::interrupt::{self, Interrupt};
use rows::cache::{KeyBatch, PREFETCH_MAX};
use rows::error::Error;
use sql::DoorProcess;
use tls::Encryption;

use crate::conversation::{Conversation, LeaveNotice, Next, Turn, Urgency};
use crate::input::Input;
use crate::logins::DoorClient;
use crate::tyrant::command::{TyrantCommand, TyrantFailure, TyrantTrouble, failure_for};
use crate::tyrant::database::{Database, prepare};
use crate::tyrant::decode::{self, DecodedRequest, Decoder, MAGIC};
use crate::tyrant::encode::{self, FAILED};
use crate::tyrant::execute::{KeyCursor, TyrantRows};
use crate::tyrant::http::{self, Expects, HttpRequest};
use crate::tyrant::login::{HttpLogin, HttpLoginOutcome};
use crate::tyrant::shared::TyrantShared;
use crate::tyrant::text;

/// Requests of one connection in one turn, so that others get theirs.
const REQUESTS_PER_TURN: usize = 256;
/// Bytes of replies after which the turn ends.
const OUT_BYTES_PER_TURN: usize = 256 * 1024;
/// Most bytes of a line of text, and of the first line of an HTTP request.
const LINE_BYTES_MAX: usize = 64 * 1024;
/// Times a request is repeated because its table changes under it.
const REPEATS_MAX: usize = 16;

/// What a served request did to the conversation.
#[derive(Clone, Copy, Debug)]
enum TyrantStep {
    /// Not complete yet.
    More,
    /// Answered.
    Done {
        /// Bytes of the input that it took.
        consumed: usize,
        /// How it is told when the group's commit fails.
        failing: FailureReply,
        /// Whether the connection ends behind it.
        closes: bool,
    },
    /// A login has failed: the answer leaves so late, and nothing else with it.
    Denied {
        /// Bytes of the input that it took.
        consumed: usize,
        /// How late.
        delay: Duration,
    },
    /// The connection ends; what is in `out` is sent first.
    Close,
}

/// Whether a client is still there, and waits for what it has asked for.
#[derive(Debug, Default)]
struct Presence {
    has_left: AtomicBool,
    process: OnceLock<Arc<DoorProcess>>,
}

impl Presence {
    fn end(&self) {
        self.has_left.store(true, Ordering::Relaxed);
    }
}

impl Interrupt for Presence {
    fn is_wanted(&self) -> bool {
        self.has_left.load(Ordering::Relaxed)
            || self.process.get().is_some_and(|process| process.is_wanted())
    }
}

/// How a request is told that it failed.
#[derive(Clone, Copy, Debug)]
enum FailureReply {
    /// Not at all.
    Silent,
    /// By the code.
    Code,
    /// By the code and an empty list.
    Misc,
    /// By a line of text.
    Line,
    /// By a status of HTTP, without a body if it answers HEAD.
    Status {
        /// Whether it does.
        head: bool,
    },
}

impl FailureReply {
    fn of(command: &TyrantCommand<'_>) -> FailureReply {
        match command {
            TyrantCommand::Put { answered: false, .. } => FailureReply::Silent,
            TyrantCommand::Misc { .. } => FailureReply::Misc,
            _ => FailureReply::Code,
        }
    }

    fn tell(self, failure: &TyrantFailure, out: &mut Vec<u8>) {
        match self {
            FailureReply::Silent => {}
            FailureReply::Code => out.push(FAILED),
            FailureReply::Misc => encode::misc_failed(out),
            FailureReply::Line => text::failed(failure, out),
            FailureReply::Status { head } => http::failed(failure, head, out),
        }
    }
}

/// One client's conversation.
pub struct Tyrant {
    shared: Arc<TyrantShared>,
    /// The client as it is without a login.
    client: DoorClient,
    /// The client as its HTTP requests say who it is.
    http_login: Option<Box<HttpLogin>>,
    /// Whether the request in front does so.
    says_who: bool,
    /// Whether the request in front waits for its login to be proved.
    proves: bool,
    decoder: Decoder,
    /// The table, as of this turn or an earlier one.
    database: Option<Database>,
    cursor: KeyCursor,
    last_failure: Option<TyrantFailure>,
    /// Requests answered in this turn.
    answered: Vec<FailureReply>,
    /// Whether one of them wrote into the group, or met what others wrote into it.
    wrote: bool,
    /// Whether the connection ends as soon as what it was told is committed.
    closing: bool,
    /// Whether the client of the HTTP request in front was told to send its body.
    continued: bool,
    /// Whether a client that ends its sending has left: those of memcached's text may wait for
    /// answers still.
    leaves: bool,
    presence: Arc<Presence>,
    /// Requests in front of the input whose rows were fetched ahead.
    ahead: usize,
    /// A buffer for row keys.
    row_key: Vec<u8>,
    /// A buffer for keys that are read soon.
    batch: KeyBatch,
}

impl Tyrant {
    /// A new client's conversation.
    pub fn new(shared: Arc<TyrantShared>, client: DoorClient) -> Tyrant {
        Tyrant {
            decoder: Decoder::new(shared.options.request_bytes_max),
            shared,
            client,
            http_login: None,
            says_who: false,
            proves: false,
            database: None,
            cursor: KeyCursor::default(),
            last_failure: None,
            answered: Vec::new(),
            wrote: false,
            closing: false,
            continued: false,
            leaves: false,
            presence: Arc::default(),
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
    ) -> Result<TyrantStep, TyrantTrouble> {
        self.leaves = true;
        self.says_who = false;
        if bytes[0] == MAGIC {
            return self.binary(bytes, out, turn);
        }
        if !bytes[0].is_ascii_alphabetic() {
            return Ok(TyrantStep::Close);
        }
        let Some(end) = memchr(b'\n', &bytes[..bytes.len().min(LINE_BYTES_MAX)]) else {
            return Ok(if bytes.len() < LINE_BYTES_MAX {
                TyrantStep::More
            } else {
                TyrantStep::Close
            });
        };
        match http::is_request_line(&bytes[..end]) {
            true => self.http(bytes, out, turn),
            false => {
                self.leaves = false;
                self.text(bytes, end, out, turn)
            }
        }
    }

    /// Tells a client whose account has more memory than it may, while its request is still coming;
    /// whether it has.
    fn refuse_large(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> bool {
        let client = acting(&mut self.client, &mut self.http_login, self.says_who);
        let Err(reached) = client.check_memory() else { return false };
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let failing = match bytes[0] {
            MAGIC => FailureReply::Code,
            _ if http::is_request_line(line) => FailureReply::Status { head: false },
            _ => FailureReply::Line,
        };
        failing.tell(&TyrantFailure::Limited(reached.to_string()), out);
        true
    }

    fn binary(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<TyrantStep, TyrantTrouble> {
        let (command, consumed) = match self.decoder.decode(bytes) {
            DecodedRequest::More => return Ok(TyrantStep::More),
            DecodedRequest::Senseless => return Ok(TyrantStep::Close),
            DecodedRequest::Request { command, consumed } => (command, consumed),
        };
        // What follows is no request: an old client has sent `copy`, and this its path's length.
        if matches!(command, TyrantCommand::Vanish) && bytes.get(consumed) == Some(&0) {
            self.shared.log_refusal("vanish", "it is the copy of an old client");
            return Ok(TyrantStep::Close);
        }
        let failing = FailureReply::of(&command);
        let served_as = (failing, command.is_update());
        let done = self.serve(served_as, &command.name(), out, turn, &mut |rows, ahead, out| {
            if *ahead == 0 {
                *ahead = look_ahead(bytes, rows);
            }
            rows.execute(&command, out)
        })?;
        self.shared.counters.note(&command, done);
        Ok(TyrantStep::Done { consumed, failing, closes: false })
    }

    fn text(
        &mut self,
        bytes: &[u8],
        end: usize,
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<TyrantStep, TyrantTrouble> {
        let (command, consumed) =
            match text::decode(bytes, end, self.shared.options.request_bytes_max) {
                DecodedRequest::More => return Ok(TyrantStep::More),
                DecodedRequest::Senseless => return Ok(TyrantStep::Close),
                DecodedRequest::Request { command, consumed } => (command, consumed),
            };
        let failing = if command.is_answered() { FailureReply::Line } else { FailureReply::Silent };
        self.serve((failing, command.is_update()), "text", out, turn, &mut |rows, _, out| {
            text::execute(&command, rows, out)
        })?;
        Ok(TyrantStep::Done { consumed, failing, closes: command.closes() })
    }

    fn http(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
    ) -> Result<TyrantStep, TyrantTrouble> {
        let (request, consumed) = match http::decode(bytes, self.shared.options.request_bytes_max) {
            (DecodedRequest::More, Expects(expects)) => {
                // Asked once: a client that waits for it sends its body then.
                if expects && !std::mem::replace(&mut self.continued, true) {
                    out.extend_from_slice(http::CONTINUE);
                }
                return Ok(TyrantStep::More);
            }
            (DecodedRequest::Senseless, _) => return Ok(TyrantStep::Close),
            (DecodedRequest::Request { command, consumed }, _) => (command, consumed),
        };
        let failing = FailureReply::Status { head: request.is_head() };
        self.continued = false;
        let done = TyrantStep::Done { consumed, failing, closes: request.closes() };
        if http::refuse(&request, &self.shared, out) {
            return Ok(done);
        }
        match self.log_in(&request, turn.may_wait())? {
            HttpLoginOutcome::Accepted => {}
            HttpLoginOutcome::Denied(delay) => {
                http::unauthorized(request.is_head(), out);
                self.closing |= request.closes();
                return Ok(TyrantStep::Denied { consumed, delay });
            }
            HttpLoginOutcome::Limited => {
                self.refuse_limited(failing, out);
                return Ok(done);
            }
            HttpLoginOutcome::Wait => return Err(TyrantTrouble::Wait),
        }
        // Whose they are is known only now.
        self.note_buffers(bytes.len());
        if !acting(&mut self.client, &mut self.http_login, self.says_who).is_in() {
            http::unauthorized(request.is_head(), out);
            return Ok(done);
        }
        self.serve(
            (failing, request.is_update()),
            "HTTP request",
            out,
            turn,
            &mut |rows, _, out| http::execute(&request, rows, out),
        )?;
        Ok(done)
    }

    /// Looks at what a request says of its client.
    fn log_in(
        &mut self,
        request: &HttpRequest<'_>,
        may_wait: bool,
    ) -> Result<HttpLoginOutcome, TyrantTrouble> {
        let Some(said) = request.authorization() else { return Ok(HttpLoginOutcome::Accepted) };
        self.says_who = true;
        let client = &self.client;
        let login =
            self.http_login.get_or_insert_with(|| Box::new(HttpLogin::new(client.unknown())));
        if login.knows(said) {
            return Ok(HttpLoginOutcome::Accepted);
        }
        // What is told late is told alone, behind the commit of what came before.
        if self.wrote {
            return Err(TyrantTrouble::Wait);
        }
        let outcome = login.prove(said, may_wait);
        self.proves = outcome == HttpLoginOutcome::Wait;
        Ok(outcome)
    }

    /// Runs a request and tells its failure; `false` when it failed.
    fn serve(
        &mut self,
        (failing, is_update): (FailureReply, bool),
        name: &str,
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
        run: &mut RunRequest<'_>,
    ) -> Result<bool, TyrantTrouble> {
        let mark = out.len();
        let client = acting(&mut self.client, &mut self.http_login, self.says_who);
        client.renew();
        if let Err(reached) = client.count_request(|| is_update) {
            let failure = TyrantFailure::Limited(reached.to_string());
            failing.tell(&failure, out);
            self.last_failure = Some(failure);
            return Ok(false);
        }
        match self.repeat(out, turn, run) {
            Ok(()) => Ok(true),
            Err(TyrantTrouble::Failed(failure)) => {
                out.truncate(mark);
                failing.tell(&failure, out);
                self.shared.log_failure(name, &failure);
                self.last_failure = Some(failure);
                Ok(false)
            }
            Err(other) => Err(other),
        }
    }

    /// Tells the client of the request in front which limit keeps it out.
    fn refuse_limited(&mut self, failing: FailureReply, out: &mut Vec<u8>) {
        let client = acting(&mut self.client, &mut self.http_login, self.says_who);
        let why = client.beyond().map(ToString::to_string).unwrap_or_default();
        failing.tell(&TyrantFailure::Limited(why), out);
    }

    /// Runs a request, again while tables change under it.
    fn repeat(
        &mut self,
        out: &mut Vec<u8>,
        turn: &mut Turn<'_>,
        run: &mut RunRequest<'_>,
    ) -> Result<(), TyrantTrouble> {
        let mark = out.len();
        for _ in 0..REPEATS_MAX {
            if !self.database.as_ref().is_some_and(Database::is_current) {
                self.database = None;
                self.database = Some(self.open(turn)?);
            }
            let client = acting(&mut self.client, &mut self.http_login, self.says_who);
            let rights = client.rights();
            if let Some(reached) = client.beyond() {
                return Err(TyrantFailure::Limited(reached.to_string()).into());
            }
            if rights.number == NOTHING {
                return Err(TyrantFailure::Denied.into());
            }
            if let Some(database) = &mut self.database {
                database.allow(client);
            }
            let mut rows = TyrantRows {
                shared: &self.shared,
                database: self.database.as_ref().expect("opened above"),
                turn,
                wrote: &mut self.wrote,
                reads_own: false,
                cursor: &mut self.cursor,
                last_failure: self.last_failure.as_ref(),
                reply: None,
                row_key: &mut self.row_key,
                batch: &mut self.batch,
            };
            match run(&mut rows, &mut self.ahead, out) {
                Err(TyrantTrouble::Outdated) => {
                    out.truncate(mark);
                    acting(&mut self.client, &mut self.http_login, self.says_who).forget_accesses();
                }
                other => return other,
            }
        }
        match turn.may_wait() {
            false => Err(TyrantTrouble::Wait),
            true => {
                Err(TyrantFailure::Server("the table is being changed, try again".into()).into())
            }
        }
    }

    /// Looks the table up; one of the door's own that somebody has dropped is made again.
    fn open(&self, turn: &mut Turn<'_>) -> Result<Database, TyrantTrouble> {
        let name = &self.shared.options.database;
        if name.is_missing(turn.engine()) && name.is_own() {
            if self.wrote || !turn.may_wait_for_writers() {
                return Err(TyrantTrouble::Wait);
            }
            prepare(turn.engine(), name)?;
        }
        Ok(Database::open(turn.engine(), name, &access::rights::NONE)?)
    }

    /// What the turn comes to: replies that depend on the group come before everything else.
    fn next_or(&self, next: Next) -> Next {
        if self.wrote { Next::Commit } else { next }
    }
}

/// The client that the request in front is from.
fn acting<'c>(
    client: &'c mut DoorClient,
    http_login: &'c mut Option<Box<HttpLogin>>,
    says_who: bool,
) -> &'c mut DoorClient {
    match http_login {
        Some(login) if says_who => &mut login.client,
        _ => client,
    }
}

/// What a request does with rows; told of how many requests rows were fetched ahead.
type RunRequest<'r> =
    dyn FnMut(&mut TyrantRows<'_, '_>, &mut usize, &mut Vec<u8>) -> Result<(), TyrantTrouble> + 'r;

/// Has the rows fetched that the `get`s in front of the input ask for; gives the number of
/// requests after which it is worth looking again.
fn look_ahead(mut bytes: &[u8], rows: &mut TyrantRows<'_, '_>) -> usize {
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
        self.proves = false;
        let is_given_up = self.http_login.as_ref().is_some_and(|login| login.client.is_given_up());
        if self.closing || is_given_up {
            return Next::Close;
        }
        let _work = self.client.begin_turn(turn.may_wait());
        let _working = turn.may_wait().then(|| interrupt::working(self.presence.clone()));
        let client = acting(&mut self.client, &mut self.http_login, self.says_who);
        let _memory = client.draw(turn.may_wait());
        let out_start = out.len();
        for _ in 0..REQUESTS_PER_TURN {
            if input.is_empty() {
                return self.next_or(Next::Input);
            }
            let mark = out.len();
            let served = self.request(input.bytes(), out, turn);
            // Of a request that is repeated later nothing is told yet.
            self.wrote |= turn.take_dependence()
                && !matches!(served, Err(TyrantTrouble::Wait | TyrantTrouble::Outdated));
            match served {
                Ok(TyrantStep::More) if !self.wrote && self.refuse_large(input.bytes(), out) => {
                    return Next::Close;
                }
                Ok(TyrantStep::More) => return self.next_or(Next::Input),
                Ok(TyrantStep::Done { consumed, failing, closes }) => {
                    input.consume(consumed);
                    acting(&mut self.client, &mut self.http_login, self.says_who).end_request();
                    self.client.outlive_kill();
                    self.ahead = self.ahead.saturating_sub(1);
                    self.answered.push(failing);
                    turn.served(1);
                    if closes {
                        self.closing = true;
                        return self.next_or(Next::Close);
                    }
                }
                Ok(TyrantStep::Denied { consumed, delay }) => {
                    input.consume(consumed);
                    turn.served(1);
                    return Next::Later(delay);
                }
                // What came before is committed first; then this is met again.
                Ok(TyrantStep::Close) | Err(TyrantTrouble::Close) => {
                    out.truncate(mark);
                    return self.next_or(Next::Close);
                }
                Err(TyrantTrouble::Wait | TyrantTrouble::Outdated | TyrantTrouble::Failed(_)) => {
                    out.truncate(mark);
                    acting(&mut self.client, &mut self.http_login, self.says_who).forget_accesses();
                    return self.next_or(Next::Offload);
                }
            }
            if out.len() - out_start > OUT_BYTES_PER_TURN {
                break;
            }
        }
        self.next_or(Next::Again)
    }

    fn urgency(&self, _input: &Input) -> Urgency {
        // A login may have a slow hash to prove.
        if self.proves { Urgency::Handshake } else { Urgency::Ordinary }
    }

    fn is_known(&self) -> bool {
        self.client.is_in() || self.http_login.as_ref().is_some_and(|login| login.client.is_in())
    }

    fn user(&self) -> Option<&str> {
        let of_http = self.http_login.as_ref().and_then(|login| login.client.user());
        of_http.or_else(|| self.client.user())
    }

    fn note_answered(&mut self, took: Duration) {
        self.client.note_answered(took);
        if let Some(login) = &mut self.http_login {
            login.client.note_answered(took);
        }
    }

    fn note_buffers(&mut self, bytes: usize) {
        let of_login = if self.says_who && self.http_login.is_some() { bytes } else { 0 };
        self.client.note_buffers(bytes - of_login);
        if let Some(login) = &mut self.http_login {
            login.client.note_buffers(of_login);
        }
    }

    fn note_encryption(&mut self, encryption: &Arc<Encryption>) {
        self.client.note_encryption(encryption);
    }

    fn be_listed(&mut self, process: &Arc<DoorProcess>) {
        self.client.be_listed(process);
        // Told once.
        let _ = self.presence.process.set(Arc::clone(process));
    }

    fn leave(&self) -> Option<LeaveNotice> {
        let presence = self.presence.clone();
        self.leaves.then(|| -> LeaveNotice { Arc::new(move || presence.end()) })
    }

    fn commit_failed(&mut self, error: &Error, out: &mut Vec<u8>) {
        let failure = failure_for(error);
        for failing in &self.answered {
            failing.tell(&failure, out);
        }
        self.last_failure = Some(failure);
    }
}
