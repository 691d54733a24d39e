//! Schema changes: what becomes of rows, entries, handles and names.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::*;
use resources::interrupt::{Interrupt, is_wanted, working};
use rows::ingestion::TableStore;
use rows::memory::MemoryStore;
use rows::rules::Rules;
use rows::schema::{DefaultValue, TableDefinition};
use rows::store::{Batch, Change, Direction, Durability, LockWait, Reach, Read, Store};
use rows::{
    Alteration, ColumnPlace, Engine, EngineOptions, Error, Flow, FoundRow, NewIndex, NewTable,
    RowChange, Thing, Wait,
};
use values::types::{Collation, IntWidth};
use values::{ColumnType, Datum, ErrorCode, Value};

fn with_rows(engine: &Arc<Engine>) -> Arc<rows::Table> {
    let t = users(engine);
    let mut tx = begin(engine);
    for (id, name, mail) in [(1, "al", "a@x"), (2, "bo", "NULL"), (3, "bo", "c@x")] {
        tx.insert(&t, &user(id, name, mail)).unwrap();
    }
    commit(tx);
    t
}

fn now(engine: &Engine) -> Arc<rows::Table> {
    engine.catalog().table("d", "t").unwrap()
}

#[test]
fn an_added_column_reads_as_its_default_in_rows_that_were_there() {
    let engine = engine();
    with_rows(&engine);
    let mut added = column("n", int(), false);
    added.default = DefaultValue::Literal(Some(b"7".to_vec()));
    let add = Alteration::AddColumn { column: added, place: ColumnPlace::First, now: None };
    let outcome = engine.alter_table("d", "t", vec![add], &engine.patience()).unwrap();
    assert_eq!(outcome.rows_copied, 0);
    assert_eq!(rows_by(&engine, &now(&engine), 0), ["7 1 al a@x", "7 2 bo NULL", "7 3 bo c@x"]);
    assert_sound(&engine);
}

#[test]
fn an_old_handle_is_told_and_cannot_write_old_bytes() {
    let engine = engine();
    let old = with_rows(&engine);
    engine
        .alter_table("d", "t", vec![Alteration::DropColumn("mail".into())], &engine.patience())
        .unwrap();
    let mut tx = begin(&engine);
    assert!(matches!(tx.insert(&old, &user(9, "x", "y")), Err(Error::SchemaChanged)));
    drop(tx);
    assert_eq!(rows_by(&engine, &now(&engine), 0), ["1 al", "2 bo", "3 bo"]);
    assert_sound(&engine);
}

#[test]
fn a_new_unique_index_is_filled_or_refused_whole() {
    let engine = engine();
    with_rows(&engine);
    let refused = engine.alter_table(
        "d",
        "t",
        vec![Alteration::AddIndex(index("u", true, &["name"]))],
        &engine.patience(),
    );
    assert!(matches!(refused, Err(Error::Duplicate { .. })), "{refused:?}");
    assert!(now(&engine).index("u").is_none());
    let both = index("u", true, &["name", "id"]);
    engine.alter_table("d", "t", vec![Alteration::AddIndex(both)], &engine.patience()).unwrap();
    let t = now(&engine);
    assert_eq!(rows_by(&engine, &t, t.index("u").unwrap()).len(), 3);
    assert_sound(&engine);
}

#[test]
fn a_changed_type_copies_rows_or_keeps_the_table_as_it_was() {
    let engine = engine();
    with_rows(&engine);
    let modify = |ty| Alteration::ModifyColumn {
        name: "name".into(),
        column: column("name", ty, true),
        place: ColumnPlace::Keep,
    };
    let refused = engine.alter_table("d", "t", vec![modify(int())], &engine.patience());
    assert!(matches!(refused, Err(Error::Value { .. })), "{refused:?}");
    assert_eq!(rows_by(&engine, &now(&engine), 0)[0], "1 al a@x");
    let copied = engine.alter_table("d", "t", vec![modify(text(5))], &engine.patience()).unwrap();
    assert_eq!(copied.rows_copied, 3);
    assert_eq!(rows_by(&engine, &now(&engine), 1), ["1 al a@x", "2 bo NULL", "3 bo c@x"]);
    assert_sound(&engine);
}

#[test]
fn a_table_gets_and_loses_its_primary_key() {
    let engine = engine();
    with_rows(&engine);
    engine.alter_table("d", "t", vec![Alteration::DropPrimaryKey], &engine.patience()).unwrap();
    assert!(now(&engine).has_hidden_key());
    assert_eq!(rows_by(&engine, &now(&engine), 1).len(), 3);
    let by_id = index("PRIMARY", true, &["id"]);
    engine.alter_table("d", "t", vec![Alteration::AddIndex(by_id)], &engine.patience()).unwrap();
    assert_eq!(rows_by(&engine, &now(&engine), 0), ["1 al a@x", "2 bo NULL", "3 bo c@x"]);
    assert_sound(&engine);
}

#[test]
fn an_added_auto_increment_column_numbers_the_rows() {
    let engine = engine();
    let columns = vec![column("x", int(), true)];
    let t = table(&engine, "t", columns, vec![]);
    let mut tx = begin(&engine);
    tx.insert(&t, &[Datum::Int(5)]).unwrap();
    tx.insert(&t, &[Datum::Int(6)]).unwrap();
    commit(tx);
    let big = ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
    let mut id = column("id", big, false);
    id.auto_increment = true;
    let add = Alteration::AddColumn { column: id, place: ColumnPlace::First, now: None };
    let key = Alteration::AddIndex(index("PRIMARY", true, &["id"]));
    engine.alter_table("d", "t", vec![add, key], &engine.patience()).unwrap();
    let t = now(&engine);
    let mut tx = begin(&engine);
    assert_eq!(tx.insert(&t, &[Datum::Null, Datum::Int(7)]).unwrap().generated, Some(3));
    commit(tx);
    assert_eq!(rows_by(&engine, &t, 0), ["1 5", "2 6", "3 7"]);
}

#[test]
fn tables_swap_names_in_one_step() {
    let engine = engine();
    with_rows(&engine);
    table(&engine, "other", vec![column("x", int(), true)], vec![]);
    engine
        .rename_tables(
            &[
                (("d", "t"), ("d", "kept")),
                (("d", "other"), ("d", "t")),
                (("d", "kept"), ("d", "other")),
            ],
            &engine.patience(),
        )
        .unwrap();
    assert_eq!(now(&engine).columns.len(), 1);
    let other = engine.catalog().table("d", "other").unwrap();
    assert_eq!(rows_by(&engine, &other, 0).len(), 3);
    assert!(matches!(
        engine.catalog().table("d", "kept"),
        Err(Error::NotFound { what: Thing::Table, .. })
    ));
}

#[test]
fn a_dropped_table_gives_its_keys_back_and_its_name_free() {
    let engine = engine();
    let t = with_rows(&engine);
    engine.drop_table("d", "t", &engine.patience()).unwrap();
    let left = engine.store().approximate_bytes(&t.full_range()).unwrap();
    assert_eq!(left, 0);
    let again = with_rows(&engine);
    assert_ne!(again.id, t.id);
    assert_sound(&engine);
}

#[test]
fn a_schema_change_waits_for_writers_and_not_for_ever() {
    let store = Arc::new(MemoryStore::new());
    let options =
        EngineOptions { lock_wait_max: Duration::from_millis(20), ..EngineOptions::default() };
    let engine = Engine::open(store, options).unwrap();
    engine.create_database("d").unwrap();
    let t = with_rows(&engine);
    let mut writer = begin(&engine);
    let key = t.row_key(&[Datum::Int(1)]).unwrap();
    let rename = RowChange::Set(vec![(1, Value::Bytes(b"zo".to_vec()))]);
    writer.change_row::<Error>(&t, &key, &mut |_| Ok(rename.clone())).unwrap();
    assert!(matches!(
        engine.truncate_table(
            "d",
            "t",
            rows::foreign_key::ForeignKeyChecks::On,
            &engine.patience()
        ),
        Err(Error::LockTimeout)
    ));
    commit(writer);
    engine
        .truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &engine.patience())
        .unwrap();
    assert!(rows_by(&engine, &now(&engine), 0).is_empty());
}

#[test]
fn who_may_not_wait_does_not_wait_for_a_schema_change_either() {
    let engine = engine();
    let t = with_rows(&engine);
    std::thread::scope(|scope| {
        let mut holder = begin(&engine);
        holder.insert(&t, &user(8, "h", "NULL")).unwrap();
        let change = scope.spawn(|| {
            engine.truncate_table(
                "d",
                "t",
                rows::foreign_key::ForeignKeyChecks::On,
                &engine.patience(),
            )
        });
        // The gate closes at once, though the change itself waits for the holder.
        let refused = loop {
            let mut hasty = engine.begin(LockWait::Never).unwrap();
            match hasty.insert(&t, &user(9, "x", "NULL")) {
                Ok(_) => std::thread::yield_now(),
                Err(error) => break error,
            }
        };
        assert!(matches!(refused, Error::WouldWait(Wait::Schema)), "{refused:?}");
        commit(holder);
        change.join().unwrap().unwrap();
    });
}

#[test]
fn a_snapshot_from_before_a_copy_or_an_index_showed_a_table_without_rows() {
    let engine = engine();
    let t = with_rows(&engine);
    let visited = |view: &dyn Read, index: usize| {
        let t = now(&engine);
        let mut rows = 0;
        let count = &mut |_: FoundRow<'_>| {
            rows += 1;
            Ok(Flow::Continue)
        };
        let (range, direction) = (t.index_range(index), Direction::Forward);
        engine.find(view, &t, index, &range, direction, Reach::Disk, count).map(|()| rows)
    };
    let name = |index: NewIndex| vec![Alteration::AddIndex(index)];
    let wider = column(
        "id",
        ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false },
        false,
    );
    let copy =
        Alteration::ModifyColumn { name: "id".into(), column: wider, place: ColumnPlace::Keep };
    let copy = vec![copy];
    drop(t);
    for (alterations, counted) in [(copy, 3), (name(index("again", false, &["mail"])), 3)] {
        let before = engine.store().snapshot().unwrap();
        assert_eq!(visited(&*before, 0).unwrap(), counted);
        engine.alter_table("d", "t", alterations, &engine.patience()).unwrap();
        let last = now(&engine).indexes.len() - 1;
        assert!(matches!(visited(&*before, last), Err(Error::SchemaChanged)));
        for view in [&*engine.store().snapshot().unwrap(), engine.latest()] {
            assert_eq!(visited(view, 0).unwrap(), counted);
            assert_eq!(visited(view, last).unwrap(), counted);
        }
        // Another name changes nothing of that.
        let names = [(("d", "t"), ("d", "u")), (("d", "u"), ("d", "t"))];
        engine.rename_tables(&names[..1], &engine.patience()).unwrap();
        engine.rename_tables(&names[1..], &engine.patience()).unwrap();
        assert!(matches!(visited(&*before, last), Err(Error::SchemaChanged)));
    }
    let before = engine.store().snapshot().unwrap();
    engine
        .truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &engine.patience())
        .unwrap();
    assert!(matches!(visited(&*before, 0), Err(Error::SchemaChanged)));
    assert_eq!(visited(engine.latest(), 0).unwrap(), 0);
    // What is only a definition is another view of the same rows.
    let before = engine.store().snapshot().unwrap();
    let drops = vec![Alteration::DropColumn("mail".into())];
    engine.alter_table("d", "t", drops, &engine.patience()).unwrap();
    assert_eq!(visited(&*before, 0).unwrap(), 0);
    assert_sound(&engine);
}

#[test]
fn definitions_and_rows_come_back_after_a_start() {
    let store = Arc::new(MemoryStore::new());
    let open = || {
        let store: Arc<dyn TableStore> = store.clone();
        Engine::open(store, EngineOptions::default()).unwrap()
    };
    let engine = open();
    engine.create_database("d").unwrap();
    with_rows(&engine);
    engine.close().unwrap();
    drop(engine);
    let engine = open();
    assert_eq!(rows_by(&engine, &now(&engine), 1).len(), 3);
    assert_eq!(engine.catalog().databases(), ["d"]);
    assert_sound(&engine);
}

#[test]
fn a_definition_that_contradicts_itself_is_told_when_the_rows_are_opened() {
    let whole = r#"{"id":9,"version":3,"database":"d","name":"t","columns":[{"name":"id","ty":
        {"Decimal":{"precision":9,"scale":2}},"nullable":false,"default":"None","on_update_now":
        false,"auto_increment":false,"comment":"","slot":0,"absent":null}],"indexes":[{"id":1,
        "name":"PRIMARY","unique":true,"parts":[{"column":0,"prefix":null}],"state":"Ready",
        "comment":""}],"slots":[{"Decimal":{"precision":9,"scale":2}}],"next_index":2,
        "auto_increment_base":1,"comment":"","engine":"InnoDB","created":1}"#;
    let open = |definition: &str| {
        let store = MemoryStore::new();
        let put = |key: &[u8], value: &[u8]| Change::put(key.to_vec(), value.to_vec());
        let format = put(&[0, 0, 0, 0, 1], &[1, 0, 0, 0]);
        let table = put(&[0, 0, 0, 0, 3, 0, 0, 0, 9], definition.as_bytes());
        store.write(&Batch { changes: vec![format, table] }, Durability::Os).unwrap();
        Engine::open(Arc::new(store), EngineOptions::default()).map(drop)
    };
    open(whole).unwrap();
    for (part, damaged) in [
        (r#""column":0"#, r#""column":1"#),
        (r#""slot":0"#, r#""slot":1"#),
        (r#""precision":9"#, r#""precision":29"#),
        (r#""scale":2"#, r#""scale":10"#),
    ] {
        let definition = whole.replacen(part, damaged, 1);
        assert!(matches!(open(&definition), Err(Error::Corrupt { .. })), "{damaged}");
    }
}

#[test]
fn a_set_or_a_bit_is_of_a_format_that_earlier_versions_refuse_and_their_data_are_opened() {
    let format_of = |engine: &Engine| {
        let mut format = Vec::new();
        assert!(engine.latest().get(&[0, 0, 0, 0, 1], Reach::Disk, &mut format).unwrap());
        format
    };
    let set = ColumnType::Set { values: vec!["a".into()], collation: Collation::Utf8Mb4Bin };
    for ty in [set, ColumnType::Bit { bits: 12 }] {
        let store = Arc::new(MemoryStore::new());
        let open = || Engine::open(store.clone(), EngineOptions::default());
        open().unwrap().create_database("d").unwrap();
        // As the version before this one leaves it.
        let earlier = Change::put(vec![0, 0, 0, 0, 1], vec![14, 0, 0, 0]);
        store.write(&Batch { changes: vec![earlier] }, Durability::Os).unwrap();
        let engine = open().unwrap();
        assert_eq!(format_of(&engine), [14, 0, 0, 0]);
        let columns = vec![column("id", int(), false), column("v", ty.clone(), true)];
        let new = NewTable::new("d", "t", columns, vec![NewIndex::primary(&["id"])]);
        engine.create_table(new).unwrap();
        assert_eq!(format_of(&engine), [15, 0, 0, 0], "{ty:?}");
        let kept = open().unwrap().catalog().table("d", "t").unwrap();
        assert_eq!(kept.columns[1].ty, ty);
        // And a later one.
        let later = (rows::catalog::CATALOG_FORMAT + 1).to_le_bytes().to_vec();
        let later = Change::put(vec![0, 0, 0, 0, 1], later);
        store.write(&Batch { changes: vec![later] }, Durability::Os).unwrap();
        assert!(matches!(open(), Err(Error::Newer { .. })));
    }
}

#[test]
fn a_part_that_descends_is_of_a_format_that_earlier_versions_refuse_and_their_data_are_opened() {
    let store = Arc::new(MemoryStore::new());
    let open = || Engine::open(store.clone(), EngineOptions::default());
    let columns = || vec![column("id", int(), false), column("v", int(), true)];
    let mut index = index("v", false, &["v"]);
    let engine = open().unwrap();
    engine.create_database("d").unwrap();
    let keys = vec![NewIndex::primary(&["id"]), index.clone()];
    engine.create_table(NewTable::new("d", "t", columns(), keys)).unwrap();
    drop(engine);
    // As the version before this one leaves it.
    let earlier = Change::put(vec![0, 0, 0, 0, 1], vec![15, 0, 0, 0]);
    store.write(&Batch { changes: vec![earlier] }, Durability::Os).unwrap();
    let engine = open().unwrap();
    assert!(!engine.catalog().table("d", "t").unwrap().indexes[1].parts[0].descending);
    index.parts[0].descending = true;
    let keys = vec![NewIndex::primary(&["id"]), index];
    engine.create_table(NewTable::new("d", "u", columns(), keys)).unwrap();
    let mut format = Vec::new();
    assert!(engine.latest().get(&[0, 0, 0, 0, 1], Reach::Disk, &mut format).unwrap());
    assert_eq!(format, [16, 0, 0, 0]);
    drop(engine);
    let engine = open().unwrap();
    assert!(engine.catalog().table("d", "u").unwrap().indexes[1].parts[0].descending);
}

#[test]
fn old_tables_keep_their_collation_and_another_character_set_is_of_a_format_of_its_own() {
    let store = Arc::new(MemoryStore::new());
    let open = || Engine::open(store.clone(), EngineOptions::default());
    let text = |collation| {
        let name = ColumnType::VarChar { chars: 9, collation };
        vec![column("id", int(), false), column("v", name, true)]
    };
    let keys = || vec![NewIndex::primary(&["id"]), index("v", true, &["v"])];
    let engine = open().unwrap();
    engine.create_database("d").unwrap();
    // What an earlier version kept of latin1_swedish_ci.
    let old = text(Collation::Utf8Mb4GeneralCi);
    engine.create_table(NewTable::new("d", "t", old, keys())).unwrap();
    drop(engine);
    let earlier = Change::put(vec![0, 0, 0, 0, 1], vec![22, 0, 0, 0]);
    store.write(&Batch { changes: vec![earlier] }, Durability::Os).unwrap();
    let engine = open().unwrap();
    let kept = engine.catalog().table("d", "t").unwrap();
    assert_eq!(kept.columns[1].ty.collation(), Some(Collation::Utf8Mb4GeneralCi));
    let swedish = Collation::from_name("latin1_swedish_ci").unwrap();
    engine.create_table(NewTable::new("d", "u", text(swedish), keys())).unwrap();
    let mut format = Vec::new();
    assert!(engine.latest().get(&[0, 0, 0, 0, 1], Reach::Disk, &mut format).unwrap());
    assert_eq!(format, [23, 0, 0, 0]);
    drop(engine);
    let engine = open().unwrap();
    let kept = engine.catalog().table("d", "u").unwrap();
    assert_eq!(kept.columns[1].ty.collation(), Some(swedish));
}

/// Ended once it is asked for the so manieth time.
struct EndedAtQuestion {
    asked: AtomicUsize,
    at: usize,
}

impl Interrupt for EndedAtQuestion {
    fn is_wanted(&self) -> bool {
        self.asked.fetch_add(1, Ordering::SeqCst) >= self.at
    }
}

/// Rules, unless what the thread works on is to end: as a parser does.
fn rules_unless_ended(_: &TableDefinition) -> expression::Result<Rules> {
    match is_wanted() {
        true => Err(expression::Error::new(ErrorCode::QueryInterrupted, "interrupted")),
        false => Ok(Rules::default()),
    }
}

#[test]
fn an_alter_that_is_ended_when_it_has_taken_place_left_a_table_that_nobody_could_write_to() {
    let (mut refused, mut done) = (0, 0);
    for at in 0.. {
        let options = EngineOptions { make_rules: rules_unless_ended, ..EngineOptions::default() };
        let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
        engine.create_database("d").unwrap();
        with_rows(&engine);
        let mut added = column("n", int(), true);
        added.default = DefaultValue::Expression("1 + 1".to_owned());
        let add = Alteration::AddColumn { column: added, place: ColumnPlace::Keep, now: None };
        let ended = Arc::new(EndedAtQuestion { asked: AtomicUsize::new(0), at });
        let outcome = {
            let _working = working(Arc::clone(&ended) as Arc<dyn Interrupt>);
            engine.alter_table("d", "t", vec![add], &engine.patience())
        };
        let table = now(&engine);
        assert_eq!(table.column("n").is_some(), outcome.is_ok(), "ended at question {at}");
        assert!(table.rules().is_ok(), "ended at question {at}");
        match outcome {
            Ok(_) => done += 1,
            Err(_) => refused += 1,
        }
        if ended.asked.load(Ordering::SeqCst) <= at {
            break;
        }
    }
    assert!(refused > 0 && done > 0, "{refused} refused, {done} done");
}
