//! Columnar tables beneath the doors: rows that are written, sealed, changed, merged, loaded and
//! found again are those of any table, at every moment.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use resources::spill::SpillDirectory;

use crate::common::{
    House, Row, assert_rows, begin, by_column, by_index, change, datums, insert, open, row, settle,
    table,
};
use rows::alter::Alteration;
use rows::bulk::{BulkLoad, OnDuplicate};
use rows::local::{LocalStore, SortedWrites};
use rows::store::{Durability, StoreUpkeep};
use rows::table::Patience;
use rows::{ChangeOutcome, Engine, EngineOptions, Error, RowChange, Table};
use values::{Datum, Value};

#[test]
fn rows_are_the_same_before_and_after_they_are_sealed() {
    let directory = tempfile::tempdir().unwrap();
    for with_keys in [true, false] {
        let house = open(&directory.path().join(with_keys.to_string()));
        let table = table(&house, with_keys);
        let rows: Vec<Row> = (0..5000).map(row).collect();
        insert(&house, &table, &rows);
        assert_rows(&house, &table, &rows);
        let before = house.engine.store().snapshot().unwrap();
        settle(&house);
        assert_rows(&house, &table, &rows);
        assert_eq!(by_column(&*before, &table), rows, "the snapshot of before");
        // As bytes: the version is that of before, which memcached's cas rests on.
        let versions = |view: &dyn rows::store::Read| {
            let mut cursor = view
                .scan(
                    &table.index_range(0),
                    rows::store::Direction::Forward,
                    rows::store::Reach::Disk,
                )
                .unwrap();
            let mut all = Vec::new();
            while cursor.advance().unwrap() {
                all.push((cursor.key().to_vec(), cursor.value().to_vec()));
            }
            all
        };
        assert_eq!(versions(&*before), versions(house.engine.latest()));
    }
}

#[test]
fn changes_of_sealed_rows_are_seen_and_those_of_before_too() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = table(&house, true);
    let rows: Vec<Row> = (0..5000).map(row).collect();
    insert(&house, &table, &rows);
    settle(&house);
    let before = house.engine.store().snapshot().unwrap();
    let mut model: BTreeMap<i64, Row> = rows.iter().map(|row| (row.0, row.clone())).collect();
    for id in (0..5000).step_by(3) {
        let new = (id % 2 == 0).then(|| (id, Some(-1), Some(format!("new {id}"))));
        change(&house, &table, id, new.as_ref(), true);
        match new {
            Some(new) => model.insert(id, new),
            None => model.remove(&id),
        };
    }
    let expected: Vec<Row> = model.values().cloned().collect();
    assert_rows(&house, &table, &expected);
    assert_eq!(by_column(&*before, &table), rows);
    // A third of the rows is gone: the segment is made again, with those that changed or beside
    // them.
    settle(&house);
    assert_rows(&house, &table, &expected);
    assert_eq!(by_column(&*before, &table), rows);
    assert_eq!(by_index(&house.engine, &*before, &table, 0), rows);
    drop(before);
    // A key that was removed may come again.
    insert(&house, &table, &[row(3)]);
    model.insert(3, row(3));
    let expected: Vec<Row> = model.values().cloned().collect();
    assert_rows(&house, &table, &expected);
}

#[test]
fn a_restart_finds_segments_recent_rows_and_changes() {
    let directory = tempfile::tempdir().unwrap();
    let rows: Vec<Row> = (0..3000).map(row).collect();
    {
        let house = open(directory.path());
        let table = table(&house, true);
        insert(&house, &table, &rows[..2000]);
        settle(&house);
        insert(&house, &table, &rows[2000..]);
        change(&house, &table, 5, None, true);
        house.engine.close().unwrap();
    }
    let house = open(directory.path());
    let table = house.engine.catalog().table("d", "t").unwrap();
    let expected: Vec<Row> = rows.iter().filter(|row| row.0 != 5).cloned().collect();
    assert_rows(&house, &table, &expected);
    // The first round learns what there was before it; the second moves.
    settle(&house);
    assert_rows(&house, &table, &expected);
}

#[test]
fn a_table_becomes_columnar_and_back_and_columns_come_and_go() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let first = table(&house, true);
    let rows: Vec<Row> = (0..70_000).map(row).collect();
    insert(&house, &first, &rows);
    let patience = || Patience::at_most(std::time::Duration::from_secs(5));
    let alter = |alteration: Alteration| {
        house.engine.alter_table("d", "t", vec![alteration], &patience()).unwrap();
        house.engine.catalog().table("d", "t").unwrap()
    };
    let plain = alter(Alteration::SetEngine("InnoDB".into()));
    assert!(!plain.columnar);
    let mut by_key = by_index(&house.engine, house.engine.latest(), &plain, 0);
    assert_eq!(by_key, rows);
    // 70,000 rows go through files: segments at once, more than one of them.
    let columnar = alter(Alteration::SetEngine("columnar".into()));
    assert!(columnar.columnar);
    assert_rows(&house, &columnar, &rows);
    let bytes = |table: &Table| house.store.approximate_bytes(&table.full_range()).unwrap();
    assert!(bytes(&columnar) > 0);
    by_key = by_index(&house.engine, house.engine.latest(), &columnar, 0);
    assert_eq!(by_key, rows);
    house
        .engine
        .truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &patience())
        .unwrap();
    let emptied = house.engine.catalog().table("d", "t").unwrap();
    assert_rows(&house, &emptied, &[]);
    insert(&house, &emptied, &rows[..10]);
    assert_rows(&house, &emptied, &rows[..10]);
}

/// Whatever is written while the table is copied into the other form is there afterwards.
#[test]
fn a_table_becomes_columnar_and_back_beside_writers_and_the_mover() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let first = table(&house, true);
    let rows: Vec<Row> = (0..20_000).map(row).collect();
    insert(&house, &first, &rows);
    let now = || house.engine.catalog().table("d", "t").unwrap();
    // The definition may change between any two steps.
    let write = |id: i64, new: Option<&Row>| {
        loop {
            let (table, mut transaction) = (now(), begin(&house.engine));
            let key = table.row_key(&[Datum::Int(id)]).unwrap();
            let values: Option<Vec<_>> =
                new.map(|row| datums(row).iter().map(Datum::to_value).enumerate().collect());
            let decide = &mut |_: values::RowRef<'_>| {
                Ok(values.clone().map_or(RowChange::Delete, RowChange::Set))
            };
            let changed = match (transaction.change_row::<Error>(&table, &key, decide), new) {
                (Ok(ChangeOutcome::Missing), Some(row)) => {
                    transaction.insert(&table, &datums(row)).map(drop)
                }
                (changed, _) => changed.map(drop),
            };
            match changed {
                Ok(()) => return transaction.commit(Durability::Os).unwrap(),
                // A columnar table's writers wait for its copy.
                Err(Error::SchemaChanged | Error::LockTimeout) => {}
                Err(error) => panic!("{error}"),
            }
        }
    };
    let ended = AtomicBool::new(false);
    let mut expected: BTreeMap<i64, Row> = rows.into_iter().map(|row| (row.0, row)).collect();
    std::thread::scope(|scope| {
        let mover = scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                house.store.move_rows(&house.engine).unwrap();
            }
        });
        let writer = scope.spawn(|| {
            let mut turn = 0;
            while !ended.load(Ordering::Relaxed) {
                turn += 1;
                let id = turn * 7919 % 25_000;
                let new = (turn % 5 != 0).then(|| (id, Some(turn), Some(format!("at {id}"))));
                write(id, new.as_ref());
                match new {
                    Some(row) => expected.insert(id, row),
                    None => expected.remove(&id),
                };
            }
        });
        let altered = ["InnoDB", "columnar", "InnoDB", "columnar"].map(|engine| {
            let patience = Patience::at_most(std::time::Duration::from_secs(60));
            let alteration = Alteration::SetEngine(engine.into());
            house.engine.alter_table("d", "t", vec![alteration], &patience)
        });
        ended.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        mover.join().unwrap();
        altered.into_iter().for_each(|altered| assert!(altered.unwrap().rows_copied > 0));
    });
    let expected: Vec<Row> = expected.into_values().collect();
    assert_rows(&house, &now(), &expected);
    settle(&house);
    assert_rows(&house, &now(), &expected);
    assert_eq!(house.engine.row_count(&now()).unwrap(), Some(expected.len() as u64));
}

/// Writers and a mover at once: nothing is lost, nothing comes twice, at any moment.
#[test]
fn writers_and_the_mover_do_not_disturb_each_other() {
    const WRITERS: i64 = 3;
    const ROWS: i64 = 2000;
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = table(&house, true);
    for writer in 0..WRITERS {
        let rows: Vec<Row> = (0..ROWS).map(|n| row(writer * 10_000 + n)).collect();
        insert(&house, &table, &rows);
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (house, table) = (&house, &table);
                scope.spawn(move || {
                    for round in 0..3 {
                        for n in 0..ROWS {
                            let id = writer * 10_000 + n;
                            let new = (id, Some(round), Some(format!("{round} {id}")));
                            change(house, table, id, Some(&new), true);
                        }
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                house.store.move_rows(&house.engine).unwrap();
                let view = house.engine.store().snapshot().unwrap();
                let rows = by_column(&*view, &table);
                let ids: Vec<i64> = rows.iter().map(|row| row.0).collect();
                let expected: Vec<i64> =
                    (0..WRITERS).flat_map(|w| (0..ROWS).map(move |n| w * 10_000 + n)).collect();
                assert_eq!(ids, expected, "each row once");
                assert_eq!(by_index(&house.engine, &*view, &table, 0), rows);
            }
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::SeqCst);
    });
    settle(&house);
    let expected: Vec<Row> = (0..WRITERS)
        .flat_map(|w| (0..ROWS).map(move |n| w * 10_000 + n))
        .map(|id| (id, Some(2), Some(format!("2 {id}"))))
        .collect();
    assert_rows(&house, &table, &expected);
}

/// A transaction whose writes went to the disk: its notes go with its rows.
#[test]
fn a_transaction_that_was_spilled_leaves_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let mut house = open(directory.path());
    let table = table(&house, true);
    let rows: Vec<Row> = (0..20_000).map(row).collect();
    insert(&house, &table, &rows);
    settle(&house);
    // The same rows with little memory for transactions.
    house.engine.close().unwrap();
    let spill = SpillDirectory::open(&directory.path().join("transactions")).unwrap();
    let options = EngineOptions {
        client_bytes: 1 << 20,
        spill: Some(spill),
        durability: Durability::Os,
        ..EngineOptions::default()
    };
    house.engine = Engine::open(Arc::new(house.store.clone()), options).unwrap();
    let table = house.engine.catalog().table("d", "t").unwrap();
    let before = house.engine.store().snapshot().unwrap();
    let mut model: BTreeMap<i64, Row> = rows.iter().map(|row| (row.0, row.clone())).collect();
    let mut transaction = begin(&house.engine);
    for id in 0..30_000 {
        let key = table.row_key(&[Datum::Int(id)]).unwrap();
        let new: Row = (id, Some(1), Some(format!("spilled {id}")));
        match id {
            0..10_000 => {
                let word = Value::Bytes(format!("spilled {id}").into_bytes());
                let set = vec![(1, Value::Int(1)), (2, word)];
                let change = &mut |_: values::RowRef<'_>| Ok(RowChange::Set(set.clone()));
                transaction.change_row::<Error>(&table, &key, change).unwrap();
                model.insert(id, new);
            }
            10_000..15_000 => {
                transaction
                    .change_row::<Error>(&table, &key, &mut |_| Ok(RowChange::Delete))
                    .unwrap();
                model.remove(&id);
            }
            15_000..20_000 => {}
            _ => {
                transaction.insert(&table, &datums(&new)).unwrap();
                model.insert(id, new);
            }
        }
    }
    transaction.commit(Durability::Os).unwrap();
    let expected: Vec<Row> = model.values().cloned().collect();
    assert_rows(&house, &table, &expected);
    assert_eq!(by_column(&*before, &table), rows);
    settle(&house);
    assert_rows(&house, &table, &expected);
}

/// Writes of a transaction that is larger than memory are gone over twice, however many there are.
#[test]
fn notes_of_sorted_writes_take_one_more_pass() {
    const ROWS: i64 = 20_000;
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = table(&house, true);
    let rows: Vec<Row> = (0..ROWS).map(row).collect();
    insert(&house, &table, &rows);
    settle(&house);
    let key = |id: i64| table.row_key(&[Datum::Int(id)]).unwrap();
    let asked = Cell::new(0);
    let passes = || {
        let (asked, key) = (&asked, &key);
        let mut removals = (0..ROWS).step_by(2).map(move |id| Ok((key(id), None)));
        Box::new(std::iter::from_fn(move || {
            asked.set(asked.get() + 1);
            removals.next()
        })) as Box<SortedWrites<'_>>
    };
    house.store.apply_sorted(&passes).unwrap();
    assert!(asked.get() <= ROWS + 2, "{} writes of {}", asked.get(), ROWS / 2);
    let left: Vec<Row> = rows.into_iter().filter(|row| row.0 % 2 == 1).collect();
    let view = house.engine.store().snapshot().unwrap();
    assert_eq!(by_column(&*view, &table), left);
    assert_eq!(by_index(&house.engine, &*view, &table, 0), left);
}

/// Segments that are full by their bytes have few rows, and are left alone for all that.
#[test]
fn segments_of_long_rows_are_not_made_anew_when_one_row_changes() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = table(&house, true);
    let long = |id: i64| -> Row { (id, Some(id), Some(format!("{id:0>100}"))) };
    // Of 1 MiB each: more than ten of them.
    let rows: Vec<Row> = (0..100_000).map(long).collect();
    rows.chunks(10_000).for_each(|rows| insert(&house, &table, rows));
    settle(&house);
    change(&house, &table, 5, None, true);
    let round = house.store.move_rows(&house.engine).unwrap();
    assert_eq!((round.rows, round.segments), (0, 0));
}

/// What was read of a table once is not used again after a load, which leaves the store's number
/// of states as it was.
#[test]
fn a_load_is_seen_by_who_has_looked_before() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = table(&house, false);
    let empty = house.engine.store().snapshot().unwrap();
    assert_eq!(by_column(&*empty, &table), []);
    house.store.move_rows(&house.engine).unwrap();
    let rows: Vec<Row> = (0..100_000).map(row).collect();
    let load = BulkLoad::begin(begin(&house.engine), &table, OnDuplicate::Error).unwrap();
    let load = load.expect("an empty table");
    let mut sorters = load.sorters(1).unwrap();
    let mut sorter = sorters.remove(0);
    for (number, row) in (1..).zip(&rows) {
        sorter.add(number, &datums(row)).unwrap();
    }
    load.finish(vec![sorter.finish().unwrap()], rows.len() as u64, None).unwrap();
    assert_eq!(by_column(&*empty, &table), []);
    assert_rows(&house, &table, &rows);
}

/// Rows of a table without keys become segments as they come, in the threads that make them.
#[test]
fn a_load_without_keys_has_all_rows_in_their_order_and_after_a_restart() {
    const BLOCK_ROWS: usize = 500;
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = table(&house, false);
    // Backwards: the order is that of the load, and of nothing in the rows.
    let rows: Vec<Row> = (0..200_000).rev().map(row).collect();
    insert(&house, &table, &rows[..10]);
    let mut load = BulkLoad::begin(begin(&house.engine), &table, OnDuplicate::Error)
        .unwrap()
        .expect("nobody else writes to it");
    let next = AtomicUsize::new(0);
    let blocks: Vec<&[Row]> = rows[10..].chunks(BLOCK_ROWS).collect();
    std::thread::scope(|scope| {
        for mut taker in load.takers(3).unwrap() {
            let (next, blocks) = (&next, &blocks);
            scope.spawn(move || {
                while let block = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(of_block) = blocks.get(block)
                {
                    for (number, row) in (block * BLOCK_ROWS + 1..).zip(*of_block) {
                        taker.add(number as u64, &datums(row)).unwrap();
                    }
                    assert!(taker.end_block(block as u64).unwrap());
                }
                taker.finish().unwrap();
            });
        }
    });
    assert_eq!(by_index(&house.engine, house.engine.latest(), &table, 0), rows[..10]);
    load.finish(Vec::new(), rows.len() as u64 - 10, None).unwrap();
    let assert_all = |house: &House, table: &Arc<Table>, rows: &[Row]| {
        assert_eq!(by_index(&house.engine, house.engine.latest(), table, 0), rows);
        let mut sorted = rows.to_vec();
        sorted.sort();
        let snapshot = house.engine.store().snapshot().unwrap();
        assert_eq!(by_column(&*snapshot, table), sorted);
    };
    assert_all(&house, &table, &rows);
    let segments = |house: &House| {
        let snapshot = house.engine.store().snapshot().unwrap();
        columnar::columns_of(&*snapshot, &table).unwrap().expect("columns").parts(1_000_000, &[])
    };
    assert!(segments(&house).len() > 3, "several segments");
    settle(&house);
    assert_all(&house, &table, &rows);
    drop(house);
    let house = open(directory.path());
    let table = house.engine.catalog().table("d", "t").expect("it is there");
    assert_all(&house, &table, &rows);
    insert(&house, &table, &rows[..1]);
    let more = [&rows[..], &rows[..1]].concat();
    assert_all(&house, &table, &more);
    assert_eq!(house.engine.check(&mut |_| {}).unwrap().damages, Vec::<String>::new());
}
