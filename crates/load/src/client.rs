//! A client of the MySQL protocol: logs in, sends texts, reads rows as text.
//!
//! Passwords are proved by `mysql_native_password`, which Rowhouse takes for every account that
//! was configured with its password or a `*` hash, and MariaDB for its own.
//!
//! Invariants
//! 1. After an error of kind `Server` the connection is ready for the next statement.
//!
//! Not here: packets (`wire`), TLS, prepared statements.

use sha1::{Digest, Sha1};

use crate::error::{Error, Result};
use crate::wire::{Cursor, Link, Packets};

/// LONG_PASSWORD, LONG_FLAG, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH.
const CAPABILITIES: u32 = 1 | 1 << 2 | 1 << 9 | 1 << 13 | 1 << 15 | 1 << 19;
/// The largest packet that this client names; the server has a limit of its own.
const PACKET_BYTES_MAX: u32 = 1 << 30;
/// utf8mb4_general_ci.
const CHARACTER_SET: u8 = 45;
const NATIVE: &str = "mysql_native_password";
const COM_QUERY: u8 = 3;
const OK: u8 = 0;
const LOCAL_FILE: u8 = 0xfb;
const EOF: u8 = 0xfe;
const ERROR: u8 = 0xff;

/// Who logs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// User name.
    pub user: String,
    /// Password; empty for none.
    pub password: String,
}

/// A connection that has logged in.
pub struct Client {
    packets: Packets,
}

/// What became of a statement that gives no rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Rows written.
    pub rows: u64,
    /// Warnings that SHOW WARNINGS lists.
    pub warnings: u16,
}

/// A column of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The protocol's type code.
    pub type_code: u8,
    /// Whether its strings are bytes without a character set.
    pub binary: bool,
}

/// Rows on their way. Must be read to the end before the next statement.
pub struct Rows<'a> {
    packets: &'a mut Packets,
    /// The result's columns.
    pub columns: Vec<Column>,
}

impl Client {
    /// Logs in over a fresh link.
    ///
    /// # Errors
    /// `Server` when the server refuses the user.
    pub fn login(link: Box<dyn Link>, login: &Login) -> Result<Client> {
        let mut packets = Packets::new(link);
        let scramble = scramble(packets.receive()?)?;
        let mut response = Vec::new();
        response.extend_from_slice(&CAPABILITIES.to_le_bytes());
        response.extend_from_slice(&PACKET_BYTES_MAX.to_le_bytes());
        response.push(CHARACTER_SET);
        response.extend_from_slice(&[0; 23]);
        response.extend_from_slice(login.user.as_bytes());
        response.push(0);
        let proof = native_proof(&login.password, &scramble);
        response.push(proof.len() as u8);
        response.extend_from_slice(&proof);
        response.extend_from_slice(NATIVE.as_bytes());
        response.push(0);
        packets.send(&response, &[])?;
        loop {
            let payload = packets.receive()?;
            match payload.first() {
                Some(&OK) => return Ok(Client { packets }),
                Some(&ERROR) => return Err(refusal(payload)),
                Some(&EOF) => {
                    let mut cursor = Cursor(&payload[1..]);
                    let method = cursor.until_zero();
                    if method != NATIVE.as_bytes() {
                        return Err(other_method(method));
                    }
                    let proof = native_proof(&login.password, cursor.until_zero());
                    packets.send(&proof, &[])?;
                }
                _ => return Err(Error::Protocol("the login is answered by something else")),
            }
        }
    }

    /// Executes a statement. Rows that it gives are dropped.
    ///
    /// # Errors
    /// `Server` when the server refuses it.
    pub fn execute(&mut self, text: &[u8]) -> Result<Done> {
        self.send(text)?;
        let payload = self.packets.receive()?;
        if payload.first() == Some(&OK) {
            let mut cursor = Cursor(&payload[1..]);
            let rows = cursor.lenenc()?;
            cursor.lenenc()?;
            cursor.u16()?;
            return Ok(Done { rows, warnings: cursor.u16()? });
        }
        let mut rows = self.rows()?;
        while rows.row()?.is_some() {}
        Ok(Done::default())
    }

    /// Asks for rows.
    ///
    /// # Errors
    /// `Server` when the server refuses it.
    pub fn query(&mut self, text: &str) -> Result<Rows<'_>> {
        self.send(text.as_bytes())?;
        self.packets.receive()?;
        self.rows()
    }

    /// All rows of a short result, as texts; NULL is empty.
    ///
    /// # Errors
    /// As `query`.
    pub fn list(&mut self, text: &str) -> Result<Vec<Vec<String>>> {
        let mut rows = self.query(text)?;
        let mut list = Vec::new();
        let count = rows.columns.len();
        while let Some(mut row) = rows.row()? {
            let mut line = Vec::with_capacity(count);
            for _ in 0..count {
                let value = row.value()?.unwrap_or_default();
                line.push(String::from_utf8_lossy(value).into_owned());
            }
            list.push(line);
        }
        Ok(list)
    }

    fn send(&mut self, text: &[u8]) -> Result<()> {
        self.packets.begin();
        self.packets.send(&[COM_QUERY], text)
    }

    /// The head of a result is the last payload.
    fn rows(&mut self) -> Result<Rows<'_>> {
        let payload = self.packets.payload();
        let count = match payload.first() {
            Some(&ERROR) => return Err(refusal(payload)),
            Some(&OK) | None => return Err(Error::Protocol("rows were expected")),
            Some(&LOCAL_FILE) => {
                // Told that there is nothing to send, the server ends the statement.
                self.packets.send(&[], &[])?;
                self.packets.receive()?;
                return Err(Error::File("LOAD DATA LOCAL cannot stand in a file".to_owned()));
            }
            Some(_) => Cursor(payload).lenenc()?,
        };
        let mut columns = Vec::new();
        for _ in 0..count {
            columns.push(column(self.packets.receive()?)?);
        }
        if self.packets.receive()?.first() != Some(&EOF) {
            return Err(Error::Protocol("the columns have no end"));
        }
        Ok(Rows { packets: &mut self.packets, columns })
    }
}

impl Rows<'_> {
    /// The next row, whose values are read by `Cursor::value`; `None` behind the last one.
    ///
    /// # Errors
    /// `Server` when the statement fails amid its rows.
    pub fn row(&mut self) -> Result<Option<Cursor<'_>>> {
        let payload = self.packets.receive()?;
        match payload.first() {
            Some(&ERROR) => Err(refusal(payload)),
            Some(&EOF) if payload.len() < 9 => Ok(None),
            _ => Ok(Some(Cursor(payload))),
        }
    }
}

fn scramble(greeting: &[u8]) -> Result<Vec<u8>> {
    if greeting.first() == Some(&ERROR) {
        return Err(refusal(greeting));
    }
    let mut cursor = Cursor(greeting);
    if cursor.u8()? != 10 {
        return Err(Error::Protocol("this is no MySQL server's greeting"));
    }
    cursor.until_zero();
    cursor.bytes(4)?;
    let mut scramble = cursor.bytes(8)?.to_vec();
    cursor.bytes(1 + 2 + 1 + 2 + 2 + 1 + 10)?;
    scramble.extend_from_slice(cursor.bytes(12)?);
    Ok(scramble)
}

fn native_proof(password: &str, scramble: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let once = Sha1::digest(password.as_bytes());
    let mask = Sha1::new().chain_update(scramble).chain_update(Sha1::digest(once)).finalize();
    once.iter().zip(mask).map(|(once, mask)| once ^ mask).collect()
}

fn other_method(method: &[u8]) -> Error {
    let method = String::from_utf8_lossy(method);
    Error::Source(format!(
        "the account wants to log in by {method}, which this client does not speak: give it a \
         `password`, or a `password-hash` that begins with *"
    ))
}

fn refusal(payload: &[u8]) -> Error {
    let mut cursor = Cursor(payload.get(1..).unwrap_or_default());
    let number = cursor.u16().unwrap_or(0);
    // Before the login errors come without a state.
    let state = match cursor.0.first() {
        Some(b'#') if cursor.0.len() >= 6 => {
            let state = String::from_utf8_lossy(&cursor.0[1..6]).into_owned();
            cursor.0 = &cursor.0[6..];
            state
        }
        _ => "HY000".to_owned(),
    };
    Error::Server { number, state, message: String::from_utf8_lossy(cursor.0).into_owned() }
}

fn column(definition: &[u8]) -> Result<Column> {
    const BINARY: u16 = 63;
    let mut cursor = Cursor(definition);
    // Catalog, database, table, original table, name, original name.
    for _ in 0..6 {
        cursor.lenenc_bytes()?;
    }
    cursor.lenenc()?;
    let character_set = cursor.u16()?;
    cursor.bytes(4)?;
    Ok(Column { type_code: cursor.u8()?, binary: character_set == BINARY })
}
