//! What the body of an event may hold: ordinary statements, alone or between BEGIN and END.
//!
//! Its syntax is looked at when the event is defined, its names when it runs, as in MySQL.
//!
//! Not here: where statements of a body begin and end (`syntax::scan::compound`).

use syntax::Cursor;
use syntax::change::change as parse_change;
use syntax::scan::{Scanned, compound, leading_word};
use syntax::statement::{Statement as Parsed, statement as parse_statement};
use values::ErrorCode;

use super::Session;
use super::select::parse_query;
use crate::event_schedule::statements;
use results::{Result, SqlError};

/// Words that begin a statement of stored programs.
const PROGRAM_WORDS: [&str; 18] = [
    "DECLARE", "IF", "CASE", "LOOP", "WHILE", "REPEAT", "FOR", "LEAVE", "ITERATE", "RETURN",
    "OPEN", "FETCH", "CLOSE", "SIGNAL", "RESIGNAL", "GET", "GOTO", "CALL",
];
/// Words of statements that MySQL does not allow in stored programs, and what it calls them.
const NOT_WITHIN: [(&str, &str); 4] =
    [("USE", "USE"), ("LOCK", "LOCK"), ("UNLOCK", "UNLOCK"), ("LOAD", "LOAD DATA")];

impl Session {
    /// Refuses a body that could not be run.
    pub(super) fn check_body(&self, body: &str) -> Result<()> {
        let mode = self.variables.mode;
        if let Some(block) = compound::block(body.as_bytes(), 0, mode) {
            let rest = body[block.end..].trim_start();
            if !block.closed || !rest.trim_matches(';').trim().is_empty() {
                return Err(SqlError::syntax(rest, 1));
            }
        }
        statements(body, mode).iter().try_for_each(|statement| self.check_within(statement))
    }

    /// Refuses a statement that may not be in a body, or is none.
    fn check_within(&self, statement: &str) -> Result<()> {
        let mode = self.variables.mode;
        let mut scanned = Scanned::within(
            self.sql.engine().budget().bytes_max() / super::statement::LITERALS_PART,
        );
        scanned.scan(statement.as_bytes(), mode)?;
        let source = &statement[scanned.start..scanned.end];
        let word = String::from_utf8_lossy(leading_word(source.as_bytes())).to_ascii_uppercase();
        if PROGRAM_WORDS.contains(&word.as_str()) {
            return Err(SqlError::unsupported(format_args!(
                "{word} in the body of an event; BEGIN ... END holds a list of ordinary statements"
            )));
        }
        if let Some((_, name)) = NOT_WITHIN.iter().find(|(known, _)| *known == word) {
            return Err(SqlError::new(
                ErrorCode::SpBadstatement,
                format!("{name} is not allowed in stored procedures"),
            ));
        }
        if scanned.parameters() > 0 {
            return Err(syntax::scan::syntax_at(statement.as_bytes(), scanned.start).into());
        }
        let next = syntax::scan::skip_space(statement.as_bytes(), scanned.taken);
        if next < statement.len() {
            return Err(syntax::scan::syntax_at(statement.as_bytes(), next).into());
        }
        match word.as_str() {
            // With INTO it is looked at when it runs.
            "SELECT" | "WITH" | "VALUES" | "TABLE" if scanned.into => Ok(()),
            "SELECT" | "WITH" | "VALUES" | "TABLE" => parse_query(source, mode).map(drop),
            "" if source.starts_with('(') => parse_query(source, mode).map(drop),
            "INSERT" | "REPLACE" | "UPDATE" | "DELETE" => {
                Ok(parse_change(&mut Cursor::new(source, mode)?).map(drop)?)
            }
            _ => match parse_statement(&mut Cursor::new(source, mode)?)? {
                Parsed::CreateEvent(_) => Err(recursion()),
                Parsed::AlterEvent(alter) if alter.body.is_some() => Err(recursion()),
                _ => Ok(()),
            },
        }
    }
}

fn recursion() -> SqlError {
    SqlError::new(
        ErrorCode::EventRecursionForbidden,
        "Recursion of EVENT DDL statements is forbidden when body is present",
    )
}
