//! Which columns of a table rows can be grouped by, and reading a part of it so.
//!
//! Not here: what else is asked of a table by column (`scan`).

use rows::error::Result;

use super::key::{Key, KeySpan};
use super::total::has_totals;
use super::{Grouping, Groups};
use crate::column::number_of;
use crate::scan::{Part, ScanRequest, TableColumns};
use crate::state::Live;

impl TableColumns {
    /// Whether rows can be grouped by a column, given by its position.
    pub fn can_group_by(&self, at: usize) -> bool {
        self.span(at, self.segments()).is_some()
    }

    /// Whether totals can be had of a column, given by its position.
    pub fn can_total(&self, at: usize) -> bool {
        self.table().columns.get(at).is_some_and(|column| has_totals(&column.ty))
    }

    /// About how many different values a column has, given by its position: of integers no more
    /// than lie between the smallest and the largest, of texts twice the words of a segment.
    ///
    /// # Errors
    /// Those of reading a column.
    pub fn values_about(&self, at: usize) -> Result<Option<u64>> {
        match self.span(at, self.segments()) {
            None => Ok(None),
            Some(KeySpan::Numbers(_, count)) => Ok(Some(u64::from(count) + 1)),
            Some(KeySpan::Texts) => {
                let slot = self.table().columns[at].slot;
                let live = self.segments().find(|live| live.segment.column(slot).is_some());
                let Some(live) = live else { return Ok(None) };
                let column = self.stored_column(live, slot)?;
                Ok(column.words().map(|words| 2 * words.views().len() as u64 + 1))
            }
        }
    }

    /// What values a column has in some segments, if a grouping can use them.
    fn span<'s>(&self, at: usize, segments: impl Iterator<Item = &'s Live>) -> Option<KeySpan> {
        let column = self.table().columns.get(at)?;
        let ranges = segments.filter_map(|live| match live.segment.column(column.slot) {
            Some(known) => known.range,
            None => {
                let absent = self.table().layout.absent(at);
                number_of(&column.ty, absent).ok().map(|number| (number, number))
            }
        });
        KeySpan::of(&column.ty, ranges)
    }

    /// Reads a part by groups. When one of the keys cannot be grouped by, all rows stand alone.
    pub fn read_groups(self, part: Part, wanted: ScanRequest, grouping: Grouping) -> Groups {
        let key = |at: &usize| {
            let position = wanted.positions[*at];
            let span = self.span(position, part.segments().iter())?;
            let absent = self.table().layout.absent(position);
            Some(Key::new(&self.table().columns[position].ty, absent, span))
        };
        let keys = grouping.keys.iter().map(key).collect::<Option<Vec<Key>>>();
        let rows = part.rows();
        Groups::new(self.read(part, wanted), rows, grouping, keys.unwrap_or_default())
    }
}
