//! What MySQL takes for the expression that divides a table, asked when it is written (MySQL 9.7
//! answers so: tests/oracle/sql/definitions-read-again.sql).
//!
//! Invariants
//! 1. An expression is refused here alone, when a statement says it: a table that is divided by it
//!    from before stays as it is.
//!
//! Not here: functions that may stand in none (`partition`), which row is where
//! (`rows::partition`).

use std::ops::ControlFlow;

use rows::schema::Column;
use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    visit_expressions,
};
use values::ErrorCode;
use values::types::ColumnType;

use super::partition::not_constant;
use results::{Result, SqlError};

/// Functions of a column with a day.
const OF_DAYS: [&str; 13] = [
    "DATEDIFF",
    "DAY",
    "DAYOFMONTH",
    "DAYOFWEEK",
    "DAYOFYEAR",
    "MONTH",
    "QUARTER",
    "TO_DAYS",
    "TO_SECONDS",
    "WEEKDAY",
    "YEAR",
    "YEARWEEK",
    "WEEK",
];
/// Functions of a column with a time of day.
const OF_TIMES: [&str; 5] = ["HOUR", "MICROSECOND", "MINUTE", "SECOND", "TIME_TO_SEC"];
/// Units of EXTRACT that have a part of a time of day.
const UNITS_OF_TIMES: [&str; 5] = ["HOUR", "MINUTE", "SECOND", "MICROSECOND", "DAY_"];

/// Refuses an expression of these columns.
///
/// # Errors
/// 1564 for an operator that works on bits, 1486 for a function of days or times that is not given
/// a column with one.
pub(super) fn check_function(by: &Expr, columns: &[Column]) -> Result<()> {
    let found = visit_expressions(by, |part| match refuse_part(part, columns) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    });
    match found {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

fn refuse_part(part: &Expr, columns: &[Column]) -> Result<()> {
    use BinaryOperator as B;
    match part {
        Expr::BinaryOp {
            op:
                B::BitwiseAnd
                | B::BitwiseOr
                | B::BitwiseXor
                | B::PGBitwiseXor
                | B::PGBitwiseShiftLeft
                | B::PGBitwiseShiftRight,
            ..
        } => Err(SqlError::new(
            ErrorCode::PartitionFunctionIsNotAllowed,
            "This partition function is not allowed",
        )),
        Expr::Function(call) => {
            let name = call.name.to_string().to_ascii_uppercase();
            let wants = match name.as_str() {
                name if OF_DAYS.contains(&name) => has_day,
                name if OF_TIMES.contains(&name) => has_time,
                _ => return Ok(()),
            };
            refuse_unless(arguments(call).all(|argument| is_column(argument, columns, wants)))
        }
        Expr::Extract { field, expr, .. } => {
            let unit = field.to_string().to_ascii_uppercase();
            let is_of_time = UNITS_OF_TIMES.iter().any(|known| unit.starts_with(known));
            let wants = if is_of_time { has_time } else { has_day };
            refuse_unless(is_column(expr, columns, wants))
        }
        _ => Ok(()),
    }
}

fn refuse_unless(is_allowed: bool) -> Result<()> {
    if is_allowed { Ok(()) } else { Err(not_constant()) }
}

fn arguments(call: &Function) -> impl Iterator<Item = &Expr> {
    let list = match &call.args {
        FunctionArguments::List(list) => list.args.as_slice(),
        _ => &[],
    };
    list.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    })
}

/// Whether an expression is a column of such a type. A TIMESTAMP has errors of its own, and so has
/// a column that is not there.
fn is_column(expr: &Expr, columns: &[Column], wants: fn(&ColumnType) -> bool) -> bool {
    let Expr::Identifier(name) = expr else { return matches!(expr, Expr::CompoundIdentifier(_)) };
    let is_it = |column: &&Column| column.name.eq_ignore_ascii_case(&name.value);
    let found = columns.iter().find(is_it);
    found
        .is_none_or(|column| wants(&column.ty) || matches!(column.ty, ColumnType::Timestamp { .. }))
}

fn has_day(ty: &ColumnType) -> bool {
    matches!(ty, ColumnType::Date | ColumnType::DateTime { .. })
}

fn has_time(ty: &ColumnType) -> bool {
    matches!(ty, ColumnType::Time { .. } | ColumnType::DateTime { .. })
}
