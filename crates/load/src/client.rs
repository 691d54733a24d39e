//! A client of the MySQL protocol: logs in, sends texts, reads rows as text.
//!
//! Invariants
//! 1. After an error of kind `Server` the connection is ready for the next statement.
//!
//! Not here: packets (`wire`), the exchange of a login (`login`), prepared statements.

use crate::error::{Error, Result};
use crate::login::{LinkEncryption, Login, log_in};
use crate::wire::{Cursor, EOF, ERROR, Link, OK, Packets, refusal};

const COM_QUERY: u8 = 3;
const LOCAL_FILE: u8 = 0xfb;

/// A connection that has logged in.
pub struct Client {
    packets: Packets,
}

/// What became of a statement that gives no rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementOutcome {
    /// Rows written.
    pub rows: u64,
    /// Warnings that SHOW WARNINGS lists.
    pub warnings: u16,
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
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
    /// Logs in over a fresh link, which is encrypted first if that is asked for.
    ///
    /// # Errors
    /// `Server` when the server refuses the user, `Source` when it speaks no TLS or cannot prove
    /// that it is the one.
    pub fn login(
        link: Box<dyn Link>,
        login: &Login,
        encryption: Option<LinkEncryption>,
    ) -> Result<Client> {
        let mut packets = Packets::new(link);
        log_in(&mut packets, login, encryption)?;
        Ok(Client { packets })
    }

    /// Executes a statement. Rows that it gives are dropped.
    ///
    /// # Errors
    /// `Server` when the server refuses it.
    pub fn execute(&mut self, text: &[u8]) -> Result<StatementOutcome> {
        self.send(text)?;
        let payload = self.packets.receive()?;
        if payload.first() == Some(&OK) {
            let mut cursor = Cursor(&payload[1..]);
            let rows = cursor.lenenc()?;
            cursor.lenenc()?;
            cursor.u16()?;
            return Ok(StatementOutcome { rows, warnings: cursor.u16()? });
        }
        let mut rows = self.rows()?;
        while rows.row()?.is_some() {}
        Ok(StatementOutcome::default())
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

fn column(definition: &[u8]) -> Result<Column> {
    const BINARY: u16 = 63;
    let mut cursor = Cursor(definition);
    // Catalog, database, table, original table; then the name, and the original one.
    for _ in 0..4 {
        cursor.lenenc_bytes()?;
    }
    let name = String::from_utf8_lossy(cursor.lenenc_bytes()?).into_owned();
    cursor.lenenc_bytes()?;
    cursor.lenenc()?;
    let character_set = cursor.u16()?;
    cursor.bytes(4)?;
    Ok(Column { name, type_code: cursor.u8()?, binary: character_set == BINARY })
}
