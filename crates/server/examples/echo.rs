//! An echo server on Rowhouse's event loops: what any door costs at least.
//!
//! Usage: `echo PORT [THREADS]`. Prints `echo ready 127.0.0.1:PORT`, and serves until killed.

use std::sync::Arc;
use std::time::Duration;

use doors::{Conversation, Input, Next, Turn};
use server::net::address::Listener;
use server::net::connection::Door;
use server::net::connection_places::Admission;
use server::net::limits::Limits;
use server::net::metrics::Metrics;
use server::net::server::{Plan, Server};

struct Echo;

impl Conversation for Echo {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        out.extend_from_slice(input.bytes());
        input.consume(input.len());
        turn.served(1);
        Next::Input
    }

    fn commit_failed(&mut self, _: &rows::Error, _: &mut Vec<u8>) {}
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let threads = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(2);
    let listener = Listener::tcp(([127, 0, 0, 1], port).into())?;
    eprintln!("echo ready {listener}");
    let server = Server::start(Plan {
        engine: rows::Engine::open(
            Arc::new(rows::memory::MemoryStore::new()),
            rows::EngineOptions::default(),
        )
        .expect("an empty store opens"),
        doors: vec![Door {
            name: "echo",
            admission: Admission::CLIENTS,
            limit_set: None,
            converse: Arc::new(|_| Box::new(Echo)),
            refusal: Vec::new(),
            fault: Vec::new(),
            overload: Vec::new(),
            input_bytes_max: 1 << 20,
            tls: None,
            listed_in: None,
        }],
        listeners: vec![(0, listener)],
        metrics: Arc::new(Metrics::new(threads, vec!["echo"])),
        limits: Limits {
            connections_max: 20_000,
            idle: Duration::ZERO,
            login: Duration::ZERO,
            request: Duration::ZERO,
            stalled: Duration::from_secs(30),
            busy_poll: Duration::from_micros(60),
            vanished: Duration::from_secs(60),
        },
    })?;
    loop {
        std::thread::park();
        let _ = &server;
    }
}
