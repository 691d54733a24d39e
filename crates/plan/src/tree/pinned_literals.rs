//! Literals that a plan was made for, where their values decide whether it is right.
//!
//! Not here: who pins them (`optimize::key_expressions`).

use expression::{Kind, Node};
use values::datum::{Datum, Value};

/// Literals of a statement, by number, with the values that a plan is right for.
pub type PinnedLiterals = Vec<(u16, Value)>;

/// Pins all literals of an expression.
pub fn pin_all(pinned: &mut PinnedLiterals, node: &Node, literals: &[Datum<'_>]) {
    node.visit(&mut |part| {
        if let Kind::Parameter(number) = part.kind {
            let value = literals.get(usize::from(number));
            pinned.push((number, value.map_or(Value::Null, Datum::to_value)));
        }
    });
}

/// Whether literals are those that a plan was made for.
pub fn are_pinned(pinned: &PinnedLiterals, literals: &[Datum<'_>]) -> bool {
    let literal = |number: u16| literals.get(usize::from(number)).copied().unwrap_or(Datum::Null);
    pinned.iter().all(|(number, value)| literal(*number) == value.as_datum())
}
