//! AUTO_INCREMENT values after a kill: MySQL 8 gives none of them twice.

use crate::mysql::Mysql;
use crate::support::Running;

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

/// The number that the next row of a table of `d` gets.
fn next(client: &mut Mysql, table: &str) -> String {
    client.query(&format!("INSERT INTO d.{table} () VALUES ()")).expect("a row");
    let rows = client.query("SELECT LAST_INSERT_ID()").expect("a number");
    rows[0][0].clone().expect("a number")
}

#[test]
fn numbers_of_rows_that_went_are_not_given_again_after_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut client = session(&server);
    for statement in [
        "CREATE DATABASE d",
        "CREATE TABLE d.emptied (id INT AUTO_INCREMENT PRIMARY KEY, v INT)",
        "CREATE TABLE d.moved (id INT AUTO_INCREMENT, v INT, KEY (id))",
        "CREATE TABLE d.parent (id INT PRIMARY KEY)",
        "CREATE TABLE d.child (id INT AUTO_INCREMENT PRIMARY KEY, p INT, \
         FOREIGN KEY (p) REFERENCES d.parent (id) ON DELETE CASCADE)",
        "CREATE TABLE d.parts (id INT AUTO_INCREMENT PRIMARY KEY, v INT) \
         PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (10), \
         PARTITION b VALUES LESS THAN (20), PARTITION c VALUES LESS THAN MAXVALUE)",
        "CREATE TABLE d.columns (id INT AUTO_INCREMENT PRIMARY KEY, v INT) ENGINE=COLUMNAR",
        "CREATE TABLE d.truncated (id INT AUTO_INCREMENT PRIMARY KEY, v INT)",
        "INSERT INTO d.emptied (v) VALUES (1), (2), (3)",
        "DELETE FROM d.emptied",
        "INSERT INTO d.moved (v) VALUES (1), (2), (3)",
        "UPDATE d.moved SET id = 1 WHERE v = 3",
        "INSERT INTO d.parent VALUES (1)",
        "INSERT INTO d.child (p) VALUES (1), (1)",
        "DELETE FROM d.parent",
        "INSERT INTO d.parts VALUES (5, 1), (15, 1)",
        "ALTER TABLE d.parts DROP PARTITION b",
        "INSERT INTO d.columns (v) VALUES (1), (2)",
        "DELETE FROM d.columns WHERE id = 2",
        "INSERT INTO d.truncated (v) VALUES (1), (2)",
        "DELETE FROM d.truncated",
        "TRUNCATE d.truncated",
    ] {
        client.query(statement).unwrap_or_else(|error| panic!("{statement}: {error:?}"));
    }
    drop(client);
    server.kill();
    let server = Running::start(directory.path(), &[]);
    let mut client = session(&server);
    for (table, number) in [
        ("emptied", "4"),
        ("moved", "4"),
        ("child", "3"),
        ("parts", "16"),
        ("columns", "3"),
        ("truncated", "1"),
    ] {
        assert_eq!(next(&mut client, table), number, "{table}");
    }
}
