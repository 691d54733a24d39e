//! Functional dependence: which columns are the same in all rows of a group.
//!
//! Those of GROUP BY are, and what follows from them, until nothing more does: all columns of a
//! table of which a unique key is known, columns that WHERE or ON equates with known ones or with
//! constants, computed columns, and what a derived table makes of known ones. Rules are those of
//! MySQL 9.7 (its manual, 14.19.4, and its answers: tests/oracle/sql/full-groups.sql); SQL:2011
//! calls them T301.
//!
//! Invariants
//! 1. The *weak* relations of a condition are those that the outer join which it is the ON of fills
//!    with NULLs: only their columns follow from it. A WHERE has none.
//! 2. Above ROLLUP nothing follows: any key may be NULL there.
//!
//! Not here: which expressions are asked about, and what is said of those that fail (`full_group`).

use std::collections::BTreeSet;

use expression::{Comparison, Kind, Node, parts_of, slot};

use crate::optimize::{is_unique_key_of, simplified};
use crate::terms::{columns_of, has_subquery, is_volatile, references, rejected};
use crate::tree::{Body, Grouping, Join, Query, Relation, Select, Source};

/// What is known of a SELECT's columns within a group.
pub(super) struct Dependence<'a> {
    relations: &'a [Relation],
    /// FROM.
    join: Option<&'a Join>,
    conditions: &'a [Node],
    /// Single columns, by slot.
    columns: BTreeSet<usize>,
    /// Relations of which all columns are known, as a set of bits.
    whole: u64,
    /// Columns that a condition lets be no NULL, by slot.
    never_null: BTreeSet<usize>,
    /// Relations that an outer join may fill with NULLs, as a set of bits.
    weak: u64,
    /// Whether all that follows is found.
    is_closed: bool,
}

/// WHERE with the ON of inner joins, or the ON of an outer join with those of the inner joins on
/// its weak side.
struct Condition<'t> {
    terms: Vec<&'t Node>,
    /// As a set of bits.
    weak: u64,
    /// Whether another outer join may fill all of it with NULLs.
    is_beneath: bool,
}

impl<'a> Dependence<'a> {
    /// What follows from the keys of a SELECT.
    pub fn of_keys(
        relations: &'a [Relation],
        join: Option<&'a Join>,
        conditions: &'a [Node],
        keys: &[Node],
    ) -> Dependence<'a> {
        let mut dependence = Dependence::new(relations, join, conditions);
        dependence.columns.extend(keys.iter().filter_map(column));
        dependence
    }

    fn new(
        relations: &'a [Relation],
        join: Option<&'a Join>,
        conditions: &'a [Node],
    ) -> Dependence<'a> {
        Dependence {
            relations,
            join,
            conditions,
            weak: 0,
            columns: BTreeSet::new(),
            whole: 0,
            never_null: BTreeSet::new(),
            is_closed: false,
        }
    }

    /// Whether a column is the same in all rows of a group.
    pub fn determines(&mut self, slot: usize) -> bool {
        if !self.is_closed {
            self.close();
        }
        self.knows(slot)
    }

    fn knows(&self, slot: usize) -> bool {
        self.whole >> parts_of(slot).0 & 1 == 1 || self.columns.contains(&slot)
    }

    fn close(&mut self) {
        self.is_closed = true;
        // Outer joins whose NULLs are rejected are inner ones.
        let without = self.conditions.iter().fold(0, |all, term| all | rejected(term));
        let join = self.join.map(|join| simplified(join.clone(), without));
        self.weak = join.as_ref().map_or(0, Join::nullable);
        let mut outer = Vec::new();
        let mut terms: Vec<&Node> = self.conditions.iter().collect();
        if let Some(join) = &join {
            conditions_of(join, 0, &mut terms, &mut outer);
        }
        outer.push(Condition { terms, weak: 0, is_beneath: false });
        loop {
            let before = (self.columns.len(), self.whole, self.never_null.len());
            for (number, relation) in self.relations.iter().enumerate() {
                if self.whole >> number & 1 == 0 {
                    self.follow_relation(number, relation);
                }
            }
            for condition in &outer {
                condition.terms.iter().for_each(|term| self.follow_term(condition, term));
            }
            if before == (self.columns.len(), self.whole, self.never_null.len()) {
                return;
            }
        }
    }

    /// What follows within a relation from those of its columns that are known.
    fn follow_relation(&mut self, number: usize, relation: &Relation) {
        match &relation.source {
            Source::Table(table) => {
                let is_known = |at: usize| {
                    let slot = slot(number, at);
                    let never_null = !table.columns[at].nullable || self.never_null.contains(&slot);
                    never_null && self.columns.contains(&slot)
                };
                if table.indexes.iter().any(|index| is_unique_key_of(index, is_known)) {
                    self.whole |= 1 << number;
                    return;
                }
                // Filled with NULLs, a computed column is NULL whatever it would be computed as.
                let computed = match table.rules() {
                    Ok(Some(rules)) if self.weak >> number & 1 == 0 => rules.computed.as_slice(),
                    _ => &[],
                };
                for (at, node) in computed {
                    if columns_of(node).iter().all(|own| self.knows(slot(number, *own))) {
                        self.columns.insert(slot(number, *at));
                    }
                }
            }
            Source::Query(query) => {
                let known: Vec<usize> =
                    (0..query.columns.len()).filter(|at| self.knows(slot(number, *at))).collect();
                // A row of NULLs is told from one of the query by a column that is never NULL.
                let is_told = |at: &usize| !query.columns[*at].nullable;
                if known.is_empty() || self.weak >> number & 1 == 1 && !known.iter().any(is_told) {
                    return;
                }
                let follows = outputs_from(query, &known);
                self.columns.extend(follows.into_iter().map(|at| slot(number, at)));
            }
            Source::Added(_) | Source::Listing(_) | Source::File(_) => {}
        }
    }

    /// What follows from one of a condition's terms.
    fn follow_term(&mut self, condition: &Condition<'_>, term: &Node) {
        match &term.kind {
            Kind::Compare(Comparison::Equal, a, b, _) => self.equate(condition, a, b),
            Kind::InList(a, list, false, _) if list.len() == 1 => {
                self.equate(condition, a, &list[0]);
            }
            _ => {}
        }
        let rejected = rejected(term);
        let mut within = term;
        while let Kind::Not(inner) | Kind::IsTruth(inner, ..) = &within.kind {
            within = inner;
        }
        let mut note = |operand: &Node| {
            if let Some(slot) = column(operand) {
                let relation = 1 << parts_of(slot).0;
                let counts = condition.weak == 0 || condition.weak & relation != 0;
                if rejected & relation != 0 && counts && self.knows(slot) {
                    self.never_null.insert(slot);
                }
            }
        };
        note(within);
        within.each_child(&mut note);
    }

    /// What follows from an equation: one side, a column, is what the other one is.
    fn equate(&mut self, condition: &Condition<'_>, a: &Node, b: &Node) {
        let in_weak = |slot: usize| condition.weak >> parts_of(slot).0 & 1 == 1;
        let may_follow = |dependence: &Self, side: &Node| {
            let slot = column(side)?;
            let counts = condition.weak == 0 || in_weak(slot);
            (counts && !dependence.knows(slot)).then_some(slot)
        };
        let (follows, source) = match (may_follow(self, b), may_follow(self, a)) {
            (Some(slot), _) => (slot, a),
            (None, Some(slot)) => (slot, b),
            (None, None) => return,
        };
        let is_known = match column(source) {
            Some(slot) if in_weak(slot) => {
                if self.knows(slot) {
                    self.columns.insert(follows);
                }
                return;
            }
            Some(slot) => self.knows(slot),
            None => is_same_for_all(source),
        };
        if is_known && (condition.weak == 0 || self.is_decided(condition)) {
            self.columns.insert(follows);
        }
    }

    /// Whether all rows of a group find partners by an outer join's ON, or none does: the rest of
    /// the condition is about known columns as well.
    fn is_decided(&self, condition: &Condition<'_>) -> bool {
        let strong = !condition.weak;
        let terms = &condition.terms;
        let rejected = terms.iter().fold(0, |all, term| all | rejected(term));
        if condition.is_beneath && rejected & strong == 0 {
            return false;
        }
        terms.iter().all(|term| {
            let is_strong = |slot: &usize| condition.weak >> parts_of(*slot).0 & 1 == 0;
            !is_volatile(term)
                && !has_subquery(term)
                && columns_of(term).iter().filter(|slot| is_strong(slot)).all(|s| self.knows(*s))
        })
    }
}

/// The columns of a derived table that follow from some of them, by position.
fn outputs_from(query: &Query, known: &[usize]) -> Vec<usize> {
    let Body::Select(select) = &query.body else { return Vec::new() };
    if select.windowing.is_some() {
        return Vec::new();
    }
    let Select { relations, join, conditions, outputs, .. } = &**select;
    let mut inner = Dependence::new(relations, join.as_ref(), conditions);
    match &select.grouping {
        None => {
            inner.columns.extend(known.iter().filter_map(|at| column(&outputs[*at])));
            let follows = |at: &usize| follows_from(&outputs[*at], |slot| inner.determines(slot));
            (0..select.visible).filter(follows).collect()
        }
        Some(grouping) if grouping.rollup => Vec::new(),
        Some(grouping) => {
            let Grouping { keys, aggregates, others, .. } = grouping;
            let given: Vec<usize> = known.iter().filter_map(|at| column(&outputs[*at])).collect();
            let of_row = |position: usize| match position.checked_sub(keys.len() + aggregates.len())
            {
                Some(at) => others.get(at),
                None => keys.get(position),
            };
            let slots = given.iter().filter_map(|position| column(of_row(*position)?));
            inner.columns.extend(slots);
            let mut is_known = |position: usize| {
                given.contains(&position)
                    || of_row(position).and_then(column).is_some_and(|slot| inner.determines(slot))
            };
            // A group has one row.
            if (0..keys.len()).all(&mut is_known) {
                return (0..select.visible).collect();
            }
            (0..select.visible).filter(|at| follows_from(&outputs[*at], &mut is_known)).collect()
        }
    }
}

/// Whether an expression is made of known columns alone.
fn follows_from(node: &Node, mut is_known: impl FnMut(usize) -> bool) -> bool {
    !is_volatile(node) && !has_subquery(node) && columns_of(node).into_iter().all(&mut is_known)
}

/// Whether a value is the same for all rows of an execution, as MySQL sees it before it executes
/// anything: a sub-query and a user variable are not.
fn is_same_for_all(node: &Node) -> bool {
    references(node) == 0 && !is_volatile(node) && !has_subquery(node)
}

/// The slot that an expression is, if it is no more than a column.
fn column(node: &Node) -> Option<usize> {
    match &node.kind {
        Kind::Column(slot) => Some(*slot),
        _ => None,
    }
}

/// Takes a join apart: terms of inner joins are added to those of what is around them, an outer
/// join is a condition of its own. `weak`: the relations of the outer join around, if there is one.
fn conditions_of<'t>(
    join: &'t Join,
    weak: u64,
    terms: &mut Vec<&'t Node>,
    outer: &mut Vec<Condition<'t>>,
) {
    match join {
        Join::Relation(_) => {}
        Join::Inner(members, own) => {
            members.iter().for_each(|member| conditions_of(member, weak, terms, outer));
            terms.extend(own);
        }
        Join::Straight(left, right, own) => {
            conditions_of(left, weak, terms, outer);
            conditions_of(right, weak, terms, outer);
            terms.extend(own);
        }
        Join::Left(left, right, own) => {
            conditions_of(left, weak, terms, outer);
            let mut own: Vec<&Node> = own.iter().collect();
            let theirs = right.relations();
            conditions_of(right, theirs, &mut own, outer);
            outer.push(Condition { terms: own, weak: theirs, is_beneath: weak != 0 });
        }
    }
}
