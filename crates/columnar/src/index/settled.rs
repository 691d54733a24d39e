//! From where on there are notes: below a version all that ever were are taken.
//!
//! What the mover has removed is still passed over by scans until the store's next flush, so a
//! query would pass over all notes of the last minutes, taken or not. The mover says in the store
//! up to where it has taken all: in the batch that removes the last of them, so that every state
//! has the version that is right in it.
//!
//! ```text
//! version u64 | since u64    little-endian
//! ```
//!
//! Invariants
//! 1. No state has a note below the version that it has here: the table's gate tells below which
//!    version all writers have left (`Engine::notes_settled_below`), before the mover takes the
//!    state whose notes it takes.
//! 2. What another life of the server has left here is not used: its clock, from which versions
//!    come, may have been ahead. `since` is a version of this life.

use std::sync::atomic::Ordering;

use rows::error::{Error, Result};
use rows::store::{Change, KeyRange, Reach, Read};

use crate::keys::{self, NOTES, SETTLED};
use crate::tables::KnownTable;

/// The range in which a view may have notes.
pub(super) fn notes_range(known: &KnownTable, view: &dyn Read) -> Result<KeyRange> {
    let mut range = keys::range(known.home, NOTES);
    let since = known.settled_since.load(Ordering::Acquire);
    let (key, mut value) = (keys::prefix(known.home, SETTLED), Vec::new());
    if since == 0 || !view.get(&key, Reach::Disk, &mut value)? {
        return Ok(range);
    }
    let damaged = || Error::Corrupt { key: key.clone(), why: "what is settled does not decode" };
    let (numbers, rest) = value.as_chunks::<8>();
    let &[version, of] = numbers else { return Err(damaged()) };
    if !rest.is_empty() {
        return Err(damaged());
    }
    if u64::from_le_bytes(of) == since {
        range.start = keys::note(known.home, u64::from_le_bytes(version));
    }
    Ok(range)
}

/// What is to be written with the removal of all notes below a version.
pub(super) fn settle(known: &KnownTable, version: u64) -> Option<Change> {
    if version == 0 {
        return None;
    }
    let first =
        known.settled_since.compare_exchange(0, version, Ordering::AcqRel, Ordering::Acquire);
    let since = first.map_or_else(|since| since, |_| version);
    let value = [version.to_le_bytes(), since.to_le_bytes()].concat();
    Some(Change::put(keys::prefix(known.home, SETTLED), value))
}
