//! Rows of files that meet conditions, one by one or by groups, for one partition.
//!
//! A condition on one text is evaluated once for each word of a dictionary, and groups are found by
//! words (`columnar::GroupTable`); where a file has no words, rows are looked at one by one.
//!
//! Invariants
//! 1. Conditions on a word are first, as they cost next to nothing; the others see the rows that
//!    are left.
//!
//! Not here: reading and decoding (`files::table`), plans (`file_scan`).

use std::sync::Arc;

use columnar::{Batch, ColumnArray, GroupStep, GroupTable, Grouping, is_same};
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewArray, BooleanArray, Int32Array, UInt32Array,
};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{
    collect_columns, conjunction, reassign_expr_columns, split_conjunction,
};
use files::table::{FileRows, FileStep, FileSteps};

use super::super::failure::raise;
use super::columnar::record;
use super::grouping::GroupSource;

/// Batches after which a moment to look at memory, and to yield, is due.
const BATCHES_MAX: usize = 8;

/// A condition on some columns.
#[derive(Debug)]
struct RowCondition {
    /// The columns' places among those that are read.
    places: Vec<usize>,
    /// Over these columns alone.
    expr: Arc<dyn PhysicalExpr>,
    schema: SchemaRef,
}

/// Conditions, all of which must hold.
#[derive(Debug)]
pub(super) struct Filter {
    /// Each on one text.
    of_words: Vec<RowCondition>,
    /// All others together.
    rest: Option<RowCondition>,
    /// As they came.
    pub(super) whole: Arc<dyn PhysicalExpr>,
}

impl RowCondition {
    fn new(expr: &Arc<dyn PhysicalExpr>, read: &SchemaRef) -> Result<RowCondition> {
        let mut places: Vec<usize> =
            collect_columns(expr).iter().map(|column| column.index()).collect();
        places.sort_unstable();
        let schema = Arc::new(read.project(&places)?);
        let expr = reassign_expr_columns(Arc::clone(expr), &schema)?;
        Ok(RowCondition { places, expr, schema })
    }

    fn is_of_text(&self) -> bool {
        let fields = self.schema.fields();
        matches!(&fields[..], [only] if *only.data_type() == DataType::BinaryView)
    }

    /// The rows for which it is true.
    fn truths(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<BooleanBuffer> {
        let rows = record(&self.schema, Batch { columns, rows })?;
        let truths = self.expr.evaluate(&rows)?.into_array(rows.num_rows())?;
        let truths = truths.as_boolean();
        Ok(match truths.nulls() {
            Some(known) => truths.values() & known.inner(),
            None => truths.values().clone(),
        })
    }

    /// For each word whether it is true of it; the last is for NULL.
    fn of_words(&self, words: &BinaryViewArray) -> Result<Vec<bool>> {
        let count = words.len() as u32;
        let each: UInt32Array = (0..count).map(Some).chain([None]).collect();
        let truths = self.truths(vec![take(words, &each, None)?], each.len())?;
        Ok(truths.iter().collect())
    }
}

impl Filter {
    /// Of a condition over the columns that are read.
    pub(super) fn new(whole: Arc<dyn PhysicalExpr>, read: &SchemaRef) -> Result<Filter> {
        let (mut of_words, mut rest) = (Vec::new(), Vec::new());
        for part in split_conjunction(&whole) {
            let condition = RowCondition::new(part, read)?;
            match condition.is_of_text() {
                true => of_words.push(condition),
                false => rest.push(Arc::clone(part)),
            }
        }
        let rest = match rest.is_empty() {
            true => None,
            false => Some(RowCondition::new(&conjunction(rest), read)?),
        };
        Ok(Filter { of_words, rest, whole })
    }

    /// Whether it is on the column at a place, among others.
    pub(super) fn reads(&self, place: usize) -> bool {
        self.of_words.iter().chain(&self.rest).any(|condition| condition.places.contains(&place))
    }
}

/// The wanted rows of what a worker reads, as an iterator.
pub(super) struct FilteredRows {
    steps: FileSteps,
    filter: Option<Arc<Filter>>,
    /// For each condition on a text, of which of the last words it is true.
    known: Vec<Option<(BinaryViewArray, Vec<bool>)>>,
    /// How many of the columns that are read are wanted, which come first.
    wanted: usize,
}

impl FilteredRows {
    pub(super) fn new(
        steps: FileSteps,
        filter: Option<Arc<Filter>>,
        wanted: usize,
    ) -> FilteredRows {
        let conditions = filter.as_ref().map_or(0, |filter| filter.of_words.len());
        FilteredRows { steps, filter, known: vec![None; conditions], wanted }
    }

    /// What is left of some rows.
    fn filtered(&mut self, mut rows: FileRows) -> Result<FileRows> {
        let Some(filter) = self.filter.clone() else { return Ok(rows) };
        let mut kept: Option<BooleanBuffer> = None;
        for (condition, known) in filter.of_words.iter().zip(&mut self.known) {
            let truths = truths_of_text(condition, &rows, known)?;
            kept = Some(kept.map_or_else(|| truths.clone(), |kept| &kept & &truths));
        }
        if let Some(kept) = kept {
            let needed = if filter.rest.is_some() { rows.columns.len() } else { self.wanted };
            keep(&mut rows, kept, needed)?;
        }
        if let Some(condition) = &filter.rest
            && rows.rows > 0
        {
            let columns = condition.places.iter().map(|place| rows.columns[*place].array());
            let columns = columns.collect::<std::result::Result<_, _>>()?;
            let truths = condition.truths(columns, rows.rows)?;
            keep(&mut rows, truths, self.wanted)?;
        }
        rows.columns.truncate(self.wanted);
        Ok(rows)
    }
}

/// For which rows a condition on a text holds.
fn truths_of_text(
    condition: &RowCondition,
    rows: &FileRows,
    known: &mut Option<(BinaryViewArray, Vec<bool>)>,
) -> Result<BooleanBuffer> {
    let column = &rows.columns[condition.places[0]];
    let ColumnArray::Words(places, words) = column else {
        return condition.truths(vec![column.array()?], rows.rows);
    };
    if !known.as_ref().is_some_and(|(last, _)| is_same(last, words)) {
        *known = match condition.of_words(words) {
            Ok(truths) => Some((words.clone(), truths)),
            // Whatever is wrong may be so with a word that no row has.
            Err(_) => return condition.truths(vec![column.array()?], rows.rows),
        };
    }
    let truths = known.as_ref().map_or(&[][..], |(_, truths)| truths);
    Ok(truths_at(places, truths))
}

/// What is true of the word at each of some places; of NULL that is last.
fn truths_at(places: &Int32Array, truths: &[bool]) -> BooleanBuffer {
    let values = places.values();
    let Some(valid) = places.nulls() else {
        return BooleanBuffer::collect_bool(values.len(), |row| truths[values[row] as usize]);
    };
    let of_null = truths.len() - 1;
    BooleanBuffer::collect_bool(values.len(), |row| {
        truths[if valid.is_valid(row) { values[row] as usize } else { of_null }]
    })
}

/// Keeps the rows of which it is true, and so many columns.
fn keep(rows: &mut FileRows, truths: BooleanBuffer, columns: usize) -> Result<()> {
    let count = truths.count_set_bits();
    rows.columns.truncate(columns);
    if count == rows.rows {
        return Ok(());
    }
    let truths = BooleanArray::new(truths, None);
    for column in &mut rows.columns {
        *column = column.filtered(&truths)?;
    }
    rows.rows = count;
    Ok(())
}

impl Iterator for FilteredRows {
    type Item = Result<FileStep>;

    fn next(&mut self) -> Option<Result<FileStep>> {
        Some(match self.steps.next()? {
            Ok(FileStep::Rows(rows)) => self.filtered(rows).map(FileStep::Rows),
            Ok(FileStep::End) => Ok(FileStep::End),
            Err(error) => Err(raise(error)),
        })
    }
}

/// The wanted rows by groups.
pub(super) struct FileGroups {
    rows: FilteredRows,
    grouping: Grouping,
    table: GroupTable,
    /// Batches since the last moment to drain them.
    batches: usize,
}

impl FileGroups {
    pub(super) fn new(rows: FilteredRows, grouping: Grouping, table: GroupTable) -> FileGroups {
        FileGroups { rows, grouping, table, batches: 0 }
    }

    /// What becomes of some rows, unless they were only counted.
    fn grouped(&mut self, rows: FileRows) -> Result<Option<GroupStep>> {
        if rows.rows == 0 {
            return Ok(None);
        }
        let keys: Vec<ColumnArray> =
            self.grouping.keys.iter().map(|at| rows.columns[*at].clone()).collect();
        let values = |which: &[usize]| {
            let columns = which.iter().map(|at| rows.columns[*at].clone()).collect();
            FileRows { columns, rows: rows.rows }.batch().map_err(raise)
        };
        let wanted = !self.grouping.values.is_empty();
        Ok(match self.table.add(&keys, rows.rows, wanted).map_err(raise)? {
            Some(groups) if wanted => Some(GroupStep::Rows(groups, values(&self.grouping.values)?)),
            Some(_) => None,
            None => {
                let (keys, rest) = (values(&self.grouping.keys)?, values(&self.grouping.values)?);
                Some(GroupStep::Alone(keys, rest))
            }
        })
    }
}

impl Iterator for FileGroups {
    type Item = Result<GroupStep>;

    fn next(&mut self) -> Option<Result<GroupStep>> {
        loop {
            if self.batches == BATCHES_MAX {
                self.batches = 0;
                return Some(Ok(GroupStep::Segment));
            }
            self.batches += 1;
            let rows = match self.rows.next()? {
                Ok(FileStep::Rows(rows)) => rows,
                Ok(FileStep::End) => continue,
                Err(error) => return Some(Err(error)),
            };
            if let Some(grouped) = self.grouped(rows).transpose() {
                return Some(grouped);
            }
        }
    }
}

impl GroupSource for FileGroups {
    fn table(&mut self) -> &mut GroupTable {
        &mut self.table
    }
}
