//! Keys of the catalog's entries, and the numbers in their values.
//!
//! The list of all kinds is in the catalog's header.
//!
//! Not here: what the entries say (`catalog`).

use super::Catalog;
use crate::error::{Error, Result};
use crate::event::EventId;
use crate::store::{Change, KeyRange};

pub(super) const KIND_FORMAT: u8 = 1;
pub(super) const KIND_DATABASE: u8 = 2;
pub(super) const KIND_TABLE: u8 = 3;
pub(super) const KIND_NEXT_ID: u8 = 4;
pub(super) const KIND_RECLAIM: u8 = 5;
pub(super) const KIND_EVENT: u8 = 6;
pub(super) const KIND_ACCOUNT: u8 = 7;
pub(super) const KIND_VIEW: u8 = 8;
pub(super) const KIND_PREPARED: u8 = 9;

impl Catalog {
    /// The keys of prepared transactions: each has a number, and parts that are counted.
    pub(crate) fn prepared_range() -> KeyRange {
        let start = catalog_key(KIND_PREPARED, &[]);
        KeyRange { start, end: catalog_key(KIND_PREPARED + 1, &[]) }
    }

    /// The key of a part of a prepared transaction.
    pub(crate) fn prepared_key(number: u64, part: u32) -> Vec<u8> {
        let mut key = catalog_key(KIND_PREPARED, &number.to_be_bytes());
        key.extend_from_slice(&part.to_be_bytes());
        key
    }

    /// Number and part that such a key says.
    ///
    /// # Errors
    /// `Corrupt`.
    pub(crate) fn prepared_part(key: &[u8]) -> Result<(u64, u32)> {
        let start = catalog_key(KIND_PREPARED, &[]).len();
        let read = |rest: &[u8]| {
            let (number, part) = rest.split_first_chunk()?;
            let part = part.try_into().ok()?;
            Some((u64::from_be_bytes(*number), u32::from_be_bytes(part)))
        };
        let why = "length of the key of a prepared transaction";
        key.get(start..).and_then(read).ok_or_else(|| Error::Corrupt { key: key.to_vec(), why })
    }
}

pub(super) fn put_format(format: u32) -> Change {
    Change::put(catalog_key(KIND_FORMAT, &[]), format.to_le_bytes().to_vec())
}

pub(super) fn event_key(id: EventId) -> Vec<u8> {
    catalog_key(KIND_EVENT, &id.to_be_bytes())
}

pub(super) fn view_key(id: u32) -> Vec<u8> {
    catalog_key(KIND_VIEW, &id.to_be_bytes())
}

pub(super) fn catalog_key(kind: u8, rest: &[u8]) -> Vec<u8> {
    let mut key = vec![0, 0, 0, 0, kind];
    key.extend_from_slice(rest);
    key
}

pub(super) fn read_u32(key: &[u8], value: &[u8]) -> Result<u32> {
    let bytes = value.try_into().map_err(|_| Error::Corrupt {
        key: key.to_vec(),
        why: "catalog number is not four bytes",
    })?;
    Ok(u32::from_le_bytes(bytes))
}
