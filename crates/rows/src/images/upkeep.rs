//! How images come and go: readers say which are wanted, and a thread of the server makes them, one
//! after the other, and lets those go that are of no more use.
//!
//! Not here: the lists of those (`table::Images`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::engine::Engine;
use crate::error::Result;
use crate::recency::Wake;
use crate::store::KeyRange;
use crate::table::{HeldPlace, Image, ImagePlace, QuiescentState, Table, WantedImage};

/// Entries that are read between two looks at whether that is still of use.
const LOOK_EVERY: usize = 1_024;
/// Images that wait to be made; more are asked for again by later scans.
const WANTED_MAX: usize = 64;

impl Engine {
    /// Whether indexes of a table may be held in memory.
    pub(super) fn may_have_images(&self, table: &Table) -> bool {
        let stays = table.recency().is_none() && table.expiry_column().is_none();
        stays && !table.columnar && !table.is_temporary() && self.images().may_be()
    }

    /// A scan of an index went through so many entries of the store.
    pub(super) fn note_read(&self, table: &Table, index: usize, entries: u64) {
        let place = &table.images[index];
        let Some(read) = place.note_read(table.changes(), entries) else { return };
        // Where nobody knows, the one who makes the image finds out.
        let rows = self.row_count(table).ok().flatten().unwrap_or(0);
        // Beside writers it would not be made; who shows old states finds nothing better than the
        // store.
        let is_of_use = place.is_worth(read, rows)
            && table.is_current()
            && table.state.still().is_some_and(|now| place.changes_at_image() != Some(now));
        if !is_of_use {
            return;
        }
        let images = self.images();
        let mut wanted = images.wanted.lock();
        if wanted.len() < WANTED_MAX && !place.is_wanted.swap(true, Ordering::Relaxed) {
            let (place, state) = (Arc::downgrade(place), Arc::clone(&table.state));
            let held = HeldPlace { place, state, version: table.version };
            wanted.push_back(WantedImage { held, range: table.index_range(index) });
            drop(wanted);
            images.wake.wake();
        }
    }

    /// Wakes the thread that makes images (`keep_images`).
    pub fn image_wake(&self) -> &Arc<Wake> {
        &self.images().wake
    }

    /// Makes the images that are wanted, and lets those go that are of no more use. To be called
    /// when `image_wake` says so, and once a second, in a thread that may wait.
    ///
    /// # Errors
    /// Those of the store.
    pub fn keep_images(&self) -> Result<()> {
        self.images().retire();
        let next = || self.images().wanted.lock().pop_front();
        while let Some(WantedImage { held, range }) = next() {
            if self.is_closed() {
                return Ok(());
            }
            let Some(place) = held.place.upgrade() else { continue };
            let outcome = self.make_image(&place, &held, &range);
            place.is_wanted.store(false, Ordering::Relaxed);
            outcome?;
        }
        Ok(())
    }

    /// Makes an image, unless somebody writes to the table, or it would be too large.
    fn make_image(
        &self,
        place: &Arc<ImagePlace>,
        held: &HeldPlace,
        range: &KeyRange,
    ) -> Result<()> {
        let images = self.images();
        let view = self.store().snapshot()?;
        let Some(still) = QuiescentState::of(&*view, self.latest(), &held.state) else {
            return Ok(());
        };
        let mut cursor = view.scan_once(range)?;
        let mut image = Image::default();
        while cursor.advance()? {
            let (key, value) = cursor.entry();
            if image.bytes() + key.len() + value.len() > images.largest() {
                place.is_large.store(true, Ordering::Relaxed);
                return Ok(());
            }
            image.push(key, value);
            let looks = image.len().is_multiple_of(LOOK_EVERY);
            if looks && (held.state.changes() != still.changes || self.is_closed()) {
                return Ok(());
            }
        }
        if !held.state.is_version(held.version) {
            return Ok(());
        }
        image.finish(&images.bytes);
        if images.make_room() {
            if place.show(still, image).is_none() {
                images.held.lock().push_back(held.clone());
            }
            self.cache().shrink();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use values::datum::Datum;
    use values::types::{ColumnType, IntWidth};

    use super::*;
    use crate::ddl::{NewIndex, NewTable};
    use crate::engine::EngineOptions;
    use crate::find::Flow;
    use crate::memory::MemoryStore;
    use crate::schema::Column;
    use crate::store::{Direction, Durability, LockWait, Reach};

    #[test]
    fn an_index_that_is_written_to_and_read_again_and_again_is_in_the_list_once() {
        let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).unwrap();
        engine.create_database("d").unwrap();
        let int = ColumnType::Int { width: IntWidth::Int, unsigned: false, boolean: false };
        let (columns, indexes) = (vec![Column::new("id", int)], vec![NewIndex::primary(&["id"])]);
        let t = engine.create_table(NewTable::new("d", "t", columns, indexes)).unwrap();
        let range = t.index_range(0);
        let read = || {
            let mut each = |_: crate::FoundRow<'_>| Ok(Flow::Continue);
            let (latest, forward) = (engine.latest(), Direction::Forward);
            engine.find(latest, &t, 0, &range, forward, Reach::Disk, &mut each).unwrap();
        };
        for id in 0..20 {
            let mut tx = engine.begin(LockWait::Never).unwrap();
            tx.insert(&t, &[Datum::Int(id)]).unwrap();
            tx.commit(Durability::Os).unwrap();
            for _ in 0..100 {
                read();
                let wanted = engine.images().wanted.lock().len();
                assert!(wanted <= 1, "it is asked for once");
            }
            // Of the one before nothing is left, whether or not the list was looked through.
            let WantedImage { held, range } = engine.images().wanted.lock().pop_front().unwrap();
            let place = held.place.upgrade().unwrap();
            engine.make_image(&place, &held, &range).unwrap();
            place.is_wanted.store(false, Ordering::Relaxed);
            assert_eq!(engine.images().held.lock().len(), 1);
            (0..200).for_each(|_| read());
            assert!(engine.images().wanted.lock().is_empty(), "it is there");
        }
        engine.images().retire();
        assert_eq!(engine.images().held.lock().len(), 1);
        let bytes = engine.images().bytes.load(Ordering::Relaxed);
        assert_eq!(bytes, t.images[0].forget().map_or(0, |image| image.size()));
        engine.images().retire();
        assert!(engine.images().held.lock().is_empty());
        assert_eq!(engine.images().bytes.load(Ordering::Relaxed), 0);
    }
}
