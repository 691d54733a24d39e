//! Full-text indexes: their entries follow the rows, however those are written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use resources::spill::SpillDirectory;

use crate::common::*;
use rows::bulk::{BulkLoad, OnDuplicate};
use rows::ddl::NewFullText;
use rows::memory::MemoryStore;
use rows::schema::Column;
use rows::store::Durability;
use rows::{Alteration, ColumnPlace, Engine, EngineOptions, Error, NewIndex, NewTable, RowChange};
use values::types::{Collation, LobSize};
use values::{ColumnType, Datum, Value};

fn text() -> ColumnType {
    ColumnType::Text { size: LobSize::Normal, collation: Collation::Utf8Mb4GeneralCi }
}

fn index(columns: &[&str]) -> NewFullText {
    let columns = columns.iter().map(|name| (*name).to_owned()).collect();
    NewFullText { columns, ..NewFullText::default() }
}

fn articles(full_texts: Vec<NewFullText>) -> NewTable {
    let columns = vec![
        column("id", int(), false),
        column("title", text(), true),
        column("body", text(), true),
    ];
    let indexes = vec![NewIndex::primary(&["id"])];
    NewTable { full_texts, ..NewTable::new("d", "t", columns, indexes) }
}

fn article<'a>(id: i64, title: &'a str, body: &'a str) -> Vec<Datum<'a>> {
    vec![Datum::Int(id), word(title), word(body)]
}

#[test]
fn entries_follow_every_write_of_a_transaction() {
    let engine = engine();
    let t = engine.create_table(articles(vec![index(&["title", "body"])])).unwrap();
    let mut work = begin(&engine);
    work.insert(&t, &article(1, "One and two", "two, three; THREE of them")).unwrap();
    work.insert(&t, &article(2, "NULL", "ab cd of the")).unwrap();
    commit(work);
    // one, and, two, three, them: a word that stands twice is one entry.
    assert_eq!(entries(&engine), 5);
    let mut work = begin(&engine);
    let key = |id: i64| t.row_key(&[Datum::Int(id)]).unwrap();
    let set = |body: &str| RowChange::Set(vec![(2, Value::Bytes(body.into()))]);
    work.change_row::<Error>(&t, &key(1), &mut |_| Ok(set("two two two"))).unwrap();
    let moves = RowChange::Set(vec![(0, Value::Int(20))]);
    work.change_row::<Error>(&t, &key(2), &mut |_| Ok(moves.clone())).unwrap();
    let start = work.savepoint();
    work.replace(&t, &article(20, "four five", "NULL")).unwrap();
    work.rollback_to(start);
    work.upsert::<Error>(&t, &article(20, "x", "x"), &mut |_| Ok(set("six seven six"))).unwrap();
    commit(work);
    assert_eq!(entries(&engine), 3 + 2);
    let mut work = begin(&engine);
    for id in [1, 20] {
        work.change_row::<Error>(&t, &key(id), &mut |_| Ok(RowChange::Delete)).unwrap();
    }
    commit(work);
    assert_eq!(entries(&engine), 0);
}

#[test]
fn loads_bring_entries_of_the_rows_that_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let options = EngineOptions {
        client_bytes: 16 << 20,
        spill: Some(SpillDirectory::open(directory.path()).unwrap()),
        ..EngineOptions::default()
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    let t = engine.create_table(articles(vec![index(&["title"]), index(&["body"])])).unwrap();
    let bodies: Vec<String> =
        (0..5000).map(|n| format!("word{} and{} number{n}", n % 7, n % 3)).collect();
    for (mode, ids) in [(OnDuplicate::Ignore, 3000), (OnDuplicate::Replace, 4000)] {
        let load = BulkLoad::begin(begin(&engine), &t, mode).unwrap().expect("nobody writes");
        let mut sorters = load.sorters(2).unwrap();
        for (n, body) in bodies.iter().enumerate() {
            let row = article(n as i64 % ids, "title", body);
            sorters[n % 2].add(n as u64 + 1, &row).unwrap();
        }
        let parts = sorters.into_iter().map(|sorter| sorter.finish().unwrap()).collect();
        let outcome = load.finish(parts, bodies.len() as u64, None).unwrap();
        assert_eq!(outcome.rows, ids as u64);
        assert_eq!(entries(&engine), 4 * ids as u64, "{mode:?}");
    }
}

#[test]
fn alterations_fill_rename_and_drop_them() {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::open(store.clone(), EngineOptions::default()).unwrap();
    engine.create_database("d").unwrap();
    let t = engine.create_table(articles(Vec::new())).unwrap();
    let mut work = begin(&engine);
    for id in 0..500 {
        work.insert(&t, &article(id, "some title", "with a body")).unwrap();
    }
    commit(work);
    assert_eq!(entries(&engine), 0);
    let t = alter(&engine, Alteration::AddFullText(index(&["title", "body"]))).unwrap();
    assert_eq!((t.full_texts[0].name.as_str(), entries(&engine)), ("title", 1500));
    let taken = alter(
        &engine,
        Alteration::AddFullText(NewFullText { name: Some("TITLE".into()), ..index(&["body"]) }),
    );
    assert!(matches!(taken, Err(Error::Exists { .. })));
    let to = "words".to_owned();
    alter(&engine, Alteration::RenameIndex { from: "title".into(), to }).unwrap();
    let rename = Alteration::RenameColumn { from: "body".into(), to: "rest".into() };
    let t = alter(&engine, rename).unwrap();
    assert_eq!(t.full_texts[0].columns, ["title", "rest"]);
    // What compares otherwise has other entries: a copy of all rows.
    let binary = ColumnType::Text { size: LobSize::Normal, collation: Collation::Utf8Mb4Bin };
    let as_binary = |name: &str| Alteration::ModifyColumn {
        name: name.into(),
        column: Column { nullable: true, ..Column::new(name, binary.clone()) },
        place: ColumnPlace::Keep,
    };
    assert!(matches!(alter(&engine, as_binary("rest")), Err(Error::Definition { .. })));
    let both = vec![as_binary("title"), as_binary("rest")];
    engine.alter_table("d", "t", both, &patience()).unwrap();
    assert_eq!(entries(&engine), 1500);
    drop(engine);
    let engine = Engine::open(store, EngineOptions::default()).unwrap();
    assert_eq!(entries(&engine), 1500, "also after a restart");
    let t = alter(&engine, Alteration::DropColumn("title".into())).unwrap();
    assert_eq!((t.full_texts[0].columns.len(), entries(&engine)), (1, 500));
    alter(&engine, Alteration::DropIndex("words".into())).unwrap();
    assert_eq!(entries(&engine), 0);
}

#[test]
fn wrong_definitions_are_refused() {
    let engine = engine();
    for wrong in [index(&["id"]), index(&["title", "no"]), index(&["title", "TITLE"]), index(&[])] {
        let refused = engine.create_table(articles(vec![wrong.clone()]));
        assert!(matches!(refused, Err(Error::Definition { .. })), "{wrong:?}");
    }
}

#[test]
fn entries_fit_while_indexes_come_and_go_beside_two_writers() {
    let engine = engine();
    engine.create_table(articles(vec![index(&["title"])])).unwrap();
    let ended = AtomicBool::new(false);
    let table = || engine.catalog().table("d", "t").unwrap();
    let mut work = begin(&engine);
    for id in 0..50 {
        work.insert(&table(), &article(id, "alpha beta", "gamma")).unwrap();
    }
    commit(work);
    let write = |seed: i64| {
        let mut n = seed;
        while !ended.load(Ordering::Relaxed) {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (table, id) = (table(), (n >> 33).rem_euclid(50));
            let words = format!("alpha{} beta{} gamma", (n >> 40) % 9, n & 3);
            let mut work = begin(&engine);
            let key = table.row_key(&[Datum::Int(id)]).unwrap();
            let set = RowChange::Set(vec![
                (1, Value::Bytes(words.clone().into_bytes())),
                (2, Value::Bytes(words.into_bytes())),
            ]);
            match work.change_row::<Error>(&table, &key, &mut |_| Ok(set.clone())) {
                Ok(_) => work.commit(Durability::Os).unwrap(),
                Err(Error::SchemaChanged) => {}
                Err(error) => panic!("{error}"),
            }
        }
    };
    let write = &write;
    thread::scope(|scope| {
        for seed in 1..=2 {
            scope.spawn(move || write(seed));
        }
        for _ in 0..20 {
            let body = NewFullText { name: Some("of_body".into()), ..index(&["body"]) };
            alter(&engine, Alteration::AddFullText(body)).unwrap();
            entries(&engine);
            alter(&engine, Alteration::DropIndex("of_body".into())).unwrap();
        }
        ended.store(true, Ordering::Relaxed);
    });
    entries(&engine);
}
