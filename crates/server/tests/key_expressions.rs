//! Key parts that are expressions, descend, or are arrays of elements, whichever door a row comes
//! through: after kills, beside writers while they are made, through loads and dumps.

use std::io::{BufReader, Write};
use std::path::Path;

use crate::mysql::{Mysql, error_number};
use crate::support::{Running, ask_line};
use crate::writers::{
    Lines, ROWS, Writers, assert_sound, dump_and_load, login, one, start, with_container,
};

const TABLE: &str = "CREATE TABLE d.k (id VARCHAR(20) PRIMARY KEY, v INT,
    UNIQUE KEY low ((LOWER(id)), v DESC), KEY square ((v * v) DESC))";

fn with_table(directory: &Path) -> (Running, Mysql) {
    with_container(directory, "k", TABLE, "d.k")
}

#[test]
fn rows_of_every_door_have_their_entries_also_after_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_table(directory.path());
    sql.execute("INSERT INTO d.k VALUES ('SQL', 1), ('Gone', 30)").unwrap();
    sql.execute("CREATE TABLE d.n (id INT AUTO_INCREMENT, PRIMARY KEY (id DESC))").unwrap();
    sql.execute("INSERT INTO d.n VALUES (), (), (40), ()").unwrap();
    let mut hs = Lines(BufReader::new(server.connect("handlersocket-write")));
    assert_eq!(hs.ask("P\t1\td\tk\tPRIMARY\tid,v\n"), "0\t1");
    assert_eq!(hs.ask("1\t+\t2\tHs\t2\n"), "0\t1");
    assert_eq!(hs.ask("1\t=\t1\tHs\t1\t0\tU\tHs\t-3\n"), "0\t1\t1");
    // An index of an expression is found in by its value; its column has no name.
    assert_eq!(hs.ask("P\t2\td\tk\tsquare\tid\n"), "0\t1");
    assert_eq!(hs.ask("2\t=\t1\t9\t10\t0\n"), "0\t1\tHs");
    let refused = hs.ask("P\t3\td\tk\tPRIMARY\t!hidden!square!0!0\n");
    assert!(!refused.starts_with('0'), "{refused}");
    let mut memcached = Lines(BufReader::new(server.connect("memcached")));
    assert_eq!(memcached.ask("set k:Mc 0 0 1\r\n5\r\n"), "STORED");
    assert_eq!(memcached.ask("incr k:Mc 2\r\n"), "7");
    assert_eq!(memcached.ask("delete k:Gone\r\n"), "DELETED");
    let mut tyrant = server.connect("tyrant");
    let (key, value) = ("Tt", "v\x00006");
    let lengths = [key, value].map(|text| (text.len() as u32).to_be_bytes());
    let put = [&[0xc8, 0x10][..], lengths.as_flattened(), key.as_bytes(), value.as_bytes()];
    tyrant.write_all(&put.concat()).unwrap();
    let mut status = [9];
    std::io::Read::read_exact(&mut tyrant, &mut status).unwrap();
    let found = |sql: &mut Mysql| {
        let query = "SELECT GROUP_CONCAT(id, ' ', v ORDER BY v * v DESC SEPARATOR '; ') FROM \
                     (SELECT * FROM d.k FORCE INDEX (square) WHERE v * v > 0) q";
        one(sql, query)
    };
    assert_eq!(status[0], 0, "it is put");
    let expected = "Mc 7; Tt 6; Hs -3; SQL 1";
    assert_eq!(found(&mut sql), expected);
    drop(sql);
    server.kill();
    let server = Running::start(directory.path(), &[]);
    let mut sql = login(&server);
    assert_eq!(found(&mut sql), expected);
    assert_eq!(one(&mut sql, "SELECT id FROM d.k WHERE LOWER(id) = 'mc'"), "Mc");
    sql.execute("INSERT INTO d.n VALUES ()").unwrap();
    assert_eq!(one(&mut sql, "SELECT GROUP_CONCAT(id) FROM d.n"), "42,41,40,2,1");
    assert_eq!(error_number(sql.execute("INSERT INTO d.k VALUES ('mC', 7)")), 1062);
    let reply = ask_line(&mut server.connect("memcached"), "set k:MC 0 0 1\r\n8\r\n");
    assert_eq!(reply.trim_end(), "STORED");
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.k WHERE LOWER(id) = 'mc'"), "1");
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

/// Alters `d.t` beside writers; afterwards each of these indexes finds for its condition what a
/// reading of all rows does, and the server starts after a kill.
fn assert_made_beside_writers(alters: [&str; 3], found: &[(&str, String)]) {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--durability=os"], ROWS);
    let writers = Writers::start(&server);
    for alter in alters {
        sql.execute(alter).unwrap_or_else(|error| panic!("{alter}: {error}"));
    }
    writers.end();
    for (index, condition) in found {
        let counted = |hint: &str| {
            format!("SELECT COUNT(*), SUM(id) FROM d.t {hint} INDEX ({index}) WHERE {condition}")
        };
        let (by_index, by_rows) = (counted("FORCE"), counted("IGNORE"));
        assert_eq!(one(&mut sql, &by_index), one(&mut sql, &by_rows), "{condition}");
    }
    drop(sql);
    server.kill();
    let server = Running::start(directory.path(), &[]);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn an_index_of_an_expression_is_made_beside_writers() {
    let alters = [
        "ALTER TABLE d.t ADD INDEX sums ((a + b) DESC, id)",
        "ALTER TABLE d.t ADD INDEX down (b DESC, a)",
        "ALTER TABLE d.t DROP INDEX sums, ADD INDEX others ((b - id))",
    ];
    let found =
        [("others", "b - id > -5000"), ("down", "b > -5000")].map(|(i, c)| (i, c.to_owned()));
    assert_made_beside_writers(alters, &found);
}

#[test]
fn loads_and_dumps_keep_them() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_table(directory.path());
    sql.begin_load("LOAD DATA LOCAL INFILE 'f' INTO TABLE d.k").unwrap();
    let text: String = (0..10_000).map(|n| format!("Key{n}\t{}\n", n % 1000)).collect();
    sql.send_piece(text.as_bytes()).unwrap();
    sql.send_piece(b"").unwrap();
    sql.result().unwrap();
    let counted = "SELECT COUNT(*) FROM d.k FORCE INDEX (square) WHERE v * v = 81";
    let looked_up = "SELECT v FROM d.k WHERE LOWER(id) = 'key777'";
    assert_eq!((one(&mut sql, counted), one(&mut sql, looked_up)), ("10".into(), "777".into()));
    let shown = |sql: &mut Mysql| sql.query("SHOW CREATE TABLE d.k").unwrap()[0][1].clone();
    let before = shown(&mut sql);
    dump_and_load(directory.path(), &mut sql);
    assert_eq!(shown(&mut sql), before);
    assert_eq!((one(&mut sql, counted), one(&mut sql, looked_up)), ("10".into(), "777".into()));
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

const ARRAYS: &str = "CREATE TABLE d.k (id VARCHAR(20) PRIMARY KEY, v INT, doc JSON,
    UNIQUE KEY codes ((CAST(doc->'$.codes' AS UNSIGNED ARRAY))),
    KEY tags (v, (CAST(doc->'$.tags' AS CHAR(9) ARRAY))))";

#[test]
fn elements_of_arrays_are_found_after_kills_loads_and_dumps() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_container(directory.path(), "k", ARRAYS, "d.k");
    sql.begin_load("LOAD DATA LOCAL INFILE 'f' INTO TABLE d.k").unwrap();
    let row = |n: usize| {
        let (a, b) = (n * 2, n * 2 + 1);
        format!("K{n}\t{}\t{{\"codes\": [{a}, {b}, {a}], \"tags\": [\"t{}\"]}}\n", n % 5, n % 100)
    };
    let text: String = (0..10_000).map(row).collect();
    sql.send_piece(text.as_bytes()).unwrap();
    sql.send_piece(b"").unwrap();
    sql.result().unwrap();
    let by_code = |sql: &mut Mysql, code: u64| {
        let query = format!(
            "SELECT GROUP_CONCAT(id) FROM d.k FORCE INDEX (codes) \
             WHERE {code} MEMBER OF (doc->'$.codes')"
        );
        one(sql, &query)
    };
    let tagged = "SELECT COUNT(*) FROM d.k WHERE v = 2 AND 't17' MEMBER OF (doc->'$.tags')";
    assert_eq!((by_code(&mut sql, 4001), one(&mut sql, tagged)), ("K2000".into(), "100".into()));
    // Rows of other doors have their entries, and meet the unique ones of others.
    let mut hs = Lines(BufReader::new(server.connect("handlersocket-write")));
    assert_eq!(hs.ask("P\t1\td\tk\tPRIMARY\tid,v,doc\n"), "0\t1");
    assert_eq!(hs.ask("1\t+\t3\tHs\t2\t{\"codes\": [50001, 50002]}\n"), "0\t1");
    let taken = hs.ask("1\t+\t3\tHs2\t2\t{\"codes\": [50003, 50002]}\n");
    assert!(!taken.starts_with('0'), "{taken}");
    // None of its indexes can be opened there by elements.
    let refused = hs.ask("P\t2\td\tk\tcodes\tid\n");
    assert!(!refused.starts_with('0'), "{refused}");
    let mut memcached = Lines(BufReader::new(server.connect("memcached")));
    assert_eq!(memcached.ask("delete k:K2000\r\n"), "DELETED");
    sql.execute("UPDATE d.k SET doc = '{\"codes\": 4001}' WHERE id = 'K7'").unwrap();
    drop(sql);
    server.kill();
    let server = Running::start(directory.path(), &[]);
    let mut sql = login(&server);
    let found = |sql: &mut Mysql| [4001, 50002, 14, 16].map(|code| by_code(sql, code));
    assert_eq!(found(&mut sql), ["K7", "Hs", "", "K8"]);
    let shown = |sql: &mut Mysql| sql.query("SHOW CREATE TABLE d.k").unwrap()[0][1].clone();
    let before = shown(&mut sql);
    dump_and_load(directory.path(), &mut sql);
    assert_eq!(shown(&mut sql), before);
    assert_eq!(found(&mut sql), ["K7", "Hs", "", "K8"]);
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn an_index_of_elements_is_made_beside_writers() {
    let alters = [
        "ALTER TABLE d.t ADD INDEX pairs ((CAST(JSON_ARRAY(a, b, id) AS SIGNED ARRAY)))",
        "ALTER TABLE d.t ADD INDEX more (a, (CAST(JSON_ARRAY(a, b, id) AS SIGNED ARRAY)))",
        "ALTER TABLE d.t DROP INDEX more",
    ];
    let of = |element| ("pairs", format!("{element} MEMBER OF (JSON_ARRAY(a, b, id))"));
    assert_made_beside_writers(alters, &[1, 2, 77, 500].map(of));
}
