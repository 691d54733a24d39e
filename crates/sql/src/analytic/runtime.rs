//! DataFusion's surroundings, one for the whole server: worker threads, memory, temporary files.
//!
//! Invariants
//! 1. All queries together use at most the memory that was set aside for them; sorts, joins and
//!    groupings that need more write to temporary files, or end with error 1038.
//! 2. Worker threads only run queries: nothing else waits behind one.
//!
//! Not here: binding (`bind`), a single query's run (`stream`).

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use tokio::runtime;

use super::failure::translate;
use crate::error::{Result, SqlError};

/// Rows of a batch.
const BATCH_ROWS: usize = 8192;
/// Consumers that an out-of-memory error would name.
const CONSUMERS_NAMED: usize = 3;

/// Limits of all queries together.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of memory for groupings, joins and sorts.
    pub memory_bytes: usize,
    /// Worker threads.
    pub threads: usize,
    /// Where temporary files go; `None`: the system's place for them.
    pub spill_directory: Option<PathBuf>,
}

impl Default for Limits {
    /// A quarter of a gibibyte, and the machine's cores.
    fn default() -> Limits {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        Limits { memory_bytes: 256 << 20, threads, spill_directory: None }
    }
}

/// Threads, memory pool and planner settings.
pub(super) struct Runtime {
    /// Drives the queries. In an `Option` so that `drop` can end it without waiting.
    threads: Option<runtime::Runtime>,
    state: SessionState,
}

impl Runtime {
    pub(super) fn new(limits: &Limits) -> Result<Runtime> {
        let failed = |error: std::io::Error| {
            SqlError::other(format!("cannot start worker threads for queries: {error}"))
        };
        // One more than the cores, so that a worker that waits for the disk leaves none idle.
        let threads = runtime::Builder::new_multi_thread()
            .worker_threads(limits.threads + 1)
            .thread_name("query")
            .enable_time()
            .build()
            .map_err(failed)?;
        let state = SessionStateBuilder::new()
            .with_config(config(limits))
            .with_runtime_env(Arc::new(environment(limits)?))
            .with_default_features()
            .build();
        Ok(Runtime { threads: Some(threads), state })
    }

    /// Where queries run.
    pub(super) fn handle(&self) -> &runtime::Handle {
        self.threads.as_ref().map(runtime::Runtime::handle).expect("taken only by drop")
    }

    /// Settings for planning and running.
    pub(super) fn state(&self) -> &SessionState {
        &self.state
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

fn config(limits: &Limits) -> SessionConfig {
    let mut config = SessionConfig::new()
        .with_batch_size(BATCH_ROWS)
        .with_target_partitions(limits.threads)
        .with_information_schema(false)
        .with_create_default_catalog_and_schema(false);
    let options = config.options_mut();
    // Names are ours and exact; nothing is parsed by DataFusion.
    options.sql_parser.enable_ident_normalization = false;
    options.explain.logical_plan_only = false;
    config
}

fn environment(limits: &Limits) -> Result<RuntimeEnv> {
    let named = std::num::NonZeroUsize::new(CONSUMERS_NAMED).expect("not zero");
    let pool = TrackConsumersPool::new(FairSpillPool::new(limits.memory_bytes), named);
    let mode = match &limits.spill_directory {
        Some(directory) => DiskManagerMode::Directories(vec![directory.clone()]),
        None => DiskManagerMode::OsTmpDirectory,
    };
    RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(pool))
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(mode))
        .build()
        .map_err(translate)
}
