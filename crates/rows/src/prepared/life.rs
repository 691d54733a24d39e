//! What becomes of a global transaction: prepared, committed, rolled back.
//!
//! Invariants
//! 1. What is told as prepared, committed or rolled back is on the disk, whatever the durability of
//!    other commits: who asks for two phases relies on both.
//! 2. A transaction that could not be prepared is rolled back, as MySQL's is (manual, 15.3.8.2).
//!
//! Not here: who may do it, and when (SQL).

use super::record::{PartMaker, RecordHead, head};
use crate::catalog::Catalog;
use crate::engine::Engine;
use crate::error::Result;
use crate::global_transactions::{HeldTransaction, OwnXid, Xid};
use crate::store::{Batch, Change, Durability, KeyRange};
use crate::table::GateGuard;
use crate::transaction::Transaction;

impl Engine {
    /// Prepares a session's transaction: its writes are durable on return, its locks stay until
    /// somebody ends it by its name.
    ///
    /// # Errors
    /// `Store`, `Refused`, `DiskFull`: the transaction is rolled back.
    pub fn prepare(&self, own: OwnXid, transaction: Transaction) -> Result<()> {
        self.catalog().expect_prepared(&**self.store())?;
        let number = self.global_transactions().next_number();
        let mut parts = 0;
        match self.write_record(number, own.xid(), &transaction, &mut parts) {
            Ok(()) => {
                let held = held(transaction, number, parts);
                self.global_transactions().hold(own.xid().clone(), held);
                Ok(())
            }
            Err(error) => {
                // Should this fail, the next start removes them: they have no head.
                let changes = end_of_record(number, parts);
                let _ = self.store().write(&Batch { changes }, Durability::Os);
                Err(error)
            }
        }
    }

    /// Writes a record, and counts the parts that it has behind its head, also when that fails.
    fn write_record(
        &self,
        number: u64,
        xid: &Xid,
        transaction: &Transaction,
        parts: &mut u32,
    ) -> Result<()> {
        let mut put = |part: Vec<u8>| {
            *parts += 1;
            Change::put(Catalog::prepared_key(number, *parts), part)
        };
        let mut maker = PartMaker::default();
        for write in transaction.store.writes_in(&KeyRange::default()) {
            if let Some(part) = maker.add(&write?) {
                // Not synced: the head behind it is.
                self.store().write(&Batch { changes: vec![put(part)] }, Durability::Os)?;
            }
        }
        let mut changes: Vec<Change> = maker.finish().map(put).into_iter().collect();
        let tables = transaction.entered().collect();
        let head = head(&RecordHead { xid: xid.clone(), parts: *parts, tables });
        changes.push(Change::put(Catalog::prepared_key(number, 0), head));
        self.store().write(&Batch { changes }, Durability::EveryCommit)
    }

    /// Commits a prepared transaction; `false`: there is none of this name.
    ///
    /// # Errors
    /// `Store`, `Refused`, `DiskFull`: it is prepared as before.
    pub fn commit_prepared(&self, xid: &Xid) -> Result<bool> {
        let Some(mut taken) = self.global_transactions().take(xid) else { return Ok(false) };
        let Some(held) = &mut taken.held else { return Ok(false) };
        for key in keys_of_record(held.number, held.parts) {
            held.store.delete(key);
        }
        held.sizes.write_numbers(&mut *held.store);
        self.committer().apply(&mut *held.store, &held.gates)?;
        if let Some(held) = taken.held.take() {
            let HeldTransaction { store, mut gates, sizes, .. } = *held;
            self.committer().count(sizes);
            drop(store);
            gates.iter_mut().for_each(GateGuard::note_writes);
        }
        Ok(true)
    }

    /// Rolls a prepared transaction back; `false`: there is none of this name.
    ///
    /// # Errors
    /// As `commit_prepared`.
    pub fn rollback_prepared(&self, xid: &Xid) -> Result<bool> {
        let Some(mut taken) = self.global_transactions().take(xid) else { return Ok(false) };
        let Some(held) = &taken.held else { return Ok(false) };
        let changes = end_of_record(held.number, held.parts);
        self.store().write(&Batch { changes }, Durability::EveryCommit)?;
        taken.held = None;
        Ok(true)
    }
}

/// A transaction whose record is stored, without the engine, which has it from now on.
pub(super) fn held(transaction: Transaction, number: u64, parts: u32) -> HeldTransaction {
    let Transaction { engine, store, gates, sizes, mut share, .. } = transaction;
    share.leave_owner();
    let since = engine.clock().unix_micros();
    HeldTransaction { store, gates, sizes, number, parts, since, _share: share }
}

/// The keys of a record that has so many parts behind its head.
fn keys_of_record(number: u64, parts: u32) -> impl Iterator<Item = Vec<u8>> {
    (0..=parts).map(move |part| Catalog::prepared_key(number, part))
}

fn end_of_record(number: u64, parts: u32) -> Vec<Change> {
    keys_of_record(number, parts).map(Change::delete).collect()
}
