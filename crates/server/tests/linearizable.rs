//! Single-row operations are linearizable across doors: clients of all doors do whatever each
//! door offers to the same few rows, and the histories of what they saw are checked by `history`.
//!
//! Rows of `kv.cache`, and rows of a table that is a container at the memcached door, under every
//! durability; then with so much else read that rows leave the row cache and come back (a reader
//! that fills the cache must not put back what a writer has replaced).
//!
//! `ROWHOUSE_LINEARIZABLE_SECONDS` sets how long each of the four runs takes.

#[path = "support/history.rs"]
mod history;
#[path = "support/mysql.rs"]
mod mysql;
mod support;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use history::{Compared, Event, Operation, check};
use mysql::{Failure, Mysql};
use support::{Running, run};

/// Operations of one client on one row, so that histories stay short enough to check.
const OPERATIONS_PER_ROW: u64 = 120;
/// Rows of each table that are used at the same time.
const ROWS_AT_ONCE: u64 = 2;
/// MySQL's number for a key that is there already.
const DUPLICATE: u16 = 1062;
/// Rows that are read besides, and how large they are: more than the row cache holds.
const OTHER_ROWS: usize = 2500;
const OTHER_ROW_BYTES: usize = 12_000;

fn seconds(default: f64) -> Duration {
    let given = std::env::var("ROWHOUSE_LINEARIZABLE_SECONDS").ok();
    Duration::from_secs_f64(given.map_or(default, |text| text.parse().expect("a number")))
}

/// Which table a row is in: as SQL and HandlerSocket name it, and the memcached key's prefix.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    database: &'static str,
    table: &'static str,
    key: &'static str,
    value: &'static str,
    prefix: &'static str,
}

const PLACES: [Place; 2] = [
    Place { database: "kv", table: "cache", key: "k", value: "v", prefix: "" },
    Place { database: "lin", table: "counter", key: "id", value: "n", prefix: "c:" },
];

/// A row: its place and the number that is its key.
type Row = (Place, u64);

/// Numbers that are nobody else's, from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % end
    }
}

/// A connection to one door that can do single-row operations.
trait Client: Send {
    /// What it is, for reports.
    fn name(&self) -> &'static str;
    /// Does one operation of its choice and gives it with its result. `fresh` is a value that was
    /// never used before.
    fn operate(&mut self, row: Row, dice: &mut Dice, fresh: u64) -> Operation;
}

struct Memcached {
    stream: BufReader<TcpStream>,
    /// The last token read, and of which row.
    token: Option<(Row, u64)>,
}

impl Memcached {
    fn ask(&mut self, request: &str) -> String {
        self.stream.get_mut().write_all(request.as_bytes()).expect("sent");
        self.line()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// The value and its token if the line before was not `END`.
    fn value(&mut self, head: &str) -> Option<(u64, u64)> {
        if head == "END" {
            return None;
        }
        let words: Vec<&str> = head.split(' ').collect();
        assert_eq!(words[0], "VALUE", "{head}");
        let value = number(&self.line());
        assert_eq!(self.line(), "END");
        Some((value, words.get(4).map_or(0, |token| number(token))))
    }
}

fn number(text: &str) -> u64 {
    text.trim_end().parse().unwrap_or_else(|_| panic!("no number: {text:?}"))
}

impl Client for Memcached {
    fn name(&self) -> &'static str {
        "memcached"
    }

    fn operate(&mut self, row: Row, dice: &mut Dice, fresh: u64) -> Operation {
        let key = format!("{}{}", row.0.prefix, row.1);
        let data = format!("{}\r\n{fresh}\r\n", fresh.to_string().len());
        match dice.below(12) {
            0..3 => {
                let head = self.ask(&format!("get {key}\r\n"));
                Operation::Read(self.value(&head).map(|(value, _)| value))
            }
            3..5 => {
                let head = self.ask(&format!("gets {key}\r\n"));
                let found = self.value(&head);
                self.token = found.map(|(_, token)| (row, token));
                Operation::ReadToken(found)
            }
            5..7 if self.token.is_some_and(|(of, _)| of == row) => {
                let token = self.token.take().map_or(0, |(_, token)| token);
                let data = data.replacen("\r\n", &format!(" {token}\r\n"), 1);
                let outcome = match &self.ask(&format!("cas {key} 0 0 {data}"))[..] {
                    "STORED" => Compared::Stored,
                    "EXISTS" => Compared::Differs,
                    "NOT_FOUND" => Compared::Missing,
                    other => panic!("cas: {other}"),
                };
                Operation::Compare { token, value: fresh, outcome }
            }
            5..8 => {
                let by = 1 + dice.below(9);
                let reply = self.ask(&format!("incr {key} {by}\r\n"));
                Operation::Add(by, (reply != "NOT_FOUND").then(|| number(&reply)))
            }
            8 => {
                let reply = self.ask(&format!("set {key} 0 0 {data}"));
                assert_eq!(reply, "STORED");
                Operation::Write(fresh)
            }
            9 => {
                let reply = self.ask(&format!("add {key} 0 0 {data}"));
                Operation::Insert(fresh, yes(&reply, "STORED", "NOT_STORED"))
            }
            10 => {
                let reply = self.ask(&format!("replace {key} 0 0 {data}"));
                Operation::Replace(fresh, yes(&reply, "STORED", "NOT_STORED"))
            }
            _ => {
                let reply = self.ask(&format!("delete {key}\r\n"));
                Operation::Delete(yes(&reply, "DELETED", "NOT_FOUND"))
            }
        }
    }
}

fn yes(reply: &str, yes: &str, no: &str) -> bool {
    assert!(reply == yes || reply == no, "{reply}");
    reply == yes
}

struct HandlerSocket {
    stream: BufReader<TcpStream>,
}

impl HandlerSocket {
    /// Opens key and value of each place as index 1, 2, and so on.
    fn open(stream: TcpStream) -> HandlerSocket {
        let mut client = HandlerSocket { stream: BufReader::new(stream) };
        for (number, place) in PLACES.iter().enumerate() {
            let Place { database, table, key, value, .. } = place;
            let open = format!("P\t{}\t{database}\t{table}\tPRIMARY\t{value},{key}", number + 1);
            assert_eq!(client.ask(&open), ["0", "1"]);
        }
        client
    }

    fn ask(&mut self, request: &str) -> Vec<String> {
        self.stream.get_mut().write_all(format!("{request}\n").as_bytes()).expect("sent");
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("a line");
        line.trim_end_matches('\n').split('\t').map(str::to_owned).collect()
    }

    /// How many rows a request changed.
    fn change(&mut self, request: &str) -> bool {
        let reply = self.ask(request);
        assert!(reply == ["0", "1", "0"] || reply == ["0", "1", "1"], "{request:?}: {reply:?}");
        reply[2] == "1"
    }

    /// The first value of the row that a request gives, if it gives one.
    fn found(&mut self, request: &str) -> Option<u64> {
        let reply = self.ask(request);
        assert_eq!(reply[0], "0", "{request:?}: {reply:?}");
        reply.get(2).map(|value| number(value))
    }
}

impl Client for HandlerSocket {
    fn name(&self) -> &'static str {
        "handlersocket"
    }

    fn operate(&mut self, row: Row, dice: &mut Dice, fresh: u64) -> Operation {
        let (place, key) = row;
        let index = 1 + PLACES.iter().position(|other| *other == place).expect("one of them");
        let find = format!("{index}\t=\t1\t{key}\t1\t0");
        match dice.below(8) {
            0..3 => Operation::Read(self.found(&find)),
            3..5 if place.prefix.is_empty() => {
                Operation::Replace(fresh, self.change(&format!("{find}\tU\t{fresh}\t{key}")))
            }
            // Numbers can be counted here; `?` gives what was there before.
            3 => {
                let by = 1 + dice.below(9);
                let before = self.found(&format!("{find}\t+?\t{by}\t0"));
                Operation::Add(by, before.map(|before| before + by))
            }
            4 => match self.found(&format!("{find}\tU?\t{fresh}\t{key}")) {
                Some(old) => Operation::Swap { value: fresh, old },
                None => Operation::Read(None),
            },
            5 => Operation::Replace(fresh, self.change(&format!("{find}\tU\t{fresh}\t{key}"))),
            6 => {
                let reply = self.ask(&format!("{index}\t+\t2\t{fresh}\t{key}"));
                let done = reply[0] == "0";
                assert!(done || reply[..] == ["1", "1", "121"], "{reply:?}");
                Operation::Insert(fresh, done)
            }
            _ => Operation::Delete(self.change(&format!("{find}\tD"))),
        }
    }
}

struct Sql {
    connection: Mysql,
    /// The last value read, and of which row.
    seen: Option<(Row, u64)>,
}

impl Sql {
    fn execute(&mut self, statement: &str) -> u64 {
        self.connection.execute(statement).unwrap_or_else(|why| panic!("{statement}: {why}"))
    }

    fn value(&mut self, statement: &str) -> Option<u64> {
        let rows =
            self.connection.query(statement).unwrap_or_else(|why| panic!("{statement}: {why}"));
        rows.first().map(|row| number(row[0].as_deref().expect("not NULL")))
    }
}

impl Client for Sql {
    fn name(&self) -> &'static str {
        "mysql"
    }

    fn operate(&mut self, row: Row, dice: &mut Dice, fresh: u64) -> Operation {
        let (Place { database, table, key, value, .. }, number) = row;
        let table = format!("{database}.{table}");
        let here = format!("WHERE {key} = '{number}'");
        let select = format!("SELECT {value} FROM {table} {here}");
        match dice.below(11) {
            0..3 => {
                let found = self.value(&select);
                self.seen = found.map(|value| (row, value));
                Operation::Read(found)
            }
            3..5 if self.seen.is_some_and(|(of, _)| of == row) => {
                let old = self.seen.take().map_or(0, |(_, value)| value);
                let update = format!("UPDATE {table} SET {value} = '{fresh}' {here}");
                let done = self.execute(&format!("{update} AND {value} = '{old}'")) == 1;
                Operation::CompareValue { old, value: fresh, done }
            }
            3..6 => {
                let by = 1 + dice.below(9);
                let update = format!("UPDATE {table} SET {value} = {value} + {by} {here}");
                Operation::AddBlind(by, self.execute(&update) == 1)
            }
            6 => {
                let update = format!("UPDATE {table} SET {value} = '{fresh}' {here}");
                Operation::Replace(fresh, self.execute(&update) == 1)
            }
            7 => {
                let values = format!("({key}, {value}) VALUES ('{number}', '{fresh}')");
                match self.connection.execute(&format!("INSERT INTO {table} {values}")) {
                    Ok(_) => Operation::Insert(fresh, true),
                    Err(Failure::Error { number: DUPLICATE, .. }) => {
                        Operation::Insert(fresh, false)
                    }
                    Err(why) => panic!("INSERT: {why}"),
                }
            }
            8 => {
                let values = format!("({key}, {value}) VALUES ('{number}', '{fresh}')");
                self.execute(&format!("REPLACE INTO {table} {values}"));
                Operation::Write(fresh)
            }
            9 => Operation::Delete(self.execute(&format!("DELETE FROM {table} {here}")) == 1),
            _ => {
                self.execute("BEGIN");
                let Some(old) = self.value(&format!("{select} FOR UPDATE")) else {
                    self.execute("ROLLBACK");
                    return Operation::Read(None);
                };
                self.execute(&format!("UPDATE {table} SET {value} = '{fresh}' {here}"));
                self.execute("COMMIT");
                Operation::Swap { value: fresh, old }
            }
        }
    }
}

fn start(durability: &str, directory: &std::path::Path) -> Running {
    let flag = format!("--durability={durability}");
    // With the memory of 64 MiB that all tests give it, the row cache has 16.
    let server = Running::start(directory, &[&flag]);
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    client.query("CREATE DATABASE lin").unwrap();
    client
        .query("CREATE TABLE lin.counter (id BIGINT PRIMARY KEY, n BIGINT UNSIGNED NOT NULL)")
        .unwrap();
    let container = "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns) \
                     VALUES ('c', 'lin', 'counter', 'id', 'n')";
    assert_eq!(client.execute(container).unwrap(), 1);
    server
}

fn memcached(server: &Running) -> Memcached {
    Memcached { stream: BufReader::new(server.connect("memcached")), token: None }
}

/// Lets all clients at the same rows for a while; the history of each row.
fn record(server: &Running, duration: Duration) -> HashMap<Row, Vec<Event>> {
    let mut clients: Vec<Box<dyn Client>> = Vec::new();
    for _ in 0..3 {
        clients.push(Box::new(memcached(server)));
    }
    for _ in 0..2 {
        clients.push(Box::new(HandlerSocket::open(server.connect("handlersocket-write"))));
        let connection = Mysql::login(server.connect("mysql")).unwrap();
        clients.push(Box::new(Sql { connection, seen: None }));
    }
    let begin = Instant::now();
    // Who has done enough to a row moves all on to the next.
    let round = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (1u64..)
        .zip(clients)
        .map(|(identity, mut client)| {
            let round = round.clone();
            std::thread::spawn(move || {
                let mut events: Vec<(Row, Event)> = Vec::new();
                let mut dice = Dice(identity);
                let (mut fresh, mut of_round, mut in_round) = (identity * 1_000_000_000_000, 0, 0);
                let now = || begin.elapsed().as_nanos() as u64;
                while begin.elapsed() < duration {
                    let current = round.load(Ordering::Relaxed);
                    in_round = if current == of_round { in_round + 1 } else { 1 };
                    of_round = current;
                    if in_round > OPERATIONS_PER_ROW * ROWS_AT_ONCE * PLACES.len() as u64 {
                        round.fetch_max(current + 1, Ordering::Relaxed);
                        continue;
                    }
                    let place = PLACES[dice.below(PLACES.len() as u64) as usize];
                    let row = (place, current * ROWS_AT_ONCE + dice.below(ROWS_AT_ONCE));
                    // Far enough from the next that additions never meet it.
                    fresh += 10_000;
                    let called = now();
                    let operation = client.operate(row, &mut dice, fresh);
                    let event = Event { called, returned: now(), client: client.name(), operation };
                    events.push((row, event));
                }
                events
            })
        })
        .collect();
    let mut histories: HashMap<Row, Vec<Event>> = HashMap::new();
    for thread in threads {
        for (row, event) in thread.join().expect("the client had no error") {
            histories.entry(row).or_default().push(event);
        }
    }
    histories
}

fn check_all(what: &str, histories: &HashMap<Row, Vec<Event>>) {
    let mut count: HashMap<&str, usize> = HashMap::new();
    let mut overlapping = 0;
    for ((place, key), history) in histories {
        if let Err(why) = check(history) {
            panic!("{what}: row {key} of {} is not linearizable: {why}", place.table);
        }
        for event in history {
            *count.entry(event.client).or_default() += 1;
        }
        let mut by_time: Vec<(u64, u64)> =
            history.iter().map(|event| (event.called, event.returned)).collect();
        by_time.sort_unstable();
        overlapping += by_time.windows(2).filter(|pair| pair[1].0 < pair[0].1).count();
    }
    eprintln!("{what}: {} rows, operations {count:?}, {overlapping} overlap", histories.len());
    // Else nothing was shown.
    assert!(count.len() == 3 && count.values().all(|count| *count > 50), "{count:?}");
    assert!(overlapping > 100, "{overlapping}");
}

#[test]
fn operations_on_one_row_are_linearizable_across_doors_under_every_durability() {
    for durability in ["every-commit", "every-second", "os"] {
        let directory = tempfile::tempdir().unwrap();
        let server = start(durability, directory.path());
        let histories = record(&server, seconds(1.5));
        check_all(durability, &histories);
        assert_eq!(server.stop().code(), Some(0));
    }
}

#[test]
fn operations_stay_linearizable_while_rows_leave_the_row_cache_and_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let server = start("os", directory.path());
    let mut filler = memcached(&server);
    let value = "x".repeat(OTHER_ROW_BYTES);
    for number in 0..OTHER_ROWS {
        let set = format!("set other{number} 0 0 {OTHER_ROW_BYTES}\r\n{value}\r\n");
        assert_eq!(filler.ask(&set), "STORED");
    }
    let ended = Arc::new(AtomicBool::new(false));
    let of_filler = ended.clone();
    let reader = std::thread::spawn(move || {
        let mut passes = 0;
        while !of_filler.load(Ordering::Relaxed) {
            for first in (0..OTHER_ROWS).step_by(50) {
                // Twice each: who is asked for again may push out what is in use.
                let keys: String = (first..first + 50)
                    .map(|number| format!(" other{number} other{number}"))
                    .collect();
                filler.stream.get_mut().write_all(format!("get{keys}\r\n").as_bytes()).unwrap();
                assert!(filler.line().starts_with("VALUE other"), "they are there");
                while filler.line() != "END" {}
            }
            passes += 1;
        }
        passes
    });
    let misses = |server: &Running| {
        let flag = format!("--data-dir={}", server.data_dir.display());
        let asked = run(&["status", "--all", &flag]);
        let all = String::from_utf8_lossy(&asked.stdout).into_owned();
        let line = all.lines().find_map(|line| line.strip_prefix("row_cache_misses "));
        line.map(number).expect("a figure of this name")
    };
    let before = misses(&server);
    let histories = record(&server, seconds(2.0));
    let missed = misses(&server) - before;
    ended.store(true, Ordering::Relaxed);
    let passes = reader.join().unwrap();
    eprintln!("{missed} misses, {passes} passes over the other rows");
    assert!(missed > OTHER_ROWS as u64 / 2, "rows stayed in the cache: {missed} misses");
    check_all("rows leave the cache", &histories);
    assert_eq!(server.stop().code(), Some(0));
}
