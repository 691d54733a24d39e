//! Texts that say a moment or a length of time because a function made them of one: DATE_ADD and
//! ADDTIME of a text, GREATEST and LEAST of days beside texts. Where a number is wanted they are
//! the number of that moment, and so is a day that IF or CASE chose beside a text (MySQL 9.7:
//! tests/oracle/sql/carried-moments.sql).
//!
//! Not here: how the texts come to be (`evaluation::shifting`, `sum`, `control`).

use values::datum::Datum;
use values::types::ColumnType;

use crate::evaluation::cast::is_number;
use crate::functions::call::Call;
use crate::functions::make::{is_moment, is_time};
use crate::statement::error::Result;
use crate::tree::function::Function;
use crate::tree::node::{Kind, Node};
use crate::value::cell::{Cell, NULL};

const DOUBLE: ColumnType = ColumnType::Double(None);

/// Whether a node is such a text.
fn is_carried(node: &Node) -> bool {
    node.is_text()
        && match &node.kind {
            Kind::Shift(..) => true,
            Kind::Call(Function::AddTime | Function::SubTime, _) => true,
            Kind::Call(Function::NullIf, arguments) => is_carried(&arguments[0]),
            Kind::Call(..) => is_extreme(node),
            _ => false,
        }
}

/// GREATEST or LEAST of days or times and other values.
fn is_extreme(node: &Node) -> bool {
    match &node.kind {
        Kind::Call(Function::Greatest | Function::Least, arguments) => {
            node.is_text() && arguments.iter().any(|node| is_moment(node) || is_time(node))
        }
        _ => false,
    }
}

/// A text as the number of what it says, if it is such a text; anything else as it is.
pub fn moment_as_number(node: Node) -> Node {
    if is_carried(&node) {
        let nullable = node.nullable;
        return Node::new(Kind::Call(Function::MomentNumber, vec![node]), DOUBLE, nullable);
    }
    if !chooses_another(&node) {
        return node;
    }
    let Node { kind, nullable, .. } = node;
    let kind = match kind {
        Kind::Call(function, mut arguments) => {
            let chosen = arguments.split_off(1);
            arguments.extend(chosen.into_iter().map(branch_number));
            Kind::Call(function, arguments)
        }
        Kind::Case(operand, branches, otherwise, rule) => {
            let branches = branches.into_iter().map(|(when, then)| (when, branch_number(then)));
            let otherwise = otherwise.map(|node| Box::new(branch_number(*node)));
            Kind::Case(operand, branches.collect(), otherwise, rule)
        }
        other => other,
    };
    Node::new(kind, DOUBLE, nullable)
}

/// Such a text beside a literal or `?` of which no type is known: the number of what it says, if
/// that turns out to be one.
pub(crate) fn beside_untyped(node: Node, untyped: &Node) -> Node {
    if !is_carried(&node) {
        return node;
    }
    let (ty, nullable) = (node.ty.clone(), node.nullable);
    Node::new(Kind::Call(Function::MomentNumber, vec![node, untyped.clone()]), ty, nullable)
}

/// As `moment_as_number` where a whole number is wanted: there only GREATEST and LEAST are one.
pub fn moment_as_integer(node: Node) -> Node {
    if is_extreme(&node) { moment_as_number(node) } else { node }
}

/// A text that IF or CASE chooses among values of which one is none.
fn chooses_another(node: &Node) -> bool {
    let is_other = |node: &Node| {
        let is_listed = matches!(node.ty, ColumnType::Enum { .. } | ColumnType::Set { .. });
        is_listed || node.ty.is_temporal() || is_carried(node) || chooses_another(node)
    };
    let is_json = |node: &Node| node.ty == ColumnType::Json;
    let branches: Vec<&Node> = match &node.kind {
        Kind::Call(Function::If, arguments) => arguments[1..].iter().collect(),
        Kind::Case(_, branches, otherwise, _) => {
            branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()).collect()
        }
        _ => return false,
    };
    node.is_text()
        && branches.iter().any(|node| is_other(node))
        && !branches.iter().any(|node| is_json(node))
}

fn branch_number(node: Node) -> Node {
    let node = moment_as_number(node.with_number());
    if is_number(&node.ty) {
        return node;
    }
    let nullable = node.nullable;
    Node::new(Kind::Cast(Box::new(node)), DOUBLE, nullable)
}

impl Node {
    /// An operand of arithmetic: as `with_number`, and JSON, BIT and a text that a function made of
    /// a moment as the number that it is.
    #[must_use]
    pub fn as_operand(self) -> Node {
        moment_as_number(self.with_number().json_as_number().bits_as_number())
    }

    /// What an aggregate of numbers takes: JSON and a text that a function made of a moment as the
    /// number that it is.
    #[must_use]
    pub fn as_summand(self) -> Node {
        moment_as_number(self.json_as_number())
    }
}

/// The digits of a text that says a moment: '2001-01-03 10:00:00.5' is 20010103100000.5.
pub(crate) fn moment_number<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    if let Some(Datum::Bytes(_)) = cells.get(1).map(Cell::datum) {
        return call.arguments[0].evaluate(call.scope);
    }
    let Datum::Bytes(text) = cells[0].datum() else {
        let number = call.scope.number(&cells[0]);
        return Ok(number.map_or(NULL, |number| Cell::Plain(Datum::Double(number.to_f64()))));
    };
    let is_negative = text.first() == Some(&b'-');
    let digits: Vec<u8> =
        text.iter().copied().filter(|byte| byte.is_ascii_digit() || *byte == b'.').collect();
    let said = text.iter().all(|byte| byte.is_ascii_digit() || b"-: .".contains(byte));
    let number = match (said, std::str::from_utf8(&digits).map(str::parse::<f64>)) {
        (true, Ok(Ok(number))) => number,
        _ => call.scope.number(&cells[0]).map_or(0.0, |number| number.to_f64()),
    };
    Ok(Cell::Plain(Datum::Double(if is_negative { -number.abs() } else { number })))
}
