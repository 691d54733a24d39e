//! Row locks, and waits for them: which transaction has which and waits for which, for those who
//! look at it from outside.
//!
//! Not here: waiting (`locks`).

use super::LockTable;
use crate::row_lock_wait::{HeldRowLock, RowLockWait};

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
            held: held.mode(),
        })
    }

    /// Locks that are held, waited for or not, so many at most, each as it is for a moment.
    pub fn held_locks(&self, most: usize) -> Vec<HeldRowLock> {
        let mut found = Vec::new();
        for shard in &self.shards {
            let locks = shard.locks.lock();
            found.extend(locks.iter().take(most - found.len()).map(|(lock, held)| HeldRowLock {
                lock: *lock,
                place: held.place,
                mode: held.mode(),
                holders: held.owners.all().to_vec(),
            }));
        }
        found
    }
}
