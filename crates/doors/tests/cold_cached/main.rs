//! Every door's conversations once more, on a store of which nothing is ever in memory, with a row
//! cache over it: what was just written is found without waiting, its index entries are not.
//!
//! Not here: the conversations (`tests/handlersocket`, `tests/memcached`, `tests/mysql`,
//! `tests/tyrant`).

#![expect(clippy::duplicate_mod, reason = "each door's clients bring the loop that serves them")]

use std::sync::Arc;

use rows::EngineOptions;
use rows::memory::MemoryStore;

include!("../common/every_door.rs");

/// What conversations run on.
pub fn rows() -> (Arc<MemoryStore>, EngineOptions) {
    (Arc::new(MemoryStore::cold()), EngineOptions::default())
}

/// Whether much cannot be served without waiting.
pub const COLD: bool = true;
