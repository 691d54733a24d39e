//! Waits for row locks: `performance_schema.data_lock_waits` and `data_locks` name the connection
//! that waits for a row, the one that has it, and the row.

use crate::mysql::{Mysql, error_number};
use crate::support::{Running, wait_until};
use crate::writers::login;

const WAITS: &str = "SELECT requesting_thread_id, blocking_thread_id \
                     FROM performance_schema.data_lock_waits ORDER BY 1, 2";
const LOCKS: &str = "SELECT thread_id, object_schema, object_name, index_name, lock_type, lock_mode, \
                     lock_status, lock_data FROM performance_schema.data_locks \
                     WHERE lock_mode <> 'X,GAP' ORDER BY lock_status, thread_id";

/// The rows of a query, a line each.
fn lines(sql: &mut Mysql, query: &str) -> Vec<String> {
    let rows = sql.query(query).unwrap();
    let line = |row: &Vec<Option<String>>| {
        row.iter().map(|value| value.as_deref().unwrap_or("NULL")).collect::<Vec<_>>().join(" ")
    };
    rows.iter().map(line).collect()
}

/// A connection and its number.
fn connection(server: &Running) -> (Mysql, String) {
    let mut sql = login(server);
    let id = lines(&mut sql, "SELECT CONNECTION_ID()").remove(0);
    (sql, id)
}

#[test]
fn a_forgotten_transaction_is_named_by_those_who_wait_for_its_rows() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut watcher = login(&server);
    watcher.execute("CREATE DATABASE d").unwrap();
    watcher.execute("CREATE TABLE d.t (a INT, b INT, v INT, PRIMARY KEY (a, b))").unwrap();
    watcher.execute("INSERT INTO d.t VALUES (1, 10, 0), (2, 20, 0)").unwrap();
    assert_eq!(lines(&mut watcher, WAITS), [""; 0]);

    let ((mut holder, holder_id), (mut waiter, waiter_id)) =
        (connection(&server), connection(&server));
    holder.execute("BEGIN").unwrap();
    holder.execute("UPDATE d.t SET v = 1 WHERE a = 1").unwrap();
    waiter.send_query("UPDATE d.t SET v = 2 WHERE a = 1 AND b = 10").unwrap();
    let pair = format!("{waiter_id} {holder_id}");
    wait_until("the wait", || lines(&mut watcher, WAITS) == [&pair[..]]);
    let of =
        |id: &str, status: &str| format!("{id} d t PRIMARY RECORD X,REC_NOT_GAP {status} 1, 10");
    let locks = lines(&mut watcher, LOCKS);
    assert_eq!(locks, [of(&holder_id, "GRANTED"), of(&waiter_id, "WAITING")]);
    // Another transaction of the holder has none of these locks.
    holder.execute("ROLLBACK").unwrap();
    waiter.result().unwrap();
    assert_eq!(lines(&mut watcher, WAITS), [""; 0]);
    assert_eq!(lines(&mut watcher, LOCKS), [""; 0]);

    // Two wait for one, who is in the middle of nothing; a KILL lets the first of them in.
    let ((mut idle, idle_id), (mut second, second_id)) = (connection(&server), connection(&server));
    idle.execute("BEGIN").unwrap();
    idle.query("SELECT v FROM d.t WHERE a = 2 FOR UPDATE").unwrap();
    let pair_of = |waiter: &str| format!("{waiter} {idle_id}");
    waiter.execute("BEGIN").unwrap();
    waiter.send_query("UPDATE d.t SET v = 3 WHERE a = 2").unwrap();
    wait_until("one", || lines(&mut watcher, WAITS) == [pair_of(&waiter_id)]);
    second.send_query("DELETE FROM d.t WHERE a = 2").unwrap();
    let both = [pair_of(&waiter_id), pair_of(&second_id)];
    wait_until("both", || lines(&mut watcher, WAITS) == both);
    watcher.execute(&format!("KILL {idle_id}")).unwrap();
    waiter.result().unwrap();
    let next = format!("{second_id} {waiter_id}");
    wait_until("the next", || lines(&mut watcher, WAITS) == [&next[..]]);
    waiter.execute("COMMIT").unwrap();
    second.result().unwrap();
    assert_eq!(lines(&mut watcher, WAITS), [""; 0]);
    assert_eq!(lines(&mut watcher, "SELECT COUNT(*) FROM d.t"), ["1"]);
    drop((watcher, holder, waiter));
    server.stop();
}

#[test]
fn readers_for_share_go_beside_each_other_and_keep_writers_out() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut watcher = login(&server);
    watcher.execute("CREATE DATABASE d").unwrap();
    watcher.execute("CREATE TABLE d.t (a INT PRIMARY KEY, k INT, v INT, KEY k (k))").unwrap();
    watcher.execute("INSERT INTO d.t VALUES (1, 1, 0), (2, 2, 0), (3, 3, 0)").unwrap();
    let ((mut one, one_id), (mut other, other_id)) = (connection(&server), connection(&server));
    // A look-up, a range, an index, a join.
    for query in [
        "SELECT v FROM d.t WHERE a = 1 FOR SHARE NOWAIT",
        "SELECT v FROM d.t WHERE a BETWEEN 1 AND 2 LOCK IN SHARE MODE",
        "SELECT v FROM d.t WHERE k = 2 FOR SHARE NOWAIT",
        "SELECT x.v FROM d.t x JOIN d.t y ON y.a = x.k WHERE x.a = 2 FOR SHARE NOWAIT",
    ] {
        for reader in [&mut one, &mut other] {
            reader.execute("BEGIN").unwrap();
            reader.query(query).unwrap_or_else(|error| panic!("{query}: {error:?}"));
        }
        let beside = query.replace(" NOWAIT", "");
        assert!(!watcher.query(&beside).unwrap().is_empty(), "{query}");
        let id = if query.contains("= 2") { 2 } else { 1 };
        let alone = format!("SELECT v FROM d.t WHERE a = {id} FOR UPDATE");
        assert_eq!(error_number(watcher.query(&format!("{alone} NOWAIT"))), 3572, "{query}");
        assert_eq!(lines(&mut watcher, &format!("{alone} SKIP LOCKED")), [""; 0], "{query}");
        let shared = format!("SELECT v FROM d.t WHERE a = {id} FOR SHARE SKIP LOCKED");
        assert_eq!(lines(&mut watcher, &shared), ["0"], "{query}");
        let joined = "SELECT x.a FROM d.t x JOIN d.t y ON y.a = x.k FOR SHARE SKIP LOCKED";
        assert_eq!(lines(&mut watcher, joined).len(), 3, "{query}");
        for reader in [&mut one, &mut other] {
            reader.execute("COMMIT").unwrap();
        }
    }
    // One of them writes when the other is gone.
    for reader in [&mut one, &mut other] {
        reader.execute("BEGIN").unwrap();
        reader.query("SELECT v FROM d.t WHERE a = 3 FOR SHARE").unwrap();
    }
    one.send_query("UPDATE d.t SET v = 1 WHERE a = 3").unwrap();
    let pair = format!("{one_id} {other_id}");
    wait_until("the writer waits", || lines(&mut watcher, WAITS) == [&pair[..]]);
    other.execute("COMMIT").unwrap();
    one.result().unwrap();
    one.execute("COMMIT").unwrap();
    // Both want to: one of them has to begin again.
    for reader in [&mut one, &mut other] {
        reader.execute("BEGIN").unwrap();
        reader.query("SELECT v FROM d.t WHERE a = 3 FOR SHARE").unwrap();
    }
    one.send_query("UPDATE d.t SET v = v + 1 WHERE a = 3").unwrap();
    wait_until("the first waits", || lines(&mut watcher, WAITS) == [&pair[..]]);
    assert_eq!(error_number(other.query("UPDATE d.t SET v = v + 1 WHERE a = 3")), 1213);
    one.result().unwrap();
    one.execute("COMMIT").unwrap();
    assert_eq!(lines(&mut watcher, "SELECT v FROM d.t WHERE a = 3"), ["2"]);
    drop((watcher, one, other));
    server.stop();
}

#[test]
fn locks_that_nobody_waited_for_were_not_listed() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut watcher = login(&server);
    watcher.execute("CREATE DATABASE d").unwrap();
    watcher.execute("CREATE TABLE d.t (a INT PRIMARY KEY, k INT, UNIQUE KEY k (k))").unwrap();
    watcher.execute("INSERT INTO d.t VALUES (1, 10), (2, 20), (3, 30)").unwrap();
    let ((mut one, one_id), (mut other, other_id)) = (connection(&server), connection(&server));
    one.execute("BEGIN").unwrap();
    one.query("SELECT k FROM d.t WHERE a = 1 FOR UPDATE").unwrap();
    one.query("SELECT k FROM d.t WHERE a = 2 FOR SHARE").unwrap();
    other.execute("BEGIN").unwrap();
    other.query("SELECT k FROM d.t WHERE a = 2 FOR SHARE").unwrap();
    let listed = "SELECT thread_id, object_schema, object_name, index_name, lock_type, lock_mode, \
                  lock_status, lock_data FROM performance_schema.data_locks ORDER BY 1, 6 DESC";
    let of =
        |id: &str, mode: &str| format!("{id} d t PRIMARY RECORD {mode},REC_NOT_GAP GRANTED NULL");
    let expected = [of(&one_id, "X"), of(&one_id, "S"), of(&other_id, "S")];
    assert_eq!(lines(&mut watcher, listed), expected);
    one.execute("COMMIT").unwrap();
    assert_eq!(lines(&mut watcher, listed), [of(&other_id, "S")]);
    other.execute("COMMIT").unwrap();
    assert_eq!(lines(&mut watcher, listed), [""; 0]);
    drop((watcher, one, other));
    server.stop();
}
