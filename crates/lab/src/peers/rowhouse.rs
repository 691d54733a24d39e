//! Rowhouse itself, as a client sees it: a program, its flags and its doors.

use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::memory_group::MemoryGroup;
use super::server::{Server, data_dir, free_ports, version_line};
use crate::protocols::{handlersocket, mysql};

/// What it says about a port for a door that it lacks.
const NO_MEMCACHED: &str = "no memcached door";
/// Likewise.
const NO_TYRANT: &str = "no Tyrant door";
/// Connections it accepts, as for its peers.
const CONNECTIONS_MAX: u32 = 20_000;

/// What an acknowledged write has survived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Durability {
    /// A power cut.
    EveryCommit,
    /// A power cut, except for the last second.
    EverySecond,
    /// The end of the process.
    Os,
}

impl Durability {
    /// The setting's name.
    pub fn name(self) -> &'static str {
        match self {
            Durability::EveryCommit => "every-commit",
            Durability::EverySecond => "every-second",
            Durability::Os => "os",
        }
    }

    /// innodb_flush_log_at_trx_commit that comes nearest: 1 syncs at each commit, 2 writes at each
    /// commit and syncs every second, 0 writes and syncs every second. MyRocks counts likewise.
    pub fn flush_log(self) -> u8 {
        match self {
            Durability::EveryCommit => 1,
            Durability::EverySecond => 2,
            Durability::Os => 0,
        }
    }
}

/// How a Rowhouse is started.
#[derive(Debug, Clone)]
pub struct RowhouseSettings {
    /// The program.
    pub program: PathBuf,
    /// The one memory setting, as its flag takes it.
    pub memory: String,
    /// The durability policy.
    pub durability: Durability,
    /// Event loops.
    pub threads: usize,
    /// Further flags.
    pub flags: Vec<String>,
}

/// The ports of the doors that are open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Doors {
    /// MySQL.
    pub mysql: Option<u16>,
    /// HandlerSocket, reading.
    pub handlersocket: Option<u16>,
    /// HandlerSocket, writing.
    pub handlersocket_write: Option<u16>,
    /// memcached.
    pub memcached: Option<u16>,
    /// Tokyo Tyrant.
    pub tyrant: Option<u16>,
}

/// A running Rowhouse.
pub struct Rowhouse {
    /// The process.
    pub server: Server,
    /// Its doors.
    pub doors: Doors,
    /// Its version line.
    pub version: String,
}

impl Rowhouse {
    /// Starts it on an empty directory, with every door that it has.
    pub fn start(settings: &RowhouseSettings) -> Result<Rowhouse> {
        Self::start_in(None, settings)
    }

    /// The same in a group of processes with a limit of its own.
    pub fn start_in(group: Option<&MemoryGroup>, settings: &RowhouseSettings) -> Result<Rowhouse> {
        let version = version_line(&settings.program, "version");
        let started = match Self::serve(group, settings, true) {
            // A version without this door refuses its port, and says so.
            Err(error) if format!("{error:#}").contains(NO_MEMCACHED) => {
                Self::serve(group, settings, false)
            }
            other => other,
        };
        let (server, doors) = started?;
        Ok(Rowhouse { server, doors, version })
    }

    fn serve(
        group: Option<&MemoryGroup>,
        settings: &RowhouseSettings,
        memcached: bool,
    ) -> Result<(Server, Doors)> {
        let dir = data_dir("rowhouse")?;
        // Port 0 closes a door, so free ports are looked for here.
        let ports: [u16; 5] = free_ports()?;
        let mut command = Command::new(&settings.program);
        command.arg("serve").arg("--data-dir").arg(dir.path().join("data"));
        for (flag, port) in
            ["--mysql-port", "--handlersocket-port", "--handlersocket-write-port"].iter().zip(ports)
        {
            command.arg(flag).arg(port.to_string());
        }
        let memcached_port = if memcached { ports[3].to_string() } else { "off".to_owned() };
        let tyrant_port = if memcached { ports[4].to_string() } else { "off".to_owned() };
        command.args(["--memcached-port", &memcached_port, "--tyrant-port", &tyrant_port]);
        command.args(["--memory", &settings.memory, "--durability", settings.durability.name()]);
        command.args(["--threads", &settings.threads.to_string()]);
        command.args(["--max-connections", &CONNECTIONS_MAX.to_string()]);
        command.args(&settings.flags);
        let mut server = Server::start_in(group, "rowhouse", command, dir)?;
        let doors = server.wait_ready(|server| ready_doors(&server.log()))?;
        Ok((server, doors))
    }

    /// Its data directory.
    pub fn data_dir(&self) -> PathBuf {
        self.server.dir().join("data")
    }

    /// A signed-in session.
    pub fn session(&self, database: &str) -> Result<mysql::MysqlSession> {
        mysql::MysqlSession::connect(self.doors.mysql.context("no MySQL door")?, database)
    }

    /// A connection to HandlerSocket's read port with these indexes opened.
    pub fn handlersocket_read(&self, indexes: &[String]) -> Result<TcpStream> {
        let port = self.doors.handlersocket.context("no HandlerSocket door")?;
        handlersocket::connect(port, None, indexes)
    }

    /// A connection to HandlerSocket's write port with these indexes opened.
    pub fn handlersocket_write(&self, indexes: &[String]) -> Result<TcpStream> {
        let port = self.doors.handlersocket_write.context("no HandlerSocket door for writing")?;
        handlersocket::connect(port, None, indexes)
    }

    /// A connection to the memcached door.
    pub fn memcached(&self) -> Result<TcpStream> {
        let port = self.doors.memcached.context(NO_MEMCACHED)?;
        Ok(TcpStream::connect(("127.0.0.1", port))?)
    }

    /// A connection to the Tyrant door.
    pub fn tyrant(&self) -> Result<TcpStream> {
        let port = self.doors.tyrant.context(NO_TYRANT)?;
        Ok(TcpStream::connect(("127.0.0.1", port))?)
    }
}

/// The doors that the ready line names: `rowhouse ready mysql=127.0.0.1:N handlersocket=...`.
fn ready_doors(log: &str) -> Option<Doors> {
    let line = log.split_inclusive('\n').find(|line| line.contains("rowhouse ready "))?;
    let line = line.strip_suffix('\n')?;
    let port = |name: &str| {
        line.split_ascii_whitespace()
            .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
            .and_then(|address| address.rsplit(':').next()?.parse().ok())
    };
    Some(Doors {
        mysql: port("mysql"),
        handlersocket: port("handlersocket"),
        handlersocket_write: port("handlersocket-write"),
        memcached: port("memcached"),
        tyrant: port("tyrant"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ready_line_names_the_doors() {
        let log = "INFO recovering\n\
            rowhouse ready mysql=127.0.0.1:3306 handlersocket=127.0.0.1:9998 memcached=off\n";
        let doors = Doors { mysql: Some(3306), handlersocket: Some(9998), ..Doors::default() };
        assert_eq!(ready_doors(log), Some(doors));
    }

    #[test]
    fn half_a_ready_line_is_not_ready() {
        assert_eq!(ready_doors("rowhouse ready mysql=127.0.0.1:33"), None);
        assert_eq!(ready_doors("starting\n"), None);
    }
}
