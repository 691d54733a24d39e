//! Finding the rows that an UPDATE or DELETE changes by column: a query over the columns of its
//! condition gives their keys, as it does for statements with joins (`joined`).
//!
//! Invariants
//! 1. The query's state is that of the statement's beginning. What has changed since is seen under
//!    the lock of each row, where the condition is checked again (`change`).
//! 2. Keys come in the order that was asked for where a statement's outcome depends on it; else those
//!    of a piece come in their own order, so that rows of one segment are read one behind the other.
//! 3. Never more than a piece of them is in memory.
//!
//! Not here: when rows are found so (`session::write`), running the query.

use std::sync::Arc;

use rows::table::Table;
use sqlparser::ast::{Expr, Ident, OrderByExpr, Query, SelectItem, TableWithJoins};
use values::budget::Budget;
use values::datum::Datum;

use super::joined::{KEY_COLUMN, key_of, query_of};
use crate::error::{Result, SqlError};
use crate::point::Gathered;
use crate::reply::{How, Pace, RowStream};

/// The query that finds the rows of a statement.
#[derive(Debug)]
pub struct Finding {
    query: Box<Query>,
    in_order: bool,
}

impl Finding {
    /// That of a statement over a table under a name; `in_order`: its outcome depends on the order of
    /// the rows. `None` for tables that are not stored by column.
    pub(super) fn of(
        table: &Table,
        shown: &str,
        tables: &[TableWithJoins],
        (selection, order, limit): (Option<&Expr>, &[OrderByExpr], Option<&Expr>),
        in_order: bool,
    ) -> Option<Finding> {
        if !table.columnar {
            return None;
        }
        let key = key_of(shown);
        let mut sort = Vec::new();
        if in_order || limit.is_some() {
            sort.extend_from_slice(order);
            // Without an order, and among equals, rows come in the order of their keys.
            sort.push(OrderByExpr { expr: key.clone(), ..Ident::new(KEY_COLUMN).into() });
        }
        let (from, selection, limit) = (tables.to_vec(), selection.cloned(), limit.cloned());
        let query = query_of(vec![SelectItem::UnnamedExpr(key)], from, selection, sort, limit).ok()?;
        Some(Finding { query, in_order })
    }

    /// The query: one column, the row's key.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The keys that the query gives.
    pub fn keys(&self, stream: RowStream) -> FoundKeys {
        FoundKeys { stream, in_order: self.in_order }
    }
}

/// Keys of rows, as a query finds them.
pub struct FoundKeys {
    stream: RowStream,
    in_order: bool,
}

impl FoundKeys {
    /// Calls `each` with every key; so many bytes of them are in memory at a time.
    pub(super) fn visit(
        mut self,
        budget: &Arc<Budget>,
        bytes_max: usize,
        each: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut gathered = Gathered::default();
        let mut more = true;
        while more {
            gathered.clear();
            let mut bytes = 0;
            more = self.stream.next(How::POOL, &mut |line| {
                let [Datum::Bytes(key)] = line else {
                    return Err(SqlError::other("a row without a key"));
                };
                gathered.push(budget, key, &[])?;
                bytes += key.len();
                Ok(if bytes >= bytes_max { Pace::Pause } else { Pace::More })
            })?;
            if !self.in_order {
                gathered.sort_by_key();
            }
            for n in 0..gathered.len() {
                each(gathered.key(n))?;
            }
        }
        Ok(())
    }
}
