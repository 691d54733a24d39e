//! LOAD DATA of large files into tables without any index, by column and by row, whose rows are
//! not sorted: all of it or nothing, whatever happens meanwhile, in the order of the file.

use std::fs;
use std::path::Path;

use crate::loads::{
    LOAD, assert_nothing_is_left, assert_sound, begin, count, files_in, fill_the_disk, finish,
    kill_amid_a_load, lines, login, one, send,
};
use crate::mysql::{Failure, Mysql};
use crate::support::{Running, peak_mib, wait_until};
use faults::on_small_disk;

const DISK: &str = "ROWHOUSE_TEST_LOADING_IN_ORDER_DISK";
/// Where a load has its files before they are a part of the database.
const FILES: &str = "rows/ingest";
const KINDS: [&str; 2] = ["ENGINE=COLUMNAR", ""];

fn start(data: &Path, kind: &str, flags: &[&str]) -> (Running, Mysql) {
    let server = Running::start(data, flags);
    let mut sql = login(&server);
    sql.execute("CREATE DATABASE d").unwrap();
    make(&mut sql, "t", kind);
    sql.execute("CREATE TABLE d.other (id INT PRIMARY KEY)").unwrap();
    (server, sql)
}

fn make(sql: &mut Mysql, name: &str, kind: &str) {
    sql.execute(&format!("CREATE TABLE d.{name} (id INT, a INT, s VARCHAR(120)) {kind}")).unwrap();
}

/// Number of rows, and sums that tell which.
fn summary(sql: &mut Mysql) -> String {
    one(sql, "SELECT CONCAT_WS(' ', COUNT(*), SUM(id), SUM(a), SUM(LENGTH(s))) FROM d.t")
}

/// The summary of the rows of some lines.
fn of_lines(rows: std::ops::Range<u64>) -> String {
    let text = String::from_utf8(lines(rows)).unwrap();
    let (mut count, mut ids, mut numbers, mut bytes) = (0, 0, 0, 0);
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        count += 1;
        ids += fields[0].parse::<u64>().unwrap();
        numbers += fields[1].parse::<u64>().unwrap();
        bytes += fields[2].len();
    }
    format!("{count} {ids} {numbers} {bytes}")
}

/// Waits until a load has files that are no part of the database yet.
fn wait_for_files(data: &Path) {
    wait_until("files of the load", || files_in(&data.join(FILES)) > 0);
}

#[test]
fn a_server_that_is_killed_amid_a_load_has_nothing_of_it_and_one_that_said_so_has_all() {
    for kind in KINDS {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path();
        let flags = ["--durability=os", "--memory=128MiB"];
        let (server, mut sql) = start(data, kind, &flags);
        let server = kill_amid_a_load(server, &mut sql, data, &flags, 300_000, FILES);
        let mut sql = login(&server);
        assert_eq!(count(&mut sql), "0");
        let mut loader = login(&server);
        begin(&mut loader, &mut sql, 300_000);
        finish(&mut loader);
        server.kill();
        let server = Running::start(data, &flags);
        let mut sql = login(&server);
        let all = of_lines(0..300_000);
        assert_eq!(summary(&mut sql), all, "{kind}");
        // Behind rows that are there.
        let server = kill_amid_a_load(server, &mut sql, data, &flags, 300_000, FILES);
        let mut sql = login(&server);
        assert_eq!(summary(&mut sql), all, "{kind}");
        sql.execute("INSERT INTO d.t VALUES (-1, 1, 'one more')").unwrap();
        drop(sql);
        server.stop();
        assert_sound(data);
    }
}

#[test]
fn rows_come_back_in_the_order_of_the_file_behind_those_that_were_there() {
    for kind in KINDS {
        let directory = tempfile::tempdir().unwrap();
        let (server, mut sql) = start(directory.path(), kind, &["--memory=128MiB"]);
        sql.execute("INSERT INTO d.t VALUES (-1, 1, 'first')").unwrap();
        let mut loader = login(&server);
        begin(&mut loader, &mut sql, 200_000);
        finish(&mut loader);
        sql.execute("INSERT INTO d.t VALUES (-2, 2, 'last')").unwrap();
        // Numbers its rows in the order of the table.
        sql.execute("ALTER TABLE d.t ADD place INT AUTO_INCREMENT PRIMARY KEY").unwrap();
        let found = sql.query("SELECT id, s FROM d.t ORDER BY place").unwrap();
        let text = String::from_utf8(lines(0..200_000)).unwrap();
        let of_file = text.lines().map(|line| {
            let (id, rest) = line.split_once('\t').unwrap();
            (id, rest.split_once('\t').unwrap().1)
        });
        let all = [("-1", "first")].into_iter().chain(of_file).chain([("-2", "last")]);
        let found =
            found.iter().map(|row| (row[0].as_deref().unwrap(), row[1].as_deref().unwrap()));
        assert!(found.eq(all), "{kind}");
        drop((sql, loader));
        server.stop();
        assert_sound(directory.path());
    }
}

#[test]
fn an_error_in_the_last_line_or_a_kill_leaves_nothing() {
    for kind in KINDS {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path();
        let text = data.join("text");
        fs::create_dir(&text).unwrap();
        let files = format!("--files={}", text.display());
        let (server, mut sql) = start(&data.join("data"), kind, &["--memory=128MiB", &files]);
        let mut file = lines(0..300_000);
        file.extend_from_slice(b"no number\t1\tx\n");
        fs::write(text.join("f"), &file).unwrap();
        // Of a file of the server what is wrong is an error.
        let load = format!("LOAD DATA INFILE '{}' INTO TABLE d.t", text.join("f").display());
        let ended = sql.execute(&load);
        assert!(matches!(ended, Err(Failure::Error { number: 1366, .. })), "{ended:?}");
        assert_nothing_is_left(&data.join("data"));
        assert_eq!(count(&mut sql), "0");
        let mut loader = login(&server);
        let number = one(&mut loader, "SELECT CONNECTION_ID()");
        begin(&mut loader, &mut sql, 300_000);
        wait_for_files(&data.join("data"));
        sql.execute(&format!("KILL QUERY {number}")).unwrap();
        send(&mut loader, 0..200_000);
        loader.send_piece(b"").unwrap();
        let ended = loader.result();
        assert!(matches!(ended, Err(Failure::Error { number: 1317, .. })), "{ended:?}");
        assert_nothing_is_left(&data.join("data"));
        assert_eq!(count(&mut sql), "0");
        // A client that leaves.
        begin(&mut loader, &mut sql, 300_000);
        drop(loader);
        let files = || files_in(&data.join("data").join(FILES));
        wait_until("the load to end", || files() == 0);
        fs::write(text.join("f"), &file[..file.len() - b"no number\t1\tx\n".len()]).unwrap();
        assert_eq!(sql.execute(&load).unwrap(), 300_000);
        assert_eq!(summary(&mut sql), of_lines(0..300_000));
        drop(sql);
        server.stop();
        assert_sound(&data.join("data"));
    }
}

#[test]
fn who_writes_beside_a_load_waits_for_it_and_so_does_another_load() {
    for kind in KINDS {
        let directory = tempfile::tempdir().unwrap();
        let (server, mut sql) = start(directory.path(), kind, &["--memory=128MiB"]);
        let (mut first, mut second, mut writer) = (login(&server), login(&server), login(&server));
        begin(&mut first, &mut sql, 100_000);
        assert_eq!(count(&mut sql), "0");
        sql.execute("INSERT INTO d.other VALUES (1)").unwrap();
        writer.send_query("INSERT INTO d.t VALUES (-1, 1, 'x')").unwrap();
        std::thread::scope(|scope| {
            let more = scope.spawn(|| {
                second.begin_load(LOAD).unwrap();
                send(&mut second, 100_000..200_000);
                finish(&mut second);
            });
            wait_until("both to wait", || {
                let list = sql.query("SHOW PROCESSLIST").unwrap();
                let waits = |state: &str| state.contains("Waiting for row lock");
                list.iter().filter(|line| line[6].as_deref().is_some_and(waits)).count() == 2
            });
            finish(&mut first);
            more.join().unwrap();
        });
        writer.result().unwrap();
        sql.execute("DELETE FROM d.t WHERE id = -1").unwrap();
        assert_eq!(summary(&mut sql), of_lines(0..200_000), "{kind}");
        drop((sql, first, second, writer));
        server.stop();
        assert_nothing_is_left(directory.path());
        assert_sound(directory.path());
    }
}

#[test]
fn loads_of_more_rows_than_fit_stay_within_the_memory() {
    const ROWS: u64 = 1_500_000;
    for kind in KINDS {
        let directory = tempfile::tempdir().unwrap();
        let (server, mut sql) = start(directory.path(), kind, &["--memory=128MiB"]);
        make(&mut sql, "t2", kind);
        std::thread::scope(|scope| {
            for table in ["t", "t2"] {
                let mut loader = login(&server);
                scope.spawn(move || {
                    loader.begin_load(&LOAD.replace("d.t", &format!("d.{table}"))).unwrap();
                    send(&mut loader, 0..ROWS);
                    finish(&mut loader);
                });
            }
        });
        let peak = peak_mib(&server);
        assert!(peak <= 128 * 12 / 10, "{kind}: {peak} MiB resident, 128 allowed");
        assert_eq!(count(&mut sql), ROWS.to_string());
        assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.t2"), ROWS.to_string());
    }
}

/// The child's part; without the environment, nothing.
#[test]
fn a_child_loads_more_than_its_small_disk_holds() {
    let Ok(disk) = std::env::var(DISK) else { return };
    for (at, kind) in KINDS.iter().enumerate() {
        let data = Path::new(&disk).join(format!("data{at}"));
        let (server, mut sql) = start(&data, kind, &[]);
        // By column, some twenty bytes each are left of a row.
        fill_the_disk(&server, &mut sql, &data, 8_000_000);
        assert_eq!(summary(&mut sql), of_lines(0..100_000));
        drop(sql);
        server.stop();
        assert_sound(&data);
        fs::remove_dir_all(&data).unwrap();
    }
}

#[test]
fn a_load_that_fills_the_disk_ends_and_everybody_else_goes_on() {
    on_small_disk("size=128m", DISK, "a_child_loads_more_than_its_small_disk_holds");
}
