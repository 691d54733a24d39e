//! The keys of a statement's VALUES, worked out before its rows are inserted, so that they can be
//! locked and looked up together (`rows::transaction`).
//!
//! Not here: rows of different shapes, keys that are expressions, REPLACE and ON DUPLICATE KEY
//! UPDATE: those rows are inserted one by one.

use expression::Kind;
use rows::table::Table;
use rows::transaction::{EXPECTED_MAX, Transaction};
use values::datum::{Datum, Value};

use super::WriteContext;
use super::insert::{InsertPlan, RowPlan};
use results::Result;

/// What is known ahead of an INSERT's rows.
pub(super) enum Foresight {
    /// Nothing.
    None,
    /// Their primary keys: of each column, where among a row's parameters its value stands.
    Keys(Vec<usize>),
    /// That all of their AUTO_INCREMENT values are made up.
    Numbers,
}

impl Foresight {
    /// Of so many rows that are all made by one plan.
    ///
    /// # Errors
    /// Those of entering the table.
    pub fn begin(
        insert: &InsertPlan,
        plan: &RowPlan,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        rows: u64,
    ) -> Result<Foresight> {
        let table = insert.table();
        if let Some(position) = table.auto_increment()
            && insert.is_null_in_all(plan, position, context.parameters)
            && context.facts.number_rules().are_consecutive()
        {
            transaction.expect_numbers(table, rows)?;
            return Ok(Foresight::Numbers);
        }
        let parts = &table.codecs[0].parts;
        let parameter = |column: usize| match insert.value_of(plan, column)?.kind {
            Kind::Parameter(n) => Some(usize::from(n)),
            _ => None,
        };
        let places: Option<Vec<usize>> = parts.iter().map(|part| parameter(part.column)).collect();
        Ok(match places {
            Some(places) if !places.is_empty() => Foresight::Keys(places),
            _ => Foresight::None,
        })
    }

    /// Before a row whose parameters, and those of all rows behind it, are these: looks at the
    /// next ones if it is time to.
    ///
    /// # Errors
    /// Those of locking and reading.
    pub fn look_ahead(
        &self,
        insert: &InsertPlan,
        plan: &RowPlan,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        row: u64,
        parameters: &[Datum<'_>],
    ) -> Result<()> {
        if !row.is_multiple_of(EXPECTED_MAX as u64) {
            return Ok(());
        }
        let table = insert.table();
        match self {
            Foresight::None => {}
            Foresight::Numbers => transaction.expect_numbered(table)?,
            Foresight::Keys(places) => {
                let rows = parameters.chunks_exact(plan.parameters()).take(EXPECTED_MAX);
                let keys = rows.map_while(|own| key_of(table, places, own, context));
                transaction.expect_keys(table, keys)?;
            }
        }
        Ok(())
    }
}

/// A row's key, if its values are what they seem; else the row itself is to say what is wrong.
fn key_of(
    table: &Table,
    places: &[usize],
    own: &[Datum<'_>],
    context: &WriteContext<'_>,
) -> Option<Vec<u8>> {
    let mut values = Vec::with_capacity(places.len());
    for (place, part) in places.iter().zip(&table.codecs[0].parts) {
        let column = &table.columns[part.column];
        let datum = *own.get(*place)?;
        // In this column it stands for a number that is made up.
        if datum.is_null() || column.auto_increment && is_zero(datum) {
            return None;
        }
        let converted = column.convert(datum, context.facts.zone);
        let is_refused = context.facts.mode.refuses_value(&converted.value);
        if converted.issue.is_some() || converted.note || is_refused {
            return None;
        }
        values.push(converted.value);
    }
    let datums: Vec<Datum<'_>> = values.iter().map(Value::as_datum).collect();
    table.row_key(&datums).ok()
}

fn is_zero(datum: Datum<'_>) -> bool {
    matches!(datum, Datum::Int(0) | Datum::UInt(0))
}
