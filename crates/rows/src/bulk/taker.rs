//! What takes the rows of a load, in one of several threads: by the order of their keys, or, where
//! that is the order in which they come, as they are.
//!
//! Not here: which of the two a load is (`load`).

use values::datum::Datum;

use super::ordered::RowAppender;
use super::rows::{RowSorter, SortedRows};
use crate::error::Result;
use crate::rules::Lenience;

/// Bytes of rows that are worth a block of their own.
const BLOCK_BYTES: usize = 128 << 10;

/// Takes rows of a load.
pub enum RowTaker {
    /// Sorts them.
    Sorter(RowSorter),
    /// Puts those of a table without any index in line.
    Appender(RowAppender),
}

impl RowTaker {
    /// Blocks of the load are this thread's to make from now on: if it ends without `finish`, the
    /// load stops.
    pub fn begin(&mut self) {
        if let RowTaker::Appender(appender) = self {
            appender.begin();
        }
    }

    /// Has columns that rows make computed leniently, until it is said otherwise. Gives what was
    /// told since it was said before.
    pub fn compute_with(&mut self, lenience: Option<Lenience>) -> Option<Lenience> {
        let of = match self {
            RowTaker::Sorter(sorter) => &mut sorter.lenience,
            RowTaker::Appender(appender) => &mut appender.lenience,
        };
        std::mem::replace(of, lenience)
    }

    /// Adds the row of a number, from 1 on; each number once in a load, and those of a block one
    /// after another. `row` holds every column in order, values of the columns' domains.
    ///
    /// # Errors
    /// `NullValue`, `TooLarge`, `NoMemory`, `DiskFull`, `Store`.
    pub fn add(&mut self, number: u64, row: &[Datum<'_>]) -> Result<()> {
        match self {
            RowTaker::Sorter(sorter) => sorter.add(number, row),
            RowTaker::Appender(appender) => appender.add(number, row),
        }
    }

    /// Whether the rows since the last block should become one, where only the caller decides.
    pub fn has_block(&self) -> bool {
        match self {
            RowTaker::Sorter(_) => false,
            RowTaker::Appender(appender) => appender.block_bytes() >= BLOCK_BYTES,
        }
    }

    /// The rows since the last block are the block of a number: from 0 on, each once in a load.
    /// `false` when the load has stopped.
    ///
    /// # Errors
    /// `DiskFull`, `Store`; `LockTimeout` when it was interrupted.
    pub fn end_block(&mut self, number: u64) -> Result<bool> {
        match self {
            RowTaker::Sorter(_) => Ok(true),
            RowTaker::Appender(appender) => appender.end_block(number),
        }
    }

    /// There are no more rows for this thread; what is left to be merged.
    ///
    /// # Errors
    /// `DiskFull`, `Store`.
    pub fn finish(self) -> Result<Option<SortedRows>> {
        match self {
            RowTaker::Sorter(sorter) => sorter.finish().map(Some),
            RowTaker::Appender(appender) => {
                appender.finish();
                Ok(None)
            }
        }
    }
}
