//! Parameters of prepared statements: the binary values of COM_STMT_EXECUTE and the pieces of
//! COM_STMT_SEND_LONG_DATA.
//!
//! ```text
//! NULL bitmap, (n+7)/8 | types follow: 0 or 1 | n times: type 1, 0x80 if unsigned 1 | values
//! ```
//!
//! Invariants
//! 1. Values are borrowed from the packet or from long data.
//! 2. Types stay bound until the client binds others.
//! 3. Long data of all statements of a connection together stay within the packet limit.
//!
//! Not here: conversion to the columns' types (crate `sql`).

use std::collections::HashMap;

use values::datum::Datum;
use values::decimal::Decimal;
use values::temporal::{Date, DateTime, Time};

use super::cursor::{MalformedPayload, PayloadCursor};
use super::numbers::type_code;

/// The second type byte's bit for unsigned integers.
const UNSIGNED: u8 = 0x80;

/// Why parameters cannot be had from a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterError {
    /// The packet is too short or has an unknown type.
    Malformed,
    /// No types were ever bound, or long data were sent for a parameter that there is not.
    Arguments,
    /// More long data than allowed were sent before.
    TooLong,
}

impl From<MalformedPayload> for ParameterError {
    fn from(_: MalformedPayload) -> ParameterError {
        ParameterError::Malformed
    }
}

/// What the door keeps of a prepared statement.
#[derive(Debug, Default)]
pub struct Statement {
    /// How many `?` it has.
    parameters: u16,
    /// The types bound last: code and second byte.
    types: Vec<[u8; 2]>,
    /// Values sent in pieces, by position.
    long_data: HashMap<u16, Vec<u8>>,
    /// Why the pieces cannot be used; said when the statement is executed.
    long_data_error: Option<ParameterError>,
}

impl Statement {
    /// A statement with so many parameters.
    pub fn new(parameters: u16) -> Statement {
        Statement { parameters, ..Statement::default() }
    }

    /// Bytes of long data held.
    pub fn long_data_bytes(&self) -> usize {
        self.long_data.values().map(Vec::len).sum()
    }

    /// Appends a piece; `room` is how many bytes may still be held.
    pub fn append(&mut self, parameter: u16, piece: &[u8], room: usize) {
        if parameter >= self.parameters {
            self.long_data_error = Some(ParameterError::Arguments);
        } else if piece.len() > room {
            self.long_data.clear();
            self.long_data_error = Some(ParameterError::TooLong);
        } else if self.long_data_error.is_none() {
            self.long_data.entry(parameter).or_default().extend_from_slice(piece);
        }
    }

    /// Whether the parameter at a position was bound last as text, not as bytes.
    pub fn is_text(&self, position: usize) -> bool {
        let code = self.types.get(position).map_or(type_code::NULL, |[code, _]| *code);
        matches!(
            code,
            type_code::VARCHAR
                | type_code::VAR_STRING
                | type_code::STRING
                | type_code::ENUM
                | type_code::SET
                | type_code::JSON
        )
    }

    /// Forgets long data and what was wrong with them.
    pub fn reset(&mut self) {
        self.long_data.clear();
        self.long_data_error = None;
    }

    /// Decodes the parameters of an execution into `values`.
    ///
    /// # Errors
    /// Those of `ParameterError`; what `values` has then is of no use.
    pub fn decode<'a>(
        &'a mut self,
        payload: &'a [u8],
        values: &mut Vec<Datum<'a>>,
    ) -> Result<(), ParameterError> {
        self.bind(payload)?;
        self.values(payload, values)
    }

    /// Takes over the types that an execution binds.
    ///
    /// # Errors
    /// As `decode`.
    pub fn bind(&mut self, payload: &[u8]) -> Result<(), ParameterError> {
        if let Some(error) = self.long_data_error {
            return Err(error);
        }
        let count = self.parameters as usize;
        if count == 0 {
            return Ok(());
        }
        let mut cursor = PayloadCursor::new(payload);
        cursor.bytes(count.div_ceil(8))?;
        if cursor.u8()? != 0 {
            let types = cursor.bytes(2 * count)?;
            self.types.clear();
            self.types.extend(types.chunks_exact(2).map(|pair| [pair[0], pair[1]]));
        } else if self.types.len() != count {
            return Err(ParameterError::Arguments);
        }
        Ok(())
    }

    /// Decodes the values of an execution whose types were bound.
    ///
    /// # Errors
    /// As `decode`.
    pub fn values<'a>(
        &'a self,
        payload: &'a [u8],
        values: &mut Vec<Datum<'a>>,
    ) -> Result<(), ParameterError> {
        let count = self.parameters as usize;
        if count == 0 {
            return Ok(());
        }
        let mut cursor = PayloadCursor::new(payload);
        let nulls = cursor.bytes(count.div_ceil(8))?;
        if cursor.u8()? != 0 {
            cursor.bytes(2 * count)?;
        }
        values.reserve(count);
        for (position, &[code, flags]) in self.types.iter().enumerate() {
            let is_null = nulls[position / 8] & (1 << (position % 8)) != 0;
            let value = match self.long_data.get(&(position as u16)) {
                Some(data) => Datum::Bytes(data),
                None if is_null => Datum::Null,
                None => value(&mut cursor, code, flags & UNSIGNED != 0)?,
            };
            values.push(value);
        }
        Ok(())
    }
}

/// One binary value.
fn value<'a>(
    cursor: &mut PayloadCursor<'a>,
    code: u8,
    unsigned: bool,
) -> Result<Datum<'a>, MalformedPayload> {
    let integer = |signed: i64, bits: u32| {
        // Sign extension is undone for unsigned values by keeping only their own bits.
        if unsigned {
            Datum::UInt(signed as u64 & (u64::MAX >> (64 - bits)))
        } else {
            Datum::Int(signed)
        }
    };
    Ok(match code {
        type_code::TINY => integer(cursor.u8()? as i8 as i64, 8),
        type_code::SHORT | type_code::YEAR => integer(cursor.u16()? as i16 as i64, 16),
        type_code::LONG | type_code::INT24 => integer(cursor.u32()? as i32 as i64, 32),
        type_code::LONGLONG => integer(cursor.u64()? as i64, 64),
        type_code::FLOAT => Datum::Float(f32::from_bits(cursor.u32()?)),
        type_code::DOUBLE => Datum::Double(f64::from_bits(cursor.u64()?)),
        type_code::DATE | type_code::NEWDATE => Datum::Date(moment(cursor)?.date()),
        type_code::DATETIME | type_code::TIMESTAMP => Datum::DateTime(moment(cursor)?),
        type_code::TIME => Datum::Time(duration(cursor)?),
        type_code::NULL => Datum::Null,
        type_code::DECIMAL | type_code::NEWDECIMAL => {
            let text = cursor.lenenc_bytes()?;
            decimal(text).unwrap_or(Datum::Bytes(text))
        }
        type_code::VARCHAR
        | type_code::BIT
        | type_code::JSON
        | type_code::ENUM
        | type_code::SET
        | type_code::TINY_BLOB
        | type_code::MEDIUM_BLOB
        | type_code::LONG_BLOB
        | type_code::BLOB
        | type_code::VAR_STRING
        | type_code::STRING
        | type_code::GEOMETRY => Datum::Bytes(cursor.lenenc_bytes()?),
        _ => return Err(MalformedPayload),
    })
}

fn decimal(text: &[u8]) -> Option<Datum<'static>> {
    Decimal::parse(text).map(Datum::Decimal)
}

/// `length 0, 4, 7 or 11 | year 2, month 1, day 1 | hour 1, minute 1, second 1 | micros 4`.
/// What is no moment becomes the zero date, as in MySQL.
fn moment(cursor: &mut PayloadCursor<'_>) -> Result<DateTime, MalformedPayload> {
    let length = cursor.u8()?;
    let mut parts = PayloadCursor::new(cursor.bytes(length as usize)?);
    if !matches!(length, 0 | 4 | 7 | 11) {
        return Err(MalformedPayload);
    }
    if length == 0 {
        return Ok(DateTime::ZERO);
    }
    let (year, month, day) = (parts.u16()?, parts.u8()?, parts.u8()?);
    let [hour, minute, second] = if length >= 7 { parts.array()? } else { [0; 3] };
    let micros = if length == 11 { parts.u32()? } else { 0 };
    let moment = Date::new(year, month, day)
        .and_then(|date| DateTime::new(date, hour, minute, second, micros));
    Ok(moment.unwrap_or(DateTime::ZERO))
}

/// `length 0, 8 or 12 | negative 1, days 4, hour 1, minute 1, second 1 | micros 4`.
/// What is no duration becomes zero and what is too long the longest, as in MySQL.
fn duration(cursor: &mut PayloadCursor<'_>) -> Result<Time, MalformedPayload> {
    let length = cursor.u8()?;
    let mut parts = PayloadCursor::new(cursor.bytes(length as usize)?);
    if !matches!(length, 0 | 8 | 12) {
        return Err(MalformedPayload);
    }
    if length == 0 {
        return Ok(Time::ZERO);
    }
    let negative = parts.u8()? != 0;
    let days = parts.u32()?;
    let [hour, minute, second] = parts.array()?;
    let micros = if length == 12 { parts.u32()? } else { 0 };
    let hours = days.saturating_mul(24).saturating_add(hour as u32);
    if minute > 59 || second > 59 || micros > 999_999 {
        return Ok(Time::ZERO);
    }
    // 838:59:59, the largest TIME without a fraction.
    let limit = Time::new(negative, 838, 59, 59, 0).unwrap_or(Time::ZERO);
    Ok(Time::new(negative, hours, minute, second, micros).unwrap_or(limit))
}

#[cfg(test)]
mod tests;
