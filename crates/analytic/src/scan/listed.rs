//! Rows that are there before the plan is made, in memory or in a temporary file: those of WITH
//! RECURSIVE.
//!
//! Not here: how they are found (`executor::RecursionRows`, by the row executor).

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use columnar::Batch;
use columnar::arrow::ColumnWriter;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    SendableRecordBatchStream, StatisticsArgs,
};
use executor::RecursionRows;
use values::convert::convert;
use values::temporal::Zone;
use values::types::ColumnType;

use super::super::failure::raise;
use super::super::leaf::leaf;
use super::columnar::records;
use super::properties;
use super::source::{arrow_schema, projected};

/// Rows for DataFusion's planner.
#[derive(Clone)]
pub(crate) struct ListedSource {
    rows: Arc<RecursionRows>,
    types: Arc<[ColumnType]>,
    schema: SchemaRef,
    zone: Zone,
}

impl ListedSource {
    /// Of rows whose columns have these names and types.
    pub(crate) fn new(
        rows: Arc<RecursionRows>,
        columns: &[(String, ColumnType, bool)],
        zone: Zone,
    ) -> ListedSource {
        let types = columns.iter().map(|(_, ty, _)| ty.clone()).collect();
        ListedSource { rows, types, schema: arrow_schema(columns), zone }
    }
}

impl fmt::Debug for ListedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows", self.rows.len())
    }
}

#[async_trait]
impl TableProvider for ListedSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let positions = projected(&self.schema, projection);
        let schema = Arc::new(self.schema.project(&positions)?);
        let properties = properties(&schema, Partitioning::UnknownPartitioning(1));
        Ok(Arc::new(ListedScan { source: self.clone(), positions, schema, limit, properties }))
    }

    fn statistics(&self) -> Option<Statistics> {
        let num_rows = Precision::Exact(self.rows.len());
        Some(Statistics { num_rows, ..Statistics::new_unknown(&self.schema) })
    }
}

/// A scan of some columns of the rows, in their order.
#[derive(Debug)]
struct ListedScan {
    source: ListedSource,
    positions: Vec<usize>,
    schema: SchemaRef,
    limit: Option<usize>,
    properties: Arc<PlanProperties>,
}

impl DisplayAs for ListedScan {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ListedScan: {:?}", self.source)
    }
}

impl ExecutionPlan for ListedScan {
    fn name(&self) -> &str {
        "ListedScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    leaf!();

    fn execute(
        &self,
        _partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let reading = ListedReading {
            source: self.source.clone(),
            positions: self.positions.clone(),
            rows_max: context.session_config().batch_size(),
            piece: 0,
            given: 0,
        };
        let batches = reading.map(|batch| batch.map_err(raise));
        Ok(records(&self.schema, self.limit, batches))
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        _args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let rows = self.source.rows.len();
        let num_rows = Precision::Exact(rows.min(self.limit.unwrap_or(rows)));
        Ok(Arc::new(Statistics { num_rows, ..Statistics::new_unknown(&self.schema) }))
    }
}

/// The rows in batches.
struct ListedReading {
    source: ListedSource,
    positions: Vec<usize>,
    rows_max: usize,
    /// The piece at hand,
    piece: usize,
    /// and how many of its rows were given.
    given: usize,
}

impl ListedReading {
    fn batch(&mut self) -> results::Result<Option<Batch>> {
        let ListedSource { rows: all, types, zone, .. } = &self.source;
        let types: Vec<&ColumnType> = self.positions.iter().map(|at| &types[*at]).collect();
        let writer = |ty: &&ColumnType| ColumnWriter::new(ty, self.rows_max);
        let mut writers: Vec<ColumnWriter> = types.iter().map(writer).collect();
        let mut rows = 0;
        while rows < self.rows_max && self.piece < all.pieces() {
            let piece = all.piece(self.piece)?;
            for row in piece[self.given..].iter().take(self.rows_max - rows) {
                for ((writer, ty), at) in writers.iter_mut().zip(&types).zip(&self.positions) {
                    writer.append(convert(ty, row[*at].as_datum(), *zone).value.as_datum())?;
                }
                rows += 1;
                self.given += 1;
            }
            if self.given == piece.len() {
                (self.piece, self.given) = (self.piece + 1, 0);
            }
        }
        let columns = writers.iter_mut().map(ColumnWriter::finish).collect();
        Ok((rows > 0).then_some(Batch { columns, rows }))
    }
}

impl Iterator for ListedReading {
    type Item = results::Result<Batch>;

    fn next(&mut self) -> Option<results::Result<Batch>> {
        self.batch().transpose()
    }
}
