//! Images: indexes of small tables that nobody writes to, held in memory in one piece, so that whoever
//! goes through them does not ask the store from entry to entry.
//!
//! ```text
//! scans of an index   |--|  |------|  |---|        |------|         |------|
//! entries that they   ----- counted: twice as many as there are     read from the image
//! went through                        -> wanted -> made             until somebody writes
//! ```
//!
//! An image is made once scans have gone through twice as many entries as the index has, since somebody
//! wrote to the table last: so where tables change all the time, images cost next to nothing, and where
//! they do not, at most half as much as what is saved from then on.
//!
//! Invariants
//! 1. An image has the entries of one state of the store, and is shown to views of that state and later
//!    ones while nobody has written to the table since (`Still`).
//! 2. All images together have at most `bytes_max` bytes, one a quarter of that. The row cache has so much
//!    less meanwhile.
//!
//! Beside this file: what an image is (`image`).
//!
//! Not here: columnar tables, and those whose rows expire or leave when the table is full: they go
//! without a writer.

mod image;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, RwLock};

use crate::engine::Engine;
use crate::error::Result;
use crate::store::{Cursor, Direction, KeyRange, Reach, Read};
use crate::table::{Still, Table, TableState};
use image::{Image, ImageCursor};

/// What beginning a scan costs, in entries gone through.
const SCAN_COST: u64 = 16;
/// How often scans have gone through an index before its image is made.
const TIMES_READ: u64 = 2;
/// Entries gone through before it is asked how many an index has.
const READ_MIN: u64 = 1_000;
/// Part of the bytes of all images that one may have.
const LARGEST_PART: usize = 4;
/// Most bytes that one may have, whatever there is: what lies in it is found by 32 bits.
const LARGEST_BYTES: usize = 1 << 30;
/// Entries that are read between two looks at whether that is still of use.
const LOOK_EVERY: usize = 1_024;
/// Images that wait to be made; more are asked for again by the next scans.
const WANTED_MAX: usize = 64;

/// What one index of one version of a table has in memory.
#[derive(Debug, Default)]
pub(crate) struct ImagePlace {
    shown: RwLock<Option<Shown>>,
    /// How many writers had left when it was begun to count,
    left: AtomicU64,
    /// and the entries that scans have gone through since.
    read: AtomicU64,
    is_wanted: AtomicBool,
    /// Whether it is too large for an image.
    is_large: AtomicBool,
    /// Whether it was shown since somebody looked for room.
    is_used: AtomicBool,
}

#[derive(Clone, Debug)]
struct Shown {
    still: Still,
    image: Arc<Image>,
}

/// The images of an engine.
#[derive(Debug)]
pub(crate) struct Images {
    bytes_max: usize,
    bytes: Arc<AtomicUsize>,
    wanted: Mutex<Vec<Wanted>>,
    /// Those that have one, in the order in which it is looked for room.
    places: Mutex<VecDeque<Weak<ImagePlace>>>,
}

/// An image that is to be made.
#[derive(Debug)]
struct Wanted {
    place: Weak<ImagePlace>,
    state: Arc<TableState>,
    /// The whole index.
    range: KeyRange,
}

impl Images {
    /// None yet. `bytes_max` 0: never any. Their bytes are counted in `bytes`.
    pub fn new(bytes_max: usize, bytes: Arc<AtomicUsize>) -> Images {
        Images { bytes_max, bytes, wanted: Mutex::default(), places: Mutex::default() }
    }

    /// Most bytes of one.
    fn largest(&self) -> usize {
        (self.bytes_max / LARGEST_PART).min(LARGEST_BYTES)
    }

    /// Whether there is room for all, if need be by letting those go that were not shown of late.
    fn make_room(&self) -> bool {
        let mut places = self.places.lock();
        let mut looks = 2 * places.len();
        while self.bytes.load(Ordering::Relaxed) > self.bytes_max {
            let Some(place) = places.pop_front().filter(|_| looks > 0) else { return false };
            looks -= 1;
            let Some(held) = place.upgrade() else { continue };
            if held.is_used.swap(false, Ordering::Relaxed) {
                places.push_back(place);
            } else {
                held.forget();
            }
        }
        true
    }
}

impl ImagePlace {
    /// The image, if a view shows the same.
    fn shown_to(&self, view: &dyn Read, table: &Table) -> Option<Arc<Image>> {
        let Shown { still, image } = self.shown.read().clone()?;
        if still.is_shown_by(view, table) {
            if !self.is_used.load(Ordering::Relaxed) {
                self.is_used.store(true, Ordering::Relaxed);
            }
            return Some(image);
        }
        if table.changes() != still.left {
            self.forget();
        }
        None
    }

    fn forget(&self) {
        let gone = self.shown.write().take();
        self.read.store(0, Ordering::Relaxed);
        drop(gone);
    }

    /// Counts entries that a scan has gone through.
    fn note_read(&self, table: &Table, entries: u64) -> u64 {
        let left = table.changes();
        if self.left.load(Ordering::Relaxed) == left {
            return self.read.fetch_add(entries, Ordering::Relaxed) + entries;
        }
        self.left.store(left, Ordering::Relaxed);
        self.read.store(entries, Ordering::Relaxed);
        entries
    }
}

impl Engine {
    /// A cursor on a range of an index: as the view's own, from memory where an image shows the same.
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
        let place = &table.images[index];
        if let Some(image) = place.shown_to(view, table) {
            return Ok(Box::new(ImageCursor::new(image, range, direction)));
        }
        let cursor = view.scan(range, direction, reach)?;
        if !self.may_have_images(table) || place.is_large.load(Ordering::Relaxed) {
            return Ok(cursor);
        }
        Ok(Box::new(CountingCursor { cursor, engine: self, table, index, entries: SCAN_COST }))
    }

    fn may_have_images(&self, table: &Table) -> bool {
        let stays = !table.columnar && table.expiry_column().is_none();
        stays && table.recency().is_none() && self.images().bytes_max > 0
    }

    /// A scan of an index went through so many entries.
    fn note_read(&self, table: &Table, index: usize, entries: u64) {
        let place = &table.images[index];
        let read = place.note_read(table, entries);
        if read < READ_MIN || place.is_wanted.load(Ordering::Relaxed) {
            return;
        }
        let rows = self.row_count(table).ok().flatten().unwrap_or(u64::MAX);
        if read / TIMES_READ < rows {
            return;
        }
        let mut wanted = self.images().wanted.lock();
        if wanted.len() < WANTED_MAX && !place.is_wanted.swap(true, Ordering::Relaxed) {
            let (place, state) = (Arc::downgrade(place), Arc::clone(&table.state));
            wanted.push(Wanted { place, state, range: table.index_range(index) });
            drop(wanted);
            self.wake().wake();
        }
    }

    /// Makes the images that are wanted, for a thread that may wait. Those of tables that were written to
    /// meanwhile are not made.
    ///
    /// # Errors
    /// Those of the store.
    pub fn make_images(&self) -> Result<()> {
        let wanted = std::mem::take(&mut *self.images().wanted.lock());
        let mut outcome = Ok(());
        for Wanted { place, state, range } in wanted {
            let Some(place) = place.upgrade() else { continue };
            outcome = outcome.and(self.make_image(&place, &state, &range));
            place.read.store(0, Ordering::Relaxed);
            place.is_wanted.store(false, Ordering::Relaxed);
        }
        outcome
    }

    fn make_image(
        &self,
        place: &Arc<ImagePlace>,
        state: &TableState,
        range: &KeyRange,
    ) -> Result<()> {
        let images = self.images();
        let Some(still) = self.stillness(self.latest(), state) else { return Ok(()) };
        let mut cursor = self.latest().scan_once(range)?;
        let (mut image, mut entries) = (Image::default(), 0usize);
        while cursor.advance()? {
            let (key, value) = cursor.entry();
            image.push(key, value);
            entries += 1;
            if image.size() > images.largest() {
                place.is_large.store(true, Ordering::Relaxed);
                return Ok(());
            }
            let looks = entries.is_multiple_of(LOOK_EVERY);
            if looks && (state.changes() != still.left || self.is_closed()) {
                return Ok(());
            }
        }
        image.finish(&images.bytes);
        if images.make_room() {
            *place.shown.write() = Some(Shown { still, image: Arc::new(image) });
            images.places.lock().push_back(Arc::downgrade(place));
        }
        Ok(())
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
