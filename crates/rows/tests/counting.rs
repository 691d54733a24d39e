//! The number of rows that a table keeps: right after whatever happens to its rows; and the one
//! that was counted, which is exact.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use crate::common::*;
use rows::memory::MemoryStore;
use rows::store::{Direction, Reach, Read};
use rows::transaction::RowChange;
use rows::{Alteration, Engine, EngineOptions, Flow, Table};
use values::{Datum, Value};

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
        tx.change_row::<rows::Error>(&t, &key(id), &mut |_| Ok(RowChange::Set(vec![set.clone()])))
            .unwrap();
    }
    tx.change_row::<rows::Error>(&t, &key(3), &mut |_| Ok(RowChange::Delete)).unwrap();
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
    engine
        .truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &engine.patience())
        .unwrap();
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

/// COUNT(*) as a client gets it: the number that is known, or by counting.
fn count_all(engine: &Engine, view: &dyn Read, t: &Table) -> u64 {
    match engine.known_count(view, t) {
        Some(rows) => rows,
        None => engine.count_all(view, t, 1).unwrap(),
    }
}

#[test]
fn a_count_is_known_until_somebody_writes() {
    let engine = engine();
    let t = users(&engine);
    let snapshot = || engine.store().snapshot().unwrap();
    let known = |view: &dyn Read| engine.known_count(view, &t);
    let add = |id: i64| {
        let mut tx = begin(&engine);
        tx.insert(&t, &user(id, "n", &format!("m{id}"))).unwrap();
        tx
    };
    (0..5).for_each(|id| commit(add(id)));
    let old = snapshot();
    assert_eq!(known(&*old), None, "nobody has counted");
    assert_eq!(count_all(&engine, &*old, &t), 5);
    assert_eq!(known(&*old), Some(5));
    assert_eq!(known(&*snapshot()), Some(5));
    // Another table's writers change nothing of it.
    let other = table(
        &engine,
        "other",
        vec![column("id", int(), false)],
        vec![index("PRIMARY", true, &["id"])],
    );
    let mut tx = begin(&engine);
    tx.insert(&other, &[Datum::Int(1)]).unwrap();
    commit(tx);
    assert_eq!(known(&*snapshot()), Some(5));
    let tx = add(5);
    assert_eq!(known(&*snapshot()), None, "a writer is inside, who may be about to commit");
    commit(tx);
    assert_eq!(known(&*snapshot()), None);
    assert_eq!(engine.count_all(&*old, &t, 1).unwrap(), 5);
    assert_eq!(known(&*snapshot()), None, "what an older state shows is not remembered");
    assert_eq!(count_all(&engine, &*snapshot(), &t), 6);
    assert_eq!(known(&*snapshot()), Some(6));
    assert_eq!(known(&*old), None);
    drop(add(6));
    assert_eq!(count_all(&engine, &*snapshot(), &t), 6);
    // Counted beside a writer, it is right and not remembered.
    let tx = add(7);
    assert_eq!(count_all(&engine, &*snapshot(), &t), 6);
    commit(tx);
    assert_eq!(known(&*snapshot()), None);
    assert_eq!(count_all(&engine, &*snapshot(), &t), 7);
    engine
        .truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &engine.patience())
        .unwrap();
    assert_eq!(known(&*snapshot()), None);
    let t = engine.catalog().table("d", "t").unwrap();
    assert_eq!(count_all(&engine, &*snapshot(), &t), 0);
}

#[test]
fn beside_writers_a_count_is_that_of_its_state() {
    let engine = engine();
    let t = users(&engine);
    let stop = AtomicBool::new(false);
    let scanned = |view: &dyn Read| {
        let mut rows = 0;
        let mut each = |_: rows::FoundRow<'_>| {
            rows += 1;
            Ok(Flow::Continue)
        };
        let (range, forward) = (t.index_range(0), Direction::Forward);
        engine.find(view, &t, 0, &range, forward, Reach::Disk, &mut each).unwrap();
        rows
    };
    // Looks at the table so far; and where all writers stand outside of it now and then.
    let (looks, outside, ends) = (AtomicUsize::new(0), Barrier::new(3), AtomicBool::new(false));
    thread::scope(|scope| {
        let _ends = Ending(&stop);
        for writer in 0..3 {
            let (engine, t, stop) = (&engine, &t, &stop);
            let (looks, outside, ends) = (&looks, &outside, &ends);
            scope.spawn(move || {
                for n in 0.. {
                    let mut tx = begin(engine);
                    let id = writer * 1000 + n % 50;
                    let key = t.row_key(&[Datum::Int(id)]).unwrap();
                    if n % 100 < 50 {
                        tx.insert(t, &user(id, "n", &format!("m{id}"))).unwrap();
                    } else {
                        tx.change_row::<rows::Error>(t, &key, &mut |_| Ok(RowChange::Delete))
                            .unwrap();
                    }
                    if n % 7 == 0 {
                        thread::yield_now();
                    }
                    commit(tx);
                    if n % 20 != 0 {
                        continue;
                    }
                    if outside.wait().is_leader() {
                        // The second look from here on begins while nobody is inside.
                        let enough = looks.load(Ordering::SeqCst) + 2;
                        let is_stopped = || stop.load(Ordering::Relaxed);
                        while looks.load(Ordering::SeqCst) < enough && !is_stopped() {
                            thread::yield_now();
                        }
                        ends.store(is_stopped(), Ordering::SeqCst);
                    }
                    outside.wait();
                    if ends.load(Ordering::SeqCst) {
                        break;
                    }
                }
            });
        }
        let (mut known, mut tried) = (0, 0);
        while known < 200 && tried < 200_000 {
            tried += 1;
            let view = engine.store().snapshot().unwrap();
            known += usize::from(engine.known_count(&*view, &t).is_some());
            let counted = count_all(&engine, &*view, &t);
            assert_eq!(counted, scanned(&*view));
            looks.fetch_add(1, Ordering::SeqCst);
        }
        assert!(known > 0, "none of {tried} was known");
    });
}
