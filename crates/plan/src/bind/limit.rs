//! LIMIT, OFFSET and FETCH FIRST of a query, as written.
//!
//! `OFFSET 1 ROW FETCH NEXT 2 ROWS ONLY` is `LIMIT 2 OFFSET 1` (MariaDB; MySQL has LIMIT only).
//!
//! Not here: binding the numbers, which both ways of binding a query do for themselves.

use sqlparser::ast::{Expr, Fetch, LimitClause, OffsetRows, Query, SetExpr, Value};
use values::ErrorCode;

use super::scalar::{Bound, unsupported};
use results::SqlError;

/// How many rows a query gives at most, and how many it passes over before.
///
/// # Errors
/// 1064 for an expression, 1327 for a name, 1064 for FETCH beside LIMIT or of a percentage, 4180
/// for WITH TIES without an order, 1235 with one.
pub(super) fn limit_of(query: &Query) -> Bound<(Option<Expr>, Option<Expr>)> {
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
        Some(LimitClause::LimitOffset { .. }) => return unsupported("LIMIT BY"),
    };
    for expr in limit.iter().chain(&offset) {
        let is_literal = matches!(expr, Expr::Value(value) if is_row_count(&value.value));
        // A name would be that of a routine's variable.
        if let Expr::Identifier(name) = expr
            && !name.value.starts_with('@')
        {
            let message = format!("Undeclared variable: {}", name.value);
            return Err(SqlError::new(ErrorCode::SpUndeclaredVar, message).into());
        }
        if !is_literal {
            return Err(SqlError::syntax(&expr.to_string(), 1).into());
        }
    }
    let Some(Fetch { with_ties, percent, quantity }) = &query.fetch else {
        return Ok((limit, offset));
    };
    if *percent {
        return Err(SqlError::syntax("PERCENT", 1).into());
    }
    if *with_ties && query.order_by.is_none() {
        let message = "FETCH ... WITH TIES requires ORDER BY clause to be present";
        return Err(SqlError::new(ErrorCode::LimitWithTies, message).into());
    }
    if *with_ties {
        return Err(SqlError::unsupported("FETCH ... WITH TIES").into());
    }
    let one = || Expr::Value(Value::Number("1".to_string(), false).into());
    Ok((Some(quantity.clone().unwrap_or_else(one)), offset))
}

/// Whether LIMIT may have a literal.
fn is_row_count(literal: &Value) -> bool {
    match literal {
        Value::Number(digits, _) => {
            digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u64>().is_ok()
        }
        Value::Placeholder(_) => true,
        _ => false,
    }
}

/// Has a query that does not say how many rows it gives give at most so many (sql_select_limit).
/// What stands within it is not limited (MySQL 8.0 manual, 7.1.8; MariaDB 10.11 answers so:
/// tests/oracle/sql/statements.sql).
pub fn limit_to(query: &mut Query, rows_max: u64) {
    if rows_max == u64::MAX || query.limit_clause.is_some() || query.fetch.is_some() {
        return;
    }
    if let SetExpr::Query(within) = query.body.as_mut()
        && query.order_by.is_none()
    {
        // Only parentheses.
        return limit_to(within, rows_max);
    }
    let limit = Expr::Value(Value::Number(rows_max.to_string(), false).into());
    query.limit_clause =
        Some(LimitClause::LimitOffset { limit: Some(limit), offset: None, limit_by: Vec::new() });
}
