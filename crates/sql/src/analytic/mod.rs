//! The analytic way: every SELECT that is no look-up, through Apache DataFusion.
//!
//! ```text
//! bind      SQL with MySQL's meaning -> logical plan; names and types for the client beside it
//! runtime   optimised by DataFusion, run on worker threads within a memory limit
//! scan      tables and index ranges as DataFusion reads them
//! kernels   functions with MySQL's meaning over Arrow columns
//! columns   which Arrow type carries which MySQL type
//! stream    batches -> rows for the session
//! failure   errors there and back
//! ```
//!
//! Invariants
//! 1. A query reads the view it was given, and nothing else.
//! 2. No error leaves here in DataFusion's words alone: each has a MySQL number.
//!
//! Not here: look-ups on an index, which never come this way; statements that write.

mod bind;
mod columns;
mod failure;
mod kernels;
mod runtime;
mod scan;
mod stream;

use std::sync::Arc;

use datafusion::physical_plan::{ExecutionPlan, displayable};
use rows::Engine;
use rows::types::ColumnType;
use sqlparser::ast;

use crate::context::QueryContext;
use crate::error::Result;
use crate::reply::{ResultColumn, RowStream};

pub use runtime::Limits;

/// The analytic way, shared by all sessions.
pub struct Analytic {
    engine: Arc<Engine>,
    runtime: runtime::Runtime,
}

impl Analytic {
    /// Starts the worker threads.
    ///
    /// # Errors
    /// 1105 when threads or the directory for temporary files cannot be had.
    pub fn new(engine: &Arc<Engine>, limits: &Limits) -> Result<Analytic> {
        Ok(Analytic { engine: Arc::clone(engine), runtime: runtime::Runtime::new(limits)? })
    }

    /// Plans a query and starts it. Waits for the planning, so only where waiting is allowed.
    ///
    /// # Errors
    /// Whatever MySQL says of a statement that means nothing; 1235 for what is not supported.
    pub fn select(&self, query: &ast::Query, context: &QueryContext) -> Result<RowStream> {
        let (plan, columns) = self.plan(query, context)?;
        let types: Vec<ColumnType> = columns.iter().map(|column| column.ty.clone()).collect();
        let state = self.runtime.state();
        let stream = stream::QueryStream::start(
            self.runtime.handle(),
            plan,
            state.task_ctx(),
            types,
            Arc::clone(&context.facts.kill),
        );
        Ok(RowStream::new(columns.into(), context.facts.zone, Box::new(stream)))
    }

    /// The columns that a query would give.
    ///
    /// # Errors
    /// As `select`.
    pub fn columns(&self, query: &ast::Query, context: &QueryContext) -> Result<Vec<ResultColumn>> {
        let binder = bind::Binder::new(&self.engine, &context.view, &context.facts);
        let (_, columns) = binder.statement(query)?;
        Ok(columns.iter().map(result_column).collect())
    }

    /// The plan of a query, one line per node.
    ///
    /// # Errors
    /// As `select`.
    pub fn explain(&self, query: &ast::Query, context: &QueryContext) -> Result<Vec<String>> {
        let (plan, _) = self.plan(query, context)?;
        let text = displayable(plan.as_ref()).indent(false).to_string();
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn plan(
        &self,
        query: &ast::Query,
        context: &QueryContext,
    ) -> Result<(Arc<dyn ExecutionPlan>, Vec<ResultColumn>)> {
        let binder = bind::Binder::new(&self.engine, &context.view, &context.facts);
        let (logical, columns) = binder.statement(query)?;
        let columns = columns.iter().map(result_column).collect();
        let state = self.runtime.state();
        let planned = self.runtime.handle().block_on(state.create_physical_plan(&logical));
        Ok((planned.map_err(failure::translate)?, columns))
    }
}

fn result_column(column: &bind::OutputColumn) -> ResultColumn {
    let ty = column.kind.column_type();
    match &column.origin {
        Some(origin) => ResultColumn {
            name: column.name.clone(),
            ty,
            nullable: column.nullable,
            ..(**origin).clone()
        },
        None => ResultColumn::computed(column.name.clone(), ty, column.nullable),
    }
}
