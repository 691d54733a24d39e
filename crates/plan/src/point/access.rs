//! Which index answers a condition, and what is looked up in it.
//!
//! A condition is a list of terms joined by AND. What they say about the keys of each index is
//! looked up there (`lookup`); what the index answers exactly leaves the filter; everything else
//! stays there.
//!
//! Invariants
//! 1. Values are known only when the statement runs: whether an index can look them up is seen
//!    then (`ranges`).
//!
//! Not here: reading (`gather`).

use std::sync::Arc;

use expression::{Comparison, Function, Kind, Node, Scope};
use rows::schema::IndexState;
use rows::store::Direction;
use rows::table::{Covering, PartCodec, Table};
use values::datum::Value;

use super::array::{ArrayLookup, array_lookups};
use super::lookup::{IndexKeys, KeyTerms, Lookup, said};
use super::ordering::Ordering;
use super::partitions::PartitionTerms;
use crate::index_use::{IndexUse, PartitionSet};
use crate::terms::{columns_of, has_subquery, is_volatile, push_terms};
use results::Result;

/// Most indexes, or ranges of them, that one OR is looked up in.
const MERGED_MAX: usize = 32;

/// Most partitions whose rows are merged for the sake of their order.
const PARTITIONS_MERGED_MAX: usize = 256;

/// How MySQL's EXPLAIN names the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// One row by a unique key.
    Const,
    /// Rows of one key of an index.
    Ref,
    /// Ranges of an index, or several keys.
    Range,
    /// Ranges of several indexes, each for a part of the rows.
    Merge,
    /// Rows that a full-text search finds, the most relevant first.
    FullText,
    /// Rows that have an element, or one of some, by a multi-valued index.
    MultiValued,
    /// All of an index, in its order.
    Index,
    /// All rows.
    All,
}

/// The way to the rows.
#[derive(Clone, Debug)]
pub struct Access {
    /// Which index.
    pub index: usize,
    /// The keys that are looked up, as alternatives; never none.
    pub keys: Vec<IndexKeys>,
    /// Further indexes, for rows that this one does not find.
    pub others: Vec<Other>,
    /// With others: the condition whose rows each index finds. A row counts at the first that
    /// holds.
    pub branches: Vec<Node>,
    /// Direction of reading.
    pub direction: Direction,
    /// Whether rows come in the order that was asked for.
    pub ordered: bool,
    /// The ranges, each of one value of so many leading parts, are read together, in the order of
    /// what is behind these parts.
    pub merged_behind: Option<usize>,
    /// What the index does not answer.
    pub residual: Vec<Node>,
    /// What of that its entries tell before their rows are read, if there is such.
    pub by_entry: Option<EntryTerms>,
    /// All terms, for when it cannot be used after all.
    pub terms: Vec<Node>,
    /// How EXPLAIN names it.
    pub kind: AccessKind,
    /// The term whose rows a full-text search finds: MATCH.
    pub search: Option<Box<Node>>,
    /// What is looked up in a multi-valued index.
    pub array: Option<Box<ArrayLookup>>,
}

/// Terms that an index does not answer, divided by what tells whether they hold.
#[derive(Clone, Debug)]
pub struct EntryTerms {
    /// How entries tell the columns of `told`.
    pub covering: Arc<Covering>,
    /// Those that an entry tells.
    told: Vec<Node>,
    /// Those that its row is read for.
    rest: Vec<Node>,
}

/// What the terms of a way are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowCandidate {
    /// An entry whose row is not read yet: only terms that it tells.
    Entry,
    /// The row of an entry that was asked: the other terms.
    RowOfEntry,
    /// A row that a part of the ranges has found: all terms.
    Row(usize),
}

/// Another index that finds a part of the rows.
#[derive(Clone, Debug)]
pub struct Other {
    /// Which one.
    pub index: usize,
    /// The keys that are looked up, as alternatives; never none.
    pub keys: Vec<IndexKeys>,
}

/// How rows are read, which says which ways can be used and what they cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReaderKind {
    /// Row by row, one range after the other.
    ByRange,
    /// Row by row, also several ranges together for the sake of their order.
    Merging,
    /// In batches of many rows, divided among workers: in no order, and from one index.
    InBatches,
}

/// What an index makes of a condition.
struct Candidate {
    access: Access,
    /// Higher is better.
    score: u32,
}

/// The way of each index that may be used by who reads so, the one that is best without a look at
/// the rows first; never none.
pub fn ways(
    table: &Table,
    index_use: &IndexUse,
    terms: &[Node],
    order: Option<&Ordering>,
    reader: ReaderKind,
) -> Vec<Access> {
    let mut candidates = Vec::with_capacity(table.indexes.len());
    let search = match (table.full_texts.is_empty(), reader) {
        (true, _) | (_, ReaderKind::InBatches) => None,
        _ => full_text(table, terms),
    };
    for (index, definition) in table.indexes.iter().enumerate() {
        let (looks_up, orders) = (index_use.looks_up(index), index_use.orders(index));
        // What is not looked up is of use only for its order.
        let wanted = looks_up || orders && order.is_some();
        if definition.state != IndexState::Ready || !wanted && index > 0 {
            continue;
        }
        let terms_looked_up = if looks_up { terms } else { &[] };
        let orders = match (orders, reader) {
            (false, _) | (true, ReaderKind::InBatches) => Orders::Never,
            (true, ReaderKind::ByRange) => Orders::ByRange,
            (true, ReaderKind::Merging) => Orders::Merged,
        };
        let terms = (terms, terms_looked_up);
        let candidate = consider(table, index, terms, order, orders, index_use.partitions());
        if looks_up || index == 0 || candidate.access.kind == AccessKind::Index {
            candidates.push(candidate);
        }
    }
    let is_const = |candidate: &Candidate| candidate.access.kind == AccessKind::Const;
    if let Some(search) = search.filter(|_| !candidates.iter().any(is_const)) {
        // As in MySQL, where nothing but one row is better, whatever the indexes are.
        return vec![search];
    }
    if reader != ReaderKind::InBatches {
        let lookups = array_lookups(table, index_use, terms);
        candidates
            .extend(lookups.into_iter().map(|lookup| by_array(table, index_use, terms, lookup)));
        candidates.extend(merged(table, index_use, terms));
    }
    let all = |candidate: &Candidate| candidate.access.kind == AccessKind::All;
    if index_use.is_forced() && !candidates.iter().all(all) {
        candidates.retain(|candidate| !all(candidate));
    }
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.score));
    candidates.into_iter().map(|candidate| candidate.access).collect()
}

/// The rows that a full-text search finds, if there is one among the terms.
fn full_text(table: &Table, terms: &[Node]) -> Option<Access> {
    let search = terms.iter().find_map(|term| {
        let (term, bound) = match &term.kind {
            Kind::Compare(Comparison::Greater, one, other, _) => (&**one, Some(other)),
            Kind::Compare(Comparison::Less, one, other, _) => (&**other, Some(one)),
            _ => (term, None),
        };
        // What is not found has no relevance.
        let excludes_rest = |bound: &Node| match &bound.kind {
            Kind::Constant(Value::Int(0..) | Value::UInt(_)) => true,
            Kind::Constant(Value::Decimal(bound)) => bound.to_f64() >= 0.0,
            Kind::Constant(Value::Double(bound)) => *bound >= 0.0,
            _ => false,
        };
        full_text_of(table, term)?;
        bound.is_none_or(|bound| excludes_rest(bound)).then(|| term.clone())
    })?;
    let found = consider(table, 0, (terms, &[]), None, Orders::Never, None).access;
    let (kind, search) = (AccessKind::FullText, Some(Box::new(search)));
    Some(Access { kind, search, ordered: false, ..found })
}

/// The way by a multi-valued index.
fn by_array(table: &Table, index_use: &IndexUse, terms: &[Node], lookup: ArrayLookup) -> Candidate {
    // Where elements cannot be looked up after all, the rows that are named are read.
    let named = index_use.partitions();
    let found = consider(table, 0, (terms, &[]), None, Orders::Never, named).access;
    let kind = AccessKind::MultiValued;
    let score = score(kind, (lookup.parts(), 0), false, false, 1);
    let array = Some(Box::new(lookup));
    Candidate { access: Access { kind, array, ordered: false, ..found }, score }
}

/// The full-text index that MATCH over columns of the row at hand is of.
fn full_text_of(table: &Table, term: &Node) -> Option<usize> {
    let Kind::Call(Function::MatchAgainst, arguments) = &term.kind else { return None };
    let own = |column: &Node| match column.kind {
        Kind::Column(at) => Some(at),
        _ => None,
    };
    let columns: Option<Vec<usize>> = arguments.iter().skip(1).map(own).collect();
    table.full_text_of(&columns?)
}

/// Whether rows may come in the order of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Orders {
    Never,
    /// One range after the other.
    ByRange,
    /// Also several together.
    Merged,
}

/// What an index makes of some of the terms.
fn consider(
    table: &Table,
    index: usize,
    (all_terms, terms): (&[Node], &[Node]),
    order: Option<&Ordering>,
    orders: Orders,
    named: Option<&PartitionSet>,
) -> Candidate {
    let definition = &table.indexes[index];
    let KeyTerms { mut keys, answered, fixed } = said(table, index, terms, named);
    let weakest = keys.iter().map(IndexKeys::weight).min().unwrap_or_default();
    let one = match keys.as_slice() {
        [one] => Some(one),
        _ => None,
    };
    let is_any = |lookup: &Lookup| matches!(lookup, Lookup::Any(..));
    let is_one = |lookup: &Lookup| lookup.is_single() && !matches!(lookup, Lookup::Null);
    // A table without a primary key has an index without parts.
    let one_row = definition.unique
        && weakest.0 > 0
        && weakest.0 == definition.parts.len()
        && one.is_some_and(|keys| keys.equal.iter().all(is_one))
        && definition.parts.iter().all(|part| part.prefix.is_none());
    let (mut ordered, mut direction, mut merged_behind) = (true, Direction::Forward, None);
    if let Some(order) = order.filter(|_| !one_row) {
        let mut given = match orders {
            Orders::Never => None,
            _ => gives_order(table, index, (fixed, fixed), order),
        };
        if given.is_none()
            && orders == Orders::Merged
            && let Some((behind, direction)) = leading_parts(table, index, &keys, fixed, order)
        {
            (merged_behind, given) = (Some(behind), Some(direction));
        }
        ordered = given.is_some();
        direction = given.unwrap_or(Direction::Forward);
    }
    // Where it leaves out nothing and gives no order, the index is read as it is.
    let leaves_all = |keys: &IndexKeys| keys.partitions().is_some_and(|terms| !terms.narrows());
    if weakest == (0, 0) && merged_behind.is_none() && keys.iter().all(leaves_all) {
        keys = vec![IndexKeys::default()];
    }
    let one = match keys.as_slice() {
        [one] => Some(one),
        _ => None,
    };
    let kind = if one_row {
        AccessKind::Const
    } else if weakest == (0, 0) {
        match order.is_some() && ordered {
            true => AccessKind::Index,
            false => AccessKind::All,
        }
    } else if one.is_some_and(|keys| keys.between.is_none() && !keys.equal.iter().any(is_any)) {
        AccessKind::Ref
    } else {
        AccessKind::Range
    };
    let of_partition = usize::from(table.partition_column().is_some());
    let is_whole = weakest.0 >= definition.parts.len() && fixed == weakest.0 + of_partition;
    let of_kind = match kind {
        // What the primary key narrows of a whole key is no worse for that.
        AccessKind::Range if is_whole && index > 0 => AccessKind::Ref,
        kind => kind,
    };
    let score = score(of_kind, weakest, definition.unique, ordered, index);
    let is_answered = |position: usize| answered.get(position).copied().unwrap_or(false);
    let left = all_terms.iter().enumerate().filter(|(position, _)| !is_answered(*position));
    let residual = left.map(|(_, term)| term.clone()).collect();
    let terms = all_terms.to_vec();
    Candidate {
        access: Access {
            index,
            keys,
            others: Vec::new(),
            branches: Vec::new(),
            direction,
            ordered,
            merged_behind,
            residual,
            by_entry: None,
            terms,
            kind,
            search: None,
            array: None,
        },
        score,
    }
}

/// What several indexes make of a term that joins others by OR, if each of these has one.
fn merged(table: &Table, index_use: &IndexUse, terms: &[Node]) -> Option<Candidate> {
    if table.columnar {
        return None;
    }
    terms.iter().enumerate().find_map(|(position, term)| match &term.kind {
        Kind::Or(branches) if branches.len() <= MERGED_MAX && !is_volatile(term) => {
            merged_by(table, index_use, terms, position, branches)
        }
        _ => None,
    })
}

fn merged_by(
    table: &Table,
    index_use: &IndexUse,
    terms: &[Node],
    position: usize,
    branches: &[Node],
) -> Option<Candidate> {
    let mut ways = Vec::with_capacity(branches.len());
    for branch in branches {
        let mut own = Vec::new();
        push_terms(branch.clone(), &mut own);
        let others = terms.iter().enumerate().filter(|(other, _)| *other != position);
        let all: Vec<Node> = own.iter().chain(others.map(|(_, term)| term)).cloned().collect();
        let narrows = |index: &usize| {
            let is_ready = table.indexes[*index].state == IndexState::Ready;
            let narrowed = |terms| {
                consider(table, *index, terms, None, Orders::Never, None).access.is_narrow()
            };
            // What other terms narrow, they would narrow by themselves.
            is_ready && index_use.looks_up(*index) && narrowed((&own, &own))
        };
        let indexes = (0..table.indexes.len()).filter(narrows);
        let named = index_use.partitions();
        let each =
            indexes.map(|index| consider(table, index, (&all, &all), None, Orders::Never, named));
        ways.push(each.max_by_key(|candidate| candidate.score)?.access);
    }
    let mut ways = ways.into_iter();
    let first = ways.next()?;
    let others = ways.map(|way| Other { index: way.index, keys: way.keys }).collect();
    let mut residual = terms.to_vec();
    residual.remove(position);
    let kind = AccessKind::Merge;
    let access = Access {
        others,
        branches: branches.to_vec(),
        direction: Direction::Forward,
        ordered: false,
        merged_behind: None,
        residual,
        by_entry: None,
        terms: terms.to_vec(),
        kind,
        ..first
    };
    Some(Candidate { access, score: score(kind, (0, 0), false, false, 1) })
}

fn score(
    kind: AccessKind,
    (equal, range): (usize, u32),
    unique: bool,
    ordered: bool,
    index: usize,
) -> u32 {
    let parts = equal as u32 * 10;
    let base = match kind {
        AccessKind::Const => 10_000,
        AccessKind::FullText => 5_000,
        AccessKind::MultiValued => 1_000,
        AccessKind::Ref => 1_000 + 200 * u32::from(unique),
        AccessKind::Range if equal > 0 => 800,
        AccessKind::Range => 400,
        AccessKind::Merge => 200,
        AccessKind::Index => 20,
        AccessKind::All => 10,
    };
    // An order for nothing is worth more than one more part of a range.
    base + parts + range + 5 * u32::from(ordered) + u32::from(index == 0)
}

/// Behind how many leading parts the order asked for begins, if each of a few ranges has one value
/// of these, and in which direction.
fn leading_parts(
    table: &Table,
    index: usize,
    keys: &[IndexKeys],
    fixed: usize,
    order: &Ordering,
) -> Option<(usize, Direction)> {
    let parts = &table.codecs[index].parts;
    let is_fixed =
        |column: &usize| table.key_parts(index).take(fixed).any(|part| part.column == *column);
    let (first, _) = order.columns.iter().find(|(column, _)| !is_fixed(column))?;
    // Behind an index's own parts there may be those of the primary key.
    let behind = parts.iter().position(|part| part.column == *first).unwrap_or(parts.len());
    let ranges: f64 = keys.iter().map(IndexKeys::lists).sum();
    let most = match table.partition_column() {
        Some(_) => PARTITIONS_MERGED_MAX,
        None => MERGED_MAX,
    };
    let is_merged = behind > fixed
        && ranges <= most as f64
        && keys.iter().all(|keys| keys.equal.len() >= behind);
    let direction = is_merged.then(|| gives_order(table, index, (fixed, behind), order));
    Some((behind, direction.flatten()?))
}

/// In which direction ranges of the index, whose first parts are fixed, are in the order asked for,
/// from the part behind so many on, if they are. Parts between these differ from range to range.
fn gives_order(
    table: &Table,
    index: usize,
    (fixed, behind): (usize, usize),
    order: &Ordering,
) -> Option<Direction> {
    let definition = &table.indexes[index];
    let constant: Vec<usize> = table.key_parts(index).take(fixed).map(|part| part.column).collect();
    let own_parts = &table.codecs[index].parts;
    let mut parts = own_parts.get(behind..).unwrap_or_default().iter();
    // A key of one range tells nothing about those of another.
    let unique = definition.unique && behind == fixed;
    let own: Vec<usize> = own_parts.iter().map(|part| part.column).collect();
    let mut primary = table.codecs[0]
        .parts
        .iter()
        .filter(|part| !own.contains(&part.column) && !constant.contains(&part.column));
    let (mut behind_unique, mut backward) = (false, None);
    for (column, descending) in &order.columns {
        if constant.contains(column) || behind_unique {
            continue;
        }
        // All parts are read in one direction.
        let mut is_along = |part: &PartCodec| {
            let turned = part.descending != *descending;
            *backward.get_or_insert(turned) == turned
        };
        match parts.next() {
            Some(part) if part.column == *column && part.prefix.is_none() && is_along(part) => {
                behind_unique = parts.len() == 0
                    && unique
                    && definition.parts.iter().all(|part| !table.columns[part.column].nullable);
            }
            Some(_) => return None,
            // Behind a secondary index's own parts come those of the primary key.
            // Of a unique one only where there is a NULL.
            None if behind > fixed && definition.unique => return None,
            None if index > 0
                && primary.next().is_some_and(|part| part.column == *column && is_along(part)) => {}
            None => return None,
        }
    }
    Some(if backward == Some(true) { Direction::Backward } else { Direction::Forward })
}

impl Access {
    /// Whether keys narrow what is read of the index.
    pub fn is_narrow(&self) -> bool {
        !matches!(self.kind, AccessKind::Index | AccessKind::All) || self.is_pruned()
    }

    /// Whether partitions are left out, or may be.
    pub fn is_pruned(&self) -> bool {
        let narrows = |keys: &IndexKeys| keys.partitions().is_some_and(PartitionTerms::narrows);
        self.keys.iter().any(narrows)
    }

    /// The name of the full-text index that finds the rows.
    pub fn full_text<'t>(&self, table: &'t Table) -> Option<&'t str> {
        let index = full_text_of(table, self.search.as_deref()?)?;
        Some(&table.full_texts[index].name)
    }

    /// The name of the multi-valued index that finds the rows.
    pub fn multi_valued<'t>(&self, table: &'t Table) -> Option<&'t str> {
        let lookup = self.array.as_deref()?;
        Some(&table.multi_valued[lookup.index].index.name)
    }

    /// The indexes that are read.
    pub fn indexes(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.index).chain(self.others.iter().map(|other| other.index))
    }

    /// The keys that are looked up in all indexes, with the index.
    pub fn all_keys(&self) -> impl Iterator<Item = (usize, &IndexKeys)> {
        let others = self.others.iter();
        let others = others.flat_map(|other| other.keys.iter().map(|keys| (other.index, keys)));
        self.keys.iter().map(|keys| (self.index, keys)).chain(others)
    }

    /// Whether a candidate counts; a row of several parts of the ranges does so at one of them.
    ///
    /// # Errors
    /// Of the expressions.
    pub fn takes(&self, row: &Scope<'_>, candidate: RowCandidate, all_terms: bool) -> Result<bool> {
        let terms = match (candidate, &self.by_entry) {
            (RowCandidate::Entry, Some(divided)) => &divided.told,
            (RowCandidate::RowOfEntry, Some(divided)) => &divided.rest,
            _ => self.filter(all_terms),
        };
        for term in terms {
            if !term.holds(row)? {
                return Ok(false);
            }
        }
        let RowCandidate::Row(part) = candidate else { return Ok(true) };
        if let Some(array) = self.array.as_deref().filter(|_| !all_terms) {
            return array.counts_at(part, row);
        }
        if self.branches.is_empty() || all_terms {
            return Ok(true);
        }
        for (number, branch) in self.branches.iter().enumerate() {
            if branch.holds(row)? {
                return Ok(number == part);
            }
        }
        Ok(false)
    }

    /// Has entries asked before their rows are read, where they tell whether some of the terms
    /// hold.
    pub fn ask_entries(&mut self, table: &Table) {
        if self.index == 0 || !self.others.is_empty() {
            return;
        }
        let mut columns = Vec::new();
        let (mut told, mut rest) = (Vec::new(), Vec::new());
        for term in &self.residual {
            let own = columns_of(term);
            let is_told = !own.is_empty()
                && !is_volatile(term)
                && !has_subquery(term)
                && table.entry_columns(self.index, &own).is_some();
            if is_told {
                columns.extend(own);
                told.push(term.clone());
            } else {
                rest.push(term.clone());
            }
        }
        let covering = table.entry_columns(self.index, &columns).filter(|_| !told.is_empty());
        let divided = |covering| EntryTerms { covering: Arc::new(covering), told, rest };
        self.by_entry = covering.map(divided);
    }

    /// How entries are asked before their rows are read, if they are.
    pub fn entry_columns(&self, all_terms: bool) -> Option<&Arc<Covering>> {
        self.by_entry.as_ref().map(|divided| &divided.covering).filter(|_| !all_terms)
    }

    /// Marks what its conditions need to evaluate but once for all rows.
    pub fn evaluate_once(&mut self) {
        let Access { residual, terms, branches, by_entry, array, .. } = self;
        let divided = by_entry.iter_mut().flat_map(|EntryTerms { told, rest, .. }| [told, rest]);
        let all = residual.iter_mut().chain(terms).chain(branches).chain(divided.flatten());
        let all = all.chain(array.iter_mut().flat_map(|array| array.nodes_mut()));
        all.for_each(Node::evaluate_once);
    }

    /// Whether all rows count that its ranges find.
    pub fn takes_all(&self, all_terms: bool) -> bool {
        self.branches.is_empty() && self.filter(all_terms).is_empty()
    }

    /// Whether literals alone say what is looked up.
    pub fn is_of_literals(&self) -> bool {
        let is_literal = |node: &Node| {
            let mut literal = true;
            node.visit(&mut |node| {
                literal &= !matches!(node.kind, Kind::Outer(..) | Kind::Subquery(_));
            });
            literal
        };
        let of_array = self.array.iter().flat_map(|array| array.nodes());
        self.all_keys().flat_map(|(_, keys)| keys.nodes()).chain(of_array).all(is_literal)
    }

    /// The filter that goes with the ranges.
    pub fn filter(&self, all_terms: bool) -> &[Node] {
        if all_terms { &self.terms } else { &self.residual }
    }
}
