//! Some columns of all files of a table, read by several workers: each takes the next piece, a row
//! group or some records, when it has none.
//!
//! Invariants
//! 1. Every wanted piece is read by exactly one worker.
//! 2. A statement that is to end does so before the next batch.
//!
//! Not here: what a piece is (`parquet`, `records`), the plan that asks (`analytic::scan`).

use std::collections::VecDeque;
use std::sync::Arc;

use ::parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use columnar::Batch;
use datafusion::arrow::array::ArrayRef;
use parking_lot::Mutex;
use rows::temporal::Zone;

use super::convert::converted;
use super::csv::CsvBatches;
use super::json::JsonBatches;
use super::opened::OpenedFile;
use super::parquet::undecoded_batch;
use super::records::{Cutter, Piece, RecordEnds};
use super::{Content, FileTable, RowGroup};
use crate::error::Result;
use crate::limits::Limits;

/// What is read of a table.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Positions of columns, in the order in which batches have them.
    pub positions: Vec<usize>,
    /// The row groups of Parquet files; `None` for all, and where there are none.
    pub groups: Option<Vec<RowGroup>>,
    /// The most rows of a batch.
    pub batch_rows: usize,
    /// The zone of what is a TIMESTAMP in text.
    pub zone: Zone,
}

/// What workers share.
pub struct Reading {
    table: Arc<FileTable>,
    wanted: Wanted,
    /// The wanted positions, ascending, as Parquet's reader gives them.
    ascending: Vec<usize>,
    limits: Arc<Limits>,
    left: Mutex<Left>,
}

/// What nobody has taken yet.
enum Left {
    Groups(VecDeque<RowGroup>),
    Records(Cutter),
}

/// The batches of one worker.
pub struct Batches {
    of: Arc<Reading>,
    current: Option<(Arc<OpenedFile>, Decoder)>,
    ended: bool,
}

enum Decoder {
    Parquet(Box<ParquetRecordBatchReader>),
    Csv(Box<CsvBatches>),
    Json(Box<JsonBatches>),
}

impl Reading {
    /// Begins at the first piece.
    pub fn new(table: &Arc<FileTable>, wanted: Wanted, limits: &Arc<Limits>) -> Arc<Reading> {
        let left = match &table.content {
            Content::Parquet(_) => {
                let groups = wanted.groups.clone().or_else(|| table.row_groups());
                Left::Groups(groups.unwrap_or_default().into())
            }
            Content::Csv(form) => Left::Records(Cutter::new(&table.files, form.ends)),
            Content::Json => Left::Records(Cutter::new(&table.files, RecordEnds::default())),
        };
        let mut ascending = wanted.positions.clone();
        ascending.sort_unstable();
        Arc::new(Reading {
            table: Arc::clone(table),
            wanted,
            ascending,
            limits: Arc::clone(limits),
            left: Mutex::new(left),
        })
    }

    /// What one worker reads.
    pub fn batches(self: &Arc<Reading>) -> Batches {
        Batches { of: Arc::clone(self), current: None, ended: false }
    }

    /// The next piece that nobody has taken.
    fn next_piece(&self) -> Result<Option<(Arc<OpenedFile>, Decoder)>> {
        let table = &self.table;
        let mut left = self.left.lock();
        let taken = match &mut *left {
            Left::Groups(groups) => {
                let next = groups.pop_front();
                drop(left);
                let Some(RowGroup { file, group }) = next else { return Ok(None) };
                let Content::Parquet(parquet) = &table.content else { return Ok(None) };
                let (file, parquet) = (Arc::clone(&table.files[file]), &parquet[file]);
                let rows = self.wanted.batch_rows;
                let reader = file.guarded(|| parquet.read(&file, group, &self.ascending, rows))?;
                (file, Decoder::Parquet(Box::new(reader)))
            }
            Left::Records(cutter) => {
                let next = cutter.next(&self.limits)?;
                drop(left);
                let Some(piece) = next else { return Ok(None) };
                let file = Arc::clone(&table.files[piece.file]);
                let decoder = self.records_of(&file, piece)?;
                (file, decoder)
            }
        };
        Ok(Some(taken))
    }

    fn records_of(&self, file: &Arc<OpenedFile>, piece: Piece) -> Result<Decoder> {
        let (columns, positions) = (&self.table.columns, &self.wanted.positions);
        let rows_in = (self.wanted.batch_rows, self.wanted.zone);
        let file = Arc::clone(file);
        Ok(match &self.table.content {
            Content::Csv(form) => {
                let batches = CsvBatches::new(file, form, piece, columns, positions, rows_in)?;
                Decoder::Csv(Box::new(batches))
            }
            _ => {
                let batches = JsonBatches::new(file, piece, columns, positions, rows_in);
                Decoder::Json(Box::new(batches))
            }
        })
    }

    /// The next batch of a decoder.
    fn decoded(&self, file: &OpenedFile, decoder: &mut Decoder) -> Result<Option<Batch>> {
        let batch = match decoder {
            Decoder::Csv(batches) => batches.next()?,
            Decoder::Json(batches) => batches.next()?,
            Decoder::Parquet(reader) => {
                let Some(batch) = reader.next() else { return Ok(None) };
                let batch = batch.map_err(|error| undecoded_batch(file, error))?;
                let column = |position: &usize| {
                    let at = self.ascending.partition_point(|before| before < position);
                    let column = &self.table.columns[*position];
                    converted(&column.ty, batch.column(at)).map_err(|error| {
                        file.damaged(format_args!("column '{}': {error}", column.name))
                    })
                };
                let columns = self.wanted.positions.iter().map(column);
                Some((columns.collect::<Result<Vec<ArrayRef>>>()?, batch.num_rows()))
            }
        };
        Ok(batch.map(|(columns, rows)| Batch { columns, rows }))
    }
}

impl Batches {
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            self.of.limits.check()?;
            let Some((file, decoder)) = &mut self.current else {
                match self.of.next_piece()? {
                    Some(piece) => self.current = Some(piece),
                    None => return Ok(None),
                }
                continue;
            };
            if let Some(batch) = file.guarded(|| self.of.decoded(file, decoder))? {
                return Ok(Some(batch));
            }
            file.check_unchanged()?;
            self.current = None;
        }
    }
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        if self.ended {
            return None;
        }
        let next = self.next_batch().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}
