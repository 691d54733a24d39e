//! Plans of statements, and the cache that finds them again by shape.
//!
//! Invariants
//! 1. A plan is used only while its tables are as it saw them (`is_current`).
//! 2. The cache is bounded; which plans it forgets is of no consequence but time.
//! 3. A shape is kept when it comes for the second time: statements that come once, such as a
//!    dump's or those of a tool that visits every table, push nobody out.
//!
//! Not here: how plans are made (`point`, `write`, `bind`).

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use values::SqlMode;

use crate::point::SelectPlan;
use crate::reply::ResultColumn;
use crate::tree::QueryPlan;
use crate::write::{DeletePlan, InsertPlan, UpdatePlan};

/// Most plans kept.
const PLANS_MAX: usize = 4096;
/// Shapes remembered as having come once.
const SEEN_MAX: usize = 8192;
/// Longest shape kept, in bytes.
const SHAPE_BYTES_MAX: usize = 16 << 10;

/// What a shape means.
#[derive(Clone)]
pub enum Plan {
    /// A look-up, or a SELECT without a table.
    Select(Arc<SelectPlan>),
    /// A query over several relations, or with groups.
    Query(Arc<QueryPlan>),
    /// INSERT or REPLACE of rows.
    Insert(Arc<InsertPlan>),
    /// UPDATE of one table.
    Update(Arc<UpdatePlan>),
    /// DELETE from one table.
    Delete(Arc<DeletePlan>),
    /// Not a matter of shapes: parsed anew from its text each time.
    Other,
}

impl Plan {
    /// Whether its tables are as it saw them.
    pub fn is_current(&self) -> bool {
        match self {
            Plan::Select(plan) => plan.is_current(),
            Plan::Query(plan) => plan.is_current(),
            Plan::Insert(plan) => plan.table().is_current(),
            Plan::Update(plan) => plan.table().is_current(),
            Plan::Delete(plan) => plan.table().is_current(),
            Plan::Other => true,
        }
    }

    /// The columns of RETURNING.
    pub fn returned_columns(&self) -> Option<Arc<[ResultColumn]>> {
        let returning = match self {
            Plan::Insert(plan) => plan.returning(),
            Plan::Delete(plan) => plan.returning(),
            Plan::Update(_) | Plan::Select(_) | Plan::Query(_) | Plan::Other => None,
        };
        returning.map(|returning| Arc::clone(&returning.columns))
    }

    /// Whether a write may be tried in an event loop: few rows, and nothing that sleeps. How many
    /// rows an UPDATE or DELETE meets is seen only on the way.
    pub fn is_short(&self, runs: &[u32]) -> bool {
        match self {
            Plan::Insert(plan) => plan.is_short(runs),
            Plan::Update(plan) => !plan.waits,
            Plan::Delete(plan) => !plan.waits,
            Plan::Select(_) | Plan::Query(_) | Plan::Other => false,
        }
    }
}

struct Entry {
    database: Option<String>,
    mode: SqlMode,
    shape: Vec<u8>,
    plan: Plan,
}

/// Plans by database, mode and shape.
pub struct PlanCache {
    plans: RwLock<HashMap<u64, Arc<Entry>>>,
    /// Hashes of shapes that came once, each in its place.
    seen: Box<[AtomicU64]>,
    hasher: foldhash::fast::RandomState,
}

impl Default for PlanCache {
    fn default() -> PlanCache {
        PlanCache {
            plans: RwLock::default(),
            seen: (0..SEEN_MAX).map(|_| AtomicU64::new(0)).collect(),
            hasher: foldhash::fast::RandomState::default(),
        }
    }
}

impl PlanCache {
    fn key(&self, database: Option<&str>, mode: SqlMode, shape: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        database.hash(&mut hasher);
        mode.hash(&mut hasher);
        hasher.write(shape);
        hasher.finish()
    }

    /// The plan of a shape, if it is known and still right.
    pub fn find(&self, database: Option<&str>, mode: SqlMode, shape: &[u8]) -> Option<Plan> {
        let key = self.key(database, mode, shape);
        let plans = self.plans.read();
        let entry = plans.get(&key)?;
        let same = entry.shape == shape
            && entry.mode == mode
            && entry.database.as_deref() == database
            && entry.plan.is_current();
        same.then(|| entry.plan.clone())
    }

    /// Keeps a plan, if its shape has come before.
    pub fn keep(&self, database: Option<&str>, mode: SqlMode, shape: &[u8], plan: &Plan) {
        if shape.len() > SHAPE_BYTES_MAX {
            return;
        }
        let key = self.key(database, mode, shape);
        if self.seen[key as usize % SEEN_MAX].swap(key, Ordering::Relaxed) != key {
            return;
        }
        let entry = Arc::new(Entry {
            database: database.map(str::to_string),
            mode,
            shape: shape.to_vec(),
            plan: plan.clone(),
        });
        let mut plans = self.plans.write();
        if plans.len() >= PLANS_MAX {
            // Half of them, whichever: those in use come back with their next statement.
            let mut keep = false;
            plans.retain(|_, _| {
                keep = !keep;
                keep
            });
        }
        plans.insert(key, entry);
    }
}
