//! What `information_schema.table_sizes` and SHOW TABLE STATUS say of tables, held against the
//! files of the data directory and against going through everything that is stored.

use std::path::Path;

use crate::mysql::Mysql;
use crate::support::{Running, wait_until};
use rows::store::{Direction, Reach, Store};
use rows::{Engine, EngineOptions, Table};
use rows_rocks::{RocksOptions, RocksStore};

/// Little, so that much of what is written is in files before the rest is.
const MEMORY: &str = "--memory=64MiB";

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

#[derive(Debug, PartialEq)]
struct Told {
    rows: u64,
    data: u64,
    data_plain: u64,
    index: u64,
    index_plain: u64,
}

fn numbers(client: &mut Mysql, query: &str) -> Vec<u64> {
    let rows = client.query(query).expect(query);
    rows[0].iter().map(|cell| cell.as_deref().expect(query).parse().expect(query)).collect()
}

fn told(client: &mut Mysql, table: &str) -> Told {
    let query = format!(
        "SELECT table_rows, data_length, data_plain_length, index_length, index_plain_length \
         FROM information_schema.table_sizes WHERE table_schema = 'd' AND table_name = '{table}'"
    );
    let [rows, data, data_plain, index, index_plain] = numbers(client, &query)[..] else {
        panic!("five numbers")
    };
    Told { rows, data, data_plain, index, index_plain }
}

/// Of all tables, on disk.
fn told_of_all(client: &mut Mysql) -> u64 {
    let sum = "SELECT CAST(SUM(data_length + index_length) AS UNSIGNED) \
               FROM information_schema.table_sizes";
    numbers(client, sum)[0]
}

fn file_bytes(data_dir: &Path) -> u64 {
    let files = std::fs::read_dir(data_dir.join("rows")).expect("the files").flatten();
    let tables = files.filter(|file| file.path().extension().is_some_and(|end| end == "sst"));
    tables.map(|file| file.metadata().map_or(0, |metadata| metadata.len())).sum()
}

fn is_within_a_hundredth(told: u64, truth: u64) -> bool {
    told.abs_diff(truth) * 100 <= truth
}

/// Starts and stops the server until what it tells of all tables is what its files take. What it
/// tidies after a start, as segments whose rows were removed, stays in write buffers until a stop.
fn await_sizes_of_files(data_dir: &Path) {
    wait_until("sizes to be those of files", || {
        let server = Running::start(data_dir, &[MEMORY]);
        let told = told_of_all(&mut session(&server));
        let is_told = is_within_a_hundredth(told, file_bytes(data_dir));
        assert_eq!(server.stop().code(), Some(0));
        is_told
    });
}

#[track_caller]
fn assert_within_a_hundredth(told: u64, truth: u64, of: &str) {
    assert!(is_within_a_hundredth(told, truth), "{of}: {told} told, {truth} in truth");
}

/// Entries of an index of a table, the rows for 0, and the bytes of their keys and values.
fn stored(store: &dyn Store, table: &Table, index: usize) -> (u64, u64) {
    let cursor = store.scan(&table.index_range(index), Direction::Forward, Reach::Disk);
    let mut cursor = cursor.expect("a scan");
    let (mut entries, mut bytes) = (0, 0);
    while cursor.advance().expect("an entry") {
        entries += 1;
        bytes += (cursor.key().len() + cursor.value().len()) as u64;
    }
    (entries, bytes)
}

/// Text of a length, which differs by number.
fn text(number: usize, length: usize) -> String {
    let words = ["house", "row", "lantern", "of", "tide", "granite", "under", "seven"];
    let mut random = number as u64 * 0x9e37_79b9 + 1;
    let mut text = String::new();
    while text.len() < length {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        text.push_str(words[(random >> 40) as usize % words.len()]);
        text.push_str(&format!("{} ", random >> 56));
    }
    text.truncate(length);
    text
}

fn insert(client: &mut Mysql, table: &str, numbers: std::ops::Range<usize>, length: usize) {
    let all: Vec<usize> = numbers.collect();
    for some in all.chunks(500) {
        let row = |id: &usize| match length {
            0 => format!("({id}, {}, NULL)", id % 777),
            length => format!("({id}, {}, '{}')", id % 777, text(*id, length)),
        };
        let rows: Vec<String> = some.iter().map(row).collect();
        client.query(&format!("INSERT INTO d.{table} VALUES {}", rows.join(","))).unwrap();
    }
}

fn make(client: &mut Mysql, table: &str, more: &str) {
    client.query("CREATE DATABASE IF NOT EXISTS d").unwrap();
    let columns = "id INT PRIMARY KEY, n INT, word VARCHAR(4000)";
    client.query(&format!("CREATE TABLE d.{table} ({columns}{more}")).unwrap();
}

/// Rows that stay, long ones, and rows that become longer by and by and leave.
fn fill(client: &mut Mysql) {
    make(client, "short", ", KEY (n))");
    make(client, "lengthy", ", KEY (n))");
    make(client, "grown", ", KEY (n), KEY also (n, id))");
    insert(client, "short", 0..40_000, 12);
    insert(client, "grown", 0..20_000, 0);
    insert(client, "lengthy", 0..4_000, 3_000);
    // Twice, so that the first time is in files, and rows of now are shorter again.
    for length in [900, 300] {
        let word = text(7, length);
        client.query(&format!("UPDATE d.grown SET word = '{word}' WHERE id % 2 = 0")).unwrap();
    }
    client.query("UPDATE d.grown SET n = n + 1 WHERE id % 8 = 1").unwrap();
    client.query("DELETE FROM d.grown WHERE id % 4 = 0").unwrap();
    client.query("DELETE FROM d.lengthy WHERE id % 10 = 0").unwrap();
}

#[test]
fn sizes_of_tables_of_rows_are_those_of_what_is_stored() {
    const TABLES: [&str; 3] = ["short", "lengthy", "grown"];
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    fill(&mut client);
    let before = TABLES.map(|table| told(&mut client, table));
    drop(client);
    assert_eq!(server.stop().code(), Some(0));

    let store = RocksStore::open(&directory.path().join("rows"), &RocksOptions::default());
    let store = std::sync::Arc::new(store.unwrap());
    let engine = Engine::open(store.clone(), EngineOptions::default()).unwrap();
    for (name, told) in TABLES.iter().zip(&before) {
        let table = engine.catalog().table("d", name).unwrap();
        let (rows, bytes) = stored(&*store, &table, 0);
        assert_eq!((told.rows, told.data_plain), (rows, bytes), "{name}");
        let indexes = (1..table.indexes.len()).map(|index| stored(&*store, &table, index).1);
        assert_within_a_hundredth(told.index_plain, indexes.sum(), name);
    }
    engine.close().unwrap();
    drop((engine, store));

    // What was in write buffers is in files now, and what is in files is the tables'.
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    for (table, before) in TABLES.iter().zip(&before) {
        let now = told(&mut client, table);
        assert_eq!((now.rows, now.data_plain), (before.rows, before.data_plain), "{table}");
        let status = client.query(&format!("SHOW TABLE STATUS FROM d LIKE '{table}'")).unwrap();
        let shown = |at: usize| status[0][at].as_deref().unwrap().parse::<u64>().unwrap();
        assert_eq!(shown(4), now.rows, "{table}");
        assert_eq!(shown(5), now.data_plain / now.rows, "{table}");
    }
    drop(client);
    assert_eq!(server.stop().code(), Some(0));
    await_sizes_of_files(directory.path());
}

#[test]
fn a_crash_no_longer_leaves_the_number_of_rows_behind() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    make(&mut client, "t", ")");
    insert(&mut client, "t", 0..3_000, 20);
    // At once, so that it was not written down.
    server.kill();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    wait_until("the rows to be counted", || told(&mut client, "t").rows == 3_000);
    let counted = told(&mut client, "t");
    client.query("ANALYZE TABLE d.t").unwrap();
    assert_eq!(told(&mut client, "t"), counted);
    client.query("DELETE FROM d.t WHERE id < 1000").unwrap();
    assert_eq!(told(&mut client, "t").rows, 2_000);
}

#[test]
fn sizes_by_column_are_those_of_segments_and_files() {
    const ROWS: u64 = 60_000;
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    make(&mut client, "c", ", KEY (n)) ENGINE=COLUMNAR");
    make(&mut client, "i", ", KEY (n), COLUMNAR INDEX (n, word))");
    for table in ["c", "i"] {
        insert(&mut client, table, 0..ROWS as usize, 30);
    }
    // Of each row two numbers, a text with its length and the version.
    let of_segments = ROWS * (4 + 4 + 2 + 30 + 8);
    // The length of a row is what segments have of it, divided by all rows.
    let row_length = |client: &mut Mysql| {
        let status = client.query("SHOW TABLE STATUS FROM d LIKE 'c'").unwrap();
        status[0][5].clone()
    };
    let of_a_row = Some((of_segments / ROWS).to_string());
    wait_until("all rows to be in segments", || row_length(&mut client) == of_a_row);
    assert_within_a_hundredth(told(&mut client, "c").data_plain, of_segments, "all rows");
    // An entry of n: the number, whether there is one, and the row's key; its value says where that
    // is.
    let of_entries = ROWS * (6 + 5 + 4 + 2);
    let of_index = ROWS * (4 + 4 + 2 + 30);
    wait_until("the columnar index to follow", || {
        is_within_a_hundredth(told(&mut client, "i").index_plain, of_entries + of_index)
    });
    assert_within_a_hundredth(told(&mut client, "c").index_plain, of_entries, "entries of n");
    client.query("DELETE FROM d.c WHERE id % 4 = 0").unwrap();
    let told_of_c = told(&mut client, "c");
    assert_eq!(told_of_c.rows, ROWS * 3 / 4);
    assert_eq!(row_length(&mut client), of_a_row, "what segments say is exact");
    assert_within_a_hundredth(told_of_c.data_plain, of_segments * 3 / 4, "rows that are left");
    drop(client);
    assert_eq!(server.stop().code(), Some(0));
    await_sizes_of_files(directory.path());
}

/// A list of many tables is what clients ask for when they start.
#[test]
fn a_thousand_tables_are_listed_well_within_a_second() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = session(&server);
    make(&mut client, "t0", ", KEY (n))");
    for table in 1..1_000 {
        client.query(&format!("CREATE TABLE d.t{table} LIKE d.t0")).unwrap();
    }
    let began = std::time::Instant::now();
    for table in 0..1_000 {
        insert(&mut client, &format!("t{table}"), 0..200, 10);
    }
    let filled = began.elapsed();
    let began = std::time::Instant::now();
    let listed = client.query("SHOW TABLE STATUS FROM d").unwrap();
    let took = began.elapsed();
    assert_eq!(listed.len(), 1_000);
    assert!(listed.iter().all(|line| line[4].as_deref() == Some("200")));
    // A size costs less than a statement with two hundred rows, on whatever machine.
    assert!(took < filled, "{took:?} for the sizes, {filled:?} for the rows");
}

#[test]
fn sizes_are_there_wherever_a_query_names_them() {
    let place = tempfile::tempdir().expect("a directory");
    let server = Running::start(place.path(), &[MEMORY]);
    let mut client = session(&server);
    client.query("CREATE DATABASE d").expect("made");
    client.query("CREATE TABLE d.t (id INT PRIMARY KEY, s VARCHAR(100))").expect("made");
    let rows: Vec<String> = (0..500).map(|id| format!("({id}, REPEAT('x', 50))")).collect();
    client.query(&format!("INSERT INTO d.t VALUES {}", rows.join(","))).expect("filled");
    let tables = "information_schema.tables";
    for query in [
        format!("SELECT data_length FROM {tables} WHERE table_name = 't'"),
        format!("SELECT COUNT(*) FROM {tables} WHERE table_name = 't' AND Data_Length > 0"),
        format!(
            "SELECT COUNT(*) FROM {tables} WHERE table_schema = 'd' HAVING SUM(table_rows) > 0"
        ),
        format!("SELECT x.data_length FROM (SELECT * FROM {tables}) x WHERE x.table_name = 't'"),
        format!(
            "SELECT d FROM (SELECT data_length AS d, table_name AS n FROM {tables}) x WHERE n = 't'"
        ),
        format!("SELECT (SELECT avg_row_length FROM {tables} WHERE table_name = 't')"),
        format!(
            "SELECT COUNT(*) FROM d.t WHERE id = 7 AND EXISTS (SELECT 1 FROM {tables} i \
             WHERE i.table_name = 't' AND i.data_length > d.t.id)"
        ),
        format!(
            "SELECT COUNT(*) FROM {tables} a JOIN {tables} b USING (table_name, data_length) \
             WHERE b.table_name = 't' AND b.data_length > 0"
        ),
        format!("SELECT table_rows FROM {tables} WHERE table_schema = 'd' GROUP BY table_rows"),
        format!(
            "SELECT 1 + COUNT(*) FROM {tables} WHERE table_name = 't' ORDER BY MAX(data_length)"
        ),
    ] {
        assert!(numbers(&mut client, &query)[0] > 0, "{query}");
    }
    // What names none is told all the same.
    let names = format!("SELECT table_name FROM {tables} WHERE table_schema = 'd'");
    assert_eq!(client.query(&names).expect("names"), [[Some("t".to_owned())]]);
    let count = format!("SELECT COUNT(*) FROM {tables} WHERE table_schema = 'd'");
    assert_eq!(numbers(&mut client, &count), [1]);
}
