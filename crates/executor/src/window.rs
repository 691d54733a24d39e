//! Window functions over the rows of a SELECT: rows are kept, sorted once for all functions whose
//! windows sort alike, and each function's value is put into them.
//!
//! An aggregate goes on from the row before as long as its frame only grows; a frame that leaves
//! rows behind is added up again.
//!
//! Invariants
//! 1. Rows come in the order of the first function's window.
//! 2. Rows that are added up again count as looked at: what comes to too much goes elsewhere.
//! 3. The memory of values is counted before the next one is made.
//!
//! Not here: what a row has beneath (`select`), long results (`analytic`).

use std::ops::Range;

use expression::{Node, RowView, Scope, fit};
use values::ErrorCode;
use values::datum::Value;

use super::accumulate::{Accumulator, concat_bytes_max};
use super::drawn::DrawnBytes;
use super::key::{push, push_descending};
use super::{Execution, Flow, row_bytes};
use plan::tree::{Aggregate, Frame, FrameBound, Window, WindowCall, WindowFunction, Windowing};
use results::{Result, SqlError};

/// What a sorted row takes besides its key, about.
const SORTED_BYTES: usize = 48;

/// The rows of one SELECT with their window functions.
pub(super) struct Windows<'w> {
    execution: &'w Execution<'w>,
    windowing: &'w Windowing,
    /// The functions' values, then the inputs.
    rows: Vec<Vec<Value>>,
    drawn: DrawnBytes<'w>,
}

/// A row in the order of a window.
struct WindowRow {
    /// Bytes that sort: of the partition, then of the order.
    key: Vec<u8>,
    /// How many of them are the partition's.
    partition: usize,
    /// Its number.
    row: usize,
}

impl WindowRow {
    fn partition(&self) -> &[u8] {
        &self.key[..self.partition]
    }

    fn order(&self) -> &[u8] {
        &self.key[self.partition..]
    }
}

impl<'w> Windows<'w> {
    pub fn new(execution: &'w Execution<'w>, windowing: &'w Windowing) -> Windows<'w> {
        Windows { execution, windowing, rows: Vec::new(), drawn: DrawnBytes::nothing(execution) }
    }

    /// Keeps what is needed of a row.
    ///
    /// # Errors
    /// Those of evaluating what is kept, and of memory that is not to be had.
    pub fn add(&mut self, row: &Scope<'_>) -> Result<()> {
        let functions = self.windowing.functions.len();
        let mut values = Vec::with_capacity(functions + self.windowing.inputs.len());
        values.resize(functions, Value::Null);
        for input in &self.windowing.inputs {
            values.push(input.evaluate(row)?.into_value());
        }
        self.drawn.draw(row_bytes(&values))?;
        self.rows.push(values);
        Ok(())
    }

    /// Computes the functions and gives each row.
    ///
    /// # Errors
    /// Those of the functions, and of `give`.
    pub fn each(
        mut self,
        scope: &Scope<'_>,
        give: &mut dyn FnMut(&[Value]) -> Result<Flow>,
    ) -> Result<()> {
        let windowing = self.windowing;
        let functions = &windowing.functions;
        let mut first: Option<Vec<WindowRow>> = None;
        let mut done = vec![false; functions.len()];
        for at in 0..functions.len() {
            if done[at] {
                continue;
            }
            let window = &functions[at].window;
            let sorted = self.sorted(window, scope)?;
            for (n, function) in functions.iter().enumerate().skip(at) {
                if !done[n] && function.window.is_sorted_like(window) {
                    self.compute(function, n, &sorted, scope)?;
                    done[n] = true;
                }
            }
            first.get_or_insert(sorted);
        }
        for sorted in first.iter().flatten() {
            if give(&self.rows[sorted.row])? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    fn sorted(&mut self, window: &Window, scope: &Scope<'_>) -> Result<Vec<WindowRow>> {
        let mut all = Vec::with_capacity(self.rows.len());
        for (row, values) in self.rows.iter().enumerate() {
            let over = scope.with_row(RowView::Values(values));
            let mut key = Vec::new();
            for node in &window.partition {
                push(&node.ty, node.evaluate(&over)?.datum(), &mut key);
            }
            let partition = key.len();
            for (node, descending) in &window.order {
                push_in_order(node, *descending, &over, &mut key)?;
            }
            self.drawn.draw(key.len() + SORTED_BYTES)?;
            all.push(WindowRow { key, partition, row });
        }
        // Of equal keys the rows stay as they came.
        all.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(all)
    }

    /// Computes a function for all rows.
    fn compute(
        &mut self,
        function: &WindowFunction,
        number: usize,
        sorted: &[WindowRow],
        scope: &Scope<'_>,
    ) -> Result<()> {
        for partition in sorted.chunk_by(|a, b| a.partition() == b.partition()) {
            let descending =
                function.window.order.first().is_some_and(|(_, descending)| *descending);
            let over = Partition { rows: &self.rows, sorted: partition, descending, scope };
            let values = over.values(function, self.execution, &mut self.drawn)?;
            for (sorted, value) in partition.iter().zip(values) {
                self.rows[sorted.row][number] = value;
            }
        }
        Ok(())
    }
}

fn push_in_order(node: &Node, descending: bool, row: &Scope<'_>, key: &mut Vec<u8>) -> Result<()> {
    let push = if descending { push_descending } else { push };
    push(&node.ty, node.evaluate(row)?.datum(), key);
    Ok(())
}

/// The rows of one partition, in order.
struct Partition<'p> {
    rows: &'p [Vec<Value>],
    sorted: &'p [WindowRow],
    /// Whether the first key is sorted downwards.
    descending: bool,
    scope: &'p Scope<'p>,
}

impl<'p> Partition<'p> {
    fn len(&self) -> usize {
        self.sorted.len()
    }

    fn scope(&self, at: usize) -> Scope<'p> {
        self.scope.with_row(RowView::Values(&self.rows[self.sorted[at].row]))
    }

    fn value(&self, node: &'p Node, at: usize) -> Result<Value> {
        Ok(node.evaluate(&self.scope(at))?.into_value())
    }

    /// A number of rows; `None` for NULL.
    fn count(&self, node: &Node, at: usize) -> Result<Option<i128>> {
        let scope = self.scope(at);
        let number = scope.integer(&node.evaluate(&scope)?);
        Ok(number.map(|number| number.to_i128()))
    }

    /// A function's values, one for each row.
    fn values(
        &self,
        function: &'p WindowFunction,
        execution: &Execution<'_>,
        drawn: &mut DrawnBytes<'_>,
    ) -> Result<Vec<Value>> {
        let frame = &function.window.frame;
        match &function.call {
            WindowCall::RowNumber => Ok((1..=self.len() as u64).map(Value::UInt).collect()),
            WindowCall::Rank => Ok(self.by_peers(|peers, _| Value::UInt(peers.start as u64 + 1))),
            WindowCall::DenseRank => Ok(self.by_peers(|_, rank| Value::UInt(rank as u64 + 1))),
            WindowCall::PercentRank => {
                let others = self.len().saturating_sub(1).max(1) as f64;
                Ok(self.by_peers(|peers, _| Value::Double(peers.start as f64 / others)))
            }
            WindowCall::CumulativeDistribution => {
                let all = self.len() as f64;
                Ok(self.by_peers(|peers, _| Value::Double(peers.end as f64 / all)))
            }
            WindowCall::Tile(tiles) => self.tiles(tiles),
            WindowCall::Neighbour { value, distance, otherwise, ahead } => {
                let others = (distance.as_ref(), otherwise.as_ref());
                self.neighbours(function, value, others, *ahead, drawn)
            }
            WindowCall::First(node) => {
                self.within(frame, drawn, |range| self.at(node, range.start, &range))
            }
            WindowCall::Last(node) => {
                let last = |range: &Range<usize>| range.end.wrapping_sub(1);
                self.within(frame, drawn, |range| self.at(node, last(&range), &range))
            }
            WindowCall::Nth(node, number) => {
                let Some(number) = self.count(number, 0)? else {
                    return Ok(vec![Value::Null; self.len()]);
                };
                let Some(before) = usize::try_from(number).ok().and_then(|n| n.checked_sub(1))
                else {
                    return Err(wrong_argument("nth_value"));
                };
                self.within(frame, drawn, |range| {
                    self.at(node, range.start.saturating_add(before), &range)
                })
            }
            WindowCall::Aggregate(aggregate) => self.aggregates(aggregate, frame, execution, drawn),
        }
    }

    /// The rows with the same keys of ORDER BY as each row.
    fn peers(&self) -> Vec<Range<usize>> {
        let mut all = Vec::with_capacity(self.len());
        for peers in self.sorted.chunk_by(|a, b| a.order() == b.order()) {
            let start = all.len();
            all.extend(std::iter::repeat_n(start..start + peers.len(), peers.len()));
        }
        all
    }

    /// Values that are the same for peers: of their range and how many keys come before theirs.
    fn by_peers(&self, value: impl Fn(&Range<usize>, usize) -> Value) -> Vec<Value> {
        let mut values = Vec::with_capacity(self.len());
        for (rank, peers) in self.sorted.chunk_by(|a, b| a.order() == b.order()).enumerate() {
            let range = values.len()..values.len() + peers.len();
            values.extend(std::iter::repeat_n(value(&range, rank), peers.len()));
        }
        values
    }

    /// NTILE: parts as equal as can be, the larger ones first.
    fn tiles(&self, tiles: &Node) -> Result<Vec<Value>> {
        let Some(tiles) = self.count(tiles, 0)? else {
            return Ok(vec![Value::Null; self.len()]);
        };
        let tiles = match usize::try_from(tiles) {
            Ok(0) | Err(_) => return Err(wrong_argument("ntile")),
            Ok(tiles) => tiles,
        };
        let (small, larger) = (self.len() / tiles, self.len() % tiles);
        let in_larger = larger * (small + 1);
        let tile = |at: usize| match at < in_larger {
            true => at / (small + 1),
            false => larger + (at - in_larger) / small.max(1),
        };
        Ok((0..self.len()).map(|at| Value::UInt(tile(at) as u64 + 1)).collect())
    }

    fn neighbours(
        &self,
        function: &WindowFunction,
        value: &'p Node,
        (distance, otherwise): (Option<&'p Node>, Option<&'p Node>),
        ahead: bool,
        drawn: &mut DrawnBytes<'_>,
    ) -> Result<Vec<Value>> {
        let mut values = Vec::with_capacity(self.len());
        for at in 0..self.len() {
            let away = match distance {
                None => 1,
                Some(node) => match self.count(node, at)? {
                    Some(away @ 0..) => away,
                    Some(_) => return Err(wrong_argument(if ahead { "lead" } else { "lag" })),
                    None => {
                        values.push(Value::Null);
                        continue;
                    }
                },
            };
            let place = if ahead { at as i128 + away } else { at as i128 - away };
            let found = usize::try_from(place).ok().filter(|place| *place < self.len());
            let (node, scope) = match (found, otherwise) {
                (Some(place), _) => (value, self.scope(place)),
                (None, Some(otherwise)) => (otherwise, self.scope(at)),
                (None, None) => {
                    values.push(Value::Null);
                    continue;
                }
            };
            keep(&mut values, fit(&function.ty, node.evaluate(&scope)?, &node.ty, &scope), drawn)?;
        }
        Ok(values)
    }

    /// A value for each row's frame.
    fn within(
        &self,
        frame: &'p Frame,
        drawn: &mut DrawnBytes<'_>,
        value: impl Fn(Range<usize>) -> Result<Value>,
    ) -> Result<Vec<Value>> {
        let peers = self.peers();
        let mut values = Vec::with_capacity(self.len());
        for (at, peers) in peers.iter().enumerate() {
            keep(&mut values, value(self.frame(frame, at, peers)?)?, drawn)?;
        }
        Ok(values)
    }

    /// An expression over a row of a frame; NULL where that is outside of it.
    fn at(&self, node: &'p Node, at: usize, frame: &Range<usize>) -> Result<Value> {
        if frame.contains(&at) { self.value(node, at) } else { Ok(Value::Null) }
    }

    fn aggregates(
        &self,
        aggregate: &'p Aggregate,
        frame: &'p Frame,
        execution: &Execution<'_>,
        drawn: &mut DrawnBytes<'_>,
    ) -> Result<Vec<Value>> {
        let concat_bytes_max = concat_bytes_max(self.scope)?;
        let begun = || Accumulator::new(aggregate, concat_bytes_max);
        let peers = self.peers();
        let mut values: Vec<Value> = Vec::with_capacity(self.len());
        let (mut state, mut added) = (begun(), 0..0);
        for (at, peers) in peers.iter().enumerate() {
            let range = self.frame(frame, at, peers)?;
            if range == added
                && let Some(same) = values.last()
            {
                let same = same.clone();
                keep(&mut values, same, drawn)?;
                continue;
            }
            if range.start != added.start || range.end < added.end {
                (state, added) = (begun(), range.start..range.start);
            }
            execution.look((range.end - added.end) as u64)?;
            for at in added.end..range.end {
                let bytes = state.add(aggregate, &self.scope(at))?;
                if bytes > 0 {
                    execution.draw(bytes)?;
                }
            }
            added = range;
            keep(&mut values, state.result(aggregate, self.scope)?, drawn)?;
        }
        Ok(values)
    }

    /// The frame of a row whose peers are given.
    fn frame(&self, frame: &'p Frame, at: usize, peers: &Range<usize>) -> Result<Range<usize>> {
        let rows = |node: &Node| -> Result<usize> {
            let count = self.count(node, at)?.filter(|count| *count >= 0);
            let wrong = "frame start or end is negative, NULL or of non-integral type";
            let message = || format!("Window '<unnamed window>': {wrong}");
            let count =
                count.ok_or_else(|| SqlError::new(ErrorCode::WindowFrameIllegal, message()))?;
            Ok(usize::try_from(count).unwrap_or(usize::MAX))
        };
        let current = if frame.counts_rows { at..at + 1 } else { peers.clone() };
        let start = match &frame.start {
            FrameBound::Unbounded => 0,
            FrameBound::Current => current.start,
            FrameBound::Before(node) if frame.counts_rows => at.saturating_sub(rows(node)?),
            FrameBound::Behind(node) if frame.counts_rows => at.saturating_add(rows(node)?),
            FrameBound::Before(node) | FrameBound::Behind(node) => {
                let key = self.moved_key(node, at)?;
                self.sorted.partition_point(|row| row.order() < key.as_slice())
            }
        };
        let end = match &frame.end {
            FrameBound::Unbounded => self.len(),
            FrameBound::Current => current.end,
            FrameBound::Before(node) if frame.counts_rows => (at + 1).saturating_sub(rows(node)?),
            FrameBound::Behind(node) if frame.counts_rows => (at + 1).saturating_add(rows(node)?),
            FrameBound::Before(node) | FrameBound::Behind(node) => {
                let key = self.moved_key(node, at)?;
                self.sorted.partition_point(|row| row.order() <= key.as_slice())
            }
        };
        let end = end.min(self.len());
        Ok(start.min(end)..end)
    }

    /// The bytes of a key that is so far from a row's; of NULL there is only NULL.
    fn moved_key(&self, node: &Node, at: usize) -> Result<Vec<u8>> {
        let mut key = Vec::new();
        push_in_order(node, self.descending, &self.scope(at), &mut key)?;
        Ok(key)
    }
}

/// Keeps a row's value, with the memory that it takes: one long text may be the value of all rows.
fn keep(values: &mut Vec<Value>, value: Value, drawn: &mut DrawnBytes<'_>) -> Result<()> {
    if let Value::Bytes(text) = &value
        && !text.is_empty()
    {
        drawn.draw(text.len())?;
    }
    values.push(value);
    Ok(())
}

fn wrong_argument(function: &str) -> SqlError {
    SqlError::new(ErrorCode::WrongArguments, format!("Incorrect arguments to {function}"))
}
