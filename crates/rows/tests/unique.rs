//! Unique values that several transactions want, give up or have: who waits for whom, and who gets
//! what in the end.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use resources::waiting::{WaitMark, Waiting, tell};

use crate::common::*;
use rows::store::LockWait;
use rows::{ChangeOutcome, Engine, Error, RowChange, Table, Transaction, UpsertOutcome, Wait};
use values::Value;

/// Longer than any test takes, so that a wait without an end fails as one.
const LONG: LockWait = LockWait::AtMost(Duration::from_secs(60));

/// `users` with three rows: 1 has `a@x`, 2 has `b@x`, 3 has none.
fn furnished() -> (Arc<Engine>, Arc<Table>) {
    let engine = engine();
    let t = users(&engine);
    let mut tx = begin(&engine);
    for (id, mail) in [(1, "a@x"), (2, "b@x"), (3, "NULL")] {
        tx.insert(&t, &user(id, "old", mail)).unwrap();
    }
    commit(tx);
    (engine, t)
}

fn set_mail(mail: &str) -> RowChange {
    RowChange::Set(vec![(2, Value::Bytes(mail.as_bytes().to_vec()))])
}

fn change(tx: &mut Transaction, t: &Arc<Table>, id: i64, change: &RowChange) -> ChangeOutcome {
    try_change(tx, t, id, change).unwrap()
}

fn try_change(
    tx: &mut Transaction,
    t: &Arc<Table>,
    id: i64,
    change: &RowChange,
) -> rows::Result<ChangeOutcome> {
    let key = t.row_key(&[values::Datum::Int(id)]).unwrap();
    tx.change_row::<Error>(t, &key, &mut |_| Ok(change.clone()))
}

fn rename(_: values::RowRef<'_>) -> rows::Result<RowChange> {
    Ok(RowChange::Set(vec![(1, Value::Bytes(b"new".to_vec()))]))
}

/// A way to give `a@x` up, and one to get it.
type Leave = fn(&mut Transaction, &Arc<Table>);
type Take = fn(&mut Transaction, &Arc<Table>) -> rows::Result<String>;

const LEAVES: [(&str, Leave); 4] = [
    ("delete", |tx, t| assert_eq!(change(tx, t, 1, &RowChange::Delete), ChangeOutcome::Deleted)),
    ("another value", |tx, t| {
        assert_eq!(change(tx, t, 1, &set_mail("z@x")), ChangeOutcome::Updated)
    }),
    ("NULL", |tx, t| {
        let null = RowChange::Set(vec![(2, Value::Null)]);
        assert_eq!(change(tx, t, 1, &null), ChangeOutcome::Updated);
    }),
    ("replace", |tx, t| {
        assert_eq!(tx.replace(t, &user(1, "old", "z@x")).unwrap().deleted, 1);
    }),
];

const TAKES: [(&str, Take); 4] = [
    ("insert", |tx, t| tx.insert(t, &user(9, "new", "a@x")).map(|_| "put".to_owned())),
    ("replace", |tx, t| {
        tx.replace(t, &user(9, "new", "a@x")).map(|put| format!("for {}", put.deleted))
    }),
    ("upsert", |tx, t| {
        tx.upsert::<Error>(t, &user(9, "new", "a@x"), &mut rename).map(|put| match put {
            UpsertOutcome::Inserted { .. } => "put".to_owned(),
            other => format!("{other:?}"),
        })
    }),
    ("change", |tx, t| {
        try_change(tx, t, 3, &set_mail("a@x")).map(|changed| format!("{changed:?}"))
    }),
];

/// Does `work` on a thread, `then` as soon as it waits for a lock, and gives what came of it.
fn while_waiting<T: Send>(work: impl FnOnce() -> T + Send, then: impl FnOnce()) -> T {
    let mark = Arc::new(WaitMark::default());
    std::thread::scope(|scope| {
        let working = scope.spawn({
            let mark = Arc::clone(&mark);
            move || {
                let _telling = tell(&mark);
                work()
            }
        });
        while mark.current() != Some(Waiting::RowLock) {
            assert!(!working.is_finished(), "it has not waited");
            std::thread::yield_now();
        }
        then();
        working.join().unwrap()
    })
}

#[test]
fn a_value_that_an_open_transaction_had_given_up_was_refused_at_once() {
    for (leaving, leave) in LEAVES {
        for (taking, take) in TAKES {
            for committed in [true, false] {
                let (engine, t) = furnished();
                let mut holder = engine.begin(LONG).unwrap();
                leave(&mut holder, &t);
                let mut taker = engine.begin(LockWait::Never).unwrap();
                let refused = take(&mut taker, &t);
                assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))), "{refused:?}");
                taker.set_wait(LONG);
                let taken = while_waiting(
                    || {
                        let taken = take(&mut taker, &t);
                        commit(taker);
                        taken
                    },
                    || if committed { commit(holder) } else { drop(holder) },
                );
                let expected = match (taking, committed) {
                    ("insert" | "upsert", true) => Some("put"),
                    ("replace", true) => Some("for 0"),
                    ("replace", false) => Some("for 1"),
                    ("change", true) | ("upsert", false) => Some("Updated"),
                    _ => None,
                };
                let case = format!("{leaving}, {taking}, committed: {committed}");
                match expected {
                    Some(expected) => assert_eq!(taken.unwrap(), expected, "{case}"),
                    None => assert!(matches!(taken, Err(Error::Duplicate { .. })), "{case}"),
                }
                assert_sound(&engine);
            }
        }
    }
}

#[test]
fn a_row_that_keeps_its_value_is_in_nobodys_way() {
    let (engine, t) = furnished();
    let mut holder = begin(&engine);
    holder.upsert::<Error>(&t, &user(1, "old", "NULL"), &mut rename).unwrap();
    let mut other = engine.begin(LockWait::Never).unwrap();
    let refused = other.insert(&t, &user(9, "new", "a@x"));
    assert!(matches!(refused, Err(Error::Duplicate { .. })), "{refused:?}");
}

#[test]
fn a_refused_row_kept_others_from_its_value() {
    let (engine, t) = furnished();
    let mut refused = begin(&engine);
    assert!(refused.insert(&t, &user(9, "new", "a@x")).is_err());
    let mut second = engine.begin(LockWait::Never).unwrap();
    let too = second.insert(&t, &user(10, "new", "a@x"));
    assert!(matches!(too, Err(Error::Duplicate { .. })), "{too:?}");
    assert_eq!(change(&mut second, &t, 1, &RowChange::Delete), ChangeOutcome::Deleted);
    commit(second);
    refused.insert(&t, &user(9, "new", "a@x")).unwrap();
    commit(refused);
    assert_eq!(rows_by(&engine, &t, 2), ["3 old NULL", "9 new a@x", "2 old b@x"]);
    assert_sound(&engine);
}

#[test]
fn a_value_given_up_and_taken_back_is_its_rows() {
    let (engine, t) = furnished();
    let mut tx = begin(&engine);
    change(&mut tx, &t, 1, &RowChange::Delete);
    tx.insert(&t, &user(4, "new", "a@x")).unwrap();
    change(&mut tx, &t, 2, &set_mail("c@x"));
    change(&mut tx, &t, 4, &set_mail("b@x"));
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 2), ["3 old NULL", "4 new b@x", "2 old c@x"]);
    assert_sound(&engine);
}

#[test]
fn transactions_that_want_each_others_value_are_parted() {
    type Step = fn(&mut Transaction, &Arc<Table>, usize) -> rows::Result<()>;
    const MAILS: [&str; 2] = ["a@x", "b@x"];
    let delete: Step = |tx, t, own| try_change(tx, t, own as i64 + 1, &RowChange::Delete).map(drop);
    let give_up: Step =
        |tx, t, own| try_change(tx, t, own as i64 + 1, &set_mail(["y@x", "z@x"][own])).map(drop);
    let insert: Step =
        |tx, t, own| tx.insert(t, &user(own as i64 + 7, "new", MAILS[1 - own])).map(drop);
    let replace: Step =
        |tx, t, own| tx.replace(t, &user(own as i64 + 7, "new", MAILS[1 - own])).map(drop);
    let take: Step =
        |tx, t, own| try_change(tx, t, own as i64 + 1, &set_mail(MAILS[1 - own])).map(drop);
    // The one that is rolled back has its value again, which only REPLACE takes from it.
    let ways = [(delete, insert, false), (delete, replace, true), (give_up, take, false)];
    for (first, second, replaces) in ways {
        let (engine, t) = furnished();
        let both_hold = Barrier::new(2);
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let threads = [0, 1].map(|own| {
                let (engine, t, both_hold) = (&engine, &t, &both_hold);
                scope.spawn(move || {
                    let mut tx = engine.begin(LONG).unwrap();
                    first(&mut tx, t, own).unwrap();
                    both_hold.wait();
                    second(&mut tx, t, own).map(|()| commit(tx))
                })
            });
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let parted = outcomes.iter().filter(|outcome| matches!(outcome, Err(Error::Conflict)));
        assert_eq!(parted.count(), 1, "{outcomes:?}");
        let went_on = outcomes.iter().any(|outcome| match outcome {
            Ok(()) => replaces,
            Err(Error::Duplicate { .. }) => !replaces,
            Err(_) => false,
        });
        assert!(went_on, "{outcomes:?}");
        assert_sound(&engine);
    }
}

/// Single operations that come to a row by its key and by its unique value: as each waits for the
/// row before it locks the value, none of them is ever refused for a deadlock.
#[test]
fn operations_by_key_and_by_unique_value_do_not_wait_for_each_other_in_a_circle() {
    const EACH: i64 = 400;
    let engine = engine();
    let t = users(&engine);
    let last = AtomicI64::new(0);
    let fresh = || last.fetch_add(1, Ordering::Relaxed) + 1;
    let single = |work: &dyn Fn(&mut Transaction) -> rows::Result<()>| {
        let mut tx = engine.begin(LONG).unwrap();
        match work(&mut tx) {
            Ok(()) => commit(tx),
            Err(Error::Duplicate { .. }) => {}
            Err(other) => panic!("{other:?}"),
        }
    };
    let works: [&(dyn Fn(i64) + Sync); 5] = [
        &|_| single(&|tx| tx.insert(&t, &user(fresh(), "i", "a@x")).map(drop)),
        &|_| single(&|tx| tx.replace(&t, &user(fresh(), "r", "a@x")).map(drop)),
        &|_| {
            single(&|tx| tx.upsert::<Error>(&t, &user(fresh(), "u", "a@x"), &mut rename).map(drop))
        },
        &|round| {
            let way = [RowChange::Delete, set_mail("z@x")][round as usize % 2].clone();
            for id in last.load(Ordering::Relaxed).saturating_sub(3)..fresh() {
                single(&|tx| try_change(tx, &t, id, &way).map(drop));
            }
        },
        &|_| {
            let id = fresh();
            single(&|tx| tx.insert(&t, &user(id, "c", "NULL")).map(drop));
            single(&|tx| try_change(tx, &t, id, &set_mail("a@x")).map(drop));
        },
    ];
    std::thread::scope(|scope| {
        for work in works.iter().chain(&works) {
            scope.spawn(move || (0..EACH).for_each(work));
        }
    });
    assert_sound(&engine);
}

/// Each row wants the value that the other has. Whatever the order, both are taken; as the entry
/// given up and the one wanted are locked in the order of their keys, neither waits in a circle.
#[test]
fn single_changes_to_each_others_value_find_it_taken() {
    const EACH: usize = 20_000;
    let (engine, t) = furnished();
    std::thread::scope(|scope| {
        for (id, wanted) in [(1, "b@x"), (2, "a@x")] {
            let (engine, t) = (&engine, &t);
            scope.spawn(move || {
                let outcomes: Vec<_> = (0..EACH)
                    .map(|_| try_change(&mut engine.begin(LONG).unwrap(), t, id, &set_mail(wanted)))
                    .collect();
                let is_taken = |outcome: &_| matches!(outcome, Err(Error::Duplicate { .. }));
                let other = outcomes.iter().find(|outcome| !is_taken(outcome));
                assert!(other.is_none(), "{other:?}");
            });
        }
    });
    assert_eq!(rows_by(&engine, &t, 2), ["3 old NULL", "1 old a@x", "2 old b@x"]);
    assert_sound(&engine);
}
