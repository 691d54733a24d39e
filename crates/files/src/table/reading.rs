//! Some columns of all files of a table, read by several workers: each takes the next piece, a row
//! group or some records, when it has none.
//!
//! Invariants
//! 1. Every wanted piece is read by exactly one worker.
//! 2. A statement that is to end does so before the next batch.
//!
//! Not here: what a piece is (`parquet`, `records`), the plan that asks (`analytic::scan`).

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;
use columnar::{Batch, ColumnArray};
use expression::Limits;
use parking_lot::Mutex;
use values::ErrorCode;
use values::temporal::Zone;

use super::csv::CsvBatches;
use super::json::JsonBatches;
use super::opened::OpenedFile;
use super::records::{Cutter, RecordEnds, RecordPiece};
use super::row_group::GroupReader;
use super::{FileTable, FilesContent, RowGroup};
use results::{Result, SqlError};

/// What is read of a table.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// Positions of columns, in the order in which batches have them.
    pub positions: Vec<usize>,
    /// The row groups of Parquet files; `None` for all, and where there are none.
    pub groups: Option<Vec<RowGroup>>,
    /// Of row groups that are not read whole, the rows, ascending.
    pub rows: Arc<HashMap<RowGroup, Vec<Range<usize>>>>,
    /// The most rows of a batch.
    pub batch_rows: usize,
    /// The zone of what is a TIMESTAMP in text.
    pub zone: Zone,
}

/// What workers share.
pub struct Reading {
    table: Arc<FileTable>,
    wanted: ReadRequest,
    /// The wanted positions, ascending, as Parquet's reader gives them.
    ascending: Arc<[usize]>,
    limits: Arc<Limits>,
    left: Mutex<LeftPieces>,
}

/// What nobody has taken yet.
enum LeftPieces {
    Groups(VecDeque<RowGroup>),
    Records(Cutter),
}

/// Some rows.
pub struct FileRows {
    /// The values of the wanted columns, in the order wanted.
    pub columns: Vec<ColumnArray>,
    /// How many.
    pub rows: usize,
}

impl FileRows {
    /// The same as values alone.
    ///
    /// # Errors
    /// 3000 when a text is none of the words that it should be one of.
    pub fn batch(self) -> Result<Batch> {
        let columns = self.columns.iter().map(ColumnArray::array);
        let columns = columns.collect::<std::result::Result<_, _>>();
        let columns =
            columns.map_err(|error| SqlError::new(ErrorCode::FileCorrupt, error.to_string()))?;
        Ok(Batch { columns, rows: self.rows })
    }
}

/// What comes next of a worker's pieces.
pub enum FileStep {
    /// Rows of a piece.
    Rows(FileRows),
    /// All rows of a piece were given.
    End,
}

/// What one worker reads, as an iterator; an error is the last that it gives.
pub struct FileSteps {
    of: Arc<Reading>,
    current: Option<(Arc<OpenedFile>, Decoder)>,
    ended: bool,
}

enum Decoder {
    Parquet(Box<GroupReader>),
    Csv(Box<CsvBatches>),
    Json(Box<JsonBatches>),
}

impl Reading {
    /// Begins at the first piece.
    pub fn new(table: &Arc<FileTable>, wanted: ReadRequest, limits: &Arc<Limits>) -> Arc<Reading> {
        let left = match &table.content {
            FilesContent::Parquet(_) => {
                let groups = wanted.groups.clone().or_else(|| table.row_groups());
                LeftPieces::Groups(groups.unwrap_or_default().into())
            }
            FilesContent::Csv(form) => LeftPieces::Records(Cutter::new(&table.files, form.ends)),
            FilesContent::Json => {
                LeftPieces::Records(Cutter::new(&table.files, RecordEnds::default()))
            }
        };
        let mut ascending = wanted.positions.clone();
        ascending.sort_unstable();
        ascending.dedup();
        Arc::new(Reading {
            table: Arc::clone(table),
            wanted,
            ascending: ascending.into(),
            limits: Arc::clone(limits),
            left: Mutex::new(left),
        })
    }

    /// What one worker reads.
    pub fn steps(self: &Arc<Reading>) -> FileSteps {
        FileSteps { of: Arc::clone(self), current: None, ended: false }
    }

    /// The next piece that nobody has taken.
    fn next_piece(&self) -> Result<Option<(Arc<OpenedFile>, Decoder)>> {
        let table = &self.table;
        let mut left = self.left.lock();
        let taken = match &mut *left {
            LeftPieces::Groups(groups) => {
                let next = groups.pop_front();
                drop(left);
                let Some(of @ RowGroup { file, group }) = next else { return Ok(None) };
                let rows = self.wanted.rows.get(&of).cloned();
                let FilesContent::Parquet(parquet) = &table.content else { return Ok(None) };
                let (file, parquet) = (Arc::clone(&table.files[file]), &parquet[file]);
                let (positions, batch_rows) = (&self.ascending, self.wanted.batch_rows);
                let of = (&file, parquet);
                let reader =
                    GroupReader::new(of, (group, rows), positions, batch_rows, &self.limits);
                (file, Decoder::Parquet(Box::new(reader)))
            }
            LeftPieces::Records(cutter) => {
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

    fn records_of(&self, file: &Arc<OpenedFile>, piece: RecordPiece) -> Result<Decoder> {
        let (columns, positions) = (&self.table.columns, &self.wanted.positions);
        let rows_in = (self.wanted.batch_rows, self.wanted.zone);
        let file = Arc::clone(file);
        Ok(match &self.table.content {
            FilesContent::Csv(form) => {
                let batches = CsvBatches::new(file, form, piece, columns, positions, rows_in)?;
                Decoder::Csv(Box::new(batches))
            }
            _ => {
                let batches = JsonBatches::new(file, piece, columns, positions, rows_in);
                Decoder::Json(Box::new(batches))
            }
        })
    }

    /// The next rows of a decoder.
    fn decoded(&self, decoder: &mut Decoder) -> Result<Option<FileRows>> {
        let plain = |(columns, rows): (Vec<ArrayRef>, usize)| {
            let columns = columns.into_iter().map(ColumnArray::Plain).collect();
            FileRows { columns, rows }
        };
        Ok(match decoder {
            Decoder::Csv(batches) => batches.next()?.map(plain),
            Decoder::Json(batches) => batches.next()?.map(plain),
            Decoder::Parquet(reader) => reader.next(&self.table.columns)?.map(|(columns, rows)| {
                let column = |position: &usize| {
                    let at = self.ascending.partition_point(|before| before < position);
                    columns[at].clone()
                };
                FileRows { columns: self.wanted.positions.iter().map(column).collect(), rows }
            }),
        })
    }
}

impl FileSteps {
    fn step(&mut self) -> Result<Option<FileStep>> {
        loop {
            self.of.limits.check()?;
            let Some((file, decoder)) = &mut self.current else {
                match self.of.next_piece()? {
                    Some(piece) => self.current = Some(piece),
                    None => return Ok(None),
                }
                continue;
            };
            if let Some(rows) = file.guarded(|| self.of.decoded(decoder))? {
                return Ok(Some(FileStep::Rows(rows)));
            }
            file.check_unchanged()?;
            self.current = None;
            return Ok(Some(FileStep::End));
        }
    }
}

impl Iterator for FileSteps {
    type Item = Result<FileStep>;

    fn next(&mut self) -> Option<Result<FileStep>> {
        if self.ended {
            return None;
        }
        let next = self.step().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}
