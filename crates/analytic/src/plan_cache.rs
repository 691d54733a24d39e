//! The plan cache: a statement's plan is kept for its next execution, as planning takes
//! milliseconds, which is more than many a query by column takes to run.
//!
//! What is kept has its scans without what they read (`scan::vacated`); the next execution gives
//! them its own view. Expressions that ask the session do so through a `Statement`, which has none
//! between two executions.
//!
//! Invariants
//! 1. A kept plan holds neither a view of the store nor a session.
//! 2. A plan is taken out while it runs, so nobody else's statement is behind its expressions.
//! 3. It is used only where planning again would come to the same: for the same bound query, which
//!    is bound again when one of its tables is altered, under the same time zone and mode, with the
//!    same literals, and while its tables have neither half nor twice the rows of when it was made.
//! 4. A plan is kept when its statement comes for the second time, and there are never more than
//!    `PLANS_MAX`.
//!
//! Not here: which plans can be kept (`scan::vacated`, `Lowering`), EXPLAIN, which plans again.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use foldhash::fast::RandomState;
use parking_lot::{Mutex, RwLock};
use plan::context::SqlContext;
use plan::tree::QueryPlan;
use results::{Result, SqlError};
use values::datum::Datum;

/// Most plans kept: some tens of kilobytes each.
const PLANS_MAX: usize = 128;
/// Executions remembered as having come once.
const SEEN_MAX: usize = 1024;
/// Statements with more bytes of literals are planned each time.
const LITERAL_BYTES_MAX: usize = 4096;

/// The statement that a plan runs for, as far as its expressions ask for it.
#[derive(Debug, Default)]
pub(super) struct Statement(RwLock<Option<Running>>);

struct Running(Arc<SqlContext>);

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "connection {}", self.0.connection_id)
    }
}

impl Statement {
    pub(super) fn of(facts: &Arc<SqlContext>) -> Arc<Statement> {
        Arc::new(Statement(RwLock::new(Some(Running(Arc::clone(facts))))))
    }

    /// Its surroundings.
    ///
    /// # Errors
    /// When it is over: only what nobody waits for any more still asks then.
    pub(super) fn facts(&self) -> Result<Arc<SqlContext>> {
        let running = self.0.read();
        let facts = running.as_ref().map(|running| Arc::clone(&running.0));
        facts.ok_or_else(|| SqlError::other("the statement is over"))
    }

    fn begin(&self, facts: &Arc<SqlContext>) {
        *self.0.write() = Some(Running(Arc::clone(facts)));
    }

    fn end(&self) {
        *self.0.write() = None;
    }
}

/// What a plan is kept for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name {
    /// The bound query's number.
    query: u64,
    /// All else that it depends on, printed: values that are equal may still differ, as 0 and -0.
    rest: String,
}

impl Name {
    /// `None` for what is not worth keeping.
    pub(super) fn of(
        query: &QueryPlan,
        parameters: &[Datum<'_>],
        facts: &SqlContext,
    ) -> Option<Name> {
        let bytes = |datum: &Datum<'_>| match datum {
            Datum::Bytes(bytes) => bytes.len(),
            _ => size_of::<Datum<'_>>(),
        };
        if parameters.iter().map(bytes).sum::<usize>() > LITERAL_BYTES_MAX {
            return None;
        }
        let rest = format!("{:?} {:?} {parameters:?}", facts.zone, facts.mode);
        Some(Name { query: query.number, rest })
    }
}

/// A plan between two executions.
pub(super) struct KeptPlan {
    pub(super) name: Name,
    /// Its scans have no view.
    pub(super) plan: Arc<dyn ExecutionPlan>,
    pub(super) settings: Arc<TaskContext>,
    pub(super) statement: Arc<Statement>,
    /// About how many rows its tables had.
    pub(super) stored_rows: u64,
}

impl KeptPlan {
    /// Whether its tables have about as many rows as when it was made.
    fn suits(&self, stored_rows: u64) -> bool {
        stored_rows / 2 <= self.stored_rows && self.stored_rows / 2 <= stored_rows
    }
}

/// All plans that are kept.
pub(super) struct KeptPlans {
    /// The one that was used last is the last.
    plans: Mutex<VecDeque<KeptPlan>>,
    /// Hashes of names that came once, each in its place.
    seen: Box<[AtomicU64]>,
    hasher: RandomState,
}

impl Default for KeptPlans {
    fn default() -> KeptPlans {
        let seen = (0..SEEN_MAX).map(|_| AtomicU64::new(0)).collect();
        KeptPlans { plans: Mutex::default(), seen, hasher: RandomState::default() }
    }
}

impl KeptPlans {
    /// Takes a plan out for a statement over tables of about so many rows.
    pub(super) fn take(
        &self,
        name: &Name,
        stored_rows: u64,
        facts: &Arc<SqlContext>,
    ) -> Option<KeptPlan> {
        let mut plans = self.plans.lock();
        let at = plans.iter().rposition(|kept| kept.name == *name)?;
        let kept = plans.remove(at)?;
        drop(plans);
        if !kept.suits(stored_rows) {
            return None;
        }
        kept.statement.begin(facts);
        Some(kept)
    }

    /// Whether a plan for this is wanted: it came before.
    pub(super) fn wants(&self, name: &Name) -> bool {
        let hash = self.hasher.hash_one(name).max(1);
        self.seen[hash as usize % SEEN_MAX].swap(hash, Ordering::Relaxed) == hash
    }

    /// Keeps a plan whose execution is over.
    pub(super) fn put(&self, kept: KeptPlan) {
        kept.statement.end();
        let mut plans = self.plans.lock();
        if plans.len() == PLANS_MAX {
            plans.pop_front();
        }
        plans.push_back(kept);
    }

    /// How many there are that nobody runs.
    pub(super) fn len(&self) -> usize {
        self.plans.lock().len()
    }
}
