//! The newest MySQL, as `scripts/newest` unpacks it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::server::{Server, data_dir, free_ports};
use crate::protocols::mysql;

/// A running MySQL.
pub struct MySql {
    /// The process.
    pub server: Server,
    /// Its MySQL port.
    pub port: u16,
    /// Its version.
    pub version: String,
}

impl MySql {
    /// Makes a data directory and starts a server on it, with a buffer pool of so many MiB and as
    /// much care for its log as innodb_flush_log_at_trx_commit says.
    pub fn start(buffer_pool_mib: u32, flush_log: u8) -> Result<MySql> {
        let home = std::env::var_os("HOME").map(PathBuf::from).context("no HOME")?;
        let newest = home.join(".cache/rowhouse/newest");
        let program = newest.join("bin/mysqld");
        ensure!(program.is_file(), "MySQL is not there (scripts/newest unpacks it)");
        let usr = newest.join("root/usr");
        let dir = data_dir("mysql")?;
        let command = || {
            let mut command = Command::new(&program);
            command.arg("--no-defaults").arg(format!("--basedir={}", usr.display()));
            command.arg(format!("--datadir={}", dir.path().join("data").display()));
            command.arg(format!("--lc-messages-dir={}", usr.join("share/mysql").display()));
            command.arg(format!("--plugin-dir={}", usr.join("lib/mysql/plugin").display()));
            // The package's own folder for files is not there.
            command.args(["--user=root", "--secure-file-priv="]);
            command
        };
        let made = command().arg("--initialize-insecure").output().context("mysqld")?;
        let told = String::from_utf8_lossy(&made.stderr).into_owned();
        ensure!(made.status.success(), "mysqld --initialize-insecure: {}", told.trim());
        let [port] = free_ports()?;
        let mut command = command();
        command.arg(format!("--socket={}", dir.path().join("socket").display()));
        command.arg(format!("--pid-file={}", dir.path().join("pid").display()));
        command.args(["--bind-address=127.0.0.1", "--skip-log-bin", "--mysqlx=OFF"]);
        command.args(["--local-infile=1", "--innodb-redo-log-capacity=512M"]);
        command.arg(format!("--port={port}"));
        command.arg(format!("--innodb-buffer-pool-size={buffer_pool_mib}M"));
        command.arg(format!("--innodb-flush-log-at-trx-commit={flush_log}"));
        let mut server = Server::start("mysql", command, dir)?;
        server.wait_port(port)?;
        let version = mysql::MysqlSession::connect(port, "")?.version;
        Ok(MySql { server, port, version })
    }
}
