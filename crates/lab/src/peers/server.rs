//! A child process that serves, with its directory: start, wait until ready, stop.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::memory_group::MemoryGroup;

/// Longest time from start to ready; recovery of a large directory fits in.
const READY_WAIT: Duration = Duration::from_secs(120);
/// Longest time from SIGTERM to the end before SIGKILL.
const STOP_WAIT: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(10);
/// Where free ports are looked for, unless the kernel says where those of clients begin.
const PORT_MIN: u16 = 10_240;
const PORT_BELOW: u16 = 32_768;
const PORTS_TRIED_MAX: usize = 1_000;
/// How much of a log is shown when its server does not start.
const LOG_TAIL_BYTES: usize = 2_000;

/// A running server. Dropping it ends the process, then removes its directory.
pub struct Server {
    name: &'static str,
    command: Command,
    child: Child,
    dir: TempDir,
}

impl Server {
    /// Starts a command with its output in `log` inside `dir`.
    pub fn start(name: &'static str, command: Command, dir: TempDir) -> Result<Server> {
        Self::start_in(None, name, command, dir)
    }

    /// The same in a group of processes, which must outlive the server.
    pub fn start_in(
        group: Option<&MemoryGroup>,
        name: &'static str,
        command: Command,
        dir: TempDir,
    ) -> Result<Server> {
        let log = File::create(dir.path().join("log"))?;
        let command = match group {
            Some(group) => group.entering(&command),
            None => command,
        };
        let mut command = die_with_parent(command);
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let program = command.get_program().to_owned();
        let child = command
            .spawn()
            .with_context(|| format!("{name} cannot be started ({})", program.display()))?;
        Ok(Server { name, command, child, dir })
    }

    /// Ends the process as a crash does: SIGKILL, in the middle of whatever it does.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Starts the same command again on what the last process left.
    pub fn start_again(&mut self) -> Result<()> {
        self.child = self.command.spawn().with_context(|| format!("{} again", self.name))?;
        Ok(())
    }

    /// Bytes of all files in its directory.
    pub fn disk_bytes(&self) -> u64 {
        bytes_below(self.dir.path())
    }

    /// The directory that goes with it.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has written so far.
    pub fn log(&self) -> String {
        let bytes = fs::read(self.dir.path().join("log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits until `ready` gives a value; fails when the process ends or the time is up.
    pub fn wait_ready<T>(&mut self, mut ready: impl FnMut(&Server) -> Option<T>) -> Result<T> {
        let until = Instant::now() + READY_WAIT;
        loop {
            if let Some(value) = ready(self) {
                return Ok(value);
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("{} ended at start ({status}): {}", self.name, self.log_tail());
            }
            if Instant::now() > until {
                bail!("{} was not ready in {READY_WAIT:?}: {}", self.name, self.log_tail());
            }
            thread::sleep(POLL);
        }
    }

    /// Waits until a port takes connections.
    pub fn wait_port(&mut self, port: u16) -> Result<()> {
        self.wait_ready(|_| TcpStream::connect(("127.0.0.1", port)).ok()).map(drop)
    }

    /// Ends the process: SIGTERM, then SIGKILL if that takes too long.
    pub fn stop(&mut self) -> Result<()> {
        if self.child.try_wait()?.is_some() {
            return Ok(());
        }
        if let Some(pid) = Pid::from_raw(self.child.id() as i32) {
            kill_process(pid, Signal::TERM)?;
        }
        let until = Instant::now() + STOP_WAIT;
        while self.child.try_wait()?.is_none() {
            if Instant::now() > until {
                self.child.kill()?;
                self.child.wait()?;
                bail!("{} did not end in {STOP_WAIT:?} after SIGTERM and was killed", self.name);
            }
            thread::sleep(POLL);
        }
        Ok(())
    }

    /// The end of its log, for error messages.
    pub fn log_tail(&self) -> String {
        let log = self.log();
        let mut from = log.len().saturating_sub(LOG_TAIL_BYTES);
        while !log.is_char_boundary(from) {
            from += 1;
        }
        log[from..].trim().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.stop().is_err() {
            // A child that cannot be waited for is gone already; nothing is left to do.
            let _ = self.child.kill();
        }
    }
}

/// Bytes of all files in a directory; those that vanish meanwhile count nothing.
pub fn bytes_below(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let bytes = entries.filter_map(|entry| {
        let metadata = entry.metadata().ok()?;
        Some(if metadata.is_dir() { bytes_below(&entry.path()) } else { metadata.len() })
    });
    bytes.sum()
}

/// A new temporary directory for a server.
pub fn data_dir(name: &str) -> Result<TempDir> {
    let prefix = format!("rowhouse-lab-{name}-");
    tempfile::Builder::new().prefix(&prefix).tempdir().context("temporary directory")
}

/// Free loopback ports, all different, below those that the kernel gives to clients: of these one
/// of the many connections of an experiment could take one before the server does. Other labs that
/// run at the same time are told by a claim; a server that is none of ours could still take one,
/// which the one that wanted it then says, and the run ends.
pub fn free_ports<const N: usize>() -> Result<[u16; N]> {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let clients = range.split_ascii_whitespace().next().and_then(|port| port.parse().ok());
    let below = clients.unwrap_or(PORT_BELOW).max(PORT_MIN + 1_000);
    let mut ports = [0; N];
    let mut held = Vec::new();
    for port in &mut ports {
        let tried = || {
            let port = rand::random_range(PORT_MIN..below);
            let listener = TcpListener::bind(("127.0.0.1", port)).ok()?;
            claim(port).then_some((port, listener))
        };
        let (free, listener) =
            (0..PORTS_TRIED_MAX).find_map(|_| tried()).context("no free port")?;
        *port = free;
        held.push(listener);
    }
    Ok(ports)
}

/// Claims a port among all labs of this machine for the rest of this process: between the moment
/// that a port is found free and the moment that a server listens on it, nothing else holds it.
/// The claim is the name of a Unix socket without a file, which the kernel takes back with the
/// process, however that ends.
fn claim(port: u16) -> bool {
    static CLAIMS: Mutex<Vec<UnixDatagram>> = Mutex::new(Vec::new());
    let name = format!("rowhouse-lab-port-{port}");
    let address = SocketAddr::from_abstract_name(name);
    let Ok(socket) = address.and_then(|address| UnixDatagram::bind_addr(&address)) else {
        return false;
    };
    CLAIMS.lock().unwrap_or_else(PoisonError::into_inner).push(socket);
    true
}

/// Where a program is: a directory of PATH, or the places that servers are kept in.
pub fn find_program(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let more = ["/usr/sbin", "/usr/local/sbin", "/usr/libexec"].map(PathBuf::from);
    std::env::split_paths(&path)
        .chain(more)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
        .with_context(|| format!("{name} is not installed (scripts/install-peers installs it)"))
}

/// The first line that a program prints about its version.
pub fn version_line(program: &Path, argument: &str) -> String {
    let output = Command::new(program).arg(argument).output();
    let text = output.map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().next().unwrap_or("unknown").trim().to_owned()
}

/// Servers must not outlive a lab that is killed: `setpriv` asks the kernel for a signal at the
/// parent's death, then becomes the server under the same process id. Where it is missing, an
/// ordinary end of the lab still stops them.
pub fn die_with_parent(command: Command) -> Command {
    let Ok(setpriv) = find_program("setpriv") else {
        return command;
    };
    let mut starter = Command::new(setpriv);
    starter.args(["--pdeathsig", "TERM", "--"]);
    started_by(starter, &command)
}

/// A command that another one becomes: it is given to that one as its last arguments.
pub fn started_by(mut starter: Command, command: &Command) -> Command {
    starter.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => starter.env(name, value),
            None => starter.env_remove(name),
        };
    }
    if let Some(dir) = command.get_current_dir() {
        starter.current_dir(dir);
    }
    starter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_out_twice_before_a_server_listens_on_it() {
        let mut given = std::collections::HashSet::new();
        for _ in 0..40 {
            let ports: [u16; 5] = free_ports().expect("free ports");
            for port in ports {
                assert!(given.insert(port), "{port} was given out twice");
                assert!(!claim(port), "{port} can be claimed by another lab");
            }
        }
    }
}
