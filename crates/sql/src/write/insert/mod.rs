//! INSERT and REPLACE.
//!
//! Invariants
//! 1. One plan serves any number of rows: each row brings its own literals.
//!
//! Not here: INSERT ... SELECT's query (`session::write`), which hands its rows to `insert_row`.

mod bind;
mod values;

use std::sync::Arc;

use ::values::datum::{Datum, Value};
use ::values::types::ColumnType;
use expression::{Node, RowView};
use resources::turn_limits::TurnLimits;
use rows::bulk::OnDuplicate;
use rows::error::Error;
use rows::table::Table;
use rows::transaction::{NumberRules, RowChange, Transaction, UnusedNumbers, UpsertOutcome};

use super::assign::assign;
use super::column::StoredBy;
use super::keys_ahead::Foresight;
use super::returning::{ReturnedRows, Returning};
use super::view_checks::AskedChecks;
use super::{RowNumber, WriteContext, WriteOutcome};
use plan::column_default::Store;
use results::Result;

pub use self::bind::{
    bind_filling, bind_insert, bind_insert_beside, count_mismatch, incoming_names,
};
pub(super) use self::values::RowPlan;
use self::values::{MadeRow, each_plan, runs_of};

/// What an INSERT takes its rows from.
#[derive(Debug)]
pub enum InsertRows {
    /// VALUES.
    Values(Vec<RowPlan>),
    /// A query, run by the session.
    Query,
}

impl InsertRows {
    /// The values that are written in the statement.
    fn nodes(&self) -> impl Iterator<Item = &Node> {
        let rows = match self {
            InsertRows::Values(rows) => &rows[..],
            InsertRows::Query => &[],
        };
        rows.iter().flat_map(|row| row.values.iter().flatten())
    }
}

/// A bound INSERT or REPLACE.
#[derive(Debug)]
pub struct InsertPlan {
    table: Arc<Table>,
    replace: bool,
    /// IGNORE.
    pub ignore: bool,
    /// Columns named, in order.
    columns: Vec<usize>,
    /// How many values a row has: those of the columns, then what stands beside it.
    width: usize,
    /// The rows.
    pub rows: InsertRows,
    /// Of a query's rows, which values are left to the defaults: rows, counted from 1, and places
    /// in them.
    pub unsaid: Vec<(u64, usize)>,
    /// What the other columns hold.
    defaults: Vec<Store>,
    on_duplicate: Vec<(usize, Option<Node>)>,
    /// Columns that ON DUPLICATE KEY UPDATE sets to the current time unless it names them.
    update_now: Vec<usize>,
    returning: Option<Returning>,
    /// The types of the user variables that it was bound with.
    pub variables: Vec<(String, ColumnType)>,
    /// Whether it can take long (SLEEP).
    waits: bool,
    /// Whether sub-queries stand in ON DUPLICATE KEY UPDATE.
    asks: bool,
    /// Whether rows come through a view that does not show their numbers.
    pub hides_numbers: bool,
    /// What else must hold for rows that come through a view.
    pub asked: AskedChecks,
}

/// Counts of an INSERT under way.
#[derive(Debug, Default)]
pub struct Tally {
    records: u64,
    duplicates: u64,
    written: WriteOutcome,
    /// Of rows of VALUES, of which there are several.
    of_several: bool,
    /// AUTO_INCREMENT values of rows that changed others or were passed over.
    unused_numbers: UnusedNumbers,
}

impl Tally {
    /// Of rows that were inserted in bulk.
    pub fn of(records: u64, duplicates: u64, written: WriteOutcome) -> Tally {
        Tally {
            records,
            duplicates,
            written,
            of_several: false,
            unused_numbers: UnusedNumbers::default(),
        }
    }

    /// What the statement answers. `warnings` are counted in its words, which only statements
    /// of several rows have.
    pub fn finish(mut self, several: bool, warnings: u64) -> WriteOutcome {
        if several {
            self.written.info = format!(
                "Records: {}  Duplicates: {}  Warnings: {warnings}",
                self.records, self.duplicates
            );
        }
        self.written
    }
}

impl InsertPlan {
    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// RETURNING.
    pub fn returning(&self) -> Option<&Returning> {
        self.returning.as_ref()
    }

    /// Whether it is to be run with something that runs sub-queries.
    pub fn asks(&self) -> bool {
        self.asks || !self.asked.is_empty()
    }

    /// Whether it may change or remove rows: REPLACE, ON DUPLICATE KEY UPDATE.
    pub fn changes_rows(&self) -> bool {
        self.replace || !self.on_duplicate.is_empty()
    }

    /// What becomes of rows whose keys are taken, if that can be said without looking at the rows
    /// that have them.
    pub fn on_duplicate(&self) -> Option<OnDuplicate> {
        // Under IGNORE each row is forgiven what its conditions say.
        let forgives =
            !self.asked.is_empty() || self.ignore && !matches!(self.table.rules(), Ok(None));
        match (self.replace, self.ignore) {
            _ if !self.on_duplicate.is_empty() || forgives => None,
            (true, _) => Some(OnDuplicate::Replace),
            (false, true) => Some(OnDuplicate::Ignore),
            (false, false) => Some(OnDuplicate::Error),
        }
    }

    /// Whether it may be tried in an event loop; `runs` as for `run`.
    pub fn is_short(&self, runs: &[u32]) -> bool {
        let rows = match &self.rows {
            InsertRows::Values(plans) => {
                plans.len().max(runs.iter().map(|run| *run as usize).sum())
            }
            InsertRows::Query => return false,
        };
        rows <= TurnLimits::LOOP.rows_changed && !self.waits && self.returning.is_none()
    }

    /// How many values a row of the query has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The types of the columns named, in order.
    pub fn types(&self) -> impl Iterator<Item = &ColumnType> {
        self.columns.iter().map(|position| &self.table.columns[*position].ty)
    }

    /// Inserts the rows of VALUES; `runs` says how often each is repeated.
    ///
    /// # Errors
    /// The first row's that cannot be inserted; what the statement has inserted by then is the
    /// caller's to take back.
    pub fn run(
        &self,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        runs: &[u32],
    ) -> Result<WriteOutcome> {
        let InsertRows::Values(plans) = &self.rows else { return Ok(WriteOutcome::default()) };
        let runs = &*runs_of(plans, runs);
        let total: u64 = runs.iter().map(|run| u64::from(*run)).sum();
        let tail: usize =
            plans.iter().zip(runs).map(|(plan, run)| plan.parameters * *run as usize).sum();
        let tail = context.parameters.get(tail..).unwrap_or_default();
        let tally = self.insert_rows(transaction, context, plans, runs, tail);
        transaction.expect_nothing(&self.table);
        let warnings = context.warnings.borrow().count();
        Ok(self.finish(tally?, total > 1, warnings))
    }

    /// What the statement answers, as `Tally::finish` says it.
    pub fn finish(&self, tally: Tally, several: bool, warnings: u64) -> WriteOutcome {
        let mut written = tally.finish(several, warnings);
        // Also where no row was written.
        if let Some(returning) = &self.returning {
            written.returned.get_or_insert_with(|| ReturnedRows::new(returning));
        }
        written
    }

    /// `tail`: the literals behind the rows.
    fn insert_rows(
        &self,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        plans: &[RowPlan],
        runs: &[u32],
        tail: &[Datum<'_>],
    ) -> Result<Tally> {
        let total: u64 = runs.iter().map(|run| u64::from(*run)).sum();
        let foresight = self.foresee(transaction, context, plans, total)?;
        let mut tally = Tally { of_several: total > 1, ..Tally::default() };
        let mut made = MadeRow::default();
        each_plan(context, plans, runs, &mut |plan, row, rest| {
            foresight.look_ahead(self, plan, transaction, context, tally.records, rest)?;
            made.copies = !plan.is_literal;
            self.make_row(context, plan, row, StoredBy::insert_of(total), rest, &mut made)?;
            let context = WriteContext { parameters: tail, known: None, ..*context };
            self.insert_row(transaction, &context, &made.datums(rest), row, &mut tally)
        })?;
        Ok(tally)
    }

    /// What can be known of rows that are all of one shape, where new rows are all that is written.
    fn foresee(
        &self,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        plans: &[RowPlan],
        rows: u64,
    ) -> Result<Foresight> {
        match plans {
            [plan] if rows > 1 && !self.replace && self.on_duplicate.is_empty() => {
                Foresight::begin(self, plan, transaction, context, rows)
            }
            _ => Ok(Foresight::None),
        }
    }

    /// The full row of a row that a query gave, and behind it what the query gives beside it;
    /// `types` are its columns'.
    ///
    /// # Errors
    /// As `WriteContext::store`, of the first column whose value is refused.
    pub fn row_of_query(
        &self,
        context: &WriteContext<'_>,
        given: &[Datum<'_>],
        types: &[&ColumnType],
        row: u64,
    ) -> Result<Vec<Value>> {
        let mut complete = vec![Value::Null; self.table.columns.len()];
        let mut is_said = vec![false; self.table.columns.len()];
        for (at, ((position, datum), ty)) in self.columns.iter().zip(given).zip(types).enumerate() {
            if self.unsaid.binary_search(&(row, at)).is_ok() {
                continue;
            }
            let column = &self.table.columns[*position];
            is_said[*position] = true;
            complete[*position] = match column.computed {
                Some(_) => context.give_computed(column, &self.table.name)?,
                None => context.store(column, *datum, ty, row, StoredBy::Insert)?,
            };
        }
        context.fill_defaults(&self.table, &self.defaults, &is_said, &mut complete)?;
        if !self.on_duplicate.is_empty() {
            let datums: Vec<Datum<'_>> = complete.iter().map(Value::as_datum).collect();
            for (position, value) in self.computed_of(context, &datums)? {
                complete[position] = value;
            }
        }
        complete.extend(given.iter().skip(self.columns.len()).map(|datum| datum.to_value()));
        Ok(complete)
    }

    /// Inserts a full row, and what stands beside it, in the statement's manner.
    /// `context.parameters` are those of ON DUPLICATE KEY UPDATE.
    ///
    /// # Errors
    /// Those of rules and keys that the row breaks, unless the statement forgives them. Nothing of
    /// the row is written then.
    pub fn insert_row(
        &self,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        datums: &[Datum<'_>],
        row: u64,
        tally: &mut Tally,
    ) -> Result<()> {
        tally.records += 1;
        // Said for each row, because the transaction may be a group's.
        let mut rules = context.facts.number_rules();
        rules.refuses_rounded &= !self.ignore;
        transaction.number_by(rules);
        // Many rows of a query that IGNORE leaves out have their numbers before it is known.
        if tally.of_several || !self.on_duplicate.is_empty() {
            let mut unused = std::mem::take(&mut tally.unused_numbers);
            unused.draws_each = tally.of_several;
            transaction.number_again(Some(unused));
        }
        let inserted = self.insert_datums(transaction, context, datums, row, tally);
        tally.unused_numbers = transaction.number_again(None).unwrap_or_default();
        transaction.number_by(NumberRules::default());
        inserted
    }

    fn insert_datums(
        &self,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        datums: &[Datum<'_>],
        row: u64,
        tally: &mut Tally,
    ) -> Result<()> {
        let incoming = datums;
        let (datums, _beside) = datums.split_at(self.table.columns.len());
        if let Err(error) = self.asked.check(context, &self.table, datums, &[]) {
            context.forgive(error)?;
            tally.duplicates += 1;
            return Ok(());
        }
        let number = if self.replace {
            let replaced = transaction.replace(&self.table, datums)?;
            tally.written.affected += 1 + replaced.deleted as u64;
            tally.duplicates += replaced.deleted as u64;
            self.give_back(context, datums, replaced.generated, tally)?;
            self.number_of(datums, replaced.generated)
        } else if !self.on_duplicate.is_empty() {
            self.upsert(transaction, context, (datums, incoming), row, tally)?
        } else {
            match transaction.insert(&self.table, datums) {
                Ok(inserted) => {
                    tally.written.affected += 1;
                    self.give_back(context, datums, inserted.generated, tally)?;
                    self.number_of(datums, inserted.generated)
                }
                Err(
                    error
                    @ (Error::Duplicate { .. } | Error::Check { .. } | Error::NoParent { .. }),
                ) => {
                    context.forgive(error.into())?;
                    tally.duplicates += 1;
                    None
                }
                Err(error) if error.is_of_partition() => {
                    context.forgive(error.into())?;
                    tally.duplicates += 1;
                    None
                }
                Err(error) => return Err(error.into()),
            }
        };
        tally.written.note(number);
        tally.written.hides_numbers = self.hides_numbers;
        Ok(())
    }

    /// The number of a row that was added.
    fn number_of(&self, row: &[Datum<'_>], generated: Option<u64>) -> Option<RowNumber> {
        match generated {
            Some(number) => Some(RowNumber::Generated(number)),
            None => given(row[self.table.auto_increment()?]).map(RowNumber::Given),
        }
    }

    /// Keeps what RETURNING gives of a row, which may have been given a number.
    fn give_back(
        &self,
        context: &WriteContext<'_>,
        row: &[Datum<'_>],
        generated: Option<u64>,
        tally: &mut Tally,
    ) -> Result<()> {
        let Some(returning) = &self.returning else { return Ok(()) };
        let mut row = row.to_vec();
        if let (Some(number), Some(position)) = (generated, self.table.auto_increment()) {
            row[position] = match i64::try_from(number) {
                Ok(number) if !is_unsigned(&self.table.columns[position].ty) => Datum::Int(number),
                _ => Datum::UInt(number),
            };
        }
        let line = returning.line(context, RowView::Datums(&row))?;
        let returned = tally.written.returned.get_or_insert_with(|| ReturnedRows::new(returning));
        returned.push(context, line)
    }

    fn upsert(
        &self,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        (datums, incoming): (&[Datum<'_>], &[Datum<'_>]),
        row: u64,
        tally: &mut Tally,
    ) -> Result<Option<RowNumber>> {
        let table = &self.table;
        let (mut changed, mut number) = (Vec::new(), None);
        let by = match tally.of_several {
            true => StoredBy::UpdateOfDuplicates,
            false => StoredBy::UpdateOfDuplicate,
        };
        let upserted = transaction.upsert(table, datums, &mut |existing| {
            let old = existing.values()?;
            let sets = assign(
                context,
                table,
                &self.on_duplicate,
                &self.defaults,
                &self.update_now,
                &old,
                (RowView::Datums(incoming), by),
                row,
            )?;
            let mut new = old.clone();
            for (position, value) in &sets {
                new[*position] = value.as_datum();
            }
            self.asked.check(context, table, &new, &[])?;
            if let Some(at) = table.auto_increment() {
                let set = sets.iter().find(|(position, _)| *position == at);
                let number_now = set.map_or(old[at], |(_, value)| value.as_datum());
                number = given(number_now).map(RowNumber::Given);
            }
            if self.returning.is_some() {
                changed = old.iter().map(Datum::to_value).collect();
                for (position, value) in &sets {
                    changed[*position] = value.clone();
                }
                let datums: Vec<_> = changed.iter().map(Value::as_datum).collect();
                for (position, value) in context.computed(table, &datums)? {
                    changed[position] = value;
                }
            }
            Ok(RowChange::Set(sets))
        });
        let upserted = match upserted {
            Ok(upserted) => upserted,
            // The change of the row breaks another key or a condition: IGNORE leaves the row as it
            // is.
            Err(error) => {
                context.forgive(error)?;
                tally.duplicates += 1;
                return Ok(None);
            }
        };
        if !changed.is_empty() {
            let changed: Vec<Datum<'_>> = changed.iter().map(Value::as_datum).collect();
            self.give_back(context, &changed, None, tally)?;
        }
        match upserted {
            UpsertOutcome::Inserted { generated } => {
                tally.written.affected += 1;
                self.give_back(context, datums, generated, tally)?;
                Ok(self.number_of(datums, generated))
            }
            UpsertOutcome::Updated => {
                tally.written.affected += 2;
                tally.duplicates += 1;
                Ok(number)
            }
            UpsertOutcome::Unchanged | UpsertOutcome::Deleted => {
                tally.written.affected += u64::from(context.found_rows);
                Ok(None)
            }
        }
    }
}

fn is_unsigned(ty: &ColumnType) -> bool {
    matches!(ty, ColumnType::Int { unsigned: true, .. })
}

/// An AUTO_INCREMENT value that came with a row, as the OK packet tells it.
pub fn given(value: Datum<'_>) -> Option<u64> {
    let given = match value {
        Datum::Int(value) => u64::try_from(value).ok(),
        Datum::UInt(value) => Some(value),
        _ => None,
    };
    given.filter(|value| *value > 0)
}
