//! The row cache under writers: what is read is never older than what was acknowledged before
//! the read began, nor than what the same reader saw last.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::common::*;
use rows::store::{Durability, Reach};
use rows::{Engine, RowChange, Table};
use values::{Datum, Value};

fn read(engine: &Engine, table: &Table, key: &[u8]) -> i64 {
    let mut seen = -1;
    engine
        .get(engine.latest(), table, key, Reach::Disk, &mut |found| {
            if let Datum::Int(value) = found.row.column(1)? {
                seen = value;
            }
            Ok(())
        })
        .unwrap();
    seen
}

#[test]
fn reads_through_the_cache_are_linearizable_with_writes() {
    for durability in [Durability::EveryCommit, Durability::Os] {
        let engine = engine();
        let columns = vec![column("id", int(), false), column("n", int(), false)];
        let t = table(&engine, "n", columns, vec![index("PRIMARY", true, &["id"])]);
        let mut tx = begin(&engine);
        tx.insert(&t, &[Datum::Int(1), Datum::Int(0)]).unwrap();
        commit(tx);
        let key = t.row_key(&[Datum::Int(1)]).unwrap();
        let acknowledged = AtomicI64::new(0);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut last = 0;
                    while !done.load(Ordering::SeqCst) {
                        let at_least = acknowledged.load(Ordering::SeqCst).max(last);
                        let seen = read(&engine, &t, &key);
                        assert!(seen >= at_least, "read {seen} after {at_least}");
                        last = seen;
                    }
                });
            }
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        let mut tx = begin(&engine);
                        let mut written = 0;
                        tx.change_row::<rows::Error>(&t, &key, &mut |row| {
                            let Datum::Int(n) = row.column(1)? else { panic!("an integer") };
                            written = n + 1;
                            Ok(RowChange::Set(vec![(1, Value::Int(n + 1))]))
                        })
                        .unwrap();
                        tx.commit(durability).unwrap();
                        acknowledged.fetch_max(written, Ordering::SeqCst);
                    }
                    if acknowledged.load(Ordering::SeqCst) == 4_000 {
                        done.store(true, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(read(&engine, &t, &key), 4_000);
        let status = engine.cache().status();
        assert!(status.hits > 0 && status.misses > 0, "{status:?}");
    }
}

#[test]
fn a_deleted_row_leaves_the_cache_with_its_commit() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(1, "al", "NULL")).unwrap();
    commit(tx);
    let key = t.row_key(&[Datum::Int(1)]).unwrap();
    let found = |engine: &Engine| {
        engine.get(engine.latest(), &t, &key, Reach::Disk, &mut |_| Ok(())).unwrap()
    };
    assert!(found(&engine) && found(&engine));
    let mut tx = begin(&engine);
    tx.change_row::<rows::Error>(&t, &key, &mut |_| Ok(RowChange::Delete)).unwrap();
    assert!(found(&engine), "not before the commit");
    commit(tx);
    assert!(!found(&engine));
}
