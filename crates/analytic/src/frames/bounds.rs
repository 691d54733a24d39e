//! Which rows a frame has.
//!
//! Keys are bytes that sort as the rows do. The first row of a frame is the first one whose key is
//! not below the key where the frame begins; behind it is the first one whose key is beyond the key
//! where it ends. Both only move on from row to row.
//!
//! Not here: what is had of the rows (`values`).

use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::{DataFusionError, Result};

use super::blocks::{Block, BlockReader, Blocks};
use super::function::{FrameEdge, FramedFunction};

/// Makes keys of the arguments that are such.
pub(super) struct KeyEncoder {
    own: RowConverter,
    keys: usize,
    /// How many moved keys there are.
    moved: usize,
}

impl KeyEncoder {
    /// For a function whose arguments are of these types; `None` if its frames depend on no keys.
    pub(super) fn of(function: &FramedFunction, types: &[DataType]) -> Result<Option<KeyEncoder>> {
        if !function.wants_keys() {
            return Ok(None);
        }
        let keys = function.descending.len();
        let fields = types.iter().skip(1).zip(&function.descending).map(|(ty, descending)| {
            let options = SortOptions { descending: *descending, nulls_first: !descending };
            SortField::new_with_options(ty.clone(), options)
        });
        let own = RowConverter::new(fields.collect())?;
        Ok(Some(KeyEncoder { own, keys, moved: types.len().saturating_sub(1 + keys) }))
    }

    /// The keys of rows with these arguments: their own, and those where their frames begin and
    /// end.
    pub(super) fn encode(&self, arguments: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let encoded = |columns: &[ArrayRef]| -> Result<ArrayRef> {
            let keys = self.own.convert_columns(columns)?.try_into_binary()?;
            Ok(std::sync::Arc::new(keys))
        };
        let (own, moved) = arguments[1..].split_at(self.keys);
        let mut columns = vec![encoded(own)?];
        for key in &moved[..self.moved] {
            columns.push(encoded(std::slice::from_ref(key))?);
        }
        Ok(columns)
    }
}

/// The frames of a partition's rows, one after the other.
pub(super) struct FrameBounds {
    start: EdgeFinder,
    end: EdgeFinder,
    /// The keys of the rows at hand, if these matter.
    own: Option<(BlockReader, Option<Block>)>,
    /// The next row.
    next: u64,
    rows: u64,
}

/// Finds where frames begin or end.
enum EdgeFinder {
    Unbounded,
    Rows(i64),
    /// By the key in a column of the row at hand.
    Key(usize, Box<KeySearch>),
}

impl FrameBounds {
    /// Those of so many rows, with these keys.
    pub(super) fn new(function: &FramedFunction, rows: u64, keys: &Blocks) -> Result<FrameBounds> {
        let finder = |edge: FrameEdge, moved: usize| {
            Ok::<_, DataFusionError>(match edge {
                FrameEdge::Unbounded => EdgeFinder::Unbounded,
                FrameEdge::Rows(away) => EdgeFinder::Rows(away),
                FrameEdge::Peers => EdgeFinder::Key(0, Box::new(KeySearch::new(keys)?)),
                FrameEdge::Key => EdgeFinder::Key(moved, Box::new(KeySearch::new(keys)?)),
            })
        };
        let start = finder(function.start, 1)?;
        let end = finder(function.end, if function.start == FrameEdge::Key { 2 } else { 1 })?;
        let own = if function.wants_keys() { Some((keys.open()?, None)) } else { None };
        Ok(FrameBounds { start, end, own, next: 0, rows })
    }

    /// The frame of the next row.
    pub(super) async fn next(&mut self) -> Result<Range<u64>> {
        let row = self.next;
        self.next += 1;
        let key = match &mut self.own {
            None => None,
            Some((reader, block)) => {
                if !block.as_ref().is_some_and(|block| block.has(row)) {
                    *block = Some(reader.seek(row).await?);
                }
                block.as_ref()
            }
        };
        let away = |row: u64, away: i64| row.saturating_add_signed(away);
        let start = match &mut self.start {
            EdgeFinder::Unbounded => 0,
            EdgeFinder::Rows(rows) => away(row, *rows),
            EdgeFinder::Key(column, search) => search.find(key, row, *column, false).await?,
        };
        let end = match &mut self.end {
            EdgeFinder::Unbounded => self.rows,
            EdgeFinder::Rows(rows) => away(row + 1, *rows),
            EdgeFinder::Key(column, search) => search.find(key, row, *column, true).await?,
        };
        let end = end.min(self.rows);
        Ok(start.min(end)..end)
    }
}

/// Looks for keys that only move on.
struct KeySearch {
    reader: BlockReader,
    block: Option<Block>,
    /// The row looked at.
    at: u64,
}

impl KeySearch {
    fn new(keys: &Blocks) -> Result<KeySearch> {
        Ok(KeySearch { reader: keys.open()?, block: None, at: 0 })
    }

    /// The first row whose key is not below a row's, or is beyond it; the number of rows if there
    /// is none.
    async fn find(
        &mut self,
        own: Option<&Block>,
        row: u64,
        column: usize,
        beyond: bool,
    ) -> Result<u64> {
        let own = own.ok_or_else(|| DataFusionError::Internal("a row without keys".to_owned()))?;
        let wanted = keys_of(own, column).value((row - own.first) as usize);
        loop {
            let block = match &self.block {
                Some(block) if block.has(self.at) => block,
                _ => match self.reader.next().await? {
                    Some(block) => self.block.insert(block),
                    None => return Ok(self.at),
                },
            };
            let keys = keys_of(block, 0);
            let first = (self.at - block.first) as usize;
            let found = (first..keys.len()).find(|at| match beyond {
                true => keys.value(*at) > wanted,
                false => keys.value(*at) >= wanted,
            });
            self.at = block.first + found.unwrap_or(keys.len()) as u64;
            if found.is_some() {
                return Ok(self.at);
            }
        }
    }
}

fn keys_of(block: &Block, column: usize) -> &BinaryArray {
    block.rows.column(column).as_binary::<i32>()
}
