//! Locks among calls of scripts: keys that a call has locked, and calls that want to be alone.
//!
//! Invariants
//! 1. A wait ends with its time or when it is interrupted, and the call has then locked nothing
//!    new.
//! 2. What a call has locked is free when its guard is dropped, and not before: its writes are seen
//!    by nobody until it has committed, so that one who locked the key before would decide on old
//!    values.
//!
//! Not here: locks of rows (`rows::locks`), which other doors' writers meet, too.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use resources::interrupt;

/// What calls have locked.
#[derive(Debug, Default)]
pub struct Locks {
    state: Mutex<LocksState>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct LocksState {
    keys: HashSet<Vec<u8>>,
    /// Calls that others may run beside.
    shared: usize,
    /// Whether one runs alone.
    alone: bool,
    /// Calls that wait to be alone: no further ones begin before them.
    waiting: usize,
}

/// What one call has locked.
#[derive(Debug)]
pub struct CallLocks<'l> {
    locks: &'l Locks,
    patience: Duration,
    keys: Vec<Vec<u8>>,
    among: Option<LockScope>,
}

/// How a call stands to others that lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockScope {
    /// Beside others, but for those that are alone.
    Others,
    /// Alone.
    Alone,
}

impl Locks {
    /// Nothing locked yet; each lock is waited for at most so long.
    pub fn hold(&self, patience: Duration) -> CallLocks<'_> {
        CallLocks { locks: self, patience, keys: Vec::new(), among: None }
    }

    fn state(&self) -> MutexGuard<'_, LocksState> {
        // Nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `take` has taken what it wants; `false` when that took too long.
    fn wait(&self, patience: Duration, take: &mut dyn FnMut(&mut LocksState) -> bool) -> bool {
        let until = Instant::now().checked_add(patience);
        let mut state = self.state();
        loop {
            if take(&mut state) {
                return true;
            }
            if until.is_some_and(|until| Instant::now() >= until) || interrupt::is_wanted() {
                return false;
            }
            let waited = self.freed.wait_timeout(state, interrupt::LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl CallLocks<'_> {
    /// Says how the call stands to others; once, before it locks keys. `false` when that was waited
    /// for in vain.
    pub fn enter(&mut self, among: LockScope) -> bool {
        let alone = among == LockScope::Alone;
        if alone {
            self.locks.state().waiting += 1;
        }
        let entered = self.locks.wait(self.patience, &mut |state| {
            let free = match alone {
                true => !state.alone && state.shared == 0,
                false => !state.alone && state.waiting == 0,
            };
            if free {
                state.alone = alone;
                state.shared += usize::from(!alone);
            }
            free
        });
        if alone {
            self.locks.state().waiting -= 1;
            self.locks.freed.notify_all();
        }
        self.among = entered.then_some(among);
        entered
    }

    /// Locks a key, which this call may hold already; `false` when it was waited for in vain.
    pub fn lock(&mut self, key: &[u8]) -> bool {
        if self.holds(key) {
            return true;
        }
        let locked = self.locks.wait(self.patience, &mut |state| state.keys.insert(key.to_vec()));
        if locked {
            self.keys.push(key.to_vec());
        }
        locked
    }

    /// Whether this call holds a key.
    pub fn holds(&self, key: &[u8]) -> bool {
        self.keys.iter().any(|held| held == key)
    }
}

impl Drop for CallLocks<'_> {
    fn drop(&mut self) {
        let mut state = self.locks.state();
        for key in &self.keys {
            state.keys.remove(key);
        }
        match self.among {
            Some(LockScope::Others) => state.shared -= 1,
            Some(LockScope::Alone) => state.alone = false,
            None => {}
        }
        drop(state);
        self.locks.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOT_AT_ALL: Duration = Duration::ZERO;

    #[test]
    fn a_key_is_free_when_its_holder_has_gone() {
        let locks = Locks::default();
        let mut first = locks.hold(NOT_AT_ALL);
        let mut second = locks.hold(NOT_AT_ALL);
        assert!(first.lock(b"a") && first.lock(b"a"), "twice by the same call");
        assert!(!second.lock(b"a"));
        assert!(second.lock(b"b"));
        drop(first);
        assert!(second.lock(b"a") && second.holds(b"a"));
    }

    #[test]
    fn who_is_alone_shuts_others_out() {
        let locks = Locks::default();
        let mut first = locks.hold(NOT_AT_ALL);
        assert!(first.enter(LockScope::Others));
        assert!(locks.hold(NOT_AT_ALL).enter(LockScope::Others));
        let mut alone = locks.hold(NOT_AT_ALL);
        assert!(!alone.enter(LockScope::Alone));
        drop(first);
        assert!(alone.enter(LockScope::Alone));
        assert!(!locks.hold(NOT_AT_ALL).enter(LockScope::Others));
        drop(alone);
        assert!(locks.hold(NOT_AT_ALL).enter(LockScope::Others), "nothing is left of it");
    }
}
