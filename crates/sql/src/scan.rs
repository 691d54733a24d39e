//! The statement scanner: finds where a statement ends and separates its shape from its literals,
//! so that `WHERE id = 1` and `WHERE id = 2` share one plan, and nothing is parsed twice.
//!
//! ```text
//! text   INSERT INTO t VALUES (1,'a'), (2,'b')
//! shape  INSERT INTO t VALUES (?,?)          runs [2]      literals 1 'a' 2 'b'
//! ```
//!
//! Invariants
//! 1. The shape is a statement that the parser understands like the text, with `?` for each
//!    literal that was taken out; the literals stand in the order of their `?`.
//! 2. Literals whose text matters to the meaning stay in the shape: everything between SELECT
//!    and FROM (it names columns), ORDER BY and GROUP BY (positions), lengths of types.
//! 3. Rows of VALUES that have the same shape as the row before them are not repeated: `runs`
//!    counts them, one entry per row that is in the shape.
//!
//! Not here: parsing (`parse`), what the plans are (`plan`).

mod literals;
#[cfg(test)]
mod tests;

use rows::datum::Datum;
use rows::decimal::Decimal;

use crate::error::{Result, SqlError};
use crate::mode::SqlMode;

/// A literal taken out of a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// NULL (only within VALUES).
    Null,
    /// An integer.
    UInt(u64),
    /// A number with a point, or an integer beyond 64 bits.
    Decimal(Decimal),
    /// A number with an exponent.
    Double(f64),
    /// A string without escapes: where it stands in the text.
    Text(u32, u32),
    /// A string with escapes, or a hexadecimal one: where it stands in the arena.
    Arena(u32, u32),
    /// A `?` of the client's own: its number.
    Parameter(u16),
}

/// A scanned statement. Reused from statement to statement.
#[derive(Debug, Default)]
pub struct Scanned {
    /// The statement with `?` for its literals.
    pub shape: Vec<u8>,
    /// The literals, in order.
    pub literals: Vec<Literal>,
    /// Strings that do not stand in the text as they are.
    pub arena: Vec<u8>,
    /// How often each row in the shape's VALUES is repeated in the text.
    pub runs: Vec<u32>,
    /// How many `?` the client's text has.
    pub parameters: u16,
    /// Where the statement begins and ends in the text, without `;`.
    pub start: usize,
    /// End of the statement.
    pub end: usize,
    /// Bytes of the text that belong to the statement, with `;` and the spaces and comments
    /// behind it.
    pub taken: usize,
    /// Literals that it may have; 0: any number.
    pub literals_max: usize,
}

/// Which part of a statement the scanner is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Literals stay: the SELECT list, ORDER BY, GROUP BY.
    Keep,
    /// Literals are taken out.
    Take,
    /// As `Take`, and rows of VALUES are counted.
    Values,
}

struct Scanner<'a, 'b> {
    text: &'a [u8],
    at: usize,
    out: &'b mut Scanned,
    part: Part,
    select: bool,
    /// Whether this is the SELECT list.
    listing: bool,
    insert: bool,
    depth: u32,
    /// Depth of parentheses within which literals stay, and the part to return to.
    kept: Option<(u32, Part)>,
    /// Where the last word of the shape starts, if the last token was a word.
    last_word: Option<usize>,
    /// Start of the row of VALUES being scanned, and of the one before (with its end).
    row_start: usize,
    row_before: Option<(usize, usize)>,
    mode: SqlMode,
}

/// Memory of a parsed statement for each word or sign of it: measured for a long IN list.
const PARSED_BYTES: usize = 400;
/// The same for each literal taken out of it: kept twice, in lists that double.
const LITERAL_BYTES: usize = 4 * size_of::<Literal>();
/// Statements of less memory are not accounted for.
const SMALL_STATEMENT_BYTES: usize = 1 << 20;

impl Scanned {
    /// A scanner of statements that may take so much memory.
    pub fn within(bytes_max: usize) -> Scanned {
        Scanned { literals_max: (bytes_max / LITERAL_BYTES).max(1), ..Scanned::default() }
    }

    /// Memory that carrying the statement out takes besides its text, about; 0 when it is small.
    pub fn memory_bytes(&self) -> usize {
        let literals = self.literals.len() * LITERAL_BYTES + self.arena.len();
        if literals + self.shape.len() * PARSED_BYTES < SMALL_STATEMENT_BYTES {
            return 0;
        }
        // What stands in quotes is one word, however long.
        let mut quote = None;
        let mut words = 0;
        for byte in &self.shape {
            match quote {
                Some(open) if open == byte => quote = None,
                Some(_) => {}
                None => {
                    words += 1;
                    quote = Some(byte).filter(|byte| matches!(byte, b'\'' | b'"' | b'`'));
                }
            }
        }
        literals + self.shape.len() + words * PARSED_BYTES
    }

    /// Gives the memory of an unusually large statement back.
    pub fn shrink(&mut self) {
        if self.memory_bytes() > 0 || self.shape.capacity() + self.arena.capacity() > (1 << 16) {
            *self = Scanned { literals_max: self.literals_max, ..Scanned::default() };
        }
    }

    /// Scans the first statement of `text`.
    pub fn scan(&mut self, text: &[u8], mode: SqlMode) -> Result<()> {
        self.shape.clear();
        self.literals.clear();
        self.arena.clear();
        self.runs.clear();
        self.parameters = 0;
        let start = skip_space(text, 0);
        self.start = start;
        let word = leading_word(&text[start..]);
        let select = word.eq_ignore_ascii_case(b"select");
        let insert = word.eq_ignore_ascii_case(b"insert") || word.eq_ignore_ascii_case(b"replace");
        let mut scanner = Scanner {
            text,
            at: start,
            out: self,
            part: if select { Part::Keep } else { Part::Take },
            select,
            listing: select,
            insert,
            depth: 0,
            kept: None,
            last_word: None,
            row_start: 0,
            row_before: None,
            mode,
        };
        scanner.run()
    }

    /// The literals as datums, `parameters` in the client's places.
    pub fn datums<'a>(
        &'a self,
        text: &'a [u8],
        parameters: &[Datum<'a>],
        into: &mut Vec<Datum<'a>>,
    ) {
        for literal in &self.literals {
            into.push(match *literal {
                Literal::Null => Datum::Null,
                Literal::UInt(v) => match i64::try_from(v) {
                    Ok(v) => Datum::Int(v),
                    Err(_) => Datum::UInt(v),
                },
                Literal::Decimal(v) => Datum::Decimal(v),
                Literal::Double(v) => Datum::Double(v),
                Literal::Text(start, end) => Datum::Bytes(&text[start as usize..end as usize]),
                Literal::Arena(start, end) => {
                    Datum::Bytes(&self.arena[start as usize..end as usize])
                }
                Literal::Parameter(n) => {
                    parameters.get(usize::from(n)).copied().unwrap_or(Datum::Null)
                }
            });
        }
    }
}

/// Position behind spaces and comments (those that MySQL executes do not count as comments).
pub fn skip_space(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => at += 1,
            Some(b'#') => at = end_of_line(text, at),
            Some(b'-') if is_dash_comment(text, at) => at = end_of_line(text, at),
            Some(b'/') if text.get(at + 1) == Some(&b'*') => {
                match memchr::memmem::find(&text[at + 2..], b"*/") {
                    Some(end) => at += 2 + end + 2,
                    None => return text.len(),
                }
            }
            _ => return at,
        }
    }
}

fn is_dash_comment(text: &[u8], at: usize) -> bool {
    text.get(at + 1) == Some(&b'-') && text.get(at + 2).is_none_or(|b| b.is_ascii_whitespace())
}

fn end_of_line(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n + 1)
}

/// The letters at the front.
pub fn leading_word(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&b| !is_word(b)).unwrap_or(text.len());
    &text[..end]
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
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

impl Scanner<'_, '_> {
    fn run(&mut self) -> Result<()> {
        let literals_max = match self.out.literals_max {
            0 => usize::MAX,
            some => some,
        };
        while let Some(&byte) = self.text.get(self.at) {
            if self.out.literals.len() > literals_max {
                return Err(SqlError::statement_too_large());
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
                b'?' => self.parameter(),
                b';' => {
                    self.finish(self.at, self.at + 1);
                    return Ok(());
                }
                b'#' => self.space(),
                b'-' if is_dash_comment(self.text, self.at) => self.space(),
                b'/' if self.text.get(self.at + 1) == Some(&b'*') => self.space(),
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
        self.out.taken = skip_space(self.text, taken);
    }

    fn push(&mut self, byte: u8) {
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
                    self.at += 1;
                    return self.string(b'\'');
                }
                _ => {}
            }
        }
        if word[0] == b'_' && self.part != Part::Keep && self.introducer(word) {
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

    /// Skips a character set introducer before a string.
    fn introducer(&mut self, word: &[u8]) -> bool {
        const SETS: [&[u8]; 6] =
            [b"_utf8mb4", b"_utf8", b"_utf8mb3", b"_binary", b"_latin1", b"_ascii"];
        let next = skip_space(self.text, self.at + word.len());
        let known = SETS.iter().any(|set| set.eq_ignore_ascii_case(word));
        if known && matches!(self.text.get(next), Some(b'\'' | b'"' | b'x' | b'X' | b'0')) {
            self.at = next;
            return true;
        }
        false
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
                _ if self.depth == 0 => self.part = Part::Take,
                _ => {}
            }
            return;
        }
        if self.kept.is_some() {
            return;
        }
        if self.select && is(b"from") && self.depth == 0 && self.part == Part::Keep {
            self.part = Part::Take;
            self.listing = false;
        } else if is(b"order") || is(b"group") {
            self.part = Part::Keep;
        } else if is(b"limit") || is(b"having") || is(b"where") {
            if self.depth == 0 {
                self.part = Part::Take;
            }
        } else if self.insert
            && self.depth == 0
            && (is(b"values") || is(b"value"))
            && !self.is_call(self.at)
            && self.out.runs.is_empty()
        {
            self.part = Part::Values;
        }
    }

    /// Whether `VALUES` here is the function of ON DUPLICATE KEY UPDATE: it can only come after
    /// the list of rows, so the first one never is.
    fn is_call(&self, _at: usize) -> bool {
        false
    }

    fn open(&mut self) {
        if let (Some(start), None) = (self.last_word, self.kept) {
            let word = &self.out.shape[start..];
            if KEPT_CALLS.iter().any(|name| name.eq_ignore_ascii_case(word)) {
                self.kept = Some((self.depth, self.part));
                self.part = Part::Keep;
            }
        }
        if self.part == Part::Values && self.depth == 0 {
            self.row_start = self.out.shape.len();
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

    /// Drops a row of VALUES that looks like the one before it.
    fn end_row(&mut self) {
        let row = (self.row_start, self.out.shape.len());
        if let Some(before) = self.row_before
            && self.out.shape[row.0..row.1] == self.out.shape[before.0..before.1]
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

    fn take(&mut self, literal: Literal) {
        self.out.literals.push(literal);
        self.out.shape.push(b'?');
        self.last_word = None;
    }

    fn parameter(&mut self) {
        let number = self.out.parameters;
        self.out.parameters = number.saturating_add(1);
        self.at += 1;
        self.take(Literal::Parameter(number));
    }

    fn keep(&mut self, start: usize) {
        self.out.shape.extend_from_slice(&self.text[start..self.at]);
        self.last_word = None;
    }

    fn syntax(&self, at: usize) -> SqlError {
        syntax_at(self.text, at)
    }
}

/// Error 1064 at a position of the text.
pub fn syntax_at(text: &[u8], at: usize) -> SqlError {
    let at = at.min(text.len());
    let line = 1 + memchr::memchr_iter(b'\n', &text[..at]).count() as u64;
    SqlError::syntax(&String::from_utf8_lossy(&text[at..]), line)
}

/// Undoes MySQL's escapes in the inside of a string literal.
pub fn unescape(inside: &[u8], quote: u8, backslash: bool, out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = inside.get(at) {
        at += 1;
        if byte == quote {
            at += 1;
            out.push(quote);
        } else if byte == b'\\' && backslash {
            let Some(&next) = inside.get(at) else { break };
            at += 1;
            match next {
                b'0' => out.push(0),
                b'n' => out.push(b'\n'),
                b't' => out.push(b'\t'),
                b'r' => out.push(b'\r'),
                b'b' => out.push(8),
                b'Z' => out.push(26),
                // These two stay escaped: LIKE undoes them itself.
                b'%' | b'_' => out.extend([b'\\', next]),
                other => out.push(other),
            }
        } else {
            out.push(byte);
        }
    }
}

/// The version that this server claims for `/*!80036 ... */`, as MySQL writes it.
const VERSION_NUMBER: u32 = 80_036;
/// `/*!999999 ... */`: what only Rowhouse executes, because no other server is as new.
const OURS: u32 = 999_999;

/// Makes the statements in `/*! ... */` and `/*!50003 ... */` part of the text, by blanking the
/// marks; `None` when there are none, which is the usual case. Those of a newer version stay
/// comments, except `/*!999999 ... */`.
pub fn open_version_comments(text: &[u8]) -> Option<Vec<u8>> {
    memchr::memmem::find(text, b"/*!")?;
    let mut out = text.to_vec();
    let mut at = 0;
    let mut quote = None;
    while at < out.len() {
        match (quote, out[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(q), byte) if byte == q => quote = None,
            (None, byte @ (b'\'' | b'"' | b'`')) => quote = Some(byte),
            (None, b'/') if out[at..].starts_with(b"/*!") => {
                let Some(end) = memchr::memmem::find(&out[at..], b"*/") else {
                    break;
                };
                let digits =
                    out[at + 3..].iter().take(6).take_while(|b| b.is_ascii_digit()).count();
                if is_executed(&out[at + 3..at + end], digits) {
                    out[at..at + 3 + digits].fill(b' ');
                    out[at + end..at + end + 2].fill(b' ');
                } else {
                    at += end + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    Some(out)
}

/// Whether a comment that begins with a version of so many digits is part of the text.
fn is_executed(comment: &[u8], digits: usize) -> bool {
    let number = std::str::from_utf8(&comment[..digits]).ok().and_then(|text| text.parse().ok());
    match number {
        // MariaDB's dumps begin with `/*!999999\- enable the sandbox mode */`.
        Some(OURS) => comment.get(digits).is_some_and(u8::is_ascii_whitespace),
        Some(number) => number <= VERSION_NUMBER,
        None => true,
    }
}
