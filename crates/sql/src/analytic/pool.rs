//! The memory of all queries, divided among their operators.
//!
//! Those that can write to files share half of it, evenly. The merges of what they wrote share a
//! quarter: a merge takes memory for as many files as it gets, and goes over them more often if
//! those are few, but needs some for two. The others take what they find. A sort that has filled its part needs more, for a
//! moment, to write it out: rows in the order of their keys, and the keys once more. Under
//! DataFusion's own pool sorts fill all of the memory together, and then end with an error
//! instead of writing.
//!
//! Invariants
//! 1. No more is given than there is, except for what is small: merges take all that they may, and
//!    the operators above them still need some bytes to begin with.

use std::fmt;

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};
use parking_lot::Mutex;

/// How DataFusion names the merge of a sort's files.
const MERGE: &str = "ExternalSorterMerge";
/// A merge may have this part of the memory, however many there are: as much as its sort keeps back
/// for it from the beginning (`runtime`).
const MERGES_MAX: usize = 32;
/// What a merge may have if it is there: two files of wide rows.
const MERGE_BYTES: usize = 1 << 20;
/// What each operator may have at least.
const SMALL_BYTES: usize = 64 << 10;

/// A sum of bytes for operators.
#[derive(Debug)]
pub(super) struct QueryPool {
    bytes_max: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Operators that can write to files.
    spillers: usize,
    /// What they hold.
    spillable: usize,
    /// Merges of what was written.
    merges: usize,
    /// What all others than the first hold.
    firm: usize,
}

impl State {
    /// How many there are of a consumer's kind, if that shares memory.
    fn kin(&mut self, consumer: &MemoryConsumer) -> Option<&mut usize> {
        match consumer.can_spill() {
            true => Some(&mut self.spillers),
            false => is_merge(consumer).then_some(&mut self.merges),
        }
    }
}

fn is_merge(consumer: &MemoryConsumer) -> bool {
    consumer.name().starts_with(MERGE)
}

impl QueryPool {
    /// A pool of so many bytes.
    pub(super) fn new(bytes_max: usize) -> QueryPool {
        QueryPool { bytes_max, state: Mutex::default() }
    }
}

impl MemoryPool for QueryPool {
    fn name(&self) -> &str {
        "queries"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        if let Some(count) = self.state.lock().kin(consumer) {
            *count += 1;
        }
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        if let Some(count) = self.state.lock().kin(consumer) {
            *count -= 1;
        }
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        let mut state = self.state.lock();
        match reservation.consumer().can_spill() {
            true => state.spillable += additional,
            false => state.firm += additional,
        }
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        let mut state = self.state.lock();
        match reservation.consumer().can_spill() {
            true => state.spillable -= shrink,
            false => state.firm -= shrink,
        }
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let mut state = self.state.lock();
        let left = self.bytes_max.saturating_sub(state.spillable + state.firm);
        let (consumer, held) = (reservation.consumer(), reservation.size());
        let available = if consumer.can_spill() {
            let shared = (self.bytes_max / 2).min(self.bytes_max.saturating_sub(state.firm));
            let part = shared / state.spillers.max(1);
            // Who holds nothing yet has nothing to write to files.
            if held == 0 { left } else { left.min(part.saturating_sub(held)) }
        } else if is_merge(consumer) {
            let part = (self.bytes_max / 4 / state.merges.max(1)).max(self.bytes_max / MERGES_MAX);
            left.min(part.max(MERGE_BYTES).saturating_sub(held))
        } else {
            left
        };
        if additional > available && reservation.size() + additional > SMALL_BYTES {
            return Err(DataFusionError::ResourcesExhausted(format!(
                "{} wants {additional} bytes more than {}, of which {available} are left",
                reservation.consumer().name(),
                reservation.size(),
            )));
        }
        match reservation.consumer().can_spill() {
            true => state.spillable += additional,
            false => state.firm += additional,
        }
        Ok(())
    }

    fn reserved(&self) -> usize {
        let state = self.state.lock();
        state.spillable + state.firm
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.bytes_max)
    }
}

impl fmt::Display for QueryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({} bytes)", self.name(), self.bytes_max)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn no_merge_takes_what_another_needs() {
        let pool: Arc<dyn MemoryPool> = Arc::new(QueryPool::new(16 << 20));
        let merge = |name| MemoryConsumer::new(name).register(&pool);
        let (one, two) = (merge("ExternalSorterMerge[0]"), merge("ExternalSorterMerge[1]"));
        one.try_grow(2 << 20).unwrap();
        assert!(one.try_grow(1).is_err(), "more than its part");
        two.try_grow(2 << 20).unwrap();
        let join = merge("join");
        join.try_grow(12 << 20).unwrap();
    }

    #[test]
    fn who_can_write_to_files_leaves_half_to_those_who_cannot() {
        let pool: Arc<dyn MemoryPool> = Arc::new(QueryPool::new(1000 << 10));
        let sort = |name| MemoryConsumer::new(name).with_can_spill(true).register(&pool);
        let (one, two) = (sort("one"), sort("two"));
        one.try_grow(250 << 10).unwrap();
        assert!(one.try_grow(1).is_err(), "more than its part");
        two.try_grow(250 << 10).unwrap();
        let third = sort("three");
        third.try_grow(300 << 10).expect("it has nothing to write yet");
        assert!(third.try_grow(1).is_err());
        drop(third);
        let merge = MemoryConsumer::new("merge").register(&pool);
        merge.try_grow(500 << 10).unwrap();
        assert!(merge.try_grow(1).is_err());
        let small = MemoryConsumer::new("small").register(&pool);
        small.try_grow(1000).unwrap();
        drop(small);
        drop(one);
        merge.try_grow(250 << 10).unwrap();
        assert!(two.try_grow(1).is_err(), "the other took what was free");
        drop((two, merge));
        assert_eq!(pool.reserved(), 0);
    }
}
