//! DISTINCT: which rows were seen before.
//!
//! Most rows were, and where they come in some order most are as the one right before them. So
//! columns that are had as ordinals are compared with that one's first, and nothing of a row is
//! kept to find out whether it is new.
//!
//! Invariants
//! 1. Of rows that are equal in all columns the first one is new, and no other.
//!
//! Not here: what becomes of new rows (`output`).

use expression::{Ordinals, Scope};
use rows::local::KeySet;
use values::datum::Value;

use super::drawn::DrawnBytes;
use super::key::{push, push_ordinal};
use super::output_value::{is_as_stored, output_value};
use plan::tree::{OutputColumn, Query, Select};
use results::Result;

/// Rows that were seen.
#[derive(Default)]
pub(super) struct Distinct {
    keys: KeySet,
    /// The key of the row at hand.
    key: Vec<u8>,
    /// The columns of the row before, if all are had as ordinals; empty before the first.
    last: Vec<Option<u64>>,
}

impl Distinct {
    /// The key of the row at hand, which was new.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Whether no row like this one was seen; `ordinals` are those of its columns.
    ///
    /// # Errors
    /// Those of evaluating its columns, and of memory that is not to be had.
    pub fn is_new(
        &mut self,
        (select, query): (&Select, &Query),
        ordinals: &[Option<Ordinals<'_>>],
        row: &Scope<'_>,
        drawn: &mut DrawnBytes<'_>,
    ) -> Result<bool> {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        let columns = query.columns.len();
        if ordinals.len() >= columns && ordinals[..columns].iter().all(Option::is_some) {
            if self.is_as_before(&ordinals[..columns], row)? {
                self.key = key;
                return Ok(false);
            }
            self.last.iter().for_each(|ordinal| push_ordinal(*ordinal, &mut key));
        } else {
            let outputs = select.outputs.iter().zip(&query.columns).zip(ordinals);
            for ((node, column), ordinals) in outputs {
                if let Some(ordinals) = ordinals {
                    push_ordinal(ordinals.get(row)?, &mut key);
                } else if is_as_stored(node, column) {
                    push(&column.ty, node.evaluate(row)?.datum(), &mut key);
                } else {
                    push(&column.ty, output_value(node, column, row)?.as_datum(), &mut key);
                }
            }
        }
        let is_new = self.is_first(&key, drawn)?;
        self.key = key;
        Ok(is_new)
    }

    /// Whether a row has the ordinals of the one before, whose place it takes.
    fn is_as_before(&mut self, ordinals: &[Option<Ordinals<'_>>], row: &Scope<'_>) -> Result<bool> {
        let mut same = !self.last.is_empty();
        self.last.resize(ordinals.len(), None);
        for (ordinals, last) in ordinals.iter().zip(&mut self.last) {
            let Some(ordinals) = ordinals else { return Ok(false) };
            let ordinal = ordinals.get(row)?;
            same &= *last == ordinal;
            *last = ordinal;
        }
        Ok(same)
    }

    /// Whether this key was not seen, as it now is.
    ///
    /// # Errors
    /// Those of memory that is not to be had.
    pub fn is_first(&mut self, key: &[u8], drawn: &mut DrawnBytes<'_>) -> Result<bool> {
        if self.keys.contains(key)? {
            return Ok(false);
        }
        drawn.insert(&mut self.keys, key.to_vec())?;
        Ok(true)
    }
}

/// Bytes that are equal for rows that DISTINCT takes for one.
pub(super) fn distinct_key(columns: &[OutputColumn], values: &[Value]) -> Vec<u8> {
    let texts = values.iter().map(|value| match value {
        // A weight has two bytes.
        Value::Bytes(text) => 2 * text.len(),
        _ => 0,
    });
    let mut key = Vec::with_capacity(16 * values.len() + texts.sum::<usize>());
    for (column, value) in columns.iter().zip(values) {
        push(&column.ty, value.as_datum(), &mut key);
    }
    key
}
