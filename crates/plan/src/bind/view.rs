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
use syntax::view_query;
use values::ErrorCode;
use values::types::Collation;

use super::Binder;
use crate::bind::scalar::{BindFailure, Bound};
use crate::context::SqlContext;
use crate::tree::{BoundView, Query};
use results::{Result, SqlError};

impl Binder<'_> {
    /// The query of a view, with its columns as the view names them.
    ///
    /// # Errors
    /// 1356 where a table or column that it names is not there or may not be read, 1462 within
    /// itself; as `definer_rights`.
    pub(super) fn query_of_view(&self, view: &Arc<View>) -> Bound<Query> {
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
        let bound = match view_query(&view.query) {
            Ok(query) => self.query(&query, None),
            Err(error) => Err(SqlError::from(error).into()),
        };
        self.ctes.replace(around);
        self.mode.set(mode);
        self.views_around.borrow_mut().pop();
        if let Some(theirs) = theirs {
            self.rights.replace(theirs);
        }
        let mut query = bound.map_err(|failure| told_of(view, failure))?;
        if view.columns.len() == query.columns.len() {
            for (column, name) in query.columns.iter_mut().zip(&view.columns) {
                column.name.clone_from(name);
            }
        } else if !view.columns.is_empty() {
            return Err(invalid_view(view).into());
        }
        Ok(query)
    }
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
fn told_of(view: &View, failure: BindFailure) -> BindFailure {
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
