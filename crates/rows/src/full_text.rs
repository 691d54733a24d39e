//! Rows by a full-text search, the most relevant first.
//!
//! Entries of a word lie in the order of their rows' keys. So the rows of a search are found by
//! going through the entries of all its words side by side; where a word must be there, those of
//! the rarest such word lead, and the others leap to where it is. Entries say how many times a row
//! has a word, and that says how relevant the row is: those rows alone are read that have all words
//! of a phrase.
//!
//! Invariants
//! 1. The view is one state: an entry in it has its row.
//! 2. Rows that are equally relevant come in the order of their keys.
//!
//! Not here: what is searched for and how relevant a text is (`expression`, `full_text`), entries
//! (`table::full_texts`).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use expression::{RankedSearch, TextSearch};
use resources::budget::Share;
use values::datum::Datum;
use values::row::RowRef;

use crate::bulk::go_on;
use crate::engine::Engine;
use crate::error::Result;
use crate::store::{Cursor, Direction, KeyRange, Reach, Read};
use crate::table::{FullTextCodec, Table};

/// Entries that are passed over one by one before a leap.
const STEPS_MAX: usize = 8;
/// What a key that is kept takes besides its bytes.
const KEY_BYTES: usize = 48;

/// An index in a state of the store, to be searched.
#[derive(Clone, Copy)]
pub struct FullTextView<'v> {
    /// The state.
    pub view: &'v dyn Read,
    /// The table.
    pub table: &'v Table,
    /// Which of its full-text indexes.
    pub index: usize,
    /// How far reads may go.
    pub reach: Reach,
}

impl<'v> FullTextView<'v> {
    fn codec(&self) -> &'v FullTextCodec {
        &self.table.full_text_codecs[self.index]
    }
}

impl Engine {
    /// How many rows there are for a search's ranks.
    ///
    /// # Errors
    /// Those of reading.
    pub fn rows_for_rank(&self, of: FullTextView<'_>) -> Result<u64> {
        match self.row_count(of.table)? {
            Some(rows) => Ok(rows),
            None => self.count_entries(of.view, &of.table.index_range(0), of.reach),
        }
    }

    /// How many entries each word of a search has.
    ///
    /// # Errors
    /// Those of reading.
    pub fn count_words(&self, of: FullTextView<'_>, search: &TextSearch) -> Result<Vec<u64>> {
        let words = search.words().iter();
        words
            .map(|word| self.count_entries(of.view, &of.codec().beginning(&word.key), of.reach))
            .collect()
    }

    /// The keys of the rows that a search finds, the most relevant first; `entries` is what
    /// `count_words` has counted, and `share` has what is remembered.
    ///
    /// # Errors
    /// Those of reading; `NoMemory`.
    pub fn find_ranked(
        &self,
        of: FullTextView<'_>,
        ranked: &RankedSearch,
        entries: &[u64],
        share: &mut Share,
    ) -> Result<Vec<Vec<u8>>> {
        let search = ranked.search();
        let mut bytes = share.bytes();
        let mut words = Vec::with_capacity(search.words().len());
        for word in search.words() {
            let range = of.codec().beginning(&word.key);
            words.push(match word.is_prefix {
                false => WordRows::of(of, range),
                true => WordRows::gathered(of, &range, share, &mut bytes)?,
            });
        }
        let rarest = search.required().into_iter().min_by_key(|word| entries.get(*word).copied());
        let table_start = of.table.index_range(0).start;
        let (mut found, mut at, mut count) = (Vec::new(), Vec::new(), 0);
        while let Some(key) = next_row(&mut words, rarest, &at)? {
            count += 1;
            go_on(count)?;
            let mut counts = Vec::with_capacity(words.len());
            for word in &mut words {
                let is_there = word.seek(&key)? && word.key() == key;
                counts.push(if is_there { word.times() } else { 0 });
            }
            let row_key = [&table_start[..], &key].concat();
            let rank = match ranked.needs_texts(&counts) {
                false => ranked.of_counts(counts),
                true => self.rank_of_row(of, ranked, &row_key)?,
            };
            if let Some(rank) = rank {
                bytes += row_key.len() + KEY_BYTES;
                share.keep_up_with(bytes)?;
                found.push((rank, row_key));
            }
            at = key;
            at.push(0);
        }
        found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        Ok(found.into_iter().map(|(_, key)| key).collect())
    }

    fn rank_of_row(
        &self,
        of: FullTextView<'_>,
        ranked: &RankedSearch,
        row_key: &[u8],
    ) -> Result<Option<f32>> {
        let mut rank = None;
        self.get(of.view, of.table, row_key, of.reach, &mut |found| {
            rank = ranked.of_texts(&texts_of(of, &found.row)?);
            Ok(())
        })?;
        Ok(rank)
    }

    /// The words of some rows that have entries, by their bytes and without those that a search has
    /// already: those which WITH QUERY EXPANSION adds.
    ///
    /// # Errors
    /// Those of reading; `NoMemory`.
    pub fn words_of_rows(
        &self,
        of: FullTextView<'_>,
        row_keys: &[Vec<u8>],
        search: &TextSearch,
        share: &mut Share,
    ) -> Result<Vec<Vec<u8>>> {
        let (mut words, mut bytes) = (BTreeSet::new(), share.bytes());
        let analyzer = of.codec().analyzer();
        let known: HashSet<&[u8]> = search.words().iter().map(|word| &word.key[..]).collect();
        for (count, row_key) in row_keys.iter().enumerate() {
            go_on(count as u64 + 1)?;
            self.get(of.view, of.table, row_key, of.reach, &mut |found| {
                for text in texts_of(of, &found.row)?.into_iter().flatten() {
                    analyzer.each_token(&String::from_utf8_lossy(text), &mut |token| {
                        let key = analyzer.key(token);
                        if analyzer.is_indexed(token) && !known.contains(&key[..]) {
                            let length = key.len();
                            bytes += if words.insert(key) { length + KEY_BYTES } else { 0 };
                        }
                    });
                }
                Ok(share.keep_up_with(bytes)?)
            })?;
        }
        Ok(words.into_iter().collect())
    }
}

fn texts_of<'r>(of: FullTextView<'_>, row: &RowRef<'r>) -> Result<Vec<Option<&'r [u8]>>> {
    let text = |column: &usize| {
        Ok(match row.column(*column)? {
            Datum::Bytes(text) => Some(text),
            _ => None,
        })
    };
    of.codec().columns.iter().map(text).collect()
}

/// The key of the next row, from `at` on, that has one of the words; that has a certain word, if
/// one leads.
fn next_row(
    words: &mut [WordRows<'_>],
    leading: Option<usize>,
    at: &[u8],
) -> Result<Option<Vec<u8>>> {
    if let Some(leading) = leading {
        let word = &mut words[leading];
        return Ok(if word.seek(at)? { Some(word.key().to_vec()) } else { None });
    }
    let mut next: Option<&[u8]> = None;
    for word in words {
        if word.seek(at)? && next.is_none_or(|next| word.key() < next) {
            next = Some(word.key());
        }
    }
    Ok(next.map(<[u8]>::to_vec))
}

/// The rows of a word, in the order of their keys.
enum WordRows<'v> {
    /// Of a whole word: read as they are wanted.
    Read {
        of: FullTextView<'v>,
        range: KeyRange,
        /// Of the entries' keys before the primary key.
        word_bytes: usize,
        cursor: Option<Box<dyn Cursor + 'v>>,
        times: u32,
        ended: bool,
    },
    /// Of all words that begin alike.
    Gathered { rows: Vec<(Vec<u8>, u32)>, at: usize },
}

impl<'v> WordRows<'v> {
    fn of(of: FullTextView<'v>, range: KeyRange) -> WordRows<'v> {
        let word_bytes = range.start.len();
        WordRows::Read { of, range, word_bytes, cursor: None, times: 0, ended: false }
    }

    fn gathered(
        of: FullTextView<'v>,
        range: &KeyRange,
        share: &mut Share,
        bytes: &mut usize,
    ) -> Result<WordRows<'v>> {
        let mut rows: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        let (mut cursor, mut count) = (of.view.scan(range, Direction::Forward, of.reach)?, 0);
        while cursor.advance()? {
            count += 1;
            go_on(count)?;
            let (key, value) = cursor.entry();
            let (_, primary, times) = FullTextCodec::read(key, value)?;
            if let Some(most) = rows.get_mut(primary) {
                *most = times.max(*most);
                continue;
            }
            *bytes += primary.len() + KEY_BYTES;
            share.keep_up_with(*bytes)?;
            rows.insert(primary.to_vec(), times);
        }
        Ok(WordRows::Gathered { rows: rows.into_iter().collect(), at: 0 })
    }

    /// Moves to the first one from `at` on, which is never before an earlier one; `false` at the
    /// end.
    fn seek(&mut self, start: &[u8]) -> Result<bool> {
        match self {
            WordRows::Gathered { rows, at } => {
                *at += rows[*at..].partition_point(|(key, _)| &key[..] < start);
                Ok(*at < rows.len())
            }
            WordRows::Read { of, range, word_bytes, cursor, times, ended } => {
                let word_bytes = *word_bytes;
                let mut is_found = false;
                if let Some(cursor) = cursor {
                    for _ in 0..STEPS_MAX {
                        if &cursor.key()[word_bytes..] >= start {
                            is_found = true;
                            break;
                        }
                        if !cursor.advance()? {
                            *ended = true;
                            break;
                        }
                    }
                }
                if !is_found && !*ended {
                    range.start.truncate(word_bytes);
                    range.start.extend_from_slice(start);
                    let mut next = of.view.scan(range, Direction::Forward, of.reach)?;
                    *ended = !next.advance()?;
                    *cursor = Some(next);
                }
                if *ended {
                    *cursor = None;
                }
                if let Some(cursor) = cursor {
                    let (key, value) = cursor.entry();
                    *times = FullTextCodec::read(key, value)?.2;
                }
                Ok(!*ended)
            }
        }
    }

    /// The row that was moved to.
    fn key(&self) -> &[u8] {
        match self {
            WordRows::Gathered { rows, at } => rows.get(*at).map_or(&[], |(key, _)| key),
            WordRows::Read { word_bytes, cursor, .. } => {
                cursor.as_ref().map_or(&[], |cursor| &cursor.key()[*word_bytes..])
            }
        }
    }

    /// How many times it has the word.
    fn times(&self) -> u32 {
        match self {
            WordRows::Gathered { rows, at } => rows.get(*at).map_or(0, |(_, times)| *times),
            WordRows::Read { times, .. } => *times,
        }
    }
}
