//! Admission of queries that keep rows: as many run at once as the memory has room for.
//!
//! A sort or a join that runs holds memory until its last row is read, and fails where it finds
//! none for its next step; rows may have been sent by then. So while running queries hold half of
//! the memory a new one waits. What a query will take shows only after it ran for a moment; until
//! then it counts for as much as most queries take. More than half may be in use for long, by a
//! client that reads slowly or by a report of minutes: if queries that began next to it found all
//! the memory they wanted, further ones may begin as well.
//!
//! A query that found no memory while others ran is started again ahead of all others: these begin
//! once its first row has come, so it has all memory to itself as soon as the queries before it
//! have ended.
//!
//! Invariants
//! 1. Queries begin in the order in which they came.
//! 2. The next query in line waits no longer than `PATIENCE` (`PATIENCE_OF_FIRST` if it is one that
//!    was started again) without another one ending: a slow reader keeps its memory for as long as
//!    it likes, and the others then take their chance.
//! 3. No query is held back for longer than `HELD_BACK_MAX` by those that are started again.
//! 4. All these times are read from `resources::query_clock`.
//!
//! Not here: how the memory is divided among the queries that run (`pool`), what becomes of a query
//! that found none (crate `sql`, `session::memory_shortage`).

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use datafusion::execution::memory_pool::MemoryPool;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use parking_lot::Mutex;
use plan::context::HoldNumber;
use plan::long::HeldBack;
use resources::query_clock::{QueryClock, QueryMoment};
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
/// The same for who comes first: it was refused once, and would take from others what they need for
/// their last rows.
const PATIENCE_OF_FIRST: Duration = Duration::from_secs(10);
/// How long others are held back for it.
const HELD_BACK_MAX: Duration = Duration::from_secs(60);
/// The part of the memory that may be in use when that one begins, as if it were alone.
const REST_PART: usize = 8;
/// Longest sleep between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// The places of all queries.
#[derive(Debug)]
pub(super) struct Places {
    pool: Arc<dyn MemoryPool>,
    bytes_max: usize,
    /// When those began that have one; of several that began at the same time any is as good as
    /// another.
    begun: Mutex<Vec<QueryMoment>>,
    /// How many have ended.
    ended: AtomicU64,
    /// How often others were held back for one,
    holds: AtomicU64,
    /// for which they are; 0 if for none.
    held_for: AtomicU64,
    given: Arc<QueryClock>,
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
    begun: QueryMoment,
    /// That others are held back for it.
    hold: Option<HoldNumber>,
    /// Memory that was in use then.
    beside: usize,
}

/// That others are held back for one query, until this is dropped or the first row has come.
pub(super) struct OthersHeldBack {
    places: Arc<Places>,
    number: HoldNumber,
}

impl Places {
    /// Of queries that have so many bytes of this pool, and threads that are given time.
    pub(super) fn new(
        pool: Arc<dyn MemoryPool>,
        bytes_max: usize,
        given: Arc<QueryClock>,
    ) -> Arc<Places> {
        Arc::new(Places {
            pool,
            bytes_max,
            given,
            begun: Mutex::default(),
            ended: AtomicU64::default(),
            holds: AtomicU64::default(),
            held_for: AtomicU64::default(),
            proven: AtomicUsize::default(),
            first: tokio::sync::Mutex::default(),
            left: Notify::default(),
        })
    }

    /// From now on only the query begins that comes with the number.
    pub(super) fn hold_others_back(self: &Arc<Places>) -> OthersHeldBack {
        let number = NonZeroU64::MIN.saturating_add(self.holds.fetch_add(1, Ordering::Relaxed));
        self.held_for.store(number.get(), Ordering::Relaxed);
        OthersHeldBack { places: Arc::clone(self), number }
    }

    /// A place, as soon as there is one; at the head of all for the query that others are held back
    /// for.
    pub(super) async fn take(self: &Arc<Places>, hold: Option<HoldNumber>) -> Place {
        // Another run of a statement whose first rows have come is one of many.
        let comes_first = hold.is_some_and(|hold| self.is_held_for(hold));
        let came = self.given.now();
        let _first = match comes_first {
            true => None,
            false => Some(self.first.lock().await),
        };
        let mut now = self.given.now();
        let (mut since, mut ended) = (now, self.ended.load(Ordering::Relaxed));
        let mut was_held_back = false;
        loop {
            let is_held_back = !comes_first
                && self.held_for.load(Ordering::Relaxed) != 0
                && now.since(&came) < HELD_BACK_MAX;
            let before = std::mem::replace(&mut ended, self.ended.load(Ordering::Relaxed));
            // The one that it was held back for has just begun with its last step.
            if before != ended || was_held_back && !is_held_back {
                since = now;
            }
            was_held_back = is_held_back;
            let (has_room, patience) = match comes_first {
                true => (self.is_empty(), PATIENCE_OF_FIRST),
                false => (self.has_room(&now), PATIENCE),
            };
            if !is_held_back && (has_room || now.since(&since) >= patience) {
                break;
            }
            let _ = timeout(LOOK, self.left.notified()).await;
            now = self.given.now();
        }
        self.begun.lock().push(now);
        Place { places: Arc::clone(self), begun: now, hold, beside: self.pool.reserved() }
    }

    fn is_held_for(&self, hold: HoldNumber) -> bool {
        self.held_for.load(Ordering::Relaxed) == hold.get()
    }

    /// Ends a hold, if it has not ended before.
    fn let_others_begin(&self, hold: HoldNumber) {
        let relaxed = Ordering::Relaxed;
        if self.held_for.compare_exchange(hold.get(), 0, relaxed, relaxed).is_ok() {
            self.left.notify_one();
        }
    }

    /// Whether hardly anything is anybody's.
    fn is_empty(&self) -> bool {
        self.begun.lock().is_empty() && self.pool.reserved() <= self.bytes_max / REST_PART
    }

    fn has_room(&self, now: &QueryMoment) -> bool {
        let begun = self.begun.lock();
        let young = begun.iter().filter(|begun| now.since(begun) < YOUNG).count();
        let half = self.bytes_max / USED_PART;
        let expected = (young + 1) * YOUNG_BYTES.min(self.bytes_max / YOUNG_PART);
        let reserved = self.pool.reserved();
        let is_proven = reserved <= self.proven.load(Ordering::Relaxed);
        begun.is_empty() || expected + reserved <= half || is_proven && expected <= half
    }
}

impl Place {
    /// Rows of the query have come: what it needs it has.
    pub(super) fn has_rows(&self) {
        if let Some(hold) = self.hold {
            self.places.let_others_begin(hold);
        }
    }

    /// The query has come to its end.
    pub(super) fn has_sufficed(&self) {
        self.has_rows();
        self.places.proven.fetch_max(self.beside, Ordering::Relaxed);
    }

    /// The query ran out of memory.
    pub(super) fn was_too_small(&self) {
        self.places.proven.store(0, Ordering::Relaxed);
    }
}

impl HeldBack for OthersHeldBack {
    fn number(&self) -> HoldNumber {
        self.number
    }
}

impl Drop for OthersHeldBack {
    fn drop(&mut self) {
        self.places.let_others_begin(self.number);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut begun = self.places.begun.lock();
        if let Some(own) = begun.iter().position(|begun| *begun == self.begun) {
            begun.swap_remove(own);
        }
        self.places.ended.fetch_add(1, Ordering::Relaxed);
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
        let places = Places::new(Arc::clone(&pool), 64 * MIB, Arc::default());
        let mut taken = Vec::new();
        for _ in 0..2 {
            taken.push(places.take(None).now_or_never().expect("there is room"));
        }
        let mut third = Box::pin(places.take(None));
        assert!(third.as_mut().now_or_never().is_none(), "two count for half of the memory");
        taken.pop();
        assert_eq!(third.await.places.begun.lock().len(), 2);
    }

    #[tokio::test]
    async fn who_holds_much_keeps_others_waiting_for_a_while() {
        let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        let places = Places::new(Arc::clone(&pool), 64 * MIB, Arc::default());
        let first = places.take(None).await;
        let sort = MemoryConsumer::new("sort").register(&pool);
        sort.grow(40 * MIB);
        let mut second = Box::pin(places.take(None));
        assert!(second.as_mut().now_or_never().is_none());
        sort.shrink(30 * MIB);
        drop(second.await);
        sort.grow(30 * MIB);
        drop(first);
        let _alone = places.take(None).now_or_never().expect("nobody waits for what is nobody's");
    }

    #[tokio::test]
    async fn where_one_found_all_that_it_wanted_others_begin_at_once_until_one_does_not() {
        let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        let places = Places::new(Arc::clone(&pool), 64 * MIB, Arc::default());
        let _slow = places.take(None).await;
        let kept = MemoryConsumer::new("kept").register(&pool);
        kept.grow(40 * MIB);
        let begun = places.given.now();
        places.begun.lock().push(begun);
        let second = Place { places: Arc::clone(&places), begun, hold: None, beside: 40 * MIB };
        second.has_sufficed();
        drop(second);
        let third = places.take(None).now_or_never();
        third.expect("there was enough beside it before").was_too_small();
        assert!(places.take(None).now_or_never().is_none());
    }

    #[tokio::test]
    async fn who_comes_first_waits_for_those_that_have_begun_and_all_others_for_it() {
        let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        let places = Places::new(Arc::clone(&pool), 64 * MIB, Arc::default());
        let before = places.take(None).await;
        let held_back = places.hold_others_back();
        let hold = Some(held_back.number());
        let (mut other, mut first) = (Box::pin(places.take(None)), Box::pin(places.take(hold)));
        assert!(other.as_mut().now_or_never().is_none(), "there is room, but not for it");
        assert!(first.as_mut().now_or_never().is_none(), "another has begun");
        drop(before);
        let first = first.await;
        assert!(other.as_mut().now_or_never().is_none(), "no row has come");
        first.has_rows();
        drop(other.await);
        drop(held_back);
        // Nothing of it releases those that are held back for the next one.
        let next = places.hold_others_back();
        first.has_rows();
        let mut other = Box::pin(places.take(None));
        assert!(other.as_mut().now_or_never().is_none());
        // Nor does it come first another time.
        assert!(Box::pin(places.take(hold)).as_mut().now_or_never().is_none());
        drop(next);
        drop((other.await, first));
    }

    #[tokio::test]
    async fn nobody_begins_without_room_when_others_are_not_held_back_any_more() {
        let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        let places = Places::new(Arc::clone(&pool), 64 * MIB, Arc::default());
        let held_back = places.hold_others_back();
        let first = places.take(Some(held_back.number())).await;
        let sort = MemoryConsumer::new("sort").register(&pool);
        sort.grow(60 * MIB);
        let mut other = Box::pin(places.take(None));
        assert!(other.as_mut().now_or_never().is_none());
        std::thread::sleep(PATIENCE + 2 * LOOK);
        first.has_rows();
        tokio::time::sleep(2 * LOOK).await;
        assert!(other.as_mut().now_or_never().is_none(), "it has begun with its last step");
        drop((first, held_back));
        drop(other.await);
    }
}
