//! Multi-valued indexes: their entries follow the rows, however those are written, and two rows
//! never share an element of a unique one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use expression::{Kind, Node, array_node};
use resources::spill::SpillDirectory;

use crate::common::*;
use rows::bulk::{BulkLoad, OnDuplicate};
use rows::ddl::{KeyPartSource, NewKeyPart};
use rows::memory::MemoryStore;
use rows::rules::Rules;
use rows::schema::TableDefinition;
use rows::store::{Batch, Change, Durability, Reach, Store};
use rows::{Alteration, Engine, EngineOptions, Error, NewIndex, NewTable, RowChange, Table};
use values::types::IntWidth;
use values::{ColumnType, Datum, Value};

fn big() -> ColumnType {
    ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false }
}

/// Every column of an index is the array of the document in column 1.
fn arrays(definition: &TableDefinition) -> expression::Result<Rules> {
    let first = definition.named_columns().len();
    let array = |at: usize| {
        let document = Node::new(Kind::Column(1), ColumnType::Json, true);
        let has = |index: &&rows::schema::Index| index.parts.iter().any(|part| part.column == at);
        let name = definition.indexes_with_parts().find(has).map_or("", |index| &*index.name);
        (at, array_node(document, big(), name))
    };
    let computed = (first..definition.columns.len()).map(array).collect();
    Ok(Rules { computed, ..Rules::default() })
}

fn options() -> EngineOptions {
    EngineOptions { make_rules: arrays, ..EngineOptions::default() }
}

fn of_array(name: &str, unique: bool) -> NewIndex {
    let part = NewKeyPart { of: KeyPartSource::Array("`doc`".to_owned()), descending: false };
    NewIndex { parts: vec![part], ..index(name, unique, &["id"]) }
}

fn documents(arrays: Vec<NewIndex>) -> NewTable {
    let columns = vec![column("id", int(), false), column("doc", ColumnType::Json, true)];
    let indexes = std::iter::once(NewIndex::primary(&["id"])).chain(arrays).collect();
    NewTable::new("d", "t", columns, indexes)
}

fn document(id: i64, doc: &str) -> Vec<Datum<'_>> {
    vec![Datum::Int(id), word(doc)]
}

/// A row with a place for each column of an index.
fn whole<'d>(table: &Table, mut row: Vec<Datum<'d>>) -> Vec<Datum<'d>> {
    row.resize(table.columns.len(), Datum::Null);
    row
}

#[test]
fn entries_follow_every_write_of_a_transaction() {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::open(store.clone(), options()).unwrap();
    engine.create_database("d").unwrap();
    let new = documents(vec![of_array("u", true), of_array("e", false)]);
    let t = engine.create_table(new).unwrap();
    assert_eq!((t.indexes.len(), t.multi_valued.len()), (1, 2));
    let insert = |id: i64, doc: &str| {
        let mut work = begin(&engine);
        work.insert(&t, &whole(&t, document(id, doc)))?;
        commit(work);
        Ok::<_, Error>(())
    };
    insert(1, "[3, 1, 3]").unwrap();
    insert(2, "7").unwrap();
    insert(3, "[]").unwrap();
    assert_eq!(entries(&engine), 2 * 3);
    let taken = insert(4, "[8, 7]").expect_err("7 is taken");
    assert!(
        matches!(&taken, Error::Duplicate { index, entry, .. } if index == "u" && entry == "[7, 8]")
    );
    assert_eq!(entries(&engine), 2 * 3);
    let key = |id: i64| t.row_key(&[Datum::Int(id)]).unwrap();
    let mut work = begin(&engine);
    let doc = |doc: &str| RowChange::Set(vec![(1, Value::Bytes(doc.into()))]);
    work.change_row::<Error>(&t, &key(1), &mut |_| Ok(doc("[1, 5]"))).unwrap();
    let moves = RowChange::Set(vec![(0, Value::Int(20))]);
    work.change_row::<Error>(&t, &key(2), &mut |_| Ok(moves.clone())).unwrap();
    // Both rows that are in the way go.
    work.replace(&t, &whole(&t, document(9, "[5, 7]"))).unwrap();
    commit(work);
    assert_eq!(entries(&engine), 2 * 2);
    insert(2, "[1, 3]").unwrap();
    drop(t);
    drop(engine);
    let engine = Engine::open(store, options()).unwrap();
    assert_eq!(entries(&engine), 2 * 4, "also after a restart");
}

#[test]
fn loads_bring_entries_of_the_rows_that_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let options = EngineOptions {
        client_bytes: 16 << 20,
        spill: Some(SpillDirectory::open(directory.path()).unwrap()),
        ..options()
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    let t = engine.create_table(documents(vec![of_array("u", true)])).unwrap();
    // Each shares an element with the one before it: every other one goes.
    let docs: Vec<String> = (0..3000).map(|n| format!("[{n}, {}, {n}]", n + 1)).collect();
    let load = BulkLoad::begin(begin(&engine), &t, OnDuplicate::Ignore).unwrap().expect("alone");
    let mut sorters = load.sorters(2).unwrap();
    for (n, doc) in docs.iter().enumerate() {
        sorters[n % 2].add(n as u64 + 1, &whole(&t, document(n as i64, doc))).unwrap();
    }
    let parts = sorters.into_iter().map(|sorter| sorter.finish().unwrap()).collect();
    let outcome = load.finish(parts, docs.len() as u64, None).unwrap();
    assert_eq!((outcome.rows, entries(&engine)), (1500, 3000));
    let load = BulkLoad::begin(begin(&engine), &t, OnDuplicate::Error).unwrap().expect("alone");
    let mut sorters = load.sorters(1).unwrap();
    sorters[0].add(1, &whole(&t, document(9000, "[70000, 11]"))).unwrap();
    let parts = sorters.into_iter().map(|sorter| sorter.finish().unwrap()).collect();
    assert!(matches!(load.finish(parts, 1, None), Err(Error::Duplicate { .. })));
    assert_eq!(entries(&engine), 3000);
}

#[test]
fn entries_fit_while_indexes_come_and_go_beside_two_writers() {
    let engine = Engine::open(Arc::new(MemoryStore::new()), options()).unwrap();
    engine.create_database("d").unwrap();
    engine.create_table(documents(vec![of_array("e", false)])).unwrap();
    let table = || engine.catalog().table("d", "t").unwrap();
    let mut work = begin(&engine);
    for id in 0..50 {
        work.insert(&table(), &whole(&table(), document(id, "[1, 2]"))).unwrap();
    }
    commit(work);
    let ended = AtomicBool::new(false);
    let write = |seed: i64| {
        let mut n = seed;
        while !ended.load(Ordering::Relaxed) {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (table, id) = (table(), (n >> 33).rem_euclid(50));
            // What rows of one number have, no other row has.
            let own = id * 100;
            let doc = format!("[{}, {}, {own}]", own + ((n >> 40) & 7), own + (n >> 45 & 7));
            let mut work = begin(&engine);
            let key = table.row_key(&[Datum::Int(id)]).unwrap();
            let set = RowChange::Set(vec![(1, Value::Bytes(doc.into_bytes()))]);
            match work.change_row::<Error>(&table, &key, &mut |_| Ok(set.clone())) {
                Ok(_) => work.commit(Durability::Os).unwrap(),
                Err(Error::SchemaChanged) => {}
                Err(error) => panic!("{error}"),
            }
        }
    };
    let write = &write;
    let mut made = 0;
    thread::scope(|scope| {
        for seed in 1..=2 {
            scope.spawn(move || write(seed));
        }
        for round in 0..20 {
            // Rows that nobody has changed yet have elements in common.
            match alter(&engine, Alteration::AddIndex(of_array("u", round % 2 == 0))) {
                Ok(_) => made += 1,
                Err(Error::Duplicate { .. }) => continue,
                Err(error) => panic!("{error}"),
            }
            entries(&engine);
            alter(&engine, Alteration::DropIndex("u".into())).unwrap();
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert!(made >= 10, "{made}");
    entries(&engine);
}

#[test]
fn such_an_index_is_of_a_format_that_earlier_versions_refuse_and_their_data_are_opened() {
    let store = Arc::new(MemoryStore::new());
    let open = || Engine::open(store.clone(), options());
    let engine = open().unwrap();
    engine.create_database("d").unwrap();
    let t = engine.create_table(documents(Vec::new())).unwrap();
    let mut work = begin(&engine);
    work.insert(&t, &document(1, "[1, 2]")).unwrap();
    commit(work);
    drop(t);
    drop(engine);
    // As the version before this one leaves it.
    let earlier = Change::put(vec![0, 0, 0, 0, 1], vec![21, 0, 0, 0]);
    store.write(&Batch { changes: vec![earlier] }, Durability::Os).unwrap();
    let engine = open().unwrap();
    assert_eq!(entries(&engine), 0);
    alter(&engine, Alteration::AddIndex(of_array("e", false))).unwrap();
    let mut format = Vec::new();
    assert!(engine.latest().get(&[0, 0, 0, 0, 1], Reach::Disk, &mut format).unwrap());
    assert_eq!((format, entries(&engine)), (vec![22, 0, 0, 0], 2));
    drop(engine);
    let engine = open().unwrap();
    let kept = engine.catalog().table("d", "t").unwrap();
    assert_eq!((kept.multi_valued[0].element.clone(), entries(&engine)), (big(), 2));
}
