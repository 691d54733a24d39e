//! A partition's columns in blocks, which come again in their order as often as they are asked for:
//! from memory, or from a file.
//!
//! Invariants
//! 1. A reader of a file has one block in memory.
//!
//! Not here: what the columns are (`values`, `bounds`).

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::spill::SpillManager;
use futures::StreamExt;

use super::super::ending;
use super::super::partition_files::{BatchWriter, PartitionReader, files, writer};

/// Most rows of a block.
pub(super) const BLOCK_ROWS: usize = 4096;

/// Blocks that are added.
pub(super) struct BlockSink {
    /// The number of each one's first row, and that of the row behind all.
    starts: Vec<u64>,
    to: Destination,
}

enum Destination {
    Memory(Vec<RecordBatch>),
    File(Arc<TaskContext>, Option<(Arc<SpillManager>, BatchWriter)>),
}

impl BlockSink {
    /// What stays in memory.
    pub(super) fn in_memory() -> BlockSink {
        BlockSink { starts: vec![0], to: Destination::Memory(Vec::new()) }
    }

    /// What goes to a file.
    pub(super) fn in_file(context: &Arc<TaskContext>) -> BlockSink {
        BlockSink { starts: vec![0], to: Destination::File(Arc::clone(context), None) }
    }

    /// Adds a block.
    pub(super) fn add(&mut self, columns: Vec<ArrayRef>) -> Result<()> {
        ending::check()?;
        let fields = columns.iter().enumerate();
        let fields = fields.map(|(number, column)| {
            Field::new(format!("v{number}"), column.data_type().clone(), true)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let block = RecordBatch::try_new(schema, columns)?;
        self.starts.push(self.rows() + block.num_rows() as u64);
        match &mut self.to {
            Destination::Memory(blocks) => blocks.push(block),
            Destination::File(context, file) => {
                if file.is_none() {
                    let files = files(context, block.schema());
                    let write = writer(&files, "what a window function is over")?;
                    *file = Some((files, write));
                }
                if let Some((_, write)) = file {
                    write(Some(&block))?;
                }
            }
        }
        Ok(())
    }

    fn rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// There are no more.
    pub(super) fn finish(self) -> Result<Blocks> {
        let from = match self.to {
            Destination::Memory(blocks) => Origin::Memory(blocks.into()),
            Destination::File(_, None) => Origin::Memory(Vec::new().into()),
            Destination::File(_, Some((files, mut write))) => match write(None)? {
                Some(file) => Origin::File(Arc::new(PartitionReader { files, file })),
                None => Origin::Memory(Vec::new().into()),
            },
        };
        Ok(Blocks { starts: self.starts.into(), from })
    }
}

/// Blocks that are read.
#[derive(Clone)]
pub(super) struct Blocks {
    starts: Arc<[u64]>,
    from: Origin,
}

#[derive(Clone)]
enum Origin {
    Memory(Arc<[RecordBatch]>),
    File(Arc<PartitionReader>),
}

impl Blocks {
    /// How many rows they have.
    pub(super) fn rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// A reader, from the first one on.
    pub(super) fn open(&self) -> Result<BlockReader> {
        let from = match &self.from {
            Origin::Memory(blocks) => ReadFrom::Memory(Arc::clone(blocks)),
            Origin::File(file) => ReadFrom::File(file.open()?),
        };
        Ok(BlockReader { starts: Arc::clone(&self.starts), next: 0, from })
    }
}

/// Reads blocks in their order.
pub(super) struct BlockReader {
    starts: Arc<[u64]>,
    next: usize,
    from: ReadFrom,
}

enum ReadFrom {
    Memory(Arc<[RecordBatch]>),
    File(SendableRecordBatchStream),
}

/// A block, and where it stands.
pub(super) struct Block {
    /// Its number.
    pub(super) number: usize,
    /// The number of its first row.
    pub(super) first: u64,
    /// Its rows.
    pub(super) rows: RecordBatch,
}

impl Block {
    /// Whether a row is in it.
    pub(super) fn has(&self, row: u64) -> bool {
        (self.first..self.first + self.rows.num_rows() as u64).contains(&row)
    }
}

impl BlockReader {
    /// The next block; `None` behind the last one.
    pub(super) async fn next(&mut self) -> Result<Option<Block>> {
        ending::check()?;
        let number = self.next;
        let Some(first) = self.starts.get(number).filter(|_| number + 1 < self.starts.len()) else {
            return Ok(None);
        };
        let rows = match &mut self.from {
            ReadFrom::Memory(blocks) => blocks.get(number).cloned(),
            ReadFrom::File(blocks) => blocks.next().await.transpose()?,
        };
        let rows = rows.filter(|rows| first + rows.num_rows() as u64 == self.starts[number + 1]);
        let rows = rows.ok_or_else(|| {
            DataFusionError::Internal("a block of a window function was lost".to_owned())
        })?;
        self.next += 1;
        Ok(Some(Block { number, first: *first, rows }))
    }

    /// The block that a row is in, which is none of those before the one read last.
    pub(super) async fn seek(&mut self, row: u64) -> Result<Block> {
        while let Some(block) = self.next().await? {
            if block.has(row) {
                return Ok(block);
            }
        }
        Err(DataFusionError::Internal("a row behind its partition".to_owned()))
    }
}
