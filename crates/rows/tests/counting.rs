//! The number of rows that a table keeps: right after whatever happens to its rows.

mod common;

use std::sync::Arc;

use common::*;
use rows::memory::MemoryStore;
use rows::transaction::RowChange;
use rows::{Alteration, Datum, Engine, EngineOptions, Table, Value};

fn now(engine: &Engine) -> Arc<Table> {
    engine.catalog().table("d", "t").unwrap()
}

fn count(engine: &Engine) -> Option<u64> {
    engine.row_count(&now(engine)).unwrap()
}

/// Adds rows with these ids.
fn add(engine: &Arc<Engine>, ids: std::ops::Range<i64>) {
    let t = now(engine);
    let mut tx = begin(engine);
    for id in ids {
        tx.insert(&t, &user(id, "n", "NULL")).unwrap();
    }
    commit(tx);
}

#[test]
fn rows_that_come_go_change_move_and_are_undone_are_counted_once() {
    let engine = engine();
    let t = users(&engine);
    assert_eq!(count(&engine), Some(0));
    add(&engine, 0..1_000);
    assert_eq!(count(&engine), Some(1_000));

    let mut tx = begin(&engine);
    let key = |id: i64| t.row_key(&[Datum::Int(id)]).unwrap();
    // Changed, moved, deleted, replaced, refused, rolled back.
    let changes = [(1, (1, Value::Bytes(b"m".to_vec()))), (2, (0, Value::Int(5_000)))];
    for (id, set) in changes {
        tx.change_row(&t, &key(id), &mut |_| Ok(RowChange::Set(vec![set.clone()]))).unwrap();
    }
    tx.change_row(&t, &key(3), &mut |_| Ok(RowChange::Delete)).unwrap();
    tx.replace(&t, &user(4, "again", "NULL")).unwrap();
    tx.insert(&t, &user(5, "taken", "NULL")).unwrap_err();
    let mark = tx.savepoint();
    tx.insert(&t, &user(6_000, "undone", "NULL")).unwrap();
    tx.rollback_to(mark);
    assert_eq!(count(&engine), Some(1_000), "nothing is committed yet");
    commit(tx);
    assert_eq!(count(&engine), Some(999));

    let mut undone = begin(&engine);
    undone.insert(&t, &user(7_000, "undone", "NULL")).unwrap();
    drop(undone);
    assert_eq!(count(&engine), Some(999));
    assert_eq!(rows_by(&engine, &t, 0).len(), 999);
}

#[test]
fn an_emptied_and_a_rebuilt_table_are_counted_anew() {
    let engine = engine();
    users(&engine);
    add(&engine, 0..300);
    engine.alter_table("d", "t", vec![Alteration::DropPrimaryKey], &engine.patience()).unwrap();
    assert_eq!(count(&engine), Some(300));
    engine.truncate_table("d", "t", &engine.patience()).unwrap();
    assert_eq!(count(&engine), Some(0));
}

#[test]
fn the_number_lasts_from_one_start_to_the_next_and_is_nearly_right_after_a_crash() {
    let store = Arc::new(MemoryStore::new());
    let open = || Engine::open(store.clone(), EngineOptions::default()).unwrap();
    let engine = open();
    engine.create_database("d").unwrap();
    users(&engine);
    add(&engine, 0..1_234);
    engine.close().unwrap();
    let engine = open();
    assert_eq!(count(&engine), Some(1_234));
    add(&engine, 2_000..12_000);
    engine.keep_row_counts().unwrap();
    add(&engine, 20_000..20_050);
    // No `close`: what came since the last writing down is not in the number.
    drop(engine);
    let engine = open();
    assert_eq!(count(&engine), Some(11_234));
    assert_eq!(engine.count_rows(&now(&engine), &|| false).unwrap(), Some(11_284));
    assert_eq!(count(&engine), Some(11_284));
}
