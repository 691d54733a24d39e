//! One SELECT, in the order in which MySQL gives its parts their meaning:
//!
//! ```text
//! FROM > WHERE > GROUP BY > list > HAVING > ORDER BY      names are bound in this order
//! scan > filter > aggregate > filter > window > project > distinct > sort > drop extra columns
//! ```
//!
//! Invariants
//! 1. The plan ends in a projection (or a sort over one) whose columns have unique names.
//! 2. What ORDER BY needs and the list does not show is carried in columns `#s0`... and dropped.
//!
//! Not here: LIMIT (`query`), FROM (`relation`).

use datafusion::common::Column;
use datafusion::logical_expr::utils::split_conjunction_owned;
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, LogicalPlanBuilder, Operator, lit};
use sqlparser::ast;

use super::super::failure::translate;
use super::Binder;
use super::aggregates::contains_aggregate;
use super::cast::value_form;
use super::grouping::{Grouping, any_value, distinct_keys, key_of};
use super::query::{Bound, OutputColumn, position, sort_by, unique_names};
use super::scope::{Clause, Scope};
use super::typed::Typed;
use crate::error::{Result, SqlError};

/// An item of the select list.
struct Item {
    name: String,
    typed: Typed,
}

/// An item of ORDER BY.
struct SortItem<'q> {
    typed: Typed,
    ast: &'q ast::OrderByExpr,
}

impl Binder<'_> {
    /// Binds a SELECT with its ORDER BY.
    pub(super) fn select(
        &self,
        select: &ast::Select,
        order: &[ast::OrderByExpr],
        parent: Option<&Scope<'_>>,
    ) -> Result<Bound> {
        refuse_foreign(select)?;
        let (mut plan, relations) = self.from(&select.from, parent)?;
        let mut scope = Scope::new(parent, relations);
        scope.named_windows.clone_from(&select.named_window);
        if let Some(selection) = &select.selection {
            let condition = scope.within(Clause::Where, || self.predicate(&scope, selection))?;
            plan = match parent {
                Some(_) => self.correlated_filter(plan, condition)?,
                None => build(LogicalPlanBuilder::new(plan).filter(condition))?,
            };
        }
        let grouped = self.group(&scope, select, order)?;
        *scope.windows.borrow_mut() = Some(Vec::new());
        let items = self.items(&scope, select)?;
        *scope.aliases.borrow_mut() =
            items.iter().map(|item| (item.name.clone(), item.typed.clone())).collect();
        let having = match &select.having {
            None => None,
            Some(having) => Some(scope.within(Clause::Having, || self.predicate(&scope, having))?),
        };
        let sorts = scope.within(Clause::Order, || self.sort_items(&scope, order, &items))?;
        if grouped {
            let grouping = scope.grouping.take().unwrap_or_default();
            plan = grouping.over(plan, order.is_empty()).map_err(translate)?;
        }
        if let Some(having) = having {
            plan = build(LogicalPlanBuilder::new(plan).filter(having))?;
        }
        let windows = scope.windows.take().unwrap_or_default();
        if !windows.is_empty() {
            plan = LogicalPlanBuilder::window_plan(plan, windows).map_err(translate)?;
        }
        let distinct = matches!(select.distinct, Some(ast::Distinct::Distinct));
        project(plan, items, sorts, distinct, parent.is_some())
    }

    /// A filter that may compare with the outer row. Decorrelation wants a bare column on the
    /// inner side of an equation: what is computed there becomes a column first.
    fn correlated_filter(&self, plan: LogicalPlan, condition: Expr) -> Result<LogicalPlan> {
        let mut computed: Vec<Expr> = Vec::new();
        let mut side = |inner: Expr, outer: &Expr| {
            let wanted = !matches!(inner, Expr::Column(_) | Expr::Literal(..))
                && !inner.contains_outer()
                && inner.any_column_refs()
                && outer.contains_outer()
                && !outer.any_column_refs();
            if !wanted {
                return inner;
            }
            let name = self.qualifier("#k");
            computed.push(inner.alias(name.clone()));
            Expr::Column(Column::new_unqualified(name))
        };
        let conjuncts = split_conjunction_owned(condition).into_iter().map(|term| match term {
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => {
                let left = side(*left, &right);
                let right = side(*right, &left);
                left.eq(right)
            }
            other => other,
        });
        let condition = conjuncts.reduce(Expr::and).unwrap_or_else(|| lit(true));
        let mut builder = LogicalPlanBuilder::new(plan);
        if !computed.is_empty() {
            let columns = builder.schema().columns().into_iter().map(Expr::Column);
            let columns: Vec<Expr> = columns.chain(computed).collect();
            builder = builder.project(columns).map_err(translate)?;
        }
        build(builder.filter(condition))
    }

    /// Sets the scope's grouping when the SELECT has one; whether it has.
    fn group(
        &self,
        scope: &Scope<'_>,
        select: &ast::Select,
        order: &[ast::OrderByExpr],
    ) -> Result<bool> {
        let (keys, modifiers) = match &select.group_by {
            ast::GroupByExpr::Expressions(keys, modifiers) => (keys, modifiers.as_slice()),
            ast::GroupByExpr::All(_) => return Err(SqlError::unsupported("GROUP BY ALL")),
        };
        let rollup = match modifiers {
            [] => false,
            [ast::GroupByWithModifier::Rollup] => true,
            _ => return Err(SqlError::syntax("GROUP BY with a modifier", 1)),
        };
        let in_list = select.projection.iter().any(|item| match item {
            ast::SelectItem::UnnamedExpr(expr) => contains_aggregate(expr),
            ast::SelectItem::ExprWithAlias { expr, .. } => contains_aggregate(expr),
            _ => false,
        });
        let grouped = !keys.is_empty()
            || in_list
            || select.having.as_ref().is_some_and(contains_aggregate)
            || order.iter().any(|item| contains_aggregate(&item.expr));
        if !grouped {
            return Ok(false);
        }
        let bound = keys
            .iter()
            .map(|key| self.group_key_of(scope, select, key))
            .collect::<Result<Vec<Typed>>>()?;
        *scope.grouping.borrow_mut() = Some(Grouping::new(bound, rollup));
        Ok(true)
    }

    /// A GROUP BY key: a position, a column, an alias, or an expression.
    fn group_key_of(
        &self,
        scope: &Scope<'_>,
        select: &ast::Select,
        key: &ast::Expr,
    ) -> Result<Typed> {
        let key = match key {
            ast::Expr::Nested(inner) => inner,
            key => key,
        };
        let listed = |item: &ast::SelectItem| match item {
            ast::SelectItem::UnnamedExpr(expr) => Some(expr.clone()),
            ast::SelectItem::ExprWithAlias { expr, .. } => Some(expr.clone()),
            _ => None,
        };
        let ast = match position(key, select.projection.len(), "group statement")? {
            Some(at) => listed(&select.projection[at])
                .ok_or_else(|| SqlError::unsupported("the position of * in GROUP BY"))?,
            None => key.clone(),
        };
        if contains_aggregate(&ast) {
            return Err(SqlError::new(1056, format!("Can't group on '{ast}'")));
        }
        let direct = scope.within(Clause::Group, || self.expr(scope, &ast));
        let error = match direct {
            Ok(typed) => return Ok(value_form(&typed)),
            Err(error) => error,
        };
        if let ast::Expr::Identifier(name) = &ast
            && error.number == 1054
        {
            for item in &select.projection {
                if let ast::SelectItem::ExprWithAlias { expr, alias } = item
                    && alias.value.eq_ignore_ascii_case(&name.value)
                {
                    if contains_aggregate(expr) {
                        return Err(SqlError::new(1056, format!("Can't group on '{name}'")));
                    }
                    return Ok(value_form(&self.expr(scope, expr)?));
                }
            }
        }
        Err(error)
    }

    fn items(&self, scope: &Scope<'_>, select: &ast::Select) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        for (at, item) in select.projection.iter().enumerate() {
            match item {
                ast::SelectItem::UnnamedExpr(expr) => {
                    let typed = self.expr(scope, expr)?;
                    let name = column_name(expr, self.title(select, at));
                    items.push(Item { name, typed: value_form(&typed) });
                }
                ast::SelectItem::ExprWithAlias { expr, alias } => {
                    let typed = self.expr(scope, expr)?;
                    items.push(Item { name: alias.value.clone(), typed: value_form(&typed) });
                }
                ast::SelectItem::Wildcard(_) => self.expand(scope, None, &mut items)?,
                ast::SelectItem::QualifiedWildcard(kind, _) => {
                    let ast::SelectItemQualifiedWildcardKind::ObjectName(name) = kind else {
                        return Err(SqlError::syntax(&kind.to_string(), 1));
                    };
                    self.expand(scope, Some(name), &mut items)?;
                }
                other => return Err(SqlError::syntax(&other.to_string(), 1)),
            }
        }
        Ok(items)
    }

    fn expand(
        &self,
        scope: &Scope<'_>,
        table: Option<&ast::ObjectName>,
        items: &mut Vec<Item>,
    ) -> Result<()> {
        let parts: Option<Vec<&str>> = table.map(|name| {
            name.0.iter().filter_map(|part| part.as_ident()).map(|id| id.value.as_str()).collect()
        });
        let columns = scope.expand(parts.as_deref())?;
        if columns.is_empty() {
            return Err(SqlError::new(1096, "No tables used"));
        }
        for column in columns {
            let mut typed = column.typed();
            if let Some(grouping) = &mut *scope.grouping.borrow_mut() {
                typed = grouping.seen(typed);
            }
            items.push(Item { name: column.name.clone(), typed });
        }
        Ok(())
    }

    fn sort_items<'q>(
        &self,
        scope: &Scope<'_>,
        order: &'q [ast::OrderByExpr],
        items: &[Item],
    ) -> Result<Vec<SortItem<'q>>> {
        order
            .iter()
            .map(|ast| {
                let typed = match position(&ast.expr, items.len(), "order clause")? {
                    Some(at) => items[at].typed.clone(),
                    None => value_form(&self.expr(scope, &ast.expr)?),
                };
                Ok(SortItem { typed, ast })
            })
            .collect()
    }
}

fn build(builder: datafusion::common::Result<LogicalPlanBuilder>) -> Result<LogicalPlan> {
    builder.and_then(LogicalPlanBuilder::build).map_err(translate)
}

/// Projection, DISTINCT and ORDER BY.
fn project(
    plan: LogicalPlan,
    items: Vec<Item>,
    sorts: Vec<SortItem<'_>>,
    distinct: bool,
    inner: bool,
) -> Result<Bound> {
    // Decorrelation carries columns of tables up through a sub-query's projection: its own
    // names must be none of theirs.
    let names: Vec<String> = if inner {
        (0..items.len()).map(|at| format!("#c{at}")).collect()
    } else {
        unique_names(items.iter().map(|item| item.name.as_str()))
    };
    let mut exprs: Vec<Expr> = items
        .iter()
        .zip(&names)
        .map(|(item, name)| item.typed.expr.clone().alias(name.clone()))
        .collect();
    let mut sort_names = Vec::with_capacity(sorts.len());
    for (at, sort) in sorts.iter().enumerate() {
        let shown = items.iter().position(|item| item.typed.expr == sort.typed.expr);
        sort_names.push(match shown {
            Some(at) => names[at].clone(),
            None => {
                let name = format!("#s{at}");
                exprs.push(sort.typed.expr.clone().alias(name.clone()));
                name
            }
        });
    }
    let extra = exprs.len() > items.len();
    let mut builder = LogicalPlanBuilder::new(plan).project(exprs.clone()).map_err(translate)?;
    if distinct {
        builder = distinct_rows(builder, &items, &names, &exprs[items.len()..], &sort_names)?;
    }
    if !sorts.is_empty() {
        let keys: Vec<_> = sorts
            .iter()
            .zip(&sort_names)
            .map(|(sort, name)| {
                let column = Expr::Column(Column::new_unqualified(name.clone()));
                sort_by(key_of(&Typed { expr: column, ..sort.typed.clone() }), sort.ast)
            })
            .collect();
        builder = builder.sort(keys).map_err(translate)?;
    }
    if extra {
        let shown: Vec<Expr> =
            names.iter().map(|name| Expr::Column(Column::new_unqualified(name.clone()))).collect();
        builder = builder.project(shown).map_err(translate)?;
    }
    let plan = builder.build().map_err(translate)?;
    let columns = items
        .into_iter()
        .zip(names)
        .map(|(item, name)| OutputColumn {
            name: item.name,
            column: Column::new_unqualified(name),
            kind: item.typed.kind,
            nullable: item.typed.nullable,
            firmness: item.typed.firmness,
            origin: item.typed.origin,
        })
        .collect();
    Ok(Bound { plan, columns })
}

/// DISTINCT over the shown columns; what only ORDER BY needs is any of the equal rows' values.
fn distinct_rows(
    builder: LogicalPlanBuilder,
    items: &[Item],
    names: &[String],
    extra: &[Expr],
    sort_names: &[String],
) -> Result<LogicalPlanBuilder> {
    let column = |name: &String| Expr::Column(Column::new_unqualified(name.clone()));
    let shown: Vec<Typed> = items
        .iter()
        .zip(names)
        .map(|(item, name)| Typed { expr: column(name), ..item.typed.clone() })
        .collect();
    let keys = distinct_keys(&shown);
    if keys.is_none() && extra.is_empty() {
        return builder.distinct().map_err(translate);
    }
    let keys = keys.unwrap_or_else(|| shown.iter().map(|typed| typed.expr.clone()).collect());
    let keys = keys.into_iter().enumerate().map(|(at, key)| key.alias(format!("#g{at}")));
    let carried = sort_names.iter().filter(|name| name.starts_with("#s"));
    let values = names.iter().chain(carried.clone());
    let values: Vec<Expr> =
        values.map(|name| any_value(column(name)).alias(name.clone())).collect();
    let back: Vec<Expr> = names.iter().chain(carried).map(column).collect();
    builder
        .aggregate(keys.collect::<Vec<_>>(), values)
        .and_then(|builder| builder.project(back))
        .map_err(translate)
}

/// The name of a column without an alias: a column's own, else the expression as written (as
/// the parser would write it, where the text is not at hand).
fn column_name(ast: &ast::Expr, text: Option<String>) -> String {
    match ast {
        ast::Expr::Identifier(name) => name.value.clone(),
        ast::Expr::CompoundIdentifier(parts) if !parts[0].value.starts_with('@') => {
            parts.last().map(|part| part.value.clone()).unwrap_or_default()
        }
        ast::Expr::Value(value) => match &value.value {
            ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text) => {
                text.clone()
            }
            other => text.unwrap_or_else(|| other.to_string()),
        },
        other => text.unwrap_or_else(|| other.to_string()),
    }
}

/// Parts of SELECT that MySQL does not have.
fn refuse_foreign(select: &ast::Select) -> Result<()> {
    let foreign: Option<&dyn std::fmt::Display> = match select {
        ast::Select { qualify: Some(part), .. } => Some(part),
        ast::Select { prewhere: Some(part), .. } => Some(part),
        ast::Select { top: Some(part), .. } => Some(part),
        ast::Select { distinct: Some(part @ ast::Distinct::On(_)), .. } => Some(part),
        _ => None,
    };
    match foreign {
        Some(part) => Err(SqlError::syntax(&part.to_string(), 1)),
        None => Ok(()),
    }
}
