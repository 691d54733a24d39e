//! SHOW ... WHERE with sub-queries.
//!
//! Invariants
//! 1. A sub-query runs once, before the lines are looked at; its values stand in its place then.
//!
//! Not here: the condition over the lines (`show`). Sub-queries that name columns of the lines are
//! refused like any unknown column (1054).

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, Value as Literal, VisitMut, VisitorMut};
use syntax::show::{Filter, Show};
use values::ErrorCode;
use values::datum::{Datum, Value};
use values::types::ColumnType;

use super::Session;
use plan::bind::is_beyond_scalars;
use results::{ExecutionMode, Result, SqlError};

/// Whether a filter asks a query.
pub(super) fn asks_query(show: &Show) -> bool {
    matches!(&show.filter, Filter::Where(condition) if is_beyond_scalars(condition))
}

impl Session {
    /// The filter with the values of its sub-queries in their places.
    pub(super) fn filter_of(&mut self, show: &Show) -> Result<Filter> {
        let Filter::Where(condition) = &show.filter else { return Ok(show.filter.clone()) };
        let mut condition = condition.clone();
        if is_beyond_scalars(&condition) {
            match condition.visit(&mut Answering { session: self }) {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(error) => return Err(error),
            }
        }
        Ok(Filter::Where(condition))
    }

    /// The only value of a query's only row, and NULL without one.
    fn only_value(&mut self, query: &Query) -> Result<Expr> {
        let mut values = self.values_of_query(query, 2)?;
        match values.len() {
            0 => Ok(Expr::Value(Literal::Null.into())),
            1 => Ok(values.swap_remove(0)),
            _ => Err(SqlError::new(ErrorCode::SubqueryNo1Row, "Subquery returns more than 1 row")),
        }
    }

    /// The values of a query of one column, of so many rows at most.
    fn values_of_query(&mut self, query: &Query, rows_max: usize) -> Result<Vec<Expr>> {
        let found = self.first_rows(query, rows_max, ExecutionMode::POOL)?;
        let [ty] = &found.types[..] else { return Err(SqlError::operand_columns(1)) };
        let zone = self.variables.zone;
        let literal = |row: &Vec<Value>| {
            let datum = row[0].as_datum();
            let mut shown = Vec::new();
            expression::text_of(ty, datum, zone, &mut shown);
            let text = String::from_utf8_lossy(&shown).into_owned();
            let is_number = matches!(
                ty,
                ColumnType::Int { .. }
                    | ColumnType::Decimal { .. }
                    | ColumnType::Float(_)
                    | ColumnType::Double(_)
            );
            Expr::Value(
                match (datum, is_number) {
                    (Datum::Null, _) => Literal::Null,
                    (_, true) => Literal::Number(text, false),
                    (_, false) => Literal::SingleQuotedString(text),
                }
                .into(),
            )
        };
        Ok(found.rows.iter().map(literal).collect())
    }

    /// What an expression is that asks a query; `None` for one that asks none.
    fn answered(&mut self, expr: &Expr) -> Result<Option<Expr>> {
        Ok(match expr {
            Expr::Subquery(query) => Some(self.only_value(query)?),
            Expr::Exists { subquery, negated } => {
                let found = self.first_rows(subquery, 1, ExecutionMode::POOL)?;
                let is_there = !found.rows.is_empty();
                Some(Expr::Value(Literal::Boolean(is_there != *negated).into()))
            }
            Expr::InSubquery { expr, subquery, negated } => {
                let (expr, negated) = (expr.clone(), *negated);
                match self.values_of_query(subquery, usize::MAX)? {
                    list if list.is_empty() => Some(Expr::Value(Literal::Boolean(negated).into())),
                    list => Some(Expr::InList { expr, list, negated }),
                }
            }
            _ => None,
        })
    }
}

/// Puts values in the places of sub-queries.
struct Answering<'s> {
    session: &'s mut Session,
}

impl VisitorMut for Answering<'_> {
    type Break = SqlError;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<SqlError> {
        match self.session.answered(expr) {
            Ok(Some(value)) => *expr = value,
            Ok(None) => {}
            Err(error) => return ControlFlow::Break(error),
        }
        ControlFlow::Continue(())
    }
}
