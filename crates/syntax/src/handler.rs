//! HANDLER, as written: rows of one table in the order of an index, or in none.
//!
//! Not here: what is open and where it stands (`sql::session::handler`).

use sqlparser::ast::Expr;
use sqlparser::tokenizer::Token;

use crate::cursor::Cursor;
use crate::error::Result;
use crate::names::TableName;
use crate::show::limit;

/// HANDLER.
#[derive(Clone, Debug, PartialEq)]
pub enum HandlerStatement {
    /// OPEN, and the name that it goes by from then on.
    Open {
        /// The table.
        table: TableName,
        /// `AS`.
        alias: Option<String>,
    },
    /// READ.
    Read(HandlerRead),
    /// CLOSE.
    Close(String),
}

/// HANDLER ... READ.
#[derive(Clone, Debug, PartialEq)]
pub struct HandlerRead {
    /// The name that it was opened by.
    pub name: String,
    /// The index; without one the rows come as they lie.
    pub index: Option<String>,
    /// From where on.
    pub step: HandlerStep,
    /// WHERE.
    pub condition: Option<Expr>,
    /// How many rows are passed over, and how many are given at most.
    pub limit: (u64, u64),
}

/// From where on rows are read.
#[derive(Clone, Debug, PartialEq)]
pub enum HandlerStep {
    /// FIRST.
    First,
    /// NEXT.
    Next,
    /// PREV.
    Previous,
    /// LAST.
    Last,
    /// By a comparison of the index's leading parts with these values.
    Key(KeyComparison, Vec<Expr>),
}

/// How the parts of an index are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyComparison {
    /// `=`
    Equal,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
    /// `<=`, from the greatest on
    LessEqual,
    /// `<`, from the greatest on
    Less,
}

/// Reads what follows HANDLER.
///
/// # Errors
/// 1064.
pub fn handler(cursor: &mut Cursor<'_>) -> Result<HandlerStatement> {
    let table = cursor.table_name()?;
    if cursor.take("OPEN") {
        let alias = match cursor.take("AS") || !cursor.at_end() {
            true => Some(cursor.name()?),
            false => None,
        };
        return Ok(HandlerStatement::Open { table, alias });
    }
    if table.database.is_some() {
        return Err(cursor.syntax());
    }
    if cursor.take("CLOSE") {
        return Ok(HandlerStatement::Close(table.table));
    }
    cursor.expect("READ")?;
    // PREV and LAST are names of indexes here.
    let (index, step) = match cursor.take_any(&["FIRST", "NEXT"]) {
        Some("FIRST") => (None, HandlerStep::First),
        Some(_) => (None, HandlerStep::Next),
        None => (Some(cursor.name()?), index_step(cursor)?),
    };
    let condition = if cursor.take("WHERE") { Some(cursor.expression()?) } else { None };
    let limit = limit(cursor)?.unwrap_or((0, 1));
    Ok(HandlerStatement::Read(HandlerRead { name: table.table, index, step, condition, limit }))
}

fn scan_step(cursor: &mut Cursor<'_>) -> Option<HandlerStep> {
    Some(match cursor.take_any(&["FIRST", "NEXT", "PREV", "LAST"])? {
        "FIRST" => HandlerStep::First,
        "NEXT" => HandlerStep::Next,
        "PREV" => HandlerStep::Previous,
        _ => HandlerStep::Last,
    })
}

fn index_step(cursor: &mut Cursor<'_>) -> Result<HandlerStep> {
    if let Some(step) = scan_step(cursor) {
        return Ok(step);
    }
    let comparison = match cursor.peek() {
        Token::Eq => KeyComparison::Equal,
        Token::GtEq => KeyComparison::GreaterEqual,
        Token::Gt => KeyComparison::Greater,
        Token::LtEq => KeyComparison::LessEqual,
        Token::Lt => KeyComparison::Less,
        _ => return Err(cursor.syntax()),
    };
    cursor.advance();
    Ok(HandlerStep::Key(comparison, cursor.parenthesised(Cursor::expression)?))
}
