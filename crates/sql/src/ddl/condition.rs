//! What MySQL takes for the condition of a CHECK, asked when it is written (MySQL 9.7 answers so:
//! tests/oracle/sql/rules-of-names.sql).
//!
//! Invariants
//! 1. A condition is refused here alone, when a statement says it: one that a table has from
//!    before is kept, and holds.
//!
//! Not here: columns that are not there, what a condition means (`rules`).

use std::ops::ControlFlow;

use expression::Function;
use sqlparser::ast::{
    BinaryOperator, Expr, Function as Call, FunctionArguments, UnaryOperator, Value,
    visit_expressions,
};
use values::ErrorCode;

use plan::tree::AggregateFunction;
use results::{Result, SqlError};

/// Functions that are true or false.
const CONDITIONS: [&str; 15] = [
    "ISNULL",
    "IS_IPV4",
    "IS_IPV4_COMPAT",
    "IS_IPV4_MAPPED",
    "IS_IPV6",
    "IS_UUID",
    "JSON_CONTAINS",
    "JSON_CONTAINS_PATH",
    "JSON_EXISTS",
    "JSON_OVERLAPS",
    "JSON_SCHEMA_VALID",
    "JSON_VALID",
    "REGEXP_LIKE",
    "STRCMP",
    "XOR",
];

/// Refuses the condition of a CHECK of this name.
///
/// # Errors
/// 3812 for what is no condition, 3814 for a function that asks for more than the row, 3815 for a
/// sub-query, 3816 for a variable, 1111 for an aggregate.
pub(super) fn check_condition(condition: &Expr, name: &str) -> Result<()> {
    if !is_condition(condition) && !is_subquery(condition) {
        return Err(SqlError::new(
            ErrorCode::NonBooleanExprForCheckConstraint,
            format!("An expression of non-boolean type specified to a check constraint '{name}'."),
        ));
    }
    let found = visit_expressions(condition, |part| match refuse_part(part, name) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    });
    match found {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

fn refuse_part(part: &Expr, name: &str) -> Result<()> {
    let of = format!("An expression of a check constraint '{name}'");
    let is_variable = |name: &str| name.starts_with('@');
    match part {
        _ if is_subquery(part) => Err(SqlError::new(
            ErrorCode::CheckConstraintFunctionIsNotAllowed,
            format!("{of} contains disallowed function."),
        )),
        Expr::Identifier(word) if word.quote_style.is_none() && is_variable(&word.value) => {
            Err(of_variable(&of))
        }
        Expr::CompoundIdentifier(words)
            if words[0].quote_style.is_none() && is_variable(&words[0].value) =>
        {
            Err(of_variable(&of))
        }
        Expr::Function(call) => refuse_call(call, &of),
        _ => Ok(()),
    }
}

fn refuse_call(call: &Call, of: &str) -> Result<()> {
    let (upper, arguments) = (call.name.to_string().to_ascii_uppercase(), argument_count(call));
    if AggregateFunction::find(&upper).is_some() || call.over.is_some() {
        return Err(SqlError::new(ErrorCode::InvalidGroupFuncUse, "Invalid use of group function"));
    }
    let asks = match Function::find(&upper, arguments) {
        Some(Ok(function)) => function.asks_more_than(arguments),
        // Forms of their own (ADDDATE, TIMESTAMPADD) ask for nothing.
        _ => false,
    };
    if !asks {
        return Ok(());
    }
    let shown = call.name.to_string().to_ascii_lowercase();
    Err(SqlError::new(
        ErrorCode::CheckConstraintNamedFunctionIsNotAllowed,
        format!("{of} contains disallowed function: {shown}."),
    ))
}

fn of_variable(of: &str) -> SqlError {
    SqlError::new(
        ErrorCode::CheckConstraintVariables,
        format!("{of} cannot refer to a user or system variable."),
    )
}

fn argument_count(call: &Call) -> usize {
    match &call.args {
        FunctionArguments::List(list) => list.args.len(),
        _ => 0,
    }
}

fn is_subquery(expr: &Expr) -> bool {
    matches!(expr, Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. })
}

/// Whether an expression is true or false by what it is, not by the number that it gives.
fn is_condition(expr: &Expr) -> bool {
    use BinaryOperator as B;
    match expr {
        Expr::Nested(inner) => is_condition(inner),
        Expr::Value(literal) => matches!(literal.value, Value::Boolean(_)),
        Expr::UnaryOp { op, .. } => matches!(op, UnaryOperator::Not | UnaryOperator::BangNot),
        Expr::BinaryOp { op, .. } => !matches!(
            op,
            B::Plus
                | B::Minus
                | B::Multiply
                | B::Divide
                | B::Modulo
                | B::MyIntegerDivide
                | B::StringConcat
                | B::BitwiseAnd
                | B::BitwiseOr
                | B::BitwiseXor
                | B::PGBitwiseXor
                | B::PGBitwiseShiftLeft
                | B::PGBitwiseShiftRight
                | B::Arrow
                | B::LongArrow
        ),
        Expr::Function(call) => {
            CONDITIONS.contains(&call.name.to_string().to_ascii_uppercase().as_str())
        }
        Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotUnknown(_)
        | Expr::InList { .. }
        | Expr::Between { .. }
        | Expr::Like { .. }
        | Expr::RLike { .. }
        | Expr::MemberOf(_) => true,
        _ => false,
    }
}
