//! The plan of a SELECT from one table by its indexes, or without a table: what runs it needs no
//! tree.
//!
//! Invariants
//! 1. It is right for literals of any kind: parameters in it have no type of their own.
//!
//! Not here: which queries have one (`optimize::look_up`), running it (`session::select`).

use std::sync::Arc;

use expression::Node;
use rows::table::Table;
use values::types::ColumnType;

use super::{BoundView, ComparedText, Locking, PinnedLiterals, QueryPlan};
use crate::index_use::IndexUse;
use crate::point::{Access, PointSortKey};
use results::ResultColumn;

/// What a query is expected to cost, in rows, from which on entries are read by a tree's plan: some
/// hundreds of them.
const COVERED_COST_MIN: f64 = 100.0;

/// A column of the result.
#[derive(Clone, Debug)]
pub enum ResultOutput {
    /// A column of the table.
    Column(usize),
    /// An expression.
    Node(Node),
}

/// Where the rows come from.
#[derive(Clone, Debug)]
pub struct RowOrigin {
    /// The table.
    pub table: Arc<Table>,
    /// Its alias or name.
    pub shown: String,
    /// The way to its rows.
    pub access: Access,
    /// Which of its indexes may be used.
    pub index_use: IndexUse,
    /// ORDER BY.
    pub sort: Vec<PointSortKey>,
    /// Whether the index gives that order, when it is used as planned.
    pub sorted: bool,
    /// FOR UPDATE, FOR SHARE.
    pub locking: Option<Locking>,
}

/// A SELECT that is a look-up.
#[derive(Clone, Debug)]
pub struct PointSelect {
    /// The table; `None` for one row of expressions.
    pub from: Option<RowOrigin>,
    /// Views that its table was named by.
    pub views: Vec<BoundView>,
    /// WHERE of a SELECT without a table, as terms joined by AND.
    pub conditions: Vec<Node>,
    /// What is given.
    pub outputs: Vec<ResultOutput>,
    /// Its columns.
    pub columns: Arc<[ResultColumn]>,
    /// LIMIT.
    pub limit: Option<Node>,
    /// OFFSET.
    pub offset: Option<Node>,
    /// Whether an expression asks the session.
    pub needs_facts: bool,
    /// Whether it can take long (SLEEP).
    pub waits: bool,
    /// Whether an expression leaves something to the session (`@a := 1`, LAST_INSERT_ID(5)).
    pub leaves_something: bool,
    /// Whether the entries of its index tell all that is asked.
    pub covered: bool,
    /// Literals whose values it depends on.
    pub pinned: PinnedLiterals,
    /// Texts that are to be days, times or numbers.
    pub compared_texts: Vec<ComparedText>,
    /// The types of the user variables that it was bound with.
    pub variables: Vec<(String, ColumnType)>,
}

impl PointSelect {
    /// Whether a tree's plan of the same query is to be run in its place, since it reads entries
    /// alone. A look-up reads a row for each, and has the first few sooner.
    pub fn is_read_by_entries(&self, tree: &QueryPlan) -> bool {
        self.covered && tree.query.cost > COVERED_COST_MIN
    }

    /// Whether the table, and the views that it was named by, are as they were.
    pub fn is_current(&self) -> bool {
        self.from.as_ref().is_none_or(|from| from.table.is_current())
            && self.views.iter().all(BoundView::is_current)
    }
}
