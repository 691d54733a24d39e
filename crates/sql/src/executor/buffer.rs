//! Rows that are read once and looked at many times: derived tables, listings, and the inner side
//! of joins without a useful index, with a hash table over them where equations can be answered.
//!
//! Invariants
//! 1. What is kept depends on nothing but the statement: no joined or enclosing row.
//!
//! Not here: when something is kept (`join`).

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use expression::{JoinedRow, Node, RowView, Scope};
use rows::table::Table;
use values::datum::Value;
use values::types::Collation;

use super::Execution;
use super::key::{KEY_BYTES, push_equal};
use crate::error::Result;
use crate::optimize::{Class, HashKeys};
use crate::point::Gathered;

/// Rows.
pub enum Content {
    /// Of a stored table.
    Stored(Arc<Table>, Gathered),
    /// Of anything else.
    Values(Vec<Vec<Value>>),
}

/// Rows, with a hash table over them once one was asked for.
pub struct Buffer {
    content: Content,
    index: OnceCell<HashMap<Vec<u8>, Vec<u32>, foldhash::fast::RandomState>>,
}

impl Buffer {
    /// Of rows.
    pub fn new(content: Content) -> Buffer {
        Buffer { content, index: OnceCell::new() }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Stored(_, gathered) => gathered.len(),
            Content::Values(rows) => rows.len(),
        }
    }

    /// One of them.
    pub fn row(&self, n: usize) -> Result<JoinedRow<'_>> {
        Ok(match &self.content {
            Content::Stored(table, gathered) => {
                JoinedRow::Stored(gathered.row(table, n)?, gathered.key(n))
            }
            Content::Values(rows) => JoinedRow::Values(&rows[n]),
        })
    }

    /// The numbers of the rows whose own side of the equations equals the other side.
    pub(super) fn matching(
        &self,
        keys: &HashKeys,
        execution: &Execution<'_>,
        scope: &Scope<'_>,
    ) -> Result<&[u32]> {
        let index = match self.index.get() {
            Some(index) => index,
            None => {
                let index = self.hashed(keys, execution, scope)?;
                self.index.get_or_init(|| index)
            }
        };
        let mut key = Vec::with_capacity(32);
        Ok(match push_key(&keys.others, &keys.rules, scope, &mut key)? {
            true => index.get(&key).map_or(&[], Vec::as_slice),
            false => &[],
        })
    }

    fn hashed(
        &self,
        keys: &HashKeys,
        execution: &Execution<'_>,
        scope: &Scope<'_>,
    ) -> Result<HashMap<Vec<u8>, Vec<u32>, foldhash::fast::RandomState>> {
        let mut index: HashMap<Vec<u8>, Vec<u32>, _> = HashMap::default();
        for n in 0..self.len() {
            let row = self.row(n)?;
            let mut key = Vec::with_capacity(32);
            if push_key(&keys.own, &keys.rules, &scope.with_row(view_of(&row)), &mut key)? {
                execution.draw(KEY_BYTES + key.len())?;
                index.entry(key).or_default().push(n as u32);
            }
        }
        Ok(index)
    }
}

/// A relation's own row as local expressions see it.
pub fn view_of<'a>(row: &'a JoinedRow<'a>) -> RowView<'a> {
    match row {
        JoinedRow::Absent => RowView::None,
        JoinedRow::Stored(row, _) => RowView::Stored(row),
        JoinedRow::Values(values) | JoinedRow::Repeated(values) => RowView::Values(values),
    }
}

/// Appends the key of one side of equations; `false` if it equals nothing.
pub(super) fn push_key(
    nodes: &[Node],
    rules: &[(Class, Collation)],
    scope: &Scope<'_>,
    key: &mut Vec<u8>,
) -> Result<bool> {
    for (node, (class, rule)) in nodes.iter().zip(rules) {
        if !push_equal(*class, *rule, node.evaluate(scope)?.datum(), key) {
            return Ok(false);
        }
    }
    Ok(true)
}
