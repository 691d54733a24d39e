//! A scan of a columnar table as a node of DataFusion's physical plan.
//!
//! Not here: how columns become batches (`columnar::scan`), scans of rows (`execution`).

use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use columnar::{Batch, Part, TableColumns, Test, Wanted};
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{
    Boundedness, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    SendableRecordBatchStream,
};
use futures::stream;
use rows::Table;
use rows::datum::Value;

use super::super::failure::raise;
use super::ranges::Conditions;

/// Reads segments and recent rows of one table.
pub(super) struct ColumnScan {
    table: Arc<Table>,
    of: TableColumns,
    parts: Vec<Part>,
    positions: Arc<[usize]>,
    tests: Arc<[Test]>,
    schema: SchemaRef,
    rows: Precision<usize>,
    limit: Option<usize>,
    properties: Arc<PlanProperties>,
}

/// The conditions that can be looked at before rows are read.
pub(super) fn tests(table: &Table, conditions: &Conditions) -> Arc<[Test]> {
    let test = |(&at, condition): (&usize, &super::ranges::Condition)| {
        let (lower, upper): (Bound<&Value>, Bound<&Value>) =
            (condition.lower.as_ref(), condition.upper.as_ref());
        Test::new((at, &table.columns[at]), condition.among.as_deref(), lower, upper)
    };
    conditions.iter().filter_map(test).collect()
}

impl ColumnScan {
    /// A scan by so many workers. `filtered`: some rows are not wanted.
    pub(super) fn new(
        table: &Arc<Table>,
        of: TableColumns,
        tests: Arc<[Test]>,
        filtered: bool,
        workers: usize,
        (positions, schema): (Vec<usize>, SchemaRef),
        limit: Option<usize>,
    ) -> rows::Result<ColumnScan> {
        let parts = of.parts(if limit.is_some() { 1 } else { workers }, &tests);
        let rows = match filtered {
            false => Precision::Exact(of.rows()? as usize),
            true => Precision::Inexact(parts.iter().map(Part::rows).sum::<u64>() as usize),
        };
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(parts.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        let (table, positions) = (Arc::clone(table), positions.into());
        Ok(ColumnScan { table, of, parts, positions, tests, schema, rows, limit, properties })
    }
}

impl fmt::Debug for ColumnScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for ColumnScan {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ColumnScan: {}.{}", self.table.database, self.table.name)?;
        let names: Vec<&str> =
            self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        write!(f, ", columns [{}], tests {}", names.join(", "), self.tests.len())?;
        write!(f, ", {} partitions", self.parts.len())?;
        match self.limit {
            Some(limit) => write!(f, ", limit {limit}"),
            None => Ok(()),
        }
    }
}

impl ExecutionPlan for ColumnScan {
    fn name(&self) -> &str {
        "ColumnScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let wanted = Wanted {
            positions: Arc::clone(&self.positions),
            tests: Arc::clone(&self.tests),
            batch_rows: context.session_config().batch_size(),
        };
        let batches = self.of.clone().read(self.parts[partition].clone(), wanted);
        let schema = Arc::clone(&self.schema);
        let mut left = self.limit.unwrap_or(usize::MAX);
        let batches = batches.map_while(move |batch| {
            if left == 0 {
                return None;
            }
            Some(batch.map_err(raise).and_then(|batch| {
                let batch = record(&schema, batch)?;
                let batch = batch.slice(0, batch.num_rows().min(left));
                left -= batch.num_rows();
                Ok(batch)
            }))
        });
        let schema = Arc::clone(&self.schema);
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream::iter(batches))))
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let num_rows = match args.partition() {
            Some(partition) => Precision::Inexact(self.parts[partition].rows() as usize),
            None => self.rows,
        };
        let num_rows = match (self.limit, num_rows) {
            (Some(limit), rows) => {
                Precision::Inexact(rows.get_value().map_or(0, |rows| *rows).min(limit))
            }
            (None, rows) => rows,
        };
        let unknown = Statistics::new_unknown(&self.schema);
        Ok(Arc::new(Statistics { num_rows, ..unknown }))
    }
}

fn record(schema: &SchemaRef, batch: Batch) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.rows));
    let batch = RecordBatch::try_new_with_options(Arc::clone(schema), batch.columns, &options);
    batch.map_err(|error| datafusion::common::DataFusionError::ArrowError(Box::new(error), None))
}
