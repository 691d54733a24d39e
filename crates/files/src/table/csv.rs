//! CSV: records of fields. The fields are decoded by arrow-csv as texts, and become values as those
//! of LOAD DATA do, strictly.
//!
//! Invariants
//! 1. Every record has as many fields as there are columns.
//! 2. A field that is no value of its column is an error with the file and the record.
//!
//! Not here: where records end (`records`), the types of columns (`guess`).

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringViewArray};
use arrow::csv::ReaderBuilder;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use bytes::Buf;
use columnar::arrow::ColumnWriter;
use expression::Limits;
use values::ErrorCode;
use values::convert::{Issue, from_text, plain_of_text};
use values::temporal::Zone;
use values::types::{ColumnType, LobSize};

use super::guess::Guess;
use super::opened::OpenedFile;
use super::options::{FileOptions, wrong};
use super::records::{Cutter, RecordEnds, RecordPiece};
use super::types::BOOLEAN;
use super::{FileColumn, FileFormat};
use results::{Result, SqlError};

/// The most columns of a file, as of a table.
const FIELDS_MAX: usize = 4096;
/// Rows of a batch while types are guessed.
const GUESSED_ROWS: usize = 1024;

/// How the records of a file are written.
#[derive(Clone, Debug)]
pub(super) struct CsvForm {
    pub(super) ends: RecordEnds,
    /// The text that stands for NULL, if one was given.
    nulls: Option<String>,
}

/// Texts of some fields.
type Texts = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>;

impl CsvForm {
    pub(super) fn of(options: &FileOptions, first: &OpenedFile) -> Result<CsvForm> {
        debug_assert!(options.format.is_none_or(|format| format == FileFormat::Csv));
        let is_tsv = first.name().to_ascii_lowercase().ends_with(".tsv");
        let ends = RecordEnds {
            quote: options.quote.unwrap_or(Some(b'"')),
            escape: options.escape,
            delimiter: options.delimiter.unwrap_or(if is_tsv { b'\t' } else { b',' }),
            header: options.header.unwrap_or(true),
        };
        if ends.quote == Some(ends.delimiter) {
            return Err(wrong("delimiter and quote are the same"));
        }
        Ok(CsvForm { ends, nulls: options.nulls.clone() })
    }

    fn is_null(&self, text: &str) -> bool {
        match &self.nulls {
            Some(null) => text == null,
            None => text.is_empty() || text == "\\N",
        }
    }

    /// The fields at some positions of records with so many, as texts.
    fn texts(
        &self,
        bytes: bytes::Bytes,
        fields: usize,
        positions: &[usize],
        rows: usize,
    ) -> Result<Texts> {
        let named = |at| Field::new(format!("{at}"), DataType::Utf8View, true);
        let schema = Schema::new((0..fields).map(named).collect::<Vec<_>>());
        let mut builder = ReaderBuilder::new(Arc::new(schema))
            .with_header(false)
            .with_delimiter(self.ends.delimiter)
            .with_batch_size(rows)
            .with_projection(positions.to_vec());
        // What a file has none of: a character that no text has.
        builder = builder.with_quote(self.ends.quote.unwrap_or(0));
        if let Some(escape) = self.ends.escape {
            builder = builder.with_escape(escape);
        }
        if self.nulls.is_some() {
            // Empty fields would be NULL; nothing is what this matches.
            let never =
                regex::Regex::new("[^\\s\\S]").map_err(|e| SqlError::other(e.to_string()))?;
            builder = builder.with_null_regex(never);
        }
        let texts = builder.build_buffered(bytes.reader());
        Ok(Box::new(texts.map_err(|error| SqlError::other(error.to_string()))?))
    }
}

/// The columns of the files: as given, or as the first record and a sample say.
pub(super) fn columns(
    files: &[Arc<OpenedFile>],
    form: &CsvForm,
    options: &FileOptions,
    limits: &Limits,
) -> Result<Vec<FileColumn>> {
    let mut known: Option<(Vec<String>, Vec<Guess>, &OpenedFile)> = None;
    for file in files {
        let Some(names) = field_names(file, form, limits)? else { continue };
        let guesses = match options.columns {
            Some(_) => vec![Guess::Nothing; names.len()],
            None => guessed(file, form, names.len(), limits)?,
        };
        let Some((first, all, other)) = &mut known else {
            known = Some((names, guesses, file));
            continue;
        };
        check_same(file, &names, other, first)?;
        for (all, guess) in all.iter_mut().zip(guesses) {
            *all = all.or(guess);
        }
    }
    let Some((names, guesses, first)) = known else {
        return match &options.columns {
            Some(columns) => Ok(columns.clone()),
            None => Err(files[0].damaged("it is empty, so that its columns are not known")),
        };
    };
    match &options.columns {
        Some(columns) if columns.len() == names.len() => Ok(columns.clone()),
        Some(columns) => Err(wrong(format_args!(
            "columns => names {}, records of '{}' have {} fields",
            columns.len(),
            first.name(),
            names.len()
        ))),
        None => {
            let columns = names.into_iter().zip(guesses);
            Ok(columns.map(|(name, guess)| FileColumn { name, ty: guess.ty() }).collect())
        }
    }
}

fn check_same(
    file: &OpenedFile,
    names: &[String],
    other: &OpenedFile,
    known: &[String],
) -> Result<()> {
    for (at, name) in names.iter().enumerate() {
        if known.get(at) != Some(name) {
            return Err(wrong(format_args!(
                "'{}' has a column '{name}' that '{}' has not at its place",
                file.name(),
                other.name()
            )));
        }
    }
    match known.get(names.len()) {
        Some(missing) => Err(wrong(format_args!(
            "'{}' has no column '{missing}', which '{}' has",
            file.name(),
            other.name()
        ))),
        None => Ok(()),
    }
}

/// The names in the first record, or c1, c2 and so on; `None` for an empty file.
fn field_names(
    file: &Arc<OpenedFile>,
    form: &CsvForm,
    limits: &Limits,
) -> Result<Option<Vec<String>>> {
    let headless = RecordEnds { header: false, ..form.ends };
    let piece = Cutter::new(std::slice::from_ref(file), headless).next(limits)?;
    let Some(piece) = piece else { return Ok(None) };
    let end = form.ends.first_end(&piece.bytes).unwrap_or(piece.bytes.len());
    let record = piece.bytes.slice(..end);
    let names = file.guarded(|| {
        let mut reader = arrow::csv::reader::Format::default()
            .with_header(true)
            .with_delimiter(form.ends.delimiter)
            .with_quote(form.ends.quote.unwrap_or(0));
        if let Some(escape) = form.ends.escape {
            reader = reader.with_escape(escape);
        }
        let (schema, _) = reader
            .infer_schema(record.clone().reader(), Some(0))
            .map_err(|error| file.damaged(csv_words(&error)))?;
        Ok(schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<String>>())
    })?;
    if names.len() > FIELDS_MAX {
        return Err(file.damaged(format_args!("it has more than {FIELDS_MAX} columns")));
    }
    let numbered = |at: usize| format!("c{}", at + 1);
    let names = names.into_iter().enumerate().map(|(at, name)| match name.trim() {
        name if form.ends.header && !name.is_empty() => name.to_owned(),
        _ => numbered(at),
    });
    Ok(Some(names.collect()))
}

/// What the fields of a file's first records may be.
fn guessed(
    file: &Arc<OpenedFile>,
    form: &CsvForm,
    fields: usize,
    limits: &Limits,
) -> Result<Vec<Guess>> {
    let mut guesses = vec![Guess::Nothing; fields];
    let Some(piece) = Cutter::new(std::slice::from_ref(file), form.ends).next(limits)? else {
        return Ok(guesses);
    };
    let all: Vec<usize> = (0..fields).collect();
    let records_before = piece.records_before;
    let mut texts = form.texts(piece.bytes.clone(), fields, &all, GUESSED_ROWS)?;
    while let Some(batch) = file.guarded(|| Ok(texts.next()))? {
        limits.check()?;
        let batch = batch.map_err(|error| unreadable(file, records_before, &error))?;
        for (guess, column) in guesses.iter_mut().zip(batch.columns()) {
            let values = column.as_string_view().iter().flatten();
            for text in values.filter(|text| !form.is_null(text)) {
                if *guess == Guess::Text {
                    break;
                }
                *guess = guess.or(Guess::of_text(text.as_bytes()));
            }
        }
    }
    Ok(guesses)
}

/// Why arrow-csv has refused a record.
fn csv_words(error: &ArrowError) -> String {
    match error {
        ArrowError::CsvError(why) | ArrowError::ParseError(why) => why.clone(),
        other => other.to_string(),
    }
}

fn unreadable(file: &OpenedFile, records_before: u64, error: &ArrowError) -> SqlError {
    let why = csv_words(error);
    match records_before {
        0 => file.damaged(why),
        before => file.damaged(format_args!("behind its first {before} records: {why}")),
    }
}

/// The wanted columns of a piece, in batches.
pub(super) struct CsvBatches {
    file: Arc<OpenedFile>,
    form: CsvForm,
    columns: Vec<FileColumn>,
    texts: Texts,
    records_before: u64,
    zone: Zone,
    /// Its memory.
    _piece: RecordPiece,
}

impl CsvBatches {
    /// `columns` are all of the file, `positions` those that are wanted.
    pub(super) fn new(
        file: Arc<OpenedFile>,
        form: &CsvForm,
        piece: RecordPiece,
        columns: &[FileColumn],
        positions: &[usize],
        (rows, zone): (usize, Zone),
    ) -> Result<CsvBatches> {
        let records_before = piece.records_before;
        let texts = form.texts(piece.bytes.clone(), columns.len(), positions, rows)?;
        let columns = positions.iter().map(|at| columns[*at].clone()).collect();
        let form = form.clone();
        Ok(CsvBatches { file, form, columns, texts, records_before, zone, _piece: piece })
    }

    pub(super) fn next(&mut self) -> Result<Option<(Vec<ArrayRef>, usize)>> {
        let Some(batch) = self.texts.next() else { return Ok(None) };
        let batch = batch.map_err(|error| unreadable(&self.file, self.records_before, &error))?;
        let columns = self.columns.iter().zip(batch.columns());
        let columns = columns.map(|(column, texts)| self.column(column, texts.as_string_view()));
        let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
        self.records_before += batch.num_rows() as u64;
        Ok(Some((columns, batch.num_rows())))
    }

    fn column(&self, column: &FileColumn, texts: &StringViewArray) -> Result<ArrayRef> {
        let is_text = matches!(column.ty, ColumnType::Text { size: LobSize::Long, .. });
        if is_text && !texts.iter().flatten().any(|text| self.form.is_null(text)) {
            return Ok(Arc::new(texts.clone().to_binary_view()));
        }
        let mut values = ColumnWriter::new(&column.ty, texts.len());
        for (row, text) in texts.iter().enumerate() {
            let Some(text) = text.filter(|text| !self.form.is_null(text)) else {
                values.append_null();
                continue;
            };
            append(&mut values, &column.ty, text, self.zone)?.map_err(|issue| {
                let record = self.records_before + row as u64 + 1;
                no_value(&self.file, column, text, record, issue)
            })?;
        }
        Ok(values.finish())
    }
}

/// Appends the value that a text stands for, or says why it stands for none.
pub(super) fn append(
    values: &mut ColumnWriter,
    ty: &ColumnType,
    text: &str,
    zone: Zone,
) -> Result<std::result::Result<(), Issue>> {
    if let Some(datum) = plain_of_text(ty, text.as_bytes()) {
        values.append(datum)?;
        return Ok(Ok(()));
    }
    if *ty == BOOLEAN
        && let Some(truth) = truth_of(text)
    {
        values.append(values::datum::Datum::Int(i64::from(truth)))?;
        return Ok(Ok(()));
    }
    let converted = from_text(ty, text.as_bytes(), zone);
    Ok(match converted.issue {
        Some(issue) => Err(issue),
        None => {
            values.append(converted.value.as_datum())?;
            Ok(())
        }
    })
}

fn truth_of(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else {
        text.eq_ignore_ascii_case("false").then_some(false)
    }
}

/// Of a text that is no value of its column.
pub(super) fn no_value(
    file: &OpenedFile,
    column: &FileColumn,
    text: &str,
    record: u64,
    issue: Issue,
) -> SqlError {
    /// What is shown of a text.
    const SHOWN_CHARS: usize = 60;
    let shown: String = text.chars().take(SHOWN_CHARS).collect();
    let code = match issue {
        Issue::OutOfRange => ErrorCode::WarnDataOutOfRange,
        Issue::TooLong => ErrorCode::DataTooLong,
        Issue::InvalidJson(_) => ErrorCode::InvalidJsonText,
        _ => ErrorCode::TruncatedWrongValueForField,
    };
    let (ty, name) = (column.ty.mysql_type_name(), &column.name);
    let message = format!(
        "Incorrect {ty} value: '{shown}' for column '{name}' at record {record} of '{}' (columns => \
         gives columns other types)",
        file.name()
    );
    SqlError::new(code, message)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;

    /// The records that arrow-csv finds; `None` where it finds something wrong.
    fn decoded(form: &CsvForm, text: &[u8]) -> Option<Vec<Vec<Option<String>>>> {
        let texts = form.texts(Bytes::copy_from_slice(text), 2, &[0, 1], 100).unwrap();
        let mut records = Vec::new();
        for batch in texts {
            let batch = batch.ok()?;
            for row in 0..batch.num_rows() {
                let field = |column: &ArrayRef| {
                    let texts = column.as_string_view();
                    texts.is_valid(row).then(|| texts.value(row).to_owned())
                };
                records.push(batch.columns().iter().map(field).collect());
            }
        }
        Some(records)
    }

    fn field() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ab \"\\\\]{0,3}",
            "[ab,\n\"\\\\]{0,5}".prop_map(|text| format!("\"{}\"", text.replace('"', "\"\""))),
            "[ab,\n\\\\]{0,5}".prop_map(|text| format!("\"{}\"", text.replace('\\', "\\\\"))),
        ]
    }

    proptest! {
        #[test]
        fn cut_where_records_end_a_text_has_the_records_of_the_whole(
            fields in proptest::collection::vec((field(), field()), 0..12),
            escaped: bool,
            returns: bool,
        ) {
            let end = if returns { "\r\n" } else { "\n" };
            let lines = fields.iter().map(|(a, b)| format!("{a},{b}{end}"));
            let text = lines.collect::<String>();
            let ends = RecordEnds {
                quote: Some(b'"'),
                escape: escaped.then_some(b'\\'),
                delimiter: b',',
                header: false,
            };
            let form = CsvForm { ends, nulls: None };
            if let Some(whole) = decoded(&form, text.as_bytes()) {
                let (mut rest, mut records) = (text.as_bytes(), Vec::new());
                while !rest.is_empty() {
                    let cut = ends.first_end(rest).unwrap_or(rest.len());
                    records.extend(decoded(&form, &rest[..cut]).expect("what the whole has"));
                    rest = &rest[cut..];
                }
                prop_assert_eq!(records, whole);
            }
        }
    }
}
