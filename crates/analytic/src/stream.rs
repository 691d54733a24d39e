//! A running query as a source of rows: a task on the worker threads makes batches, the session's
//! thread takes rows from them.
//!
//! Invariants
//! 1. At most a few batches wait between the two: a client that reads slowly stops the query,
//!    not the server.
//! 2. What waits is counted in the memory for clients; while more of that is in use than may be,
//!    queries make no further rows before their readers have taken those that are ready. (Who has
//!    taken them waits for nothing: the memory in use may be the query's own.)
//! 3. Dropping the stream ends the query (`ending`).
//!
//! Not here: planning (`plan`).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use columnar::arrow::ColumnReader;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result as PlanResult;
use datafusion::physical_plan::execute_stream;
use expression::KillMark;
use futures::{FutureExt, StreamExt};
use parking_lot::Mutex;
use plan::context::SqlContext;
use resources::budget::{Budget, Share};
use results::{ExecutionMode, Pace, Result, RowSource, Sink, SqlError};
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;
use values::datum::Datum;
use values::types::ColumnType;

use super::ending::{Execution, Executions};
use super::failure::{is_out_of_memory, panicked};
use super::query_admission::Place;
use super::runtime::Runtime;
use super::{Return, RunnablePlan};

/// Batches between the query and its reader.
const BATCHES_WAITING: usize = 2;
/// Bytes of rows between the two above which the query pauses, however few batches they are.
const WAITING_BYTES_MAX: usize = 4 << 20;
/// How often a query that pauses for want of memory looks whether there is some.
const MEMORY_LOOK: Duration = Duration::from_millis(20);
/// How often a waiting reader looks whether it is to end. It waits by the system's clock: the
/// threads that run queries also drive their runtime's timers, and when they are all at work, or
/// get no core, those stand still.
const KILL_LOOK: Duration = Duration::from_millis(50);

/// The rows of a running query.
pub(super) struct QueryStream {
    types: Vec<ColumnType>,
    kill: Arc<KillMark>,
    batches: mpsc::Receiver<PlanResult<Batch>>,
    ready: Arc<Ready>,
    task: AbortHandle,
    execution: Arc<Execution>,
    executions: Arc<Executions>,
    /// What is kept of the plan, if the query comes to its end.
    returning: Option<Return>,
    /// The batch at hand, and its next row.
    current: Option<(Batch, usize)>,
    ended: bool,
}

/// Wakes the thread that waits for a batch.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Rows that are ready.
struct Batch {
    rows: RecordBatch,
    /// Memory that the rows themselves take.
    bytes: usize,
}

/// Memory of the rows that wait for their reader.
struct Ready {
    budget: Arc<Budget>,
    share: Mutex<Share>,
    /// A batch was read to its end.
    taken: Notify,
}

impl Ready {
    fn new(budget: &Arc<Budget>) -> Arc<Ready> {
        let share = Mutex::new(budget.share());
        Arc::new(Ready { budget: Arc::clone(budget), share, taken: Notify::new() })
    }

    fn bytes(&self) -> usize {
        self.share.lock().bytes()
    }

    fn add(&self, rows: RecordBatch) -> Batch {
        let bytes = bytes_of(&rows);
        let mut share = self.share.lock();
        let all = share.bytes() + bytes;
        share.set(all);
        Batch { rows, bytes }
    }

    fn take(&self, batch: Batch) {
        let mut share = self.share.lock();
        let rest = share.bytes() - batch.bytes;
        share.set(rest);
        drop(share);
        self.taken.notify_one();
    }

    /// Waits until there is room for another batch.
    async fn room(&self) {
        while self.bytes() > WAITING_BYTES_MAX {
            self.taken.notified().await;
        }
        while self.bytes() > 0 && self.budget.is_over() {
            tokio::time::sleep(MEMORY_LOOK).await;
        }
    }
}

/// What the rows take, not the buffers that they share with other batches of the query.
pub(super) fn bytes_of(rows: &RecordBatch) -> usize {
    let views = |array: &dyn Array| match array.data_type() {
        DataType::Utf8View => Some(array.as_string_view().total_buffer_bytes_used()),
        DataType::BinaryView => Some(array.as_binary_view().total_buffer_bytes_used()),
        _ => None,
    };
    let bytes = |array: &ArrayRef| match views(array) {
        Some(texts) => array.len() * size_of::<u128>() + texts,
        None => array.to_data().get_slice_memory_size().unwrap_or(0),
    };
    rows.columns().iter().map(bytes).sum()
}

impl QueryStream {
    /// Starts a query, which takes one of the places, if it needs any, and is one of the executions
    /// when it is over.
    pub(super) fn start(
        runtime: &Runtime,
        (execution, executions): (Arc<Execution>, Arc<Executions>),
        planned: RunnablePlan,
        returning: Option<Return>,
        types: Vec<ColumnType>,
        facts: &SqlContext,
        budget: &Arc<Budget>,
    ) -> QueryStream {
        let (kill, shape) = (Arc::clone(&facts.kill), Arc::clone(&facts.shape));
        let (sender, batches) = mpsc::channel(BATCHES_WAITING);
        let ready = Ready::new(budget);
        let counted = Arc::clone(&ready);
        let comes_first = facts.comes_first;
        let places = runtime.places_for(&planned, comes_first);
        let own = Arc::clone(&execution);
        let task = runtime.handle().spawn(async move {
            let place = match &places {
                Some(places) => Some(places.take(comes_first).await),
                None => None,
            };
            let RunnablePlan { plan, settings, .. } = planned;
            let start = AssertUnwindSafe(|| {
                let context = Execution::context(&own, &settings)?;
                execute_stream(plan, Arc::new(context))
            });
            let started =
                catch_unwind(start).unwrap_or_else(|panic| Err(panicked(&*panic, &shape)));
            let mut stream = match started {
                Ok(stream) => stream,
                Err(error) => {
                    // Nobody listens any more when this fails; that is an end too.
                    let _ = sender.send(Err(error)).await;
                    return;
                }
            };
            loop {
                // A panic must not look like the end of the rows.
                let next = AssertUnwindSafe(stream.next()).catch_unwind().await;
                let Some(batch) = next.unwrap_or_else(|panic| Some(Err(panicked(&*panic, &shape))))
                else {
                    place.iter().for_each(Place::has_sufficed);
                    return;
                };
                if batch.as_ref().is_ok_and(|rows| rows.num_rows() > 0) {
                    place.iter().for_each(Place::has_rows);
                }
                let failed = batch.is_err();
                if batch.as_ref().is_err_and(is_out_of_memory) {
                    place.iter().for_each(Place::was_too_small);
                }
                let batch = batch.map(|rows| counted.add(rows));
                if sender.send(batch).await.is_err() || failed {
                    return;
                }
                counted.room().await;
            }
        });
        let task = task.abort_handle();
        QueryStream {
            types,
            kill,
            batches,
            ready,
            task,
            execution,
            executions,
            returning,
            current: None,
            ended: false,
        }
    }

    /// The next batch, waited for if that is allowed.
    fn batch(&mut self, how: ExecutionMode) -> Result<Option<Batch>> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            self.kill.check()?;
            match self.batches.poll_recv(&mut context) {
                Poll::Ready(Some(batch)) => {
                    return batch.map(Some).map_err(|error| self.execution.translate(error));
                }
                Poll::Ready(None) => return self.end(),
                Poll::Pending if !how.may_wait => return Err(SqlError::WouldWait),
                Poll::Pending => thread::park_timeout(KILL_LOOK),
            }
        }
    }

    /// The task let go of the channel: either the rows are all here, or it broke down.
    fn end(&mut self) -> Result<Option<Batch>> {
        self.ended = true;
        if let Some(returning) = self.returning.take() {
            returning.put_back();
        }
        Ok(None)
    }
}

impl RowSource for QueryStream {
    fn next(&mut self, how: ExecutionMode, sink: &mut Sink<'_>) -> Result<bool> {
        loop {
            if self.ended {
                return Ok(false);
            }
            let (batch, mut row) = match self.current.take() {
                Some(current) => current,
                None => match self.batch(how)? {
                    Some(batch) => (batch, 0),
                    None => return Ok(false),
                },
            };
            let readers = self
                .types
                .iter()
                .zip(batch.rows.columns())
                .map(|(ty, array)| ColumnReader::new(ty, array))
                .collect::<rows::Result<Vec<_>>>()?;
            let mut datums: Vec<Datum<'_>> = Vec::with_capacity(readers.len());
            while row < batch.rows.num_rows() {
                datums.clear();
                datums.extend(readers.iter().map(|reader| reader.datum(row)));
                row += 1;
                if sink(&datums)? == Pace::Pause {
                    drop(readers);
                    self.current = Some((batch, row));
                    return Ok(true);
                }
            }
            drop(readers);
            self.ready.take(batch);
        }
    }

    fn begin(&mut self, how: ExecutionMode) -> Result<()> {
        while self.current.is_none() && !self.ended {
            match self.batch(how)? {
                Some(batch) if batch.rows.num_rows() > 0 => self.current = Some((batch, 0)),
                Some(empty) => self.ready.take(empty),
                None => {}
            }
        }
        Ok(())
    }

    fn drawn_bytes(&self) -> usize {
        self.ready.bytes()
    }
}

impl Drop for QueryStream {
    fn drop(&mut self) {
        self.executions.end(&self.execution);
        // It may wait for its reader, or for a place.
        self.task.abort();
    }
}
