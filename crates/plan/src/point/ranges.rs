//! The ranges of an index that an access path reads in one run, when the values are known.
//!
//! Invariants
//! 1. Ranges come in ascending order, without overlap.
//! 2. A value that the index cannot look up (a number for a text column) makes that run read the
//!    whole index and filter by all terms.
//!
//! Not here: which keys are looked up (`lookup`), values as keys (`key`), reading (`gather`).

use std::ops::Bound;

use expression::{KillMark, Kind, Node, Scope, as_key, is_number};
use rows::store::KeyRange;
use rows::table::{PartCodec, Table, successor};
use values::collation::like_beginning;
use values::datum::{Datum, Value};
use values::types::{Collation, ColumnType};

use super::access::{Access, AccessKind};
use super::key::{KeyBound, KeyValue, bound_key, equal_key, like_prefix};
use super::lookup::{Between, IndexKeys, Lookup};
use results::{Result, SqlError};

/// Most look-ups that one statement makes of its lists; with a list that would make more of them,
/// nothing is looked up.
pub(super) const LOOKUPS_MAX: usize = 65_536;

/// The ranges of one run, and whether the filter must check all terms.
#[derive(Debug)]
pub struct Ranges {
    /// Of the access path's first index.
    pub first: IndexRanges,
    /// Of its others.
    pub others: Vec<IndexRanges>,
    /// Whether the index was not narrowed as planned.
    pub all_terms: bool,
}

/// Ranges of one index.
#[derive(Debug)]
pub struct IndexRanges {
    /// The index.
    pub index: usize,
    /// Ascending.
    pub ranges: Vec<KeyRange>,
}

impl Ranges {
    /// A part by its number.
    pub fn part(&self, number: usize) -> &IndexRanges {
        number.checked_sub(1).map_or(&self.first, |other| &self.others[other])
    }

    /// The same, to be changed.
    pub fn part_mut(&mut self, number: usize) -> &mut IndexRanges {
        match number.checked_sub(1) {
            None => &mut self.first,
            Some(other) => &mut self.others[other],
        }
    }

    /// The keys of the rows, ascending, where the primary key is all that is looked up, whole, and
    /// for at most so many rows; the ranges are none then.
    pub fn take_row_keys(&mut self, rows_max: u64) -> Option<Vec<Vec<u8>>> {
        let whole = self.first.index == 0
            && self.others.is_empty()
            && self.first.ranges.len() as u64 <= rows_max
            && self.first.ranges.iter().all(KeyRange::is_point);
        whole.then(|| self.first.ranges.drain(..).map(|range| range.start).collect())
    }

    /// All ranges.
    pub fn iter(&self) -> impl Iterator<Item = &KeyRange> {
        std::iter::once(&self.first).chain(&self.others).flat_map(|part| &part.ranges)
    }
}

impl Access {
    /// Whether a table is read as a whole, because no index looks its rows up or gives their order:
    /// what MySQL counts as a query that uses none. `for_change`: of an UPDATE or DELETE an order
    /// does not count (MySQL 9.7 has both so).
    fn is_table_scan(&self, found: &Ranges, for_change: bool) -> bool {
        let is_whole = match self.kind {
            AccessKind::All => self.index == 0,
            AccessKind::Index => for_change,
            _ => false,
        };
        self.search.is_none() && (is_whole || found.all_terms && self.index == 0)
    }

    /// Tells a query if it reads a table as a whole.
    pub fn note_scan(&self, found: &Ranges, kill: &KillMark) {
        if self.is_table_scan(found, false) {
            kill.owner_of_work().note_table_scan();
        }
    }

    /// Tells an UPDATE or DELETE the same.
    pub fn note_scan_for_change(&self, found: &Ranges, kill: &KillMark) {
        if self.is_table_scan(found, true) {
            kill.owner_of_work().note_table_scan();
        }
    }

    /// The ranges for the values of one run.
    ///
    /// # Errors
    /// Those of evaluating what the ranges are made of, and of encoding keys.
    pub fn ranges(&self, table: &Table, scope: &Scope<'_>) -> Result<Ranges> {
        if let Some(search) = &self.search {
            return found_ranges(self.index, search, scope);
        }
        if let Some(array) = &self.array
            && let Some(found) = array.ranges(table, scope)?
        {
            return Ok(found);
        }
        let of = |index: usize, keys: &[IndexKeys]| -> Result<Option<IndexRanges>> {
            if self.array.is_some() {
                return Ok(None);
            }
            let ranges = index_ranges(table, index, keys, scope)?;
            Ok(ranges.map(|ranges| IndexRanges { index, ranges }))
        };
        if let Some(first) = of(self.index, &self.keys)? {
            let others = self.others.iter().map(|other| of(other.index, &other.keys));
            if let Some(others) = others.collect::<Result<Option<Vec<_>>>>()? {
                return Ok(Ranges { first, others, all_terms: false });
            }
        }
        let ranges = self.all_ranges(table, self.index, scope)?;
        let first = IndexRanges { index: self.index, ranges };
        Ok(Ranges { first, others: Vec::new(), all_terms: true })
    }

    /// All keys of an index, where nothing is looked up in it: of the partitions that the statement
    /// names, or its terms leave.
    ///
    /// # Errors
    /// As `ranges`.
    pub fn all_ranges(
        &self,
        table: &Table,
        index: usize,
        scope: &Scope<'_>,
    ) -> Result<Vec<KeyRange>> {
        let Some(partitions) = self.keys.first().and_then(IndexKeys::partitions) else {
            return Ok(vec![table.index_range(index)]);
        };
        let ids = match &self.keys[..] {
            [_] => partitions.ids(table, scope)?,
            _ => partitions.named_ids(table),
        };
        let range = |id| table.prefix_range(index, &[Datum::UInt(u64::from(id))]);
        Ok(ids.into_iter().map(range).collect::<rows::Result<_>>()?)
    }
}

/// The rows that a full-text search finds, one by one in its order.
fn found_ranges(index: usize, search: &Node, scope: &Scope<'_>) -> Result<Ranges> {
    let no_search = || SqlError::other("a full-text search that nobody runs");
    let Kind::Call(_, arguments) = &search.kind else { return Err(no_search()) };
    let first = arguments.first().map(|first| match &first.kind {
        Kind::Once(once) => &once.node().kind,
        kind => kind,
    });
    let Some(Kind::Subquery(subquery)) = first else { return Err(no_search()) };
    let keys = scope.subqueries.ok_or_else(no_search)?.found_rows(subquery, scope)?;
    let ranges = keys.iter().map(|key| {
        let mut end = key.clone();
        end.push(0);
        KeyRange { start: key.clone(), end }
    });
    let first = IndexRanges { index, ranges: ranges.collect() };
    Ok(Ranges { first, others: Vec::new(), all_terms: false })
}

/// The ranges of all alternatives; `None` if the index cannot look one of them up.
fn index_ranges(
    table: &Table,
    index: usize,
    alternatives: &[IndexKeys],
    scope: &Scope<'_>,
) -> Result<Option<Vec<KeyRange>>> {
    let mut ranges = Vec::with_capacity(alternatives.len());
    for keys in alternatives {
        if !keys.add_ranges(table, index, scope, &mut ranges)? {
            return Ok(None);
        }
    }
    if ranges.len() > 1 {
        ranges.sort_by(|a, b| a.start.cmp(&b.start));
        ranges.dedup_by(|next, range| joined(range, next));
    }
    Ok(Some(ranges))
}

/// Takes a range into the one before it, if they are the same or overlap.
fn joined(range: &mut KeyRange, next: &mut KeyRange) -> bool {
    let is_open = range.end.is_empty();
    if !is_open && *range != *next && next.start >= range.end {
        return false;
    }
    if !is_open && (next.end.is_empty() || next.end > range.end) {
        range.end = std::mem::take(&mut next.end);
    }
    true
}

/// The values that a lookup gives a part of keys, none where no row can have them; `None` if the
/// index cannot look one of them up.
pub(super) fn values_of(
    lookup: &Lookup,
    part: &PartCodec,
    table: &Table,
    scope: &Scope<'_>,
) -> Result<Option<Vec<Value>>> {
    let (nodes, rule) = match lookup {
        Lookup::Partitions(terms) => {
            let ids = terms.ids(table, scope)?;
            return Ok(Some(ids.into_iter().map(|id| Value::UInt(u64::from(id))).collect()));
        }
        // No row has NULL there.
        Lookup::Null if !part.nullable => return Ok(Some(Vec::new())),
        Lookup::Null => return Ok(Some(vec![Value::Null])),
        Lookup::One(node, rule) => (std::slice::from_ref(node), *rule),
        Lookup::Any(nodes, rule) => (&nodes[..], *rule),
    };
    let mut values = Vec::with_capacity(nodes.len());
    for node in nodes {
        match one_key(node, &part.ty, rule, scope)? {
            KeyValue::Exact(value) => values.push(value),
            KeyValue::Nothing => {}
            KeyValue::Unusable => return Ok(None),
        }
    }
    Ok(Some(values))
}

impl IndexKeys {
    /// Adds the ranges of these keys; `false` if the index cannot look one of them up.
    fn add_ranges(
        &self,
        table: &Table,
        index: usize,
        scope: &Scope<'_>,
        ranges: &mut Vec<KeyRange>,
    ) -> Result<bool> {
        if self.is_all() {
            ranges.push(table.index_range(index));
            return Ok(true);
        }
        // The usual case: one key.
        let mut prefixes: Vec<Vec<Value>> = vec![Vec::with_capacity(self.equal.len())];
        for (lookup, part) in self.equal.iter().zip(table.key_parts(index)) {
            let Some(values) = values_of(lookup, part, table, scope)? else { return Ok(false) };
            if values.is_empty() {
                return Ok(true);
            }
            prefixes = extend(prefixes, values);
        }
        for prefix in &prefixes {
            let prefix: Vec<Datum<'_>> = prefix.iter().map(Value::as_datum).collect();
            match self.range(table, index, &prefix, scope)? {
                NarrowOutcome::To(range) => ranges.push(range),
                NarrowOutcome::Nothing => {}
                NarrowOutcome::Not => return Ok(false),
            }
        }
        Ok(true)
    }

    fn range(
        &self,
        table: &Table,
        index: usize,
        prefix: &[Datum<'_>],
        scope: &Scope<'_>,
    ) -> Result<NarrowOutcome> {
        let Some(between) = &self.between else { return prefix_range(table, index, prefix) };
        let Some(part) = table.key_parts(index).nth(prefix.len()) else {
            return Ok(NarrowOutcome::Not);
        };
        let ty = &part.ty;
        let (low, high) = match between {
            Between::NotNull => (Bound::Excluded(Value::Null), Bound::Unbounded),
            Between::Bounds(low, high) => {
                let mut ends = [Bound::Unbounded, Bound::Unbounded];
                for (n, limit) in [low, high].into_iter().enumerate() {
                    let Some(limit) = limit else { continue };
                    let cell = limit.node.evaluate(scope)?;
                    let datum = as_key(&limit.node, cell.datum(), ty, scope);
                    scope.limits.check_refused()?;
                    let bound =
                        bound_key(ty, datum, limit.inclusive, n == 0, limit.rule, scope.zone);
                    ends[n] = match bound {
                        KeyBound::Exact(bound) => bound,
                        KeyBound::Nothing => return Ok(NarrowOutcome::Nothing),
                        KeyBound::Unusable => return Ok(NarrowOutcome::Not),
                    };
                }
                let [low, high] = ends;
                (low, high)
            }
            Between::Like(node, escape) => {
                return match prefix_range(table, index, prefix)? {
                    NarrowOutcome::To(all) => like_range(all, part, node, *escape, scope),
                    other => Ok(other),
                };
            }
        };
        // NOT NULL as a range: everything above NULL. So is one whose ends are beyond all values.
        if matches!((&low, &high), (Bound::Unbounded, Bound::Unbounded))
            || matches!(between, Between::NotNull)
        {
            let mut found = prefix_range(table, index, prefix)?;
            if let (NarrowOutcome::To(all), true) = (&mut found, part.nullable) {
                let nulls: Vec<Datum<'_>> =
                    prefix.iter().copied().chain(std::iter::once(Datum::Null)).collect();
                let nulls = table.prefix_range(index, &nulls)?;
                match part.descending {
                    false => all.start = nulls.end,
                    true => all.end = nulls.start,
                }
            }
            return Ok(found);
        }
        let (low, high) = (low.as_ref().map(Value::as_datum), high.as_ref().map(Value::as_datum));
        match table.between_range(index, prefix, low, high) {
            Ok(range) => Ok(NarrowOutcome::To(range)),
            // It may be the bound alone that is longer than keys can be.
            Err(rows::Error::TooLarge { .. }) => match prefix_range(table, index, prefix)? {
                NarrowOutcome::Nothing => Ok(NarrowOutcome::Nothing),
                _ => Ok(NarrowOutcome::Not),
            },
            Err(error) => Err(error.into()),
        }
    }
}

/// What became of an attempt to narrow the index.
enum NarrowOutcome {
    To(KeyRange),
    Nothing,
    Not,
}

/// The range of the keys that begin with these values.
fn prefix_range(table: &Table, index: usize, prefix: &[Datum<'_>]) -> Result<NarrowOutcome> {
    match table.prefix_range(index, prefix) {
        Ok(range) => Ok(NarrowOutcome::To(range)),
        // No row has a key that is longer than keys can be; an entry may be as long as two.
        Err(rows::Error::TooLarge { .. }) => {
            let is_own = prefix.len() <= table.codecs[index].parts.len();
            Ok(if is_own { NarrowOutcome::Nothing } else { NarrowOutcome::Not })
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) fn one_key(
    node: &Node,
    ty: &ColumnType,
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<KeyValue> {
    let cell = node.evaluate(scope)?;
    let mut word = Vec::new();
    let datum = match cell.datum() {
        // Beside a number it is one.
        datum @ (Datum::Enum(_) | Datum::Set(_)) if is_number(ty) => {
            datum.listed_number().map_or(Datum::Null, Datum::UInt)
        }
        // The number of a word is that of its own column.
        datum @ (Datum::Enum(_) | Datum::Set(_)) if node.ty != *ty => {
            Datum::Bytes(node.bytes_of(datum, scope.zone, &mut word))
        }
        datum => as_key(node, datum, ty, scope),
    };
    scope.limits.check_refused()?;
    Ok(equal_key(ty, datum, rule, scope.zone))
}

pub(super) fn extend(prefixes: Vec<Vec<Value>>, values: Vec<Value>) -> Vec<Vec<Value>> {
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

/// The range of texts that begin as a LIKE pattern does, within that of all of them.
fn like_range(
    all: KeyRange,
    part: &PartCodec,
    node: &Node,
    escape: Option<char>,
    scope: &Scope<'_>,
) -> Result<NarrowOutcome> {
    let cell = node.evaluate(scope)?;
    let Datum::Bytes(pattern) = cell.datum() else {
        return Ok(if cell.is_null() { NarrowOutcome::Nothing } else { NarrowOutcome::Not });
    };
    let (text, _whole) = like_prefix(pattern, escape);
    let textual = matches!(
        part.ty,
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. }
    );
    // Trailing spaces do not count in keys, so they cannot narrow them.
    let text = std::str::from_utf8(&text).unwrap_or("");
    let text = like_beginning(part.ty.collation().unwrap_or(Collation::Binary), text);
    let text = text.trim_end_matches(' ');
    if text.is_empty() || !textual {
        return Ok(NarrowOutcome::Not);
    }
    let mut start = all.start;
    part.push_beginning(text.as_bytes(), &mut start);
    let end = successor(&start);
    Ok(NarrowOutcome::To(KeyRange { start, end }))
}
