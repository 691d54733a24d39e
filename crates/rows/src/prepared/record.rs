//! What is stored of a prepared transaction: a head, and its writes in parts.
//!
//! The key says which record it is, and which part of it (`Catalog::prepared_key`). Numbers are
//! little-endian:
//! ```text
//! part 0, the head:  form u8 (1) | parts u32 | tables u32 | their ids, u32 each | xid
//! xid:               format u64 | global length u8 | branch length u8 | global | branch
//! part 1 and on:     any number of writes
//! write:             0 | key length u32 | key                              a removal
//!                    1 | key length u32 | key | value length u32 | value
//! ```
//!
//! Invariants
//! 1. The head comes into the store last: parts without one are of no transaction.

use crate::error::{Error, Result};
use crate::global_transactions::{XID_PART_BYTES_MAX, Xid};
use crate::schema::TableId;
use crate::store::SortedWrite;

/// A part is full when it has so many bytes.
const PART_BYTES: usize = 1 << 20;
const FORM: u8 = 1;
const REMOVAL: u8 = 0;
const PUT: u8 = 1;

/// What a head says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RecordHead {
    pub xid: Xid,
    /// How many parts there are behind it.
    pub parts: u32,
    /// The tables whose definitions the transaction keeps as they are.
    pub tables: Vec<TableId>,
}

/// The bytes of a head.
pub(super) fn head(RecordHead { xid, parts, tables }: &RecordHead) -> Vec<u8> {
    let mut head = vec![FORM];
    head.extend_from_slice(&parts.to_le_bytes());
    head.extend_from_slice(&(tables.len() as u32).to_le_bytes());
    tables.iter().for_each(|id| head.extend_from_slice(&id.to_le_bytes()));
    head.extend_from_slice(&xid.format.to_le_bytes());
    // Names have 64 bytes at most.
    head.extend([xid.global.len() as u8, xid.branch.len() as u8]);
    head.extend_from_slice(&xid.global);
    head.extend_from_slice(&xid.branch);
    head
}

/// What a head says.
///
/// # Errors
/// `Corrupt`.
pub(super) fn read_head(key: &[u8], value: &[u8]) -> Result<RecordHead> {
    let damaged = || Error::Corrupt { key: key.to_vec(), why: "head of a prepared transaction" };
    let mut rest = RecordBytes(value);
    let read = |rest: &mut RecordBytes<'_>| -> Option<RecordHead> {
        let form = rest.take::<1>()?;
        let parts = u32::from_le_bytes(rest.take()?);
        let count = u32::from_le_bytes(rest.take()?);
        let id = |_| rest.take().map(TableId::from_le_bytes);
        let tables = (0..count).map(id).collect::<Option<Vec<TableId>>>()?;
        let format = u64::from_le_bytes(rest.take()?);
        let [global, branch] = rest.take::<2>()?.map(usize::from);
        let (global, branch) = (rest.cut(global)?.to_vec(), rest.cut(branch)?.to_vec());
        let is_short = |part: &Vec<u8>| part.len() <= XID_PART_BYTES_MAX;
        let is_right = form == [FORM] && is_short(&global) && is_short(&branch);
        is_right.then_some(RecordHead { xid: Xid { global, branch, format }, parts, tables })
    };
    read(&mut rest).filter(|_| rest.0.is_empty()).ok_or_else(damaged)
}

/// Writes on their way into parts.
#[derive(Default)]
pub(super) struct PartMaker(Vec<u8>);

impl PartMaker {
    /// Adds a write; a part that is full.
    pub fn add(&mut self, (key, value): &SortedWrite) -> Option<Vec<u8>> {
        self.0.push(if value.is_some() { PUT } else { REMOVAL });
        for bytes in [Some(key), value.as_ref()].into_iter().flatten() {
            // A row has 64 MiB at most, and a key less.
            self.0.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            self.0.extend_from_slice(bytes);
        }
        (self.0.len() >= PART_BYTES).then(|| std::mem::take(&mut self.0))
    }

    /// The last part, unless there is nothing left for it.
    pub fn finish(self) -> Option<Vec<u8>> {
        (!self.0.is_empty()).then_some(self.0)
    }
}

/// The writes of a part.
pub(super) struct PartWrites<'a> {
    key: &'a [u8],
    rest: RecordBytes<'a>,
}

impl<'a> PartWrites<'a> {
    pub fn new(key: &'a [u8], value: &'a [u8]) -> PartWrites<'a> {
        PartWrites { key, rest: RecordBytes(value) }
    }

    fn read(&mut self) -> Option<SortedWrite> {
        let text = |rest: &mut RecordBytes<'a>| {
            let length = u32::from_le_bytes(rest.take()?);
            Some(rest.cut(usize::try_from(length).ok()?)?.to_vec())
        };
        match self.rest.take::<1>()? {
            [REMOVAL] => Some((text(&mut self.rest)?, None)),
            [PUT] => Some((text(&mut self.rest)?, Some(text(&mut self.rest)?))),
            _ => None,
        }
    }
}

impl Iterator for PartWrites<'_> {
    type Item = Result<SortedWrite>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.0.is_empty() {
            return None;
        }
        let damaged =
            || Error::Corrupt { key: self.key.to_vec(), why: "writes of a prepared transaction" };
        let write = self.read();
        if write.is_none() {
            // Nothing behind it can be told apart.
            self.rest = RecordBytes(&[]);
        }
        Some(write.ok_or_else(damaged))
    }
}

/// Bytes that are read from the front.
struct RecordBytes<'a>(&'a [u8]);

impl<'a> RecordBytes<'a> {
    fn cut(&mut self, length: usize) -> Option<&'a [u8]> {
        let (cut, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(cut)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.cut(N)?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_damaged_is_found() {
        let xid = Xid { global: b"global".to_vec(), branch: vec![0xff; 64], format: 1 << 40 };
        let written = RecordHead { xid, parts: 3, tables: vec![7, 300] };
        let bytes = head(&written);
        assert_eq!(read_head(b"k", &bytes).unwrap(), written);
        for length in 0..bytes.len() {
            assert!(read_head(b"k", &bytes[..length]).is_err(), "{length}");
        }
        assert!(read_head(b"k", &[&bytes[..], &[0]].concat()).is_err());

        let writes = [(b"a".to_vec(), None), (b"b".to_vec(), Some(vec![1; 300])), (vec![], None)];
        let mut maker = PartMaker::default();
        assert!(writes.iter().all(|write| maker.add(write).is_none()));
        let part = maker.finish().unwrap();
        let read = |part: &[u8]| PartWrites::new(b"k", part).collect::<Result<Vec<_>>>();
        assert_eq!(read(&part).unwrap(), writes);
        assert!(read(&part[..part.len() - 1]).is_err());
        assert!(read(&[9]).is_err());
        let mut maker = PartMaker::default();
        let large = (vec![], Some(vec![0; PART_BYTES]));
        assert!(maker.add(&large).is_some() && maker.finish().is_none());
    }
}
