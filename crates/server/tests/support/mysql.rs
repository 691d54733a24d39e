//! A client of the MySQL door, as small as tests need: login as root, text queries.

// Each test file uses what it needs of this.
#![allow(dead_code)]

use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;

/// CLIENT_LONG_PASSWORD, LOCAL_FILES, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH.
const CAPABILITIES: u32 = 0x1 | 0x80 | 0x200 | 0x2000 | 0x8000 | 0x8_0000;
const PACKET_BYTES_MAX: u32 = 1 << 24;
const UTF8MB4_GENERAL_CI: u8 = 45;

/// A logged-in connection.
pub struct Mysql {
    stream: TcpStream,
    /// Of the next piece of a file.
    sequence: u8,
}

/// Why a query has no result.
#[derive(Debug)]
pub enum Failure {
    /// The server says no.
    Error {
        /// Its number.
        number: u16,
        /// Its words.
        message: String,
    },
    /// The connection is gone.
    Gone(io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Error { number, message } => write!(f, "error {number}: {message}"),
            Failure::Gone(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Gone(error)
    }
}

/// The number of the error that a statement was refused with.
#[track_caller]
pub fn error_number<T: fmt::Debug>(answer: Result<T, Failure>) -> u16 {
    match answer {
        Err(Failure::Error { number, .. }) => number,
        other => panic!("{other:?}"),
    }
}

/// Rows of text; NULL is `None`.
pub type Rows = Vec<Vec<Option<String>>>;

impl Mysql {
    /// Logs in as `root` without a password.
    pub fn login(stream: TcpStream) -> Result<Mysql, Failure> {
        Mysql::login_as(stream, "root")
    }

    /// Logs in as a user without a password.
    pub fn login_as(stream: TcpStream, user: &str) -> Result<Mysql, Failure> {
        let mut client = Mysql { stream, sequence: 0 };
        client.receive()?;
        let mut login = CAPABILITIES.to_le_bytes().to_vec();
        login.extend(PACKET_BYTES_MAX.to_le_bytes());
        login.push(UTF8MB4_GENERAL_CI);
        login.extend([0; 23]);
        login.extend(user.as_bytes());
        login.extend(b"\0\0mysql_native_password\0");
        client.send(1, &login)?;
        let (sequence, reply) = client.receive()?;
        if reply.first() == Some(&0xfe) {
            // Another method is asked for; the answer for the empty password is the same.
            client.send(sequence + 1, b"")?;
            check(&client.receive()?.1)?;
        } else {
            check(&reply)?;
        }
        Ok(client)
    }

    /// The connection itself.
    pub fn into_stream(self) -> TcpStream {
        self.stream
    }

    /// Runs a statement; its rows if it has any.
    pub fn query(&mut self, text: &str) -> Result<Rows, Failure> {
        self.send_query(text)?;
        self.result()
    }

    /// Executes a statement that is to succeed.
    #[track_caller]
    pub fn run(&mut self, text: &str) {
        let done = self.execute(text);
        assert!(done.is_ok(), "{text}: {done:?}");
    }

    /// Runs a statement that has no rows; how many rows it changed.
    pub fn execute(&mut self, text: &str) -> Result<u64, Failure> {
        self.send_query(text)?;
        let (_, packet) = self.receive()?;
        check(&packet)?;
        Ok(match packet[1] {
            0xfc => u64::from(u16::from_le_bytes([packet[2], packet[3]])),
            0xfd.. => u64::from(u32::from_le_bytes([packet[2], packet[3], packet[4], 0])),
            count => u64::from(count),
        })
    }

    /// Sends a statement without waiting for its result.
    pub fn send_query(&mut self, text: &str) -> io::Result<()> {
        let mut command = vec![3];
        command.extend(text.as_bytes());
        self.send(0, &command)
    }

    /// Reads a statement's result.
    pub fn result(&mut self) -> Result<Rows, Failure> {
        let (_, head) = self.receive()?;
        check(&head)?;
        if head.first() == Some(&0) {
            return Ok(Rows::new());
        }
        let columns = head[0] as usize;
        for _ in 0..=columns {
            self.receive()?;
        }
        let mut rows = Rows::new();
        loop {
            let (_, packet) = self.receive()?;
            if packet[0] == 0xfe && packet.len() < 9 {
                return Ok(rows);
            }
            check(&packet)?;
            let mut rest = &packet[..];
            rows.push((0..columns).map(|_| text(&mut rest)).collect());
        }
    }

    /// Begins a LOAD DATA LOCAL: the server asks for the file, which `send_piece` sends.
    pub fn begin_load(&mut self, text: &str) -> Result<(), Failure> {
        self.send_query(text)?;
        let (sequence, reply) = self.receive()?;
        check(&reply)?;
        assert_eq!(reply.first(), Some(&0xfb), "asks for the file");
        self.sequence = sequence.wrapping_add(1);
        Ok(())
    }

    /// Sends a piece of the file, at most 16 MB; an empty one ends it.
    pub fn send_piece(&mut self, piece: &[u8]) -> io::Result<()> {
        let sequence = self.sequence;
        self.sequence = sequence.wrapping_add(1);
        self.send(sequence, piece)
    }

    /// Waits for the first byte of a reply and leaves it unread.
    pub fn await_reply(&self) -> io::Result<()> {
        self.stream.peek(&mut [0]).map(drop)
    }

    fn send(&mut self, sequence: u8, payload: &[u8]) -> io::Result<()> {
        let mut packet = (payload.len() as u32).to_le_bytes()[..3].to_vec();
        packet.push(sequence);
        packet.extend(payload);
        self.stream.write_all(&packet)
    }

    fn receive(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let mut header = [0; 4];
        self.stream.read_exact(&mut header)?;
        let length = u32::from_le_bytes([header[0], header[1], header[2], 0]);
        let mut payload = vec![0; length as usize];
        self.stream.read_exact(&mut payload)?;
        Ok((header[3], payload))
    }
}

fn check(packet: &[u8]) -> Result<(), Failure> {
    match packet {
        [0xff, low, high, words @ ..] => Err(Failure::Error {
            number: u16::from_le_bytes([*low, *high]),
            message: String::from_utf8_lossy(words).into_owned(),
        }),
        _ => Ok(()),
    }
}

/// Takes a length-encoded text from the front.
fn text(rest: &mut &[u8]) -> Option<String> {
    let (length, head) = match rest[0] {
        0xfb => {
            *rest = &rest[1..];
            return None;
        }
        0xfc => (usize::from(u16::from_le_bytes([rest[1], rest[2]])), 3),
        0xfd => (u32::from_le_bytes([rest[1], rest[2], rest[3], 0]) as usize, 4),
        length => (usize::from(length), 1),
    };
    let text = String::from_utf8_lossy(&rest[head..head + length]).into_owned();
    *rest = &rest[head + length..];
    Some(text)
}
