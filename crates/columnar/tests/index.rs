//! Columnar indexes of tables of rows beneath the doors: whatever is written, rolled back, sealed,
//! altered, killed or read at an older state, a query by column gives what the rows are.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::{
    House, Row, begin, by_index, change, columns, create, datums, insert, int, key, open, row,
    rows_of, settle,
};
use columnar::{MoverRole, index_columns_of};
use proptest::prelude::*;
use rows::alter::{Alteration, ColumnPlace};
use rows::bulk::{BulkLoad, OnDuplicate};
use rows::ddl::{NewColumnarIndex, NewIndex, NewTable};
use rows::schema::Column;
use rows::store::{Durability, Read};
use rows::table::Patience;
use rows::{Engine, EngineOptions, Error, RowChange, Table};
use values::{Collation, Datum};

const ANY: usize = usize::MAX;

fn index() -> NewColumnarIndex {
    let columns = ["n", "word"].map(str::to_owned).to_vec();
    NewColumnarIndex { name: Some("ci".into()), columns, comment: String::new() }
}

/// `t` with `PRIMARY KEY (id), KEY (n)`, or one without keys; with a columnar index on `n` and
/// `word` if wanted.
fn make(house: &House, with_keys: bool, with_index: bool) -> Arc<Table> {
    let indexes =
        if with_keys { vec![NewIndex::primary(&["id"]), key("n", false)] } else { vec![] };
    let mut new = NewTable::new("d", "t", columns(), indexes);
    new.columnar_index = with_index.then(index);
    // Without a key, `id` is a column that the index must be told of.
    if let (false, Some(index)) = (with_keys, &mut new.columnar_index) {
        index.columns.push("id".into());
    }
    create(house, new)
}

fn table_of(house: &House) -> Arc<Table> {
    house.engine.catalog().table("d", "t").unwrap()
}

/// All rows by the columnar index, sorted.
fn by_column(house: &House, view: &dyn Read, table: &Table) -> Vec<Row> {
    let columns =
        index_columns_of(view, &house.engine, table, ANY).unwrap().expect("the index is shown");
    let out = rows_of(&columns, table);
    if let Some(known) = columns.rows_known().unwrap() {
        assert_eq!(known, out.len() as u64, "rows that are known");
    }
    out
}

fn by_row(house: &House, view: &dyn Read, table: &Table) -> Vec<Row> {
    let mut rows = by_index(&house.engine, view, table, 0);
    rows.sort();
    rows
}

#[track_caller]
fn assert_same(house: &House, table: &Table) {
    let view = house.engine.store().snapshot().unwrap();
    let (by_column, by_row) = (by_column(house, &*view, table), by_row(house, &*view, table));
    let first = by_column.iter().zip(&by_row).find(|(column, row)| column != row);
    assert_eq!((first, by_column.len()), (None, by_row.len()), "rows by column and by row");
}

fn assert_sound(house: &House) {
    let damages = house.store.check().unwrap();
    assert!(damages.is_empty(), "{:?}", damages.iter().map(|(_, what)| what).collect::<Vec<_>>());
    assert_eq!(house.engine.check(&mut |_| ()).unwrap().damages, Vec::<String>::new());
}

fn alter(house: &House, alterations: Vec<Alteration>) -> rows::Result<()> {
    let patience = Patience::at_most(std::time::Duration::from_secs(10));
    house.engine.alter_table("d", "t", alterations, &patience).map(drop)
}

#[test]
fn rows_are_the_same_by_column_before_and_after_they_are_sealed() {
    let directory = tempfile::tempdir().unwrap();
    for with_keys in [true, false] {
        let house = open(&directory.path().join(with_keys.to_string()));
        let table = make(&house, with_keys, true);
        insert(&house, &table, &(0..5000).map(row).collect::<Vec<_>>());
        assert_same(&house, &table);
        let before = house.engine.store().snapshot().unwrap();
        assert!(settle(&house) >= 5000);
        let view = house.engine.store().snapshot().unwrap();
        let columns = index_columns_of(&*view, &house.engine, &table, ANY).unwrap().unwrap();
        assert_eq!((columns.changed(), columns.rows_known().unwrap()), (0, Some(5000)));
        assert_same(&house, &table);
        assert_sound(&house);
        // An older state has the notes of then.
        let columns = index_columns_of(&*before, &house.engine, &table, ANY).unwrap().unwrap();
        assert_eq!(columns.changed(), 5000);
        assert_eq!(by_column(&house, &*before, &table), by_row(&house, &*before, &table));
    }
}

#[test]
fn changes_of_sealed_rows_are_seen_and_segments_that_lost_many_are_made_anew() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, true);
    insert(&house, &table, &(0..6000).map(row).collect::<Vec<_>>());
    settle(&house);
    let before = house.engine.store().snapshot().unwrap();
    let of_before = by_row(&house, &*before, &table);
    for id in 0..5000 {
        let new = (id % 3 != 0).then(|| (id, Some(-1), Some(format!("new {id}"))));
        change(&house, &table, id, new.as_ref(), true);
    }
    assert_same(&house, &table);
    assert!(settle(&house) >= 5000);
    assert_same(&house, &table);
    assert_sound(&house);
    assert_eq!(by_column(&house, &*before, &table), of_before);
    let view = house.engine.store().snapshot().unwrap();
    let columns = index_columns_of(&*view, &house.engine, &table, ANY).unwrap().unwrap();
    assert_eq!(columns.parts(100, &[]).len(), 2, "the segment of before is gone");
    // A key that was removed may come again, and one may move.
    insert(&house, &table, &[row(3)]);
    change(&house, &table, 4, Some(&(1_000_000, Some(1), None)), true);
    assert_same(&house, &table);
}

#[test]
fn a_change_of_other_columns_is_not_noted_and_one_that_is_rolled_back_neither() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    make(&house, true, false);
    let only_n = NewColumnarIndex { columns: vec!["n".into()], ..index() };
    alter(&house, vec![Alteration::AddColumnarIndex(only_n)]).unwrap();
    let table = table_of(&house);
    insert(&house, &table, &(0..2000).map(row).collect::<Vec<_>>());
    settle(&house);
    let changed = |table: &Table| {
        let view = house.engine.store().snapshot().unwrap();
        index_columns_of(&*view, &house.engine, table, ANY).unwrap().unwrap().changed()
    };
    assert_eq!(changed(&table), 0);
    let (id, n, _) = row(5);
    change(&house, &table, 5, Some(&(id, n, Some("other".into()))), true);
    assert_eq!(changed(&table), 0);
    change(&house, &table, 6, None, false);
    assert_eq!(changed(&table), 0);
    change(&house, &table, 5, Some(&(id, Some(77), None)), true);
    change(&house, &table, 5, Some(&(id, Some(78), None)), true);
    assert_eq!(changed(&table), 1, "a row that is changed twice is read once");
    let view = house.engine.store().snapshot().unwrap();
    assert!(
        index_columns_of(&*view, &house.engine, &table, 1).unwrap().is_none(),
        "two notes are too many"
    );
}

/// Ends the writers, also when what is done beside them panics.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does something while two writers change and remove rows with ids below 20,000.
fn beside_writers(house: &House, work: impl FnOnce()) {
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let ended = &ended;
            scope.spawn(move || {
                let mut id = writer;
                while !ended.load(Ordering::Relaxed) {
                    let new = (id % 5 != 0).then(|| (id, Some(-id), Some(format!("at {id}"))));
                    // The definition changes meanwhile.
                    let table = table_of(house);
                    let key = table.row_key(&[Datum::Int(id)]).unwrap();
                    let mut transaction = begin(&house.engine);
                    let new = new
                        .as_ref()
                        .map(|row| datums(row).iter().map(Datum::to_value).enumerate().collect());
                    let decide = &mut |_: values::RowRef<'_>| {
                        Ok(new.clone().map_or(RowChange::Delete, RowChange::Set))
                    };
                    match transaction.change_row::<Error>(&table, &key, decide) {
                        Ok(_) => transaction.commit(Durability::Os).unwrap(),
                        Err(Error::SchemaChanged) => continue,
                        Err(error) => panic!("{error}"),
                    }
                    id = (id + 2) % 20_000;
                }
            });
        }
        let _ends = Ends(&ended);
        work();
    });
}

#[test]
fn an_index_is_made_beside_writers_and_is_right_in_every_state() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, false);
    insert(&house, &table, &(0..20_000).map(row).collect::<Vec<_>>());
    let old = house.engine.store().snapshot().unwrap();
    beside_writers(&house, || {
        alter(&house, vec![Alteration::AddColumnarIndex(index())]).unwrap();
        let table = table_of(&house);
        for _ in 0..5 {
            assert_same(&house, &table);
            house.store.move_rows(&house.engine).unwrap();
            assert_same(&house, &table);
        }
    });
    let table = table_of(&house);
    settle(&house);
    assert_same(&house, &table);
    assert_sound(&house);
    // A state from before the index shows rows alone.
    assert!(index_columns_of(&*old, &house.engine, &table, ANY).unwrap().is_none());
    assert_eq!(by_row(&house, &*old, &table).len(), 20_000);
}

#[test]
fn a_copy_beside_writers_has_the_index_and_a_state_from_before_it_is_told_so() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, true);
    insert(&house, &table, &(0..20_000).map(row).collect::<Vec<_>>());
    settle(&house);
    let old = house.engine.store().snapshot().unwrap();
    beside_writers(&house, || {
        for chars in [90, 80, 70] {
            let ty = values::ColumnType::VarChar { chars, collation: Collation::Utf8Mb4GeneralCi };
            let column = Column { nullable: true, ..Column::new("word", ty) };
            let (name, place) = ("word".to_owned(), ColumnPlace::Keep);
            alter(&house, vec![Alteration::ModifyColumn { name, column, place }]).unwrap();
            let table = table_of(&house);
            assert_same(&house, &table);
            house.store.move_rows(&house.engine).unwrap();
            assert_same(&house, &table);
        }
    });
    let table = table_of(&house);
    settle(&house);
    assert_same(&house, &table);
    assert_sound(&house);
    let rows = by_row(&house, house.engine.latest(), &table).len() as u64;
    assert_eq!(house.engine.row_count(&table).unwrap(), Some(rows));
    assert!(matches!(
        index_columns_of(&*old, &house.engine, &table, ANY),
        Err(Error::SchemaChanged)
    ));
}

#[test]
fn alters_keep_the_index_copy_it_or_take_it_away() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, true);
    insert(&house, &table, &(0..3000).map(row).collect::<Vec<_>>());
    settle(&house);
    insert(&house, &table, &(3000..3100).map(row).collect::<Vec<_>>());
    // With all rows copied.
    let wider = Column {
        nullable: true,
        ..Column::new(
            "n",
            values::ColumnType::Int {
                width: values::types::IntWidth::Big,
                unsigned: false,
                boolean: false,
            },
        )
    };
    let modify =
        Alteration::ModifyColumn { name: "n".into(), column: wider, place: ColumnPlace::First };
    alter(&house, vec![modify]).unwrap();
    let table = table_of(&house);
    assert!(table.id != 0 && table.columns[0].name == "n");
    let view = house.engine.store().snapshot().unwrap();
    let columns = index_columns_of(&*view, &house.engine, &table, ANY).unwrap().unwrap();
    assert_eq!((columns.changed(), columns.rows_known().unwrap()), (0, Some(3100)));
    assert_sound(&house);
    // By a definition alone.
    let rename =
        |from: &str, to: &str| Alteration::RenameColumn { from: from.into(), to: to.into() };
    alter(&house, vec![rename("n", "m")]).unwrap();
    assert_eq!(table_of(&house).columnar_index.as_ref().unwrap().columns, ["m", "word"]);
    alter(&house, vec![Alteration::DropColumn("m".into())]).unwrap();
    assert_eq!(table_of(&house).columnar_index.as_ref().unwrap().columns, ["word"]);
    assert_sound(&house);
    let patience = Patience::at_most(std::time::Duration::from_secs(10));
    house
        .engine
        .truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &patience)
        .unwrap();
    house.engine.rename_tables(&[(("d", "t"), ("d", "u"))], &patience).unwrap();
    house.engine.rename_tables(&[(("d", "u"), ("d", "t"))], &patience).unwrap();
    let view = house.engine.store().snapshot().unwrap();
    let columns = index_columns_of(&*view, &house.engine, &table_of(&house), ANY).unwrap().unwrap();
    assert_eq!(columns.rows_known().unwrap(), Some(0));
    alter(&house, vec![Alteration::DropIndex("CI".into())]).unwrap();
    let table = table_of(&house);
    assert!(table.columnar_index.is_none());
    // Made again, under another number.
    let again = NewColumnarIndex { columns: vec!["word".into()], ..index() };
    alter(&house, vec![Alteration::AddColumnarIndex(again.clone())]).unwrap();
    let twice = alter(&house, vec![Alteration::AddColumnarIndex(again)]);
    assert!(matches!(twice, Err(Error::Definition { .. })), "{twice:?}");
    house.store.move_rows(&house.engine).unwrap();
    assert_sound(&house);
}

#[test]
fn what_an_index_cannot_have_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    make(&house, true, true);
    let refused = |alteration: Alteration| {
        let altered = alter(&house, vec![alteration]);
        assert!(matches!(altered, Err(Error::Definition { .. })), "{altered:?}");
    };
    refused(Alteration::SetEngine("COLUMNAR".into()));
    refused(Alteration::SetBytesMax(1 << 20));
    refused(Alteration::SetExpiry(Some("n".into())));
    let add = |name: Option<&str>, columns: &[&str]| {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        let index = NewColumnarIndex { name: name.map(str::to_owned), columns, ..index() };
        Alteration::AddColumnarIndex(index)
    };
    alter(&house, vec![Alteration::DropIndex("ci".into())]).unwrap();
    refused(add(None, &["nowhere"]));
    refused(add(None, &["n", "N"]));
    let taken = alter(&house, vec![add(Some("n"), &["n"])]);
    assert!(matches!(taken, Err(Error::Exists { .. })), "{taken:?}");
    assert!(table_of(&house).columnar_index.is_none());
}

#[test]
fn an_index_that_is_given_up_leaves_nothing_and_writers_note_no_more() {
    struct Now;
    impl resources::interrupt::Interrupt for Now {
        fn is_wanted(&self) -> bool {
            true
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, false);
    insert(&house, &table, &(0..5000).map(row).collect::<Vec<_>>());
    {
        let _working = resources::interrupt::working(Arc::new(Now));
        let given_up = alter(&house, vec![Alteration::AddColumnarIndex(index())]);
        assert!(given_up.is_err(), "{given_up:?}");
    }
    let table = table_of(&house);
    assert!(table.columnar_index.is_none());
    insert(&house, &table, &(5000..5010).map(row).collect::<Vec<_>>());
    let behind = |house: &House, table: &Table| {
        let mut range = table.full_range();
        range.start = [&table.id.to_be_bytes()[..], &[0, 3]].concat();
        let mut cursor = house
            .store
            .scan(&range, rows::store::Direction::Forward, rows::store::Reach::Disk)
            .unwrap();
        cursor.advance().unwrap()
    };
    assert!(!behind(&house, &table), "keys of an index that is none");
    alter(&house, vec![Alteration::AddColumnarIndex(index())]).unwrap();
    assert_same(&house, &table_of(&house));
}

#[test]
fn rows_whose_notes_do_not_say_what_they_are_are_looked_up() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, true);
    // Too long for a note, and one that is gone since.
    let long = |id: i64| (id, Some(1), Some("\u{e9}".repeat(100)));
    insert(&house, &table, &(0..1500).map(long).collect::<Vec<_>>());
    insert(&house, &table, &(1500..3000).map(row).collect::<Vec<_>>());
    change(&house, &table, 7, None, true);
    assert_same(&house, &table);
    // Notes of an earlier definition.
    let rename = Alteration::RenameColumn { from: "word".into(), to: "text".into() };
    alter(&house, vec![rename]).unwrap();
    let table = table_of(&house);
    let view = house.engine.store().snapshot().unwrap();
    assert_eq!(
        index_columns_of(&*view, &house.engine, &table, ANY).unwrap().unwrap().changed(),
        3000
    );
    assert_same(&house, &table);
    change(&house, &table, 1600, Some(&long(1600)), true);
    assert_same(&house, &table);
    assert!(settle(&house) >= 2999);
    assert_same(&house, &table);
    assert_sound(&house);
}

/// Loads rows of some numbers in bulk, by two takers in turn.
fn load(house: &House, table: &Arc<Table>, ids: std::ops::Range<i64>) {
    const BLOCK_ROWS: usize = 500;
    let load = BulkLoad::begin(begin(&house.engine), table, OnDuplicate::Error).unwrap();
    let mut load = load.expect("nobody else writes");
    let mut takers = load.takers(2).unwrap();
    let rows: Vec<Row> = ids.map(row).collect();
    for (block, of_block) in rows.chunks(BLOCK_ROWS).enumerate() {
        let taker = &mut takers[block % 2];
        for (number, row) in (block * BLOCK_ROWS + 1..).zip(of_block) {
            taker.add(number as u64, &datums(row)).unwrap();
        }
        assert!(taker.end_block(block as u64).unwrap());
    }
    let parts = takers.into_iter().filter_map(|taker| taker.finish().unwrap()).collect();
    assert_eq!(load.finish(parts, rows.len() as u64, None).unwrap().rows, rows.len() as u64);
}

#[test]
fn a_load_in_bulk_seals_its_rows_at_once() {
    let directory = tempfile::tempdir().unwrap();
    for with_keys in [true, false] {
        let house = open(&directory.path().join(with_keys.to_string()));
        let table = make(&house, with_keys, true);
        let before = house.engine.store().snapshot().unwrap();
        // Few rows, and enough for several files and segments.
        for ids in [0..100, 100..90_000] {
            load(&house, &table, ids.clone());
            let view = house.engine.store().snapshot().unwrap();
            let columns = index_columns_of(&*view, &house.engine, &table, ANY).unwrap().unwrap();
            let rows = Some(ids.end as u64);
            assert_eq!((columns.changed(), columns.rows_known().unwrap()), (0, rows));
            assert_same(&house, &table);
            assert_sound(&house);
        }
        assert_eq!(by_column(&house, &*before, &table), [], "a state of before");
        // A change of loaded rows is noted as one of any others.
        if with_keys {
            change(&house, &table, 7, Some(&(7, Some(-7), None)), true);
            change(&house, &table, 8, None, true);
        }
        insert(&house, &table, &(90_000..93_000).map(row).collect::<Vec<_>>());
        assert_same(&house, &table);
        settle(&house);
        assert_same(&house, &table);
        assert_sound(&house);
    }
}

#[test]
fn a_load_where_rows_were_whose_removal_was_not_sealed_yet_hid_its_own_rows() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, true);
    load(&house, &table, 0..3000);
    for id in 1000..1100 {
        change(&house, &table, id, None, true);
    }
    assert_same(&house, &table);
    // It is not one for files yet.
    let begun = BulkLoad::begin(begin(&house.engine), &table, OnDuplicate::Error).unwrap();
    assert!(begun.is_none());
    insert(&house, &table, &(1000..1050).map(row).collect::<Vec<_>>());
    assert_same(&house, &table);
    insert(&house, &table, &(6000..8000).map(row).collect::<Vec<_>>());
    settle(&house);
    assert_same(&house, &table);
    load(&house, &table, 1050..1100);
    assert_same(&house, &table);
    change(&house, &table, 1050, Some(&(1050, Some(-7), None)), true);
    insert(&house, &table, &(3000..6000).map(row).collect::<Vec<_>>());
    assert_same(&house, &table);
    settle(&house);
    assert_same(&house, &table);
    assert_sound(&house);
}

#[test]
fn what_a_query_has_made_of_notes_serves_the_next_one_through_every_commit_of_the_mover() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, true);
    load(&house, &table, 0..40_000);
    let mut views = Vec::new();
    for round in 0..6i64 {
        // Rows that were changed before, rows that were not, and those that go and come.
        for id in (0..40_000).step_by(3 + round as usize).skip(round as usize) {
            let new = (id, Some(round), None);
            let gone = id % 11 == round;
            change(&house, &table, id, (!gone).then_some(&new), true);
            if gone && id % 2 == 0 {
                insert(&house, &table, &[new]);
            }
        }
        assert_same(&house, &table);
        let view = house.engine.store().snapshot().unwrap();
        let rows = by_row(&house, &*view, &table);
        views.push((view, rows));
        if round % 2 == 1 {
            settle(&house);
        }
        assert_same(&house, &table);
        for (view, rows) in &views {
            assert_eq!(by_column(&house, &**view, &table), *rows, "an older state");
        }
    }
    settle(&house);
    assert_same(&house, &table);
    assert_sound(&house);
}

#[test]
fn more_changes_than_a_thread_behind_others_can_move_piled_up() {
    /// More than are taken at once while there are queries, but twice as many are too much.
    const TAKEN: i64 = 18_000;
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, true);
    assert_same(&house, &table);
    let add = |range: std::ops::Range<i64>| {
        insert(&house, &table, &range.map(row).collect::<Vec<Row>>());
    };
    add(0..TAKEN);
    // What is not too much it moves.
    let round = house.store.move_rows_as(&house.engine, MoverRole::BehindOthers).unwrap();
    assert_eq!((round.rows, round.is_behind), (TAKEN as u64, false));
    add(TAKEN..2 * TAKEN);
    add(2 * TAKEN..3 * TAKEN);
    let round = house.store.move_rows_as(&house.engine, MoverRole::BehindOthers).unwrap();
    assert_eq!((round.rows, round.is_behind), (0, true));
    let round = house.store.move_rows_as(&house.engine, MoverRole::Beside).unwrap();
    assert_eq!((round.rows, round.is_behind), (2 * TAKEN as u64, false));
    assert_same(&house, &table);
    assert_sound(&house);
}

#[test]
fn a_change_that_is_committed_late_is_not_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, true);
    insert(&house, &table, &(0..3000).map(row).collect::<Vec<_>>());
    settle(&house);
    // Its notes are older than all that the mover takes meanwhile.
    let mut late = begin(&house.engine);
    late.insert(&table, &datums(&(-1, Some(1), None))).unwrap();
    for first in [10_000, 20_000, 30_000] {
        insert(&house, &table, &(first..first + 3000).map(row).collect::<Vec<_>>());
        assert!(settle(&house) >= 3000);
        assert_same(&house, &table);
    }
    let before = house.engine.store().snapshot().unwrap();
    late.commit(Durability::Os).unwrap();
    assert_same(&house, &table);
    let view = house.engine.store().snapshot().unwrap();
    assert!(by_column(&house, &*view, &table).contains(&(-1, Some(1), None)));
    drop(view);
    // It is taken with the next ones, and no state has lost what it had.
    for first in [40_000, 50_000] {
        insert(&house, &table, &(first..first + 3000).map(row).collect::<Vec<_>>());
        settle(&house);
        assert_same(&house, &table);
        assert_eq!(by_column(&house, &*before, &table), by_row(&house, &*before, &table));
    }
    let view = house.engine.store().snapshot().unwrap();
    let columns = index_columns_of(&*view, &house.engine, &table, ANY).unwrap().unwrap();
    assert_eq!(columns.changed(), 0);
    assert_sound(&house);
    drop((before, view, columns, house));
    let house = open(directory.path());
    assert_same(&house, &table_of(&house));
    insert(&house, &table_of(&house), &(60_000..63_000).map(row).collect::<Vec<_>>());
    assert_same(&house, &table_of(&house));
    settle(&house);
    assert_sound(&house);
}

#[test]
fn readers_see_exact_states_while_writers_and_the_mover_are_at_it() {
    let directory = tempfile::tempdir().unwrap();
    let house = open(directory.path());
    let table = make(&house, true, true);
    // Every transaction moves one from a row to another, so that the sum stays.
    let rows: Vec<Row> = (0..4000).map(|id| (id, Some(100), None)).collect();
    insert(&house, &table, &rows);
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for writer in 0..4u64 {
            let (house, table, ended) = (&house, &table, &ended);
            scope.spawn(move || {
                let mut seed = writer + 1;
                while !ended.load(Ordering::Relaxed) {
                    let mut next = || {
                        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        (seed >> 33) % 4000
                    };
                    let (a, b) = (next(), next());
                    if a == b {
                        continue;
                    }
                    let mut transaction = begin(&house.engine);
                    for (id, by) in [(a.min(b), 1), (a.max(b), -1)] {
                        let key = table.row_key(&[Datum::Int(id as i64)]).unwrap();
                        transaction
                            .change_row::<Error>(table, &key, &mut |row: values::RowRef<'_>| {
                                let Datum::Int(n) = row.column(1)? else { panic!("no number") };
                                Ok(RowChange::Set(vec![(1, Datum::Int(n + by).to_value())]))
                            })
                            .unwrap();
                    }
                    transaction.commit(Durability::Os).unwrap();
                }
            });
        }
        let mut moved = 0;
        for _ in 0..40 {
            moved += house.store.move_rows(&house.engine).unwrap().rows;
            let view = house.engine.store().snapshot().unwrap();
            let by_column = by_column(&house, &*view, &table);
            assert_eq!(by_column.len(), 4000);
            assert_eq!(by_column.iter().filter_map(|row| row.1).sum::<i64>(), 400_000);
            assert_eq!(by_column, by_row(&house, &*view, &table));
        }
        ended.store(true, Ordering::Relaxed);
        assert!(moved > 0 || settle(&house) > 0);
    });
    settle(&house);
    assert_same(&house, &table);
    assert_sound(&house);
}

#[derive(Clone, Debug)]
enum Step {
    /// Inserts, changes or removes rows from one on; the transaction is rolled back if not
    /// `commits`.
    Write {
        first: i64,
        count: i64,
        kind: u8,
        commits: bool,
    },
    Move,
    Restart,
    /// Keeps a state, to be compared later.
    Snapshot,
    Recreate,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..3000i64, 1..1500i64, 0..4u8, prop::bool::weighted(0.8))
            .prop_map(|(first, count, kind, commits)| Step::Write { first, count, kind, commits }),
        4 => Just(Step::Move),
        1 => Just(Step::Restart),
        2 => Just(Step::Snapshot),
        1 => Just(Step::Recreate),
    ]
}

fn write(house: &House, model: &mut BTreeMap<i64, Row>, step: &Step, salt: i64) {
    let Step::Write { first, count, kind, commits } = *step else { return };
    let table = table_of(house);
    let mut transaction = begin(&house.engine);
    let mut next = model.clone();
    for id in first..first + count {
        let new = match kind {
            0 | 1 => Some((id, Some(salt), Some(format!("{salt} {id}")))),
            // Of no column that the index has but one.
            2 => next.get(&id).map(|row| (id, row.1, (id % 2 == 0).then(|| salt.to_string()))),
            _ => None,
        };
        let key = table.row_key(&[Datum::Int(id)]).unwrap();
        match (next.contains_key(&id), &new) {
            (false, None) => {}
            (false, Some(new)) => drop(transaction.insert(&table, &datums(new)).unwrap()),
            (true, new) => {
                let set: Option<Vec<_>> = new
                    .as_ref()
                    .map(|row| datums(row).iter().map(Datum::to_value).enumerate().collect());
                transaction
                    .change_row::<Error>(&table, &key, &mut |_: values::RowRef<'_>| {
                        Ok(set.clone().map_or(RowChange::Delete, RowChange::Set))
                    })
                    .unwrap();
            }
        }
        match new {
            Some(new) => next.insert(id, new),
            None => next.remove(&id),
        };
    }
    if commits {
        transaction.commit(Durability::Os).unwrap();
        *model = next;
    }
}

fn run(directory: &Path, steps: &[Step]) {
    let mut house = Some(open(directory));
    make(house.as_ref().unwrap(), true, true);
    let mut model = BTreeMap::new();
    let mut kept: Vec<(Arc<dyn Read>, Vec<Row>)> = Vec::new();
    for (salt, step) in (0..).zip(steps) {
        let now = house.as_ref().unwrap();
        match step {
            Step::Write { .. } => write(now, &mut model, step, salt),
            Step::Move => drop(now.store.move_rows(&now.engine).unwrap()),
            Step::Snapshot => {
                let rows = model.values().cloned().collect();
                kept.push((now.engine.store().snapshot().unwrap(), rows));
            }
            Step::Restart => {
                kept.clear();
                drop(house.take());
                house = Some(open(directory));
            }
            Step::Recreate => {
                kept.clear();
                alter(now, vec![Alteration::DropIndex("ci".into())]).unwrap();
                alter(now, vec![Alteration::AddColumnarIndex(index())]).unwrap();
            }
        }
        let now = house.as_ref().unwrap();
        let table = table_of(now);
        let view = now.engine.store().snapshot().unwrap();
        let expected: Vec<Row> = model.values().cloned().collect();
        assert_eq!(by_column(now, &*view, &table), expected, "after {step:?}");
        for (view, rows) in &kept {
            assert_eq!(by_column(now, &**view, &table), *rows, "an older state, after {step:?}");
        }
    }
    let house = house.unwrap();
    let rows: Vec<Row> = model.values().cloned().collect();
    assert_eq!(by_row(&house, house.engine.latest(), &table_of(&house)), rows);
    assert_sound(&house);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn whatever_happens_a_query_by_column_gives_the_rows(
        steps in prop::collection::vec(step(), 1..25),
    ) {
        let directory = tempfile::tempdir().unwrap();
        run(directory.path(), &steps);
    }
}

#[test]
fn a_store_without_columns_refuses_the_index() {
    let store = rows::memory::MemoryStore::new();
    let options = EngineOptions { durability: Durability::Os, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(store), options).unwrap();
    engine.create_database("d").unwrap();
    let columns = vec![Column::new("id", int())];
    let new = NewTable::new("d", "t", columns, vec![NewIndex::primary(&["id"])]);
    engine.create_table(new).unwrap();
    let add = NewColumnarIndex { columns: vec!["id".into()], ..index() };
    let patience = Patience::at_most(std::time::Duration::from_secs(10));
    let altered = engine.alter_table("d", "t", vec![Alteration::AddColumnarIndex(add)], &patience);
    assert!(matches!(altered, Err(Error::Refused { .. })), "{altered:?}");
}
