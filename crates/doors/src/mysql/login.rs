//! Logging in: from the client's first packet, or COM_CHANGE_USER, to a fresh session.
//!
//! Invariants
//! 1. A login that fails is answered once and closes the connection, as in MySQL.
//! 2. Changing the user, or resetting the connection, ends the old session first: its open
//!    transaction is rolled back, its locks are free.
//!
//! Not here: who is let in (`auth`), packets' layouts (`handshake`).

use std::sync::Arc;

use access::audit::{AuditEvent, AuditSubject};
use access::host::Peer;
use access::{AccountName, LockTime, LoginBlock};
use passwords::{FAST_SUCCESS, FULL_AUTHENTICATION};
use plan::encryption::SessionTls;
use results::SqlError;
use sql::{Session, limit_reached};
use tls::Encryption;
use values::ErrorCode;

use crate::conversation::Next;
use crate::input::Input;
use crate::peer::peer_tls;

use super::attributes::attributes;
use super::auth::{Exchange, Step};
use super::command::MysqlCommand;
use super::conversation::{Go, Mysql, MysqlDoor, Stage};
use super::decode;
use super::encode;
use super::execute::{Link, malformed};
use super::frame::Packets;
use super::handshake::{self, Response};
use super::numbers::capability;
use super::reports::Reports;

/// A login under way.
pub(super) struct LoggingIn {
    exchange: Exchange,
    /// The database to begin with; empty for none.
    database: String,
    /// The number of the collation that the client asks for.
    collation: u16,
    /// What it says of itself.
    attributes: Box<[(String, String)]>,
}

impl Mysql {
    /// The response to the greeting is in front.
    pub(super) fn first_packet(
        &mut self,
        input: &mut Input,
        out: &mut Vec<u8>,
        may_wait: bool,
    ) -> Go {
        let payload = self.frames.payload(input);
        let refused = match handshake::response(payload, self.encryption.is_some()) {
            Ok(Response::Login(..)) if self.must_be_encrypted() => SqlError::new(
                ErrorCode::SecureTransportRequired,
                "Connections using insecure transport are prohibited while \
                 --require_secure_transport=ON.",
            ),
            Ok(Response::Login(capabilities, login)) => {
                self.capabilities = capabilities;
                let door = Arc::clone(&self.door);
                let database = String::from_utf8_lossy(login.database).into_owned();
                let (collation, attributes) = (login.character_set, attributes(login.attributes));
                let (exchange, step) = self.begin_exchange(&door, &login);
                let login = LoggingIn { exchange, database, collation, attributes };
                return self.proceed(login, step, (input, out), may_wait);
            }
            Ok(Response::TlsRequest) if self.offers_tls() => {
                let next = self.frames.sequence();
                self.frames.finish(input);
                self.frames.expect(next);
                self.stage = Stage::Greeted;
                return Go::Turn(Next::Encrypt);
            }
            Ok(Response::TlsRequest) => SqlError::new(
                ErrorCode::Handshake,
                "Bad handshake: TLS is not spoken here; connect with TLS disabled",
            ),
            Ok(Response::TooOld) => SqlError::new(
                ErrorCode::Handshake,
                "Bad handshake: the protocol before MySQL 4.1 is not served",
            ),
            Err(_) => SqlError::new(ErrorCode::Handshake, "Bad handshake"),
        };
        self.refuse(&refused, self.frames.sequence(), out)
    }

    /// COM_CHANGE_USER is in front.
    pub(super) fn change_user(
        &mut self,
        input: &mut Input,
        out: &mut Vec<u8>,
        may_wait: bool,
    ) -> Go {
        self.link = None;
        let Ok(MysqlCommand::ChangeUser(payload)) = decode::command(self.frames.payload(input))
        else {
            unreachable!("called for COM_CHANGE_USER");
        };
        let Ok(login) = handshake::change_user(payload, self.capabilities) else {
            return self.refuse(&malformed(), self.frames.sequence(), out);
        };
        let door = Arc::clone(&self.door);
        let database = String::from_utf8_lossy(login.database).into_owned();
        let (collation, attributes) = (login.character_set, attributes(login.attributes));
        let (exchange, step) = self.begin_exchange(&door, &login);
        let login = LoggingIn { exchange, database, collation, attributes };
        self.proceed(login, step, (input, out), may_wait)
    }

    fn begin_exchange<'d>(
        &self,
        door: &'d MysqlDoor,
        login: &handshake::Login<'_>,
    ) -> (Exchange, Step<'d>) {
        let peer = Peer { host: &self.host, loopback: self.loopback };
        Exchange::begin(&door.users, login, self.scramble, peer, self.peer_uid)
    }

    /// A further packet of a login is in front.
    pub(super) fn login_packet(
        &mut self,
        mut login: LoggingIn,
        input: &mut Input,
        out: &mut Vec<u8>,
        may_wait: bool,
    ) -> Go {
        let door = Arc::clone(&self.door);
        let step = login.exchange.answer(&door.users, self.frames.payload(input), may_wait);
        self.proceed(login, step, (input, out), may_wait)
    }

    /// Tells the audit log of a login.
    pub(super) fn audit(&self, user: &str, event: &AuditEvent<'_>) {
        if let Some(audit) = self.door.sql.access().audit() {
            let (connection, host) = (self.connection_id, &*self.host);
            audit.note(&AuditSubject { connection, door: "mysql", user, host }, event);
        }
    }

    /// The client goes, or becomes somebody else: its place among its account's connections is
    /// free.
    pub(super) fn end_login(&mut self) {
        if self.seat.take().is_some() {
            self.audit(&self.user, &AuditEvent::Disconnect);
        }
    }

    /// Whether the connection is encrypted as the account must be.
    fn is_encrypted_for(&self, login: &LoggingIn) -> bool {
        let need = login.exchange.tls_need();
        need.is_none() || need.is_met(self.encryption.as_deref().map(peer_tls).as_ref())
    }

    /// Error 3955.
    fn deny_blocked(&mut self, login: &LoggingIn, block: LoginBlock, out: &mut Vec<u8>) -> Go {
        let user = login.exchange.user().to_owned();
        let (days, remaining) = match (block.rule.time, block.remaining) {
            (LockTime::Days(days), Some(remaining)) => (days.to_string(), remaining.to_string()),
            _ => ("unlimited".to_owned(), "unlimited".to_owned()),
        };
        let message = format!(
            "Access denied for user '{user}'@'{}'. Account is blocked for {days} day(s) \
             ({remaining} day(s) remaining) due to {} consecutive failed logins.",
            self.host, block.rule.attempts
        );
        let code = ErrorCode::UserAccessDeniedForUserAccountBlockedByPasswordLock;
        self.deny(&user, &SqlError::new(code, message), out)
    }

    /// Error 1045.
    fn deny_access(&mut self, login: &LoggingIn, password: bool, out: &mut Vec<u8>) -> Go {
        let user = login.exchange.user().to_owned();
        if login.exchange.is_by_socket() {
            let message = format!("Access denied for user '{user}'@'{}'", self.host);
            let code = ErrorCode::AccessDeniedNoPasswordError;
            return self.deny(&user, &SqlError::new(code, message), out);
        }
        let message = format!(
            "Access denied for user '{user}'@'{}' (using password: {})",
            self.host,
            if password { "YES" } else { "NO" },
        );
        self.deny(&user, &SqlError::new(ErrorCode::AccessDenied, message), out)
    }

    /// Does what the exchange wants next.
    fn proceed(
        &mut self,
        login: LoggingIn,
        step: Step<'_>,
        (input, out): (&mut Input, &mut Vec<u8>),
        may_wait: bool,
    ) -> Go {
        let is_proven = match step {
            Step::Accept { .. } => Some(true),
            Step::Deny { .. } => Some(false),
            _ => None,
        };
        if let Some(is_proven) = is_proven
            && let Err(block) = self.door.users.note_login(login.exchange.account(), is_proven)
        {
            return self.deny_blocked(&login, block, out);
        }
        let mut packets = Packets::new(out, self.frames.sequence());
        match step {
            Step::Wait => {
                self.stage = Stage::LoggingIn(Box::new(login));
                // A login that begins inside TLS is met where the handshake was: there it goes on
                // at once, with the same packet.
                return if may_wait { Go::On } else { Go::Turn(Next::Offload) };
            }
            Step::Deny { password } => return self.deny_access(&login, password, out),
            Step::Accept { .. } if !self.is_encrypted_for(&login) => {
                return self.deny_access(&login, true, out);
            }
            Step::Accept { .. } if login.exchange.is_locked() => {
                let user = login.exchange.user().to_owned();
                let message =
                    format!("Access denied for user '{user}'@'{}'. Account is locked.", self.host);
                return self.deny(
                    &user,
                    &SqlError::new(ErrorCode::AccountHasBeenLocked, message),
                    out,
                );
            }
            Step::Accept { fast } => {
                if fast {
                    encode::write_more_data(&mut packets, &[FAST_SUCCESS]);
                }
                let sequence = packets.sequence();
                self.end_login();
                self.user = login.exchange.user().to_owned();
                self.account = login.exchange.account().cloned();
                let name = self.account.clone();
                let name = name.unwrap_or_else(|| AccountName::new(self.user.clone(), "%"));
                match self.door.sql.access().admit(&name) {
                    Ok(seat) => self.seat = Some(seat),
                    Err(reached) => {
                        let error = limit_reached(&reached);
                        let status = error.code().number();
                        self.audit(&self.user, &AuditEvent::Connect { status });
                        return self.refuse(&error, sequence, out);
                    }
                }
                self.audit(&self.user, &AuditEvent::Connect { status: 0 });
                let database = (!login.database.is_empty()).then_some(login.database);
                self.collation = login.collation;
                let proof = self.encryption.as_ref().and_then(|encryption| {
                    login.exchange.certificate_proof(&encryption.fingerprint)
                });
                let begun = (database, login.attributes);
                return self.welcome(begun, sequence, proof, input, out);
            }
            Step::Switch(method) => {
                let fresh = login.exchange.fresh_bytes();
                encode::write_switch(&mut packets, method, &fresh);
            }
            Step::AskPassword => encode::write_more_data(&mut packets, &[FULL_AUTHENTICATION]),
            Step::Tell(told) => encode::write_plain(&mut packets, &told),
            Step::SendKey(pem) => encode::write_more_data(&mut packets, pem.as_bytes()),
        }
        let next = packets.sequence();
        self.frames.finish(input);
        self.frames.expect(next);
        self.stage = Stage::LoggingIn(Box::new(login));
        Go::On
    }

    /// COM_RESET_CONNECTION is in front: a fresh session for the same user and database.
    pub(super) fn reset_connection(&mut self, input: &mut Input, out: &mut Vec<u8>) -> Go {
        let link = self.link.take();
        let of = |link: Link| {
            let session = link.session();
            (session.database().map(str::to_owned), session.attributes())
        };
        let begun = link.map(of).unwrap_or_default();
        self.welcome(begun, self.frames.sequence(), None, input, out)
    }

    /// Opens the session and says OK, with the proof that the certificate is the server's own.
    fn welcome(
        &mut self,
        (database, attributes): (Option<String>, Box<[(String, String)]>),
        sequence: u8,
        proof: Option<String>,
        input: &mut Input,
        out: &mut Vec<u8>,
    ) -> Go {
        let door = Arc::clone(&self.door);
        let (named, database) = (&*self.user, database.as_deref());
        let named = (named, &*self.host);
        let opened = match &self.account {
            Some(account) => {
                Session::of_account(&door.sql, self.connection_id, named, account, database)
            }
            None => Session::new(&door.sql, self.connection_id, named.0, named.1, database),
        };
        let opened = opened.and_then(|mut session| {
            session.set_login_collation(self.collation)?;
            if let Some(Encryption { version, cipher, .. }) = self.encryption.as_deref() {
                session.set_tls(SessionTls { version, cipher });
            }
            session.set_attributes(attributes);
            session.note_login(match &self.encryption {
                Some(_) => "SSL/TLS",
                None if self.is_at_socket => "Socket",
                None => "TCP/IP",
            });
            Ok(session)
        });
        let understands = self.capabilities & capability::EXPIRED_PASSWORDS != 0;
        match opened {
            Ok(session) if session.is_expired() && !understands => {
                let message = "Your password has expired. To log in you must change it using a \
                               client that supports expired passwords.";
                let error = SqlError::new(ErrorCode::MustChangePasswordLogin, message);
                self.refuse(&error, sequence, out)
            }
            Ok(session) => {
                let asked = self.capabilities & capability::PROGRESS != 0;
                self.reports = asked.then(|| Reports::new(session.progress()));
                let link = Link::new(session, self.capabilities, door.packet_bytes_max);
                let mut packets = Packets::new(out, sequence);
                match proof {
                    // The first byte says how it was made: by SHA-256.
                    Some(proof) => link.ok_with(format!("\x01{proof}"), &mut packets),
                    None => link.ok(&mut packets),
                };
                self.link = Some(link);
                self.frames.finish(input);
                self.frames.expect(0);
                self.stage = Stage::Ready;
                Go::On
            }
            Err(error) => self.refuse(&error, sequence, out),
        }
    }
}
