//! A search with how rare its words are: the relevance of a text.
//!
//! A word's weight is the square of `log10(rows / rows with the word)`, and a text's relevance the
//! sum of its words' weights, each as many times as the word is in it, in single precision, as
//! InnoDB has it. Where all rows have the word it is `log10(1.0001)`; a word that is searched for
//! twice is counted twice; of words that begin alike, the one that is most often in a text counts
//! for it, and all their entries together.
//!
//! Not here: counting entries (`rows::full_text`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use values::datum::Datum;
use values::full_text::{Analyzer, TextRules};
use values::types::Collation;

use super::search::{TextSearch, TextWords};
use crate::functions::call::Call;
use crate::statement::error::{Error, Result};
use crate::value::cell::Cell;

/// Searches that a thread keeps: as many as one statement usually has.
const SEARCHES_KEPT: usize = 4;

/// What is searched for, in which index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchTerms {
    /// What AGAINST says.
    pub text: String,
    /// IN BOOLEAN MODE.
    pub boolean: bool,
    /// The index's rules.
    pub rules: TextRules,
    /// The collation of its columns.
    pub collation: Collation,
    /// Keys of further words: WITH QUERY EXPANSION.
    pub expansion: Vec<Vec<u8>>,
}

/// A search, and how many rows have its words: the first argument of a call of MATCH.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchStatistics {
    /// What is searched for.
    pub terms: SearchTerms,
    /// How many rows there are.
    pub rows: u64,
    /// How many entries each word has.
    pub entries: Vec<u64>,
}

impl SearchTerms {
    /// The search.
    ///
    /// # Errors
    /// As `TextSearch::new`.
    pub fn search(&self, analyzer: &Analyzer) -> Result<TextSearch> {
        let mut search = TextSearch::new(&self.text, self.boolean, analyzer)?;
        search.add_words(self.expansion.clone());
        Ok(search)
    }
}

impl SearchStatistics {
    /// As bytes, for the call.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// A search that says how relevant texts are.
#[derive(Debug)]
pub struct RankedSearch {
    analyzer: Analyzer,
    search: TextSearch,
    /// Of each word, the logarithm.
    rarity: Vec<f64>,
    /// Places of words that are whole, by their keys.
    whole: HashMap<Vec<u8>, usize>,
    /// Places of words of which the beginning is said.
    prefixes: Vec<usize>,
}

impl RankedSearch {
    /// Of a search whose words have so many entries.
    ///
    /// # Errors
    /// As `TextSearch::new`.
    pub fn new(statistics: &SearchStatistics) -> Result<RankedSearch> {
        let SearchStatistics { terms, rows, entries } = statistics;
        let analyzer = Analyzer::new(terms.rules, terms.collation);
        let search = terms.search(&analyzer)?;
        let words = search.words();
        // Entries may be those of rows that are not committed, which nobody has counted.
        let rows = entries.iter().copied().max().unwrap_or_default().max(*rows).max(1);
        let rarity = words.iter().enumerate().map(|(at, word)| {
            let entries = entries.get(at).copied().unwrap_or(0) * u64::from(word.times);
            match entries == rows {
                true => 1.0001f64.log10(),
                false => (rows as f64 / entries.max(1) as f64).log10(),
            }
        });
        let rarity = rarity.collect();
        let whole = words.iter().enumerate().filter(|(_, word)| !word.is_prefix);
        let whole = whole.map(|(at, word)| (word.key.clone(), at)).collect();
        let prefixes = (0..words.len()).filter(|at| words[*at].is_prefix).collect();
        Ok(RankedSearch { analyzer, search, rarity, whole, prefixes })
    }

    /// What is searched for.
    pub fn search(&self) -> &TextSearch {
        &self.search
    }

    /// The relevance of a row with these texts in the columns of the index; `None` where it is not
    /// found.
    pub fn of_texts(&self, texts: &[Option<&[u8]>]) -> Option<f32> {
        let words = self.search.words();
        let mut text =
            TextWords { counts: vec![0; words.len()], tokens: vec![Vec::new(); texts.len()] };
        let mut alike: HashMap<(usize, Vec<u8>), u32> = HashMap::new();
        let mut key = Vec::new();
        for (at, column) in texts.iter().enumerate() {
            let column = String::from_utf8_lossy(column.unwrap_or_default());
            self.analyzer.each_token(&column, &mut |token| {
                key.clear();
                self.analyzer.push_key(token, &mut key);
                if let Some(word) = self.whole.get(&key)
                    && self.analyzer.is_indexed(token)
                {
                    text.counts[*word] += 1;
                }
                for prefix in &self.prefixes {
                    if key.starts_with(&words[*prefix].key) && self.analyzer.is_indexed(token) {
                        *alike.entry((*prefix, key.clone())).or_default() += 1;
                    }
                }
                if self.search.has_phrases() {
                    text.tokens[at].push(key.clone());
                }
            });
        }
        for ((prefix, _), count) in alike {
            text.counts[prefix] = text.counts[prefix].max(count);
        }
        self.rank(&text)
    }

    /// Whether a row that has each word so many times may have a phrase: its texts tell.
    pub fn needs_texts(&self, counts: &[u32]) -> bool {
        self.search.may_have_phrase(counts)
    }

    /// The relevance of a row that has each word so many times, and no phrase.
    pub fn of_counts(&self, counts: Vec<u32>) -> Option<f32> {
        self.rank(&TextWords { counts, tokens: Vec::new() })
    }

    fn rank(&self, text: &TextWords) -> Option<f32> {
        let found = self.search.find(text)?;
        let weight = |word: &usize| {
            let rarity = self.rarity[*word];
            (f64::from(text.counts[*word]) * rarity * rarity) as f32
        };
        Some(found.words.iter().fold(found.added, |rank, word| rank + weight(word)))
    }
}

thread_local! {
    /// The searches that this thread was last asked for, row after row, the latest first.
    static LAST: RefCell<Vec<(Vec<u8>, Rc<RankedSearch>)>> = const { RefCell::new(Vec::new()) };
}

fn search_of(encoded: &[u8]) -> Result<Rc<RankedSearch>> {
    LAST.with_borrow_mut(|last| {
        if let Some(at) = last.iter().position(|(known, _)| known == encoded) {
            last[..=at].rotate_right(1);
            return Ok(Rc::clone(&last[0].1));
        }
        let statistics: SearchStatistics = serde_json::from_slice(encoded)
            .map_err(|_| Error::other("statistics of a search that are none"))?;
        let search = Rc::new(RankedSearch::new(&statistics)?);
        last.truncate(SEARCHES_KEPT - 1);
        last.insert(0, (encoded.to_vec(), Rc::clone(&search)));
        Ok(search)
    })
}

/// MATCH: of the statistics of a search and the texts of the columns.
pub(crate) fn match_against<'a>(_call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Some((Datum::Bytes(encoded), texts)) =
        cells.split_first().map(|(first, texts)| (first.datum(), texts))
    else {
        return Ok(Cell::Plain(Datum::Double(0.0)));
    };
    let search = search_of(encoded)?;
    let texts: Vec<Option<&[u8]>> = texts
        .iter()
        .map(|text| match text.datum() {
            Datum::Bytes(text) => Some(text),
            _ => None,
        })
        .collect();
    let rank = search.of_texts(&texts).unwrap_or(0.0);
    Ok(Cell::Plain(Datum::Double(f64::from(rank))))
}
