//! The echo server: the limit of what sockets and an event loop can do on this machine, with each
//! of the kernel's interfaces.
//!
//! One loop per thread, connections dealt out in turn, nothing between reading and writing: the
//! loop that a server could have if answering cost nothing. It runs as a child process so that its
//! CPU time is its own.

mod epoll;
mod ring;
mod uring;

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, exit};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result, bail};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::OwnedFd;

use super::server::{Server, data_dir, find_program};

const READY: &str = "echo ready ";
/// The program of `crates/lab/tokio-echo`.
const TOKIO_PROGRAM: &str = "rowhouse-echo-tokio";

/// How an echo server meets the kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Kernel {
    /// epoll, level-triggered, one receive and one send per connection and turn.
    #[default]
    Epoll,
    /// io_uring: multishot receive, sends of a turn submitted together with the next wait.
    Uring,
    /// The same with sockets and ring registered.
    UringFixed,
    /// As `UringFixed` with cooperative instead of deferred task work.
    UringCoop,
    /// As `UringFixed`, but each send is a system call of its own, at once.
    UringDirect,
    /// tokio's runtime with as many workers, a task per connection.
    Tokio,
}

impl Kernel {
    /// The name of its flag.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Epoll => "epoll",
            Kernel::Uring => "uring",
            Kernel::UringFixed => "uring-fixed",
            Kernel::UringCoop => "uring-coop",
            Kernel::UringDirect => "uring-direct",
            Kernel::Tokio => "tokio",
        }
    }
}

/// A running echo server.
pub struct Echo {
    /// The process.
    pub server: Server,
    /// Its port.
    pub port: u16,
}

impl Echo {
    /// Starts this program as an echo server, or the one on tokio.
    pub fn start(kernel: Kernel, threads: usize) -> Result<Echo> {
        let mut command = if kernel == Kernel::Tokio {
            Command::new(tokio_program()?)
        } else {
            let mut command = Command::new(crate::own_program()?);
            command.args(["echo-server", "--kernel", kernel.name()]);
            command
        };
        command.args(["--threads", &threads.to_string()]);
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

/// Beside this program, or where programs are.
fn tokio_program() -> Result<PathBuf> {
    let beside = crate::own_program()?.with_file_name(TOKIO_PROGRAM);
    if beside.is_file() {
        return Ok(beside);
    }
    find_program(TOKIO_PROGRAM).ok().with_context(|| {
        let build = "cargo build --release --manifest-path crates/lab/tokio-echo/Cargo.toml";
        format!("{TOKIO_PROGRAM} is not installed (`{build}` makes it)")
    })
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
pub fn serve(kernel: Kernel, threads: usize) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let (started, has_started) = mpsc::channel();
    let mut loops = Vec::new();
    for _ in 0..threads.max(1) {
        let (send, streams) = mpsc::channel();
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let waker = wake.try_clone()?;
        let arrivals = Arrivals { streams, wake, started: started.clone() };
        thread::spawn(move || {
            if let Err(error) = echo_loop(kernel, &arrivals) {
                eprintln!("{} loop: {error:#}", kernel.name());
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

fn echo_loop(kernel: Kernel, arrivals: &Arrivals) -> Result<()> {
    let batched = uring::Setup { deferred: true, registered: false, direct: false };
    let fixed = uring::Setup { registered: true, ..batched };
    match kernel {
        Kernel::Epoll => epoll::echo_loop(arrivals),
        Kernel::Uring => uring::echo_loop(batched, arrivals),
        Kernel::UringFixed => uring::echo_loop(fixed, arrivals),
        Kernel::UringCoop => uring::echo_loop(uring::Setup { deferred: false, ..fixed }, arrivals),
        Kernel::UringDirect => uring::echo_loop(uring::Setup { direct: true, ..fixed }, arrivals),
        Kernel::Tokio => bail!("is a program of its own"),
    }
}
