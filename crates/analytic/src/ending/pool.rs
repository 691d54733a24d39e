//! The memory of one execution: a part of the memory for queries, which is refused when it is to
//! end.
//!
//! Some operators take memory without asking, where they cannot go on with less: they say so, and
//! it is counted. Where more is in use than the pool would ever give, an execution ends that takes
//! more like that while it alone has several times the memory.
//!
//! Not here: how the memory is divided among operators (`analytic::pool`).

use std::fmt;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

use super::execution::Execution;

/// Eighths of the memory beyond it that are given to the last steps of queries (`analytic::pool`);
/// more is not there.
const BEYOND_MAX: usize = 3;

/// An execution that holds so many times the memory for queries has taken it without asking.
const HELD_MAX: usize = 4;

/// Less than such a part of the memory makes no difference to an execution that was refused some.
const SMALL_PART: usize = 64;

/// Memory of one execution.
#[derive(Debug)]
pub(super) struct ExecutionPool {
    all: Arc<dyn MemoryPool>,
    execution: Arc<Execution>,
}

impl ExecutionPool {
    pub(super) fn new(all: Arc<dyn MemoryPool>, execution: &Arc<Execution>) -> ExecutionPool {
        ExecutionPool { all, execution: Arc::clone(execution) }
    }

    /// Whether others have memory that would have made a difference.
    fn others_hold_some(&self) -> bool {
        let others = self.all.reserved().saturating_sub(self.execution.held());
        match self.all.memory_limit() {
            MemoryLimit::Finite(limit) => others > limit / SMALL_PART,
            MemoryLimit::Infinite | MemoryLimit::Unknown => others > 0,
        }
    }

    fn is_overdrawn(&self) -> bool {
        match self.all.memory_limit() {
            MemoryLimit::Finite(limit) => {
                let is_beyond = self.all.reserved() > limit + limit / 8 * BEYOND_MAX;
                // What others hold is no fault of this one; and a merge join counts the buffer
                // behind each piece of a batch once for every piece.
                is_beyond && self.execution.held() > limit * HELD_MAX
            }
            MemoryLimit::Infinite | MemoryLimit::Unknown => false,
        }
    }
}

impl MemoryPool for ExecutionPool {
    fn name(&self) -> &str {
        self.all.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.all.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.all.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.all.grow(reservation, additional);
        self.execution.hold(additional);
        if self.is_overdrawn() {
            self.execution.overdraw();
        }
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.all.shrink(reservation, shrink);
        self.execution.give_back(shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.execution.check()?;
        self.all.try_grow(reservation, additional).inspect_err(|_| {
            if self.others_hold_some() {
                self.execution.refuse_beside_others();
            }
        })?;
        self.execution.hold(additional);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.all.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.all.memory_limit()
    }
}

impl fmt::Display for ExecutionPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {:?}", self.all, self.execution)
    }
}

#[cfg(test)]
mod tests {
    use results::{MemoryShortage, SqlError};

    use super::super::execution::Executions;
    use super::super::execution::tests::execution;
    use super::*;
    use crate::pool::QueryPool;

    #[test]
    fn an_execution_that_is_over_was_given_memory() {
        let all: Arc<dyn MemoryPool> = Arc::new(QueryPool::new(1 << 20));
        let execution = execution();
        let pool: Arc<dyn MemoryPool> = Arc::new(ExecutionPool::new(Arc::clone(&all), &execution));
        let join = MemoryConsumer::new("join").register(&pool);
        join.try_grow(1 << 19).unwrap();
        Executions::default().end(&execution);
        assert!(join.try_grow(1).is_err());
        drop(join);
        assert_eq!(all.reserved(), 0);
    }

    #[test]
    fn what_takes_memory_without_asking_went_on_when_there_was_none() {
        let all: Arc<dyn MemoryPool> = Arc::new(QueryPool::new(1 << 20));
        let execution = execution();
        let pool: Arc<dyn MemoryPool> = Arc::new(ExecutionPool::new(all, &execution));
        let join = MemoryConsumer::new("join").register(&pool);
        join.grow(HELD_MAX << 20);
        execution.check().expect("pieces of a batch are counted more than once");
        join.grow(1);
        assert!(execution.check().is_err());
    }

    #[test]
    fn a_query_was_told_that_it_needs_more_than_there_is_while_others_had_some() {
        let all: Arc<dyn MemoryPool> = Arc::new(QueryPool::new(1 << 20));
        let pool_of = |execution: &Arc<Execution>| -> Arc<dyn MemoryPool> {
            Arc::new(ExecutionPool::new(Arc::clone(&all), execution))
        };
        let refusal_of = |execution: &Arc<Execution>| {
            let join = MemoryConsumer::new("join").register(&pool_of(execution));
            let refused = join.try_grow(1 << 20).and_then(|()| join.try_grow(1));
            execution.translate(refused.expect_err("there is no more"))
        };
        let (beside, alone) = (execution(), execution());
        let others = MemoryConsumer::new("others").register(&all);
        others.grow(1 << 19);
        let told = refusal_of(&beside);
        assert_eq!(told, SqlError::ShortOfMemory(MemoryShortage::OtherQueries));
        drop(others);
        let told = refusal_of(&alone);
        assert_eq!(told, SqlError::ShortOfMemory(MemoryShortage::Queries));
    }

    #[test]
    fn a_query_was_ended_for_what_others_held() {
        let all: Arc<dyn MemoryPool> = Arc::new(QueryPool::new(1 << 20));
        let others = MemoryConsumer::new("others").register(&all);
        others.grow(11 << 17);
        let execution = execution();
        let pool: Arc<dyn MemoryPool> = Arc::new(ExecutionPool::new(all, &execution));
        MemoryConsumer::new("join").register(&pool).grow(1 << 19);
        execution.check().expect("the others give theirs back");
    }
}
