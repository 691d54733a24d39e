//! BEGIN ... END: where the body of an event ends, and which statements it holds. The semicolons
//! within it do not end the statement that defines the event.
//!
//! Invariants
//! 1. BEGIN and END count only where a statement begins: columns may have such names, and CASE
//!    has an END of its own.
//! 2. What may not be in a body (IF, LOOP, ...) does not mislead about its end.
//!
//! Not here: what a body may hold (crate `sql`, `session::event_body`).

use std::ops::Range;

use values::SqlMode;

use super::comment::skip_space;
use super::{is_word, leading_word};

/// Words that close something else with their END.
const CLOSED_BY_NAME: [&[u8]; 6] = [b"IF", b"CASE", b"LOOP", b"WHILE", b"REPEAT", b"FOR"];
/// Words behind which another statement begins.
const OPENING: [&[u8]; 5] = [b"THEN", b"ELSE", b"DO", b"LOOP", b"REPEAT"];
/// Words in front of EVENT: `CREATE OR REPLACE DEFINER = a@b EVENT`, about.
const HEAD_WORDS_MAX: usize = 16;

/// A BEGIN ... END.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// Behind its END; the end of the text where that is missing.
    pub end: usize,
    /// The statements in it, those of inner blocks too, without what separates them.
    pub statements: Vec<Range<usize>>,
    /// Whether its END is there.
    pub closed: bool,
}

/// A word or sign of a text.
#[derive(Clone, Copy)]
struct Lexeme<'a> {
    start: usize,
    end: usize,
    /// A word that is not quoted.
    word: Option<&'a [u8]>,
}

impl Lexeme<'_> {
    fn is(&self, word: &[u8]) -> bool {
        self.word.is_some_and(|found| found.eq_ignore_ascii_case(word))
    }

    fn is_one_of(&self, words: &[&[u8]]) -> bool {
        words.iter().any(|word| self.is(word))
    }
}

/// Words and signs of a text, without spaces and comments.
#[derive(Clone, Copy)]
struct Lexemes<'a> {
    text: &'a [u8],
    at: usize,
    backslash: bool,
}

impl<'a> Lexemes<'a> {
    fn new(text: &'a [u8], at: usize, mode: SqlMode) -> Lexemes<'a> {
        Lexemes { text, at, backslash: !mode.no_backslash_escapes() }
    }
}

impl<'a> Iterator for Lexemes<'a> {
    type Item = Lexeme<'a>;

    fn next(&mut self) -> Option<Lexeme<'a>> {
        let start = skip_space(self.text, self.at);
        let byte = *self.text.get(start)?;
        let word = match byte {
            _ if is_word(byte) => Some(leading_word(&self.text[start..])),
            _ => None,
        };
        self.at = match (word, byte) {
            (Some(word), _) => start + word.len(),
            (None, b'\'' | b'"' | b'`') => {
                behind_quote(self.text, start, self.backslash && byte != b'`')
            }
            _ => start + 1,
        };
        Some(Lexeme { start, end: self.at, word })
    }
}

/// Behind what is quoted from `start` on. A doubled quote is two quoted texts side by side.
fn behind_quote(text: &[u8], start: usize, backslash: bool) -> usize {
    let quote = text[start];
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        at += if byte == b'\\' && backslash { 2 } else { 1 };
        if byte == quote {
            break;
        }
    }
    at.min(text.len())
}

/// Where the block ends that is the body of the event which the statement at `start` defines;
/// `None` for every other statement.
pub fn end_of_event(text: &[u8], start: usize, mode: SqlMode) -> Option<usize> {
    let mut lexemes = Lexemes::new(text, start, mode);
    let first = lexemes.next()?;
    if !first.is_one_of(&[b"CREATE", b"ALTER"]) {
        return None;
    }
    let head: Vec<Lexeme<'_>> = lexemes.take(HEAD_WORDS_MAX).collect();
    let ends = head.iter().position(|lexeme| text[lexeme.start] == b';').unwrap_or(head.len());
    let event = head[..ends].iter().find(|lexeme| lexeme.is(b"EVENT"))?;
    let mut behind = Lexemes::new(text, event.end, mode);
    loop {
        let lexeme = behind.next()?;
        if text[lexeme.start] == b';' {
            return None;
        }
        if lexeme.is(b"DO") {
            return block(text, behind.at, mode).map(|block| block.end);
        }
    }
}

/// The block that begins at a place of a text; `None` when there is something else.
pub fn block(text: &[u8], at: usize, mode: SqlMode) -> Option<Block> {
    let mut lexemes = Lexemes::new(text, at, mode);
    lexemes.next().filter(|first| first.is(b"BEGIN"))?;
    let mut block = Block { end: text.len(), statements: Vec::new(), closed: false };
    let mut depth = 1;
    // Whether a statement begins here, and where the one at hand began.
    let (mut begins, mut since) = (true, None);
    let mut last_end = lexemes.at;
    while let Some(lexeme) = lexemes.next() {
        if text[lexeme.start] == b';' {
            block.statements.extend(since.take().map(|start| start..last_end));
            begins = true;
            continue;
        }
        last_end = lexeme.end;
        if begins && lexeme.is(b"BEGIN") {
            depth += 1;
            continue;
        }
        let closes = begins
            && lexeme.is(b"END")
            && !lexemes.clone().next().is_some_and(|next| next.is_one_of(&CLOSED_BY_NAME));
        if closes {
            depth -= 1;
            if depth == 0 {
                block.statements.extend(since.map(|start| start..lexeme.start));
                return Some(Block { end: lexeme.end, closed: true, ..block });
            }
            begins = false;
            continue;
        }
        since.get_or_insert(lexeme.start);
        begins = lexeme.is_one_of(&OPENING);
    }
    block.statements.extend(since.map(|start| start..last_end));
    Some(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(text: &str) -> (Vec<&str>, bool) {
        let block = block(text.as_bytes(), 0, SqlMode::default()).expect("a block");
        let parts = block.statements.iter().map(|range| &text[range.clone()]).collect();
        (parts, block.closed)
    }

    #[test]
    fn a_body_is_cut_at_its_semicolons_and_nowhere_else() {
        let text = "BEGIN SELECT ';', `a;b` /* ; */ ; BEGIN UPDATE t SET end = CASE WHEN 1 THEN 2 END; \
                    DO 1; END; -- x;\n SELECT begin FROM t; END";
        let expected = [
            "SELECT ';', `a;b`",
            "UPDATE t SET end = CASE WHEN 1 THEN 2 END",
            "DO 1",
            "SELECT begin FROM t",
        ];
        assert_eq!(statements(text), (expected.to_vec(), true));
        assert_eq!(statements("begin end"), (vec![], true));
        assert_eq!(
            statements("BEGIN SELECT 'it''s \\'; END'"),
            (vec!["SELECT 'it''s \\'; END'"], false)
        );
        assert_eq!(statements("BEGIN SELECT 1 END"), (vec!["SELECT 1 END"], false));
    }

    #[test]
    fn only_the_definition_of_an_event_has_a_body() {
        let end = |text: &str| end_of_event(text.as_bytes(), 0, SqlMode::default());
        let text = "CREATE OR REPLACE DEFINER=`a`@`b` EVENT e ON SCHEDULE EVERY 1 DAY DO BEGIN \
                    IF 1 THEN SELECT 1; END IF; IF 2 THEN BEGIN DO 1; END; END IF; END";
        assert_eq!(end(&format!("{text}; SELECT 2; END")), Some(text.len()));
        assert_eq!(end("ALTER EVENT e DO BEGIN DO 1; END ; DO 2"), Some(32));
        assert_eq!(end("CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1; BEGIN; END"), None);
        assert_eq!(end("CREATE EVENT e COMMENT 'x'; DO BEGIN"), None);
        assert_eq!(end("CREATE TABLE event (a INT); DO BEGIN"), None);
        assert_eq!(end("SELECT event; DO BEGIN; END"), None);
    }
}
