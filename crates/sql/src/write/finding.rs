//! Finding the rows that an UPDATE or DELETE of one table changes by a query, which gives their
//! keys as it does for statements with joins (`joined`): because only a query can say its
//! condition, or by column, where that is quicker than looking at the rows.
//!
//! Invariants
//! 1. The query's state is that of the statement's beginning. What has changed since is seen under
//!    the lock of each row, where the condition is checked again (`change`). Where only the query
//!    can tell whether a row meets it, a row that is another by then makes the statement begin
//!    again (`settled`).
//! 2. Rows are changed in the order in which they are found: the one that was asked for, where a
//!    statement's outcome depends on it, else that of their places, so that each segment is read
//!    once.
//! 3. Those of a piece are locked before, in the order of their keys, so that two statements over
//!    the same rows wait for each other and do not fail. No more than a piece of keys is in memory.
//!
//! Not here: when rows are found so (`session::write`), running the query.

use std::sync::Arc;

use rows::Engine;
use rows::store::Read;
use rows::table::Table;
use rows::transaction::{RowChange, Transaction};
use sqlparser::ast::{Expr, Ident, OrderByExpr, TableWithJoins};
use values::datum::Datum;

use super::found_rows::FoundIn;
use super::named_targets::{key_item, key_of, query_of};
use super::{Ask, WriteContext};
use executor::GatheredRows;
use plan::bind::ROW_KEY;
use plan::bind::scalar::{BindFailure, Bound};
use plan::tree::QueryPlan;
use results::{ExecutionMode, Pace, Result, RowStream, SqlError};

/// Rows of a piece.
const PIECE_ROWS: usize = 1 << 16;

/// The query that finds the rows of a statement.
#[derive(Debug)]
pub struct Finding {
    query: QueryPlan,
    /// Nothing but the query finds them.
    pub is_needed: bool,
}

impl Finding {
    /// That of a statement over a table under a name; `in_order`: its outcome depends on the order
    /// of the rows. `None` for tables that are not stored by column.
    pub(super) fn by_column(
        table: &Table,
        shown: &str,
        tables: &[TableWithJoins],
        (selection, order, limit): (Option<&Expr>, &[OrderByExpr], Option<&Expr>),
        in_order: bool,
        ask: Ask<'_>,
    ) -> Bound<Option<Finding>> {
        if !table.columnar {
            return Ok(None);
        }
        let mut sort = Vec::new();
        if in_order || limit.is_some() {
            sort.extend_from_slice(order);
            // Without an order, and among equals, rows come in the order of their keys.
            sort.push(OrderByExpr { expr: key_of(shown), ..Ident::new(ROW_KEY).into() });
        }
        let (from, selection, limit) = (tables.to_vec(), selection.cloned(), limit.cloned());
        let query = query_of(vec![key_item(shown)], from, selection, sort, limit);
        match ask(&query) {
            Ok(query) => Ok(Some(Finding { query, is_needed: false })),
            Err(BindFailure::Wrong(SqlError::WouldWait)) => Err(SqlError::WouldWait.into()),
            // What is wrong with it is told of the statement itself.
            Err(_) => Ok(None),
        }
    }

    /// That of a statement whose rows nothing but a query finds.
    pub(super) fn by_query(
        shown: &str,
        tables: &[TableWithJoins],
        (selection, order, limit): (Option<&Expr>, &[OrderByExpr], Option<&Expr>),
        ask: Ask<'_>,
    ) -> Bound<Finding> {
        let (from, selection, limit) = (tables.to_vec(), selection.cloned(), limit.cloned());
        let query = query_of(vec![key_item(shown)], from, selection, order.to_vec(), limit);
        Ok(Finding { query: ask(&query)?, is_needed: true })
    }

    /// The query: one column, the row's key.
    pub fn query(&self) -> &QueryPlan {
        &self.query
    }
}

/// Runs the query that finds a statement's rows, if one is to.
pub type Find<'a> = dyn FnMut(&mut Transaction) -> Result<Option<FoundKeys>> + 'a;

/// Keys of rows, as the query finds them.
pub struct FoundKeys {
    /// The query's rows: one column, the key.
    pub rows: RowStream,
    /// The state that they were found in, where nothing but the query can tell that they are the
    /// ones.
    pub state: Option<Arc<dyn Read>>,
}

impl FoundKeys {
    /// Locks the rows of a piece, then calls `each` with their keys. `false`: one of them is
    /// another than the query has seen; those of its piece and behind it were not given.
    pub(super) fn visit(
        mut self,
        table: &Arc<Table>,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        engine: &Engine,
        each: &mut dyn FnMut(&mut Transaction, &[u8]) -> Result<()>,
    ) -> Result<bool> {
        let state = self.state.take();
        let state = state.as_deref().map(|view| FoundIn { engine, view });
        let mut is_outdated = false;
        let mut gathered = GatheredRows::default();
        let mut more = true;
        while more {
            gathered.clear();
            more = self.rows.next(ExecutionMode::POOL, &mut |line| {
                let [Datum::Bytes(key)] = line else {
                    return Err(SqlError::other("a row without a key"));
                };
                gathered.push(engine.budget(), key, &[])?;
                Ok(if gathered.len() == PIECE_ROWS { Pace::Pause } else { Pace::More })
            })?;
            for n in gathered.in_key_order() {
                context.facts.limits.check()?;
                let key = gathered.key(n);
                match &state {
                    Some(state) => is_outdated |= is_another(state, transaction, table, key)?,
                    None => transaction.lock_row(table, key)?,
                }
            }
            if is_outdated {
                return Ok(false);
            }
            for n in 0..gathered.len() {
                context.facts.limits.check()?;
                each(transaction, gathered.key(n))?;
            }
        }
        Ok(true)
    }
}

/// Locks a row; whether it is another than the one that the query has seen. One that is gone is
/// not.
fn is_another(
    state: &FoundIn<'_>,
    transaction: &mut Transaction,
    table: &Arc<Table>,
    key: &[u8],
) -> Result<bool> {
    let seen = state.version(table, key)?;
    let mut is_other = false;
    transaction.change_row::<rows::Error>(table, key, &mut |row| {
        is_other = seen != Some(row.version());
        Ok(RowChange::Keep)
    })?;
    Ok(is_other)
}
