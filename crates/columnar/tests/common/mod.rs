//! What the tests share: an engine with a columnar table, and all ways to read it.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use columnar::values::ColumnReader;
use columnar::{ColumnStore, Wanted, columns_of};
use rows::ddl::{NewIndex, NewTable};
use rows::schema::{COLUMNAR, Column};
use rows::spill::SpillDirectory;
use rows::store::{Direction, Durability, LockWait, Reach, Read};
use rows::types::IntWidth;
use rows::{Collation, ColumnType, Datum, Engine, EngineOptions, Flow, Table, Transaction, Value};
use rows_rocks::{RocksOptions, RocksStore};

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

/// `t(id INT PRIMARY KEY, n INT NULL, word VARCHAR(100) NULL, KEY (n), UNIQUE (word))`, or one
/// without keys.
pub fn table(house: &House, with_keys: bool) -> Arc<Table> {
    if !house.engine.catalog().has_database("d") {
        house.engine.create_database("d").unwrap();
    }
    let nullable = |column: Column| Column { nullable: true, ..column };
    let columns = vec![
        Column::new("id", int()),
        nullable(Column::new("n", int())),
        nullable(Column::new("word", text())),
    ];
    let index = |name: &str, unique| NewIndex {
        name: Some(name.into()),
        unique,
        primary: false,
        ..NewIndex::primary(&[name])
    };
    let indexes = match with_keys {
        true => vec![NewIndex::primary(&["id"]), index("n", false), index("word", true)],
        false => vec![],
    };
    let mut new = NewTable::new("d", "t", columns, indexes);
    new.engine = COLUMNAR.into();
    house.engine.create_table(new).unwrap()
}

pub fn begin(engine: &Arc<Engine>) -> Transaction {
    engine.begin(LockWait::AtMost(Duration::from_secs(5))).unwrap()
}

/// A row of the table.
pub type Row = (i64, Option<i64>, Option<String>);

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
    let mut out = Vec::new();
    let range = table.index_range(index);
    let visit = &mut |found: rows::Found<'_>| {
        out.push(row_of(&found.row.values()?));
        Ok(Flow::Continue)
    };
    engine.find(view, table, index, &range, Direction::Forward, Reach::Disk, visit).unwrap();
    out
}

/// All rows by column, sorted, with the number of those that the table says it has.
pub fn by_column(view: &dyn Read, table: &Table) -> Vec<Row> {
    let columns = columns_of(view, table).unwrap().expect("a view of the store itself");
    let counted = columns.rows().unwrap();
    let positions: Arc<[usize]> = (0..table.columns.len() + 1).collect();
    let mut out = Vec::new();
    for part in columns.parts(3, &[]) {
        let (positions, tests) = (Arc::clone(&positions), Arc::new([]));
        let wanted = Wanted { positions, tests, batch_rows: 1000 };
        for batch in columns.clone().read(part, wanted) {
            let batch = batch.unwrap();
            let readers: Vec<ColumnReader<'_>> = table
                .columns
                .iter()
                .zip(&batch.columns)
                .map(|(column, array)| ColumnReader::new(&column.ty, array).unwrap())
                .collect();
            let key_type = ColumnType::Blob { size: rows::types::LobSize::Long };
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
    assert_eq!(counted, out.len() as u64, "rows counted");
    out.sort();
    out
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
    assert_eq!(house.store.check().unwrap(), Vec::<String>::new());
}
