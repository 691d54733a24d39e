//! A table scan as a node of DataFusion's physical plan.
//!
//! Not here: how rows become batches (`batches`).

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::{Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    SendableRecordBatchStream,
};
use plan::optimize::BatchAccess;
use resources::interrupt;

use super::batches::{BatchRows, Batches, EntryTest, ScanPart};
use super::order::orders;
use super::source::TableSource;
use super::{ordered_properties, yielding};
use crate::leaf::leaf;

/// Reads some ranges of one index.
pub(super) struct TableScan {
    rows: BatchRows,
    access: BatchAccess,
    parts: Vec<ScanPart>,
    limit: Option<usize>,
    properties: Arc<PlanProperties>,
}

impl TableScan {
    pub(super) fn new(
        source: &TableSource,
        access: BatchAccess,
        parts: Vec<ScanPart>,
        (positions, schema): (Vec<usize>, SchemaRef),
        test: Option<EntryTest>,
        limit: Option<usize>,
    ) -> TableScan {
        let partitioning = Partitioning::UnknownPartitioning(parts.len());
        let orders = orders(&source.table, &access, &parts, &positions);
        let properties = ordered_properties(&schema, partitioning, orders);
        let rows = BatchRows {
            engine: Arc::clone(&source.engine),
            view: Arc::clone(&source.view),
            table: Arc::clone(&source.table),
            index: access.index,
            covering: access.covering.clone(),
            test,
            positions: positions.into(),
            schema,
        };
        TableScan { rows, access, parts, limit, properties }
    }
}

impl fmt::Debug for TableScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for TableScan {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = &self.rows.table;
        write!(f, "TableScan: {}.{}", table.database, table.name)?;
        let index = &table.indexes[self.access.index];
        if self.access.parts > 0 {
            let (ranges, columns) = (self.access.ranges.len(), self.access.parts);
            write!(f, ", index {} ({columns} columns, {ranges} ranges)", index.name)?;
        } else if self.access.index > 0 {
            write!(f, ", all of index {}", index.name)?;
        } else {
            write!(f, ", all rows")?;
        }
        if self.rows.covering.is_some() {
            write!(f, ", index only")?;
        }
        if let Some(test) = &self.rows.test {
            write!(f, ", entries with {}", test.predicate)?;
        }
        write!(f, ", about {} rows", self.access.rows)?;
        let names: Vec<&str> =
            self.rows.schema.fields().iter().map(|field| field.name().as_str()).collect();
        write!(f, ", columns [{}]", names.join(", "))?;
        if self.parts.len() > 1 {
            write!(f, ", {} partitions", self.parts.len())?;
        }
        match self.limit {
            Some(limit) => write!(f, ", limit {limit}"),
            None => Ok(()),
        }
    }
}

impl ExecutionPlan for TableScan {
    fn name(&self) -> &str {
        "TableScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    leaf!();

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let is_whole = self.access.index == 0 && self.access.parts == 0;
        if let Some(owner) = interrupt::owner().filter(|_| is_whole) {
            owner.note_table_scan();
        }
        let rows_max = context.session_config().batch_size();
        let part = self.parts[partition].clone();
        let batches = Batches::new(self.rows.clone(), part, rows_max, self.limit);
        Ok(yielding(Arc::clone(&self.rows.schema), batches))
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let mut rows = self.access.rows;
        if args.partition().is_some() {
            rows /= self.parts.len().max(1) as u64;
        }
        if let Some(limit) = self.limit {
            rows = rows.min(limit as u64);
        }
        let unknown = Statistics::new_unknown(&self.rows.schema);
        let num_rows = Precision::Inexact(usize::try_from(rows).unwrap_or(usize::MAX));
        Ok(Arc::new(Statistics { num_rows, ..unknown }))
    }
}
