//! What AGAINST says, read: words, phrases in quotes, and in boolean mode operators.
//!
//! ```text
//! list    (item)*
//! item    [+ - < > ~] (word | word* | "phrase" | "phrase" @number | (list))
//! ```
//! The grammar is InnoDB's, with the words of its errors (MySQL 9.7 answers so:
//! tests/oracle/sql/full-text.sql). In natural language mode there are words and phrases alone.
//!
//! Not here: which words have entries (`search`).

use values::ErrorCode;

use crate::statement::error::{Error, Result};

/// How deeply brackets may be nested.
const DEPTH_MAX: usize = 64;

/// What stands before an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchOperator {
    /// Nothing: it adds to the relevance.
    Plain,
    /// `+`: it must be there.
    Required,
    /// `-`: it must not be there.
    Excluded,
    /// `>`: it adds more.
    Raised,
    /// `<`: it takes from the relevance.
    Lowered,
    /// `~`: it takes from the relevance of what others have found.
    Negated,
}

/// A part of what is searched for, as written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WrittenItem {
    /// What stands between spaces and operators, which may be several words; of the last the
    /// beginning only if it is a prefix.
    Word { text: String, is_prefix: bool },
    /// In quotes; with the most words that there may be from the first to the last.
    Phrase { text: String, distance: Option<u32> },
    /// In brackets.
    List(Vec<(SearchOperator, WrittenItem)>),
}

#[derive(Clone, Debug, PartialEq)]
enum Lexeme {
    Term(String),
    Number(String),
    Text(String),
    Sign(char),
    End,
}

impl Lexeme {
    fn shown(&self) -> String {
        match self {
            Lexeme::Term(_) => "FTS_TERM".to_owned(),
            Lexeme::Number(_) => "FTS_NUMB".to_owned(),
            Lexeme::Text(_) => "FTS_TEXT".to_owned(),
            Lexeme::Sign(sign) => format!("'{sign}'"),
            Lexeme::End => "$end".to_owned(),
        }
    }
}

/// Signs that are no part of a word in boolean mode.
const SIGNS: [char; 9] = ['(', ')', '+', '-', '<', '>', '~', '*', '@'];

fn lexemes(mut text: &str, boolean: bool) -> Vec<Lexeme> {
    let mut lexemes = Vec::new();
    while let Some(first) = text.chars().next() {
        let rest = &text[first.len_utf8()..];
        if first == '"' {
            // What is opened and not closed is none.
            match rest.split_once('"').filter(|(inside, _)| !inside.contains('\n')) {
                Some((inside, behind)) => {
                    lexemes.push(Lexeme::Text(inside.to_owned()));
                    text = behind;
                }
                None => text = rest,
            }
        } else if boolean && SIGNS.contains(&first) {
            lexemes.push(Lexeme::Sign(first));
            text = rest;
        } else if first.is_whitespace() || first == '%' {
            text = rest;
        } else {
            let ends = |character: char| {
                character.is_whitespace()
                    || matches!(character, '"' | '%')
                    || boolean && SIGNS.contains(&character)
            };
            let (term, behind) = text.split_at(text.find(ends).unwrap_or(text.len()));
            let is_number = term.bytes().all(|byte| byte.is_ascii_digit());
            let term = term.to_owned();
            lexemes.push(if is_number { Lexeme::Number(term) } else { Lexeme::Term(term) });
            text = behind;
        }
    }
    lexemes
}

/// Reads what is searched for.
///
/// # Errors
/// 1064 in boolean mode, where operators make no sense.
pub(super) fn parse(text: &str, boolean: bool) -> Result<Vec<(SearchOperator, WrittenItem)>> {
    let mut reader = SearchReader { lexemes: lexemes(text, boolean), at: 0 };
    let list = reader.list(0)?;
    match reader.peek() {
        Lexeme::End => Ok(list),
        _ => Err(reader.unexpected(Some("$end"))),
    }
}

struct SearchReader {
    lexemes: Vec<Lexeme>,
    at: usize,
}

impl SearchReader {
    fn peek(&self) -> &Lexeme {
        self.lexemes.get(self.at).unwrap_or(&Lexeme::End)
    }

    fn take(&mut self, sign: char) -> bool {
        let is_it = *self.peek() == Lexeme::Sign(sign);
        self.at += usize::from(is_it);
        is_it
    }

    fn unexpected(&self, expected: Option<&str>) -> Error {
        let expected = expected.map(|words| format!(", expecting {words}")).unwrap_or_default();
        let message = format!("syntax error, unexpected {}{expected}", self.peek().shown());
        Error::new(ErrorCode::ParseError, message)
    }

    fn list(&mut self, depth: usize) -> Result<Vec<(SearchOperator, WrittenItem)>> {
        let mut items = Vec::new();
        loop {
            let operator = match self.peek() {
                Lexeme::Sign('+') => SearchOperator::Required,
                Lexeme::Sign('-') => SearchOperator::Excluded,
                Lexeme::Sign('>') => SearchOperator::Raised,
                Lexeme::Sign('<') => SearchOperator::Lowered,
                Lexeme::Sign('~') => SearchOperator::Negated,
                Lexeme::End | Lexeme::Sign(')' | '@') => return Ok(items),
                _ => SearchOperator::Plain,
            };
            self.at += usize::from(operator != SearchOperator::Plain);
            items.push((operator, self.item(depth)?));
        }
    }

    fn item(&mut self, depth: usize) -> Result<WrittenItem> {
        if self.take('(') {
            if depth == DEPTH_MAX {
                return Err(Error::new(ErrorCode::ParseError, "memory exhausted"));
            }
            let list = self.list(depth + 1)?;
            return match self.take(')') {
                true => Ok(WrittenItem::List(list)),
                false => Err(self.unexpected(None)),
            };
        }
        let mut starred = false;
        while self.take('*') {
            starred = true;
        }
        match self.peek().clone() {
            Lexeme::Term(text) | Lexeme::Number(text) => {
                self.at += 1;
                Ok(WrittenItem::Word { text, is_prefix: self.take('*') })
            }
            Lexeme::Text(text) if !starred => {
                self.at += 1;
                let distance = self.take('@').then(|| self.number()).transpose()?;
                Ok(WrittenItem::Phrase { text, distance })
            }
            _ if starred => Err(self.unexpected(Some("FTS_TERM or FTS_NUMB or '*'"))),
            _ => Err(self.unexpected(None)),
        }
    }

    fn number(&mut self) -> Result<u32> {
        match self.peek() {
            Lexeme::Number(digits) => {
                let number = digits.parse().unwrap_or(u32::MAX);
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.unexpected(Some("FTS_NUMB"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_that_make_no_sense_are_errors_in_innodb_s_words() {
        let message = |text| parse(text, true).expect_err(text).to_string();
        assert_eq!(message("+"), "syntax error, unexpected $end");
        assert_eq!(message("+-a"), "syntax error, unexpected '-'");
        assert_eq!(message("(a"), "syntax error, unexpected $end");
        assert_eq!(message("a @5"), "syntax error, unexpected '@', expecting $end");
        assert_eq!(message("(a @5)"), "syntax error, unexpected '@'");
        assert_eq!(message("a)"), "syntax error, unexpected ')', expecting $end");
        let star = "syntax error, unexpected $end, expecting FTS_TERM or FTS_NUMB or '*'";
        assert_eq!(message("a **"), star);
        assert_eq!(message("\"a b\" @"), "syntax error, unexpected $end, expecting FTS_NUMB");
        let term = "syntax error, unexpected FTS_TERM, expecting FTS_NUMB";
        assert_eq!(message("\"a b\" @x"), term);
        assert!(parse(&"(".repeat(DEPTH_MAX * 2), true).is_err());
    }

    #[test]
    fn natural_language_has_no_operators() {
        let items = parse("+one -\"two three\" (four*", false).unwrap();
        let word = |text: &str| WrittenItem::Word { text: text.to_owned(), is_prefix: false };
        let phrase = WrittenItem::Phrase { text: "two three".to_owned(), distance: None };
        let items: Vec<WrittenItem> = items.into_iter().map(|(_, item)| item).collect();
        assert_eq!(items, [word("+one"), word("-"), phrase, word("(four*")]);
    }
}
