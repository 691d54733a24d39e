//! Functions of the schema `sys` that take texts apart or write amounts, called by both names:
//! `sys.format_time(..)`; and what performance_schema knows of threads and digests.
//!
//! MySQL writes those of `sys` in SQL; what such a text does with odd arguments, as leaving `ac` of
//! `sys.list_drop('a,bc', 'b')`, they do here, too (MySQL 9.7: tests/oracle/sql/digests.sql).
//!
//! Not here: views of `sys` (crate `sql`).

use values::ErrorCode;
use values::datum::{Datum, Value};

use crate::functions::amounts::{bytes_in_words, picoseconds_in_words, sys_time};
use crate::functions::call::Call;
use crate::functions::text::calls::texts_of;
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};

/// Settings of `sys` (`sys.sys_config`), and their values.
pub const SETTINGS: [(&str, &str); 6] = [
    ("diagnostics.allow_i_s_tables", "OFF"),
    ("diagnostics.include_raw", "OFF"),
    ("ps_thread_trx_info.max_length", "65535"),
    ("statement_performance_analyzer.limit", "100"),
    ("statement_performance_analyzer.view", ""),
    ("statement_truncate_len", "64"),
];
/// `statement_truncate_len`, and what a longer statement is shortened by.
const STATEMENT_CHARS_MAX: usize = 64;
/// The longest name.
const NAME_CHARS_MAX: usize = 64;
/// Directories that paths are told by, as the variables that name them.
const DIRECTORIES: [&str; 3] = ["datadir", "tmpdir", "replica_load_tmpdir"];
/// MySQL's instruments that count nothing unless they are asked to, and those that take no times;
/// stages are both where they have no progress, which none has here.
const INSTRUMENTS_OFF: [&str; 3] = ["wait/synch/", "wait/io/socket/", "stage/"];
const INSTRUMENTS_UNTIMED: [&str; 3] = ["wait/synch/", "memory/", "stage/"];

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(arguments, cells, scope, &mut buffers);
    let text = |at: usize| String::from_utf8_lossy(texts[at]);
    let number = |at: usize| scope.number(&cells[at]).map_or(0.0, |number| number.to_f64());
    let made = |text: String| Ok(Cell::Owned(text.into_bytes()));
    match function {
        Function::FormatBytes | Function::SysFormatBytes => made(bytes_in_words(number(0))),
        Function::FormatPicoTime => made(picoseconds_in_words(number(0))),
        Function::SysFormatTime => {
            made(sys_time(number(0)).unwrap_or_else(|| format!("{} ps", text(0))))
        }
        Function::SysFormatStatement => made(shortened_statement(&text(0))),
        Function::SysFormatPath => made(told_by_directory(&text(0), scope)?),
        Function::SysQuoteIdentifier => made(format!("`{}`", text(0).replace('`', "``"))),
        Function::SysExtractSchema => made(name_of(path_part(&text(0), 1))),
        Function::SysExtractTable => {
            let file = path_part(&text(0), 0).replace("@0024", "$");
            made(name_of(file.split('.').next().unwrap_or_default().to_string()))
        }
        _ => Err(Error::unknown_function(function.name())),
    }
}

/// `sys.list_add` and `sys.list_drop`: lists of words with commas between, where a list may be NULL
/// and a word may not.
pub(crate) fn list<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    let is_drop = function == Function::SysListDrop;
    if cells[1].is_null() {
        let (name, argument) = match is_drop {
            true => ("list_drop", "in_drop_value"),
            false => ("list_add", "in_add_value"),
        };
        return Err(Error::new(
            ErrorCode::InvalidUseOfNull,
            format!("Function sys.{name}: {argument} input variable should not be NULL"),
        ));
    }
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(arguments, cells, scope, &mut buffers);
    let [list, word] = [0, 1].map(|at| String::from_utf8_lossy(texts[at]));
    Ok(match (is_drop, cells[0].is_null() || list.is_empty()) {
        (true, true) if cells[0].is_null() => NULL,
        (true, _) => {
            let left = format!(",{list}").replace(&format!(",{word}"), "");
            let left = left.replace(&format!(", {word}"), "");
            Cell::Owned(left.trim_matches(',').as_bytes().to_vec())
        }
        (false, true) => Cell::Owned(word.into_owned().into_bytes()),
        (false, false) => {
            Cell::Owned(format!("{},{word}", list.trim_matches(' ').trim_matches(',')).into_bytes())
        }
    })
}

/// What is asked of the server: threads, digests, settings.
pub(crate) fn asked<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    let context = scope.context()?;
    let server = &context.server;
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(arguments, cells, scope, &mut buffers);
    let text = |at: usize| String::from_utf8_lossy(texts[at]);
    let number = |at: usize| {
        let number = scope.integer(&cells[at])?.to_i128();
        u32::try_from(number).ok()
    };
    let thread = |number: u32| Cell::Plain(Datum::UInt(u64::from(number)));
    let said = |text: &str| Ok(Cell::Owned(text.as_bytes().to_vec()));
    let yes_or_no = |is_so: bool| said(if is_so { "YES" } else { "NO" });
    let is_null = |at: usize| cells[at].is_null();
    match function {
        Function::PsCurrentThreadId => Ok(thread(context.connection_id)),
        Function::SysPsThreadId if is_null(0) => Ok(thread(context.connection_id)),
        Function::PsThreadId | Function::SysPsThreadId => {
            Ok(number(0).filter(|number| server.has_thread(*number)).map_or(NULL, thread))
        }
        Function::SysPsIsThreadInstrumented if is_null(0) => Ok(NULL),
        Function::SysPsIsThreadInstrumented => {
            let is_there = number(0).is_some_and(|number| server.has_thread(number));
            said(if is_there { "YES" } else { "UNKNOWN" })
        }
        Function::SysPsIsAccountEnabled => said("YES"),
        Function::SysPsIsConsumerEnabled if is_null(0) => Ok(NULL),
        Function::SysPsIsConsumerEnabled => match server.is_consumer_enabled(&text(0)) {
            Some(is_enabled) => yes_or_no(is_enabled),
            None => Err(Error::new(
                ErrorCode::InvalidArgument,
                format!(
                    "Invalid argument error: {} in function sys.ps_is_consumer_enabled.",
                    text(0)
                ),
            )),
        },
        Function::SysPsIsInstrumentEnabled | Function::SysPsIsInstrumentTimed => {
            let off = match function {
                Function::SysPsIsInstrumentEnabled => INSTRUMENTS_OFF,
                _ => INSTRUMENTS_UNTIMED,
            };
            yes_or_no(is_null(0) || !off.iter().any(|prefix| text(0).starts_with(prefix)))
        }
        Function::SysGetConfig => {
            let known = SETTINGS.iter().find(|(name, _)| !is_null(0) && *name == text(0));
            match known.map(|(_, value)| *value).filter(|value| !value.is_empty()) {
                Some(value) => said(value),
                None if is_null(1) => Ok(NULL),
                None => said(&text(1)),
            }
        }
        Function::SysVersionMajor | Function::SysVersionMinor | Function::SysVersionPatch => {
            let part = match function {
                Function::SysVersionMajor => 0,
                Function::SysVersionMinor => 1,
                _ => 2,
            };
            let parts = server.version().split(|c: char| !c.is_ascii_digit());
            let number = parts.into_iter().nth(part).and_then(|digits| digits.parse().ok());
            Ok(Cell::Plain(Datum::UInt(number.unwrap_or(0))))
        }
        Function::StatementDigest | Function::StatementDigestText if is_null(0) => Ok(NULL),
        Function::StatementDigest | Function::StatementDigestText => {
            let (digest, text) = server.statement_digest(texts[0], context.mode)?;
            said(if function == Function::StatementDigest { &digest } else { &text })
        }
        _ => Err(Error::unknown_function(function.name())),
    }
}

/// A statement as `sys.format_statement` and the views of `sys` show it: its beginning and end.
pub fn shortened_statement(statement: &str) -> String {
    let characters: Vec<char> = statement.chars().collect();
    let shown = if characters.len() > STATEMENT_CHARS_MAX {
        let part = STATEMENT_CHARS_MAX / 2 - 2;
        let [begin, end] = [&characters[..part], &characters[characters.len() - part..]];
        format!("{} ... {}", String::from_iter(begin), String::from_iter(end))
    } else {
        statement.to_string()
    };
    shown.replace('\n', " ")
}

/// A part of a path, counted from its end; its first one where there are fewer.
fn path_part(path: &str, from_end: usize) -> String {
    let path = path.replace('\\', "/");
    let parts: Vec<&str> = path.split('/').collect();
    let at = parts.len().saturating_sub(from_end + 1);
    parts[at].to_string()
}

fn name_of(part: String) -> String {
    part.chars().take(NAME_CHARS_MAX).collect()
}

/// A path with `@@datadir` and its like in place of the server's directories.
fn told_by_directory(path: &str, scope: &Scope<'_>) -> Result<String> {
    let server = &scope.context()?.server;
    let path = match path.strip_prefix("/private/") {
        Some(path) => format!("/{path}"),
        None => path.to_string(),
    };
    for variable in DIRECTORIES {
        let Some(Value::Bytes(directory)) = server.global_variable(variable) else {
            continue;
        };
        let directory = String::from_utf8_lossy(&directory).trim_end_matches('/').to_string();
        let rest = path.strip_prefix(&directory).filter(|_| !directory.is_empty());
        if let Some(rest) = rest.filter(|rest| rest.starts_with('/')) {
            return Ok(format!("@@{variable}{rest}"));
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_statement_keeps_its_beginning_and_its_end() {
        assert_eq!(shortened_statement("SELECT ?"), "SELECT ?");
        let long = format!("SELECT {} FROM `t`", "`a` , ".repeat(30));
        let short = shortened_statement(&long);
        assert!(short.starts_with("SELECT `a`") && short.ends_with("FROM `t`"), "{short}");
        assert!(short.contains(" ... ") && short.chars().count() == 65, "{short}");
    }
}
