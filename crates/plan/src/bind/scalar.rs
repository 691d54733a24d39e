//! Binding scalars: from a parsed expression to a `Node`.
//!
//! Invariants
//! 1. What is bound as a part of a query alone (sub-queries, aggregates, rows) fails with
//!    `BindFailure::NeedsQuery`, so that the caller can bind one.
//!
//! Not here: the types and collations of what operands make (`expression::make`), what nodes
//! compute (`expression`).

mod call;
pub(super) mod cast;
mod collations;
mod form;
mod literal;
mod names;
mod operator;

use std::cell::Cell;

use expression::{
    Kind, List, Node, RESULT_BYTES_MAX, RESULT_CHARS_MAX, Unit, among, boolean, case_condition,
    common_type, converted_to, in_one_charset, is_number, moment_as_integer, moment_as_number,
    seen_as_bytes, shown_chars, text_type, within,
};
use sqlparser::ast::{CharacterLength, DataType, Expr, ObjectName, Value as Literal};
use values::CharacterSet;
use values::ErrorCode;
use values::datum::Value;
use values::types::{Collation, ColumnType};

pub use call::call_node;
use call::function;
pub use cast::element_type;
use cast::{CHARS_UNSAID, cast_type};
use collations::of_connection;
pub use collations::{MixOf, refuse_mix, rule_of, rule_of_comparison};
use form::special;
use literal::{items, literal, typed_text};
pub use names::{IncomingNames, Names, Resolver, column_node, default_node};
use operator::{binary, refuse_unknown_kinds, unary};
use syntax::names::{name_parts, unquoted};
use syntax::too_deep;
use syntax::types::{character_set, collation, not_of_set, with_collation};

use results::SqlError;

/// How deeply expressions may be nested. A level takes up to 3 KB of the stack here, and a thread
/// that serves statements has 2 MB. The parser bounds brackets, but not chains: `a = b = c = ...`.
const DEPTH_MAX: usize = 400;

/// A level of an expression that is being bound on this thread.
struct Level;

impl Level {
    fn enter() -> Bound<Level> {
        LEVELS.with(|levels| match levels.get() {
            DEPTH_MAX => Err(too_deep().into()),
            above => {
                levels.set(above + 1);
                Ok(Level)
            }
        })
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        LEVELS.with(|levels| levels.set(levels.get() - 1));
    }
}

thread_local!(static LEVELS: Cell<usize> = const { Cell::new(0) });

/// Why an expression was not bound.
#[derive(Debug)]
pub enum BindFailure {
    /// No way of binding knows it; what it is.
    Unsupported(String),
    /// It is bound as a part of a query, not by itself over a row; what it is.
    NeedsQuery(String),
    /// It depends on literals that were taken out of the statement's shape; what it is.
    NeedsLiterals(String),
    /// It is wrong.
    Wrong(SqlError),
}

impl From<SqlError> for BindFailure {
    fn from(error: SqlError) -> BindFailure {
        BindFailure::Wrong(error)
    }
}

impl From<syntax::Error> for BindFailure {
    fn from(error: syntax::Error) -> BindFailure {
        BindFailure::Wrong(error.into())
    }
}

impl From<expression::Error> for BindFailure {
    fn from(error: expression::Error) -> BindFailure {
        BindFailure::Wrong(error.into())
    }
}

impl From<BindFailure> for SqlError {
    fn from(failure: BindFailure) -> SqlError {
        match failure {
            BindFailure::Unsupported(what)
            | BindFailure::NeedsQuery(what)
            | BindFailure::NeedsLiterals(what) => SqlError::unsupported(what),
            BindFailure::Wrong(error) => error,
        }
    }
}

/// Result of binding.
pub type Bound<T> = Result<T, BindFailure>;

/// What no way of binding knows.
pub fn unsupported<T>(what: impl std::fmt::Display) -> Bound<T> {
    Err(BindFailure::Unsupported(what.to_string()))
}

/// What is bound as a part of a query.
pub fn needs_query<T>(what: impl std::fmt::Display) -> Bound<T> {
    Err(BindFailure::NeedsQuery(what.to_string()))
}

/// What is bound with its literals.
pub(crate) fn needs_literals<T>(what: impl std::fmt::Display) -> Bound<T> {
    Err(BindFailure::NeedsLiterals(what.to_string()))
}

/// Binds an expression.
///
/// # Errors
/// `NeedsQuery` for what is no scalar, `Unsupported`, and those of what is wrong with it.
pub fn bind(expr: &Expr, names: &Names<'_>) -> Bound<Node> {
    let node = bind_form(expr, names)?;
    Ok(match expr {
        // They have the default collation of the character set that they name.
        Expr::Prefixed { .. } | Expr::Convert { charset: Some(_), .. } => node,
        Expr::Value(value) if matches!(value.value, Literal::NationalStringLiteral(_)) => node,
        _ => of_connection(node, names.mode),
    })
}

fn bind_form(expr: &Expr, names: &Names<'_>) -> Bound<Node> {
    let _level = Level::enter()?;
    if let Some(resolver) = names.resolver
        && let Some(bound) = resolver.form(expr, names)
    {
        return bound;
    }
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
            let list = items(list, names)?;
            if let [only] = list.as_slice() {
                refuse_unknown_kinds(&node, only, names)?;
            }
            let (node, list) = among(node, list);
            let operands: Vec<&Node> = std::iter::once(&node).chain(&list).collect();
            // Of one it is an equation.
            let operation = if list.len() == 1 { "=" } else { " IN " };
            let rule = rule_of(&operands, operation)?;
            let list = List::new(list);
            Ok(boolean(Kind::InList(Box::new(node), list, *negated, rule), true))
        }
        Expr::Between { expr, negated, low, high } => {
            let nodes = [bind(expr, names)?, bind(low, names)?, bind(high, names)?];
            refuse_unknown_kinds(&nodes[0], &nodes[1], names)?;
            refuse_unknown_kinds(&nodes[0], &nodes[2], names)?;
            let nodes = compared_as_numbers(within(nodes));
            let rule = rule_of(&nodes.each_ref(), "between")?;
            Ok(boolean(Kind::Between(Box::new(nodes), *negated, rule), true))
        }
        Expr::MemberOf(member) => {
            call_node("MEMBER OF", vec![bind(&member.value, names)?, bind(&member.array, names)?])
        }
        Expr::Like { negated, any: false, expr, pattern, escape_char } => {
            let escape = match escape_char.as_ref().map(|value| &value.value) {
                None if names.mode.no_backslash_escapes() => None,
                None | Some(Literal::Null) => Some('\\'),
                Some(
                    Literal::SingleQuotedString(text)
                    | Literal::DoubleQuotedString(text)
                    | Literal::Number(text, _),
                ) => {
                    let mut chars = text.chars();
                    let escape = chars.next();
                    if chars.next().is_some() {
                        let message = "Incorrect arguments to ESCAPE";
                        return Err(SqlError::new(ErrorCode::WrongArguments, message).into());
                    }
                    escape
                }
                Some(other) => return needs_literals(format_args!("ESCAPE {other}")),
            };
            let (mut a, mut b) = (bind(expr, names)?, bind(pattern, names)?);
            in_one_charset([&mut a, &mut b].into_iter());
            let rule = rule_of(&[&a, &b], "like")?;
            Ok(boolean(Kind::Like(Box::new(a), Box::new(b), escape, *negated, rule), true))
        }
        Expr::Function(call) => function(call, names),
        Expr::Case { operand, conditions, else_result, .. } => {
            case(operand.as_deref(), conditions, else_result.as_deref(), names)
        }
        Expr::Cast { array: true, .. } => Err(SqlError::unsupported(
            "Use of CAST( .. AS .. ARRAY) outside of functional index in \
             CREATE(non-SELECT)/ALTER TABLE or in general expressions",
        )
        .into()),
        Expr::Cast { expr, data_type, .. } => cast_node(expr, data_type, names),
        Expr::Convert { expr, data_type: Some(data_type), charset, .. } => {
            let set = charset.as_ref().map(charset_named).transpose()?;
            // CHAR of bytes is BINARY.
            if let (
                Some(CharacterSet::BINARY),
                DataType::Char(length) | DataType::Character(length),
            ) = (set, data_type)
            {
                let bytes = match length {
                    Some(CharacterLength::IntegerLength { length, .. }) => Some(*length),
                    _ => None,
                };
                return cast_node(expr, &DataType::Binary(bytes), names);
            }
            let node = cast_node(expr, data_type, names)?;
            let Some(set) = set else { return Ok(node) };
            match node.ty {
                ColumnType::VarChar { .. } if set != CharacterSet::UTF8MB4 => {
                    Ok(cast_to(node, set))
                }
                ColumnType::VarChar { .. } => Ok(node),
                _ => Err(SqlError::syntax("CHARACTER SET", 1).into()),
            }
        }
        Expr::Convert { expr, charset: Some(charset), .. } => {
            let set = charset_named(charset)?;
            let node = bind(expr, names)?;
            let (node, ty) = match set.is_binary() {
                true => (seen_as_bytes(node), ColumnType::VarBinary { bytes: u32::MAX }),
                false if set == CharacterSet::UTF8MB4 => (node, text_type(RESULT_CHARS_MAX)),
                false => return Ok(converted_to(node, set)),
            };
            let nullable = node.nullable;
            Ok(Node::new(Kind::Cast(Box::new(node)), ty, nullable))
        }
        Expr::Collate { expr, collation: name } => {
            let node = bind(expr, names)?;
            let rule = collation(&unquoted(name))?;
            let set = match node.ty {
                ColumnType::Bit { .. } => CharacterSet::BINARY,
                _ => node.ty.collation().unwrap_or(names.mode.connection_collation()).set(),
            };
            // A text is bytes, too. Both kinds of UTF-8 are one here: tables that say utf8mb4 may
            // have been declared as utf8mb3, as those of information_schema are in MySQL.
            let is_of_set = rule.set() == set
                || rule == Collation::Binary
                || rule.set().is_utf8() && set.is_utf8();
            if !is_of_set && !matches!(node.kind, Kind::Constant(Value::Null)) {
                return Err(not_of_set(rule, set).into());
            }
            let nullable = node.nullable;
            // What is no text has a collation as the text that it is then.
            let known = !matches!(node.kind, Kind::Constant(Value::Null));
            let is_text = node.ty.collation().is_some();
            let node = if node.ty.is_listed() || (known && !is_text) {
                let ty = text_type(shown_chars(&node).max(1));
                Node::new(Kind::Cast(Box::new(node)), ty, nullable)
            } else {
                node
            };
            let ty = with_collation(&node.ty, rule);
            Ok(Node::new(Kind::Collated(Box::new(node)), ty, nullable))
        }
        Expr::Prefixed { prefix, value } => introduced(&prefix.value, bind(value, names)?),
        Expr::TypedString(typed) => {
            let node = typed_text(&typed.data_type, &typed.value.value, names.mode);
            match &typed.value.value {
                // `{d 'text'}` is the text where it says no day.
                Literal::SingleQuotedString(text) if typed.uses_odbc_syntax && node.is_err() => {
                    literal(&Literal::SingleQuotedString(text.clone()), names)
                }
                _ => node,
            }
        }
        _ => special(expr, names),
    }
}

/// What CAST AS CHAR gives, in a character set: bytes are a text of that set.
fn cast_to(node: Node, set: CharacterSet) -> Node {
    match node {
        Node { kind: Kind::Cast(bytes), ty: ColumnType::VarChar { chars, .. }, .. }
            if bytes.text_collation().0 == Collation::Binary =>
        {
            let ty = ColumnType::VarChar { chars, collation: Collation::default_of(set) };
            Node::new(Kind::Cast(Box::new(converted_to(*bytes, set))), ty, true)
        }
        node => converted_to(node, set),
    }
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
    let mut operand = operand.map(|expr| bind(expr, names)).transpose()?.map(Box::new);
    let mut branches = Vec::with_capacity(conditions.len());
    for when in conditions {
        branches.push((bind(&when.condition, names)?, bind(&when.result, names)?));
    }
    if let Some(operand) = &mut operand {
        let conditions = branches.iter_mut().map(|(when, _)| when);
        in_one_charset(std::iter::once(&mut **operand).chain(conditions));
    }
    // Beside JSON each value is compared in a way of its own.
    let is_json = |node: &Node| node.ty == ColumnType::Json;
    let operand = match operand {
        Some(operand) if is_json(&operand) || branches.iter().any(|(when, _)| is_json(when)) => {
            let condition = |when| case_condition(Node::clone(&operand), when);
            branches = branches.into_iter().map(|(when, then)| (condition(when), then)).collect();
            None
        }
        None => {
            let number = |(when, then): (Node, Node)| (when.json_as_number(), then);
            branches = branches.into_iter().map(number).collect();
            None
        }
        operand => operand,
    };
    let mut otherwise = otherwise.map(|expr| bind(expr, names)).transpose()?;
    in_one_charset(branches.iter_mut().map(|(_, then)| then).chain(&mut otherwise));
    let mut results: Vec<Node> = branches.iter().map(|(_, then)| then.clone()).collect();
    results.extend(otherwise.clone());
    let nullable = otherwise.is_none() || results.iter().any(|node| node.nullable);
    let rule = match &operand {
        Some(operand) => {
            let values = branches.iter().map(|(when, _)| when);
            rule_of(&std::iter::once(&**operand).chain(values).collect::<Vec<_>>(), "case")?
        }
        None => Collation::Utf8Mb4GeneralCi,
    };
    refuse_mix(&results.iter().collect::<Vec<_>>(), "case", MixOf::Text)?;
    let ty = common_type(&results);
    let kind = Kind::Case(operand, branches, otherwise.map(Box::new), rule);
    Ok(Node::new(kind, ty, nullable))
}

/// A text between a number and a text is a number, and so is that bound: MySQL compares all three
/// in one way (tests/oracle/sql/texts-beside-numbers.sql).
fn compared_as_numbers([value, low, high]: [Node; 3]) -> [Node; 3] {
    let is_text = |node: &Node| node.is_text() && node.ty != ColumnType::Json;
    let differ = is_number(&low.ty) && is_text(&high) || is_text(&low) && is_number(&high.ty);
    match is_text(&value) && differ {
        true => [value, low, high].map(Node::with_number),
        false => [value, low, high],
    }
}

/// The character set of a name.
fn charset_named(name: &ObjectName) -> Bound<CharacterSet> {
    let name = name_parts(name).last().map_or("", |part| part.value.as_str());
    Ok(character_set(name)?)
}

/// A literal behind a character set introducer: its bytes are text of that set.
///
/// # Errors
/// 1115 for an unknown set; 1300 for bytes that are no text of it.
fn introduced(prefix: &str, node: Node) -> Bound<Node> {
    let set = character_set(prefix.trim_start_matches('_'))?;
    if set.is_binary() {
        let nullable = node.nullable;
        let ty = ColumnType::VarBinary { bytes: RESULT_BYTES_MAX };
        return Ok(Node::new(Kind::Collated(Box::new(node)), ty, nullable));
    }
    let Kind::Constant(Value::Bytes(bytes)) = &node.kind else { return Ok(node) };
    let bytes = set.filled_up(bytes);
    if !set.is_valid(&bytes) {
        let shown: String = bytes.iter().take(6).map(|byte| format!("{byte:02X}")).collect();
        let message = format!("Invalid {} character string: '{shown}'", set.name());
        return Err(SqlError::new(ErrorCode::InvalidCharacterString, message).into());
    }
    let text = Node::constant(Value::Bytes(set.decode(&bytes).into_owned()));
    let ty = with_collation(&text.ty, Collation::default_of(set));
    Ok(Node { ty, ..text })
}

fn cast_node(expr: &Expr, data_type: &DataType, names: &Names<'_>) -> Bound<Node> {
    let mut ty = cast_type(data_type)?;
    let node = match bind(expr, names)? {
        node if matches!(ty, ColumnType::Int { .. }) => moment_as_integer(node.with_number()),
        node if matches!(ty, ColumnType::Decimal { .. } | ColumnType::Double(_)) => {
            moment_as_number(node.with_number())
        }
        node if is_number(&ty) => node.with_number(),
        node if ty.is_binary_string() => seen_as_bytes(node),
        node => node,
    };
    // Without a length, the text is as long as it comes.
    if let ColumnType::VarChar { chars, .. } = &mut ty
        && *chars == CHARS_UNSAID
    {
        *chars = u32::MAX;
    }
    Ok(Node::new(Kind::Cast(Box::new(node)), ty, true))
}
