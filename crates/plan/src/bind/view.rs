//! A view as a relation of FROM: its query, bound where its name stands.
//!
//! Invariants
//! 1. With SQL SECURITY DEFINER what a view names is looked up with the rights of the account that
//!    it belongs to, otherwise with those around it.
//! 2. A view's text means the same wherever it is read: tables of WITH around it, and the current
//!    database, are not seen by it.
//!
//! Not here: the text and its making (`qualify`), when it becomes a part of the join around it
//! (`optimize::merge`).

use std::sync::Arc;

use access::{AccountName, DefinerRights, Privilege, Rights};
use rows::view::{View, ViewSecurity};
use sqlparser::ast::{self, Expr, Ident, SelectItem, TableFactor, TableWithJoins};
use syntax::names::name_parts;
use syntax::view_query;
use values::ErrorCode;
use values::types::Collation;

use super::Binder;
use super::from::ROW_KEY;
use crate::bind::scalar::{BindFailure, Bound};
use crate::context::SqlContext;
use crate::tree::{BoundView, Query};
use results::{Result, SqlError};

impl Binder<'_> {
    /// The query of a view, with its columns as the view names them, and how many keys of rows it
    /// gives behind them.
    ///
    /// # Errors
    /// 1356 where a table or column that it names is not there or may not be read, 1462 within
    /// itself; as `definer_rights`.
    pub(super) fn query_of_view(&self, view: &Arc<View>) -> Bound<(Query, usize)> {
        if self.views_around.borrow().contains(&view.id) {
            let (database, name) = (&view.database, &view.name);
            let message = format!("`{database}`.`{name}` contains view recursion");
            return Err(SqlError::new(ErrorCode::ViewRecursive, message).into());
        }
        let definer = match self.is_described {
            true => None,
            false => definer_rights(view, self.facts)?,
        };
        let rights = match (&definer, view.security) {
            (Some(definer), _) => Some(Arc::clone(definer.rights())),
            (None, ViewSecurity::Definer) => Some(Arc::new(Rights::unlimited())),
            (None, ViewSecurity::Invoker) => None,
        };
        let theirs = rights.map(|rights| self.rights.replace(rights));
        self.views.borrow_mut().push(BoundView { view: Arc::clone(view), definer });
        self.views_around.borrow_mut().push(view.id);
        let around = self.ctes.take();
        let literals =
            Collation::from_name(&view.collation_connection).unwrap_or(Collation::Utf8Mb4GeneralCi);
        let mode = self.mode.get();
        self.mode.set(mode.with_connection_collation(literals));
        let mut keys = 0;
        let bound = match view_query(&view.query) {
            Ok(mut query) => {
                if self.is_keyed(view) {
                    keys = self.push_keys(&mut query);
                }
                self.query(&query, None)
            }
            Err(error) => Err(SqlError::from(error).into()),
        };
        self.ctes.replace(around);
        self.mode.set(mode);
        self.views_around.borrow_mut().pop();
        if let Some(theirs) = theirs {
            self.rights.replace(theirs);
        }
        let mut query = bound.map_err(|failure| told_of(view, failure))?;
        if view.columns.len() == query.columns.len() - keys {
            for (column, name) in query.columns.iter_mut().zip(&view.columns) {
                column.name.clone_from(name);
            }
        } else if !view.columns.is_empty() {
            return Err(invalid_view(view).into());
        }
        Ok((query, keys))
    }

    /// Adds the keys of all relations to what a view selects; how many those are. Of a view that
    /// gives none it is NULL.
    fn push_keys(&self, query: &mut ast::Query) -> usize {
        let ast::SetExpr::Select(select) = &mut *query.body else { return 0 };
        let relations = inner_joined(&select.from).unwrap_or_default();
        let keys: Vec<Expr> =
            relations.into_iter().flat_map(|relation| self.keys_of(relation)).collect();
        let count = keys.len();
        select.projection.extend(keys.into_iter().enumerate().map(|(number, expr)| {
            let alias = Ident::with_quote('`', row_key_of(number));
            SelectItem::ExprWithAlias { expr, alias }
        }));
        count
    }

    fn keys_of(&self, relation: &TableFactor) -> Vec<Expr> {
        let views = |database: &str, name: &str| self.facts.relations().view(database, name);
        let count = keys_beneath(relation, &views);
        let null = || vec![Expr::Value(ast::Value::Null.into()); count];
        let TableFactor::Table { name, alias, .. } = relation else { return null() };
        let parts = name_parts(name);
        let [database, table] = &parts[..] else { return null() };
        if views(&database.value, &table.value).is_some_and(|view| !self.is_keyed(&view)) {
            return null();
        }
        let shown = alias.as_ref().map_or(*table, |alias| &alias.name);
        let key = |number| {
            let key = Ident::with_quote('`', row_key_of(number));
            Expr::CompoundIdentifier(vec![shown.clone(), key])
        };
        (0..count).map(key).collect()
    }

    /// Whether a view gives the keys of its tables' rows behind its columns.
    fn is_keyed(&self, view: &View) -> bool {
        self.facts.keyed_views.contains(&view.id)
    }
}

/// How many keys of rows a relation of a view gives: of a table one, of a view those of its
/// relations.
pub fn keys_beneath(
    relation: &TableFactor,
    views: &dyn Fn(&str, &str) -> Option<Arc<View>>,
) -> usize {
    /// Views within views that are looked into; more are within themselves.
    const DEPTH_MAX: usize = 64;
    fn count(
        relation: &TableFactor,
        views: &dyn Fn(&str, &str) -> Option<Arc<View>>,
        depth: usize,
    ) -> usize {
        let TableFactor::Table { name, .. } = relation else { return 1 };
        let parts = name_parts(name);
        let [database, table] = &parts[..] else { return 1 };
        let view = views(&database.value, &table.value).filter(|_| depth < DEPTH_MAX);
        let query = view.and_then(|view| view_query(&view.query).ok());
        let Some(ast::SetExpr::Select(select)) = query.as_deref().map(|query| &*query.body) else {
            return 1;
        };
        let relations = inner_joined(&select.from).unwrap_or_default();
        relations.into_iter().map(|relation| count(relation, views, depth + 1)).sum()
    }
    count(relation, views, 0)
}

/// The name under which a view gives the keys of the rows of one of its relations, which are
/// counted from 0.
pub fn row_key_of(relation: usize) -> String {
    match relation {
        0 => ROW_KEY.to_owned(),
        relation => format!("{ROW_KEY}_{relation}"),
    }
}

/// The tables and views of FROM in their order; `None` where there is something else, or an outer
/// join.
pub fn inner_joined(from: &[TableWithJoins]) -> Option<Vec<&TableFactor>> {
    use ast::JoinOperator as J;
    let is_inner = |join: &ast::Join| {
        matches!(
            join.join_operator,
            J::Join(_) | J::Inner(_) | J::CrossJoin(_) | J::StraightJoin(_)
        )
    };
    let mut relations = Vec::new();
    for from in from {
        if !from.joins.iter().all(is_inner) {
            return None;
        }
        let joined = from.joins.iter().map(|join| &join.relation);
        for factor in std::iter::once(&from.relation).chain(joined) {
            match factor {
                TableFactor::Table { .. } => relations.push(factor),
                TableFactor::NestedJoin { table_with_joins, .. } => {
                    relations.extend(inner_joined(std::slice::from_ref(&**table_with_joins))?);
                }
                _ => return None,
            }
        }
    }
    Some(relations)
}

/// The rights with which a view's own query is bound, where that is an account's matter.
///
/// # Errors
/// 1449 if there is no such account; 1045 in its place, as in MySQL, to who may not make views for
/// others.
pub fn definer_rights(view: &View, facts: &SqlContext) -> Result<Option<Arc<DefinerRights>>> {
    if view.security == ViewSecurity::Invoker || !view.is_by_account {
        return Ok(None);
    }
    let account = AccountName::parse(&view.definer);
    if let Some(rights) = DefinerRights::of(facts.sql.access(), &account) {
        return Ok(Some(Arc::new(rights)));
    }
    if facts.rights.has_global(Privilege::Super) {
        return Err(SqlError::no_definer(&view.definer));
    }
    Err(SqlError::access_denied(&facts.account))
}

/// What is missing is told of the view, not of what is in it.
pub fn told_of(view: &View, failure: BindFailure) -> BindFailure {
    const MISSING: [ErrorCode; 8] = [
        ErrorCode::BadDb,
        ErrorCode::NoSuchTable,
        ErrorCode::BadField,
        ErrorCode::NonUniq,
        ErrorCode::SpDoesNotExist,
        ErrorCode::ViewInvalid,
        ErrorCode::TableaccessDenied,
        ErrorCode::ColumnaccessDenied,
    ];
    match failure {
        BindFailure::Wrong(error) if MISSING.contains(&error.code()) => invalid_view(view).into(),
        other => other,
    }
}

/// Error 1356.
pub fn invalid_view(view: &View) -> SqlError {
    let message = format!(
        "View '{}.{}' references invalid table(s) or column(s) or function(s) or definer/invoker \
         of view lack rights to use them",
        view.database, view.name
    );
    SqlError::new(ErrorCode::ViewInvalid, message)
}
