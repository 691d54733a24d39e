//! Queries over the bound tree: by the row executor where few rows are looked at, else the analytic
//! way.
//!
//! A plan is kept for all statements of its shape, and was made with the literals of the first. A
//! run that has looked at some thousands of rows asks once what a plan for its own literals would
//! cost, and goes on, or is given up and begun again the analytic way before it has cost much. One
//! that meets far more rows than that plan says is given up, too. Nothing of it has left the server
//! by then.
//!
//! Not here: look-ups of one table (`session::select`), locking (`locked_query`), running trees
//! (`executor`).

use std::sync::Arc;
use std::time::Instant;

use expression::Environment;
use resources::budget::Share;
use resources::turn_limits::TurnLimits;
use rows::store::Read;
use sqlparser::ast::Query;
use syntax::item_texts;
use values::datum::Datum;

use super::memory_shortage::{END_WAIT, await_memory};
use super::select::parse_query;
use super::{Session, Statement};
use crate::reply::Reply;
use executor::{self, Limits, ListedRows, RunBounds, beyond_no_bounds};
use plan::bind::scalar::Bound;
use plan::bind::{self, Literals};
use plan::context::{QueryContext, SqlContext};
use plan::optimize::{Sizes, planned};
use plan::tree::{BoundQuery, QueryPlan, row_count};
use plan::variables::Executor;
use results::{ExecutionMode, Result, RowSource, RowStream, Sink, SqlError};

/// Rows from which on, if so many are expected, the analytic way is quicker: planning a query
/// there takes milliseconds, and the row executor looks at some million rows a second.
const LONG_ROWS: f64 = 60_000.0;
/// What a query may come to which was expected to come to less: the row executor keeps results
/// and what it joins and groups, the other passes rows on and writes to files.
const BOUNDS: RunBounds = RunBounds { rows_max: 120_000, bytes_max: 32 << 20 };

impl Session {
    /// Binds a query.
    pub(super) fn bind(
        &self,
        query: &Query,
        texts: &[String],
        literals: Literals<'_>,
    ) -> Bound<BoundQuery> {
        let source = bind::BindSource { query, texts, literals, named: true };
        self.admit_bound(bind::bind_query(&source, &self.facts()))
    }

    /// Plans a query that was bound with these literals.
    pub(super) fn planned(&self, bound: BoundQuery, literals: &[Datum<'_>]) -> Result<QueryPlan> {
        let facts = self.facts();
        planned(bound, &Sizes::new(&facts, self.sql.engine().latest(), literals))
    }

    /// Binds a query and plans it.
    pub(super) fn plan_query(
        &self,
        query: &Query,
        texts: &[String],
        literals: &[Datum<'_>],
    ) -> Bound<QueryPlan> {
        let bound = self.bind(query, texts, Literals::Known(literals))?;
        Ok(self.planned(bound, literals)?)
    }

    /// The same of a query whose rows a statement writes, or writes to.
    pub(super) fn plan_unnamed_query(
        &self,
        query: &Query,
        literals: &[Datum<'_>],
    ) -> Bound<QueryPlan> {
        let known = Literals::Known(literals);
        let source = bind::BindSource { query, texts: &[], literals: known, named: false };
        let bound = self.admit_bound(bind::bind_query(&source, &self.facts()))?;
        Ok(self.planned(bound, literals)?)
    }

    /// Runs a tree's plan; `None` when it is one for the analytic way.
    pub(super) fn run_tree(
        &mut self,
        plan: &QueryPlan,
        statement: &Statement<'_>,
    ) -> Result<Option<Reply>> {
        let how = statement.how;
        if plan.traits.waits && !how.may_wait {
            return Err(SqlError::WouldWait);
        }
        if plan.locks {
            return match how.may_wait {
                true => self.select_locked(plan, statement.parameters).map(Reply::Rows).map(Some),
                false => Err(SqlError::WouldWait),
            };
        }
        let forced = self.needs_rows(plan);
        if !forced && !self.runs_over_rows(plan) {
            return Ok(None);
        }
        let TurnLimits { rows_expected, rows_seen, .. } = TurnLimits::LOOP;
        let (expected_max, seen_max) = (rows_expected as f64, rows_seen as u64);
        let bounds = match (how.may_wait, forced) {
            (false, _) if plan.query.cost > expected_max || plan.runs.in_loop.is_long() => {
                return Err(SqlError::WouldWait);
            }
            (false, _) => RunBounds { rows_max: seen_max, ..BOUNDS },
            (true, true) => RunBounds::NONE,
            (true, false) => BOUNDS,
        };
        let (facts, base) = (self.facts(), self.base_snapshot()?);
        let is_long = || self.is_long_for(plan, statement);
        let asks = !forced && how.may_wait && self.depends_on_literals(plan);
        let is_long = asks.then_some(&is_long as &dyn Fn() -> bool);
        let found = self.over_own_writes(&*base, |view| {
            let limits = Limits { is_long, ..Limits::of(view, how, bounds) };
            self.run_with(plan, &facts, statement.parameters, &limits)
        });
        let Some(found) = found? else {
            return if how.may_wait { Ok(None) } else { Err(SqlError::WouldWait) };
        };
        plan.runs.in_loop.note(found.looked_at > seen_max);
        self.stream_of(plan, &facts, found).map(|stream| Some(Reply::Rows(stream)))
    }

    /// What a run has found, for the client; what it leaves behind, for the session.
    pub(super) fn stream_of(
        &mut self,
        plan: &QueryPlan,
        facts: &SqlContext,
        found: executor::ResultRows,
    ) -> Result<RowStream> {
        self.take_side_effects(facts)?;
        self.found_rows.set(found.found);
        self.row_count = -1;
        let rows = ListedRows::new(found.rows);
        let source = Box::new(KeptRows { rows, share: found.share });
        Ok(RowStream::new(Arc::clone(&plan.columns), facts.zone, source))
    }

    /// Whether another plan may be right for the literals at hand, which are not those that this
    /// one was made with.
    pub(super) fn depends_on_literals(&self, plan: &QueryPlan) -> bool {
        self.variables.executor == Executor::Auto
            && !plan.needs_rows
            && !plan.literals.is_empty()
            && plan.mode == self.variables.mode
    }

    /// Whether a query of a kept plan is one for the analytic way with the literals at hand.
    fn is_long_for(&self, plan: &QueryPlan, statement: &Statement<'_>) -> bool {
        let fresh = self.plan_for_literals(statement);
        fresh.is_ok_and(|fresh| fresh.query.cost > plan.query.cost && !self.runs_over_rows(&fresh))
    }

    /// A plan for the literals at hand.
    pub(super) fn plan_for_literals(&self, statement: &Statement<'_>) -> Result<QueryPlan> {
        let shape = statement.shape()?;
        let query = parse_query(shape, self.variables.mode)?;
        let plan = self.plan_query(&query, &item_texts(shape), statement.parameters);
        plan.map_err(SqlError::from)
    }

    /// Whether a query is the row executor's, however long it takes.
    fn needs_rows(&self, plan: &QueryPlan) -> bool {
        plan.needs_rows || self.variables.executor == Executor::Rows
    }

    /// Whether a query is one for the row executor, by what is expected of it.
    pub(super) fn runs_over_rows(&self, plan: &QueryPlan) -> bool {
        self.runs_over_rows_at(plan, plan.query.cost)
    }

    /// The same of one that is expected to cost so much.
    pub(super) fn runs_over_rows_at(&self, plan: &QueryPlan, cost: f64) -> bool {
        match self.variables.executor {
            Executor::Columns => false,
            Executor::Auto | Executor::Rows => {
                self.needs_rows(plan) || (cost <= LONG_ROWS && !plan.reads_files)
            }
        }
    }

    /// What a query may come to where it may wait.
    pub(super) fn bounds_of(&self, plan: &QueryPlan) -> RunBounds {
        if self.needs_rows(plan) { RunBounds::NONE } else { BOUNDS }
    }

    /// Runs a query over its tree; `None` if it came to more than its bounds.
    pub(super) fn run_with(
        &self,
        plan: &QueryPlan,
        facts: &SqlContext,
        parameters: &[Datum<'_>],
        limits: &Limits<'_>,
    ) -> Result<Option<executor::ResultRows>> {
        let warnings = Some(&self.warnings);
        let environment = Environment { warnings, ..Environment::of(facts, parameters) };
        let result = executor::run(&plan.query, facts, &environment, limits);
        // What is begun again warns again.
        if matches!(&result, Ok(None)) {
            drop(self.warnings.take());
        }
        result
    }

    /// The rows of a query over a given view, whichever way it goes.
    pub(super) fn rows_of(
        &mut self,
        plan: &QueryPlan,
        parameters: &[Datum<'_>],
        view: Arc<dyn Read>,
    ) -> Result<RowStream> {
        if self.runs_over_rows(plan) {
            let facts = self.facts();
            let limits = Limits::of(&*view, ExecutionMode::POOL, self.bounds_of(plan));
            if let Some(found) = self.run_with(plan, &facts, parameters, &limits)? {
                return self.stream_of(plan, &facts, found);
            }
        }
        self.select_analytically(plan, parameters, view)
    }

    /// Runs a query the analytic way, over a given view; or, where no plan of DataFusion's can say
    /// some part of it, all the same over its tree.
    pub(super) fn select_analytically(
        &mut self,
        plan: &QueryPlan,
        parameters: &[Datum<'_>],
        view: Arc<dyn Read>,
    ) -> Result<RowStream> {
        let forced = self.variables.executor == Executor::Columns;
        if forced && plan.needs_rows {
            return Err(SqlError::unsupported("a query that is the row executor's alone"));
        }
        let context = QueryContext { view, facts: self.facts() };
        match self.sql.long_queries().select(plan, parameters, &context) {
            Ok(mut stream) => {
                if let Err(error) = stream.begin(ExecutionMode::POOL) {
                    drop(stream);
                    stream = self.begun_frugally(plan, parameters, &context, error)?;
                }
                self.take_side_effects(&context.facts)?;
                self.row_count = -1;
                let scope = Environment::of(&context.facts, parameters);
                let offset = row_count(plan.query.offset.as_ref(), &scope.scope())?;
                Ok(stream.count_into(&self.found_rows, offset.unwrap_or(0)))
            }
            Err(SqlError::NotLowerable(_)) if !forced => {
                let limits = Limits::none(&*context.view);
                let found = self.run_with(plan, &context.facts, parameters, &limits)?;
                self.stream_of(plan, &context.facts, found.ok_or_else(beyond_no_bounds)?)
            }
            Err(error) => Err(error),
        }
    }

    /// A long query that failed before its first row, again in a way that needs less memory, if
    /// that is what it ran out of.
    fn begun_frugally(
        &self,
        plan: &QueryPlan,
        parameters: &[Datum<'_>],
        context: &QueryContext,
        error: SqlError,
    ) -> Result<RowStream> {
        if !matches!(error, SqlError::ShortOfMemory(_)) {
            return Err(error);
        }
        drop(self.limits.take_warnings());
        let until = Instant::now() + 10 * END_WAIT;
        await_memory(&self.sql, (END_WAIT, END_WAIT), until, &self.process.kill)?;
        let again = self.sql.long_queries().select_frugally(plan, parameters, context)?;
        let mut stream = again.ok_or(error)?;
        stream.begin(ExecutionMode::POOL)?;
        Ok(stream)
    }
}

/// A result that is there, with the memory it takes.
struct KeptRows {
    rows: ListedRows,
    share: Share,
}

impl RowSource for KeptRows {
    fn next(&mut self, how: ExecutionMode, sink: &mut Sink<'_>) -> Result<bool> {
        self.rows.next(how, sink)
    }

    fn drawn_bytes(&self) -> usize {
        self.share.bytes()
    }

    fn is_gathered(&self) -> bool {
        true
    }
}
