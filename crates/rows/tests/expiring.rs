//! Expired rows: gone for every reader and writer in the second they expire, and swept.

use std::sync::Arc;

use resources::clock::{Clock, SetClock};

use crate::common::*;
use rows::BrokenRule;
use rows::memory::MemoryStore;
use rows::schema::Retention;
use rows::store::{Direction, Reach};
use rows::sweep::Sweeper;
use rows::{
    Alteration, ChangeOutcome, Engine, EngineOptions, Error, Flow, NewTable, RowChange, Table,
    UpsertOutcome,
};
use values::{Datum, Value};

const START: u64 = 2_000_000_000;

struct House {
    engine: Arc<Engine>,
    clock: Arc<SetClock>,
    store: Arc<MemoryStore>,
}

impl House {
    fn new() -> House {
        let clock = Arc::new(SetClock::at(START * 1_000_000));
        let store = Arc::new(MemoryStore::new());
        let options = EngineOptions { clock: clock.clone(), ..EngineOptions::default() };
        let engine = Engine::open(store.clone(), options).unwrap();
        engine.create_database("d").unwrap();
        House { engine, clock, store }
    }

    /// `t(id PRIMARY KEY, name KEY, mail UNIQUE, until)`, with rows that expire by `until`.
    fn table(&self) -> Arc<Table> {
        let columns = vec![
            column("id", int(), false),
            column("name", text(20), true),
            column("mail", text(20), true),
            column("until", int(), true),
        ];
        let indexes = vec![
            index("PRIMARY", true, &["id"]),
            index("name", false, &["name"]),
            index("mail", true, &["mail"]),
        ];
        let retention = Retention { expires_by: Some("until".into()), bytes_max: 0 };
        let new = NewTable { retention, ..NewTable::new("d", "t", columns, indexes) };
        self.engine.create_table(new).unwrap()
    }

    fn pass(&self, seconds: u64) {
        self.clock.set(self.clock.unix_micros() + seconds * 1_000_000);
    }

    fn insert(&self, table: &Arc<Table>, row: &[Datum<'_>]) -> rows::Result<()> {
        let mut tx = begin(&self.engine);
        tx.insert(table, row)?;
        commit(tx);
        Ok(())
    }
}

/// A row that expires so many seconds after the start; 0: never.
fn row<'a>(id: i64, name: &'a str, mail: &'a str, after: i64) -> Vec<Datum<'a>> {
    let until = if after == 0 { 0 } else { START as i64 + after };
    vec![Datum::Int(id), word(name), word(mail), Datum::Int(until)]
}

#[test]
fn a_row_is_gone_by_every_index_in_the_second_it_expires() {
    let house = House::new();
    let t = house.table();
    house.insert(&t, &row(1, "a", "m1", 10)).unwrap();
    house.insert(&t, &row(2, "a", "m2", 0)).unwrap();
    let mut null = row(3, "a", "m3", 0);
    null[3] = Datum::Null;
    house.insert(&t, &null).unwrap();
    let key = t.row_key(&[Datum::Int(1)]).unwrap();
    let point = t.prefix_range(2, &[word("m1")]).unwrap();
    let seen = || {
        let engine = &house.engine;
        let mut by_mail = 0;
        let (view, forward) = (engine.latest(), Direction::Forward);
        engine
            .find(view, &t, 2, &point, forward, Reach::Disk, &mut |_| {
                by_mail += 1;
                Ok(Flow::Continue)
            })
            .unwrap();
        let tx = begin(engine);
        let got = engine.get(view, &t, &key, Reach::Disk, &mut |_| Ok(())).unwrap();
        let in_tx = engine.get(tx.view(), &t, &key, Reach::Disk, &mut |_| Ok(())).unwrap();
        let ranges = [0, 1, 2].map(|index| rows_by(engine, &t, index).len());
        (got, in_tx, by_mail, ranges)
    };
    house.pass(9);
    assert_eq!(seen(), (true, true, 1, [3, 3, 3]));
    house.pass(1);
    assert_eq!(seen(), (false, false, 0, [2, 2, 2]));
    assert_sound(&house.engine);
}

#[test]
fn an_insert_takes_the_place_of_expired_rows_also_in_unique_indexes() {
    let house = House::new();
    let t = house.table();
    house.insert(&t, &row(1, "a", "m1", 10)).unwrap();
    house.insert(&t, &row(2, "b", "m2", 10)).unwrap();
    let refused = house.insert(&t, &row(3, "c", "m2", 0));
    assert!(matches!(refused, Err(Error::Duplicate { .. })), "{refused:?}");
    house.pass(10);
    // Meets row 1 by its primary key and row 2 by its mail.
    house.insert(&t, &row(1, "c", "m2", 0)).unwrap();
    let expected = vec!["1 c m2 0".to_string()];
    assert_eq!(
        [0, 1, 2].map(|index| rows_by(&house.engine, &t, index)),
        [(); 3].map(|_| expected.clone())
    );
    assert_sound(&house.engine);
    assert_eq!(house.engine.check(&mut |_| {}).unwrap().rows, 1);
}

#[test]
fn writers_treat_an_expired_row_as_absent() {
    let house = House::new();
    let t = house.table();
    for id in 1..=4 {
        house.insert(&t, &row(id, "a", &format!("m{id}"), 10)).unwrap();
    }
    house.insert(&t, &row(9, "z", "m9", 0)).unwrap();
    house.pass(10);
    let key = t.row_key(&[Datum::Int(1)]).unwrap();
    let mut tx = begin(&house.engine);
    let changed = tx.change_row::<Error>(&t, &key, &mut |_| panic!("it is gone")).unwrap();
    assert_eq!(changed, ChangeOutcome::Missing);
    assert_eq!(tx.replace(&t, &row(2, "b", "m3", 0)).unwrap().deleted, 0);
    let upserted =
        tx.upsert::<Error>(&t, &row(4, "b", "m4", 0), &mut |_| panic!("it is gone")).unwrap();
    assert!(matches!(upserted, UpsertOutcome::Inserted { .. }), "{upserted:?}");
    // A row that moves onto the key of an expired one.
    let key = t.row_key(&[Datum::Int(9)]).unwrap();
    let moved = tx
        .change_row::<Error>(&t, &key, &mut |_| Ok(RowChange::Set(vec![(0, Value::Int(1))])))
        .unwrap();
    assert_eq!(moved, ChangeOutcome::Updated);
    commit(tx);
    let expected = ["1 z m9 0", "2 b m3 0", "4 b m4 0"];
    assert_eq!(rows_by(&house.engine, &t, 0), expected);
    assert_sound(&house.engine);
    assert_eq!(house.engine.check(&mut |_| {}).unwrap().rows, 3);
}

#[test]
fn what_a_rolled_back_insert_cleared_is_still_stored() {
    let house = House::new();
    let t = house.table();
    house.insert(&t, &row(1, "a", "m1", 10)).unwrap();
    house.insert(&t, &row(2, "b", "m2", 0)).unwrap();
    house.pass(10);
    let refused = house.insert(&t, &row(1, "c", "m2", 0));
    assert!(matches!(refused, Err(Error::Duplicate { .. })), "{refused:?}");
    assert_eq!(house.engine.check(&mut |_| {}).unwrap().rows, 2);
    assert_sound(&house.engine);
}

#[test]
fn the_sweep_removes_expired_rows_and_leaves_those_that_someone_holds() {
    let house = House::new();
    let t = house.table();
    for id in 0..100 {
        house
            .insert(&t, &row(id, "a", &format!("m{id}"), if id % 2 == 0 { 10 } else { 0 }))
            .unwrap();
    }
    house.pass(10);
    let mut holder = begin(&house.engine);
    holder.lock_row(&t, &t.row_key(&[Datum::Int(4)]).unwrap()).unwrap();
    let sweeper = Sweeper::default();
    let sweep = || {
        let mut removed = 0;
        sweeper.sweep(&house.engine, &mut |_, count| removed += count.expired).unwrap();
        removed
    };
    assert_eq!(sweep(), 49);
    drop(holder);
    assert_eq!(sweep(), 1);
    assert_eq!(sweep(), 0);
    assert_eq!(house.engine.check(&mut |_| {}).unwrap().rows, 50);
    assert_sound(&house.engine);
}

#[test]
fn the_expiry_column_is_named_kept_and_checked_by_the_definition() {
    let house = House::new();
    let t = house.table();
    house.insert(&t, &row(1, "a", "m1", 10)).unwrap();
    let alter =
        |alteration| house.engine.alter_table("d", "t", vec![alteration], &house.engine.patience());
    let to = |name: &str| Alteration::SetExpiry(Some(name.into()));
    for (alteration, broken) in [
        (to("name"), BrokenRule::ExpiryType("name".into())),
        (to("none"), BrokenRule::ExpiryColumn("none".into())),
        (Alteration::DropColumn("until".into()), BrokenRule::ExpiryColumn("until".into())),
    ] {
        match alter(alteration) {
            Err(Error::Definition(rule)) => assert_eq!(rule, broken),
            other => panic!("{other:?}"),
        }
    }
    alter(Alteration::RenameColumn { from: "until".into(), to: "ends".into() }).unwrap();
    house.pass(10);
    let now = || house.engine.catalog().table("d", "t").unwrap();
    assert!(rows_by(&house.engine, &now(), 0).is_empty());
    // An earlier version, which knows nothing of it, must refuse the data.
    let mut format = Vec::new();
    assert!(house.engine.latest().get(&[0, 0, 0, 0, 1], Reach::Disk, &mut format).unwrap());
    assert_eq!(format, [2, 0, 0, 0]);
    // Another start on the same rows.
    let options = EngineOptions { clock: house.clock.clone(), ..EngineOptions::default() };
    let again = Engine::open(house.store.clone(), options).unwrap();
    let kept = again.catalog().table("d", "t").unwrap();
    assert_eq!(kept.retention.expires_by.as_deref(), Some("ends"));
    assert!(rows_by(&again, &kept, 0).is_empty());
    alter(Alteration::SetExpiry(None)).unwrap();
    assert_eq!(rows_by(&house.engine, &now(), 0).len(), 1);
}

#[test]
fn a_column_told_by_a_container_counts_until_it_is_taken_back_and_follows_changes() {
    let house = House::new();
    let t = house.table();
    let alter = |alteration| {
        house.engine.alter_table("d", "t", vec![alteration], &house.engine.patience()).unwrap()
    };
    alter(Alteration::SetExpiry(None));
    let now = || house.engine.catalog().table("d", "t").unwrap();
    house.insert(&now(), &row(1, "a", "m1", 10)).unwrap();
    house.pass(10);
    assert_eq!(rows_by(&house.engine, &now(), 0).len(), 1);
    now().expire_by(Some(3));
    assert!(!t.is_current() && t.is_version_of(&now()));
    assert!(rows_by(&house.engine, &now(), 0).is_empty());
    let first = column("first", int(), true);
    alter(Alteration::AddColumn { column: first, place: rows::ColumnPlace::First, now: None });
    assert_eq!(now().expiry_column(), Some(4));
    assert!(rows_by(&house.engine, &now(), 0).is_empty());
    now().expire_by(None);
    assert_eq!(rows_by(&house.engine, &now(), 0).len(), 1);
}

#[test]
fn numbers_of_expired_rows_that_are_handed_out_anew_are_not_taken_for_free() {
    let house = House::new();
    let mut id = column("id", int(), false);
    id.auto_increment = true;
    let columns = vec![id, column("name", text(20), true), column("until", int(), true)];
    let indexes = vec![index("PRIMARY", true, &["id"]), index("name", false, &["name"])];
    let retention = Retention { expires_by: Some("until".into()), bytes_max: 0 };
    let new = NewTable { retention, ..NewTable::new("d", "n", columns, indexes) };
    let t = house.engine.create_table(new).unwrap();
    house.insert(&t, &[Datum::Int(1), Datum::Bytes(b"stays"), Datum::Null]).unwrap();
    let until = Datum::Int((START + 5) as i64);
    house.insert(&t, &[Datum::Int(10), Datum::Bytes(b"goes"), until]).unwrap();
    house.pass(10);
    let House { engine, clock, store } = house;
    drop((t, engine));

    let options = EngineOptions { clock, ..EngineOptions::default() };
    let engine = Engine::open(store, options).unwrap();
    let t = engine.catalog().table("d", "n").unwrap();
    let mut tx = begin(&engine);
    tx.expect_numbers(&t, 20).unwrap();
    tx.expect_numbered(&t).unwrap();
    for number in 2..22 {
        let row = [Datum::Null, Datum::Bytes(b"new"), Datum::Null];
        assert_eq!(tx.insert(&t, &row).unwrap().generated, Some(number));
    }
    tx.expect_nothing(&t);
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 1).len(), 21);
    assert_sound(&engine);
}
