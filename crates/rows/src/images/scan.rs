//! Scans of indexes: from an image where there is one, from the view otherwise, and then counted.

use std::sync::atomic::Ordering;

use crate::engine::Engine;
use crate::error::Result;
use crate::store::{Cursor, Direction, KeyRange, Reach, Read};
use crate::table::{ImageCursor, Table};

/// What beginning a scan costs, in entries gone through.
const SCAN_COST: u64 = 16;

impl Engine {
    /// A cursor on a range of an index: as the view's own, from memory where an image shows the
    /// same.
    ///
    /// # Errors
    /// Those of the view.
    pub(crate) fn scan<'v>(
        &'v self,
        view: &'v dyn Read,
        table: &'v Table,
        index: usize,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'v>> {
        // Of multi-valued ones there are none.
        let Some(place) = table.images.get(index) else {
            return view.scan(range, direction, reach);
        };
        if let Some(image) = place.shown_to(view, table.as_version()) {
            return Ok(Box::new(ImageCursor::new(image, range, direction)));
        }
        let cursor = view.scan(range, direction, reach)?;
        if !self.may_have_images(table) || place.is_large.load(Ordering::Relaxed) {
            return Ok(cursor);
        }
        Ok(Box::new(CountingCursor { cursor, engine: self, table, index, entries: SCAN_COST }))
    }
}

/// A cursor of a view, whose steps count.
struct CountingCursor<'v> {
    cursor: Box<dyn Cursor + 'v>,
    engine: &'v Engine,
    table: &'v Table,
    index: usize,
    entries: u64,
}

impl Drop for CountingCursor<'_> {
    fn drop(&mut self) {
        self.engine.note_read(self.table, self.index, self.entries);
    }
}

impl Cursor for CountingCursor<'_> {
    fn advance(&mut self) -> Result<bool> {
        self.entries += 1;
        self.cursor.advance()
    }

    fn key(&self) -> &[u8] {
        self.cursor.key()
    }

    fn value(&self) -> &[u8] {
        self.cursor.value()
    }

    fn entry(&self) -> (&[u8], &[u8]) {
        self.cursor.entry()
    }
}
