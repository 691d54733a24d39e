//! A real server process for tests: started on free ports, its ready line read, ended on drop.

// Each test file uses what it needs of this.
#![allow(dead_code)]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use faults::Layer;
use rustix::process::{Pid, Signal};

/// How long anything a test waits for may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The program under test.
pub const ROWHOUSE: &str = env!("CARGO_BIN_EXE_rowhouse");

/// A running server.
pub struct Running {
    child: Child,
    addresses: HashMap<String, String>,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
    /// The data directory.
    pub data_dir: PathBuf,
}

/// A command of the program that inherits no settings.
pub fn rowhouse(arguments: &[&str]) -> Command {
    let mut command = Command::new(ROWHOUSE);
    without_settings(&mut command).args(arguments).stdin(Stdio::null());
    command
}

/// Keeps from a command what tests are told by the environment, which the program takes for
/// settings.
pub fn without_settings(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ROWHOUSE_") {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command of the program to its end.
pub fn run(arguments: &[&str]) -> Output {
    rowhouse(arguments).output().expect("the program starts")
}

/// A figure of `rowhouse status` for the server of this directory.
pub fn figure(data_dir: &Path, name: &str) -> u64 {
    let asked = run(&["status", "--all", &format!("--data-dir={}", data_dir.display())]);
    let all = String::from_utf8_lossy(&asked.stdout).into_owned();
    let line = all.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.expect("a figure of this name").parse().expect("a number")
}

/// The flags of a server on free ports, with a small memory.
pub fn flags(data_dir: &Path) -> Vec<String> {
    let ports = [
        "mysql-port",
        "handlersocket-port",
        "handlersocket-write-port",
        "memcached-port",
        "tyrant-port",
    ];
    let mut flags = vec!["serve".to_owned()];
    flags.push(format!("--data-dir={}", data_dir.display()));
    flags.push("--memory=64MiB".to_owned());
    flags.extend(ports.map(|port| format!("--{port}=auto")));
    flags
}

/// The command of a server on free ports with further flags.
fn serve(data_dir: &Path, more: &[&str]) -> Command {
    let mut arguments = flags(data_dir);
    if more.iter().any(|flag| flag.starts_with("--memory=")) {
        arguments.retain(|flag| !flag.starts_with("--memory="));
    }
    arguments.extend(more.iter().map(|flag| (*flag).to_owned()));
    rowhouse(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

impl Running {
    /// Starts a server on free ports with further flags, and waits until it is ready.
    pub fn start(data_dir: &Path, more: &[&str]) -> Running {
        Self::start_command(data_dir, serve(data_dir, more))
    }

    /// The same, with its calls through a layer that can have them fail.
    pub fn start_beneath(layer: &Layer, data_dir: &Path, more: &[&str]) -> Running {
        let mut command = serve(data_dir, more);
        layer.beneath(&mut command);
        Self::start_command(data_dir, command)
    }

    /// Starts a server with exactly these arguments.
    pub fn start_with(data_dir: &Path, arguments: &[&str]) -> Running {
        Self::start_command(data_dir, rowhouse(arguments))
    }

    /// Starts a server by a command, and waits until it is ready.
    pub fn start_command(data_dir: &Path, mut command: Command) -> Running {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
        let stderr = child.stderr.take().expect("piped");
        let log = Arc::new(Mutex::new(String::new()));
        let (ready, is_ready) = std::sync::mpsc::channel();
        let of_reader = log.clone();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut log = of_reader.lock().expect("no panic while held");
                log.push_str(&line);
                log.push('\n');
                if line.starts_with("rowhouse ready") {
                    let _ = ready.send(line);
                }
            }
        });
        let mut running = Running {
            child,
            addresses: HashMap::new(),
            log,
            reader: Some(reader),
            data_dir: data_dir.to_owned(),
        };
        let Ok(line) = is_ready.recv_timeout(PATIENCE) else {
            panic!("not ready; log:\n{}", running.log());
        };
        let words = line.split(' ').filter_map(|word| word.split_once('='));
        running.addresses =
            words.map(|(door, address)| (door.to_owned(), address.to_owned())).collect();
        running
    }

    /// Whether a door is open.
    pub fn has(&self, door: &str) -> bool {
        self.addresses.contains_key(door)
    }

    /// A door's address as the ready line has it.
    pub fn address(&self, door: &str) -> &str {
        &self.addresses[door]
    }

    /// A door's port.
    pub fn port(&self, door: &str) -> u16 {
        self.address(door).parse::<SocketAddr>().expect("an address").port()
    }

    /// A connection to a door, whose reads end after `PATIENCE`.
    pub fn connect(&self, door: &str) -> TcpStream {
        let stream = TcpStream::connect(self.address(door)).expect("the door is open");
        stream.set_read_timeout(Some(PATIENCE)).expect("settable");
        stream.set_nodelay(true).expect("settable");
        stream
    }

    /// The process number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the server has written to standard error so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("no panic while held").clone()
    }

    /// How many files and sockets the server has open.
    pub fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.pid())).expect("its process").count()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("the process is there");
    }

    /// Waits for the end of the process.
    pub fn wait(&mut self) -> ExitStatus {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                if let Some(reader) = self.reader.take() {
                    let _ = reader.join();
                }
                return status;
            }
            assert!(since.elapsed() < PATIENCE, "still running; log:\n{}", self.log());
            std::thread::yield_now();
            rest();
        }
    }

    /// Stops the server in good order.
    pub fn stop(mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        self.wait()
    }

    /// Kills the server as a crash would.
    pub fn kill(mut self) {
        self.signal(Signal::KILL);
        self.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A moment between two looks at something that nobody announces.
pub fn rest() {
    let timeout = rustix::event::Timespec { tv_sec: 0, tv_nsec: 2_000_000 };
    let _ = rustix::event::poll(&mut [], Some(&timeout));
}

/// Waits until something holds.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < PATIENCE, "waited in vain: {what}");
        rest();
    }
}

/// Writes a request and reads one line of the reply.
pub fn ask_line(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).expect("sent");
    read_line(stream)
}

/// Reads one line, without its end.
pub fn read_line(stream: &mut impl Read) -> String {
    let mut line = Vec::new();
    let mut byte = [0];
    while stream.read(&mut byte).expect("readable") == 1 && byte[0] != b'\n' {
        line.push(byte[0]);
    }
    String::from_utf8_lossy(&line).into_owned()
}

/// Reads to the end of the stream.
pub fn read_all(stream: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("readable");
    bytes
}

/// The most memory that a server has had resident so far.
pub fn peak_mib(server: &Running) -> u64 {
    let path = format!("/proc/{}/status", server.pid());
    let status = std::fs::read_to_string(path).expect("its process");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("a figure of Linux");
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<u64>().expect("a number") / 1024
}
