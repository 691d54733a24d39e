//! The echo server: the limit of what sockets and an event loop can do on this machine.
//!
//! One loop per thread, connections dealt out in turn, nothing between reading and writing: the
//! loop that a server could have if answering cost nothing. It runs as a child process so that its
//! CPU time is its own.

mod epoll;

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, exit};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::OwnedFd;

use super::server::{Server, data_dir};

const READY: &str = "echo ready ";

/// A running echo server.
pub struct EchoServer {
    /// The process.
    pub server: Server,
    /// Its port.
    pub port: u16,
}

impl EchoServer {
    /// Starts this program as an echo server.
    ///
    /// # Errors
    /// The program does not start, or does not say its port in time.
    pub fn start(threads: usize) -> Result<EchoServer> {
        let mut command = Command::new(crate::own_program()?);
        command.args(["echo-server", "--threads", &threads.to_string()]);
        let mut server = Server::start("echo", command, data_dir("echo")?)?;
        let port = server.wait_ready(|server| {
            let log = server.log();
            log.strip_prefix(READY)?.strip_suffix('\n')?.parse().ok()
        })?;
        Ok(EchoServer { server, port })
    }

    /// A new connection.
    pub fn connect(&self) -> Result<TcpStream> {
        Ok(TcpStream::connect(("127.0.0.1", self.port))?)
    }
}

/// What a loop is given: its connections as they come.
struct Arrivals {
    streams: mpsc::Receiver<TcpStream>,
    /// Readable when connections wait.
    wake: OwnedFd,
    /// Told once the loop is able to serve.
    started: mpsc::Sender<()>,
}

impl Arrivals {
    /// Says that this loop can serve.
    fn announce(&self) {
        // Nobody listens any more when another loop has failed; then the process ends.
        let _ = self.started.send(());
    }

    /// Makes the wake unreadable until the next connection comes.
    fn reset(&self) {
        let mut count = [0u8; 8];
        let _ = rustix::io::read(&self.wake, &mut count);
    }
}

/// Serves until the process is ended. The port goes to stdout.
pub fn serve(threads: usize) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let (started, has_started) = mpsc::channel();
    let mut loops = Vec::new();
    for _ in 0..threads.max(1) {
        let (send, streams) = mpsc::channel();
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let waker = wake.try_clone()?;
        let arrivals = Arrivals { streams, wake, started: started.clone() };
        thread::spawn(move || {
            if let Err(error) = epoll::echo_loop(&arrivals) {
                eprintln!("echo loop: {error:#}");
                exit(1);
            }
        });
        loops.push((send, waker));
    }
    for _ in &loops {
        has_started.recv().context("an echo loop has ended")?;
    }
    writeln!(io::stdout(), "{READY}{}", listener.local_addr()?.port())?;
    for (turn, stream) in listener.incoming().enumerate() {
        let stream = stream?;
        stream.set_nodelay(true)?;
        let (send, waker) = &loops[turn % loops.len()];
        send.send(stream).ok().context("an echo loop has ended")?;
        rustix::io::write(waker, &1u64.to_ne_bytes())?;
    }
    Ok(())
}
