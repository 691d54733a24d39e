//! Rows that a writer has read before it locks them are read again only where another may have
//! written them.

use std::sync::Arc;

use crate::common::*;
use rows::table::Table;
use rows::transaction::{Alone, SeenRow, Transaction};
use rows::{ChangeOutcome, Engine, RowChange};
use values::{Datum, Value};

/// A table of one number by key, with one row.
fn numbers(engine: &Arc<Engine>) -> Arc<Table> {
    let columns = vec![column("id", int(), false), column("n", int(), false)];
    let t = table(engine, "n", columns, vec![index("PRIMARY", true, &["id"])]);
    let mut tx = begin(engine);
    tx.insert(&t, &[Datum::Int(1), Datum::Int(10)]).unwrap();
    commit(tx);
    t
}

fn row_key(t: &Table) -> Vec<u8> {
    t.row_key(&[Datum::Int(1)]).unwrap()
}

/// The row's bytes, as a writer sees them that looks before it locks.
fn looked_at(engine: &Engine, t: &Table, tx: &Transaction) -> Vec<u8> {
    let mut bytes = Vec::new();
    engine
        .get(tx.view(), t, &row_key(t), rows::store::Reach::Disk, &mut |found| {
            bytes = found.row.bytes().to_vec();
            Ok(())
        })
        .unwrap();
    bytes
}

/// Adds one to the number, which a look has found in these bytes.
fn increment(tx: &mut Transaction, t: &Arc<Table>, bytes: &[u8], alone: Alone) -> i64 {
    let mut shown = 0;
    let changed =
        tx.change_seen_row::<rows::Error>(t, &row_key(t), SeenRow { bytes, alone }, &mut |row| {
            let Datum::Int(n) = row.column(1)? else { panic!("an integer") };
            shown = n;
            Ok(RowChange::Set(vec![(1, Value::Int(n + 1))]))
        });
    assert_eq!(changed.unwrap(), ChangeOutcome::Updated);
    shown
}

/// A writer that was alone when it looked, and what it has seen; another has made a change since.
fn overtaken(
    engine: &Arc<Engine>,
    t: &Arc<Table>,
    change: &RowChange,
) -> (Transaction, Vec<u8>, Alone) {
    let mut tx = begin(engine);
    let alone = tx.alone_in(t).unwrap().expect("nobody else is there");
    let bytes = looked_at(engine, t, &tx);
    let mut other = begin(engine);
    assert_eq!(other.alone_in(t).unwrap(), None, "there are two");
    other.change_row::<rows::Error>(t, &row_key(t), &mut |_| Ok(change.clone())).unwrap();
    commit(other);
    (tx, bytes, alone)
}

#[test]
fn a_writer_that_is_alone_is_shown_what_it_has_read() {
    let engine = engine();
    let t = numbers(&engine);
    let mut tx = begin(&engine);
    let alone = tx.alone_in(&t).unwrap().expect("nobody else is there");
    let mut bytes = looked_at(&engine, &t, &tx);
    assert_eq!(increment(&mut tx, &t, &bytes, alone), 10);
    // Its own write is part of what it reads next.
    bytes = looked_at(&engine, &t, &tx);
    assert_eq!(increment(&mut tx, &t, &bytes, alone), 11);
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 0), ["1 12"]);
    assert_sound(&engine);
}

#[test]
fn what_another_has_committed_since_the_look_is_shown_instead() {
    let engine = engine();
    let t = numbers(&engine);
    let set = RowChange::Set(vec![(1, Value::Int(40))]);
    let (mut tx, bytes, alone) = overtaken(&engine, &t, &set);
    assert_eq!(increment(&mut tx, &t, &bytes, alone), 40, "not what it had seen");
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 0), ["1 41"]);
    assert_sound(&engine);
}

#[test]
fn a_row_that_another_has_deleted_since_the_look_is_missing() {
    let engine = engine();
    let t = numbers(&engine);
    let (mut tx, bytes, alone) = overtaken(&engine, &t, &RowChange::Delete);
    let seen = SeenRow { bytes: &bytes, alone };
    let changed =
        tx.change_seen_row::<rows::Error>(&t, &row_key(&t), seen, &mut |_| panic!("it is gone"));
    assert_eq!(changed.unwrap(), ChangeOutcome::Missing);
    assert_sound(&engine);
}
