//! Window functions of the rows so far, with the rows carried past DataFusion's operator.
//!
//! That operator keeps rows until it knows their values (for a frame that ends with the last row of
//! equal keys, until those have come), asks nobody for the memory, and joins what it holds back to
//! each new batch, by which all texts that have passed it stay. So it is given only what the
//! functions look at, with an empty text in place of every other one, and the rows are put together
//! with the functions' values where these come out. Texts that functions look at are given to it by
//! offsets (`lower::window`): what is joined of these are the texts themselves.
//!
//! Invariants
//! 1. What is carried and what the operator was given are counted until their rows have come out.
//!    Where there is no memory for rows that are carried, these go to a file; the others end the
//!    query with error 1038.
//! 2. Where the operator keeps texts all the same, it ends with a partition and another one begins,
//!    as soon as those are `TEXT_BYTES_MAX`.
//!
//! Not here: functions that look at a whole partition (`window`), those that need less
//! (`numbering`).

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::array::{Array, ArrayRef, BinaryViewArray, RecordBatch};
use datafusion::arrow::buffer::ScalarBuffer;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
use datafusion::physical_plan::spill::SpillManager;
use datafusion::physical_plan::spill::spill_pool::{SpillPoolSink, spsc_channel};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::BoundedWindowAggExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, InputOrderMode,
    Partitioning, PlanProperties, SendableRecordBatchStream,
};
use futures::{StreamExt, stream};
use parking_lot::Mutex;

use super::compact::{compact, longest_text, rows_with, text_bytes};
use super::leaf::leaf;
use super::sorted_keys::Keys;
use super::stream::bytes_of;

/// Bytes of texts that the operator may keep for nothing.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// The part of the memory for queries that carried rows may take; the operator needs some as well.
const CARRIED_PART: usize = 8;
/// Bytes of a file of carried rows; it goes when it has been read.
const FILE_BYTES: usize = 8 << 20;

/// Functions over rows that are sorted by partitions and keys.
#[derive(Debug)]
pub(super) struct Carrying {
    window: Arc<BoundedWindowAggExec>,
    /// Of each column of the input: whether a function looks at it.
    needed: Arc<[bool]>,
}

impl Carrying {
    /// In place of `window`, if its input is sorted.
    pub(super) fn instead_of(window: &BoundedWindowAggExec) -> Option<Carrying> {
        if window.input_order_mode != InputOrderMode::Sorted {
            return None;
        }
        let mut needed = vec![false; window.input().schema().fields().len()];
        for function in window.window_expr() {
            for expr in parts_of(function) {
                collect_columns(&expr).iter().for_each(|column| needed[column.index()] = true);
            }
        }
        Some(Carrying { window: Arc::new(window.clone()), needed: needed.into() })
    }

    /// The rows with the functions' values.
    pub(super) fn over(
        &self,
        input: SendableRecordBatchStream,
        partition: usize,
        context: &Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let first = self.window.window_expr().first();
        let partition_by = first.map_or(Vec::new(), |first| first.partition_by().to_vec());
        let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), partition);
        let files = SpillManager::new(context.runtime_env(), metrics, input.schema());
        let (files, written) = spsc_channel(FILE_BYTES, Arc::new(files));
        let held = MemoryConsumer::new("WindowRows").register(context.memory_pool());
        let carried_max = match context.memory_pool().memory_limit() {
            MemoryLimit::Finite(bytes) => bytes / CARRIED_PART,
            MemoryLimit::Infinite | MemoryLimit::Unknown => usize::MAX,
        };
        let source = Source {
            input,
            needed: Arc::clone(&self.needed),
            keys: Keys::new(partition_by),
            pending: None,
            rest: None,
            longest: 0,
            ended: false,
            part_ended: false,
            texts: held.new_empty(),
            rows: held.new_empty(),
            carried_max,
            held,
            carried: VecDeque::new(),
            files,
        };
        let source = Arc::new(Mutex::new(source));
        let properties = PlanProperties::new(
            self.window.input().equivalence_properties().clone(),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let part = CarriedPart { source: Arc::clone(&source), properties: Arc::new(properties) };
        let mut rows = OutputRows {
            window: Arc::clone(&self.window),
            part: Arc::new(part),
            context: Arc::clone(context),
            source,
            written,
            values: None,
            out: None,
            front: None,
        };
        rows.begin_part()?;
        let schema = self.window.schema();
        let rows = stream::try_unfold(rows, |mut rows| async move {
            Ok::<_, DataFusionError>(rows.next().await?.map(|batch| (batch, rows)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

fn parts_of(
    function: &Arc<dyn WindowExpr>,
) -> Vec<Arc<dyn datafusion::physical_expr::PhysicalExpr>> {
    let all = function.all_expressions();
    [all.args, all.partition_by_exprs, all.order_by_exprs].concat()
}

/// Rows whose values have not come out.
struct CarriedRows {
    /// `None` when they are in a file.
    batch: Option<RecordBatch>,
    count: usize,
    counted: PendingCounts,
}

/// What is counted for rows that have not come out.
#[derive(Clone, Copy, Default)]
struct PendingCounts {
    held: usize,
    rows: usize,
}

/// What goes in, and what is carried past.
struct Source {
    input: SendableRecordBatchStream,
    needed: Arc<[bool]>,
    /// Of the partitions.
    keys: Keys,
    /// The first rows of the next part.
    pending: Option<RecordBatch>,
    /// Rows of this one that go to the operator apart from those before them.
    rest: Option<RecordBatch>,
    /// The length of the longest text that functions look at.
    longest: usize,
    ended: bool,
    /// No more rows go to the operator that runs.
    part_ended: bool,
    /// Texts that it keeps.
    texts: MemoryReservation,
    /// What else it was given of rows that have not come out,
    held: MemoryReservation,
    /// and those rows, as far as they are in memory.
    rows: MemoryReservation,
    carried_max: usize,
    carried: VecDeque<CarriedRows>,
    files: SpillPoolSink,
}

impl Source {
    /// The next rows for the operator that runs.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<RecordBatch>>> {
        loop {
            if self.rest.is_none() && (self.ended || self.part_ended) {
                return Poll::Ready(None);
            }
            let batch = match self.rest.take().or_else(|| self.pending.take()) {
                Some(batch) => Ok(Some(batch)),
                None => match ready!(self.input.poll_next_unpin(context)) {
                    Some(batch) => batch.and_then(|batch| self.of_this_part(batch)),
                    None => {
                        self.ended = true;
                        continue;
                    }
                },
            };
            let batch = batch.map(|batch| batch.map(|batch| self.first_rows(batch)));
            match batch.and_then(|batch| batch.map(|batch| self.carry(&batch)).transpose()) {
                Ok(Some(bare)) => return Poll::Ready(Some(Ok(bare))),
                Ok(None) => {}
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }

    /// As many of the rows as may have the longest text as their value.
    fn first_rows(&mut self, batch: RecordBatch) -> RecordBatch {
        self.longest = self.longest.max(longest_text(&batch));
        let (rows, rows_max) = (batch.num_rows(), rows_with(self.longest));
        if rows <= rows_max {
            return batch;
        }
        self.rest = Some(batch.slice(rows_max, rows - rows_max));
        batch.slice(0, rows_max)
    }

    /// The rows of a batch that still go to the operator that runs, if there are any.
    fn of_this_part(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        let begins = self.keys.begins(&batch)?;
        let rows = batch.num_rows();
        let Some(begin) = begins.last().filter(|_| self.texts.size() > TEXT_BYTES_MAX) else {
            return Ok(Some(batch).filter(|_| rows > 0));
        };
        self.part_ended = true;
        self.pending = Some(batch.slice(*begin, rows - begin));
        Ok(Some(batch.slice(0, *begin)).filter(|batch| batch.num_rows() > 0))
    }

    /// Takes rows along; gives what the operator is to see of them.
    fn carry(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = batch.columns().iter().map(compact).collect();
        let batch = RecordBatch::try_new(batch.schema(), columns)?;
        let bare = self.bare(&batch)?;
        let texts: usize = bare.columns().iter().map(|column| text_bytes(column).0).sum();
        let mut counted = PendingCounts { held: bytes_of(&bare) - texts, rows: 0 };
        self.held.try_grow(counted.held)?;
        if texts > 0 {
            self.texts.try_grow(texts)?;
        }
        let own = bytes_of(&batch);
        let is_kept = self.rows.size() + own <= self.carried_max && self.rows.try_grow(own).is_ok();
        let kept = if is_kept {
            counted.rows = own;
            Some(batch)
        } else {
            self.files.push_batch(&batch)?;
            None
        };
        self.carried.push_back(CarriedRows { batch: kept, count: bare.num_rows(), counted });
        Ok(bare)
    }

    /// Rows have come out.
    fn gone(&mut self, counted: PendingCounts) {
        self.held.shrink(counted.held);
        self.rows.shrink(counted.rows);
    }

    /// Rows with nothing in the texts that no function looks at.
    fn bare(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = batch.columns().iter().zip(self.needed.iter()).map(|(column, needed)| {
            match column.data_type() {
                DataType::BinaryView if !needed => {
                    let empty: ScalarBuffer<u128> = vec![0; column.len()].into();
                    BinaryViewArray::try_new(empty, Vec::new(), None)
                        .map(|empty| Arc::new(empty) as ArrayRef)
                }
                _ => Ok(Arc::clone(column)),
            }
        });
        let columns = columns.collect::<std::result::Result<Vec<ArrayRef>, _>>()?;
        Ok(RecordBatch::try_new(batch.schema(), columns)?)
    }
}

/// What the operator reads.
struct CarriedPart {
    source: Arc<Mutex<Source>>,
    properties: Arc<PlanProperties>,
}

impl fmt::Debug for CarriedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part")
    }
}

impl DisplayAs for CarriedPart {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part")
    }
}

impl ExecutionPlan for CarriedPart {
    fn name(&self) -> &str {
        "Part"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    leaf!();

    fn execute(
        &self,
        _partition: usize,
        _context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let source = Arc::clone(&self.source);
        let rows = stream::poll_fn(move |context| source.lock().poll(context));
        let schema: SchemaRef = self.schema();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// Rows as they come out.
struct OutputRows {
    window: Arc<BoundedWindowAggExec>,
    part: Arc<CarriedPart>,
    context: Arc<TaskContext>,
    source: Arc<Mutex<Source>>,
    /// Carried rows that are in files.
    written: SendableRecordBatchStream,
    /// The operator that runs.
    values: Option<SendableRecordBatchStream>,
    /// What it gave last, without the rows that have come out.
    out: Option<RecordBatch>,
    /// The carried rows in front, without those that have come out, and what is counted for them.
    front: Option<(RecordBatch, PendingCounts)>,
}

impl OutputRows {
    fn begin_part(&mut self) -> Result<()> {
        let mut source = self.source.lock();
        source.part_ended = false;
        source.texts.free();
        drop(source);
        let part = Arc::clone(&self.part) as Arc<dyn ExecutionPlan>;
        let functions = self.window.window_expr().to_vec();
        let order = self.window.input_order_mode.clone();
        let window = BoundedWindowAggExec::try_new(functions, part, order, false)?;
        self.values = Some(window.execute(0, Arc::clone(&self.context))?);
        Ok(())
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(out) = self.out.take_if(|out| out.num_rows() > 0) {
                return self.joined(out).await.map(Some);
            }
            let Some(values) = &mut self.values else { return Ok(None) };
            match values.next().await {
                Some(out) => self.out = Some(out?),
                None => {
                    self.values = None;
                    let is_last = self.source.lock().ended;
                    if !is_last {
                        self.begin_part()?;
                    }
                }
            }
        }
    }

    /// Carried rows with their values: as many as there are of both.
    async fn joined(&mut self, out: RecordBatch) -> Result<RecordBatch> {
        let (rows, counted) = match self.front.take() {
            Some(front) => front,
            None => self.next_front().await?,
        };
        let count = rows.num_rows().min(out.num_rows());
        let values = &out.columns()[rows.num_columns()..];
        let values = values.iter().map(|column| column.slice(0, count));
        let carried = rows.columns().iter().map(|column| column.slice(0, count));
        let batch = RecordBatch::try_new(self.window.schema(), carried.chain(values).collect())?;
        self.out = Some(out.slice(count, out.num_rows() - count));
        match rows.num_rows() - count {
            0 => self.source.lock().gone(counted),
            left => self.front = Some((rows.slice(count, left), counted)),
        }
        Ok(batch)
    }

    async fn next_front(&mut self) -> Result<(RecordBatch, PendingCounts)> {
        let lost = || DataFusionError::Internal("rows of a window function were lost".to_owned());
        let front = self.source.lock().carried.pop_front().ok_or_else(lost)?;
        let batch = match front.batch {
            Some(batch) => batch,
            None => self.written.next().await.ok_or_else(lost)??,
        };
        match batch.num_rows() == front.count {
            true => Ok((batch, front.counted)),
            false => Err(lost()),
        }
    }
}
