//! Long lists of IN: their values are put in order once, and found by search for each row.
//!
//! A row of a table beside a list of three thousand numbers would be compared three thousand times;
//! MariaDB sorts them as well (`a IN (...)` of 20,000 rows took 464 ms here, 9 ms there).
//!
//! Invariants
//! 1. A list is known by its number: clones share it, as they have the same nodes; code that may
//!    change a node gives the list another one.
//! 2. `Lists` live as `ExecutionMemo` does, in which they are.
//! 3. Memory for it is counted as the statement's; where there is none, values are compared.
//! 4. What is found is what comparing with each value gives; a list that has anything else than
//!    values that compare with the left side as ordinals or as texts is none of these.
//!
//! Not here: short lists, and comparing (`condition`); keys of an index that a list asks for (crate
//! `sql`, `point::lookup`).

use std::cell::{RefCell, RefMut};
use std::collections::HashSet;
use std::fmt::{self, Debug, Formatter};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

use values::datum::Datum;
use values::key::write_weights;
use values::types::{Collation, ColumnType};

use crate::evaluation::condition::are_texts;
use crate::evaluation::ordinals::Column;
use crate::row::scope::Scope;
use crate::statement::limits::Room;
use crate::tree::node::{Kind, Node};
use crate::value::cell::Cell;

/// Values from which on it is worth while, of numbers
const LONG: usize = 4;
/// and of texts, which mostly differ in their first bytes.
const LONG_OF_TEXTS: usize = 8;
/// Rows that are compared with each value before: to sort them takes as long as some rows do.
const COMPARED_ROWS: u32 = 3;
/// Texts of a row longer than this are compared: that ends where they differ, weights are those of
/// the whole.
const TEXT_BYTES_MAX: usize = 1024;
/// What a text of a list takes besides its weights.
const TEXT_BYTES: usize = 64;

/// The list of an IN.
#[derive(Clone)]
pub struct List {
    nodes: Vec<Node>,
    number: u64,
}

/// Long lists of a statement that is being executed, as far as rows have met them.
#[derive(Debug, Default)]
pub struct Lists {
    /// By their numbers.
    met: RefCell<Vec<MetList>>,
}

/// A list that rows have met.
#[derive(Debug)]
struct MetList {
    number: u64,
    rows: u32,
    values: Values,
    /// Weights of a row's text.
    weights: Vec<u8>,
}

#[derive(Debug)]
enum Values {
    /// Too few rows have come.
    Unknown,
    /// In order.
    Known(Box<InOrder>),
    /// They are to be compared.
    Others,
}

/// Values of a list, as those of a left side are looked for.
#[derive(Debug)]
struct InOrder {
    values: ListCache,
    /// Whether NULL is among them.
    has_null: bool,
    _room: Room,
}

#[derive(Debug)]
enum ListCache {
    /// Ascending; those that they have beside a type.
    Ordinals(ColumnType, Vec<u64>),
    /// Weights under a collation, beside a text that is JSON or not.
    Texts(Collation, bool, HashSet<Vec<u8>>),
}

impl List {
    /// A list of these.
    pub fn new(nodes: Vec<Node>) -> List {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        List { nodes, number: NUMBERS.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Deref for List {
    type Target = [Node];

    fn deref(&self) -> &[Node] {
        &self.nodes
    }
}

impl DerefMut for List {
    fn deref_mut(&mut self) -> &mut [Node] {
        *self = List::new(std::mem::take(&mut self.nodes));
        &mut self.nodes
    }
}

impl Debug for List {
    /// As its nodes: the number is no part of what it says.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.nodes.fmt(formatter)
    }
}

impl PartialEq for List {
    fn eq(&self, other: &List) -> bool {
        self.nodes == other.nodes
    }
}

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

    /// A list that a row meets; its values are read when enough rows have come.
    fn meet(&self, list: &List, values: impl FnOnce() -> Option<InOrder>) -> RefMut<'_, MetList> {
        let find = || RefMut::map(self.met.borrow_mut(), |all| MetList::of(all, list));
        let mut met = find();
        if !matches!(met.values, Values::Unknown) {
            return met;
        }
        met.rows += 1;
        if met.rows <= COMPARED_ROWS {
            return met;
        }
        // They may be expressions that have lists themselves.
        drop(met);
        let values = values().map_or(Values::Others, |values| Values::Known(Box::new(values)));
        let mut met = find();
        met.values = values;
        met
    }
}

impl MetList {
    /// A list among all.
    fn of<'m>(all: &'m mut Vec<MetList>, list: &List) -> &'m mut MetList {
        // A statement may have a thousand.
        let place = all.binary_search_by_key(&list.number, |met| met.number);
        let at = place.unwrap_or_else(|at| {
            let (number, values) = (list.number, Values::Unknown);
            all.insert(at, MetList { number, rows: 0, values, weights: Vec::new() });
            at
        });
        &mut all[at]
    }

    /// Its values, and room for weights; `None`: they are to be compared.
    fn known(&mut self) -> Option<(&InOrder, &mut Vec<u8>)> {
        match &self.values {
            Values::Known(known) => Some((known, &mut self.weights)),
            Values::Unknown | Values::Others => None,
        }
    }
}

impl InOrder {
    fn found(&self, is_there: bool) -> Option<bool> {
        (is_there || !self.has_null).then_some(is_there)
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
    Some(InOrder { values, has_null, _room: room })
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
    Some(InOrder { values, has_null, _room: room })
}

#[cfg(test)]
mod tests {
    use values::datum::Value;
    use values::temporal::Zone;

    use super::*;
    use crate::row::scope::{Environment, RowView};
    use crate::tree::once::ExecutionMemo;
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
        assert_eq!(list.number, other.number);
        other[0] = Node::constant(Value::Int(99));
        assert_ne!(list.number, other.number);
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
