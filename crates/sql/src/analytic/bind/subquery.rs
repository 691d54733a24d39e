//! Sub-queries in expressions: scalar, EXISTS, IN, ANY and ALL.
//!
//! Invariants
//! 1. A correlated scalar sub-query gives at most one row, as DataFusion asks: one that does not
//!    aggregate is made to give any of its values.
//!
//! Not here: derived tables (`relation`).

use std::sync::Arc;

use datafusion::common::{Column, Spans};
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, Operator, Subquery,
};
use sqlparser::ast;

use super::super::failure::translate;
use super::Binder;
use super::comparison::{Common, common_form, compare};
use super::grouping::any_value;
use super::predicates::{columns_wanted, row_parts};
use super::query::Bound;
use super::scope::Scope;
use super::super::kernels::CollationKey;
use super::cast::call;
use super::typed::{Kind, Typed};
use crate::error::{Result, SqlError};

fn subquery(plan: LogicalPlan) -> Subquery {
    let outer_ref_columns = plan.all_out_ref_exprs();
    Subquery { subquery: Arc::new(plan), outer_ref_columns, spans: Spans::new() }
}

fn is_correlated(plan: &LogicalPlan) -> bool {
    !plan.all_out_ref_exprs().is_empty()
}

impl Binder<'_> {
    fn one_column(&self, scope: &Scope<'_>, query: &ast::Query) -> Result<(LogicalPlan, Typed)> {
        let bound = self.query(query, Some(scope))?;
        let [column] = &bound.columns[..] else { return Err(columns_wanted(1)) };
        let typed = column.typed();
        Ok((bound.plan, typed))
    }

    /// `(SELECT ...)` as a value.
    pub(super) fn scalar_subquery(
        &self,
        scope: &Scope<'_>,
        query: &ast::Query,
    ) -> Result<Typed> {
        let (mut plan, column) = self.one_column(scope, query)?;
        if is_correlated(&plan) && !gives_one_row(&plan) {
            let value = any_value(column.expr.clone()).alias("#any");
            let none: Vec<Expr> = Vec::new();
            plan = LogicalPlanBuilder::new(without_limit(plan))
                .aggregate(none, vec![value])
                .and_then(LogicalPlanBuilder::build)
                .map_err(translate)?;
        }
        let expr = Expr::ScalarSubquery(subquery(plan));
        let firmness = column.firmness;
        Ok(Typed {
            expr,
            kind: column.kind,
            nullable: true,
            firmness,
            constant: None,
            origin: None,
        })
    }

    /// `[NOT] EXISTS (SELECT ...)`.
    pub(super) fn exists(
        &self,
        scope: &Scope<'_>,
        query: &ast::Query,
        negated: bool,
    ) -> Result<Typed> {
        let bound = self.query(query, Some(scope))?;
        let expr = Expr::Exists(Exists { subquery: subquery(bound.plan), negated });
        Ok(Typed::truth(expr, false))
    }

    /// `expr [NOT] IN (SELECT ...)`, also of rows.
    pub(super) fn in_subquery(
        &self,
        scope: &Scope<'_>,
        tested: &ast::Expr,
        query: &ast::Query,
        negated: bool,
        depth: usize,
    ) -> Result<Typed> {
        if let Some(parts) = row_parts(tested) {
            return self.row_in_subquery(scope, parts, query, negated, depth);
        }
        let tested = self.nested(scope, tested, depth)?;
        let (plan, column) = self.one_column(scope, query)?;
        self.member(&tested, plan, &column, negated)
    }

    fn member(
        &self,
        tested: &Typed,
        plan: LogicalPlan,
        column: &Typed,
        negated: bool,
    ) -> Result<Typed> {
        if tested.kind == Kind::Null || column.kind == Kind::Null {
            return Ok(Typed::known_truth(None));
        }
        let (left, right, common) = common_form(tested, column, self.zone());
        let (left, right) = match common {
            Common::Same => (left.expr, right.expr),
            Common::Text(collation) => {
                let key = |text: Expr| call(CollationKey::new(collation), vec![text]);
                (key(left.expr), key(right.expr))
            }
        };
        let plan = if right == column.expr {
            plan
        } else {
            LogicalPlanBuilder::new(plan)
                .project(vec![right.alias("#in")])
                .and_then(LogicalPlanBuilder::build)
                .map_err(translate)?
        };
        let expr = Expr::InSubquery(InSubquery::new(Box::new(left), subquery(plan), negated));
        Ok(Typed::truth(expr, tested.nullable || column.nullable))
    }

    /// `(a, b) IN (SELECT c, d ...)`: a row for which all parts are equal exists.
    fn row_in_subquery(
        &self,
        scope: &Scope<'_>,
        parts: &[ast::Expr],
        query: &ast::Query,
        negated: bool,
        depth: usize,
    ) -> Result<Typed> {
        let tested = parts
            .iter()
            .map(|part| self.nested(scope, part, depth))
            .collect::<Result<Vec<Typed>>>()?;
        let bound = self.query(query, Some(scope))?;
        if bound.columns.len() != tested.len() {
            return Err(columns_wanted(tested.len()));
        }
        let qualifier = self.qualifier("#row");
        let bound = bound.under(&qualifier)?;
        let mut all: Option<Expr> = None;
        for (left, column) in tested.iter().zip(&bound.columns) {
            let outer = outer_reference(left)?;
            let equal = compare(Operator::Eq, &column.typed(), &outer, self.zone()).expr;
            all = Some(match all {
                None => equal,
                Some(before) => before.and(equal),
            });
        }
        let all = all.ok_or_else(|| columns_wanted(1))?;
        let plan = LogicalPlanBuilder::new(bound.plan)
            .filter(all)
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)?;
        Ok(Typed::truth(Expr::Exists(Exists { subquery: subquery(plan), negated }), false))
    }

    /// `left op ANY (SELECT ...)` and ALL.
    pub(super) fn quantified(
        &self,
        scope: &Scope<'_>,
        left: &ast::Expr,
        op: &ast::BinaryOperator,
        right: &ast::Expr,
        any: bool,
        depth: usize,
    ) -> Result<Typed> {
        use ast::BinaryOperator as B;
        let query = match right {
            ast::Expr::Subquery(query) => query,
            other => return Err(SqlError::syntax(&other.to_string(), 1)),
        };
        let tested = self.nested(scope, left, depth)?;
        let bound = self.query(query, Some(scope))?;
        let [column] = &bound.columns[..] else { return Err(columns_wanted(1)) };
        match (op, any) {
            (B::Eq, true) => return self.member(&tested, bound.plan.clone(), &column.typed(), false),
            (B::NotEq, false) => {
                return self.member(&tested, bound.plan.clone(), &column.typed(), true);
            }
            _ => {}
        }
        self.quantified_extreme(&tested, op, bound, any)
    }

    /// `> ALL` is "greater than the greatest", with no rows true; NULLs are left out of account.
    fn quantified_extreme(
        &self,
        tested: &Typed,
        op: &ast::BinaryOperator,
        bound: Bound,
        any: bool,
    ) -> Result<Typed> {
        use ast::BinaryOperator as B;
        let (op, negate) = match op {
            B::Lt => (Operator::Lt, Operator::GtEq),
            B::LtEq => (Operator::LtEq, Operator::Gt),
            B::Gt => (Operator::Gt, Operator::LtEq),
            B::GtEq => (Operator::GtEq, Operator::Lt),
            B::Eq => (Operator::Eq, Operator::NotEq),
            B::NotEq => (Operator::NotEq, Operator::Eq),
            other => return Err(SqlError::syntax(&other.to_string(), 1)),
        };
        let qualifier = self.qualifier("#all");
        let bound = bound.under(&qualifier)?;
        let column = bound.columns[0].typed();
        let outer = outer_reference(tested)?;
        // ANY: some row compares so. ALL: no row compares otherwise.
        let wanted = if any { op } else { negate };
        let condition = compare(wanted, &outer, &column, self.zone());
        let plan = LogicalPlanBuilder::new(bound.plan)
            .filter(condition.expr)
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)?;
        let exists = Exists { subquery: subquery(plan), negated: !any };
        Ok(Typed::truth(Expr::Exists(exists), false))
    }
}

/// A value of the outer row, seen from inside a sub-query over it.
fn outer_reference(typed: &Typed) -> Result<Typed> {
    let expr = typed.expr.clone();
    let expr = match expr {
        Expr::Literal(..) => expr,
        Expr::Column(column) => outer_column(typed, column),
        _ => return Err(SqlError::unsupported("a computed row compared with a sub-query")),
    };
    Ok(Typed { expr, ..typed.clone() })
}

fn outer_column(typed: &Typed, column: Column) -> Expr {
    let field = datafusion::arrow::datatypes::Field::new(
        column.name.clone(),
        typed.kind.arrow(),
        typed.nullable,
    );
    Expr::OuterReferenceColumn(Arc::new(field), column)
}

/// Whether a plan aggregates everything into one row.
fn gives_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::Projection(projection) => gives_one_row(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => gives_one_row(&alias.input),
        LogicalPlan::Limit(limit) => gives_one_row(&limit.input),
        LogicalPlan::Sort(sort) => gives_one_row(&sort.input),
        _ => false,
    }
}

/// LIMIT 1 says what "any of its values" says already.
fn without_limit(plan: LogicalPlan) -> LogicalPlan {
    match plan {
        LogicalPlan::Limit(limit) if limit.skip.is_none() => Arc::unwrap_or_clone(limit.input),
        other => other,
    }
}
