//! The statement scanner: finds where a statement ends and separates its shape from its literals,
//! so that `WHERE id = 1` and `WHERE id = 2` share one plan, and nothing is parsed twice.
//!
//! ```text
//! text   INSERT INTO t VALUES (1,'a'), (2,'b')
//! shape  INSERT INTO t VALUES (?,?)          runs [2]      literals 1 'a' 2 'b'
//! ```
//!
//! Invariants
//! 1. The shape is a statement that the parser understands like the text, with `?` for each literal
//!    that was taken out; the literals stand in the order of their `?`.
//! 2. Literals whose text matters to the meaning stay in the shape: everything between SELECT and
//!    FROM (it names columns), ORDER BY and GROUP BY (positions), lengths of types.
//! 3. A literal of hexadecimal digits or bits is bytes or a number, as its user wants: it stays in
//!    the shape, or its `?` is marked there (`DIGITS_MARK`).
//! 4. Rows of VALUES that have the same shape as the row before them are not repeated, unless they
//!    hold sub-queries: `runs` counts them, one entry per row that is in the shape.
//!
//! Not here: parsing (`statement`), what the plans are (crate `sql`, `plan`).

pub mod client_text;
mod comment;
pub mod compound;
mod literals;
mod long_lists;
mod shape;
#[cfg(test)]
mod tests;

use values::datum::Datum;
use values::decimal::Decimal;

pub use comment::{open_version_comments, skip_blank, skip_space, without_ends};
pub(crate) use long_lists::{BYTES_LIST_MARK, LIST_MARK};
use shape::{Part, Scanner};
use values::SqlMode;

use crate::error::{Error, Result};

/// Stands in the shape behind the `?` of a literal that is bytes or a number: the base of its
/// digits.
pub(crate) const DIGITS_MARK: &[u8] = b"16";
/// Stands there behind that of a literal that is bytes and no number: it has too many digits.
pub(crate) const BYTES_MARK: &[u8] = b"256";

/// A literal taken out of a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// NULL (only within VALUES).
    Null,
    /// An integer.
    UInt(u64),
    /// A number with a point, or an integer beyond 64 bits: where it stands in the text.
    Decimal(u32, u32),
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
    /// Whether INTO stands outside of parentheses, as in `SELECT a INTO @x`.
    pub into: bool,
    /// Where the `?` of the client's text stand in it.
    pub parameter_places: Vec<u32>,
    /// Where the statement begins and ends in the text, without `;`.
    pub start: usize,
    /// End of the statement.
    pub end: usize,
    /// Bytes of the text that belong to the statement, with `;` and the spaces behind it. A comment
    /// there is a statement of its own, if nothing else follows.
    pub taken: usize,
    /// Literals of its long lists, each of which is one word of the shape.
    pub listed: usize,
    /// Literals that it may have; 0: any number.
    pub literals_max: usize,
}

/// Memory of a parsed statement for each word or sign of it: measured for a long IN list.
const PARSED_BYTES: usize = 400;
/// Bytes of a word that count as words of their own, which one of usual length hardly reaches.
const WORD_BYTES: usize = 32;
/// Memory of its plan for each of them.
const PLANNED_BYTES: usize = 150;
/// Memory of a plan for each literal of a long list, which is one word.
const LISTED_BYTES: usize = 96;
/// Memory of each literal taken out of it, kept in a list that doubles,
const KEPT_LITERAL_BYTES: usize = 2 * size_of::<Literal>();
/// and as a value.
const LITERAL_BYTES: usize = KEPT_LITERAL_BYTES + size_of::<Datum<'_>>();
/// Statements of less memory are not accounted for.
const SMALL_STATEMENT_BYTES: usize = 1 << 20;

impl Scanned {
    /// Whether there is nothing but spaces and comments before the `;` or the end.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// How many `?` the client's text has, as far as places are counted.
    pub fn parameters(&self) -> u16 {
        u16::try_from(self.parameter_places.len()).unwrap_or(u16::MAX)
    }

    /// Whether rows of VALUES are not repeated in the shape.
    pub fn has_more_rows(&self) -> bool {
        self.runs.iter().any(|rows| *rows > 1)
    }

    /// A scanner of statements that may take so much memory.
    pub fn within(bytes_max: usize) -> Scanned {
        Scanned { literals_max: (bytes_max / LITERAL_BYTES).max(1), ..Scanned::default() }
    }

    /// Memory that carrying the statement out takes besides its text, about; 0 when it is small.
    pub fn memory_bytes(&self) -> usize {
        self.bytes_with(PARSED_BYTES, LITERAL_BYTES)
    }

    /// What of that its plan takes when it is prepared, about; 0 when it is small.
    pub fn kept_bytes(&self) -> usize {
        self.bytes_with(PLANNED_BYTES, KEPT_LITERAL_BYTES)
    }

    /// Memory that its long lists take besides where the text is parsed as it stands.
    pub fn written_out_bytes(&self) -> usize {
        2 * self.listed * PARSED_BYTES
    }

    fn bytes_with(&self, of_word: usize, of_literal: usize) -> usize {
        let literals = self.literals.len() * of_literal + self.arena.len();
        let literals = literals + self.listed * LISTED_BYTES;
        if literals + self.shape.len() * PARSED_BYTES < SMALL_STATEMENT_BYTES {
            return 0;
        }
        // What stands in quotes is one word, however long; so is the rest of a long number.
        let (mut quote, mut closed) = (None, None);
        let (mut words, mut run) = (0, 0);
        for byte in &self.shape {
            run = if is_word(*byte) { run + 1 } else { 0 };
            let ended = closed.take();
            match quote {
                Some(open) if open == byte => (quote, closed) = (None, Some(byte)),
                Some(_) => {}
                None => {
                    words += usize::from(run <= WORD_BYTES && ended != Some(byte));
                    quote = Some(byte).filter(|byte| matches!(byte, b'\'' | b'"' | b'`'));
                }
            }
        }
        literals + self.shape.len() + words * of_word
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
        self.parameter_places.clear();
        self.into = false;
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
            with: word.eq_ignore_ascii_case(b"with"),
            insert,
            depth: 0,
            kept: None,
            last_word: None,
            row_start: None,
            row_before: None,
            row_asks: false,
            body_end: compound::end_of_event(text, start, mode).unwrap_or(0),
            mode,
        };
        scanner.run()?;
        // Places are counted by 16 bits.
        self.listed = match u16::try_from(self.literals.len()) {
            Ok(_) => long_lists::shorten(&mut self.shape),
            Err(_) => 0,
        };
        Ok(())
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
                // It is one, or it would not have been taken out.
                Literal::Decimal(start, end) => {
                    let digits = &text[start as usize..end as usize];
                    Decimal::parse(digits).map_or(Datum::Null, Datum::Decimal)
                }
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

/// The letters at the front.
pub fn leading_word(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&b| !is_word(b)).unwrap_or(text.len());
    &text[..end]
}

/// The word that says what a statement does: its first one, or the one behind the queries of WITH.
pub fn statement_word(text: &[u8]) -> &[u8] {
    let first = leading_word(text);
    if !first.eq_ignore_ascii_case(b"with") {
        return first;
    }
    let (mut at, mut depth) = (first.len(), 0usize);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            quote @ (b'\'' | b'"' | b'`') => {
                let inside = &text[at + 1..];
                at += 1 + inside.iter().position(|byte| *byte == quote).unwrap_or(inside.len());
            }
            _ if depth == 0 && is_word(byte) => {
                let word = leading_word(&text[at..]);
                let verbs: [&[u8]; 5] = [b"select", b"update", b"delete", b"values", b"table"];
                if verbs.iter().any(|verb| word.eq_ignore_ascii_case(verb)) {
                    return word;
                }
                at += word.len();
                continue;
            }
            _ => {
                let behind = skip_space(text, at);
                if behind > at {
                    at = behind;
                    continue;
                }
            }
        }
        at += 1;
    }
    first
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Error 1064 at a position of the text.
pub fn syntax_at(text: &[u8], at: usize) -> Error {
    let at = at.min(text.len());
    let line = 1 + memchr::memchr_iter(b'\n', &text[..at]).count() as u64;
    Error::syntax(&String::from_utf8_lossy(&text[at..]), line)
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
