//! Lowering: the bound tree of a query becomes a plan of DataFusion, with the tree's names, types
//! and meaning.
//!
//! ```text
//! query     set operations, VALUES, ORDER BY and LIMIT      select    one SELECT, part by part
//! relation  tables, derived tables, joins                   grouping  GROUP BY, ROLLUP
//! scalar    expressions; what DataFusion means otherwise is evaluated row by row (`lift`)
//! compare   comparisons that indexes and hash joins see     convert   types into one another
//! aggregate, window, subquery
//! recursion  WITH RECURSIVE, run before the plan is made
//! ```
//! DataFusion's own SQL planner is not used: the tree has resolved names, collations and types
//! already, for both executors.
//!
//! Invariants
//! 1. Every conversion is written into the plan; DataFusion's type coercion finds nothing to do.
//! 2. An expression over a row has exactly the Arrow type of its node's type (`columns`); a
//!    condition is Arrow's Boolean.
//! 3. What cannot be said in a plan is refused with 1235, and is the row executor's.
//!
//! Not here: running plans (`runtime`), tables (`scan`).

mod aggregate;
mod compare;
mod convert;
mod distinct;
mod grouping;
mod lift;
mod query;
mod recursion;
mod relation;
mod row;
mod scalar;
mod select;
mod subquery;
mod window;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use datafusion::common::Column;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, ScalarUDF, ScalarUDFImpl};
use executor::RecursionRows;
use expression::{Environment, Kind, Node, is_blank};
use plan::context::SqlContext;
use plan::tree::Query;
use results::Result;
use rows::store::Read;
use rows::{Engine, Table};
use values::ErrorCode;
use values::datum::Datum;
use values::temporal::Zone;
use values::types::ColumnType;

use super::failure::no_plan;
use super::plan_cache::Statement;

/// Lowers the queries of one statement.
pub(super) struct Lowering<'a> {
    engine: &'a Arc<Engine>,
    view: &'a Arc<dyn Read>,
    facts: &'a Arc<SqlContext>,
    /// What literals and `?` stand for.
    parameters: &'a [Datum<'a>],
    /// Whether the statement sets a user variable: it is no constant then.
    assigns: bool,
    /// How often a qualifier was given to a relation.
    qualifiers: RefCell<HashMap<String, usize>>,
    /// Functions that are evaluated row by row: equal ones have one number.
    lifted: RefCell<HashMap<String, usize>>,
    names: Cell<usize>,
    /// Tables that the plan reads.
    tables: RefCell<Vec<Arc<Table>>>,
    /// About how many rows the files have that it reads.
    file_rows: Cell<u64>,
    /// What expressions of the plan ask that are evaluated row by row.
    statement: Arc<Statement>,
    /// Whether the plan has something of this one statement besides that.
    is_of_once: Cell<bool>,
    /// Whether the plan is only looked at.
    is_shown: bool,
    /// The rows of recursions, by their queries' ids.
    recursions: RefCell<HashMap<usize, Arc<RecursionRows>>>,
}

/// A lowered statement.
pub(super) struct LoweredStatement {
    pub(super) plan: LogicalPlan,
    /// About how many rows its tables and files have.
    pub(super) stored_rows: u64,
    /// How often it reads a table.
    pub(super) tables: usize,
    /// What its expressions ask.
    pub(super) statement: Arc<Statement>,
    /// Whether it says the same as any other execution would, with the same parameters, time
    /// zone and mode.
    pub(super) repeats: bool,
}

impl<'a> Lowering<'a> {
    /// For one statement; `assigns` if it sets user variables.
    pub(super) fn new(
        engine: &'a Arc<Engine>,
        view: &'a Arc<dyn Read>,
        facts: &'a Arc<SqlContext>,
        parameters: &'a [Datum<'a>],
        assigns: bool,
    ) -> Lowering<'a> {
        Lowering {
            engine,
            view,
            facts,
            parameters,
            assigns,
            qualifiers: RefCell::default(),
            lifted: RefCell::default(),
            names: Cell::default(),
            tables: RefCell::default(),
            file_rows: Cell::default(),
            statement: Statement::of(facts),
            is_of_once: Cell::new(assigns),
            is_shown: false,
            recursions: RefCell::default(),
        }
    }

    /// The same for a plan that is only looked at: recursions are not run for it.
    pub(super) fn shown_only(self, is_shown: bool) -> Lowering<'a> {
        Lowering { is_shown, ..self }
    }

    /// Lowers a whole statement's query.
    ///
    /// # Errors
    /// 1235 for what no plan can say; those of evaluating LIMIT.
    pub(super) fn statement(self, query: &Query) -> Result<LoweredStatement> {
        let lowered = self.query(query, None)?;
        let stored_rows = stored_rows(self.engine, self.view.as_ref(), &self.tables.borrow())?
            .saturating_add(self.file_rows.get());
        Ok(LoweredStatement {
            plan: lowered.plan,
            stored_rows,
            tables: self.tables.borrow().len(),
            statement: self.statement,
            repeats: !self.is_of_once.get(),
        })
    }

    /// Notes that what an expression comes to becomes a part of the plan.
    fn note_known(&self, node: &Node) {
        let mut asks = false;
        node.visit(&mut |part| {
            // A time of day becomes a time of this day.
            asks |= matches!(part.ty, ColumnType::Time { .. })
                || matches!(
                    part.kind,
                    Kind::Call(..)
                        | Kind::Assign(..)
                        | Kind::UserVariable(_)
                        | Kind::SystemVariable(..)
                );
        });
        if asks {
            self.is_of_once.set(true);
        }
    }

    /// Warns of a text that is no number beside one. It is looked at when the plan is made, so that
    /// is one for this statement. Nothing is 0.
    fn warn_of_text(&self, text: &[u8]) {
        if is_blank(text) {
            return;
        }
        self.is_of_once.set(true);
        let text = String::from_utf8_lossy(text);
        let message = format!("Truncated incorrect DOUBLE value: '{text}'");
        self.facts
            .limits
            .with_warnings(|warnings| warnings.push_once(ErrorCode::TruncatedWrongValue, message));
    }

    fn zone(&self) -> Zone {
        self.facts.zone
    }

    /// What an expression is evaluated over where there is no row.
    fn environment(&self) -> Environment<'_> {
        Environment::of(self.facts, self.parameters)
    }

    /// A name that no other column of the plan has.
    fn name(&self, kind: &str) -> String {
        let number = self.names.replace(self.names.get() + 1);
        format!("#{kind}{number}")
    }

    /// A qualifier that no other relation of the plan has.
    fn qualifier(&self, wanted: &str) -> String {
        let mut taken = self.qualifiers.borrow_mut();
        let count = taken.entry(wanted.to_owned()).or_default();
        *count += 1;
        if *count == 1 { wanted.to_owned() } else { format!("{wanted}#{count}") }
    }
}

/// About how many stored rows some tables have.
pub(super) fn stored_rows(engine: &Engine, view: &dyn Read, tables: &[Arc<Table>]) -> Result<u64> {
    let mut rows = 0;
    for table in tables {
        rows += plan::estimate::estimated_rows(engine, view, table)?;
    }
    Ok(rows)
}

/// A column of our own making: those have no qualifier.
fn column(name: &str) -> Expr {
    Expr::Column(Column::new_unqualified(name))
}

/// A call of one of our functions.
fn call(function: impl ScalarUDFImpl + 'static, args: Vec<Expr>) -> Expr {
    let function = Arc::new(ScalarUDF::new_from_impl(function));
    Expr::ScalarFunction(ScalarFunction::new_udf(function, args))
}

/// What a builder has come to.
fn built(builder: datafusion::common::Result<LogicalPlanBuilder>) -> Result<LogicalPlan> {
    builder.and_then(LogicalPlanBuilder::build).map_err(no_plan)
}

/// A plan with a filter on top.
fn filtered(plan: LogicalPlan, condition: Expr) -> Result<LogicalPlan> {
    built(LogicalPlanBuilder::new(plan).filter(condition))
}

/// A plan with a projection on top.
fn projected(plan: LogicalPlan, columns: Vec<Expr>) -> Result<LogicalPlan> {
    built(LogicalPlanBuilder::new(plan).project(columns))
}
