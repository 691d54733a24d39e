//! The test protocol, a server that speaks it, and its clients.
//!
//! The protocol is lines: `echo X`, `pool X` (answered in the pool), `gate X` (the same, when the
//! test opens the gate or the client leaves), `stuck` (would wait, also where it may), `write N` (a
//! row in the turn's group), `pieces N` (N pieces of 64 KiB), `read N` (a row's number or "none",
//! from a disk where the store is a cold one), `read_all N` (how many of the rows below N there
//! are, one look-up each), `reply N` (a line of N bytes made in the pool), `panic`, `quit`. Every
//! answer is a line.
//!
//! Not here: what is promised (`main.rs`, `reads.rs`).

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use doors::{Conversation, Input, LeaveNotice, Next, Turn};
use parking_lot::{Condvar, Mutex};
use rows::memory::MemoryStore;
use rows::schema::Column;
use rows::store::Reach;
use rows::{Engine, EngineOptions, Error, NewIndex, NewTable};
use server::net::address::Listener;
use server::net::connection::Door;
use server::net::connection_places::Admission;
use server::net::limits::Limits;
use server::net::metrics::Metrics;
use server::net::server::{Plan, Server};
use values::types::IntWidth;
use values::{ColumnType, Datum};

use super::support::PATIENCE;

pub const PIECE: usize = 64 * 1024;

#[derive(Default)]
pub struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub fn open(&self) {
        *self.open.lock() = true;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let mut open = self.open.lock();
        while !*open {
            self.opened.wait(&mut open);
        }
    }
}

#[derive(Default)]
pub struct Shared {
    pub gate: Gate,
    pub at_gate: AtomicUsize,
    /// How often a conversation in the pool was told that its client has left.
    pub left: AtomicUsize,
    pub pieces: AtomicUsize,
    /// Turns in a loop that ended with a read for which they would have had to wait.
    pub in_vain: AtomicUsize,
}

struct Script {
    shared: Arc<Shared>,
    pieces_left: usize,
    written: usize,
    answered: usize,
}

impl Conversation for Script {
    fn greet(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"hello\n");
    }

    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        (self.written, self.answered) = (0, 0);
        loop {
            if self.pieces_left > 0 {
                self.pieces_left -= 1;
                self.shared.pieces.fetch_add(1, Ordering::SeqCst);
                out.resize(out.len() + PIECE, b'x');
                return Next::Again;
            }
            let Some(end) = input.bytes().iter().position(|byte| *byte == b'\n') else {
                return if self.written > 0 { Next::Commit } else { Next::Input };
            };
            let line = String::from_utf8_lossy(&input.bytes()[..end]).into_owned();
            let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
            if self.written > 0 && command != "write" {
                return Next::Commit;
            }
            match command {
                "echo" => out.extend_from_slice(format!("{rest}\n").as_bytes()),
                "pool" | "gate" => {
                    if !turn.may_wait() {
                        return Next::Offload;
                    }
                    if command == "gate" {
                        self.shared.at_gate.fetch_add(1, Ordering::SeqCst);
                        self.shared.gate.pass();
                    }
                    out.extend_from_slice(format!("{rest}\n").as_bytes());
                }
                // In the loop itself, as no conversation should.
                "block" => {
                    self.shared.at_gate.fetch_add(1, Ordering::SeqCst);
                    self.shared.gate.pass();
                    out.extend_from_slice(format!("{rest}\n").as_bytes());
                }
                "reply" => {
                    if !turn.may_wait() {
                        return Next::Offload;
                    }
                    out.resize(out.len() + rest.parse::<usize>().unwrap_or(0), b'r');
                    out.push(b'\n');
                }
                "read" => match read(turn, rest.parse().unwrap_or(0)) {
                    Ok(Some(number)) => out.extend_from_slice(format!("{number}\n").as_bytes()),
                    Ok(None) => out.extend_from_slice(b"none\n"),
                    Err(Error::WouldWait(_)) => {
                        self.shared.in_vain.fetch_add(1, Ordering::SeqCst);
                        return Next::Offload;
                    }
                    Err(error) => out.extend_from_slice(format!("failed {error}\n").as_bytes()),
                },
                "read_all" => match read_all(turn, rest.parse().unwrap_or(0)) {
                    Ok(count) => out.extend_from_slice(format!("{count}\n").as_bytes()),
                    Err(_) => {
                        self.shared.in_vain.fetch_add(1, Ordering::SeqCst);
                        return Next::Offload;
                    }
                },
                "stuck" => return Next::Offload,
                "write" => match write(turn, rest.parse().unwrap_or(0)) {
                    Ok(()) => {
                        self.written += 1;
                        out.extend_from_slice(format!("written {rest}\n").as_bytes());
                    }
                    Err(Error::WouldWait(_)) => return Next::Offload,
                    Err(error) => out.extend_from_slice(format!("failed {error}\n").as_bytes()),
                },
                "pieces" => self.pieces_left = rest.parse().unwrap_or(0),
                "panic" => panic!("asked to"),
                _ => {
                    out.extend_from_slice(b"bye\n");
                    return Next::Close;
                }
            }
            turn.served(1);
            self.answered += 1;
            input.consume(end + 1);
        }
    }

    fn leave(&self) -> Option<LeaveNotice> {
        let shared = self.shared.clone();
        Some(Arc::new(move || {
            shared.left.fetch_add(1, Ordering::SeqCst);
            shared.gate.open();
        }))
    }

    fn commit_failed(&mut self, _error: &Error, out: &mut Vec<u8>) {
        for _ in 0..self.answered {
            out.extend_from_slice(b"not committed\n");
        }
    }
}

fn write(turn: &mut Turn<'_>, number: i64) -> rows::Result<()> {
    let table = turn.engine().catalog().table("d", "t")?;
    turn.transaction()?.replace(&table, &[Datum::Int(number)])?;
    Ok(())
}

fn read(turn: &mut Turn<'_>, number: i64) -> rows::Result<Option<i64>> {
    let engine = turn.engine();
    let table = engine.catalog().table("d", "t")?;
    let range = table.prefix_range(0, &[Datum::Int(number)])?;
    let mut found = None;
    let mut visit = |row: rows::FoundRow<'_>| {
        if let Datum::Int(number) = row.row.column(0)? {
            found = Some(number);
        }
        Ok(rows::Flow::Stop)
    };
    let forward = rows::store::Direction::Forward;
    engine.find(engine.latest(), &table, 0, &range, forward, turn.reach(), &mut visit)?;
    Ok(found)
}

fn read_all(turn: &mut Turn<'_>, below: i64) -> rows::Result<usize> {
    let found = (0..below).map(|number| read(turn, number)).collect::<rows::Result<Vec<_>>>()?;
    Ok(found.iter().flatten().count())
}

pub struct Bench {
    pub address: SocketAddr,
    pub engine: Arc<Engine>,
    pub shared: Arc<Shared>,
    pub metrics: Arc<Metrics>,
    pub server: Server,
}

pub fn limits() -> Limits {
    Limits {
        connections_max: 5000,
        idle: Duration::ZERO,
        login: Duration::ZERO,
        request: Duration::ZERO,
        stalled: Duration::from_secs(3600),
        busy_poll: Duration::from_micros(60),
        vanished: Duration::ZERO,
    }
}

pub fn start(limits: Limits) -> Bench {
    start_on(MemoryStore::new(), limits)
}

pub fn start_on(store: MemoryStore, limits: Limits) -> Bench {
    let engine = Engine::open(Arc::new(store), EngineOptions::default()).unwrap();
    engine.create_database("d").unwrap();
    let id = ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
    let (columns, primary) = (vec![Column::new("id", id)], NewIndex::primary(&["id"]));
    engine.create_table(NewTable::new("d", "t", columns, vec![primary])).unwrap();
    let shared = Arc::new(Shared::default());
    let of_door = shared.clone();
    let listener = Listener::tcp(([127, 0, 0, 1], 0).into()).unwrap();
    let address = listener.to_string().parse().unwrap();
    let metrics = Arc::new(Metrics::new(2, vec!["script"]));
    let door = Door {
        name: "script",
        admission: Admission::CLIENTS,
        limit_set: None,
        converse: Arc::new(move |_| {
            Box::new(Script { shared: of_door.clone(), pieces_left: 0, written: 0, answered: 0 })
        }),
        refusal: b"full\n".to_vec(),
        overload: b"memory\n".to_vec(),
        fault: b"fault\n".to_vec(),
        input_bytes_max: 1024 * 1024,
        tls: None,
        listed_in: None,
    };
    let plan = Plan {
        engine: engine.clone(),
        doors: vec![door],
        listeners: vec![(0, listener)],
        metrics: metrics.clone(),
        limits,
    };
    let server = Server::start(plan).unwrap();
    Bench { address, engine, shared, metrics, server }
}

pub struct Client {
    pub stream: TcpStream,
    pub lines: BufReader<TcpStream>,
}

impl Bench {
    pub fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut client = Client { lines: BufReader::new(stream.try_clone().unwrap()), stream };
        assert_eq!(client.line(), "hello");
        client
    }

    pub fn rows(&self) -> usize {
        let table = self.engine.catalog().table("d", "t").unwrap();
        let range = table.prefix_range(0, &[]).unwrap();
        let mut rows = 0;
        let mut count = |_: rows::FoundRow<'_>| {
            rows += 1;
            Ok(rows::Flow::Continue)
        };
        let view = self.engine.latest();
        let forward = rows::store::Direction::Forward;
        self.engine.find(view, &table, 0, &range, forward, Reach::Disk, &mut count).unwrap();
        rows
    }
}

impl Client {
    pub fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim_end_matches('\n').to_owned()
    }

    pub fn lines(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.line()).collect()
    }

    pub fn is_closed(&mut self) -> bool {
        matches!(self.lines.read(&mut [0]), Ok(0) | Err(_))
    }
}
