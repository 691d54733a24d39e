//! The Tyrant door on columnar tables: rows in segments are records as recent ones are, and
//! documents in them are found by index and without.

use std::net::TcpStream;
use std::path::Path;

use crate::documents::{FLAGS, check, count, fill, misc, number};
use crate::mysql::Mysql;
use crate::support::{Running, wait_until};
use crate::{ask, get, record, value};

const RECORDS: u64 = 20_000;

fn await_segments(sql: &mut Mysql, database: &str, table: &str) {
    let status = format!("SHOW TABLE STATUS FROM {database} LIKE '{table}'");
    wait_until("the rows to be sealed", || sql.query(&status).unwrap()[0][5] != Some("0".into()));
}

/// `d.c (k, v)` with records `key N`, `value N` in segments.
fn make_records(data: &Path) {
    let server = Running::start(data, &[]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("CREATE DATABASE d").unwrap();
    let columns = "k VARBINARY(100) PRIMARY KEY, v LONGBLOB";
    sql.query(&format!("CREATE TABLE d.c ({columns}) ENGINE=COLUMNAR")).unwrap();
    let rows: Vec<String> = (0..RECORDS).map(|n| format!("('key {n}','value {n}')")).collect();
    for rows in rows.chunks(1000) {
        sql.query(&format!("INSERT INTO d.c VALUES {}", rows.join(","))).unwrap();
    }
    await_segments(&mut sql, "d", "c");
    assert_eq!(server.stop().code(), Some(0));
}

/// A request of a command that takes a key.
fn of_key(command: u8, key: &str) -> Vec<u8> {
    [&[0xc8, command][..], &(key.len() as u32).to_be_bytes(), key.as_bytes()].concat()
}

fn one(sql: &mut Mysql, query: &str) -> String {
    sql.query(query).unwrap()[0][0].clone().unwrap_or_default()
}

fn rows(client: &mut TcpStream) -> u64 {
    let answer = ask(client, &[0xc8, 0x80], 9);
    assert_eq!(answer[0], 0);
    u64::from_be_bytes(answer[1..].try_into().unwrap())
}

#[test]
fn records_in_segments_are_read_and_written_as_any() {
    let directory = tempfile::tempdir().unwrap();
    make_records(directory.path());
    let flags = ["--tyrant-database=d.c(k, v)", "--tyrant-vanish=allow"];
    let server = Running::start(directory.path(), &flags);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    let mut client = server.connect("tyrant");
    assert_eq!(ask(&mut client, &get("key 77"), 13), value("value 77"));
    assert_eq!(ask(&mut client, &get("key none"), 1), [1]);
    assert_eq!(ask(&mut client, &of_key(0x38, "key 19999"), 5), [0, 0, 0, 0, 11], "vsiz");
    wait_until("the rows to be counted", || rows(&mut client) == RECORDS);
    for (request, code) in [
        (record(0x10, "key 77", "put"), 0),
        (record(0x11, "key 78", "kept"), 1),
        (record(0x11, "new", "kept"), 0),
        (record(0x12, "key 79", ", more"), 0),
        (of_key(0x20, "key 80"), 0),
        (of_key(0x20, "key 80"), 1),
    ] {
        assert_eq!(ask(&mut client, &request, 1), [code], "{request:?}");
    }
    let add = [&[0xc8, 0x60, 0, 0, 0, 6, 0, 0, 0, 5][..], b"key 81"].concat();
    assert_eq!(ask(&mut client, &add, 1), [1], "a text is no number");
    assert_eq!(ask(&mut client, &record(0x10, "key 81", "\x03\0\0\0"), 1), [0]);
    assert_eq!(ask(&mut client, &add, 5), [0, 0, 0, 0, 8]);
    let ends = "SELECT GROUP_CONCAT(k, '=', v ORDER BY k) FROM d.c \
                WHERE k IN ('key 77', 'key 78', 'key 79', 'key 80', 'new')";
    let expected = "key 77=put,key 78=value 78,key 79=value 79, more,new=kept";
    assert_eq!(one(&mut sql, ends), expected);
    // In order, those in segments among recent ones.
    let found = misc(&mut client, "fwmkeys", &["key 7", "1000"]);
    let found = found.unwrap_or_else(|| misc(&mut client, "range", &["key 7", "1000"]).unwrap());
    assert!(found.len() >= 1000, "{}", found.len());
    let list = misc(&mut client, "getlist", &["key 77", "key 500", "key 80"]).unwrap();
    assert_eq!(list, ["key 77", "put", "key 500", "value 500"]);
    misc(&mut client, "putlist", &["key 501", "a", "key 30000", "b"]).unwrap();
    misc(&mut client, "outlist", &["key 502", "key 503"]).unwrap();
    let found = misc(&mut client, "regex", &["^key 50[0-9]$"]).unwrap();
    let keys: Vec<&str> = found.iter().step_by(2).map(String::as_str).collect();
    assert_eq!(keys, [500, 501, 504, 505, 506, 507, 508, 509].map(|n| format!("key {n}")));
    assert_eq!(rows(&mut client), RECORDS - 1);
    server.kill();
    let server = Running::start(directory.path(), &flags);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    let mut client = server.connect("tyrant");
    assert_eq!(one(&mut sql, ends), expected);
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.c"), (RECORDS - 1).to_string());
    assert_eq!(ask(&mut client, &get("key 501"), 6), value("a"));
    let every = [&[0xc8, 0x50][..], &[0xc8, 0x51].repeat(3)].concat();
    let keys = ["key 0", "key 1", "key 10"].map(value);
    let answer = [vec![0], keys.concat()].concat();
    assert_eq!(ask(&mut client, &every, answer.len()), answer);
    assert_eq!(ask(&mut client, &[0xc8, 0x72], 1), [0], "vanish");
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.c"), "0");
    assert_eq!(ask(&mut client, &get("key 1"), 1), [1]);
    assert_eq!(server.stop().code(), Some(0));
    check(directory.path());
}

#[test]
fn documents_in_segments_are_found_by_index_and_without() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &FLAGS);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    fill(&mut sql);
    let mut client = server.connect("tyrant");
    assert!(misc(&mut client, "setindex", &["n", "1"]).is_some());
    sql.query("ALTER TABLE tyrant.documents ENGINE=COLUMNAR").unwrap();
    await_segments(&mut sql, "tyrant", "documents");
    assert_eq!(count(&mut client, &["addcond~n~NUMEQ~7"]), (200, "using an index alone".into()));
    let (by_word, scanned) = (["addcond~w~STRAND~word77 no"], "scanning the whole table");
    assert_eq!(count(&mut client, &by_word), (40, scanned.into()));
    assert!(misc(&mut client, "setindex", &["w", "2"]).is_some());
    assert_eq!(count(&mut client, &by_word), (40, "using an index".into()));
    misc(&mut client, "put", &["new", "n", "7", "w", "word77 no"]).expect("put");
    assert!(misc(&mut client, "out", &["7"]).is_some());
    let set =
        "UPDATE tyrant.documents SET columns = JSON_SET(columns, '$.n', 1007) WHERE pk = '107'";
    assert_eq!(sql.execute(set).unwrap(), 1);
    assert_eq!(count(&mut client, &["addcond~n~NUMEQ~7"]).0, 199);
    assert_eq!(count(&mut client, &["addcond~n~NUMEQ~1007"]).0, 1);
    assert_eq!(count(&mut client, &by_word).0, 41);
    let sevens = "SELECT COUNT(*) FROM tyrant.documents WHERE columns->>'$.n' = '7'";
    assert_eq!(number(&mut sql, sevens), 199);
    assert_eq!(server.stop().code(), Some(0));
    check(directory.path());
}
