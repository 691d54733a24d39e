//! One SELECT, in the order in which MySQL gives its parts their meaning:
//!
//! ```text
//! FROM > WHERE > list > GROUP BY > HAVING > ORDER BY      names are bound in this order
//! join > filter > group > filter > windows > project > distinct > sort > limit
//! ```
//!
//! Invariants
//! 1. While it is bound every expression is one over the joined row, aggregates and window
//!    functions by number; what stands above them is rewritten at the end (`grouping`).
//!
//! Not here: LIMIT (`query`), FROM (`from`).

use std::ops::ControlFlow;

use expression::{Kind, Node, parts_of};
use sqlparser::ast;
use values::ErrorCode;

use super::Binder;
use super::from::BoundFrom;
use super::full_group::{GivenRows, JoinedRows, aggregate_of_all, aggregate_of_set};
use super::grouping::{
    each_outer_aggregate, find_keys_of_sums, lift, lift_functions, lift_over_windows,
    put_any_values,
};
use super::query::{bare_number, position};
use super::scope::QueryScope;
use super::title::{item_name, named_within, result_type};
use super::zero_date::{is_never_null, last_number_as_null, zero_date_as_null};
use crate::bind::scalar::{Bound, needs_literals, unsupported};
use crate::terms::{has, has_literal, is_volatile, push_terms};
use crate::tree::{
    Aggregate, Body, Frame, Grouping, OutputColumn, Query, Select, SelectPlan, SortKey, Source,
    WindowFunction, Windowing,
};
use results::SqlError;

/// An item of the select list.
struct ListItem {
    name: String,
    node: Node,
}

impl Binder<'_> {
    /// Binds a SELECT with its ORDER BY.
    pub(super) fn select(
        &self,
        select: &ast::Select,
        order: &[ast::OrderByExpr],
        parent: Option<&QueryScope<'_>>,
    ) -> Bound<Query> {
        refuse_foreign(select)?;
        // Not so are its derived tables, which see the same names around them.
        let asks_for_any = parent.is_some_and(|parent| parent.asks_for_any.take());
        let mut from = self.from(&select.from, parent)?;
        if let Some(parent) = parent {
            parent.asks_for_any.set(asks_for_any);
        }
        self.lock_read(&mut from.relations);
        let scope = QueryScope {
            shown: from.shown,
            named_windows: &select.named_window,
            ..QueryScope::new(parent, from.named)
        };
        let mut conditions = Vec::new();
        if let Some(selection) = &select.selection {
            push_terms(self.expression(&scope, selection, "where clause")?, &mut conditions);
            let is_stored_as_not_null = |at: usize| {
                let (relation, column) = parts_of(at);
                let source = from.relations.get(relation).map(|relation| &relation.source);
                matches!(source, Some(Source::Table(table)) if is_never_null(table, column))
            };
            let own = |term| zero_date_as_null(term, is_stored_as_not_null);
            conditions = conditions.into_iter().map(own).collect();
            let is_asked = self.facts.variables.auto_is_null && self.facts.last_insert_id > 0;
            if is_asked && conditions.len() == 1 {
                let is_numbered = |at: usize| {
                    let (relation, column) = parts_of(at);
                    let source = from.relations.get(relation).map(|relation| &relation.source);
                    matches!(source, Some(Source::Table(table))
                        if table.auto_increment() == Some(column))
                };
                let own = |term| last_number_as_null(term, is_numbered);
                conditions = conditions.into_iter().map(own).collect::<Bound<_>>()?;
            }
        }
        scope.may_aggregate.set(true);
        let items = self.items(&scope, select)?;
        scope.may_aggregate.set(false);
        if names_aliases(select, order) {
            let alias = |item: &ListItem| (item.name.clone(), item.node.clone());
            *scope.aliases.borrow_mut() = items.iter().map(alias).collect();
        }
        let (keys, rollup) = self.group_keys(&scope, select, &items)?;
        scope.may_aggregate.set(true);
        let having = select.having.as_ref();
        let mut having =
            having.map(|expr| self.expression(&scope, expr, "having clause")).transpose()?;
        if having.as_ref().is_some_and(is_over_windows) {
            let message = "You cannot use the alias of an expression containing a window function in \
                           this context.'";
            return Err(SqlError::new(ErrorCode::WindowInvalidWindowFuncAliasUse, message).into());
        }
        let visible = items.len();
        let output = |item| output_column(&scope, item);
        let (columns, mut outputs): (Vec<OutputColumn>, Vec<Node>) =
            items.into_iter().map(output).unzip();
        let was_of_rows = keys.is_empty() && !scope.has_aggregates();
        let order = self.sort_keys(&scope, order, visible, &mut outputs)?;
        if was_of_rows && scope.has_aggregates() {
            return Err(aggregate_of_all(scope.first_aggregate(&order, &outputs)).into());
        }
        let aggregates = scope.aggregates.take();
        let mut windowing = Windowing { functions: scope.windows.take(), inputs: Vec::new() };
        order_windows(&mut windowing.functions, &order, &outputs);
        let mut grouping = Grouping { keys, rollup, aggregates, others: Vec::new() };
        let distinct = matches!(select.distinct, Some(ast::Distinct::Distinct));
        let names = scope.window_names.take();
        let mut given = GivenRows {
            outputs: &mut outputs,
            visible,
            order: &order,
            having: having.as_mut(),
            functions: &mut windowing.functions,
            windows: &names,
        };
        given.each_node_mut(&mut |node| self.use_keys(&grouping.keys, node));
        let rows = JoinedRows {
            relations: &from.relations,
            join: from.join.as_ref(),
            conditions: &conditions,
        };
        self.refuse_unclear(&scope, rows, &grouping, (distinct, asks_for_any), &mut given)?;
        if grouping.keys.is_empty() && grouping.aggregates.iter().all(Aggregate::is_any_value) {
            put_any_values(&mut grouping.aggregates, &mut given);
        }
        let grouped = !grouping.keys.is_empty() || !grouping.aggregates.is_empty();
        let mut columns = columns;
        if grouped {
            find_keys_of_sums(&mut grouping)?;
            if grouping.keys.is_empty() && windowing.functions.is_empty() {
                let nodes = outputs.iter().chain(&having);
                nodes.for_each(|node| keep_digits(&mut grouping.aggregates, node));
            }
            let functions =
                windowing.functions.iter_mut().flat_map(|function| function.nodes_mut());
            let nodes = outputs.iter_mut().chain(&mut having).chain(functions);
            nodes.for_each(|node| lift(&mut grouping, node));
            for (column, node) in columns.iter_mut().zip(&outputs) {
                column.nullable = node.nullable;
            }
        }
        let windowed = !windowing.functions.is_empty();
        if windowed {
            lift_functions(&mut windowing);
            outputs.iter_mut().for_each(|node| lift_over_windows(&mut windowing, node));
        }
        let modifiers = select.select_modifiers.as_ref();
        let body = Select {
            relations: from.relations,
            join: from.join,
            conditions,
            grouping: grouped.then_some(grouping),
            having,
            windowing: windowed.then_some(windowing),
            outputs,
            visible,
            distinct,
            counts_found: modifiers.is_some_and(|modifiers| modifiers.sql_calc_found_rows),
            straight: modifiers.is_some_and(|modifiers| modifiers.straight_join),
            plan: SelectPlan::default(),
        };
        let (body, order) = self.assigned_in_order(body, order);
        let mut query = self.query_of(Body::Select(Box::new(body)), columns);
        query.order = order;
        Ok(query)
    }

    /// All columns of FROM, in an order.
    pub(super) fn all_of(&self, from: BoundFrom, order: &[ast::OrderByExpr]) -> Bound<Query> {
        let scope = QueryScope { shown: from.shown, ..QueryScope::new(None, from.named) };
        let mut items = Vec::new();
        expand(&scope, None, &mut items)?;
        let visible = items.len();
        let output = |item| output_column(&scope, item);
        let (columns, mut outputs) = items.into_iter().map(output).unzip();
        let order = self.sort_keys(&scope, order, visible, &mut outputs)?;
        if scope.has_aggregates() {
            return Err(aggregate_of_set(scope.first_aggregate(&order, &outputs)).into());
        }
        if !scope.aggregates.take().is_empty() || !scope.windows.take().is_empty() {
            return unsupported("ORDER BY of a set operation by a function of several rows");
        }
        let body = Select::of_all(from.relations, from.join, outputs, visible);
        let mut query = self.query_of(Body::Select(Box::new(body)), columns);
        query.order = order;
        Ok(query)
    }

    fn items(&self, scope: &QueryScope<'_>, select: &ast::Select) -> Bound<Vec<ListItem>> {
        let titles = self.titles.filter(|(first, _)| std::ptr::eq(*first, select));
        let mut items = Vec::new();
        for (at, item) in select.projection.iter().enumerate() {
            match item {
                ast::SelectItem::UnnamedExpr(expr) => {
                    let node = self.expression(scope, expr, "field list")?;
                    let title = titles.and_then(|(_, texts)| texts.get(at));
                    let named = self.named && scope.parent.is_none_or(|parent| parent.of_from);
                    if title.is_none() && named && (has_literal(&node) || has_place(expr)) {
                        // Its name is its text, of which the literals were taken out. Nobody asks
                        // for the name of a column of a sub-query in an expression.
                        return needs_literals("an unnamed column by shape");
                    }
                    let name = announced_name(scope, expr);
                    let name = name.unwrap_or_else(|| item_name(expr, title));
                    items.push(ListItem { name, node });
                }
                ast::SelectItem::ExprWithAlias { expr, alias } => {
                    let node = self.expression(scope, expr, "field list")?;
                    scope.add_alias(&alias.value, &node);
                    items.push(ListItem { name: alias.value.clone(), node });
                }
                ast::SelectItem::Wildcard(options)
                    if options.opt_exclude.is_none() && options.opt_except.is_none() =>
                {
                    expand(scope, None, &mut items)?;
                }
                ast::SelectItem::QualifiedWildcard(
                    ast::SelectItemQualifiedWildcardKind::ObjectName(name),
                    _,
                ) => {
                    let parts = syntax::names::name_parts(name);
                    let parts: Vec<String> = parts.iter().map(|part| part.value.clone()).collect();
                    expand(scope, Some(&parts), &mut items)?;
                }
                other => return unsupported(other),
            }
        }
        Ok(items)
    }

    fn group_keys(
        &self,
        scope: &QueryScope<'_>,
        select: &ast::Select,
        items: &[ListItem],
    ) -> Bound<(Vec<Node>, bool)> {
        let ast::GroupByExpr::Expressions(exprs, modifiers) = &select.group_by else {
            return unsupported("GROUP BY ALL");
        };
        let (exprs, rollup) = match (modifiers.as_slice(), exprs.as_slice()) {
            ([], [ast::Expr::Function(call)]) if is_rollup(call) => (&rolled_up(call)?, true),
            ([], _) => (exprs, false),
            ([ast::GroupByWithModifier::Rollup], _) => (exprs, true),
            _ => return unsupported("GROUP BY with a modifier"),
        };
        let mut keys: Vec<Node> = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let expr = match expr {
                ast::Expr::Nested(inner) => inner,
                expr => expr,
            };
            let alias = match expr {
                ast::Expr::Identifier(name) => scope.alias_of_several(&name.value)?,
                _ => None,
            };
            let key = match (position(expr, items.len(), "group statement")?, alias) {
                (Some(at), _) => items[at].node.clone(),
                (None, Some(alias)) => alias,
                (None, None) => self.expression(scope, expr, "group statement")?,
            };
            if let Kind::Column(slot) = key.kind
                && let Some(name) = scope.name_of(slot)
            {
                scope.grouped.borrow_mut().push((name.to_owned(), key.clone()));
            }
            if has(&key, |kind| matches!(kind, Kind::Aggregate(_) | Kind::Window(_)))
                || asks_for_group(&key)
            {
                return Err(SqlError::new(
                    ErrorCode::WrongGroupField,
                    format!("Can't group on '{expr}'"),
                )
                .into());
            }
            keys.push(key);
        }
        Ok((keys, rollup))
    }

    /// ORDER BY: positions of outputs; what the list does not show is added to them.
    fn sort_keys(
        &self,
        scope: &QueryScope<'_>,
        order: &[ast::OrderByExpr],
        visible: usize,
        outputs: &mut Vec<Node>,
    ) -> Bound<Vec<SortKey>> {
        let mut keys = Vec::with_capacity(order.len());
        for item in order {
            let descending = item.options.asc == Some(false);
            let position = match position(&item.expr, visible, "order clause")? {
                Some(position) => position,
                None => {
                    let alias = match bare_number(&item.expr) {
                        ast::Expr::Identifier(name) => scope.alias(&name.value, "order clause")?,
                        _ => None,
                    };
                    let node = match alias {
                        Some(alias) => alias,
                        None => self.expression(scope, &item.expr, "order clause")?,
                    };
                    if matches!(node.kind, Kind::Constant(_) | Kind::Parameter(_)) {
                        continue;
                    }
                    outputs.iter().position(|output| self.is_same(output, &node)).unwrap_or_else(
                        || {
                            outputs.push(node);
                            outputs.len() - 1
                        },
                    )
                }
            };
            keys.push(SortKey { position, descending });
        }
        Ok(keys)
    }
}

/// Whether a sub-query in an expression is over aggregates of the SELECT that it stands in.
fn asks_for_group(node: &Node) -> bool {
    let mut asks = false;
    each_outer_aggregate(&mut node.clone(), &mut |_, _| asks = true);
    asks
}

/// Windows that say nothing of partitions and of an order see the rows in the order that the query
/// gives them in, as in MySQL: `SELECT ROW_NUMBER() OVER () .. ORDER BY a` numbers what is shown.
fn order_windows(functions: &mut [WindowFunction], order: &[SortKey], outputs: &[Node]) {
    let says_nothing = |function: &WindowFunction| {
        function.window.partition.is_empty() && function.window.order.is_empty()
    };
    let node = |key: &SortKey| &outputs[key.position];
    if !functions.iter().all(says_nothing)
        || order.iter().any(|key| is_over_windows(node(key)) || is_volatile(node(key)))
    {
        return;
    }
    for function in functions.iter_mut().filter(|function| function.depends_on_order()) {
        let window = &mut function.window;
        window.order = order.iter().map(|key| (node(key).clone(), key.descending)).collect();
        if !window.frame.counts_rows {
            // Without an order all rows were peers.
            window.frame = Frame::WHOLE;
        }
    }
}

/// Marks the aggregates that an expression is made of, and that can have more digits than they
/// show.
fn keep_digits(aggregates: &mut [Aggregate], node: &Node) {
    node.visit(&mut |part| match part.kind {
        Kind::Aggregate(number) if !std::ptr::eq(part, node) => {
            aggregates[number].keeps_digits |= aggregates[number].has_digits();
        }
        _ => {}
    });
}

fn is_over_windows(node: &Node) -> bool {
    has(node, |kind| matches!(kind, Kind::Window(_)))
}

/// An item as a column for the client, and what it is.
fn output_column(
    scope: &QueryScope<'_>,
    ListItem { name, node }: ListItem,
) -> (OutputColumn, Node) {
    let (ty, nullable, origin) = (result_type(&node), node.nullable, scope.origin(&node));
    let coercibility = node.collation().1;
    (OutputColumn { name, ty, nullable, origin, keeps_digits: false, coercibility }, node)
}

/// Whether an expression has the place of a literal, which what it is bound to may not need:
/// `COUNT(1)`.
fn has_place(expr: &ast::Expr) -> bool {
    let is_place = |part: &ast::Expr| match part {
        ast::Expr::Value(value) if matches!(value.value, ast::Value::Placeholder(_)) => {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    };
    ast::visit_expressions(expr, is_place).is_break()
}

/// The name of a column of a relation whose columns are announced by their names.
fn announced_name(scope: &QueryScope<'_>, expr: &ast::Expr) -> Option<String> {
    let parts: Vec<&str> = match named_within(expr) {
        ast::Expr::Identifier(ident) => vec![&ident.value],
        ast::Expr::CompoundIdentifier(parts) => parts.iter().map(|part| &*part.value).collect(),
        _ => return None,
    };
    let (relation, column) = scope.owner(&parts)?;
    relation.says_names.then(|| column.name.clone())
}

/// Whether anything may name what the list calls its items.
fn names_aliases(select: &ast::Select, order: &[ast::OrderByExpr]) -> bool {
    let groups =
        !matches!(&select.group_by, ast::GroupByExpr::Expressions(keys, _) if keys.is_empty());
    !order.is_empty() || groups || select.having.is_some()
}

fn expand(
    scope: &QueryScope<'_>,
    table: Option<&[String]>,
    items: &mut Vec<ListItem>,
) -> Bound<()> {
    for column in scope.expand(table)? {
        items.push(ListItem { name: column.name.clone(), node: column.node() });
    }
    Ok(())
}

/// What MySQL's SELECT does not have.
fn refuse_foreign(select: &ast::Select) -> Bound<()> {
    if matches!(select.distinct, Some(ast::Distinct::On(_))) {
        return unsupported("DISTINCT ON");
    }
    if select.top.is_some()
        || select.into.is_some()
        || select.qualify.is_some()
        || select.prewhere.is_some()
        || !select.lateral_views.is_empty()
        || !select.connect_by.is_empty()
        || !select.cluster_by.is_empty()
        || !select.distribute_by.is_empty()
        || !select.sort_by.is_empty()
    {
        return unsupported("a clause of another dialect");
    }
    Ok(())
}

/// GROUP BY ROLLUP (a, b), which is GROUP BY a, b WITH ROLLUP.
fn is_rollup(call: &ast::Function) -> bool {
    let [ast::ObjectNamePart::Identifier(name)] = call.name.0.as_slice() else { return false };
    name.quote_style.is_none() && name.value.eq_ignore_ascii_case("ROLLUP")
}

/// What it is of.
fn rolled_up(call: &ast::Function) -> Bound<Vec<ast::Expr>> {
    let ast::FunctionArguments::List(list) = &call.args else { return unsupported(call) };
    let key = |argument: &ast::FunctionArg| match argument {
        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(key)) => Ok(key.clone()),
        other => unsupported(other),
    };
    list.args.iter().map(key).collect()
}
