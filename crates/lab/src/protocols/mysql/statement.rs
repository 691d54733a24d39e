//! Statements for clients that use what they read: typed parameters, binary rows, errors by number.
//!
//! ```text
//! execution: 23, statement (4), no cursor (1), 1 (4), NULL bits, types follow? (1), types, values
//! row:       0, NULL bits (two reserved ones first), values
//! value:     integers as wide as their type; everything else with its length before it
//! ```
//! Not here: requests without waiting for replies (`prepared`, `text`).

use std::fmt;
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};

use super::packet::{lenenc, lenenc_bytes, packet, push_packet};
use super::session::{MysqlSession, TextRow, text_row};

const COM_STMT_EXECUTE: u8 = 23;
const TYPE_LONGLONG: u8 = 8;
const TYPE_NEWDECIMAL: u8 = 246;
const TYPE_VAR_STRING: u8 = 253;
const UNSIGNED_FLAG: u16 = 0x20;

/// An error that the server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerError {
    /// MySQL's error number.
    pub code: u16,
    /// State and message.
    pub message: String,
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error {} {}", self.code, self.message)
    }
}

impl std::error::Error for ServerError {}

/// A parameter.
#[derive(Debug, Clone, Copy)]
pub enum MysqlValue<'a> {
    /// An integer, sent as BIGINT.
    Int(i64),
    /// A DECIMAL, which goes as text.
    Decimal(&'a str),
    /// Anything else as text.
    Text(&'a str),
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cell {
    Null,
    Int(i64),
    Bytes(Vec<u8>),
}

/// A row of a prepared statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementRow(Vec<Cell>);

impl StatementRow {
    /// An integer.
    pub fn int(&self, at: usize) -> Result<i64> {
        match self.0.get(at) {
            Some(Cell::Int(number)) => Ok(*number),
            other => bail!("column {at} is {other:?}, not an integer"),
        }
    }

    /// A text.
    pub fn text(&self, at: usize) -> Result<&str> {
        match self.0.get(at) {
            Some(Cell::Bytes(bytes)) => Ok(std::str::from_utf8(bytes)?),
            other => bail!("column {at} is {other:?}, not a text"),
        }
    }

    /// A DECIMAL in units of its last digit: 12.34 is 1234.
    pub fn units(&self, at: usize) -> Result<i64> {
        units(self.text(at)?)
    }
}

/// A DECIMAL's text in units of its last digit.
pub fn units(text: &str) -> Result<i64> {
    let digits: String = text.chars().filter(|letter| *letter != '.').collect();
    digits.parse().with_context(|| format!("{text:?} is not a decimal"))
}

/// A prepared statement of one session.
pub struct Statement {
    id: u32,
    sql: String,
    types_sent: bool,
}

impl Statement {
    /// Prepares it.
    pub fn prepare(session: &mut MysqlSession, sql: &str) -> Result<Statement> {
        let id = session.prepare(sql)?;
        Ok(Statement { id, sql: sql.to_owned(), types_sent: false })
    }

    /// Executes it; gives all rows.
    pub fn rows(
        &mut self,
        session: &mut MysqlSession,
        values: &[MysqlValue<'_>],
    ) -> Result<Vec<StatementRow>> {
        let mut rows = Vec::new();
        self.execute(session, values, &mut |payload, columns| {
            rows.push(binary_row(payload, columns).context("a row that is cut short")?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Executes it; there must be exactly one row.
    pub fn row(
        &mut self,
        session: &mut MysqlSession,
        values: &[MysqlValue<'_>],
    ) -> Result<StatementRow> {
        let mut rows = self.rows(session, values)?;
        ensure!(rows.len() == 1, "{} with {values:?}: {} rows", self.sql, rows.len());
        Ok(rows.remove(0))
    }

    /// Executes it; gives how many rows it found to change, or added.
    pub fn affect(&mut self, session: &mut MysqlSession, values: &[MysqlValue<'_>]) -> Result<u64> {
        self.execute(session, values, &mut |_, _| Ok(()))
    }

    /// Executes it; it must find or add exactly one row.
    pub fn affect_one(
        &mut self,
        session: &mut MysqlSession,
        values: &[MysqlValue<'_>],
    ) -> Result<()> {
        let affected = self.affect(session, values)?;
        ensure!(affected == 1, "{} with {values:?}: {affected} rows", self.sql);
        Ok(())
    }

    fn execute(
        &mut self,
        session: &mut MysqlSession,
        values: &[MysqlValue<'_>],
        row: &mut dyn FnMut(&[u8], &[Column]) -> Result<()>,
    ) -> Result<u64> {
        let mut out = Vec::new();
        push_packet(&mut out, 0, |out| {
            out.push(COM_STMT_EXECUTE);
            out.extend_from_slice(&self.id.to_le_bytes());
            out.push(0);
            out.extend_from_slice(&1u32.to_le_bytes());
            if !values.is_empty() {
                out.extend(std::iter::repeat_n(0, values.len().div_ceil(8)));
                // Types go with the first execution only, as client libraries do it.
                out.push(u8::from(!self.types_sent));
            }
            if !self.types_sent {
                out.extend(values.iter().flat_map(|value| match value {
                    MysqlValue::Int(_) => [TYPE_LONGLONG, 0],
                    MysqlValue::Decimal(_) => [TYPE_NEWDECIMAL, 0],
                    MysqlValue::Text(_) => [TYPE_VAR_STRING, 0],
                }));
            }
            for value in values {
                match value {
                    MysqlValue::Int(number) => out.extend_from_slice(&number.to_le_bytes()),
                    MysqlValue::Decimal(text) | MysqlValue::Text(text) => {
                        push_text(out, text.as_bytes())
                    }
                }
            }
        });
        self.types_sent = true;
        session.send_bytes(&out)?;
        take_reply(session, row).with_context(|| self.sql.clone())
    }
}

impl MysqlSession {
    /// Runs a statement and gives what it affected; an error of the server can be had back as
    /// `ServerError`.
    pub fn run(&mut self, sql: &str) -> Result<u64> {
        self.each_row(sql, |_| Ok(()))
    }

    /// Runs a query and shows each row as text, however many there are.
    pub fn each_row(
        &mut self,
        sql: &str,
        mut row: impl FnMut(TextRow) -> Result<()>,
    ) -> Result<u64> {
        self.send(sql)?;
        take_reply(self, &mut |payload, _| row(text_row(payload))).with_context(|| sql.to_owned())
    }
}

/// What is known of a column: its type and whether it is unsigned.
#[derive(Debug, Clone, Copy)]
struct Column {
    kind: u8,
    unsigned: bool,
}

/// The packets of a reply, which leave the session's buffer only together.
struct Packets<'a> {
    session: &'a mut MysqlSession,
    at: usize,
}

impl Packets<'_> {
    fn next(&mut self) -> Result<Range<usize>> {
        loop {
            if let Some((payload, bytes)) = packet(&self.session.input[self.at..]) {
                let end = self.at + bytes;
                let payload = end - payload.len()..end;
                self.at = end;
                return Ok(payload);
            }
            self.session.input.drain(..self.at);
            self.at = 0;
            self.session.read_more()?;
        }
    }
}

impl Drop for Packets<'_> {
    fn drop(&mut self) {
        self.session.input.drain(..self.at);
    }
}

/// Takes a whole reply. Gives the rows it affected, or shows its rows.
fn take_reply(
    session: &mut MysqlSession,
    row: &mut dyn FnMut(&[u8], &[Column]) -> Result<()>,
) -> Result<u64> {
    let mut packets = Packets { session, at: 0 };
    let head = packets.next()?;
    let head = &packets.session.input[head];
    let count = match head.first() {
        Some(0x00) => return Ok(lenenc(&head[1..]).map_or(0, |(affected, _)| affected)),
        Some(0xff) | None => return Err(refused(head).into()),
        Some(_) => lenenc(head).context("a count of columns")?.0,
    };
    let mut columns = Vec::new();
    for _ in 0..count {
        let definition = packets.next()?;
        let definition = &packets.session.input[definition];
        columns.push(column(definition).context("a column's definition")?);
    }
    packets.next()?;
    let mut shown = Ok(());
    loop {
        let payload = packets.next()?;
        let payload = &packets.session.input[payload];
        match payload.first() {
            Some(0xfe) if payload.len() < 9 => return shown.map(|()| 0),
            Some(0xff) => return Err(refused(payload).into()),
            // The rest is read all the same, so that the session can go on.
            _ if shown.is_ok() => shown = row(payload, &columns),
            _ => {}
        }
    }
}

fn refused(payload: &[u8]) -> ServerError {
    let code = payload.get(1..3).map_or(0, |code| u16::from_le_bytes([code[0], code[1]]));
    let message = String::from_utf8_lossy(payload.get(3..).unwrap_or_default()).into_owned();
    ServerError { code, message }
}

/// Catalog, schema, table twice, name twice, 12, collation (2), length (4), type, flags (2).
fn column(mut definition: &[u8]) -> Option<Column> {
    for _ in 0..6 {
        definition = lenenc_bytes(definition)?.1;
    }
    let kind = *definition.get(7)?;
    let flags = u16::from_le_bytes([*definition.get(8)?, *definition.get(9)?]);
    Some(Column { kind, unsigned: flags & UNSIGNED_FLAG != 0 })
}

fn binary_row(payload: &[u8], columns: &[Column]) -> Option<StatementRow> {
    let bits = payload.get(1..1 + (columns.len() + 2).div_ceil(8))?;
    let mut rest = &payload[1 + bits.len()..];
    let mut cells = Vec::with_capacity(columns.len());
    for (at, column) in columns.iter().enumerate() {
        if bits[(at + 2) / 8] >> ((at + 2) % 8) & 1 == 1 {
            cells.push(Cell::Null);
            continue;
        }
        let width = match column.kind {
            1 => 1,
            2 | 13 => 2,
            3 | 9 => 4,
            TYPE_LONGLONG => 8,
            // FLOAT and DOUBLE have no form that the lab needs.
            4 | 5 => return None,
            _ => {
                let (bytes, after) = lenenc_bytes(rest)?;
                cells.push(Cell::Bytes(bytes.to_vec()));
                rest = after;
                continue;
            }
        };
        let bytes = rest.get(..width)?;
        let negative = !column.unsigned && bytes[width - 1] & 0x80 != 0;
        let mut number = [if negative { 0xff } else { 0 }; 8];
        number[..width].copy_from_slice(bytes);
        cells.push(Cell::Int(i64::from_le_bytes(number)));
        rest = &rest[width..];
    }
    Some(StatementRow(cells))
}

fn push_text(out: &mut Vec<u8>, text: &[u8]) {
    match text.len() {
        length @ 0..=250 => out.push(length as u8),
        length => {
            out.push(0xfc);
            let length = u16::try_from(length).expect("the lab's parameters are short");
            out.extend_from_slice(&length.to_le_bytes());
        }
    }
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_row_is_read_by_the_types_of_its_columns() {
        let signed = |kind| Column { kind, unsigned: false };
        let columns = [signed(2), signed(TYPE_LONGLONG), signed(246), signed(3)];
        let mut payload = vec![0, 0b0000_1000, 0xfe, 0xff, 5];
        payload.extend_from_slice(b"12.34\x01\0\0\0");
        let row = binary_row(&payload, &columns).unwrap();
        assert_eq!(
            (row.int(0).unwrap(), row.units(2).unwrap(), row.int(3).unwrap()),
            (-2, 1234, 1)
        );
        assert!(row.int(1).is_err() && row.text(0).is_err());
        assert!(binary_row(&payload[..7], &columns).is_none());
    }

    #[test]
    fn decimals_are_counted_in_their_last_digit() {
        assert_eq!(units("-0.05").unwrap(), -5);
        assert_eq!(units("300000.00").unwrap(), 30_000_000);
        assert!(units("x").is_err());
    }
}
