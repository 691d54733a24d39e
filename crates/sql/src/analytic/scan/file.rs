//! Files as DataFusion reads them: a provider for its planner, and a node of the physical plan.
//!
//! Row groups of Parquet whose statistics say that no row can meet the conditions are not read. The
//! conditions are evaluated again above the scan.
//!
//! Not here: reading and decoding (`file_table`).

use std::cmp::Ordering;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicUsize};

use async_trait::async_trait;
use columnar::values::ColumnReader;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    SendableRecordBatchStream,
};
use rows::datum::{Datum, Value};
use rows::temporal::Zone;
use rows::types::ColumnType;

use super::super::columns::is_string;
use super::super::failure::raise;
use super::columnar::records;
use super::properties;
use super::ranges::{self, Columns, Condition, Conditions};
use super::source::arrow_schema;
use crate::file_table::{FileTable, Reading, RowGroup, Wanted};
use crate::limits::Limits;

/// Rows that are decoded at a time: of so many, every column is a block that the allocator keeps for
/// its thread, and no page is asked of the system for each batch anew.
const BATCH_ROWS: usize = 4096;

/// Files for DataFusion's planner.
pub(in crate::analytic) struct FileSource {
    files: Arc<FileTable>,
    schema: SchemaRef,
    limits: Arc<Limits>,
    zone: Zone,
}

impl FileSource {
    pub(in crate::analytic) fn new(
        files: &Arc<FileTable>,
        limits: &Arc<Limits>,
        zone: Zone,
    ) -> FileSource {
        let columns = files.columns().iter();
        let columns = columns.map(|column| (column.name.clone(), column.ty.clone(), true));
        let schema = arrow_schema(&columns.collect::<Vec<_>>());
        FileSource { files: Arc::clone(files), schema, limits: Arc::clone(limits), zone }
    }

    /// The row groups that may have rows which meet all conditions.
    fn row_groups(&self, conditions: &Conditions) -> Result<Option<Vec<RowGroup>>> {
        let Some(all) = self.files.row_groups() else { return Ok(None) };
        let mut kept = all;
        for (column, condition) in conditions {
            let ty = &self.files.columns()[*column].ty;
            // Statistics order texts by their bytes.
            if is_string(ty) || matches!(ty, ColumnType::Enum { .. }) {
                continue;
            }
            let mut wanted = Vec::with_capacity(kept.len());
            for groups in kept.chunk_by(|a, b| a.file == b.file) {
                let Some((low, high)) = self.files.extremes(groups[0].file, *column) else {
                    wanted.extend_from_slice(groups);
                    continue;
                };
                let low = ColumnReader::new(ty, &low).map_err(raise)?;
                let high = ColumnReader::new(ty, &high).map_err(raise)?;
                let may = |group: &&RowGroup| {
                    may_hold(condition, low.datum(group.group), high.datum(group.group))
                };
                wanted.extend(groups.iter().filter(may));
            }
            kept = wanted;
        }
        Ok(Some(kept))
    }
}

/// Whether a condition may hold for a value between two others; NULL says nothing.
fn may_hold(condition: &Condition, low: Datum<'_>, high: Datum<'_>) -> bool {
    let above_low = |value: &Value| compare(low, value.as_datum()) != Some(Ordering::Greater);
    let below_high = |value: &Value| compare(high, value.as_datum()) != Some(Ordering::Less);
    let among = condition.among.as_ref().is_none_or(|values| {
        values.iter().any(|value| value.is_null() || (above_low(value) && below_high(value)))
    });
    let lower = match &condition.lower {
        Bound::Unbounded => true,
        Bound::Included(value) => below_high(value),
        Bound::Excluded(value) => {
            below_high(value) && compare(high, value.as_datum()) != Some(Ordering::Equal)
        }
    };
    let upper = match &condition.upper {
        Bound::Unbounded => true,
        Bound::Included(value) => above_low(value),
        Bound::Excluded(value) => {
            above_low(value) && compare(low, value.as_datum()) != Some(Ordering::Equal)
        }
    };
    among && lower && upper
}

/// How two values of one type compare.
fn compare(a: Datum<'_>, b: Datum<'_>) -> Option<Ordering> {
    match (a, b) {
        (Datum::Int(a), Datum::Int(b)) => Some(a.cmp(&b)),
        (Datum::UInt(a), Datum::UInt(b)) => Some(a.cmp(&b)),
        (Datum::Float(a), Datum::Float(b)) => a.partial_cmp(&b),
        (Datum::Double(a), Datum::Double(b)) => a.partial_cmp(&b),
        (Datum::Decimal(a), Datum::Decimal(b)) => Some(a.cmp(&b)),
        (Datum::Date(a), Datum::Date(b)) => Some(a.cmp(&b)),
        (Datum::DateTime(a), Datum::DateTime(b)) => Some(a.cmp(&b)),
        (Datum::Timestamp(a), Datum::Timestamp(b)) => Some(a.micros().cmp(&b.micros())),
        (Datum::Time(a), Datum::Time(b)) => Some(a.micros().cmp(&b.micros())),
        (Datum::Year(a), Datum::Year(b)) => Some(a.cmp(&b)),
        _ => None,
    }
}

impl Columns for FileTable {
    fn position(&self, name: &str) -> Option<usize> {
        self.columns().iter().position(|own| own.name == name)
    }

    fn ty(&self, position: usize) -> &ColumnType {
        &self.columns()[position].ty
    }
}

impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.files.shown())
    }
}

#[async_trait]
impl TableProvider for FileSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let positions = match projection {
            Some(positions) => positions.clone(),
            None => (0..self.schema.fields().len()).collect(),
        };
        let schema = Arc::new(self.schema.project(&positions)?);
        let groups = self.row_groups(&ranges::conditions(&*self.files, filters))?;
        let pieces = match &groups {
            Some(groups) => groups.len() as u64,
            None => self.files.pieces_about(),
        };
        let workers = match limit {
            // The first rows of the first file.
            Some(_) => 1,
            None => (state.config().target_partitions() as u64).min(pieces).max(1) as usize,
        };
        let rows = match (&groups, filters.is_empty()) {
            (Some(_), true) => self.files.rows_known().map_or(Precision::Absent, exact),
            (Some(groups), false) => {
                let rows: u64 = groups.iter().map(|group| self.files.rows_of(*group)).sum();
                exact(rows).to_inexact()
            }
            (None, _) => exact(self.files.rows_about()).to_inexact(),
        };
        let wanted = Wanted {
            positions,
            groups,
            batch_rows: state
                .config()
                .batch_size()
                .min(BATCH_ROWS)
                .min(limit.unwrap_or(BATCH_ROWS).max(1)),
            zone: self.zone,
        };
        Ok(Arc::new(FileScan {
            files: Arc::clone(&self.files),
            reading: Reading::new(&self.files, wanted.clone(), &self.limits),
            begun: AtomicUsize::new(0),
            wanted,
            workers,
            rows,
            limit,
            properties: properties(&schema, Partitioning::UnknownPartitioning(workers)),
            schema,
        }))
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let usable =
            |filter: &&Expr| match ranges::conditions(&*self.files, std::slice::from_ref(*filter))
                .is_empty()
            {
                true => TableProviderFilterPushDown::Unsupported,
                false => TableProviderFilterPushDown::Inexact,
            };
        Ok(filters.iter().map(usable).collect())
    }

    fn statistics(&self) -> Option<Statistics> {
        let unknown = Statistics::new_unknown(&self.schema);
        let num_rows = exact(self.files.rows_about()).to_inexact();
        Some(Statistics { num_rows, ..unknown })
    }
}

fn exact(rows: u64) -> Precision<usize> {
    usize::try_from(rows).map_or(Precision::Absent, Precision::Exact)
}

/// Reads the files, each piece by one of its partitions.
struct FileScan {
    files: Arc<FileTable>,
    reading: Arc<Reading>,
    /// Partitions that were begun: what they read is gone for others.
    begun: AtomicUsize,
    wanted: Wanted,
    workers: usize,
    rows: Precision<usize>,
    limit: Option<usize>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl fmt::Debug for FileScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for FileScan {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        write!(f, "FileScan: {}, columns [{}]", self.files.shown(), names.join(", "))?;
        if let (Some(groups), Some(all)) = (&self.wanted.groups, self.files.row_groups()) {
            write!(f, ", {} of {} row groups", groups.len(), all.len())?;
        }
        write!(f, ", {} partitions", self.workers)?;
        match self.limit {
            Some(limit) => write!(f, ", limit {limit}"),
            None => Ok(()),
        }
    }
}

impl ExecutionPlan for FileScan {
    fn name(&self) -> &str {
        "FileScan"
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
        _partition: usize,
        _context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        if self.begun.fetch_add(1, atomic::Ordering::Relaxed) >= self.workers {
            return Err(DataFusionError::Internal("files that are read a second time".into()));
        }
        Ok(records(&self.schema, self.limit, self.reading.batches()))
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let rows = match (args.partition(), self.limit) {
            (None, None) => self.rows,
            (_, limit) => {
                let limit = limit.unwrap_or(usize::MAX);
                match self.rows.get_value() {
                    Some(rows) => Precision::Inexact((rows / self.workers).min(limit)),
                    None => Precision::Absent,
                }
            }
        };
        let unknown = Statistics::new_unknown(&self.schema);
        Ok(Arc::new(Statistics { num_rows: rows, ..unknown }))
    }
}
