//! Groups: their keys, their aggregates, and of everything else the first row's values.
//!
//! WITH ROLLUP adds each row to one group more for every key, the groups of all rows that agree in
//! the keys before it; its own key and those behind are NULL there. Sums come behind what they
//! sum up where no order is asked for.
//!
//! Invariants
//! 1. Without keys there is one group, also of no rows.
//!
//! Not here: what an aggregate computes (`accumulate`).

use std::cmp::Ordering;
use std::collections::HashMap;

use expression::{Kind, Node, Ordinals, Scope};
use values::datum::{Datum, Value};

use super::accumulate::Accumulator;
use super::drawn::Drawn;
use super::key::{push, push_ordinal};
use super::{Execution, Flow, row_bytes};
use crate::error::{Result, SqlError};
use crate::optimize::is_volatile;
use crate::tree::{Aggregate, AggregateFunction, Grouping};

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
    keys: Vec<Value>,
    aggregates: Vec<Accumulator>,
    others: Vec<Value>,
}

/// The groups of one SELECT.
pub(super) struct Groups<'g> {
    drawn: Drawn<'g>,
    grouping: &'g Grouping,
    /// How keys are had as ordinals.
    key_ordinals: Vec<Option<Ordinals<'g>>>,
    /// How arguments of aggregates are.
    argument_ordinals: Vec<Option<Ordinals<'g>>>,
    known: HashMap<Vec<u8>, usize, foldhash::fast::RandomState>,
    groups: Vec<Group>,
    concat_bytes_max: usize,
    key: Vec<u8>,
    runs: Runs,
    /// Whether equal rows are of one group, and of no other.
    may_repeat: bool,
    /// The group of the row before, then.
    last: Option<usize>,
}

/// The group of the row before: where rows come in the order of their keys, most rows are of it,
/// which is cheaper to see than to look it up.
struct Runs {
    /// The keys as the row before had them, if it is worth while.
    keys: Option<Vec<RunKey>>,
    group: usize,
    /// How many rows more were of the group before than were not.
    gain: i32,
}

/// Rows out of order after which nobody looks for runs any more, if there were no more in order.
const RUNS_GIVEN_UP: i32 = -64;

impl<'g> Groups<'g> {
    pub fn new(
        execution: &'g Execution<'g>,
        grouping: &'g Grouping,
        scope: &Scope<'_>,
    ) -> Result<Groups<'g>> {
        let concat_bytes_max = super::accumulate::concat_bytes_max(scope)?;
        let looks_for_runs = !grouping.rollup && grouping.keys.iter().all(is_cheap);
        let mut groups = Groups {
            drawn: Drawn::nothing(execution),
            grouping,
            key_ordinals: grouping.keys.iter().map(Ordinals::of).collect(),
            argument_ordinals: grouping.aggregates.iter().map(Accumulator::ordinals).collect(),
            known: HashMap::default(),
            groups: Vec::new(),
            concat_bytes_max,
            key: Vec::new(),
            may_repeat: !grouping.rollup && !grouping.keys.iter().any(is_volatile),
            last: None,
            runs: Runs {
                keys: None,
                group: 0,
                gain: if looks_for_runs { 0 } else { RUNS_GIVEN_UP },
            },
        };
        if grouping.keys.is_empty() {
            let aggregates = groups.accumulators();
            let others = vec![Value::Null; grouping.others.len()];
            groups.groups.push(Group { level: 0, keys: Vec::new(), aggregates, others });
        }
        Ok(groups)
    }

    /// The only group's aggregates are these; no row was or will be added.
    pub fn know(&mut self, values: Vec<Value>) {
        for (state, value) in self.groups[0].aggregates.iter_mut().zip(values) {
            state.know(value);
        }
    }

    fn accumulators(&self) -> Vec<Accumulator> {
        let aggregates = self.grouping.aggregates.iter().zip(&self.argument_ordinals);
        let each = |(aggregate, ordinals): (_, &Option<Ordinals<'_>>)| match ordinals {
            Some(_) => Accumulator::of_ordinals(aggregate),
            None => Accumulator::new(aggregate, self.concat_bytes_max),
        };
        aggregates.map(each).collect()
    }

    /// Adds a joined row.
    pub fn add(&mut self, row: &Scope<'_>) -> Result<()> {
        let grouping = self.grouping;
        if grouping.keys.is_empty() {
            let first = self.known.is_empty();
            if first {
                // Only a mark that there was a row.
                self.known.insert(Vec::new(), 0);
                self.groups[0].others = values_of(&grouping.others, row)?;
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
            let mut key = std::mem::take(&mut self.key);
            key.clear();
            key.push(level as u8);
            for (node, ordinals) in grouping.keys[..level].iter().zip(&self.key_ordinals) {
                match ordinals {
                    Some(ordinals) => push_ordinal(ordinals.get(row)?, &mut key),
                    None => push(&node.ty, node.evaluate(row)?.datum(), &mut key),
                }
            }
            let at = match self.known.get(key.as_slice()) {
                Some(at) => *at,
                None => self.begin(&key, level, row)?,
            };
            self.key = key;
            if self.runs.gain > RUNS_GIVEN_UP {
                self.runs.keys = Some(self.run_keys(row)?);
                self.runs.group = at;
            }
            self.last = self.may_repeat.then_some(at);
            self.accumulate(at, row)?;
        }
        Ok(())
    }

    /// Whether nothing is asked of a group's rows but how many there are, and the next row is of the same
    /// group if it has the same values.
    pub fn only_count(&self) -> bool {
        let counts = |one: &Aggregate| one.function == AggregateFunction::CountRows;
        let grouping = self.grouping;
        self.may_repeat && !grouping.keys.is_empty() && grouping.aggregates.iter().all(counts)
    }

    /// Adds so many joined rows of the same values, where they are only counted.
    pub fn add_rows(&mut self, row: &Scope<'_>, rows: u64) -> Result<()> {
        if self.is_in_run(row)? {
            self.last = Some(self.runs.group);
            let group = &mut self.groups[self.runs.group];
            group.aggregates.iter_mut().for_each(|state| state.count_rows(rows));
            return Ok(());
        }
        self.add_other(row)?;
        let Some(at) = self.last else { return Err(SqlError::other("rows of no group")) };
        self.groups[at].aggregates.iter_mut().for_each(|state| state.count_rows(rows - 1));
        Ok(())
    }

    /// Whether a row is of the group of the row before.
    fn is_in_run(&mut self, row: &Scope<'_>) -> Result<bool> {
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

    fn run_keys(&self, row: &Scope<'_>) -> Result<Vec<RunKey>> {
        let keys = self.grouping.keys.iter().zip(&self.key_ordinals);
        let of = |(key, ordinals): (&Node, &Option<Ordinals<'_>>)| {
            Ok(match ordinals {
                Some(ordinals) => RunKey::Ordinal(ordinals.get(row)?),
                None => RunKey::Value(key.evaluate(row)?.into_value()),
            })
        };
        keys.map(of).collect()
    }

    fn begin(&mut self, key: &[u8], level: usize, row: &Scope<'_>) -> Result<usize> {
        let mut keys = values_of(&self.grouping.keys, row)?;
        keys[level..].iter_mut().for_each(|value| *value = Value::Null);
        let others = values_of(&self.grouping.others, row)?;
        let aggregates = self.accumulators();
        let bytes = GROUP_BYTES
            + key.len()
            + row_bytes(&keys)
            + row_bytes(&others)
            + aggregates.len() * size_of::<Accumulator>();
        self.drawn.draw(bytes)?;
        self.known.insert(key.to_vec(), self.groups.len());
        self.groups.push(Group { level, keys, aggregates, others });
        Ok(self.groups.len() - 1)
    }

    fn accumulate(&mut self, at: usize, row: &Scope<'_>) -> Result<()> {
        let group = &mut self.groups[at];
        let aggregates = self.grouping.aggregates.iter().zip(&self.argument_ordinals);
        for (state, (aggregate, ordinals)) in group.aggregates.iter_mut().zip(aggregates) {
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
    pub fn each(
        mut self,
        unordered: bool,
        scope: &Scope<'_>,
        give: &mut dyn FnMut(&[Value]) -> Result<Flow>,
    ) -> Result<()> {
        if self.grouping.rollup && unordered {
            let keys = &self.grouping.keys;
            self.groups.sort_by(|a, b| rollup_order(keys, a, b));
        }
        for group in self.groups {
            let mut row = group.keys;
            for (mut state, aggregate) in
                group.aggregates.into_iter().zip(&self.grouping.aggregates)
            {
                row.push(state.result(aggregate, scope)?);
            }
            row.extend(group.others);
            if give(&row)? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }
}

/// Whether a key may be evaluated once more to see whether it is that of the row before: a column, or
/// a function of columns that gives no text (YEAR, MONTH). Others may be dear, or not the same again.
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

fn values_of(nodes: &[Node], row: &Scope<'_>) -> Result<Vec<Value>> {
    nodes.iter().map(|node| Ok(node.evaluate(row)?.into_value())).collect()
}

/// The order in which each sum follows its groups.
fn rollup_order(keys: &[Node], a: &Group, b: &Group) -> Ordering {
    for (at, node) in keys.iter().enumerate() {
        match (at >= a.level, at >= b.level) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Greater,
            (false, true) => return Ordering::Less,
            (false, false) => {}
        }
        let (mut x, mut y) = (Vec::new(), Vec::new());
        push(&node.ty, a.keys[at].as_datum(), &mut x);
        push(&node.ty, b.keys[at].as_datum(), &mut y);
        match x.cmp(&y) {
            Ordering::Equal => {}
            other => return other,
        }
    }
    Ordering::Equal
}
