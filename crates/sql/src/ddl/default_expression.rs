//! What MySQL takes for a default in brackets, asked when it is written (MySQL 9.7 answers so:
//! tests/oracle/sql/definitions-read-again.sql).
//!
//! Invariants
//! 1. A default is refused here alone, when a statement says it: one that a table has from before
//!    is kept.
//!
//! Not here: columns that are not there, what may stand in no definition at all (`rules`).

use std::ops::ControlFlow;

use rows::alter::{Alteration, ColumnPlace};
use rows::rules::names_in;
use rows::schema::{Column, DefaultValue};
use rows::table::Table;
use sqlparser::ast::{Expr, Ident, visit_expressions};
use values::ErrorCode;

use results::{Result, SqlError};

/// Functions that ask for more than a row and a session's names.
const REFUSED: [&str; 13] = [
    "BENCHMARK",
    "FOUND_ROWS",
    "GET_LOCK",
    "IS_FREE_LOCK",
    "IS_USED_LOCK",
    "LAST_INSERT_ID",
    "LOAD_FILE",
    "RELEASE_ALL_LOCKS",
    "RELEASE_LOCK",
    "ROW_COUNT",
    "SLEEP",
    "VALUES",
    "VERSION",
];

/// Refuses what the default of a column of this name may not say.
///
/// # Errors
/// 3769 for a sub-query, 3770 for a function that is not allowed, 3772 for a variable.
pub(super) fn check_default(default: &Expr, name: &str) -> Result<()> {
    let found = visit_expressions(default, |part| match refuse_part(part, name) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    });
    match found {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

fn refuse_part(part: &Expr, name: &str) -> Result<()> {
    let of = format!("Default value expression of column '{name}'");
    let is_variable = |word: &Ident| word.quote_style.is_none() && word.value.starts_with('@');
    let variable = || {
        let message = format!("{of} cannot refer user or system variables.");
        (ErrorCode::DefaultValExprVariables, message)
    };
    let (code, message) = match part {
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => {
            (ErrorCode::DefaultExpressionSubquery, format!("{of} contains a disallowed function."))
        }
        Expr::Identifier(word) if is_variable(word) => variable(),
        Expr::CompoundIdentifier(words) if is_variable(&words[0]) => variable(),
        Expr::Function(call) => {
            let shown = call.name.to_string().to_ascii_lowercase();
            if !REFUSED.iter().any(|refused| refused.eq_ignore_ascii_case(&shown)) {
                return Ok(());
            }
            let brackets = if shown == "version" { "()" } else { "" };
            (
                ErrorCode::DefaultExpressionFunction,
                format!("{of} contains a disallowed function: {shown}{brackets}."),
            )
        }
        _ => return Ok(()),
    };
    Err(SqlError::new(code, message))
}

/// Refuses defaults that look at columns which are not filled yet: one that numbers itself, one
/// that is computed or has such a default and does not stand before.
///
/// # Errors
/// 3767 and 3768.
pub(super) fn check_order(columns: &[Column]) -> Result<()> {
    check_order_of(columns, |_| true)
}

/// As `check_order`, of those columns of a changed table that the statement says.
///
/// # Errors
/// As `check_order`.
pub(super) fn check_order_after(table: &Table, alterations: &[Alteration]) -> Result<()> {
    let mut columns = table.named_columns().to_vec();
    let mut said = Vec::new();
    for alteration in alterations {
        let place = |columns: &[Column], name: &str| {
            columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
        };
        match alteration {
            Alteration::AddColumn { column, place: ColumnPlace::After(name), .. } => {
                let at = place(&columns, name).map_or(columns.len(), |at| at + 1);
                columns.insert(at, column.clone());
                said.push(column.name.clone());
            }
            Alteration::AddColumn { column, place, .. } => {
                let at = if matches!(place, ColumnPlace::First) { 0 } else { columns.len() };
                columns.insert(at, column.clone());
                said.push(column.name.clone());
            }
            Alteration::ModifyColumn { name, column, .. } => {
                if let Some(at) = place(&columns, name) {
                    columns[at] = column.clone();
                    said.push(column.name.clone());
                }
            }
            Alteration::SetDefault { name, default } => {
                if let Some(at) = place(&columns, name) {
                    columns[at].default = default.clone();
                    said.push(name.clone());
                }
            }
            _ => {}
        }
    }
    check_order_of(&columns, |column| {
        said.iter().any(|name| name.eq_ignore_ascii_case(&column.name))
    })
}

fn check_order_of(columns: &[Column], is_asked: impl Fn(&Column) -> bool) -> Result<()> {
    for (position, column) in columns.iter().enumerate().filter(|(_, column)| is_asked(column)) {
        let DefaultValue::Expression(text) = &column.default else { continue };
        for name in names_in(text) {
            let is_it = |other: &Column| other.name.eq_ignore_ascii_case(&name);
            let Some(at) = columns.iter().position(is_it) else { continue };
            let of = format!("Default value expression of column '{}'", column.name);
            if columns[at].auto_increment {
                return Err(SqlError::new(
                    ErrorCode::DefaultExpressionOfAutoIncrement,
                    format!("{of} cannot refer to an auto-increment column."),
                ));
            }
            let is_late = columns[at].computed.is_some() || columns[at].default.is_expression();
            if at >= position && is_late {
                return Err(SqlError::new(
                    ErrorCode::DefaultExpressionNotPrior,
                    format!(
                        "{of} cannot refer to a column defined after it if that column is a \
                         generated column or has an expression as default value."
                    ),
                ));
            }
        }
    }
    Ok(())
}
