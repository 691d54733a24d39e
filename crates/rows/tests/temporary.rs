//! Temporary tables: rows that only one session has, which no commit waits for, and which go to
//! files where there are too many.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use resources::spill::SpillDirectory;

use crate::common::*;
use rows::alter::ConversionRules;
use rows::ddl::NewTable;
use rows::foreign_key::ForeignKeyChecks;
use rows::memory::MemoryStore;
use rows::store::{Direction, KeyRange, LockWait, Reach, Read};
use rows::{Alteration, Engine, EngineOptions, Error, Flow, RowChange, Table, Wait};
use values::{Datum, SqlMode, Value};

/// A temporary table goes to files at a sixteenth of it.
const CLIENT_BYTES: usize = 1 << 20;
const ROWS: i64 = 5_000;

fn small(spill: &Path) -> Arc<Engine> {
    let options = EngineOptions {
        client_bytes: CLIENT_BYTES,
        spill: Some(SpillDirectory::open(spill).unwrap()),
        ..EngineOptions::default()
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    engine
}

/// As `users`, temporary.
fn own(engine: &Engine) -> Arc<Table> {
    let columns = vec![
        column("id", int(), false),
        column("name", text(20), true),
        column("mail", text(20), true),
    ];
    let indexes = vec![
        index("PRIMARY", true, &["id"]),
        index("name", false, &["name"]),
        index("mail", true, &["mail"]),
    ];
    engine.create_temporary_table(NewTable::new("d", "t", columns, indexes)).unwrap()
}

/// The first columns of all rows, by an index.
fn ids(engine: &Engine, view: &dyn Read, table: &Table, by: usize, way: Direction) -> Vec<i64> {
    let (mut ids, range) = (Vec::new(), table.index_range(by));
    let mut visit = |found: rows::FoundRow<'_>| {
        match found.row.column(0)? {
            Datum::Int(id) => ids.push(id),
            other => panic!("{other:?}"),
        }
        Ok(Flow::Continue)
    };
    engine.find(view, table, by, &range, way, Reach::Disk, &mut visit).unwrap();
    ids
}

/// Everything that the store beneath has.
fn stored(store: &MemoryStore) -> Vec<Vec<u8>> {
    let mut cursor = store.scan(&KeyRange::default(), Direction::Forward, Reach::Disk).unwrap();
    let mut keys = Vec::new();
    while cursor.advance().unwrap() {
        keys.push(cursor.key().to_vec());
    }
    keys
}

#[test]
fn nothing_of_a_temporary_table_is_in_the_store_and_rows_beside_it_are() {
    let store = MemoryStore::new();
    let engine = engine_on(store.clone());
    let (t, u) = (own(&engine), users(&engine));
    let (before, state) = (stored(&store), store.sequence());
    let mut tx = begin(&engine);
    tx.insert(&t, &user(1, "a", "m1")).unwrap();
    commit(tx);
    assert_eq!((stored(&store), store.sequence()), (before.clone(), state), "left alone");
    let mut tx = begin(&engine);
    tx.insert(&t, &user(2, "b", "m2")).unwrap();
    tx.insert(&u, &user(9, "z", "m9")).unwrap();
    let mark = tx.savepoint();
    tx.insert(&t, &user(3, "c", "m3")).unwrap();
    tx.rollback_to(mark);
    assert_eq!(ids(&engine, tx.view(), &t, 0, Direction::Backward), [2, 1]);
    commit(tx);
    assert_eq!(stored(&store).len(), before.len() + 3, "a row of the other, with two entries");
    assert_eq!(ids(&engine, engine.latest(), &t, 2, Direction::Forward), [1, 2]);
    // A snapshot of before shows them too: nobody else writes them.
    let mut tx = begin(&engine);
    let taken = tx.insert(&t, &user(4, "d", "m1"));
    assert!(matches!(taken, Err(Error::Duplicate { .. })), "{taken:?}");
    tx.insert(&t, &user(5, "e", "m5")).unwrap();
    drop(tx);
    assert_eq!(ids(&engine, engine.latest(), &t, 0, Direction::Forward), [1, 2]);
    engine.drop_temporary_table(&t);
    let mut tx = begin(&engine);
    assert!(matches!(tx.insert(&t, &user(6, "f", "m6")), Err(Error::SchemaChanged)));
}

#[test]
fn a_table_dropped_before_its_transaction_is_committed_leaves_nothing() {
    let store = MemoryStore::new();
    let engine = engine_on(store.clone());
    let (t, u) = (own(&engine), users(&engine));
    let before = stored(&store).len();
    let mut tx = begin(&engine);
    tx.insert(&t, &user(1, "a", "m1")).unwrap();
    tx.insert(&u, &user(1, "a", "m1")).unwrap();
    engine.drop_temporary_table(&t);
    let used = engine.budget().used();
    commit(tx);
    assert_eq!(stored(&store).len(), before + 3);
    assert!(engine.budget().used() <= used);
}

#[test]
fn rows_beyond_their_memory_lie_in_files_that_go_with_the_table() {
    let directory = tempfile::tempdir().unwrap();
    let files = || fs::read_dir(directory.path()).unwrap().count();
    let engine = small(directory.path());
    let t = own(&engine);
    // In a mixed order, in many transactions.
    for batch in 0..ROWS / 100 {
        let mut tx = begin(&engine);
        for n in batch * 100..batch * 100 + 100 {
            let id = n * 7919 % ROWS;
            tx.insert(&t, &user(id, &format!("n{}", id % 10), &format!("m{id}"))).unwrap();
        }
        commit(tx);
        assert!(engine.budget().used() <= CLIENT_BYTES, "{} bytes", engine.budget().used());
    }
    assert!(files() > 0, "nothing is in files");
    let all: Vec<i64> = (0..ROWS).collect();
    assert_eq!(ids(&engine, engine.latest(), &t, 0, Direction::Forward), all);
    // Where the disk may not be waited for, it is said so.
    let mut tx = engine.begin(LockWait::Never).unwrap();
    let met = tx.insert(&t, &user(-1, "x", "m77"));
    assert!(matches!(met, Err(Error::WouldWait(Wait::Disk))), "{met:?}");
    drop(tx);
    let mut tx = begin(&engine);
    for id in 0..ROWS {
        let key = t.row_key(&[Datum::Int(id)]).unwrap();
        let change = match id % 3 {
            0 => RowChange::Delete,
            1 => RowChange::Set(vec![(1, Value::Bytes(b"new".to_vec()))]),
            _ => RowChange::Keep,
        };
        tx.change_row::<Error>(&t, &key, &mut |_| Ok(change.clone())).unwrap();
    }
    commit(tx);
    let left: Vec<i64> = (0..ROWS).filter(|id| id % 3 != 0).collect();
    let mut back = left.clone();
    back.reverse();
    assert_eq!(ids(&engine, engine.latest(), &t, 0, Direction::Forward), left);
    assert_eq!(ids(&engine, engine.latest(), &t, 0, Direction::Backward), back);
    let by_name = ids(&engine, engine.latest(), &t, 1, Direction::Forward).len();
    assert_eq!(by_name, left.len(), "entries follow the rows");
    engine.drop_temporary_table(&t);
    assert_eq!((files(), engine.budget().used()), (0, 0));
}

#[test]
fn a_transaction_that_is_too_large_for_memory_goes_to_the_tables_that_it_wrote_to() {
    let directory = tempfile::tempdir().unwrap();
    let engine = small(directory.path());
    let (t, other, u) = (own(&engine), own(&engine), users(&engine));
    let mut tx = begin(&engine);
    tx.insert(&other, &user(7, "x", "seven")).unwrap();
    for id in 0..ROWS {
        tx.insert(&t, &user(id, "n", &format!("m{id}"))).unwrap();
    }
    assert!(tx.is_spilled());
    tx.insert(&u, &user(1, "in the store", "m")).unwrap();
    commit(tx);
    assert_eq!(ids(&engine, engine.latest(), &t, 2, Direction::Forward).len() as i64, ROWS);
    assert_eq!(ids(&engine, engine.latest(), &other, 0, Direction::Forward), [7]);
    assert_eq!(ids(&engine, engine.latest(), &u, 0, Direction::Forward), [1]);
    // One that is rolled back leaves nothing.
    let mut tx = begin(&engine);
    for id in ROWS..3 * ROWS {
        tx.insert(&t, &user(id, "n", &format!("m{id}"))).unwrap();
    }
    assert!(tx.is_spilled());
    drop(tx);
    assert_eq!(ids(&engine, engine.latest(), &t, 0, Direction::Backward)[0], ROWS - 1);
}

#[test]
fn a_cursor_shows_the_state_in_which_it_began() {
    let engine = engine();
    let t = own(&engine);
    let mut tx = begin(&engine);
    for id in 0..1000 {
        tx.insert(&t, &user(id, "n", &format!("m{id}"))).unwrap();
    }
    commit(tx);
    let view = engine.store().snapshot().unwrap();
    let mut cursor = view.scan(&t.index_range(0), Direction::Forward, Reach::Memory).unwrap();
    assert!(cursor.advance().unwrap());
    let mut tx = begin(&engine);
    for id in 500..1500 {
        let key = t.row_key(&[Datum::Int(id)]).unwrap();
        tx.change_row::<Error>(&t, &key, &mut |_| Ok(RowChange::Delete)).unwrap();
    }
    commit(tx);
    let mut rows = 1;
    while cursor.advance().unwrap() {
        rows += 1;
    }
    assert_eq!(rows, 1000);
    assert_eq!(ids(&engine, engine.latest(), &t, 0, Direction::Forward).len(), 500);
}

#[test]
fn a_change_that_does_not_hold_leaves_the_table_as_it_was() {
    let engine = engine();
    let t = own(&engine);
    let mut tx = begin(&engine);
    for id in 0..10 {
        tx.insert(&t, &user(id, "same", &format!("m{id}"))).unwrap();
    }
    commit(tx);
    let (zone, mode) = (values::Zone::UTC, SqlMode::default());
    let rules = ConversionRules { zone, mode, now: 0, foreign_key_checks: ForeignKeyChecks::On };
    let used = engine.budget().used();
    let unique = vec![Alteration::AddIndex(index("names", true, &["name"]))];
    let refused = engine.alter_temporary_table(&t, unique, rules, &|| Ok(()));
    assert!(matches!(refused, Err(Error::Duplicate { .. })), "{:?}", refused.map(|_| ()));
    assert_eq!(ids(&engine, engine.latest(), &t, 0, Direction::Forward).len(), 10);
    assert_eq!(engine.budget().used(), used);
    let plain = vec![Alteration::AddIndex(index("names", false, &["name"]))];
    let (t, outcome) = engine.alter_temporary_table(&t, plain, rules, &|| Ok(())).unwrap();
    assert_eq!(outcome.rows_copied, 10);
    assert_eq!(ids(&engine, engine.latest(), &t, 3, Direction::Forward).len(), 10);
    let emptied = engine.truncate_temporary_table(&t).unwrap();
    assert!(ids(&engine, engine.latest(), &emptied, 0, Direction::Forward).is_empty());
}
