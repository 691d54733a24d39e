//! Copies of tables while clients write: they have exactly what the rows have, or the table stays
//! as it is.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use resources::clock::{Clock, SetClock};
use resources::spill::SpillDirectory;

use crate::common::*;
use parking_lot::Mutex;
use rows::bulk::{BulkLoad, OnDuplicate};
use rows::memory::MemoryStore;
use rows::schema::Retention;
use rows::store::{Direction, Durability, KeyRange, LockWait, Reach, Read};
use rows::sweep::Sweeper;
use rows::table::Patience;
use rows::{
    AlterOutcome, Alteration, ColumnPlace, Engine, EngineOptions, Error, Flow, NewTable, Result,
    RowChange, Table, Wait,
};
use values::types::IntWidth;
use values::{ColumnType, Datum, Value};

const ROWS: i64 = 20_000;

/// While rows are read, and while they are written.
const TIMES: [usize; 2] = [3, 40];

/// `t` of `users` with so many rows, of which no two share anything; with a primary key or without.
fn filled(engine: &Arc<Engine>, has_key: bool) -> Arc<Table> {
    let t = match has_key {
        true => users(engine),
        false => {
            let columns = vec![
                column("id", int(), false),
                column("name", text(20), true),
                column("mail", text(20), true),
            ];
            let indexes = vec![index("name", false, &["name"]), index("mail", true, &["mail"])];
            table(engine, "t", columns, indexes)
        }
    };
    let mut tx = begin(engine);
    for id in 0..ROWS {
        let (name, mail) = (format!("n{id}"), format!("m{id}"));
        tx.insert(&t, &user(id, &name, &mail)).unwrap();
    }
    commit(tx);
    t
}

fn now(engine: &Engine) -> Arc<Table> {
    engine.catalog().table("d", "t").unwrap()
}

fn alter(engine: &Engine, alterations: Vec<Alteration>) -> Result<AlterOutcome> {
    engine.alter_table("d", "t", alterations, &engine.patience())
}

fn modify(name: &str, ty: ColumnType, nullable: bool) -> Alteration {
    let column = column(name, ty, nullable);
    Alteration::ModifyColumn { name: name.into(), column, place: ColumnPlace::Keep }
}

fn big() -> ColumnType {
    ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false }
}

/// All rows with their keys and versions.
fn stored(engine: &Engine) -> Vec<(Vec<u8>, u64, Vec<Value>)> {
    let (t, mut out) = (now(engine), Vec::new());
    let (range, view) = (t.index_range(0), engine.latest());
    let visit = &mut |found: rows::FoundRow<'_>| {
        let values = found.row.values()?.iter().map(Datum::to_value).collect();
        out.push((found.key.to_vec(), found.row.version(), values));
        Ok(Flow::Continue)
    };
    engine.find(view, &t, 0, &range, Direction::Forward, Reach::Disk, visit).unwrap();
    out
}

/// The keys of the rows, by `id`.
fn keys(engine: &Engine) -> HashMap<i64, Vec<u8>> {
    let id_of = |values: &[Value]| match values[0] {
        Value::Int(id) => id,
        _ => panic!("no id"),
    };
    stored(engine).into_iter().map(|(key, _, values)| (id_of(&values), key)).collect()
}

fn change_at(engine: &Arc<Engine>, key: &[u8], change: &RowChange) {
    let (t, mut tx) = (now(engine), begin(engine));
    tx.change_row::<Error>(&t, key, &mut |_| Ok(change.clone())).unwrap();
    commit(tx);
}

fn change(engine: &Arc<Engine>, id: i64, change: &RowChange) {
    let key = match now(engine).has_hidden_key() {
        true => keys(engine)[&id].clone(),
        false => now(engine).row_key(&[Datum::Int(id)]).unwrap(),
    };
    change_at(engine, &key, change);
}

fn insert(engine: &Arc<Engine>, id: i64, name: &str, mail: &str) {
    let mut tx = begin(engine);
    tx.insert(&now(engine), &user(id, name, mail)).unwrap();
    commit(tx);
}

fn set(column: usize, value: Value) -> RowChange {
    RowChange::Set(vec![(column, value)])
}

fn text_of(value: &str) -> Value {
    Value::Bytes(value.as_bytes().to_vec())
}

/// What writers do: rows come, go, change, hand on their keys, and many are changed again and
/// again.
fn write(engine: &Arc<Engine>) {
    insert(engine, -1, "first", "before all");
    insert(engine, ROWS, "last", "NULL");
    change(engine, 5, &RowChange::Delete);
    change(engine, 6, &set(2, text_of("another")));
    change(engine, 7, &set(2, text_of("aside")));
    change(engine, 8, &set(2, text_of("m7")));
    change(engine, 7, &set(2, text_of("m8")));
    // Rows that move, and two that change places.
    change(engine, 9, &set(0, Value::Int(-9)));
    change(engine, 20, &set(0, Value::Int(-20)));
    change(engine, 21, &set(0, Value::Int(20)));
    change(engine, -20, &set(0, Value::Int(21)));
    // One that comes and goes, and one that goes and comes.
    insert(engine, -2, "short", "lived");
    change(engine, -2, &RowChange::Delete);
    change(engine, 10, &RowChange::Delete);
    insert(engine, 10, "again", "m10");
    // What is rolled back is none.
    let mut tx = begin(engine);
    tx.insert(&now(engine), &user(-3, "never", "there")).unwrap();
    drop(tx);
    // More notes than are read at once, several of each row.
    let keys = keys(engine);
    for turn in 0..3 {
        for id in 1_000..2_000 {
            change_at(engine, &keys[&id], &set(1, text_of(&format!("t{turn} {id}"))));
        }
    }
    for id in 1_000..1_100 {
        change_at(engine, &keys[&id], &RowChange::Delete);
    }
    let fresh = ROWS + 1..ROWS + 1_000;
    for id in fresh.clone() {
        insert(engine, id, &format!("once {id}"), &format!("fresh {id}"));
    }
    let keys = self::keys(engine);
    for id in fresh {
        change_at(engine, &keys[&id], &set(1, text_of(&format!("twice {id}"))));
    }
}

/// Rows as text without columns from one on, sorted.
fn shown(engine: &Engine, columns: usize) -> Vec<String> {
    let line = |values: &[Value]| {
        show(&values.iter().take(columns).map(Value::as_datum).collect::<Vec<_>>())
    };
    let mut rows: Vec<_> = stored(engine).iter().map(|(_, _, values)| line(values)).collect();
    rows.sort();
    rows
}

/// Whether the store has keys of known tables and indexes only, and no note of a dropped one.
fn nothing_is_left(engine: &Engine) -> bool {
    let tables = engine.catalog().all_tables();
    let all = KeyRange::default();
    let mut cursor = engine.latest().scan(&all, Direction::Forward, Reach::Disk).unwrap();
    while cursor.advance().unwrap() {
        let id = u32::from_be_bytes(cursor.key()[..4].try_into().unwrap());
        if id == 0 {
            if cursor.key()[4] == 5 {
                return false;
            }
            continue;
        }
        let index = u16::from_be_bytes(cursor.key()[4..6].try_into().unwrap());
        let is_known = |table: &Arc<Table>| {
            table.id == id
                && (index == u16::MAX || table.indexes.iter().any(|known| known.id == index))
        };
        if !tables.iter().any(is_known) {
            return false;
        }
    }
    true
}

fn assert_whole(engine: &Engine, rows: usize) {
    assert_sound(engine);
    assert!(nothing_is_left(engine));
    assert_eq!(engine.row_count(&now(engine)).unwrap(), Some(rows as u64));
}

/// What copies a table of `users`: whether that has a primary key, and the alterations. What rows
/// are given depends on when they come, and is behind their own columns.
fn copies() -> Vec<(&'static str, bool, Vec<Alteration>)> {
    let numbered = || {
        let mut column = column("n", big(), false);
        column.auto_increment = true;
        Alteration::AddColumn { column, place: ColumnPlace::Keep, now: None }
    };
    let key = |columns: &[&str]| Alteration::AddIndex(index("PRIMARY", true, columns));
    let unique = |columns: &[&str]| Alteration::AddIndex(index("new", true, columns));
    let narrow = || modify("name", text(18), true);
    let no_key = || Alteration::DropPrimaryKey;
    vec![
        ("a column", true, vec![narrow()]),
        ("a column and a unique key", true, vec![narrow(), unique(&["name", "id"])]),
        ("a wider key", true, vec![modify("id", big(), false)]),
        ("a longer key", true, vec![no_key(), key(&["name", "id"])]),
        ("no key", true, vec![no_key()]),
        ("numbers", true, vec![numbered(), unique(&["n"])]),
        ("numbers as the key", true, vec![no_key(), numbered(), key(&["n"])]),
        ("a column without a key", false, vec![narrow()]),
        ("a first key", false, vec![key(&["id"])]),
        ("numbers as the first key", false, vec![numbered(), key(&["n"])]),
    ]
}

/// Columns of `users`.
const COLUMNS: usize = 3;

#[test]
fn what_changes_while_a_table_is_copied_is_in_the_copy() {
    for (number, (name, has_key, alterations)) in copies().into_iter().enumerate() {
        let model = engine();
        filled(&model, has_key);
        write(&model);
        alter(&model, alterations.clone()).unwrap();
        let expected = shown(&model, COLUMNS);
        let time = TIMES[number % 2];
        let engine = engine();
        filled(&engine, has_key);
        let of_act = Arc::clone(&engine);
        let act = move || {
            write(&of_act);
            false
        };
        let outcome = between(time, act, || alter(&engine, alterations.clone())).unwrap();
        assert!(shown(&engine, COLUMNS) == expected, "{name} at {time}");
        assert_eq!(outcome.rows_copied as usize, expected.len(), "{name} at {time}");
        assert_whole(&engine, expected.len());
        // What rows were given is theirs alone.
        let mut given: Vec<String> = shown(&engine, usize::MAX);
        given.iter_mut().for_each(|row| *row = row.split(' ').next_back().unwrap().to_owned());
        given.sort();
        given.dedup();
        assert!(now(&engine).columns.len() == COLUMNS || given.len() == expected.len());
    }
}

#[test]
fn rows_that_writers_leave_alone_keep_their_version_and_those_they_change_what_they_were_given() {
    let engine = engine();
    filled(&engine, true);
    let before: Vec<u64> = stored(&engine).iter().map(|row| row.1).collect();
    alter(&engine, vec![modify("id", big(), false)]).unwrap();
    assert_eq!(stored(&engine).iter().map(|row| row.1).collect::<Vec<_>>(), before);
    // In the order of the keys, whatever is changed meanwhile.
    let of_act = Arc::clone(&engine);
    let act = move || {
        change(&of_act, 17, &set(1, text_of("changed")));
        false
    };
    let mut n = column("n", big(), false);
    n.auto_increment = true;
    let add = Alteration::AddColumn { column: n, place: ColumnPlace::Keep, now: None };
    let by_n = Alteration::AddIndex(index("n", true, &["n"]));
    between(TIMES[1], act, || alter(&engine, vec![add, by_n])).unwrap();
    let rows = rows_by(&engine, &now(&engine), 3);
    assert_eq!(rows.len() as i64, ROWS);
    assert_eq!((&*rows[16], &*rows[17]), ("16 n16 m16 17", "17 changed m17 18"));
}

/// Whether rows share the name `n200` in an index.
fn is_shared(error: &Error, of: &str) -> bool {
    let Error::Duplicate { index, entry, .. } = error else { return false };
    (&**index, &**entry) == (of, "n200")
}

#[test]
fn a_writer_whose_row_does_not_fit_the_copy_ends_the_alter_and_not_itself() {
    type Case = (Vec<Alteration>, RowChange, fn(&Error) -> bool);
    let by_name = Alteration::AddIndex(index("PRIMARY", true, &["name"]));
    let unique = Alteration::AddIndex(index("new", true, &["name"]));
    let named = |name: &str| set(1, text_of(name));
    let cases: [Case; 4] = [
        (vec![Alteration::DropPrimaryKey, by_name], named("n200"), |error| {
            is_shared(error, "PRIMARY")
        }),
        (vec![modify("mail", text(8), true), unique], named("n200"), |error| {
            is_shared(error, "new")
        }),
        (
            vec![modify("mail", text(8), true)],
            set(2, text_of("longer than that")),
            |error| matches!(error, Error::Value { column, .. } if column == "mail"),
        ),
        (
            vec![modify("mail", text(20), false)],
            set(2, Value::Null),
            |error| matches!(error, Error::NullsKept { column } if column == "mail"),
        ),
    ];
    for (alterations, written, is_it) in cases {
        for time in TIMES {
            let engine = engine();
            filled(&engine, true);
            let (of_act, of_write) = (Arc::clone(&engine), written.clone());
            let act = move || {
                change(&of_act, 100, &of_write);
                false
            };
            let ended = between(time, act, || alter(&engine, alterations.clone())).unwrap_err();
            assert!(is_it(&ended), "{ended:?}");
            assert_eq!((now(&engine).indexes.len(), now(&engine).version), (3, 1));
            assert_whole(&engine, ROWS as usize);
            // Once the row is another again, or gone, nothing is in the way.
            let of_act = Arc::clone(&engine);
            let act = move || {
                change(&of_act, 100, &RowChange::Delete);
                false
            };
            change(&engine, 100, &set(2, text_of("m100")));
            change(&engine, 100, &set(1, text_of("n100")));
            between(time, act, || alter(&engine, alterations.clone())).unwrap();
            assert_whole(&engine, ROWS as usize - 1);
        }
    }
}

#[test]
fn what_is_given_up_leaves_the_table_as_it_was_and_writers_go_on() {
    for (_, has_key, alterations) in copies().into_iter().step_by(3) {
        let engine = engine();
        filled(&engine, has_key);
        for time in [0, 15, 45] {
            let of_act = Arc::clone(&engine);
            let act = move || {
                change(&of_act, 3, &set(1, text_of(&format!("at {time}"))));
                true
            };
            let ended = between(time, act, || alter(&engine, alterations.clone()));
            assert!(matches!(ended, Err(Error::LockTimeout)), "{ended:?}");
            assert_eq!(now(&engine).version, 1);
            assert_whole(&engine, ROWS as usize);
        }
        alter(&engine, alterations).unwrap();
        assert_whole(&engine, ROWS as usize);
    }
}

#[test]
fn a_copy_that_never_came_to_be_is_removed_at_the_next_start() {
    for (_, has_key, alterations) in copies().into_iter().step_by(3) {
        let store = MemoryStore::new();
        let engine = engine_on(store.clone());
        filled(&engine, has_key);
        for time in [0, 15, 45] {
            let image = Arc::new(Mutex::new(None));
            let (kept, of_act, of_store) = (Arc::clone(&image), Arc::clone(&engine), store.clone());
            let act = move || {
                change(&of_act, 3, &set(1, text_of(&format!("at {time}"))));
                *kept.lock() = Some(copied(&of_store));
                true
            };
            between(time, act, || alter(&engine, alterations.clone())).unwrap_err();
            let image = image.lock().take().unwrap();
            let again = Engine::open(Arc::new(image), EngineOptions::default()).unwrap();
            assert!(shown(&again, COLUMNS) == shown(&engine, COLUMNS));
            assert_eq!(now(&again).version, 1);
            assert_sound(&again);
            assert!(nothing_is_left(&again));
        }
        alter(&engine, alterations).unwrap();
        let again = Engine::open(Arc::new(copied(&store)), EngineOptions::default()).unwrap();
        assert!(shown(&again, 9) == shown(&engine, 9));
        assert_eq!(now(&again).version, 2);
        assert_sound(&again);
    }
}

/// Waits until a change of the table has its gate closed.
fn wait_for_closed_gate(engine: &Arc<Engine>) {
    loop {
        let mut tx = engine.begin(LockWait::Never).unwrap();
        match tx.lock_row(&now(engine), b"no row of it") {
            Ok(()) => thread::yield_now(),
            Err(Error::WouldWait(Wait::Schema)) => return,
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn a_transaction_that_is_open_when_the_copy_is_ready_loses_nothing() {
    let engine = engine();
    let t = filled(&engine, true);
    let open = Arc::new(Mutex::new(None));
    let (of_act, of_table, kept) = (Arc::clone(&engine), Arc::clone(&t), Arc::clone(&open));
    let (of_closer, open) = (Arc::clone(&engine), Arc::clone(&open));
    let (begun, has_begun) = std::sync::mpsc::channel();
    let closer = thread::spawn(move || {
        has_begun.recv().unwrap();
        wait_for_closed_gate(&of_closer);
        let tx: rows::Transaction = open.lock().take().unwrap();
        commit(tx);
    });
    let act = move || {
        let mut tx = begin(&of_act);
        tx.insert(&of_table, &user(-1, "open", "for long")).unwrap();
        let key = of_table.row_key(&[Datum::Int(3)]).unwrap();
        tx.change_row::<Error>(&of_table, &key, &mut |_| Ok(RowChange::Delete)).unwrap();
        *kept.lock() = Some(tx);
        begun.send(()).unwrap();
        false
    };
    between(TIMES[0], act, || alter(&engine, vec![modify("id", big(), false)])).unwrap();
    closer.join().unwrap();
    let rows = rows_by(&engine, &now(&engine), 0);
    assert_eq!((&*rows[0], &*rows[4]), ("-1 open for long", "4 n4 m4"));
    assert_whole(&engine, ROWS as usize);
    // One that holds rows and does not end in time ends the change instead.
    let t = now(&engine);
    let mut tx = begin(&engine);
    tx.lock_row(&t, &t.row_key(&[Datum::Int(4)]).unwrap()).unwrap();
    let soon = Patience::at_most(Duration::from_millis(20));
    let refused = engine.alter_table("d", "t", vec![modify("id", int(), false)], &soon);
    assert!(matches!(refused, Err(Error::LockTimeout)));
    commit(tx);
    assert_whole(&engine, ROWS as usize);
}

#[test]
fn only_one_change_of_a_definition_is_under_way_and_no_load_goes_past_a_copy() {
    let directory = tempfile::tempdir().unwrap();
    let spill = Some(SpillDirectory::open(directory.path()).unwrap());
    let options = EngineOptions { spill, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    filled(&engine, true);
    let load = |engine: &Arc<Engine>| {
        BulkLoad::begin(begin(engine), &now(engine), OnDuplicate::Error).unwrap()
    };
    assert!(load(&engine).is_some());
    let of_act = Arc::clone(&engine);
    let act = move || {
        let soon = Patience::at_most(Duration::from_millis(5));
        let refused = of_act.alter_table("d", "t", vec![modify("name", text(9), true)], &soon);
        assert!(matches!(refused, Err(Error::LockTimeout)));
        assert!(matches!(of_act.drop_table("d", "t", &soon), Err(Error::LockTimeout)));
        assert!(matches!(
            of_act.truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &soon),
            Err(Error::LockTimeout)
        ));
        // A caller that only wants it to stand still for a while may have that.
        drop(of_act.lock_all_for_reading(&soon).unwrap());
        assert!(load(&of_act).is_none());
        // A writer of an event loop, which may not wait.
        let mut tx = of_act.begin(LockWait::Never).unwrap();
        tx.insert(&now(&of_act), &user(-1, "in", "a loop")).unwrap();
        tx.commit(Durability::Os).unwrap();
        false
    };
    between(TIMES[0], act, || alter(&engine, vec![modify("id", big(), false)])).unwrap();
    assert_whole(&engine, ROWS as usize + 1);
    // One behind the other: the second is made of what the first has left.
    let second = {
        let engine = Arc::clone(&engine);
        let (go, gone) = std::sync::mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            gone.recv().unwrap();
            alter(&engine, vec![Alteration::DropPrimaryKey]).unwrap();
        });
        (thread, go)
    };
    let go = second.1;
    let act = move || {
        go.send(()).unwrap();
        false
    };
    between(TIMES[0], act, || alter(&engine, vec![modify("id", int(), false)])).unwrap();
    second.0.join().unwrap();
    assert!(now(&engine).has_hidden_key());
    assert_eq!(now(&engine).columns[0].ty, int());
    assert_whole(&engine, ROWS as usize + 1);
}

#[test]
fn a_name_that_is_taken_meanwhile_ends_the_copy() {
    let engine = engine();
    filled(&engine, true);
    let of_act = Arc::clone(&engine);
    let act = move || {
        table(&of_act, "taken", vec![column("x", int(), true)], vec![]);
        false
    };
    let rename = Alteration::RenameTable { database: "d".into(), name: "taken".into() };
    let ended = between(TIMES[0], act, || alter(&engine, vec![modify("id", big(), false), rename]));
    assert!(matches!(ended, Err(Error::Exists { .. })), "{ended:?}");
    assert_whole(&engine, ROWS as usize);
}

#[test]
fn numbers_of_new_rows_go_on_behind_those_that_came_during_the_copy() {
    let engine = engine();
    let mut id = column("id", int(), false);
    id.auto_increment = true;
    let columns = vec![id.clone(), column("name", text(20), true)];
    let t = table(&engine, "t", columns, vec![index("PRIMARY", true, &["id"])]);
    let mut tx = begin(&engine);
    for _ in 0..ROWS {
        tx.insert(&t, &[Datum::Null, word("n")]).unwrap();
    }
    commit(tx);
    let add = |engine: &Arc<Engine>| {
        let mut tx = begin(engine);
        let inserted = tx.insert(&now(engine), &[Datum::Null, word("n")]).unwrap();
        commit(tx);
        inserted.generated
    };
    let of_act = Arc::clone(&engine);
    let act = move || {
        assert_eq!(add(&of_act), Some(ROWS as u64 + 1));
        false
    };
    between(3, act, || alter(&engine, vec![modify("name", text(10), true)])).unwrap();
    assert_eq!(add(&engine), Some(ROWS as u64 + 2));
    assert_whole(&engine, ROWS as usize + 2);
}

#[test]
fn rows_that_had_expired_are_not_copied_and_those_that_expire_meanwhile_are_gone() {
    const START: u64 = 2_000_000_000;
    let clock = Arc::new(SetClock::at(START * 1_000_000));
    let options = EngineOptions { clock: clock.clone(), ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    let columns = vec![
        column("id", int(), false),
        column("name", text(20), true),
        column("until", int(), true),
    ];
    let indexes = vec![index("PRIMARY", true, &["id"]), index("name", true, &["name"])];
    let retention = Retention { expires_by: Some("until".into()), bytes_max: 0 };
    let new = NewTable { retention, ..NewTable::new("d", "t", columns, indexes) };
    let t = engine.create_table(new).unwrap();
    let mut tx = begin(&engine);
    for id in 0..ROWS {
        // A third has expired, of names too long; a third does so soon.
        let until = [START as i64, START as i64 + 5, 0][(id % 3) as usize];
        let name = if until == START as i64 { format!("a long name {id}") } else { id.to_string() };
        tx.insert(&t, &[Datum::Int(id), word(&name), Datum::Int(until)]).unwrap();
    }
    commit(tx);
    let of_act = Arc::clone(&engine);
    let act = move || {
        clock.set(clock.unix_micros() + 5_000_000);
        let mut tx = begin(&of_act);
        let t = now(&of_act);
        // In the place of one that has expired, by its key, and by its name.
        tx.insert(&t, &[Datum::Int(1), word("back"), Datum::Int(0)]).unwrap();
        tx.insert(&t, &[Datum::Int(-4), word("4"), Datum::Int(0)]).unwrap();
        tx.insert(&t, &[Datum::Int(3), word("three"), Datum::Int(0)]).unwrap();
        commit(tx);
        Sweeper::default().sweep(&of_act, &mut |_, _| ()).unwrap();
        false
    };
    between(TIMES[0], act, || alter(&engine, vec![modify("name", text(8), true)])).unwrap();
    assert_eq!(stored(&engine).len() as i64, ROWS / 3 + 3);
    Sweeper::default().sweep(&engine, &mut |_, _| ()).unwrap();
    assert_whole(&engine, ROWS as usize / 3 + 3);
}

#[test]
fn a_snapshot_from_before_the_copy_is_told_so() {
    let engine = engine();
    filled(&engine, true);
    let before = engine.store().snapshot().unwrap();
    let between_both = Arc::new(Mutex::new(None));
    let (of_act, kept) = (Arc::clone(&engine), Arc::clone(&between_both));
    let act = move || {
        insert(&of_act, -1, "new", "one");
        *kept.lock() = Some(of_act.store().snapshot().unwrap());
        false
    };
    between(TIMES[1], act, || alter(&engine, vec![modify("id", big(), false)])).unwrap();
    let t = now(&engine);
    let count = |view: &dyn Read| {
        let (mut rows, range) = (0, t.index_range(0));
        let (direction, reach) = (Direction::Forward, Reach::Disk);
        engine.find(view, &t, 0, &range, direction, reach, &mut |_| {
            rows += 1;
            Ok(Flow::Continue)
        })?;
        Ok::<_, Error>(rows)
    };
    let meanwhile = between_both.lock().take().unwrap();
    assert!(matches!(count(&*before), Err(Error::SchemaChanged)));
    assert!(matches!(count(&*meanwhile), Err(Error::SchemaChanged)));
    assert_eq!(count(&*engine.store().snapshot().unwrap()).unwrap(), ROWS + 1);
}
