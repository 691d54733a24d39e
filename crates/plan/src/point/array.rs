//! Rows by the elements of an array: what terms say about the keys of a multi-valued index.
//!
//! The parts before the array must equal something, each; those behind it narrow what is looked up
//! as far as they do. Of `JSON_CONTAINS` one element is looked up, and of what is found the rest is
//! asked; of `JSON_OVERLAPS` all are, each as a part of the ranges of its own.
//!
//! Invariants
//! 1. Every row for which the terms hold has an entry in one of the ranges.
//! 2. A row that several elements find counts at the first of those that it has.
//!
//! Not here: which terms are about an array (`optimize::key_expressions`), elements and their keys
//! (`expression`, `typed_array`).

use expression::{
    ElementSearch, Function, Kind, Node, Scope, element_keys, search_parts, shared_elements,
};
use rows::store::KeyRange;
use rows::table::{PartCodec, Table};
use values::datum::{Datum, Value};

use super::lookup::{Lookup, find_equal};
use super::partitions::PartitionTerms;
use super::ranges::{IndexRanges, LOOKUPS_MAX, Ranges, extend, values_of};
use crate::index_use::{IndexUse, PartitionSet};
use results::Result;

/// What is looked up in a multi-valued index.
#[derive(Clone, Debug)]
pub struct ArrayLookup {
    /// Its position among the multi-valued indexes of the table.
    pub index: usize,
    /// What the parts before the array equal.
    before: Vec<Lookup>,
    /// The array, as a column, and the elements that are looked for.
    array: Node,
    sought: Node,
    search: ElementSearch,
    /// Whether a value is looked for, rather than the elements of a document.
    is_of_one: bool,
    /// What parts behind the array equal.
    behind: Vec<Lookup>,
}

impl ArrayLookup {
    /// What the terms say about one of the multi-valued indexes of a table, if they say anything.
    pub(super) fn of(
        table: &Table,
        index: usize,
        terms: &[Node],
        named: Option<&PartitionSet>,
    ) -> Option<ArrayLookup> {
        let of = &table.multi_valued_codecs[index];
        let column = of.codec.parts[of.array].column;
        let (array, sought, search) = terms.iter().find_map(|term| {
            let (array, sought, search) = search_parts(term)?;
            // Another index may have the same array in a column of its own.
            let text = |at: usize| table.columns[at].computed.as_ref().map(|of| &of.expression);
            let is_own = matches!(array.kind, Kind::Column(at) if text(at) == text(column));
            (is_own && sought.is_row_free()).then_some((array, sought, search))
        })?;
        let all: Vec<&Node> = terms.iter().collect();
        let equal = |part: &PartCodec| {
            if table.partition_column() == Some(part.column) {
                return PartitionTerms::of(table, &all, named).map(Lookup::Partitions);
            }
            let (_, lookup) = find_equal(table, part.column, &all)?;
            (part.prefix.is_none() && lookup.is_single()).then_some(lookup)
        };
        let before: Option<Vec<Lookup>> = of.codec.parts[..of.array].iter().map(equal).collect();
        let behind = of.codec.parts[of.array + 1..].iter().map_while(equal).collect();
        Some(ArrayLookup {
            index,
            before: before?,
            array: array.clone(),
            sought: sought.clone(),
            search,
            is_of_one: matches!(sought.kind, Kind::Call(Function::ElementAs, _)),
            behind,
        })
    }

    /// Whether rows are looked up by one element.
    pub fn is_of_one(&self) -> bool {
        self.is_of_one
    }

    /// How many parts of the index are looked up.
    pub fn parts(&self) -> usize {
        let is_partition = |lookup: &&Lookup| matches!(lookup, Lookup::Partitions(_));
        let own = self.before.len() + 1 + self.behind.len();
        own - self.before.iter().filter(is_partition).count()
    }

    /// All values that are looked up.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        let lookups = self.before.iter().chain(&self.behind);
        let values = lookups.filter_map(|lookup| match lookup {
            Lookup::One(node, _) => Some(node),
            _ => None,
        });
        values.chain([&self.sought])
    }

    pub(super) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        std::iter::once(&mut self.sought)
    }

    /// The ranges for the values of one run; `None` if the index cannot look them up.
    ///
    /// # Errors
    /// Those of evaluating what is looked up.
    pub(super) fn ranges(&self, table: &Table, scope: &Scope<'_>) -> Result<Option<Ranges>> {
        let of = &table.multi_valued_codecs[self.index];
        let index = table.first_multi_valued() + self.index;
        let found = |mut parts: Vec<Vec<KeyRange>>| {
            let mut parts = parts.drain(..).map(|ranges| IndexRanges { index, ranges });
            let first = parts.next().unwrap_or(IndexRanges { index, ranges: Vec::new() });
            Ok(Some(Ranges { first, others: parts.collect(), all_terms: false }))
        };
        let sought = self.sought.evaluate(scope)?;
        // NULL has no elements, and holds nowhere.
        let Datum::Bytes(sought) = sought.datum() else { return found(Vec::new()) };
        let mut before = vec![Vec::new()];
        for (lookup, part) in self.before.iter().zip(&of.codec.parts) {
            let Some(values) = values_of(lookup, part, table, scope)? else { return Ok(None) };
            before = extend(before, values);
        }
        let mut behind = Vec::with_capacity(self.behind.len());
        for (lookup, part) in self.behind.iter().zip(&of.codec.parts[of.array + 1..]) {
            match values_of(lookup, part, table, scope)?.as_deref() {
                Some([value]) => behind.push(value.clone()),
                Some(_) => return found(Vec::new()),
                None => break,
            }
        }
        let elements: Vec<&[u8]> = match self.search {
            ElementSearch::Any => element_keys(sought).filter(|key| !key.is_empty()).collect(),
            ElementSearch::All => {
                // All rows have all of none; one that is no element nobody has.
                if element_keys(sought).any(<[u8]>::is_empty) {
                    return found(Vec::new());
                }
                let Some(first) = element_keys(sought).next() else { return Ok(None) };
                vec![first]
            }
        };
        if elements.len().saturating_mul(before.len()) > LOOKUPS_MAX {
            return Ok(None);
        }
        let behind: Vec<Datum<'_>> = behind.iter().map(Value::as_datum).collect();
        let mut parts = Vec::with_capacity(elements.len());
        for element in elements {
            let mut ranges = Vec::with_capacity(before.len());
            for before in &before {
                let before: Vec<Datum<'_>> = before.iter().map(Value::as_datum).collect();
                match of.range(&before, element, &behind) {
                    Ok(range) => ranges.push(range),
                    // No row has a key that is longer than keys can be.
                    Err(rows::Error::TooLarge { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            parts.push(ranges);
        }
        found(parts)
    }

    /// Whether a row counts at a part of the ranges: that of the first element that it has.
    ///
    /// # Errors
    /// Of the expressions.
    pub(super) fn counts_at(&self, part: usize, row: &Scope<'_>) -> Result<bool> {
        if self.search == ElementSearch::All || self.is_of_one() {
            return Ok(true);
        }
        let (array, sought) = (self.array.evaluate(row)?, self.sought.evaluate(row)?);
        let (Datum::Bytes(array), Datum::Bytes(sought)) = (array.datum(), sought.datum()) else {
            return Ok(false);
        };
        // What is no element of the index has no part, and is in no row.
        let none = element_keys(sought).take_while(|key| key.is_empty()).count();
        let first = shared_elements(array, sought).find(|at| *at >= none);
        Ok(first == Some(part + none))
    }
}

/// What each multi-valued index that may be used makes of the terms.
pub(super) fn array_lookups(
    table: &Table,
    index_use: &IndexUse,
    terms: &[Node],
) -> Vec<ArrayLookup> {
    let numbers = 0..table.multi_valued.len();
    let allowed = numbers.filter(|at| index_use.looks_up_array(table, *at));
    allowed.filter_map(|at| ArrayLookup::of(table, at, terms, index_use.partitions())).collect()
}
