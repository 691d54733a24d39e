//! What the terms of a condition say about the keys of an index.
//!
//! Terms of the form `column = value`, `column IN (values)` or `column IS NULL` fix leading parts;
//! one range may follow. Behind the parts of an index that is not unique come those of the primary
//! key: `a = 5 AND id < 100` is one range of (a). Where that is all that terms say, one `IndexKeys`
//! holds it. A term that joins several by OR can say more, if each of them does:
//!
//! ```text
//! k BETWEEN 1 AND 9 OR k BETWEEN 50 AND 59            two ranges of (k)
//! a < 5 OR a = 5 AND id < 100                         two ranges of (a, id)
//! kind = 7 AND (ended IS NULL OR ended > ?)           two ranges of (kind, ended)
//! ```
//!
//! Invariants
//! 1. Every row for which the terms hold is within one of the alternatives.
//! 2. A term is answered only if no row within the alternatives fails it.
//!
//! Not here: values as keys (`key`), which index is the best (`access`).

use expression::{Comparison, Kind, Node};
use rows::table::Table;
use values::types::Collation;

use super::partitions::PartitionTerms;
use super::ranges::LOOKUPS_MAX;
use crate::index_use::PartitionSet;
use crate::terms::push_terms;

/// In the place of a term's position: the terms say it together.
const OF_PARTITIONS: usize = usize::MAX;
/// Most alternatives of one OR.
const ALTERNATIVES_MAX: usize = 1024;

/// What a leading part of the index equals.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// One value, under a collation.
    One(Node, Collation),
    /// One of several.
    Any(Vec<Node>, Collation),
    /// NULL.
    Null,
    /// The row's partition is one of those that the terms leave.
    Partitions(PartitionTerms),
}

impl Lookup {
    /// Whether it is one value, also where that is NULL.
    pub fn is_single(&self) -> bool {
        match self {
            Lookup::One(..) | Lookup::Null => true,
            Lookup::Partitions(terms) => terms.is_one(),
            Lookup::Any(..) => false,
        }
    }
}

/// An end of a range.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The value.
    pub node: Node,
    /// Whether the value is within the range.
    pub inclusive: bool,
    /// The collation of the comparison.
    pub rule: Collation,
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

impl Between {
    /// How much it is thought to leave out, as a number that only compares.
    pub fn weight(&self) -> u32 {
        match self {
            Between::Bounds(Some(_), Some(_)) | Between::Like(..) => 6,
            Between::Bounds(..) => 4,
            Between::NotNull => 1,
        }
    }
}

/// Keys of an index: its leading parts, and the part behind them.
#[derive(Clone, Debug, Default)]
pub struct IndexKeys {
    /// Leading parts.
    pub equal: Vec<Lookup>,
    /// The part behind them.
    pub between: Option<Between>,
}

impl IndexKeys {
    /// Whether they are all keys.
    pub fn is_all(&self) -> bool {
        self.equal.is_empty() && self.between.is_none()
    }

    /// How many keys its lists name.
    pub fn lists(&self) -> f64 {
        let lists = self.equal.iter().map(|lookup| match lookup {
            Lookup::Any(nodes, _) => nodes.len() as f64,
            Lookup::Partitions(terms) => terms.count(),
            _ => 1.0,
        });
        lists.product()
    }

    /// How narrow they are, as numbers that only compare.
    pub fn weight(&self) -> (usize, u32) {
        (self.parts(), self.between.as_ref().map_or(0, Between::weight))
    }

    /// How many parts of the index's definition equal something.
    pub fn parts(&self) -> usize {
        self.equal.len() - usize::from(self.partitions().is_some())
    }

    /// What is said of partitions, of a table that has some.
    pub fn partitions(&self) -> Option<&PartitionTerms> {
        match self.equal.first() {
            Some(Lookup::Partitions(terms)) => Some(terms),
            _ => None,
        }
    }

    /// All values that are looked up.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        let of_partitions = self.partitions().map(PartitionTerms::nodes).unwrap_or_default();
        let looked_up = self.equal.iter().flat_map(|lookup| match lookup {
            Lookup::One(node, _) => std::slice::from_ref(node),
            Lookup::Any(nodes, _) => nodes,
            Lookup::Null | Lookup::Partitions(_) => &[],
        });
        let looked_up = of_partitions.into_iter().chain(looked_up);
        let between = match &self.between {
            Some(Between::Bounds(low, high)) => [low.as_ref(), high.as_ref()],
            _ => [None, None],
        };
        let like = match &self.between {
            Some(Between::Like(node, _)) => Some(node),
            _ => None,
        };
        looked_up.chain(between.into_iter().flatten().map(|limit| &limit.node)).chain(like)
    }
}

/// What terms say about the keys of an index.
pub struct KeyTerms {
    /// Its alternatives, never none.
    pub keys: Vec<IndexKeys>,
    /// Which terms are answered by it, by position.
    pub answered: Vec<bool>,
    /// How many leading parts have the same single value in all alternatives.
    pub fixed: usize,
}

/// What `terms`, all of which must hold, say about the keys of an index.
///
/// In a table with partitions every alternative begins with those that are left, of the named ones.
pub fn said(table: &Table, index: usize, terms: &[Node], named: Option<&PartitionSet>) -> KeyTerms {
    let all: Vec<&Node> = terms.iter().collect();
    let plain = Alternative::of(table, index, &all, named);
    let branches = terms.iter().enumerate().find_map(|(position, term)| {
        let Kind::Or(branches) = &term.kind else { return None };
        Some((position, plain.branched(table, index, &all, branches, named)?))
    });
    let is_single = |lookup: &&Lookup| match lookup {
        Lookup::Any(..) => false,
        Lookup::Partitions(terms) => terms.is_one(),
        Lookup::One(..) | Lookup::Null => true,
    };
    let mut fixed = plain.keys.equal.iter().take_while(is_single).count();
    let Some((position, branches)) = branches else {
        return KeyTerms { keys: vec![plain.keys], answered: plain.answered, fixed };
    };
    let mut answered = vec![true; terms.len()];
    let mut or_answered = true;
    for branch in &branches {
        let (own, others) = branch.answered.split_at(branch.answered.len() - terms.len());
        answered.iter_mut().zip(others).for_each(|(all, one)| *all &= one);
        or_answered &= own.iter().all(|answered| *answered);
        let is_same = |at: &usize| {
            branch.fixing[*at].checked_sub(own.len()) == Some(plain.fixing[*at])
                || plain.fixing[*at] == OF_PARTITIONS
        };
        fixed = (0..fixed).take_while(is_same).count();
    }
    answered[position] = or_answered;
    KeyTerms { keys: branches.into_iter().map(|branch| branch.keys).collect(), answered, fixed }
}

/// What one list of terms says.
struct Alternative {
    keys: IndexKeys,
    /// Which terms fixed the leading parts, by position.
    fixing: Vec<usize>,
    answered: Vec<bool>,
}

impl Alternative {
    fn of(
        table: &Table,
        index: usize,
        terms: &[&Node],
        named: Option<&PartitionSet>,
    ) -> Alternative {
        let mut found = Alternative {
            keys: IndexKeys::default(),
            fixing: Vec::new(),
            answered: vec![false; terms.len()],
        };
        let mut lookups = 1usize;
        let own = table.codecs[index].parts.len();
        for (number, part) in table.key_parts(index).enumerate() {
            if number == 0
                && table.partition_column() == Some(part.column)
                && let Some(partitions) = PartitionTerms::of(table, terms, named)
            {
                found.fixing.push(OF_PARTITIONS);
                found.keys.equal.push(Lookup::Partitions(partitions));
                continue;
            }
            let exact = part.prefix.is_none();
            let Some((position, lookup)) = find_equal(table, part.column, terms) else {
                found.keys.between = find_between(part.column, exact, terms, &mut found.answered);
                break;
            };
            if let Lookup::Any(nodes, _) = &lookup {
                // A few rows of one value are rather looked at than looked up one by one.
                if number >= own {
                    break;
                }
                lookups = lookups.saturating_mul(nodes.len());
                if lookups > LOOKUPS_MAX {
                    break;
                }
            }
            found.answered[position] = exact;
            found.fixing.push(position);
            found.keys.equal.push(lookup);
        }
        found
    }

    /// What each branch of an OR says together with `terms`; `None` unless each says more than
    /// `self`, which they say without it. Positions: the branch's own terms, then the others.
    fn branched(
        &self,
        table: &Table,
        index: usize,
        terms: &[&Node],
        branches: &[Node],
        named: Option<&PartitionSet>,
    ) -> Option<Vec<Alternative>> {
        if branches.len() > ALTERNATIVES_MAX {
            return None;
        }
        let each = |branch: &Node| {
            let mut own = Vec::new();
            push_terms(branch.clone(), &mut own);
            let all: Vec<&Node> = own.iter().chain(terms.iter().copied()).collect();
            let found = Alternative::of(table, index, &all, named);
            (found.keys.weight() > self.keys.weight()).then_some(found)
        };
        branches.iter().map(each).collect()
    }
}

/// `column = value`, `column IN (...)`, `column IS NULL`.
pub(super) fn find_equal(table: &Table, column: usize, terms: &[&Node]) -> Option<(usize, Lookup)> {
    let is_column = |node: &Node| matches!(node.kind, Kind::Column(c) if c == column);
    let free = |node: &Node| node.is_row_free();
    let collation = table.columns[column].ty.collation();
    let usable = |rule: Collation| collation.is_none_or(|own| own.orders_as(rule));
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
            let lookup = match &**list {
                [one] => Lookup::One(one.clone(), *rule),
                _ => Lookup::Any(list.to_vec(), *rule),
            };
            Some((position, lookup))
        }
        Kind::IsNull(a, false) if is_column(a) => Some((position, Lookup::Null)),
        _ => None,
    })
}

pub(super) fn find_between(
    column: usize,
    exact: bool,
    terms: &[&Node],
    answered: &mut [bool],
) -> Option<Between> {
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
                    answered[position] = exact;
                }
            }
            Kind::Between(nodes, false, rule) => {
                let [a, from, to] = nodes.as_ref();
                let fits = is_column(a) && from.is_row_free() && to.is_row_free();
                if fits && low.is_none() && high.is_none() {
                    low = Some(Limit { node: from.clone(), inclusive: true, rule: *rule });
                    high = Some(Limit { node: to.clone(), inclusive: true, rule: *rule });
                    answered[position] = exact;
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
            if is_column(a)
                && pattern.is_row_free()
                && a.ty.collation().is_some_and(|own| own.orders_as(*rule)) =>
        {
            Some(Between::Like((**pattern).clone(), *escape))
        }
        Kind::IsNull(a, true) if is_column(a) && a.nullable => Some(Between::NotNull),
        _ => None,
    })
}
