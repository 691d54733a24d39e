//! Bulk loads: the same rows as row by row, from little memory, or nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use resources::interrupt::{Interrupt, working};
use resources::spill::SpillDirectory;

use crate::common::*;
use rows::bulk::{BulkLoad, BulkOutcome, OnDuplicate};
use rows::memory::MemoryStore;
use rows::store::LockWait;
use rows::transaction::NumberRules;
use rows::{Alteration, ColumnPlace, Engine, EngineOptions, Error, Result, Table, Wait};
use values::{Datum, Value};

/// Each of three sorters then has 512 KiB, its least.
const CLIENT_BYTES: usize = 3 << 20;

/// One whose sorters have nothing to borrow.
fn engine_in(directory: &Path) -> Arc<Engine> {
    engine_with(directory, 0)
}

fn engine_with(directory: &Path, row_cache_bytes: usize) -> Arc<Engine> {
    let options = EngineOptions {
        client_bytes: CLIENT_BYTES,
        row_cache_bytes,
        spill: Some(SpillDirectory::open(directory).unwrap()),
        ..EngineOptions::default()
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    engine
}

fn try_begin(engine: &Arc<Engine>, table: &Arc<Table>, mode: OnDuplicate) -> Option<BulkLoad> {
    BulkLoad::begin(begin(engine), table, mode).unwrap()
}

fn files(path: &Path) -> usize {
    fs::read_dir(path).unwrap().count()
}

/// Loads rows through several sorters, so that no one of them has neighbours.
fn load(
    engine: &Arc<Engine>,
    table: &Arc<Table>,
    mode: OnDuplicate,
    rows: &[Vec<Datum<'_>>],
) -> Result<BulkOutcome> {
    let load = try_begin(engine, table, mode).expect("nobody else writes to it");
    let mut sorters = load.sorters(3)?;
    for (n, row) in rows.iter().enumerate() {
        sorters[n % 3].add(n as u64 + 1, row)?;
        assert!(engine.budget().used() <= CLIENT_BYTES);
    }
    let parts = sorters.into_iter().map(|sorter| sorter.finish()).collect::<Result<_>>()?;
    load.finish(parts, rows.len() as u64, None)
}

/// The same row by row: lost rows, and why rows were left out.
fn insert(
    engine: &Arc<Engine>,
    table: &Arc<Table>,
    mode: OnDuplicate,
    rows: &[Vec<Datum<'_>>],
) -> (u64, BTreeMap<u64, String>) {
    let (mut lost, mut told) = (0, BTreeMap::new());
    let mut transaction = begin(engine);
    for (n, row) in rows.iter().enumerate() {
        if mode == OnDuplicate::Replace {
            lost += transaction.replace(table, row).unwrap().deleted as u64;
        } else if let Err(error) = transaction.insert(table, row) {
            lost += 1;
            told.insert(n as u64 + 1, error.to_string());
        }
    }
    commit(transaction);
    (lost, told)
}

/// Rows in no order, of which some share an id and some a mail.
fn some_rows(count: u64, ids: u64, names: &[String]) -> Vec<Vec<Datum<'_>>> {
    let mut random = 7_u64;
    let mut below = |end: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % end
    };
    let mut row = |_| {
        let id = below(ids) as i64 - 100;
        let (name, mail) = (&names[below(300) as usize], &names[below(ids) as usize]);
        match below(10) {
            0 => vec![Datum::Int(id), Datum::Null, Datum::Null],
            _ => user(id, name, mail),
        }
    };
    (0..count).map(&mut row).collect()
}

#[test]
fn a_load_keeps_the_rows_that_stay_when_they_are_put_in_one_by_one() {
    // Texts that differ by case only are equal to the unique index.
    let name = |n| if n % 2 == 0 { format!("Mail{n}") } else { format!("mAIL{}", n - 1) };
    let names: Vec<String> = (0..60_000).map(name).collect();
    // None shared, a few, nearly all.
    for (count, ids) in [(20_000, 60_000), (20_000, 4_000), (30_000, 500)] {
        let rows = some_rows(count, ids, &names);
        for mode in [OnDuplicate::Ignore, OnDuplicate::Replace] {
            let directory = tempfile::tempdir().unwrap();
            let (ours, other) = (engine_in(directory.path()), engine());
            let (table, by_rows) = (users(&ours), users(&other));
            let outcome = load(&ours, &table, mode, &rows).unwrap();
            let (lost, told) = insert(&other, &by_rows, mode, &rows);
            assert_eq!((outcome.rows + outcome.lost, outcome.lost), (count, lost));
            let first: Vec<_> = told.into_iter().take(1024).collect();
            let outcome_told = outcome.told.into_iter();
            let outcome_told: Vec<_> = outcome_told.map(|(n, why)| (n, why.to_string())).collect();
            assert_eq!(outcome_told, first);
            for index in 0..3 {
                assert_eq!(rows_by(&ours, &table, index), rows_by(&other, &by_rows, index));
            }
            assert_eq!(ours.row_count(&table).unwrap(), Some(outcome.rows));
            assert_sound(&ours);
            assert_eq!((files(directory.path()), ours.budget().used()), (0, 0));
        }
    }
}

#[test]
fn what_a_load_needs_beyond_its_own_memory_is_the_row_caches_until_it_is_over() {
    const CACHE_BYTES: usize = 6 << 20;
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_with(directory.path(), CACHE_BYTES);
    let lent = || engine.cache().status().lent_bytes as usize;
    let table = users(&engine);
    let mails: Vec<String> = (0..60_000).map(|n| format!("{n:020}")).collect();
    let id = |n: usize| (n * 7_919 % mails.len()) as i64;
    let rows: Vec<_> = mails.iter().enumerate().map(|(n, m)| user(id(n), "name", m)).collect();
    let begun = try_begin(&engine, &table, OnDuplicate::Error).unwrap();
    let mut sorters = begun.sorters(3).unwrap();
    let mut lents = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        sorters[n % 3].add(n as u64 + 1, &row[..]).unwrap();
        lents.push((lent(), files(directory.path())));
    }
    assert_eq!(lents[1_000], (0, 0), "what is there is enough");
    let borrowed = lents.iter().position(|(lent, _)| *lent > 0).unwrap();
    let spilled = lents.iter().position(|(_, files)| *files > 0).unwrap();
    assert!(2 * borrowed < spilled, "{borrowed} {spilled}");
    // All that may be lent, and no more to a second load, which is no worse off than before.
    assert_eq!(lent(), CACHE_BYTES / 2 / 3 * 3);
    let numbers = crate::common::table(
        &engine,
        "numbers",
        vec![column("n", int(), false)],
        vec![index("PRIMARY", true, &["n"])],
    );
    let other = try_begin(&engine, &numbers, OnDuplicate::Error).unwrap();
    let mut of_other = other.sorters(1).unwrap();
    (1..30_000).for_each(|n| of_other[0].add(n as u64, &[Datum::Int(n)]).unwrap());
    assert_eq!(lent(), CACHE_BYTES / 2 / 3 * 3);
    drop((of_other, other));
    let parts = sorters.into_iter().map(|sorter| sorter.finish().unwrap()).collect();
    let outcome = begun.finish(parts, rows.len() as u64, None).unwrap();
    assert_eq!((outcome.rows, lent()), (rows.len() as u64, 0));
    assert_eq!(engine.cache().status().bytes_max as usize, CACHE_BYTES / 64 * 64);
    assert_eq!(engine.budget().used(), 0);
}

#[test]
fn rows_that_were_there_before_a_load_are_met_as_one_by_one() {
    let name = |n| if n % 2 == 0 { format!("Mail{n}") } else { format!("mAIL{}", n - 1) };
    let names: Vec<String> = (0..60_000).map(name).collect();
    // A few of the keys are taken, nearly all, and those of rows that lie behind all others.
    for (count, ids, there) in [(20_000, 60_000, 2_000), (20_000, 4_000, 3_000), (9_000, 500, 5)] {
        let all = some_rows(there + count, ids, &names);
        let (before, rows) = all.split_at(there as usize);
        for mode in [OnDuplicate::Ignore, OnDuplicate::Replace] {
            let directory = tempfile::tempdir().unwrap();
            let (ours, other) = (engine_in(directory.path()), engine());
            let (table, by_rows) = (users(&ours), users(&other));
            insert(&ours, &table, OnDuplicate::Ignore, before);
            insert(&other, &by_rows, OnDuplicate::Ignore, before);
            let outcome = load(&ours, &table, mode, rows).unwrap();
            let (lost, told) = insert(&other, &by_rows, mode, rows);
            assert_eq!(outcome.lost, lost);
            if mode == OnDuplicate::Ignore {
                let first: Vec<_> = told.into_iter().take(1024).collect();
                let ours = outcome.told.into_iter().map(|(n, why)| (n, why.to_string()));
                assert_eq!(ours.collect::<Vec<_>>(), first);
            }
            for index in 0..3 {
                assert_eq!(rows_by(&ours, &table, index), rows_by(&other, &by_rows, index));
            }
            let count = rows_by(&ours, &table, 0).len() as u64;
            assert_eq!(ours.row_count(&table).unwrap(), Some(count));
            assert_sound(&ours);
            assert_eq!((files(directory.path()), ours.budget().used()), (0, 0));
        }
    }
}

#[test]
fn a_row_that_was_there_before_ends_a_load_where_that_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(directory.path());
    let t = users(&engine);
    insert(&engine, &t, OnDuplicate::Ignore, &[user(15_000, "there", "M77")]);
    let mails: Vec<String> = (0..20_000).map(|n| format!("m{n}")).collect();
    let row = |n: usize| user(n as i64, "x", &mails[n]);
    let rows: Vec<_> = (100..20_000).map(row).collect();
    let error = load(&engine, &t, OnDuplicate::Error, &rows).unwrap_err();
    let Error::Duplicate { index, entry, .. } = error else { panic!("{error}") };
    assert_eq!((&*index, &*entry), ("PRIMARY", "15000"));
    let rows: Vec<_> = (0..15_000).map(row).collect();
    let error = load(&engine, &t, OnDuplicate::Error, &rows).unwrap_err();
    let Error::Duplicate { index, entry, .. } = error else { panic!("{error}") };
    assert_eq!((&*index, &*entry), ("mail", "m77"));
    assert_eq!(rows_by(&engine, &t, 0), ["15000 there M77"]);
    assert_eq!((files(directory.path()), engine.budget().used()), (0, 0));
    assert_sound(&engine);
}

#[test]
fn with_one_unique_index_the_first_row_of_a_key_stays_or_the_last() {
    for mode in [OnDuplicate::Ignore, OnDuplicate::Replace] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine_in(directory.path());
        let columns = vec![column("id", int(), false), column("v", int(), false)];
        let keys = vec![index("PRIMARY", true, &["id"]), index("v", false, &["v"])];
        let t = table(&engine, "t", columns, keys);
        let rows: Vec<_> = (0..9000).map(|n| vec![Datum::Int(n % 1000), Datum::Int(n)]).collect();
        let outcome = load(&engine, &t, mode, &rows).unwrap();
        assert_eq!((outcome.rows, outcome.lost), (1000, 8000));
        let kept = if mode == OnDuplicate::Ignore { "3 3" } else { "3 8003" };
        assert_eq!(rows_by(&engine, &t, 0)[3], kept);
        assert_eq!(rows_by(&engine, &t, 1).len(), 1000);
        assert_sound(&engine);
    }
}

#[test]
fn where_it_is_an_error_the_first_row_whose_key_is_taken_ends_the_load() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(directory.path());
    let t = users(&engine);
    let mails: Vec<String> = (0..20_000).map(|n| format!("m{n}")).collect();
    let mut rows: Vec<_> = (0..20_000).map(|n| user(n as i64, "x", &mails[n])).collect();
    rows[15_000] = user(3, "x", "other");
    rows[12_000] = user(30_000, "x", "M77");
    let error = load(&engine, &t, OnDuplicate::Error, &rows).unwrap_err();
    let Error::Duplicate { index, entry, .. } = error else { panic!("{error}") };
    assert_eq!((&*index, &*entry), ("mail", "M77"));
    assert!(rows_by(&engine, &t, 0).is_empty() && rows_by(&engine, &t, 1).is_empty());
    assert_eq!((files(directory.path()), engine.budget().used()), (0, 0));
    rows[12_000] = user(30_000, "x", "free");
    rows[15_000] = user(30_001, "x", "free as well");
    assert_eq!(load(&engine, &t, OnDuplicate::Error, &rows).unwrap().rows, 20_000);
    assert_sound(&engine);
}

#[test]
fn rows_without_a_primary_key_stay_in_the_order_of_the_load() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(directory.path());
    let t = table(&engine, "t", vec![column("v", int(), false)], vec![index("v", false, &["v"])]);
    let values: Vec<i64> = (0..30_000).map(|n| n * 7919 % 30_011).collect();
    let rows: Vec<_> = values.iter().map(|v| vec![Datum::Int(*v)]).collect();
    load(&engine, &t, OnDuplicate::Ignore, &rows).unwrap();
    let expected: Vec<String> = values.iter().map(i64::to_string).collect();
    assert_eq!(rows_by(&engine, &t, 0), expected);
    let mut transaction = begin(&engine);
    transaction.insert(&t, &[Datum::Int(-1)]).unwrap();
    commit(transaction);
    assert_eq!(rows_by(&engine, &t, 0).last().map(String::as_str), Some("-1"));
    assert_sound(&engine);
}

/// A table of AUTO_INCREMENT values only.
fn numbered(engine: &Engine) -> Arc<Table> {
    let mut id = column("id", int(), false);
    id.auto_increment = true;
    table(engine, "t", vec![id], vec![index("PRIMARY", true, &["id"])])
}

#[test]
fn numbers_go_on_behind_those_that_rows_bring_and_after_the_load() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(directory.path());
    let t = numbered(&engine);
    let load = try_begin(&engine, &t, OnDuplicate::Ignore).unwrap();
    let mut numbers = load.numbers(NumberRules::default()).unwrap().expect("such a column");
    let mut sorter = load.sorters(1).unwrap().remove(0);
    let given = [Value::Null, Value::Int(0), Value::Int(10), Value::Null, Value::Int(-5)];
    for (number, value) in (1..).zip(given) {
        let mut row = [value];
        numbers.number(&mut row).unwrap();
        sorter.add(number, &[row[0].as_datum()]).unwrap();
    }
    assert_eq!(numbers.first(), Some(1));
    load.finish(vec![sorter.finish().unwrap()], 5, Some(&numbers)).unwrap();
    assert_eq!(rows_by(&engine, &t, 0), ["-5", "1", "2", "10", "11"]);
    let mut transaction = begin(&engine);
    assert_eq!(transaction.insert(&t, &[Datum::Null]).unwrap().generated, Some(12));
}

#[test]
fn numbers_of_a_load_go_by_increment_and_offset() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(directory.path());
    let t = numbered(&engine);
    let load = try_begin(&engine, &t, OnDuplicate::Ignore).unwrap();
    let rules = NumberRules { increment: 10, offset: 3, ..NumberRules::default() };
    let mut numbers = load.numbers(rules).unwrap().expect("such a column");
    let mut number = |value| {
        let mut row = [value];
        numbers.number(&mut row).unwrap();
        row[0].clone()
    };
    let given = [Value::Null, Value::Null, Value::Int(14), Value::Int(0)].map(&mut number);
    assert_eq!(given, [3, 13, 14, 23].map(Value::Int));
    assert_eq!(numbers.first(), Some(3));
}

#[test]
fn only_a_table_in_nobodys_use_is_loaded_and_others_wait_meanwhile() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(directory.path());
    let t = users(&engine);
    let mut writer = begin(&engine);
    writer.insert(&t, &user(1, "a", "b")).unwrap();
    assert!(try_begin(&engine, &t, OnDuplicate::Ignore).is_none(), "another writes to it");
    drop(writer);
    let load = try_begin(&engine, &t, OnDuplicate::Ignore).expect("it is empty again");
    let mut sorter = load.sorters(1).unwrap().remove(0);
    sorter.add(1, &user(1, "loaded", "m")).unwrap();
    let mut other = engine.begin(LockWait::Never).unwrap();
    let refused = other.insert(&t, &user(2, "other", "n"));
    assert!(matches!(refused, Err(Error::WouldWait(Wait::Lock))), "{refused:?}");
    let waits = engine.begin(LockWait::AtMost(Duration::from_secs(60))).unwrap();
    let waiter = {
        let (mut transaction, table) = (waits, Arc::clone(&t));
        std::thread::spawn(move || {
            transaction.insert(&table, &user(3, "waited", "o")).unwrap();
            commit(transaction);
        })
    };
    load.finish(vec![sorter.finish().unwrap()], 1, None).unwrap();
    waiter.join().unwrap();
    assert_eq!(rows_by(&engine, &t, 0), ["1 loaded m", "3 waited o"]);
    drop(try_begin(&engine, &t, OnDuplicate::Ignore).expect("rows are in nobody's way"));
    let mut writer = begin(&engine);
    writer.insert(&t, &user(4, "soon", "p")).expect("the load that was dropped has left");
}

struct Now;

impl Interrupt for Now {
    fn is_wanted(&self) -> bool {
        true
    }
}

#[test]
fn a_load_that_is_given_up_or_interrupted_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(directory.path());
    let t = users(&engine);
    let names: Vec<String> = (0..60_000).map(|n| format!("n{n}")).collect();
    let rows = some_rows(20_000, 60_000, &names);
    let filled = || {
        let load = try_begin(&engine, &t, OnDuplicate::Ignore).expect("nobody has it");
        let mut sorter = load.sorters(1).unwrap().remove(0);
        for (number, row) in (1..).zip(&rows) {
            sorter.add(number, row).unwrap();
        }
        (load, sorter)
    };
    let (load, sorter) = filled();
    assert!(files(directory.path()) > 0, "nothing went to the disk");
    drop(sorter);
    drop(load);
    assert_eq!((files(directory.path()), engine.budget().used()), (0, 0));
    let (load, sorter) = filled();
    let parts = vec![sorter.finish().unwrap()];
    let interrupted = {
        let _working = working(Arc::new(Now));
        load.finish(parts, rows.len() as u64, None)
    };
    assert!(matches!(interrupted, Err(Error::LockTimeout)), "{interrupted:?}");
    assert_eq!((files(directory.path()), engine.budget().used()), (0, 0));
    for index in 0..3 {
        assert!(rows_by(&engine, &t, index).is_empty());
    }
}

#[test]
fn what_is_no_row_of_the_table_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(directory.path());
    let t = users(&engine);
    let load = try_begin(&engine, &t, OnDuplicate::Ignore).unwrap();
    let mut sorter = load.sorters(1).unwrap().remove(0);
    let null = sorter.add(1, &[Datum::Null, Datum::Null, Datum::Null]);
    assert!(matches!(null, Err(Error::NullValue { .. })));
}

#[test]
fn new_indexes_and_copies_of_tables_are_sorted_beyond_memory_too() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(directory.path());
    let t = users(&engine);
    let mails: Vec<String> = (0..40_000).map(|n| format!("m{}", n * 7919 % 40_000)).collect();
    let rows: Vec<_> = (0..40_000).map(|n| user(n as i64, &mails[n / 2], &mails[n])).collect();
    load(&engine, &t, OnDuplicate::Error, &rows).unwrap();
    let alter = |alteration| engine.alter_table("d", "t", vec![alteration], &engine.patience());
    // Row 1 is the first whose name another has.
    let shared = alter(Alteration::AddIndex(index("u", true, &["name"]))).unwrap_err();
    let Error::Duplicate { index: of, entry, .. } = shared else { panic!("{shared}") };
    assert_eq!((&*of, &*entry), ("u", "m0"));
    alter(Alteration::AddIndex(index("both", true, &["name", "mail"]))).unwrap();
    let altered = engine.catalog().table("d", "t").unwrap();
    assert_eq!(rows_by(&engine, &altered, 3).len(), 40_000);
    assert_sound(&engine);
    // A narrower column has all rows copied.
    let (name, column) = ("mail".to_owned(), column("mail", text(6), true));
    let place = ColumnPlace::Keep;
    let copied = alter(Alteration::ModifyColumn { name, column, place }).unwrap();
    assert_eq!(copied.rows_copied, 40_000);
    let altered = engine.catalog().table("d", "t").unwrap();
    assert_eq!(rows_by(&engine, &altered, 0)[77], format!("77 {} {}", mails[38], mails[77]));
    assert_eq!(engine.row_count(&altered).unwrap(), Some(40_000));
    assert_sound(&engine);
    let fewer = alter(Alteration::DropPrimaryKey).unwrap();
    assert_eq!(fewer.rows_copied, 40_000);
    assert_sound(&engine);
    assert_eq!((files(directory.path()), engine.budget().used()), (0, 0));
}

#[test]
fn what_there_is_to_remember_of_runs_took_more_memory_than_was_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(directory.path());
    let t = users(&engine);
    let load = try_begin(&engine, &t, OnDuplicate::Ignore).unwrap();
    let mut sorter = load.sorters(1).unwrap().remove(0);
    let drawn = engine.budget().used();
    for number in 1..=200_000 {
        let mixed = number * 7919 % 1_000_003;
        let (name, mail) = (format!("name {mixed}"), format!("mail {mixed}"));
        sorter.add(number, &user(mixed as i64, &name, &mail)).unwrap();
        assert_eq!(engine.budget().used(), drawn, "after {number} rows");
    }
    let parts = vec![sorter.finish().unwrap()];
    assert_eq!(load.finish(parts, 200_000, None).unwrap().rows, 200_000);
    assert_sound(&engine);
}
