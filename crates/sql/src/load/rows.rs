//! From fields to rows.
//!
//! With LOCAL, what is wrong with a row is a warning, as nobody could stop the client in time:
//! values are made to fit, rows with keys that exist are skipped.
//!
//! Not here: lines (`lines`), commits (the module itself), rows by several threads (`parallel`).

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use expression::{Level, Node, RowView, Subqueries, UserVariable, Warnings};
use rows::bulk::OnDuplicate;
use rows::engine::Engine;
use rows::error::Error;
use rows::rules::Lenience;
use rows::store::{LockWait, Read};
use rows::table::Table;
use rows::table_locks::TableLocks;
use rows::transaction::{NumberRules, Transaction};
use values::CharacterSet;
use values::ErrorCode;
use values::convert::Issue;
use values::datum::{Datum, Value};
use values::types::Collation;

use super::lines::FileLine;
use crate::write::{StoredBy, WriteContext, beginning, level_of, tell_of_computed};
use executor::with_subqueries;
use plan::column_default::{Store, implied_default, zero_value};
use plan::context::SqlContext;
use results::{Result, SqlError, value_error};

/// Where a field goes.
#[derive(Clone, Debug)]
pub enum Goal {
    /// A column.
    Column(usize),
    /// A user variable.
    Variable(String),
}

/// What a LOAD DATA is to do.
pub struct LoadPlan {
    /// The rows beneath.
    pub engine: Arc<Engine>,
    /// The table.
    pub table: Arc<Table>,
    /// Where fields go, in order.
    pub goals: Vec<Goal>,
    /// SET.
    pub sets: Vec<(usize, Node)>,
    /// What columns hold that no field goes to.
    pub defaults: Vec<Store>,
    /// The character set of texts in the file, as they are cut into fields.
    pub charset: CharacterSet,
    /// That of the file, if all of it is made UTF-8 before it is cut into fields.
    pub recoded: Option<CharacterSet>,
    /// What to do with keys that exist.
    pub on_duplicate: OnDuplicate,
    /// The session.
    pub facts: Arc<SqlContext>,
    /// What the sub-queries in SET read, if there are such.
    pub asked: Option<Arc<dyn Read>>,
    /// Whether bad values are errors.
    pub strict: bool,
    /// Tables that the session has locked.
    pub locks: Option<Arc<TableLocks>>,
    /// foreign_key_checks.
    pub obeys_foreign_keys: bool,
}

/// What a load did.
#[derive(Debug, Default)]
pub struct LoadOutcome {
    /// Rows in the file.
    pub records: u64,
    /// Rows replaced.
    pub deleted: u64,
    /// Rows left out.
    pub skipped: u64,
    /// The first AUTO_INCREMENT value made up.
    pub generated: Option<u64>,
    /// What was wrong.
    pub warnings: Warnings,
}

impl LoadPlan {
    /// A transaction of its own, as the session would begin it.
    ///
    /// # Errors
    /// As `Engine::begin`.
    pub(crate) fn begin(&self, wait: LockWait) -> rows::Result<Transaction> {
        let mut transaction = self.engine.begin(wait)?;
        transaction.obey_foreign_keys(self.obeys_foreign_keys);
        if let Some(locks) = &self.locks {
            transaction.go_by(Arc::clone(locks));
        }
        Ok(transaction)
    }

    /// Calls `work` with what runs the sub-queries in SET, if there are such.
    pub(crate) fn asking<T>(&self, work: impl FnOnce(Option<&dyn Subqueries>) -> T) -> T {
        match &self.asked {
            None => work(None),
            Some(view) => with_subqueries(&self.facts, &**view, |asked| work(Some(asked))),
        }
    }

    /// Whether rows can be made in any order: nothing is evaluated that may see other rows, or
    /// leave something behind for them.
    pub(crate) fn is_orderless(&self) -> bool {
        self.sets.is_empty() && self.goals.iter().all(|goal| matches!(goal, Goal::Column(_)))
    }
}

/// The row of a line: values as they stand there, but for some that are its own.
pub(super) struct LineRow<'l> {
    datums: Vec<Datum<'l>>,
    own: Vec<(usize, Value)>,
}

impl<'l> LineRow<'l> {
    /// A row of NULLs.
    fn new(columns: usize) -> LineRow<'l> {
        LineRow { datums: vec![Datum::Null; columns], own: Vec::new() }
    }

    fn forget(&mut self, position: usize) {
        self.datums[position] = Datum::Null;
        self.own.retain(|(own, _)| *own != position);
    }

    fn set(&mut self, position: usize, value: Value) {
        self.own.push((position, value));
    }

    /// Calls `each` with the row.
    pub(crate) fn with<R>(self, each: impl FnOnce(&[Datum<'_>]) -> R) -> R {
        let LineRow { datums, own } = self;
        let mut datums: Vec<Datum<'_>> = datums;
        for (position, value) in &own {
            datums[*position] = value.as_datum();
        }
        each(&datums)
    }

    pub(crate) fn into_values(self) -> Vec<Value> {
        let mut values: Vec<Value> = self.datums.iter().map(Datum::to_value).collect();
        for (position, value) in self.own {
            values[position] = value;
        }
        values
    }
}

/// Makes rows of lines.
pub(super) struct RowMaker {
    plan: Arc<LoadPlan>,
    warnings: RefCell<Warnings>,
    said: Vec<bool>,
    uses_variables: bool,
    /// Whether fields are all that rows are made of.
    is_complete: bool,
}

/// A plan and its progress, where rows are written one by one.
pub(crate) struct Loader {
    maker: RowMaker,
    records: u64,
    deleted: u64,
    skipped: u64,
    generated: Option<u64>,
}

impl Loader {
    pub(crate) fn new(plan: &Arc<LoadPlan>) -> Loader {
        Loader { maker: RowMaker::new(plan), records: 0, deleted: 0, skipped: 0, generated: None }
    }

    pub(crate) fn plan(&self) -> &Arc<LoadPlan> {
        &self.maker.plan
    }

    /// Takes the result out.
    pub(crate) fn take(&mut self) -> LoadOutcome {
        LoadOutcome {
            records: self.records,
            deleted: self.deleted,
            skipped: self.skipped,
            generated: self.generated,
            warnings: self.maker.take_warnings(),
        }
    }

    /// Makes a row of a line and writes it.
    pub(crate) fn row(
        &mut self,
        transaction: &mut Transaction,
        line: &FileLine<'_>,
        subqueries: Option<&dyn Subqueries>,
    ) -> Result<()> {
        self.records += 1;
        let row = self.records;
        if row.is_multiple_of(1024) {
            self.maker.plan.facts.kill.check()?;
        }
        let made = self.maker.make(line, row, subqueries)?;
        let LoadPlan { facts, strict, .. } = &*self.maker.plan;
        let zone = facts.zone;
        let mut rules = facts.number_rules();
        rules.refuses_rounded &= *strict;
        transaction.number_by(rules);
        transaction.compute_with(Lenience::unless(*strict, facts.mode));
        let written = made.with(|row| self.write_row(transaction, row));
        transaction.number_by(NumberRules::default());
        if let Some(lenience) = transaction.compute_with(None) {
            tell_of_computed(&self.maker.warnings, lenience, row, zone);
        }
        written
    }

    fn write_row(&mut self, transaction: &mut Transaction, row: &[Datum<'_>]) -> Result<()> {
        let plan = &self.maker.plan;
        if plan.on_duplicate == OnDuplicate::Replace {
            let replaced = transaction.replace(&plan.table, row)?;
            self.deleted += replaced.deleted as u64;
            self.generated = self.generated.or(replaced.generated);
            return Ok(());
        }
        match transaction.insert(&plan.table, row) {
            Ok(inserted) => self.generated = self.generated.or(inserted.generated),
            Err(error)
                if plan.on_duplicate == OnDuplicate::Ignore
                    && (error.is_of_partition()
                        || matches!(
                            error,
                            Error::Duplicate { .. } | Error::Check { .. } | Error::NoParent { .. }
                        )) =>
            {
                self.skipped += 1;
                self.maker
                    .warnings
                    .borrow_mut()
                    .push_with(Level::Warning, || SqlError::from(error).into_warning());
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

impl RowMaker {
    pub(crate) fn new(plan: &Arc<LoadPlan>) -> RowMaker {
        let columns = plan.table.columns.len();
        let is_said =
            |at| plan.goals.iter().any(|goal| matches!(goal, Goal::Column(of) if *of == at));
        RowMaker {
            warnings: RefCell::default(),
            said: vec![false; columns],
            uses_variables: plan.goals.iter().any(|goal| matches!(goal, Goal::Variable(_))),
            is_complete: plan.sets.is_empty() && (0..columns).all(is_said),
            plan: Arc::clone(plan),
        }
    }

    /// What was wrong with the rows so far.
    pub(crate) fn take_warnings(&mut self) -> Warnings {
        self.warnings.take()
    }

    /// How many warnings there are that `take_warnings` would give.
    pub(crate) fn warnings_kept(&self) -> usize {
        self.warnings.borrow().list().len()
    }

    /// Makes the row of a number of a line.
    ///
    /// # Errors
    /// What is wrong with it, where that is an error.
    pub(crate) fn make<'l>(
        &mut self,
        line: &FileLine<'l>,
        row: u64,
        subqueries: Option<&dyn Subqueries>,
    ) -> Result<LineRow<'l>> {
        let mut made = LineRow::new(self.plan.table.columns.len());
        self.said.fill(false);
        let variables = &self.plan.facts.side_effects;
        if self.uses_variables {
            variables.lock().user_variables.clear();
        }
        for (n, goal) in self.plan.goals.iter().enumerate() {
            let field = line.field(n);
            match goal {
                Goal::Variable(name) => {
                    let value = match field {
                        Some(field) if !field.null => {
                            Value::Bytes(self.plan.charset.decode(field.bytes).into_owned())
                        }
                        _ => Value::Null,
                    };
                    let collation = Collation::default_of(self.plan.charset);
                    let given = UserVariable { value, collation };
                    variables.lock().user_variables.push((name.clone(), given));
                }
                // Whatever stands there: it is computed.
                Goal::Column(position) if self.plan.table.columns[*position].computed.is_some() => {
                }
                Goal::Column(position) => {
                    // Of a column that is named twice the last field counts.
                    if std::mem::replace(&mut self.said[*position], true) {
                        made.forget(*position);
                    }
                    match field {
                        Some(field) if field.null => self.null(*position, row, &mut made)?,
                        Some(field) => self.value(*position, field.bytes, row, &mut made)?,
                        None => made.set(*position, self.missing(*position)),
                    }
                }
            }
        }
        self.check_count(line.len(), row)?;
        if !self.is_complete {
            let mut values = made.into_values();
            self.set_and_fill(row, &mut values, subqueries)?;
            made = LineRow::new(values.len());
            made.own.extend(values.into_iter().enumerate());
        }
        Ok(made)
    }

    fn check_count(&self, fields: usize, row: u64) -> Result<()> {
        let goals = self.plan.goals.len();
        let error = match fields.cmp(&goals) {
            std::cmp::Ordering::Equal => return Ok(()),
            std::cmp::Ordering::Less => SqlError::new(
                ErrorCode::WarnTooFewRecords,
                format!("Row {row} doesn't contain data for all columns"),
            ),
            std::cmp::Ordering::Greater => SqlError::new(
                ErrorCode::WarnTooManyRecords,
                format!(
                    "Row {row} was truncated; it contained more data than there were input columns"
                ),
            ),
        };
        if self.plan.strict {
            return Err(error);
        }
        self.warnings.borrow_mut().push(Level::Warning, error.code(), error.into_message());
        Ok(())
    }

    fn value<'l>(
        &self,
        position: usize,
        bytes: &'l [u8],
        row: u64,
        made: &mut LineRow<'l>,
    ) -> Result<()> {
        let column = &self.plan.table.columns[position];
        let bytes = match column.ty.is_binary_string() {
            true => self.plan.recoded.map_or(Cow::Borrowed(bytes), |set| set.encode(bytes)),
            false => self.plan.charset.decode(bytes),
        };
        // Which days with zeros are allowed the mode says.
        let has_zero_part = |datum: &Datum<'_>| match datum {
            Datum::Date(day) => day.has_zero_part(),
            Datum::DateTime(moment) => moment.date().has_zero_part(),
            _ => false,
        };
        if let Cow::Borrowed(bytes) = bytes
            && let Some(datum) = column.plain_of_text(bytes).filter(|datum| !has_zero_part(datum))
        {
            made.datums[position] = datum;
            return Ok(());
        }
        let bytes = &*bytes;
        let mut converted = column.from_text(bytes, self.plan.facts.zone);
        if converted.issue.is_none() && self.plan.facts.mode.refuses_value(&converted.value) {
            converted.issue = Some(Issue::OutOfRange);
            converted.value = implied_default(&column.ty);
        }
        let error = |issue: Issue| value_error(&column.name, issue, &beginning(bytes), row);
        if let Some(issue) = converted.issue {
            if self.plan.strict || issue.is_always_refused() {
                return Err(error(issue.as_error(&column.ty)));
            }
            let warning = || error(issue.as_warning(&column.ty)).into_warning();
            self.warnings.borrow_mut().push_with(level_of(issue, &column.ty), warning);
        } else if converted.note {
            let issue = Issue::of_note(&column.ty, self.plan.strict);
            self.warnings.borrow_mut().push_with(Level::Note, || error(issue).into_warning());
        }
        made.set(position, converted.value);
        Ok(())
    }

    fn null(&self, position: usize, row: u64, made: &mut LineRow<'_>) -> Result<()> {
        let column = &self.plan.table.columns[position];
        if column.nullable || column.auto_increment {
            return Ok(());
        }
        let error = SqlError::new(
            ErrorCode::WarnNullToNotnull,
            format!(
                "Column set to default value; NULL supplied to NOT NULL column '{}' at row {row}",
                column.name
            ),
        );
        if self.plan.strict {
            return Err(error);
        }
        self.warnings.borrow_mut().push(Level::Warning, error.code(), error.into_message());
        made.set(position, zero_value(&column.ty));
        Ok(())
    }

    /// A field that the line does not have.
    fn missing(&self, position: usize) -> Value {
        match &self.plan.defaults[position] {
            Store::Value(value) => value.clone(),
            _ => implied_default(&self.plan.table.columns[position].ty),
        }
    }

    /// SET, and defaults of what is still unsaid.
    fn set_and_fill(
        &mut self,
        row: u64,
        values: &mut [Value],
        subqueries: Option<&dyn Subqueries>,
    ) -> Result<()> {
        let facts = Arc::clone(&self.plan.facts);
        let context = WriteContext {
            facts: &facts,
            parameters: &[],
            warnings: &self.warnings,
            strict: self.plan.strict,
            ignore: !self.plan.strict,
            found_rows: false,
            known: None,
            subqueries,
        };
        for (position, node) in &self.plan.sets {
            let column = &self.plan.table.columns[*position];
            let value = {
                let environment = context.environment();
                let scope = environment.scope().with_row(RowView::Values(values));
                let cell = node.evaluate(&scope)?;
                context.store(column, cell.datum(), &node.ty, row, StoredBy::Insert)?
            };
            values[*position] = value;
            self.said[*position] = true;
        }
        context.fill_defaults(&self.plan.table, &self.plan.defaults, &self.said, values)
    }
}
