//! The conformance suite on the store in memory, and what only it promises.

use super::*;

fn put(store: &MemoryStore, key: &[u8], value: &[u8]) {
    let changes = vec![Change::Put(key.to_vec(), value.to_vec())];
    store.write(&Batch { changes }, Durability::Os).unwrap();
}

#[test]
fn versions_that_no_snapshot_needs_are_dropped() {
    let store = MemoryStore::new();
    for round in 0..100_u8 {
        put(&store, b"k", &[round]);
    }
    assert_eq!(store.status().memory_bytes, 2);
    let snapshot = store.snapshot().unwrap();
    for round in 0..100_u8 {
        put(&store, b"k", &[round]);
    }
    assert!(store.status().memory_bytes > 100);
    drop(snapshot);
    let delete = Batch { changes: vec![Change::Delete(b"k".to_vec())] };
    store.write(&delete, Durability::Os).unwrap();
    assert_eq!(store.status().memory_bytes, 0);
    assert_eq!(store.inner.state.read().chains.len(), 0);
}

crate::store_conformance! {
    persists: false,
    open: |_| Ok(Arc::new(MemoryStore::new()) as Arc<dyn Store>)
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(200))]
    #[test]
    fn any_operations_agree_with_a_model(
        bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..800)
    ) {
        let subject = crate::conformance::Subject {
            directory: Path::new(""),
            open: &|_| Ok(Arc::new(MemoryStore::new())),
            persists: false,
        };
        crate::conformance::run_operations(&subject, &bytes);
    }
}
