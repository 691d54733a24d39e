//! The stash: texts by keys that all calls of a server share, in memory.
//!
//! Invariants
//! 1. All stashes of a server together hold no more bytes than are set aside for them: scripts take
//!    nothing of what clients may use, for good.
//! 2. It belongs to no transaction: what a failed call has put there stays, as in the original.
//!
//! Not here: the functions of scripts that use it (`host`).

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use resources::budget::{Budget, Share};

/// What an entry takes besides its bytes.
const ENTRY_BYTES: usize = 64;

/// Texts by keys.
#[derive(Debug)]
pub struct Stash {
    budget: Arc<Budget>,
    held: Mutex<StashTexts>,
}

#[derive(Debug)]
struct StashTexts {
    texts: BTreeMap<Vec<u8>, Vec<u8>>,
    bytes: usize,
    share: Share,
}

impl Stash {
    /// An empty one in the memory that is set aside for stashes.
    pub fn new(budget: &Arc<Budget>) -> Stash {
        let held = StashTexts { texts: BTreeMap::new(), bytes: 0, share: budget.share() };
        Stash { budget: Arc::clone(budget), held: Mutex::new(held) }
    }

    /// Puts what `make` makes of the text that is there; `None` leaves it. `false` when there is
    /// no room for it.
    pub fn change(&self, key: &[u8], make: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>) -> bool {
        let mut held = self.held();
        let old = held.texts.get(key);
        let Some(text) = make(old.map(Vec::as_slice)) else { return true };
        let freed = old.map_or(0, |old| ENTRY_BYTES + key.len() + old.len());
        let bytes = held.bytes - freed + ENTRY_BYTES + key.len() + text.len();
        let others = self.budget.used().saturating_sub(held.bytes);
        if others.saturating_add(bytes) > self.budget.bytes_max() {
            return false;
        }
        held.bytes = bytes;
        held.share.set(bytes);
        held.texts.insert(key.to_vec(), text);
        true
    }

    /// A text.
    pub fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.held().texts.get(key).cloned()
    }

    /// Removes a text; `false` when there is none.
    pub fn remove(&self, key: &[u8]) -> bool {
        let mut held = self.held();
        let Some(old) = held.texts.remove(key) else { return false };
        held.bytes -= ENTRY_BYTES + key.len() + old.len();
        let bytes = held.bytes;
        held.share.set(bytes);
        true
    }

    /// Removes all.
    pub fn clear(&self) {
        let mut held = self.held();
        held.texts.clear();
        held.bytes = 0;
        held.share.set(0);
    }

    /// The next few texts behind a key, or the first ones.
    pub fn behind(&self, key: Option<&[u8]>, most: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
        let start = key.map_or(Bound::Unbounded, Bound::Excluded);
        let held = self.held();
        let next = held.texts.range::<[u8], _>((start, Bound::Unbounded)).take(most);
        next.map(|(key, text)| (key.clone(), text.clone())).collect()
    }

    fn held(&self) -> MutexGuard<'_, StashTexts> {
        // Each change is made by calls that do not panic.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
