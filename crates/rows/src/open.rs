//! Opening an engine: temporary tables are put beside its store.
//!
//! Not here: what an engine is (`engine`).

use std::sync::Arc;

use crate::engine::{Engine, EngineOptions};
use crate::error::Result;
use crate::ingestion::TableStore;
use crate::temporary::{StoreWithTemporary, TemporaryTables};

impl Engine {
    /// Opens the rows in a store; makes the catalog in an empty one.
    ///
    /// # Errors
    /// `Corrupt` when the catalog does not decode, `Refused` when it is of a newer format,
    /// `Store`.
    pub fn open(store: Arc<dyn TableStore>, options: EngineOptions) -> Result<Arc<Engine>> {
        let temporary = Arc::<TemporaryTables>::default();
        let (tables, spill) = (Arc::clone(&temporary), options.spill.clone());
        let store = Arc::new(StoreWithTemporary::new(store, tables, spill));
        Engine::open_over(store, temporary, options)
    }
}
