//! A blocking MySQL session: handshake, statements, LOAD DATA LOCAL INFILE.
//!
//! For set-up, verification and the experiments that work by statement. It signs in as `root`
//! without a password, which both servers allow on loopback here.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tls::Connector;

use super::packet::{ReplyOutcome, lenenc_bytes, outcome, packet, push_packet};
use crate::generator::Wire;

const CLIENT_LONG_PASSWORD: u32 = 0x1;
const CLIENT_FOUND_ROWS: u32 = 0x2;
const CLIENT_LONG_FLAG: u32 = 0x4;
const CLIENT_CONNECT_WITH_DB: u32 = 0x8;
const CLIENT_LOCAL_FILES: u32 = 0x80;
const CLIENT_PROTOCOL_41: u32 = 0x200;
const CLIENT_SSL: u32 = 0x800;
const CLIENT_TRANSACTIONS: u32 = 0x2000;
const CLIENT_SECURE_CONNECTION: u32 = 0x8000;
const CLIENT_PLUGIN_AUTH: u32 = 0x8_0000;

const FLAGS: u32 = CLIENT_LONG_PASSWORD
    | CLIENT_FOUND_ROWS
    | CLIENT_LONG_FLAG
    | CLIENT_LOCAL_FILES
    | CLIENT_PROTOCOL_41
    | CLIENT_TRANSACTIONS
    | CLIENT_SECURE_CONNECTION
    | CLIENT_PLUGIN_AUTH;
const UTF8MB4_GENERAL_CI: u8 = 45;
const COM_QUERY: u8 = 3;
const COM_STMT_PREPARE: u8 = 22;
/// A server that does not even greet in this time is left out.
const SIGN_IN_WAIT: Duration = Duration::from_secs(10);
/// Few statements of the lab take longer (`be_patient`); a hung server ends the run instead of
/// stopping it.
const REPLY_WAIT: Duration = Duration::from_secs(600);

/// One row as text, NULL as `None`.
pub type TextRow = Vec<Option<Vec<u8>>>;

/// How a statement ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Without rows.
    Done,
    /// After so many rows.
    Rows(u64),
    /// With an error.
    Refused {
        /// MySQL's error number.
        code: u16,
        /// The message.
        message: String,
    },
    /// Not within the caller's patience.
    Late,
}

/// A signed-in connection.
pub struct MysqlSession {
    stream: Wire,
    pub(super) input: Vec<u8>,
    /// The server's version as the handshake names it.
    pub version: String,
}

impl MysqlSession {
    /// Connects and signs in; an empty database name selects none.
    pub fn connect(port: u16, database: &str) -> Result<MysqlSession> {
        MysqlSession::connect_as(port, "root", database)
    }

    /// The same of another user who has no password.
    pub fn connect_as(port: u16, user: &str, database: &str) -> Result<MysqlSession> {
        MysqlSession::connect_by(port, user, database, None)
    }

    /// The same of `root`, within TLS.
    pub fn connect_encrypted(
        port: u16,
        database: &str,
        connector: &Connector,
    ) -> Result<MysqlSession> {
        MysqlSession::connect_by(port, "root", database, Some(connector))
    }

    fn connect_by(
        port: u16,
        user: &str,
        database: &str,
        connector: Option<&Connector>,
    ) -> Result<MysqlSession> {
        let stream = TcpStream::connect(("127.0.0.1", port)).context("MySQL connect")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SIGN_IN_WAIT))?;
        let greeting = take_packet_and_sequence(&mut &stream, &mut Vec::new())?.0;
        if greeting.first() == Some(&0xff) {
            bail!("refused at connect: {}", greeting.escape_ascii());
        }
        let version = greeting.get(1..).unwrap_or_default();
        let version = version.split(|byte| *byte == 0).next().unwrap_or_default();
        let version = String::from_utf8_lossy(version).into_owned();
        let mut flags = FLAGS;
        if !database.is_empty() {
            flags |= CLIENT_CONNECT_WITH_DB;
        }
        let (stream, sequence) = match connector {
            None => (Wire::Plain(stream), 1),
            Some(connector) => {
                flags |= CLIENT_SSL;
                let mut asked = Vec::new();
                push_packet(&mut asked, 1, |out| push_settings(out, flags));
                (&stream).write_all(&asked)?;
                (Wire::encrypted(stream, connector).context("TLS")?, 2)
            }
        };
        let mut session = MysqlSession { stream, input: Vec::new(), version };
        session.sign_in((flags, sequence), user, database).context("MySQL sign-in")?;
        session.stream.socket().set_read_timeout(Some(REPLY_WAIT))?;
        Ok(session)
    }

    fn sign_in(&mut self, (flags, sequence): (u32, u8), user: &str, database: &str) -> Result<()> {
        let mut reply = Vec::new();
        push_packet(&mut reply, sequence, |out| {
            push_settings(out, flags);
            out.extend_from_slice(user.as_bytes());
            out.push(0);
            out.push(0);
            if !database.is_empty() {
                out.extend_from_slice(database.as_bytes());
                out.push(0);
            }
            out.extend_from_slice(b"mysql_native_password\0");
        });
        self.send_bytes(&reply)?;
        // A server may ask for another plugin (FE) or send more data (01); an empty password is
        // an empty answer to native_password and a zero byte to caching_sha2_password.
        loop {
            let (payload, sequence) = self.take_packet_and_sequence()?;
            match payload.first() {
                Some(0x00) => return Ok(()),
                Some(0xfe) => {
                    let sha2 = payload.starts_with(b"\xfecaching_sha2_password");
                    let mut answer = Vec::new();
                    push_packet(&mut answer, sequence + 1, |out| {
                        if sha2 {
                            out.push(0);
                        }
                    });
                    self.send_bytes(&answer)?;
                }
                Some(0x01) => {}
                _ => bail!("sign-in refused: {}", payload.escape_ascii()),
            }
        }
    }

    /// Waits for as long for a reply from here on.
    pub fn be_patient(&self, wait: Duration) -> Result<()> {
        Ok(self.stream.socket().set_read_timeout(Some(wait))?)
    }

    /// Runs a statement that gives no rows (rows are counted and dropped). Gives what it affected.
    pub fn execute(&mut self, sql: &str) -> Result<u64> {
        self.send(sql)?;
        match self.take_outcome(&mut |_| {})? {
            ReplyOutcome::Done { affected, .. } => Ok(affected),
            ReplyOutcome::Rows { rows, .. } => Ok(rows as u64),
            other => bail!("{sql}: {other:?}"),
        }
    }

    /// Runs an INSERT; gives the rows that were added, and the first number that AUTO_INCREMENT
    /// gave.
    pub fn insert(&mut self, sql: &str) -> Result<(u64, u64)> {
        self.send(sql)?;
        match self.take_outcome(&mut |_| {})? {
            ReplyOutcome::Done { affected, first_id, .. } => Ok((affected, first_id)),
            // The text may be long.
            other => bail!("{:.80}: {other:?}", sql),
        }
    }

    /// Runs a query and gives its rows as text.
    pub fn query(&mut self, sql: &str) -> Result<Vec<TextRow>> {
        self.send(sql)?;
        let mut rows = Vec::new();
        // The judge may see the same rows again when more bytes have come: it starts over then.
        loop {
            rows.clear();
            let seen = outcome(&self.input, &mut |row| rows.push(text_row(row)));
            match seen {
                ReplyOutcome::Incomplete => self.read_more()?,
                ReplyOutcome::Rows { bytes, .. } => {
                    self.input.drain(..bytes);
                    return Ok(rows);
                }
                ReplyOutcome::Done { bytes, .. } => {
                    self.input.drain(..bytes);
                    return Ok(Vec::new());
                }
                other => {
                    self.input.clear();
                    bail!("{sql}: {other:?}");
                }
            }
        }
    }

    /// The first column of the first row, as a number.
    pub fn number(&mut self, sql: &str) -> Result<u64> {
        let rows = self.query(sql)?;
        let value = rows.first().and_then(|row| row.first()).and_then(Option::as_ref);
        let value = value.with_context(|| format!("{sql}: no value"))?;
        let text = String::from_utf8_lossy(value);
        text.parse().with_context(|| format!("{sql}: {text:?} is not a number"))
    }

    /// Runs LOAD DATA LOCAL INFILE with these chunks as the file. Gives rows and the remark.
    pub fn load_data(
        &mut self,
        sql: &str,
        chunks: impl Iterator<Item = Vec<u8>>,
    ) -> Result<(u64, String)> {
        self.send(sql)?;
        let asked = self.take_outcome(&mut |_| {})?;
        ensure!(matches!(asked, ReplyOutcome::LocalFile { .. }), "{sql}: {asked:?}");
        let mut sequence = 2u8;
        let mut out = Vec::new();
        for chunk in chunks {
            out.clear();
            push_packet(&mut out, sequence, |out| out.extend_from_slice(&chunk));
            sequence = sequence.wrapping_add(1);
            self.send_bytes(&out)?;
        }
        out.clear();
        push_packet(&mut out, sequence, |_| {});
        self.send_bytes(&out)?;
        match self.take_outcome(&mut |_| {})? {
            ReplyOutcome::Done { affected, info, .. } => Ok((affected, info)),
            other => bail!("{sql}: {other:?}"),
        }
    }

    /// Runs a statement whose rows nobody wants, for as long as the caller has patience. After
    /// `End::Late` the session is good for nothing but to be dropped.
    pub fn endure(&mut self, sql: &str, patience: Duration) -> Result<End> {
        let until = Instant::now() + patience;
        self.send(sql)?;
        let mut rows = 0u64;
        // Definitions end with an EOF, and so do rows; no EOF is as long as nine bytes.
        let (mut ends, mut first, mut continued) = (0, true, false);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(End::Late);
            }
            self.stream.socket().set_read_timeout(Some(left))?;
            let Some((payload, bytes)) = packet(&self.input) else {
                match self.read_more() {
                    Ok(()) => continue,
                    Err(_) if Instant::now() >= until => return Ok(End::Late),
                    Err(error) => return Err(error),
                }
            };
            let begins = !std::mem::replace(&mut continued, payload.len() == 0xff_ffff);
            let end = match payload.first() {
                _ if !begins => None,
                Some(0x00) if first => Some(End::Done),
                Some(0xff) => Some(End::Refused {
                    code: payload
                        .get(1..3)
                        .map_or(0, |code| u16::from_le_bytes([code[0], code[1]])),
                    message: payload.get(9..).unwrap_or_default().escape_ascii().to_string(),
                }),
                Some(0xfe) if payload.len() < 9 => {
                    ends += 1;
                    (ends == 2).then_some(End::Rows(rows))
                }
                _ => {
                    rows += u64::from(ends == 1);
                    None
                }
            };
            first = false;
            self.input.drain(..bytes);
            if let Some(end) = end {
                self.stream.socket().set_read_timeout(Some(REPLY_WAIT))?;
                return Ok(end);
            }
        }
    }

    /// Prepares a statement and gives its number.
    pub fn prepare(&mut self, sql: &str) -> Result<u32> {
        let mut out = Vec::new();
        push_packet(&mut out, 0, |out| {
            out.push(COM_STMT_PREPARE);
            out.extend_from_slice(sql.as_bytes());
        });
        self.send_bytes(&out)?;
        let head = self.take_packet()?;
        if head.first() != Some(&0) || head.len() < 9 {
            bail!("prepare {sql}: {}", head.escape_ascii());
        }
        let id = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        let columns = u16::from_le_bytes([head[5], head[6]]);
        let parameters = u16::from_le_bytes([head[7], head[8]]);
        for definitions in [parameters, columns] {
            if definitions > 0 {
                for _ in 0..=definitions {
                    self.take_packet()?;
                }
            }
        }
        Ok(id)
    }

    /// Gives the connection up, for the load generator. Nothing may be unread.
    pub fn into_wire(self) -> Result<Wire> {
        ensure!(self.input.is_empty(), "unread bytes are left");
        self.stream.socket().set_read_timeout(None)?;
        Ok(self.stream)
    }

    /// The same of a session in plain text.
    pub fn into_stream(self) -> Result<TcpStream> {
        match self.into_wire()? {
            Wire::Plain(stream) => Ok(stream),
            Wire::Encrypted(_) => bail!("a session within TLS"),
        }
    }

    pub(super) fn send(&mut self, sql: &str) -> Result<()> {
        let mut out = Vec::new();
        push_packet(&mut out, 0, |out| {
            out.push(COM_QUERY);
            out.extend_from_slice(sql.as_bytes());
        });
        self.send_bytes(&out)
    }

    pub(super) fn send_bytes(&mut self, out: &[u8]) -> Result<()> {
        self.stream.write_all(out).context("sending to a MySQL server")?;
        self.stream.send_rest()?;
        Ok(())
    }

    fn take_outcome(&mut self, row: &mut impl FnMut(&[u8])) -> Result<ReplyOutcome> {
        loop {
            let seen = outcome(&self.input, row);
            match &seen {
                ReplyOutcome::Incomplete => self.read_more()?,
                ReplyOutcome::Done { bytes, .. }
                | ReplyOutcome::Rows { bytes, .. }
                | ReplyOutcome::LocalFile { bytes }
                | ReplyOutcome::Refused { bytes, .. } => {
                    self.input.drain(..*bytes);
                    return Ok(seen);
                }
            }
        }
    }

    fn take_packet(&mut self) -> Result<Vec<u8>> {
        Ok(self.take_packet_and_sequence()?.0)
    }

    fn take_packet_and_sequence(&mut self) -> Result<(Vec<u8>, u8)> {
        take_packet_and_sequence(&mut self.stream, &mut self.input)
    }

    pub(super) fn read_more(&mut self) -> Result<()> {
        read_more(&mut self.stream, &mut self.input)
    }
}

/// What a client says of itself, before it asks for TLS and again when it signs in.
fn push_settings(out: &mut Vec<u8>, flags: u32) {
    out.extend_from_slice(&flags.to_le_bytes());
    out.extend_from_slice(&(16u32 << 20).to_le_bytes());
    out.push(UTF8MB4_GENERAL_CI);
    out.extend_from_slice(&[0; 23]);
}

fn take_packet_and_sequence(stream: &mut impl Read, input: &mut Vec<u8>) -> Result<(Vec<u8>, u8)> {
    loop {
        if let Some((payload, bytes)) = packet(input) {
            let payload = payload.to_vec();
            let sequence = input[3];
            input.drain(..bytes);
            return Ok((payload, sequence));
        }
        read_more(stream, input)?;
    }
}

fn read_more(stream: &mut impl Read, input: &mut Vec<u8>) -> Result<()> {
    let mut buffer = [0u8; 64 * 1024];
    let bytes = stream.read(&mut buffer).context("reading a MySQL reply")?;
    ensure!(bytes > 0, "the MySQL server closed the connection");
    input.extend_from_slice(&buffer[..bytes]);
    Ok(())
}

pub(super) fn text_row(mut payload: &[u8]) -> TextRow {
    let mut row = Vec::new();
    while let Some(&first) = payload.first() {
        if first == 0xfb {
            row.push(None);
            payload = &payload[1..];
        } else if let Some((value, rest)) = lenenc_bytes(payload) {
            row.push(Some(value.to_vec()));
            payload = rest;
        } else {
            break;
        }
    }
    row
}
