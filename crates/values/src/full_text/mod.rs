//! Texts as their full-text indexes see them: the words, or the pieces of a few characters, that
//! have entries.
//!
//! ```text
//! "Don't PANIC, says the guide_42"    words of 3 to 84 characters: don panic says guide_42
//! "生日快乐"                           pieces of two (ngram):        生日 日快 快乐
//! ```
//! Words are what InnoDB takes for words (MySQL 9.7 answers so: tests/oracle/sql/full-text.sql):
//! letters, digits, marks that belong to a letter, and `_`. Letters beyond the Basic Multilingual
//! Plane are letters here, and none to InnoDB. Two words are the same where the collation of the
//! columns says so.
//!
//! Invariants
//! 1. The entries of a text are made of the text, the rules of its index and the collation alone,
//!    so that they are found again to be removed, whatever the settings are by then.
//!
//! Not here: entries (`rows::table`), what is searched for (`expression`, `full_text`).

mod analyzer;
mod tokens;

pub use analyzer::Analyzer;
use serde::{Deserialize, Serialize};
pub use tokens::{grams, words};

/// What cuts texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextParser {
    /// At what is no letter: MySQL's built-in parser.
    #[default]
    Words,
    /// Into overlapping pieces of so many characters: WITH PARSER ngram.
    Ngram,
}

/// Which tokens of a text have entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRules {
    /// What cuts it.
    pub parser: TextParser,
    /// Fewest characters of a word.
    pub word_chars_min: u16,
    /// Most characters of a word.
    pub word_chars_max: u16,
    /// Characters of a piece.
    pub gram_chars: u16,
    /// Whether the default stopwords are left out, and pieces that contain one.
    pub stopwords: bool,
}

impl Default for TextRules {
    /// Those of MySQL's defaults.
    fn default() -> TextRules {
        TextRules {
            parser: TextParser::Words,
            word_chars_min: 3,
            word_chars_max: 84,
            gram_chars: 2,
            stopwords: true,
        }
    }
}

/// MySQL's stopwords for InnoDB: INFORMATION_SCHEMA.INNODB_FT_DEFAULT_STOPWORD.
pub const STOPWORDS: [&str; 36] = [
    "a", "about", "an", "are", "as", "at", "be", "by", "com", "de", "en", "for", "from", "how",
    "i", "in", "is", "it", "la", "of", "on", "or", "that", "the", "this", "to", "was", "what",
    "when", "where", "who", "will", "with", "und", "the", "www",
];
