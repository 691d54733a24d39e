//! Which partitions of a table the terms of a condition leave: what they say of the columns that
//! partitions are told by, looked at when the values are known.
//!
//! Invariants
//! 1. Every row for which the terms hold, of the partitions that the statement names, is in one of
//!    those that are left.
//!
//! Not here: which partition a row is of (`rows::partition`).

use std::ops::Bound;
use std::sync::Arc;

use expression::{Kind, Node, Scope, as_key};
use rows::partition::{ColumnDomain, PartitionId};
use rows::table::Table;
use values::datum::Value;

use super::key::{KeyBound, KeyValue, bound_key};
use super::lookup::{Between, Limit, Lookup, find_between, find_equal};
use super::ranges::one_key;
use crate::index_use::PartitionSet;
use crate::terms::push_terms;
use results::Result;

/// Most branches of an OR that are looked at.
const BRANCHES_MAX: usize = 64;

/// What the terms say of the columns that partitions are told by.
#[derive(Clone, Debug)]
pub struct PartitionTerms {
    /// Of each column, in the order of the table's rule; for each branch of an OR.
    branches: Vec<Vec<ColumnTerms>>,
    /// The partitions that the statement names.
    named: Option<PartitionSet>,
    /// How many there are, of these.
    count: usize,
}

/// What the terms say of one column.
#[derive(Clone, Debug)]
enum ColumnTerms {
    Nothing,
    Equal(Arc<Lookup>),
    Between(Arc<Between>),
}

impl PartitionTerms {
    /// Of the terms of a condition on one table; `None` in one without partitions.
    pub fn of(
        table: &Table,
        terms: &[&Node],
        named: Option<&PartitionSet>,
    ) -> Option<PartitionTerms> {
        let partitioning = table.partitioning.as_ref()?;
        let columns: &[usize] = match table.partition_rule() {
            Ok(Some(rule)) => rule.columns(),
            // Its rules are none: all partitions are read.
            _ => &[],
        };
        let mut branches = vec![said(table, columns, terms)];
        for term in terms {
            let Kind::Or(alternatives) = &term.kind else { continue };
            if alternatives.len() > BRANCHES_MAX || branches.len() > 1 {
                continue;
            }
            branches = alternatives
                .iter()
                .map(|alternative| {
                    let mut own = Vec::new();
                    push_terms(alternative.clone(), &mut own);
                    let all: Vec<&Node> = own.iter().chain(terms.iter().copied()).collect();
                    said(table, columns, &all)
                })
                .collect();
        }
        let count = named.map_or(partitioning.partitions.len(), |named| named.ids().len());
        Some(PartitionTerms { branches, named: named.cloned(), count })
    }

    /// Whether they say one value of each column, so that one partition is left at most.
    pub fn is_one(&self) -> bool {
        let is_one = |column: &ColumnTerms| match column {
            ColumnTerms::Equal(lookup) => !matches!(**lookup, Lookup::Any(..)),
            _ => false,
        };
        self.count == 1
            || matches!(&self.branches[..], [columns] if !columns.is_empty()
                && columns.iter().all(is_one))
    }

    /// Whether they may leave out some.
    pub fn narrows(&self) -> bool {
        let says = |column: &ColumnTerms| !matches!(column, ColumnTerms::Nothing);
        self.named.is_some() || self.branches.iter().all(|columns| columns.iter().any(says))
    }

    /// How many are left at most.
    pub fn count(&self) -> f64 {
        if self.is_one() { 1.0 } else { self.count as f64 }
    }

    /// All values that they name.
    pub fn nodes(&self) -> Vec<&Node> {
        let mut nodes = Vec::new();
        for column in self.branches.iter().flatten() {
            match column {
                ColumnTerms::Nothing => {}
                ColumnTerms::Equal(lookup) => match &**lookup {
                    Lookup::One(node, _) => nodes.push(node),
                    Lookup::Any(list, _) => nodes.extend(list),
                    Lookup::Null | Lookup::Partitions(_) => {}
                },
                ColumnTerms::Between(between) => match &**between {
                    Between::Bounds(low, high) => {
                        nodes.extend(low.iter().chain(high).map(|limit| &limit.node));
                    }
                    Between::Like(node, _) => nodes.push(node),
                    Between::NotNull => {}
                },
            }
        }
        nodes
    }

    /// Those that the statement names, ascending by number: all where it names none.
    pub fn named_ids(&self, table: &Table) -> Vec<PartitionId> {
        let partitions = table.partitioning.iter().flat_map(|of| &of.partitions);
        let ids = partitions.map(|partition| partition.id);
        let is_named =
            |id: &PartitionId| self.named.as_ref().is_none_or(|named| named.ids().contains(id));
        let mut ids: Vec<PartitionId> = ids.filter(is_named).collect();
        ids.sort_unstable();
        ids
    }

    /// Those that are left, ascending by number.
    ///
    /// # Errors
    /// Of evaluating values.
    pub fn ids(&self, table: &Table, scope: &Scope<'_>) -> Result<Vec<PartitionId>> {
        let mut ids = match table.partition_rule() {
            Ok(Some(rule)) if self.narrows() => {
                let mut ids = Vec::new();
                for columns in &self.branches {
                    let mut domains = Vec::with_capacity(columns.len());
                    let mut is_nothing = false;
                    for (at, column) in rule.columns().iter().zip(columns) {
                        match column.domain(table, *at, scope)? {
                            Some(domain) => domains.push(domain),
                            None => is_nothing = true,
                        }
                    }
                    if !is_nothing {
                        ids.extend(table.partitions_among(rule, &domains)?);
                    }
                }
                ids.sort_unstable();
                ids.dedup();
                ids
            }
            _ => return Ok(self.named_ids(table)),
        };
        if let Some(named) = &self.named {
            ids.retain(|id| named.ids().contains(id));
        }
        Ok(ids)
    }
}

fn said(table: &Table, columns: &[usize], terms: &[&Node]) -> Vec<ColumnTerms> {
    let of_column = |column: &usize| {
        if let Some((_, lookup)) = find_equal(table, *column, terms) {
            return ColumnTerms::Equal(Arc::new(lookup));
        }
        match find_between(*column, true, terms, &mut vec![false; terms.len()]) {
            Some(between) => ColumnTerms::Between(Arc::new(between)),
            None => ColumnTerms::Nothing,
        }
    };
    columns.iter().map(of_column).collect()
}

impl ColumnTerms {
    /// What the column may hold; `None` if no row can fulfil the terms.
    fn domain(
        &self,
        table: &Table,
        column: usize,
        scope: &Scope<'_>,
    ) -> Result<Option<ColumnDomain>> {
        let ty = &table.columns[column].ty;
        let lookup = match self {
            ColumnTerms::Nothing => return Ok(Some(ColumnDomain::Any)),
            ColumnTerms::Equal(lookup) => lookup,
            ColumnTerms::Between(between) => {
                let Between::Bounds(low, high) = &**between else {
                    return Ok(Some(ColumnDomain::Any));
                };
                let end = |limit: &Option<Limit>, is_low: bool| -> Result<KeyBound> {
                    let Some(limit) = limit else { return Ok(KeyBound::Exact(Bound::Unbounded)) };
                    let cell = limit.node.evaluate(scope)?;
                    let datum = as_key(&limit.node, cell.datum(), ty, scope);
                    scope.limits.check_refused()?;
                    Ok(bound_key(ty, datum, limit.inclusive, is_low, limit.rule, scope.zone))
                };
                return Ok(match (end(low, true)?, end(high, false)?) {
                    (KeyBound::Nothing, _) | (_, KeyBound::Nothing) => None,
                    (KeyBound::Exact(low), KeyBound::Exact(high)) => {
                        Some(ColumnDomain::Between(low, high))
                    }
                    _ => Some(ColumnDomain::Any),
                });
            }
        };
        let (nodes, rule) = match &**lookup {
            Lookup::Null => return Ok(Some(ColumnDomain::Values(vec![Value::Null]))),
            Lookup::Partitions(_) => return Ok(Some(ColumnDomain::Any)),
            Lookup::One(node, rule) => (std::slice::from_ref(node), *rule),
            Lookup::Any(nodes, rule) => (&nodes[..], *rule),
        };
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            match one_key(node, ty, rule, scope)? {
                KeyValue::Exact(value) => values.push(value),
                KeyValue::Nothing => {}
                KeyValue::Unusable => return Ok(Some(ColumnDomain::Any)),
            }
        }
        Ok((!values.is_empty()).then_some(ColumnDomain::Values(values)))
    }
}
