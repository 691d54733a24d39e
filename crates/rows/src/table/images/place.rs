//! Where one index of one version of a table has its image, and how much is read of it without.
//!
//! Not here: who makes the image (crate root's `images`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::RwLock;

use super::image::Image;
use crate::schema::TableDefinition;
use crate::store::Read;
use crate::table::quiescent_state::QuiescentState;
use crate::table::state::TableState;

/// How often scans have gone through an index before its image is made.
const TIMES_READ: u64 = 2;
/// Entries gone through before it is asked how many an index has.
const READ_MIN: u64 = 1_000;

/// The image of an index, if there is one, and what was read since somebody wrote.
#[derive(Debug, Default)]
pub(crate) struct ImagePlace {
    /// Whether there is one: looked at without a lock.
    has_image: AtomicBool,
    shown: RwLock<Option<HeldImage>>,
    /// The table's changes when it was begun to count (`Table::changes`).
    changes: AtomicU64,
    /// Entries that scans have gone through since.
    read: AtomicU64,
    /// At how many it is asked again whether an image is worth while.
    ask_at: AtomicU64,
    /// Waits for its image to be made.
    pub(crate) is_wanted: AtomicBool,
    /// It is too large for an image; the next version of the table is looked at again.
    pub(crate) is_large: AtomicBool,
    /// Somebody has read the image since it was last looked for room.
    is_used: AtomicBool,
}

#[derive(Clone, Debug)]
struct HeldImage {
    still: QuiescentState,
    image: Arc<Image>,
}

impl ImagePlace {
    /// The image, if a view shows the same.
    pub(crate) fn shown_to(
        &self,
        view: &dyn Read,
        version: (&TableDefinition, &TableState),
    ) -> Option<Arc<Image>> {
        if !self.has_image.load(Ordering::Acquire) {
            return None;
        }
        let HeldImage { still, image } = self.shown.read().clone()?;
        if !still.is_shown_by(view, version) {
            return None;
        }
        if !self.is_used.load(Ordering::Relaxed) {
            self.is_used.store(true, Ordering::Relaxed);
        }
        Some(image)
    }

    /// Shows an image from now on; gives what was shown before.
    pub(crate) fn show(&self, still: QuiescentState, image: Image) -> Option<Arc<Image>> {
        let before = self.shown.write().replace(HeldImage { still, image: Arc::new(image) });
        self.is_used.store(true, Ordering::Relaxed);
        self.has_image.store(true, Ordering::Release);
        before.map(|shown| shown.image)
    }

    /// Shows none any more; gives what was shown.
    pub(crate) fn forget(&self) -> Option<Arc<Image>> {
        let gone = self.shown.write().take();
        self.has_image.store(false, Ordering::Release);
        self.read.store(0, Ordering::Relaxed);
        self.ask_at.store(0, Ordering::Relaxed);
        gone.map(|shown| shown.image)
    }

    /// The table's changes at the time of the image.
    pub fn changes_at_image(&self) -> Option<u64> {
        self.shown.read().as_ref().map(|shown| shown.still.changes)
    }

    /// Whether it was read since this was last asked.
    pub fn was_used(&self) -> bool {
        self.is_used.swap(false, Ordering::Relaxed)
    }

    /// Counts entries that a scan has gone through without an image. Says whether it is time to ask
    /// whether one is worth while. `changes` is the table's own number of them.
    pub fn note_read(&self, changes: u64, entries: u64) -> Option<u64> {
        if self.changes.load(Ordering::Relaxed) != changes {
            self.changes.store(changes, Ordering::Relaxed);
            self.read.store(entries, Ordering::Relaxed);
            self.ask_at.store(0, Ordering::Relaxed);
            return None;
        }
        let read = self.read.fetch_add(entries, Ordering::Relaxed) + entries;
        (read >= self.ask_at.load(Ordering::Relaxed).max(READ_MIN)).then_some(read)
    }

    /// Whether so many entries gone through are worth an image of an index that has `entries`. It
    /// is not asked again before there are enough, or as many once more.
    pub fn is_worth(&self, read: u64, entries: u64) -> bool {
        let enough = entries.saturating_mul(TIMES_READ).max(READ_MIN);
        let is_worth = read >= enough;
        self.ask_at.store(if is_worth { read + enough } else { enough }, Ordering::Relaxed);
        is_worth
    }
}
