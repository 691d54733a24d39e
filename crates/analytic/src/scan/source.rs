//! A stored table for DataFusion's planner.
//!
//! Invariants
//! 1. The Arrow schema is the table's columns in order, and the row key last.
//!
//! Not here: choosing an index (`sql::in_batches`), reading (`execution`, `batches`).

use std::sync::Arc;

use async_trait::async_trait;
use columnar::arrow::arrow_type;
use columnar::{TableColumns, columns_of, index_columns_of};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{DFSchema, Result, Statistics};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExecBuilder;
use expression::Node;
use rows::store::{KeyRange, Read};
use rows::{Engine, Table};
use sql::index_use::{ColumnarUse, IndexUse};
use sql::{BatchAccess, Sizes};
use values::SqlMode;
use values::temporal::Zone;
use values::types::ColumnType;

use super::super::failure::raise;
use super::columnar::{ColumnScan, sees_to, tests};
use super::conditions::{Conditions, conditions};
use super::execution::TableScan;
use super::terms::terms;

/// A row of a columnar table that is found by its key costs as much as so many read by column.
const COLUMNAR_LOOKUP: u64 = 100;

/// What a value that is read by column from a columnar index costs, where a row that is read in order
/// costs 1.
const VALUE_COST: f64 = 0.02;
/// What a row costs that was changed and is not in a segment of the index yet: its note is read, and
/// its place is looked up and passed over.
const CHANGE_COST: f64 = 8.0;
/// So many changes are never held in memory.
const CHANGES_MAX: usize = 1 << 20;

/// Name of the hidden column that holds the row key.
pub(crate) const ROW_KEY: &str = "__rowhouse_key";

/// The Arrow schema of columns by name, type and nullability.
pub(crate) fn arrow_schema(columns: &[(String, ColumnType, bool)]) -> SchemaRef {
    let field = |(name, ty, nullable): &(String, ColumnType, bool)| {
        Field::new(name, arrow_type(ty), *nullable)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// The positions of columns that a scan is asked for.
pub(super) fn projected(schema: &SchemaRef, projection: Option<&Vec<usize>>) -> Vec<usize> {
    projection.map_or_else(|| (0..schema.fields().len()).collect(), Clone::clone)
}

/// What has to be read of a schema's columns: those that are wanted, then those that a filter needs
/// besides.
pub(super) fn needed(
    schema: &SchemaRef,
    wanted: &[usize],
    filter: Option<&Expr>,
) -> Result<Vec<usize>> {
    let mut needed = wanted.to_vec();
    let mut of_filter = Vec::new();
    for column in filter.iter().flat_map(|filter| filter.column_refs()) {
        of_filter.push(schema.index_of(&column.name)?);
    }
    // The references of an expression are a set, in no order.
    of_filter.sort_unstable();
    of_filter.retain(|at| !needed.contains(at));
    needed.extend(of_filter);
    Ok(needed)
}

/// A table under one view.
pub(crate) struct TableSource {
    pub(super) engine: Arc<Engine>,
    pub(super) view: Arc<dyn Read>,
    pub(super) table: Arc<Table>,
    index_use: IndexUse,
    /// What constants mean.
    setting: (Zone, SqlMode),
    schema: SchemaRef,
}

/// Fewer rows than this are read by one worker.
const ROWS_SPLIT_MIN: u64 = 40_000;

impl TableSource {
    pub(crate) fn new(
        engine: Arc<Engine>,
        view: Arc<dyn Read>,
        table: Arc<Table>,
        index_use: IndexUse,
        setting: (Zone, SqlMode),
    ) -> TableSource {
        let mut fields: Vec<Field> = table
            .columns
            .iter()
            .map(|column| Field::new(&column.name, arrow_type(&column.ty), column.nullable))
            .collect();
        fields.push(Field::new(ROW_KEY, DataType::BinaryView, false));
        let schema = Arc::new(Schema::new(fields));
        TableSource { engine, view, table, index_use, setting, schema }
    }

    /// The cheapest way to the rows for which terms hold.
    fn access(&self, terms: &[Node]) -> sql::Result<BatchAccess> {
        let sizes = Sizes::of_constants(&self.engine, &*self.view, self.setting);
        sql::in_batches(&self.table, &self.index_use, terms, &sizes)
    }

    /// The ranges of a way, divided among workers.
    fn partitions(&self, access: &BatchAccess, workers: usize) -> rows::Result<Vec<Vec<KeyRange>>> {
        if access.rows < ROWS_SPLIT_MIN || workers <= 1 {
            return Ok(vec![access.ranges.clone()]);
        }
        match &access.ranges[..] {
            [range] => {
                let store = self.engine.store();
                let parts = rows::split(store.as_ref(), self.view.as_ref(), range, workers)?;
                Ok(parts.into_iter().map(|range| vec![range]).collect())
            }
            ranges => {
                let each = ranges.len().div_ceil(workers).max(1);
                Ok(ranges.chunks(each).map(<[KeyRange]>::to_vec).collect())
            }
        }
    }

    /// Whether a scan gives no row that a filter does not want.
    fn sees_to(&self, filter: &Expr) -> bool {
        let columns = |filter: &Expr| match self.table.columnar {
            true => true,
            false => {
                let terms = terms(&*self.table, std::slice::from_ref(filter));
                self.index_has(conditions(&terms).keys())
            }
        };
        (self.table.columnar || self.table.columnar_index.is_some())
            && sees_to(&self.table, filter)
            && columns(filter)
    }

    /// Whether the columnar index has some columns, by position; a row's key, which comes last, it
    /// always has.
    fn index_has<'c>(&self, positions: impl IntoIterator<Item = &'c usize>) -> bool {
        let Some(kept) = self.table.columns_kept() else { return false };
        let has = |at: &usize| kept.contains(at) || *at == self.table.columns.len();
        self.index_use.columnar() != ColumnarUse::Ignored && positions.into_iter().all(has)
    }

    /// The columnar index, if it has what is wanted and is read at less cost than rows are.
    fn index_columns(
        &self,
        positions: &[usize],
        conditions: &Conditions,
        (all, rows_cost): (u64, f64),
    ) -> rows::Result<Option<TableColumns>> {
        if !self.index_has(positions) || !self.index_has(conditions.keys()) {
            return Ok(None);
        }
        let columns = (positions.len() + conditions.len()) as f64;
        let left = rows_cost - all as f64 * (1.0 + columns) * VALUE_COST;
        let changes_max = match self.index_use.columnar() {
            ColumnarUse::Forced => CHANGES_MAX,
            _ if left <= 0.0 => return Ok(None),
            _ => CHANGES_MAX.min((left / CHANGE_COST) as usize),
        };
        index_columns_of(&*self.view, &self.engine, &self.table, changes_max)
    }

    /// A scan of rows with a filter that nobody else evaluates.
    fn filtered(
        &self,
        state: &dyn Session,
        access: BatchAccess,
        partitions: Vec<Vec<KeyRange>>,
        positions: &[usize],
        filter: Expr,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let needed = needed(&self.schema, positions, Some(&filter))?;
        let schema = Arc::new(self.schema.project(&needed)?);
        let predicate =
            state.create_physical_expr(filter, &DFSchema::try_from(schema.as_ref().clone())?)?;
        // A limit counts what is left.
        let scan = TableScan::new(self, access, partitions, needed, schema, None);
        let filter = FilterExecBuilder::new(predicate, Arc::new(scan));
        let wanted = (0..positions.len()).collect();
        Ok(Arc::new(filter.apply_projection(Some(wanted))?.build()?))
    }

    fn rows(&self) -> rows::Result<u64> {
        sql::estimated_rows(&self.engine, self.view.as_ref(), &self.table)
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
        let terms = terms(&*self.table, filters);
        let conditions = conditions(&terms);
        let all = self.rows().map_err(raise)?;
        let access = self.access(&terms).map_err(raise)?;
        let workers = state.config().target_partitions();
        let positions = projected(&self.schema, projection);
        let schema = Arc::new(self.schema.project(&positions)?);
        let few = limit.filter(|_| filters.is_empty()).map_or(f64::MAX, |limit| limit as f64);
        let columns = match self.table.columnar {
            true if access.rows.saturating_mul(COLUMNAR_LOOKUP) < all => Ok(None),
            true => columns_of(&*self.view, &self.table),
            false => self.index_columns(&positions, &conditions, (all, access.cost.min(few))),
        };
        if let Some(columns) = columns.map_err(raise)? {
            let tests = tests(&self.table, filters);
            let (table, columnar) = (&self.table, (positions, schema));
            let filtered = !filters.is_empty();
            let scan = ColumnScan::new(table, columns, tests, filtered, workers, columnar, limit);
            return Ok(Arc::new(scan.map_err(raise)?));
        }
        let partitions = if limit.is_some() {
            vec![access.ranges.clone()]
        } else {
            self.partitions(&access, workers).map_err(raise)?
        };
        // What a scan by column would have seen to.
        let seen_to: Vec<Expr> =
            filters.iter().filter(|filter| self.sees_to(filter)).cloned().collect();
        if let Some(filter) = conjunction(seen_to) {
            return self.filtered(state, access, partitions, &positions, filter);
        }
        let scan = TableScan::new(self, access, partitions, positions, schema, limit);
        Ok(Arc::new(scan))
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let usable = |filter: &&Expr| {
            if self.sees_to(filter) {
                return TableProviderFilterPushDown::Exact;
            }
            if terms(&*self.table, std::slice::from_ref(*filter)).is_empty() {
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
