//! Redis.

use std::net::TcpStream;
use std::process::Command;

use anyhow::Result;

use super::server::{Server, data_dir, find_program, free_ports, version_line};

/// When Redis syncs its append-only file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendFsync {
    /// No append-only file at all: nothing survives.
    NoFile,
    /// Left to the operating system.
    No,
    /// Once a second.
    EverySecond,
    /// Before every reply to a write.
    Always,
}

/// A running Redis.
pub struct Redis {
    /// The process.
    pub server: Server,
    /// Its port.
    pub port: u16,
    /// Its version line.
    pub version: String,
}

impl Redis {
    /// Starts it without snapshots.
    pub fn start(durability: AppendFsync) -> Result<Redis> {
        let program = find_program("redis-server")?;
        let version = version_line(&program, "--version");
        let [port] = free_ports()?;
        let dir = data_dir("redis")?;
        let mut command = Command::new(program);
        command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", ""]);
        command.arg("--dir").arg(dir.path()).args(["--maxclients", "20000"]);
        let fsync = match durability {
            AppendFsync::NoFile => None,
            AppendFsync::No => Some("no"),
            AppendFsync::EverySecond => Some("everysec"),
            AppendFsync::Always => Some("always"),
        };
        if let Some(fsync) = fsync {
            command.args(["--appendonly", "yes", "--appendfsync", fsync]);
        }
        let mut server = Server::start("redis", command, dir)?;
        server.wait_port(port)?;
        Ok(Redis { server, port, version })
    }

    /// A new connection.
    pub fn connect(&self) -> Result<TcpStream> {
        Ok(TcpStream::connect(("127.0.0.1", self.port))?)
    }
}
