//! Tables with partitions at the doors of keys, and what a kill of the server leaves of statements
//! that move whole partitions.

use std::path::Path;
use std::time::Duration;

use crate::mysql::Mysql;
use crate::support::{Running, ask_line, wait_until};
use crate::writers::{assert_sound, login, one};

const TABLE: &str = "CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(20), k INT, KEY (k)) \
    PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (20), \
    PARTITION c VALUES LESS THAN (30))";

#[test]
fn doors_of_keys_read_and_write_the_rows_of_all_partitions() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut sql = login(&server);
    sql.run("CREATE DATABASE d");
    sql.run(TABLE);
    sql.run(
        "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns) VALUES \
         ('t', 'd', 't', 'id', 'v')",
    );
    let mut hs = server.connect("handlersocket-write");
    let mut ask = |request: &str| ask_line(&mut hs, &format!("{request}\n"));
    assert_eq!(ask("P\t1\td\tt\tPRIMARY\tid,v,k"), "0\t1");
    assert_eq!(ask("P\t2\td\tt\tk\tid,k"), "0\t1");
    for (id, k) in [(5, 3), (15, 1), (25, 2), (26, 9)] {
        assert_eq!(ask(&format!("1\t+\t3\t{id}\th\t{k}")), "0\t1", "{id}");
    }
    assert!(ask("1\t+\t3\t35\th\t0").starts_with("1\t"), "no partition is for it");
    // One row, all of them by either index and in either direction, some of them.
    assert_eq!(ask("1\t=\t1\t15"), "0\t3\t15\th\t1");
    assert_eq!(ask("1\t=\t1\t35"), "0\t3");
    assert_eq!(ask("1\t>=\t1\t0\t9\t0"), "0\t3\t5\th\t3\t15\th\t1\t25\th\t2\t26\th\t9");
    assert_eq!(ask("1\t<\t1\t25\t9\t0"), "0\t3\t15\th\t1\t5\th\t3");
    assert_eq!(ask("2\t>=\t1\t0\t9\t0"), "0\t2\t15\t1\t25\t2\t5\t3\t26\t9");
    assert_eq!(ask("2\t<=\t1\t3\t2\t1"), "0\t2\t25\t2\t15\t1");
    assert_eq!(ask("2\t>\t1\t2\t1\t0"), "0\t2\t5\t3");
    assert_eq!(ask("2\t=\t1\t2"), "0\t2\t25\t2");
    assert_eq!(ask("1\t=\t1\t0\t9\t0\t@\t0\t4\t26\t7\t5\t15"), "0\t3\t26\th\t9\t5\th\t3\t15\th\t1");
    // A row moves to another partition, and one goes.
    assert_eq!(ask("1\t=\t1\t5\t1\t0\tU\t17\tm\t3"), "0\t1\t1");
    assert_eq!(ask("2\t=\t1\t9\t1\t0\tD"), "0\t1\t1");
    assert_eq!(one(&mut sql, "SELECT GROUP_CONCAT(id ORDER BY id) FROM d.t"), "15,17,25");
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.t PARTITION (b)"), "2");

    let mut memcached = server.connect("memcached");
    wait_until("the container", || ask_line(&mut memcached, "get t:1\r\n") == "END\r");
    assert_eq!(ask_line(&mut memcached, "set t:1 0 0 3\r\none\r\n"), "STORED\r");
    assert_eq!(ask_line(&mut memcached, "add t:17 0 0 1\r\nx\r\n"), "NOT_STORED\r");
    assert_eq!(ask_line(&mut memcached, "append t:1 0 0 1\r\n!\r\n"), "STORED\r");
    assert_eq!(ask_line(&mut memcached, "get t:35\r\n"), "END\r");
    let refused = ask_line(&mut memcached, "set t:35 0 0 1\r\nx\r\n");
    assert!(refused.contains("ERROR"), "{refused}");
    assert_eq!(ask_line(&mut memcached, "delete t:25\r\n"), "DELETED\r");
    let rows = "SELECT GROUP_CONCAT(CONCAT(id, v) ORDER BY id) FROM d.t";
    assert_eq!(one(&mut sql, rows), "1one!,15h,17m");
    assert_eq!(one(&mut sql, "SELECT v FROM d.t PARTITION (a)"), "one!");
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

/// Moments after which the server is killed: from before the statement is read to after its end.
const MOMENTS: [u64; 8] = [0, 1, 2, 4, 8, 16, 64, 256];

fn start(directory: &Path) -> (Running, Mysql) {
    let server = Running::start(directory, &[]);
    let sql = login(&server);
    (server, sql)
}

/// Kills the server while a statement may be under way, for each moment once; `check` is given what
/// is there afterwards.
fn kill_amid(furnish: &[&str], statement: &str, mut check: impl FnMut(&mut Mysql)) {
    for moment in MOMENTS {
        let directory = tempfile::tempdir().unwrap();
        let (server, mut sql) = start(directory.path());
        furnish.iter().for_each(|statement| sql.run(statement));
        sql.send_query(statement).unwrap();
        std::thread::sleep(Duration::from_millis(moment));
        server.kill();
        let (server, mut sql) = start(directory.path());
        check(&mut sql);
        drop(sql);
        server.stop();
        assert_sound(directory.path());
    }
}

const NUMBERS: &str = "CREATE TABLE d.n AS WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 \
    FROM n WHERE i < 1000) SELECT i FROM n";
const DIVIDED: &str = "CREATE TABLE d.p (id INT PRIMARY KEY, v INT, KEY (v)) PARTITION BY RANGE (id) \
    (PARTITION a VALUES LESS THAN (20000), PARTITION b VALUES LESS THAN (40000))";
const ROWS: &str = "INSERT INTO d.p SELECT x.i + 1000 * y.i, y.i FROM d.n x, d.n y WHERE y.i < 39";

#[test]
fn a_kill_amid_drop_partition_leaves_the_partition_whole_or_none_of_it() {
    let furnish = ["CREATE DATABASE d", NUMBERS, DIVIDED, ROWS];
    kill_amid(&furnish, "ALTER TABLE d.p DROP PARTITION a", |sql| {
        let partitions = one(
            sql,
            "SELECT GROUP_CONCAT(partition_name ORDER BY partition_ordinal_position) \
             FROM information_schema.partitions WHERE table_name = 'p'",
        );
        let rows = one(sql, "SELECT CONCAT(COUNT(*), ' ', MIN(id)) FROM d.p");
        let by_index = one(sql, "SELECT COUNT(v) FROM d.p WHERE v < 19");
        match &*partitions {
            "a,b" => assert_eq!((&*rows, &*by_index), ("38000 1001", "18000")),
            "b" => assert_eq!((&*rows, &*by_index), ("19001 20000", "0")),
            other => panic!("partitions {other}"),
        }
        sql.run("INSERT INTO d.p VALUES (500, 0)");
        assert_eq!(one(sql, "SELECT COUNT(*) FROM d.p WHERE id < 1001"), "1");
    });
}

#[test]
fn a_kill_amid_exchange_partition_leaves_both_sides_as_before_or_exchanged() {
    let furnish = [
        "CREATE DATABASE d",
        NUMBERS,
        DIVIDED,
        ROWS,
        "CREATE TABLE d.x (id INT PRIMARY KEY, v INT, KEY (v))",
        "INSERT INTO d.x SELECT i, -i FROM d.n",
    ];
    kill_amid(&furnish, "ALTER TABLE d.p EXCHANGE PARTITION a WITH TABLE d.x", |sql| {
        let rows = "SELECT CONCAT((SELECT COUNT(*) FROM d.p PARTITION (a)), ' ', \
                    (SELECT COUNT(*) FROM d.p WHERE v < 0), ' ', (SELECT COUNT(*) FROM d.p), ' ', \
                    (SELECT COUNT(*) FROM d.x), ' ', (SELECT COUNT(*) FROM d.x WHERE v < 0))";
        let rows = one(sql, rows);
        let (before, after) = ("18999 0 38000 1000 1000", "1000 1000 20001 18999 0");
        assert!(rows == before || rows == after, "{rows}");
    });
}
