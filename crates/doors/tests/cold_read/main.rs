//! Every door's conversations once more, on a store of which nothing is ever in memory and without
//! a row cache, where loops have read what they miss: a request that reads is begun several times,
//! each time one read further, and must be answered as if it had been begun once.
//!
//! Not here: the conversations (`tests/handlersocket`, `tests/memcached`, `tests/mysql`,
//! `tests/tyrant`).

#![expect(clippy::duplicate_mod, reason = "each door's clients bring the loop that serves them")]

use std::sync::Arc;

use rows::EngineOptions;
use rows::memory::{MemoryDisk, MemoryStore};

include!("../common/every_door.rs");

/// What conversations run on.
pub fn rows() -> (Arc<MemoryStore>, EngineOptions) {
    let options = EngineOptions { row_cache_bytes: 0, ..EngineOptions::default() };
    (Arc::new(MemoryStore::on_disk(&Arc::new(MemoryDisk::default()))), options)
}

/// Whether nothing is found at once.
pub const COLD: bool = true;
