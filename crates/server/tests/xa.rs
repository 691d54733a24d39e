//! Global transactions that are prepared, when their client leaves, is killed, or the whole server
//! is: their writes are there, unseen, and their rows are locked until somebody ends them.

use std::path::Path;

use crate::backups;
use crate::mysql::{Failure, Mysql, error_number};
use crate::support::{Running, ask_line, run, wait_until};
use crate::writers::{assert_sound, login, one};

fn start(directory: &Path) -> (Running, Mysql) {
    let server = Running::start(directory, &[]);
    let sql = login(&server);
    (server, sql)
}

fn prepare(sql: &mut Mysql, name: &str, statements: &[&str]) {
    sql.run(&format!("XA START '{name}'"));
    statements.iter().for_each(|statement| sql.run(statement));
    sql.run(&format!("XA END '{name}'"));
    sql.run(&format!("XA PREPARE '{name}'"));
}

/// The names of the prepared transactions.
fn recovered(sql: &mut Mysql) -> String {
    let rows = sql.query("XA RECOVER").unwrap();
    let names = rows.iter().map(|row| row[3].clone().unwrap());
    names.collect::<Vec<_>>().join(",")
}

/// Error 1205 of each statement, which wait side by side.
fn assert_locked(server: &Running, statements: &[&str]) {
    std::thread::scope(|scope| {
        for statement in statements {
            scope.spawn(move || {
                let mut sql = login(server);
                sql.run("SET innodb_lock_wait_timeout = 1, lock_wait_timeout = 1");
                let refused: Result<_, Failure> = sql.execute(statement).map(drop);
                assert_eq!(error_number(refused), 1205, "{statement}");
            });
        }
    });
}

const TABLES: [&str; 4] = [
    "CREATE DATABASE d",
    "CREATE TABLE d.p (id INT PRIMARY KEY)",
    "CREATE TABLE d.t (id INT AUTO_INCREMENT PRIMARY KEY, v INT, s VARCHAR(20), pid INT, \
     UNIQUE (v), KEY (s), FOREIGN KEY (pid) REFERENCES d.p (id))",
    "CREATE TABLE d.c (id INT PRIMARY KEY, v INT) ENGINE=COLUMNAR",
];
const CHANGES: [&str; 5] = [
    "INSERT INTO d.t (v, s, pid) VALUES (10, 'new', 1), (11, 'new', 1)",
    "UPDATE d.t SET v = 5, s = 'changed' WHERE id = 1",
    "DELETE FROM d.t WHERE id = 2",
    "UPDATE d.c SET v = v + 1 WHERE id <= 3",
    "DELETE FROM d.c WHERE id = 4",
];
/// All rows, with their sums, by row and by index.
const STATE: &str = "SELECT CONCAT((SELECT GROUP_CONCAT(CONCAT_WS(':', id, v, s, pid) ORDER BY id) FROM d.t), \
     ' ', (SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t WHERE s >= 'a'), ' ', \
     (SELECT GROUP_CONCAT(CONCAT_WS(':', id, v) ORDER BY id) FROM d.c WHERE id < 6))";
const BEFORE: &str = "1:1:a:1,2:2:b,3:3:c 1,2,3 1:1,2:2,3:3,4:4,5:5";
const AFTER: &str = "1:5:changed:1,3:3:c,4:10:new:1,5:11:new:1 1,3,4,5 1:2,2:3,3:4,5:5";

fn furnish(sql: &mut Mysql) {
    TABLES.iter().for_each(|table| sql.run(table));
    sql.run("INSERT INTO d.p VALUES (1), (2)");
    sql.run("INSERT INTO d.t VALUES (1, 1, 'a', 1), (2, 2, 'b', NULL), (3, 3, 'c', NULL)");
    sql.run(
        "INSERT INTO d.c WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n \
         WHERE i < 100) SELECT i, i FROM n",
    );
}

/// What has to wait for the transaction.
const LOCKED: [&str; 10] = [
    "UPDATE d.t SET s = 'x' WHERE id = 1",
    "INSERT INTO d.t (id, v) VALUES (2, 20)",
    "INSERT INTO d.t (id, v) VALUES (4, 20)",
    "INSERT INTO d.t (id, v) VALUES (20, 10)",
    "INSERT INTO d.t (id, v) VALUES (20, 2)",
    "DELETE FROM d.p WHERE id = 1",
    "UPDATE d.c SET v = 0 WHERE id = 4",
    "DROP TABLE d.c",
    "TRUNCATE TABLE d.t",
    "ALTER TABLE d.t ADD w INT",
];

fn assert_held(server: &Running, sql: &mut Mysql) {
    assert_eq!(recovered(sql), "a");
    assert_eq!(one(sql, STATE), BEFORE);
    // Rows before definitions, which wait for those who wait for rows.
    let (rows, definitions) = LOCKED.split_at(7);
    assert_locked(server, rows);
    assert_locked(server, definitions);
}

#[test]
fn a_prepared_transaction_survives_its_client_a_kill_of_the_server_and_a_stop() {
    for end in ["COMMIT", "ROLLBACK"] {
        let directory = tempfile::tempdir().unwrap();
        let (server, mut sql) = start(directory.path());
        furnish(&mut sql);
        let mut client = login(&server);
        prepare(&mut client, "a", &CHANGES);
        // Its connection does other things.
        client.run("INSERT INTO d.p VALUES (3)");
        let id = one(&mut client, "SELECT CONNECTION_ID()");
        sql.run(&format!("KILL {id}"));
        drop(client);
        let gone = format!("SELECT COUNT(*) FROM information_schema.processlist WHERE id = {id}");
        wait_until("the client to be gone", || one(&mut sql, &gone) == "0");
        assert_held(&server, &mut sql);
        server.kill();

        let (server, mut sql) = start(directory.path());
        assert_held(&server, &mut sql);
        drop(sql);
        server.stop();

        let (server, mut sql) = start(directory.path());
        assert_held(&server, &mut sql);
        sql.run("INSERT INTO d.t (v, s) VALUES (30, 'later')");
        assert_eq!(one(&mut sql, "SELECT id FROM d.t WHERE v = 30"), "6", "4 and 5 are taken");
        sql.run("DELETE FROM d.t WHERE v = 30");
        sql.run(&format!("XA {end} 'a'"));
        let state = if end == "COMMIT" { AFTER } else { BEFORE };
        assert_eq!(one(&mut sql, STATE), state);
        server.kill();

        let (server, mut sql) = start(directory.path());
        assert_eq!((recovered(&mut sql), one(&mut sql, STATE)), (String::new(), state.to_owned()));
        sql.run("UPDATE d.t SET s = 'x'");
        sql.run("ALTER TABLE d.t ADD w INT");
        drop(sql);
        server.stop();
        assert_sound(directory.path());
    }
}

#[test]
fn what_is_not_prepared_is_gone_after_a_kill_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path());
    furnish(&mut sql);
    sql.run("XA START 'a'");
    CHANGES.iter().for_each(|statement| sql.run(statement));
    sql.run("XA END 'a'");
    server.kill();
    let (server, mut sql) = start(directory.path());
    assert_eq!((recovered(&mut sql), one(&mut sql, STATE)), (String::new(), BEFORE.to_owned()));
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn doors_dumps_and_backups_see_a_prepared_transaction_as_one_that_is_open() {
    let place = backups::place();
    let server = place.server();
    let mut sql = login(&server);
    sql.run("CREATE DATABASE d");
    sql.run("CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(20))");
    sql.run("INSERT INTO d.t VALUES (1, 'one')");
    prepare(&mut sql, "a", &["UPDATE d.t SET v = 'two'", "INSERT INTO d.t VALUES (2, 'x')"]);
    let mut handlersocket = server.connect("handlersocket");
    assert_eq!(ask_line(&mut handlersocket, "P\t1\td\tt\tPRIMARY\tid,v\n"), "0\t1");
    let all = "1\t>=\t1\t0\t9\t0\n";
    assert_eq!(ask_line(&mut handlersocket, all), "0\t2\t1\tone");
    let dumped = run(&["dump", &backups::data_dir(&place.data)]);
    let dump = backups::text(&dumped.stdout);
    assert!(dumped.status.success(), "{}", backups::text(&dumped.stderr));
    assert!(dump.contains("(1,'one')") && !dump.contains("'x'"), "{dump}");
    place.backed_up(&[]);
    sql.run("XA COMMIT 'a'");
    assert_eq!(ask_line(&mut handlersocket, all), "0\t2\t1\ttwo\t2\tx");

    // A backup has it prepared.
    let restored = place.restored(&[]);
    let mut sql = login(&restored);
    assert_eq!(
        (recovered(&mut sql), one(&mut sql, "SELECT v FROM d.t")),
        ("a".into(), "one".into())
    );
    assert_locked(&restored, &["UPDATE d.t SET v = 'x'"]);
    sql.run("XA COMMIT 'a'");
    assert_eq!(one(&mut sql, "SELECT GROUP_CONCAT(v ORDER BY id) FROM d.t"), "two,x");
}
