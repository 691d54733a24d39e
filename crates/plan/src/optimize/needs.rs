//! Which columns a SELECT needs of each relation, whatever way leads to its rows: an index that
//! holds them all, and answers the other terms by itself, makes reading rows needless.
//!
//! Some columns are needed only as far as they compare: as all that is grouped by, in comparisons
//! by their own collation, in tests for NULL.
//!
//! Invariants
//! 1. What is not named here is used by terms of one relation alone, which its way checks.
//!
//! Not here: which index (`access`).

use expression::{Kind, Node, parts_of};

use crate::terms::can_be_local;
use crate::tree::{AggregateFunction, Join, Select};

/// Columns of one relation.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Needed as they are.
    pub exact: Vec<usize>,
    /// Needed up to what compares as equal.
    pub alike: Vec<usize>,
}

impl Columns {
    /// Adds what an expression over this relation's own row uses.
    pub fn add_local(&mut self, node: &Node) {
        uses(node, &mut |column, exact| self.add(column, exact));
    }

    fn add(&mut self, column: usize, exact: bool) {
        let columns = if exact { &mut self.exact } else { &mut self.alike };
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
}

/// Needed columns of each relation, by number.
pub struct Needs(Vec<Columns>);

impl Needs {
    /// Of a SELECT whose joins and conditions are as they were written.
    pub fn of(select: &Select) -> Needs {
        // Above window functions outputs are over their row.
        let above = match &select.windowing {
            Some(windowing) => &windowing.inputs,
            None => &select.outputs,
        };
        Needs::with_outputs(select, above.iter())
    }

    /// The same, of outputs only these.
    pub fn with_outputs<'n>(select: &'n Select, outputs: impl Iterator<Item = &'n Node>) -> Needs {
        let mut needs = Needs(vec![Columns::default(); select.relations.len()]);
        match &select.grouping {
            Some(grouping) => {
                match (grouping.keys.as_slice(), select.relations.as_slice()) {
                    // Rows that are equal in it are one group, whichever of them it shows.
                    ([key], [_]) => needs.add_compared(key),
                    (keys, _) => keys.iter().for_each(|key| needs.add(key)),
                }
                grouping.others.iter().for_each(|node| needs.add(node));
                for aggregate in &grouping.aggregates {
                    // Whether it is NULL, is all that is counted.
                    if aggregate.function == AggregateFunction::Count && !aggregate.distinct {
                        aggregate.arguments.iter().for_each(|node| needs.add_compared(node));
                        continue;
                    }
                    let sorted = aggregate.order.iter().map(|(node, _)| node);
                    aggregate.arguments.iter().chain(sorted).for_each(|node| needs.add(node));
                }
            }
            None => {
                // Of rows that are equal in it one is shown, whichever.
                let is_one = select.distinct && select.windowing.is_none();
                match (is_one, select.outputs.as_slice(), select.relations.as_slice()) {
                    (true, [output], [_]) => needs.add_compared(output),
                    _ => outputs.for_each(|node| needs.add(node)),
                }
                select.having.iter().for_each(|node| needs.add(node));
            }
        }
        let lateral = select.relations.iter().filter_map(|relation| relation.lateral.as_ref());
        let seen = lateral.flat_map(|names| &names.slots);
        seen.for_each(|slot| needs.add_slot(*slot, true));
        let mut filled = 0;
        if let Some(join) = &select.join {
            needs.add_terms_of(join, &mut filled);
        }
        for term in &select.conditions {
            needs.add_term(term, filled);
        }
        needs
    }

    /// Adds what an expression over joined rows uses.
    pub fn add_output(&mut self, node: &Node) {
        self.add(node);
    }

    /// Of one relation.
    pub fn of_relation(&self, number: usize) -> &Columns {
        &self.0[number]
    }

    fn add(&mut self, node: &Node) {
        uses(node, &mut |slot, exact| self.add_slot(slot, exact));
    }

    /// A column that is only compared with itself, or whatever else.
    fn add_compared(&mut self, node: &Node) {
        match node.kind {
            Kind::Column(slot) => self.add_slot(slot, false),
            _ => self.add(node),
        }
    }

    fn add_slot(&mut self, slot: usize, exact: bool) {
        let (relation, column) = parts_of(slot);
        self.0[relation].add(column, exact);
    }

    /// A term, unless it is of one relation alone. Terms over what an outer join fills with NULLs
    /// (`filled`) are also checked behind it.
    fn add_term(&mut self, term: &Node, filled: u64) {
        let mut relations = 0u64;
        uses(term, &mut |slot, _| relations |= 1 << parts_of(slot).0);
        if relations.count_ones() > 1 || relations & filled != 0 || !can_be_local(term) {
            self.add(term);
        }
    }

    fn add_terms_of(&mut self, join: &Join, filled: &mut u64) {
        match join {
            Join::Relation(_) => {}
            Join::Inner(members, terms) => {
                members.iter().for_each(|member| self.add_terms_of(member, filled));
                terms.iter().for_each(|term| self.add_term(term, *filled));
            }
            Join::Straight(left, right, terms) => {
                self.add_terms_of(left, filled);
                self.add_terms_of(right, filled);
                terms.iter().for_each(|term| self.add_term(term, *filled));
            }
            Join::Left(left, right, terms) => {
                self.add_terms_of(left, filled);
                self.add_terms_of(right, filled);
                *filled |= right.relations();
                terms.iter().for_each(|term| self.add_term(term, u64::MAX));
            }
        }
    }
}

/// Calls `each` with every column that an expression uses, and whether as it is.
fn uses(node: &Node, each: &mut dyn FnMut(usize, bool)) {
    match &node.kind {
        Kind::Column(column) => each(*column, true),
        Kind::Compare(_, a, b, rule) => {
            let by_own = |node: &Node| node.ty.collation() == Some(*rule);
            let alike = by_own(a) && by_own(b);
            for side in [a, b] {
                match side.kind {
                    Kind::Column(column) if alike => each(column, false),
                    _ => uses(side, each),
                }
            }
        }
        Kind::InList(a, list, _, rule) => {
            let by_own = |node: &Node| node.ty.collation() == Some(*rule);
            match a.kind {
                Kind::Column(column) if by_own(a) && list.iter().all(by_own) => each(column, false),
                _ => uses(a, each),
            }
            list.iter().for_each(|node| uses(node, each));
        }
        Kind::IsNull(a, _) => match a.kind {
            Kind::Column(column) => each(column, false),
            _ => uses(a, each),
        },
        Kind::Subquery(subquery) => {
            for (level, slot) in &subquery.free {
                if *level == 1 {
                    each(*slot, true);
                }
            }
            node.each_child(&mut |child| uses(child, each));
        }
        _ => node.each_child(&mut |child| uses(child, each)),
    }
}
