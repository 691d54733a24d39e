//! Queries: WITH, set operations, ORDER BY and LIMIT of the whole.
//!
//! Invariants
//! 1. The columns of a bound query stand in its plan under unique names; names for the client
//!    may repeat.
//!
//! Not here: a single SELECT (`select`), recursion, which the row executor alone has.

use std::sync::Arc;

use datafusion::common::{Column, TableReference};
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Union};
use rows::datum::Value;
use sqlparser::ast;

use super::super::failure::translate;
use super::cast::cast;
use super::grouping::{any_value, distinct_keys, key_of};
use super::scope::{Clause, Relation, Scope, ScopeColumn};
use super::typed::{Kind, Typed};
use super::unify::unify;
use super::{Binder, QUERIES_NESTED_MAX, too_deep};
use crate::bind::{check_recursion, is_recursive};
use crate::error::{Result, SqlError};
use crate::reply::ResultColumn;

/// The longest chain of UNION and its kin.
const SET_OPERATIONS_MAX: usize = 2000;

/// A column that a query gives.
#[derive(Clone, Debug)]
pub(in crate::analytic) struct OutputColumn {
    /// Its name for the client.
    pub name: String,
    /// Its place in the plan.
    pub column: Column,
    /// Its type.
    pub kind: Kind,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// How firmly it insists on its collation.
    pub firmness: u8,
    /// The table column that it is.
    pub origin: Option<Arc<ResultColumn>>,
}

impl OutputColumn {
    /// The column as an expression over the query's plan.
    pub(in crate::analytic) fn typed(&self) -> Typed {
        Typed {
            expr: Expr::Column(self.column.clone()),
            kind: self.kind.clone(),
            nullable: self.nullable,
            firmness: self.firmness,
            constant: None,
            origin: self.origin.clone(),
        }
    }
}

/// A bound query.
#[derive(Clone, Debug)]
pub(in crate::analytic) struct Bound {
    /// What DataFusion runs.
    pub plan: LogicalPlan,
    /// Its columns, in order.
    pub columns: Vec<OutputColumn>,
}

impl Bound {
    /// The query as a relation: its columns under a qualifier.
    pub(in crate::analytic) fn under(self, qualifier: &str) -> Result<Bound> {
        let reference = TableReference::bare(qualifier);
        let plan = LogicalPlanBuilder::new(self.plan)
            .alias(reference.clone())
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)?;
        let columns = self
            .columns
            .into_iter()
            .map(|mut column| {
                column.column = Column::new(Some(reference.clone()), column.column.name);
                column
            })
            .collect();
        Ok(Bound { plan, columns })
    }

    /// What an outer query sees of it.
    pub(in crate::analytic) fn scope_columns(&self) -> Vec<ScopeColumn> {
        self.columns
            .iter()
            .map(|column| ScopeColumn {
                name: column.name.clone(),
                column: column.column.clone(),
                kind: column.kind.clone(),
                nullable: column.nullable,
                firmness: column.firmness,
                origin: column.origin.clone(),
                hidden: false,
                shadowed: false,
                merged: false,
            })
            .collect()
    }
}

impl Binder<'_> {
    /// Binds a query; `parent` is the SELECT around it.
    pub(super) fn query(&self, query: &ast::Query, parent: Option<&Scope<'_>>) -> Result<Bound> {
        self.facts.limits.check()?;
        if self.nesting.get() >= QUERIES_NESTED_MAX {
            return Err(SqlError::new(1473, "Too high level of nesting for select"));
        }
        self.nesting.set(self.nesting.get() + 1);
        let ctes_before = self.ctes.borrow().len();
        let out = self.query_with(query, parent);
        self.ctes.borrow_mut().truncate(ctes_before);
        self.nesting.set(self.nesting.get() - 1);
        out
    }

    fn query_with(&self, query: &ast::Query, parent: Option<&Scope<'_>>) -> Result<Bound> {
        if let Some(with) = &query.with {
            for cte in &with.cte_tables {
                if with.recursive && is_recursive(cte) {
                    check_recursion(cte)?;
                    return Err(SqlError::unsupported("a recursive table of this form"));
                }
                let bound = self.query(&cte.query, parent)?;
                let bound = renamed(bound, &cte.alias)?;
                self.check_size(&bound)?;
                self.ctes.borrow_mut().push((cte.alias.name.value.clone(), bound));
            }
        }
        let order: &[ast::OrderByExpr] = match query.order_by.as_ref().map(|order| &order.kind) {
            None => &[],
            Some(ast::OrderByKind::Expressions(items)) => items,
            Some(ast::OrderByKind::All(_)) => return Err(SqlError::syntax("ORDER BY ALL", 1)),
        };
        let bound = match &*query.body {
            ast::SetExpr::Select(select) => self.select(select, order, parent)?,
            body => {
                let bound = self.set_expr(body, parent)?;
                self.ordered(bound, order, parent)?
            }
        };
        self.limited(bound, query, parent)
    }

    fn set_expr(&self, body: &ast::SetExpr, parent: Option<&Scope<'_>>) -> Result<Bound> {
        match body {
            ast::SetExpr::Select(select) => self.select(select, &[], parent),
            ast::SetExpr::Query(query) => self.query(query, parent),
            ast::SetExpr::SetOperation { .. } => self.set_operations(body, parent),
            ast::SetExpr::Values(values) => self.values(values, parent),
            ast::SetExpr::Table(table) => {
                let mut name = Vec::new();
                name.extend(table.schema_name.as_deref().map(ast::Ident::new));
                name.extend(table.table_name.as_deref().map(ast::Ident::new));
                self.whole_table(&ast::ObjectName::from(name))
            }
            other => Err(SqlError::syntax(&other.to_string(), 1)),
        }
    }

    /// A chain of set operations, which nests to the left.
    fn set_operations(&self, body: &ast::SetExpr, parent: Option<&Scope<'_>>) -> Result<Bound> {
        let mut steps = Vec::new();
        let mut first = body;
        while let ast::SetExpr::SetOperation { op, set_quantifier, left, right } = first {
            let all = matches!(set_quantifier, ast::SetQuantifier::All);
            steps.push((*op, all, &**right));
            first = left;
        }
        if steps.len() > SET_OPERATIONS_MAX {
            return Err(too_deep());
        }
        let same = |step: &(ast::SetOperator, bool, &ast::SetExpr)| {
            step.0 == ast::SetOperator::Union && step.1 == steps[0].1
        };
        let mut bound = self.set_expr(first, parent)?;
        if steps.iter().all(same) {
            let all = steps[0].1;
            let mut sides = vec![bound];
            for (_, _, right) in steps.into_iter().rev() {
                sides.push(self.set_expr(right, parent)?);
            }
            let bound = self.union_all(&sides)?;
            return if all { Ok(bound) } else { distinct(bound) };
        }
        for (op, all, right) in steps.into_iter().rev() {
            let right = self.set_expr(right, parent)?;
            bound = self.set_operation(op, all, bound, right)?;
        }
        Ok(bound)
    }

    fn set_operation(
        &self,
        op: ast::SetOperator,
        all: bool,
        left: Bound,
        right: Bound,
    ) -> Result<Bound> {
        if op == ast::SetOperator::Union {
            let bound = self.union_all(&[left, right])?;
            return if all { Ok(bound) } else { distinct(bound) };
        }
        let columns = common_columns(&[&left, &right])?;
        let (a, b) = (self.aligned(&left, &columns)?, self.aligned(&right, &columns)?);
        let plan = match op {
            ast::SetOperator::Intersect => LogicalPlanBuilder::intersect(a, b, all),
            _ => LogicalPlanBuilder::except(a, b, all),
        };
        Ok(Bound { plan: plan.map_err(translate)?, columns })
    }

    /// The rows of all sides, in the types that hold them all.
    fn union_all(&self, sides: &[Bound]) -> Result<Bound> {
        let columns = common_columns(&sides.iter().collect::<Vec<_>>())?;
        let inputs = sides
            .iter()
            .map(|side| Ok(Arc::new(self.aligned(side, &columns)?)))
            .collect::<Result<Vec<_>>>()?;
        let union = Union::try_new_with_loose_types(inputs).map_err(translate)?;
        Ok(Bound { plan: LogicalPlan::Union(union), columns })
    }

    /// A side of a set operation with its columns converted and named alike.
    fn aligned(&self, side: &Bound, to: &[OutputColumn]) -> Result<LogicalPlan> {
        let exprs = side.columns.iter().zip(to).map(|(column, to)| {
            let value = cast(&column.typed(), &to.kind.column_type(), self.zone());
            value.expr.alias(to.column.name.clone())
        });
        LogicalPlanBuilder::new(side.plan.clone())
            .project(exprs.collect::<Vec<Expr>>())
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)
    }

    fn values(&self, values: &ast::Values, parent: Option<&Scope<'_>>) -> Result<Bound> {
        let scope = Scope::new(parent, Vec::new());
        let mut union: Option<Bound> = None;
        for row in &values.rows {
            let exprs = row
                .content
                .iter()
                .map(|ast| self.expr(&scope, ast))
                .collect::<Result<Vec<Typed>>>()?;
            let bound = row_of(exprs)?;
            union = Some(match union {
                None => bound,
                Some(before) => self.set_operation(ast::SetOperator::Union, true, before, bound)?,
            });
        }
        union.ok_or_else(|| SqlError::syntax("VALUES", 1))
    }

    /// ORDER BY over the columns of a set operation.
    fn ordered(
        &self,
        bound: Bound,
        order: &[ast::OrderByExpr],
        parent: Option<&Scope<'_>>,
    ) -> Result<Bound> {
        if order.is_empty() {
            return Ok(bound);
        }
        let relation =
            Relation { name: String::new(), database: None, columns: bound.scope_columns() };
        let scope = Scope::new(parent, vec![relation]);
        scope.clause.set(Clause::Order);
        let mut sorts = Vec::with_capacity(order.len());
        for item in order {
            let typed = match position(&item.expr, bound.columns.len(), "order clause")? {
                Some(at) => bound.columns[at].typed(),
                None => self.expr(&scope, &item.expr)?,
            };
            sorts.push(sort_by(key_of(&typed), item));
        }
        let plan = LogicalPlanBuilder::new(bound.plan)
            .sort(sorts)
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)?;
        Ok(Bound { plan, columns: bound.columns })
    }

    fn limited(
        &self,
        bound: Bound,
        query: &ast::Query,
        parent: Option<&Scope<'_>>,
    ) -> Result<Bound> {
        let (limit, offset) = match &query.limit_clause {
            None => return Ok(bound),
            Some(ast::LimitClause::LimitOffset { limit, offset, .. }) => {
                (limit.as_ref(), offset.as_ref().map(|offset| &offset.value))
            }
            Some(ast::LimitClause::OffsetCommaLimit { offset, limit }) => {
                (Some(limit), Some(offset))
            }
        };
        let scope = Scope::new(parent, Vec::new());
        let fetch = limit.map(|limit| self.row_count(&scope, limit)).transpose()?;
        let skip = offset.map(|offset| self.row_count(&scope, offset)).transpose()?;
        let plan = LogicalPlanBuilder::new(bound.plan)
            .limit(skip.unwrap_or(0), fetch)
            .and_then(LogicalPlanBuilder::build)
            .map_err(translate)?;
        Ok(Bound { plan, columns: bound.columns })
    }

    fn row_count(&self, scope: &Scope<'_>, ast: &ast::Expr) -> Result<usize> {
        // DataFusion counts in 64 signed bits; nothing has more rows.
        const ROWS_MAX: u64 = i64::MAX as u64;
        match self.expr(scope, ast)?.constant {
            Some(Value::Int(count)) => usize::try_from(count).ok(),
            Some(Value::UInt(count)) => Some(count.min(ROWS_MAX) as usize),
            _ => None,
        }
        .ok_or_else(|| SqlError::new(1327, format!("Undeclared variable: {ast}")))
    }
}

/// The columns of a set operation: names of the first side, types that hold every side's values.
fn common_columns(sides: &[&Bound]) -> Result<Vec<OutputColumn>> {
    let first = &sides[0].columns;
    if sides.iter().any(|side| side.columns.len() != first.len()) {
        return Err(SqlError::new(
            1222,
            "The used SELECT statements have a different number of columns",
        ));
    }
    let names = unique_names(first.iter().map(|column| column.name.as_str()));
    let column = |(at, name): (usize, String)| {
        let all: Vec<Typed> = sides.iter().map(|side| side.columns[at].typed()).collect();
        let (kind, firmness) = unify(&all);
        OutputColumn {
            name: first[at].name.clone(),
            column: Column::new_unqualified(name),
            kind: Kind::Of(kind.column_type()),
            nullable: all.iter().any(|typed| typed.nullable),
            firmness,
            origin: None,
        }
    };
    Ok(names.into_iter().enumerate().map(column).collect())
}

/// One row of constants.
fn row_of(exprs: Vec<Typed>) -> Result<Bound> {
    let mut columns = Vec::with_capacity(exprs.len());
    let mut named = Vec::with_capacity(exprs.len());
    for (at, typed) in exprs.into_iter().enumerate() {
        let typed = super::cast::value_form(&typed);
        let name = format!("column_{at}");
        named.push(typed.expr.alias(name.clone()));
        columns.push(OutputColumn {
            column: Column::new_unqualified(name.clone()),
            name,
            kind: typed.kind,
            nullable: typed.nullable,
            firmness: typed.firmness,
            origin: None,
        });
    }
    let plan = LogicalPlanBuilder::empty(true)
        .project(named)
        .and_then(LogicalPlanBuilder::build)
        .map_err(translate)?;
    Ok(Bound { plan, columns })
}

/// Renames the columns of a derived table or CTE: `t (a, b)`.
pub(in crate::analytic) fn renamed(mut bound: Bound, alias: &ast::TableAlias) -> Result<Bound> {
    if alias.columns.is_empty() {
        return Ok(bound);
    }
    if alias.columns.len() != bound.columns.len() {
        return Err(SqlError::new(
            1353,
            "In definition of view, derived table or common table expression, SELECT list and \
             column names list have different column counts",
        ));
    }
    for (column, alias) in bound.columns.iter_mut().zip(&alias.columns) {
        column.name = alias.name.value.clone();
    }
    Ok(bound)
}

/// Without rows that are equal under the columns' collations.
pub(in crate::analytic) fn distinct(bound: Bound) -> Result<Bound> {
    let columns: Vec<Typed> = bound.columns.iter().map(OutputColumn::typed).collect();
    let builder = LogicalPlanBuilder::new(bound.plan);
    let Some(keys) = distinct_keys(&columns) else {
        let plan = builder.distinct().and_then(LogicalPlanBuilder::build).map_err(translate)?;
        return Ok(Bound { plan, columns: bound.columns });
    };
    let keys = keys.into_iter().enumerate().map(|(at, key)| key.alias(format!("#g{at}")));
    let values = columns
        .iter()
        .zip(&bound.columns)
        .map(|(typed, column)| any_value(typed.expr.clone()).alias(column.column.name.clone()));
    let back = bound
        .columns
        .iter()
        .map(|column| Expr::Column(Column::new_unqualified(column.column.name.clone())));
    let plan = builder
        .aggregate(keys.collect::<Vec<_>>(), values.collect::<Vec<_>>())
        .and_then(|builder| builder.project(back.collect::<Vec<_>>()))
        .and_then(LogicalPlanBuilder::build)
        .map_err(translate)?;
    let columns = bound
        .columns
        .into_iter()
        .map(|mut column| {
            column.column = Column::new_unqualified(column.column.name);
            column
        })
        .collect();
    Ok(Bound { plan, columns })
}

/// The position that a number in ORDER BY or GROUP BY means; 1054 when there is no such column.
pub(in crate::analytic) fn position(
    ast: &ast::Expr,
    columns: usize,
    clause: &str,
) -> Result<Option<usize>> {
    let ast::Expr::Value(value) = ast else { return Ok(None) };
    let ast::Value::Number(text, _) = &value.value else { return Ok(None) };
    let Ok(at) = text.parse::<usize>() else { return Ok(None) };
    if at == 0 || at > columns {
        return Err(SqlError::unknown_column(text, clause));
    }
    Ok(Some(at - 1))
}

/// One ORDER BY item; NULL sorts lowest, as in MySQL.
pub(in crate::analytic) fn sort_by(key: Expr, item: &ast::OrderByExpr) -> Sort {
    let ascending = item.options.asc != Some(false);
    Sort { expr: key, asc: ascending, nulls_first: ascending }
}

/// Names for columns of a plan: as wanted, repeated ones numbered.
pub(in crate::analytic) fn unique_names<'n>(wanted: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut taken = std::collections::HashSet::new();
    wanted
        .map(|wanted| {
            let mut name = wanted.to_owned();
            let mut count = 1;
            while !taken.insert(name.clone()) {
                count += 1;
                name = format!("{wanted}#{count}");
            }
            name
        })
        .collect()
}
