//! The images of all tables: which are wanted, which are held, and how many bytes they have.
//!
//! Invariants
//! 1. A place is in the list of those that are held, once, as long as it has an image.
//! 2. It is at most once among those that are wanted.
//!
//! Not here: who wants and who makes them (crate root's `images`).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::place::ImagePlace;
use crate::recency::Wake;
use crate::store::KeyRange;
use crate::table::state::TableState;

/// Part of the row cache's bytes that all images may have.
const ALL_PART: usize = 4;
/// Part of these that one may have.
const LARGEST_PART: usize = 4;
/// Most bytes that one may have, whatever there is: what lies in it is found by 32 bits.
const LARGEST_BYTES: usize = 1 << 30;

/// The images of an engine.
#[derive(Debug)]
pub(crate) struct Images {
    /// 0: there are none.
    bytes_max: usize,
    pub bytes: Arc<AtomicUsize>,
    pub wanted: Mutex<VecDeque<WantedImage>>,
    /// Places with an image, in the order in which it is looked for room.
    pub held: Mutex<VecDeque<HeldPlace>>,
    pub wake: Arc<Wake>,
}

/// An image that is to be made.
#[derive(Debug)]
pub(crate) struct WantedImage {
    pub held: HeldPlace,
    /// The whole index.
    pub range: KeyRange,
}

/// A place of a version of a table.
#[derive(Clone, Debug)]
pub(crate) struct HeldPlace {
    pub place: Weak<ImagePlace>,
    pub state: Arc<TableState>,
    pub version: u64,
}

impl Images {
    /// None yet. They have a part of the row cache's bytes, counted in `bytes`; 0: there are never
    /// any.
    pub fn new(row_cache_bytes: usize, bytes: Arc<AtomicUsize>) -> Images {
        let (wanted, held, wake) = Default::default();
        Images { bytes_max: row_cache_bytes / ALL_PART, bytes, wanted, held, wake }
    }

    /// Whether there may be any.
    pub fn may_be(&self) -> bool {
        self.bytes_max > 0
    }

    /// Most bytes of one.
    pub fn largest(&self) -> usize {
        (self.bytes_max / LARGEST_PART).min(LARGEST_BYTES)
    }

    /// Lets those go that are of no more use.
    pub fn retire(&self) {
        self.held.lock().retain(|HeldPlace { place, state, version }| {
            let Some(place) = place.upgrade() else { return false };
            let is_of_use =
                place.changes_at_image() == Some(state.changes()) && state.is_version(*version);
            if !is_of_use {
                drop(place.forget());
            }
            is_of_use
        });
    }

    /// Whether there is room for all, if need be by letting those go that were not read since it
    /// was looked for room last. Cursors may have the bytes of these for a while.
    pub fn make_room(&self) -> bool {
        let mut all = self.held.lock();
        let mut bytes = self.bytes.load(Ordering::Relaxed);
        // Each has a second chance.
        for _ in 0..2 * all.len() {
            if bytes <= self.bytes_max {
                break;
            }
            let Some(held) = all.pop_front() else { break };
            let Some(place) = held.place.upgrade() else { continue };
            if place.was_used() {
                all.push_back(held);
            } else if let Some(image) = place.forget() {
                bytes = bytes.saturating_sub(image.size());
            }
        }
        bytes <= self.bytes_max
    }
}
