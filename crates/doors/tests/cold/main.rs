//! Every door's conversations once more, on a store of which nothing is ever in memory and without
//! a row cache: each request that reads goes to where it may wait, and must be served there.
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
    let options = EngineOptions { row_cache_bytes: 0, ..EngineOptions::default() };
    (Arc::new(MemoryStore::cold()), options)
}

/// Whether nothing can be served without waiting.
pub const COLD: bool = true;
