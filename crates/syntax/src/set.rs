//! SET, as written.
//!
//! Not here: which variables there are (crate `sql`, `variables`).

use sqlparser::ast::{Expr, Value};
use sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use crate::error::Result;

/// Whose variable is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// This session's.
    Session,
    /// The default of later sessions, and what only the server has.
    Global,
}

/// One assignment of SET.
#[expect(missing_docs, reason = "fields of a variant are what the grammar calls them")]
#[derive(Clone, Debug, PartialEq)]
pub enum SetItem {
    /// A system variable; `None` is DEFAULT.
    System { scope: Scope, name: String, value: Option<Box<Expr>> },
    /// A user variable.
    User { name: String, value: Box<Expr> },
    /// SET NAMES; `None` is DEFAULT.
    Names { charset: Option<String>, collation: Option<String> },
    /// SET CHARACTER SET.
    CharacterSet(Option<String>),
    /// SET TRANSACTION: isolation level and read-only, if said.
    /// `lasting` when a scope was said; without one it is for the next transaction.
    Transaction {
        scope: Scope,
        lasting: bool,
        isolation: Option<&'static str>,
        read_only: Option<bool>,
    },
}

impl SetItem {
    /// Whether its value is more than a literal, a name or a sign before one.
    pub fn computes(&self) -> bool {
        let value = match self {
            SetItem::System { value: Some(value), .. } | SetItem::User { value, .. } => value,
            _ => return false,
        };
        let inner = match &**value {
            Expr::UnaryOp { expr, .. } => expr,
            _ => value,
        };
        !matches!(**inner, Expr::Value(_) | Expr::Identifier(_) | Expr::CompoundIdentifier(_))
    }
}

/// Reads what follows SET.
///
/// # Errors
/// 1064 where the statement stops making sense; 1235 for what this server does not do yet.
pub fn set(cursor: &mut Cursor<'_>) -> Result<Vec<SetItem>> {
    let mut scope = Scope::Session;
    let items = cursor.list(|cursor| item(cursor, &mut scope))?;
    cursor.expect_end()?;
    Ok(items)
}

/// An assignment. `standing` is the scope that was said last, which those behind it have that say
/// none (MySQL 9.7: tests/oracle/sql/session-variables.sql).
fn item(cursor: &mut Cursor<'_>, standing: &mut Scope) -> Result<SetItem> {
    if cursor.take("NAMES") {
        if cursor.take("DEFAULT") {
            return Ok(SetItem::Names { charset: None, collation: None });
        }
        let charset = Some(cursor.name_or_string()?);
        let collation = if cursor.take("COLLATE") { Some(cursor.name_or_string()?) } else { None };
        return Ok(SetItem::Names { charset, collation });
    }
    if cursor.take_all(&["CHARACTER", "SET"])
        || cursor.is("CHARSET") && *cursor.peek_nth(1) != Token::Eq && cursor.take("CHARSET")
    {
        if cursor.take("DEFAULT") {
            return Ok(SetItem::CharacterSet(None));
        }
        return Ok(SetItem::CharacterSet(Some(cursor.name_or_string()?)));
    }
    let said = cursor.take_any(&["GLOBAL", "PERSIST", "PERSIST_ONLY", "SESSION", "LOCAL"]);
    match said {
        Some("SESSION" | "LOCAL") => *standing = Scope::Session,
        Some(_) => *standing = Scope::Global,
        None => {}
    }
    if cursor.take("TRANSACTION") {
        return transaction(cursor, *standing, said.is_some());
    }
    let mut scope = *standing;
    let mut name = cursor.name()?;
    if let Some(user) = name.strip_prefix('@')
        && !user.starts_with('@')
    {
        // `@'quoted name'` reaches us as a lone `@`.
        let name = if user.is_empty() { cursor.name_or_string()? } else { user.to_string() };
        assignment_sign(cursor)?;
        let value = Box::new(cursor.expression()?);
        return Ok(SetItem::User { name: name.to_lowercase(), value });
    }
    if let Some(system) = name.strip_prefix("@@") {
        (name, scope) = (system.to_string(), Scope::Session);
        if *cursor.peek() == Token::Period {
            match name.to_ascii_lowercase().as_str() {
                "global" | "persist" | "persist_only" => scope = Scope::Global,
                "session" | "local" => scope = Scope::Session,
                _ => return Err(cursor.syntax()),
            }
            cursor.advance();
            name = cursor.name()?;
        }
    }
    system(cursor, scope, &name)
}

/// A system variable of this session by its name alone, as SET STATEMENT sets it.
///
/// # Errors
/// 1064 when no variable's name and value follow, or it is a user's variable.
pub fn variable(cursor: &mut Cursor<'_>) -> Result<SetItem> {
    if matches!(cursor.peek(), Token::Word(word) if word.value.starts_with('@')) {
        return Err(cursor.syntax());
    }
    let name = cursor.name()?;
    system(cursor, Scope::Session, &name)
}

fn system(cursor: &mut Cursor<'_>, scope: Scope, name: &str) -> Result<SetItem> {
    assignment_sign(cursor)?;
    let value = if cursor.is("DEFAULT") {
        cursor.advance();
        None
    } else {
        Some(Box::new(value(cursor)?))
    };
    Ok(SetItem::System { scope, name: name.to_ascii_lowercase(), value })
}

fn assignment_sign(cursor: &mut Cursor<'_>) -> Result<()> {
    if cursor.take_token(&Token::Eq) || cursor.take_token(&Token::Assignment) {
        Ok(())
    } else {
        Err(cursor.syntax())
    }
}

/// A value; a bare word such as ON, binary or utf8mb4 is a string, and so is a name in quotes,
/// which ANSI_QUOTES makes of `SET sql_mode = "ANSI"`.
fn value(cursor: &mut Cursor<'_>) -> Result<Expr> {
    if let Token::Word(word) = cursor.peek() {
        let bare = word.quote_style.is_some()
            || !word.value.starts_with('@')
                && !["NULL", "TRUE", "FALSE", "CASE", "NOT"]
                    .iter()
                    .any(|known| known.eq_ignore_ascii_case(&word.value));
        let alone = matches!(cursor.peek_nth(1), Token::Comma | Token::EOF | Token::SemiColon)
            || cursor.is_nth(1, "FOR");
        if bare && alone {
            let text = cursor.name()?;
            return Ok(Expr::Value(Value::SingleQuotedString(text).into()));
        }
    }
    cursor.expression()
}

fn transaction(cursor: &mut Cursor<'_>, scope: Scope, lasting: bool) -> Result<SetItem> {
    let (mut isolation, mut read_only) = (None, None);
    loop {
        if cursor.take_all(&["ISOLATION", "LEVEL"]) {
            isolation = Some(if cursor.take_all(&["REPEATABLE", "READ"]) {
                "REPEATABLE-READ"
            } else if cursor.take_all(&["READ", "COMMITTED"]) {
                "READ-COMMITTED"
            } else if cursor.take_all(&["READ", "UNCOMMITTED"]) {
                "READ-UNCOMMITTED"
            } else if cursor.take("SERIALIZABLE") {
                "SERIALIZABLE"
            } else {
                return Err(cursor.syntax());
            });
        } else if cursor.take_all(&["READ", "ONLY"]) {
            read_only = Some(true);
        } else if cursor.take_all(&["READ", "WRITE"]) {
            read_only = Some(false);
        } else {
            return Err(cursor.syntax());
        }
        if !cursor.take_token(&Token::Comma) {
            return Ok(SetItem::Transaction { scope, lasting, isolation, read_only });
        }
    }
}
