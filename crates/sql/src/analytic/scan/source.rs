//! A stored table for DataFusion's planner.
//!
//! Invariants
//! 1. The Arrow schema is the table's columns in order, and the row key last.
//!
//! Not here: choosing an index (`access`), reading (`execution`, `batches`).

use std::sync::Arc;

use async_trait::async_trait;
use columnar::columns_of;
use columnar::values::arrow_type;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{Result, Statistics};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use rows::store::Read;
use rows::types::ColumnType;
use rows::{Engine, Table};

use super::super::failure::raise;
use super::access::Access;
use super::columnar::{ColumnScan, tests};
use super::execution::TableScan;
use super::ranges;

/// A row of a columnar table that is found by its key costs as much as so many read by column.
const COLUMNAR_LOOKUP: u64 = 100;

/// Name of the hidden column that holds the row key.
pub(in crate::analytic) const ROW_KEY: &str = "__rowhouse_key";

/// The Arrow schema of columns by name, type and nullability.
pub(in crate::analytic) fn arrow_schema(columns: &[(String, ColumnType, bool)]) -> SchemaRef {
    let field = |(name, ty, nullable): &(String, ColumnType, bool)| {
        Field::new(name, arrow_type(ty), *nullable)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// A table under one view.
pub(in crate::analytic) struct TableSource {
    pub(super) engine: Arc<Engine>,
    pub(super) view: Arc<dyn Read>,
    pub(super) table: Arc<Table>,
    schema: SchemaRef,
}

impl TableSource {
    pub(in crate::analytic) fn new(
        engine: Arc<Engine>,
        view: Arc<dyn Read>,
        table: Arc<Table>,
    ) -> TableSource {
        let mut fields: Vec<Field> = table
            .columns
            .iter()
            .map(|column| Field::new(&column.name, arrow_type(&column.ty), column.nullable))
            .collect();
        fields.push(Field::new(ROW_KEY, DataType::BinaryView, false));
        TableSource { engine, view, table, schema: Arc::new(Schema::new(fields)) }
    }

    fn rows(&self) -> rows::Result<u64> {
        crate::estimate::estimated_rows(&self.engine, self.view.as_ref(), &self.table)
    }
}

impl std::fmt::Debug for TableSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.table.database, self.table.name)
    }
}

#[async_trait]
impl TableProvider for TableSource {
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
        let conditions = ranges::conditions(&self.table, filters);
        let all = self.rows().map_err(raise)?;
        let access = Access::choose(&self.engine, &self.table, &conditions, all).map_err(raise)?;
        let workers = state.config().target_partitions();
        let positions = match projection {
            Some(positions) => positions.clone(),
            None => (0..self.schema.fields().len()).collect(),
        };
        let schema = Arc::new(self.schema.project(&positions)?);
        if access.rows.saturating_mul(COLUMNAR_LOOKUP) >= all
            && let Some(columns) = columns_of(&*self.view, &self.table).map_err(raise)?
        {
            let tests = tests(&self.table, &conditions);
            let (table, columnar) = (&self.table, (positions, schema));
            let filtered = !filters.is_empty();
            let scan = ColumnScan::new(table, columns, tests, filtered, workers, columnar, limit);
            return Ok(Arc::new(scan.map_err(raise)?));
        }
        let partitions = if limit.is_some() {
            vec![access.ranges.clone()]
        } else {
            access.partitions(&self.engine, self.view.as_ref(), workers).map_err(raise)?
        };
        let scan = TableScan::new(self, access, partitions, positions, schema, limit);
        Ok(Arc::new(scan))
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let usable = |filter: &&Expr| {
            if ranges::conditions(&self.table, std::slice::from_ref(*filter)).is_empty() {
                TableProviderFilterPushDown::Unsupported
            } else {
                TableProviderFilterPushDown::Inexact
            }
        };
        Ok(filters.iter().map(usable).collect())
    }

    fn statistics(&self) -> Option<Statistics> {
        let rows = usize::try_from(self.rows().ok()?).ok()?;
        let unknown = Statistics::new_unknown(&self.schema);
        Some(Statistics { num_rows: Precision::Inexact(rows), ..unknown })
    }
}
