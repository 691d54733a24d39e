//! The conformance suite on the store in memory, and what only it promises.

use super::*;

fn put(store: &MemoryStore, key: &[u8], value: &[u8]) {
    let changes = vec![Change::put(key.to_vec(), value.to_vec())];
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
    let delete = Batch { changes: vec![Change::delete(b"k".to_vec())] };
    store.write(&delete, Durability::Os).unwrap();
    assert_eq!(store.status().memory_bytes, 0);
    assert_eq!(store.inner.state.read().chains.len(), 0);
}

crate::store_conformance! {
    persists: false,
    open: |_| Ok(Arc::new(MemoryStore::new()) as Arc<dyn TableStore>)
}

mod cold {
    use super::*;

    crate::store_conformance! {
        persists: false,
        open: |_| Ok(Arc::new(MemoryStore::cold()) as Arc<dyn TableStore>)
    }

    #[test]
    fn a_cold_store_answers_nobody_who_may_not_wait() {
        let store = MemoryStore::cold();
        put(&store, b"k", b"v");
        let all = KeyRange { start: Vec::new(), end: Vec::new() };
        let snapshot = store.snapshot().unwrap();
        let mut value = Vec::new();
        for view in [&store as &dyn Read, &*snapshot, &*store.begin().unwrap()] {
            let refused = view.get(b"k", Reach::Memory, &mut value);
            assert!(matches!(refused, Err(Error::WouldWait(Wait::Disk))));
            let refused = view.scan(&all, Direction::Forward, Reach::Memory);
            assert!(matches!(refused, Err(Error::WouldWait(Wait::Disk))));
            assert!(view.get(b"k", Reach::Disk, &mut value).unwrap());
        }
    }
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
