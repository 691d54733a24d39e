//! One execution of a plan, and those that are over and have not gone yet.
//!
//! Not here: who asks it (the other files of this folder).

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::execution::disk_manager::DiskManagerBuilder;
use datafusion::execution::runtime_env::RuntimeEnv;
use expression::KillMark;
use parking_lot::Mutex;
use plan::context::SqlContext;
use plan::process_line::ProcessLine;
use resources::interrupt::Interrupt;
use results::{MemoryShortage, SqlError};
use values::ErrorCode;

use super::files::ExecutionFiles;
use super::pool::ExecutionPool;
use crate::failure::{raise, translate};

/// One execution of a plan.
pub(crate) struct Execution {
    kill: Arc<KillMark>,
    /// Nobody waits for its rows any more.
    is_over: AtomicBool,
    /// An operator has taken memory without asking, and more than there is.
    is_overdrawn: AtomicBool,
    /// It was refused memory while others had some.
    is_beside_others: AtomicBool,
    /// Memory that its operators hold.
    bytes: AtomicUsize,
    /// Its statement in the process list, as it was at the beginning.
    line: Option<ProcessLine>,
    /// One reference for each execution that has not ended.
    _under_way: Arc<()>,
}

impl Execution {
    /// Begins an execution for a statement.
    pub(crate) fn of(facts: &SqlContext, under_way: Arc<()>) -> Arc<Execution> {
        Arc::new(Execution {
            kill: Arc::clone(&facts.kill),
            is_over: AtomicBool::new(false),
            is_overdrawn: AtomicBool::new(false),
            is_beside_others: AtomicBool::new(false),
            bytes: AtomicUsize::new(0),
            line: facts.sql.process_line(facts.connection_id),
            _under_way: under_way,
        })
    }

    /// Whether it is to go on.
    ///
    /// # Errors
    /// Those of its kill mark; 1317 when nobody waits for its rows; out of memory when it has more
    /// than there is.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(raise(SqlError::new(
                ErrorCode::QueryInterrupted,
                "Query execution was interrupted",
            )));
        }
        if self.is_overdrawn.load(Ordering::Relaxed) {
            return Err(DataFusionError::ResourcesExhausted("memory was overdrawn".to_owned()));
        }
        self.kill.check().map_err(raise)
    }

    /// What to say of an error: whatever it is, it does not matter when the execution was to end.
    pub(super) fn said_of(&self, error: DataFusionError) -> DataFusionError {
        self.check().err().unwrap_or(error)
    }

    /// The surroundings of its operators: as `context`, with memory and files of their own.
    pub(crate) fn context(this: &Arc<Execution>, context: &TaskContext) -> Result<TaskContext> {
        let shared = context.runtime_env();
        let pool = ExecutionPool::new(Arc::clone(&shared.memory_pool), this);
        let files = ExecutionFiles::new(Arc::clone(&shared.disk_manager), this);
        let disk_manager = DiskManagerBuilder::default()
            .with_temp_file_factory(Arc::new(files))
            .with_max_spill_merge_fan_in(shared.disk_manager.max_spill_merge_fan_in())
            .build()?;
        let environment = RuntimeEnv {
            memory_pool: Arc::new(pool),
            disk_manager: Arc::new(disk_manager),
            cache_manager: Arc::clone(&shared.cache_manager),
            object_store_registry: Arc::clone(&shared.object_store_registry),
        };
        let config = context.session_config().clone().with_extension(Arc::clone(this));
        // Operators look no functions up by name: their plans have them.
        Ok(TaskContext::default().with_session_config(config).with_runtime(Arc::new(environment)))
    }

    /// Its operators hold so many bytes more.
    pub(super) fn hold(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes that its operators hold.
    pub(super) fn held(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// It was refused memory while others had some.
    pub(super) fn refuse_beside_others(&self) {
        self.is_beside_others.store(true, Ordering::Relaxed);
    }

    /// What the client is told of an error. That a query needs more memory than there is shows only
    /// where no others had any whenever it was refused some.
    pub(crate) fn translate(&self, error: DataFusionError) -> SqlError {
        match translate(error) {
            SqlError::ShortOfMemory(MemoryShortage::Queries)
                if self.is_beside_others.load(Ordering::Relaxed) =>
            {
                SqlError::ShortOfMemory(MemoryShortage::OtherQueries)
            }
            error => error,
        }
    }

    /// It has taken memory that is not there.
    pub(super) fn overdraw(&self) {
        self.is_overdrawn.store(true, Ordering::Relaxed);
    }
}

impl Interrupt for Execution {
    fn is_wanted(&self) -> bool {
        self.check().is_err()
    }
}

impl fmt::Debug for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Execution({} bytes)", self.bytes.load(Ordering::Relaxed))
    }
}

/// Executions that are over while something of them is still there.
#[derive(Debug, Default)]
pub(crate) struct Executions(Mutex<Vec<Weak<Execution>>>);

impl Executions {
    /// Nobody waits for an execution any more.
    pub(crate) fn end(&self, execution: &Arc<Execution>) {
        execution.is_over.store(true, Ordering::Relaxed);
        let mut ending = self.0.lock();
        ending.retain(|execution| execution.strong_count() > 0);
        ending.push(Arc::downgrade(execution));
    }

    /// The lines of those that are ending, for the process list.
    pub(crate) fn ending(&self) -> Vec<ProcessLine> {
        let ending: Vec<Arc<Execution>> = self.0.lock().iter().filter_map(Weak::upgrade).collect();
        let line = |execution: Arc<Execution>| {
            let mut line = execution.line.clone()?;
            line.command = "Killed";
            line.state = match NonZeroUsize::new(execution.bytes.load(Ordering::Relaxed)) {
                Some(bytes) => format!("ending, holds {bytes} bytes").into(),
                None => "ending".into(),
            };
            Some(line)
        };
        ending.into_iter().filter_map(line).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use expression::TimeLimit;
    use std::time::Duration;

    use super::*;

    /// An execution that no statement began.
    pub(crate) fn execution() -> Arc<Execution> {
        Arc::new(Execution {
            kill: Arc::default(),
            is_over: AtomicBool::new(false),
            is_overdrawn: AtomicBool::new(false),
            is_beside_others: AtomicBool::new(false),
            bytes: AtomicUsize::new(0),
            line: Some(ProcessLine {
                id: 7,
                user: "root".to_owned(),
                owner: Some("root".to_owned()),
                host: "localhost".to_owned(),
                database: None,
                command: "Query",
                number: 0,
                since: 0,
                state: "executing".into(),
                info: Some("SELECT 1".to_owned()),
                memory_bytes: 0,
            }),
            _under_way: Arc::default(),
        })
    }

    fn number(execution: &Execution) -> u16 {
        translate(execution.check().expect_err("it is to end")).code().number()
    }

    #[test]
    fn an_execution_ends_with_the_reason_that_came_first() {
        let timed = execution();
        timed.check().unwrap();
        timed.kill.end_after(Duration::ZERO, TimeLimit::Statement);
        assert_eq!(number(&timed), 1969);
        let over = execution();
        Executions::default().end(&over);
        // The next statement of its connection begins.
        over.kill.forget_query();
        assert_eq!(number(&over), 1317);
        let overdrawn = execution();
        overdrawn.overdraw();
        assert_eq!(number(&overdrawn), 1038);
    }

    #[test]
    fn what_is_ending_is_shown_until_the_last_of_it_has_gone() {
        let all = Executions::default();
        let (first, second) = (execution(), execution());
        let task = Arc::clone(&first);
        all.end(&first);
        all.end(&second);
        first.hold(10);
        drop((first, second));
        let [line] = &all.ending()[..] else { panic!("one is there") };
        assert_eq!((line.id, line.command), (7, "Killed"));
        assert_eq!(line.state, "ending, holds 10 bytes");
        drop(task);
        assert!(all.ending().is_empty());
    }
}
