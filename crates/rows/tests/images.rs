//! Images of indexes: whoever goes through a table sees the same with and without them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use resources::spill::SpillDirectory;

use crate::common::*;
use proptest::prelude::*;
use rows::bulk::{BulkLoad, OnDuplicate};
use rows::ddl::NewTable;
use rows::memory::MemoryStore;
use rows::schema::Retention;
use rows::store::{Direction, KeyRange, Reach, Read};
use rows::transaction::RowChange;
use rows::{Alteration, Engine, EngineOptions, Flow, Table};
use values::Datum;
use values::row::RowRef;

/// After how many scans a writer goes on that rests for images to be made: these alone ask for one.
const SCANS_OF_REST: u32 = 60;

/// Bytes of all images.
fn bytes(engine: &Engine) -> u64 {
    engine.cache().status().image_bytes
}

/// Rows of a range as a client gets them.
fn found(
    engine: &Engine,
    view: &dyn Read,
    (table, index): (&Table, usize),
    range: &KeyRange,
    direction: Direction,
) -> Vec<String> {
    let mut rows = Vec::new();
    let mut each = |found: rows::FoundRow<'_>| {
        rows.push(show(&found.row.values()?));
        Ok(Flow::Continue)
    };
    engine.find(view, table, index, range, direction, Reach::Disk, &mut each).unwrap();
    rows
}

/// All rows by an index, however far they are.
fn all_by(engine: &Engine, view: &dyn Read, table: &Table, index: usize) -> Vec<String> {
    found(engine, view, (table, index), &table.index_range(index), Direction::Forward)
}

/// Goes through an index until it is wanted in memory, and takes it there.
fn take_into_memory(engine: &Engine, table: &Table, index: usize) {
    (0..100).for_each(|_| drop(all_by(engine, engine.latest(), table, index)));
    engine.keep_images().unwrap();
}

/// Whether all rows are told without asking the store, which is cold.
fn is_in_memory(engine: &Engine, table: &Table) -> bool {
    let mut each = |_: rows::FoundRow<'_>| Ok(Flow::Continue);
    let (all, forward) = (table.index_range(0), Direction::Forward);
    engine.find(engine.latest(), table, 0, &all, forward, Reach::Memory, &mut each).is_ok()
}

#[test]
fn an_image_is_read_instead_of_the_store_until_somebody_has_changed_rows() {
    let engine = engine_on(MemoryStore::cold());
    let t = users(&engine);
    (0..1_000).for_each(|id| put(&engine, &t, id, "n"));
    engine.keep_row_counts().unwrap();
    put(&engine, &t, 1_000, "n");
    assert!(!is_in_memory(&engine, &t));
    take_into_memory(&engine, &t, 0);
    assert!(is_in_memory(&engine, &t));

    // Writing the number of rows down, locking rows and taking back what was done change nothing.
    (0..2).for_each(|_| engine.keep_row_counts().unwrap());
    let mut tx = begin(&engine);
    tx.enter(&t).unwrap();
    assert!(!is_in_memory(&engine, &t), "it may be about to write");
    commit(tx);
    assert!(is_in_memory(&engine, &t));
    let mut tx = begin(&engine);
    tx.insert(&t, &user(2_000, "n", "m2000")).unwrap();
    drop(tx);
    assert!(is_in_memory(&engine, &t));

    put(&engine, &t, 3, "changed");
    assert!(!is_in_memory(&engine, &t));
    take_into_memory(&engine, &t, 0);
    assert!(is_in_memory(&engine, &t));
    assert_eq!(all_by(&engine, engine.latest(), &t, 0)[3], "3 changed m3");
}

fn put(engine: &Arc<Engine>, table: &Arc<Table>, id: i64, name: &str) {
    let mut tx = begin(engine);
    tx.replace(table, &user(id, name, &format!("m{id}"))).unwrap();
    commit(tx);
}

#[test]
fn an_image_is_made_of_what_is_read_often_and_goes_when_somebody_has_written() {
    let engine = engine();
    let t = users(&engine);
    (0..20).for_each(|id| put(&engine, &t, id, "n"));
    let all = t.index_range(0);
    let read = || found(&engine, engine.latest(), (&t, 0), &all, Direction::Forward).len();
    assert_eq!(read(), 20);
    engine.keep_images().unwrap();
    assert_eq!(bytes(&engine), 0, "it was read once");
    let old = engine.store().snapshot().unwrap();
    take_into_memory(&engine, &t, 0);
    let taken = bytes(&engine);
    assert!(taken > 0);
    assert_eq!(read(), 20);

    let mut tx = begin(&engine);
    tx.insert(&t, &user(20, "n", "m20")).unwrap();
    assert_eq!(read(), 20, "nothing is committed");
    let own = found(&engine, tx.view(), (&t, 0), &all, Direction::Backward);
    assert_eq!((own.len(), &own[0][..]), (21, "20 n m20"), "the writer sees its row");
    commit(tx);
    assert_eq!(read(), 21);
    engine.keep_images().unwrap();
    assert_eq!(bytes(&engine), 0, "of no more use");
    assert_eq!(found(&engine, &*old, (&t, 0), &all, Direction::Forward).len(), 20);

    take_into_memory(&engine, &t, 0);
    assert!(bytes(&engine) >= taken);
    engine
        .truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &engine.patience())
        .unwrap();
    let t = engine.catalog().table("d", "t").unwrap();
    let all = t.index_range(0);
    assert!(found(&engine, engine.latest(), (&t, 0), &all, Direction::Forward).is_empty());
}

#[test]
fn states_of_before_an_image_and_tables_that_have_another_form_since_are_shown_as_they_are() {
    let engine = engine();
    let t = users(&engine);
    (0..20).for_each(|id| put(&engine, &t, id, "n"));
    let old = engine.store().snapshot().unwrap();
    put(&engine, &t, 7, "changed");
    take_into_memory(&engine, &t, 0);
    assert!(bytes(&engine) > 0);
    let seven = t.prefix_range(0, &[Datum::Int(7)]).unwrap();
    let around = KeyRange { start: seven.start, end: t.index_range(0).end };
    let first = |view: &dyn Read| {
        let mut rows = found(&engine, view, (&t, 0), &around, Direction::Forward);
        rows.truncate(1);
        rows
    };
    assert_eq!(first(&*old), ["7 n m7"]);
    assert_eq!(first(engine.latest()), ["7 changed m7"]);
    engine.alter_table("d", "t", vec![Alteration::DropPrimaryKey], &engine.patience()).unwrap();
    let range = t.index_range(0);
    let mut each = |_: rows::FoundRow<'_>| Ok(Flow::Continue);
    let of_before =
        engine.find(engine.latest(), &t, 0, &range, Direction::Forward, Reach::Disk, &mut each);
    assert!(matches!(of_before, Err(rows::Error::SchemaChanged)), "{of_before:?}");
    engine.keep_images().unwrap();
    assert_eq!(bytes(&engine), 0);
    let t = engine.catalog().table("d", "t").unwrap();
    assert_eq!(rows_by(&engine, &t, 0).len(), 20);
}

#[test]
fn tables_whose_rows_expire_have_none() {
    let engine = engine();
    let columns = vec![column("id", int(), false), column("until", int(), true)];
    let retention = Retention { expires_by: Some("until".into()), ..Retention::default() };
    let new = NewTable::new("d", "t", columns, vec![index("PRIMARY", true, &["id"])]);
    let t = engine.create_table(NewTable { retention, ..new }).unwrap();
    for id in 0..50 {
        let mut tx = begin(&engine);
        tx.insert(&t, &[Datum::Int(id), Datum::Null]).unwrap();
        commit(tx);
    }
    take_into_memory(&engine, &t, 0);
    assert_eq!(bytes(&engine), 0);
}

#[test]
fn images_have_their_part_of_the_memory_and_no_more() {
    const MEMORY: usize = 1 << 20;
    let options = EngineOptions { row_cache_bytes: MEMORY, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    let make = |name: &str, rows: i64| {
        let columns = vec![column("id", int(), false), column("name", text(200), true)];
        let t = table(&engine, name, columns, vec![index("PRIMARY", true, &["id"])]);
        let mut tx = begin(&engine);
        let name = "x".repeat(200);
        for id in 0..rows {
            tx.insert(&t, &[Datum::Int(id), word(&name)]).unwrap();
        }
        commit(tx);
        t
    };
    // Some 24 KiB each: ten of them have room.
    let tables: Vec<_> = (0..20).map(|n| make(&format!("t{n}"), 100)).collect();
    let mut held = Vec::new();
    for t in &tables {
        take_into_memory(&engine, t, 0);
        held.push(bytes(&engine));
        assert!(bytes(&engine) <= MEMORY as u64 / 4, "{held:?}");
    }
    assert!(held[19] > MEMORY as u64 / 8, "the last ones are there: {held:?}");
    // More than a quarter of all: never.
    let before = bytes(&engine);
    take_into_memory(&engine, &make("large", 1_000), 0);
    assert_eq!(bytes(&engine), before);
    for t in &tables {
        let all = t.index_range(0);
        assert_eq!(found(&engine, engine.latest(), (t, 0), &all, Direction::Forward).len(), 100);
    }
    assert!(engine.cache().status().bytes_max <= (MEMORY as u64) - bytes(&engine));
}

#[test]
fn loads_and_transactions_that_went_to_a_file_end_what_was_remembered() {
    let place = tempfile::tempdir().unwrap();
    let options = EngineOptions {
        client_bytes: 3 << 20,
        spill: Some(SpillDirectory::open(place.path()).unwrap()),
        ..EngineOptions::default()
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    let t = users(&engine);
    (0..20).for_each(|id| put(&engine, &t, id, "n"));
    let latest = || engine.store().snapshot().unwrap();
    let remember = || {
        let rows = engine.count_all(&*latest(), &t, 1).unwrap();
        assert_eq!(engine.known_count(&*latest(), &t), Some(rows));
        take_into_memory(&engine, &t, 0);
        assert!(bytes(&engine) > 0);
    };
    let rows = || all_by(&engine, engine.latest(), &t, 0).len();
    for (load, mode) in
        [OnDuplicate::Error, OnDuplicate::Ignore, OnDuplicate::Replace].into_iter().enumerate()
    {
        remember();
        let before = rows();
        let load_into =
            BulkLoad::begin(begin(&engine), &t, mode).unwrap().expect("nobody is inside");
        let mut sorters = load_into.sorters(1).unwrap();
        for n in 0..5 {
            let id = 1_000 + 10 * load as i64 + n;
            sorters[0].add(n as u64 + 1, &user(id, "loaded", &format!("m{id}"))).unwrap();
        }
        let parts = sorters.into_iter().map(|sorter| sorter.finish().unwrap()).collect();
        load_into.finish(parts, 5, None).unwrap();
        assert_eq!(engine.known_count(&*latest(), &t), None);
        assert_eq!(rows(), before + 5);
    }
    remember();
    let before = rows();
    let mut tx = begin(&engine);
    for id in 10_000..20_000 {
        tx.insert(&t, &user(id, "one of many", &format!("m{id}"))).unwrap();
    }
    assert!(std::fs::read_dir(place.path()).unwrap().count() > 0, "they are in a file");
    commit(tx);
    assert_eq!(engine.known_count(&*latest(), &t), None);
    assert_eq!(rows(), before + 10_000);
}

#[derive(Clone, Debug)]
enum Event {
    Put(i64, u8),
    Delete(i64),
    Snapshot,
    Forget,
    /// Of an index.
    Take(usize),
    Scan {
        of: prop::sample::Index,
        index: usize,
        from: i64,
        to: i64,
        backward: bool,
    },
}

fn event() -> impl Strategy<Value = Event> {
    let id = || 0i64..30;
    prop_oneof![
        4 => (id(), 0u8..4).prop_map(|(id, name)| Event::Put(id, name)),
        2 => id().prop_map(Event::Delete),
        1 => Just(Event::Snapshot),
        1 => Just(Event::Forget),
        3 => (0usize..2).prop_map(Event::Take),
        8 => (any::<prop::sample::Index>(), 0usize..2, id(), id(), any::<bool>()).prop_map(
            |(of, index, from, to, backward)| Event::Scan { of, index, from, to, backward },
        ),
    ]
}

type Rows = BTreeMap<i64, u8>;

/// Rows of a range of ids, or of names, as they come.
fn expected(rows: &Rows, index: usize, (from, to): (i64, i64), backward: bool) -> Vec<String> {
    let mut expected: Vec<(i64, u8)> = match index {
        0 => rows.iter().filter(|(id, _)| (from..to).contains(id)).map(|(i, n)| (*i, *n)).collect(),
        _ => {
            rows.iter().filter(|(_, n)| i64::from(**n) == from % 4).map(|(i, n)| (*i, *n)).collect()
        }
    };
    if backward {
        expected.reverse();
    }
    expected.iter().map(|(id, name)| format!("{id} n{name} m{id}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    /// Beside a map: the latest state, snapshots, and a transaction that has written.
    #[test]
    fn scans_show_their_state_whether_or_not_it_is_in_memory(
        events in prop::collection::vec(event(), 1..80),
        own in prop::collection::vec((0i64..30, 0u8..4), 0..3),
    ) {
        let engine = engine();
        let t = users(&engine);
        let mut rows = Rows::new();
        let mut snapshots: Vec<(Arc<dyn Read>, Rows)> = Vec::new();
        let range_of = |index: usize, from: i64, to: i64| match index {
            0 => KeyRange {
                start: t.prefix_range(0, &[Datum::Int(from)]).unwrap().start,
                end: t.prefix_range(0, &[Datum::Int(to)]).unwrap().start,
            },
            _ => t.prefix_range(1, &[word(&format!("n{}", from % 4))]).unwrap(),
        };
        let direction = |backward| if backward { Direction::Backward } else { Direction::Forward };
        for event in &events {
            match event {
                Event::Put(id, name) => {
                    put(&engine, &t, *id, &format!("n{name}"));
                    rows.insert(*id, *name);
                }
                Event::Delete(id) => {
                    let key = t.row_key(&[Datum::Int(*id)]).unwrap();
                    let mut tx = begin(&engine);
                    tx.change_row::<rows::Error>(&t, &key, &mut |_| Ok(RowChange::Delete)).unwrap();
                    commit(tx);
                    rows.remove(id);
                }
                Event::Snapshot => {
                    snapshots.push((engine.store().snapshot().unwrap(), rows.clone()));
                }
                Event::Forget => snapshots.clear(),
                Event::Take(index) => take_into_memory(&engine, &t, *index),
                Event::Scan { of, index, from, to, backward } => {
                    let (view, rows): (&dyn Read, &Rows) =
                        match snapshots.get(of.index(snapshots.len() + 1)) {
                            Some((snapshot, rows)) => (&**snapshot, rows),
                            None => (engine.latest(), &rows),
                        };
                    let range = range_of(*index, *from, *to);
                    let found = found(&engine, view, (&t, *index), &range, direction(*backward));
                    prop_assert_eq!(found, expected(rows, *index, (*from, *to), *backward));
                }
            }
        }
        (0..2).for_each(|index| take_into_memory(&engine, &t, index));
        let mut tx = begin(&engine);
        for (id, name) in own {
            tx.replace(&t, &user(id, &format!("n{name}"), &format!("m{id}"))).unwrap();
            rows.insert(id, name);
        }
        for index in 0..2 {
            for backward in [false, true] {
                let range = range_of(index, 3, 20);
                let found = found(&engine, tx.view(), (&t, index), &range, direction(backward));
                prop_assert_eq!(found, expected(&rows, index, (3, 20), backward));
            }
        }
    }
}

#[test]
fn beside_writers_scans_show_what_the_store_has() {
    let engine = engine();
    let t = users(&engine);
    (0..50).for_each(|id| put(&engine, &t, id, "n"));
    let (stop, scans) = (AtomicBool::new(false), AtomicU32::new(0));
    // As the store has them, past all images.
    let stored = |view: &dyn Read| {
        let mut rows = Vec::new();
        let mut cursor = view.scan(&t.index_range(0), Direction::Forward, Reach::Disk).unwrap();
        while cursor.advance().unwrap() {
            let row = RowRef::new(&t.layout, cursor.value()).unwrap();
            rows.push(show(&row.values().unwrap()));
        }
        rows
    };
    thread::scope(|scope| {
        let (engine, t, stop, scans) = (&engine, &t, &stop, &scans);
        let _ends = Ending(stop);
        for writer in 0..2i64 {
            scope.spawn(move || {
                for n in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let id = 1_000 * (writer + 1) + n % 40;
                    let mut tx = begin(engine);
                    if n % 80 < 40 {
                        tx.insert(t, &user(id, "n", &format!("m{id}"))).unwrap();
                    } else {
                        let key = t.row_key(&[Datum::Int(id)]).unwrap();
                        tx.change_row::<rows::Error>(t, &key, &mut |_| Ok(RowChange::Delete))
                            .unwrap();
                    }
                    commit(tx);
                    // Rests as long as it takes for images to be made, and to be looked at.
                    let seen = scans.load(Ordering::Relaxed);
                    let rests = || {
                        let has_time = scans.load(Ordering::Relaxed) - seen < SCANS_OF_REST;
                        n % 10 == 0 && has_time && !stop.load(Ordering::Relaxed)
                    };
                    while rests() {
                        thread::yield_now();
                    }
                }
            });
        }
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                engine.keep_images().unwrap();
                thread::yield_now();
            }
        });
        let (mut from_memory, mut tried) = (0, 0);
        while from_memory < 2_000 && tried < 400_000 {
            tried += 1;
            let view = engine.store().snapshot().unwrap();
            assert_eq!(all_by(engine, &*view, t, 0), stored(&*view));
            scans.fetch_add(1, Ordering::Relaxed);
            from_memory += u32::from(bytes(engine) > 0);
        }
        assert!(from_memory > 0, "no image was there in {tried} scans");
    });
}
