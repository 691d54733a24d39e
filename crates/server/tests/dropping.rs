//! DROP INDEX while clients of all doors are at work: no writer meets an error, no reader a wrong
//! answer, whether the index leads it or not; and the space of the entries comes back, after a kill
//! as well.
//!
//! A statement that meets the table as another one is begun again, and its client sees nothing of
//! that; only a transaction that reads an older state is told (error 1412).
//!
//! Not here: indexes that are added (`online`), other changes (`changing`), columnar indexes
//! (`columnar_index`).

use std::io::BufReader;
use std::path::Path;

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, figure, rest, wait_until};
use crate::writers::{Lines, ROWS, Writers, assert_sound, login, one, start};

/// Rows that no writer touches, of the ids -1 and below: what readers look for.
const MARKED: u64 = 100;
const FIRST_MARK: u64 = 1_000_000;
/// One more, under two texts by turns.
const MOVING: &str = "moving";
/// The index does not exist; the table is another one than the transaction knows.
const NO_SUCH_KEY: u16 = 1176;
const TABLE_CHANGED: u16 = 1412;

fn mark(sql: &mut Mysql) {
    for n in 1..=MARKED {
        let row = format!("(-{n}, {}, -{n}, 'marked {n}')", FIRST_MARK + n);
        sql.execute(&format!("INSERT INTO d.t VALUES {row}")).unwrap();
    }
    sql.execute(&format!("INSERT INTO d.t VALUES (-1000, 0, -1000, '{MOVING} 0')")).unwrap();
}

/// The first column of what a query answers, or the number of its error.
fn answer(sql: &mut Mysql, query: &str) -> Result<Vec<String>, u16> {
    match sql.query(query) {
        Ok(rows) => Ok(rows.into_iter().map(|row| row[0].clone().unwrap_or_default()).collect()),
        Err(Failure::Error { number, .. }) => Err(number),
        Err(gone) => panic!("{query}: {gone}"),
    }
}

fn assert_answer(sql: &mut Mysql, query: &str, right: &str) {
    assert_eq!(answer(sql, query), Ok(vec![right.to_owned()]), "{query}");
}

/// Readers for whom an index on `s`, or on `a`, is the way to their rows while there is one.
fn start_readers(server: &Running, clients: &mut Writers) {
    let mark_of = |n: u64| 1 + n % MARKED;
    let mut by_text = login(server);
    clients.go(move |n, _| {
        let n = mark_of(n);
        let query = format!("SELECT id FROM d.t WHERE s = 'marked {n}'");
        assert_answer(&mut by_text, &query, &format!("-{n}"));
    });
    let mut by_range = login(server);
    clients.go(move |_, _| {
        let (first, last) = (FIRST_MARK + 1, FIRST_MARK + MARKED);
        let query = format!("SELECT COUNT(*) FROM d.t WHERE a BETWEEN {first} AND {last}");
        assert_answer(&mut by_range, &query, &MARKED.to_string());
        let query = "SELECT s FROM d.t WHERE s LIKE 'marked%' ORDER BY s DESC LIMIT 1";
        assert_answer(&mut by_range, query, "marked 99");
    });
    // Goes through all entries of the index, and is amid that when it is dropped.
    let mut sql = login(server);
    clients.go(move |_, _| {
        let query = "SELECT COUNT(*) FROM d.t FORCE INDEX (by_s) WHERE s > '' AND id < 0";
        let found = answer(&mut sql, query);
        assert!(
            found == Err(NO_SUCH_KEY) || found == Ok(vec![(MARKED + 1).to_string()]),
            "{query}: {found:?}"
        );
    });
    let mut prepared = login(server);
    prepared.execute("PREPARE known FROM 'SELECT id FROM d.t WHERE s = ?'").unwrap();
    clients.go(move |n, _| {
        let n = mark_of(n);
        prepared.execute(&format!("SET @s = 'marked {n}'")).unwrap();
        assert_answer(&mut prepared, "EXECUTE known USING @s", &format!("-{n}"));
    });
    // Sees one state of the table, or is told that the table is another one.
    let mut sql = login(server);
    clients.go(move |n, _| {
        let n = mark_of(n);
        sql.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
        for _ in 0..3 {
            let query = format!("SELECT id FROM d.t WHERE s = 'marked {n}'");
            let found = answer(&mut sql, &query);
            let right = found == Ok(vec![format!("-{n}")]) || found == Err(TABLE_CHANGED);
            assert!(right, "{query}: {found:?}");
        }
        sql.execute("COMMIT").unwrap();
    });
    let mut lines = Lines(BufReader::new(server.connect("handlersocket")));
    let mut is_open = false;
    clients.go(move |n, _| {
        if !is_open {
            // Refused while there is no such index.
            is_open = lines.ask("P\t1\td\tt\tby_s\tid,s\n") == "0\t1";
            return;
        }
        let n = mark_of(n);
        let reply = lines.ask(&format!("1\t=\t1\tmarked {n}\t1\t0\n"));
        is_open = reply.starts_with("0\t");
        assert!(!is_open || reply == format!("0\t2\t-{n}\tmarked {n}"), "{reply}");
    });
}

/// A writer that finds its row by the index.
fn start_mover(server: &Running, clients: &mut Writers) {
    let mut sql = login(server);
    clients.go(move |n, _| {
        let (from, to) = (format!("{MOVING} {n}"), format!("{MOVING} {}", n + 1));
        let update = format!("UPDATE d.t SET s = '{to}' WHERE s = '{from}'");
        assert_eq!(sql.execute(&update).unwrap_or_else(|error| panic!("{update}: {error}")), 1);
    });
}

#[test]
fn nobody_meets_an_error_or_a_wrong_answer_when_indexes_are_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--durability=os"], ROWS);
    mark(&mut sql);
    let add_all = "ALTER TABLE d.t ADD INDEX by_s (s), ADD INDEX by_a (a), ADD UNIQUE by_b (b)";
    sql.execute(add_all).unwrap();
    let mut clients = Writers::start(&server);
    start_readers(&server, &mut clients);
    start_mover(&server, &mut clients);
    for (drop, add) in [
        ("DROP INDEX by_s ON d.t", "CREATE INDEX by_s ON d.t (s)"),
        ("ALTER TABLE d.t DROP INDEX by_a", "ALTER TABLE d.t ADD INDEX by_a (a, s)"),
        ("ALTER TABLE d.t DROP INDEX by_s, DROP KEY by_b", "CREATE INDEX by_s ON d.t (s, b)"),
        ("ALTER TABLE d.t DROP INDEX by_s, ADD INDEX by_s (s)", "SELECT 1"),
    ] {
        clients.wait_for_all();
        sql.execute(drop).unwrap_or_else(|error| panic!("{drop}: {error}"));
        clients.wait_for_all();
        sql.query(add).unwrap_or_else(|error| panic!("{add}: {error}"));
    }
    clients.wait_for_all();
    eprintln!("{:?} steps", clients.end());
    let counts = ["id + 0 > -10000", "a >= 0", "s > ''"]
        .map(|by| one(&mut sql, &format!("SELECT COUNT(*) FROM d.t WHERE {by}")));
    drop(sql);
    server.stop();
    assert_sound(directory.path());
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

/// Bytes of the files of the store.
fn file_bytes(data: &Path) -> u64 {
    let files = std::fs::read_dir(data.join("rows")).expect("the files").flatten();
    let tables = files.filter(|file| file.path().extension().is_some_and(|end| end == "sst"));
    tables.map(|file| file.metadata().map_or(0, |metadata| metadata.len())).sum()
}

/// Waits until the space of the table's only index is free again, where the files had so many bytes
/// before it was added.
fn wait_for_space(sql: &mut Mysql, data: &Path, before: u64, with_index: u64) {
    let most = before + (with_index - before) / 8;
    wait_until("smaller files", || file_bytes(data) <= most);
    let query = "SELECT index_length FROM information_schema.table_sizes \
                 WHERE table_schema = 'd' AND table_name = 't'";
    wait_until("nothing to be told of", || one(sql, query) == "0");
}

#[test]
fn entries_of_a_dropped_index_give_their_space_back_beside_writers_and_after_a_kill() {
    const MEBIBYTE: u64 = 1 << 20;
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let (server, mut sql) = start(data, &[], ROWS);
    let before = file_bytes(data);
    let add = "ALTER TABLE d.t ADD INDEX by_s (s, b)";
    sql.execute(add).unwrap();
    let with_index = file_bytes(data);
    assert!(with_index > before + 2 * MEBIBYTE, "{before}, then {with_index}");
    let (mut writers, mut writer) = (Writers::default(), login(&server));
    // Rows that have entries, so that what is removed and what is written meet.
    writers.go(move |n, _| {
        let update = format!("UPDATE d.t SET s = 'written {n}' WHERE id = {}", n % 100);
        writer.execute(&update).unwrap_or_else(|error| panic!("{update}: {error}"));
    });
    writers.wait_for_all();
    sql.execute("DROP INDEX by_s ON d.t").unwrap();
    wait_for_space(&mut sql, data, before, with_index);
    writers.wait_for_all();
    writers.end();
    sql.execute(add).unwrap();
    let with_index = file_bytes(data);
    assert!(with_index > before + 2 * MEBIBYTE, "{before}, then {with_index}");
    sql.execute("ALTER TABLE d.t DROP INDEX by_s").unwrap();
    server.kill();
    let server = Running::start(data, &[]);
    let mut sql = login(&server);
    assert!(sql.query("SHOW INDEX FROM d.t WHERE Key_name = 'by_s'").unwrap().is_empty());
    wait_for_space(&mut sql, data, before, with_index);
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.t WHERE s > ''"), ROWS.to_string());
    drop(sql);
    server.stop();
    assert_sound(data);
}

/// Makes a database of so many tables with rows, every fourth of them by column, and one of another
/// database between each two.
fn make_many(sql: &mut Mysql, tables: u64) {
    sql.execute("CREATE DATABASE many").unwrap();
    sql.execute("CREATE DATABASE others").unwrap();
    for n in 0..tables {
        let engine = if n % 4 == 3 { "COLUMNAR" } else { "InnoDB" };
        let columns = "(id INT PRIMARY KEY, s VARCHAR(100), KEY (s))";
        sql.execute(&format!("CREATE TABLE many.t{n} {columns} ENGINE={engine}")).unwrap();
        sql.execute(&format!("INSERT INTO many.t{n} VALUES (1, 'one'), (2, 'two')")).unwrap();
        if n % 20 == 0 {
            sql.execute(&format!("CREATE TABLE others.t{n} {columns} SELECT * FROM many.t{n}"))
                .unwrap();
        }
    }
}

fn tables_of(sql: &mut Mysql, database: &str) -> String {
    let of = format!("information_schema.tables WHERE table_schema = '{database}'");
    one(sql, &format!("SELECT COUNT(*) FROM {of}"))
}

#[test]
fn a_drop_of_a_table_synced_the_log_twice_and_a_list_of_what_is_to_be_done() {
    const TABLES: u64 = 20;
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut sql = login(&server);
    make_many(&mut sql, TABLES);
    let reclaimed = || figure(directory.path(), "store_ranges_to_reclaim") == 0;
    wait_until("nothing is left to do", reclaimed);
    let listed = directory.path().join("rows").join("RECLAIM");
    for table in 0..TABLES {
        sql.execute(&format!("DROP TABLE many.t{table}")).unwrap();
        let listed = std::fs::read(&listed).unwrap_or_default();
        assert_eq!(listed, b"", "what is listed was synced, and the log before");
    }
    wait_until("their space is given back", reclaimed);
    assert_eq!(tables_of(&mut sql, "many"), "0");
}

#[test]
fn a_drop_of_a_database_synced_the_log_for_every_table() {
    const TABLES: u64 = 200;
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut sql = login(&server);
    make_many(&mut sql, TABLES);
    // Others know tables, and are told that they are no more.
    let mut prepared = login(&server);
    prepared.execute("PREPARE known FROM 'SELECT s FROM many.t0 WHERE id = 1'").unwrap();
    assert_answer(&mut prepared, "EXECUTE known", "one");
    let mut lines = Lines(BufReader::new(server.connect("handlersocket")));
    assert_eq!(lines.ask("P\t1\tmany\tt1\tPRIMARY\ts\n"), "0\t1");
    assert_eq!(lines.ask("1\t=\t1\t2\n"), "0\t1\ttwo");
    let syncs = figure(directory.path(), "store_log_syncs");
    assert_eq!(sql.execute("DROP DATABASE many").unwrap(), TABLES);
    // Some may be those of every second.
    let syncs = figure(directory.path(), "store_log_syncs") - syncs;
    assert!(syncs < TABLES / 4, "{syncs}");
    assert!(answer(&mut prepared, "EXECUTE known").is_err());
    assert!(!lines.ask("1\t=\t1\t2\n").starts_with("0\t"));
    assert_eq!(tables_of(&mut sql, "others"), (TABLES / 20).to_string());
    assert_answer(&mut sql, "SELECT s FROM others.t20 WHERE id = 2", "two");
    wait_until("their space is given back", || {
        figure(directory.path(), "store_ranges_to_reclaim") == 0
    });
    // The same names belong to new tables.
    make_some_again(&mut sql);
    // Several tables go as one, or stay.
    assert_eq!(answer(&mut sql, "DROP TABLE many.t0, many.t1, many.t0"), Err(1066));
    assert_eq!(answer(&mut sql, "DROP TABLE many.t0, many.missing"), Err(1051));
    assert_eq!(tables_of(&mut sql, "many"), "2");
    sql.execute("DROP TABLE many.t0, many.t1").unwrap();
    assert_eq!(tables_of(&mut sql, "many"), "0");
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

fn make_some_again(sql: &mut Mysql) {
    sql.execute("CREATE DATABASE many").unwrap();
    for n in 0..2 {
        sql.execute(&format!("CREATE TABLE many.t{n} (id INT PRIMARY KEY, s INT)")).unwrap();
        assert_answer(sql, &format!("SELECT COUNT(*) FROM many.t{n}"), "0");
    }
}

#[test]
fn a_kill_amid_the_drop_of_a_database_leaves_all_of_its_tables_or_none() {
    const TABLES: u64 = 60;
    let directory = tempfile::tempdir().unwrap();
    let mut left = Vec::new();
    for round in 0..4 {
        let server = Running::start(directory.path(), &[]);
        let mut sql = login(&server);
        if left.last().is_none_or(|left| left == "0") {
            sql.execute("DROP DATABASE IF EXISTS others").unwrap();
            make_many(&mut sql, TABLES);
        }
        sql.send_query("DROP DATABASE many").unwrap();
        // From at once to after the answer.
        match round {
            0 => {}
            1 | 2 => (0..round).for_each(|_| rest()),
            _ => drop(sql.result().unwrap()),
        }
        server.kill();
        let server = Running::start(directory.path(), &[]);
        let mut sql = login(&server);
        left.push(tables_of(&mut sql, "many"));
        assert_eq!(tables_of(&mut sql, "others"), (TABLES / 20).to_string());
        drop(sql);
        server.stop();
        assert_sound(directory.path());
    }
    assert!(left.iter().all(|left| left == "0" || *left == TABLES.to_string()), "{left:?}");
    assert_eq!(left[3], "0", "it was acknowledged");
}
