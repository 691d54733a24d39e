//! LIMIT, OFFSET and FETCH FIRST of a query, as written.
//!
//! `OFFSET 1 ROW FETCH NEXT 2 ROWS ONLY` is `LIMIT 2 OFFSET 1` (MariaDB; MySQL has LIMIT only).
//!
//! Not here: binding the numbers, which both ways of binding a query do for themselves.

use sqlparser::ast::{Expr, Fetch, LimitClause, OffsetRows, Query, Value};

use super::scalar::{Bound, elsewhere};
use crate::error::SqlError;

/// How many rows a query gives at most, and how many it passes over before.
///
/// # Errors
/// 1064 for FETCH beside LIMIT or of a percentage, 4180 for WITH TIES without an order, 1235 with one.
pub fn limit_of(query: &Query) -> Bound<(Option<Expr>, Option<Expr>)> {
    let (limit, offset) = match &query.limit_clause {
        None => (None, None),
        Some(LimitClause::LimitOffset { limit, offset, limit_by }) if limit_by.is_empty() => {
            let is_short = offset.as_ref().is_some_and(|offset| offset.rows == OffsetRows::None);
            if let (Some(fetch), true) = (&query.fetch, limit.is_some() || is_short) {
                return Err(SqlError::syntax(&fetch.to_string(), 1).into());
            }
            (limit.clone(), offset.as_ref().map(|offset| offset.value.clone()))
        }
        Some(LimitClause::OffsetCommaLimit { offset, limit }) => match &query.fetch {
            None => (Some(limit.clone()), Some(offset.clone())),
            Some(fetch) => return Err(SqlError::syntax(&fetch.to_string(), 1).into()),
        },
        Some(LimitClause::LimitOffset { .. }) => return elsewhere("LIMIT BY"),
    };
    let Some(Fetch { with_ties, percent, quantity }) = &query.fetch else {
        return Ok((limit, offset));
    };
    if *percent {
        return Err(SqlError::syntax("PERCENT", 1).into());
    }
    if *with_ties && query.order_by.is_none() {
        let message = "FETCH ... WITH TIES requires ORDER BY clause to be present";
        return Err(SqlError::new(4180, message).into());
    }
    if *with_ties {
        return Err(SqlError::unsupported("FETCH ... WITH TIES").into());
    }
    let one = || Expr::Value(Value::Number("1".to_string(), false).into());
    Ok((Some(quantity.clone().unwrap_or_else(one)), offset))
}
