//! Operators: arithmetic, comparisons, and chains of AND and OR; the types of their results.

use expression::{
    Arithmetic, BIGINT, BIGINT_UNSIGNED, Comparison, Environment, Function, Kind, List, Node,
    UserVariable, arithmetic_node, boolean, bytes_node, compared, computed_double, display_chars,
    is_byte_string, is_time_beside_untyped, keeps_digits, temporal_number,
};
use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::temporal::Zone;
use values::types::{Collation, ColumnType};

use super::call::{call_node, shift};
use super::{Bound, Names, bind, needs_literals, rule_of_comparison, unsupported};
use crate::terms::has_literal;

pub(super) fn binary(
    left: &Expr,
    op: &BinaryOperator,
    right: &Expr,
    names: &Names<'_>,
) -> Bound<Node> {
    use BinaryOperator as B;
    // A moment plus or minus an interval.
    if let (B::Plus | B::Minus, Expr::Interval(interval)) = (op, right) {
        return shift(bind(left, names)?, interval, *op == B::Minus, names);
    }
    if let (B::Plus, Expr::Interval(interval)) = (op, left) {
        return shift(bind(right, names)?, interval, false, names);
    }
    if let (B::Assignment, Expr::Identifier(ident)) = (op, left)
        && let Some(name) = ident.value.strip_prefix('@')
    {
        let node = bind(right, names)?;
        let ty = match UserVariable::keeps_text(&node.ty) {
            true => {
                let collation = UserVariable::collation_of(&node.ty);
                ColumnType::VarChar { chars: display_chars(&node.ty), collation }
            }
            false => node.ty.clone(),
        };
        let nullable = node.nullable;
        return Ok(Node::new(Kind::Assign(name.to_lowercase(), Box::new(node)), ty, nullable));
    }
    if matches!(op, B::And | B::Or) {
        return chain(left, op, right, names);
    }
    let (a, b) = (bind(left, names)?, bind(right, names)?);
    let comparison = match op {
        B::Eq => Some(Comparison::Equal),
        B::NotEq => Some(Comparison::NotEqual),
        B::Lt => Some(Comparison::Less),
        B::LtEq => Some(Comparison::LessEqual),
        B::Gt => Some(Comparison::Greater),
        B::GtEq => Some(Comparison::GreaterEqual),
        B::Spaceship => Some(Comparison::NullSafeEqual),
        _ => None,
    };
    if let Some(comparison) = comparison {
        refuse_unknown_kinds(&a, &b, names)?;
        let nullable = comparison != Comparison::NullSafeEqual && (a.nullable || b.nullable);
        let (a, b) = compared(a, b);
        let rule = rule_of_comparison(&a, comparison, &b)?;
        let kind = Kind::Compare(comparison, Box::new(a), Box::new(b), rule);
        return Ok(boolean(kind, nullable));
    }
    let nullable = a.nullable || b.nullable;
    let arithmetic = match op {
        B::StringConcat if names.mode.pipes_as_concat() => {
            return call_node("CONCAT", vec![a, b]);
        }
        B::StringConcat => return Ok(boolean(Kind::Or(flatten(a, b, false)), nullable)),
        B::Xor => return Ok(boolean(Kind::Xor(Box::new(a), Box::new(b)), nullable)),
        B::Regexp => return call_node("REGEXP_LIKE", vec![a, b]),
        B::Arrow => return call_node("JSON_EXTRACT", vec![a, b]),
        B::LongArrow => {
            return call_node("JSON_UNQUOTE", vec![call_node("JSON_EXTRACT", vec![a, b])?]);
        }
        B::Plus => Arithmetic::Add,
        B::Minus => Arithmetic::Subtract,
        B::Multiply => Arithmetic::Multiply,
        B::Divide => Arithmetic::Divide,
        B::MyIntegerDivide => Arithmetic::IntegerDivide,
        B::Modulo => Arithmetic::Modulo,
        B::BitwiseAnd => Arithmetic::BitAnd,
        B::BitwiseOr => Arithmetic::BitOr,
        B::BitwiseXor => Arithmetic::BitXor,
        B::PGBitwiseShiftLeft => Arithmetic::ShiftLeft,
        B::PGBitwiseShiftRight => Arithmetic::ShiftRight,
        other => return unsupported(other),
    };
    Ok(arithmetic_node(arithmetic, a, b, names.mode))
}

/// AND or OR of many: a long chain nests to the left, so it is walked, not recursed into.
fn chain(left: &Expr, op: &BinaryOperator, right: &Expr, names: &Names<'_>) -> Bound<Node> {
    let mut parts = vec![right];
    let mut rest = left;
    while let Expr::BinaryOp { left, op: inner, right } = rest
        && inner == op
    {
        parts.push(right);
        rest = left;
    }
    parts.push(rest);
    let and = *op == BinaryOperator::And;
    let mut nodes = Vec::with_capacity(parts.len());
    for part in parts.into_iter().rev() {
        push_flat(bind(part, names)?, and, &mut nodes);
    }
    let nullable = nodes.iter().any(|node| node.nullable);
    if !and && let Some(list) = as_list(&nodes) {
        return Ok(boolean(list, nullable));
    }
    Ok(boolean(if and { Kind::And(nodes) } else { Kind::Or(nodes) }, nullable))
}

/// A look-up knows nothing of its literals, and with how many digits an average or a DOUBLE
/// compares is a matter of their kinds; so is whether what a function says is a time or a text.
pub(super) fn refuse_unknown_kinds(a: &Node, b: &Node, names: &Names<'_>) -> Bound<()> {
    let knows_literals = names.resolver.is_some_and(|resolver| resolver.knows_literals());
    if !knows_literals && is_time_beside_untyped(a, b) {
        return needs_literals("a time of day beside a literal of which nothing is known yet");
    }
    let is_look_up = !knows_literals && names.clause == "where clause";
    if is_look_up && is_of_unknown_digits(a, b) {
        return needs_literals(
            "digits of a number that a literal of which nothing is known yet decides",
        );
    }
    Ok(())
}

fn is_of_unknown_digits(a: &Node, b: &Node) -> bool {
    let mut unknown = false;
    for side in [a, b] {
        side.visit(&mut |part| unknown |= part.is_untyped());
    }
    unknown && (keeps_digits(a) || keeps_digits(b) || is_reckoned(a) || is_reckoned(b))
}

/// Whether it reckons with a number of fixed digits and a literal of which nothing is known yet:
/// how many digits it shows depends on that (`expression::tolerance`).
fn is_reckoned(node: &Node) -> bool {
    let (mut is_unknown, mut is_fixed) = (false, false);
    node.visit(&mut |part| {
        is_unknown |= part.is_untyped();
        let has_digits =
            matches!(part.ty, ColumnType::Float(Some(_)) | ColumnType::Double(Some(_)));
        is_fixed |= has_digits && matches!(part.kind, Kind::Column(_));
    });
    is_unknown && is_fixed && !node.is_untyped()
}

/// IN of alternatives that compare one column with literals, which an index answers.
fn as_list(alternatives: &[Node]) -> Option<Kind> {
    let mut compared: Option<(&Node, Collation)> = None;
    let mut list = Vec::with_capacity(alternatives.len());
    for node in alternatives {
        let Kind::Compare(Comparison::Equal, a, b, rule) = &node.kind else { return None };
        let column = matches!(a.kind, Kind::Column(_));
        if !column || !matches!(b.kind, Kind::Constant(_) | Kind::Parameter(_)) {
            return None;
        }
        match compared {
            None => compared = Some((a, *rule)),
            Some((known, collation)) if known == &**a && collation == *rule => {}
            Some(_) => return None,
        }
        list.push((**b).clone());
    }
    let (column, rule) = compared?;
    Some(Kind::InList(Box::new(column.clone()), List::new(list), false, rule))
}

/// AND within AND, and OR within OR, is one of them.
fn push_flat(node: Node, and: bool, nodes: &mut Vec<Node>) {
    match node.kind {
        Kind::And(inner) if and => nodes.extend(inner),
        Kind::Or(inner) if !and => nodes.extend(inner),
        _ => nodes.push(node),
    }
}

fn flatten(a: Node, b: Node, and: bool) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(2);
    push_flat(a, and, &mut nodes);
    push_flat(b, and, &mut nodes);
    nodes
}

pub(super) fn unary(op: UnaryOperator, expr: &Expr, names: &Names<'_>) -> Bound<Node> {
    let node = bind(expr, names)?;
    let nullable = node.nullable;
    if op == UnaryOperator::BitwiseNot && is_byte_string(&node) && !node.is_digits_literal() {
        return Ok(bytes_node(Function::BytesNot, vec![node]));
    }
    let node = match op {
        // What is below 0 of a literal of digits is a DOUBLE (MySQL 9.7:
        // tests/oracle/sql/digits.sql).
        UnaryOperator::Minus if node.is_digits_literal() => {
            let ty = computed_double(Some(0));
            Node::new(Kind::Cast(Box::new(node.with_number())), ty, nullable)
        }
        UnaryOperator::Minus | UnaryOperator::BitwiseNot => node.as_operand(),
        _ => node,
    };
    Ok(match op {
        UnaryOperator::Plus => node,
        UnaryOperator::Minus => {
            if let Kind::Constant(value) = &node.kind
                && let Some(negative) = negative_constant(value)
            {
                return Ok(Node::constant(negative));
            }
            let ty = match &node.ty {
                ColumnType::Int { .. } if is_beyond_bigint(&node) => {
                    ColumnType::Decimal { precision: 20, scale: 0 }
                }
                ColumnType::Int { .. } | ColumnType::Year => BIGINT,
                ColumnType::Decimal { .. } => node.ty.clone(),
                _ => match temporal_number(&node.ty) {
                    Some((_, 0)) => BIGINT,
                    Some((precision, scale)) => ColumnType::Decimal { precision, scale },
                    None => computed_double(match node.ty {
                        ColumnType::Float(_) | ColumnType::Double(_) => node.ty.decimals(),
                        _ => None,
                    }),
                },
            };
            Node::new(Kind::Negate(Box::new(node)), ty, nullable)
        }
        UnaryOperator::Not | UnaryOperator::BangNot => boolean(Kind::Not(Box::new(node)), nullable),
        UnaryOperator::BitwiseNot => {
            Node::new(Kind::BitNot(Box::new(node)), BIGINT_UNSIGNED, nullable)
        }
        other => return unsupported(other),
    })
}

fn negative_constant(value: &Value) -> Option<Value> {
    let exact = |value: Decimal| Value::Decimal(value.negate());
    match value {
        Value::Int(v) => Some(v.checked_neg().map_or_else(|| exact(Decimal::from(*v)), Value::Int)),
        // The smallest integer has no positive counterpart.
        Value::UInt(v) if *v == i64::MIN.unsigned_abs() => Some(Value::Int(i64::MIN)),
        Value::UInt(v) => Some(exact(Decimal::from(*v))),
        Value::Double(v) => Some(Value::Double(-v)),
        Value::Decimal(v) => Some(exact(*v)),
        _ => None,
    }
}

/// Whether `-x` of a whole number that is known when it is bound is one that no BIGINT holds: then
/// it is a DECIMAL, where that of a column is an error.
fn is_beyond_bigint(node: &Node) -> bool {
    if has_literal(node) {
        // Literals that were taken out have this type when they are beyond.
        return matches!(node.kind, Kind::Parameter(_)) && node.ty == BIGINT_UNSIGNED;
    }
    let environment = Environment::bare(&[], Zone::UTC);
    let value = node.is_constant().then(|| node.evaluate(&environment.scope()));
    match value {
        Some(Ok(cell)) => match cell.datum() {
            Datum::Int(value) => value == i64::MIN,
            Datum::UInt(value) => value > i64::MIN.unsigned_abs(),
            _ => false,
        },
        _ => false,
    }
}
