//! AUTO_INCREMENT values of a load's rows, given in the order of the rows.
//!
//! Invariants
//! 1. A row's value is above those of all rows before it, unless it brought its own.
//! 2. The table's counter moves before anybody else can add rows.
//!
//! A row that is left out because its key is taken has had its value, or moved the counter,
//! nevertheless: whether it is left out is known only at the end.
//!
//! Not here: the counter itself (`transaction::counters`).

use std::sync::atomic::Ordering;

use values::datum::{Datum, Value};
use values::types::ColumnType;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::table::Table;
use crate::transaction::NumberRules;
use crate::transaction::counters::{as_counter, auto_increment_max, auto_increment_value};

/// Gives AUTO_INCREMENT values to rows.
#[derive(Debug)]
pub struct AutoIncrements {
    position: usize,
    ty: ColumnType,
    next: u64,
    value_max: u64,
    rules: NumberRules,
    first: Option<u64>,
}

impl AutoIncrements {
    /// For the rows of a table that nobody else writes to; `None` if it has no such column.
    pub(super) fn of(
        engine: &Engine,
        table: &Table,
        rules: NumberRules,
    ) -> Result<Option<AutoIncrements>> {
        let Some(position) = table.auto_increment() else { return Ok(None) };
        let ty = table.columns[position].ty.clone();
        let next = engine.auto_increment_next(table)?;
        let value_max = auto_increment_max(&ty);
        Ok(Some(AutoIncrements { position, ty, next, value_max, rules, first: None }))
    }

    /// The first value that was made up.
    pub fn first(&self) -> Option<u64> {
        self.first
    }

    /// Gives the next row its value if it leaves that to the engine.
    ///
    /// # Errors
    /// `Exhausted`.
    pub fn number(&mut self, row: &mut [Value]) -> Result<()> {
        let value = &mut row[self.position];
        match value.as_datum() {
            Datum::Int(0) | Datum::UInt(0) if self.rules.zero_is_value => {}
            Datum::Null | Datum::Int(0) | Datum::UInt(0) => {
                let next = self.rules.at_or_above(self.next);
                if next > self.value_max && !(self.rules.repeats_last && self.value_max < u64::MAX)
                {
                    return Err(Error::Exhausted);
                }
                let number = next.min(self.value_max);
                *value = auto_increment_value(&self.ty, number).to_value();
                self.first = self.first.or(Some(number));
                self.next = number + 1;
            }
            given => {
                let given = as_counter(given).unwrap_or(0);
                self.next = self.next.max(given.saturating_add(1));
            }
        }
        Ok(())
    }

    /// The rows are there, or about to be: moves the table's counter behind them.
    pub(super) fn finish(&self, table: &Table) {
        table.state.auto_increment.fetch_max(self.next, Ordering::SeqCst);
        table.state.given_to.fetch_max(self.next, Ordering::SeqCst);
    }
}
