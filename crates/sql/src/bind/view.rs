//! A view as a relation of FROM: its query, bound where its name stands.
//!
//! Invariants
//! 1. A view's text means the same wherever it is read: tables of WITH around it, and the current
//!    database, are not seen by it.
//!
//! Not here: the text and its making (`qualify`), when it becomes a part of the join around it
//! (`optimize::merge`).

use std::sync::Arc;

use rows::view::View;
use syntax::view_query;
use values::ErrorCode;

use super::Binder;
use crate::bind::scalar::{BindFailure, Bound};
use crate::error::SqlError;
use crate::tree::Query;

impl Binder<'_> {
    /// The query of a view, with its columns as the view names them.
    ///
    /// # Errors
    /// 1356 where a table or column that it names is not there, 1462 within itself.
    pub(super) fn query_of_view(&self, view: &Arc<View>) -> Bound<Query> {
        if self.views_around.borrow().contains(&view.id) {
            let (database, name) = (&view.database, &view.name);
            let message = format!("`{database}`.`{name}` contains view recursion");
            return Err(SqlError::new(ErrorCode::ViewRecursive, message).into());
        }
        self.views.borrow_mut().push(Arc::clone(view));
        self.views_around.borrow_mut().push(view.id);
        let around = self.ctes.take();
        let bound = match view_query(&view.query) {
            Ok(query) => self.query(&query, None),
            Err(error) => Err(SqlError::from(error).into()),
        };
        self.ctes.replace(around);
        self.views_around.borrow_mut().pop();
        let mut query = bound.map_err(|failure| told_of(view, failure))?;
        if view.columns.len() == query.columns.len() {
            for (column, name) in query.columns.iter_mut().zip(&view.columns) {
                column.name.clone_from(name);
            }
        } else if !view.columns.is_empty() {
            return Err(invalid(view).into());
        }
        Ok(query)
    }
}

/// What is missing is told of the view, not of what is in it.
fn told_of(view: &View, failure: BindFailure) -> BindFailure {
    const MISSING: [ErrorCode; 6] = [
        ErrorCode::BadDb,
        ErrorCode::NoSuchTable,
        ErrorCode::BadField,
        ErrorCode::NonUniq,
        ErrorCode::SpDoesNotExist,
        ErrorCode::ViewInvalid,
    ];
    match failure {
        BindFailure::Wrong(error) if MISSING.contains(&error.code()) => invalid(view).into(),
        other => other,
    }
}

/// Error 1356.
fn invalid(view: &View) -> SqlError {
    let message = format!(
        "View '{}.{}' references invalid table(s) or column(s) or function(s) or definer/invoker \
         of view lack rights to use them",
        view.database, view.name
    );
    SqlError::new(ErrorCode::ViewInvalid, message)
}
