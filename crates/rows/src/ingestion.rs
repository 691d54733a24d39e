//! Very many entries on their way into a store past its write path, and the store that takes them:
//! the one below an engine, which hears of tables, too.
//!
//! Invariants
//! 1. All entries of an ingestion become visible and durable together, or none of them does.
//!
//! Not here: bytes one by one (`store`), where rows come from and how they are sorted (`bulk`).

use std::ops::Range;
use std::sync::Arc;

use values::datum::Datum;

use crate::error::{Error, Result};
use crate::store::{Cursor, LoopStore, Store, StoreUpkeep};
use crate::table::{PREFIX_BYTES, Table};

/// A store as an engine needs it: it keeps tables, of which it hears, and takes very many of their
/// rows at once.
pub trait TableStore: Store + LoopStore + StoreUpkeep {
    /// Tells of each version of a table before a row of it is written, for a store that keeps rows
    /// in a form of its own.
    fn know(&self, table: &Arc<Table>) {
        let _ = table;
    }

    /// Adds many entries at once, past the write path. `entries` come in ascending key order
    /// without duplicates and must not overlap keys that exist; visible and durable together on
    /// return. Errors of the iterator end the ingestion with nothing added.
    fn ingest(&self, entries: &mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>) -> Result<u64>;

    /// Begins to add very many entries, by several threads and in several ranges of keys.
    fn ingestion(&self) -> Result<Box<dyn Ingestion>>;

    /// Begins to make the columnar index of a table whose rows are added: of ranges of keys that do
    /// not overlap, those of each in order. For stores that keep such.
    ///
    /// # Errors
    /// `Refused` by a store that has no columns.
    fn column_ingestion(&self, table: &Arc<Table>) -> Result<Box<dyn Ingestion>> {
        let _ = table;
        Err(Error::Refused { why: "this store keeps no columns" })
    }
}

/// Entries on their way into a store past its write path: many, and none of them there before all
/// are. Dropped without `finish`, nothing of them ever is.
pub trait Ingestion: Send + Sync {
    /// Adds entries from the next one of a cursor on; gives how many. They ascend, without
    /// duplicates; calls, also several at once, bring ranges of keys that do not overlap, and
    /// keys that are not there yet. An error of the cursor ends it.
    fn add(&self, entries: &mut dyn Cursor) -> Result<u64>;

    /// As `add`, for rows of one table whose numbers follow each other.
    ///
    /// # Errors
    /// Those of `add`.
    fn add_rows(&self, blocks: &[RowBlock]) -> Result<u64> {
        self.add(&mut BlockCursor::new(blocks))
    }

    /// Makes all of them visible and durable, together with everything acknowledged before.
    fn finish(self: Box<Self>) -> Result<()>;
}

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
    pub(crate) fn new(
        table: &Arc<Table>,
        first_id: u64,
        mut memory: (Vec<u8>, Vec<usize>),
    ) -> Self {
        memory.0.clear();
        memory.1.clear();
        RowBlock { table: Arc::clone(table), first_id, bytes: memory.0, ends: memory.1 }
    }

    /// Its memory, for another one.
    pub(crate) fn into_memory(self) -> (Vec<u8>, Vec<usize>) {
        (self.bytes, self.ends)
    }

    /// Where the next row is to be appended; `end_row` when it is.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    pub(crate) fn end_row(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Bytes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
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
