//! A segment: up to some ten thousand rows of a table in the order of their keys, each column of
//! them a value of its own in the store. This is what is known of it as a whole.
//!
//! ```text
//! 01                form
//! rows u32          of its columns
//! sealed u32        rows from the first on that belong to the table: `mover` adds them bit by bit
//! plain u64         bytes that the rows had
//! stored u64        bytes of the columns
//! columns u16, and for each
//!   slot u16, nulls u32, ranged u8, smallest u64, largest u64 (of the numbers, if ranged is 1)
//! ```
//!
//! Invariants
//! 1. All but `sealed` never changes, and the columns never do.
//!
//! Not here: rows of a segment that are no more (`keys::DEAD`).

use rows::error::{Error, Result};

use crate::column::EncodedColumn;

const FORM: u8 = 1;
/// More rows than any segment ever had.
const ROWS_POSSIBLE: u32 = 1 << 20;
const HEAD_BYTES: usize = 27;
const COLUMN_BYTES: usize = 23;

/// What is known of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub rows: u32,
    pub sealed: u32,
    pub plain_bytes: u64,
    pub stored_bytes: u64,
    /// By slot, ascending.
    pub columns: Vec<SegmentColumn>,
}

/// What is known of a column of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentColumn {
    pub slot: u16,
    pub nulls: u32,
    /// The smallest and the largest number; none where all are NULL, or are no numbers.
    pub range: Option<(u64, u64)>,
}

impl Segment {
    pub fn new(rows: u32, columns: &[(u16, EncodedColumn)]) -> Segment {
        let known = |(slot, column): &(u16, EncodedColumn)| SegmentColumn {
            slot: *slot,
            nulls: column.nulls,
            range: column.range,
        };
        Segment {
            rows,
            sealed: rows,
            plain_bytes: columns.iter().map(|(_, column)| column.plain_bytes).sum(),
            stored_bytes: columns.iter().map(|(_, column)| column.bytes.len() as u64).sum(),
            columns: columns.iter().map(known).collect(),
        }
    }

    /// What is known of the column in a slot; `None` when the segment is older than the column.
    pub fn column(&self, slot: u16) -> Option<&SegmentColumn> {
        let at = self.columns.binary_search_by_key(&slot, |column| column.slot).ok()?;
        Some(&self.columns[at])
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEAD_BYTES + self.columns.len() * COLUMN_BYTES);
        out.push(FORM);
        out.extend_from_slice(&self.rows.to_le_bytes());
        out.extend_from_slice(&self.sealed.to_le_bytes());
        out.extend_from_slice(&self.plain_bytes.to_le_bytes());
        out.extend_from_slice(&self.stored_bytes.to_le_bytes());
        out.extend_from_slice(&(self.columns.len() as u16).to_le_bytes());
        for column in &self.columns {
            let (min, max) = column.range.unwrap_or_default();
            out.extend_from_slice(&column.slot.to_le_bytes());
            out.extend_from_slice(&column.nulls.to_le_bytes());
            out.push(u8::from(column.range.is_some()));
            out.extend_from_slice(&min.to_le_bytes());
            out.extend_from_slice(&max.to_le_bytes());
        }
        out
    }

    /// # Errors
    /// `Corrupt`.
    pub fn decode(stored: &[u8]) -> Result<Segment> {
        let damaged = || Error::Corrupt { key: Vec::new(), why: "a segment does not decode" };
        let mut rest = SegmentRest(stored);
        let form: [u8; 1] = rest.take().ok_or_else(damaged)?;
        if form != [FORM] {
            return Err(damaged());
        }
        let segment = rest.segment().ok_or_else(damaged)?;
        let ascends = segment.columns.is_sorted_by(|a, b| a.slot < b.slot);
        let is_possible = segment.sealed <= segment.rows && segment.rows <= ROWS_POSSIBLE;
        if !rest.0.is_empty() || !is_possible || !ascends {
            return Err(damaged());
        }
        Ok(segment)
    }
}

/// What is still to be decoded.
struct SegmentRest<'a>(&'a [u8]);

impl SegmentRest<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn segment(&mut self) -> Option<Segment> {
        let rows = u32::from_le_bytes(self.take()?);
        let sealed = u32::from_le_bytes(self.take()?);
        let plain_bytes = u64::from_le_bytes(self.take()?);
        let stored_bytes = u64::from_le_bytes(self.take()?);
        let count = u16::from_le_bytes(self.take()?);
        let columns = (0..count).map(|_| self.column()).collect::<Option<Vec<_>>>()?;
        Some(Segment { rows, sealed, plain_bytes, stored_bytes, columns })
    }

    fn column(&mut self) -> Option<SegmentColumn> {
        let slot = u16::from_le_bytes(self.take()?);
        let nulls = u32::from_le_bytes(self.take()?);
        let [ranged] = self.take::<1>()?;
        let (min, max) = (u64::from_le_bytes(self.take()?), u64::from_le_bytes(self.take()?));
        Some(SegmentColumn { slot, nulls, range: (ranged == 1).then_some((min, max)) })
    }
}
