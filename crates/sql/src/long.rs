//! Who runs long queries: the analytic way, which is handed over when a server starts, so that nothing
//! here depends on the library that it is made with.
//!
//! Not here: which queries are long (`session::query`), how they are run (crate `analytic`).

use values::datum::Datum;

use crate::context::QueryContext;
use crate::error::Result;
use crate::reply::RowStream;
use crate::tree::QueryPlan;

/// What is under way of long queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Queries begun so far; one that is begun again frugally is the same.
    pub begun: u64,
    /// Those that have not ended.
    pub under_way: usize,
}

/// Runs bound queries that look at many rows.
pub trait LongQueries: Send + Sync {
    /// Plans a query and starts it. Waits for the planning, so only where waiting is allowed.
    ///
    /// # Errors
    /// 1235 for what only the row executor does; those of the limits.
    fn select(
        &self,
        query: &QueryPlan,
        parameters: &[Datum<'_>],
        context: &QueryContext,
    ) -> Result<RowStream>;

    /// What is under way now.
    fn load(&self) -> Load;

    /// Bytes of memory that queries have taken, and that they may have.
    fn memory(&self) -> (usize, usize);

    /// As `select`, in the way that needs the least memory, for a query that ran out of it; `None` if it was that
    /// way.
    ///
    /// # Errors
    /// As `select`.
    fn select_frugally(
        &self,
        query: &QueryPlan,
        parameters: &[Datum<'_>],
        context: &QueryContext,
    ) -> Result<Option<RowStream>>;

    /// The plan of a query, one line per node.
    ///
    /// # Errors
    /// As `select`.
    fn explain(&self, query: &QueryPlan, context: &QueryContext) -> Result<Vec<String>>;

    /// Runs a query to its end: its plan, one line per node, with what each came to.
    ///
    /// # Errors
    /// As `select`, and those of running it.
    fn explain_analyzed(&self, query: &QueryPlan, context: &QueryContext) -> Result<Vec<String>>;
}
