//! The words and signs of a statement as MySQL's scanner tells them apart for digests.
//!
//! Invariants
//! 1. Any text is read to its end: what is no statement gives words, too.
//!
//! Not here: what digests make of them (`digest`), shapes and literals of statements that are
//! carried out (`scan`).

use values::SqlMode;
use values::charset::CharacterSet;

use crate::keywords::keyword;
use crate::scan::skip_space;

/// A word or sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ScannedWord<'a> {
    /// A keyword in capitals, or a sign.
    Fixed(&'a str),
    /// A name, without quotes.
    Name(String),
    /// A string, or a parameter of the client's.
    Text,
    /// A number; its digits where it is a short one.
    Number(Option<&'a str>),
    /// NULL, which is a value or a keyword.
    Null,
    /// `/*+`, behind which are hints up to `*/`.
    HintsBegin,
    /// `*/` behind hints.
    HintsEnd,
}

/// Reads lexemes one by one.
pub(super) struct DigestScanner<'a> {
    text: &'a [u8],
    at: usize,
    mode: SqlMode,
    /// Whether hints may follow.
    may_have_hints: bool,
    in_hints: bool,
    /// What came before that decides about the next word: `.`, `@` and `@@`, if they stand directly
    /// before it.
    behind: Option<Behind>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Dot,
    At,
    /// `@@`, behind which a keyword is one even before a dot: `@@session.sql_mode`.
    TwoAts,
}

/// Signs of more than one character, longer ones first; the last one is written as `!=`.
const SIGNS: [&str; 13] =
    ["<=>", "->>", "<=", ">=", "!=", "<<", ">>", "&&", "||", ":=", "->", "@@", "<>"];

/// Statements whose first word may have hints behind it.
const HINTED: [&str; 5] = ["SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE"];

/// The largest number that MySQL's scanner takes for a short one.
const SHORT_NUMBER_MAX: u64 = 0x7fff_ffff;

/// Hints (MySQL 9.7 manual, "Optimizer Hints").
const HINTS: &str = "\
BKA BNL DERIVED_CONDITION_PUSHDOWN DUPSWEEDOUT FIRSTMATCH GROUP_INDEX HASH_JOIN INDEX INDEX_MERGE \
INTOEXISTS JOIN_FIXED_ORDER JOIN_INDEX JOIN_ORDER JOIN_PREFIX JOIN_SUFFIX LOOSESCAN \
MATERIALIZATION MAX_EXECUTION_TIME MERGE MRR NO_BKA NO_BNL NO_DERIVED_CONDITION_PUSHDOWN \
NO_GROUP_INDEX NO_HASH_JOIN NO_ICP NO_INDEX NO_INDEX_MERGE NO_JOIN_INDEX NO_MERGE NO_MRR \
NO_ORDER_INDEX NO_RANGE_OPTIMIZATION NO_SEMIJOIN NO_SKIP_SCAN ORDER_INDEX QB_NAME RESOURCE_GROUP \
SEMIJOIN SET_VAR SKIP_SCAN SUBQUERY";

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

impl<'a> DigestScanner<'a> {
    pub(super) fn of(text: &'a [u8], mode: SqlMode) -> DigestScanner<'a> {
        DigestScanner { text, at: 0, mode, may_have_hints: false, in_hints: false, behind: None }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// The bytes of a length, which are a lexeme.
    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let taken = &self.rest()[..bytes];
        self.at += bytes;
        taken
    }

    /// A quoted text: its inside, doubled quotes being one.
    fn quoted(&mut self, quote: u8) -> String {
        let has_escapes = quote != b'`' && !self.mode.no_backslash_escapes();
        let mut inside = Vec::new();
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            self.at += 1;
            if byte == b'\\' && has_escapes {
                self.at = self.text.len().min(self.at + 1);
            } else if byte == quote {
                if self.text.get(self.at) != Some(&quote) {
                    break;
                }
                self.at += 1;
                inside.push(quote);
            } else {
                inside.push(byte);
            }
        }
        String::from_utf8_lossy(&inside).into_owned()
    }

    /// How long a number at this place is; none where it is a name that begins with a digit.
    fn number_length(&self) -> Option<usize> {
        let rest = self.rest();
        let word = rest.iter().take_while(|byte| is_word(**byte)).count();
        if let [b'0', base @ (b'x' | b'b'), inside @ ..] = &rest[..word] {
            let is_digit = |byte: &u8| match base {
                b'x' => byte.is_ascii_hexdigit(),
                _ => matches!(byte, b'0' | b'1'),
            };
            return (!inside.is_empty() && inside.iter().all(is_digit)).then_some(word);
        }
        let whole = digits(rest);
        let mut length = whole;
        let is_exact = rest.get(whole) == Some(&b'.');
        if is_exact {
            length += 1 + digits(&rest[whole + 1..]);
        }
        let exponent = match &rest[length..] {
            [b'e' | b'E', b'+' | b'-', behind @ ..] if digits(behind) > 0 => 2 + digits(behind),
            [b'e' | b'E', behind @ ..] if digits(behind) > 0 => 1 + digits(behind),
            _ => 0,
        };
        length += exponent;
        (is_exact || exponent > 0 || word == whole).then_some(length)
    }

    fn number(&mut self, length: usize) -> ScannedWord<'a> {
        let text = std::str::from_utf8(self.take(length)).unwrap_or_default();
        ScannedWord::Number(
            text.parse().ok().filter(|n: &u64| *n <= SHORT_NUMBER_MAX).map(|_| text),
        )
    }

    /// A word of letters; behind a dot or a sign of variables it is a name.
    fn word(&mut self, behind: Option<Behind>) -> ScannedWord<'a> {
        let length = self.rest().iter().take_while(|byte| is_word(**byte)).count();
        let bytes = self.take(length);
        let name = || String::from_utf8_lossy(bytes).into_owned();
        let rest = self.rest();
        let is_qualifier =
            rest.first() == Some(&b'.') && rest.get(1).is_some_and(|byte| is_word(*byte));
        let text = name();
        if let Some(word) = keyword(&text, false).filter(|_| behind == Some(Behind::TwoAts)) {
            return ScannedWord::Fixed(word);
        }
        if behind.is_some() || is_qualifier {
            return ScannedWord::Name(text);
        }
        match (&text.to_ascii_lowercase()[..], rest.first()) {
            ("x" | "b" | "n", Some(b'\'')) => {
                self.quoted(b'\'');
                return match text.eq_ignore_ascii_case("n") {
                    true => ScannedWord::Text,
                    false => ScannedWord::Number(None),
                };
            }
            ("null", _) => return ScannedWord::Null,
            (lower, _) if lower.starts_with('_') && CharacterSet::parse(&lower[1..]).is_some() => {
                return ScannedWord::Fixed("(_charset)");
            }
            _ => {}
        }
        let next = match self.mode.ignore_space() {
            true => self.text.get(skip_space(self.text, self.at)),
            false => rest.first(),
        };
        match keyword(&text, next == Some(&b'(')) {
            Some(word) => {
                self.may_have_hints = HINTED.contains(&word);
                ScannedWord::Fixed(word)
            }
            None => ScannedWord::Name(text),
        }
    }

    /// The next one of hints: their words, and names with the block of the query that they are of.
    fn hint(&mut self) -> ScannedWord<'a> {
        let rest = self.rest();
        if rest.starts_with(b"*/") {
            self.in_hints = false;
            self.at += 2;
            return ScannedWord::HintsEnd;
        }
        match rest[0] {
            quote @ (b'\'' | b'"') => {
                self.quoted(quote);
                ScannedWord::Text
            }
            b'`' => ScannedWord::Name(self.quoted(b'`')),
            byte if byte.is_ascii_digit() => {
                let length = rest.iter().take_while(|byte| is_word(**byte)).count();
                self.take(length);
                ScannedWord::Number(None)
            }
            byte if is_word(byte) => {
                let length = rest.iter().take_while(|byte| is_word(**byte)).count();
                let text = String::from_utf8_lossy(self.take(length)).into_owned();
                if let [b'@', first, ..] = self.rest()
                    && is_word(*first)
                {
                    self.at += 1;
                    let length = self.rest().iter().take_while(|byte| is_word(**byte)).count();
                    let block = String::from_utf8_lossy(self.take(length)).into_owned();
                    return ScannedWord::Name(format!("{text}`@`{block}"));
                }
                let hint = HINTS.split(' ').find(|hint| hint.eq_ignore_ascii_case(&text));
                hint.map_or(ScannedWord::Name(text), ScannedWord::Fixed)
            }
            _ => self.sign(),
        }
    }

    fn sign(&mut self) -> ScannedWord<'a> {
        let rest = self.rest();
        let sign = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes()));
        let sign = sign.copied().unwrap_or_else(|| std::str::from_utf8(&rest[..1]).unwrap_or(" "));
        self.at += sign.len();
        ScannedWord::Fixed(if sign == "<>" { "!=" } else { sign })
    }
}

impl<'a> Iterator for DigestScanner<'a> {
    type Item = ScannedWord<'a>;

    fn next(&mut self) -> Option<ScannedWord<'a>> {
        let may_have_hints = std::mem::take(&mut self.may_have_hints);
        let behind = self.behind.take();
        let begin = self.at;
        let is_hint = |at: usize| self.text[at..].starts_with(b"/*+");
        while self.at < self.text.len() && (self.in_hints || !is_hint(self.at) || !may_have_hints) {
            let next = match self.in_hints {
                true => crate::scan::skip_blank(self.text, self.at),
                false if self.text[self.at].is_ascii_whitespace() => self.at + 1,
                false => skip_space(self.text, self.at),
            };
            if next == self.at {
                break;
            }
            self.at = next;
        }
        let behind = behind.filter(|_| self.at == begin);
        let first = *self.rest().first()?;
        if self.in_hints {
            return Some(self.hint());
        }
        if may_have_hints && self.rest().starts_with(b"/*+") {
            (self.at, self.in_hints) = (self.at + 3, true);
            return Some(ScannedWord::HintsBegin);
        }
        Some(match first {
            b'`' => ScannedWord::Name(self.quoted(b'`')),
            b'"' if self.mode.ansi_quotes() => ScannedWord::Name(self.quoted(b'"')),
            quote @ (b'\'' | b'"') => {
                self.quoted(quote);
                ScannedWord::Text
            }
            // What stands behind `@` is read as a host's name, which is a value.
            byte if behind == Some(Behind::At) && (is_word(byte) || byte == b'.') => {
                let is_host = |byte: &&u8| is_word(**byte) || **byte == b'.';
                let length = self.rest().iter().take_while(is_host).count();
                self.take(length);
                ScannedWord::Text
            }
            b'?' => {
                self.at += 1;
                ScannedWord::Text
            }
            byte if byte.is_ascii_digit() && behind.is_none() => match self.number_length() {
                Some(length) => self.number(length),
                None => self.word(Some(Behind::Dot)),
            },
            b'.' if behind.is_none() && digits(&self.rest()[1..]) > 0 && !self.is_qualified() => {
                let length = self.number_length().unwrap_or(1);
                self.number(length)
            }
            byte if is_word(byte) => self.word(behind),
            _ => {
                let sign = self.sign();
                self.behind = match sign {
                    ScannedWord::Fixed(".") => Some(Behind::Dot),
                    ScannedWord::Fixed("@") => Some(Behind::At),
                    ScannedWord::Fixed("@@") => Some(Behind::TwoAts),
                    _ => None,
                };
                sign
            }
        })
    }
}

impl DigestScanner<'_> {
    /// Whether the sign at this place stands directly behind a name: `t.1a`.
    fn is_qualified(&self) -> bool {
        let before = self.at.checked_sub(1).map(|at| self.text[at]);
        before.is_some_and(|byte| is_word(byte) || byte == b'`')
    }
}
