//! A running query as a source of rows: a task on the worker threads makes batches, the session's
//! thread takes rows from them.
//!
//! Invariants
//! 1. At most a few batches wait between the two: a client that reads slowly stops the query,
//!    not the server.
//! 2. Dropping the stream ends the query.
//!
//! Not here: planning (`plan`).

use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result as PlanResult;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::StreamExt;
use rows::datum::Datum;
use rows::types::ColumnType;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::task::AbortHandle;

use super::columns::ColumnReader;
use super::failure::translate;
use crate::context::KillMark;
use crate::error::{Result, SqlError};
use crate::reply::{How, Pace, RowSource, Sink};

/// Batches between the query and its reader.
const BATCHES_WAITING: usize = 2;
/// How often a waiting reader looks whether it was killed.
const KILL_LOOK: Duration = Duration::from_millis(50);

/// The rows of a running query.
pub(super) struct QueryStream {
    types: Vec<ColumnType>,
    kill: Arc<KillMark>,
    threads: Handle,
    batches: mpsc::Receiver<PlanResult<RecordBatch>>,
    task: AbortHandle,
    /// The batch at hand, and its next row.
    current: Option<(RecordBatch, usize)>,
    ended: bool,
}

impl QueryStream {
    /// Starts a query on `threads`.
    pub(super) fn start(
        threads: &Handle,
        plan: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
        types: Vec<ColumnType>,
        kill: Arc<KillMark>,
    ) -> QueryStream {
        let (sender, batches) = mpsc::channel(BATCHES_WAITING);
        let task = threads.spawn(async move {
            let mut stream = match execute_stream(plan, context) {
                Ok(stream) => stream,
                Err(error) => {
                    // Nobody listens any more when this fails; that is an end too.
                    let _ = sender.send(Err(error)).await;
                    return;
                }
            };
            while let Some(batch) = stream.next().await {
                let failed = batch.is_err();
                if sender.send(batch).await.is_err() || failed {
                    return;
                }
            }
        });
        let task = task.abort_handle();
        let threads = threads.clone();
        QueryStream { types, kill, threads, batches, task, current: None, ended: false }
    }

    /// The next batch, waited for if that is allowed.
    fn batch(&mut self, how: How) -> Result<Option<RecordBatch>> {
        loop {
            self.kill.check()?;
            match self.batches.try_recv() {
                Ok(batch) => return batch.map(Some).map_err(translate),
                Err(TryRecvError::Disconnected) => return self.end(),
                Err(TryRecvError::Empty) if !how.may_wait => return Err(SqlError::would_wait()),
                Err(TryRecvError::Empty) => {}
            }
            let wait = async { tokio::time::timeout(KILL_LOOK, self.batches.recv()).await };
            match self.threads.block_on(wait) {
                Ok(Some(batch)) => return batch.map(Some).map_err(translate),
                Ok(None) => return self.end(),
                Err(_) => {}
            }
        }
    }

    /// The task let go of the channel: either the rows are all here, or it broke down.
    fn end(&mut self) -> Result<Option<RecordBatch>> {
        self.ended = true;
        Ok(None)
    }
}

impl RowSource for QueryStream {
    fn next(&mut self, how: How, sink: &mut Sink<'_>) -> Result<bool> {
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
                .zip(batch.columns())
                .map(|(ty, array)| ColumnReader::new(ty, array))
                .collect::<PlanResult<Vec<_>>>()
                .map_err(translate)?;
            let mut datums: Vec<Datum<'_>> = Vec::with_capacity(readers.len());
            while row < batch.num_rows() {
                datums.clear();
                datums.extend(readers.iter().map(|reader| reader.datum(row)));
                row += 1;
                if sink(&datums)? == Pace::Pause {
                    drop(readers);
                    self.current = Some((batch, row));
                    return Ok(true);
                }
            }
        }
    }
}

impl Drop for QueryStream {
    fn drop(&mut self) {
        self.task.abort();
    }
}
