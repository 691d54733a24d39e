//! Expressions over a row that a statement writes, in which sub-queries stand: those of ON
//! DUPLICATE KEY UPDATE and of LOAD DATA's SET.
//!
//! ```text
//! slots 0..n     the columns of the row at hand
//! slots n..      what INSERT would add: its columns, and what its query gives beside them
//! ```
//! A sub-query sees both as the row that encloses it, so that it is planned and run as one within a
//! query.
//!
//! Invariants
//! 1. The table that is written is none of those that the sub-queries read: error 1093.
//!
//! Not here: running them (`executor::with_subqueries`), expressions without sub-queries
//! (`scalar`), UPDATE, whose rows a query finds then (`write::joined`).

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use expression::{Kind, Node, RESULT_CHARS_MAX, text_type};
use rows::table::Table;
use sqlparser::ast::{Expr, Function, Ident, visit_expressions};
use syntax::MATCH;
use values::ErrorCode;
use values::types::ColumnType;

use super::scope::QueryScope;
use super::{Binder, Literals, finish};
use crate::bind::scalar::{Bound, Names, Resolver, bind, needs_literals, needs_query};
use crate::context::SqlContext;
use crate::optimize::{Sizes, plan_query};
use crate::tree::{AggregateFunction, Body};
use results::{ExecutionMode, SqlError};

/// Whether something stands in an expression that only a query's binder gives a meaning to: a
/// sub-query, or an aggregate, which is refused there.
pub fn is_beyond_scalars(expr: &Expr) -> bool {
    visit_expressions(expr, |expr| match expr {
        Expr::Subquery(_)
        | Expr::Exists { .. }
        | Expr::InSubquery { .. }
        | Expr::AnyOp { .. }
        | Expr::AllOp { .. }
        | Expr::MatchAgainst { .. } => ControlFlow::Break(()),
        Expr::Function(call) if is_aggregate(call) || call.name.to_string() == MATCH => {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

fn is_aggregate(call: &Function) -> bool {
    AggregateFunction::find(&call.name.to_string().to_ascii_uppercase()).is_some()
}

/// Binds such expressions for one execution of a statement.
pub struct RowBinder<'a> {
    /// The statement's surroundings; nothing where its text is not at hand, only its shape.
    pub facts: Option<&'a SqlContext>,
    /// Where it runs: sizes of tables are read from the disk.
    pub how: ExecutionMode,
    /// How many numbers its queries have: results are kept by them, of all values together.
    pub ids: Cell<usize>,
}

impl RowBinder<'_> {
    /// Binds an expression over the row that `names` tells of.
    ///
    /// # Errors
    /// `NeedsLiterals` where only a statement's shape is at hand; 1093 for a sub-query that reads
    /// the table; 1111 for an aggregate of no query.
    pub fn bind(&self, expr: &Expr, table: &Table, names: &Names<'_>) -> Bound<Node> {
        let Some(facts) = self.facts else {
            return needs_literals("a sub-query in the shape of a statement");
        };
        if !self.how.may_wait {
            return Err(SqlError::WouldWait.into());
        }
        let row = EnclosingRow { names, missing: None };
        // What is asked for a single row's value is not locked, at SERIALIZABLE either.
        let ids = Cell::new(self.ids.get());
        let binder = Binder { reads_lock: false, ids, ..Binder::new(facts, Literals::Known(&[])) };
        let node = binder.over_row(expr, &row)?;
        let read = binder.tables.borrow();
        if read.iter().any(|read| read.database == table.database && read.name == table.name) {
            let message = format!(
                "You can't specify target table '{}' for update in FROM clause",
                table.name
            );
            return Err(SqlError::new(ErrorCode::UpdateTableUsed, message).into());
        }
        if binder.locks.get() {
            return needs_query("a sub-query that locks rows, in a value to be written");
        }
        let mut carrier = binder.query_of(Body::Values(vec![vec![node]]), Vec::new());
        self.ids.set(binder.ids.get());
        finish(&mut carrier, true);
        plan_query(&mut carrier, &Sizes::new(facts, facts.sql.engine().latest(), &[]))?;
        match carrier.body {
            Body::Values(mut rows) => Ok(rows.swap_remove(0).swap_remove(0)),
            _ => needs_query("a value"),
        }
    }

    /// The names in an expression that neither its sub-queries nor the row have: those of the
    /// tables of the query that gives the rows.
    pub fn missing_names(&self, expr: &Expr, names: &Names<'_>) -> Vec<Vec<String>> {
        let missing = RefCell::default();
        if let Some(facts) = self.facts {
            let row = EnclosingRow { names, missing: Some(&missing) };
            // What else is wrong with it shows when it is bound with these names.
            drop(Binder::new(facts, Literals::Known(&[])).over_row(expr, &row));
        }
        missing.into_inner()
    }
}

/// A row that is written, as what is around sub-queries.
pub(super) struct EnclosingRow<'a> {
    names: &'a Names<'a>,
    /// Where names go that it does not have, if somebody asks for them.
    missing: Option<&'a RefCell<Vec<Vec<String>>>>,
}

impl EnclosingRow<'_> {
    /// What a name means, in the slots that sub-queries see.
    pub fn find(&self, parts: &[&str]) -> Option<Node> {
        self.find_own(parts).map(|node| self.as_enclosing(node))
    }

    /// The value of a column that INSERT would add, as VALUES() names it within a sub-query.
    pub fn incoming(&self, column: &Ident) -> Option<Node> {
        let node = self.names.incoming_column(column)?;
        Some(self.as_enclosing(node))
    }

    fn find_own(&self, parts: &[&str]) -> Option<Node> {
        let found = self.names.find(parts);
        let Some(missing) = self.missing.filter(|_| found.is_none()) else { return found };
        let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        let mut missing = missing.borrow_mut();
        if !missing.contains(&parts) {
            missing.push(parts);
        }
        Some(Node::new(Kind::Column(0), text_type(RESULT_CHARS_MAX), true))
    }

    fn as_enclosing(&self, node: Node) -> Node {
        let columns = self.names.table.map_or(0, |table| table.columns.len());
        match node.kind {
            Kind::Incoming(at) => Node { kind: Kind::Column(columns + at), ..node },
            _ => node,
        }
    }
}

/// What names and forms mean in an expression over a row, outside of its sub-queries.
struct OverRow<'a> {
    binder: &'a Binder<'a>,
    scope: &'a QueryScope<'a>,
    row: &'a EnclosingRow<'a>,
}

impl Resolver for OverRow<'_> {
    fn column(&self, parts: &[&Ident], clause: &'static str) -> Bound<Node> {
        let parts: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
        let found = self.row.find_own(&parts);
        found.ok_or_else(|| SqlError::unknown_column(&parts.join("."), clause).into())
    }

    fn default(&self, parts: &[&Ident], _clause: &'static str) -> Bound<Node> {
        Names { resolver: None, ..*self.row.names }.default(parts)
    }

    fn incoming(&self, column: &Ident) -> Option<Node> {
        self.row.names.incoming_column(column)
    }

    fn form(&self, expr: &Expr, names: &Names<'_>) -> Option<Bound<Node>> {
        let Expr::Function(call) = expr else { return self.binder.form(self.scope, expr, names) };
        if call.over.is_some() {
            return Some(needs_query("a window function outside of a query"));
        }
        let message = "Invalid use of group function";
        let refused = || Err(SqlError::new(ErrorCode::InvalidGroupFuncUse, message).into());
        is_aggregate(call).then(refused)
    }

    fn literal(&self, _number: u16) -> (ColumnType, bool) {
        (ColumnType::VarBinary { bytes: 0 }, true)
    }

    fn knows_literals(&self) -> bool {
        true
    }
}

impl Binder<'_> {
    fn over_row(&self, expr: &Expr, row: &EnclosingRow<'_>) -> Bound<Node> {
        let scope = QueryScope { row: Some(row), ..QueryScope::new(None, Vec::new()) };
        let over = OverRow { binder: self, scope: &scope, row };
        let variables = Some(&*self.facts.user_variables);
        bind(expr, &Names { resolver: Some(&over), variables, ..*row.names })
    }
}
