//! What a table has already, for a load into one with rows: each unique key is looked for.
//!
//! The keys of a load come sorted, so look-ups that follow each other meet the same blocks; and
//! those beyond the first and the last key of a range, as of rows that are appended, meet nothing.
//!
//! Not here: what becomes of rows whose key is there (`duplicates`).

use crate::error::Result;
use crate::store::{Direction, KeyRange, Reach, Read};
use crate::table::Table;

/// The keys of an index in a range.
pub(super) struct Existing<'a> {
    view: &'a dyn Read,
    table: &'a Table,
    index: usize,
    first: Vec<u8>,
    last: Vec<u8>,
    value: Vec<u8>,
}

impl<'a> Existing<'a> {
    /// `None` if there are none.
    ///
    /// # Errors
    /// Those of reading.
    pub fn of(
        view: &'a dyn Read,
        table: &'a Table,
        index: usize,
        range: &KeyRange,
    ) -> Result<Option<Existing<'a>>> {
        let mut all = table.index_range(index);
        if range.start > all.start {
            all.start.clone_from(&range.start);
        }
        if !range.end.is_empty() && (all.end.is_empty() || range.end < all.end) {
            all.end.clone_from(&range.end);
        }
        let outermost = |direction| {
            let mut cursor = view.scan(&all, direction, Reach::Disk)?;
            Ok::<_, crate::Error>(cursor.advance()?.then(|| cursor.key().to_vec()))
        };
        let ends = outermost(Direction::Forward)?.zip(outermost(Direction::Backward)?);
        Ok(ends.map(|(first, last)| Existing {
            view,
            table,
            index,
            first,
            last,
            value: Vec::new(),
        }))
    }

    /// Whether a key is there.
    ///
    /// # Errors
    /// Those of reading.
    pub fn has(&mut self, key: &[u8]) -> Result<bool> {
        Ok(*key >= self.first[..]
            && *key <= self.last[..]
            && self.view.get(key, Reach::Disk, &mut self.value)?)
    }

    /// Puts the key of the row that has a key of the index into `row_key`; `false` if none has it.
    ///
    /// # Errors
    /// Those of reading; `Corrupt`.
    pub fn find(&mut self, key: &[u8], row_key: &mut Vec<u8>) -> Result<bool> {
        if !self.has(key)? {
            return Ok(false);
        }
        if self.index > 0 {
            self.table.entry_target(self.index, key, &self.value, row_key)?;
        } else {
            row_key.clear();
            row_key.extend_from_slice(key);
        }
        Ok(true)
    }
}
