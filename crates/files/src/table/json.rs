//! JSON lines: each line of a file is an object, its members are the columns. Those that a line has
//! not are NULL; objects and arrays within are texts of JSON.
//!
//! Not here: where lines end (`records`), the types of columns (`guess`).

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::ArrayRef;
use bytes::{Buf, Bytes};
use columnar::arrow::ColumnWriter;
use expression::Limits;
use memchr::memchr;
use serde_json::{Map, Value};
use values::temporal::Zone;

use super::FileColumn;
use super::csv::{append, no_value};
use super::guess::Guess;
use super::opened::OpenedFile;
use super::options::FileOptions;
use super::records::{Cutter, RecordEnds, RecordPiece};
use results::Result;

/// The most members that are columns.
const COLUMNS_MAX: usize = 4096;
/// Lines after which it is asked whether the statement is to end.
const LINES_CHECKED: u64 = 256;

/// The columns of the files: as given, or all members that a sample has, in the order of their
/// names.
pub(super) fn columns(
    files: &[Arc<OpenedFile>],
    options: &FileOptions,
    limits: &Limits,
) -> Result<Vec<FileColumn>> {
    if let Some(columns) = &options.columns {
        return Ok(columns.clone());
    }
    let mut guesses: Vec<(String, Guess)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for file in files {
        let sample = Cutter::new(std::slice::from_ref(file), RecordEnds::default()).next(limits)?;
        let Some(piece) = sample else { continue };
        let mut lines = ObjectLines::of(piece);
        while let Some(object) = lines.next(file)? {
            if lines.number.is_multiple_of(LINES_CHECKED) {
                limits.check()?;
            }
            for (name, value) in object {
                let guess = Guess::of_json(&value);
                match places.get(&name) {
                    Some(at) => guesses[*at].1 = guesses[*at].1.or(guess),
                    None => {
                        places.insert(name.clone(), guesses.len());
                        guesses.push((name, guess));
                    }
                }
            }
            if guesses.len() > COLUMNS_MAX {
                let why = format!("its objects have more than {COLUMNS_MAX} members");
                return Err(file.damaged(why));
            }
        }
    }
    if guesses.is_empty() {
        return Err(files[0].damaged("it is empty, so that its columns are not known"));
    }
    guesses.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(guesses.into_iter().map(|(name, guess)| FileColumn { name, ty: guess.ty() }).collect())
}

/// The objects of a piece.
struct ObjectLines {
    rest: Bytes,
    /// Lines before and with the last one.
    number: u64,
    /// Its memory.
    _piece: RecordPiece,
}

impl ObjectLines {
    fn of(piece: RecordPiece) -> ObjectLines {
        ObjectLines { rest: piece.bytes.clone(), number: piece.records_before, _piece: piece }
    }

    fn next(&mut self, file: &OpenedFile) -> Result<Option<Map<String, Value>>> {
        loop {
            if self.rest.is_empty() {
                return Ok(None);
            }
            let end = memchr(b'\n', &self.rest).unwrap_or(self.rest.len());
            let line = self.rest.split_to(end);
            self.rest.advance(self.rest.len().min(1));
            self.number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let object = serde_json::from_slice(&line).map_err(|error| {
                file.damaged(format_args!("line {} is no JSON object: {error}", self.number))
            })?;
            return Ok(Some(object));
        }
    }
}

/// The wanted columns of a piece, in batches.
pub(super) struct JsonBatches {
    file: Arc<OpenedFile>,
    lines: ObjectLines,
    /// In the order wanted.
    columns: Vec<FileColumn>,
    rows: usize,
    zone: Zone,
}

impl JsonBatches {
    pub(super) fn new(
        file: Arc<OpenedFile>,
        piece: RecordPiece,
        columns: &[FileColumn],
        positions: &[usize],
        (rows, zone): (usize, Zone),
    ) -> JsonBatches {
        let columns = positions.iter().map(|at| columns[*at].clone()).collect();
        JsonBatches { file, lines: ObjectLines::of(piece), columns, rows, zone }
    }

    pub(super) fn next(&mut self) -> Result<Option<(Vec<ArrayRef>, usize)>> {
        let mut writers: Vec<ColumnWriter> =
            self.columns.iter().map(|column| ColumnWriter::new(&column.ty, self.rows)).collect();
        let mut rows = 0;
        while rows < self.rows
            && let Some(object) = self.lines.next(&self.file)?
        {
            rows += 1;
            for (column, writer) in self.columns.iter().zip(&mut writers) {
                let own;
                let text = match object.get(&column.name) {
                    None | Some(Value::Null) => {
                        writer.append_null();
                        continue;
                    }
                    Some(Value::String(text)) if column.ty != values::types::ColumnType::Json => {
                        text
                    }
                    Some(other) => {
                        own = other.to_string();
                        &own
                    }
                };
                append(writer, &column.ty, text, self.zone)?.map_err(|issue| {
                    no_value(&self.file, column, text, self.lines.number, issue)
                })?;
            }
        }
        let columns = writers.iter_mut().map(ColumnWriter::finish).collect();
        Ok((rows > 0).then_some((columns, rows)))
    }
}
