//! memcached.

use std::net::TcpStream;
use std::process::Command;

use anyhow::Result;

use super::server::{Server, data_dir, find_program, free_ports, version_line};

/// Connections it accepts; the lab's largest experiment holds 10,000 and some.
const CONNECTIONS_MAX: u32 = 20_000;

/// A running memcached.
pub struct MemcachedServer {
    /// The process.
    pub server: Server,
    /// Its port.
    pub port: u16,
    /// Its version line.
    pub version: String,
}

impl MemcachedServer {
    /// Starts it with this much memory for items, and threads.
    pub fn start(memory_mib: u32, threads: usize) -> Result<MemcachedServer> {
        let program = find_program("memcached")?;
        let version = version_line(&program, "-V");
        let [port] = free_ports()?;
        let mut command = Command::new(program);
        command.args(["-l", "127.0.0.1", "-U", "0", "-u", "root"]);
        command.args(["-p", &port.to_string(), "-t", &threads.to_string()]);
        command.args(["-m", &memory_mib.to_string(), "-c", &CONNECTIONS_MAX.to_string()]);
        let mut server = Server::start("memcached", command, data_dir("memcached")?)?;
        server.wait_port(port)?;
        Ok(MemcachedServer { server, port, version })
    }

    /// A new connection.
    pub fn connect(&self) -> Result<TcpStream> {
        Ok(TcpStream::connect(("127.0.0.1", self.port))?)
    }
}
