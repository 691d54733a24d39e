//! Conversations with the memcached door, bytes in and bytes out, on rows in memory.

mod client;
mod containers;
mod hostile;
mod listing;
mod refused;
mod repeating;
mod stats;
mod syntaxes;

use std::sync::Arc;

use rows::EngineOptions;
use rows::memory::MemoryStore;

/// What conversations run on; `tests/cold` and its siblings run them on another.
pub fn rows() -> (Arc<MemoryStore>, EngineOptions) {
    (Arc::new(MemoryStore::new()), EngineOptions::default())
}

/// Whether nothing can be served without waiting.
pub const COLD: bool = false;
