//! Window functions over a partition that is too large for the memory: it goes to a file while it
//! comes, and is read again for the values.
//!
//! NTILE, PERCENT_RANK, CUME_DIST, and aggregates, FIRST_VALUE, LAST_VALUE and NTH_VALUE over all
//! rows of a partition are known when its last row has come; LEAD and LAG look so many rows ahead
//! or back; what is over a frame that moves looks at where this begins and ends. Each function that
//! looks at other rows than the one at hand reads the file by itself: CUME_DIST ahead to the last
//! row with equal keys, LEAD so many rows ahead, LAG as many behind.
//!
//! Invariants
//! 1. Rows come out as they went in, each with its values behind its columns.
//! 2. No more than a few batches are in memory, and one state for each aggregate.
//!
//! Not here: partitions that fit into memory (`window`); functions of the rows so far (`carried`,
//! `numbering`); frames that move (`frames`); the files (`partition_files`).

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Accumulator, WindowFrameBound};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr::window::{PlainAggregateWindowExpr, StandardWindowExpr, WindowExpr};
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::spill::SpillManager;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::WindowUDFExpr;
use futures::{StreamExt, stream};

use super::compact::{longest_text, rows_with};
use super::frames::{FramedFunction, FramedRows, FramedValues, framed};
use super::partition_files::{
    BatchWriter, Neighbour, NeighbourRows, PartitionReader, files, writer,
};
use super::sorted_keys::Keys;

/// LEAD and LAG of so many rows are taken from files, where a partition has as many.
const DISTANCE_MAX: usize = 4096;

/// The functions, and the keys by which rows of a partition are sorted.
#[derive(Debug)]
pub(super) struct FileFunctions {
    functions: Vec<FileFunction>,
    order_by: Vec<Arc<dyn PhysicalExpr>>,
    schema: SchemaRef,
}

/// A function whose values are found with a partition in a file.
#[derive(Debug)]
enum FileFunction {
    /// NTILE of so many.
    Tile(u64),
    PercentRank,
    CumulativeDistribution,
    /// An aggregate over all rows: always a `PlainAggregateWindowExpr`.
    Aggregate(Arc<dyn WindowExpr>),
    /// An expression of one row, the same for all.
    OfOneRow(Arc<dyn PhysicalExpr>, ChosenRow),
    /// Over a frame that moves: the function, its arguments and their types.
    Framed(Arc<FramedFunction>, Vec<Arc<dyn PhysicalExpr>>, Vec<DataType>),
    Neighbour(Neighbour),
}

/// Which row of a partition.
#[derive(Clone, Copy, Debug)]
enum ChosenRow {
    /// The one behind so many.
    Behind(u64),
    Last,
}

impl FileFunctions {
    /// All of them, for rows of a schema, if each is one that this can have.
    pub(super) fn of(
        functions: &[Arc<dyn WindowExpr>],
        schema: &SchemaRef,
    ) -> Option<FileFunctions> {
        let order_by = functions.first()?.order_by();
        if functions.iter().any(|function| function.order_by() != order_by) {
            return None;
        }
        Some(FileFunctions {
            functions: functions
                .iter()
                .map(|function| FileFunction::of(function, schema))
                .collect::<Option<_>>()?,
            order_by: order_by.iter().map(|key| Arc::clone(&key.expr)).collect(),
            schema: Arc::clone(schema),
        })
    }

    /// Whether one looks so far that its rows may not fit into memory.
    pub(super) fn look_far(&self) -> bool {
        self.functions.iter().any(|function| {
            matches!(function, FileFunction::Neighbour(to) if to.distance > DISTANCE_MAX)
        })
    }
}

impl FileFunction {
    fn of(function: &Arc<dyn WindowExpr>, schema: &SchemaRef) -> Option<FileFunction> {
        if let Some(aggregate) = function.as_any().downcast_ref::<PlainAggregateWindowExpr>() {
            let frame = aggregate.get_window_frame();
            let is_whole = frame.start_bound.is_unbounded() && frame.end_bound.is_unbounded();
            return is_whole.then(|| FileFunction::Aggregate(Arc::clone(function)));
        }
        let standard = function.as_any().downcast_ref::<StandardWindowExpr>()?;
        let udf = standard.get_standard_func_expr().as_any().downcast_ref::<WindowUDFExpr>()?;
        if let Some(framed) = framed(udf.fun()) {
            let types = udf.args().iter().map(|argument| argument.data_type(schema).ok());
            let types = types.collect::<Option<_>>()?;
            return Some(FileFunction::Framed(framed, udf.args().to_vec(), types));
        }
        let literal = |number: usize| {
            udf.args().get(number)?.downcast_ref::<Literal>().map(|literal| literal.value().clone())
        };
        match udf.fun().name() {
            "ntile" => match literal(0)?.cast_to(&DataType::UInt64).ok()? {
                ScalarValue::UInt64(Some(parts)) if parts > 0 => Some(FileFunction::Tile(parts)),
                _ => None,
            },
            "first_value" | "last_value" | "nth_value" => {
                let frame = function.get_window_frame();
                let to_end = frame.end_bound.is_unbounded();
                let from_begin = frame.start_bound.is_unbounded();
                let begins_at_hand = matches!(frame.start_bound, WindowFrameBound::CurrentRow);
                let row = match udf.fun().name() {
                    "first_value" if from_begin && to_end => ChosenRow::Behind(0),
                    "last_value" if to_end && (from_begin || begins_at_hand) => ChosenRow::Last,
                    "nth_value" if from_begin && to_end => {
                        let number = literal(1)?.cast_to(&DataType::UInt64).ok()?;
                        let ScalarValue::UInt64(Some(number @ 1..)) = number else { return None };
                        counts_from_the_first(standard, number)?.then_some(())?;
                        ChosenRow::Behind(number - 1)
                    }
                    _ => return None,
                };
                Some(FileFunction::OfOneRow(Arc::clone(udf.args().first()?), row))
            }
            "percent_rank" => Some(FileFunction::PercentRank),
            "cume_dist" => Some(FileFunction::CumulativeDistribution),
            "lead" | "lag" => {
                let ty = function.field().ok()?.data_type().clone();
                let otherwise = match udf.args().get(2) {
                    Some(_) => literal(2)?.cast_to(&ty).ok()?,
                    None => ScalarValue::try_from(&ty).ok()?,
                };
                // What the function itself says that it looks at, which is in the order of the
                // input also where DataFusion has turned that round.
                let at = usize::MAX / 4;
                let seen = standard
                    .get_standard_func_expr()
                    .create_evaluator()
                    .ok()?
                    .get_range(at, usize::MAX / 2)
                    .ok()?;
                let (back, ahead) = (at - seen.start, seen.end.saturating_sub(at));
                Some(FileFunction::Neighbour(Neighbour {
                    value: Arc::clone(udf.args().first()?),
                    is_ahead: back == 0,
                    distance: if back == 0 { ahead } else { back },
                    otherwise,
                }))
            }
            _ => None,
        }
    }
}

/// Whether NTH_VALUE counts in the order of the input, which DataFusion may have turned round;
/// `None` of numbers beyond those that it is asked about.
fn counts_from_the_first(function: &StandardWindowExpr, number: u64) -> Option<bool> {
    if number > DISTANCE_MAX as u64 {
        return None;
    }
    // Of so many rows the two ways choose different ones.
    let rows = 2 * number + 1;
    let numbers: ArrayRef = Arc::new(UInt64Array::from_iter_values(1..=rows));
    let mut evaluator = function.get_standard_func_expr().create_evaluator().ok()?;
    let chosen = evaluator.evaluate(&[numbers], &(0..rows as usize)).ok()?;
    Some(chosen == ScalarValue::UInt64(Some(number)))
}

/// A partition that goes to a file.
pub(super) struct LargePartition {
    functions: Arc<FileFunctions>,
    files: Arc<SpillManager>,
    write: BatchWriter,
    rows: u64,
    /// The length of the longest text that functions look at.
    longest: usize,
    /// What is known of each function so far.
    states: Vec<FunctionState>,
}

/// What is known of a function while its partition comes.
enum FunctionState {
    Nothing,
    Total(Box<dyn Accumulator>),
    /// The value of the row that is chosen, or of the last one so far; NULL before.
    OneRow(ScalarValue),
    Framed(Box<FramedRows>),
}

impl FileFunction {
    /// Without any row yet.
    fn state(&self, context: &Arc<TaskContext>) -> Result<FunctionState> {
        Ok(match self {
            FileFunction::Aggregate(aggregate) => FunctionState::Total(accumulator(aggregate)?),
            FileFunction::OfOneRow(..) => FunctionState::OneRow(ScalarValue::Null),
            FileFunction::Framed(function, _, types) => {
                FunctionState::Framed(Box::new(FramedRows::in_files(function, types, context)?))
            }
            _ => FunctionState::Nothing,
        })
    }
}

impl LargePartition {
    /// One of rows of a schema, without any yet.
    pub(super) fn begin(
        functions: &Arc<FileFunctions>,
        schema: SchemaRef,
        context: &Arc<TaskContext>,
    ) -> Result<LargePartition> {
        let files = files(context, schema);
        Ok(LargePartition {
            functions: Arc::clone(functions),
            write: writer(&files, "a partition of a window function")?,
            files,
            rows: 0,
            longest: 0,
            states: functions
                .functions
                .iter()
                .map(|function| function.state(context))
                .collect::<Result<_>>()?,
        })
    }

    /// Its next rows.
    pub(super) fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let rows = batch.num_rows();
        if rows == 0 {
            return Ok(());
        }
        let first = self.rows;
        self.rows += rows as u64;
        self.longest = self.longest.max(longest_text(batch));
        for (function, state) in self.functions.functions.iter().zip(&mut self.states) {
            match (function, state) {
                (FileFunction::Aggregate(aggregate), FunctionState::Total(total)) => {
                    total.update_batch(&aggregate.evaluate_args(batch)?)?;
                }
                (FileFunction::OfOneRow(value, chosen), FunctionState::OneRow(kept)) => {
                    let at = match chosen {
                        ChosenRow::Behind(number) => number.checked_sub(first),
                        ChosenRow::Last => Some(rows as u64 - 1),
                    };
                    if let Some(at) = at.filter(|at| *at < rows as u64) {
                        let row = value.evaluate(&batch.slice(at as usize, 1))?;
                        *kept = ScalarValue::try_from_array(&row.into_array(1)?, 0)?;
                    }
                }
                (FileFunction::Framed(_, arguments, _), FunctionState::Framed(framed)) => {
                    let columns =
                        arguments.iter().map(|argument| argument.evaluate(batch)?.into_array(rows));
                    framed.add(columns.collect::<Result<_>>()?)?;
                }
                _ => {}
            }
        }
        (self.write)(Some(batch)).map(drop)
    }

    /// It has no more rows: all of them, with their values.
    pub(super) fn finish(mut self) -> Result<SendableRecordBatchStream> {
        let schema = Arc::clone(&self.functions.schema);
        let Some(file) = (self.write)(None)? else {
            return Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream::empty())));
        };
        let reader = PartitionReader { files: self.files, file };
        let functions = self.functions.functions.iter().zip(self.states).enumerate();
        let sources = functions.map(|(number, (function, state))| {
            let ty = || schema.field(reader.files.schema().fields().len() + number).data_type();
            Ok(match (function, state) {
                (_, FunctionState::Total(mut total)) => ValueSource::Constant(total.evaluate()?),
                (_, FunctionState::OneRow(value)) => ValueSource::Constant(value.cast_to(ty())?),
                (_, FunctionState::Framed(rows)) => ValueSource::Framed(Box::new(rows.finish()?)),
                (FileFunction::Tile(parts), _) => ValueSource::Tile(*parts),
                (FileFunction::PercentRank, _) => ValueSource::PercentRank,
                (FileFunction::CumulativeDistribution, _) => ValueSource::CumulativeDistribution(
                    PeerEnds::new(&reader, self.functions.order_by.clone())?,
                ),
                (FileFunction::Neighbour(neighbour), _) => {
                    ValueSource::Neighbour(NeighbourRows::new(reader.open()?, neighbour))
                }
                (
                    FileFunction::Aggregate(_)
                    | FileFunction::OfOneRow(..)
                    | FileFunction::Framed(..),
                    FunctionState::Nothing,
                ) => unreachable!("they have a state"),
            })
        });
        let filled = FilledRows {
            schema: Arc::clone(&schema),
            sources: sources.collect::<Result<_>>()?,
            peers: Keys::new(self.functions.order_by.clone()),
            input: reader.open()?,
            rows_max: rows_with(self.longest),
            rest: None,
            count: self.rows,
            next: 0,
            rank: 1,
        };
        let rows = stream::try_unfold(filled, |mut filled| async move {
            Ok::<_, DataFusionError>(filled.next().await?.map(|batch| (batch, filled)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

fn accumulator(function: &Arc<dyn WindowExpr>) -> Result<Box<dyn Accumulator>> {
    let plain = function.as_any().downcast_ref::<PlainAggregateWindowExpr>();
    plain.expect("nothing else is an aggregate here").get_aggregate_expr().create_accumulator()
}

/// Where the values of a function come from.
enum ValueSource {
    Tile(u64),
    PercentRank,
    CumulativeDistribution(PeerEnds),
    Constant(ScalarValue),
    Framed(Box<FramedValues>),
    Neighbour(NeighbourRows),
}

/// The rows of a partition, with their values.
struct FilledRows {
    schema: SchemaRef,
    input: SendableRecordBatchStream,
    /// Most rows of a batch: one long text may be the value of all.
    rows_max: usize,
    /// What that has left of the last one.
    rest: Option<RecordBatch>,
    sources: Vec<ValueSource>,
    peers: Keys,
    /// All rows.
    count: u64,
    /// Rows that came before the next one.
    next: u64,
    /// Of the last one, from 1.
    rank: u64,
}

impl FilledRows {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        let mut batch = match self.rest.take() {
            Some(rest) => rest,
            None => match self.input.next().await.transpose()? {
                Some(batch) => batch,
                None => return Ok(None),
            },
        };
        if batch.num_rows() > self.rows_max {
            self.rest = Some(batch.slice(self.rows_max, batch.num_rows() - self.rows_max));
            batch = batch.slice(0, self.rows_max);
        }
        let (first, rows) = (self.next, batch.num_rows());
        let begins = self.peers.begins(&batch)?;
        let mut next_begin = begins.iter().copied().peekable();
        let mut ranks = Vec::with_capacity(rows);
        for row in 0..rows {
            if next_begin.next_if_eq(&row).is_some() {
                self.rank = first + row as u64 + 1;
            }
            ranks.push(self.rank);
        }
        self.next += rows as u64;
        let numbers = first..self.next;
        let mut columns = batch.columns().to_vec();
        for source in &mut self.sources {
            columns.push(match source {
                ValueSource::Tile(parts) => {
                    let tiles = numbers.clone().map(|row| tile(row, self.count, *parts));
                    Arc::new(UInt64Array::from_iter_values(tiles)) as ArrayRef
                }
                ValueSource::PercentRank => {
                    let others = self.count.saturating_sub(1).max(1) as f64;
                    let of_rank = |rank: &u64| (rank - 1) as f64 / others;
                    Arc::new(Float64Array::from_iter_values(ranks.iter().map(of_rank)))
                }
                ValueSource::CumulativeDistribution(ends) => {
                    let mut values = Vec::with_capacity(rows);
                    for row in numbers.clone() {
                        values.push(ends.behind(row).await? as f64 / self.count as f64);
                    }
                    Arc::new(Float64Array::from(values))
                }
                ValueSource::Constant(value) => value.to_array_of_size(rows)?,
                ValueSource::Framed(values) => values.take(rows).await?,
                ValueSource::Neighbour(neighbours) => neighbours.take(rows).await?,
            });
        }
        Ok(Some(RecordBatch::try_new(Arc::clone(&self.schema), columns)?))
    }
}

/// The part, from 1, that a row is in when so many are divided: the first ones have one more.
fn tile(row: u64, count: u64, parts: u64) -> u64 {
    let (size, larger) = (count / parts, count % parts);
    let in_larger = larger * (size + 1);
    match row < in_larger {
        true => row / (size + 1) + 1,
        // A size of 0 has all rows in the larger ones.
        false => larger + (row - in_larger) / size.max(1) + 1,
    }
}

/// Where rows with equal keys end.
struct PeerEnds {
    input: SendableRecordBatchStream,
    keys: Keys,
    read: u64,
    ended: bool,
    /// Rows up to each end that is known and not passed.
    ends: VecDeque<u64>,
}

impl PeerEnds {
    fn new(reader: &PartitionReader, keys: Vec<Arc<dyn PhysicalExpr>>) -> Result<PeerEnds> {
        let input = reader.open()?;
        Ok(PeerEnds { input, keys: Keys::new(keys), read: 0, ended: false, ends: VecDeque::new() })
    }

    /// Rows up to the end of those with a row's keys; of rows in their order.
    async fn behind(&mut self, row: u64) -> Result<u64> {
        loop {
            while self.ends.front().is_some_and(|end| *end <= row) {
                self.ends.pop_front();
            }
            if let Some(end) = self.ends.front() {
                return Ok(*end);
            }
            if self.ended {
                return Err(DataFusionError::Internal("a row behind its partition".to_owned()));
            }
            match self.input.next().await.transpose()? {
                Some(batch) => {
                    let begins = self.keys.begins(&batch)?;
                    self.ends.extend(begins.into_iter().map(|begin| self.read + begin as u64));
                    self.read += batch.num_rows() as u64;
                }
                None => {
                    self.ended = true;
                    self.ends.push_back(self.read);
                }
            }
        }
    }
}

impl fmt::Debug for LargePartition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LargePartition({} rows)", self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_parts_have_one_row_more() {
        let sizes = |count: u64, parts: u64| {
            let mut sizes = vec![0; parts as usize];
            (0..count).for_each(|row| sizes[tile(row, count, parts) as usize - 1] += 1);
            sizes
        };
        assert_eq!(sizes(10, 4), [3, 3, 2, 2]);
        assert_eq!(sizes(8, 4), [2, 2, 2, 2]);
        assert_eq!(sizes(2, 4), [1, 1, 0, 0]);
    }
}
