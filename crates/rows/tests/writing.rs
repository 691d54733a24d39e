//! Insert, replace, insert-or-update, change: rows, index entries and locks together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::common::*;
use rows::memory::MemoryStore;
use rows::store::{Direction, LockWait, Reach};
use rows::{
    ChangeOutcome, Engine, EngineOptions, Error, FindOp, Flow, RowChange, UpsertOutcome, Wait,
};
use values::{Datum, Value};

#[test]
fn an_inserted_row_is_found_by_every_index() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(2, "bo", "b@x")).unwrap();
    tx.insert(&t, &user(1, "al", "NULL")).unwrap();
    tx.insert(&t, &user(3, "Al", "NULL")).unwrap();
    assert!(rows_by(&engine, &t, 0).is_empty(), "not before the commit");
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 0), ["1 al NULL", "2 bo b@x", "3 Al NULL"]);
    assert_eq!(rows_by(&engine, &t, 1), ["1 al NULL", "3 Al NULL", "2 bo b@x"]);
    assert_eq!(rows_by(&engine, &t, 2), ["1 al NULL", "3 Al NULL", "2 bo b@x"]);
    assert_sound(&engine);
}

#[test]
fn a_duplicate_key_names_index_and_entry_and_leaves_nothing() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(1, "al", "a@x")).unwrap();
    for (row, key, entry) in
        [(user(1, "x", "y"), "PRIMARY", "1"), (user(2, "x", "A@X"), "mail", "A@X")]
    {
        match tx.insert(&t, &row) {
            Err(Error::Duplicate { index, entry: found, .. }) => {
                assert_eq!((index.as_str(), found.as_str()), (key, entry));
            }
            other => panic!("{other:?}"),
        }
    }
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 0), ["1 al a@x"]);
    assert_sound(&engine);
}

#[test]
fn replace_removes_every_row_it_collides_with() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(1, "al", "a@x")).unwrap();
    tx.insert(&t, &user(2, "bo", "b@x")).unwrap();
    commit(tx);
    let mut tx = begin(&engine);
    assert_eq!(tx.replace(&t, &user(1, "cy", "b@x")).unwrap().deleted, 2);
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 0), ["1 cy b@x"]);
    assert_sound(&engine);
}

#[test]
fn upsert_changes_the_row_that_is_there() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    let mut rename =
        |_: values::RowRef<'_>| Ok(RowChange::Set(vec![(1, Value::Bytes(b"new".to_vec()))]));
    let first = tx.upsert::<Error>(&t, &user(1, "al", "a@x"), &mut rename).unwrap();
    assert_eq!(first, UpsertOutcome::Inserted { generated: None });
    assert_eq!(
        tx.upsert::<Error>(&t, &user(9, "zz", "a@x"), &mut rename).unwrap(),
        UpsertOutcome::Updated
    );
    assert_eq!(
        tx.upsert::<Error>(&t, &user(1, "zz", "q@x"), &mut rename).unwrap(),
        UpsertOutcome::Unchanged
    );
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 1), ["1 new a@x"]);
    assert_sound(&engine);
}

#[test]
fn changing_key_columns_moves_row_and_entries() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(1, "al", "a@x")).unwrap();
    tx.insert(&t, &user(2, "bo", "b@x")).unwrap();
    let key = t.row_key(&[Datum::Int(1)]).unwrap();
    let taken =
        tx.change_row::<Error>(&t, &key, &mut |_| Ok(RowChange::Set(vec![(0, Value::Int(2))])));
    assert!(matches!(taken, Err(Error::Duplicate { .. })));
    let moved = tx.change_row::<Error>(&t, &key, &mut |_| {
        Ok(RowChange::Set(vec![(0, Value::Int(7)), (2, Value::Null)]))
    });
    assert_eq!(moved.unwrap(), ChangeOutcome::Updated);
    let gone = tx.change_row::<Error>(&t, &key, &mut |_| Ok(RowChange::Delete)).unwrap();
    assert_eq!(gone, ChangeOutcome::Missing);
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 0), ["2 bo b@x", "7 al NULL"]);
    assert_sound(&engine);
}

#[test]
fn a_row_set_to_what_it_was_is_unchanged() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(1, "al", "NULL")).unwrap();
    let key = t.row_key(&[Datum::Int(1)]).unwrap();
    let same = RowChange::Set(vec![(1, Value::Bytes(b"al".to_vec())), (2, Value::Null)]);
    assert_eq!(
        tx.change_row::<Error>(&t, &key, &mut |_| Ok(same.clone())).unwrap(),
        ChangeOutcome::Unchanged
    );
}

#[test]
fn a_row_set_anew_to_what_it_was_gets_a_new_version_without_being_read_from_the_store_again() {
    // With its row in the cache and nothing of the store in memory, a second look would wait.
    let engine = engine_on(MemoryStore::cold());
    let t = users(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(1, "al", "a@x")).unwrap();
    commit(tx);
    let key = t.row_key(&[Datum::Int(1)]).unwrap();
    let read = |reach| {
        let mut version = 0;
        let latest = engine.latest();
        let found = engine.get(latest, &t, &key, reach, &mut |at| {
            version = at.row.version();
            Ok(())
        });
        found.map(|_| version)
    };
    let first = read(Reach::Disk).unwrap();
    let mut tx = engine.begin(LockWait::Never).unwrap();
    let same = RowChange::SetAnew(vec![(1, Value::Bytes(b"al".to_vec()))]);
    assert_eq!(
        tx.change_row::<Error>(&t, &key, &mut |_| Ok(same.clone())).unwrap(),
        ChangeOutcome::Updated
    );
    let given = tx.version_given(&t, &key).unwrap().unwrap();
    assert!(given > first, "{given} {first}");
    commit(tx);
    assert_eq!(read(Reach::Disk).unwrap(), given);
    assert_eq!(rows_by(&engine, &t, 1), ["1 al a@x"]);
    assert_sound(&engine);
}

#[test]
fn a_transaction_that_may_not_wait_finds_in_the_cache_what_it_has_not_written_itself() {
    let store = MemoryStore::cold();
    let writer = engine_on(store.clone());
    let t = users(&writer);
    let mut tx = begin(&writer);
    for id in 1..=3 {
        tx.insert(&t, &user(id, "al", &format!("{id}@x"))).unwrap();
    }
    commit(tx);
    // One that has written none of them: what is written is cached.
    let engine = Engine::open(Arc::new(store), EngineOptions::default()).unwrap();
    let t = engine.catalog().table("d", "t").unwrap();
    let key = |id| t.row_key(&[Datum::Int(id)]).unwrap();
    let name = |view: &dyn rows::store::Read, id, reach| {
        let mut name = None;
        let found = engine.get(view, &t, &key(id), reach, &mut |at| {
            name = Some(at.row.column(1)?.to_value());
            Ok(())
        });
        found.map(|_| name)
    };
    let text = |name: &str| Some(Value::Bytes(name.as_bytes().to_vec()));
    for id in 1..=2 {
        name(engine.latest(), id, Reach::Disk).unwrap();
    }
    let mut tx = engine.begin(LockWait::Never).unwrap();
    let renamed = RowChange::Set(vec![(1, Value::Bytes(b"bo".to_vec()))]);
    tx.change_row::<Error>(&t, &key(1), &mut |_| Ok(renamed.clone())).unwrap();
    assert_eq!(name(tx.view(), 1, Reach::Memory).unwrap(), text("bo"), "its own");
    assert_eq!(name(tx.view(), 2, Reach::Memory).unwrap(), text("al"), "cached");
    let unread = name(tx.view(), 3, Reach::Memory);
    assert!(matches!(unread, Err(Error::WouldWait(_))), "{unread:?}");
    let snapshot = engine.store().snapshot().unwrap();
    // A snapshot that shows the same row has it from the cache, too.
    assert_eq!(name(&*tx.view_at(&*snapshot), 2, Reach::Memory).unwrap(), text("al"));
    let unread = name(&*tx.view_at(&*snapshot), 3, Reach::Memory);
    assert!(matches!(unread, Err(Error::WouldWait(_))), "{unread:?}");
}

#[test]
fn a_table_without_a_key_takes_equal_rows() {
    let engine = engine();
    let t = table(&engine, "bag", vec![column("x", int(), true)], vec![index("x", false, &["x"])]);
    let mut tx = begin(&engine);
    for _ in 0..3 {
        tx.insert(&t, &[Datum::Int(5)]).unwrap();
    }
    tx.insert(&t, &[Datum::Null]).unwrap();
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 1), ["NULL", "5", "5", "5"]);
    assert_sound(&engine);
}

#[test]
fn auto_increment_goes_on_after_the_highest_value() {
    let engine = engine();
    let mut id = column("id", int(), false);
    id.auto_increment = true;
    let t = table(
        &engine,
        "a",
        vec![id, column("x", int(), true)],
        vec![index("PRIMARY", true, &["id"])],
    );
    let mut tx = begin(&engine);
    let mut add = |id| tx.insert(&t, &[id, Datum::Null]).unwrap().generated;
    assert_eq!(add(Datum::Null), Some(1));
    assert_eq!(add(Datum::Int(10)), None);
    assert_eq!(add(Datum::Int(0)), Some(11));
    commit(tx);
    engine
        .truncate_table("d", "a", rows::foreign_key::ForeignKeyChecks::On, &engine.patience())
        .unwrap();
    let t = engine.catalog().table("d", "a").unwrap();
    let mut tx = begin(&engine);
    assert_eq!(tx.insert(&t, &[Datum::Null, Datum::Null]).unwrap().generated, Some(1));
}

#[test]
fn finds_go_both_ways_over_prefixes() {
    let engine = engine();
    let t = table(
        &engine,
        "c",
        vec![column("a", int(), false), column("b", int(), false)],
        vec![index("PRIMARY", true, &["a", "b"])],
    );
    let mut tx = begin(&engine);
    for (a, b) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)] {
        tx.insert(&t, &[Datum::Int(a), Datum::Int(b)]).unwrap();
    }
    commit(tx);
    let found = |op, key: &[Datum<'_>]| {
        let (range, direction) = t.op_range(0, op, key).unwrap();
        let mut out = Vec::new();
        engine
            .find(engine.latest(), &t, 0, &range, direction, Reach::Memory, &mut |found| {
                out.push(show(&found.row.values()?));
                Ok(Flow::Continue)
            })
            .unwrap();
        out.join(",")
    };
    let two = [Datum::Int(2)];
    assert_eq!(found(FindOp::Equal, &two), "2 1,2 2");
    assert_eq!(found(FindOp::Greater, &two), "3 1");
    assert_eq!(found(FindOp::GreaterEqual, &two), "2 1,2 2,3 1");
    assert_eq!(found(FindOp::Less, &two), "1 2,1 1");
    assert_eq!(found(FindOp::LessEqual, &two), "2 2,2 1,1 2,1 1");
    assert_eq!(found(FindOp::Equal, &[Datum::Int(1), Datum::Int(2)]), "1 2");
}

#[test]
fn who_may_not_wait_is_told_so_and_changes_nothing() {
    let engine = engine();
    let t = users(&engine);
    let mut holder = begin(&engine);
    holder.insert(&t, &user(1, "al", "a@x")).unwrap();
    let mut hasty = engine.begin(LockWait::Never).unwrap();
    hasty.insert(&t, &user(2, "bo", "b@x")).unwrap();
    let refused = hasty.insert(&t, &user(3, "cy", "a@x"));
    assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))), "{refused:?}");
    commit(hasty);
    commit(holder);
    assert_eq!(rows_by(&engine, &t, 0), ["1 al a@x", "2 bo b@x"]);
    assert_sound(&engine);
}

#[test]
fn two_writers_of_one_unique_value_get_one_row() {
    let engine = engine();
    let t = users(&engine);
    let won = Arc::new(AtomicU32::new(0));
    std::thread::scope(|scope| {
        for id in 0..8 {
            let (engine, t, won) = (engine.clone(), t.clone(), won.clone());
            scope.spawn(move || {
                let mut tx = begin(&engine);
                match tx.insert(&t, &user(id, "x", "same")) {
                    Ok(_) => {
                        commit(tx);
                        won.fetch_add(1, Ordering::SeqCst);
                    }
                    Err(Error::Duplicate { .. }) => {}
                    Err(other) => panic!("{other}"),
                }
            });
        }
    });
    assert_eq!(won.load(Ordering::SeqCst), 1);
    assert_sound(&engine);
}

#[test]
fn increments_by_many_writers_are_not_lost() {
    let engine = engine();
    let t = table(
        &engine,
        "n",
        vec![column("id", int(), false), column("n", int(), false)],
        vec![index("PRIMARY", true, &["id"]), index("n", false, &["n"])],
    );
    let mut tx = begin(&engine);
    tx.insert(&t, &[Datum::Int(1), Datum::Int(0)]).unwrap();
    commit(tx);
    let key = t.row_key(&[Datum::Int(1)]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let mut tx = begin(&engine);
                    tx.change_row::<Error>(&t, &key, &mut |row| {
                        let Datum::Int(n) = row.column(1)? else { panic!("an integer") };
                        Ok(RowChange::Set(vec![(1, Value::Int(n + 1))]))
                    })
                    .unwrap();
                    commit(tx);
                }
            });
        }
    });
    assert_eq!(rows_by(&engine, &t, 1), ["1 400"]);
    assert_sound(&engine);
}

#[test]
fn writers_that_wait_for_each_other_are_parted() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(1, "a", "NULL")).unwrap();
    tx.insert(&t, &user(2, "b", "NULL")).unwrap();
    commit(tx);
    let keys = [t.row_key(&[Datum::Int(1)]).unwrap(), t.row_key(&[Datum::Int(2)]).unwrap()];
    let both_hold = std::sync::Barrier::new(2);
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = [(0, 1), (1, 0)]
            .map(|(first, second)| {
                let (engine, t, keys, both_hold) = (&engine, &t, &keys, &both_hold);
                scope.spawn(move || {
                    let mut tx = engine.begin(LockWait::AtMost(Duration::from_secs(20))).unwrap();
                    tx.lock_row(t, &keys[first]).unwrap();
                    both_hold.wait();
                    tx.lock_row(t, &keys[second])
                })
            })
            .into_iter()
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let parted = outcomes.iter().filter(|o| matches!(o, Err(Error::Conflict))).count();
    assert_eq!(parted, 1, "{outcomes:?}");
}

#[test]
fn a_scan_backward_starts_at_the_end() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    for id in 1..=3 {
        tx.insert(&t, &user(id, "n", "NULL")).unwrap();
    }
    commit(tx);
    let mut first = None;
    let range = t.index_range(0);
    engine
        .find(engine.latest(), &t, 0, &range, Direction::Backward, Reach::Disk, &mut |found| {
            first = Some(found.row.column(0)?.to_value());
            Ok(Flow::Stop)
        })
        .unwrap();
    assert_eq!(first, Some(Value::Int(3)));
}

#[test]
fn a_row_that_must_be_put_in_again_where_it_may_wait_does_not_use_up_a_number() {
    let engine = engine_on(MemoryStore::cold());
    let mut id = column("id", int(), false);
    id.auto_increment = true;
    let columns = vec![id, column("x", int(), true)];
    let t = table(&engine, "n", columns, vec![index("PRIMARY", true, &["id"])]);
    for expected in 1..4 {
        let mut hasty = engine.begin(LockWait::Never).unwrap();
        let refused = hasty.insert(&t, &[Datum::Null, Datum::Int(7)]);
        assert!(matches!(refused, Err(Error::WouldWait(Wait::Disk))), "{refused:?}");
        drop(hasty);
        let mut tx = begin(&engine);
        let inserted = tx.insert(&t, &[Datum::Null, Datum::Int(7)]).unwrap();
        assert_eq!(inserted.generated, Some(expected));
        commit(tx);
    }
}

/// Keys of rows of `users`.
fn keys_of(t: &rows::Table, ids: std::ops::Range<i64>) -> Vec<Vec<u8>> {
    ids.map(|id| t.row_key(&[Datum::Int(id)]).unwrap()).collect()
}

#[test]
fn a_taken_key_among_expected_ones_is_found() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(14, "there", "m")).unwrap();
    commit(tx);
    let mut tx = begin(&engine);
    tx.expect_keys(&t, keys_of(&t, 1..30)).unwrap();
    for id in 1..30 {
        let inserted = tx.insert(&t, &user(id, "new", &format!("mail {id}")));
        assert_eq!(matches!(inserted, Err(Error::Duplicate { .. })), id == 14, "{id}");
    }
    tx.expect_nothing(&t);
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 0).len(), 29);
    assert_sound(&engine);
}

#[test]
fn an_expected_key_is_locked_before_it_is_looked_for() {
    let engine = engine();
    let t = users(&engine);
    let mut other = begin(&engine);
    other.insert(&t, &user(20, "other", "o")).unwrap();
    let mut tx = engine.begin(LockWait::AtMost(Duration::from_millis(20))).unwrap();
    tx.expect_keys(&t, keys_of(&t, 1..30)).unwrap();
    for id in 1..20 {
        tx.insert(&t, &user(id, "new", &format!("mail {id}"))).unwrap();
    }
    let waited = tx.insert(&t, &user(20, "new", "x"));
    assert!(matches!(waited, Err(Error::LockTimeout)), "{waited:?}");
    let mut third = engine.begin(LockWait::Never).unwrap();
    let refused = third.insert(&t, &user(12, "third", "y"));
    assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))), "{refused:?}");
    commit(other);
    let late = tx.insert(&t, &user(20, "new", "x"));
    assert!(matches!(late, Err(Error::Duplicate { .. })), "{late:?}");
}

#[test]
fn expected_keys_are_not_trusted_once_other_rows_come_or_writes_are_taken_back() {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(5, "there", "m")).unwrap();
    commit(tx);
    let mut tx = begin(&engine);
    tx.expect_keys(&t, keys_of(&t, 10..30)).unwrap();
    tx.insert(&t, &user(12, "early", "a")).unwrap();
    tx.insert(&t, &user(10, "x", "b")).unwrap();
    tx.insert(&t, &user(11, "x", "c")).unwrap();
    let twice = tx.insert(&t, &user(12, "again", "d"));
    assert!(matches!(twice, Err(Error::Duplicate { .. })), "{twice:?}");
    let mark = tx.savepoint();
    let key = t.row_key(&[Datum::Int(5)]).unwrap();
    tx.change_row::<Error>(&t, &key, &mut |_| Ok(RowChange::Delete)).unwrap();
    tx.expect_keys(&t, keys_of(&t, 0..9)).unwrap();
    tx.rollback_to(mark);
    for id in 0..5 {
        tx.insert(&t, &user(id, "x", &format!("mail {id}"))).unwrap();
    }
    let back = tx.insert(&t, &user(5, "x", "e"));
    assert!(matches!(back, Err(Error::Duplicate { .. })), "{back:?}");
    commit(tx);
    assert_sound(&engine);
}

#[test]
fn numbers_of_one_statement_follow_each_other_whoever_writes_beside_it() {
    let engine = engine();
    let mut id = column("id", int(), false);
    id.auto_increment = true;
    let t = table(&engine, "n", vec![id], vec![index("PRIMARY", true, &["id"])]);
    let insert = |tx: &mut rows::Transaction| tx.insert(&t, &[Datum::Null]).unwrap().generated;
    let (mut tx, mut other) = (begin(&engine), begin(&engine));
    tx.expect_numbers(&t, 20).unwrap();
    tx.expect_numbered(&t).unwrap();
    let numbers: Vec<_> = (0..10).map(|_| (insert(&mut tx), insert(&mut other))).collect();
    for (at, (ours, others)) in (1..).zip(numbers) {
        assert_eq!((ours, others), (Some(at), Some(at + 20)));
    }
    tx.expect_nothing(&t);
    assert_eq!(insert(&mut tx), Some(31), "what was left is a gap, as another went on behind it");
    tx.expect_numbers(&t, 5).unwrap();
    assert_eq!(insert(&mut tx), Some(32));
    tx.expect_nothing(&t);
    assert_eq!(insert(&mut other), Some(33), "what was left was given back");
    commit(tx);
    commit(other);
    assert_eq!(rows_by(&engine, &t, 0).len(), 23);
    assert_sound(&engine);
}

#[test]
fn numbers_that_others_have_given_rows_since_they_were_drawn_are_not_taken_for_free() {
    let engine = engine();
    let mut id = column("id", int(), false);
    id.auto_increment = true;
    let t = table(&engine, "n", vec![id], vec![index("PRIMARY", true, &["id"])]);
    let give = |number: i64| {
        let mut other = begin(&engine);
        other.insert(&t, &[Datum::Int(number)]).unwrap();
        commit(other);
    };
    let inserted = |tx: &mut rows::Transaction| {
        let inserted: Vec<bool> = (0..20).map(|_| tx.insert(&t, &[Datum::Null]).is_ok()).collect();
        tx.expect_nothing(&t);
        inserted.iter().position(|inserted| !inserted)
    };
    let mut tx = begin(&engine);
    tx.expect_numbers(&t, 20).unwrap();
    give(5);
    tx.expect_numbered(&t).unwrap();
    assert_eq!(inserted(&mut tx), Some(4), "by an insert");
    commit(tx);

    give(30);
    let mut tx = begin(&engine);
    tx.expect_numbers(&t, 20).unwrap();
    let mut other = begin(&engine);
    let key = t.row_key(&[Datum::Int(30)]).unwrap();
    let moved = vec![(0, Value::Int(40))];
    other.change_row::<Error>(&t, &key, &mut |_| Ok(RowChange::Set(moved.clone()))).unwrap();
    commit(other);
    tx.expect_numbered(&t).unwrap();
    assert_eq!(inserted(&mut tx), Some(9), "by an update");
    commit(tx);

    // Numbers above all of these are free without being looked for, and stay so.
    for _ in 0..3 {
        let mut tx = begin(&engine);
        tx.expect_numbers(&t, 20).unwrap();
        tx.expect_numbered(&t).unwrap();
        assert_eq!(inserted(&mut tx), None);
        commit(tx);
    }
    assert_eq!(rows_by(&engine, &t, 0).len(), 20 + 1 + 19 + 60);
    assert_sound(&engine);
}
