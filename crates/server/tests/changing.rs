//! Statements of their own during ALTER TABLE of every kind: none is told that its table is another
//! one (error 1412), and each answers what is right before the change as well as after it.
//!
//! Not here: what a transaction sees that began before (`dropping`, `columnar`), whether the change
//! itself is right (`online`, `online_copies`).

use std::time::{Duration, Instant};

use crate::mysql::Mysql;
use crate::support::Running;
use crate::writers::{Writers, assert_sound, login, one, start};

/// Rows that nobody writes to, with ids from 0 on; writers have ids below.
const ROWS: u64 = 20_000;
/// How long changes follow each other.
const TIME: Duration = Duration::from_secs(15);

/// Changes of which the last leaves the table as the first has met it.
const CHANGES: [&str; 12] = [
    "ALTER TABLE d.t ADD INDEX by_a (a)",
    "ALTER TABLE d.t ADD COLUMN more INT DEFAULT 3",
    "ALTER TABLE d.t DROP INDEX by_s, ADD INDEX by_s (s, a)",
    "ALTER TABLE d.t MODIFY a BIGINT",
    "DROP INDEX by_a ON d.t",
    "ALTER TABLE d.t DROP COLUMN more",
    "RENAME TABLE d.t TO d.u, d.u TO d.t",
    "ALTER TABLE d.t DROP PRIMARY KEY, ADD PRIMARY KEY (id, b)",
    "ALTER TABLE d.t COMMENT 'another'",
    "ALTER TABLE d.t DROP PRIMARY KEY, ADD PRIMARY KEY (id)",
    "ALTER TABLE d.t DROP INDEX by_s, ADD INDEX by_s (s)",
    "ALTER TABLE d.t MODIFY a INT",
];

fn expect(sql: &mut Mysql, query: &str, right: &str) {
    let rows = sql.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let found: Vec<String> =
        rows.into_iter().map(|row| row[0].clone().unwrap_or_default()).collect();
    assert_eq!(found.join(" "), right, "{query}");
}

fn run(sql: &mut Mysql, statement: &str, right: u64) {
    let affected = sql.execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    assert_eq!(affected, right, "{statement}");
}

/// Readers, each by another way.
fn start_readers(server: &Running, clients: &mut Writers) {
    let all = ROWS.to_string();
    for executor in ["rows", "columns"] {
        let all = all.clone();
        let mut sql = login(server);
        sql.execute(&format!("SET SESSION rowhouse_executor = '{executor}'")).unwrap();
        clients.go(move |_, _| {
            expect(&mut sql, "SELECT COUNT(*) FROM d.t WHERE id >= 0 AND b >= 0", &all);
            expect(&mut sql, "SELECT SUM(n) FROM (SELECT a, COUNT(*) n FROM d.t WHERE id >= 0 GROUP BY a) g", &all);
            let query = "SELECT COUNT(*) FROM d.t x JOIN d.t y ON y.id = x.id + 1 WHERE x.id < 500 AND x.id >= 0";
            expect(&mut sql, query, "500");
        });
    }
    let mut sql = login(server);
    sql.execute("PREPARE known FROM 'SELECT id FROM d.t WHERE id = ? AND a < 5000'").unwrap();
    sql.execute("PREPARE ordered FROM 'SELECT id FROM d.t WHERE id >= ? ORDER BY id LIMIT 3'")
        .unwrap();
    clients.go(move |n, _| {
        let id = n * 7 % (ROWS - 3);
        sql.execute(&format!("SET @id = {id}")).unwrap();
        expect(&mut sql, "EXECUTE known USING @id", &id.to_string());
        let three = format!("{id} {} {}", id + 1, id + 2);
        expect(&mut sql, "EXECUTE ordered USING @id", &three);
        expect(&mut sql, &format!("SELECT b FROM d.t WHERE id = {id}"), &id.to_string());
        run(&mut sql, &format!("SELECT b FROM d.t WHERE id = {id} INTO @b"), 1);
        expect(&mut sql, "SELECT @b", &id.to_string());
    });
}

/// Writers, each of rows of its own.
fn start_writers(server: &Running, clients: &mut Writers) {
    let mut sql = login(server);
    clients.go(move |n, _| {
        let id = 1 + n % 1000;
        run(&mut sql, &format!("INSERT INTO d.t (id, a, b, s) VALUES (-{id}, 1, 1, 'one {n}')"), 1);
        run(&mut sql, &format!("UPDATE d.t SET s = 'two {n}' WHERE s = 'one {n}'"), 1);
        run(&mut sql, &format!("UPDATE d.t SET a = a + 1 WHERE id = -{id} AND b = 1"), 1);
        expect(&mut sql, &format!("SELECT a FROM d.t WHERE s = 'two {n}'"), "2");
        run(&mut sql, &format!("DELETE FROM d.t WHERE s = 'two {n}'"), 1);
    });
    let mut sql = login(server);
    sql.execute("PREPARE known FROM 'REPLACE INTO d.t (id, a, b, s) VALUES (?, 2, 2, ?)'").unwrap();
    clients.go(move |n, _| {
        sql.execute(&format!("SET @id = -{}, @s = 'known {n}'", 2000 + n)).unwrap();
        run(&mut sql, "EXECUTE known USING @id, @s", 1);
        let (to, from) = (-(n as i64) - 1_000_000, -(n as i64) - 2000);
        let copy = format!(
            "INSERT INTO d.t (id, a, b, s) SELECT {to}, a, b, s FROM d.t WHERE id = {from}"
        );
        run(&mut sql, &copy, 1);
        let join =
            format!("UPDATE d.t x JOIN d.t y ON y.id = {from} SET x.a = y.a + 7 WHERE x.id = {to}");
        run(&mut sql, &join, 1);
        run(
            &mut sql,
            &format!("DELETE x FROM d.t x JOIN d.t y ON y.id = x.id WHERE y.s = 'known {n}'"),
            2,
        );
    });
}

#[test]
fn statements_of_their_own_were_told_that_their_table_is_another_one() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--durability=os"], ROWS);
    sql.execute("ALTER TABLE d.t ADD INDEX by_s (s)").unwrap();
    let mut clients = Writers::default();
    start_readers(&server, &mut clients);
    start_writers(&server, &mut clients);
    let (begun, mut rounds) = (Instant::now(), 0);
    while begun.elapsed() < TIME {
        for change in CHANGES {
            sql.execute(change).unwrap_or_else(|error| panic!("{change}: {error}"));
        }
        rounds += 1;
    }
    eprintln!("{rounds} rounds of changes beside {:?} steps", clients.end());
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.t WHERE id >= 0"), ROWS.to_string());
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn a_long_result_that_is_on_its_way_goes_on_while_indexes_come_and_go() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--durability=os"], ROWS);
    // More than sockets hold: most of it is read behind the changes.
    for query in [
        "SELECT id, REPEAT(s, 100) FROM d.t WHERE id >= 0 ORDER BY id",
        "SELECT id, REPEAT(s, 100) FROM d.t",
    ] {
        let mut reader = login(&server);
        reader.send_query(query).unwrap();
        reader.await_reply().unwrap();
        for change in ["ALTER TABLE d.t ADD INDEX by_s (s)", "DROP INDEX by_s ON d.t"] {
            sql.execute(change).unwrap_or_else(|error| panic!("{change}: {error}"));
        }
        let rows = reader.result().unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(rows.len() as u64, ROWS, "{query}");
    }
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}
