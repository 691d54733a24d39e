//! How many rows there are: of a table, of a key of an index, of the ranges that literals ask for.
//!
//! Ranges of literals are looked at (`rows::Engine::entries_about`). For keys that only a joined
//! row gives, some entries at both ends of the index say how many rows a key has (`samples` keeps
//! that for a moment).
//!
//! Invariants
//! 1. An estimate costs some thousands of entries' reading at most, whatever the size of the table;
//!    each is made once a statement.
//!
//! Not here: what is done with them (`access`, `order`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use expression::{Arithmetic, Environment, Kind, Node};
use rows::Engine;
use rows::store::{Direction, Reach, Read};
use rows::table::Table;
use values::SqlMode;
use values::datum::{Datum, Value};
use values::temporal::Zone;

use crate::context::SqlContext;
use crate::estimate::estimated_rows;
use crate::point::Access;
use crate::samples::Samples;
use results::Result;

/// Ranges of one access that are looked at; the others are thought to be alike.
const RANGES_MAX: usize = 8;
/// Entries at either end of an index that are looked at.
const SAMPLED: usize = 48;
/// Bytes of a key before its parts: the table's and the index's numbers.
const KEY_START: usize = 6;

/// Sizes of tables and of their indexes' keys.
pub struct Sizes<'a> {
    engine: &'a Engine,
    /// With what others have just seen, where that is at hand.
    samples: Arc<Samples>,
    view: &'a dyn Read,
    /// What the statement is planned with: others of its shape are thought to be like it.
    literals: &'a [Datum<'a>],
    zone: Zone,
    mode: SqlMode,
    rows: RefCell<HashMap<u32, f64>>,
}

impl<'a> Sizes<'a> {
    /// Sizes as `view` has them, for a statement with these literals.
    pub fn new(facts: &'a SqlContext, view: &'a dyn Read, literals: &'a [Datum<'a>]) -> Sizes<'a> {
        let setting = (facts.zone, facts.mode);
        let samples = Arc::clone(facts.sql.samples());
        Sizes { literals, samples, ..Sizes::of_constants(facts.sql.engine(), view, setting) }
    }

    /// Sizes as `view` has them, for terms over constants.
    pub fn of_constants(
        engine: &'a Engine,
        view: &'a dyn Read,
        (zone, mode): (Zone, SqlMode),
    ) -> Sizes<'a> {
        Sizes {
            engine,
            samples: Arc::default(),
            view,
            literals: &[],
            zone,
            mode,
            rows: RefCell::default(),
        }
    }

    /// Whose tables they are.
    pub(super) fn engine(&self) -> &Engine {
        self.engine
    }

    /// What the values of an access are evaluated in, as far as they are known before the statement
    /// runs.
    pub(super) fn environment(&self) -> Environment<'_> {
        Environment { mode: self.mode, ..Environment::bare(self.literals, self.zone) }
    }

    /// The rows of a table.
    pub(super) fn rows(&self, table: &Arc<Table>) -> Result<f64> {
        if let Some(rows) = self.rows.borrow().get(&table.id) {
            return Ok(*rows);
        }
        let rows = estimated_rows(self.engine, self.view, table)? as f64;
        self.rows.borrow_mut().insert(table.id, rows);
        Ok(rows)
    }

    /// The rows of the ranges that an access path asks for, if literals alone say so.
    pub(super) fn of_access(
        &self,
        table: &Table,
        access: &Access,
        size: f64,
    ) -> Result<Option<f64>> {
        if !access.is_of_literals() {
            return Ok(None);
        }
        let environment = self.environment();
        // A function of the session cannot be asked here; then nothing is known.
        let Ok(found) = access.ranges(table, &environment.scope()) else { return Ok(None) };
        if found.all_terms {
            return Ok(Some(size));
        }
        let (mut rows, all) = (0.0, found.iter().count());
        for range in found.iter().take(RANGES_MAX) {
            rows += self.engine.entries_about(self.view, range, size as u64)? as f64;
        }
        let unlooked = all.max(1) as f64 / all.clamp(1, RANGES_MAX) as f64;
        Ok(Some((rows * unlooked).min(size)))
    }

    /// The rows that a key of the first `parts` parts of an index has, on average.
    pub(super) fn per_key(
        &self,
        table: &Table,
        index: usize,
        parts: usize,
        size: f64,
    ) -> Result<f64> {
        let definition = &table.indexes[index];
        if parts == 0 {
            return Ok(size);
        }
        if parts == table.key_parts(index).count() && (definition.unique || !table.has_hidden_key())
        {
            return Ok(1.0);
        }
        let key = (table.id, definition.id, parts);
        let sampled = self.samples.of(key, size, || self.sample(table, index, parts))?;
        let rows = sampled.unwrap_or_else(|| {
            // Each further part divides the rows alike; behind a secondary index's own parts
            // comes the primary key.
            let all = definition.parts.len() + usize::from(!definition.unique);
            size.powf(1.0 - parts as f64 / all as f64).max(SAMPLED as f64)
        });
        Ok(rows.clamp(1.0, size.max(1.0)))
    }

    /// Entries by distinct keys at both ends of an index; `None` where all have one key.
    fn sample(&self, table: &Table, index: usize, parts: usize) -> Result<Option<f64>> {
        let range = table.index_range(index);
        let (mut entries, mut keys) = (0, 0);
        for direction in [Direction::Forward, Direction::Backward] {
            let mut cursor = self.view.scan(&range, direction, Reach::Disk)?;
            let mut last: Vec<u8> = Vec::new();
            let mut seen = 0;
            while seen < SAMPLED && cursor.advance()? {
                let Some(end) = key_end(table, index, parts, cursor.key()) else { return Ok(None) };
                let key = &cursor.key()[..end];
                if last != key {
                    keys += 1;
                    last.clear();
                    last.extend_from_slice(key);
                }
                seen += 1;
            }
            entries += seen;
        }
        // A key that fills a whole sample may have any number of rows.
        let long = keys <= 2 && entries >= SAMPLED;
        Ok((!long && keys > 0).then(|| f64::from(entries as u32) / f64::from(keys)))
    }

    /// The whole number that a node is, if it is one whatever the row.
    pub(super) fn number(&self, node: &Node) -> Option<f64> {
        match &node.kind {
            Kind::Constant(Value::Int(v)) => Some(*v as f64),
            Kind::Constant(Value::UInt(v)) => Some(*v as f64),
            Kind::Parameter(number) => match self.literals.get(usize::from(*number))? {
                Datum::Int(v) => Some(*v as f64),
                Datum::UInt(v) => Some(*v as f64),
                _ => None,
            },
            Kind::Arithmetic(Arithmetic::Add, a, b) => Some(self.number(a)? + self.number(b)?),
            _ => None,
        }
    }
}

/// Where the first parts of an index entry's key end.
fn key_end(table: &Table, index: usize, parts: usize, key: &[u8]) -> Option<usize> {
    let mut end = KEY_START;
    for part in table.key_parts(index).take(parts) {
        end += part.skip(key.get(end..)?).ok()?;
    }
    Some(end)
}
