//! Which global transactions there are: those of sessions, and those that are prepared.
//!
//! Invariants
//! 1. A name is used once at a time, whoever has it; its format does not make another one of it
//!    (MySQL 9.7 answers so: tests/oracle/sql/xa.sql).
//! 2. A prepared transaction is ended by one at a time; where that fails, it is as it was.
//!
//! Not here: what becomes of them, and what is stored of them (`prepared`).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use resources::budget::Share;

use crate::store::StoreTransaction;
use crate::table::{GateGuard, SizesMoved};

/// Most bytes that each of both parts may have.
pub(crate) const XID_PART_BYTES_MAX: usize = 64;

/// A name that the client's transaction manager gives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Xid {
    /// Of the whole transaction (gtrid).
    pub global: Vec<u8>,
    /// Of this server's part in it (bqual).
    pub branch: Vec<u8>,
    /// How the manager makes names (formatID).
    pub format: u64,
}

/// The global transactions of an engine.
#[derive(Default)]
pub struct GlobalTransactions {
    known: Mutex<HashMap<Name, (Xid, TransactionStage)>>,
    /// The number of the last record.
    last: AtomicU64,
}

/// Both texts of a name.
type Name = (Vec<u8>, Vec<u8>);

fn name(xid: &Xid) -> Name {
    (xid.global.clone(), xid.branch.clone())
}

enum TransactionStage {
    /// A session has it.
    Open,
    Held(Box<HeldTransaction>),
    /// Somebody commits it, or rolls it back.
    Ending,
}

/// A prepared transaction: its writes, and what it holds. It has no engine, which has it.
pub(crate) struct HeldTransaction {
    pub store: Box<dyn StoreTransaction>,
    pub gates: Vec<GateGuard>,
    pub sizes: SizesMoved,
    /// Its record, and how many parts that has behind its head.
    pub number: u64,
    pub parts: u32,
    /// Since when it is held, microseconds since the epoch.
    pub since: u64,
    /// Memory for its writes and locks.
    pub _share: Share,
}

/// A prepared transaction as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownPrepared {
    /// What it is called among those who wait for row locks.
    pub lock_owner: Option<u64>,
    /// Since when this server holds it, microseconds since the epoch.
    pub since: u64,
    /// How many tables' definitions it keeps as they are.
    pub tables: usize,
}

/// A name that a session has, until it is dropped or prepared.
pub struct OwnXid {
    all: Arc<GlobalTransactions>,
    xid: Xid,
}

impl OwnXid {
    /// The name.
    pub fn xid(&self) -> &Xid {
        &self.xid
    }
}

impl Drop for OwnXid {
    fn drop(&mut self) {
        let mut known = self.all.known.lock();
        let name = name(&self.xid);
        if matches!(known.get(&name), Some((_, TransactionStage::Open))) {
            known.remove(&name);
        }
    }
}

impl GlobalTransactions {
    /// Takes a name for a session; `None` while there is a transaction of this name.
    pub fn open(self: &Arc<Self>, xid: Xid) -> Option<OwnXid> {
        let mut known = self.known.lock();
        let name = name(&xid);
        if known.contains_key(&name) {
            return None;
        }
        known.insert(name, (xid.clone(), TransactionStage::Open));
        Some(OwnXid { all: Arc::clone(self), xid })
    }

    /// The names of all that are prepared, sorted.
    pub fn prepared(&self) -> Vec<Xid> {
        let known = self.known.lock();
        let held = known.values().filter(|(_, stage)| matches!(stage, TransactionStage::Held(_)));
        let mut names: Vec<Xid> = held.map(|(xid, _)| xid.clone()).collect();
        names.sort();
        names
    }

    /// All that are prepared, as they are shown.
    pub fn shown(&self) -> Vec<ShownPrepared> {
        let shown = |held: &HeldTransaction| ShownPrepared {
            lock_owner: held.store.lock_owner(),
            since: held.since,
            tables: held.gates.len(),
        };
        let known = self.known.lock();
        let held = known.values().filter_map(|(_, stage)| match stage {
            TransactionStage::Held(held) => Some(shown(held)),
            TransactionStage::Open | TransactionStage::Ending => None,
        });
        held.collect()
    }

    /// A number that no record has.
    pub(crate) fn next_number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A record has this number.
    pub(crate) fn note_number(&self, number: u64) {
        self.last.fetch_max(number, Ordering::Relaxed);
    }

    /// It is prepared from now on.
    pub(crate) fn hold(&self, xid: Xid, held: HeldTransaction) {
        self.known.lock().insert(name(&xid), (xid, TransactionStage::Held(Box::new(held))));
    }

    /// Takes a prepared transaction, to end it; `None` if there is none of this name, or somebody
    /// is at it.
    pub(crate) fn take(&self, xid: &Xid) -> Option<TakenTransaction<'_>> {
        let mut known = self.known.lock();
        let (of_name, stage) = known.get_mut(&name(xid))?;
        if of_name != xid || !matches!(stage, TransactionStage::Held(_)) {
            return None;
        }
        let TransactionStage::Held(held) = std::mem::replace(stage, TransactionStage::Ending)
        else {
            return None;
        };
        Some(TakenTransaction { all: self, xid: xid.clone(), held: Some(held) })
    }

    /// Lets go of all: the engine is closed, and their records are in the store.
    pub(crate) fn close(&self) {
        let all = std::mem::take(&mut *self.known.lock());
        drop(all);
    }
}

/// A prepared transaction that is being ended; dropped before that it is prepared as before.
pub(crate) struct TakenTransaction<'a> {
    all: &'a GlobalTransactions,
    xid: Xid,
    pub held: Option<Box<HeldTransaction>>,
}

impl Drop for TakenTransaction<'_> {
    fn drop(&mut self) {
        let mut known = self.all.known.lock();
        match self.held.take() {
            Some(held) => {
                known.insert(name(&self.xid), (self.xid.clone(), TransactionStage::Held(held)))
            }
            None => known.remove(&name(&self.xid)),
        };
    }
}
