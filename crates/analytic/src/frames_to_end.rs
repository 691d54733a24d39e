//! Aggregates over the rows from the one at hand to the end of a partition that is in a file, as in
//! `ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING`.
//!
//! What they add up is kept in pieces beside the partition's rows. When the last row has come, the
//! pieces are read from the last to the first, and each piece's rows too: so the value of a row is
//! that of the row behind it and one value more. The values are in pieces then, which are read in
//! the order of the rows.
//!
//! Invariants
//! 1. One piece is in memory at a time: some 64K rows or 4 MiB, or one batch where that is larger.
//! 2. A value is added once. Nothing is taken away again, so sums of DOUBLE lose no digits.
//!
//! Not here: the rows themselves and functions of other frames (`large_partition`).

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use datafusion::arrow::compute::{concat, take};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::execution::TaskContext;
use datafusion::execution::spill_file::SpillFile;
use datafusion::logical_expr::{Accumulator, WindowFrameBound, WindowFrameUnits};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::window::{SlidingAggregateWindowExpr, WindowExpr};
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::spill::SpillManager;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, TryStreamExt, stream};

use super::partition_files::{BatchWriter, Neighbour, NeighbourRows, files, writer};

/// A piece is ended with so many rows,
const PIECE_ROWS: usize = 1 << 16;
/// or so many bytes.
const PIECE_BYTES: usize = 4 << 20;
/// Values are written in batches of so many.
const VALUES_OF_BATCH: usize = 8192;

/// An aggregate whose frame ends with the partition, and does not begin with it.
#[derive(Clone, Debug)]
pub(super) struct FrameToEnd {
    aggregate: Arc<dyn WindowExpr>,
    ty: DataType,
    begin: FrameBegin,
}

/// Where a frame begins.
#[derive(Clone, Copy, Debug)]
enum FrameBegin {
    /// With the first row whose keys are those of the row at hand.
    Peers,
    /// So many rows before the row at hand,
    Before(usize),
    /// or behind it.
    Behind(usize),
}

impl FrameToEnd {
    /// A function as such an aggregate, if it is one.
    pub(super) fn of(function: &Arc<dyn WindowExpr>) -> Option<FrameToEnd> {
        function.as_any().downcast_ref::<SlidingAggregateWindowExpr>()?;
        let frame = function.get_window_frame();
        if !frame.end_bound.is_unbounded() {
            return None;
        }
        let far = |distance: &ScalarValue| match distance.cast_to(&DataType::UInt64).ok()? {
            ScalarValue::UInt64(Some(rows)) => usize::try_from(rows).ok(),
            _ => None,
        };
        let begin = match (frame.units, &frame.start_bound) {
            (WindowFrameUnits::Rows, WindowFrameBound::CurrentRow) => FrameBegin::Before(0),
            (WindowFrameUnits::Rows, WindowFrameBound::Preceding(rows)) => {
                FrameBegin::Before(far(rows)?)
            }
            (WindowFrameUnits::Rows, WindowFrameBound::Following(rows)) => {
                FrameBegin::Behind(far(rows)?)
            }
            (_, WindowFrameBound::CurrentRow) => FrameBegin::Peers,
            _ => return None,
        };
        let ty = function.field().ok()?.data_type().clone();
        Some(FrameToEnd { aggregate: Arc::clone(function), ty, begin })
    }

    fn accumulator(&self) -> Result<Box<dyn Accumulator>> {
        let sliding = self.aggregate.as_any().downcast_ref::<SlidingAggregateWindowExpr>();
        sliding.expect("nothing else is one").get_aggregate_expr().create_accumulator()
    }
}

/// What an aggregate adds up, while its partition comes.
pub(super) struct AddedUp {
    frame: FrameToEnd,
    /// Of the piece at hand.
    rows: usize,
    bytes: usize,
    write: Option<BatchWriter>,
    /// Those before.
    pieces: Vec<Arc<dyn SpillFile>>,
    files: Option<Arc<SpillManager>>,
}

impl AddedUp {
    /// Nothing yet.
    pub(super) fn new(frame: &FrameToEnd) -> AddedUp {
        let (pieces, frame) = (Vec::new(), frame.clone());
        AddedUp { frame, rows: 0, bytes: 0, write: None, pieces, files: None }
    }

    /// What the next rows of the partition give.
    pub(super) fn add(&mut self, batch: &RecordBatch, context: &TaskContext) -> Result<()> {
        let added = self.frame.aggregate.evaluate_args(batch)?;
        let manager = self.files.get_or_insert_with(|| {
            let types = added.iter().map(|values| values.data_type().clone());
            files(context, schema_of(types))
        });
        let batch = RecordBatch::try_new(Arc::clone(manager.schema()), added)?;
        if self.write.is_none() {
            self.write = Some(writer(manager, "what a window function adds up")?);
        }
        if let Some(write) = &mut self.write {
            write(Some(&batch))?;
        }
        self.rows += batch.num_rows();
        self.bytes += batch.get_array_memory_size();
        if self.rows >= PIECE_ROWS || self.bytes >= PIECE_BYTES {
            self.end_piece()?;
        }
        Ok(())
    }

    fn end_piece(&mut self) -> Result<()> {
        (self.rows, self.bytes) = (0, 0);
        if let Some(mut write) = self.write.take() {
            self.pieces.extend(write(None)?);
        }
        Ok(())
    }

    /// There are no more rows: the values of all.
    pub(super) async fn values(mut self, context: &TaskContext) -> Result<ValuesToEnd> {
        self.end_piece()?;
        let mut total = self.frame.accumulator()?;
        let behind_all = total.evaluate()?;
        let of_values = files(context, schema_of([self.frame.ty.clone()]));
        let mut pieces = Vec::with_capacity(self.pieces.len());
        while let (Some(piece), Some(files)) = (self.pieces.pop(), &self.files) {
            let rows = files.read_spill_as_stream_unbuffered(piece, None)?;
            let batches: Vec<RecordBatch> = rows.try_collect().await?;
            let values = values_from_behind(&batches, total.as_mut())?;
            pieces.extend(written(&of_values, &values)?);
        }
        pieces.reverse();
        let (is_ahead, distance, otherwise) = match self.frame.begin {
            FrameBegin::Peers => (true, 0, behind_all),
            // A frame that would begin before the partition begins with it.
            FrameBegin::Before(rows) => (false, rows, total.evaluate()?),
            FrameBegin::Behind(rows) => (true, rows, behind_all),
        };
        let value: Arc<dyn PhysicalExpr> = Arc::new(Column::new("v0", 0));
        let begin = Neighbour { value, is_ahead, distance, otherwise };
        Ok(ValuesToEnd {
            values: NeighbourRows::new(in_order(of_values, pieces), &begin),
            begin: self.frame.begin,
            of_peers: None,
        })
    }
}

/// The values of rows, from the last to the first, each with all behind it; in the order of the
/// rows.
fn values_from_behind(
    batches: &[RecordBatch],
    total: &mut dyn Accumulator,
) -> Result<Vec<ScalarValue>> {
    let mut values = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
    for batch in batches.iter().rev() {
        for row in (0..batch.num_rows()).rev() {
            let added: Vec<ArrayRef> =
                batch.columns().iter().map(|column| column.slice(row, 1)).collect();
            total.update_batch(&added)?;
            values.push(total.evaluate()?);
        }
    }
    values.reverse();
    Ok(values)
}

/// Values, in a file.
fn written(files: &SpillManager, values: &[ScalarValue]) -> Result<Option<Arc<dyn SpillFile>>> {
    let mut write = writer(files, "values of a window function")?;
    for part in values.chunks(VALUES_OF_BATCH) {
        let column = ScalarValue::iter_to_array(part.iter().cloned())?;
        write(Some(&RecordBatch::try_new(Arc::clone(files.schema()), vec![column])?))?;
    }
    write(None)
}

/// The rows of files, one file after the other.
fn in_order(
    files: Arc<SpillManager>,
    pieces: Vec<Arc<dyn SpillFile>>,
) -> SendableRecordBatchStream {
    let schema = Arc::clone(files.schema());
    let rows = stream::iter(pieces)
        .map(move |piece| files.read_spill_as_stream_unbuffered(piece, None))
        .try_flatten();
    Box::pin(RecordBatchStreamAdapter::new(schema, rows))
}

/// Columns that may be NULL.
fn schema_of(types: impl IntoIterator<Item = DataType>) -> SchemaRef {
    let field = |(number, ty)| Field::new(format!("v{number}"), ty, true);
    Arc::new(Schema::new(types.into_iter().enumerate().map(field).collect::<Vec<_>>()))
}

/// The values of a partition's rows, in their order.
pub(super) struct ValuesToEnd {
    values: NeighbourRows,
    begin: FrameBegin,
    /// The value of the last row's peers, where frames begin with these.
    of_peers: Option<ArrayRef>,
}

impl ValuesToEnd {
    /// The values of the next rows, of which these begin another group of peers.
    pub(super) async fn take(&mut self, rows: usize, begins: &[usize]) -> Result<ArrayRef> {
        let values = self.values.take(rows).await?;
        if !matches!(self.begin, FrameBegin::Peers) || rows == 0 {
            return Ok(values);
        }
        // Before them stands the value of the peers at hand.
        let before = self.of_peers.take().unwrap_or_else(|| values.slice(0, 1));
        let candidates = concat(&[before.as_ref(), values.as_ref()])?;
        let mut begins = begins.iter().copied().peekable();
        let mut at = 0u32;
        let positions = (0..rows).map(|row| {
            if begins.next_if_eq(&row).is_some() {
                at = row as u32 + 1;
            }
            at
        });
        let positions = UInt32Array::from_iter_values(positions);
        let values = take(&candidates, &positions, None).map_err(DataFusionError::from)?;
        self.of_peers = Some(values.slice(rows - 1, 1));
        Ok(values)
    }
}
