//! Binding: a parsed SELECT becomes a DataFusion plan with MySQL's names, types and meaning.
//!
//! ```text
//! query      WITH, UNION and its kin, ORDER BY and LIMIT of the whole
//! select     one SELECT: FROM, WHERE, GROUP BY, HAVING, windows, list, DISTINCT, ORDER BY
//! relation   FROM: tables, derived tables, joins
//! scope      what names mean        grouping   what columns mean above a GROUP BY
//! expression operators and forms    functions, aggregates, windows, subquery
//! typed      an expression with its MySQL type; cast, comparison, arithmetic, unify over it
//! ```
//!
//! DataFusion's own SQL planner is not used: names without case, collations, MySQL's types and
//! its loose GROUP BY would each have to be undone after it.
//!
//! Invariants
//! 1. Every conversion is written into the plan; DataFusion's type coercion finds nothing to do.
//! 2. Column names in plans are ours and unique; names for clients are kept beside the plan.
//!
//! Not here: running plans (`runtime`), tables (`scan`).

mod aggregates;
mod arithmetic;
mod cast;
mod comparison;
mod expression;
mod functions;
mod grouping;
mod literals;
mod predicates;
mod query;
mod relation;
mod scope;
mod select;
mod subquery;
mod typed;
mod unify;
mod windows;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

use datafusion::logical_expr::LogicalPlan;
use rows::store::Read;
use rows::temporal::Zone;
use rows::{Engine, Table};
use sqlparser::ast;

pub(super) use query::OutputColumn;

use crate::context::Facts;
use crate::error::{Result, SqlError};

/// What a statement is bound against.
pub(super) struct Binder<'a> {
    /// Rows and catalog.
    pub(super) engine: &'a Arc<Engine>,
    /// What is read.
    pub(super) view: &'a Arc<dyn Read>,
    /// The statement's surroundings.
    pub(super) facts: &'a Arc<Facts>,
    /// WITH, innermost last.
    ctes: RefCell<Vec<(String, query::Bound)>>,
    /// Qualifiers given to relations so far.
    qualifiers: RefCell<HashSet<String>>,
    /// Tables that the plan reads.
    tables: RefCell<Vec<Arc<Table>>>,
    /// The outermost SELECT, and its items as they were written: they name its columns.
    titles: RefCell<Option<(*const ast::Select, Vec<String>)>>,
    /// Queries around the one at hand.
    nesting: Cell<usize>,
}

impl<'a> Binder<'a> {
    pub(super) fn new(
        engine: &'a Arc<Engine>,
        view: &'a Arc<dyn Read>,
        facts: &'a Arc<Facts>,
    ) -> Binder<'a> {
        Binder {
            engine,
            view,
            facts,
            ctes: RefCell::default(),
            qualifiers: RefCell::default(),
            tables: RefCell::default(),
            titles: RefCell::default(),
            nesting: Cell::default(),
        }
    }

    /// Binds a whole statement; `texts` are the items of its first SELECT as they were written,
    /// or nothing.
    pub(super) fn statement(
        &self,
        query: &ast::Query,
        texts: &[String],
    ) -> Result<(LogicalPlan, Vec<OutputColumn>)> {
        let first = first_select(&query.body);
        *self.titles.borrow_mut() = first
            .filter(|select| select.projection.len() == texts.len())
            .map(|select| (std::ptr::from_ref(select), texts.to_vec()));
        let bound = self.query(query, None)?;
        Ok((bound.plan, bound.columns))
    }

    /// The text of an item of a SELECT list, if it is known.
    fn title(&self, select: &ast::Select, item: usize) -> Option<String> {
        let titles = self.titles.borrow();
        let (first, texts) = titles.as_ref()?;
        if std::ptr::eq(*first, select) { texts.get(item).cloned() } else { None }
    }

    /// About how many stored rows the bound statement's tables have.
    pub(super) fn stored_rows(&self) -> Result<u64> {
        let mut rows = 0;
        for table in &*self.tables.borrow() {
            rows += crate::estimate::estimated_rows(self.engine, self.view.as_ref(), table)?;
        }
        Ok(rows)
    }

    /// The session's time zone.
    fn zone(&self) -> Zone {
        self.facts.zone
    }

    /// A qualifier that no other relation of the statement has.
    fn qualifier(&self, wanted: &str) -> String {
        let mut taken = self.qualifiers.borrow_mut();
        let mut name = wanted.to_owned();
        let mut count = 1;
        while !taken.insert(name.clone()) {
            count += 1;
            name = format!("{wanted}#{count}");
        }
        name
    }
}

/// The SELECT that names the columns of the whole.
fn first_select(body: &ast::SetExpr) -> Option<&ast::Select> {
    match body {
        ast::SetExpr::Select(select) => Some(select),
        ast::SetExpr::Query(query) => first_select(&query.body),
        ast::SetExpr::SetOperation { left, .. } => first_select(left),
        _ => None,
    }
}

/// A limit of the binder's own recursion: expressions nested deeper are refused, not crashed on.
const DEPTH_MAX: usize = 200;

/// Deepest nesting of queries, MySQL's (MAX_SELECT_NESTING).
const QUERIES_NESTED_MAX: usize = 63;
/// Most columns of a derived table, MySQL's.
const COLUMNS_MAX: usize = 4096;

impl Binder<'_> {
    /// Refuses a table of WITH that is so large that its uses would cost, each as much as it.
    fn check_size(&self, bound: &query::Bound) -> Result<()> {
        if bound.columns.len() > COLUMNS_MAX {
            return Err(SqlError::new(1117, "Too many columns"));
        }
        super::planning::check_size(&bound.plan)
    }
}

fn too_deep() -> SqlError {
    SqlError::new(1436, "Thread stack overrun: expression nested too deeply")
}
