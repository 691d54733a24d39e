//! One client's conversation as a state machine over bytes.
//!
//! ```text
//! Greeted -> LoggingIn -> Ready <-> Query (between two statements of one packet)
//!    \___________________/   ^ \--> Rows  (rows not all written)
//!                            |  \-> File  (a file's content is coming in)
//!                            \----- LoggingIn (COM_CHANGE_USER)
//! ```
//!
//! Invariants
//! 1. A command's packet stays in front until its last reply is written, except while a file
//!    comes in: then the rest of the query's text is kept apart.
//! 2. What would wait is left as it is and repeated by the next turn.
//! 3. A write that joined the turn's group is the turn's only reply, so that one error can take
//!    its place when the commit fails.
//! 4. A broken packet stream is answered once and closed: nothing behind it can be trusted.
//!
//! Not here: what commands do (`execute`), how a client logs in (`login`).

use std::net::IpAddr;
use std::sync::Arc;

use access::audit::AuditEvent;
use access::{AccountName, AccountSeat};
use passwords::Scramble;
use results::{ExecutionMode, SqlError};
use rows::Group;
use sql::{LoadLocal, Sql};
use tls::Encryption;
use values::ErrorCode;

use crate::conversation::{Conversation, LeaveNotice, Next, Pending, Report, Turn, Urgency};
use crate::failed_logins::FailedLogins;
use crate::input::Input;

use super::auth::{self, Users};
use super::command::MysqlCommand;
use super::decode;
use super::encode;
use super::execute::{Link, ReplyRows, StepOutcome, WriteProgress, malformed};
use super::frame::{FrameError, FrameReader, Packets, StreamPiece};
use super::handshake;
use super::login::LoggingIn;
use super::reports::Reports;

/// Commands served in one turn before other connections have theirs.
const COMMANDS_PER_TURN_MAX: usize = 64;
/// The largest packet of a client that has not logged in yet.
const LOGIN_BYTES_MAX: usize = 64 * 1024;
/// The largest packet by default, MySQL's `max_allowed_packet`.
const PACKET_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What all connections of a server's MySQL door share.
pub struct MysqlDoor {
    pub(super) sql: Arc<Sql>,
    pub(super) users: Users,
    pub(super) packet_bytes_max: usize,
    tls: TlsUse,
    /// Whether it asks for mysql_native_password first.
    asks_for_native: bool,
    failed_logins: FailedLogins,
}

/// Whether clients of the network are encrypted. Those at a UNIX socket never are: nobody can
/// listen there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsUse {
    /// None is.
    Off,
    /// Those that ask for it.
    Offered,
    /// Nobody else logs in.
    Required,
}

impl MysqlDoor {
    /// A door to `sql` for these users, with MySQL's default packet limit of 64 MiB.
    pub fn new(sql: Arc<Sql>, users: Users) -> MysqlDoor {
        let failed_logins = FailedLogins::new("mysql");
        let users = users.with_accounts(sql.access());
        let packet_bytes_max = PACKET_BYTES_MAX;
        let tls = TlsUse::Off;
        MysqlDoor { sql, users, packet_bytes_max, tls, asks_for_native: false, failed_logins }
    }

    /// Sets the largest packet a logged-in client may send, in bytes.
    pub fn with_packet_bytes_max(self, packet_bytes_max: usize) -> MysqlDoor {
        MysqlDoor { packet_bytes_max, ..self }
    }

    /// Sets whether clients are encrypted; the server must speak TLS where it is not `Off`.
    pub fn with_tls(self, tls: TlsUse) -> MysqlDoor {
        MysqlDoor { tls, ..self }
    }

    /// Asks clients for mysql_native_password first. MariaDB's give up a certificate that nobody
    /// has signed for them, unless the method is one by which the server proves it (`auth`).
    pub fn with_native_first(self) -> MysqlDoor {
        MysqlDoor { asks_for_native: true, ..self }
    }

    /// The logins that have failed.
    pub fn failed_logins(&self) -> &FailedLogins {
        &self.failed_logins
    }

    /// What a client is told instead of a greeting when there are too many connections.
    pub fn refuse(out: &mut Vec<u8>) {
        let error = SqlError::new(ErrorCode::ConCount, "Too many connections");
        encode::write_error(&mut Packets::new(out, 0), &error, None);
    }
}

/// A client's conversation.
pub struct Mysql {
    pub(super) door: Arc<MysqlDoor>,
    pub(super) connection_id: u32,
    /// The user name of the login; empty before.
    pub(super) user: String,
    /// The account of SQL that it means; `None` for a configured user.
    pub(super) account: Option<AccountName>,
    /// Its place among the connections of the account.
    pub(super) seat: Option<AccountSeat>,
    /// The number of the collation that its login asked for.
    pub(super) collation: u16,
    /// The client's host as `USER()` shows it.
    pub(super) host: String,
    /// Whether it came through a UNIX socket.
    pub(super) is_at_socket: bool,
    /// The address of a client of this machine that does not come through a UNIX socket.
    pub(super) loopback: Option<IpAddr>,
    /// The user of the system that its client runs as, at a UNIX socket.
    pub(super) peer_uid: Option<u32>,
    /// How it is encrypted; `None` while it is not.
    pub(super) encryption: Option<Arc<Encryption>>,
    pub(super) scramble: Scramble,
    pub(super) frames: FrameReader,
    /// The next reply's sequence number.
    reply: u8,
    /// That of the last command's first reply.
    reply_first: u8,
    pub(super) stage: Stage,
    /// Capabilities both sides have; 0 before the client has named its own.
    pub(super) capabilities: u32,
    pub(super) link: Option<Link>,
    /// What its client is told of statements that run elsewhere, if it asked for that.
    pub(super) reports: Option<Arc<Reports>>,
    /// Commands answered since the server was told last.
    answered: u64,
}

/// Where the conversation stands.
pub(super) enum Stage {
    /// The greeting was sent.
    Greeted,
    /// The client has named itself and is proving it.
    LoggingIn(Box<LoggingIn>),
    /// A command is expected.
    Ready,
    /// The query in front has another statement, which begins at this byte of its text.
    Query(usize),
    /// Rows are not all written.
    Rows(Box<ReplyRows>),
    /// A file comes in.
    File(Box<File>),
    /// Nothing is read any more.
    Closed,
}

/// A file that comes in for LOAD DATA LOCAL.
pub(super) struct File {
    load: LoadLocal,
    /// What became of the pieces so far. After an error the rest is swallowed, because the
    /// client reads no reply before it has sent all.
    fed: Result<(), SqlError>,
    /// The query's further statements.
    rest: Option<Vec<u8>>,
}

/// What a stage wants after a step.
pub(super) enum Go {
    /// The next step.
    On,
    /// The end of the turn.
    Turn(Next),
}

impl Mysql {
    /// A conversation with a client that has just connected from `host`.
    pub fn new(door: Arc<MysqlDoor>, connection_id: u32, host: impl Into<String>) -> Mysql {
        Mysql {
            door,
            connection_id,
            user: String::new(),
            account: None,
            seat: None,
            collation: 0,
            host: host.into(),
            is_at_socket: false,
            loopback: None,
            peer_uid: None,
            encryption: None,
            scramble: auth::new_scramble(),
            frames: FrameReader::default(),
            reply: 0,
            reply_first: 0,
            stage: Stage::Greeted,
            capabilities: 0,
            link: None,
            reports: None,
            answered: 0,
        }
    }

    /// The same with a client that came through a UNIX socket; `uid`: the number of the user of the
    /// system that it runs as, where that is known.
    pub fn at_socket(mut self, uid: Option<u32>) -> Mysql {
        self.is_at_socket = true;
        self.peer_uid = uid;
        self
    }

    /// The same with a client of this machine at an address.
    #[must_use]
    pub fn at_loopback(mut self, address: Option<IpAddr>) -> Mysql {
        self.loopback = address;
        self
    }

    /// Whether its client may ask for TLS.
    pub(super) fn offers_tls(&self) -> bool {
        self.door.tls != TlsUse::Off && !self.is_at_socket && self.encryption.is_none()
    }

    /// Whether its client may not log in as it is.
    pub(super) fn must_be_encrypted(&self) -> bool {
        self.door.tls == TlsUse::Required && self.offers_tls()
    }

    /// What a client is told whose request the server has no memory for; it is closed.
    pub fn overload(out: &mut Vec<u8>) {
        let error = SqlError::new(
            ErrorCode::OutOfResources,
            "Out of memory; the largest requests are given up",
        );
        encode::write_error(&mut Packets::new(out, 1), &error, None);
    }

    /// What a client is told whose request the server fails to serve; it is closed.
    pub fn fault(out: &mut Vec<u8>) {
        let error = SqlError::new(
            ErrorCode::UnknownError,
            "The server cannot serve this request; its log says why",
        );
        encode::write_error(&mut Packets::new(out, 1), &error, None);
    }

    fn step(
        &mut self,
        input: &mut Input,
        out: &mut Vec<u8>,
        how: ExecutionMode,
        group: Option<&mut Group>,
    ) -> Go {
        match &self.stage {
            Stage::Rows(_) => return self.continue_rows(input, out, how),
            Stage::File(_) => return self.continue_file(input, out, how),
            Stage::Closed => return Go::Turn(Next::Close),
            Stage::Greeted | Stage::LoggingIn(_) | Stage::Ready | Stage::Query(_) => {}
        }
        let limit = self.link.as_ref().map_or(LOGIN_BYTES_MAX, Link::packet_bytes_max);
        match self.frames.fill(input, limit) {
            Ok(true) => {}
            Ok(false) => return Go::Turn(Next::Input),
            Err(error) => return self.broken(error, out),
        }
        match std::mem::replace(&mut self.stage, Stage::Ready) {
            Stage::Greeted => self.first_packet(input, out, how.may_wait),
            Stage::LoggingIn(login) => self.login_packet(*login, input, out, how.may_wait),
            Stage::Query(from) => self.next_statement(from, input, out, how),
            _ => self.command(input, out, how, group),
        }
    }

    /// The packet stream cannot be followed any further.
    fn broken(&mut self, error: FrameError, out: &mut Vec<u8>) -> Go {
        let error = match error {
            FrameError::TooLarge => SqlError::new(
                ErrorCode::NetPacketTooLarge,
                "Got a packet bigger than 'max_allowed_packet' bytes",
            ),
            FrameError::OutOfOrder => {
                SqlError::new(ErrorCode::NetPacketsOutOfOrder, "Got packets out of order")
            }
        };
        self.refuse(&error, self.frames.sequence().wrapping_add(1), out)
    }

    /// Writes the last error of a client that is not let in: what it hears of it, it hears the
    /// later the more have failed.
    pub(super) fn deny(&mut self, user: &str, error: &SqlError, out: &mut Vec<u8>) -> Go {
        // One of this machine has no address for a host.
        let delay = self.door.failed_logins.note(user, self.host.parse().ok());
        self.audit(user, &AuditEvent::Connect { status: error.code().number() });
        self.refuse(error, self.frames.sequence(), out);
        Go::Turn(Next::Later(delay))
    }

    /// Writes a last error and closes.
    pub(super) fn refuse(&mut self, error: &SqlError, sequence: u8, out: &mut Vec<u8>) -> Go {
        let results = self.link.as_ref().and_then(|link| link.results_in());
        encode::write_error(&mut Packets::new(out, sequence), error, results);
        self.stage = Stage::Closed;
        self.link = None;
        Go::Turn(Next::Close)
    }

    fn command(
        &mut self,
        input: &mut Input,
        out: &mut Vec<u8>,
        how: ExecutionMode,
        group: Option<&mut Group>,
    ) -> Go {
        let link = self.link.as_mut().expect("logged in");
        if link.session().is_killed() {
            let error =
                SqlError::new(ErrorCode::QueryInterrupted, "Query execution was interrupted");
            return self.refuse(&error, self.frames.sequence(), out);
        }
        self.reply_first = self.frames.sequence();
        let mut packets = reply(out, self.reply_first, self.reports.as_deref(), link, how);
        let outcome = match decode::command(self.frames.payload(input)) {
            Ok(MysqlCommand::ChangeUser(_)) => return self.change_user(input, out, how.may_wait),
            Ok(MysqlCommand::ResetConnection) => return self.reset_connection(input, out),
            Ok(command) => link.serve(command, &mut packets, how, group),
            Err(_) => {
                encode::write_error(&mut packets, &malformed(), None);
                StepOutcome::Answered
            }
        };
        packets.end_reports();
        self.reply = packets.sequence();
        self.settle(outcome, input)
    }

    fn next_statement(
        &mut self,
        from: usize,
        input: &mut Input,
        out: &mut Vec<u8>,
        how: ExecutionMode,
    ) -> Go {
        let link = self.link.as_mut().expect("logged in");
        let mut packets = reply(out, self.reply, self.reports.as_deref(), link, how);
        let outcome = match decode::command(self.frames.payload(input)) {
            Ok(MysqlCommand::Query(text)) => link.serve_statement(text, from, &mut packets, how),
            _ => unreachable!("a query is in front"),
        };
        packets.end_reports();
        self.reply = packets.sequence();
        self.settle(outcome, input)
    }

    fn continue_rows(&mut self, input: &mut Input, out: &mut Vec<u8>, how: ExecutionMode) -> Go {
        let Stage::Rows(rows) = &mut self.stage else { unreachable!("called amid rows") };
        let link = self.link.as_mut().expect("logged in");
        let mut packets = Packets::new(out, self.reply);
        let written = link.write_rows(rows, &mut packets, how);
        self.reply = packets.sequence();
        match written {
            WriteProgress::All(outcome) => self.settle(outcome, input),
            WriteProgress::Piece => Go::Turn(Next::Again),
            WriteProgress::Wait => Go::Turn(Next::Offload),
        }
    }

    /// Takes what an outcome leaves to be done over into the stage.
    fn settle(&mut self, outcome: StepOutcome, input: &mut Input) -> Go {
        let killed = self.link.as_ref().is_some_and(|link| link.session().is_killed());
        match outcome {
            // KILL CONNECTION came meanwhile: the reply is the last.
            StepOutcome::Answered | StepOutcome::NextStatement(_) if killed => {
                self.frames.finish(input);
                self.stage = Stage::Closed;
                self.link = None;
                self.answered += 1;
            }
            StepOutcome::Answered => {
                self.frames.finish(input);
                self.frames.expect(0);
                self.stage = Stage::Ready;
                self.answered += 1;
            }
            StepOutcome::NextStatement(from) => self.stage = Stage::Query(from),
            StepOutcome::Rows(rows) => self.stage = Stage::Rows(rows),
            StepOutcome::File(load, resume) => {
                let rest = resume.map(|from| match decode::command(self.frames.payload(input)) {
                    Ok(MysqlCommand::Query(text)) => text[from..].to_vec(),
                    _ => unreachable!("only a query has further statements"),
                });
                self.frames.finish(input);
                self.frames.expect(self.reply);
                self.stage = Stage::File(Box::new(File { load: *load, fed: Ok(()), rest }));
            }
            StepOutcome::Wait(from) => {
                if from > 0 {
                    self.stage = Stage::Query(from);
                }
                return Go::Turn(Next::Offload);
            }
            StepOutcome::Close => {
                self.frames.finish(input);
                self.stage = Stage::Closed;
                self.link = None;
            }
        }
        Go::On
    }

    /// Feeds a file's content to its statement as it comes. Rows are written on the way, which
    /// is work for the pool.
    fn continue_file(&mut self, input: &mut Input, out: &mut Vec<u8>, how: ExecutionMode) -> Go {
        if input.is_empty() {
            return Go::Turn(Next::Input);
        }
        if !how.may_wait {
            return Go::Turn(Next::Offload);
        }
        let Stage::File(file) = &mut self.stage else { unreachable!("called amid a file") };
        let link = self.link.as_mut().expect("logged in");
        loop {
            match self.frames.stream(input) {
                Ok(StreamPiece::None) => return Go::Turn(Next::Input),
                Ok(StreamPiece::Bytes(count)) => {
                    if file.fed.is_ok() {
                        file.fed = link.feed(&mut file.load, &input.bytes()[..count]);
                    }
                    input.consume(count);
                }
                Ok(StreamPiece::End { empty: false }) => {}
                Ok(StreamPiece::End { empty: true }) => return self.end_file(out, how),
                Err(error) => return self.broken(error, out),
            }
        }
    }

    fn end_file(&mut self, out: &mut Vec<u8>, how: ExecutionMode) -> Go {
        let stage = std::mem::replace(&mut self.stage, Stage::Ready);
        let Stage::File(file) = stage else { unreachable!("called amid a file") };
        let link = self.link.as_mut().expect("logged in");
        let first = self.frames.sequence();
        let mut packets = reply(out, first, self.reports.as_deref(), link, how);
        let resume = file.rest.as_ref().map(|_| 0);
        let outcome = link.finish_file(file.load, file.fed, resume, &mut packets);
        packets.end_reports();
        self.reply = packets.sequence();
        match (outcome, file.rest) {
            (StepOutcome::NextStatement(_), Some(rest)) => {
                self.frames.put_back(decode::query(&rest));
                self.stage = Stage::Query(0);
            }
            _ => self.frames.expect(0),
        }
        Go::On
    }
}

/// The packets of a reply. Where nothing else is to be sent before it, its statement is reported on
/// until it begins.
fn reply<'a>(
    out: &'a mut Vec<u8>,
    first: u8,
    reports: Option<&'a Reports>,
    link: &Link,
    how: ExecutionMode,
) -> Packets<'a> {
    let fresh = how.may_wait && out.is_empty();
    let begun = reports.filter(|_| fresh).zip(link.session().report_interval());
    if let Some((reports, interval)) = begun {
        reports.begin(first, interval);
    }
    Packets::new(out, first).behind(begun.map(|(reports, _)| reports))
}

impl Drop for Mysql {
    fn drop(&mut self) {
        self.end_login();
    }
}

impl Conversation for Mysql {
    fn greet(&mut self, out: &mut Vec<u8>) {
        let mut packets = Packets::new(out, 0);
        handshake::write_greeting(
            &mut packets,
            self.door.sql.version(),
            self.connection_id,
            &self.scramble,
            if self.door.asks_for_native { passwords::NATIVE } else { passwords::CACHING_SHA2 },
            self.offers_tls(),
        );
        self.frames.expect(packets.sequence());
    }

    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        let how = ExecutionMode { may_wait: turn.may_wait(), reach: turn.reach() };
        let start = out.len();
        let mut next = Next::Again;
        for _ in 0..COMMANDS_PER_TURN_MAX {
            let first = out.len() == start;
            let group = (!how.may_wait && first).then(|| turn.group());
            let go = self.step(input, out, how, group);
            if turn.take_dependence() && !matches!(go, Go::Turn(Next::Offload)) {
                next = Next::Commit;
                break;
            }
            match go {
                Go::On => {}
                // What would wait here may be a write that can join a group in a turn of its own.
                Go::Turn(Next::Offload) if !how.may_wait && !first => break,
                Go::Turn(end) => {
                    next = end;
                    break;
                }
            }
        }
        turn.served(std::mem::take(&mut self.answered));
        next
    }

    fn pending(&self, input: &Input) -> Pending {
        match self.stage {
            // Between two packets the client reads its file, which may be a pipe.
            Stage::File(_) if self.frames.is_amid() => Pending::Part,
            Stage::File(_) => Pending::Nothing,
            _ if self.frames.is_amid() || !input.is_empty() => Pending::Request,
            _ => Pending::Nothing,
        }
    }

    fn held_bytes(&self) -> usize {
        let long_data = self.link.as_ref().map_or(0, Link::long_data_bytes);
        self.frames.held_bytes() + long_data
    }

    fn drawn_bytes(&self) -> usize {
        match &self.stage {
            Stage::Rows(rows) => rows.drawn_bytes(),
            Stage::File(file) => file.load.drawn_bytes(),
            _ => 0,
        }
    }

    fn urgency(&self, input: &Input) -> Urgency {
        let in_transaction = self.link.as_ref().is_some_and(|link| link.session().in_transaction());
        if !in_transaction {
            return Urgency::Ordinary;
        }
        let ends = |payload: &[u8]| match decode::command(payload) {
            Ok(MysqlCommand::Query(text)) => [&b"commit"[..], b"rollback"].iter().any(|word| {
                let text = text.trim_ascii_start();
                text.get(..word.len()).is_some_and(|front| front.eq_ignore_ascii_case(word))
            }),
            Ok(MysqlCommand::Quit | MysqlCommand::ResetConnection) => true,
            _ => false,
        };
        match self.frames.peek(input) {
            Some(payload) if ends(payload) => Urgency::FreesLocks,
            _ => Urgency::HoldsLocks,
        }
    }

    fn leave(&self) -> Option<LeaveNotice> {
        // MySQL's clients do not end their sending and then read on.
        Some(Arc::new(self.link.as_ref()?.session().killer()))
    }

    fn reports(&self) -> Option<Arc<dyn Report>> {
        self.reports.clone().map(|reports| reports as Arc<dyn Report>)
    }

    fn user(&self) -> Option<&str> {
        Some(&self.user).filter(|user| !user.is_empty()).map(String::as_str)
    }

    fn is_known(&self) -> bool {
        // While it changes to another user it is still known as the one before.
        self.link.is_some() || !self.user.is_empty()
    }

    fn is_killed(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.session().is_killed())
    }

    fn note_encryption(&mut self, encryption: &Arc<Encryption>) {
        self.encryption = Some(Arc::clone(encryption));
    }

    fn commit_failed(&mut self, error: &rows::Error, out: &mut Vec<u8>) {
        if let Some(link) = &mut self.link {
            link.commit_failed(error, &mut Packets::new(out, self.reply_first));
        }
    }
}
