//! Member indexes: their entries follow the rows, however those are written.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use resources::spill::SpillDirectory;

use crate::common::*;
use rows::bulk::{BulkLoad, OnDuplicate};
use rows::memory::MemoryStore;
use rows::schema::Column;
use rows::store::{Direction, Durability};
use rows::{
    Alteration, ColumnPlace, Engine, EngineOptions, Error, Lookup, NewIndex, NewMember, NewTable,
    RowChange, Table,
};
use values::member::{PART_CHARS, normalized, number, parts, texts};
use values::types::IntWidth;
use values::{ColumnType, Datum, MemberKind, Value};

fn member(name: &str, kind: MemberKind) -> NewMember {
    NewMember { column: "j".into(), member: name.into(), kind }
}

fn documents(members: Vec<NewMember>) -> NewTable {
    let columns = vec![column("id", int(), false), column("j", ColumnType::Json, true)];
    NewTable { members, ..NewTable::new("d", "t", columns, vec![NewIndex::primary(&["id"])]) }
}

fn all_kinds() -> Vec<NewMember> {
    let kinds = MemberKind::ALL.into_iter().zip(["a", "n", "t", "q"]);
    kinds.map(|(kind, name)| member(name, kind)).collect()
}

fn document(id: i64, json: &str) -> Vec<Datum<'_>> {
    vec![Datum::Int(id), word(json)]
}

/// The ids of the rows of a lookup, in order.
fn ids(engine: &Engine, table: &Table, lookup: &Lookup) -> Vec<i64> {
    let snapshot = engine.store().snapshot().unwrap();
    let (mut ids, mut share) = (Vec::new(), engine.budget().share());
    let reach = rows::store::Reach::Disk;
    engine
        .find_lookup(&*snapshot, table, lookup, reach, &mut share, &mut |found| {
            let Datum::Int(id) = found.row.column(0)? else { panic!("an integer") };
            ids.push(id);
            Ok(rows::Flow::Continue)
        })
        .unwrap();
    ids
}

#[test]
fn entries_follow_every_write_of_a_transaction() {
    let engine = engine();
    let t = engine.create_table(documents(all_kinds())).unwrap();
    let mut work = begin(&engine);
    let json = r#"{"a": "x", "n": "7 of", "t": "one, two one", "q": "Abcd"}"#;
    work.insert(&t, &document(1, json)).unwrap();
    work.insert(&t, &document(2, "{}")).unwrap();
    work.insert(&t, &document(3, "NULL")).unwrap();
    work.insert(&t, &document(4, "[1]")).unwrap();
    commit(work);
    // Of each the text and the number, there or not; then two tokens and abc, bcd, cd, d.
    assert_eq!(entries(&engine), 4 * 2 + 2 + 4);
    let mut work = begin(&engine);
    let key = |id: i64| t.row_key(&[Datum::Int(id)]).unwrap();
    let set = |json: &str| RowChange::Set(vec![(1, Value::Bytes(json.into()))]);
    work.change_row::<Error>(&t, &key(1), &mut |_| {
        Ok(set(r#"{"a": "y", "t": "two", "q": "abcd"}"#))
    })
    .unwrap();
    let moves = RowChange::Set(vec![(0, Value::Int(20))]);
    work.change_row::<Error>(&t, &key(2), &mut |_| Ok(moves.clone())).unwrap();
    work.replace(&t, &document(3, r#"{"t": "three", "n": -1e3}"#)).unwrap();
    let start = work.savepoint();
    work.change_row::<Error>(&t, &key(4), &mut |_| Ok(RowChange::Delete)).unwrap();
    work.upsert::<Error>(&t, &document(1, "{}"), &mut |_| Ok(set(r#"{"q": "zz"}"#))).unwrap();
    work.rollback_to(start);
    work.upsert::<Error>(&t, &document(4, "{}"), &mut |_| Ok(set(r#"{"q": "\u00c4h "}"#))).unwrap();
    commit(work);
    assert_eq!(entries(&engine), 4 * 2 + 2 + 4 + 2);
    let codec = |name: &str| &t.member_codecs[t.member_index(1, name.as_bytes()).unwrap()];
    assert_eq!(ids(&engine, &t, &Lookup::One(codec("q").equal("\u{e4}h".as_bytes()))), [4]);
    assert_eq!(ids(&engine, &t, &Lookup::One(codec("n").between(-1000.0, -1000.0))), [3]);
    assert_eq!(ids(&engine, &t, &Lookup::One(codec("n").absent())), [1, 4, 20]);
    let mut work = begin(&engine);
    for id in [1, 3, 4, 20] {
        work.change_row::<Error>(&t, &key(id), &mut |_| Ok(RowChange::Delete)).unwrap();
    }
    commit(work);
    assert_eq!(entries(&engine), 0);
}

#[test]
fn lookups_compare_and_merge_parts() {
    let engine = engine();
    let t = engine.create_table(documents(vec![member("t", MemberKind::Token)])).unwrap();
    let mut work = begin(&engine);
    for id in 0..1000_i64 {
        let tokens: Vec<String> =
            [2, 3, 5, 7].into_iter().filter(|n| id % n == 0).map(|n| n.to_string()).collect();
        let json = format!(r#"{{"t": "{}"}}"#, tokens.join(" "));
        work.insert(&t, &document(id, &json)).unwrap();
    }
    commit(work);
    let one = |n: i64| Lookup::One(t.member_codecs[0].equal(n.to_string().as_bytes()));
    let those = |holds: &dyn Fn(i64) -> bool| (0..1000).filter(|id| holds(*id)).collect::<Vec<_>>();
    let all = Lookup::All(vec![one(2), one(7), one(5)]);
    assert_eq!(ids(&engine, &t, &all), those(&|id| id % 70 == 0));
    let any = Lookup::Any(vec![one(7), one(5), one(11)]);
    assert_eq!(ids(&engine, &t, &any), those(&|id| id % 7 == 0 || id % 5 == 0));
    let mixed =
        Lookup::All(vec![any.clone(), one(2), Lookup::Many(t.member_codecs[0].begins(b""))]);
    assert_eq!(ids(&engine, &t, &mixed), those(&|id| id % 2 == 0 && (id % 7 == 0 || id % 5 == 0)));
    assert_eq!(ids(&engine, &t, &Lookup::Any(Vec::new())), [0; 0]);
    assert_eq!(ids(&engine, &t, &Lookup::All(vec![one(2), one(11)])), [0; 0]);
}

#[test]
fn a_text_with_more_entries_than_a_row_may_have_is_refused_and_leaves_nothing() {
    let engine = engine();
    let t = engine.create_table(documents(vec![member("t", MemberKind::Token)])).unwrap();
    let tokens: Vec<String> = (0..1_000_000).map(|n| format!("{n:09}")).collect();
    let json = format!(r#"{{"t": "{}"}}"#, tokens.join(" "));
    let mut work = begin(&engine);
    let refused = work.insert(&t, &document(1, &json));
    assert!(matches!(refused, Err(Error::TooLarge { what: "entries of an index", .. })));
    // The same token again and again is one entry.
    let json = format!(r#"{{"t": "{}"}}"#, "word ".repeat(1_000_000));
    work.insert(&t, &document(2, &json)).unwrap();
    commit(work);
    assert_eq!(entries(&engine), 1);
}

fn bulk_engine(directory: &Path) -> Arc<Engine> {
    let options = EngineOptions {
        client_bytes: 16 << 20,
        spill: Some(SpillDirectory::open(directory).unwrap()),
        ..EngineOptions::default()
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    engine
}

#[test]
fn loads_bring_entries_of_the_rows_that_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let engine = bulk_engine(directory.path());
    let t = engine.create_table(documents(all_kinds())).unwrap();
    let texts: Vec<String> = (0..5000)
        .map(|n| format!(r#"{{"a": "x{}", "n": {n}, "t": "a b{}", "q": "c{n}"}}"#, n % 7, n % 3))
        .collect();
    for (mode, ids) in [(OnDuplicate::Ignore, 3000), (OnDuplicate::Replace, 4000)] {
        let load = BulkLoad::begin(begin(&engine), &t, mode).unwrap().expect("nobody writes");
        let mut sorters = load.sorters(2).unwrap();
        for (n, text) in texts.iter().enumerate() {
            let row = document(n as i64 % ids, text);
            sorters[n % 2].add(n as u64 + 1, &row).unwrap();
        }
        let parts = sorters.into_iter().map(|sorter| sorter.finish().unwrap()).collect();
        let outcome = load.finish(parts, texts.len() as u64, None).unwrap();
        assert_eq!(outcome.rows, ids as u64);
        assert!(entries(&engine) > 8 * ids as u64, "{mode:?}");
    }
}

#[test]
fn alterations_fill_rename_and_drop_them() {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::open(store.clone(), EngineOptions::default()).unwrap();
    engine.create_database("d").unwrap();
    let t = engine.create_table(documents(Vec::new())).unwrap();
    let mut work = begin(&engine);
    for id in 0..500 {
        let json = format!(r#"{{"a": "x{}", "n": {id}}}"#, id % 5);
        work.insert(&t, &document(id, &json)).unwrap();
    }
    commit(work);
    assert_eq!(entries(&engine), 0);
    let t = alter(&engine, Alteration::SetMember(member("a", MemberKind::Lexical))).unwrap();
    assert_eq!(entries(&engine), 500);
    let first = t.members[0].id;
    let t = alter(
        &engine,
        Alteration::SetMembers(vec![
            member("a", MemberKind::Lexical),
            member("n", MemberKind::Decimal),
        ]),
    )
    .unwrap();
    assert_eq!((t.members[0].id, entries(&engine)), (first, 1000), "one stays as it is");
    let t = alter(&engine, Alteration::SetMember(member("a", MemberKind::Qgram))).unwrap();
    assert_eq!((t.members.len(), entries(&engine)), (2, 500 + 500 * 2));
    let t = alter(&engine, Alteration::RenameColumn { from: "j".into(), to: "k".into() }).unwrap();
    assert_eq!(t.members[0].column, "k");
    // A copy of all rows.
    let wide = ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
    let wide = Alteration::ModifyColumn {
        name: "id".into(),
        column: column("id", wide, false),
        place: ColumnPlace::Keep,
    };
    let t = alter(&engine, wide).unwrap();
    assert_eq!((t.members.len(), entries(&engine)), (2, 1500));
    let text = ColumnType::Text {
        size: values::types::LobSize::Long,
        collation: values::Collation::Utf8Mb4Bin,
    };
    let text = Alteration::ModifyColumn {
        name: "k".into(),
        column: Column { nullable: true, ..Column::new("k", text) },
        place: ColumnPlace::Keep,
    };
    assert!(matches!(alter(&engine, text), Err(Error::Definition { .. })), "it must be JSON");
    drop(engine);
    let engine = Engine::open(store, EngineOptions::default()).unwrap();
    assert_eq!(entries(&engine), 1500, "also after a restart");
    let missing = Alteration::DropMember { column: "k".into(), member: "x".into() };
    assert!(matches!(alter(&engine, missing), Err(Error::NotFound { .. })));
    let n = Alteration::DropMember { column: "k".into(), member: "n".into() };
    alter(&engine, n).unwrap();
    assert_eq!(entries(&engine), 1000);
    engine.truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &patience()).unwrap();
    assert_eq!(entries(&engine), 0);
    let t = alter(&engine, Alteration::DropColumn("k".into())).unwrap();
    assert!(t.members.is_empty());
}

#[test]
fn wrong_definitions_are_refused() {
    let engine = engine();
    for members in [
        vec![NewMember { column: "id".into(), ..member("a", MemberKind::Lexical) }],
        vec![NewMember { column: "no".into(), ..member("a", MemberKind::Lexical) }],
        vec![member("", MemberKind::Lexical)],
        vec![member("a", MemberKind::Lexical), member("a", MemberKind::Token)],
        (0..65).map(|n| member(&n.to_string(), MemberKind::Token)).collect(),
    ] {
        let refused = engine.create_table(documents(members.clone()));
        assert!(matches!(refused, Err(Error::Definition { .. })), "{members:?}");
    }
}

#[test]
fn a_row_is_found_once_while_it_moves_and_entries_fit_while_indexes_come_and_go() {
    let engine = engine();
    engine.create_table(documents(vec![member("n", MemberKind::Decimal)])).unwrap();
    let ended = AtomicBool::new(false);
    let table = || engine.catalog().table("d", "t").unwrap();
    let mut work = begin(&engine);
    for id in 0..50 {
        work.insert(&table(), &document(id, r#"{"n": 0, "a": "b c"}"#)).unwrap();
    }
    commit(work);
    let write = |seed: i64| {
        let mut n = seed;
        while !ended.load(Ordering::Relaxed) {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (table, id) = (table(), (n >> 33).rem_euclid(50));
            let json = format!(r#"{{"n": {}, "a": "b{} c"}}"#, (n >> 40) % 100, n & 3);
            let mut work = begin(&engine);
            let key = table.row_key(&[Datum::Int(id)]).unwrap();
            let set = RowChange::Set(vec![(1, Value::Bytes(json.into_bytes()))]);
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
        for round in 0..20 {
            let kind = MemberKind::ALL[round % 4];
            let table = alter(&engine, Alteration::SetMember(member("a", kind))).unwrap();
            let codec = &table.member_codecs[table.member_index(1, b"n").unwrap()];
            for _ in 0..20 {
                let (snapshot, mut rows) = (engine.store().snapshot().unwrap(), 0);
                let reach = rows::store::Reach::Disk;
                let down = Direction::Backward;
                engine
                    .find_members(&*snapshot, &table, &codec.all(), down, reach, &mut |_, _| {
                        rows += 1;
                        Ok(rows::Flow::Continue)
                    })
                    .unwrap();
                assert_eq!(rows, 50);
            }
            entries(&engine);
        }
        ended.store(true, Ordering::Relaxed);
    });
    entries(&engine);
}

fn found(json: &str, names: &[&str]) -> Vec<Option<String>> {
    texts(json.as_bytes(), names)
}

#[test]
fn members_are_read_as_text_and_null_is_none() {
    let json = r#"{"a": "x\n", "\u0062": 1.50, "c": null, "d": [1, {"z": 2, "y": 3}], "a": "y"}"#;
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        found(json, &["d", "b", "a", "c", "e"]),
        [text(r#"[1,{"y":3,"z":2}]"#), text("1.5"), text("y"), None, None]
    );
    for none in ["[1]", "{\"a\": 1", "{\"a\": 1} x", "", "7"] {
        assert_eq!(found(none, &["a"]), [None], "{none}");
    }
}

#[test]
fn numbers_are_read_as_far_as_they_go() {
    for (text, value) in [
        ("", 0.0),
        ("-", 0.0),
        ("1.5e3x", 1500.0),
        ("2e", 2.0),
        ("2e+", 2.0),
        (".5", 0.5),
        ("x", 0.0),
    ] {
        assert_eq!(number(text.as_bytes()), value, "{text}");
    }
}

#[test]
fn a_text_has_the_parts_of_each_text_that_it_contains() {
    let text = normalized("Die  STRA\u{df}e \u{c4}h".as_bytes());
    assert_eq!(text, "die stra\u{df}e \u{e4}h");
    let all: Vec<&str> = parts(&text).collect();
    assert_eq!(all[..4], ["die", "ie ", "e s", " st"]);
    assert_eq!(all[all.len() - 2..], ["\u{e4}h", "h"]);
    for (start, _) in text.char_indices() {
        for (end, _) in text.char_indices().filter(|(end, _)| *end > start) {
            let contained = &text[start..end];
            let whole = contained.chars().count().saturating_sub(PART_CHARS - 1);
            assert!(parts(contained).take(whole).all(|part| all.contains(&part)));
            assert!(parts(contained).all(|part| all.iter().any(|of| of.starts_with(part))));
        }
    }
}
