//! What a table's rules make of its rows, and which rows they refuse.
//!
//! Not here: the rules themselves (crate root's `rules`).

use resources::clock::Clock;
use values::datum::{Datum, Value};
use values::temporal::Zone;

use super::version::Table;
use crate::error::{Error, Result};
use crate::rules::Computing;

impl Table {
    /// What a row's computed columns are, by position; nothing in a table without such columns.
    ///
    /// # Errors
    /// `Expression`, `Value`.
    #[inline]
    pub fn computed(
        &self,
        row: &[Datum<'_>],
        computing: Computing<'_>,
    ) -> Result<Vec<(usize, Value)>> {
        match self.rules()? {
            Some(rules) if !rules.computed.is_empty() || rules.partition.is_some() => {
                rules.compute(&self.columns, row, computing)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Whether a row may be stored, computed columns included: no NULL where there must not be one,
    /// and every condition holds or is unknown.
    ///
    /// # Errors
    /// `NullValue`, `Check`, `Expression`.
    #[inline]
    pub(crate) fn check_row(&self, row: &[Datum<'_>], computing: Computing<'_>) -> Result<()> {
        assert_eq!(row.len(), self.columns.len(), "a row has every column");
        for (column, value) in self.columns.iter().zip(row) {
            if value.is_null() && !column.nullable {
                return Err(Error::NullValue { column: column.name.clone() });
            }
        }
        match self.rules()? {
            Some(rules) if !rules.checks.is_empty() => {
                rules.check(&self.definition, row, computing)
            }
            _ => Ok(()),
        }
    }

    /// Gives the columns of a new row that nobody gave a value to their computed defaults, on the
    /// clock of a zone: UTC's at doors without sessions.
    ///
    /// # Errors
    /// `Expression`, `Value`.
    pub fn fill_defaults(
        &self,
        row: &mut [Value],
        is_given: &dyn Fn(usize) -> bool,
        clock: &dyn Clock,
        zone: Zone,
    ) -> Result<()> {
        match self.rules()? {
            Some(rules) => rules.fill_defaults(&self.columns, row, is_given, clock, zone),
            None => Ok(()),
        }
    }
}
