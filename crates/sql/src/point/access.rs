//! Which index answers a condition, and what is looked up in it.
//!
//! A condition is a list of terms joined by AND. For each index, terms of the form `column =
//! value`, `column IN (values)` or `column IS NULL` fix leading parts; one range may follow.
//! What the index answers exactly leaves the filter; everything else stays there.
//!
//! Invariants
//! 1. Values are known only when the statement runs; a value that the index cannot look up then
//!    (a number for a text column) makes that run read the whole index and filter by all terms.
//! 2. Ranges come in ascending order, without overlap.
//!
//! Not here: reading (`gather`).

use std::ops::Bound;

use rows::datum::{Datum, Value};
use rows::key::encode_text_prefix;
use rows::schema::IndexState;
use rows::store::{Direction, KeyRange};
use rows::table::Table;
use rows::types::{Collation, ColumnType};

use super::key::{KeyBound, KeyValue, bound_key, equal_key, like_prefix};
use crate::error::Result;
use crate::expression::{Comparison, Kind, Node, Scope, type_collation};
use crate::index_use::IndexUse;

/// Most look-ups that one statement makes of its IN lists; beyond it the index is not used.
const LOOKUPS_MAX: usize = 65_536;

/// What a leading part of the index equals.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// One value, under a collation.
    One(Node, Collation),
    /// One of several.
    Any(Vec<Node>, Collation),
    /// NULL.
    Null,
}

/// An end of a range.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The value.
    pub node: Node,
    inclusive: bool,
    rule: Collation,
}

/// What the part behind the fixed ones lies between.
#[derive(Clone, Debug)]
pub enum Between {
    /// Bounds on either side.
    Bounds(Option<Limit>, Option<Limit>),
    /// LIKE a pattern.
    Like(Node, Option<char>),
    /// NOT NULL.
    NotNull,
}

/// How MySQL's EXPLAIN names the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// One row by a unique key.
    Const,
    /// Rows of one key of an index.
    Ref,
    /// Ranges of an index, or several keys.
    Range,
    /// All of an index, in its order.
    Index,
    /// All rows.
    All,
}

/// An order asked for: columns, and whether descending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordering {
    /// Columns in order.
    pub columns: Vec<usize>,
    /// Descending, all of them.
    pub descending: bool,
}

/// The way to the rows.
#[derive(Clone, Debug)]
pub struct Access {
    /// Which index.
    pub index: usize,
    /// Leading parts.
    pub equal: Vec<Lookup>,
    /// The part behind them.
    pub between: Option<Between>,
    /// Direction of reading.
    pub direction: Direction,
    /// Whether rows come in the order that was asked for.
    pub ordered: bool,
    /// What the index does not answer.
    pub residual: Vec<Node>,
    /// All terms, for when it cannot be used after all.
    pub terms: Vec<Node>,
    /// How EXPLAIN names it.
    pub kind: AccessKind,
}

/// What an index makes of a condition.
struct Candidate {
    access: Access,
    /// Higher is better.
    score: u32,
}

/// The way of each index that may be used, the one that is best without a look at the rows first;
/// never none.
pub fn ways(
    table: &Table,
    index_use: &IndexUse,
    terms: &[Node],
    order: Option<&Ordering>,
) -> Vec<Access> {
    let mut candidates = Vec::with_capacity(table.indexes.len());
    for (index, definition) in table.indexes.iter().enumerate() {
        let (looks_up, orders) = (index_use.looks_up(index), index_use.orders(index));
        // What is not looked up is of use only for its order.
        let wanted = looks_up || orders && order.is_some();
        if definition.state != IndexState::Ready || !wanted && index > 0 {
            continue;
        }
        let terms_looked_up = if looks_up { terms } else { &[] };
        let candidate = consider(table, index, (terms, terms_looked_up), order, orders);
        if looks_up || index == 0 || candidate.access.kind == AccessKind::Index {
            candidates.push(candidate);
        }
    }
    let all = |candidate: &Candidate| candidate.access.kind == AccessKind::All;
    if index_use.is_forced() && !candidates.iter().all(all) {
        candidates.retain(|candidate| !all(candidate));
    }
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.score));
    candidates.into_iter().map(|candidate| candidate.access).collect()
}

/// The best way for a condition and an order.
pub fn plan_access(
    table: &Table,
    index_use: &IndexUse,
    terms: &[Node],
    order: Option<&Ordering>,
) -> Access {
    let best = ways(table, index_use, terms, order).into_iter().next();
    best.expect("all rows can be read")
}

/// What an index makes of some of the terms; `orders`: rows may come in its order.
fn consider(
    table: &Table,
    index: usize,
    (all_terms, terms): (&[Node], &[Node]),
    order: Option<&Ordering>,
    orders: bool,
) -> Candidate {
    let definition = &table.indexes[index];
    let mut used = vec![false; all_terms.len()];
    let mut equal = Vec::new();
    let mut between = None;
    let mut single = true;
    for part in &definition.parts {
        let exact = part.prefix.is_none();
        match find_equal(table, part.column, terms) {
            Some((position, lookup)) => {
                used[position] = exact;
                single &= !matches!(lookup, Lookup::Any(..));
                equal.push(lookup);
            }
            None => {
                between = find_between(part.column, exact, terms, &mut used);
                break;
            }
        }
    }
    let full = equal.len() == definition.parts.len() && !equal.is_empty();
    let one_row = full
        && definition.unique
        && single
        && equal.iter().all(|lookup| matches!(lookup, Lookup::One(..)))
        && definition.parts.iter().all(|part| part.prefix.is_none());
    let keys_ordered = single || equal.len() == 1 && between.is_none() && full && definition.unique;
    let (ordered, direction) = match order {
        None => (true, Direction::Forward),
        Some(_) if one_row => (true, Direction::Forward),
        Some(order) => {
            let wanted = if order.descending { Direction::Backward } else { Direction::Forward };
            let fits = orders && keys_ordered && gives_order(table, index, &equal, order);
            (fits, if fits { wanted } else { Direction::Forward })
        }
    };
    let kind = if one_row {
        AccessKind::Const
    } else if !equal.is_empty() && single && between.is_none() {
        AccessKind::Ref
    } else if !equal.is_empty() || between.is_some() {
        AccessKind::Range
    } else if order.is_some() && ordered && index > 0 {
        AccessKind::Index
    } else {
        AccessKind::All
    };
    let score = score(kind, equal.len(), &between, definition.unique, ordered, index);
    let left = all_terms.iter().zip(&used).filter(|(_, used)| !**used);
    let residual = left.map(|(term, _)| term.clone()).collect();
    Candidate {
        access: Access {
            index,
            equal,
            between,
            direction,
            ordered,
            residual,
            terms: all_terms.to_vec(),
            kind,
        },
        score,
    }
}

fn score(
    kind: AccessKind,
    equal: usize,
    between: &Option<Between>,
    unique: bool,
    ordered: bool,
    index: usize,
) -> u32 {
    let parts = equal as u32 * 10;
    let range = match between {
        Some(Between::Bounds(Some(_), Some(_)) | Between::Like(..)) => 6,
        Some(Between::Bounds(..)) => 4,
        Some(Between::NotNull) => 1,
        None => 0,
    };
    let base = match kind {
        AccessKind::Const => 10_000,
        AccessKind::Ref => 1_000 + 200 * u32::from(unique),
        AccessKind::Range if equal > 0 => 800,
        AccessKind::Range => 400,
        AccessKind::Index => 20,
        AccessKind::All => 10,
    };
    // An order for nothing is worth more than one more part of a range.
    base + parts + range + 5 * u32::from(ordered) + u32::from(index == 0)
}

/// `column = value`, `column IN (...)`, `column IS NULL`.
fn find_equal(table: &Table, column: usize, terms: &[Node]) -> Option<(usize, Lookup)> {
    let is_column = |node: &Node| matches!(node.kind, Kind::Column(c) if c == column);
    let free = |node: &Node| node.is_row_free();
    let collation = type_collation(&table.columns[column].ty);
    let usable = |rule: Collation| collation.is_none_or(|own| own == rule);
    terms.iter().enumerate().find_map(|(position, term)| match &term.kind {
        Kind::Compare(Comparison::Equal, a, b, rule) if usable(*rule) => {
            let value = match (is_column(a), is_column(b)) {
                (true, false) if free(b) => b,
                (false, true) if free(a) => a,
                _ => return None,
            };
            Some((position, Lookup::One((**value).clone(), *rule)))
        }
        Kind::InList(a, list, false, rule)
            if is_column(a) && usable(*rule) && list.iter().all(free) =>
        {
            let lookup = match list.as_slice() {
                [one] => Lookup::One(one.clone(), *rule),
                _ => Lookup::Any(list.clone(), *rule),
            };
            Some((position, lookup))
        }
        Kind::IsNull(a, false) if is_column(a) => Some((position, Lookup::Null)),
        _ => None,
    })
}

fn find_between(column: usize, exact: bool, terms: &[Node], used: &mut [bool]) -> Option<Between> {
    let is_column = |node: &Node| matches!(node.kind, Kind::Column(c) if c == column);
    let (mut low, mut high): (Option<Limit>, Option<Limit>) = (None, None);
    for (position, term) in terms.iter().enumerate() {
        match &term.kind {
            Kind::Compare(op, a, b, rule) => {
                let (op, value) = match (is_column(a), is_column(b)) {
                    (true, false) if b.is_row_free() => (*op, b),
                    (false, true) if a.is_row_free() => (op.mirrored(), a),
                    _ => continue,
                };
                let (end, inclusive) = match op {
                    Comparison::Greater => (&mut low, false),
                    Comparison::GreaterEqual => (&mut low, true),
                    Comparison::Less => (&mut high, false),
                    Comparison::LessEqual => (&mut high, true),
                    _ => continue,
                };
                if end.is_none() {
                    *end = Some(Limit { node: (**value).clone(), inclusive, rule: *rule });
                    used[position] = exact;
                }
            }
            Kind::Between(nodes, false, rule) => {
                let [a, from, to] = nodes.as_ref();
                let fits = is_column(a) && from.is_row_free() && to.is_row_free();
                if fits && low.is_none() && high.is_none() {
                    low = Some(Limit { node: from.clone(), inclusive: true, rule: *rule });
                    high = Some(Limit { node: to.clone(), inclusive: true, rule: *rule });
                    used[position] = exact;
                }
            }
            _ => {}
        }
    }
    if low.is_some() || high.is_some() {
        return Some(Between::Bounds(low, high));
    }
    terms.iter().find_map(|term| match &term.kind {
        Kind::Like(a, pattern, escape, false, rule)
            if is_column(a) && pattern.is_row_free() && type_collation(&a.ty) == Some(*rule) =>
        {
            Some(Between::Like((**pattern).clone(), *escape))
        }
        Kind::IsNull(a, true) if is_column(a) && a.nullable => Some(Between::NotNull),
        _ => None,
    })
}

/// Whether the index, with its leading parts fixed, is in the order asked for.
fn gives_order(table: &Table, index: usize, equal: &[Lookup], order: &Ordering) -> bool {
    let definition = &table.indexes[index];
    // With IN on the only part, ranges are sorted, so the order is that of the part itself.
    let fixed =
        if equal.iter().any(|lookup| matches!(lookup, Lookup::Any(..))) { 0 } else { equal.len() };
    let constant: Vec<usize> = definition.parts[..fixed].iter().map(|part| part.column).collect();
    let mut parts = definition.parts[fixed..].iter();
    let own: Vec<usize> = definition.parts.iter().map(|part| part.column).collect();
    let mut primary = table.indexes[0]
        .parts
        .iter()
        .filter(|part| !own.contains(&part.column))
        .map(|part| part.column);
    let mut behind_unique = false;
    for column in &order.columns {
        if constant.contains(column) || behind_unique {
            continue;
        }
        match parts.next() {
            Some(part) if part.column == *column && part.prefix.is_none() => {
                behind_unique = parts.len() == 0
                    && definition.unique
                    && definition.parts.iter().all(|part| !table.columns[part.column].nullable);
            }
            Some(_) => return false,
            // Behind a secondary index's own parts come those of the primary key.
            None if index > 0 && primary.next() == Some(*column) => {}
            None => return false,
        }
    }
    true
}

/// The ranges of one run, and whether the filter must check all terms.
pub struct Ranges {
    /// Ascending.
    pub ranges: Vec<KeyRange>,
    /// Whether the index was not narrowed as planned.
    pub all_terms: bool,
}

impl Access {
    /// Whether keys narrow what is read of the index.
    pub fn is_narrow(&self) -> bool {
        matches!(self.kind, AccessKind::Const | AccessKind::Ref | AccessKind::Range)
    }

    /// Whether literals alone say what is looked up.
    pub fn is_of_literals(&self) -> bool {
        let literal = |node: &Node| {
            let mut literal = true;
            node.visit(&mut |node| {
                literal &= !matches!(node.kind, Kind::Outer(..) | Kind::Subquery(_));
            });
            literal
        };
        let lookups = self.equal.iter().all(|lookup| match lookup {
            Lookup::One(node, _) => literal(node),
            Lookup::Any(nodes, _) => nodes.iter().all(literal),
            Lookup::Null => true,
        });
        lookups
            && match &self.between {
                None | Some(Between::NotNull) => true,
                Some(Between::Bounds(low, high)) => {
                    low.iter().chain(high).all(|limit| literal(&limit.node))
                }
                Some(Between::Like(node, _)) => literal(node),
            }
    }

    /// The filter that goes with the ranges.
    pub fn filter(&self, all_terms: bool) -> &[Node] {
        if all_terms { &self.terms } else { &self.residual }
    }

    /// The ranges for the values of one run.
    pub fn ranges(&self, table: &Table, scope: &Scope<'_>) -> Result<Ranges> {
        let whole = || Ranges { ranges: vec![table.index_range(self.index)], all_terms: true };
        let nothing = || Ranges { ranges: Vec::new(), all_terms: false };
        if self.equal.is_empty() && self.between.is_none() {
            return Ok(Ranges { all_terms: false, ..whole() });
        }
        // The usual case: one key.
        let mut prefixes: Vec<Vec<Value>> = vec![Vec::with_capacity(self.equal.len())];
        for (lookup, part) in self.equal.iter().zip(&table.indexes[self.index].parts) {
            let ty = &table.columns[part.column].ty;
            let values = match lookup {
                Lookup::Null => vec![Value::Null],
                Lookup::One(node, rule) => match one_key(node, ty, *rule, scope)? {
                    KeyValue::Exact(value) => vec![value],
                    KeyValue::Nothing => return Ok(nothing()),
                    KeyValue::Unusable => return Ok(whole()),
                },
                Lookup::Any(nodes, rule) => {
                    let mut values = Vec::with_capacity(nodes.len());
                    for node in nodes {
                        match one_key(node, ty, *rule, scope)? {
                            KeyValue::Exact(value) => values.push(value),
                            KeyValue::Nothing => {}
                            KeyValue::Unusable => return Ok(whole()),
                        }
                    }
                    values
                }
            };
            if prefixes.len().saturating_mul(values.len()) > LOOKUPS_MAX {
                return Ok(whole());
            }
            prefixes = extend(prefixes, values);
        }
        let mut ranges = Vec::with_capacity(prefixes.len());
        for prefix in &prefixes {
            let prefix: Vec<Datum<'_>> = prefix.iter().map(Value::as_datum).collect();
            match self.range(table, &prefix, scope)? {
                Narrowed::To(range) => ranges.push(range),
                Narrowed::Nothing => {}
                Narrowed::Not => return Ok(whole()),
            }
        }
        if ranges.len() > 1 {
            ranges.sort_by(|a, b| a.start.cmp(&b.start));
            ranges.dedup();
        }
        Ok(Ranges { ranges, all_terms: false })
    }

    fn range(&self, table: &Table, prefix: &[Datum<'_>], scope: &Scope<'_>) -> Result<Narrowed> {
        let Some(between) = &self.between else {
            return match table.prefix_range(self.index, prefix) {
                Ok(range) => Ok(Narrowed::To(range)),
                // No row has a key that is longer than keys can be.
                Err(rows::Error::TooLarge { .. }) => Ok(Narrowed::Nothing),
                Err(error) => Err(error.into()),
            };
        };
        let part = &table.indexes[self.index].parts[prefix.len()];
        let ty = &table.columns[part.column].ty;
        let (low, high) = match between {
            Between::NotNull => (Bound::Excluded(Value::Null), Bound::Unbounded),
            Between::Bounds(low, high) => {
                let mut ends = [Bound::Unbounded, Bound::Unbounded];
                for (n, limit) in [low, high].into_iter().enumerate() {
                    let Some(limit) = limit else { continue };
                    let cell = limit.node.evaluate(scope)?;
                    let bound = bound_key(
                        ty,
                        cell.datum(),
                        limit.inclusive || part.prefix.is_some(),
                        n == 0,
                        limit.rule,
                        scope.zone,
                    );
                    ends[n] = match bound {
                        KeyBound::Exact(bound) => bound,
                        KeyBound::Nothing => return Ok(Narrowed::Nothing),
                        KeyBound::Unusable => return Ok(Narrowed::Not),
                    };
                }
                let [low, high] = ends;
                (low, high)
            }
            Between::Like(node, escape) => {
                return like_range(table, self.index, prefix, ty, node, *escape, scope);
            }
        };
        // NOT NULL as a range: everything above NULL.
        if matches!(between, Between::NotNull) {
            let nulls: Vec<Datum<'_>> =
                prefix.iter().copied().chain(std::iter::once(Datum::Null)).collect();
            let nulls = table.prefix_range(self.index, &nulls)?;
            let all = match prefix.is_empty() {
                true => table.index_range(self.index),
                false => table.prefix_range(self.index, prefix)?,
            };
            return Ok(Narrowed::To(KeyRange { start: nulls.end, end: all.end }));
        }
        let range = table.between_range(
            self.index,
            prefix,
            low.as_ref().map(Value::as_datum),
            high.as_ref().map(Value::as_datum),
        )?;
        Ok(Narrowed::To(range))
    }
}

/// What became of an attempt to narrow the index.
enum Narrowed {
    To(KeyRange),
    Nothing,
    Not,
}

fn one_key(node: &Node, ty: &ColumnType, rule: Collation, scope: &Scope<'_>) -> Result<KeyValue> {
    let cell = node.evaluate(scope)?;
    Ok(equal_key(ty, cell.datum(), rule, scope.zone))
}

fn extend(prefixes: Vec<Vec<Value>>, values: Vec<Value>) -> Vec<Vec<Value>> {
    if let [_] = prefixes.as_slice()
        && values.len() == 1
    {
        let mut prefixes = prefixes;
        prefixes[0].extend(values);
        return prefixes;
    }
    let mut out = Vec::with_capacity(prefixes.len() * values.len());
    for prefix in &prefixes {
        for value in &values {
            let mut longer = prefix.clone();
            longer.push(value.clone());
            out.push(longer);
        }
    }
    out
}

/// The range of texts that begin as a LIKE pattern does.
fn like_range(
    table: &Table,
    index: usize,
    prefix: &[Datum<'_>],
    ty: &ColumnType,
    node: &Node,
    escape: Option<char>,
    scope: &Scope<'_>,
) -> Result<Narrowed> {
    let cell = node.evaluate(scope)?;
    let Datum::Bytes(pattern) = cell.datum() else {
        return Ok(if cell.is_null() { Narrowed::Nothing } else { Narrowed::Not });
    };
    let (text, _whole) = like_prefix(pattern, escape);
    let textual = matches!(
        ty,
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. }
    );
    // Trailing spaces do not count in keys, so they cannot narrow them.
    let text = std::str::from_utf8(&text).unwrap_or("").trim_end_matches(' ');
    if text.is_empty() || !textual {
        return Ok(Narrowed::Not);
    }
    let part = &table.indexes[index].parts[prefix.len()];
    let mut start = match prefix.is_empty() {
        true => table.index_range(index).start,
        false => table.prefix_range(index, prefix)?.start,
    };
    let nullable = table.columns[part.column].nullable;
    encode_text_prefix(ty, nullable, part.prefix, text.as_bytes(), &mut start);
    let end = successor(&start);
    Ok(Narrowed::To(KeyRange { start, end }))
}

/// The first key above all that begin with `prefix`; empty when there is none.
fn successor(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.last_mut() {
        if *last < 0xff {
            *last += 1;
            return end;
        }
        end.pop();
    }
    end
}
