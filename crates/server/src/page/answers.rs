//! Statements run as a session, and their rows as JSON.
//!
//! Invariants
//! 1. An answer is bounded, in rows and in bytes; it says when there was more.
//! 2. A value is text as the MySQL protocol shows it, or null: what it holds is nothing but a text
//!    to the page.
//!
//! Not here: which statements (`views`), rights (the session's).

use results::{ExecutionMode, Pace, RowStream, SqlError};
use serde_json::{Value, json};
use sql::{Reply, Session};
use values::text::write_text;

/// Rows of one answer.
const ROWS_MAX: usize = 2000;
/// About how many bytes of texts one answer has.
const BYTES_MAX: usize = 1 << 20;
/// Bytes of one value that are shown.
const VALUE_BYTES_MAX: usize = 16 << 10;

/// Runs a statement: `columns`, `rows` and `more`, or `error`.
pub fn run(session: &mut Session, statement: &str) -> Value {
    let found = match session.query(statement.as_bytes(), ExecutionMode::POOL) {
        Ok((Reply::Rows(stream), _)) => rows(stream),
        Ok((Reply::Done(figures), _)) => Ok(json!({ "affected": figures.affected })),
        Ok((Reply::LoadLocal(_), _)) => {
            Ok(json!({ "error": "A page has no files: LOAD DATA LOCAL is for other clients" }))
        }
        Err(error) => Err(error),
    };
    found.unwrap_or_else(|error| failure(&error))
}

fn failure(error: &SqlError) -> Value {
    json!({ "error": error.message(), "code": error.number() })
}

fn rows(mut stream: RowStream) -> Result<Value, SqlError> {
    let columns = stream.columns().clone();
    let zone = stream.zone();
    let mut rows: Vec<Value> = Vec::new();
    let (mut bytes, mut is_full) = (0, false);
    // A stream that pauses goes on.
    while !is_full
        && stream.next(ExecutionMode::POOL, &mut |row| {
            is_full = rows.len() >= ROWS_MAX || bytes >= BYTES_MAX;
            if is_full {
                return Ok(Pace::Pause);
            }
            let cells = row.iter().zip(columns.iter()).map(|(datum, column)| {
                if datum.is_null() {
                    return Value::Null;
                }
                let mut text = Vec::new();
                write_text(&column.ty, *datum, zone, &mut text);
                text.truncate(VALUE_BYTES_MAX);
                bytes += text.len();
                Value::String(String::from_utf8_lossy(&text).into_owned())
            });
            rows.push(cells.collect());
            Ok(Pace::More)
        })?
    {}
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    Ok(json!({ "columns": names, "rows": rows, "more": is_full }))
}
