//! The analytic way: long queries, through Apache DataFusion, which no other crate names.
//!
//! ```text
//! lower     the bound tree of a query -> logical plan, with the tree's names, types and meaning
//! planning  optimised by DataFusion's rules, which end with the statement
//! kept      plans of statements that come again
//! runtime   run on worker threads within a memory limit
//! ending    the end of a statement as operators hear of it, their memory and files
//! scan      tables and index ranges as DataFusion reads them
//! kernels   functions with MySQL's meaning over Arrow columns
//! columns   which Arrow type carries which MySQL type
//! compact   texts without the buffers of other rows
//! distinct_limit  groupings whose limit cannot end them early
//! row_counts  sides of joins without columns
//! large_limit  sorts whose limit leaves more than fits into memory
//! absent    what DataFusion must not take for constant beside an outer join
//! large_partition  window functions over partitions in files
//! frames           functions of frames that move with the row at hand
//! partition_files  those files
//! sorted_keys  where keys of sorted rows change
//! window    window functions within the memory: whole partitions, a few at a time
//! carried   other functions of the rows so far, with the rows carried past them
//! numbering ROW_NUMBER and its like, as rows come
//! places    how many begin at once that keep rows
//! given     time, as the worker threads were given it
//! pool      the queries' memory, divided among their operators
//! stream    batches -> rows for the session
//! failure   errors there and back
//! ```
//!
//! Invariants
//! 1. A query reads the view it was given, and nothing else.
//! 2. No error leaves here in DataFusion's words alone: each has a MySQL number; 1235 says that the
//!    row executor may know better.
//!
//! Not here: what a query means (crate `sql`, `plan::bind` and `plan::tree`), short queries (its
//! `executor`), statements that write.

mod absent;
mod carried;
mod columns;
mod compact;
mod distinct_limit;
mod ending;
mod failure;
mod frames;
mod kernels;
mod large_limit;
mod large_partition;
mod leaf;
mod lower;
mod numbering;
mod partition_files;
mod plan_cache;
mod planning;
mod pool;
mod query_admission;
mod row_counts;
mod row_width;
mod runtime;
mod scan;
mod sorted_keys;
mod stream;
mod window;

use std::sync::Arc;

use datafusion::execution::TaskContext;
use datafusion::execution::session_state::SessionState;
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use datafusion::physical_plan::{ExecutionPlan, displayable};
use expression::KillMark;
use plan::context::QueryContext;
use plan::long::{HeldBack, Load, LongQueries, LongQueryOptions};
use plan::process_line::ProcessLine;
use plan::tree::QueryPlan;
use resources::counter::Counter;
use resources::query_clock::QueryMoment;
use results::{ExecutionMode, Pace, Result, RowStream, SqlError};
use rows::Engine;
use values::datum::Datum;
use values::types::ColumnType;

use self::ending::{Execution, Executions, interruptible};
use self::plan_cache::{KeptPlan, KeptPlans, Name, Statement};

/// The analytic way over an engine, whose metrics tell of its queries.
///
/// # Errors
/// Those of `Analytic::new`.
pub fn start(engine: &Arc<Engine>, options: &LongQueryOptions) -> Result<Arc<dyn LongQueries>> {
    let analytic = Analytic::new(engine, options)?;
    let (environment, under_way) =
        (analytic.runtime.environment(), Arc::downgrade(&analytic.under_way));
    let bytes_max = analytic.memory().1;
    // Not the engine: it owns this closure.
    engine.metrics().register(move |figures| {
        let files = environment.disk_manager.spilling_progress();
        let queries = under_way.strong_count().saturating_sub(1);
        figures.push(("queries_under_way".into(), queries.to_string()));
        let bytes = environment.memory_pool.reserved();
        figures.push(("query_memory_bytes".into(), bytes.to_string()));
        figures.push(("query_memory_bytes_max".into(), bytes_max.to_string()));
        figures.push(("query_temporary_files".into(), files.active_files_count.to_string()));
        figures.push(("query_temporary_bytes".into(), files.current_bytes.to_string()));
    });
    Ok(Arc::new(analytic))
}

/// The analytic way, shared by all sessions.
pub struct Analytic {
    engine: Arc<Engine>,
    runtime: runtime::Runtime,
    kept: Arc<KeptPlans>,
    /// Queries so far,
    begun: Counter,
    /// one reference for each of which something is still there,
    under_way: Arc<()>,
    /// and those among them that nobody waits for.
    executions: Arc<Executions>,
}

/// Nodes of a query that any thread's stack has room for, however they are nested.
const NODES_SMALL: usize = 150;

/// What a plan is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Run,
    /// To be run so that it needs the least memory.
    RunFrugally,
    /// To be looked at.
    Show,
}

/// A plan to run, and the settings to run it with.
struct RunnablePlan {
    plan: Arc<dyn ExecutionPlan>,
    settings: Arc<TaskContext>,
    statement: Arc<Statement>,
    stored_rows: u64,
    /// The same for any other execution, if there is such.
    vacated: Option<Arc<dyn ExecutionPlan>>,
    /// Another way would need more memory.
    is_frugal: bool,
}

/// Where a plan goes when its execution is over.
struct Return {
    kept: KeptPlan,
    to: Arc<KeptPlans>,
}

impl Return {
    fn put_back(self) {
        self.to.put(self.kept);
    }
}

impl LongQueries for Analytic {
    fn select(
        &self,
        query: &QueryPlan,
        parameters: &[Datum<'_>],
        context: &QueryContext,
    ) -> Result<RowStream> {
        self.begun.add();
        let name = Name::of(query, parameters, &context.facts);
        if let Some(name) = &name
            && let Some((planned, kept)) = self.planned_before(name, query, context)?
        {
            return Ok(self.start(planned, query, context, Some(kept)));
        }
        let mut planned = self.plan(query, parameters, context, Purpose::Run)?;
        let kept = match (planned.vacated.take(), name) {
            (Some(plan), Some(name)) if self.kept.wants(&name) => Some(KeptPlan {
                name,
                plan,
                settings: Arc::clone(&planned.settings),
                statement: Arc::clone(&planned.statement),
                stored_rows: planned.stored_rows,
            }),
            _ => None,
        };
        Ok(self.start(planned, query, context, kept))
    }

    fn select_frugally(
        &self,
        query: &QueryPlan,
        parameters: &[Datum<'_>],
        context: &QueryContext,
    ) -> Result<Option<RowStream>> {
        let planned = self.plan(query, parameters, context, Purpose::RunFrugally)?;
        Ok(planned.is_frugal.then(|| self.start(planned, query, context, None)))
    }

    fn load(&self) -> Load {
        Load { begun: self.begun.get(), under_way: Arc::strong_count(&self.under_way) - 1 }
    }

    fn ending(&self) -> Vec<ProcessLine> {
        self.executions.ending()
    }

    fn memory(&self) -> (usize, usize) {
        self.runtime.memory()
    }

    fn now(&self) -> QueryMoment {
        self.runtime.now()
    }

    fn hold_others_back(&self) -> Box<dyn HeldBack> {
        Box::new(self.runtime.hold_others_back())
    }

    fn explain(&self, query: &QueryPlan, context: &QueryContext) -> Result<Vec<String>> {
        let planned = self.plan(query, &[], context, Purpose::Show)?;
        let text = displayable(planned.plan.as_ref()).indent(false).to_string();
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn explain_analyzed(&self, query: &QueryPlan, context: &QueryContext) -> Result<Vec<String>> {
        self.begun.add();
        let planned = self.plan(query, &[], context, Purpose::Run)?;
        let plan = Arc::clone(&planned.plan);
        let mut rows = self.start(planned, query, context, None);
        while rows.next(ExecutionMode::POOL, &mut |_| Ok(Pace::More))? {}
        let shown = DisplayableExecutionPlan::with_metrics(plan.as_ref());
        let text = shown.indent(false).to_string();
        Ok(text.lines().map(str::to_owned).collect())
    }
}

impl Analytic {
    /// Starts the worker threads.
    ///
    /// # Errors
    /// 1105 when threads or the directory for temporary files cannot be had.
    pub fn new(engine: &Arc<Engine>, options: &LongQueryOptions) -> Result<Analytic> {
        let runtime = runtime::Runtime::new(options)?;
        Ok(Analytic {
            engine: Arc::clone(engine),
            runtime,
            kept: Arc::default(),
            begun: Counter::default(),
            under_way: Arc::default(),
            executions: Arc::default(),
        })
    }

    /// How many plans are kept for statements that may come again, without those that run.
    pub fn plans_kept(&self) -> usize {
        self.kept.len()
    }

    /// A kept plan over the view of this execution.
    fn planned_before(
        &self,
        name: &Name,
        query: &QueryPlan,
        context: &QueryContext,
    ) -> Result<Option<(RunnablePlan, KeptPlan)>> {
        let view = &*context.view;
        let stored_rows = lower::stored_rows(&self.engine, view, &query.tables)?;
        let Some(kept) = self.kept.take(name, stored_rows, &context.facts) else {
            return Ok(None);
        };
        let occupied = scan::occupied(&kept.plan, view).map_err(failure::translate)?;
        let Some(plan) = occupied else { return Ok(None) };
        let (settings, statement) = (Arc::clone(&kept.settings), Arc::clone(&kept.statement));
        let (vacated, is_frugal) = (None, false);
        let planned = RunnablePlan { plan, settings, statement, stored_rows, vacated, is_frugal };
        Ok(Some((planned, kept)))
    }

    /// Starts a query; `kept` is what is to be kept of its plan.
    fn start(
        &self,
        planned: RunnablePlan,
        query: &QueryPlan,
        context: &QueryContext,
        kept: Option<KeptPlan>,
    ) -> RowStream {
        let types: Vec<ColumnType> =
            query.written.columns.iter().map(|column| column.ty.clone()).collect();
        let returning = kept.map(|kept| Return { kept, to: Arc::clone(&self.kept) });
        let execution = Execution::of(&context.facts, Arc::clone(&self.under_way));
        let stream = stream::QueryStream::start(
            &self.runtime,
            (execution, Arc::clone(&self.executions)),
            planned,
            returning,
            types,
            &context.facts,
            self.engine.budget(),
        );
        RowStream::new(Arc::clone(&query.columns), context.facts.zone, Box::new(stream))
    }

    /// Plans on this thread what is small, and the rest on one with a large stack: planning walks
    /// the query's tree to its depth, many times over.
    fn plan(
        &self,
        query: &QueryPlan,
        parameters: &[Datum<'_>],
        context: &QueryContext,
        purpose: Purpose,
    ) -> Result<RunnablePlan> {
        if query.traits.nodes <= NODES_SMALL {
            return self.plan_here(query, parameters, context, purpose);
        }
        let plan = || {
            resources::background::give_way(0);
            let _current = KillMark::of_this_thread(&context.facts.kill);
            self.plan_here(query, parameters, context, purpose)
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

    fn plan_here(
        &self,
        query: &QueryPlan,
        parameters: &[Datum<'_>],
        context: &QueryContext,
        purpose: Purpose,
    ) -> Result<RunnablePlan> {
        let (view, facts, assigns) = (&context.view, &context.facts, query.traits.assigns);
        let lowering = lower::Lowering::new(&self.engine, view, facts, parameters, assigns)
            .shown_only(purpose == Purpose::Show);
        let lowered = lowering.statement(&query.written)?;
        let lower::LoweredStatement { plan: logical, stored_rows, statement, .. } = lowered;
        let state = self.runtime.state(stored_rows);
        let limits = &context.facts.limits;
        let plan = |state: &SessionState, logical| {
            let planned = planning::physical_plan(state, self.runtime.handle(), logical, limits)?;
            let planned = window::in_parts(planned).map_err(failure::no_plan)?;
            let planned = row_counts::counted(planned).map_err(failure::no_plan)?;
            interruptible(planned).map_err(failure::no_plan)
        };
        let mut planned = plan(state, logical.clone())?;
        let mut settings = state;
        if let Some(sorting) = self.runtime.state_for(&planned) {
            (planned, settings) = (plan(sorting, logical.clone())?, sorting);
        }
        let frugal = if purpose == Purpose::RunFrugally {
            let row_bytes = row_width::widest_row(&self.engine, &query.tables)?;
            self.runtime.frugal_state_for(&planned, row_bytes)
        } else {
            None
        };
        if let Some(frugal) = &frugal {
            (planned, settings) = (plan(frugal, logical)?, frugal);
        }
        let vacated = match lowered.repeats {
            true => scan::vacated(&planned, lowered.tables).map_err(failure::no_plan)?,
            false => None,
        };
        let (settings, is_frugal) = (settings.task_ctx(), frugal.is_some());
        Ok(RunnablePlan { plan: planned, settings, statement, stored_rows, vacated, is_frugal })
    }
}
