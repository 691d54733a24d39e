//! UPDATE and DELETE of many rows, by several writers at once and within transactions: no change is
//! lost, whether or not a row was read again under its lock.

use std::sync::Arc;

use crate::harness::{run, server, session};
use sql::Sql;

const ROWS: u32 = 300;

fn fill(sql: &Arc<Sql>) {
    let s = &mut session(sql);
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL DEFAULT 0, k INT NOT NULL, KEY (k))",
    );
    let rows: Vec<String> = (1..=ROWS).map(|id| format!("({id}, 0, {})", id % 10)).collect();
    run(s, &format!("INSERT INTO t VALUES {}", rows.join(", ")));
}

#[test]
fn writers_of_all_rows_and_of_single_ones_lose_nothing() {
    const ROUNDS: u32 = 40;
    let sql = server();
    fill(&sql);
    std::thread::scope(|scope| {
        for of in 0..2 {
            let sql = &sql;
            scope.spawn(move || {
                let s = &mut session(sql);
                for _ in 0..ROUNDS {
                    // By the primary key and by an index, so that rows are locked in both orders.
                    let condition = if of == 0 { "n >= 0" } else { "id > 0" };
                    run(s, &format!("UPDATE t SET n = n + 1 WHERE {condition}"));
                }
            });
            scope.spawn(move || {
                let s = &mut session(sql);
                for id in 1..=ROWS {
                    run(s, &format!("UPDATE t SET n = n + 1000 WHERE id = {id} AND n >= 0"));
                }
            });
        }
    });
    let s = &mut session(&sql);
    let expected = format!("{ROWS}\t{}\t{}", 2 * ROUNDS + 2000, 2 * ROUNDS + 2000);
    assert_eq!(run(s, "SELECT COUNT(*), MIN(n), MAX(n) FROM t"), expected);
}

#[test]
fn a_transaction_changes_what_it_has_changed_before() {
    let sql = server();
    fill(&sql);
    let s = &mut session(&sql);
    run(s, "BEGIN");
    run(s, "UPDATE t SET n = n + 1 WHERE id <= 200");
    run(s, "UPDATE t SET n = n + 10 WHERE k = 3");
    run(s, "DELETE FROM t WHERE n = 0");
    run(s, "INSERT INTO t VALUES (250, 7, 3)");
    run(s, "UPDATE t SET n = n + 100, k = k + 1 WHERE k = 3");
    run(s, "SAVEPOINT here");
    run(s, "UPDATE t SET n = 0");
    run(s, "DELETE FROM t WHERE id < 50");
    run(s, "ROLLBACK TO here");
    run(s, "UPDATE t SET n = n + 1000");
    run(s, "COMMIT");
    let found = run(s, "SELECT n, COUNT(*), MIN(id), MAX(id) FROM t GROUP BY n ORDER BY n");
    // Those with k = 3 above 200, which had no first change, were there when n = 0 went.
    assert_eq!(found, "1001\t180\t1\t200\n1107\t1\t250\t250\n1110\t10\t203\t293\n1111\t20\t3\t193");
}

#[test]
fn rows_that_move_within_the_index_that_finds_them_are_changed_once() {
    let sql = server();
    fill(&sql);
    let s = &mut session(&sql);
    run(s, "UPDATE t SET k = k + 1, n = n + 1 WHERE k >= 5");
    assert_eq!(run(s, "SELECT MIN(n), MAX(n), SUM(n), SUM(k) FROM t"), "0\t1\t150\t1500");
    run(s, "UPDATE t SET id = id + 1000, n = n + 1 WHERE id > 100 ORDER BY id DESC");
    assert_eq!(run(s, "SELECT COUNT(*), MIN(id), MAX(id), SUM(n) FROM t"), "300\t1\t1300\t350");
    run(s, "UPDATE t SET id = id - 1000, n = n + 1 WHERE id > 1000 OR k = 1");
    assert_eq!(run(s, "SELECT COUNT(*), MAX(n) FROM t"), "300\t3");
}
