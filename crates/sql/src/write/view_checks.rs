//! WITH CHECK OPTION where it asks for more than the row that is written: queries, or rows of the
//! other tables of a view.
//!
//! Invariants
//! 1. A condition sees the row as it is to be, and the other tables' rows as the statement's query
//!    saw them. A row that is new stands beside none of these, whose columns are NULL then (MySQL
//!    9.7: tests/oracle/sql/check-options.sql).
//! 2. Unknown is not enough.
//!
//! Conditions of the row alone are checks of its table, for the statement.
//!
//! Not here: which conditions a view has (`updatable_view`).

use std::ops::ControlFlow;
use std::sync::Arc;

use expression::{Environment, Node, RowView};
use rows::rules::Check;
use rows::store::Reach;
use rows::table::Table;
use rows::view::View;
use sqlparser::ast::{Expr, Ident, visit_expressions};
use values::datum::{Datum, Value};
use values::{ErrorCode, SqlMode};

use super::WriteContext;
use super::found_rows::FoundIn;
use super::updatable_view::{UpdatableView, asks_query};
use plan::bind::scalar::{Bound, IncomingNames, Names, bind};
use results::{Result, SqlError};

/// A condition that WITH CHECK OPTION asks.
#[derive(Clone, Debug)]
pub struct ViewCondition {
    /// The view that says so.
    pub view: Arc<View>,
    /// The name that its sub-queries have for the table.
    pub shown: String,
    /// The condition, in which the table's columns have no qualifier outside of sub-queries.
    pub condition: Expr,
}

/// Another table of a view.
#[derive(Clone, Debug)]
pub struct OtherTable {
    /// The name that the view has for it.
    pub shown: String,
    /// Which of the view's relations it is, from 0 on.
    pub number: usize,
    /// The table.
    pub table: Arc<Table>,
}

/// Binds a condition over a row, with the rights that a view's query has.
pub type BindCondition<'a> = &'a dyn Fn(&View, &Expr, &Table, &Names<'_>) -> Bound<Node>;

impl UpdatableView {
    /// The table, with what must hold for rows that are written through the view, as far as it
    /// looks at nothing else.
    ///
    /// # Errors
    /// Those of binding the view's condition.
    pub fn checked_table(&self) -> Bound<Arc<Table>> {
        let names = Names::of(&self.table, None, "where clause", SqlMode::default());
        let check = |ViewCondition { view, condition, .. }: &ViewCondition| {
            // Unknown is not enough.
            let holds = Expr::IsTrue(Box::new(Expr::Nested(Box::new(condition.clone()))));
            let condition = bind(&holds, &names)?;
            let name = format!("{}.{}", view.database, view.name);
            Ok(Check { name, condition, is_of_view: true })
        };
        let checks = self.checks.iter().filter(|check| !self.asks_more(check));
        let checks = checks.map(check).collect::<Bound<Vec<Check>>>()?;
        if checks.is_empty() {
            return Ok(Arc::clone(&self.table));
        }
        Ok(Arc::new(self.table.with_checks(checks).map_err(SqlError::from)?))
    }

    /// Whether a condition looks at more than the row: asks a query, or names other tables.
    fn asks_more(&self, check: &ViewCondition) -> bool {
        let is_other = |name: &Ident| self.others.iter().any(|other| other.shown == name.value);
        let names_other = visit_expressions(&check.condition, |expr| match expr {
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [.., of, _] if is_other(of) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            },
            _ => ControlFlow::Continue(()),
        });
        names_other.is_break() || asks_query(&check.condition)
    }

    /// What else must hold for rows that are written through the view.
    ///
    /// # Errors
    /// Those of binding the view's condition.
    pub fn asked_checks(&self, bind: BindCondition<'_>) -> Bound<AskedChecks> {
        let asked = self.checks.iter().filter(|check| self.asks_more(check));
        let asked: Vec<&ViewCondition> = asked.collect();
        AskedChecks::bind(&self.table, &asked, &self.others, bind)
    }
}

/// Conditions, bound over a row and columns of other tables behind it.
#[derive(Debug, Default)]
pub struct AskedChecks {
    /// Each with the name of the view that says so.
    checks: Vec<(String, Node)>,
    /// The columns of other tables: of which relation, and where in its table.
    others: Vec<(OtherTable, usize)>,
}

impl AskedChecks {
    /// Binds conditions of rows of a table.
    ///
    /// # Errors
    /// Those of binding them.
    pub fn bind(
        table: &Table,
        conditions: &[&ViewCondition],
        tables: &[OtherTable],
        bind: BindCondition<'_>,
    ) -> Bound<AskedChecks> {
        let mut asked = AskedChecks::default();
        let mut incoming = IncomingNames::default();
        for ViewCondition { condition, .. } in conditions {
            let _whole = visit_expressions(condition, |expr| {
                let Expr::CompoundIdentifier(parts) = expr else {
                    return ControlFlow::<()>::Continue(());
                };
                let [.., of, name] = &parts[..] else { return ControlFlow::Continue(()) };
                let other = tables.iter().find(|other| other.shown == of.value);
                if let Some(other) = other
                    && let Some(at) = other.table.column(&name.value)
                {
                    let ty = other.table.columns[at].ty.clone();
                    let parts = parts.iter().map(|part| part.value.clone());
                    incoming.beside.push((parts.collect(), ty));
                    asked.others.push((other.clone(), at));
                }
                ControlFlow::Continue(())
            });
        }
        for ViewCondition { view, shown, condition } in conditions {
            let names = Names {
                incoming: Some(&incoming),
                ..Names::of(table, Some(shown), "where clause", SqlMode::default())
            };
            let holds = Expr::IsTrue(Box::new(Expr::Nested(Box::new(condition.clone()))));
            let node = bind(view, &holds, table, &names)?;
            asked.checks.push((format!("{}.{}", view.database, view.name), node));
        }
        Ok(asked)
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    /// The relations whose rows' keys `values_beside` is to be given.
    pub fn other_relations(&self) -> impl Iterator<Item = usize> {
        self.others.iter().map(|(other, _)| other.number)
    }

    /// The columns of other tables, whose rows have these keys.
    ///
    /// # Errors
    /// Those of reading the rows.
    pub fn values_beside(&self, state: &FoundIn<'_>, keys: &[Datum<'_>]) -> Result<Vec<Value>> {
        let value = |((other, column), key): (&(OtherTable, usize), &Datum<'_>)| {
            let mut value = Value::Null;
            if let Datum::Bytes(key) = key {
                let visit = &mut |found: rows::FoundRow<'_>| {
                    value = found.row.column(*column)?.to_value();
                    Ok(())
                };
                state.engine.get_stored(state.view, &other.table, key, Reach::Disk, visit)?;
            }
            Ok(value)
        };
        self.others.iter().zip(keys).map(value).collect()
    }

    /// Refuses a row for which a condition does not hold; `beside` are the columns of other tables,
    /// none of a row that is new.
    ///
    /// # Errors
    /// 1369; those of evaluating the conditions.
    pub fn check(
        &self,
        context: &WriteContext<'_>,
        table: &Table,
        row: &[Datum<'_>],
        beside: &[Value],
    ) -> Result<()> {
        if self.checks.is_empty() {
            return Ok(());
        }
        let width = table.columns.len();
        let computed = context.computed(table, row)?;
        let mut all: Vec<Datum<'_>> = row.to_vec();
        for (position, value) in &computed {
            all[*position] = value.as_datum();
        }
        all.resize(2 * width, Datum::Null);
        all.extend(beside.iter().map(Value::as_datum));
        all.resize(2 * width + self.others.len(), Datum::Null);
        let incoming = RowView::Datums(&all[width..]);
        let environment = Environment { incoming, ..context.environment() };
        let scope = environment.scope().with_row(RowView::Datums(&all));
        for (view, condition) in &self.checks {
            if !condition.holds(&scope)? {
                let message = format!("CHECK OPTION failed '{view}'");
                return Err(SqlError::new(ErrorCode::ViewCheckFailed, message));
            }
        }
        Ok(())
    }
}
