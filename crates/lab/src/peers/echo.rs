//! The echo server: the limit of what sockets and an event loop can do on this machine.
//!
//! Level-triggered epoll, one loop per thread, connections dealt out in turn, one read and one
//! write per connection and turn: the loop that a server could have if answering cost nothing. It
//! runs as a child process so that its CPU time is its own.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result};
use rustix::buffer::spare_capacity;
use rustix::event::{EventfdFlags, epoll, eventfd};
use rustix::fd::{AsFd, OwnedFd};

use super::server::{Server, data_dir};

const READ_BYTES: usize = 64 * 1024;
const EVENTS_MAX: usize = 1024;
const READY: &str = "echo ready ";

/// A running echo server.
pub struct Echo {
    /// The process.
    pub server: Server,
    /// Its port.
    pub port: u16,
}

impl Echo {
    /// Starts this program as an echo server.
    pub fn start(threads: usize) -> Result<Echo> {
        let mut command = Command::new(crate::own_program()?);
        command.args(["echo-server", "--threads", &threads.to_string()]);
        let mut server = Server::start("echo", command, data_dir("echo")?)?;
        let port = server.wait_ready(|server| {
            let log = server.log();
            log.strip_prefix(READY)?.strip_suffix('\n')?.parse().ok()
        })?;
        Ok(Echo { server, port })
    }

    /// A new connection.
    pub fn connect(&self) -> Result<TcpStream> {
        Ok(TcpStream::connect(("127.0.0.1", self.port))?)
    }
}

/// Serves until the process is ended. The port goes to stdout.
pub fn serve(threads: usize) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let mut loops = Vec::new();
    for _ in 0..threads.max(1) {
        let (send, receive) = mpsc::channel();
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let waker = wake.try_clone()?;
        thread::spawn(move || echo_loop(&receive, &wake));
        loops.push((send, waker));
    }
    writeln!(io::stdout(), "{READY}{}", listener.local_addr()?.port())?;
    for (turn, stream) in listener.incoming().enumerate() {
        let stream = stream?;
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let (send, waker) = &loops[turn % loops.len()];
        send.send(stream).ok().context("an echo loop has ended")?;
        rustix::io::write(waker, &1u64.to_ne_bytes())?;
    }
    Ok(())
}

/// One loop; ends its thread on an error of epoll itself.
fn echo_loop(arrivals: &mpsc::Receiver<TcpStream>, wake: &OwnedFd) -> Result<()> {
    const WAKE: u64 = u64::MAX;
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    register(&poll, wake, WAKE)?;
    let mut connections: HashMap<u64, Connection> = HashMap::new();
    let mut next = 0u64;
    let mut buffer = vec![0u8; READ_BYTES];
    let mut events = Vec::with_capacity(EVENTS_MAX);
    loop {
        match epoll::wait(&poll, spare_capacity(&mut events), None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events.drain(..) {
            let token = event.data.u64();
            if token == WAKE {
                let mut count = [0u8; 8];
                let _ = rustix::io::read(wake, &mut count);
                while let Ok(stream) = arrivals.try_recv() {
                    register(&poll, &stream, next)?;
                    connections.insert(next, Connection { stream, unsent: Vec::new() });
                    next += 1;
                }
                continue;
            }
            let Some(connection) = connections.get_mut(&token) else {
                continue;
            };
            let had_unsent = !connection.unsent.is_empty();
            if connection.turn(&mut buffer).is_err() {
                epoll::delete(&poll, &connection.stream)?;
                connections.remove(&token);
                continue;
            }
            let has_unsent = !connection.unsent.is_empty();
            if had_unsent != has_unsent {
                // While replies wait, nothing more is read: a slow reader is its own limit.
                let flags = if has_unsent { epoll::EventFlags::OUT } else { epoll::EventFlags::IN };
                let data = epoll::EventData::new_u64(token);
                epoll::modify(&poll, &connection.stream, data, flags)?;
            }
        }
    }
}

fn register(poll: &OwnedFd, source: impl AsFd, token: u64) -> Result<()> {
    Ok(epoll::add(poll, source, epoll::EventData::new_u64(token), epoll::EventFlags::IN)?)
}

struct Connection {
    stream: TcpStream,
    unsent: Vec<u8>,
}

impl Connection {
    /// One write of what waits, or one read and one write of what came.
    fn turn(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        if !self.unsent.is_empty() {
            let sent = pass_block(self.stream.write(&self.unsent))?;
            self.unsent.drain(..sent);
            return Ok(());
        }
        let bytes = match self.stream.read(buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            other => pass_block(other)?,
        };
        if bytes > 0 {
            let sent = pass_block(self.stream.write(&buffer[..bytes]))?;
            self.unsent.extend_from_slice(&buffer[sent..bytes]);
        }
        Ok(())
    }
}

fn pass_block(result: io::Result<usize>) -> io::Result<usize> {
    match result {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
        {
            Ok(0)
        }
        other => other,
    }
}
