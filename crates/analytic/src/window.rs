//! Window functions within the memory that there is: operators of ours in place of DataFusion's.
//!
//! Those that look at a whole partition are computed a few partitions at a time. DataFusion's
//! operator for these gathers its whole input, which is sorted by partitions, before
//! it computes anything, and asks nobody for the memory. Here it is given whole partitions as they
//! come, and what is gathered is drawn from the memory for queries. A partition that takes too much
//! of it goes to a file, where its functions are such as can be had from there
//! (`large_partition`).
//!
//! Functions that stand beside them in one operator, and need no more than the rows so far, get an
//! operator of their own.
//!
//! Invariants
//! 1. A partition is given to the operator wholly, with its rows in the order of the input.
//!
//! Not here: functions that need no more than the rows so far (numbers: `numbering`; others:
//! `carried`).

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, InputOrderMode,
    Partitioning, PlanProperties, SendableRecordBatchStream,
};
use futures::{StreamExt, stream};

use super::carried::Carrying;
use super::compact::{VALUES_BYTES_MAX, longest_text};
use super::large_partition::{FileFunctions, LargePartition};
use super::leaf::leaf;
use super::numbering::Numbering;
use super::sorted_keys::Keys;

/// The part of the memory that a partition may take before it goes to a file.
const GATHERED_PART: usize = 8;

/// A plan whose window functions keep to the memory that there is.
pub(super) fn in_parts(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let parted = plan.transform_up(|node| {
        Ok(match own(&node) {
            Some(own) => Transformed::yes(own),
            None => Transformed::no(node),
        })
    });
    parted.map(|parted| parted.data)
}

/// Our operator in place of one of DataFusion's for window functions.
fn own(node: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
    let way = match node.downcast_ref::<WindowAggExec>() {
        Some(window) => {
            let large = FileFunctions::of(window.window_expr(), &window.schema());
            if large.is_none()
                && let Ok(Some(apart)) = apart(window)
            {
                return Some(apart);
            }
            Way::Parts(Arc::new(window.clone()), large.map(Arc::new))
        }
        None => {
            let window = node.downcast_ref()?;
            match (Numbering::instead_of(window), far_looking(window)) {
                (Some(numbering), _) => Way::Numbers(numbering),
                (None, Some((whole, large))) => Way::Parts(whole, Some(large)),
                (None, None) => Way::Carries(Carrying::instead_of(window)?),
            }
        }
    };
    Some(Arc::new(OwnWindow { inner: Arc::clone(node), way }))
}

/// Functions over whole partitions apart from those of the rows so far, which stand beside them in
/// one operator where all sort alike; `None` where there are not both.
fn apart(window: &WindowAggExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let functions = window.window_expr();
    let (bounded, whole): (Vec<_>, Vec<_>) =
        functions.iter().cloned().partition(|function| function.uses_bounded_memory());
    if bounded.is_empty() || whole.is_empty() {
        return Ok(None);
    }
    let input = Arc::clone(window.input());
    let inputs = input.schema().fields().len();
    let own_or = |node: Arc<dyn ExecutionPlan>| own(&node).unwrap_or(node);
    let sorted = InputOrderMode::Sorted;
    let first = BoundedWindowAggExec::try_new(bounded.clone(), input, sorted, false)?;
    let second = WindowAggExec::try_new(whole.clone(), own_or(Arc::new(first)), false)?;
    // The columns in the order in which they were together.
    let (mut next_bounded, mut next_whole) = (inputs, inputs + bounded.len());
    let mut places: Vec<usize> = (0..inputs).collect();
    for function in functions {
        let next = match function.uses_bounded_memory() {
            true => &mut next_bounded,
            false => &mut next_whole,
        };
        places.push(*next);
        *next += 1;
    }
    let schema = second.schema();
    let columns = places.into_iter().map(|place| {
        let name = schema.field(place).name();
        (Arc::new(Column::new(name, place)) as Arc<dyn PhysicalExpr>, name.clone())
    });
    let columns = columns.collect::<Vec<_>>();
    Ok(Some(Arc::new(ProjectionExec::try_new(columns, own_or(Arc::new(second)))?)))
}

/// Functions that look far, and the operator for partitions that fit into memory: DataFusion's own
/// for functions of the rows so far would keep all rows on the way, and copy them for each batch.
fn far_looking(window: &BoundedWindowAggExec) -> Option<(Arc<WindowAggExec>, Arc<FileFunctions>)> {
    if window.input_order_mode != InputOrderMode::Sorted {
        return None;
    }
    let functions = window.window_expr();
    let large = FileFunctions::of(functions, &window.schema()).filter(FileFunctions::look_far)?;
    let input = Arc::clone(window.input());
    let whole = WindowAggExec::try_new(functions.to_vec(), input, false).ok()?;
    Some((Arc::new(whole), Arc::new(large)))
}

/// DataFusion's operator in all but how it computes.
#[derive(Debug)]
struct OwnWindow {
    inner: Arc<dyn ExecutionPlan>,
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// DataFusion's operator, for a part of the input at a time, and the functions if they can be
    /// had from files.
    Parts(Arc<WindowAggExec>, Option<Arc<FileFunctions>>),
    Numbers(Numbering),
    Carries(Carrying),
}

impl DisplayAs for OwnWindow {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_as(form, f)
    }
}

impl ExecutionPlan for OwnWindow {
    fn name(&self) -> &str {
        "OwnWindow"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.inner.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inner.children()
    }

    fn apply_expressions(
        &self,
        each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.inner.apply_expressions(each)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let inner = Arc::clone(&self.inner).replace_children(children, options)?;
        Ok(own(&inner).unwrap_or(inner))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        self.replace_children(children, options)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.inner.children()[0].execute(partition, Arc::clone(&context))?;
        match &self.way {
            Way::Parts(window, large) => Parts::of(window, large.clone(), input, context),
            Way::Numbers(numbering) => Ok(numbering.add_to(input, self.schema())),
            Way::Carries(carrying) => carrying.over(input, partition, &context),
        }
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        self.inner.statistics_from_inputs(inputs, args)
    }
}

/// The input on its way through.
struct Parts {
    inner: Arc<WindowAggExec>,
    keys: Keys,
    context: Arc<TaskContext>,
    input: SendableRecordBatchStream,
    /// Of the partition whose end was not seen yet, if that is in memory.
    gathered: Vec<RecordBatch>,
    reservation: MemoryReservation,
    /// Its rows, and the length of the longest text that functions look at: it may be the value of
    /// each row.
    gathered_rows: usize,
    longest: usize,
    /// What it may take there if its functions can be had from a file,
    gathered_max: usize,
    /// by these.
    from_files: Option<Arc<FileFunctions>>,
    /// That partition, if it is in a file.
    large: Option<LargePartition>,
    ended: bool,
    /// Results of whole partitions.
    ready: VecDeque<SendableRecordBatchStream>,
}

impl Parts {
    fn of(
        window: &Arc<WindowAggExec>,
        from_files: Option<Arc<FileFunctions>>,
        input: SendableRecordBatchStream,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let keys = window.partition_by_sort_keys()?;
        let parts = Parts {
            input,
            inner: Arc::clone(window),
            keys: Keys::new(keys.into_iter().map(|key| key.expr).collect()),
            reservation: MemoryConsumer::new("WindowInParts").register(context.memory_pool()),
            gathered_max: match context.memory_pool().memory_limit() {
                MemoryLimit::Finite(bytes) => bytes / GATHERED_PART,
                MemoryLimit::Infinite | MemoryLimit::Unknown => usize::MAX,
            },
            context,
            gathered_rows: 0,
            longest: 0,
            gathered: Vec::new(),
            from_files,
            large: None,
            ended: false,
            ready: VecDeque::new(),
        };
        let rows = stream::try_unfold(parts, |mut parts| async move {
            Ok::<_, DataFusionError>(parts.next().await?.map(|batch| (batch, parts)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(window.schema(), rows)))
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(ready) = self.ready.front_mut() {
                if let Some(batch) = ready.next().await {
                    return batch.map(Some);
                }
                self.ready.pop_front();
                continue;
            }
            if self.ended {
                return Ok(None);
            }
            match self.input.next().await.transpose()? {
                Some(batch) => self.take(&batch)?,
                None => {
                    self.ended = true;
                    self.end_partition()?;
                    self.compute_gathered()?;
                }
            }
        }
    }

    /// Takes rows; computes those of partitions that are whole now.
    fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let begins = self.keys.begins(batch)?;
        if longest_text(batch).saturating_mul(batch.num_rows()) > VALUES_BYTES_MAX {
            return self.take_one_by_one(batch, &begins);
        }
        let (Some(&first), Some(&last)) = (begins.first(), begins.last()) else {
            return self.add(batch.clone());
        };
        if first > 0 {
            self.add(batch.slice(0, first))?;
        }
        self.end_partition()?;
        if last > first {
            // In memory already, and gone from there with those before.
            self.gathered.push(batch.slice(first, last - first));
        }
        self.compute_gathered()?;
        self.add(batch.slice(last, batch.num_rows() - last))
    }

    /// The same, where the values of the partitions may take much more than these rows do.
    fn take_one_by_one(&mut self, batch: &RecordBatch, begins: &[usize]) -> Result<()> {
        let mut at = 0;
        for begin in begins {
            if *begin > at {
                self.add(batch.slice(at, begin - at))?;
            }
            self.end_partition()?;
            self.compute_gathered()?;
            at = *begin;
        }
        self.add(batch.slice(at, batch.num_rows() - at))
    }

    /// Adds rows of one partition, whose end was not seen yet.
    fn add(&mut self, batch: RecordBatch) -> Result<()> {
        if let Some(large) = &mut self.large {
            return large.add(&batch);
        }
        let bytes = batch.get_array_memory_size();
        let values_before = self.values_bytes();
        self.gathered_rows += batch.num_rows();
        self.longest = self.longest.max(longest_text(&batch));
        let values = self.values_bytes();
        let Some(functions) = &self.from_files else {
            self.reservation.try_grow(bytes + values - values_before)?;
            self.gathered.push(batch);
            return Ok(());
        };
        let fits = self.reservation.size() + bytes + values <= self.gathered_max;
        if fits && self.reservation.try_grow(bytes).is_ok() {
            self.gathered.push(batch);
            return Ok(());
        }
        let mut large = LargePartition::begin(functions, batch.schema(), &self.context)?;
        for before in self.gathered.drain(..) {
            large.add(&before)?;
        }
        self.reservation.free();
        (self.gathered_rows, self.longest) = (0, 0);
        large.add(&batch)?;
        self.large = Some(large);
        Ok(())
    }

    /// What long texts may take as the values of all gathered rows; of short ones that is no more
    /// than the rows do.
    fn values_bytes(&self) -> usize {
        let bytes = self.longest.saturating_mul(self.gathered_rows);
        if bytes > VALUES_BYTES_MAX { bytes } else { 0 }
    }

    /// The partition at hand is whole.
    fn end_partition(&mut self) -> Result<()> {
        if let Some(large) = self.large.take() {
            self.ready.push_back(large.finish()?);
        }
        Ok(())
    }

    /// What is in memory is of whole partitions.
    fn compute_gathered(&mut self) -> Result<()> {
        let whole = std::mem::take(&mut self.gathered);
        if !whole.is_empty() {
            self.ready.push_back(self.compute(whole)?);
        }
        self.reservation.free();
        (self.gathered_rows, self.longest) = (0, 0);
        Ok(())
    }

    fn compute(&self, whole: Vec<RecordBatch>) -> Result<SendableRecordBatchStream> {
        let source = Arc::new(WindowPart::new(self.inner.input(), whole));
        let functions = self.inner.window_expr().to_vec();
        let window = WindowAggExec::try_new(functions, source, false)?;
        window.execute(0, Arc::clone(&self.context))
    }
}

/// A part of an input, as an input.
#[derive(Debug)]
struct WindowPart {
    batches: Vec<RecordBatch>,
    properties: Arc<PlanProperties>,
}

impl WindowPart {
    fn new(input: &Arc<dyn ExecutionPlan>, batches: Vec<RecordBatch>) -> WindowPart {
        let properties = PlanProperties::new(
            input.equivalence_properties().clone(),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        WindowPart { batches, properties: Arc::new(properties) }
    }
}

impl DisplayAs for WindowPart {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part")
    }
}

impl ExecutionPlan for WindowPart {
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
        let batches = stream::iter(self.batches.clone().into_iter().map(Ok));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }
}
