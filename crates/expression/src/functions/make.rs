//! Nodes out of bound operands: what an operator or a function makes of them, of which type and
//! under which collation.
//!
//! Not here: names and syntax (crate `sql`, `bind::scalar`).

use values::SqlMode;
use values::datum::Value;
use values::types::{Collation, ColumnType, FixedPoint, IntWidth};

use crate::evaluation::cast::is_number;
use crate::evaluation::common::shown_chars;
use crate::functions::definition::{Family, SEES_BYTES};
use crate::functions::text::charset::{in_one_charset, seen_as_bytes};
use crate::functions::time::carried;
use crate::functions::time::digits::number_digits;
use crate::statement::error::Result;
use crate::tree::function::Function;
use crate::tree::node::{Comparison, Kind, Node, common_collation};
use crate::value::arithmetic::Arithmetic;
use crate::value::moment::Unit;
use crate::value::types::{BIGINT, BIGINT_UNSIGNED, TRUTH, text_type};

/// Digits of a moment as a number without a fraction, and of a time of day.
const MOMENT_DIGITS: u8 = 14;
const TIME_DIGITS: u8 = 7;

/// A condition's result.
pub fn boolean(kind: Kind, nullable: bool) -> Node {
    Node::new(kind, TRUTH, nullable)
}

/// What a time is read of: of an ENUM or SET its words, not its number.
pub fn read_as_time(node: Node) -> Node {
    let (ColumnType::Enum { collation, .. } | ColumnType::Set { collation, .. }) = node.ty else {
        return node;
    };
    let ty = ColumnType::VarChar { chars: shown_chars(&node), collation };
    let nullable = node.nullable;
    Node::new(Kind::Cast(Box::new(node)), ty, nullable)
}

/// A time moved by an interval.
pub fn shift_node(base: Node, amount: Node, unit: Unit, minus: bool) -> Node {
    let base = read_as_time(base);
    // '1:2' is a text of two numbers.
    let amount = match unit {
        Unit::Compound(..) => amount,
        _ => amount.with_number(),
    };
    let fraction = |fsp: u8| match unit {
        _ if unit.has_fraction() => 6,
        Unit::Second => fsp.max(number_digits(&amount)),
        _ => fsp,
    };
    let ty = match &base.ty {
        ColumnType::Date if unit.is_of_days() => ColumnType::Date,
        ColumnType::Date => ColumnType::DateTime { fsp: fraction(0) },
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => {
            ColumnType::DateTime { fsp: fraction(*fsp) }
        }
        ColumnType::Time { fsp } if unit.has_days() => ColumnType::DateTime { fsp: fraction(*fsp) },
        ColumnType::Time { fsp } => ColumnType::Time { fsp: fraction(*fsp) },
        _ => text_type(26),
    };
    Node::new(Kind::Shift(Box::new(base), Box::new(amount), unit, minus), ty, true)
}

/// A call by name; `None` when there is no such function.
///
/// # Errors
/// 1582 for a wrong number of arguments.
pub fn call_node(name: &str, arguments: Vec<Node>) -> Option<Result<Node>> {
    let function = match Function::find(name, arguments.len())? {
        Ok(function) => function,
        Err(error) => return Some(Err(error)),
    };
    let times = arguments.iter().all(|node| is_time(node) || is_moment(node));
    let are_mixed_times = times && arguments.iter().any(is_moment);
    let has_json = || arguments.iter().any(|node| node.ty == ColumnType::Json);
    let are_wanted: Vec<bool> =
        (0..arguments.len()).map(|at| function.wants_number(at, &arguments)).collect();
    let reads_times = function.definition().family == Family::Times;
    let as_wanted = |(node, is_wanted): (Node, bool)| match is_wanted {
        true => node.as_operand(),
        false if reads_times => read_as_time(node),
        false => node,
    };
    let arguments: Vec<Node> = match function {
        Function::If => {
            let mut arguments = arguments.into_iter();
            let condition = arguments.next().map(Node::json_as_number);
            condition.into_iter().chain(arguments).collect()
        }
        // They compare JSON as its text; FIELD does where there are texts alone.
        Function::Field if has_json() && arguments.iter().all(Node::is_text) => {
            arguments.into_iter().map(as_text).collect()
        }
        Function::Greatest | Function::Least if has_json() => {
            arguments.into_iter().map(as_text).collect()
        }
        Function::Greatest | Function::Least if are_mixed_times => {
            arguments.into_iter().map(of_today).collect()
        }
        Function::Greatest | Function::Least if arguments.iter().any(is_moment) => {
            arguments.into_iter().map(read_as_time).collect()
        }
        Function::NullIf => beside_first(arguments),
        // An ENUM or SET is its words there, too.
        Function::JsonQuote | Function::JsonUnquote => {
            arguments.into_iter().map(read_as_time).collect()
        }
        _ if function.has(SEES_BYTES) => arguments.into_iter().map(seen_as_bytes).collect(),
        _ => arguments.into_iter().zip(are_wanted).map(as_wanted).collect(),
    };
    let (ty, nullable) = function.result(&arguments);
    Some(Ok(Node::new(Kind::Call(function, arguments), ty, nullable)))
}

/// What NULLIF compares with its first argument, as `compared` has it beside a YEAR.
fn beside_first(arguments: Vec<Node>) -> Vec<Node> {
    match <[Node; 2]>::try_from(arguments) {
        Ok([first, second]) => {
            let second = beside_column(second, &first);
            vec![first, second]
        }
        Err(arguments) => arguments,
    }
}

/// A value as text.
fn as_text(node: Node) -> Node {
    if node.is_text() {
        return node.json_as_text();
    }
    let (ty, nullable) = (text_type(shown_chars(&node)), node.nullable);
    Node::new(Kind::Cast(Box::new(node)), ty, nullable)
}

/// Two sides of a comparison that takes JSON for a number beside a number, and for its text beside
/// anything else: CASE and BETWEEN do, `=` and IN do not (MySQL 9.7 answers so).
fn json_as_other(a: Node, b: &Node) -> Node {
    match a.ty {
        ColumnType::Json if is_number(&b.ty) => a.as_operand(),
        _ => a.json_as_text(),
    }
}

/// Whether `CASE operand WHEN value` holds; both without a CASE of their own.
pub fn case_condition(operand: Node, value: Node) -> Node {
    let (a, b) = (json_as_other(operand.clone(), &value), json_as_other(value, &operand));
    let (a, b) = compared(a, b);
    let rule = common_rule([&a, &b].into_iter());
    let nullable = a.nullable || b.nullable;
    boolean(Kind::Compare(Comparison::Equal, Box::new(a), Box::new(b), rule), nullable)
}

/// A value and what it is sought among: 0x41 is a number beside anything but a text, and a time of
/// day is one of today beside a moment.
pub fn among(mut node: Node, mut list: Vec<Node>) -> (Node, Vec<Node>) {
    in_one_charset(std::iter::once(&mut node).chain(&mut list));
    // Of one it is an equation.
    if list.len() == 1 {
        list = list.into_iter().map(|only| beside_column(only, &node)).collect();
    }
    let texts = |listed: &Node| !is_number(&listed.ty) && !listed.is_untyped();
    let changing = list.iter().find(|listed| is_number(&listed.ty) && !listed.is_constant());
    if !list.iter().any(texts)
        && let Some(number) = changing.or(list.first())
    {
        node = beside_number(node, number);
    }
    let list: Vec<Node> = list.into_iter().map(|listed| beside_number(listed, &node)).collect();
    if is_moment(&node) {
        return (node, list.into_iter().map(|node| of_today(node.with_number())).collect());
    }
    if is_time(&node) && !list.is_empty() && list.iter().all(is_moment) {
        return (of_today(node), list);
    }
    if node.is_digits_literal() {
        let texts = list.iter().all(Node::is_text);
        return (if texts { node } else { node.with_number() }, list);
    }
    if node.is_text() {
        return (node, list);
    }
    let list: Vec<Node> = list.into_iter().map(Node::with_number).collect();
    match <[Node; 1]>::try_from(list) {
        // That is an equation.
        Ok([only]) => {
            let (node, only) = times_as_texts(node, only);
            let (node, only) = both_shown(node, only);
            (node, vec![only])
        }
        Err(list) => (node, list),
    }
}

/// The collation under which nodes compare with each other.
pub fn common_rule<'n>(nodes: impl Iterator<Item = &'n Node>) -> Collation {
    nodes
        .map(Node::collation)
        .reduce(common_collation)
        .map_or(Collation::Utf8Mb4GeneralCi, |(collation, _)| collation)
}

/// What a value lies between, as what is compared: 0x41 is a number beside anything but a text, and
/// a time of day is one of today beside moments.
pub fn within(mut nodes: [Node; 3]) -> [Node; 3] {
    in_one_charset(nodes.iter_mut());
    let mut numbers = nodes.iter().filter(|node| is_number(&node.ty));
    let number = numbers.clone().find(|node| !node.is_constant()).or(numbers.next()).cloned();
    let untyped = nodes.iter().find(|node| node.is_untyped()).cloned();
    let nodes = nodes.map(|node| match &untyped {
        Some(untyped) if number.is_none() => carried::beside_untyped(node, untyped),
        _ => node,
    });
    let nodes = nodes.map(|node| match (&node.ty, &number) {
        (ColumnType::Json, Some(number)) => json_as_other(node, number),
        _ => node.json_as_text(),
    });
    let [value, low, high] = nodes;
    let (low, high) = (beside_column(low, &value), beside_column(high, &value));
    let value = match as_its_digits(&value, &low).and(as_its_digits(&value, &high)) {
        Some(_) => seen_beside(value, &low),
        None => value,
    };
    let nodes = [value, low, high];
    let nodes = times_between_texts(nodes);
    let texts = nodes.iter().all(Node::is_text);
    let times = nodes.iter().all(|node| is_time(node) || is_moment(node));
    let moments = times && nodes.iter().any(is_moment);
    // Between a number and a text all are numbers, an ENUM its position.
    let is_mixed =
        number.is_some() && nodes.iter().any(|node| node.is_text() && !node.ty.is_listed());
    nodes.map(|node| match (texts, moments) {
        (true, _) => node,
        (false, true) => of_today(node),
        (false, false) if is_mixed && node.ty.is_listed() => node.listed_as_double(),
        (false, false) if let Some(number) = &number => {
            as_its_number(carried::moment_as_number(node.with_number()), number)
        }
        (false, false) => node.with_number(),
    })
}

pub(crate) fn is_time(node: &Node) -> bool {
    matches!(node.ty, ColumnType::Time { .. })
}

/// Whether it is a day or a moment.
pub(crate) fn is_moment(node: &Node) -> bool {
    matches!(node.ty, ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. })
}

/// A day, a moment or a time of day as it is compared with what a sub-query gives, or the other way
/// round: a time of day beside days and moments is one of today, and all are numbers beside
/// numbers.
pub fn time_beside(node: Node, other: &Node) -> Node {
    match is_moment(other) {
        true => of_today(node),
        false => as_its_number(node, other),
    }
}

/// A day, a moment or a time of day as the number of its digits, beside a number that is not a
/// constant. Constants are read as moments instead (MySQL 9.7:
/// tests/oracle/sql/in-of-other-types.sql).
fn as_its_number(node: Node, other: &Node) -> Node {
    // One that is the same for all rows is its year beside a YEAR.
    let is_year = other.ty == ColumnType::Year && node.is_row_free();
    let is_time_of_any_kind = is_moment(&node) || is_time(&node);
    if !is_number(&other.ty) || other.is_constant() || is_year || !is_time_of_any_kind {
        return node;
    }
    let whole = if is_time(&node) { TIME_DIGITS } else { MOMENT_DIGITS };
    let ty = match node.ty.fsp() {
        0 => BIGINT,
        fsp => ColumnType::Decimal { precision: whole + fsp, scale: fsp },
    };
    let nullable = node.nullable;
    Node::new(Kind::Cast(Box::new(node)), ty, nullable)
}

/// A time of day as the moment at which it is that time today, as MySQL compares it with moments.
fn of_today(node: Node) -> Node {
    if !is_time(&node) {
        return node;
    }
    let ty = ColumnType::DateTime { fsp: node.ty.fsp() };
    Node::new(Kind::Call(Function::TimestampOf, vec![node]), ty, true)
}

/// The sides of a comparison: 0x41 is a number beside anything but a text, and a time of day is one
/// of today beside a moment.
pub fn compared(mut a: Node, mut b: Node) -> (Node, Node) {
    in_one_charset([&mut a, &mut b].into_iter());
    let b = beside_column(b, &a);
    let a = beside_column(a, &b);
    let a = beside_number(a, &b);
    let b = beside_number(b, &a);
    if is_moment(&a) && is_time(&b) {
        return (a, of_today(b));
    }
    if is_time(&a) && is_moment(&b) {
        return (of_today(a), b);
    }
    let (a, b) = times_as_texts(a, b);
    if a.is_digits_literal() && !b.is_text() {
        return (a.with_number(), b);
    }
    if b.is_digits_literal() && !a.is_text() {
        return (a, b.with_number());
    }
    both_shown(a, b)
}

/// A time of day beside a text is one only as a column beside what is the same for all rows;
/// anything else is compared as two texts (MySQL 9.7: tests/oracle/sql/words-beside-days.sql).
fn times_as_texts(a: Node, b: Node) -> (Node, Node) {
    let a = time_as_text(a, &b);
    let b = time_as_text(b, &a);
    (a, b)
}

/// One side of such a comparison as it is seen beside the other.
pub fn time_as_text(node: Node, other: &Node) -> Node {
    match is_time(&node) && is_plain_text(other) && !reads_as_time(&node, other) {
        true => as_text(node),
        false => node,
    }
}

/// The same of BETWEEN: a column is a time beside two texts if one of them is the same for all
/// rows.
fn times_between_texts([value, low, high]: [Node; 3]) -> [Node; 3] {
    if is_time(&value) && is_plain_text(&low) && is_plain_text(&high) {
        let value = match reads_as_time(&value, &low) || reads_as_time(&value, &high) {
            true => value,
            false => as_text(value),
        };
        return [value, low, high];
    }
    match is_plain_text(&value) {
        true => [value, low, high].map(|node| if is_time(&node) { as_text(node) } else { node }),
        false => [value, low, high],
    }
}

fn is_plain_text(node: &Node) -> bool {
    node.is_text() && node.ty != ColumnType::Json
}

/// Whether two sides compare as times or as texts, whichever kind a literal of which nothing is
/// known turns out to have.
pub fn is_time_beside_untyped(a: &Node, b: &Node) -> bool {
    let is_one = |time: &Node, other: &Node| {
        is_time(time) && other.is_untyped() && !reads_as_time(time, other)
    };
    is_one(a, b) || is_one(b, a)
}

/// Whether a time of day makes a time of a text beside it.
fn reads_as_time(time: &Node, text: &Node) -> bool {
    let mut has_variable = false;
    text.visit(&mut |part| has_variable |= matches!(part.kind, Kind::UserVariable(_)));
    time.is_stored() && text.is_fixed() && !has_variable
}

/// A text that says a moment is the number of that beside a number.
fn beside_number(node: Node, other: &Node) -> Node {
    match is_number(&other.ty) {
        true => as_its_number(carried::moment_as_number(node), other),
        false if other.is_untyped() => carried::beside_untyped(node, other),
        false => node,
    }
}

/// Two sides of a comparison, each as it is seen beside the other.
fn both_shown(a: Node, b: Node) -> (Node, Node) {
    // Neither loses its type by it, which is all that the other one asks.
    let a = seen_beside(a, &b);
    let b = seen_beside(b, &a);
    (a, b)
}

/// A constant as the column beside it would have it, where that is of YEAR or TIME.
fn beside_column(node: Node, other: &Node) -> Node {
    beside_time(beside_year(node, other), other)
}

/// A constant as the time that it would be in a column of TIME beside it. One that is written as a
/// time keeps its digits.
fn beside_time(node: Node, other: &Node) -> Node {
    let is_kept = matches!(&node.kind, Kind::Constant(Value::Null | Value::Time(_)));
    let is_column = other.is_stored() && is_time(other);
    let is_whole = matches!(node.ty, ColumnType::Int { .. });
    if !is_column || is_kept || is_whole || !node.is_constant() {
        return node;
    }
    if is_time(&node) || is_moment(&node) {
        return Node::new(Kind::Cast(Box::new(node)), other.ty.clone(), true);
    }
    let (ty, nullable) = (node.ty.clone(), node.nullable);
    let column = Node::new(Kind::Constant(Value::Null), other.ty.clone(), true);
    Node::new(Kind::Call(Function::BesideTime, vec![node, column]), ty, nullable)
}

/// A constant as the year that it is beside a column of YEAR.
fn beside_year(node: Node, other: &Node) -> Node {
    let is_year = other.is_stored() && other.ty == ColumnType::Year;
    let is_null = matches!(&node.kind, Kind::Constant(value) if value.is_null());
    // A day that is written down is one of its year; what NOW() says is a day.
    let is_day = is_moment(&node) && !matches!(node.kind, Kind::Constant(_));
    if !is_year || is_null || is_time(&node) || is_day || !node.is_constant() {
        return node;
    }
    let nullable = node.nullable;
    Node::new(Kind::Call(Function::BesideYear, vec![node.with_number()]), BIGINT, nullable)
}

/// One side of a comparison as it is seen beside the other.
pub fn seen_beside(node: Node, other: &Node) -> Node {
    let ty = match as_its_digits(&node, other) {
        Some(digits) => digits,
        None if is_seen_as_shown(&node, other) => node.ty.clone(),
        None => return node,
    };
    let nullable = node.nullable;
    Node::new(Kind::Cast(Box::new(node)), ty, nullable)
}

/// A column of FLOAT(M,D) beside a constant is the number that it shows, so that `f = 1.55` finds
/// what was stored as that (MySQL 9.7: tests/oracle/sql/fixed-point.sql).
fn as_its_digits(node: &Node, other: &Node) -> Option<ColumnType> {
    let ColumnType::Float(Some(FixedPoint { precision, scale })) = node.ty else { return None };
    let beside = node.is_stored() && other.is_constant() && precision <= 65;
    beside.then_some(ColumnType::Decimal { precision, scale })
}

/// Whether a number is compared as it is shown: an average that is computed with more digits is so
/// beside an exact number (tests/oracle/sql/quotients.sql).
fn is_seen_as_shown(node: &Node, other: &Node) -> bool {
    let is_exact =
        matches!(other.ty, ColumnType::Int { .. } | ColumnType::Decimal { .. } | ColumnType::Year);
    is_exact && matches!(node.ty, ColumnType::Decimal { .. }) && keeps_digits(node)
}

/// Whether a node's value can have more digits behind the point than its type: an average of one
/// group alone, within an expression. A quotient has those that it shows (MySQL 9.7:
/// tests/oracle/sql/quotients.sql).
pub fn keeps_digits(node: &Node) -> bool {
    let mut keeps = false;
    node.visit(&mut |part| {
        keeps |= matches!(part.kind, Kind::Aggregate(_)) && !std::ptr::eq(part, node);
    });
    keeps
}

/// An operator on two numbers.
pub fn arithmetic_node(op: Arithmetic, a: Node, b: Node, mode: SqlMode) -> Node {
    if let Some(function) = function_of_bytes(op, &a, &b) {
        return bytes_node(function, vec![a, b]);
    }
    let (mut a, mut b) = (a.as_operand(), b.as_operand());
    if !op.is_of_bits() && op != Arithmetic::IntegerDivide {
        (a, b) = (a.listed_as_double(), b.listed_as_double());
    }
    let ty = arithmetic_type(op, &a, &b, mode);
    let division =
        matches!(op, Arithmetic::Divide | Arithmetic::IntegerDivide | Arithmetic::Modulo);
    let nullable = a.nullable || b.nullable || division;
    Node::new(Kind::Arithmetic(op, Box::new(a), Box::new(b)), ty, nullable)
}

/// What an operator of bits is of strings of bytes; `None` where it is one of numbers.
fn function_of_bytes(op: Arithmetic, a: &Node, b: &Node) -> Option<Function> {
    use Arithmetic as A;
    let both = is_byte_string(a) && is_byte_string(b);
    Some(match op {
        A::BitAnd | A::BitOr | A::BitXor
            if !both || a.is_digits_literal() && b.is_digits_literal() =>
        {
            return None;
        }
        A::BitAnd => Function::BytesAnd,
        A::BitOr => Function::BytesOr,
        A::BitXor => Function::BytesXor,
        A::ShiftLeft | A::ShiftRight if !is_byte_string(a) || a.is_digits_literal() => return None,
        A::ShiftLeft => Function::BytesLeft,
        A::ShiftRight => Function::BytesRight,
        _ => return None,
    })
}

/// A function of the bits of strings of bytes.
pub fn bytes_node(function: Function, arguments: Vec<Node>) -> Node {
    let (ty, nullable) = function.result(&arguments);
    Node::new(Kind::Call(function, arguments), ty, nullable)
}

/// Whether it is a string of bytes, if not NULL; a literal of digits is one, too.
pub fn is_byte_string(node: &Node) -> bool {
    node.ty.is_binary_string() && !matches!(&node.kind, Kind::Constant(value) if value.is_null())
}

/// Digits of a whole number: a literal's own, else those of its type.
fn integer_digits(node: &Node) -> u8 {
    let of = |magnitude: u64| magnitude.checked_ilog10().unwrap_or(0) as u8 + 1;
    match (&node.kind, &node.ty) {
        (Kind::Constant(Value::Int(value)), _) => of(value.unsigned_abs()),
        (Kind::Constant(Value::UInt(value)), _) => of(*value),
        (_, ColumnType::Int { width, .. }) => match width {
            IntWidth::Tiny => 3,
            IntWidth::Small => 5,
            IntWidth::Medium => 8,
            IntWidth::Int => 10,
            IntWidth::Big => 20,
        },
        (_, ColumnType::Year) => 4,
        _ => 20,
    }
}

/// Digits of the number that a time is, and those of them behind the point.
pub fn temporal_number(ty: &ColumnType) -> Option<(u8, u8)> {
    match ty {
        ColumnType::Date => Some((8, 0)),
        ColumnType::Time { fsp } => Some((7 + fsp, *fsp)),
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => Some((14 + fsp, *fsp)),
        _ => None,
    }
}

/// A DOUBLE that is computed, with so many digits behind the point.
pub fn computed_double(decimals: Option<u8>) -> ColumnType {
    /// What MySQL takes for its digits in all.
    const PRECISION: u8 = 22;
    ColumnType::Double(decimals.and_then(|scale| FixedPoint::new(PRECISION, scale)))
}

fn arithmetic_type(op: Arithmetic, a: &Node, b: &Node, mode: SqlMode) -> ColumnType {
    use Arithmetic as A;
    let more = mode.division_digits();
    if op.is_of_bits() {
        return BIGINT_UNSIGNED;
    }
    let unsigned =
        |node: &Node| matches!(node.ty, ColumnType::Int { unsigned: true, .. } | ColumnType::Year);
    let whole = |node: &Node| {
        matches!(node.ty, ColumnType::Int { .. } | ColumnType::Year)
            || matches!(temporal_number(&node.ty), Some((_, 0)))
    };
    let exact = |node: &Node| {
        whole(node)
            || matches!(node.ty, ColumnType::Decimal { .. })
            || temporal_number(&node.ty).is_some()
    };
    if op == A::IntegerDivide {
        return if unsigned(a) || unsigned(b) { BIGINT_UNSIGNED } else { BIGINT };
    }
    if whole(a) && whole(b) && op != A::Divide {
        let unsigned = match op {
            A::Modulo => unsigned(a),
            A::Subtract if mode.no_unsigned_subtraction() => false,
            _ => unsigned(a) || unsigned(b),
        };
        return if unsigned { BIGINT_UNSIGNED } else { BIGINT };
    }
    if exact(a) && exact(b) {
        let digits = |node: &Node| match node.ty {
            ColumnType::Decimal { precision, scale } => (precision, scale),
            _ => temporal_number(&node.ty).unwrap_or_else(|| (integer_digits(node), 0)),
        };
        let ((p, s), (q, t)) = (digits(a), digits(b));
        let (precision, scale) = match op {
            A::Multiply => (p + q, s + t),
            A::Divide => (p + t + more, s + more),
            A::Modulo => (p.max(q), s.max(t)),
            _ => ((p - s).max(q - t) + s.max(t) + 1, s.max(t)),
        };
        return ColumnType::Decimal { precision: precision.min(65), scale: scale.min(30) };
    }
    let decimals = a.ty.decimals().zip(b.ty.decimals()).map(|(s, t)| match op {
        A::Divide => s.max(t) + more,
        _ => s.max(t),
    });
    computed_double(decimals)
}
