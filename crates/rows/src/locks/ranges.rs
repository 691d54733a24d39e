//! Locks of ranges of keys: as long as somebody has one, nobody else puts a new key into it.
//!
//! Range locks do not conflict with each other, nor with locks of keys: InnoDB's gap locks. A
//! statement's ranges are fresh until it is over. Fresh ones are given up when the statement has to
//! wait for something, since it looks again afterwards: nobody waits for a transaction that waits
//! for them, but for what that has looked at to the end.
//!
//! Invariants
//! 1. Where no range is locked a writer loads one counter, and nothing more.
//! 2. Ranges of one owner in one index do not overlap, but for fresh ones with those that are kept.
//!
//! Not here: waiting for the owner of a range (`presence`), what is locked (`transaction`).

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::RwLock;

use super::LockTable;
use crate::row_lock_wait::LockMode;
use crate::store::{Direction, KeyRange, LockedRange};
use crate::table::PREFIX_BYTES;

/// What a range takes besides the bytes of its ends, about.
const RANGE_OVERHEAD: usize = 112;

/// What the keys of one index begin with; shorter keys are filled up with zeros.
type IndexPrefix = [u8; PREFIX_BYTES];

/// The ranges that are locked in all indexes.
#[derive(Default)]
pub(super) struct RangeTable {
    /// How many owners have ranges, each counted once for each index.
    count: AtomicUsize,
    indexes: RwLock<HashMap<IndexPrefix, Vec<OwnedRanges>>>,
}

/// What one owner has locked of one index.
struct OwnedRanges {
    owner: u64,
    mode: LockMode,
    kept: RangeSet,
    fresh: RangeSet,
}

/// Ranges that do not overlap: their ends by their starts. An empty end is that of all keys.
#[derive(Default)]
struct RangeSet {
    ends: BTreeMap<Vec<u8>, Vec<u8>>,
    bytes: usize,
}

impl RangeSet {
    fn covers(&self, key: &[u8]) -> bool {
        self.before(key).is_some_and(|(_, end)| end.is_empty() || key < &end[..])
    }

    /// The last range that begins at a key or before it.
    fn before(&self, key: &[u8]) -> Option<(&Vec<u8>, &Vec<u8>)> {
        self.ends.range::<[u8], _>((Bound::Unbounded, Bound::Included(key))).next_back()
    }

    /// Adds a range, together with those that it meets.
    fn add(&mut self, mut range: KeyRange) {
        if range.is_empty() {
            return;
        }
        if let Some((start, end)) = self.before(&range.start)
            && (end.is_empty() || *end >= range.start)
        {
            if end.is_empty() || (!range.end.is_empty() && *end >= range.end) {
                return;
            }
            range.start = start.clone();
        }
        let met = |(start, _): (&Vec<u8>, &Vec<u8>)| {
            (range.end.is_empty() || *start <= range.end).then(|| start.clone())
        };
        while let Some(start) = self.ends.range(range.start.clone()..).next().and_then(met) {
            let end = self.remove(&start);
            if !range.end.is_empty() && (end.is_empty() || end > range.end) {
                range.end = end;
                break;
            }
        }
        self.bytes += RANGE_OVERHEAD + range.start.len() + range.end.len();
        self.ends.insert(range.start, range.end);
    }

    fn remove(&mut self, start: &[u8]) -> Vec<u8> {
        let end = self.ends.remove(start).unwrap_or_default();
        self.bytes -= RANGE_OVERHEAD + start.len() + end.len();
        end
    }

    /// Gives up all that lies behind a key.
    fn cut(&mut self, key: &[u8], direction: Direction) {
        let all = std::mem::take(self);
        let mut behind = key.to_vec();
        behind.push(0);
        for (start, end) in all.ends {
            let mut range = KeyRange { start, end };
            match direction {
                Direction::Forward if range.end.is_empty() || range.end > behind => {
                    range.end.clone_from(&behind);
                }
                Direction::Backward if *range.start < *key => range.start = key.to_vec(),
                _ => {}
            }
            self.add(range);
        }
    }
}

impl RangeTable {
    /// Whether somebody has locked ranges.
    #[inline]
    pub fn is_any(&self) -> bool {
        self.count.load(Ordering::SeqCst) > 0
    }

    /// Locks a range, freshly.
    pub fn add(&self, owner: u64, range: &KeyRange, mode: LockMode) {
        let mut indexes = self.indexes.write();
        let owned = indexes.entry(prefix_of(&range.start)).or_default();
        let at = owned.iter().position(|own| own.owner == owner).unwrap_or_else(|| {
            let (kept, fresh) = (RangeSet::default(), RangeSet::default());
            owned.push(OwnedRanges { owner, mode, kept, fresh });
            self.count.fetch_add(1, Ordering::SeqCst);
            owned.len() - 1
        });
        if mode == LockMode::Exclusive {
            owned[at].mode = mode;
        }
        owned[at].fresh.add(range.clone());
    }

    /// Somebody other than `owner` who has locked a range that a key lies in.
    pub fn against(&self, owner: u64, key: &[u8]) -> Option<u64> {
        let indexes = self.indexes.read();
        let mut others = indexes.get(&prefix_of(key))?.iter().filter(|own| own.owner != owner);
        others.find(|own| own.kept.covers(key) || own.fresh.covers(key)).map(|own| own.owner)
    }

    /// Changes what an owner has of one index after the other; gives the bytes of what is left. An
    /// owner without ranges meets nobody here.
    fn change(
        &self,
        owner: u64,
        prefixes: &mut Vec<IndexPrefix>,
        mut change: impl FnMut(&mut OwnedRanges),
    ) -> usize {
        if prefixes.is_empty() {
            return 0;
        }
        let mut indexes = self.indexes.write();
        let mut bytes = 0;
        prefixes.retain(|prefix| {
            let Some(owned) = indexes.get_mut(prefix) else { return false };
            let Some(at) = owned.iter().position(|own| own.owner == owner) else { return false };
            change(&mut owned[at]);
            let left = owned[at].kept.bytes + owned[at].fresh.bytes;
            if left == 0 {
                owned.swap_remove(at);
                self.count.fetch_sub(1, Ordering::SeqCst);
                if owned.is_empty() {
                    indexes.remove(prefix);
                }
            }
            bytes += left;
            left > 0
        });
        bytes
    }
}

/// What one transaction has locked of ranges, as it knows that itself.
#[derive(Default)]
pub(crate) struct HeldRanges {
    prefixes: Vec<IndexPrefix>,
    /// Whether some of them are fresh.
    are_fresh: bool,
    bytes: usize,
}

impl HeldRanges {
    /// Bytes of memory for them.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the statement at hand has locked some.
    pub fn are_fresh(&self) -> bool {
        self.are_fresh
    }

    /// Locks a range for the statement at hand.
    pub fn lock(&mut self, locks: &LockTable, owner: u64, range: &KeyRange, mode: LockMode) {
        locks.ranges.add(owner, range, mode);
        let prefix = prefix_of(&range.start);
        if !self.prefixes.contains(&prefix) {
            self.prefixes.push(prefix);
        }
        self.are_fresh = true;
        self.bytes += RANGE_OVERHEAD + range.start.len() + range.end.len();
    }

    /// Gives up what the statement at hand has locked; `true` if it had locked something.
    pub fn withdraw(&mut self, locks: &LockTable, owner: u64) -> bool {
        let were_fresh = std::mem::take(&mut self.are_fresh);
        if were_fresh {
            let withdraw = |own: &mut OwnedRanges| own.fresh = RangeSet::default();
            self.bytes = locks.ranges.change(owner, &mut self.prefixes, withdraw);
        }
        were_fresh
    }

    /// Gives up what the statement at hand has locked of an index behind a key.
    pub fn cut(&mut self, locks: &LockTable, owner: u64, key: &[u8], direction: Direction) {
        let prefix = prefix_of(key);
        let mut only = vec![prefix];
        locks.ranges.change(owner, &mut only, |own| own.fresh.cut(key, direction));
        let all = |_: &mut OwnedRanges| {};
        self.bytes = locks.ranges.change(owner, &mut self.prefixes, all);
    }

    /// Keeps what the statement at hand has locked until the transaction ends.
    pub fn keep(&mut self, locks: &LockTable, owner: u64) {
        if std::mem::take(&mut self.are_fresh) {
            let keep = |own: &mut OwnedRanges| {
                let fresh = std::mem::take(&mut own.fresh);
                if own.kept.ends.is_empty() {
                    own.kept = fresh;
                    return;
                }
                for (start, end) in fresh.ends {
                    own.kept.add(KeyRange { start, end });
                }
            };
            self.bytes = locks.ranges.change(owner, &mut self.prefixes, keep);
        }
    }

    /// Gives up all ranges of a table that is held whole by now.
    pub fn forget(&mut self, locks: &LockTable, owner: u64, table: [u8; 4]) {
        let (mut of_table, others): (Vec<_>, Vec<_>) =
            self.prefixes.drain(..).partition(|prefix| prefix.starts_with(&table));
        self.prefixes = others;
        let forget = |own: &mut OwnedRanges| {
            (own.kept, own.fresh) = (RangeSet::default(), RangeSet::default());
        };
        locks.ranges.change(owner, &mut of_table, forget);
        self.bytes = locks.ranges.change(owner, &mut self.prefixes, |_| {});
    }

    /// Gives up all.
    pub fn release(&mut self, locks: &LockTable, owner: u64) {
        let forget = |own: &mut OwnedRanges| {
            (own.kept, own.fresh) = (RangeSet::default(), RangeSet::default());
        };
        locks.ranges.change(owner, &mut self.prefixes, forget);
        *self = HeldRanges::default();
    }
}

impl LockTable {
    /// Whether somebody has locked ranges.
    #[inline]
    pub(crate) fn are_ranges_locked(&self) -> bool {
        self.ranges.is_any()
    }

    /// Whether somebody other than `owner` has locked a range that a key lies in.
    pub(crate) fn is_in_others_range(&self, owner: u64, key: &[u8]) -> bool {
        self.ranges.is_any() && self.ranges.against(owner, key).is_some()
    }

    /// Ranges that are locked, so many at most.
    pub fn locked_ranges(&self, most: usize) -> Vec<LockedRange> {
        let indexes = self.ranges.indexes.read();
        let owned = indexes.values().flatten();
        let ranges = owned.flat_map(|own| {
            own.kept.ends.iter().chain(&own.fresh.ends).map(|(start, end)| LockedRange {
                owner: own.owner,
                range: KeyRange { start: start.clone(), end: end.clone() },
                mode: own.mode,
            })
        });
        ranges.take(most).collect()
    }
}

fn prefix_of(key: &[u8]) -> IndexPrefix {
    let mut prefix = IndexPrefix::default();
    let length = key.len().min(PREFIX_BYTES);
    prefix[..length].copy_from_slice(&key[..length]);
    prefix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u8, end: u8) -> KeyRange {
        let key = |last: u8| if last == 0 { Vec::new() } else { vec![0, 0, 0, 1, 0, 1, last] };
        KeyRange { start: vec![0, 0, 0, 1, 0, 1, start], end: key(end) }
    }

    fn covered(set: &RangeSet) -> Vec<u8> {
        (1..40).filter(|last| set.covers(&range(*last, 0).start)).collect()
    }

    #[test]
    fn ranges_that_meet_are_one() {
        let mut set = RangeSet::default();
        for (start, end) in [(10, 12), (20, 22), (12, 14), (13, 21), (5, 6), (4, 30)] {
            set.add(range(start, end));
        }
        assert_eq!(covered(&set), (4..30).collect::<Vec<u8>>());
        assert_eq!(set.ends.len(), 1);
        set.add(range(35, 0));
        set.add(range(36, 37));
        assert_eq!(covered(&set), (4..30).chain(35..40).collect::<Vec<u8>>());
        set.add(range(1, 0));
        assert_eq!(set.ends.len(), 1);
        set.remove(&range(1, 0).start);
        assert_eq!(set.bytes, 0);
    }

    #[test]
    fn ranges_are_cut_behind_a_key_in_either_direction() {
        let with = |direction, key: u8| {
            let mut set = RangeSet::default();
            set.add(range(3, 8));
            set.add(range(20, 24));
            set.cut(&range(key, 0).start, direction);
            covered(&set)
        };
        assert_eq!(with(Direction::Forward, 5), [3, 4, 5]);
        assert_eq!(with(Direction::Forward, 21), [3, 4, 5, 6, 7, 20, 21]);
        assert_eq!(with(Direction::Backward, 21), [21, 22, 23]);
        assert_eq!(with(Direction::Backward, 7), [7, 20, 21, 22, 23]);
    }

    #[test]
    fn a_key_in_a_range_is_against_all_but_its_owner_until_that_is_given_up() {
        let locks = LockTable::new();
        let mut held = HeldRanges::default();
        assert!(!locks.are_ranges_locked());
        held.lock(&locks, 1, &range(5, 9), LockMode::Shared);
        held.keep(&locks, 1);
        held.lock(&locks, 1, &range(20, 22), LockMode::Exclusive);
        let is_against = |owner, last| locks.is_in_others_range(owner, &range(last, 0).start);
        assert!(is_against(2, 5) && is_against(2, 21) && !is_against(2, 9) && !is_against(1, 5));
        assert!(held.withdraw(&locks, 1) && !held.withdraw(&locks, 1));
        assert!(is_against(2, 5) && !is_against(2, 21));
        assert_eq!(locks.locked_ranges(10).len(), 1);
        held.release(&locks, 1);
        assert!(!locks.are_ranges_locked() && !is_against(2, 5));
        assert_eq!(held.bytes(), 0);
    }
}
