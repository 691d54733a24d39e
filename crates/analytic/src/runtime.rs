//! DataFusion's surroundings, one for the whole server: worker threads, memory, temporary files.
//!
//! Invariants
//! 1. All queries together use at most the memory that was set aside for them; sorts, joins and
//!    groupings that need more write to temporary files, or end with error 1038.
//! 2. Worker threads only run queries: nothing else waits behind one.
//!
//! Not here: binding (`plan::bind`), a single query's run (`stream`).

use std::sync::Arc;

use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{MemoryPool, TrackConsumersPool};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::prelude::SessionConfig;
use plan::context::HoldNumber;
use plan::long::LongQueryOptions;
use resources::background::{begin_busy_thread, give_way};
use resources::query_clock::{QueryClock, QueryMoment};
use results::{Result, SqlError};
use tokio::runtime;

use super::RunnablePlan;
use super::absent::ForgetConstants;
use super::distinct_limit::ForgetLimits;
use super::failure::{fills_disk, translate};
use super::large_limit::SortWhole;
use super::pool::QueryPool;
use super::query_admission::{OthersHeldBack, Places, keeps_rows};
use super::row_width::row_bytes;
use super::scan::{CountInScans, GroupInScans};

/// Rows of a batch, at least and at most.
const BATCH_ROWS_MIN: usize = 512;
const BATCH_ROWS_MAX: usize = 8192;
/// Memory that must be there per row of a batch, for each thread that the work is divided among:
/// merging needs many batches at once.
const BYTES_PER_BATCH_ROW: usize = 16 << 10;
/// Bytes that a row takes at least where it is sorted, with its key.
const SORTED_ROW_BYTES: usize = 64;
/// Memory that must be there for each thread that sorts.
const BYTES_PER_SORT: usize = 16 << 20;
/// Threads that a query is divided among which ran out of memory,
const FRUGAL_THREADS: usize = 2;
/// and how many times less rows its batches have,
const FRUGAL_BATCHES_PART: usize = 8;
/// but so many,
const FRUGAL_BATCH_ROWS_MIN: usize = 64;
/// where such a part of the memory has room for them.
const FRUGAL_BATCH_PART: usize = 64;
/// Queries over fewer stored rows run on one thread.
const ROWS_PARALLEL_MIN: u64 = 20_000;
/// Stack of a thread that plans or runs a query: long chains of conditions nest deeply. Only what
/// is used of it takes memory.
pub(super) const STACK_BYTES: usize = 64 << 20;
/// Memory that a sort keeps back for merging its temporary files, at least and at most.
const MERGE_BYTES_MIN: usize = 64 << 10;
const MERGE_BYTES_MAX: usize = 10 << 20;
/// The part of the memory that one side of a join may take in a table of hashes. Larger ones are
/// sorted, which may go to files.
const HASHED_PART: usize = 8;
/// Consumers that an out-of-memory error would name.
const CONSUMERS_NAMED: usize = 3;

/// Threads, memory pool and planner settings.
pub(super) struct Runtime {
    /// Drives the queries. In an `Option` so that `drop` can end it without waiting.
    threads: Option<runtime::Runtime>,
    /// For queries worth dividing among the threads.
    parallel: SessionState,
    /// For queries that one thread does sooner; their rows keep the tables' order.
    serial: SessionState,
    /// As `parallel`, divided among as many threads as there is memory for their sorts.
    dividing_sorts: SessionState,
    /// As `dividing_sorts`, with joins of sorted inputs.
    sorting: SessionState,
    /// As `sorting`, on few threads and with few rows at a time, where also no limit keeps its rows
    /// in memory: for queries that ran out of it.
    frugal: SessionState,
    places: Arc<Places>,
    clock: Arc<QueryClock>,
    memory_bytes: usize,
}

impl Runtime {
    pub(super) fn new(options: &LongQueryOptions) -> Result<Runtime> {
        let failed = |error: std::io::Error| {
            SqlError::other(format!("cannot start worker threads for queries: {error}"))
        };
        let memory_bytes = options.memory_bytes;
        let clock = Arc::new(QueryClock::default());
        let (joined, left) = (Arc::clone(&clock), Arc::clone(&clock));
        // One more than the cores, so that a worker that waits for the disk leaves none idle.
        let threads = runtime::Builder::new_multi_thread()
            .worker_threads(options.threads + 1)
            .thread_name("query")
            .thread_stack_size(STACK_BYTES)
            .on_thread_start(move || {
                give_way(0);
                joined.join();
                begin_busy_thread(memory_bytes);
            })
            .on_thread_stop(move || left.leave())
            .enable_time()
            .build()
            .map_err(failed)?;
        let environment = Arc::new(environment(options)?);
        let state = |partitions, rows_max, hashes, limits_bytes| {
            let mut config = config(partitions, rows_max, options.memory_bytes);
            config.options_mut().optimizer.prefer_hash_join = hashes;
            SessionStateBuilder::new()
                .with_config(config)
                .with_runtime_env(Arc::clone(&environment))
                .with_default_features()
                .with_physical_optimizer_rules(rules(limits_bytes))
                .build()
        };
        let rows = |threads: usize| batch_rows(memory_bytes, threads);
        let state_of = |threads, hashes| state(threads, rows(threads), hashes, memory_bytes);
        let (parallel, serial) = (state_of(options.threads, true), state_of(1, true));
        let sorts = (memory_bytes / BYTES_PER_SORT).max(FRUGAL_THREADS).min(options.threads);
        let dividing_sorts = state_of(sorts, true);
        // DataFusion sorts for a join only where it divides the work.
        let sorting = state_of(sorts.max(FRUGAL_THREADS), false);
        let few = (rows(FRUGAL_THREADS) / FRUGAL_BATCHES_PART).max(FRUGAL_BATCH_ROWS_MIN);
        let frugal = state(FRUGAL_THREADS, few, false, 0);
        let places =
            Places::new(Arc::clone(&environment.memory_pool), memory_bytes, Arc::clone(&clock));
        let threads = Some(threads);
        Ok(Runtime {
            threads,
            parallel,
            serial,
            dividing_sorts,
            sorting,
            frugal,
            places,
            clock,
            memory_bytes,
        })
    }

    /// Where queries run.
    pub(super) fn handle(&self) -> &runtime::Handle {
        self.threads.as_ref().map(runtime::Runtime::handle).expect("taken only by drop")
    }

    /// What all queries share.
    pub(super) fn environment(&self) -> Arc<RuntimeEnv> {
        Arc::clone(self.serial.runtime_env())
    }

    /// Now, by the clock of queries.
    pub(super) fn now(&self) -> QueryMoment {
        self.clock.now()
    }

    /// Bytes that queries have taken, and that they may have.
    pub(super) fn memory(&self) -> (usize, usize) {
        (self.serial.runtime_env().memory_pool.reserved(), self.memory_bytes)
    }

    /// Settings for a query that `state`'s would run with tables of hashes or sorts which may not
    /// fit into memory; `None` when they surely do.
    pub(super) fn state_for(&self, plan: &Arc<dyn ExecutionPlan>) -> Option<&SessionState> {
        let threads = self.dividing_sorts.config().target_partitions();
        if hashes_much(plan, self.memory_bytes / HASHED_PART) {
            Some(&self.sorting)
        } else if sorts_on_more(plan, threads) {
            Some(&self.dividing_sorts)
        } else {
            None
        }
    }

    /// Settings for a query that ran out of memory, whose rows have about so many bytes; `None`
    /// where they would change nothing.
    pub(super) fn frugal_state_for(
        &self,
        plan: &Arc<dyn ExecutionPlan>,
        row_bytes: usize,
    ) -> Option<SessionState> {
        if !keeps_rows(plan) {
            return None;
        }
        let rows = self.memory_bytes / FRUGAL_BATCH_PART / row_bytes.max(1);
        if rows >= self.frugal.config().batch_size() {
            return Some(self.frugal.clone());
        }
        let frugal = SessionStateBuilder::new_from_existing(self.frugal.clone());
        let config = with_batches_of(rows.max(1), self.frugal.config().clone());
        Some(frugal.with_config(config).build())
    }

    /// Where a query waits until it may begin, if it keeps rows and reads many, or others wait for
    /// it.
    pub(super) fn places_for(
        &self,
        planned: &RunnablePlan,
        comes_first: Option<HoldNumber>,
    ) -> Option<Arc<Places>> {
        let is_large = planned.stored_rows >= ROWS_PARALLEL_MIN && keeps_rows(&planned.plan);
        let counts = is_large || comes_first.is_some();
        counts.then(|| Arc::clone(&self.places))
    }

    /// Has one query come before all others.
    pub(super) fn hold_others_back(&self) -> OthersHeldBack {
        self.places.hold_others_back()
    }

    /// Settings for planning and running a query over about so many stored rows.
    pub(super) fn state(&self, rows: u64) -> &SessionState {
        if rows < ROWS_PARALLEL_MIN { &self.serial } else { &self.parallel }
    }
}

/// The rules of the physical optimizer, ours first and last.
fn rules(memory_bytes: usize) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let mut rules = PhysicalOptimizer::new().rules;
    rules.insert(0, Arc::new(ForgetConstants));
    rules.push(Arc::new(GroupInScans));
    rules.push(Arc::new(CountInScans));
    rules.push(Arc::new(SortWhole { memory_bytes }));
    rules.push(Arc::new(ForgetLimits));
    rules
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

/// Whether a part of a plan sorts on more threads.
fn sorts_on_more(plan: &Arc<dyn ExecutionPlan>, threads: usize) -> bool {
    plan.downcast_ref::<SortExec>().is_some_and(|sort| {
        sort.preserve_partitioning()
            && sort.input().output_partitioning().partition_count() > threads
    }) || plan.children().into_iter().any(|child| sorts_on_more(child, threads))
}

/// Whether a join within keeps more bytes of one side in memory, by estimate.
fn hashes_much(plan: &Arc<dyn ExecutionPlan>, bytes_max: usize) -> bool {
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        let kept = join.left();
        if rows_of(kept).saturating_mul(row_bytes(kept)) > bytes_max {
            return true;
        }
    }
    plan.children().iter().any(|child| hashes_much(child, bytes_max))
}

/// About how many rows a plan gives; where nothing is known, as many as the largest below it.
fn rows_of(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let known = StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new()).ok();
    match known.and_then(|known| known.num_rows.get_value().copied()) {
        Some(rows) => rows,
        None => plan.children().iter().map(|child| rows_of(child)).max().unwrap_or(0),
    }
}

/// Rows of a batch of a query that is divided among threads.
fn batch_rows(memory_bytes: usize, threads: usize) -> usize {
    // The measure is two threads, also for one: it sorts as much.
    let bytes = memory_bytes / threads.max(2);
    (bytes / BYTES_PER_BATCH_ROW).clamp(BATCH_ROWS_MIN, BATCH_ROWS_MAX)
}

/// Settings with batches of so many rows.
fn with_batches_of(rows: usize, config: SessionConfig) -> SessionConfig {
    let mut config = config.with_batch_size(rows);
    // Sorted as one are batches that come to about one. A larger one is cut into pieces, each of
    // which counts for the texts of all.
    config.options_mut().execution.sort_in_place_threshold_bytes = rows * SORTED_ROW_BYTES;
    config
}

fn config(partitions: usize, batch_rows: usize, memory_bytes: usize) -> SessionConfig {
    let mut config = with_batches_of(batch_rows, SessionConfig::new())
        .with_target_partitions(partitions)
        .with_information_schema(false)
        .with_create_default_catalog_and_schema(false);
    let settings = config.options_mut();
    // What a sort keeps back for merging its files must fit many times into the memory there is.
    settings.execution.sort_spill_reservation_bytes =
        (memory_bytes / 32).clamp(MERGE_BYTES_MIN, MERGE_BYTES_MAX);
    // A file of its own for each batch that a division of rows among threads writes. DataFusion's
    // reader goes through those files one after the other, its writers hold one each: with more
    // than a batch in a file the reader may wait for the end of one whose writer waits for the
    // reader of the other.
    settings.execution.max_spill_file_size_bytes =
        ConfigNonZeroUsize::try_new(1).expect("not zero");
    // Names are ours and exact; nothing is parsed by DataFusion.
    settings.sql_parser.enable_ident_normalization = false;
    // Scans are divided by themselves; a scan that is not is too small to gain by it.
    settings.optimizer.enable_round_robin_repartition = false;
    config
}

fn environment(options: &LongQueryOptions) -> Result<RuntimeEnv> {
    let named = std::num::NonZeroUsize::new(CONSUMERS_NAMED).expect("not zero");
    let pool = TrackConsumersPool::new(QueryPool::new(options.memory_bytes), named);
    let pool: Arc<dyn MemoryPool> = Arc::new(pool);
    let with = |mode| {
        // The disk says when it is full.
        let disk = DiskManagerBuilder::default().with_max_temp_directory_size(u64::MAX);
        RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::clone(&pool))
            .with_disk_manager_builder(disk.with_mode(mode))
            .build()
    };
    let environment = match &options.temp_dir {
        Some(directory) => match with(DiskManagerMode::Directories(vec![directory.clone()])) {
            // Until the next start, queries use what the system has for temporary files.
            Err(error) if fills_disk(&error) => with(DiskManagerMode::OsTmpDirectory),
            environment => environment,
        },
        None => with(DiskManagerMode::OsTmpDirectory),
    };
    environment.map_err(translate)
}
