//! WITH RECURSIVE: its rows are found when the query that has it is lowered, by the row executor,
//! whose steps and limits are MySQL's; beyond a part of the memory they are in a temporary file.
//!
//! Invariants
//! 1. A recursion is run once for a statement, however often it is named.
//!
//! Not here: the steps (`sql`, `executor::recursion`), reading the rows (`scan`).

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::{Column, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::LogicalPlanBuilder;
use executor::RecursionRows;
use plan::tree::Query;
use results::Result;
use values::types::ColumnType;

use super::super::scan::ListedSource;
use super::row::{LoweredColumn, LoweredQuery};
use super::{Lowering, built};

impl Lowering<'_> {
    /// Lowers a query that is a recursion.
    pub(super) fn recursion(&self, query: &Query) -> Result<LoweredQuery> {
        self.is_of_once.set(true);
        let rows = self.rows_of_recursion(query)?;
        let reference = TableReference::bare(self.qualifier("recursion"));
        let columns: Vec<(String, ColumnType, bool)> = query
            .columns
            .iter()
            .map(|column| (self.name("r"), column.ty.clone(), column.nullable))
            .collect();
        let provider: Arc<dyn TableProvider> =
            Arc::new(ListedSource::new(rows, &columns, self.zone()));
        let source = provider_as_source(provider);
        let plan = built(LogicalPlanBuilder::scan(reference.clone(), source, None))?;
        let seen = |(name, ty, nullable)| LoweredColumn {
            column: Column::new(Some(reference.clone()), name),
            ty,
            nullable,
        };
        Ok(LoweredQuery { plan, columns: columns.into_iter().map(seen).collect() })
    }

    fn rows_of_recursion(&self, query: &Query) -> Result<Arc<RecursionRows>> {
        if self.is_shown {
            return Ok(Arc::default());
        }
        if let Some(rows) = self.recursions.borrow().get(&query.id) {
            return Ok(Arc::clone(rows));
        }
        let rows = RecursionRows::of(query, self.facts, &**self.view, self.parameters)?;
        let rows = Arc::new(rows);
        let stored = self.file_rows.get().saturating_add(rows.len() as u64);
        self.file_rows.set(stored);
        self.recursions.borrow_mut().insert(query.id, Arc::clone(&rows));
        Ok(rows)
    }
}
