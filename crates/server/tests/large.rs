//! Statements and transactions over more rows than there is memory for: they end, and the server
//! stays within its memory.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, peak_mib, wait_until};

const MEMORY_MIB: u64 = 256;
/// Rows of `d.n`. Changing half of them took twice the memory.
const ROWS: usize = 1_000_000;
/// Rows that come from the client; the others are made of them.
const ROWS_SENT: usize = 15_625;
/// Rows of `d.m`, to be joined with.
const ROWS_JOINED: usize = 200_000;
/// The largest statements take minutes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);
/// What waits for longer than this waits for ever, also on a slow machine.
const ENDLESS: Duration = Duration::from_secs(60);

fn login(server: &Running) -> Mysql {
    let stream: TcpStream = server.connect("mysql");
    stream.set_read_timeout(Some(PATIENCE)).expect("settable");
    Mysql::login(stream).expect("nobody needs a password")
}

/// A server with `d.n (id, a, b, s, KEY (a))`.
fn server_with_rows(data_dir: &Path, rows: usize, flags: &[&str]) -> (Running, Mysql) {
    let memory = format!("--memory={MEMORY_MIB}MiB");
    let server = Running::start(data_dir, &[&[&memory, "--durability=os"], flags].concat());
    let mut sql = login(&server);
    sql.execute("CREATE DATABASE d").unwrap();
    let columns = "id INT PRIMARY KEY, a INT, b INT, s VARCHAR(30), KEY (a)";
    sql.execute(&format!("CREATE TABLE d.n ({columns})")).unwrap();
    let sent = ROWS_SENT.min(rows);
    for first in (0..sent).step_by(5000) {
        let row = |id: usize| {
            let mixed = id * 7919 % 1_000_003;
            format!("({id},{mixed},{},'row {mixed}')", mixed % ROWS_JOINED)
        };
        let values: Vec<String> = (first..sent.min(first + 5000)).map(row).collect();
        sql.execute(&format!("INSERT INTO d.n VALUES {}", values.join(","))).unwrap();
    }
    let mut there = sent;
    while there < rows {
        let more = there.min(rows - there);
        let made = format!(
            "INSERT INTO d.n SELECT id + {there}, (a + {there} * 7919) % 1000003,
                (b + {there} * 31) % {ROWS_JOINED}, CONCAT(s, '+') FROM d.n WHERE id < {more}"
        );
        assert_eq!(sql.execute(&made).unwrap(), more as u64);
        there += more;
    }
    (server, sql)
}

fn one(sql: &mut Mysql, query: &str) -> String {
    let rows = sql.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    rows[0][0].clone().unwrap_or_default()
}

fn assert_within(server: &Running, what: &str) {
    let peak = peak_mib(server);
    eprintln!("{what}: peak {peak} MiB of {MEMORY_MIB}");
    assert!(peak <= MEMORY_MIB * 11 / 10, "{what}: {peak} MiB resident, {MEMORY_MIB} allowed");
}

/// Changes half of the rows within a transaction, and ends it in both ways.
fn change_half(server: &Running, sql: &mut Mysql, statement: &str, count: &str) {
    let condition = &statement[statement.find("WHERE").expect("of a part")..];
    let part = one(sql, &format!("SELECT COUNT(*) FROM d.n {condition}"));
    let before = one(sql, count);
    for end in ["ROLLBACK", "COMMIT"] {
        sql.execute("BEGIN").unwrap();
        assert_eq!(sql.execute(statement).unwrap().to_string(), part, "{statement}");
        let within = one(sql, count);
        assert_ne!(within, before, "{statement}");
        sql.execute(end).unwrap();
        let after = if end == "COMMIT" { &within } else { &before };
        assert_eq!(one(sql, count), *after, "{statement}, {end}");
        assert_within(server, &format!("{statement}, {end}"));
    }
}

#[test]
fn statements_that_change_most_rows_of_a_table_took_more_than_the_memory() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = server_with_rows(directory.path(), ROWS, &[]);
    assert_within(&server, "INSERT ... SELECT");
    let half = ROWS / 2;
    let update = format!("UPDATE d.n SET s = 'changed' WHERE id < {half}");
    change_half(&server, &mut sql, &update, "SELECT COUNT(*) FROM d.n WHERE s = 'changed'");
    // Of the index that is read, which had to be gathered first.
    let moves = format!("UPDATE d.n SET a = a + 2000000 WHERE a < {half}");
    change_half(&server, &mut sql, &moves, "SELECT COUNT(*) FROM d.n WHERE a >= 2000000");
    let made = sql.execute("CREATE TABLE d.c AS SELECT * FROM d.n").unwrap();
    assert_eq!(made, ROWS as u64);
    assert_within(&server, "CREATE TABLE ... AS SELECT");
    let sums = "SELECT CONCAT_WS(',', COUNT(*), SUM(id), SUM(a), SUM(LENGTH(s))) FROM d.";
    assert_eq!(one(&mut sql, &format!("{sums}c")), one(&mut sql, &format!("{sums}n")));
    let delete = format!("DELETE FROM d.n WHERE id < {half}");
    change_half(&server, &mut sql, &delete, "SELECT COUNT(*) FROM d.n");
    let range = "BETWEEN 500000 AND 2001000";
    let by_index = one(&mut sql, &format!("SELECT COUNT(*) FROM d.n WHERE a {range}"));
    let by_rows = one(&mut sql, &format!("SELECT COUNT(*) FROM d.n WHERE a + 0 {range}"));
    assert_eq!(by_index, by_rows);
    drop(sql);
    // All of it is there after a crash as well.
    server.kill();
    let server = Running::start(directory.path(), &["--memory=256MiB"]);
    let mut sql = login(&server);
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.n"), half.to_string());
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.c"), ROWS.to_string());
}

#[test]
fn joins_and_window_functions_over_more_rows_than_fit_ended_with_error_1038() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = server_with_rows(directory.path(), ROWS, &[]);
    sql.execute("CREATE TABLE d.m (id INT PRIMARY KEY, t VARCHAR(30))").unwrap();
    let joined = format!("INSERT INTO d.m SELECT id, s FROM d.n WHERE id < {ROWS_JOINED}");
    sql.execute(&joined).unwrap();
    let pairs = "SELECT COUNT(*) FROM d.n x JOIN d.m y ON x.b = y.id WHERE x.s <> y.t OR x.id >= 0";
    assert_eq!(one(&mut sql, pairs), ROWS.to_string());
    assert_within(&server, pairs);
    let texts = "SELECT COUNT(*) FROM d.n x JOIN d.n y ON x.s = y.s";
    // Not right yet: beside others this one now and then finds no memory for its first rows. It is
    // to end with that error at the worst, and to leave the server as it was.
    match sql.query(texts) {
        Ok(rows) => assert!(rows[0][0].as_deref().unwrap().parse::<usize>().unwrap() >= ROWS),
        Err(error) => assert!(error.to_string().contains("1038"), "{error}"),
    }
    assert_within(&server, texts);
    let outer = "SELECT COUNT(*), COUNT(y.id) FROM d.m y RIGHT JOIN d.n x ON x.a = y.id";
    assert_eq!(one(&mut sql, outer), ROWS.to_string());
    assert_within(&server, outer);
    let numbered = "SELECT MAX(r) FROM (SELECT ROW_NUMBER() OVER (ORDER BY s, id) r FROM d.n) w";
    assert_eq!(one(&mut sql, numbered), ROWS.to_string());
    assert_within(&server, numbered);
    let within = "SELECT SUM(r = 1) FROM
        (SELECT ROW_NUMBER() OVER (PARTITION BY b ORDER BY a, id) r FROM d.n) w";
    let groups = one(&mut sql, "SELECT COUNT(DISTINCT b) FROM d.n");
    assert_eq!(one(&mut sql, within), groups);
    assert_within(&server, within);
    let shares = "SELECT COUNT(*) FROM (SELECT id, SUM(a) OVER (PARTITION BY b) t FROM d.n) w
        WHERE t IS NOT NULL";
    assert_eq!(one(&mut sql, shares), ROWS.to_string());
    assert_within(&server, shares);
    assert_eq!(
        fs::read_dir(directory.path().join("tmp")).unwrap().flatten().map(files).sum::<usize>(),
        0
    );
}

/// Files below an entry of a directory.
fn files(entry: fs::DirEntry) -> usize {
    match fs::read_dir(entry.path()) {
        Ok(below) => below.flatten().map(files).sum(),
        Err(_) => 1,
    }
}

fn files_beneath(directory: &Path) -> usize {
    let entries = fs::read_dir(directory).unwrap().flatten();
    let each = entries.map(|entry| match entry.file_type().unwrap().is_dir() {
        true => files_beneath(&entry.path()),
        false => 1,
    });
    each.sum()
}

#[test]
fn what_a_killed_server_left_in_its_temporary_directory_is_removed_at_the_next_start() {
    let directory = tempfile::tempdir().unwrap();
    let (data, elsewhere) = (directory.path().join("data"), directory.path().join("elsewhere"));
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("of somebody else"), "").unwrap();
    let place = format!("--temp-dir={}", elsewhere.display());
    let (within, beside): (&[&str], &[&str]) = (&[], &[&place]);
    for flags in [within, beside] {
        let (server, mut sql) = match data.exists() {
            false => server_with_rows(&data, 200_000, flags),
            true => {
                let flags = [&["--memory=256MiB", "--durability=os"][..], flags].concat();
                let server = Running::start(&data, &flags);
                let sql = login(&server);
                (server, sql)
            }
        };
        sql.execute("BEGIN").unwrap();
        sql.execute("UPDATE d.n SET s = CONCAT(s, '!')").unwrap();
        let temporary = match flags.is_empty() {
            true => data.join("tmp"),
            false => {
                let ours = |entry: &fs::DirEntry| {
                    entry.file_name().to_string_lossy().starts_with("rowhouse-tmp-")
                };
                let found = fs::read_dir(&elsewhere).unwrap().flatten().find(ours);
                found.expect("a directory of ours").path()
            }
        };
        let mode = fs::metadata(&temporary).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(fs::read_dir(&temporary).unwrap().count() > 0, "nothing was spilled");
        server.kill();
        assert!(fs::read_dir(&temporary).unwrap().count() > 0, "a kill leaves files");
        let again = [&["--memory=256MiB"][..], flags].concat();
        let server = Running::start(&data, &again);
        // What the new server needs it makes again; nothing is in there yet.
        assert_eq!(files_beneath(&temporary), 0);
        let mut sql = login(&server);
        assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.n WHERE s LIKE '%!'"), "0");
    }
    assert!(elsewhere.join("of somebody else").exists());
}

#[test]
fn a_changed_definition_waited_longer_than_lock_wait_timeout_and_no_kill_ended_it() {
    let directory = tempfile::tempdir().unwrap();
    // No wait of rows is to end one of definitions.
    let flags = ["--durability=os", "--lock-wait-timeout=1h"];
    let server = Running::start(directory.path(), &flags);
    let mut holder = login(&server);
    holder.execute("CREATE DATABASE d").unwrap();
    holder.execute("CREATE TABLE d.t (id INT PRIMARY KEY)").unwrap();
    holder.execute("BEGIN").unwrap();
    holder.execute("INSERT INTO d.t VALUES (1)").unwrap();
    let mut changer = login(&server);
    changer.execute("SET lock_wait_timeout = 1").unwrap();
    let changes = [
        "DROP DATABASE d",
        "DROP TABLE d.t",
        "TRUNCATE TABLE d.t",
        "RENAME TABLE d.t TO d.u",
        "ALTER TABLE d.t ADD COLUMN x INT",
    ];
    for change in changes {
        let begun = Instant::now();
        let refused = changer.execute(change);
        assert!(matches!(refused, Err(Failure::Error { number: 1205, .. })), "{change}");
        assert!(begun.elapsed() < ENDLESS, "{change}: {:?}", begun.elapsed());
    }
    changer.execute("SET lock_wait_timeout = 600").unwrap();
    let number = one(&mut changer, "SELECT CONNECTION_ID()");
    changer.send_query("DROP DATABASE d").unwrap();
    let mut killer = login(&server);
    let mut ended = None;
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| changer.result());
        // Until it has begun: a kill that comes too early is of no statement.
        wait_until("the end of the statement", || {
            killer.execute(&format!("KILL QUERY {number}")).unwrap();
            waiter.is_finished()
        });
        ended = Some(waiter.join().unwrap());
    });
    assert!(matches!(ended, Some(Err(Failure::Error { number: 1317, .. }))));
    holder.execute("COMMIT").unwrap();
    changer.execute("DROP DATABASE d").unwrap();
}
