//! Sub-queries in expressions: scalar, EXISTS, IN, ANY and ALL.
//!
//! Invariants
//! 1. A correlated scalar sub-query gives at most one row, as DataFusion asks: one that does not
//!    aggregate is made to give any of its values.
//!
//! Not here: derived tables (`relation`).

use std::sync::Arc;

use datafusion::arrow::datatypes::Field;
use datafusion::common::Spans;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::functions_aggregate::count::count;
use datafusion::functions_aggregate::first_last::first_value_udaf;
use datafusion::logical_expr::expr::{AggregateFunction, Exists, InSubquery};
use datafusion::logical_expr::{
    Case, Expr, LogicalPlan, LogicalPlanBuilder, Operator, Subquery, lit,
};
use sqlparser::ast;

use super::super::failure::translate;
use super::super::kernels::{CollationKey, RowFunction};
use super::Binder;
use super::cast::call;
use super::comparison::{Common, common_form, compare};
use super::predicates::{columns_wanted, row_parts};
use super::query::Bound;
use super::scope::Scope;
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
    pub(super) fn scalar_subquery(&self, scope: &Scope<'_>, query: &ast::Query) -> Result<Typed> {
        let (mut plan, column) = self.one_column(scope, query)?;
        if is_correlated(&plan) && !gives_one_row(&plan) {
            plan = first_row(plan, &column.expr)?;
        } else if !column.nullable {
            plan = may_be_null(plan, &column)?;
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
        if scope.filters() {
            let expr = Expr::Exists(Exists { subquery: subquery(bound.plan), negated });
            return Ok(Typed::truth(expr, false));
        }
        let found = counted(bound.plan)?.gt(lit(0i64));
        Ok(self.negate_if(Typed::truth(found, false), negated))
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
        self.member(scope, &tested, plan, &column, negated)
    }

    fn member(
        &self,
        scope: &Scope<'_>,
        tested: &Typed,
        plan: LogicalPlan,
        column: &Typed,
        negated: bool,
    ) -> Result<Typed> {
        if tested.kind == Kind::Null || column.kind == Kind::Null {
            return Ok(Typed::known_truth(None));
        }
        if !scope.filters() {
            return self.counted_member(scope, tested, plan, column, negated);
        }
        if negated && is_correlated(&plan) {
            return self.no_member(scope, tested, plan, column);
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

    /// NOT IN over rows that depend on the outer one: no row is equal, or might be.
    fn no_member(
        &self,
        scope: &Scope<'_>,
        tested: &Typed,
        plan: LogicalPlan,
        column: &Typed,
    ) -> Result<Typed> {
        let outer = outer_reference(scope, tested)?;
        let equal = compare(Operator::Eq, column, &outer, self.zone());
        let filter =
            if equal.nullable { Expr::IsNotFalse(Box::new(equal.expr)) } else { equal.expr };
        let plan = filtered(plan, filter)?;
        let exists = Exists { subquery: subquery(plan), negated: true };
        Ok(Typed::truth(Expr::Exists(exists), false))
    }

    /// IN where its value is wanted, not only whether it holds: equal rows are counted, and rows
    /// that might be equal make it unknown.
    fn counted_member(
        &self,
        scope: &Scope<'_>,
        tested: &Typed,
        plan: LogicalPlan,
        column: &Typed,
        negated: bool,
    ) -> Result<Typed> {
        let outer = outer_reference(scope, tested)?;
        let equal = compare(Operator::Eq, column, &outer, self.zone());
        let found = counted(filtered(plan.clone(), equal.expr)?)?.gt(lit(0i64));
        if !tested.nullable && !column.nullable {
            return Ok(self.negate_if(Typed::truth(found, false), negated));
        }
        let mut unknown: Option<Expr> = None;
        if column.nullable {
            let nulls = filtered(plan.clone(), column.expr.clone().is_null())?;
            unknown = Some(counted(nulls)?.gt(lit(0i64)));
        }
        if tested.nullable {
            let any = counted(plan)?.gt(lit(0i64));
            let lost = tested.expr.clone().is_null().and(any);
            unknown = Some(unknown.map_or(lost.clone(), |before| before.or(lost)));
        }
        let truth = |truth| Box::new(lit(datafusion::common::ScalarValue::Boolean(truth)));
        let unknown = unknown.unwrap_or_else(|| lit(false));
        let branches = vec![(Box::new(found), truth(Some(true))), (Box::new(unknown), truth(None))];
        let case = Expr::Case(Case::new(None, branches, Some(truth(Some(false)))));
        Ok(self.negate_if(Typed::truth(case, true), negated))
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
        let mut all: Option<Expr> = None;
        let mut nullable = false;
        for (left, column) in tested.iter().zip(&bound.columns) {
            let outer = outer_reference(scope, left)?;
            let equal = compare(Operator::Eq, &column.typed(), &outer, self.zone());
            nullable |= equal.nullable;
            all = Some(match all {
                None => equal.expr,
                Some(before) => before.and(equal.expr),
            });
        }
        let all = all.ok_or_else(|| columns_wanted(1))?;
        // NOT IN: no row is equal, or might be.
        let all = if negated && nullable { Expr::IsNotFalse(Box::new(all)) } else { all };
        let plan = filtered(bound.plan, all)?;
        if !scope.filters() {
            let found = counted(plan)?.gt(lit(0i64));
            return Ok(self.negate_if(Typed::truth(found, false), negated));
        }
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
            (B::Eq, true) | (B::NotEq, false) => {
                let (column, negated) = (column.typed(), !any);
                return self.member(scope, &tested, bound.plan, &column, negated);
            }
            _ => {}
        }
        self.quantified_search(scope, &tested, op, bound, any)
    }

    /// Other comparisons with ANY and ALL, as a search for a row that decides them.
    fn quantified_search(
        &self,
        scope: &Scope<'_>,
        tested: &Typed,
        op: &ast::BinaryOperator,
        bound: Bound,
        any: bool,
    ) -> Result<Typed> {
        use ast::BinaryOperator as B;
        let op = match op {
            B::Lt => Operator::Lt,
            B::LtEq => Operator::LtEq,
            B::Gt => Operator::Gt,
            B::GtEq => Operator::GtEq,
            B::Eq => Operator::Eq,
            B::NotEq => Operator::NotEq,
            other => return Err(SqlError::syntax(&other.to_string(), 1)),
        };
        let qualifier = self.qualifier("#all");
        let bound = bound.under(&qualifier)?;
        let column = bound.columns[0].typed();
        let outer = outer_reference(scope, tested)?;
        // ANY: some row compares so. ALL: there is no row that does not.
        let condition = compare(op, &outer, &column, self.zone());
        let filter = if any { condition.expr } else { Expr::IsNotTrue(Box::new(condition.expr)) };
        let plan = filtered(bound.plan, filter)?;
        if !scope.filters() {
            let found = counted(plan)?.gt(lit(0i64));
            return Ok(self.negate_if(Typed::truth(found, false), !any));
        }
        let exists = Exists { subquery: subquery(plan), negated: !any };
        Ok(Typed::truth(Expr::Exists(exists), false))
    }
}

fn filtered(plan: LogicalPlan, filter: Expr) -> Result<LogicalPlan> {
    LogicalPlanBuilder::new(plan)
        .filter(filter)
        .and_then(LogicalPlanBuilder::build)
        .map_err(translate)
}

/// How many rows a sub-query has, as a value.
fn counted(plan: LogicalPlan) -> Result<Expr> {
    let none: Vec<Expr> = Vec::new();
    let plan = LogicalPlanBuilder::new(plan)
        .aggregate(none, vec![count(lit(1i64)).alias("#n")])
        .and_then(LogicalPlanBuilder::build)
        .map_err(translate)?;
    Ok(Expr::ScalarSubquery(subquery(plan)))
}

/// A value of the outer row, seen from inside a sub-query over it.
fn outer_reference(scope: &Scope<'_>, typed: &Typed) -> Result<Typed> {
    let mut unknown = false;
    let expr = typed.expr.clone().transform(|expr| {
        let Expr::Column(column) = expr else { return Ok(Transformed::no(expr)) };
        let found = scope
            .relations
            .iter()
            .flat_map(|relation| &relation.columns)
            .find(|known| known.column == column);
        let Some(known) = found else {
            unknown = true;
            return Ok(Transformed::no(Expr::Column(column)));
        };
        let field = Field::new(column.name.clone(), known.kind.arrow(), known.nullable);
        Ok(Transformed::yes(Expr::OuterReferenceColumn(Arc::new(field), column)))
    });
    let expr = expr.map_err(translate)?.data;
    if unknown {
        return Err(SqlError::unsupported("a grouped value compared with a sub-query"));
    }
    Ok(Typed { expr, ..typed.clone() })
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

/// Tells DataFusion that the value may be NULL: it is when there is no row.
fn may_be_null(plan: LogicalPlan, column: &Typed) -> Result<LogicalPlan> {
    let ty = column.ty();
    let function = RowFunction::new(
        "one_or_null",
        "",
        vec![ty.clone()],
        Some(ty),
        false,
        Arc::new(|args| Ok(args[0].to_value())),
    );
    LogicalPlanBuilder::new(plan)
        .project(vec![call(function, vec![column.expr.clone()]).alias("#one")])
        .and_then(LogicalPlanBuilder::build)
        .map_err(translate)
}

/// One row with the value that comes first: in the order of ORDER BY, if there is one.
fn first_row(plan: LogicalPlan, value: &Expr) -> Result<LogicalPlan> {
    let plan = match plan {
        LogicalPlan::Limit(limit) if limit.skip.is_none() => Arc::unwrap_or_clone(limit.input),
        other => other,
    };
    // A projection above the sort only drops columns that nobody else wants.
    let plan = match plan {
        LogicalPlan::Projection(projection)
            if matches!(*projection.input, LogicalPlan::Sort(_)) =>
        {
            Arc::unwrap_or_clone(projection.input)
        }
        other => other,
    };
    let (input, order) = match plan {
        LogicalPlan::Sort(sort) => (Arc::unwrap_or_clone(sort.input), sort.expr),
        other => (other, Vec::new()),
    };
    let first = Expr::AggregateFunction(AggregateFunction::new_udf(
        first_value_udaf(),
        vec![value.clone()],
        false,
        None,
        order,
        None,
    ));
    let none: Vec<Expr> = Vec::new();
    LogicalPlanBuilder::new(input)
        .aggregate(none, vec![first.alias("#any")])
        .and_then(LogicalPlanBuilder::build)
        .map_err(translate)
}
