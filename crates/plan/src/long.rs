//! What runs long queries: the analytic way, which is handed over when a server starts, so that
//! nothing here depends on the library that it is made with.
//!
//! Not here: which queries are long (`session::query`), how they are run (crate `analytic`).

use std::path::PathBuf;

use values::datum::Datum;

use crate::context::{HoldNumber, QueryContext};
use crate::process_line::ProcessLine;
use crate::tree::QueryPlan;
use resources::query_clock::QueryMoment;
use results::{Result, RowStream};

/// What long queries may use.
#[derive(Clone, Debug)]
pub struct LongQueryOptions {
    /// Memory that they may use together, in bytes.
    pub memory_bytes: usize,
    /// Threads that they may use.
    pub threads: usize,
    /// Where they put what does not fit into memory; `None`: where the system's files go.
    pub temp_dir: Option<PathBuf>,
}

/// What is under way of long queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Queries begun so far; one that is begun again frugally is the same.
    pub begun: u64,
    /// Those that have not ended.
    pub under_way: usize,
}

/// That others are held back for one query.
pub trait HeldBack: Send {
    /// By this a query is known as that one.
    fn number(&self) -> HoldNumber;
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

    /// Lines of the process list for queries that were answered, or whose client has left, and that
    /// have not gone yet.
    fn ending(&self) -> Vec<ProcessLine>;

    /// Bytes of memory that queries have taken, and that they may have.
    fn memory(&self) -> (usize, usize);

    /// Now, by the clock of queries: how long one has waited for others counts by the time that
    /// these had.
    fn now(&self) -> QueryMoment;

    /// Has the query come before all others whose `SqlContext::comes_first` has this number: others
    /// that keep rows begin only when its first row has come, or what is given back here is
    /// dropped. For one at a time.
    fn hold_others_back(&self) -> Box<dyn HeldBack>;

    /// As `select`, in the way that needs the least memory, for a query that ran out of it; `None`
    /// if it was that way.
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
