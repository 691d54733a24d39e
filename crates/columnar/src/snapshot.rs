//! A state of the store, with the rows of columnar tables in the place of where they are.
//!
//! Not here: the state of now (`store`), rows by column (`scan`).

use std::any::Any;
use std::sync::Arc;

use rows::error::Result;
use rows::store::{Cursor, Direction, KeyRange, Reach, Read};

use crate::reader::{Columns, Reader, RowCursor, View};
use crate::tables::Moment;

/// A state of the store.
pub(crate) struct ColumnSnapshot {
    pub inner: Arc<dyn Read>,
    pub columns: Arc<Columns>,
    /// As `Tables::at_moment` says.
    pub moment: Moment,
}

impl Read for ColumnSnapshot {
    fn beneath(&self, _: &KeyRange) -> Option<&dyn Any> {
        Some(self)
    }

    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.reader().get(key, reach, value)
    }

    fn contains(&self, key: &[u8], reach: Reach) -> Result<bool> {
        self.inner.contains(key, reach)
    }

    fn sequence(&self) -> Option<u64> {
        self.inner.sequence()
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        self.reader().get_many(keys, reach, each)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        Ok(self.shown(self.inner.scan(range, direction, reach)?, range, reach))
    }

    fn scan_once<'a>(&'a self, range: &KeyRange) -> Result<Box<dyn Cursor + 'a>> {
        Ok(self.shown(self.inner.scan_once(range)?, range, Reach::Disk))
    }
}

impl ColumnSnapshot {
    /// What a cursor below shows of a range.
    fn shown<'a>(
        &'a self,
        cursor: Box<dyn Cursor + 'a>,
        range: &KeyRange,
        reach: Reach,
    ) -> Box<dyn Cursor + 'a> {
        match self.columns.tables.of_row(&range.start) {
            None => cursor,
            Some(_) => {
                let view = View::Borrowed(&*self.inner);
                Box::new(RowCursor::new(cursor, &self.columns, view, reach))
            }
        }
    }

    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { columns: &self.columns, inner: &*self.inner }
    }
}
