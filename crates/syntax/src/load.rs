//! LOAD DATA, as written, and the FIELDS and LINES that INTO OUTFILE shares with it.
//!
//! Not here: reading the file, writing one (crate `sql`, `load` and `session::outfile`).

use sqlparser::ast::Expr;
use sqlparser::tokenizer::Token;
use values::CharacterSet;

use super::cursor::Cursor;
use super::names::TableName;
use super::types::character_set;
use crate::error::{Error, Result};

/// How lines and fields are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// FIELDS TERMINATED BY.
    pub field_end: Vec<u8>,
    /// FIELDS ENCLOSED BY.
    pub enclosed: Option<u8>,
    /// OPTIONALLY: what is no text is written without it.
    pub optionally: bool,
    /// FIELDS ESCAPED BY.
    pub escape: Option<u8>,
    /// LINES STARTING BY.
    pub line_start: Vec<u8>,
    /// LINES TERMINATED BY.
    pub line_end: Vec<u8>,
    /// CHARACTER SET: that of the texts in the file. None said: the database's for a file that is
    /// read, and each column's own for one that is written.
    pub charset: Option<CharacterSet>,
}

impl Default for Format {
    fn default() -> Format {
        Format {
            field_end: b"\t".to_vec(),
            enclosed: None,
            optionally: false,
            escape: Some(b'\\'),
            line_start: Vec::new(),
            line_end: b"\n".to_vec(),
            charset: None,
        }
    }
}

/// Where a field goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldTarget {
    /// A column.
    Column(String),
    /// A user variable, by lower-case name.
    Variable(String),
}

/// What becomes of a row whose key is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicateSpec {
    /// It is an error.
    Error,
    /// IGNORE: the new row is left out.
    Ignore,
    /// REPLACE: the old row goes.
    Replace,
}

/// LOAD DATA.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadData {
    /// The file: of the server, or with LOCAL as the client is asked for it.
    pub file: String,
    /// LOCAL: the client sends the file.
    pub local: bool,
    /// REPLACE or IGNORE.
    pub on_duplicate: DuplicateSpec,
    /// The table.
    pub table: TableName,
    /// Lines and fields.
    pub format: Format,
    /// IGNORE n LINES.
    pub skip_lines: u64,
    /// Columns and variables; empty means all columns.
    pub targets: Vec<FieldTarget>,
    /// SET.
    pub assignments: Vec<(String, Expr)>,
}

/// Reads what follows LOAD DATA.
///
/// # Errors
/// 1064 where the statement stops making sense; 1235 for files in a character set that is not
/// read.
pub fn load_data(cursor: &mut Cursor<'_>) -> Result<LoadData> {
    let _priority = cursor.take("LOW_PRIORITY") || cursor.take("CONCURRENT");
    let local = cursor.take("LOCAL");
    cursor.expect("INFILE")?;
    let file = cursor.string()?;
    let on_duplicate = match cursor.take_any(&["REPLACE", "IGNORE"]) {
        Some("REPLACE") => DuplicateSpec::Replace,
        Some(_) => DuplicateSpec::Ignore,
        // Nobody could act on an error in the middle of a file that a client sends.
        None if local => DuplicateSpec::Ignore,
        None => DuplicateSpec::Error,
    };
    cursor.expect("INTO")?;
    cursor.expect("TABLE")?;
    let table = cursor.table_name()?;
    let format = format_in_charset(cursor, CharacterSet::may_be_client)?;
    let mut skip_lines = 0;
    if cursor.take("IGNORE") {
        skip_lines = cursor.number()?;
        if !(cursor.take("LINES") || cursor.take("ROWS")) {
            return Err(cursor.syntax());
        }
    }
    let targets =
        if *cursor.peek() == Token::LParen { cursor.parenthesised(target)? } else { Vec::new() };
    let assignments = if cursor.take("SET") {
        cursor.list(|cursor| {
            let name = cursor.name()?;
            cursor.expect_token(&Token::Eq)?;
            Ok((name, cursor.expression()?))
        })?
    } else {
        Vec::new()
    };
    cursor.expect_end()?;
    Ok(LoadData { file, local, on_duplicate, table, format, skip_lines, targets, assignments })
}

/// What may follow the name of INTO OUTFILE.
///
/// # Errors
/// As `load_data`.
pub fn into_format(cursor: &mut Cursor<'_>) -> Result<Format> {
    // Values are escaped as they are written, so a byte of a separator has to be one wherever it
    // stands.
    format_in_charset(cursor, CharacterSet::keeps_ascii)
}

/// CHARACTER SET, FIELDS and LINES.
fn format_in_charset(
    cursor: &mut Cursor<'_>,
    is_possible: fn(CharacterSet) -> bool,
) -> Result<Format> {
    let mut charset = None;
    if cursor.take_all(&["CHARACTER", "SET"]) || cursor.take("CHARSET") {
        let set = character_set(&cursor.name_or_string()?)?;
        if !is_possible(set) {
            let name = set.name();
            return Err(Error::unsupported(format_args!("Files of CHARACTER SET {name}")));
        }
        charset = Some(set);
    }
    Ok(Format { charset, ..format(cursor)? })
}

/// FIELDS and LINES.
fn format(cursor: &mut Cursor<'_>) -> Result<Format> {
    let mut format = Format::default();
    if cursor.take("FIELDS") || cursor.take("COLUMNS") {
        fields(cursor, &mut format)?;
    }
    if cursor.take("LINES") {
        lines(cursor, &mut format)?;
    }
    Ok(format)
}

fn target(cursor: &mut Cursor<'_>) -> Result<FieldTarget> {
    let name = cursor.name()?;
    Ok(match name.strip_prefix('@') {
        Some(variable) => FieldTarget::Variable(variable.to_lowercase()),
        None => FieldTarget::Column(name),
    })
}

/// At most one byte; an empty string means none.
fn one_byte(cursor: &mut Cursor<'_>) -> Result<Option<u8>> {
    let here = cursor.syntax();
    match cursor.bytes()?.as_slice() {
        [] => Ok(None),
        [byte] => Ok(Some(*byte)),
        _ => Err(here),
    }
}

fn fields(cursor: &mut Cursor<'_>, format: &mut Format) -> Result<()> {
    loop {
        if cursor.take_all(&["TERMINATED", "BY"]) {
            format.field_end = cursor.bytes()?;
        } else if cursor.take_all(&["OPTIONALLY", "ENCLOSED", "BY"]) {
            format.enclosed = one_byte(cursor)?;
            format.optionally = true;
        } else if cursor.take_all(&["ENCLOSED", "BY"]) {
            format.enclosed = one_byte(cursor)?;
            format.optionally = false;
        } else if cursor.take_all(&["ESCAPED", "BY"]) {
            format.escape = one_byte(cursor)?;
        } else {
            return Ok(());
        }
    }
}

fn lines(cursor: &mut Cursor<'_>, format: &mut Format) -> Result<()> {
    loop {
        if cursor.take_all(&["STARTING", "BY"]) {
            format.line_start = cursor.bytes()?;
        } else if cursor.take_all(&["TERMINATED", "BY"]) {
            format.line_end = cursor.bytes()?;
        } else {
            return Ok(());
        }
    }
}
