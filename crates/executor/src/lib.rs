//! The row executor: runs a planned query over its tree, row by row, where the rows are.
//!
//! ```text
//! join        the steps of a SELECT, one inside the other     buffer  rows read once
//! hash_index  which of them have a key
//! select      one SELECT: filter, group, and what follows     set     UNION and its kin
//! output      project, distinct, sort, limit                  known   aggregates known at once
//! group       groups and their rows                           accumulate  aggregates
//! window      window functions                                recursion   WITH RECURSIVE
//! presort     rows that are sorted before they are joined     late    and before they are read
//! subquery    sub-queries of expressions                      membership  EXISTS, by look-ups
//! full_text   MATCH: rare words, and rows by relevance
//! key         bytes that are equal or sort                    measure  for EXPLAIN ANALYZE
//! locks       rows that are to be locked                row_list  kept rows, in memory and in files
//! drawn       memory for what one SELECT keeps            distinct    which rows were seen
//! listed      rows of a query that is run before the one around it
//! gather      rows by ranges of an index, piece by piece      sweep  past the index where they are many
//! sort        rows to be changed or locked, in an order that no index has
//! ```
//! Rows are pushed: each step calls what follows it for every row it finds, so that a row is
//! borrowed from where it was read until the result keeps a copy.
//!
//! Invariants
//! 1. Nothing is changed: a run that ends early (it would wait, it meets too many rows) can be
//!    begun again elsewhere.
//! 2. What is kept is drawn from the memory for clients.
//! 3. KILL is looked for every few hundred rows.
//!
//! Not here: planning (`plan::optimize`), long queries (`analytic`).

mod accumulate;
mod buffer;
mod distinct;
mod drawn;
mod full_text;
mod gather;
mod group;
mod hash_index;
mod join;
mod key;
mod late_lookup;
mod leap;
mod listed;
mod locks;
mod measure;
mod membership;
mod output;
mod output_value;
mod precomputed;
mod presort;
mod recursion;
mod residual;
mod row_list;
mod select;
mod set;
mod sort;
mod subquery;
mod sweep;
mod window;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use resources::budget::Share;
use rows::Engine;
use rows::local::KeySet;
use rows::store::Read;
use rows::transaction::Transaction;
use values::datum::Value;

use expression::{
    BIGINT, Enclosing, Environment, ExecutionMemo, Kind, Node, Number, Scope, Subqueries,
};
pub use gather::{Filter, GatheredRows, Gatherer, PieceLimits};
pub use listed::RecursionRows;
pub use locks::{RangeLockRequest, RowLocks};
pub use measure::{Measures, StepMeasure};
pub use row_list::ListedRows;
use row_list::Overflow;
pub use row_list::RowList;
pub use sort::sort_rows;

use plan::context::SqlContext;
use plan::tree::{Body, Query, row_count};
use results::{ExecutionMode, MemoryShortage, Result, SqlError};

/// What a row costs that is looked at,
const ROW_COST: u64 = 10;
/// and what an entry of an index costs that tells all by itself
/// (`plan::optimize::access::COVERED_SHARE`).
const ENTRY_COST: u64 = 3;
/// Rows after which it is asked whether the run is a long one.
const ROWS_UNASKED: u64 = 4096;
/// How many rows are looked at between two looks at the kill mark.
const KILL_CHECK_ROWS: u64 = 256;
/// What a kept value takes besides its bytes, about.
const VALUE_BYTES: usize = size_of::<Value>();
/// What a kept row takes besides its values, about.
const ROW_BYTES: usize = 32;

/// One list of rows, or set of keys, has such a part of the memory for clients before it goes to a
/// file.
const LISTED_PART: usize = 16;

/// Whether more rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Continue,
    Stop,
}

/// Rows of a result and what there is to know of them.
pub struct ResultRows {
    /// The rows, in the domains of the query's columns.
    pub rows: RowList,
    /// What FOUND_ROWS() says.
    pub found: u64,
    /// Memory for the rows.
    pub share: Share,
    /// How many rows were looked at, or entries that cost as much.
    pub looked_at: u64,
}

/// What a run may come to before it is given up as too long.
#[derive(Clone, Copy, Debug)]
pub struct RunBounds {
    /// Most rows that may be looked at, or entries that cost as much.
    pub rows_max: u64,
    /// Most bytes that may be kept at one time, the result included.
    pub bytes_max: usize,
}

impl RunBounds {
    /// None but the memory for clients: running out of that is an error of the statement.
    pub const NONE: RunBounds = RunBounds { rows_max: u64::MAX, bytes_max: usize::MAX };
}

/// Where and within which limits a query is run.
pub struct Limits<'a> {
    /// What is read.
    pub view: &'a dyn Read,
    /// Where it runs.
    pub how: ExecutionMode,
    /// What it may come to.
    pub bounds: RunBounds,
    /// Says, of a run that has come to some thousands of rows, whether it is one for the analytic
    /// way.
    pub is_long: Option<&'a dyn Fn() -> bool>,
    /// Where it is noted which rows are to be locked, and who is about to lock them.
    pub locks: Option<(&'a RowLocks, &'a Transaction)>,
    /// Where it is noted what the steps come to.
    pub measures: Option<&'a Measures>,
}

impl<'a> Limits<'a> {
    /// A run that may wait and take as long as it takes.
    pub fn none(view: &'a dyn Read) -> Limits<'a> {
        Limits::of(view, ExecutionMode::POOL, RunBounds::NONE)
    }

    /// A run with bounds that are known before it.
    pub fn of(view: &'a dyn Read, how: ExecutionMode, bounds: RunBounds) -> Limits<'a> {
        Limits { view, how, bounds, is_long: None, locks: None, measures: None }
    }
}

/// One execution.
struct Execution<'a> {
    engine: &'a Engine,
    facts: &'a SqlContext,
    view: &'a dyn Read,
    how: ExecutionMode,
    /// What it has come to, in parts of a row (`ROW_COST`), where it is looked at next, and where
    /// it ends.
    spent: Cell<u64>,
    spent_next: Cell<u64>,
    spent_max: u64,
    is_long: Option<&'a dyn Fn() -> bool>,
    bytes_max: usize,
    too_long: Cell<bool>,
    rows_seen: Cell<u64>,
    /// How many of these a gatherer has noted already.
    noted: Cell<u64>,
    share: RefCell<Share>,
    bytes: Cell<usize>,
    /// Where kept rows go that are many; none where the run is given up then.
    overflow: Option<Overflow>,
    /// Rows read once, by the id of the query or the place of the scan.
    kept: RefCell<HashMap<usize, Rc<buffer::Buffer>>>,
    /// Rows that recursions under way have added last, by the recursion's number.
    added: RefCell<HashMap<usize, Rc<buffer::Buffer>>>,
    /// Results of sub-queries that depend on nothing outside, by id.
    results: RefCell<HashMap<usize, Rc<subquery::SubqueryResult>>>,
    /// Values of such ones, where all that is asked is whether one is among them, by id.
    values: RefCell<HashMap<usize, Rc<subquery::KeptValues>>>,
    /// The smallest and largest of such values, where their order is asked for, by id.
    ends: RefCell<HashMap<usize, Rc<subquery::KeptEnds>>>,
    /// How sub-queries that have members are asked, by id.
    memberships: RefCell<HashMap<usize, Rc<membership::Membership>>>,
    /// Full-text searches, by the ids of their queries.
    searches: RefCell<HashMap<usize, Rc<full_text::FullTextSearch>>>,
    locks: Option<(&'a RowLocks, &'a Transaction)>,
    measures: Option<&'a Measures>,
}

/// Runs a query; `None` if it came to more than its bounds. `environment` has the statement's
/// parameters and session.
///
/// # Errors
/// Those of the statement; `would_wait` where it may not wait.
pub fn run(
    query: &Query,
    facts: &SqlContext,
    environment: &Environment<'_>,
    limits: &Limits<'_>,
) -> Result<Option<ResultRows>> {
    let execution = Execution::begin(facts, limits);
    let mut rows = execution.list();
    let mut found = None;
    let known = ExecutionMemo::default();
    let environment =
        Environment { subqueries: Some(&execution), known: Some(&known), ..*environment };
    let result = execution.query(query, &environment.scope(), &mut found, &mut |row| {
        execution.push(&mut rows, row)?;
        Ok(Flow::Continue)
    });
    execution.note_examined();
    // Elsewhere rows are passed on as they are found, and what is kept goes to files.
    let lacks_memory = matches!(result, Err(SqlError::ShortOfMemory(MemoryShortage::Clients)));
    if execution.too_long.get() || lacks_memory && execution.bytes_max < usize::MAX {
        return Ok(None);
    }
    result?;
    let found = found.unwrap_or(rows.len() as u64);
    // Buffers and hash tables are given up with the execution.
    let share = execution.share.into_inner();
    let looked_at = execution.spent.get().div_ceil(ROW_COST);
    Ok(Some(ResultRows { rows, found, share, looked_at }))
}

/// A run without bounds that came to more than them, a defect of ours.
pub fn beyond_no_bounds() -> SqlError {
    SqlError::other("a run without a limit")
}

/// Calls `work` with what runs the sub-queries of expressions over rows that are no query's. What
/// depends on no row is found once.
pub fn with_subqueries<T>(
    facts: &SqlContext,
    view: &dyn Read,
    work: impl FnOnce(&dyn Subqueries) -> T,
) -> T {
    let execution = Execution::begin(facts, &Limits::none(view));
    let done = work(&execution);
    execution.note_examined();
    done
}

/// Takes one row of a result.
type Give<'g> = dyn FnMut(Vec<Value>) -> Result<Flow> + 'g;

impl<'a> Execution<'a> {
    fn begin(facts: &'a SqlContext, limits: &Limits<'a>) -> Execution<'a> {
        let engine = facts.sql.engine();
        let is_bounded = limits.bounds.bytes_max < usize::MAX;
        let overflow = engine.spill().filter(|_| limits.how.may_wait && !is_bounded);
        let overflow = overflow.map(|directory| Overflow {
            directory: Arc::clone(directory),
            bytes_max: engine.budget().bytes_max() / LISTED_PART,
        });
        let spent_max = limits.bounds.rows_max.saturating_mul(ROW_COST);
        let unasked = if limits.is_long.is_some() { ROWS_UNASKED * ROW_COST } else { spent_max };
        Execution {
            engine,
            facts,
            view: limits.view,
            how: limits.how,
            spent: Cell::default(),
            spent_next: Cell::new(unasked.min(spent_max)),
            spent_max,
            is_long: limits.is_long,
            bytes_max: limits.bounds.bytes_max,
            too_long: Cell::new(false),
            rows_seen: Cell::new(0),
            noted: Cell::new(0),
            share: RefCell::new(engine.budget().share()),
            bytes: Cell::new(0),
            overflow,
            kept: RefCell::default(),
            added: RefCell::default(),
            results: RefCell::default(),
            values: RefCell::default(),
            ends: RefCell::default(),
            memberships: RefCell::default(),
            searches: RefCell::default(),
            locks: limits.locks,
            measures: limits.measures,
        }
    }
}

impl Execution<'_> {
    /// Runs a query within the rows that `outer` has, and gives each row to `give`.
    fn query(
        &self,
        query: &Query,
        outer: &Scope<'_>,
        found: &mut Option<u64>,
        give: &mut Give<'_>,
    ) -> Result<()> {
        let scope = outer.environment.scope();
        let limit = row_count(query.limit.as_ref(), &scope)?.unwrap_or(u64::MAX);
        let offset = row_count(query.offset.as_ref(), &scope)?.unwrap_or(0);
        match &query.body {
            Body::Select(select) => {
                self.select(select, query, (offset, limit), &scope, found, give)
            }
            Body::Set(set) => self.set(set, query, (offset, limit), &scope, found, give),
            Body::Recursion(recursion) => {
                self.recursion(recursion, query, (offset, limit), &scope, give)
            }
            Body::Values(rows) => {
                *found = Some((rows.len() as u64).min(offset.saturating_add(limit)));
                let mut left = limit;
                for nodes in rows.iter().skip(usize::try_from(offset).unwrap_or(usize::MAX)) {
                    if left == 0 {
                        break;
                    }
                    left -= 1;
                    let row = self.fitted(nodes, query, &scope)?;
                    if give(row)? == Flow::Stop {
                        break;
                    }
                }
                Ok(())
            }
            Body::FullText(search) => {
                let statistics = self.searched(query.id, search, &scope)?.statistics.clone();
                give(vec![Value::Bytes(statistics)]).map(|_| ())
            }
            // Its query has no LIMIT of its own.
            Body::JsonTable(table) => Ok(table.rows(&scope, &mut |row| {
                let flow = give(row)?;
                Ok(flow == Flow::Continue)
            })?),
        }
    }

    /// A row of expressions in the domains of a query's columns.
    fn fitted(&self, nodes: &[Node], query: &Query, scope: &Scope<'_>) -> Result<Vec<Value>> {
        let mut row = Vec::with_capacity(nodes.len());
        let mut held = scope.limits.hold();
        for (node, column) in nodes.iter().zip(&query.columns) {
            let value = expression::fit(&column.ty, node.evaluate(scope)?, &node.ty, scope);
            held.add_value(&value)?;
            row.push(value);
        }
        Ok(row)
    }

    /// Tells the statement how many rows were looked at, but for those of gatherers.
    fn note_examined(&self) {
        let seen = self.rows_seen.get().saturating_sub(self.noted.get());
        if seen > 0 {
            self.facts.kill.owner_of_work().note_examined(seen);
        }
    }

    /// Rows are looked at.
    fn look(&self, rows: u64) -> Result<()> {
        self.spend(rows, ROW_COST)
    }

    /// Entries are looked at that tell all by themselves.
    fn look_at_entries(&self, entries: u64) -> Result<()> {
        self.spend(entries, ENTRY_COST)
    }

    fn spend(&self, rows: u64, each: u64) -> Result<()> {
        let seen = self.rows_seen.get() + rows;
        self.rows_seen.set(seen);
        let spent = self.spent.get().saturating_add(rows.saturating_mul(each));
        self.spent.set(spent);
        if spent > self.spent_next.get() {
            if spent > self.spent_max || self.is_long.is_some_and(|is_long| is_long()) {
                return Err(self.give_up());
            }
            self.spent_next.set(self.spent_max);
        }
        if seen / KILL_CHECK_ROWS != (seen - rows) / KILL_CHECK_ROWS {
            self.facts.kill.check()?;
        }
        Ok(())
    }

    /// How many rows it may still look at.
    fn rows_left(&self) -> u64 {
        self.spent_max.saturating_sub(self.spent.get()) / ROW_COST
    }

    /// Ends a run that came to more than its bounds, or will.
    fn give_up(&self) -> SqlError {
        self.too_long.set(true);
        SqlError::other("more than this executor is for")
    }

    /// Takes memory for what is kept.
    fn draw(&self, bytes: usize) -> Result<()> {
        let total = self.bytes.get() + bytes;
        self.bytes.set(total);
        if total > self.bytes_max {
            return Err(self.give_up());
        }
        Ok(self.share.borrow_mut().keep_up_with(total)?)
    }

    /// What was kept is gone before the execution is: memory for as much may be drawn again.
    fn give_back(&self, bytes: usize) {
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
    }

    fn draw_row(&self, row: &[Value]) -> Result<()> {
        self.draw(row_bytes(row))
    }

    /// An empty list of rows.
    fn list(&self) -> RowList {
        RowList::new(self.overflow.clone())
    }

    /// Adds a row to a list.
    fn push(&self, list: &mut RowList, row: Vec<Value>) -> Result<()> {
        self.draw_row(&row)?;
        self.give_back(list.push(row)?);
        Ok(())
    }

    /// Adds a key that it does not have to a set.
    fn insert(&self, set: &mut KeySet, key: Vec<u8>) -> Result<()> {
        self.draw(KeySet::cost(&key))?;
        set.insert(key);
        if let Some(overflow) = &self.overflow
            && set.spillable_bytes() > overflow.bytes_max
        {
            let before = set.bytes();
            set.spill(&overflow.directory)?;
            self.give_back(before.saturating_sub(set.bytes()));
        }
        Ok(())
    }

    /// The row of `scope` as what encloses a sub-query.
    fn enclosing<'s>(scope: &Scope<'s>) -> Enclosing<'s> {
        Enclosing { row: scope.row, next: scope.enclosing }
    }
}

/// A whole number that a variable of the session is.
fn variable(scope: &Scope<'_>, name: &str, default: usize) -> Result<usize> {
    if scope.context.is_none() {
        return Ok(default);
    }
    let kind = Kind::SystemVariable(name.to_owned(), false);
    let variable = Node::new(kind, BIGINT, true);
    let value = variable.evaluate(scope)?;
    let number = Number::of(value.datum(), scope.zone).map(|(number, _)| number.to_i128());
    Ok(number.and_then(|number| usize::try_from(number).ok()).unwrap_or(default))
}

/// The memory that a row takes, about.
fn row_bytes(row: &[Value]) -> usize {
    let texts = row.iter().map(|value| match value {
        Value::Bytes(bytes) => bytes.len(),
        _ => 0,
    });
    ROW_BYTES + row.len() * VALUE_BYTES + texts.sum::<usize>()
}
