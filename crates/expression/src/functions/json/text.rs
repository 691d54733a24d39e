//! JSON documents laid out again as texts: JSON_COMPACT, JSON_LOOSE, JSON_DETAILED; and
//! JSON_NORMALIZE and JSON_EQUALS, which compare them as such (MariaDB; not in MySQL but for
//! JSON_PRETTY).
//!
//! Names and numbers stay as they were written, and where they stood: only the space between them
//! changes.
//!
//! Invariants
//! 1. Memory for the result is taken before it is made: deep documents grow by their indents.
//!
//! Not here: what a normal document is (`json::normal`), functions on documents as trees
//! (`json::calls`).

use serde::de::IgnoredAny;
use values::ErrorCode;

use crate::functions::call::{Call, whole};
use crate::functions::json::normal::normal;
use crate::functions::text::calls::{made, texts_of};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};

/// How deep documents may be that are laid out as texts, of which no tree is made.
const DEPTH_MAX: usize = 128;
/// Spaces of an indent, if nobody says how many, and the most.
const INDENT: i64 = 4;
const INDENT_MAX: i64 = 8;
/// A normal document, with the pieces that it is put together of, is so many times as long as its
/// text: `1` becomes `1.0E0`.
const NORMAL_GROWTH: usize = 16;

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    use Function as F;
    let (comma, colon): (&[u8], &[u8]) = match function {
        F::JsonCompact => (b",", b":"),
        F::JsonLoose => (b", ", b": "),
        F::JsonDetailed => (b",", b": "),
        F::JsonNormalize | F::JsonEquals => (b",", b":"),
        _ => return Err(Error::unknown_function(function.name())),
    };
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(arguments, cells, scope, &mut buffers);
    let documents = if function == F::JsonEquals { 2 } else { 1 };
    for (at, text) in texts[..documents].iter().enumerate() {
        if !is_document(function, at, text, scope) {
            return Ok(NULL);
        }
    }
    let text = texts[0];
    if matches!(function, F::JsonNormalize | F::JsonEquals) {
        let bytes = texts.iter().map(|text| text.len()).fold(0, usize::saturating_add);
        let _work = scope.limits.take(bytes.saturating_mul(NORMAL_GROWTH))?;
        let document = normal(text);
        return Ok(match function {
            F::JsonEquals => Cell::truth(document == normal(texts[1])),
            _ => Cell::Owned(document),
        });
    }
    let indent = match function {
        F::JsonDetailed => {
            let asked = cells.get(1).map_or(Some(INDENT), |cell| whole(cell, scope));
            Some(asked.unwrap_or(0).clamp(0, INDENT_MAX) as usize)
        }
        _ => None,
    };
    let write = |each: &mut dyn FnMut(&[u8])| match indent {
        Some(indent) => write_detailed(text, indent, each),
        None => tokens(text).for_each(|token| match token {
            b"," => each(comma),
            b":" => each(colon),
            other => each(other),
        }),
    };
    let mut bytes = 0usize;
    write(&mut |piece| bytes = bytes.saturating_add(piece.len()));
    made(function, bytes, scope, || {
        let mut out = Vec::with_capacity(bytes);
        write(&mut |piece| out.extend_from_slice(piece));
        out
    })
}

/// Whether an argument is a document; a warning says why not.
fn is_document(function: Function, at: usize, text: &[u8], scope: &Scope<'_>) -> bool {
    let where_ = || format!("argument {} to function '{}'", at + 1, function.name().to_lowercase());
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(text) {
        if error.is_eof() {
            scope.warn(ErrorCode::JsonEndOfText, || {
                format!("Unexpected end of JSON text in {}", where_())
            });
        } else {
            let lines = text.split_inclusive(|byte| *byte == b'\n');
            let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
            let position = before + error.column();
            let message =
                || format!("Syntax error in JSON text in {} at position {position}", where_());
            scope.warn(ErrorCode::JsonSyntax, message);
        }
        return false;
    }
    let (mut depth, mut deepest) = (0usize, 0);
    for token in tokens(text) {
        match token {
            b"[" | b"{" => depth += 1,
            b"]" | b"}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > DEPTH_MAX {
        scope.warn(ErrorCode::JsonDepth, || {
            format!(
                "Limit of {DEPTH_MAX} on JSON nested structures depth is reached in {}",
                where_()
            )
        });
    }
    deepest <= DEPTH_MAX
}

/// The signs, texts, numbers and words of a document, without the space between them.
pub(crate) fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        let end = match rest.first()? {
            b'"' => {
                let mut end = 1;
                while let Some(byte) = rest.get(end).filter(|byte| **byte != b'"') {
                    end += if *byte == b'\\' { 2 } else { 1 };
                }
                end + 1
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            _ => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b"{}[],:\"".contains(byte);
                rest.iter().position(ends).unwrap_or(rest.len())
            }
        };
        let (token, behind) = rest.split_at(end.min(rest.len()));
        rest = behind;
        Some(token)
    })
}

/// A member or an element on each line, as MariaDB has it: an array of nothing or of one single
/// value stays on its line, an object of nothing takes two, and an object or array that is a
/// member's value begins on a line of its own.
fn write_detailed(text: &[u8], indent: usize, each: &mut dyn FnMut(&[u8])) {
    const SPACES: [u8; DEPTH_MAX * INDENT_MAX as usize] = [b' '; DEPTH_MAX * INDENT_MAX as usize];
    let line = |depth: usize, each: &mut dyn FnMut(&[u8])| {
        each(b"\n");
        each(&SPACES[..depth * indent]);
    };
    let mut depth = 0;
    let mut tokens = tokens(text).peekable();
    while let Some(token) = tokens.next() {
        match token {
            b"[" => {
                each(b"[");
                let Some(first) = tokens.next_if(|next| !matches!(*next, b"[" | b"{")) else {
                    depth += 1;
                    line(depth, each);
                    continue;
                };
                let is_single = first != b"]" && tokens.peek() == Some(&&b"]"[..]);
                if first != b"]" && !is_single {
                    depth += 1;
                    line(depth, each);
                }
                each(first);
                if is_single {
                    tokens.next();
                    each(b"]");
                }
            }
            b"{" => {
                each(b"{");
                depth += 1;
                if tokens.peek() != Some(&&b"}"[..]) {
                    line(depth, each);
                }
            }
            b"]" | b"}" => {
                depth -= 1;
                line(depth, each);
                each(token);
            }
            b"," => {
                each(b",");
                line(depth, each);
            }
            b":" => {
                each(b": ");
                if matches!(tokens.peek(), Some(&b"[" | &b"{")) {
                    line(depth, each);
                }
            }
            other => each(other),
        }
    }
}
