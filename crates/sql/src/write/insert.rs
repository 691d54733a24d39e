//! INSERT and REPLACE.
//!
//! Invariants
//! 1. One plan serves any number of rows: each row brings its own literals.
//!
//! Not here: INSERT ... SELECT's query (`session::write`), which hands its rows to `insert_row`.

use std::sync::Arc;

use expression::{Environment, Kind, Node, RowView};
use rows::bulk::OnDuplicate;
use rows::error::Error;
use rows::schema::Column;
use rows::table::Table;
use rows::transaction::{RowChange, Transaction, Upserted};
use syntax::change::{AssignmentSpec, Insert, Source};
use values::SqlMode;
use values::datum::{Datum, Value};
use values::types::ColumnType;

use super::column::{Store, default_of, is_stored_as_it_is, now_value};
use super::foresight::Foresight;
use super::returning::{Returned, Returning, bind_returning};
use super::{LOOP_ROWS_MAX, WriteContext, Written, stop, through};
use crate::bind::scalar::{Bound, IncomingNames, Names, bind};
use crate::error::{Result, SqlError};

/// A row of VALUES.
#[derive(Debug)]
pub struct RowPlan {
    /// Per column named, its value; `None` is DEFAULT.
    values: Vec<Option<Node>>,
    /// Columns that it does not name, or leaves to their defaults.
    unsaid: Vec<usize>,
    /// How many literals it has.
    parameters: usize,
    /// Literals and defaults are all that it has.
    is_literal: bool,
}

/// A full row of VALUES, as it is made.
#[derive(Default)]
struct MadeRow {
    values: Vec<Value>,
    /// Which of the row's literals a column keeps as it is; its value is not made then.
    literals: Vec<Option<u16>>,
    /// Every value is made.
    copies: bool,
}

impl MadeRow {
    /// The row, whose literals are the first of `rest`.
    fn datums<'a>(&'a self, rest: &[Datum<'a>]) -> Vec<Datum<'a>> {
        let both = self.values.iter().zip(&self.literals);
        let datum = |(value, literal): (&'a Value, &Option<u16>)| match literal {
            Some(n) => rest[usize::from(*n)],
            None => value.as_datum(),
        };
        both.map(datum).collect()
    }
}

impl RowPlan {
    /// How many literals it has.
    pub(super) fn parameters(&self) -> usize {
        self.parameters
    }
}

/// What an INSERT takes its rows from.
#[derive(Debug)]
pub enum Rows {
    /// VALUES.
    Values(Vec<RowPlan>),
    /// A query, run by the session.
    Query,
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
    pub rows: Rows,
    /// What the other columns hold.
    defaults: Vec<Store>,
    on_duplicate: Vec<(usize, Option<Node>)>,
    /// Columns that ON DUPLICATE KEY UPDATE sets to the current time unless it names them.
    update_now: Vec<usize>,
    returning: Option<Returning>,
    /// Whether it can take long (SLEEP).
    waits: bool,
}

/// Binds an INSERT or REPLACE.
pub fn bind_insert(insert: &Insert, table: Arc<Table>, mode: SqlMode) -> Bound<InsertPlan> {
    bind_insert_beside(insert, table, mode, Vec::new())
}

/// The same of an INSERT ... SELECT whose query gives more than the rows (`beside`).
pub fn bind_insert_beside(
    insert: &Insert,
    table: Arc<Table>,
    mode: SqlMode,
    beside: Vec<(Vec<String>, ColumnType)>,
) -> Bound<InsertPlan> {
    let columns = match &insert.columns {
        None => (0..table.columns.len()).collect(),
        Some(names) if names.is_empty() => Vec::new(),
        Some(names) => named_columns(&table, names)?,
    };
    let all_unsaid = insert.columns.is_none();
    let mut base = 0u16;
    let rows = match &insert.source {
        Source::Query(_) => Rows::Query,
        Source::Rows(rows) => {
            let mut plans = Vec::with_capacity(rows.len());
            for (n, row) in rows.iter().enumerate() {
                // `()` gives every column its default.
                let empty = row.is_empty() && (all_unsaid || columns.is_empty());
                if row.len() != columns.len() && !empty {
                    return Err(count_mismatch(n as u64 + 1).into());
                }
                let names =
                    Names { parameter_base: base, ..Names::of(&table, None, "field list", mode) };
                let mut values = Vec::with_capacity(row.len());
                let mut parameters = 0;
                for value in row {
                    let node = value.as_ref().map(|expr| bind(expr, &names)).transpose()?;
                    if let Some(node) = &node {
                        parameters += count_parameters(node);
                    }
                    values.push(node);
                }
                base += parameters as u16;
                let said = |n| columns.iter().zip(&values).any(|(c, v)| *c == n && v.is_some());
                let unsaid = (0..table.columns.len()).filter(|n| !said(*n)).collect();
                let is_literal =
                    values.iter().flatten().all(|node| matches!(node.kind, Kind::Parameter(_)));
                plans.push(RowPlan { values, unsaid, parameters, is_literal });
            }
            Rows::Values(plans)
        }
    };
    let width = columns.len() + beside.len();
    let incoming = IncomingNames { beside, ..incoming_names(insert, &table, &columns) };
    let names = Names {
        incoming: Some(&incoming),
        parameter_base: base,
        ..Names::of(&table, None, "field list", mode)
    };
    let on_duplicate = bind_assignments(&insert.on_duplicate, &table, &names)?;
    let update_now = update_now_columns(&table, &on_duplicate);
    let returning = match insert.returning.as_slice() {
        [] => None,
        items => {
            let names =
                Names { parameter_base: base, ..Names::of(&table, None, "field list", mode) };
            Some(bind_returning(items, &table, &names)?)
        }
    };
    let defaults = table.columns.iter().map(default_of).collect();
    let mut waits = on_duplicate.iter().filter_map(|(_, node)| node.as_ref()).any(Node::waits);
    if let Rows::Values(plans) = &rows {
        waits |= plans.iter().flat_map(|plan| plan.values.iter().flatten()).any(Node::waits);
    }
    Ok(InsertPlan {
        waits,
        replace: insert.replace,
        ignore: insert.ignore,
        width,
        columns,
        rows,
        defaults,
        on_duplicate,
        update_now,
        returning,
        table: Arc::clone(&table),
    })
}

fn count_parameters(node: &Node) -> usize {
    let mut count = 0;
    node.visit(&mut |node| count += usize::from(matches!(node.kind, Kind::Parameter(_))));
    count
}

/// Error 1136.
pub fn count_mismatch(row: u64) -> SqlError {
    SqlError::new(1136, format!("Column count doesn't match value count at row {row}"))
}

/// Positions of named columns, each at most once.
pub fn named_columns(table: &Table, names: &[String]) -> Result<Vec<usize>> {
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let position =
            table.column(name).ok_or_else(|| SqlError::unknown_column(name, "field list"))?;
        if columns.contains(&position) {
            return Err(SqlError::new(1110, format!("Column '{name}' specified twice")));
        }
        columns.push(position);
    }
    Ok(columns)
}

fn incoming_names(insert: &Insert, table: &Table, columns: &[usize]) -> IncomingNames {
    match &insert.alias {
        None => IncomingNames::default(),
        Some((alias, names)) => {
            let named = names.iter().zip(columns).map(|(name, position)| (name.clone(), *position));
            let columns = named.filter(|(_, position)| *position < table.columns.len()).collect();
            IncomingNames { alias: Some(alias.clone()), columns, ..IncomingNames::default() }
        }
    }
}

/// Binds `column = value` lists.
pub fn bind_assignments(
    assignments: &[AssignmentSpec],
    table: &Table,
    names: &Names<'_>,
) -> Bound<Vec<(usize, Option<Node>)>> {
    let mut out = Vec::with_capacity(assignments.len());
    for assignment in assignments {
        let position = table
            .column(&assignment.column)
            .ok_or_else(|| SqlError::unknown_column(&assignment.column, "field list"))?;
        out.push((position, assignment.value.as_ref().map(|expr| bind(expr, names)).transpose()?));
    }
    Ok(out)
}

/// Columns with ON UPDATE CURRENT_TIMESTAMP that the assignments do not name.
pub fn update_now_columns(table: &Table, sets: &[(usize, Option<Node>)]) -> Vec<usize> {
    (0..table.columns.len())
        .filter(|n| table.columns[*n].on_update_now && sets.iter().all(|(set, _)| set != n))
        .collect()
}

/// New values of a row under `column = value` assignments, made from left to right, each seeing
/// the ones before it. Gives the columns that were named or touched.
pub fn assign(
    context: &WriteContext<'_>,
    table: &Table,
    sets: &[(usize, Option<Node>)],
    defaults: &[Store],
    update_now: &[usize],
    old: &[Datum<'_>],
    incoming: RowView<'_>,
    row: u64,
) -> Result<Vec<(usize, Value)>> {
    let mut values: Vec<Value> = old.iter().map(Datum::to_value).collect();
    let mut held = context.facts.limits.hold();
    for (position, node) in sets {
        let column = &table.columns[*position];
        let value = match node {
            None => context.default_value(column, &defaults[*position])?,
            Some(node) => {
                let environment = Environment { incoming, ..context.environment() };
                let scope = environment.scope().with_row(RowView::Values(&values));
                let cell = node.evaluate(&scope)?;
                // Outside of strict mode an UPDATE to NULL stores the type's empty value.
                let value = context.store(column, cell.datum(), &node.ty, row, false)?;
                held.add(bytes_of(&value))?;
                value
            }
        };
        values[*position] = value;
    }
    let mut out: Vec<(usize, Value)> =
        sets.iter().map(|(position, _)| (*position, values[*position].clone())).collect();
    let changed = sets.iter().any(|(n, _)| values[*n].as_datum() != old[*n]);
    if changed {
        for position in update_now {
            let ty = &table.columns[*position].ty;
            out.push((*position, now_value(ty, context.facts.now, context.facts.zone)));
        }
    }
    Ok(out)
}

/// What a new value counts in the statement's memory.
fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

/// Counts of an INSERT under way.
#[derive(Debug, Default)]
pub struct Tally {
    records: u64,
    duplicates: u64,
    written: Written,
}

impl Tally {
    /// Of rows that were inserted in bulk.
    pub fn of(records: u64, duplicates: u64, written: Written) -> Tally {
        Tally { records, duplicates, written }
    }

    /// What the statement answers. `warnings` are counted in its words, which only statements
    /// of several rows have.
    pub fn finish(mut self, several: bool, warnings: u64) -> Written {
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

    /// What becomes of rows whose keys are taken, if that can be said without looking at the rows
    /// that have them.
    pub fn on_duplicate(&self) -> Option<OnDuplicate> {
        match (self.replace, self.ignore) {
            _ if !self.on_duplicate.is_empty() => None,
            (true, _) => Some(OnDuplicate::Replace),
            (false, true) => Some(OnDuplicate::Ignore),
            (false, false) => Some(OnDuplicate::Error),
        }
    }

    /// Whether it may be tried in an event loop; `runs` as for `run`.
    pub fn is_short(&self, runs: &[u32]) -> bool {
        let rows = match &self.rows {
            Rows::Values(plans) => plans.len().max(runs.iter().map(|run| *run as usize).sum()),
            Rows::Query => return false,
        };
        rows <= LOOP_ROWS_MAX && !self.waits && self.returning.is_none()
    }

    /// How many values a row of the query has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Inserts the rows of VALUES; `runs` says how often each is repeated.
    pub fn run(
        &self,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        runs: &[u32],
    ) -> Result<Written> {
        let Rows::Values(plans) = &self.rows else { return Ok(Written::default()) };
        let once = vec![1; plans.len()];
        let runs = if runs.len() == plans.len() { runs } else { &once };
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
    pub fn finish(&self, tally: Tally, several: bool, warnings: u64) -> Written {
        let mut written = tally.finish(several, warnings);
        // Also where no row was written.
        if let Some(returning) = &self.returning {
            written.returned.get_or_insert_with(|| Returned::new(returning));
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
        let mut tally = Tally::default();
        let mut made = MadeRow::default();
        each_plan(context, plans, runs, &mut |plan, row, rest| {
            foresight.look_ahead(self, plan, transaction, context, tally.records, rest)?;
            made.copies = !plan.is_literal;
            self.make_row(context, plan, row, total == 1, rest, &mut made)?;
            let context = WriteContext { parameters: tail, ..*context };
            self.insert_row(transaction, &context, &made.datums(rest), row, &mut tally)
        })?;
        Ok(tally)
    }

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
        let Rows::Values(plans) = &self.rows else { return Ok(0) };
        let once = vec![1; plans.len()];
        let runs = if runs.len() == plans.len() { runs } else { &once };
        let total: u64 = runs.iter().map(|run| u64::from(*run)).sum();
        let mut made = MadeRow { copies: true, ..MadeRow::default() };
        each_plan(context, plans, runs, &mut |plan, row, rest| {
            self.make_row(context, plan, row, total == 1, rest, &mut made)?;
            each(row, &mut made.values)
        })?;
        Ok(total)
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

    /// The full row of a row of VALUES, whose literals are the first of `rest`.
    fn make_row(
        &self,
        context: &WriteContext<'_>,
        plan: &RowPlan,
        row: u64,
        alone: bool,
        rest: &[Datum<'_>],
        made: &mut MadeRow,
    ) -> Result<()> {
        let parameters = rest.get(..plan.parameters).unwrap_or_default();
        let context = WriteContext { parameters, ..*context };
        let MadeRow { values, literals, copies } = made;
        values.clear();
        values.resize(self.table.columns.len(), Value::Null);
        literals.clear();
        literals.resize(self.table.columns.len(), None);
        let mut held = context.facts.limits.hold();
        for (position, node) in self.columns.iter().zip(&plan.values) {
            let Some(node) = node else { continue };
            let column = &self.table.columns[*position];
            // The most frequent value is a literal, which needs no evaluation.
            let value = if let Kind::Parameter(n) = node.kind {
                let datum = context.parameters.get(usize::from(n)).copied();
                let datum = datum.unwrap_or(Datum::Null);
                if !*copies && is_stored_as_it_is(column, datum) {
                    literals[*position] = Some(n);
                    continue;
                }
                context.store(column, datum, &node.ty, row, alone)?
            } else {
                let environment = context.environment();
                let scope = environment.scope().with_row(RowView::Values(values));
                let cell = node.evaluate(&scope)?;
                let value = context.store(column, cell.datum(), &node.ty, row, alone)?;
                drop(cell);
                held.add(bytes_of(&value))?;
                value
            };
            values[*position] = value;
        }
        for position in &plan.unsaid {
            let column = &self.table.columns[*position];
            values[*position] = context.default_value(column, &self.defaults[*position])?;
        }
        Ok(())
    }

    /// What a row of VALUES says of a column; `None`: nothing.
    pub(super) fn value_of<'p>(&self, plan: &'p RowPlan, column: usize) -> Option<&'p Node> {
        let at = self.columns.iter().position(|position| *position == column)?;
        plan.values.get(at)?.as_ref()
    }

    /// Whether all rows leave a column to its default, or say that it is NULL.
    pub(super) fn is_null_in_all(
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

    /// The full row of a row that a query gave, and behind it what the query gives beside it; `types`
    /// are its columns'.
    pub fn row_of_query(
        &self,
        context: &WriteContext<'_>,
        given: &[Datum<'_>],
        types: &[&ColumnType],
        row: u64,
    ) -> Result<Vec<Value>> {
        let mut values: Vec<Option<Value>> = vec![None; self.table.columns.len()];
        for ((position, datum), ty) in self.columns.iter().zip(given).zip(types) {
            let column = &self.table.columns[*position];
            values[*position] = Some(context.store(column, *datum, ty, row, false)?);
        }
        let complete = values.into_iter().enumerate().map(|(position, value)| match value {
            Some(value) => Ok(value),
            None => {
                let column: &Column = &self.table.columns[position];
                context.default_value(column, &self.defaults[position])
            }
        });
        let beside = given.iter().skip(self.columns.len()).map(|datum| Ok(datum.to_value()));
        complete.chain(beside).collect()
    }

    /// Inserts a full row, and what stands beside it, in the statement's manner. `context.parameters` are those of ON
    /// DUPLICATE KEY UPDATE.
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
        transaction.let_zero_be_a_value(context.facts.mode.no_auto_value_on_zero());
        let inserted = self.insert_datums(transaction, context, datums, row, tally);
        transaction.let_zero_be_a_value(false);
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
        let before = tally.written.affected;
        let incoming = datums;
        let (datums, _beside) = datums.split_at(self.table.columns.len());
        let generated = if self.replace {
            let replaced = transaction.replace(&self.table, datums)?;
            tally.written.affected += 1 + replaced.deleted as u64;
            tally.duplicates += replaced.deleted as u64;
            self.give_back(context, datums, replaced.generated, tally)?;
            replaced.generated
        } else if !self.on_duplicate.is_empty() {
            self.upsert(transaction, context, (datums, incoming), row, tally)?
        } else {
            match transaction.insert(&self.table, datums) {
                Ok(inserted) => {
                    tally.written.affected += 1;
                    self.give_back(context, datums, inserted.generated, tally)?;
                    inserted.generated
                }
                Err(error @ Error::Duplicate { .. }) => {
                    context.forgive(error.into())?;
                    tally.duplicates += 1;
                    None
                }
                Err(error) => return Err(error.into()),
            }
        };
        if let Some(value) = generated {
            tally.written.generated.get_or_insert(value);
        } else if let Some(position) = self.table.auto_increment()
            && tally.written.affected > before
        {
            tally.written.given = given(datums[position]).or(tally.written.given);
        }
        Ok(())
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
        let returned = tally.written.returned.get_or_insert_with(|| Returned::new(returning));
        returned.push(context, line)
    }

    fn upsert(
        &self,
        transaction: &mut Transaction,
        context: &WriteContext<'_>,
        (datums, incoming): (&[Datum<'_>], &[Datum<'_>]),
        row: u64,
        tally: &mut Tally,
    ) -> Result<Option<u64>> {
        let table = &self.table;
        let mut changed = Vec::new();
        let upserted = through(|aside| {
            transaction.upsert(table, datums, &mut |existing| {
                let old = existing.values()?;
                let sets = assign(
                    context,
                    table,
                    &self.on_duplicate,
                    &self.defaults,
                    &self.update_now,
                    &old,
                    RowView::Datums(incoming),
                    row,
                );
                match sets {
                    Ok(sets) => {
                        if self.returning.is_some() {
                            changed = old.iter().map(Datum::to_value).collect();
                            for (position, value) in &sets {
                                changed[*position] = value.clone();
                            }
                        }
                        Ok(RowChange::Set(sets))
                    }
                    Err(error) => stop(aside, error),
                }
            })
        })?;
        if !changed.is_empty() {
            let changed: Vec<Datum<'_>> = changed.iter().map(Value::as_datum).collect();
            self.give_back(context, &changed, None, tally)?;
        }
        match upserted {
            Upserted::Inserted { generated } => {
                tally.written.affected += 1;
                self.give_back(context, datums, generated, tally)?;
                return Ok(generated);
            }
            Upserted::Updated => {
                tally.written.affected += 2;
                tally.duplicates += 1;
            }
            Upserted::Unchanged | Upserted::Deleted => {
                tally.written.affected += u64::from(context.found_rows);
            }
        }
        Ok(None)
    }
}

/// Calls `each` with the plan of every row of VALUES, the row's number from 1 on, and the literals of
/// it and of all that follow.
fn each_plan(
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
