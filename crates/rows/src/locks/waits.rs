//! Waits for row locks: which transaction waits for which, for those who look at it from outside.
//!
//! Not here: waiting (`locks`).

use super::{LockTable, Owners};
use crate::row_lock_wait::{LockMode, RowLockWait};

impl LockTable {
    /// All waits there are, each as it is for a moment: locks change hands meanwhile.
    pub fn waits(&self) -> Vec<RowLockWait> {
        let waiting: Vec<(u64, u64)> =
            self.waiting.lock().iter().map(|(owner, lock)| (*owner, *lock)).collect();
        waiting.into_iter().filter_map(|(owner, lock)| self.wait_of(owner, lock)).collect()
    }

    /// An owner's wait for a lock, unless that was handed to it.
    fn wait_of(&self, owner: u64, lock: u64) -> Option<RowLockWait> {
        let locks = self.shard(lock).locks.lock();
        let held = locks.get(&lock)?;
        let waiter = held.wanted.as_ref()?.queue.iter().find(|waiter| waiter.owner == owner)?;
        let holders = held.owners.all();
        Some(RowLockWait {
            lock,
            key: waiter.key.clone(),
            mode: waiter.mode,
            kind: waiter.kind,
            waiting: owner,
            holders: holders.iter().copied().filter(|holder| *holder != owner).collect(),
            held: match &held.owners {
                Owners::One(_) => LockMode::Exclusive,
                Owners::Sharers(_) => LockMode::Shared,
            },
        })
    }
}
