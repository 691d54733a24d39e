//! A client of the MySQL door without sockets: what it sends is served turn by turn, as the
//! server does it; what comes back is cut into packets.
//!
//! Written from the protocol's description and not with the door's own codec, so that both
//! would have to be wrong in the same way.

#[path = "../common/reads.rs"]
mod reads;

use std::sync::Arc;

use doors::mysql::{Mysql, MysqlDoor};
use doors::{Conversation, Input, Next, Report, Turn};
use reads::Reads;
use rows::{Engine, Group};

/// PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH, LOCAL_FILES, TRANSACTIONS, LONG_FLAG.
pub const BASIC: u32 = 0x1 | 0x4 | 0x80 | 0x200 | 0x2000 | 0x8000 | 0x8_0000;
pub const CONNECT_WITH_DB: u32 = 0x8;
pub const MULTI_STATEMENTS: u32 = 0x1_0000 | 0x2_0000;
pub const DEPRECATE_EOF: u32 = 0x100_0000;

pub const OK: u8 = 0x00;
pub const EOF: u8 = 0xFE;
pub const ERR: u8 = 0xFF;

/// One side of a conversation.
pub struct Client {
    engine: Arc<Engine>,
    conversation: Mysql,
    input: Input,
    /// What the door has sent and the client has not looked at yet.
    received: Vec<u8>,
    /// The last thing the door wanted.
    pub next: Next,
    /// How often the door asked for a thread that may wait.
    pub offloads: usize,
    /// The greeting's payload.
    pub greeting: Vec<u8>,
}

impl Client {
    /// A client that has received the greeting.
    pub fn connect(engine: &Arc<Engine>, door: &Arc<MysqlDoor>) -> Client {
        let mut conversation = Mysql::new(Arc::clone(door), 7, "localhost");
        let mut greeting = Vec::new();
        conversation.greet(&mut greeting);
        Client {
            engine: Arc::clone(engine),
            conversation,
            input: Input::new(),
            received: Vec::new(),
            next: Next::Input,
            offloads: 0,
            greeting: greeting[4..].to_vec(),
        }
    }

    /// A client that has logged in as root without a password.
    pub fn logged_in(engine: &Arc<Engine>, door: &Arc<MysqlDoor>, capabilities: u32) -> Client {
        let mut client = Client::connect(engine, door);
        let login = login("root", b"", "", "caching_sha2_password", capabilities);
        let replies = client.send(1, &login);
        assert_eq!(replies[0][0], OK, "{:?}", String::from_utf8_lossy(&replies[0]));
        client
    }

    /// Sends one packet and returns the packets that answer it, whose numbers must follow each
    /// other.
    pub fn send(&mut self, sequence: u8, payload: &[u8]) -> Vec<Vec<u8>> {
        self.input.extend(&packet(sequence, payload));
        self.serve();
        let received = std::mem::take(&mut self.received);
        let (payloads, sequences) = cut(&received);
        for pair in sequences.windows(2) {
            assert_eq!(pair[1], pair[0].wrapping_add(1), "numbers of replies");
        }
        payloads
    }

    /// COM_QUERY; the packets that answer it, with their numbers.
    pub fn numbered(&mut self, text: &str) -> Vec<(u8, Vec<u8>)> {
        self.numbered_command(&[&[3], text.as_bytes()].concat())
    }

    /// A command as it is; the packets that answer it, with their numbers.
    pub fn numbered_command(&mut self, payload: &[u8]) -> Vec<(u8, Vec<u8>)> {
        self.input.extend(&packet(0, payload));
        self.serve();
        let (payloads, sequences) = cut(&std::mem::take(&mut self.received));
        sequences.into_iter().zip(payloads).collect()
    }

    /// What tells how far a statement is that is served elsewhere.
    pub fn reports(&self) -> Option<Arc<dyn Report>> {
        self.conversation.reports()
    }

    /// Sends bytes as they are and returns the packets that answer them.
    pub fn send_raw(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.input.extend(bytes);
        self.serve();
        cut(&std::mem::take(&mut self.received)).0
    }

    /// A command: its byte and the rest of its payload.
    pub fn command(&mut self, code: u8, rest: &[u8]) -> Vec<Vec<u8>> {
        self.send(0, &[&[code], rest].concat())
    }

    /// COM_QUERY.
    pub fn query(&mut self, text: &str) -> Vec<Vec<u8>> {
        self.command(3, text.as_bytes())
    }

    /// One turn in a loop whose group other connections share; gives what the door wants next.
    pub fn turn(&mut self, group: &mut Group) -> Next {
        let mut turn = Turn::in_loop(&self.engine, group);
        self.conversation.turn(&mut self.input, &mut self.received, &mut turn)
    }

    /// Puts a COM_QUERY among the bytes that have come in.
    pub fn ask(&mut self, text: &str) {
        self.input.extend(&packet(0, &[&[3], text.as_bytes()].concat()));
    }

    /// The packets that have been answered since the last call.
    pub fn answers(&mut self) -> Vec<Vec<u8>> {
        cut(&std::mem::take(&mut self.received)).0
    }

    /// Tells the conversation that the group's commit failed, as the server does: with the
    /// replies that depended on it taken back.
    pub fn fail_commit(&mut self, error: &rows::Error) -> Vec<Vec<u8>> {
        self.received.clear();
        self.conversation.commit_failed(error, &mut self.received);
        self.answers()
    }

    /// Takes turns as the server does until the door needs more bytes or closes.
    fn serve(&mut self) {
        let mut pool = false;
        let mut reads = Reads::of(&self.engine);
        loop {
            let mut group = Group::new();
            let mut turn = match pool {
                false => Turn::in_loop(&self.engine, &mut group),
                true => Turn::in_pool(&self.engine, &mut group),
            };
            let mut take_turn = || {
                self.next = self.conversation.turn(&mut self.input, &mut self.received, &mut turn);
            };
            match pool {
                false => reads.lend(&self.engine, &mut take_turn),
                true => take_turn(),
            }
            if let Some((transaction, durability)) = group.take() {
                assert!(transaction.is_empty() || self.next == Next::Commit, "told too early");
                transaction.commit(durability).expect("commits");
            }
            match self.next {
                Next::Input | Next::Close => return,
                Next::Again | Next::Commit | Next::Encrypt | Next::Later(_) => pool = false,
                Next::Offload if reads.make(self.next) => pool = false,
                Next::Offload => {
                    assert!(!pool, "a pool thread may wait");
                    pool = true;
                    self.offloads += 1;
                }
            }
        }
    }
}

/// Cuts bytes into payloads, frames of 16 MiB joined, and the frames' numbers.
fn cut(bytes: &[u8]) -> (Vec<Vec<u8>>, Vec<u8>) {
    let (mut payloads, mut sequences, mut rest) = (Vec::new(), Vec::new(), bytes);
    let mut continued = false;
    while !rest.is_empty() {
        let length = u32::from_le_bytes([rest[0], rest[1], rest[2], 0]) as usize;
        sequences.push(rest[3]);
        let payload = &rest[4..4 + length];
        match payloads.last_mut() {
            Some(last) if continued => Vec::extend_from_slice(last, payload),
            _ => payloads.push(payload.to_vec()),
        }
        continued = length == 0xFF_FFFF;
        rest = &rest[4 + length..];
    }
    (payloads, sequences)
}

/// A packet of less than 16 MiB.
pub fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_le_bytes();
    [&[length[0], length[1], length[2], sequence], payload].concat()
}

/// A handshake response.
pub fn login(user: &str, proof: &[u8], database: &str, method: &str, capabilities: u32) -> Vec<u8> {
    let database_flag = if database.is_empty() { 0 } else { CONNECT_WITH_DB };
    let mut payload = (BASIC | capabilities | database_flag).to_le_bytes().to_vec();
    payload.extend_from_slice(&[0, 0, 0, 1, 45]);
    payload.extend_from_slice(&[0; 23]);
    payload.extend_from_slice(user.as_bytes());
    payload.push(0);
    payload.push(proof.len() as u8);
    payload.extend_from_slice(proof);
    if !database.is_empty() {
        payload.extend_from_slice(database.as_bytes());
        payload.push(0);
    }
    payload.extend_from_slice(method.as_bytes());
    payload.push(0);
    payload
}

/// The number of an ERR packet.
pub fn error_number(payload: &[u8]) -> u16 {
    assert_eq!(payload[0], ERR, "an error was expected: {:?}", String::from_utf8_lossy(payload));
    u16::from_le_bytes([payload[1], payload[2]])
}

/// The values of a text row; `None` is NULL.
pub fn text_row(mut payload: &[u8]) -> Vec<Option<String>> {
    let mut values = Vec::new();
    while let Some((&first, rest)) = payload.split_first() {
        let (length, rest) = match first {
            0xFB => {
                values.push(None);
                payload = rest;
                continue;
            }
            0xFC => (u16::from_le_bytes([rest[0], rest[1]]) as usize, &rest[2..]),
            0xFD => (u32::from_le_bytes([rest[0], rest[1], rest[2], 0]) as usize, &rest[3..]),
            0xFE | 0xFF => panic!("no row of a test is that long"),
            small => (small as usize, rest),
        };
        values.push(Some(String::from_utf8_lossy(&rest[..length]).into_owned()));
        payload = &rest[length..];
    }
    values
}
