//! AUTO_INCREMENT values over starts: a number whose row is gone is not given again.

use std::sync::Arc;
use std::thread;

use crate::common::*;
use rows::memory::MemoryStore;
use rows::prepared::Xid;
use rows::store::{Direction, KeyRange, Reach};
use rows::{Alteration, Engine, EngineOptions, Error, RowChange, Table};
use values::{Datum, Value};

fn open(store: &MemoryStore) -> Arc<Engine> {
    Engine::open(Arc::new(store.clone()), EngineOptions::default()).unwrap()
}

fn now(engine: &Engine) -> Arc<Table> {
    engine.catalog().table("d", "t").unwrap()
}

/// `t(id INT AUTO_INCREMENT PRIMARY KEY, x INT, UNIQUE(x))`
fn numbered(store: &MemoryStore) -> Arc<Engine> {
    let engine = engine_on(store.clone());
    let mut id = column("id", int(), false);
    id.auto_increment = true;
    let indexes = vec![index("PRIMARY", true, &["id"]), index("x", true, &["x"])];
    table(&engine, "t", vec![id, column("x", int(), true)], indexes);
    engine
}

fn add(engine: &Arc<Engine>) -> Option<u64> {
    let mut tx = begin(engine);
    let generated = tx.insert(&now(engine), &[Datum::Null, Datum::Null]).unwrap().generated;
    commit(tx);
    generated
}

fn change(engine: &Arc<Engine>, id: i64, to: RowChange) {
    let mut tx = begin(engine);
    let key = now(engine).row_key(&[Datum::Int(id)]).unwrap();
    tx.change_row::<Error>(&now(engine), &key, &mut |_| Ok(to.clone())).unwrap();
    commit(tx);
}

/// How many keys keep the next number.
fn kept(engine: &Engine) -> usize {
    let prefix = |last| [&now(engine).id.to_be_bytes()[..], &[0xff, last]].concat();
    let range = KeyRange { start: prefix(0xfd), end: prefix(0xfe) };
    let mut cursor = engine.latest().scan(&range, Direction::Forward, Reach::Disk).unwrap();
    std::iter::from_fn(|| cursor.advance().unwrap().then_some(())).count()
}

#[test]
fn a_number_whose_row_went_is_not_given_again_after_a_crash() {
    let store = MemoryStore::new();
    let engine = numbered(&store);
    (1..=5).for_each(|number| assert_eq!(add(&engine), Some(number)));
    change(&engine, 5, RowChange::Delete);
    // No `close`, here and below.
    let engine = open(&store);
    assert_eq!(add(&engine), Some(6));
    // It gets another number: its own was the highest.
    change(&engine, 6, RowChange::Set(vec![(0, Value::Int(5))]));
    let engine = open(&store);
    assert_eq!(add(&engine), Some(7));
    // Another one takes its place.
    let mut tx = begin(&engine);
    tx.insert(&now(&engine), &[Datum::Int(20), Datum::Int(1)]).unwrap();
    commit(tx);
    let mut tx = begin(&engine);
    assert_eq!(tx.replace(&now(&engine), &[Datum::Int(8), Datum::Int(1)]).unwrap().deleted, 1);
    commit(tx);
    let engine = open(&store);
    assert_eq!(add(&engine), Some(21));
    // All of them go.
    (1..=21).for_each(|id| change(&engine, id, RowChange::Delete));
    let engine = open(&store);
    assert_eq!(rows_by(&engine, &now(&engine), 0).len(), 0);
    assert_eq!(add(&engine), Some(22));
    assert_sound(&engine);
}

#[test]
fn what_is_rolled_back_is_not_given_again_after_a_clean_end() {
    let store = MemoryStore::new();
    let engine = numbered(&store);
    assert_eq!(add(&engine), Some(1));
    let mut tx = begin(&engine);
    tx.insert(&now(&engine), &[Datum::Null, Datum::Null]).unwrap();
    drop(tx);
    engine.close().unwrap();
    let engine = open(&store);
    assert_eq!(add(&engine), Some(3));
    // A row that was to go is still there.
    let mut tx = begin(&engine);
    let key = now(&engine).row_key(&[Datum::Int(3)]).unwrap();
    tx.change_row::<Error>(&now(&engine), &key, &mut |_| Ok(RowChange::Delete)).unwrap();
    drop(tx);
    assert_eq!(add(&engine), Some(4));
}

#[test]
fn a_queue_keeps_one_key_whatever_goes_through_it() {
    let store = MemoryStore::new();
    let engine = numbered(&store);
    (1..=100).for_each(|number| assert_eq!(add(&engine), Some(number)));
    let writers: Vec<_> = (0..4_i64)
        .map(|writer| {
            let engine = Arc::clone(&engine);
            thread::spawn(move || {
                for id in (1..=100).filter(|id| id % 4 == writer) {
                    add(&engine);
                    change(&engine, id, RowChange::Delete);
                }
            })
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let engine = open(&store);
    assert_eq!(add(&engine), Some(201));
    change(&engine, 201, RowChange::Delete);
    assert_eq!(kept(&engine), 1);
    let engine = open(&store);
    assert_eq!(add(&engine), Some(202));
}

#[test]
fn a_counter_that_is_set_forgets_what_was_kept() {
    let store = MemoryStore::new();
    let engine = numbered(&store);
    (1..=9).for_each(|number| assert_eq!(add(&engine), Some(number)));
    (5..=9).for_each(|id| change(&engine, id, RowChange::Delete));
    let patience = engine.patience();
    engine.alter_table("d", "t", vec![Alteration::SetAutoIncrement(1)], &patience).unwrap();
    assert_eq!(add(&engine), Some(5));
    let engine = open(&store);
    assert_eq!(add(&engine), Some(6));
    change(&engine, 6, RowChange::Delete);
    engine.alter_table("d", "t", vec![Alteration::DropPrimaryKey], &patience).unwrap_err();
    engine.truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &patience).unwrap();
    assert_eq!(add(&engine), Some(1));
    let engine = open(&store);
    assert_eq!(add(&engine), Some(2));
}

#[test]
fn a_prepared_transaction_takes_its_number_with_it_over_a_start() {
    let store = MemoryStore::new();
    let engine = numbered(&store);
    (1..=3).for_each(|number| assert_eq!(add(&engine), Some(number)));
    let xid = Xid { global: b"g".to_vec(), branch: b"b".to_vec(), format: 1 };
    let mut tx = begin(&engine);
    let key = now(&engine).row_key(&[Datum::Int(3)]).unwrap();
    tx.change_row::<Error>(&now(&engine), &key, &mut |_| Ok(RowChange::Delete)).unwrap();
    engine.prepare(engine.global_transactions().open(xid.clone()).unwrap(), tx).unwrap();
    // Nobody has its locks in the next process.
    let store = copied(&store);
    let engine = open(&store);
    assert!(engine.commit_prepared(&xid).unwrap());
    let engine = open(&store);
    assert_eq!(rows_by(&engine, &now(&engine), 0), ["1 NULL", "2 NULL"]);
    assert_eq!(add(&engine), Some(4));
}
