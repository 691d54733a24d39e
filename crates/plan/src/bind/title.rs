//! What a client is told of a column that is an expression: its name, where it has no alias, and
//! its type.
//!
//! Not here: columns of tables (`reply`).

use expression::{Node, RESULT_BYTES_MAX, RESULT_CHARS_MAX};
use sqlparser::ast::{Expr, Value as Literal};
use values::CharacterSet;
use values::types::{ColumnType, LobSize};

/// The name of a result column that has no alias.
pub fn item_name(expr: &Expr, text: Option<&String>) -> String {
    match expr {
        // A user variable is named as it is written, quotes and all.
        Expr::Identifier(ident) if ident.quote_style.is_some() || !ident.value.starts_with('@') => {
            ident.value.clone()
        }
        Expr::CompoundIdentifier(parts) if !parts[0].value.starts_with('@') => {
            parts.last().map_or_else(String::new, |part| part.value.clone())
        }
        Expr::Value(value) => match &value.value {
            Literal::SingleQuotedString(text) | Literal::DoubleQuotedString(text) => text.clone(),
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

/// The type a client is told.
pub fn result_type(node: &Node) -> ColumnType {
    match &node.ty {
        ColumnType::VarChar { chars, collation } if *chars > RESULT_CHARS_MAX => {
            ColumnType::Text { size: LobSize::Long, collation: *collation }
        }
        ColumnType::VarBinary { bytes } if *bytes > RESULT_BYTES_MAX => {
            ColumnType::Blob { size: LobSize::Long }
        }
        other => other.clone(),
    }
}
