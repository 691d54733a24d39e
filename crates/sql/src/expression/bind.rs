//! Binding: from a parsed expression to a `Node`.
//!
//! Invariants
//! 1. What cannot be evaluated here (sub-queries, aggregates, unknown functions) fails with
//!    `BindFailure::Elsewhere`, so that the caller can try the analytic way.
//!
//! Not here: what nodes compute (`evaluate`).

mod call;
mod form;
mod literal;
mod names;
mod operator;

use rows::types::{Collation, ColumnType};
use sqlparser::ast::{Expr, Value as Literal};

use call::{call_node, function};
use form::special;
use literal::literal;
pub use names::{IncomingNames, Names, column_node};
use operator::{binary, unary};

use super::cast::cast_type;
use super::function::common_type;
use super::moment::Unit;
use super::node::{BIGINT, Kind, Node, common_collation, text_type};
use crate::error::SqlError;
use crate::parse::types::collation;

/// Why an expression was not bound.
#[derive(Debug)]
pub enum BindFailure {
    /// It is not evaluated here; what it is.
    Elsewhere(String),
    /// It is wrong.
    Wrong(SqlError),
}

impl From<SqlError> for BindFailure {
    fn from(error: SqlError) -> BindFailure {
        BindFailure::Wrong(error)
    }
}

impl From<BindFailure> for SqlError {
    fn from(failure: BindFailure) -> SqlError {
        match failure {
            BindFailure::Elsewhere(what) => SqlError::unsupported(what),
            BindFailure::Wrong(error) => error,
        }
    }
}

/// Result of binding.
pub type Bound<T> = Result<T, BindFailure>;

fn elsewhere<T>(what: impl std::fmt::Display) -> Bound<T> {
    Err(BindFailure::Elsewhere(what.to_string()))
}

/// A condition's result.
fn boolean(kind: Kind, nullable: bool) -> Node {
    Node::new(kind, BIGINT, nullable)
}

/// Binds an expression.
pub fn bind(expr: &Expr, names: &Names<'_>) -> Bound<Node> {
    match expr {
        Expr::Nested(inner) => bind(inner, names),
        Expr::Identifier(ident) => match ident.value.to_ascii_uppercase().as_str() {
            // Functions that need no parentheses.
            "CURRENT_TIMESTAMP" | "CURRENT_DATE" | "CURRENT_TIME" | "LOCALTIME"
            | "LOCALTIMESTAMP" | "UTC_TIMESTAMP" | "UTC_DATE" | "UTC_TIME" | "CURRENT_USER"
                if ident.quote_style.is_none() =>
            {
                call_node(&ident.value, Vec::new())
            }
            _ => names.resolve(&[ident]),
        },
        Expr::CompoundIdentifier(parts) => names.resolve(&parts.iter().collect::<Vec<_>>()),
        Expr::Value(value) => literal(&value.value, names),
        Expr::BinaryOp { left, op, right } => binary(left, op, right, names),
        Expr::UnaryOp { op, expr } => unary(*op, expr, names),
        Expr::IsNull(a) => Ok(boolean(Kind::IsNull(Box::new(bind(a, names)?), false), false)),
        Expr::IsNotNull(a) => Ok(boolean(Kind::IsNull(Box::new(bind(a, names)?), true), false)),
        Expr::IsTrue(a) => is_truth(a, true, false, names),
        Expr::IsNotTrue(a) => is_truth(a, true, true, names),
        Expr::IsFalse(a) => is_truth(a, false, false, names),
        Expr::IsNotFalse(a) => is_truth(a, false, true, names),
        Expr::IsUnknown(a) => Ok(boolean(Kind::IsNull(Box::new(bind(a, names)?), false), false)),
        Expr::IsNotUnknown(a) => Ok(boolean(Kind::IsNull(Box::new(bind(a, names)?), true), false)),
        Expr::InList { expr, list, negated } => {
            let node = bind(expr, names)?;
            let list = list.iter().map(|item| bind(item, names)).collect::<Bound<Vec<_>>>()?;
            let rule = rule_of(std::iter::once(&node).chain(&list));
            Ok(boolean(Kind::InList(Box::new(node), list, *negated, rule), true))
        }
        Expr::Between { expr, negated, low, high } => {
            let nodes = [bind(expr, names)?, bind(low, names)?, bind(high, names)?];
            let rule = rule_of(nodes.iter());
            Ok(boolean(Kind::Between(Box::new(nodes), *negated, rule), true))
        }
        Expr::Like { negated, any: false, expr, pattern, escape_char } => {
            let escape = match escape_char.as_ref().map(|value| &value.value) {
                None if names.mode.no_backslash_escapes() => None,
                None => Some('\\'),
                Some(Literal::SingleQuotedString(text) | Literal::DoubleQuotedString(text)) => {
                    text.chars().next()
                }
                Some(other) => return elsewhere(format_args!("ESCAPE {other}")),
            };
            let (a, b) = (bind(expr, names)?, bind(pattern, names)?);
            let rule = rule_of([&a, &b].into_iter());
            Ok(boolean(Kind::Like(Box::new(a), Box::new(b), escape, *negated, rule), true))
        }
        Expr::Function(call) => function(call, names),
        Expr::Case { operand, conditions, else_result, .. } => {
            case(operand.as_deref(), conditions, else_result.as_deref(), names)
        }
        Expr::Cast { expr, data_type, .. } => cast_node(expr, data_type, names),
        Expr::Convert { expr, data_type: Some(data_type), .. } => cast_node(expr, data_type, names),
        Expr::Convert { expr, charset: Some(charset), .. } => {
            let binary = charset.to_string().eq_ignore_ascii_case("binary");
            let node = bind(expr, names)?;
            let ty =
                if binary { ColumnType::VarBinary { bytes: u32::MAX } } else { text_type(16_383) };
            let nullable = node.nullable;
            Ok(Node::new(Kind::Cast(Box::new(node)), ty, nullable))
        }
        Expr::Collate { expr, collation: name } => {
            let node = bind(expr, names)?;
            let rule = collation(&name.to_string().replace('`', ""))?;
            let ty = crate::parse::types::with_collation(&node.ty, rule);
            let nullable = node.nullable;
            Ok(Node::new(Kind::Collated(Box::new(node)), ty, nullable))
        }
        Expr::Prefixed { prefix, value } => {
            let node = bind(value, names)?;
            if prefix.value.eq_ignore_ascii_case("_binary") {
                let nullable = node.nullable;
                let ty = ColumnType::VarBinary { bytes: 65_532 };
                return Ok(Node::new(Kind::Collated(Box::new(node)), ty, nullable));
            }
            Ok(node)
        }
        Expr::TypedString(typed) => {
            let ty = cast_type(&typed.data_type)?;
            let node = literal(&typed.value.value, names)?;
            Ok(Node::new(Kind::Cast(Box::new(node)), ty, true))
        }
        _ => special(expr, names),
    }
}

fn rule_of<'n>(nodes: impl Iterator<Item = &'n Node>) -> Collation {
    nodes
        .map(Node::collation)
        .reduce(common_collation)
        .map_or(Collation::Utf8Mb4GeneralCi, |(collation, _)| collation)
}

fn is_truth(a: &Expr, wanted: bool, negated: bool, names: &Names<'_>) -> Bound<Node> {
    Ok(boolean(Kind::IsTruth(Box::new(bind(a, names)?), wanted, negated), false))
}

fn unit(name: &str) -> Bound<Unit> {
    Unit::parse(name).ok_or_else(|| BindFailure::Wrong(SqlError::syntax(name, 1)))
}

fn case(
    operand: Option<&Expr>,
    conditions: &[sqlparser::ast::CaseWhen],
    otherwise: Option<&Expr>,
    names: &Names<'_>,
) -> Bound<Node> {
    let operand = operand.map(|expr| bind(expr, names)).transpose()?.map(Box::new);
    let mut branches = Vec::with_capacity(conditions.len());
    for when in conditions {
        branches.push((bind(&when.condition, names)?, bind(&when.result, names)?));
    }
    let otherwise = otherwise.map(|expr| bind(expr, names)).transpose()?;
    let mut results: Vec<Node> = branches.iter().map(|(_, then)| then.clone()).collect();
    results.extend(otherwise.clone());
    let nullable = otherwise.is_none() || results.iter().any(|node| node.nullable);
    let rule = rule_of(operand.as_deref().into_iter().chain(branches.iter().map(|(when, _)| when)));
    let ty = common_type(&results);
    let kind = Kind::Case(operand, branches, otherwise.map(Box::new), rule);
    Ok(Node::new(kind, ty, nullable))
}

fn cast_node(expr: &Expr, data_type: &sqlparser::ast::DataType, names: &Names<'_>) -> Bound<Node> {
    let node = bind(expr, names)?;
    let mut ty = cast_type(data_type)?;
    // Without a length, the text is as long as it comes.
    if let ColumnType::VarChar { chars, .. } = &mut ty
        && *chars == super::cast::CHARS_UNSAID
    {
        *chars = u32::MAX;
    }
    Ok(Node::new(Kind::Cast(Box::new(node)), ty, true))
}
