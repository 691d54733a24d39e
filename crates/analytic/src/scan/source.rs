//! A stored table for DataFusion's planner.
//!
//! Invariants
//! 1. The Arrow schema is the table's columns in order, and the row key last.
//!
//! Not here: choosing an index (`plan::optimize::in_batches`), reading (`execution`, `batches`).

use std::sync::Arc;

use async_trait::async_trait;
use columnar::arrow::arrow_type;
use columnar::{TableColumns, columns_of, index_columns_of};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{DFSchema, Result, Statistics};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExecBuilder;
use expression::Node;
use plan::index_use::{ColumnarUse, IndexUse};
use plan::optimize::{BatchAccess, Sizes};
use rows::store::{KeyRange, Read};
use rows::table::Covering;
use rows::{Engine, Table};
use values::SqlMode;
use values::temporal::Zone;
use values::types::ColumnType;

use super::super::failure::raise;
use super::batches::{EntryTest, ScanPart};
use super::columnar::{ColumnScan, sees_to, tests};
use super::conditions::{Conditions, conditions};
use super::execution::TableScan;
use super::terms::{is_told, terms};

/// A row of a columnar table that is found by its key costs as much as so many read by column.
const COLUMNAR_LOOKUP: u64 = 100;

/// What a value that is read by column from a columnar index costs, where a row that is read in
/// order costs 1.
const VALUE_COST: f64 = 0.02;
/// What a row costs that was changed and is not in a segment of the index yet: its note is read,
/// and its place is looked up and passed over.
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

/// Whether a filter is about one row alone, of whichever table: no sub-query, nothing that encloses
/// it.
fn is_of_rows(filter: &Expr) -> bool {
    let reaches_out = filter.exists(|part| {
        Ok(matches!(
            part,
            Expr::OuterReferenceColumn(..)
                | Expr::ScalarSubquery(_)
                | Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::SetComparison(_)
        ))
    });
    matches!(reaches_out, Ok(false)) && !filter.is_volatile()
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

    /// The cheapest way to the rows for which terms hold, of which so many columns are read, but
    /// for those that the terms alone look at.
    fn access(&self, terms: &[Node], wanted: &[usize]) -> results::Result<BatchAccess> {
        let sizes = Sizes::of_constants(&self.engine, &*self.view, self.setting);
        let wanted = Some(wanted).filter(|wanted| !wanted.contains(&self.table.columns.len()));
        plan::optimize::in_batches(&self.table, &self.index_use, terms, wanted, &sizes)
    }

    /// What a way reads, divided among workers.
    fn parts(&self, access: &BatchAccess, workers: usize) -> rows::Result<Vec<ScanPart>> {
        let part = |ranges: &[KeyRange]| ScanPart { ranges: ranges.to_vec(), rows: None };
        if access.rows < ROWS_SPLIT_MIN || workers <= 1 {
            return Ok(vec![part(&access.ranges)]);
        }
        let split = |range: &KeyRange| {
            rows::split(self.engine.store().as_ref(), self.view.as_ref(), range, workers)
        };
        if access.looks_rows_up() {
            // Each block of rows is one worker's.
            let rows = split(&self.table.index_range(0))?.into_iter();
            return Ok(rows
                .map(|rows| ScanPart { rows: Some(rows), ..part(&access.ranges) })
                .collect());
        }
        match &access.ranges[..] {
            [range] => Ok(split(range)?.into_iter().map(|range| part(&[range])).collect()),
            ranges => {
                let each = ranges.len().div_ceil(workers).max(1);
                Ok(ranges.chunks(each).map(part).collect())
            }
        }
    }

    /// Whether a scan gives no row that a filter does not want. Where an index may answer it, or
    /// its entries be asked, nobody above has to look at what it is about.
    fn sees_to(&self, filter: &Expr) -> bool {
        if !self.table.columnar && self.table.columnar_index.is_none() {
            return self.table.indexes.len() > 1 && is_of_rows(filter);
        }
        let columns = |filter: &Expr| match self.table.columnar {
            true => true,
            false => {
                let terms = terms(&*self.table, std::slice::from_ref(filter));
                self.index_has(conditions(&terms).keys())
            }
        };
        sees_to(&self.table, filter) && columns(filter)
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

    /// A scan of rows with filters that nobody else evaluates: entries are asked as far as they
    /// tell, for the rest rows are read.
    fn filtered(
        &self,
        state: &dyn Session,
        access: BatchAccess,
        parts: Vec<ScanPart>,
        positions: Vec<usize>,
        (filters, limit): (Vec<Expr>, Option<usize>),
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let of_entries = |filter: &Expr| -> Result<Option<Arc<Covering>>> {
            let columns = needed(&self.schema, &[], Some(filter))?;
            let tells = access.index > 0 && access.covering.is_none() && !columns.is_empty();
            let covering = |()| self.table.entry_columns(access.index, &columns).map(Arc::new);
            Ok(tells.then_some(()).and_then(covering))
        };
        let (mut asked, mut left) = (Vec::new(), Vec::new());
        for filter in filters {
            match of_entries(&filter)? {
                Some(_) => asked.push(filter),
                None => left.push(filter),
            }
        }
        let mut test = None;
        if let Some(filter) = conjunction(asked)
            && let Some(covering) = of_entries(&filter)?
        {
            let columns = needed(&self.schema, &[], Some(&filter))?;
            let (predicate, schema) = self.predicate(state, filter, &columns)?;
            test = Some(EntryTest { covering, positions: columns.into(), schema, predicate });
        }
        let Some(filter) = conjunction(left) else {
            let schema = Arc::new(self.schema.project(&positions)?);
            let scan = TableScan::new(self, access, parts, (positions, schema), test, limit);
            return Ok(Arc::new(scan));
        };
        let needed = needed(&self.schema, &positions, Some(&filter))?;
        let (predicate, schema) = self.predicate(state, filter, &needed)?;
        // A limit counts what is left.
        let scan = TableScan::new(self, access, parts, (needed, schema), test, None);
        let filter = FilterExecBuilder::new(predicate, Arc::new(scan))
            .with_batch_size(state.config().batch_size());
        let wanted = (0..positions.len()).collect();
        Ok(Arc::new(filter.apply_projection(Some(wanted))?.build()?))
    }

    /// A filter as it is evaluated over some columns, and the schema of these.
    fn predicate(
        &self,
        state: &dyn Session,
        filter: Expr,
        columns: &[usize],
    ) -> Result<(Arc<dyn PhysicalExpr>, SchemaRef)> {
        let schema = Arc::new(self.schema.project(columns)?);
        let named = DFSchema::try_from(schema.as_ref().clone())?;
        Ok((state.create_physical_expr(filter, &named)?, schema))
    }

    fn rows(&self) -> rows::Result<u64> {
        plan::estimate::estimated_rows(&self.engine, self.view.as_ref(), &self.table)
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
        let told: Vec<Vec<Node>> = filters
            .iter()
            .map(|filter| terms(&*self.table, std::slice::from_ref(filter)))
            .collect();
        let terms = told.concat();
        let conditions = conditions(&terms);
        let all = self.rows().map_err(raise)?;
        let positions = projected(&self.schema, projection);
        let mut wanted = positions.clone();
        for filter in filters.iter().filter(|filter| !is_told(&*self.table, filter)) {
            wanted = needed(&self.schema, &wanted, Some(filter))?;
        }
        let access = self.access(&terms, &wanted).map_err(raise)?;
        let workers = state.config().target_partitions();
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
        let parts = self.parts(&access, if limit.is_some() { 1 } else { workers });
        let parts = parts.map_err(raise)?;
        // What somebody above evaluates as well is left to them.
        let mut answered = access.answered.iter();
        let mut left = Vec::new();
        for (filter, told) in filters.iter().zip(&told) {
            let holds = answered.by_ref().take(told.len()).filter(|holds| **holds).count();
            let is_answered = holds == told.len() && is_told(&*self.table, filter);
            if self.sees_to(filter) && !is_answered {
                left.push(filter.clone());
            }
        }
        self.filtered(state, access, parts, positions, (left, limit))
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
