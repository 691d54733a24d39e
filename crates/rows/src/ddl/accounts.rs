//! Storing accounts: who may do what is kept among the definitions.
//!
//! Invariants
//! 1. The accounts that one statement changes are stored by one commit.
//!
//! Not here: what a record says, and the accounts in memory (crate `access`).

use crate::catalog::AccountRecord;
use crate::engine::Engine;
use crate::error::Result;

impl Engine {
    /// Stores accounts in the place of those of the same names.
    ///
    /// # Errors
    /// Those of the store: nothing was stored.
    pub fn store_accounts(&self, records: &[AccountRecord]) -> Result<()> {
        let mut change = self.catalog().change();
        records.iter().for_each(|record| change.put_account(record));
        change.finish(&**self.store(), self.durability(), |_| ())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::EngineOptions;
    use crate::memory::MemoryStore;

    #[test]
    fn accounts_are_there_again_after_a_start_as_they_were_stored_last() {
        let store = Arc::new(MemoryStore::new());
        let open = || Engine::open(store.clone(), EngineOptions::default()).unwrap();
        let record = |name: &str, value: &str| (name.into(), value.into());
        let engine = open();
        assert!(engine.catalog().accounts_at_start().is_empty());
        engine.store_accounts(&[record("a", "1"), record("b", "2")]).unwrap();
        engine.store_accounts(&[record("a", "3")]).unwrap();
        drop(engine);
        let engine = open();
        let stored = engine.catalog().accounts_at_start();
        assert_eq!(stored, [record("a", "3"), record("b", "2")]);
    }
}
