//! The scanner itself: walks over a statement once, writes its shape and takes literals out.
//!
//! Not here: numbers, strings and names (`literals`), what the result is for (`scan`).

use values::{CharacterSet, SqlMode};

use super::comment::{is_dash_comment, skip_blank, skip_space};
use super::{Literal, Scanned, is_word, leading_word, syntax_at, unescape};
use crate::error::{Error, Result};

/// Which part of a statement the scanner is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Literals stay: the SELECT list, ORDER BY, GROUP BY.
    Keep,
    /// Literals are taken out.
    Take,
    /// As `Take`, and rows of VALUES are counted.
    Values,
}

/// A walk over one statement.
pub(super) struct Scanner<'a, 'b> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    pub(super) out: &'b mut Scanned,
    pub(super) part: Part,
    pub(super) select: bool,
    /// Whether this is the SELECT list.
    pub(super) listing: bool,
    /// Whether these are the tables of WITH, behind which a SELECT may stand.
    pub(super) with: bool,
    pub(super) insert: bool,
    pub(super) depth: u32,
    /// Depth of parentheses within which literals stay, and the part to return to.
    pub(super) kept: Option<(u32, Part)>,
    /// Where the last word of the shape starts, if the last token was a word.
    pub(super) last_word: Option<usize>,
    /// Start of the row of VALUES being scanned, and of the one before (with its end).
    pub(super) row_start: Option<usize>,
    pub(super) row_before: Option<(usize, usize)>,
    /// Whether that row holds a sub-query: one query gives all rows then, each in its place.
    pub(super) row_asks: bool,
    /// Before it a `;` ends nothing: the end of an event's body.
    pub(super) body_end: usize,
    pub(super) mode: SqlMode,
}

/// Words before a parenthesis whose literals belong to a type or set a precision.
const KEPT_CALLS: [&[u8]; 18] = [
    b"CHAR",
    b"BINARY",
    b"VARCHAR",
    b"VARBINARY",
    b"NCHAR",
    b"DECIMAL",
    b"DEC",
    b"NUMERIC",
    b"FLOAT",
    b"NOW",
    b"CURRENT_TIMESTAMP",
    b"SYSDATE",
    b"UTC_TIMESTAMP",
    b"CURTIME",
    b"DATETIME",
    b"LOCALTIME",
    b"LOCALTIMESTAMP",
    b"UTC_TIME",
];

/// Functions whose type is a matter of what their literals are: digits of a fraction, a pattern.
const TYPED_CALLS: [&[u8]; 10] = [
    b"ROUND",
    b"TRUNCATE",
    b"ADDTIME",
    b"SUBTIME",
    b"TIMEDIFF",
    b"TIME",
    b"TIMESTAMP",
    b"UNIX_TIMESTAMP",
    b"CONVERT_TZ",
    b"STR_TO_DATE",
];
/// Words before a string that make a time of it.
const TYPES_OF_TEXTS: [&[u8]; 3] = [b"DATE", b"TIME", b"TIMESTAMP"];

impl Scanner<'_, '_> {
    pub(super) fn run(&mut self) -> Result<()> {
        let literals_max = match self.out.literals_max {
            0 => usize::MAX,
            some => some,
        };
        while let Some(&byte) = self.text.get(self.at) {
            if self.out.literals.len() > literals_max {
                return Err(Error::TooLarge);
            }
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.space(),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => self.word()?,
                b'0'..=b'9' => self.number(),
                b'.' if self.text.get(self.at + 1).is_some_and(u8::is_ascii_digit)
                    && !self.follows_name() =>
                {
                    self.number()
                }
                b'\'' => self.string(b'\'')?,
                b'"' if self.mode.ansi_quotes() => self.quoted_name(b'"')?,
                b'"' => self.string(b'"')?,
                b'`' => self.quoted_name(b'`')?,
                b'@' => self.variable()?,
                b'?' => self.parameter(),
                b';' if self.at >= self.body_end => {
                    self.finish(self.at, self.at + 1);
                    return Ok(());
                }
                b'#' => self.space(),
                b'-' if is_dash_comment(self.text, self.at) => self.space(),
                b'/' if self.text.get(self.at + 1) == Some(&b'*') => {
                    let start = self.at;
                    self.space();
                    if self.at == start {
                        return Err(syntax_at(self.text, start));
                    }
                }
                b'(' => self.open(),
                b')' => self.close(),
                b',' => {
                    // Behind a row of VALUES the comma belongs to the row that follows.
                    self.push(b',');
                }
                _ => self.push(byte),
            }
        }
        self.finish(self.text.len(), self.text.len());
        Ok(())
    }

    fn finish(&mut self, end: usize, taken: usize) {
        while self.out.shape.last().is_some_and(u8::is_ascii_whitespace) {
            self.out.shape.pop();
        }
        self.out.end = end;
        self.out.taken = skip_blank(self.text, taken);
    }

    pub(super) fn push(&mut self, byte: u8) {
        self.out.shape.push(byte);
        self.last_word = None;
        self.at += 1;
    }

    /// Spaces and comments become one space, and none behind `(` or `,`, so that the way a
    /// client spaces its lists does not make further shapes.
    fn space(&mut self) {
        let start = self.at;
        self.at = skip_space(self.text, self.at);
        // The text of a SELECT list names its columns, spaces and all.
        if self.part == Part::Keep && self.listing && self.out.shape.len() > 6 {
            let spaces = &self.text[start..self.at];
            let plain = spaces.iter().all(u8::is_ascii_whitespace);
            self.out.shape.extend_from_slice(if plain { spaces } else { b" " });
            return;
        }
        if !matches!(self.out.shape.last(), None | Some(b' ' | b'(' | b',')) {
            self.out.shape.push(b' ');
        }
    }

    /// Whether the shape ends in a name or a closing parenthesis: then a point is a separator.
    fn follows_name(&self) -> bool {
        self.out.shape.last().is_some_and(|&b| is_word(b) || b == b'`' || b == b'"')
    }

    fn word(&mut self) -> Result<()> {
        let start = self.at;
        let word = leading_word(&self.text[start..]);
        // X'41', N'text', B'101' and _utf8mb4'text' are literals, not words.
        let after = self.text.get(start + word.len()).copied();
        if after == Some(b'\'') && word.len() == 1 {
            match word[0] {
                b'x' | b'X' => return self.hex_string(),
                b'b' | b'B' => return self.bit_string(),
                b'n' | b'N' => {
                    // It says its character set, as an introducer does.
                    self.push(b'N');
                    let part = std::mem::replace(&mut self.part, Part::Keep);
                    let read = self.string(b'\'');
                    self.part = part;
                    return read;
                }
                _ => {}
            }
        }
        let is_plain = |scanner: &mut Self| scanner.part != Part::Keep && scanner.introducer(word);
        if word[0] == b'_' && (is_plain(self) || self.introduced(word)?) {
            return Ok(());
        }
        self.at += word.len();
        let position = self.out.shape.len();
        self.out.shape.extend_from_slice(word);
        self.last_word = Some(position);
        if word.len() >= 4 || self.part == Part::Values {
            self.keyword(word, position);
        }
        Ok(())
    }

    /// A sign of a user variable. Its name stays, also in quotes or of digits; a host behind the
    /// name of an account is none.
    fn variable(&mut self) -> Result<()> {
        let named = self.at > 0 && {
            let before = self.text[self.at - 1];
            is_word(before) || matches!(before, b'\'' | b'"' | b'`')
        };
        self.push(b'@');
        if named {
            return Ok(());
        }
        let part = std::mem::replace(&mut self.part, Part::Keep);
        let kept = match self.text.get(self.at) {
            Some(&quote @ (b'\'' | b'"')) => self.string(quote),
            Some(b'0'..=b'9') => {
                self.number();
                Ok(())
            }
            _ => Ok(()),
        };
        self.part = part;
        kept
    }

    /// Skips a character set introducer before a string.
    fn introducer(&mut self, word: &[u8]) -> bool {
        const UTF8: [&[u8]; 3] = [b"_utf8mb4", b"_utf8", b"_utf8mb3"];
        const BINARY: &[u8] = b"_binary";
        let next = skip_space(self.text, self.at + word.len());
        let is_binary = BINARY.eq_ignore_ascii_case(word);
        let is_plain = match self.text.get(next) {
            Some(b'\'' | b'"') => {
                is_binary || UTF8.iter().any(|set| set.eq_ignore_ascii_case(word))
            }
            Some(b'x' | b'X' | b'0') => is_binary,
            _ => false,
        };
        if is_plain {
            self.at = next;
        }
        is_plain
    }

    /// A literal behind another character set introducer stays where it is, since it means
    /// something else than the same literal by itself; whether there is one.
    fn introduced(&mut self, word: &[u8]) -> Result<bool> {
        let next = skip_space(self.text, self.at + word.len());
        let is_literal = matches!(
            self.text[next..],
            [b'\'' | b'"', ..] | [b'x' | b'X' | b'b' | b'B', b'\'', ..] | [b'0', b'x' | b'b', ..]
        );
        let set = std::str::from_utf8(&word[1..]).ok().and_then(CharacterSet::parse);
        if !is_literal || set.is_none() {
            return Ok(false);
        }
        self.out.shape.extend_from_slice(word);
        match self.part {
            // It may be part of a column's name.
            Part::Keep => self.out.shape.extend_from_slice(&self.text[self.at + word.len()..next]),
            _ => self.out.shape.push(b' '),
        }
        self.at = next;
        let part = std::mem::replace(&mut self.part, Part::Keep);
        let kept = match self.text[next] {
            quote @ (b'\'' | b'"') => self.introduced_string(quote),
            b'0' => {
                self.number();
                Ok(())
            }
            b'b' | b'B' => self.bit_string(),
            _ => self.hex_string(),
        };
        self.part = part;
        kept.map(|()| true)
    }

    /// A string behind an introducer. What is no UTF-8, as the shape has to be, is kept as digits.
    fn introduced_string(&mut self, quote: u8) -> Result<()> {
        let (start, shaped) = (self.at, self.out.shape.len());
        self.string(quote)?;
        if std::str::from_utf8(&self.out.shape[shaped..]).is_err() {
            let inside = &self.text[start + 1..self.at - 1];
            let mut bytes = Vec::with_capacity(inside.len());
            unescape(inside, quote, !self.mode.no_backslash_escapes(), &mut bytes);
            self.out.shape.truncate(shaped);
            self.out.shape.extend_from_slice(b" x'");
            self.out.shape.extend(bytes.iter().flat_map(|byte| format!("{byte:02X}").into_bytes()));
            self.out.shape.push(b'\'');
        }
        Ok(())
    }

    fn keyword(&mut self, word: &[u8], position: usize) {
        let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
        if self.part == Part::Values {
            let literal = if is(b"null") {
                Some(Literal::Null)
            } else if is(b"true") {
                Some(Literal::UInt(1))
            } else if is(b"false") {
                Some(Literal::UInt(0))
            } else {
                None
            };
            match literal {
                Some(literal) if self.depth == 1 => {
                    self.out.shape.truncate(position);
                    self.take(literal);
                }
                _ if is(b"select") => self.row_asks = true,
                _ if self.row_asks && (is(b"order") || is(b"group")) => self.keep_positions(),
                // What is given back is named as a SELECT list is.
                _ if self.depth == 0 && is(b"returning") => self.part = Part::Keep,
                _ if self.depth == 0 => self.part = Part::Take,
                _ => {}
            }
            return;
        }
        if self.kept.is_some() {
            return;
        }
        if self.depth == 0 && is(b"into") {
            self.out.into = true;
        }
        if self.with && self.depth == 0 && is(b"select") {
            (self.with, self.select, self.listing) = (false, true, true);
            self.part = Part::Keep;
        } else if self.select && is(b"from") && self.depth == 0 && self.part == Part::Keep {
            self.part = Part::Take;
            self.listing = false;
        } else if is(b"order") || is(b"group") {
            self.keep_positions();
        } else if is(b"limit") || is(b"having") || is(b"where") {
            if self.depth == 0 {
                self.part = Part::Take;
            }
        } else if !self.select && self.depth == 0 && is(b"returning") {
            self.part = Part::Keep;
        } else if self.insert
            && self.depth == 0
            && (is(b"values") || is(b"value"))
            && self.out.runs.is_empty()
        {
            // The function VALUES() of ON DUPLICATE KEY UPDATE can only come behind the rows.
            self.part = Part::Values;
        }
    }

    /// Behind ORDER or GROUP: what stands there may be positions, up to the end of the sub-query.
    fn keep_positions(&mut self) {
        if let Some(outside) = self.depth.checked_sub(1) {
            self.kept = Some((outside, self.part));
        }
        self.part = Part::Keep;
    }

    fn open(&mut self) {
        if let (Some(start), None) = (self.last_word, self.kept) {
            let word = &self.out.shape[start..];
            let is_one = |names: &[&[u8]]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
            // In the conditions of a SELECT it is values that count.
            let types_count = !self.select || self.depth > 0;
            if is_one(&KEPT_CALLS) || types_count && is_one(&TYPED_CALLS) {
                self.kept = Some((self.depth, self.part));
                self.part = Part::Keep;
            }
        }
        if self.part == Part::Values && self.depth == 0 {
            self.row_start = Some(self.out.shape.len());
        }
        self.depth += 1;
        self.push(b'(');
    }

    fn close(&mut self) {
        if self.out.shape.last() == Some(&b' ') && !self.listing {
            self.out.shape.pop();
        }
        self.push(b')');
        self.depth = self.depth.saturating_sub(1);
        if let Some((depth, part)) = self.kept
            && depth == self.depth
        {
            self.part = part;
            self.kept = None;
        }
        if self.part == Part::Values && self.depth == 0 {
            self.end_row();
        }
    }

    /// Drops a row of VALUES that looks like the one before it, with a comma between them: what
    /// else may stand there is for the parser to refuse.
    fn end_row(&mut self) {
        let Some(start) = self.row_start.take() else { return };
        if std::mem::take(&mut self.row_asks) {
            self.row_before = None;
            self.out.runs.push(1);
            return;
        }
        let (shape, row) = (&self.out.shape, (start, self.out.shape.len()));
        if let Some(before) = self.row_before
            && shape[row.0..row.1] == shape[before.0..before.1]
            && shape[before.1..row.0].trim_ascii() == b","
        {
            self.out.shape.truncate(before.1);
            if let Some(run) = self.out.runs.last_mut() {
                *run += 1;
            }
            return;
        }
        self.row_before = Some(row);
        self.out.runs.push(1);
    }

    pub(super) fn take(&mut self, literal: Literal) {
        self.out.literals.push(literal);
        self.out.shape.push(b'?');
        self.last_word = None;
    }

    fn parameter(&mut self) {
        let number = self.out.parameters();
        self.out.parameter_places.push(self.at as u32);
        self.at += 1;
        self.take(Literal::Parameter(number));
    }

    /// Whether the string that follows is a day or a time by the word before it.
    pub(super) fn follows_type(&self) -> bool {
        self.last_word.is_some_and(|start| {
            let word = self.out.shape[start..].trim_ascii_end();
            TYPES_OF_TEXTS.iter().any(|name| name.eq_ignore_ascii_case(word))
        })
    }

    pub(super) fn keep(&mut self, start: usize) {
        self.out.shape.extend_from_slice(&self.text[start..self.at]);
        self.last_word = None;
    }

    pub(super) fn syntax(&self, at: usize) -> Error {
        syntax_at(self.text, at)
    }
}
