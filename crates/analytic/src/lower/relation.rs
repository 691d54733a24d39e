//! FROM: relations and how they are joined.
//!
//! Invariants
//! 1. Every relation has a qualifier of its own in the plan, so two uses of a table are two.
//!
//! Not here: reading tables (`scan`), the order of joins (DataFusion's, within its rules).

use std::sync::Arc;

use columnar::arrow::ColumnWriter;
use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::{MemTable, TableProvider};
use datafusion::common::{Column, JoinType, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use expression::Node;
use files::table::FileTable;
use plan::index_use::IndexUse;
use plan::listing::AskedTables;
use plan::tree::{CatalogListing, Join, Relation, Select, Source};
use results::{Result, SqlError};
use rows::Table;
use values::types::{ColumnType, LobSize};

use super::super::failure::no_plan;
use super::super::scan::{FileSource, ROW_KEY, TableSource, arrow_schema};
use super::row::{LoweredColumn, RelationColumns, Row, RowColumns};
use super::{Lowering, built};

impl Lowering<'_> {
    /// The joined rows of a SELECT, before WHERE.
    pub(super) fn from<'r>(
        &self,
        select: &Select,
        enclosing: Option<&'r Row<'r>>,
    ) -> Result<(LogicalPlan, Row<'r>)> {
        let mut plans = Vec::with_capacity(select.relations.len());
        let mut columns = Vec::with_capacity(select.relations.len());
        for relation in &select.relations {
            let (plan, seen) = self.relation(relation)?;
            plans.push(Some(plan));
            columns.push(seen);
        }
        let row = Row { columns: RowColumns::Joined(columns), enclosing };
        let plan = match &select.join {
            None => built(Ok(LogicalPlanBuilder::empty(true)))?,
            Some(join) => self.join(join, &mut plans, &row)?,
        };
        Ok((plan, row))
    }

    fn join(
        &self,
        join: &Join,
        plans: &mut [Option<LogicalPlan>],
        row: &Row<'_>,
    ) -> Result<LogicalPlan> {
        match join {
            Join::Relation(number) => plans[*number]
                .take()
                .ok_or_else(|| SqlError::other("a relation that is joined twice")),
            Join::Inner(members, terms) => {
                let mut all: Option<LogicalPlan> = None;
                for member in members {
                    let next = self.join(member, plans, row)?;
                    all = Some(match all {
                        None => next,
                        Some(before) => built(LogicalPlanBuilder::new(before).cross_join(next))?,
                    });
                }
                let all = all.ok_or_else(|| SqlError::other("a join of nothing"))?;
                match self.all_hold(row, terms)? {
                    Some(condition) => super::filtered(all, condition),
                    None => Ok(all),
                }
            }
            Join::Straight(left, right, terms) => {
                let (left, right) = (self.join(left, plans, row)?, self.join(right, plans, row)?);
                let all = built(LogicalPlanBuilder::new(left).cross_join(right))?;
                match self.all_hold(row, terms)? {
                    Some(condition) => super::filtered(all, condition),
                    None => Ok(all),
                }
            }
            Join::Left(left, right, terms) => {
                let (left, right) = (self.join(left, plans, row)?, self.join(right, plans, row)?);
                let on = self.all_hold(row, terms)?;
                let on = on.unwrap_or_else(|| datafusion::logical_expr::lit(true));
                built(LogicalPlanBuilder::new(left).join_on(right, JoinType::Left, [on]))
            }
        }
    }

    /// All terms as one condition.
    pub(super) fn all_hold(&self, row: &Row<'_>, terms: &[Node]) -> Result<Option<Expr>> {
        let mut all: Option<Expr> = None;
        for term in terms {
            let term = self.demanded(row, term)?;
            all = Some(match all {
                None => term,
                Some(before) => before.and(term),
            });
        }
        Ok(all)
    }

    fn relation(&self, relation: &Relation) -> Result<(LogicalPlan, RelationColumns)> {
        let reference = TableReference::bare(self.qualifier(&relation.name));
        if relation.lateral.is_some() {
            return Err(SqlError::not_lowerable("LATERAL"));
        }
        match &relation.source {
            Source::Table(table) => self.table(table, relation.index_use.clone(), reference),
            Source::Query(query) => {
                let lowered = self.query(query, None)?;
                let plan = built(LogicalPlanBuilder::new(lowered.plan).alias(reference.clone()))?;
                let under = |seen: LoweredColumn| LoweredColumn {
                    column: Column::new(Some(reference.clone()), seen.column.name),
                    ..seen
                };
                let columns = lowered.columns.into_iter().map(under).collect();
                Ok((plan, RelationColumns { columns, key: None }))
            }
            Source::Listing(listing) => self.listing(listing, reference),
            Source::File(files) => self.files(relation, files, reference),
            Source::Added(_) => Err(SqlError::not_lowerable("a recursive table in a plan")),
        }
    }

    fn table(
        &self,
        table: &Arc<Table>,
        index_use: IndexUse,
        reference: TableReference,
    ) -> Result<(LogicalPlan, RelationColumns)> {
        self.tables.borrow_mut().push(Arc::clone(table));
        let seen = |name: &str, ty: ColumnType, nullable| LoweredColumn {
            column: Column::new(Some(reference.clone()), name),
            ty,
            nullable,
        };
        let own =
            |column: &rows::schema::Column| seen(&column.name, column.ty.clone(), column.nullable);
        let columns = table.columns.iter().map(own).collect();
        let key = Some(seen(ROW_KEY, ColumnType::Blob { size: LobSize::Normal }, false));
        let (engine, view) = (Arc::clone(self.engine), Arc::clone(self.view));
        let setting = (self.zone(), self.facts.mode);
        let provider: Arc<dyn TableProvider> =
            Arc::new(TableSource::new(engine, view, Arc::clone(table), index_use, setting));
        let plan = built(LogicalPlanBuilder::scan(reference, provider_as_source(provider), None))?;
        Ok((plan, RelationColumns { columns, key }))
    }

    fn files(
        &self,
        relation: &Relation,
        files: &Arc<FileTable>,
        reference: TableReference,
    ) -> Result<(LogicalPlan, RelationColumns)> {
        self.is_of_once.set(true);
        self.file_rows.set(self.file_rows.get() + files.rows_about());
        let provider: Arc<dyn TableProvider> =
            Arc::new(FileSource::new(files, &self.facts.limits, self.zone()));
        let columns = files.columns().iter().zip(&relation.types);
        let columns = columns.map(|(column, ty)| LoweredColumn {
            column: Column::new(Some(reference.clone()), column.name.clone()),
            ty: ty.clone(),
            nullable: true,
        });
        let columns = columns.collect();
        let plan = built(LogicalPlanBuilder::scan(reference, provider_as_source(provider), None))?;
        Ok((plan, RelationColumns { columns, key: None }))
    }

    /// A table of information_schema, read when the statement is lowered.
    fn listing(
        &self,
        listing: &CatalogListing,
        reference: TableReference,
    ) -> Result<(LogicalPlan, RelationColumns)> {
        self.is_of_once.set(true);
        let listed = self.facts.sql.listing_columns(self.facts, listing)?;
        let rows = self.facts.sql.listing_rows(self.facts, listing, &AskedTables::all())?;
        let types: Vec<(String, ColumnType, bool)> =
            listed.iter().map(|column| (column.name.clone(), column.ty.clone(), true)).collect();
        let schema = arrow_schema(&types);
        let mut writers: Vec<ColumnWriter> =
            types.iter().map(|(_, ty, _)| ColumnWriter::new(ty, rows.len())).collect();
        for row in &rows {
            for ((writer, value), (_, ty, _)) in writers.iter_mut().zip(row).zip(&types) {
                let value = values::convert::convert(ty, value.as_datum(), self.zone()).value;
                writer.append(value.as_datum())?;
            }
        }
        let arrays = writers.iter_mut().map(ColumnWriter::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)
            .map_err(|error| no_plan(error.into()))?;
        let provider: Arc<dyn TableProvider> =
            Arc::new(MemTable::try_new(schema, vec![vec![batch]]).map_err(no_plan)?);
        let seen = |(name, ty, nullable): (String, ColumnType, bool)| LoweredColumn {
            column: Column::new(Some(reference.clone()), name),
            ty,
            nullable,
        };
        let columns = types.into_iter().map(seen).collect();
        let plan =
            built(LogicalPlanBuilder::scan(reference.clone(), provider_as_source(provider), None))?;
        Ok((plan, RelationColumns { columns, key: None }))
    }
}
