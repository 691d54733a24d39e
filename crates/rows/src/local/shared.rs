//! A transaction's writes, where other transactions can look at them: who locks a range has to know
//! what was put into it and is not committed.
//!
//! Only the transaction itself changes its writes, through `OwnWrites`, which is the only one of
//! its kind. Others look at them while they hold the mutex that it holds while it changes them; it
//! reads them without.
//!
//! Invariants
//! 1. A reference that changes the writes is made from `&mut OwnWrites` alone, under the mutex.
//! 2. Writes that are taken out to be committed are known by where they lie, until the transaction
//!    is gone.
//!
//! Not here: what the writes are (`overlay`), who looks at them (`locks`).

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use parking_lot::Mutex;

use super::overlay::Overlay;
use crate::error::{Error, Result, Wait};
use crate::locks::{LockTable, PendingKeys, Present};
use crate::run::SeenWrite;
use crate::store::{Batch, Change, Direction, KeyRange, Reach};
use crate::table::PREFIX_BYTES;

/// Most keys that are told at once of what lies in a range.
const KEYS_MAX: usize = 64;

static NOTHING: LazyLock<Overlay> = LazyLock::new(Overlay::default);

/// A transaction's writes, for itself.
#[derive(Default)]
pub(super) struct OwnWrites {
    shared: Option<Arc<SharedWrites>>,
}

/// The same, for others as well.
#[derive(Default)]
struct SharedWrites {
    overlay: UnsafeCell<Overlay>,
    /// Held by who looks at the overlay from outside, and by who changes it; what is being
    /// committed: of each index the first key and the last.
    taken: Mutex<Vec<(Bytes, Bytes)>>,
    is_waited_for: AtomicBool,
}

#[expect(unsafe_code, reason = "a transaction reads its own writes without a lock")]
// SAFETY: The overlay is changed through `OwnWrites::change` alone, which has the only handle of
// the transaction for itself, under the mutex; it is read through the same handle, which is
// borrowed then, or by `pending_in` under the mutex. So no reader meets a change. An `Overlay` may
// be read by several threads at once, which the assertion below has checked.
unsafe impl Sync for SharedWrites {}

const _: fn() = || {
    fn is_shareable<T: Send + Sync>() {}
    is_shareable::<Overlay>();
};

impl OwnWrites {
    /// The writes.
    pub fn overlay(&self) -> &Overlay {
        #[expect(unsafe_code, reason = "see `SharedWrites`")]
        match &self.shared {
            // SAFETY: A change needs `&mut self`; others only read.
            Some(shared) => unsafe { &*shared.overlay.get() },
            None => &NOTHING,
        }
    }

    /// Whether others can look at them.
    pub fn are_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Lets others look at them from now on.
    pub fn share(&mut self, locks: &LockTable, owner: u64) -> &mut OwnWrites {
        if self.shared.is_none() {
            let shared = Arc::<SharedWrites>::default();
            self.shared = Some(Arc::clone(&shared));
            locks.enroll(owner, shared);
        }
        self
    }

    /// Changes them; `None` if there are none and nobody may look at them.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Overlay) -> T) -> Option<T> {
        self.change_all(|own, _| change(own))
    }

    fn change_all<T>(
        &mut self,
        change: impl FnOnce(&mut Overlay, &mut Vec<(Bytes, Bytes)>) -> T,
    ) -> Option<T> {
        let shared = self.shared.as_ref()?;
        let mut taken = shared.taken.lock();
        #[expect(unsafe_code, reason = "see `SharedWrites`")]
        // SAFETY: `&mut self` says that nobody reads them by this handle, the mutex that nobody
        // does from outside.
        let own = unsafe { &mut *shared.overlay.get() };
        Some(change(own, &mut taken))
    }

    /// Puts a value under a key if that `is_free`, asked while nobody can look; else gives both
    /// back.
    pub fn put_if(
        &mut self,
        (key, value): (Vec<u8>, Vec<u8>),
        is_free: impl FnOnce(&[u8]) -> bool,
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        let put = |own: &mut Overlay| match is_free(&key) {
            true => {
                own.write(key, Some(value));
                None
            }
            false => Some((key, value)),
        };
        self.change(put).flatten()
    }

    /// Takes them all out, to be committed.
    pub fn take(&mut self) -> Batch {
        let take = |own: &mut Overlay, taken: &mut Vec<(Bytes, Bytes)>| {
            let batch = own.take();
            *taken = spans_of(&batch);
            batch
        };
        self.change_all(take).unwrap_or_default()
    }
}

/// The first and the last key of each index that is written to, of a batch in key order.
fn spans_of(batch: &Batch) -> Vec<(Bytes, Bytes)> {
    let mut spans: Vec<(Bytes, Bytes)> = Vec::new();
    for change in &batch.changes {
        let Change::Put(key, _) = change else { continue };
        match spans.last_mut() {
            Some((first, last)) if first.get(..PREFIX_BYTES) == key.get(..PREFIX_BYTES) => {
                last.clone_from(key);
            }
            _ => spans.push((key.clone(), key.clone())),
        }
    }
    spans
}

impl Present for SharedWrites {
    fn is_waited_for(&self) -> &AtomicBool {
        &self.is_waited_for
    }

    fn pending_in(&self, range: &KeyRange, reach: Reach) -> Result<PendingKeys> {
        let taken = match reach {
            Reach::Disk => self.taken.lock(),
            // Its writes may be on their way into a file.
            Reach::Memory => self.taken.try_lock().ok_or(Error::WouldWait(Wait::Disk))?,
        };
        let meets = |(first, last): &(Bytes, Bytes)| {
            *range.start <= **last && (range.end.is_empty() || **first < *range.end)
        };
        if taken.iter().any(meets) {
            return Ok(PendingKeys::Committing);
        }
        #[expect(unsafe_code, reason = "see `SharedWrites`")]
        // SAFETY: Changes are made under the mutex, which is held here.
        let overlay = unsafe { &*self.overlay.get() };
        if overlay.is_empty_in(range) {
            return Ok(PendingKeys::Nothing);
        }
        if overlay.is_spilled() && reach == Reach::Memory {
            return Err(Error::WouldWait(Wait::Disk));
        }
        let mut keys = Vec::new();
        let mut cursor = overlay.cursor(range, Direction::Forward);
        while cursor.advance()? {
            if matches!(cursor.write(), SeenWrite::Put(_)) {
                keys.push(cursor.key().to_vec());
            }
            if keys.len() == KEYS_MAX {
                return Ok(PendingKeys::FirstKeys(keys));
            }
        }
        Ok(if keys.is_empty() { PendingKeys::Nothing } else { PendingKeys::Keys(keys) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(last: u8) -> Vec<u8> {
        vec![0, 0, 0, 1, 0, 1, last]
    }

    fn seen(locks: &LockTable, start: u8, end: u8) -> String {
        let range = KeyRange { start: key(start), end: key(end) };
        let tell = |(owner, other): (u64, Arc<dyn Present>)| match other
            .pending_in(&range, Reach::Disk)
            .expect("in memory")
        {
            PendingKeys::Nothing => None,
            PendingKeys::Keys(keys) | PendingKeys::FirstKeys(keys) => {
                let last = |key: Vec<u8>| key.last().copied().unwrap_or_default();
                let keys: Vec<u8> = keys.into_iter().map(last).collect();
                Some(format!("{owner}: {keys:?}"))
            }
            PendingKeys::Committing => Some(format!("{owner}: committing")),
        };
        locks.others(1).into_iter().filter_map(tell).collect::<Vec<String>>().join(", ")
    }

    #[test]
    fn others_see_what_was_put_in_until_the_transaction_has_left() {
        let (locks, mut own) = (LockTable::new(), OwnWrites::default());
        assert!(own.overlay().is_empty() && !own.are_shared());
        own.share(&locks, 7);
        for last in [3, 5, 9] {
            assert!(own.put_if((key(last), vec![1]), |_| true).is_none());
        }
        own.change(|overlay| overlay.write(key(4), None));
        assert!(own.put_if((key(6), vec![1]), |_| false).is_some(), "refused, and given back");
        assert_eq!(seen(&locks, 3, 9), "7: [3, 5]");
        assert_eq!(seen(&locks, 4, 5), "", "a removal is none");
        assert_eq!(own.take().changes.len(), 4);
        assert!(own.overlay().is_empty());
        assert_eq!(seen(&locks, 7, 8), "7: committing", "between the first key and the last");
        assert_eq!(seen(&locks, 10, 20), "");
        locks.leave(7);
        assert_eq!(seen(&locks, 3, 9), "");
    }

    #[test]
    fn many_keys_are_told_piece_by_piece_and_nobody_waits_who_may_not() {
        let (locks, mut own) = (LockTable::new(), OwnWrites::default());
        own.share(&locks, 7);
        for last in 0..100 {
            own.change(|overlay| overlay.write(key(last), Some(vec![1])));
        }
        let (_, other) = locks.others(1).pop().expect("the one that writes");
        let of =
            |start, reach| other.pending_in(&KeyRange { start: key(start), end: key(200) }, reach);
        let Ok(PendingKeys::FirstKeys(keys)) = of(0, Reach::Memory) else { panic!("many") };
        let behind = keys.len() as u8;
        assert_eq!(keys.last(), Some(&key(behind - 1)));
        let Ok(PendingKeys::Keys(keys)) = of(behind, Reach::Memory) else { panic!("the others") };
        assert_eq!((keys.first(), keys.last()), (Some(&key(behind)), Some(&key(99))));
        own.change(|_| {
            assert!(matches!(of(0, Reach::Memory), Err(Error::WouldWait(Wait::Disk))));
        });
        assert!(locks.others(7).is_empty());
    }

    #[test]
    fn one_thread_looks_while_another_one_writes() {
        let (locks, mut own) = (LockTable::new(), OwnWrites::default());
        own.share(&locks, 7);
        std::thread::scope(|scope| {
            let looking = scope.spawn(|| {
                while seen(&locks, 0, 255) != "7: committing" {
                    std::thread::yield_now();
                }
            });
            for round in 0..2000usize {
                let last = (round % 200) as u8;
                own.change(|overlay| overlay.write(key(last), Some(vec![last; round % 50])));
                assert!(!own.overlay().is_empty());
            }
            assert_eq!(own.take().changes.len(), 200);
            looking.join().expect("the one that looks");
        });
    }
}
