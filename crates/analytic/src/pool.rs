//! The memory of all queries, divided among their operators.
//!
//! Those that can write to files share a third of it, evenly, until they read those back. A sort
//! that has filled its part needs more, for a moment, to write it out: each batch in the order of
//! its keys (whose texts DataFusion counts once for each piece that it cuts them into), and the
//! keys of all once more. It finds that in what is left, or ends with an error. The merges of what
//! was written share a quarter: such a merge takes memory for as many files as it gets, and goes
//! over them more often if those are few, but needs some for two. The others take what they find.
//! Under DataFusion's own pool sorts fill all of the memory together, and then end with an error
//! instead of writing.
//!
//! Where others have taken all, some may have more, each a little more than those before:
//! - a sort that holds nothing has nothing to write to a file: an eighth, for its next batch;
//! - a merge of a sort's files is near the end of its query: a quarter;
//! - what gives out the last rows (a merge of several sorts, a grouping that reads its files back,
//!   a sort that was kept in memory) would end with an error in the middle of them: three eighths.
//!   It needs little, and merges of others that are not so far take all that they find.
//!
//! Rows on their way from some threads to others wait in memory until it is half full, and then in
//! files: where cores are busy one thread is far ahead of the other, and four such buffers had more
//! of a small memory than a join's sorts.
//!
//! Invariants
//! 1. No more is given than there is and those three eighths, except for what is small: merges take
//!    all that they may, and the operators above them still need some bytes to begin with.

use std::collections::HashMap;
use std::fmt;

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};
use parking_lot::Mutex;

/// How DataFusion names a sort,
const SORT: &str = "ExternalSorter[";
/// the merge of a sort's files,
const MERGE: &str = "ExternalSorterMerge";
/// rows on their way between threads,
const DIVISION: &str = "RepartitionExec";
/// and the merge of several sorts' rows.
const MERGE_OF_SORTS: &str = "SortPreservingMergeExec";
/// Eighths of the memory that sorts which hold nothing may have beyond it,
const BEYOND_OF_SORTS: usize = 1;
/// merges,
const BEYOND_OF_MERGES: usize = 2;
/// and what gives out its last rows.
const BEYOND_OF_LAST_STEPS: usize = 3;
/// Where more than such a part is in use,
const DIVISIONS_USED_PART: usize = 2;
/// rows on their way have such a part of what they may have otherwise.
const DIVISIONS_PART: usize = 4;
/// A merge may have this part of the memory, however many there are: as much as its sort keeps back
/// for it from the beginning (`runtime`).
const MERGES_MAX: usize = 32;
/// What a merge may have in any case, if it is there.
const MERGE_BYTES: usize = 1 << 20;
/// A sort that writes what it holds may take such a part of that beyond its own part,
const SORTED_PART: usize = 4;
/// up to twice that part, or twice this where many share the memory.
const SORT_BYTES: usize = 1 << 20;
/// The part of the memory that those share who can write to files.
const SPILLERS_PART: usize = 3;
/// What each operator may have at least.
const SMALL_BYTES: usize = 64 << 10;

/// A sum of bytes for operators.
#[derive(Debug)]
pub(super) struct QueryPool {
    bytes_max: usize,
    state: Mutex<PoolState>,
}

#[derive(Debug, Default)]
struct PoolState {
    /// What each operator holds that can write to files, by its number.
    spillers: HashMap<usize, usize>,
    /// What they hold together.
    spillable: usize,
    /// What merges of sorted rows hold, each by its number.
    merges: HashMap<usize, usize>,
    /// What all others than the first hold, merges included.
    firm: usize,
}

impl PoolState {
    fn take(&mut self, consumer: &MemoryConsumer, bytes: usize) {
        match consumer.can_spill() {
            true => self.spillable += bytes,
            false => self.firm += bytes,
        }
        if let Some(held) = self.held(consumer) {
            *held += bytes;
        }
    }

    fn give_back(&mut self, consumer: &MemoryConsumer, bytes: usize) {
        match consumer.can_spill() {
            true => self.spillable -= bytes,
            false => self.firm -= bytes,
        }
        if let Some(held) = self.held(consumer) {
            *held -= bytes;
        }
    }

    fn held(&mut self, consumer: &MemoryConsumer) -> Option<&mut usize> {
        match consumer.can_spill() {
            true => self.spillers.get_mut(&consumer.id()),
            false => self.merges.get_mut(&consumer.id()),
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
        let mut state = self.state.lock();
        if consumer.can_spill() {
            state.spillers.insert(consumer.id(), 0);
        } else if is_merge(consumer) {
            state.merges.insert(consumer.id(), 0);
        }
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        let mut state = self.state.lock();
        if consumer.can_spill() {
            state.spillers.remove(&consumer.id());
        } else {
            state.merges.remove(&consumer.id());
        }
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.state.lock().take(reservation.consumer(), additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.state.lock().give_back(reservation.consumer(), shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let mut state = self.state.lock();
        let used = state.spillable + state.firm;
        let left = self.bytes_max.saturating_sub(used);
        let beyond =
            |eighths: usize| (self.bytes_max + self.bytes_max / 8 * eighths).saturating_sub(used);
        let left_to_merges = beyond(BEYOND_OF_MERGES);
        let (consumer, held) = (reservation.consumer(), reservation.size());
        // A merge of rows in memory keeps its books in several pieces, and ends with an error where
        // one finds nothing; that of files has one, and makes do with what it gets.
        let of_files = state.merges.get(&consumer.id()).is_some_and(|all| *all == held);
        let available = if consumer.can_spill() {
            let shared =
                (self.bytes_max / SPILLERS_PART).min(self.bytes_max.saturating_sub(state.firm));
            // One step beyond: who holds less may have nothing that it could write to files, as has
            // a grouping that reads its files back, which keeps its books in two pieces then.
            let reads_back = state.spillers.get(&consumer.id()).is_some_and(|all| *all > held);
            let mut part = shared / state.spillers.len().max(1);
            if consumer.name().starts_with(DIVISION) && used > self.bytes_max / DIVISIONS_USED_PART
            {
                part /= DIVISIONS_PART;
            }
            match held {
                // Its rows are on their way, too.
                _ if reads_back => beyond(BEYOND_OF_LAST_STEPS),
                0 if consumer.name().starts_with(SORT) => beyond(BEYOND_OF_SORTS),
                _ if held == 0 || held < part => left,
                // Rows in order take a little more than they took as they came, and its part may be
                // one batch.
                _ if consumer.name().starts_with(SORT)
                    && additional <= held / SORTED_PART
                    && held < part.max(SORT_BYTES) * 2 =>
                {
                    left
                }
                _ => 0,
            }
        } else if of_files {
            let merges = state.merges.len().max(1);
            let part = (self.bytes_max / 4 / merges).max(self.bytes_max / MERGES_MAX);
            // With less than two files it would end.
            match held < 2 * additional {
                true => left_to_merges,
                false => left_to_merges.min(part.max(MERGE_BYTES).saturating_sub(held)),
            }
        } else if is_merge(consumer) {
            left_to_merges
        } else if consumer.name().starts_with(MERGE_OF_SORTS) {
            beyond(BEYOND_OF_LAST_STEPS)
        } else {
            left
        };
        if additional > available && held + additional > SMALL_BYTES {
            return Err(DataFusionError::ResourcesExhausted(format!(
                "{} wants {additional} bytes more than {held}, may have {available}, {left} are left",
                consumer.name(),
            )));
        }
        state.take(consumer, additional);
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

    const MIB: usize = 1 << 20;

    fn pool_of(bytes: usize) -> Arc<dyn MemoryPool> {
        Arc::new(QueryPool::new(bytes))
    }

    fn operator(pool: &Arc<dyn MemoryPool>, name: &str) -> MemoryReservation {
        MemoryConsumer::new(name).register(pool)
    }

    /// One that can write to files.
    fn spiller(pool: &Arc<dyn MemoryPool>, name: &str) -> MemoryReservation {
        MemoryConsumer::new(name).with_can_spill(true).register(pool)
    }

    #[test]
    fn no_merge_takes_what_another_needs() {
        let pool = pool_of(16 * MIB);
        let merge = |name| operator(&pool, name);
        let (one, two) = (merge("ExternalSorterMerge[0]"), merge("ExternalSorterMerge[1]"));
        one.try_grow(2 * MIB).unwrap();
        assert!(one.try_grow(1).is_err(), "more than its part");
        two.try_grow(2 * MIB).unwrap();
        let join = merge("join");
        join.try_grow(12 * MIB).unwrap();
        assert!(join.try_grow(MIB).is_err(), "there is no more");
        let third = merge("ExternalSorterMerge[2]");
        third.try_grow(4 * MIB).expect("it is near its end");
        assert!(third.new_empty().try_grow(MIB).is_err());
        let sorts = merge("SortPreservingMergeExec[0]");
        sorts.try_grow(2 * MIB).expect("its rows are on their way");
        assert!(sorts.try_grow(MIB).is_err());
    }

    #[test]
    fn who_can_write_to_files_leaves_two_thirds_to_those_who_cannot() {
        let pool = pool_of(1200 << 10);
        let sort = |name| spiller(&pool, name);
        let (one, two) = (sort("one"), sort("two"));
        one.try_grow(200 << 10).unwrap();
        assert!(one.try_grow(1).is_err(), "more than its part");
        two.try_grow(150 << 10).unwrap();
        two.try_grow(100 << 10).expect("a step beyond its part");
        assert!(two.try_grow(1).is_err(), "and no other");
        let third = sort("three");
        third.try_grow(300 << 10).expect("it has nothing to write yet");
        assert!(third.try_grow(1).is_err());
        drop(third);
        let join = operator(&pool, "join");
        join.try_grow(750 << 10).unwrap();
        assert!(join.try_grow(1).is_err());
        let small = operator(&pool, "small");
        small.try_grow(1000).unwrap();
        drop(small);
        drop(one);
        join.try_grow(200 << 10).unwrap();
        two.shrink(150 << 10);
        assert!(two.try_grow(151 << 10).is_err(), "the other took what was free");
        drop((two, join));
        assert_eq!(pool.reserved(), 0);
    }

    #[test]
    fn a_grouping_in_the_middle_of_its_rows_was_refused_what_others_merges_had() {
        let pool = pool_of(16 * MIB);
        let groups = spiller(&pool, "groups");
        let files = groups.new_empty();
        files.try_grow(2 * MIB).unwrap();
        let merge = operator(&pool, "ExternalSorterMerge[0]");
        merge.try_grow(18 * MIB).expect("all there is, and the quarter");
        groups.try_grow(MIB).expect("its next rows");
        groups.try_grow(MIB).expect("and more of them");
        assert!(groups.try_grow(MIB).is_err(), "three eighths are all");
    }

    #[test]
    fn a_sort_that_holds_nothing_may_go_a_step_beyond() {
        let pool = pool_of(16 * MIB);
        let all = operator(&pool, "join");
        all.try_grow(16 * MIB).unwrap();
        let spiller = |name| spiller(&pool, name);
        let sort = spiller("ExternalSorter[0]");
        sort.try_grow(2 * MIB).expect("it could write nothing");
        assert!(sort.try_grow(1).is_err(), "it can write that");
        assert!(spiller("ExternalSorter[1]").try_grow(MIB).is_err(), "an eighth is all");
        assert!(spiller("RepartitionExec[0]").try_grow(MIB).is_err());
    }

    #[test]
    fn a_sort_of_one_batch_was_refused_the_memory_to_write_it_while_there_was_some() {
        let pool = pool_of(16 * MIB);
        let others: Vec<_> =
            (0..30).map(|number| spiller(&pool, &format!("ExternalSorter[{number}]"))).collect();
        let sort = &others[0];
        sort.try_grow(800 << 10).expect("its first batch");
        sort.try_grow(48 << 10).expect("a little more, to write it");
        assert!(sort.try_grow(800 << 10).is_err(), "it writes the first one before the next");
        while sort.try_grow(100 << 10).is_ok() {}
        assert!(sort.size() < 3 * MIB, "{}", sort.size());
    }

    #[test]
    fn rows_between_threads_go_to_files_where_memory_is_half_full() {
        let pool = pool_of(12 * MIB);
        let spiller = |name| spiller(&pool, name);
        let (one, two) = (spiller("RepartitionExec[0]"), spiller("RepartitionExec[1]"));
        one.try_grow(MIB).unwrap();
        one.try_grow(1 << 19).expect("less than its part");
        let join = operator(&pool, "join");
        join.try_grow(6 * MIB).unwrap();
        assert!(one.try_grow(1).is_err(), "more than a quarter of it");
        two.try_grow(MIB).expect("its first batch");
        assert!(two.try_grow(1).is_err());
    }

    #[test]
    fn a_grouping_found_nothing_for_reading_its_files_back() {
        let pool = pool_of(1200 << 10);
        let groups = |name| spiller(&pool, name);
        let (one, _other) = (groups("one"), groups("two"));
        one.try_grow(200 << 10).unwrap();
        assert!(one.try_grow(1).is_err(), "it is to write them to a file");
        let files = one.new_empty();
        one.free();
        files.try_grow(200 << 10).unwrap();
        assert!(files.try_grow(1).is_err(), "more files than its part has room for");
        one.try_grow(100 << 10).unwrap();
        one.try_grow(300 << 10).expect("it cannot write those");
        assert!(one.try_grow(1200 << 10).is_err(), "there is no more");
        drop((one, files));
        assert_eq!(pool.reserved(), 0);
    }

    #[test]
    fn a_merge_of_two_files_of_wide_rows_was_refused_what_was_free() {
        let pool = pool_of(16 * MIB);
        let files = operator(&pool, "ExternalSorterMerge[0]");
        files.try_grow(5 * MIB).expect("the first file");
        files.try_grow(5 * MIB).expect("the second one");
        assert!(files.try_grow(5 * MIB).is_err(), "more files than its part has room for");
    }

    #[test]
    fn a_merge_of_rows_in_memory_finds_what_one_of_files_may_not_have() {
        let pool = pool_of(16 * MIB);
        let merge = operator(&pool, "ExternalSorterMerge[0]");
        merge.try_grow(4 * MIB).unwrap();
        assert!(merge.try_grow(1).is_err(), "more files than its part has room for");
        let keys = merge.new_empty();
        keys.try_grow(MIB).expect("rows are in memory");
        merge.try_grow(MIB).unwrap();
        drop((keys, merge));
        assert_eq!(pool.reserved(), 0);
    }
}
