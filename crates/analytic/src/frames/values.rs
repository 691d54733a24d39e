//! The values of a function over frames that move, row after row.
//!
//! Invariants
//! 1. In memory are the totals of all blocks, and of two blocks all that is known of their rows.
//!
//! Not here: which rows a frame has (`bounds`), what a total is (`totals`).

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BinaryBuilder, new_null_array};
use datafusion::arrow::compute::interleave;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;

use super::blocks::{BLOCK_ROWS, Block, BlockReader, BlockSink, Blocks};
use super::bounds::{FrameBounds, KeyEncoder};
use super::function::{FramedCall, FramedFunction};
use super::totals::{Total, TotalTree, Totalling};

/// Frames of so few rows are added up row by row.
const FEW_ROWS: usize = 16;

/// A partition's rows, as far as a function looks at them.
pub(crate) struct FramedRows {
    function: Arc<FramedFunction>,
    ty: DataType,
    /// Makes bytes of values that are compared.
    compared: Option<RowConverter>,
    keys: Option<KeyEncoder>,
    values: BlockSink,
    key_blocks: BlockSink,
    /// One for each block.
    totals: Vec<Total>,
}

impl FramedRows {
    /// Of a partition that stays in memory; the arguments are of these types.
    pub(super) fn in_memory(
        function: &Arc<FramedFunction>,
        types: &[DataType],
    ) -> Result<FramedRows> {
        FramedRows::new(function, types, BlockSink::in_memory)
    }

    /// Of one that goes to a file.
    pub(crate) fn in_files(
        function: &Arc<FramedFunction>,
        types: &[DataType],
        context: &Arc<TaskContext>,
    ) -> Result<FramedRows> {
        FramedRows::new(function, types, || BlockSink::in_file(context))
    }

    fn new(
        function: &Arc<FramedFunction>,
        types: &[DataType],
        sink: impl Fn() -> BlockSink,
    ) -> Result<FramedRows> {
        let ty = types.first().cloned().unwrap_or(DataType::Null);
        let compared = match function.call {
            FramedCall::Total(totalling) if totalling.compares() => {
                Some(RowConverter::new(vec![SortField::new(ty.clone())])?)
            }
            _ => None,
        };
        Ok(FramedRows {
            function: Arc::clone(function),
            ty,
            compared,
            keys: KeyEncoder::of(function, types)?,
            values: sink(),
            key_blocks: sink(),
            totals: Vec::new(),
        })
    }

    /// The next rows, whose arguments these are.
    pub(crate) fn add(&mut self, arguments: Vec<ArrayRef>) -> Result<()> {
        let rows = arguments.first().map_or(0, |argument| argument.len());
        for first in (0..rows).step_by(BLOCK_ROWS) {
            let count = BLOCK_ROWS.min(rows - first);
            let part = arguments.iter().map(|column| column.slice(first, count));
            self.add_block(&part.collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn add_block(&mut self, arguments: &[ArrayRef]) -> Result<()> {
        let mut values = Arc::clone(&arguments[0]);
        if let Some(compared) = &self.compared {
            values = bytes_of(&values, compared)?;
        }
        if let FramedCall::Total(totalling) = self.function.call {
            let rows = totalling.of_rows(&values)?;
            let total = |total, row| totalling.both(&total, row);
            self.totals.push(rows.iter().fold(totalling.nothing(), total));
        }
        self.values.add(vec![values])?;
        match &self.keys {
            Some(keys) => self.key_blocks.add(keys.encode(arguments)?),
            None => Ok(()),
        }
    }

    /// There are no more rows: the values of all.
    pub(crate) fn finish(self) -> Result<FramedValues> {
        let (values, keys) = (self.values.finish()?, self.key_blocks.finish()?);
        let bounds = FrameBounds::new(&self.function, values.rows(), &keys)?;
        let way = match self.function.call {
            FramedCall::Total(totalling) => FrameWay::Totals(Box::new(FrameTotals {
                totalling,
                blocks: TotalTree::new(totalling, &self.totals),
                first: BlockTotals::new(totalling, &values)?,
                last: BlockTotals::new(totalling, &values)?,
                between: None,
            })),
            _ => FrameWay::Rows(values.open()?, None),
        };
        let result = self.function.result(&self.ty)?;
        Ok(FramedValues { function: self.function, result, compared: self.compared, bounds, way })
    }
}

/// Values as bytes that sort as they do; NULL stays NULL.
fn bytes_of(values: &ArrayRef, converter: &RowConverter) -> Result<ArrayRef> {
    let rows = converter.convert_columns(std::slice::from_ref(values))?;
    let mut bytes = BinaryBuilder::new();
    for (at, row) in rows.iter().enumerate() {
        bytes.append_option(values.is_valid(at).then(|| row.data()));
    }
    Ok(Arc::new(bytes.finish()))
}

/// The values of a partition's rows, in their order.
pub(crate) struct FramedValues {
    function: Arc<FramedFunction>,
    result: DataType,
    compared: Option<RowConverter>,
    bounds: FrameBounds,
    way: FrameWay,
}

enum FrameWay {
    Totals(Box<FrameTotals>),
    /// One row of each frame: where the last one was.
    Rows(BlockReader, Option<Block>),
}

impl FramedValues {
    /// The values of the next rows.
    pub(crate) async fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        match &mut self.way {
            FrameWay::Totals(totals) => {
                let mut all = Vec::with_capacity(rows);
                for _ in 0..rows {
                    all.push(totals.of(self.bounds.next().await?).await?);
                }
                totals.totalling.column(&all, &self.result, self.compared.as_ref())
            }
            FrameWay::Rows(reader, block) => {
                // The value of a frame without such a row comes first.
                let mut columns = vec![new_null_array(&self.result, 1)];
                columns.extend(block.as_ref().map(values_of));
                let mut places = Vec::with_capacity(rows);
                for _ in 0..rows {
                    let frame = self.bounds.next().await?;
                    let Some(row) = chosen(self.function.call, &frame) else {
                        places.push((0, 0));
                        continue;
                    };
                    if !block.as_ref().is_some_and(|block| block.has(row)) {
                        columns.push(values_of(block.insert(reader.seek(row).await?)));
                    }
                    let first = block.as_ref().map_or(0, |block| block.first);
                    places.push((columns.len() - 1, (row - first) as usize));
                }
                let columns: Vec<&dyn Array> = columns.iter().map(AsRef::as_ref).collect();
                Ok(interleave(&columns, &places)?)
            }
        }
    }
}

fn values_of(block: &Block) -> ArrayRef {
    Arc::clone(block.rows.column(0))
}

/// The row of a frame that a function is about, if the frame has it.
fn chosen(call: FramedCall, frame: &Range<u64>) -> Option<u64> {
    let row = match call {
        FramedCall::Nth(number) => frame.start.checked_add(number.checked_sub(1)?)?,
        FramedCall::Last => frame.end.checked_sub(1)?,
        FramedCall::First | FramedCall::Total(_) => frame.start,
    };
    frame.contains(&row).then_some(row)
}

/// The totals of frames.
struct FrameTotals {
    totalling: Totalling,
    /// Of all blocks.
    blocks: TotalTree,
    /// The block in which frames begin,
    first: BlockTotals,
    /// and the one in which they end.
    last: BlockTotals,
    /// What is between two blocks, by their numbers: the same for many rows.
    between: Option<(usize, usize, Total)>,
}

impl FrameTotals {
    async fn of(&mut self, frame: Range<u64>) -> Result<Total> {
        if frame.is_empty() {
            return Ok(self.totalling.nothing());
        }
        let (first, from) = self.first.seek(frame.start).await?;
        let (last, to) = self.last.seek(frame.end - 1).await?;
        if first == last {
            return self.first.within(from, to + 1);
        }
        let both = |left: &Total, right: &Total| self.totalling.both(left, right);
        let between = match &self.between {
            Some((after, before, total)) if (*after, *before) == (first, last) => total,
            _ => {
                let total = self.blocks.total(first + 1, last);
                &self.between.insert((first, last, total)).2
            }
        };
        let left = both(self.first.from(from)?, between);
        Ok(both(&left, self.last.up_to(to)?))
    }
}

/// The block at hand, and totals of its rows, which are made when they are first asked for.
struct BlockTotals {
    totalling: Totalling,
    reader: BlockReader,
    block: Option<Block>,
    rows: Vec<Total>,
    /// Of each row and all behind it.
    from: Vec<Total>,
    /// Of each row and all before it.
    up_to: Vec<Total>,
    tree: Option<TotalTree>,
}

impl BlockTotals {
    fn new(totalling: Totalling, values: &Blocks) -> Result<BlockTotals> {
        let (rows, from, up_to) = (Vec::new(), Vec::new(), Vec::new());
        let reader = values.open()?;
        Ok(BlockTotals { totalling, reader, block: None, rows, from, up_to, tree: None })
    }

    /// Goes to the block of a row: its number, and the row's within it.
    async fn seek(&mut self, row: u64) -> Result<(usize, usize)> {
        if !self.block.as_ref().is_some_and(|block| block.has(row)) {
            let block = self.reader.seek(row).await?;
            self.rows = self.totalling.of_rows(block.rows.column(0))?;
            (self.from, self.up_to, self.tree) = (Vec::new(), Vec::new(), None);
            self.block = Some(block);
        }
        let block = self.block.as_ref();
        Ok(block.map_or((0, 0), |block| (block.number, (row - block.first) as usize)))
    }

    fn within(&mut self, from: usize, to: usize) -> Result<Total> {
        let both = |total: Total, row: &Total| self.totalling.both(&total, row);
        if to - from <= FEW_ROWS {
            return Ok(self.rows[from..to].iter().fold(self.totalling.nothing(), both));
        }
        let tree = self.tree.get_or_insert_with(|| TotalTree::new(self.totalling, &self.rows));
        Ok(tree.total(from, to))
    }

    fn from(&mut self, row: usize) -> Result<&Total> {
        if self.from.is_empty() {
            self.from =
                running(self.rows.iter().rev(), |behind, total| self.totalling.both(total, behind));
            self.from.reverse();
        }
        self.from.get(row).ok_or_else(lost)
    }

    fn up_to(&mut self, row: usize) -> Result<&Total> {
        if self.up_to.is_empty() {
            self.up_to =
                running(self.rows.iter(), |before, total| self.totalling.both(before, total));
        }
        self.up_to.get(row).ok_or_else(lost)
    }
}

/// Of each total, and those before it.
fn running<'t>(
    totals: impl Iterator<Item = &'t Total>,
    both: impl Fn(&Total, &Total) -> Total,
) -> Vec<Total> {
    let mut all: Vec<Total> = Vec::with_capacity(totals.size_hint().0);
    for total in totals {
        let next = all.last().map_or_else(|| total.clone(), |before| both(before, total));
        all.push(next);
    }
    all
}

fn lost() -> DataFusionError {
    DataFusionError::Internal("a row of a window function was lost".to_owned())
}
