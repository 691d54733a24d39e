//! Transactions that are prepared: durable, unseen and locked until somebody ends them by name,
//! also when the process has ended meanwhile.

use std::sync::Arc;
use std::time::Duration;

use resources::spill::SpillDirectory;
use rows::ddl::NewForeignKey;
use rows::foreign_key::{ForeignKeyChecks, ReferentialAction};
use rows::memory::MemoryStore;
use rows::prepared::Xid;
use rows::store::{Batch, Change, Direction, Durability, KeyRange, LockWait, Reach, Read, Store};
use rows::table::Patience;
use rows::{ChangeOutcome, Engine, EngineOptions, Error, NewTable, RowChange, Table, Transaction};
use values::Datum;

use crate::common::*;

fn xid(name: &str) -> Xid {
    Xid { global: name.as_bytes().to_vec(), branch: b"b".to_vec(), format: 7 }
}

fn prepare(engine: &Arc<Engine>, name: &str, transaction: Transaction) {
    let own = engine.global_transactions().open(xid(name)).expect("nobody has the name");
    engine.prepare(own, transaction).unwrap();
}

fn open(store: MemoryStore) -> Arc<Engine> {
    Engine::open(Arc::new(store), EngineOptions::default()).unwrap()
}

fn found(engine: &Engine, name: &str) -> Arc<Table> {
    engine.catalog().table("d", name).unwrap()
}

/// A transaction that waits for nobody.
fn impatient(engine: &Arc<Engine>) -> Transaction {
    engine.begin(LockWait::AtMost(Duration::ZERO)).unwrap()
}

fn change(
    tx: &mut Transaction,
    table: &Arc<Table>,
    id: i64,
    to: RowChange,
) -> rows::Result<ChangeOutcome> {
    let key = table.row_key(&[Datum::Int(id)]).unwrap();
    tx.change_row::<Error>(table, &key, &mut |_| Ok(to.clone()))
}

fn name_is(name: &str) -> RowChange {
    RowChange::Set(vec![(1, values::Value::Bytes(name.as_bytes().to_vec()))])
}

/// One row is new, one changed, one gone.
fn with_three_changes(store: &MemoryStore) -> (Arc<Engine>, Arc<Table>) {
    let engine = engine_on(store.clone());
    let t = users(&engine);
    let mut tx = begin(&engine);
    for id in 1..=3 {
        tx.insert(&t, &user(id, "al", &format!("m{id}"))).unwrap();
    }
    commit(tx);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(4, "new", "m4")).unwrap();
    change(&mut tx, &t, 2, name_is("bo")).unwrap();
    change(&mut tx, &t, 3, RowChange::Delete).unwrap();
    prepare(&engine, "x", tx);
    (engine, t)
}

const BEFORE: [&str; 3] = ["1 al m1", "2 al m2", "3 al m3"];
const AFTER: [&str; 3] = ["1 al m1", "2 bo m2", "4 new m4"];

/// Nobody sees it, and its rows and unique values are locked.
fn assert_held(engine: &Arc<Engine>) {
    let t = found(engine, "t");
    assert_eq!(engine.global_transactions().prepared(), [xid("x")]);
    assert!(engine.global_transactions().open(xid("x")).is_none(), "its name is taken");
    let other_format = Xid { format: 8, ..xid("x") };
    assert!(!engine.commit_prepared(&other_format).unwrap());
    assert!(engine.global_transactions().open(other_format).is_none(), "as MySQL says");
    assert_eq!(rows_by(engine, &t, 0), BEFORE);
    assert_eq!(engine.count_rows(&t, &|| false).unwrap(), Some(3));
    for id in 2..=4 {
        let changed = change(&mut impatient(engine), &t, id, name_is("other"));
        assert!(matches!(changed, Err(Error::LockTimeout)), "row {id}: {changed:?}");
    }
    for mail in ["m3", "m4"] {
        let taken = impatient(engine).insert(&t, &user(9, "eve", mail));
        assert!(matches!(taken, Err(Error::LockTimeout)), "{mail}: {taken:?}");
    }
    let patience = Patience::at_most(Duration::ZERO);
    let emptied = engine.truncate_table("d", "t", ForeignKeyChecks::On, &patience);
    assert!(matches!(emptied, Err(Error::LockTimeout)), "its definition stays");
    assert_eq!(
        change(&mut impatient(engine), &t, 1, RowChange::Keep).unwrap(),
        ChangeOutcome::Unchanged
    );
}

fn assert_ended(engine: &Arc<Engine>, rows: [&str; 3]) {
    let t = found(engine, "t");
    assert_eq!(engine.global_transactions().prepared(), []);
    for index in [0, 2] {
        assert_eq!(rows_by(engine, &t, index), rows, "index {index}");
    }
    assert_eq!(engine.row_count(&t).unwrap(), Some(3));
    assert_sound(engine);
    let mut tx = impatient(engine);
    for id in [2, 3, 4] {
        change(&mut tx, &t, id, name_is("after")).unwrap();
    }
    tx.insert(&t, &user(9, "eve", "m9")).unwrap();
    commit(tx);
    assert_eq!(engine.budget().used(), 0);
}

#[test]
fn a_prepared_transaction_is_committed_by_its_name() {
    let store = MemoryStore::new();
    let (engine, _) = with_three_changes(&store);
    assert_held(&engine);
    assert!(engine.commit_prepared(&xid("x")).unwrap());
    assert!(!engine.commit_prepared(&xid("x")).unwrap(), "once");
    assert!(!engine.rollback_prepared(&xid("x")).unwrap());
    assert_ended(&engine, AFTER);
    assert_ended_after_restart(&store);
}

/// Nothing is left of it in the store.
fn assert_ended_after_restart(store: &MemoryStore) {
    let engine = open(copied(store));
    assert_eq!(engine.global_transactions().prepared(), []);
    assert_sound(&engine);
}

#[test]
fn a_prepared_transaction_is_rolled_back_by_its_name() {
    let store = MemoryStore::new();
    let (engine, _) = with_three_changes(&store);
    assert!(engine.rollback_prepared(&xid("x")).unwrap());
    assert!(!engine.rollback_prepared(&xid("x")).unwrap());
    assert_ended(&engine, BEFORE);
    assert_ended_after_restart(&store);
}

#[test]
fn it_is_there_after_the_process_has_ended_and_is_committed_then() {
    let store = MemoryStore::new();
    let (_engine, _) = with_three_changes(&store);
    let store = copied(&store);
    assert_held(&open(copied(&store)));
    let engine = open(copied(&store));
    assert_held(&engine);
    assert!(engine.commit_prepared(&xid("x")).unwrap());
    assert_ended(&engine, AFTER);
    let engine = open(store);
    assert_held(&engine);
    assert!(engine.rollback_prepared(&xid("x")).unwrap());
    assert_ended(&engine, BEFORE);
}

#[test]
fn an_engine_that_is_closed_leaves_it_to_the_next_one() {
    let store = MemoryStore::new();
    let (engine, t) = with_three_changes(&store);
    drop(t);
    engine.close().unwrap();
    drop(engine);
    let engine = open(store);
    assert_held(&engine);
    assert!(engine.commit_prepared(&xid("x")).unwrap());
    assert_ended(&engine, AFTER);
}

#[test]
fn a_session_that_leaves_gives_its_name_back() {
    let engine = engine();
    let own = engine.global_transactions().open(xid("x"));
    assert!(engine.global_transactions().open(xid("x")).is_none());
    drop(own);
    assert!(engine.global_transactions().open(xid("x")).is_some());
}

#[test]
fn numbers_of_its_rows_are_not_handed_out_again_after_a_restart() {
    let store = MemoryStore::new();
    let engine = engine_on(store.clone());
    let mut id = column("id", int(), false);
    id.auto_increment = true;
    let t = table(&engine, "n", vec![id], vec![index("PRIMARY", true, &["id"])]);
    let hidden = table(&engine, "h", vec![column("a", int(), true)], vec![]);
    let mut tx = begin(&engine);
    for _ in 0..3 {
        tx.insert(&t, &[Datum::Null]).unwrap();
        tx.insert(&hidden, &[Datum::Int(1)]).unwrap();
    }
    prepare(&engine, "x", tx);
    let engine = open(copied(&store));
    let (t, hidden) = (found(&engine, "n"), found(&engine, "h"));
    let mut tx = impatient(&engine);
    assert_eq!(tx.insert(&t, &[Datum::Null]).unwrap().generated, Some(4));
    tx.insert(&hidden, &[Datum::Int(2)]).unwrap();
    commit(tx);
    assert!(engine.commit_prepared(&xid("x")).unwrap());
    assert_eq!(rows_by(&engine, &t, 0), ["1", "2", "3", "4"]);
    assert_eq!(rows_by(&engine, &hidden, 0), ["1", "1", "1", "2"]);
    assert_sound(&engine);
}

#[test]
fn parents_and_children_stay_as_they_are_for_it_after_a_restart() {
    let store = MemoryStore::new();
    let engine = engine_on(store.clone());
    let id = || column("id", int(), false);
    let primary = || index("PRIMARY", true, &["id"]);
    let p = table(&engine, "p", vec![id()], vec![primary()]);
    let key = NewForeignKey {
        name: Some("k".into()),
        index: None,
        columns: vec!["pid".into()],
        parent: ("d".into(), "p".into()),
        parent_columns: vec!["id".into()],
        on_delete: ReferentialAction::NoAction,
        on_update: ReferentialAction::NoAction,
    };
    let mut new = NewTable::new("d", "c", vec![id(), column("pid", int(), true)], vec![primary()]);
    new.foreign_keys = vec![key];
    let c = engine.create_table(new).unwrap();
    let mut tx = begin(&engine);
    for id in 1..=3 {
        tx.insert(&p, &[Datum::Int(id)]).unwrap();
    }
    commit(tx);
    let mut tx = begin(&engine);
    tx.insert(&c, &[Datum::Int(1), Datum::Int(1)]).unwrap();
    change(&mut tx, &p, 2, RowChange::Delete).unwrap();
    prepare(&engine, "x", tx);
    let engine = open(copied(&store));
    let (p, c) = (found(&engine, "p"), found(&engine, "c"));
    let gone = change(&mut impatient(&engine), &p, 1, RowChange::Delete);
    assert!(matches!(gone, Err(Error::LockTimeout)), "a parent: {gone:?}");
    let child = impatient(&engine).insert(&c, &[Datum::Int(2), Datum::Int(2)]);
    assert!(matches!(child, Err(Error::LockTimeout)), "of one that goes: {child:?}");
    let mut tx = impatient(&engine);
    tx.insert(&c, &[Datum::Int(2), Datum::Int(1)]).expect("the parent's key is shared");
    commit(tx);
    assert!(engine.commit_prepared(&xid("x")).unwrap());
    let child = impatient(&engine).insert(&c, &[Datum::Int(3), Datum::Int(2)]);
    assert!(matches!(child, Err(Error::NoParent { .. })), "{child:?}");
    assert_eq!(rows_by(&engine, &c, 0), ["1 1", "2 1"]);
    assert_sound(&engine);
}

/// Memory for clients: writes go to files at an eighth of it.
const CLIENT_BYTES: usize = 1 << 20;
const ROWS: i64 = 20_000;

#[test]
fn one_that_is_larger_than_memory_is_prepared_and_comes_back() {
    let (store, directory) = (MemoryStore::new(), tempfile::tempdir().unwrap());
    let open = |store: &MemoryStore, name: &str| {
        let options = EngineOptions {
            client_bytes: CLIENT_BYTES,
            spill: Some(SpillDirectory::open(&directory.path().join(name)).unwrap()),
            ..EngineOptions::default()
        };
        Engine::open(Arc::new(store.clone()), options).unwrap()
    };
    let engine = open(&store, "one");
    engine.create_database("d").unwrap();
    let t = users(&engine);
    let mut tx = begin(&engine);
    for id in 0..ROWS {
        tx.insert(&t, &user(id, "al", &format!("m{id}"))).unwrap();
    }
    prepare(&engine, "x", tx);
    assert!(engine.budget().used() > 0, "what it holds is counted");
    assert!(rows_by(&engine, &t, 0).is_empty());
    let later = copied(&store);
    assert!(engine.commit_prepared(&xid("x")).unwrap());
    assert_eq!(rows_by(&engine, &t, 0).len(), ROWS as usize);
    assert_eq!(engine.budget().used(), 0);
    assert_ended_after_restart(&store);

    let engine = open(&later, "two");
    let t = found(&engine, "t");
    assert!(engine.budget().used() > 0);
    assert!(engine.budget().used() <= CLIENT_BYTES, "{} bytes", engine.budget().used());
    let locked = impatient(&engine).insert(&t, &user(77, "x", "x"));
    assert!(matches!(locked, Err(Error::LockTimeout)), "{locked:?}");
    assert!(engine.commit_prepared(&xid("x")).unwrap());
    assert_eq!(rows_by(&engine, &t, 2).len(), ROWS as usize);
    assert_sound(&engine);
}

/// How many keys there are of prepared transactions.
fn keys_of_records(store: &MemoryStore) -> usize {
    let range = KeyRange { start: vec![0, 0, 0, 0, 9], end: vec![0, 0, 0, 0, 10] };
    let mut cursor = store.scan(&range, Direction::Forward, Reach::Disk).unwrap();
    std::iter::from_fn(|| cursor.advance().unwrap().then_some(())).count()
}

#[test]
fn what_was_written_of_one_that_was_never_prepared_goes_at_the_next_start() {
    let store = MemoryStore::new();
    let (engine, _) = with_three_changes(&store);
    assert!(engine.rollback_prepared(&xid("x")).unwrap());
    assert_eq!(keys_of_records(&store), 0);
    let key = [&[0, 0, 0, 0, 9][..], &9_u64.to_be_bytes(), &1_u32.to_be_bytes()].concat();
    let changes = vec![Change::put(key, vec![0, 1, 0, 0, 0, 1])];
    store.write(&Batch { changes }, Durability::Os).unwrap();
    assert_eq!(keys_of_records(&store), 1);
    let store = copied(&store);
    let engine = open(store.clone());
    assert_eq!(engine.global_transactions().prepared(), []);
    assert_eq!(keys_of_records(&store), 0);
}

#[test]
fn a_record_that_is_damaged_keeps_the_engine_from_opening() {
    let key =
        |part: u32| [&[0, 0, 0, 0, 9][..], &1_u64.to_be_bytes(), &part.to_be_bytes()].concat();
    let damage = |part, value: Vec<u8>| {
        let store = MemoryStore::new();
        let (_engine, _) = with_three_changes(&store);
        let store = copied(&store);
        let changes = vec![Change::put(key(part), value)];
        store.write(&Batch { changes }, Durability::Os).unwrap();
        Engine::open(Arc::new(store), EngineOptions::default()).err()
    };
    for (part, value) in
        [(0, vec![]), (0, vec![1; 90]), (1, vec![1, 200]), (1, vec![7]), (2, vec![])]
    {
        let error = damage(part, value.clone());
        assert!(matches!(error, Some(Error::Corrupt { .. })), "{part} {value:?}: {error:?}");
    }
}

#[test]
fn two_of_one_table_come_back_side_by_side_however_many_rows_they_have_locked() {
    let store = MemoryStore::new();
    let options = || EngineOptions { client_bytes: CLIENT_BYTES, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(store.clone()), options()).unwrap();
    engine.create_database("d").unwrap();
    let t = table(
        &engine,
        "t",
        vec![column("id", int(), false)],
        vec![index("PRIMARY", true, &["id"])],
    );
    // So many locks that a table with nobody else in it is locked whole.
    let insert = |ids: std::ops::Range<i64>| {
        let mut tx = begin(&engine);
        for id in ids {
            tx.insert(&t, &[Datum::Int(id)]).unwrap();
        }
        tx
    };
    let (other, one) = (insert(20_000..20_002), insert(0..2_000));
    prepare(&engine, "x", one);
    prepare(&engine, "y", other);
    let engine = Engine::open(Arc::new(copied(&store)), options()).unwrap();
    assert_eq!(engine.global_transactions().prepared(), [xid("x"), xid("y")]);
    let t = found(&engine, "t");
    for id in [7, 20_001] {
        let locked = impatient(&engine).insert(&t, &[Datum::Int(id)]);
        assert!(matches!(locked, Err(Error::LockTimeout)), "{id}: {locked:?}");
    }
    assert!(engine.commit_prepared(&xid("y")).unwrap());
    assert!(engine.commit_prepared(&xid("x")).unwrap());
    assert_eq!(rows_by(&engine, &t, 0).len(), 2_002);
    assert_sound(&engine);
}
