//! Sub-queries in expressions: scalar, EXISTS, IN, ANY and ALL.
//!
//! Where a row is wanted or not, DataFusion makes joins of them; where their value is wanted, rows
//! are counted. What depends on the enclosing row other than by equations comes here only when
//! this executor is forced (`plan::optimize::needs_rows`).
//!
//! Not here: derived tables (`relation`).

use std::sync::Arc;

use datafusion::common::Spans;
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::{
    Case, Expr, LogicalPlan, LogicalPlanBuilder, Subquery as DataFusionSubquery, lit,
};
use expression::{BIGINT, Comparison, Kind, Node, Quantifier, Subquery, SubqueryForm, common_rule};
use plan::tree::{AskedQuery, Query};
use results::{Result, SqlError};
use values::ErrorCode;
use values::types::{Collation, ColumnType};

use super::super::kernels::{CollationKey, RowFunction};
use super::aggregate::plain;
use super::compare::CompareSide;
use super::convert::{is_same, native_cast};
use super::query::is_collated;
use super::row::{LoweredColumn, LoweredQuery, Row};
use super::scalar::known_truth;
use super::{Lowering, built, call, filtered, projected};

fn of_plan(plan: LogicalPlan) -> DataFusionSubquery {
    let outer_ref_columns = plan.all_out_ref_exprs();
    DataFusionSubquery { subquery: Arc::new(plan), outer_ref_columns, spans: Spans::new() }
}

impl Lowering<'_> {
    /// A sub-query as a value, and the value's type.
    pub(super) fn subquery_value(
        &self,
        row: &Row<'_>,
        subquery: &Subquery,
    ) -> Result<(Expr, ColumnType)> {
        if !matches!(subquery.form, SubqueryForm::Scalar) {
            let truth = self.subquery_truth(row, subquery, &BIGINT, false)?;
            return Ok((native_cast(truth, &BIGINT), BIGINT));
        }
        let (expr, ty) = self.scalar_subquery(row, subquery)?;
        Ok((expr, ty))
    }

    fn scalar_subquery(&self, row: &Row<'_>, subquery: &Subquery) -> Result<(Expr, ColumnType)> {
        if subquery.is_correlated() && !subquery.query().gives_one_row() {
            // Whether there are more is known only once it has run for the row.
            return Err(SqlError::not_lowerable(
                "a correlated value that may be several in a plan",
            ));
        }
        let LoweredQuery { plan, columns } = self.query(subquery.query(), Some(row))?;
        let [column] = columns.as_slice() else {
            return Err(SqlError::new(
                ErrorCode::OperandColumns,
                "Operand should contain 1 column(s)",
            ));
        };
        let plan = match column.nullable || subquery.is_correlated() {
            true => plan,
            false => may_be_null(plan, column)?,
        };
        Ok((Expr::ScalarSubquery(of_plan(plan)), column.ty.clone()))
    }

    /// A sub-query as a truth; `demanded` where only matters whether it holds.
    pub(super) fn subquery_truth(
        &self,
        row: &Row<'_>,
        subquery: &Subquery,
        ty: &ColumnType,
        demanded: bool,
    ) -> Result<Expr> {
        match &subquery.form {
            SubqueryForm::Scalar => {
                let (expr, own) = self.scalar_subquery(row, subquery)?;
                let value = self.as_double(self.converted(expr, &own, ty), ty);
                Ok(value.not_eq(lit(0.0f64)))
            }
            // A join would ask for rows that the aggregate is computed of, not for its own row.
            SubqueryForm::Exists { negated } if subquery.query().gives_one_row() => {
                Ok(lit(!negated))
            }
            SubqueryForm::Exists { negated } => {
                let plan = self.query(subquery.query(), Some(row))?.plan;
                if subquery.is_correlated() {
                    return exists(plan, *negated, demanded);
                }
                // Asked once, and not joined with every row.
                let one = built(LogicalPlanBuilder::new(plan).limit(0, Some(1)))?;
                exists(one, *negated, false)
            }
            SubqueryForm::Compare { operands, comparison, quantifier } => {
                self.quantified(row, subquery, operands, *comparison, *quantifier, demanded)
            }
        }
    }

    fn quantified(
        &self,
        row: &Row<'_>,
        subquery: &Subquery,
        operands: &[Node],
        comparison: Comparison,
        quantifier: Quantifier,
        demanded: bool,
    ) -> Result<Expr> {
        if let ([operand], true) = (operands, subquery.query().gives_one_row()) {
            return self.with_only_row(row, subquery, operand, comparison);
        }
        let inner = self.query(subquery.query(), Some(row))?;
        if operands.len() != inner.columns.len() {
            let message = format!("Operand should contain {} column(s)", operands.len());
            return Err(SqlError::new(ErrorCode::OperandColumns, message));
        }
        let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let nullable = operands.iter().any(|node| node.nullable)
            || inner.columns.iter().any(|seen| seen.nullable);
        if let ([operand], [column]) = (operands, inner.columns.as_slice()) {
            if quantifier == Quantifier::Only {
                return self.with_only_row(row, subquery, operand, comparison);
            }
            // IN and NOT IN: `= ANY` and `<> ALL`.
            let negated = quantifier == Quantifier::All;
            let membership = (comparison == Comparison::Equal) != negated;
            if demanded && nullable && subquery.is_absence() {
                return self.absent(row, operand, (subquery.query(), inner));
            }
            if equality && membership && demanded && !(negated && subquery.is_correlated()) {
                let (column, plan) = (column.clone(), inner.plan);
                return self.member(row, operand, plan, (subquery.query(), &column), negated);
            }
            if equality && membership && nullable && !demanded {
                return self.counted_member(row, operand, (subquery.query(), inner), negated);
            }
        } else if quantifier == Quantifier::Only || !equality {
            return Err(SqlError::not_lowerable("a comparison of rows with a sub-query in a plan"));
        }
        let all = quantifier == Quantifier::All;
        if nullable && !demanded {
            return Err(SqlError::not_lowerable("such a comparison with a sub-query in a plan"));
        }
        // ANY: some row compares so. ALL: there is no row that does not.
        let columns = (subquery.query(), &*inner.columns);
        let condition = self.each_compared(row, operands, columns, comparison)?;
        let condition = if all { Expr::IsNotTrue(Box::new(condition)) } else { condition };
        exists(filtered(inner.plan, condition)?, all, demanded)
    }

    /// `operand = (SELECT ...)` and its kin.
    fn with_only_row(
        &self,
        row: &Row<'_>,
        subquery: &Subquery,
        operand: &Node,
        comparison: Comparison,
    ) -> Result<Expr> {
        let (expr, ty) = self.scalar_subquery(row, subquery)?;
        let rule = rule_of(operand, &ty);
        let left = self.side(row, operand)?;
        let right = CompareSide { expr, ty, known: None, fixed: !subquery.is_correlated() };
        Ok(self.compared_anyhow(comparison, left, right, rule))
    }

    /// The operands compared with a row of the sub-query, seen from within it.
    fn each_compared(
        &self,
        row: &Row<'_>,
        operands: &[Node],
        (query, columns): (&Query, &[LoweredColumn]),
        comparison: Comparison,
    ) -> Result<Expr> {
        // Rows differ where they are not equal.
        let negated = comparison == Comparison::NotEqual && operands.len() > 1;
        let each = if negated { Comparison::Equal } else { comparison };
        let mut all: Option<Expr> = None;
        for (at, (operand, seen)) in operands.iter().zip(columns).enumerate() {
            let mut left = self.side(row, operand)?;
            left.expr = row.seen_within(left.expr)?;
            let right = CompareSide {
                expr: seen.expr(),
                ty: seen.ty.clone(),
                known: None,
                fixed: query.is_fixed(at),
            };
            let rule = rule_of(operand, &seen.ty);
            let equal = self.compared_anyhow(each, left, right, rule);
            all = Some(match all {
                None => equal,
                Some(before) => before.and(equal),
            });
        }
        let all = all.unwrap_or_else(|| lit(true));
        Ok(if negated { Expr::Not(Box::new(all)) } else { all })
    }

    /// `operand [NOT] IN (SELECT ...)` where a row is wanted or not.
    fn member(
        &self,
        row: &Row<'_>,
        operand: &Node,
        plan: LogicalPlan,
        (query, column): (&Query, &LoweredColumn),
        negated: bool,
    ) -> Result<Expr> {
        let value = self.value(row, operand)?;
        let rule = rule_of(operand, &column.ty);
        let Some((left, right)) = self.common(value, &operand.ty, column, rule) else {
            let operands = std::slice::from_ref(operand);
            let columns = (query, std::slice::from_ref(column));
            let condition = self.each_compared(row, operands, columns, Comparison::Equal)?;
            let condition = if negated { Expr::IsNotFalse(Box::new(condition)) } else { condition };
            return exists(filtered(plan, condition)?, negated, true);
        };
        let plan = match right == column.expr() {
            true => plan,
            false => projected(plan, vec![right.alias(self.name("in"))])?,
        };
        Ok(Expr::InSubquery(InSubquery::new(Box::new(left), of_plan(plan), negated)))
    }

    /// `operand NOT IN (SELECT ...)` where a row is wanted or not, and NULLs may make it unknown:
    /// no row is equal, none is NULL, and the operand is not NULL unless there is no row.
    fn absent(
        &self,
        row: &Row<'_>,
        operand: &Node,
        (query, inner): (&Query, LoweredQuery),
    ) -> Result<Expr> {
        let LoweredQuery { plan, columns } = inner;
        let [column] = columns.as_slice() else {
            return Err(SqlError::other("a membership of several columns"));
        };
        let operands = std::slice::from_ref(operand);
        let equal = self.each_compared(row, operands, (query, &columns), Comparison::Equal)?;
        let mut absent = exists(filtered(plan.clone(), equal)?, true, true)?;
        let none_of = |plan: LogicalPlan| {
            exists(built(LogicalPlanBuilder::new(plan).limit(0, Some(1)))?, true, false)
        };
        if column.nullable {
            absent = absent.and(none_of(filtered(plan.clone(), column.expr().is_null())?)?);
        }
        if operand.nullable {
            let there = self.value(row, operand)?.is_not_null();
            absent = absent.and(there.or(none_of(plan)?));
        }
        Ok(absent)
    }

    /// Both sides of a membership in a form in which equality is that of Arrow's values.
    fn common(
        &self,
        value: Expr,
        ty: &ColumnType,
        column: &LoweredColumn,
        rule: Collation,
    ) -> Option<(Expr, Expr)> {
        let other = column.expr();
        if is_collated(ty) || is_collated(&column.ty) {
            let text = |ty: &ColumnType| super::super::columns::is_string(ty);
            let is_json = |ty: &ColumnType| *ty == ColumnType::Json;
            if !text(ty) || !text(&column.ty) || is_json(ty) || is_json(&column.ty) {
                return None;
            }
            if rule == Collation::Binary {
                return Some((value, other));
            }
            let key = |text: Expr| call(CollationKey::new(rule), vec![text]);
            return Some((key(value), key(other)));
        }
        is_same(ty, &column.ty).then_some((value, other))
    }

    /// IN where its value is wanted, not only whether it holds: equal rows are counted, and rows
    /// that might be equal make it unknown.
    fn counted_member(
        &self,
        row: &Row<'_>,
        operand: &Node,
        (query, inner): (&Query, LoweredQuery),
        negated: bool,
    ) -> Result<Expr> {
        let LoweredQuery { plan, columns } = inner;
        let [column] = columns.as_slice() else {
            return Err(SqlError::other("a membership of several columns"));
        };
        let operands = std::slice::from_ref(operand);
        let equal = self.each_compared(row, operands, (query, &columns), Comparison::Equal)?;
        let found = counted(filtered(plan.clone(), equal)?)?.gt(lit(0i64));
        let mut unknown = lit(false);
        if column.nullable {
            let nulls = filtered(plan.clone(), column.expr().is_null())?;
            unknown = counted(nulls)?.gt(lit(0i64));
        }
        if operand.nullable {
            let lost = self.value(row, operand)?.is_null();
            unknown = unknown.or(lost.and(counted(plan)?.gt(lit(0i64))));
        }
        let truth = |truth| Box::new(known_truth(truth));
        let branches = vec![(Box::new(found), truth(Some(true))), (Box::new(unknown), truth(None))];
        let case = Expr::Case(Case::new(None, branches, Some(truth(Some(false)))));
        Ok(if negated { Expr::Not(Box::new(case)) } else { case })
    }
}

/// Whether a plan has rows.
fn exists(plan: LogicalPlan, negated: bool, demanded: bool) -> Result<Expr> {
    if demanded {
        return Ok(Expr::Exists(Exists { subquery: of_plan(plan), negated }));
    }
    let rows = counted(plan)?;
    Ok(if negated { rows.eq(lit(0i64)) } else { rows.gt(lit(0i64)) })
}

/// How many rows a sub-query has, as a value.
fn counted(plan: LogicalPlan) -> Result<Expr> {
    let none: Vec<Expr> = Vec::new();
    let count = plain(count_udaf(), vec![lit(1i64)], false).alias("#n");
    let plan = built(LogicalPlanBuilder::new(plan).aggregate(none, vec![count]))?;
    Ok(Expr::ScalarSubquery(of_plan(plan)))
}

/// The collation under which an operand compares with a column.
fn rule_of(operand: &Node, ty: &ColumnType) -> Collation {
    let column = Node::new(Kind::Column(0), ty.clone(), true);
    common_rule([operand, &column].into_iter())
}

/// Tells DataFusion that the value may be NULL: it is when there is no row.
fn may_be_null(plan: LogicalPlan, column: &LoweredColumn) -> Result<LogicalPlan> {
    let function = RowFunction::new(
        "one_or_null",
        "",
        vec![column.ty.clone()],
        Some(column.ty.clone()),
        false,
        Arc::new(|args| Ok(args[0].to_value())),
    );
    projected(plan, vec![call(function, vec![column.expr()]).alias("#one")])
}
