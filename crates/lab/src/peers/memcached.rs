//! memcached.

use std::net::TcpStream;
use std::path::Path;
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
    /// Its port within TLS, if it has one.
    pub tls_port: Option<u16>,
    /// Its version line.
    pub version: String,
}

impl MemcachedServer {
    /// Starts it with this much memory for items, and threads.
    pub fn start(memory_mib: u32, threads: usize) -> Result<MemcachedServer> {
        let [port] = free_ports()?;
        let listen = ["-l".to_owned(), format!("127.0.0.1:{port}")];
        Self::start_on(port, None, &listen, memory_mib, threads)
    }

    /// The same with a port within TLS beside the other.
    pub fn start_with_tls(
        certificate: &Path,
        key: &Path,
        memory_mib: u32,
        threads: usize,
    ) -> Result<MemcachedServer> {
        let [port, tls_port] = free_ports()?;
        let (certificate, key) = (certificate.display(), key.display());
        let listen = [
            "-Z".to_owned(),
            "-o".to_owned(),
            format!("ssl_chain_cert={certificate},ssl_key={key}"),
            "-l".to_owned(),
            format!("notls:127.0.0.1:{port},127.0.0.1:{tls_port}"),
        ];
        Self::start_on(port, Some(tls_port), &listen, memory_mib, threads)
    }

    fn start_on(
        port: u16,
        tls_port: Option<u16>,
        listen: &[String],
        memory_mib: u32,
        threads: usize,
    ) -> Result<MemcachedServer> {
        let program = find_program("memcached")?;
        let version = version_line(&program, "-V");
        let mut command = Command::new(program);
        command.args(["-U", "0", "-u", "root", "-t", &threads.to_string()]).args(listen);
        command.args(["-m", &memory_mib.to_string(), "-c", &CONNECTIONS_MAX.to_string()]);
        let mut server = Server::start("memcached", command, data_dir("memcached")?)?;
        server.wait_port(port)?;
        Ok(MemcachedServer { server, port, tls_port, version })
    }

    /// A new connection.
    pub fn connect(&self) -> Result<TcpStream> {
        Ok(TcpStream::connect(("127.0.0.1", self.port))?)
    }
}
