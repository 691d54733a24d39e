//! Rows of a query on their way into a table: INSERT ... SELECT, REPLACE ... SELECT and CREATE
//! TABLE ... AS SELECT.
//!
//! How many there are shows only as they come, so the first ones are kept until it is known that
//! there are many (`load::LARGE_BYTES`). Then, if nobody else writes to the table and the statement
//! is a transaction of its own, they go past the transactions (`rows::bulk`) and appear
//! all at once. Otherwise they are written row by row, within the statement's transaction.
//!
//! Invariants
//! 1. What is answered does not tell which way they took: counts, warnings, errors and the row
//!    that they name are the same. Only AUTO_INCREMENT also moves for rows that are left out.
//!
//! Not here: the query (`session::write`), ON DUPLICATE KEY UPDATE, which looks at the row that is
//! there: it goes row by row.

use std::sync::Arc;

use expression::KillMark;
use resources::budget::Share;
use rows::bulk::{BulkLoad, BulkOutcome, OnDuplicate, Progress};
use rows::engine::Engine;
use rows::rules::Lenience;
use rows::transaction::Transaction;
use values::datum::{Datum, Value};
use values::types::ColumnType;

use super::filler::Filler;
use super::large_bytes;
use super::noted::RowWarnings;
use crate::write::{InsertPlan, Tally, WriteContext, WriteOutcome, given, warnings_of_computed};
use results::{ExecutionMode, Pace, Result, RowStream, SqlError};

/// What a value takes in memory besides the bytes of a text.
const VALUE_BYTES: usize = size_of::<Value>();

/// What an INSERT ... SELECT is to do.
pub(crate) struct QueryInsert<'a> {
    pub plan: &'a InsertPlan,
    pub context: &'a WriteContext<'a>,
    pub engine: &'a Arc<Engine>,
    /// The types of the query's columns.
    pub types: &'a [&'a ColumnType],
}

impl QueryInsert<'_> {
    /// Inserts all rows of a stream. `begin`, which is called if they are many, begins a bulk load
    /// if there may be one.
    ///
    /// # Errors
    /// The statement's error; the caller takes the transaction back.
    pub fn run(
        &self,
        mut stream: RowStream,
        transaction: &mut Transaction,
        begin: impl FnOnce(OnDuplicate) -> Result<Option<BulkLoad>>,
    ) -> Result<WriteOutcome> {
        let mut beginning = Beginning::new(self.engine);
        let kept = match self.plan.on_duplicate() {
            Some(_) => beginning.fill(&mut stream),
            None => Ok(true),
        };
        if let (Some(on_duplicate), Ok(true)) = (self.plan.on_duplicate(), &kept)
            && let Some(bulk) = begin(on_duplicate)?
        {
            return self.run_in_bulk(bulk, on_duplicate, &beginning, stream);
        }
        let mut tally = Tally::default();
        let mut row = 0;
        let mut insert = |line: &[Datum<'_>]| {
            row += 1;
            let values = self.plan.row_of_query(self.context, line, self.types, row)?;
            let datums: Vec<Datum<'_>> = values.iter().map(Value::as_datum).collect();
            self.plan.insert_row(transaction, self.context, &datums, row, &mut tally)
        };
        beginning.each(self.types.len(), &mut insert)?;
        drop(beginning);
        // What is wrong with a row that was kept came before what ended the query.
        if kept? {
            each_row(stream, &mut insert)?;
        }
        Ok(self.plan.finish(tally, true, self.context.warnings.borrow().count()))
    }

    fn run_in_bulk(
        &self,
        mut bulk: BulkLoad,
        on_duplicate: OnDuplicate,
        beginning: &Beginning,
        stream: RowStream,
    ) -> Result<WriteOutcome> {
        let _working = KillMark::of_this_thread(&self.context.facts.kill);
        let mut filling = Filling::begin(self, &mut bulk)?;
        let fed = beginning
            .each(self.types.len(), &mut |line| filling.add(line))
            .and_then(|()| each_row(stream, &mut |line| filling.add(line)));
        filling.finish(bulk, on_duplicate, fed)
    }
}

/// Calls `each` with every row of a stream.
pub(crate) fn each_row(
    mut stream: RowStream,
    each: &mut dyn FnMut(&[Datum<'_>]) -> Result<()>,
) -> Result<()> {
    while stream.next(ExecutionMode::POOL, &mut |line| {
        each(line)?;
        Ok(Pace::More)
    })? {}
    Ok(())
}

/// The first rows of a query, as it gave them.
struct Beginning {
    values: Vec<Value>,
    bytes: usize,
    bytes_max: usize,
    share: Share,
}

impl Beginning {
    fn new(engine: &Engine) -> Beginning {
        let bytes_max = large_bytes(engine);
        Beginning { values: Vec::new(), bytes: 0, bytes_max, share: engine.budget().share() }
    }

    /// Takes rows until they are many; `false` when there are no more.
    fn fill(&mut self, stream: &mut RowStream) -> Result<bool> {
        let mut full = false;
        while !full {
            let more = stream.next(ExecutionMode::POOL, &mut |line| {
                self.values.extend(line.iter().map(Datum::to_value));
                self.bytes += line.iter().map(bytes_of).sum::<usize>();
                full = self.bytes >= self.bytes_max;
                self.share.keep_up_with(self.bytes)?;
                Ok(if full { Pace::Pause } else { Pace::More })
            })?;
            if !more {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls `each` with every row of so many values.
    fn each(&self, width: usize, each: &mut dyn FnMut(&[Datum<'_>]) -> Result<()>) -> Result<()> {
        let mut line = Vec::with_capacity(width);
        self.values.chunks_exact(width.max(1)).try_for_each(|row| {
            line.clear();
            line.extend(row.iter().map(Value::as_datum));
            each(&line)
        })
    }
}

fn bytes_of(datum: &Datum<'_>) -> usize {
    VALUE_BYTES + if let Datum::Bytes(bytes) = datum { bytes.len() } else { 0 }
}

/// Rows between two looks whether to go on.
const LOOK_EVERY: u64 = 1024;

/// Rows that go into the load.
struct Filling<'a> {
    of: &'a QueryInsert<'a>,
    filler: Filler,
    progress: Arc<Progress>,
    /// The row of each warning that is kept.
    warned: Vec<u64>,
    /// The AUTO_INCREMENT value that came with the last row.
    given: Option<u64>,
    /// The row at hand is wrong: rows before it that share a key are, too, and come first.
    wrong: bool,
}

impl<'a> Filling<'a> {
    fn begin(of: &'a QueryInsert<'a>, bulk: &mut BulkLoad) -> Result<Filling<'a>> {
        let progress = Arc::clone(bulk.progress());
        let WriteContext { facts, strict, .. } = *of.context;
        let mut filler = Filler::begin(bulk, facts.number_rules())?;
        filler.compute_with(Lenience::unless(strict, facts.mode));
        Ok(Filling { of, filler, progress, warned: Vec::new(), given: None, wrong: false })
    }

    fn add(&mut self, line: &[Datum<'_>]) -> Result<()> {
        let QueryInsert { plan, context, types, .. } = *self.of;
        let row = self.filler.rows() + 1;
        if row.is_multiple_of(LOOK_EVERY) {
            self.progress.add(LOOK_EVERY);
            context.facts.kill.check()?;
        }
        self.wrong = true;
        let mut values = plan.row_of_query(context, line, types, row)?;
        self.warned.resize(context.warnings.borrow().list().len(), row);
        let came_with = plan.table().auto_increment().and_then(|at| given(values[at].as_datum()));
        self.given = came_with.or(self.given);
        self.filler.number(&mut values)?;
        self.wrong = false;
        Ok(self.filler.put(&values)?)
    }

    fn finish(
        self,
        bulk: BulkLoad,
        on_duplicate: OnDuplicate,
        fed: Result<()>,
    ) -> Result<WriteOutcome> {
        let context = self.of.context;
        // A wait that was interrupted ends as if its time were over.
        let told_apart = |error: rows::Error| match context.facts.kill.check() {
            Err(killed) => killed.into(),
            Ok(()) => SqlError::from(error),
        };
        if let Err(error) = fed {
            if self.wrong {
                self.filler.look_for_duplicates(bulk).map_err(told_apart)?;
            }
            return Err(error);
        }
        let Filling { mut filler, warned, given, .. } = self;
        let computed = filler.compute_with(None);
        let (rows, generated) = (filler.rows(), filler.first_number());
        let outcome = filler.finish(bulk).map_err(told_apart)?;
        let BulkOutcome { lost, told, .. } = outcome;
        let replaces = on_duplicate == OnDuplicate::Replace;
        let mut noted = RowWarnings::default();
        noted.add(&context.warnings.borrow(), &warned);
        if let Some(lenience) = computed {
            let (warnings, rows) = warnings_of_computed(lenience, 1, context.facts.zone);
            noted.add(&warnings, &rows);
        }
        if !replaces {
            noted.add_left_out(lost, told);
        }
        let warnings = noted.into_warnings();
        let count = warnings.count();
        context.warnings.replace(warnings);
        let affected = if replaces { rows + lost } else { rows - lost };
        let written = WriteOutcome { affected, generated, given, ..WriteOutcome::default() };
        Ok(Tally::of(rows, lost, written).finish(true, count))
    }
}
