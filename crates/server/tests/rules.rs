//! CHECK, computed columns and computed defaults, whichever door a row comes through: during ALTER
//! TABLE, after restarts, through dumps and loads.

use std::io::{BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::mysql::{Failure, Mysql, error_number};
use crate::support::{Running, ask_line};
use crate::writers::{
    Lines, ROWS, Writers, assert_sound, dump_and_load, login, one, start, with_container,
};

const TABLE: &str = "CREATE TABLE d.r (id VARCHAR(20) PRIMARY KEY, v INT,
    twice INT AS (v * 2) STORED, word VARCHAR(40) DEFAULT (CONCAT('w-', id)),
    at DATETIME DEFAULT (NOW() + INTERVAL 1 DAY), KEY by_twice (twice),
    CONSTRAINT positive CHECK (v >= 0))";

fn with_table(directory: &Path) -> (Running, Mysql) {
    with_container(directory, "r", TABLE, "d.r(id, v)")
}

/// Rows of `d.r` as one text, without what the clock gives.
fn rows(sql: &mut Mysql) -> String {
    let rows = sql.query("SELECT id, v, twice, word, at > NOW() FROM d.r ORDER BY id").unwrap();
    let line = |row: &Vec<Option<String>>| {
        let values = row.iter().map(|value| value.as_deref().unwrap_or("-"));
        values.collect::<Vec<_>>().join(" ")
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn rows_of_every_door_obey_the_rules_of_their_table() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_table(directory.path());
    sql.execute("INSERT INTO d.r (id, v) VALUES ('sql', 1)").unwrap();
    assert_eq!(error_number(sql.execute("INSERT INTO d.r (id, v) VALUES ('no', -1)")), 3819);
    assert_eq!(error_number(sql.execute("UPDATE d.r SET v = -1")), 3819);

    let mut hs = Lines(BufReader::new(server.connect("handlersocket-write")));
    assert_eq!(hs.ask("P\t1\td\tr\tPRIMARY\tid,v\n"), "0\t1");
    assert_eq!(hs.ask("1\t+\t2\ths\t2\n"), "0\t1");
    assert_eq!(hs.ask("1\t+\t2\tno\t-1\n"), "1\t1\t4025");
    assert_eq!(hs.ask("1\t=\t1\ths\t1\t0\tU\ths\t-5\n"), "1\t1\t4025");
    assert_eq!(hs.ask("1\t=\t1\ths\t1\t0\tU\ths\t3\n"), "0\t1\t1");
    // What a client says of a computed column does not count.
    assert_eq!(hs.ask("P\t2\td\tr\tPRIMARY\tid,v,twice\n"), "0\t1");
    assert_eq!(hs.ask("2\t+\t3\ths2\t4\t999\n"), "0\t1");
    assert_eq!(hs.ask("2\t=\t1\ths\t1\t0\tU\ths\t3\t77\n"), "0\t1\t1");
    assert_eq!(hs.ask("P\t3\td\tr\tby_twice\tid\n"), "0\t1");
    assert_eq!(hs.ask("3\t=\t1\t8\t10\t0\n"), "0\t1\ths2");

    let mut memcached = Lines(BufReader::new(server.connect("memcached")));
    assert_eq!(memcached.ask("set r:mc 0 0 1\r\n5\r\n"), "STORED");
    let refused = memcached.ask("set r:no 0 0 2\r\n-1\r\n");
    assert_eq!(refused, "CLIENT_ERROR value is against constraint positive");
    assert_eq!(memcached.ask("incr r:mc 2\r\n"), "7");
    let refused = memcached.ask("set r:mc 0 0 2\r\n-7\r\n");
    assert_eq!(refused, "CLIENT_ERROR value is against constraint positive");

    let mut tyrant = server.connect("tyrant");
    let put = |key: &str, value: &str| {
        let lengths = [key, value].map(|text| (text.len() as u32).to_be_bytes());
        [&[0xc8, 0x10][..], lengths.as_flattened(), key.as_bytes(), value.as_bytes()].concat()
    };
    for (key, value, status) in [("tt", "6", 0), ("no", "-1", 1), ("tt", "-6", 1), ("tt", "8", 0)] {
        tyrant.write_all(&put(key, value)).unwrap();
        assert_eq!(read_byte(&mut tyrant), status, "{key} {value}");
    }

    let expected = "hs 3 6 w-hs 1\nhs2 4 8 w-hs2 1\nmc 7 14 w-mc 1\nsql 1 2 w-sql 1\n\
                    tt 8 16 w-tt 1";
    assert_eq!(rows(&mut sql), expected);
    drop(sql);
    server.kill();
    // The definition has made its rules again.
    let server = Running::start(directory.path(), &[]);
    let mut sql = login(&server);
    assert_eq!(rows(&mut sql), expected);
    assert_eq!(error_number(sql.execute("UPDATE d.r SET v = -1 WHERE id = 'hs'")), 3819);
    sql.execute("UPDATE d.r SET v = 50 WHERE id = 'hs'").unwrap();
    assert_eq!(one(&mut sql, "SELECT id FROM d.r WHERE twice = 100"), "hs");
    let reply = ask_line(&mut server.connect("memcached"), "set r:no 0 0 2\r\n-1\r\n");
    assert_eq!(reply.trim_end(), "CLIENT_ERROR value is against constraint positive");
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

fn read_byte(stream: &mut std::net::TcpStream) -> u8 {
    let mut byte = [0];
    std::io::Read::read_exact(stream, &mut byte).unwrap();
    byte[0]
}

#[test]
fn dumps_and_loads_keep_rules_and_rows() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_table(directory.path());
    sql.execute("INSERT INTO d.r (id, v) VALUES ('a', 1), ('it''s', NULL), ('c', 3)").unwrap();
    sql.execute(
        "CREATE TABLE d.s (a INT CHECK (a <> 7), b VARCHAR(9) AS (CONCAT(a, '\\\\')) STORED)",
    )
    .unwrap();
    sql.execute("INSERT INTO d.s (a) VALUES (1), (NULL)").unwrap();
    let shown = |sql: &mut Mysql, table: &str| {
        sql.query(&format!("SHOW CREATE TABLE d.{table}")).unwrap()[0][1].clone().unwrap()
    };
    let before = (rows(&mut sql), shown(&mut sql, "r"), shown(&mut sql, "s"));
    dump_and_load(directory.path(), &mut sql);
    assert_eq!((rows(&mut sql), shown(&mut sql, "r"), shown(&mut sql, "s")), before);
    assert_eq!(error_number(sql.execute("INSERT INTO d.s (a) VALUES (7)")), 3819);
    assert_eq!(one(&mut sql, "SELECT b FROM d.s WHERE a = 1"), "1\\");
    drop(sql);
    server.stop();
}

#[test]
fn a_large_load_is_refused_as_a_whole_or_forgiven_by_row() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_table(directory.path());
    let load = |sql: &mut Mysql, ignore: &str, bad: u64| {
        sql.begin_load(&format!("LOAD DATA LOCAL INFILE 'f' {ignore} INTO TABLE d.r (id, v)"))
            .unwrap();
        let line = |n: u64| format!("k{n}\t{}\n", if n == bad { -1 } else { n as i64 });
        let text: String = (0..200_000).map(line).collect();
        // Whoever is refused meanwhile may not take the rest.
        let _ = sql.send_piece(text.as_bytes());
        let _ = sql.send_piece(b"");
        sql.result()
    };
    // LOCAL forgives by itself.
    load(&mut sql, "", 150_000).unwrap();
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.r"), "199999");
    let wrong = "SELECT COUNT(*) FROM d.r WHERE twice <> v * 2 OR word <> CONCAT('w-', id)";
    assert_eq!(one(&mut sql, wrong), "0");
    assert_eq!(one(&mut sql, "SELECT id FROM d.r WHERE twice = 199998"), "k99999");
    sql.execute("TRUNCATE TABLE d.r").unwrap();
    assert!(matches!(load(&mut sql, "REPLACE", 150_000), Err(Failure::Error { number: 3819, .. })));
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.r"), "0");
    load(&mut sql, "REPLACE", u64::MAX).unwrap();
    assert_eq!(one(&mut sql, wrong), "0");
    sql.execute("CREATE TABLE d.copy LIKE d.r").unwrap();
    sql.execute("INSERT INTO d.copy (id, v) SELECT id, v FROM d.r").unwrap();
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.copy WHERE twice = v * 2"), "200000");
    assert_eq!(
        error_number(
            sql.execute("INSERT INTO d.copy (id, v) SELECT CONCAT('x', id), 5 - v FROM d.r")
        ),
        3819
    );
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.copy"), "200000");
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn conditions_that_come_beside_writers_hold_for_every_row() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--durability=os"], ROWS);
    let writers = Writers::start(&server);
    let alter = "ALTER TABLE d.t ADD CONSTRAINT sane CHECK (a < 100000000)";
    sql.execute(alter).unwrap_or_else(|error| panic!("{alter}: {error}"));
    // A condition that some row breaks is not added, whether the row was there or comes meanwhile.
    let refused = sql.execute("ALTER TABLE d.t ADD CONSTRAINT none CHECK (id < 150010)");
    assert_eq!(error_number(refused), 3819);
    writers.end();
    assert_eq!(error_number(sql.execute("UPDATE d.t SET a = 100000000 WHERE id = 5")), 3819);
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.t WHERE a >= 100000000"), "0");
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn a_computed_column_that_comes_beside_writers_is_right_in_every_row() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--durability=os"], ROWS);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let mut writer = login(&server);
        let stop = &stop;
        let by_sql = scope.spawn(move || {
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                let (old, new) = (n * 7919 % ROWS, ROWS + n);
                for statement in [
                    format!("UPDATE d.t SET b = b + 1000000 WHERE id = {old}"),
                    format!("INSERT INTO d.t (id, a, b) VALUES ({new}, 1, {n})"),
                    format!("DELETE FROM d.t WHERE id = {}", new - n % 3),
                ] {
                    writer.execute(&statement).unwrap_or_else(|e| panic!("{statement}: {e}"));
                }
                n += 1;
            }
            n
        });
        let mut hs = Lines(BufReader::new(server.connect("handlersocket-write")));
        assert_eq!(hs.ask("P\t1\td\tt\tPRIMARY\tb\n"), "0\t1");
        let by_door = scope.spawn(move || {
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                let reply = hs.ask(&format!("1\t=\t1\t{}\t1\t0\tU\t-{n}\n", n * 104_729 % ROWS));
                assert!(reply.starts_with("0\t1"), "{reply}");
                n += 1;
            }
            n
        });
        for alter in [
            "ALTER TABLE d.t ADD big BIGINT AS (b * 3 + id) STORED, ADD INDEX by_big (big)",
            "ALTER TABLE d.t ADD more VARCHAR(40) DEFAULT (CONCAT(id, '-', b))",
            "ALTER TABLE d.t MODIFY big BIGINT AS (b * 5 + id) STORED",
        ] {
            sql.execute(alter).unwrap_or_else(|error| panic!("{alter}: {error}"));
        }
        stop.store(true, Ordering::Relaxed);
        let done = [by_sql.join().unwrap(), by_door.join().unwrap()];
        assert!(done.iter().all(|done| *done > 20), "{done:?}");
    });
    let wrong = "SELECT COUNT(*) FROM d.t WHERE big <> b * 5 + id OR big IS NULL";
    assert_eq!(one(&mut sql, wrong), "0");
    let some = "SELECT big FROM d.t WHERE id = 77";
    let big = one(&mut sql, some);
    assert_eq!(one(&mut sql, &format!("SELECT id FROM d.t WHERE big = {big}")), "77");
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}
