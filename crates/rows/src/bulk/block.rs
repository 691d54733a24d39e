//! Rows whose keys are numbers that follow each other, as they go from a load to a store: those of
//! a table without a primary key.
//!
//! Not here: how rows get their numbers, and in which order blocks are written (`ordered`).

use std::ops::Range;
use std::sync::Arc;

use values::datum::Datum;

use crate::error::Result;
use crate::store::Cursor;
use crate::table::{PREFIX_BYTES, Table};

/// Rows of a table, encoded, with numbers that follow each other.
pub struct RowBlock {
    table: Arc<Table>,
    first_id: u64,
    bytes: Vec<u8>,
    /// Where each row ends.
    ends: Vec<usize>,
}

impl RowBlock {
    /// No rows yet, the first of which will have a number.
    pub(super) fn new(
        table: &Arc<Table>,
        first_id: u64,
        mut memory: (Vec<u8>, Vec<usize>),
    ) -> Self {
        memory.0.clear();
        memory.1.clear();
        RowBlock { table: Arc::clone(table), first_id, bytes: memory.0, ends: memory.1 }
    }

    /// Its memory, for another one.
    pub(super) fn into_memory(self) -> (Vec<u8>, Vec<usize>) {
        (self.bytes, self.ends)
    }

    /// Where the next row is to be appended; `end_row` when it is.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    pub(super) fn end_row(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Bytes of memory.
    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number that is the key of a row.
    pub fn row_id(&self, at: usize) -> u64 {
        self.first_id + at as u64
    }

    /// A row.
    ///
    /// # Panics
    /// When there are not as many.
    pub fn row(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    /// Bytes of a part of its rows.
    pub fn row_bytes(&self, rows: Range<usize>) -> usize {
        let until = |at: usize| if at == 0 { 0 } else { self.ends[at - 1] };
        until(rows.end) - until(rows.start)
    }

    /// Puts the key of a row into `key`.
    ///
    /// # Errors
    /// None: the keys of numbers have their room.
    pub fn key(&self, at: usize, key: &mut Vec<u8>) -> Result<()> {
        key.clear();
        self.table.push_row_key(&[Datum::UInt(self.row_id(at))], key)
    }
}

/// The rows of blocks as entries.
pub struct BlockCursor<'a> {
    blocks: &'a [RowBlock],
    /// The next row of the first block.
    next: usize,
    key: Vec<u8>,
    row: &'a [u8],
}

impl<'a> BlockCursor<'a> {
    /// Before the first row of blocks that follow each other.
    pub fn new(blocks: &'a [RowBlock]) -> BlockCursor<'a> {
        BlockCursor { blocks, next: 0, key: Vec::with_capacity(PREFIX_BYTES + 8), row: &[] }
    }
}

impl Cursor for BlockCursor<'_> {
    fn advance(&mut self) -> Result<bool> {
        loop {
            let Some((block, rest)) = self.blocks.split_first() else { return Ok(false) };
            if self.next < block.len() {
                block.key(self.next, &mut self.key)?;
                self.row = block.row(self.next);
                self.next += 1;
                return Ok(true);
            }
            (self.blocks, self.next) = (rest, 0);
        }
    }

    fn key(&self) -> &[u8] {
        &self.key
    }

    fn value(&self) -> &[u8] {
        self.row
    }
}
