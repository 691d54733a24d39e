//! A scan of a columnar table, or of a columnar index, as a node of DataFusion's physical plan.
//!
//! Not here: how columns become batches (`columnar::scan`), scans of rows (`execution`).

use std::fmt;
use std::sync::Arc;

use columnar::{
    Batch, GroupStep, GroupTable, Grouping, Groups, Part, ScanRequest, TableColumns, Test,
    columns_of,
};
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    SendableRecordBatchStream,
};
use resources::interrupt;
use rows::Table;
use rows::store::Read;

use super::super::failure::raise;
use super::conditions::{ColumnCondition, conditions};
use super::grouping::{GroupSource, GroupingScan};
use super::terms::{says_all, terms};
use super::{properties, yielding};
use crate::leaf::leaf;

/// Reads segments and recent rows of one table.
pub(super) struct ColumnScan {
    table: Arc<Table>,
    /// What it reads; none in a plan that is kept for a later statement.
    of: Option<TableColumns>,
    /// As many as it has partitions.
    parts: Vec<Part>,
    positions: Arc<[usize]>,
    tests: Arc<[Test]>,
    schema: SchemaRef,
    rows: Precision<usize>,
    limit: Option<usize>,
    properties: Arc<PlanProperties>,
}

/// A filter as conditions that the scan sees to.
fn tests_of(table: &Table, filter: &Expr) -> Vec<Test> {
    let conditions = conditions(&terms(table, std::slice::from_ref(filter)));
    let test = |(at, condition): (usize, ColumnCondition)| {
        let (lower, upper) = (condition.lower.as_ref(), condition.upper.as_ref());
        Test::new((at, &table.columns[at]), condition.among.as_deref(), lower, upper)
    };
    conditions.into_iter().filter_map(test).collect()
}

/// Filters as conditions that the scan sees to, as far as there are such.
pub(super) fn tests(table: &Table, filters: &[Expr]) -> Arc<[Test]> {
    filters.iter().flat_map(|filter| tests_of(table, filter)).collect()
}

/// Whether the scan sees to a filter wholly.
pub(super) fn sees_to(table: &Table, filter: &Expr) -> bool {
    says_all(table, filter) && tests_of(table, filter).len() == 1
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
            false if let Some(rows) = of.rows_known()? => Precision::Exact(rows as usize),
            _ => {
                let in_segments: u64 = parts.iter().map(Part::rows).sum();
                Precision::Inexact(in_segments as usize + of.changed())
            }
        };
        let properties = properties(&schema, Partitioning::UnknownPartitioning(parts.len()));
        let (table, positions, of) = (Arc::clone(table), positions.into(), Some(of));
        Ok(ColumnScan { table, of, parts, positions, tests, schema, rows, limit, properties })
    }

    /// The same without what it reads.
    pub(super) fn vacated(&self) -> ColumnScan {
        let parts = vec![Part::default(); self.parts.len()];
        self.reading(None, parts)
    }

    /// The same over a view, in as many partitions; `None` when the view has no columns of the
    /// table.
    pub(super) fn occupied(&self, view: &dyn Read) -> Result<Option<ColumnScan>> {
        let Some(of) = columns_of(view, &self.table).map_err(raise)? else { return Ok(None) };
        let mut parts = of.parts(self.parts.len(), &self.tests);
        parts.resize(self.parts.len(), Part::default());
        Ok(Some(self.reading(Some(of), parts)))
    }

    fn reading(&self, of: Option<TableColumns>, parts: Vec<Part>) -> ColumnScan {
        ColumnScan {
            table: Arc::clone(&self.table),
            of,
            parts,
            positions: Arc::clone(&self.positions),
            tests: Arc::clone(&self.tests),
            schema: Arc::clone(&self.schema),
            rows: Precision::Absent,
            limit: self.limit,
            properties: Arc::clone(&self.properties),
        }
    }

    fn read(&self) -> Result<TableColumns> {
        let nothing = || DataFusionError::Internal("a kept plan was run without a view".into());
        self.of.clone().ok_or_else(nothing)
    }

    /// All rows of a partition are looked at, or at their segments' statistics.
    fn note_examined(&self, partition: usize) {
        if let Some(owner) = interrupt::owner() {
            let rows = self.parts[partition].rows();
            owner.note_table_scan();
            owner.note_examined(self.limit.map_or(rows, |limit| rows.min(limit as u64)));
        }
    }

    /// What a partition is read by.
    fn wanted(&self, context: &TaskContext) -> ScanRequest {
        ScanRequest {
            positions: Arc::clone(&self.positions),
            tests: Arc::clone(&self.tests),
            batch_rows: context.session_config().batch_size(),
        }
    }
}

impl GroupingScan for ColumnScan {
    /// Nothing limits it, and no row's key is among them.
    fn can_group_by(&self, places: &[usize]) -> bool {
        let Some(of) = &self.of else { return false };
        let can = |place: &usize| of.can_group_by(self.positions[*place]);
        self.limit.is_none() && places.iter().all(can)
    }

    fn can_total(&self, places: &[usize]) -> bool {
        let Some(of) = &self.of else { return false };
        places.iter().all(|place| of.can_total(self.positions[*place]))
    }

    fn groups_about(&self, places: &[usize]) -> Result<Option<usize>> {
        let Some(of) = &self.of else { return Ok(None) };
        let mut groups = 1u64;
        for place in places {
            match of.values_about(self.positions[*place]).map_err(raise)? {
                Some(values) => groups = groups.saturating_mul(values),
                None => return Ok(None),
            }
        }
        let rows = self.parts.iter().map(Part::rows).sum::<u64>();
        let groups = groups.saturating_mul(self.parts.len() as u64);
        Ok(usize::try_from(groups.min(rows)).ok())
    }

    fn groups(
        &self,
        partition: usize,
        grouping: Grouping,
        context: &TaskContext,
    ) -> Result<Box<dyn GroupSource>> {
        self.note_examined(partition);
        let wanted = self.wanted(context);
        let groups = self.read()?.read_groups(self.parts[partition].clone(), wanted, grouping);
        Ok(Box::new(SegmentGroups(groups)))
    }
}

/// Rows of segments by groups.
struct SegmentGroups(Groups);

impl Iterator for SegmentGroups {
    type Item = Result<GroupStep>;

    fn next(&mut self) -> Option<Result<GroupStep>> {
        Some(self.0.next()?.map_err(raise))
    }
}

impl GroupSource for SegmentGroups {
    fn table(&mut self) -> &mut GroupTable {
        self.0.table()
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
        if let Some(index) = &self.table.columnar_index {
            let changed = self.of.as_ref().map_or(0, TableColumns::changed);
            write!(f, ", columnar index {}, {changed} changed rows", index.name)?;
        }
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

    leaf!();

    /// Columns may be picked and named otherwise by the scan.
    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExec,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(places) = picked(projection) else { return Ok(None) };
        let positions: Vec<usize> = places.iter().map(|place| self.positions[*place]).collect();
        let schema = projection.schema();
        let scan = ColumnScan {
            table: Arc::clone(&self.table),
            of: self.of.clone(),
            parts: self.parts.clone(),
            positions: positions.into(),
            tests: Arc::clone(&self.tests),
            rows: self.rows,
            limit: self.limit,
            properties: properties(&schema, self.properties.partitioning.clone()),
            schema,
        };
        Ok(Some(Arc::new(scan)))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        self.note_examined(partition);
        let wanted = self.wanted(&context);
        let batches = self.read()?.read(self.parts[partition].clone(), wanted);
        let batches = batches.map(|batch| batch.map_err(raise));
        Ok(records(&self.schema, self.limit, batches))
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

/// The places of the columns that a projection picks, if it does nothing else with them.
pub(super) fn picked(projection: &ProjectionExec) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    for picked in projection.expr() {
        let place = picked.expr.downcast_ref::<Column>()?.index();
        if places.contains(&place) {
            return None;
        }
        places.push(place);
    }
    Some(places)
}

/// The first rows of some batches, as a stream under their schema.
pub(super) fn records(
    schema: &SchemaRef,
    limit: Option<usize>,
    batches: impl Iterator<Item = Result<Batch>> + Send + 'static,
) -> SendableRecordBatchStream {
    let of = Arc::clone(schema);
    let mut left = limit.unwrap_or(usize::MAX);
    let batches = batches.map_while(move |batch| {
        if left == 0 {
            return None;
        }
        Some(batch.and_then(|batch| {
            let batch = record(&of, batch)?;
            let batch = batch.slice(0, batch.num_rows().min(left));
            left -= batch.num_rows();
            Ok(batch)
        }))
    });
    yielding(Arc::clone(schema), batches)
}

/// A batch under its schema.
pub(super) fn record(schema: &SchemaRef, batch: Batch) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.rows));
    let batch = RecordBatch::try_new_with_options(Arc::clone(schema), batch.columns, &options);
    batch.map_err(|error| DataFusionError::ArrowError(Box::new(error), None))
}
