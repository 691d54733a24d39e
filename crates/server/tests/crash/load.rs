//! The load: clients of all doors that write, and others that read what they write.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use faults::{Dice, Position};

use crate::account::{Account, Seen, Writer, moment};
use crate::by_column::write_by_column;
use crate::keys::write_items;
use crate::lines::{OPEN, write_lines};
use crate::mysql::Mysql;
use crate::schema::write_tables;
use crate::sql_rows::{id, write_statements, write_transactions};
use crate::support::Running;

/// Rows or items of one writer.
pub const SLOTS: u64 = 150;

/// Tables of several writers.
pub const SHARED: [&str; 2] = ["cuts.ledger", "cuts.by_column"];

/// Writers of each kind, in the order of their accounts; behind them one to the columnar table,
/// which the mover finds at rest when that one is.
const STATEMENTS: u64 = 2;
const TRANSACTIONS: u64 = 2;
const LINES: u64 = 3;
const ITEMS: u64 = 3;
const TABLES: u64 = 2;

/// Kinds of writers that are ever alone.
pub const LONE: u64 = 4;

/// When writers end, and what they make their choices from.
#[derive(Clone)]
pub struct Ends {
    pub seed: u64,
    pub steps_max: usize,
    pub ended: Arc<AtomicBool>,
    /// Steps that were begun so far.
    pub begun: Arc<AtomicU64>,
}

impl Ends {
    pub fn go_on(&self, writer: &Writer) -> bool {
        self.begun.fetch_add(1, Ordering::Relaxed);
        writer.account.steps.len() < self.steps_max && !self.ended.load(Ordering::Relaxed)
    }
}

/// Makes what the writers need.
pub fn prepare(server: &Running) {
    let mut client = Mysql::login(server.connect("mysql")).expect("the server lets root in");
    for statement in [
        "CREATE DATABASE cuts",
        "CREATE TABLE cuts.ledger (id BIGINT PRIMARY KEY, account INT, serial BIGINT, \
         words VARCHAR(20), padding VARCHAR(1500), KEY by_words (words), \
         UNIQUE KEY by_serial (account, serial, id), FULLTEXT KEY by_word (words, padding), \
         COLUMNAR KEY by_column (account, serial))",
        "CREATE TABLE cuts.by_column (id BIGINT PRIMARY KEY, account INT, serial BIGINT, \
         words VARCHAR(20), KEY by_words (words), UNIQUE KEY by_serial (account, serial, id)) \
         ENGINE=COLUMNAR",
    ] {
        client.execute(statement).expect("the server obeys");
    }
}

/// Starts the writers, with accounts numbered behind `before`; each gives its account when it ends.
pub fn start_writers(
    server: &Running,
    position: &dyn Fn() -> Position,
    ends: &Ends,
    before: u64,
) -> Vec<JoinHandle<Account>> {
    let mut threads = Vec::new();
    let mut number = before;
    // Each is let in before it starts, so that a kill meets none at the door.
    let mut writer = |door: &str| {
        number += 1;
        (Writer::new(number, door, position()), server.connect(door))
    };
    for _ in 0..STATEMENTS {
        let (writer, stream) = writer("mysql");
        threads.push(spawn(login(stream), writer, ends, write_statements));
    }
    for _ in 0..TRANSACTIONS {
        let (writer, stream) = writer("mysql");
        threads.push(spawn(login(stream), writer, ends, write_transactions));
    }
    for _ in 0..LINES {
        let (writer, stream) = writer("handlersocket-write");
        let mut lines = Lines::new(stream);
        assert_eq!(lines.ask(OPEN).as_deref(), Some("0\t1"));
        threads.push(spawn(lines, writer, ends, write_lines));
    }
    for _ in 0..ITEMS {
        let (writer, stream) = writer("memcached");
        threads.push(spawn(Lines::new(stream), writer, ends, write_items));
    }
    for _ in 0..TABLES {
        let (writer, stream) = writer("mysql");
        threads.push(spawn(login(stream), writer, ends, write_tables));
    }
    let (writer, stream) = writer("mysql");
    threads.push(spawn(login(stream), writer, ends, write_by_column));
    threads
}

/// Starts a single writer, of the kind that the seed chooses, with nobody beside it.
pub fn start_lone_writer(
    server: &Running,
    position: &dyn Fn() -> Position,
    ends: &Ends,
) -> JoinHandle<Account> {
    let writer = |door: &str| (Writer::new(1, door, position()), server.connect(door));
    match ends.seed % LONE {
        0 => {
            let (writer, stream) = writer("mysql");
            spawn(login(stream), writer, ends, write_statements)
        }
        1 => {
            let (writer, stream) = writer("mysql");
            spawn(login(stream), writer, ends, write_transactions)
        }
        2 => {
            let (writer, stream) = writer("mysql");
            spawn(login(stream), writer, ends, write_by_column)
        }
        _ => {
            let (writer, stream) = writer("handlersocket-write");
            let mut lines = Lines::new(stream);
            assert_eq!(lines.ask(OPEN).as_deref(), Some("0\t1"));
            spawn(lines, writer, ends, write_lines)
        }
    }
}

fn login(stream: TcpStream) -> Mysql {
    Mysql::login(stream).expect("the server lets root in")
}

fn spawn<C: Send + 'static>(
    client: C,
    writer: Writer,
    ends: &Ends,
    work: fn(C, Writer, &Ends) -> Account,
) -> JoinHandle<Account> {
    let ends = ends.clone();
    std::thread::spawn(move || work(client, writer, &ends))
}

/// Starts readers of the rows and items of the writers; each gives what it has seen.
pub fn start_readers(
    server: &Running,
    position: &dyn Fn() -> Position,
    ends: &Ends,
) -> Vec<JoinHandle<Vec<Seen>>> {
    let rows = STATEMENTS + TRANSACTIONS + LINES;
    let mut threads = Vec::new();
    let (position_of_lines, ends_of_lines) = (position(), ends.clone());
    let mut client = Lines::new(server.connect("handlersocket"));
    threads.push(std::thread::spawn(move || {
        client.ask(OPEN);
        read(&position_of_lines, &ends_of_lines, |dice| {
            let key = id(1 + dice.below(rows), dice.below(SLOTS));
            let reply = client.ask(&format!("1\t=\t1\t{key}\t1\t0\n"))?;
            let words: Vec<&str> = reply.split('\t').collect();
            Some(words.get(3).zip(words.get(4)).map(|(account, serial)| pair(account, serial)))
        })
    }));
    let (position_of_items, ends_of_items) = (position(), ends.clone());
    let mut client = Lines::new(server.connect("memcached"));
    threads.push(std::thread::spawn(move || {
        read(&position_of_items, &ends_of_items, |dice| {
            let (account, slot) = (rows + 1 + dice.below(ITEMS), dice.below(SLOTS));
            if client.ask(&format!("get a{account}:{slot}\r\n"))? == "END" {
                return Some(None);
            }
            let value = client.line()?;
            client.line()?;
            // The last that was appended.
            let mut words = value.rsplit(';').next().unwrap_or("").split(':');
            Some(words.next().zip(words.next()).map(|(account, serial)| pair(account, serial)))
        })
    }));
    threads
}

fn pair(account: &str, serial: &str) -> (u64, u64) {
    (account.parse().expect("a number"), serial.parse().expect("a number"))
}

/// Reads until the end; `one` gives `None` when the server is gone.
fn read(
    position: &Position,
    ends: &Ends,
    mut one: impl FnMut(&mut Dice) -> Option<Option<(u64, u64)>>,
) -> Vec<Seen> {
    let mut dice = Dice::new(ends.seed ^ 0x5eed);
    let mut seen = Vec::new();
    while !ends.ended.load(Ordering::Relaxed) {
        let Some(found) = one(&mut dice) else { break };
        if let Some((account, serial)) = found {
            seen.push(Seen { account, serial, told: moment(position) });
        }
    }
    seen
}

/// A connection that speaks in lines.
pub struct Lines(BufReader<TcpStream>);

impl Lines {
    pub fn new(stream: TcpStream) -> Lines {
        Lines(BufReader::new(stream))
    }

    /// Sends a request; `None` when the server is gone.
    pub fn send(&mut self, request: &str) -> Option<()> {
        self.0.get_mut().write_all(request.as_bytes()).ok()
    }

    /// A line without its end; `None` when the connection ends before it.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.0.read_line(&mut line).ok()?;
        line.ends_with('\n').then(|| line.trim_end_matches(['\r', '\n']).to_owned())
    }

    /// Sends a request; the first line of its reply.
    pub fn ask(&mut self, request: &str) -> Option<String> {
        self.send(request)?;
        self.line()
    }
}
