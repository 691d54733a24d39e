//! Locks of ranges, at every door: what a transaction has looked at with locks stays as it is, and
//! what others put in and have not committed is waited for.
//!
//! Not here: the same schedules beside MySQL (`tests/oracle/isolation`).

use std::io::Write;

use crate::mysql::{Mysql, error_number};
use crate::support::{Running, ask_line, read_line, wait_until};
use crate::writers::{login, with_container};

const TABLE: &str = "CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(20), k INT, KEY (k))";
const WAITS: &str = "SELECT COUNT(*) FROM performance_schema.data_lock_waits";

fn lines(sql: &mut Mysql, query: &str) -> Vec<String> {
    let rows = sql.query(query).unwrap();
    let line = |row: &Vec<Option<String>>| {
        row.iter().map(|value| value.as_deref().unwrap_or("NULL")).collect::<Vec<_>>().join(" ")
    };
    rows.iter().map(line).collect()
}

fn wait_for_waiters(watcher: &mut Mysql, count: &str) {
    wait_until("the waits", || lines(watcher, WAITS) == [count]);
}

struct Place {
    server: Running,
    _directory: tempfile::TempDir,
}

fn place() -> (Place, Mysql, Mysql, Mysql) {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = with_container(directory.path(), "t", TABLE, "d.u(k, v)");
    sql.run("INSERT INTO d.t VALUES (10, 'ten', 10), (20, 'twenty', 20), (30, 'thirty', 30)");
    let (one, other) = (login(&server), login(&server));
    (Place { server, _directory: directory }, sql, one, other)
}

#[test]
fn nobody_puts_a_row_into_a_locked_range_by_any_door() {
    let (place, mut watcher, mut owner, mut other) = place();
    let server = &place.server;
    let mut memcached = server.connect("memcached");
    wait_until("the container", || ask_line(&mut memcached, "get t:1\r\n") == "END\r");
    let mut handlersocket = server.connect("handlersocket-write");
    let opened = ask_line(&mut handlersocket, "P\t1\td\tt\tPRIMARY\tid,v,k\n");
    assert_eq!(opened, "0\t1");
    owner.run("BEGIN");
    assert_eq!(lines(&mut owner, "SELECT id FROM d.t WHERE id < 10 FOR UPDATE"), [""; 0]);
    assert_eq!(lines(&mut owner, "SELECT id FROM d.t WHERE k > 25 FOR SHARE"), ["30"]);
    // Beside the ranges nobody waits.
    assert_eq!(ask_line(&mut memcached, "set t:15 0 0 1\r\nx\r\n"), "STORED\r");
    other.run("INSERT INTO d.t VALUES (17, 'x', 20)");
    assert_eq!(ask_line(&mut handlersocket, "1\t+\t3\t18\tx\t1\n"), "0\t1");

    memcached.write_all(b"set t:5 0 0 1\r\nm\r\n").unwrap();
    wait_for_waiters(&mut watcher, "1");
    handlersocket.write_all(b"1\t+\t3\t6\th\t1\n").unwrap();
    wait_for_waiters(&mut watcher, "2");
    other.send_query("UPDATE d.t SET k = 26 WHERE id = 20").unwrap();
    wait_for_waiters(&mut watcher, "3");
    let found = "SELECT id FROM d.t WHERE id < 10 OR k > 25 ORDER BY id FOR UPDATE";
    assert_eq!(lines(&mut owner, "SELECT id FROM d.t WHERE id < 10 FOR UPDATE"), [""; 0]);
    owner.run("INSERT INTO d.t VALUES (7, 'own', 40)");
    owner.run("COMMIT");
    assert_eq!(read_line(&mut memcached), "STORED\r");
    assert_eq!(read_line(&mut handlersocket), "0\t1");
    other.result().unwrap();
    assert_eq!(lines(&mut owner, found), ["5", "6", "7", "20", "30"]);
    assert_eq!(lines(&mut watcher, WAITS), ["0"]);
    drop((owner, other, watcher));
    place.server.stop();
}

#[test]
fn ranges_and_who_waits_for_them_are_listed() {
    let (place, mut watcher, mut owner, mut other) = place();
    let listed = "SELECT index_name, lock_mode, lock_status, lock_data \
                  FROM performance_schema.data_locks WHERE lock_mode NOT LIKE '%REC_NOT_GAP' \
                  OR lock_status = 'WAITING' ORDER BY 2, 1, 4";
    owner.run("BEGIN");
    owner.query("SELECT id FROM d.t WHERE id BETWEEN 12 AND 15 FOR UPDATE").unwrap();
    owner.query("SELECT id FROM d.t WHERE k >= 30 FOR SHARE").unwrap();
    let ranges = ["k S,GAP GRANTED supremum pseudo-record", "PRIMARY X,GAP GRANTED 16"];
    assert_eq!(lines(&mut watcher, listed), ranges);
    other.send_query("INSERT INTO d.t VALUES (13, 'x', 1)").unwrap();
    wait_for_waiters(&mut watcher, "1");
    let found = lines(&mut watcher, listed);
    assert!(found.contains(&"PRIMARY X,GAP,INSERT_INTENTION WAITING 13".to_owned()), "{found:?}");
    owner.run("ROLLBACK");
    other.result().unwrap();
    assert_eq!(lines(&mut watcher, listed), [""; 0]);
    drop((owner, other, watcher));
    place.server.stop();
}

#[test]
fn rows_on_their_way_in_are_waited_for_refused_or_skipped() {
    let (place, mut watcher, mut owner, mut other) = place();
    let between = "SELECT id FROM d.t WHERE id BETWEEN 10 AND 20 FOR UPDATE";
    owner.run("BEGIN");
    owner.run("INSERT INTO d.t VALUES (12, 'new', 99)");
    assert_eq!(error_number(other.query(&format!("{between} NOWAIT"))), 3572);
    let entries = "SELECT id FROM d.t WHERE k > 40 FOR SHARE NOWAIT";
    assert_eq!(error_number(other.query(entries)), 3572);
    assert_eq!(lines(&mut other, &format!("{between} SKIP LOCKED")), ["10", "20"]);
    let beside = "SELECT id FROM d.t WHERE id > 20 FOR UPDATE NOWAIT";
    assert_eq!(lines(&mut other, beside), ["30"]);
    other.send_query(between).unwrap();
    wait_for_waiters(&mut watcher, "1");
    owner.run("COMMIT");
    let found = other.result().unwrap();
    assert_eq!(found.len(), 3, "with the row that came in");
    // A write that waits for one finds that it was taken back.
    owner.run("BEGIN");
    owner.run("INSERT INTO d.t VALUES (13, 'new', 1)");
    other.send_query("UPDATE d.t SET v = 'met' WHERE k > 0").unwrap();
    wait_for_waiters(&mut watcher, "1");
    owner.run("ROLLBACK");
    other.result().unwrap();
    assert_eq!(lines(&mut owner, "SELECT COUNT(*) FROM d.t WHERE v = 'met'"), ["4"]);
    drop((owner, other, watcher));
    place.server.stop();
}

#[test]
fn a_circle_of_ranges_and_rows_is_found() {
    let (place, mut watcher, mut owner, mut other) = place();
    owner.run("BEGIN");
    owner.query("SELECT id FROM d.t WHERE id > 30 FOR UPDATE").unwrap();
    other.run("BEGIN");
    other.query("SELECT id FROM d.t WHERE id > 30 FOR UPDATE").unwrap();
    owner.send_query("INSERT INTO d.t VALUES (40, 'x', 1)").unwrap();
    wait_for_waiters(&mut watcher, "1");
    assert_eq!(error_number(other.query("INSERT INTO d.t VALUES (41, 'x', 1)")), 1213);
    owner.result().unwrap();
    owner.run("COMMIT");
    assert_eq!(lines(&mut owner, "SELECT id FROM d.t WHERE id > 30"), ["40"]);
    // A time limit ends a wait as it does with rows.
    owner.run("BEGIN");
    owner.run("DELETE FROM d.t WHERE v = 'none'");
    other.run("SET innodb_lock_wait_timeout = 1");
    assert_eq!(error_number(other.query("INSERT INTO d.t VALUES (50, 'x', 1)")), 1205);
    owner.run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    owner.run("COMMIT");
    owner.run("BEGIN");
    owner.run("DELETE FROM d.t WHERE v = 'none'");
    other.run("INSERT INTO d.t VALUES (50, 'x', 1)");
    owner.run("COMMIT");
    drop((owner, other, watcher));
    place.server.stop();
}

#[test]
fn a_queue_of_jobs_is_filled_while_it_is_emptied() {
    let (place, mut watcher, mut owner, mut other) = place();
    let next = "SELECT id FROM d.t WHERE k > 0 ORDER BY k LIMIT 1 FOR UPDATE SKIP LOCKED";
    owner.run("BEGIN");
    assert_eq!(lines(&mut owner, next), ["10"]);
    other.run("BEGIN");
    assert_eq!(lines(&mut other, next), ["20"]);
    // What neither has looked at is not locked.
    watcher.run("INSERT INTO d.t VALUES (40, 'forty', 40)");
    owner.run("DELETE FROM d.t WHERE id = 10");
    other.run("DELETE FROM d.t WHERE id = 20");
    owner.run("COMMIT");
    other.run("COMMIT");
    assert_eq!(lines(&mut watcher, next), ["30"]);
    drop((owner, other, watcher));
    place.server.stop();
}
