//! Views through which rows can be written: what each is of a table, and what it asks of the rows.
//!
//! Invariants
//! 1. What a view of several tables is, it is for each of them whose columns it shows (`sides_of`).
//! 2. Its table's columns that it does not name are none of its own.
//!
//! Not here: the statements (`through_view`, `joined`), views in queries (`plan::bind::view`).

use std::ops::ControlFlow;
use std::sync::Arc;

use rows::catalog::Catalog;
use rows::table::Table;
use rows::view::{View, ViewAlgorithm, ViewCheck};
use sqlparser::ast::{
    Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator, Query, Select, SelectItem, SetExpr,
    TableFactor, TableWithJoins, Visit, visit_expressions,
};
use syntax::names::table_name;
use syntax::view_query;

use super::through_view::identifier;
use super::view_checks::{OtherTable, ViewCondition};
use super::view_names::{NamesAlone, ViewNames, plain_name, same_name};
use plan::bind::{inner_joined, keys_beneath};
use plan::context::SqlContext;

/// A view through which rows can be written.
#[derive(Debug)]
pub struct UpdatableView {
    /// `database.view`.
    pub(super) name: String,
    /// The table that its rows are of.
    pub(super) table: Arc<Table>,
    /// The partitions that it shows; none are here if it shows all.
    pub(super) partitions: Vec<Ident>,
    /// Its columns, with what they are of the table's, whose names have no qualifier.
    pub(super) columns: Vec<(String, Expr)>,
    /// What holds for the rows that it shows.
    pub(super) conditions: Vec<ViewCondition>,
    /// What must hold for rows that are written.
    pub(super) checks: Vec<ViewCondition>,
    /// The other tables of a view of several.
    pub(super) others: Vec<OtherTable>,
    /// Whether a query is asked by it, or it is of several tables: its rows are found by one then.
    pub(super) is_by_query: bool,
    /// Whether the view is of several tables.
    pub(super) is_joined: bool,
    /// The columns of such a view that are no table's.
    pub(super) computed: Vec<String>,
    /// Which of the view's relations the table is, from 0 on.
    pub(super) side: usize,
    /// The views on the way to the table, the innermost first.
    pub layers: Vec<ViewLayer>,
}

/// A view on the way to a table, with what it is of what is beneath it.
#[derive(Debug)]
pub struct ViewLayer {
    /// The view.
    pub view: Arc<View>,
    /// The table or view that its rows are of, with its database.
    pub beneath: (String, String),
    /// Its columns, with what they are of that.
    pub columns: Vec<(String, Expr)>,
    /// Which of its rows it shows.
    pub condition: Option<Expr>,
}

/// Whether rows can be written through a view.
pub fn is_updatable(view: &Arc<View>, facts: &SqlContext) -> bool {
    !UpdatableView::sides_of(view, facts.sql.engine().catalog()).is_empty()
}

/// Whether the query of a view is of a kind through which no rows can be written: of several rows
/// one, of no table, or of computed columns alone.
pub fn is_never_updatable(query: &Query) -> bool {
    let is_computed = |item: &SelectItem| match item {
        SelectItem::ExprWithAlias { expr, .. } => {
            !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
        }
        _ => false,
    };
    ungrouped_select(query)
        .is_none_or(|select| select.from.is_empty() || select.projection.iter().all(is_computed))
}

impl UpdatableView {
    /// What is written through a view: one for each of its tables whose columns it shows. Of a
    /// statement one of them is written.
    pub fn sides_of(view: &Arc<View>, catalog: &Catalog) -> Vec<UpdatableView> {
        let query = view_query(&view.query).ok();
        let select = query.as_deref().and_then(plain_select);
        let Some(select) = select.filter(|_| view.algorithm != ViewAlgorithm::TempTable) else {
            return Vec::new();
        };
        let relations = inner_joined(&select.from).unwrap_or_default();
        let (mut sides, mut keys) = (Vec::new(), 0);
        for relation in &relations {
            let beneath = UpdatableView::beneath(relation, catalog);
            for base in beneath {
                let (is_joined, number) = (relations.len() > 1 || base.is_joined, keys + base.side);
                let Some(mut side) = UpdatableView::side_of(view, select, relation, base) else {
                    continue;
                };
                if is_joined {
                    (side.is_by_query, side.is_joined, side.side) = (true, true, number);
                    side.keep_own_columns();
                    if side.columns.is_empty() {
                        continue;
                    }
                }
                sides.push(side);
            }
            keys += keys_beneath(relation, &|database, name| catalog.view(database, name));
        }
        if view.check.is_some() && sides.iter().any(|side| side.is_joined) {
            let Some(tables) = tables_of(&relations, catalog) else { return Vec::new() };
            for side in &mut sides {
                let own = side.side;
                let others = tables.iter().filter(|other| other.number != own);
                side.others = others.cloned().collect();
            }
        }
        sides
    }

    /// The tables that a relation of a view stands for, as views of themselves or those of the
    /// view that it is.
    fn beneath(relation: &TableFactor, catalog: &Catalog) -> Vec<UpdatableView> {
        let TableFactor::Table { name, .. } = relation else { return Vec::new() };
        let Ok(named) = table_name(name) else { return Vec::new() };
        let Some(database) = named.database else { return Vec::new() };
        match catalog.view(&database, &named.table) {
            Some(inner) => UpdatableView::sides_of(&inner, catalog),
            None => {
                let table = catalog.table(&database, &named.table);
                table.map(UpdatableView::of_table).into_iter().collect()
            }
        }
    }

    /// Keeps the columns that are the table's.
    fn keep_own_columns(&mut self) {
        let columns = std::mem::take(&mut self.columns);
        // What is another table's is named with it still.
        let is_computed =
            |expr: &Expr| !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
        let computed = columns.iter().filter(|(_, expr)| is_computed(expr));
        self.computed.extend(computed.map(|(name, _)| name.clone()));
        let is_own: Vec<bool> =
            columns.iter().map(|(_, expr)| plain_name(expr).is_some()).collect();
        let own = columns.into_iter().zip(&is_own).filter(|(_, is_own)| **is_own);
        self.columns = own.map(|(column, _)| column).collect();
        if let Some(layer) = self.layers.last_mut() {
            let columns = std::mem::take(&mut layer.columns);
            let own = columns.into_iter().zip(&is_own).filter(|(_, is_own)| **is_own);
            layer.columns = own.map(|(column, _)| column).collect();
            layer.condition = None;
        }
    }

    /// What is written through a view of the rows of one of its relations, which stands for `base`.
    fn side_of(
        view: &Arc<View>,
        select: &Select,
        relation: &TableFactor,
        base: UpdatableView,
    ) -> Option<UpdatableView> {
        let TableFactor::Table { name, alias, partitions, .. } = relation else { return None };
        let named = table_name(name).ok()?;
        let database = named.database?;
        let shown = alias.as_ref().map_or(named.table.clone(), |alias| alias.name.value.clone());
        let full_name = format!("{}.{}", view.database, view.name);
        let mut this = base;
        if !partitions.is_empty() {
            this.partitions.clone_from(partitions);
        }
        let columns = std::mem::take(&mut this.columns);
        let computed_beneath = std::mem::take(&mut this.computed);
        let mut layer = ViewLayer {
            view: Arc::clone(view),
            beneath: (database, named.table),
            columns: Vec::with_capacity(select.projection.len()),
            condition: select.selection.clone(),
        };
        let as_theirs = |expr: &Expr| {
            let mut expr = expr.clone();
            let names = ViewNames {
                shown: &shown,
                columns: &columns,
                unknown: None,
                alone: NamesAlone::Own,
            };
            names.replace_in(&mut expr).ok()?;
            Some(expr)
        };
        for (at, item) in select.projection.iter().enumerate() {
            let SelectItem::ExprWithAlias { expr, alias } = item else { return None };
            let name = view.columns.get(at).unwrap_or(&alias.value);
            let is_computed = match expr {
                Expr::CompoundIdentifier(parts) => match &parts[..] {
                    [.., of, own] => {
                        of.value == shown
                            && computed_beneath
                                .iter()
                                .any(|name| name.eq_ignore_ascii_case(&own.value))
                    }
                    _ => false,
                },
                _ => false,
            };
            if is_computed {
                this.computed.push(name.clone());
            }
            this.columns.push((name.clone(), as_theirs(expr)?));
            layer.columns.push((name.clone(), expr.clone()));
        }
        if !this.columns.iter().any(|(_, expr)| plain_name(expr).is_some()) {
            return None;
        }
        if view.check == Some(ViewCheck::Cascaded) {
            // What views beneath it say is checked in its name.
            let own = |condition: &ViewCondition| ViewCondition {
                view: Arc::clone(view),
                ..condition.clone()
            };
            this.checks = this.conditions.iter().map(own).collect();
        }
        for condition in select.selection.iter().chain(join_conditions(&select.from)) {
            let condition = as_theirs(condition)?;
            let (view_of, shown) = (Arc::clone(view), shown.clone());
            let condition = ViewCondition { view: view_of, shown, condition };
            if view.check.is_some() {
                this.checks.push(condition.clone());
            }
            this.conditions.push(condition);
        }
        this.is_by_query |= asks_query(select);
        this.name = full_name;
        this.layers.push(layer);
        Some(this)
    }

    /// A table as a view of itself.
    fn of_table(table: Arc<Table>) -> UpdatableView {
        let column = |name: &String| (name.clone(), identifier(name));
        let named = table.named_columns().iter();
        let columns = named.map(|own| column(&own.name)).collect();
        let (conditions, checks, layers) = (Vec::new(), Vec::new(), Vec::new());
        let others = Vec::new();
        let (name, partitions, computed) = (String::new(), Vec::new(), Vec::new());
        let (is_by_query, is_joined, side) = (false, false, 0);
        UpdatableView {
            name,
            table,
            partitions,
            columns,
            conditions,
            checks,
            others,
            is_by_query,
            is_joined,
            computed,
            side,
            layers,
        }
    }

    /// The table that its rows are of.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The columns that a sub-query may name without a table: those that are called as in the
    /// table.
    pub fn names_within(&self) -> Arc<[String]> {
        let columns = self.columns.iter();
        let shown = columns.filter(|(name, expr)| same_name(name, expr, name));
        shown.map(|(name, _)| name.clone()).collect()
    }

    /// The names of its columns.
    pub fn column_names(&self) -> Vec<String> {
        self.columns.iter().map(|(name, _)| name.clone()).collect()
    }

    /// `database.view`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it has a column of this name.
    pub fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|(own, _)| own.eq_ignore_ascii_case(name))
    }

    /// Whether it is a view of several tables that computes a column of this name.
    pub fn is_computed(&self, name: &str) -> bool {
        self.computed.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Whether it is a view of several tables.
    pub fn is_joined(&self) -> bool {
        self.is_joined
    }

    /// Which of the view's relations the table is, from 0 on.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Whether its rows are found by a query alone.
    pub fn is_by_query(&self) -> bool {
        self.is_by_query
    }

    /// Whether WITH CHECK OPTION asks for anything.
    pub fn has_checks(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Whether it shows the AUTO_INCREMENT column of the table, if that has one.
    pub fn shows_numbers(&self) -> bool {
        let Some(at) = self.table.auto_increment() else { return true };
        let name = &self.table.columns[at].name;
        self.columns
            .iter()
            .any(|(_, expr)| plain_name(expr).is_some_and(|shown| shown.eq_ignore_ascii_case(name)))
    }
}

/// The relations of a view as tables; `None` where one is a view itself.
fn tables_of(relations: &[&TableFactor], catalog: &Catalog) -> Option<Vec<OtherTable>> {
    let table = |(number, relation): (usize, &&TableFactor)| {
        let TableFactor::Table { name, alias, .. } = relation else { return None };
        let named = table_name(name).ok()?;
        let table = catalog.table(&named.database?, &named.table).ok()?;
        let shown = alias.as_ref().map_or(named.table, |alias| alias.name.value.clone());
        Some(OtherTable { shown, number, table })
    };
    relations.iter().enumerate().map(table).collect()
}

/// The conditions of joins, those within brackets too.
fn join_conditions(from: &[TableWithJoins]) -> Vec<&Expr> {
    let mut found = Vec::new();
    for TableWithJoins { relation, joins } in from {
        for relation in std::iter::once(relation).chain(joins.iter().map(|join| &join.relation)) {
            if let TableFactor::NestedJoin { table_with_joins, .. } = relation {
                found.extend(join_conditions(std::slice::from_ref(&**table_with_joins)));
            }
        }
        found.extend(joins.iter().filter_map(|join| match &join.join_operator {
            JoinOperator::Join(JoinConstraint::On(condition))
            | JoinOperator::Inner(JoinConstraint::On(condition))
            | JoinOperator::CrossJoin(JoinConstraint::On(condition))
            | JoinOperator::StraightJoin(JoinConstraint::On(condition)) => Some(condition),
            _ => None,
        }));
    }
    found
}

/// A SELECT that neither groups rows nor leaves some out by their number.
fn ungrouped_select(query: &Query) -> Option<&Select> {
    let SetExpr::Select(select) = &*query.body else { return None };
    let is_plain = query.with.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && select.distinct.is_none()
        && select.having.is_none()
        && select.named_window.is_empty()
        && matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    is_plain.then_some(select)
}

/// A SELECT each of whose rows is one of a table.
fn plain_select(query: &Query) -> Option<&Select> {
    let select = ungrouped_select(query)?;
    let mut is_of_row = !select.projection.iter().any(asks_query);
    let _whole = visit_expressions(select, |expr| {
        is_of_row &= match expr {
            Expr::Function(function) => {
                let name = function.name.to_string().to_lowercase();
                function.over.is_none() && plan::tree::AggregateFunction::find(&name).is_none()
            }
            _ => true,
        };
        ControlFlow::<()>::Continue(())
    });
    is_of_row.then_some(select)
}

/// Whether a query is asked in it.
pub(super) fn asks_query(part: &impl Visit) -> bool {
    let found = visit_expressions(part, |expr| match expr {
        Expr::Subquery(_)
        | Expr::Exists { .. }
        | Expr::InSubquery { .. }
        | Expr::AnyOp { .. }
        | Expr::AllOp { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}
