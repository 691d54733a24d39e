//! Files as tables: `FROM FILE('flights/*.parquet')`.
//!
//! ```text
//! options   what stands between the parentheses        opened    files, as they were when opened
//! types     Arrow's types and MySQL's, both ways       convert   columns of a file -> our columns
//! parquet   row groups, statistics                     records   text files cut at record ends
//! row_group one row group -> our columns               pages     its pages, and what they may take
//! page_index   what a file tells of pages              page_reader  pages as they are decompressed
//! page_header, footer, differences  what pages and files say of themselves, looked over (thrift)
//! csv, json records -> columns                         guess     types of values without types
//! reading   some columns of all files, by as many workers as there are
//! export    our columns -> columns of a file           write     INTO OUTFILE ... FORMAT PARQUET
//! ```
//!
//! Invariants
//! 1. A statement reads files that it opened when it was bound, by descriptor: what is renamed over
//!    them is not seen, and what changes within them ends the statement (`opened`).
//! 2. All files of a table have the same columns, by name and type.
//! 3. What a file holds never panics and never ends the server: each error names the file.
//!
//! Not here: which files there may be (`files`), plans over them (`analytic::scan`).

mod convert;
mod csv;
mod differences;
mod export;
mod footer;
mod guess;
mod json;
mod opened;
mod options;
mod page_header;
mod page_index;
mod page_reader;
mod pages;
mod parquet;
mod reading;
mod records;
mod row_group;
mod thrift;
mod types;
mod write;

use std::fs::File;
use std::iter;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use columnar::ArrayKey;
use columnar::arrow::{ColumnReader, arrow_type};
use values::ErrorCode;
use values::datum::Value;
use values::types::{ColumnType, IntWidth};

use expression::Limits;
pub use options::{FileFormat, FileOptions};
pub use page_index::ColumnPages;
pub use reading::{FileRows, FileStep, FileSteps, ReadRequest, Reading};
pub use write::ParquetWriter;

use self::csv::CsvForm;
use self::opened::OpenedFile;
use self::parquet::ParquetFile;
use crate::folders::Folders;
use results::{Result, SqlError};

/// A column of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileColumn {
    /// Its name.
    pub name: String,
    /// The type that its values have here.
    pub ty: ColumnType,
}

/// Files of one format and the same columns, opened.
#[derive(Debug)]
pub struct FileTable {
    pattern: String,
    files: Vec<Arc<OpenedFile>>,
    content: FilesContent,
    columns: Vec<FileColumn>,
}

/// What is known of the files besides their columns.
#[derive(Debug)]
enum FilesContent {
    /// One for each file.
    Parquet(Vec<Arc<ParquetFile>>),
    Csv(CsvForm),
    Json,
}

/// A record of a text file has about so many bytes, by guess.
const RECORD_BYTES: u64 = 64;

impl FileTable {
    /// Opens the files that a call names, and finds out what their columns are.
    ///
    /// # Errors
    /// Those of `Folders::matching`; 3000 for a file that cannot be read as what it should be; 1210
    /// for files whose columns differ.
    pub fn open(folders: &Folders, options: &FileOptions, limits: &Limits) -> Result<FileTable> {
        FileTable::of(folders.matching(&options.path)?, options, limits)
    }

    /// Of files under their names.
    ///
    /// # Errors
    /// As `open`.
    pub fn of(
        found: Vec<(String, File)>,
        options: &FileOptions,
        limits: &Limits,
    ) -> Result<FileTable> {
        let mut files = Vec::with_capacity(found.len());
        for (name, file) in found {
            files.push(Arc::new(OpenedFile::new(name, file)?));
        }
        let format = match options.format {
            Some(format) => format,
            None => common_format(&files)?,
        };
        let (content, columns) = match format {
            FileFormat::Parquet => {
                options.refuse_text_options()?;
                let (parquet, columns) = parquet::open(&files, limits)?;
                (FilesContent::Parquet(parquet), columns)
            }
            FileFormat::Csv => {
                let form = CsvForm::of(options, &files[0])?;
                let columns = csv::columns(&files, &form, options, limits)?;
                (FilesContent::Csv(form), columns)
            }
            FileFormat::Json => {
                options.refuse_csv_options()?;
                (FilesContent::Json, json::columns(&files, options, limits)?)
            }
        };
        let lower: Vec<String> = columns.iter().map(|column| column.name.to_lowercase()).collect();
        for (at, name) in lower.iter().enumerate() {
            if lower[..at].contains(name) {
                let message = format!("Duplicate column name '{}' in '{}'", name, files[0].name());
                return Err(SqlError::new(ErrorCode::DupFieldname, message));
            }
        }
        Ok(FileTable { pattern: options.path.clone(), files, content, columns })
    }

    /// The columns.
    pub fn columns(&self) -> &[FileColumn] {
        &self.columns
    }

    /// How many rows there are, if that is known without reading them.
    pub fn rows_known(&self) -> Option<u64> {
        match &self.content {
            FilesContent::Parquet(files) => Some(files.iter().map(|file| file.rows()).sum()),
            FilesContent::Csv(_) | FilesContent::Json => None,
        }
    }

    /// About how many rows there are.
    pub fn rows_about(&self) -> u64 {
        let bytes = || self.files.iter().map(|file| file.bytes() / RECORD_BYTES + 1).sum();
        self.rows_known().unwrap_or_else(bytes)
    }

    /// How many pieces there are that workers can share.
    pub fn pieces_about(&self) -> u64 {
        match &self.content {
            FilesContent::Parquet(files) => files.iter().map(|file| file.row_groups() as u64).sum(),
            FilesContent::Csv(_) | FilesContent::Json => {
                self.files.iter().map(|file| file.bytes() / records::PIECE_BYTES as u64 + 1).sum()
            }
        }
    }

    /// The row groups, as numbers of file and group within it; `None` where there are none.
    pub fn row_groups(&self) -> Option<Vec<RowGroup>> {
        let FilesContent::Parquet(files) = &self.content else { return None };
        let groups = files.iter().enumerate().flat_map(|(file, parquet)| {
            (0..parquet.row_groups()).map(move |group| RowGroup { file, group })
        });
        Some(groups.collect())
    }

    /// The rows of a row group.
    pub fn rows_of(&self, group: RowGroup) -> u64 {
        match &self.content {
            FilesContent::Parquet(files) => files[group.file].rows_of(group.group),
            FilesContent::Csv(_) | FilesContent::Json => 0,
        }
    }

    /// The smallest and the largest value of a column in each row group of a file, where its
    /// statistics say it; NULL where they do not.
    pub fn extremes(&self, file: usize, column: usize) -> Option<(ArrayRef, ArrayRef)> {
        match &self.content {
            FilesContent::Parquet(files) => files[file].extremes(column, &self.columns[column].ty),
            FilesContent::Csv(_) | FilesContent::Json => None,
        }
    }

    /// The pages of a column of numbers or times in a row group, if the file tells of them.
    pub fn pages(&self, of: RowGroup, column: usize) -> Option<ColumnPages> {
        let FilesContent::Parquet(files) = &self.content else { return None };
        let (file, ty) = (&self.files[of.file], &self.columns[column].ty);
        files[of.file].pages(file, of.group, column, ty)
    }

    /// How rows of some row groups are grouped by a column; `None` where its values have no
    /// numbers, too many, or, of texts, most have no words.
    pub fn key(&self, column: usize, groups: &[RowGroup]) -> Option<ArrayKey> {
        let FilesContent::Parquet(files) = &self.content else { return None };
        let ty = &self.columns[column].ty;
        if arrow_type(ty) == DataType::BinaryView {
            let has_words = |of: &&RowGroup| files[of.file].has_words(of.group, column);
            let by_words = groups.iter().filter(has_words).count();
            return ArrayKey::new(ty, iter::empty()).filter(|_| by_words * 2 > groups.len());
        }
        if let Some(extremes) = extremes_of(ty) {
            return ArrayKey::new(ty, iter::once(extremes));
        }
        let mut all = Vec::with_capacity(groups.len());
        for of in groups.chunk_by(|a, b| a.file == b.file) {
            let (low, high) = self.extremes(of[0].file, column)?;
            let low = ColumnReader::new(ty, &low).ok()?;
            let high = ColumnReader::new(ty, &high).ok()?;
            let value =
                |of: &RowGroup| (low.datum(of.group).to_value(), high.datum(of.group).to_value());
            all.extend(of.iter().map(value));
        }
        ArrayKey::new(ty, all.into_iter())
    }

    /// About how many different texts a column has, of which its files know the words.
    pub fn words_about(&self, column: usize, groups: &[RowGroup]) -> Option<u64> {
        let FilesContent::Parquet(files) = &self.content else { return None };
        let of = groups.iter().find(|of| files[of.file].has_words(of.group, column))?;
        let words = files[of.file].words(&self.files[of.file], of.group, column)?;
        // Other row groups have others.
        Some(if groups.len() > 1 { words * 2 } else { words })
    }

    /// `3 Parquet files 'flights/*.parquet'`.
    pub fn shown(&self) -> String {
        let format = match &self.content {
            FilesContent::Parquet(_) => "Parquet",
            FilesContent::Csv(_) => "CSV",
            FilesContent::Json => "JSON",
        };
        let plural = if self.files.len() == 1 { "" } else { "s" };
        format!("{} {format} file{plural} '{}'", self.files.len(), self.pattern)
    }
}

/// The least and the largest value of a type that has few.
fn extremes_of(ty: &ColumnType) -> Option<(Value, Value)> {
    match ty {
        ColumnType::Enum { values, .. } => Some((Value::Enum(0), Value::Enum(values.len() as u16))),
        ColumnType::Int { width: IntWidth::Tiny, unsigned: false, .. } => {
            Some((Value::Int(IntWidth::Tiny.min()), Value::Int(IntWidth::Tiny.max())))
        }
        ColumnType::Int { width: IntWidth::Tiny, .. } => {
            Some((Value::UInt(0), Value::UInt(IntWidth::Tiny.unsigned_max())))
        }
        _ => None,
    }
}

/// A row group of a Parquet file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowGroup {
    /// The file's number.
    pub file: usize,
    /// Its own, within the file.
    pub group: usize,
}

/// The format that all names end in.
fn common_format(files: &[Arc<OpenedFile>]) -> Result<FileFormat> {
    let unknown = |file: &OpenedFile| {
        options::wrong(format_args!(
            "'{}' ends in none of .parquet, .csv, .tsv, .json, .jsonl, .ndjson, so that format => \
             must say what it is",
            file.name()
        ))
    };
    let mut common = None;
    for file in files {
        let format = FileFormat::of_name(file.name()).ok_or_else(|| unknown(file))?;
        if *common.get_or_insert(format) != format {
            return Err(options::wrong(format_args!(
                "'{}' has another format than '{}'",
                file.name(),
                files[0].name()
            )));
        }
    }
    common.ok_or_else(|| SqlError::other("a pattern of no files"))
}
