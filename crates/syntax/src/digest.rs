//! The text of a statement's digest, as MySQL 9.7 writes it: values are `?`, lists of them
//! `?, ...`, rows of them `(...)`, further rows `/* , ... */`; keywords are in capitals, names in
//! backquotes.
//!
//! ```text
//! select a from t where b = -5 and c in (1,2)  SELECT `a` FROM `t` WHERE `b` = ? AND `c` IN (...)
//! insert into t values (1,2), (3,4)            INSERT INTO `t` VALUES (...) /* , ... */
//! ```
//!
//! Invariants
//! 1. Statements that differ in their values, in spaces, comments or the case of keywords alone
//!    have one text.
//! 2. A sign before a number is a part of it where an expression begins (`a = -1`), and an operator
//!    elsewhere (`a - 1`); MySQL knows that by the word before it.
//! 3. What stands behind the words that a digest has room for (`max_digest_length`) is left out.
//!
//! The rules were found by asking MySQL 9.7's STATEMENT_DIGEST_TEXT
//! (`tests/oracle/sql/digests.sql`).
//!
//! Not here: how words are told apart (`lexemes`), shapes of statements that are carried out
//! (`scan`).

mod lexemes;
#[cfg(test)]
mod tests;

use values::SqlMode;

use lexemes::{DigestScanner, ScannedWord};

/// `max_digest_length`: bytes of the words that a digest has, two for each and two with its length
/// for a name.
pub const DIGEST_BYTES_MAX: usize = 1024;
const WORD_BYTES: usize = 2;
const NAME_BYTES: usize = 4;

/// Words and signs behind which an expression begins, so that a sign there belongs to a
/// number.
const BEFORE_EXPRESSIONS: &[&str] = &[
    "(", ",", "=", "!=", "<", ">", "<=", ">=", "<=>", "+", "-", "*", "/", "%", "DIV", "MOD", "|",
    "&", "^", "<<", ">>", "&&", "||", "AND", "OR", "XOR", "NOT", "LIKE", "RLIKE", "BETWEEN", "IF",
    "CASE", "WHEN", "THEN", "ELSE", "INTERVAL", "DEFAULT", "SELECT", "RETURN", "WHILE", "UNTIL",
    "ELSEIF", "AT", "EVERY", "STARTS", "ENDS",
];

/// Words behind which a number in ORDER BY or GROUP BY is a part of an expression.
const OPERATORS: [&str; 14] = [
    "DIV", "MOD", "AND", "OR", "XOR", "LIKE", "RLIKE", "BETWEEN", "IN", "IS", "NOT", "COLLATE",
    "MEMBER", "SOUNDS",
];

/// Words that end the list behind ORDER BY or GROUP BY.
const BEHIND_ORDER: [&str; 9] =
    ["LIMIT", "HAVING", "SEPARATOR", "ROWS", "RANGE", "FOR", "UNION", "INTO", "WINDOW"];

/// A word of a digest.
#[derive(Debug, PartialEq, Eq)]
enum DigestWord<'a> {
    /// A keyword or a sign.
    Fixed(&'a str),
    /// A name.
    Name(String),
    /// `?`
    Value,
    /// `?, ...`
    Values,
    /// `(?)`, `(...)`, and with further rows.
    Row { is_single: bool, has_more: bool },
    /// The column's number in ORDER BY or GROUP BY.
    Position(&'a str),
}

impl DigestWord<'_> {
    fn write(&self, out: &mut String) {
        match self {
            DigestWord::Fixed(text) | DigestWord::Position(text) => out.push_str(text),
            DigestWord::Name(name) => {
                out.push('`');
                out.push_str(name);
                out.push('`');
            }
            DigestWord::Value => out.push('?'),
            DigestWord::Values => out.push_str("?, ..."),
            DigestWord::Row { is_single, has_more } => {
                out.push_str(if *is_single { "(?)" } else { "(...)" });
                if *has_more {
                    out.push_str(" /* , ... */");
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            DigestWord::Name(name) => NAME_BYTES + name.len(),
            DigestWord::Position(text) => NAME_BYTES + text.len(),
            _ => WORD_BYTES,
        }
    }

    fn is(&self, text: &str) -> bool {
        matches!(self, DigestWord::Fixed(word) if *word == text)
    }

    fn is_value(&self) -> bool {
        matches!(self, DigestWord::Value | DigestWord::Values)
    }

    fn is_before_expression(&self) -> bool {
        matches!(self, DigestWord::Fixed(word) if BEFORE_EXPRESSIONS.contains(word))
    }
}

/// The words so far.
#[derive(Default)]
struct DigestWords<'a> {
    words: Vec<DigestWord<'a>>,
    bytes: usize,
    is_full: bool,
}

impl<'a> DigestWords<'a> {
    fn push(&mut self, word: DigestWord<'a>) {
        self.is_full |= self.bytes + word.bytes() > DIGEST_BYTES_MAX;
        if !self.is_full {
            self.bytes += word.bytes();
            self.words.push(word);
        }
    }

    fn drop_last(&mut self, count: usize) {
        let kept = self.words.len() - count;
        self.bytes -= self.words.drain(kept..).map(|word| word.bytes()).sum::<usize>();
    }

    fn push_number(&mut self) {
        while let [.., before, sign] = &self.words[..]
            && (sign.is("-") || sign.is("+"))
            && before.is_before_expression()
        {
            self.drop_last(1);
        }
        self.push_value();
    }

    fn push_value(&mut self) {
        if let [.., value, comma] = &self.words[..]
            && comma.is(",")
            && value.is_value()
        {
            self.drop_last(2);
            return self.push(DigestWord::Values);
        }
        self.push(DigestWord::Value);
    }

    fn close_bracket(&mut self) {
        let [.., open, values] = &self.words[..] else { return self.push(DigestWord::Fixed(")")) };
        if !open.is("(") || !values.is_value() {
            return self.push(DigestWord::Fixed(")"));
        }
        let is_single = *values == DigestWord::Value;
        self.drop_last(2);
        let mut has_more = false;
        match &self.words[..] {
            // Such a list is no row, and nothing is added to it.
            [.., word] if word.is("IN") => return self.push(DigestWord::Fixed("(...)")),
            [.., DigestWord::Row { is_single: before, .. }, comma]
                if comma.is(",") && *before == is_single =>
            {
                self.drop_last(2);
                has_more = true;
            }
            _ => {}
        }
        self.push(DigestWord::Row { is_single, has_more });
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut is_joined = true;
        for word in &self.words {
            if !is_joined {
                text.push(' ');
            }
            word.write(&mut text);
            is_joined = word.is("@") || word.is("@@");
        }
        text
    }
}

/// What a number may be that is a member of a list.
struct Lists {
    /// For each bracket that is open, whether its list is one of ORDER BY or GROUP BY.
    in_order: Vec<bool>,
}

impl Lists {
    fn note(&mut self, words: &[DigestWord<'_>], word: &str) {
        match word {
            "(" => {
                let is_rollup = words.last().is_some_and(|last| last.is("ROLLUP"));
                self.in_order.push(is_rollup && self.is_in_order());
            }
            ")" if self.in_order.len() > 1 => {
                self.in_order.pop();
            }
            "BY" => {
                let orders = |last: &DigestWord<'_>| {
                    ["ORDER", "GROUP", "PARTITION"].iter().any(|word| last.is(word))
                };
                self.set(words.last().is_some_and(orders));
            }
            _ if BEHIND_ORDER.contains(&word) => self.set(false),
            _ => {}
        }
    }

    fn set(&mut self, is_in_order: bool) {
        if let Some(last) = self.in_order.last_mut() {
            *last = is_in_order;
        }
    }

    fn is_in_order(&self) -> bool {
        self.in_order.last() == Some(&true)
    }

    /// Whether a number between these is a column's position.
    fn has_position(&self, words: &[DigestWord<'_>], next: Option<&ScannedWord<'_>>) -> bool {
        let begins = match words {
            [.., value, comma] if comma.is(",") => !value.is_value(),
            [.., last] => last.is("BY") || last.is("("),
            [] => false,
        };
        let ends = match next {
            Some(ScannedWord::Fixed(word)) => {
                matches!(*word, "," | ")" | ";")
                    || word.as_bytes()[0].is_ascii_alphabetic() && !OPERATORS.contains(word)
            }
            next => next.is_none(),
        };
        self.is_in_order() && begins && ends
    }
}

/// The digest's text of a statement.
pub fn digest_text(statement: &[u8], mode: SqlMode) -> String {
    let mut words = DigestWords::default();
    let mut lists = Lists { in_order: vec![false] };
    let mut lexemes = DigestScanner::of(statement, mode).peekable();
    let mut is_definition = false;
    while let Some(lexeme) = lexemes.next() {
        if words.is_full {
            break;
        }
        match lexeme {
            ScannedWord::Fixed(";") if lexemes.peek().is_none() => {}
            ScannedWord::Fixed(word) => {
                if words.words.is_empty() {
                    is_definition = matches!(word, "CREATE" | "ALTER");
                }
                lists.note(&words.words, word);
                match word {
                    ")" => words.close_bracket(),
                    _ => words.push(DigestWord::Fixed(word)),
                }
            }
            ScannedWord::Name(name) => words.push(DigestWord::Name(name)),
            ScannedWord::Text => words.push_value(),
            ScannedWord::Number(Some(digits))
                if lists.has_position(&words.words, lexemes.peek()) =>
            {
                words.push(DigestWord::Position(digits));
            }
            ScannedWord::Number(_) => words.push_number(),
            ScannedWord::Null if is_null_word(&words.words, is_definition, lexemes.peek()) => {
                words.push(DigestWord::Fixed("NULL"));
            }
            ScannedWord::Null => words.push_value(),
            ScannedWord::HintsBegin => words.push(DigestWord::Fixed("/*+")),
            ScannedWord::HintsEnd => words.push(DigestWord::Fixed("*/")),
        }
    }
    words.text()
}

/// Whether NULL between these is no value: `IS NULL`, `a INT NULL`, `SET NULL`, `NULL ON ERROR`.
fn is_null_word(
    words: &[DigestWord<'_>],
    is_definition: bool,
    next: Option<&ScannedWord<'_>>,
) -> bool {
    match words {
        [.., last] if last.is("IS") || last.is("SET") => true,
        [.., before, last] if last.is("NOT") => is_definition || before.is("IS"),
        _ if next == Some(&ScannedWord::Fixed("ON")) => true,
        [.., last] => is_definition && !last.is_before_expression(),
        [] => false,
    }
}
