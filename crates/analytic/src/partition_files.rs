//! Files of a partition's rows: how they are written, how they are read once more, and how one is
//! read ahead of or behind the row at hand.
//!
//! Invariants
//! 1. A reader has one batch in memory.
//!
//! Not here: which functions are had from such files (`large_partition`, `frames`).

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::TaskContext;
use datafusion::execution::spill_file::SpillFile;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
use datafusion::physical_plan::spill::SpillManager;
use futures::StreamExt;

/// Writes a batch, or with `None` the end of a file, which is given back if it has rows.
pub(super) type BatchWriter =
    Box<dyn FnMut(Option<&RecordBatch>) -> Result<Option<Arc<dyn SpillFile>>> + Send>;

/// What makes files of rows of a schema.
pub(super) fn files(context: &TaskContext, schema: SchemaRef) -> Arc<SpillManager> {
    let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
    Arc::new(SpillManager::new(context.runtime_env(), metrics, schema))
}

/// Begins a file.
pub(super) fn writer(files: &SpillManager, what: &str) -> Result<BatchWriter> {
    // The type of such a file has no name outside of DataFusion.
    let mut file = files.create_in_progress_file(what)?;
    Ok(Box::new(move |batch| match batch {
        Some(batch) => file.append_batch(batch).map(|_| None),
        None => file.finish(),
    }))
}

/// What reads a partition's file, as often as it is asked to.
pub(super) struct PartitionReader {
    pub(super) files: Arc<SpillManager>,
    pub(super) file: Arc<dyn SpillFile>,
}

impl PartitionReader {
    /// All its rows, from the first on.
    pub(super) fn open(&self) -> Result<SendableRecordBatchStream> {
        self.files.read_spill_as_stream_unbuffered(Arc::clone(&self.file), None)
    }
}

/// What LEAD and LAG look at: a value so many rows from the one at hand.
#[derive(Clone, Debug)]
pub(super) struct Neighbour {
    pub(super) value: Arc<dyn PhysicalExpr>,
    pub(super) is_ahead: bool,
    pub(super) distance: usize,
    /// Where there is no such row.
    pub(super) otherwise: ScalarValue,
}

/// The values of rows ahead or behind.
pub(super) struct NeighbourRows {
    input: SendableRecordBatchStream,
    neighbour: Neighbour,
    /// Rows at the beginning that nobody looks at.
    skipped: usize,
    /// Rows at the beginning that look at none.
    absent: usize,
    /// Values that were read and are ahead.
    values: Option<ArrayRef>,
}

impl NeighbourRows {
    /// Those of rows in their order, from the first on.
    pub(super) fn new(input: SendableRecordBatchStream, neighbour: &Neighbour) -> NeighbourRows {
        let (skipped, absent) = match neighbour.is_ahead {
            true => (neighbour.distance, 0),
            false => (0, neighbour.distance),
        };
        NeighbourRows { input, neighbour: neighbour.clone(), skipped, absent, values: None }
    }

    /// The values of the next rows.
    pub(super) async fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        let absent = rows.min(self.absent);
        self.absent -= absent;
        let otherwise = |count: usize| self.neighbour.otherwise.to_array_of_size(count);
        let mut pieces = vec![otherwise(absent)?];
        let mut missing = rows - absent;
        while missing > 0 {
            let values = match self.values.take() {
                Some(values) => values,
                None => match self.input.next().await.transpose()? {
                    Some(batch) => {
                        let skipped = self.skipped.min(batch.num_rows());
                        self.skipped -= skipped;
                        let left = batch.num_rows() - skipped;
                        let batch = batch.slice(skipped, left);
                        self.neighbour.value.evaluate(&batch)?.into_array(left)?
                    }
                    None => {
                        pieces.push(otherwise(missing)?);
                        break;
                    }
                },
            };
            let taken = missing.min(values.len());
            pieces.push(values.slice(0, taken));
            missing -= taken;
            if taken < values.len() {
                self.values = Some(values.slice(taken, values.len() - taken));
            }
        }
        let pieces: Vec<_> = pieces.iter().map(AsRef::as_ref).collect();
        Ok(concat(&pieces)?)
    }
}
