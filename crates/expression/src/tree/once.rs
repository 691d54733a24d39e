//! What is the same for all rows of an execution and is found out when the first of them asks:
//! values of expressions over literals, parameters and the session (`NOW() - INTERVAL 7 DAY`,
//! `-5`), and long lists of IN.
//!
//! Invariants
//! 1. A value is known by its node's number: clones share it, as they are the same expression.
//! 2. `ExecutionMemo` lives within one execution of a statement, where literals, `?` and the clock
//!    keep their values.
//! 3. An expression that fails is evaluated again for the next row that asks; it warns for the
//!    first row that asks.
//!
//! Not here: the lists (`lists`), which nodes are marked (crate `sql`, `optimize::once`).

use std::cell::OnceCell;
use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{AtomicU64, Ordering};

use values::datum::{Datum, Value};
use values::types::ColumnType;

use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::statement::limits::Room;
use crate::tree::lists::Lists;
use crate::tree::node::{Kind, Node};
use crate::value::cell::Cell;

/// Values that are kept at most; who asks goes through them one after the other.
const VALUES_MAX: usize = 32;
/// Longer texts than this are not copied to be kept, if they lie elsewhere already.
const COPIED_BYTES_MAX: usize = 1 << 10;

/// An expression that needs to be evaluated but once in an execution.
#[derive(Clone)]
pub struct OnceNode {
    node: Node,
    number: u64,
}

impl Debug for OnceNode {
    /// As its node: the number is no part of what it says.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.node.fmt(formatter)
    }
}

impl PartialEq for OnceNode {
    /// The number is no part of what it says.
    fn eq(&self, other: &OnceNode) -> bool {
        self.node == other.node
    }
}

/// What rows of an execution have found out for those that follow.
#[derive(Debug, Default)]
pub struct ExecutionMemo {
    pub(crate) lists: Lists,
    /// A chain: values stay where they are, so that rows may borrow them.
    values: OnceCell<Box<Link>>,
}

#[derive(Debug)]
struct Link {
    number: u64,
    value: Value,
    _room: Option<Room>,
    next: OnceCell<Box<Link>>,
}

/// What is known of a value.
enum OnceValue<'k> {
    Value(&'k Value),
    /// Nothing yet: this is where it is to be kept.
    Place(&'k OnceCell<Box<Link>>),
    /// There are too many others.
    NoPlace,
}

impl ExecutionMemo {
    fn find(&self, number: u64) -> OnceValue<'_> {
        let mut place = &self.values;
        for _ in 0..VALUES_MAX {
            match place.get() {
                Some(link) if link.number == number => return OnceValue::Value(&link.value),
                Some(link) => place = &link.next,
                None => return OnceValue::Place(place),
            }
        }
        OnceValue::NoPlace
    }
}

impl OnceNode {
    /// A node that is the same for all rows though it does not look so: a column of what a
    /// sub-query gave.
    pub fn of(node: Node) -> OnceNode {
        OnceNode { node, number: next_number() }
    }

    /// The expression.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The same, to be changed; afterwards it is another.
    pub fn node_mut(&mut self) -> &mut Node {
        self.number = next_number();
        &mut self.node
    }

    /// The value.
    pub(crate) fn evaluate<'a>(&'a self, scope: &Scope<'a>) -> Result<Cell<'a>> {
        let Some(known) = scope.known else { return self.node.evaluate(scope) };
        let mut place = match known.find(self.number) {
            OnceValue::Value(value) => return Ok(Cell::Plain(value.as_datum())),
            OnceValue::NoPlace => return self.node.evaluate(scope),
            OnceValue::Place(place) => place,
        };
        let (value, room) = match self.node.evaluate(scope)? {
            Cell::Plain(Datum::Bytes(bytes)) if bytes.len() > COPIED_BYTES_MAX => {
                return Ok(Cell::Plain(Datum::Bytes(bytes)));
            }
            Cell::Counted(bytes, room) => (Value::Bytes(bytes), Some(room)),
            cell => (cell.into_value(), None),
        };
        // Evaluating it may have found out others.
        while let Some(link) = place.get() {
            place = &link.next;
        }
        let (number, next) = (self.number, OnceCell::new());
        let link = place.get_or_init(|| Box::new(Link { number, value, _room: room, next }));
        Ok(Cell::Plain(link.value.as_datum()))
    }

    /// The value where it is kept, or can be.
    pub(crate) fn known<'a>(&'a self, scope: &Scope<'a>) -> Option<Datum<'a>> {
        match scope.known?.find(self.number) {
            OnceValue::Value(value) => Some(value.as_datum()),
            OnceValue::NoPlace => None,
            OnceValue::Place(_) => match self.evaluate(scope) {
                Ok(Cell::Plain(datum)) => Some(datum),
                _ => None,
            },
        }
    }
}

fn next_number() -> u64 {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

impl Node {
    /// Marks what within this expression is the same for all rows and takes an evaluation.
    pub fn evaluate_once(&mut self) {
        match &self.kind {
            Kind::Constant(_) | Kind::Parameter(_) | Kind::Once(_) => {}
            // What is compared with JSON is seen as JSON, however it compares otherwise.
            _ if self.is_constant() && self.ty != ColumnType::Json => {
                let (ty, nullable) = (self.ty.clone(), self.nullable);
                let node = std::mem::replace(self, Node::constant(Value::Null));
                let once = OnceNode::of(node);
                *self = Node::new(Kind::Once(Box::new(once)), ty, nullable);
            }
            _ => self.each_child_mut(&mut |child| child.evaluate_once()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use values::temporal::Zone;
    use values::types::Collation;

    use super::*;
    use crate::row::scope::{Environment, RowView};
    use crate::statement::warning::Warnings;
    use crate::tree::node::Comparison;
    use crate::value::types::{BIGINT, text_type};

    /// `v > CAST(? AS SIGNED)`, which warns of a parameter that is no number.
    fn comparison() -> Node {
        let parameter = Box::new(Node::new(Kind::Parameter(0), text_type(20), true));
        let cast = Box::new(Node::new(Kind::Cast(parameter), BIGINT, true));
        let column = Box::new(Node::new(Kind::Column(0), BIGINT, true));
        let kind = Kind::Compare(Comparison::Greater, column, cast, Collation::Binary);
        Node::new(kind, BIGINT, true)
    }

    #[test]
    fn what_rows_have_in_common_is_evaluated_for_the_first_of_each_execution() {
        let (plain, mut marked) = (comparison(), comparison());
        marked.evaluate_once();
        assert_ne!(plain, marked);
        let marked = marked.clone();
        for (text, least) in [("4x", 4), ("7y", 7)] {
            let (known, warnings) = (ExecutionMemo::default(), RefCell::new(Warnings::default()));
            let parameters = [Datum::Bytes(text.as_bytes())];
            let bare = Environment::bare(&parameters, Zone::UTC);
            let environment =
                Environment { known: Some(&known), warnings: Some(&warnings), ..bare };
            for value in 0..10 {
                let row = [Value::Int(value)];
                let row = RowView::Values(&row);
                let expected = Some(value > least);
                assert_eq!(plain.truth(&bare.scope().with_row(row)).unwrap(), expected);
                assert_eq!(marked.truth(&bare.scope().with_row(row)).unwrap(), expected);
                assert_eq!(marked.truth(&environment.scope().with_row(row)).unwrap(), expected);
            }
            assert_eq!(warnings.borrow().count(), 1);
        }
    }

    #[test]
    fn who_may_have_changed_an_expression_has_another() {
        let mut marked = comparison();
        marked.evaluate_once();
        let mut other = marked.clone();
        other.each_child_mut(&mut |child| {
            if let Kind::Once(once) = &mut child.kind {
                *once.node_mut() = Node::constant(Value::Int(1));
            }
        });
        let (known, parameters) = (ExecutionMemo::default(), [Datum::Bytes(b"5")]);
        let bare = Environment::bare(&parameters, Zone::UTC);
        let environment = Environment { known: Some(&known), ..bare };
        let row = [Value::Int(3)];
        let scope = environment.scope().with_row(RowView::Values(&row));
        assert_eq!(marked.truth(&scope).unwrap(), Some(false));
        assert_eq!(other.truth(&scope).unwrap(), Some(true));
        assert_eq!(marked.truth(&scope).unwrap(), Some(false));
    }
}
