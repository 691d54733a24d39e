//! Transactions with more writes and locks than there is memory for.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use resources::spill::SpillDirectory;

use crate::common::*;
use rows::memory::MemoryStore;
use rows::store::LockWait;
use rows::{ChangeOutcome, Engine, EngineOptions, Error, RowChange, Table, Transaction, Wait};
use values::Value;

/// Memory for clients: writes go to files at an eighth of it, locks become one at a sixteenth.
const CLIENT_BYTES: usize = 1 << 20;
const ROWS: i64 = 20_000;

fn small(spill: Option<&Path>) -> Arc<Engine> {
    let options = EngineOptions {
        client_bytes: CLIENT_BYTES,
        spill: spill.map(|path| SpillDirectory::open(path).unwrap()),
        ..EngineOptions::default()
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    engine
}

/// Inserts rows; gives the most memory that was counted meanwhile.
fn insert(tx: &mut Transaction, engine: &Engine, table: &Arc<Table>, ids: Vec<i64>) -> usize {
    let mut most = 0;
    for id in ids {
        tx.insert(table, &user(id, &format!("n{}", id % 100), &format!("m{id}"))).unwrap();
        most = most.max(engine.budget().used());
    }
    most
}

fn change(tx: &mut Transaction, table: &Arc<Table>, id: i64, change: RowChange) -> ChangeOutcome {
    let key = table.row_key(&[values::Datum::Int(id)]).unwrap();
    tx.change_row::<Error>(table, &key, &mut |_| Ok(change.clone())).unwrap()
}

fn files(path: &Path) -> usize {
    fs::read_dir(path).unwrap().count()
}

#[test]
fn a_transaction_that_was_refused_for_its_size_goes_to_files_and_is_committed_whole() {
    let directory = tempfile::tempdir().unwrap();
    let engine = small(Some(directory.path()));
    let t = users(&engine);
    let mut tx = begin(&engine);
    // In a mixed order, so that each look-up may be in any file.
    let most = insert(&mut tx, &engine, &t, (0..ROWS).map(|n| n * 7919 % ROWS).collect());
    assert!(files(directory.path()) > 0, "nothing was moved to files");
    assert!(most <= CLIENT_BYTES, "{most} bytes");
    let taken = tx.insert(&t, &user(-1, "x", "m77"));
    assert!(matches!(taken, Err(Error::Duplicate { .. })), "a unique entry in a file is found");
    assert!(matches!(tx.insert(&t, &user(78, "x", "y")), Err(Error::Duplicate { .. })));
    commit(tx);
    assert_eq!((files(directory.path()), engine.budget().used()), (0, 0));
    assert_eq!(rows_by(&engine, &t, 0).len(), ROWS as usize);
    assert_sound(&engine);

    let mut tx = begin(&engine);
    let mark = tx.savepoint();
    for id in 0..ROWS {
        let name = vec![(1, Value::Bytes(b"new".to_vec()))];
        let outcome = change(&mut tx, &t, id, RowChange::Set(name));
        assert_eq!(outcome, ChangeOutcome::Updated);
    }
    assert!(engine.budget().used() <= CLIENT_BYTES);
    tx.rollback_to(mark);
    assert!(engine.budget().used() <= CLIENT_BYTES);
    for id in 0..ROWS / 2 {
        assert_eq!(change(&mut tx, &t, id, RowChange::Delete), ChangeOutcome::Deleted);
    }
    commit(tx);
    let left = rows_by(&engine, &t, 0);
    assert_eq!(left.len(), ROWS as usize / 2);
    assert!(left.iter().all(|row| !row.contains("new")), "what was taken back is not there");
    assert_sound(&engine);
}

#[test]
fn a_large_transaction_rolled_back_leaves_no_rows_files_locks_or_memory() {
    let directory = tempfile::tempdir().unwrap();
    let engine = small(Some(directory.path()));
    let t = users(&engine);
    let mut tx = begin(&engine);
    insert(&mut tx, &engine, &t, (0..ROWS).collect());
    drop(tx);
    assert_eq!((files(directory.path()), engine.budget().used()), (0, 0));
    assert!(rows_by(&engine, &t, 0).is_empty());
    let mut next = engine.begin(LockWait::Never).unwrap();
    next.insert(&t, &user(5, "x", "y")).unwrap();
    commit(next);
    assert_sound(&engine);
}

#[test]
fn deleting_more_rows_than_locks_fit_was_not_counted_and_locks_the_table_whole() {
    let directory = tempfile::tempdir().unwrap();
    let engine = small(Some(directory.path()));
    let t = users(&engine);
    let mut tx = begin(&engine);
    insert(&mut tx, &engine, &t, (0..ROWS).collect());
    commit(tx);
    let mut tx = begin(&engine);
    let mut most = 0;
    for id in 0..ROWS - 1 {
        change(&mut tx, &t, id, RowChange::Delete);
        most = most.max(engine.budget().used());
    }
    assert!((CLIENT_BYTES / 16..CLIENT_BYTES).contains(&most), "{most} bytes");
    // No row of the table is to be had by others: those who wait do so in time.
    let mut other = engine.begin(LockWait::AtMost(Duration::from_millis(5))).unwrap();
    let waited = other.insert(&t, &user(ROWS, "x", "y"));
    assert!(matches!(waited, Err(Error::LockTimeout)), "{waited:?}");
    let mut hurried = engine.begin(LockWait::Never).unwrap();
    let refused = hurried.insert(&t, &user(ROWS, "x", "y"));
    assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))), "{refused:?}");
    // One that waits long enough comes in behind it.
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let mut patient = begin(&engine);
            patient.insert(&t, &user(ROWS, "x", "y")).unwrap();
            commit(patient);
        });
        commit(tx);
        waiter.join().unwrap();
    });
    assert_eq!(rows_by(&engine, &t, 0).len(), 2);
    assert_sound(&engine);
}

#[test]
fn while_others_write_in_the_table_their_rows_stay_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let engine = small(Some(directory.path()));
    let t = users(&engine);
    let mut other = begin(&engine);
    other.insert(&t, &user(-1, "x", "y")).unwrap();
    let mut tx = begin(&engine);
    insert(&mut tx, &engine, &t, (0..3000).collect());
    tx.set_wait(LockWait::Never);
    let refused = tx.insert(&t, &user(-1, "a", "b"));
    assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))), "{refused:?}");
    other.insert(&t, &user(-2, "x", "z")).unwrap();
    commit(other);
    tx.set_wait(LockWait::AtMost(Duration::from_secs(5)));
    insert(&mut tx, &engine, &t, (3000..ROWS).collect());
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 0).len(), ROWS as usize + 2);
    assert_sound(&engine);
}

#[test]
fn a_transaction_without_room_is_refused_by_its_own_size_and_the_name_of_the_setting() {
    let engine = small(None);
    let t = users(&engine);
    let mut tx = begin(&engine);
    let refused = (0..ROWS).find_map(|id| tx.insert(&t, &user(id, "name", "NULL")).err());
    let refused = refused.expect("there is no place for so many");
    assert!(matches!(refused, Error::TransactionTooLarge { .. }), "{refused:?}");
    let told = refused.to_string();
    assert!(told.contains("row locks and") && told.contains("'memory'"), "{told}");
    let Error::TransactionTooLarge { locks, bytes } = refused else { unreachable!() };
    assert!(locks > 0 && (CLIENT_BYTES / 4..CLIENT_BYTES).contains(&bytes), "{locks} {bytes}");
    drop(tx);
    assert_eq!(engine.budget().used(), 0);
}
