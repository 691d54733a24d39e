//! MariaDB with InnoDB and its HandlerSocket plugin.

use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::memory_group::MemoryGroup;
use super::server::{Server, data_dir, find_program, free_ports};
use crate::protocols::{handlersocket, mysql};

/// How a MariaDB is started.
#[derive(Debug, Clone, Copy)]
pub struct MariaDbSettings {
    /// InnoDB's buffer pool in MiB.
    pub buffer_pool_mib: u32,
    /// innodb_flush_log_at_trx_commit: 1 syncs at each commit, 2 writes, 0 does neither.
    pub flush_log: u8,
    /// Threads of HandlerSocket's read port.
    pub handlersocket_threads: usize,
}

/// A running MariaDB.
pub struct MariaDb {
    /// The process.
    pub server: Server,
    /// Its MySQL port.
    pub port: u16,
    /// HandlerSocket's ports for reading and writing, or why there are none.
    pub handlersocket: Result<(u16, u16), String>,
    /// The plugin's secrets for reading and writing; MariaDB makes them up.
    secrets: (Option<String>, Option<String>),
    /// Its version.
    pub version: String,
}

impl MariaDb {
    /// Makes a data directory and starts a server on it.
    pub fn start(settings: MariaDbSettings) -> Result<MariaDb> {
        MariaDb::start_with(settings, &[], None)
    }

    /// The same with further flags, and in a group of processes with a limit of its own.
    pub fn start_with(
        settings: MariaDbSettings,
        flags: &[String],
        group: Option<&MemoryGroup>,
    ) -> Result<MariaDb> {
        let program = find_program("mariadbd")?;
        let dir = data_dir("mariadb")?;
        let data = dir.path().join("data");
        // A MariaDB that starts removes what it takes for leftovers in its temporary directory: in
        // a shared one these may be another's tables in use.
        let temporary = dir.path().join("tmp");
        std::fs::create_dir(&temporary)?;
        install(&data, &temporary)?;
        let [port, read_port, write_port] = free_ports()?;
        let mut command = Command::new(program);
        command.arg("--no-defaults").arg(format!("--datadir={}", data.display()));
        command.arg(format!("--tmpdir={}", temporary.display()));
        command.arg(format!("--socket={}", dir.path().join("socket").display()));
        command.arg(format!("--pid-file={}", dir.path().join("pid").display()));
        command.args(["--bind-address=127.0.0.1", "--skip-log-bin", "--max-connections=2000"]);
        command.args(["--innodb-log-file-size=512M", "--table-open-cache=4000", "--user=root"]);
        command.arg(format!("--port={port}"));
        command.arg(format!("--innodb-buffer-pool-size={}M", settings.buffer_pool_mib));
        command.arg(format!("--innodb-flush-log-at-trx-commit={}", settings.flush_log));
        command.args(["--plugin-maturity=unknown", "--plugin-load-add=handlersocket"]);
        command.arg("--loose-handlersocket_address=127.0.0.1");
        command.arg(format!("--loose-handlersocket_port={read_port}"));
        command.arg(format!("--loose-handlersocket_port_wr={write_port}"));
        command.arg(format!("--loose-handlersocket_threads={}", settings.handlersocket_threads));
        command.args(flags);
        let mut server = Server::start_in(group, "mariadb", command, dir)?;
        server.wait_port(port)?;

        let mut session = mysql::MysqlSession::connect(port, "")?;
        let version = session.version.clone();
        let variables = session.query("SHOW VARIABLES LIKE 'handlersocket%secret%'")?;
        let secret = |name: &str| {
            let row = variables.iter().find(|row| row[0].as_deref() == Some(name.as_bytes()))?;
            let value = String::from_utf8_lossy(row[1].as_deref()?).into_owned();
            (!value.is_empty()).then_some(value)
        };
        let secrets =
            (secret("handlersocket_plain_secret"), secret("handlersocket_plain_secret_wr"));
        let handlersocket = match TcpStream::connect(("127.0.0.1", read_port)) {
            Ok(_) => Ok((read_port, write_port)),
            Err(error) => Err(format!("HandlerSocket's plugin does not listen: {error}")),
        };
        Ok(MariaDb { server, port, handlersocket, secrets, version })
    }

    /// A signed-in session.
    pub fn session(&self, database: &str) -> Result<mysql::MysqlSession> {
        mysql::MysqlSession::connect(self.port, database)
    }

    /// A connection to HandlerSocket's read port with these indexes opened.
    pub fn handlersocket_read(&self, indexes: &[String]) -> Result<TcpStream> {
        let (port, _) = self.handlersocket.clone().map_err(anyhow::Error::msg)?;
        handlersocket::connect(port, self.secrets.0.as_deref(), indexes)
    }

    /// A connection to HandlerSocket's write port with these indexes opened.
    pub fn handlersocket_write(&self, indexes: &[String]) -> Result<TcpStream> {
        let (_, port) = self.handlersocket.clone().map_err(anyhow::Error::msg)?;
        handlersocket::connect(port, self.secrets.1.as_deref(), indexes)
    }
}

/// Makes the system tables, with a root that needs no password.
fn install(data: &Path, temporary: &Path) -> Result<()> {
    let program = find_program("mariadb-install-db")?;
    let output = Command::new(program)
        .arg("--no-defaults")
        .arg(format!("--datadir={}", data.display()))
        .arg(format!("--tmpdir={}", temporary.display()))
        .args(["--user=root", "--auth-root-authentication-method=normal", "--skip-test-db"])
        .output()
        .context("mariadb-install-db")?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "mariadb-install-db: {}", told.trim());
    Ok(())
}
