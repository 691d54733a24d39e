//! What a client is told of a column that is an expression: its name, where it has no alias, and
//! its type.
//!
//! Not here: columns of tables (`reply`).

use expression::{Kind, Node, RESULT_BYTES_MAX, RESULT_CHARS_MAX, shown_chars};
use sqlparser::ast::{Expr, UnaryOperator, Value as Literal};
use values::CharacterSet;
use values::types::{ColumnType, LobSize};

/// The name of a result column that has no alias.
pub fn item_name(expr: &Expr, text: Option<&String>) -> String {
    let within = named_within(expr);
    if !std::ptr::eq(within, expr) {
        return item_name(within, None);
    }
    match expr {
        // A user variable is named as it is written, quotes and all.
        Expr::Identifier(ident) if ident.quote_style.is_some() || !ident.value.starts_with('@') => {
            ident.value.clone()
        }
        Expr::CompoundIdentifier(parts) if !parts[0].value.starts_with('@') => {
            parts.last().map_or_else(String::new, |part| part.value.clone())
        }
        Expr::Value(value) => match &value.value {
            Literal::SingleQuotedString(value) | Literal::DoubleQuotedString(value) => {
                let first = match text {
                    Some(text) => &value[..first_literal_bytes(value, text)],
                    None => value,
                };
                first.trim_start().to_owned()
            }
            Literal::NationalStringLiteral(value) => value.trim_start().to_owned(),
            Literal::Null => "NULL".to_owned(),
            _ => text.cloned().unwrap_or_else(|| expr.to_string()),
        },
        // A text behind an introducer is named by the text, too.
        Expr::Prefixed { prefix, value } => match &**value {
            Expr::Value(literal) => match (&literal.value, prefix.value.strip_prefix('_')) {
                (
                    Literal::SingleQuotedString(text) | Literal::DoubleQuotedString(text),
                    Some(set),
                ) => {
                    let set = CharacterSet::parse(set).unwrap_or(CharacterSet::UTF8MB4);
                    String::from_utf8_lossy(&set.decode(text.as_bytes())).into_owned()
                }
                _ => text.cloned().unwrap_or_else(|| expr.to_string()),
            },
            _ => text.cloned().unwrap_or_else(|| expr.to_string()),
        },
        _ => text.cloned().unwrap_or_else(|| expr.to_string()),
    }
}

/// What names an expression: the column or literal within brackets and behind plus signs, if it is
/// one, or all of it (MySQL 9.7: tests/oracle/sql/headings.sql).
pub fn named_within(expr: &Expr) -> &Expr {
    let mut within = expr;
    while let Expr::Nested(inner) | Expr::UnaryOp { op: UnaryOperator::Plus, expr: inner } = within
    {
        within = inner;
    }
    let is_name = match within {
        Expr::Identifier(ident) => ident.quote_style.is_some() || !ident.value.starts_with('@'),
        Expr::CompoundIdentifier(parts) => !parts[0].value.starts_with('@'),
        Expr::Value(value) => matches!(
            value.value,
            Literal::Number(..)
                | Literal::SingleQuotedString(_)
                | Literal::DoubleQuotedString(_)
                | Literal::Null
        ),
        _ => false,
    };
    if is_name { within } else { expr }
}

/// How many bytes of a text are of the first of the literals that are written next to each other.
fn first_literal_bytes(value: &str, written: &str) -> usize {
    let mut chars = written.chars().peekable();
    let (Some(quote @ ('\'' | '"')), mut count) = (chars.next(), 0) else { return value.len() };
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                // They keep the backslash.
                Some('%' | '_') => count += 2,
                _ => count += 1,
            },
            char if char != quote => count += 1,
            _ if chars.peek() == Some(&quote) => {
                chars.next();
                count += 1;
            }
            _ => break,
        }
    }
    value.char_indices().nth(count).map_or(value.len(), |(at, _)| at)
}

/// The type a client is told.
pub fn result_type(node: &Node) -> ColumnType {
    match &node.ty {
        // CAST AS CHAR without a length.
        ColumnType::VarChar { chars, collation }
            if *chars > RESULT_CHARS_MAX
                && let Some(chars) = cast_chars(node) =>
        {
            ColumnType::VarChar { chars, collation: *collation }
        }
        ColumnType::VarChar { chars, collation } if *chars > RESULT_CHARS_MAX => {
            ColumnType::Text { size: LobSize::Long, collation: *collation }
        }
        ColumnType::VarBinary { bytes } if *bytes > RESULT_BYTES_MAX => {
            ColumnType::Blob { size: LobSize::Long }
        }
        other => other.clone(),
    }
}

/// As many characters as the text of what is cast has at most, where that is sure.
fn cast_chars(node: &Node) -> Option<u32> {
    let Kind::Cast(inner) = &node.kind else { return None };
    let is_fixed = inner.ty.is_temporal() || matches!(inner.ty, ColumnType::Int { .. });
    let chars = shown_chars(inner);
    ((is_fixed || inner.is_stored()) && chars < RESULT_CHARS_MAX).then_some(chars)
}
