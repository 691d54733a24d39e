//! Binding: from a parsed expression to a `Node`.
//!
//! Invariants
//! 1. What cannot be evaluated here (sub-queries, aggregates, unknown functions) fails with
//!    `BindFailure::Elsewhere`, so that the caller can try the analytic way.
//!
//! Not here: what nodes compute (`evaluate`).

mod call;

use rows::datum::Value;
use rows::decimal::Decimal;
use rows::table::Table;
use rows::types::{Collation, ColumnType};
use sqlparser::ast::{
    BinaryOperator, CeilFloorKind, DateTimeField, Expr, Ident, TrimWhereField, UnaryOperator,
    Value as Literal,
};

use call::{call_node, function, shift};

use super::cast::cast_type;
use super::function::common_type;
use super::moment::Unit;
use super::node::{
    Arithmetic, BIGINT, BIGINT_UNSIGNED, Comparison, Kind, Node, common_collation, text_type,
};
use crate::error::SqlError;
use crate::mode::SqlMode;
use crate::parse::types::collation;
use crate::reply::ResultColumn;

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

/// The row that INSERT would add, as ON DUPLICATE KEY UPDATE names it.
#[derive(Clone, Debug, Default)]
pub struct IncomingNames {
    /// The row's alias.
    pub alias: Option<String>,
    /// Names of its columns with their positions, if renamed.
    pub columns: Vec<(String, usize)>,
}

/// What names mean.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// The table whose row is at hand.
    pub table: Option<&'a Table>,
    /// Its alias.
    pub alias: Option<&'a str>,
    /// Columns of a listing (SHOW ... WHERE) instead of a table's.
    pub listing: Option<&'a [ResultColumn]>,
    /// The new row, where `VALUES(column)` is allowed.
    pub incoming: Option<&'a IncomingNames>,
    /// Which clause it is, for messages.
    pub clause: &'static str,
    /// sql_mode.
    pub mode: SqlMode,
    /// Number of the first literal that belongs to this part of the statement.
    pub parameter_base: u16,
    /// Types and nullability of values that stand for bound sub-expressions; the name `#1`, which
    /// nobody can write without quotes, is the second of them (`analytic` binds expressions so).
    pub operands: &'a [(ColumnType, bool)],
}

impl<'a> Names<'a> {
    /// No names at all.
    pub fn none(clause: &'static str, mode: SqlMode) -> Names<'a> {
        Names {
            table: None,
            alias: None,
            incoming: None,
            clause,
            mode,
            parameter_base: 0,
            operands: &[],
            listing: None,
        }
    }

    /// A table's columns.
    pub fn of(
        table: &'a Table,
        alias: Option<&'a str>,
        clause: &'static str,
        mode: SqlMode,
    ) -> Names<'a> {
        Names { table: Some(table), alias, ..Names::none(clause, mode) }
    }

    fn is_own_table(&self, name: &str) -> bool {
        match (self.alias, self.table) {
            (Some(alias), _) => alias == name,
            (None, Some(table)) => table.name == name,
            (None, None) => false,
        }
    }

    /// The node of a name.
    fn resolve(&self, parts: &[&Ident]) -> Bound<Node> {
        let shown = || parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join(".");
        let unknown = || BindFailure::Wrong(SqlError::unknown_column(&shown(), self.clause));
        if let [operand] = parts
            && operand.quote_style.is_none()
            && let Some(number) = operand.value.strip_prefix('#')
        {
            let number = number.parse::<usize>().map_err(|_| unknown())?;
            let (ty, nullable) = self.operands.get(number).ok_or_else(unknown)?;
            return Ok(Node::new(Kind::Column(number), ty.clone(), *nullable));
        }
        if let Some(variable) = self.variable(parts)? {
            return Ok(variable);
        }
        if let (Some(listing), [name]) = (self.listing, parts) {
            let position =
                listing.iter().position(|column| column.name.eq_ignore_ascii_case(&name.value));
            let position = position.ok_or_else(unknown)?;
            let ty = listing[position].ty.clone();
            return Ok(Node::new(Kind::Column(position), ty, true));
        }
        let Some(table) = self.table else { return Err(unknown()) };
        let (qualifier, column) = match parts {
            [column] => (None, column),
            [table_name, column] => (Some(*table_name), column),
            [_, table_name, column] => (Some(*table_name), column),
            _ => return Err(unknown()),
        };
        if let Some(incoming) = self.incoming {
            let renamed = incoming
                .columns
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(&column.value))
                .map(|(_, position)| *position);
            let by_alias =
                qualifier.is_some_and(|name| incoming.alias.as_deref() == Some(&name.value));
            if by_alias || qualifier.is_none() && renamed.is_some() {
                let position = match incoming.columns.is_empty() {
                    true => table.column(&column.value),
                    false => renamed,
                };
                return Ok(incoming_node(table, position.ok_or_else(unknown)?));
            }
        }
        if qualifier.is_some_and(|name| !self.is_own_table(&name.value)) {
            return Err(unknown());
        }
        let position = table.column(&column.value).ok_or_else(unknown)?;
        Ok(column_node(table, position))
    }

    /// `@name` and `@@name`.
    fn variable(&self, parts: &[&Ident]) -> Bound<Option<Node>> {
        let first = parts[0];
        if first.quote_style.is_some() {
            return Ok(None);
        }
        if let Some(name) = first.value.strip_prefix("@@") {
            let scope = name.to_ascii_lowercase();
            let (global, name) = match (scope.as_str(), parts) {
                ("global" | "persist", [_, name, ..]) => (true, name.value.as_str()),
                ("session" | "local", [_, name, ..]) => (false, name.value.as_str()),
                (_, [_]) => (false, name),
                _ => return Err(SqlError::new(1193, "Unknown system variable").into()),
            };
            let definition = crate::variables::definition(name)
                .ok_or_else(|| crate::variables::unknown(name))?;
            let ty = match definition.kind {
                crate::variables::Kind::Switch => BIGINT,
                crate::variables::Kind::Number => BIGINT_UNSIGNED,
                crate::variables::Kind::Fraction => ColumnType::Double,
                crate::variables::Kind::Text => text_type(1024),
            };
            let kind = Kind::SystemVariable(definition.name.to_string(), global);
            return Ok(Some(Node::new(kind, ty, true)));
        }
        if let Some(name) = first.value.strip_prefix('@') {
            let kind = Kind::UserVariable(name.to_lowercase());
            return Ok(Some(Node::new(kind, text_type(16_383), true)));
        }
        Ok(None)
    }
}

/// A column of the row.
pub fn column_node(table: &Table, position: usize) -> Node {
    let column = &table.columns[position];
    Node::new(Kind::Column(position), column.ty.clone(), column.nullable)
}

fn incoming_node(table: &Table, position: usize) -> Node {
    let column = &table.columns[position];
    Node::new(Kind::Incoming(position), column.ty.clone(), true)
}

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

fn special(expr: &Expr, names: &Names<'_>) -> Bound<Node> {
    match expr {
        Expr::Substring { expr, substring_from, substring_for, .. } => {
            let mut arguments = vec![bind(expr, names)?];
            match substring_from {
                Some(from) => arguments.push(bind(from, names)?),
                None => arguments.push(Node::constant(Value::Int(1))),
            }
            if let Some(length) = substring_for {
                arguments.push(bind(length, names)?);
            }
            call_node("SUBSTRING", arguments)
        }
        Expr::Trim { trim_where, trim_what, expr, .. } => {
            let mut arguments = vec![bind(expr, names)?];
            if let Some(what) = trim_what {
                arguments.push(bind(what, names)?);
            }
            let name = match trim_where {
                Some(TrimWhereField::Leading) => "LTRIM",
                Some(TrimWhereField::Trailing) => "RTRIM",
                _ => "TRIM",
            };
            call_node(name, arguments)
        }
        Expr::Position { expr, r#in } => {
            call_node("LOCATE", vec![bind(expr, names)?, bind(r#in, names)?])
        }
        Expr::Ceil { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
            call_node("CEILING", vec![bind(expr, names)?])
        }
        Expr::Floor { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
            call_node("FLOOR", vec![bind(expr, names)?])
        }
        Expr::Extract { field, expr, .. } => {
            let unit = unit(&field.to_string())?;
            Ok(Node::new(Kind::Extract(unit, Box::new(bind(expr, names)?)), BIGINT, true))
        }
        Expr::Tuple(_) => elsewhere("row constructors"),
        Expr::Subquery(_) | Expr::InSubquery { .. } | Expr::Exists { .. } => {
            elsewhere("sub-queries")
        }
        Expr::RLike { .. } => elsewhere("REGEXP"),
        other => elsewhere(other),
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

fn literal(value: &Literal, names: &Names<'_>) -> Bound<Node> {
    Ok(match value {
        Literal::Number(digits, _) => number(digits)?,
        Literal::SingleQuotedString(text)
        | Literal::DoubleQuotedString(text)
        | Literal::NationalStringLiteral(text) => {
            Node::constant(Value::Bytes(text.as_bytes().to_vec()))
        }
        Literal::HexStringLiteral(digits) => {
            let padded = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.clone() };
            let bytes = padded
                .as_bytes()
                .chunks(2)
                .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                .collect::<Vec<u8>>();
            let ty = ColumnType::VarBinary { bytes: bytes.len() as u32 };
            Node::new(Kind::Constant(Value::Bytes(bytes)), ty, false)
        }
        Literal::SingleQuotedByteStringLiteral(bits) => {
            let value = u64::from_str_radix(bits, 2)
                .map_err(|_| SqlError::syntax(&format!("b'{bits}'"), 1))?;
            Node::constant(Value::UInt(value))
        }
        Literal::Boolean(value) => Node::constant(Value::Int(i64::from(*value))),
        Literal::Null => Node::constant(Value::Null),
        Literal::Placeholder(name) => {
            let number: u16 = name.trim_start_matches('?').parse().unwrap_or(0);
            let number = number.saturating_sub(names.parameter_base);
            Node::new(Kind::Parameter(number), text_type(16_383), true)
        }
        other => return elsewhere(other),
    })
}

fn number(digits: &str) -> Bound<Node> {
    if let Ok(value) = digits.parse::<i64>() {
        return Ok(Node::constant(Value::Int(value)));
    }
    if let Ok(value) = digits.parse::<u64>() {
        return Ok(Node::constant(Value::UInt(value)));
    }
    if !digits.contains(['e', 'E'])
        && let Some(value) = Decimal::parse(digits.as_bytes())
    {
        return Ok(Node::constant(Value::Decimal(value)));
    }
    match digits.parse::<f64>() {
        Ok(value) => Ok(Node::constant(Value::Double(value))),
        Err(_) => Err(SqlError::syntax(digits, 1).into()),
    }
}

fn unit(name: &str) -> Bound<Unit> {
    Unit::parse(name).ok_or_else(|| BindFailure::Wrong(SqlError::syntax(name, 1)))
}

fn binary(left: &Expr, op: &BinaryOperator, right: &Expr, names: &Names<'_>) -> Bound<Node> {
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
        let (ty, nullable) = (node.ty.clone(), node.nullable);
        return Ok(Node::new(Kind::Assign(name.to_lowercase(), Box::new(node)), ty, nullable));
    }
    if matches!(left, Expr::Tuple(_)) {
        return elsewhere("row constructors");
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
        let nullable = comparison != Comparison::NullSafeEqual && (a.nullable || b.nullable);
        let rule = rule_of([&a, &b].into_iter());
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
        other => return elsewhere(other),
    };
    let ty = arithmetic_type(arithmetic, &a, &b);
    let division =
        matches!(arithmetic, Arithmetic::Divide | Arithmetic::IntegerDivide | Arithmetic::Modulo);
    let kind = Kind::Arithmetic(arithmetic, Box::new(a), Box::new(b));
    Ok(Node::new(kind, ty, nullable || division))
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
    Ok(boolean(if and { Kind::And(nodes) } else { Kind::Or(nodes) }, nullable))
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

fn arithmetic_type(op: Arithmetic, a: &Node, b: &Node) -> ColumnType {
    use Arithmetic as A;
    if matches!(op, A::BitAnd | A::BitOr | A::BitXor | A::ShiftLeft | A::ShiftRight) {
        return BIGINT_UNSIGNED;
    }
    let unsigned = |node: &Node| matches!(node.ty, ColumnType::Int { unsigned: true, .. });
    let whole = |node: &Node| {
        matches!(node.ty, ColumnType::Int { .. } | ColumnType::Year)
            || matches!(node.kind, Kind::Constant(Value::Null))
    };
    let exact = |node: &Node| whole(node) || matches!(node.ty, ColumnType::Decimal { .. });
    if op == A::IntegerDivide {
        return if unsigned(a) || unsigned(b) { BIGINT_UNSIGNED } else { BIGINT };
    }
    if whole(a) && whole(b) && op != A::Divide {
        return if unsigned(a) || unsigned(b) { BIGINT_UNSIGNED } else { BIGINT };
    }
    if exact(a) && exact(b) {
        let digits = |node: &Node| match node.ty {
            ColumnType::Decimal { precision, scale } => (precision, scale),
            _ => (20, 0),
        };
        let ((p, s), (q, t)) = (digits(a), digits(b));
        let (precision, scale) = match op {
            A::Multiply => (p + q, s + t),
            A::Divide => (p + t + 4, s + 4),
            _ => ((p - s).max(q - t) + s.max(t) + 1, s.max(t)),
        };
        return ColumnType::Decimal { precision: precision.min(65), scale: scale.min(30) };
    }
    ColumnType::Double
}

fn unary(op: UnaryOperator, expr: &Expr, names: &Names<'_>) -> Bound<Node> {
    // The smallest integer has no positive counterpart.
    if let (UnaryOperator::Minus, Expr::Value(value)) = (op, expr)
        && let Literal::Number(digits, _) = &value.value
        && digits == "9223372036854775808"
    {
        return Ok(Node::constant(Value::Int(i64::MIN)));
    }
    let node = bind(expr, names)?;
    let nullable = node.nullable;
    Ok(match op {
        UnaryOperator::Plus => node,
        UnaryOperator::Minus => {
            if let Kind::Constant(value) = &node.kind
                && let Some(negative) = negative_constant(value)
            {
                return Ok(Node::constant(negative));
            }
            let ty = match &node.ty {
                ColumnType::Int { .. } => BIGINT,
                ColumnType::Decimal { .. } => node.ty.clone(),
                _ => ColumnType::Double,
            };
            Node::new(Kind::Negate(Box::new(node)), ty, nullable)
        }
        UnaryOperator::Not | UnaryOperator::BangNot => boolean(Kind::Not(Box::new(node)), nullable),
        UnaryOperator::BitwiseNot => {
            Node::new(Kind::BitNot(Box::new(node)), BIGINT_UNSIGNED, nullable)
        }
        other => return elsewhere(other),
    })
}

fn negative_constant(value: &Value) -> Option<Value> {
    match value {
        Value::Int(v) => v.checked_neg().map(Value::Int),
        Value::Double(v) => Some(Value::Double(-v)),
        Value::Decimal(v) => Some(Value::Decimal(v.negate())),
        _ => None,
    }
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
