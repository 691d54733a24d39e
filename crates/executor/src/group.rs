//! Groups: their keys, their aggregates, and of everything else the first row's values.
//!
//! WITH ROLLUP adds each row to one group more for every key, the groups of all rows that agree in
//! the keys before it; its own key and those behind are NULL there. Sums come behind what they sum
//! up where no order is asked for.
//!
//! What groups have lies side by side, in the order in which they began: a query may have as many
//! groups as rows, and memory that each took for itself would cost more than all the rest.
//!
//! ```text
//! bytes      key of group 0 | key of group 1 | ...            groups   where each of these ends
//! values     keys, others of group 0 | keys, others of 1 | ...
//! states     aggregates of group 0   | aggregates of 1   | ...
//! ```
//!
//! Where the rows of each group come one after the other, a group is given when the next one
//! begins, and there is never more than one.
//!
//! Invariants
//! 1. Without keys there is one group, also of no rows.
//!
//! Not here: what an aggregate computes (`accumulate`).

use std::cmp::Ordering;
use std::hash::BuildHasher;

use expression::{Kind, Node, Ordinals, Scope};
use hashbrown::HashTable;
use values::datum::{Datum, Value};

use super::accumulate::Accumulator;
use super::drawn::DrawnBytes;
use super::key::{push, push_ordinal};
use super::{Execution, Flow, row_bytes};
use plan::terms::is_volatile;
use plan::tree::{Aggregate, AggregateFunction, Grouping};
use results::{Result, SqlError};

/// What a key was in the row before.
enum RunKey {
    Ordinal(Option<u64>),
    Value(Value),
}

/// What a group takes besides its values, about.
const GROUP_BYTES: usize = 128;

struct Group {
    /// How many keys it is grouped by: fewer than all for a rollup's sums.
    level: usize,
    /// Where its key ends.
    end: usize,
}

/// The groups of one SELECT.
pub(super) struct Groups<'g> {
    drawn: DrawnBytes<'g>,
    grouping: &'g Grouping,
    /// How keys are had as ordinals.
    key_ordinals: Vec<Option<Ordinals<'g>>>,
    /// How arguments of aggregates are.
    argument_ordinals: Vec<Option<Ordinals<'g>>>,
    /// Groups by their keys.
    known: HashTable<usize>,
    hasher: foldhash::fast::RandomState,
    groups: Vec<Group>,
    /// Keys of all groups.
    bytes: Vec<u8>,
    values: Vec<Value>,
    states: Vec<Accumulator>,
    concat_bytes_max: usize,
    /// That of the row at hand.
    key: Vec<u8>,
    /// Room for the row of a group that is given.
    row: Vec<Value>,
    /// Whether there was a row.
    any: bool,
    runs: KeyRun,
    /// Whether equal rows are of one group, and of no other.
    may_repeat: bool,
    /// The group of the row before, then.
    last: Option<usize>,
    /// Whether the row at hand is known to be of that group.
    is_of_last: bool,
}

/// The group of the row before: where rows come in the order of their keys, most rows are of it,
/// which is cheaper to see than to look it up.
struct KeyRun {
    /// The keys as the row before had them, if it is worth while.
    keys: Option<Vec<RunKey>>,
    group: usize,
    /// How many rows more were of the group before than were not.
    gain: i32,
}

/// Rows out of order after which nobody looks for runs any more, if there were no more in order.
const RUNS_GIVEN_UP: i32 = -64;

impl<'g> Groups<'g> {
    /// No groups yet.
    ///
    /// # Errors
    /// Those of evaluating what is the same for all groups.
    pub fn new(
        execution: &'g Execution<'g>,
        grouping: &'g Grouping,
        scope: &Scope<'_>,
    ) -> Result<Groups<'g>> {
        let concat_bytes_max = super::accumulate::concat_bytes_max(scope)?;
        let looks_for_runs = !grouping.rollup && grouping.keys.iter().all(is_cheap);
        let mut groups = Groups {
            drawn: DrawnBytes::nothing(execution),
            grouping,
            key_ordinals: grouping.keys.iter().map(Ordinals::of).collect(),
            argument_ordinals: grouping.aggregates.iter().map(Accumulator::ordinals).collect(),
            known: HashTable::new(),
            hasher: foldhash::fast::RandomState::default(),
            groups: Vec::new(),
            bytes: Vec::new(),
            values: Vec::new(),
            states: Vec::new(),
            concat_bytes_max,
            key: Vec::new(),
            row: Vec::new(),
            any: false,
            may_repeat: !grouping.rollup && !grouping.keys.iter().any(is_volatile),
            last: None,
            is_of_last: false,
            runs: KeyRun {
                keys: None,
                group: 0,
                gain: if looks_for_runs { 0 } else { RUNS_GIVEN_UP },
            },
        };
        if grouping.keys.is_empty() {
            groups.values.resize(grouping.others.len(), Value::Null);
            groups.groups.push(Group { level: 0, end: 0 });
            groups.begin_states();
        }
        Ok(groups)
    }

    /// The only group's aggregates are these; no row was or will be added.
    pub fn know(&mut self, values: Vec<Value>) {
        for (state, value) in self.states.iter_mut().zip(values) {
            state.know(value);
        }
    }

    /// Adds the aggregates of one more group.
    fn begin_states(&mut self) {
        let aggregates = self.grouping.aggregates.iter().zip(&self.argument_ordinals);
        self.states.extend(aggregates.map(|(aggregate, ordinals)| match ordinals {
            Some(_) => Accumulator::of_ordinals(aggregate),
            None => Accumulator::new(aggregate, self.concat_bytes_max),
        }));
    }

    /// The aggregates of a group.
    fn states_of(&mut self, at: usize) -> &mut [Accumulator] {
        let each = self.grouping.aggregates.len();
        &mut self.states[at * each..(at + 1) * each]
    }

    /// The group with the key at hand.
    fn group_of_key(&self, hash: u64) -> Option<usize> {
        let is_its = |at: &usize| key_of(&self.groups, &self.bytes, *at) == self.key;
        self.known.find(hash, is_its).copied()
    }

    /// Adds a joined row.
    ///
    /// # Errors
    /// Those of evaluating keys and arguments, and of memory that is not to be had.
    pub fn add(&mut self, row: &Scope<'_>) -> Result<()> {
        let grouping = self.grouping;
        if grouping.keys.is_empty() {
            if !std::mem::replace(&mut self.any, true) {
                self.values.clear();
                push_values(&grouping.others, row, &mut self.values)?;
            }
            return self.accumulate(0, row);
        }
        if let (Some(at), true) = (self.last, row.row.is_repeated()) {
            return self.accumulate(at, row);
        }
        if self.is_in_run(row)? {
            self.last = Some(self.runs.group);
            return self.accumulate(self.runs.group, row);
        }
        self.add_other(row)
    }

    /// Adds a joined row that is not of the group of the row before.
    fn add_other(&mut self, row: &Scope<'_>) -> Result<()> {
        let grouping = self.grouping;
        let all = grouping.keys.len();
        let levels = if grouping.rollup { 0..=all } else { all..=all };
        for level in levels {
            self.make_key(level, row)?;
            let hash = self.hasher.hash_one(self.key.as_slice());
            let at = match self.group_of_key(hash) {
                Some(at) => at,
                None => self.begin(hash, level, row)?,
            };
            if self.runs.gain > RUNS_GIVEN_UP {
                self.keep_run_keys(row)?;
                self.runs.group = at;
            }
            self.last = self.may_repeat.then_some(at);
            self.accumulate(at, row)?;
        }
        Ok(())
    }

    /// Whether nothing is asked of a group's rows but how many there are, and the next row is of
    /// the same group if it has the same values.
    pub fn only_count(&self) -> bool {
        let counts = |one: &Aggregate| one.function == AggregateFunction::CountRows;
        let grouping = self.grouping;
        self.may_repeat && !grouping.keys.is_empty() && grouping.aggregates.iter().all(counts)
    }

    /// Adds so many joined rows of the same values, where they are only counted.
    ///
    /// # Errors
    /// As `add`.
    pub fn add_rows(&mut self, row: &Scope<'_>, rows: u64) -> Result<()> {
        if self.is_in_run(row)? {
            self.last = Some(self.runs.group);
            let at = self.runs.group;
            self.states_of(at).iter_mut().for_each(|state| state.count_rows(rows));
            return Ok(());
        }
        self.add_other(row)?;
        let Some(at) = self.last else { return Err(SqlError::other("rows of no group")) };
        self.states_of(at).iter_mut().for_each(|state| state.count_rows(rows - 1));
        Ok(())
    }

    /// Whether a row is not of the group at hand, which has no more rows then. Only where the rows
    /// of each group come one after the other.
    ///
    /// # Errors
    /// Those of evaluating keys.
    pub fn begins_another(&mut self, row: &Scope<'_>) -> Result<bool> {
        self.is_of_last = false;
        let Some(at) = self.groups.len().checked_sub(1) else { return Ok(false) };
        let repeated = self.last.is_some() && row.row.is_repeated();
        let mut same = repeated || self.is_in_run(row)?;
        if !same {
            // Texts that are equal need not be the same.
            self.make_key(self.grouping.keys.len(), row)?;
            same = key_of(&self.groups, &self.bytes, at) == self.key;
        }
        (self.is_of_last, self.last) = (same, same.then_some(at));
        Ok(!same)
    }

    /// Gives the row of the group at hand, and forgets the group.
    ///
    /// # Errors
    /// As `each`.
    pub fn give_group(
        &mut self,
        scope: &Scope<'_>,
        give: &mut dyn FnMut(&[Value]) -> Result<Flow>,
    ) -> Result<Flow> {
        let mut row = std::mem::take(&mut self.row);
        self.make_row(0, scope, &mut row)?;
        self.known.clear();
        self.groups.clear();
        self.bytes.clear();
        self.values.clear();
        self.states.clear();
        self.runs.keys = None;
        self.last = None;
        self.drawn.give_all_back();
        let flow = give(&row);
        self.row = row;
        flow
    }

    /// Makes the row of a group, which has its values no more.
    fn make_row(&mut self, at: usize, scope: &Scope<'_>, row: &mut Vec<Value>) -> Result<()> {
        let grouping = self.grouping;
        let (keys, others) = (grouping.keys.len(), grouping.others.len());
        row.clear();
        let start = at * (keys + others);
        let end = start + keys + others;
        row.extend(self.values[start..start + keys].iter_mut().map(taken));
        let level = self.groups[at].level;
        for (state, aggregate) in self.states_of(at).iter_mut().zip(&grouping.aggregates) {
            row.push(match aggregate.function {
                AggregateFunction::Grouping => Value::Int(aggregate.summed_keys(level)),
                _ => state.result(aggregate, scope)?,
            });
        }
        row.extend(self.values[start + keys..end].iter_mut().map(taken));
        Ok(())
    }

    /// Makes the key of a row, of so many levels.
    fn make_key(&mut self, level: usize, row: &Scope<'_>) -> Result<()> {
        let key = &mut self.key;
        key.clear();
        key.push(level as u8);
        for (node, ordinals) in self.grouping.keys[..level].iter().zip(&self.key_ordinals) {
            match ordinals {
                Some(ordinals) => push_ordinal(ordinals.get(row)?, key),
                None => push(&node.ty, node.evaluate(row)?.datum(), key),
            }
        }
        Ok(())
    }

    /// Whether a row is of the group of the row before.
    fn is_in_run(&mut self, row: &Scope<'_>) -> Result<bool> {
        if std::mem::take(&mut self.is_of_last) {
            return Ok(true);
        }
        let Some(before) = self.runs.keys.as_deref() else { return Ok(false) };
        let mut same = true;
        let keys = self.grouping.keys.iter().zip(&self.key_ordinals);
        for ((key, ordinals), before) in keys.zip(before) {
            same = same
                && match (before, ordinals) {
                    (RunKey::Ordinal(before), Some(ordinals)) => ordinals.get(row)? == *before,
                    (RunKey::Value(before), None) => is_value(key, before, row)?,
                    _ => false,
                };
        }
        self.runs.gain = (self.runs.gain + if same { 1 } else { -1 }).min(-RUNS_GIVEN_UP);
        if self.runs.gain <= RUNS_GIVEN_UP {
            self.runs.keys = None;
        }
        Ok(same)
    }

    /// Keeps the keys of a row for the next one to be compared with.
    fn keep_run_keys(&mut self, row: &Scope<'_>) -> Result<()> {
        let mut kept = self.runs.keys.take().unwrap_or_default();
        kept.clear();
        for (key, ordinals) in self.grouping.keys.iter().zip(&self.key_ordinals) {
            kept.push(match ordinals {
                Some(ordinals) => RunKey::Ordinal(ordinals.get(row)?),
                None => RunKey::Value(key.evaluate(row)?.into_value()),
            });
        }
        self.runs.keys = Some(kept);
        Ok(())
    }

    /// Begins the group of the row at hand, whose key has a hash.
    fn begin(&mut self, hash: u64, level: usize, row: &Scope<'_>) -> Result<usize> {
        let start = self.values.len();
        push_values(&self.grouping.keys[..level], row, &mut self.values)?;
        self.values.resize(start + self.grouping.keys.len(), Value::Null);
        push_values(&self.grouping.others, row, &mut self.values)?;
        let bytes = GROUP_BYTES
            + self.key.len()
            + row_bytes(&self.values[start..])
            + self.grouping.aggregates.len() * size_of::<Accumulator>();
        self.drawn.draw(bytes)?;
        let at = self.groups.len();
        self.bytes.extend_from_slice(&self.key);
        self.groups.push(Group { level, end: self.bytes.len() });
        self.begin_states();
        let (groups, bytes, hasher) = (&self.groups, &self.bytes, &self.hasher);
        self.known.insert_unique(hash, at, |at| hasher.hash_one(key_of(groups, bytes, *at)));
        Ok(at)
    }

    fn accumulate(&mut self, at: usize, row: &Scope<'_>) -> Result<()> {
        let each = self.grouping.aggregates.len();
        let states = &mut self.states[at * each..(at + 1) * each];
        let aggregates = self.grouping.aggregates.iter().zip(&self.argument_ordinals);
        for (state, (aggregate, ordinals)) in states.iter_mut().zip(aggregates) {
            if let Some(ordinals) = ordinals {
                if let Some(ordinal) = ordinals.get(row)? {
                    state.add_ordinal(aggregate, ordinal);
                }
                continue;
            }
            let bytes = state.add(aggregate, row)?;
            if bytes > 0 {
                self.drawn.draw(bytes)?;
            }
        }
        Ok(())
    }

    /// Gives each group's row.
    ///
    /// # Errors
    /// Those of the aggregates' results, and of `give`.
    pub fn each(
        mut self,
        unordered: bool,
        scope: &Scope<'_>,
        give: &mut dyn FnMut(&[Value]) -> Result<Flow>,
    ) -> Result<()> {
        let grouping = self.grouping;
        let (keys, others) = (grouping.keys.len(), grouping.others.len());
        if grouping.rollup && self.groups.is_empty() {
            // The sum over all is there without a row, too (MySQL 9.7; MariaDB 10.11 gives none).
            self.values.resize(keys + others, Value::Null);
            self.groups.push(Group { level: 0, end: 0 });
            self.begin_states();
        }
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        if grouping.rollup && unordered {
            let keys_of = |at: usize| {
                let start = at * (keys + others);
                (self.groups[at].level, &self.values[start..start + keys])
            };
            order.sort_by(|a, b| rollup_order(&grouping.keys, keys_of(*a), keys_of(*b)));
        }
        let mut row = std::mem::take(&mut self.row);
        for at in order {
            self.make_row(at, scope, &mut row)?;
            if give(&row)? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }
}

fn taken(value: &mut Value) -> Value {
    std::mem::replace(value, Value::Null)
}

/// The key of a group among those of all.
fn key_of<'b>(groups: &[Group], bytes: &'b [u8], at: usize) -> &'b [u8] {
    let start = at.checked_sub(1).map_or(0, |before| groups[before].end);
    &bytes[start..groups[at].end]
}

/// Whether a key may be evaluated once more to see whether it is that of the row before: a column,
/// or a function of columns that gives no text (YEAR, MONTH). Others may be dear, or not the same
/// again.
fn is_cheap(key: &Node) -> bool {
    let is_column = |node: &Node| matches!(node.kind, Kind::Column(_));
    match &key.kind {
        Kind::Call(function, arguments) => {
            !function.is_volatile() && !key.is_text() && arguments.iter().all(is_column)
        }
        _ => is_column(key),
    }
}

/// Whether a key has a value. Texts are compared where they are.
fn is_value(key: &Node, value: &Value, row: &Scope<'_>) -> Result<bool> {
    match (&key.kind, value) {
        (Kind::Column(column), Value::Bytes(text)) => {
            Ok(matches!(row.row.column(*column)?, Datum::Bytes(other) if other == &text[..]))
        }
        _ => Ok(key.evaluate(row)?.datum() == value.as_datum()),
    }
}

fn push_values(nodes: &[Node], row: &Scope<'_>, out: &mut Vec<Value>) -> Result<()> {
    for node in nodes {
        out.push(node.evaluate(row)?.into_value());
    }
    Ok(())
}

/// The order in which each sum follows its groups, by their levels and keys.
fn rollup_order(
    keys: &[Node],
    (a_level, a_keys): (usize, &[Value]),
    (b_level, b_keys): (usize, &[Value]),
) -> Ordering {
    for (at, node) in keys.iter().enumerate() {
        match (at >= a_level, at >= b_level) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Greater,
            (false, true) => return Ordering::Less,
            (false, false) => {}
        }
        let (mut x, mut y) = (Vec::new(), Vec::new());
        push(&node.ty, a_keys[at].as_datum(), &mut x);
        push(&node.ty, b_keys[at].as_datum(), &mut y);
        match x.cmp(&y) {
            Ordering::Equal => {}
            other => return other,
        }
    }
    Ordering::Equal
}
