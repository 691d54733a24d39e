//! Places of queries that keep rows: as many are begun at once as the memory has room for.
//!
//! A sort or a join that has begun holds memory until its last row is read, and ends with an error where it
//! finds none for its next step; rows may have been sent by then. So who would begin while others have half
//! of the memory waits until they have less. What a query will take shows only when it has run for a moment;
//! until then it counts for as much as most take. More than half may be in use for long, by a reader who takes
//! his time or by a report of minutes: what has begun beside that and found all that it wanted shows that others may
//! begin beside it as well.
//!
//! Invariants
//! 1. Those who wait begin in the order in which they came.
//! 2. Nobody waits longer than `PATIENCE` in which no other has ended: who reads slowly keeps his memory for as
//!    long as he likes, and others then take their chance.
//!
//! Not here: how the memory is divided among those that run (`pool`), what becomes of a query that found
//! none (crate `sql`, `session::shortage`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use datafusion::execution::memory_pool::MemoryPool;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::timeout;

/// The part of the memory that is in use when nobody else begins.
const USED_PART: usize = 2;
/// What a query counts for when it has just begun, and the part of the memory that this is at most.
const YOUNG_BYTES: usize = 32 << 20;
const YOUNG_PART: usize = 4;
/// How long it does.
const YOUNG: Duration = Duration::from_secs(1);
/// How long a place is waited for while nobody leaves one.
const PATIENCE: Duration = Duration::from_secs(3);
/// Longest sleep between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// The places of all queries.
#[derive(Debug)]
pub(super) struct Places {
    pool: Arc<dyn MemoryPool>,
    bytes_max: usize,
    /// When those began that have one.
    begun: Mutex<Vec<Instant>>,
    /// As much was in use when one of them began that came to its end.
    proven: AtomicUsize,
    /// Whose turn it is to wait; the lock is fair.
    first: tokio::sync::Mutex<()>,
    left: Notify,
}

/// A query's place, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    begun: Instant,
    /// Memory that was in use then.
    beside: usize,
}

impl Places {
    /// Of queries that have so many bytes of this pool.
    pub(super) fn new(pool: Arc<dyn MemoryPool>, bytes_max: usize) -> Arc<Places> {
        let (begun, proven, first, left) = Default::default();
        Arc::new(Places { pool, bytes_max, begun, proven, first, left })
    }

    /// A place, as soon as there is one.
    pub(super) async fn take(self: &Arc<Places>) -> Place {
        let _first = self.first.lock().await;
        let mut since = Instant::now();
        while !self.has_room() && since.elapsed() < PATIENCE {
            if timeout(LOOK, self.left.notified()).await.is_ok() {
                since = Instant::now();
            }
        }
        let (begun, beside) = (Instant::now(), self.pool.reserved());
        self.begun.lock().push(begun);
        Place { places: Arc::clone(self), begun, beside }
    }

    fn has_room(&self) -> bool {
        let begun = self.begun.lock();
        let young = begun.iter().filter(|begun| begun.elapsed() < YOUNG).count();
        let half = self.bytes_max / USED_PART;
        let expected = (young + 1) * YOUNG_BYTES.min(self.bytes_max / YOUNG_PART);
        let reserved = self.pool.reserved();
        let is_proven = reserved <= self.proven.load(Ordering::Relaxed);
        begun.is_empty() || expected + reserved <= half || is_proven && expected <= half
    }
}

impl Place {
    /// The query has come to its end.
    pub(super) fn has_sufficed(&self) {
        self.places.proven.fetch_max(self.beside, Ordering::Relaxed);
    }

    /// The query ran out of memory.
    pub(super) fn was_too_small(&self) {
        self.places.proven.store(0, Ordering::Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut begun = self.places.begun.lock();
        if let Some(own) = begun.iter().position(|begun| *begun == self.begun) {
            begun.swap_remove(own);
        }
        self.places.left.notify_one();
    }
}

/// Whether a part of a plan keeps rows, or something for each of many.
pub(super) fn keeps_rows(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let children = plan.children();
    let joins = children.len() > 1 && plan.downcast_ref::<UnionExec>().is_none();
    let groups = plan
        .downcast_ref::<AggregateExec>()
        .is_some_and(|aggregate| !aggregate.group_expr().expr().is_empty());
    joins
        || groups
        || plan.downcast_ref::<SortExec>().is_some()
        || plan.downcast_ref::<WindowAggExec>().is_some()
        || plan.downcast_ref::<BoundedWindowAggExec>().is_some()
        || children.into_iter().any(keeps_rows)
}

#[cfg(test)]
mod tests {
    use datafusion::execution::memory_pool::{MemoryConsumer, UnboundedMemoryPool};
    use futures::FutureExt;

    use super::*;

    const MIB: usize = 1 << 20;

    #[tokio::test]
    async fn some_begin_at_once_and_the_next_one_when_another_has_ended() {
        let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        let places = Places::new(Arc::clone(&pool), 64 * MIB);
        let mut taken = Vec::new();
        for _ in 0..2 {
            taken.push(places.take().now_or_never().expect("there is room"));
        }
        let mut third = Box::pin(places.take());
        assert!(third.as_mut().now_or_never().is_none(), "two count for half of the memory");
        taken.pop();
        assert_eq!(third.await.places.begun.lock().len(), 2);
    }

    #[tokio::test]
    async fn who_holds_much_keeps_others_waiting_for_a_while() {
        let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        let places = Places::new(Arc::clone(&pool), 64 * MIB);
        let first = places.take().await;
        let sort = MemoryConsumer::new("sort").register(&pool);
        sort.grow(40 * MIB);
        let mut second = Box::pin(places.take());
        assert!(second.as_mut().now_or_never().is_none());
        sort.shrink(30 * MIB);
        drop(second.await);
        sort.grow(30 * MIB);
        drop(first);
        let _alone = places.take().now_or_never().expect("nobody waits for what is nobody's");
    }

    #[tokio::test]
    async fn where_one_found_all_that_it_wanted_others_begin_at_once_until_one_does_not() {
        let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        let places = Places::new(Arc::clone(&pool), 64 * MIB);
        let _slow = places.take().await;
        let kept = MemoryConsumer::new("kept").register(&pool);
        kept.grow(40 * MIB);
        let second = Place { places: Arc::clone(&places), begun: Instant::now(), beside: 40 * MIB };
        second.has_sufficed();
        drop(second);
        let third = places.take().now_or_never();
        third.expect("there was enough beside it before").was_too_small();
        assert!(places.take().now_or_never().is_none());
    }
}
