//! Writers of all doors during a change of their table.

// Each test file uses what it needs of this.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::mysql::{Failure, Mysql};
use crate::support::{PATIENCE, Running, rest, rowhouse, run, wait_until};

/// Rows of `d.t` that there are before the writers.
pub const ROWS: u64 = 150_000;
/// Steps after which a writer comes back to the row that was new then: the table grows by some
/// thousands of rows, however quick the machine is.
const FRESH: u64 = 4_000;
/// Steps of all clients together in which each of them has had its turn.
const STEPS_MAX: u64 = 10_000_000;

/// The number of the row that a writer adds at a step. It is behind all others, and no other
/// writer's.
fn fresh(writer: u64, n: u64) -> u64 {
    ROWS + 4 * (n % FRESH) + writer
}

/// How many rows that a writer of `Writers::start` has added are there after so many steps. Not of
/// the second one, which rolls back some.
pub fn fresh_rows(writer: usize, done: u64) -> u64 {
    // How often it adds one, and how many steps before that the former one of its number goes.
    let (every, before) = [(4, 2), (1, 0), (2, 1), (2, 0)][writer];
    let is_there = |slot: &u64| {
        let last = slot + (done - 1 - slot) / FRESH * FRESH;
        last + FRESH - before >= done
    };
    (0..FRESH.min(done)).step_by(every).filter(is_there).count() as u64
}

pub fn login(server: &Running) -> Mysql {
    let stream = server.connect("mysql");
    stream.set_read_timeout(Some(Duration::from_secs(300))).expect("settable");
    Mysql::login(stream).expect("nobody needs a password")
}

pub fn text(n: u64) -> String {
    let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{mixed:x}{:x}", mixed.wrapping_mul(mixed | 1))
}

/// `d.t` with so many rows; numbers in `a` are shared, those in `b` are not.
pub fn start(directory: &Path, flags: &[&str], rows: u64) -> (Running, Mysql) {
    let server = Running::start(directory, flags);
    let mut sql = login(&server);
    sql.execute("CREATE DATABASE d").unwrap();
    sql.execute("CREATE TABLE d.t (id BIGINT PRIMARY KEY, a INT, b BIGINT, s VARCHAR(60))")
        .unwrap();
    sql.execute(
        "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns)
         VALUES ('t', 'd', 't', 'id', 'a,b,s')",
    )
    .unwrap();
    sql.begin_load("LOAD DATA LOCAL INFILE 'f' INTO TABLE d.t").unwrap();
    for first in (0..rows).step_by(50_000) {
        let line = |n| format!("{n}\t{}\t{n}\t{}\n", n % 1000, text(n));
        let piece: String = (first..rows.min(first + 50_000)).map(line).collect();
        sql.send_piece(piece.as_bytes()).unwrap();
    }
    sql.send_piece(b"").unwrap();
    sql.result().unwrap();
    (server, sql)
}

/// A table in `d` by its CREATE TABLE, which is a container of `id` and `v` by its own name, and,
/// by this setting, the Tyrant door's table.
pub fn with_container(
    directory: &Path,
    table: &str,
    create: &str,
    tyrant: &str,
) -> (Running, Mysql) {
    let server = Running::start(directory, &[]);
    let mut sql = login(&server);
    sql.execute("CREATE DATABASE IF NOT EXISTS d").unwrap();
    sql.execute(create).unwrap();
    sql.execute(&format!(
        "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns)
         VALUES ('{table}', 'd', '{table}', 'id', 'v')",
    ))
    .unwrap();
    drop(sql);
    server.stop();
    // It makes a table of its own where there is none.
    let server = Running::start(directory, &[&format!("--tyrant-database={tyrant}")]);
    let sql = login(&server);
    (server, sql)
}

/// Dumps everything, drops `d` and loads it again.
pub fn dump_and_load(directory: &Path, sql: &mut Mysql) {
    let flag = format!("--data-dir={}", directory.display());
    let dump = run(&["dump", &flag]);
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    sql.execute("DROP DATABASE d").unwrap();
    let mut load = rowhouse(&["load", &flag, "-"]);
    let mut load = load.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    load.stdin.take().unwrap().write_all(&dump.stdout).unwrap();
    let loaded = load.wait_with_output().unwrap();
    assert!(loaded.status.success(), "{}", String::from_utf8_lossy(&loaded.stderr));
}

pub fn one(sql: &mut Mysql, query: &str) -> String {
    let rows = sql.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    rows[0][0].clone().unwrap_or_default()
}

pub fn assert_sound(data: &Path) {
    let checked = run(&["check", &format!("--data-dir={}", data.display())]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

/// Waits until the process list shows a stage of a statement.
pub fn wait_for_stage(watcher: &mut Mysql) {
    wait_until("the statement to be under way", || {
        let list = watcher.query("SHOW PROCESSLIST").unwrap();
        list.iter().any(|line| line[6].as_deref().is_some_and(|state| state.starts_with("Stage:")))
    });
}

/// A client that speaks in lines.
pub struct Lines(pub BufReader<TcpStream>);

impl Lines {
    pub fn ask(&mut self, request: &str) -> String {
        self.0.get_mut().write_all(request.as_bytes()).expect("sent");
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }
}

/// Writers of the doors, until told to stop, and how much each has done.
#[derive(Default)]
pub struct Writers {
    stop: Arc<AtomicBool>,
    done: Vec<Arc<AtomicU64>>,
    threads: Vec<JoinHandle<()>>,
}

impl Writers {
    pub fn start(server: &Running) -> Writers {
        let mut writers = Writers::default();
        let mut sql = login(server);
        writers.go(move |n, id| {
            // Behind the rows, since other writers have the rest.
            let (new, next) = (fresh(0, n), fresh(0, n + 2));
            let statement = match n % 4 {
                0 => format!("INSERT INTO d.t VALUES ({new}, {n} % 1000, {new}, 'sql')"),
                1 => format!("UPDATE d.t SET a = a + 1, s = 'sql {n}' WHERE id = {id}"),
                2 => format!("DELETE FROM d.t WHERE id IN ({id}, {next})"),
                _ => format!("REPLACE INTO d.t VALUES ({id}, 7, {id}, 'again')"),
            };
            sql.execute(&statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        });
        let mut sql = login(server);
        writers.go(move |n, id| {
            let new = fresh(1, n);
            let all = [
                "BEGIN".to_owned(),
                format!("DELETE FROM d.t WHERE id = {new}"),
                format!("INSERT INTO d.t VALUES ({new}, 1, {new}, 'in a transaction')"),
                format!("UPDATE d.t SET a = a + 1 WHERE id BETWEEN {id} AND {id} + 5"),
                if n.is_multiple_of(3) { "ROLLBACK" } else { "COMMIT" }.to_owned(),
            ];
            for statement in &all {
                match sql.execute(statement) {
                    Ok(_) => {}
                    // A circle of locks, or the table is another one now.
                    Err(Failure::Error { number: 1213 | 1412, .. }) => {
                        sql.execute("ROLLBACK").unwrap();
                        break;
                    }
                    Err(error) => panic!("{statement}: {error}"),
                }
            }
        });
        let mut lines = Lines(BufReader::new(server.connect("handlersocket-write")));
        assert_eq!(lines.ask("P\t1\td\tt\tPRIMARY\tid,a,b,s\n"), "0\t1");
        writers.go(move |n, id| {
            let (new, next) = (fresh(2, n), fresh(2, n + 1));
            let requests = match n % 2 {
                0 => vec![format!("1\t+\t4\t{new}\t5\t{new}\tby handlersocket\n")],
                _ => vec![
                    format!("1\t=\t1\t{id}\t1\t0\tU\t{id}\t6\t{id}\thandlersocket\n"),
                    format!("1\t=\t1\t{next}\t1\t0\tD\n"),
                ],
            };
            for request in requests {
                let reply = lines.ask(&request);
                assert!(reply.starts_with("0\t1"), "{reply}");
            }
        });
        let mut lines = Lines(BufReader::new(server.connect("memcached")));
        writers.go(move |n, id| {
            let key = if n.is_multiple_of(2) { fresh(3, n) } else { id };
            let value = format!("8|{key}|memcached");
            let request = format!("set t:{key} 0 0 {}\r\n{value}\r\n", value.len());
            assert_eq!(lines.ask(&request), "STORED");
        });
        writers
    }

    /// One client more: of the how manieth step, and any row's number.
    pub fn go(&mut self, mut step: impl FnMut(u64, u64) + Send + 'static) {
        let (stop, done) = (Arc::clone(&self.stop), Arc::<AtomicU64>::default());
        self.done.push(Arc::clone(&done));
        self.threads.push(thread::spawn(move || {
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                step(n, n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % ROWS);
                n += 1;
                done.store(n, Ordering::Relaxed);
            }
        }));
    }

    pub fn counts(&self) -> Vec<u64> {
        self.done.iter().map(|done| done.load(Ordering::Relaxed)).collect()
    }

    /// Waits until each client has begun, and ended, a step from now on. It is an error if clients
    /// stand still, or one of them while others make very many steps; how long a step takes is
    /// none.
    pub fn wait_for_all(&self) {
        let before = self.counts();
        let (mut since, mut last) = (Instant::now(), 0);
        loop {
            let now = self.counts();
            if now.iter().zip(&before).all(|(now, old)| *now >= old + 2) {
                return;
            }
            let steps: u64 = now.iter().zip(&before).map(|(now, old)| now - old).sum();
            if steps > last {
                (since, last) = (Instant::now(), steps);
            }
            assert!(since.elapsed() < 5 * PATIENCE, "clients stand still: {before:?}, {now:?}");
            assert!(steps < STEPS_MAX, "a client stands still: {before:?}, {now:?}");
            rest();
        }
    }

    /// Ends them; gives how much each has done.
    pub fn end(mut self) -> Vec<u64> {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|writer| writer.join().expect("a writer"));
        self.counts()
    }
}
