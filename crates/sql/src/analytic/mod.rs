//! The analytic way: every SELECT that is no look-up, through Apache DataFusion.
//!
//! ```text
//! bind      SQL with MySQL's meaning -> logical plan; names and types for the client beside it
//! planning  optimised by DataFusion's rules, which end with the statement
//! runtime   run on worker threads within a memory limit
//! scan      tables and index ranges as DataFusion reads them
//! kernels   functions with MySQL's meaning over Arrow columns
//! columns   which Arrow type carries which MySQL type
//! window    window functions within the memory: whole partitions, a few at a time
//! numbering ROW_NUMBER and its like, as rows come
//! pool      the queries' memory, divided among their operators
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
mod numbering;
mod planning;
mod pool;
mod runtime;
mod scan;
mod stream;
mod window;

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::execution::TaskContext;
use datafusion::execution::session_state::SessionState;
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use datafusion::physical_plan::{ExecutionPlan, displayable};
use rows::Engine;
use rows::types::ColumnType;
use sqlparser::ast;

use crate::context::{KillMark, QueryContext};
use crate::error::{Result, SqlError};
use crate::reply::{How, Pace, ResultColumn, RowStream};
use crate::server::SqlOptions;

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
    pub fn new(engine: &Arc<Engine>, options: &SqlOptions) -> Result<Analytic> {
        let runtime = runtime::Runtime::new(options)?;
        Ok(Analytic { engine: Arc::clone(engine), runtime })
    }

    /// Plans a query and starts it. Waits for the planning, so only where waiting is allowed.
    ///
    /// # Errors
    /// Whatever MySQL says of a statement that means nothing; 1235 for what is not supported.
    pub fn select(&self, query: &ast::Query, context: &QueryContext) -> Result<RowStream> {
        self.select_titled(query, &[], context)
    }

    /// As `select`; `texts` are the items of the first SELECT's list as they were written, which
    /// name the columns of expressions.
    ///
    /// # Errors
    /// As `select`.
    pub fn select_titled(
        &self,
        query: &ast::Query,
        texts: &[String],
        context: &QueryContext,
    ) -> Result<RowStream> {
        let kill = &context.facts.kill;
        let (plan, columns, settings) = roomy(query, kill, || self.plan(query, texts, context))?;
        Ok(self.start(plan, columns, settings, context))
    }

    fn start(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        columns: Vec<ResultColumn>,
        settings: Arc<TaskContext>,
        context: &QueryContext,
    ) -> RowStream {
        let types: Vec<ColumnType> = columns.iter().map(|column| column.ty.clone()).collect();
        let stream = stream::QueryStream::start(
            self.runtime.handle(),
            plan,
            settings,
            types,
            &context.facts,
            self.engine.budget(),
        );
        RowStream::new(columns.into(), context.facts.zone, Box::new(stream))
    }

    /// The columns that a query would give.
    ///
    /// # Errors
    /// As `select`.
    pub fn columns(&self, query: &ast::Query, context: &QueryContext) -> Result<Vec<ResultColumn>> {
        self.columns_titled(query, &[], context)
    }

    /// As `columns`; `texts` as for `select_titled`.
    ///
    /// # Errors
    /// As `select`.
    pub fn columns_titled(
        &self,
        query: &ast::Query,
        texts: &[String],
        context: &QueryContext,
    ) -> Result<Vec<ResultColumn>> {
        roomy(query, &context.facts.kill, || {
            let binder = bind::Binder::new(&self.engine, &context.view, &context.facts);
            let (_, columns) = binder.statement(query, texts)?;
            Ok(columns.iter().map(result_column).collect())
        })
    }

    /// The plan of a query, one line per node.
    ///
    /// # Errors
    /// As `select`.
    pub fn explain(&self, query: &ast::Query, context: &QueryContext) -> Result<Vec<String>> {
        roomy(query, &context.facts.kill, || {
            let (plan, _, _) = self.plan(query, &[], context)?;
            let text = displayable(plan.as_ref()).indent(false).to_string();
            Ok(text.lines().map(str::to_owned).collect())
        })
    }

    /// Runs a query to its end: its plan, one line per node, with what each came to.
    ///
    /// # Errors
    /// As `select`, and those of running it.
    pub fn explain_analyzed(
        &self,
        query: &ast::Query,
        context: &QueryContext,
    ) -> Result<Vec<String>> {
        let kill = &context.facts.kill;
        let (plan, columns, settings) = roomy(query, kill, || self.plan(query, &[], context))?;
        let mut rows = self.start(Arc::clone(&plan), columns, settings, context);
        while rows.next(How::POOL, &mut |_| Ok(Pace::More))? {}
        let text = DisplayableExecutionPlan::with_metrics(plan.as_ref()).indent(false).to_string();
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn plan(
        &self,
        query: &ast::Query,
        texts: &[String],
        context: &QueryContext,
    ) -> Result<(Arc<dyn ExecutionPlan>, Vec<ResultColumn>, Arc<TaskContext>)> {
        let binder = bind::Binder::new(&self.engine, &context.view, &context.facts);
        let (logical, columns) = binder.statement(query, texts)?;
        let columns = columns.iter().map(result_column).collect();
        let state = self.runtime.state(binder.stored_rows()?);
        let limits = &context.facts.limits;
        let plan = |state: &SessionState, logical| {
            let planned = planning::physical_plan(state, self.runtime.handle(), logical, limits)?;
            window::in_parts(planned).map_err(failure::translate)
        };
        let planned = plan(state, logical.clone())?;
        match self.runtime.state_for(&planned) {
            Some(sorting) => Ok((plan(sorting, logical)?, columns, sorting.task_ctx())),
            None => Ok((planned, columns, state.task_ctx())),
        }
    }
}

/// Expressions and queries of a statement that any thread's stack has room for, however they
/// are nested.
const NODES_SMALL: usize = 150;

/// Plans on this thread what is small, and the rest on one with a large stack: planning walks
/// the statement's tree to its depth, many times over.
fn roomy<T: Send>(
    query: &ast::Query,
    kill: &Arc<KillMark>,
    plan: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    if is_small(query) {
        return plan();
    }
    let plan = || {
        rows::background::give_way(0);
        let _current = KillMark::of_this_thread(kill);
        plan()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("plan".to_owned())
            .stack_size(runtime::STACK_BYTES)
            .spawn_scoped(scope, plan)
            .map_err(|error| SqlError::other(format!("cannot start a thread: {error}")))?;
        // The panic goes on as if it had happened here.
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn is_small(query: &ast::Query) -> bool {
    struct Count(usize);

    impl Count {
        fn add(&mut self) -> ControlFlow<()> {
            self.0 += 1;
            if self.0 > NODES_SMALL { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }

    impl ast::Visitor for Count {
        type Break = ();

        fn pre_visit_query(&mut self, _query: &ast::Query) -> ControlFlow<()> {
            self.add()
        }

        fn pre_visit_select(&mut self, _select: &ast::Select) -> ControlFlow<()> {
            self.add()
        }

        fn pre_visit_relation(&mut self, _relation: &ast::ObjectName) -> ControlFlow<()> {
            self.add()
        }

        fn pre_visit_expr(&mut self, _expr: &ast::Expr) -> ControlFlow<()> {
            self.add()
        }
    }

    // UNION nests to the left without anything to count on the way down.
    let mut unions = 0;
    let mut body = &*query.body;
    while let ast::SetExpr::SetOperation { left, .. } = body {
        unions += 1;
        body = left;
    }
    unions <= NODES_SMALL && ast::Visit::visit(query, &mut Count(unions)).is_continue()
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
