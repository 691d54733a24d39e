//! INSERT and REPLACE of the rows that a query gives: INSERT ... SELECT, and VALUES with sub-queries, whose
//! rows are a query's then.
//!
//! Invariants
//! 1. The query gives the values of the columns that are named, and behind them what ON DUPLICATE KEY
//!    UPDATE asks of its tables (`beside`).
//!
//! Not here: running the query (`session::write`), inserting its rows (`load::query`).

use std::sync::Arc;

use rows::table::Table;
use sqlparser::ast::{Expr, Query, SelectItem, SetExpr, SetOperator, SetQuantifier, Values};
use syntax::change::{Insert, Source};
use values::SqlMode;

use super::Ask;
use super::beside::{ask_beside, names_beside};
use super::insert::{InsertPlan, bind_insert_beside, count_mismatch};
use super::joined::query_of;
use crate::bind::scalar::Bound;
use crate::error::{Result, SqlError};
use crate::tree::QueryPlan;

/// A bound INSERT or REPLACE of a query's rows.
#[derive(Debug)]
pub struct InsertOfQuery {
    /// What becomes of the rows.
    pub insert: InsertPlan,
    /// What gives them.
    pub query: QueryPlan,
}

impl InsertOfQuery {
    /// Binds the statement.
    ///
    /// # Errors
    /// 1136 where the query has other columns than the rows; those of binding the query and what is named.
    pub fn bind(
        insert: &Insert,
        table: Arc<Table>,
        mode: SqlMode,
        ask: Ask<'_>,
    ) -> Bound<InsertOfQuery> {
        let mut query = match &insert.source {
            Source::Query(query) => query.clone(),
            Source::Rows(rows) => query_of_rows(rows)?,
        };
        let mut names = names_beside(insert, &table);
        if !ask_beside(&mut query, &names) {
            names.clear();
        }
        let bound = ask(&query)?;
        let of_row = bound.columns.len().saturating_sub(names.len());
        let names =
            names.into_iter().map(|parts| parts.into_iter().map(|part| part.value).collect());
        let types = bound.columns.iter().skip(of_row).map(|column| column.ty.clone());
        let insert = Insert { source: Source::Query(query), ..insert.clone() };
        let insert = bind_insert_beside(&insert, table, mode, names.zip(types).collect())?;
        if bound.columns.len() != insert.width() {
            return Err(count_mismatch(1).into());
        }
        Ok(InsertOfQuery { insert, query: bound })
    }
}

/// VALUES as a query: each row is a SELECT.
fn query_of_rows(rows: &[Vec<Option<Expr>>]) -> Result<Box<Query>> {
    let mut all: Option<Box<Query>> = None;
    for row in rows {
        let row: Option<Vec<Expr>> = row.iter().cloned().collect();
        let unsaid = || SqlError::unsupported("DEFAULT beside a sub-query in VALUES");
        let items = row.ok_or_else(unsaid)?.into_iter().map(SelectItem::UnnamedExpr).collect();
        let of_row = query_of(items, Vec::new(), None, Vec::new(), None)?;
        all = Some(match all {
            None => of_row,
            Some(mut before) => {
                let nothing = SetExpr::Values(Values {
                    explicit_row: false,
                    value_keyword: false,
                    rows: Vec::new(),
                });
                let left = Box::new(std::mem::replace(&mut *before.body, nothing));
                let (op, set_quantifier) = (SetOperator::Union, SetQuantifier::All);
                let right = of_row.body;
                *before.body = SetExpr::SetOperation { op, set_quantifier, left, right };
                before
            }
        });
    }
    all.ok_or_else(|| SqlError::other("an INSERT without rows"))
}
