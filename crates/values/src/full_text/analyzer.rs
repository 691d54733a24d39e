//! The rules of an index with the collation of its columns: which tokens have entries, and under
//! which bytes.

use std::collections::HashSet;

use super::tokens::{grams, words};
use super::{STOPWORDS, TextParser, TextRules};
use crate::datum::Datum;
use crate::key;
use crate::types::{Collation, ColumnType};

/// Most stopwords are no longer than this.
const STOPWORD_CHARS_MAX: usize = 5;

/// Cuts texts by the rules of an index, and knows which tokens have entries.
#[derive(Clone, Debug)]
pub struct Analyzer {
    rules: TextRules,
    /// A text column of the collation, for keys.
    ty: ColumnType,
    /// Keys of stopwords.
    stopwords: HashSet<Vec<u8>>,
}

impl Analyzer {
    /// Of texts that compare by a collation.
    pub fn new(rules: TextRules, collation: Collation) -> Analyzer {
        let ty = ColumnType::VarChar { chars: u32::MAX, collation };
        let words: &[&str] = if rules.stopwords { &STOPWORDS } else { &[] };
        let stopwords = words.iter().map(|word| key_of(&ty, word)).collect();
        Analyzer { rules, ty, stopwords }
    }

    /// The rules.
    pub fn rules(&self) -> TextRules {
        self.rules
    }

    /// Calls `each` with all tokens of a text, those without entries too.
    pub fn each_token(&self, text: &str, each: &mut dyn FnMut(&str)) {
        match self.rules.parser {
            TextParser::Words => words(text).for_each(each),
            TextParser::Ngram => grams(text, usize::from(self.rules.gram_chars)).for_each(each),
        }
    }

    /// Whether a token has entries.
    pub fn is_indexed(&self, token: &str) -> bool {
        match self.rules.parser {
            TextParser::Words => {
                let chars = token.chars().count();
                let (min, max) = (self.rules.word_chars_min, self.rules.word_chars_max);
                (usize::from(min)..=usize::from(max)).contains(&chars) && !self.is_stopword(token)
            }
            TextParser::Ngram => self.stopwords.is_empty() || !self.contains_stopword(token),
        }
    }

    fn is_stopword(&self, token: &str) -> bool {
        !self.stopwords.is_empty() && self.stopwords.contains(&self.key(token))
    }

    fn contains_stopword(&self, token: &str) -> bool {
        let starts: Vec<usize> = token.char_indices().map(|(at, _)| at).collect();
        let ends: Vec<usize> = starts.iter().copied().skip(1).chain([token.len()]).collect();
        starts.iter().enumerate().any(|(first, start)| {
            let ends = ends[first..].iter().take(STOPWORD_CHARS_MAX);
            ends.into_iter().any(|end| self.is_stopword(&token[*start..*end]))
        })
    }

    /// Bytes that are the same for tokens that are equal by the collation.
    pub fn key(&self, token: &str) -> Vec<u8> {
        key_of(&self.ty, token)
    }

    /// Appends these bytes.
    pub fn push_key(&self, token: &str, out: &mut Vec<u8>) {
        key::encode_part(&self.ty, false, None, Datum::Bytes(token.as_bytes()), out);
    }

    /// What the keys of all tokens have in common that begin so.
    pub fn beginning(&self, token: &str) -> Vec<u8> {
        let mut out = Vec::new();
        key::encode_text_prefix(&self.ty, false, None, token.as_bytes(), &mut out);
        out
    }
}

fn key_of(ty: &ColumnType, token: &str) -> Vec<u8> {
    let mut out = Vec::new();
    key::encode_part(ty, false, None, Datum::Bytes(token.as_bytes()), &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_words_and_stopwords_have_no_entries() {
        let analyzer = Analyzer::new(TextRules::default(), Collation::Utf8Mb4GeneralCi);
        assert!(!analyzer.is_indexed("ab") && analyzer.is_indexed("abc"));
        assert!(analyzer.is_indexed(&"x".repeat(84)) && !analyzer.is_indexed(&"x".repeat(85)));
        assert!(!analyzer.is_indexed("The") && !analyzer.is_indexed("THÉ"));
        let rules = TextRules { stopwords: false, ..TextRules::default() };
        assert!(Analyzer::new(rules, Collation::Utf8Mb4GeneralCi).is_indexed("the"));
        assert!(Analyzer::new(TextRules::default(), Collation::Utf8Mb4Bin).is_indexed("THE"));
    }

    #[test]
    fn pieces_with_a_stopword_in_them_have_no_entries() {
        let rules = TextRules { parser: TextParser::Ngram, ..TextRules::default() };
        let analyzer = Analyzer::new(rules, Collation::Utf8Mb4GeneralCi);
        assert!(!analyzer.is_indexed("ab") && analyzer.is_indexed("bc"));
        assert!(!analyzer.is_indexed("or") && analyzer.is_indexed("wo"));
    }

    #[test]
    fn tokens_are_the_same_by_the_collation() {
        let analyzer = Analyzer::new(TextRules::default(), Collation::Utf8Mb4GeneralCi);
        assert_eq!(analyzer.key("Café"), analyzer.key("CAFE"));
        assert!(analyzer.key("CAFÉTERIA").starts_with(&analyzer.beginning("cafe")));
        let analyzer = Analyzer::new(TextRules::default(), Collation::Utf8Mb4Bin);
        assert_ne!(analyzer.key("Cafe"), analyzer.key("cafe"));
    }
}
