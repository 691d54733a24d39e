//! Regular expressions: REGEXP and the functions REGEXP_LIKE, _INSTR, _SUBSTR and _REPLACE (MySQL
//! 8.0 manual, 14.8.2).
//!
//! Patterns are those of the crate `regex`, whose time grows with text and pattern alone: there is
//! neither `\1` within a pattern nor looking ahead or behind. The word bounds of older servers,
//! `[[:<:]]` and `[[:>:]]`, are understood.
//!
//! Invariants
//! 1. In an event loop no pattern is compiled or searched for that may take long.
//! 2. A search ends when its statement is to end.
//!
//! Not here: how patterns are compiled, kept, and searched for (`values::pattern`), LIKE
//! (`values::collation`).

use std::ops::Range;

use values::ErrorCode;
use values::pattern::{
    CompiledPattern, Pattern, PatternError, PatternFault, PatternSearch, SearchEnd,
};
use values::types::Collation;

use crate::functions::call::{Call, int, whole};
use crate::functions::text::calls::{count, locate_rule, made, offset, texts_of};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    use Function as F;
    // Where the position to begin at and the options stand among the arguments.
    let (position_at, options_at) = match function {
        F::RegexpLike => (usize::MAX, 2),
        F::RegexpSubstr => (2, 4),
        F::RegexpInstr => (2, 5),
        F::RegexpReplace => (3, 5),
        _ => return Err(Error::unknown_function(function.name())),
    };
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(arguments, cells, scope, &mut buffers);
    let number = |n: usize, default: i64| match cells.get(n) {
        Some(cell) => whole(cell, scope).unwrap_or(default),
        None => default,
    };
    let rule = locate_rule(&arguments[..2]);
    let options = texts.get(options_at).copied().unwrap_or_default();
    let pattern = compiled(texts[1], options, rule, scope)?;
    let text = texts[0];
    let factor = texts[1].len().max(pattern.repeated_states());
    scope.limits.search(text.len().saturating_mul(factor))?;
    let mut search = pattern.search(text);
    let _memory = scope.limits.take(search.bytes())?;
    let ended = |end| end_of(end, scope);
    let binary = rule == Collation::Binary;
    let start = start_of(text, number(position_at, 1), binary)?;
    let occurrence = |at: usize| usize::try_from(number(at, 1).max(1) - 1).unwrap_or(usize::MAX);
    Ok(match function {
        F::RegexpLike => Cell::truth(search.is_match().map_err(ended)?),
        F::RegexpInstr => {
            let found = nth_match(&mut search, text, start, occurrence(3)).map_err(ended)?;
            let place = found.map(|found| match number(4, 0) {
                0 => found.start,
                1 => found.end,
                _ => usize::MAX,
            });
            match place {
                None => int(0),
                Some(usize::MAX) => {
                    let message =
                        "Incorrect arguments to regexp_instr: return_option must be 1 or 0.";
                    return Err(Error::new(ErrorCode::WrongArguments, message));
                }
                Some(at) => int(count(&text[..at], binary) as i64 + 1),
            }
        }
        F::RegexpSubstr => {
            match nth_match(&mut search, text, start, occurrence(3)).map_err(ended)? {
                Some(found) => Cell::Owned(text[found].to_vec()),
                None => NULL,
            }
        }
        _ => {
            let only = match number(4, 0) {
                0 => None,
                number => Some(usize::try_from(number.max(1) - 1).unwrap_or(usize::MAX)),
            };
            let replaced = replaced(&mut search, text, texts[2], start, only, scope)?;
            made(function, replaced.len(), scope, || replaced)?
        }
    })
}

/// Where the character of a position begins; the one behind the last has a place, too.
fn start_of(text: &[u8], position: i64, binary: bool) -> Result<usize> {
    let before = usize::try_from(position.saturating_sub(1)).ok();
    match before.filter(|before| *before <= count(text, binary)) {
        Some(before) => Ok(offset(text, before, binary)),
        None => Err(out_of_bounds()),
    }
}

fn out_of_bounds() -> Error {
    Error::new(
        ErrorCode::RegexpIndexOutofbounds,
        "Index out of bounds in regular expression search.",
    )
}

/// The match behind so many others from a place on.
fn nth_match(
    search: &mut PatternSearch<'_, '_>,
    text: &[u8],
    start: usize,
    number: usize,
) -> std::result::Result<Option<Range<usize>>, SearchEnd> {
    let (mut at, mut before) = (start, 0);
    while at <= text.len()
        && let Some(found) = search.find_at(at)?
    {
        if before == number {
            return Ok(Some(found));
        }
        before += 1;
        at = behind(text, found.start, found.end);
    }
    Ok(None)
}

/// The error of a search without an answer.
fn end_of(end: SearchEnd, scope: &Scope<'_>) -> Error {
    match end {
        SearchEnd::TakesTooLong => {
            Error::new(ErrorCode::RegexpTimeOut, "Timeout exceeded in regular expression match.")
        }
        // Whoever ended it without the statement's own mark does not look at the error.
        SearchEnd::Interrupted => scope.limits.check().err().unwrap_or_else(|| {
            Error::new(ErrorCode::QueryInterrupted, "Query execution was interrupted")
        }),
    }
}

/// Where the search goes on behind a match: an empty one is not found again.
fn behind(text: &[u8], start: usize, end: usize) -> usize {
    match start == end {
        false => end,
        true => end + offset(&text[end..], 1, false).max(1),
    }
}

/// The text with all matches from a place on replaced, or with one of them.
fn replaced(
    search: &mut PatternSearch<'_, '_>,
    text: &[u8],
    with: &[u8],
    start: usize,
    only: Option<usize>,
    scope: &Scope<'_>,
) -> Result<Vec<u8>> {
    let bytes_max = scope.limits.value_bytes_max();
    let mut out = Vec::with_capacity(text.len());
    let (mut copied, mut at, mut number) = (0, start, 0);
    let has_groups = with.contains(&b'$');
    let mut groups = Vec::new();
    while at <= text.len() {
        if has_groups {
            search.groups_at(at, &mut groups).map_err(|end| end_of(end, scope))?;
        } else {
            groups.clear();
            groups.push(search.find_at(at).map_err(|end| end_of(end, scope))?);
        }
        let Some(Some(whole)) = groups.first().cloned() else { break };
        if only.is_none_or(|only| only == number) {
            out.extend_from_slice(&text[copied..whole.start]);
            expand(text, &groups, with, &mut out)?;
            copied = whole.end;
            // What is longer than may be is not made to its end.
            if only.is_some() || out.len() > bytes_max {
                break;
            }
        }
        number += 1;
        at = behind(text, whole.start, whole.end);
        scope.limits.check()?;
    }
    out.extend_from_slice(&text[copied..]);
    Ok(out)
}

/// Appends a replacement: `$1` is what the first group matched, `\` takes the next character as it
/// is.
fn expand(
    text: &[u8],
    groups: &[Option<Range<usize>>],
    with: &[u8],
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut at = 0;
    while let Some(&byte) = with.get(at) {
        at += 1;
        match (byte, with.get(at)) {
            (b'\\', Some(&next)) => {
                out.push(next);
                at += 1;
            }
            (b'$', Some(b'0'..=b'9')) => {
                // As many digits as still name a group.
                let mut group = 0;
                let mut digits = 0;
                while let Some(digit @ b'0'..=b'9') = with.get(at) {
                    let longer = group * 10 + usize::from(digit - b'0');
                    if longer >= groups.len() && digits > 0 {
                        break;
                    }
                    (group, digits, at) = (longer, digits + 1, at + 1);
                }
                if group >= groups.len() {
                    return Err(out_of_bounds());
                }
                if let Some(place) = &groups[group] {
                    out.extend_from_slice(&text[place.clone()]);
                }
            }
            _ => out.push(byte),
        }
    }
    Ok(())
}

/// Whether a pattern, whose letters have their case, is found in a text.
///
/// # Errors
/// 3685 to 3697 for what is no pattern; those of what a search may cost.
pub(crate) fn is_found(pattern: &str, text: &str, scope: &Scope<'_>) -> Result<bool> {
    let compiled = compiled(pattern.as_bytes(), b"", Collation::Utf8Mb4Bin, scope)?;
    let factor = pattern.len().max(compiled.repeated_states());
    scope.limits.search(text.len().saturating_mul(factor))?;
    let mut search = compiled.search(text.as_bytes());
    let _memory = scope.limits.take(search.bytes())?;
    search.is_match().map_err(|end| end_of(end, scope))
}

fn compiled(
    pattern: &[u8],
    options: &[u8],
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<CompiledPattern> {
    let mut wanted = Pattern {
        text: pattern.to_vec(),
        folds: rule.is_case_insensitive(),
        multi_line: false,
        dot_is_all: false,
        unicode_classes: true,
    };
    for option in options {
        match option {
            b'c' => wanted.folds = false,
            b'i' => wanted.folds = true,
            b'm' => wanted.multi_line = true,
            b'n' => wanted.dot_is_all = true,
            // Only `\n` ends a line here in any case.
            b'u' => {}
            _ => {
                return Err(Error::new(
                    ErrorCode::WrongArguments,
                    "Incorrect arguments to regexp_like",
                ));
            }
        }
    }
    if wanted.text.is_empty() {
        return Err(Error::new(
            ErrorCode::RegexpIllegalArgument,
            "Illegal argument to a regular expression.",
        ));
    }
    wanted.compiled(&mut |bytes| {
        scope.limits.check()?;
        scope.limits.take(bytes)
    })
}

impl From<PatternError> for Error {
    fn from(error: PatternError) -> Error {
        match error {
            PatternError::TooBig => Error::new(
                ErrorCode::RegexpPatternTooBig,
                "The regular expression pattern exceeds limits on size or complexity.",
            ),
            PatternError::Illegal(fault, why) => of_fault(fault, &why),
        }
    }
}

/// Whether an error says that a pattern is none.
pub(crate) fn is_fault(code: ErrorCode) -> bool {
    use ErrorCode as E;
    matches!(
        code,
        E::RegexpIllegalArgument
            | E::RegexpRuleSyntax
            | E::RegexpBadEscapeSequence
            | E::RegexpUnimplemented
            | E::RegexpMismatchedParen
            | E::RegexpBadInterval
            | E::RegexpMaxLtMin
            | E::RegexpMissingCloseBracket
            | E::RegexpInvalidRange
            | E::RegexpNumberTooBig
    )
}

/// In MySQL's numbers and words; of what its engine has and ours has not in our own.
fn of_fault(fault: PatternFault, why: &str) -> Error {
    let (code, message) = match fault {
        PatternFault::Syntax(character) => {
            let message =
                format!("Syntax error in regular expression on line 1, character {character}.");
            return Error::new(ErrorCode::RegexpRuleSyntax, message);
        }
        PatternFault::Unimplemented => {
            let message = format!("Illegal regular expression: {why}");
            return Error::new(ErrorCode::RegexpUnimplemented, message);
        }
        PatternFault::Parenthesis => {
            (ErrorCode::RegexpMismatchedParen, "Mismatched parenthesis in regular expression.")
        }
        PatternFault::Bracket => (
            ErrorCode::RegexpMissingCloseBracket,
            "The regular expression contains an unclosed bracket expression.",
        ),
        PatternFault::Range => (
            ErrorCode::RegexpInvalidRange,
            "The regular expression contains an [x-y] character range where x comes after y.",
        ),
        PatternFault::Interval => {
            (ErrorCode::RegexpBadInterval, "Incorrect description of a {min,max} interval.")
        }
        PatternFault::IntervalOrder => (
            ErrorCode::RegexpMaxLtMin,
            "The maximum is less than the minumum in a {min,max} interval.",
        ),
        PatternFault::Number => {
            (ErrorCode::RegexpNumberTooBig, "Decimal number in regular expression is too large.")
        }
        PatternFault::Escape => (
            ErrorCode::RegexpBadEscapeSequence,
            "Unrecognized escape sequence in regular expression.",
        ),
        PatternFault::Class => {
            (ErrorCode::RegexpIllegalArgument, "Illegal argument to a regular expression.")
        }
    };
    Error::new(code, message)
}
