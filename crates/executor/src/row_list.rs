//! Rows that are kept in the order in which they came: beyond a part of the memory for clients they
//! go to a temporary file, and are read again piece by piece.
//!
//! Invariants
//! 1. Rows keep their numbers, wherever they are.
//! 2. Where there is no room for files, or the run is bounded, all rows stay in memory.
//!
//! Not here: drawing the memory (`Execution::push`), rows found by an index
//! (`plan::point::Gathered`).

use std::borrow::Cow;
use std::sync::Arc;

use resources::spill::SpillDirectory;
use rows::chunk_file::ChunkFile;
use values::datum::{Datum, Value};
use values::tagged;

use super::{Flow, row_bytes};
use results::{ExecutionMode, Pace, Result, RowSource, Sink, SqlError};

/// A piece in a file ends with the row that makes it as long as this.
const PIECE_BYTES: usize = 16 << 10;

/// Where rows and keys go that are more than so many bytes.
#[derive(Clone, Debug)]
pub(super) struct Overflow {
    /// Where the files are.
    pub directory: Arc<SpillDirectory>,
    /// Most bytes of one list or set in memory.
    pub bytes_max: usize,
}

/// Rows.
#[derive(Debug, Default)]
pub struct RowList {
    /// Those behind the ones in the file.
    recent: Vec<Vec<Value>>,
    recent_bytes: usize,
    file: Option<ChunkFile>,
    /// The number behind the last row of each piece in the file.
    ends: Vec<usize>,
    overflow: Option<Overflow>,
}

impl RowList {
    /// No rows yet.
    pub(super) fn new(overflow: Option<Overflow>) -> RowList {
        RowList { overflow, ..RowList::default() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.in_file() + self.recent.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.recent_bytes
    }

    fn in_file(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Adds a row; how many bytes of memory are free then, that of the row among them.
    ///
    /// # Errors
    /// Those of the file.
    pub(super) fn push(&mut self, row: Vec<Value>) -> Result<usize> {
        self.recent_bytes += row_bytes(&row);
        self.recent.push(row);
        match &self.overflow {
            Some(overflow) if self.recent_bytes > overflow.bytes_max => self.spill(),
            _ => Ok(0),
        }
    }

    /// Moves the rows in memory to the file; how many bytes are free then.
    fn spill(&mut self) -> Result<usize> {
        let Some(overflow) = &self.overflow else { return Ok(0) };
        let mut end = self.in_file();
        let last = end + self.recent.len();
        let file = match &mut self.file {
            Some(file) => file,
            file => file.insert(ChunkFile::new(&overflow.directory)?),
        };
        let mut piece = Vec::with_capacity(2 * PIECE_BYTES);
        for row in &self.recent {
            piece.extend_from_slice(&(row.len() as u32).to_le_bytes());
            row.iter().for_each(|value| tagged::write(value.as_datum(), &mut piece));
            end += 1;
            if piece.len() >= PIECE_BYTES || end == last {
                file.push(&piece)?;
                self.ends.push(end);
                piece.clear();
            }
        }
        self.recent = Vec::new();
        Ok(std::mem::take(&mut self.recent_bytes))
    }

    /// How many pieces there are; the last one is in memory.
    pub fn pieces(&self) -> usize {
        self.ends.len() + 1
    }

    /// In which piece a row is, and the number of that one's first row.
    pub(super) fn piece_of(&self, row: usize) -> (usize, usize) {
        let piece = self.ends.partition_point(|end| *end <= row);
        (piece, piece.checked_sub(1).map_or(0, |before| self.ends[before]))
    }

    /// The rows of a piece that is in memory.
    pub(super) fn in_memory(&self, piece: usize) -> Option<&[Vec<Value>]> {
        (piece == self.ends.len()).then_some(&self.recent[..])
    }

    /// Shows rows to `look` until it wants no more.
    ///
    /// # Errors
    /// Those of the file, and of `look`.
    pub(super) fn each(&self, look: &mut dyn FnMut(&[Value]) -> Result<Flow>) -> Result<()> {
        for number in 0..self.pieces() {
            for row in self.piece(number)?.iter() {
                if look(row)? == Flow::Stop {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The rows of a piece: read from the file, or as they are in memory.
    ///
    /// # Errors
    /// Those of the file.
    pub fn piece(&self, number: usize) -> Result<Cow<'_, [Vec<Value>]>> {
        let file = match &self.file {
            Some(file) if number < self.ends.len() => file,
            _ => return Ok(Cow::Borrowed(&self.recent)),
        };
        let bytes = file.read(number)?;
        let mut left = &bytes[..];
        let mut rows = Vec::new();
        while let Some((length, rest)) = left.split_first_chunk::<4>() {
            left = rest;
            let values = (0..u32::from_le_bytes(*length)).map(|_| tagged::read(&mut left));
            let row: Option<Vec<Value>> = values.collect();
            rows.push(row.ok_or_else(ChunkFile::damaged)?);
        }
        Ok(Cow::Owned(rows))
    }
}

/// A list's rows for a client, each of which is given once.
pub struct ListedRows {
    list: RowList,
    /// The next piece.
    next: usize,
    /// Rows of the piece at hand that are to be given,
    rows: std::vec::IntoIter<Vec<Value>>,
    /// and how many come behind it.
    behind: usize,
}

impl ListedRows {
    /// The rows of a list.
    pub fn new(list: RowList) -> ListedRows {
        let behind = list.len();
        ListedRows { list, next: 0, rows: Vec::new().into_iter(), behind }
    }

    /// The next row.
    fn row(&mut self, how: ExecutionMode) -> Result<Option<Vec<Value>>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(row));
            }
            if self.behind == 0 {
                return Ok(None);
            }
            let rows = if self.next < self.list.ends.len() {
                if !how.may_wait {
                    return Err(SqlError::WouldWait);
                }
                self.list.piece(self.next)?.into_owned()
            } else {
                std::mem::take(&mut self.list.recent)
            };
            self.next += 1;
            self.behind -= rows.len();
            self.rows = rows.into_iter();
        }
    }
}

impl RowSource for ListedRows {
    fn next(&mut self, how: ExecutionMode, sink: &mut Sink<'_>) -> Result<bool> {
        while let Some(row) = self.row(how)? {
            let line: Vec<Datum<'_>> = row.iter().map(Value::as_datum).collect();
            if sink(&line)? == Pace::Pause {
                return Ok(self.behind > 0 || self.rows.len() > 0);
            }
        }
        Ok(false)
    }

    fn is_gathered(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: i64) -> Vec<Value> {
        vec![Value::Int(number), Value::Bytes(format!("row {number}").into_bytes()), Value::Null]
    }

    #[test]
    fn rows_beyond_their_part_of_the_memory_keep_their_numbers_in_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let directory = SpillDirectory::open(directory.path()).unwrap();
        let overflow = Overflow { directory: Arc::clone(&directory), bytes_max: 10_000 };
        let mut list = RowList::new(Some(overflow));
        let (mut taken, mut freed) = (0, 0);
        for number in 0..3000 {
            taken += row_bytes(&row(number));
            freed += list.push(row(number)).unwrap();
        }
        assert_eq!((list.len(), taken - freed), (3000, list.bytes()));
        assert!(list.bytes() <= 10_000 && list.pieces() > 5);
        for number in [0, 1, 1500, 2999] {
            let (piece, first) = list.piece_of(number);
            assert_eq!(list.piece(piece).unwrap()[number - first], row(number as i64));
        }
        let mut source = ListedRows::new(list);
        let mut next = 0;
        assert!(
            source.next(ExecutionMode::LOOP, &mut |_| Ok(Pace::More)).is_err(),
            "a loop reads no file"
        );
        let mut more = true;
        while more {
            more = source
                .next(ExecutionMode::POOL, &mut |line| {
                    let values: Vec<Value> = line.iter().map(Datum::to_value).collect();
                    assert_eq!(values, row(next));
                    next += 1;
                    Ok(if next % 7 == 0 { Pace::Pause } else { Pace::More })
                })
                .unwrap();
        }
        assert_eq!(next, 3000);
        drop(source);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn rows_without_room_for_files_stay_in_memory() {
        let mut list = RowList::new(None);
        for number in 0..3000 {
            assert_eq!(list.push(row(number)).unwrap(), 0);
        }
        assert_eq!((list.pieces(), list.in_memory(0).map(<[_]>::len)), (1, Some(3000)));
    }
}
