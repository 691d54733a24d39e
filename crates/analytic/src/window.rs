//! Window functions within the memory that there is: operators of ours in place of DataFusion's.
//!
//! Those that look at a whole partition are computed a few partitions at a time. DataFusion's
//! operator for these gathers its whole input, which is sorted by partitions, before
//! it computes anything, and asks nobody for the memory. Here it is given whole partitions as they
//! come, and what is gathered is drawn from the memory for queries.
//!
//! Invariants
//! 1. A partition is given to the operator wholly, with its rows in the order of the input.
//!
//! Not here: functions that need no more than the rows so far (numbers: `numbering`; others:
//! `carried`).

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::{concat, partition};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::WindowAggExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
    PlanProperties, SendableRecordBatchStream,
};
use futures::{StreamExt, stream};

use super::carried::Carrying;
use super::leaf::leaf;
use super::numbering::Numbering;

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
        Some(window) => Way::Parts(Arc::new(window.clone())),
        None => {
            let window = node.downcast_ref()?;
            match Numbering::instead_of(window) {
                Some(numbering) => Way::Numbers(numbering),
                None => Way::Carries(Carrying::instead_of(window)?),
            }
        }
    };
    Some(Arc::new(OwnWindow { inner: Arc::clone(node), way }))
}

/// Keys by which rows are sorted, as they come.
pub(super) struct Keys {
    expressions: Vec<Arc<dyn PhysicalExpr>>,
    /// Those of the last row, one value each.
    last: Option<Vec<ArrayRef>>,
}

impl Keys {
    pub(super) fn new(expressions: Vec<Arc<dyn PhysicalExpr>>) -> Keys {
        Keys { expressions, last: None }
    }

    /// The rows of the next batch whose keys are not those of the row before: ascending, 0 for the
    /// first of all. None without keys.
    pub(super) fn begins(&mut self, batch: &RecordBatch) -> Result<Vec<usize>> {
        let rows = batch.num_rows();
        if self.expressions.is_empty() || rows == 0 {
            return Ok(Vec::new());
        }
        let keys: Vec<ArrayRef> = self
            .expressions
            .iter()
            .map(|key| key.evaluate(batch)?.into_array(rows))
            .collect::<Result<_>>()?;
        let mut begins: Vec<usize> =
            partition(&keys)?.ranges().into_iter().map(|range| range.start).collect();
        let value = |at: usize| keys.iter().map(|key| key.slice(at, 1)).collect::<Vec<_>>();
        if let Some(before) = self.last.replace(value(rows - 1)) {
            let mut pairs = Vec::with_capacity(keys.len());
            for (before, first) in before.iter().zip(value(0)) {
                pairs.push(concat(&[before.as_ref(), first.as_ref()])?);
            }
            if partition(&pairs)?.ranges().len() == 1 {
                begins.remove(0);
            }
        }
        Ok(begins)
    }
}

/// DataFusion's operator in all but how it computes.
#[derive(Debug)]
struct OwnWindow {
    inner: Arc<dyn ExecutionPlan>,
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// DataFusion's operator, for a part of the input at a time.
    Parts(Arc<WindowAggExec>),
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
            Way::Parts(window) => Parts::of(window, input, context),
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
    /// Of partitions whose end was not seen yet.
    gathered: Vec<RecordBatch>,
    reservation: MemoryReservation,
    ended: bool,
    /// Results of whole partitions.
    ready: Option<SendableRecordBatchStream>,
}

impl Parts {
    fn of(
        window: &Arc<WindowAggExec>,
        input: SendableRecordBatchStream,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let keys = window.partition_by_sort_keys()?;
        let parts = Parts {
            input,
            inner: Arc::clone(window),
            keys: Keys::new(keys.into_iter().map(|key| key.expr).collect()),
            reservation: MemoryConsumer::new("WindowInParts").register(context.memory_pool()),
            context,
            gathered: Vec::new(),
            ended: false,
            ready: None,
        };
        let rows = stream::try_unfold(parts, |mut parts| async move {
            Ok::<_, DataFusionError>(parts.next().await?.map(|batch| (batch, parts)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(window.schema(), rows)))
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(ready) = &mut self.ready {
                if let Some(batch) = ready.next().await {
                    return batch.map(Some);
                }
                self.ready = None;
            }
            if self.ended {
                return Ok(None);
            }
            let whole = match self.input.next().await {
                Some(batch) => self.gather(batch?)?,
                None => {
                    self.ended = true;
                    std::mem::take(&mut self.gathered)
                }
            };
            if !whole.is_empty() {
                self.ready = Some(self.compute(whole)?);
            }
        }
    }

    /// Adds rows; gives those of partitions that are whole now.
    fn gather(&mut self, batch: RecordBatch) -> Result<Vec<RecordBatch>> {
        if batch.num_rows() == 0 {
            return Ok(Vec::new());
        }
        self.reservation.try_grow(batch.get_array_memory_size())?;
        let Some(begin) = self.keys.begins(&batch)?.last().copied() else {
            self.gathered.push(batch);
            return Ok(Vec::new());
        };
        let rest = batch.slice(begin, batch.num_rows() - begin);
        self.reservation.try_resize(rest.get_array_memory_size())?;
        let mut whole = std::mem::replace(&mut self.gathered, vec![rest]);
        if begin > 0 {
            whole.push(batch.slice(0, begin));
        }
        Ok(whole)
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
