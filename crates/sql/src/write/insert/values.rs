//! Rows of VALUES: what is planned of each, and the full row that its literals make.
//!
//! Not here: what is known of several of them ahead (`keys_ahead`).

use std::borrow::Cow;

use ::values::datum::{Datum, Value};
use ::values::types::ColumnType;
use expression::{Kind, Node, RowView, is_number};

use super::{InsertPlan, InsertRows};
use crate::write::WriteContext;
use crate::write::assign::bytes_of;
use crate::write::column::{StoredBy, is_stored_as_it_is};
use plan::column_default::{Store, implied_default};
use results::Result;
use rows::schema::Column;

/// A row of VALUES.
#[derive(Debug)]
pub struct RowPlan {
    /// Per column named, its value; `None` is DEFAULT.
    pub(super) values: Vec<Option<Node>>,
    /// Columns that it does not name, or leaves to their defaults.
    pub(super) unsaid: Vec<usize>,
    /// How many literals it has.
    pub(super) parameters: usize,
    /// Literals and defaults are all that it has.
    pub(super) is_literal: bool,
    /// Values look at columns of the row.
    pub(super) reads_row: bool,
}

/// A full row of VALUES, as it is made.
#[derive(Default)]
pub(super) struct MadeRow {
    values: Vec<Value>,
    /// Which of the row's literals a column keeps as it is; its value is not made then.
    literals: Vec<Option<u16>>,
    /// Every value is made.
    pub(super) copies: bool,
}

impl MadeRow {
    /// The row, whose literals are the first of `rest`.
    pub(super) fn datums<'a>(&'a self, rest: &[Datum<'a>]) -> Vec<Datum<'a>> {
        made_row(&self.values, &self.literals, rest)
    }
}

fn made_row<'a>(
    values: &'a [Value],
    literals: &[Option<u16>],
    rest: &[Datum<'a>],
) -> Vec<Datum<'a>> {
    let datum = |(value, literal): (&'a Value, &Option<u16>)| match literal {
        Some(n) => rest[usize::from(*n)],
        None => value.as_datum(),
    };
    values.iter().zip(literals).map(datum).collect()
}

impl RowPlan {
    /// How many literals it has.
    pub fn parameters(&self) -> usize {
        self.parameters
    }
}

impl InsertPlan {
    /// Makes the full rows of VALUES and hands them over with their numbers, from 1 on; gives how
    /// many there were. For statements that leave rows whose keys are taken to others.
    ///
    /// # Errors
    /// Those of the values, and of `each`.
    pub fn make_rows(
        &self,
        context: &WriteContext<'_>,
        runs: &[u32],
        each: &mut dyn FnMut(u64, &mut [Value]) -> Result<()>,
    ) -> Result<u64> {
        let InsertRows::Values(plans) = &self.rows else { return Ok(0) };
        let runs = &*runs_of(plans, runs);
        let total: u64 = runs.iter().map(|run| u64::from(*run)).sum();
        let mut made = MadeRow { copies: true, ..MadeRow::default() };
        each_plan(context, plans, runs, &mut |plan, row, rest| {
            self.make_row(context, plan, row, StoredBy::insert_of(total), rest, &mut made)?;
            each(row, &mut made.values)
        })?;
        Ok(total)
    }

    /// The full row of a row of VALUES, whose literals are the first of `rest`.
    pub(super) fn make_row(
        &self,
        context: &WriteContext<'_>,
        plan: &RowPlan,
        row: u64,
        by: StoredBy,
        rest: &[Datum<'_>],
        made: &mut MadeRow,
    ) -> Result<()> {
        let parameters = rest.get(..plan.parameters).unwrap_or_default();
        let context = WriteContext { parameters, known: None, ..*context };
        let MadeRow { values, literals, copies } = made;
        values.clear();
        match plan.reads_row {
            true => values.extend(self.unset_row()),
            false => values.resize(self.table.columns.len(), Value::Null),
        }
        literals.clear();
        literals.resize(self.table.columns.len(), None);
        let mut held = context.facts.limits.hold();
        for (position, node) in self.columns.iter().zip(&plan.values) {
            let Some(node) = node else { continue };
            let column = &self.table.columns[*position];
            if column.computed.is_some() {
                context.give_computed(column, &self.table.name)?;
                continue;
            }
            // The most frequent value is a literal, which needs no evaluation.
            let value = if let Kind::Parameter(n) = node.kind {
                let datum = context.parameters.get(usize::from(n)).copied();
                let datum = datum.unwrap_or(Datum::Null);
                if !*copies && is_stored_as_it_is(column, datum, &node.ty) {
                    literals[*position] = Some(n);
                    continue;
                }
                if is_long_literal(column, node, datum) {
                    context.store_beyond(column, row)?
                } else {
                    context.store(column, datum, &node.ty, row, by)?
                }
            } else {
                let environment = context.environment();
                let scope = environment.scope().with_row(RowView::Values(values));
                let cell = node.evaluate(&scope)?;
                let value = context.store(column, cell.datum(), &node.ty, row, by)?;
                drop(cell);
                held.add(bytes_of(&value))?;
                value
            };
            values[*position] = value;
        }
        for position in &plan.unsaid {
            let column = &self.table.columns[*position];
            let default = &self.defaults[*position];
            values[*position] = match default {
                // It may ask for values that are the statement's literals still.
                Store::Expression(_) => {
                    let row = made_row(values, literals, rest);
                    context.omitted_value(column, default, RowView::Datums(&row))?
                }
                _ => context.omitted_value(column, default, RowView::None)?,
            };
        }
        self.compute_incoming(&context, values, literals, rest)
    }

    /// What a row's columns are before the statement gives them values: their defaults, or empty
    /// ones (MySQL 9.7: tests/oracle/sql/omitted-columns.sql).
    fn unset_row(&self) -> impl Iterator<Item = Value> {
        let unset = |(column, default): (&Column, &Store)| match default {
            Store::Value(value) if !column.auto_increment => value.clone(),
            _ if column.nullable => Value::Null,
            _ => implied_default(&column.ty),
        };
        self.table.columns.iter().zip(&self.defaults).map(unset)
    }

    /// Gives a row its computed columns where the statement looks at it: the engine, which has the
    /// last word, computes them for the row that it stores.
    fn compute_incoming(
        &self,
        context: &WriteContext<'_>,
        values: &mut [Value],
        literals: &[Option<u16>],
        rest: &[Datum<'_>],
    ) -> Result<()> {
        if self.on_duplicate.is_empty() && self.returning.is_none() {
            return Ok(());
        }
        for (position, value) in self.computed_of(context, &made_row(values, literals, rest))? {
            values[position] = value;
        }
        Ok(())
    }

    /// A row's computed columns by their positions; none where the row has no partition, which is
    /// said when it is stored: IGNORE forgives it.
    pub(super) fn computed_of(
        &self,
        context: &WriteContext<'_>,
        row: &[Datum<'_>],
    ) -> Result<Vec<(usize, Value)>> {
        match context.computed(&self.table, row) {
            Err(error) if error.is_of_partition() => Ok(Vec::new()),
            computed => Ok(computed?),
        }
    }

    /// What a row of VALUES says of a column; `None`: nothing.
    pub(in crate::write) fn value_of<'p>(
        &self,
        plan: &'p RowPlan,
        column: usize,
    ) -> Option<&'p Node> {
        let at = self.columns.iter().position(|position| *position == column)?;
        plan.values.get(at)?.as_ref()
    }

    /// Whether all rows leave a column to its default, or say that it is NULL.
    pub(in crate::write) fn is_null_in_all(
        &self,
        plan: &RowPlan,
        column: usize,
        parameters: &[Datum<'_>],
    ) -> bool {
        match self.value_of(plan, column).map(|node| &node.kind) {
            None => true,
            Some(Kind::Parameter(n)) => {
                let own = |row: &[Datum<'_>]| row[usize::from(*n)].is_null();
                parameters.chunks_exact(plan.parameters.max(1)).all(own)
            }
            Some(_) => false,
        }
    }
}

/// How often each plan is repeated: `runs`, or once.
pub(super) fn runs_of<'r>(plans: &[RowPlan], runs: &'r [u32]) -> Cow<'r, [u32]> {
    if runs.len() == plans.len() { runs.into() } else { vec![1; plans.len()].into() }
}

/// Calls `each` with the plan of every row of VALUES, the row's number from 1 on, and the literals
/// of it and of all that follow.
pub(super) fn each_plan(
    context: &WriteContext<'_>,
    plans: &[RowPlan],
    runs: &[u32],
    each: &mut dyn FnMut(&RowPlan, u64, &[Datum<'_>]) -> Result<()>,
) -> Result<()> {
    let (mut at, mut row) = (0, 0);
    for (plan, run) in plans.iter().zip(runs) {
        for _ in 0..*run {
            row += 1;
            each(plan, row, context.parameters.get(at..).unwrap_or_default())?;
            at += plan.parameters;
            if row.is_multiple_of(256) {
                context.facts.kill.check()?;
            }
        }
    }
    Ok(())
}

/// Whether it is a literal of hexadecimal digits that is too long for a number, for a column of
/// numbers. Only such literals have bytes in the place of a parameter.
fn is_long_literal(column: &Column, node: &Node, datum: Datum<'_>) -> bool {
    matches!(node.ty, ColumnType::VarBinary { .. })
        && matches!(datum, Datum::Bytes(_))
        && is_number(&column.ty)
        && !matches!(column.ty, ColumnType::Bit { .. })
}
