//! `SELECT ... INTO OUTFILE [FORMAT PARQUET]` and `INTO DUMPFILE`: a query's rows as a file of the
//! server.
//!
//! What is escaped and enclosed is MariaDB 10.11's (`select_export::send_data`), so that LOAD DATA
//! with the same FIELDS and LINES reads the same values back.
//!
//! Not here: which files there may be (`files`), INTO with variables (`into`), how Parquet is
//! written (`files::table`).

use std::sync::Arc;

use expression::{is_number, text_of};
use sqlparser::ast::Query;
use syntax::load::Format;
use values::datum::Datum;
use values::temporal::Zone;
use values::text::fill_with_zeros;
use values::types::{Collation, ColumnType};
use values::{CharacterSet, ErrorCode};

use super::Session;
use crate::reply::Reply;
use files::folders::NewFile;
use files::table::ParquetWriter;
use results::{ExecutionMode, Pace, Result, ResultColumn, SqlError};

/// Bytes that are gathered before they are written.
const GATHERED_BYTES: usize = 256 << 10;

/// Rows after which it is asked whether the statement is to end.
const ROWS_CHECKED: u64 = 1024;

/// Where a query's rows go, as written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OutfileTarget {
    pub path: String,
    pub form: Form,
}

/// What the file holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    Text(TextForm),
    /// FORMAT PARQUET.
    Parquet,
}

/// How values are written as text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TextForm {
    /// INTO OUTFILE.
    Lines(Format),
    /// INTO DUMPFILE: one row and nothing else.
    Dump,
}

impl TextForm {
    /// Writes a row, the one of this number.
    ///
    /// # Errors
    /// 1172 for a second one that the file has no place for.
    fn write_row(
        &self,
        number: u64,
        columns: &[ResultColumn],
        row: &[Datum<'_>],
        zone: Zone,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self {
            TextForm::Lines(format) => {
                out.extend_from_slice(&format.line_start);
                for (at, (column, datum)) in columns.iter().zip(row).enumerate() {
                    if at > 0 {
                        out.extend_from_slice(&format.field_end);
                    }
                    write_field(format, column, *datum, zone, out);
                }
                out.extend_from_slice(&format.line_end);
            }
            TextForm::Dump if number > 1 => {
                return Err(SqlError::new(
                    ErrorCode::TooManyRows,
                    "Result consisted of more than one row",
                ));
            }
            TextForm::Dump => {
                for (column, datum) in columns.iter().zip(row) {
                    match datum {
                        Datum::Null => out.push(0),
                        datum => write_value(column, *datum, zone, out),
                    }
                }
            }
        }
        Ok(())
    }
}

impl Session {
    /// Writes a query's rows into a file that is not there yet.
    pub(super) fn write_file(
        &mut self,
        query: &Query,
        target: &OutfileTarget,
        how: ExecutionMode,
    ) -> Result<Reply> {
        self.check_global(&[access::Privilege::File], &[], "FILE")?;
        if let Form::Text(TextForm::Lines(format)) = &target.form
            && format.field_end.is_empty()
            && format.enclosed.is_none()
        {
            return Err(SqlError::unsupported("INTO OUTFILE with fields of fixed width"));
        }
        let file = self.sql.files().create(&target.path)?;
        match &target.form {
            Form::Text(form) => self.write_text(query, form, file, how),
            Form::Parquet => self.write_parquet(query, file, how),
        }
    }

    fn write_parquet(&mut self, query: &Query, file: NewFile, how: ExecutionMode) -> Result<Reply> {
        let mut stream = self.begun_anew(how, |session| session.query_rows(query, &[], how))?;
        let share = self.sql.engine().budget().share();
        let mut writer = ParquetWriter::new(file, Arc::clone(stream.columns()), share)?;
        let kill = Arc::clone(&self.process.kill);
        let mut rows = 0u64;
        while stream.next(how, &mut |row| {
            rows += 1;
            if rows.is_multiple_of(ROWS_CHECKED) {
                kill.check()?;
            }
            writer.add(row)?;
            Ok(Pace::More)
        })? {}
        writer.finish(|| Ok(kill.check()?))?;
        self.row_count = rows as i64;
        Ok(self.done(rows))
    }

    fn write_text(
        &mut self,
        query: &Query,
        form: &TextForm,
        mut file: NewFile,
        how: ExecutionMode,
    ) -> Result<Reply> {
        let mut stream = self.begun_anew(how, |session| session.query_rows(query, &[], how))?;
        let (columns, zone) = (Arc::clone(stream.columns()), stream.zone());
        let mut out = Vec::new();
        let mut rows = 0;
        while stream.next(how, &mut |row| {
            rows += 1;
            form.write_row(rows, &columns, row, zone, &mut out)?;
            if out.len() >= GATHERED_BYTES {
                self.process.kill.check()?;
                file.write(&out)?;
                out.clear();
            }
            Ok(Pace::More)
        })? {}
        file.write(&out)?;
        self.process.kill.check()?;
        file.finish()?;
        self.row_count = rows as i64;
        Ok(self.done(rows))
    }
}

/// Whether a value of a type is a text as OPTIONALLY ENCLOSED understands it: times are.
fn is_text(ty: &ColumnType) -> bool {
    !is_number(ty)
}

/// The text of a column's value.
fn write_value(column: &ResultColumn, datum: Datum<'_>, zone: Zone, out: &mut Vec<u8>) {
    let start = out.len();
    text_of(&column.ty, datum, zone, out);
    if column.flags.zerofill > 0 {
        fill_with_zeros(out, start, column.flags.zerofill);
    }
}

/// Writes a field, enclosed and escaped where that is needed.
fn write_field(
    format: &Format,
    column: &ResultColumn,
    datum: Datum<'_>,
    zone: Zone,
    out: &mut Vec<u8>,
) {
    let ty = &column.ty;
    if datum.is_null() {
        match format.escape {
            Some(escape) => out.extend([escape, b'N']),
            None => out.extend(b"NULL"),
        }
        return;
    }
    let text = is_text(ty);
    let enclosed = format.enclosed.filter(|_| text || !format.optionally);
    // Of terminators the first byte counts.
    let field_end = format.field_end.first().copied();
    let separator = format.enclosed.or(field_end);
    out.extend(enclosed);
    let start = out.len();
    write_value(column, datum, zone, out);
    let own = ty.collation().filter(|rule| *rule != Collation::Binary).map(Collation::set);
    let set = match (own, format.charset) {
        (Some(_), Some(set)) => set,
        // Separators are bytes, so it stays UTF-8 where ASCII is more than one.
        (Some(own), None) if own.may_be_client() => own,
        _ => CharacterSet::UTF8MB4,
    };
    if own.is_some() {
        let text = out.split_off(start);
        out.extend_from_slice(&set.encode(&text));
    }
    // Numbers hold nothing that would have to be escaped, unless that ends them.
    let unsafe_separator = separator.is_some_and(|byte| b".0123456789e+-".contains(&byte));
    if let Some(escape) = format.escape
        && (text || unsafe_separator)
    {
        let ends = [
            Some(escape),
            if enclosed.is_some() { separator } else { field_end },
            format.line_end.first().copied(),
            Some(0),
        ];
        let special = |byte: &u8| ends.contains(&Some(*byte));
        if out[start..].iter().any(special) {
            let value = out.split_off(start);
            // Up to where bytes are those of a character that began before.
            let mut whole = 0;
            for (at, byte) in value.iter().copied().enumerate() {
                let begins = at >= whole;
                if begins {
                    whole = at + set.bytes_together(&value, at);
                }
                let is_special = begins && whole == at + 1 && special(&byte);
                if is_special && (enclosed.is_some() || !is_ambiguous(field_end, byte)) {
                    let doubled = is_ambiguous(separator, byte);
                    out.push(if doubled { byte } else { escape });
                    out.push(if byte == 0 { b'0' } else { byte });
                } else {
                    out.push(byte);
                }
            }
        }
    }
    out.extend(enclosed);
}

/// Whether a byte is the separator, and would mean something else behind an escape: it is doubled
/// then.
fn is_ambiguous(separator: Option<u8>, byte: u8) -> bool {
    separator == Some(byte) && b"ntrb0ZN".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expression::text_type;

    fn field(format: &Format, value: &str) -> String {
        let mut out = Vec::new();
        let column = ResultColumn::computed("x", text_type(9), false);
        write_field(format, &column, Datum::Bytes(value.as_bytes()), Zone::UTC, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn fields_are_written_as_mariadb_writes_them() {
        let plain = Format::default();
        assert_eq!(field(&plain, "a\tb\\c\nd\0"), "a\\\tb\\\\c\\\nd\\0");
        let quoted = Format {
            field_end: b",".to_vec(),
            enclosed: Some(b'"'),
            optionally: true,
            line_end: b"\r\n".to_vec(),
            ..Format::default()
        };
        assert_eq!(field(&quoted, "a\nd\"e,"), "\"a\nd\\\"e,\"");
        let odd = Format { field_end: b"tx".to_vec(), escape: Some(b'e'), ..Format::default() };
        assert_eq!(field(&odd, "tab\tx"), "tab\tx");
        let bare = Format { escape: None, ..quoted };
        assert_eq!(field(&bare, "a\"b"), "\"a\"b\"");
    }
}
