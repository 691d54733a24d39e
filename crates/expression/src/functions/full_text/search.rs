//! A search as a tree over words, and what it makes of one text.
//!
//! Items of a list are looked at as InnoDB does: first those that add to the relevance, in their
//! order, then those that must be there, then those that must not. A text's relevance is a sum over
//! the words that it was found by, in the order in which they are looked at (`ranked`), and what
//! `>`, `<` and `~` add to it, which is between -1 and 1 (MySQL 9.7 answers so:
//! tests/oracle/sql/full-text.sql).
//!
//! Invariants
//! 1. A word that has no entries, as a stopword, is in no text. So one that must be there is never
//!    found.
//!
//! Not here: how rare words are (`ranked`).

use std::collections::HashMap;

use values::full_text::{Analyzer, TextParser};

use super::parse::{SearchOperator, WrittenItem, parse};
use crate::statement::error::Result;

/// A word that is searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchWord {
    /// The bytes that entries of it have, or begin with.
    pub key: Vec<u8>,
    /// Whether all words count that begin so.
    pub is_prefix: bool,
    /// How many times it is searched for: so many times its entries are counted.
    pub times: u32,
}

/// What is searched for.
#[derive(Clone, Debug, Default)]
pub struct TextSearch {
    words: Vec<SearchWord>,
    items: Vec<Item>,
    /// Whether there are phrases.
    has_phrases: bool,
}

#[derive(Clone, Debug)]
struct Item {
    operator: SearchOperator,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// What is in no text.
    Nothing,
    Word(usize),
    Phrase(Phrase),
    List(Vec<Item>),
}

#[derive(Clone, Debug)]
struct Phrase {
    /// Its words that have entries.
    words: Vec<usize>,
    /// Keys of all its words, from the first that has entries.
    keys: Vec<Vec<u8>>,
    distance: Option<u32>,
}

/// The words of a text, as far as a search asks for them.
#[derive(Clone, Debug, Default)]
pub(super) struct TextWords {
    /// How many times each word of the search is in it.
    pub counts: Vec<u32>,
    /// Keys of all its tokens, by column, where phrases are searched for.
    pub tokens: Vec<Vec<Vec<u8>>>,
}

/// What a search has found in a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FoundText {
    /// What operators add to its relevance.
    pub added: f32,
    /// The words by which it was found.
    pub words: Vec<usize>,
}

impl FoundText {
    fn add_words(&mut self, words: &[usize]) {
        for word in words {
            if let Err(at) = self.words.binary_search(word) {
                self.words.insert(at, *word);
            }
        }
    }

    fn add(&mut self, more: f32) {
        self.added = (self.added + more).clamp(-1.0, 1.0);
    }
}

impl TextSearch {
    /// What a text of AGAINST says, by the rules of an index.
    ///
    /// # Errors
    /// 1064 in boolean mode, where operators make no sense.
    pub fn new(text: &str, boolean: bool, analyzer: &Analyzer) -> Result<TextSearch> {
        let mut maker = Maker { analyzer, search: TextSearch::default(), numbers: HashMap::new() };
        let written = parse(text, boolean)?;
        let items = maker.items(written, boolean);
        let mut search = TextSearch { items, ..maker.search };
        search.order_words();
        Ok(search)
    }

    /// The search for any of these words besides, by their keys.
    pub(super) fn add_words(&mut self, keys: Vec<Vec<u8>>) {
        for key in keys {
            self.items
                .push(Item { operator: SearchOperator::Plain, what: What::Word(self.words.len()) });
            self.words.push(SearchWord { key, is_prefix: false, times: 1 });
        }
    }

    /// The words, in the order in which they are looked at.
    pub fn words(&self) -> &[SearchWord] {
        &self.words
    }

    /// Words without which no text is found.
    pub fn required(&self) -> Vec<usize> {
        let mut required = Vec::new();
        for item in &self.items {
            match &item.what {
                What::Word(word) if item.operator == SearchOperator::Required => {
                    required.push(*word);
                }
                What::Phrase(phrase) if item.operator == SearchOperator::Required => {
                    required.extend(&phrase.words);
                }
                _ => {}
            }
        }
        required
    }

    /// Whether a text that has each word so many times may have a phrase.
    pub(super) fn may_have_phrase(&self, counts: &[u32]) -> bool {
        self.has_phrases && may_have_phrase(&self.items, counts)
    }

    /// Whether counts of words do not say which texts are found.
    pub(super) fn has_phrases(&self) -> bool {
        self.has_phrases
    }

    /// What it finds in a text, if it finds it.
    pub(super) fn find(&self, text: &TextWords) -> Option<FoundText> {
        find(&self.items, text)
    }

    /// Numbers words in the order in which they are looked at: that in which relevance is added up.
    fn order_words(&mut self) {
        let mut order = Vec::with_capacity(self.words.len());
        let mut is_seen = vec![false; self.words.len()];
        each_word(&self.items, &mut |word| {
            if !std::mem::replace(&mut is_seen[word], true) {
                order.push(word);
            }
        });
        let mut places = vec![0; self.words.len()];
        order.iter().enumerate().for_each(|(place, word)| places[*word] = place);
        renumber(&mut self.items, &places);
        self.words = order.iter().map(|word| self.words[*word].clone()).collect();
    }
}

/// How late an operator is looked at.
fn pass(operator: SearchOperator) -> u8 {
    match operator {
        SearchOperator::Required => 1,
        SearchOperator::Excluded => 2,
        _ => 0,
    }
}

fn each_word(items: &[Item], each: &mut dyn FnMut(usize)) {
    for now in 0..3 {
        for item in items.iter().filter(|item| pass(item.operator) == now) {
            match &item.what {
                What::Nothing => {}
                What::Word(word) => each(*word),
                What::Phrase(phrase) => phrase.words.iter().for_each(|word| each(*word)),
                What::List(items) => each_word(items, each),
            }
        }
    }
}

fn may_have_phrase(items: &[Item], counts: &[u32]) -> bool {
    items.iter().any(|item| match &item.what {
        What::Nothing | What::Word(_) => false,
        What::Phrase(phrase) => phrase.words.iter().all(|word| counts[*word] > 0),
        What::List(items) => may_have_phrase(items, counts),
    })
}

fn renumber(items: &mut [Item], places: &[usize]) {
    for item in items {
        match &mut item.what {
            What::Nothing => {}
            What::Word(word) => *word = places[*word],
            What::Phrase(phrase) => phrase.words.iter_mut().for_each(|word| *word = places[*word]),
            What::List(items) => renumber(items, places),
        }
    }
}

struct Maker<'a> {
    analyzer: &'a Analyzer,
    search: TextSearch,
    /// Those of words, by their keys and whether all words count that begin so.
    numbers: HashMap<(Vec<u8>, bool), usize>,
}

impl Maker<'_> {
    fn items(&mut self, written: Vec<(SearchOperator, WrittenItem)>, boolean: bool) -> Vec<Item> {
        let mut items = Vec::with_capacity(written.len());
        for (operator, item) in written {
            let mut add = |what| items.push(Item { operator, what });
            match item {
                WrittenItem::Word { text, is_prefix } => {
                    self.words_of(&text, is_prefix, boolean).into_iter().for_each(add);
                }
                WrittenItem::Phrase { text, distance } => {
                    if let Some(what) = self.phrase(&text, distance) {
                        add(what);
                    }
                }
                WrittenItem::List(list) if list.is_empty() => {}
                WrittenItem::List(list) => add(What::List(self.items(list, boolean))),
            }
        }
        items
    }

    fn tokens(&self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.analyzer.each_token(text, &mut |token| tokens.push(token.to_owned()));
        tokens
    }

    fn words_of(&mut self, text: &str, is_prefix: bool, boolean: bool) -> Vec<What> {
        let rules = self.analyzer.rules();
        if rules.parser == TextParser::Ngram {
            let is_short = text.chars().count() < usize::from(rules.gram_chars);
            return match (boolean, is_prefix && is_short) {
                (_, true) => vec![self.prefix(text)],
                // Its pieces one behind the other are the word.
                (true, false) => self.phrase(text, None).into_iter().collect(),
                (false, false) => self.tokens(text).iter().map(|token| self.word(token)).collect(),
            };
        }
        let mut tokens = self.tokens(text);
        let last = match is_prefix {
            true => tokens.pop(),
            false => None,
        };
        let first = tokens.first().cloned();
        // Behind the first a short or long one is passed over.
        let chars = |token: &str| token.chars().count();
        let mut seen_first = false;
        let counts = |token: &&String| {
            let is_first = !std::mem::replace(&mut seen_first, true);
            is_first && first.is_some() && chars(token) <= usize::from(rules.word_chars_max)
                || !is_first
                    && (usize::from(rules.word_chars_min)..=usize::from(rules.word_chars_max))
                        .contains(&chars(token))
        };
        let whole: Vec<String> = tokens.iter().filter(counts).cloned().collect();
        let whole = whole.iter().map(|token| self.word(token)).collect::<Vec<_>>();
        whole.into_iter().chain(last.map(|token| self.prefix(&token))).collect()
    }

    fn word(&mut self, token: &str) -> What {
        match self.analyzer.is_indexed(token) {
            true => What::Word(self.number(self.analyzer.key(token), false)),
            false => What::Nothing,
        }
    }

    fn prefix(&mut self, token: &str) -> What {
        What::Word(self.number(self.analyzer.beginning(token), true))
    }

    fn number(&mut self, key: Vec<u8>, is_prefix: bool) -> usize {
        let words = &mut self.search.words;
        let number = *self.numbers.entry((key.clone(), is_prefix)).or_insert(words.len());
        match words.get_mut(number) {
            Some(word) => word.times += 1,
            None => words.push(SearchWord { key, is_prefix, times: 1 }),
        }
        number
    }

    /// A phrase; `None` where there is no word in it.
    fn phrase(&mut self, text: &str, distance: Option<u32>) -> Option<What> {
        let tokens = self.tokens(text);
        // What stands in front of the first word with entries is not looked at, as in InnoDB.
        let Some(first) = tokens.iter().position(|token| self.analyzer.is_indexed(token)) else {
            return if tokens.is_empty() { None } else { Some(What::Nothing) };
        };
        let tokens = &tokens[first..];
        let indexed: Vec<&String> =
            tokens.iter().filter(|token| self.analyzer.is_indexed(token)).collect();
        let distance = distance.filter(|distance| *distance > 0);
        if tokens.len() == 1 || distance.is_some() && indexed.len() == 1 {
            return Some(self.word(&tokens[0]));
        }
        let keys: Vec<Vec<u8>> = indexed.iter().map(|token| self.analyzer.key(token)).collect();
        let words = keys.into_iter().map(|key| self.number(key, false)).collect();
        self.search.has_phrases = true;
        let keys = tokens.iter().map(|token| self.analyzer.key(token)).collect();
        Some(What::Phrase(Phrase { words, keys, distance }))
    }
}

fn find(items: &[Item], text: &TextWords) -> Option<FoundText> {
    let mut found: Option<FoundText> = None;
    for item in items.iter().filter(|item| pass(item.operator) == 0) {
        let Some(own) = find_item(item, text) else { continue };
        if item.operator != SearchOperator::Negated {
            found.get_or_insert(FoundText { added: own.added, words: Vec::new() });
        }
        let Some(found) = &mut found else { continue };
        match item.operator {
            SearchOperator::Raised => found.add(1.0),
            SearchOperator::Lowered | SearchOperator::Negated => found.add(-1.0),
            _ => {}
        }
        found.add_words(&own.words);
    }
    let mut is_first = true;
    for item in items.iter().filter(|item| pass(item.operator) == 1) {
        let own = find_item(item, text)?;
        let before = match found.take() {
            None if is_first => FoundText::default(),
            before => before?,
        };
        let mut both = FoundText { words: before.words, added: before.added };
        both.add(own.added);
        both.add_words(&own.words);
        found = Some(both);
        is_first = false;
    }
    let mut excluded = items.iter().filter(|item| pass(item.operator) == 2);
    found.filter(|_| !excluded.any(|item| find_item(item, text).is_some()))
}

fn find_item(item: &Item, text: &TextWords) -> Option<FoundText> {
    let has = |word: &usize| text.counts[*word] > 0;
    let by_words = |words: &[usize]| {
        let mut found = FoundText::default();
        found.add_words(words);
        found
    };
    match &item.what {
        What::Nothing => None,
        What::Word(word) => has(word).then(|| by_words(&[*word])),
        What::Phrase(phrase) => {
            let is_there = phrase.words.iter().all(has) && phrase.is_in(&text.tokens);
            is_there.then(|| by_words(&phrase.words))
        }
        What::List(items) => find(items, text),
    }
}

impl Phrase {
    fn is_in(&self, columns: &[Vec<Vec<u8>>]) -> bool {
        match self.distance {
            None => columns.iter().any(|tokens| {
                tokens.windows(self.keys.len()).any(|window| window == self.keys.as_slice())
            }),
            Some(distance) => self.is_within(columns, distance as usize),
        }
    }

    /// Whether so many words in a row have all of its words, in whatever order; columns follow each
    /// other.
    fn is_within(&self, columns: &[Vec<Vec<u8>>], distance: usize) -> bool {
        let tokens: Vec<&Vec<u8>> = columns.iter().flatten().collect();
        let mut last: Vec<Option<usize>> = vec![None; self.keys.len()];
        tokens.iter().enumerate().any(|(at, token)| {
            let mut is_one = false;
            for (key, last) in self.keys.iter().zip(&mut last).filter(|(key, _)| key == token) {
                debug_assert_eq!(key, *token);
                *last = Some(at);
                is_one = true;
            }
            let first = last.iter().copied().min().flatten();
            is_one && first.is_some_and(|first| at - first < distance)
        })
    }
}
