//! A scan of files as a node of DataFusion's physical plan.
//!
//! Not here: which row groups are read (`file`), what comes of the rows (`file_rows`).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use columnar::{ArrayKey, GroupTable, Grouping};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::utils::reassign_expr_columns;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    SendableRecordBatchStream,
};
use expression::Limits;
use files::table::{FileStep, FileTable, ReadRequest, Reading};

use super::super::failure::raise;
use super::columnar::{picked, records};
use super::file_rows::{FileGroups, Filter, FilteredRows};
use super::grouping::{GroupSource, GroupingScan};
use super::properties;
use crate::leaf::leaf;

/// What is read and what becomes of it.
#[derive(Clone)]
pub(super) struct FileColumns {
    /// Positions of columns in the files: those that are given, then those that only the filter
    /// needs.
    pub(super) read: Vec<usize>,
    /// Them, under their own names.
    pub(super) read_schema: SchemaRef,
    /// Over them.
    pub(super) filter: Option<Arc<Filter>>,
    /// What is given.
    pub(super) schema: SchemaRef,
}

impl FileColumns {
    /// How many are given.
    fn given(&self) -> usize {
        self.schema.fields().len()
    }
}

/// Reads the files, each piece by one of its partitions.
pub(super) struct FileScan {
    files: Arc<FileTable>,
    limits: Arc<Limits>,
    columns: FileColumns,
    wanted: ReadRequest,
    reading: Arc<Reading>,
    /// Partitions that were begun: what they read is gone for others.
    begun: AtomicUsize,
    workers: usize,
    rows: Precision<usize>,
    limit: Option<usize>,
    properties: Arc<PlanProperties>,
}

impl FileScan {
    /// Of what is wanted, by so many workers, to whom about so many rows come.
    pub(super) fn new(
        files: &Arc<FileTable>,
        limits: &Arc<Limits>,
        columns: FileColumns,
        wanted: ReadRequest,
        (workers, rows): (usize, Precision<usize>),
        limit: Option<usize>,
    ) -> FileScan {
        let wanted = ReadRequest { positions: columns.read.clone(), ..wanted };
        FileScan {
            reading: Reading::new(files, wanted.clone(), limits),
            files: Arc::clone(files),
            limits: Arc::clone(limits),
            begun: AtomicUsize::new(0),
            wanted,
            workers,
            rows,
            limit,
            properties: properties(&columns.schema, Partitioning::UnknownPartitioning(workers)),
            columns,
        }
    }

    /// The rows that a partition reads.
    fn begin(&self) -> Result<FilteredRows> {
        if self.begun.fetch_add(1, Ordering::Relaxed) >= self.workers {
            return Err(DataFusionError::Internal("files that are read a second time".into()));
        }
        let (filter, given) = (self.columns.filter.clone(), self.columns.given());
        Ok(FilteredRows::new(self.reading.steps(), filter, given))
    }

    /// How rows are grouped by the columns at some places, if they can be.
    fn keys(&self, places: &[usize]) -> Option<Vec<ArrayKey>> {
        let groups = self.wanted.groups.as_ref()?;
        let key = |place: &usize| self.files.key(self.columns.read[*place], groups);
        places.iter().map(key).collect()
    }
}

impl GroupingScan for FileScan {
    fn can_group_by(&self, places: &[usize]) -> bool {
        // Without keys nothing is gained.
        self.limit.is_none() && !places.is_empty() && self.keys(places).is_some()
    }

    fn can_total(&self, _places: &[usize]) -> bool {
        false
    }

    fn groups_about(&self, places: &[usize]) -> Result<Option<usize>> {
        let Some(keys) = self.keys(places) else { return Ok(None) };
        let mut count = self.workers as u64;
        for (key, place) in keys.iter().zip(places) {
            let groups = self.wanted.groups.as_deref().unwrap_or_default();
            let position = self.columns.read[*place];
            match key.numbers().or_else(|| self.files.words_about(position, groups)) {
                Some(values) => count = count.saturating_mul(values + 1),
                None => return Ok(None),
            }
        }
        let rows = self.rows.get_value().copied().unwrap_or(usize::MAX);
        Ok(Some(usize::try_from(count).unwrap_or(usize::MAX).min(rows)))
    }

    fn groups(
        &self,
        _partition: usize,
        grouping: Grouping,
        _context: &TaskContext,
    ) -> Result<Box<dyn GroupSource>> {
        let keys = self.keys(&grouping.keys);
        let keys = keys.ok_or_else(|| DataFusionError::Internal("keys that were there".into()))?;
        let rows = self.rows.get_value().map_or(0, |rows| rows / self.workers);
        let table = GroupTable::new(&keys, rows as u64);
        Ok(Box::new(FileGroups::new(self.begin()?, grouping, table)))
    }
}

impl fmt::Debug for FileScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for FileScan {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As the files have them: what they are called above is the plan's own.
        let given = self.columns.read_schema.fields().iter().take(self.columns.given());
        let names: Vec<&str> = given.map(|field| field.name().as_str()).collect();
        write!(f, "FileScan: {}, columns [{}]", self.files.shown(), names.join(", "))?;
        if let (Some(groups), Some(all)) = (&self.wanted.groups, self.files.row_groups()) {
            write!(f, ", {} of {} row groups", groups.len(), all.len())?;
            if !self.wanted.rows.is_empty() {
                write!(f, ", {} of them in part", self.wanted.rows.len())?;
            }
        }
        if let Some(filter) = &self.columns.filter {
            write!(f, ", filter {}", filter.whole)?;
        }
        write!(f, ", {} partitions", self.workers)?;
        match self.limit {
            Some(limit) => write!(f, ", limit {limit}"),
            None => Ok(()),
        }
    }
}

impl ExecutionPlan for FileScan {
    fn name(&self) -> &str {
        "FileScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    leaf!();

    /// Columns may be picked and named otherwise by the scan.
    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExec,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(mut places) = picked(projection) else { return Ok(None) };
        let given = self.columns.given();
        let columns = match &self.columns.filter {
            None => FileColumns {
                read: places.iter().map(|place| self.columns.read[*place]).collect(),
                read_schema: Arc::new(self.columns.read_schema.project(&places)?),
                filter: None,
                schema: projection.schema(),
            },
            Some(filter) => {
                let others = (0..self.columns.read.len()).filter(|place| !places.contains(place));
                let others: Vec<usize> =
                    others.filter(|place| *place >= given || filter.reads(*place)).collect();
                places.extend(others);
                let read_schema = Arc::new(self.columns.read_schema.project(&places)?);
                let whole = reassign_expr_columns(Arc::clone(&filter.whole), &read_schema)?;
                FileColumns {
                    read: places.iter().map(|place| self.columns.read[*place]).collect(),
                    filter: Some(Arc::new(Filter::new(whole, &read_schema)?)),
                    read_schema,
                    schema: projection.schema(),
                }
            }
        };
        let (files, limits, wanted) = (&self.files, &self.limits, self.wanted.clone());
        let by = (self.workers, self.rows);
        Ok(Some(Arc::new(FileScan::new(files, limits, columns, wanted, by, self.limit))))
    }

    fn execute(
        &self,
        _partition: usize,
        _context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let batches = self.begin()?.filter_map(|step| match step {
            Ok(FileStep::Rows(rows)) => Some(rows.batch().map_err(raise)),
            Ok(FileStep::End) => None,
            Err(error) => Some(Err(error)),
        });
        Ok(records(&self.columns.schema, self.limit, batches))
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let rows = match (args.partition(), self.limit) {
            (None, None) => self.rows,
            (_, limit) => {
                let limit = limit.unwrap_or(usize::MAX);
                match self.rows.get_value() {
                    Some(rows) => Precision::Inexact((rows / self.workers).min(limit)),
                    None => Precision::Absent,
                }
            }
        };
        let unknown = Statistics::new_unknown(&self.columns.schema);
        Ok(Arc::new(Statistics { num_rows: rows, ..unknown }))
    }
}
