//! The catalog's definitions: a damaged one is told when the rows are opened, and one that is
//! taken can be written and read again.

use std::sync::Arc;

use rows::event::EventDefinition;
use rows::memory::MemoryStore;
use rows::schema::TableDefinition;
use rows::store::{Batch, Change, Durability, Store};
use rows::{Engine, EngineOptions};

/// Opens a store whose catalog holds the input as a definition.
pub fn check(input: &[u8]) {
    table(input);
    event(input);
}

/// As an event's.
fn event(input: &[u8]) {
    let Ok(definition) = serde_json::from_slice::<EventDefinition>(input) else { return };
    let again = serde_json::to_vec(&definition).expect("it came from JSON");
    let again: EventDefinition = serde_json::from_slice(&again).expect("what was written");
    assert_eq!(again, definition);
    let store = MemoryStore::new();
    let format = Change::put(vec![0, 0, 0, 0, 1], 4u32.to_le_bytes().to_vec());
    let database = Change::put(vec![0, 0, 0, 0, 2, b'd'], b"{}".to_vec());
    let event = Change::put(vec![0, 0, 0, 0, 6, 0, 0, 0, 9], input.to_vec());
    let batch = Batch { changes: vec![format, database, event] };
    store.write(&batch, Durability::Os).expect("memory writes");
    match Engine::open(Arc::new(store), EngineOptions::default()) {
        Ok(engine) => assert_eq!(*engine.catalog().event(9).expect("it is there"), definition),
        Err(_) => assert!(definition.id != 9 || definition.database != "d"),
    }
}

/// As a table's.
fn table(input: &[u8]) {
    let Ok(definition) = serde_json::from_slice::<TableDefinition>(input) else { return };
    let again = serde_json::to_vec(&definition).expect("it came from JSON");
    let again: TableDefinition = serde_json::from_slice(&again).expect("what was written");
    assert_eq!(again, definition);
    let store = MemoryStore::new();
    let format = Change::put(vec![0, 0, 0, 0, 1], 2u32.to_le_bytes().to_vec());
    let table = Change::put(vec![0, 0, 0, 0, 3, 0, 0, 0, 9], input.to_vec());
    let batch = Batch { changes: vec![format, table] };
    store.write(&batch, Durability::Os).expect("memory writes");
    // Whether it makes sense is told, or it can be used.
    let _ = Engine::open(Arc::new(store), EngineOptions::default());
}
