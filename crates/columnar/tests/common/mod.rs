//! What the tests share: an engine with a columnar table, rows to write into it, and all ways to
//! read it.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use columnar::arrow::ColumnReader;
use columnar::{ColumnStore, ScanRequest, TableColumns, columns_of};
use resources::spill::SpillDirectory;
use rows::ddl::{NewIndex, NewTable};
use rows::schema::{COLUMNAR, Column};
use rows::store::{Direction, Durability, LockWait, Reach, Read};
use rows::{Engine, EngineOptions, Flow, RowChange, Table, Transaction};
use rows_rocks::{RocksOptions, RocksStore};
use values::types::IntWidth;
use values::{Collation, ColumnType, Datum, Value};

pub struct House {
    pub engine: Arc<Engine>,
    pub store: ColumnStore<RocksStore>,
}

/// Opens the rows in a directory.
pub fn open(directory: &Path) -> House {
    let options = RocksOptions { memory_bytes: 16 << 20, ..RocksOptions::default() };
    std::fs::create_dir_all(directory).unwrap();
    let store = RocksStore::open(&directory.join("rows"), &options).unwrap();
    let store = ColumnStore::new(store, 8 << 20);
    let spill = Some(SpillDirectory::open(&directory.join("spill")).unwrap());
    let options = EngineOptions { durability: Durability::Os, spill, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(store.clone()), options).unwrap();
    House { engine, store }
}

pub fn int() -> ColumnType {
    ColumnType::Int { width: IntWidth::Int, unsigned: false, boolean: false }
}

pub fn text() -> ColumnType {
    ColumnType::VarChar { chars: 100, collation: Collation::Utf8Mb4GeneralCi }
}

/// `id INT, n INT NULL, word VARCHAR(100) NULL`.
pub fn columns() -> Vec<Column> {
    let nullable = |column: Column| Column { nullable: true, ..column };
    vec![
        Column::new("id", int()),
        nullable(Column::new("n", int())),
        nullable(Column::new("word", text())),
    ]
}

/// An index on one column.
pub fn key(name: &str, unique: bool) -> NewIndex {
    NewIndex { name: Some(name.into()), unique, primary: false, ..NewIndex::primary(&[name]) }
}

/// Makes a table in the database `d`.
pub fn create(house: &House, new: NewTable) -> Arc<Table> {
    if !house.engine.catalog().has_database("d") {
        house.engine.create_database("d").unwrap();
    }
    house.engine.create_table(new).unwrap()
}

/// `t` with the columns, `PRIMARY KEY (id), KEY (n), UNIQUE (word)`, or one without keys.
pub fn table(house: &House, with_keys: bool) -> Arc<Table> {
    let indexes = match with_keys {
        true => vec![NewIndex::primary(&["id"]), key("n", false), key("word", true)],
        false => vec![],
    };
    let mut new = NewTable::new("d", "t", columns(), indexes);
    new.engine = COLUMNAR.into();
    create(house, new)
}

pub fn begin(engine: &Arc<Engine>) -> Transaction {
    engine.begin(LockWait::AtMost(Duration::from_secs(5))).unwrap()
}

/// A row of the table.
pub type Row = (i64, Option<i64>, Option<String>);

pub fn row(id: i64) -> Row {
    (id, (id % 7 != 0).then_some(id % 1000 - 500), (id % 11 != 0).then(|| format!("word {id}")))
}

pub fn insert(house: &House, table: &Arc<Table>, rows: &[Row]) {
    let mut transaction = begin(&house.engine);
    for row in rows {
        transaction.insert(table, &datums(row)).unwrap();
    }
    transaction.commit(Durability::Os).unwrap();
}

/// Gives the row of a number other values, or removes it; rolled back if not `commits`.
pub fn change(house: &House, table: &Arc<Table>, id: i64, new: Option<&Row>, commits: bool) {
    let key = table.row_key(&[Datum::Int(id)]).unwrap();
    let mut transaction = begin(&house.engine);
    let new = new.map(|row| datums(row).iter().map(Datum::to_value).enumerate().collect());
    let change =
        &mut |_: values::RowRef<'_>| Ok(new.clone().map_or(RowChange::Delete, RowChange::Set));
    transaction.change_row::<rows::Error>(table, &key, change).unwrap();
    if commits {
        transaction.commit(Durability::Os).unwrap();
    }
}

/// Moves until nothing more is to be moved; gives how many rows were. A round after a change may
/// find the table busy, and move nothing though there is something.
pub fn settle(house: &House) -> u64 {
    let (mut rows, mut idle) = (0, 0);
    for _ in 0..40 {
        let moved = house.store.move_rows(&house.engine).unwrap().rows;
        rows += moved;
        idle = if moved == 0 { idle + 1 } else { 0 };
        if idle == 2 {
            return rows;
        }
    }
    panic!("rows move for ever");
}

pub fn datums(row: &Row) -> Vec<Datum<'_>> {
    vec![
        Datum::Int(row.0),
        row.1.map_or(Datum::Null, Datum::Int),
        row.2.as_ref().map_or(Datum::Null, |word| Datum::Bytes(word.as_bytes())),
    ]
}

pub fn row_of(values: &[Datum<'_>]) -> Row {
    let number = |value: &Datum<'_>| match value {
        Datum::Int(number) => Some(*number),
        Datum::Null => None,
        other => panic!("{other:?} is no number"),
    };
    let word = match values[2].to_value() {
        Value::Bytes(word) => Some(String::from_utf8(word).unwrap()),
        _ => None,
    };
    (number(&values[0]).unwrap(), number(&values[1]), word)
}

/// All rows by an index.
pub fn by_index(engine: &Engine, view: &dyn Read, table: &Table, index: usize) -> Vec<Row> {
    index_read(engine, view, table, index).unwrap()
}

/// The same where that may fail.
pub fn index_read(
    engine: &Engine,
    view: &dyn Read,
    table: &Table,
    index: usize,
) -> rows::Result<Vec<Row>> {
    let mut out = Vec::new();
    let range = table.index_range(index);
    let visit = &mut |found: rows::FoundRow<'_>| {
        out.push(row_of(&found.row.values()?));
        Ok(Flow::Continue)
    };
    engine.find(view, table, index, &range, Direction::Forward, Reach::Disk, visit)?;
    Ok(out)
}

/// All rows by column, sorted.
pub fn rows_of(columns: &TableColumns, table: &Table) -> Vec<Row> {
    rows_read(columns, table).unwrap()
}

/// The same where that may fail.
pub fn rows_read(columns: &TableColumns, table: &Table) -> rows::Result<Vec<Row>> {
    let positions: Arc<[usize]> = (0..table.columns.len() + 1).collect();
    let mut out = Vec::new();
    for part in columns.parts(3, &[]) {
        let (positions, tests) = (Arc::clone(&positions), Arc::new([]));
        let wanted = ScanRequest { positions, tests, batch_rows: 1000 };
        for batch in columns.clone().read(part, wanted) {
            let batch = batch?;
            let readers: Vec<ColumnReader<'_>> = table
                .columns
                .iter()
                .zip(&batch.columns)
                .map(|(column, array)| ColumnReader::new(&column.ty, array).unwrap())
                .collect();
            let key_type = ColumnType::Blob { size: values::types::LobSize::Long };
            let keys = ColumnReader::new(&key_type, &batch.columns[table.columns.len()]).unwrap();
            for at in 0..batch.rows {
                let values: Vec<Datum<'_>> = readers.iter().map(|r| r.datum(at)).collect();
                out.push(row_of(&values));
                if !table.has_hidden_key() {
                    let key = Datum::Bytes(&table.row_key_of(&values).unwrap()).to_value();
                    assert_eq!(keys.datum(at).to_value(), key, "the row's key");
                }
            }
        }
    }
    out.sort();
    Ok(out)
}

/// All rows of a columnar table by column, sorted: as many as the table says it has.
pub fn by_column(view: &dyn Read, table: &Table) -> Vec<Row> {
    let columns = columns_of(view, table).unwrap().expect("a view of the store itself");
    let counted = columns.rows().unwrap();
    let rows = rows_of(&columns, table);
    assert_eq!(counted, rows.len() as u64, "rows counted");
    rows
}

/// Every way to read the table gives these rows, now and by the engine's own check.
pub fn assert_rows(house: &House, table: &Table, expected: &[Row]) {
    let snapshot = house.engine.store().snapshot().unwrap();
    for index in 0..table.indexes.len() {
        let mut rows = by_index(&house.engine, house.engine.latest(), table, index);
        rows.sort();
        assert_eq!(rows, expected, "by index {index}");
    }
    assert_eq!(by_column(&*snapshot, table), expected, "by column");
    let report = house.engine.check(&mut |_| ()).unwrap();
    assert_eq!(report.damages, Vec::<String>::new());
    assert_eq!(report.rows, expected.len() as u64);
    let damages = house.store.check().unwrap();
    assert!(damages.is_empty(), "{:?}", damages.iter().map(|(_, what)| what).collect::<Vec<_>>());
}
