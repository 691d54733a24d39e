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

use rows::datum::Value;

use super::accumulate::Accumulator;
use super::key::push;
use super::{Execution, Flow, row_bytes};
use crate::error::Result;
use crate::expression::{Node, Scope};
use crate::tree::Grouping;

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
    execution: &'g Execution<'g>,
    grouping: &'g Grouping,
    known: HashMap<Vec<u8>, usize, foldhash::fast::RandomState>,
    groups: Vec<Group>,
    concat_bytes_max: usize,
    key: Vec<u8>,
}

impl<'g> Groups<'g> {
    pub fn new(
        execution: &'g Execution<'g>,
        grouping: &'g Grouping,
        scope: &Scope<'_>,
    ) -> Result<Groups<'g>> {
        let concat_bytes_max = super::accumulate::concat_bytes_max(scope)?;
        let mut groups = Groups {
            execution,
            grouping,
            known: HashMap::default(),
            groups: Vec::new(),
            concat_bytes_max,
            key: Vec::new(),
        };
        if grouping.keys.is_empty() {
            let aggregates = groups.accumulators();
            let others = vec![Value::Null; grouping.others.len()];
            groups.groups.push(Group { level: 0, keys: Vec::new(), aggregates, others });
        }
        Ok(groups)
    }

    fn accumulators(&self) -> Vec<Accumulator> {
        let each = |aggregate| Accumulator::new(aggregate, self.concat_bytes_max);
        self.grouping.aggregates.iter().map(each).collect()
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
        let all = grouping.keys.len();
        let levels = if grouping.rollup { 0..=all } else { all..=all };
        for level in levels {
            let mut key = std::mem::take(&mut self.key);
            key.clear();
            key.push(level as u8);
            for node in &grouping.keys[..level] {
                push(&node.ty, node.evaluate(row)?.datum(), &mut key);
            }
            let at = match self.known.get(key.as_slice()) {
                Some(at) => *at,
                None => self.begin(&key, level, row)?,
            };
            self.key = key;
            self.accumulate(at, row)?;
        }
        Ok(())
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
        self.execution.draw(bytes)?;
        self.known.insert(key.to_vec(), self.groups.len());
        self.groups.push(Group { level, keys, aggregates, others });
        Ok(self.groups.len() - 1)
    }

    fn accumulate(&mut self, at: usize, row: &Scope<'_>) -> Result<()> {
        let group = &mut self.groups[at];
        for (state, aggregate) in group.aggregates.iter_mut().zip(&self.grouping.aggregates) {
            let bytes = state.add(aggregate, row)?;
            if bytes > 0 {
                self.execution.draw(bytes)?;
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
            for (state, aggregate) in group.aggregates.into_iter().zip(&self.grouping.aggregates) {
                row.push(state.finish(aggregate, scope)?);
            }
            row.extend(group.others);
            if give(&row)? == Flow::Stop {
                break;
            }
        }
        Ok(())
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
