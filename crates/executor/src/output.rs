//! What becomes of a query's rows: DISTINCT, ORDER BY, LIMIT.
//!
//! Invariants
//! 1. A row counts for LIMIT and FOUND_ROWS() after DISTINCT and HAVING.
//! 2. Where few rows are wanted of a sort, few are kept.
//! 3. Of a row that DISTINCT has seen, or that is outside of the limit, nothing is copied.
//!
//! Not here: the rows (`select`, `set`, `recursion`), which of them were seen (`distinct`), sorting
//! before joining (`presort`), rows that are read when they are given (`late_lookup`).

use std::cmp::Ordering;
use std::rc::Rc;

use expression::{Ordinals, Scope};
use values::datum::Value;

use super::distinct::{Distinct, distinct_key};
use super::drawn::DrawnBytes;
use super::key::{push, push_descending};
use super::output_value::{ordinals_of, output_value, push_sorted};
use super::presort::SortCut;
use super::{Execution, Flow, Give, row_bytes};
use crate::late_lookup::push_key;
use plan::terms::is_volatile;
use plan::tree::{LateRows, Query, Select};
use results::Result;

/// Rows that a sort with a limit keeps besides those it wants, before it throws some away.
const SORT_SLACK: usize = 64;
/// Bytes of a key that are compared as one number.
const FIRST_BYTES: usize = 16;

/// Takes a query's rows.
pub(super) struct RowOutput<'o, 'g> {
    execution: &'o Execution<'o>,
    query: &'o Query,
    offset: u64,
    limit: u64,
    sorted: bool,
    /// Rows that were given, for DISTINCT.
    seen: Option<Distinct>,
    /// How each output of a SELECT is had as ordinals, where rows are sorted or told apart.
    ordinals: Vec<Option<Ordinals<'o>>>,
    /// Rows to be sorted, with their keys.
    kept: Vec<(Vec<u8>, Vec<Value>)>,
    /// Room of rows that were kept.
    spare: Vec<(Vec<u8>, Vec<Value>)>,
    /// Rows that counted.
    counted: u64,
    /// Rows up to the limit's end, which are all that count unless those beyond do.
    wanted: u64,
    /// Whether rows beyond the limit are counted.
    pub counts_all: bool,
    /// What is kept of rows that are looked up when they are given.
    pub late: Option<&'o LateRows>,
    /// Whether a row's columns are the same however often they are evaluated.
    pub is_stable: bool,
    /// Whether nobody notices that columns of rows outside of the limit are not evaluated.
    pub may_pass_over: bool,
    /// Whether a row's key for DISTINCT is what it is sorted by.
    sorts_as_told_apart: bool,
    /// Which rows are not wanted any more.
    pub cut: Rc<SortCut>,
    /// What the row at hand is sorted by.
    sort_key: Vec<u8>,
    /// Memory for what is kept.
    drawn: DrawnBytes<'o>,
    give: &'o mut Give<'g>,
}

impl<'o, 'g> RowOutput<'o, 'g> {
    pub fn new(
        execution: &'o Execution<'o>,
        query: &'o Query,
        (offset, limit): (u64, u64),
        sorted: bool,
        distinct: bool,
        give: &'o mut Give<'g>,
    ) -> RowOutput<'o, 'g> {
        RowOutput {
            execution,
            query,
            offset,
            limit,
            sorted,
            seen: distinct.then(Distinct::default),
            ordinals: Vec::new(),
            kept: Vec::new(),
            spare: Vec::new(),
            counted: 0,
            wanted: offset.saturating_add(limit),
            counts_all: false,
            late: None,
            is_stable: false,
            may_pass_over: false,
            sorts_as_told_apart: distinct && is_order_of_all(query),
            cut: Rc::new(SortCut::new()),
            sort_key: Vec::new(),
            drawn: DrawnBytes::nothing(execution),
            give,
        }
    }

    /// What there is to know of a SELECT before its rows come.
    pub fn expect_rows_of(&mut self, select: &'o Select) {
        let wanted = self.offset.saturating_add(self.limit) as f64;
        self.late = select.plan.late.as_ref().filter(|late| wanted <= late.rows_max);
        self.is_stable = !select.outputs.iter().any(is_volatile);
        self.may_pass_over = !select.distinct && self.is_stable;
        // Where rows are given as they come none is asked for.
        if self.sorted || self.seen.is_some() {
            self.ordinals = ordinals_of(select, self.query);
        }
    }

    /// Whether no row is wanted.
    pub fn is_full(&self) -> bool {
        self.limit == 0 && !self.counts_all
    }

    /// Takes a joined row, or a group's.
    ///
    /// # Errors
    /// Those of evaluating its columns, of memory that is not to be had, and of the one who takes
    /// rows.
    pub fn project(&mut self, select: &Select, row: &Scope<'_>) -> Result<Flow> {
        if !self.sorted && self.may_pass_over && (self.limit == 0 || self.offset > 0) {
            self.counted += 1;
            self.offset = self.offset.saturating_sub(1);
            return Ok(if self.is_full() { Flow::Stop } else { Flow::Continue });
        }
        let stable = self.seen.as_mut().filter(|_| self.is_stable);
        let mut told_apart_by = None;
        if let Some(seen) = stable {
            let of = (select, self.query);
            if row.row.is_repeated() || !seen.is_new(of, &self.ordinals, row, &mut self.drawn)? {
                return Ok(Flow::Continue);
            }
            told_apart_by = Some(seen.key());
        }
        let mut held = row.limits.hold();
        let mut sorted_by = Vec::new();
        if self.sorted {
            // What is sorted by comes first: of most rows nothing else is needed.
            self.sort_key.clear();
            if let Some(key) = told_apart_by.filter(|_| self.sorts_as_told_apart) {
                self.sort_key.extend_from_slice(key);
            } else {
                for sort in &self.query.order {
                    let (key, ordinals) = (&mut self.sort_key, &self.ordinals);
                    if let Some(value) =
                        push_sorted(sort, (select, self.query), ordinals, row, key)?
                    {
                        held.add_value(&value)?;
                        sorted_by.push((sort.position, value));
                    }
                }
            }
            if self.may_pass_over && self.cut.is_beyond(&self.sort_key) {
                self.counted += 1;
                return Ok(Flow::Continue);
            }
        }
        let (mut key, mut values) = self.spare.pop().unwrap_or_default();
        key.extend_from_slice(&self.sort_key);
        if let Some(late) = self.late {
            push_key(late, row, &mut values)?;
            if self.sorted {
                return self.keep(values, key);
            }
            self.counted += 1;
            self.give_late(select, late, vec![values], row)?;
            return Ok(if self.is_full() { Flow::Stop } else { Flow::Continue });
        }
        values.reserve_exact(select.visible);
        let outputs = select.outputs[..select.visible].iter().zip(&self.query.columns);
        for (at, (node, column)) in outputs.enumerate() {
            let known = sorted_by.iter_mut().find(|(position, _)| *position == at);
            values.push(match known {
                Some((_, value)) => std::mem::replace(value, Value::Null),
                None => {
                    let value = output_value(node, column, row)?;
                    held.add_value(&value)?;
                    value
                }
            });
        }
        if !self.is_stable && !self.is_first(&values)? {
            return Ok(Flow::Continue);
        }
        self.keep(values, key)
    }

    /// Whether DISTINCT has not seen these values, as it now has.
    fn is_first(&mut self, values: &[Value]) -> Result<bool> {
        let Some(seen) = &mut self.seen else { return Ok(true) };
        seen.is_first(&distinct_key(&self.query.columns, values), &mut self.drawn)
    }

    /// Takes a row whose columns are all that is sorted by.
    ///
    /// # Errors
    /// As `project`.
    pub fn row(&mut self, values: Vec<Value>) -> Result<Flow> {
        if !self.is_first(&values)? {
            return Ok(Flow::Continue);
        }
        let mut key = Vec::new();
        if self.sorted {
            for sort in &self.query.order {
                let push = if sort.descending { push_descending } else { push };
                let ty = &self.query.columns[sort.position].ty;
                push(ty, values[sort.position].as_datum(), &mut key);
            }
        }
        self.keep(values, key)
    }

    fn keep(&mut self, values: Vec<Value>, key: Vec<u8>) -> Result<Flow> {
        self.counted += 1;
        if !self.sorted {
            return self.pass_on(values);
        }
        self.drawn.draw(kept_bytes(&key, &values))?;
        self.kept.push((key, values));
        let wanted = self.offset.saturating_add(self.limit);
        if let Ok(wanted) = usize::try_from(wanted)
            && self.kept.len() >= wanted.saturating_mul(2).saturating_add(SORT_SLACK)
        {
            self.keep_first(wanted);
        }
        Ok(self.cut.take())
    }

    /// Throws away what is kept beyond the first rows in the order; these stay as they came.
    fn keep_first(&mut self, wanted: usize) {
        let mut order = places_of(&self.kept);
        if let Some(last) = wanted.checked_sub(1).filter(|last| *last < order.len()) {
            order.select_nth_unstable_by(last, by_key(&self.kept));
            self.cut.set_bound(Some(self.kept[order[last].1].0.clone()));
        }
        order.truncate(wanted);
        order.sort_unstable_by_key(|(_, at)| *at);
        for (to, (_, from)) in order.into_iter().enumerate() {
            self.kept.swap(to, from);
        }
        for (mut key, mut values) in self.kept.drain(wanted..) {
            self.drawn.give_back(kept_bytes(&key, &values));
            key.clear();
            values.clear();
            self.spare.push((key, values));
        }
    }

    fn pass_on(&mut self, values: Vec<Value>) -> Result<Flow> {
        if self.offset > 0 {
            self.offset -= 1;
            return Ok(Flow::Continue);
        }
        if self.limit > 0 {
            self.limit -= 1;
            if (self.give)(values)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(if self.is_full() { Flow::Stop } else { Flow::Continue })
    }

    /// Gives what was kept of a SELECT; how many rows counted, for FOUND_ROWS().
    ///
    /// # Errors
    /// Those of looking rows up, and of the one who takes them.
    pub fn finish(mut self, select: &Select, scope: &Scope<'_>) -> Result<u64> {
        let counted = self.rows_counted();
        let mut kept = self.sorted_rows();
        let Some(late) = self.late else {
            self.give_all(kept)?;
            return Ok(counted);
        };
        let rows = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).min(kept.len());
        kept.truncate(rows(self.offset.saturating_add(self.limit)));
        self.give_late(select, late, kept, scope)?;
        Ok(counted)
    }

    fn rows_counted(&self) -> u64 {
        if self.counts_all { self.counted } else { self.counted.min(self.wanted) }
    }

    /// Gives the rows that have these primary keys, but for those that OFFSET passes over.
    fn give_late(
        &mut self,
        select: &Select,
        late: &LateRows,
        mut keys: Vec<Vec<Value>>,
        scope: &Scope<'_>,
    ) -> Result<()> {
        let passed = usize::try_from(self.offset).unwrap_or(usize::MAX).min(keys.len());
        keys.drain(..passed);
        self.offset -= passed as u64;
        self.execution.look_up_late(select, late, &keys, scope, &mut |row| {
            let outputs = select.outputs[..select.visible].iter().zip(&self.query.columns);
            let mut held = row.limits.hold();
            let mut values = Vec::with_capacity(select.visible);
            for (node, column) in outputs {
                let value = output_value(node, column, row)?;
                held.add_value(&value)?;
                values.push(value);
            }
            self.pass_on(values)
        })
    }

    /// Gives rows that were kept as they are; how many counted, for FOUND_ROWS().
    ///
    /// # Errors
    /// Those of the one who takes rows.
    pub fn finish_rows(mut self) -> Result<u64> {
        let counted = self.rows_counted();
        let kept = self.sorted_rows();
        self.give_all(kept)?;
        Ok(counted)
    }

    fn give_all(&mut self, rows: Vec<Vec<Value>>) -> Result<()> {
        for values in rows {
            if self.is_full() || self.pass_on(values)? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    fn sorted_rows(&mut self) -> Vec<Vec<Value>> {
        let mut kept = std::mem::take(&mut self.kept);
        self.counts_all = false;
        let order = order_of(&kept);
        order.into_iter().map(|at| std::mem::take(&mut kept[at].1)).collect()
    }
}

/// The places of rows in the order of their keys, those with the same key as they came.
fn order_of(kept: &[(Vec<u8>, Vec<Value>)]) -> Vec<usize> {
    let mut order = places_of(kept);
    order.sort_unstable_by(by_key(kept));
    order.into_iter().map(|(_, at)| at).collect()
}

/// The places of rows with the first bytes of their keys, as a number: most keys differ in these,
/// which then are compared without a look at where the key is.
fn places_of(kept: &[(Vec<u8>, Vec<Value>)]) -> Vec<(u128, usize)> {
    let first = |key: &[u8]| match key.first_chunk::<FIRST_BYTES>() {
        Some(first) => u128::from_be_bytes(*first),
        None => {
            let mut first = [0; FIRST_BYTES];
            first[..key.len()].copy_from_slice(key);
            u128::from_be_bytes(first)
        }
    };
    kept.iter().enumerate().map(|(at, (key, _))| (first(key), at)).collect()
}

/// Compares places by their rows' keys, and those of the same key by themselves.
fn by_key(
    kept: &[(Vec<u8>, Vec<Value>)],
) -> impl Fn(&(u128, usize), &(u128, usize)) -> Ordering + '_ {
    |(a, at), (b, other)| {
        a.cmp(b).then_with(|| kept[*at].0.cmp(&kept[*other].0)).then_with(|| at.cmp(other))
    }
}

/// What a row that is kept takes, with what it is sorted by.
fn kept_bytes(key: &[u8], values: &[Value]) -> usize {
    key.len() + size_of::<Vec<u8>>() + row_bytes(values)
}

/// Whether rows are sorted by all of their columns, in the columns' order.
fn is_order_of_all(query: &Query) -> bool {
    query.order.len() == query.columns.len()
        && query.order.iter().enumerate().all(|(at, sort)| sort.position == at && !sort.descending)
}
