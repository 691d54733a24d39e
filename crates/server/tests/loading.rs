//! LOAD DATA of large files: all of it or nothing, whatever happens meanwhile.

use std::path::Path;

use crate::loads::{
    LOAD, assert_nothing_is_left, assert_sound, begin, count, files_in, fill_the_disk, finish,
    kill_amid_a_load, lines, login, one, send,
};
use crate::mysql::{Failure, Mysql};
use crate::support::{Running, peak_mib, wait_until};
use faults::on_small_disk;

const DISK: &str = "ROWHOUSE_TEST_LOADING_DISK";
const DISK_MEGABYTES: usize = 128;

fn start(directory: &Path, flags: &[&str]) -> (Running, Mysql) {
    let server = Running::start(directory, flags);
    let mut sql = login(&server);
    sql.execute("CREATE DATABASE d").unwrap();
    sql.execute("CREATE TABLE d.t (id INT PRIMARY KEY, a INT, s VARCHAR(120), KEY (a), KEY (s))")
        .unwrap();
    sql.execute("CREATE TABLE d.other (id INT PRIMARY KEY)").unwrap();
    (server, sql)
}

#[test]
fn a_server_that_is_killed_amid_a_load_has_nothing_of_it_and_one_that_said_so_has_all() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let flags = ["--durability=os"];
    let (server, mut sql) = start(data, &flags);
    let server = kill_amid_a_load(server, &mut sql, data, &flags, 300_000, "tmp");
    let mut sql = login(&server);
    assert_eq!(count(&mut sql), "0");
    let mut loader = login(&server);
    begin(&mut loader, &mut sql, 300_000);
    finish(&mut loader);
    server.kill();
    let server = Running::start(data, &[]);
    let mut sql = login(&server);
    assert_eq!(count(&mut sql), "300000");
    let by_index = one(&mut sql, "SELECT COUNT(*) FROM d.t WHERE a BETWEEN 1000 AND 500000");
    let by_rows = one(&mut sql, "SELECT COUNT(*) FROM d.t WHERE a + 0 BETWEEN 1000 AND 500000");
    assert_eq!(by_index, by_rows);
    // The same with a table that has rows, of which the file brings all once more.
    let server = kill_amid_a_load(server, &mut sql, data, &[], 600_000, "tmp");
    let mut sql = login(&server);
    assert_eq!(count(&mut sql), "300000");
    let mut loader = login(&server);
    begin(&mut loader, &mut sql, 300_000);
    send(&mut loader, 300_000..600_000);
    finish(&mut loader);
    server.kill();
    let server = Running::start(data, &[]);
    let mut sql = login(&server);
    assert_eq!(count(&mut sql), "600000");
    drop(sql);
    server.stop();
    assert_nothing_is_left(data);
    assert_sound(data);
}

#[test]
fn others_go_on_beside_a_load_and_who_writes_to_its_table_waits_for_it() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &[]);
    let mut loader = login(&server);
    begin(&mut loader, &mut sql, 100_000);
    // Before, its rows cannot be seen, and other tables are not touched.
    assert_eq!(count(&mut sql), "0");
    for id in 0..20 {
        sql.execute(&format!("INSERT INTO d.other VALUES ({id})")).unwrap();
    }
    sql.execute("SET innodb_lock_wait_timeout = 1").unwrap();
    let refused = sql.execute("INSERT INTO d.t VALUES (-1, 1, 'x')");
    assert!(matches!(refused, Err(Failure::Error { number: 1205, .. })), "{refused:?}");
    // A second load, and a writer that has the patience.
    let mut second = login(&server);
    second.begin_load("LOAD DATA LOCAL INFILE 'f' REPLACE INTO TABLE d.t").unwrap();
    let mut writer = login(&server);
    writer.send_query("INSERT INTO d.t VALUES (-2, 2, 'y')").unwrap();
    std::thread::scope(|scope| {
        let more = scope.spawn(|| {
            second.send_piece(&lines(90_000..150_000)).unwrap();
            finish(&mut second);
        });
        wait_until("both to wait", || {
            let list = sql.query("SHOW PROCESSLIST").unwrap();
            let waits = |state: &str| state.contains("Waiting for row lock");
            list.iter().filter(|line| line[6].as_deref().is_some_and(waits)).count() == 2
        });
        finish(&mut loader);
        more.join().unwrap();
    });
    writer.result().unwrap();
    assert_eq!(count(&mut sql), "150001");
    sql.execute("INSERT INTO d.t VALUES (-1, 1, 'x')").unwrap();
    drop((sql, writer, second, loader));
    server.stop();
    assert_nothing_is_left(directory.path());
    assert_sound(directory.path());
}

#[test]
fn a_load_that_is_killed_or_whose_client_leaves_gives_the_table_back() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &[]);
    let mut loader = login(&server);
    begin(&mut loader, &mut sql, 100_000);
    drop(loader);
    sql.execute("INSERT INTO d.t VALUES (-1, 1, 'x')").unwrap();
    sql.execute("DELETE FROM d.t").unwrap();
    let mut loader = login(&server);
    let number = one(&mut loader, "SELECT CONNECTION_ID()");
    begin(&mut loader, &mut sql, 100_000);
    sql.execute(&format!("KILL QUERY {number}")).unwrap();
    loader.send_piece(&lines(100_000..300_000)).unwrap();
    loader.send_piece(b"").unwrap();
    let ended = loader.result();
    assert!(matches!(ended, Err(Failure::Error { number: 1317, .. })), "{ended:?}");
    assert_eq!(count(&mut sql), "0");
    // The connection is as before, and so is the table.
    begin(&mut loader, &mut sql, 100_000);
    finish(&mut loader);
    assert_eq!(count(&mut sql), "100000");
    wait_until("temporary files to go", || files_in(&directory.path().join("tmp")) == 0);
}

#[test]
fn loads_of_more_rows_than_fit_stay_within_the_memory() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--memory=128MiB"]);
    sql.execute("CREATE TABLE d.t2 LIKE d.t").unwrap();
    const ROWS: u64 = 1_500_000;
    std::thread::scope(|scope| {
        for table in ["t", "t2"] {
            let mut loader = login(&server);
            scope.spawn(move || {
                loader.begin_load(&LOAD.replace("d.t", &format!("d.{table}"))).unwrap();
                send(&mut loader, 0..ROWS);
                loader.send_piece(b"").unwrap();
                loader.result().unwrap();
            });
        }
    });
    let peak = peak_mib(&server);
    assert!(peak <= 128 * 12 / 10, "{peak} MiB resident, 128 allowed");
    for table in ["t", "t2"] {
        assert_eq!(one(&mut sql, &format!("SELECT COUNT(*) FROM d.{table}")), ROWS.to_string());
    }
}

/// The child's part; without the environment, nothing.
#[test]
fn a_child_loads_more_than_its_small_disk_holds() {
    let Ok(disk) = std::env::var(DISK) else { return };
    let data = Path::new(&disk).join("data");
    let (server, mut sql) = start(&data, &[]);
    fill_the_disk(&server, &mut sql, &data, 1_600_000);
    drop(sql);
    server.stop();
    assert_sound(&data);
}

#[test]
fn a_load_that_fills_the_disk_ends_and_everybody_else_goes_on() {
    on_small_disk(
        &format!("size={DISK_MEGABYTES}m"),
        DISK,
        "a_child_loads_more_than_its_small_disk_holds",
    );
}
