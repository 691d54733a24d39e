//! What is asked of a plan, or of a query that was bound, before it is carried out: whether the
//! session's global transaction may take its tables, whether the audit log wants the statement, and
//! whether tables are locked otherwise.
//!
//! Invariants
//! 1. Nothing of it costs a session more than a look where there is no such transaction, log or
//!    lock.
//!
//! Not here: rights (`authorization`), each of the answers (`xa`, `audited`, `table_locks`).

use super::Session;
use crate::plan_cache::Plan;
use plan::bind::scalar::Bound;
use plan::tree::BoundQuery;
use results::{ExecutionMode, Result};

impl Session {
    /// Takes a plan that is carried out next.
    ///
    /// # Errors
    /// Those of `check_xa_tables`, `watch_plan` and `check_locks`.
    #[inline]
    pub(super) fn admit_plan(&self, plan: &Plan, how: ExecutionMode) -> Result<()> {
        if self.xa.is_some() {
            let is_any = plan.any_table(&|_| true);
            let is_temporary = plan.any_table(&|table| table.is_temporary());
            self.check_xa_tables(is_any, is_temporary)?;
        }
        self.watch_plan(plan)?;
        self.check_locks(plan, how)
    }

    /// Takes a query that was bound, or could not be. Where it runs its tables may still be locked.
    ///
    /// # Errors
    /// Why it could not; those of `check_xa_tables` and `watch_bound`.
    pub(super) fn admit_bound(&self, bound: Bound<BoundQuery>) -> Bound<BoundQuery> {
        if let (true, Ok(query)) = (self.xa.is_some(), &bound) {
            let is_temporary = query.tables.iter().any(|table| table.is_temporary());
            self.check_xa_tables(!query.tables.is_empty(), is_temporary)?;
        }
        self.watch_bound(bound)
    }
}
