//! Files as tables: `FROM FILE('flights/*.parquet')`.
//!
//! ```text
//! options   what stands between the parentheses        opened    files, as they were when opened
//! types     Arrow's types and MySQL's, both ways       convert   columns of a file -> our columns
//! parquet   row groups, statistics                     records   text files cut at record ends
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
mod export;
mod guess;
mod json;
mod opened;
mod options;
mod parquet;
mod reading;
mod records;
mod types;
mod write;

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use rows::types::ColumnType;

pub use options::{FileFormat, FileOptions};
pub use reading::{Reading, Wanted};
pub use write::ParquetWriter;

use self::csv::CsvForm;
use self::opened::OpenedFile;
use self::parquet::ParquetFile;
use crate::error::{Result, SqlError};
use crate::files::Folders;
use crate::limits::Limits;

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
    content: Content,
    columns: Vec<FileColumn>,
}

/// What is known of the files besides their columns.
#[derive(Debug)]
enum Content {
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
        let found = folders.matching(&options.path)?;
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
                let (parquet, columns) = parquet::open(&files)?;
                (Content::Parquet(parquet), columns)
            }
            FileFormat::Csv => {
                let form = CsvForm::of(options, &files[0])?;
                let columns = csv::columns(&files, &form, options, limits)?;
                (Content::Csv(form), columns)
            }
            FileFormat::Json => {
                options.refuse_csv_options()?;
                (Content::Json, json::columns(&files, options, limits)?)
            }
        };
        let lower: Vec<String> = columns.iter().map(|column| column.name.to_lowercase()).collect();
        for (at, name) in lower.iter().enumerate() {
            if lower[..at].contains(name) {
                let message = format!("Duplicate column name '{}' in '{}'", name, files[0].name());
                return Err(SqlError::new(1060, message));
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
            Content::Parquet(files) => Some(files.iter().map(|file| file.rows()).sum()),
            Content::Csv(_) | Content::Json => None,
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
            Content::Parquet(files) => files.iter().map(|file| file.row_groups() as u64).sum(),
            Content::Csv(_) | Content::Json => {
                self.files.iter().map(|file| file.bytes() / records::PIECE_BYTES as u64 + 1).sum()
            }
        }
    }

    /// The row groups, as numbers of file and group within it; `None` where there are none.
    pub fn row_groups(&self) -> Option<Vec<RowGroup>> {
        let Content::Parquet(files) = &self.content else { return None };
        let groups = files.iter().enumerate().flat_map(|(file, parquet)| {
            (0..parquet.row_groups()).map(move |group| RowGroup { file, group })
        });
        Some(groups.collect())
    }

    /// The rows of a row group.
    pub fn rows_of(&self, group: RowGroup) -> u64 {
        match &self.content {
            Content::Parquet(files) => files[group.file].rows_of(group.group),
            Content::Csv(_) | Content::Json => 0,
        }
    }

    /// The smallest and the largest value of a column in each row group of a file, where its
    /// statistics say it; NULL where they do not.
    pub fn extremes(&self, file: usize, column: usize) -> Option<(ArrayRef, ArrayRef)> {
        match &self.content {
            Content::Parquet(files) => files[file].extremes(column, &self.columns[column].ty),
            Content::Csv(_) | Content::Json => None,
        }
    }

    /// `3 Parquet files 'flights/*.parquet'`.
    pub fn shown(&self) -> String {
        let format = match &self.content {
            Content::Parquet(_) => "Parquet",
            Content::Csv(_) => "CSV",
            Content::Json => "JSON",
        };
        let plural = if self.files.len() == 1 { "" } else { "s" };
        format!("{} {format} file{plural} '{}'", self.files.len(), self.pattern)
    }
}

/// A row group of a Parquet file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
