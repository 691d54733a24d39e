//! STATEMENT_DIGEST and STATEMENT_DIGEST_TEXT: what a statement's digest would be, if it were
//! carried out.
//!
//! Invariants
//! 1. A text has a digest when this server reads it as a statement, as in MySQL; it is not bound,
//!    so that its tables need not be there.
//!
//! Not here: the text's rules (`syntax::digest`), digests of statements that were carried out
//! (`digests`).

use expression::{Error, Result};
use syntax::Cursor;
use syntax::change::change;
use syntax::digest::digest_text;
use syntax::scan::{
    Scanned, open_version_comments, skip_space, statement_word, syntax_at, without_ends,
};
use syntax::statement::statement;
use values::{ErrorCode, SqlMode};

use super::digests::digest_of_text;

/// A statement's digest in hexadecimal digits, and its text.
///
/// # Errors
/// 3676 where it is no statement.
pub(super) fn digested(text: &[u8], mode: SqlMode) -> Result<(String, String)> {
    let refused = |message: &str| {
        let message = format!("Could not parse argument to digest function: \"{message}\".");
        Error::new(ErrorCode::ParseErrorInDigestFn, message)
    };
    let text = without_ends(text);
    if text.is_empty() {
        return Err(refused("Query was empty"));
    }
    let opened = open_version_comments(text, mode);
    let text = opened.as_deref().unwrap_or(text);
    check(text, mode).map_err(|error| refused(&error.to_string()))?;
    let words = digest_text(text, mode);
    Ok((digest_of_text(&words), words))
}

/// # Errors
/// 1064 where the text is no statement.
fn check(text: &[u8], mode: SqlMode) -> syntax::Result<()> {
    let mut scanned = Scanned::default();
    scanned.scan(text, mode)?;
    if let Some(place) = scanned.parameter_places.first() {
        return Err(syntax_at(text, *place as usize));
    }
    let behind = skip_space(text, scanned.taken);
    if behind < text.len() {
        return Err(syntax_at(text, behind));
    }
    // INTO is taken out of a query before it is read, by what carries it out.
    if scanned.is_empty() || scanned.into {
        return Ok(());
    }
    let own = &text[scanned.start..];
    let shape = std::str::from_utf8(own).map_err(|_| syntax_at(text, scanned.start))?;
    let mut cursor = Cursor::new(shape, mode)?;
    let word = statement_word(own);
    let is = |names: &[&[u8]]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    if is(&[b"select", b"with", b"values", b"table"]) || own.first() == Some(&b'(') {
        cursor.query()?;
        cursor.expect_end()
    } else if is(&[b"insert", b"replace", b"update", b"delete"]) {
        change(&mut cursor).map(drop)
    } else {
        statement(&mut cursor).map(drop)
    }
}
