//! Foreign keys, whichever door a row comes or goes through: at each in its words, in loads, by
//! expiry, beside kills.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;

use crate::mysql::{Failure, Mysql, error_number};
use crate::support::{Running, ask_line, wait_until};
use crate::writers::{Lines, assert_sound, login, one};

const TABLES: [&str; 4] = [
    "CREATE DATABASE d",
    "CREATE TABLE d.p (id VARCHAR(20) PRIMARY KEY, v INT, until BIGINT NOT NULL DEFAULT 0)",
    "CREATE TABLE d.c (id VARCHAR(20) PRIMARY KEY, pid VARCHAR(20), \
     CONSTRAINT owner FOREIGN KEY (pid) REFERENCES d.p (id) ON DELETE CASCADE)",
    "CREATE TABLE d.r (id VARCHAR(20) PRIMARY KEY, pid VARCHAR(20), \
     CONSTRAINT keeper FOREIGN KEY (pid) REFERENCES d.p (id))",
];

/// A server with parents `p`, children `c` that go with them, and `r` that keep them: each is a
/// container, and `c` the database of the Tyrant door.
fn with_tables(directory: &Path) -> (Running, Mysql) {
    let server = Running::start(directory, &[]);
    let mut sql = login(&server);
    for table in TABLES {
        sql.execute(table).unwrap();
    }
    sql.execute(
        "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns) VALUES \
         ('p', 'd', 'p', 'id', 'v'), ('c', 'd', 'c', 'id', 'pid'), ('r', 'd', 'r', 'id', 'pid')",
    )
    .unwrap();
    drop(sql);
    server.stop();
    let server = Running::start(directory, &["--tyrant-database=d.c(id, pid)"]);
    let sql = login(&server);
    (server, sql)
}

/// Puts a record at the Tyrant door; its status.
fn put(stream: &mut TcpStream, key: &str, value: &str) -> u8 {
    let lengths = [key, value].map(|text| (text.len() as u32).to_be_bytes());
    let request = [&[0xc8, 0x10][..], lengths.as_flattened(), key.as_bytes(), value.as_bytes()];
    stream.write_all(&request.concat()).unwrap();
    let mut status = [0];
    stream.read_exact(&mut status).unwrap();
    status[0]
}

/// How many children are without their parents.
fn orphans(sql: &mut Mysql) -> String {
    let of = |table: &str| {
        format!(
            "(SELECT COUNT(*) FROM d.{table} k LEFT JOIN d.p ON p.id = k.pid \
             WHERE k.pid IS NOT NULL AND p.id IS NULL)"
        )
    };
    one(sql, &format!("SELECT {} + {}", of("c"), of("r")))
}

#[test]
fn rows_of_every_door_obey_the_foreign_keys_of_their_table() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_tables(directory.path());
    let mut memcached = Lines(BufReader::new(server.connect("memcached")));
    let mut hs = Lines(BufReader::new(server.connect("handlersocket-write")));
    let mut tyrant = server.connect("tyrant");

    assert_eq!(memcached.ask("set p:ada 0 0 1\r\n1\r\n"), "STORED");
    assert_eq!(memcached.ask("set p:bob 0 0 1\r\n2\r\n"), "STORED");
    assert_eq!(memcached.ask("set c:m 0 0 3\r\nada\r\n"), "STORED");
    let no_parent = "CLIENT_ERROR value is against foreign key owner";
    assert_eq!(memcached.ask("set c:n 0 0 3\r\neve\r\n"), no_parent);
    assert_eq!(memcached.ask("set c:m 0 0 3\r\neve\r\n"), no_parent);
    assert_eq!(put(&mut tyrant, "t", "ada"), 0);
    assert_eq!(put(&mut tyrant, "n", "eve"), 1);
    assert_eq!(put(&mut tyrant, "t", "eve"), 1);
    assert_eq!(hs.ask("P\t1\td\tc\tPRIMARY\tid,pid\n"), "0\t1");
    assert_eq!(hs.ask("1\t+\t2\th\tada\n"), "0\t1");
    assert_eq!(hs.ask("1\t+\t2\tn\teve\n"), "1\t1\t151");
    assert_eq!(hs.ask("1\t=\t1\th\t1\t0\tU\th\teve\n"), "1\t1\t151");
    assert_eq!(error_number(sql.execute("INSERT INTO d.c VALUES ('n', 'eve')")), 1452);
    assert_eq!(one(&mut sql, "SELECT GROUP_CONCAT(id ORDER BY id) FROM d.c"), "h,m,t");

    // What keeps a parent keeps it at each door; nothing of its other children goes either.
    assert_eq!(memcached.ask("set r:k 0 0 3\r\nada\r\n"), "STORED");
    let kept = "CLIENT_ERROR item is needed by foreign key keeper";
    assert_eq!(memcached.ask("delete p:ada\r\n"), kept);
    assert_eq!(hs.ask("P\t2\td\tp\tPRIMARY\tid\n"), "0\t1");
    assert_eq!(hs.ask("2\t=\t1\tada\t1\t0\tD\n"), "1\t1\t152");
    assert_eq!(error_number(sql.execute("DELETE FROM d.p WHERE id = 'ada'")), 1451);
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.c WHERE pid = 'ada'"), "3");

    assert_eq!(memcached.ask("delete r:k\r\n"), "DELETED");
    assert_eq!(memcached.ask("delete p:ada\r\n"), "DELETED");
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.c"), "0");
    assert_eq!(memcached.ask("get c:m\r\n"), "END");
    assert_eq!(orphans(&mut sql), "0");
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn a_load_with_a_row_that_has_no_parent_is_refused_as_a_whole_or_forgiven_by_row() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_tables(directory.path());
    sql.execute("INSERT INTO d.p (id, v) VALUES ('ada', 1)").unwrap();
    let load = |sql: &mut Mysql, how: &str, rows: u32, orphan: u32| {
        sql.begin_load(&format!("LOAD DATA LOCAL INFILE 'f' {how} INTO TABLE d.c")).unwrap();
        let line = |n| format!("k{n}\t{}\n", if n == orphan { "eve" } else { "ada" });
        let text: String = (0..rows).map(line).collect();
        // A client that is refused meanwhile may not send the rest.
        let _ = sql.send_piece(text.as_bytes());
        let _ = sql.send_piece(b"");
        sql.result()
    };
    for rows in [100, 150_000] {
        // REPLACE does not forgive; LOCAL by itself does.
        let refused = load(&mut sql, "REPLACE", rows, rows / 2);
        assert!(matches!(refused, Err(Failure::Error { number: 1452, .. })), "{refused:?}");
        load(&mut sql, "IGNORE", rows, rows / 2).unwrap();
        assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.c"), (rows - 1).to_string());
        assert_eq!(orphans(&mut sql), "0");
        sql.execute("TRUNCATE TABLE d.c").unwrap();
    }
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn a_kept_plan_obeys_a_foreign_key_that_came_after_it() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_tables(directory.path());
    sql.execute("CREATE TABLE d.late (id INT PRIMARY KEY, pid VARCHAR(20))").unwrap();
    for id in 0..3 {
        sql.execute(&format!("INSERT INTO d.late VALUES ({id}, NULL)")).unwrap();
        sql.execute(&format!("UPDATE d.late SET pid = NULL WHERE id = {id}")).unwrap();
    }
    sql.execute("ALTER TABLE d.late ADD FOREIGN KEY (pid) REFERENCES d.p (id)").unwrap();
    assert_eq!(error_number(sql.execute("INSERT INTO d.late VALUES (3, 'eve')")), 1452);
    assert_eq!(error_number(sql.execute("UPDATE d.late SET pid = 'eve' WHERE id = 1")), 1452);
    sql.execute("ALTER TABLE d.late DROP FOREIGN KEY late_ibfk_1").unwrap();
    sql.execute("INSERT INTO d.late VALUES (3, 'eve')").unwrap();
    drop(sql);
    server.stop();
}

#[test]
fn what_expires_takes_its_children_along_and_needs_no_one_that_keeps_it() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_tables(directory.path());
    // While a key keeps rows of `p`, no container lets them expire.
    let expiring = "UPDATE rowhouse.containers SET expiry_column = 'until' WHERE name = 'p'";
    sql.execute(expiring).unwrap();
    let ask = |request: &str| ask_line(&mut server.connect("memcached"), request);
    let refused =
        "SERVER_ERROR container p: rows that foreign keys need cannot expire by expiry_column";
    assert_eq!(ask("set p:ada 0 1 1\r\n1\r\n").trim_end(), refused);
    sql.execute("DROP TABLE d.r").unwrap();
    assert_eq!(ask("set p:ada 0 1 1\r\n1\r\n").trim_end(), "STORED");
    sql.execute("INSERT INTO d.p VALUES ('bob', 1, 0)").unwrap();
    sql.execute("INSERT IGNORE INTO d.c VALUES ('a', 'ada'), ('b', 'bob')").unwrap();
    // The sweep takes a parent away, and with it its children.
    wait_until("the sweep", || one(&mut sql, "SELECT GROUP_CONCAT(id) FROM d.c") == "b");
    assert_eq!(one(&mut sql, "SELECT GROUP_CONCAT(id) FROM d.p"), "bob");
    // Now that rows of `p` expire, no new key may keep them; nor when an EXPIRES_BY says so.
    let keeps = "CREATE TABLE d.r (pid VARCHAR(20), FOREIGN KEY (pid) REFERENCES d.p (id))";
    wait_until("the container", || sql.execute(keeps).is_err());
    assert_eq!(error_number(sql.execute(keeps)), 1235);
    sql.execute("DELETE FROM rowhouse.containers").unwrap();
    wait_until("no container", || sql.execute(keeps).is_ok());
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn a_kill_amid_cascades_leaves_no_child_without_its_parent() {
    let directory = tempfile::tempdir().unwrap();
    let (mut server, mut sql) = with_tables(directory.path());
    for round in 0..3 {
        let values = |rows: std::ops::Range<u32>, row: &dyn Fn(u32) -> String| {
            rows.map(row).collect::<Vec<_>>().join(",")
        };
        let parents = values(0..200, &|n| format!("('{round}-{n}', 1, 0)"));
        sql.execute(&format!("INSERT INTO d.p VALUES {parents}")).unwrap();
        let children = values(0..20_000, &|n| format!("('{round}-{n}', '{round}-{}')", n % 200));
        sql.execute(&format!("INSERT INTO d.c VALUES {children}")).unwrap();
        let mut deleting = login(&server);
        let some_are_gone = std::thread::scope(|scope| {
            let deleter = scope.spawn(move || {
                (0..200).all(|n| {
                    deleting.execute(&format!("DELETE FROM d.p WHERE id = '{round}-{n}'")).is_ok()
                })
            });
            let count = "SELECT COUNT(*) FROM d.p";
            wait_until("some deletions", || one(&mut sql, count).parse::<u32>().unwrap() < 190);
            server.kill();
            !deleter.join().unwrap()
        });
        server = Running::start(directory.path(), &[]);
        sql = login(&server);
        assert_eq!(orphans(&mut sql), "0", "{round}, cut off: {some_are_gone}");
        let left = one(&mut sql, "SELECT COUNT(*) FROM d.p").parse::<u32>().unwrap();
        assert!(left < 190, "{left}");
        let whole = format!("SELECT COUNT(*) = {left} * 100 FROM d.c");
        assert_eq!(one(&mut sql, &whole), "1", "a cascade is whole or not there");
        sql.execute("DELETE FROM d.p").unwrap();
        assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.c"), "0");
    }
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}
