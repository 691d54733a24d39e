//! What stands between the parentheses of `FILE(...)`: a path, then options as `name => value` or
//! `name = value`.
//!
//! | option      | for       | means                                                         |
//! |-------------|-----------|---------------------------------------------------------------|
//! | `format`    | all       | `'parquet'`, `'csv'`, `'tsv'`, `'json'`; else by the name's end |
//! | `columns`   | CSV, JSON | `'a INT, b VARCHAR(20)'`: the columns, in the file's order      |
//! | `header`    | CSV       | whether the first record names the columns; TRUE by default   |
//! | `delimiter` | CSV       | one character; `,`, for TSV a tabulator                       |
//! | `quote`     | CSV       | one character, or none; `"`                                   |
//! | `escape`    | CSV       | one character before a quote within quotes; by default a quote is doubled |
//! | `nulls`     | CSV       | the text that stands for NULL; else it is an empty one or `\N` |
//!
//! Not here: reading files by them.

use std::fmt::Display;

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, TableFunctionArgs, Value,
};
use syntax::Cursor;
use syntax::types::type_spec;
use values::ErrorCode;
use values::SqlMode;
use values::types::ColumnType;

use super::FileColumn;
use results::{Result, SqlError};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Apache Parquet.
    Parquet,
    /// Records of fields, separated by a character.
    Csv,
    /// An object of JSON in each line.
    Json,
}

impl FileFormat {
    /// The format that the end of a name says.
    pub fn of_name(name: &str) -> Option<FileFormat> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "parquet" | "pq" => Some(FileFormat::Parquet),
            "csv" | "tsv" => Some(FileFormat::Csv),
            "json" | "jsonl" | "ndjson" => Some(FileFormat::Json),
            _ => None,
        }
    }
}

/// A call, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// A path, or a pattern.
    pub path: String,
    /// `format`.
    pub format: Option<FileFormat>,
    /// `columns`.
    pub columns: Option<Vec<FileColumn>>,
    /// `header`.
    pub header: Option<bool>,
    /// `delimiter`.
    pub delimiter: Option<u8>,
    /// `quote`; `Some(None)` for none.
    pub quote: Option<Option<u8>>,
    /// `escape`.
    pub escape: Option<u8>,
    /// `nulls`.
    pub nulls: Option<String>,
}

/// What is wrong with a call.
pub(super) fn wrong(what: impl Display) -> SqlError {
    SqlError::new(ErrorCode::WrongArguments, format!("Incorrect arguments to FILE(): {what}"))
}

impl FileOptions {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// 1210 for what is no option, or no value of one.
    pub fn of(args: &TableFunctionArgs, mode: SqlMode) -> Result<FileOptions> {
        let mut options = FileOptions::default();
        let Some((FunctionArg::Unnamed(FunctionArgExpr::Expr(path)), rest)) =
            args.args.split_first()
        else {
            return Err(wrong("a path comes first"));
        };
        options.path = text(path, "the path")?;
        for argument in rest {
            let (name, value) = match argument {
                FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. } => (name, value),
                FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::BinaryOp {
                    left,
                    op: BinaryOperator::Eq,
                    right,
                })) => match &**left {
                    Expr::Identifier(name) => (name, &**right),
                    _ => return Err(wrong("options are written as name => value")),
                },
                _ => return Err(wrong("options are written as name => value")),
            };
            options.set(&name.value.to_ascii_lowercase(), value, mode)?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &Expr, mode: SqlMode) -> Result<()> {
        match name {
            "format" => {
                let name = text(value, name)?.to_ascii_lowercase();
                self.format = Some(match name.as_str() {
                    "parquet" => FileFormat::Parquet,
                    "csv" => FileFormat::Csv,
                    "tsv" => {
                        self.delimiter.get_or_insert(b'\t');
                        FileFormat::Csv
                    }
                    "json" | "jsonl" | "ndjson" => FileFormat::Json,
                    _ => return Err(wrong(format_args!("there is no format '{name}'"))),
                });
            }
            "columns" => self.columns = Some(columns(&text(value, name)?, mode)?),
            "header" => self.header = Some(truth(value, name)?),
            "delimiter" => {
                let byte = one_byte(&text(value, name)?, name)?;
                self.delimiter = Some(byte.ok_or_else(|| wrong("delimiter is empty"))?);
            }
            "quote" => self.quote = Some(one_byte(&text(value, name)?, name)?),
            "escape" => self.escape = one_byte(&text(value, name)?, name)?,
            "nulls" => self.nulls = Some(text(value, name)?),
            _ => return Err(wrong(format_args!("there is no option '{name}'"))),
        }
        Ok(())
    }

    /// Parquet says by itself what its columns are.
    pub(super) fn refuse_text_options(&self) -> Result<()> {
        match self.columns {
            None => self.refuse_csv_options(),
            Some(_) => Err(wrong("columns => is not for Parquet")),
        }
    }

    /// Only CSV has what these say.
    pub(super) fn refuse_csv_options(&self) -> Result<()> {
        let set = [
            ("header", self.header.is_some()),
            ("delimiter", self.delimiter.is_some()),
            ("quote", self.quote.is_some()),
            ("escape", self.escape.is_some()),
            ("nulls", self.nulls.is_some()),
        ];
        match set.iter().find(|(_, is_set)| *is_set) {
            Some((name, _)) => Err(wrong(format_args!("{name} => is for CSV alone"))),
            None => Ok(()),
        }
    }
}

fn text(value: &Expr, what: &str) -> Result<String> {
    match value {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) => Ok(text.clone()),
            _ => Err(wrong(format_args!("{what} must be a text"))),
        },
        _ => Err(wrong(format_args!("{what} must be a text"))),
    }
}

fn truth(value: &Expr, what: &str) -> Result<bool> {
    let Expr::Value(literal) = value else {
        return Err(wrong(format_args!("{what} must be TRUE or FALSE")));
    };
    match &literal.value {
        Value::Boolean(truth) => Ok(*truth),
        Value::Number(number, _) if number == "1" || number == "0" => Ok(number == "1"),
        _ => Err(wrong(format_args!("{what} must be TRUE or FALSE"))),
    }
}

fn one_byte(text: &str, what: &str) -> Result<Option<u8>> {
    match text.as_bytes() {
        [] => Ok(None),
        // A line always ends a record.
        [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0) => Ok(Some(*byte)),
        _ => Err(wrong(format_args!("{what} must be one ASCII character"))),
    }
}

/// `a INT, b VARCHAR(20)`.
fn columns(text: &str, mode: SqlMode) -> Result<Vec<FileColumn>> {
    let mut cursor = Cursor::new(text, mode)?;
    let columns = cursor.list(|cursor| {
        let name = cursor.name()?;
        let ty: ColumnType = type_spec(cursor, &name)?.ty;
        Ok(FileColumn { name, ty })
    })?;
    cursor.expect_end()?;
    Ok(columns)
}
