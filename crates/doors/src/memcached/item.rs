//! Rows to items and back.
//!
//! Invariants
//! 1. A key that is no value of its column's domain is no key: it finds nothing and stores
//!    nothing, rather than meeting the row of a coerced value.
//! 2. A value that does not fit its columns is refused; nothing is cut.
//!
//! Not here: which table (`place`), what is done with items (`execute`).

use std::borrow::Cow;

use rows::{Engine, Error};
use values::RowRef;
use values::convert::from_text;
use values::text::write_text;
use values::{Datum, Value, Zone};

use crate::handlersocket::coerce::default_value;
use crate::memcached::command::{MemcachedRefusal, refusal_for};
use crate::memcached::place::MemcachedPlace;

/// New contents of an item; what is `None` stays, or is the default in a new row.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The value.
    pub value: Option<Vec<u8>>,
    /// The client's flags.
    pub flags: Option<u32>,
    /// Absolute expiry time.
    pub expires: Option<i64>,
    /// Whether the item is marked stale.
    pub stale: Option<bool>,
    /// Whether it still counts as read, if it did.
    pub keeps_read: bool,
    /// Whether the client that was told to refresh it is still the one.
    pub keeps_winner: bool,
}

impl Contents {
    /// The same item with another expiry time.
    pub fn touched(expires: i64) -> Contents {
        let expires = Some(expires);
        Contents { expires, keeps_read: true, keeps_winner: true, ..Contents::default() }
    }
}

/// The flags, expiry time and stale mark of a row.
///
/// # Errors
/// `Corrupt` when the row does not decode.
pub fn attributes(place: &MemcachedPlace, row: &RowRef<'_>) -> rows::Result<(u32, i64, bool)> {
    let number = |column: Option<usize>| -> rows::Result<i64> {
        Ok(match column {
            None => 0,
            Some(at) => match row.column(at)? {
                Datum::Int(value) => value,
                Datum::UInt(value) => i64::try_from(value).unwrap_or(i64::MAX),
                _ => 0,
            },
        })
    };
    let (flags, expires) = (number(place.flags)?, number(place.expires)?);
    Ok((flags as u32, expires, number(place.stale)? != 0))
}

/// The value of a row: borrowed where it is one binary column.
///
/// # Errors
/// `Corrupt` when the row does not decode.
pub fn value<'r>(place: &MemcachedPlace, row: &RowRef<'r>) -> rows::Result<Cow<'r, [u8]>> {
    joined(place, place.values.iter().copied(), row)
}

/// The key of a row, as it names the item.
///
/// # Errors
/// `Corrupt` when the row does not decode.
pub fn key<'r>(place: &MemcachedPlace, row: &RowRef<'r>) -> rows::Result<Cow<'r, [u8]>> {
    joined(place, place.table.own_parts(0).iter().map(|part| part.column), row)
}

fn joined<'r>(
    place: &MemcachedPlace,
    columns: impl ExactSizeIterator<Item = usize>,
    row: &RowRef<'r>,
) -> rows::Result<Cow<'r, [u8]>> {
    let alone = columns.len() == 1;
    let mut joined = Vec::new();
    for (position, column) in columns.enumerate() {
        if position > 0 {
            joined.extend_from_slice(&place.separator);
        }
        match row.column(column)? {
            Datum::Null => {}
            Datum::Bytes(bytes) if alone => return Ok(Cow::Borrowed(bytes)),
            datum => {
                write_text(&place.table.columns[column].ty, datum, Zone::UTC, &mut joined);
            }
        }
    }
    Ok(Cow::Owned(joined))
}

/// The key values of an item, in key order; `None` when no row can have such a key.
fn key_values(place: &MemcachedPlace, key: &[u8]) -> Option<Vec<Value>> {
    let parts = place.table.own_parts(0);
    let pieces = split(key, &place.separator, parts.len());
    if pieces.len() != parts.len() {
        return None;
    }
    let value = |(part, piece): (&rows::table::PartCodec, &&[u8])| {
        let converted = from_text(&part.ty, piece, Zone::UTC);
        (converted.issue.is_none() && !converted.note).then_some(converted.value)
    };
    parts.iter().zip(&pieces).map(value).collect()
}

/// The row key of an item; `None` when no row can have such a key.
///
/// # Errors
/// As `push_row_key`.
pub fn row_key(place: &MemcachedPlace, key: &[u8]) -> rows::Result<Option<Vec<u8>>> {
    let mut row_key = Vec::new();
    Ok(push_row_key(place, key, &mut row_key)?.then_some(row_key))
}

/// Appends the row key of an item to a buffer; `false` when no row can have such a key.
///
/// # Errors
/// Those of encoding a key, but for its length: a key that is too long is no row's.
pub fn push_row_key(place: &MemcachedPlace, key: &[u8], out: &mut Vec<u8>) -> rows::Result<bool> {
    if place.raw {
        place.table.push_row_key(&[Datum::Bytes(key)], out)?;
        return Ok(true);
    }
    let Some(values) = key_values(place, key) else { return Ok(false) };
    let datums: Vec<Datum<'_>> = values.iter().map(Value::as_datum).collect();
    match place.table.push_row_key(&datums, out) {
        Ok(()) => Ok(true),
        Err(Error::TooLarge { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The columns to set for new contents.
///
/// # Errors
/// `Client` when the value does not fit.
pub fn sets(
    place: &MemcachedPlace,
    contents: Contents,
) -> Result<Vec<(usize, Value)>, MemcachedRefusal> {
    let mut sets = Vec::with_capacity(place.values.len() + 3);
    if let Some(value) = contents.value {
        if place.raw {
            sets.push((place.values[0], Value::Bytes(value)));
        } else {
            split_value(place, &value, &mut sets)?;
        }
    }
    let mut number = |column: Option<usize>, value: Option<i64>| -> Result<(), MemcachedRefusal> {
        if let (Some(at), Some(value)) = (column, value) {
            let column = &place.table.columns[at];
            let converted = column.from_text(value.to_string().as_bytes(), Zone::UTC);
            if converted.issue.is_some() {
                return Err(misfit(&column.name));
            }
            sets.push((at, converted.value));
        }
        Ok(())
    };
    number(place.flags, contents.flags.map(i64::from))?;
    number(place.expires, contents.expires)?;
    number(place.stale, contents.stale.map(i64::from))?;
    Ok(sets)
}

fn split_value(
    place: &MemcachedPlace,
    value: &[u8],
    sets: &mut Vec<(usize, Value)>,
) -> Result<(), MemcachedRefusal> {
    let pieces = split(value, &place.separator, place.values.len());
    for (position, at) in place.values.iter().enumerate() {
        let column = &place.table.columns[*at];
        let value = match pieces.get(position) {
            None if column.nullable => Value::Null,
            None => {
                return Err(MemcachedRefusal::Client("too few values for the container".into()));
            }
            // Joined, NULL and the empty text look alike.
            Some([]) if column.nullable => Value::Null,
            Some(piece) => {
                let converted = column.from_text(piece, Zone::UTC);
                if converted.issue.is_some() {
                    return Err(misfit(&column.name));
                }
                converted.value
            }
        };
        sets.push((*at, value));
    }
    Ok(())
}

fn misfit(column: &str) -> MemcachedRefusal {
    MemcachedRefusal::Client(format!("value does not fit column {column}").into())
}

/// A whole new row.
///
/// # Errors
/// As `sets`; `Client` when the key does not fit.
pub fn row(
    place: &MemcachedPlace,
    engine: &Engine,
    key: &[u8],
    contents: Contents,
) -> Result<Vec<Value>, MemcachedRefusal> {
    let now = engine.clock().unix_micros();
    let columns = &place.table.columns;
    let mut row: Vec<Value> = columns.iter().map(|column| default_value(column, now)).collect();
    let keys = place.table.own_parts(0);
    if place.raw {
        row[keys[0].column] = Value::Bytes(key.to_vec());
    } else {
        let values = key_values(place, key)
            .ok_or(MemcachedRefusal::Client("key does not fit the container".into()))?;
        for (part, value) in keys.iter().zip(values) {
            row[part.column] = value;
        }
    }
    let sets = sets(place, contents)?;
    let given: Vec<usize> = sets.iter().map(|(at, _)| *at).collect();
    for (at, value) in sets {
        row[at] = value;
    }
    let is_given = |at: usize| given.contains(&at) || keys.iter().any(|part| part.column == at);
    let filled = place.table.fill_defaults(&mut row, &is_given, &**engine.clock(), Zone::UTC);
    filled.map_err(|error| refusal_for(&error))?;
    Ok(row)
}

/// Up to `count` pieces; the last takes the rest.
fn split<'t>(text: &'t [u8], separator: &[u8], count: usize) -> Vec<&'t [u8]> {
    let mut pieces = Vec::with_capacity(count);
    let mut rest = text;
    while pieces.len() + 1 < count {
        let Some(at) = memchr::memmem::find(rest, separator) else { break };
        pieces.push(&rest[..at]);
        rest = &rest[at + separator.len()..];
    }
    pieces.push(rest);
    pieces
}
