//! SIGNAL, RESIGNAL and GET DIAGNOSTICS, as written.
//!
//! Invariants
//! 1. What SIGNAL gives a condition is written or kept in a variable: it computes nothing.
//!
//! Not here: what conditions are made of (`values::condition`), the statements' effects
//! (`sql::session::diagnostics`).

use sqlparser::ast::Expr;
use sqlparser::tokenizer::Token;
use values::ErrorCode;
use values::condition::{ConditionItem, raised_sqlstate};

use crate::cursor::Cursor;
use crate::error::{Error, Result};

/// SIGNAL.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// SQLSTATE.
    pub sqlstate: [u8; 5],
    /// SET.
    pub items: Vec<(ConditionItem, Expr)>,
}

/// GET DIAGNOSTICS.
#[derive(Clone, Debug, PartialEq)]
pub struct GetDiagnostics {
    /// STACKED: what a handler of a program handles.
    pub stacked: bool,
    /// What is asked for.
    pub asked: AskedDiagnostics,
}

/// What GET DIAGNOSTICS asks for: of each the user variable that gets it.
#[derive(Clone, Debug, PartialEq)]
pub enum AskedDiagnostics {
    /// Of the statement before.
    Statement(Vec<(String, StatementItem)>),
    /// Of the condition with a number, from 1 on.
    Condition(Box<Expr>, Vec<(String, ConditionItem)>),
}

/// What a statement leaves behind, besides conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementItem {
    /// NUMBER: how many conditions.
    Number,
    /// ROW_COUNT.
    RowCount,
}

/// Reads what follows SIGNAL.
///
/// # Errors
/// 1064; 1407 for a state that cannot be raised, 1319 for the name of a condition, which only
/// programs declare, 1641 for an item that is set twice.
pub fn signal(cursor: &mut Cursor<'_>) -> Result<Signal> {
    let sqlstate = condition(cursor)?;
    Ok(Signal { sqlstate, items: signal_items(cursor)? })
}

/// Reads what follows RESIGNAL, which nothing is done with outside of programs.
///
/// # Errors
/// As `signal`.
pub fn resignal(cursor: &mut Cursor<'_>) -> Result<()> {
    if !cursor.at_end() && !cursor.is("SET") {
        condition(cursor)?;
    }
    signal_items(cursor).map(drop)
}

fn condition(cursor: &mut Cursor<'_>) -> Result<[u8; 5]> {
    if !cursor.take("SQLSTATE") {
        let message = format!("Undefined CONDITION: {}", cursor.name()?);
        return Err(Error::new(ErrorCode::SpCondMismatch, message));
    }
    cursor.take("VALUE");
    let text = cursor.string()?;
    raised_sqlstate(&text)
        .ok_or_else(|| Error::new(ErrorCode::SpBadSqlstate, format!("Bad SQLSTATE: '{text}'")))
}

fn signal_items(cursor: &mut Cursor<'_>) -> Result<Vec<(ConditionItem, Expr)>> {
    if !cursor.take("SET") {
        return Ok(Vec::new());
    }
    let mut items: Vec<(ConditionItem, Expr)> = Vec::new();
    let read = cursor.list(|cursor| {
        let here = cursor.syntax();
        let item = item(cursor)?;
        if item == ConditionItem::ReturnedSqlstate {
            return Err(here);
        }
        cursor.expect_token(&Token::Eq)?;
        Ok((item, simple_value(cursor)?))
    })?;
    for (item, value) in read {
        if items.iter().any(|(known, _)| *known == item) {
            let message = format!("Duplicate condition information item '{}'", item.name());
            return Err(Error::new(ErrorCode::DupSignalSet, message));
        }
        items.push((item, value));
    }
    Ok(items)
}

/// A literal or a variable.
fn simple_value(cursor: &mut Cursor<'_>) -> Result<Expr> {
    let here = cursor.syntax();
    let value = cursor.operand()?;
    match value {
        Expr::Value(_) | Expr::Identifier(_) | Expr::Prefixed { .. } | Expr::TypedString { .. } => {
            Ok(value)
        }
        // `@@session.x`.
        Expr::CompoundIdentifier(ref names) if names[0].value.starts_with("@@") => Ok(value),
        _ => Err(here),
    }
}

/// Reads what follows GET.
///
/// # Errors
/// 1064; 1327 for a target that is no user variable.
pub fn get_diagnostics(cursor: &mut Cursor<'_>) -> Result<GetDiagnostics> {
    let stacked = cursor.take("STACKED");
    if !stacked {
        cursor.take("CURRENT");
    }
    cursor.expect("DIAGNOSTICS")?;
    let asked = match cursor.take("CONDITION") {
        true => {
            let number = Box::new(simple_value(cursor)?);
            AskedDiagnostics::Condition(number, cursor.list(|cursor| target(cursor, item))?)
        }
        false => AskedDiagnostics::Statement(cursor.list(|cursor| target(cursor, statement_item))?),
    };
    Ok(GetDiagnostics { stacked, asked })
}

fn target<T>(
    cursor: &mut Cursor<'_>,
    asked: impl Fn(&mut Cursor<'_>) -> Result<T>,
) -> Result<(String, T)> {
    let name = cursor.name()?;
    let own = match name.strip_prefix('@') {
        Some(own) if !own.starts_with('@') => own.to_lowercase(),
        _ => {
            let message = format!("Undeclared variable: {name}");
            return Err(Error::new(ErrorCode::SpUndeclaredVar, message));
        }
    };
    cursor.expect_token(&Token::Eq)?;
    Ok((own, asked(cursor)?))
}

fn statement_item(cursor: &mut Cursor<'_>) -> Result<StatementItem> {
    match cursor.take_any(&["NUMBER", "ROW_COUNT"]) {
        Some("NUMBER") => Ok(StatementItem::Number),
        Some(_) => Ok(StatementItem::RowCount),
        None => Err(cursor.syntax()),
    }
}

fn item(cursor: &mut Cursor<'_>) -> Result<ConditionItem> {
    let found = ConditionItem::names().find(|(_, name)| cursor.is(name));
    let (item, _) = found.ok_or_else(|| cursor.syntax())?;
    cursor.advance();
    Ok(item)
}
