//! Entries of full-text indexes: which words a row has, and how many times each.
//!
//! ```text
//! table id u32 | index id u16 | word | primary key parts     value: u16, where the primary key
//!                                                            begins; u32, how many times
//! ```
//! Numbers are little-endian. A word is written as a text of the columns' collation, so that words
//! which are equal by it share their entries' beginning, and the rows of a word lie in the order of
//! their keys.
//!
//! Not here: cutting texts (`values::full_text`), writing entries (`transaction`), rows found
//! (`full_text`).

use std::collections::HashMap;

use values::datum::Datum;
use values::full_text::Analyzer;
use values::types::Collation;

use super::keys::{PREFIX_BYTES, key_prefix};
use super::ranges::successor;
use crate::error::{Error, Result};
use crate::schema::{FullTextIndex, TableDefinition, text_collation};
use crate::store::KeyRange;

/// Bytes of an entry's value.
const VALUE_BYTES: usize = 6;

/// A full-text index with what its keys need.
#[derive(Clone, Debug)]
pub struct FullTextCodec {
    prefix: [u8; PREFIX_BYTES],
    /// Positions of its columns in the table.
    pub columns: Vec<usize>,
    /// The collation of its columns.
    pub collation: Collation,
    analyzer: Analyzer,
}

impl FullTextCodec {
    /// Of an index of a table, whose definition has been checked.
    pub(super) fn new(definition: &TableDefinition, index: &FullTextIndex) -> FullTextCodec {
        let columns: Vec<usize> =
            index.columns.iter().filter_map(|name| definition.column(name)).collect();
        let first = columns.first().map(|at| &definition.columns[*at].ty);
        let collation = first.and_then(text_collation).unwrap_or(Collation::Utf8Mb4Bin);
        FullTextCodec {
            prefix: key_prefix(definition.id, index.id),
            columns,
            collation,
            analyzer: Analyzer::new(index.rules, collation),
        }
    }

    /// What cuts its texts.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// All entries.
    pub fn all(&self) -> KeyRange {
        self.beginning(&[])
    }

    /// Entries of words whose bytes begin so.
    pub fn beginning(&self, key: &[u8]) -> KeyRange {
        let start = [&self.prefix[..], key].concat();
        KeyRange { end: successor(&start), start }
    }

    /// The entries of a row with such parts of a primary key.
    pub(super) fn entries(
        &self,
        row: &[Datum<'_>],
        primary: &[u8],
    ) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
        let mut words: HashMap<Vec<u8>, u32> = HashMap::new();
        for column in &self.columns {
            let Datum::Bytes(text) = row[*column] else { continue };
            self.analyzer.each_token(&String::from_utf8_lossy(text), &mut |token| {
                if self.analyzer.is_indexed(token) {
                    *words.entry(self.analyzer.key(token)).or_default() += 1;
                }
            });
        }
        words.into_iter().map(|(word, times)| {
            let mut key = Vec::with_capacity(PREFIX_BYTES + word.len() + primary.len());
            key.extend_from_slice(&self.prefix);
            key.extend_from_slice(&word);
            let mut value = Vec::with_capacity(VALUE_BYTES);
            value.extend_from_slice(&(key.len() as u16).to_le_bytes());
            value.extend_from_slice(&times.to_le_bytes());
            key.extend_from_slice(primary);
            (key, value)
        })
    }

    /// What an entry says: the word's bytes, the parts of the primary key, and how many times the
    /// word is there.
    ///
    /// # Errors
    /// `Corrupt`.
    pub(crate) fn read<'e>(key: &'e [u8], value: &[u8]) -> Result<(&'e [u8], &'e [u8], u32)> {
        let damaged = || Error::Corrupt { key: key.to_vec(), why: "full-text index entry" };
        let value: [u8; VALUE_BYTES] = value.try_into().map_err(|_| damaged())?;
        let [low, high, times @ ..] = value;
        let end = usize::from(u16::from_le_bytes([low, high]));
        let (word, primary) =
            key.split_at_checked(end).filter(|_| end >= PREFIX_BYTES).ok_or_else(damaged)?;
        Ok((&word[PREFIX_BYTES..], primary, u32::from_le_bytes(times)))
    }
}
