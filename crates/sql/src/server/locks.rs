//! GET_LOCK and its kin: locks by name, held by connections until they let go or leave.
//!
//! Invariants
//! 1. A lock has one holder; the same connection may take it again and must then release it as
//!    often.
//! 2. A connection has a limited number of locks, and their memory is counted as its own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use expression::{Error, KillMark, Result};
use parking_lot::{Condvar, Mutex};
use resources::budget::{Budget, Share};
use values::ErrorCode;

use super::pause::pause;

/// Most locks of one connection.
const LOCKS_MAX: usize = 16_384;
/// What a lock takes besides its name, about.
const LOCK_BYTES: usize = 192;

#[derive(Debug)]
struct HeldLocks {
    by: u32,
    times: u32,
    /// Memory for it.
    _share: Share,
}

#[derive(Debug, Default)]
struct AllHeld {
    by_name: HashMap<String, HeldLocks>,
    /// How many each connection has.
    counts: HashMap<u32, usize>,
}

impl AllHeld {
    fn remove(&mut self, name: &str) {
        let Some(gone) = self.by_name.remove(name) else { return };
        if let Some(count) = self.counts.get_mut(&gone.by) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&gone.by);
            }
        }
    }
}

/// All named locks.
#[derive(Debug)]
pub struct NamedLocks {
    budget: Arc<Budget>,
    held: Mutex<AllHeld>,
    freed: Condvar,
}

impl NamedLocks {
    /// None, whose memory is that of `budget`.
    pub fn of(budget: &Arc<Budget>) -> NamedLocks {
        let (held, freed) = (Mutex::default(), Condvar::new());
        NamedLocks { budget: Arc::clone(budget), held, freed }
    }

    /// A lock that nobody holds.
    fn hold(&self, held: &mut AllHeld, name: &str, by: u32) -> Result<()> {
        let count = held.counts.get(&by).copied().unwrap_or_default();
        if count >= LOCKS_MAX {
            let message = format!(
                "The total number of locks exceeds the lock table size: a connection may hold \
                 {LOCKS_MAX} locks of GET_LOCK"
            );
            return Err(Error::new(ErrorCode::LockTableFull, message));
        }
        let mut share = self.budget.kept_share();
        share.grow_to(LOCK_BYTES + 2 * name.len())?;
        held.counts.insert(by, count + 1);
        held.by_name.insert(name.to_string(), HeldLocks { by, times: 1, _share: share });
        Ok(())
    }

    /// Takes a lock; `false` when it is not to be had in time.
    ///
    /// # Errors
    /// 1206 when the connection has as many as it may, 1041 without memory for it, those of `kill`.
    pub fn acquire(&self, name: &str, by: u32, wait: Duration, kill: &KillMark) -> Result<bool> {
        let end = Instant::now().checked_add(wait);
        let mut held = self.held.lock();
        loop {
            match held.by_name.get_mut(name) {
                None => return self.hold(&mut held, name, by).map(|()| true),
                Some(own) if own.by == by => {
                    own.times += 1;
                    return Ok(true);
                }
                Some(_) => {}
            }
            if !pause(&self.freed, &mut held, kill, end)? {
                return Ok(false);
            }
        }
    }

    /// Lets go; `None` when nobody holds it, `false` when another does.
    pub fn release(&self, name: &str, by: u32) -> Option<bool> {
        let mut held = self.held.lock();
        let lock = held.by_name.get_mut(name)?;
        if lock.by != by {
            return Some(false);
        }
        lock.times -= 1;
        if lock.times == 0 {
            held.remove(name);
            self.freed.notify_all();
        }
        Some(true)
    }

    /// Lets go of everything; how many times something was held.
    pub fn release_all(&self, by: u32) -> u32 {
        let mut held = self.held.lock();
        if held.counts.remove(&by).is_none() {
            return 0;
        }
        let own = held.by_name.values().filter(|lock| lock.by == by);
        let count = own.map(|lock| lock.times).sum();
        if count > 0 {
            held.by_name.retain(|_, lock| lock.by != by);
            self.freed.notify_all();
        }
        count
    }

    /// The connection that holds it.
    pub fn holder(&self, name: &str) -> Option<u32> {
        self.held.lock().by_name.get(name).map(|lock| lock.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_WAIT: Duration = Duration::ZERO;

    #[test]
    fn one_connection_took_locks_without_end_and_without_memory_for_them() {
        let budget = Budget::new(64 << 20);
        let locks = NamedLocks::of(&budget);
        let take =
            |n: usize, by| locks.acquire(&format!("lock {n}"), by, NO_WAIT, &KillMark::default());
        assert!((0..LOCKS_MAX).all(|n| take(n, 1).is_ok_and(|had| had)));
        assert!(matches!(
            take(LOCKS_MAX, 1),
            Err(Error::Failed { code: ErrorCode::LockTableFull, .. })
        ));
        assert!(take(0, 1).is_ok_and(|had| had), "once more");
        assert!(take(LOCKS_MAX, 2).is_ok_and(|had| had), "another connection");
        assert!(budget.used() > LOCKS_MAX * LOCK_BYTES);
        assert_eq!(locks.release("lock 7", 1), Some(true));
        assert!(take(LOCKS_MAX + 1, 1).is_ok_and(|had| had));
        assert_eq!(locks.release_all(1), LOCKS_MAX as u32 + 1);
        assert_eq!(locks.release_all(2), 1);
        assert_eq!(budget.used(), 0);
        let little = NamedLocks::of(&Budget::new(1000));
        let refused = ["a", "b", "c", "d"]
            .iter()
            .find_map(|name| little.acquire(name, 1, NO_WAIT, &KillMark::default()).err());
        assert!(matches!(refused, Some(Error::NoMemory(_))), "{refused:?}");
    }
}
