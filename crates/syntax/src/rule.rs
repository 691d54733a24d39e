//! Expressions that a table's definition keeps: CHECK, GENERATED ALWAYS AS, DEFAULT (..), as text
//! that means the same whatever the reader's sql_mode.
//!
//! Names are in backticks, without the table's; strings are in single quotes, their backslashes
//! doubled; `||` of strings is CONCAT.
//!
//! Invariants
//! 1. What is printed is what was read: read again it prints the same, or it is refused.
//!
//! Not here: what names mean (crate `sql`, `ddl::rules`).

use std::ops::ControlFlow;

use sqlparser::ast::{BinaryOperator, Expr, Ident, Value, ValueWithSpan, VisitMut, VisitorMut};
use sqlparser::tokenizer::Token;
use values::SqlMode;
use values::types::string_literal;

use crate::cursor::Cursor;
use crate::error::{Error, Result};

/// Words that are functions without parentheses.
const FUNCTIONS: [&str; 9] = [
    "CURRENT_TIMESTAMP",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "UTC_TIMESTAMP",
    "UTC_DATE",
    "UTC_TIME",
    "CURRENT_USER",
];

/// An expression as a definition keeps it.
///
/// # Errors
/// 1235 when its text would not be the same expression.
pub fn rule_text(expr: &Expr) -> Result<String> {
    let text = printed(expr);
    let again = rule(&text).map(|expr| printed(&expr));
    match again {
        Ok(again) if again == text => Ok(text),
        _ => Err(Error::unsupported("such an expression in a table's definition")),
    }
}

/// The expression of a text that `rule_text` has made.
///
/// # Errors
/// 1064 for what is none.
pub fn rule(text: &str) -> Result<Expr> {
    let mut cursor = Cursor::new(text, SqlMode::default())?;
    let expr = cursor.expression()?;
    match cursor.peek() {
        Token::EOF => Ok(expr),
        _ => Err(cursor.syntax()),
    }
}

fn printed(expr: &Expr) -> String {
    let mut expr = expr.clone();
    let ControlFlow::Continue(()) = expr.visit(&mut Printer);
    expr.to_string()
}

/// Makes every part of an expression one that prints itself as it is to be kept.
struct Printer;

impl VisitorMut for Printer {
    type Break = std::convert::Infallible;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        match expr {
            Expr::Identifier(name) => quote(name),
            Expr::CompoundIdentifier(names) if !names[0].value.starts_with('@') => {
                if let Some(mut name) = names.pop() {
                    quote(&mut name);
                    *expr = Expr::Identifier(name);
                }
            }
            Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } => {
                *expr = Expr::Value(verbatim(format!("CONCAT({left}, {right})")).into());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<Self::Break> {
        if let Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) = &value.value {
            value.value = verbatim(string_literal(text));
        }
        ControlFlow::Continue(())
    }
}

/// A value that prints itself as this text.
fn verbatim(text: String) -> Value {
    Value::Placeholder(text)
}

fn quote(name: &mut Ident) {
    let is_function = FUNCTIONS.iter().any(|word| name.value.eq_ignore_ascii_case(word));
    if name.quote_style.is_none() && (is_function || name.value.starts_with('@')) {
        return;
    }
    name.quote_style = Some('`');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_in(mode: &str, text: &str) -> Result<String> {
        let mut cursor = Cursor::new(text, SqlMode::parse(mode).unwrap())?;
        rule_text(&cursor.expression()?)
    }

    #[test]
    fn a_text_says_what_was_meant_whatever_the_mode() {
        let text = |text| text_in("", text).unwrap();
        assert_eq!(text("t.a*2>b and c is not null"), "`a` * 2 > `b` AND `c` IS NOT NULL");
        assert_eq!(text(r#"a in ('it''s', "x\\y")"#), r"`a` IN ('it''s', 'x\\y')");
        assert_eq!(text("`od``d` like 'a\\_%'"), r"`od``d` LIKE 'a\\_%'");
        assert_eq!(text("now() + interval 1 day"), "now() + INTERVAL 1 DAY");
        assert_eq!(text("a || b"), "`a` OR `b`");
        assert_eq!(text_in("ANSI", "\"a\" || 'b'").unwrap(), "CONCAT(`a`, 'b')");
        assert_eq!(text("json_unquote(j->'$.a')"), "json_unquote(`j` -> '$.a')");
        for kept in ["`a` * 2", "CASE WHEN `a` > 1 THEN 'x' ELSE NULL END", "CURRENT_DATE"] {
            assert_eq!(text(kept), kept);
        }
    }

    #[test]
    fn what_is_no_expression_is_none() {
        rule("`a` > ").unwrap_err();
        rule("`a`, `b`").unwrap_err();
    }
}
