//! Files for DataFusion's planner.
//!
//! Row groups of Parquet whose statistics say that no row can meet the conditions are not read. The
//! conditions themselves are the scan's to see to, so that texts are compared by words, and rows
//! are grouped where they are decoded.
//!
//! Not here: the scan (`file_scan`), reading and decoding (`files::table`).

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::ops::{Bound, Range};
use std::sync::Arc;

use async_trait::async_trait;
use columnar::arrow::ColumnReader;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{DFSchema, Result, Statistics};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use expression::Limits;
use files::table::{FileTable, ReadRequest, RowGroup};
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::types::ColumnType;

use super::super::columns::is_string;
use super::super::failure::raise;
use super::conditions::{ColumnCondition, Conditions, conditions};
use super::file_rows::Filter;
use super::file_scan::{FileColumns, FileScan};
use super::source::{arrow_schema, needed, projected};
use super::terms::{TermColumns, terms};

/// Rows that are decoded at a time: of so many, every column is a block that the allocator keeps
/// for its thread, and no page is asked of the system for each batch again.
const BATCH_ROWS: usize = 4096;
/// Of so many rows one meets a condition, by DataFusion's guess.
const ROWS_PER_KEPT: u64 = 5;

/// Files for DataFusion's planner.
pub(crate) struct FileSource {
    files: Arc<FileTable>,
    schema: SchemaRef,
    limits: Arc<Limits>,
    zone: Zone,
}

impl FileSource {
    pub(crate) fn new(files: &Arc<FileTable>, limits: &Arc<Limits>, zone: Zone) -> FileSource {
        let columns = files.columns().iter();
        let columns = columns.map(|column| (column.name.clone(), column.ty.clone(), true));
        let schema = arrow_schema(&columns.collect::<Vec<_>>());
        FileSource { files: Arc::clone(files), schema, limits: Arc::clone(limits), zone }
    }

    /// The row groups that may have rows which meet all conditions.
    fn row_groups(&self, conditions: &Conditions) -> Result<Option<Vec<RowGroup>>> {
        let Some(all) = self.files.row_groups() else { return Ok(None) };
        let mut kept = all;
        for (column, condition) in conditions {
            let ty = &self.files.columns()[*column].ty;
            // Statistics order texts by their bytes.
            if is_string(ty) || ty.is_listed() {
                continue;
            }
            let mut wanted = Vec::with_capacity(kept.len());
            for groups in kept.chunk_by(|a, b| a.file == b.file) {
                let Some((low, high)) = self.files.extremes(groups[0].file, *column) else {
                    wanted.extend_from_slice(groups);
                    continue;
                };
                let low = ColumnReader::new(ty, &low).map_err(raise)?;
                let high = ColumnReader::new(ty, &high).map_err(raise)?;
                let may = |group: &&RowGroup| {
                    may_hold(condition, low.datum(group.group), high.datum(group.group))
                };
                wanted.extend(groups.iter().filter(may));
            }
            kept = wanted;
        }
        Ok(Some(kept))
    }

    /// Of some row groups the rows of pages that may have rows which meet all conditions, where
    /// these are not all.
    fn rows_in_part(
        &self,
        groups: &[RowGroup],
        conditions: &Conditions,
    ) -> Result<HashMap<RowGroup, Vec<Range<usize>>>> {
        let mut in_part: HashMap<RowGroup, Vec<Range<usize>>> = HashMap::new();
        for of in groups {
            for (column, condition) in conditions {
                let ty = &self.files.columns()[*column].ty;
                let Some(pages) = self.files.pages(*of, *column) else { continue };
                let low = ColumnReader::new(ty, &pages.low).map_err(raise)?;
                let high = ColumnReader::new(ty, &pages.high).map_err(raise)?;
                let count = pages.rows.len() - 1;
                let may = |page: &usize| may_hold(condition, low.datum(*page), high.datum(*page));
                let kept: Vec<Range<usize>> =
                    (0..count).filter(may).map(|page| pages.rows_of(page)).collect();
                if kept.len() < count {
                    let before = in_part.remove(of);
                    let rows = before.map_or_else(|| kept.clone(), |rows| common(&rows, &kept));
                    in_part.insert(*of, rows);
                }
            }
        }
        Ok(in_part)
    }
}

/// The rows that two lists of ranges have in common.
fn common(one: &[Range<usize>], other: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    let mut out = Vec::new();
    while let (Some(a), Some(b)) = (one.peek(), other.peek()) {
        let both = a.start.max(b.start)..a.end.min(b.end);
        if !both.is_empty() {
            out.push(both);
        }
        if a.end < b.end {
            one.next()
        } else {
            other.next()
        };
    }
    out
}

/// Whether a condition may hold for a value between two others; NULL says nothing.
fn may_hold(condition: &ColumnCondition, low: Datum<'_>, high: Datum<'_>) -> bool {
    let above_low = |value: &Value| compare(low, value.as_datum()) != Some(Ordering::Greater);
    let below_high = |value: &Value| compare(high, value.as_datum()) != Some(Ordering::Less);
    let among = condition.among.as_ref().is_none_or(|values| {
        values.iter().any(|value| value.is_null() || (above_low(value) && below_high(value)))
    });
    let lower = match &condition.lower {
        Bound::Unbounded => true,
        Bound::Included(value) => below_high(value),
        Bound::Excluded(value) => {
            below_high(value) && compare(high, value.as_datum()) != Some(Ordering::Equal)
        }
    };
    let upper = match &condition.upper {
        Bound::Unbounded => true,
        Bound::Included(value) => above_low(value),
        Bound::Excluded(value) => {
            above_low(value) && compare(low, value.as_datum()) != Some(Ordering::Equal)
        }
    };
    among && lower && upper
}

/// How two values of one type compare.
fn compare(a: Datum<'_>, b: Datum<'_>) -> Option<Ordering> {
    match (a, b) {
        (Datum::Int(a), Datum::Int(b)) => Some(a.cmp(&b)),
        (Datum::UInt(a), Datum::UInt(b)) => Some(a.cmp(&b)),
        (Datum::Float(a), Datum::Float(b)) => a.partial_cmp(&b),
        (Datum::Double(a), Datum::Double(b)) => a.partial_cmp(&b),
        (Datum::Decimal(a), Datum::Decimal(b)) => Some(a.cmp(&b)),
        (Datum::Date(a), Datum::Date(b)) => Some(a.cmp(&b)),
        (Datum::DateTime(a), Datum::DateTime(b)) => Some(a.cmp(&b)),
        (Datum::Timestamp(a), Datum::Timestamp(b)) => Some(a.micros().cmp(&b.micros())),
        (Datum::Time(a), Datum::Time(b)) => Some(a.micros().cmp(&b.micros())),
        (Datum::Year(a), Datum::Year(b)) => Some(a.cmp(&b)),
        _ => None,
    }
}

impl TermColumns for FileTable {
    fn position(&self, name: &str) -> Option<usize> {
        self.columns().iter().position(|own| own.name == name)
    }

    fn ty(&self, position: usize) -> &ColumnType {
        &self.columns()[position].ty
    }
}

impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.files.shown())
    }
}

#[async_trait]
impl TableProvider for FileSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let positions = projected(&self.schema, projection);
        let schema = Arc::new(self.schema.project(&positions)?);
        let conditions = conditions(&terms(&*self.files, filters));
        let groups = self.row_groups(&conditions)?;
        let in_part = self.rows_in_part(groups.as_deref().unwrap_or_default(), &conditions)?;
        let filter = conjunction(filters.iter().cloned());
        let read = needed(&self.schema, &positions, filter.as_ref())?;
        let read_schema = Arc::new(self.schema.project(&read)?);
        let filter = match filter {
            None => None,
            Some(filter) => {
                let of = DFSchema::try_from(read_schema.as_ref().clone())?;
                let whole = state.create_physical_expr(filter, &of)?;
                Some(Arc::new(Filter::new(whole, &read_schema)?))
            }
        };
        let pieces = match &groups {
            Some(groups) => groups.len() as u64,
            None => self.files.pieces_about(),
        };
        let workers = match (limit, &filter) {
            // The first rows of the first file.
            (Some(_), None) => 1,
            _ => (state.config().target_partitions() as u64).min(pieces).max(1) as usize,
        };
        let rows = match (&groups, &filter) {
            (Some(_), None) => self.files.rows_known().map_or(Precision::Absent, exact),
            (Some(groups), Some(_)) => {
                let rows: u64 = groups.iter().map(|group| self.files.rows_of(*group)).sum();
                exact(rows / ROWS_PER_KEPT).to_inexact()
            }
            (None, None) => exact(self.files.rows_about()).to_inexact(),
            (None, Some(_)) => exact(self.files.rows_about() / ROWS_PER_KEPT).to_inexact(),
        };
        let batch_rows =
            state.config().batch_size().min(BATCH_ROWS).min(limit.unwrap_or(BATCH_ROWS).max(1));
        let columns = FileColumns { read, read_schema, filter, schema };
        let files = &self.files;
        let wanted = ReadRequest {
            positions: Vec::new(),
            groups,
            rows: Arc::new(in_part),
            batch_rows,
            zone: self.zone,
        };
        let scan = FileScan::new(files, &self.limits, columns, wanted, (workers, rows), limit);
        Ok(Arc::new(scan))
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let usable = |filter: &&Expr| match is_of_rows(filter) {
            true => TableProviderFilterPushDown::Exact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(usable).collect())
    }

    fn statistics(&self) -> Option<Statistics> {
        let unknown = Statistics::new_unknown(&self.schema);
        let num_rows = exact(self.files.rows_about()).to_inexact();
        Some(Statistics { num_rows, ..unknown })
    }
}

fn exact(rows: u64) -> Precision<usize> {
    usize::try_from(rows).map_or(Precision::Absent, Precision::Exact)
}

/// Whether a condition can be told of a row alone, and always the same.
fn is_of_rows(filter: &Expr) -> bool {
    let more = filter.exists(|part| {
        Ok(matches!(
            part,
            Expr::ScalarSubquery(_)
                | Expr::InSubquery(_)
                | Expr::Exists(_)
                | Expr::SetComparison(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::Placeholder(_)
        ))
    });
    !filter.is_volatile() && !more.unwrap_or(true)
}
