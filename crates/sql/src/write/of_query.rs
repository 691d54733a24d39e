//! INSERT and REPLACE of the rows that a query gives: INSERT ... SELECT, and VALUES with
//! sub-queries, whose rows are a query's then.
//!
//! Invariants
//! 1. The query gives the values of the columns that are named, and behind them what ON DUPLICATE
//!    KEY UPDATE asks of its tables (`source_columns`).
//!
//! Not here: running the query (`session::write`), inserting its rows (`load::query`).

use std::sync::Arc;

use rows::table::Table;
use sqlparser::ast::{Expr, Ident, Query, SelectItem, SetExpr, SetOperator, SetQuantifier, Values};
use syntax::change::{Insert, Source};
use values::ErrorCode;

use super::Ask;
use super::insert::{InsertPlan, bind_insert_beside, count_mismatch, incoming_names};
use super::named_targets::query_of;
use super::query_values::give;
use super::source_columns::{ask_beside, bare_own_names, names_beside};
use plan::bind::RowBinder;
use plan::bind::scalar::{BindFailure, Bound, Names};
use plan::tree::QueryPlan;
use results::{Result, SqlError};

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
    /// 1136 where the query has other columns than the rows; those of binding the query and what is
    /// named.
    pub fn bind(
        insert: &Insert,
        table: Arc<Table>,
        names: &Names<'_>,
        ask: Ask<'_>,
        over_row: &RowBinder<'_>,
    ) -> Bound<InsertOfQuery> {
        let mut query = match &insert.source {
            Source::Query(query) => query.clone(),
            Source::Rows(rows) => query_of_rows(rows)?,
        };
        let incoming = incoming_names(insert, &table)?;
        let row = Names { incoming: Some(&incoming), ..names.over(&table, None, "field list") };
        let mut beside = names_beside(insert, &table, &row, over_row);
        if !ask_beside(&mut query, &beside) {
            beside.clear();
        }
        for name in bare_own_names(insert, &table) {
            refuse_ambiguous(&query, name, ask)?;
        }
        let mut bound = ask(&query)?;
        let of_row = bound.columns.len().saturating_sub(beside.len());
        let asked =
            beside.into_iter().map(|parts| parts.into_iter().map(|part| part.value).collect());
        let types = bound.columns.iter().skip(of_row).map(|column| column.ty.clone());
        let unsaid = match &insert.source {
            Source::Query(_) => Vec::new(),
            Source::Rows(rows) => unsaid_of(rows),
        };
        let insert = Insert { source: Source::Query(query), ..insert.clone() };
        let beside = asked.zip(types).collect();
        let mut insert = bind_insert_beside(&insert, table, names, beside, over_row)?;
        if bound.columns.len() != insert.width() {
            return Err(count_mismatch(1).into());
        }
        insert.unsaid = unsaid;
        give(&mut bound, 0, &insert.types().collect::<Vec<_>>());
        Ok(InsertOfQuery { insert, query: bound })
    }
}

/// Error 1052 for a column of the table whose name a table of a plain query has as well.
fn refuse_ambiguous(query: &Query, name: Ident, ask: Ask<'_>) -> Bound<()> {
    let mut asked = query.clone();
    let shown = name.value.clone();
    if !ask_beside(&mut asked, &[vec![name]]) {
        return Ok(());
    }
    let is_ambiguous = match ask(&asked) {
        Ok(_) => true,
        Err(BindFailure::Wrong(error)) => error.code() == ErrorCode::NonUniq,
        Err(_) => false,
    };
    match is_ambiguous {
        true => Err(SqlError::ambiguous_column(&shown, "field list").into()),
        false => Ok(()),
    }
}

/// Which values DEFAULT stands for: rows, counted from 1, and places in them.
fn unsaid_of(rows: &[Vec<Option<Expr>>]) -> Vec<(u64, usize)> {
    let places = |(n, row): (u64, &Vec<Option<Expr>>)| {
        let unsaid = row.iter().enumerate().filter(|(_, value)| value.is_none());
        unsaid.map(|(at, _)| (n, at)).collect::<Vec<_>>()
    };
    (1..).zip(rows).flat_map(places).collect()
}

/// VALUES as a query: each row is a SELECT, which gives NULL for DEFAULT.
fn query_of_rows(rows: &[Vec<Option<Expr>>]) -> Result<Box<Query>> {
    let mut all: Option<Box<Query>> = None;
    for row in rows {
        let null = || Expr::Value(sqlparser::ast::Value::Null.into());
        let given = row.iter().map(|value| value.clone().unwrap_or_else(null));
        let items = given.map(SelectItem::UnnamedExpr).collect();
        let of_row = query_of(items, Vec::new(), None, Vec::new(), None);
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
