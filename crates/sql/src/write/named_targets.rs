//! The tables, and the views that rows are written through, that an UPDATE or DELETE names in FROM,
//! and the query that is asked for the keys of their rows.
//!
//! Not here: what the statements set (`joined`), what becomes of the rows that are found
//! (`found_rows`).

use std::sync::Arc;

use rows::table::Table;
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    Expr, GroupByExpr, Ident, LimitClause, ObjectName, ObjectNamePart, OrderBy, OrderByExpr,
    OrderByKind, Query, Select, SelectFlavor, SelectItem, SetExpr, TableFactor, TableWithJoins,
    WildcardAdditionalOptions, With,
};
use syntax::TableName;
use syntax::change::{is_of_with, single_table};
use syntax::names::table_name;

use super::through_view::{not_deletable, not_updatable, of_several_tables};
use super::updatable_view::UpdatableView;
use plan::bind::scalar::Bound;
use plan::bind::{ROW_KEY, row_key_of};
use plan::relations::Relations;
use results::{Result, SqlError};

/// A table of the statement, or a view through which its rows are written, under the name that it
/// has there.
pub(super) struct NamedTarget {
    pub(super) shown: String,
    pub(super) table: Arc<Table>,
    pub(super) view: Option<UpdatableView>,
}

impl NamedTarget {
    pub(super) fn has(&self, column: &str) -> bool {
        match &self.view {
            None => self.table.column(column).is_some(),
            Some(view) => view.has_column(column),
        }
    }

    /// Whether it is one of several tables of a view.
    pub(super) fn is_side(&self) -> bool {
        self.view.as_ref().is_some_and(UpdatableView::is_joined)
    }

    /// What the query gives the keys of its rows as.
    pub(super) fn key(&self) -> Expr {
        match &self.view {
            None => key_of(&self.shown),
            Some(view) => named_key(&self.shown, &row_key_of(view.side())),
        }
    }

    /// The position of a column in the table.
    pub(super) fn column(&self, name: &str) -> Result<Option<usize>> {
        match &self.view {
            None => Ok(self.table.column(name)),
            Some(view) => Ok(self.table.column(&view.plain_column(name, "field list")?)),
        }
    }

    /// The table whose rows go.
    pub(super) fn emptied(&self, through: Through<'_>) -> Bound<Arc<Table>> {
        self.view.iter().try_for_each(through)?;
        Ok(Arc::clone(&self.table))
    }

    /// The table that is written, which obeys the view.
    pub(super) fn written(&self, through: Through<'_>) -> Bound<Arc<Table>> {
        match &self.view {
            None => Ok(Arc::clone(&self.table)),
            Some(view) => {
                through(view)?;
                view.checked_table()
            }
        }
    }
}

/// What a statement names in FROM.
#[derive(Default)]
pub(super) struct NamedRelations {
    pub(super) targets: Vec<NamedTarget>,
    /// Views that nothing is written through.
    pub(super) read_only: Vec<String>,
}

/// Told of each view that is written through, before the query is asked: it gives keys then.
pub type Through<'a> = &'a dyn Fn(&UpdatableView) -> Bound<()>;

/// Refuses a query of WITH among the targets of a statement, or as its only table.
///
/// # Errors
/// 1288.
pub(super) fn refuse_with(
    with: Option<&With>,
    (tables, targets): (&[TableWithJoins], &[TableName]),
    verb: &str,
) -> Result<()> {
    let only = single_table(tables).map(|(_, name, _)| name);
    match targets.iter().chain(&only).find(|name| is_of_with(with, name)) {
        Some(name) => Err(not_updatable(&name.table, verb)),
        None => Ok(()),
    }
}

/// Stored tables, and the queries of WITH, whose names are none of theirs.
pub(super) type Names<'a> = (Relations<'a>, Option<&'a With>);

pub(super) fn named_in(
    tables: &[TableWithJoins],
    relations: Names<'_>,
    database: Option<&str>,
) -> Result<NamedRelations> {
    let mut named = NamedRelations::default();
    push_named(tables, relations, database, &mut named)?;
    Ok(named)
}

pub(super) fn push_named(
    tables: &[TableWithJoins],
    relations: Names<'_>,
    database: Option<&str>,
    named: &mut NamedRelations,
) -> Result<()> {
    for with_joins in tables {
        let joined = with_joins.joins.iter().map(|join| &join.relation);
        for factor in std::iter::once(&with_joins.relation).chain(joined) {
            push_factor(factor, relations, database, named)?;
        }
    }
    Ok(())
}

pub(super) fn push_factor(
    factor: &TableFactor,
    (relations, with): Names<'_>,
    database: Option<&str>,
    named: &mut NamedRelations,
) -> Result<()> {
    match factor {
        TableFactor::Table { name, alias, args: None, .. } => {
            let name = table_name(name)?;
            if is_of_with(with, &name) {
                return Ok(());
            }
            let of = name.database.as_deref().or(database);
            let view = of.and_then(|of| relations.view(of, &name.table));
            let shown_as = alias.as_ref().map(|alias| alias.name.value.clone());
            let Some(view) = view else {
                let table = find_table(&name, relations, database)?;
                let shown = shown_as.unwrap_or(name.table);
                named.targets.push(NamedTarget { shown, table, view: None });
                return Ok(());
            };
            let shown = shown_as.unwrap_or(name.table);
            let sides = UpdatableView::sides_of(&view, relations.catalog);
            if sides.is_empty() {
                named.read_only.push(shown);
                return Ok(());
            }
            named.targets.extend(sides.into_iter().map(|side| NamedTarget {
                shown: shown.clone(),
                table: Arc::clone(side.table()),
                view: Some(side),
            }));
        }
        TableFactor::NestedJoin { table_with_joins, .. } => {
            let within = std::slice::from_ref(&**table_with_joins);
            push_named(within, (relations, with), database, named)?;
        }
        // Derived tables and files can be read, not changed.
        _ => {}
    }
    Ok(())
}

pub(super) fn find_table(
    name: &TableName,
    relations: Relations<'_>,
    database: Option<&str>,
) -> Result<Arc<Table>> {
    let database = name.database.as_deref().or(database).ok_or_else(SqlError::no_database)?;
    Ok(relations.table(database, &name.table)?)
}

/// The key of a row of the table that is shown under this name.
pub(super) fn key_of(shown: &str) -> Expr {
    named_key(shown, ROW_KEY)
}

pub(super) fn named_key(shown: &str, key: &str) -> Expr {
    Expr::CompoundIdentifier([shown, key].map(|name| Ident::with_quote('`', name)).to_vec())
}

/// Refuses assignments to columns of several tables through one view of them.
///
/// # Errors
/// 1393.
pub(super) fn refuse_two_sides(named: &[NamedTarget], targets: &[usize]) -> Result<()> {
    for (n, at) in targets.iter().enumerate() {
        let NamedTarget { shown, view: Some(view), .. } = &named[*at] else { continue };
        if targets[..n].iter().any(|at| named[*at].shown == *shown) {
            return Err(of_several_tables(view.name()));
        }
    }
    Ok(())
}

/// Refuses to delete from a view of several tables.
///
/// # Errors
/// 1395.
pub(super) fn refuse_sides(target: &NamedTarget) -> Result<()> {
    match &target.view {
        Some(view) if target.is_side() => Err(not_deletable(view.name())),
        _ => Ok(()),
    }
}

/// The same as all that is selected of it.
pub(super) fn key_item(shown: &str) -> SelectItem {
    SelectItem::UnnamedExpr(key_of(shown))
}

/// `SELECT *` from the table of a name in parts.
pub fn all_of(table: &[&str]) -> Box<Query> {
    let parts = table.iter().map(|part| ObjectNamePart::Identifier(Ident::with_quote('`', *part)));
    let relation = TableFactor::Table {
        name: ObjectName(parts.collect()),
        alias: None,
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    };
    let all = SelectItem::Wildcard(WildcardAdditionalOptions::default());
    let from = vec![TableWithJoins { relation, joins: Vec::new() }];
    query_of(vec![all], from, None, Vec::new(), None)
}

/// A SELECT of these items from these tables.
pub(super) fn query_of(
    items: Vec<SelectItem>,
    from: Vec<TableWithJoins>,
    selection: Option<Expr>,
    order: Vec<OrderByExpr>,
    limit: Option<Expr>,
) -> Box<Query> {
    let select = Select {
        select_token: AttachedToken::empty(),
        optimizer_hints: Vec::new(),
        distinct: None,
        select_modifiers: None,
        top: None,
        top_before_distinct: false,
        projection: items,
        exclude: None,
        into: None,
        from,
        lateral_views: Vec::new(),
        prewhere: None,
        selection,
        connect_by: Vec::new(),
        group_by: GroupByExpr::Expressions(Vec::new(), Vec::new()),
        cluster_by: Vec::new(),
        distribute_by: Vec::new(),
        sort_by: Vec::new(),
        having: None,
        named_window: Vec::new(),
        qualify: None,
        window_before_qualify: false,
        value_table_mode: None,
        flavor: SelectFlavor::Standard,
    };
    let order_by = (!order.is_empty())
        .then_some(OrderBy { kind: OrderByKind::Expressions(order), interpolate: None });
    let limit_clause = limit.map(|limit| LimitClause::LimitOffset {
        limit: Some(limit),
        offset: None,
        limit_by: Vec::new(),
    });
    Box::new(Query {
        with: None,
        body: Box::new(SetExpr::Select(Box::new(select))),
        order_by,
        limit_clause,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    })
}
