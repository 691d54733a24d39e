//! What the engine's tests share: an engine on a memory store, and tables made in one line.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use resources::interrupt::{Interrupt, working};
use rows::ddl::{NewIndex, NewTable};
use rows::memory::MemoryStore;
use rows::schema::Column;
use rows::store::{Batch, Change, Direction, Durability, KeyRange, LockWait, Reach, Read, Store};
use rows::table::Patience;
use rows::{Alteration, Engine, EngineOptions, Flow, Table, Transaction};
use values::types::IntWidth;
use values::{Collation, ColumnType, Datum, Value};

pub fn engine() -> Arc<Engine> {
    engine_on(MemoryStore::new())
}

pub fn engine_on(store: MemoryStore) -> Arc<Engine> {
    let engine = Engine::open(Arc::new(store), EngineOptions::default()).unwrap();
    engine.create_database("d").unwrap();
    engine
}

pub fn int() -> ColumnType {
    ColumnType::Int { width: IntWidth::Int, unsigned: false, boolean: false }
}

pub fn text(chars: u32) -> ColumnType {
    ColumnType::VarChar { chars, collation: Collation::Utf8Mb4GeneralCi }
}

pub fn column(name: &str, ty: ColumnType, nullable: bool) -> Column {
    Column { nullable, ..Column::new(name, ty) }
}

pub fn index(name: &str, unique: bool, columns: &[&str]) -> NewIndex {
    let primary = name == "PRIMARY";
    NewIndex { name: Some(name.into()), unique, primary, ..NewIndex::primary(columns) }
}

pub fn table(
    engine: &Engine,
    name: &str,
    columns: Vec<Column>,
    indexes: Vec<NewIndex>,
) -> Arc<Table> {
    engine.create_table(NewTable::new("d", name, columns, indexes)).unwrap()
}

/// `t(id INT PRIMARY KEY, name VARCHAR(20) NULL, mail VARCHAR(20) NULL, KEY(name), UNIQUE(mail))`
pub fn users(engine: &Engine) -> Arc<Table> {
    table(
        engine,
        "t",
        vec![
            column("id", int(), false),
            column("name", text(20), true),
            column("mail", text(20), true),
        ],
        vec![
            index("PRIMARY", true, &["id"]),
            index("name", false, &["name"]),
            index("mail", true, &["mail"]),
        ],
    )
}

pub fn begin(engine: &Arc<Engine>) -> Transaction {
    engine.begin(LockWait::AtMost(Duration::from_secs(5))).unwrap()
}

pub fn commit(transaction: Transaction) {
    transaction.commit(Durability::EveryCommit).unwrap();
}

pub fn word(text: &str) -> Datum<'_> {
    if text == "NULL" { Datum::Null } else { Datum::Bytes(text.as_bytes()) }
}

pub fn user<'a>(id: i64, name: &'a str, mail: &'a str) -> Vec<Datum<'a>> {
    vec![Datum::Int(id), word(name), word(mail)]
}

/// All rows in index order, each as its values joined by spaces.
pub fn rows_by(engine: &Engine, table: &Table, index: usize) -> Vec<String> {
    let range = table.index_range(index);
    let mut out = Vec::new();
    engine
        .find(
            engine.latest(),
            table,
            index,
            &range,
            Direction::Forward,
            Reach::Disk,
            &mut |found| {
                out.push(show(&found.row.values()?));
                Ok(Flow::Continue)
            },
        )
        .unwrap();
    out
}

pub fn show(values: &[Datum<'_>]) -> String {
    let words: Vec<String> = values
        .iter()
        .map(|value| match value.to_value() {
            Value::Null => "NULL".to_string(),
            Value::Int(value) => value.to_string(),
            Value::UInt(value) => value.to_string(),
            Value::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
            other => format!("{other:?}"),
        })
        .collect();
    words.join(" ")
}

pub fn patience() -> Patience {
    Patience::at_most(Duration::from_secs(20))
}

/// Alters `d.t`.
pub fn alter(engine: &Engine, alteration: Alteration) -> rows::Result<Arc<Table>> {
    engine.alter_table("d", "t", vec![alteration], &patience())?;
    engine.catalog().table("d", "t")
}

/// That rows and entries fit together; how many entries there are.
pub fn entries(engine: &Engine) -> u64 {
    let report = engine.check(&mut |_| {}).unwrap();
    assert_eq!(report.damages, Vec::<String>::new());
    report.entries
}

/// The engine's own check finds nothing wrong.
pub fn assert_sound(engine: &Engine) {
    entries(engine);
}

/// Does something in the middle of what a thread works on, when that is asked whether to go on.
struct Between<F>(AtomicUsize, usize, F);

impl<F: Fn() -> bool + Send + Sync> Interrupt for Between<F> {
    fn is_wanted(&self) -> bool {
        self.0.fetch_add(1, Ordering::SeqCst) == self.1 && (self.2)()
    }
}

/// Does a work, and at the `time`th question whether to go on does something else first, which says
/// whether the work is to end.
pub fn between<T>(
    time: usize,
    act: impl Fn() -> bool + Send + Sync + 'static,
    work: impl FnOnce() -> T,
) -> T {
    let between = Arc::new(Between(AtomicUsize::new(0), time, act));
    let _working = working(Arc::clone(&between) as Arc<dyn Interrupt>);
    let outcome = work();
    assert!(between.0.load(Ordering::SeqCst) > time, "it was asked");
    outcome
}

/// A store with the same keys, as the end of the process would leave it.
pub fn copied(store: &MemoryStore) -> MemoryStore {
    let copy = MemoryStore::new();
    let mut cursor = store.scan(&KeyRange::default(), Direction::Forward, Reach::Disk).unwrap();
    let mut changes = Vec::new();
    while cursor.advance().unwrap() {
        changes.push(Change::put(cursor.key().to_vec(), cursor.value().to_vec()));
    }
    copy.write(&Batch { changes }, Durability::Os).unwrap();
    copy
}

/// Ends the threads also where something is not as it should be.
pub struct Ending<'s>(pub &'s AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
