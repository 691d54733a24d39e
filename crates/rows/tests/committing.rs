//! Which thread commits: one that finds nobody else at it, or the committer's for all who wait.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::common::*;
use rows::store::{Durability, LockWait};
use rows::{Engine, Error, Group, Lead, Result, Table, Transaction};

fn insert(engine: &Arc<Engine>, t: &Arc<Table>, id: i64) -> Transaction {
    let mut transaction = begin(engine);
    transaction.insert(t, &user(id, "al", "NULL")).unwrap();
    transaction
}

/// Hands a commit over; gives the thread that made it, and its result.
fn hand_over(transaction: Transaction) -> Receiver<(Option<String>, Result<()>)> {
    let (told, is_told) = channel();
    let done = move |result| {
        told.send((thread::current().name().map(str::to_owned), result)).unwrap();
    };
    assert!(transaction.commit_or_later(Durability::EveryCommit, Box::new(done)).is_none());
    is_told
}

/// The lead of an engine that has seen commits be quick.
fn lead(engine: &Arc<Engine>, t: &Arc<Table>) -> Lead {
    assert!(engine.quick_lead().is_none(), "nobody knows yet how long a sync takes");
    insert(engine, t, 1).commit(Durability::EveryCommit).unwrap();
    engine.quick_lead().expect("nobody else commits")
}

#[test]
fn who_comes_while_somebody_leads_is_committed_when_the_lead_ends() {
    let engine = engine();
    let t = users(&engine);
    let lead = lead(&engine, &t);
    assert!(engine.quick_lead().is_none(), "one at a time");
    let waiting = [2, 3].map(|id| hand_over(insert(&engine, &t, id)));
    let (of_thread, table) = (Arc::clone(&engine), Arc::clone(&t));
    let in_thread = thread::spawn(move || {
        insert(&of_thread, &table, 4).commit(Durability::EveryCommit).unwrap();
    });
    assert!(waiting.iter().all(|each| each.try_recv().is_err()));
    assert_eq!(rows_by(&engine, &t, 0), ["1 al NULL"]);
    insert(&engine, &t, 5).commit_by(lead, Durability::EveryCommit).unwrap();
    for told in waiting {
        let (thread, result) = told.recv().unwrap();
        assert_eq!((thread.as_deref(), result.is_ok()), (Some("committer"), true));
    }
    in_thread.join().unwrap();
    let all = [1, 2, 3, 4, 5].map(|id| format!("{id} al NULL"));
    assert_eq!(rows_by(&engine, &t, 0), all);
    assert_sound(&engine);
}

#[test]
fn a_lead_that_is_given_back_unused_lets_the_others_go_on() {
    let engine = engine();
    let t = users(&engine);
    let lead = lead(&engine, &t);
    let waiting = hand_over(insert(&engine, &t, 2));
    drop(lead);
    assert!(waiting.recv().unwrap().1.is_ok());
}

#[test]
fn an_engine_that_closes_waits_for_who_leads_and_refuses_who_comes_later() {
    let engine = engine();
    let t = users(&engine);
    let lead = lead(&engine, &t);
    let waiting = hand_over(insert(&engine, &t, 2));
    let of_thread = Arc::clone(&engine);
    let closing = thread::spawn(move || of_thread.close());
    insert(&engine, &t, 3).commit_by(lead, Durability::EveryCommit).unwrap();
    closing.join().unwrap().unwrap();
    assert!(waiting.recv().unwrap().1.is_ok(), "it came before the end");
    let refused = insert(&engine, &t, 4).commit(Durability::EveryCommit);
    assert!(matches!(refused, Err(Error::Refused { .. })));
    assert!(engine.quick_lead().is_none());
    assert_eq!(rows_by(&engine, &t, 0), ["1 al NULL", "2 al NULL", "3 al NULL"]);
}

#[test]
fn a_transaction_added_to_a_group_is_committed_with_it_and_not_before() {
    let engine = engine();
    let t = users(&engine);
    let mut group = Group::new();
    group.add(insert(&engine, &t, 1), Durability::Os);
    assert!(group.take_dependence() && !group.is_empty() && !group.end_if_empty());
    let own = group.transaction(&engine, LockWait::Never, Durability::EverySecond).unwrap();
    own.insert(&t, &user(2, "bo", "NULL")).unwrap();
    group.add(insert(&engine, &t, 3), Durability::Os);
    let locked = engine.begin(LockWait::Never).unwrap().insert(&t, &user(3, "x", "NULL"));
    assert!(locked.is_err(), "its locks are held until then");
    assert!(rows_by(&engine, &t, 0).is_empty());
    let (transaction, durability) = group.take().unwrap();
    assert_eq!(durability, Durability::EverySecond);
    transaction.commit(durability).unwrap();
    assert_eq!(rows_by(&engine, &t, 0), ["1 al NULL", "2 bo NULL", "3 al NULL"]);
    assert!(group.is_empty() && group.take().is_none());
    // One that has written nothing stands in nobody's way.
    group.transaction(&engine, LockWait::Never, Durability::Os).unwrap();
    group.add(insert(&engine, &t, 4), Durability::Os);
    let (transaction, durability) = group.take().unwrap();
    transaction.commit(durability).unwrap();
    assert_eq!(rows_by(&engine, &t, 0).len(), 4);
    assert_sound(&engine);
}
