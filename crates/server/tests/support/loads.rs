//! Clients that load files, and what a load may leave behind.

// Each test file uses what it needs of this.
#![allow(dead_code)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, run, wait_until};

pub const LOAD: &str = "LOAD DATA LOCAL INFILE 'f' INTO TABLE d.t";

pub fn login(server: &Running) -> Mysql {
    let stream = server.connect("mysql");
    stream.set_read_timeout(Some(Duration::from_secs(300))).expect("settable");
    Mysql::login(stream).expect("nobody needs a password")
}

/// Lines of a part of a file, in no order, with texts that do not compress well.
pub fn lines(rows: std::ops::Range<u64>) -> Vec<u8> {
    let mut file = String::new();
    for n in rows {
        let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let id = n * 7919 % 10_000_019;
        let noise = mixed.wrapping_mul(mixed | 1);
        file += &format!("{id}\t{}\t{mixed:x}{noise:x} of row {n}\n", mixed % 1_000_000);
    }
    file.into_bytes()
}

/// Sends the lines of many rows, in packets of some megabytes.
pub fn send(sql: &mut Mysql, rows: std::ops::Range<u64>) {
    for first in rows.clone().step_by(50_000) {
        sql.send_piece(&lines(first..rows.end.min(first + 50_000))).unwrap();
    }
}

/// Sends rows until the process list says that they are being sorted.
pub fn begin(sql: &mut Mysql, watcher: &mut Mysql, rows: u64) {
    sql.begin_load(LOAD).unwrap();
    send(sql, 0..rows);
    wait_until("the load to be under way", || {
        let list = watcher.query("SHOW PROCESSLIST").unwrap();
        list.iter().any(|line| line[6].as_deref().is_some_and(|state| state.contains("reading")))
    });
}

/// Sends the end of what is loaded and waits for all of it to be there.
pub fn finish(loader: &mut Mysql) {
    loader.send_piece(b"").unwrap();
    loader.result().unwrap();
}

/// Begins to load rows, more than a load keeps in memory, and kills the server amid it; what it is
/// when it has started again.
pub fn kill_amid_a_load(
    server: Running,
    sql: &mut Mysql,
    data: &Path,
    flags: &[&str],
    rows: u64,
    files: &str,
) -> Running {
    let mut loader = login(&server);
    begin(&mut loader, sql, rows);
    wait_until("files of the load", || files_in(&data.join(files)) > 0);
    server.kill();
    let server = Running::start(data, flags);
    assert_nothing_is_left(data);
    server
}

/// Loads up to so many rows, more than the disk holds, into `d.t`, beside short writes to
/// `d.other`: nothing is left of the load, the writes are there, and what fits can be loaded.
pub fn fill_the_disk(server: &Running, sql: &mut Mysql, data: &Path, rows: u64) {
    let mut loader = login(server);
    loader.begin_load(LOAD).unwrap();
    let mut written = 0;
    for first in (0..rows).step_by(50_000) {
        loader.send_piece(&lines(first..first + 50_000)).unwrap();
        // Short writes find room whatever the load takes.
        sql.execute(&format!("INSERT INTO d.other VALUES ({first})")).unwrap();
        written += 1;
    }
    loader.send_piece(b"").unwrap();
    let ended = loader.result();
    assert!(matches!(ended, Err(Failure::Error { number: 1021 | 1114, .. })), "{ended:?}");
    assert_nothing_is_left(data);
    assert_eq!(count(sql), "0");
    assert_eq!(one(sql, "SELECT COUNT(*) FROM d.other"), written.to_string());
    loader.begin_load(LOAD).unwrap();
    send(&mut loader, 0..100_000);
    finish(&mut loader);
    assert_eq!(count(sql), "100000");
}

pub fn one(sql: &mut Mysql, query: &str) -> String {
    let rows = sql.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    rows[0][0].clone().unwrap_or_default()
}

pub fn count(sql: &mut Mysql) -> String {
    one(sql, "SELECT COUNT(*) FROM d.t")
}

pub fn files_in(directory: &Path) -> usize {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let each = entries.flatten().map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => files_in(&entry.path()),
        _ => 1,
    });
    each.sum()
}

pub fn assert_nothing_is_left(data: &Path) {
    assert_eq!(files_in(&data.join("tmp")), 0, "temporary files");
    assert_eq!(files_in(&data.join("rows/ingest")), 0, "files that never appeared");
}

pub fn assert_sound(data: &Path) {
    let checked = run(&["check", &format!("--data-dir={}", data.display())]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}
