//! Long lists of IN: whether a row's value is in one, found by search.
//!
//! Invariants
//! 1. What is found is what comparing with each value gives; a list that has anything else than
//!    values that compare with the left side as ordinals or as texts is none of these.
//! 2. Where there is no memory for the values in order, values are compared.
//!
//! Not here: what is kept of a list (`row::lists`), short lists, and comparing (`condition`); keys
//! of an index that a list asks for (crate `plan`, `point::lookup`).

use std::collections::HashSet;

use values::datum::Datum;
use values::key::write_weights;
use values::types::{Collation, ColumnType};

use crate::evaluation::condition::are_texts;
use crate::evaluation::ordinals::Column;
use crate::row::lists::{InOrder, ListCache, Lists};
use crate::row::scope::Scope;
use crate::tree::list::List;
use crate::tree::node::{Kind, Node};
use crate::value::cell::Cell;

/// Values from which on it is worth while, of numbers
const LONG: usize = 4;
/// and of texts, which mostly differ in their first bytes.
const LONG_OF_TEXTS: usize = 8;
/// Texts of a row longer than this are compared: that ends where they differ, weights are those of
/// the whole.
const TEXT_BYTES_MAX: usize = 1024;
/// What a text of a list takes besides its weights.
const TEXT_BYTES: usize = 64;

impl Lists {
    /// Whether an ordinal is in a list; `None` where that is to be found by comparing.
    pub(crate) fn has_ordinal(
        &self,
        list: &List,
        column: &Column<'_>,
        scope: &Scope<'_>,
    ) -> Option<Option<bool>> {
        let Some(ordinal) = column.ordinal else { return Some(None) };
        if list.len() < LONG {
            return None;
        }
        let mut met = self.meet(list, || ordinals_of(list, column, scope));
        let (known, _) = met.known()?;
        match &known.values {
            ListCache::Ordinals(ty, ordinals) if ty == column.ty => {
                Some(known.found(ordinals.binary_search(&ordinal).is_ok()))
            }
            _ => None,
        }
    }

    /// Whether a text, the value of `a`, is in a list; `None` where that is to be found by
    /// comparing.
    pub(crate) fn has_text(
        &self,
        list: &List,
        (a, rule): (&Node, Collation),
        text: &[u8],
        scope: &Scope<'_>,
    ) -> Option<Option<bool>> {
        if list.len() < LONG_OF_TEXTS || text.len() > TEXT_BYTES_MAX {
            return None;
        }
        let mut met = self.meet(list, || texts_of(list, a, rule, scope));
        let (known, weights) = met.known()?;
        let is_json = a.ty == ColumnType::Json;
        match &known.values {
            ListCache::Texts(collation, json, texts) if *collation == rule && *json == is_json => {
                weights.clear();
                write_weights(rule, text, weights);
                Some(known.found(texts.contains(weights)))
            }
            _ => None,
        }
    }
}

/// A value of a list that is the same for all rows; those of expressions are evaluated for this
/// alone.
fn value_of<'a>(node: &'a Node, scope: &Scope<'a>) -> Option<Cell<'a>> {
    match &node.kind {
        Kind::Once(once) => once.node().evaluate(scope).ok(),
        _ => node.known(scope).map(Cell::Plain),
    }
}

/// The ordinals of a list beside a column; `None` if it has other values, or there is no memory.
fn ordinals_of(list: &List, column: &Column<'_>, scope: &Scope<'_>) -> Option<InOrder> {
    let room = scope.limits.take(list.len() * size_of::<u64>()).ok()?;
    let (mut ordinals, mut has_null) = (Vec::with_capacity(list.len()), false);
    for node in list.iter() {
        match value_of(node, scope)?.datum() {
            Datum::Null => has_null = true,
            value => ordinals.push(column.beside(value)?),
        }
    }
    ordinals.sort_unstable();
    let values = ListCache::Ordinals(column.ty.clone(), ordinals);
    Some(InOrder::new(values, has_null, room))
}

/// The texts of a list beside a text; `None` if it has other values, or there is no memory.
fn texts_of(list: &List, a: &Node, rule: Collation, scope: &Scope<'_>) -> Option<InOrder> {
    let mut bytes = 0;
    for node in list.iter() {
        bytes += match value_of(node, scope)?.datum() {
            Datum::Bytes(text) => TEXT_BYTES + 2 * text.len(),
            _ => TEXT_BYTES,
        };
    }
    let room = scope.limits.take(bytes).ok()?;
    let (mut texts, mut has_null) = (HashSet::with_capacity(list.len()), false);
    for node in list.iter() {
        match value_of(node, scope)?.datum() {
            Datum::Null => has_null = true,
            Datum::Bytes(text) if are_texts(a, node) => {
                let mut weights = Vec::with_capacity(2 * text.len());
                write_weights(rule, text, &mut weights);
                texts.insert(weights);
            }
            _ => return None,
        }
    }
    let values = ListCache::Texts(rule, a.ty == ColumnType::Json, texts);
    Some(InOrder::new(values, has_null, room))
}

#[cfg(test)]
mod tests {
    use values::datum::Value;
    use values::temporal::Zone;

    use super::*;
    use crate::row::lists::COMPARED_ROWS;
    use crate::row::memo::ExecutionMemo;
    use crate::row::scope::{Environment, RowView};
    use crate::value::types::{BIGINT, text_type};

    /// What `v IN (list)` is for each value, with and without searching.
    fn found(ty: &ColumnType, list: &List, values: &[Value]) -> Vec<Option<bool>> {
        let known = ExecutionMemo::default();
        let rule = Collation::Utf8Mb4GeneralCi;
        let column = Box::new(Node::new(Kind::Column(0), ty.clone(), true));
        let node = Node::new(Kind::InList(column, list.clone(), false, rule), BIGINT, true);
        let plain = Environment::bare(&[], Zone::UTC);
        let searching = Environment { known: Some(&known), ..plain };
        let each = |value: &Value| {
            let row = [value.clone()];
            let found = node.truth(&searching.scope().with_row(RowView::Values(&row))).unwrap();
            let compared = node.truth(&plain.scope().with_row(RowView::Values(&row))).unwrap();
            assert_eq!(found, compared, "{value:?}");
            found
        };
        values.iter().map(each).collect()
    }

    #[test]
    fn what_is_in_a_long_list_is_found_as_by_comparing() {
        let number = |n: i64| Node::constant(Value::Int(n));
        let mut nodes: Vec<Node> = (0..40).map(|n| number(n * 977 % 400)).collect();
        let numbers: Vec<Value> = (-5..60).map(Value::Int).chain([Value::Null]).collect();
        let plain = found(&BIGINT, &List::new(nodes.clone()), &numbers);
        assert!(plain.contains(&Some(true)) && plain.contains(&Some(false)));
        nodes.push(Node::constant(Value::Null));
        let with_null = found(&BIGINT, &List::new(nodes.clone()), &numbers);
        assert!(with_null.contains(&Some(true)) && !with_null.contains(&Some(false)));
        nodes.push(Node::constant(Value::Double(3.5)));
        found(&BIGINT, &List::new(nodes), &numbers);
        let word = |n: i64| Value::Bytes(format!("wÖrd{n} ").into_bytes());
        let words = (0..40).map(|n| Node::constant(word(n * 977 % 400))).collect();
        let asked: Vec<Value> = (0..60)
            .map(|n| Value::Bytes(format!("Word{n}").into_bytes()))
            .chain([Value::Null, Value::Bytes(Vec::new())])
            .collect();
        let texts = found(&text_type(20), &List::new(words), &asked);
        assert!(texts.contains(&Some(true)) && texts.contains(&Some(false)));
    }

    #[test]
    fn a_list_whose_nodes_may_have_changed_is_another_one() {
        let list = List::new((0..20).map(|n| Node::constant(Value::Int(n))).collect());
        let mut other = list.clone();
        assert_eq!(list.number(), other.number());
        other[0] = Node::constant(Value::Int(99));
        assert_ne!(list.number(), other.number());
        let known = ExecutionMemo::default();
        let environment = Environment { known: Some(&known), ..Environment::bare(&[], Zone::UTC) };
        let (column, row) = (Node::new(Kind::Column(0), BIGINT, true), [Value::Int(99)]);
        let scope = environment.scope();
        let scope = scope.with_row(RowView::Values(&row));
        for _ in 0..2 * COMPARED_ROWS {
            for (list, is_there) in [(&list, false), (&other, true)] {
                let rule = Collation::Binary;
                let kind = Kind::InList(Box::new(column.clone()), list.clone(), false, rule);
                assert_eq!(Node::new(kind, BIGINT, true).truth(&scope).unwrap(), Some(is_there));
            }
        }
    }
}
