//! New indexes while clients write: they have exactly what the rows have, or are not there at all.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use resources::spill::SpillDirectory;
use resources::waiting::{self, WaitMark, Waiting};

use crate::common::*;
use rows::alter::ConversionRules;
use rows::bulk::{BulkLoad, OnDuplicate, Progress, Stage};
use rows::memory::MemoryStore;
use rows::store::{Cursor, Direction, Durability, KeyRange, LockWait, Reach, Read};
use rows::table::Patience;
use rows::{
    AlterOutcome, Alteration, ColumnPlace, Engine, EngineOptions, Error, Flow, Result, RowChange,
    Table,
};
use values::types::IntWidth;
use values::{ColumnType, Datum, Value};

const ROWS: i64 = 40_000;

/// `t` of `users` with so many rows: names are shared, mails are not.
fn filled(engine: &Arc<Engine>) -> Arc<Table> {
    let t = users(engine);
    let mut tx = begin(engine);
    for id in 0..ROWS {
        let (name, mail) = (format!("n{}", id % 100), format!("m{id}"));
        tx.insert(&t, &user(id, &name, &mail)).unwrap();
    }
    commit(tx);
    t
}

fn now(engine: &Engine) -> Arc<Table> {
    engine.catalog().table("d", "t").unwrap()
}

fn add(engine: &Engine, unique: bool, columns: &[&str]) -> Result<AlterOutcome> {
    let add = Alteration::AddIndex(index("new", unique, columns));
    engine.alter_table("d", "t", vec![add], &engine.patience())
}

/// Adds an index, and at the `time`th question whether to go on does something first, which says
/// whether that is to end.
fn add_between(
    engine: &Arc<Engine>,
    unique: bool,
    columns: &[&str],
    time: usize,
    act: impl Fn() -> bool + Send + Sync + 'static,
) -> Result<AlterOutcome> {
    between(time, act, || add(engine, unique, columns))
}

fn change(engine: &Arc<Engine>, id: i64, change: RowChange) {
    let t = now(engine);
    let mut tx = begin(engine);
    let key = t.row_key(&[Datum::Int(id)]).unwrap();
    tx.change_row::<Error>(&t, &key, &mut |_| Ok(change.clone())).unwrap();
    commit(tx);
}

/// Until a change of a definition waits for writers to leave.
fn await_waiting(altering: &WaitMark) {
    while altering.current() != Some(Waiting::MetadataLock) {
        thread::yield_now();
    }
}

fn text_of(value: &str) -> Value {
    Value::Bytes(value.as_bytes().to_vec())
}

#[test]
fn what_changes_while_an_index_is_made_is_in_it() {
    for unique in [false, true] {
        let engine = engine();
        filled(&engine);
        let of_act = Arc::clone(&engine);
        let act = move || {
            let engine = &of_act;
            let t = now(engine);
            let mut tx = begin(engine);
            tx.insert(&t, &user(-1, "first", "before all")).unwrap();
            tx.insert(&t, &user(ROWS, "last", "NULL")).unwrap();
            commit(tx);
            change(engine, 5, RowChange::Delete);
            change(engine, 6, RowChange::Set(vec![(2, text_of("another"))]));
            // Keys that are handed on from row to row.
            change(engine, 7, RowChange::Set(vec![(2, text_of("aside"))]));
            change(engine, 8, RowChange::Set(vec![(2, text_of("m7"))]));
            change(engine, 7, RowChange::Set(vec![(2, text_of("m8"))]));
            // A row that moves, and one that comes and goes.
            change(engine, 9, RowChange::Set(vec![(0, Value::Int(-9))]));
            let mut tx = begin(engine);
            tx.insert(&t, &user(-2, "short", "lived")).unwrap();
            commit(tx);
            change(engine, -2, RowChange::Delete);
            // What is rolled back is none.
            let mut tx = begin(engine);
            tx.insert(&t, &user(-3, "never", "there")).unwrap();
            drop(tx);
            false
        };
        add_between(&engine, unique, &["mail", "id"], 3, act).unwrap();
        assert_sound(&engine);
        let altered = now(&engine);
        let rows = rows_by(&engine, &altered, 3);
        assert_eq!(rows.len() as i64, ROWS + 1);
        assert!(rows.contains(&"7 n7 m8".to_owned()) && rows.contains(&"-9 n9 m9".to_owned()));
    }
}

#[test]
fn what_a_transaction_has_changed_before_rounds_that_do_not_show_it_is_in_the_index() {
    /// More changes than are left to the last round.
    const MANY: i64 = 2_000;
    let engine = engine();
    filled(&engine);
    let open = Arc::new(Mutex::new(None));
    let (of_act, of_commit) = (Arc::clone(&engine), Arc::clone(&open));
    let committing = Arc::new(Mutex::new(None));
    let of_thread = Arc::clone(&committing);
    let altering = Arc::new(WaitMark::default());
    let _telling = waiting::tell(&altering);
    let act = move || {
        let engine = &of_act;
        let t = now(engine);
        let mut tx = begin(engine);
        tx.insert(&t, &user(-1, "early", "early")).unwrap();
        *of_commit.lock().unwrap() = Some(tx);
        (0..MANY).for_each(|id| {
            change(engine, id, RowChange::Set(vec![(2, text_of(&format!("again {id}")))]));
        });
        let (open, altering) = (Arc::clone(&of_commit), Arc::clone(&altering));
        let late = thread::spawn(move || {
            // The last round waits for it.
            await_waiting(&altering);
            commit(open.lock().unwrap().take().unwrap());
        });
        *of_thread.lock().unwrap() = Some(late);
        false
    };
    add_between(&engine, false, &["mail"], 3, act).unwrap();
    committing.lock().unwrap().take().unwrap().join().unwrap();
    assert_sound(&engine);
    assert_eq!(rows_by(&engine, &now(&engine), 3).len() as i64, ROWS + 1);
}

#[test]
fn a_writer_that_breaks_a_new_unique_key_ends_the_alter_and_not_itself() {
    let engine = engine();
    filled(&engine);
    // Names are shared, but none by two rows once all are made their own.
    let mut tx = begin(&engine);
    let t = now(&engine);
    for id in 0..ROWS {
        let key = t.row_key(&[Datum::Int(id)]).unwrap();
        let set = RowChange::Set(vec![(1, text_of(&format!("n{id}")))]);
        tx.change_row::<Error>(&t, &key, &mut |_| Ok(set.clone())).unwrap();
    }
    commit(tx);
    let of_act = Arc::clone(&engine);
    let shared = add_between(&engine, true, &["name"], 3, move || {
        change(&of_act, 100, RowChange::Set(vec![(1, text_of("n200"))]));
        false
    });
    let Error::Duplicate { index: of, entry, .. } = shared.unwrap_err() else {
        panic!("another error")
    };
    assert_eq!((&*of, &*entry), ("new", "n200"));
    assert_eq!(now(&engine).indexes.len(), 3);
    assert_sound(&engine);
    assert!(nothing_is_left(&engine));
    // Two new rows that share one, and one of them goes again: nothing is shared at the end.
    change(&engine, 100, RowChange::Set(vec![(1, text_of("n100"))]));
    let of_act = Arc::clone(&engine);
    add_between(&engine, true, &["name"], 3, move || {
        change(&of_act, 1, RowChange::Set(vec![(1, text_of("n2"))]));
        change(&of_act, 1, RowChange::Delete);
        false
    })
    .unwrap();
    assert_sound(&engine);
}

/// Whether there are only keys of the indexes that the definition names, and the count of rows.
fn nothing_is_left(engine: &Engine) -> bool {
    let t = now(engine);
    let mut cursor =
        engine.latest().scan(&t.full_range(), Direction::Forward, Reach::Disk).unwrap();
    while cursor.advance().unwrap() {
        let index = u16::from_be_bytes(cursor.key()[4..6].try_into().unwrap());
        if index != u16::MAX && !t.indexes.iter().any(|known| known.id == index) {
            return false;
        }
    }
    true
}

#[test]
fn what_is_given_up_leaves_nothing_and_writers_go_on() {
    let engine = engine();
    filled(&engine);
    for time in [0, 20, 38] {
        let of_act = Arc::clone(&engine);
        let ended = add_between(&engine, false, &["name"], time, move || {
            change(&of_act, 3, RowChange::Set(vec![(1, text_of(&format!("at {time}")))]));
            true
        });
        assert!(matches!(ended, Err(Error::LockTimeout)), "{ended:?}");
        assert!(nothing_is_left(&engine));
        assert_eq!(now(&engine).indexes.len(), 3);
    }
    add(&engine, false, &["name"]).unwrap();
    assert!(nothing_is_left(&engine));
    assert_sound(&engine);
}

#[test]
fn a_transaction_that_is_open_when_the_index_is_ready_loses_no_entry() {
    let engine = engine();
    let t = filled(&engine);
    let open = Arc::new(parking_lot::Mutex::new(None));
    let (of_act, of_table, kept) = (Arc::clone(&engine), Arc::clone(&t), Arc::clone(&open));
    let altering = Arc::new(WaitMark::default());
    let _telling = waiting::tell(&altering);
    let closer = {
        let open = Arc::clone(&open);
        thread::spawn(move || {
            await_waiting(&altering);
            commit(open.lock().take().unwrap());
        })
    };
    add_between(&engine, true, &["name", "id"], 3, move || {
        let mut tx = begin(&of_act);
        tx.insert(&of_table, &user(-1, "open", "for long")).unwrap();
        *kept.lock() = Some(tx);
        false
    })
    .unwrap();
    closer.join().unwrap();
    assert_eq!(rows_by(&engine, &now(&engine), 3).len() as i64, ROWS + 1);
    assert_sound(&engine);
    // One that does not end in time ends the change instead.
    let t = now(&engine);
    let mut tx = begin(&engine);
    tx.insert(&t, &user(-2, "open", "for longer")).unwrap();
    let soon = Patience::at_most(Duration::from_millis(20));
    let more = Alteration::AddIndex(index("more", false, &["name"]));
    let refused = engine.alter_table("d", "t", vec![more], &soon);
    assert!(matches!(refused, Err(Error::LockTimeout)));
    commit(tx);
    assert_sound(&engine);
}

#[test]
fn only_one_change_of_a_definition_is_under_way_and_no_load_goes_past_it() {
    let directory = tempfile::tempdir().unwrap();
    let spill = Some(SpillDirectory::open(directory.path()).unwrap());
    let options = EngineOptions { spill, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    filled(&engine);
    let load = |engine: &Arc<Engine>| {
        BulkLoad::begin(begin(engine), &now(engine), OnDuplicate::Error).unwrap()
    };
    assert!(load(&engine).is_some());
    let of_act = Arc::clone(&engine);
    add_between(&engine, false, &["name"], 3, move || {
        let soon = Patience::at_most(Duration::from_millis(5));
        let more = Alteration::AddIndex(index("more", false, &["name"]));
        let refused = of_act.alter_table("d", "t", vec![more], &soon);
        assert!(matches!(refused, Err(Error::LockTimeout)));
        assert!(matches!(of_act.drop_table("d", "t", &soon), Err(Error::LockTimeout)));
        assert!(matches!(
            of_act.truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &soon),
            Err(Error::LockTimeout)
        ));
        // A caller that only wants it to stand still for a while may have that.
        drop(of_act.lock_all_for_reading(&soon).unwrap());
        assert!(load(&of_act).is_none());
        false
    })
    .unwrap();
    assert_sound(&engine);
}

#[test]
fn a_snapshot_from_before_the_index_is_no_longer_read_through_it_as_if_it_were_empty() {
    let engine = engine();
    filled(&engine);
    let before = engine.store().snapshot().unwrap();
    add(&engine, false, &["name"]).unwrap();
    let t = now(&engine);
    let range = t.prefix_range(3, &[word("n7")]).unwrap();
    let count = |view: &dyn Read| {
        let mut rows = 0;
        let (direction, reach) = (Direction::Forward, Reach::Disk);
        engine.find(view, &t, 3, &range, direction, reach, &mut |_| {
            rows += 1;
            Ok(Flow::Continue)
        })?;
        Ok::<_, Error>(rows)
    };
    assert!(matches!(count(&*before), Err(Error::SchemaChanged)));
    assert_eq!(count(&*engine.store().snapshot().unwrap()).unwrap(), ROWS / 100);
}

#[test]
fn marks_of_indexes_that_never_came_to_be_are_removed_at_the_next_start() {
    let store = MemoryStore::new();
    let engine = engine_on(store.clone());
    filled(&engine);
    let of_act = Arc::clone(&engine);
    let copy = Arc::new(parking_lot::Mutex::new(None));
    let kept = Arc::clone(&copy);
    let of_store = store.clone();
    add_between(&engine, false, &["name"], 38, move || {
        change(&of_act, 3, RowChange::Delete);
        // As the end of the process would leave it.
        *kept.lock() = Some(copied(&of_store));
        false
    })
    .unwrap();
    let copy = copy.lock().take().unwrap();
    let again = Engine::open(Arc::new(copy), EngineOptions::default()).unwrap();
    assert_eq!(now(&again).indexes.len(), 3);
    assert!(nothing_is_left(&again));
    assert_sound(&again);
    add(&again, false, &["name"]).unwrap();
    assert_sound(&again);
}

#[test]
fn a_writer_that_may_not_wait_is_told_so_only_while_the_gate_is_closed() {
    let engine = engine();
    filled(&engine);
    let of_act = Arc::clone(&engine);
    add_between(&engine, false, &["name"], 3, move || {
        let t = now(&of_act);
        let mut tx = of_act.begin(LockWait::Never).unwrap();
        tx.insert(&t, &user(-1, "in", "a loop")).unwrap();
        tx.commit(Durability::Os).unwrap();
        false
    })
    .unwrap();
    assert_sound(&engine);
}

#[test]
fn changes_of_other_columns_are_not_followed() {
    let engine = engine();
    filled(&engine);
    let of_act = Arc::clone(&engine);
    let progress = Progress::default();
    let add = Alteration::AddIndex(index("new", false, &["name"]));
    between(
        20,
        move || {
            change(&of_act, 5, RowChange::Set(vec![(2, text_of("another"))]));
            change(&of_act, 6, RowChange::Set(vec![(1, text_of("noted"))]));
            false
        },
        || {
            let (zone, mode) = (values::temporal::Zone::UTC, values::SqlMode::default());
            let rules = ConversionRules {
                zone,
                mode,
                now: 0,
                foreign_key_checks: rows::foreign_key::ForeignKeyChecks::On,
            };
            engine.alter_table_showing("d", "t", vec![add], (&engine.patience(), rules), &progress)
        },
    )
    .unwrap();
    assert_eq!(progress.now(), (Stage::CatchingUp, 1, None));
    assert_sound(&engine);
}

/// A view in which something happens just before the first cursor or look-up.
struct Meanwhile<'a, F> {
    view: &'a dyn Read,
    act: Mutex<Option<F>>,
}

impl<'a, F: FnOnce() + Send> Meanwhile<'a, F> {
    fn of(view: &'a dyn Read, act: F) -> Meanwhile<'a, F> {
        Meanwhile { view, act: Mutex::new(Some(act)) }
    }

    fn act(&self) {
        if let Some(act) = self.act.lock().unwrap().take() {
            act();
        }
    }
}

impl<F: FnOnce() + Send> Read for Meanwhile<'_, F> {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.act();
        self.view.get(key, reach, value)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        self.act();
        self.view.scan(range, direction, reach)
    }
}

#[test]
fn who_looks_for_rows_of_what_goes_meanwhile_is_told_rather_than_shown_none() {
    type Act<'a> = &'a (dyn Fn(&Engine) + Sync);
    let alter = |engine: &Engine, alteration| {
        engine.alter_table("d", "t", vec![alteration], &engine.patience()).map(drop).unwrap();
    };
    let drop_index: Act = &|engine| alter(engine, Alteration::DropIndex("name".into()));
    let copy: Act = &|engine| {
        let wide = ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
        let column = column("id", wide, false);
        let name = "id".into();
        alter(engine, Alteration::ModifyColumn { name, column, place: ColumnPlace::Keep });
    };
    let truncate: Act = &|engine| {
        engine
            .truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &engine.patience())
            .unwrap()
    };
    for (act, index) in [(drop_index, 1), (copy, 0), (copy, 1), (truncate, 0), (truncate, 1)] {
        let engine = engine();
        let t = users(&engine);
        let mut tx = begin(&engine);
        for id in 0..100 {
            tx.insert(&t, &user(id, "n", &format!("m{id}"))).unwrap();
        }
        commit(tx);
        let find = |range: &KeyRange, act: Act<'_>| {
            let view = Meanwhile::of(engine.latest(), || act(&engine));
            let mut found = 0;
            let (forward, disk) = (Direction::Forward, Reach::Disk);
            let ended = engine.find(&view, &t, index, range, forward, disk, &mut |_| {
                found += 1;
                Ok(Flow::Continue)
            });
            ended.map(|()| found)
        };
        let all = t.index_range(index);
        assert_eq!(find(&all, &|_| ()).unwrap(), 100);
        let found = find(&all, act);
        assert!(matches!(found, Ok(100) | Err(Error::SchemaChanged)), "{found:?}");
    }
}

#[test]
fn who_reads_a_state_by_the_version_that_it_is_of_goes_on_while_other_indexes_come_and_go() {
    let engine = engine();
    let t = filled(&engine);
    let before = engine.store().snapshot().unwrap();
    let count = |view: &dyn Read, index: usize| {
        let mut rows = 0;
        let (direction, reach) = (Direction::Forward, Reach::Disk);
        let range = t.index_range(index);
        engine.find(view, &t, index, &range, direction, reach, &mut |_| {
            rows += 1;
            Ok(Flow::Continue)
        })?;
        Ok::<_, Error>(rows)
    };
    let alter = |alteration| {
        engine.alter_table("d", "t", vec![alteration], &engine.patience()).unwrap();
    };
    let name_of = |index: usize| t.indexes[index].name.clone();
    let is_told = |found: Result<i64>| matches!(found, Err(Error::SchemaChanged));
    add(&engine, false, &["name"]).unwrap();
    change(&engine, 7, RowChange::Delete);
    assert_eq!([0, 1, 2].map(|index| count(&*before, index).unwrap()), [ROWS; 3]);
    assert_eq!(engine.count_all(&*before, &t, 1).unwrap(), ROWS as u64);
    let names = [(("d", "t"), ("d", "u")), (("d", "u"), ("d", "t"))];
    engine.rename_tables(&names[..1], &engine.patience()).unwrap();
    engine.rename_tables(&names[1..], &engine.patience()).unwrap();
    alter(Alteration::DropColumn("mail".into()));
    // With the column its index went, or is another one.
    assert_eq!([0, 1].map(|index| count(&*before, index).unwrap()), [ROWS; 2]);
    assert!(is_told(count(&*before, 2)), "{}", name_of(2));
    alter(Alteration::DropIndex(name_of(1)));
    assert!(is_told(count(&*before, 1)));
    assert!(engine.count_all(&*before, &t, 1).is_err());
    assert_eq!(count(&*before, 0).unwrap(), ROWS);
    // Rows of now are those of another version.
    assert!(is_told(count(engine.latest(), 0)));
    assert!(is_told(count(&*engine.store().snapshot().unwrap(), 0)));
    engine
        .truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &engine.patience())
        .unwrap();
    assert!(is_told(count(&*before, 0)));
}

#[test]
fn a_state_of_a_table_that_is_dropped_or_copied_is_not_read_on() {
    for is_copied in [false, true] {
        let engine = engine();
        let t = filled(&engine);
        let before = engine.store().snapshot().unwrap();
        let count = || engine.count_all(&*before, &t, 0);
        add(&engine, false, &["name"]).unwrap();
        assert_eq!(count().unwrap(), ROWS as u64);
        match is_copied {
            false => engine.drop_table("d", "t", &engine.patience()).unwrap(),
            true => {
                let wide =
                    ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
                let (name, column) = ("id".to_owned(), column("id", wide, false));
                let copy = Alteration::ModifyColumn { name, column, place: ColumnPlace::Keep };
                engine.alter_table("d", "t", vec![copy], &engine.patience()).unwrap();
            }
        }
        assert!(matches!(count(), Err(Error::SchemaChanged)));
    }
}
