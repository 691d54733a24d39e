//! Terms put together by column: what segments and row groups are tested by.
//!
//! Invariants
//! 1. A condition found is implied by the terms.
//!
//! Not here: how terms are found in filters (`plan::terms`), the tests (`columnar`, `file`).

use std::collections::BTreeMap;
use std::ops::Bound;

use expression::{Comparison, Kind, Node};
use values::datum::Value;

/// What is known of a column's value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ColumnCondition {
    /// It is one of these.
    pub(super) among: Option<Vec<Value>>,
    /// It lies above this.
    pub(super) lower: Bound<Value>,
    /// It lies below this.
    pub(super) upper: Bound<Value>,
}

impl Default for ColumnCondition {
    fn default() -> ColumnCondition {
        ColumnCondition { among: None, lower: Bound::Unbounded, upper: Bound::Unbounded }
    }
}

/// Conditions by column position.
pub(super) type Conditions = BTreeMap<usize, ColumnCondition>;

/// The conditions that some terms, all of which must hold, put on single columns.
pub(super) fn conditions(terms: &[Node]) -> Conditions {
    let mut found = Conditions::new();
    for term in terms {
        if let Some((column, values)) = among(term) {
            restrict(&mut found, column, values);
        } else if let Kind::Compare(op, column, value, _) = &term.kind
            && let Kind::Column(column) = column.kind
            && let Some(value) = constant(value)
        {
            let condition = found.entry(column).or_default();
            match op {
                Comparison::Greater => condition.lower = Bound::Excluded(value),
                Comparison::GreaterEqual => condition.lower = Bound::Included(value),
                Comparison::Less => condition.upper = Bound::Excluded(value),
                Comparison::LessEqual => condition.upper = Bound::Included(value),
                _ => {}
            }
        }
    }
    found
}

/// The only column of a term, and the values that it may have, if the term names them: `c = 1`,
/// `c IN (1, 2)`, `c = 1 OR c IS NULL`.
pub(super) fn among(term: &Node) -> Option<(usize, Vec<Value>)> {
    let (column, values) = match &term.kind {
        Kind::Compare(Comparison::Equal, column, value, _) => (column, vec![constant(value)?]),
        Kind::InList(column, list, false, _) => {
            (column, list.iter().map(constant).collect::<Option<Vec<Value>>>()?)
        }
        Kind::IsNull(column, false) => (column, vec![Value::Null]),
        Kind::Or(branches) => {
            let mut each = branches.iter().map(among);
            let (column, mut values) = each.next()??;
            for branch in each {
                let (other, more) = branch?;
                if other != column {
                    return None;
                }
                values.extend(more);
            }
            return Some((column, values));
        }
        _ => return None,
    };
    match column.kind {
        Kind::Column(column) => Some((column, values)),
        _ => None,
    }
}

fn constant(node: &Node) -> Option<Value> {
    match &node.kind {
        Kind::Constant(value) => Some(value.clone()),
        _ => None,
    }
}

/// Keeps the shorter list of two: either is implied.
fn restrict(found: &mut Conditions, column: usize, values: Vec<Value>) {
    let among = &mut found.entry(column).or_default().among;
    if among.as_ref().is_none_or(|before| values.len() < before.len()) {
        *among = Some(values);
    }
}
