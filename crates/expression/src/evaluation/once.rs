//! Expressions that are the same for all rows: evaluated for the first row of an execution that
//! asks.
//!
//! Invariants
//! 1. An expression that fails is evaluated again for the next row that asks; it warns for the
//!    first row that asks.
//!
//! Not here: where the values are (`row::memo`).

use values::datum::{Datum, Value};

use crate::row::memo::{Link, OnceValue};
use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::tree::once::OnceNode;
use crate::value::cell::Cell;

/// Longer texts than this are not copied to be kept, if they lie elsewhere already.
const COPIED_BYTES_MAX: usize = 1 << 10;

impl OnceNode {
    /// The value.
    pub(crate) fn evaluate<'a>(&'a self, scope: &Scope<'a>) -> Result<Cell<'a>> {
        let Some(known) = scope.known else { return self.node().evaluate(scope) };
        let place = match known.find(self.number()) {
            OnceValue::Value(value) => return Ok(Cell::Plain(value.as_datum())),
            OnceValue::NoPlace => return self.node().evaluate(scope),
            OnceValue::Place(place) => place,
        };
        let (value, room) = match self.node().evaluate(scope)? {
            Cell::Plain(Datum::Bytes(bytes)) if bytes.len() > COPIED_BYTES_MAX => {
                return Ok(Cell::Plain(Datum::Bytes(bytes)));
            }
            Cell::Counted(bytes, room) => (Value::Bytes(bytes), Some(room)),
            cell => (cell.into_value(), None),
        };
        // Evaluating it may have found out others.
        let value = Link::keep(place, self.number(), value, room);
        Ok(Cell::Plain(value.as_datum()))
    }

    /// The value where it is kept, or can be.
    pub(crate) fn known<'a>(&'a self, scope: &Scope<'a>) -> Option<Datum<'a>> {
        match scope.known?.find(self.number()) {
            OnceValue::Value(value) => Some(value.as_datum()),
            OnceValue::NoPlace => None,
            OnceValue::Place(_) => match self.evaluate(scope) {
                Ok(Cell::Plain(datum)) => Some(datum),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use values::temporal::Zone;
    use values::types::Collation;

    use super::*;
    use crate::row::memo::ExecutionMemo;
    use crate::row::scope::{Environment, RowView};
    use crate::statement::warning::Warnings;
    use crate::tree::node::{Comparison, Kind, Node};
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
