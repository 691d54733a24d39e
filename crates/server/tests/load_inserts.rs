//! `rowhouse load` of many INSERTs, which are one load: all of it or nothing, whatever happens.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::loads::{assert_nothing_is_left, assert_sound, count, files_in, login, one};
use crate::mysql::{Failure, Mysql};
use crate::support::{Running, rowhouse, wait_until};
use faults::on_small_disk;

const DISK: &str = "ROWHOUSE_TEST_LOAD_INSERTS_DISK";
const DISK_MEGABYTES: usize = 128;

fn start(directory: &Path) -> (Running, Mysql) {
    let server = Running::start(directory, &["--durability=os"]);
    let mut sql = login(&server);
    sql.execute("CREATE DATABASE d").unwrap();
    let table = "(id INT PRIMARY KEY, a INT, s VARCHAR(120), KEY (a), UNIQUE KEY (s))";
    sql.execute(&format!("CREATE TABLE d.t {table}")).unwrap();
    (server, sql)
}

/// INSERTs of 1,000 rows each.
fn inserts(rows: std::ops::Range<u64>) -> String {
    let mut text = String::new();
    for n in rows {
        let (head, end) = match n % 1000 {
            0 => ("INSERT INTO `t` VALUES\n", ","),
            999 => ("", ";"),
            _ => ("", ","),
        };
        let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let id = n * 7919 % 10_000_019;
        writeln!(text, "{head}({id},{},'{mixed:x} of row {n}'){end}", mixed % 1_000_000).unwrap();
    }
    text
}

fn load(data: &Path) -> Child {
    let flag = format!("--data-dir={}", data.display());
    let mut command = rowhouse(&["load", &flag, "--database=d", "-"]);
    command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

fn feed(loader: &mut Child, text: &str) {
    loader.stdin.as_mut().expect("piped").write_all(text.as_bytes()).expect("it reads");
}

/// What it says at its end, and whether it went well.
fn end(loader: Child) -> (bool, String) {
    let ended = loader.wait_with_output().expect("it ends");
    (ended.status.success(), String::from_utf8_lossy(&ended.stderr).into_owned())
}

/// Feeds rows, and waits until the load has the table.
fn begin(loader: &mut Child, sql: &mut Mysql, rows: u64) {
    feed(loader, &inserts(0..rows));
    sql.execute("SET innodb_lock_wait_timeout = 1").unwrap();
    wait_until("the load to be under way", || {
        let waited = sql.execute("REPLACE INTO d.t VALUES (-1, 1, 'x')");
        matches!(waited, Err(Failure::Error { number: 1205, .. }))
    });
}

#[test]
fn a_kill_of_the_server_or_of_the_client_leaves_nothing_and_the_end_of_the_file_all() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let (server, mut sql) = start(data);
    let mut loader = load(data);
    begin(&mut loader, &mut sql, 200_000);
    server.kill();
    let (well, said) = end(loader);
    assert!(!well && said.contains("everything before line 1 is loaded"), "{said}");
    let server = Running::start(data, &["--durability=os"]);
    assert_nothing_is_left(data);
    let mut sql = login(&server);
    sql.execute("DELETE FROM d.t WHERE id < 0").unwrap();
    assert_eq!(count(&mut sql), "0");
    // A client that is killed gives the table back.
    let mut loader = load(data);
    begin(&mut loader, &mut sql, 200_000);
    loader.kill().unwrap();
    loader.wait().unwrap();
    sql.execute("SET innodb_lock_wait_timeout = 60").unwrap();
    sql.execute("INSERT INTO d.t VALUES (-2, 1, 'y')").unwrap();
    sql.execute("DELETE FROM d.t WHERE id < 0").unwrap();
    assert_eq!(count(&mut sql), "0");
    wait_until("temporary files to go", || files_in(&data.join("tmp")) == 0);
    // One that ends well is durable, whatever the durability of others.
    let mut loader = load(data);
    feed(&mut loader, &inserts(0..200_000));
    let (well, said) = end(loader);
    assert!(well && said.contains("loaded 200000 rows with 200 statements"), "{said}");
    server.kill();
    let server = Running::start(data, &[]);
    let mut sql = login(&server);
    assert_eq!(count(&mut sql), "200000");
    let by_index = one(&mut sql, "SELECT COUNT(*) FROM d.t WHERE a BETWEEN 1000 AND 500000");
    let by_rows = one(&mut sql, "SELECT COUNT(*) FROM d.t WHERE a + 0 BETWEEN 1000 AND 500000");
    assert_eq!(by_index, by_rows);
    drop(sql);
    server.stop();
    assert_nothing_is_left(data);
    assert_sound(data);
}

#[test]
fn a_row_that_cannot_be_takes_its_table_back_and_the_tables_before_stay() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let (server, mut sql) = start(data);
    sql.execute("CREATE TABLE d.small (a INT PRIMARY KEY)").unwrap();
    let small = "INSERT INTO small VALUES (1);\nINSERT INTO small VALUES (2);\n";
    for wrong in ["(0,1,'twice')", "(-5,NULL,REPEAT('x',200))"] {
        sql.execute("DELETE FROM d.small").unwrap();
        let mut loader = load(data);
        feed(&mut loader, &format!("{small}{}", inserts(0..50_000)));
        feed(&mut loader, &format!("INSERT INTO `t` VALUES {wrong};\n"));
        let (well, said) = end(loader);
        // Two lines, 50 statements of 1,001, and the last one.
        assert!(!well && said.contains("line 50053: ERROR"), "{said}");
        assert!(
            said.contains("everything before line 3 is loaded, nothing from there on"),
            "{said}"
        );
        assert_eq!(count(&mut sql), "0");
        assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.small"), "2");
    }
    // With --force there is no load, and only the wrong statement is left out.
    let flag = format!("--data-dir={}", data.display());
    let mut command = rowhouse(&["load", &flag, "--database=d", "--force", "-"]);
    let command = command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut loader = command.spawn().expect("the program starts");
    feed(&mut loader, &inserts(0..30_000));
    feed(&mut loader, "INSERT INTO t VALUES (0,1,'twice');\nINSERT INTO t VALUES (-1,1,'last');\n");
    let (well, said) = end(loader);
    assert!(!well && said.contains("; 1 statements failed"), "{said}");
    assert_eq!(count(&mut sql), "30001");
    server.stop();
}

#[test]
fn what_is_no_plain_insert_after_all_and_a_table_in_use_go_by_transactions() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let (server, mut sql) = start(data);
    let mut loader = load(data);
    feed(&mut loader, &inserts(0..40_000));
    feed(&mut loader, "INSERT INTO `t` VALUES (0,1,'') ON DUPLICATE KEY UPDATE a = -7;\n");
    feed(&mut loader, &inserts(40_000..80_000));
    feed(&mut loader, "INSERT INTO `t` (id) SELECT -1;\n");
    let (well, said) = end(loader);
    assert!(well, "{said}");
    assert_eq!(count(&mut sql), "80001");
    assert_eq!(one(&mut sql, "SELECT a FROM d.t WHERE id = 0"), "-7");
    sql.execute("BEGIN").unwrap();
    sql.execute("UPDATE d.t SET a = 3 WHERE id = -1").unwrap();
    let mut loader = load(data);
    feed(&mut loader, &inserts(80_000..120_000));
    let (well, said) = end(loader);
    assert!(well, "{said}");
    sql.execute("COMMIT").unwrap();
    assert_eq!(count(&mut sql), "120001");
    drop(sql);
    server.stop();
    assert_sound(data);
}

/// The child's part; without the environment, nothing.
#[test]
fn a_child_loads_more_inserts_than_its_small_disk_holds() {
    let Ok(disk) = std::env::var(DISK) else { return };
    let data = Path::new(&disk).join("data");
    let (server, mut sql) = start(&data);
    let mut loader = load(&data);
    let mut stdin = loader.stdin.take().expect("piped");
    for first in (0..2_400_000).step_by(50_000) {
        // A loader that has given up reads no more.
        if stdin.write_all(inserts(first..first + 50_000).as_bytes()).is_err() {
            break;
        }
    }
    drop(stdin);
    let (well, said) = end(loader);
    assert!(!well && (said.contains("1021") || said.contains("1114")), "{said}");
    wait_until("temporary files to go", || files_in(&data.join("tmp")) == 0);
    assert_eq!(count(&mut sql), "0");
    sql.execute("INSERT INTO d.t VALUES (-1, 1, 'x')").unwrap();
    drop(sql);
    server.stop();
    assert_sound(&data);
}

#[test]
fn a_load_of_inserts_that_fills_the_disk_ends_and_leaves_nothing() {
    on_small_disk(
        &format!("size={DISK_MEGABYTES}m"),
        DISK,
        "a_child_loads_more_inserts_than_its_small_disk_holds",
    );
}
